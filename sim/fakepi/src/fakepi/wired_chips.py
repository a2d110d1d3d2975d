"""The parts that a wiring names, connected to buses and pins.

May import: the standard library and fakepi.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any, Protocol

from fakepi.clock import VirtualClock
from fakepi.contacts import BouncyContact, BouncyEncoder
from fakepi.field import RfField
from fakepi.i2c import I2cBus
from fakepi.mfrc522 import Mfrc522
from fakepi.mfrc522_profiles import MFRC522_PROFILES
from fakepi.oled import GLASS_128X32, GLASS_128X64, OledChip
from fakepi.pn532 import Pn532, Pn532I2c, Pn532Spi
from fakepi.sh1106 import Sh1106Chip
from fakepi.spi import SharedSpi, SpiChip
from fakepi.ssd1306 import Ssd1306Chip
from fakepi.ssd1309 import Ssd1309Chip
from fakepi.wiring import Wired, Wiring
from fakepi.ws2812 import Ws2812Spi, Ws2812Strip

STRIP_LEDS = 8  # by default
DISPLAY_CHIPS: Mapping[str, type[OledChip]] = {
    "sh1106": Sh1106Chip,
    "ssd1306": Ssd1306Chip,
    "ssd1309": Ssd1309Chip,
}
GLASSES = {"128x64": GLASS_128X64, "128x32": GLASS_128X32}


class ConnectedPin(Protocol):
    """A GPIO pin, as the parts around it see it."""

    @property
    def level(self) -> int:
        """The present level, 0 or 1."""
        ...

    def attach(self, wire: Callable[[float], object]) -> None:
        """Call *wire* with each new level."""
        ...

    def drive(self, level: int | None) -> None:
        """Drive the pin from outside to *level*, 0 or 1, or stop (None)."""
        ...

    def connect(self, source: Callable[[], bool]) -> None:
        """Connect the output *source* of a chip, which returns its level."""
        ...

    def pull_up(self) -> None:
        """Solder a pull-up to the pin that is stronger than the computer's pulls."""
        ...


@dataclass(frozen=True)
class ConnectedReader:
    """A reader chip, its field, and its chip select, such as "0.0", if it is on SPI."""

    chip: Mfrc522 | Pn532
    field: RfField
    spi: str | None


class WiredChips:
    """The parts of *wiring*, connected.

    Readers are named as their place: "0.0", "0.0/22" with a select pin, "1.0x24" on I2C, or
    "serial0".

    Args:
        wiring: the parts, and where they are.
        clock: the clock of all parts.
        chance: draws everything that is random.
        pin: returns a pin by its GPIO number.
        make_field: makes the RF field of the reader with a name.
        make_bus: makes the I2C bus with a number.

    Attributes:
        spi: the chips by chip select, such as "0.0"; several behind one are a `SharedSpi`.
        i2c: the I2C buses by number, with their chips.
        uarts: the chips at UARTs, by the name of the device file, such as "serial0".
        readers: the reader chips by name.
        displays: the display chips by bus and address, such as "1.0x3C".
        strips: the LED strips by chip select.
        buttons: the buttons by GPIO number.
        encoders: the rotary encoders by the GPIO number of contact A.
        interrupts: the GPIO numbers to which interrupt outputs of chips are connected.
    """

    def __init__(
        self,
        wiring: Wiring,
        clock: VirtualClock,
        chance: Random,
        *,
        pin: Callable[[int], ConnectedPin],
        make_field: Callable[[str], RfField],
        make_bus: Callable[[int], I2cBus],
    ) -> None:
        self._clock, self._chance, self._pin = clock, chance, pin
        self._make_field, self._make_bus = make_field, make_bus
        self.spi: dict[str, SpiChip] = {}
        self.i2c: dict[int, I2cBus] = {}
        self.uarts: dict[str, Pn532] = {}
        self.readers: dict[str, ConnectedReader] = {}
        self.displays: dict[str, OledChip] = {}
        self.strips: dict[str, Ws2812Strip] = {}
        self.buttons: dict[int, BouncyContact] = {}
        self.encoders: dict[int, BouncyEncoder] = {}
        self.interrupts: list[int] = []
        for (bus, device), parts in wiring.spi.items():
            for part in parts:
                self._add_spi(f"{bus}.{device}", part)
        for (bus, address), part in wiring.i2c.items():
            self._add_i2c(bus, address, part)
        for name, part in wiring.uart.items():
            self.uarts[name] = self._add_pn532(name, part)
        for number, part in wiring.pins.items():
            self._add_contacts(number, part)

    def _add_spi(self, spi: str, part: Wired) -> None:
        if part.chip == "ws2812":
            self.strips[spi] = strip = _strip_of(part, self._clock)
            self.spi[spi] = Ws2812Spi(strip, self._clock)
        elif "select" in part.options:
            number = part.options["select"]
            shared = self.spi.setdefault(spi, SharedSpi())
            assert isinstance(shared, SharedSpi)
            wire = shared.attach(self._spi_port(self._add_reader(f"{spi}/{number}", part, spi)))
            select = self._pin(number)
            wire.drive(select.level)
            select.attach(wire.drive)
        else:
            self.spi[spi] = self._spi_port(self._add_reader(spi, part, spi))

    def _spi_port(self, chip: Mfrc522 | Pn532) -> SpiChip:
        return Pn532Spi(chip) if isinstance(chip, Pn532) else chip

    def _add_reader(self, name: str, part: Wired, spi: str | None = None) -> Mfrc522 | Pn532:
        """Add a reader with its field and its pins, and return its chip."""
        field = self._make_field(name)
        chip: Mfrc522 | Pn532
        if part.chip == "pn532":
            chip = Pn532(self._clock, field, chance=self._chance)
        else:
            chip = _mfrc522_of(part, self._clock, field, self._chance)
        if "reset" in part.options:
            pin = self._pin(part.options["reset"])
            pin.pull_up()  # modules have a pull-up on RST
            pin.attach(lambda level: chip.reset_pin(bool(level)))
        if "irq" in part.options:
            self._pin(part.options["irq"]).connect(lambda: chip.irq_pin)
            self.interrupts.append(part.options["irq"])
        self.readers[name] = ConnectedReader(chip, field, spi)
        return chip

    def _add_pn532(self, name: str, part: Wired) -> Pn532:
        chip = self._add_reader(name, part)
        assert isinstance(chip, Pn532)
        return chip

    def _add_i2c(self, number: int, address: int, part: Wired) -> None:
        if number not in self.i2c:
            self.i2c[number] = self._make_bus(number)
        name = f"{number}.0x{address:02X}"
        if part.chip == "pn532":
            self.i2c[number].attach(Pn532I2c(self._add_pn532(name, part)))
            return
        self.displays[name] = _display_of(part, address)
        self.i2c[number].attach(self.displays[name])

    def _add_contacts(self, number: int, part: Wired) -> None:
        if part.chip == "encoder":
            a = partial(_close, self._pin(number), 0)
            b = partial(_close, self._pin(part.options["b"]), 0)
            self.encoders[number] = BouncyEncoder(self._clock, a, b, self._chance)
            return
        bounce: dict[str, Any] = {} if part.options.get("bounces") else {"bounce_ns": 0}
        wire = partial(_close, self._pin(number), int(part.options.get("to") == "3V3"))
        self.buttons[number] = BouncyContact(self._clock, wire, self._chance, **bounce)


def _close(pin: ConnectedPin, closed: int, level: float) -> None:
    """Drive *pin* to the level *closed* if the contact is closed (*level* 0); release it if not."""
    pin.drive(None if level else closed)


def _mfrc522_of(part: Wired, clock: VirtualClock, field: RfField, chance: Random) -> Mfrc522:
    """Return the reader chip *part* with its antenna in *field*."""
    profile = MFRC522_PROFILES[part.options.get("profile", "nxp-92")]
    options = {
        name: part.options[name] for name in ("collpos", "undefined") if name in part.options
    }
    chip: Mfrc522 = profile.chip(clock, field, chance=chance, **options)
    return chip


def _display_of(part: Wired, address: int) -> OledChip:
    """Return the display *part* at the I2C *address*."""
    glass = GLASSES[part.options.get("size", "128x64")]
    undefined = part.options.get("undefined", "record")
    return DISPLAY_CHIPS[part.chip](glass, address, undefined=undefined)


def _strip_of(part: Wired, clock: VirtualClock) -> Ws2812Strip:
    """Return the LED strip that *part* describes."""
    options = {"undefined": "record", "count": STRIP_LEDS, **part.options}
    return Ws2812Strip(clock, options.pop("count"), **options)
