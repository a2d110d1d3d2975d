"""Stages faults on an emulated Pi: each function breaks one thing, and mends it at the end.

Their names are those of the faults in ``tests.doctor_faults``.
"""

import errno
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from engines.common.contract import Tap
from engines.common.pieces import Piece
from firmware.boxes.decks import load_deck
from firmware.boxes.games import game_named
from firmware.journal.journal import GameStart, Journal
from firmware.runtime.controller import REGISTER
from sim.chips.mfrc522 import Mfrc522
from sim.chips.ntag import Ntag
from sim.mat.faults import FAULTS
from tests.sim.nodes.patient import Patient

SPI_NODES = ("/dev/spidev0.0", "/dev/spidev0.1")
COMPATIBLE = "/sys/bus/gpio/devices/gpiochip0/of_node/compatible"
PAGE = 4096
UID = bytes.fromhex("04A23B158C6180")
HOLDS_SPI = """
device = open_node("/dev/spidev0.0")
print("ready", flush=True)
sys.stdin.readline()
"""
HOLDS_PIN = """
lines = request_lines(open_node("/dev/gpiochip0"), [18], OUTPUT, consumer=b"other")
print("ready", flush=True)
sys.stdin.readline()
"""
PLAYS = """
from pathlib import Path
from firmware.journal.journal import Journal
journal = Journal(Path({journal!r}))
print("ready", flush=True)
sys.stdin.readline()
journal.close()
"""

Stage = Callable[[Patient], Iterator[None]]
STAGES: dict[str, Stage] = {}


def stage(does: Stage) -> Stage:
    """Register a stage by its name, with - in place of _."""
    STAGES[does.__name__.replace("_", "-")] = does
    return does


@contextmanager
def staged(name: str, patient: Patient) -> Iterator[None]:
    """Stage the fault *name* for a while; mend it also if a test fails."""
    stage = STAGES[name](patient)
    next(stage)
    try:
        yield
    finally:
        next(stage, None)


@contextmanager
def changed(file: Path, text: str | bytes) -> Iterator[None]:
    """Let *file* have other contents for a while."""
    before = file.read_bytes() if file.exists() else None
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    try:
        yield
    finally:
        file.unlink()
        if before is not None:
            file.write_bytes(before)


@contextmanager
def without(patient: Patient, *nodes: str) -> Iterator[None]:
    """Let device files be missing for a while."""
    removed = {node: patient.files.remove_node(node) for node in nodes}
    try:
        yield
    finally:
        for path, node in removed.items():
            patient.files.add_node(path, node)


@contextmanager
def struck(patient: Patient, fault: str, part: str) -> Iterator[None]:
    """Let a part have a fault of the catalogue for a while."""
    with patient.parts.turn:
        FAULTS[fault].strike(patient.parts, part)  # type: ignore[arg-type]
    try:
        yield
    finally:
        with patient.parts.turn:
            FAULTS[fault].repair(patient.parts, part)  # type: ignore[arg-type]


def refused(patient: Patient, node: str) -> Iterator[None]:
    patient.files.refused[node] = errno.EACCES
    yield
    del patient.files.refused[node]


# --- buses and pins ------------------------------------------------------------------------------


@stage
def spi_off(patient: Patient) -> Iterator[None]:
    with without(patient, *SPI_NODES):
        yield


@stage
def i2c_off(patient: Patient) -> Iterator[None]:
    with without(patient, "/dev/i2c-1"):
        yield


@stage
def spi_forbidden(patient: Patient) -> Iterator[None]:
    yield from refused(patient, "/dev/spidev0.0")


@stage
def i2c_forbidden(patient: Patient) -> Iterator[None]:
    yield from refused(patient, "/dev/i2c-1")


@stage
def pins_forbidden(patient: Patient) -> Iterator[None]:
    yield from refused(patient, "/dev/gpiochip0")


@stage
def chip_select_taken(patient: Patient) -> Iterator[None]:
    link = patient.files.of("/sys/bus/spi/devices/spi0.0/driver")
    before = link.readlink()
    link.unlink()
    link.symlink_to("../../drivers/mcp251x")
    with without(patient, "/dev/spidev0.0"):
        yield
    link.unlink()
    link.symlink_to(before)


@stage
def pin_chip_missing(patient: Patient) -> Iterator[None]:
    with without(patient, "/dev/gpiochip0"):
        yield


@stage
def pin_chip_renumbered(patient: Patient) -> Iterator[None]:
    node = patient.files.remove_node("/dev/gpiochip0")
    devices = patient.files.of("/sys/bus/gpio/devices")
    patient.files.add_node("/dev/gpiochip11", node)
    (devices / "gpiochip0").rename(devices / "gpiochip11")
    yield
    (devices / "gpiochip11").rename(devices / "gpiochip0")
    patient.files.add_node("/dev/gpiochip0", patient.files.remove_node("/dev/gpiochip11"))


@stage
def pin_chip_unknown(patient: Patient) -> Iterator[None]:
    devices = patient.files.of("/sys/bus/gpio/devices")
    (devices / "gpiochip0").rename(devices / "kept")
    label, patient.parts.pins.label = patient.parts.pins.label, b"pinctrl-bcm2799"
    yield
    patient.parts.pins.label = label
    (devices / "kept").rename(devices / "gpiochip0")


@stage
def pin_held(patient: Patient) -> Iterator[None]:
    with patient.other_program(HOLDS_PIN):
        yield


@stage
def reader_open_elsewhere(patient: Patient) -> Iterator[None]:
    with patient.other_program(HOLDS_SPI):
        yield


@stage
def old_pin_factory(patient: Patient) -> Iterator[None]:
    patient.environment["GPIOZERO_PIN_FACTORY"] = "rpigpio"
    yield
    del patient.environment["GPIOZERO_PIN_FACTORY"]


@stage
def old_pin_library(patient: Patient) -> Iterator[None]:
    with changed(patient.libraries / "RPi/_GPIO.cpython-311-aarch64-linux-gnu.so", ""):
        yield


@stage
def library_missing(patient: Patient) -> Iterator[None]:
    library = next(patient.libraries.glob("spidev*.so"))
    target = library.readlink()
    library.unlink()
    yield
    library.symlink_to(target)


@stage
def i2c_speed_untold(patient: Patient) -> Iterator[None]:
    speed = patient.files.of("/sys/bus/i2c/devices/i2c-1/of_node/clock-frequency")
    rate = speed.read_bytes()
    speed.unlink()
    yield
    speed.write_bytes(rate)


# --- the computer --------------------------------------------------------------------------------


def throttled(patient: Patient, bits: str) -> Iterator[None]:
    patient.say("vcgencmd", f"throttled={bits}")
    yield
    patient.say("vcgencmd", "throttled=0x0")


@stage
def low_voltage_now(patient: Patient) -> Iterator[None]:
    yield from throttled(patient, "0x50005")


@stage
def low_voltage_earlier(patient: Patient) -> Iterator[None]:
    yield from throttled(patient, "0x50000")


@stage
def too_hot_now(patient: Patient) -> Iterator[None]:
    yield from throttled(patient, "0xe0008")


@stage
def slowed_down_earlier(patient: Patient) -> Iterator[None]:
    yield from throttled(patient, "0x40000")


@stage
def power_untold(patient: Patient) -> Iterator[None]:
    patient.say("vcgencmd", "Can't open device file: /dev/vcio", code=255)
    patient.files.write("/dev/vcio", b"")
    patient.files.refused["/dev/vcio"] = errno.EACCES
    yield
    del patient.files.refused["/dev/vcio"]
    patient.files.remove("/dev/vcio")
    patient.say("vcgencmd", "throttled=0x0")


@stage
def low_voltage_told_by_kernel(patient: Patient) -> Iterator[None]:
    patient.say("vcgencmd", "", code=255)
    alarm = patient.files.of("/sys/class/hwmon/hwmon0/in0_lcrit_alarm")
    with changed(alarm, "1\n"):
        yield
    patient.say("vcgencmd", "throttled=0x0")


@stage
def old_system(patient: Patient) -> Iterator[None]:
    text = 'PRETTY_NAME="Raspbian GNU/Linux 11 (bullseye)"\nVERSION_CODENAME=bullseye\n'
    with changed(patient.files.of("/etc/os-release"), text):
        yield


@stage
def clock_not_set(patient: Patient) -> Iterator[None]:
    patient.say("timedatectl", "no")
    yield
    patient.say("timedatectl", "yes")


@stage
def sound_card_missing(patient: Patient) -> Iterator[None]:
    with changed(patient.files.of("/proc/asound/cards"), "--- no soundcards ---\n"):
        yield


@stage
def sound_only_by_hdmi(patient: Patient) -> Iterator[None]:
    cards = " 0 [vc4hdmi0       ]: vc4-hdmi - vc4-hdmi-0\n"
    with changed(patient.files.of("/proc/asound/cards"), cards):
        yield


@stage
def sound_by_a_monitor(patient: Patient) -> Iterator[None]:
    cards = " 0 [vc4hdmi0       ]: vc4-hdmi - vc4-hdmi-0\n"
    status = patient.files.of("/sys/class/drm/card1-HDMI-A-1/status")
    with changed(patient.files.of("/proc/asound/cards"), cards), changed(status, "connected\n"):
        yield


@stage
def update_undone(patient: Patient) -> Iterator[None]:
    text = "The update 0.2.0-a failed (watchdog), so 0.1.0-b runs again.\n  log\n"
    patient.files.write("/opt/tapmat/rolled-back", text.encode())
    yield
    patient.files.remove("/opt/tapmat/rolled-back")


# --- stored data ---------------------------------------------------------------------------------


def started(patient: Patient) -> None:
    with closing(Journal(patient.journal)) as journal:
        journal.begin(GameStart("straw", ("Ann", "Ben"), 0, {}, load_deck(game_named("straw"))))
        for _ in range(200):
            journal.note_health({"reader play": {"polls": 1}})
        journal.append(Tap(Piece("weight-7"), "play"))


def no_journal(patient: Patient) -> None:
    for file in patient.state.glob("journal*"):
        file.unlink()


@stage
def journal_damaged(patient: Patient) -> Iterator[None]:
    started(patient)
    whole = patient.journal.read_bytes()
    patient.journal.write_bytes(whole[: 3 * PAGE] + bytes(PAGE) + whole[4 * PAGE :])
    yield
    no_journal(patient)


@stage
def journal_newer(patient: Patient) -> Iterator[None]:
    started(patient)
    with closing(sqlite3.connect(patient.journal)) as newer:
        newer.execute("PRAGMA user_version = 99")
    yield
    no_journal(patient)


@stage
def often_degraded(patient: Patient) -> Iterator[None]:
    with closing(Journal(patient.journal)) as journal:
        journal.note_health({"reader play": {"settings-lost": 40, "degraded": 3}})
    yield
    no_journal(patient)


@stage
def tags_damaged(patient: Patient) -> Iterator[None]:
    with changed(patient.state / REGISTER, "no register\n" * 1000):
        yield


@stage
def nothing_enrolled(patient: Patient) -> Iterator[None]:
    register = patient.state / REGISTER
    kept = patient.home / "kept"
    shutil.move(register, kept)
    yield
    register.unlink(missing_ok=True)
    shutil.move(kept, register)


@stage
def card_without_tag(patient: Patient) -> Iterator[None]:
    register = patient.state / REGISTER
    before = register.read_bytes()
    with closing(sqlite3.connect(register)) as tags, tags:
        tags.execute("DELETE FROM tag WHERE game = 'straw' AND kind = 'weight-7'")
    yield
    register.write_bytes(before)


@stage
def two_programs(patient: Patient) -> Iterator[None]:
    with patient.other_program(PLAYS.format(journal=str(patient.journal))):
        yield
    no_journal(patient)


@stage
def state_is_a_file(patient: Patient) -> Iterator[None]:
    kept = patient.home / "kept"
    patient.state.rename(kept)
    patient.state.touch()
    yield
    patient.state.unlink()
    kept.rename(patient.state)


# --- table.toml ----------------------------------------------------------------------------------


def written(patient: Patient, old: str, new: str) -> Iterator[None]:
    text = patient.table.read_text("utf-8")
    assert old in text
    with changed(patient.table, text.replace(old, new)):
        yield


@stage
def table_syntax(patient: Patient) -> Iterator[None]:
    yield from written(patient, "[display]", "[display")


@stage
def table_unknown_key(patient: Patient) -> Iterator[None]:
    yield from written(patient, "reset_pin = 15", "reset_pim = 15")


@stage
def table_missing(patient: Patient) -> Iterator[None]:
    patient.table.rename(patient.home / "kept")
    yield
    (patient.home / "kept").rename(patient.table)


@stage
def display_address(patient: Patient) -> Iterator[None]:
    yield from written(patient, 'address = "0x3C"', 'address = "0x3D"')


# --- parts ---------------------------------------------------------------------------------------


def cut(patient: Patient, stuck_at: int) -> Iterator[None]:
    with patient.parts.turn:
        patient.parts.readers["play"].cut(stuck_at)
    yield
    with patient.parts.turn:
        patient.parts.readers["play"].cut(None)


@stage
def miso_low(patient: Patient) -> Iterator[None]:
    yield from cut(patient, 0x00)


@stage
def miso_high(patient: Patient) -> Iterator[None]:
    yield from cut(patient, 0xFF)


@stage
def reader_unplugged(patient: Patient) -> Iterator[None]:
    with struck(patient, "reader-unplugged", "play"):
        yield


@stage
def reader_hot(patient: Patient) -> Iterator[None]:
    with struck(patient, "reader-hot", "play"):
        yield


def other_chip(patient: Patient, make: Callable[..., Mfrc522], **how: object) -> Iterator[None]:
    """Let the reader on play have another chip for a while."""
    reader = patient.parts.readers["play"]
    chip = reader.chip
    wires: list[Any] = patient.parts.pins.pin(reader.reset_pin or 0).wires
    with patient.parts.turn:
        reader.chip = make(patient.parts.clock, reader.field, **how)
        wires[:] = [reader.chip.reset_pin]
    yield
    with patient.parts.turn:
        reader.chip = chip
        wires[:] = [chip.reset_pin]
        chip.power(False)
        chip.power(True)


@stage
def chip_version_unknown(patient: Patient) -> Iterator[None]:
    yield from other_chip(patient, Mfrc522, version=0x77)


@stage
def self_test_failed(patient: Patient) -> Iterator[None]:
    yield from other_chip(patient, Mfrc522, self_test=bytes(64))


@stage
def gain_stuck(patient: Patient) -> Iterator[None]:
    yield from other_chip(patient, Mfrc522, has_fixed_gain=True)


@stage
def wires_too_long_for_4_mhz(patient: Patient) -> Iterator[None]:
    change = written(patient, "reset_pin = 25 #", "spi_mhz = 4\nreset_pin = 25 #")
    with struck(patient, "long-wires", "play"):
        yield from change


@stage
def wires_too_long(patient: Patient) -> Iterator[None]:
    reader = patient.parts.readers["play"]
    clean_hz = reader.wires.clean_hz
    with patient.parts.turn:
        reader.wires.clean_hz = 5e5
        reader.wires.damaged = 1e-4
    yield
    with patient.parts.turn:
        reader.wires.clean_hz = clean_hz


@stage
def metal_on_a_spot(patient: Patient) -> Iterator[None]:
    field = patient.parts.readers["play"].field
    tag = Ntag(UID)
    with struck(patient, "garbled", "play"):
        with patient.parts.turn:
            field.enter(tag)
        yield
        with patient.parts.turn:
            field.leave(tag)


@stage
def antennas_too_close(patient: Patient) -> Iterator[None]:
    tag = Ntag(UID)
    chance = patient.parts.chance
    play, hand = (patient.parts.readers[spot].field for spot in ("play", "hand"))
    with patient.parts.turn:
        play.enter(tag)
        hand.enter(tag, lambda _: chance.random() < 0.5)
    yield
    with patient.parts.turn:
        play.leave(tag)
        hand.leave(tag)


@stage
def reset_wires_swapped(patient: Patient) -> Iterator[None]:
    pins = [
        patient.parts.pins.pin(reader.reset_pin or 0) for reader in patient.parts.readers.values()
    ]
    with patient.parts.turn:
        pins[0].wires, pins[1].wires = pins[1].wires, pins[0].wires
    yield
    with patient.parts.turn:
        pins[0].wires, pins[1].wires = pins[1].wires, pins[0].wires


@stage
def reset_wire_broken(patient: Patient) -> Iterator[None]:
    pin = patient.parts.pins.pin(25)
    with patient.parts.turn:
        wires, pin.wires = pin.wires, []
        for wire in wires:
            wire(1.0)  # its pull-up on the board
    yield
    with patient.parts.turn:
        pin.wires = wires


@stage
def display_unplugged(patient: Patient) -> Iterator[None]:
    with struck(patient, "display-lost", "display"):
        yield


@stage
def display_wire_low(patient: Patient) -> Iterator[None]:
    with struck(patient, "sda-low", "display"):
        yield


@stage
def i2c_slow(patient: Patient) -> Iterator[None]:
    bus = patient.parts.i2c_bus
    rate = bus.clock_hz
    bus.clock_hz = 100_000
    speed = patient.files.of("/sys/bus/i2c/devices/i2c-1/of_node/clock-frequency")
    with changed(speed, (100_000).to_bytes(4)):
        yield
    bus.clock_hz = rate


@stage
def speech_missing(patient: Patient) -> Iterator[None]:
    with patient.programs_gone("espeak-ng"):
        yield


@stage
def player_missing(patient: Patient) -> Iterator[None]:
    with patient.programs_gone("pacat"):
        yield


@stage
def sound_in_use(patient: Patient) -> Iterator[None]:
    player = patient.loudspeaker.folder / "pacat"
    script = player.read_text("utf-8")
    player.unlink()
    busy = "aplay: main:831: audio open error: Device or resource busy"
    patient.run("aplay", f"cat > /dev/null\necho '{busy}' >&2\nexit 1\n")
    yield
    (patient.loudspeaker.folder / "aplay").unlink()
    patient.run("pacat", script.partition("\n")[2])
