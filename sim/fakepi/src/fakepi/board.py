"""FakePi: a fake Raspberry Pi with chips around it, built from a wiring.

May import: the standard library and fakepi.

    pi = FakePi()
    pi.field.lay(Ntag213("04:A1:B2:C3:D4:E5:F6"))
    pi.spi(0, 0).xfer2([0x37 << 1 | 0x80, 0])  # VersionReg
    print(pi.oled.text())
    print(pi.trace)

Time is virtual: transfers, frames and ``pi.clock.advance()`` let it pass.
"""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from fakepi.clock import NS_PER_S, VirtualClock
from fakepi.contacts import BouncyEncoder
from fakepi.field import BitErrors, Received, RfField
from fakepi.gpio import Pins
from fakepi.host import PI_5, HostProfile, LinuxHost
from fakepi.i2c import I2cBus, I2cChip
from fakepi.iso14443 import Frame
from fakepi.mfrc522 import Mfrc522
from fakepi.oled import OledChip
from fakepi.physics import HonestPhysics, Physics
from fakepi.picc import Picc, PiccAnswer
from fakepi.pn532 import Pn532, Pn532I2c, Pn532Uart
from fakepi.program import run_program
from fakepi.spi import SpiChip, SpiDevice
from fakepi.time_limit import TimeLimit
from fakepi.trace import (
    BusTrace,
    Decode,
    TraceEntry,
    answer_words,
    decode_bytes,
    decode_display,
    decode_i2c,
    decode_mfrc522,
    decode_pin,
    decode_wrong_mode,
    frame_words,
)
from fakepi.trace_pn532 import decode_pn532_i2c, decode_pn532_spi, decode_pn532_uart
from fakepi.unheard import why_no_answer
from fakepi.wired_chips import ConnectedReader, WiredChips
from fakepi.wiring import USUAL, Wiring, load_wiring, read_wiring

if TYPE_CHECKING:
    from PIL import Image

Part = TypeVar("Part")

INTERRUPT_STEP_NS = 100_000  # how late an interrupt may be noticed, as by Linux
BIT_ERROR_RATE = 0.01  # of the fault "noise"


class PiClock(VirtualClock):
    """The clock of a fake Pi. Interrupts can reach a program while it sleeps.

    ``notice`` is called after each step of a sleep, if ``needs_steps`` returns True.
    ``replaces_time`` is True while ``time.sleep`` lets time pass on it. ``limit`` ends a test that
    waits for ever.
    """

    def __init__(self, host: LinuxHost | None = None) -> None:
        super().__init__(host)
        self._owner = threading.get_ident()
        self.replaces_time = False
        self.limit: TimeLimit | None = None
        self.notice: Callable[[], None] = lambda: None
        self.needs_steps: Callable[[], bool] = lambda: False

    @property
    def is_idle(self) -> bool:
        """True if nothing is scheduled but the end of the test's time."""
        return len(self._due) <= (self.limit is not None)

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
        """Let *seconds* pass, plus the host's lateness; do nothing if zero or less."""
        if seconds > 0:
            self.advance(seconds + self._late_ns() / NS_PER_S)

    def spend(self, seconds: float) -> None:
        """Let *seconds* pass, if this is the thread that made the clock.

        Calls of a program in other threads take real time only.
        """
        if threading.get_ident() == self._owner:
            self.advance(seconds)

    def spend_pin_call(self) -> None:
        """Let the time of a Python call that reads or sets a pin pass: 10 us without a host."""
        edge_ns = PI_5.edge_ns if self.host is None else self.host.edge_ns()
        self.spend(edge_ns / NS_PER_S)

    def call_after(self, seconds: float, act: Callable[[], object]) -> None:
        """Call *act* when *seconds* have passed, even in the middle of a program's sleep."""

        def run() -> None:
            act()

        self.call_at(self.now_ns + round(seconds * NS_PER_S), run)


class TracedField(RfField):
    """An RF field whose frames are recorded in the trace. Tests lay tags on it and lift them."""

    def __init__(
        self, clock: VirtualClock, trace: BusTrace, name: str, physics: Physics | None = None
    ) -> None:
        super().__init__(clock, physics)
        self._trace, self._name = trace, name
        self._answered: set[Picc] = set()  # the last frame

    def lay(self, tag: Picc, **place: Any) -> None:
        """Lay *tag* on the reader. *place* is the ``strength`` and ``loss`` of `RfField.enter`.

        Raises:
            ValueError: the tag is already on the reader.
        """
        self.enter(tag, **place)
        self._note(f"tag {tag.uid.hex(':').upper()} laid")

    def lift(self, tag: Picc) -> None:
        """Take *tag* away.

        Raises:
            ValueError: it is not there.
        """
        self.leave(tag)
        self._note(f"tag {tag.uid.hex(':').upper()} lifted")

    def _note(self, words: str) -> None:
        self._trace.note(f"field {self._name}", words)

    def exchange(self, frame: Frame, *limits: Any, **more: Any) -> Received | None:
        """Send *frame* to the tags; see `RfField`."""
        states = {picc: picc.state for picc in self.piccs}
        self._answered.clear()
        answer = super().exchange(frame, *limits, **more)
        why = ""
        if answer is None:
            now_ns = self._clock.now_ns
            why = why_no_answer(states, self._answered, is_on=self.is_on, now_ns=now_ns)
        self._add(frame, answer, why)
        return answer

    def lose(self, frame: Frame, why: str) -> None:
        """Send a *frame* that no tag can receive, and record *why*; see `RfField`."""
        self._add(frame, None, why)

    def _add(self, frame: Frame, answer: Received | None, why: str) -> None:
        """Record *frame* in the trace with its *answer* or, if that is None, with *why*."""

        def words(_sent: bytes, _received: bytes) -> str:
            return f"{frame_words(frame)} -> {answer_words(answer)}{f': {why}' if why else ''}"

        self._trace.add(
            f"air {self._name}", words, frame.bits.to_bytes(frame.length // 8 + 1, "little")
        )

    def _ask(self, picc: Picc, frame: Frame) -> PiccAnswer | None:
        answer = super()._ask(picc, frame)
        if answer:
            self._answered.add(picc)
        return answer


class TracedSpi(SpiDevice):
    """A chip select whose transfers are recorded in the trace. ``chip`` is the chip on it."""

    def __init__(
        self,
        chip: SpiChip,
        clock: VirtualClock,
        begin: Callable[[bytes], TraceEntry],
        end: Callable[[TraceEntry, bytes], None],
        **settings: int,
    ) -> None:
        super().__init__(chip, clock, **settings)
        self.chip = chip
        self._begin, self._end = begin, end

    def xfer2(self, values: list[int]) -> list[int]:
        """Send *values* and return the bytes received meanwhile."""
        entry = self._begin(bytes(values))
        read = super().xfer2(values)
        self._end(entry, bytes(read))
        return read

    def xfer2_in_mode(self, mode: int, values: list[int]) -> list[int]:
        """Send *values* in an SPI *mode*, 0 to 3, and return the bytes received meanwhile.

        If the chip does not support the mode, it receives nothing, and the result is zeros. On a
        real bus, both sides would receive wrong bits.
        """
        if mode in self.chip.modes:
            return self.xfer2(values)
        entry = self._begin(bytes(values))
        entry.decode = decode_wrong_mode
        read = SpiDevice(None, self._clock, self.max_speed_hz).xfer2(values)
        self._end(entry, bytes(read))
        return read


class TracedI2c(I2cBus):
    """An I2C bus whose transactions are recorded in the trace, even if they are refused."""

    def __init__(self, clock: VirtualClock, trace: BusTrace, number: int) -> None:
        super().__init__(clock)
        self._trace, self._number = trace, number
        self._displays: dict[int, OledChip] = {}
        self._decoders: dict[tuple[int, bytes], Decode] = {}  # by address and pending bytes

    def chip_at(self, address: int) -> I2cChip:
        """Return the chip at *address*.

        Raises:
            LookupError: no chip is wired there.
        """
        chip = self._chips.get(address)
        if chip is None:
            raise LookupError(
                f"no chip is wired to I2C bus {self._number}, address 0x{address:02X}"
            )
        return chip

    def attach(self, chip: I2cChip) -> None:
        """Connect *chip* to the bus; see `I2cBus`."""
        super().attach(chip)
        if isinstance(chip, OledChip):
            self._displays[chip.address] = chip

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
        entry = self._trace.begin(self._name(address), self._decoder(address), sent)
        try:
            super().writeto(address, buffer, start=start, end=end, stop=stop)
        except (OSError, ValueError) as refused:
            entry.decode = _refusal(entry.decode, refused)
            self._trace.end(entry)
            raise
        self._trace.end(entry)

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
        entry = self._trace.begin(self._name(address), self._decoder(address), b"")
        try:
            super().readfrom_into(address, buffer, start=start, end=end, stop=stop)
        except (OSError, ValueError) as refused:
            entry.decode = _refusal(entry.decode, refused)
            self._trace.end(entry)
            raise
        self._trace.end(entry, bytes(buffer[start:end]))

    def _decoder(self, address: int) -> Decode:
        """Return the function that describes the next write to *address* in the trace."""
        if isinstance(self._chips.get(address), Pn532I2c):
            return decode_pn532_i2c
        chip = self._displays.get(address)
        if chip is None:
            return decode_i2c
        key = address, chip.pending
        if key not in self._decoders:
            self._decoders[key] = decode_display(chip, chip.pending)
        return self._decoders[key]

    def _name(self, address: int) -> str:
        return f"i2c {self._number}.0x{address:02X}"


def _refusal(decode: Decode, refused: Exception) -> Decode:
    return lambda sent, _received: f"{decode(sent, b'')} REFUSED: {refused}"


class TracedUart(Pn532Uart):
    """A UART with a PN532, whose bytes are in the trace."""

    def __init__(self, chip: Pn532, trace: BusTrace, name: str) -> None:
        super().__init__(chip)
        self._trace, self._name = trace, f"uart {name}"

    def write(self, data: bytes) -> int:
        """Send *data* to the chip."""
        entry = self._trace.begin(self._name, decode_pn532_uart, bytes(data))
        count = super().write(data)
        self._trace.end(entry)
        return count

    def read(self, count: int) -> bytes | None:
        """Return *count* bytes, fewer after the timeout, or None if none arrive."""
        received = super().read(count)
        if received:
            self._trace.add(self._name, decode_pn532_uart, b"", received)
        return received


class Parts(dict[str, Part]):
    """Parts by name. Upper and lower case make no difference: "1.0x3c" finds "1.0x3C".

    Args:
        kind: the word for one of them, such as "display".
        parts: the parts by name.
        hint: more for the error's message if a name is unknown.
    """

    def __init__(self, kind: str, parts: Mapping[str, Part], hint: str = "") -> None:
        super().__init__(parts)
        self._kind, self._hint = kind, hint

    def __missing__(self, name: object) -> Part:
        """Return the part whose name is the same except for upper and lower case.

        Raises:
            KeyError: there is none. The message names the parts that there are.
        """
        for known, part in self.items():
            if known.lower() == str(name).lower():
                return part
        there = ", ".join(f'"{known}"' for known in self) or "none"
        raise KeyError(f'there is no {self._kind} "{name}"; there is: {there}{self._hint}')


class Encoders(dict[int, BouncyEncoder]):
    """The rotary encoders, by the GPIO of contact A."""

    def __missing__(self, number: int) -> BouncyEncoder:
        """Raise a KeyError that says that no encoder is wired there."""
        raise KeyError(f"no encoder is wired at GPIO{number}; add it to [pins] in the wiring")


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
        """The visible picture: a Pillow image of mode "1". A lit pixel is 255.

        Raises:
            ImportError: Pillow is not installed.
        """
        try:
            from PIL import Image
        except ImportError as missing:
            hint = "fakepi.oled.image needs Pillow: pip install pillow"
            raise ImportError(hint, name="PIL") from missing

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


class FakePi:
    """A fake Raspberry Pi.

    Args:
        wiring: a mapping or the path of a ``fakepi.toml`` (`fakepi.wiring`). By default an RC522 on
            SPI 0.0 (RST on GPIO25, IRQ on GPIO24) and an SSD1306 at address 0x3C of I2C bus 1.
        seed: the seed for everything random.
        physics: how tags behave; by default `HonestPhysics`, in which they differ.
        host: the computer whose jitter transfers, sleeps and pins have, such as
            ``fakepi.host.PI_ZERO_2``; by default they take exactly their time.
        wired_by: the name of the wiring in errors.

    Attributes:
        clock: the virtual clock; ``clock.advance(0.5)`` lets half a second pass.
        pins: the GPIO pins, such as ``pins[17]``.
        fields: the RF fields, by the name of the reader: "0.0", "0.0/22" with a select pin, or
            "1.0x24" or "serial0" for a PN532 on I2C or a UART.
        displays: the displays, by bus and address, such as "1.0x3C".
        strips: the LED strips, by bus and chip select, such as "0.1".
        encoders: the rotary encoders, by the pin of contact A; ``encoders[5].turn(2)``.
        trace: what went over the buses and the air.
        folder: where `run` looks for a program first; in a test, the folder of the test file.

    Raises:
        WiringError: the wiring has a part that cannot be built.
        OSError: the file cannot be read.
    """

    def __init__(
        self,
        wiring: Mapping[str, Any] | Wiring | Path | str = USUAL,
        *,
        seed: int = 0,
        physics: Physics | None = None,
        host: HostProfile | None = None,
        wired_by: str = "",
    ) -> None:
        parts = _as_wiring(wiring)
        self.folder = Path()
        wired_by = wired_by or (str(wiring) if isinstance(wiring, Path | str) else "the wiring")
        self._hint = "" if wiring is USUAL else _hint(wired_by, parts)
        self.chance = Random(seed)
        self.clock = PiClock(None if host is None else LinuxHost(host, seed))
        self._physics = physics or HonestPhysics(seed)
        self.trace = BusTrace(self.clock)
        self.pins = Pins()
        self.fields = Parts[TracedField]("reader", {}, self._hint)
        self._buses: dict[int, TracedI2c] = {}
        chips = WiredChips(
            parts,
            self.clock,
            self.chance,
            pin=self.pins.__getitem__,
            make_field=self._make_field,
            make_bus=self._make_bus,
        )
        views = {name: OledView(chip) for name, chip in chips.displays.items()}
        self.displays = Parts("display", views, self._hint)
        self.strips = Parts("LED strip", chips.strips, self._hint)
        self.encoders = Encoders(chips.encoders)
        self._readers = chips.readers
        self._interrupts = [self.pins[number] for number in chips.interrupts]
        if 1 not in self._buses:
            self._make_bus(1)
        self._devices = {
            name: self._make_device(name, port, chips) for name, port in chips.spi.items()
        }
        self._uarts = {
            name: TracedUart(chip, self.trace, name) for name, chip in chips.uarts.items()
        }
        for number, contact in chips.buttons.items():
            self.pins[number].button = contact
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
        opened = self._devices.get(f"{bus}.{device}")
        if opened is None:
            raise LookupError(f"no chip is wired to SPI {bus}.{device}{self._hint}")
        return opened

    def i2c(self, bus: int, address: int | None = None) -> Any:
        """Return the I2C bus, or the chip at *address* on it.

        Raises:
            LookupError: there is no such bus, or no chip with that address.
        """
        if bus not in self._buses:
            raise LookupError(f"nothing is wired to I2C bus {bus}{self._hint}")
        found = self._buses[bus]
        return found if address is None else found.chip_at(address)

    def uart(self, name: str) -> TracedUart:
        """Return the UART ``/dev/<name>``, with the methods of ``busio.UART``.

        Raises:
            LookupError: nothing is wired there.
        """
        if name not in self._uarts:
            raise LookupError(f"nothing is wired to the UART {name}{self._hint}")
        return self._uarts[name]

    # What people see and touch

    @property
    def field(self) -> TracedField:
        """The field of the first reader: ``field.lay(tag)``, ``field.lift(tag)``.

        Raises:
            LookupError: no reader is wired.
        """
        return _first(self.fields, f"no reader is wired{self._hint}")

    @property
    def oled(self) -> OledView:
        """The first display: ``oled.image``, ``oled.text()``, ``oled.is_lit``.

        Raises:
            LookupError: no display is wired.
        """
        return _first(self.displays, f"no display is wired{self._hint}")

    @property
    def undefined_bytes(self) -> dict[str, list[str]]:
        """By the name of the part, a description of each undefined byte that it has recorded.

        Parts record them if their option `undefined` is "record".
        """
        parts: dict[str, Mfrc522 | OledChip] = {
            f"the display {name}": screen.chip for name, screen in self.displays.items()
        }
        for name, reader in self._readers.items():
            if isinstance(reader.chip, Mfrc522):
                parts[f"the reader {name}"] = reader.chip
        return {name: chip.undefined_bytes for name, chip in parts.items() if chip.undefined_bytes}

    def notice_interrupts(self) -> None:
        """Update the pins to which interrupt outputs of chips are connected."""
        for pin in self._interrupts:
            pin.refresh()

    # Faults

    def fault(self, name: str, part: str | None = None) -> None:
        """Break something.

        Args:
            name: "brownout" (chips lose their settings), "deaf" (readers detect no tag until they
                are reset), "hot" (readers switch their antennas off), "miso-low" or "miso-high"
                (the wire is broken), "noise" (1 % of the bits on the air flip), "sda-held"
                (something holds the I2C bus), "unplugged" (no power and no answer).
            part: the name of one reader or display, such as "0.0" or "1.0x3C"; by default all parts
                that can have the fault.

        Raises:
            ValueError: there is no such fault.
            LookupError: there is no such part, or it cannot have this fault.
        """
        self._set_fault(name, part, is_broken=True)

    def repair(self, name: str, part: str | None = None) -> None:
        """End a fault.

        A part that had no power ("brownout", "unplugged") has lost its settings, and the program
        must send them again. "brownout" ends by itself at once.

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
            self.trace.note("fault" if is_broken else "repair", name)
            for bus in self._buses.values():
                bus.hold_sda(float("inf") if is_broken else 0)
            return
        fitting = self._breakable(name)
        broken = [each for each in fitting if _is_named(each, part)]
        if not broken:
            raise LookupError(self._explain_fault(name, part, fitting))
        where = broken[0] if part else ""
        self.trace.note("fault" if is_broken else "repair", f"{name} {where}".strip())
        for each in broken:
            fitting[each](is_broken)

    def _explain_fault(self, name: str, part: str | None, fitting: Collection[str]) -> str:
        """Return why there is no part to break with the fault *name*."""
        if part is None:
            problem = "no part of the wiring can have it"
        elif any(_is_named(each, part) for each in (*self._readers, *self.displays)):
            problem = f"{part} cannot have it"
        else:
            problem = f'there is no part "{part}"'
        return f'fault "{name}": {problem}. Parts that can: {", ".join(fitting) or "none"}'

    def _breakable(self, name: str) -> dict[str, Callable[[bool], None]]:
        """Return a function for each part that can have the fault *name*.

        It begins the fault if its argument is True, and ends it otherwise.
        """
        found: dict[str, Callable[[bool], None]] = {}
        for where, reader in self._readers.items():
            broken = _Breakable(reader, self._devices.get(reader.spi or ""), self.chance)
            if name in READER_FAULTS and broken.can_have(name):
                found[where] = partial(READER_FAULTS[name], broken)
        if name in DISPLAY_FAULTS:
            for where, screen in self.displays.items():
                found[where] = partial(DISPLAY_FAULTS[name], screen.chip)
        return found

    # Programs

    def limit_time(self, seconds: float, advice: str = "") -> None:
        """Fail with a `TimeLimitError` when *seconds* have passed from now on, outside of `run`.

        The seconds are virtual, or real if ``time.sleep`` is. *advice* ends the error's message.
        """

        def explain() -> str:
            seen = [f"Last on the air: {air}." if (air := self.trace.last("air")) else ""]
            if not air:
                seen = [f"Last in the trace: {last}." if (last := self.trace.last()) else ""]
            return " ".join(filter(None, (*seen, advice)))

        is_real = not self.clock.replaces_time
        self.clock.limit = TimeLimit(self.clock, seconds, is_real=is_real, explain=explain)

    def run(
        self, program: Path | str, *, seconds: float, args: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Run a Python program as ``python program.py`` would, and press Ctrl-C after *seconds*.

        The seconds are virtual: they pass while the program uses a bus or a pin, sleeps or waits.
        They are real if ``time.sleep`` is. Ctrl-C calls the program's own handler of SIGINT, if it
        has one.
        The drop-in modules must be in place, as in a test with the fixture ``fakepi``.

        Args:
            program: its path, from the folder of the test file or from the current folder.
            seconds: the time until Ctrl-C.
            args: what follows the program on the command line.

        Returns:
            The program's global names, or none if Ctrl-C or ``sys.exit()`` ended it.

        Raises:
            subprocess.CalledProcessError: the program ended with an exit code other than 0.
            RuntimeError: the program ran on for 10 s after its own handler of SIGINT was called.
            fakepi.program.StandstillError: the program waits for something else than virtual time.
            FileNotFoundError: there is no such program.
        """
        beside = self.folder / program
        path = beside if beside.exists() else Path(program)
        limit = self.clock.limit
        with nullcontext() if limit is None else limit.pause():
            return run_program(path, args, self.clock, seconds)

    # Wiring

    def _make_field(self, name: str) -> TracedField:
        self.fields[name] = TracedField(self.clock, self.trace, name, self._physics)
        return self.fields[name]

    def _make_bus(self, number: int) -> TracedI2c:
        self._buses[number] = TracedI2c(self.clock, self.trace, number)
        return self._buses[number]

    def _make_device(self, name: str, port: SpiChip, chips: WiredChips) -> TracedSpi:
        begin = partial(self.trace.begin, f"spi {name}", spi_decoder(name, chips))
        gapless = {"clocks_per_byte": 8} if name in chips.strips else {}  # a strip needs DMA
        return TracedSpi(port, self.clock, begin, self._end_spi, **gapless)

    def _end_spi(self, entry: TraceEntry, received: bytes) -> None:
        self.trace.end(entry, received)
        if self._interrupts:
            self.notice_interrupts()

    def _record_pin(self, name: str, level: int) -> None:
        self.trace.add(name, decode_pin, bytes((level,)))


def spi_decoder(name: str, chips: WiredChips) -> Decode:
    """Return the function that describes transfers on the chip select *name*, such as "0.0"."""
    for reader in chips.readers.values():
        if reader.spi == name:
            return decode_mfrc522 if isinstance(reader.chip, Mfrc522) else decode_pn532_spi
    return decode_bytes


def _hint(wired_by: str, parts: Wiring) -> str:
    """Return the end of an error about a part that is not in *parts*, the wiring of *wired_by*."""
    tables = [f"[{name}]" for name in ("spi", "i2c", "uart", "pins") if getattr(parts, name)]
    has = f"has only {', '.join(tables)}" if tables else "is empty"
    return f". Note that {wired_by} replaces the whole default wiring, and {has}"


def _as_wiring(wiring: Mapping[str, Any] | Wiring | Path | str) -> Wiring:
    if isinstance(wiring, Wiring):
        return wiring
    if isinstance(wiring, Path | str):
        return load_wiring(Path(wiring))
    return read_wiring(wiring)


def _is_named(name: str, part: str | None) -> bool:
    return part is None or name.lower() == part.lower()


def _first(parts: Mapping[str, Part], problem: str) -> Part:
    if not parts:
        raise LookupError(problem)
    return next(iter(parts.values()))


# Faults by name: functions that begin or end them.


@dataclass(frozen=True)
class _Breakable:
    """A reader that can have a fault, and the chip select that it is on."""

    reader: ConnectedReader
    device: TracedSpi | None
    chance: Random

    def can_have(self, fault: str) -> bool:
        """Return True if a reader of this kind and place can have *fault*."""
        if fault in ("deaf", "hot"):
            return isinstance(self.reader.chip, Mfrc522)
        return not fault.startswith("miso") or self.device is not None

    @property
    def mfrc522(self) -> Mfrc522:
        """The chip, which `can_have` has checked."""
        assert isinstance(self.reader.chip, Mfrc522)
        return self.reader.chip


def _brown_out_reader(broken: _Breakable, is_broken: bool) -> None:
    if is_broken:
        broken.reader.chip.power(False)
        broken.reader.chip.power(True)


def _break_miso(value: int, broken: _Breakable, is_broken: bool) -> None:
    assert broken.device is not None
    broken.device.stuck_at = value if is_broken else None


def _make_noise(broken: _Breakable, is_broken: bool) -> None:
    silence: Callable[[Picc, Frame], int] = lambda _picc, _frame: 0  # noqa: E731
    field = broken.reader.field
    field.noise = BitErrors(broken.chance, BIT_ERROR_RATE) if is_broken else silence


READER_FAULTS: Mapping[str, Callable[[_Breakable, bool], None]] = {
    "brownout": _brown_out_reader,
    "deaf": lambda broken, is_broken: broken.mfrc522.deafen(is_broken),
    "hot": lambda broken, is_broken: broken.mfrc522.overheat(is_broken),
    "miso-low": partial(_break_miso, 0x00),
    "miso-high": partial(_break_miso, 0xFF),
    "noise": _make_noise,
    "unplugged": lambda broken, is_broken: broken.reader.chip.power(not is_broken),
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
