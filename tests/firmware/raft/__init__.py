"""Raft: a game for tests alone, with a map, places to choose on it, and a tilt sensor.

The current player taps a plank or a barrel and chooses a free place beside another piece on the
raft. A barrel may go overboard instead. Then the raft is out on the waves: if it rocks, which the
tilt sensor notices, the piece is lost; if it holds, the piece scores a point for each neighbour.
Tapping the next piece also means that the raft held. Raft follows the engine contract like any
game; tests add it to the installed games with ``installed()``.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Final

from engines.common.contract import (
    Ask,
    Button,
    Game,
    Input,
    Message,
    Offer,
    Option,
    PlaceAsk,
    PlaceChoice,
    Press,
    PressAsk,
    Seat,
    Sensor,
    Setup,
    Step,
    Tap,
    TapAsk,
    View,
    message,
)
from engines.common.errors import AlreadyPlayed, NotExpectedNow, NotInThisGame
from engines.common.grid import SIDES, Cell, Grid, Place
from engines.common.pieces import Deck, Piece
from tests.firmware import installing

PIECES = 8  # number of pieces tapped in a game
MIDDLE = Place(0, 0)  # the place of the mast
ICONS: Mapping[str, tuple[str, ...]] = {
    "plank": (".....", "#####", ".....", "#####", "....."),
    "barrel": (".###.", "#...#", "#####", "#...#", ".###."),
}


@dataclass(frozen=True, slots=True)
class State:
    """A state of the game; *tapped* is the piece whose place or outcome is still open."""

    deck: Deck
    turn: Seat
    scores: tuple[int, ...]
    lying: tuple[tuple[Place, Piece], ...] = ()
    gone: tuple[Piece, ...] = ()
    tapped: Piece | None = None
    at: Place | None = None

    @property
    def is_last(self) -> bool:
        """True if the tapped piece is the last one of the game."""
        return len(self.lying) + len(self.gone) + 1 == PIECES

    @property
    def is_over(self) -> bool:
        """True once every piece was played."""
        return len(self.lying) + len(self.gone) == PIECES

    @property
    def next(self) -> Seat:
        """The seat of the next player."""
        return Seat((self.turn + 1) % len(self.scores))

    @property
    def offers(self) -> tuple[Offer, ...]:
        """The offered places: all free ones beside a piece or the mast, row by row."""
        taken = {MIDDLE, *(place for place, _ in self.lying)}
        free = {place.beside(side) for place in taken for side in SIDES} - taken
        ordered = sorted(free, key=lambda place: (place.row, place.column))
        return tuple(self._offer(place, taken) for place in ordered)

    def _offer(self, place: Place, taken: set[Place]) -> Offer:
        points = sum(place.beside(side) in taken for side in SIDES)
        return Offer(place, str(points), message("beside", n=points), message("worth", n=points))

    def points(self, place: Place) -> int:
        """Return the points for a piece at *place*, which must be on offer."""
        return next(int(str(o.headline)) for o in self.offers if o.place == place)

    def __hash__(self) -> int:
        return hash((self.turn, self.scores, self.lying, self.gone, self.tapped, self.at))


class Raft:
    """The game Raft."""

    name: Final = "raft"
    package: Final = __name__
    seats: Final = range(2, 5)
    options: Final[tuple[Option, ...]] = ()
    layout: Final = ""

    def start(self, setup: Setup) -> State:
        """Return the state of a new game, before the first piece."""
        if setup.seats not in self.seats or not 0 <= setup.dealer < setup.seats or setup.options:
            raise ValueError(f"Raft does not begin so: {setup}")
        return State(setup.deck, Seat((setup.dealer + 1) % setup.seats), (0,) * setup.seats)

    def opening(self, state: State) -> tuple[Message, ...]:
        """Return the messages that the table announces when the game begins."""
        return (message("turn", seat=state.turn),)

    def asks(self, state: State) -> tuple[Ask, ...]:
        """Return the inputs that the game accepts in *state*.

        A turn first asks for a piece, then for its place, and then whether the raft held.
        """
        if state.is_over:
            return ()
        kinds = frozenset(state.deck.by_name)
        if state.at is not None:
            rocked = PressAsk(Button.ACTION, "rocked", sensor=Sensor.TILT)
            presses = (PressAsk(Button.OK, "held"), rocked)
            return presses if state.is_last else (TapAsk(kinds, (state.next,)), *presses)
        if state.tapped is None:
            return (TapAsk(kinds, (state.turn,)),)
        places = PlaceAsk(state.offers, len(state.offers) // 2)
        barrel = state.tapped.kind == "barrel"
        return (places, PressAsk(Button.ACTION, "overboard")) if barrel else (places,)

    def step(self, state: State, given: Input) -> Step[State]:
        """Apply *given* to *state*; return the new state, and what the table announces.

        Raises:
            RulesError: the game does not accept *given* now.
        """
        match given:
            case Tap() if state.at is not None and not state.is_last:
                held = self._settled(state, held=True)
                then = self.step(held.state, given)
                return Step(then.state, (*held.events, *then.events))
            case Tap(piece, seat=seat) if not state.is_over and state.tapped is None:
                if not state.deck.holds(piece):
                    raise NotInThisGame
                if piece in (*state.gone, *(lying for _, lying in state.lying)):
                    raise AlreadyPlayed
                if seat in (None, state.turn):
                    return Step(replace(state, tapped=piece), (message("where.said"),))
            case PlaceChoice(place) if any(place == o.place for o in self._offers(state)):
                return Step(replace(state, at=place), (message("rides"),))
            case Press(button) if any(button is a.button for a in self._presses(state)):
                return self._settled(state, held=button is Button.OK)
        raise NotExpectedNow

    def _offers(self, state: State) -> tuple[Offer, ...]:
        return () if state.tapped is None or state.at is not None else state.offers

    def _presses(self, state: State) -> list[PressAsk]:
        return [ask for ask in self.asks(state) if isinstance(ask, PressAsk)]

    def _settled(self, state: State, *, held: bool) -> Step[State]:
        """End the turn: the tapped piece scores if the raft *held*, otherwise it is lost.

        Returns the new state, and what the table announces.
        """
        assert state.tapped is not None, "something was tapped before a button has a meaning"
        after = replace(state, turn=state.next, tapped=None, at=None)
        if not held or state.at is None:
            return Step(replace(after, gone=(*state.gone, state.tapped)), (message("lost"),))
        points = state.points(state.at)
        scores = tuple(s + points * (n == state.turn) for n, s in enumerate(state.scores))
        lying = (*state.lying, (state.at, state.tapped))
        return Step(replace(after, scores=scores, lying=lying), (message("worth", n=points),))

    def view(self, state: State) -> View:
        """Return the view: the map, with the best score as its headline."""
        best = max(state.scores)
        phase = "over" if state.is_over else "lay" if state.tapped is None else "where"
        phase = "rides" if state.at is not None else phase
        won = (Seat(n) for n, score in enumerate(state.scores) if score == best)
        return View(
            headline=str(best),
            caption=message("best"),
            phase=phase,
            hint=message(f"hint.{phase}"),
            scores=state.scores,
            turn=None if state.is_over else state.turn,
            winners=tuple(won) if state.is_over else (),
            counts={"lying": len(state.lying), "gone": len(state.gone)},
            grid=self._grid(state),
        )

    def _grid(self, state: State) -> Grid:
        focus = state.lying[-1][0] if state.lying else MIDDLE
        pieces = (Cell(at, ICONS[p.kind], piece=p, is_lit=at == focus) for at, p in state.lying)
        return Grid((Cell(MIDDLE, mark="M", paths="nesw"), *pieces), focus)

    def put_back(self, before: State, given: Input) -> tuple[Message, ...]:
        """Return the request to take a tapped piece back, after a tap was undone."""
        return (message("take-back", piece=given.piece),) if isinstance(given, Tap) else ()


GAME: Final[Game[State]] = Raft()


def installed() -> AbstractContextManager[None]:
    """Add Raft to the installed games for the block."""
    return installing.installed(GAME.name, __name__)
