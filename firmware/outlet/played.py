"""The inputs of the game in progress, with what the table announced about each of them."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from engines.common.contract import Seat, Topic
from engines.common.pieces import Piece
from firmware.voice.announcer import Utterance

MOST_INPUTS = 100  # older ones are forgotten
NEWS = (Topic.NEWS, Topic.RESULT, Topic.DIRECTION)  # what these say stays true


class PlayedInput(NamedTuple):
    """An input in the journal entry number *entry*.

    *seat* made it; None if that is not known. *piece* was laid, unless it is None. *is_counted* is
    True while hands are counted. If the input *is_owner*, it says who has laid the piece before it.
    If it *is_foul*, its player takes the piece back. *news* are the sentences that the table
    announced about it.
    """

    entry: int
    seat: Seat | None
    piece: Piece | None
    is_counted: bool = False
    is_owner: bool = False
    is_foul: bool = False
    news: tuple[str, ...] = ()

    @property
    def ended(self) -> "PlayedInput":
        """This input in an earlier round, about which nothing is shown any more."""
        return PlayedInput(self.entry, None, None)


def with_owners(inputs: Sequence[PlayedInput]) -> list[PlayedInput]:
    """Return *inputs* with the seats of those who laid the pieces, as answers have named them."""
    return [
        given._replace(seat=then.seat) if then is not None and then.is_owner else given
        for given, then in zip_longest(inputs, inputs[1:])
    ]


def without_fouls(inputs: Iterable[PlayedInput]) -> list[PlayedInput]:
    """Return *inputs* without fouls, and without the piece that a foul was an answer about."""
    left: list[PlayedInput] = []
    for given in inputs:
        if not given.is_foul:
            left.append(given)
        elif given.piece is None:
            at = max((n for n, each in enumerate(left) if each.piece is not None), default=None)
            del left[len(left) if at is None else at :]
    return left


def news_in(
    lines: Iterable[Utterance], names: Sequence[str], *, is_foul: bool
) -> Iterator[Utterance]:
    """Yield the news among *lines*: also a number with a name, and why a play was wrong."""
    for line in lines:
        is_named = line.topic is Topic.TOTAL and any(name in line.text for name in names)
        if line.topic in NEWS or is_named or (is_foul and line.topic is Topic.REFUSAL):
            yield line
