"""The groups of pieces that have one name together.

May import: the standard library and engines.common, engines.ciao.cards.
May be imported by: engines.ciao only, and tests.
"""

from typing import Final

from engines.ciao.cards import COLOURS, SYMBOLS
from engines.common.groups import Group, family, with_traits

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
)
