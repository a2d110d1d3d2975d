"""The files the archive is made of, looked at without being touched or held.

Room: firmware/archive.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from gettext import gettext as _
from pathlib import Path

from engines.common.pieces import Piece
from firmware.errors import JournalError, RegisterError, StoreError
from firmware.journal import SCHEMA, SEAL, STEPS, VERSION
from firmware.register import Registered
from firmware.store import Store, connect, damaged, explained

N_ = str  # marks a text for the catalogues; it is translated where it is used


def open_archive(path: Path) -> Store:
    """The archive of old games in the file *path*: a journal to which nothing is played.

    Raises:
        JournalError: it cannot be used.
    """
    return Store(path, SCHEMA, VERSION, N_("the archive"), JournalError, STEPS)


def check_archive(path: Path) -> None:
    """Look through the archive *path* for damage, if there is one.

    Raises:
        JournalError: it is damaged, or cannot be read.
    """
    with _looking(path, JournalError) as looking:
        if looking is None:
            return
        (version,) = looking.execute("PRAGMA user_version").fetchone()
        wrong = f"SELECT seq FROM entry WHERE seal IS NOT {SEAL} LIMIT 1"
        for row in looking.execute(wrong) if version == VERSION else ():
            place = _("entry {number}").format(number=row["seq"])
            raise damaged(path, place, _("is not as it was written"), JournalError)


def stickers_in(path: Path) -> dict[bytes, Registered]:
    """What every tag of the register *path* sticks on, of any version; nothing if there is none.

    Raises:
        RegisterError: it is damaged, or cannot be read.
    """
    with _looking(path, RegisterError) as looking:
        query = "SELECT * FROM tag ORDER BY uid"
        rows = [] if looking is None else [dict(row) for row in looking.execute(query)]
    return {bytes(row["uid"]): _registered(row) for row in rows}


def _registered(row: dict[str, str | int]) -> Registered:
    """What the tag of *row* sticks on; in the first version there were no boxes."""
    piece = Piece(str(row["kind"]), int(row["copy"]))
    return Registered(str(row["game"]), piece, int(row.get("box", 1)))


@contextmanager
def _looking(path: Path, error: type[StoreError]) -> Iterator[sqlite3.Connection | None]:
    """The file *path*, page by page as SQLite made it; none if there is none."""
    try:
        if not path.exists() or path.stat().st_size == 0:
            yield None
            return
        with closing(connect(path, is_looking=True)) as looking:
            (found,) = looking.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok":
                raise damaged(path, "", _("is damaged ({reason})").format(reason=found), error)
            looking.row_factory = sqlite3.Row
            yield looking
    except (sqlite3.Error, OSError) as fault:
        raise explained(fault, path, error) from fault
