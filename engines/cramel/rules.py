"""The rules of Cramel: turn tiles over, stop in time, keep away from Mrs. Bloom.

Room: engines/cramel. One game's rules as values and functions; no chips, no clock, no files.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/cramel/RULES.md, quoted below as "RULES 3.2" and so on.

Cramel is a game of memory, so the state holds what everybody may know anyway: how many tiles of
each kind are on the table and with each player, and which tiles lie open in this turn. Where a
tile lies, or that it was seen in an earlier turn, is nowhere in it (RULES 1.7).
"""

from dataclasses import dataclass, field, replace
from enum import Enum

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
    told,
)
from engines.common.errors import AlreadyPlayed, NotExpectedNow
from engines.common.pieces import Deck, Piece
from engines.common.setup import check_seats, house_rules
from engines.common.turns import tap_of
from engines.cramel.errors import NoneLeft, NoSetYet, NothingToWin, NothingTurned
from engines.cramel.house import OPTIONS, HouseRules
from engines.cramel.tiles import BLOOM, CRAMEL, GOL, Tiles, check_kinds

SEATS = range(2, 6)  # RULES 2.1

STOP = Press(Button.ACTION)


# --- the state: what a mat can know, and what is no help to anybody's memory ---------------------


class Phase(Enum):
    """What the table is doing; the value is the code a view shows."""

    PLAY = "play"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Table:
    """What stays the same from the first tile to the last."""

    deck: Deck = field(hash=False, repr=False)
    seats: int
    first: Seat  # whose turn was the first
    house: HouseRules

    @property
    def everyone(self) -> tuple[Seat, ...]:
        """All seats in turn order, from the first."""
        return tuple(Seat((self.first + n) % self.seats) for n in range(self.seats))

    def seat_after(self, seat: Seat) -> Seat:
        """The next seat clockwise (RULES 2.3)."""
        return Seat((seat + 1) % self.seats)

    def set_size(self, kind: str) -> int:
        """How many tiles of *kind* make a set; 0 when it is never won (RULES 4.1, 4.3)."""
        return int(self.house.gol_set) if kind == GOL else self.deck.by_name[kind].value


class End(Enum):
    """How a turn ended; the value is the code of the message that tells it."""

    STOP = "stop"
    BLOOM = "bloom"
    MIXED = "mixed"  # a Cramel, and a tile of another kind. RULES 6.2


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a turn, shown until the next tile is turned: how *seat* ended it.

    After a stop, so many tiles are *won*, and the *rest* are turned face down again.
    """

    seat: Seat
    how: End
    won: int = 0
    rest: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """A game of Cramel."""

    table: Table
    left: Tiles  # on the table, open or face down
    won: tuple[Tiles, ...]  # by seat
    turn: Seat
    turned: frozenset[Piece] = frozenset()  # the tiles that lie open in this turn
    before: Ended | None = None

    @property
    def phase(self) -> Phase:
        """The game is over when no set can be completed any more (RULES 7.1)."""
        sizes = ((kind, self.table.set_size(kind)) for kind in self.left.kinds)
        can_go_on = any(self.left[kind] >= size > 0 for kind, size in sizes)
        return Phase.PLAY if can_go_on else Phase.OVER

    @property
    def open(self) -> Tiles:
        """What the turn holds so far."""
        return Tiles.of(piece.kind for piece in self.turned)

    @property
    def may_move_bloom(self) -> bool:
        """Whether Mrs. Bloom, turned now, may go elsewhere: somewhere is free (RULES 5.2)."""
        return self.table.house.bloom_may_move and self.left.total < self.table.deck.total


# --- beginning -----------------------------------------------------------------------------------


def start(setup: Setup) -> State:
    """Return the state when all tiles are laid out.

    Raises:
        NothingToWin: the deck holds no complete set (RULES 1.6).
        ValueError: the seats, the dealer, an option or a tile is none that Cramel knows.
    """
    check_seats(setup, SEATS)
    check_kinds(setup.deck)
    house = house_rules(HouseRules, OPTIONS, setup.options)
    first = Seat((setup.dealer + 1) % setup.seats)  # RULES 2.3
    table = Table(setup.deck, setup.seats, first, house)
    left = Tiles.of(piece.kind for piece in setup.deck.pieces())
    state = State(table, left, (Tiles(),) * setup.seats, first)
    if state.phase is Phase.OVER:
        raise NothingToWin
    return state


def opening(state: State) -> tuple[Message, ...]:
    """What to tell when the game begins."""
    return (told("lay-out", n=state.left.total), told("turn", Topic.TURN, seat=state.turn))


# --- what the rules accept -----------------------------------------------------------------------


def spots(state: State) -> tuple[str, ...]:
    """Where a tile is read: at the play spot or at the reader of the seat to play."""
    return (PLAY_SPOT, SEAT_SPOTS[state.turn])


def asks(state: State) -> tuple[Ask, ...]:
    """The next tile, and from the first one on, to stop."""
    if state.phase is Phase.OVER:
        return ()
    face_down = (state.left - state.open).kinds
    tile = TapAsk(frozenset(face_down), (state.turn,), spots(state))
    stop = PressAsk(Button.ACTION, "stop")
    may = (tile,) if face_down else ()
    return (*may, stop) if may_stop(state) else may


def may_stop(state: State) -> bool:
    """Whether the turn may end here (RULES 3.4, 3.5)."""
    is_enough = state.table.house.stop_without_set or stop_wins(state).total > 0
    return bool(state.turned) and is_enough


def stop_wins(state: State) -> Tiles:
    """The tiles that stopping now wins: every complete set (RULES 4.2, 4.4, 6.1)."""
    lying = state.open
    return Tiles.of(kind for kind in lying.kinds for _ in range(in_sets(state, kind, lying[kind])))


def in_sets(state: State, kind: str, number: int) -> int:
    """How many of so many tiles of one *kind* are in complete sets that one turn may win."""
    size = state.table.set_size(kind)
    if not size:
        return 0
    sets = number // size
    if kind != CRAMEL and not state.table.house.several_sets:
        sets = min(sets, 1)
    return sets * size


# --- a turn --------------------------------------------------------------------------------------


def step(state: State, given: Input) -> Step[State]:
    """Take the next tile of the turn, or its end."""
    if state.phase is Phase.OVER:
        raise NotExpectedNow(waits=state.phase.value)
    return stop(state) if given == STOP else turn_over(state, tile_of(state, given))


def tile_of(state: State, given: Input) -> Piece:
    """Return the tile of *given*, when it can have been turned over just now (RULES 1.2, 3.3)."""
    piece = tap_of(given, state.turn, spots(state), state.table.deck, state.phase.value).piece
    if piece in state.turned:
        raise AlreadyPlayed(piece=piece)
    if state.open[piece.kind] == state.left[piece.kind]:
        raise NoneLeft(piece=piece)
    return piece


def turn_over(state: State, piece: Piece) -> Step[State]:
    """Turn *piece* over; Mrs. Bloom, or Cramel among others, ends the turn (RULES 5.1, 6.2)."""
    after = replace(state, turned=state.turned | {piece}, before=None)
    if piece.kind == BLOOM:
        return end_turn(state, End.BLOOM, [])
    if 0 < after.open[CRAMEL] < after.open.total:
        return end_turn(state, End.MIXED, [told("turned", piece=piece)])
    wins = stop_wins(after).total
    if wins == stop_wins(state).total:
        return Step(after, (told("turned", piece=piece),))
    code = "single" if state.table.set_size(piece.kind) == 1 else "completes"
    return Step(after, (told(code, Topic.TOTAL, piece=piece, n=wins),))


def end_turn(state: State, how: End, events: list[Message]) -> Step[State]:
    """End the turn with nothing won: every tile is turned face down again (RULES 5.1, 6.2)."""
    seat, turn = state.turn, state.table.seat_after(state.turn)
    after = replace(state, turn=turn, turned=frozenset(), before=Ended(seat, how))
    events = [*events, told(how.value, Topic.RESULT, seat=seat)]
    if how is End.BLOOM and state.may_move_bloom:
        events.append(told("bloom-may-move", seat=seat))
    return Step(after, (*events, told("turn", Topic.TURN, seat=turn)))


def stop(state: State) -> Step[State]:
    """Collect every complete set and turn the other tiles face down again (RULES 3.4, 4.2)."""
    if not state.turned:
        raise NothingTurned(seat=state.turn)
    if not may_stop(state):
        raise NoSetYet(n=len(state.turned))
    seat, turn, wins = state.turn, state.table.seat_after(state.turn), stop_wins(state)
    rest = state.open - wins
    after = replace(
        state,
        left=state.left - wins,
        won=given_to(seat, wins, state.won),
        turn=turn,
        turned=frozenset(),
        before=Ended(seat, End.STOP, wins.total, rest.total),
    )
    events = [told("takes-none", Topic.RESULT, seat=seat)]
    if wins.total:
        events = [told("takes", Topic.RESULT, seat=seat, pieces=wins.pieces)]
    if rest.total:
        events.append(told("face-down", pieces=rest.pieces))
    if after.phase is Phase.OVER:
        return finish(after, events)
    return Step(after, (*events, told("turn", Topic.TURN, seat=turn)))


def given_to(seat: Seat, tiles: Tiles, won: tuple[Tiles, ...]) -> tuple[Tiles, ...]:
    """*won* with *tiles* more for *seat*."""
    return (*won[:seat], won[seat] + tiles, *won[seat + 1 :])


# --- the end -------------------------------------------------------------------------------------


def finish(state: State, events: list[Message]) -> Step[State]:
    """Award the Blooms, then compare (RULES 7.2 to 7.5)."""
    best = most_cramels(state)
    blooms = Tiles.of([BLOOM] * state.left[BLOOM])
    events = [*events, told("nothing-left", Topic.RESULT)]
    if best is None:
        events.append(told("cramels-tied", Topic.RESULT))
    elif blooms.total:
        events.append(told("most-cramels", Topic.RESULT, seat=best, pieces=blooms.pieces))
        state = replace(state, left=state.left - blooms, won=given_to(best, blooms, state.won))
    events += [
        told("total", Topic.RESULT, seat=seat, n=tiles.total)
        for seat, tiles in enumerate(state.won)
    ]
    best_total = max(tiles.total for tiles in state.won)
    wins = (
        told(how_won(state).value, Topic.RESULT, seat=seat, n=best_total) for seat in winners(state)
    )
    return Step(state, (*events, *wins))


def most_cramels(state: State) -> Seat | None:
    """Who alone has the most Cramels; None when several have as many (RULES 7.2)."""
    numbers = [tiles[CRAMEL] for tiles in state.won]
    best = max(numbers)
    return Seat(numbers.index(best)) if numbers.count(best) == 1 else None


class Win(Enum):
    """What decided the game; the value is the code of the message that tells it."""

    TILES = "winner"
    CRAMELS = "winner-by-cramels"
    ORDER = "winner-by-order"
    SHARED = "shared-win"


def with_most(state: State) -> list[Seat]:
    """Who has the most tiles (RULES 7.3), in turn order."""
    best = max(tiles.total for tiles in state.won)
    return [seat for seat in state.table.everyone if state.won[seat].total == best]


def with_most_and_cramels(state: State) -> list[Seat]:
    """Who of these has the most Cramels (RULES 7.4), in turn order."""
    equal = with_most(state)
    best = max(state.won[seat][CRAMEL] for seat in equal)
    return [seat for seat in equal if state.won[seat][CRAMEL] == best]


def winners(state: State) -> tuple[Seat, ...]:
    """Who has won, when the Blooms are awarded (RULES 7.3 to 7.5)."""
    equal = with_most_and_cramels(state)
    return tuple(sorted(equal)) if state.table.house.shared_win else (equal[-1],)


def how_won(state: State) -> Win:
    """What decided the game."""
    if len(with_most(state)) == 1:
        return Win.TILES
    if len(with_most_and_cramels(state)) == 1:
        return Win.CRAMELS
    return Win.SHARED if state.table.house.shared_win else Win.ORDER


# --- taking back ---------------------------------------------------------------------------------


def put_back(before: State, given: Input) -> tuple[Message, ...]:
    """What people move back by hand when *given*, accepted in *before*, is undone (RULES 1.5)."""
    if given == STOP:
        return put_back_stop(before)
    piece = tile_of(before, given)
    moved = [told("turn-down", piece=piece)]
    if before.turned and not turn_over(before, piece).state.turned:
        moved.append(told("turn-up", pieces=before.open.pieces))
    if piece.kind == BLOOM and before.may_move_bloom:
        moved.append(told("bloom-back"))
    return tuple(moved)


def put_back_stop(before: State) -> tuple[Message, ...]:
    """What is moved back when the end of a turn is undone."""
    after, wins = stop(before).state, stop_wins(before)
    rest = before.open - wins
    moved = [
        told("blooms-back", seat=seat, pieces=Tiles.of([BLOOM] * tiles[BLOOM]).pieces)
        for seat, tiles in enumerate(after.won)
        if tiles[BLOOM]
    ]
    if wins.total:
        moved.append(told("give-back", seat=before.turn, pieces=wins.pieces))
    if rest.total:
        moved.append(told("turn-up", pieces=rest.pieces))
    return tuple(moved)
