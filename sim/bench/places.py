"""How fast the places of a tile are found on a full board, and how far the controls go to them.

Room: sim. Camargue's engine alone, without table or chips.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from random import Random
from statistics import median

from engines.camargue import GAME
from engines.camargue.places import place_ask, sites
from engines.camargue.state import State
from engines.common.contract import PlaceChoice, Seat, Setup, Tap
from engines.common.pieces import Piece
from firmware.config import load_config
from firmware.controller import decks_of
from sim.bench.rows import Act, Figures, MeasuredWrong

BOARDS, TIMES = 4, 50
FULL = 75  # tiles at least on a board that counts as full: the last ones may fit nowhere
MOST_US = 1000  # for the legal places of a tile, with area and edges of each
ALL = 90  # tiles that are drawn in a game of two
HALF_A_TURN = 10  # detents of an encoder


def acts(seed: int) -> Iterator[Act]:
    """Finding places, and going to them."""
    yield Act("places of a Camargue tile", partial(finding, seed), {"CPU us worst": MOST_US})
    yield Act("going to a place", partial(going, seed))


def finding(seed: int) -> Figures:
    """The slowest kind of tile on a full board: its legal places, and the points of each.

    Raises:
        MeasuredWrong: no board became full.
    """
    boards = [last_of(random_boards(seed + n, is_greedy=bool(n % 2))) for n in range(BOARDS)]
    board = max(boards, key=lambda state: len(state.board.laid))
    if len(board.board.laid) < FULL:
        raise MeasuredWrong(f"the fullest of {BOARDS} boards has {len(board.board.laid)} tiles")
    pieces = {Piece(kind) for kind in board.table.box.tiles}
    return {"CPU us worst": max(_microseconds(board, piece) for piece in pieces)}


def going(seed: int) -> Figures:
    """How far the farthest place is from where the controls begin, for every tile of a few games.

    The part within 10, half a turn of an encoder, is shown beside it.
    """
    ways = [
        max(ask.start, len(ask.offers) - 1 - ask.start)
        for n in range(BOARDS)
        for state in random_boards(seed + n, is_greedy=bool(n % 2))
        for piece in {Piece(piece.kind) for piece in still_to_come(state)}
        if sites(state, piece)
        for ask in (place_ask(state, piece),)
    ]
    near = sum(way <= HALF_A_TURN for way in ways)
    return {
        "detents": median(ways),
        "detents worst": max(ways),
        "% within 10": 100 * near / len(ways),
    }


def still_to_come(state: State) -> list[Piece]:
    """The landscape tiles that are not on the board, in order."""
    return sorted(piece for piece in state.unseen if piece.kind not in state.table.box.helpers)


def random_boards(seed: int, *, is_greedy: bool) -> Iterator[State]:
    """The states of a game in which tile after tile is placed, at random or where it scores most.

    Hands hold all tiles, helpers are left out, and a tile that fits nowhere waits until it does.
    """
    chance, deck = Random(seed), decks_of(load_config())[GAME.name]
    state = replace(GAME.start(Setup(2, Seat(0), deck)), hands=(ALL, ALL))
    waiting = still_to_come(state)
    chance.shuffle(waiting)
    while True:
        yield state
        piece = next((piece for piece in waiting if sites(state, piece)), None)
        if piece is None:
            return
        waiting.remove(piece)
        found = sites(state, piece)
        best = max(site.points for site in found)
        site = chance.choice([s for s in found if not is_greedy or s.points == best])
        state = GAME.step(state, Tap(piece)).state
        state = GAME.step(state, PlaceChoice(site.place)).state


def last_of(states: Iterator[State]) -> State:
    """The last of *states*."""
    *_, last = states
    return last


def _microseconds(state: State, piece: Piece) -> float:
    """The thread's own time for the places of *piece*, the best of three rounds."""
    rounds = []
    for _ in range(3):
        began_ns = time.thread_time_ns()
        for _ in range(TIMES):
            sites(state, piece)
        rounds.append((time.thread_time_ns() - began_ns) / TIMES / 1000)
    return min(rounds)
