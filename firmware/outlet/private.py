"""The private states: what one phone may know besides the public state.

A player's state has the fields that are named here, and no others. It depends only on what that
player may know: tests/sim/web/test_secrecy.py compares two games that differ only in other hands.
The table sends it only to a client that has asked for this player (``firmware.outlet.stream``).
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from engines.common.contract import PlaceChoice, Seat
from engines.common.grid import Cell
from firmware.journal.codec import encode
from firmware.table.answers import Answer, HostAsked, PlayerAsked
from firmware.table.private_ear import PrivateLine


@dataclass(frozen=True, slots=True)
class MapCell:
    """A cell of a map: its place, as column and row, and the piece there as in ``Cell``.

    *text* is the short text of the answer that chooses the place; empty if none does.
    """

    place: tuple[int, int]
    icon: tuple[str, ...] = ()
    mark: str = ""
    paths: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class PlayerState:
    """The private state of the *player* at *seat*, in the table's language.

    *answers* are inputs in the journal's JSON form, each with its text. *sure* has for each of
    them the question that the phone asks before it, or an empty text, and *claims* is True for
    those that are claims. *map* has the cells around the places in *answers*, if there are any. The
    other fields are as in ``PlayerAsked``.
    """

    player: str
    seat: Seat
    moment: int
    is_turn: bool
    answers: tuple[tuple[dict[str, Any], str], ...]
    can_take_back: bool
    hand: tuple[str, ...] | None
    is_listening: bool
    line: PrivateLine | None
    question: str
    map: tuple[MapCell, ...]
    sure: tuple[str, ...]
    kinds: tuple[str, ...] | None = None
    claims: tuple[bool, ...] = ()
    marks: tuple[str, ...] | None = None
    fresh: tuple[bool, ...] = ()
    has_drawn: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, as a dict of plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class HostState:
    """The host's private state, which is *asked*, field by field."""

    asked: HostAsked

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, as a dict of plain values."""
        return asdict(self.asked)


def player_state_of(player: str, asked: PlayerAsked) -> PlayerState:
    """Return the private state of *player*. *asked* is what the table asks of the player."""
    return PlayerState(
        player=player,
        seat=asked.seat,
        moment=asked.moment,
        is_turn=asked.is_turn,
        answers=tuple((encode(answer.given), answer.text) for answer in asked.answers),
        can_take_back=asked.can_take_back,
        hand=asked.hand,
        is_listening=asked.is_listening,
        line=asked.line,
        question=asked.question,
        sure=tuple(answer.sure for answer in asked.answers),
        kinds=asked.kinds,
        claims=tuple(answer.is_claim for answer in asked.answers),
        marks=asked.marks,
        fresh=asked.fresh,
        has_drawn=asked.has_drawn,
        map=(*map(_tile, asked.cells), *_offered_cells(asked.answers)),
    )


def _tile(cell: Cell) -> MapCell:
    return MapCell((cell.place.column, cell.place.row), cell.icon, cell.mark, cell.paths)


def _offered_cells(answers: Sequence[Answer]) -> Iterator[MapCell]:
    for answer in answers:
        if isinstance(answer.given, PlaceChoice):
            place = answer.given.place
            yield MapCell((place.column, place.row), text=answer.short)
