"""The search of Straw: rounds in numbers, played to their end by a quick rule.

A card is a number here: its printed number, or one of the codes of the specials.
"""

from functools import cache
from math import tanh
from random import Random

from sim.players.search import best_of
from sim.robots.straw.books import LIMIT, StrawBooks, kind_of, printed_number
from sim.robots.straw.styles import Play

COPY, LAMP, REVERSE, STRAW = 20, 21, 22, 23
SPECIALS = {"copy": COPY, "lamp": LAMP, "reverse": REVERSE, "straw": STRAW}
NOTHING = -20  # what a Copy copies on an empty camel
BUDGET = 600
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
    held, best, liked = sum(map(value_of, hand)), -9999, None
    for card in hand:
        real = copied if card == COPY else card
        if real == NOTHING or (real == STRAW and weight != LIMIT):
            continue
        after = weight + (min(10, max(1, LIMIT - weight)) if real == LAMP else value_of(real))
        worth = worth_of(card, weight, after, held - value_of(card))
        if worth > best:
            best, liked = worth, (card, after)
    return liked


def worth_of(card: int, weight: int, after: int, kept: int) -> int:
    """Return how much the style ``good`` likes to play *card*. *kept* are the points in the hand.

    See ``sim.robots.straw.styles.likes_to_win``.
    """
    if card == STRAW:
        return 100 + kept if kept > 0 else -200
    if after > LIMIT:
        return kept - 1000
    is_way_out = (card <= 0 or card >= COPY) and weight < LIMIT - 10
    return kept + 12 - min(LIMIT - after, 12) - (6 if is_way_out else 0)


def likes_searched(books: StrawBooks, plays: list[Play], chance: Random) -> list[Play]:
    """Return the one of *plays* that wins most in deals of the unseen cards."""
    me, sizes = books.turn, [len(hand) for hand in books.hands]
    hand = {*books.hand, *(card for card, _ in plays)}
    unseen = [code_of(card) for card in books.cards if card not in hand.union(books.camel)]
    own = [code_of(card) for card in sorted(hand)]

    def deal(luck: Random) -> StrawRound:
        cards = luck.sample(unseen, len(unseen))
        hands = []
        for seat, size in enumerate(sizes):
            hands.append(own.copy() if seat == me else cards[:size])
            cards = cards if seat == me else cards[size:]
        dealt = StrawRound(hands, cards[: len(books.pile)])
        dealt.weight, dealt.turn, dealt.step = books.weight, me, books.step
        dealt.copied = code_of(books.copied) if books.copied else NOTHING
        return dealt

    def playout(dealt: StrawRound, play: Play, _: Random) -> float:
        card, number = play
        tried = dealt.copy()
        ended = tried.play(code_of(card), books.weight_with(card, number))
        return value(books, me, tried.finish() if ended is None else ended)

    return [best_of(distinct(books, plays), deal, playout, BUDGET, chance)]


def distinct(books: StrawBooks, plays: list[Play]) -> list[Play]:
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
