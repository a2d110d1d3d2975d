"""From tap to pixel, and what a tap costs the processor: the whole program, and the stock way.

Room: sim. Weights of Straw are tapped at random moments. The time of a tap goes from the moment its
tag enters the field to the moment the last byte of the display's RAM has changed. Its CPU time is
that of the turns of the loop that answer it, polls, rules, journal and picture included, less what
the emulated chips took of it.
"""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory

from engines.common.pieces import Piece
from sim.bench.meters import ChipCpu, chip_cpu
from sim.bench.rows import Act, Figures
from sim.bench.straw import GAME, WEIGHTS, OurStraw, StockStraw, StrawTable
from sim.bench.tables import I2C_HZ, insist
from sim.chips.clock import NS_PER_S
from sim.chips.ntag import Ntag
from sim.tags import uid_of

CAMEL = 50  # what the camel bears: no tap is made that would be more
GAP_S = 0.3  # between two taps, at least: no reader is wary of the card before any more
AWAY_S = 2.0  # a card is not laid again sooner: one that lay there so shortly is not gone at once
PHASE_S = 0.4  # the tag comes at any moment of so long: a turn of five stock readers takes as much
ANSWER_S = 1.0  # a tap that has no answer by then was not read
STOCK_SHARE = 20  # of so many of our taps one is tapped at the stock table, whose turns are long
AT_ONE_READER = {"ms median": 20.0, "ms worst": 40.0, "CPU ms": 3.0}


def acts(taps: int, seed: int) -> Iterator[Act]:
    """Taps at tables of one reader and of five, and turns in which nothing happens."""
    for readers in (1, 5):
        for i2c_hz in I2C_HZ:
            is_promised = (readers, i2c_hz) == (1, I2C_HZ[0])
            yield Act(
                f"tap to pixel, {_readers(readers)}, {i2c_hz // 1000} kHz",
                partial(tap_figures, OurStraw, readers, i2c_hz, taps, seed),
                AT_ONE_READER if is_promised else {},
                partial(tap_figures, StockStraw, readers, i2c_hz, stock_taps(taps), seed),
            )
    for readers in (1, 5):
        yield Act(
            f"idle turn, {_readers(readers)}",
            partial(cpu_of_idle_turns, OurStraw, readers, taps),
            stock=partial(cpu_of_idle_turns, StockStraw, readers, stock_taps(taps)),
        )


def stock_taps(taps: int) -> int:
    """How many taps the stock table gets when ours gets *taps*."""
    return max(3, taps // STOCK_SHARE)


@dataclass(frozen=True, slots=True)
class Tap:
    """What one tap took: until the last pixel, and of the processor, without and with the chips."""

    ms: float
    cpu_ms: float
    cpu_and_chips_ms: float


class Tapper:
    """Somebody who taps weights at *table*, one after the other, and takes them back in between."""

    def __init__(self, table: StrawTable, seed: int) -> None:
        self._table = table
        self._chance = Random(seed)
        self._laid: list[tuple[Piece, int]] = []

    def tap(self) -> Tap:
        """Tap a card, and wait until the display shows the new weight.

        Raises:
            MeasuredWrong: the table did not take the card.
        """
        table, clock = self._table, self._table.clock
        piece, value = self._card()
        drawn_ns = table.watch.changed_ns
        self._run(GAP_S)
        insist(table.watch.changed_ns == drawn_ns)  # else the tap before was measured too early
        goal, spot = table.weight + value, self._chance.choice(table.spots)
        tag = Ntag(uid_of(GAME, piece))
        laid_ns = clock.now_ns + self._chance.randrange(round(PHASE_S * NS_PER_S))
        clock.call_at(laid_ns, lambda: table.lay(tag, spot))
        turns = [(0, 0)]
        with chip_cpu() as chips:
            while table.weight != goal:
                insist(clock.now_ns < laid_ns + ANSWER_S * NS_PER_S)
                turns = [self._timed_turn(chips)]
            while self._is_drawing(turns, chips):
                pass
        insist(table.watch.changed_ns > laid_ns)
        table.lift(tag, spot)
        cpu_ns, all_ns = (sum(column) for column in zip(*turns, strict=True))
        return Tap((table.watch.changed_ns - laid_ns) / 1e6, cpu_ns / 1e6, all_ns / 1e6)

    def idle(self, turns: int) -> list[tuple[int, int]]:
        """The CPU time of each of so many turns without a tap, in ns: ours, and with the chips'."""
        with chip_cpu() as chips:
            return [self._timed_turn(chips) for _ in range(turns)]

    def _is_drawing(self, turns: list[tuple[int, int]], chips: ChipCpu) -> bool:
        """Turn once more; whether that changed the picture, so that it belongs to the tap."""
        before_ns = self._table.watch.changed_ns
        took = self._timed_turn(chips)
        is_drawing = self._table.watch.changed_ns != before_ns
        if is_drawing:
            turns.append(took)
        return is_drawing

    def _timed_turn(self, chips: ChipCpu) -> tuple[int, int]:
        began_ns, chips_ns = time.thread_time_ns(), chips.ns
        self._table.turn()
        all_ns = time.thread_time_ns() - began_ns
        return all_ns - (chips.ns - chips_ns), all_ns

    def _card(self) -> tuple[Piece, int]:
        """A card that the camel bears; when there is none left, all are taken back first."""
        weight = self._table.weight
        left = [card for card in WEIGHTS if card not in self._laid]
        if not any(weight + value <= CAMEL for _, value in left):
            self._table.take_back(len(self._laid))
            self._run(AWAY_S)
            left, weight = list(WEIGHTS), 0
            self._laid.clear()
        card = self._chance.choice([card for card in left if weight + card[1] <= CAMEL])
        self._laid.append(card)
        return card

    def _run(self, seconds: float) -> None:
        until_ns = self._table.clock.now_ns + seconds * NS_PER_S
        while self._table.clock.now_ns < until_ns:
            self._table.turn()


Straw = type[OurStraw] | type[StockStraw]


@contextmanager
def _tapping(straw: Straw, readers: int, i2c_hz: int, seed: int) -> Iterator[Tapper]:
    with (
        TemporaryDirectory() as folder,
        closing(straw(readers, i2c_hz, Path(folder))) as table,
    ):
        yield Tapper(table, seed)


def tap_figures(straw: Straw, readers: int, i2c_hz: int, taps: int, seed: int) -> Figures:
    """So many taps at one table; ``CPU ms`` is their median."""
    with _tapping(straw, readers, i2c_hz, seed) as tapper:
        made = [tapper.tap() for _ in range(taps)]
    return {
        "ms median": median(tap.ms for tap in made),
        "ms worst": max(tap.ms for tap in made),
        "CPU ms": median(tap.cpu_ms for tap in made),
        "CPU ms worst": max(tap.cpu_ms for tap in made),
        "CPU + chips": median(tap.cpu_and_chips_ms for tap in made),
    }


def cpu_of_idle_turns(straw: Straw, readers: int, turns: int) -> Figures:
    """The processor's share of turns in which nothing happens: their median."""
    with _tapping(straw, readers, I2C_HZ[0], seed=0) as tapper:
        took = tapper.idle(turns)
    without, both = zip(*took, strict=True)
    return {
        "CPU ms": median(without) / 1e6,
        "CPU + chips": median(both) / 1e6,
    }


def _readers(count: int) -> str:
    return f"{count} reader{'s' * (count > 1)}"
