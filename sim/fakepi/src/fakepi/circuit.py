"""Chips, tags and buttons around the buses and pins of one computer that is not `FakePi`.

`FakePi` serves Python programs in its own process. A circuit serves programs outside it: their
computer is behind device nodes (``fakepi.kernel``) or a socket (``fakepi.bridge``).
May import: the standard library and fakepi.
"""

from collections.abc import Callable, Mapping
from functools import partial
from random import Random

from fakepi.clock import VirtualClock
from fakepi.contacts import BouncyContact, BouncyEncoder
from fakepi.field import RfField
from fakepi.i2c import I2cBus
from fakepi.kernel.pins import Header, LinePin
from fakepi.mfrc522 import Mfrc522
from fakepi.mifare_classic import MifareClassic1K
from fakepi.ntag import Ntag
from fakepi.oled import OledChip
from fakepi.picc import Picc
from fakepi.pn532 import Pn532, Pn532I2c, Pn532Spi
from fakepi.spi import OVERHEAD_NS, SharedSpi, SpiChip, SpiDevice
from fakepi.wired_chips import display_of, mfrc522_of, strip_of
from fakepi.wiring import Wired, Wiring
from fakepi.ws2812 import Ws2812Spi, Ws2812Strip

TAGS: Mapping[int, Callable[[bytes], Picc]] = {4: MifareClassic1K, 7: Ntag}  # by UID length
IRQ_STEP_NS = 1_000_000  # how late an interrupt may reach the pin


class CannotDoThat(ValueError):
    """An act of a person that the circuit does not allow; the message says why."""


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
    ``i2c`` has the I2C buses and ``spi`` the chips by chip select, ``strips`` the LED strips. The
    ``buttons`` and ``encoders`` are by GPIO number. A tag with a 7-byte UID is an NTAG213, one
    with 4 bytes a MIFARE Classic 1K.
    """

    def __init__(self, wiring: Wiring, clock: VirtualClock) -> None:
        self.clock = clock
        self.pins = Header()
        self.fields: dict[str, RfField] = {}
        self.displays: dict[str, OledChip] = {}
        self.i2c: dict[int, I2cBus] = {}
        self.spi: dict[str, SpiChip] = {}
        self.strips: dict[str, Ws2812Strip] = {}
        self.buttons: dict[int, BouncyContact] = {}
        self.encoders: dict[int, BouncyEncoder] = {}
        self._chance = Random(0)
        self._tags: dict[tuple[str, bytes], Picc] = {}
        self._interrupts: list[tuple[Mfrc522 | Pn532, int]] = []
        for (bus, device), chips in wiring.spi.items():
            for chip in chips:
                self._add_spi(f"{bus}.{device}", chip)
        for (bus, address), part in wiring.i2c.items():
            self._add_i2c(bus, address, part)
        for number, part in wiring.pins.items():
            self._add_contacts(self.pins.pin(number), part)

    def _add_spi(self, spi: str, part: Wired) -> None:
        if part.chip == "ws2812":
            strip = self.strips[spi] = strip_of(part, self.clock)
            self.spi[spi] = Ws2812Spi(strip, self.clock)
        elif "select" in part.options:
            pin = self.pins.pin(part.options["select"])
            shared = self.spi.setdefault(spi, SharedSpi())
            assert isinstance(shared, SharedSpi)
            wire = shared.attach(self._add_reader(f"{spi}/{pin.number}", part))
            pin.wires.append(wire.drive)
            wire.drive(pin.state)
        else:
            self.spi[spi] = self._add_reader(spi, part)

    def _add_reader(self, name: str, part: Wired) -> SpiChip:
        """Add a reader with its field, and return its SPI port."""
        if part.chip == "pn532":
            return Pn532Spi(self._add_pn532(name, part))
        field = RfField(self.clock)
        chip = mfrc522_of(part, self.clock, field, self._chance)
        self._connect_reader(name, chip, field, part)
        return chip

    def _add_pn532(self, name: str, part: Wired) -> Pn532:
        field = RfField(self.clock)
        chip = Pn532(self.clock, field, chance=self._chance)
        self._connect_reader(name, chip, field, part)
        return chip

    def _connect_reader(
        self, name: str, chip: Mfrc522 | Pn532, field: RfField, part: Wired
    ) -> None:
        if "reset" in part.options:
            pin = self.pins.pin(part.options["reset"])
            pin.wires.append(lambda level: chip.reset_pin(bool(level)))
        if "irq" in part.options:
            self._interrupts.append((chip, part.options["irq"]))
        self.fields[name] = field

    def _add_i2c(self, number: int, address: int, part: Wired) -> None:
        bus = self.i2c.setdefault(number, I2cBus(self.clock))
        name = f"{number}.0x{address:02X}"
        if part.chip == "pn532":
            bus.attach(Pn532I2c(self._add_pn532(name, part)))
            return
        display = display_of(part, address)
        bus.attach(display)
        self.displays[name] = display

    def _add_contacts(self, pin: LinePin, part: Wired) -> None:
        chance = self._chance
        if part.chip == "encoder":
            a = partial(_close, pin, False)
            b = partial(_close, self.pins.pin(part.options["b"]), False)
            self.encoders[pin.number] = BouncyEncoder(self.clock, a, b, chance)
            return
        bounce = {} if part.options.get("bounces") else {"bounce_ns": 0}
        wire = partial(_close, pin, part.options.get("to") == "3V3")
        self.buttons[pin.number] = BouncyContact(self.clock, wire, chance, **bounce)

    def update_interrupts(self) -> None:
        """Give the pins the levels that the chips' IRQ outputs have now."""
        for chip, number in self._interrupts:
            pin = self.pins.pin(number)
            (pin.drive_high if chip.irq_pin else pin.drive_low)()

    def follow_interrupts(self) -> None:
        """Update the pins now and after each millisecond of the clock from now on.

        So a clock that follows the computer's also notices acts of people within a millisecond.
        """
        self.update_interrupts()
        self.clock.call_at(self.clock.now_ns + IRQ_STEP_NS, self.follow_interrupts)

    def open_spi(
        self, spi: str, clock_hz: int = 1_000_000, *, overhead_ns: int = OVERHEAD_NS
    ) -> SpiDevice:
        """Open the chip select *spi*, at the rate *clock_hz* in hertz; see `SpiDevice`.

        Raises:
            KeyError: nothing is wired to it.
        """
        gapless = {"clocks_per_byte": 8} if spi in self.strips else {}  # a strip needs DMA
        return SpiDevice(self.spi[spi], self.clock, clock_hz, overhead_ns, **gapless)

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
        button = self.buttons[number]
        (button.press if is_down else button.release)()

    def turn(self, number: int, detents: int) -> None:
        """Turn the encoder whose contact A is at GPIO *number*; clockwise if *detents* is above 0.

        Raises:
            CannotDoThat: there is no such encoder.
        """
        if number not in self.encoders:
            known = ", ".join(map(str, self.encoders)) or "none: add one to the wiring file"
            raise CannotDoThat(f"There is no encoder at GPIO {number}. The encoders are: {known}.")
        self.encoders[number].turn(detents)


def _close(pin: LinePin, closed: bool, level: float) -> None:
    """Drive *pin* to *closed* while a contact is closed, which is when *level* is 0."""
    if level:
        pin.release()
    elif closed:
        pin.drive_high()
    else:
        pin.drive_low()
