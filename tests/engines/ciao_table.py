"""A Ciao! game for tests: play it by the names of its pieces, and read the English texts."""

from dataclasses import replace

from engines.ciao import GAME
from engines.ciao.cards import SYMBOLS
from engines.ciao.state import State
from engines.common.contract import (
    Button,
    Choice,
    Direction,
    HandTransfer,
    Input,
    Message,
    OptionValue,
    Press,
    PressAsk,
    Seat,
    SeatChoice,
    Setup,
    Tap,
    TapAsk,
    View,
)
from engines.common.errors import RulesError
from engines.common.pieces import Deck, Kind, Piece
from tests.engines.contract import Case, check_refusal

CASE = Case(GAME)
DECK = CASE.deck


def small_deck(**counts: int) -> Deck:
    """Return a deck with only these kinds and counts: ``small_deck(rock_green=20, obstacle=1)``."""
    names = {name.replace("_", "-"): count for name, count in counts.items()}
    kinds = (
        Kind(name, count, DECK.by_name[name].value, DECK.by_name[name].traits)
        for name, count in names.items()
    )
    return Deck("ciao", tuple(kinds), is_verified=False)


def plain_deck() -> Deck:
    """Return the full deck with every symbol card plain, as if no specials were listed."""
    of_each_symbol = {"green": 12, "yellow": 10, "red": 10}
    kinds = []
    for kind in DECK.kinds:
        symbol, _, rest = kind.name.partition("-")
        count = kind.count if symbol not in SYMBOLS else of_each_symbol.get(rest, 0)
        kinds.append(Kind(kind.name, count, kind.value, kind.traits))
    return Deck("ciao", tuple(kinds), is_verified=False)


class CiaoTable:
    """A Ciao! game played through the engine contract; seat 0 plays first, the last seat deals.

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
        self.is_foul = False
        self.handed: tuple[HandTransfer, ...] = ()

    # --- reading the game ---

    @property
    def view(self) -> View:
        """The engine's view of the current state."""
        return GAME.view(self.state)

    @property
    def counts(self) -> dict[str, int]:
        """The view's card counts, by place."""
        return dict(self.view.counts)

    @property
    def hands(self) -> tuple[int, ...]:
        """The number of cards in each hand."""
        return self.state.round.hands

    @property
    def top(self) -> str:
        """The headline and its caption: ``ROCK green``, ``6 cards owed``."""
        view = self.view
        headline = view.headline
        word = headline if isinstance(headline, str) else CASE.words.say(headline)
        return f"{word} {CASE.words.say(view.caption)}"

    @property
    def hint(self) -> str:
        """The English text of the hint."""
        return CASE.words.say(self.view.hint)

    @property
    def page_hint(self) -> str:
        """The code of the hint for a page."""
        return (self.view.page_hint or self.view.hint).code

    @property
    def messages(self) -> list[str]:
        """The message codes of the last step's events, without those that name the next player."""
        return [event.code for event in self.events if event.code != "turn"]

    @property
    def said(self) -> str:
        """The English text of the last step's events, joined by spaces."""
        return " ".join(CASE.words.say(event) for event in self.events)

    @property
    def asks(self) -> tuple[object, ...]:
        """The inputs that the state asks for."""
        return GAME.asks(self.state)

    @property
    def card_ask(self) -> TapAsk:
        """The first ask for a card."""
        return next(ask for ask in self.asks if isinstance(ask, TapAsk))

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of card that may be played now."""
        return self.card_ask.kinds

    @property
    def fouls(self) -> frozenset[str]:
        """The kinds of card that are a foul now."""
        return self.card_ask.fouls

    @property
    def label(self) -> str:
        """The action button's label."""
        ask = next(ask for ask in self.asks if isinstance(ask, PressAsk))
        return CASE.words.fill(f"label.{ask.label}", ask.facts)

    def fact(self, code: str, name: str) -> object:
        """Return the fact *name* of the last step's event *code*."""
        return next(e.facts[name] for e in self.events if e.code == code)

    def is_clockwise(self) -> bool:
        """Return True if play goes clockwise."""
        return self.view.direction is Direction.CLOCKWISE

    def all_cards(self) -> int:
        """Return the number of all cards: in hands, draw pile and discards, and left in the box."""
        counts = self.counts
        hands = (cards for place, cards in counts.items() if place.startswith("hand-"))
        return counts["draw-pile"] + counts["discard"] + counts["left-out"] + sum(hands)

    # --- giving inputs ---

    def piece(self, text: str) -> Piece:
        """Return a card: ``rock-green#2``, or for ``rock-green`` a copy that can be in a hand."""
        if "#" in text:
            return Piece.parse(text)
        gone = self.state.round.discards.union(*self.state.counting.shown)
        copies = (Piece(text, copy) for copy in range(1, 100))
        return next(piece for piece in copies if piece not in gone)

    def give(self, given: Input) -> None:
        """Give the game one input; its messages must have words and topics, and the hint words."""
        step = GAME.step(self.state, given)
        self.state, self.events = step.state, step.events
        self.is_foul, self.handed = step.is_foul, step.handed
        assert all(CASE.words.say(event) for event in self.events)
        CASE.hear(self.events)
        assert CASE.words.say(self.view.hint)

    def tap(self, *cards: str) -> None:
        """Play *cards* one after the other; none may be a foul."""
        for card in cards:
            self.give(Tap(self.piece(card)))
            assert not self.is_foul, self.said

    def foul(self, card: str, seat: int | None = None) -> None:
        """Play *card*, which must be a foul, on the reader of *seat* or on the shared one."""
        spot = "play" if seat is None else f"seat-{seat + 1}"
        self.give(Tap(self.piece(card), spot, None if seat is None else Seat(seat)))
        assert self.is_foul

    def race(self, seat: int, card: str) -> None:
        """Play *card* on the reader of *seat*."""
        self.give(Tap(self.piece(card), f"seat-{seat + 1}", Seat(seat)))

    def choose(self, *what: str | int) -> None:
        """Choose one or more names, or seats where the value is a number."""
        for name in what:
            self.give(SeatChoice(Seat(name)) if isinstance(name, int) else Choice(name))

    def action(self, times: int = 1) -> None:
        """Press the action button *times* times."""
        for _ in range(times):
            self.give(Press(Button.ACTION))

    def ok(self) -> None:
        """Press OK to say that the next round is dealt."""
        self.give(Press(Button.OK))

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

    def put_back(self, given: Input) -> list[str]:
        """Return the instructions for undoing *given*, in words; the state does not change."""
        before = self.state
        self.give(given)
        back = [CASE.words.say(message) for message in GAME.put_back(before, given)]
        self.state = before
        return back

    # --- shortcuts to a situation ---

    def hold(self, *hands: int) -> "CiaoTable":
        """Set the number of cards in each hand; the draw pile gives or takes the difference."""
        now = self.state.round
        pile = now.pile + sum(now.hands) - sum(hands)
        self.state = replace(self.state, round=replace(now, hands=hands, pile=pile))
        return self

    def pile(self, cards: int, *discards: str) -> "CiaoTable":
        """Set the draw pile to *cards*, and put *discards* below the top card.

        The first player's hand gets the rest.
        """
        now = self.state.round
        below = now.discards.union(map(Piece.parse, discards))
        moved = now.pile - cards - (len(below) - len(now.discards))
        hands = (now.hands[0] + moved, *now.hands[1:])
        self.state = replace(
            self.state, round=replace(now, pile=cards, discards=below, hands=hands)
        )
        return self
