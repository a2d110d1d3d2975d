"""The contents of the box of Riff Raff: cards with numbers, and cargo, each in four colours.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/riff_raff/RULES.md, quoted below as "RULES 2.2" and so on. The name of a kind holds
the colour and number of a card, or the colour and shape of a piece of cargo.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from engines.common.pieces import Deck, Piece

COLOURS = ("red", "blue", "green", "yellow")
NUMBERS = range(1, 11)  # the numbers of the cards of each colour, and of the areas of the ship
SHAPES = ("boat", "barrel", "flask", "crate", "sailor", "plank", "rat", "chest")


@dataclass(frozen=True, slots=True)
class Card:
    """A card: its colour identifies the player, its number the area that the player loads."""

    colour: str
    number: int

    @property
    def kind(self) -> str:
        """The name of the card's kind in the deck file."""
        return f"{self.colour}-{self.number}"


CARDS = {card.kind: card for card in (Card(c, number) for c in COLOURS for number in NUMBERS)}
CARGO = frozenset(f"{colour}-{shape}" for colour in COLOURS for shape in SHAPES)
HAND = frozenset(NUMBERS)  # the numbers of all cards of a colour


@dataclass(frozen=True, slots=True)
class DeckContents:
    """The complete *colours* of a deck, which have all ten cards, and its pieces of *cargo*."""

    colours: tuple[str, ...]
    cargo: frozenset[Piece]

    @classmethod
    def of(cls, deck: Deck) -> "DeckContents":
        """Return the contents of *deck*.

        Raises:
            ValueError: Riff Raff does not know one of its kinds.
        """
        for kind in deck.by_name:
            if kind not in CARDS and kind not in CARGO:
                raise ValueError(f'Riff Raff has no piece "{kind}"')
        whole = (colour for colour in COLOURS if _is_whole(colour, deck))
        cargo = frozenset(piece for piece in deck.pieces() if piece.kind in CARGO)
        return cls(tuple(whole), cargo)


def _is_whole(colour: str, deck: Deck) -> bool:
    counts: Mapping[str, int] = {kind.name: kind.count for kind in deck.kinds}
    return all(counts.get(Card(colour, number).kind, 0) for number in NUMBERS)
