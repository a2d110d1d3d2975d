"""The radio side of a tag (PICC): its states, REQA and WUPA, anticollision and SELECT.

REQA and WUPA ask tags to answer; WUPA also wakes tags that were halted. HLTA halts a tag. See
``fakepi`` for the other terms.

This module handles frames, but has no code for a reader.
May import: the standard library and fakepi.
Source: ISO/IEC 14443-3, section 6 and the state diagram of figure 7.
"""

from collections.abc import Sequence
from enum import Enum, auto
from functools import reduce
from operator import xor
from random import Random
from typing import NamedTuple

from fakepi.iso14443 import (
    ANSWER_DELAY_FC,
    CASCADE_TAG,
    HLTA,
    NVB_WHOLE,
    REQA,
    SAK_INCOMPLETE,
    SEL,
    WUPA,
    Frame,
)

PART_BITS = 40  # UID CLn: four bytes (of the UID, or CT and three), and the BCC
RANDOM_UID_FIRST = 0x08  # 14443-3, 6.4.4: a random UID, drawn at power-up


class PiccState(Enum):
    """The state of a tag (14443-3, 6.3).

    An IDLE tag waits for REQA or WUPA, a HALT tag only for WUPA. READY tags take part in
    anticollision. The ACTIVE tag is the one selected.
    """

    POWER_OFF = auto()
    IDLE = auto()
    READY = auto()  # `Picc.level` is the cascade level
    ACTIVE = auto()
    HALT = auto()


class PiccAnswer(NamedTuple):
    """A tag's answer. It begins *delay_fc* carrier periods after the reader's last bit."""

    frame: Frame
    delay_fc: int = ANSWER_DELAY_FC


class CommandRefused(Exception):
    """The tag refuses a command. It answers with *frame*, or not at all, and is deselected."""

    def __init__(self, frame: Frame | None = None) -> None:
        super().__init__("the tag refuses the command")
        self.frame = frame


def uid_bytes(uid: str | bytes, length: int) -> bytes:
    """Return *uid* as bytes.

    Args:
        uid: bytes, or hexadecimal digits with or without colons, dashes or spaces.
        length: the number of bytes that the tag has: 4 or 7.

    Raises:
        ValueError: the UID has another length or other characters.
        TypeError: it is a number.
    """
    if isinstance(uid, int):
        text = uid.to_bytes(max(length, (uid.bit_length() + 7) // 8)).hex(":").upper()
        raise TypeError(f'a UID is a string, not a number. Write "{text}"')
    digits = uid.translate({ord(sign): None for sign in ":- "}) if isinstance(uid, str) else ""
    try:
        found = bytes.fromhex(digits) if isinstance(uid, str) else bytes(uid)
    except ValueError as wrong:
        raise ValueError(f'the UID "{uid!s}" is not hexadecimal. Write "04:A1:B2:C3"') from wrong
    if len(found) != length:
        raise ValueError(f"this tag has a {length}-byte UID, not {len(found)} bytes ({uid!r})")
    return found


def cascade_parts(uid: bytes) -> Sequence[int]:
    """Return the parts of *uid*, one per cascade level (14443-3, 6.4.4), as 40-bit integers.

    A part is four bytes (all but the last part begin with the cascade tag, 88h) and their XOR, the
    check byte BCC.

    Raises:
        ValueError: the UID does not have 4, 7 or 10 bytes.
    """
    if len(uid) not in (4, 7, 10):
        raise ValueError(f"a UID has 4, 7 or 10 bytes, not {len(uid)}")
    groups = [uid[-4:]]
    for end in range(len(uid) - 4, 0, -3):
        groups.insert(0, bytes((CASCADE_TAG,)) + uid[end - 3 : end])
    return [int.from_bytes(group + bytes((reduce(xor, group),)), "little") for group in groups]


class Picc:
    """A Type A tag that can be found and selected. A subclass adds its commands.

    A subclass overrides ``execute()`` for commands in the ACTIVE state (selected), and
    ``execute_early()`` for commands in the READY state (awake, but not selected yet). In
    ``forget()`` it resets everything that lasts only while the tag is selected.

    ``fields_entered`` counts the calls of ``add_field()``. The tag answers from ``awake_ns`` on, a
    time of the virtual clock.
    """

    def __init__(self, uid: bytes, *, atqa: int, sak: int) -> None:
        self._atqa = Frame.of(atqa.to_bytes(2, "little"))
        self._sak = Frame.with_crc(bytes((sak,)))
        self._set_uid(uid)
        self.state = PiccState.POWER_OFF
        self.level = 1
        self.awake_ns = 0
        self.fields_entered = 0
        self._fields = 0
        self._was_halted = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.uid.hex(' ')} {self.state.name}>"

    @property
    def uid(self) -> bytes:
        """The UID, without check bytes."""
        return self._uid

    def add_field(self, awake_ns: int) -> None:
        """Power the tag from one more field.

        It answers from *awake_ns* on, or earlier if it is already awake.
        """
        self._fields += 1
        self.fields_entered += 1
        if self.state is PiccState.POWER_OFF:
            self.awake_ns = awake_ns
            self.power_up()
        else:
            self.awake_ns = min(self.awake_ns, awake_ns)

    def remove_field(self) -> bool:
        """Remove one of the fields that power the tag; return True if no field remains."""
        self._fields -= 1
        return not self._fields

    def power_up(self) -> None:
        """Start in the IDLE state, because the tag has just got power from a field."""
        self.state = PiccState.IDLE
        self.forget()

    def power_down(self) -> None:
        """Lose all state outside the memory, because the tag has lost its power."""
        self.state = PiccState.POWER_OFF
        self.forget()

    def hear(self, frame: Frame) -> PiccAnswer | None:
        """Receive a frame of the reader and return the answer, or None."""
        match self.state:
            case PiccState.IDLE | PiccState.HALT:
                return self._hear_waiting(frame)
            case PiccState.READY:
                return self._hear_ready(frame)
            case PiccState.ACTIVE:
                return self.hear_active(frame)
            case PiccState.POWER_OFF:
                return None

    def execute(self, payload: bytes) -> PiccAnswer:
        """Execute a command in the ACTIVE state. *payload* is without its CRC.

        Raises:
            CommandRefused: the command is unknown or not allowed.
        """
        raise CommandRefused

    def execute_early(self, payload: bytes) -> PiccAnswer | None:
        """Execute a command that selects a READY tag without SELECT; return None for any other."""
        return None

    def hear_crc_error(self) -> None:
        """Handle a frame with a wrong CRC in the ACTIVE state.

        Raises:
            CommandRefused: always, with a NAK as the frame if the subclass's tags send one.
        """
        raise CommandRefused

    def forget(self) -> None:
        """Reset everything that lasts only while the tag is in the ACTIVE state."""

    def hear_active(self, frame: Frame) -> PiccAnswer | None:
        """Receive a frame in the ACTIVE state: HLTA, or a command of the subclass."""
        payload = frame.payload()
        if payload == HLTA:
            self.state = PiccState.HALT
            self.forget()
            return None
        try:
            if payload is not None:
                return self.execute(payload)
            if frame.length >= 24:
                self.hear_crc_error()
        except CommandRefused as refused:
            self.fall_back()
            return PiccAnswer(refused.frame) if refused.frame else None
        self.fall_back()
        return None

    def fall_back(self) -> None:
        """Go back to IDLE or HALT after an unexpected frame (14443-3, figure 7)."""
        self.state = PiccState.HALT if self._was_halted else PiccState.IDLE
        self.forget()

    def _set_uid(self, uid: bytes) -> None:
        self._uid = uid
        self._parts = cascade_parts(uid)

    def _hear_waiting(self, frame: Frame) -> PiccAnswer | None:
        if frame != WUPA and (frame != REQA or self.state is PiccState.HALT):
            return None
        self._was_halted = self.state is PiccState.HALT
        self.state = PiccState.READY
        self.level = 1
        return PiccAnswer(self._atqa)

    def _hear_ready(self, frame: Frame) -> PiccAnswer | None:
        answer = None
        if frame.session is None and frame.length >= 16 and not frame.has_wrong_parity:
            if frame.bits & 0xFF != SEL[self.level - 1]:
                answer = self._hear_early(frame)
            elif frame.bits >> 8 & 0xFF == NVB_WHOLE:
                answer = self._hear_select(frame)
            else:
                answer = self._hear_anticollision(frame)
        if answer is None:
            self.fall_back()
        return answer

    def _hear_anticollision(self, frame: Frame) -> PiccAnswer | None:
        whole, rest = divmod(frame.bits >> 8 & 0xFF, 16)
        known = 8 * (whole - 2) + rest
        if not 0 <= known < PART_BITS or rest > 7 or frame.length != 16 + known:
            return None
        part = self._parts[self.level - 1]
        if (part ^ frame.bits >> 16) & (1 << known) - 1:
            return None
        return PiccAnswer(Frame(part >> known, PART_BITS - known))

    def _hear_select(self, frame: Frame) -> PiccAnswer | None:
        payload = frame.payload()
        if payload is None or int.from_bytes(payload[2:], "little") != self._parts[self.level - 1]:
            return None
        if self.level < len(self._parts):
            self.level += 1
            return PiccAnswer(Frame.with_crc(bytes((SAK_INCOMPLETE,))))
        self.state = PiccState.ACTIVE
        return PiccAnswer(self._sak)

    def _hear_early(self, frame: Frame) -> PiccAnswer | None:
        payload = frame.payload()
        answer = None if payload is None else self.execute_early(payload)
        if answer is not None:
            self.state = PiccState.ACTIVE
        return answer


class RandomUid4(Picc):
    """A tag that draws a new 4-byte UID at every power-up, as phones and passports do.

    Source:
        ISO/IEC 14443-3, 6.4.4: first byte 08h, the rest random, chosen at power-up.
    """

    def __init__(self, chance: Random, *, atqa: int = 0x0004, sak: int = 0x20) -> None:
        self._chance = chance
        super().__init__(self._draw_uid(), atqa=atqa, sak=sak)

    def power_up(self) -> None:
        """Choose a random UID, then start in the IDLE state."""
        self._set_uid(self._draw_uid())
        super().power_up()

    def _draw_uid(self) -> bytes:
        return bytes((RANDOM_UID_FIRST,)) + self._chance.randbytes(3)
