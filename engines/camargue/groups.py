"""The groups of pieces that have one name together.

May import: the standard library and engines.common.
May be imported by: engines.camargue only, and tests.
"""

from typing import Final

from engines.common.groups import Group, family

LANDSCAPES: Final = ("forest", "grain", "lavender", "village", "water")

GROUPS: Final = (
    Group("tiles", family(*LANDSCAPES)),
    *(Group(f"tiles-{landscape}", family(landscape)) for landscape in LANDSCAPES),
    Group("helpers", family("helper")),
)
