"""Tags with pages of 4 bytes: the common part of Ultralight and NTAG, and the Ultralight itself.

May import: the standard library and fakepi.
Source: MF0ICU1 data sheet (MIFARE Ultralight), rev 3.9: 8.4 to 8.6, and 9.
"""

from collections.abc import Callable, Mapping
from functools import reduce
from operator import xor
from typing import ClassVar

from fakepi.iso14443 import ANSWER_DELAY_FC, CASCADE_TAG, ETU_FC, Frame
from fakepi.picc import CommandRefused, Picc, PiccAnswer, uid_bytes

PAGE_BYTES = 4
READ, WRITE, COMPATIBILITY_WRITE = 0x30, 0xA2, 0xA0
READ_PAGE_0 = bytes((READ, 0))
# Four bits, no CRC. NTAG21x data sheet, table 23; MF0ICU1, section 8.6
ACK = Frame(0xA, 4)
NAK_ARGUMENT = Frame(0x0, 4)
NAK_CRC = Frame(0x1, 4)
# A write is acknowledged when the EEPROM is written: within 10 ms, here after 4.1 ms.
WRITTEN_DELAY_FC = ANSWER_DELAY_FC + 425 * ETU_FC

LOCK_PAGE, OTP_PAGE = 2, 3


def uid_pages(uid: bytes) -> bytes:
    """Return the 12 bytes of pages 0 to 2 of a new tag: UID, check bytes, 48h, no lock bits."""
    if len(uid) != 7:
        raise ValueError(f"the UID of this kind of tag must have 7 bytes, not {len(uid)}")
    bcc0 = reduce(xor, uid[:3], CASCADE_TAG)
    bcc1 = reduce(xor, uid[3:])
    return uid[:3] + bytes((bcc0,)) + uid[3:] + bytes((bcc1, 0x48, 0x00, 0x00))


class Type2(Picc):
    """A tag with pages of 4 bytes and a 7-byte UID, with lock bits and one-time bits (OTP)."""

    ATQA: ClassVar[int] = 0x0044
    SAK: ClassVar[int] = 0x00

    def __init__(self, uid: bytes, memory: bytes) -> None:
        self.memory = bytearray(memory)
        self._awaits_data_for: int | None = None
        super().__init__(uid, atqa=self.ATQA, sak=self.SAK)
        self._commands: Mapping[int, Callable[[bytes], PiccAnswer]] = self.commands()

    @property
    def pages(self) -> int:
        """The number of pages of this tag."""
        return len(self.memory) // PAGE_BYTES

    def commands(self) -> Mapping[int, Callable[[bytes], PiccAnswer]]:
        """Return the handlers of the commands in the ACTIVE state, by command code."""
        return {
            READ: self._read,
            WRITE: self._write,
            COMPATIBILITY_WRITE: self._compatibility_write,
        }

    def execute(self, payload: bytes) -> PiccAnswer:
        """Execute a command, or the second half of a COMPATIBILITY WRITE."""
        if self._awaits_data_for is not None:
            return self._compatibility_write_data(payload)
        command = self._commands.get(payload[0])
        if command is None:
            raise CommandRefused(NAK_ARGUMENT)
        return command(payload[1:])

    def execute_early(self, payload: bytes) -> PiccAnswer | None:
        """Execute READ of page 0, which selects the tag in READY (MF0ICU1, 8.4.2 and 8.4.3)."""
        return self.execute(payload) if payload == READ_PAGE_0 else None

    def hear_crc_error(self) -> None:
        """Answer NAK 1h: a CRC error."""
        raise CommandRefused(NAK_CRC)

    def forget(self) -> None:
        """Drop a COMPATIBILITY WRITE that waits for its data."""
        self._awaits_data_for = None

    def visible(self) -> bytes:
        """Return the memory as READ shows it."""
        return bytes(self.memory)

    def may_write(self, page: int) -> bool:
        """Return True if *page* may be written (MF0ICU1, 8.5.2)."""
        if page < LOCK_PAGE:
            return False
        if not OTP_PAGE <= page < 16:
            return True
        locks = int.from_bytes(self.memory[10:12], "little")
        return not locks >> page & 1

    def store(self, page: int, data: bytes) -> None:
        """Write 4 bytes to *page*. Lock and OTP bits are never cleared (MF0ICU1, 8.5.2, 8.5.3)."""
        start = page * PAGE_BYTES
        old = self.memory[start : start + PAGE_BYTES]
        if page == LOCK_PAGE:
            data = bytes(old[:2]) + _more_locks(bytes(old[2:]), data[2:])
        elif page == OTP_PAGE:
            data = bytes(a | b for a, b in zip(old, data, strict=True))
        self.memory[start : start + PAGE_BYTES] = data

    def check_readable(self, page: int) -> None:
        """Refuse a page that may not be read.

        Raises:
            CommandRefused: the page does not exist.
        """
        if page >= self.pages:
            raise CommandRefused(NAK_ARGUMENT)

    def _read(self, arguments: bytes) -> PiccAnswer:
        page = _only(arguments)
        self.check_readable(page)
        memory = self.visible()
        start = page * PAGE_BYTES
        return PiccAnswer(Frame.with_crc((memory + memory)[start : start + 16]))

    def _write(self, arguments: bytes) -> PiccAnswer:
        if len(arguments) != 1 + PAGE_BYTES:
            raise CommandRefused(NAK_ARGUMENT)
        return self._write_page(arguments[0], arguments[1:])

    def _write_page(self, page: int, data: bytes) -> PiccAnswer:
        if page >= self.pages or not self.may_write(page):
            raise CommandRefused(NAK_ARGUMENT)
        self.store(page, data)
        return PiccAnswer(ACK, WRITTEN_DELAY_FC)

    def _compatibility_write(self, arguments: bytes) -> PiccAnswer:
        page = _only(arguments)
        if page >= self.pages or not self.may_write(page):
            raise CommandRefused(NAK_ARGUMENT)
        self._awaits_data_for = page
        return PiccAnswer(ACK)

    def _compatibility_write_data(self, data: bytes) -> PiccAnswer:
        page, self._awaits_data_for = self._awaits_data_for, None
        if page is None or len(data) != 16:
            raise CommandRefused(NAK_ARGUMENT)
        return self._write_page(page, data[:PAGE_BYTES])


def _only(arguments: bytes) -> int:
    """Return the only byte of *arguments*.

    Raises:
        CommandRefused: there is not exactly one byte.
    """
    if len(arguments) != 1:
        raise CommandRefused(NAK_ARGUMENT)
    return arguments[0]


def _more_locks(old: bytes, new: bytes) -> bytes:
    """Return the lock bytes *old* with the bits of *new* set, except frozen ones.

    The block-lock bits 0 to 2 freeze the lock bits of some pages.
    """
    locks, wanted = int.from_bytes(old, "little"), int.from_bytes(new, "little")
    for frozen, pages in ((0, 0x0008), (1, 0x03F0), (2, 0xFC00)):
        if locks >> frozen & 1:
            wanted &= ~pages
    return (locks | wanted).to_bytes(2, "little")


class Ultralight(Type2):
    """A MIFARE Ultralight with 16 pages, 48 bytes for the user, from ``memory[16]`` on."""

    PAGES: ClassVar[int] = 16

    def __init__(self, uid: str | bytes) -> None:
        uid = uid_bytes(uid, 7)
        super().__init__(uid, uid_pages(uid).ljust(self.PAGES * PAGE_BYTES, b"\0"))
