"""The state of a game of Ciao!: the top card, and the number of cards in each hand.

``rules`` makes each state from the one before.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/ciao/RULES.md, quoted below as "RULES 3.2" and so on.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from engines.ciao.cards import Card, Face
from engines.ciao.house import RESHUFFLE, HouseRules
from engines.common.contract import Direction, Message, Seat, Topic, message
from engines.common.copies import replace
from engines.common.hands import Counting
from engines.common.pieces import Piece
from engines.common.setup import GameConfig


class Phase(StrEnum):
    """The phases of a game. Each value is used as ``View.phase``."""

    PLAY = "play"
    SYMBOL = "symbol"  # the symbol of a joker is asked for
    AGAIN = "again"  # the choice of again or reverse is asked for
    RACE = "race"
    RACER = "racer"  # the owner of a card laid in the race is asked for
    OWNER = "owner"  # the owner of a card laid after a draw or after a race is asked for
    SPECIAL = "special"  # the special of the card laid is asked for
    GIVE = "give"  # the receiver of a card is asked for
    THANKS = "thanks"  # did the receiver say thanks?
    SWAP = "swap"  # the partner of a swap is asked for
    SCORING = "scoring"
    SHORT = "short"  # is the hand being counted complete, although cards are missing?
    ROUND_OVER = "round-over"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class CiaoConfig(GameConfig):
    """The settings of a game, which stay the same until its end."""

    cards: Mapping[str, Card] = field(hash=False, repr=False)  # by kind
    pieces: frozenset[Piece] = field(hash=False, repr=False)  # the pieces in play
    kinds: frozenset[str] = field(hash=False, repr=False)  # the kinds of these pieces
    # Kinds that may be laid on a face if no cards are owed; None: on no face. RULES 4.1, 5.1
    fitting: Mapping[Face | None, frozenset[str]] = field(hash=False, repr=False)
    answering: frozenset[str]  # kinds that may be laid on a +3 by their print. RULES 6.6
    left_out: frozenset[str]  # kinds that stay in the box. RULES 9.1
    dealer: Seat  # the dealer of the first round
    house: HouseRules

    def others(self, seat: Seat) -> tuple[Seat, ...]:
        """Return all seats except *seat*, in turn order from its left."""
        return self.seats_after(seat)[:-1]


def with_more(hands: tuple[int, ...], seat: Seat, cards: int) -> tuple[int, ...]:
    """Return *hands* with *cards* added to *seat*'s hand. *cards* may be negative."""
    return (*hands[:seat], hands[seat] + cards, *hands[seat + 1 :])


@dataclass(frozen=True, slots=True)
class Round:
    """One round as the mat knows it: the cards played, and the number of cards in each hand."""

    turn: Seat  # the current player; in a race, the player who began it
    direction: Direction
    hands: tuple[int, ...]  # cards held, by seat
    pile: int  # cards left to draw
    discards: frozenset[Piece] = frozenset()  # the discard pile
    last: Piece | None = None  # the top card of the discard pile
    top: Face | None = None  # the face to beat; None if any card may be laid
    debt: int = 0  # cards owed after +3: the current player takes them or passes them on. RULES 6.6
    has_drawn: bool = False  # True after the current player has drawn a card
    idle: int = 0  # turns in a row without a card laid or drawn. RULES 3.8
    out_of_race: frozenset[Seat] = frozenset()  # players out of this race. RULES 8.4
    known_holders: frozenset[tuple[Piece, Seat]] = frozenset()  # RULES 3.9

    def with_turn(self, turn: Seat, idle: int) -> "Round":
        """Return this round at the beginning of *turn*'s turn, after *idle* idle turns."""
        return Round(
            turn=turn,
            direction=self.direction,
            hands=self.hands,
            pile=self.pile,
            discards=self.discards,
            last=self.last,
            top=self.top,
            debt=self.debt,
            idle=idle,
            known_holders=self.known_holders,
        )

    def with_cards(self, seat: Seat, cards: int) -> "Round":
        """Return this round with *cards* added to *seat*'s hand. *cards* may be negative."""
        return replace(self, hands=with_more(self.hands, seat, cards))

    def holder(self, piece: Piece) -> Seat | None:
        """Return the player known to hold *piece*, or None (RULES 3.9)."""
        return next((seat for card, seat in self.known_holders if card == piece), None)

    def give_back(self, piece: Piece, seat: Seat) -> "Round":
        """Return this round after *piece* went back to *seat*, who is now known to hold it."""
        return replace(self, known_holders=self.without(piece) | {(piece, seat)})

    def without(self, piece: Piece) -> frozenset[tuple[Piece, Seat]]:
        """Return the cards whose holder is known, each with its seat, without *piece*."""
        return frozenset(known for known in self.known_holders if known[0] != piece)

    def after_gift(self, giver: Seat) -> frozenset[tuple[Piece, Seat]]:
        """Return the cards with a known holder, each with its seat, after *giver* gave away a card.

        It may have been any card of *giver*'s, so none of them is known any more.
        """
        return frozenset(known for known in self.known_holders if known[1] != giver)

    def after_swap(self, one: Seat, other: Seat) -> frozenset[tuple[Piece, Seat]]:
        """Return the cards with a known holder, and the seats, after *one* and *other* swap."""
        moves = {one: other, other: one}
        return frozenset((card, moves.get(seat, seat)) for card, seat in self.known_holders)


@dataclass(frozen=True, slots=True)
class DrawResult:
    """The result of a draw: *seat* drew *n* cards, and *round* is the round after it.

    *reshuffled* is the number of discards that were shuffled to form the new draw pile.
    """

    round: Round
    seat: Seat
    n: int
    reshuffled: int = 0

    def messages(self, code: str = "draws", topic: Topic = Topic.NEWS) -> tuple[Message, ...]:
        """Return the messages about the draw.

        The message with the number of cards drawn gets *code* and *topic*.
        """
        if not self.n:
            return (message("nothing-to-draw", seat=self.seat),)
        drawn = message(code, topic, seat=self.seat, n=self.n)
        return (message("reshuffled", n=self.reshuffled), drawn) if self.reshuffled else (drawn,)


@dataclass(frozen=True, slots=True)
class Note:
    """A reminder of something that people still have to do, shown as a hint until the next input.

    The text is ``<code>.hint``. The values to insert into it are *seat*, *n* (a number of cards)
    and *other* (another seat).
    """

    code: str
    seat: Seat
    n: int = 0
    other: Seat | None = None

    @classmethod
    def of(cls, draw: DrawResult) -> "Note | None":
        """Return the note that asks the player of *draw* to draw cards; None if there were none."""
        code = "reshuffle" if draw.reshuffled else "draws"
        return cls(code, draw.seat, draw.n) if draw.n else None


@dataclass(frozen=True, slots=True)
class RaceResult:
    """A race that was just won by *first*, and the *others* who raced."""

    first: Seat
    others: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class State:
    """The state of a game of Ciao!: everything that the mat knows."""

    config: CiaoConfig
    number: int  # number of the round, from 1
    starter: Seat  # the first player of this round
    totals: tuple[int, ...]  # points of the rounds that are scored, by seat
    round: Round
    phase: Phase = Phase.PLAY
    waiting: Piece | None = None  # a card that counts only after a question is answered
    by: Seat | None = None  # the player who laid the waiting card, if known
    receiver: Seat | None = None  # the player who got a card and should say thanks
    note: Note | None = None
    won: RaceResult | None = None  # the race that was just won, if any. RULES 6.5
    counting: Counting = field(default_factory=Counting)
    named: frozenset[tuple[Piece, str]] = frozenset()  # specials that players have named. RULES 6.2

    @property
    def house(self) -> HouseRules:
        """The house rules."""
        return self.config.house

    @property
    def racers(self) -> tuple[Seat, ...]:
        """The players who may still win the race (RULES 6.4, 8.4)."""
        others = self.config.others(self.round.turn)
        return tuple(seat for seat in others if seat not in self.round.out_of_race)

    def card(self, piece: Piece) -> Card:
        """Return what is printed on *piece*."""
        return self.config.cards[piece.kind]

    def special_of(self, piece: Piece) -> str | None:
        """Return the special on *piece*, or None if its player has to name it (RULES 6.2)."""
        card = self.card(piece)
        if not (card.may_be_named and self.house.has_named_specials):
            return card.special
        return next((special for named, special in self.named if named == piece), None)

    @property
    def can_draw(self) -> bool:
        """True if there is a card to draw (RULES 3.7)."""
        return self.round.pile > 0 or can_reshuffle(self.config, self.round)

    def draw(self, seat: Seat, wanted: int, now: Round | None = None) -> DrawResult:
        """Return the result when *seat* draws *wanted* cards, or all that are left (RULES 3.7).

        *now* is the round before the draw; by default, this game's round.
        """
        now = self.round if now is None else now
        pile, discards, reshuffled = now.pile, now.discards, 0
        if wanted > pile and can_reshuffle(self.config, now):
            assert now.last is not None, "discards have a top card"
            reshuffled, discards = len(discards) - 1, frozenset({now.last})
            pile += reshuffled
        drawn = min(wanted, pile)
        hands = with_more(now.hands, seat, drawn)
        after = replace(now, hands=hands, pile=pile - drawn, discards=discards)
        return DrawResult(after, seat, drawn, reshuffled)

    def at(
        self,
        now: Round,
        phase: Phase = Phase.PLAY,
        *,
        waiting: Piece | None = None,
        by: Seat | None = None,
        receiver: Seat | None = None,
        note: Note | None = None,
        won: RaceResult | None = None,
    ) -> "State":
        """Return this game in *phase*, with *now* as its round.

        *waiting*, *by*, *receiver*, *note* and *won* are cleared unless they are given.
        """
        return State(
            config=self.config,
            number=self.number,
            starter=self.starter,
            totals=self.totals,
            round=now,
            phase=phase,
            waiting=waiting,
            by=by,
            receiver=receiver,
            note=note,
            won=won,
            counting=self.counting,
            named=self.named,
        )


def can_reshuffle(config: CiaoConfig, now: Round) -> bool:
    """Return True if there are discards that may become the draw pile (RULES 3.7)."""
    return config.house.empty_pile == RESHUFFLE and len(now.discards) > 1
