"""The rules card of the game: its parts, its special pieces, and their pictures.

May import: the standard library and engines.common.
May be imported by: engines.camargue only, and tests.
"""

from typing import Final

from engines.common.pieces import Kind
from engines.common.rules_card import CardPart, RulesCard


def _special(kind: Kind) -> str:
    return kind.family if kind.family in ("helper", "emergency") else ""


RULES_CARD: Final = RulesCard(
    parts=(
        CardPart("goal"),
        CardPart("start", ("start",)),
        CardPart("turn", ("forest-ew", "water-esw", "grain-nw")),
        CardPart("score"),
        CardPart("helpers", ("helper-forest-water",)),
        CardPart("end"),
    ),
    special=_special,
    minutes=40,  # an estimate, from about 190 plays
)
