"""A table of Camargue for tests: play in words, look at what the referee keeps."""

from dataclasses import replace

from engines.camargue import GAME
from engines.camargue.board import Laid
from engines.camargue.state import State
from engines.common.contract import (
    Ask,
    Button,
    Choice,
    ChoiceAsk,
    Input,
    Message,
    Offer,
    OptionValue,
    PlaceAsk,
    PlaceChoice,
    Press,
    PressAsk,
    Seat,
    SeatAsk,
    SeatChoice,
    Setup,
    Tap,
    TapAsk,
    View,
)
from engines.common.errors import RulesError
from engines.common.grid import Place
from engines.common.pieces import Deck, Kind, Piece
from tests.engines.contract import Case, check_refusal

CASE = Case(GAME)
DECK = CASE.deck
HELPER = "helper-"


def small_deck(**counts: int) -> Deck:
    """A deck of a few kinds of Camargue: ``small_deck(start=1, forest_ne=6)``."""
    names = {name.replace("_", "-"): count for name, count in counts.items()}
    kinds = (Kind(name, count, traits=DECK.by_name[name].traits) for name, count in names.items())
    return Deck("camargue", tuple(kinds), is_verified=False)


def house(**options: OptionValue) -> dict[str, OptionValue]:
    """House rules: ``house(no_hints=True)``."""
    return {name.replace("_", "-"): value for name, value in options.items()}


class CamargueTable:
    """Plays Camargue through the contract; the first seat plays first.

    Whatever is told or refused on the way must have its words. Places are written as column and
    row: ``1, 0`` is right of the start tile, ``0, -1`` above it.
    """

    def __init__(self, seats: int = 2, deck: Deck = DECK, /, **options: OptionValue) -> None:
        setup = Setup(seats, Seat(seats - 1), deck, house(**options))
        self.state: State = GAME.start(setup)
        self.events: tuple[Message, ...] = ()
        self.is_foul = False

    # --- what it shows ---

    @property
    def view(self) -> View:
        """What the table shows."""
        return GAME.view(self.state)

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of tiles the referee keeps."""
        return dict(self.view.counts)

    @property
    def shown(self) -> str:
        """The headline with its caption: ``18 6 x 3``."""
        return f"{self.view.headline} {CASE.words.say(self.view.caption)}"

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
    def asks(self) -> tuple[Ask, ...]:
        """What the state accepts."""
        return GAME.asks(self.state)

    @property
    def label(self) -> str:
        """What the action button does now."""
        ask = next(ask for ask in self.asks if isinstance(ask, PressAsk))
        return CASE.words.fill(f"label.{ask.label}", ask.facts)

    @property
    def place_ask(self) -> PlaceAsk:
        """The places that are offered."""
        return next(ask for ask in self.asks if isinstance(ask, PlaceAsk))

    @property
    def offers(self) -> dict[tuple[int, int], str]:
        """The headline and caption of each place offered: ``{(1, 0): "18 6 x 3"}``."""
        return {at(offer): shown(offer) for offer in self.place_ask.offers}

    @property
    def cursor(self) -> tuple[int, int]:
        """Where the controls begin."""
        ask = self.place_ask
        return at(ask.offers[ask.start])

    def kinds(self, seat: int) -> set[str]:
        """The kinds that *seat* may tap now."""
        taps = (ask for ask in self.asks if isinstance(ask, TapAsk) and seat in ask.seats)
        return {kind for ask in taps for kind in ask.kinds}

    @property
    def helping(self) -> set[int]:
        """Who may tap a helper out of turn."""
        taps = (ask for ask in self.asks if isinstance(ask, TapAsk))
        return {seat for ask in taps for seat in ask.seats if seat != self.view.turn}

    @property
    def choices(self) -> tuple[str, ...]:
        """What can be chosen by name."""
        return next(ask.names for ask in self.asks if isinstance(ask, ChoiceAsk))

    @property
    def whose(self) -> tuple[int, ...]:
        """Of whom it is asked whether the helper is theirs."""
        return next(ask.seats for ask in self.asks if isinstance(ask, SeatAsk))

    # --- what people do ---

    def piece(self, text: str) -> Piece:
        """The piece *text*; a kind without a copy is the first that was not played."""
        if "#" in text:
            return Piece.parse(text)
        copies = (Piece(text, copy) for copy in range(1, 100))
        return next(piece for piece in copies if piece not in self.state.played)

    def given(self, what: Input | str, seat: int | None = None) -> Input:
        """*what*, or a tap of the piece so called, on the seat's own reader if there is one."""
        if not isinstance(what, str):
            return what
        if seat is None:
            return Tap(self.piece(what))
        return Tap(self.piece(what), f"seat-{seat + 1}", Seat(seat))

    def give(self, given: Input) -> None:
        """Take one input."""
        step = GAME.step(self.state, given)
        self.state, self.events, self.is_foul = step.state, step.events, step.is_foul
        assert all(CASE.words.say(event) for event in self.events)
        assert CASE.words.say(self.view.hint)

    def tap(self, *tiles: str, seat: int | None = None) -> None:
        """Tap *tiles* one after the other."""
        for tile in tiles:
            self.give(self.given(tile, seat))

    def put(self, column: int, row: int) -> None:
        """Choose a place."""
        self.give(PlaceChoice(Place(column, row)))

    def play(self, tile: str, column: int, row: int) -> None:
        """Tap *tile* and choose its place."""
        self.tap(tile)
        self.put(column, row)

    def choose(self, what: str | int) -> None:
        """Choose a name, or a seat by its number."""
        self.give(SeatChoice(Seat(what)) if isinstance(what, int) else Choice(what))

    def action(self) -> None:
        """Press the action button."""
        self.give(Press(Button.ACTION))

    def refused(self, what: Input | str, seat: int | None = None) -> RulesError:
        """Give what must be refused, and return the refusal; the state must stand."""
        before = self.state
        try:
            self.give(self.given(what, seat))
        except RulesError as error:
            assert self.state is before
            check_refusal(CASE, error)
            return error
        raise AssertionError(f"{what} was accepted")

    def refused_at(self, column: int, row: int) -> RulesError:
        """Choose a place that must be refused."""
        return self.refused(PlaceChoice(Place(column, row)))

    def put_back(self, what: Input | str, seat: int | None = None) -> list[str]:
        """What is to be moved back when *what* is taken, and undone: in words."""
        before, given = self.state, self.given(what, seat)
        self.give(given)
        back = [CASE.words.say(message) for message in GAME.put_back(before, given)]
        self.state = before
        return back

    # --- ways to get there ---

    def lay(self, **tiles: tuple[int, int]) -> "CamargueTable":
        """Let tiles lie that were placed before: ``lay(forest_ne=(0, -1))``.

        What stands after two underscores only tells equal kinds apart.
        """
        for name, (column, row) in tiles.items():
            piece = self.piece(name.partition("__")[0].replace("_", "-"))
            tile = self.state.table.box.tiles[piece.kind]
            board = self.state.board.with_tile(Laid(Place(column, row), piece, tile))
            pile = self.state.pile - 1
            played = self.state.played | {piece}
            self.state = replace(self.state, board=board, pile=pile, played=played)
        return self

    def hold(self, *hands: int, pile: int | None = None) -> "CamargueTable":
        """Let everybody hold so many tiles, and so many be left to draw; the rest is put aside."""
        left = self.state.pile if pile is None else pile
        gone = self.state.pile + sum(self.state.hands) - left - sum(hands)
        table = replace(self.state.table, out=self.state.table.out + gone)
        self.state = replace(self.state, table=table, hands=hands, pile=left)
        return self

    def score(self, *scores: int) -> "CamargueTable":
        """Let everybody have so many points."""
        self.state = replace(self.state, scores=scores)
        return self


def at(offer: Offer) -> tuple[int, int]:
    """Column and row of *offer*."""
    return offer.place.column, offer.place.row


def shown(offer: Offer) -> str:
    """Headline and caption of *offer*."""
    headline = offer.headline if isinstance(offer.headline, str) else CASE.words.say(offer.headline)
    return f"{headline} {CASE.words.say(offer.caption)}"
