"""The ports: what the table can do, naming no chip.

Room: hardware. Knows no game.
May import: the standard library and Pillow.
May be imported by: hardware.drivers, firmware, sim, tests.

Every port has one owner, the table's loop, and is used from its thread alone.
``close()`` is safe twice, and after a failed start.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from PIL import Image


class Clock(Protocol):
    """Time that only goes forward, and a way to wait for it."""

    def now(self) -> float:
        """Seconds since a moment that stays the same while the program runs."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait for at least *seconds*; at once when it is zero or less."""
        ...


@dataclass(frozen=True, slots=True)
class Sighting:
    """What one poll of a reader saw.

    *uids* are the 4- or 7-byte UIDs confirmed by BCC and by the CRC of their SELECT, in the order
    they were found. *is_garbled* says that something else answered too and could not be made out,
    so an empty *uids* does not mean an empty field.
    """

    uids: tuple[bytes, ...] = ()
    is_garbled: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether every call into the field ended in a clean time-out."""
        return not self.uids and not self.is_garbled


@dataclass(frozen=True, slots=True)
class Remark:
    """Something odd about a part that works all the same; *text* says what it is and what to do."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Checkup:
    """What a longer look into a part has *found*, in a few words, and what of it is odd."""

    found: str
    remarks: tuple[Remark, ...] = ()


class TagReader(Protocol):
    """Tells which tags lie on one spot."""

    @property
    def identity(self) -> str:
        """Which chip answered, as in "MFRC522 version 2.0 (92h)"; empty before one has."""
        ...

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What is odd about the chip, as far as it is known by now."""
        ...

    @property
    def has_reset_wire(self) -> bool:
        """Whether ``restart(by_wire=True)`` does more than ``restart()``."""
        ...

    def poll(self) -> Sighting:
        """Look once; a few milliseconds.

        Raises:
            ReaderFault: the chip does not answer or has lost its settings, so "no tag" would be a
                guess. Nothing was mended; that is ``restart()``'s.
        """
        ...

    def restart(self, *, by_wire: bool = False) -> None:
        """Set the chip up again after a fault; *by_wire* pulls its reset wire first.

        Raises:
            ReaderFault: it still does not answer.
        """
        ...

    def check_up(self) -> Checkup:
        """Look into the chip as no game needs it: its receiver's gain, and its own self test.

        It is set up anew afterwards; some ten milliseconds.

        Raises:
            ReaderFault: it does not answer.
        """
        ...

    def close(self) -> None:
        """Switch the field off and let go of bus and pins."""
        ...


class Display(Protocol):
    """Shows one picture."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        ...

    @property
    def identity(self) -> str:
        """Which chip is driven, and where, as in "SSD1306 at 3Ch"."""
        ...

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What is odd about the display, as far as it is known by now."""
        ...

    def show(self, picture: Image.Image, within_s: float | None = None) -> bool:
        """Show *picture* (mode "1", of this size; a lit pixel is non-zero), sending what changed.

        With *within_s* it stops sending when more would take longer than that; something is always
        sent, so showing the same picture again and again gets there.

        Returns:
            Whether the whole picture is shown.

        Raises:
            DisplayFault: the display did not acknowledge; show again after ``restart()``.
        """
        ...

    def check(self) -> None:
        """Ask whether it still shows what it was told to; a fraction of a millisecond.

        Raises:
            DisplayFault: it does not acknowledge, or has lost its power since and is dark.
        """
        ...

    def restart(self) -> None:
        """Set the display up again, and forget what it showed.

        Raises:
            DisplayFault: it still does not acknowledge.
        """
        ...

    def close(self) -> None:
        """Switch the panel off and let go of the bus."""
        ...


class Lamps(Protocol):
    """Lamps by name: ``seat-1`` to ``seat-6``, both directions, ``accepted``, ``refused``."""

    @property
    def names(self) -> Sequence[str]:
        """The lamps this table has."""
        ...

    def light(self, name: str, level: float) -> None:
        """Set a lamp to *level* from 0 (dark) to 1; a lamp the table does not have is left out."""
        ...

    def close(self) -> None:
        """Put every lamp out and let go of the pins."""
        ...


@dataclass(frozen=True, slots=True)
class Turned:
    """The encoder went *steps* detents; clockwise is above zero."""

    steps: int


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button went down: ``ok``, ``back`` or ``action``."""

    button: str


@dataclass(frozen=True, slots=True)
class Rocked:
    """What the tilt switch is fixed to began to rock, or was knocked."""


ControlEvent = Turned | Pressed | Rocked


class Controls(Protocol):
    """The encoder, the buttons and the tilt switch, debounced."""

    def poll(self) -> tuple[ControlEvent, ...]:
        """What was done since the last poll, in order; returns at once."""
        ...

    def close(self) -> None:
        """Let go of the pins."""
        ...


class Buzzer(Protocol):
    """One tone at a time."""

    def tone(self, frequency_hz: float | None) -> None:
        """Sound *frequency_hz* until told otherwise; ``None`` is silence."""
        ...

    def close(self) -> None:
        """Fall silent and let go of the pin."""
        ...


@dataclass(frozen=True, slots=True)
class Speech:
    """How a computer is to speak; what is None or empty it does without.

    *engine* makes words into sound: ``espeak`` or ``piper``, the latter with a voice file for each
    language in *models*. *clips* is a folder of recordings, *cache* one to keep sounds in.
    *device* is the sound card's name for ALSA, where it is not to be looked for.
    """

    engine: str = "espeak"
    models: Mapping[str, Path] = field(default_factory=dict)
    clips: Path | None = None
    device: str | None = None
    cache: Path | None = None


class Voice(Protocol):
    """Says things aloud, one at a time. Only ``trouble`` and ``close`` make the caller wait."""

    @property
    def is_speaking(self) -> bool:
        """Whether something is sounding, or about to."""
        ...

    def say(self, text: str, language: str) -> None:
        """Begin to say *text* at once; what is sounding is cut off."""
        ...

    def prepare(self, text: str, language: str) -> None:
        """Have *text* ready ahead, when there is nothing better to do."""
        ...

    def hush(self) -> None:
        """Fall silent, in the middle of a word if need be."""
        ...

    def set_volume(self, percent: int) -> None:
        """Say what comes from now on at *percent* of full loudness, from 0 to 100."""
        ...

    def trouble(self, within_s: float) -> str:
        """What keeps words from being heard, and behind a semicolon what to do; else nothing.

        Waits until all is said, but no longer than *within_s*.
        """
        ...

    def close(self) -> None:
        """Fall silent and let go of the sound card."""
        ...


class SpiBus(Protocol):
    """One chip select of an SPI bus, as ``spidev.SpiDev`` offers it."""

    def xfer2(self, values: list[int]) -> list[int]:
        """Exchange bytes in one transfer, chip select held low throughout."""
        ...

    def close(self) -> None:
        """Let go of the device."""
        ...


class I2cBus(Protocol):
    """An I2C bus, as ``busio.I2C`` offers it to Adafruit's drivers."""

    def try_lock(self) -> bool:
        """Claim the bus."""
        ...

    def unlock(self) -> None:
        """Let it go."""
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
            OSError: nobody acknowledged.
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
            OSError: nobody acknowledged.
        """
        ...


class Board(Protocol):
    """The computer: the buses and pins that the wiring hands to the drivers, and its clock."""

    @property
    def clock(self) -> Clock:
        """The time all parts share."""
        ...

    @property
    def pins(self) -> Any:
        """A gpiozero pin factory (gpiozero has no type hints)."""
        ...

    def spi(self, bus: int, device: int, clock_hz: int) -> SpiBus:
        """Open chip select *device* of SPI *bus*.

        Raises:
            MissingPart: this computer has no such device, or may not open it.
        """
        ...

    def i2c(self, bus: int) -> I2cBus:
        """Open an I2C bus.

        Raises:
            MissingPart: this computer has no such bus, or may not open it.
        """
        ...

    def voice(self, speech: Speech) -> Voice:
        """The way speech leaves this computer, as *speech* wants it."""
        ...

    def close(self) -> None:
        """Let go of everything that was opened."""
        ...
