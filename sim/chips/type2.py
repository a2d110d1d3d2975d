"""Tags of 4-byte pages: what Ultralight and NTAG have in common, and the Ultralight itself.

Room: sim/chips.
May import: the standard library and sim.chips.
Source: MF0ICU1 data sheet (MIFARE Ultralight), rev 3.9: 8.4 to 8.6, and 9.
"""

from collections.abc import Callable, Mapping
from functools import reduce
from operator import xor
from typing import ClassVar

from sim.chips.iso14443 import ANSWER_DELAY_FC, CASCADE_TAG, ETU_FC, Frame
from sim.chips.picc import Answer, Picc, Refused

PAGE_BYTES = 4
READ, WRITE, COMPATIBILITY_WRITE = 0x30, 0xA2, 0xA0
READ_PAGE_0 = bytes((READ, 0))
# Four bits, no CRC. NTAG21x data sheet, table 23; MF0ICU1, section 8.6
ACK = Frame(0xA, 4)
NAK_ARGUMENT = Frame(0x0, 4)
NAK_CRC = Frame(0x1, 4)
# An acknowledged write comes when the EEPROM has it: within 10 ms, here after 4.1 ms.
WRITTEN_DELAY_FC = ANSWER_DELAY_FC + 425 * ETU_FC

LOCK_PAGE, OTP_PAGE = 2, 3


def uid_pages(uid: bytes) -> bytes:
    """Pages 0 to 2 as a 7-byte *uid* leaves the factory: check bytes, 48h, nothing locked."""
    if len(uid) != 7:
        raise ValueError(f"this tag has a 7-byte UID, not {len(uid)} bytes")
    bcc0 = reduce(xor, uid[:3], CASCADE_TAG)
    bcc1 = reduce(xor, uid[3:])
    return uid[:3] + bytes((bcc0,)) + uid[3:] + bytes((bcc1, 0x48, 0x00, 0x00))


class Type2(Picc):
    """A tag of 4-byte pages with a 7-byte UID: READ, WRITE, COMPATIBILITY WRITE, locks and OTP."""

    ATQA: ClassVar[int] = 0x0044
    SAK: ClassVar[int] = 0x00

    def __init__(self, uid: bytes, memory: bytes) -> None:
        self.memory = bytearray(memory)
        self._awaits_data_for: int | None = None
        super().__init__(uid, atqa=self.ATQA, sak=self.SAK)
        self._commands: Mapping[int, Callable[[bytes], Answer]] = self.commands()

    @property
    def pages(self) -> int:
        """How many pages this tag has."""
        return len(self.memory) // PAGE_BYTES

    def commands(self) -> Mapping[int, Callable[[bytes], Answer]]:
        """What this tag understands when ACTIVE: command code to what answers it."""
        return {
            READ: self._read,
            WRITE: self._write,
            COMPATIBILITY_WRITE: self._compatibility_write,
        }

    def execute(self, payload: bytes) -> Answer:
        """Answer a command, or take the second half of a COMPATIBILITY WRITE."""
        if self._awaits_data_for is not None:
            return self._compatibility_write_data(payload)
        command = self._commands.get(payload[0])
        if command is None:
            raise Refused(NAK_ARGUMENT)
        return command(payload[1:])

    def execute_early(self, payload: bytes) -> Answer | None:
        """READ of page 0 ends anticollision in READY 1 and READY 2 (MF0ICU1, 8.4.2 and 8.4.3)."""
        return self.execute(payload) if payload == READ_PAGE_0 else None

    def garbled(self) -> None:
        """NAK 1h."""
        raise Refused(NAK_CRC)

    def forget(self) -> None:
        """A COMPATIBILITY WRITE does not wait for its data any more."""
        self._awaits_data_for = None

    def visible(self) -> bytes:
        """The memory as READ shows it."""
        return bytes(self.memory)

    def may_write(self, page: int) -> bool:
        """Whether WRITE to *page* is acknowledged (MF0ICU1, 8.5.2)."""
        if page < LOCK_PAGE:
            return False
        if not OTP_PAGE <= page < 16:
            return True
        locks = int.from_bytes(self.memory[10:12], "little")
        return not locks >> page & 1

    def store(self, page: int, data: bytes) -> None:
        """Put 4 bytes into *page*; locks and OTP only gain bits (MF0ICU1, 8.5.2 and 8.5.3)."""
        start = page * PAGE_BYTES
        old = self.memory[start : start + PAGE_BYTES]
        if page == LOCK_PAGE:
            data = bytes(old[:2]) + _more_locks(bytes(old[2:]), data[2:])
        elif page == OTP_PAGE:
            data = bytes(a | b for a, b in zip(old, data, strict=True))
        self.memory[start : start + PAGE_BYTES] = data

    def readable(self, page: int) -> None:
        """Refuse a page that does not exist or is not to be read."""
        if page >= self.pages:
            raise Refused(NAK_ARGUMENT)

    def _read(self, arguments: bytes) -> Answer:
        page = _only(arguments)
        self.readable(page)
        memory = self.visible()
        start = page * PAGE_BYTES
        return Answer(Frame.with_crc((memory + memory)[start : start + 16]))

    def _write(self, arguments: bytes) -> Answer:
        if len(arguments) != 1 + PAGE_BYTES:
            raise Refused(NAK_ARGUMENT)
        return self._written(arguments[0], arguments[1:])

    def _written(self, page: int, data: bytes) -> Answer:
        if page >= self.pages or not self.may_write(page):
            raise Refused(NAK_ARGUMENT)
        self.store(page, data)
        return Answer(ACK, WRITTEN_DELAY_FC)

    def _compatibility_write(self, arguments: bytes) -> Answer:
        page = _only(arguments)
        if page >= self.pages or not self.may_write(page):
            raise Refused(NAK_ARGUMENT)
        self._awaits_data_for = page
        return Answer(ACK)

    def _compatibility_write_data(self, data: bytes) -> Answer:
        page, self._awaits_data_for = self._awaits_data_for, None
        if page is None or len(data) != 16:
            raise Refused(NAK_ARGUMENT)
        return self._written(page, data[:PAGE_BYTES])


def _only(arguments: bytes) -> int:
    if len(arguments) != 1:
        raise Refused(NAK_ARGUMENT)
    return arguments[0]


def _more_locks(old: bytes, new: bytes) -> bytes:
    """Lock bits with *new* ones set, save those frozen by the block-lock bits 0 to 2."""
    locks, wanted = int.from_bytes(old, "little"), int.from_bytes(new, "little")
    for frozen, pages in ((0, 0x0008), (1, 0x03F0), (2, 0xFC00)):
        if locks >> frozen & 1:
            wanted &= ~pages
    return (locks | wanted).to_bytes(2, "little")


class Ultralight(Type2):
    """MIFARE Ultralight: 16 pages, 48 bytes to write to."""

    PAGES: ClassVar[int] = 16

    def __init__(self, uid: bytes) -> None:
        super().__init__(uid, uid_pages(uid).ljust(self.PAGES * PAGE_BYTES, b"\0"))
