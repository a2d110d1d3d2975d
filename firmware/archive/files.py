"""Read-only access to the archive of old games and to the tag register, without locking them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from engines.common.pieces import Piece
from firmware.boxes.register import Registered
from firmware.common.errors import JournalError, RegisterError, StoreError
from firmware.journal.journal import MIGRATIONS, SCHEMA, SEAL, VERSION
from firmware.journal.store import Store, connect, damage_error, error_of

ASIDE = (
    "Move it to another folder: the table works without it. "
    "An automatic copy may have its games: tapmat journal restore"
)


@contextmanager
def archive_remedy(path: Path) -> Iterator[None]:
    """Run a block, and replace the remedy in an error about damage to the archive *path*.

    The usual remedy, to start the table, does not help, because the table repairs only a damaged
    journal.
    """
    try:
        yield
    except StoreError as wrong:
        if not wrong.is_damage:
            raise
        replaced = type(wrong)(path, wrong.key, wrong.found, ASIDE)
        replaced.is_damage = True
        raise replaced from wrong


def open_archive(path: Path) -> Store:
    """Open the archive of old games in the file *path*, which has the format of a journal.

    Raises:
        JournalError: the archive is damaged or cannot be opened.
    """
    with archive_remedy(path):
        return Store(path, SCHEMA, VERSION, "the archive", JournalError, MIGRATIONS)


def check_archive(path: Path) -> None:
    """Check the archive *path* for damage, if there is one.

    Raises:
        JournalError: it is damaged, or cannot be read.
    """
    with archive_remedy(path), _open_for_reading(path, JournalError) as connection:
        if connection is None:
            return
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        wrong = f"SELECT seq FROM entry WHERE seal IS NOT {SEAL} LIMIT 1"
        for row in connection.execute(wrong) if version == VERSION else ():
            raise damage_error(
                path, f"entry {row['seq']}", "does not match its checksum", JournalError
            )


def stickers_in(path: Path) -> dict[bytes, Registered]:
    """Return the piece of each tag in the register *path*, by UID; {} if the file is missing.

    The register may have any schema version.

    Raises:
        RegisterError: it is damaged, or cannot be read.
    """
    with _open_for_reading(path, RegisterError) as connection:
        query = "SELECT * FROM tag ORDER BY uid"
        rows = [] if connection is None else [dict(row) for row in connection.execute(query)]
    return {bytes(row["uid"]): _tagged_piece(row) for row in rows}


def _tagged_piece(row: dict[str, str | int]) -> Registered:
    """Return the piece in *row* of a register. Schema version 1 had no boxes: the box is 1."""
    piece = Piece(str(row["kind"]), int(row["copy"]))
    return Registered(str(row["game"]), piece, int(row.get("box", 1)))


@contextmanager
def _open_for_reading(path: Path, error: type[StoreError]) -> Iterator[sqlite3.Connection | None]:
    """Check the SQLite file *path* and yield a read-only connection; None if it is missing.

    Raises:
        StoreError: of type *error*; the file is damaged, or cannot be read.
    """
    try:
        if not path.exists() or path.stat().st_size == 0:
            yield None
            return
        with closing(connect(path, is_read_only=True)) as connection:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok":
                raise damage_error(path, "", f"is damaged ({found})", error)
            connection.row_factory = sqlite3.Row
            yield connection
    except (sqlite3.Error, OSError) as fault:
        raise error_of(fault, path, error) from fault
