"""The wiring of the display, which the first screen needs.

It is separate from ``firmware.runtime.wiring``, which names every other driver, because importing
all drivers would delay the first screen.
May import: hardware, hardware.drivers, firmware.config.display_config.
"""

from firmware.config.display_config import DisplayConfig
from hardware.drivers.oled import Oled
from hardware.drivers.pi import open_board
from hardware.ports import Board


def open_computer() -> Board:
    """Return this computer's buses, pins and sound output. Each is opened when it is first used."""
    return open_board()


def open_display(config: DisplayConfig, board: Board) -> Oled:
    """Return the display on its I2C bus of *board*; nothing is sent to it yet.

    Raises:
        MissingPart: *board* lacks that bus.
    """
    bus, clock = board.i2c(config.i2c), board.clock
    return Oled(bus, clock, config.size, config.address, config.rotate, config.chip)
