"""The messages between tables and the hall, and their topics.

A table publishes batches of journal entries on ``tapmat/<table>/journal``. The hall answers on
``tapmat/<table>/stored``. All messages are JSON. Later versions may add fields, so unknown fields
are ignored; anything else that does not fit is refused as a whole.

A *branch* is a number that a table adds to its journal's name. It grows when the journal was taken
back to an older state, for example by a restored backup: then the same entry numbers mean other
entries.
"""

import json
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from firmware.journal.store import crc32
from firmware.outlet.stream import is_message

PREFIX = "tapmat"
TABLE = re.compile(r"[a-z0-9_-]{1,32}")
JOURNAL_ID = re.compile(r"[0-9a-f]{16}")
KINDS = re.compile(r"[a-z-]{1,20}")
LONGEST_MESSAGE = 256 * 1024  # bytes; the broker's files have the same limit
LONGEST_BODY = 64 * 1024  # characters of one entry's JSON text
LONGEST_TIME = 40  # characters
MOST_ENTRIES = 200  # of one batch
MOST = 1 << 53  # the largest number that JSON passes on exactly in every program

JOURNAL, STORED, STATUS, MESSAGE = "journal", "stored", "status", "message"
FROM_TABLES, TO_TABLES = (JOURNAL, STATUS), (STORED, MESSAGE)


class BadHallMessage(ValueError):
    """A message that is not one of ours. The text says what is wrong."""


@dataclass(frozen=True, slots=True)
class SentEntry:
    """One journal entry of a game, as it travels. *body* is its JSON text."""

    seq: int
    game: int
    kind: str
    body: str
    at: str

    @property
    def seal(self) -> int:
        """The checksum, the same as in the journal."""
        return crc32(self.seq, self.game, self.kind, self.body, self.at)


@dataclass(frozen=True, slots=True)
class OutboxName:
    """The name of one sequence of entries: the *table*, its *journal*, and the *branch*."""

    table: str
    journal: str
    branch: int = 0


@dataclass(frozen=True, slots=True)
class EntryBatch:
    """Entries in order. *after* is the number of the entry before the first one; 0 if none.

    A batch without entries asks how far the hall has stored the journal's newest branch.
    """

    outbox: OutboxName
    after: int
    entries: tuple[SentEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredMark:
    """The end of what the hall has stored of an outbox: number and seal of the last entry, or 0."""

    outbox: OutboxName
    seq: int = 0
    seal: int = 0


def topic_of(table: str, part: str) -> str:
    """Return the topic of *part*, such as ``journal``, of *table* ("+" means every table)."""
    return f"{PREFIX}/{table}/{part}"


def table_in(topic: str) -> str:
    """Return the table's name in *topic*.

    Raises:
        BadHallMessage: it is not a topic of a table.
    """
    match topic.split("/"):
        case [first, table, _part] if first == PREFIX and TABLE.fullmatch(table):
            return table
    raise BadHallMessage("the topic is not a table's")


def batch_text(batch: EntryBatch) -> str:
    """Return *batch* as JSON."""
    rows = [[e.seq, e.game, e.kind, e.body, e.at] for e in batch.entries]
    name = batch.outbox
    shape = {"v": 1, "journal": name.journal, "branch": name.branch, "after": batch.after}
    return _text({**shape, "entries": rows})


def batch_of(table: str, payload: bytes) -> EntryBatch:
    """Return the batch of *table* in *payload*.

    Raises:
        BadHallMessage: it is not a batch.
    """
    shape = object_in(payload)
    entries = shape.get("entries")
    if not isinstance(entries, list) or len(entries) > MOST_ENTRIES:
        raise BadHallMessage(f"entries is not a list of at most {MOST_ENTRIES}")
    after = _number(shape, "after")
    found = tuple(map(_entry, entries))
    numbers = [after, *(entry.seq for entry in found)]
    if any(b <= a for a, b in pairwise(numbers)):
        raise BadHallMessage("the numbers of the entries do not grow")
    return EntryBatch(_outbox(table, shape), after, found)


def mark_text(mark: StoredMark) -> str:
    """Return *mark* as JSON."""
    name = mark.outbox
    shape = {"v": 1, "journal": name.journal, "branch": name.branch}
    return _text({**shape, "stored": mark.seq, "seal": mark.seal})


def mark_of(table: str, payload: bytes) -> StoredMark:
    """Return the hall's answer to *table* in *payload*.

    Raises:
        BadHallMessage: it is not an answer.
    """
    shape = object_in(payload)
    return StoredMark(_outbox(table, shape), _number(shape, "stored"), _number(shape, "seal"))


def _text(shape: dict[str, Any]) -> str:
    return json.dumps(shape, ensure_ascii=False, separators=(",", ":"))


def object_in(payload: bytes) -> dict[str, Any]:
    """Return the JSON object in *payload*.

    Raises:
        BadHallMessage: it is not one of version 1.
    """
    if len(payload) > LONGEST_MESSAGE:
        raise BadHallMessage("the message is too long")
    try:
        shape = json.loads(payload)
    except (ValueError, RecursionError) as wrong:
        raise BadHallMessage("the message is not JSON") from wrong
    if not isinstance(shape, dict) or shape.get("v") != 1:
        raise BadHallMessage("the message is not of version 1")
    return shape


def _outbox(table: str, shape: dict[str, Any]) -> OutboxName:
    journal = shape.get("journal")
    if not isinstance(journal, str) or not JOURNAL_ID.fullmatch(journal):
        raise BadHallMessage("journal is not a name of 16 hexadecimal digits")
    return OutboxName(table, journal, _number(shape, "branch"))


def _number(shape: dict[str, Any], key: str) -> int:
    return _natural(shape.get(key), key)


def _natural(value: object, key: str) -> int:
    if type(value) is not int or not 0 <= value < MOST:
        raise BadHallMessage(f"{key} is not a whole number")
    return value


def _entry(row: object) -> SentEntry:
    match row:
        case [seq, game, str(kind), str(body), str(at), *_others] if (
            KINDS.fullmatch(kind)
            and len(body) <= LONGEST_BODY
            and len(at) <= LONGEST_TIME
            and _is_clean(body)
            and _is_clean(at)
        ):
            return SentEntry(_natural(seq, "seq"), _natural(game, "game"), kind, body, at)
    raise BadHallMessage("an entry has another form")


def _is_clean(text: str) -> bool:
    """Return True if every store can hold *text*: PostgreSQL takes no NUL and no half of a pair."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def seat_message_text(text: str) -> str:
    """Return the JSON of the message that shows *text* on a table's display."""
    return _text({"v": 1, "text": text})


def seat_message_of(payload: bytes) -> str:
    """Return the text in *payload*; an empty payload takes the text from the display.

    Raises:
        BadHallMessage: it is no such message.
    """
    if not payload:
        return ""
    match object_in(payload):
        case {"text": str(text)} if is_message(text):
            return text
    raise BadHallMessage("the message is no text")
