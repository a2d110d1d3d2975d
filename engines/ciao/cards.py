"""The cards of Ciao!: symbols, colours and specials, and which card beats which.

Room: engines/ciao.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/ciao/RULES.md, quoted below as "RULES 4.2" and so on. Symbol and colour stand in a
kind's name; the special on it stands in the column ``special`` of deck.toml.
"""

from dataclasses import dataclass

from engines.ciao.errors import OddCard
from engines.common.pieces import Deck, Kind, Piece

SYMBOLS = ("rock", "paper", "scissors")  # each beats the one before it, rock the last. RULES 4.2
COLOURS = ("green", "yellow", "red")  # each is stronger than those before it. RULES 4.3
JOKER, OBSTACLE = "joker", "obstacle"

PLAIN = "none"
AGAIN, SPEED, PLUS3, GIVE, SWAP = "again", "speed", "plus3", "give", "swap"
SPECIALS = (AGAIN, SPEED, PLUS3, GIVE, SWAP)  # RULES 6.1


@dataclass(frozen=True, slots=True)
class Face:
    """What a card shows to the next one: its symbol and its colour.

    A joker's symbol is JOKER until its player has named one.
    """

    symbol: str
    colour: str

    def beats(self, other: "Face", *, with_colours: bool) -> bool:
        """Whether this is stronger than *other*; colours may not count (RULES 4.2, 4.3, 9.1)."""
        if self.symbol == other.symbol:
            return with_colours and COLOURS.index(self.colour) > COLOURS.index(other.colour)
        return SYMBOLS[SYMBOLS.index(self.symbol) - 1] == other.symbol


@dataclass(frozen=True, slots=True)
class Card:
    """What is printed on a card: its face, and the *special* that makes it special."""

    face: Face
    special: str = PLAIN

    @property
    def is_joker(self) -> bool:
        """Whether its player names its symbol."""
        return self.face.symbol == JOKER

    @property
    def is_obstacle(self) -> bool:
        """Whether it can never be played."""
        return self.face.symbol == OBSTACLE


def cards_of(deck: Deck) -> dict[str, Card]:
    """The cards of *deck*, by kind.

    Raises:
        OddCard: the deck file puts a special on a card that cannot bear it (RULES 1.6).
        ValueError: a kind is none that Ciao! knows.
    """
    return {kind.name: _card(kind) for kind in deck.kinds}


def _card(kind: Kind) -> Card:
    printed = kind.traits.get("special")
    specials: tuple[str, ...]  # that the card can bear
    match kind.name.split("-"):
        case ["obstacle"]:
            face, specials = Face(OBSTACLE, ""), (PLAIN,)
        case ["joker", colour] if colour in COLOURS:
            face, specials = Face(JOKER, colour), (PLAIN,)
        case [symbol, colour] if symbol in SYMBOLS and colour in COLOURS:
            face, specials = Face(symbol, colour), (PLAIN, *SPECIALS)
        case [symbol, colour, special] if (
            symbol in SYMBOLS and colour in COLOURS and special in SPECIALS
        ):
            face, specials = Face(symbol, colour), (special,)
        case _:
            raise ValueError(f'Ciao! has no card "{kind.name}"')
    special = specials[0] if printed is None else str(printed)
    if special not in specials:
        raise OddCard(piece=Piece(kind.name))
    return Card(face, special)
