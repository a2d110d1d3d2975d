"""Measurements of Camargue's engine: a tile's legal places, and encoder steps to reach them."""

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
from firmware.config.table_config import load_config
from firmware.runtime.controller import decks_of
from sim.bench.rows import Figures, MeasuredWrong, Measurement

BOARDS, TIMES = 4, 50
FULL = 75  # tiles on a board that counts as full; the last ones may fit nowhere
MOST_US = 1000  # the limit for all legal places of a tile
ALL = 90  # tiles drawn in a game of two
HALF_A_TURN = 10  # detents in half a turn of an encoder


def measurements(seed: int) -> Iterator[Measurement]:
    """Yield the two measurements of places."""
    yield Measurement(
        "places of a Camargue tile", partial(time_to_find, seed), {"CPU us worst": MOST_US}
    )
    yield Measurement("going to a place", partial(steps_to_places, seed))


def time_to_find(seed: int) -> Figures:
    """Return the CPU time in us to find a tile's legal places on a full board.

    It is the time of the slowest kind of tile.

    Raises:
        MeasuredWrong: no board became full.
    """
    boards = [last_of(random_boards(seed + n, is_greedy=bool(n % 2))) for n in range(BOARDS)]
    board = max(boards, key=lambda state: len(state.board.laid))
    if len(board.board.laid) < FULL:
        laid = len(board.board.laid)
        raise MeasuredWrong(f"the fullest of {BOARDS} boards has {laid} tiles, not {FULL}")
    pieces = {Piece(kind) for kind in board.config.box.tiles}
    return {"CPU us worst": max(_microseconds(board, piece) for piece in pieces)}


def steps_to_places(seed: int) -> Figures:
    """Return the encoder steps (detents) from the first place on offer to the farthest one.

    The figures are the median and the maximum over all tiles of a few games, and the percentage
    of tiles for which 10 steps (half a turn of an encoder) are enough.
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
    """Return the sorted landscape tiles that are not on the board."""
    kinds, tiles = state.config.drawable, state.played.landscapes
    left = (piece for kind in tiles for piece in kinds[kind] - state.played.pieces)
    return sorted(left)


def random_boards(seed: int, *, is_greedy: bool) -> Iterator[State]:
    """Yield the states of a game in which tiles are placed at random, or for most points.

    Hands hold all tiles, there are no helpers, and tiles that fit nowhere are tried again later.
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
    """Return the last of *states*."""
    *_, last = states
    return last


def _microseconds(state: State, piece: Piece) -> float:
    """Return the CPU time in us to find the places of *piece*, the best of three rounds."""
    rounds = []
    for _ in range(3):
        began_ns = time.thread_time_ns()
        for _ in range(TIMES):
            sites(state, piece)
        rounds.append((time.thread_time_ns() - began_ns) / TIMES / 1000)
    return min(rounds)
