"""The rules card of the game: its parts, its special pieces, and their pictures.

May import: the standard library and engines.common.
May be imported by: engines.ciao only, and tests.
"""

from typing import Final

from engines.common.pieces import Kind
from engines.common.rules_card import CardPart, RulesCard


def _special(kind: Kind) -> str:
    special = str(kind.traits.get("special", "none"))
    if special != "none":
        return special
    return kind.family if kind.family in ("joker", "obstacle") else ""


RULES_CARD: Final = RulesCard(
    parts=(
        CardPart("goal"),
        CardPart("start"),
        CardPart("symbols", ("paper-green", "rock-yellow", "scissors-red")),
        CardPart("colours", ("rock-red", "rock-yellow", "rock-green")),
        CardPart("turn"),
        CardPart("end"),
    ),
    special=_special,
    minutes=20,
    fouls={
        "wrong-card": "4.1",
        "wrong-obstacle": "5.3",
        "wrong-answer": "6.6",
        "thanks-forgotten": "8.5",
    },
)
