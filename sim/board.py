"""The emulated computer: chips where table.toml says they are, on one virtual clock.

Room: sim. It offers what hardware.ports.Board promises, so the wiring opens the production drivers
over it; from the other side, hands lay tags into its fields and press its pins.
"""

import dataclasses
import random
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from gettext import gettext as _
from typing import Any

from gpiozero import PinError
from gpiozero.pins.mock import MockFactory, MockPWMPin

from firmware.config import ReaderConfig, TableConfig
from firmware.journal import utc_now
from hardware.errors import MissingPart
from hardware.ports import Speech, Voice
from sim.chips.clock import VirtualClock
from sim.chips.field import Field
from sim.chips.i2c import I2cBus
from sim.chips.mfrc522 import CollPos, Mfrc522
from sim.chips.oled import GLASS_128X32, GLASS_128X64, OledChip
from sim.chips.sh1106 import Sh1106Chip
from sim.chips.spi import SelectWire, SharedSpi, SpiDevice
from sim.chips.ssd1306 import Ssd1306Chip
from sim.contacts import Contact
from sim.disk import Disk
from sim.voice import BreakableVoice, EmulatedVoice

CHIPS: Mapping[str, type[OledChip]] = {"ssd1306": Ssd1306Chip, "sh1106": Sh1106Chip}
GLASSES = {(glass.width, glass.height): glass for glass in (GLASS_128X64, GLASS_128X32)}
I2C_HZ = 400_000  # what the guide has people set; the kernel's own default is 100 kHz


class WiredPin(MockPWMPin):  # type: ignore[misc]  # gpiozero has no type hints
    """A mock pin that chips may be soldered to: each of its *wires* hears every level.

    One that is *held* by another program is refused, as lgpio does it. One that is *grounded* stays
    low.
    """

    def __init__(self, factory: Any, info: Any) -> None:
        self.wires: list[Callable[[float], None]] = []
        self.is_held = False
        self.is_grounded = False  # by a contact, stronger than what pulls it up
        super().__init__(factory, info)

    def close(self) -> None:
        """Let go of it, if it was had."""
        if not self.is_held:
            super().close()

    def _set_function(self, value: str) -> None:
        if self.is_held:
            raise PinError("'GPIO busy'")
        super()._set_function(value)

    def _change_state(self, value: float) -> bool:
        has_changed = bool(super()._change_state(False if self.is_grounded else value))
        self.states.clear()  # gpiozero keeps every change for its own tests; a table runs for days
        if has_changed:
            for wire in self.wires:
                wire(value)
        return has_changed


@dataclasses.dataclass
class EmulatedReader:
    """One MFRC522 with its field; *stuck_at* is what MISO reads when its wire is broken.

    Its chip select is the SPI bus's, or the wire *select* from its select pin.
    """

    chip: Mfrc522
    field: Field
    config: ReaderConfig
    select: SelectWire | None = None
    stuck_at: int | None = None
    devices: list[SpiDevice] = dataclasses.field(default_factory=list)  # opened for it alone
    is_plugged: bool = True
    has_supply: bool = True

    @property
    def reset_pin(self) -> int | None:
        """The pin its reset wire comes from."""
        return self.config.reset_pin

    def plug(self, is_plugged: bool) -> None:
        """Connect the reader to its wires, power among them, or pull it off."""
        self.is_plugged = is_plugged
        self.chip.power(self.has_supply and self.is_plugged)

    def supply(self, has_supply: bool) -> None:
        """Switch on the power that its wires bring, or cut it."""
        self.has_supply = has_supply
        self.chip.power(self.has_supply and self.is_plugged)

    def cut(self, stuck_at: int | None) -> None:
        """Break the MISO wire, or mend it."""
        self.stuck_at = stuck_at
        if self.select is not None:
            self.select.stuck_at = stuck_at
        for device in self.devices:
            device.stuck_at = stuck_at


class EmulatedBoard:
    """A Raspberry Pi with the parts of *config* around it.

    Args:
        config: the table.
        voice: without one it makes no sound, but takes the time of one that does (``sim.voice``).
        i2c_hz: the rate of the I2C bus.
        collpos: how the readers' chips count the bits of a collision (``sim.chips.mfrc522``).
    """

    def __init__(
        self,
        config: TableConfig,
        voice: Voice | None = None,
        *,
        i2c_hz: int = I2C_HZ,
        collpos: CollPos = "frame",
    ) -> None:
        self.clock = VirtualClock()
        self.chance = random.Random(1)  # which answers a flickering tag loses
        self.jump = timedelta()  # how far the time of day is off
        self.disk = Disk(self.clock)
        self.sound = BreakableVoice(voice or EmulatedVoice(self.clock))
        self.readers = {reader.spot: self._emulated(reader, collpos) for reader in config.readers}
        self._shared: dict[str, SharedSpi] = {}
        for reader in self.readers.values():
            if reader.config.select_pin is not None:
                shared = self._shared.setdefault(reader.config.spi, SharedSpi())
                reader.select = shared.attach(reader.chip)
        self.i2c_hz = i2c_hz
        self.i2c_bus = I2cBus(self.clock, i2c_hz)
        self.display: OledChip | None = None
        if config.display is not None:
            glass = GLASSES[config.display.size]
            self.display = CHIPS[config.display.chip](glass, config.display.address)
            self.i2c_bus.attach(self.display)
        buttons = {} if config.controls is None else config.controls.buttons
        self.buttons = {name: Contact(self.clock, pin) for name, pin in buttons.items()}
        self.pins: Any = None
        self._solder()

    def _emulated(self, config: ReaderConfig, collpos: CollPos) -> EmulatedReader:
        field = Field(self.clock)
        return EmulatedReader(Mfrc522(self.clock, field, collpos=collpos), field, config)

    # --- hardware.ports.Board ---

    def spi(self, bus: int, device: int, clock_hz: int) -> SpiDevice:
        """Open the chip select; a place with no chip soldered to it is not there."""
        spi = f"{bus}.{device}"
        if spi in self._shared:
            return SpiDevice(self._shared[spi], self.clock, clock_hz)
        for reader in self.readers.values():
            if reader.config.spi == spi:
                opened = SpiDevice(reader.chip, self.clock, clock_hz)
                opened.stuck_at = reader.stuck_at
                reader.devices.append(opened)
                return opened
        raise MissingPart(f"SPI {spi}", _("no chip is emulated there"), _("Name it in table.toml"))

    def i2c(self, bus: int) -> I2cBus:
        """The one I2C bus."""
        return self.i2c_bus

    def voice(self, speech: Speech) -> Voice:
        """The voice the board was made with."""
        return self.sound

    def time_of_day(self) -> datetime:
        """What the computer's clock says."""
        return utc_now() + self.jump

    def close(self) -> None:
        """Let go of the pins."""
        self.pins.reset()

    # --- the plug ---

    def power_cut(self) -> None:
        """Every chip loses what it knew; tags stay where they lie."""
        for pin in self.pins.pins.values():
            pin.wires.clear()  # the program that is gone lets go of its pins when it is collected
        for reader in self.readers.values():
            reader.supply(False)
            reader.devices.clear()
        if self.display is not None:
            self.display.power_cycle()
        self.disk.unmount()

    def power_on(self) -> None:
        """Every chip starts with its reset values, every pin as an input."""
        for reader in self.readers.values():
            reader.supply(True)
        self._solder()

    def _solder(self) -> None:
        """Make the pins anew, and join the readers' wires to them."""
        self.pins = MockFactory(pin_class=WiredPin)
        for contact in self.buttons.values():
            contact.solder(self.pins.pin(contact.number))
        for reader in self.readers.values():
            if reader.reset_pin is not None:
                self.pins.pin(reader.reset_pin).wires.append(reader.chip.reset_pin)
            if reader.select is not None:
                pin = self.pins.pin(reader.config.select_pin)
                pin.wires.append(reader.select.drive)
                reader.select.drive(pin.state)
