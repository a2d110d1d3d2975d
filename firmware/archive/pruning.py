"""Pruning of the journal: old games move to an archive, and old health entries are merged.

The archive is a file beside the journal, with the same format; every command reads both. Games are
on disk in the archive before they are deleted from the journal. After a power cut a game may be in
both, and the next call deletes the duplicate. A health entry has the counts of a part's faults and
repairs since the part's previous health entry. Entries older than 30 days are merged into one that
has their sums.
"""

import json
import logging
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from firmware.archive.files import open_archive
from firmware.archive.past import ARCHIVE
from firmware.common.errors import FolderInUse, JournalError, StoreError
from firmware.journal.journal import (
    HEALTH,
    MIGRATIONS,
    NO_GAME,
    SCHEMA,
    VERSION,
    WHAT,
    WRITE,
    Journal,
    check_file,
    lock_folder,
)
from firmware.journal.store import Store
from firmware.journal.tail import Tail
from firmware.runtime.controller import JOURNAL

log = logging.getLogger(__name__)

MEGABYTE = 1_000_000
MAX_BYTES = 8 * MEGABYTE  # about 2,000 games; the table prunes a larger journal
PRUNED_SHARE = 0.75  # size after pruning, as a share of the limit, so that pruning is rare
EMPTY_BYTES = 5 * 4096  # size of a journal without entries
ROW_BYTES = 60  # approximate size in bytes of an entry without its body
PAGES = """SELECT page_count, freelist_count, page_size
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size"""
HEALTH_KEPT = timedelta(days=30)  # older counts of a part are summed into one entry


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits for games that stay in the journal; None means no limit."""

    since: datetime | None = None  # games that began earlier move to the archive
    games: int | None = None  # number of games that stay
    size: int | None = None  # size of the journal in bytes


@dataclass(frozen=True, slots=True)
class PruneReport:
    """The numbers of games that pruning has moved and of health entries that it has merged.

    *before* and *after* are the journal's sizes in bytes.
    """

    moved: int
    merged: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class _Game:
    """A game in the journal. *last* is the number of the game's last entry.

    *name* is the name of the game's rules, such as "straw", and *at* its start (ISO 8601, UTC).
    """

    number: int
    last: int
    name: str
    at: str
    size: int  # approximate share of the file in bytes


def prune(folder: Path, limits: Limits, now: datetime) -> PruneReport:
    """Move games beyond *limits* from the journal in *folder* to the archive.

    The last game stays, and the last game of each kind (such as Straw), because the table
    offers its players and house rules for the next game. *now* is the time in UTC.

    Raises:
        FolderInUse: a table is using the folder.
        JournalError: journal or archive cannot be read or written; no game is lost.
    """
    path = folder / JOURNAL
    if not _size(path):
        return PruneReport(0, 0, 0, 0)
    check_file(path)
    with closing(Journal(path)):
        pass  # updates an older schema version, and raises if no table could use the file
    before = _size(path)
    with closing(lock_folder(path)):
        Tail(path).remove()  # its anchor may be one of the entries merged below
        store = Store(path, SCHEMA, VERSION, WHAT, JournalError, MIGRATIONS)
        with closing(store):
            merged = _merge_health(store, now - HEALTH_KEPT)
            moving = _games_to_move(_games(store), limits)
            if moving:
                _move(store, folder / ARCHIVE, moving)
            if moving or merged:
                store.rows("VACUUM")
                store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    return PruneReport(len(moving), merged, before, _size(path))


def prune_if_too_large(folder: Path, now: datetime, most: int = MAX_BYTES) -> None:
    """Prune the journal in *folder* if it has more than *most* bytes; only log a failure.

    The table calls this before it opens its journal. *now* is the time in UTC.
    """
    try:
        if _size(folder / JOURNAL) <= most:
            return
        kept = prune(folder, Limits(size=int(most * PRUNED_SHARE)), now)
    except (StoreError, OSError) as error:
        if not isinstance(error, FolderInUse):
            log.warning("%s", f"The journal was not made smaller: {error}")
        return
    message = (
        "The journal had {before:,} bytes; {count} game was moved to {file}"
        if kept.moved == 1
        else "The journal had {before:,} bytes; {count} games were moved to {file}"
    )
    log.warning("%s", message.format(before=kept.before, count=kept.moved, file=ARCHIVE))


def _games(store: Store) -> list[_Game]:
    """Return every game in the journal, oldest first."""
    query = f"""SELECT game, max(seq), min(at), sum(length(body) + {ROW_BYTES}) FROM entry
        WHERE game != 0 GROUP BY game ORDER BY game"""
    names = dict(store.rows("SELECT seq, body FROM entry WHERE kind = 'start'"))
    ((pages, free, page_size),) = store.rows(PAGES)
    rows = store.rows(query)
    ratio = (pages - free) * page_size / max(1, sum(size for *_rest, size in rows))
    return [
        _Game(number, last, _name(names.get(number)), at, round(size * ratio))
        for number, last, at, size in rows
    ]


def _name(start: str | None) -> str:
    """Return the name of the game (such as "straw") in the JSON text *start* of a start entry.

    The name is empty if the text cannot be read.
    """
    try:
        return str(json.loads(start or "")["game"])
    except (ValueError, TypeError, KeyError):
        return ""


def _games_to_move(known: Sequence[_Game], limits: Limits) -> list[_Game]:
    """Return the games in *known* (oldest first) that are beyond *limits*."""
    stays = {game.name: game.number for game in known}.values()  # the last one of each kind
    free = [game for game in known if game.number not in stays]
    count = 0  # how many of the oldest games to move
    if limits.games is not None:
        count = max(count, len(known) - limits.games)
    if limits.size is not None:
        left = sum(game.size for game in known)
        allowed = limits.size - EMPTY_BYTES
        for place, game in enumerate(free):
            if left <= allowed:
                break
            left -= game.size
            count = max(count, place + 1)
    # Each game's own date counts: a Pi without a clock may have written dates out of order.
    since = "" if limits.since is None else limits.since.isoformat(timespec="milliseconds")
    return [game for place, game in enumerate(free) if place < count or game.at < since]


def _move(store: Store, archive: Path, moving: Sequence[_Game]) -> None:
    """Move the games in *moving* from the journal *store* to the file *archive*.

    They are on disk in *archive* before they are deleted from the journal.

    Raises:
        JournalError: moving failed; the games are still in the journal.
    """
    with closing(open_archive(archive)):
        pass
    store.rows("ATTACH ? AS archive", str(archive))
    store.rows("PRAGMA archive.synchronous = FULL")
    ranges = [(game.number, game.last, game.number) for game in moving]
    of_game = "seq BETWEEN ? AND ? AND game = ?"
    with store.change() as connection:
        copy = f"INSERT OR IGNORE INTO archive.entry SELECT * FROM main.entry WHERE {of_game}"
        connection.executemany(copy, ranges)
    same = "SELECT * FROM main.entry WHERE {0} EXCEPT SELECT * FROM archive.entry WHERE {0}"
    for one in ranges:
        if store.rows(same.format(of_game), *one, *one):
            found = f"has another game under number {one[0]}"
            remedy = "Move the archive to another folder; the journal was left as it is."
            raise JournalError(archive, "", found, remedy)
    with store.change() as connection:
        connection.executemany(f"DELETE FROM main.entry WHERE {of_game}", ranges)
    store.rows("PRAGMA archive.wal_checkpoint(TRUNCATE)")
    store.rows("DETACH archive")


def _merge_health(store: Store, until: datetime) -> int:
    """Replace each part's health entries before *until* by one entry with their sums.

    Returns:
        The number of entries that were replaced.
    """
    # Entries after the last game's start stay: the check for missing entries needs their numbers.
    query = """SELECT seq, body, at FROM entry WHERE game = 0 AND kind = ? AND at < ?
        AND seq < (SELECT max(seq) FROM entry WHERE kind = 'start') ORDER BY seq"""
    rows = store.rows(query, HEALTH, until.isoformat(timespec="milliseconds"))
    of_part: dict[str, list[tuple[int, str, dict[str, int]]]] = defaultdict(list)
    for seq, text, at in rows:
        try:
            body = json.loads(text)
            of_part[body["part"]].append((seq, at, dict(body["counts"])))
        except (ValueError, TypeError, KeyError):
            continue  # tapmat journal verify and the doctor report the damage
    many = {part: notes for part, notes in of_part.items() if len(notes) > 1}
    with store.change() as connection:
        for part, notes in many.items():
            counts: Counter[str] = Counter()
            for seq, _at, counted in notes:
                counts.update(counted)
                connection.execute("DELETE FROM entry WHERE seq = ?", (seq,))
            seq, at, _counted = notes[-1]
            body = {"part": part, "counts": counts}
            text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
            connection.execute(WRITE, (seq, NO_GAME, HEALTH, text, at))
    return sum(map(len, many.values()))


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
