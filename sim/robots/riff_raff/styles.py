"""The styles of Riff Raff, which choose cards and decide by chance what falls at loading."""

from dataclasses import dataclass
from random import Random

from sim.robots.riff_raff.books import YARDS, RiffRaffAsk, RiffRaffBooks, RiffRaffMove, RiffRaffVerb


@dataclass(frozen=True)
class RiffRaffStyle:
    """A style of play. Each field is a probability from 0 to 1."""

    slips: float = 0.3  # chance that cargo falls when a piece is loaded
    spills: float = 0.3  # chance of each piece on the ship to fall with it
    catches: float = 0.5  # chance that a falling piece is caught
    drops: float = 0.5  # chance that the piece just placed falls too
    dares: float = 0.5  # chance of announcing two pieces where they are allowed
    mimics: float = 0.2  # chance of choosing a number that was already revealed
    climbs: float = 0.5  # chance of choosing a card for a yardarm, not the deck
    alarms: float = 0.02  # chance of a false alarm when a piece is loaded

    def act(self, books: RiffRaffBooks, chance: Random) -> RiffRaffMove:
        """Return the next move of the robot that must act."""
        acts = books.legal_moves()
        match books.asked:
            case RiffRaffAsk.CARD:
                return self.card(books, acts, chance)
            case RiffRaffAsk.HOW_MANY:
                return self.how_many(books, acts, chance)
            case RiffRaffAsk.PIECE:
                piece = self.piece(books, chance)
                return RiffRaffMove(RiffRaffVerb.TAKE, books.turn, piece=piece)
            case RiffRaffAsk.LOADED:
                return self.loading(books, chance)
            case _:
                return chance.choice(acts)

    def card(self, books: RiffRaffBooks, acts: list[RiffRaffMove], chance: Random) -> RiffRaffMove:
        """Return one of *acts*, each of which reveals a card, by the preferences of the style."""
        lying = set(books.revealed.values())
        alike = [act for act in acts if act.number in lying]
        if alike and chance.random() < self.mimics:
            return chance.choice(alike)
        is_up = chance.random() < self.climbs
        wanted = [act for act in acts if (act.number in YARDS) is is_up]
        return chance.choice(wanted or acts)

    def how_many(
        self, books: RiffRaffBooks, acts: list[RiffRaffMove], chance: Random
    ) -> RiffRaffMove:
        """Return one of *acts*, which announce one piece and two."""
        return acts[chance.random() < self.dares]

    def piece(self, books: RiffRaffBooks, chance: Random) -> str:
        """Return the piece to load next, any by default."""
        return chance.choice(books.stock)

    def loading(self, books: RiffRaffBooks, chance: Random) -> RiffRaffMove:
        """Return a move that loads a piece, with a random outcome."""
        piece = books.piece or self.piece(books, chance)
        if books.house.is_tagged and chance.random() < self.alarms:
            return RiffRaffMove(RiffRaffVerb.FALL, books.turn, piece=piece)
        if chance.random() >= self.slips:
            return RiffRaffMove(RiffRaffVerb.HOLD, books.turn, piece=piece)
        fallen = [lying for lying in books.ship if chance.random() < self.spills]
        if not fallen or chance.random() < self.drops:
            fallen.append(piece)
        caught = tuple(one for one in fallen if chance.random() < self.catches)
        return RiffRaffMove(
            RiffRaffVerb.FALL, books.turn, piece=piece, fallen=tuple(fallen), caught=caught
        )


STYLES = {
    "random": RiffRaffStyle(),
    "greedy": RiffRaffStyle(dares=1.0, climbs=0.9, mimics=0.0),
    "careful": RiffRaffStyle(slips=0.08),
    "steady": RiffRaffStyle(slips=0.0, dares=0.9, climbs=0.8),
    "clumsy": RiffRaffStyle(slips=0.7, spills=0.5, catches=0.2),
    "nimble": RiffRaffStyle(slips=0.5, spills=0.4, catches=0.9),
    "single": RiffRaffStyle(slips=0.6, spills=0.15, catches=0.4, dares=0.8, climbs=0.9),
    "mimics": RiffRaffStyle(slips=0.4, mimics=0.9),
    "climbers": RiffRaffStyle(slips=0.35, climbs=1.0, dares=0.7),
}
"""All styles, by name."""
