"""A Cramel game for tests: play it by the names of its pieces, and read the English texts."""

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
# Half of the sets of each of these kinds in the box: 13 tiles.


def small_deck(**counts: int) -> Deck:
    """Return the full deck with other counts for some kinds: ``small_deck(el_el=5)``."""
    changed = {name.replace("_", "-"): count for name, count in counts.items()}
    kinds = (Kind(k.name, changed.get(k.name, k.count), k.value) for k in DECK.kinds)
    return Deck("cramel", tuple(kinds), is_verified=False)


class CramelTable:
    """A Cramel game played through the engine contract; seat 0 plays first, the last lays out.

    Every message and every refusal on the way must have words.
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
        """The engine's view of the current state."""
        return GAME.view(self.state)

    @property
    def headline(self) -> str:
        """The view's headline, as text."""
        return str(self.view.headline)

    @property
    def counts(self) -> dict[str, int]:
        """The view's tile counts, by place."""
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
    def kinds(self) -> frozenset[str]:
        """The kinds of tile asked for."""
        return frozenset().union(*(a.kinds for a in self.asks if isinstance(a, TapAsk)))

    @property
    def asks(self) -> tuple[object, ...]:
        """The inputs that the state asks for."""
        return GAME.asks(self.state)

    @property
    def can_stop(self) -> bool:
        """True if the player may press the action button to stop."""
        return any(isinstance(ask, PressAsk) and ask.label == "stop" for ask in self.asks)

    def piece(self, text: str) -> Piece:
        """Return a tile: ``roby#2``, or for ``roby`` a copy that is still face down."""
        if "#" in text:
            return Piece.parse(text)
        copies = (Piece(text, copy) for copy in range(1, 100))
        away = self.state.turned | self.state.taken
        return next(piece for piece in copies if piece not in away)

    def give(self, given: Input) -> None:
        """Give the game one input; its messages must have words and topics."""
        step = GAME.step(self.state, given)
        self.state, self.events = step.state, step.events
        assert all(CASE.words.say(event) for event in self.events)
        CASE.hear(self.events)

    def tap(self, *tiles: str) -> None:
        """Turn *tiles* over one after the other."""
        for tile in tiles:
            self.give(Tap(self.piece(tile)))

    def stop(self) -> None:
        """Press the action button to stop and collect."""
        self.give(STOP)

    def win(self, seat: int, *tiles: str) -> None:
        """Let *seat* turn over *tiles* and stop; players before that turn over Mrs. Bloom."""
        while self.view.turn != seat:
            self.tap("bloom")
        self.tap(*tiles)
        self.stop()

    def refused(self, given: Input | str) -> RulesError:
        """Give an input that must be refused, and return the refusal; the state must not change."""
        before = self.state
        try:
            self.give(Tap(self.piece(given)) if isinstance(given, str) else given)
        except RulesError as error:
            assert self.state is before
            check_refusal(CASE, error)
            return error
        raise AssertionError(f"{given} was accepted")

    def all_tiles(self) -> int:
        """Return the number of all tiles: on the table, and won by each player."""
        counts = self.counts
        won = (tiles for place, tiles in counts.items() if place.startswith("won-"))
        return sum(counts[kind] for kind in KINDS) + sum(won)
