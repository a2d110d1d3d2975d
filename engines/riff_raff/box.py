"""What lies in the box of Riff Raff: cards with numbers, and cargo, each in four colours.

Room: engines/riff_raff.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/riff_raff/RULES.md, quoted below as "RULES 2.2" and so on. Colour and number, or
colour and shape, stand in a kind's name.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from engines.common.pieces import Deck, Piece

COLOURS = ("red", "blue", "green", "yellow")
NUMBERS = range(1, 11)  # of the cards of a colour, and of the areas of the ship
SHAPES = ("boat", "barrel", "flask", "crate", "sailor", "plank", "rat", "chest")


@dataclass(frozen=True, slots=True)
class Card:
    """A card: whose it is follows from its colour, where to load from its number."""

    colour: str
    number: int

    @property
    def kind(self) -> str:
        """Its kind, as the deck file names it."""
        return f"{self.colour}-{self.number}"


CARDS = {card.kind: card for card in (Card(c, number) for c in COLOURS for number in NUMBERS)}
CARGO = frozenset(f"{colour}-{shape}" for colour in COLOURS for shape in SHAPES)
HAND = frozenset(NUMBERS)  # all cards of a colour


@dataclass(frozen=True, slots=True)
class Box:
    """A deck sorted: the *colours* of which there are all ten cards, and the wooden *cargo*."""

    colours: tuple[str, ...]
    cargo: frozenset[Piece]

    @classmethod
    def of(cls, deck: Deck) -> "Box":
        """Sort *deck*.

        Raises:
            ValueError: a kind is none that Riff Raff knows.
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
