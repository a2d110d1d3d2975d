"""A driver for the MFRC522 that finds every 4- and 7-byte UID in the field.

May import: the standard library, mfrc522, hardware.
May be imported by: firmware.runtime.wiring, sim, tests.
Sources: MFRC522 data sheet rev. 3.9 ("DS"); ISO/IEC 14443-3:2001 ("ISO").

The terms of ISO, in the order of a poll: *WUPA* wakes all tags in the states *IDLE* and *HALT*,
which go to *READY*. *ANTICOLLISION* asks the tags in READY for their *UIDs* (serial numbers). A UID
of 4 bytes has one *cascade level*, and one of 7 bytes has two. *UID CLn* is the part of level n: 4
bytes, followed by their check byte *BCC*. In a 7-byte UID, level 1 begins with the *cascade tag*
88h. A *collision* is a bit in which the answers of several tags differ. After a collision,
ANTICOLLISION is repeated with the first bits of a UID, and only tags whose UIDs begin with these
bits answer. *SELECT* with a whole UID CLn chooses one tag. The *cascade bit* of its answer *SAK* is
set if there is another level; otherwise the tag is now *ACTIVE*. *HLTA* sends it to HALT. An
unexpected frame sends a tag in READY or ACTIVE back to IDLE, or to HALT if it was woken from there.
*REQA* wakes only the tags in IDLE.

Two terms of this driver: a *slow* tag takes longer to wake than the guard time. A *drowned* tag
answers together with a much stronger tag, so that the reader receives only the stronger answer.

The library (mfrc522 0.0.7) has these faults, which this driver avoids:

- It never reads the chip's timer flag, so an empty field costs 2,013 transfers. Here the chip's
  timer ends the wait after 350 us, and the host sleeps until an answer can have arrived.
- It runs cascade level 1 only: it reads only 88h and three bytes of a 7-byte UID. Here SELECT goes
  on while the cascade bit of SAK is set, and a UID counts only if its BCC and the CRC of its SAK
  are correct.
- If two tags are in the field, it finds neither. Here collisions are resolved bit by bit.
- It leaves the tag in READY, so every second poll finds nothing. Here the tag is halted.
- A missing chip, or one that a brown-out has reset, looks like "no tag". Here each poll first
  checks the version and the settings, and a chip that does not end an exchange is a fault.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random

from hardware.drivers.mfrc522_library import MFRC522
from hardware.errors import ReaderFault
from hardware.modules import Current, PinRole, ReaderDriver, SpiModule
from hardware.ports import Checkup, Clock, ReaderWires, Remark, ResetPin, Sighting, SpiBus

# --- the chip (DS 9.3) ---
DEAD_BUS = (0x00, 0xFF)  # values of VersionReg when no chip drives MISO
READ = 0x80  # address byte of a read, DS 8.1.2.3
FLUSH_FIFO = 0x80  # FIFOLevelReg
START_SEND = 0x80  # BitFramingReg
ALL_IRQS = 0x7F  # ComIrqReg with Set1 = 0: clears every flag
RX_IRQ, ERR_IRQ, TIMER_IRQ = 0x20, 0x02, 0x01  # ComIrqReg
TEMP_ERROR = 0x40  # ErrorReg: too hot, so the antenna's drivers are off. DS 9.3.1.7
BUFFER_OVERFLOW, COLLISION, PARITY_ERROR, PROTOCOL_ERROR = 0x10, 0x08, 0x02, 0x01  # ErrorReg
RX_ERRORS = PARITY_ERROR | PROTOCOL_ERROR
COLL_POS, COLL_POS_NOT_VALID = 0x1F, 0x20  # CollReg
RX_LAST_BITS = 0x07  # ControlReg
RECEIVER_OFF = 0x20  # CommandReg
POWER_DOWN = 0x10  # CommandReg: set while the oscillator starts
ANTENNA_OFF, ANTENNA_ON = 0x80, 0x83  # TxControlReg: its reset value; Tx1RFEn and Tx2RFEn set
FIFO_BYTES = 64

# Values of VersionReg: DS 9.3.4.8, and those of copies that others have reported to work.
CHIPS = {
    0x90: "MFRC522 version 0.0",
    0x91: "MFRC522 version 1.0",
    0x92: "MFRC522 version 2.0",
    0x88: "FM17522",
    0x89: "FM17522E",
    0xB2: "FM17522_1",
    0x12: "a copy of the MFRC522",
}

# The result of the self test, by version (DS 16.1.1); it is not known for copies.
SELF_TEST_ON, MEM = 0x09, 0x01  # AutoTestReg; the command Mem, which the library lacks
SELF_TEST_BYTES, SELF_TEST_S = 64, 0.05
EMPTY_BUFFER = bytes(25)  # written to the internal buffer before the test
SELF_TEST_RESULTS = {
    0x91: bytes.fromhex(
        "00c637d532b7575c c2d87c4dd970c773 10e6d2aa5ea13e5a 14af3061c970db2e"
        "642272b5bd65f4ec 22bcd37235cdaa41 1fa7f35314de7e02 d90fb55e251d2979"
    ),
    0x92: bytes.fromhex(
        "00eb66ba57bf2395 d0e30d3d27895cde 9d3ba700215b8982 513aeb020ca50049"
        "7c844db3ccd21b81 5d4876d5716121a9 86968338cf9d5b6d dc15ba3e7d953b2f"
    ),
}
MARK = 0x2A  # TReloadRegH reads 00h after a reset and after a set-up (DS 9.3.3.12)
# The patterns that test the SPI wires are random bytes. The FIFO holds eight of them, so they are
# written and read eight at a time.
PATTERN_BYTES, PATTERN_SEED = 8, 1
GAIN_DB = (18, 23, 18, 23, 33, 38, 43, 48)  # RFCfgReg[6:4], DS 9.3.3.6
GAIN = 43  # in dB, as the antennas of stickers are small
GAINS_TO_TRY = (33, 38, 43, 48)  # in dB; boards differ; some receive nothing above 33 dB
GAIN_IS_FIXED = (
    "the reader chip's gain is fixed at {found} dB and cannot be set to {wanted} dB, as with some "
    "copies of the chip; use another reader board"
)
TOO_HOT = (
    "the reader chip is too hot and has switched its antenna off; let it cool, then check that "
    "there is no metal under its antenna, that air can flow around it, and that it gets 3.3 V, "
    "not 5 V"
)
SELF_TEST_FAILED = (
    "the result of the chip's self test differs from the data sheet, as with some chips that "
    "work; if cards are read badly, use another reader board"
)

# 13.56 MHz / (2 * 169 + 1) = 40 kHz: ticks of 25 us, and 14 of them are 350 us. TAuto starts the
# timer when our frame ends and stops it at the fifth bit of an answer. Every answer to WUPA,
# ANTICOLLISION and SELECT begins 91 us after our frame (ISO 6.1.2: no tag may be late), so its
# fifth bit ends after 138 us. The rest is margin for the delay of the chip's receiver, which no
# data sheet gives. Other drivers use 300 to 500 us.
TIMER_PRESCALER, TIMER_RELOAD = 169, 13
TIMER_S = 350e-6


@dataclass(frozen=True, slots=True)
class _Setting:
    """The *value* to write to a *register*.

    When the driver reads it back, the bits in *mask* must be unchanged.
    """

    register: int
    value: int
    mask: int = 0xFF


ANTENNA = _Setting(MFRC522.TxControlReg, ANTENNA_ON, 0x03)
SETTINGS = (  # all but the gain, which each reader has its own of
    _Setting(MFRC522.TModeReg, 0x80),  # TAuto
    _Setting(MFRC522.TPrescalerReg, TIMER_PRESCALER),
    _Setting(MFRC522.TReloadRegH, 0x00),
    _Setting(MFRC522.TReloadRegL, TIMER_RELOAD),
    # TxASKReg: Force100ASK, the modulation of ISO 14443A
    _Setting(MFRC522.TxAutoReg, 0x40, 0x40),
    _Setting(MFRC522.ModeReg, 0x3D, 0x23),  # CRC preset 6363h, for CRC_A
    # ValuesAfterColl = 0: bits after a collision read 0
    _Setting(MFRC522.CollReg, 0x00, 0x80),
)

# --- the air ---
BIT_S = 128 / 13.56e6  # one bit at 106 kbit/s
FRAME_DELAY_S = 1236 / 13.56e6  # from the reader's last bit to the first of the answer, ISO 6.1.2
START_UP_S, START_UP_STEP_S = 0.050, 0.001  # longest start-up, and time between checks
# People report that a chip may, after hours, keep its settings but receive nothing until it is
# reset. That looks like an empty spot. So a chip that has received nothing for this long is reset,
# again and again at this interval. It is short enough that players do not give up before. The
# reset takes a millisecond, and an empty spot has no tag that could be missed.
DEAF_S = 30.0
# The time after field on until every tag is ready, and after field off until every tag has lost its
# state (ISO 5.1; 5.2.4 in the edition of 2018).
FIELD_UP_S = FIELD_OFF_S = 0.005
PATIENCE_S = 0.003  # an exchange that takes longer never ends; the longest takes less than half

PICC_REQA, PICC_WUPA, PICC_HLTA = b"\x26", b"\x52", b"\x50\x00"  # ISO 6.4
PICC_NONE = b"\x00"  # a short frame that is not a command: its code is RFU (ISO 6.4.1)
PICC_SEL = (0x93, 0x95, 0x97)  # SEL code of cascade levels 1, 2, 3
CASCADE_TAG = 0x88
RANDOM_UID = 0x08  # first byte of a UID that is new after each loss of power (ISO 6.5.4)
NVB_WHOLE = 0x70  # 7 bytes: SEL, NVB, the 4 of UID CLn and the BCC
SAK_UID_INCOMPLETE = 0x04  # cascade bit: go on to the next level
UID_CLN_BITS = 40  # 4 bytes of UID and the BCC

# A tag whose answer to WUPA was missed waits in READY and would not answer the next WUPA either. So
# for this many polls after the last answer, an empty poll ends with a frame that sends the tag back
# to IDLE. Any frame but ANTICOLLISION and SELECT does that (ISO 6.3); PICC_NONE takes a quarter of
# the time of HLTA.
WARY_POLLS = 20
MOST_TAGS = 12  # a poll finds no more; no spot holds more stickers
# A tag may be stuck in a state in which it ignores WUPA. So after this many garbled polls in a row,
# all tags are reset by switching the field off. A garbled poll takes 4 ms or more, so that happens
# after 40 ms at the soonest. The reset takes 10 ms: at most a fifth of the time in which a tag that
# is only hard to read can be found.
GARBLED_POLLS = 10

# Now and then a poll looks for tags that an ordinary poll cannot see: slow ones, which need longer
# to wake than the guard time, and drowned ones, hidden by a stronger answer. A look at an
# empty spot takes 5 ms more with fields in turn; otherwise nothing. Each reader of a table looks at
# another moment (its place), so that no pass of the loop has more than one look.
LOOK_S, PLACE_S = 1.0, 0.11
# A tag that is seen only after 5 ms may be slow, hard to read, or just laid. So it gets points, and
# each poll looks until it has none or is slow. A slow tag needs five polls; one that is missed in
# 15 % of polls for another reason is taken for a slow one about once in 1,000 looks.
LATE, PROMPT, SLOW_POINTS = 3, -1, 15
# Looking for drowned tags takes 10 ms, and the time of another poll. It is done if the tags on the
# spot have changed, and again after this time.
DEEP_S = 10.0
DROWNED_MISSES = 20  # a drowned tag that missed this many polls in a row is no longer called
SILENCE_TRIES = 3  # garbled answers until the search for drowned tags is given up
SLOW_TAGS = (
    "a card needs more time to wake up than guard_ms allows, so this reader now waits {found} ms; "
    "to find such cards at once after the next start too, write guard_ms = {found} under [fields] "
    "in table.toml"
)
DROWNED_TAGS = (
    "a card's strong answer hides the weaker answer of another card on this reader, so the weaker "
    "one is found up to a second later; lay cards side by side or in a lower stack, or bring the "
    "antenna nearer"
)


class _Garbled(Exception):
    """An answer cannot be decoded: noise, or a tag entering or leaving the field."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """The received data.

    *collision* is the number of the bit with the first collision, if there is one, as in the
    register field CollPos (1 to 32).
    """

    data: bytes
    collision: int | None = None


@dataclass(frozen=True, slots=True)
class _Branch:
    """A branch of the tree of UIDs that must still be searched: all UIDs with the same first bits.

    *passed* has the cascade levels that are completely known (UID CLn with its BCC). Only the first
    *bits* bits of the next level are known. *known* has these bits, the first one in bit 0.
    *is_sure* is True if a tag of this branch has certainly answered. *is_second_try* is True if
    reading the branch has failed once.
    """

    passed: tuple[bytes, ...] = ()
    known: int = 0
    bits: int = 0
    is_sure: bool = True
    is_second_try: bool = False


class Mfrc522Reader(MFRC522):
    """One MFRC522 on *spi*, as a ``hardware.ports.TagReader``.

    It is also ``SelfTesting``, ``SpiTesting``, ``ResetTesting`` and ``GainTesting``.

    Nothing is sent before the first ``poll()`` or ``restart()``. So a chip that is missing when the
    table starts is handled like one that fails later.

    Args:
        spi: the SPI bus, with this chip's select.
        clock: the clock of all waits and time-outs.
        reset: the chip's reset wire, if it has one. If another driver pulses a shared wire, this
            one sets its chip up again before the next poll, without a fault.
        guard_s: how long tags get to wake up, in seconds. With such a time, the field is on only
            during a poll, so that readers side by side do not see each other's tags. None: the
            field is always on. If a tag turns out to need longer, the reader waits longer from then
            on.
        gain_db: the gain of the receiver: 18, 23, 33, 38, 43 or 48 dB.
        place: the reader's number at its table, from 0. The readers search for slow and drowned
            tags one after the other, in this order.

    Raises:
        ValueError: the chip does not have that gain.
    """

    def __init__(
        self,
        spi: SpiBus,
        clock: Clock,
        reset: ResetPin | None = None,
        *,
        guard_s: float | None = None,
        gain_db: int = GAIN,
        place: int = 0,
    ) -> None:
        # Not super().__init__(): it opens the SPI bus and claims the reset pin itself,
        # and this table's pins belong to gpiozero.
        self.spi = spi
        self._clock = clock
        self._reset = reset
        self._keeps_field_on = guard_s is None  # otherwise it is on only during a poll
        self._wake_s = FIELD_UP_S if guard_s is None else guard_s
        self._is_open = True
        self._version: int | None = None
        self._place = place
        self._set_gain(gain_db)
        self._gain = gain_db  # of the receiver, as the chip reported it after the last set-up
        self._guard_s = self._wake_s
        self._field_on_s = self._field_off_s = 0.0  # when the field was last switched on, and off
        self._look_s: float | None = None  # time of the next search for slow or drowned tags
        self._is_look_put_off = False
        self._there: frozenset[bytes] = frozenset()  # the tags that the last poll found
        self._slow: dict[bytes, int] = {}  # points for being slow, by UID: see SLOW_POINTS
        self._drowned: dict[bytes, int] = {}  # by UID: polls in a row without an answer
        self._has_drowned_tags = False  # True once there was one
        self._deep_s = 0.0  # time of the next search for drowned tags on an unchanged spot
        self._searched: frozenset[bytes] = frozenset()  # UIDs there when they were last searched
        self._set_up_at: int | None = None  # reset pulses at the last set-up; None: not set up
        self._ready_s = 0.0  # when the next frame may be sent
        self._heard_s = 0.0  # time of the last answer or set-up
        self._may_be_starting = True  # so a silent chip gets time to start
        self._silent_polls = WARY_POLLS  # polls since the last answer
        self._garbled_polls = 0  # in a row

    # --- the port ---

    @property
    def identity(self) -> str:
        """The chip, such as "MFRC522 version 2.0 (92h)"; empty until it has answered."""
        if self._version is None:
            return ""
        return f"{CHIPS.get(self._version, 'unknown version')} ({self._version:02X}h)"

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """Remarks on an unknown version of the chip, and on slow or drowned tags."""
        remarks = []
        if self._version is not None and self._version not in CHIPS:
            remarks.append(self._unknown_version(self._version))
        if self._wake_s > self._guard_s:
            found = SLOW_TAGS.format(found=round(self._wake_s * 1000))
            remarks.append(Remark("slow-tags", found))
        if self._has_drowned_tags:
            remarks.append(Remark("drowned-tags", DROWNED_TAGS))
        return tuple(remarks)

    @staticmethod
    def _unknown_version(version: int) -> Remark:
        text = (
            "the version register reads {version:02X}h, which is the version of neither an MFRC522 "
            "nor a known copy; the chip may still work, but if cards are read badly, try another "
            "reader board, and a shorter SPI cable"
        )
        return Remark("unknown-version", text.format(version=version))

    @property
    def has_reset_wire(self) -> bool:
        """True if ``restart(by_wire=True)`` does more than ``restart()``."""
        return self._reset is not None

    def restart(self, *, by_wire: bool = False) -> None:
        """Reset the chip and set it up; takes a millisecond if the chip works.

        Raises:
            ReaderFault: no chip answers, or the SPI device reports an error.
        """
        try:
            if by_wire:
                self.pulse_reset()
            self._set_up()
        except OSError as refused:
            raise _bus_fault(refused) from refused

    def poll(self) -> Sighting:
        """Return every tag in the field.

        Raises:
            ReaderFault: the chip is missing, too hot, has a fixed gain, has lost its settings or
                did not end an exchange, or the SPI device reports an error.
        """
        return self._poll(self._wake_s)

    def poll_patiently(self) -> Sighting:
        """Poll, but first give tags 5 ms to wake up: a tag may take as long as that.

        Raises:
            ReaderFault: as ``poll``.
        """
        return self._poll(max(self._wake_s, FIELD_UP_S))

    def _poll(self, wake_s: float) -> Sighting:
        """Poll the field; if it is not always on, tags get *wake_s* seconds to wake up."""
        try:
            if self._set_up_at != self._pulses():
                self._set_up()
            elif self._clock.now() - self._heard_s >= DEAF_S:
                self._set_up()
                self._ready_s = self._clock.now()  # do not wait for tags: the next poll finds them
            sighting = self._poll_once(wake_s)
            self._garbled_polls = self._garbled_polls + 1 if sighting.is_garbled else 0
            if self._garbled_polls == GARBLED_POLLS:
                self._garbled_polls = 0
                self._reset_tags()
                sighting = self._poll_once(wake_s)
        except OSError as refused:
            raise _bus_fault(refused) from refused
        return sighting

    def check_up(self) -> Checkup:
        """Check the receiver's gain, run the self test, and set the chip up again.

        Raises:
            ReaderFault: no chip answers, its gain is fixed, or the SPI device reports an error.
        """
        try:
            self._set_up()
            left = self._self_test()
            self._set_up()
        except OSError as refused:
            raise _bus_fault(refused) from refused
        if self._gain != self.gain_db:
            raise _fixed_gain(self._gain, self.gain_db)
        remarks = []
        good = SELF_TEST_RESULTS.get(self._version or 0)
        if good not in (None, left):
            remarks.append(Remark("self-test-failed", SELF_TEST_FAILED))
        result = "self test passed" if good == left else "self test failed"
        if good is None:
            result = "no self test is known for this chip"
        return Checkup(f"gain {self.gain_db} dB, {result}", tuple(remarks))

    @property
    def gain_db(self) -> int:
        """The receiver's present gain, in dB."""
        return self._gain_db

    @property
    def gains_to_try(self) -> Sequence[int]:
        """The gains to try, in dB. One of them is the best for any board."""
        return GAINS_TO_TRY

    def polls_that_see(self, gain_db: int, polls: int) -> Counter[bytes]:
        """Poll *polls* times at *gain_db* and return how many polls saw each tag, by UID.

        A garbled poll counts for no tag. The gain is restored afterwards.

        Raises:
            ReaderFault: the chip is missing or fails, or its gain is fixed.
            ValueError: the chip does not have that gain.
        """
        own_db, seen = self.gain_db, Counter[bytes]()
        self._set_gain(gain_db)
        try:
            self.restart()
            self._clock.sleep(FIELD_UP_S)
            for _ in range(polls):
                sighting = self.poll()
                if not sighting.is_garbled:
                    seen.update(sighting.uids)
        finally:
            self._set_gain(own_db)
            self.restart()
        return seen

    def intact_patterns(self, clock_hz: int, count: int) -> int:
        """Write *count* patterns of 8 bytes into the FIFO and read them back, at *clock_hz*.

        Stop at the first damaged pattern, and return the number of those before it. A damaged
        address may have changed any register, so the chip is set up again afterwards.

        Raises:
            ReaderFault: no chip answers at the reader's own clock rate.
        """
        own_hz = self.spi.max_speed_hz
        try:
            self._set_up()
            self._flush()
            self.spi.max_speed_hz = clock_hz
            try:
                return self._echo(count)
            finally:
                self.spi.max_speed_hz = own_hz
                self._set_up()
        except OSError as refused:
            raise _bus_fault(refused) from refused

    def pulse_reset(self) -> None:
        """Pulse the reset wire, if there is one. The chip must be set up again."""
        if self._reset is not None:
            self._reset.off()
            self._clock.sleep(2e-6)  # DS 8.8.1: at least 100 ns low
            self._reset.on()
            self._may_be_starting = True

    def mark(self) -> None:
        """Write a mark, a value that no set-up writes, into the timer's reload register.

        Raises:
            ReaderFault: no chip answers, or the SPI device reports an error.
        """
        try:
            self._set_up()
            self.Write_MFRC522(self.TReloadRegH, MARK)
        except OSError as refused:
            raise _bus_fault(refused) from refused

    def is_marked(self) -> bool:
        """Return True if the mark is still present, which means that the chip was not reset.

        Raises:
            ReaderFault: the SPI device reports an error.
        """
        try:
            self._wait_for_start_up()
            return bool(self.Read_MFRC522(self.TReloadRegH) == MARK)
        except OSError as refused:
            raise _bus_fault(refused) from refused

    def close(self) -> None:
        """Switch the field off and release the bus and the reset pin."""
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
        # A chip that has failed to start gets no more time until it answers or its wire is pulsed,
        # because a missing chip must not delay the others.
        waits = self._may_be_starting or self.Read_MFRC522(self.VersionReg) not in DEAD_BUS
        self.MFRC522_Reset()
        version = self._wait_for_start_up(START_UP_S if waits else 0.0)
        self._may_be_starting = version not in DEAD_BUS
        if version in DEAD_BUS:
            raise _silent(version)
        self._version = version
        for setting in self._settings:
            self.Write_MFRC522(setting.register, setting.value)
        self._gain = GAIN_DB[self.Read_MFRC522(self._receiver.register) >> 4 & 0x07]
        if self._keeps_field_on:
            self._field_on(self._wake_s)
        self._set_up_at = pulses
        self._heard_s = self._clock.now()

    def _set_gain(self, gain_db: int) -> None:
        """Choose the gain to write at the next set-up of the chip."""
        if gain_db not in GAIN_DB:
            raise ValueError(f"the gain must be one of {sorted({*GAIN_DB})} dB, not {gain_db}")
        self._gain_db = gain_db
        code = len(GAIN_DB) - 1 - GAIN_DB[::-1].index(gain_db)
        self._receiver = _Setting(MFRC522.RFCfgReg, code << 4, 0x70)
        self._settings = (*SETTINGS, self._receiver)
        self._watched = (*self._settings, ANTENNA)  # each poll checks these registers first

    def _pulses(self) -> int:
        return 0 if self._reset is None else self._reset.pulses

    def _wait_for_start_up(self, limit_s: float = START_UP_S) -> int:
        """Wait until the oscillator runs, for *limit_s* at most, and return the version register.

        Until its crystal oscillates, a chip does not answer and MISO reads 00h (data sheet, 8.6.2);
        FFh means that there is no chip.
        """
        until_s = self._clock.now() + limit_s
        while True:
            command, version = self._read((self.CommandReg, self.VersionReg))
            is_starting = command & POWER_DOWN if version not in DEAD_BUS else version == 0x00
            if not is_starting or self._clock.now() >= until_s:
                return version
            self._clock.sleep(START_UP_STEP_S)

    def _self_test(self) -> bytes | None:
        """Reset the chip, run its self test and return the 64 bytes of the result.

        Data sheet, 16.1.1.

        Return None if the test takes longer than ``SELF_TEST_S``.
        """
        self._set_up_at = None
        self.MFRC522_Reset()
        self._wait_for_start_up()
        self._flush()
        self.spi.xfer2([self.FIFODataReg << 1, *EMPTY_BUFFER])
        self.Write_MFRC522(self.CommandReg, MEM)
        self.Write_MFRC522(self.AutoTestReg, SELF_TEST_ON)
        self.Write_MFRC522(self.FIFODataReg, 0x00)
        self.Write_MFRC522(self.CommandReg, self.PCD_CALCCRC)
        until_s = self._clock.now() + SELF_TEST_S
        while self.Read_MFRC522(self.FIFOLevelReg) < SELF_TEST_BYTES:
            if self._clock.now() >= until_s:
                return None
            self._clock.sleep(START_UP_STEP_S)
        return bytes(self._read((self.FIFODataReg,) * SELF_TEST_BYTES))

    def _echo(self, count: int) -> int:
        """Send *count* patterns, and return how many come back before the first damaged one."""
        chance, together = Random(PATTERN_SEED), FIFO_BYTES // PATTERN_BYTES
        for done in range(0, count, together):
            sent = chance.randbytes(PATTERN_BYTES * min(count - done, together))
            self.spi.xfer2([self.FIFODataReg << 1, *sent])
            back = bytes(self._read((self.FIFODataReg,) * len(sent)))
            pairs = enumerate(zip(sent, back, strict=True))
            damaged = next((place for place, (one, other) in pairs if one != other), None)
            if damaged is not None:
                return done + damaged // PATTERN_BYTES
        return count

    def _check(self) -> None:
        """Check in one transfer that the chip is present, is cool, and has kept its settings.

        If the gain is wrong right after the set-up, it was not lost: the gain of this chip cannot
        be set.

        Raises:
            ReaderFault: it is missing, too hot, has a fixed gain, or has lost its settings.
        """
        status = (self.VersionReg, self.FIFOLevelReg, self.ErrorReg)
        version, level, error, *values = self._read(
            (*status, *(one.register for one in self._watched))
        )
        if version in DEAD_BUS:
            raise _silent(version)
        if error & TEMP_ERROR and error not in DEAD_BUS:
            raise ReaderFault("hot", TOO_HOT)
        changed = [
            setting
            for setting, value in zip(self._watched, values, strict=True)
            if (value ^ setting.value) & setting.mask
        ]
        if version == self._version and changed == [self._receiver] and self._gain != self.gain_db:
            raise _fixed_gain(self._gain, self.gain_db)
        if version != self._version or changed:
            raise ReaderFault(
                "settings-lost",
                (
                    "the reader chip has lost its settings; check that its 3.3 V does not dip, and "
                    "that none of its SPI wires is loose"
                ),
            )
        if level:  # bytes left in the FIFO would be sent with the next frame
            self._flush()

    # --- the field ---

    def _field_on(self, wake_s: float) -> None:
        """Switch the field on, and note when tags will be awake: after *wake_s* seconds."""
        self.Write_MFRC522(ANTENNA.register, ANTENNA_ON)
        self._field_on_s = self._clock.now()
        self._ready_s = self._field_on_s + wake_s

    def _field_off(self) -> None:
        """Switch the field off once the current frame has been sent."""
        self._sleep_until(self._ready_s)
        self.Write_MFRC522(ANTENNA.register, ANTENNA_OFF)
        self._field_off_s = self._clock.now()

    def _reset_tags(self) -> None:
        """Switch the field off long enough to reset every tag."""
        self._field_off()
        self._clock.sleep(FIELD_OFF_S)
        if self._keeps_field_on:
            self._field_on(self._wake_s)

    def _poll_once(self, wake_s: float) -> Sighting:
        """Check the chip and find the tags; switch the field on for this unless it is always on."""
        if self._keeps_field_on:
            self._check()
            return self._find_tags()
        if self._is_look_due and self._slow:  # a tag that is still awake would not seem slow
            self._sleep_until(self._field_off_s + FIELD_OFF_S)
        self._field_on(wake_s)
        try:
            self._check()
            return self._inventory() if wake_s > self._wake_s else self._find_tags()
        finally:
            self._field_off()

    # --- slow and drowned tags ---

    @property
    def _is_look_due(self) -> bool:
        return self._look_s is not None and self._clock.now() >= self._look_s

    def _find_tags(self) -> Sighting:
        """Find the tags. About once a second, also search for slow tags and for drowned ones.

        A new tag is reported first, because the search may last 5 ms, and in a race another card
        may be laid meanwhile. The next poll then searches in any case.
        """
        is_look_due, now_s = self._is_look_due, self._clock.now()
        seen = self._call_weak_tags(self._inventory())
        if self._look_s is None:
            self._look_s = now_s + LOOK_S + self._place * PLACE_S
        there, self._there = self._there, frozenset(seen.uids)
        if not is_look_due:
            return seen
        self._is_look_put_off = not (self._is_look_put_off or self._there <= there)
        if self._is_look_put_off:
            return seen
        self._look_s += LOOK_S * (1 + (now_s - self._look_s) // LOOK_S)
        if self._wake_s < FIELD_UP_S:
            seen = self._look_for_slow_tags(seen)
        if seen.uids:
            seen = self._look_for_weak_tags(seen)
        return seen

    def _look_for_slow_tags(self, seen: Sighting) -> Sighting:
        """Wait the 5 ms that tags may take, and return the tags *seen* before and those found now.

        If that shows a tag to be slow, the guard time is doubled.
        """
        self._sleep_until(self._field_on_s + FIELD_UP_S)
        later = self._inventory()
        self._score({*seen.uids}, {*later.uids})
        if self._slow:
            self._look_s = self._clock.now()  # the next poll looks again
        if max(self._slow.values(), default=0) >= SLOW_POINTS:
            self._wake_s = min(2 * self._wake_s, FIELD_UP_S)
            self._slow.clear()
        uids = tuple(dict.fromkeys((*seen.uids, *later.uids)))
        return Sighting(uids, seen.is_garbled or later.is_garbled)

    def _score(self, first: set[bytes], later: set[bytes]) -> None:
        """Give points for slowness to tags seen only after 5 ms, and take points from others.

        *first* are the UIDs seen after the guard time, *later* those seen after 5 ms.
        """
        scores = {}
        for uid in first | later:
            points = LATE if uid not in first else PROMPT if uid in later else -LATE
            scores[uid] = self._slow.get(uid, 0) + points
        self._slow = {uid: score for uid, score in scores.items() if score > 0}

    def _look_for_weak_tags(self, seen: Sighting) -> Sighting:
        """Search for tags that the tags *seen* drown (see this module), and return all tags.

        A single tag is called by its UID. It ignores the next WUPA after that, so only another tag
        can answer. If one does, or if several tags are there, the tags are halted one by one.
        Nothing is searched beside a tag with a random UID, because it would get a new one. If this
        search has found tags, the next one finds more tags on the spot, and so searches again.
        """
        now_s, there = self._clock.now(), frozenset(seen.uids)
        is_searched = there == self._searched and now_s < self._deep_s
        if is_searched or len(there) >= MOST_TAGS or any(map(_is_random, there)):
            return seen
        self._searched, self._deep_s = there, now_s + DEEP_S
        if len(there) == 1 and not self._is_answered_beside(*there):
            return seen
        drowned = [uid for uid in self._halt_one_by_one() if uid not in there]
        self._has_drowned_tags |= bool(drowned)
        self._drowned.update(dict.fromkeys(drowned, 0))
        return replace(seen, uids=(*seen.uids, *drowned))

    def _is_answered_beside(self, uid: bytes) -> bool:
        """Return True if a tag other than the one with *uid* answers."""
        is_answered = self._call(uid) and self._wake()
        self._abort_ready()
        return is_answered

    def _halt_one_by_one(self) -> list[bytes]:
        """Reset all tags, then find and halt them one by one until none answers REQA."""
        self._field_off()
        self._clock.sleep(FIELD_OFF_S)
        self._field_on(FIELD_UP_S)
        uids, tries = dict[bytes, None](), SILENCE_TRIES
        while tries and len(uids) < MOST_TAGS and self._wake(PICC_REQA):
            try:
                uid = self._find_tag(_Branch(), [])
            except _Garbled:
                self._flush()
                uid = None
            if uid is None:
                tries -= 1
                self._abort_ready()
            else:
                uids[uid] = None
                self._halt()
        return [*uids]

    def _call_weak_tags(self, seen: Sighting) -> Sighting:
        """Return the tags *seen*, and the drowned ones that answer when they are selected by UID.

        These were found by an earlier search.
        """
        if not self._drowned or not (seen.uids or seen.is_garbled):
            return seen
        missing = [uid for uid in self._drowned if uid not in seen.uids]
        found = [uid for uid in missing if self._call(uid)]
        if found:
            self._halt()
        for uid in tuple(self._drowned):
            is_there = uid in seen.uids or uid in found
            self._drowned[uid] = 0 if is_there else self._drowned[uid] + 1
            if self._drowned[uid] >= DROWNED_MISSES:
                del self._drowned[uid]
        return replace(seen, uids=(*seen.uids, *found))

    def _call(self, uid: bytes) -> bool:
        """Wake the tags and select the one with *uid*; return True if it answers.

        No other tag answers. This is tried twice, because an answer may be lost.
        """
        return any(self._wake() and self._is_selected(uid) for _ in range(2))

    def _is_selected(self, uid: bytes) -> bool:
        """Send SELECT for each cascade level of *uid*; return True if a tag answers each time."""
        try:
            for sel, part in zip(PICC_SEL, _parts(uid), strict=False):
                self._select(sel, part)
        except _Garbled:
            self._flush()
            return False
        return True

    # --- ISO 14443-3 ---

    def _inventory(self) -> Sighting:
        """Find the tags by searching the tree of UIDs, branch by branch.

        For each branch, WUPA wakes all tags, and those whose UIDs begin with the bits of the branch
        answer. Where their UIDs differ, one branch is followed and the other is stored for later.
        Tags are not halted in between: a tag that WUPA has woken from HALT returns to HALT when
        another is selected, and the next WUPA wakes it again (ISO/IEC 14443-3, 6.3). At the end
        HLTA is sent, so that no tag stays in ACTIVE or READY, where it would not answer the next
        WUPA. A branch that is silent or garbled is searched twice.
        """
        if not self._wake():
            self._silent_polls += 1
            if self._silent_polls <= WARY_POLLS:
                self._abort_ready()
            return Sighting()
        self._silent_polls = 0
        self._heard_s = self._clock.now()
        uids: dict[bytes, None] = {}
        branches, is_garbled, is_awake = [_Branch()], False, True
        while branches and len(uids) < MOST_TAGS:
            branch, others = branches.pop(), list[_Branch]()
            try:
                uid = self._find_tag(branch, others) if is_awake else None
            except _Garbled:
                self._flush()
                uid, branch = None, replace(branch, is_sure=True)
            if uid is not None:
                uids[uid] = None
                branches += others
            elif branch.is_sure and not branch.is_second_try:
                branches.append(replace(branch, is_second_try=True))
                self._abort_ready()
            else:
                is_garbled |= branch.is_sure
            is_awake = bool(branches) and self._wake()
        self._halt()
        is_garbled |= any(branch.is_sure for branch in branches)
        return Sighting(tuple(uids), is_garbled)

    def _halt(self) -> None:
        """Send HLTA, so that no tag stays in ACTIVE or READY."""
        self._send_only(PICC_HLTA + crc_a(PICC_HLTA), 0)

    def _wake(self, command: bytes = PICC_WUPA) -> bool:
        """Send WUPA or REQA, and return True if anything answered, even if garbled."""
        self._sleep_until(self._ready_s)
        is_answered = self._transceive(command, 7, answer_bytes=2)
        if is_answered:
            self._flush()
        return is_answered

    def _abort_ready(self) -> None:
        """Send an unknown command, so that tags in READY or ACTIVE go back to IDLE or HALT."""
        self._send_only(PICC_NONE, 7)

    def _find_tag(self, branch: _Branch, branches: list[_Branch]) -> bytes | None:
        """Select one tag of *branch*, level by level, and return its whole UID.

        Return None if no tag of *branch* answers. Other branches that are found on the way are
        added to *branches*.

        Raises:
            _Garbled: an answer cannot be decoded, or contradicts another one.
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
            if not self._select(sel, part) & SAK_UID_INCOMPLETE:
                if level == 0 and part[0] == CASCADE_TAG:  # no 4-byte UID begins with it
                    raise _Garbled("SAK says the UID is whole, but it begins with the cascade tag")
                return uid + part[:4]
            if part[0] != CASCADE_TAG:
                raise _Garbled("SAK says the UID goes on, but it has no cascade tag")
            uid += part[1:4]
        raise _Garbled("SAK still says the UID is incomplete after cascade level 3")

    def _anticollision(self, sel: int, branch: _Branch, branches: list[_Branch]) -> bytes | None:
        """Return one UID CLn of *branch*, 4 bytes and their BCC (ISO/IEC 14443-3, 6.5.3).

        Return None if no tag answers. Other branches that are found on the way are added to
        *branches*. *sel* is the SEL code of the cascade level.

        Raises:
            _Garbled: an answer cannot be decoded, or the BCC is wrong.
        """
        known, bits = branch.known, branch.bits
        while bits < UID_CLN_BITS:
            answer = self._ask_prefix(sel, known, bits)
            if answer is None:
                return None
            whole, split = divmod(bits, 8)
            # The data sheet does not say what RxAlign leaves below the first received bit.
            fresh = int.from_bytes(answer.data, "little") >> split << split
            heard = known | fresh << 8 * whole
            if answer.collision is None:
                known, bits = heard, UID_CLN_BITS
            else:
                bits, is_exact = _known_bits(answer.collision, bits)
                known = heard & (1 << bits) - 1
                other = known ^ 1 << bits - 1
                branches.append(_Branch(branch.passed, other, bits, is_exact))
        part = known.to_bytes(5, "little")
        if part[0] ^ part[1] ^ part[2] ^ part[3] != part[4]:
            raise _Garbled("BCC is wrong")
        return part

    def _ask_prefix(self, sel: int, known: int, bits: int) -> _Answer | None:
        """Send ANTICOLLISION with the first *bits* bits of UID CLn, and return the answer.

        Return None if no tag answers. The answer is the rest of UID CLn: its first byte lacks the
        bits that were sent.
        """
        whole, split = divmod(bits, 8)
        prefix = known.to_bytes(5, "little")[: whole + (split > 0)]
        frame = bytes((sel, (whole + 2) << 4 | split)) + prefix
        answer = self._exchange(frame, split, answer_bytes=5 - whole, align=split)
        if answer is not None and answer.collision is None and len(answer.data) != 5 - whole:
            raise _Garbled(f"{len(answer.data)} bytes for a UID of {5 - whole}")
        return answer

    def _select(self, sel: int, part: bytes) -> int:
        """Send SELECT with the UID CLn and BCC in *part*, and return the SAK."""
        frame = bytes((sel, NVB_WHOLE)) + part
        answer = self._exchange(frame + crc_a(frame), 0, answer_bytes=3)
        if answer is None or answer.collision or answer.data[1:] != crc_a(answer.data[:1]):
            raise _Garbled("no SAK with a right CRC")
        return answer.data[0]

    # --- the chip ---

    def _exchange(
        self, frame: bytes, last_bits: int, *, answer_bytes: int, align: int = 0
    ) -> _Answer | None:
        """Send *frame* as ``_transceive`` does; return the answer, or None if there is none."""
        is_answered = self._transceive(frame, last_bits, answer_bytes=answer_bytes, align=align)
        return self._read_answer(answer_bytes) if is_answered else None

    def _transceive(
        self, frame: bytes, last_bits: int, *, answer_bytes: int, align: int = 0
    ) -> bool:
        """Send *frame* and wait; return True if something answered.

        Only *last_bits* bits of the last byte are sent; 0 is all. *align* is the bit of the
        answer's first byte in which the answer begins. The host sleeps until an answer of
        *answer_bytes* can have arrived, and then until the timer has run out. So it reads the flags
        two or three times, not two thousand times. If the previous frame was sent without waiting,
        TimerIRq may still belong to that frame. So TimerIRq is valid only at the end.
        """
        self.Write_MFRC522(self.CommandReg, self.PCD_TRANSCEIVE)  # ends the command before
        self.Write_MFRC522(self.CommIrqReg, ALL_IRQS)
        self._send(frame, last_bits, align)
        sent_s = self._ready_s
        self._sleep_until(sent_s + FRAME_DELAY_S + frame_s(answer_bytes, 0))
        if self.Read_MFRC522(self.CommIrqReg) & (RX_IRQ | ERR_IRQ):
            return True
        self._sleep_until(sent_s + TIMER_S)
        return bool(self._wait_for_end() & (RX_IRQ | ERR_IRQ))

    def _send_only(self, frame: bytes, last_bits: int) -> None:
        """Send *frame* with the receiver off, and do not wait."""
        self.Write_MFRC522(self.CommandReg, RECEIVER_OFF | self.PCD_TRANSCEIVE)
        self._send(frame, last_bits)

    def _send(self, frame: bytes, last_bits: int, align: int = 0) -> None:
        self.spi.xfer2([self.FIFODataReg << 1, *frame])
        self.Write_MFRC522(self.BitFramingReg, START_SEND | align << 4 | last_bits)
        self._ready_s = self._clock.now() + frame_s(len(frame), last_bits)

    def _wait_for_end(self) -> int:
        """Wait for an answer or the end of the timer, and return ComIrqReg.

        Raises:
            ReaderFault: there is neither within ``PATIENCE_S``.
        """
        until_s = self._clock.now() + PATIENCE_S
        is_late = False
        while not is_late:
            is_late = self._clock.now() >= until_s
            # If late, read once more: the process may have been suspended.
            flags = self.Read_MFRC522(self.CommIrqReg)
            if flags & (RX_IRQ | ERR_IRQ | TIMER_IRQ):
                return flags
        self._check()
        raise ReaderFault(
            "stuck",
            (
                "the reader chip does not end an exchange, although it has kept its settings. "
                "Switch its power off and on; if that does not help, try another board"
            ),
        )

    def _read_answer(self, answer_bytes: int) -> _Answer:
        """Read status and data in one transfer.

        Raises:
            _Garbled: the parity, the protocol or the length is wrong.
            ReaderFault: the FIFO level is impossible, so no chip answers.
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
        """Return the values of *registers*, read in one transfer (data sheet, 8.1.2.1)."""
        read: list[int] = self.spi.xfer2([*(READ | register << 1 for register in registers), 0])
        return read[1:]

    def _flush(self) -> None:
        self.Write_MFRC522(self.FIFOLevelReg, FLUSH_FIFO)

    def _sleep_until(self, at_s: float) -> None:
        self._clock.sleep(at_s - self._clock.now())


def open_reader(wires: ReaderWires) -> Mfrc522Reader:
    """Return a driver for the chip on *wires*. This function is a ``hardware.ports.OpenReader``."""
    gain_db = GAIN if wires.gain_db is None else wires.gain_db
    return Mfrc522Reader(
        wires.spi,
        wires.clock,
        wires.reset,
        guard_s=wires.guard_s,
        gain_db=gain_db,
        place=wires.place,
    )


DRIVER = ReaderDriver(
    open_reader,
    SpiModule(
        "RC522",
        (
            ("SDA", PinRole.SELECT),
            ("SCK", PinRole.SCK),
            ("MOSI", PinRole.MOSI),
            ("MISO", PinRole.MISO),
            ("IRQ", PinRole.FREE),
            ("GND", PinRole.GROUND),
            ("RST", PinRole.RESET),
            ("3.3V", PinRole.POWER),
        ),
        "An RC522 needs 3.3 V, never 5 V: its chip is rated for 3.6 V.",
        Current(13.5, 19),  # digital and analogue supply. DS table 1
    ),
    field=Current(60, 100),  # the antenna. DS table 1
)


def _known_bits(collision: int, bits: int) -> tuple[int, bool]:
    """Return the number of known bits of UID CLn after a *collision*, and whether it is exact.

    *collision* is CollPos, and *bits* is the number of bits known before. Sources differ on whether
    CollPos counts from the first bit of UID CLn or from the first bit of the received frame,
    RxAlign included. The lower number is used, because the bits up to there belong to some tag in
    both cases. So every step is safe. At worst it is too short, and the other branch is empty. The
    number is exact if both ways of counting agree.
    """
    readings = (collision, bits // 8 * 8 + collision)
    beyond = [length for length in readings if bits < length <= UID_CLN_BITS]
    if not beyond:
        found = "the reader reports a collision at bit {}, but it sent the first {} bits itself"
        raise _Garbled(found.format(collision, bits))
    return min(beyond), len(set(beyond)) == 1


def _silent(version: int) -> ReaderFault:
    """Return the fault of a chip that does not answer. *version* is the value read."""
    text = (
        "the reader chip does not answer (its version register reads {version:02X}h); check its "
        "SPI wires and 3.3 V"
    )
    return ReaderFault("silent", text.format(version=version))


def _fixed_gain(found_db: int, wanted_db: int) -> ReaderFault:
    """Return the fault of a chip that keeps the gain *found_db*."""
    return ReaderFault("gain", GAIN_IS_FIXED.format(found=found_db, wanted=wanted_db))


def _is_random(uid: bytes) -> bool:
    return len(uid) == 4 and uid[0] == RANDOM_UID


def _parts(uid: bytes) -> Iterator[bytes]:
    """Yield UID CLn and its BCC for each cascade level of *uid* (ISO/IEC 14443-3, 6.4.4)."""
    rest = uid
    while rest:
        part = rest if len(rest) == 4 else bytes((CASCADE_TAG,)) + rest[:3]
        rest = rest[4:] if len(rest) == 4 else rest[3:]
        yield part + bytes((part[0] ^ part[1] ^ part[2] ^ part[3],))


def _bus_fault(refused: OSError) -> ReaderFault:
    """Return the fault for an error of the SPI device."""
    text = "the reader's SPI bus refuses a transfer ({reason}); check its wires"
    return ReaderFault("bus", text.format(reason=refused))


def frame_s(count: int, last_bits: int) -> float:
    """Return the time in seconds that a frame of *count* bytes takes on the radio link.

    A frame has a start bit, 9 bits for each byte, and an end bit. Only *last_bits* bits of the last
    byte are sent; 0 is all.
    """
    bits = 9 * count if not last_bits else 9 * (count - 1) + last_bits
    return (bits + 2) * BIT_S


def crc_a(data: bytes) -> bytes:
    """Return the CRC_A of *data*, low byte first (ISO 14443-3, annex B).

    The host computes it, because switching the chip's own on and off costs four transfers per tag.
    """
    crc = 0x6363
    for byte in data:
        mixed = byte ^ crc & 0xFF
        mixed ^= mixed << 4 & 0xFF
        crc = crc >> 8 ^ mixed << 8 ^ mixed << 3 ^ mixed >> 4
    return (crc & 0xFFFF).to_bytes(2, "little")
