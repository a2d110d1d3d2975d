"""Frames of ISO/IEC 14443-3 Type A at 106 kbit/s: bits, CRC_A, and air times.

Values and pure functions.
May import: the standard library and fakepi.
Source: ISO/IEC 14443-3: 6.1 (timing), 6.2 (frames), 6.3 and 6.4 (commands), annex B (CRC_A).

A frame is an integer, whose bit 0 is the first bit on the air, and a length in bits. Parity bits
are not stored, but are included in the air time, and noise can break them.
"""

from binascii import crc_hqx
from functools import lru_cache
from typing import NamedTuple, Self

ETU_FC = 128  # one bit lasts 128 periods of the carrier. 14443-2, 8.2.1
# Carrier periods from the end of the reader's last bit to the answer. The standard counts them from
# the end of the last pause in the carrier instead: 1236 after a last bit 1, whose pause is in its
# second half, and 1172 after a last bit 0, whose pause is half a bit later, in the end of
# communication. From the end of the last bit, both are the same time. 14443-3, 6.1.2, n = 9
ANSWER_DELAY_FC = 1236
NEXT_COMMAND_DELAY_FC = 1172  # the least time from an answer to the next command. 14443-3, 6.1.3

# Commands: 14443-3, 6.3.1 and table 8. Short frames have 7 bits.
REQA_CODE, WUPA_CODE = 0x26, 0x52
SEL = (0x93, 0x95, 0x97)  # select codes of cascade levels 1, 2, 3
NVB_WHOLE = 0x70  # number of valid bits: all 40, which makes the frame SELECT
CASCADE_TAG = 0x88
HLTA = bytes((0x50, 0x00))
SAK_INCOMPLETE = 0x04  # cascade bit: the UID goes on at the next level

_REVERSED = bytes(int(f"{value:08b}"[::-1], 2) for value in range(256))


def fc_to_ns(periods: int) -> int:
    """Convert *periods* of the 13.56 MHz carrier to nanoseconds, rounded."""
    return (periods * 25_000 + 169) // 339  # 1 / 13.56 MHz = 25000/339 ns


def ns_to_fc(ns: int) -> int:
    """Return the number of whole periods of the 13.56 MHz carrier in *ns* nanoseconds."""
    return ns * 339 // 25_000


def crc_ccitt(data: bytes, preset: int) -> int:
    """Return the 16-bit CRC (ISO/IEC 13239) of *data*, which starts from the value *preset*.

    Each byte is processed from its least significant bit.

    Source:
        ISO/IEC 14443-3, annex B: x^16 + x^12 + x^5 + 1.
    """
    return _reversed16(crc_hqx(data.translate(_REVERSED), _reversed16(preset)))


@lru_cache(maxsize=1024)  # a reader asks the tag on it the same questions again and again
def crc_a(data: bytes) -> bytes:
    """Return the CRC_A of *data* as sent on the air, low byte first (14443-3, 6.2.4)."""
    return crc_ccitt(data, 0x6363).to_bytes(2, "little")


def bits_reversed(data: bytes) -> bytes:
    """Return *data* with the bits of each byte reversed."""
    return data.translate(_REVERSED)


def _reversed16(value: int) -> int:
    return _REVERSED[value & 0xFF] << 8 | _REVERSED[value >> 8]


class Frame(NamedTuple):
    """A frame on the air: *length* bits, packed into *bits* with the first one sent in bit 0.

    *session* replaces Crypto1 encryption: a chip in a different session receives noise.
    *has_wrong_parity* is True if the tag receives this frame with a parity error.
    """

    bits: int
    length: int
    session: bytes | None = None
    has_wrong_parity: bool = False

    @classmethod
    def of(cls, data: bytes) -> Self:
        """Return a frame of the bytes *data*."""
        return cls(int.from_bytes(data, "little"), 8 * len(data))

    @classmethod
    def with_crc(cls, data: bytes) -> Self:
        """Return a frame of the bytes *data* and their CRC_A."""
        return cls.of(data + crc_a(data))

    @property
    def data(self) -> bytes:
        """The bits as bytes. The last byte is padded with zeros."""
        return self.bits.to_bytes((self.length + 7) // 8, "little")

    def payload(self) -> bytes | None:
        """Return the bytes before the CRC_A, or None if the CRC_A or a parity bit is wrong."""
        if self.length % 8 or self.length < 24 or self.has_wrong_parity:
            return None
        data = self.data
        return data[:-2] if crc_a(data[:-2]) == data[-2:] else None


REQA = Frame(REQA_CODE, 7)
WUPA = Frame(WUPA_CODE, 7)


def pcd_frame_etu(length: int) -> int:
    """Return the bit times that a reader's frame with *length* data bits takes up to its last bit.

    The frame consists of a start bit, the data bits, and a parity bit after each whole byte
    (14443-3, 6.2.3).
    """
    return 1 + length + length // 8


def picc_frame_etu(length: int, align: int = 0) -> int:
    """Return the bit times that a tag's frame with *length* data bits takes, from start to end.

    *align* is the number of bits of its first byte that the reader has already sent, in
    anticollision.
    """
    return 2 + length + (align + length) // 8
