"""The lessons of Camargue matter only in states in which they are true and their rules are needed.

``CHECKS`` has a function for the code of each lesson, written from RULES.md.
"""

from collections.abc import Iterator, Mapping

from engines.camargue import GAME
from engines.camargue.state import State
from engines.camargue.tiles import letters_of
from engines.common.contract import (
    Button,
    Choice,
    Input,
    PlaceAsk,
    PlaceChoice,
    Press,
    Seat,
    Tap,
    TapAsk,
)
from engines.common.errors import RulesError
from engines.common.grid import SIDES, Place
from engines.common.lessons import Moment
from engines.common.pieces import Piece
from tests.engines.contract import Case
from tests.engines.lessons import Check, Checks, check_lessons

ACTION = Press(Button.ACTION)
ACROSS = {"n": "s", "s": "n", "e": "w", "w": "e"}
GAMES = 24  # played at full effort


def turned_down(state: State, given: Input) -> str:
    """Return the rule by which *state* refuses *given*; "" if it accepts it."""
    try:
        GAME.step(state, given)
    except RulesError as error:
        return error.rule.removeprefix("RULES ")
    return ""


def growth(moment: Moment, name: str) -> int:
    """Return how much the count *name* has grown in this step."""
    return moment.view.counts[name] - GAME.view(moment.before).counts[name]


# --- the board -----------------------------------------------------------------------------------


def paths(state: State) -> dict[Place, str]:
    """Return the sides with a path of each tile on the board, as letters."""
    return {laid.place: letters_of(laid.tile.paths) for laid in state.board.laid}


def touched(state: State, place: Place) -> dict[str, bool]:
    """Return the sides of *place* with a neighbour: True if the neighbour has a path there."""
    board = paths(state)
    sides = {side: place.beside(side) for side in SIDES}
    return {side: ACROSS[side] in board[at] for side, at in sides.items() if at in board}


def beside_board(state: State) -> set[Place]:
    """Return the empty places that touch a tile."""
    board = paths(state)
    return {at.beside(side) for at in board for side in SIDES} - set(board)


def fits(state: State, kind: str) -> bool:
    """Return True if a landscape tile of *kind* fits somewhere (RULES 4.4, 4.5)."""
    mine = letters_of(state.config.box.tiles[kind].paths)
    is_strict = state.house.no_dead_ends

    def suits(edges: dict[str, bool]) -> bool:
        cut = any(leads and side not in mine for side, leads in edges.items())
        dead = any(not leads and side in mine for side, leads in edges.items())
        return any(edges.values()) and not cut and not (is_strict and dead)

    return any(suits(touched(state, place)) for place in beside_board(state))


def area_of_last(state: State) -> int:
    """Return the number of tiles of one landscape that are connected with the tile laid last."""
    lands = {laid.place: laid.tile.landscape for laid in state.board.laid}
    last = state.board.laid[-1].place
    found, rest = {last}, [last]
    while rest:
        at = rest.pop()
        for near in map(at.beside, SIDES):
            if lands.get(near) == lands[last] and near not in found:
                found.add(near)
                rest.append(near)
    return len(found)


def edges_of_last(state: State) -> int:
    """Return the number of edges at which the tile laid last touches others (RULES 5.3)."""
    last = state.board.laid[-1].place
    near = {last.beside(side) for side in SIDES} & set(paths(state))
    return len(near - (set() if state.house.start_counts else {Place(0, 0)}))


def is_area_times_edges(moment: Moment) -> bool:
    """RULES 5.1, 5.2: the points are the area times the edges."""
    before, state = moment.before, moment.state
    points: int = state.scores[before.turn] - before.scores[before.turn]
    return points == area_of_last(state) * edges_of_last(state)


def touches_several(moment: Moment) -> bool:
    """RULES 5.3: several edges count, and one at the start tile is no exception."""
    last = moment.state.board.laid[-1].place
    return edges_of_last(moment.state) == len(touched(moment.state, last)) > 1


def is_placing(moment: Moment) -> bool:
    """RULES 4.1: a landscape tile waits for its place."""
    kind = moment.state.waiting.kind
    is_asked = any(isinstance(ask, PlaceAsk) for ask in GAME.asks(moment.state))
    return is_asked and kind not in ("emergency", "start")


def is_a_place_refused(moment: Moment, rule: str) -> bool:
    """Return True if *rule* forbids some place for the waiting tile."""
    state = moment.state
    return any(turned_down(state, PlaceChoice(at)) == rule for at in beside_board(state))


# --- tiles and helpers that may still be in a hand -----------------------------------------------


def unplayed(state: State) -> Iterator[Piece]:
    """Yield the pieces that were neither laid, used nor shown; without emergency tiles."""
    out = {laid.piece for laid in state.board.laid} | state.played.pieces | state.shown
    tiles = (piece for piece in state.config.deck.pieces() if piece not in out)
    return (piece for piece in tiles if piece.kind not in ("start", "emergency"))


def helpers(state: State) -> list[Piece]:
    """Return the helpers that may still be in a hand."""
    return [piece for piece in unplayed(state) if piece.kind.startswith("helper-")]


def landscapes(state: State) -> list[Piece]:
    """Return the landscape tiles that may still be in a hand."""
    return [piece for piece in unplayed(state) if not piece.kind.startswith("helper-")]


def gained(state: State, seat: int, piece: Piece, use: str) -> int:
    """Return the points for *seat* from the helper *piece*, used in one way; 0 if refused."""
    tap = Tap(piece, f"seat-{seat + 1}", Seat(seat))
    if turned_down(state, tap):
        return 0
    after = GAME.step(state, tap).state
    if GAME.view(after).phase == "copy-or-turn":
        after = GAME.step(after, Choice(use)).state
    return after.scores[seat] - state.scores[seat]


def copiers(moment: Moment) -> list[int]:
    """Return the players who can get the same points with some helper (RULES 6.3)."""
    before, state = moment.before, moment.state
    points = state.scores[before.turn] - before.scores[before.turn]
    land = state.board.laid[-1].tile.landscape
    matching = [piece for piece in helpers(state) if land in piece.kind.split("-")]
    others = [seat for seat in range(len(state.scores)) if seat != before.turn]
    return [s for s in others if any(gained(state, s, p, "copy") == points for p in matching)]


def copies_with_few(moment: Moment) -> bool:
    """RULES 6.7: a player with one or two tiles can copy."""
    return any(moment.state.hands[seat] < 3 for seat in copiers(moment))


def can_discard(moment: Moment) -> bool:
    """RULES 6.1: the current player gets ten points for some helper."""
    state = moment.state
    return any(gained(state, state.turn, piece, "turn") == 10 for piece in helpers(state))


def has_copied(moment: Moment) -> bool:
    """RULES 6.5: a helper was laid in front, and the piles last until it is put aside."""
    counts, seats = moment.view.counts, len(moment.view.scores)
    new = [n for n in range(1, seats + 1) if growth(moment, f"front-{n}") == 1]
    return len(new) == 1 and counts["pile"] >= seats


def fits_nowhere(moment: Moment) -> bool:
    """RULES 4.6: some tile that may be in the hand is refused everywhere."""
    state = moment.state
    at = f"seat-{state.turn + 1}"
    taps = (
        Tap(piece, at, state.turn) for piece in landscapes(state) if not fits(state, piece.kind)
    )
    return any(turned_down(state, tap) == "4.6" for tap in taps)


# --- nothing fits --------------------------------------------------------------------------------


def suits_emergency(state: State, place: Place) -> bool:
    """RULES 7.6: *place* touches one tile only, which has no path there."""
    edges = touched(state, place)
    blank = {*"nesw"} - {*letters_of(state.config.box.tiles["emergency"].paths)}
    is_turned_right = state.house.turn_emergency or set(edges) == blank
    return len(edges) == 1 and not any(edges.values()) and is_turned_right


def begins_claim(moment: Moment) -> bool:
    """RULES 7.1, 7.8: the whole hand is to be shown, and an emergency tile can be laid."""
    state = moment.state
    is_place = any(suits_emergency(state, at) for at in beside_board(state))
    is_whole = moment.view.headline == str(state.hands[state.turn])
    return moment.given == ACTION and is_whole and is_place and moment.view.counts["emergency"] > 0


def is_helper_no_emergency(moment: Moment) -> bool:
    """RULES 7.4: the player has to show more, and a helper would be refused."""
    state = moment.state
    at = f"seat-{state.turn + 1}"
    rules = {turned_down(state, Tap(piece, at, state.turn)) for piece in helpers(state)}
    return moment.view.phase == "claim" and rules == {"7.4"}


def may_refute(moment: Moment) -> bool:
    """RULES 7.3: the player has to show more, and it may fit."""
    state = moment.state
    may_show = (p for p in landscapes(state) if not state.known or p in state.known)
    return moment.view.phase == "claim" and any(fits(state, piece.kind) for piece in may_show)


def has_proved(moment: Moment) -> bool:
    """RULES 7.5: the whole hand was shown, and nothing fits."""
    state = moment.state
    is_whole = len(state.known) == state.hands[state.turn]
    return is_whole and not any(fits(state, piece.kind) for piece in state.known)


def stays_open(moment: Moment) -> bool:
    """RULES 7.6: an emergency tile waits, and each place offered touches one tile only."""
    state = moment.state
    asked = next(ask for ask in GAME.asks(state) if isinstance(ask, PlaceAsk))
    is_emergency = state.waiting.kind == "emergency"
    return is_emergency and all(suits_emergency(state, offer.place) for offer in asked.offers)


def plays_on_with_shown_tiles(moment: Moment) -> bool:
    """RULES 7.9: an emergency tile was laid, and only tiles that were shown are asked for."""
    state = moment.state
    taps = [ask for ask in GAME.asks(state) if isinstance(ask, TapAsk)]
    hand = {piece.kind for piece in state.known}
    are_shown = all(ask.seats == (state.turn,) and ask.kinds <= hand for ask in taps)
    return state.board.laid[-1].piece.kind == "emergency" and bool(taps) and are_shown


EACH: Mapping[str, Check] = {
    "rules.end": lambda m: m.view.counts["pile"] == 0 > growth(m, "pile") and any(m.state.hands),
    "rules.7.9": plays_on_with_shown_tiles,
    "lesson.open": stays_open,
    "does.emergency": has_proved,
    "lesson.claim": begins_claim,
    "rules.7.4": is_helper_no_emergency,
    "rules.7.3": may_refute,
    "rules.6.5": has_copied,
    "rules.6.7": copies_with_few,
    "lesson.score": is_area_times_edges,
    "lesson.copy": lambda m: bool(copiers(m)),
    "rules.6.4": lambda m: bool(copiers(m)),
    "rules.5.3": touches_several,
    "lesson.nowhere": fits_nowhere,
    "rules.6.1": can_discard,
    "lesson.emblem": is_placing,
    "lesson.match": lambda m: m.state.house.no_dead_ends and is_a_place_refused(m, "4.4"),
    "rules.4.5": lambda m: is_a_place_refused(m, "4.5"),
}
CHECKS = Checks(GAME, EACH)


def test_each_lesson_matters_only_when_it_is_true_and_needed() -> None:
    check_lessons(CHECKS, GAMES)


def test_a_game_begins_with_as_many_tiles_as_the_lesson_says() -> None:
    case = Case(GAME)
    for seats in GAME.seats:
        assert GAME.view(GAME.start(case.setup(seats))).counts["hand-1"] == 3
