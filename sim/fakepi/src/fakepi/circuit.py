"""Chips, tags and buttons around the buses and pins of a computer other than `FakePi`.

`FakePi` serves Python programs in its own process. A circuit serves programs in other processes:
their computer is behind device nodes (``fakepi.kernel``) or a socket (``fakepi.bridge``). May
import: the standard library and fakepi.
"""

from collections.abc import Callable, Mapping
from functools import partial
from random import Random

from fakepi.board import TracedField, TracedI2c, TracedSpi, spi_decoder
from fakepi.clock import VirtualClock
from fakepi.kernel.pins import Header
from fakepi.mifare_classic import MifareClassic1K
from fakepi.ntag import Ntag
from fakepi.physics import HonestPhysics, Physics
from fakepi.picc import Picc
from fakepi.spi import OVERHEAD_NS, SpiDevice
from fakepi.trace import BusTrace
from fakepi.wired_chips import WiredChips
from fakepi.wiring import Wiring

TAGS: Mapping[int, Callable[[bytes], Picc]] = {4: MifareClassic1K, 7: Ntag}  # by UID length
IRQ_STEP_NS = 1_000_000  # how late an interrupt may reach the pin


class CannotDoThat(ValueError):
    """A person's action that the circuit does not allow. The message says why."""


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
    """The parts of *wiring*, on *clock*, with the *seed* and *physics* of a `FakePi`.

    ``trace`` has the traffic on the buses and on the air.
    ``fields`` has the RF field of each reader, by its chip select, such as "0.0", or "0.0/22" with
    the select pin GPIO22. ``displays`` has the display chips by bus and address, such as "1.0x3C".
    ``i2c`` has the I2C buses and ``spi`` the chips by chip select, ``strips`` the LED strips. The
    ``buttons`` and ``encoders`` are by GPIO number. A tag with a 7-byte UID is an NTAG213, one
    with 4 bytes a MIFARE Classic 1K.
    """

    def __init__(
        self, wiring: Wiring, clock: VirtualClock, *, seed: int = 0, physics: Physics | None = None
    ) -> None:
        self.clock = clock
        self.pins = Header()
        self.trace = BusTrace(clock)
        self.fields: dict[str, TracedField] = {}
        self._physics = physics or HonestPhysics(seed)
        chips = WiredChips(
            wiring,
            clock,
            Random(seed),
            pin=self.pins.pin,
            make_field=self._make_field,
            make_bus=lambda number: TracedI2c(clock, self.trace, number),
        )
        self._decoders = {spi: spi_decoder(spi, chips) for spi in chips.spi}
        self.displays, self.strips = chips.displays, chips.strips
        self.spi, self.i2c = chips.spi, chips.i2c
        self.buttons, self.encoders = chips.buttons, chips.encoders
        self._tags: dict[tuple[str, bytes], Picc] = {}
        self._interrupts = [self.pins.pin(number) for number in chips.interrupts]

    def update_interrupts(self) -> None:
        """Set the pins to the present levels of the IRQ outputs of the chips."""
        for pin in self._interrupts:
            pin.refresh()

    def follow_interrupts(self) -> None:
        """Update the pins now and after each millisecond of the clock from now on.

        If the clock follows the computer's clock, a person's action then reaches the pins within a
        millisecond.
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
        return TracedSpi(
            self.spi[spi],
            self.clock,
            partial(self.trace.begin, f"spi {spi}", self._decoders[spi]),
            self.trace.end,
            clock_hz=clock_hz,
            overhead_ns=overhead_ns,
            **gapless,
        )

    def _make_field(self, name: str) -> TracedField:
        self.fields[name] = TracedField(self.clock, self.trace, name, self._physics)
        return self.fields[name]

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
        self.fields[name].lay(tag)

    def lift(self, uid: str, reader: str) -> None:
        """Lift the tag with *uid* from *reader*.

        Raises:
            CannotDoThat: it is not there.
        """
        tag = self._tags.pop((reader, parse_uid(uid)), None)
        if tag is None:
            raise CannotDoThat(f"The tag {uid} is not on reader {reader}. Lay it first.")
        self.fields[reader].lift(tag)

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
