"""The section ``[mqtt]`` of ``table.toml``: the broker that gets what happens at the table.

It is separate from ``firmware.config.table_config`` because the connection is a separate process,
which must not import the table (decision 0055). The password is never in ``table.toml``: it is in
a separate file, or in the environment.
May import: the standard library, firmware.common.toml_sections and firmware.common.errors.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from firmware.common.errors import ConfigError
from firmware.common.toml_sections import Section, read_toml

MQTT_KEYS: Final = (
    *("on", "broker", "port", "tls", "ca_file", "user", "password_file", "id", "home_assistant"),
)
EXAMPLES = {"ca_file": "ca.pem", "password_file": "mqtt-password"}
PASSWORD: Final = "TAPMAT_MQTT_PASSWORD"  # the environment variable that replaces the file
PLAIN_PORT, TLS_PORT = 1883, 8883
BROKER_PORTS = range(1, 65536)
BROKER = re.compile(  # a host name, or an IP address; only one of IPv6 has colons, at least two
    r"[A-Za-z0-9_.-]{1,253}|(?=.{2,100}$)[0-9A-Fa-f]*:[0-9A-Fa-f.]*:[0-9A-Fa-f.:]*(%[A-Za-z0-9_.-]+)?"
)
A_BROKER = "a host name or IP address, without the port; write that under the key port"
# Part of topics, and of entities' names at Home Assistant, which refuses "__".
TABLE_ID = re.compile(r"(?=.{1,32}$)[a-z0-9]+([_-][a-z0-9]+)*")
AN_ID = 'a name of 1 to 32 lower-case letters and digits, with single "-" or "_" between them'


@dataclass(frozen=True, slots=True)
class MqttConfig:
    """The settings of the connection to a broker.

    *on* is True if the table connects to *broker*, a host name or IP address, at *port*. With
    *tls*, the connection is encrypted; *ca_file* has the certificates of the authorities to trust,
    or is None for the system's own. *user* may be empty. *password_file* has the password in its
    first line; None if there is no such file. *id* is the table's name in topics. With
    *home_assistant*, the table describes itself to Home Assistant.
    """

    on: bool = False
    broker: str = "localhost"
    port: int = PLAIN_PORT
    tls: bool = False
    ca_file: Path | None = None
    user: str = ""
    password_file: Path | None = None
    id: str = "tapmat"
    home_assistant: bool = True


def mqtt_in(top: Section, file: Path) -> MqttConfig:
    """Return the connection in the section [mqtt] of *file*, whose top level is *top*.

    Without such a section, it is off.

    Raises:
        FileFault: the section has an error.
    """
    section = top.section("mqtt", '[mqtt]\non = true\nbroker = "localhost"')
    if section is None:
        return MqttConfig()
    if "password" in section:  # the usual message would repeat it, and so write it into the log
        do = 'Write it into a separate file, and its path here: password_file = "mqtt-password"'
        raise section.fault("password", "is no place for a password", do)
    section.check_keys(MQTT_KEYS, "on = true")
    tls = section.flag("tls", "tls = true", default="ca_file" in section)
    return MqttConfig(
        on=section.flag("on", "on = true", default=False),
        broker=_matching(section, "broker", BROKER, A_BROKER, "localhost"),
        port=_port(section, TLS_PORT if tls else PLAIN_PORT),
        tls=tls,
        ca_file=_certificates(section, file) if tls else None,
        user=section.text("user", "a user's name", 'user = "tapmat"') if "user" in section else "",
        password_file=_file(section, "password_file", file),
        id=_matching(section, "id", TABLE_ID, AN_ID, "tapmat"),
        home_assistant=section.flag("home_assistant", "home_assistant = false", default=True),
    )


def load_mqtt(table: Path | None) -> MqttConfig:
    """Return the connection of the file *table*; the default if that is None.

    Other sections are not checked here, because the table checks them.

    Raises:
        ConfigError: the file cannot be read, or the section has an error.
    """
    return MqttConfig() if table is None else mqtt_in(read_toml(table, ConfigError), table)


def _port(section: Section, default: int) -> int:
    if "port" not in section:
        return default
    right = f"a port from {BROKER_PORTS[0]} to {BROKER_PORTS[-1]}"
    return section.integer("port", right, f"port = {default}", BROKER_PORTS)


def _matching(section: Section, key: str, form: re.Pattern[str], right: str, default: str) -> str:
    """Return the text under *key*, which must match *form*; *default* if there is no such key."""
    if key not in section:
        return default
    example = f'{key} = "{default}"'
    value = section.text(key, right, example)
    if form.fullmatch(value) is None:
        raise section.wrong(key, right, example)
    return value


def _certificates(section: Section, file: Path) -> Path | None:
    found = _file(section, "ca_file", file)
    if found is not None and not found.is_file():
        raise section.fault("ca_file", f"is {found}, and there is no such file", "Create it.")
    return found


def _file(section: Section, key: str, file: Path) -> Path | None:
    """Return the path under *key*, relative to the folder of *file*; None without that key."""
    if key not in section:
        return None
    return file.parent / section.text(key, "the path of a file", f'{key} = "{EXAMPLES[key]}"')
