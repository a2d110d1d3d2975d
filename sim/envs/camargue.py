"""Camargue as an environment."""

from array import array
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from engines.common.contract import Button, PlaceChoice, Press, Seat, Tap
from engines.common.grid import Place
from sim.envs.world import (
    MOST_POINTS,
    Hiding,
    ObservationPart,
    World,
    index_by_name,
    places_unseen_by,
)
from sim.robots.camargue.adapter import CLAIM, COPY, PLACE, ROBOTS, TURN, WHAT_FOR, Camargue
from sim.robots.camargue.books import (
    CROSSING,
    EMERGENCIES,
    EMERGENCY,
    LANDSCAPES,
    START,
    CamargueAsk,
    CamargueMove,
    CamargueVerb,
    Square,
    is_helper,
    kind_of,
    tiles_to_shuffle,
)
from sim.robots.contract import RobotAct, Robots, SeededDeal, piece_of

RADIUS = 12  # of the board in actions and observations, in squares from the start tile
WIDTH = 2 * RADIUS + 1
PASS, ELSEWHERE = "pass", "elsewhere"
KINDS = tuple(dict.fromkeys(map(kind_of, tiles_to_shuffle())))
HELPERS = tuple(filter(is_helper, KINDS))
SQUARES = [(x, y) for y in range(-RADIUS, RADIUS + 1) for x in range(-RADIUS, RADIUS + 1)]
INDEX = {tile: KINDS.index(kind_of(tile)) for tile in tiles_to_shuffle()}
TILES = len(INDEX)
MOST_OF_A_KIND = 2
ACTION = index_by_name(
    (
        *KINDS,  # a landscape tile to place, or a helper to discard
        *(f"copy-{helper}" for helper in HELPERS),
        *(f"square-{x}-{y}" for x, y in SQUARES),
        *(PASS, ELSEWHERE),
    )
)
AT = {square: ACTION[f"square-{square[0]}-{square[1]}"] for square in SQUARES}
CELL = {square: number for number, square in enumerate(SQUARES)}
LANDS = index_by_name(("", *LANDSCAPES, START, EMERGENCY))
SIDES = {side: 1 << n for n, side in enumerate(CROSSING)}


class CamargueWorld(World):
    """A game of Camargue with the usual house rules.

    After a tile is placed, each player with a helper that can copy its points may copy them or
    pass, in order of play. Only true claims that nothing fits are made, and they are no action.
    Squares farther than ``RADIUS`` from the start tile are one action: *elsewhere* is the square
    there that scores most.
    """

    game = "camargue"
    robots: ClassVar[Robots] = ROBOTS
    books: Camargue

    def __init__(self, players: int, seed: int) -> None:
        self.passed: set[int] = set()  # the seats that do not copy the points of the last tile
        self.lands = array("h", [0]) * len(SQUARES)  # of the board
        self.paths = array("h", [0]) * len(SQUARES)
        self.drawn = 0  # tiles of the board in ``lands`` and ``paths``
        super().__init__(players, seed)

    @classmethod
    def open(cls, deal: SeededDeal) -> Camargue:
        """Return the books of a new game with well shuffled tiles."""
        return Camargue(deal, "well")

    @classmethod
    def numbers(cls, players: int) -> Mapping[str, int]:
        """Return the kinds of tile, copies with a helper, squares, and the two other answers."""
        return ACTION

    @classmethod
    def parts(cls, players: int) -> Sequence[ObservationPart]:
        """Return the parts: the own hand first, then what lies open."""
        return (
            ObservationPart("hand", len(KINDS), MOST_OF_A_KIND),  # tiles by kind
            ObservationPart("chosen", len(KINDS), 1),  # the kind of the tile that needs a place
            ObservationPart("lands", len(SQUARES), len(LANDS) - 1),  # 0 for a free square
            ObservationPart(
                "paths", len(SQUARES), sum(SIDES.values())
            ),  # 1 north, 2 east, 4 south, 8 west
            ObservationPart(
                "copyable", len(LANDSCAPES), 1
            ),  # the landscape whose points can be copied
            ObservationPart("copyable-points", 1, MOST_POINTS),
            ObservationPart("placed-by", players, 1),
            ObservationPart("emergency", 1, 1),  # 1 while an emergency tile needs a place
            ObservationPart("pile", 1, TILES),
            ObservationPart("emergencies", 1, EMERGENCIES),
            ObservationPart("tiles", players, 3),
            ObservationPart("front", players, 1),  # 1 for a player with a helper in front
            ObservationPart("turn", players, 1),
            ObservationPart("scores", players, MOST_POINTS),
        )

    @property
    def actor(self) -> int:
        """The seat of the player who chooses the next action."""
        return next(iter(self._askers()), int(self.books.books.turn))

    def _askers(self) -> Sequence[int]:
        """Return the other players who may copy the last tile's points and have not passed."""
        books = self.books.books
        if self.books.amid or books.placed is None or books.asked is CamargueAsk.FOUND:
            return ()
        order = ((books.turn + n) % self.players for n in range(1, self.players))
        return [s for s in order if s not in self.passed and self._copies(s)]

    def _copies(self, seat: int) -> Sequence[str]:
        """Return the helpers with which the player at *seat* may copy the last tile's points."""
        books = self.books.books
        return [helper for helper in books.helpers(seat) if books.may_copy(seat, helper)]

    def observation(self, seat: int) -> Sequence[int]:
        """Return what the player at *seat* may know."""
        self._draw_board()
        books = self.books.books
        hand, chosen = [0] * len(KINDS), [0] * len(KINDS)
        for tile in books.hands[seat]:
            hand[INDEX[tile]] += 1
        if books.found:
            chosen[INDEX[books.found[0]]] = 1
        placed = books.placed
        seen = [int(placed is not None and land == placed.landscape) for land in LANDSCAPES]
        seen.append(0 if placed is None else placed.points)
        seen += self.at(seat, () if placed is None else (placed.player,))
        seen.append(int(books.asked is CamargueAsk.EMERGENCY))
        seen += (len(books.pile), len(books.emergencies))
        seen += self.clockwise(seat, books.sizes())
        seen += self.clockwise(seat, books.fronts())
        seen += self.at(seat, (books.turn,))
        seen += self.clockwise(seat, books.scores)
        return array("h", [*hand, *chosen]) + self.lands + self.paths + array("h", seen)

    def _draw_board(self) -> None:
        """Add the new tiles of the board to ``lands`` and ``paths``."""
        books = self.books.books
        for square in [*books.board][self.drawn :]:
            if square in CELL:
                self.lands[CELL[square]] = LANDS[kind_of(books.board[square]).split("-")[0]]
                self.paths[CELL[square]] = sum(SIDES[side] for side in books.paths[square])
        self.drawn = len(books.board)

    def moves(self) -> Mapping[int, CamargueMove | Square | None]:
        """Return tiles, squares, helpers that copy, or the pass of a player who may copy."""
        books, seat = self.books.books, self.actor
        if self.books.phase == PLACE:
            return self._placements()
        moves: dict[int, CamargueMove | None] = {
            ACTION[f"copy-{kind_of(helper)}"]: CamargueMove(CamargueVerb.COPY, seat, helper)
            for helper in self._copies(seat)
        }
        if seat != books.turn:
            return moves | {ACTION[PASS]: None}
        if books.asked is CamargueAsk.TURN:
            for tile in books.hands[seat]:
                if is_helper(tile):
                    moves[INDEX[tile]] = CamargueMove(CamargueVerb.DISCARD, seat, tile)
                elif books.squares(tile):
                    moves[INDEX[tile]] = CamargueMove(CamargueVerb.PLACE, seat, tile)
        return moves

    def _placements(self) -> Mapping[int, Square]:
        """Return the squares for the tile that needs a place."""
        books = self.books.books
        is_emergency = books.asked is CamargueAsk.EMERGENCY
        squares = [*books.emergency_squares()] if is_emergency else books.squares(books.found[0])
        moves = {AT[square]: square for square in squares if square in AT}
        outside = [square for square in squares if square not in AT]
        if outside:
            moves[ACTION[ELSEWHERE]] = max(outside, key=self._points)
        return moves

    def _points(self, square: Square) -> int:
        books = self.books.books
        return books.points(books.found[0], square) if books.found else 0

    def do(self, move: CamargueMove | Square | None) -> None:
        """Do *move*, place a tile on a square, or pass if *move* is None."""
        books = self.books.books
        match move:
            case None:
                self.passed.add(self.actor)
            case CamargueMove():
                self._begin(move)
            case square:
                is_emergency = books.asked is CamargueAsk.EMERGENCY
                verb = CamargueVerb.ADD if is_emergency else CamargueVerb.PLACE
                tile = books.emergencies[0] if is_emergency else books.found[0]
                placing = CamargueMove(verb, books.turn, tile, square)
                self.take(RobotAct(books.turn, PlaceChoice(Place(*square)), placing))

    def _begin(self, move: CamargueMove) -> None:
        """Tap the tile of *move*. If the table asks about a helper's use, answer it."""
        self.take(tap(move))
        if self.books.amid == WHAT_FOR:
            answer = COPY if move.verb is CamargueVerb.COPY else TURN
            self.take(RobotAct(move.player, answer, move))

    def take(self, act: RobotAct) -> None:
        """Do *act* at the table. A new tile can be copied by everybody."""
        placed = self.books.books.placed
        super().take(act)
        if self.books.books.placed is not placed:
            self.passed = set()

    def formality(self) -> RobotAct | None:
        """Return the next act of a claim, or of a helper that must be put aside."""
        table = self.books
        books, seat = table.books, table.books.turn
        if table.amid == CLAIM:
            tile = next(tile for tile in books.hand if tile not in table.revealed)
            return RobotAct(seat, Tap(piece_of(tile), seat=Seat(seat)), table.begun.move)
        if table.phase == PLACE or self._askers():
            return None
        if books.asked is CamargueAsk.EMERGENCY:
            return tap(CamargueMove(CamargueVerb.ADD, seat, books.emergencies[0]))
        if self.legal:
            return None
        if books.asked is CamargueAsk.ASIDE:
            aside = CamargueMove(CamargueVerb.ASIDE, seat, books.front[seat] or "")
            return RobotAct(seat, Press(Button.ACTION), aside)
        return RobotAct(seat, Press(Button.ACTION), CamargueMove(CamargueVerb.CLAIM, seat))

    def suggestion(self, style: str, chance: Random) -> int:
        """Return the action that the robots' style *style* would choose now.

        A style sees all hands, and wants others to copy. For a player who cannot copy, nothing can
        be copied.
        """
        books, placed = self.books.books, self.books.books.placed
        if not self._copies(self.actor):
            books.placed = None
        action = super().suggestion(style, chance)
        books.placed = placed
        return action

    def name_of(self, act: RobotAct) -> str:
        """Return the name of the action that *act* amounts to."""
        move: CamargueMove = act.move
        if isinstance(act.given, PlaceChoice):
            name = f"square-{act.given.place.column}-{act.given.place.row}"
            return name if name in ACTION else ELSEWHERE
        if move.verb is CamargueVerb.COPY:
            return f"copy-{kind_of(move.tile)}" if move.player == self.actor else ""
        if self.actor != self.books.books.turn:
            return PASS
        return kind_of(move.tile)

    def hidden(self, seat: int) -> Sequence[Hiding]:
        """Return the places in the draw pile, out of the game, and in the hands of others."""
        books = self.books.books
        return places_unseen_by(seat, books.hands, books.pile, books.out)


def tap(move: CamargueMove) -> RobotAct:
    """Return the act that begins *move* with its tile."""
    return RobotAct(move.player, Tap(piece_of(move.tile), seat=Seat(move.player)), move)
