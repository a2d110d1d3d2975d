"""How much the journal keeps, and where the rest goes: nothing is ever dropped.

Room: firmware/archive. Old games go into an archive beside the journal, in the same form, and every
command finds them there. They are on disk there before they leave the journal, so a plug that is
pulled meanwhile leaves a game in both, where the next time finds it. Counts of parts are added up.
"""

import json
import logging
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from gettext import gettext as _
from gettext import ngettext
from pathlib import Path

from firmware.archive.files import open_archive
from firmware.archive.past import ARCHIVE
from firmware.controller import JOURNAL
from firmware.errors import FolderInUse, JournalError, StoreError
from firmware.journal import (
    HEALTH,
    NO_GAME,
    SCHEMA,
    STEPS,
    VERSION,
    WHAT,
    WRITE,
    Journal,
    check_file,
    hold,
)
from firmware.store import Store

log = logging.getLogger(__name__)

MEGABYTE = 1_000_000
MOST_BYTES = 8 * MEGABYTE  # some two thousand games; a table keeps its journal below that
ROOMY = 0.75  # of the most: what is left then, so that it is seldom done
EMPTY_BYTES = 5 * 4096  # a journal without entries: SQLite's pages for tables and indexes
ROW_BYTES = 60  # of an entry beside its body, more or less
PAGES = """SELECT page_count, freelist_count, page_size
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size"""
HEALTH_KEPT = timedelta(days=30)  # counts that are older lose their dates


@dataclass(frozen=True, slots=True)
class Limits:
    """What stays in the journal; none: all that the others allow."""

    since: datetime | None = None  # games that began earlier go
    games: int | None = None  # the last so many stay
    size: int | None = None  # bytes


@dataclass(frozen=True, slots=True)
class Kept:
    """What was done: so many games *moved*, health entries *added_up*, sizes in bytes."""

    moved: int
    added_up: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class _Game:
    """A game, which has the entries from *number* to *last* that bear its number."""

    number: int
    last: int
    name: str
    at: str
    size: int  # its share of the file, in bytes


def prune(folder: Path, limits: Limits, now: datetime) -> Kept:
    """Move what is beyond *limits* from the journal of *folder* to the archive beside it.

    The last game stays, and so does the last one of each kind, of which the table takes names and
    house rules.

    Raises:
        FolderInUse: a table is using the folder.
        JournalError: journal or archive cannot be read or written; what is not moved stays.
    """
    path = folder / JOURNAL
    if not _size(path):
        return Kept(0, 0, 0, 0)
    check_file(path)
    with closing(Journal(path)):
        pass  # brings an older file forward, and refuses one that no table could use
    before = _size(path)
    with closing(hold(path)):
        store = Store(path, SCHEMA, VERSION, WHAT, JournalError, STEPS)
        with closing(store):
            merged = _add_up(store, now - HEALTH_KEPT)
            going = _going(_games(store), limits)
            if going:
                _move(store, folder / ARCHIVE, going)
            if going or merged:
                store.rows("VACUUM")
                store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    return Kept(len(going), merged, before, _size(path))


def keep_within_limit(folder: Path, now: datetime, most: int = MOST_BYTES) -> None:
    """Make a journal that has outgrown *most* bytes smaller; whatever goes wrong, it stays whole.

    A table calls this before it opens its journal.
    """
    try:
        if _size(folder / JOURNAL) <= most:
            return
        kept = prune(folder, Limits(size=int(most * ROOMY)), now)
    except (StoreError, OSError) as error:
        if not isinstance(error, FolderInUse):
            log.warning("%s", _("The journal was not made smaller: {reason}").format(reason=error))
        return
    told = ngettext(
        "The journal had {before:,} bytes; {count} game went to {file}",
        "The journal had {before:,} bytes; {count} games went to {file}",
        kept.moved,
    )
    log.warning("%s", told.format(before=kept.before, count=kept.moved, file=ARCHIVE))


def _games(store: Store) -> list[_Game]:
    """Every game of the journal, the oldest first."""
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
    """The name of the game that the body *start* begins; empty when it cannot be read."""
    try:
        return str(json.loads(start or "")["game"])
    except (ValueError, TypeError, KeyError):
        return ""


def _going(known: Sequence[_Game], limits: Limits) -> list[_Game]:
    """Those of the games *known*, the oldest first, that are beyond *limits*."""
    stays = {game.name: game.number for game in known}.values()  # the last one of each kind
    free = [game for game in known if game.number not in stays]
    count = 0  # of the oldest
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
    # One by one: a Pi that was without the time of day has written wrong dates.
    since = "" if limits.since is None else limits.since.isoformat(timespec="milliseconds")
    return [game for place, game in enumerate(free) if place < count or game.at < since]


def _move(store: Store, archive: Path, going: Sequence[_Game]) -> None:
    """Move the games *going* to *archive*: they are on disk there before they leave the journal.

    Raises:
        JournalError: it cannot be done; the journal has them still.
    """
    with closing(open_archive(archive)):
        pass
    store.rows("ATTACH ? AS archive", str(archive))
    store.rows("PRAGMA archive.synchronous = FULL")
    ranges = [(game.number, game.last, game.number) for game in going]
    of_game = "seq BETWEEN ? AND ? AND game = ?"
    with store.change() as connection:
        copy = f"INSERT OR IGNORE INTO archive.entry SELECT * FROM main.entry WHERE {of_game}"
        connection.executemany(copy, ranges)
    same = "SELECT * FROM main.entry WHERE {0} EXCEPT SELECT * FROM archive.entry WHERE {0}"
    for one in ranges:
        if store.rows(same.format(of_game), *one, *one):
            found = _("has another game under number {number}").format(number=one[0])
            remedy = _("Move it away; the journal was left as it is.")
            raise JournalError(archive, "", found, remedy)
    with store.change() as connection:
        connection.executemany(f"DELETE FROM main.entry WHERE {of_game}", ranges)
    store.rows("PRAGMA archive.wal_checkpoint(TRUNCATE)")
    store.rows("DETACH archive")


def _add_up(store: Store, until: datetime) -> int:
    """Make one health entry a part of those written before *until*; return how many there were."""
    # From the last start on a journal has no gaps, by which it is known to be whole.
    query = """SELECT seq, body, at FROM entry WHERE game = 0 AND kind = ? AND at < ?
        AND seq < (SELECT max(seq) FROM entry WHERE kind = 'start') ORDER BY seq"""
    rows = store.rows(query, HEALTH, until.isoformat(timespec="milliseconds"))
    of_part: dict[str, list[tuple[int, str, dict[str, int]]]] = defaultdict(list)
    for seq, text, at in rows:
        try:
            body = json.loads(text)
            of_part[body["part"]].append((seq, at, dict(body["counts"])))
        except (ValueError, TypeError, KeyError):
            continue  # tapmat journal verify and the doctor tell of it
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
