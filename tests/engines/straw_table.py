"""A table of Straw for tests: play in words, look at what the referee keeps."""

from engines.common.contract import (
    Button,
    Direction,
    Message,
    Number,
    OptionValue,
    Press,
    Seat,
    Setup,
    Tap,
    TapAsk,
    View,
)
from engines.common.errors import RulesError
from engines.common.pieces import Deck, Kind, Piece
from engines.straw import GAME
from engines.straw.rules import State
from tests.engines.contract import Case, check_refusal

CASE = Case(GAME)
DECK = CASE.deck


def small_deck(**counts: int) -> Deck:
    """A deck of a few kinds of Straw: ``small_deck(weight_1=7, straw=1)``."""
    names = {name.replace("_", "-"): count for name, count in counts.items()}
    kinds = (Kind(name, count, DECK.by_name[name].value) for name, count in names.items())
    return Deck("straw", tuple(kinds), is_verified=False)


class StrawTable:
    """Plays Straw through the contract; the first seat plays first, the last deals.

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
        first = Seat(seats - 1 if dealer is None else dealer)
        self.state: State = GAME.start(Setup(seats, first, deck, options or {}))
        self.events: tuple[Message, ...] = ()
        self._next_copy: dict[str, int] = {}

    @property
    def view(self) -> View:
        """What the table shows."""
        return GAME.view(self.state)

    @property
    def headline(self) -> str:
        """The number people look for."""
        return str(self.view.headline)

    @property
    def told(self) -> list[str]:
        """The codes of what the last step told, without who is next."""
        return [event.code for event in self.events if event.code != "turn"]

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of card asked for."""
        return frozenset().union(*(a.kinds for a in self.asks if isinstance(a, TapAsk)))

    @property
    def asks(self) -> tuple[object, ...]:
        """What the state accepts."""
        return GAME.asks(self.state)

    def fact(self, code: str, name: str) -> object:
        """A fact of the last step's event *code*."""
        return next(e.facts[name] for e in self.events if e.code == code)

    def piece(self, text: str) -> Piece:
        """The card *text*; a kind without a copy is the next copy not yet used this round."""
        if "#" in text:
            return Piece.parse(text)
        self._next_copy[text] = self._next_copy.get(text, 0) + 1
        return Piece(text, self._next_copy[text])

    def give(self, given: Tap | Number | Press) -> None:
        """Take one input."""
        step = GAME.step(self.state, given)
        self.state, self.events = step.state, step.events
        assert all(CASE.words.say(event) for event in self.events)

    def tap(self, *cards: str) -> None:
        """Lay *cards* one after the other."""
        for card in cards:
            self.give(Tap(self.piece(card)))

    def choose(self, value: int) -> None:
        """Choose the weight of a Lamp."""
        self.give(Number(value))

    def action(self) -> None:
        """Press the action button."""
        self.give(Press(Button.ACTION))

    def deal(self) -> None:
        """Deal the next round and say so."""
        self.give(Press(Button.OK))
        self._next_copy.clear()

    def refused(self, given: Tap | Number | Press | str) -> RulesError:
        """Give what must be refused, and return the refusal; the state must stand."""
        tap = Tap(self.piece(given)) if isinstance(given, str) else given
        before = self.state
        try:
            self.give(tap)
        except RulesError as error:
            assert self.state is before
            check_refusal(CASE, error)
            if isinstance(given, str) and "#" not in given:
                self._next_copy[given] -= 1
            return error
        raise AssertionError(f"{given} was accepted")

    def load_50(self) -> None:
        """Bring the camel to exactly 50 with six weights."""
        self.tap(*["weight-10"] * 4, *["weight-5"] * 2)
        assert self.headline == "50"

    def is_clockwise(self) -> bool:
        """Whether the turn goes clockwise."""
        return self.view.direction is Direction.CLOCKWISE

    def all_cards(self) -> int:
        """Every card the referee counts: on the camel, in hands and in the draw pile."""
        counts = self.view.counts
        hands = (cards for place, cards in counts.items() if place.startswith("hand-"))
        return counts["camel"] + counts["draw-pile"] + sum(hands)
