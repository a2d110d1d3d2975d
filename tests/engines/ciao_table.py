"""A table of Ciao! for tests: play in words, look at what the referee keeps."""

from dataclasses import replace

from engines.ciao import GAME
from engines.ciao.cards import SYMBOLS
from engines.ciao.state import State
from engines.common.contract import (
    Button,
    Choice,
    Direction,
    Handed,
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
    """A deck of a few kinds of Ciao!: ``small_deck(rock_green=20, obstacle=1)``."""
    names = {name.replace("_", "-"): count for name, count in counts.items()}
    kinds = (
        Kind(name, count, DECK.by_name[name].value, DECK.by_name[name].traits)
        for name, count in names.items()
    )
    return Deck("ciao", tuple(kinds), is_verified=False)


def plain_deck() -> Deck:
    """A box of which nobody knows which card bears which special: all of them are plain."""
    of_each_symbol = {"green": 12, "yellow": 10, "red": 10}
    kinds = []
    for kind in DECK.kinds:
        symbol, _, rest = kind.name.partition("-")
        count = kind.count if symbol not in SYMBOLS else of_each_symbol.get(rest, 0)
        kinds.append(Kind(kind.name, count, kind.value, kind.traits))
    return Deck("ciao", tuple(kinds), is_verified=False)


class CiaoTable:
    """Plays Ciao! through the contract; the first seat plays first, the last deals.

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
        self.is_foul = False
        self.handed: tuple[Handed, ...] = ()

    # --- what it shows ---

    @property
    def view(self) -> View:
        """What the table shows."""
        return GAME.view(self.state)

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of cards the referee keeps."""
        return dict(self.view.counts)

    @property
    def hands(self) -> tuple[int, ...]:
        """How many cards everybody holds."""
        return self.state.round.hands

    @property
    def top(self) -> str:
        """The headline with its caption: ``ROCK green``, ``6 cards owed``."""
        view = self.view
        headline = view.headline
        word = headline if isinstance(headline, str) else CASE.words.say(headline)
        return f"{word} {CASE.words.say(view.caption)}"

    @property
    def hint(self) -> str:
        """The hint in words."""
        return CASE.words.say(self.view.hint)

    @property
    def told(self) -> list[str]:
        """The codes of what the last step told, without who is next."""
        return [event.code for event in self.events if event.code != "turn"]

    @property
    def said(self) -> str:
        """The words of what the last step told."""
        return " ".join(CASE.words.say(event) for event in self.events)

    @property
    def asks(self) -> tuple[object, ...]:
        """What the state accepts."""
        return GAME.asks(self.state)

    @property
    def card_ask(self) -> TapAsk:
        """The card that is asked for."""
        return next(ask for ask in self.asks if isinstance(ask, TapAsk))

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of card that are right now."""
        return self.card_ask.kinds

    @property
    def fouls(self) -> frozenset[str]:
        """The kinds of card that are wrong now."""
        return self.card_ask.fouls

    @property
    def label(self) -> str:
        """What a button does now."""
        ask = next(ask for ask in self.asks if isinstance(ask, PressAsk))
        return CASE.words.fill(f"label.{ask.label}", ask.facts)

    def fact(self, code: str, name: str) -> object:
        """A fact of the last step's event *code*."""
        return next(e.facts[name] for e in self.events if e.code == code)

    def is_clockwise(self) -> bool:
        """Whether the turn goes clockwise."""
        return self.view.direction is Direction.CLOCKWISE

    def all_cards(self) -> int:
        """Every card the referee counts: in hands, on the pile and the discards, in the box."""
        counts = self.counts
        hands = (cards for place, cards in counts.items() if place.startswith("hand-"))
        return counts["draw-pile"] + counts["discard"] + counts["left-out"] + sum(hands)

    # --- what people do ---

    def piece(self, text: str) -> Piece:
        """The card *text*; a kind without a copy is any that can still be in a hand."""
        if "#" in text:
            return Piece.parse(text)
        gone = self.state.round.discards.union(*self.state.counting.shown)
        copies = (Piece(text, copy) for copy in range(1, 100))
        return next(piece for piece in copies if piece not in gone)

    def give(self, given: Input) -> None:
        """Take one input."""
        step = GAME.step(self.state, given)
        self.state, self.events = step.state, step.events
        self.is_foul, self.handed = step.is_foul, step.handed
        assert all(CASE.words.say(event) for event in self.events)
        assert CASE.words.say(self.view.hint)

    def tap(self, *cards: str) -> None:
        """Lay *cards* one after the other; each must be right."""
        for card in cards:
            self.give(Tap(self.piece(card)))
            assert not self.is_foul, self.said

    def foul(self, card: str, seat: int | None = None) -> None:
        """Lay a card that must be wrong."""
        spot = "play" if seat is None else f"seat-{seat + 1}"
        self.give(Tap(self.piece(card), spot, None if seat is None else Seat(seat)))
        assert self.is_foul

    def race(self, seat: int, card: str) -> None:
        """*seat* lays a card on its own reader."""
        self.give(Tap(self.piece(card), f"seat-{seat + 1}", Seat(seat)))

    def choose(self, *what: str | int) -> None:
        """Choose a name, or a seat by its number."""
        for name in what:
            self.give(SeatChoice(Seat(name)) if isinstance(name, int) else Choice(name))

    def action(self, times: int = 1) -> None:
        """Press the action button."""
        for _ in range(times):
            self.give(Press(Button.ACTION))

    def ok(self) -> None:
        """Say that the next round is dealt."""
        self.give(Press(Button.OK))

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

    def put_back(self, given: Input) -> list[str]:
        """What is to be moved back when *given* is taken, and undone: in words."""
        before = self.state
        self.give(given)
        back = [CASE.words.say(message) for message in GAME.put_back(before, given)]
        self.state = before
        return back

    # --- ways to get there ---

    def hold(self, *hands: int) -> "CiaoTable":
        """Let everybody hold so many cards, as if the others had been drawn or not."""
        now = self.state.round
        pile = now.pile + sum(now.hands) - sum(hands)
        self.state = replace(self.state, round=replace(now, hands=hands, pile=pile))
        return self

    def pile(self, cards: int, *discards: str) -> "CiaoTable":
        """Leave so many cards to draw, *discards* below the top card, the rest with the first."""
        now = self.state.round
        below = now.discards.union(map(Piece.parse, discards))
        moved = now.pile - cards - (len(below) - len(now.discards))
        hands = (now.hands[0] + moved, *now.hands[1:])
        self.state = replace(
            self.state, round=replace(now, pile=cards, discards=below, hands=hands)
        )
        return self
