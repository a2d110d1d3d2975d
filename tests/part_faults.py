"""Faults of the emulated parts, staged for the doctor: each breaks a part, and mends it at the end.

Their names are those of faults in ``tests.doctor_faults``. The board of booted machines stages them
too, so this module imports nothing of the other tests.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fakepi.field import RfField
from fakepi.mfrc522 import Mfrc522
from fakepi.ntag import Ntag
from fakepi.physics import ExactPhysics
from sim.mat.board import EmulatedBoard
from sim.mat.faults import FAULTS

UID = bytes.fromhex("04A23B158C6180")

PartFault = Callable[[EmulatedBoard], Iterator[None]]
PART_FAULTS: dict[str, PartFault] = {}


def part_fault(does: PartFault) -> PartFault:
    """Register a fault by its name, with - in place of _."""
    PART_FAULTS[does.__name__.replace("_", "-")] = does
    return does


@contextmanager
def struck(board: EmulatedBoard, fault: str, part: str) -> Iterator[None]:
    """Let a part have a fault of the catalogue for a while."""
    FAULTS[fault].strike(board, part)
    try:
        yield
    finally:
        FAULTS[fault].repair(board, part)


# --- readers -------------------------------------------------------------------------------------


def cut(board: EmulatedBoard, stuck_at: int) -> Iterator[None]:
    board.readers["play"].cut(stuck_at)
    yield
    board.readers["play"].cut(None)


@part_fault
def miso_low(board: EmulatedBoard) -> Iterator[None]:
    yield from cut(board, 0x00)


@part_fault
def miso_high(board: EmulatedBoard) -> Iterator[None]:
    yield from cut(board, 0xFF)


@part_fault
def reader_unplugged(board: EmulatedBoard) -> Iterator[None]:
    with struck(board, "reader-unplugged", "play"):
        yield


@part_fault
def reader_hot(board: EmulatedBoard) -> Iterator[None]:
    with struck(board, "reader-hot", "play"):
        yield


def other_chip(board: EmulatedBoard, chip: Mfrc522) -> Iterator[None]:
    """Let the reader on play have another chip for a while."""
    reader = board.readers["play"]
    own, pin = reader.chip, board.pins.pin(reader.reset_pin)
    reader.chip, pin.wires[:] = chip, [chip.reset_pin]
    yield
    reader.chip, pin.wires[:] = own, [own.reset_pin]
    own.brown_out()


@part_fault
def chip_version_unknown(board: EmulatedBoard) -> Iterator[None]:
    field = board.readers["play"].field
    yield from other_chip(board, Mfrc522(board.clock, field, version=0x77))


@part_fault
def self_test_failed(board: EmulatedBoard) -> Iterator[None]:
    field = board.readers["play"].field
    yield from other_chip(board, Mfrc522(board.clock, field, self_test=bytes(64)))


@part_fault
def gain_stuck(board: EmulatedBoard) -> Iterator[None]:
    field = board.readers["play"].field
    yield from other_chip(board, Mfrc522(board.clock, field, has_fixed_gain=True))


def lengthened(board: EmulatedBoard, clean_hz: float, damaged: float) -> Iterator[None]:
    """Let a reader's wires damage this share of the bytes above a clock rate, for a while."""
    wires = board.readers["play"].wires
    before = wires.clean_hz, wires.damaged
    wires.clean_hz, wires.damaged = clean_hz, damaged
    yield
    wires.clean_hz, wires.damaged = before


@part_fault
def wires_too_long_for_4_mhz(board: EmulatedBoard) -> Iterator[None]:
    yield from lengthened(board, 2e6, 1e-3)  # with more, the reader might be left out


@part_fault
def wires_too_long(board: EmulatedBoard) -> Iterator[None]:
    yield from lengthened(board, 5e5, 1e-4)


@part_fault
def metal_on_a_spot(board: EmulatedBoard) -> Iterator[None]:
    field, tag = board.readers["play"].field, Ntag(UID)
    with struck(board, "garbled", "play"):
        field.enter(tag)
        yield
        field.leave(tag)


@part_fault
def slow_tags(board: EmulatedBoard) -> Iterator[None]:
    """Lay a tag that needs 3 ms to wake up."""
    slow = RfField(board.clock, ExactPhysics(power_up_ns=3_000_000))
    slow.enter(Ntag(UID))
    yield from other_chip(board, Mfrc522(board.clock, slow))


@part_fault
def drowned_tags(board: EmulatedBoard) -> Iterator[None]:
    """Lay a strong tag, and a weak one that it drowns."""
    stack = RfField(board.clock, ExactPhysics(capture=0.5))
    stack.enter(Ntag(UID))
    stack.enter(Ntag(UID[::-1]), strength=0.3)
    yield from other_chip(board, Mfrc522(board.clock, stack))


@part_fault
def antennas_too_close(board: EmulatedBoard) -> Iterator[None]:
    tag, chance = Ntag(UID), board.chance
    play, hand = (board.readers[spot].field for spot in ("play", "hand"))
    play.enter(tag)
    hand.enter(tag, lambda _: chance.random() < 0.5)
    yield
    play.leave(tag)
    hand.leave(tag)


@part_fault
def reset_wires_swapped(board: EmulatedBoard) -> Iterator[None]:
    one, other = (board.pins.pin(reader.reset_pin) for reader in board.readers.values())
    one.wires, other.wires = other.wires, one.wires
    yield
    one.wires, other.wires = other.wires, one.wires


@part_fault
def reset_wire_broken(board: EmulatedBoard) -> Iterator[None]:
    pin = board.pins.pin(board.readers["play"].reset_pin)
    wires, pin.wires = pin.wires, []
    for wire in wires:
        wire(1.0)  # its pull-up on the board
    yield
    pin.wires = wires


# --- the display ---------------------------------------------------------------------------------


@part_fault
def display_unplugged(board: EmulatedBoard) -> Iterator[None]:
    with struck(board, "display-lost", "display"):
        yield


@part_fault
def display_wire_low(board: EmulatedBoard) -> Iterator[None]:
    with struck(board, "sda-low", "display"):
        yield


@part_fault
def i2c_slow(board: EmulatedBoard) -> Iterator[None]:
    bus = board.i2c_bus
    rate_hz, bus.clock_hz = bus.clock_hz, 100_000
    yield
    bus.clock_hz = rate_hz
