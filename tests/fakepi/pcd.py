"""A minimal card reader for tests: raw MFRC522 register accesses, written from the data sheet.

It shares no code with the drivers, so a mistake in a driver cannot hide one in a chip.
"""

from dataclasses import dataclass

from fakepi.clock import VirtualClock
from fakepi.field import RfField
from fakepi.iso14443 import crc_a
from fakepi.mfrc522 import CollPos, Mfrc522, Reg
from fakepi.physics import ExactPhysics
from fakepi.spi import SpiDevice

WUPA, REQA = 0x52, 0x26
SEL = (0x93, 0x95, 0x97)
COLL_ERR = 0x08


@dataclass(frozen=True)
class Reply:
    """The register values and the received bytes after one exchange."""

    irq: int
    errors: int
    data: bytes
    last_bits: int
    coll: int

    @property
    def is_silence(self) -> bool:
        """Return True if the timer ran out before an answer was received."""
        return not self.irq & 0x20


class Pcd:
    """One reader chip with its own clock, field and bus."""

    def __init__(self, collpos: CollPos = "frame", **bus: int) -> None:
        self.clock = VirtualClock()
        self.field = RfField(self.clock, ExactPhysics())
        self.chip = Mfrc522(self.clock, self.field, collpos=collpos)
        self.bus = SpiDevice(self.chip, self.clock, **bus)

    def start(self) -> "Pcd":
        """Set the chip up, switch the field on, wait for the tags to wake, and return self."""
        self.write(Reg.T_MODE, 0x80)
        self.write(Reg.T_PRESCALER, 0xA9)  # ticks of 25 us
        self.write(Reg.T_RELOAD_L, 19)  # 20 ticks, 0.5 ms
        self.write(Reg.TX_ASK, 0x40)
        self.write(Reg.MODE, 0x3D)
        self.write(Reg.TX_CONTROL, 0x83)
        self.clock.sleep(0.005)
        return self

    def write(self, register: int, *values: int) -> None:
        """Write *values* to one register in one transfer."""
        self.bus.xfer2([register << 1, *values])

    def read(self, *registers: int) -> list[int]:
        """Return the values of *registers*, read in one transfer."""
        return self.bus.xfer2([0x80 | register << 1 for register in registers] + [0])[1:]

    def send(self, data: bytes, *, last_bits: int = 0, align: int = 0) -> None:
        """Start a Transceive command with *data*.

        *last_bits* is the number of bits to send of the last byte, or 0 for all of them. *align* is
        the bit of the first received byte where reception begins.
        """
        self.write(Reg.COMMAND, 0x00)
        self.write(Reg.COM_IRQ, 0x7F)
        self.write(Reg.FIFO_LEVEL, 0x80)
        self.write(Reg.FIFO_DATA, *data)
        self.write(Reg.COMMAND, 0x0C)
        self.write(Reg.BIT_FRAMING, 0x80 | align << 4 | last_bits)

    def wait(self) -> int:
        """Poll until an answer was received or the timer ran out, and return ComIrqReg."""
        while not (irq := self.read(Reg.COM_IRQ)[0]) & 0x21 or (irq & 0x21 == 1 and self._hears()):
            pass
        return irq

    def _hears(self) -> bool:
        return self.read(Reg.STATUS2)[0] & 0x07 == 0b110

    def exchange(self, data: bytes, *, last_bits: int = 0, align: int = 0) -> Reply:
        """Send *data* and wait for the answer."""
        self.send(data, last_bits=last_bits, align=align)
        irq = self.wait()
        errors, level, control, coll = self.read(Reg.ERROR, Reg.FIFO_LEVEL, Reg.CONTROL, Reg.COLL)
        received = bytes(self.read(*[Reg.FIFO_DATA] * level)) if level else b""
        return Reply(irq, errors, received, control & 0x07, coll)

    def exchange_crc(self, data: bytes) -> Reply:
        """Send *data* followed by its CRC_A and wait for the answer."""
        return self.exchange(data + crc_a(data))

    def call(self, code: int = REQA) -> Reply:
        """Send the 7-bit command *code* (REQA or WUPA) and wait for the answer."""
        return self.exchange(bytes((code,)), last_bits=7)

    def select(self) -> bytes | None:
        """Select one of the READY tags and return its UID, or None if no tag answers."""
        uid = b""
        for sel in SEL:
            part = self._anticollide(sel)
            if part is None:
                return None
            select = bytes((sel, 0x70)) + part
            reply = self.exchange_crc(select)
            assert crc_a(reply.data[:1]) == reply.data[1:]
            if not reply.data[0] & 0x04:
                return uid + part[:4]
            uid += part[1:4]
        raise AssertionError("SAK says there is a fourth cascade level")

    def find(self, code: int = REQA) -> bytes | None:
        """Send *code*, select one of the tags that answer and return its UID, or None."""
        return None if self.call(code).is_silence else self.select()

    def halt(self) -> None:
        """Put the selected tag into HALT."""
        assert self.exchange_crc(b"\x50\x00").is_silence

    def inventory(self) -> list[bytes]:
        """Find and halt every tag in IDLE, and return the UIDs."""
        uids = []
        while (uid := self.find()) is not None:
            uids.append(uid)
            self.halt()
        return uids

    def _anticollide(self, sel: int) -> bytes | None:
        """Return the 40 bits of one tag at a cascade level, choosing a 1 at each collision."""
        self.write(Reg.COLL, 0x00)
        known = bits = 0
        while True:
            whole, rest = divmod(known, 8)
            sent = bits.to_bytes(5, "little")[: (known + 7) // 8]
            header = bytes((sel, (2 + whole) << 4 | rest))
            reply = self.exchange(header + sent, last_bits=rest, align=rest)
            if reply.is_silence:
                return None
            got = int.from_bytes(reply.data, "little") >> rest << known
            if not reply.errors & COLL_ERR:
                assert reply.errors == 0
                return (bits | got).to_bytes(5, "little")
            position = self._collision(reply.coll, known)
            bits |= (got | 1 << position) & (2 << position) - 1
            known = position + 1

    def _collision(self, coll: int, known: int) -> int:
        assert not coll & 0x20, "the collision is out of CollPos's range"
        position = (coll & 0x1F or 32) - 1
        if self.chip.collpos == "frame":
            position += known // 8 * 8
        assert position >= known
        return position
