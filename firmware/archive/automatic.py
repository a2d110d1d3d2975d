"""Automatic copies of the games, after each game and each day with play.

``python -m firmware.archive.automatic OCCASION STATE FOLDER`` makes one copy. The table starts it
as a separate process (``firmware.archive.copier``), with the lowest priority, so that the table
never waits. A copy is written under a temporary name, checked, and then renamed, so a file with the
name of a copy is complete. Other files in the folder are not touched.
"""

import errno
import os
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from firmware.archive.copies import STAMP, Contents, backup, contents_of
from firmware.archive.past import local
from firmware.common.errors import OutputError, StoreError
from firmware.journal.store import FILE_ERRORS, connect, error_of, sync
from firmware.runtime.controller import JOURNAL

COPIES = "copies"  # in the state folder; the default, if table.toml names no folder
NICE = 19  # the lowest priority of a process
PART = ".part"  # suffix of an unfinished copy
LAST_PLAY = "SELECT at FROM entry WHERE kind = 'input' ORDER BY seq DESC LIMIT 1"


class Occasion(StrEnum):
    """The reason for a copy: a game has ended, or a day with play is over."""

    GAME = "game"
    DAY = "day"


KEPT = {Occasion.GAME: 10, Occasion.DAY: 30}  # how many copies of each to keep
NAME = re.compile(r"(game|day)-\d{8}(-\d{6})?(-\d+)?\.zip")


class Problem(StrEnum):
    """The reasons why a copy failed. Their texts have the key ``copy-failed.<problem>``."""

    MISSING = "missing"  # the folder does not exist
    FULL = "full"  # the disk is full
    OTHER = "other"


EXIT_CODES = {Problem.OTHER: 1, Problem.MISSING: 3, Problem.FULL: 4}
ROOM_FAULTS = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True, slots=True)
class Copy:
    """An automatic copy.

    *made* is the local time at which it was made. *contents* says what is in the copy; None if the
    file cannot be read.
    """

    file: Path
    made: datetime
    contents: Contents | None


def make_copy(occasion: Occasion, state: Path, folder: Path, now: datetime) -> Path | None:
    """Copy the state folder *state* into *folder*, and delete the oldest copies in *folder*.

    Args:
        occasion: GAME always makes a copy. DAY makes a copy only if the last day on which somebody
            played is over and has no copy yet.
        state: the state folder; a table may be playing.
        folder: the folder for copies. It is created only if its parent is *state*: a missing folder
            elsewhere may be on a memory stick that is not plugged in.
        now: local time.

    Returns:
        The new copy; None if no copy was due.

    Raises:
        FileNotFoundError: *folder* does not exist.
        OutputError: the copy cannot be written.
        StoreError: the journal or the tag register is damaged, or cannot be read.
    """
    if folder.parent == state:
        folder.mkdir(exist_ok=True)
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
    for left in folder.glob(f"*.zip{PART}"):  # unfinished copies
        if NAME.fullmatch(left.name.removesuffix(PART)):
            left.unlink(missing_ok=True)
    name = f"{occasion}-{now:{STAMP}}.zip"
    if occasion is Occasion.DAY:
        played = last_play(state)
        if played is None or played.date() >= now.date():
            return None
        name = f"{occasion}-{played:%Y%m%d}.zip"
        if (folder / name).exists():
            return None
    part = folder / f"{name}{PART}"
    backup(state, part)
    part.replace(folder / name)
    sync(folder)
    _drop_old(folder)
    return folder / name


def last_play(state: Path) -> datetime | None:
    """Return the local time of the last play in the state folder *state*; None if there is none.

    Raises:
        StoreError: the journal cannot be read.
    """
    path = state / JOURNAL
    if not path.exists():
        return None
    try:
        with closing(connect(path, is_read_only=True)) as connection:
            row = connection.execute(LAST_PLAY).fetchone()
    except FILE_ERRORS as fault:
        raise error_of(fault, path, StoreError) from fault
    return None if row is None else local(row[0])


def copies_in(folders: Iterable[Path]) -> list[Copy]:
    """Return every automatic copy in *folders*, newest first. Missing folders are skipped."""
    found = [
        Copy(file, datetime.fromtimestamp(file.stat().st_mtime), contents_of(file))
        for folder in dict.fromkeys(folders)
        for file in _files(folder)
    ]
    return sorted(found, key=lambda copy: (copy.made, copy.file.name), reverse=True)


def _files(folder: Path) -> list[Path]:
    """Return the files of the copies in *folder*, oldest first; empty if there is no folder."""
    with suppress(OSError):
        return sorted(file for file in folder.iterdir() if NAME.fullmatch(file.name))
    return []


def _drop_old(folder: Path) -> None:
    """Delete all but the newest copies of each occasion in *folder*; ``KEPT`` has the numbers."""
    for occasion, count in KEPT.items():
        of_occasion = [file for file in _files(folder) if file.name.startswith(f"{occasion}-")]
        for file in of_occasion[:-count]:
            file.unlink(missing_ok=True)


def problem_of(fault: OSError | StoreError | OutputError) -> Problem:
    """Return the reason for *fault*, an error from ``make_copy``."""
    cause = fault if isinstance(fault, OSError) else fault.__cause__
    if isinstance(fault, FileNotFoundError):
        return Problem.MISSING
    if getattr(cause, "errno", None) in ROOM_FAULTS:
        return Problem.FULL
    if getattr(cause, "sqlite_errorname", "") == "SQLITE_FULL":
        return Problem.FULL
    return Problem.OTHER


def main(arguments: Sequence[str]) -> int:
    """Make an automatic copy.

    *arguments* are the reason for the copy (a game or a day), the state folder and the folder for
    copies.

    Returns:
        0 if the copy was made or was not due, else one of ``EXIT_CODES``.
    """
    occasion, state, folder = arguments
    os.nice(NICE)
    try:
        make_copy(Occasion(occasion), Path(state), Path(folder), datetime.now())
    except (OSError, StoreError, OutputError) as fault:
        print(f"No copy of the games was made: {fault}", file=sys.stderr)
        return EXIT_CODES[problem_of(fault)]
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
