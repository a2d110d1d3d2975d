"""Measurements of taps: time from tap to pixel, and CPU time, of ours and the stock libraries.

Weights of Straw are tapped at random moments. The time of a tap is from its tag's entry into the
field to the change of the last byte in the display's RAM. Its CPU time is that of the loop's passes
that answer it (polls, rules, journal and picture) without the time of the emulated chips.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory

from engines.common.pieces import Piece
from fakepi.clock import NS_PER_S
from fakepi.ntag import Ntag
from sim.bench.meters import ChipCpu, chip_cpu
from sim.bench.readers import FAST_MHZ
from sim.bench.rows import Figures, Measurement
from sim.bench.straw import GAME, WEIGHTS, OurStraw, StockStraw, StrawTable
from sim.bench.tables import I2C_HZ, insist
from sim.mat.tags import uid_of

CAMEL = 50  # the camel's limit, which no tap exceeds
GAP_S = 0.3  # at least, between two taps: readers no longer look for the last card
AWAY_S = 2.0  # before a card is laid again, so that the table has noticed that it left
PHASE_S = 0.4  # the tag comes at a random moment of this period, a pass of five stock readers
ANSWER_S = 1.0  # a tap without an answer by then was not read
STOCK_SHARE = 20  # the stock table gets one tap in 20, because its passes are long
AT_ONE_READER = {"ms median": 20.0, "ms worst": 40.0, "CPU ms": 3.0}
AT_FAST_SPI = {"ms median": 18.0, "ms worst": 36.0}


def measurements(taps: int, seed: int) -> Iterator[Measurement]:
    """Yield the measurements of taps and of idle passes, with one reader and with five."""
    for readers in (1, 5):
        for i2c_hz in I2C_HZ:
            is_promised = (readers, i2c_hz) == (1, I2C_HZ[0])
            yield Measurement(
                f"tap to pixel, {_readers(readers)}, {i2c_hz // 1000} kHz",
                partial(tap_figures, OurStraw, readers, i2c_hz, taps, seed),
                AT_ONE_READER if is_promised else {},
                partial(tap_figures, StockStraw, readers, i2c_hz, stock_taps(taps), seed),
            )
    yield Measurement(
        f"tap to pixel, SPI at {FAST_MHZ} MHz",
        partial(tap_figures, partial(OurStraw, spi_mhz=FAST_MHZ), 1, I2C_HZ[0], taps, seed),
        AT_FAST_SPI,
    )
    for readers in (1, 5):
        yield Measurement(
            f"idle pass, {_readers(readers)}",
            partial(cpu_of_idle_passes, OurStraw, readers, taps),
            stock=partial(cpu_of_idle_passes, StockStraw, readers, stock_taps(taps)),
        )


def stock_taps(taps: int) -> int:
    """Return the number of taps at the stock libraries' table if ours gets *taps*."""
    return max(3, taps // STOCK_SHARE)


@dataclass(frozen=True, slots=True)
class TapCost:
    """The cost of one tap: ms to the last pixel, and CPU ms without and with the chips' time."""

    ms: float
    cpu_ms: float
    cpu_and_chips_ms: float


class Tapper:
    """A player who taps weights at *table*, and undoes them when the camel is full."""

    def __init__(self, table: StrawTable, seed: int) -> None:
        self._table = table
        self._chance = Random(seed)
        self._laid: list[tuple[Piece, int]] = []

    def tap(self) -> TapCost:
        """Tap a card, wait until the display shows the new weight, and return the cost.

        Raises:
            MeasuredWrong: the table did not accept the card.
        """
        table, clock = self._table, self._table.clock
        piece, value = self._card()
        drawn_ns = table.watch.changed_ns
        self._run(GAP_S)
        insist(table.watch.changed_ns == drawn_ns)  # otherwise the last tap was measured too early
        goal, spot = table.weight + value, self._chance.choice(table.spots)
        tag = Ntag(uid_of(GAME, piece))
        laid_ns = clock.now_ns + self._chance.randrange(round(PHASE_S * NS_PER_S))
        clock.call_at(laid_ns, lambda: table.lay(tag, spot))
        passes = [(0, 0)]
        with chip_cpu() as chips:
            while table.weight != goal:
                insist(clock.now_ns < laid_ns + ANSWER_S * NS_PER_S)
                passes = [self._timed_pass(chips)]
            while self._is_drawing(passes, chips):
                pass
        insist(table.watch.changed_ns > laid_ns)
        table.lift(tag, spot)
        cpu_ns, all_ns = (sum(column) for column in zip(*passes, strict=True))
        return TapCost((table.watch.changed_ns - laid_ns) / 1e6, cpu_ns / 1e6, all_ns / 1e6)

    def idle(self, passes: int) -> list[tuple[int, int]]:
        """Return the CPU ns of each of *passes* idle passes, without and with the chips' time."""
        with chip_cpu() as chips:
            return [self._timed_pass(chips) for _ in range(passes)]

    def _is_drawing(self, passes: list[tuple[int, int]], chips: ChipCpu) -> bool:
        """Run another pass of the loop; return True if it changed the picture.

        In that case, add its CPU times (ns, without and with the chips' time) to *passes*.
        """
        before_ns = self._table.watch.changed_ns
        took = self._timed_pass(chips)
        is_drawing = self._table.watch.changed_ns != before_ns
        if is_drawing:
            passes.append(took)
        return is_drawing

    def _timed_pass(self, chips: ChipCpu) -> tuple[int, int]:
        began_ns, chips_ns = time.thread_time_ns(), chips.ns
        self._table.step()
        all_ns = time.thread_time_ns() - began_ns
        return all_ns - (chips.ns - chips_ns), all_ns

    def _card(self) -> tuple[Piece, int]:
        """Return a random card within the camel's limit; if there is none, undo all plays first."""
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
            self._table.step()


Straw = Callable[[int, int, Path], StrawTable]  # readers, I2C clock rate in hertz, state folder


@contextmanager
def _tapping(straw: Straw, readers: int, i2c_hz: int, seed: int) -> Iterator[Tapper]:
    with (
        TemporaryDirectory() as folder,
        closing(straw(readers, i2c_hz, Path(folder))) as table,
    ):
        yield Tapper(table, seed)


def tap_figures(straw: Straw, readers: int, i2c_hz: int, taps: int, seed: int) -> Figures:
    """Make *taps* taps at a new table of the kind *straw*; return medians and maxima of their cost.

    The table has *readers* readers and a display bus of *i2c_hz*.
    """
    with _tapping(straw, readers, i2c_hz, seed) as tapper:
        made = [tapper.tap() for _ in range(taps)]
    return {
        "ms median": median(tap.ms for tap in made),
        "ms worst": max(tap.ms for tap in made),
        "CPU ms": median(tap.cpu_ms for tap in made),
        "CPU ms worst": max(tap.cpu_ms for tap in made),
        "CPU + chips": median(tap.cpu_and_chips_ms for tap in made),
    }


def cpu_of_idle_passes(straw: Straw, readers: int, passes: int) -> Figures:
    """Return the median CPU ms of idle passes, without and with the emulated chips' time."""
    with _tapping(straw, readers, I2C_HZ[0], seed=0) as tapper:
        took = tapper.idle(passes)
    without, both = zip(*took, strict=True)
    return {
        "CPU ms": median(without) / 1e6,
        "CPU + chips": median(both) / 1e6,
    }


def _readers(count: int) -> str:
    return f"{count} reader{'s' * (count > 1)}"
