"""``tapmat bench``: measures every act once and prints the figures as a table or as JSON."""

import json
import logging
import platform
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, TextIO

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from fakepi.physics import POWER_UP_NS
from fakepi.spi import OVERHEAD_NS
from firmware.commands.progress import progress
from firmware.config.table_config import SPI_MHZ
from firmware.runtime.loop import PASS_S
from sim.bench import (
    display,
    engine,
    enrolment,
    places,
    players,
    races,
    readers,
    sound,
    speech,
    taps,
    wear,
)
from sim.bench.rows import Measurement, Row
from sim.bench.tables import GUARD_S, I2C_HZ

Advance = Callable[[str, int], None]  # takes the current act, and the number of new steps done
CPU = "CPU"  # the prefix of units that depend on this machine
TITLE = f"SPI {SPI_MHZ[0]} MHz, {OVERHEAD_NS / 1000:g} us a transfer; virtual time"


@dataclass(frozen=True, slots=True)
class Effort:
    """The options of a run.

    Args:
        taps: the number of taps at each table with our drivers.
        seed: the seed of all random choices.
        has_cpu: True to measure CPU times as well.
    """

    taps: int = 1000
    seed: int = 1
    has_cpu: bool = True

    def measurements(self) -> Iterator[tuple[Measurement, ...]]:
        """Yield all measurements in groups."""
        yield tuple(readers.measurements(self.seed))
        yield tuple(display.measurements())
        yield tuple(taps.measurements(self.taps, self.seed))
        yield tuple(enrolment.measurements(self.taps, self.seed))
        yield tuple(races.measurements(self.taps, taps.stock_taps(self.taps), self.seed))
        yield tuple(sound.measurements(has_cpu=self.has_cpu))
        yield tuple(speech.measurements(has_cpu=self.has_cpu))
        yield tuple(wear.measurements(self.seed))
        yield (*engine.measurements(20 * self.taps, self.seed), *places.measurements(self.seed))
        yield tuple(players.measurements(self.taps // 4, self.seed, has_cpu=self.has_cpu))

    def rows(self, advance: Advance = lambda _doing, _steps: None) -> Iterator[list[Row]]:
        """Measure every act and yield the rows of each group; report progress to *advance*.

        Raises:
            MeasuredWrong: measured code did not do its work.
        """
        for group in self.measurements():
            rows: list[Row] = []
            for act in group:
                advance(act.name, 0)
                rows += act.rows()
                advance(act.name, 1)
            yield [row for row in rows if self.has_cpu or not row.unit.startswith(CPU)]

    @property
    def parameters(self) -> dict[str, Any]:
        """The settings and versions on which the figures depend."""
        return {
            "spi_hz": SPI_MHZ[0] * 1_000_000,
            "spi_us_a_transfer": OVERHEAD_NS / 1000,
            "i2c_hz": list(I2C_HZ),
            "guard_ms": GUARD_S * 1000,
            "tag_wakes_ms": POWER_UP_NS / 1e6,
            "pass_ms": PASS_S * 1000,
            "taps": self.taps,
            "stock_taps": taps.stock_taps(self.taps),
            "seed": self.seed,
            "python": platform.python_version(),
            "machine": platform.machine(),
        }


def run_bench(
    effort: Effort, as_json: bool, out: TextIO | None = None, err: TextIO | None = None
) -> int:
    """Measure everything once and print it to *out*; return 0, or 1 if a figure is over its limit.

    Figures over their limit are also printed to *err*.

    Raises:
        MeasuredWrong: measured code did not do its work, so its figures would mean nothing.
    """
    out, err = out or sys.stdout, err or sys.stderr
    total = sum(map(len, effort.measurements()))
    with _without_warnings(), progress(total, err) as advance:
        groups = list(effort.rows(advance))
    rows = [row for group in groups for row in group]
    if as_json:
        results = [{**asdict(row), "ratio": row.ratio} for row in rows]
        print(json.dumps({"parameters": effort.parameters, "results": results}), file=out)
    else:
        Console(file=out).print(_table(groups))
    broken = [row for row in rows if not row.is_held]
    for row in broken:
        print(
            f"{row.act}: {row.ours:g} {row.unit}, but at most {row.at_most:g} is allowed.", file=err
        )
    return 1 if broken else 0


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Disable warnings during the block, such as the one about a slow I2C bus."""
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
        table.add_column(heading, justify="left" if is_text else "right", no_wrap=not is_text)
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
    """Return *figure* as text. Two decimals are shown if it is below 100 and not whole."""
    return f"{figure:,.0f}" if figure >= 100 or figure == int(figure) else f"{figure:.2f}"
