"""The rules card of the game: its parts, its special pieces, and their pictures.

May import: the standard library and engines.common.
May be imported by: engines.cramel only, and tests.
"""

from typing import Final

from engines.common.pieces import Kind
from engines.common.rules_card import CardPart, RulesCard


def _special(kind: Kind) -> str:
    """Return ``<name>`` of the text ``does.<name>`` about *kind* (``RulesCard.special``).

    Special kinds have their own text; the others share one for each number of dots.
    """
    return kind.name if kind.name in ("gol", "bloom", "cramel") else f"set-{kind.value}"


RULES_CARD: Final = RulesCard(
    parts=(
        CardPart("goal", ("helena", "helena")),
        CardPart("start"),
        CardPart("turn", ("roby", "jane", "el-el", "ring-box")),
        CardPart("danger", ("bloom", "cramel")),
        CardPart("end"),
        CardPart("score"),
    ),
    special=_special,
    minutes=15,
)
