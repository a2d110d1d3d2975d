"""The bench: its figures come from the virtual clock, so they are exact and can be held to."""

import io
import json
from dataclasses import replace
from typing import Any

import pytest

from sim import bench
from sim.bench import Cost, run_bench


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    out = io.StringIO()
    assert run_bench(as_json=True, out=out) == 0
    printed = json.loads(out.getvalue())
    assert printed["parameters"] == {"spi_hz": 1e6, "spi_us_a_transfer": 20, "i2c_hz": 400_000}
    return {row["act"]: row for row in printed["results"]}


def test_an_empty_poll_costs_at_most_a_dozen_transfers_and_a_millisecond(
    results: dict[str, Any],
) -> None:
    ours = results["empty poll"]["ours"]
    assert ours["bus"] <= 12
    assert ours["ms"] <= 1.0


def test_the_stock_library_beside_it_costs_its_2013_transfers(results: dict[str, Any]) -> None:
    row = results["empty poll"]
    assert row["stock"]["bus"] == 2013
    assert row["ratio"] == pytest.approx(row["stock"]["ms"] / row["ours"]["ms"])


def test_a_7_byte_uid_confirmed_by_crc_takes_at_most_6_and_a_half_milliseconds(
    results: dict[str, Any],
) -> None:
    """The stock library cannot read one at all."""
    row = results["7-byte UID, CRC-confirmed"]
    assert row["ours"]["ms"] <= 6.5
    assert row["ours"]["bus"] <= 40
    assert row["stock"] is None


def test_a_changed_weight_sends_a_fraction_of_what_the_stock_library_sends(
    results: dict[str, Any],
) -> None:
    row = results["weight changes"]
    assert row["stock"]["bus"] == 9410
    assert row["ours"]["bus"] < row["stock"]["bus"] / 5
    assert row["ours"]["ms"] <= 3.0


def test_every_row_has_a_bound(results: dict[str, Any]) -> None:
    bounds = {act: (row["at_most"]["ms"], row["at_most"]["bus"]) for act, row in results.items()}
    whole = results["whole screen"]["stock"]
    assert bounds == {
        "empty poll": (1.0, 12),
        "7-byte UID, CRC-confirmed": (6.5, 40),
        "whole screen": (whole["ms"], whole["bus"]),
        "weight changes": (3.0, 1200),
    }


def test_two_runs_measure_the_same(results: dict[str, Any]) -> None:
    again = io.StringIO()
    run_bench(as_json=True, out=again)
    assert {r["act"]: r for r in json.loads(again.getvalue())["results"]} == results


def test_a_bound_that_is_not_held_is_named_and_ends_in_exit_code_1(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow = replace(bench.empty_poll(), ours=Cost(ms=0.9, bus=13))
    monkeypatch.setattr(bench, "empty_poll", lambda: slow)
    err = io.StringIO()
    assert run_bench(as_json=True, out=io.StringIO(), err=err) == 1
    assert err.getvalue() == (
        "empty poll: 0.900 ms, 13 transfers; it may take 1.000 ms, 12 transfers at most.\n"
    )


def test_people_get_a_table(results: dict[str, Any]) -> None:
    out = io.StringIO()
    run_bench(as_json=False, out=out)
    assert "2,013" in out.getvalue()
    assert out.getvalue().count("cannot") == 1
    assert "SPI 1 MHz, 20 us a transfer, I2C 400 kHz" in out.getvalue()
