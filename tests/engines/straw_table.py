"""A Straw game for tests: play it by the names of its pieces, and read the English texts."""

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
    """Return a deck with only these kinds and counts: ``small_deck(weight_1=7, straw=1)``."""
    names = {name.replace("_", "-"): count for name, count in counts.items()}
    kinds = (Kind(name, count, DECK.by_name[name].value) for name, count in names.items())
    return Deck("straw", tuple(kinds), is_verified=False)


class StrawTable:
    """A Straw game played through the engine contract; seat 0 plays first, the last seat deals.

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
        first = Seat(seats - 1 if dealer is None else dealer)
        self.state: State = GAME.start(Setup(seats, first, deck, options or {}))
        self.events: tuple[Message, ...] = ()
        self._next_copy: dict[str, int] = {}

    @property
    def view(self) -> View:
        """The engine's view of the current state."""
        return GAME.view(self.state)

    @property
    def headline(self) -> str:
        """The view's headline, as text."""
        return str(self.view.headline)

    @property
    def told(self) -> list[str]:
        """The message codes of the last step's events, without those that name the next player."""
        return [event.code for event in self.events if event.code != "turn"]

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of card asked for."""
        return frozenset().union(*(a.kinds for a in self.asks if isinstance(a, TapAsk)))

    @property
    def asks(self) -> tuple[object, ...]:
        """The inputs that the state asks for."""
        return GAME.asks(self.state)

    def fact(self, code: str, name: str) -> object:
        """Return the fact *name* of the last step's event *code*."""
        return next(e.facts[name] for e in self.events if e.code == code)

    def piece(self, text: str) -> Piece:
        """Return a card: ``copy#2``, or for ``copy`` the next copy unused this round."""
        if "#" in text:
            return Piece.parse(text)
        self._next_copy[text] = self._next_copy.get(text, 0) + 1
        return Piece(text, self._next_copy[text])

    def give(self, given: Tap | Number | Press) -> None:
        """Give the game one input; its messages must have words and topics."""
        step = GAME.step(self.state, given)
        self.state, self.events = step.state, step.events
        assert all(CASE.words.say(event) for event in self.events)
        CASE.hear(self.events)

    def tap(self, *cards: str) -> None:
        """Play *cards* one after the other."""
        for card in cards:
            self.give(Tap(self.piece(card)))

    def choose(self, value: int) -> None:
        """Choose *value* as the weight of the Lamp just played."""
        self.give(Number(value))

    def action(self) -> None:
        """Press the action button."""
        self.give(Press(Button.ACTION))

    def deal(self) -> None:
        """Press the button that says the next round is dealt."""
        self.give(Press(Button.OK))
        self._next_copy.clear()

    def refused(self, given: Tap | Number | Press | str) -> RulesError:
        """Give an input that must be refused, and return the refusal; the state must not change."""
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
        """Play six weights that bring the camel to exactly 50."""
        self.tap(*["weight-10"] * 4, *["weight-5"] * 2)
        assert self.headline == "50"

    def is_clockwise(self) -> bool:
        """Return True if play goes clockwise."""
        return self.view.direction is Direction.CLOCKWISE

    def all_cards(self) -> int:
        """Return the number of all cards: on the camel, in hands and in the draw pile."""
        counts = self.view.counts
        hands = (cards for place, cards in counts.items() if place.startswith("hand-"))
        return counts["camel"] + counts["draw-pile"] + sum(hands)
