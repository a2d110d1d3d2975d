"""The emulated computer with the parts of a table around it, all on one virtual clock.

It implements ``hardware.ports.Board``, so the production drivers run on it.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from gpiozero import PinError
from gpiozero.pins.mock import MockFactory, MockPWMPin

from fakepi.clock import VirtualClock
from fakepi.i2c import I2cBus
from fakepi.mfrc522 import CollPos
from fakepi.spi import SpiDevice
from firmware.config.table_config import TableConfig
from firmware.journal.journal import utc_now
from hardware.errors import MissingPart
from hardware.ports import Speech, Voice
from sim.mat.disk import Disk
from sim.mat.parts import EXACT, I2C_HZ, Conditions, EmulatedParts
from sim.mat.voice import BreakableVoice, EmulatedVoice


class WiredPin(MockPWMPin):  # type: ignore[misc]  # gpiozero has no type hints
    """A mock pin that is wired to emulated chips.

    It calls each of its ``wires`` with every new level. It counts its changes in
    ``WiredPins.changes``. While another program holds it (``is_held``), it cannot be claimed, as
    with lgpio. While ``is_grounded``, it stays low.
    """

    def __init__(self, factory: Any, info: Any) -> None:
        self.wires: list[Callable[[float], None]] = []
        self.is_held = False
        self.is_grounded = False  # by a closed contact, which overrides the pull-up
        super().__init__(factory, info)

    def ground(self, is_grounded: bool) -> None:
        """Close a contact between the pin and GND, or open it."""
        self.is_grounded = is_grounded
        (self.drive_low if is_grounded else self.drive_high)()

    def close(self) -> None:
        """Release the pin, if it was claimed."""
        if not self.is_held:
            super().close()

    def _set_function(self, value: str) -> None:
        if self.is_held:
            raise PinError("'GPIO busy'")
        super()._set_function(value)

    def _change_state(self, value: float) -> bool:
        has_changed = bool(super()._change_state(False if self.is_grounded else value))
        self.states.clear()  # gpiozero records every change, which would fill the memory in days
        if has_changed:
            self.factory.changes += 1
            for wire in self.wires:
                wire(value)
        return has_changed

    def _set_frequency(self, value: float | None) -> None:
        super()._set_frequency(value)
        self.factory.changes += 1


class WiredPins(MockFactory):  # type: ignore[misc]
    """The pins of a computer. *changes* counts every new level and frequency."""

    def __init__(self, changes: int) -> None:
        self.changes = changes
        super().__init__(pin_class=WiredPin)


class EmulatedBoard(EmulatedParts):
    """A Raspberry Pi with the parts of *config* around it.

    Args:
        config: the table's configuration.
        voice: the voice; by default a silent one that takes as long as a real one
            (``sim.mat.voice``).
        i2c_hz: the clock rate of the I2C bus.
        collpos: how MFRC522 chips count the bits of a collision (``fakepi.mfrc522``).
        conditions: how tags and the computer's timing behave.

    Raises:
        MissingPart: no emulation of a reader's chip or of the LED strip is installed.
    """

    def __init__(
        self,
        config: TableConfig,
        voice: Voice | None = None,
        *,
        i2c_hz: int = I2C_HZ,
        collpos: CollPos = "frame",
        conditions: Conditions = EXACT,
    ) -> None:
        clock = VirtualClock(conditions.host)
        super().__init__(config, clock, i2c_hz=i2c_hz, collpos=collpos, physics=conditions.physics)
        self.jump = timedelta()  # the error of the time of day
        self.disk = Disk(self.clock)
        self.sound = BreakableVoice(voice or EmulatedVoice(self.clock))
        self.pins: Any = None
        self._start_pins()

    # --- hardware.ports.Board ---

    def spi(self, bus: int, device: int, clock_hz: int) -> SpiDevice:
        """Open an SPI device; raise MissingPart if no chip is wired to it."""
        opened = self.chip_select(f"{bus}.{device}", clock_hz)
        if opened is None:
            found, remedy = "no emulated chip is on this chip select", "Add one to table.toml"
            raise MissingPart(f"SPI {bus}.{device}", found, remedy)
        return opened

    def i2c(self, bus: int) -> I2cBus:
        """Return the board's only I2C bus."""
        return self.i2c_bus

    def voice(self, speech: Speech) -> Voice:
        """Return the voice that the board was made with."""
        return self.sound

    def time_of_day(self) -> datetime:
        """Return the computer's time of day, plus ``jump``, an error that tests can set."""
        return utc_now() + self.jump

    def close(self) -> None:
        """Release the pins."""
        self.pins.reset()

    @property
    def pin_changes(self) -> int:
        """The number of changes of all pins since the board was made."""
        return 0 if self.pins is None else int(self.pins.changes)

    # --- the plug ---

    def power_cut(self) -> None:
        """Cut the power: every chip loses its state. Tags stay in their fields."""
        for pin in self.pins.pins.values():
            pin.wires.clear()  # pins of a program that has ended change once more when collected
        self.cut_supply()
        self.disk.unmount()

    def power_on(self) -> None:
        """Start every chip with its reset values, and every pin as an input."""
        self.restore_supply()
        self._start_pins()

    def _start_pins(self) -> None:
        self.pins = WiredPins(self.pin_changes)
        self.solder(self.pins)
