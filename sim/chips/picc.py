"""A tag as the radio sees it: states, the calls, anticollision and SELECT.

Room: sim/chips. Bits in, bits out; knows no reader.
May import: the standard library and sim.chips.
Source: ISO/IEC 14443-3, section 6 and the state diagram of figure 7.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import reduce
from operator import xor
from random import Random

from sim.chips.iso14443 import (
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

PART_BITS = 40  # four bytes of UID or cascade tag and UID, and their BCC
RANDOM_UID_FIRST = 0x08  # 14443-3, 6.4.4: a random UID, drawn at power-up


class State(Enum):
    """Where a tag is (14443-3, 6.3)."""

    POWER_OFF = auto()
    IDLE = auto()
    READY = auto()  # at cascade level `Picc.level`
    ACTIVE = auto()
    HALT = auto()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tag sends, *delay_fc* carrier periods after the end of the reader's last bit."""

    frame: Frame
    delay_fc: int = ANSWER_DELAY_FC


class Refused(Exception):
    """A tag's own code refuses a command: it answers *frame*, or nothing, and waits again."""

    def __init__(self, frame: Frame | None = None) -> None:
        super().__init__("the tag refuses the command")
        self.frame = frame


def cascade_parts(uid: bytes) -> Sequence[int]:
    """The 40 bits of each cascade level: CT where the UID goes on, and BCC (14443-3, 6.4.4)."""
    if len(uid) not in (4, 7, 10):
        raise ValueError(f"a UID has 4, 7 or 10 bytes, not {len(uid)}")
    groups = [uid[-4:]]
    for end in range(len(uid) - 4, 0, -3):
        groups.insert(0, bytes((CASCADE_TAG,)) + uid[end - 3 : end])
    return [int.from_bytes(group + bytes((reduce(xor, group),)), "little") for group in groups]


class Picc:
    """A Type A tag that can be found and selected; what it then understands is for a subclass.

    A subclass answers commands in ``execute()``, takes a command out of turn in
    ``execute_early()`` and forgets what it must in ``forget()``.

    ``feedings`` counts how often a field came, and ``awake_ns`` is when it can answer.
    """

    def __init__(self, uid: bytes, *, atqa: int, sak: int) -> None:
        self._atqa = Frame.of(atqa.to_bytes(2, "little"))
        self._sak = Frame.with_crc(bytes((sak,)))
        self._set_uid(uid)
        self.state = State.POWER_OFF
        self.level = 1
        self.awake_ns = 0
        self.feedings = 0
        self._fields = 0
        self._was_halted = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.uid.hex(' ')} {self.state.name}>"

    @property
    def uid(self) -> bytes:
        """The UID, without check bytes."""
        return self._uid

    def feed(self, awake_ns: int) -> None:
        """One more field feeds the tag; if it was dark it answers from *awake_ns* on."""
        self._fields += 1
        self.feedings += 1
        if self.state is State.POWER_OFF:
            self.awake_ns = awake_ns
            self.power_up()

    def starve(self) -> bool:
        """One field less feeds it; whether none is left."""
        self._fields -= 1
        return not self._fields

    def power_up(self) -> None:
        """A field has come: wait for a call."""
        self.state = State.IDLE
        self.forget()

    def power_down(self) -> None:
        """The field has gone, and with it all that was not written."""
        self.state = State.POWER_OFF
        self.forget()

    def hear(self, frame: Frame) -> Answer | None:
        """Take one frame of the reader and return the answer, if there is one."""
        match self.state:
            case State.IDLE | State.HALT:
                return self._hear_waiting(frame)
            case State.READY:
                return self._hear_ready(frame)
            case State.ACTIVE:
                return self.hear_active(frame)
            case State.POWER_OFF:
                return None

    def execute(self, payload: bytes) -> Answer:
        """Answer a command of an ACTIVE tag; *payload* has had its CRC checked.

        Raises:
            Refused: the tag does not know it or does not want it.
        """
        raise Refused

    def execute_early(self, payload: bytes) -> Answer | None:
        """Answer a command that selects a READY tag without SELECT; ``None`` if it does not."""
        return None

    def garbled(self) -> None:
        """An ACTIVE tag got whole bytes with a wrong CRC; it may refuse with a NAK.

        Raises:
            Refused: to answer something.
        """
        raise Refused

    def forget(self) -> None:
        """Forget what does not outlive the ACTIVE state."""

    def hear_active(self, frame: Frame) -> Answer | None:
        """Take a frame in ACTIVE state: HLTA, or a command of the tag's own."""
        payload = frame.payload()
        if payload == HLTA:
            self.state = State.HALT
            self.forget()
            return None
        try:
            if payload is not None:
                return self.execute(payload)
            if frame.length >= 24:
                self.garbled()
        except Refused as refused:
            self.fall_back()
            return Answer(refused.frame) if refused.frame else None
        self.fall_back()
        return None

    def fall_back(self) -> None:
        """Go back to where the call came: a frame was out of place (14443-3, figure 7)."""
        self.state = State.HALT if self._was_halted else State.IDLE
        self.forget()

    def _set_uid(self, uid: bytes) -> None:
        self._uid = uid
        self._parts = cascade_parts(uid)

    def _hear_waiting(self, frame: Frame) -> Answer | None:
        if frame != WUPA and (frame != REQA or self.state is State.HALT):
            return None
        self._was_halted = self.state is State.HALT
        self.state = State.READY
        self.level = 1
        return Answer(self._atqa)

    def _hear_ready(self, frame: Frame) -> Answer | None:
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

    def _hear_anticollision(self, frame: Frame) -> Answer | None:
        whole, rest = divmod(frame.bits >> 8 & 0xFF, 16)
        known = 8 * (whole - 2) + rest
        if not 0 <= known < PART_BITS or rest > 7 or frame.length != 16 + known:
            return None
        part = self._parts[self.level - 1]
        if (part ^ frame.bits >> 16) & (1 << known) - 1:
            return None
        return Answer(Frame(part >> known, PART_BITS - known))

    def _hear_select(self, frame: Frame) -> Answer | None:
        payload = frame.payload()
        if payload is None or int.from_bytes(payload[2:], "little") != self._parts[self.level - 1]:
            return None
        if self.level < len(self._parts):
            self.level += 1
            return Answer(Frame.with_crc(bytes((SAK_INCOMPLETE,))))
        self.state = State.ACTIVE
        return Answer(self._sak)

    def _hear_early(self, frame: Frame) -> Answer | None:
        payload = frame.payload()
        answer = None if payload is None else self.execute_early(payload)
        if answer is not None:
            self.state = State.ACTIVE
        return answer


class RandomUid4(Picc):
    """A tag that draws a new 4-byte UID at every power-up, as phones and passports do.

    Source:
        ISO/IEC 14443-3, 6.4.4: first byte 08h, the rest random, drawn when the field comes.
    """

    def __init__(self, chance: Random, *, atqa: int = 0x0004, sak: int = 0x20) -> None:
        self._chance = chance
        super().__init__(self._drawn(), atqa=atqa, sak=sak)

    def power_up(self) -> None:
        """Draw a UID, then wait for a call."""
        self._set_uid(self._drawn())
        super().power_up()

    def _drawn(self) -> bytes:
        return bytes((RANDOM_UID_FIRST,)) + self._chance.randbytes(3)
