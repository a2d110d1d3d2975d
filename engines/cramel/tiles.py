"""The kinds of tile in Cramel, and counts of tiles by kind.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/cramel/RULES.md, quoted below as "RULES 1.2" and so on. The value of a
kind in deck.toml is the number of tiles in a set, as the dots on the tiles show it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import compress
from operator import add, sub
from typing import Self

from engines.common.pieces import Deck, Piece

GOL, BLOOM, CRAMEL = "gol", "bloom", "cramel"
KINDS = (GOL, "jane", "helena", "el-el", "ring-box", "roby", BLOOM, CRAMEL)


@dataclass(frozen=True, slots=True)
class TileCounts:
    """The number of tiles of each kind. Which tiles they are is not recorded (RULES 1.2)."""

    counts: tuple[int, ...] = (0,) * len(KINDS)  # in the order of KINDS

    @classmethod
    def of(cls, kinds: Iterable[str]) -> Self:
        """Return the counts of tiles. *kinds* has the kind of each tile."""
        given = tuple(kinds)
        return cls(tuple(map(given.count, KINDS)))

    def __getitem__(self, kind: str) -> int:
        return self.counts[KINDS.index(kind)]

    def __add__(self, more: "TileCounts") -> "TileCounts":
        return TileCounts(tuple(map(add, self.counts, more.counts)))

    def __sub__(self, less: "TileCounts") -> "TileCounts":
        return TileCounts(tuple(map(sub, self.counts, less.counts)))

    @property
    def total(self) -> int:
        """The number of tiles of all kinds."""
        return sum(self.counts)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds with at least one tile."""
        return tuple(compress(KINDS, self.counts))

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """A piece for each tile, for messages. The copy numbers mean nothing."""
        return tuple(Piece(kind) for kind in self.kinds for _ in range(self[kind]))


def check_kinds(deck: Deck) -> None:
    """Check that Cramel has a rule for every kind of tile in *deck*.

    Raises:
        ValueError: there is no rule for one of the kinds.
    """
    for kind in deck.by_name:
        if kind not in KINDS:
            raise ValueError(f'Cramel has no tile "{kind}"')
