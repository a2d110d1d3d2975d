"""The computer that is set up: what it is, its files, and the commands that change it.

Room: firmware/pi. Everything the steps do goes through here, so that a folder can stand in for the
root of the file system and a list for the commands.
"""

import os
import platform
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path

from firmware.errors import either
from firmware.host import Host

RELEASES = ("bookworm", "trixie")  # of Raspberry Pi OS and Debian, with Python 3.11 and 3.13
PYTHON = (3, 11)
SYSTEMD = Path("run/systemd/system")  # is there when systemd runs this computer

Run = Callable[[Sequence[str]], str]


class SetUpFault(Exception):
    """Setting up cannot go on: what was found, and what to do."""

    def __init__(self, found: str, remedy: str) -> None:
        super().__init__(f"{found} {remedy}")


def run(command: Sequence[str]) -> str:
    """Run *command* and return what it printed.

    Raises:
        SetUpFault: it cannot be run, or failed; with the last lines it printed.
    """
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
    except OSError as fault:
        found = _("{command} cannot be run: {reason}.")
        found = found.format(command=command[0], reason=fault.strerror)
        raise SetUpFault(found, _("Is this Raspberry Pi OS?")) from fault
    if done.returncode:
        last = "\n  ".join(done.stdout.strip().splitlines()[-12:])
        found = _("This failed: {command}").format(command=" ".join(command))
        raise SetUpFault(f"{found}\n  {last}\n", _("Mend that, then run it again."))
    return done.stdout


@dataclass(frozen=True)
class Computer(Host):
    """One computer. *root* is where its file system begins; *ask* puts a yes-or-no question."""

    say: Callable[[str], None]
    ask: Callable[[str], bool]
    root: Path = Path("/")
    run: Run = run

    # --- what it is ---

    @property
    def runs_systemd(self) -> bool:
        """Whether systemd runs it, so that services can be started."""
        return (self.root / SYSTEMD).exists()

    def check(self) -> None:
        """Look whether it can be set up.

        Raises:
            SetUpFault: it cannot.
        """
        release = self.system.get("VERSION_CODENAME", "")
        if release not in RELEASES:
            name = self.system.get("PRETTY_NAME", _("no system that says its name"))
            raise SetUpFault(
                _("This computer runs {system}.").format(system=name),
                _("Write Raspberry Pi OS ({releases}, 64-bit if you can) to its card.").format(
                    releases=either(RELEASES)
                ),
            )
        if sys.version_info < PYTHON:
            found = _("This is Python {version}.").format(version=platform.python_version())
            raise SetUpFault(found, _("3.11 is needed."))
        if os.geteuid() != 0:
            raise SetUpFault(_("Setting up changes the system."), _("Run: sudo ./install-pi"))

    # --- its files ---

    def text(self, name: str) -> str:
        """What stands in the file *name*; nothing when it is not there."""
        try:
            return self.path(name).read_text(encoding="utf-8", errors="replace")
        except (FileNotFoundError, NotADirectoryError):
            return ""

    def write(self, name: str, text: str) -> None:
        """Have the file *name* say *text*; a pulled plug leaves the old text or the new one."""
        file = self.path(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        half = file.with_name(f".{file.name}.tapmat")
        with half.open("w", encoding="utf-8") as opened:
            opened.write(text)
            opened.flush()
            os.fsync(opened.fileno())
        with suppress(FileNotFoundError):
            half.chmod(file.stat().st_mode)
        half.replace(file)
        self._settle(file.parent)

    def remove(self, name: str) -> None:
        """Take the file *name* away, if it is there."""
        self.path(name).unlink(missing_ok=True)

    def _settle(self, folder: Path) -> None:
        """Have the renaming itself on disk."""
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
