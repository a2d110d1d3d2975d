"""The doctor's check of the reset wires, on emulated readers."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

from fakepi.ntag import Ntag
from firmware.config.table_config import ReaderConfig, load_config
from firmware.doctor.findings import Finding, Verdict
from firmware.doctor.reset_wires import look_at_reset_wires
from firmware.runtime.wiring import open_parts
from hardware.ports import Sighting
from sim.mat.board import EmulatedBoard

UID = bytes.fromhex("04A23B158C6180")
OWN, SHARED = {"play": 25, "hand": 15}, {"play": 25, "hand": 25}


def table(pins: dict[str, int | None]) -> tuple[ReaderConfig, ...]:
    return tuple(
        ReaderConfig(spot, 0, device, reset_pin=pin)
        for device, (spot, pin) in enumerate(pins.items())
    )


def findings(
    pins: dict[str, int | None], miswire: Callable[[EmulatedBoard], None] = lambda board: None
) -> dict[str, Finding]:
    """Return the findings by spot; all readers must work afterwards."""
    config = replace(load_config(), readers=table(pins), lamps={})
    board = EmulatedBoard(config)
    miswire(board)
    with closing(open_parts(config, board)) as parts:
        found = list(look_at_reset_wires(config.readers, parts.readers))
        for spot, reader in parts.readers.items():
            if board.readers[spot].stuck_at is None:
                board.readers[spot].field.enter(Ntag(UID))
                board.clock.sleep(0.01)
                assert reader.poll() == Sighting((UID,))
    return {finding.part.removeprefix("reset "): finding for finding in found}


def swap(board: EmulatedBoard) -> None:
    play, hand = board.pins.pin(25), board.pins.pin(15)
    play.wires, hand.wires = hand.wires, play.wires


def test_wires_that_reset_their_own_readers_are_well() -> None:
    for pins in (OWN, SHARED):
        found = findings({**pins})
        assert [finding.verdict for finding in found.values()] == [Verdict.OK, Verdict.OK]
    assert found["hand"].found == "GPIO25 resets it"


def test_swapped_wires_are_told_of_both_readers() -> None:
    found = findings({**OWN}, swap)
    assert found["play"].found == "GPIO25 resets the reader hand instead"
    assert found["hand"].found == "GPIO15 resets the reader play instead"
    assert {finding.verdict for finding in found.values()} == {Verdict.WARN}


def test_a_loose_wire_is_told_with_its_pin() -> None:
    found = findings({**OWN}, lambda board: board.pins.pin(25).wires.clear())
    assert (found["play"].verdict, found["play"].found) == (
        Verdict.WARN,
        "GPIO25 does not reset it",
    )
    assert "GPIO25" in found["play"].remedy
    assert found["hand"].verdict is Verdict.OK


def test_a_wire_that_resets_another_reader_too_is_reported() -> None:
    def join(board: EmulatedBoard) -> None:
        board.pins.pin(25).wires.append(board.readers["hand"].chip.reset_pin)

    found = findings({**OWN}, join)
    assert found["play"].found == "GPIO25 also resets the reader hand"
    assert found["hand"].verdict is Verdict.OK


def test_readers_without_a_wire_are_left_out() -> None:
    assert list(findings({"play": None, "hand": 15})) == ["hand"]


def test_a_silent_reader_fails() -> None:
    found = findings({"play": 25}, lambda board: board.readers["play"].cut(0x00))
    finding = next(iter(found.values()))
    assert (finding.part, finding.verdict) == ("reader play", Verdict.FAIL)
