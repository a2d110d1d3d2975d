"""The highlights of a finished game: how it was won, by the numbers.

A game may have ``highlights``. Each compares the players by the messages about them; if two players
are equal, it is left out. The highlight about the margin is the same in every game.

May import: the standard library and engines.common.
May be imported by: every game, firmware, tests.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engines.common.contract import Game, Input, Message, Seat, View
from engines.common.errors import Fact

Amount = Callable[[Mapping[str, Fact]], int]


def once(facts: Mapping[str, Fact]) -> int:
    """Return 1: each message counts once."""
    return 1


def number(name: str) -> Amount:
    """Return the fact *name* as an amount: a number, or the number of pieces."""

    def amount(facts: Mapping[str, Fact]) -> int:
        fact = facts[name]
        return fact if isinstance(fact, int) else len(fact) if isinstance(fact, tuple) else 0

    return amount


@dataclass(frozen=True, slots=True)
class Highlight:
    """The text *code* about the player for whom *amount* is the greatest, in messages of *events*.

    The amounts of a player are added up (*adds_up*), or the largest one counts. The player is the
    message's fact ``seat`` or, without one, whose turn it was. The text gets ``seat`` and ``n``.
    """

    code: str
    events: tuple[str, ...]
    amount: Amount = once
    adds_up: bool = True


def highlights_of(game: object) -> tuple[Highlight, ...]:
    """Return the highlights of *game*. A game need not have any."""
    highlights = getattr(game, "highlights", ())
    return highlights if isinstance(highlights, tuple) else ()


def on(game: Game[Any], states: Sequence[Any], inputs: Sequence[Input]) -> tuple[Message, ...]:
    """Return the highlights of a finished game.

    *inputs* are all its inputs, and *states* the states before each of them and after the last one.
    """
    if not inputs:
        return ()
    *before, last = states
    told = [
        (game.view(state).turn, event)
        for state, given in zip(before, inputs, strict=True)
        for event in game.step(state, given).events
    ]
    found = (_greatest(highlight, told) for highlight in highlights_of(game))
    return (*(highlight for highlight in found if highlight is not None), *_margin(game.view(last)))


def _greatest(highlight: Highlight, told: Sequence[tuple[Seat | None, Message]]) -> Message | None:
    """Return *highlight* about the player with the greatest amount, or None if it is not one."""
    amounts: dict[int, list[int]] = defaultdict(list)
    for turn, event in told:
        seat = event.facts.get("seat", turn)
        if event.code in highlight.events and isinstance(seat, int):
            amounts[seat].append(highlight.amount(event.facts))
    join = sum if highlight.adds_up else max
    totals = {seat: join(each) for seat, each in amounts.items()}
    most = max(totals.values(), default=0)
    seats = [seat for seat, total in totals.items() if total == most]
    if len(seats) != 1 or most <= 0:
        return None
    return Message(highlight.code, {"seat": seats[0], "n": most})


def _margin(last: View) -> Iterator[Message]:
    """Yield the highlight about how far the winner is ahead of the next player."""
    sign = -1 if last.lowest_wins else 1
    order = sorted(range(len(last.scores)), key=lambda seat: sign * last.scores[seat], reverse=True)
    if len(last.winners) != 1 or len(order) < 2 or order[0] != last.winners[0]:
        return
    first, second, *others = (last.scores[seat] for seat in order)
    if first == second or second in others:
        return
    facts = {"seat": order[0], "other_seat": order[1], "n": abs(first - second)}
    yield Message("highlight.margin", facts)
