"""The credentials of tables: one user of the broker for each, made here and typed nowhere.

The hall's folder has a file for each table, with a hash of its password for mosquitto and the
password itself for NATS, which takes no such hash. A table fetches its credential once with a
*code*, which is good for a short time; of the code only a hash is stored.
"""

import json
import secrets
import time
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import pbkdf2_hmac, sha256
from pathlib import Path

from firmware.common.errors import TapmatError
from firmware.hall.broker import BrokerAddress
from firmware.hall.messages import TABLE
from firmware.hall.private_text import SecretFileError, read_secret, write_secret
from firmware.hall.settings import HALL, PASSWORD, HallSettings

TABLES, CODES = "tables", "codes"  # folders
CODE_S = 15 * 60.0  # for how long a code is good
ROUNDS = 101  # as mosquitto_passwd; a password here is random and long, so more would not help
SALT_BYTES, PASSWORD_BYTES, CODE_BYTES = 12, 24, 16


class TableNameError(TapmatError):
    """A name cannot be given to a table, or no table has it."""


class CredentialError(TapmatError):
    """A table's credential cannot be used."""


@dataclass(frozen=True, slots=True)
class BrokerUser:
    """A user of the broker."""

    name: str
    password: str
    mosquitto_hash: str


@dataclass(frozen=True, slots=True)
class TableCredential:
    """All that *table* needs to connect. *ca* is the broker's certificate, or empty without TLS."""

    table: str
    host: str
    port: int
    tls: bool
    ca: str
    password: str


def new_user(name: str) -> BrokerUser:
    """Return a user called *name* with a new password."""
    password = secrets.token_urlsafe(PASSWORD_BYTES)
    salt = secrets.token_bytes(SALT_BYTES)
    digest = pbkdf2_hmac("sha512", password.encode(), salt, ROUNDS)
    parts = ("7", str(ROUNDS), b64encode(salt).decode(), b64encode(digest).decode())
    return BrokerUser(name, password, "$" + "$".join(parts))


def add_hall_user(folder: Path) -> None:
    """Write the hall's own user, unless there is one.

    Raises:
        SecretFileError: it cannot be written.
    """
    if not (folder / PASSWORD).exists():
        user = new_user(HALL)
        write_secret(folder / PASSWORD, user.password)
        _write_user(folder, user)


def add_table(hall: HallSettings, table: str, now_s: float | None = None) -> str:
    """Add *table*, or give it a new password; return the code with which it fetches that once.

    Raises:
        TableNameError: the name has another form.
        SecretFileError: a file cannot be written.
    """
    if not TABLE.fullmatch(table) or table == HALL:
        raise TableNameError(
            f"A table cannot be called {table!r}. Use 1 to 32 lower-case letters, digits, "
            f'"-" and "_", but not "{HALL}".'
        )
    user = new_user(table)
    _write_user(hall.folder, user)
    address = hall.broker
    credential = TableCredential(
        table, address.host, address.port, address.tls, address.ca, user.password
    )
    code = secrets.token_urlsafe(CODE_BYTES)
    until_s = (time.time() if now_s is None else now_s) + CODE_S
    shape = {"until": until_s, "credential": credential_text(credential)}
    write_secret(_code_file(hall.folder, code), json.dumps(shape))
    return code


def revoke_table(folder: Path, table: str) -> None:
    """Remove *table*. Codes that were not used yet are of no use then, because the password is not.

    Raises:
        TableNameError: there is no such table.
    """
    file = folder / TABLES / f"{table}.json"
    if not TABLE.fullmatch(table) or table == HALL or not file.exists():
        known = ", ".join(user.name for user in users(folder) if user.name != HALL) or "none"
        raise TableNameError(f"There is no table {table!r}. Tables: {known}.")
    file.unlink()


def table_names(folder: Path) -> frozenset[str]:
    """Return the names of the tables that have a credential."""
    return frozenset(file.stem for file in (folder / TABLES).glob("*.json")) - {HALL}


def users(folder: Path) -> list[BrokerUser]:
    """Return all users of the broker, by name.

    Raises:
        SecretFileError: a file cannot be read.
    """
    files = sorted((folder / TABLES).glob("*.json"))
    return [BrokerUser(**json.loads(read_secret(file))) for file in files]


def claim(folder: Path, code: str, clock: Callable[[], float] = time.time) -> str | None:
    """Return the credential for *code* as JSON, once; None if the code is unknown or too old."""
    file = _code_file(folder, code)
    mine = file.with_suffix(f".{secrets.token_hex(4)}")
    with suppress(OSError, SecretFileError):
        file.rename(mine)  # only one of two that come at once
        shape = json.loads(read_secret(mine))
        mine.unlink()
        if clock() < shape["until"]:
            return str(shape["credential"])
    return None


def forget_old_codes(folder: Path, now_s: float) -> None:
    """Delete the codes that are too old, with the credentials in them."""
    for file in (folder / CODES).glob("*"):
        with suppress(OSError):
            if now_s - file.stat().st_mtime > CODE_S:
                file.unlink()


def credential_text(credential: TableCredential) -> str:
    """Return *credential* as JSON."""
    return json.dumps({"v": 1, **asdict(credential)})


def credential_of(text: str) -> TableCredential:
    """Return the credential in *text*.

    Raises:
        CredentialError: it is none.
    """
    try:
        shape = json.loads(text)
    except ValueError:
        shape = None
    match shape:
        case {
            "v": 1,
            "table": str(table),
            "host": str(host),
            "port": int(port),
            "tls": bool(tls),
            "ca": str(ca),
            "password": str(password),
        } if TABLE.fullmatch(table):
            return TableCredential(table, host, port, tls, ca, password)
    raise CredentialError("This is not the credential of a table. Ask the hall for a new code.")


def address_in(credential: TableCredential) -> BrokerAddress:
    """Return the broker of *credential*."""
    return BrokerAddress(
        credential.host,
        credential.port,
        credential.tls,
        credential.ca,
        credential.table,
        credential.password,
    )


def _write_user(folder: Path, user: BrokerUser) -> None:
    write_secret(folder / TABLES / f"{user.name}.json", json.dumps(asdict(user)))


def _code_file(folder: Path, code: str) -> Path:
    return folder / CODES / sha256(code.encode()).hexdigest()
