"""Frames of ISO/IEC 14443-3 Type A at 106 kbit/s: bits, CRC_A, and how long they are on the air.

Room: sim/chips. Values and pure functions.
May import: the standard library and sim.chips.
Source: ISO/IEC 14443-3: 6.1 (timing), 6.2 (frames), 6.3 and 6.4 (commands), annex B (CRC_A).

A frame is one whole number, first bit on the air in bit 0, with its length in bits. Parity bits are
counted in the air time and checked by whoever adds noise, but are not stored.
"""

from binascii import crc_hqx
from dataclasses import dataclass
from typing import Self

ETU_FC = 128  # one bit lasts 128 periods of the carrier. 14443-2, 8.2.1
# From the end of the last bit to the answer. The frame delay time is counted from the end of the
# last pause: 1236/fc after a last bit 1, whose pause is in the bit's second half, and 1172/fc after
# a last bit 0, whose pause is half a bit later, at the start of the end of communication. Counted
# from the end of the last bit both are the same. 14443-3, 6.1.2, n = 9
ANSWER_DELAY_FC = 1236
NEXT_COMMAND_DELAY_FC = 1172  # from an answer to the next command, at least. 14443-3, 6.1.3

# Commands: 14443-3, 6.3.1 and table 8. Short frames have 7 bits.
REQA_CODE, WUPA_CODE = 0x26, 0x52
SEL = (0x93, 0x95, 0x97)  # select codes of cascade levels 1, 2, 3
NVB_WHOLE = 0x70  # number of valid bits: all 40, so this is SELECT, with CRC_A
CASCADE_TAG = 0x88
HLTA = bytes((0x50, 0x00))
SAK_INCOMPLETE = 0x04  # cascade bit: the UID goes on at the next level

_REVERSED = bytes(int(f"{value:08b}"[::-1], 2) for value in range(256))


def fc_to_ns(periods: int) -> int:
    """Nanoseconds of *periods* of the 13.56 MHz carrier, rounded."""
    return (periods * 25_000 + 169) // 339  # 1 / 13.56 MHz = 25000/339 ns


def ns_to_fc(ns: int) -> int:
    """Whole periods of the 13.56 MHz carrier in *ns* nanoseconds."""
    return ns * 339 // 25_000


def crc_ccitt(data: bytes, preset: int) -> int:
    """The CRC of ISO/IEC 13239 over *data*, least significant bit first, started from *preset*.

    Source:
        ISO/IEC 14443-3, annex B: x^16 + x^12 + x^5 + 1.
    """
    return _reversed16(crc_hqx(data.translate(_REVERSED), _reversed16(preset)))


def crc_a(data: bytes) -> bytes:
    """CRC_A of *data* as it goes on the air, low byte first (14443-3, 6.2.4)."""
    return crc_ccitt(data, 0x6363).to_bytes(2, "little")


def bits_reversed(data: bytes) -> bytes:
    """*data* with the bits of every byte in the other order."""
    return data.translate(_REVERSED)


def _reversed16(value: int) -> int:
    return _REVERSED[value & 0xFF] << 8 | _REVERSED[value >> 8]


@dataclass(frozen=True, slots=True)
class Frame:
    """Bits on the air: *bits* with the first one in bit 0, *length* of them.

    *session* stands for Crypto1: a frame that carries one is noise to whoever does not share it.
    *has_wrong_parity* is how a tag hears a frame of which a parity bit does not fit.
    """

    bits: int
    length: int
    session: bytes | None = None
    has_wrong_parity: bool = False

    @classmethod
    def of(cls, data: bytes) -> Self:
        """*data* as it is."""
        return cls(int.from_bytes(data, "little"), 8 * len(data))

    @classmethod
    def with_crc(cls, data: bytes) -> Self:
        """*data* followed by its CRC_A."""
        return cls.of(data + crc_a(data))

    @property
    def data(self) -> bytes:
        """The bits as bytes, the last one filled up with zeros."""
        return self.bits.to_bytes((self.length + 7) // 8, "little")

    def payload(self) -> bytes | None:
        """The bytes before a right CRC_A, or ``None`` when there is no such thing."""
        if self.length % 8 or self.length < 24 or self.has_wrong_parity:
            return None
        data = self.data
        return data[:-2] if crc_a(data[:-2]) == data[-2:] else None


REQA = Frame(REQA_CODE, 7)
WUPA = Frame(WUPA_CODE, 7)


def pcd_frame_etu(length: int) -> int:
    """Bit times from the start of a reader's frame to the end of its last bit.

    Start of communication, the bits, and a parity bit after each whole byte. 14443-3, 6.2.3
    """
    return 1 + length + length // 8


def picc_frame_etu(length: int, align: int = 0) -> int:
    """Bit times of a tag's whole frame, end of communication included.

    *align* bits of the first byte were sent by the reader (bit oriented anticollision frame).
    """
    return 2 + length + (align + length) // 8
