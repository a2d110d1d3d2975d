"""Stand-ins for what makes and plays sound: programs in a folder that do as they are told.

Room: tests.
"""

import stat
import time
from collections.abc import Callable
from pathlib import Path

from hardware.drivers.player import Way

GIVE_UP_S = 20.0


def until(happened: Callable[[], bool]) -> None:
    """Wait for another thread; how long it takes is nobody's business."""
    end = time.monotonic() + GIVE_UP_S
    while not happened():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.005)


class Program:
    """A shell script called *name* in *folder*, which notes how it was called."""

    def __init__(self, folder: Path, name: str, script: str = "") -> None:
        self.path = folder / name
        self.calls = folder / f"{name}.calls"
        self.gate = folder / f"{name}.gate"
        self.became(script)

    def became(self, script: str) -> None:
        """Do *script* from now on."""
        text = f'#!/bin/sh\necho "$*" >> "{self.calls}"\n{script}\n'
        new = self.path.with_suffix(".new")
        new.write_text(text, encoding="utf-8")
        new.chmod(new.stat().st_mode | stat.S_IXUSR)
        new.replace(self.path)  # one that runs reads on in the old file

    @property
    def waits(self) -> str:
        """A line of script: go on when there is a gate."""
        return f'while [ ! -e "{self.gate}" ]; do sleep 0.01; done'

    def lines(self) -> list[str]:
        """How it was called so far."""
        return self.calls.read_text(encoding="utf-8").splitlines() if self.calls.exists() else []


class Loudspeaker(Program):
    """A program that plays: what it is fed to the end is heard, one file a sound."""

    PLAYS = 'heard=$(mktemp "{folder}/XXXXXX") && cat > "$heard" && mv "$heard" "$heard.heard"'

    def __init__(self, folder: Path, name: str = "plays") -> None:
        self.folder = folder / f"{name}.heard"
        self.folder.mkdir()
        super().__init__(folder, name, self.plays)

    @property
    def plays(self) -> str:
        """A line of script: play what comes."""
        return self.PLAYS.format(folder=self.folder)

    @property
    def way(self) -> Way:
        """How the player calls it."""
        return Way(str(self.path), ("{rate}", "{channels}"))

    def heard(self) -> list[bytes]:
        """Every sound that is not silence, in order."""
        files = sorted(self.folder.glob("*.heard"), key=lambda file: file.stat().st_mtime_ns)
        return [data for file in files if any(data := file.read_bytes())]
