"""The wiring: opens the driver for each part of ``table.toml``.

Only this module and ``firmware.runtime.display_wiring`` name drivers.
May import: hardware, hardware.drivers, firmware.config.
"""

import os
from contextlib import ExitStack, closing
from importlib.metadata import entry_points
from pathlib import Path
from typing import TypeVar

import platformdirs

from firmware.config.table_config import ControlsConfig, ReaderConfig, StripConfig, TableConfig
from firmware.runtime.display_wiring import open_display
from firmware.runtime.guarded_lamps import GuardedLamps
from firmware.runtime.loop import TableParts
from hardware.chip_names import BUILT_IN, LAMPS, READERS
from hardware.drivers.gpio import GpioBuzzer, GpioControls, GpioLamps, GpioReset, GpioSelect
from hardware.drivers.mfrc522_reader import DRIVER as MFRC522
from hardware.drivers.selected_spi import SelectedSpi
from hardware.drivers.speaker import open_speaker
from hardware.errors import MissingPart
from hardware.modules import LampDriver, ReaderDriver
from hardware.ports import Board, Lamps, ReaderWires, Speech, SpiBus, TagReader, Voice
from hardware.silence import SilentVoice

Driver = TypeVar("Driver", ReaderDriver, LampDriver)

SILENT = "silent"  # the value of [voice] engine for a table that never speaks


def open_computer_voice(config: TableConfig) -> Voice:
    """Return this computer's own voice; a silent one if ``table.toml`` says so."""
    return SilentVoice() if config.voice == SILENT else open_speaker(speech_of(config))


def open_voice(config: TableConfig, board: Board) -> Voice:
    """Return the voice of *board*; a silent one if ``table.toml`` says so."""
    return SilentVoice() if config.voice == SILENT else board.voice(speech_of(config))


def speech_of(config: TableConfig) -> Speech:
    """Return the settings for the voice of *config*'s table."""
    speech = config.speech
    return Speech(config.voice, speech.models, speech.clips, speech.device, speech_cache())


def speech_cache() -> Path:
    """Return the cache folder for speech: the systemd service's own, or else the user's."""
    folder = os.environ.get("CACHE_DIRECTORY", "").partition(":")[0]
    return Path(folder or platformdirs.user_cache_path("tapmat")) / "speech"


def open_parts(config: TableConfig, board: Board) -> TableParts:
    """Open every part of *config* on *board*; if one cannot be opened, close the others.

    Raises:
        MissingPart: the board lacks a bus or pin that *config* names, or a driver cannot be loaded.
    """
    with ExitStack() as opened:
        readers = _open_readers(config, board, opened)
        lamps = opened.enter_context(closing(_open_lamps(config, board, opened)))
        controls = opened.enter_context(closing(_open_controls(config, board)))
        buzzer = display = None
        if config.buzzer_pin is not None:
            buzzer = opened.enter_context(closing(GpioBuzzer(config.buzzer_pin, board.pins)))
        if config.display is not None:
            display = opened.enter_context(closing(open_display(config.display, board)))
        return TableParts(readers, lamps, controls, buzzer, display, opened.pop_all().close)


def _open_readers(config: TableConfig, board: Board, opened: ExitStack) -> dict[str, TagReader]:
    """Open every reader, and return them by spot.

    Opening a reader sends nothing to its chip. The first transfer follows when all readers are
    open. By then all chip selects are high, so each transfer reaches only one chip.
    """
    guard_s = config.fields.guard_s if config.fields.in_turn else None
    resets: dict[int, GpioReset] = {}
    readers: dict[str, TagReader] = {}
    for place, reader in enumerate(config.readers):
        pin = reader.reset_pin
        if pin is not None and pin not in resets:
            resets[pin] = opened.enter_context(closing(GpioReset(pin, board.pins)))
        spi: SpiBus = opened.enter_context(
            closing(board.spi(reader.bus, reader.device, reader.spi_hz))
        )
        if reader.select_pin is not None:
            select = opened.enter_context(closing(GpioSelect(reader.select_pin, board.pins)))
            spi = SelectedSpi(spi, select)
        reset = None if pin is None else resets[pin]
        wires = ReaderWires(spi, board.clock, reset, guard_s, reader.gain_db, place)
        driver = reader_driver(reader).open(wires)
        readers[reader.spot] = opened.enter_context(closing(driver))
    return readers


def _open_lamps(config: TableConfig, board: Board, opened: ExitStack) -> Lamps:
    """Open the LEDs on pins, or the LED strip. A table without lamps needs nothing from *board*."""
    if config.strip is None or not config.lamps:
        return GpioLamps(config.lamps, board.pins if config.lamps else None)
    strip = config.strip
    spi: SpiBus = opened.enter_context(closing(board.spi(strip.bus, strip.device, strip.spi_hz)))
    driver = strip_driver(strip)
    return GuardedLamps(strip.chip, config.lamps, lambda: driver.open(spi, config.lamps))


def reader_driver(reader: ReaderConfig) -> ReaderDriver:
    """Return the driver for *reader*'s chip.

    Raises:
        MissingPart: the driver cannot be loaded.
    """
    if reader.chip == BUILT_IN:
        return MFRC522
    return _load_driver(ReaderDriver, READERS, reader.chip, f"reader {reader.spot}")


def strip_driver(strip: StripConfig) -> LampDriver:
    """Return the driver for *strip*'s chip.

    Raises:
        MissingPart: the driver cannot be loaded.
    """
    return _load_driver(LampDriver, LAMPS, strip.chip, "lamps")


def _load_driver(kind: type[Driver], group: str, chip: str, part: str) -> Driver:
    found = f'there is no driver for the chip "{chip}"'
    for offer in entry_points(group=group, name=chip):
        try:
            driver = offer.load()
        except Exception as wrong:  # third-party code may raise anything
            found = f"the driver {offer.value} cannot be loaded ({wrong!r})"
        else:
            if isinstance(driver, kind):
                return driver
            found = f"the driver {offer.value} is not a {kind.__name__}"
    raise MissingPart(part, found, "Install its driver again, or change chip in table.toml")


def _open_controls(config: TableConfig, board: Board) -> GpioControls:
    """Open the buttons, the encoder and the tilt switch.

    A table without any of them needs no pins from *board*.
    """
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
