"""The section ``[companion]`` of ``table.toml``.

It is separate from ``firmware.config.table_config`` because the companion is a separate process,
which must not import the table (decision 0046).
May import: the standard library, firmware.common.toml_sections and firmware.common.errors.
"""

from dataclasses import dataclass
from pathlib import Path

from firmware.common.errors import ConfigError
from firmware.common.toml_sections import Section, read_toml

COMPANION_KEYS = ("on", "port")
PORT = 8738
PORTS = range(1024, 65536)  # the companion is not root


@dataclass(frozen=True, slots=True)
class CompanionConfig:
    """The companion's settings.

    *on* is True if pages are served to televisions and phones; *port* is their TCP port.
    """

    on: bool = False
    port: int = PORT


def companion_in(top: Section) -> CompanionConfig:
    """Return the companion in the section [companion] of the file *top*.

    Without such a section, the companion is off.

    Raises:
        FileFault: the section has an error.
    """
    section = top.section("companion", "[companion]\non = true")
    if section is None:
        return CompanionConfig()
    section.check_keys(COMPANION_KEYS, "on = true")
    port = PORT
    if "port" in section:
        right = f"a port from {PORTS[0]} to {PORTS[-1]}"
        port = section.integer("port", right, f"port = {PORT}", PORTS)
    return CompanionConfig(section.flag("on", "on = true", default=False), port)


def load_companion(table: Path | None) -> CompanionConfig:
    """Return the companion of the file *table*; the default if that is None.

    Other sections are not checked here, because the table checks them.

    Raises:
        ConfigError: the file cannot be read, or the section has an error.
    """
    return CompanionConfig() if table is None else companion_in(read_toml(table, ConfigError))
