"""The rules of Cramel: turn tiles over, stop in time, keep away from Mrs. Bloom.

One game's rules as values and functions; no chips, no clock, no files.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/cramel/RULES.md, quoted below as "RULES 3.2" and so on.

Cramel is a game of memory, so the state must not help anybody to remember. It holds the number of
tiles of each kind on the table and with each player, and the tiles that are open in this turn. It
never holds the place of a tile, or the tiles seen in earlier turns (RULES 1.7).
"""

from dataclasses import dataclass
from enum import Enum, StrEnum
from functools import cache, lru_cache
from operator import mul

from engines.common.contract import (
    PLAY_SPOT,
    SEAT_SPOTS,
    Ask,
    Button,
    Input,
    Message,
    Press,
    PressAsk,
    Seat,
    Setup,
    Step,
    TapAsk,
    Topic,
    message,
)
from engines.common.copies import replace
from engines.common.errors import AlreadyPlayed, NotExpectedNow
from engines.common.pieces import Piece
from engines.common.setup import GameConfig, check_seats, house_rules
from engines.common.solo import goal_of, opening_of, result_of
from engines.common.turns import tap_of
from engines.cramel.errors import AlreadyWon, NoneLeft, NoSetYet, NothingToWin, NothingTurned
from engines.cramel.house import OPTIONS, HouseRules
from engines.cramel.tiles import BLOOM, CRAMEL, GOL, KINDS, TileCounts, check_kinds

SEATS = range(2, 6)  # RULES 2.1
SOLO_TURNS = 15  # turns of each player against a goal. RULES 7.6

STOP = Press(Button.ACTION)


# --- the state -----------------------------------------------------------------------------------


class Phase(StrEnum):
    """The phases of a game. Each value is used as ``View.phase``."""

    PLAY = "play"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class CramelConfig(GameConfig):
    """The settings of a game, which stay the same until its end."""

    first: Seat  # the seat that has the first turn
    house: HouseRules
    set_sizes: tuple[int, ...]  # by kind, in the order of KINDS; 0 for no set. RULES 4.1, 4.3

    @property
    def everyone(self) -> tuple[Seat, ...]:
        """All seats in turn order, from the seat that had the first turn."""
        return tuple(Seat((self.first + n) % self.people) for n in range(self.people))

    def set_size(self, kind: str) -> int:
        """Return the number of tiles in a set of *kind*, or 0 if it has none (RULES 4.1, 4.3)."""
        return self.set_sizes[KINDS.index(kind)]


class TurnEnd(Enum):
    """The ways a turn can end. The value is the code of its announcement."""

    STOP = "stop"
    BLOOM = "bloom"
    MIXED = "mixed"  # a Cramel and a tile of another kind are open. RULES 6.2


@dataclass(frozen=True, slots=True)
class EndedTurn:
    """The end of *seat*'s turn, shown until the next tile is turned over.

    After a stop, *won* tiles were won and *rest* tiles turned face down again.
    """

    seat: Seat
    how: TurnEnd
    won: int = 0
    rest: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """The state of a game of Cramel: everything that the mat knows and may keep (RULES 1.7)."""

    config: CramelConfig
    left: TileCounts  # tiles on the table, open or face down
    won: tuple[TileCounts, ...]  # tiles won, by seat
    turn: Seat
    turned: frozenset[Piece] = frozenset()  # tiles that are open in this turn
    taken: frozenset[Piece] = frozenset()  # tiles that were certainly won. RULES 1.2
    before: EndedTurn | None = None  # the end of the last turn
    turns_left: int = 1  # turns until the end of a game against a goal. RULES 7.6

    @property
    def phase(self) -> Phase:
        """PLAY while a set can still be won, then OVER (RULES 7.1, 7.6)."""
        is_on = self.turns_left and has_set(self.left.counts, self.config.set_sizes)
        return Phase.PLAY if is_on else Phase.OVER

    @property
    def open(self) -> TileCounts:
        """The numbers of tiles that are open in this turn."""
        return counts_of(self.turned)

    @property
    def may_move_bloom(self) -> bool:
        """True if the player could move Mrs. Bloom to a free place now (RULES 5.2)."""
        return self.config.house.bloom_may_move and self.left.total < self.config.deck.total


# These are asked for several times in each step, and a state holds nothing that follows from the
# rest of it. So the answers are kept, by kinds and numbers.


@lru_cache(maxsize=1024)
def counts_of(tiles: frozenset[Piece]) -> TileCounts:
    """Return the numbers of *tiles*."""
    return TileCounts.of([piece.kind for piece in tiles])


@lru_cache(maxsize=1024)
def kinds_left(left: TileCounts, lying_open: TileCounts) -> tuple[str, ...]:
    """Return the kinds of the tiles *left* that are face down."""
    return (left - lying_open).kinds


@lru_cache(maxsize=1024)
def has_set(left: tuple[int, ...], set_sizes: tuple[int, ...]) -> bool:
    """Return True if the tiles *left* hold a complete set. Both are by kind."""
    return any(number >= size > 0 for number, size in zip(left, set_sizes, strict=True))


@lru_cache(maxsize=1024)
def whole_sets(
    numbers: tuple[int, ...], set_sizes: tuple[int, ...], *, has_several: bool
) -> TileCounts:
    """Return the tiles of whole sets among these *numbers* of open tiles. Both are by kind.

    Unless *has_several*, only one set of a kind counts, but any number of Cramels (RULES 4.4).
    """
    sets = [number // size if size else 0 for number, size in zip(numbers, set_sizes, strict=True)]
    if not has_several:
        sets = [n if kind == CRAMEL else min(n, 1) for kind, n in zip(KINDS, sets, strict=True)]
    return TileCounts(tuple(map(mul, sets, set_sizes)))


# --- beginning -----------------------------------------------------------------------------------


def start(setup: Setup) -> State:
    """Return the state in which all tiles are laid out face down.

    Raises:
        NothingToWin: the deck holds no complete set (RULES 1.6).
        ValueError: Cramel does not know this number of seats, dealer, option or tile.
    """
    check_seats(setup, SEATS)
    check_kinds(setup.deck)
    house = house_rules(HouseRules, OPTIONS, setup.options)
    goal = goal_of(house.solo, setup.seats)
    people = setup.seats - bool(goal)
    first = Seat((setup.dealer + 1) % people)  # RULES 2.3
    sizes = {kind.name: kind.value for kind in setup.deck.kinds} | {GOL: int(house.gol_set)}
    set_sizes = tuple(sizes.get(kind, 0) for kind in KINDS)
    config = CramelConfig(setup.deck, setup.seats, first, house, set_sizes, goal=goal)
    left = TileCounts.of(piece.kind for piece in setup.deck.pieces())
    turns = SOLO_TURNS * people if goal else 1
    state = State(config, left, (TileCounts(),) * setup.seats, first, turns_left=turns)
    if state.phase is Phase.OVER:
        raise NothingToWin
    return state


def opening(state: State) -> tuple[Message, ...]:
    """Return the messages to announce when the game begins."""
    return (
        *opening_of(state.config.goal),
        message("lay-out", n=state.left.total),
        *next_turn(state),
    )


# --- asks ----------------------------------------------------------------------------------------


def spots(state: State) -> tuple[str, ...]:
    """Return the spots where a tile may be tapped: the play spot and the player's reader."""
    return (PLAY_SPOT, SEAT_SPOTS[state.turn])


def asks(state: State) -> tuple[Ask, ...]:
    """Return requests for the next tile and, if the player may stop, for the button that stops."""
    if state.phase is Phase.OVER:
        return ()
    lying_open = state.open
    face_down = kinds_left(state.left, lying_open)
    may = (tile_ask(face_down, state.turn),) if face_down else ()
    wins = wins_of(state, lying_open).total
    return (*may, stop_ask(wins)) if may_stop(state, wins) else may


@lru_cache(maxsize=1024)
def tile_ask(kinds: tuple[str, ...], seat: Seat) -> TapAsk:
    """Return a request for a tile of *kinds* from *seat*."""
    return TapAsk(frozenset(kinds), (seat,), (PLAY_SPOT, SEAT_SPOTS[seat]))


@cache
def stop_ask(wins: int) -> PressAsk:
    """Return an offer to stop and win *wins* tiles."""
    return PressAsk(Button.ACTION, "stop", {"n": wins}, is_vain=not wins)


def may_stop(state: State, wins: int) -> bool:
    """Return True if the turn may end here, with *wins* tiles (RULES 3.4, 3.5)."""
    return bool(state.turned) and (wins > 0 or state.config.house.stop_without_set)


def stop_wins(state: State) -> TileCounts:
    """Return the tiles that the player wins by stopping now (RULES 4.2, 4.4, 6.1)."""
    return wins_of(state, state.open)


def wins_of(state: State, lying_open: TileCounts) -> TileCounts:
    """Return the tiles that a player who stops wins if the tiles *lying_open* are open."""
    config = state.config
    return whole_sets(lying_open.counts, config.set_sizes, has_several=config.house.several_sets)


# --- a turn --------------------------------------------------------------------------------------


def step(state: State, given: Input) -> Step[State]:
    """Handle the next tile of the turn, or the button that stops the turn."""
    if state.phase is Phase.OVER:
        raise NotExpectedNow(waits=state.phase.value)
    return stop(state) if given == STOP else turn_over(state, tile_of(state, given))


def tile_of(state: State, given: Input) -> Piece:
    """Return the tile that was turned over and tapped (RULES 1.2, 3.3).

    Raises:
        RulesError: *given* is not a tap of a tile by the current player (see ``tap_of``).
        AlreadyPlayed: the tile is already open.
        AlreadyWon: the tile is known to be won, or all tiles of its kind are won.
        NoneLeft: no tile of its kind is face down any more, and it is not one of the open ones.
    """
    piece = tap_of(given, state.turn, spots(state), state.config.deck, Phase.PLAY).piece
    if piece in state.turned:
        raise AlreadyPlayed(piece=piece)
    if piece in state.taken or not state.left[piece.kind]:
        raise AlreadyWon(piece=piece)
    if state.open[piece.kind] == state.left[piece.kind]:
        raise NoneLeft(piece=piece)
    return piece


def turn_over(state: State, piece: Piece) -> Step[State]:
    """Turn *piece* over. Bloom, or a Cramel beside another kind, ends the turn (RULES 5.1, 6.2)."""
    if piece.kind == BLOOM:
        return end_turn(state, TurnEnd.BLOOM, [])
    turned = state.turned | {piece}
    after = State(
        state.config,
        state.left,
        state.won,
        state.turn,
        turned,
        state.taken,
        turns_left=state.turns_left,
    )
    lying_open = after.open
    if 0 < lying_open[CRAMEL] < len(turned):
        return end_turn(state, TurnEnd.MIXED, [message("turned", piece=piece)])
    wins = wins_of(state, lying_open).total
    if wins == stop_wins(state).total:
        return Step(after, (message("turned", piece=piece),))
    code = "single" if state.config.set_size(piece.kind) == 1 else "completes"
    return Step(after, (message(code, Topic.TOTAL, piece=piece, n=wins),))


def end_turn(state: State, how: TurnEnd, events: list[Message]) -> Step[State]:
    """End the turn without a win. All tiles are turned face down again (RULES 5.1, 6.2).

    *how* is the reason, announced after *events*.
    """
    seat, turn = state.turn, state.config.seats_after(state.turn)[0]
    left = turns_after(state)
    ended = EndedTurn(seat, how)
    after = replace(state, turn=turn, turned=frozenset(), before=ended, turns_left=left)
    events = [*events, message(how.value, Topic.RESULT, seat=seat)]
    if how is TurnEnd.BLOOM and state.may_move_bloom:
        events.append(message("bloom-may-move", seat=seat))
    if not left:
        return finish_alone(after, events)
    return Step(after, (*events, *next_turn(after)))


def turns_after(state: State) -> int:
    """Return the number of turns that are left after this one; 1 without a goal (RULES 7.6)."""
    return state.turns_left - 1 if state.config.goal else 1


def next_turn(state: State) -> tuple[Message, ...]:
    """Return the messages about the turn that begins and, against a goal, how many are left."""
    turn = message("turn", Topic.TURN, seat=state.turn)
    return (turn, message("turns-left", n=state.turns_left)) if state.config.goal else (turn,)


def stop(state: State) -> Step[State]:
    """End the turn: win every complete set, and turn the other tiles face down (RULES 3.4, 4.2).

    Raises:
        NothingTurned: no tile was turned over in this turn.
        NoSetYet: a house rule does not allow stopping without a set.
    """
    if not state.turned:
        raise NothingTurned(seat=state.turn)
    wins = stop_wins(state)
    if not may_stop(state, wins.total):
        raise NoSetYet(n=len(state.turned))
    seat, turn = state.turn, state.config.seats_after(state.turn)[0]
    rest = state.open - wins
    after = replace(
        state,
        left=state.left - wins,
        won=add_wins(seat, wins, state.won),
        turn=turn,
        turned=frozenset(),
        taken=state.taken | sure_wins(state, wins),
        before=EndedTurn(seat, TurnEnd.STOP, wins.total, rest.total),
        turns_left=turns_after(state),
    )
    events = [message("takes-none", Topic.RESULT, seat=seat)]
    if wins.total:
        events = [message("takes", Topic.RESULT, seat=seat, pieces=wins.pieces)]
    if rest.total:
        events.append(message("face-down", pieces=rest.pieces))
    if after.phase is Phase.OVER:
        return finish(after, events)
    return Step(after, (*events, *next_turn(after)))


def sure_wins(state: State, wins: TileCounts) -> frozenset[Piece]:
    """Return the open tiles that are certainly among *wins*, the tiles that the player takes.

    If the player takes only some open tiles of a kind, the mat cannot know which (RULES 1.2).
    """
    return frozenset(tile for tile in state.turned if wins[tile.kind] == state.open[tile.kind])


def add_wins(seat: Seat, tiles: TileCounts, won: tuple[TileCounts, ...]) -> tuple[TileCounts, ...]:
    """Return *won*, the tiles won by each seat, with *tiles* added for *seat*."""
    return (*won[:seat], won[seat] + tiles, *won[seat + 1 :])


# --- the end -------------------------------------------------------------------------------------


def finish(state: State, events: list[Message]) -> Step[State]:
    """Award the Blooms and announce the winner (RULES 7.2 to 7.5)."""
    if state.config.goal:
        return finish_alone(state, events)
    best = most_cramels(state)
    blooms = TileCounts.of([BLOOM] * state.left[BLOOM])
    events = [*events, message("nothing-left", Topic.RESULT)]
    if best is None:
        events.append(message("cramels-tied", Topic.RESULT))
    elif blooms.total:
        events.append(message("most-cramels", Topic.RESULT, seat=best, pieces=blooms.pieces))
        state = replace(state, left=state.left - blooms, won=add_wins(best, blooms, state.won))
    events += [
        message("total", Topic.RESULT, seat=seat, n=tiles.total)
        for seat, tiles in enumerate(state.won)
    ]
    best_total = max(tiles.total for tiles in state.won)
    wins = (
        message(decided_by(state).value, Topic.RESULT, seat=seat, n=best_total)
        for seat in winners(state)
    )
    return Step(state, (*events, *wins))


def finish_alone(state: State, events: list[Message]) -> Step[State]:
    """Say the tiles of the players, and if they reach the goal (RULES 7.6)."""
    people = [(Seat(n), won.total) for n, won in enumerate(state.won[: state.config.people])]
    totals = (message("total", Topic.RESULT, seat=seat, n=n) for seat, n in people)
    results = (result_of(state.config.goal, seat, n) for seat, n in people)
    return Step(state, (*events, *totals, *results))


def scores(state: State) -> tuple[int, ...]:
    """Return the number of tiles of each player, and the goal (RULES 7.3, 7.6)."""
    config = state.config
    goal = (config.goal,) if config.goal else ()
    return (*(tiles.total for tiles in state.won[: config.people]), *goal)


def most_cramels(state: State) -> Seat | None:
    """Return the seat with the most Cramels, or None if several tie (RULES 7.2)."""
    numbers = [tiles[CRAMEL] for tiles in state.won]
    best = max(numbers)
    return Seat(numbers.index(best)) if numbers.count(best) == 1 else None


class Win(Enum):
    """The ways to win. The value is the code of the announcement."""

    TILES = "winner"
    CRAMELS = "winner-by-cramels"
    ORDER = "winner-by-order"
    SHARED = "shared-win"


def with_most(state: State) -> list[Seat]:
    """Return the seats with the most tiles, in turn order (RULES 7.3)."""
    best = max(tiles.total for tiles in state.won)
    return [seat for seat in state.config.everyone if state.won[seat].total == best]


def with_most_and_cramels(state: State) -> list[Seat]:
    """Return the seats with the most Cramels among those with the most tiles (RULES 7.4)."""
    equal = with_most(state)
    best = max(state.won[seat][CRAMEL] for seat in equal)
    return [seat for seat in equal if state.won[seat][CRAMEL] == best]


def winners(state: State) -> tuple[Seat, ...]:
    """Return the winners, after the Blooms are awarded (RULES 7.3 to 7.6)."""
    if state.config.goal:
        return state.config.best(scores(state))
    equal = with_most_and_cramels(state)
    return tuple(sorted(equal)) if state.config.house.shared_win else (equal[-1],)


def decided_by(state: State) -> Win:
    """Return what decided the game: the tiles, the Cramels, the turn order, or nothing (a tie)."""
    if len(with_most(state)) == 1:
        return Win.TILES
    if len(with_most_and_cramels(state)) == 1:
        return Win.CRAMELS
    return Win.SHARED if state.config.house.shared_win else Win.ORDER


# --- undo ----------------------------------------------------------------------------------------


def put_back(before: State, given: Input) -> tuple[Message, ...]:
    """Return messages that say what people must move back to undo *given* (RULES 1.5).

    *before* is the state in which *given* was accepted.
    """
    if given == STOP:
        return put_back_stop(before)
    piece = tile_of(before, given)
    moved = [message("turn-down", piece=piece)]
    if before.turned and not turn_over(before, piece).state.turned:
        moved.append(message("turn-up", pieces=before.open.pieces))
    if piece.kind == BLOOM and before.may_move_bloom:
        moved.append(message("bloom-back"))
    return tuple(moved)


def put_back_stop(before: State) -> tuple[Message, ...]:
    """Return messages that say what people must move back to undo a stop in the state *before*."""
    after, wins = stop(before).state, stop_wins(before)
    rest = before.open - wins
    moved = [
        message("blooms-back", seat=seat, pieces=TileCounts.of([BLOOM] * tiles[BLOOM]).pieces)
        for seat, tiles in enumerate(after.won)
        if tiles[BLOOM]
    ]
    if wins.total:
        moved.append(message("give-back", seat=before.turn, pieces=wins.pieces))
    if rest.total:
        moved.append(message("turn-up", pieces=rest.pieces))
    return tuple(moved)
