"""The choice of a kit at the table. It is stored as two files in the state folder.

A *kit* is one of the templates of ``table.toml`` that come with tapmat, such as "family". Only
tapmat's image offers kits: ``firmware.card`` writes the file ``kits``. When the file ``kit``
changes, systemd runs ``firmware.card`` again and restarts the table with the chosen kit.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from firmware.common.errors import StateFolderError
from firmware.journal.store import error_of

OFFERED: Final = "kits"  # one name a line
CHOSEN: Final = "kit"
LONGEST: Final = 4096  # characters that are read of a file


@dataclass(frozen=True, slots=True)
class KitChoice:
    """The kits that people can choose at the table. *folder* is the state folder."""

    folder: Path

    @classmethod
    def of(cls, folder: Path) -> Self | None:
        """Return the choice in the state folder *folder*; None if no kits are offered there."""
        choice = cls(folder)
        return choice if choice.offered else None

    @property
    def offered(self) -> tuple[str, ...]:
        """The names of the kits to choose from."""
        return tuple(self._text(OFFERED).split())

    @property
    def chosen(self) -> str:
        """The name of the chosen kit; empty if none was chosen."""
        return self._text(CHOSEN).strip()

    def choose(self, name: str) -> None:
        """Store *name* as the chosen kit. The table restarts soon afterwards.

        Raises:
            StateFolderError: the name cannot be stored. Nothing changes.
        """
        file, new = self.folder / CHOSEN, self.folder / f"{CHOSEN}.new"
        try:
            with new.open("w", encoding="utf-8") as written:
                written.write(f"{name}\n")
                written.flush()
                os.fsync(written.fileno())
            new.replace(file)
        except OSError as fault:
            raise error_of(fault, file, StateFolderError) from fault

    def _text(self, name: str) -> str:
        try:
            with (self.folder / name).open(encoding="utf-8", errors="replace") as file:
                return file.read(LONGEST)
        except OSError:
            return ""
