"""Fan: a game for tests with its own layout; ``sim`` knows neither the game nor the layout.

All cards are face up in one row, which a page draws with ``fan.js`` from this package. People can
reverse the row by hand.
"""

from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from engines.common.contract import Game, View
from engines.common.pieces import Deck, Piece
from firmware.journal.journal import GameRecord
from sim.deal.layout import Arrangement, Decisions, Eyes, HandAct, Layout, Values, lacking
from sim.deal.transitions import transitions_of
from tests.sim.deal.heap import Heap, State

TURN_ROUND = "turn-round"


@dataclass
class Row(Arrangement):
    """The cards that were not played yet, from left to right."""

    cards: list[Piece]

    def page_data(self, eyes: Eyes) -> dict[str, Any]:
        """Return the tags of the row, for pages."""
        return {"row": eyes.tags(self.cards)}

    def decision(self, asked: HandAct, game: str) -> Values:
        """Accept a request to reverse the row; return no values, because none are needed."""
        return {} if asked.act == TURN_ROUND else super().decision(asked, game)


class FanLayout(Layout):
    """A layout with all cards face up in one row."""

    name = "fan"
    page = files(__name__) / "fan.js"
    has_hands = False

    def misfit(self, deck: Deck, first: View) -> str:
        """Return a description of the counts that the game lacks; empty if it lacks none."""
        return lacking(["laid"], first.counts)

    def arrange(self, game: Game[Any], record: GameRecord, seed: int, decisions: Decisions) -> Row:
        """Return the row in deck order, reversed if people reversed it; *seed* is not used."""
        _, acts = transitions_of(game, record)
        taken = [getattr(act.given, "piece", None) for act in acts]
        cards = [piece for piece in record.start.deck.pieces() if piece not in taken]
        turns = sum(TURN_ROUND in acts_then for acts_then in decisions.values())
        return Row(cards[::-1] if turns % 2 else cards)


LAYOUT: Final = FanLayout()
GAME: Final[Game[State]] = Heap("fan", __name__, "fan")
