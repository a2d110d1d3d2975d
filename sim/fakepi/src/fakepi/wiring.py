"""The wiring of a fake Pi: which chip is on which chip select, I2C address, UART and pin.

May import: the standard library and fakepi.

A wiring is a mapping, as ``tomllib`` reads it from a ``fakepi.toml``::

    [spi]
    "0.0" = { chip = "mfrc522", reset = 25, irq = 24 }
    [i2c]
    "1.0x3C" = { chip = "ssd1306", size = "128x64" }
    [uart]
    "serial0" = "pn532"
    [pins]
    17 = { part = "button", to = "GND", bounces = true }
    5 = { part = "encoder", b = 6 }  # contact A on GPIO5, B on GPIO6

A chip without options may be written as its name: ``"1.0x3C" = "ssd1306"``. Several chips share a
chip select if each has a GPIO as its own: write a list of tables, each with ``select``.
"""

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from fakepi.gpio import PINS
from fakepi.i2c import ADDRESSES
from fakepi.mfrc522_profiles import MFRC522_PROFILES

DEVICE_NAME = re.compile(r"(serial|tty)\w+")
FILE_NAME = "fakepi.toml"
# As in most tutorials for the RC522: SDA to CE0, RST to GPIO25, IRQ to GPIO24; and a display.
USUAL: Mapping[str, Any] = {
    "spi": {"0.0": {"chip": "mfrc522", "reset": 25, "irq": 24}},
    "i2c": {"1.0x3C": "ssd1306"},
}

# The options of each part, by name.
SPI_CHIPS = {
    "mfrc522": {"reset", "irq", "select", "profile", "collpos", "undefined"},
    "pn532": {"reset", "irq", "select"},
    "ws2812": {"count", "undefined"},
}
I2C_CHIPS = {
    "pn532": {"reset", "irq"},
    "sh1106": {"size", "undefined"},
    "ssd1306": {"size", "undefined"},
    "ssd1309": {"size", "undefined"},
}
UART_CHIPS = {"pn532": {"reset", "irq"}}
PARTS = {"button": {"to", "bounces"}, "encoder": {"b"}}
SIZES = ("128x64", "128x32")
CONTACTS = ("GND", "3V3")
PIN_OPTIONS = ("reset", "irq", "select", "b")
CHOICES: Mapping[str, Collection[str]] = {
    "size": SIZES,
    "to": CONTACTS,
    "undefined": ("raise", "record", "as-silicon"),
    "collpos": ("frame", "absolute"),
    "profile": tuple(MFRC522_PROFILES),
}


class WiringError(ValueError):
    """The wiring has a part that cannot be built."""


@dataclass(frozen=True, slots=True)
class Wired:
    """One part, with the name of its chip and its options."""

    chip: str
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Wiring:
    """All parts, by the place where they are wired.

    That is the SPI bus and chip select, the I2C bus and address, the name of the UART's device
    file, or the GPIO number.
    """

    spi: Mapping[tuple[int, int], tuple[Wired, ...]] = field(default_factory=dict)
    i2c: Mapping[tuple[int, int], Wired] = field(default_factory=dict)
    uart: Mapping[str, Wired] = field(default_factory=dict)
    pins: Mapping[int, Wired] = field(default_factory=dict)


def load_wiring(path: Path) -> Wiring:
    """Read a ``fakepi.toml``.

    Raises:
        WiringError: the file is not valid TOML, or has a part that cannot be built.
        OSError: the file cannot be read.
    """
    try:
        described = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as wrong:
        raise WiringError(f"{path} is not valid TOML: {wrong}") from wrong
    return read_wiring(described, str(path))


def read_wiring(described: Mapping[str, Any], source: str = "wiring") -> Wiring:
    """Return the wiring that a mapping describes. *source* is its name in errors.

    Raises:
        WiringError: a key or value cannot be built.
    """
    _check_keys(described, {"spi", "i2c", "uart", "pins"}, source)
    reader = _PartParser(source)
    return Wiring(
        spi={
            reader.spi_key(key): reader.chips(f"spi.{key}", value, SPI_CHIPS)
            for key, value in described.get("spi", {}).items()
        },
        i2c={
            reader.i2c_key(key): reader.one(f"i2c.{key}", value, I2C_CHIPS)
            for key, value in described.get("i2c", {}).items()
        },
        uart={
            reader.uart_key(key): reader.one(f"uart.{key}", value, UART_CHIPS)
            for key, value in described.get("uart", {}).items()
        },
        pins={
            reader.pin(f"pins.{key}", key): reader.one(f"pins.{key}", value, PARTS)
            for key, value in described.get("pins", {}).items()
        },
    )


class _PartParser:
    """A reader of keys and values. Errors name *source* and the key."""

    def __init__(self, source: str) -> None:
        self._source = source

    def _error(self, key: str, found: str, example: str) -> WiringError:
        return WiringError(f"{self._source}: {key} {found}. Write for example: {example}")

    def spi_key(self, key: str) -> tuple[int, int]:
        bus, _, device = str(key).partition(".")
        if not (bus.isdecimal() and device.isdecimal()):
            raise self._error(f"spi.{key}", "is not a bus and a chip select", '"0.0" = "mfrc522"')
        return int(bus), int(device)

    def i2c_key(self, key: str) -> tuple[int, int]:
        bus, _, address = str(key).partition(".")
        try:
            found = int(bus), int(address, 0)
        except ValueError:
            found = (0, 0)
        if found[1] not in ADDRESSES:
            example = '"1.0x3C" = "ssd1306"'
            raise self._error(f"i2c.{key}", "is not a bus and an I2C address", example)
        return found

    def uart_key(self, key: str) -> str:
        if not DEVICE_NAME.fullmatch(str(key)):
            problem = "is not the name of a device file in /dev"
            raise self._error(f"uart.{key}", problem, '"serial0" = "pn532"')
        return str(key)

    def pin(self, key: str, number: Any) -> int:
        found = int(number) if str(number).isdecimal() else -1
        if found not in PINS:
            problem = f"is {number!r}; it must be a GPIO number from 0 to {PINS[-1]}"
            raise self._error(key, problem, "25")
        return found

    def chips(
        self, key: str, value: Any, known: Mapping[str, Collection[str]]
    ) -> tuple[Wired, ...]:
        values = value if isinstance(value, list) else [value]
        found = tuple(self.one(key, each, known) for each in values)
        if len(found) > 1 and not all("select" in each.options for each in found):
            example = '[{ chip = "mfrc522", select = 22 }, ...]'
            raise self._error(key, "has several chips, so each needs a select pin", example)
        return found

    def one(self, key: str, value: Any, known: Mapping[str, Collection[str]]) -> Wired:
        table = {"chip": value} if isinstance(value, str) else dict(value)
        name = table.pop("chip", None) or table.pop("part", None)
        if name not in known:
            raise WiringError(f"{self._source}: {key} {_unknown('chip', str(name), known)}")
        _check_keys(table, known[name], f"{self._source}: {key}")
        for option in PIN_OPTIONS:
            if option in table:
                table[option] = self.pin(f"{key}.{option}", table[option])
        for option in table.keys() & CHOICES.keys():
            self._check_choice(f"{key}.{option}", table[option], tuple(CHOICES[option]))
        if name == "encoder" and "b" not in table:
            raise self._error(key, "needs the pin of contact B", 'part = "encoder", b = 6')
        count = table.get("count", 1)
        if not isinstance(count, int) or count < 1:
            raise self._error(f"{key}.count", f"is {count!r}; it must be above 0", "count = 8")
        return Wired(name, table)

    def _check_choice(self, key: str, value: Any, choices: tuple[str, ...]) -> None:
        if value not in choices:
            found = f"is {value!r}; it must be one of {', '.join(choices)}"
            raise self._error(key, found, f'{key.rpartition(".")[2]} = "{choices[0]}"')


def _check_keys(table: Mapping[str, Any], known: Collection[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise WiringError(f"{where} {_unknown('key', str(key), known)}")


def _unknown(kind: str, name: str, known: Collection[str]) -> str:
    close = get_close_matches(name, known, n=1)
    hint = f'Did you mean "{close[0]}"?' if close else f"Known are: {', '.join(sorted(known))}"
    return f'has the unknown {kind} "{name}". {hint}'
