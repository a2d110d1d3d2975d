"""Chips, tags and buttons around the buses and pins of one computer, as a wiring file says.

May import: the standard library and fakepi.

A wiring file is TOML::

    [spi."0.0"]                      # bus and chip select
    chip = "mfrc522"
    reset_pin = 25                   # GPIO numbers; may be left out
    tags = ["04:11:22:33:44:55:66"]  # on the reader from the start

    [i2c.1]
    0x3C = "ssd1306"                 # address and chip

    [buttons]                        # between a GPIO and GND
    ok = 17

Several readers on one bus have a ``select_pin`` each, and one table each: ``[[spi."0.0"]]``.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from fakepi.clock import VirtualClock
from fakepi.field import RfField
from fakepi.i2c import I2cBus
from fakepi.kernel.pins import Header
from fakepi.mfrc522 import Mfrc522
from fakepi.mifare_classic import MifareClassic1K
from fakepi.ntag import Ntag
from fakepi.oled import OledChip
from fakepi.picc import Picc
from fakepi.reader_chip import ReaderChip
from fakepi.sh1106 import Sh1106Chip
from fakepi.spi import OVERHEAD_NS, SharedSpi, SpiChip, SpiDevice
from fakepi.ssd1306 import Ssd1306Chip

READERS: Mapping[str, Callable[[VirtualClock, RfField], ReaderChip]] = {"mfrc522": Mfrc522}
DISPLAYS: Mapping[str, Callable[[], OledChip]] = {"ssd1306": Ssd1306Chip, "sh1106": Sh1106Chip}
READER_KEYS = {"chip", "reset_pin", "select_pin", "tags"}
TAGS: Mapping[int, Callable[[bytes], Picc]] = {4: MifareClassic1K, 7: Ntag}  # by UID length

# The circuit without a wiring file: the usual RC522 and display of tutorials.
USUAL: Mapping[str, Any] = {
    "spi": {"0.0": {"chip": "mfrc522", "reset_pin": 25}},
    "i2c": {"1": {"0x3C": "ssd1306"}},
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
    the select pin GPIO22. ``displays`` has the display chips by bus and address, such as "1/0x3C".
    ``i2c`` has the I2C buses and ``spi`` the chip selects that exist. ``buttons`` has the GPIO of
    each button. A tag with a 7-byte UID is an NTAG213, one with 4 bytes a MIFARE Classic 1K.

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
        self._tags: dict[tuple[str, bytes], Picc] = {}
        if unknown := set(wiring) - {"spi", "i2c", "buttons"}:
            raise WiringError(f"[{min(unknown)}] is unknown. Write [spi], [i2c] or [buttons].")
        for spi, readers in _table(wiring, "spi").items():
            self._add_readers(spi, readers if isinstance(readers, list) else [readers])
        for number, chips in _table(wiring, "i2c").items():
            self._add_i2c(number, chips)
        self.buttons = {
            name: self._checked_pin("[buttons]", name, pin)
            for name, pin in _table(wiring, "buttons").items()
        }

    def _add_readers(self, spi: str, readers: list[Any]) -> None:
        where = f'[spi."{spi}"]'
        if not re.fullmatch(r"\d\.\d", spi):
            raise WiringError(f'{where} is no chip select. Write bus and device: [spi."0.0"].')
        if len(readers) > 1 and not all("select_pin" in each for each in readers):
            raise WiringError(f"{where} has several readers. Give each of them its select_pin.")
        for reader in readers:
            self._add_reader(spi, where, reader)

    def _add_reader(self, spi: str, where: str, reader: Any) -> None:
        if not isinstance(reader, dict) or reader.get("chip") not in READERS:
            raise WiringError(f"{where} needs a chip. Write one of: {', '.join(READERS)}.")
        if unknown := set(reader) - READER_KEYS:
            known = ", ".join(sorted(READER_KEYS))
            raise WiringError(f"{where}: {min(unknown)} is unknown. Write one of: {known}.")
        field = RfField(self.clock)
        chip = READERS[reader["chip"]](self.clock, field)
        name = spi
        if "select_pin" in reader:
            number = self._checked_pin(where, "select_pin", reader["select_pin"])
            shared = self.spi.setdefault(spi, SharedSpi())
            assert isinstance(shared, SharedSpi)
            wire = shared.attach(chip)
            pin = self.pins.pin(number)
            pin.wires.append(wire.drive)
            wire.drive(pin.state)
            name = f"{spi}/{number}"
        else:
            self.spi[spi] = chip
        if "reset_pin" in reader:
            number = self._checked_pin(where, "reset_pin", reader["reset_pin"])
            self.pins.pin(number).wires.append(lambda level: chip.reset_pin(bool(level)))
        self.fields[name] = field
        for uid in reader.get("tags", ()):
            self.lay(uid, name)

    def _add_i2c(self, number: str, chips: Any) -> None:
        where = f"[i2c.{number}]"
        if not number.isdecimal() or not isinstance(chips, dict):
            raise WiringError(f"{where} is no I2C bus. Write its number and a table: [i2c.1].")
        bus = self.i2c[int(number)] = I2cBus(self.clock)
        for address, name in chips.items():
            if name not in DISPLAYS:
                wanted = f"Write one of: {', '.join(DISPLAYS)}."
                raise WiringError(f'{where}: {address} = "{name}" is no known chip. {wanted}')
            chip = DISPLAYS[name]()
            try:
                chip.address = int(address, 16)
                bus.attach(chip)
            except ValueError as wrong:
                raise WiringError(f"{where}: {wrong}. Write an address such as 0x3C.") from wrong
            self.displays[f"{number}/0x{chip.address:02X}"] = chip

    def _checked_pin(self, where: str, key: str, number: object) -> int:
        if not isinstance(number, int) or not 0 <= number < Header.LINES:
            wanted = f"Write a GPIO number from 0 to {Header.LINES - 1}."
            raise WiringError(f"{where}: {key} = {number!r} is no pin. {wanted}")
        return number

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

    def press(self, button: str, is_down: bool) -> None:
        """Press *button*, or release it.

        Raises:
            WiringError: there is no such button.
        """
        if button not in self.buttons:
            known = ", ".join(self.buttons) or "none: add one to the wiring file"
            raise WiringError(f'There is no button "{button}". The buttons are: {known}.')
        self.pins.pin(self.buttons[button]).ground(is_down)


def _table(wiring: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = wiring.get(name, {})
    if not isinstance(table, dict):
        raise WiringError(f"{name} is no table. Write [{name}].")
    return table
