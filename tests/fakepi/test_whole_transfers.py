"""Tests that an MFRC522 that takes a transfer at once does the same as byte by byte."""

from collections.abc import Sequence
from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fakepi.clock import VirtualClock
from fakepi.iso14443 import crc_a
from fakepi.mfrc522 import REGISTER_NAMES, Command, Mfrc522, Reg
from fakepi.ntag import Ntag
from fakepi.spi import SharedSpi, SpiChip, SpiDevice
from tests.fakepi.pcd import Pcd

UID = bytes.fromhex("04112233445566")
ALL = range(0x40)


class BytewiseChip(SpiChip):
    """An MFRC522 that takes every transfer byte by byte."""

    def __init__(self, chip: Mfrc522) -> None:
        self._chip = chip

    def select(self) -> None:
        """Begin a transfer."""
        self._chip.select()

    def shift_out(self) -> int:
        """Return the byte on MISO."""
        return self._chip.shift_out()

    def shift_in(self, value: int) -> None:
        """Receive a byte on MOSI."""
        self._chip.shift_in(value)


class Twin:
    """A reader chip with a tag nearby, and what a host has read from it."""

    def __init__(self, *, is_whole: bool, is_shared: bool) -> None:
        self.pcd = Pcd().start()
        self.tag = Ntag(UID)
        self.seen: list[tuple[int, list[int] | str]] = []
        chip: SpiChip = self.pcd.chip if is_whole else BytewiseChip(self.pcd.chip)
        self.shared = SharedSpi()
        self.wire = self.shared.attach(chip)
        self.pcd.bus = SpiDevice(
            self.shared if is_shared else chip, self.pcd.clock, overhead_ns=2_000
        )

    def transfer(self, values: Sequence[int]) -> None:
        """Exchange *values* with the chip; note the answer or the error, and the time."""
        answer: list[int] | str
        try:
            answer = self.pcd.bus.xfer2(list(values))
        except ValueError as refused:
            answer = str(refused)
        self.seen.append((self.pcd.clock.now_ns, answer))

    def reselect(self) -> None:
        """On a shared bus, end a transfer, which otherwise goes on with the next."""
        self.wire.drive(1)
        self.wire.drive(0)

    def disturb_after(self, delay_ns: int, event: str) -> None:
        """Let *event* happen *delay_ns* from now, perhaps in the middle of a transfer."""
        clock: VirtualClock = self.pcd.clock
        clock.call_at(clock.now_ns + delay_ns, partial(self._happen, event))

    def _happen(self, event: str) -> None:
        chip, field = self.pcd.chip, self.pcd.field
        match event:
            case "tag":
                (field.leave if self.tag in field.piccs else field.enter)(self.tag)
            case "brown-out":
                chip.brown_out()
            case "crystal":
                chip.slow_crystal(30_000)
            case "reset":
                chip.reset_pin(False)
            case "release":
                chip.reset_pin(True)
            case "unplug":
                chip.power(False)
            case "plug":
                chip.power(True)
            case "deselect":
                self.wire.drive(1)

    def state(self) -> tuple[object, ...]:
        """Return the time, all registers, and the state of the tag."""
        clock, chip = self.pcd.clock, self.pcd.chip
        return clock.now_ns, [chip.read(address) for address in ALL], self.tag.state


def reads(registers: Sequence[int]) -> list[int]:
    """Return the bytes that read *registers*."""
    return [0x80 | register << 1 for register in registers] + [0x00]


def sends(frame: bytes, last_bits: int) -> list[list[int]]:
    """Return the transfers that send *frame*, *last_bits* bits of its last byte."""
    return [
        [Reg.COMMAND << 1, Command.TRANSCEIVE],
        [Reg.FIFO_DATA << 1, *frame],
        [Reg.BIT_FRAMING << 1, 0x80 | last_bits],
    ]


HALT = b"\x50\x00"
FRAMES = (
    sends(b"\x52", 7),
    sends(b"\x26", 7),
    sends(b"\x93\x20", 0),
    sends(HALT + crc_a(HALT), 0),
    sends(bytes(range(60)), 0),
)
MEANT = (
    Reg.COMMAND, Reg.COM_IRQ, Reg.FIFO_DATA, Reg.FIFO_LEVEL, Reg.WATER_LEVEL, Reg.CONTROL,
    Reg.BIT_FRAMING, Reg.RX_MODE, Reg.TX_MODE, Reg.TX_CONTROL, Reg.T_MODE, Reg.AUTO_TEST,
)  # fmt: skip
EVENTS = ("tag", "brown-out", "crystal", "reset", "release", "unplug", "plug", "deselect")
CLEAR_IRQS, CLEAR_FIFO = [Reg.COM_IRQ << 1, 0x7F], [Reg.FIFO_LEVEL << 1, 0x80]
registers = st.sampled_from(
    [*REGISTER_NAMES, *[Reg.COMMAND, Reg.FIFO_DATA, Reg.COM_IRQ, Reg.STATUS2] * 6]
)
data_bytes = st.integers(0, 0xFF)
bursts = st.one_of(
    st.lists(registers, min_size=1, max_size=12).map(reads),
    st.binary(min_size=1, max_size=70).map(lambda data: [Reg.FIFO_DATA << 1, *data]),
)
writes = st.builds(
    lambda register, data: [register << 1, *data],
    st.sampled_from(MEANT),
    st.lists(data_bytes, min_size=1, max_size=3),
)
events = st.tuples(st.integers(0, 60_000), st.sampled_from(EVENTS))
acts = st.one_of(
    st.tuples(bursts).map(list),
    st.tuples(events, bursts, bursts).map(list),
    st.tuples(events, events, bursts).map(list),
    st.tuples(writes, bursts).map(list),
    st.tuples(st.lists(data_bytes, max_size=4)).map(list),
    bursts.map(lambda burst: [CLEAR_FIFO, CLEAR_IRQS, burst, reads((Reg.COM_IRQ, Reg.ERROR))]),
    st.sampled_from(FRAMES),
    st.tuples(st.integers(0, 1_200_000)).map(list),
    st.just(["reselect"]),
)


@pytest.mark.parametrize("is_shared", [False, True], ids=["own select", "shared bus"])
@given(script=st.lists(acts, max_size=30))
@example(script=[[[0x12, 1, 2]], [[0x12, 3, 4]]])
@example(script=[["reselect", reads((Reg.MODE,) * 2), [0x12, 1, 2], [0x12, 3, 4]]])
@example(script=[[(0, "crystal"), (100, "brown-out"), 200, reads((Reg.VERSION,) * 3)]])
@example(script=[[*FRAMES[0], 50_000, reads((Reg.COM_IRQ,) * 10)]])
@example(script=[[(30_000, "brown-out"), reads((Reg.MODE,) * 10)]])
@example(script=[[(0, "brown-out"), 5_000, reads((Reg.COMMAND,) * 10)]])
@example(script=[[(0, "brown-out"), 5_000, [0x12, *range(9)]]])
def test_a_transfer_at_once_does_the_same_as_byte_by_byte(
    is_shared: bool, script: list[list[object]]
) -> None:
    whole, bytewise = (Twin(is_whole=is_whole, is_shared=is_shared) for is_whole in (True, False))
    for twin in (whole, bytewise):
        twin.disturb_after(0, "tag")
        for step in (step for act in script for step in act):
            match step:
                case list(values):
                    twin.transfer(values)
                case int(ns):
                    twin.pcd.clock.advance_ns(ns)
                case (int(ns), str(event)):
                    twin.disturb_after(ns, event)
                case "reselect":
                    twin.reselect()
    assert whole.seen == bytewise.seen
    assert whole.state() == bytewise.state()
