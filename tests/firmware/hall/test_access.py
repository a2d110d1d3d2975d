"""A table can neither read nor write for another, and a revoked one is out: with real brokers."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import sleep

import aiomqtt
import pytest

from firmware.common.together import run_together
from firmware.hall.agent import TableAgent
from firmware.hall.broker import BrokerAddress, client_of
from firmware.hall.broker_files import mosquitto_acl, set_up, write_broker_files
from firmware.hall.credentials import (
    CODE_S,
    CredentialError,
    TableNameError,
    add_table,
    address_in,
    claim,
    credential_of,
    forget_old_codes,
    revoke_table,
    users,
)
from firmware.hall.desk_link import DeskLink
from firmware.hall.messages import MESSAGE, STORED, topic_of
from firmware.hall.settings import HallSettings
from firmware.hall.sqlite_store import SqliteStore
from firmware.hall.statuses import TableStatus
from firmware.hall.worker import HallWorker
from tests.firmware.hall.rows import ListedRows, entry
from tests.firmware.hall.servers import broker_of, needs_mosquitto, needs_nats
from tests.firmware.hall.test_hall_worker import stored_by_table, wait_until
from tests.ports import free_port

BROKERS = [
    pytest.param("mosquitto", marks=needs_mosquitto),
    pytest.param("nats-server", marks=[needs_nats, pytest.mark.long]),
]
QUIET_S = 0.5  # in which a message would arrive


@dataclass
class Hall:
    """A hall with a broker and the tables ``one`` and ``two``."""

    settings: HallSettings
    tables: dict[str, BrokerAddress]


def credential_for(settings: HallSettings, table: str) -> BrokerAddress:
    text = claim(settings.folder, add_table(settings, table))
    assert text is not None
    return address_in(credential_of(text))


@pytest.fixture(params=BROKERS)
def hall(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Hall]:
    settings = set_up(tmp_path / "hall", "127.0.0.1", free_port(), tls=True)
    tables = {name: credential_for(settings, name) for name in ("one", "two")}
    write_broker_files(settings)
    with closing(broker_of(settings, request.param)):
        yield Hall(settings, tables)


def test_a_table_sends_its_journal_and_hears_the_hall(hall: Hall, tmp_path: Path) -> None:
    rows, heard = ListedRows(entry(seq) for seq in range(1, 30)), dict[str, TableStatus]()
    shown = list[str]()

    async def run() -> None:
        store = SqliteStore(tmp_path / "hall.sqlite")
        worker = HallWorker(hall.settings.broker, store)
        agent = TableAgent(hall.tables["one"], "one", rows, None, shown.append)
        link = DeskLink(hall.settings.broker, "desk", heard.__setitem__)
        link.show({"one": "Ann - Ben"})

        async def is_done() -> bool:
            stored = await stored_by_table(store)
            return stored == {"one": rows.entries} and bool(shown) and "one" in heard

        await run_together(wait_until(is_done), worker.run(), agent.run(), link.run())
        await store.close()

    asyncio.run(run())
    assert shown[-1] == "Ann - Ben"
    assert heard["one"] == TableStatus(online=True)


async def listen(address: BrokerAddress, role: str, topic: str, heard: set[str]) -> None:
    """Add the topics of all messages at *topic* to *heard*."""
    with suppress(aiomqtt.MqttError):  # the broker ends the connection, or refuses the topic
        async with client_of(address, role) as client:
            await client.subscribe(topic)
            async for message in client.messages:
                heard.add(str(message.topic))


def test_a_table_cannot_read_what_is_for_another_or_from_another(hall: Hall) -> None:
    topics = ["#", "tapmat/#", "tapmat/+/journal", "tapmat/two/stored", "tapmat/two/status"]
    heard, right = set[str](), set[str]()

    async def run() -> None:
        one, two, desk = hall.tables["one"], hall.tables["two"], hall.settings.broker
        tasks = [
            *(asyncio.create_task(listen(one, topic, topic, heard)) for topic in topics),
            asyncio.create_task(listen(two, "right", "tapmat/two/stored", right)),
            asyncio.create_task(listen(desk, "right", "tapmat/+/journal", right)),
        ]
        await asyncio.sleep(QUIET_S)
        async with client_of(two, "outbox") as client:
            await client.publish("tapmat/two/journal", b"secret", qos=1)
            await client.publish("tapmat/two/status", b"secret", qos=1)
        async with client_of(desk, "desk") as client:
            for part in (STORED, MESSAGE):
                await client.publish(topic_of("two", part), b"secret", qos=1)
        await asyncio.sleep(QUIET_S)
        for task in tasks:
            task.cancel()

    asyncio.run(run())
    assert right == {"tapmat/two/stored", "tapmat/two/journal"}
    assert heard == set()


def test_a_table_cannot_write_for_another_or_for_the_hall(hall: Hall) -> None:
    topics = ["tapmat/two/journal", "tapmat/two/status", "tapmat/one/stored", "tapmat/two/message"]
    heard = list[str]()

    async def run() -> None:
        async with client_of(hall.settings.broker, "all") as everything:
            for part in ("journal", "status"):
                await everything.subscribe(topic_of("+", part))
            async with client_of(hall.tables["two"], "outbox") as two:
                await two.subscribe("tapmat/two/stored")
                await two.subscribe("tapmat/two/message")
                for topic in topics:
                    with suppress(aiomqtt.MqttError):
                        async with client_of(hall.tables["one"], "forger") as client:
                            await client.publish(topic, b"forged", qos=1)
                async with client_of(hall.tables["one"], "outbox") as client:
                    await client.publish("tapmat/one/journal", b"true", qos=1)
                await asyncio.sleep(QUIET_S)
                for client in (everything, two):
                    while client.messages:
                        try:
                            async with asyncio.timeout(0.1):
                                message = await anext(aiter(client.messages))
                        except TimeoutError:
                            break
                        heard.append(f"{message.topic} {message.payload!r}")

    asyncio.run(run())
    assert heard == ["tapmat/one/journal b'true'"]


@pytest.mark.parametrize("password", ["", "wrong"])
def test_without_the_password_nobody_connects(hall: Hall, password: str) -> None:
    async def run() -> None:
        async with client_of(replace(hall.tables["one"], password=password), "thief"):
            pass

    with pytest.raises(aiomqtt.MqttError):
        asyncio.run(run())


def test_a_revoked_table_says_that_the_broker_no_longer_lets_it_in(
    hall: Hall, caplog: pytest.LogCaptureFixture
) -> None:
    agent = TableAgent(hall.tables["one"], "one", ListedRows(()), None)
    revoke_table(hall.settings.folder, "one")
    write_broker_files(hall.settings)

    async def has_said() -> bool:
        return "no longer lets this table in" in caplog.text

    asyncio.run(run_together(wait_until(has_said), agent.run()))


YOUNG_BROKER = """
import os, signal, sys, time
from pathlib import Path
Path("/proc/self/comm").write_text("mosquitto")
Path(sys.argv[1]).write_text(str(os.getpid()))
time.sleep(0.3)  # mosquitto listens some milliseconds before it has a handler
signal.signal(signal.SIGHUP, lambda *_: sys.exit(7))
time.sleep(20)
"""


def test_a_broker_that_has_just_started_survives_the_signal_to_read_its_files(
    tmp_path: Path,
) -> None:
    settings = set_up(tmp_path / "hall", "127.0.0.1", free_port(), tls=False)
    pid = settings.folder / "mosquitto.pid"
    with subprocess.Popen([sys.executable, "-c", YOUNG_BROKER, str(pid)]) as broker:
        while not (pid.exists() and pid.read_text(encoding="ascii")):
            sleep(0.01)
        write_broker_files(settings)
        assert broker.wait() == 7  # its handler was called; without one, -1


def test_a_revoked_table_is_disconnected_and_stays_out(hall: Hall) -> None:
    async def stay_while_revoked() -> None:
        async with client_of(hall.tables["one"], "outbox") as client:
            await client.subscribe("tapmat/one/stored")
            revoke_table(hall.settings.folder, "one")
            write_broker_files(hall.settings)
            async for _ in client.messages:
                pass

    async def run() -> None:
        async with asyncio.timeout(20):
            with pytest.raises(aiomqtt.MqttError):
                await stay_while_revoked()
            with pytest.raises(aiomqtt.MqttError):
                async with client_of(hall.tables["one"], "outbox"):
                    pass
        async with client_of(hall.tables["two"], "outbox") as client:
            await client.publish("tapmat/two/journal", b"still here", qos=1)

    asyncio.run(run())


# --- without a broker ----------------------------------------------------------------------------


@pytest.fixture
def settings(tmp_path: Path) -> HallSettings:
    return set_up(tmp_path, "hall.local", None, tls=False)


def test_a_code_is_good_once_and_for_a_quarter_of_an_hour(settings: HallSettings) -> None:
    code = add_table(settings, "one", now_s=1000.0)
    assert claim(settings.folder, code, lambda: 1000.0 + CODE_S) is None
    code = add_table(settings, "one", now_s=1000.0)
    text = claim(settings.folder, code, lambda: 999.0 + CODE_S)
    assert text is not None
    assert credential_of(text).table == "one"
    assert claim(settings.folder, code, lambda: 1000.0) is None
    assert list((settings.folder / "codes").iterdir()) == []


def test_codes_that_nobody_used_are_deleted(settings: HallSettings) -> None:
    add_table(settings, "one")
    (file,) = (settings.folder / "codes").iterdir()
    forget_old_codes(settings.folder, file.stat().st_mtime + CODE_S - 1)
    assert file.exists()
    forget_old_codes(settings.folder, file.stat().st_mtime + CODE_S + 1)
    assert not file.exists()


@pytest.mark.parametrize("name", ["", "hall", "A", "a/b", "+", "#", "a b", "../x", "x" * 33])
def test_other_names_of_tables_are_refused(settings: HallSettings, name: str) -> None:
    before = users(settings.folder)
    with pytest.raises(TableNameError):
        add_table(settings, name)
    with pytest.raises(TableNameError):
        revoke_table(settings.folder, name)
    assert users(settings.folder) == before


def test_secrets_are_readable_for_their_user_alone(settings: HallSettings) -> None:
    add_table(settings, "one")
    write_broker_files(settings)
    files = [file for file in settings.folder.rglob("*") if file.is_file()]
    assert {file.stat().st_mode & 0o077 for file in files} == {0}
    (password,) = [user.password for user in users(settings.folder) if user.name == "one"]
    assert password not in (settings.folder / "mosquitto.passwd").read_text("utf-8")


@pytest.mark.parametrize("text", ["", "[]", "{}", json.dumps({"v": 1, "table": "+"})])
def test_other_texts_are_no_credential(text: str) -> None:
    with pytest.raises(CredentialError):
        credential_of(text)


def test_the_rules_for_mosquitto_name_each_topic() -> None:
    assert mosquitto_acl().splitlines() == [
        "user hall",
        "topic read tapmat/+/journal",
        "topic read tapmat/+/status",
        "topic write tapmat/+/stored",
        "topic write tapmat/+/message",
        "",
        "pattern write tapmat/%u/journal",
        "pattern write tapmat/%u/status",
        "pattern read tapmat/%u/stored",
        "pattern read tapmat/%u/message",
        "pattern read tapmat/%u/status",
    ]
