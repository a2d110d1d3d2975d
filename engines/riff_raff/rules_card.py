"""The rules card of the game: its parts, its special pieces, and their pictures.

May import: the standard library and engines.common.
May be imported by: engines.riff_raff only, and tests.
"""

from typing import Final

from engines.common.pieces import Kind
from engines.common.rules_card import CardPart, RulesCard
from engines.riff_raff.ship import YARDARMS


def _special(kind: Kind) -> str:
    """Return ``<name>`` of the text ``does.<name>`` about a card's area; "" for cargo."""
    return "" if not kind.value else "yardarm" if kind.value in YARDARMS else "deck"


RULES_CARD: Final = RulesCard(
    parts=(
        CardPart("goal", ("red-barrel", "blue-sailor", "green-rat")),
        CardPart("start"),
        CardPart("turn", ("red-9", "blue-6", "green-2")),
        CardPart("fall"),
        CardPart("end"),
    ),
    special=_special,
    minutes=20,  # an estimate, from about 100 plays
)
