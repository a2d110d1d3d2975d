"""Slap: a game for tests alone, in which whoever is first counts.

A word is on the display ("newt"); everybody has some of the cards and lays a newt on the own spot.
The first one scores, and whoever scores three times wins. It follows the engine contract like any
game, and ``installed()`` is how a test puts it beside the real ones.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Final

from engines.common.contract import (
    SEAT_SPOTS,
    Ask,
    Button,
    Game,
    Input,
    Message,
    Option,
    Press,
    PressAsk,
    Seat,
    Setup,
    Step,
    Tap,
    TapAsk,
    View,
    seat_of_spot,
)
from engines.common.errors import NotExpectedNow, NotInThisGame
from engines.common.pieces import Deck
from tests.firmware import installing

KINDS = ("newt", "toad", "eft")
TO_WIN = 3


class WrongCard(NotExpectedNow):
    """Another *wanted* card counts now."""

    code, rule = "wrong-card", "RULES 1.3"


@dataclass(frozen=True, slots=True)
class State:
    """Who scored how often; *was_won* until the next word is wanted."""

    deck: Deck
    scores: tuple[int, ...]
    was_won: bool = False

    @property
    def wanted(self) -> str:
        """The kind that counts now."""
        return KINDS[sum(self.scores) % len(KINDS)]

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Everybody."""
        return tuple(Seat(n) for n in range(len(self.scores)))

    @property
    def winners(self) -> tuple[Seat, ...]:
        """Who has won."""
        return tuple(seat for seat in self.seats if self.scores[seat] == TO_WIN)

    def __hash__(self) -> int:
        return hash((self.scores, self.was_won))


class Slap:
    """The game Slap."""

    name: Final = "slap"
    package: Final = __name__
    seats: Final = range(2, 7)
    options: Final[tuple[Option, ...]] = ()

    def start(self, setup: Setup) -> State:
        """Return the state before the first word."""
        if setup.seats not in self.seats or not 0 <= setup.dealer < setup.seats or setup.options:
            raise ValueError(f"Slap does not begin so: {setup}")
        return State(setup.deck, (0,) * setup.seats)

    def opening(self, state: State) -> tuple[Message, ...]:
        """What to tell when the game begins."""
        return (Message("wanted", {"wanted": state.wanted}),)

    def asks(self, state: State) -> tuple[Ask, ...]:
        """The wanted card from anybody, in a race; between two words, that somebody goes on."""
        if state.winners:
            return ()
        if state.was_won:
            return (PressAsk(Button.ACTION, "next"),)
        spots = SEAT_SPOTS[: len(state.seats)]
        return (TapAsk(frozenset((state.wanted,)), state.seats, spots, is_race=True),)

    def step(self, state: State, given: Input) -> Step[State]:
        """Return the state after *given*."""
        if given == Press(Button.ACTION) and state.was_won and not state.winners:
            after = replace(state, was_won=False)
            return Step(after, self.opening(after))
        if not isinstance(given, Tap):
            raise NotExpectedNow
        if not state.deck.holds(given.piece):
            raise NotInThisGame
        (ask,) = self.asks(state) or (None,)
        seat = seat_of_spot(given.spot) if given.seat is None else given.seat
        if not isinstance(ask, TapAsk) or given.spot not in ask.spots or seat not in ask.seats:
            raise NotExpectedNow
        if given.piece.kind != state.wanted:
            raise WrongCard(wanted=state.wanted)
        scores = tuple(score + (n == seat) for n, score in enumerate(state.scores))
        return Step(State(state.deck, scores, was_won=True), (Message("scored", {"seat": seat}),))

    def view(self, state: State) -> View:
        """The wanted word."""
        hint = "over" if state.winners else "next" if state.was_won else "slap"
        return View(
            headline=state.wanted,
            caption=Message("wanted-now"),
            phase=hint,
            hint=Message(f"hint.{hint}"),
            scores=state.scores,
            winners=state.winners,
        )

    def put_back(self, before: State, given: Input) -> tuple[Message, ...]:
        """Cards stay where they are."""
        return ()


GAME: Final[Game[State]] = Slap()


def installed() -> AbstractContextManager[None]:
    """Have Slap among the installed games."""
    return installing.installed(GAME.name, __name__)
