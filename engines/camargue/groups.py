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
STRAIGHTS: Final = ("ns", "ew")
ALL_SIDES: Final = "".join(SIDES)
BRANCH: Final = 3  # the number of its paths


def _tiles(name: str, has: Callable[[str], bool], **facts: str) -> Group:
    """Return the group of the landscape tiles whose letters of paths meet the condition *has*.

    The letters are the last part of a kind's name, such as ``nes``. All curves of a landscape have
    the same name, so a single kind is named by its paths too.
    """
    is_tile = family(*LANDSCAPES)

    def is_in(kind: Kind) -> bool:
        return is_tile(kind) and has(kind.name.rpartition("-")[2])

    return Group(name, is_in, facts, least=1)


def _by_side(side: str) -> Iterator[Group]:
    """Yield the groups that are named by the one *side* with or without a path."""
    branch = ALL_SIDES.replace(side, "")
    yield _tiles("paths-to", lambda paths: side in paths, side=side)
    yield _tiles("paths-not-to", lambda paths: side not in paths, side=side)
    yield _tiles("paths-branch", lambda paths: paths == branch, side=side)


def _by_two(sides: str) -> Iterator[Group]:
    """Yield the groups that are named by two *sides* with a path."""
    yield _tiles(f"paths-both-{sides}", lambda paths: {*sides} <= {*paths})
    yield _tiles(f"paths-{sides}", lambda paths: paths == sides)


GROUPS: Final = (
    Group("tiles", family(*LANDSCAPES)),
    *(group for side in SIDES for group in _by_side(side)),
    *(group for sides in TWO_SIDES for group in _by_two(sides)),
    _tiles("paths-curves", lambda paths: paths in TWO_SIDES and paths not in STRAIGHTS),
    _tiles("paths-straights", lambda paths: paths in STRAIGHTS),
    _tiles("paths-branches", lambda paths: len(paths) == BRANCH),
    _tiles("paths-nesw", lambda paths: paths == ALL_SIDES),
    Group("helpers", family("helper")),
)
