"""Print what the boot file must say for a table: ``python -m firmware.pi.boot_lines [TABLE]``.

Room: firmware/pi. It runs in the program's own venv, which can read ``table.toml``.
"""

import sys
from pathlib import Path

from firmware.config import TableConfig, load_config
from firmware.errors import TapmatError
from firmware.pi.boot import I2C, SPI, SPI1


def boot_lines(config: TableConfig) -> tuple[str, ...]:
    """The lines that turn on the buses *config* uses; SPI1 alone needs an overlay of its own."""
    is_on_spi1 = any(reader.bus == 1 for reader in config.readers)
    i2c = (I2C,) if config.display is not None else ()
    return (SPI, *i2c, *((SPI1,) if is_on_spi1 else ()))


def main() -> int:
    """Print the lines of the table named by the first argument, or of the default table."""
    try:
        config = load_config(Path(sys.argv[1]) if sys.argv[1:] else None)
    except TapmatError as error:
        print(error)
        return error.exit_code
    print("\n".join(boot_lines(config)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
