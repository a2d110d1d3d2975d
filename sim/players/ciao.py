"""The search of Ciao!: rounds in numbers, played to their end by a quick rule.

A card is the index of its kind in ``KINDS`` here. The mark to beat is the index of a symbol and a
colour, or ``ANY`` if every card fits.
"""

from collections.abc import Sequence
from functools import cache
from math import tanh
from random import Random

from sim.players.search import best_of
from sim.robots.ciao.books import (
    AGAIN,
    GIVE,
    OBSTACLE,
    PENALTY,
    PLUS3,
    SPEED,
    STRENGTH,
    SWAP,
    SYMBOLS,
    WINS_OVER,
    CiaoAsk,
    CiaoBooks,
    CiaoMove,
    CiaoVerb,
    box,
    colour_of,
    is_joker,
    kind_of,
    points_of,
    special_of,
    symbol_of,
)

KINDS = tuple(dict.fromkeys(map(kind_of, box())))
CODE = {kind: code for code, kind in enumerate(KINDS)}
COLOURS = tuple(STRENGTH)
ANY = len(SYMBOLS) * len(COLOURS)
SPECIAL = [special_of(kind) for kind in KINDS]
POINTS = [points_of(kind) for kind in KINDS]
IS_JOKER = [is_joker(kind) for kind in KINDS]
IS_KEPT = [joker or special == PLUS3 for joker, special in zip(IS_JOKER, SPECIAL, strict=True)]
COLOUR = [COLOURS.index(colour_of(kind) or COLOURS[0]) for kind in KINDS]
MARK = [
    SYMBOLS.index(symbol) * len(COLOURS) + COLOUR[code] if (symbol := symbol_of(kind)) else ANY
    for code, kind in enumerate(KINDS)
]
BUDGET = 200
MOST_TURNS = 150  # in a playout
MARGIN = 80.0  # penalty points; a lead that is almost worth a scored game


@cache
def fits(variant: int) -> Sequence[frozenset[int]]:
    """Return the cards that beat each mark, in this variant of the rules."""
    cards = [code for code, kind in enumerate(KINDS) if kind != OBSTACLE]
    beating = [
        frozenset(card for card in cards if _beats(card, mark, variant)) for mark in range(ANY)
    ]
    return [*beating, frozenset(cards)]


def _beats(card: int, mark: int, variant: int) -> bool:
    if IS_JOKER[card]:
        return True
    mine, theirs = MARK[card] // len(COLOURS), mark // len(COLOURS)
    if WINS_OVER[SYMBOLS[mine]] == SYMBOLS[theirs]:
        return True
    return mine == theirs and variant not in (1, 2) and COLOUR[card] > mark % len(COLOURS)


class CiaoRound:
    """A round that one player imagines: all hands and the pile, in numbers."""

    __slots__ = (
        "chance",
        "debt",
        "discards",
        "fits",
        "hands",
        "mark",
        "pile",
        "step",
        "turn",
        "winner",
    )

    def __init__(self, hands: list[list[int]], pile: list[int], variant: int) -> None:
        self.hands, self.pile, self.fits = hands, pile, fits(variant)
        self.discards: list[int] = []
        self.mark, self.debt, self.turn, self.step = ANY, 0, 0, 1
        self.winner = -1
        self.chance = Random(0)

    def copy(self, chance: Random) -> "CiaoRound":
        """Return a copy to play with."""
        twin = CiaoRound([hand.copy() for hand in self.hands], self.pile.copy(), 0)
        twin.fits, twin.discards, twin.chance = self.fits, self.discards.copy(), chance
        twin.mark, twin.debt, twin.turn, twin.step = self.mark, self.debt, self.turn, self.step
        return twin

    def any_of(self, cards: list[int]) -> int:
        """Return a card at random."""
        return cards[int(self.chance.random() * len(cards))]

    def next_turn(self) -> None:
        """Give the turn to the next player."""
        self.debt = 0
        self.turn = (self.turn + self.step) % len(self.hands)

    def draw(self, many: int) -> None:
        """Have the current player draw cards, while there are any."""
        hand = self.hands[self.turn]
        for _ in range(many):
            if not self.pile:
                self.pile, self.discards = self.discards, []
                self.chance.shuffle(self.pile)
            if self.pile:
                hand.append(self.pile.pop())

    def finish(self) -> None:
        """Play the round to its end by a quick rule."""
        for _ in range(MOST_TURNS):
            if self.winner >= 0:
                return
            self.quick_turn()

    def quick_turn(self) -> None:
        """Play a turn: jokers and +3 only if no other card fits, a draw only if none fits."""
        hand = self.hands[self.turn]
        if self.debt:
            self.quick_answer(hand)
            return
        right = self.fits[self.mark]
        fitting = [card for card in hand if card in right]
        if fitting:
            spent = [card for card in fitting if not IS_KEPT[card]]
            self.lay(self.any_of(spent or fitting))
            return
        self.draw(1)
        self.after_draw(hand)

    def quick_answer(self, hand: list[int]) -> None:
        """Answer a +3 with a joker or another +3, or else draw."""
        answers = [card for card in hand if IS_KEPT[card]]
        if answers:
            self.lay(self.any_of(answers))
        else:
            self.draw(self.debt)
            self.next_turn()

    def after_draw(self, hand: list[int]) -> None:
        """Lay the card just drawn if it fits, or else pass."""
        if hand and hand[-1] in self.fits[self.mark]:
            self.lay(hand[-1])
        else:
            self.next_turn()

    def lay(self, card: int) -> None:
        """Lay a card of the current player, and do what follows by a quick rule."""
        self.put(card)
        special = SPECIAL[card]
        if self.winner >= 0:
            return
        if IS_JOKER[card]:
            self.name(self.any_symbol())
        elif special == AGAIN:
            self.go_again()
        elif special == GIVE:
            self.give(max(self.hands[self.turn], key=POINTS.__getitem__), self.smallest())
        elif special == SWAP:
            self.swap(self.smallest())
        elif special == SPEED:
            self.race()
        elif special != PLUS3:
            self.next_turn()

    def put(self, card: int) -> None:
        """Move a card of the current player to the discards. A +3 also gives away the turn."""
        hand, special = self.hands[self.turn], SPECIAL[card]
        hand.remove(card)
        self.discards.append(card)
        self.mark = MARK[card]
        if not hand and special != AGAIN:
            self.winner = self.turn
        elif special == PLUS3:
            debt = self.debt + PENALTY
            self.next_turn()
            self.debt = debt
        else:
            self.debt = 0

    def any_symbol(self) -> int:
        """Return a symbol at random."""
        return int(self.chance.random() * len(SYMBOLS))

    def name(self, symbol: int) -> None:
        """Name the symbol of the joker on top."""
        self.mark = symbol * len(COLOURS) + COLOUR[self.discards[-1]]
        self.next_turn()

    def go_again(self) -> None:
        """Play again with a card that fits; or else, reverse the direction."""
        hand, right = self.hands[self.turn], self.fits[self.mark]
        if not any(card in right for card in hand):
            self.reverse()

    def reverse(self) -> None:
        """Reverse the direction. The player with an empty hand wins."""
        if not self.hands[self.turn]:
            self.winner = self.turn
        self.step = -self.step
        self.next_turn()

    def race(self) -> None:
        """Let the other players race: chance decides who of those with a fitting card is first."""
        runner, right = self.turn, self.fits[self.mark]
        order = [seat for seat in range(len(self.hands)) if seat != runner]
        self.chance.shuffle(order)
        for seat in order:
            fitting = [card for card in self.hands[seat] if card in right]
            if fitting:
                self.turn = seat
                self.lay(self.any_of(fitting))
                return
        self.next_turn()

    def smallest(self) -> int:
        """Return the seat of the other player with the fewest cards."""
        others = (seat for seat in range(len(self.hands)) if seat != self.turn)
        return min(others, key=lambda seat: len(self.hands[seat]))

    def give(self, card: int, seat: int) -> None:
        """Give a card of the current player to *seat*."""
        hand = self.hands[self.turn]
        hand.remove(card)
        self.hands[seat].append(card)
        if not hand:
            self.winner = self.turn
        self.next_turn()

    def swap(self, seat: int) -> None:
        """Swap the current player's hand with that of *seat*."""
        hands = self.hands
        hands[self.turn], hands[seat] = hands[seat], hands[self.turn]
        self.next_turn()

    def do(self, move: CiaoMove, asked: CiaoAsk) -> None:
        """Do a move of the player whose choice is searched."""
        self.turn = move.player
        match move.verb:
            case CiaoVerb.LAY:
                self.lay(CODE[kind_of(move.card)])
            case CiaoVerb.DRAW if asked is CiaoAsk.DEBT:
                self.draw(self.debt)
                self.next_turn()
            case CiaoVerb.DRAW:
                self.draw(1)
                self.after_draw(self.hands[self.turn])
            case CiaoVerb.NAME:
                self.name(SYMBOLS.index(move.symbol))
            case CiaoVerb.REVERSE:
                self.reverse()
            case CiaoVerb.GIVE:
                self.give(CODE[kind_of(move.card)], move.seat)
            case CiaoVerb.SWAP:
                self.swap(move.seat)
            case CiaoVerb.AGAIN:
                if not self.hands[self.turn]:
                    self.draw(1)
            case _:
                self.next_turn()


class CiaoKnowledge:
    """All that the player at seat *me* knows in a round, and deals that may be the real one."""

    def __init__(self, books: CiaoBooks, me: int) -> None:
        self.books, self.me = books, me
        self.own = sorted(CODE[kind_of(card)] for card in books.hands[me])
        seen = {*books.hands[me], *books.discards}
        self.unseen = [
            CODE[kind_of(card)] for card in box() if books.is_in_play(card) and card not in seen
        ]
        self.discards = [CODE[kind_of(card)] for card in books.discards]

    def deal(self, chance: Random) -> CiaoRound:
        """Return a deal of the unseen cards."""
        books = self.books
        cards = chance.sample(self.unseen, len(self.unseen))
        hands = [
            self.own.copy() if seat == self.me else [cards.pop() for _ in range(size)]
            for seat, size in enumerate(books.sizes())
        ]
        if books.drawn:  # the last card of a hand is the one just drawn
            drawn = CODE[kind_of(books.drawn)]
            hands[self.me].remove(drawn)
            hands[self.me].append(drawn)
        dealt = CiaoRound(hands, cards, books.house.variant)
        dealt.discards, dealt.debt, dealt.step = self.discards, books.debt, books.step
        to_beat = books.to_beat()
        if to_beat is not None and to_beat[0]:
            symbol, colour = to_beat
            dealt.mark = SYMBOLS.index(symbol) * len(COLOURS) + COLOURS.index(colour)
        return dealt

    def playout(self, dealt: CiaoRound, move: CiaoMove, chance: Random) -> float:
        """Return the value of *move* in the round *dealt*, which a quick rule finishes."""
        tried = dealt.copy(chance)
        tried.do(move, self.books.asked)
        tried.finish()
        return self.value(tried)

    def value(self, ended: CiaoRound) -> float:
        """Return the value of a round that has ended, from -1 to 1."""
        if not self.books.house.is_scored:
            fewest = min(map(len, ended.hands))
            return 1.0 if len(ended.hands[self.me]) == fewest else -1.0
        gains = [sum(POINTS[card] for card in hand) for hand in ended.hands]
        least = min(gain for seat, gain in enumerate(gains) if seat != self.me)
        return tanh((least - gains[self.me]) / MARGIN)


def choose_move(books: CiaoBooks, chance: Random) -> CiaoMove:
    """Choose the move that wins most in deals of the unseen cards. Always say thank you.

    Draw only if no card fits.
    """
    moves = books.legal_moves()
    if books.asked is CiaoAsk.THANKS:
        return moves[0]
    if books.asked is CiaoAsk.RACE and len(moves) > 1:
        me = chance.choice([*{move.player for move in moves if move.verb is CiaoVerb.LAY}])
        moves = [move for move in moves if move.verb is CiaoVerb.LAY and move.player == me]
    if books.asked is CiaoAsk.CARD and any(move.verb is CiaoVerb.LAY for move in moves):
        moves = [move for move in moves if move.verb is not CiaoVerb.DRAW]  # it seldom pays
    options = {(m.verb, kind_of(m.card), m.seat, m.symbol): m for m in sorted(moves, key=str)}
    known = CiaoKnowledge(books, moves[0].player)
    return best_of([*options.values()], known.deal, known.playout, BUDGET, chance)
