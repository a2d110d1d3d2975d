"""The tiles of Cramel: which kinds there are, and numbers of them.

Room: engines/cramel.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/cramel/RULES.md, quoted below as "RULES 1.2" and so on; how many tiles make a set
stands in deck.toml, as the dots on the tiles do.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from engines.common.pieces import Deck, Piece

GOL, BLOOM, CRAMEL = "gol", "bloom", "cramel"
KINDS = (GOL, "jane", "helena", "el-el", "ring-box", "roby", BLOOM, CRAMEL)


@dataclass(frozen=True, slots=True)
class Tiles:
    """So many tiles of each kind; which of them, nobody keeps (RULES 1.2)."""

    counts: tuple[int, ...] = (0,) * len(KINDS)  # in the order of KINDS

    @classmethod
    def of(cls, kinds: Iterable[str]) -> Self:
        """Count *kinds*."""
        counted = Counter(kinds)
        return cls(tuple(counted[kind] for kind in KINDS))

    def __getitem__(self, kind: str) -> int:
        return self.counts[KINDS.index(kind)]

    def __add__(self, more: "Tiles") -> "Tiles":
        return Tiles(tuple(a + b for a, b in zip(self.counts, more.counts, strict=True)))

    def __sub__(self, less: "Tiles") -> "Tiles":
        return Tiles(tuple(a - b for a, b in zip(self.counts, less.counts, strict=True)))

    @property
    def total(self) -> int:
        """How many tiles these are."""
        return sum(self.counts)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of which there is a tile."""
        return tuple(kind for kind in KINDS if self[kind])

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """So many pieces of each kind, to be told of; their copies mean nothing."""
        return tuple(Piece(kind) for kind in self.kinds for _ in range(self[kind]))


def check_kinds(deck: Deck) -> None:
    """Refuse a deck with a kind of tile that Cramel has no rule for.

    Raises:
        ValueError: names the first such kind.
    """
    for kind in deck.by_name:
        if kind not in KINDS:
            raise ValueError(f'Cramel has no tile "{kind}"')
