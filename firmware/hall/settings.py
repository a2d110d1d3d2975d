"""The hall's settings, ``hall.toml`` in the hall's folder."""

from dataclasses import dataclass
from pathlib import Path

from firmware.common.errors import ConfigError, TapmatError
from firmware.common.toml_sections import Section, read_toml
from firmware.config.mqtt_config import TLS_PORT
from firmware.hall.broker import BrokerAddress
from firmware.hall.private_text import read_secret
from firmware.voice.words import ENGLISH, languages

SETTINGS, HALL = "hall.toml", "hall"  # HALL is also the name of the hall's own user
CERTIFICATE, PASSWORD = "broker.pem", "hall-password"
BOARD_PORT = 8740
PORTS = range(1, 65536)
SQLITE = "hall.sqlite"
TEMPLATE = """\
# The settings of the hall (docs/hall.md).
[broker]
host = "{host}"  # as the tables reach it
port = {port}
tls = {tls}

[store]
address = "hall.sqlite"  # or postgresql://user@host/database

[board]
port = 8740
language = "en"
"""


class NoHallError(TapmatError):
    """There is no hall in the folder."""


@dataclass(frozen=True, slots=True)
class HallSettings:
    """The settings of the hall in *folder*.

    *broker* is its broker, with the hall's own user. *store* is the path of an SQLite file, or the
    address of a PostgreSQL database.
    """

    folder: Path
    broker: BrokerAddress
    store: str
    port: int
    language: str


def load_hall(folder: Path) -> HallSettings:
    """Return the settings of the hall in *folder*.

    Raises:
        NoHallError: there is none.
        ConfigError: the file has an error.
    """
    file = folder / SETTINGS
    if not file.exists():
        raise NoHallError(f"There is no hall in {folder}. Make one: tapmat hall setup HOST")
    top = read_toml(file, ConfigError)
    top.check_keys(("broker", "store", "board"), "[broker]")
    example = '[broker]\nhost = "hall.local"'
    broker = top.section("broker", example)
    if broker is None:
        raise top.wrong("broker", "a section", example)
    store, board = top.section("store", "[store]"), top.section("board", "[board]")
    language = ENGLISH
    if board is not None:
        board.check_keys(("port", "language"), f"port = {BOARD_PORT}")
        language = board.one_of("language", languages(), 'language = "en"', ENGLISH)
    address = _address(store)
    is_database = address.startswith("postgresql://")
    return HallSettings(
        folder,
        _broker(broker, folder),
        address if is_database else str(folder / address),
        _port(board, BOARD_PORT),
        language,
    )


def _broker(section: Section, folder: Path) -> BrokerAddress:
    section.check_keys(("host", "port", "tls"), 'host = "hall.local"')
    tls = section.flag("tls", "tls = true", default=True)
    return BrokerAddress(
        section.text("host", "a host name or IP address", 'host = "hall.local"'),
        _port(section, TLS_PORT),
        tls,
        read_secret(folder / CERTIFICATE) if tls else "",
        HALL,
        read_secret(folder / PASSWORD),
    )


def _port(section: Section | None, default: int) -> int:
    if section is None or "port" not in section:
        return default
    right = f"a port from {PORTS[0]} to {PORTS[-1]}"
    return section.integer("port", right, f"port = {default}", PORTS)


def _address(section: Section | None) -> str:
    if section is None:
        return SQLITE
    example = f'address = "{SQLITE}"'
    section.check_keys(("address",), example)
    return section.text("address", "a file name, or an address postgresql://...", example)
