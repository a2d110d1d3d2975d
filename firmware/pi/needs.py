"""Print a table's requirements on its computer, as JSON: ``python -m firmware.pi.needs [TABLE]``.

The installer runs this program twice: first from the source with the system's Python, then in the
installed release. For an invalid table it prints ``{"refused": "<reason>"}``. If a library that it
needs is not installed yet, it prints ``{"lacking": "<module>"}``.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from firmware.common.errors import TapmatError
from firmware.config.table_config import TableConfig, load_config
from firmware.pi.boot import I2C, SPI, SPI1, Needs


def needs_of(config: TableConfig) -> Needs:
    """Return the requirements of a table with *config*."""
    devices = sorted({f"dev/spidev{part.spi}" for part in config.on_spi})
    if config.display is not None:
        devices.append(f"dev/i2c-{config.display.i2c}")
    files = tuple(sorted(_files(config)))
    return Needs(
        tuple(boot_lines(config)), tuple(devices), files, config.companion.on, config.mqtt.on
    )


def boot_lines(config: TableConfig) -> Iterator[str]:
    """Yield the lines for ``config.txt`` that set up the table's buses and chip selects.

    Parameters of the board come before the overlay, since after it they would apply to the overlay.
    """
    buses = {part.bus for part in config.on_spi}
    if 0 in buses:
        yield SPI
    if config.display is not None:
        yield I2C
    if 1 in buses:
        yield SPI1
    selects = [reader.select_pin for reader in config.readers if reader.select_pin is not None]
    if selects:  # high from the start, since a reader whose SDA is low drives MISO
        yield f"gpio={','.join(map(str, sorted(selects)))}=op,dh"


def answer(table: Path | None) -> str:
    """Return the JSON text to print for the file *table*; None is the default table."""
    try:
        return json.dumps(asdict(needs_of(load_config(table))))
    except TapmatError as error:
        return json.dumps({"refused": str(error)})
    except ModuleNotFoundError as missing:
        return json.dumps({"lacking": missing.name})


def _files(config: TableConfig) -> Iterator[str]:
    folder = config.file.parent
    speech = config.speech
    clips = () if speech.clips is None else (speech.clips,)
    for file in (*clips, *speech.models.values(), *config.decks.values()):
        yield str(file.relative_to(folder) if file.is_relative_to(folder) else file)


if __name__ == "__main__":
    print(answer(Path(sys.argv[1]) if sys.argv[1:] else None))
