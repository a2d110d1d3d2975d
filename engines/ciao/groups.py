"""The groups of pieces that have one name together.

May import: the standard library and engines.common, engines.ciao.cards.
May be imported by: engines.ciao only, and tests.
"""

from typing import Final

from engines.ciao.cards import COLOURS, PLUS3, SYMBOLS
from engines.common.groups import Group, family, with_traits
from engines.common.pieces import Kind


def _is_plain(kind: Kind) -> bool:
    """Return True for any card except a joker, a +3 or an obstacle."""
    return kind.family in SYMBOLS and kind.traits.get("special") != PLUS3


GROUPS: Final = (
    Group("cards", lambda kind: kind.name != "obstacle"),
    *(Group(symbol, with_traits(symbol=symbol)) for symbol in SYMBOLS),
    *(
        Group(f"{symbol}-{colour}", with_traits(symbol=symbol, colour=colour))
        for symbol in SYMBOLS
        for colour in COLOURS
    ),
    *(Group(f"{symbol}-plus3", with_traits(symbol=symbol, special="plus3")) for symbol in SYMBOLS),
    Group("jokers", family("joker")),
    Group("plain", _is_plain),
)
