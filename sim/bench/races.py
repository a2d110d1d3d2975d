"""Measure if two taps on two readers, a few milliseconds apart, are reported in the right order."""

from collections.abc import Iterator
from functools import partial
from random import Random

from fakepi.clock import NS_PER_S
from fakepi.ntag import Ntag
from firmware.config.table_config import load_config
from sim.bench.rows import Figures, Measurement
from sim.bench.tables import StockTable, insist
from sim.people.race import APART_S, Track, with_seats

SEATS = 2  # readers in a race; the table also has a play reader
STOCK_SWEEPS = 4  # both tags must be read within that many sweeps
STOCK_PHASES_S = 0.4  # longer than a sweep of the stock library


def measurements(races: int, stock_races: int, seed: int) -> Iterator[Measurement]:
    """Yield two measurements of races: with all RF fields on, and with one on at a time."""
    for in_turn in (False, True):
        fields = "in turn" if in_turn else "all on"
        at_most = {"% wrong": 0.0} if in_turn else {"% wrong": 0.0, "% asked": 0.0}
        yield Measurement(
            f"race, {APART_S * 1000:g} ms, fields {fields}",
            partial(run_races, races, seed, in_turn=in_turn),
            at_most,
            partial(run_stock_races, stock_races, seed),
        )


def run_races(races: int, seed: int, *, in_turn: bool) -> Figures:
    """Return the percentages of races in the wrong order, and of those where the table must ask.

    If *in_turn*, only one reader's field is on at a time.
    """
    config = with_seats(load_config(), SEATS, in_turn=in_turn)
    chance = Random(seed)
    with Track(config, [reader.spot for reader in config.readers[1:]]) as track:
        run = [track.race_once(chance) for _ in range(races)]
    asked = sum(race.is_open for race in run)
    right = sum(race.is_right for race in run)
    return {"% wrong": 100 * (races - right - asked) / races, "% asked": 100 * asked / races}


def run_stock_races(races: int, seed: int) -> Figures:
    """Return the percentage of races in which the stock library reads the second tap first."""
    chance = Random(seed)
    right = sum(_stock_race(chance) for _ in range(races))
    return {"% wrong": 100 * (races - right) / races}


def _stock_race(chance: Random) -> bool:
    """Run one race; return True if the reader that was tapped first also read first."""
    table = StockTable(SEATS)
    first, second = chance.sample(range(SEATS), SEATS)
    first_ns = table.clock.now_ns + chance.randrange(round(STOCK_PHASES_S * NS_PER_S))
    for reader, at_ns in ((first, first_ns), (second, first_ns + round(APART_S * NS_PER_S))):
        tag = Ntag(bytes((0x04, reader, *bytes(5))))
        table.clock.call_at(at_ns, partial(table.fields[reader].enter, tag))
    read: list[int] = []
    until_ns = first_ns + STOCK_SWEEPS * round(STOCK_PHASES_S * NS_PER_S)
    while len(read) < SEATS:
        insist(table.clock.now_ns < until_ns)
        read += [
            reader
            for reader, number in enumerate(table.sweep())
            if number is not None and reader not in read
        ]
    return read == [first, second]
