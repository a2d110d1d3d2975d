"""FakePi: a fake Raspberry Pi with chips around it, built from a wiring.

May import: the standard library and fakepi.

    pi = FakePi()
    pi.field.lay(Ntag213("04:A1:B2:C3:D4:E5:F6"))
    pi.spi(0, 0).xfer2([0x37 << 1 | 0x80, 0])  # VersionReg
    print(pi.oled.text())
    print(pi.trace)

Time is virtual: transfers, frames and ``pi.clock.advance()`` let it pass.
"""

import runpy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from fakepi.clock import NS_PER_S, VirtualClock
from fakepi.contacts import BouncyContact, BouncyEncoder
from fakepi.field import BitErrors, Received, RfField
from fakepi.gpio import Pins, PiPin
from fakepi.i2c import I2cBus, I2cChip
from fakepi.iso14443 import Frame
from fakepi.mfrc522 import Mfrc522
from fakepi.oled import OledChip
from fakepi.picc import Picc
from fakepi.pn532 import Pn532, Pn532I2c, Pn532Spi
from fakepi.spi import SharedSpi, SpiChip, SpiDevice
from fakepi.trace import (
    BusTrace,
    Decode,
    answer_words,
    decode_bytes,
    decode_display,
    decode_mfrc522,
    decode_pin,
    frame_words,
)
from fakepi.wired_chips import display_of, mfrc522_of, strip_of
from fakepi.wiring import USUAL, Wired, Wiring, load_wiring, read_wiring
from fakepi.ws2812 import Ws2812Spi, Ws2812Strip

if TYPE_CHECKING:
    from PIL import Image

Part = TypeVar("Part")

INTERRUPT_STEP_NS = 100_000  # how late an interrupt may be noticed, as by Linux
BIT_ERROR_RATE = 0.01  # of the fault "noise"


class PiClock(VirtualClock):
    """The clock of a fake Pi. While a program sleeps, interrupts reach it.

    ``notice`` is called after each step of a sleep, if ``needs_steps`` returns True.
    """

    def __init__(self) -> None:
        super().__init__()
        self.notice: Callable[[], None] = lambda: None
        self.needs_steps: Callable[[], bool] = lambda: False

    def advance(self, seconds: float) -> None:
        """Let *seconds* pass.

        Raises:
            ValueError: *seconds* is negative.
        """
        end = self.now_ns + round(seconds * NS_PER_S)
        while self.needs_steps() and end - self.now_ns > INTERRUPT_STEP_NS:
            self.advance_ns(INTERRUPT_STEP_NS)
            self.notice()
        self.advance_ns(end - self.now_ns)
        self.notice()

    def sleep(self, seconds: float) -> None:
        """Let *seconds* pass; do nothing if zero or less."""
        if seconds > 0:
            self.advance(seconds)

    def call_after(self, seconds: float, act: Callable[[], object]) -> None:
        """Call *act* when *seconds* have passed, also in the middle of a program's sleep."""

        def run() -> None:
            act()

        self.call_at(self.now_ns + round(seconds * NS_PER_S), run)


class TracedField(RfField):
    """An RF field whose frames are in the trace; tests lay tags on it and lift them."""

    def __init__(self, clock: VirtualClock, trace: BusTrace, name: str) -> None:
        super().__init__(clock)
        self._trace, self._name = trace, name

    def lay(self, tag: Picc, **place: Any) -> None:
        """Lay *tag* on the reader; *place* is as in `RfField.enter`.

        Raises:
            ValueError: it is there already.
        """
        self.enter(tag, **place)

    def lift(self, tag: Picc) -> None:
        """Take *tag* away.

        Raises:
            ValueError: it is not there.
        """
        self.leave(tag)

    def exchange(self, frame: Frame, *limits: Any, **more: Any) -> Received | None:
        """Send *frame* to the tags; see `RfField`."""
        answer = super().exchange(frame, *limits, **more)

        def words(_sent: bytes, _received: bytes) -> str:
            return f"{frame_words(frame)} -> {answer_words(answer)}"

        self._trace.add(self._name, words, frame.bits.to_bytes(frame.length // 8 + 1, "little"))
        return answer


class TracedSpi(SpiDevice):
    """A chip select whose transfers are in the trace; ``chip`` is the chip on it."""

    def __init__(
        self,
        chip: SpiChip,
        clock: VirtualClock,
        record: Callable[[bytes, bytes], None],
        clocks_per_byte: int = 9,
    ) -> None:
        super().__init__(chip, clock, clocks_per_byte=clocks_per_byte)
        self.chip = chip
        self._record = record

    def xfer2(self, values: list[int]) -> list[int]:
        """Send *values* and return the bytes received meanwhile."""
        read = super().xfer2(values)
        self._record(bytes(values), bytes(read))
        return read


class TracedI2c(I2cBus):
    """An I2C bus whose transactions are in the trace; refused ones too."""

    def __init__(self, clock: VirtualClock, trace: BusTrace, number: int) -> None:
        super().__init__(clock)
        self._trace, self._number = trace, number
        self._decoders: dict[int, Decode] = {}

    def chip_at(self, address: int) -> I2cChip:
        """Return the chip at *address*.

        Raises:
            LookupError: no chip is wired there.
        """
        chip = self._chips.get(address)
        if chip is None:
            raise LookupError(f"no chip is wired to I2C bus {self._number}, address {address:#04x}")
        return chip

    def attach(self, chip: I2cChip) -> None:
        """Connect *chip* to the bus; see `I2cBus`."""
        super().attach(chip)
        if isinstance(chip, OledChip):
            self._decoders[chip.address] = decode_display(chip)

    def writeto(
        self,
        address: int,
        buffer: bytes,
        *,
        start: int = 0,
        end: int | None = None,
        stop: bool = True,
    ) -> None:
        """Write to the chip at *address*; see `I2cBus`."""
        sent = bytes(buffer[start:end])
        try:
            super().writeto(address, buffer, start=start, end=end, stop=stop)
        except (OSError, ValueError) as refused:
            self._add_refusal(address, sent, refused)
            raise
        self._trace.add(self._name(address), self._decoder(address), sent)

    def readfrom_into(
        self,
        address: int,
        buffer: bytearray,
        *,
        start: int = 0,
        end: int | None = None,
        stop: bool = True,
    ) -> None:
        """Read from the chip at *address*; see `I2cBus`."""
        try:
            super().readfrom_into(address, buffer, start=start, end=end, stop=stop)
        except (OSError, ValueError) as refused:
            self._add_refusal(address, b"", refused)
            raise
        read = bytes(buffer[start:end])
        self._trace.add(self._name(address), self._decoder(address), b"", read)

    def _decoder(self, address: int) -> Decode:
        return self._decoders.get(address, decode_bytes)

    def _name(self, address: int) -> str:
        return f"i2c {self._number}.{address:02X}h"

    def _add_refusal(self, address: int, sent: bytes, refused: Exception) -> None:
        words = f"{decode_bytes(sent, b'')} REFUSED: {refused}".strip()
        self._trace.add(self._name(address), lambda _sent, _received: words, sent)


class OledView:
    """A display as a person sees it.

    Attributes:
        chip: the display's chip, with its registers and RAM.
    """

    def __init__(self, chip: OledChip) -> None:
        self.chip = chip

    @property
    def is_lit(self) -> bool:
        """True if the panel is on and has its supply voltage."""
        return self.chip.is_lit

    @property
    def image(self) -> "Image.Image":
        """The visible picture: a Pillow image of mode "1"; a lit pixel is 255.

        Raises:
            ImportError: Pillow is not installed.
        """
        from PIL import Image

        glass = self.chip.glass
        pixels = b"".join(self.chip.visible()).translate(bytes((0, 255)) + bytes(254))
        return Image.frombytes("L", (glass.width, glass.height), pixels).convert("1")

    def text(self) -> str:
        """Return the picture as text: a Braille character for each 2 x 4 pixels, in a frame."""
        rows = self.chip.visible()
        edge = "+" + "-" * (self.chip.glass.width // 2) + "+"
        lines = ["|" + _braille(rows[top : top + 4]) + "|" for top in range(0, len(rows), 4)]
        return "\n".join((edge, *lines, edge))


# The bit of each pixel of a Braille character: column by column, from the top. Unicode, U+2800.
_BRAILLE = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))


def _braille(rows: tuple[bytes, ...]) -> str:
    dots = (
        sum(
            bit
            for column, bits in enumerate(_BRAILLE)
            for row, bit in zip(rows, bits, strict=True)
            if row[x + column]
        )
        for x in range(0, len(rows[0]), 2)
    )
    return "".join(chr(0x2800 + dot) for dot in dots)


@dataclass
class _Reader:
    """A reader chip and what it is connected to."""

    name: str
    chip: Mfrc522 | Pn532
    field: TracedField
    device: TracedSpi | None


class FakePi:
    """A fake Raspberry Pi.

    Args:
        wiring: a mapping or the path of a ``fakepi.toml`` (`fakepi.wiring`). By default an RC522 on
            SPI 0.0 (RST on GPIO25, IRQ on GPIO24) and an SSD1306 at address 3Ch of I2C bus 1.
        seed: the seed of all chance.

    Attributes:
        clock: the virtual clock; ``clock.advance(0.5)`` lets half a second pass.
        pins: the GPIO pins, such as ``pins[17]``.
        fields: the RF fields, by the name of the reader: "0.0", or "0.0/22" with a select pin.
        displays: the displays, by bus and address, such as "1.0x3C".
        strips: the LED strips, by bus and chip select, such as "0.1".
        encoders: the rotary encoders, by the pin of contact A; ``encoders[5].turn(2)``.
        trace: what went over the buses and the air.

    Raises:
        WiringError: the wiring says something that cannot be built.
        OSError: the file cannot be read.
    """

    def __init__(
        self, wiring: Mapping[str, Any] | Wiring | Path | str = USUAL, *, seed: int = 0
    ) -> None:
        parts = _as_wiring(wiring)
        self.chance = Random(seed)
        self.clock = PiClock()
        self.trace = BusTrace(self.clock)
        self.pins = Pins()
        self.fields: dict[str, TracedField] = {}
        self.displays: dict[str, OledView] = {}
        self.strips: dict[str, Ws2812Strip] = {}
        self.encoders: dict[int, BouncyEncoder] = {}
        self._devices: dict[tuple[int, int], TracedSpi] = {}
        self._buses = {1: TracedI2c(self.clock, self.trace, 1)}
        self._readers: list[_Reader] = []
        self._interrupts: list[PiPin] = []
        for (bus, device), chips in parts.spi.items():
            self._wire_spi(bus, device, chips)
        for (bus, address), part in parts.i2c.items():
            self._wire_i2c(bus, address, part)
        for number, part in parts.pins.items():
            self._wire_pin(self.pins[number], part)
        for pin in self.pins:
            pin.record = partial(self._record_pin, f"GPIO{pin.number}")
        self.clock.notice = self.notice_interrupts
        self.clock.needs_steps = lambda: any(pin.is_watched for pin in self._interrupts)

    # Buses

    def spi(self, bus: int, device: int) -> TracedSpi:
        """Return the chip select ``/dev/spidev<bus>.<device>``, as a driver opens it.

        Raises:
            LookupError: no chip is wired there.
        """
        opened = self._devices.get((bus, device))
        if opened is None:
            raise LookupError(f"no chip is wired to SPI {bus}.{device}")
        return opened

    def i2c(self, bus: int, address: int | None = None) -> Any:
        """Return the I2C bus, or the chip at *address* on it.

        Raises:
            LookupError: there is no such bus, or no chip with that address.
        """
        if bus not in self._buses:
            raise LookupError(f"nothing is wired to I2C bus {bus}")
        found = self._buses[bus]
        return found if address is None else found.chip_at(address)

    # What people see and touch

    @property
    def field(self) -> TracedField:
        """The field of the first reader: ``field.lay(tag)``, ``field.lift(tag)``.

        Raises:
            LookupError: no reader is wired.
        """
        return _first(self.fields, "no reader is wired")

    @property
    def oled(self) -> OledView:
        """The first display: ``oled.image``, ``oled.text()``, ``oled.is_lit``.

        Raises:
            LookupError: no display is wired.
        """
        return _first(self.displays, "no display is wired")

    def notice_interrupts(self) -> None:
        """Let the pins see what the chips' interrupt outputs do now."""
        for pin in self._interrupts:
            pin.refresh()

    # Faults

    def fault(self, name: str, part: str | None = None) -> None:
        """Break something.

        Args:
            name: "brownout" (chips lose their settings), "deaf" (readers hear no tag until they are
                reset), "hot" (readers switch their antennas off), "miso-low" or "miso-high" (the
                wire is broken), "noise" (1 % of the bits on the air flip), "sda-held" (something
                holds the I2C bus), "unplugged" (no power and no answer).
            part: the name of one reader or display, such as "0.0" or "1.0x3C"; by default all that
                can have the fault.

        Raises:
            ValueError: there is no such fault.
            LookupError: there is no such part, or it cannot have this fault.
        """
        self._set_fault(name, part, is_broken=True)

    def repair(self, name: str, part: str | None = None) -> None:
        """End a fault; "brownout" is over at once, and what was lost stays lost.

        Raises:
            ValueError: there is no such fault.
            LookupError: there is no such part, or it cannot have this fault.
        """
        self._set_fault(name, part, is_broken=False)

    def _set_fault(self, name: str, part: str | None, *, is_broken: bool) -> None:
        known = READER_FAULTS.keys() | DISPLAY_FAULTS.keys() | {"sda-held"}
        if name not in known:
            close = get_close_matches(name, known, n=1)
            hint = f'Did you mean "{close[0]}"?' if close else f"Known: {', '.join(sorted(known))}"
            raise ValueError(f'there is no fault "{name}". {hint}')
        if name == "sda-held":
            for bus in self._buses.values():
                bus.hold_sda(float("inf") if is_broken else 0)
            return
        has_broken = False
        for reader in self._readers:
            if name in READER_FAULTS and part in (None, reader.name):
                READER_FAULTS[name](reader, is_broken, self.chance)
                has_broken = True
        for where, screen in self.displays.items():
            if name in DISPLAY_FAULTS and part in (None, where):
                DISPLAY_FAULTS[name](screen.chip, is_broken)
                has_broken = True
        if not has_broken:
            names = [reader.name for reader in self._readers] + list(self.displays)
            raise LookupError(f'"{name}" fits no part {part or ""}; there are: {", ".join(names)}')

    # Programs

    def run(self, program: Path | str, *, seconds: float) -> dict[str, Any]:
        """Run a Python *program* as ``python program.py`` would, and press Ctrl-C after *seconds*.

        The seconds are virtual: they pass while the program uses a bus or sleeps. The drop-in
        modules must be in place, as in a test with the fixture ``fakepi``.

        Returns:
            The program's global names, or none if Ctrl-C ended it.
        """
        is_running = True

        def interrupt() -> None:
            if is_running:
                raise KeyboardInterrupt

        self.clock.call_after(seconds, interrupt)
        try:
            return runpy.run_path(str(program), run_name="__main__")
        except KeyboardInterrupt:
            return {}
        finally:
            is_running = False

    # Wiring

    def _wire_spi(self, bus: int, device: int, chips: tuple[Wired, ...]) -> None:
        name = f"{bus}.{device}"
        if chips[0].chip == "ws2812":
            self._wire_strip(bus, device, chips[0])
            return
        decode = decode_mfrc522 if chips[0].chip == "mfrc522" else decode_bytes
        record = partial(self._record_spi, f"spi {name}", decode)
        if "select" not in chips[0].options:
            reader, port = self._make_reader(name, chips[0])
            opened = reader.device = TracedSpi(port, self.clock, record)
        else:
            shared = SharedSpi()
            opened = TracedSpi(shared, self.clock, record)
            for part in chips:
                select = self.pins[part.options["select"]]
                reader, port = self._make_reader(f"{name}/{select.number}", part)
                reader.device = opened
                wire = shared.attach(port)
                wire.drive(select.level)
                select.wires.append(wire.drive)
        self._devices[bus, device] = opened

    def _wire_strip(self, bus: int, device: int, part: Wired) -> None:
        strip = strip_of(part, self.clock)
        record = partial(self._record_spi, f"spi {bus}.{device}", decode_bytes)
        port = Ws2812Spi(strip, self.clock)
        self._devices[bus, device] = TracedSpi(port, self.clock, record, clocks_per_byte=8)
        self.strips[f"{bus}.{device}"] = strip

    def _make_reader(self, name: str, part: Wired) -> tuple[_Reader, SpiChip]:
        """Return a new reader and its SPI port."""
        field = TracedField(self.clock, self.trace, f"air {name}")
        port: SpiChip
        chip: Mfrc522 | Pn532
        if part.chip == "pn532":
            chip = Pn532(self.clock, field, chance=self.chance)
            port = Pn532Spi(chip)
        else:
            chip = port = mfrc522_of(part, self.clock, field, self.chance)
        return self._add_reader(name, chip, field, part.options), port

    def _add_reader(
        self, name: str, chip: Mfrc522 | Pn532, field: TracedField, options: Mapping[str, Any]
    ) -> _Reader:
        if "reset" in options:
            pin = self.pins[options["reset"]]
            pin.pull_up()  # modules have a pull-up on RST
            pin.wires.append(chip.reset_pin)
        if "irq" in options:
            pin = self.pins[options["irq"]]
            pin.connect(lambda: chip.irq_pin)
            self._interrupts.append(pin)
        reader = _Reader(name, chip, field, None)
        self.fields[name] = field
        self._readers.append(reader)
        return reader

    def _wire_i2c(self, number: int, address: int, part: Wired) -> None:
        bus = self._buses.setdefault(number, TracedI2c(self.clock, self.trace, number))
        name = f"{number}.0x{address:02X}"
        if part.chip == "pn532":
            field = TracedField(self.clock, self.trace, f"air {name}")
            reader = Pn532(self.clock, field, chance=self.chance)
            bus.attach(Pn532I2c(reader))
            self._add_reader(name, reader, field, part.options)
            return
        chip = display_of(part, address)
        bus.attach(chip)
        self.displays[name] = OledView(chip)

    def _wire_pin(self, pin: PiPin, part: Wired) -> None:
        if part.chip == "encoder":
            wire_a = partial(_close, pin, 0)
            wire_b = partial(_close, self.pins[part.options["b"]], 0)
            self.encoders[pin.number] = BouncyEncoder(self.clock, wire_a, wire_b, self.chance)
            return
        closed = int(part.options.get("to") == "3V3")
        bounce = {} if part.options.get("bounces") else {"bounce_ns": 0}
        wire = partial(_close, pin, closed)
        pin.button = BouncyContact(self.clock, wire, self.chance, **bounce)

    def _record_spi(self, name: str, decode: Decode, sent: bytes, received: bytes) -> None:
        self.trace.add(name, decode, sent, received)
        if self._interrupts:
            self.notice_interrupts()

    def _record_pin(self, name: str, level: int) -> None:
        self.trace.add(name, decode_pin, bytes((level,)))


def _as_wiring(wiring: Mapping[str, Any] | Wiring | Path | str) -> Wiring:
    if isinstance(wiring, Wiring):
        return wiring
    if isinstance(wiring, Path | str):
        return load_wiring(Path(wiring))
    return read_wiring(wiring)


def _close(pin: PiPin, closed: int, level: float) -> None:
    """Drive *pin* to *closed* while the contact is closed, which is when *level* is 0."""
    pin.drive(None if level else closed)


def _first(parts: Mapping[str, Part], problem: str) -> Part:
    if not parts:
        raise LookupError(problem)
    return next(iter(parts.values()))


# Faults by name: functions that begin or end them.


def _brown_out_reader(reader: _Reader, is_broken: bool, _chance: Random) -> None:
    if is_broken:
        reader.chip.power(False)
        reader.chip.power(True)


def _deafen(reader: _Reader, is_broken: bool, _chance: Random) -> None:
    _mfrc522(reader).deafen(is_broken)


def _overheat(reader: _Reader, is_broken: bool, _chance: Random) -> None:
    _mfrc522(reader).overheat(is_broken)


def _mfrc522(reader: _Reader) -> Mfrc522:
    if not isinstance(reader.chip, Mfrc522):
        raise LookupError(f"the reader {reader.name} is no MFRC522 and cannot have this fault")
    return reader.chip


def _break_miso(value: int, reader: _Reader, is_broken: bool, _chance: Random) -> None:
    if reader.device is None:
        raise LookupError(f"the reader {reader.name} is not on SPI and has no MISO")
    reader.device.stuck_at = value if is_broken else None


def _make_noise(reader: _Reader, is_broken: bool, chance: Random) -> None:
    silence: Callable[[Picc, Frame], int] = lambda _picc, _frame: 0  # noqa: E731
    reader.field.noise = BitErrors(chance, BIT_ERROR_RATE) if is_broken else silence


READER_FAULTS: Mapping[str, Callable[[_Reader, bool, Random], None]] = {
    "brownout": _brown_out_reader,
    "deaf": _deafen,
    "hot": _overheat,
    "miso-low": partial(_break_miso, 0x00),
    "miso-high": partial(_break_miso, 0xFF),
    "noise": _make_noise,
    "unplugged": lambda reader, is_broken, _: reader.chip.power(not is_broken),
}


def _brown_out_display(chip: OledChip, is_broken: bool) -> None:
    if is_broken:
        chip.power_cycle()


def _unplug_display(chip: OledChip, is_broken: bool) -> None:
    chip.present = not is_broken
    chip.power_cycle()


DISPLAY_FAULTS: Mapping[str, Callable[[OledChip, bool], None]] = {
    "brownout": _brown_out_display,
    "unplugged": _unplug_display,
}
