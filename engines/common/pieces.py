"""Pieces and decks: what lies in a game's box, as the deck file tells it.

Room: engines/common. Reading ``deck.toml`` is firmware's work (``firmware.decks``).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self


@dataclass(frozen=True, slots=True, order=True)
class Piece:
    """One physical card or tile: the *copy*-th (from 1) of its *kind*; written ``kind#copy``."""

    kind: str
    copy: int = 1

    def __str__(self) -> str:
        return f"{self.kind}#{self.copy}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``kind#copy`` (or ``kind``, meaning copy 1).

        Raises:
            ValueError: what follows ``#`` is not a whole number from 1.
        """
        kind, mark, copy = text.partition("#")
        if not mark:
            return cls(kind)
        if not (copy.isascii() and copy.isdecimal() and int(copy) >= 1):
            raise ValueError(f'"{text}": what follows # must be a whole number from 1')
        return cls(kind, int(copy))


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of piece: how many copies the box holds and the *value* printed on each.

    *traits* are a game's further columns of the deck file (colour, symbol, paths).
    """

    name: str
    count: int
    value: int = 0
    traits: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True)
class Deck:
    """All kinds of one game. *is_verified* is false where the true composition is not known.

    *spread* is how all pieces are laid out face down, in so many rows and columns; none for a game
    that is dealt otherwise. It serves who lays out: a referee does not know where a piece lies.
    """

    game: str
    kinds: tuple[Kind, ...]
    is_verified: bool
    spread: tuple[int, int] | None = None

    @cached_property
    def by_name(self) -> Mapping[str, Kind]:
        """The kinds by their names."""
        return {kind.name: kind for kind in self.kinds}

    @property
    def total(self) -> int:
        """How many pieces the box holds."""
        return sum(kind.count for kind in self.kinds)

    def pieces(self) -> tuple[Piece, ...]:
        """Every piece, kind by kind, copy 1 first."""
        return tuple(Piece(k.name, n) for k in self.kinds for n in range(1, k.count + 1))

    def holds(self, piece: Piece) -> bool:
        """Whether *piece* is of this deck."""
        kind = self.by_name.get(piece.kind)
        return kind is not None and 1 <= piece.copy <= kind.count
