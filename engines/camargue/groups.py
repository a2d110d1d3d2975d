"""The groups of pieces that have one name together.

A tile fits by its paths, not by its landscape, so the groups of tiles are named by their paths.

May import: the standard library and engines.common, engines.camargue.tiles.
May be imported by: engines.camargue only, and tests.
"""

from collections.abc import Callable, Iterator
from typing import Final

from engines.camargue.tiles import LANDSCAPES
from engines.common.grid import SIDES
from engines.common.groups import Group, family
from engines.common.pieces import Kind

TWO_SIDES: Final = ("ne", "es", "sw", "nw", "ns", "ew")
ALL_SIDES: Final = "".join(SIDES)


def _tiles_with(condition: Callable[[str], bool]) -> Callable[[Kind], bool]:
    """Return a condition that is true for landscape tiles whose letters of paths meet *condition*.

    The letters are the last part of a kind's name, such as ``nes``.
    """
    is_tile = family(*LANDSCAPES)
    return lambda kind: is_tile(kind) and condition(kind.name.rpartition("-")[2])


def _by_side(side: str) -> Iterator[Group]:
    """Yield the groups that are named by the one *side* with or without a path."""
    facts = {"side": side}
    yield Group("paths-to", _tiles_with(lambda paths: side in paths), facts)
    yield Group("paths-not-to", _tiles_with(lambda paths: side not in paths), facts)
    branch = ALL_SIDES.replace(side, "")
    yield Group("paths-branch", _tiles_with(lambda paths: paths == branch), facts)


def _with_paths(paths: str) -> Group:
    """Return the group of the tiles with exactly *paths*."""
    return Group(f"paths-{paths}", _tiles_with(lambda each: each == paths))


GROUPS: Final = (
    Group("tiles", family(*LANDSCAPES)),
    *(group for side in SIDES for group in _by_side(side)),
    *map(_with_paths, (*TWO_SIDES, ALL_SIDES)),
    Group("helpers", family("helper")),
)
