"""The cards of Ciao!: symbols, colours and specials, and which card beats which.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/ciao/RULES.md, quoted below as "RULES 4.2" and so on. A kind's name holds its symbol
and colour; the column ``special`` of deck.toml holds its special.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from engines.ciao.errors import OddCard
from engines.common.pieces import Deck, Kind, Piece

SYMBOLS = ("rock", "paper", "scissors")  # each beats the one before, rock the last. RULES 4.2
COLOURS = ("green", "yellow", "red")  # each is stronger than those before it. RULES 4.3
JOKER, OBSTACLE = "joker", "obstacle"

PLAIN = "none"
AGAIN, SPEED, PLUS3, GIVE, SWAP = "again", "speed", "plus3", "give", "swap"
SPECIALS = (AGAIN, SPEED, PLUS3, GIVE, SWAP)  # RULES 6.1


@dataclass(frozen=True, slots=True)
class Face:
    """A card's symbol and colour. The next card must beat them.

    A joker's symbol is JOKER until its player has named one.
    """

    symbol: str
    colour: str

    def beats(self, other: "Face", *, with_colours: bool) -> bool:
        """Return True if this face beats *other* by symbol or, if *with_colours*, by colour.

        RULES 4.2, 4.3 and 9.1.
        """
        if self.symbol == other.symbol:
            return with_colours and COLOURS.index(self.colour) > COLOURS.index(other.colour)
        return SYMBOLS[SYMBOLS.index(self.symbol) - 1] == other.symbol


@dataclass(frozen=True, slots=True)
class Card:
    """The print on a card: its face, and its *special* if it has one."""

    face: Face
    special: str = PLAIN

    @property
    def is_joker(self) -> bool:
        """True for a joker: the player who lays it names its symbol."""
        return self.face.symbol == JOKER

    @property
    def is_obstacle(self) -> bool:
        """True for an obstacle, which can never be played."""
        return self.face.symbol == OBSTACLE

    @property
    def may_be_named(self) -> bool:
        """True for a card on which no special is printed, so that players may name one."""
        return self.special == PLAIN and not self.is_joker and not self.is_obstacle


def cards_of(deck: Deck) -> dict[str, Card]:
    """Return what is printed on the cards of each kind in *deck*, by the name of the kind.

    Raises:
        OddCard: the deck file puts a special on a card that cannot have it (RULES 1.6).
        ValueError: Ciao! has no such kind.
    """
    return {kind.name: _card(kind) for kind in deck.kinds}


def fitting(cards: Mapping[str, Card], *, with_colours: bool) -> dict[Face | None, frozenset[str]]:
    """Return the kinds of *cards* that may be laid on each face, and on no face (None).

    A joker fits everywhere, and an obstacle nowhere.
    """
    playable = {kind: card for kind, card in cards.items() if not card.is_obstacle}
    faces = [Face(symbol, colour) for symbol in SYMBOLS for colour in COLOURS]
    return {None: frozenset(playable)} | {
        top: frozenset(
            kind
            for kind, card in playable.items()
            if card.is_joker or card.face.beats(top, with_colours=with_colours)
        )
        for top in faces
    }


def _card(kind: Kind) -> Card:
    printed = kind.traits.get("special")
    specials: tuple[str, ...]  # the specials that the card can have
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
