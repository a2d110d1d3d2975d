"""The rules card of the game: its parts, its special pieces, and their pictures.

May import: the standard library and engines.common.
May be imported by: engines.straw only, and tests.
"""

from typing import Final

from engines.common.pieces import Kind
from engines.common.rules_card import CardPart, RulesCard


def _special(kind: Kind) -> str:
    return "" if kind.family == "weight" else kind.family


RULES_CARD: Final = RulesCard(
    parts=(
        CardPart("goal", ("weight-10", "weight-7", "carpet-3")),
        CardPart("start"),
        CardPart("turn", ("lamp", "copy", "reverse")),
        CardPart("end", ("straw",)),
        CardPart("score"),
    ),
    special=_special,
    minutes=30,
)
