"""MIFARE Classic 1K: 16 sectors of 4 blocks. Two keys, A and B, protect each sector.

The last block of a sector, its *trailer*, holds both keys and the access bits, which say what each
key may read and write. A reader authenticates with one key, which opens a *session* for the sector.

May import: the standard library and fakepi.
Source: MF1S50YYX_V1 data sheet, rev 3.2: 8.6 (memory), 8.7 (access), 9 to 12 (commands).

A *value block* holds a signed number of 32 bits. INCREMENT, DECREMENT and RESTORE read one and put
the result into the transfer buffer, which TRANSFER writes to a block of the same sector.

Authentication has the real messages, but not the real cipher (see fakepi.crypto1). Choices where
the data sheet says nothing: a result that does not fit into 32 bits is refused; the buffer is empty
after TRANSFER, and after the session.
"""

import struct
from collections.abc import Mapping
from functools import reduce
from operator import xor
from random import Random

from fakepi.crypto1 import NONCE_BYTES, Passes, passes
from fakepi.iso14443 import ANSWER_DELAY_FC, ETU_FC, Frame
from fakepi.picc import CommandRefused, Picc, PiccAnswer

AUTH_A, AUTH_B, READ, WRITE = 0x60, 0x61, 0x30, 0xA0
DECREMENT, INCREMENT, RESTORE, TRANSFER = 0xC0, 0xC1, 0xC2, 0xB0
BLOCKS, BLOCK_BYTES, BLOCKS_PER_SECTOR = 64, 16, 4
KEY_A, ACCESS, KEY_B = slice(0, 6), slice(6, 10), slice(10, 16)
TRANSPORT_KEY = b"\xff" * 6
TRANSPORT_TRAILER = TRANSPORT_KEY + bytes.fromhex("FF078069") + TRANSPORT_KEY
# Four bits, no CRC. The NAKs are those for an invalid transfer buffer. Table 10
ACK, NAK_OPERATION, NAK_CRC = Frame(0xA, 4), Frame(0x4, 4), Frame(0x5, 4)
# A write is acknowledged when the EEPROM is written: within 10 ms, here after 2.5 ms.
WRITTEN_DELAY_FC = ANSWER_DELAY_FC + 256 * ETU_FC

# The keys that may read, and those that may write, by access bits C1 C2 C3. Table 8
DATA_ACCESS: Mapping[int, tuple[str, str]] = {
    0b000: ("AB", "AB"),
    0b010: ("AB", ""),
    0b100: ("AB", "B"),
    0b110: ("AB", "B"),
    0b001: ("AB", ""),
    0b011: ("B", "B"),
    0b101: ("B", ""),
    0b111: ("", ""),
}
# The keys that may increment, and those that may decrement, restore and transfer. Table 8
VALUE_ACCESS: Mapping[int, tuple[str, str]] = {
    0b000: ("AB", "AB"),
    0b110: ("B", "AB"),
    0b001: ("", "AB"),
}
# The keys that may write key A, read and write the access bits, read and write key B. Table 7
TRAILER_ACCESS: Mapping[int, tuple[str, str, str, str, str]] = {
    0b000: ("A", "A", "", "A", "A"),
    0b010: ("", "A", "", "A", ""),
    0b100: ("B", "AB", "", "", "B"),
    0b110: ("", "AB", "", "", ""),
    0b001: ("A", "A", "A", "A", "A"),
    0b011: ("B", "AB", "B", "", "B"),
    0b101: ("", "AB", "B", "", ""),
    0b111: ("", "AB", "", "", ""),
}


def value_block(value: int, address: int = 0) -> bytes:
    """Return the 16 bytes of a value block: *value*, signed, three times, and *address* four times.

    The second copy of the value, and the second and fourth copy of the address, are inverted
    (section 8.6.2.1).
    """
    number = struct.pack("<i", value)
    inverted = bytes(byte ^ 0xFF for byte in number)
    return number + inverted + number + bytes((address, address ^ 0xFF) * 2)


class MifareClassic1K(Picc):
    """A MIFARE Classic 1K as delivered (transport configuration), with *uid* (4 bytes).

    *chance* draws the random numbers (nonces) of authentications; if it is None, they depend on the
    UID only.
    """

    def __init__(self, uid: bytes, chance: Random | None = None) -> None:
        if len(uid) != 4:
            raise ValueError(f"this tag has a 4-byte UID, not {len(uid)} bytes")
        self._chance = chance or Random(uid)
        self.memory = bytearray(BLOCKS * BLOCK_BYTES)
        maker = uid + bytes((reduce(xor, uid), 0x08, 0x04, 0x00))
        self._store(0, maker.ljust(BLOCK_BYTES, b"\0"))
        for block in range(3, BLOCKS, BLOCKS_PER_SECTOR):
            self._store(block, TRANSPORT_TRAILER)
        super().__init__(uid, atqa=0x0004, sak=0x08)

    def forget(self) -> None:
        """End the session, and drop an authentication or WRITE that waits for its second frame."""
        self._session: bytes | None = None
        self._key_name = ""
        self._sector = -1
        self._challenge: tuple[str, int, bytes] | None = None
        self._awaits_data_for: int | None = None
        self._awaits_operand: tuple[int, int] | None = None
        self._buffer: bytes | None = None

    def hear_active(self, frame: Frame) -> PiccAnswer | None:
        """Receive the second pass of an authentication, or a command."""
        if self._challenge is not None:
            return self._hear_second_pass(frame)
        if frame.session != self._session:
            self.fall_back()  # encrypted in another session: noise
            return None
        if self._awaits_operand is not None:
            return self._hear_operand(frame)
        return super().hear_active(frame)

    def execute(self, payload: bytes) -> PiccAnswer:
        """Execute AUTH, READ, WRITE or a value operation, or receive the data of a WRITE."""
        if self._awaits_data_for is not None:
            return self._write_data(payload)
        if len(payload) != 2:
            raise CommandRefused(NAK_OPERATION)
        command, block = payload
        if command in (AUTH_A, AUTH_B):
            return self._first_pass("A" if command == AUTH_A else "B", block)
        self._refuse_outside_session(block)
        if command == READ:
            return self._read(block)
        if command == WRITE and self._writers(block) and block:
            self._awaits_data_for = block
            return PiccAnswer(ACK)
        if command in (INCREMENT, DECREMENT, RESTORE, TRANSFER):
            return self._begin_value_operation(command, block)
        raise CommandRefused(NAK_OPERATION)

    def hear_crc_error(self) -> None:
        """Answer NAK 5h: a CRC error."""
        raise CommandRefused(NAK_CRC)

    def _block(self, block: int) -> bytes:
        return bytes(self.memory[block * BLOCK_BYTES : (block + 1) * BLOCK_BYTES])

    def _store(self, block: int, data: bytes) -> None:
        self.memory[block * BLOCK_BYTES : (block + 1) * BLOCK_BYTES] = data

    def _trailer(self, block: int) -> int:
        """Return the number of the trailer block of the sector that contains *block*."""
        return block | BLOCKS_PER_SECTOR - 1

    def _first_pass(self, key_name: str, block: int) -> PiccAnswer:
        if block >= BLOCKS:
            raise CommandRefused(NAK_OPERATION)
        nonce = self._chance.randbytes(NONCE_BYTES)
        self._challenge = (key_name, block, nonce)
        return PiccAnswer(Frame.of(nonce))

    def _hear_second_pass(self, frame: Frame) -> PiccAnswer | None:
        assert self._challenge is not None
        (key_name, block, nonce), self._challenge = self._challenge, None
        keys = self._block(self._trailer(block))
        expected = self._passes(keys[KEY_A if key_name == "A" else KEY_B], nonce, frame.data)
        is_right = frame.length == 16 * NONCE_BYTES and not frame.has_wrong_parity
        if not is_right or frame.data[NONCE_BYTES:] != expected.reader_answer:
            self.fall_back()  # a wrong key gets no answer
            return None
        self._session, self._key_name = expected.session, key_name
        self._sector = block // BLOCKS_PER_SECTOR
        return PiccAnswer(Frame.of(expected.tag_answer))

    def _passes(self, key: bytes, nonce: bytes, second_pass: bytes) -> Passes:
        return passes(key, self.uid, nonce, second_pass[:NONCE_BYTES])

    def _refuse_outside_session(self, block: int) -> None:
        if self._session is None or block // BLOCKS_PER_SECTOR != self._sector:
            raise CommandRefused(NAK_OPERATION)
        if self._key_name == "B" and "A" in self._trailer_access(block)[3]:
            raise CommandRefused(NAK_OPERATION)  # a readable key B opens nothing. Section 8.7.2

    def _access_bits(self, block: int) -> int:
        """Return the access bits C1 C2 C3 of *block*, as a number from 0 to 7.

        The trailer stores each bit twice, once inverted (section 8.7.1).

        Raises:
            CommandRefused: the two copies disagree.
        """
        inverted, mixed, straight = self._block(self._trailer(block))[ACCESS][:3]
        c1, c2, c3 = mixed >> 4, straight & 0xF, straight >> 4
        if inverted != (~c2 & 0xF) << 4 | ~c1 & 0xF or mixed & 0xF != ~c3 & 0xF:
            raise CommandRefused(NAK_OPERATION)  # a format violation blocks the sector for good
        at = block % BLOCKS_PER_SECTOR
        return (c1 >> at & 1) << 2 | (c2 >> at & 1) << 1 | c3 >> at & 1

    def _trailer_access(self, block: int) -> tuple[str, str, str, str, str]:
        return TRAILER_ACCESS[self._access_bits(self._trailer(block))]

    def _writers(self, block: int) -> bool:
        if block == self._trailer(block):
            key_a, _, access, _, key_b = self._trailer_access(block)
            return self._key_name in key_a + access + key_b
        return self._key_name in DATA_ACCESS[self._access_bits(block)][1]

    def _begin_value_operation(self, command: int, block: int) -> PiccAnswer:
        """Execute TRANSFER, or acknowledge the first part of another operation (section 12.6)."""
        is_data = block and block != self._trailer(block)
        access = VALUE_ACCESS.get(self._access_bits(block), ("", ""))
        if not is_data or self._key_name not in access[0 if command == INCREMENT else 1]:
            raise CommandRefused(NAK_OPERATION)
        if command != TRANSFER:
            self._value(block)
            self._awaits_operand = (command, block)
            return PiccAnswer(ACK)
        if self._buffer is None:
            raise CommandRefused(NAK_OPERATION)
        self._store(block, self._buffer)
        self._buffer = None
        return PiccAnswer(ACK, WRITTEN_DELAY_FC)

    def _hear_operand(self, frame: Frame) -> PiccAnswer | None:
        """Receive the second part of a value operation, which has no answer if it succeeds."""
        assert self._awaits_operand is not None
        (command, block), self._awaits_operand = self._awaits_operand, None
        operand = frame.payload()
        value = self._value(block)
        if operand is not None and len(operand) == 4:
            amount = struct.unpack("<i", operand)[0] if command != RESTORE else 0
            value += amount if command == INCREMENT else -amount
            if -(1 << 31) <= value < 1 << 31:
                address = self._block(block)[12:]
                self._buffer = value_block(value)[:12] + address
                return None
        self.fall_back()
        return PiccAnswer(NAK_OPERATION if operand else NAK_CRC)

    def _value(self, block: int) -> int:
        """Return the number in a value block (section 8.6.2.1).

        Raises:
            CommandRefused: its copies disagree, so it is not a value block.
        """
        data = self._block(block)
        value: int = struct.unpack("<i", data[:4])[0]
        if data != value_block(value, data[12]):
            raise CommandRefused(NAK_OPERATION)
        return value

    def _read(self, block: int) -> PiccAnswer:
        data = self._block(block)
        if block == self._trailer(block):
            _, access, _, key_b, _ = self._trailer_access(block)
            data = bytes(6) + self._mask(data[ACCESS], access) + self._mask(data[KEY_B], key_b)
        elif self._key_name not in DATA_ACCESS[self._access_bits(block)][0]:
            raise CommandRefused(NAK_OPERATION)
        return PiccAnswer(Frame.with_crc(data))

    def _mask(self, data: bytes, readers: str) -> bytes:
        """Return *data*, or zeros if the current key is not in *readers*, such as "AB"."""
        return data if self._key_name in readers else bytes(len(data))

    def _write_data(self, data: bytes) -> PiccAnswer:
        block, self._awaits_data_for = self._awaits_data_for, None
        if block is None or len(data) != BLOCK_BYTES:
            raise CommandRefused(NAK_OPERATION)
        if block == self._trailer(block):
            data = self._merged_trailer(block, data)
        self._store(block, data)
        return PiccAnswer(ACK, WRITTEN_DELAY_FC)

    def _merged_trailer(self, block: int, data: bytes) -> bytes:
        """Return the old trailer, with the parts from *data* that the current key may write."""
        key_a, _, access, _, key_b = self._trailer_access(block)
        old = self._block(block)
        parts = ((KEY_A, key_a), (ACCESS, access), (KEY_B, key_b))
        return b"".join(
            data[part] if self._key_name in writers else old[part] for part, writers in parts
        )
