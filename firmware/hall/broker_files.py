"""The files of the broker: who may connect, and who may read and write what.

They are for mosquitto and for nats-server; use those of one. A table may write its journal and its
status, and read what the hall sends it. It can neither read nor write for another table.
Source: mosquitto.conf(5); https://docs.nats.io/running-a-nats-service/configuration
"""

import os
import re
import shutil
import signal
import subprocess
from contextlib import suppress
from getpass import getuser
from ipaddress import ip_address
from pathlib import Path
from time import monotonic, sleep

from firmware.common.errors import TapmatError
from firmware.config.mqtt_config import PLAIN_PORT, TLS_PORT
from firmware.hall.credentials import BrokerUser, add_hall_user, users
from firmware.hall.messages import FROM_TABLES, LONGEST_MESSAGE, STATUS, TO_TABLES, topic_of
from firmware.hall.private_text import write_secret
from firmware.hall.settings import (
    CERTIFICATE,
    HALL,
    SETTINGS,
    TEMPLATE,
    HallSettings,
    load_hall,
)

KEY = "broker.key"
DAYS = 3650  # for which the certificate is good
WAITING = 2000  # messages that mosquitto holds for one client
PACKET_BYTES = LONGEST_MESSAGE + 1024
NAME, NUMBERS = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?"), re.compile(r"[0-9.]+")
STARTED_S = 2.0  # the longest that a broker may take to start
PID_FILES = ("mosquitto.pid", "nats.pid")
MOSQUITTO = """\
# Written by tapmat hall. Start: mosquitto -c {folder}/mosquitto.conf
# If root starts it, it would become a user who cannot read these files.
user {user}
listener {port}
{tls}allow_anonymous false
password_file {folder}/mosquitto.passwd
acl_file {folder}/mosquitto.acl
pid_file {folder}/mosquitto.pid
persistence false
max_packet_size {packet}
max_queued_messages {waiting}
"""
NATS = """\
# Written by tapmat hall. Start: nats-server -c {folder}/nats.conf
server_name: hall
listen: "127.0.0.1:4222"
pid_file: "{folder}/nats.pid"
max_payload: {packet}
jetstream {{ store_dir: "{folder}/nats" }}
mqtt {{
  listen: "0.0.0.0:{port}"
{tls}}}
include "nats-users.conf"
"""


class BadHost(TapmatError):
    """The broker cannot have this name or address."""


class CertificateError(TapmatError):
    """The broker's certificate cannot be made."""


def set_up(folder: Path, host: str, port: int | None, *, tls: bool) -> HallSettings:
    """Make a hall in *folder*, whose broker is *host*; keep what is there already.

    *port* is the broker's; None is the usual one.

    Raises:
        TapmatError: *host* is no name or address, or a file cannot be written.
    """
    name = _certified_name(host)
    if not (folder / SETTINGS).exists():
        at = port or (TLS_PORT if tls else PLAIN_PORT)
        text = TEMPLATE.format(host=host, port=at, tls=str(tls).lower())
        write_secret(folder / SETTINGS, text)
    add_hall_user(folder)
    if tls and not (folder / CERTIFICATE).exists():
        _make_certificate(folder, name)
    hall = load_hall(folder)
    write_broker_files(hall)
    return hall


def write_broker_files(hall: HallSettings) -> None:
    """Write the files of both brokers, and let one that runs here read them again.

    Raises:
        SecretFileError: a file cannot be written.
    """
    folder = hall.folder.absolute()
    known = users(folder)
    facts = {"folder": folder, "port": hall.broker.port, "packet": PACKET_BYTES}
    pair = folder / CERTIFICATE, folder / KEY
    tls = "certfile {}\nkeyfile {}\n".format(*pair) if hall.broker.tls else ""
    passwords = "".join(f"{user.name}:{user.mosquitto_hash}\n" for user in known)
    write_secret(folder / "mosquitto.passwd", passwords)
    write_secret(folder / "mosquitto.acl", mosquitto_acl())
    own = {"tls": tls, "waiting": WAITING, "user": getuser()}
    write_secret(folder / "mosquitto.conf", MOSQUITTO.format(**facts, **own))
    tls = '  tls {{ cert_file: "{}", key_file: "{}" }}\n'.format(*pair) if hall.broker.tls else ""
    write_secret(folder / "nats-users.conf", nats_users(known))
    write_secret(folder / "nats.conf", NATS.format(**facts, tls=tls))
    for name in PID_FILES:
        _reload(folder / name)


def mosquitto_acl() -> str:
    """Return the access rules for mosquitto. In a pattern, ``%u`` is the user's name."""
    of_hall = [f"topic read {topic_of('+', part)}" for part in FROM_TABLES]
    of_hall += [f"topic write {topic_of('+', part)}" for part in TO_TABLES]
    of_tables = [f"pattern write {topic_of('%u', part)}" for part in FROM_TABLES]
    of_tables += [f"pattern read {topic_of('%u', part)}" for part in (*TO_TABLES, STATUS)]
    return "\n".join((f"user {HALL}", *of_hall, "", *of_tables, ""))


def nats_users(known: list[BrokerUser]) -> str:
    """Return the users *known* and their rights for nats-server."""
    lines = ["authorization {", "  users: ["]
    for user in known:
        is_hall = user.name == HALL
        writes = TO_TABLES if is_hall else FROM_TABLES
        reads = FROM_TABLES if is_hall else (*TO_TABLES, STATUS)
        name = "*" if is_hall else user.name
        write = ", ".join(_in_quotes(_subject(name, part)) for part in writes)
        read = ", ".join(_in_quotes(_subject(name, part)) for part in reads)
        lines.append(f"    {{user: {_in_quotes(user.name)}, password: {_in_quotes(user.password)},")
        lines.append(f"     permissions: {{publish: [{write}], subscribe: [{read}]}}}}")
    return "\n".join((*lines, "  ]", "}", ""))


def _subject(table: str, part: str) -> str:
    """Return the subject by which NATS knows the topic of *part*."""
    return topic_of(table, part).replace("/", ".")


def _in_quotes(text: str) -> str:
    return f'"{text}"'


def _certified_name(host: str) -> str:
    """Return *host* as in a certificate, with its kind.

    Raises:
        BadHost: it is neither a name nor an IP address.
    """
    with suppress(ValueError):
        ip_address(host)
        return f"IP:{host}"
    if NAME.fullmatch(host) and not NUMBERS.fullmatch(host):
        return f"DNS:{host}"
    raise BadHost(f"{host!r} is no host name or IP address. Give one, such as 192.168.1.10.")


def _make_certificate(folder: Path, name: str) -> None:
    """Make a certificate for *name* that tables trust because it is part of their credential."""
    if shutil.which("openssl") is None:
        raise CertificateError("To make a certificate, install openssl: apt install openssl")
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-nodes", "-days", str(DAYS), "-subj", "/CN=tapmat hall"]
    command += ["-addext", f"subjectAltName={name}"]
    command += ["-keyout", str(folder / KEY), "-out", str(folder / CERTIFICATE)]
    done = subprocess.run(command, capture_output=True, text=True, umask=0o077, check=False)
    if done.returncode:
        raise CertificateError(f"openssl could not make a certificate: {done.stderr.strip()}")


def _reload(pid_file: Path) -> None:
    """Let the broker whose number is in *pid_file* read its files again, if it runs."""
    with suppress(OSError, ValueError):
        pid = int(pid_file.read_text(encoding="ascii"))
        name = Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
        if name in ("mosquitto", "nats-server"):  # the number may be another program's by now
            _wait_until_it_catches(signal.SIGHUP, pid)
            os.kill(pid, signal.SIGHUP)


def _wait_until_it_catches(number: signal.Signals, pid: int) -> None:
    """Wait until the process *pid* has a handler for the signal *number*.

    A mosquitto that has just started listens already but has none; the signal would end it.

    Raises:
        OSError: the process ended, or has no handler after ``STARTED_S`` seconds.
    """
    until_s = monotonic() + STARTED_S
    while not _caught_by(pid) >> (number - 1) & 1:
        if monotonic() > until_s:
            raise TimeoutError
        sleep(0.01)


def _caught_by(pid: int) -> int:
    """Return the signals that the process *pid* has handlers for, bit 0 for signal 1."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next((int(line.split()[1], 16) for line in lines if line.startswith("SigCgt:")), 0)
