"""The connection: what is logged when it fails, its pauses, and the password."""

import asyncio
import logging
import ssl
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from firmware.common.together import run_together
from firmware.config.mqtt_config import MqttConfig
from firmware.mqtt import connection
from firmware.mqtt.connection import (
    GOODBYE_S,
    BrokerConnection,
    Heard,
    Publication,
    Subscriber,
)
from tests.firmware.mqtt.broker import (
    MOSQUITTO_PASSWD,
    environment,
    mosquitto,
    needs_mosquitto,
    refuser,
)
from tests.ports import free_port

SECRET = "Swordfish 7"
WILL = Publication("tapmat/tapmat/available", "offline", is_retained=True)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> list[float]:
    """The longest pauses between attempts. They take no time."""
    taken: list[float] = []

    async def pause(most_s: float) -> None:
        taken.append(most_s)
        await asyncio.sleep(0)

    monkeypatch.setattr(connection, "_pause", pause)
    caplog.set_level(logging.DEBUG)
    return taken


def connection_to(config: MqttConfig, password: str | None = SECRET) -> BrokerConnection:
    async def serve() -> None:
        await asyncio.Event().wait()

    subscriber = Subscriber(("a/#",), lambda _heard: None, serve)
    found = {} if password is None else environment(password)
    return BrokerConnection(config, WILL, [subscriber], found)


async def while_running(broker: BrokerConnection, happened: Callable[[], object]) -> None:
    """Run *broker* until something has happened."""

    async def watch() -> None:
        async with asyncio.timeout(20):
            while not happened():
                await asyncio.sleep(0.01)

    await run_together(broker.run(), watch(), again_s=GOODBYE_S * 1.5)


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what the table's log gets. asyncio complains if a test ends while it connects."""
    assert SECRET not in caplog.text
    ours = (each for each in caplog.records if each.name == connection.log.name)
    return [each.getMessage() for each in ours if each.levelno >= logging.WARNING]


def refused(config: MqttConfig, pauses: list[float], count: int = 3) -> None:
    asyncio.run(while_running(connection_to(config), lambda: len(pauses) >= count))


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (2, "It does not accept the name of this table. Change [mqtt] id."),
        (3, "It says that it is not available."),
        (4, "It does not know this user or password. Correct [mqtt] user and the password."),
        (5, "It does not let this user in. Correct [mqtt] user and the password."),
        (None, "It does not answer."),
    ],
)
def test_a_broker_that_refuses_is_one_warning_that_says_why(
    code: int | None,
    why: str,
    pauses: list[float],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if code is None:
        monkeypatch.setattr(connection, "ANSWER_S", 0.5)

    async def run() -> None:
        async with refuser(code) as (broker, config):
            await while_running(connection_to(config), lambda: len(pauses) >= 3)
            assert len(broker.connections) >= 3, "it tries again"
            assert SECRET.encode() in broker.connections[0]
            where.append(f"127.0.0.1:{config.port}")

    where: list[str] = []
    asyncio.run(run())
    (only,) = warnings_in(caplog)
    assert only.startswith(f"No connection to the broker {where[0]}. {why}")
    assert only.endswith("Trying again.")


def test_the_pauses_grow_up_to_a_minute(
    pauses: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    refused(MqttConfig(on=True, broker="127.0.0.1", port=free_port()), pauses, 9)
    assert pauses[:9] == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    (only,) = warnings_in(caplog)
    assert "Connection refused." in only


def test_a_name_that_nobody_knows(pauses: list[float], caplog: pytest.LogCaptureFixture) -> None:
    refused(MqttConfig(on=True, broker="nobody.invalid"), pauses, 1)
    (only,) = warnings_in(caplog)
    assert "Nobody knows this name. Check [mqtt] broker." in only


def test_a_password_file_that_is_not_there(
    tmp_path: Path, pauses: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    config = MqttConfig(on=True, password_file=tmp_path / "none")
    asyncio.run(while_running(connection_to(config, None), lambda: len(pauses) >= 2))
    (only,) = warnings_in(caplog)
    assert f"{tmp_path / 'none'} cannot be read: No such file or directory." in only


def certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """Make a certificate for *name*; return its file and that of its key."""
    made, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-keyout", str(key), "-out", str(made), "-days", "2", "-subj", f"/CN={name}",
         "-addext", f"subjectAltName=DNS:{name}"],
        check=True,
        capture_output=True,
    )  # fmt: skip
    return made, key


@needs_mosquitto
@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # paho leaves sockets
def test_tls_needs_the_right_authority_name_and_port(
    tmp_path: Path, pauses: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    made, key = certificate(tmp_path, "localhost")
    other, _ = certificate(tmp_path, "other")
    settings = f"allow_anonymous true\ncertfile {made}\nkeyfile {key}\n"

    def try_once(config: MqttConfig) -> str:
        pauses.clear()
        caplog.clear()
        broker = connection_to(config)
        asyncio.run(while_running(broker, lambda: broker.is_open or pauses))
        return " ".join(warnings_in(caplog))

    with mosquitto(tmp_path, settings) as broker:
        right = replace(broker.config(tls=True, ca_file=made), broker="localhost")
        assert try_once(right) == ""
        assert "Its certificate is not accepted: " in try_once(replace(right, ca_file=other))
        wrong_name = try_once(replace(right, broker="127.0.0.1"))
        assert "IP address mismatch" in wrong_name
        assert "no certificates" in try_once(replace(right, ca_file=key))
    with mosquitto(tmp_path) as plain:
        config = replace(plain.config(tls=True, ca_file=made), broker="localhost")
        assert try_once(config) != ""


@needs_mosquitto
@pytest.mark.skipif(sys.platform == "win32", reason="there is no mosquitto_passwd")
def test_the_password_is_read_from_the_file_for_each_connection(
    tmp_path: Path, pauses: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    known = tmp_path / "passwords"
    subprocess.run(
        [str(MOSQUITTO_PASSWD), "-b", "-c", str(known), "ann", SECRET],
        check=True,
        capture_output=True,
    )
    file = tmp_path / "mine"
    file.write_text("wrong\n", encoding="utf-8")

    async def run() -> None:
        config = replace(broker.config(), user="ann", password_file=file)
        table = connection_to(config, None)

        def is_open() -> bool:
            if len(pauses) >= 2:
                file.write_text(f"{SECRET}\nnotes\n", encoding="utf-8")
            return table.is_open

        await while_running(table, is_open)

    with mosquitto(tmp_path, f"allow_anonymous false\npassword_file {known}\n") as broker:
        asyncio.run(run())
    (only,) = warnings_in(caplog)
    assert "Correct [mqtt] user and the password." in only


@needs_mosquitto
def test_two_tables_with_the_same_id_are_told_why_they_lose_the_connection(
    tmp_path: Path, pauses: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        one, other = (connection_to(broker.config()) for _ in range(2))
        both = while_running(other, lambda: len(pauses) >= 2)
        await run_together(one.run(), both, again_s=GOODBYE_S * 1.5)

    with mosquitto(tmp_path) as broker:
        asyncio.run(run())
    assert any("the same [mqtt] id" in each for each in warnings_in(caplog))


@needs_mosquitto
def test_several_subscribers_hear_only_their_topics(tmp_path: Path) -> None:
    heard: dict[str, list[Heard]] = {"a": [], "b": []}

    async def run() -> None:
        async def serve() -> None:
            for topic in ("a/x", "b/y"):
                await link.publish(Publication(topic, topic))
            await asyncio.Event().wait()

        async def rest() -> None:
            await asyncio.Event().wait()

        def sub(name: str, serve: Callable[[], Awaitable[None]]) -> Subscriber:
            return Subscriber((f"{name}/#",), heard[name].append, serve)  # type: ignore[arg-type]

        link = BrokerConnection(broker.config(), WILL, [sub("a", serve), sub("b", rest)], {})
        await while_running(link, lambda: heard["a"] and heard["b"])

    with mosquitto(tmp_path) as broker:
        asyncio.run(run())
    assert heard == {
        "a": [Heard("a/x", b"a/x", is_retained=False)],
        "b": [Heard("b/y", b"b/y", is_retained=False)],
    }


def test_what_paho_logs_is_not_in_the_tables_log() -> None:
    assert not connection._quiet.propagate


def test_tls_checks_the_name_by_default(tmp_path: Path) -> None:
    found = connection_to(MqttConfig(on=True, tls=True))._tls()
    assert found.check_hostname
    assert found.verify_mode is ssl.CERT_REQUIRED
