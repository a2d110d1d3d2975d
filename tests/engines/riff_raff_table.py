"""A table of Riff Raff for tests: play in words, look at what the referee keeps."""

from dataclasses import replace

from engines.common.contract import (
    Button,
    Choice,
    Input,
    Message,
    Number,
    OptionValue,
    Press,
    PressAsk,
    Seat,
    SeatAsk,
    SeatChoice,
    Sensor,
    Setup,
    Tap,
    TapAsk,
    View,
)
from engines.common.errors import RulesError
from engines.common.pieces import Deck, Kind, Piece
from engines.riff_raff import GAME
from engines.riff_raff.box import COLOURS
from engines.riff_raff.ship import Cargo, Ship
from engines.riff_raff.state import State, changed
from tests.engines.contract import Case, check_refusal

CASE = Case(GAME)
DECK = CASE.deck
OK, ACTION = Press(Button.OK), Press(Button.ACTION)
TAGGED: dict[str, OptionValue] = {"tagged-cargo": True}


def deck_without(*kinds: str) -> Deck:
    """A box that lacks pieces."""
    left = (replace(kind, count=0) if kind.name in kinds else kind for kind in DECK.kinds)
    return Deck("riff-raff", tuple(left), is_verified=False)


def deck_with(*kinds: Kind) -> Deck:
    """A box with more kinds of piece."""
    return Deck("riff-raff", (*DECK.kinds, *kinds), is_verified=False)


class RiffRaffTable:
    """Plays Riff Raff through the contract; the last seat is the captain in office.

    Seat 0 plays red, and so on in the order of COLOURS. Whatever is told or refused on the way must
    have its words.
    """

    def __init__(
        self,
        seats: int = 3,
        *,
        captain: int | None = None,
        deck: Deck = DECK,
        options: dict[str, OptionValue] | None = None,
        with_colours: bool = True,
    ) -> None:
        office = Seat(seats - 1 if captain is None else captain)
        self.state: State = GAME.start(Setup(seats, office, deck, options or {}))
        self.events: tuple[Message, ...] = ()
        if with_colours:
            for colour in COLOURS[: min(seats, 3)]:  # the fourth is clear
                self.tap(f"{colour}-1")

    # --- what it shows ---

    @property
    def view(self) -> View:
        """What the table shows."""
        return GAME.view(self.state)

    @property
    def phase(self) -> str:
        """The phase's code."""
        return self.state.phase.value

    @property
    def headline(self) -> str:
        """The headline with its caption: ``7 area to load``."""
        view = self.view
        headline = view.headline
        word = headline if isinstance(headline, str) else CASE.words.say(headline)
        return f"{word} {CASE.words.say(view.caption)}"

    @property
    def counts(self) -> dict[str, int]:
        """The numbers the referee keeps."""
        return dict(self.view.counts)

    @property
    def hint(self) -> str:
        """The hint in words."""
        return CASE.words.say(self.view.hint)

    @property
    def told(self) -> list[str]:
        """The codes of what the last step told."""
        return [event.code for event in self.events]

    @property
    def said(self) -> str:
        """The words of what the last step told."""
        return " ".join(CASE.words.say(event) for event in self.events)

    @property
    def asks(self) -> tuple[object, ...]:
        """What the state accepts."""
        return GAME.asks(self.state)

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of piece asked for."""
        return frozenset().union(*(a.kinds for a in self.asks if isinstance(a, TapAsk)))

    @property
    def asked(self) -> tuple[Seat, ...]:
        """The seats of which one is asked for."""
        return next((ask.seats for ask in self.asks if isinstance(ask, SeatAsk)), ())

    @property
    def can_tilt(self) -> bool:
        """Whether a tilt input would say that cargo fell."""
        return PressAsk(Button.ACTION, "fell", sensor=Sensor.TILT) in self.asks

    def area(self, area: int) -> tuple[int, int]:
        """How many pieces lie in *area* at least and at most."""
        return self.counts[f"area-{area}"], self.counts[f"most-{area}"]

    def tallies(self) -> dict[str, str]:
        """What the picture of the ship says, by area."""
        grid = self.view.grid
        assert grid is not None
        return {cell.mark: cell.tally for cell in grid.cells}

    def all_pieces(self) -> int:
        """Every piece the referee counts."""
        return sum(self.view.scores) + self.counts["ship"] + self.counts["removed"]

    # --- what people do ---

    def give(self, given: Input) -> None:
        """Take one input."""
        step = GAME.step(self.state, given)
        self.state, self.events = step.state, step.events
        assert all(CASE.words.say(event) for event in self.events)
        assert CASE.words.say(self.view.hint)

    def tap(self, *pieces: str, spot: str = "play") -> None:
        """Tap *pieces* one after the other."""
        for piece in pieces:
            self.give(Tap(Piece.parse(piece), spot))

    def reveal(self, *numbers: int) -> None:
        """Everybody reveals a card, from the first seat on; 0 for who did before."""
        for seat, number in enumerate(numbers):
            if number:
                self.tap(f"{self.state.colours[seat]}-{number}")

    def choose(self, *what: str | int) -> None:
        """Choose a name, or a seat by its number."""
        for name in what:
            self.give(SeatChoice(Seat(name)) if isinstance(name, int) else Choice(name))

    def holds(self, times: int = 1) -> None:
        """The piece lies still."""
        for _ in range(times):
            self.give(OK)

    def falls(self, fell: int, caught: int, which: str | None = None) -> None:
        """Cargo falls, and some of it is caught."""
        self.give(ACTION)
        self.give(Number(fell))
        self.give(Number(caught))
        if which is not None:
            self.choose(which)

    def load(self, piece: str) -> None:
        """With tagged cargo: tap *piece*, and it holds."""
        self.tap(piece)
        self.give(OK)

    def tagged_fall(self, caught: tuple[str, ...], lost: tuple[str, ...]) -> None:
        """With tagged cargo: it falls, and each piece is tapped."""
        self.give(ACTION)
        self.tap(*caught)
        self.give(OK)
        if self.phase == "tap-lost":
            self.tap(*lost)
            self.give(OK)

    def round(self, *numbers: int) -> None:
        """A round in which everybody loads one piece, and it holds; no two numbers are the same."""
        self.reveal(*numbers)
        for _ in numbers:
            if self.phase == "look":
                self.choose("yes")
            if self.phase == "announce":
                self.choose("one")
            self.holds()

    def refused(self, given: Input | str) -> RulesError:
        """Give what must be refused, and return the refusal; the state must stand."""
        before = self.state
        try:
            self.give(Tap(Piece.parse(given)) if isinstance(given, str) else given)
        except RulesError as error:
            assert self.state is before
            check_refusal(CASE, error)
            return error
        raise AssertionError(f"{given} was accepted")

    def put_back(self, given: Input) -> str:
        """What is to be moved back when *given* is taken, and undone: in words."""
        before = self.state
        self.give(given)
        back = [CASE.words.say(message) for message in GAME.put_back(before, given)]
        self.state = before
        return " ".join(back)

    # --- ways to get there ---

    def lying(self, *areas: int) -> "RiffRaffTable":
        """Let a piece lie in each of *areas*, as if everybody had loaded some; untagged."""
        ship = Ship()
        for area in areas:
            ship = ship.loaded(area)
        stocks, seats = self.state.stocks, len(self.state.stocks)
        for n in range(len(areas)):
            stocks = changed(stocks, Seat(n % seats), stocks[n % seats] - 1)
        self.state = replace(self.state, ship=ship, stocks=stocks)
        return self

    def left(self, *stocks: int) -> "RiffRaffTable":
        """Leave everybody so many pieces; what they had more left the game."""
        removed = self.state.removed + sum(self.state.stocks) - sum(stocks)
        self.state = replace(self.state, stocks=stocks, removed=removed)
        return self

    def lies_in(self, area: int, *pieces: str) -> "RiffRaffTable":
        """Let tagged *pieces* lie in *area*, as if seat 0 had loaded them."""
        cargo, ship = self.state.cargo, self.state.ship
        for piece in pieces:
            cargo, ship = cargo.loaded(Piece.parse(piece), area), ship.loaded(area)
        stocks = changed(self.state.stocks, Seat(0), self.state.stocks[0] - len(pieces))
        self.state = replace(self.state, cargo=cargo, ship=ship, stocks=stocks)
        return self

    @property
    def cargo(self) -> Cargo:
        """Where tagged pieces are."""
        return self.state.cargo
