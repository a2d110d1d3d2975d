"""Boxes: one copy of a game and which of its pieces have a sticker.

Room: firmware. A value; ``firmware.register`` keeps what it is made of, and
``firmware.modes.enrolling`` fills it. The command cards are a box like any other.

What has a sticker is what can be played. So once a box is whole, it and no longer the deck file
says how many of each kind there are: that is how the owner of a box whose deck is not verified, or
of one that lost a card, sets the table right without a keyboard (decision 0012).

Some kinds can be played with without a sticker; their rows in the deck file say
``sticker = "optional"``. They are not asked for, and there are as many as the deck file says.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from math import prod
from typing import Self

from engines.common.pieces import Deck, Kind, Piece
from firmware.register import TagRegister

STICKER, OPTIONAL = "sticker", "optional"  # the column of the deck file, and what it may say


@dataclass(frozen=True)
class Box:
    """Box *number* of the game that *deck* is of, as the deck file has it.

    *stickers* are the UIDs of the pieces that have one; copies of a kind are numbered from 1
    without a gap. *is_closed* once somebody said that nothing else is in the box.
    """

    deck: Deck
    number: int
    stickers: Mapping[Piece, bytes]
    is_closed: bool = False

    @classmethod
    def of(cls, register: TagRegister, deck: Deck, number: int = 1) -> Self:
        """Box *number* as the *register* has it.

        Raises:
            RegisterError: it cannot be read.
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
        """The name of its game."""
        return self.deck.game

    @property
    def done(self) -> int:
        """How many of its pieces have a sticker."""
        return sum(map(self._counted, self.deck.kinds))

    @property
    def total(self) -> int:
        """How many of its pieces should have one, those counted that need not but do."""
        kinds = self.deck.kinds
        return sum(self._counted(kind) if is_optional(kind) else kind.count for kind in kinds)

    @property
    def is_full(self) -> bool:
        """Whether as many pieces have a sticker as should, whatever kinds they are."""
        return self.done >= self.total

    @property
    def is_whole(self) -> bool:
        """Whether everything that is in it has a sticker."""
        return self.is_full or self.is_closed

    @cached_property
    def held(self) -> Counter[str]:
        """How many pieces of each kind have a sticker."""
        return Counter(piece.kind for piece in self.stickers)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of which it may hold a piece, in the order of the deck.

        Where the deck is not verified, that is each kind of the game.
        """
        return tuple(k.name for k in self.deck.kinds if k.count or not self.deck.is_verified)

    @property
    def lacking(self) -> tuple[str, ...]:
        """The kinds to ask for: of which fewer have a sticker than the deck file says there are."""
        return tuple(k.name for k in self.deck.kinds if self.lacks(k.name) and not is_optional(k))

    def lacks(self, kind: str) -> bool:
        """Whether fewer of *kind* have a sticker than the deck file says there are."""
        return self.held[kind] < self.expected(kind)

    def is_optional(self, kind: str) -> bool:
        """Whether pieces of *kind* can be played with without a sticker."""
        return is_optional(self.deck.by_name[kind])

    def expected(self, kind: str) -> int:
        """How many pieces of *kind* the deck file says there are."""
        return self.deck.by_name[kind].count

    def can_grow(self, kind: str) -> bool:
        """Whether one more piece of *kind* may have a sticker.

        Where the deck is not verified, its counts are a guess and keep nobody from it.
        """
        return self.lacks(kind) or not self.deck.is_verified

    def next_of(self, kind: str) -> Piece:
        """The piece of *kind* that gets the next sticker."""
        return next(piece for n in count(1) if (piece := Piece(kind, n)) not in self.stickers)

    def copies(self, kind: str) -> tuple[Piece, ...]:
        """The pieces of *kind* that have a sticker, copy 1 first."""
        return tuple(sorted(piece for piece in self.stickers if piece.kind == kind))

    @property
    def in_play(self) -> Deck:
        """The deck that is played with: what has a sticker, once that is all there is.

        Until then it is as the deck file says. Counts of a verified deck are never exceeded.
        """
        if not self.is_whole:
            return self.deck
        kinds = tuple(
            kind if is_optional(kind) else replace(kind, count=self._counted(kind))
            for kind in self.deck.kinds
        )
        spread = self.deck.spread
        if spread is not None and prod(spread) != sum(kind.count for kind in kinds):
            spread = None  # so many rows and columns are no longer filled
        return replace(self.deck, kinds=kinds, spread=spread)

    def _counted(self, kind: Kind) -> int:
        """How many of *kind* have a sticker; of a verified deck, no more than there are."""
        held = self.held[kind.name]
        return min(held, kind.count) if self.deck.is_verified else held


def is_optional(kind: Kind) -> bool:
    """Whether pieces of *kind* can be played with without a sticker."""
    return kind.traits.get(STICKER) == OPTIONAL
