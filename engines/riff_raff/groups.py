"""The groups of pieces that have one name together.

May import: the standard library and engines.common, engines.riff_raff.box.
May be imported by: engines.riff_raff only, and tests.
"""

from collections.abc import Callable
from typing import Final

from engines.common.groups import Group
from engines.common.pieces import Kind
from engines.riff_raff.box import CARGO, COLOURS


def _cards_of(*colours: str) -> Callable[[Kind], bool]:
    return lambda kind: kind.traits["colour"] in colours and kind.name not in CARGO


def _cargo_of(colour: str) -> Callable[[Kind], bool]:
    return lambda kind: kind.traits["colour"] == colour and kind.name in CARGO


GROUPS: Final = (
    Group("cards", _cards_of(*COLOURS)),
    *(Group(f"cards-{colour}", _cards_of(colour)) for colour in COLOURS),
    *(Group(f"cargo-{colour}", _cargo_of(colour)) for colour in COLOURS),
)
