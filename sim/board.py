"""The emulated computer: chips where table.toml says they are, on one virtual clock.

Room: sim. It offers what hardware.ports.Board promises, so the wiring opens the production drivers
over it; from the other side, hands lay tags into its fields and press its pins.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPWMPin

from firmware.config import TableConfig
from hardware.errors import MissingPart
from hardware.ports import Voice
from hardware.silence import SilentVoice
from sim.chips.clock import VirtualClock
from sim.chips.field import Field
from sim.chips.i2c import I2cBus
from sim.chips.mfrc522 import Mfrc522
from sim.chips.spi import SpiDevice
from sim.chips.ssd1306 import GLASS_128X32, GLASS_128X64, Ssd1306Chip

GLASSES = {(glass.width, glass.height): glass for glass in (GLASS_128X64, GLASS_128X32)}
I2C_HZ = 400_000  # what the guide has people set; the kernel's own default is 100 kHz


class WiredPin(MockPWMPin):  # type: ignore[misc]  # gpiozero has no type hints
    """A mock pin with something soldered to it: *wire* hears every level."""

    wire: Callable[[float], None] | None = None

    def _change_state(self, value: float) -> bool:
        has_changed = bool(super()._change_state(value))
        self.states.clear()  # gpiozero keeps every change for its own tests; a table runs for days
        if has_changed and self.wire is not None:
            self.wire(value)
        return has_changed


@dataclasses.dataclass
class EmulatedReader:
    """One MFRC522 with its field; *stuck_at* is what MISO reads when its wire is broken."""

    chip: Mfrc522
    field: Field
    reset_pin: int | None
    stuck_at: int | None = None
    devices: list[SpiDevice] = dataclasses.field(default_factory=list)

    def cut(self, stuck_at: int | None) -> None:
        """Break the MISO wire, or mend it."""
        self.stuck_at = stuck_at
        for device in self.devices:
            device.stuck_at = stuck_at


class EmulatedBoard:
    """A Raspberry Pi with the parts of *config* around it.

    Without a *voice* it speaks through the announcer's transcript alone.
    """

    def __init__(self, config: TableConfig, voice: Voice | None = None) -> None:
        self.clock = VirtualClock()
        self._voice = voice or SilentVoice()
        self._places: dict[tuple[int, int], EmulatedReader] = {}
        self.readers: dict[str, EmulatedReader] = {}
        for reader in config.readers:
            over = Field(self.clock)
            emulated = EmulatedReader(Mfrc522(self.clock, over), over, reader.reset_pin)
            self.readers[reader.spot] = self._places[reader.bus, reader.device] = emulated
        self.i2c_bus = I2cBus(self.clock, I2C_HZ)
        self.display: Ssd1306Chip | None = None
        if config.display is not None:
            glass = GLASSES[config.display.size]
            self.display = Ssd1306Chip(glass, address=config.display.address)
            self.i2c_bus.attach(self.display)
        self.pins: Any = None
        self._solder()

    # --- hardware.ports.Board ---

    def spi(self, bus: int, device: int, clock_hz: int) -> SpiDevice:
        """Open the chip select; a place with no chip soldered to it is not there."""
        emulated = self._places.get((bus, device))
        if emulated is None:
            raise MissingPart(
                f"SPI {bus}.{device}", "no chip is emulated there", "Name it in table.toml"
            )
        opened = SpiDevice(emulated.chip, self.clock, clock_hz)
        opened.stuck_at = emulated.stuck_at
        emulated.devices.append(opened)
        return opened

    def i2c(self, bus: int) -> I2cBus:
        """The one I2C bus."""
        return self.i2c_bus

    def voice(self) -> Voice:
        """The voice the board was made with."""
        return self._voice

    def close(self) -> None:
        """Let go of the pins."""
        self.pins.reset()

    # --- the plug ---

    def power_cut(self) -> None:
        """Every chip loses what it knew; tags stay where they lie."""
        for pin in self.pins.pins.values():
            pin.wire = None  # the program that is gone lets go of its pins when it is collected
        for reader in self.readers.values():
            reader.chip.power(False)
            reader.devices.clear()
        if self.display is not None:
            self.display.power_cycle()

    def power_on(self) -> None:
        """Every chip starts with its reset values, every pin as an input."""
        for reader in self.readers.values():
            reader.chip.power(True)
        self._solder()

    def _solder(self) -> None:
        """Make the pins anew, and join the reset wires to their chips."""
        self.pins = MockFactory(pin_class=WiredPin)
        for reader in self.readers.values():
            if reader.reset_pin is not None:
                self.pins.pin(reader.reset_pin).wire = reader.chip.reset_pin
