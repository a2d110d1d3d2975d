"""Fake programs that make or play sound: shell scripts that log their calls."""

import stat
import time
from collections.abc import Callable
from pathlib import Path

from hardware.drivers.player import Way

GIVE_UP_S = 20.0


def until(happened: Callable[[], bool]) -> None:
    """Poll *happened* until it returns True; fail after ``GIVE_UP_S`` seconds."""
    end = time.monotonic() + GIVE_UP_S
    while not happened():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.005)


class Program:
    """A shell script called *name* in *folder* that logs the arguments of each call."""

    def __init__(self, folder: Path, name: str, script: str = "") -> None:
        self.path = folder / name
        self.calls = folder / f"{name}.calls"
        self.gate = folder / f"{name}.gate"
        self.became(script)

    def became(self, script: str) -> None:
        """Replace the script with *script*; processes that are already running keep the old one."""
        text = f'#!/bin/sh\necho "$*" >> "{self.calls}"\n{script}\n'
        new = self.path.with_suffix(".new")
        new.write_text(text, encoding="utf-8")
        new.chmod(new.stat().st_mode | stat.S_IXUSR)
        new.replace(self.path)  # a running process continues with the old file

    @property
    def waits(self) -> str:
        """A line of shell script that blocks until the file ``gate`` exists."""
        return f'while [ ! -e "{self.gate}" ]; do sleep 0.01; done'

    def lines(self) -> list[str]:
        """Return the logged calls, one line of arguments for each."""
        return self.calls.read_text(encoding="utf-8").splitlines() if self.calls.exists() else []


class Loudspeaker(Program):
    """A fake player program that saves each sound it reads to the end as a file."""

    PLAYS = 'heard=$(mktemp "{folder}/XXXXXX") && cat > "$heard" && mv "$heard" "$heard.heard"'

    def __init__(self, folder: Path, name: str = "plays") -> None:
        self.folder = folder / f"{name}.heard"
        self.folder.mkdir()
        super().__init__(folder, name, self.plays)

    @property
    def plays(self) -> str:
        """A line of shell script that saves the samples from standard input."""
        return self.PLAYS.format(folder=self.folder)

    @property
    def way(self) -> Way:
        """The ``Way`` that makes a ``Player`` call this program."""
        return Way(str(self.path), ("{rate}", "{channels}"))

    def heard(self) -> list[bytes]:
        """Return the samples of every sound that is not silence, in the order played."""
        files = sorted(self.folder.glob("*.heard"), key=lambda file: file.stat().st_mtime_ns)
        return [data for file in files if any(data := file.read_bytes())]
