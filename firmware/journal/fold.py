"""The meaning of a game's journal entries: the inputs that were made, and those that were undone.

To *fold* the entries is to apply them in order; the result is the present state of the game. The
journal, the archive and the export all read a game with ``walk``, which does not know the rules.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engines.common.contract import Input
from engines.common.pieces import Piece
from firmware.journal.codec import RowChange, UnreadableValue, decode, decode_left, decode_row
from firmware.journal.entry import Entry


class UnreadableEntry(UnreadableValue):
    """The entry *seq* cannot be read. The message says why."""

    def __init__(self, seq: int, why: object) -> None:
        super().__init__(str(why))
        self.seq = seq


@dataclass(frozen=True, slots=True)
class InputStep:
    """An input *given* by a player.

    *before* is the index of the last earlier input that had not been undone; None if there is none.
    Indexes count all inputs of the game from 0, including undone ones. *left* are the pieces that
    were put on the reader together with this one, and were not played yet.
    """

    given: Input
    left: tuple[Piece, ...]
    before: int | None


@dataclass(frozen=True, slots=True)
class UndoStep:
    """An undo of the input with the index *undone*. Indexes count all inputs from 0."""

    undone: int


@dataclass(frozen=True, slots=True)
class EndStep:
    """The end of a game. *how* is ``over`` or ``abandoned``."""

    how: str


GameStep = InputStep | UndoStep | EndStep | RowChange


def walk(entries: Iterable[Entry]) -> Iterator[tuple[Entry, GameStep]]:
    """Yield each of a game's *entries* with its meaning. *entries* begin after the start entry.

    Raises:
        UnreadableEntry: an entry cannot be read, or undoes an input when there is none.
    """
    standing: list[int] = []
    count = 0
    for entry in entries:
        try:
            match entry.kind:
                case "input":
                    before = standing[-1] if standing else None
                    yield entry, InputStep(decode(entry.body), decode_left(entry.body), before)
                    standing.append(count)
                    count += 1
                case "undo":
                    if not standing:
                        raise UnreadableValue("there is no input to undo")
                    yield entry, UndoStep(standing.pop())
                case "row":
                    yield entry, decode_row(entry.body)
                case "end":
                    yield entry, EndStep(str(entry.body.get("how")))
                case _:
                    raise UnreadableValue(f"{entry.kind!r} is not a kind of entry")
        except UnreadableValue as wrong:
            raise UnreadableEntry(entry.seq, wrong) from wrong
