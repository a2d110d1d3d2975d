"""The emulated parts of a table: chips, fields, display and buttons, wired as ``table.toml`` says.

These parts do not depend on a computer: ``sim.mat.board`` and ``sim.nodes`` wire them to the pins
and buses of one. Emulated people lay tags into the fields and press the buttons.
"""

import dataclasses
import random
from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Any, Self

from fakepi.clock import VirtualClock
from fakepi.field import RfField
from fakepi.host import PI_ZERO_2, HostProfile, LinuxHost
from fakepi.i2c import I2cBus
from fakepi.mfrc522 import CollPos, Mfrc522
from fakepi.oled import GLASS_128X32, GLASS_128X64, OledChip
from fakepi.physics import ExactPhysics, HonestPhysics, Physics
from fakepi.reader_chip import ReaderChip
from fakepi.sh1106 import Sh1106Chip
from fakepi.spi import SelectWire, SharedSpi, SpiDevice
from fakepi.ssd1306 import Ssd1306Chip
from fakepi.strip_chip import StripChip
from fakepi.wires import SpiWires, WiredSpi
from firmware.config.table_config import ReaderConfig, TableConfig
from hardware.chip_names import BUILT_IN
from hardware.errors import MissingPart
from sim.mat.contacts import Contact

CHIPS: Mapping[str, type[OledChip]] = {"ssd1306": Ssd1306Chip, "sh1106": Sh1106Chip}
GLASSES = {(glass.width, glass.height): glass for glass in (GLASS_128X64, GLASS_128X32)}
# The groups of entry points of other reader chips than the MFRC522, and of LED strips.
READERS, LAMPS = "tapmat.emulated-readers", "tapmat.emulated-lamps"
I2C_HZ = 400_000  # the rate that the guide recommends; the kernel's default is 100 kHz


@dataclasses.dataclass
class EmulatedReader:
    """One card reader: its chip, field, wires and state.

    *select* is the wire from a GPIO pin to the chip select; it is None if the SPI bus has a chip
    select for this reader. Readers with select pins share *wires*. *stuck_at* is the byte that MISO
    reads while its wire is broken; None if the wire is whole.
    """

    chip: ReaderChip
    field: RfField
    config: ReaderConfig
    wires: SpiWires
    select: SelectWire | None = None
    stuck_at: int | None = None
    devices: list[SpiDevice] = dataclasses.field(default_factory=list)  # opened on its chip select
    is_plugged: bool = True
    has_supply: bool = True

    @property
    def reset_pin(self) -> int | None:
        """The GPIO number of its reset pin, or None."""
        return self.config.reset_pin

    def plug(self, is_plugged: bool) -> None:
        """Connect the reader to all its wires, power included, or disconnect it."""
        self.is_plugged = is_plugged
        self.chip.power(self.has_supply and self.is_plugged)

    def supply(self, has_supply: bool) -> None:
        """Switch the reader's power on or off."""
        self.has_supply = has_supply
        self.chip.power(self.has_supply and self.is_plugged)

    def cut(self, stuck_at: int | None) -> None:
        """Break the MISO wire, so that it reads *stuck_at*, or repair it (None)."""
        self.stuck_at = stuck_at
        if self.select is not None:
            self.select.stuck_at = stuck_at
        for device in self.devices:
            device.stuck_at = stuck_at


@dataclasses.dataclass(frozen=True)
class Conditions:
    """The conditions around a table: the *physics* of its fields, and the jitter of its computer.

    By default everything is exact: every tag wakes after 1 ms, all tags answer with equal signal
    strength, and sleeps end on time. Recorded rehearsals, the bench and tests of exact times need
    that, because they must repeat to the nanosecond. `honest()` returns realistic tags and a
    realistic computer.
    """

    physics: Physics = dataclasses.field(default_factory=ExactPhysics)
    host: LinuxHost | None = None

    @classmethod
    def honest(cls, seed: int | str = 1, profile: HostProfile = PI_ZERO_2) -> Self:
        """Return tags that differ, and a computer with the jitter of *profile*.

        Both are drawn from *seed*.
        """
        return cls(HonestPhysics(seed), LinuxHost(profile, seed))


EXACT = Conditions()


class EmulatedParts:
    """The parts of *config*, on the pins and buses of a computer.

    Args:
        config: the table's configuration.
        clock: the clock of the chips.
        i2c_hz: the clock rate of the I2C bus.
        collpos: how MFRC522 chips count the bits of a collision (``fakepi.mfrc522``).
        physics: how tags behave in the readers' fields; see `Conditions`.

    Raises:
        MissingPart: no emulation of a reader's chip or of the LED strip is installed.
    """

    def __init__(
        self,
        config: TableConfig,
        clock: VirtualClock,
        *,
        i2c_hz: int = I2C_HZ,
        collpos: CollPos = "frame",
        physics: Physics = EXACT.physics,
    ) -> None:
        self.clock = clock
        self._physics = physics
        self.chance = random.Random(1)  # decides which answers of a flickering tag are lost
        self._wires = {reader.spi: SpiWires(self.chance) for reader in config.readers}
        self.readers = {reader.spot: self._emulate(reader, collpos) for reader in config.readers}
        self._shared: dict[str, SharedSpi] = {}
        for reader in self.readers.values():
            if reader.config.select_pin is not None:
                shared = self._shared.setdefault(reader.config.spi, SharedSpi(clock))
                reader.select = shared.attach(reader.chip)
        self.i2c_hz = i2c_hz
        self.i2c_bus = I2cBus(self.clock, i2c_hz)
        self.display: OledChip | None = None
        if config.display is not None:
            glass = GLASSES[config.display.size]
            self.display = CHIPS[config.display.chip](glass, config.display.address)
            self.i2c_bus.attach(self.display)
        self.strip: StripChip | None = None
        if config.strip is not None:
            self._strip_spi = config.strip.spi
            self.strip = _emulate(LAMPS, config.strip.chip, "lamps")
        buttons = {} if config.controls is None else config.controls.buttons
        self.buttons = {name: Contact(self.clock, pin) for name, pin in buttons.items()}

    def _emulate(self, config: ReaderConfig, collpos: CollPos) -> EmulatedReader:
        field = RfField(self.clock, self._physics)
        if config.chip == BUILT_IN:
            chip: ReaderChip = Mfrc522(self.clock, field, collpos=collpos)
        else:
            chip = _emulate(READERS, config.chip, f"reader {config.spot}", self.clock, field)
        return EmulatedReader(chip, field, config, self._wires[config.spi])

    def chip_select(self, spi: str, clock_hz: int) -> SpiDevice | None:
        """Open the chip select *spi*, such as "0.1"; return None if no chip is wired to it."""
        if spi in self._shared:
            return WiredSpi(self._shared[spi], self._wires[spi], self.clock, clock_hz)
        for reader in self.readers.values():
            if reader.config.spi == spi:
                opened = WiredSpi(reader.chip, reader.wires, self.clock, clock_hz)
                opened.stuck_at = reader.stuck_at
                reader.devices.append(opened)
                return opened
        if self.strip is not None and spi == self._strip_spi:
            return SpiDevice(self.strip, self.clock, clock_hz)
        return None

    def lamp(self, number: int, pins: Any) -> float:
        """Return the brightness of a lamp.

        The range is 0 to 1. *number* is its GPIO number on *pins*, or its place on the strip.
        """
        if self.strip is not None:
            return max(self.strip.colour(number)) / 255
        return float(pins.pin(number).state)

    def lamp_colour(self, number: int) -> tuple[int, int, int] | None:
        """Return red, green and blue at the place *number* of the strip; None without a strip."""
        return None if self.strip is None else self.strip.colour(number)

    def cut_supply(self) -> None:
        """Cut the power of every chip: it loses its state. Tags stay in their fields."""
        for reader in self.readers.values():
            reader.supply(False)
            reader.devices.clear()
        if self.display is not None:
            self.display.power_cycle()

    def restore_supply(self) -> None:
        """Start every chip with its reset values."""
        for reader in self.readers.values():
            reader.supply(True)

    def solder(self, pins: Any) -> None:
        """Connect buttons and readers to *pins*, a gpiozero pin factory or a similar object."""
        for contact in self.buttons.values():
            contact.solder(pins.pin(contact.number))
        for reader in self.readers.values():
            if reader.reset_pin is not None:
                pins.pin(reader.reset_pin).wires.append(reader.chip.reset_pin)
            if reader.select is not None:
                pin = pins.pin(reader.config.select_pin)
                pin.wires.append(reader.select.drive)
                reader.select.drive(pin.state)


def _emulate(group: str, chip: str, part: str, *arguments: object) -> Any:
    """Return the emulated *chip* of *part*, made with *arguments* by the entry point in *group*.

    Raises:
        MissingPart: no emulation of that chip is installed, or it cannot be made.
    """
    for offer in entry_points(group=group, name=chip):
        try:
            return offer.load()(*arguments)
        except Exception as wrong:  # third-party code may raise anything
            found = f"the emulation {offer.value} cannot be made ({wrong!r})"
            names = ", ".join(type(argument).__name__ for argument in arguments) or "none"
            remedy = f"Correct it; the arguments of its constructor are: {names}"
            raise MissingPart(part, found, remedy) from wrong
    found = f'no emulation of the chip "{chip}" is installed'
    remedy = f"Install one (entry points {group}), or change chip in table.toml"
    raise MissingPart(part, found, remedy)
