"""The MFRC522 as a tag reader: every 4- and 7-byte UID in its field, checked.

Room: hardware/drivers.
May import: the standard library, mfrc522, hardware.
May be imported by: firmware.wiring, sim, tests.
Sources: MFRC522 data sheet rev. 3.9 ("DS"); ISO/IEC 14443-3:2001 ("ISO").

What the library does oddly (mfrc522 0.0.7), and what is done here instead:

- It never looks at the chip's timer flag, so an empty field costs 2,013 transfers. Here the chip's
  timer ends the wait after a third of a millisecond, and the host sleeps until an answer can be
  there.
- It reads cascade level 1 alone: of a 7-byte UID it sees 88h and three bytes. Here SELECT goes on
  as long as SAK says so, and a UID counts only with its BCC and the CRC of its SAK right.
- Two tags answer it with an error for ever. Here collisions are followed bit by bit.
- It leaves the tag it found in READY, so every second poll finds nothing. Here it is halted.
- A chip that is not there, or that a brown-out reset, reads as "no tag". Here each poll begins with
  one look at the version and the settings, and a chip that ends no wait is a fault.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from gettext import gettext as _
from typing import Protocol

from hardware.drivers.mfrc522_library import MFRC522
from hardware.errors import ReaderFault
from hardware.ports import Checkup, Clock, Remark, Sighting, SpiBus

# --- the chip (DS 9.3) ---
DEAD_BUS = (0x00, 0xFF)  # what VersionReg reads when no chip drives MISO
READ = 0x80  # address byte of a read, DS 8.1.2.3
FLUSH_FIFO = 0x80  # FIFOLevelReg
START_SEND = 0x80  # BitFramingReg
ALL_IRQS = 0x7F  # ComIrqReg with Set1 = 0: clears every flag
RX_IRQ, ERR_IRQ, TIMER_IRQ = 0x20, 0x02, 0x01  # ComIrqReg
BUFFER_OVERFLOW, COLLISION, PARITY_ERROR, PROTOCOL_ERROR = 0x10, 0x08, 0x02, 0x01  # ErrorReg
RX_ERRORS = PARITY_ERROR | PROTOCOL_ERROR
COLL_POS, COLL_POS_NOT_VALID = 0x1F, 0x20  # CollReg
RX_LAST_BITS = 0x07  # ControlReg
RECEIVER_OFF = 0x20  # CommandReg
POWER_DOWN = 0x10  # CommandReg: set while the oscillator starts
ANTENNA_OFF, ANTENNA_ON = 0x80, 0x83  # TxControlReg: its reset value; Tx1RFEn and Tx2RFEn set
FIFO_BYTES = 64

# What VersionReg says: DS 9.3.4.8, and the copies that others met and that work alike.
CHIPS = {
    0x90: "MFRC522 version 0.0",
    0x91: "MFRC522 version 1.0",
    0x92: "MFRC522 version 2.0",
    0x88: "FM17522",
    0x89: "FM17522E",
    0xB2: "FM17522_1",
    0x12: "a copy of the MFRC522",
}

# What a good chip leaves in its FIFO after its self test (DS 16.1.1); of copies nobody knows it.
SELF_TEST_ON, MEM = 0x09, 0x01  # AutoTestReg; the command Mem, which the library lacks
SELF_TEST_BYTES, SELF_TEST_S = 64, 0.05
CLEARED = bytes(25)  # of the internal buffer, which the test begins with
GOOD = {
    0x91: bytes.fromhex(
        "00c637d532b7575c c2d87c4dd970c773 10e6d2aa5ea13e5a 14af3061c970db2e"
        "642272b5bd65f4ec 22bcd37235cdaa41 1fa7f35314de7e02 d90fb55e251d2979"
    ),
    0x92: bytes.fromhex(
        "00eb66ba57bf2395 d0e30d3d27895cde 9d3ba700215b8982 513aeb020ca50049"
        "7c844db3ccd21b81 5d4876d5716121a9 86968338cf9d5b6d dc15ba3e7d953b2f"
    ),
}
GAIN_DB = (18, 23, 18, 23, 33, 38, 43, 48)  # RFCfgReg[6:4], DS 9.3.3.6
GAIN = 6  # 43 dB: stickers are small
N_ = str  # marks a text for the catalogues; it is translated where it is used
GAIN_STUCK = N_(
    "the receiver's gain is {found} dB and cannot be set to {wanted}, as with some copies of the "
    "chip; take another reader board"
)
SELF_TEST_FAILED = N_(
    "the chip's self test does not give what its data sheet says, which some good ones do not "
    "either; if cards are read badly, take another reader board"
)

# 13.56 MHz / (2 * 169 + 1) = 40 kHz: ticks of 25 us, and 14 of them are 350 us. TAuto starts the
# timer when our frame ends and stops it at the fifth bit of an answer. Every answer to WUPA,
# ANTICOLLISION and SELECT begins 91 us after our frame (ISO 6.1.2: no tag may be late), so that is
# after 138 us. What 350 us leaves beyond is for what no data sheet gives: how late the chip's
# receiver sees those bits. Others use 300 to 500 us.
TIMER_PRESCALER, TIMER_RELOAD = 169, 13
TIMER_S = 350e-6


@dataclass(frozen=True, slots=True)
class _Setting:
    """*value* for *register*; *mask* says which bits of it must read back so."""

    register: int
    value: int
    mask: int = 0xFF


ANTENNA = _Setting(MFRC522.TxControlReg, ANTENNA_ON, 0x03)
SETTINGS = (
    _Setting(MFRC522.TModeReg, 0x80),  # TAuto
    _Setting(MFRC522.TPrescalerReg, TIMER_PRESCALER),
    _Setting(MFRC522.TReloadRegH, 0x00),
    _Setting(MFRC522.TReloadRegL, TIMER_RELOAD),
    # TxASKReg, Force100ASK: what ISO 14443A modulates with
    _Setting(MFRC522.TxAutoReg, 0x40, 0x40),
    _Setting(MFRC522.ModeReg, 0x3D, 0x23),  # CRC preset 6363h, as CRC_A wants
    _Setting(MFRC522.RFCfgReg, GAIN << 4, 0x70),
    # ValuesAfterColl = 0: what follows a collision reads as zeros
    _Setting(MFRC522.CollReg, 0x00, 0x80),
)
WATCHED = (*SETTINGS, ANTENNA)  # what a poll looks at before it believes the chip

# --- the air ---
BIT_S = 128 / 13.56e6  # one bit at 106 kbit/s
FRAME_DELAY_S = 1236 / 13.56e6  # from our last bit to the first of the answer, ISO 6.1.2
START_UP_S, START_UP_STEP_S = 0.050, 0.001  # the longest a chip may take to leave power-down
# From field on until every tag is ready, and from field off until none remembers anything (ISO
# 5.1; the edition of 2018, 5.2.4).
FIELD_UP_S = FIELD_OFF_S = 0.005
PATIENCE_S = 0.003  # an exchange that has not ended by then never will: timer and frame fit twice

PICC_WUPA, PICC_HLTA = b"\x52", b"\x50\x00"  # ISO 6.4
PICC_NONE = b"\x00"  # a short frame that is no command: its code is RFU (ISO 6.4.1)
PICC_SEL = (0x93, 0x95, 0x97)  # SEL code of cascade levels 1, 2, 3
CASCADE_TAG = 0x88
NVB_WHOLE = 0x70  # 7 bytes: SEL, NVB and all 5 of UID CLn with its BCC
SAK_UID_INCOMPLETE = 0x04  # cascade bit: go on to the next level
UID_CLN_BITS = 40  # 4 bytes of UID and the BCC

# A tag whose answer to WUPA was not heard waits in READY, and would let the next WUPA pass in
# silence too. So as long as one may still be there, an empty poll ends in a frame that throws it
# back. Any does that is not ANTICOLLISION or SELECT (ISO 6.3); PICC_NONE is a quarter of HLTA.
WARY_POLLS = 20
MOST_TAGS = 12  # a poll goes no further; more stickers than that lie on no spot
# A tag may be stuck where no WUPA reaches it. So when this many polls in a row stayed garbled, all
# tags are made to start anew by taking the field away. A garbled poll takes 4 ms or more, so that
# is after 40 ms at the soonest, and the 10 ms it takes are at most a fifth of the time that a tag
# lies there just badly heard.
GARBLED_POLLS = 10


class _Garbled(Exception):
    """Something answered that cannot be made out: noise, or a tag on its way in or out."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """What came back: *data*, and where the first collision was (CollPos, 1 to 32)."""

    data: bytes
    collision: int | None = None


@dataclass(frozen=True, slots=True)
class _Branch:
    """Where in the tree of UIDs to look.

    The levels *passed* are whole (UID CLn with its BCC); of the next one the first *bits* are
    *known*, the first bit lowest. *is_sure* says that some tag has answered from there, and
    *is_second_try* that it then could not be made out.
    """

    passed: tuple[bytes, ...] = ()
    known: int = 0
    bits: int = 0
    is_sure: bool = True
    is_second_try: bool = False


class ResetPin(Protocol):
    """The wire to RST, which several chips may share."""

    @property
    def pulses(self) -> int:
        """How many times it was driven low."""
        ...

    def on(self) -> None:
        """Drive it high: the chip runs."""
        ...

    def off(self) -> None:
        """Drive it low: the chip is in hard power-down."""
        ...

    def close(self) -> None:
        """Let go of the pin."""
        ...


class Mfrc522Reader(MFRC522):
    """One MFRC522 on *spi*; a ``hardware.ports.TagReader``.

    Nothing is sent before the first ``poll()`` or ``restart()``, so a chip that is missing when the
    table starts is the same fault as one that is lost later, and is taken back the same way.

    Args:
        spi: the bus with this chip's select.
        clock: the time.
        reset: the chip's reset wire, if it has one. When somebody else pulls it, the chip is set up
            again before the next poll, and nobody is told.
        guard_s: with it the field is on only while this reader polls, and so long before the first
            call, for tags to wake; readers side by side then do not see each other's. Without it
            the field is on always.
    """

    def __init__(
        self,
        spi: SpiBus,
        clock: Clock,
        reset: ResetPin | None = None,
        *,
        guard_s: float | None = None,
    ) -> None:
        # Not super().__init__(): it opens the SPI bus and claims the reset pin itself,
        # and this table's pins belong to gpiozero.
        self.spi = spi
        self._clock = clock
        self._reset = reset
        self._is_in_turn = guard_s is not None
        self._wake_s = FIELD_UP_S if guard_s is None else guard_s
        self._is_open = True
        self._version: int | None = None
        self._set_up_at: int | None = None  # the reset wire's pulses then; None: it is not set up
        self._ready_s = 0.0  # when the next frame may be sent
        self._silences = WARY_POLLS  # polls since something answered
        self._garbled_polls = 0  # in a row

    # --- the port ---

    @property
    def identity(self) -> str:
        """Which chip answered, as in "MFRC522 version 2.0 (92h)"; empty before one has."""
        if self._version is None:
            return ""
        return f"{CHIPS.get(self._version, 'unknown version')} ({self._version:02X}h)"

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """That the version is unknown, if it is."""
        if self._version is None or self._version in CHIPS:
            return ()
        text = _(
            "the version register reads {version:02X}h, which is no MFRC522's and no known copy's. "
            "It may well work. If cards are read badly, try another reader board, and a shorter "
            "SPI cable"
        )
        return (Remark("unknown-version", text.format(version=self._version)),)

    @property
    def has_reset_wire(self) -> bool:
        """Whether ``restart(by_wire=True)`` does more than ``restart()``."""
        return self._reset is not None

    def restart(self, *, by_wire: bool = False) -> None:
        """Reset the chip and set it up, in a millisecond when it is well.

        Raises:
            ReaderFault: no chip answers.
        """
        try:
            if by_wire and self._reset is not None:
                self._reset.off()
                self._clock.sleep(2e-6)  # DS 8.8.1: at least 100 ns low
                self._reset.on()
            self._set_up()
        except OSError as refused:
            raise _bus_refuses(refused) from refused

    def poll(self) -> Sighting:
        """Find every tag in the field.

        Raises:
            ReaderFault: the chip is not there, has lost its settings, or did not end an exchange.
        """
        try:
            if self._set_up_at != self._pulses():
                self._set_up()
            sighting = self._visit()
            self._garbled_polls = self._garbled_polls + 1 if sighting.is_garbled else 0
            if self._garbled_polls == GARBLED_POLLS:
                self._garbled_polls = 0
                self._reset_tags()
                sighting = self._visit()
        except OSError as refused:
            raise _bus_refuses(refused) from refused
        return sighting

    def check_up(self) -> Checkup:
        """Look at the receiver's gain and run the self test, which resets the chip.

        Raises:
            ReaderFault: no chip answers.
        """
        try:
            self._set_up()
            gain = self.Read_MFRC522(self.RFCfgReg) >> 4 & 0x07
            left = self._self_test()
            self._set_up()
        except OSError as refused:
            raise _bus_refuses(refused) from refused
        remarks = []
        if gain != GAIN:
            text = _(GAIN_STUCK).format(found=GAIN_DB[gain], wanted=GAIN_DB[GAIN])
            remarks.append(Remark("gain-stuck", text))
        good = GOOD.get(self._version or 0)
        if good not in (None, left):
            remarks.append(Remark("self-test-failed", _(SELF_TEST_FAILED)))
        found = _("gain {gain} dB, no self test is known of this chip")
        if good == left:
            found = _("gain {gain} dB, self test passed")
        return Checkup(found.format(gain=GAIN_DB[gain]), tuple(remarks))

    def close(self) -> None:
        """Switch the field off and let go of bus and reset pin."""
        if not self._is_open:
            return
        self._is_open = False
        with suppress(OSError):
            self.Write_MFRC522(self.TxControlReg, ANTENNA_OFF)
        self.spi.close()
        if self._reset is not None:
            self._reset.close()

    # --- setting up ---

    def _set_up(self) -> None:
        self._set_up_at = None
        pulses = self._pulses()
        self.MFRC522_Reset()
        version = self._after_start_up()
        if version in DEAD_BUS:
            raise _silent(version)
        self._version = version
        for setting in SETTINGS:
            self.Write_MFRC522(setting.register, setting.value)
        if not self._is_in_turn:
            self._field_on()
        self._set_up_at = pulses

    def _pulses(self) -> int:
        return 0 if self._reset is None else self._reset.pulses

    def _after_start_up(self) -> int:
        """Wait until the oscillator runs, and return the version register."""
        until_s = self._clock.now() + START_UP_S
        while self._clock.now() < until_s:
            command = self.Read_MFRC522(self.CommandReg)
            if command in DEAD_BUS or not command & POWER_DOWN:
                break
            self._clock.sleep(START_UP_STEP_S)
        return self.Read_MFRC522(self.VersionReg)

    def _self_test(self) -> bytes:
        """Run the chip's self test and return what it leaves (DS 16.1.1); no settings survive."""
        self._set_up_at = None
        self.MFRC522_Reset()
        self._after_start_up()
        self._flush()
        self.spi.xfer2([self.FIFODataReg << 1, *CLEARED])
        self.Write_MFRC522(self.CommandReg, MEM)
        self.Write_MFRC522(self.AutoTestReg, SELF_TEST_ON)
        self.Write_MFRC522(self.FIFODataReg, 0x00)
        self.Write_MFRC522(self.CommandReg, self.PCD_CALCCRC)
        until_s = self._clock.now() + SELF_TEST_S
        while self.Read_MFRC522(self.FIFOLevelReg) < SELF_TEST_BYTES:
            if self._clock.now() >= until_s:
                return b""
            self._clock.sleep(START_UP_STEP_S)
        return bytes(self._read((self.FIFODataReg,) * SELF_TEST_BYTES))

    def _check(self) -> None:
        """See in one transfer that the chip is there and is as it was set up.

        Raises:
            ReaderFault: it is not.
        """
        registers = (self.VersionReg, self.FIFOLevelReg, *(one.register for one in WATCHED))
        version, level, *values = self._read(registers)
        if version in DEAD_BUS:
            raise _silent(version)
        is_kept = all(
            not (value ^ setting.value) & setting.mask
            for setting, value in zip(WATCHED, values, strict=True)
        )
        if version != self._version or not is_kept:
            raise ReaderFault(
                "settings-lost",
                _(
                    "the reader chip has lost its settings; its 3.3 V dips, or one of its SPI "
                    "wires is loose. Check both"
                ),
            )
        if level:  # left behind, it would go out with the next frame and nobody would answer
            self._flush()

    # --- the field ---

    def _field_on(self) -> None:
        """Switch the field on; tags wake from now on."""
        self.Write_MFRC522(ANTENNA.register, ANTENNA_ON)
        self._ready_s = self._clock.now() + self._wake_s

    def _field_off(self) -> None:
        """Switch the field off, when what is being sent has been sent."""
        self._sleep_until(self._ready_s)
        self.Write_MFRC522(ANTENNA.register, ANTENNA_OFF)

    def _reset_tags(self) -> None:
        """Take the field away for so long that every tag starts anew."""
        self._field_off()
        self._clock.sleep(FIELD_OFF_S)
        if not self._is_in_turn:
            self._field_on()

    def _visit(self) -> Sighting:
        """Look once, with the field on at least for that."""
        if not self._is_in_turn:
            self._check()
            return self._look()
        self._field_on()
        try:
            self._check()
            return self._look()
        finally:
            self._field_off()

    # --- ISO 14443-3 ---

    def _look(self) -> Sighting:
        """Walk the tree of UIDs, branch by branch.

        WUPA wakes all tags, a prefix singles some out, and where they differ the other branch is
        kept for later. Tags need not be halted on the way: one that WUPA has woken from HALT
        returns there when another is selected, and no REQA would ever find it again (ISO 6.3). At
        the end HLTA is sent, so that the next WUPA finds none in ACTIVE or READY, where it would
        not answer. A branch that fell silent or was garbled is walked once more.
        """
        if not self._wake():
            self._silences += 1
            if self._silences <= WARY_POLLS:
                self._throw_back()
            return Sighting()
        self._silences = 0
        uids: dict[bytes, None] = {}
        branches, is_garbled, is_awake = [_Branch()], False, True
        while branches and len(uids) < MOST_TAGS:
            branch, others = branches.pop(), list[_Branch]()
            try:
                uid = self._find(branch, others) if is_awake else None
            except _Garbled:
                self._flush()
                uid, branch = None, replace(branch, is_sure=True)
            if uid is not None:
                uids[uid] = None
                branches += others
            elif branch.is_sure and not branch.is_second_try:
                branches.append(replace(branch, is_second_try=True))
                self._throw_back()
            else:
                is_garbled |= branch.is_sure
            is_awake = bool(branches) and self._wake()
        self._tell(PICC_HLTA + crc_a(PICC_HLTA), 0)
        is_garbled |= any(branch.is_sure for branch in branches)
        return Sighting(tuple(uids), is_garbled)

    def _wake(self) -> bool:
        """Send WUPA (a short frame); whether anything answered, be it as it may."""
        self._sleep_until(self._ready_s)
        is_answered = self._is_answered(PICC_WUPA, 7, answer_bytes=2)
        if is_answered:
            self._flush()
        return is_answered

    def _throw_back(self) -> None:
        """Send what no tag knows: in READY and ACTIVE, where none hears WUPA, it goes back."""
        self._tell(PICC_NONE, 7)

    def _find(self, branch: _Branch, branches: list[_Branch]) -> bytes | None:
        """Select one tag of *branch*, level by level, and return its whole UID.

        Branches passed on the way are added to *branches*. None: there is no tag in this one.
        """
        uid = b""
        for level, sel in enumerate(PICC_SEL):
            if level < len(branch.passed):
                part = branch.passed[level]
            else:
                found = self._anticollision(sel, branch, branches)
                if found is None:
                    return None
                part = found
                branch = _Branch((*branch.passed, part))
            if not self._selected(sel, part) & SAK_UID_INCOMPLETE:
                if level == 0 and part[0] == CASCADE_TAG:  # which no 4-byte UID begins with
                    raise _Garbled("SAK says the UID is whole, but it begins with the cascade tag")
                return uid + part[:4]
            if part[0] != CASCADE_TAG:
                raise _Garbled("SAK says the UID goes on, but it has no cascade tag")
            uid += part[1:4]
        raise _Garbled("SAK still says the UID is incomplete after cascade level 3")

    def _anticollision(self, sel: int, branch: _Branch, branches: list[_Branch]) -> bytes | None:
        """Follow *branch* to one leaf of UID CLn: 4 bytes and their BCC (ISO 6.5.3)."""
        known, bits = branch.known, branch.bits
        while bits < UID_CLN_BITS:
            answer = self._ask_prefix(sel, known, bits)
            if answer is None:
                return None
            whole, split = divmod(bits, 8)
            # What RxAlign leaves below the first bit received is not said anywhere.
            fresh = int.from_bytes(answer.data, "little") >> split << split
            heard = known | fresh << 8 * whole
            if answer.collision is None:
                known, bits = heard, UID_CLN_BITS
            else:
                bits, is_exact = _sure_bits(answer.collision, bits)
                known = heard & (1 << bits) - 1
                other = known ^ 1 << bits - 1
                branches.append(_Branch(branch.passed, other, bits, is_exact))
        part = known.to_bytes(5, "little")
        if part[0] ^ part[1] ^ part[2] ^ part[3] != part[4]:
            raise _Garbled("BCC is wrong")
        return part

    def _ask_prefix(self, sel: int, known: int, bits: int) -> _Answer | None:
        """Ask who begins with the *bits* known; none when nobody does.

        The answer's first byte lacks the bits that we sent of it.
        """
        whole, split = divmod(bits, 8)
        prefix = known.to_bytes(5, "little")[: whole + (split > 0)]
        frame = bytes((sel, (whole + 2) << 4 | split)) + prefix
        answer = self._exchange(frame, split, answer_bytes=5 - whole, align=split)
        if answer is not None and answer.collision is None and len(answer.data) != 5 - whole:
            raise _Garbled(f"{len(answer.data)} bytes for a UID of {5 - whole}")
        return answer

    def _selected(self, sel: int, part: bytes) -> int:
        """SELECT the tag with all of UID CLn and return its SAK."""
        frame = bytes((sel, NVB_WHOLE)) + part
        answer = self._exchange(frame + crc_a(frame), 0, answer_bytes=3)
        if answer is None or answer.collision or answer.data[1:] != crc_a(answer.data[:1]):
            raise _Garbled("no SAK with a right CRC")
        return answer.data[0]

    # --- the chip ---

    def _exchange(
        self, frame: bytes, last_bits: int, *, answer_bytes: int, align: int = 0
    ) -> _Answer | None:
        """Send *frame* and return the answer; ``None`` is a clean time-out."""
        is_answered = self._is_answered(frame, last_bits, answer_bytes=answer_bytes, align=align)
        return self._answer(answer_bytes) if is_answered else None

    def _is_answered(
        self, frame: bytes, last_bits: int, *, answer_bytes: int, align: int = 0
    ) -> bool:
        """Send *frame* (its last byte cut to *last_bits*, 0 for whole) and wait.

        *align* is where in its first byte the answer's first bit goes. The host sleeps until the
        whole answer can have come, and then until the timer has run out, so the chip is asked two
        or three times rather than two thousand. The timer's flag may be of the frame before, which
        was told and not waited for; so it counts only when the time is over.
        """
        self.Write_MFRC522(self.CommandReg, self.PCD_TRANSCEIVE)  # ends the one before
        self.Write_MFRC522(self.CommIrqReg, ALL_IRQS)
        self._send(frame, last_bits, align)
        sent_s = self._ready_s
        self._sleep_until(sent_s + FRAME_DELAY_S + frame_s(answer_bytes, 0))
        if self.Read_MFRC522(self.CommIrqReg) & (RX_IRQ | ERR_IRQ):
            return True
        self._sleep_until(sent_s + TIMER_S)
        return bool(self._ended() & (RX_IRQ | ERR_IRQ))

    def _tell(self, frame: bytes, last_bits: int) -> None:
        """Send *frame* and do not wait; who answers it all the same is not heard."""
        self.Write_MFRC522(self.CommandReg, RECEIVER_OFF | self.PCD_TRANSCEIVE)
        self._send(frame, last_bits)

    def _send(self, frame: bytes, last_bits: int, align: int = 0) -> None:
        self.spi.xfer2([self.FIFODataReg << 1, *frame])
        self.Write_MFRC522(self.BitFramingReg, START_SEND | align << 4 | last_bits)
        self._ready_s = self._clock.now() + frame_s(len(frame), last_bits)

    def _ended(self) -> int:
        """Wait until the chip has an answer or its timer has run out; return ComIrqReg."""
        until_s = self._clock.now() + PATIENCE_S
        is_late = False
        while not is_late:
            is_late = self._clock.now() >= until_s  # then look once more: the host may have slept
            flags = self.Read_MFRC522(self.CommIrqReg)
            if flags & (RX_IRQ | ERR_IRQ | TIMER_IRQ):
                return flags
        self._check()
        raise ReaderFault(
            "stuck",
            _(
                "the reader chip ends no exchange, though it keeps its settings. Switch its power "
                "off and on; if that does not help, try another board"
            ),
        )

    def _answer(self, answer_bytes: int) -> _Answer:
        """Read status and data in one transfer.

        Raises:
            _Garbled: parity, protocol or length say that it is no answer.
            ReaderFault: no chip can have said this.
        """
        status = (self.ErrorReg, self.FIFOLevelReg, self.ControlReg, self.CollReg)
        registers = (*status, *(self.FIFODataReg,) * answer_bytes)
        error, level, control, coll, *data = self._read(registers)
        if level > FIFO_BYTES:
            raise _silent(level)
        is_overlong = bool(error & BUFFER_OVERFLOW) or level > answer_bytes
        if error & COLLISION and not is_overlong:
            if coll & COLL_POS_NOT_VALID:
                raise _Garbled("a collision beyond bit 32")
            return _Answer(bytes(data[:level]), coll & COLL_POS or 32)
        if error & RX_ERRORS or is_overlong or control & RX_LAST_BITS:
            raise _Garbled(f"error {error:02X}h, {level} bytes of {answer_bytes}")
        return _Answer(bytes(data[:level]))

    def _read(self, registers: Sequence[int]) -> list[int]:
        """Read *registers* in one transfer (DS 8.1.2.1)."""
        read: list[int] = self.spi.xfer2([*(READ | register << 1 for register in registers), 0])
        return read[1:]

    def _flush(self) -> None:
        self.Write_MFRC522(self.FIFOLevelReg, FLUSH_FIFO)

    def _sleep_until(self, at_s: float) -> None:
        self._clock.sleep(at_s - self._clock.now())


def _sure_bits(collision: int, bits: int) -> tuple[int, bool]:
    """How many bits of UID CLn are known after a collision at CollPos, when *bits* were before.

    Sources differ on whether CollPos counts from the first bit of UID CLn or from the first bit
    of the received frame, RxAlign included. The nearer reading is taken: up to there the bits
    heard are some tag's under either, and so is the bit heard there, whether tags differ in it or
    not. So every step is safe; at worst it is short, and the other branch there is empty. The
    second value says whether both readings agree, so that it is not.
    """
    readings = (collision, bits // 8 * 8 + collision)
    beyond = [length for length in readings if bits < length <= UID_CLN_BITS]
    if not beyond:
        raise _Garbled(f"a collision at bit {collision}, which we sent ourselves")
    return min(beyond), len(set(beyond)) == 1


def _silent(version: int) -> ReaderFault:
    """What it reads like when no chip drives MISO, and *version* is what was read."""
    text = _(
        "the reader chip is silent (version register reads {version:02X}h); check its SPI wires "
        "and 3.3 V"
    )
    return ReaderFault("silent", text.format(version=version))


def _bus_refuses(refused: OSError) -> ReaderFault:
    """What a refusal of the SPI device itself reads like."""
    text = _("the reader's SPI bus refuses a transfer ({reason}); check its wires")
    return ReaderFault("bus", text.format(reason=refused))


def frame_s(count: int, last_bits: int) -> float:
    """How long *count* bytes take on air, the last one cut to *last_bits*: S, 9 bits a byte, E."""
    bits = 9 * count if not last_bits else 9 * (count - 1) + last_bits
    return (bits + 2) * BIT_S


def crc_a(data: bytes) -> bytes:
    """CRC_A of *data*, low byte first (ISO 14443-3, annex B).

    Reckoned here, because switching the chip's own on and off costs four transfers a tag.
    """
    crc = 0x6363
    for byte in data:
        mixed = byte ^ crc & 0xFF
        mixed ^= mixed << 4 & 0xFF
        crc = crc >> 8 ^ mixed << 8 ^ mixed << 3 ^ mixed >> 4
    return (crc & 0xFFFF).to_bytes(2, "little")
