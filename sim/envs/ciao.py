"""Ciao! as an environment."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from engines.common.contract import Seat, Tap
from sim.envs.world import Hiding, ObservationPart, World, index_by_name, places_unseen_by
from sim.robots.ciao.adapter import ROBOTS, Ciao, input_of
from sim.robots.ciao.books import (
    GIVE,
    SWAP,
    SYMBOLS,
    CiaoAsk,
    CiaoMove,
    CiaoVerb,
    box,
    kind_of,
    special_of,
)
from sim.robots.contract import RobotAct, Robots, SeededDeal, piece_of

KINDS = tuple(dict.fromkeys(map(kind_of, box())))
KIND = index_by_name(KINDS)
INDEX = {card: KIND[kind_of(card)] for card in box()}
CARDS = len(INDEX)
DRAW, PASS, AGAIN, REVERSE = "draw", "pass", "again", "reverse"
NAMES = {symbol: f"name-{symbol}" for symbol in SYMBOLS}
CHOICES = (
    CiaoAsk.CARD,
    CiaoAsk.DRAWN,
    CiaoAsk.DEBT,
    CiaoAsk.RACE,
    CiaoAsk.SYMBOL,
    CiaoAsk.AGAIN,
    CiaoAsk.GIFT,
    CiaoAsk.SWAP,
)
BY_NAME = {
    CiaoVerb.DRAW: DRAW,
    CiaoVerb.PASS: PASS,
    CiaoVerb.NOBODY: PASS,
    CiaoVerb.AGAIN: AGAIN,
    CiaoVerb.REVERSE: REVERSE,
}
ACTIONS = {
    players: index_by_name(
        (
            *(*KINDS, DRAW, PASS, *NAMES.values(), AGAIN, REVERSE),
            *(f"player-{n}" for n in range(1, players)),
        )
    )
    for players in ROBOTS.seats
}


class CiaoWorld(World):
    """A game of Ciao! with the usual house rules: one round.

    In a race, chance decides the order in which the players with a fitting card may lay it or pass.
    A gift takes two actions: its card, then its player. The receiver always says thank you.
    """

    game = "ciao"
    robots: ClassVar[Robots] = ROBOTS
    books: Ciao

    def __init__(self, players: int, seed: int) -> None:
        self.racers: list[int] | None = None  # still to be asked in this race
        self.gift = ""  # the card that the current player has chosen to give away
        self.laying: CiaoMove | None = None  # with two players, until its gift is chosen
        super().__init__(players, seed)

    @classmethod
    def open(cls, deal: SeededDeal) -> Ciao:
        """Return the books of a new game, whose robots make no mistakes on purpose."""
        table = Ciao(deal)
        table.is_seated = True
        return table

    @classmethod
    def numbers(cls, players: int) -> Mapping[str, int]:
        """Return the kinds of card, to lay or to give; the answers; the others, clockwise."""
        return ACTIONS[players]

    @classmethod
    def parts(cls, players: int) -> Sequence[ObservationPart]:
        """Return the parts: those of the own hand first, then what lies open."""
        return (
            ObservationPart("hand", len(KINDS), CARDS),  # cards by kind
            ObservationPart("drawn", len(KINDS), 1),  # the kind that the agent has just drawn
            ObservationPart(
                "chosen", len(KINDS), 1
            ),  # the kind that the agent lays or gives, if asked more
            ObservationPart("discards", len(KINDS), CARDS),  # cards by kind
            ObservationPart("top", len(KINDS), 1),
            ObservationPart("named", len(SYMBOLS), 1),  # for the joker on top
            ObservationPart("asked", len(CHOICES), 1),
            ObservationPart("direction", 1, 1, -1),  # 1 is clockwise
            ObservationPart("debt", 1, CARDS),
            ObservationPart("pile", 1, CARDS),
            ObservationPart("cards", players, CARDS),
            ObservationPart("turn", players, 1),
            ObservationPart("runner", players, 1),  # the player whose card began the race
        )

    @property
    def actor(self) -> int:
        """The seat of the player who chooses the next action."""
        if self.laying:
            return self.laying.player
        return self.racers[0] if self.racers else int(self.books.actor)

    def observation(self, seat: int) -> list[int]:
        """Return what the player at *seat* may know."""
        books, kinds = self.books.books, len(KINDS)
        seen = [0] * (5 * kinds)
        for card in books.hands[seat]:
            seen[INDEX[card]] += 1
        if seat == (self.laying.player if self.laying else books.turn):
            chosen = self.gift or (self.laying.card if self.laying else "")
            for part, card in ((1, books.drawn), (2, chosen)):
                if card:
                    seen[part * kinds + INDEX[card]] = 1
        for card in books.discards:
            seen[3 * kinds + INDEX[card]] += 1
        if books.top:
            seen[4 * kinds + INDEX[books.top]] = 1
        seen += [int(symbol == books.named) for symbol in SYMBOLS]
        asked = CiaoAsk.GIFT if self.laying and seat == self.laying.player else books.asked
        seen += [int(asked is choice) for choice in CHOICES]
        seen += (books.step, books.debt, len(books.pile))
        seen += self.clockwise(seat, books.sizes())
        seen += self.at(seat, (books.turn,))
        seen += self.at(seat, (books.runner,) if books.asked is CiaoAsk.RACE else ())
        return seen

    def moves(self) -> Mapping[int, CiaoMove | None]:
        """Return cards, answers, symbols or players. None is the pass of one player in a race."""
        books, index = self.books.books, ACTIONS[self.players]
        if books.asked is CiaoAsk.GIFT or self.laying:
            return self._gifts()
        moves: dict[int, CiaoMove | None] = {}
        for move in books.legal_moves():
            if move.verb is CiaoVerb.NOBODY:
                moves[index[PASS]] = None
            elif move.player == self.actor:
                moves[index[self._name(move)]] = move
        return moves

    def _gifts(self) -> Mapping[int, CiaoMove]:
        """Return the cards to give away or, once one is chosen, the players to get it."""
        books, index = self.books.books, ACTIONS[self.players]
        me, laying = self.actor, self.laying
        if self.gift:
            gifts = [CiaoMove(CiaoVerb.GIVE, me, self.gift, s) for s in books.others(me)]
            return {index[self._seat(gift)]: gift for gift in gifts}
        cards = [card for card in books.hands[me] if laying is None or card != laying.card]
        return {INDEX[card]: CiaoMove(CiaoVerb.GIVE, me, card) for card in cards}

    def do(self, move: CiaoMove | None) -> None:
        """Do *move*, or remember it until it is complete."""
        if move is None:
            assert self.racers, "somebody passes in a race"
            del self.racers[0]
        elif move.verb is CiaoVerb.LAY and self.players == 2 and self._has_more(move):
            self._lay_with_more(move)
        elif move.verb is CiaoVerb.GIVE and move.seat < 0:
            self._choose_gift(move)
        else:
            self._finish(move)

    def _has_more(self, move: CiaoMove) -> bool:
        """Return True if a gift or a swap follows the card of *move*."""
        is_last = len(self.books.books.hands[move.player]) == 1
        return not is_last and special_of(move.card) in (GIVE, SWAP)

    def _lay_with_more(self, move: CiaoMove) -> None:
        """With two players, lay a card together with its swap; for a gift, ask for it first."""
        if special_of(move.card) == SWAP:
            self._finish(move, CiaoMove(CiaoVerb.SWAP, move.player, seat=1 - move.player))
        else:
            self.laying = move

    def _choose_gift(self, move: CiaoMove) -> None:
        """Remember the card of *move*; with two players, give it."""
        if self.laying is None:
            self.gift = move.card
        else:
            other = 1 - move.player
            self._finish(self.laying, CiaoMove(CiaoVerb.GIVE, move.player, move.card, other))

    def _finish(self, *moves: CiaoMove) -> None:
        """Do *moves* as one act at the table."""
        self.gift, self.laying, self.racers = "", None, None
        self.take(act_of(moves))

    def formality(self) -> RobotAct | None:
        """Return a thank you, or the answer that nobody lays a card in a race."""
        books = self.books.books
        if books.asked is CiaoAsk.THANKS:
            return act_of((CiaoMove(CiaoVerb.THANK, books.receiver),))
        if books.asked is not CiaoAsk.RACE or self.laying:
            return None
        if self.racers is None:
            able = {move.player for move in books.legal_plays()}
            order = self.chance.sample(range(self.players), self.players)
            self.racers = [seat for seat in order if seat in able]
        if self.racers:
            return None
        self.racers = None
        return act_of((CiaoMove(CiaoVerb.NOBODY, books.turn),))

    def _seat(self, move: CiaoMove) -> str:
        return f"player-{(move.seat - move.player) % self.players}"

    def _name(self, move: CiaoMove) -> str:
        match move.verb:
            case CiaoVerb.LAY:
                return kind_of(move.card)
            case CiaoVerb.NAME:
                return NAMES[move.symbol]
            case CiaoVerb.SWAP:
                return self._seat(move)
            case CiaoVerb.GIVE:
                return self._seat(move) if self.gift else kind_of(move.card)
        return BY_NAME[move.verb]

    def name_of(self, act: RobotAct) -> str:
        """Return the name of the action that *act* amounts to."""
        moves: tuple[CiaoMove, ...] = act.move
        if self.laying:
            is_same = len(moves) > 1 and moves[0].card == self.laying.card
            return kind_of(moves[1].card) if is_same else ""
        is_mine = act.seat == self.actor or moves[0].verb is CiaoVerb.NOBODY
        return self._name(moves[0]) if is_mine else ""

    def hidden(self, seat: int) -> Sequence[Hiding]:
        """Return the places in the draw pile and in the hands of others."""
        books = self.books.books
        return places_unseen_by(seat, books.hands, books.pile)


def act_of(moves: Sequence[CiaoMove]) -> RobotAct:
    """Return the act that enters *moves* at the table."""
    move = moves[0]
    is_card = move.verb is CiaoVerb.LAY
    given = Tap(piece_of(move.card), seat=Seat(move.player)) if is_card else input_of(move)
    return RobotAct(move.player, given, tuple(moves))
