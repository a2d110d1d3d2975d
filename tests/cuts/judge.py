"""The judge: compares what a table had shown with what is on its disk after a power cut."""

import subprocess
from contextlib import closing
from pathlib import Path

from firmware.boxes.register import TagRegister
from firmware.common.errors import TapmatError
from firmware.journal.journal import Journal, check_file
from firmware.runtime.controller import JOURNAL, REGISTER
from tests.cuts.game import Game
from tests.firmware.lives import Rows, rows_in

MENDED = 1  # e2fsck's exit code if it repaired something


class Guilty(AssertionError):
    """The power cut cost something that it must not cost."""


def insist(holds: bool, what: str) -> None:
    """Raise ``Guilty`` with the message *what* unless *holds*."""
    if not holds:
        raise Guilty(what)


def read_disk(disk: Path, folder: Path) -> Rows:
    """Mend the file system on *disk* as a boot does, and copy its files to *folder*.

    Returns the entries of the journal there, once tapmat has opened it.

    Raises:
        Guilty: the file system or the journal is damaged.
    """
    mend(disk)
    copied = _run("debugfs", "-R", f"rdump / {folder}", str(disk))
    insist(copied.returncode == 0, f"the files cannot be read: {copied.stdout}")
    return recover(folder)


def mend(disk: Path) -> None:
    """Mend the file system on *disk* as Raspberry Pi OS does at each boot (``fsck.repair=yes``).

    Raises:
        Guilty: it is damaged after that.
    """
    mended = _run("e2fsck", "-y", str(disk))
    insist(mended.returncode <= MENDED, f"e2fsck cannot mend the disk: {mended.stdout}")
    checked = _run("e2fsck", "-f", "-n", str(disk))
    insist(checked.returncode == 0, f"the file system is damaged: {checked.stdout}")


def recover(folder: Path) -> Rows:
    """Open the files in *folder* as the table does at its start; return the journal's entries.

    Raises:
        Guilty: tapmat finds damage, or cannot use a file.
    """
    insist((folder / JOURNAL).exists(), "the journal is missing")
    try:
        with closing(Journal(folder / JOURNAL, repairs=True)) as journal:
            insist(journal.recovery is None, f"tapmat reports damage: {journal.recovery}")
        with closing(TagRegister(folder / REGISTER, repairs=True)) as register:
            insist(register.recovery is None, f"tapmat reports damage: {register.recovery}")
        check_file(folder / JOURNAL)
    except TapmatError as error:
        raise Guilty(f"tapmat refuses the files: {error}") from error
    return rows_in(folder)


def count_acts(game: Game, shown: int, rows: Rows) -> int:
    """Return the number of acts in a journal that has the entries *rows*.

    Before the power cut, the table had shown *shown* acts of *game*.

    Raises:
        Guilty: an act that was shown is missing, one is there twice or wrong, or there is more
            than the one act in flight besides.
    """
    acts = len(rows) - len(game.moments[0].rows)
    insist(acts >= shown, f"{shown} acts were shown, {acts} are there")
    insist(acts <= shown + 1, f"{shown} acts were shown, {acts} are there: too many")
    insist(acts < len(game.moments), f"{acts} acts are there, the game has fewer")
    insist(_acts(rows) == _acts(game.moments[acts].rows), "entries that were not written")
    return acts


def _acts(rows: Rows) -> list[tuple[str, str]]:
    """Return kind and body of each entry; the numbers also count entries of other kinds."""
    return [(kind, body) for _seq, _game, kind, body in rows]


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
