"""Chips, tags and buttons around the buses and pins of one computer, as a wiring file says.

May import: the standard library and fakepi.

A wiring file is TOML::

    [spi]  # by bus and chip select; the options are GPIO numbers
    "0.0" = { chip = "mfrc522", reset = 25, irq = 24 }
    [i2c]  # by bus and address
    "1.0x3C" = { chip = "ssd1306", size = "128x32" }
    [pins]  # a button closes a contact to GND
    17 = { part = "button" }

A chip without options may be written as its name: ``"1.0x3C" = "ssd1306"``. Several readers share a
chip select if each has a GPIO as its own: write a list of tables, each with ``select``.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from fakepi.clock import VirtualClock
from fakepi.field import RfField
from fakepi.i2c import I2cBus
from fakepi.kernel.pins import Header, LinePin
from fakepi.mfrc522 import Mfrc522
from fakepi.mifare_classic import MifareClassic1K
from fakepi.ntag import Ntag
from fakepi.oled import GLASS_128X32, GLASS_128X64, OledChip
from fakepi.picc import Picc
from fakepi.sh1106 import Sh1106Chip
from fakepi.spi import OVERHEAD_NS, SharedSpi, SpiChip, SpiDevice
from fakepi.ssd1306 import Ssd1306Chip

Choice = TypeVar("Choice")

READERS: Mapping[str, type[Mfrc522]] = {"mfrc522": Mfrc522}
DISPLAYS: Mapping[str, type[OledChip]] = {"ssd1306": Ssd1306Chip, "sh1106": Sh1106Chip}
SIZES = {"128x64": GLASS_128X64, "128x32": GLASS_128X32}
OPTIONS: Mapping[str, set[str]] = {
    "spi": {"chip", "reset", "irq", "select"},
    "i2c": {"chip", "size"},
    "pins": {"part"},
}
TAGS: Mapping[int, Callable[[bytes], Picc]] = {4: MifareClassic1K, 7: Ntag}  # by UID length
IRQ_STEP_NS = 1_000_000  # how late an interrupt may reach the pin

# The circuit without a wiring file: the usual RC522 and display of tutorials.
USUAL: Mapping[str, Any] = {
    "spi": {"0.0": {"chip": "mfrc522", "reset": 25}},
    "i2c": {"1.0x3C": "ssd1306"},
}


class WiringError(ValueError):
    """A wiring that cannot be built: the message says where, what is wrong and what to write."""


def read_wiring(path: Path) -> Mapping[str, Any]:
    """Return the contents of the wiring file *path*.

    Raises:
        WiringError: there is no such file, or it is no TOML.
    """
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise WiringError(f"{path}: {error.strerror}. Name a wiring file.") from error
    except ValueError as error:
        raise WiringError(f"{path}: {error}. Write it as TOML, in UTF-8.") from error


def parse_uid(text: str) -> bytes:
    """Return the UID *text*, such as "04:11:22:33:44:55:66".

    Raises:
        WiringError: it is not 4 or 7 bytes in hexadecimal.
    """
    try:
        uid = bytes.fromhex(text.replace(":", " "))
    except ValueError:
        uid = b""
    if len(uid) not in TAGS:
        wanted = "Write 4 or 7 bytes, such as 04:11:22:33:44:55:66."
        raise WiringError(f'"{text}" is not the UID of a tag. {wanted}')
    return uid


class Circuit:
    """The chips of *wiring*, on *clock*. See this module for the wiring's contents.

    ``fields`` has the RF field of each reader, by its chip select, such as "0.0", or "0.0/22" with
    the select pin GPIO22. ``displays`` has the display chips by bus and address, such as "1.0x3C".
    ``i2c`` has the I2C buses and ``spi`` the chips by chip select. ``buttons`` are GPIO numbers. A
    tag with a 7-byte UID is an NTAG213, one with 4 bytes a MIFARE Classic 1K.

    Raises:
        WiringError: the wiring cannot be built.
    """

    def __init__(self, wiring: Mapping[str, Any], clock: VirtualClock) -> None:
        self.clock = clock
        self.pins = Header()
        self.fields: dict[str, RfField] = {}
        self.displays: dict[str, OledChip] = {}
        self.i2c: dict[int, I2cBus] = {}
        self.spi: dict[str, SpiChip] = {}
        self.buttons: list[int] = []
        self._tags: dict[tuple[str, bytes], Picc] = {}
        add = {"spi": self._add_spi, "i2c": self._add_display, "pins": self._add_button}
        for kind, table in wiring.items():
            if kind not in add or not isinstance(table, dict):
                raise WiringError(f"{kind} is no part of a wiring. Write [spi], [i2c] or [pins].")
            for key, value in table.items():
                add[kind](f"{kind}.{key}", key, value)

    def _add_spi(self, where: str, key: str, value: Any) -> None:
        if not re.fullmatch(r"\d\.\d", key):
            raise WiringError(
                f'{where} is no chip select. Write bus and device: "0.0" = "mfrc522".'
            )
        readers = [_options("spi", where, each) for each in _list(value)]
        if len(readers) > 1 and not all("select" in each for each in readers):
            raise WiringError(f"{where} has several readers. Give each of them its select pin.")
        for options in readers:
            self._add_reader(where, key, options)

    def _add_reader(self, where: str, spi: str, options: Mapping[str, Any]) -> None:
        chip_type = _choice(where, "chip", options.get("chip"), READERS)
        field = RfField(self.clock)
        chip = chip_type(self.clock, field)
        name = spi
        if "select" in options:
            shared = self.spi.setdefault(spi, SharedSpi())
            assert isinstance(shared, SharedSpi)
            wire = shared.attach(chip)
            pin = self._pin(where, options["select"])
            pin.wires.append(wire.drive)
            wire.drive(pin.state)
            name = f"{spi}/{pin.number}"
        else:
            self.spi[spi] = chip
        if "reset" in options:
            pin = self._pin(where, options["reset"])
            pin.wires.append(lambda level: chip.reset_pin(bool(level)))
        if "irq" in options:
            self._follow_irq(chip, self._pin(where, options["irq"]))
        self.fields[name] = field

    def _follow_irq(self, chip: Mfrc522, pin: LinePin) -> None:
        """Let *pin* have the level of the chip's IRQ output, now and after each step of time."""
        (pin.drive_high if chip.irq_pin else pin.drive_low)()
        again = partial(self._follow_irq, chip, pin)
        self.clock.call_at(self.clock.now_ns + IRQ_STEP_NS, again)

    def _add_display(self, where: str, key: str, value: Any) -> None:
        options = _options("i2c", where, value)
        display = _choice(where, "chip", options.get("chip"), DISPLAYS)
        glass = _choice(where, "size", options.get("size", "128x64"), SIZES)
        try:
            bus, address = (int(part, 0) for part in key.split("."))
            chip = display(glass, address)
            self.i2c.setdefault(bus, I2cBus(self.clock)).attach(chip)
        except ValueError as wrong:
            wanted = 'Write a bus and an address: "1.0x3C" = "ssd1306".'
            raise WiringError(f"{where}: {wrong}. {wanted}") from wrong
        self.displays[f"{bus}.0x{address:02X}"] = chip

    def _add_button(self, where: str, key: str, value: Any) -> None:
        options = _options("pins", where, value)
        _choice(where, "part", options.get("part"), {"button": None})
        number = int(key) if key.isdecimal() else -1
        self.buttons.append(self._pin(where, number).number)

    def _pin(self, where: str, number: object) -> LinePin:
        if not isinstance(number, int) or not 0 <= number < Header.LINES:
            wanted = f"Write a GPIO number from 0 to {Header.LINES - 1}."
            raise WiringError(f"{where}: {number!r} is no pin. {wanted}")
        return self.pins.pin(number)

    def open_spi(
        self, spi: str, clock_hz: int = 1_000_000, *, overhead_ns: int = OVERHEAD_NS
    ) -> SpiDevice:
        """Open the chip select *spi*, at the rate *clock_hz* in hertz; see `SpiDevice`.

        Raises:
            KeyError: nothing is wired to it.
        """
        return SpiDevice(self.spi[spi], self.clock, clock_hz, overhead_ns)

    def openers(self) -> Mapping[str, Callable[[int], SpiDevice]]:
        """Return a function for each chip select that opens it at a rate in hertz."""
        return {spi: partial(self.open_spi, spi) for spi in self.spi}

    # What people do

    def tags(self, reader: str) -> list[str]:
        """Return the UIDs of the tags on *reader*, a name of ``fields``."""
        return [uid.hex(":").upper() for name, uid in self._tags if name == reader]

    def lay(self, uid: str, reader: str = "") -> None:
        """Lay a tag with *uid* on *reader*, a name of ``fields``; by default the first.

        Raises:
            WiringError: the UID is wrong, the tag is there already, or there is no such reader.
        """
        name = reader or next(iter(self.fields), "")
        if name not in self.fields:
            known = ", ".join(self.fields) or "none: add one to the wiring file"
            raise WiringError(f'There is no reader "{name}". The readers are: {known}.')
        key = name, parse_uid(uid)
        if key in self._tags:
            raise WiringError(f"The tag {uid} is on reader {name} already. Lift it first.")
        tag = self._tags[key] = TAGS[len(key[1])](key[1])
        self.fields[name].enter(tag)

    def lift(self, uid: str, reader: str) -> None:
        """Lift the tag with *uid* from *reader*.

        Raises:
            WiringError: it is not there.
        """
        tag = self._tags.pop((reader, parse_uid(uid)), None)
        if tag is None:
            raise WiringError(f"The tag {uid} is not on reader {reader}. Lay it first.")
        self.fields[reader].leave(tag)

    def press(self, number: int, is_down: bool) -> None:
        """Press the button at GPIO *number*, or release it.

        Raises:
            WiringError: there is no such button.
        """
        if number not in self.buttons:
            known = ", ".join(map(str, self.buttons)) or "none: add one to the wiring file"
            raise WiringError(f"There is no button at GPIO {number}. The buttons are: {known}.")
        self.pins.pin(number).ground(is_down)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _options(kind: str, where: str, value: Any) -> Mapping[str, Any]:
    """Return the options of one part; *value* is a table, or the name of a chip."""
    options = {"part" if kind == "pins" else "chip": value} if isinstance(value, str) else value
    known = ", ".join(sorted(OPTIONS[kind]))
    if not isinstance(options, dict):
        raise WiringError(f"{where} is {options!r}. Write a table with: {known}.")
    if unknown := options.keys() - OPTIONS[kind]:
        raise WiringError(f"{where}: {min(unknown)} is unknown. Write one of: {known}.")
    return options


def _choice(where: str, key: str, name: object, choices: Mapping[str, Choice]) -> Choice:
    if not isinstance(name, str) or name not in choices:
        known = ", ".join(choices)
        raise WiringError(f"{where}: there is no {key} {name!r}. Write one of: {known}.")
    return choices[name]
