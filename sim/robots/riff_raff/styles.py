"""How robots play Riff Raff: which cards they like, and how the ship and their hands behave.

Room: sim/robots.
"""

from dataclasses import dataclass
from random import Random

from sim.robots.riff_raff.books import YARDS, Act, Asked, RiffRaffBooks, Verb


@dataclass(frozen=True)
class Style:
    """How people play: each is the part of all cases, from 0 to 1."""

    slips: float = 0.3  # loadings with which cargo falls
    spills: float = 0.3  # pieces that fall then
    catches: float = 0.5  # falling pieces that are caught
    drops: float = 0.5  # pieces just placed that fall when cargo falls
    dares: float = 0.5  # two pieces announced where they are allowed
    mimics: float = 0.2  # cards chosen to be those of others
    climbs: float = 0.5  # cards chosen for a yardarm rather than the deck
    alarms: float = 0.02  # loadings at which the ship only rocks

    def act(self, books: RiffRaffBooks, chance: Random) -> Act:
        """What somebody does next."""
        acts = books.legal_acts()
        match books.asked:
            case Asked.CARD:
                return self.card(books, acts, chance)
            case Asked.HOW_MANY:
                return acts[chance.random() < self.dares]
            case Asked.LOADED:
                return self.loading(books, chance)
            case _:
                return chance.choice(acts)

    def card(self, books: RiffRaffBooks, acts: list[Act], chance: Random) -> Act:
        """Which card is revealed."""
        lying = set(books.revealed.values())
        alike = [act for act in acts if act.number in lying]
        if alike and chance.random() < self.mimics:
            return chance.choice(alike)
        is_up = chance.random() < self.climbs
        wanted = [act for act in acts if (act.number in YARDS) is is_up]
        return chance.choice(wanted or acts)

    def loading(self, books: RiffRaffBooks, chance: Random) -> Act:
        """What becomes of a piece that is loaded."""
        piece = books.piece or chance.choice(books.stock)
        if books.house.is_tagged and chance.random() < self.alarms:
            return Act(Verb.FALL, books.turn, piece=piece)
        if chance.random() >= self.slips:
            return Act(Verb.HOLD, books.turn, piece=piece)
        fallen = [lying for lying in books.ship if chance.random() < self.spills]
        if not fallen or chance.random() < self.drops:
            fallen.append(piece)
        caught = tuple(one for one in fallen if chance.random() < self.catches)
        return Act(Verb.FALL, books.turn, piece=piece, fallen=tuple(fallen), caught=caught)


STYLES = {
    "random": Style(),
    "greedy": Style(dares=1.0, climbs=0.9, mimics=0.0),
    "careful": Style(slips=0.08),
    "steady": Style(slips=0.0, dares=0.9, climbs=0.8),
    "clumsy": Style(slips=0.7, spills=0.5, catches=0.2),
    "nimble": Style(slips=0.5, spills=0.4, catches=0.9),
    "single": Style(slips=0.6, spills=0.15, catches=0.4, dares=0.8, climbs=0.9),
    "mimics": Style(slips=0.4, mimics=0.9),
    "climbers": Style(slips=0.35, climbs=1.0, dares=0.7),
}
"""Every style by its name."""
