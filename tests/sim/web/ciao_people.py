"""Players of Ciao! with the virtual deck, for tests of the deck and of the page."""

from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from engines.ciao import GAME
from engines.common.contract import Game, Input, OptionValue, Seat, Setup, Step, View
from engines.common.pieces import Deck, Piece
from firmware.journal.journal import GameRecord, GameStart
from sim.deal.layouts.hands import Cards, Dealer, cards_of
from sim.deal.transitions import Transition
from tests.engines.ciao_table import DECK

CIAO: Game[Any] = GAME
NAMES = ("Ann", "Ben", "Cem", "Dora", "Emil", "Fay")


class People:
    """Players of Ciao! with the virtual deck, each with a hand; Ann begins."""

    def __init__(
        self,
        seed: int,
        players: int = 3,
        deck: Deck = DECK,
        options: Mapping[str, OptionValue] | None = None,
    ) -> None:
        start = GameStart("ciao", NAMES[:players], players - 1, options or {}, deck)
        self.seed = seed
        self.record = GameRecord(1, start, ())
        self.gifts: dict[int, Piece] = {}
        self.state = CIAO.start(Setup(players, Seat(players - 1), deck, start.options))
        self.dealer = Dealer(deck, Random(seed))
        self.dealer.deal(self.view)
        self.step: Step[Any] = Step(self.state, ())
        self.held = self.hands  # the hands before the last input

    @property
    def view(self) -> View:
        return CIAO.view(self.state)

    @property
    def cards(self) -> Cards:
        return self.dealer.cards

    @property
    def hands(self) -> list[list[Piece]]:
        """Copies of all hands."""
        return [list(hand) for hand in self.cards.hands]

    @property
    def refolded(self) -> Cards:
        """The positions of the cards, rebuilt from the journal only."""
        return cards_of(CIAO, self.record, self.seed, self.gifts)

    def ask(self, kind: type) -> Any:
        """Return the current ask of type *kind*, or None."""
        return next((ask for ask in CIAO.asks(self.state) if isinstance(ask, kind)), None)

    def give(self, *inputs: Input, wish: Piece | None = None) -> None:
        """Give *inputs* to the game in order; *wish* is the card given away with the last."""
        for given in inputs:
            before, self.held = self.view, self.hands
            self.step = CIAO.step(self.state, given)
            self.state, self.record = self.step.state, self.record.with_input(given)
            is_wished = wish is not None and given is inputs[-1]
            self.dealer.apply(
                Transition(given, self.step, before, self.view), wish if is_wished else None
            )
            if is_wished and wish is not None:
                self.gifts[len(self.record.inputs)] = wish

    def undone(self) -> "People":
        """Return players in the same game, with the last input undone."""
        record = self.record.with_undo()
        start = record.start
        again = People(self.seed, len(start.names), start.deck, start.options)
        for number, given in enumerate(record.inputs, start=1):
            again.give(given, wish=self.gifts.get(number))
        return again

    def check(self) -> None:
        """Assert that each card is in one place, and that each hand has the counted number."""
        deck, counts = self.record.start.deck, self.view.counts
        played = (p for p in deck.pieces() if p.kind not in self.view.left_out)
        cards = self.cards
        everywhere = Counter(p for place in (*cards.hands, cards.pile, cards.laid) for p in place)
        assert everywhere == Counter(played)
        assert len(cards.pile) == counts["draw-pile"]
        held = [counts[f"hand-{n}"] for n in range(1, len(cards.hands) + 1)]
        missing = [n - len(hand) for n, hand in zip(held, cards.hands, strict=True)]
        lying = len(cards.laid) - counts["discard"]  # laid, but still counted in a hand
        assert min(missing) >= 0
        assert sum(missing) == lying
        if self.state.waiting is not None:
            assert lying == 1  # the card whose question is open
        elif self.view.phase not in ("scoring", "short", "round-over", "over"):
            assert lying == 0  # hands are laid down only for scoring, after the round


# --- deals ----------------------------------------------------------------------------------------


def dealt(
    wanted: Callable[[list[list[Piece]]], bool], players: int = 3, **kept: Any
) -> tuple[People, list[list[Piece]]]:
    """Return people whose hands *wanted* accepts, and these hands; *kept* goes to ``People``."""
    for seed in range(5000):
        people = People(seed, players, **kept)
        if wanted(people.hands):
            return people, people.hands
    raise AssertionError("no deal is like this")


def bears(piece: Piece, special: str) -> bool:
    return DECK.by_name[piece.kind].traits["special"] == special


def first(hand: list[Piece], special: str) -> Piece:
    """Return the first card of *hand* with the special effect *special*."""
    return next(piece for piece in hand if bears(piece, special))


def holding(special: str, players: int = 3) -> tuple[People, list[list[Piece]], Piece]:
    """Return people, their hands, and a card of the first player with the effect *special*.

    It is not the last card of the hand.
    """
    people, hands = dealt(lambda hands: any(bears(p, special) for p in hands[0][:-1]), players)
    return people, hands, first(hands[0], special)


def without(hand: list[Piece], *pieces: Piece) -> list[Piece]:
    return [piece for piece in hand if piece not in pieces]


def is_joker(piece: Piece) -> bool:
    return DECK.by_name[piece.kind].traits["symbol"] == "joker"
