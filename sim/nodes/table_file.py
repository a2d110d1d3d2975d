"""A writer of a table's configuration as a ``table.toml``, for a program that runs on it.

May import: the standard library and firmware.config.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from firmware.config.table_config import SPI_PINS, ReaderConfig, TableConfig, load_config
from hardware.chip_names import BUILT_IN

Section = Mapping[str, object]


def write_table(config: TableConfig, file: Path) -> TableConfig:
    """Write *config* to *file*, and return it as the program will read it.

    Raises:
        ConfigError: the table cannot be wired so on a real Pi.
    """
    sections = {name: values for name, values in _sections(config) if values}
    lines = []
    for name, values in sections.items():
        lines += [f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in values.items()), ""]
    file.write_text("\n".join(lines), encoding="utf-8")
    return load_config(file)


def without_lamps_on_spi1(config: TableConfig) -> TableConfig:
    """Return *config* without the lamps whose pins a reader on SPI1 needs."""
    if not any(reader.bus for reader in config.readers):
        return config
    kept = {name: pin for name, pin in config.lamps.items() if pin not in SPI_PINS[1]}
    return replace(config, lamps=kept)


def _sections(config: TableConfig) -> Iterator[tuple[str, Section]]:
    settings, controls, display = config.settings, config.controls, config.display
    yield "table", {"language": settings.language, "names": list(config.names)}
    for reader in config.readers:
        yield f"readers.{reader.spot}", _reader(reader)
    guard_ms = round(config.fields.guard_s * 1000)
    yield "fields", {"in_turn": config.fields.in_turn, "guard_ms": guard_ms}
    if display is not None:
        yield (
            "display",
            {
                "chip": display.chip,
                "size": "{}x{}".format(*display.size),
                "i2c": display.i2c,
                "address": f"0x{display.address:02X}",
                "rotate": display.rotate,
            },
        )
    strip = config.strip
    on_spi: Section = {}
    if strip is not None:
        on_spi = {"chip": strip.chip, "spi": strip.spi, "spi_mhz": strip.spi_mhz}
    yield "lamps", {**on_spi, **config.lamps}
    if controls is not None:
        encoder = {} if controls.encoder is None else {"encoder": list(controls.encoder)}
        yield "controls", {**encoder, **controls.buttons}
    yield "tilt", {} if config.tilt_pin is None else {"pin": config.tilt_pin}
    yield "buzzer", {} if config.buzzer_pin is None else {"pin": config.buzzer_pin}
    silent = sorted(topic.value for topic in settings.silent)
    yield (
        "voice",
        {
            "engine": config.voice,
            "level": settings.level.value,
            "volume": settings.volume,
            "silent": silent,
        },
    )
    yield "decks", {game: str(path.resolve()) for game, path in config.decks.items()}


def _reader(reader: ReaderConfig) -> Section:
    optional = {
        "reset_pin": reader.reset_pin,
        "select_pin": reader.select_pin,
        "gain_db": reader.gain_db,
    }
    chip = {} if reader.chip == BUILT_IN else {"chip": reader.chip}
    pins = {name: pin for name, pin in optional.items() if pin is not None}
    return {"spi": reader.spi, "spi_mhz": reader.spi_mhz, **pins, **chip}


def _toml(value: object) -> str:
    """Return *value* as TOML. Simple values are the same in JSON and TOML."""
    return json.dumps(value, ensure_ascii=False)
