"""``tapmat bench``: measures every act once and prints it, for people or for programs.

Room: sim.
"""

import json
import logging
import platform
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, TextIO

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from firmware.loop import TURN_S
from firmware.wiring import SPI_HZ
from sim.bench import display, engine, enrolment, places, races, readers, sound, speech, taps, wear
from sim.bench.rows import Act, Row
from sim.bench.tables import GUARD_S, I2C_HZ
from sim.chips.field import POWER_UP_NS
from sim.chips.spi import OVERHEAD_NS

CPU = "CPU"  # what the unit of a figure begins with that hangs on this machine
TITLE = f"SPI {SPI_HZ / 1e6:g} MHz, {OVERHEAD_NS / 1000:g} us a transfer; virtual time"


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured: *taps* at each of our tables; *seed* draws what is left to chance."""

    taps: int = 1000
    seed: int = 1
    has_cpu: bool = True

    def acts(self) -> Iterator[tuple[Act, ...]]:
        """Every act, in groups."""
        yield tuple(readers.acts(self.seed))
        yield tuple(display.acts())
        yield tuple(taps.acts(self.taps, self.seed))
        yield tuple(enrolment.acts(self.taps, self.seed))
        yield tuple(races.acts(self.taps, taps.stock_taps(self.taps), self.seed))
        yield tuple(sound.acts(has_cpu=self.has_cpu))
        yield tuple(speech.acts(has_cpu=self.has_cpu))
        yield tuple(wear.acts(self.seed))
        yield (*engine.acts(20 * self.taps, self.seed), *places.acts(self.seed))

    def rows(self) -> Iterator[list[Row]]:
        """What is measured, in groups.

        Raises:
            MeasuredWrong: something did not do its work.
        """
        for group in self.acts():
            rows = [row for act in group for row in act.rows()]
            yield [row for row in rows if self.has_cpu or not row.unit.startswith(CPU)]

    @property
    def parameters(self) -> dict[str, Any]:
        """Everything that the figures hang on."""
        return {
            "spi_hz": SPI_HZ,
            "spi_us_a_transfer": OVERHEAD_NS / 1000,
            "i2c_hz": list(I2C_HZ),
            "guard_ms": GUARD_S * 1000,
            "tag_wakes_ms": POWER_UP_NS / 1e6,
            "turn_ms": TURN_S * 1000,
            "taps": self.taps,
            "stock_taps": taps.stock_taps(self.taps),
            "seed": self.seed,
            "python": platform.python_version(),
            "machine": platform.machine(),
        }


def run_bench(
    effort: Effort, as_json: bool, out: TextIO | None = None, err: TextIO | None = None
) -> int:
    """Measure everything once and print it; exits with 0, or 1 when a bound is not held.

    Which bound that is goes to *err*.

    Raises:
        MeasuredWrong: something did not do its work, so that its figures would mean nothing.
    """
    out, err = out or sys.stdout, err or sys.stderr
    with _warnings_off():
        groups = list(effort.rows())
    rows = [row for group in groups for row in group]
    if as_json:
        results = [{**asdict(row), "ratio": row.ratio} for row in rows]
        print(json.dumps({"parameters": effort.parameters, "results": results}), file=out)
    else:
        Console(file=out).print(_table(groups))
    broken = [row for row in rows if not row.is_held]
    for row in broken:
        print(f"{row.act}: {row.ours:g} {row.unit}; it may be {row.at_most:g} at most.", file=err)
    return 1 if broken else 0


@contextmanager
def _warnings_off() -> Iterator[None]:
    """Keep the tables that are measured from telling what is odd about them: a slow I2C bus."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


def _table(groups: Iterable[list[Row]]) -> Table:
    table = Table(title=TITLE, box=SIMPLE, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in ("act", "unit", "ours", "at most", "stock", "ratio"):
        is_text = heading in ("act", "unit")
        table.add_column(heading, justify="left" if is_text else "right", no_wrap=True)
    for rows in groups:
        act = ""
        for row in rows:
            table.add_row(row.act if row.act != act else "", *_cells(row))
            act = row.act
        table.add_section()
    return table


def _cells(row: Row) -> Iterator[str]:
    yield row.unit
    yield _text(row.ours)
    yield "" if row.at_most is None else _text(row.at_most)
    without = "cannot" if row.cannot else ""
    yield without if row.stock is None else _text(row.stock)
    yield "" if row.ratio is None else f"{row.ratio:.{1 if row.ratio < 10 else 0}f} x"


def _text(figure: float) -> str:
    """*figure* as people read it: to a hundredth below 100 unless it is whole, else whole."""
    return f"{figure:,.0f}" if figure >= 100 or figure == int(figure) else f"{figure:.2f}"
