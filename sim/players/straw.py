"""The search of Straw: rounds in numbers, played to their end by a quick rule.

A card is a number here: its printed number, or one of the codes of the specials.
"""

from functools import cache
from math import tanh
from random import Random
from typing import NamedTuple

from sim.players.search import best_of
from sim.robots.straw.books import LIMIT, StrawBooks, kind_of, printed_number
from sim.robots.straw.styles import Play

COPY, LAMP, REVERSE, STRAW = 20, 21, 22, 23
SPECIALS = {"copy": COPY, "lamp": LAMP, "reverse": REVERSE, "straw": STRAW}
NOTHING = -20  # what a Copy copies on an empty camel
UNPLAYABLE = -9999
BUDGET = 200
REMEMBERED = 6  # plays of all players from which the hands of the others are guessed
DOUBT = 0.1  # how often a deal is used that does not explain a play
TRIES = 20  # the most deals of which one is used
MARGIN = 25.0  # points; a lead in the first rounds that is almost worth the game
LAST_MARGIN = 4.0  # and in the last round


@cache
def code_of(card: str) -> int:
    """Return the number that stands for *card*."""
    return SPECIALS.get(kind_of(card), printed_number(card))


def value_of(code: int) -> int:
    """Return the points of a card in a hand."""
    return code if code < COPY else 0


class StrawRound:
    """A round that one player imagines: all hands and the pile, in numbers."""

    __slots__ = ("copied", "drawn", "hands", "pile", "step", "turn", "weight")

    def __init__(self, hands: list[list[int]], pile: list[int]) -> None:
        self.hands, self.pile = hands, pile
        self.drawn = 0  # cards drawn from *pile*, which begins with the top card
        self.weight, self.copied = 0, NOTHING
        self.turn, self.step = 0, 1

    def copy(self) -> "StrawRound":
        """Return a copy to play with."""
        twin = StrawRound([hand.copy() for hand in self.hands], self.pile)
        twin.drawn, twin.weight, twin.copied = self.drawn, self.weight, self.copied
        twin.turn, twin.step = self.turn, self.step
        return twin

    def play(self, card: int, after: int) -> list[int] | None:
        """Play *card* of the current player, so that the camel carries *after*.

        Return the points of each seat if that ends the round.
        """
        hand, me = self.hands[self.turn], self.turn
        hand.remove(card)
        self.weight = after
        if card == STRAW:
            return self.points({me})
        if after > LIMIT:
            return self.points({*range(len(self.hands))} - {me})
        if card != COPY:
            self.copied = card
        if self.drawn < len(self.pile):
            hand.append(self.pile[self.drawn])
            self.drawn += 1
        if self.copied == REVERSE:
            self.step = -self.step
        return self.pass_turn()

    def pass_turn(self) -> list[int] | None:
        """Give the turn to the next player with cards. Return the points if nobody has any."""
        many = len(self.hands)
        for n in range(1, many + 1):
            seat = (self.turn + n * self.step) % many
            if self.hands[seat]:
                self.turn = seat
                return None
        return self.points({*range(many)})

    def points(self, scorers: set[int]) -> list[int]:
        """Return the points of each seat at the end of the round."""
        return [
            sum(map(value_of, hand)) if seat in scorers else 0
            for seat, hand in enumerate(self.hands)
        ]

    def finish(self) -> list[int]:
        """Play the round to its end by a quick rule, and return the points of each seat."""
        ended, passes = None, 0
        while ended is None:
            liked = liked_play(self.hands[self.turn], self.weight, self.copied)
            if liked is not None:
                ended = self.play(*liked)
            elif self.copied != NOTHING:
                return self.points({*range(len(self.hands))} - {self.turn})
            else:
                passes += 1
                ended = self.pass_turn() if passes < len(self.hands) else [0] * len(self.hands)
        return ended


def liked_play(hand: list[int], weight: int, copied: int) -> tuple[int, int] | None:
    """Return the card that the style ``good`` plays from *hand*, and the weight after it.

    Return None if no card can be played.
    """
    held, best, liked = sum(map(value_of, hand)), UNPLAYABLE, None
    for card in hand:
        after = weight_after(card, weight, copied)
        worth = UNPLAYABLE if after is None else worth_of(card, weight, after, held)
        if after is not None and worth > best:
            best, liked = worth, (card, after)
    return liked


def weight_after(card: int, weight: int, copied: int) -> int | None:
    """Return the weight after *card*, with the best number for a Lamp; None if it is forbidden."""
    real = copied if card == COPY else card
    if real < COPY:
        return None if real == NOTHING else weight + real
    if real == LAMP:
        return weight + min(10, max(1, LIMIT - weight))
    return None if real == STRAW and weight != LIMIT else weight


def is_liked(card: int, kept: list[int], weight: int, copied: int) -> bool:
    """Return True if the style ``good`` may play *card* and keep *kept*."""
    held = sum(map(value_of, kept)) + value_of(card)
    after = weight_after(card, weight, copied)
    if after is None:
        return False
    worth = worth_of(card, weight, after, held)
    for other in kept:
        after = weight_after(other, weight, copied)
        if after is not None and worth_of(other, weight, after, held) > worth:
            return False
    return True


def worth_of(card: int, weight: int, after: int, held: int) -> int:
    """Return how much the style ``good`` likes to play *card* of a hand with *held* points.

    See ``sim.robots.straw.styles.likes_to_win``.
    """
    kept = held - value_of(card)
    if card == STRAW:
        return 100 + kept if kept > 0 else -200
    if after > LIMIT:
        return kept - 1000
    is_way_out = (card <= 0 or card >= COPY) and weight < LIMIT - 10
    return kept + 12 - min(LIMIT - after, 12) - (6 if is_way_out else 0)


class PastPlay(NamedTuple):
    """A play that everybody saw: the *card* of *seat*, and what it lay on."""

    seat: int
    card: int
    weight: int
    copied: int


def past_plays(books: StrawBooks, seat: int) -> list[PastPlay]:
    """Return the last plays, the latest first, as *seat* remembers them who plays now.

    The weight that a Lamp got is not remembered: it is taken for 10.
    """
    codes = [NOTHING, *(code_of(card) for card in books.camel)]
    plays, weight, step = [], books.weight, books.step
    for index in range(len(codes) - 1, max(0, len(codes) - 1 - REMEMBERED), -1):
        card = codes[index]
        copied = next(code for code in reversed(codes[:index]) if code != COPY)
        real = copied if card == COPY else card
        seat = (seat - step) % books.players
        step = -step if real == REVERSE else step
        weight -= 10 if real == LAMP else value_of(real)
        plays.append(PastPlay(seat, card, weight, copied))
    return plays


def surprise(hands: list[list[int]], past: list[PastPlay]) -> int:
    """Return the number of *past* plays that the style ``good`` would not have made.

    The cards of a hand are in the order in which they were drawn.
    """
    many, later = 0, [list[int]() for _ in hands]
    for play in past:
        hand, played = hands[play.seat], later[play.seat]
        played.append(play.card)
        kept = hand[: max(0, len(hand) - len(played))] + played[:-1]
        many += not is_liked(play.card, kept, play.weight, play.copied)
    return many


class StrawKnowledge:
    """All that the player at seat *me* knows in a round, and deals that may be the real one."""

    def __init__(self, books: StrawBooks, plays: list[Play]) -> None:
        self.books, self.me = books, books.turn
        self.sizes = [len(hand) for hand in books.hands]
        hand = {*books.hand, *(card for card, _ in plays)}
        seen = hand.union(books.camel)
        self.unseen = sorted(code_of(card) for card in books.cards if card not in seen)
        self.own = sorted(map(code_of, hand))
        past = past_plays(books, self.me) if books.pile else []
        self.past = [play for play in past if play.seat != self.me]

    def deal(self, chance: Random) -> StrawRound:
        """Return a deal of the unseen cards that explains what the others have played."""
        places = range(len(self.unseen))
        for _ in range(TRIES):
            picked = chance.sample(places, sum(self.sizes) - self.sizes[self.me])
            cards = [self.unseen[place] for place in picked]
            hands = [
                self.own if seat == self.me else [cards.pop() for _ in range(size)]
                for seat, size in enumerate(self.sizes)
            ]
            if chance.random() < DOUBT ** surprise(hands, self.past):
                break
        pile = [self.unseen[place] for place in {*places}.difference(picked)]
        chance.shuffle(pile)
        dealt = StrawRound(hands, pile)
        dealt.weight, dealt.turn, dealt.step = self.books.weight, self.me, self.books.step
        dealt.copied = code_of(self.books.copied) if self.books.copied else NOTHING
        return dealt

    def playout(self, dealt: StrawRound, play: Play, _: Random) -> float:
        """Return the value of *play* in the round *dealt*, which both finish by a quick rule."""
        card, number = play
        tried = dealt.copy()
        ended = tried.play(code_of(card), self.books.weight_with(card, number))
        return value(self.books, self.me, tried.finish() if ended is None else ended)


def likes_to_search(books: StrawBooks, plays: list[Play], chance: Random) -> list[Play]:
    """Return the one of *plays* that wins most in deals of the unseen cards."""
    known = StrawKnowledge(books, plays)
    return [best_of(distinct(plays), known.deal, known.playout, BUDGET, chance)]


def distinct(plays: list[Play]) -> list[Play]:
    """Return one of the *plays* for each kind of card and weight."""
    return [
        *{
            (kind_of(card), number): (card, number) for card, number in sorted(plays, key=str)
        }.values()
    ]


def value(books: StrawBooks, me: int, points: list[int]) -> float:
    """Return the value of a round that ends with these *points*, from -1 to 1, for seat *me*."""
    is_last = books.rounds_done + 1 >= books.players
    totals = [total + more for total, more in zip(books.totals, points, strict=True)]
    lead = totals[me] - max(total for seat, total in enumerate(totals) if seat != me)
    return tanh(lead / (LAST_MARGIN if is_last else MARGIN))
