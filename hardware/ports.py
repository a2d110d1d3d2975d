"""The ports: interfaces to the parts of the table. They name no chip.

May import: the standard library and Pillow.
May be imported by: hardware.drivers, firmware, sim, tests.

Only one thread uses the ports: that of the table's main loop.
``close()`` may be called twice, and after a failed start.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from PIL import Image


class Clock(Protocol):
    """A monotonic clock that can also wait."""

    def now(self) -> float:
        """Return the seconds since a moment that does not change while the program runs."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait for at least *seconds*; return at once if it is zero or less."""
        ...


@dataclass(frozen=True, slots=True)
class Sighting:
    """The result of one poll of a reader.

    *uids* are the UIDs (serial numbers) of the tags in the field, 4 or 7 bytes each, in the order
    they were found. A UID with wrong check bytes (BCC, or CRC of the SAK) is left out. *is_garbled*
    is True if something else answered too but could not be read. In that case, an empty *uids* does
    not mean an empty field.
    """

    uids: tuple[bytes, ...] = ()
    is_garbled: bool = False

    @property
    def is_empty(self) -> bool:
        """True if nothing in the field answered."""
        return not self.uids and not self.is_garbled


@dataclass(frozen=True, slots=True)
class Remark:
    """An oddity of a part that works. *text* says what is odd and what to do.

    *code* identifies the kind of oddity.
    """

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Checkup:
    """The result of a part's self test.

    *found* is the result in a few words, and *remarks* are oddities.
    """

    found: str
    remarks: tuple[Remark, ...] = ()


class TagReader(Protocol):
    """A reader that finds the tags on one spot of the mat."""

    @property
    def identity(self) -> str:
        """The chip, such as "MFRC522 version 2.0 (92h)"; empty until it has answered."""
        ...

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """The oddities of the chip found so far."""
        ...

    @property
    def has_reset_wire(self) -> bool:
        """True if ``restart(by_wire=True)`` does more than ``restart()``."""
        ...

    def poll(self) -> Sighting:
        """Return the tags in the field now; takes a few milliseconds.

        Raises:
            ReaderFault: the chip does not answer or has lost its settings. It stays that way until
                ``restart()``.
        """
        ...

    def restart(self, *, by_wire: bool = False) -> None:
        """Set the chip up again after a fault; with *by_wire*, reset it by its reset wire first.

        Raises:
            ReaderFault: it still does not answer.
        """
        ...

    def close(self) -> None:
        """Switch the field off and release the bus and the pins."""
        ...


@runtime_checkable
class PatientPolling(Protocol):
    """A reader that can wait for the slowest tags.

    A reader does not need this if all its polls wait so long.
    """

    def poll_patiently(self) -> Sighting:
        """Poll as ``TagReader.poll`` does, but give tags 5 ms to wake up (ISO/IEC 14443-3, 5.1).

        Raises:
            ReaderFault: as ``TagReader.poll``.
        """
        ...


@runtime_checkable
class SelfTesting(Protocol):
    """A part that can test itself. Not every reader chip can; check that with ``isinstance``."""

    def check_up(self) -> Checkup:
        """Run the part's own tests and set it up again; takes about 10 ms.

        Raises:
            HardwareFault: the part does not answer.
        """
        ...


@runtime_checkable
class SpiTesting(Protocol):
    """A reader that can test its SPI wires. Not every chip can; check that with ``isinstance``."""

    def intact_patterns(self, clock_hz: int, count: int) -> int:
        """Send *count* patterns to the chip and back, at a clock rate of *clock_hz*.

        Stop at the first damaged pattern, and return the number of those before it. Afterwards the
        reader works as before, at its own clock rate.

        Raises:
            HardwareFault: the chip does not answer at its own clock rate.
        """
        ...


@runtime_checkable
class GainTesting(Protocol):
    """A reader with an adjustable receiver gain."""

    @property
    def gain_db(self) -> int:
        """The receiver's present gain, in dB."""
        ...

    @property
    def gains_to_try(self) -> Sequence[int]:
        """The gains to try, in dB. One of them is the best for any board."""
        ...

    def polls_that_see(self, gain_db: int, polls: int) -> Counter[bytes]:
        """Poll *polls* times at *gain_db* and return how many polls saw each tag, by UID.

        A garbled poll counts for no tag. Afterwards the gain is as before.

        Raises:
            ReaderFault: the chip is missing or fails, or its gain is fixed.
        """
        ...


@runtime_checkable
class ResetTesting(Protocol):
    """A reader that can tell if it was reset. Not every chip can: check with ``isinstance``."""

    def mark(self) -> None:
        """Write a mark into the chip, which a reset deletes; ``restart`` deletes it too.

        Raises:
            HardwareFault: the chip does not answer.
        """
        ...

    def pulse_reset(self) -> None:
        """Pulse the reset wire, and do not set the chip up again; do nothing without a wire."""
        ...

    def is_marked(self) -> bool:
        """Return True if the mark is still in the chip; wait until a chip that was reset answers.

        Raises:
            HardwareFault: the SPI device reports an error.
        """
        ...


class Display(Protocol):
    """A display for black-and-white pictures."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        ...

    @property
    def identity(self) -> str:
        """The chip and its I2C address, such as "SSD1306 at 0x3C"."""
        ...

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """The oddities of the display found so far."""
        ...

    def show(self, picture: Image.Image, within_s: float | None = None) -> bool:
        """Show *picture*, sending only what changed; return True if all of it is shown.

        *picture* has mode "1" and this size; a lit pixel is non-zero. *within_s* limits the time in
        seconds; None means no limit. Every call sends something, so repeated calls complete the
        picture.

        Raises:
            DisplayFault: the display did not acknowledge; show again after ``restart()``.
        """
        ...

    def check(self) -> None:
        """Check that the display still shows its picture; takes a fraction of a millisecond.

        Raises:
            DisplayFault: it does not acknowledge, or has lost power and is dark.
        """
        ...

    def restart(self) -> None:
        """Set the display up again. After that, the picture on it is unknown.

        Raises:
            DisplayFault: it still does not acknowledge.
        """
        ...

    def close(self) -> None:
        """Switch the panel off and release the bus."""
        ...


@dataclass(frozen=True, slots=True)
class LampValue:
    """The *brightness* of a lamp, from 0 (off) to 1 (full), and its *colour*.

    The colour is red, green and blue, 0 to 255 each; None is the lamp's own colour, or white. A
    lamp with a single colour ignores it, so colour alone must not tell people anything.
    """

    brightness: float
    colour: tuple[int, int, int] | None = None


LAMP_OFF, LAMP_ON = LampValue(0.0), LampValue(1.0)


class Lamps(Protocol):
    """The lamps of a table, each with a name.

    The names are ``seat-1`` to ``seat-6``, ``clockwise``, ``counter-clockwise``, ``accepted`` and
    ``refused``.
    """

    @property
    def names(self) -> Sequence[str]:
        """The names of the lamps this table has."""
        ...

    def set(self, values: Mapping[str, LampValue]) -> None:
        """Set lamps, by name, to *values*; takes less than 0.3 ms.

        A call has all lamps that change together, so an LED strip is sent once. Lamps that are not
        in *values* stay as they are. Names that the table does not have are ignored. The loop
        sets all lamps again each second, because a strip may have lost its power for a moment.

        Raises:
            LampFault: the lamps failed; they are not used any more.
        """
        ...

    def close(self) -> None:
        """Switch every lamp off and release the pins or the bus."""
        ...


@dataclass(frozen=True, slots=True)
class Turned:
    """A turn of the encoder by *steps* detents (clicks). Clockwise is positive."""

    steps: int


@dataclass(frozen=True, slots=True)
class Pressed:
    """A press of a *button*: ``ok``, ``back`` or ``action``."""

    button: str


@dataclass(frozen=True, slots=True)
class Rocked:
    """A signal of the tilt switch: the object on which it is mounted was rocked or knocked."""


ControlEvent = Turned | Pressed | Rocked


class Controls(Protocol):
    """The encoder, the buttons and the tilt switch, debounced."""

    def poll(self) -> tuple[ControlEvent, ...]:
        """Return the events since the last poll, in order, without waiting."""
        ...

    def close(self) -> None:
        """Release the pins."""
        ...


class Buzzer(Protocol):
    """A buzzer that plays one tone at a time."""

    def tone(self, frequency_hz: float | None) -> None:
        """Play a tone of *frequency_hz* until the next call; ``None`` is silence."""
        ...

    def close(self) -> None:
        """Stop the tone and release the pin."""
        ...


@dataclass(frozen=True, slots=True)
class Speech:
    """The settings of a computer's voice. None or an empty value leaves a feature out.

    *engine* turns text into sound: ``espeak``, or ``piper`` with a voice file for each language in
    *models*. *clips* is a folder of recordings, *cache* a folder for sounds already made. *device*
    is the ALSA name of the sound card; None means that a card is searched for.
    """

    engine: str = "espeak"
    models: Mapping[str, Path] = field(default_factory=dict)
    clips: Path | None = None
    device: str | None = None
    cache: Path | None = None


class Voice(Protocol):
    """A voice that says one text at a time. Only ``trouble`` and ``close`` wait for anything."""

    @property
    def is_speaking(self) -> bool:
        """True while a text is being said or is about to be said."""
        ...

    def say(self, text: str, language: str) -> None:
        """Begin to say *text* at once, and cut off the text before."""
        ...

    def prepare(self, text: str, language: str) -> None:
        """Make the sound of *text* in idle time, so that it can be said at once later."""
        ...

    def hush(self) -> None:
        """Stop speaking at once, even in the middle of a word."""
        ...

    def set_volume(self, percent: int) -> None:
        """Set the volume of the next texts, from 0 to 100."""
        ...

    def trouble(self, within_s: float) -> str:
        """Return why speech cannot be heard and, after a semicolon, what to do; "" if it can.

        Waits until everything is said, but no longer than *within_s* seconds.
        """
        ...

    def close(self) -> None:
        """Stop speaking and release the sound card."""
        ...


class SpiBus(Protocol):
    """One chip select of an SPI bus, with members of ``spidev.SpiDev``."""

    max_speed_hz: int  # the clock rate in hertz; a change counts from the next transfer on

    def xfer2(self, values: list[int]) -> list[int]:
        """Send *values* and return the bytes received at the same time, as many as were sent.

        Chip select stays low during the whole transfer.
        """
        ...

    def close(self) -> None:
        """Release the device."""
        ...


class I2cBus(Protocol):
    """An I2C bus, with the methods of ``busio.I2C`` that Adafruit's drivers use."""

    def try_lock(self) -> bool:
        """Claim the bus; return False if it is claimed already."""
        ...

    def unlock(self) -> None:
        """Release the bus."""
        ...

    def writeto(
        self,
        address: int,
        buffer: bytes,
        *,
        start: int = 0,
        end: int | None = None,
        stop: bool = True,
    ) -> None:
        """Write ``buffer[start:end]`` to the 7-bit *address* in one transaction.

        Raises:
            OSError: no chip acknowledged.
        """
        ...

    def readfrom_into(
        self,
        address: int,
        buffer: bytearray,
        *,
        start: int = 0,
        end: int | None = None,
        stop: bool = True,
    ) -> None:
        """Fill ``buffer[start:end]`` from the 7-bit *address*.

        Raises:
            OSError: no chip acknowledged.
        """
        ...


class ResetPin(Protocol):
    """A wire that holds one chip or several in reset while it is low."""

    @property
    def pulses(self) -> int:
        """The number of reset pulses so far.

        If chips share the wire, a driver sees by this number that its chip was reset too.
        """
        ...

    def on(self) -> None:
        """Drive the wire high: the chips run."""
        ...

    def off(self) -> None:
        """Drive the wire low: the chips are held in reset."""
        ...

    def close(self) -> None:
        """Release the pin."""
        ...


@dataclass(frozen=True, slots=True)
class ReaderWires:
    """Everything that the driver of one reader needs.

    The driver closes *spi* and *reset*. *spi* selects this chip only. *guard_s* is None if
    the field may stay on. Otherwise the driver switches the field on only during ``poll()``, and
    gives tags this many seconds to wake up. *gain_db* is the receiver's gain in dB; None leaves it
    to the driver. *place* is the reader's number at the table, from 0. By this number, drivers can
    choose different moments for work that takes long.
    """

    spi: SpiBus
    clock: Clock
    reset: ResetPin | None = None
    guard_s: float | None = None
    gain_db: int | None = None
    place: int = 0


OpenReader = Callable[[ReaderWires], TagReader]  # makes a driver; sends nothing to the chip yet
# Makes the driver of an LED strip from its bus, which the driver closes, and each lamp's place.
OpenLamps = Callable[[SpiBus, Mapping[str, int]], Lamps]


class Board(Protocol):
    """The computer: its clock, and the buses and pins that drivers use."""

    @property
    def clock(self) -> Clock:
        """The clock that all parts share."""
        ...

    @property
    def pins(self) -> Any:
        """A gpiozero pin factory (gpiozero has no type hints)."""
        ...

    def spi(self, bus: int, device: int, clock_hz: int) -> SpiBus:
        """Open chip select *device* of SPI *bus*.

        Raises:
            MissingPart: this computer has no such device, or this user may not open it.
        """
        ...

    def i2c(self, bus: int) -> I2cBus:
        """Open an I2C bus.

        Raises:
            MissingPart: this computer has no such bus, or this user may not open it.
        """
        ...

    def voice(self, speech: Speech) -> Voice:
        """Return this computer's voice with the settings *speech*."""
        ...

    def close(self) -> None:
        """Close everything that was opened."""
        ...
