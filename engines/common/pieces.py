"""Pieces and decks: the contents of a game's box.

``firmware.boxes.decks`` reads them from ``deck.toml``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self


@dataclass(frozen=True, slots=True, order=True)
class Piece:
    """One physical card or tile, written ``kind#copy``. Copies of a kind are numbered from 1."""

    kind: str
    copy: int = 1

    def __str__(self) -> str:
        return f"{self.kind}#{self.copy}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the piece that *text* names: ``kind#copy``, or ``kind`` for copy 1.

        Raises:
            ValueError: the part after ``#`` is not a whole number from 1.
        """
        kind, mark, copy = text.partition("#")
        if not mark:
            return cls(kind)
        if not (copy.isascii() and copy.isdecimal() and int(copy) >= 1):
            raise ValueError(
                f'"{text}" is not a piece: the # must be followed by a whole number from 1'
            )
        return cls(kind, int(copy))


def family_of(kind: str) -> str:
    """Return the name of *kind* up to the first ``-``: ``weight`` for ``weight-10``."""
    return kind.partition("-")[0]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of piece: *count* copies are in the box, with *value* printed on each.

    *traits* are the columns of the deck file that only this game uses, such as a colour.
    """

    name: str
    count: int
    value: int = 0
    traits: Mapping[str, str | int] = field(default_factory=dict)

    @property
    def family(self) -> str:
        """The family of the kind; see ``family_of``."""
        return family_of(self.name)


@dataclass(frozen=True)
class Deck:
    """All kinds of piece of one game.

    *is_verified* is False if nobody has counted the pieces of a real box. *spread* is the number of
    rows and columns in which the virtual table lays out all pieces face down, or None for a game
    that is dealt in another way.
    """

    game: str
    kinds: tuple[Kind, ...]
    is_verified: bool
    spread: tuple[int, int] | None = None

    @cached_property
    def by_name(self) -> Mapping[str, Kind]:
        """The kinds by their names."""
        return {kind.name: kind for kind in self.kinds}

    @cached_property
    def copies(self) -> Mapping[str, frozenset[Piece]]:
        """The pieces of each kind, by its name."""
        return {
            kind.name: frozenset(Piece(kind.name, n) for n in range(1, kind.count + 1))
            for kind in self.kinds
        }

    @property
    def total(self) -> int:
        """The number of pieces in the box."""
        return sum(kind.count for kind in self.kinds)

    def pieces(self) -> tuple[Piece, ...]:
        """Return every piece, in the order of the kinds and their copies."""
        return tuple(Piece(k.name, n) for k in self.kinds for n in range(1, k.count + 1))

    def holds(self, piece: Piece) -> bool:
        """Return True if *piece* is in this deck."""
        kind = self.by_name.get(piece.kind)
        return kind is not None and 1 <= piece.copy <= kind.count
