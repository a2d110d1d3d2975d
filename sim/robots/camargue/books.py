"""A second opinion on Camargue: the books a careful scorekeeper keeps, from the printed rules.

Room: sim/robots. It shuffles, deals and sees every hand, as nobody at the table does, and shares
no line with ``engines.camargue``; so where the two agree, they agree for different reasons. Tiles
are texts: ``forest-ne#2``, ``helper-forest-water#1``, ``emergency#3``, ``start#1``. Spots are pairs
of column and row, the start tile at (0, 0). Where the printed rules leave a point open, "ours"
marks what RULES.md decided.
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

Spot = tuple[int, int]

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


def shuffled_tiles() -> list[str]:
    """The 80 landscape tiles and the 10 helpers, which are shuffled together."""
    tiles = [f"helper-{one}-{other}#1" for one, other in combinations(LANDSCAPES, 2)]
    for landscape in LANDSCAPES:
        for paths, many in OF_EACH_LANDSCAPE.items():
            tiles += [f"{landscape}-{paths}#{n}" for n in range(1, many + 1)]
    return tiles


def box(emergencies: int = EMERGENCIES) -> list[str]:
    """All that is in the box and has a tag."""
    return [*shuffled_tiles(), "start#1", *(f"emergency#{n}" for n in range(1, emergencies + 1))]


# --- what is printed on a tile -------------------------------------------------------------------


@cache
def kind_of(tile: str) -> str:
    """What is on the tile, whichever of its copies it is."""
    return tile.split("#")[0]


def is_helper(tile: str) -> bool:
    """Whether it is a helper."""
    return tile.startswith(HELPER)


@cache
def landscape_of(tile: str) -> str | None:
    """The landscape; a start tile and, ours, an emergency tile have none."""
    first = kind_of(tile).split("-")[0]
    return first if first in LANDSCAPES else None


@cache
def paths_of(tile: str) -> str:
    """The edges that paths lead to; those of an emergency tile depend on how it is turned."""
    if kind_of(tile) == START:
        return CROSSING
    assert landscape_of(tile) is not None
    return kind_of(tile).split("-")[1]


def helps(helper: str, landscape: str) -> bool:
    """Whether this helper helps in this landscape."""
    return landscape in kind_of(helper).split("-")[1:]


def next_to(spot: Spot, side: str) -> Spot:
    """The spot at this side of another."""
    right, down = TO_THE[side]
    return spot[0] + right, spot[1] + down


# --- what is asked, and what is done -------------------------------------------------------------


class Asked(Enum):
    """What the table waits for."""

    TURN = "a landscape tile, a helper, or the claim that nothing fits"
    ASIDE = "the helper in front, to be put aside"
    FOUND = "a place for the tile that was picked, or found to fit after all"
    EMERGENCY = "an emergency tile"
    NOTHING = "nothing: the game is over"


class Verb(Enum):
    """What people do."""

    PLACE = "places"
    DISCARD = "discards"
    COPY = "has a matching helper:"
    ASIDE = "puts aside"
    CLAIM = "claims that nothing fits"
    ADD = "adds"


@dataclass(frozen=True)
class Act:
    """One thing that *player* does, with a *tile*, at a *spot*."""

    verb: Verb
    player: int
    tile: str = ""
    spot: Spot | None = None

    def __str__(self) -> str:
        at = "" if self.spot is None else f" at {self.spot[0]},{self.spot[1]}"
        return f"seat {self.player} {self.verb.value} {self.tile}{at}".rstrip()


@dataclass(frozen=True)
class House:
    """What people choose before they play."""

    cuts_both_ways: bool = True  # a new tile's own paths may not end at an edge without one either
    start_is_an_edge: bool = True
    copy_needs_three: bool = False  # tiles in the hand of who plays a helper out of turn
    emergency_turns: bool = True  # else its edge without a path is at the top
    emergencies: int = EMERGENCIES  # in the box; fewer make what is rare less rare


@dataclass(frozen=True)
class Placed:
    """The landscape tile that was played last, as long as helpers may still join in."""

    player: int
    landscape: str
    points: int


class CamargueBooks:
    """One game of Camargue from the first deal to the winners."""

    def __init__(self, players: int, first: int, mixed: list[str], house: House) -> None:
        """The tiles are dealt and drawn from the end of *mixed*."""
        assert sorted(mixed) == sorted(shuffled_tiles())
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
        self.board: dict[Spot, str] = {(0, 0): "start#1"}
        self.paths: dict[Spot, str] = {(0, 0): paths_of("start#1")}
        self.in_play = self.total_tiles()
        self.scores = [0] * players
        self.turn = first
        self.placed: Placed | None = None
        self.gained = 0  # by the last landscape tile or helper
        self.passed = 0  # turns one after the other in which no tile moved
        self.added = 0  # emergency tiles in this turn
        self.found: list[str] = []  # what must be placed: it was picked, or a claim was wrong
        self.asked = Asked.TURN
        self.winners: list[int] = []
        self.happened: set[str] = set()  # the rare things this game has seen

    # -- what can be read off the table

    @property
    def hand(self) -> list[str]:
        """The hand of the one whose turn it is."""
        return self.hands[self.turn]

    def sizes(self) -> list[int]:
        """How many tiles everybody holds."""
        return [len(hand) for hand in self.hands]

    def fronts(self) -> list[int]:
        """How many helpers lie in front of everybody: one or none."""
        return [int(helper is not None) for helper in self.front]

    def total_tiles(self) -> int:
        """All tiles with which the game is played, wherever they are."""
        held = sum(self.sizes()) + sum(self.fronts()) + len(self.pile) + len(self.out)
        return held + len(self.aside) + len(self.board) + len(self.emergencies)

    def unseen(self) -> list[str]:
        """What nobody has laid down, and the referee cannot tell apart."""
        return [*(tile for hand in self.hands for tile in hand), *self.pile, *self.out]

    def around(self, spot: Spot) -> dict[str, Spot]:
        """The sides at which tiles lie, with where those lie."""
        return {side: there for side in TO_THE if (there := next_to(spot, side)) in self.board}

    def why_not(self, tile: str, spot: Spot) -> set[str]:
        """What forbids this landscape tile there."""
        if spot in self.board:
            return {OCCUPIED}
        meeting = [
            (side in paths_of(tile), ACROSS[side] in self.paths[there])
            for side, there in self.around(spot).items()
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

    def why_no_emergency(self, spot: Spot, blank: str) -> set[str]:
        """What forbids an emergency tile there, its edge without a path to this side."""
        if spot in self.board:
            return {OCCUPIED}
        around = self.around(spot)
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

    def all_spots(self) -> list[Spot]:
        """The whole table as far as tiles lie, and one step farther."""
        columns, rows = ([spot[n] for spot in self.board] for n in (0, 1))
        return [
            (column, row)
            for column in range(min(columns) - 1, max(columns) + 2)
            for row in range(min(rows) - 1, max(rows) + 2)
        ]

    def rim(self) -> list[Spot]:
        """The empty spots beside tiles: nothing fits anywhere else."""
        beside = {next_to(spot, side) for spot in self.board for side in TO_THE}
        return sorted(beside - set(self.board))

    def spots(self, tile: str) -> list[Spot]:
        """Where this landscape tile fits."""
        return [spot for spot in self.rim() if not self.why_not(tile, spot)]

    def emergency_spots(self) -> dict[Spot, str]:
        """Where an emergency tile fits, with the side at which its edge without a path is."""
        return {
            spot: blank
            for spot in self.rim()
            for blank in (TO_THE if self.house.emergency_turns else "n")
            if not self.why_no_emergency(spot, blank)
        }

    def area(self, landscape: str, spot: Spot) -> set[Spot]:
        """The area that a tile of this landscape is or would be part of."""
        flooded, wave = {spot}, [spot]
        while wave:
            for there in self.around(wave.pop()).values():
                if there not in flooded and landscape_of(self.board[there]) == landscape:
                    flooded.add(there)
                    wave.append(there)
        return flooded

    def worth(self, tile: str, spot: Spot) -> tuple[int, int]:
        """Area and edges of this landscape tile there; their product is what it scores."""
        landscape = landscape_of(tile)
        assert landscape is not None
        beside = [self.board[there] for there in self.around(spot).values()]
        edges = [tile for tile in beside if self.house.start_is_an_edge or kind_of(tile) != START]
        return len(self.area(landscape, spot)), len(edges)

    def points(self, tile: str, spot: Spot) -> int:
        """What this landscape tile scores there."""
        area, edges = self.worth(tile, spot)
        return area * edges

    def helpers(self, seat: int) -> list[str]:
        """The helpers that this player holds."""
        return [tile for tile in self.hands[seat] if is_helper(tile)]

    def landscapes(self, seat: int) -> list[str]:
        """The landscape tiles that this player holds."""
        return [tile for tile in self.hands[seat] if not is_helper(tile)]

    # -- what is legal

    def why_not_join(self, seat: int) -> set[str]:
        """What forbids this player to play any helper out of turn."""
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
        """What forbids this helper out of turn, were it this player's."""
        broken = self.why_not_join(seat)
        if self.placed is not None and not helps(helper, self.placed.landscape):
            broken.add(NO_MATCH)
        return broken

    def may_join(self, seat: int) -> bool:
        """Whether this player may play a helper out of turn, having a matching one."""
        return not self.why_not_join(seat)

    def may_copy(self, seat: int, helper: str) -> bool:
        """Whether this helper may be played out of turn, were it this player's."""
        return not self.why_no_copy(seat, helper)

    def users(self, helper: str) -> list[int]:
        """Who could use this helper now, in turn or out of it."""
        is_turn = self.asked is Asked.TURN
        return [
            seat
            for seat in range(self.players)
            if (is_turn and seat == self.turn) or self.may_copy(seat, helper)
        ]

    def copies(self) -> list[Act]:
        """All helpers that may be played out of turn."""
        return [
            Act(Verb.COPY, seat, helper)
            for seat in range(self.players)
            for helper in self.helpers(seat)
            if self.may_copy(seat, helper)
        ]

    def placements(self) -> list[Act]:
        """Every tile that may be placed, at every spot where it fits."""
        tiles = self.found if self.asked is Asked.FOUND else self.landscapes(self.turn)
        return [Act(Verb.PLACE, self.turn, tile, s) for tile in tiles for s in self.spots(tile)]

    def is_stuck(self) -> bool:
        """Whether the player whose turn it is holds nothing that can be played."""
        return not self.helpers(self.turn) and not self.placements()

    def legal_acts(self) -> list[Act]:
        """All that may be done now: claims too, right or wrong, but with no helper in the hand."""
        me = self.turn
        match self.asked:
            case Asked.TURN:
                acts = self.placements()
                acts += [Act(Verb.DISCARD, me, helper) for helper in self.helpers(me)]
                if not self.helpers(me):
                    acts.append(Act(Verb.CLAIM, me))
                return acts + self.copies()
            case Asked.ASIDE:
                return [Act(Verb.ASIDE, me, self.front[me] or ""), *self.copies()]
            case Asked.FOUND:
                return self.placements()
            case Asked.EMERGENCY:
                return [Act(Verb.ADD, me, self.emergencies[0], s) for s in self.emergency_spots()]
            case _:
                return []

    # -- the acts

    def do(self, act: Act) -> None:
        """Do this legal act."""
        match act.verb:
            case Verb.PLACE:
                assert act.spot is not None
                self.place(act.tile, act.spot)
            case Verb.DISCARD:
                self.discard(act.tile)
            case Verb.COPY:
                self.copy(act.player, act.tile)
            case Verb.ASIDE:
                self.put_aside()
            case Verb.CLAIM:
                self.claim()
            case Verb.ADD:
                assert act.spot is not None
                self.add(act.tile, act.spot)
        assert self.total_tiles() == self.in_play

    def pick(self, tile: str) -> None:
        """A tile is shown that is to be placed: from now on no other may."""
        assert self.asked is Asked.TURN
        assert self.spots(tile)
        self.asked, self.found = Asked.FOUND, [tile]

    def place(self, tile: str, spot: Spot) -> None:
        """A landscape tile is placed."""
        landscape = landscape_of(tile)
        assert landscape is not None
        assert not self.why_not(tile, spot)
        self.note_place(tile, spot)
        points = self.points(tile, spot)
        self.hand.remove(tile)
        self.board[spot], self.paths[spot] = tile, paths_of(tile)
        self.score(self.turn, points)
        self.passed, self.found = 0, []
        self.end_turn(Placed(self.turn, landscape, points))

    def discard(self, helper: str) -> None:
        """A helper goes aside for ten points."""
        if self.placed and helps(helper, self.placed.landscape) and self.may_join(self.turn):
            self.note("10 points rather than a copy")
        self.hand.remove(helper)
        self.aside.append(helper)
        self.score(self.turn, HELPER_POINTS)
        self.passed = 0
        self.end_turn(None)

    def copy(self, seat: int, helper: str) -> None:
        """A helper out of turn scores what the tile before it did."""
        assert self.placed is not None
        assert self.may_copy(seat, helper)
        self.note_copy(seat)
        self.hands[seat].remove(helper)
        self.front[seat] = helper
        self.score(seat, self.placed.points)
        self.passed = 0
        self.look_round()

    def put_aside(self) -> None:
        """The helper in front goes aside."""
        helper = self.front[self.turn]
        assert helper is not None
        self.note("put aside" if self.pile else "put aside with nothing to draw")
        self.aside.append(helper)
        self.front[self.turn] = None
        self.passed = 0
        self.end_turn(None)

    def claim(self) -> None:
        """Show the tiles one by one, as they are held: the first that fits must be placed.

        If there is none, an emergency tile is.
        """
        assert self.hand
        assert not self.helpers(self.turn)
        self.placed = None
        fitting = [tile for tile in self.hand if self.spots(tile)]
        if fitting:
            self.note(f"wrong claim, {len(fitting)} fit")
            self.found = fitting[:1]
            self.asked = Asked.FOUND
        elif self.emergencies and self.emergency_spots():
            self.note("right claim")
            if self.added:
                self.note("right claim again in the same turn")
            self.asked = Asked.EMERGENCY
        else:
            self.pass_on()

    def add(self, tile: str, spot: Spot) -> None:
        """Ours: no points for an emergency tile, and no helper on it."""
        self.passed = 0
        blank = self.emergency_spots()[spot]
        self.emergencies.remove(tile)
        self.board[spot], self.paths[spot] = tile, CROSSING.replace(blank, "")
        self.added += 1
        if not self.emergencies:
            self.note("the last emergency tile")
        self.asked = Asked.TURN

    def pass_on(self) -> None:
        """Ours: without an emergency tile, or a place for one, the turn passes."""
        assert self.is_stuck()
        left = "without a place for" if self.emergencies else "without"
        self.note(f"stuck {left} an emergency tile")
        self.passed += 1
        self.turn_over(None)

    def score(self, seat: int, points: int) -> None:
        """This player gets so many points."""
        self.scores[seat] += points
        self.gained = points
        if self.scores[seat] > 999:
            self.note("beyond 999")

    def end_turn(self, placed: Placed | None) -> None:
        """Draw one tile, if there is any, and go on."""
        if self.pile:
            self.hand.append(self.pile.pop())
            if not self.pile:
                self.note("the last tile drawn")
        self.turn_over(placed)

    def turn_over(self, placed: Placed | None) -> None:
        """The next player goes on."""
        self.placed = placed
        self.added = 0
        self.turn = (self.turn + 1) % self.players
        self.look_round()

    def look_round(self) -> None:
        """Whose turn it is, or who has won."""
        if not any(self.hands):
            self.end_game()
            return
        for _ in range(self.players):
            if self.hand or self.front[self.turn]:
                break
            self.turn = (self.turn + 1) % self.players
        self.asked = Asked.ASIDE if self.front[self.turn] else Asked.TURN
        if self.passed >= sum(bool(hand) for hand in self.hands):
            self.note("nobody could play any more")
            self.end_game()

    def end_game(self) -> None:
        """The most points have won."""
        self.asked, self.placed = Asked.NOTHING, None
        best = max(self.scores)
        self.winners = [seat for seat in range(self.players) if self.scores[seat] == best]
        if len(self.winners) > 1:
            self.note("shared win")
        if any(self.front):
            self.note("over with a helper in front")

    # -- what was rare

    def note(self, what: str) -> None:
        """Note that something rare happened."""
        self.happened.add(what)

    def note_place(self, tile: str, spot: Spot) -> None:
        """Note what is rare about a tile that is being placed."""
        landscape, around = landscape_of(tile), self.around(spot)
        assert landscape is not None
        area, edges = self.worth(tile, spot)
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
        """Note what is rare about a helper that is being played out of turn."""
        if seat == self.turn:
            self.note("copied before one's own turn")
        if len(self.hands[seat]) < DEALT:
            self.note("copied with fewer than three")
        if len(self.hands[seat]) == 1:
            self.note("copied with the last tile")
        self.note(f"helpers in front: {sum(self.fronts()) + 1}")


# --- how the tiles are mixed ---------------------------------------------------------------------


def mixed(how: str, chance: Random) -> list[str]:
    """All tiles in the order in which they are dealt and drawn, the first last."""
    tiles = shuffled_tiles()
    chance.shuffle(tiles)
    tiles.sort(key=MIXTURES[how])
    return tiles


# What comes last is drawn first.
MIXTURES: dict[str, Callable[[str], int]] = {
    "well": lambda _: 0,
    "helpers early": is_helper,
    "helpers late": lambda tile: not is_helper(tile),
    "few ends early": lambda tile: 0 if is_helper(tile) else -len(paths_of(tile)),
    "by landscape": lambda tile: LANDSCAPES.index(landscape_of(tile) or "forest"),
}
