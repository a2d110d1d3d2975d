"""Boxes: one copy of a game each, with the stickers on its pieces.

``firmware.boxes.register`` stores the stickers, and ``firmware.table.modes.enrolling`` adds them.
The command cards are a box too.

Only pieces with a sticker can be played. A box is *whole* if all its pieces have a sticker. From
then on, the counts of its stickers replace the counts in the deck file. In this way, owners correct
two things without a keyboard (decision 0012): a deck file that is not verified, whose counts are a
guess, and a deck that has lost a card.

Some kinds need no sticker in play: their rows in the deck file have ``sticker = "optional"``.
Enrolling does not ask for them, and their counts are those of the deck file.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from math import prod
from typing import Self

from engines.common.pieces import Deck, Kind, Piece
from firmware.boxes.register import TagRegister

STICKER, OPTIONAL = "sticker", "optional"  # a column of the deck file, and its value


@dataclass(frozen=True)
class Box:
    """One copy of a game.

    *number* is its number, from 1, and *deck* the deck in the deck file. *stickers* maps each piece
    that has a sticker to the sticker's UID; the copies of a kind are numbered from 1 without gaps.
    *is_closed* is True if a player has confirmed that no other pieces are in the box.
    """

    deck: Deck
    number: int
    stickers: Mapping[Piece, bytes]
    is_closed: bool = False

    @classmethod
    def of(cls, register: TagRegister, deck: Deck, number: int = 1) -> Self:
        """Return box *number* of the game of *deck*, with its stickers in *register*.

        Raises:
            RegisterError: the register cannot be read.
        """
        known = deck.by_name
        stickers = {
            piece: uid
            for piece, uid in register.pieces(deck.game, number).items()
            if piece.kind in known
        }
        return cls(deck, number, stickers, register.is_closed(deck.game, number))

    @property
    def game(self) -> str:
        """The name of the game."""
        return self.deck.game

    @property
    def done(self) -> int:
        """The number of pieces with a sticker."""
        return sum(map(self._sticker_count, self.deck.kinds))

    @property
    def total(self) -> int:
        """The number of pieces that need a sticker, plus the optional ones that have one."""
        kinds = self.deck.kinds
        return sum(self._sticker_count(kind) if is_optional(kind) else kind.count for kind in kinds)

    @property
    def is_full(self) -> bool:
        """True if ``done`` has reached ``total``.

        In a deck that is not verified, only the total counts: extra stickers of one kind make up
        for missing stickers of another.
        """
        return self.done >= self.total

    @property
    def is_whole(self) -> bool:
        """True if each piece has a sticker or needs none.

        That is so if the box is full, or if people said that no other pieces are in it
        (``is_closed``).
        """
        return self.is_full or self.is_closed

    @cached_property
    def held(self) -> Counter[str]:
        """The number of stickers of each kind, by the kind's name."""
        return Counter(piece.kind for piece in self.stickers)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The names of the kinds that may be in the box, in the order of the deck.

        If the deck is verified, kinds with a count of 0 are left out.
        """
        return tuple(k.name for k in self.deck.kinds if k.count or not self.deck.is_verified)

    @property
    def lacking(self) -> tuple[str, ...]:
        """The names of the kinds that lack stickers, compared with the deck file's counts.

        Kinds that need no stickers are left out.
        """
        return tuple(k.name for k in self.deck.kinds if self.lacks(k.name) and not is_optional(k))

    def lacks(self, kind: str) -> bool:
        """Return True if *kind* has fewer stickers than the deck file has pieces of it."""
        return self.held[kind] < self.listed_count(kind)

    def is_optional(self, kind: str) -> bool:
        """Return True if pieces of *kind* need no sticker in play."""
        return is_optional(self.deck.by_name[kind])

    def listed_count(self, kind: str) -> int:
        """Return the number of pieces of *kind* according to the deck file."""
        return self.deck.by_name[kind].count

    def can_grow(self, kind: str) -> bool:
        """Return True if one more piece of *kind* may get a sticker.

        In a deck that is not verified, the answer is always True, because its counts are only a
        guess.
        """
        return self.lacks(kind) or not self.deck.is_verified

    def next_of(self, kind: str) -> Piece:
        """Return the first copy of *kind* that has no sticker. It gets the next sticker."""
        return next(piece for n in count(1) if (piece := Piece(kind, n)) not in self.stickers)

    def copies(self, kind: str) -> tuple[Piece, ...]:
        """Return the pieces of *kind* that have a sticker, copy 1 first."""
        return tuple(sorted(piece for piece in self.stickers if piece.kind == kind))

    @property
    def in_play(self) -> Deck:
        """The deck to play with: if the box is whole, its pieces with a sticker; else ``deck``.

        Counts of a verified deck are never exceeded. Kinds that need no stickers keep their counts.
        """
        if not self.is_whole:
            return self.deck
        kinds = tuple(
            kind if is_optional(kind) else replace(kind, count=self._sticker_count(kind))
            for kind in self.deck.kinds
        )
        spread = self.deck.spread
        if spread is not None and prod(spread) != sum(kind.count for kind in kinds):
            spread = None  # the pieces no longer fill its rows and columns
        return replace(self.deck, kinds=kinds, spread=spread)

    def _sticker_count(self, kind: Kind) -> int:
        """Return the number of stickers of *kind*; in a verified deck, at most its count."""
        held = self.held[kind.name]
        return min(held, kind.count) if self.deck.is_verified else held


def is_optional(kind: Kind) -> bool:
    """Return True if pieces of *kind* need no sticker in play."""
    return kind.traits.get(STICKER) == OPTIONAL
