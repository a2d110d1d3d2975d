"""A table of Cramel for tests: play in words, look at what the referee keeps."""

from engines.common.contract import (
    Button,
    Input,
    Message,
    OptionValue,
    Press,
    PressAsk,
    Seat,
    Setup,
    Tap,
    TapAsk,
    View,
)
from engines.common.errors import RulesError
from engines.common.pieces import Deck, Kind, Piece
from engines.cramel import GAME
from engines.cramel.rules import State
from engines.cramel.tiles import KINDS
from tests.engines.contract import Case, check_refusal

CASE = Case(GAME)
DECK = CASE.deck
STOP = Press(Button.ACTION)

HALF = ("gol", "gol", "jane", "jane", "helena", "helena", "el-el", "el-el", "el-el",
        *["ring-box"] * 4)  # fmt: skip
# One of each two sets in the box: 13 tiles.


def small_deck(**counts: int) -> Deck:
    """A box with other numbers of some kinds: ``small_deck(el_el=5)``."""
    changed = {name.replace("_", "-"): count for name, count in counts.items()}
    kinds = (Kind(k.name, changed.get(k.name, k.count), k.value) for k in DECK.kinds)
    return Deck("cramel", tuple(kinds), is_verified=False)


class CramelTable:
    """Plays Cramel through the contract; the first seat plays first, the last laid out.

    Whatever is told or refused on the way must have its words.
    """

    def __init__(
        self,
        seats: int = 3,
        *,
        dealer: int | None = None,
        deck: Deck = DECK,
        options: dict[str, OptionValue] | None = None,
    ) -> None:
        last = Seat(seats - 1 if dealer is None else dealer)
        self.state: State = GAME.start(Setup(seats, last, deck, options or {}))
        self.events: tuple[Message, ...] = ()

    @property
    def view(self) -> View:
        """What the table shows."""
        return GAME.view(self.state)

    @property
    def headline(self) -> str:
        """The number people look for."""
        return str(self.view.headline)

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of tiles the referee keeps."""
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
    def kinds(self) -> frozenset[str]:
        """The kinds of tile asked for."""
        return frozenset().union(*(a.kinds for a in self.asks if isinstance(a, TapAsk)))

    @property
    def asks(self) -> tuple[object, ...]:
        """What the state accepts."""
        return GAME.asks(self.state)

    @property
    def can_stop(self) -> bool:
        """Whether the action button is offered."""
        return PressAsk(Button.ACTION, "stop") in self.asks

    def piece(self, text: str) -> Piece:
        """The tile *text*; a kind without a copy is any that does not lie open."""
        if "#" in text:
            return Piece.parse(text)
        copies = (Piece(text, copy) for copy in range(1, 100))
        return next(piece for piece in copies if piece not in self.state.turned)

    def give(self, given: Input) -> None:
        """Take one input."""
        step = GAME.step(self.state, given)
        self.state, self.events = step.state, step.events
        assert all(CASE.words.say(event) for event in self.events)

    def tap(self, *tiles: str) -> None:
        """Turn *tiles* over one after the other."""
        for tile in tiles:
            self.give(Tap(self.piece(tile)))

    def stop(self) -> None:
        """Stop and collect."""
        self.give(STOP)

    def win(self, seat: int, *tiles: str) -> None:
        """Let *seat* turn *tiles* over and collect; who comes before turns Mrs. Bloom over."""
        while self.view.turn != seat:
            self.tap("bloom")
        self.tap(*tiles)
        self.stop()

    def refused(self, given: Input | str) -> RulesError:
        """Give what must be refused, and return the refusal; the state must stand."""
        before = self.state
        try:
            self.give(Tap(self.piece(given)) if isinstance(given, str) else given)
        except RulesError as error:
            assert self.state is before
            check_refusal(CASE, error)
            return error
        raise AssertionError(f"{given} was accepted")

    def all_tiles(self) -> int:
        """Every tile the referee counts: on the table, and with each player."""
        counts = self.counts
        won = (tiles for place, tiles in counts.items() if place.startswith("won-"))
        return sum(counts[kind] for kind in KINDS) + sum(won)
