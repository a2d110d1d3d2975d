"""A Camargue game for tests: play it by the names of its pieces, and read the English texts."""

from dataclasses import replace

from engines.camargue import GAME
from engines.camargue.board import LaidTile
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
    """Return a deck with only these kinds and counts: ``small_deck(start=1, forest_ne=6)``."""
    names = {name.replace("_", "-"): count for name, count in counts.items()}
    kinds = (Kind(name, count, traits=DECK.by_name[name].traits) for name, count in names.items())
    return Deck("camargue", tuple(kinds), is_verified=False)


def house(**options: OptionValue) -> dict[str, OptionValue]:
    """Return house rules by name: ``house(no_hints=True)``."""
    return {name.replace("_", "-"): value for name, value in options.items()}


class CamargueTable:
    """A Camargue game played through the engine contract; seat 0 has the first turn.

    Every message and every refusal on the way must have words. Places are column and row from the
    start tile: ``1, 0`` is to its right, ``0, -1`` above it.
    """

    def __init__(self, seats: int = 2, deck: Deck = DECK, /, **options: OptionValue) -> None:
        setup = Setup(seats, Seat(seats - 1), deck, house(**options))
        self.state: State = GAME.start(setup)
        self.events: tuple[Message, ...] = ()
        self.is_foul = False

    # --- reading the game ---

    @property
    def view(self) -> View:
        """The engine's view of the current state."""
        return GAME.view(self.state)

    @property
    def counts(self) -> dict[str, int]:
        """The view's tile counts, by place."""
        return dict(self.view.counts)

    @property
    def shown(self) -> str:
        """The headline and its caption: ``18 6 x 3``."""
        return f"{self.view.headline} {CASE.words.say(self.view.caption)}"

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
    def asks(self) -> tuple[Ask, ...]:
        """The inputs that the state asks for."""
        return GAME.asks(self.state)

    @property
    def label(self) -> str:
        """The action button's label."""
        ask = next(ask for ask in self.asks if isinstance(ask, PressAsk))
        return CASE.words.fill(f"label.{ask.label}", ask.facts)

    @property
    def place_ask(self) -> PlaceAsk:
        """The ask for a place."""
        return next(ask for ask in self.asks if isinstance(ask, PlaceAsk))

    @property
    def offers(self) -> dict[tuple[int, int], str]:
        """Each place offered, with its headline and caption: ``{(1, 0): "18 6 x 3"}``."""
        return {at(offer): shown(offer) for offer in self.place_ask.offers}

    @property
    def cursor(self) -> tuple[int, int]:
        """Column and row of the place where the cursor starts."""
        ask = self.place_ask
        return at(ask.offers[ask.start])

    def kinds(self, seat: int) -> set[str]:
        """Return the kinds of tile that *seat* may tap now."""
        taps = (ask for ask in self.asks if isinstance(ask, TapAsk) and seat in ask.seats)
        return {kind for ask in taps for kind in ask.kinds}

    @property
    def helping(self) -> set[int]:
        """The seats that may tap a helper out of turn."""
        taps = (ask for ask in self.asks if isinstance(ask, TapAsk))
        return {seat for ask in taps for seat in ask.seats if seat != self.view.turn}

    @property
    def choices(self) -> tuple[str, ...]:
        """The names in the choice that is asked for."""
        return next(ask.names for ask in self.asks if isinstance(ask, ChoiceAsk))

    @property
    def whose(self) -> tuple[int, ...]:
        """The seats to choose from when the game asks whose helper was tapped."""
        return next(ask.seats for ask in self.asks if isinstance(ask, SeatAsk))

    # --- giving inputs ---

    def piece(self, text: str) -> Piece:
        """Return a piece: ``forest-ne#2``, or for ``forest-ne`` the first copy not yet played."""
        if "#" in text:
            return Piece.parse(text)
        copies = (Piece(text, copy) for copy in range(1, 100))
        return next(piece for piece in copies if piece not in self.state.played.pieces)

    def given(self, what: Input | str, seat: int | None = None) -> Input:
        """Return *what*; if it is a piece's name, a tap of that piece.

        With *seat* the tap is on that seat's reader, without it on the shared one.
        """
        if not isinstance(what, str):
            return what
        if seat is None:
            return Tap(self.piece(what))
        return Tap(self.piece(what), f"seat-{seat + 1}", Seat(seat))

    def give(self, given: Input) -> None:
        """Give the game one input; its messages must have words and topics, and the hint words."""
        step = GAME.step(self.state, given)
        self.state, self.events, self.is_foul = step.state, step.events, step.is_foul
        assert all(CASE.words.say(event) for event in self.events)
        CASE.hear(self.events)
        assert CASE.words.say(self.view.hint)

    def tap(self, *tiles: str, seat: int | None = None) -> None:
        """Tap *tiles* one after the other."""
        for tile in tiles:
            self.give(self.given(tile, seat))

    def put(self, column: int, row: int) -> None:
        """Choose the place at *column* and *row*."""
        self.give(PlaceChoice(Place(column, row)))

    def play(self, tile: str, column: int, row: int) -> None:
        """Tap *tile* and choose its place."""
        self.tap(tile)
        self.put(column, row)

    def choose(self, what: str | int) -> None:
        """Choose a name, or a seat if *what* is a number."""
        self.give(SeatChoice(Seat(what)) if isinstance(what, int) else Choice(what))

    def action(self) -> None:
        """Press the action button."""
        self.give(Press(Button.ACTION))

    def refused(self, what: Input | str, seat: int | None = None) -> RulesError:
        """Give an input that must be refused, and return the refusal; the state must not change."""
        before = self.state
        try:
            self.give(self.given(what, seat))
        except RulesError as error:
            assert self.state is before
            check_refusal(CASE, error)
            return error
        raise AssertionError(f"{what} was accepted")

    def refusal_at(self, column: int, row: int) -> RulesError:
        """Choose a place that must be refused, and return the refusal."""
        return self.refused(PlaceChoice(Place(column, row)))

    def put_back(self, what: Input | str, seat: int | None = None) -> list[str]:
        """Return the instructions for undoing *what*, in words; the state does not change."""
        before, given = self.state, self.given(what, seat)
        self.give(given)
        back = [CASE.words.say(message) for message in GAME.put_back(before, given)]
        self.state = before
        return back

    # --- shortcuts to a situation ---

    def lay(self, **tiles: tuple[int, int]) -> "CamargueTable":
        """Put tiles on the board as if played before: ``lay(forest_ne=(0, -1))``.

        The part of a name after two underscores is ignored; it lets a kind occur twice.
        """
        for name, (column, row) in tiles.items():
            piece = self.piece(name.partition("__")[0].replace("_", "-"))
            tile = self.state.config.box.tiles[piece.kind]
            board = self.state.board.with_tile(LaidTile(Place(column, row), piece, tile))
            pile = self.state.pile - 1
            self.state = replace(self.state, board=board, pile=pile)
            self.mark_played(piece)
        return self

    def mark_played(self, *pieces: Piece) -> None:
        """Count *pieces* as played."""
        for piece in pieces:
            played = self.state.played.with_piece(piece, self.state.config)
            self.state = replace(self.state, played=played)

    def hold(self, *hands: int, pile: int | None = None) -> "CamargueTable":
        """Set the number of tiles in each hand and in the pile; the rest is out of the game."""
        left = self.state.pile if pile is None else pile
        gone = self.state.pile + sum(self.state.hands) - left - sum(hands)
        config = replace(self.state.config, out=self.state.config.out + gone)
        self.state = replace(self.state, config=config, hands=hands, pile=left)
        return self

    def score(self, *scores: int) -> "CamargueTable":
        """Set each seat's score."""
        self.state = replace(self.state, scores=scores)
        return self


def at(offer: Offer) -> tuple[int, int]:
    """Return column and row of *offer*."""
    return offer.place.column, offer.place.row


def shown(offer: Offer) -> str:
    """Return headline and caption of *offer*."""
    headline = offer.headline if isinstance(offer.headline, str) else CASE.words.say(offer.headline)
    return f"{headline} {CASE.words.say(offer.caption)}"
