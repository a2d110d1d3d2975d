"""Riff Raff as an environment."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from engines.common.contract import Input, OptionValue, SeatChoice, Tap
from engines.common.layouts import TAGGED
from sim.envs.world import SEEDS, Hiding, ObservationPart, World, index_by_name
from sim.players.riff_raff import stow
from sim.robots.contract import RobotAct, Robots, piece_of
from sim.robots.riff_raff.adapter import COUNTED, ROBOTS, RiffRaff, act_of
from sim.robots.riff_raff.balance import place
from sim.robots.riff_raff.books import (
    COLOURS,
    NUMBERS,
    TIMES,
    RiffRaffAsk,
    RiffRaffMove,
    RiffRaffVerb,
    set_of,
)

CARGO = tuple(piece for colour in COLOURS for piece in set_of(colour))
BOX, REMOVED, IN_FRONT = 0, len(NUMBERS) + 1, len(NUMBERS) + 2  # places that are no area
CHOICES = (
    RiffRaffAsk.CARD,
    RiffRaffAsk.CAPTAIN,
    RiffRaffAsk.NEXT,
    RiffRaffAsk.HOW_MANY,
    RiffRaffAsk.PIECE,
)
NO_MARKS = [0] * len(CHOICES)
MARKS = {asked: [int(asked is each) for each in CHOICES] for asked in CHOICES}  # as observed
IS_SEAT = (RiffRaffAsk.CAPTAIN, RiffRaffAsk.NEXT)
NO_LOADING = (RiffRaffAsk.CARD, *IS_SEAT)
UNUSED = Random(0)  # for the reader of a tap, which an environment does not have
ACTIONS = {
    players: index_by_name(
        (
            *(f"card-{number}" for number in NUMBERS),
            *(f"player-{n}" for n in range(players)),
            *COUNTED,
            *CARGO,
        )
    )
    for players in ROBOTS.seats
}


class RiffRaffWorld(World):
    """A game of Riff Raff, whose ship is the virtual table's (``sim.robots.riff_raff.balance``).

    The ship and chance decide what falls and what is caught. Players choose their cards in secret,
    one after the other. Chance gives each player a colour. The pieces have tags, so the table knows
    where each one is and need not ask.
    """

    game = "riff-raff"
    robots: ClassVar[Robots] = ROBOTS
    options: ClassVar[Mapping[str, OptionValue]] = {TAGGED: True}
    books: RiffRaff

    def __init__(self, players: int, seed: int) -> None:
        self.placings = 0
        super().__init__(players, seed)
        self.ship_seed = self.chance.randrange(SEEDS)

    @classmethod
    def numbers(cls, players: int) -> Mapping[str, int]:
        """Return the cards, the players clockwise from one's own seat, one or two, and pieces."""
        return ACTIONS[players]

    @classmethod
    def parts(cls, players: int) -> Sequence[ObservationPart]:
        """Return the parts. Only the cards of this round are hidden until all have chosen."""
        return (
            ObservationPart(
                "cards", players * len(NUMBERS), 1
            ),  # 1 for each card that is not played
            ObservationPart("revealed", players, NUMBERS[-1]),  # 0 for a card that is hidden
            ObservationPart("pieces", len(CARGO), IN_FRONT + players - 1),  # see ``places``
            ObservationPart("asked", len(CHOICES), 1),
            ObservationPart("tied", players, 1),
            ObservationPart("order", players, players),  # 0 for a player whose place is not known
            ObservationPart("captain", players, 1),
            ObservationPart("turn", players, 1),
            ObservationPart("to-load", 1, 2),
            ObservationPart("area", 1, NUMBERS[-1]),
            ObservationPart("round", 1, NUMBERS[-1]),
            ObservationPart("pass", 1, max(TIMES.values())),
        )

    def observation(self, seat: int) -> list[int]:
        """Return what the player at *seat* may know."""
        books = self.books.books
        is_secret = books.asked is RiffRaffAsk.CARD
        seen, revealed = list[int](), list[int]()
        for n in range(self.players):
            other = (seat + n) % self.players
            card = books.revealed.get(other, 0)
            if is_secret and other != seat:
                held, card = {*books.hands[other], card}, 0
            else:
                held = {*books.hands[other]}
            seen += [int(number in held) for number in NUMBERS]
            revealed.append(card)
        seen += revealed
        seen += self.places(seat)
        seen += MARKS.get(books.asked, NO_MARKS)
        seen += self.at(seat, books.tied if books.asked in IS_SEAT else ())
        order = [books.order.index(s) + 1 if s in books.order else 0 for s in range(self.players)]
        seen += self.clockwise(seat, order)
        seen += self.at(seat, (books.captain,))
        seen += self.at(seat, (self.actor,))
        is_loading = books.asked not in NO_LOADING and not self.is_over
        seen += (books.announced - len(books.placed), books.area) if is_loading else (0, 0)
        seen += (books.rounds, books.passes)
        return seen

    def places(self, seat: int) -> list[int]:
        """Return the place of each piece.

        It is ``BOX``, an area of the ship, ``REMOVED``, or ``IN_FRONT`` and the number of seats
        from *seat* clockwise to the piece's player.
        """
        books = self.books.books
        at = {**dict.fromkeys(books.removed, REMOVED), **books.ship}
        for other, stock in enumerate(books.stocks):
            at.update(dict.fromkeys(stock, IN_FRONT + (other - seat) % self.players))
        return [at.get(piece, BOX) for piece in CARGO]

    def moves(self) -> Mapping[int, RiffRaffMove]:
        """Return cards, seats, numbers of pieces, or pieces to load."""
        books, seat, index = self.books.books, self.actor, ACTIONS[self.players]
        moves = (move for move in books.legal_moves() if move.player == seat)
        return dict(sorted((index[self._name(move)], move) for move in moves))

    def do(self, move: RiffRaffMove) -> None:
        """Do *move*. When a piece was taken, the ship's balance decides the outcome of loading."""
        self.take(self._act(move))
        if move.verb is RiffRaffVerb.TAKE:
            self.take(self._act(self._outcome(move)))

    def _outcome(self, move: RiffRaffMove) -> RiffRaffMove:
        """Return what happens when the piece of *move* is put on the ship."""
        books = self.books.books
        load = [stow(piece, area) for piece, area in books.ship.items()]
        self.placings += 1
        sway = place(load, stow(move.piece, books.area), self.ship_seed, self.placings)
        if not sway.fallen:
            return RiffRaffMove(RiffRaffVerb.HOLD, move.player, piece=move.piece)
        fallen, caught = (tuple(p.kind for p in some) for some in (sway.fallen, sway.caught))
        return RiffRaffMove(
            RiffRaffVerb.FALL, move.player, piece=move.piece, fallen=fallen, caught=caught
        )

    def _act(self, move: RiffRaffMove) -> RobotAct:
        act = act_of(self.books, move, UNUSED)
        given: Input = act.given
        if isinstance(given, Tap):
            given = Tap(given.piece)
        return act._replace(given=given, move=move)

    def formality(self) -> RobotAct | None:
        """Return the choice of a colour, or the true answer to a question of the table."""
        books = self.books.books
        if books.asked is RiffRaffAsk.COLOUR:
            seat, colour = self.actor, self.chance.choice(books.free_colours())
            move = RiffRaffMove(RiffRaffVerb.SHOW, seat, colour=colour)
            return RobotAct(seat, Tap(piece_of(f"{colour}-1")), move)
        if books.asked in CHOICES:
            return None
        return self._act(books.legal_moves()[0])

    def _name(self, move: RiffRaffMove) -> str:
        match move.verb:
            case RiffRaffVerb.REVEAL:
                return f"card-{move.number}"
            case RiffRaffVerb.NAME:
                return f"player-{(move.seat - move.player) % self.players}"
            case RiffRaffVerb.ANNOUNCE:
                return COUNTED[move.number - 1]
        return move.piece

    def name_of(self, act: RobotAct) -> str:
        """Return the name of the action that *act* amounts to."""
        assert isinstance(act.move, RiffRaffMove)
        is_mine = isinstance(act.given, SeatChoice) or act.seat == self.actor
        return self._name(act.move) if is_mine else ""

    def hidden(self, seat: int) -> Sequence[Hiding]:
        """Return for each other player the card of this round and those in the hand."""
        books = self.books.books
        if books.asked is not RiffRaffAsk.CARD:
            return ()
        return [
            [(books.revealed, other), *((hand, index) for index in range(len(hand)))]
            for other, hand in enumerate(books.hands)
            if other != seat and other in books.revealed
        ]
