"""A second opinion on Ciao!: the books a careful scorekeeper keeps, from the printed rules alone.

Room: sim/robots. It shuffles, deals and sees every hand, as nobody at the table does, and shares
no line with ``engines.ciao``; so where the two agree, they agree for different reasons. Cards are
texts: ``rock-green#2``, ``paper-red-speed#1``, ``joker-yellow#3``, ``obstacle#1``. It knows the
house rules of House. Where the printed rules leave a point open, "ours" marks what RULES.md
decided.
"""

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
POINTS_OF_OTHERS = 50  # every joker and every obstacle

DEALT = 7
PENALTY = 3
ROUNDS = 5


def box(each: int = 1) -> list[str]:
    """The 108 cards, each special *each* times with every symbol in every colour."""
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
    """What is on the card, whichever of its copies it is."""
    return card.split("#")[0]


@cache
def symbol_of(card: str) -> str | None:
    """The symbol; a joker has none until its player names one, and an obstacle has none at all."""
    symbol = kind_of(card).split("-")[0]
    return symbol if symbol in SYMBOLS else None


@cache
def colour_of(card: str) -> str | None:
    """The colour; an obstacle has none."""
    parts = kind_of(card).split("-")
    return parts[1] if len(parts) > 1 else None


@cache
def special_of(card: str) -> str | None:
    """The special sign, if it bears one."""
    parts = kind_of(card).split("-")
    return parts[2] if len(parts) > 2 else None


def is_joker(card: str) -> bool:
    """Whether its player names its symbol."""
    return kind_of(card).startswith(JOKER)


def points_of(card: str) -> int:
    """What it counts against whoever still holds it."""
    symbol, colour = symbol_of(card), colour_of(card)
    return POINTS_OF_OTHERS if symbol is None or colour is None else POINTS[colour]


def lowest(numbers: list[int]) -> list[int]:
    """The seats with the lowest number."""
    return [seat for seat, number in enumerate(numbers) if number == min(numbers)]


# --- what is asked, and what is done -------------------------------------------------------------


class Asked(Enum):
    """What the table waits for."""

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


class Verb(Enum):
    """What people do."""

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
class Act:
    """One thing that *player* does, with a *card*, to another *seat*, or naming a *symbol*."""

    verb: Verb
    player: int
    card: str = ""
    seat: int = -1
    symbol: str = ""

    def __str__(self) -> str:
        to = "" if self.seat < 0 else f" seat {self.seat}"
        return f"seat {self.player} {self.verb.value} {self.card}{self.symbol}{to}".rstrip()


@dataclass(frozen=True)
class House:
    """What people choose before they play. *variant* is a children's variant, 0 the full game."""

    is_scored: bool = False
    rounds: int = ROUNDS  # if it is scored
    variant: int = 0
    only_drawn: bool = True  # may be laid after drawing
    again_beats: bool = True  # the own card, or else anything may be laid
    plus3_beats: bool = False  # the card on top too, where it answers another


class CiaoBooks:
    """One game of Ciao! from the first deal to the winner."""

    def __init__(
        self,
        players: int,
        first: int,
        cards: list[str],
        chance: Random,
        house: House,
    ) -> None:
        self.players = players
        self.chance = chance
        self.house = house
        self.cards = [card for card in cards if self.is_in_play(card)]
        self.starter = first
        self.rounds_done = 0
        self.totals = [0] * players
        self.gains = [0] * players  # of the last round
        self.winner: int | None = None  # of the last round
        self.ahead: list[int] = []  # whose hands were the smallest at its end
        self.winners: list[int] = []  # of the game
        self.happened: set[str] = set()  # the rare things this game has seen
        self.deal()

    def is_in_play(self, card: str) -> bool:
        """Whether this variant is played with this card."""
        variant = self.house.variant
        if kind_of(card) == OBSTACLE:
            return variant == 0  # the printed variants take them out and never back in
        return variant != 1 or special_of(card) is None

    def deal(self) -> None:
        """Shuffle all cards and give everybody seven."""
        self.pile = list(self.cards)
        self.chance.shuffle(self.pile)
        self.hands: list[list[str]] = [[] for _ in range(self.players)]
        for _ in range(DEALT):
            for hand in self.hands:
                hand.append(self.pile.pop())
        self.discards: list[str] = []
        self.named = ""  # the symbol of the joker on top
        self.is_anything_right = False  # to lay: there is nothing to beat
        self.step = 1  # +1 clockwise, -1 the other way
        self.turn = self.starter
        self.debt = 0
        self.drawn = ""  # the card that alone may still be played
        self.runner = -1  # who began the race, and may not run
        self.wrong_racers: set[int] = set()  # who laid a wrong card in this race
        self.receiver = -1  # who must say thank you
        self.drew: list[tuple[int, int]] = []  # in the last act: who, and how many
        self.idle = 0  # turns one after the other in which no card moved
        self.asked = Asked.CARD

    # -- what can be read off the table

    @property
    def hand(self) -> list[str]:
        """The hand of the one whose turn it is."""
        return self.hands[self.turn]

    @property
    def top(self) -> str | None:
        """The card on top of the discards; none before the first."""
        return self.discards[-1] if self.discards else None

    def to_beat(self) -> tuple[str, str] | None:
        """Symbol and colour that the next card must beat; None where any card will do."""
        if self.top is None or self.is_anything_right:
            return None
        colour = colour_of(self.top)
        assert colour is not None
        return symbol_of(self.top) or self.named, colour

    def sizes(self) -> list[int]:
        """How many cards everybody holds."""
        return [len(hand) for hand in self.hands]

    def total_cards(self) -> int:
        """All cards, wherever they are."""
        return sum(self.sizes()) + len(self.pile) + len(self.discards)

    def is_anything_to_draw(self) -> bool:
        """Whether there is a card to draw, or one to shuffle."""
        return bool(self.pile) or len(self.discards) > 1

    def next_to(self, seat: int) -> int:
        """Who comes after this player."""
        return (seat + self.step) % self.players

    def others(self, seat: int) -> list[int]:
        """Everybody but this player."""
        return [other for other in range(self.players) if other != seat]

    def racers(self) -> list[int]:
        """Who may run in the race."""
        return self.others(self.runner)

    # -- what is legal

    def beats(self, card: str) -> bool:
        """Whether this card is stronger than the one to beat."""
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
        """Whether this card answers a +3."""
        if special_of(card) != PLUS3:
            return is_joker(card)
        return not self.house.plus3_beats or self.beats(card)

    def may_lay(self, seat: int, card: str) -> bool:
        """Whether this player may lay this card now."""
        assert card in self.hands[seat]
        match self.asked:
            case Asked.CARD:
                return seat == self.turn and self.beats(card)
            case Asked.DRAWN:
                is_free = card == self.drawn or not self.house.only_drawn
                return seat == self.turn and is_free and self.beats(card)
            case Asked.DEBT:
                return seat == self.turn and self.answers(card)
            case Asked.RACE:
                return seat in self.racers() and self.beats(card)
            case _:
                return False

    def layers(self) -> list[int]:
        """Who may lay a card now."""
        if self.asked is Asked.RACE:
            return self.racers()
        return [self.turn] if self.asked in (Asked.CARD, Asked.DRAWN, Asked.DEBT) else []

    def legal_acts(self) -> list[Act]:
        """All that may be done now."""
        me = self.turn
        match self.asked:
            case Asked.CARD | Asked.DEBT:
                return [*self.legal_plays(), Act(Verb.DRAW, me)]
            case Asked.DRAWN:
                return [*self.legal_plays(), Act(Verb.PASS, me)]
            case Asked.RACE:
                return [*self.legal_plays(), Act(Verb.NOBODY, me)]
            case Asked.SYMBOL:
                return [Act(Verb.NAME, me, symbol=symbol) for symbol in SYMBOLS]
            case Asked.AGAIN:
                return [Act(Verb.AGAIN, me), Act(Verb.REVERSE, me)]
            case Asked.GIFT:
                return [Act(Verb.GIVE, me, c, seat) for c in self.hand for seat in self.others(me)]
            case Asked.THANKS:
                return [Act(Verb.THANK, self.receiver), Act(Verb.FORGET, self.receiver)]
            case Asked.SWAP:
                return [Act(Verb.SWAP, me, seat=seat) for seat in self.others(me)]
            case Asked.NEXT_ROUND:
                return [Act(Verb.DEAL, me)]
            case _:
                return []

    def legal_plays(self) -> list[Act]:
        """All cards that may be laid now."""
        return [act for act in self.all_plays() if self.may_lay(act.player, act.card)]

    def wrong_plays(self) -> list[Act]:
        """Cards that may not be laid, and that a mat can see to be wrong.

        After a draw only the drawn card may be played; a mat sees no hand, so of the others it can
        tell only those that would be too weak anyway.
        """
        wrong = [act for act in self.all_plays() if not self.may_lay(act.player, act.card)]
        return [act for act in wrong if self.asked is not Asked.DRAWN or not self.beats(act.card)]

    def all_plays(self) -> list[Act]:
        """All cards that those could lay who may lay one."""
        return [Act(Verb.LAY, s, c) for s in self.layers() for c in self.hands[s]]

    # -- the acts

    def do(self, act: Act) -> None:
        """Do this: a legal act, or a wrong card with what it brings."""
        self.drew = []
        match act.verb:
            case Verb.LAY:
                if self.may_lay(act.player, act.card):
                    self.lay(act.player, act.card)
                else:
                    self.lay_wrong(act.player, act.card)
            case Verb.DRAW:
                self.draw()
            case Verb.PASS:
                assert self.asked is Asked.DRAWN
                self.pass_turn()
            case Verb.NOBODY:
                assert self.asked is Asked.RACE
                self.note("a race that nobody wins")
                self.pass_turn()
            case Verb.NAME:
                assert self.asked is Asked.SYMBOL
                self.named = act.symbol
                self.pass_turn()
            case Verb.AGAIN:
                self.play_again()
            case Verb.REVERSE:
                self.reverse()
            case Verb.GIVE:
                self.give(act.card, act.seat)
            case Verb.THANK | Verb.FORGET:
                self.thank(act.verb is Verb.THANK)
            case Verb.SWAP:
                self.swap(act.seat)
            case Verb.DEAL:
                assert self.asked is Asked.NEXT_ROUND
                self.deal()
        assert self.total_cards() == len(self.cards)

    def lay(self, seat: int, card: str) -> None:
        """A right card is laid, and its special works."""
        self.note_lay(seat, card)
        self.turn = seat
        self.hand.remove(card)
        self.discards.append(card)
        self.named, self.drawn, self.idle = "", "", 0
        self.is_anything_right = False
        special = special_of(card)
        if special != PLUS3:
            self.debt = 0
        if not self.hand and special != AGAIN:
            self.note(f"{special or ('joker' if is_joker(card) else 'plain')} as the last card")
            self.win()  # ours: after a last +3 nobody draws
        elif is_joker(card):
            self.asked = Asked.SYMBOL
        elif special == AGAIN:
            self.asked = Asked.AGAIN
        elif special == SPEED:
            self.runner, self.wrong_racers = seat, set()
            self.asked = Asked.RACE
        elif special == PLUS3:
            debt = self.debt + PENALTY
            self.pass_turn()
            self.debt, self.asked = debt, Asked.DEBT
        elif special == GIVE:
            self.asked = Asked.GIFT
        elif special == SWAP:
            self.asked = Asked.SWAP
        else:
            self.pass_turn()

    def lay_wrong(self, seat: int, card: str) -> None:
        """It goes back into the hand; three cards, and the turn is missed."""
        self.note_wrong(card)
        if self.asked is Asked.RACE:
            self.take(seat, PENALTY)
            self.wrong_racers.add(seat)  # ours: and may go on racing
            return
        self.take(seat, PENALTY + self.debt)  # ours: the debt is not forgotten
        self.turn_done()

    def draw(self) -> None:
        """The debt is paid, or one card is drawn."""
        if self.asked is Asked.DEBT:
            self.note(f"paid {self.debt}")
            self.take(self.turn, self.debt)
            self.turn_done()
            return
        assert self.asked is Asked.CARD
        if any(self.beats(card) for card in self.hand):
            self.note("drew with a fitting card in the hand")
        if self.take(self.turn, 1):
            self.drawn = self.hand[-1]
            self.asked = Asked.DRAWN
        else:
            self.turn_done()

    def take(self, seat: int, many: int) -> bool:
        """Draw as many as there are, of as many as are due; return whether there was any."""
        taken = self.from_pile(many)
        if len(taken) < many:
            self.note("too few left to draw" if taken else "nothing left to draw")
        if taken:
            self.idle = 0
        self.hands[seat].extend(taken)
        self.drew.append((seat, len(taken)))
        return bool(taken)

    def turn_done(self) -> None:
        """A turn without a card laid is over; ours: when nobody could move any, so is the round."""
        self.idle += not any(many for _, many in self.drew)
        if self.idle == self.players:
            self.note("nobody could move a card")
            self.end_round(None)
        else:
            self.pass_turn()

    def from_pile(self, many: int) -> list[str]:
        """Draw as many as there are, of as many as are due."""
        taken: list[str] = []
        for _ in range(many):
            if not self.pile:
                self.reshuffle()
                if taken and self.pile:
                    self.note("reshuffled amid a draw")
            if self.pile:
                taken.append(self.pile.pop())
        return taken

    def reshuffle(self) -> None:
        """The discards but the top card become the draw pile."""
        self.pile = self.discards[:-1]
        if self.pile:
            self.note("reshuffled")
            self.chance.shuffle(self.pile)
            del self.discards[:-1]

    def pass_turn(self) -> None:
        """The next player goes on."""
        self.turn = self.next_to(self.turn)
        self.debt, self.drawn, self.runner, self.receiver = 0, "", -1, -1
        self.asked = Asked.CARD

    def play_again(self) -> None:
        """Another turn; ours: with no card in the hand after drawing one."""
        assert self.asked is Asked.AGAIN
        self.asked = Asked.CARD
        self.is_anything_right = not self.house.again_beats
        if not self.hand:
            self.note("again with an empty hand")
            self.take(self.turn, 1)  # ours: and then has a turn like any other

    def reverse(self) -> None:
        """The other way round."""
        assert self.asked is Asked.AGAIN
        self.step = -self.step
        if self.hand:
            self.pass_turn()
        else:
            self.note("reverse as the last card")
            self.win()

    def give(self, card: str, seat: int) -> None:
        """A card goes to somebody else."""
        assert self.asked is Asked.GIFT
        assert seat != self.turn
        self.note(f"{OBSTACLE if kind_of(card) == OBSTACLE else 'a card'} given")
        self.hand.remove(card)
        self.hands[seat].append(card)
        self.receiver = seat
        if self.hand:
            self.asked = Asked.THANKS
        else:  # ours: at once, before any thanks
            self.note("the last card given")
            self.win()

    def thank(self, is_said: bool) -> None:
        """The receiver said thank you, or must draw."""
        assert self.asked is Asked.THANKS
        if not is_said:
            self.note("forgot to thank")
            self.take(self.receiver, PENALTY)
        self.pass_turn()

    def swap(self, seat: int) -> None:
        """Hands change places."""
        assert self.asked is Asked.SWAP
        assert seat != self.turn
        mine, theirs = self.hand, self.hands[seat]
        if any(kind_of(card) == OBSTACLE for card in mine):
            self.note("an obstacle swapped away")
        self.hands[self.turn], self.hands[seat] = theirs, mine
        self.pass_turn()

    # -- the end of a round, and of the game

    def win(self) -> None:
        """The player whose turn it is has no card left."""
        assert not self.hand
        self.end_round(self.turn)

    def end_round(self, winner: int | None) -> None:
        """Count the hands; where nobody went out, the smallest take the place of an empty one."""
        self.winner = winner
        self.rounds_done += 1
        self.debt, self.drawn, self.runner, self.receiver = 0, "", -1, -1
        self.gains = [sum(map(points_of, hand)) for hand in self.hands]
        self.ahead = lowest(self.sizes())
        if not self.house.is_scored:
            self.end_game(self.ahead)
            return
        self.totals = [total + gain for total, gain in zip(self.totals, self.gains, strict=True)]
        # Ours: where nobody went out, the first of the smallest hands from who began this round.
        order = [(self.starter + n) % self.players for n in range(self.players)]
        self.starter = next(seat for seat in order if seat in self.ahead)
        best = lowest(self.totals)
        if self.rounds_done >= self.house.rounds and len(best) == 1:
            self.end_game(best)
            return
        if self.rounds_done >= self.house.rounds:
            is_first = self.rounds_done == self.house.rounds
            self.note("a tie plays one more" if is_first else "a second tie")
        self.asked = Asked.NEXT_ROUND

    def end_game(self, winners: list[int]) -> None:
        """These have won."""
        self.winners = winners
        self.asked = Asked.NOTHING

    # -- what was rare

    def note(self, what: str) -> None:
        """Note that something rare happened."""
        self.happened.add(what)

    def note_lay(self, seat: int, card: str) -> None:
        """Note what is rare about a card that is being laid."""
        special = special_of(card)
        if self.asked is Asked.RACE:
            self.note(f"a race won with {special or ('a joker' if is_joker(card) else 'a plain')}")
            if seat != self.next_to(self.runner):
                self.note("a race changes who is next")
            if seat in self.wrong_racers:
                self.note("a race won after a wrong card of one's own")
        if self.top is None:
            self.note(f"begun with {special or ('a joker' if is_joker(card) else 'a plain')}")
        elif is_joker(card) and is_joker(self.top):
            self.note("joker on joker")
        if self.asked is Asked.DRAWN:
            self.note("the drawn card played")
        if self.asked is Asked.DEBT:
            if is_joker(card):
                self.note(f"joker against {self.debt}")
            else:
                self.note(f"+3 against {self.debt}")
                if not self.beats(card):
                    self.note("+3 that does not beat")
        if self.step < 0 and special == PLUS3:
            self.note("+3 the other way round")

    def note_wrong(self, card: str) -> None:
        """Note what is rare about a wrong card."""
        if kind_of(card) == OBSTACLE:
            self.note("obstacle played")
        if self.top is None:
            self.note("wrong first card")
        match self.asked:
            case Asked.RACE:
                self.note("wrong card in a race")
            case Asked.DEBT:
                self.note("wrong card against a debt")
                if self.beats(card):
                    self.note("stronger card against a debt")
            case Asked.DRAWN:
                self.note("wrong card after a draw")
            case _:
                self.note("wrong card")
