"""The doctor's test of the receivers' gain, on boards that are good, or deaf above some gain."""

from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from fakepi.mfrc522 import Mfrc522
from fakepi.ntag import Ntag
from firmware.config.table_config import GAINS_DB, ReaderConfig, load_config
from firmware.doctor.findings import Finding, Verdict
from firmware.doctor.gains import look_at_gains
from firmware.runtime.wiring import open_parts
from hardware.drivers.mfrc522_reader import GAIN_DB
from hardware.errors import ReaderFault
from sim.mat.board import EmulatedBoard

CARD = bytes.fromhex("04A23B158C6180")


def findings(strength: float | None, gain_db: int | None = None, **chip_is: Any) -> list[Finding]:
    """Return the findings about a reader with a card of *strength*, or without one."""
    config = replace(load_config(), readers=(ReaderConfig("play", 0, 0, gain_db=gain_db),))
    board = EmulatedBoard(config)
    reader = board.readers["play"]
    reader.chip = Mfrc522(board.clock, reader.field, **chip_is)
    if strength is not None:
        reader.field.enter(Ntag(CARD), strength=strength)
    with closing(open_parts(config, board)) as parts:
        return list(look_at_gains(config.readers, parts.readers))


def test_a_good_board_with_a_strong_card_is_fine_as_it_is() -> None:
    (finding,) = findings(1.0)
    assert finding.verdict is Verdict.OK
    assert finding.found == (
        "set to 43 dB; tags seen in 20 polls: 20 at 33 dB, 20 at 38 dB, 20 at 43 dB, 20 at 48 dB"
    )
    assert finding.remedy == ""


def test_a_board_that_is_deaf_at_a_high_gain_is_offered_the_nearest_good_one() -> None:
    (finding,) = findings(1.0, deaf_above_db=38)
    assert finding.verdict is Verdict.WARN
    assert finding.found.endswith("20 at 33 dB, 20 at 38 dB, 0 at 43 dB, 0 at 48 dB")
    assert finding.remedy == "Write gain_db = 38 under [readers.play] in table.toml"


def test_a_weak_card_is_offered_a_higher_gain() -> None:
    (finding,) = findings(0.06, 33)
    assert finding.verdict is Verdict.WARN
    assert finding.remedy == "Write gain_db = 43 under [readers.play] in table.toml"


def test_a_gain_that_is_set_is_tried_too() -> None:
    (finding,) = findings(1.0, 23)
    assert finding.verdict is Verdict.OK
    assert finding.found.startswith("set to 23 dB; tags seen in 20 polls: 20 at 23 dB, 20 at 33")


def test_without_a_card_there_is_nothing_to_say() -> None:
    assert findings(None) == []


def test_a_chip_with_a_fixed_gain_is_tried_with_that_alone() -> None:
    (finding,) = findings(1.0, 33, has_fixed_gain=True)
    assert finding.verdict is Verdict.OK
    assert finding.found == "set to 33 dB; tags seen in 20 polls: 20 at 33 dB"


def test_a_chip_that_fails_meanwhile_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def poll(self: object) -> None:
        raise ReaderFault("settings-lost", "its 3.3 V dips")

    monkeypatch.setattr("hardware.drivers.mfrc522_reader.Mfrc522Reader.poll", poll)
    (finding,) = findings(1.0)
    assert finding.verdict is Verdict.FAIL
    assert finding.part == "reader play"


def test_table_toml_allows_the_gains_that_the_chip_has() -> None:
    assert sorted({*GAIN_DB}) == list(GAINS_DB)
