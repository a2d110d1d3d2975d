"""The settings in ``tapmat.toml``, each checked separately.

A wrong setting is ignored, with a message that says what to write. All others are used.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from firmware.common.errors import FileFault
from firmware.common.toml_sections import Section, read_toml
from firmware.pi.computer import SetUpFault
from firmware.pi.keys import PublicKey
from firmware.plan.templates import TEMPLATES
from firmware.voice.words import languages

NAME: Final = "tapmat"  # the computer's name in the network, unless the file has another
KEYS: Final = ("kit", "language", "name", "ssh_key", "wifi")
WIFI_KEYS: Final = ("name", "password", "country")
WIFI_EXAMPLE: Final = '[wifi]\nname = "Our network"\npassword = "its password"\ncountry = "DE"'
HOST_NAME: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", re.IGNORECASE)  # RFC 1123, 2.1
SSID_BYTES: Final = 32  # IEEE 802.11, 9.4.2.2
PASSWORD: Final = re.compile(r"[ -~]{8,63}")  # a WPA passphrase; IEEE 802.11, J.4
AFTER_EQUALS: Final = re.compile(r"(Correct this line: [^=]*=).*")
COUNTRY: Final = re.compile(r"[A-Z]{2}")  # ISO 3166-1 alpha-2

Value = TypeVar("Value")


class CardFault(FileFault):
    """A setting in ``tapmat.toml`` cannot be used."""


@dataclass(frozen=True, slots=True)
class WifiNetwork:
    """A Wi-Fi network.

    *password* is None for an open network, and *country* is a two-letter code.
    """

    name: str
    password: str | None
    country: str


@dataclass(frozen=True, slots=True)
class CardSettings:
    """The settings that can be used. A setting that is not set is None.

    Attributes:
        kit: the name of a template of ``table.toml``.
        language: the language of the table, such as "en".
        name: the computer's name in the network.
        ssh_key: a public key that may log in, as one line.
        wifi: the network to join.
        faults: a message for each setting that cannot be used.
    """

    kit: str | None = None
    language: str | None = None
    name: str = NAME
    ssh_key: str | None = None
    wifi: WifiNetwork | None = None
    faults: tuple[str, ...] = ()


def read_settings(file: Path) -> CardSettings:
    """Return the settings in *file*. If the file is missing, nothing is set."""
    if not file.exists():
        return CardSettings()
    try:
        top = read_toml(file, CardFault)
    except CardFault as fault:
        # The line may be the one with the password, and people send reports to others.
        return CardSettings(faults=(AFTER_EQUALS.sub(r"\1 ...", str(fault)),))
    faults: list[str] = []

    def usable(key: str, read: Callable[[Section], Value]) -> Value | None:
        """Return the value that *read* returns for *key*; None if it is missing or wrong."""
        if key not in top:
            return None
        try:
            return read(top)
        except CardFault as fault:
            faults.append(str(fault))
            return None

    for key in top.keys():  # noqa: SIM118 - a Section is not a mapping
        if key not in KEYS:
            faults.extend(_unknown_key(file, top, key))
    return CardSettings(
        kit=usable("kit", lambda part: part.one_of("kit", TEMPLATES, f'kit = "{TEMPLATES[0]}"')),
        language=usable(
            "language", lambda part: part.one_of("language", languages(), 'language = "en"')
        ),
        name=usable("name", _host_name) or NAME,
        ssh_key=usable("ssh_key", _ssh_key),
        wifi=usable("wifi", _wifi),
        faults=tuple(faults),
    )


def _unknown_key(file: Path, top: Section, key: str) -> tuple[str, ...]:
    try:
        Section(file, {key: top.value(key)}, CardFault).check_keys(KEYS, 'kit = "smallest"')
    except CardFault as fault:
        return (str(fault),)
    return ()


def _host_name(top: Section) -> str:
    right = "a name of letters, digits and hyphens, up to 63 characters"
    name = top.text("name", right, 'name = "tapmat"')
    if not HOST_NAME.fullmatch(name):
        raise top.wrong("name", right, 'name = "tapmat"')
    return name


def _ssh_key(top: Section) -> str:
    right, example = "the line in a file such as id_ed25519.pub", 'ssh_key = "ssh-ed25519 AAAA..."'
    line = top.text("ssh_key", right, example).strip()
    try:
        key = PublicKey.parse(line, Path("tapmat.toml"))
    except SetUpFault as wrong:
        raise top.wrong("ssh_key", right, example) from wrong
    return f"{key.kind} {key.base64} {key.name}"


def _wifi(top: Section) -> WifiNetwork:
    wifi = top.section("wifi", WIFI_EXAMPLE)
    assert wifi is not None, "the caller has checked that there is one"
    # A message must not contain a value: it may be the password, under a misspelt key.
    Section(wifi.file, dict.fromkeys(wifi.keys(), "..."), CardFault, "wifi").check_keys(
        WIFI_KEYS, 'country = "DE"'
    )
    right, example = "the network's name, up to 32 bytes in UTF-8", 'name = "Our network"'
    name = wifi.text("name", right, example)
    if len(name.encode()) > SSID_BYTES or not name.isprintable():
        raise wifi.wrong("name", right, example)
    return WifiNetwork(name, _password(wifi), _country(wifi))


def _password(wifi: Section) -> str | None:
    if "password" not in wifi:
        return None
    right = "the network's password: 8 to 63 letters, digits and signs without accents"
    example = 'password = "its password"'
    password = wifi.value("password")
    if not isinstance(password, str) or not PASSWORD.fullmatch(password):
        raise wifi.fault("password", f"cannot be right; it must be {right}", f"Write: {example}")
    return password


def _country(wifi: Section) -> str:
    right, example = "the two letters of the country that the table is in", 'country = "DE"'
    country = wifi.text("country", right, example).upper()
    if not COUNTRY.fullmatch(country):
        raise wifi.wrong("country", right, example)
    return country
