"""Beginning a game: what of a Setup is checked alike in every game.

Room: engines/common.
May import: the standard library and engines.common.
May be imported by: every game, tests.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from engines.common.contract import Option, OptionValue, Setup

H = TypeVar("H")


def check_seats(setup: Setup, seats: range) -> None:
    """Refuse a setup for too few or too many people, or with a dealer who does not sit there.

    Raises:
        ValueError: says what it must be.
    """
    name = setup.deck.game
    if setup.seats not in seats:
        raise ValueError(f"{name} is for {seats[0]} to {seats[-1]} players, not {setup.seats}")
    if setup.dealer not in range(setup.seats):
        raise ValueError(f"the dealer must sit at 0 to {setup.seats - 1}, not {setup.dealer}")


def house_rules(
    kind: Callable[..., H], options: Sequence[Option], given: Mapping[str, OptionValue]
) -> H:
    """Return the house rules of *options* with *given* over the defaults.

    *kind* is the game's own class for them: one value for each option, under its name with
    underscores.

    Raises:
        ValueError: a name is not one of *options*, or a value is not one it can have.
    """
    known = {option.name: option for option in options}
    values: dict[str, Any] = {option.name: option.default for option in options}
    for name, value in given.items():
        if name not in known:
            raise ValueError(f'there is no option "{name}"')
        if not known[name].accepts(value):
            raise ValueError(f'option "{name}" cannot be {value!r}')
        values[name] = value
    return kind(**{name.replace("-", "_"): value for name, value in values.items()})
