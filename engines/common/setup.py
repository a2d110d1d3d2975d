"""The start of a game: checks of its Setup, and the facts that follow from it.

May import: the standard library and engines.common.
May be imported by: every game, tests.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

from engines.common.contract import Direction, Option, OptionValue, Seat, Setup
from engines.common.pieces import Deck

H = TypeVar("H")


@dataclass(frozen=True, slots=True)
class GameConfig:
    """The settings of a game, which stay the same until its end.

    Each game adds its house rules in a subclass. *seats* is the number of players. If *goal* is
    above 0, it is a score to beat, and the last seat is the goal's (``engines.common.solo``).
    """

    deck: Deck = field(hash=False, repr=False)
    seats: int
    goal: int = field(default=0, kw_only=True)

    @property
    def people(self) -> int:
        """The number of seats of people. They are the first seats."""
        return self.seats - 1 if self.goal else self.seats

    def best(self, scores: Sequence[int]) -> tuple[Seat, ...]:
        """Return the seats with the highest of *scores*. People who reach the goal beat it."""
        most = max(scores)
        best = tuple(Seat(n) for n, score in enumerate(scores) if score == most)
        return best[:-1] if self.goal and len(best) > 1 else best

    def seats_after(
        self, seat: Seat, direction: Direction = Direction.CLOCKWISE
    ) -> tuple[Seat, ...]:
        """Return all seats of people in turn order, *seat* itself last."""
        people = self.seats - 1 if self.goal else self.seats  # this method is called very often
        return _turn_order(people, seat, 1 if direction is Direction.CLOCKWISE else -1)


@cache
def _turn_order(seats: int, last: Seat, way: int) -> tuple[Seat, ...]:
    """Return all *seats*, *last* last. *way* is 1 clockwise and -1 counter-clockwise."""
    return tuple(Seat((last + way * n) % seats) for n in range(1, seats + 1))


def check_seats(setup: Setup, seats: range) -> None:
    """Check the number of players and the dealer's seat.

    Raises:
        ValueError: the number is not in *seats*, or the dealer is not one of the players.
    """
    name = setup.deck.game
    if setup.seats not in seats:
        raise ValueError(f"{name} is for {seats[0]} to {seats[-1]} players, not {setup.seats}")
    if setup.dealer not in range(setup.seats):
        raise ValueError(f"the dealer's seat must be 0 to {setup.seats - 1}, not {setup.dealer}")


def house_rules(
    kind: Callable[..., H], options: Sequence[Option], given: Mapping[str, OptionValue]
) -> H:
    """Return the chosen house rules as an object of class *kind*.

    Options missing in *given* have their default. *kind* is the game's own class, with a field for
    each of *options*: the option's name with underscores.

    Raises:
        ValueError: *given* has an unknown option, or a value that its option does not allow.
    """
    known = {option.name: option for option in options}
    values: dict[str, Any] = {option.name: option.default for option in options}
    for name, value in given.items():
        if name not in known:
            raise ValueError(f'there is no option "{name}". The options are: {", ".join(known)}')
        if not known[name].accepts(value):
            raise ValueError(f'option "{name}" cannot be {value!r}')
        values[name] = value
    return kind(**{name.replace("-", "_"): value for name, value in values.items()})
