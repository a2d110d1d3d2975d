"""Tests of the emulated computer: its devices, its wires, and pulling its plug."""

from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from fakepi.mfrc522 import CollPos, Mfrc522
from fakepi.ntag import Ntag
from fakepi.oled import OledChip
from fakepi.sh1106 import Sh1106Chip
from fakepi.ssd1306 import Ssd1306Chip
from firmware.config.display_config import DisplayConfig
from firmware.config.table_config import FieldsConfig, ReaderConfig, TableConfig, load_config
from firmware.runtime.wiring import open_parts, open_voice
from hardware.errors import DisplayFault, MissingPart, ReaderFault
from hardware.ports import LAMP_OFF, LAMP_ON, Board, Speech
from hardware.silence import SilentVoice
from sim.mat.board import EmulatedBoard
from sim.mat.mat import Mat

CONFIG = load_config()
READ_VERSION = 0x80 | 0x37 << 1  # register address byte; MFRC522 data sheet, table 8
UID = bytes.fromhex("04112233445566")


def test_it_is_a_board() -> None:
    board: Board = EmulatedBoard(CONFIG)
    assert board.clock.now() == 0.0
    board.close()


def test_a_chip_select_without_a_chip_is_a_missing_part() -> None:
    board = EmulatedBoard(CONFIG)
    board.spi(0, 0, 1_000_000)
    with pytest.raises(MissingPart, match=r"SPI 0\.1"):
        board.spi(0, 1, 1_000_000)


def test_every_reader_has_its_own_field() -> None:
    readers = (*CONFIG.readers, ReaderConfig("hand", 0, 1))
    board = EmulatedBoard(replace(CONFIG, readers=readers))
    parts = open_parts(replace(CONFIG, readers=readers), board)
    for reader in parts.readers.values():
        assert reader.poll().is_empty
    board.readers["hand"].field.enter(Ntag(UID))
    board.clock.sleep(0.005)
    assert parts.readers["play"].poll().is_empty
    assert parts.readers["hand"].poll().uids == (UID,)


def behind_select_pins(*pins: int) -> TableConfig:
    """Return a table whose readers share a chip select and a reset wire, with these select pins."""
    readers = tuple(
        ReaderConfig(spot, 0, 1, reset_pin=25, select_pin=pin)
        for spot, pin in zip(("play", "hand", "box"), pins, strict=False)
    )
    return replace(CONFIG, readers=readers, lamps={}, controls=None, buzzer_pin=None)


def test_readers_behind_select_pins_are_told_apart() -> None:
    """Before the program opens the pins, two readers are selected: only GPIO2 is pulled up."""
    config = behind_select_pins(2, 14, 22)
    board = EmulatedBoard(config)
    wires = [reader.select for reader in board.readers.values()]
    assert [wire is not None and wire.is_low for wire in wires] == [False, True, True]
    parts = open_parts(config, board)
    assert [wire is not None and wire.is_low for wire in wires] == [False, False, False]
    board.readers["hand"].field.enter(Ntag(UID))
    for reader in parts.readers.values():
        reader.poll()
    board.clock.sleep(0.005)
    seen = {spot: reader.poll().uids for spot, reader in parts.readers.items()}
    assert seen == {"play": (), "hand": (UID,), "box": ()}


@pytest.mark.parametrize("level", [0x00, 0xFF])
def test_a_wire_broken_behind_a_select_pin_is_that_reader_s_alone(level: int) -> None:
    config = behind_select_pins(14, 22)
    board = EmulatedBoard(config)
    readers = open_parts(config, board).readers
    for reader in readers.values():
        reader.poll()
    board.readers["hand"].cut(level)
    assert readers["play"].poll().is_empty
    with pytest.raises(ReaderFault):
        readers["hand"].poll()
    board.readers["hand"].cut(None)
    readers["hand"].restart()
    assert readers["hand"].poll().is_empty


def test_a_reset_wire_goes_to_every_reader_that_names_it() -> None:
    """A reader that another one's reset pulse has reset sets up its chip again without a fault."""
    config = behind_select_pins(14, 22)
    board = EmulatedBoard(config)
    readers = open_parts(config, board).readers
    for reader in readers.values():
        reader.poll()
    assert [reader.field.is_on for reader in board.readers.values()] == [True, True]
    readers["play"].restart(by_wire=True)
    assert [reader.field.is_on for reader in board.readers.values()] == [True, False]
    assert readers["hand"].poll().is_empty
    assert [reader.field.is_on for reader in board.readers.values()] == [True, True]


def test_select_pins_and_a_shared_reset_wire_are_released_and_taken_again() -> None:
    config = behind_select_pins(14, 22)
    board = EmulatedBoard(config)
    for _ in range(2):
        parts = open_parts(config, board)
        assert all(reader.poll().is_empty for reader in parts.readers.values())
        parts.close()
        parts.close()
    missing = replace(config, readers=(*config.readers, ReaderConfig("box", 1, 2)))
    with pytest.raises(MissingPart, match=r"SPI 1\.2"):
        open_parts(missing, board)
    open_parts(config, board).close()


def test_a_power_cut_leaves_select_pins_as_a_new_computer_has_them() -> None:
    config = behind_select_pins(14, 22)
    board = EmulatedBoard(config)
    open_parts(config, board)
    board.power_cut()
    board.power_on()
    wires = [reader.select for reader in board.readers.values()]
    assert all(wire is not None and wire.is_low for wire in wires)
    after = open_parts(config, board)
    assert all(reader.poll().is_empty for reader in after.readers.values())


@pytest.mark.parametrize("in_turn", [False, True])
def test_fields_in_turn_are_on_while_their_reader_looks(in_turn: bool) -> None:
    config = replace(behind_select_pins(14, 22), fields=FieldsConfig(in_turn, 0.001))
    board = EmulatedBoard(config)
    for reader in open_parts(config, board).readers.values():
        assert reader.poll().is_empty
    assert [reader.field.is_on for reader in board.readers.values()] == [not in_turn] * 2


@pytest.mark.parametrize("collpos", ["frame", "absolute"])
def test_the_chips_count_collisions_as_told(collpos: CollPos) -> None:
    board = EmulatedBoard(CONFIG, collpos=collpos)
    chip = board.readers["play"].chip
    assert isinstance(chip, Mfrc522)
    assert chip.collpos == collpos


def test_the_bus_runs_at_the_rate_it_is_opened_with() -> None:
    board = EmulatedBoard(CONFIG)
    took_s = []
    for clock_hz in (1_000_000, 10_000_000):
        bus = board.spi(0, 0, clock_hz)
        began_s = board.clock.now()
        bus.xfer2([READ_VERSION] * 100)
        took_s.append(board.clock.now() - began_s)
    assert took_s == pytest.approx([920e-6, 110e-6])


@pytest.mark.parametrize("size", [(128, 64), (128, 32)])
def test_the_display_is_the_configured_one(size: tuple[int, int]) -> None:
    config = replace(CONFIG, display=DisplayConfig(size, 1, 0x3D, False))
    board = EmulatedBoard(config)
    parts = open_parts(config, board)
    assert parts.display is not None
    assert parts.display.size == size
    parts.display.show(Image.new("1", size, 1))
    assert board.display is not None
    assert board.display.is_lit
    assert all(map(all, board.display.visible()))


@pytest.mark.parametrize(("chip", "kind"), [("ssd1306", Ssd1306Chip), ("sh1106", Sh1106Chip)])
def test_the_display_s_chip_is_the_configured_one(chip: str, kind: type[OledChip]) -> None:
    config = replace(CONFIG, display=DisplayConfig((128, 64), 1, 0x3C, False, chip))
    board = EmulatedBoard(config)
    parts = open_parts(config, board)
    assert isinstance(board.display, kind)
    assert parts.display is not None
    picture = Image.new("1", (128, 64))
    picture.paste(1, (0, 0, 3, 64))  # an SH1106 driven as an SSD1306 would not show these columns
    assert parts.display.show(picture)
    assert [row[:5] for row in board.display.visible()] == [b"\x01\x01\x01\x00\x00"] * 64


def test_i2c_is_as_fast_as_told() -> None:
    took_s = []
    for hz in (100_000, 400_000):
        board = EmulatedBoard(CONFIG, i2c_hz=hz)
        display = open_parts(CONFIG, board).display
        assert display is not None
        began_s = board.clock.now()
        display.show(Image.new("1", (128, 64)))
        took_s.append(board.clock.now() - began_s)
    assert took_s[0] == pytest.approx(4 * took_s[1])


def test_a_table_without_display_has_none() -> None:
    config = replace(CONFIG, display=None)
    assert EmulatedBoard(config).display is None


def test_the_reset_wire_is_joined_to_its_chip() -> None:
    board = EmulatedBoard(CONFIG)
    parts = open_parts(CONFIG, board)
    reader = parts.readers["play"]
    reader.poll()
    assert board.readers["play"].field.is_on
    pin = board.pins.pin(CONFIG.readers[0].reset_pin)
    pin.state = False
    assert not board.readers["play"].field.is_on
    with pytest.raises(ReaderFault):
        reader.poll()
    reader.restart(by_wire=True)
    assert reader.poll().is_empty


def test_a_pin_keeps_no_history() -> None:
    """A table runs for days, so the list of pin states must not grow."""
    board = EmulatedBoard(CONFIG)
    parts = open_parts(CONFIG, board)
    for _ in range(50):
        parts.lamps.set({"accepted": LAMP_ON})
        parts.lamps.set({"accepted": LAMP_OFF})
    assert len(board.pins.pin(CONFIG.lamps["accepted"]).states) <= 1


@pytest.mark.parametrize("level", [0x00, 0xFF])
def test_a_broken_wire_stops_every_handle_and_mended_none(level: int) -> None:
    board = EmulatedBoard(CONFIG)
    reader = open_parts(CONFIG, board).readers["play"]
    reader.poll()
    board.readers["play"].cut(level)
    with pytest.raises(ReaderFault):
        reader.poll()
    assert board.spi(0, 0, 1_000_000).stuck_at == level
    board.readers["play"].cut(None)
    reader.restart()
    assert reader.poll().is_empty


def test_a_power_cut_takes_all_the_chips_knew_and_leaves_the_tags_lying() -> None:
    board = EmulatedBoard(CONFIG)
    before = open_parts(CONFIG, board)
    assert before.display is not None
    before.display.show(Image.new("1", (128, 64), 1))
    before.lamps.set({"seat-1": LAMP_ON})
    before.readers["play"].poll()
    picc = Ntag(UID)
    board.readers["play"].field.enter(picc)
    board.power_cut()
    assert board.display is not None
    assert not board.display.is_lit
    assert not board.readers["play"].field.is_on
    with pytest.raises(ReaderFault):
        before.readers["play"].poll()
    board.power_on()
    assert board.pins.pin(CONFIG.lamps["seat-1"]).state == 0
    after = open_parts(CONFIG, board)
    board.clock.sleep(0.1)
    assert after.readers["play"].poll().uids == (UID,)


def test_an_unplugged_display_acknowledges_nothing() -> None:
    board = EmulatedBoard(CONFIG)
    parts = open_parts(CONFIG, board)
    assert parts.display is not None
    assert board.display is not None
    board.display.present = False
    with pytest.raises(DisplayFault):
        parts.display.show(Image.new("1", (128, 64)))
    board.display.present = True
    parts.display.restart()
    parts.display.show(Image.new("1", (128, 64)))
    assert board.display.is_lit


def test_parts_that_cannot_all_be_opened_leave_no_pin_claimed() -> None:
    board = EmulatedBoard(CONFIG)
    two = replace(CONFIG, readers=(*CONFIG.readers, ReaderConfig("hand", 1, 2)))
    with pytest.raises(MissingPart, match=r"SPI 1\.2"):
        open_parts(two, board)
    open_parts(CONFIG, board).close()
    open_parts(CONFIG, board).close()


def test_a_silent_table_does_not_ask_the_board_for_its_voice() -> None:
    board = EmulatedBoard(CONFIG)
    assert open_voice(CONFIG, board) is board.voice(Speech())
    silent = open_voice(replace(CONFIG, voice="silent"), board)
    assert isinstance(silent, SilentVoice)
    assert silent is not board.voice(Speech())


def test_the_pins_of_a_program_that_is_gone_move_no_chip(tmp_path: Path) -> None:
    """Devices of gpiozero release their pins when Python collects them, possibly much later."""
    mat = Mat(load_config(), tmp_path)
    mat.power_on()
    old = mat.board.pins.pin(mat.board.readers["play"].reset_pin)
    mat.power_cut()
    mat.power_on()
    old.function = "output"
    old.state = 1
    old.state = 0
    mat.wait(0.2)
    assert mat.view.fault == ""
    mat.close()


def test_a_pin_that_another_program_holds_is_refused_until_that_lets_go() -> None:
    board = EmulatedBoard(CONFIG)
    board.pins.pin(17).is_held = True
    with pytest.raises(MissingPart, match=r"lamp seat-2 on GPIO17: 'GPIO busy'\. Find the program"):
        open_parts(CONFIG, board)
    board.pins.pin(17).is_held = False
    open_parts(CONFIG, board).close()
