"""The wiring: which driver serves which part of table.toml. The one module that names a driver.

Room: firmware.
May import: hardware, hardware.drivers, firmware.config.
"""

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol, TypeVar

import platformdirs

from firmware.config import ControlsConfig, DisplayConfig, TableConfig
from firmware.loop import Parts
from hardware.drivers.gpio import GpioBuzzer, GpioControls, GpioLamps, GpioReset, GpioSelect
from hardware.drivers.mfrc522_reader import Mfrc522Reader
from hardware.drivers.oled import Oled
from hardware.drivers.pi import open_board
from hardware.drivers.selected_spi import SelectedSpi
from hardware.drivers.speaker import open_speaker
from hardware.ports import Board, Speech, SpiBus, TagReader, Voice
from hardware.silence import SilentVoice


class _Closeable(Protocol):
    def close(self) -> None: ...


P = TypeVar("P", bound=_Closeable)

SILENT = "silent"  # the engine of a table that is not to speak

SPI_HZ = 1_000_000  # what long wires under a mat bear; the chip itself takes ten times that


def open_computer() -> Board:
    """This computer's own buses, pins and sound."""
    return open_board()


def open_computer_voice(config: TableConfig) -> Voice:
    """The way this computer itself speaks, unless the table is to be silent."""
    return SilentVoice() if config.voice == SILENT else open_speaker(speech_of(config))


def open_voice(config: TableConfig, board: Board) -> Voice:
    """The way *board* speaks, unless the table is to be silent."""
    return SilentVoice() if config.voice == SILENT else board.voice(speech_of(config))


def speech_of(config: TableConfig) -> Speech:
    """How the table of *config* is to speak."""
    wanted = config.speech
    return Speech(config.voice, wanted.models, wanted.clips, wanted.device, speech_cache())


def speech_cache() -> Path:
    """The folder that sounds are kept in: systemd's for this service, else this user's own."""
    folder = os.environ.get("CACHE_DIRECTORY", "").partition(":")[0]
    return Path(folder or platformdirs.user_cache_path("tapmat")) / "speech"


def open_parts(config: TableConfig, board: Board) -> Parts:
    """Open every part of *config* on *board*, or none.

    Raises:
        MissingPart: the board lacks a bus or pin that *config* names.
    """
    with ExitStack() as opened:
        return Parts(
            readers=_readers(config, board, opened),
            lamps=_kept(opened, GpioLamps(config.lamps, board.pins if config.lamps else None)),
            controls=_kept(opened, _controls(config, board)),
            buzzer=None
            if config.buzzer_pin is None
            else _kept(opened, GpioBuzzer(config.buzzer_pin, board.pins)),
            display=None
            if config.display is None
            else _kept(opened, open_display(config.display, board)),
            close=opened.pop_all().close,
        )


def _kept(opened: ExitStack, part: P) -> P:
    """Remember to close *part*."""
    opened.callback(part.close)
    return part


def _readers(config: TableConfig, board: Board, opened: ExitStack) -> dict[str, TagReader]:
    """Every reader; none has sent anything when the last one's chip select is high."""
    guard_s = config.fields.guard_s if config.fields.in_turn else None
    resets: dict[int, GpioReset] = {}
    readers: dict[str, TagReader] = {}
    for reader in config.readers:
        pin = reader.reset_pin
        if pin is not None and pin not in resets:
            resets[pin] = _kept(opened, GpioReset(pin, board.pins))
        spi: SpiBus = _kept(opened, board.spi(reader.bus, reader.device, SPI_HZ))
        if reader.select_pin is not None:
            spi = SelectedSpi(spi, _kept(opened, GpioSelect(reader.select_pin, board.pins)))
        reset = None if pin is None else resets[pin]
        made = Mfrc522Reader(spi, board.clock, reset, guard_s=guard_s)
        readers[reader.spot] = _kept(opened, made)
    return readers


def _controls(config: TableConfig, board: Board) -> GpioControls:
    """The controls and the tilt switch; a table without either needs no pins."""
    if config.controls is None and config.tilt_pin is None:
        return GpioControls(board.clock)
    controls = config.controls or ControlsConfig(None, {})
    return GpioControls(
        board.clock,
        encoder=controls.encoder,
        tilt=config.tilt_pin,
        pin_factory=board.pins,
        **controls.buttons,
    )


def open_display(config: DisplayConfig, board: Board) -> Oled:
    """Open the display; nothing is sent to it yet.

    Raises:
        MissingPart: the board lacks its bus.
    """
    bus, clock = board.i2c(config.i2c), board.clock
    return Oled(bus, clock, config.size, config.address, config.rotate, config.chip)
