"""Prints how fast places are found in Camargue, and how far the controls go to them.

``.venv/bin/python -m tests.engines.measure_camargue --games 300``
"""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from random import Random

from engines.camargue import GAME
from engines.camargue.places import place_ask, sites
from engines.camargue.state import Phase, State
from engines.camargue.tiles import EMERGENCY, START
from engines.common.contract import PlaceAsk, PlaceChoice, Seat, Setup, Tap
from engines.common.grid import Place
from engines.common.pieces import Piece
from tests.engines.camargue_table import CASE

HALF_A_TURN = 10  # detents


def landscape_tiles(state: State, chance: Random) -> list[Piece]:
    """The landscape tiles that are still to come, shuffled."""
    pieces = sorted(p for p in state.unseen if p.kind not in state.table.box.helpers)
    chance.shuffle(pieces)
    return pieces


def random_boards(seed: int, *, is_greedy: bool) -> Iterator[State]:
    """The states of a game in which tile after tile is placed, at random or where it scores most.

    Helpers are left out, and a tile that fits nowhere waits until one does.
    """
    chance = Random(seed)
    state = GAME.start(Setup(2, Seat(0), CASE.deck))
    state = replace(state, hands=(90, 90))
    waiting = landscape_tiles(state, chance)
    while waiting:
        yield state
        for piece in waiting:
            if found := sites(state, piece):
                break
        else:
            return
        waiting.remove(piece)
        best = max(site.points for site in found)
        site = chance.choice([s for s in found if not is_greedy or s.points == best])
        state = GAME.step(state, Tap(piece)).state
        state = GAME.step(state, PlaceChoice(site.place)).state
    yield state


def full_board(seed: int) -> State:
    """The last state of such a game: with all 80 landscape tiles, or nearly all, on the board."""
    *_, last = random_boards(seed, is_greedy=False)
    return last


def microseconds(call: Callable[[], object], times: int = 200) -> float:
    """How much processor time *call* takes, the best of five."""
    best = float("inf")
    for _ in range(5):
        began_ns = time.thread_time_ns()
        for _ in range(times):
            call()
        best = min(best, (time.thread_time_ns() - began_ns) / times / 1000)
    return best


def speeds(state: State) -> dict[str, float]:
    """Microseconds of what a player waits for in *state*; of 55 kinds of tile the slowest."""
    kinds = [kind.name for kind in CASE.deck.kinds if kind.name in state.table.box.tiles]
    pieces = [Piece(kind) for kind in kinds if kind not in (START, EMERGENCY)]
    placing = [
        replace(state, phase=Phase.PLACE, waiting=piece) for piece in pieces if sites(state, piece)
    ]
    choices = [(now, PlaceChoice(first_place(now))) for now in placing]
    unplayed = replace(state, played=frozenset())
    return {
        "legal places, area and edges": max(
            microseconds(partial(sites, state, piece)) for piece in pieces
        ),
        "what is asked for a place": max(microseconds(partial(GAME.asks, now)) for now in placing),
        "placing a tile": max(microseconds(partial(GAME.step, *choice)) for choice in choices),
        "what is asked for a tile": microseconds(partial(GAME.asks, unplayed)),
        "the view": microseconds(partial(GAME.view, state)),
    }


def first_place(state: State) -> Place:
    """The first place that is offered."""
    (ask,) = GAME.asks(state)
    assert isinstance(ask, PlaceAsk)
    return ask.offers[0].place


def distances(games: int) -> Iterator[tuple[int, int]]:
    """For every tile that could be tapped in so many games: how many places, how far at most."""
    for seed in range(games):
        for state in random_boards(seed, is_greedy=bool(seed % 2)):
            kinds = {piece.kind for piece in landscape_tiles(state, Random(0))}
            for kind in sorted(kinds):
                if sites(state, Piece(kind)):
                    ask = place_ask(state, Piece(kind))
                    n = len(ask.offers)
                    yield n, max(ask.start, n - 1 - ask.start)


def share(values: list[int], percent: int) -> int:
    """The value that so many percent of sorted *values* do not pass."""
    return values[percent * (len(values) - 1) // 100]


def main() -> None:
    """Print it all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100)
    games = parser.parse_args().games
    state = full_board(seed=1)
    print(f"{len(state.board.laid)} tiles on the board")
    for what, took_us in speeds(state).items():
        print(f"{what:30} {took_us:8.1f} us")
    places, steps = (sorted(numbers) for numbers in zip(*distances(games), strict=True))
    for what, numbers in ("places", places), ("steps to the farthest", steps):
        half, most, nearly = (share(numbers, percent) for percent in (50, 95, 99))
        print(f"{what:30} median {half}, 95 % {most}, 99 % {nearly}, at most {numbers[-1]}")
    near = sum(number <= HALF_A_TURN for number in steps) / len(steps)
    print(f"within half a turn of the encoder: {near:.2%} of {len(steps)} tiles")


if __name__ == "__main__":
    main()
