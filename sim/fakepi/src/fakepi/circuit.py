"""Chips, tags and buttons around the buses and pins of one computer that is not `FakePi`.

`FakePi` serves Python programs in its own process. A circuit serves programs outside it: their
computer is behind device nodes (``fakepi.kernel``) or a socket (``fakepi.bridge``).
May import: the standard library and fakepi.
"""

from collections.abc import Callable, Mapping

from fakepi.clock import VirtualClock
from fakepi.field import RfField
from fakepi.i2c import I2cBus
from fakepi.kernel.pins import Header
from fakepi.mfrc522 import Mfrc522
from fakepi.mifare_classic import MifareClassic1K
from fakepi.ntag import Ntag
from fakepi.oled import GLASS_128X32, GLASS_128X64, OledChip
from fakepi.picc import Picc
from fakepi.sh1106 import Sh1106Chip
from fakepi.spi import OVERHEAD_NS, SharedSpi, SpiChip, SpiDevice
from fakepi.ssd1306 import Ssd1306Chip
from fakepi.wiring import PIN_OPTIONS, Wired, Wiring

DISPLAYS: Mapping[str, type[OledChip]] = {"ssd1306": Ssd1306Chip, "sh1106": Sh1106Chip}
GLASSES = {"128x64": GLASS_128X64, "128x32": GLASS_128X32}
TAGS: Mapping[int, Callable[[bytes], Picc]] = {4: MifareClassic1K, 7: Ntag}  # by UID length
IRQ_STEP_NS = 1_000_000  # how late an interrupt may reach the pin


class CannotDoThat(ValueError):
    """What a person wants to do with a tag or a button is not possible; the message says why."""


def parse_uid(text: str) -> bytes:
    """Return the UID *text*, such as "04:11:22:33:44:55:66".

    Raises:
        CannotDoThat: it is not 4 or 7 bytes in hexadecimal.
    """
    try:
        uid = bytes.fromhex(text.replace(":", " "))
    except ValueError:
        uid = b""
    if len(uid) not in TAGS:
        wanted = "Write 4 or 7 bytes, such as 04:11:22:33:44:55:66."
        raise CannotDoThat(f'"{text}" is not the UID of a tag. {wanted}')
    return uid


class Circuit:
    """The parts of *wiring*, on *clock*.

    ``fields`` has the RF field of each reader, by its chip select, such as "0.0", or "0.0/22" with
    the select pin GPIO22. ``displays`` has the display chips by bus and address, such as "1.0x3C".
    ``i2c`` has the I2C buses and ``spi`` the chips by chip select. ``buttons`` has the level that
    each button connects to its GPIO: True for 3.3 V. A tag with a 7-byte UID is an NTAG213, one
    with 4 bytes a MIFARE Classic 1K.
    """

    def __init__(self, wiring: Wiring, clock: VirtualClock) -> None:
        self.clock = clock
        self.pins = Header()
        self.fields: dict[str, RfField] = {}
        self.displays: dict[str, OledChip] = {}
        self.i2c: dict[int, I2cBus] = {}
        self.spi: dict[str, SpiChip] = {}
        self.buttons = {n: part.options.get("to") == "3V3" for n, part in wiring.pins.items()}
        self._tags: dict[tuple[str, bytes], Picc] = {}
        self._interrupts: list[tuple[Mfrc522, int]] = []
        for (bus, device), readers in wiring.spi.items():
            for reader in readers:
                self._add_reader(f"{bus}.{device}", reader)
        for (bus, address), part in wiring.i2c.items():
            glass = GLASSES[part.options.get("size", "128x64")]
            display = DISPLAYS[part.chip](glass, address)
            self.i2c.setdefault(bus, I2cBus(clock)).attach(display)
            self.displays[f"{bus}.0x{address:02X}"] = display

    def _add_reader(self, spi: str, reader: Wired) -> None:
        field = RfField(self.clock)
        options = {key: value for key, value in reader.options.items() if key not in PIN_OPTIONS}
        chip = Mfrc522(self.clock, field, **options)
        name = spi
        if "select" in reader.options:
            shared = self.spi.setdefault(spi, SharedSpi())
            assert isinstance(shared, SharedSpi)
            wire = shared.attach(chip)
            pin = self.pins.pin(reader.options["select"])
            pin.wires.append(wire.drive)
            wire.drive(pin.state)
            name = f"{spi}/{pin.number}"
        else:
            self.spi[spi] = chip
        if "reset" in reader.options:
            pin = self.pins.pin(reader.options["reset"])
            pin.wires.append(lambda level: chip.reset_pin(bool(level)))
        if "irq" in reader.options:
            self._interrupts.append((chip, reader.options["irq"]))
        self.fields[name] = field

    def update_interrupts(self) -> None:
        """Give the pins the levels that the chips' IRQ outputs have now."""
        for chip, number in self._interrupts:
            pin = self.pins.pin(number)
            (pin.drive_high if chip.irq_pin else pin.drive_low)()

    def follow_interrupts(self) -> None:
        """Update the pins now and after each millisecond of the clock from now on."""
        self.update_interrupts()
        if self._interrupts:
            self.clock.call_at(self.clock.now_ns + IRQ_STEP_NS, self.follow_interrupts)

    def open_spi(
        self, spi: str, clock_hz: int = 1_000_000, *, overhead_ns: int = OVERHEAD_NS
    ) -> SpiDevice:
        """Open the chip select *spi*, at the rate *clock_hz* in hertz; see `SpiDevice`.

        Raises:
            KeyError: nothing is wired to it.
        """
        return SpiDevice(self.spi[spi], self.clock, clock_hz, overhead_ns)

    # What people do

    def tags(self, reader: str) -> list[str]:
        """Return the UIDs of the tags on *reader*, a name of ``fields``."""
        return [uid.hex(":").upper() for name, uid in self._tags if name == reader]

    def lay(self, uid: str, reader: str = "") -> None:
        """Lay a tag with *uid* on *reader*, a name of ``fields``; by default the first.

        Raises:
            CannotDoThat: the UID is wrong, the tag is there already, or there is no such reader.
        """
        name = reader or next(iter(self.fields), "")
        if name not in self.fields:
            known = ", ".join(self.fields) or "none: add one to the wiring file"
            raise CannotDoThat(f'There is no reader "{name}". The readers are: {known}.')
        key = name, parse_uid(uid)
        if key in self._tags:
            raise CannotDoThat(f"The tag {uid} is on reader {name} already. Lift it first.")
        tag = self._tags[key] = TAGS[len(key[1])](key[1])
        self.fields[name].enter(tag)

    def lift(self, uid: str, reader: str) -> None:
        """Lift the tag with *uid* from *reader*.

        Raises:
            CannotDoThat: it is not there.
        """
        tag = self._tags.pop((reader, parse_uid(uid)), None)
        if tag is None:
            raise CannotDoThat(f"The tag {uid} is not on reader {reader}. Lay it first.")
        self.fields[reader].leave(tag)

    def press(self, number: int, is_down: bool) -> None:
        """Press the button at GPIO *number*, or release it.

        Raises:
            CannotDoThat: there is no such button.
        """
        if number not in self.buttons:
            known = ", ".join(map(str, self.buttons)) or "none: add one to the wiring file"
            raise CannotDoThat(f"There is no button at GPIO {number}. The buttons are: {known}.")
        pin = self.pins.pin(number)
        if not is_down:
            pin.release()
        elif self.buttons[number]:
            pin.drive_high()
        else:
            pin.drive_low()
