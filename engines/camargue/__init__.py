"""Camargue: lay tile to tile, let areas grow, and lend a helper in time.

Room: engines/camargue. GAME offers the rules as the engine contract asks for them.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from typing import Final

from engines.camargue import rules
from engines.camargue.house import OPTIONS
from engines.camargue.state import State
from engines.camargue.view import view
from engines.common.contract import Ask, Game, Input, Message, Option, Setup, Step, View

__all__ = ["GAME", "Camargue"]


class Camargue:
    """The game Camargue."""

    name: Final = "camargue"
    package: Final = __name__
    seats: Final = rules.SEATS
    options: Final[tuple[Option, ...]] = OPTIONS

    def start(self, setup: Setup) -> State:
        """Return the state after the start tile is laid and hands are drawn."""
        return rules.start(setup)

    def opening(self, state: State) -> tuple[Message, ...]:
        """What to tell when the game begins."""
        return rules.opening(state)

    def asks(self, state: State) -> tuple[Ask, ...]:
        """What *state* accepts now."""
        return rules.ASKS[state.phase](state)

    def step(self, state: State, given: Input) -> Step[State]:
        """Return the state after *given*, and what happened."""
        return rules.STEPS[state.phase](state, given)

    def view(self, state: State) -> View:
        """What to show of *state*."""
        return view(state)

    def put_back(self, before: State, given: Input) -> tuple[Message, ...]:
        """What people must move back by hand when *given* is undone."""
        return rules.put_back(before, given)


GAME: Final[Game[State]] = Camargue()
