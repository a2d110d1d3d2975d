"""The robots' own record of a game of Camargue, called its *books*.

It is a second implementation of the printed rules, by which robots check the engine.

The books shuffle, deal and see every hand. They share no code with ``engines.camargue``. A tile is
a string: ``forest-ne#2``, ``helper-forest-water#1``, ``emergency#3``, ``start#1``. The letters n,
e, s and w are the edges with a path. A square of the board is a pair of column and row;
the start tile is at (0, 0). "Our rule" marks a point that the printed rules leave open and that
RULES.md decides. See ``sim.robots.camargue`` for the words of the game.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import combinations
from random import Random

LANDSCAPES = ("forest", "grain", "lavender", "village", "water")
CURVES, STRAIGHTS, BRANCHES = ("ne", "es", "sw", "nw"), ("ns", "ew"), ("nes", "esw", "nsw", "new")
CROSSING = "nesw"
OF_EACH_LANDSCAPE = {
    **dict.fromkeys((*CURVES, *STRAIGHTS), 1),
    **dict.fromkeys((*BRANCHES, CROSSING), 2),
}
HELPER, EMERGENCY, START = "helper", "emergency", "start"
EMERGENCIES = 5

DEALT = 3
HELPER_POINTS = 10
TAKEN_OUT_OF_FOUR = 2

Square = tuple[int, int]

TO_THE = {"n": (0, -1), "e": (1, 0), "s": (0, 1), "w": (-1, 0)}
ACROSS = {"n": "s", "e": "w", "s": "n", "w": "e"}

OCCUPIED = "there is a tile already"
TOUCHES_NOTHING = "no edge touches a tile"
CUTS_OFF = "a path meets an edge without one"
CONTINUES_NOTHING = "no path meets a path"
BLANK_FREE = "the edge without a path touches nothing"
BLANK_AT_PATH = "the edge without a path touches a path"
NOT_FREE = "an edge with a path is not free"

NOTHING_TO_COPY = "nobody has just placed a tile"
OWN_TILE = "it is one's own tile"
HELPER_IN_FRONT = "a helper lies in front"
NO_TILES_LEFT = "the hand is empty"
FEWER_THAN_THREE = "fewer than three tiles in the hand"
NO_MATCH = "the helper is for other landscapes"


def tiles_to_shuffle() -> list[str]:
    """Return the names of the 80 landscape tiles and the 10 helpers, not shuffled."""
    tiles = [f"helper-{one}-{other}#1" for one, other in combinations(LANDSCAPES, 2)]
    for landscape in LANDSCAPES:
        for paths, many in OF_EACH_LANDSCAPE.items():
            tiles += [f"{landscape}-{paths}#{n}" for n in range(1, many + 1)]
    return tiles


def box(emergencies: int = EMERGENCIES) -> list[str]:
    """Return the names of all tagged pieces in the box: tiles, helpers and emergency tiles.

    *emergencies* is the number of emergency tiles.
    """
    return [*tiles_to_shuffle(), "start#1", *(f"emergency#{n}" for n in range(1, emergencies + 1))]


# --- what is printed on a tile -------------------------------------------------------------------


@cache
def kind_of(tile: str) -> str:
    """Return the kind of a tile: its name without the number of the copy."""
    return tile.split("#")[0]


def is_helper(tile: str) -> bool:
    """Return True if the tile is a helper."""
    return tile.startswith(HELPER)


@cache
def landscape_of(tile: str) -> str | None:
    """Return the landscape of a tile, or None for a helper, a start or an emergency tile."""
    first = kind_of(tile).split("-")[0]
    return first if first in LANDSCAPES else None


@cache
def paths_of(tile: str) -> str:
    """Return the edges with a path of a landscape or start tile, as letters of "nesw"."""
    if kind_of(tile) == START:
        return CROSSING
    assert landscape_of(tile) is not None
    return kind_of(tile).split("-")[1]


def helps(helper: str, landscape: str) -> bool:
    """Return True if this helper can copy the points of tiles of this landscape."""
    return landscape in kind_of(helper).split("-")[1:]


def next_to(square: Square, side: str) -> Square:
    """Return the square next to *square* on *side*: "n", "e", "s" or "w"."""
    right, down = TO_THE[side]
    return square[0] + right, square[1] + down


@cache
def neighbours(square: Square) -> tuple[tuple[str, Square], ...]:
    """Return the four sides of *square*, each with the square next to it."""
    return tuple((side, next_to(square, side)) for side in TO_THE)


# --- what is asked, and what is done -------------------------------------------------------------


class CamargueAsk(Enum):
    """A kind of input that the table can wait for."""

    TURN = "a landscape tile, a helper, or the claim that nothing fits"
    ASIDE = "the helper in front, to be put aside"
    FOUND = "a place for the tile that was picked, or found to fit after all"
    EMERGENCY = "an emergency tile"
    NOTHING = "nothing: the game is over"


class CamargueVerb(Enum):
    """The kind of a move."""

    PLACE = "places"
    DISCARD = "discards"
    COPY = "copies points with"
    ASIDE = "puts aside"
    CLAIM = "claims that nothing fits"
    ADD = "adds"


@dataclass(frozen=True)
class CamargueMove:
    """A move by the player at seat *player*, with a *tile* and a *square* if it needs them."""

    verb: CamargueVerb
    player: int
    tile: str = ""
    square: Square | None = None


@dataclass(frozen=True)
class CamargueHouseRules:
    """The house rules of a game."""

    cuts_both_ways: bool = True  # a new tile's paths may not meet an edge without a path
    start_is_an_edge: bool = True  # the start tile counts as an edge of an area
    copy_needs_three: bool = False  # only a player with three tiles in the hand may copy points
    emergency_turns: bool = True  # if False, its edge without a path is always at the top
    emergencies: int = EMERGENCIES  # emergency tiles in the box


@dataclass(frozen=True)
class CopyableTile:
    """The last landscape tile that was placed, while helpers can still copy its *points*."""

    player: int
    landscape: str
    points: int


class CamargueBooks:
    """The full state of one game of Camargue, from the first deal to the winners."""

    def __init__(
        self, players: int, first: int, mixed: list[str], house: CamargueHouseRules
    ) -> None:
        """Deal the shuffled tiles *mixed*, from the end of the list. Seat *first* begins."""
        assert sorted(mixed) == sorted(tiles_to_shuffle())
        self.players = players
        self.house = house
        self.pile = list(mixed)
        self.out = [self.pile.pop() for _ in range(TAKEN_OUT_OF_FOUR)] if players == 4 else []
        self.hands: list[list[str]] = [[] for _ in range(players)]
        for _ in range(DEALT):
            for hand in self.hands:
                hand.append(self.pile.pop())
        self.front: list[str | None] = [None] * players
        self.aside: list[str] = []  # helpers next to the playing field
        self.emergencies = [f"emergency#{n}" for n in range(1, house.emergencies + 1)]
        self.board: dict[Square, str] = {(0, 0): "start#1"}
        self.paths: dict[Square, str] = {(0, 0): paths_of("start#1")}
        self.fitting: dict[str, tuple[int, set[Square]]] = {}  # see ``squares``
        self.in_play = self.total_tiles()
        self.scores = [0] * players
        self.turn = first
        self.placed: CopyableTile | None = None
        self.gained = 0  # points of the last landscape tile or helper
        self.passed = 0  # consecutive turns in which no tile moved
        self.added = 0  # emergency tiles placed in this turn
        self.has_shown = False  # True if the current player has shown the whole hand: no tile fits
        self.found: list[str] = []  # the tile that must be placed now, if there is one
        self.asked = CamargueAsk.TURN
        self.winners: list[int] = []
        self.happened: set[str] = set()  # the rare events of this game

    # -- the state

    @property
    def hand(self) -> list[str]:
        """The current player's hand."""
        return self.hands[self.turn]

    def sizes(self) -> list[int]:
        """Return the number of tiles in each hand, by seat."""
        return [len(hand) for hand in self.hands]

    def fronts(self) -> list[int]:
        """Return the number of helpers in front of each player, by seat: 0 or 1."""
        return [int(helper is not None) for helper in self.front]

    def total_tiles(self) -> int:
        """Return the total number of tiles: in hands, piles and the box, and on the table."""
        held = sum(self.sizes()) + sum(self.fronts()) + len(self.pile) + len(self.out)
        return held + len(self.aside) + len(self.board) + len(self.emergencies)

    def unseen(self) -> list[str]:
        """Return the tiles in hands, in the draw pile, and out of the game."""
        return [*(tile for hand in self.hands for tile in hand), *self.pile, *self.out]

    def around(self, square: Square) -> dict[str, Square]:
        """Return the squares next to *square* that hold a tile, by side: "n", "e", "s" or "w"."""
        return {side: there for side, there in neighbours(square) if there in self.board}

    def why_not(self, tile: str, square: Square) -> set[str]:
        """Return the reasons that forbid this landscape tile at *square*; empty if it fits."""
        if square in self.board:
            return {OCCUPIED}
        meeting = [
            (side in paths_of(tile), ACROSS[side] in self.paths[there])
            for side, there in self.around(square).items()
        ]
        broken = set()
        if not meeting:
            return {TOUCHES_NOTHING}
        if any(theirs and not mine for mine, theirs in meeting):
            broken.add(CUTS_OFF)
        if self.house.cuts_both_ways and any(mine and not theirs for mine, theirs in meeting):
            broken.add(CUTS_OFF)
        if not any(mine and theirs for mine, theirs in meeting):
            broken.add(CONTINUES_NOTHING)
        return broken

    def why_no_emergency(self, square: Square, blank: str) -> set[str]:
        """Return the reasons that forbid an emergency tile at *square*; empty if it fits.

        *blank* is the side of its edge without a path.
        """
        if square in self.board:
            return {OCCUPIED}
        around = self.around(square)
        if not around:
            return {TOUCHES_NOTHING}
        broken = set()
        if blank in around and ACROSS[blank] in self.paths[around[blank]]:
            broken.add(BLANK_AT_PATH)
        if blank not in around:
            broken.add(BLANK_FREE)
        if set(around) - {blank}:
            broken.add(NOT_FREE)
        return broken

    def all_squares(self) -> list[Square]:
        """Return all squares of the rectangle around the tiles, with a margin of one."""
        columns, rows = ([square[n] for square in self.board] for n in (0, 1))
        return [
            (column, row)
            for column in range(min(columns) - 1, max(columns) + 2)
            for row in range(min(rows) - 1, max(rows) + 2)
        ]

    def rim(self) -> list[Square]:
        """Return the empty squares beside tiles. A tile can fit nowhere else."""
        beside = {there for square in self.board for _side, there in neighbours(square)}
        return sorted(beside - set(self.board))

    def squares(self, tile: str) -> list[Square]:
        """Return the squares where this landscape tile fits.

        They depend on its paths alone. Since the last call for the same paths, only the squares of
        new tiles, and those beside them, have changed.
        """
        known, fitting = self.fitting.get(paths_of(tile), (0, set[Square]()))
        for square in [*self.board][known:]:
            for each in (square, *(there for _side, there in neighbours(square))):
                fitting.discard(each)
                if each not in self.board and not self.why_not(tile, each):
                    fitting.add(each)
        self.fitting[paths_of(tile)] = len(self.board), fitting
        return sorted(fitting)

    def emergency_squares(self) -> dict[Square, str]:
        """Return the squares where an emergency tile fits, each with the side for its blank edge.

        The blank edge is the one without a path.
        """
        return {
            square: blank
            for square in self.rim()
            for blank in (TO_THE if self.house.emergency_turns else "n")
            if not self.why_no_emergency(square, blank)
        }

    def area(self, landscape: str, square: Square) -> set[Square]:
        """Return the connected squares of *landscape* around *square*, and *square* itself."""
        flooded, wave = {square}, [square]
        while wave:
            for there in self.around(wave.pop()).values():
                if there not in flooded and landscape_of(self.board[there]) == landscape:
                    flooded.add(there)
                    wave.append(there)
        return flooded

    def worth(self, tile: str, square: Square) -> tuple[int, int]:
        """Return the area and the edges that this landscape tile would have at *square*.

        The area is a number of tiles; the edges are those that touch a tile. The score is their
        product.
        """
        landscape = landscape_of(tile)
        assert landscape is not None
        beside = [self.board[there] for there in self.around(square).values()]
        edges = [tile for tile in beside if self.house.start_is_an_edge or kind_of(tile) != START]
        return len(self.area(landscape, square)), len(edges)

    def points(self, tile: str, square: Square) -> int:
        """Return the points that this landscape tile scores at *square*."""
        area, edges = self.worth(tile, square)
        return area * edges

    def helpers(self, seat: int) -> list[str]:
        """Return the helpers in the hand of *seat*."""
        return [tile for tile in self.hands[seat] if is_helper(tile)]

    def landscapes(self, seat: int) -> list[str]:
        """Return the landscape tiles in the hand of *seat*."""
        return [tile for tile in self.hands[seat] if not is_helper(tile)]

    # -- legal moves

    def why_not_join(self, seat: int) -> set[str]:
        """Return the reasons why the player at *seat* may not copy points with any helper.

        The set is empty if the player may copy with a helper that matches the tile.
        """
        if self.placed is None:
            return {NOTHING_TO_COPY}
        broken = set()
        if seat == self.placed.player:
            broken.add(OWN_TILE)
        if self.front[seat] is not None:
            broken.add(HELPER_IN_FRONT)
        if not self.hands[seat]:
            broken.add(NO_TILES_LEFT)
        if self.house.copy_needs_three and len(self.hands[seat]) < DEALT:
            broken.add(FEWER_THAN_THREE)
        return broken

    def why_no_copy(self, seat: int, helper: str) -> set[str]:
        """Return the reasons why the player at *seat* may not copy points with *helper*."""
        broken = self.why_not_join(seat)
        if self.placed is not None and not helps(helper, self.placed.landscape):
            broken.add(NO_MATCH)
        return broken

    def may_join(self, seat: int) -> bool:
        """Return True if the player at *seat* may copy points with any helper that matches."""
        return not self.why_not_join(seat)

    def may_copy(self, seat: int, helper: str) -> bool:
        """Return True if *seat* may copy points with *helper* now, if it is in *seat*'s hand."""
        return not self.why_no_copy(seat, helper)

    def is_ruled_out(self, tile: str) -> bool:
        """Return True if the current player has shown the whole hand, and *tile* is not in it."""
        return self.has_shown and tile not in self.hand

    def users(self, helper: str) -> list[int]:
        """Return the seats that could use this helper now to copy or discard, if they hold it."""
        is_turn = self.asked is CamargueAsk.TURN
        return [
            seat
            for seat in range(self.players)
            if (is_turn and seat == self.turn and not self.has_shown) or self.may_copy(seat, helper)
        ]

    def copies(self) -> list[CamargueMove]:
        """Return a move for each helper in a hand with which its player may copy points now."""
        return [
            CamargueMove(CamargueVerb.COPY, seat, helper)
            for seat in range(self.players)
            for helper in self.helpers(seat)
            if self.may_copy(seat, helper)
        ]

    def placements(self) -> list[CamargueMove]:
        """Return a move for each tile that the current player may place, at each square it fits."""
        tiles = self.found if self.asked is CamargueAsk.FOUND else self.landscapes(self.turn)
        return [
            CamargueMove(CamargueVerb.PLACE, self.turn, tile, s)
            for tile in tiles
            for s in self.squares(tile)
        ]

    def is_stuck(self) -> bool:
        """Return True if the current player has no helper and no tile that may be placed."""
        return not self.helpers(self.turn) and not self.placements()

    def legal_moves(self) -> list[CamargueMove]:
        """Return all moves that are possible now.

        A player without a helper may always claim that nothing fits, even wrongly.
        """
        me = self.turn
        match self.asked:
            case CamargueAsk.TURN:
                acts = self.placements()
                acts += [
                    CamargueMove(CamargueVerb.DISCARD, me, helper) for helper in self.helpers(me)
                ]
                if not self.helpers(me):
                    acts.append(CamargueMove(CamargueVerb.CLAIM, me))
                return acts + self.copies()
            case CamargueAsk.ASIDE:
                return [CamargueMove(CamargueVerb.ASIDE, me, self.front[me] or ""), *self.copies()]
            case CamargueAsk.FOUND:
                return self.placements()
            case CamargueAsk.EMERGENCY:
                return [
                    CamargueMove(CamargueVerb.ADD, me, self.emergencies[0], s)
                    for s in self.emergency_squares()
                ]
            case _:
                return []

    # -- the moves

    def do(self, act: CamargueMove) -> None:
        """Apply a legal move to the game."""
        match act.verb:
            case CamargueVerb.PLACE:
                assert act.square is not None
                self.place(act.tile, act.square)
            case CamargueVerb.DISCARD:
                self.discard(act.tile)
            case CamargueVerb.COPY:
                self.copy(act.player, act.tile)
            case CamargueVerb.ASIDE:
                self.put_aside()
            case CamargueVerb.CLAIM:
                self.claim()
            case CamargueVerb.ADD:
                assert act.square is not None
                self.add(act.tile, act.square)
        assert self.total_tiles() == self.in_play

    def pick(self, tile: str) -> None:
        """Record that the current player tapped *tile*, and so must place that tile."""
        assert self.asked is CamargueAsk.TURN
        assert self.squares(tile)
        self.asked, self.found = CamargueAsk.FOUND, [tile]

    def place(self, tile: str, square: Square) -> None:
        """Place a landscape tile from the current player's hand, score it, and end the turn."""
        landscape = landscape_of(tile)
        assert landscape is not None
        assert not self.why_not(tile, square)
        self.note_place(tile, square)
        points = self.points(tile, square)
        self.hand.remove(tile)
        self.board[square], self.paths[square] = tile, paths_of(tile)
        self.score(self.turn, points)
        self.passed, self.found = 0, []
        self.end_turn(CopyableTile(self.turn, landscape, points))

    def discard(self, helper: str) -> None:
        """Put a helper of the current player aside for ten points, and end the turn."""
        if self.placed and helps(helper, self.placed.landscape) and self.may_join(self.turn):
            self.note("10 points rather than a copy")
        self.hand.remove(helper)
        self.aside.append(helper)
        self.score(self.turn, HELPER_POINTS)
        self.passed = 0
        self.end_turn(None)

    def copy(self, seat: int, helper: str) -> None:
        """Give *seat* the points of the last tile, and move *helper* from the hand to the front."""
        assert self.placed is not None
        assert self.may_copy(seat, helper)
        self.note_copy(seat)
        self.hands[seat].remove(helper)
        self.front[seat] = helper
        self.score(seat, self.placed.points)
        self.passed = 0
        self.look_round()

    def put_aside(self) -> None:
        """Put the helper in front of the current player aside, and end the turn."""
        helper = self.front[self.turn]
        assert helper is not None
        self.note("put aside" if self.pile else "put aside with nothing to draw")
        self.aside.append(helper)
        self.front[self.turn] = None
        self.passed = 0
        self.end_turn(None)

    def claim(self) -> None:
        """Check the current player's claim that no tile of the hand fits.

        If one fits, ask for its placement. If none fits, ask for an emergency tile, or pass the
        turn if none can be placed.
        """
        assert self.hand
        assert not self.helpers(self.turn)
        self.placed = None
        fitting = [tile for tile in self.hand if self.squares(tile)]
        if fitting:
            self.note(f"wrong claim, {len(fitting)} fit")
            self.found = fitting[:1]
            self.asked = CamargueAsk.FOUND
        elif self.emergencies and self.emergency_squares():
            self.note("right claim")
            if self.added:
                self.note("right claim again in the same turn")
            self.asked = CamargueAsk.EMERGENCY
            self.has_shown = True
        else:
            self.pass_on()

    def add(self, tile: str, square: Square) -> None:
        """Place an emergency tile, and go on with the turn.

        Our rule: it scores nothing, and no helper can copy it.
        """
        self.passed = 0
        blank = self.emergency_squares()[square]
        self.emergencies.remove(tile)
        self.board[square], self.paths[square] = tile, CROSSING.replace(blank, "")
        self.added += 1
        if not self.emergencies:
            self.note("the last emergency tile")
        self.asked = CamargueAsk.TURN

    def pass_on(self) -> None:
        """Pass the turn of a player who cannot place any tile, not even an emergency tile.

        Our rule.
        """
        assert self.is_stuck()
        left = "without a place for" if self.emergencies else "without"
        self.note(f"stuck {left} an emergency tile")
        self.passed += 1
        self.turn_over(None)

    def score(self, seat: int, points: int) -> None:
        """Add *points* to the score of *seat*."""
        self.scores[seat] += points
        self.gained = points
        if self.scores[seat] > 999:
            self.note("beyond 999")

    def end_turn(self, placed: CopyableTile | None) -> None:
        """Draw a tile for the current player, if one is left, and end the turn.

        *placed* is as for ``turn_over``.
        """
        if self.pile:
            self.hand.append(self.pile.pop())
            if not self.pile:
                self.note("the last tile drawn")
        self.turn_over(placed)

    def turn_over(self, placed: CopyableTile | None) -> None:
        """Give the turn to the next player.

        *placed* is the tile whose points can now be copied, or None.
        """
        self.placed = placed
        self.added, self.has_shown = 0, False
        self.turn = (self.turn + 1) % self.players
        self.look_round()

    def look_round(self) -> None:
        """Give the turn to the first player, from the current one on, who has something to do.

        That is a player with a tile in hand, or a helper in front. End the game if no player has
        a tile in hand, or if all have passed in a row.
        """
        if not any(self.hands):
            self.end_game()
            return
        for _ in range(self.players):
            if self.hand or self.front[self.turn]:
                break
            self.turn = (self.turn + 1) % self.players
        self.asked = CamargueAsk.ASIDE if self.front[self.turn] else CamargueAsk.TURN
        if self.passed >= sum(bool(hand) for hand in self.hands):
            self.note("nobody could play any more")
            self.end_game()

    def end_game(self) -> None:
        """End the game, and make the players with the most points the winners."""
        self.asked, self.placed = CamargueAsk.NOTHING, None
        best = max(self.scores)
        self.winners = [seat for seat in range(self.players) if self.scores[seat] == best]
        if len(self.winners) > 1:
            self.note("shared win")
        if any(self.front):
            self.note("over with a helper in front")

    # -- rare events, which tests look for

    def note(self, what: str) -> None:
        """Add a rare event to ``happened``, which has those of this game."""
        self.happened.add(what)

    def note_place(self, tile: str, square: Square) -> None:
        """Add to ``happened`` the rare events of *tile*, which will be placed on *square*."""
        landscape, around = landscape_of(tile), self.around(square)
        assert landscape is not None
        area, edges = self.worth(tile, square)
        if area == 1:
            self.note(f"an area of one with {edges} edges")
        if area >= 12:
            self.note("an area of twelve or more")
        same = [s for s in around.values() if landscape_of(self.board[s]) == landscape]
        if len(same) > 1 and all(
            other not in self.area(landscape, one) for one, other in combinations(same, 2)
        ):
            self.note(f"{len(same)} areas joined")
        if edges == 4:
            self.note("a hole filled")
        lying = {kind_of(self.board[s]) for s in around.values()}
        self.happened |= {f"beside {kind}" for kind in lying & {START, EMERGENCY}}
        if not self.pile:
            self.note("placed with nothing to draw")

    def note_copy(self, seat: int) -> None:
        """Add to ``happened`` the rare events of a copy that *seat* is about to make."""
        if seat == self.turn:
            self.note("copied before one's own turn")
        if len(self.hands[seat]) < DEALT:
            self.note("copied with fewer than three")
        if len(self.hands[seat]) == 1:
            self.note("copied with the last tile")
        self.note(f"helpers in front: {sum(self.fronts()) + 1}")


# --- how the tiles are mixed ---------------------------------------------------------------------


def mix_tiles(how: str, chance: Random) -> list[str]:
    """Return all tiles, shuffled and then sorted by the sort key ``MIXTURES[how]``.

    The last tile of the list is dealt first.
    """
    tiles = tiles_to_shuffle()
    chance.shuffle(tiles)
    tiles.sort(key=MIXTURES[how])
    return tiles


# Sort keys; the tiles with the highest key are drawn first.
MIXTURES: dict[str, Callable[[str], int]] = {
    "well": lambda _: 0,
    "helpers early": is_helper,
    "helpers late": lambda tile: not is_helper(tile),
    "few ends early": lambda tile: 0 if is_helper(tile) else -len(paths_of(tile)),
    "by landscape": lambda tile: LANDSCAPES.index(landscape_of(tile) or "forest"),
}
