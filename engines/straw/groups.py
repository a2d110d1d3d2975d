"""The groups of pieces that have one name together.

May import: the standard library and engines.common.
May be imported by: engines.straw only, and tests.
"""

from functools import partial
from typing import Final

from engines.common.groups import Group, family
from engines.common.pieces import Kind


def _weighs(least: int, most: int, kind: Kind) -> bool:
    return kind.family == "weight" and least <= kind.value <= most


HEAVIEST: Final = 10

GROUPS: Final = (
    Group("weights", family("weight")),
    *(Group("weights-up-to", partial(_weighs, 1, n), {"n": n}) for n in range(HEAVIEST - 1, 1, -1)),
    *(Group("weights-from", partial(_weighs, n, HEAVIEST), {"n": n}) for n in range(2, HEAVIEST)),
    Group("carpets", family("carpet")),
)
