"""The installed releases of the program: the release in use, and the previous one.

Each release is a venv in ``/opt/tapmat/releases/<name>``. The symbolic links
``/opt/tapmat/current`` and ``/opt/tapmat/previous`` point to the release in use and to the one
before. The file ``/opt/tapmat/trial`` exists while the release in use is on trial
(``firmware.pi.trial``).
"""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from firmware.common.host import ROLLED_BACK
from firmware.pi.computer import SetUpFault, TargetComputer

HOME = "opt/tapmat"
RELEASES = f"{HOME}/releases"
CURRENT, PREVIOUS = f"{HOME}/current", f"{HOME}/previous"
COMPLETE = "complete"  # a file that marks a release as installed and tested
TRIAL = f"{HOME}/trial"
KINDS = ("service", "timer")  # of systemd units


@dataclass(frozen=True)
class Releases:
    """The releases on *computer*. Each release is given as the path of its folder."""

    computer: TargetComputer

    @property
    def current(self) -> Path | None:
        """The folder of the release in use; None if there is none."""
        return self._named_by(CURRENT)

    @property
    def previous(self) -> Path | None:
        """The folder of the release to go back to; None if there is none."""
        return self._named_by(PREVIOUS)

    @property
    def is_on_trial(self) -> bool:
        """True if the release in use is replaced by the previous one when it fails."""
        return self.computer.path(TRIAL).exists()

    @property
    def version(self) -> str:
        """The version of the release in use; empty if there is none."""
        return "" if self.current is None else self.current.name.rpartition("-")[0]

    @property
    def rolled_back(self) -> str:
        """A text about the last update that failed and was undone; empty if there is none."""
        return self.computer.text(ROLLED_BACK)

    def folder(self, name: str) -> Path:
        """Return the folder of the release *name*."""
        return self.computer.path(RELEASES) / name

    def use(self, release: Path, previous: Path | None) -> None:
        """Make *release* the one in use, atomically, and *previous* the one to go back to.

        This ends a trial.
        """
        self.computer.remove(TRIAL)
        self.computer.remove(ROLLED_BACK)
        if previous is None:
            self.computer.remove(PREVIOUS)
        else:
            self._name(PREVIOUS, previous)
        self._name(CURRENT, release)

    def use_none(self) -> None:
        """Forget the release in use, after its first installation has failed."""
        self.computer.remove(CURRENT)

    def begin_trial(self) -> None:
        """Mark the release in use as being on trial."""
        assert self.current is not None, "the caller has switched to it"
        self.computer.write(TRIAL, f"{self.current.name}\n")

    def write_rolled_back(self, text: str) -> None:
        """Save *text*, about an update that failed and was undone, until the next update."""
        self.computer.write(ROLLED_BACK, text)

    def remove_others(self) -> None:
        """Delete all releases except the one in use and the previous one."""
        for release in self.computer.path(RELEASES).iterdir():
            if release.resolve() not in (self.current, self.previous):
                shutil.rmtree(release, ignore_errors=True)

    def _named_by(self, link: str) -> Path | None:
        path = self.computer.path(link)
        return path.resolve() if path.exists() else None

    def _name(self, link: str, release: Path) -> None:
        path = self.computer.path(link)
        new = path.with_name(f"{path.name}.new")
        new.unlink(missing_ok=True)
        new.symlink_to(os.path.relpath(release, path.parent))
        new.replace(path)


def own_file(release: Path, name: str) -> str:
    """Return the text of the file *name* in the package ``firmware.pi`` of *release*.

    Raises:
        SetUpFault: the release has no such file.
    """
    for file in _own_files(release, name):
        return file.read_text(encoding="utf-8")
    raise SetUpFault(f"The release {release} has no {name}.", "Install the release again.")


def own_units(release: Path) -> tuple[str, ...]:
    """Return the names of the systemd units that *release* contains."""
    return tuple(sorted(file.name for kind in KINDS for file in _own_files(release, f"*.{kind}")))


def _own_files(release: Path, pattern: str) -> Iterator[Path]:
    return release.glob(f"lib/python3*/site-packages/firmware/pi/{pattern}")
