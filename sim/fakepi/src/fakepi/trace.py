"""The bus trace: the traffic on SPI, I2C and the air, in the words of the data sheets.

Only bytes are recorded. They are decoded when the trace is read. May import: the standard library
and fakepi. Source: MFRC522 data sheet, tables 20 and 149; SSD1306 data sheet, table 9-1; ISO/IEC
14443-3.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from fakepi.clock import NS_PER_S, VirtualClock
from fakepi.field import Received
from fakepi.iso14443 import HLTA, NVB_WHOLE, REQA_CODE, SEL, WUPA_CODE, Frame
from fakepi.mfrc522 import READ_BIT, REGISTER_NAMES, Command, Reg
from fakepi.oled import CO, DC, OledChip

KEPT = 10_000  # entries; older ones are dropped
SHOWN = 100  # lines in a report
SHOWN_BYTES = 16

# A decoder gets the bytes that the host sent and those it received.
Decode: TypeAlias = Callable[[bytes, bytes], str]

_UPPER = ("ADC", "ASK", "CRC", "CW", "DAC1", "DAC2", "FIFO", "RF")
_COMMAND_NAMES = {
    code: name.title().replace("_", "") for name, code in vars(Command).items() if name.isupper()
}
TAG_COMMANDS = {0x30: "READ", 0xA2: "WRITE", 0xA0: "MIFARE WRITE", 0x60: "AUTH A", 0x61: "AUTH B"}
_DISPLAY_COMMANDS = {
    0x20: "addressing mode",
    0x21: "columns",
    0x22: "pages",
    0x2E: "stop scroll",
    0x2F: "start scroll",
    0x81: "contrast",
    0x8D: "charge pump",
    0xA0: "columns not mirrored",
    0xA1: "columns mirrored",
    0xA4: "show the RAM",
    0xA5: "all pixels on",
    0xA6: "not inverted",
    0xA7: "inverted",
    0xA8: "multiplex ratio",
    0xAD: "current or DC-DC",
    0xAE: "display off",
    0xAF: "display on",
    0xC0: "rows not mirrored",
    0xC8: "rows mirrored",
    0xD3: "offset",
    0xD5: "clock",
    0xD9: "precharge",
    0xDA: "COM pins",
    0xDB: "VCOMH",
    0xE3: "NOP",
}


@dataclass(slots=True)
class TraceEntry:
    """A transfer, a frame or an event in a trace."""

    at_ns: int
    bus: str
    decode: Decode
    sent: bytes
    received: bytes = b""
    times: int = 1

    def repeats(self, other: "TraceEntry") -> bool:
        """Return True if this entry is the same as *other*, except for the time."""
        return (self.bus, self.decode, self.sent, self.received) == (
            other.bus, other.decode, other.sent, other.received,
        )  # fmt: skip

    def __str__(self) -> str:
        """Return the time in milliseconds, the bus, and what happened."""
        times = f"  ({self.times} times)" if self.times > 1 else ""
        words = self.decode(self.sent, self.received)
        return f"{self.at_ns * 1000 / NS_PER_S:10.3f} ms  {self.bus:<9} {words}{times}"


class BusTrace:
    """The last transfers, frames and events, in the order in which they began.

    An entry that repeats the previous one is counted, and not stored again.
    """

    def __init__(self, clock: VirtualClock, kept: int = KEPT) -> None:
        self._clock = clock
        self._kept = kept
        self._entries: deque[TraceEntry] = deque()
        self._count = 0  # of all entries, also of those that are dropped

    def add(self, bus: str, decode: Decode, sent: bytes, received: bytes = b"") -> None:
        """Record a transfer on *bus*, such as "spi 0.0"."""
        self.end(self.begin(bus, decode, sent), received)

    def note(self, bus: str, words: str) -> None:
        """Record an event that has no bytes, in *words*."""
        self.add(bus, decode_text, words.encode())

    def begin(self, bus: str, decode: Decode, sent: bytes) -> TraceEntry:
        """Record a transfer that begins now. Its effects are recorded after it; see `end`."""
        entry = TraceEntry(self._clock.now_ns, bus, decode, sent)
        self._entries.append(entry)
        self._count += 1
        return entry

    def end(self, entry: TraceEntry, received: bytes = b"") -> None:
        """Complete *entry* with what was received."""
        entry.received = received
        entries = self._entries
        if len(entries) > 1 and entries[-1] is entry and entry.repeats(entries[-2]):
            entries.pop()
            entries[-1].times += 1
            self._count -= 1
        while len(entries) > self._kept:
            entries.popleft()

    def clear(self) -> None:
        """Forget all entries."""
        self._entries.clear()
        self._count = 0

    def lines(self, limit: int | None = None) -> list[str]:
        """Return the last *limit* entries in words; by default all entries.

        A line has the time in milliseconds, the bus, and what happened.
        """
        first = 0 if limit is None else max(0, len(self._entries) - limit)
        return [str(entry) for entry in islice(self._entries, first, None)]

    def last(self, kind: str = "") -> str:
        """Return the last entry whose bus begins with *kind*, such as "air"; "" without one."""
        found = (entry for entry in reversed(self._entries) if entry.bus.startswith(kind))
        return str(next(found, "")).strip()

    def __str__(self) -> str:
        """Return the last 100 entries, one a line. A line before them counts the others."""
        lines = self.lines(SHOWN)
        if self._count > len(lines):
            kept = len(self._entries)
            has = "all" if kept == self._count else f"the last {kept:,}"
            lines.insert(
                0,
                f"(the last {len(lines)} of {self._count:,} lines; fakepi.trace.lines() has {has})",
            )
        return "\n".join(lines)


def hex_bytes(data: bytes) -> str:
    """Return *data* in hexadecimal, shortened if it is long."""
    shown = data[:SHOWN_BYTES].hex(" ").upper()
    return shown if len(data) <= SHOWN_BYTES else f"{shown} .. ({len(data)} bytes)"


def decode_bytes(sent: bytes, received: bytes) -> str:
    """Return the bytes for a chip whose commands are unknown to the trace."""
    parts = (f"sent {hex_bytes(sent)}" if sent else "", f"read {hex_bytes(received)}")
    return ", ".join(part for part in parts if part and part != "read ")


def decode_i2c(sent: bytes, received: bytes) -> str:
    """Return the bytes of an I2C transfer, or "address only" for one without data."""
    return decode_bytes(sent, received) or "address only"


def decode_text(sent: bytes, _received: bytes) -> str:
    """Return the words of an event."""
    return sent.decode()


def decode_wrong_mode(sent: bytes, _received: bytes) -> str:
    """Return the words for a transfer in an SPI mode that the chip does not support."""
    return f"sent {hex_bytes(sent)} in an SPI mode that the chip lacks, so it receives nothing"


def decode_pin(sent: bytes, _received: bytes) -> str:
    """Return the new level of a pin."""
    return "high" if sent[0] else "low"


# MFRC522


def register_name(address: int) -> str:
    """Return the data sheet's name of an MFRC522 register, such as "ComIrqReg"."""
    name = REGISTER_NAMES.get(address)
    if name is None:
        return f"reserved register {address:02X}h"
    parts = name.split("_")
    half = parts.pop() if parts[-1] in ("H", "L") else ""
    words = (part if part in _UPPER else part.capitalize() for part in parts)
    return f"{''.join(words)}Reg{half}"


def decode_mfrc522(sent: bytes, received: bytes) -> str:
    """Return the registers that an SPI transfer writes or reads (data sheet, 8.1.2)."""
    if not sent:
        return "no bytes"
    address = sent[0] >> 1 & 0x3F
    if not sent[0] & READ_BIT:
        return f"write {register_name(address)} = {_written_value(address, sent[1:])}"
    asked = [byte >> 1 & 0x3F for byte in sent[:-1]]
    if len(asked) > 1 and len(set(asked)) == 1:
        return f"read {register_name(address)} = {hex_bytes(received[1:])}"
    pairs = zip(asked, received[1:], strict=False)
    return "read " + ", ".join(f"{register_name(a)} = {value:02X}h" for a, value in pairs)


def _written_value(address: int, values: bytes) -> str:
    if address == Reg.COMMAND and len(values) == 1:
        return f"{values[0]:02X}h ({_COMMAND_NAMES.get(values[0] & 0x0F, 'unknown')})"
    return f"{values[0]:02X}h" if len(values) == 1 else hex_bytes(values)


# Displays


def decode_display(chip: OledChip, pending: bytes = b"") -> Decode:
    """Return a decoder for the I2C writes to *chip*.

    Args:
        chip: the display's chip.
        pending: the bytes of a command that earlier writes have begun.
    """

    def decode(sent: bytes, received: bytes) -> str:
        return decode_i2c(b"", received) if received else _display_words(chip, sent, pending)

    return decode


def _display_words(chip: OledChip, sent: bytes, pending: bytes) -> str:
    words: list[str] = []
    commands = bytearray()
    rest = sent
    while rest:
        control, rest = rest[0], rest[1:]
        part, rest = (rest[:1], rest[1:]) if control & CO else (rest, b"")
        if control & DC:
            words.append(f"{len(part)} data bytes")
        else:
            commands += part
    shown = bytes(commands)
    return ", ".join(_argument_words(chip, shown, pending) + words) or "address only"


def _argument_words(chip: OledChip, sent: bytes, pending: bytes) -> list[str]:
    """Return the words of *sent*, whose first bytes may belong to a command that was *pending*."""
    missing = 1 + chip.ARGUMENTS.get(pending[0], 0) - len(pending) if pending else 0
    arguments, commands = sent[: max(0, missing)], sent[max(0, missing) :]
    if not arguments:
        return _command_words(chip, commands)
    name = f"argument of {pending[0]:02X}h, {_command_name(pending[0])}"
    return [f"{arguments.hex(' ').upper()}h ({name})", *_command_words(chip, commands)]


def _command_words(chip: OledChip, commands: bytes) -> list[str]:
    words = []
    while commands:
        command = commands[0]
        size = 1 + chip.ARGUMENTS.get(command, 0)
        arguments, commands = commands[1:size], commands[size:]
        values = f" {arguments.hex(' ').upper()}h" if arguments else ""
        words.append(f"{command:02X}h{values} ({_command_name(command)})")
    return words


def _command_name(command: int) -> str:
    return _DISPLAY_COMMANDS.get(command) or _ranged_name(command)


def _ranged_name(command: int) -> str:
    if command < 0x20:
        return "column, low half" if command < 0x10 else "column, high half"
    if command in range(0x40, 0x80):
        return f"start line {command & 0x3F}"
    if command in range(0xB0, 0xB8):
        return f"page {command & 0x07}"
    return "argument or unknown command"


# Frames on the air


def frame_words(frame: Frame) -> str:
    """Return the name of a reader's *frame*, such as "REQA" or "SELECT, level 1"."""
    if frame.length == 7:
        return {REQA_CODE: "REQA", WUPA_CODE: "WUPA"}.get(frame.bits, f"{frame.bits:02X}h, 7 bits")
    data = frame.bits.to_bytes((frame.length + 7) // 8, "little")
    payload = frame.payload()
    if data[0] in SEL and len(data) > 1:
        level = SEL.index(data[0]) + 1
        if data[1] == NVB_WHOLE:
            return f"SELECT, level {level}: {hex_bytes(data[2:6])}"
        return f"ANTICOLLISION, level {level}, {frame.length - 16} bits known"
    if payload == HLTA:
        return "HLTA"
    if payload and payload[0] in TAG_COMMANDS and len(payload) > 1:
        return f"{TAG_COMMANDS[payload[0]]} {payload[1]}: {hex_bytes(payload)}"
    return hex_bytes(data) if payload is None else f"{hex_bytes(payload)} and CRC"


def answer_words(answer: Received | None) -> str:
    """Return the bytes and the collisions of the tags' *answer*."""
    if answer is None:
        return "no answer"
    words = hex_bytes(answer.bits.to_bytes((answer.length + 7) // 8, "little"))
    if answer.length % 8:
        words += f" ({answer.length} bits)"
    if answer.collisions:
        words += f", first collision at bit {(answer.collisions & -answer.collisions).bit_length()}"
    return words + (", wrong parity" if answer.has_wrong_parity else "")
