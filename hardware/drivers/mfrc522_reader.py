"""The MFRC522 as a tag reader: every 4- and 7-byte UID in its field, checked.

Room: hardware/drivers.
May import: the standard library, mfrc522, hardware.
May be imported by: firmware.wiring, sim, tests.
Sources: MFRC522 data sheet rev. 3.9 ("DS"); ISO/IEC 14443-3:2001 ("ISO").

What the library does oddly (mfrc522 0.0.7), and what is done here instead:

- It never looks at the chip's timer flag, so an empty field costs 2,013 transfers. Here the chip's
  timer ends the wait after half a millisecond, and the host sleeps until an answer can be there.
- It reads cascade level 1 alone: of a 7-byte UID it sees 88h and three bytes. Here SELECT goes on
  as long as SAK says so, and a UID counts only with its BCC and the CRC of its SAK right.
- Two tags answer it with an error for ever. Here collisions are followed bit by bit.
- It leaves the tag it found in READY, so every second poll finds nothing. Here it is halted.
- A chip that is not there reads as "no tag". Here a chip that ends no wait is a fault.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from hardware.drivers.mfrc522_library import MFRC522
from hardware.errors import ReaderFault
from hardware.ports import Clock, Sighting, SpiBus

# --- the chip (DS 9.3) ---
DEAD_BUS = (0x00, 0xFF)  # what VersionReg reads when no chip drives MISO
READ = 0x80  # address byte of a read, DS 8.1.2.3
FLUSH_FIFO = 0x80  # FIFOLevelReg
START_SEND = 0x80  # BitFramingReg
ALL_IRQS = 0x7F  # ComIrqReg with Set1 = 0: clears every flag
RX_IRQ, IDLE_IRQ, ERR_IRQ, TIMER_IRQ = 0x20, 0x10, 0x02, 0x01  # ComIrqReg
BUFFER_OVERFLOW, COLLISION, PARITY_ERROR, PROTOCOL_ERROR = 0x10, 0x08, 0x02, 0x01  # ErrorReg
RX_ERRORS = PARITY_ERROR | PROTOCOL_ERROR
COLL_POS, COLL_POS_NOT_VALID = 0x1F, 0x20  # CollReg
RX_LAST_BITS = 0x07  # ControlReg
POWER_DOWN = 0x10  # CommandReg: set while the oscillator starts
ANTENNA_ON = 0x83  # TxControlReg: reset value 80h with Tx1RFEn and Tx2RFEn

# 13.56 MHz / (2 * 169 + 1) = 40 kHz: ticks of 25 us; 20 of them are the half millisecond in which
# any answer to REQA, ANTICOLLISION or SELECT has begun (91 us, ISO 6.1.2) many times over.
TIMER_PRESCALER, TIMER_RELOAD = 169, 19
ANSWER_BEGINS_WITHIN_S = 500e-6
SETTINGS = (
    (MFRC522.TModeReg, 0x80),  # TAuto: starts at the end of transmission, stops at the 5th bit
    (MFRC522.TPrescalerReg, TIMER_PRESCALER),
    (MFRC522.TReloadRegH, 0x00),
    (MFRC522.TReloadRegL, TIMER_RELOAD),
    (MFRC522.TxAutoReg, 0x40),  # TxASKReg, Force100ASK: what ISO 14443A modulates with
    (MFRC522.ModeReg, 0x3D),  # CRC preset 6363h, as CRC_A wants
    (MFRC522.RFCfgReg, 0x60),  # receiver gain 43 dB: stickers are small
    (MFRC522.CollReg, 0x00),  # ValuesAfterColl = 0: what follows a collision reads as zeros
    (MFRC522.TxControlReg, ANTENNA_ON),
)

# --- the air ---
BIT_S = 128 / 13.56e6  # one bit at 106 kbit/s
FRAME_DELAY_S = 1236 / 13.56e6  # from our last bit to the first of the answer, ISO 6.1.2
START_UP_S, START_UP_STEP_S = 0.050, 0.001  # the longest a chip may take to leave power-down
FIELD_UP_S = 0.005  # from field on until every tag is ready, ISO 14443-3, 6.1.5
PATIENCE_S = 0.003  # an exchange that has not ended by then never will: timer and frame fit twice

PICC_WUPA, PICC_HLTA = 0x52, (0x50, 0x00)  # ISO 6.4
PICC_SEL = (0x93, 0x95, 0x97)  # SEL code of cascade levels 1, 2, 3
CASCADE_TAG = 0x88
NVB_WHOLE = 0x70  # 7 bytes: SEL, NVB and all 5 of UID CLn with its BCC
SAK_UID_INCOMPLETE = 0x04  # cascade bit: go on to the next level
UID_CLN_BITS = 40  # 4 bytes of UID and the BCC

# A tag whose answer to WUPA was not heard waits in READY, and would let the next WUPA pass in
# silence too. So as long as one may still be there, an empty poll ends in HLTA.
WARY_POLLS = 20
TRIES = 2  # walks through the tree a poll makes when a tag in it fell silent or was garbled
MOST_TAGS = 12  # a poll goes no further; more stickers than that lie on no spot


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
    *known*, the first bit lowest. *is_sure* says that some tag has answered from there.
    """

    passed: tuple[bytes, ...] = ()
    known: int = 0
    bits: int = 0
    is_sure: bool = True


class ResetPin(Protocol):
    """The wire to RST; gpiozero's OutputDevice is one."""

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

    Its chip select is the bus's; *reset* is its reset wire, if it has one. Nothing is sent before
    the first ``poll()`` or ``restart()``, so a chip that is missing when the table starts is the
    same fault as one that is lost later, and is taken back the same way.
    """

    def __init__(self, spi: SpiBus, clock: Clock, reset: ResetPin | None = None) -> None:
        # Not super().__init__(): it opens the SPI bus and claims the reset pin itself,
        # and this table's pins belong to gpiozero.
        self.spi = spi
        self._clock = clock
        self._reset = reset
        self._is_open = True
        self._is_set_up = False
        self._silences = WARY_POLLS  # polls since something answered

    # --- the port ---

    def restart(self) -> None:
        """Reset the chip and set it up; about 6 ms when it is well.

        Raises:
            ReaderFault: no chip answers.
        """
        self._is_set_up = False
        if self._reset is not None:
            self._reset.off()
            self._clock.sleep(2e-6)  # DS 8.8.1: at least 100 ns low
            self._reset.on()
        try:
            self._set_up()
        except OSError as refused:
            raise _bus_refuses(refused) from refused

    def _set_up(self) -> None:
        self.MFRC522_Reset()
        version = self._after_start_up()
        if version in DEAD_BUS:
            raise ReaderFault(
                f"the reader chip is silent (version register reads {version:02X}h); "
                "check its SPI wires and 3.3 V"
            )
        for register, value in SETTINGS:
            self.Write_MFRC522(register, value)
        self._clock.sleep(FIELD_UP_S)
        self._is_set_up = True

    def poll(self) -> Sighting:
        """Find every tag in the field.

        The tree of UIDs is walked branch by branch: WUPA wakes all tags, a prefix singles some
        out, and where they differ the other branch is kept for later. Tags need not be halted on
        the way: one that WUPA has woken from HALT returns there when another is selected, and no
        REQA would ever find it again (ISO 6.3). At the end HLTA is sent, so that the next WUPA
        finds none in ACTIVE or READY, where it would not answer. A tag that fell silent on the
        way is looked for once more.

        Raises:
            ReaderFault: the chip did not end an exchange; it is dead or has lost its settings.
        """
        if not self._is_set_up:
            self.restart()
        uids: dict[bytes, None] = {}
        try:
            for _ in range(TRIES):
                sighting = self._look()
                uids |= dict.fromkeys(sighting.uids)
                if not sighting.is_garbled:
                    break
        except OSError as refused:
            raise _bus_refuses(refused) from refused
        return Sighting(tuple(uids), sighting.is_garbled)

    def _look(self) -> Sighting:
        """Walk the tree once."""
        self.Write_MFRC522(self.FIFOLevelReg, FLUSH_FIFO)
        uids: list[bytes] = []
        branches, is_silent, is_garbled = [_Branch()], True, False
        try:
            while branches and len(uids) < MOST_TAGS and self._wake():
                is_silent = False
                branch = branches.pop()
                uid = self._find(branch, branches)
                if uid is not None:
                    uids.append(uid)
                elif branch.is_sure:
                    is_garbled = True
        except _Garbled:
            is_silent, is_garbled = False, True
        self._silences = self._silences + 1 if is_silent else 0
        if self._silences <= WARY_POLLS:
            self._halt()
        if not is_silent:
            is_garbled |= any(branch.is_sure for branch in branches)
        return Sighting(tuple(uids), is_garbled)

    def close(self) -> None:
        """Switch the field off and let go of bus and reset pin."""
        if not self._is_open:
            return
        self._is_open = False
        with suppress(OSError):
            self.Write_MFRC522(self.TxControlReg, ANTENNA_ON & ~0x03)
        self.spi.close()
        if self._reset is not None:
            self._reset.close()

    def _after_start_up(self) -> int:
        """Wait until the oscillator runs, and return the version register."""
        until_s = self._clock.now() + START_UP_S
        while self._clock.now() < until_s:
            command = self.Read_MFRC522(self.CommandReg)
            if command in DEAD_BUS or not command & POWER_DOWN:
                break
            self._clock.sleep(START_UP_STEP_S)
        return self.Read_MFRC522(self.VersionReg)

    # --- ISO 14443-3 ---

    def _wake(self) -> bool:
        """Send WUPA (a short frame); whether anything answered, collisions included."""
        return self._exchange(bytes((PICC_WUPA,)), 7, answer_bytes=2) is not None

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

    def _halt(self) -> None:
        """Halt the selected tag. It does not answer (ISO 6.4.3)."""
        frame = bytes(PICC_HLTA)
        self._begin(frame + crc_a(frame), 0)
        self._clock.sleep(frame_s(4, 0))

    # --- the chip ---

    def _exchange(
        self, frame: bytes, last_bits: int, *, answer_bytes: int, align: int = 0
    ) -> _Answer | None:
        """Send *frame* (its last byte cut to *last_bits*, 0 for whole) and return the answer.

        *align* is where in its first byte the answer's first bit goes. None is a clean time-out.
        The host sleeps until the whole answer can have come, and then until the timer has run out,
        so the chip is asked two or three times rather than two thousand.
        """
        self._begin(frame, last_bits, align)
        sent_s = frame_s(len(frame), last_bits)
        self._clock.sleep(sent_s + FRAME_DELAY_S + frame_s(answer_bytes, 0))
        flags = self.Read_MFRC522(self.CommIrqReg)
        if not flags & (RX_IRQ | ERR_IRQ | TIMER_IRQ):
            self._clock.sleep(ANSWER_BEGINS_WITHIN_S - FRAME_DELAY_S - frame_s(answer_bytes, 0))
            flags = self._ended()
        if not flags & (RX_IRQ | ERR_IRQ):
            return None
        return self._answer(answer_bytes)

    def _begin(self, frame: bytes, last_bits: int, align: int = 0) -> None:
        """Send *frame*. The command ends whatever the chip was waiting for (DS 10.3.1.8)."""
        self.Write_MFRC522(self.CommandReg, self.PCD_TRANSCEIVE)
        self.Write_MFRC522(self.CommIrqReg, ALL_IRQS)
        self.spi.xfer2([self.FIFODataReg << 1, *frame])
        self.Write_MFRC522(self.BitFramingReg, START_SEND | align << 4 | last_bits)

    def _ended(self) -> int:
        """Wait until the chip has an answer or its timer has run out; return ComIrqReg."""
        until_s = self._clock.now() + PATIENCE_S
        is_late = False
        while not is_late:
            is_late = self._clock.now() >= until_s  # then look once more: the host may have slept
            flags = self.Read_MFRC522(self.CommIrqReg)
            if flags & (RX_IRQ | ERR_IRQ | TIMER_IRQ):
                return flags
        raise ReaderFault(
            "the reader chip ends no exchange; it is dead or has lost its settings. "
            "Check its SPI wires and 3.3 V"
        )

    def _answer(self, answer_bytes: int) -> _Answer:
        """Read status and data in one transfer (DS 8.1.2.1).

        Raises:
            _Garbled: parity, protocol or length say that it is no answer.
            ReaderFault: no chip can have said this.
        """
        status = (self.ErrorReg, self.FIFOLevelReg, self.ControlReg, self.CollReg)
        registers = (*status, *(self.FIFODataReg,) * answer_bytes)
        read = self.spi.xfer2([*(READ | register << 1 for register in registers), 0])[1:]
        error, level, control, coll = read[:4]
        if level > 64:
            raise ReaderFault("the reader chip is silent; check its SPI wires and 3.3 V")
        is_overlong = bool(error & BUFFER_OVERFLOW) or level > answer_bytes
        if error & COLLISION and not is_overlong:
            if coll & COLL_POS_NOT_VALID:
                raise _Garbled("a collision beyond bit 32")
            return _Answer(bytes(read[4 : 4 + level]), coll & COLL_POS or 32)
        if error & RX_ERRORS or is_overlong or control & RX_LAST_BITS:
            raise _Garbled(f"error {error:02X}h, {level} bytes of {answer_bytes}")
        return _Answer(bytes(read[4 : 4 + level]))


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


def _bus_refuses(refused: OSError) -> ReaderFault:
    """What a refusal of the SPI device itself reads like."""
    return ReaderFault(f"the reader's SPI bus refuses a transfer ({refused}); check its wires")


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
