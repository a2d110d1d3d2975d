"""Slap: a game for tests alone: a series of races, in each of which the fastest player scores.

The display shows a word such as "newt". Every player who has such a card lays it on the spot of
their own seat. The first player to do so wins this race and scores a point, and the first player
with three points wins the game. Slap follows the engine contract like any game; tests add it to the
installed games with ``installed()``.
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
    """The error for a card whose kind is not the *wanted* one."""

    code, rule = "wrong-card", "RULES 1.3"


@dataclass(frozen=True, slots=True)
class State:
    """The scores by seat; *was_won* is True between a won race and the next word."""

    deck: Deck
    scores: tuple[int, ...]
    was_won: bool = False

    @property
    def wanted(self) -> str:
        """The kind of card that scores now."""
        return KINDS[sum(self.scores) % len(KINDS)]

    @property
    def seats(self) -> tuple[Seat, ...]:
        """All seats."""
        return tuple(Seat(n) for n in range(len(self.scores)))

    @property
    def winners(self) -> tuple[Seat, ...]:
        """The seats that have the points to win."""
        return tuple(seat for seat in self.seats if self.scores[seat] == TO_WIN)

    def __hash__(self) -> int:
        return hash((self.scores, self.was_won))


class Slap:
    """The game Slap."""

    name: Final = "slap"
    package: Final = __name__
    seats: Final = range(2, 7)
    options: Final[tuple[Option, ...]] = ()
    layout: Final = ""

    def start(self, setup: Setup) -> State:
        """Return the state of a new game, before the first word."""
        if setup.seats not in self.seats or not 0 <= setup.dealer < setup.seats or setup.options:
            raise ValueError(f"Slap does not begin so: {setup}")
        return State(setup.deck, (0,) * setup.seats)

    def opening(self, state: State) -> tuple[Message, ...]:
        """Return the messages that the table announces when the game begins."""
        return (Message("wanted", {"wanted": state.wanted}),)

    def asks(self, state: State) -> tuple[Ask, ...]:
        """Return the inputs accepted now: a wanted card from any seat; between races, a press."""
        if state.winners:
            return ()
        if state.was_won:
            return (PressAsk(Button.ACTION, "next"),)
        spots = SEAT_SPOTS[: len(state.seats)]
        return (TapAsk(frozenset((state.wanted,)), state.seats, spots, is_race=True),)

    def step(self, state: State, given: Input) -> Step[State]:
        """Apply *given* to *state*; return the new state, and what the table announces.

        Raises:
            RulesError: the game does not accept *given* now.
        """
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
        """Return the view: the wanted word as its headline."""
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
        """Return no request: no card has to be taken back when a tap is undone."""
        return ()


GAME: Final[Game[State]] = Slap()


def installed() -> AbstractContextManager[None]:
    """Add Slap to the installed games for the block."""
    return installing.installed(GAME.name, __name__)
