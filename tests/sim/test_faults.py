"""Tests that each fault acts below the drivers, on its own part only, and ends when repaired.

How the mat reacts to faults is tested by the rehearsals in tests/rehearsals/trouble and by robots.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest

from engines.common.pieces import Piece
from firmware.boxes.register import Registered
from firmware.common.errors import JournalError, RegisterError
from firmware.config.table_config import load_config
from hardware.debounce import STABLE_S
from sim.mat.faults import FAULTS, PARTS
from sim.mat.mat import HOLD_S, CannotDo, Mat
from sim.rehearsal.grammar import BreakPart, parse
from sim.rehearsal.runner import Runner
from tests.effort import long_unless

CONFIG = load_config()
RECORDED = sorted((Path(__file__).parent.parent / "rehearsals").rglob("*.mat"))


@pytest.fixture
def mat(tmp_path: Path) -> Iterator[Mat]:
    """A mat on which Straw has begun and a seven was played."""
    made = Mat(CONFIG, tmp_path)
    do(made, "game straw\nplayers Ann Ben\nstart\ntap weight-7")
    yield made
    made.close()


def do(mat: Mat, lines: str) -> None:
    """Play these rehearsal lines and assert that all their expectations hold."""
    assert Runner(mat).play(parse(lines, "faults")) is None


def test_every_fault_has_a_rehearsal() -> None:
    lines = [line for file in RECORDED for line in parse(file.read_text("utf-8"), file.name)]
    struck = {line.verb.name for line in lines if isinstance(line.verb, BreakPart)}
    assert struck == set(PARTS)


@pytest.mark.parametrize("fault", long_unless(sorted(FAULTS)[::4].__contains__, FAULTS))
def test_a_fault_that_is_mended_is_gone(mat: Mat, fault: str) -> None:
    """Taps and the back button work again after the repair, whichever fault it was."""
    do(mat, f"fault {fault}\nwait 0.5\nfault none\nwait 1\ntap weight-9")
    do(mat, "expect headline 16\npress back\nexpect headline 7")


def test_what_a_table_lacks_cannot_break(tmp_path: Path) -> None:
    bare = Mat(replace(CONFIG, display=None, controls=None), tmp_path)
    for name in ("display-lost", "slow-i2c"):
        with pytest.raises(CannotDo, match="no display"):
            bare.fault(name, None)
    for part in (None, "back"):
        with pytest.raises(CannotDo, match="no button"):
            bare.fault("button-stuck", part)
    bare.fault("none", None)


def test_an_unplugged_reader_has_no_power_until_it_is_plugged_in(mat: Mat) -> None:
    device = mat.board.spi(0, 0, 1_000_000)
    version = [0x80 | 0x37 << 1, 0]
    mat.fault("reader-unplugged", "play")
    assert device.xfer2(version)[1] == 0x00
    mat.power_cut()
    mat.power_on()
    device = mat.board.spi(0, 0, 1_000_000)
    assert device.xfer2(version)[1] == 0x00
    mat.fault("none", "play")
    assert device.xfer2(version)[1] != 0x00


def test_a_slow_bus_takes_its_time_and_is_remarked_at_the_next_start(mat: Mat) -> None:
    assert remarks(mat) == []
    mat.fault("slow-i2c", None)
    before_s = mat.board.clock.now()
    bits = mat.board.i2c_bus.bits
    do(mat, "tap weight-8")
    sent = mat.board.i2c_bus.bits - bits
    assert mat.board.clock.now() - before_s >= sent / 10_000 > 0.1
    assert remarks(mat) == []  # a running bus is judged by its fastest write so far
    mat.power_cut()
    mat.power_on()
    assert remarks(mat) == ["slow-bus"]
    mat.fault("none", None)
    assert mat.board.i2c_bus.clock_hz == mat.board.i2c_hz


def remarks(mat: Mat) -> list[str]:
    """Return the codes of the display driver's remarks."""
    display = mat.running.parts.display
    assert display is not None
    return [remark.code for remark in display.remarks]


def test_a_contact_that_bounces_chatters_within_the_time_of_debouncing(mat: Mat) -> None:
    assert CONFIG.controls is not None
    clock, edges = mat.board.clock, list[tuple[float, float]]()
    pin = mat.board.pins.pin(CONFIG.controls.buttons["back"])
    pin.wires.append(lambda level: edges.append((clock.now(), level)))
    mat.press("back")
    assert [level for _, level in edges] == [0, 1]
    edges.clear()
    mat.fault("button-bounce", "back")
    mat.hold("back")
    mat.wait(HOLD_S)
    down = [*edges]
    assert len(down) == 7
    assert all(first[1] != second[1] for first, second in pairwise(down))
    assert down[-1][0] - down[0][0] < STABLE_S
    mat.release("back")
    mat.wait(HOLD_S)
    assert len(edges) == 14
    assert edges[-1][1] == 1


def test_a_finger_that_is_quicker_than_the_chatter_leaves_the_button_up(mat: Mat) -> None:
    assert CONFIG.controls is not None
    mat.fault("button-bounce", "back")
    mat.hold("back")
    mat.board.clock.sleep(0.001)
    mat.release("back")
    mat.wait(HOLD_S)
    assert mat.board.pins.pin(CONFIG.controls.buttons["back"]).state == 1
    assert mat.view.headline == "0"


def test_a_voice_without_its_device_makes_no_sound_and_tells_why(mat: Mat) -> None:
    mat.wait(10.0)
    voice = mat.board.sound
    mat.fault("sound-gone", None)
    do(mat, "tap weight-8")
    assert not voice.is_speaking
    assert "gone" in voice.trouble(0.0)
    mat.fault("none", "sound")
    assert voice.trouble(0.0) == ""
    do(mat, "tap weight-1")
    assert voice.is_speaking


def test_a_full_disk_is_sqlites_own_error_and_leaves_the_file_as_it_is(mat: Mat) -> None:
    journal = mat.running.journal
    before = list(journal.entries())
    mat.fault("disk-full", None)
    with pytest.raises(JournalError, match="cannot be saved: the disk is full"):
        journal.undo()
    assert list(journal.entries()) == before
    mat.fault("none", "disk")
    journal.undo()
    assert list(journal.entries())[:-1] == before


def test_a_full_disk_has_no_room_for_a_sticker_either(mat: Mat) -> None:
    register, lamp, uid = mat.running.register, Piece("lamp"), bytes.fromhex("04A1B2C3D4E5F6")
    before = register.pieces("straw")
    mat.fault("disk-full", None)
    with pytest.raises(RegisterError, match="cannot be saved: the disk is full"):
        register.rebind({uid: Registered("straw", lamp, 2)})
    assert register.pieces("straw") == before
    assert register.piece_of(uid) is None
    mat.fault("none", "disk")
    register.rebind({uid: Registered("straw", lamp, 2)})
    assert register.uid_of("straw", lamp, 2) == uid


def test_a_slow_disk_takes_its_time_at_each_commit_and_at_nothing_else(mat: Mat) -> None:
    journal, clock = mat.running.journal, mat.board.clock
    mat.fault("disk-slow", None)
    before_s = clock.now()
    list(journal.entries())
    assert clock.now() == before_s
    journal.undo()
    assert clock.now() == before_s + 0.5


def test_the_time_of_day_jumps_back_a_day_and_forth_again(mat: Mat) -> None:
    mat.fault("clock-jump", None)
    do(mat, "tap weight-8")
    mat.fault("none", "clock")
    do(mat, "tap weight-1")
    *_, first, second, third = (datetime.fromisoformat(e.at) for e in mat.running.journal.entries())
    assert -24.0 <= (second - first).total_seconds() / 3600 < -23.9
    assert 23.9 < (third - second).total_seconds() / 3600 <= 24.1
