"""Cramel: turn tiles over, stop in time, keep away from Mrs. Bloom.

Room: engines/cramel. GAME offers the rules as the engine contract asks for them.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from typing import Final

from engines.common.contract import Ask, Game, Input, Message, Option, Setup, Step, View
from engines.cramel import rules
from engines.cramel.house import OPTIONS
from engines.cramel.rules import State
from engines.cramel.view import view

__all__ = ["GAME", "Cramel"]


class Cramel:
    """The game Cramel."""

    name: Final = "cramel"
    package: Final = __name__
    seats: Final = rules.SEATS
    options: Final[tuple[Option, ...]] = OPTIONS

    def start(self, setup: Setup) -> State:
        """Return the state when all tiles are laid out."""
        return rules.start(setup)

    def opening(self, state: State) -> tuple[Message, ...]:
        """What to tell when the game begins."""
        return rules.opening(state)

    def asks(self, state: State) -> tuple[Ask, ...]:
        """What *state* accepts now."""
        return rules.asks(state)

    def step(self, state: State, given: Input) -> Step[State]:
        """Return the state after *given*, and what happened."""
        return rules.step(state, given)

    def view(self, state: State) -> View:
        """What to show of *state*."""
        return view(state)

    def put_back(self, before: State, given: Input) -> tuple[Message, ...]:
        """What people must move back by hand when *given* is undone."""
        return rules.put_back(before, given)


GAME: Final[Game[State]] = Cramel()
