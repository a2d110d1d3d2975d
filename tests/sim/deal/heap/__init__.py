"""Heap: a game for tests in an existing layout; ``sim`` does not know the game.

Each player holds three cards. The current player plays any card that was not played yet, scores its
value and draws a card. The game is over when nobody holds a card.
"""

from dataclasses import dataclass, field, replace
from typing import Final

from engines.common import layouts
from engines.common.contract import (
    PLAY_SPOT,
    Ask,
    Game,
    Input,
    Message,
    Option,
    Seat,
    Setup,
    Step,
    Tap,
    TapAsk,
    View,
    message,
)
from engines.common.errors import AlreadyPlayed
from engines.common.pieces import Deck, Piece
from engines.common.turns import tap_of

HAND = 3


@dataclass(frozen=True, slots=True)
class State:
    """The cards played so far, the scores, and the number of cards in each hand."""

    deck: Deck = field(hash=False)
    turn: Seat
    scores: tuple[int, ...]
    hands: tuple[int, ...]
    laid: tuple[Piece, ...] = ()

    @property
    def pile(self) -> int:
        """The number of cards left to draw."""
        return self.deck.total - len(self.laid) - sum(self.hands)

    @property
    def winners(self) -> tuple[Seat, ...]:
        """The players with the best score once all hands are empty; before that, none."""
        best = max(self.scores)
        return tuple(
            Seat(n) for n, s in enumerate(self.scores) if s == best and not any(self.hands)
        )


@dataclass(frozen=True)
class Heap:
    """A game for tests, with the given name, package and layout."""

    name: str
    package: str
    layout: str
    seats: range = range(2, 4)
    options: tuple[Option, ...] = ()

    def start(self, setup: Setup) -> State:
        """Return the state after the deal."""
        first = Seat((setup.dealer + 1) % setup.seats)
        return State(setup.deck, first, (0,) * setup.seats, (HAND,) * setup.seats)

    def opening(self, state: State) -> tuple[Message, ...]:
        """Return the announcements at the start of the game."""
        return (message("turn", seat=state.turn),)

    def asks(self, state: State) -> tuple[Ask, ...]:
        """Ask for any card that was not played yet, or for nothing when the game is over."""
        free = frozenset(piece.kind for piece in state.deck.pieces() if piece not in state.laid)
        return () if state.winners else (TapAsk(free, (state.turn,)),)

    def step(self, state: State, given: Input) -> Step[State]:
        """Let the current player play the card in *given*; return the new state and messages."""
        tap = tap_of(given, state.turn, (PLAY_SPOT,), state.deck, waits="card")
        if tap.piece in state.laid:
            raise AlreadyPlayed(piece=tap.piece)
        seat = state.turn
        value = state.deck.by_name[tap.piece.kind].value
        hands = tuple(held - (n == seat and not state.pile) for n, held in enumerate(state.hands))
        scores = tuple(score + value * (n == seat) for n, score in enumerate(state.scores))
        after = replace(
            state,
            turn=Seat((seat + 1) % len(hands)),
            scores=scores,
            hands=hands,
            laid=(*state.laid, tap.piece),
        )
        return Step(after, (message("worth", n=value),))

    def view(self, state: State) -> View:
        """Return a view with the best score and the counts that the layout ``hands`` needs."""
        phase = "over" if state.winners else "play"
        hands = {layouts.hand(seat): held for seat, held in enumerate(state.hands)}
        return View(
            headline=str(max(state.scores)),
            caption=message("best"),
            phase=phase,
            hint=message(f"hint.{phase}"),
            scores=state.scores,
            turn=None if state.winners else state.turn,
            winners=state.winners,
            counts={**hands, layouts.DRAW_PILE: state.pile, "laid": len(state.laid)},
        )

    def put_back(self, before: State, given: Input) -> tuple[Message, ...]:
        """Return the instruction to take back the card in *given*."""
        return (message("take-back", piece=given.piece),) if isinstance(given, Tap) else ()


GAME: Final[Game[State]] = Heap("heap", __name__, layouts.HANDS)
