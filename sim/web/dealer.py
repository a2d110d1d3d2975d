"""The virtual deck: shuffled, dealt and drawn from as people would, beside the mat.

Room: sim/web. It knows no rules. What has become of every card follows from the shuffle and the
journal: a tapped card leaves its hand, and whoever was to play draws as many as the referee counts
off the draw pile. So an undo, a power cut or a second page needs nothing of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from engines.common.contract import Game, Seat, Setup, Tap, View
from engines.common.pieces import Deck, Piece
from firmware.journal import GameRecord

PILE = "draw-pile"


@dataclass(slots=True)
class Cards:
    """Where every card of a deck is."""

    hands: list[list[Piece]]
    pile: list[Piece]  # the top card last
    laid: list[Piece] = field(default_factory=list)

    def take(self, piece: Piece) -> None:
        """*piece* is laid, from whichever hand, or from the pile, it was in."""
        for place in (*self.hands, self.pile):
            if piece in place:
                place.remove(piece)
        self.laid.append(piece)

    def draw(self, seat: Seat, count: int) -> None:
        """Move *count* cards from the pile to a hand."""
        for _ in range(min(count, len(self.pile))):
            self.hands[seat].append(self.pile.pop())


def shuffled(deck: Deck, view: View, chance: Random) -> Cards:
    """A fresh deal, with as many cards in each hand as the referee counts."""
    pile = list(deck.pieces())
    chance.shuffle(pile)
    cards = Cards([[] for _ in view.scores], pile)
    for seat in range(len(view.scores)):
        cards.draw(Seat(seat), view.counts.get(f"hand-{seat + 1}", 0))
    return cards


def cards_of(game: Game[Any], record: GameRecord, seed: int) -> Cards:
    """Where the cards of the game in *record* are, if it was shuffled with *seed*."""
    start = record.start
    state = game.start(Setup(len(start.names), Seat(start.dealer), start.deck, start.options))
    view = game.view(state)
    chance = Random(seed)
    cards = shuffled(start.deck, view, chance)
    for given in record.inputs:
        state = game.step(state, given).state
        before, view = view, game.view(state)
        if _has_new_deal(before.counts, view.counts):
            cards = shuffled(start.deck, view, chance)
            continue
        if isinstance(given, Tap):
            cards.take(given.piece)
        if before.turn is not None:
            cards.draw(before.turn, before.counts.get(PILE, 0) - view.counts.get(PILE, 0))
    return cards


def _has_new_deal(before: Mapping[str, int], after: Mapping[str, int]) -> bool:
    """Whether the cards were gathered, shuffled and dealt anew between two counts."""
    return after.get("round", 0) != before.get("round", 0)
