"""Tests of the bench: its measurements on the virtual clock are exact and stay within bounds."""

import io
import json
from functools import partial
from itertools import count
from typing import Any

import pytest
from typer.testing import CliRunner

from fakepi.clock import VirtualClock
from fakepi.i2c import I2cBus
from fakepi.spi import SpiDevice
from fakepi.ssd1306 import Ssd1306Chip
from sim.bench import Effort, players, run_bench
from sim.bench.meters import PixelWatch, chip_cpu, transfers
from sim.bench.report import CPU
from sim.bench.rows import MeasuredWrong, Measurement
from sim.bench.tables import SPOTS, OurTable, config_of, insist
from sim.commands import bench as bench_command
from sim.robots.games import OURS
from tests.terminal import Terminal

EFFORT = Effort(taps=6, has_cpu=False)
TARGETS = {  # (act, unit) to the highest value that the project promises
    ("empty poll", "ms"): 0.9,
    ("empty poll", "transfers"): 10,
    ("7-byte UID, WUPA to the last SAK", "ms"): 6.0,
    ("7-byte UID, SPI at 4 MHz", "ms"): 5.0,
    ("inventory of 1 NTAG213 and HLTA", "ms"): 8,
    ("inventory of 2 NTAG213 and HLTA", "ms"): 16,
    ("inventory of 4 NTAG213 and HLTA", "ms"): 33,
    ("inventory of 8 NTAG213 and HLTA", "ms"): 72,
    ("sweep, 5 readers, fields all on", "ms"): 4.5,
    ("sweep, 5 readers, fields in turn", "ms"): 12,
    ("tap to pixel, 1 reader, 400 kHz", "ms median"): 20,
    ("tap to pixel, 1 reader, 400 kHz", "ms worst"): 40,
    ("tap to pixel, SPI at 4 MHz", "ms median"): 18,
    ("tap to pixel, SPI at 4 MHz", "ms worst"): 36,
    ("enrol a card, 1 reader, 400 kHz", "ms worst"): 50,
    ("race, 10 ms, fields all on", "% wrong"): 0,
    ("race, 10 ms, fields all on", "% asked"): 0,
    ("race, 10 ms, fields in turn", "% wrong"): 0,
}

Results = dict[tuple[str, str], dict[str, Any]]


def measured() -> tuple[dict[str, Any], Results]:
    """Run the bench, assert that it succeeds, and return the parameters and rows of its JSON."""
    out = io.StringIO()
    assert run_bench(EFFORT, as_json=True, out=out) == 0
    printed = json.loads(out.getvalue())
    return printed["parameters"], {(row["act"], row["unit"]): row for row in printed["results"]}


# Measuring takes seconds, so what needs it is marked long.
@pytest.fixture(scope="module")
def bench() -> tuple[dict[str, Any], Results]:
    return measured()


@pytest.fixture(scope="module")
def results(bench: tuple[dict[str, Any], Results]) -> Results:
    return bench[1]


# --- measurements --------------------------------------------------------------------------------


@pytest.mark.long
def test_every_target_is_a_bound_and_is_held(results: Results) -> None:
    assert {row: results[row]["at_most"] for row in TARGETS} == pytest.approx(TARGETS)
    assert all(results[row]["ours"] <= most for row, most in TARGETS.items())


@pytest.mark.long
def test_the_parameters_say_what_the_figures_hang_on(bench: tuple[dict[str, Any], Results]) -> None:
    known = {
        "spi_hz": 1e6,
        "spi_us_a_transfer": 20,
        "i2c_hz": [400_000, 100_000],
        "guard_ms": 1,
        "tag_wakes_ms": 1,
        "pass_ms": 10,
        "taps": 6,
        "stock_taps": 3,
        "seed": 1,
    }
    assert known.items() <= bench[0].items()


@pytest.mark.long
def test_the_stock_library_costs_2013_transfers_a_reader(results: Results) -> None:
    row = results["empty poll", "transfers"]
    assert row["stock"] == 2013
    assert row["ratio"] == row["stock"] / row["ours"]
    empty_ms = results["empty poll", "ms"]["stock"]
    for readers in (2, 5, 8):
        for fields in ("all on", "in turn"):
            sweep = results[f"sweep, {readers} readers, fields {fields}", "ms"]
            assert sweep["stock"] == pytest.approx(readers * empty_ms)


@pytest.mark.long
def test_what_the_stock_library_cannot_do_has_no_figure(results: Results) -> None:
    cannot = {act for (act, _), row in results.items() if row["cannot"]}
    assert cannot == {
        "7-byte UID, WUPA to the last SAK",
        "7-byte UID, SPI at 4 MHz",
        *(f"inventory of {tags} NTAG213 and HLTA" for tags in (1, 2, 4, 8)),
    }
    assert all(row["stock"] is None for row in results.values() if row["cannot"])


@pytest.mark.long
def test_any_change_costs_the_stock_library_a_whole_picture(results: Results) -> None:
    for khz in (400, 100):
        for act in ("every pixel changes", "Straw's weight changes"):
            bits = results[f"{act}, {khz} kHz", "bits"]
            assert bits["stock"] == 9410
            ms = results[f"{act}, {khz} kHz", "ms"]
            assert (ms["ours"], ms["stock"]) == (bits["ours"] / khz, bits["stock"] / khz)
        assert results[f"Straw's weight changes, {khz} kHz", "bits"]["ratio"] > 7


@pytest.mark.long
def test_two_runs_measure_the_same(results: Results) -> None:
    assert measured()[1] == results


@pytest.mark.long
def test_without_cpu_no_figure_hangs_on_the_machine(results: Results) -> None:
    assert not any(unit.startswith(CPU) for _, unit in results)
    named = {act.name for group in EFFORT.measurements() for act in group}
    left_out = named - {act for act, _ in results}
    assert left_out == {
        "idle pass, 1 reader",
        "idle pass, 5 readers",
        "Camargue on the engine alone",
        "Ciao on the engine alone",
        "Cramel on the engine alone",
        "Riff Raff on the engine alone",
        "Straw on the engine alone",
        "places of a Camargue tile",
    }


def test_a_table_of_eight_readers_shares_a_chip_select_and_no_pin() -> None:
    readers = config_of(8).readers
    assert [reader.spot for reader in readers] == list(SPOTS)
    assert {reader.spi for reader in readers} == {"0.0", "0.1"}
    pins = [reader.select_pin for reader in readers[1:]]
    assert None not in pins
    assert len(set(pins)) == 7
    assert not OurTable(8).poll().uids


# --- output --------------------------------------------------------------------------------------


def held(figure: float) -> Measurement:
    return Measurement("empty poll", lambda: {"ms": figure}, {"ms": 0.9}, lambda: {"ms": 76.5})


def test_a_bound_that_is_not_held_is_named_and_ends_in_exit_code_1(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Effort, "measurements", lambda _: iter([(held(0.9), held(0.95))]))
    err = io.StringIO()
    assert run_bench(EFFORT, as_json=False, out=io.StringIO(), err=err) == 1
    assert err.getvalue() == "empty poll: 0.95 ms, but at most 0.9 is allowed.\n"


def test_people_get_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each act is named once; values without a target are blank, and missed targets are marked."""
    uid = Measurement("one UID", lambda: {"ms": 5.664, "transfers": 30}, {"ms": 6.0}, cannot=True)
    alone = Measurement("Straw alone", lambda: {"CPU plays/s": 41186.4})
    monkeypatch.setattr(Effort, "measurements", lambda _: iter([(held(0.9), uid), (alone,)]))
    out = io.StringIO()
    assert run_bench(Effort(), as_json=False, out=out) == 0
    lines = [line.split() for line in out.getvalue().splitlines()]
    assert lines[0][:6] == ["SPI", "1", "MHz,", "20", "us", "a"]
    assert [line for line in lines if line][3:] == [
        ["empty", "poll", "ms", "0.90", "0.90", "76.50", "85", "x"],
        ["one", "UID", "ms", "5.66", "6", "cannot"],
        ["transfers", "30", "cannot"],
        ["Straw", "alone", "CPU", "plays/s", "41,186"],
    ]


@pytest.mark.long
def test_a_table_of_every_row_fits_80_columns(
    monkeypatch: pytest.MonkeyPatch, results: Results
) -> None:
    units: dict[str, dict[str, float]] = {}
    for (act, unit), row in results.items():
        units.setdefault(act, {})[unit] = row["ours"]
    acts = tuple(Measurement(act, partial(dict, figures)) for act, figures in units.items())
    monkeypatch.setattr(Effort, "measurements", lambda _: iter([acts]))
    monkeypatch.setenv("COLUMNS", "80")
    out = io.StringIO()
    run_bench(EFFORT, as_json=False, out=out)
    assert "…" not in out.getvalue()
    assert all(act in out.getvalue() for act in units)


def test_what_is_being_measured_is_shown_on_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    acts = tuple(Measurement(name, lambda: {"ms": 1.0}) for name in ("empty poll", "sweep"))
    monkeypatch.setattr(Effort, "measurements", lambda _: iter([acts]))
    monkeypatch.setenv("TERM", "xterm")
    for err in (Terminal(), io.StringIO()):
        assert run_bench(EFFORT, as_json=True, out=io.StringIO(), err=err) == 0
        assert ("2/2" in err.getvalue()) == err.isatty()


def test_the_command_takes_how_much_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Effort, bool]] = []

    def run(effort: Effort, as_json: bool) -> int:
        asked.append((effort, as_json))
        return 1

    monkeypatch.setattr("sim.bench.run_bench", run)
    given = ["--taps", "20", "--seed", "7", "--no-cpu", "--json"]
    assert CliRunner().invoke(bench_command, given).exit_code == 1
    assert CliRunner().invoke(bench_command, []).exit_code == 1
    assert asked == [(Effort(20, 7, False), True), (Effort(1000, 1, True), False)]


def test_what_does_not_do_its_work_is_not_measured() -> None:
    with pytest.raises(MeasuredWrong):
        insist(False)


def test_the_expert_of_every_game_is_timed_in_whole_games(monkeypatch: pytest.MonkeyPatch) -> None:
    timed = [act.name for act in players.measurements(1, 1, has_cpu=True)]
    assert len(timed) == len(OURS)
    assert not [*players.measurements(1, 1, has_cpu=False)]
    figures = players.times_to_choose("cramel", 1, 1)
    assert 0 < figures["CPU ms"] <= figures["CPU ms worst"]
    monkeypatch.setattr(players, "MOST_ACTS", 3)
    with pytest.raises(MeasuredWrong, match="has not ended after 3 acts"):
        players.times_to_choose("cramel", 1, 1)


# --- the meters ----------------------------------------------------------------------------------


def test_transfers_are_noted_with_their_moments_while_somebody_looks() -> None:
    clock = VirtualClock()
    bus = SpiDevice(None, clock)
    with transfers(clock) as made:
        bus.xfer2([0x92, 0x00])
    bus.xfer2([0x12, 0x01])
    (transfer,) = made
    assert (transfer.began_ns, transfer.ended_ns) == (0, 38_000)
    assert (transfer.is_write, transfer.reads_fifo) == (False, True)


def test_cpu_time_below_the_drivers_is_counted_while_somebody_looks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ticks = count(0, 7)
    monkeypatch.setattr("time.thread_time_ns", lambda: next(ticks))
    clock = VirtualClock()
    bus = SpiDevice(None, clock)
    with chip_cpu() as chips:
        bus.xfer2([0x00])
        assert chips.ns == 7
        clock.sleep(1.0)
        assert chips.ns == 14
    bus.xfer2([0x00])
    assert chips.ns == 14


class Watched:
    """A display with a ``PixelWatch``, in horizontal mode, at 100 kHz: one byte takes 90 us."""

    def __init__(self) -> None:
        self.bus = I2cBus(VirtualClock(), 100_000)
        chip = Ssd1306Chip()
        self.bus.attach(chip)
        self.watch = PixelWatch(chip, self.bus)
        self.bus.try_lock()
        self.send(0x00, 0x20, 0x00)
        self.window()
        self.send(0x40, *bytes(1024))

    def send(self, *message: int) -> int:
        """Write *message* and return the time in ns at which its last byte ended, without stop."""
        self.bus.writeto(0x3C, bytes(message))
        return self.bus.clock.now_ns - 10_000

    def window(self, first: int = 0, last: int = 127, page: int = 0, last_page: int = 7) -> None:
        self.send(0x00, 0x21, first, last, 0x22, page, last_page)


def test_a_pixel_changes_with_its_byte_and_not_with_the_end_of_the_write() -> None:
    display = Watched()
    display.window(10, 12, 2, 3)
    end_ns = display.send(0x40, 0xFF, 0x00, 0x00, 0x00, 0x01, 0x00)
    assert display.watch.changed_ns == end_ns - 1 * 90_000
    display.window(10, 12, 2, 3)
    end_ns = display.send(0x40, 0x0F, 0x00, 0x00, 0x00, 0x01, 0x00)
    assert display.watch.changed_ns == end_ns - 5 * 90_000


def test_what_is_sent_again_changes_no_pixel() -> None:
    display = Watched()
    changed_ns = display.watch.changed_ns
    display.window()
    display.send(0x40, *bytes(1024))
    assert display.watch.changed_ns == changed_ns


def test_a_watched_display_is_the_chip_to_everybody_else() -> None:
    display = Watched()
    status = bytearray(1)
    display.bus.readfrom_into(0x3C, status)
    assert status == b"\x40"  # the panel is off
    display.send(0x00, 0xAF)
    display.bus.readfrom_into(0x3C, status)
    assert status == b"\x00"
