"""The robots of Heap, which its package offers beside the game; ``sim`` does not know them."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any, Final

from engines.common.contract import PLAY_SPOT, Input, Tap
from engines.common.pieces import Piece
from sim.robots.contract import (
    NOT_NOW,
    TAKEN,
    Books,
    Expected,
    RobotAct,
    Robots,
    Ruling,
    SeededDeal,
    piece_of,
    tap_ruling,
)
from sim.robots.scene import HandsScene

CARDS = [*(f"low#{n}" for n in range(1, 7)), *(f"high#{n}" for n in range(1, 7))]
DEALT = 3


class HeapBooks:
    """The books of a game of Heap: every hand, and the cards left to draw."""

    def __init__(self, deal: SeededDeal) -> None:
        cards = list(CARDS)
        Random(deal.seed).shuffle(cards)
        self.hands = [[cards.pop() for _ in range(DEALT)] for _ in range(deal.players)]
        self.pile = cards
        self.laid: list[str] = []
        self.scores = [0] * deal.players
        self.actor = (deal.dealer + 1) % deal.players

    @property
    def is_over(self) -> bool:
        """Return True if all hands are empty."""
        return not any(self.hands)

    @property
    def expected(self) -> Expected:
        """The view that the table must show now."""
        best = max(self.scores)
        winners = [seat for seat, score in enumerate(self.scores) if score == best]
        counts = {f"hand-{seat}": len(hand) for seat, hand in enumerate(self.hands, start=1)}
        return Expected(
            "over" if self.is_over else "play",
            scores=tuple(self.scores),
            turn=None if self.is_over else self.actor,
            winners=winners if self.is_over else (),
            headline=str(best),
            counts={**counts, "draw-pile": len(self.pile), "laid": len(self.laid)},
        )

    @property
    def lying(self) -> Sequence[Piece]:
        """The cards played so far."""
        return [piece_of(card) for card in self.laid]

    def hand(self, seat: int) -> Sequence[Piece]:
        """Return the cards of *seat*."""
        return [piece_of(card) for card in self.hands[seat]]

    def ruling(self, given: Input) -> Ruling | None:
        """Return the answer to *given*, or None for a card that another player holds."""
        if not isinstance(given, Tap):
            return NOT_NOW
        if wrong := tap_ruling(given, self.actor, (PLAY_SPOT,), frozenset(CARDS)):
            return wrong
        if str(given.piece) in self.laid:
            return Ruling("already-played")
        return TAKEN if str(given.piece) in self.hands[self.actor] else None

    def take(self, act: RobotAct) -> None:
        """Play the tapped card, score it, and draw a card."""
        assert isinstance(act.given, Tap)
        card, hand = str(act.given.piece), self.hands[self.actor]
        hand.remove(card)
        self.laid.append(card)
        self.scores[self.actor] += 2 if card.startswith("high") else 1
        if self.pile:
            hand.append(self.pile.pop())
        self.actor = (self.actor + 1) % len(self.hands)


def first_card(books: Any, chance: Random) -> RobotAct:
    """Tap the first card of the hand."""
    return RobotAct(books.actor, Tap(books.hand(books.actor)[0]))


def from_scene(scene: HandsScene) -> Books | None:
    """Return books with the robot's own hand, or None if it is not the robot's turn."""
    if scene.turn != scene.seat:
        return None
    books = HeapBooks(SeededDeal(scene.players, scene.seat, 0))
    books.actor = scene.seat
    books.hands[scene.seat] = list(scene.hand)
    return books


ROBOTS: Final = Robots(
    "heap",
    range(2, 4),
    HeapBooks,
    {"first": first_card},
    from_scene=from_scene,
    fair=("first",),
)
NAMED_WRONG: Final = replace(ROBOTS, game="fan")
