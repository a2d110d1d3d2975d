"""The wiring: which driver serves which part of table.toml. The one module that names a driver.

Room: firmware.
May import: hardware, hardware.drivers, firmware.config.
"""

from contextlib import ExitStack
from typing import Protocol, TypeVar

from firmware.config import ControlsConfig, DisplayConfig, ReaderConfig, TableConfig
from firmware.loop import Parts
from hardware.drivers import espeak
from hardware.drivers.gpio import GpioBuzzer, GpioControls, GpioLamps, GpioReset
from hardware.drivers.mfrc522_reader import Mfrc522Reader
from hardware.drivers.oled import Oled
from hardware.drivers.pi import open_board
from hardware.ports import Board, Voice
from hardware.silence import SilentVoice


class _Closeable(Protocol):
    def close(self) -> None: ...


P = TypeVar("P", bound=_Closeable)

SPI_HZ = 1_000_000  # what long wires under a mat bear; the chip itself takes ten times that


def open_computer() -> Board:
    """This computer's own buses, pins and sound."""
    return open_board()


def open_computer_voice() -> Voice:
    """The way this computer speaks; a silent one when it cannot."""
    return espeak.open_voice()


def open_voice(config: TableConfig, board: Board) -> Voice:
    """The way *board* speaks, unless the table is to be silent."""
    return SilentVoice() if config.voice == "silent" else board.voice()


def open_parts(config: TableConfig, board: Board) -> Parts:
    """Open every part of *config* on *board*, or none.

    Raises:
        MissingPart: the board lacks a bus or pin that *config* names.
    """
    with ExitStack() as opened:

        def kept(part: P) -> P:
            opened.callback(part.close)
            return part

        return Parts(
            readers={reader.spot: kept(_reader(reader, board)) for reader in config.readers},
            lamps=kept(GpioLamps(config.lamps, board.pins if config.lamps else None)),
            controls=kept(_controls(config.controls, board)),
            buzzer=None
            if config.buzzer_pin is None
            else kept(GpioBuzzer(config.buzzer_pin, board.pins)),
            display=None if config.display is None else kept(_display(config.display, board)),
            close=opened.pop_all().close,
        )


def _reader(config: ReaderConfig, board: Board) -> Mfrc522Reader:
    reset = None if config.reset_pin is None else GpioReset(config.reset_pin, board.pins)
    try:
        spi = board.spi(config.bus, config.device, SPI_HZ)
    except BaseException:
        if reset is not None:
            reset.close()
        raise
    return Mfrc522Reader(spi, board.clock, reset)


def _controls(config: ControlsConfig | None, board: Board) -> GpioControls:
    if config is None:
        return GpioControls(board.clock)
    return GpioControls(
        board.clock, encoder=config.encoder, pin_factory=board.pins, **config.buttons
    )


def _display(config: DisplayConfig, board: Board) -> Oled:
    return Oled(board.i2c(config.i2c), config.size, config.address, config.rotate)
