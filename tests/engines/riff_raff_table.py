"""A Riff Raff game for tests: play it by the names of its pieces, and read the English texts."""

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
from engines.riff_raff.state import State, with_value
from tests.engines.contract import Case, check_refusal

CASE = Case(GAME)
DECK = CASE.deck
OK, ACTION = Press(Button.OK), Press(Button.ACTION)
TAGGED: dict[str, OptionValue] = {"tagged-cargo": True}


def deck_without(*kinds: str) -> Deck:
    """Return the full deck without these kinds."""
    left = (replace(kind, count=0) if kind.name in kinds else kind for kind in DECK.kinds)
    return Deck("riff-raff", tuple(left), is_verified=False)


def deck_with(*kinds: Kind) -> Deck:
    """Return the full deck with these kinds added."""
    return Deck("riff-raff", (*DECK.kinds, *kinds), is_verified=False)


class RiffRaffTable:
    """A Riff Raff game played through the engine contract; by default the last seat is captain.

    Seat 0 plays red, and so on in the order of COLOURS. Every message and every refusal on the way
    must have words.
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
            for colour in COLOURS[: min(seats, 3)]:  # a fourth player is clear
                self.tap(f"{colour}-1")

    # --- reading the game ---

    @property
    def view(self) -> View:
        """The engine's view of the current state."""
        return GAME.view(self.state)

    @property
    def phase(self) -> str:
        """The code of the phase."""
        return self.state.phase.value

    @property
    def headline(self) -> str:
        """The headline and its caption: ``7 area to load``."""
        view = self.view
        headline = view.headline
        word = headline if isinstance(headline, str) else CASE.words.say(headline)
        return f"{word} {CASE.words.say(view.caption)}"

    @property
    def counts(self) -> dict[str, int]:
        """The view's counts of pieces, by place."""
        return dict(self.view.counts)

    @property
    def hint(self) -> str:
        """The English text of the hint."""
        return CASE.words.say(self.view.hint)

    @property
    def told(self) -> list[str]:
        """The message codes of the last step's events."""
        return [event.code for event in self.events]

    @property
    def said(self) -> str:
        """The English text of the last step's events, joined by spaces."""
        return " ".join(CASE.words.say(event) for event in self.events)

    @property
    def asks(self) -> tuple[object, ...]:
        """The inputs that the state asks for."""
        return GAME.asks(self.state)

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of piece asked for."""
        return frozenset().union(*(a.kinds for a in self.asks if isinstance(a, TapAsk)))

    @property
    def asked(self) -> tuple[Seat, ...]:
        """The seats to choose from, or none if no seat is asked for."""
        return next((ask.seats for ask in self.asks if isinstance(ask, SeatAsk)), ())

    @property
    def can_tilt(self) -> bool:
        """True if the tilt sensor may report now that cargo fell."""
        return PressAsk(Button.ACTION, "fell", sensor=Sensor.TILT) in self.asks

    def area(self, area: int) -> tuple[int, int]:
        """Return the least and the greatest number of pieces that *area* can hold now."""
        return self.counts[f"area-{area}"], self.counts[f"most-{area}"]

    def tallies(self) -> dict[str, str]:
        """Return the text shown for each area on the map of the ship."""
        grid = self.view.grid
        assert grid is not None
        return {cell.mark: cell.tally for cell in grid.cells}

    def all_pieces(self) -> int:
        """Return the number of all pieces: in front of players, on the ship and out of the game."""
        return sum(self.view.scores) + self.counts["ship"] + self.counts["removed"]

    # --- giving inputs ---

    def give(self, given: Input) -> None:
        """Give the game one input; its messages must have words and topics, and the hint words."""
        step = GAME.step(self.state, given)
        self.state, self.events = step.state, step.events
        assert all(CASE.words.say(event) for event in self.events)
        CASE.hear(self.events)
        assert CASE.words.say(self.view.hint)

    def tap(self, *pieces: str, spot: str = "play") -> None:
        """Tap *pieces* one after the other."""
        for piece in pieces:
            self.give(Tap(Piece.parse(piece), spot))

    def reveal(self, *numbers: int) -> None:
        """Let each seat in turn reveal the card with its number; 0 skips a seat."""
        for seat, number in enumerate(numbers):
            if number:
                self.tap(f"{self.state.colours[seat]}-{number}")

    def choose(self, *what: str | int) -> None:
        """Choose one or more names, or seats where the value is a number."""
        for name in what:
            self.give(SeatChoice(Seat(name)) if isinstance(name, int) else Choice(name))

    def holds(self, times: int = 1) -> None:
        """Say *times* times that the loaded piece stays on the ship."""
        for _ in range(times):
            self.give(OK)

    def falls(self, fell: int, caught: int, which: str | None = None) -> None:
        """Say that *fell* pieces fell and *caught* were caught; then answer *which*, if given."""
        self.give(ACTION)
        self.give(Number(fell))
        self.give(Number(caught))
        if which is not None:
            self.choose(which)

    def load(self, piece: str) -> None:
        """Tap a tagged *piece*, and say that it stays on the ship."""
        self.tap(piece)
        self.give(OK)

    def tagged_fall(self, caught: tuple[str, ...], lost: tuple[str, ...]) -> None:
        """Say that tagged cargo fell, and tap the pieces *caught* and *lost*."""
        self.give(ACTION)
        self.tap(*caught)
        self.give(OK)
        if self.phase == "tap-lost":
            self.tap(*lost)
            self.give(OK)

    def round(self, *numbers: int) -> None:
        """Play a round: each seat reveals a different number and loads one piece, which stays."""
        self.reveal(*numbers)
        for _ in numbers:
            if self.phase == "look":
                self.choose("yes")
            if self.phase == "announce":
                self.choose("one")
            self.holds()

    def refused(self, given: Input | str) -> RulesError:
        """Give an input that must be refused, and return the refusal; the state must not change."""
        before = self.state
        try:
            self.give(Tap(Piece.parse(given)) if isinstance(given, str) else given)
        except RulesError as error:
            assert self.state is before
            check_refusal(CASE, error)
            return error
        raise AssertionError(f"{given} was accepted")

    def put_back(self, given: Input) -> str:
        """Return the instructions for undoing *given*, in words; the state does not change."""
        before = self.state
        self.give(given)
        back = [CASE.words.say(message) for message in GAME.put_back(before, given)]
        self.state = before
        return " ".join(back)

    # --- shortcuts to a situation ---

    def lying(self, *areas: int) -> "RiffRaffTable":
        """Put one untagged piece in each of *areas*, loaded by the seats in turn."""
        ship = Ship()
        for area in areas:
            ship = ship.after_loading(area)
        stocks, seats = self.state.stocks, len(self.state.stocks)
        for n in range(len(areas)):
            stocks = with_value(stocks, Seat(n % seats), stocks[n % seats] - 1)
        self.state = replace(self.state, ship=ship, stocks=stocks)
        return self

    def left(self, *stocks: int) -> "RiffRaffTable":
        """Set each seat's number of pieces; the rest has left the game."""
        removed = self.state.removed + sum(self.state.stocks) - sum(stocks)
        self.state = replace(self.state, stocks=stocks, removed=removed)
        return self

    def lies_in(self, area: int, *pieces: str) -> "RiffRaffTable":
        """Put tagged *pieces* in *area*, loaded by seat 0."""
        cargo, ship = self.state.cargo, self.state.ship
        for piece in pieces:
            cargo, ship = cargo.after_loading(Piece.parse(piece), area), ship.after_loading(area)
        stocks = with_value(self.state.stocks, Seat(0), self.state.stocks[0] - len(pieces))
        self.state = replace(self.state, cargo=cargo, ship=ship, stocks=stocks)
        return self

    @property
    def cargo(self) -> Cargo:
        """The places of the tagged pieces."""
        return self.state.cargo
