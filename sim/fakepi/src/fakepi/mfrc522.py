"""The emulated MFRC522 reader chip: registers on SPI, and frames on the air.

May import: the standard library and fakepi.
Source: MFRC522 data sheet, rev 3.9 (27 April 2016), named "DS" below: 8.1.2 (SPI), 8.3 (FIFO), 8.4
(interrupts), 8.5 (timer), 8.6 (power), 9 (registers), 10.3 (commands), 16.1.1 (self test).

When a transmission starts, everything that follows on the air is computed and scheduled as events.
Each access to a register first runs the events that are due, so the host never sees a bit too
early.

Simplified: the transmitter empties the FIFO when it starts. Tags receive 106 kbit/s only, and no
frames without parity. Test buses and the pins MFIN and AUX do nothing. The CRC coprocessor takes no
time. Thresholds have no effect. The gain sets the least coupling of a tag that is received; that
limit is assumed. Choices where the data sheet says nothing: RxCRCEn keeps the CRC out of the FIFO;
a bit that collides reads 1; TAutoRestart raises TimerIRq at every restart; StartSend has an effect
only if it is written while Transceive waits.

What the data sheet does not define raises a ValueError, unless the chip was made with another value
of *undefined*. It gives reserved registers the reset value 00h (table 20), and says that they must
not be changed (table 19), but not what a write does. So these are choices, which nobody has
measured: a reserved register reads 00h, a write to it or to a read-only register has no effect, bit
0 of an SPI address and bit 7 of a later address in a read are ignored, and tags receive no frame at
a reserved speed.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Literal

from fakepi import crypto1
from fakepi.clock import VirtualClock
from fakepi.field import Received, RfField
from fakepi.iso14443 import (
    ETU_FC,
    NEXT_COMMAND_DELAY_FC,
    SEL,
    Frame,
    bits_reversed,
    crc_a,
    crc_ccitt,
    fc_to_ns,
    ns_to_fc,
    pcd_frame_etu,
    picc_frame_etu,
)
from fakepi.reader_chip import ReaderChip
from fakepi.undefined import Undefined

# Reg and Command are no enums, because Python 3.11 looks up a member of an enum slowly: with enums,
# a poll takes a tenth more time.


class Reg:
    """Register addresses (DS, table 20)."""

    COMMAND = 0x01
    COM_I_EN = 0x02
    DIV_I_EN = 0x03
    COM_IRQ = 0x04
    DIV_IRQ = 0x05
    ERROR = 0x06
    STATUS1 = 0x07
    STATUS2 = 0x08
    FIFO_DATA = 0x09
    FIFO_LEVEL = 0x0A
    WATER_LEVEL = 0x0B
    CONTROL = 0x0C
    BIT_FRAMING = 0x0D
    COLL = 0x0E
    MODE = 0x11
    TX_MODE = 0x12
    RX_MODE = 0x13
    TX_CONTROL = 0x14
    TX_ASK = 0x15
    TX_SEL = 0x16
    RX_SEL = 0x17
    RX_THRESHOLD = 0x18
    DEMOD = 0x19
    MF_TX = 0x1C
    MF_RX = 0x1D
    SERIAL_SPEED = 0x1F
    CRC_RESULT_H = 0x21
    CRC_RESULT_L = 0x22
    MOD_WIDTH = 0x24
    RF_CFG = 0x26
    GS_N = 0x27
    CW_GS_P = 0x28
    MOD_GS_P = 0x29
    T_MODE = 0x2A
    T_PRESCALER = 0x2B
    T_RELOAD_H = 0x2C
    T_RELOAD_L = 0x2D
    T_COUNTER_VAL_H = 0x2E
    T_COUNTER_VAL_L = 0x2F
    TEST_SEL1 = 0x31
    TEST_SEL2 = 0x32
    TEST_PIN_EN = 0x33
    TEST_PIN_VALUE = 0x34
    TEST_BUS = 0x35
    AUTO_TEST = 0x36
    VERSION = 0x37
    ANALOG_TEST = 0x38
    TEST_DAC1 = 0x39
    TEST_DAC2 = 0x3A
    TEST_ADC = 0x3B


class Command:
    """Command codes (DS, table 149). The other four-bit values are not commands."""

    IDLE = 0x0
    MEM = 0x1
    GENERATE_RANDOM_ID = 0x2
    CALC_CRC = 0x3
    TRANSMIT = 0x4
    NO_CMD_CHANGE = 0x7
    RECEIVE = 0x8
    TRANSCEIVE = 0xC
    MF_AUTHENT = 0xE
    SOFT_RESET = 0xF


# Reset value, and a mask of the bits that the host can change. DS, section 9.3
_SETTINGS: Mapping[int, tuple[int, int]] = {
    Reg.COM_I_EN: (0x80, 0xFF),
    Reg.DIV_I_EN: (0x00, 0x94),
    Reg.WATER_LEVEL: (0x08, 0x3F),
    Reg.MODE: (0x3F, 0xAB),
    Reg.TX_MODE: (0x00, 0xF8),
    Reg.RX_MODE: (0x00, 0xFC),
    Reg.TX_CONTROL: (0x80, 0xFB),
    Reg.TX_ASK: (0x00, 0x40),
    Reg.TX_SEL: (0x10, 0x3F),
    Reg.RX_SEL: (0x84, 0xFF),
    Reg.RX_THRESHOLD: (0x84, 0xF7),
    Reg.DEMOD: (0x4D, 0xFF),
    Reg.MF_TX: (0x62, 0x03),
    Reg.MF_RX: (0x00, 0x10),
    Reg.SERIAL_SPEED: (0xEB, 0xFF),
    Reg.MOD_WIDTH: (0x26, 0xFF),
    Reg.RF_CFG: (0x48, 0x70),
    Reg.GS_N: (0x88, 0xFF),
    Reg.CW_GS_P: (0x20, 0x3F),
    Reg.MOD_GS_P: (0x20, 0x3F),
    Reg.T_MODE: (0x00, 0xFF),
    Reg.T_PRESCALER: (0x00, 0xFF),
    Reg.T_RELOAD_H: (0x00, 0xFF),
    Reg.T_RELOAD_L: (0x00, 0xFF),
    Reg.TEST_SEL1: (0x00, 0x07),
    Reg.TEST_SEL2: (0x00, 0xFF),
    Reg.TEST_PIN_EN: (0x80, 0xFE),
    Reg.TEST_PIN_VALUE: (0x00, 0xFF),
    Reg.AUTO_TEST: (0x40, 0x7F),
    Reg.ANALOG_TEST: (0x00, 0xFF),
    Reg.TEST_DAC1: (0x00, 0x3F),
    Reg.TEST_DAC2: (0x00, 0x3F),
}
_LIVE_RESET: Mapping[int, int] = {
    Reg.COM_IRQ: 0x14,
    Reg.CONTROL: 0x10,
    Reg.COLL: 0xA0,
    Reg.CRC_RESULT_H: 0xFF,
    Reg.CRC_RESULT_L: 0xFF,
}
_READ_ONLY = frozenset(
    (
        Reg.ERROR,
        Reg.STATUS1,
        Reg.CRC_RESULT_H,
        Reg.CRC_RESULT_L,
        Reg.T_COUNTER_VAL_H,
        Reg.T_COUNTER_VAL_L,
        Reg.TEST_BUS,
        Reg.VERSION,
        Reg.TEST_ADC,
    )
)
REGISTER_NAMES: Mapping[int, str] = {
    address: name for name, address in vars(Reg).items() if name.isupper()
}
_RESERVED = frozenset(range(0x40)) - frozenset(REGISTER_NAMES)
_COMMANDS = frozenset(code for name, code in vars(Command).items() if name.isupper())
# The meaning of each byte of a read: a register's address, the end, or another byte. Registers that
# change with time count as other bytes, because they cannot be read at once.
_TIMED = frozenset((Reg.COMMAND, Reg.STATUS2, Reg.T_COUNTER_VAL_H, Reg.T_COUNTER_VAL_L))
_END_OF_READ, _OTHER_BYTE = 0x40, 0xFF
_READ_ADDRESSES = bytes(
    (
        _END_OF_READ,
        *(_OTHER_BYTE for _ in range(0x01, 0x80)),
        *(
            _OTHER_BYTE if byte & 0x01 or byte >> 1 & 0x3F in _TIMED else byte >> 1 & 0x3F
            for byte in range(0x80, 0x100)
        ),
    )
)

READ_BIT = 0x80  # of an address byte. DS, table 8
RCV_OFF, POWER_DOWN = 0x20, 0x10  # CommandReg
SET = 0x80  # ComIrqReg and DivIrqReg: set the marked bits, else clear them
TX_IRQ, RX_IRQ, IDLE_IRQ, HI_ALERT_IRQ, LO_ALERT_IRQ, ERR_IRQ, TIMER_IRQ = (
    0x40, 0x20, 0x10, 0x08, 0x04, 0x02, 0x01,
)  # fmt: skip
CRC_IRQ, MFIN_ACT_IRQ = 0x04, 0x10  # DivIrqReg
WR_ERR, TEMP_ERR, BUFFER_OVFL, COLL_ERR, CRC_ERR, PARITY_ERR, PROTOCOL_ERR = (
    0x80, 0x40, 0x10, 0x08, 0x04, 0x02, 0x01,
)  # fmt: skip
RECEIVER_ERRORS = COLL_ERR | CRC_ERR | PARITY_ERR | PROTOCOL_ERR  # cleared when the receiver starts
MF_CRYPTO1_ON = 0x08  # Status2Reg
T_STOP_NOW, T_START_NOW = 0x80, 0x40  # ControlReg
FLUSH_BUFFER = 0x80  # FIFOLevelReg
START_SEND = 0x80  # BitFramingReg
VALUES_AFTER_COLL, COLL_POS_NOT_VALID = 0x80, 0x20  # CollReg
MSB_FIRST, TX_WAIT_RF = 0x80, 0x20  # ModeReg
FASTEST = 0b011  # 848 kbit/s; the codes above are reserved. DS, 9.3.2.3 and 9.3.2.4
CRC_EN, SPEED, RX_NO_ERR, RX_MULTIPLE = 0x80, 0x70, 0x08, 0x04  # TxModeReg, RxModeReg
GAIN_DB = (18, 23, 18, 23, 33, 38, 43, 48)  # RFCfgReg[6:4]. DS, 9.3.3.6
# Assumed: at 48 dB the receiver detects a tag with a coupling of 0.03, and at 20 dB less, ten times
# the coupling is needed. That is 0.05 at 43 dB, 0.17 at 33 dB (the reset value) and 0.95 at 18 dB.
LEAST_COUPLING_AT_48_DB = 0.03
RF_EN = 0x03  # TxControlReg: Tx1RFEn, Tx2RFEn
FORCE_100_ASK = 0x40  # TxASKReg
T_PRESCAL_EVEN = 0x10  # DemodReg
PARITY_DISABLE = 0x10  # MfRxReg
T_AUTO, T_GATED, T_AUTO_RESTART = 0x80, 0x60, 0x10  # TModeReg
SELF_TEST = 0x09  # AutoTestReg[3:0]

CRC_PRESETS = (0x0000, 0x6363, 0xA671, 0xFFFF)  # ModeReg[1:0]. DS, 9.3.2.2
FIFO_BYTES = 64
BUFFER_BYTES = 25  # internal buffer of Mem and GenerateRandomID
AUTHENT_BYTES = 12  # command, block, key, four bytes of UID. DS, 10.3.1.9
TIMER_STOP_NS = fc_to_ns(5 * ETU_FC)  # a start bit and four data bits. DS, table 106
FARTHEST_COLLISION = 32  # CollPos has five bits, and 0 means 32
WAKE_NS = 1024 * 1_000_000 // 27_120  # 1024 clocks of the 27.12 MHz crystal. DS, 8.6.2 and 8.8.2
NEVER = 1 << 62

# The result of the self test in the FIFO of a good chip, by version. DS, 16.1.1
SELF_TEST_RESULTS: Mapping[int, bytes] = {
    0x91: bytes.fromhex(
        "00C637D532B7575CC2D87C4DD970C77310E6D2AA5EA13E5A14AF3061C970DB2E"
        "642272B5BD65F4EC22BCD37235CDAA411FA7F35314DE7E02D90FB55E251D2979"
    ),
    0x92: bytes.fromhex(
        "00EB66BA57BF2395D0E30D3D27895CDE9D3BA700215B8982513AEB020CA50049"
        "7C844DB3CCD21B815D4876D5716121A986968338CF9D5B6DDC15BA3E7D953B2F"
    ),
}

CollPos = Literal["absolute", "frame"]


class _Timer:
    """The 16-bit timer (DS, 8.5)."""

    def __init__(self) -> None:
        self.due_ns = NEVER
        self._start_ns = 0
        self._reload = 0
        self._tick_fc = 1
        self._is_repeating = False
        self._held = 0

    @property
    def is_running(self) -> bool:
        return self.due_ns != NEVER

    def start(self, at_ns: int, *, reload: int, tick_fc: int, is_repeating: bool) -> None:
        """Start to count down from *reload* at *at_ns*, a step every *tick_fc* carrier periods."""
        self._start_ns, self._reload, self._tick_fc = at_ns, reload, tick_fc
        self._is_repeating = is_repeating
        self.due_ns = at_ns + self._period_ns

    def stop(self, at_ns: int) -> None:
        """Stop at the current count."""
        self._held = self.value(at_ns)
        self.due_ns = NEVER

    def value(self, now_ns: int) -> int:
        """Return the count, as in TCounterValReg."""
        if not self.is_running:
            return self._held
        return max(0, self._reload - ns_to_fc(now_ns - self._start_ns) // self._tick_fc)

    def expires_by(self, now_ns: int) -> bool:
        """Return True if the count has reached 0 by *now_ns*.

        The timer then stops, or starts again.
        """
        if self.due_ns > now_ns:
            return False
        if self._is_repeating:
            rounds = (now_ns - self._start_ns) // self._period_ns
            self._start_ns += rounds * self._period_ns
            self.due_ns = self._start_ns + self._period_ns
        else:
            self._held = 0
            self.due_ns = NEVER
        return True

    @property
    def _period_ns(self) -> int:
        return fc_to_ns(self._tick_fc * (self._reload + 1))


@dataclass(slots=True)
class _Reception:
    """A frame that is being received."""

    start_ns: int
    align: int
    data: bytes  # what goes into the FIFO
    last_bits: int
    errors: int
    coll: int
    taken: int = 0  # bytes of *data* in the FIFO already

    def whole_bytes_by(self, now_ns: int) -> int:
        """Return the number of bytes of ``data`` that are complete at *now_ns*."""
        bits = ns_to_fc(now_ns - self.start_ns) // ETU_FC - 1
        return max(0, min(bits + self.align, 9 * len(self.data))) // 9


class Mfrc522(ReaderChip):
    """One MFRC522 with its antenna; pass it to a `SpiDevice`.

    Args:
        clock: the clock of its timer and of the frames on the air.
        field: the RF field of its antenna.
        version: the value of VersionReg; 91h and 92h are in the data sheet.
        collpos: the meaning of CollPos if the reader has already sent a part of the UID.
            ``"frame"`` counts in the received frame, RxAlign bits included (NXP says so for the
            MFRC631); ``"absolute"`` counts in all 40 bits of UID and BCC (as most drivers assume).
            The data sheet does not say.
        self_test: the result of the self test in the FIFO; by default the one in the data sheet for
            *version*.
        has_fixed_gain: True for a poor copy, whose receiver's gain is always 33 dB.
        deaf_above_db: the highest gain, in dB, at which the receiver detects answers, for a board
            on which noise hides them at a higher gain; None for a good board.
        chance: draws the random ID and the reader's nonces.
        undefined: the effect of what the data sheet does not define, such as a write to a reserved
            register: ``"raise"`` raises a ValueError, ``"as-silicon"`` does what is assumed of real
            chips (see this module), and ``"record"`` does the same and appends the error's text to
            ``undefined_bytes``.
    """

    def __init__(
        self,
        clock: VirtualClock,
        field: RfField,
        *,
        version: int = 0x92,
        collpos: CollPos = "frame",
        self_test: bytes | None = None,
        has_fixed_gain: bool = False,
        deaf_above_db: int | None = None,
        chance: Random | None = None,
        undefined: Undefined = "raise",
    ) -> None:
        self.field = field
        self.undefined: Undefined = undefined
        self.undefined_bytes: list[str] = []
        self.collpos: CollPos = collpos
        self._clock = clock
        self._version = version
        self._self_test = self_test or SELF_TEST_RESULTS.get(version, bytes(FIFO_BYTES))
        self._chance = chance or Random(version)
        self._crystal_ns = 0  # start-up time; until then the chip does not answer. DS, 8.6.2
        self._deaf_above_db = deaf_above_db
        self._is_hot = False
        self._has_power = True
        self._is_released = True  # NRSTPD is high
        self._mute_ns = 0  # until then MISO reads 00h: the crystal has not started
        self._ready_ns = 0  # until then writes are lost: the oscillator is starting
        self._awake_ns = 0  # until then PowerDown reads 1
        self._buffer = bytes(BUFFER_BYTES)
        self._address: int | None = None  # the register of the next byte
        self._is_reading = False
        self._is_addressed = True  # False if it ignores this transfer
        self._readers: Mapping[int, Callable[[], int]] = {
            Reg.COMMAND: self._read_command,
            Reg.ERROR: self._read_error,
            Reg.STATUS1: self._read_status1,
            Reg.STATUS2: self._read_status2,
            Reg.FIFO_DATA: self._read_fifo,
            Reg.FIFO_LEVEL: lambda: len(self._fifo),
            Reg.T_COUNTER_VAL_H: lambda: self._timer.value(self._clock.now_ns) >> 8,
            Reg.T_COUNTER_VAL_L: lambda: self._timer.value(self._clock.now_ns) & 0xFF,
        }
        self._writers: Mapping[int, Callable[[int], None]] = {
            Reg.COMMAND: self._write_command,
            Reg.COM_IRQ: self._write_com_irq,
            Reg.DIV_IRQ: self._write_div_irq,
            Reg.STATUS2: self._write_status2,
            Reg.FIFO_DATA: lambda value: self._write_fifo(bytes((value,))),
            Reg.FIFO_LEVEL: self._write_fifo_level,
            Reg.CONTROL: self._write_control,
            Reg.BIT_FRAMING: self._write_bit_framing,
            Reg.COLL: self._write_coll,
            Reg.TX_CONTROL: self._write_tx_control,
            Reg.TX_MODE: partial(self._write_mode, Reg.TX_MODE),
            Reg.RX_MODE: partial(self._write_mode, Reg.RX_MODE),
            Reg.T_MODE: self._write_t_mode,
            **({Reg.RF_CFG: lambda value: None} if has_fixed_gain else {}),
        }
        self._starters: Mapping[int, Callable[[], None]] = {
            Command.MEM: self._start_mem,
            Command.GENERATE_RANDOM_ID: self._start_random_id,
            Command.CALC_CRC: self._start_crc,
            Command.TRANSMIT: self._start_transmission,
            Command.RECEIVE: self._start_reception,
            Command.MF_AUTHENT: self._start_authentication,
        }
        self._reset()

    # Power and reset: DS, 8.6 to 8.8

    def power(self, is_on: bool) -> None:
        """Connect or cut the supply. Without power, MISO reads 00h and all state is lost."""
        if is_on == self._has_power:
            return
        self._has_power = is_on
        self._buffer = bytes(BUFFER_BYTES)
        self._wake_from_reset()

    def brown_out(self) -> None:
        """Let the supply dip: registers get their reset values, and the field goes off."""
        self._buffer = bytes(BUFFER_BYTES)
        self._wake_from_reset()

    def reset_pin(self, level: bool) -> None:
        """Drive NRSTPD.

        Low means hard power-down, during which the internal buffer keeps its contents.
        """
        if level == self._is_released:
            return
        self._is_released = level
        self._wake_from_reset()

    def slow_crystal(self, start_ns: int) -> None:
        """Let the crystal take *start_ns* to start, from the next start on (DS, 8.8.2)."""
        self._crystal_ns = start_ns

    def overheat(self, is_hot: bool) -> None:
        """Heat the chip, or let it cool.

        While the chip is hot, TempErr reads 1 and the antenna drivers are off (DS, 9.3.1.7). The
        data sheet does not say more. Here TxControlReg keeps its bits, and the drivers stay off
        until that register is written after the chip has cooled.
        """
        self._is_hot = is_hot
        if is_hot:
            self._is_cut_off = True
            self._switch_field()

    def deafen(self, is_deaf: bool) -> None:
        """Let the receiver detect no answer until a reset or a call with False.

        The registers do not change. No data sheet mentions this, but people report it of chips that
        ran for hours.
        """
        self._is_deaf = is_deaf

    @property
    def irq_pin(self) -> bool:
        """The level of pin IRQ."""
        self._settle()
        return self._is_interrupting() != bool(self._registers[Reg.COM_I_EN] & 0x80)

    # SPI: DS, 8.1.2

    def select(self) -> None:
        """Begin a transfer: chip select falls, and the next byte is an address."""
        self._address = None
        self._is_reading = False
        self._is_addressed = self._has_power and self._is_released

    def shift_out(self) -> int:
        """Return the byte on MISO: the register addressed by the byte before, else 00h."""
        if self._address is None or not self._is_reading or not self._is_addressed:
            return 0x00
        if self._clock.now_ns < self._mute_ns:
            return 0x00
        return self.read(self._address)

    def shift_in(self, value: int) -> None:
        """Receive an address byte or, after the address of a write, data for that register."""
        if not self._is_addressed:
            return
        if self._address is not None and not self._is_reading:
            self.write(self._address, value)
            return
        if value & 0x01:
            self._meet(f"SPI address byte {value:02X}h: bit 0 must be zero (DS, table 8)")
        if self._address is None:
            self._is_reading = bool(value & READ_BIT)
        elif not value & READ_BIT:  # 00h ends a read
            if not value:
                self._address = None
                return
            self._meet(f"SPI byte {value:02X}h in a read is not a read address (DS, table 6)")
        self._address = value >> 1 & 0x3F

    def transfer(self, values: Sequence[int], clock: VirtualClock, byte_ns: int) -> list[int]:
        """Receive *values*, each in *byte_ns*, and return the bytes on MISO; see `SpiChip`.

        To save time, a transfer during which nothing else happens is handled in one step, if it
        reads or writes one register, reads several, or writes to the FIFO.
        """
        if len(values) == 2:
            address, value = values
            if self._is_pair(address, value) and clock.is_idle_until(clock.now_ns + 2 * byte_ns):
                return self._transfer_pair(address, value, clock, byte_ns)
        elif len(values) > 2 and self._is_undisturbed(clock, byte_ns * len(values)):
            addresses = bytes(values).translate(_READ_ADDRESSES)
            if addresses[-1] == _END_OF_READ and max(addresses[:-1]) < _END_OF_READ:
                clock.advance_ns(byte_ns * len(values))
                readers, registers = self._readers, self._registers
                return [0x00] + [
                    reader() if (reader := readers.get(address)) else registers[address]
                    for address in addresses[:-1]
                ]
            if values[0] == Reg.FIFO_DATA << 1 and clock.now_ns >= self._ready_ns:
                clock.advance_ns(byte_ns * len(values))
                self._address, self._is_reading = Reg.FIFO_DATA, False
                self._write_fifo(bytes(values[1:]))
                return [0x00] * len(values)
        return super().transfer(values, clock, byte_ns)

    def _is_pair(self, address: int, value: int) -> bool:
        """Return True if the two bytes of a whole transfer write a register or read one."""
        is_write_or_end = not address & READ_BIT or value == 0x00
        return (
            self._is_addressed and self._address is None and not address & 0x01 and is_write_or_end
        )

    def _transfer_pair(
        self, address: int, value: int, clock: VirtualClock, byte_ns: int
    ) -> list[int]:
        """Write *value* to a register after two bytes, or read one after the first byte."""
        register = address >> 1 & 0x3F
        if not address & READ_BIT:
            clock.advance_ns(2 * byte_ns)
            self._address, self._is_reading = register, False
            self.write(register, value)
            return [0x00, 0x00]
        clock.advance_ns(byte_ns)
        sent = 0x00 if clock.now_ns < self._mute_ns else self.read(register)
        clock.advance_ns(byte_ns)
        self._is_reading = True
        return [0x00, sent]

    def _is_undisturbed(self, clock: VirtualClock, duration_ns: int) -> bool:
        """Return True if a transfer begins and nothing will happen for *duration_ns*.

        Then all registers may be read or written at the end of the transfer with the same result.
        """
        now_ns = clock.now_ns
        if now_ns >= self._wake_ns:
            self._settle()
        return (
            self._is_addressed
            and self._address is None
            and now_ns >= self._mute_ns
            and self._wake_ns > now_ns + duration_ns
            and clock.is_idle_until(now_ns + duration_ns)
        )

    def read(self, address: int) -> int:
        """Return the current value of a register. Reserved ones read 00h."""
        if self._clock.now_ns >= self._wake_ns:
            self._settle()
        reader = self._readers.get(address)
        return reader() if reader else self._registers[address]

    def write(self, address: int, value: int) -> None:
        """Write a register.

        Raises:
            ValueError: the register is reserved or read only, or the value is reserved, and
                ``undefined`` is ``"raise"``.
        """
        if address in _RESERVED:
            self._meet(f"register {address:02X}h is reserved (MFRC522 data sheet, table 20)")
            return
        if address in _READ_ONLY:
            self._meet(f"register {REGISTER_NAMES[address]} ({address:02X}h) is read only")
            return
        now = self._clock.now_ns
        if now < self._ready_ns:
            return
        if now >= self._wake_ns:
            self._settle()
        writer = self._writers.get(address)
        if writer:
            writer(value)
        else:
            self._set(address, value)

    def _meet(self, problem: str) -> None:
        """Raise a ValueError, record *problem*, or do nothing, depending on ``undefined``."""
        if self.undefined == "raise":
            raise ValueError(problem)
        if self.undefined == "record":
            self.undefined_bytes.append(problem)

    def _wake_from_reset(self) -> None:
        self._reset()
        self.select()
        self._is_addressed = False  # the rest of a transfer in progress is lost
        self._start_crystal()
        self._ready_ns = self._awake_ns

    def _start_crystal(self) -> None:
        self._mute_ns = self._clock.now_ns + self._crystal_ns
        self._awake_ns = self._mute_ns + WAKE_NS

    def _reset(self) -> None:
        """Set all registers to their reset values (DS, 10.3.1.10)."""
        self._registers = bytearray(0x40)
        for register, (value, _) in _SETTINGS.items():
            self._registers[register] = value
        for register, value in _LIVE_RESET.items():
            self._registers[register] = value
        self._registers[Reg.VERSION] = self._version
        self._is_receiver_off = True
        self._is_deaf = False
        self._is_cut_off = self._is_hot  # the antenna drivers are off because of heat
        self._is_down = False
        self._command = Command.IDLE
        self._fifo = bytearray()
        self._timer = _Timer()
        self._session: bytes | None = None
        self._sent = Frame(0, 0)
        self._go_quiet()
        self.field.switch(False)

    def _go_quiet(self) -> None:
        """Stop transmitter and receiver, and drop all scheduled events."""
        self._events: deque[tuple[int, Callable[[int], None]]] = deque()
        self._echo: tuple[int, Received] | None = None
        self._reception: _Reception | None = None
        self._is_transmitting = False
        self._is_listening = False
        self._waits_for_field = False
        self._wake_ns = 0

    # Time

    def _settle(self) -> None:
        """Run the scheduled events that are due, in order of time."""
        now = self._clock.now_ns
        while self._events and self._events[0][0] <= now:
            at_ns, act = self._events.popleft()
            self._run_timer(at_ns)
            act(at_ns)
        if self._reception is not None:
            self._fill_fifo(self._reception, self._reception.whole_bytes_by(now))
        self._run_timer(now)
        soonest = self._events[0][0] if self._events else NEVER
        self._wake_ns = 0 if self._reception is not None else min(soonest, self._timer.due_ns)

    def _run_timer(self, at_ns: int) -> None:
        if self._timer.expires_by(at_ns):
            self._raise_irq(TIMER_IRQ)

    def _start_timer(self, at_ns: int) -> None:
        mode = self._registers[Reg.T_MODE]
        prescaler = (mode & 0x0F) << 8 | self._registers[Reg.T_PRESCALER]
        step = 2 if self._registers[Reg.DEMOD] & T_PRESCAL_EVEN else 1
        self._timer.start(
            at_ns,
            reload=self._registers[Reg.T_RELOAD_H] << 8 | self._registers[Reg.T_RELOAD_L],
            tick_fc=2 * prescaler + step,
            is_repeating=bool(mode & T_AUTO_RESTART),
        )

    def _start_timer_if_auto(self, at_ns: int) -> None:
        if self._registers[Reg.T_MODE] & T_AUTO:
            self._start_timer(at_ns)

    def _stop_timer_if_auto(self, at_ns: int) -> None:
        automatic = self._registers[Reg.T_MODE] & T_AUTO
        if automatic and not self._registers[Reg.RX_MODE] & RX_MULTIPLE:
            self._timer.stop(at_ns)

    # Interrupts and errors: DS, 8.4, 9.3.1.5 to 9.3.1.7

    def _raise_irq(self, bits: int) -> None:
        self._registers[Reg.COM_IRQ] |= bits

    def _raise_errors(self, bits: int) -> None:
        if bits:
            self._registers[Reg.ERROR] |= bits
            self._raise_irq(ERR_IRQ)

    def _is_interrupting(self) -> bool:
        registers = self._registers
        return bool(
            registers[Reg.COM_IRQ] & registers[Reg.COM_I_EN] & 0x7F
            or registers[Reg.DIV_IRQ] & registers[Reg.DIV_I_EN] & (CRC_IRQ | MFIN_ACT_IRQ)
        )

    def _write_com_irq(self, value: int) -> None:
        self._write_irq(Reg.COM_IRQ, value, 0x7F)

    def _write_div_irq(self, value: int) -> None:
        self._write_irq(Reg.DIV_IRQ, value, CRC_IRQ | MFIN_ACT_IRQ)

    def _write_irq(self, register: int, value: int, mask: int) -> None:
        if value & SET:
            self._registers[register] |= value & mask
        else:
            self._registers[register] &= ~value & mask

    # Registers with side effects

    def _set(self, address: int, value: int) -> None:
        reset, mask = _SETTINGS[address]
        self._registers[address] = reset & ~mask | value & mask

    def _read_command(self) -> int:
        is_down = self._is_down or self._clock.now_ns < self._awake_ns
        receiver = RCV_OFF if self._is_receiver_off else 0
        return self._command | (POWER_DOWN if is_down else 0) | receiver

    def _read_error(self) -> int:
        return self._registers[Reg.ERROR] | (TEMP_ERR if self._is_hot else 0)

    def _read_status1(self) -> int:
        level, water = len(self._fifo), self._registers[Reg.WATER_LEVEL]
        result = self._registers[Reg.CRC_RESULT_H] << 8 | self._registers[Reg.CRC_RESULT_L]
        return (
            (0x40 if result == 0 else 0)
            | 0x20  # the coprocessor is always ready
            | (0x10 if self._is_interrupting() else 0)
            | (0x08 if self._timer.is_running else 0)
            | (0x02 if FIFO_BYTES - level <= water else 0)
            | (0x01 if level <= water else 0)
        )

    def _read_status2(self) -> int:
        return self._registers[Reg.STATUS2] | self._modem_state()

    def _modem_state(self) -> int:
        """Return the ModemState bits of Status2Reg (DS, 9.3.1.9)."""
        if self._waits_for_field:
            return 0b010
        if self._is_transmitting:
            return 0b011
        if self._reception is not None:
            return 0b110 if self._clock.now_ns >= self._reception.start_ns else 0b101
        if self._is_listening:
            return 0b101
        return 0b001 if self._command == Command.TRANSCEIVE else 0b000

    def _write_status2(self, value: int) -> None:
        crypto = self._registers[Reg.STATUS2] & MF_CRYPTO1_ON
        self._registers[Reg.STATUS2] = value & 0xC0 | crypto
        if not value & MF_CRYPTO1_ON:  # software can clear the bit; only MFAuthent can set it
            self._end_session()

    def _write_control(self, value: int) -> None:
        now = self._clock.now_ns
        if value & T_STOP_NOW:
            self._timer.stop(now)
        if value & T_START_NOW:
            self._start_timer(now)
        self._wake_ns = 0

    def _write_coll(self, value: int) -> None:
        others = self._registers[Reg.COLL] & ~VALUES_AFTER_COLL
        self._registers[Reg.COLL] = others | value & VALUES_AFTER_COLL

    def _write_mode(self, register: int, value: int) -> None:
        speed = (value & SPEED) >> 4
        if speed > FASTEST:
            self._meet(f"{REGISTER_NAMES[register]} {value:02X}h: speed {speed:03b}b is reserved")
        self._set(register, value)

    def _write_t_mode(self, value: int) -> None:
        if value & T_GATED:
            raise ValueError(
                f"TModeReg {value:02X}h: a timer gated by MFIN or AUX1 is not emulated; "
                "leave the TGated bits (6 and 5) 00"
            )
        self._registers[Reg.T_MODE] = value

    def _write_tx_control(self, value: int) -> None:
        self._set(Reg.TX_CONTROL, value)
        self._is_cut_off = self._is_hot
        self._switch_field()

    def _switch_field(self) -> None:
        is_off = self._is_down or self._is_cut_off
        radiates = bool(self._registers[Reg.TX_CONTROL] & RF_EN) and not is_off
        self.field.switch(radiates)
        if radiates and self._waits_for_field:
            self._start_transmission()

    # FIFO: DS, 8.3

    def _read_fifo(self) -> int:
        if not self._fifo:
            return 0x00
        value = self._fifo.pop(0)
        self._watch_level()
        return value

    def _write_fifo(self, data: bytes) -> None:
        if self._command == Command.MF_AUTHENT or self._is_listening:
            self._raise_errors(WR_ERR)
            return
        if self._command == Command.CALC_CRC:
            self._feed_crc(data)
            return
        self._push(data)

    def _push(self, data: bytes) -> None:
        """Append *data* byte by byte. Bytes that do not fit are lost."""
        room = FIFO_BYTES - len(self._fifo)
        if len(data) > room:
            self._raise_errors(BUFFER_OVFL)
            data = data[:room]
        if data:
            self._fifo.append(data[0])
            self._watch_level()  # the lowest level
            self._fifo += data[1:]
            self._watch_level()  # the highest level

    def _take_fifo(self) -> bytes:
        data = bytes(self._fifo)
        self._fifo.clear()
        self._watch_level()
        return data

    def _write_fifo_level(self, value: int) -> None:
        if value & FLUSH_BUFFER:
            self._fifo.clear()
            self._registers[Reg.ERROR] &= ~BUFFER_OVFL
            self._watch_level()

    def _watch_level(self) -> None:
        level, water = len(self._fifo), self._registers[Reg.WATER_LEVEL]
        if level <= water:
            self._registers[Reg.COM_IRQ] |= LO_ALERT_IRQ
        if FIFO_BYTES - level <= water:
            self._registers[Reg.COM_IRQ] |= HI_ALERT_IRQ

    # Commands: DS, 10.3

    def _write_command(self, value: int) -> None:
        self._is_receiver_off = bool(value & RCV_OFF)
        self._set_power_down(bool(value & POWER_DOWN))
        command = value & 0x0F
        if command == Command.NO_CMD_CHANGE:
            return
        echo = self._echo
        self._go_quiet()
        if command == Command.SOFT_RESET:
            self._reset()
        elif command == Command.IDLE or self._is_down:
            self._command = Command.IDLE
        elif command not in _COMMANDS:
            self._finish_command()  # an unknown command ends at once. DS, 9.3.1.5
        else:
            self._registers[Reg.ERROR] &= TEMP_ERR
            self._echo = echo if command == Command.RECEIVE else None
            self._command = command
            start = self._starters.get(command)
            if start:
                start()

    def _set_power_down(self, is_down: bool) -> None:
        if is_down == self._is_down:
            return
        self._is_down = is_down
        if not is_down:
            self._start_crystal()
        self._switch_field()

    def _finish_command(self) -> None:
        self._command = Command.IDLE
        self._raise_irq(IDLE_IRQ)

    def _start_mem(self) -> None:
        if self._fifo:
            data = self._take_fifo()
            self._buffer = data[:BUFFER_BYTES] + self._buffer[len(data) :]
            self._fifo += data[BUFFER_BYTES:]
        else:
            self._fifo += self._buffer
        self._watch_level()
        self._finish_command()

    def _start_random_id(self) -> None:
        self._buffer = self._chance.randbytes(10) + self._buffer[10:]
        self._finish_command()

    def _start_crc(self) -> None:
        if self._registers[Reg.AUTO_TEST] & 0x0F == SELF_TEST:
            self._run_self_test()
            return
        self._set_crc_result(CRC_PRESETS[self._registers[Reg.MODE] & 0x03])
        self._feed_crc(self._take_fifo())

    def _feed_crc(self, data: bytes) -> None:
        if self._registers[Reg.MODE] & MSB_FIRST:
            data = bits_reversed(data)  # the result is reversed too, says the data sheet
        so_far = self._registers[Reg.CRC_RESULT_H] << 8 | self._registers[Reg.CRC_RESULT_L]
        self._set_crc_result(crc_ccitt(data, so_far))
        if data:
            self._registers[Reg.DIV_IRQ] |= CRC_IRQ

    def _set_crc_result(self, value: int) -> None:
        self._registers[Reg.CRC_RESULT_H], self._registers[Reg.CRC_RESULT_L] = divmod(value, 256)

    def _run_self_test(self) -> None:
        """Put the result of the self test into the FIFO.

        The result is wrong (inverted) if the chip was not prepared.
        """
        is_prepared = self._take_fifo() == b"\0" and not any(self._buffer)
        self._fifo += self._self_test if is_prepared else bytes(b ^ 0xFF for b in self._self_test)
        self._watch_level()
        self._registers[Reg.DIV_IRQ] |= CRC_IRQ

    # Transmission

    def _write_bit_framing(self, value: int) -> None:
        self._registers[Reg.BIT_FRAMING] = value & 0x77
        is_free = not (self._is_transmitting or self._is_listening or self._waits_for_field)
        if value & START_SEND and self._command == Command.TRANSCEIVE and is_free and self._fifo:
            self._start_transmission()

    def _start_transmission(self) -> None:
        """Send the FIFO; with TxWaitRF set, wait for the field first."""
        self._waits_for_field = not self.field.is_on and bool(
            self._registers[Reg.MODE] & TX_WAIT_RF
        )
        if self._waits_for_field:
            return
        self._registers[Reg.ERROR] &= ~RECEIVER_ERRORS
        frame = self._sent = self._outgoing(self._take_fifo())
        end_ns = self._clock.now_ns + fc_to_ns(pcd_frame_etu(frame.length) * ETU_FC)
        received = self._put_on_air(frame)
        self._echo = (end_ns + fc_to_ns(received.delay_fc), received) if received else None
        self._is_transmitting = True
        self._events.append((end_ns, self._end_transmission))
        self._wake_ns = 0

    def _outgoing(self, data: bytes) -> Frame:
        last_bits = self._registers[Reg.BIT_FRAMING] & 0x07
        length = 8 * len(data) - (8 - last_bits if last_bits else 0)
        bits = int.from_bytes(data, "little") & (1 << length) - 1
        if self._registers[Reg.TX_MODE] & CRC_EN:
            bits |= int.from_bytes(crc_a(data), "little") << length
            length += 16
        return Frame(bits, length, self._session)

    def _put_on_air(self, frame: Frame) -> Received | None:
        """Send *frame*; return the answers. Tags receive only 100 % ASK, parity and 106 kbit/s."""
        registers = self._registers
        if not registers[Reg.TX_ASK] & FORCE_100_ASK:
            why = "tags receive 100 % ASK only (bit 6 of TxASKReg)"
        elif registers[Reg.MF_RX] & PARITY_DISABLE:
            why = "frames without parity are not emulated (bit 4 of MfRxReg)"
        elif registers[Reg.TX_MODE] & SPEED:
            why = "tags receive 106 kbit/s only (bits 6 to 4 of TxModeReg)"
        else:
            return self.field.exchange(frame, self._least_coupling)
        self.field.lose(frame, why)
        return None

    @property
    def _gain_db(self) -> int:
        return GAIN_DB[self._registers[Reg.RF_CFG] >> 4 & 0x07]

    @property
    def _least_coupling(self) -> float:
        """The coupling of the weakest tag that the receiver detects at its gain."""
        return float(LEAST_COUPLING_AT_48_DB * 10 ** ((GAIN_DB[-1] - self._gain_db) / 20))

    @property
    def _hears_nothing(self) -> bool:
        is_drowned = self._deaf_above_db is not None and self._gain_db > self._deaf_above_db
        return self._is_receiver_off or self._is_deaf or is_drowned

    def _end_transmission(self, at_ns: int) -> None:
        self._is_transmitting = False
        self._raise_irq(TX_IRQ)
        self._start_timer_if_auto(at_ns)
        if self._command == Command.TRANSMIT:
            self._finish_command()
        else:
            self._listen(at_ns)

    # Reception

    def _start_reception(self) -> None:
        self._registers[Reg.ERROR] &= ~RECEIVER_ERRORS
        self._listen(self._clock.now_ns)

    def _listen(self, at_ns: int) -> None:
        """Switch the receiver on. It receives an answer only from its beginning."""
        self._is_listening = True
        self._registers[Reg.COLL] = (
            self._registers[Reg.COLL] & VALUES_AFTER_COLL | COLL_POS_NOT_VALID
        )
        echo, self._echo = self._echo, None
        if echo is None or echo[0] < at_ns or not self._hears(echo[1]):
            return
        start_ns, received = echo
        self._reception = self._incoming(start_ns, received)
        etu = picc_frame_etu(received.length, self._reception.align)
        self._events.append((start_ns + TIMER_STOP_NS, self._stop_timer_if_auto))
        self._events.append((start_ns + fc_to_ns(ETU_FC * etu), self._end_reception))
        self._wake_ns = 0

    def _hears(self, received: Received) -> bool:
        rx_mode, rx_wait = self._registers[Reg.RX_MODE], self._registers[Reg.RX_SEL] & 0x3F
        return (
            not self._hears_nothing
            and not rx_mode & SPEED
            and received.delay_fc >= rx_wait * ETU_FC
            and not (rx_mode & RX_NO_ERR and received.length < 4)
        )

    def _incoming(self, start_ns: int, received: Received) -> _Reception:
        align = self._registers[Reg.BIT_FRAMING] >> 4 & 0x07
        bits, coll = received.bits, COLL_POS_NOT_VALID
        errors = PARITY_ERR if received.has_wrong_parity else 0
        if received.collisions:
            errors |= COLL_ERR
            first = (received.collisions & -received.collisions).bit_length() - 1
            coll = self._coll_pos(first, align)
            if not self._registers[Reg.COLL] & VALUES_AFTER_COLL:
                bits &= (2 << first) - 1
        frame = Frame(bits << align, received.length + align)
        data, last_bits = frame.data, frame.length % 8
        if self._registers[Reg.RX_MODE] & CRC_EN:
            errors |= CRC_ERR if frame.payload() is None else 0
            if not last_bits and len(data) > 2:
                data = data[:-2]
        return _Reception(start_ns, align, data, last_bits, errors, coll)

    def _coll_pos(self, first: int, align: int) -> int:
        """Return CollPos for a collision in bit *first* of the received bits, counted from 0."""
        before = align
        if self.collpos == "absolute" and self._sent.bits & 0xFF in SEL:
            before = max(align, self._sent.length - 16)
        position = before + first + 1
        return (
            position % FARTHEST_COLLISION if position <= FARTHEST_COLLISION else COLL_POS_NOT_VALID
        )

    def _fill_fifo(self, reception: _Reception, complete: int) -> None:
        if complete > reception.taken:
            self._push(reception.data[reception.taken : complete])
            reception.taken = complete

    def _end_reception(self, at_ns: int) -> None:
        reception, self._reception = self._reception, None
        assert reception is not None
        self._fill_fifo(reception, len(reception.data))
        registers = self._registers
        registers[Reg.CONTROL] = registers[Reg.CONTROL] & ~0x07 | reception.last_bits
        registers[Reg.COLL] = registers[Reg.COLL] & VALUES_AFTER_COLL | reception.coll
        self._raise_errors(reception.errors)
        self._raise_irq(RX_IRQ)
        if registers[Reg.RX_MODE] & RX_MULTIPLE:
            self._push(bytes((registers[Reg.ERROR],)))
            return
        self._is_listening = False
        if self._command == Command.RECEIVE:
            self._finish_command()

    # Authentication: DS, 10.3.1.9, message by message (see fakepi.crypto1)

    def _start_authentication(self) -> None:
        """Run the three passes. Without an answer the command never ends, as on the real chip."""
        request = bytes(self._fifo[:AUTHENT_BYTES])
        if len(request) < AUTHENT_BYTES:
            return
        del self._fifo[:AUTHENT_BYTES]
        self._watch_level()
        key, uid = request[2:8], request[8:12]
        called = Frame.with_crc(request[:2])._replace(session=self._session)
        self._end_session()
        first = self._pass(self._clock.now_ns, called)
        if first is None:
            return
        at_ns, tag_nonce = first
        nonce = self._chance.randbytes(crypto1.NONCE_BYTES)
        expected = crypto1.passes(key, uid, tag_nonce, nonce)
        at_ns += fc_to_ns(NEXT_COMMAND_DELAY_FC)
        second = self._pass(at_ns, Frame.of(nonce + expected.reader_answer))
        if second is None:
            return
        at_ns, answer = second
        session = expected.session if answer == expected.tag_answer else None
        self._events.append((at_ns, partial(self._end_authentication, session)))

    def _pass(self, at_ns: int, frame: Frame) -> tuple[int, bytes] | None:
        """Send *frame* at *at_ns*; return the end (in ns) and the bytes of a 4-byte answer."""
        end_ns = at_ns + fc_to_ns(ETU_FC * pcd_frame_etu(frame.length))
        self._events.append((end_ns, self._start_timer_if_auto))
        self._wake_ns = 0
        received = self._put_on_air(frame)
        if received is None or self._hears_nothing:
            return None
        start_ns = end_ns + fc_to_ns(received.delay_fc)
        end_ns = start_ns + fc_to_ns(ETU_FC * picc_frame_etu(received.length))
        self._events.append((start_ns + TIMER_STOP_NS, self._stop_timer_if_auto))
        if received.length != 8 * crypto1.NONCE_BYTES or received.collisions:
            self._events.append((end_ns, partial(self._end_authentication, None)))
            return None
        return end_ns, Frame(received.bits, received.length).data

    def _end_authentication(self, session: bytes | None, at_ns: int) -> None:
        if session is None:
            self._raise_errors(PROTOCOL_ERR)
            return
        self._session = session
        self._registers[Reg.STATUS2] |= MF_CRYPTO1_ON
        self._finish_command()

    def _end_session(self) -> None:
        self._session = None
        self._registers[Reg.STATUS2] &= ~MF_CRYPTO1_ON
