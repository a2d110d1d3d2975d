"""The robots' own record of a game of Ciao!, called its *books*.

It is a second implementation of the printed rules, by which robots check the engine.

The books shuffle, deal and see every hand. They share no code with ``engines.ciao``. A card is a
string: ``rock-green#2``, ``paper-red-speed#1``, ``joker-yellow#3``, ``obstacle#1``. A *right* card
is one that the rules allow. "Our rule" marks a point that the printed rules leave open and that
RULES.md decides.
"""

from copy import copy
from dataclasses import dataclass
from enum import Enum
from functools import cache
from random import Random

SYMBOLS = ("paper", "rock", "scissors")
WINS_OVER = {"paper": "rock", "rock": "scissors", "scissors": "paper"}
STRENGTH = {"green": 1, "yellow": 2, "red": 3}  # the marks in the corners
OF_EACH_SYMBOL = {"green": 12, "yellow": 10, "red": 10}
JOKERS_OF_A_COLOUR = 3
JOKER, OBSTACLE = "joker", "obstacle"
AGAIN, SPEED, PLUS3, GIVE, SWAP = "again", "speed", "plus3", "give", "swap"
SPECIALS = (AGAIN, SPEED, PLUS3, GIVE, SWAP)
POINTS = {"green": 10, "yellow": 20, "red": 30}
POINTS_OF_OTHERS = 50  # for each joker and each obstacle

DEALT = 7
PENALTY = 3
ROUNDS = 5


def box(each: int = 1) -> list[str]:
    """Return the 108 cards of a deck.

    *each* is the number of cards with the same symbol, colour and special.
    """
    cards = [f"obstacle#{n}" for n in range(1, 4)]
    for colour, many in OF_EACH_SYMBOL.items():
        cards += [f"joker-{colour}#{n}" for n in range(1, JOKERS_OF_A_COLOUR + 1)]
        for symbol in SYMBOLS:
            plain = many - each * len(SPECIALS)
            cards += [f"{symbol}-{colour}#{n}" for n in range(1, plain + 1)]
            for special in SPECIALS:
                cards += [f"{symbol}-{colour}-{special}#{n}" for n in range(1, each + 1)]
    return cards


# --- what is printed on a card -------------------------------------------------------------------


@cache
def kind_of(card: str) -> str:
    """Return the kind of a card: its name without the number of the copy."""
    return card.split("#")[0]


@cache
def symbol_of(card: str) -> str | None:
    """Return the symbol on a card, or None for a joker or an obstacle."""
    symbol = kind_of(card).split("-")[0]
    return symbol if symbol in SYMBOLS else None


@cache
def colour_of(card: str) -> str | None:
    """Return the colour of a card, or None for an obstacle."""
    parts = kind_of(card).split("-")
    return parts[1] if len(parts) > 1 else None


@cache
def special_of(card: str) -> str | None:
    """Return the special on a card, or None if it has none."""
    parts = kind_of(card).split("-")
    return parts[2] if len(parts) > 2 else None


def is_joker(card: str) -> bool:
    """Return True if this card is a joker: the player who lays it names its symbol."""
    return kind_of(card).startswith(JOKER)


def points_of(card: str) -> int:
    """Return the penalty points for holding this card at the end of a round."""
    symbol, colour = symbol_of(card), colour_of(card)
    return POINTS_OF_OTHERS if symbol is None or colour is None else POINTS[colour]


def lowest(numbers: list[int]) -> list[int]:
    """Return the seats with the lowest of *numbers*, which has one for each seat."""
    return [seat for seat, number in enumerate(numbers) if number == min(numbers)]


# --- what is asked, and what is done -------------------------------------------------------------


class CiaoAsk(Enum):
    """A kind of input that the table can wait for."""

    CARD = "a card, or a draw"
    DRAWN = "the card just drawn, or a pass"
    DEBT = "a joker or a +3, or the draw of the whole debt"
    RACE = "the first fitting card of anybody else, or the word that nobody has one"
    SYMBOL = "a symbol for the joker"
    AGAIN = "again, or reverse"
    GIFT = "a card for somebody"
    THANKS = "thank you"
    SWAP = "somebody to swap hands with"
    NEXT_ROUND = "the next deal"
    NOTHING = "nothing: the game is over"


class CiaoVerb(Enum):
    """The kind of a move."""

    LAY = "lays"
    DRAW = "draws"
    PASS = "passes"
    NOBODY = "nobody can"
    NAME = "names"
    AGAIN = "plays again"
    REVERSE = "turns the direction"
    GIVE = "gives"
    THANK = "thanks"
    FORGET = "forgets to thank"
    SWAP = "swaps with"
    DEAL = "next round"


@dataclass(frozen=True)
class CiaoMove:
    """A move by *player*.

    Args:
        verb: the kind of the move.
        player: the seat of the player.
        card: the card that is laid or given.
        seat: the other player in a gift or a swap.
        symbol: the symbol named for a joker.
    """

    verb: CiaoVerb
    player: int
    card: str = ""
    seat: int = -1
    symbol: str = ""


@dataclass(frozen=True)
class CiaoHouseRules:
    """The house rules of a game."""

    is_scored: bool = False
    rounds: int = ROUNDS  # the number of rounds in a scored game
    variant: int = 0  # 0 is the full game, 1 to 3 are the children's variants
    only_drawn: bool = True  # after drawing, only the drawn card may be laid
    again_beats: bool = True  # the card laid after "again" must beat the player's own card
    plus3_beats: bool = False  # a +3 that answers a +3 must also beat it
    race_out: bool = True  # a player who lays a wrong card in a race is out of it


class CiaoBooks:
    """The full state of one game of Ciao!, from the first deal to the winner."""

    def __init__(
        self,
        players: int,
        first: int,
        cards: list[str],
        chance: Random,
        house: CiaoHouseRules,
    ) -> None:
        self.players = players
        self.chance = chance
        self.house = house
        self.cards = [card for card in cards if self.is_in_play(card)]
        self.starter = first
        self.rounds_done = 0
        self.totals = [0] * players
        self.gains = [0] * players  # penalty points of the last round, by seat
        self.winner: int | None = None  # the seat that went out in the last round, if any
        self.ahead: list[int] = []  # the seats with the smallest hands at the end of the last round
        self.winners: list[int] = []  # the winners of the game
        self.happened: set[str] = set()  # the rare events of this game
        self.drawn_by = [0] * players  # the cards that each player has drawn in the whole game
        self.deal()

    def copy(self) -> "CiaoBooks":
        """Return a copy of the record, in which a move can be tried."""
        twin = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, list | set):
                setattr(twin, name, value.copy())
        twin.hands = [hand.copy() for hand in self.hands]
        twin.chance = copy(self.chance)
        return twin

    def is_in_play(self, card: str) -> bool:
        """Return True if this card is used in the variant that is played."""
        variant = self.house.variant
        if kind_of(card) == OBSTACLE:
            return variant == 0  # the printed variants leave obstacles out
        return variant != 1 or special_of(card) is None

    def deal(self) -> None:
        """Begin a round: shuffle all cards and deal seven to each player."""
        self.pile = list(self.cards)
        self.chance.shuffle(self.pile)
        self.hands: list[list[str]] = [[] for _ in range(self.players)]
        for _ in range(DEALT):
            for hand in self.hands:
                hand.append(self.pile.pop())
        self.discards: list[str] = []
        self.named = ""  # the symbol of the joker on top
        self.is_anything_right = False  # True if any card but an obstacle may be laid
        self.step = 1  # 1 clockwise, -1 counter-clockwise
        self.turn = self.starter
        self.debt = 0
        self.drawn = ""  # the card just drawn, the only one that may be played
        self.runner = -1  # the seat whose card began the race, and which may not win it
        self.wrong_racers: set[int] = set()  # the players who laid a wrong card in this race
        self.shown: set[str] = set()  # cards that went back to a hand, as everybody saw
        self.beaten: set[int] = set()  # the losers of the race that the last move won
        self.receiver = -1  # the player who must say thank you
        self.drew: list[tuple[int, int]] = []  # the draws of the last move: (seat, number of cards)
        self.idle = 0  # consecutive turns in which no card moved
        self.asked = CiaoAsk.CARD

    # -- the state

    @property
    def hand(self) -> list[str]:
        """The current player's hand."""
        return self.hands[self.turn]

    @property
    def top(self) -> str | None:
        """The top card of the discards, or None if there are none."""
        return self.discards[-1] if self.discards else None

    def possible_layers(self, card: str) -> list[int]:
        """Return the seats of the players who may have laid *card*, if nobody saw who did.

        The first is the current player. Our rule: the others count only if everybody knows that
        another player has the card, or if it is wrong. After a draw, the next player may have laid
        it, since the current player may have forgotten to pass. Right after a race, one of its
        losers may have laid it. Everybody knows who has a wrong card that went back to a hand.
        """
        me = self.turn
        fits = self.answers(card) if self.asked is CiaoAsk.DEBT else self.beats(card)
        if card in self.hand if card in self.shown else fits:
            return [me]
        if self.asked is CiaoAsk.DRAWN:
            return [me, self.next_to(me)]
        return [me, *sorted(self.beaten - {me})]

    def to_beat(self) -> tuple[str, str] | None:
        """Return the symbol and colour to beat, or None if the next card need not beat any."""
        if self.top is None or self.is_anything_right:
            return None
        colour = colour_of(self.top)
        assert colour is not None
        return symbol_of(self.top) or self.named, colour

    def sizes(self) -> list[int]:
        """Return the number of cards in each hand, by seat."""
        return [len(hand) for hand in self.hands]

    def total_cards(self) -> int:
        """Return the total number of cards: in hands, in the draw pile, and in the discards."""
        return sum(self.sizes()) + len(self.pile) + len(self.discards)

    def is_anything_to_draw(self) -> bool:
        """Return True if a card can be drawn, from the pile or after a shuffle of the discards."""
        return bool(self.pile) or len(self.discards) > 1

    def next_to(self, seat: int) -> int:
        """Return the seat after *seat* in the direction of play."""
        return (seat + self.step) % self.players

    def others(self, seat: int) -> list[int]:
        """Return all seats but *seat*."""
        return [other for other in range(self.players) if other != seat]

    def racers(self) -> list[int]:
        """Return the seats of the players who may still win the race."""
        fallen = self.wrong_racers if self.house.race_out else set[int]()
        return [seat for seat in self.others(self.runner) if seat not in fallen]

    # -- legal moves

    def beats(self, card: str) -> bool:
        """Return True if this card beats the top card, or if there is nothing to beat.

        The answer is always True for a joker and False for an obstacle.
        """
        if kind_of(card) == OBSTACLE:
            return False
        against = self.to_beat()
        if against is None or is_joker(card):
            return True
        symbol, colour = symbol_of(card), colour_of(card)
        assert symbol is not None
        assert colour is not None
        if WINS_OVER[symbol] == against[0]:
            return True
        if symbol != against[0] or self.house.variant in (1, 2):
            return False
        return STRENGTH[colour] > STRENGTH[against[1]]

    def answers(self, card: str) -> bool:
        """Return True if this card may be laid to answer a +3."""
        if special_of(card) != PLUS3:
            return is_joker(card)
        return not self.house.plus3_beats or self.beats(card)

    def may_lay(self, seat: int, card: str) -> bool:
        """Return True if the player at *seat*, who holds *card*, may lay it now."""
        assert card in self.hands[seat]
        match self.asked:
            case CiaoAsk.CARD:
                return seat == self.turn and self.beats(card)
            case CiaoAsk.DRAWN:
                is_free = card == self.drawn or not self.house.only_drawn
                return seat == self.turn and is_free and self.beats(card)
            case CiaoAsk.DEBT:
                return seat == self.turn and self.answers(card)
            case CiaoAsk.RACE:
                return seat in self.racers() and self.beats(card)
            case _:
                return False

    def layers(self) -> list[int]:
        """Return the seats of the players who may lay a card now."""
        if self.asked is CiaoAsk.RACE:
            return self.racers()
        return [self.turn] if self.asked in (CiaoAsk.CARD, CiaoAsk.DRAWN, CiaoAsk.DEBT) else []

    def legal_moves(self) -> list[CiaoMove]:
        """Return all moves that are legal now."""
        me = self.turn
        match self.asked:
            case CiaoAsk.CARD | CiaoAsk.DEBT:
                return [*self.legal_plays(), CiaoMove(CiaoVerb.DRAW, me)]
            case CiaoAsk.DRAWN:
                return [*self.legal_plays(), CiaoMove(CiaoVerb.PASS, me)]
            case CiaoAsk.RACE:
                return [*self.legal_plays(), CiaoMove(CiaoVerb.NOBODY, me)]
            case CiaoAsk.SYMBOL:
                return [CiaoMove(CiaoVerb.NAME, me, symbol=symbol) for symbol in SYMBOLS]
            case CiaoAsk.AGAIN:
                return [CiaoMove(CiaoVerb.AGAIN, me), CiaoMove(CiaoVerb.REVERSE, me)]
            case CiaoAsk.GIFT:
                return [
                    CiaoMove(CiaoVerb.GIVE, me, c, seat)
                    for c in self.hand
                    for seat in self.others(me)
                ]
            case CiaoAsk.THANKS:
                return [
                    CiaoMove(CiaoVerb.THANK, self.receiver),
                    CiaoMove(CiaoVerb.FORGET, self.receiver),
                ]
            case CiaoAsk.SWAP:
                return [CiaoMove(CiaoVerb.SWAP, me, seat=seat) for seat in self.others(me)]
            case CiaoAsk.NEXT_ROUND:
                return [CiaoMove(CiaoVerb.DEAL, me)]
            case _:
                return []

    def legal_plays(self) -> list[CiaoMove]:
        """Return a move for each card that may be laid now."""
        return [act for act in self.all_plays() if self.may_lay(act.player, act.card)]

    def wrong_plays(self) -> list[CiaoMove]:
        """Return a move for each card that may not be laid and that a mat can tell is wrong.

        After a draw, only the drawn card may be played. A mat cannot tell which card was drawn, so
        it only notices cards that are too weak.
        """
        wrong = [act for act in self.all_plays() if not self.may_lay(act.player, act.card)]
        return [act for act in wrong if self.asked is not CiaoAsk.DRAWN or not self.beats(act.card)]

    def all_plays(self) -> list[CiaoMove]:
        """Return a move for each card, right or wrong, in the hands of players who may lay one."""
        return [CiaoMove(CiaoVerb.LAY, s, c) for s in self.layers() for c in self.hands[s]]

    # -- the moves

    def do(self, act: CiaoMove) -> None:
        """Apply a legal move to the game, or a wrong card with its penalty."""
        self.drew, self.beaten = [], set()
        match act.verb:
            case CiaoVerb.LAY:
                if self.may_lay(act.player, act.card):
                    self.lay(act.player, act.card)
                else:
                    self.lay_wrong(act.player, act.card)
            case CiaoVerb.DRAW:
                self.draw()
            case CiaoVerb.PASS:
                assert self.asked is CiaoAsk.DRAWN
                self.pass_turn()
            case CiaoVerb.NOBODY:
                assert self.asked is CiaoAsk.RACE
                self.note("a race that nobody wins")
                self.pass_turn()
            case CiaoVerb.NAME:
                assert self.asked is CiaoAsk.SYMBOL
                self.named = act.symbol
                self.pass_turn()
            case CiaoVerb.AGAIN:
                self.play_again()
            case CiaoVerb.REVERSE:
                self.reverse()
            case CiaoVerb.GIVE:
                self.give(act.card, act.seat)
            case CiaoVerb.THANK | CiaoVerb.FORGET:
                self.thank(act.verb is CiaoVerb.THANK)
            case CiaoVerb.SWAP:
                self.swap(act.seat)
            case CiaoVerb.DEAL:
                assert self.asked is CiaoAsk.NEXT_ROUND
                self.deal()
        assert self.total_cards() == len(self.cards)

    def lay(self, seat: int, card: str) -> None:
        """Lay a right card, and start the effect of its special if it has one."""
        self.note_lay(seat, card)
        if self.asked is CiaoAsk.RACE:
            self.beaten = set(self.others(self.runner)) - {seat}
        self.turn = seat
        self.hand.remove(card)
        self.shown.discard(card)
        self.discards.append(card)
        self.named, self.drawn, self.idle = "", "", 0
        self.is_anything_right = False
        special = special_of(card)
        if special != PLUS3:
            self.debt = 0
        if not self.hand and special != AGAIN:
            self.note(f"{special or ('joker' if is_joker(card) else 'plain')} as the last card")
            self.win()  # our rule: after a last +3 nobody draws
        elif is_joker(card):
            self.asked = CiaoAsk.SYMBOL
        elif special == AGAIN:
            self.asked = CiaoAsk.AGAIN
        elif special == SPEED:
            self.runner, self.wrong_racers = seat, set()
            self.asked = CiaoAsk.RACE
        elif special == PLUS3:
            debt = self.debt + PENALTY
            self.pass_turn()
            self.debt, self.asked = debt, CiaoAsk.DEBT
        elif special == GIVE:
            self.asked = CiaoAsk.GIFT
        elif special == SWAP:
            self.asked = CiaoAsk.SWAP
        else:
            self.pass_turn()

    def lay_wrong(self, seat: int, card: str) -> None:
        """Leave a wrong card in the player's hand, and have the player draw three cards.

        In a race, the player is out if the house rule says so; else the turn ends.
        """
        self.note_wrong(card)
        self.shown.add(card)
        if self.asked is CiaoAsk.RACE:
            self.take(seat, PENALTY)
            self.wrong_racers.add(seat)
            if not self.racers():
                self.note("a race that all have lost")
                self.pass_turn()
            return
        self.take(seat, PENALTY + self.debt)  # our rule: the debt is not forgotten
        self.turn_done()

    def draw(self) -> None:
        """Have the current player draw all cards owed, or one card if none are owed."""
        if self.asked is CiaoAsk.DEBT:
            self.note(f"paid {self.debt}")
            self.take(self.turn, self.debt)
            self.turn_done()
            return
        assert self.asked is CiaoAsk.CARD
        if any(self.beats(card) for card in self.hand):
            self.note("drew with a fitting card in the hand")
        if self.take(self.turn, 1):
            self.drawn = self.hand[-1]
            self.asked = CiaoAsk.DRAWN
        else:
            self.turn_done()

    def take(self, seat: int, many: int) -> bool:
        """Have *seat* draw *many* cards, or all that are left; return True if there was a card."""
        taken = self.from_pile(many)
        if len(taken) < many:
            self.note("too few left to draw" if taken else "nothing left to draw")
        if taken:
            self.idle = 0
        self.hands[seat].extend(taken)
        self.drew.append((seat, len(taken)))
        self.drawn_by[seat] += len(taken)
        return bool(taken)

    def turn_done(self) -> None:
        """End a turn in which no card was laid.

        Our rule: if every player has now had a turn in which no card moved, end the round.
        """
        self.idle += not any(many for _, many in self.drew)
        if self.idle == self.players:
            self.note("nobody could move a card")
            self.end_round(None)
        else:
            self.pass_turn()

    def from_pile(self, many: int) -> list[str]:
        """Remove and return *many* cards from the draw pile, or all that are left.

        When the pile is empty, reshuffle the discards.
        """
        taken: list[str] = []
        for _ in range(many):
            if not self.pile:
                self.reshuffle()
                if taken and self.pile:
                    self.note("reshuffled during a draw")
            if self.pile:
                taken.append(self.pile.pop())
        return taken

    def reshuffle(self) -> None:
        """Shuffle the discards below the top card into a new draw pile."""
        self.pile = self.discards[:-1]
        if self.pile:
            self.note("reshuffled")
            self.chance.shuffle(self.pile)
            del self.discards[:-1]

    def pass_turn(self) -> None:
        """Give the turn to the next player."""
        self.turn = self.next_to(self.turn)
        self.debt, self.drawn, self.runner, self.receiver = 0, "", -1, -1
        self.wrong_racers = set()
        self.asked = CiaoAsk.CARD

    def play_again(self) -> None:
        """Give the current player another turn.

        Our rule: a player with an empty hand draws a card first.
        """
        assert self.asked is CiaoAsk.AGAIN
        self.asked = CiaoAsk.CARD
        self.is_anything_right = not self.house.again_beats
        if not self.hand:
            self.note("again with an empty hand")
            self.take(self.turn, 1)

    def reverse(self) -> None:
        """Reverse the direction of play and pass the turn. With an empty hand, the player wins."""
        assert self.asked is CiaoAsk.AGAIN
        self.step = -self.step
        if self.hand:
            self.pass_turn()
        else:
            self.note("reverse as the last card")
            self.win()

    def give(self, card: str, seat: int) -> None:
        """Move *card* from the current player's hand to the hand of *seat*."""
        assert self.asked is CiaoAsk.GIFT
        assert seat != self.turn
        self.note(f"{OBSTACLE if kind_of(card) == OBSTACLE else 'a card'} given")
        self.shown.difference_update(self.hand)  # our rule: any card of the hand may be the gift
        self.hand.remove(card)
        self.hands[seat].append(card)
        self.receiver = seat
        if not self.hand:
            self.note("the last card given")
        if self.hand or self.house.is_scored:
            self.asked = CiaoAsk.THANKS
        else:  # our rule: win at once, since the receiver's penalty would change nothing
            self.win()

    def thank(self, is_said: bool) -> None:
        """End the gift: if the receiver did not say thank you, the receiver draws three cards."""
        assert self.asked is CiaoAsk.THANKS
        if not is_said:
            self.note("forgot to thank" if self.hand else "forgot to thank for the last card")
            self.take(self.receiver, PENALTY)
        if self.hand:
            self.pass_turn()
        else:
            self.win()

    def swap(self, seat: int) -> None:
        """Swap the current player's hand with the hand of *seat*, and pass the turn."""
        assert self.asked is CiaoAsk.SWAP
        assert seat != self.turn
        mine, theirs = self.hand, self.hands[seat]
        if any(kind_of(card) == OBSTACLE for card in mine):
            self.note("an obstacle swapped away")
        self.hands[self.turn], self.hands[seat] = theirs, mine
        self.pass_turn()

    # -- the end of a round, and of the game

    def win(self) -> None:
        """End the round. The current player, who has no card left, wins it."""
        assert not self.hand
        self.end_round(self.turn)

    def end_round(self, winner: int | None) -> None:
        """Score the hands, and end the game if that was the last round.

        *winner* is the seat of the player who went out, or None if nobody did.
        """
        self.winner = winner
        self.rounds_done += 1
        self.debt, self.drawn, self.runner, self.receiver = 0, "", -1, -1
        self.gains = [sum(map(points_of, hand)) for hand in self.hands]
        self.ahead = lowest(self.sizes())
        if not self.house.is_scored:
            self.end_game(self.ahead)
            return
        self.totals = [total + gain for total, gain in zip(self.totals, self.gains, strict=True)]
        # Our rule: if nobody went out, the first of the smallest hands starts the next round.
        order = [(self.starter + n) % self.players for n in range(self.players)]
        self.starter = next(seat for seat in order if seat in self.ahead)
        best = lowest(self.totals)
        if self.rounds_done >= self.house.rounds and len(best) == 1:
            self.end_game(best)
            return
        if self.rounds_done >= self.house.rounds:
            is_first = self.rounds_done == self.house.rounds
            self.note("a tie plays one more" if is_first else "a second tie")
        self.asked = CiaoAsk.NEXT_ROUND

    def end_game(self, winners: list[int]) -> None:
        """End the game with these winners."""
        self.winners = winners
        self.asked = CiaoAsk.NOTHING

    # -- rare events, which tests look for

    def note(self, what: str) -> None:
        """Add a rare event to ``happened``, which has those of this game."""
        self.happened.add(what)

    def note_lay(self, seat: int, card: str) -> None:
        """Add to ``happened`` the rare events of the right *card* that *seat* is about to lay."""
        special = special_of(card)
        if self.asked is CiaoAsk.RACE:
            self.note(f"a race won with {special or ('a joker' if is_joker(card) else 'a plain')}")
            if seat != self.next_to(self.runner):
                self.note("a race changes who is next")
            if seat in self.wrong_racers:
                self.note("a race won after a wrong card of one's own")
        if self.top is None:
            self.note(f"begun with {special or ('a joker' if is_joker(card) else 'a plain')}")
        elif is_joker(card) and is_joker(self.top):
            self.note("joker on joker")
        if self.asked is CiaoAsk.DRAWN:
            self.note("the drawn card played")
        if self.asked is CiaoAsk.DEBT:
            if is_joker(card):
                self.note(f"joker against {self.debt}")
            else:
                self.note(f"+3 against {self.debt}")
                if not self.beats(card):
                    self.note("+3 that does not beat")
        if self.step < 0 and special == PLUS3:
            self.note("+3 the other way round")

    def note_wrong(self, card: str) -> None:
        """Add to ``happened`` the rare events of a wrong card."""
        if kind_of(card) == OBSTACLE:
            self.note("obstacle played")
        if self.top is None:
            self.note("wrong first card")
        match self.asked:
            case CiaoAsk.RACE:
                self.note("wrong card in a race")
            case CiaoAsk.DEBT:
                self.note("wrong card against a debt")
                if self.beats(card):
                    self.note("stronger card against a debt")
            case CiaoAsk.DRAWN:
                self.note("wrong card after a draw")
            case _:
                self.note("wrong card")
