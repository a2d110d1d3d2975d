"""A game of Ciao! as the mat knows it: what lies on top, and how many cards everybody holds.

Room: engines/ciao. Values; ``rules`` moves from one to the next.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/ciao/RULES.md, quoted below as "RULES 3.2" and so on.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from engines.ciao.cards import PLAIN, Card, Face
from engines.ciao.house import RESHUFFLE, HouseRules
from engines.common.contract import Direction, Message, Seat, Topic, told
from engines.common.hands import Counting
from engines.common.pieces import Deck, Piece


class Phase(Enum):
    """What the table is doing; the value is the code a view shows."""

    PLAY = "play"
    SYMBOL = "symbol"  # a joker's is named
    AGAIN = "again"  # once more, or the other way round
    RACE = "race"
    RACER = "racer"  # a card of the race lies there; whose is it?
    SPECIAL = "special"  # what the card bears is named
    GIVE = "give"  # to whom
    THANKS = "thanks"
    SWAP = "swap"  # with whom
    SCORING = "scoring"
    ROUND_OVER = "round-over"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Table:
    """What stays the same from the first deal to the last score."""

    deck: Deck = field(hash=False, repr=False)
    cards: Mapping[str, Card] = field(hash=False, repr=False)  # by kind
    pieces: frozenset[Piece] = field(hash=False, repr=False)  # those that are played with
    left_out: frozenset[str]  # the kinds of all others. RULES 9.1
    seats: int
    dealer: Seat  # of the first round
    house: HouseRules

    def seats_after(self, seat: Seat, direction: Direction = Direction.CLOCKWISE) -> list[Seat]:
        """All seats in turn order, *seat* itself last."""
        way = 1 if direction is Direction.CLOCKWISE else -1
        return [Seat((seat + way * n) % self.seats) for n in range(1, self.seats + 1)]

    def others(self, seat: Seat) -> tuple[Seat, ...]:
        """All seats but *seat*, in turn order from its left."""
        return tuple(self.seats_after(seat)[:-1])


@dataclass(frozen=True, slots=True)
class Round:
    """One round as the mat knows it: cards played and counted, never cards held."""

    turn: Seat  # to play; in a race, whose card began it
    direction: Direction
    hands: tuple[int, ...]  # cards held, by seat
    pile: int  # cards left to draw
    discards: frozenset[Piece] = frozenset()  # since they were shuffled last
    last: Piece | None = None  # the uppermost of them
    top: Face | None = None  # what is to be beaten; none: any card goes
    debt: int = 0  # cards that whoever is to play must take or pass on. RULES 6.6
    has_drawn: bool = False  # whoever is to play
    idle: int = 0  # turns in a row in which no card was laid or drawn. RULES 3.8

    def moved(self, seat: Seat, cards: int) -> "Round":
        """This round when *seat* holds so many *cards* more; fewer, below zero."""
        hands = self.hands
        return replace(self, hands=(*hands[:seat], hands[seat] + cards, *hands[seat + 1 :]))


@dataclass(frozen=True, slots=True)
class Draw:
    """What became of drawing: the *round* after it, and the *n* cards that *seat* could draw.

    When the draw pile ran out on the way, so many discards were *reshuffled*.
    """

    round: Round
    seat: Seat
    n: int
    reshuffled: int = 0

    def told(self, code: str = "draws", topic: Topic = Topic.NEWS) -> tuple[Message, ...]:
        """What to tell of it; *code*, about *topic*, tells of the cards that were drawn."""
        if not self.n:
            return (told("nothing-to-draw", seat=self.seat),)
        drawn = told(code, topic, seat=self.seat, n=self.n)
        return (told("reshuffled", n=self.reshuffled), drawn) if self.reshuffled else (drawn,)


@dataclass(frozen=True, slots=True)
class Note:
    """What hands still have to do after the last act, shown until the next.

    *code* is that of the hint.
    """

    code: str
    seat: Seat
    n: int = 0
    other: Seat | None = None

    @classmethod
    def of(cls, draw: Draw) -> "Note | None":
        """The note of *draw*; none when there was nothing to draw."""
        code = "reshuffle" if draw.reshuffled else "draws"
        return cls(code, draw.seat, draw.n) if draw.n else None


@dataclass(frozen=True, slots=True)
class State:
    """A game of Ciao!."""

    table: Table
    number: int  # of the round, from 1
    starter: Seat  # whose turn was its first
    totals: tuple[int, ...]  # of the rounds that are scored, by seat
    round: Round
    phase: Phase = Phase.PLAY
    waiting: Piece | None = None  # tapped, and not counted before something is said about it
    by: Seat | None = None  # who tapped it, when that is known
    receiver: Seat | None = None  # who got a card and should say thanks
    note: Note | None = None
    counting: Counting = field(default_factory=Counting)
    named: frozenset[tuple[Piece, str]] = frozenset()  # specials that people named. RULES 6.2

    @property
    def house(self) -> HouseRules:
        """The house rules."""
        return self.table.house

    @property
    def racers(self) -> tuple[Seat, ...]:
        """Who may lay a card in the race (RULES 6.4)."""
        return self.table.others(self.round.turn)

    def card(self, piece: Piece) -> Card:
        """What is printed on *piece*."""
        return self.table.cards[piece.kind]

    def special_of(self, piece: Piece) -> str | None:
        """What *piece* bears; none when that is still to be named (RULES 6.2)."""
        card = self.card(piece)
        may_be_named = self.house.name_specials and self.house.has_specials
        if card.special != PLAIN or card.is_joker or card.is_obstacle or not may_be_named:
            return card.special
        return next((special for named, special in self.named if named == piece), None)

    @property
    def can_draw(self) -> bool:
        """Whether there is a card to draw (RULES 3.7)."""
        return self.round.pile > 0 or can_reshuffle(self.table, self.round)

    def draw(self, seat: Seat, wanted: int, now: Round | None = None) -> Draw:
        """Let *seat* draw so many cards, or as many as there are (RULES 3.7)."""
        now = self.round if now is None else now
        drawn = reshuffled = 0
        while drawn < wanted:
            if not now.pile:
                if not can_reshuffle(self.table, now):
                    break
                assert now.last is not None, "discards have a top card"
                reshuffled = len(now.discards) - 1
                now = replace(now, pile=reshuffled, discards=frozenset({now.last}))
            taken = min(wanted - drawn, now.pile)
            now, drawn = replace(now, pile=now.pile - taken), drawn + taken
        return Draw(now.moved(seat, drawn), seat, drawn, reshuffled)

    def at(
        self,
        now: Round,
        phase: Phase = Phase.PLAY,
        *,
        waiting: Piece | None = None,
        by: Seat | None = None,
        receiver: Seat | None = None,
        note: Note | None = None,
    ) -> "State":
        """This game with its round at *now*; nothing waits but what is named."""
        return replace(
            self, round=now, phase=phase, waiting=waiting, by=by, receiver=receiver, note=note
        )


def can_reshuffle(table: Table, now: Round) -> bool:
    """Whether there are discards below the top card that may be shuffled (RULES 3.7)."""
    return table.house.empty_pile == RESHUFFLE and len(now.discards) > 1
