"""A real mosquitto and a client that looks on, and a broker that refuses everybody."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import aiomqtt
import pytest

from firmware.config.mqtt_config import PASSWORD, MqttConfig
from firmware.mqtt.connection import GOODBYE_S
from firmware.mqtt.house import HouseTable
from firmware.outlet.private import HostState
from firmware.table.answers import HostAsked, PartAsked, SettingList
from tests.firmware.companion.table import QuietTable
from tests.ports import free_port

PATIENCE_S = 20.0
PLACES = (os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin")
MOSQUITTO, MOSQUITTO_PASSWD = (
    shutil.which(name, path=os.pathsep.join(PLACES)) for name in ("mosquitto", "mosquitto_passwd")
)
needs_mosquitto = pytest.mark.skipif(
    MOSQUITTO is None or MOSQUITTO_PASSWD is None,
    reason="mosquitto is not installed. On Debian: apt install mosquitto",
)
ANYBODY = "allow_anonymous true\n"

HOST = HostAsked(
    moment=7,
    can_take_back=True,
    can_end=True,
    settings=(
        SettingList("language", "language", "en", (("de", "Deutsch"), ("en", "English"))),
        SettingList("level", "speech", "normal", (("terse", "terse"), ("normal", "normal"))),
        SettingList("volume", "volume", "70", tuple((str(n), str(n)) for n in range(10, 101, 10))),
        SettingList("hints", "hints", "none", (("none", "none"),)),
    ),
    parts=(
        PartAsked("display", "display", "works"),
        PartAsked("reader seat-1", "reader seat 1", "lost", "2026-11-27T09:00:00+00:00", "Look."),
        PartAsked("lamps", "lamps", "unchecked"),
    ),
)


class Mosquitto:
    """A real mosquitto, which can be killed and started again. It keeps nothing on a disk."""

    def __init__(self, folder: Path, settings: str = ANYBODY, port: int = 0) -> None:
        assert MOSQUITTO is not None
        self.port = port or free_port()
        file = folder / "mosquitto.conf"
        # Started by root, it would else become a user who cannot read the test's files.
        listener = f"user root\nlistener {self.port} 127.0.0.1\n"
        file.write_text(listener + settings, encoding="utf-8")
        self._command = [MOSQUITTO, "-c", str(file)]
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start the broker, and wait until it listens."""
        self._process = subprocess.Popen(
            self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end_s = time.monotonic() + PATIENCE_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 0.2).close()
            except OSError:
                assert time.monotonic() < end_s, "mosquitto does not listen"
                time.sleep(0.02)
            else:
                return

    def kill(self) -> None:
        """Kill the broker, which loses all that it has retained."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def config(self, **others: Any) -> MqttConfig:
        """Return the settings of a table at this broker."""
        return MqttConfig(on=True, broker="127.0.0.1", port=self.port, **others)


@contextmanager
def mosquitto(folder: Path, settings: str = ANYBODY) -> Iterator[Mosquitto]:
    """Yield a running mosquitto."""
    broker = Mosquitto(folder, settings)
    try:
        yield broker
    finally:
        broker.kill()


class Onlooker:
    """A client at the broker that remembers what it hears."""

    def __init__(self, client: aiomqtt.Client) -> None:
        self.client = client
        self.retained: dict[str, str] = {}  # as it was kept when this client came
        self.heard: list[tuple[str, str]] = []

    async def listen(self) -> None:
        async for message in self.client.messages:
            assert isinstance(message.payload, bytes)
            text = message.payload.decode()
            if message.retain:
                self.retained[str(message.topic)] = text
            else:
                self.heard.append((str(message.topic), text))

    def last(self, topic: str) -> str | None:
        """Return the newest message at *topic*."""
        found = [text for at, text in self.heard if at == topic]
        return found[-1] if found else self.retained.get(topic)

    async def press(self, command: str, payload: str = "PRESS", *, retain: bool = False) -> None:
        """Publish a command for the table."""
        await self.client.publish(f"tapmat/tapmat/do/{command}", payload, 1, retain)


@asynccontextmanager
async def onlooker(port: int, user: str | None = None) -> AsyncIterator[Onlooker]:
    """Yield a client that hears everything."""
    async with aiomqtt.Client("127.0.0.1", port, username=user, password=user) as client:
        await client.subscribe("#", qos=1)
        looker = Onlooker(client)
        listening = asyncio.ensure_future(looker.listen())
        try:
            yield looker
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)


async def until(happened: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not happened():
            await asyncio.sleep(0.01)


def quiet_table(folder: Path, **others: Any) -> QuietTable:
    """Return a table with a game of Straw and a host, without a mat."""
    table = QuietTable(folder, **others)
    table.outlet.private = {None: HostState(HOST)}
    return table


@asynccontextmanager
async def connected(table: QuietTable, config: MqttConfig) -> AsyncIterator[HouseTable]:
    """Run the connection of *table* to a broker."""
    house = HouseTable(config, table.path)
    running = asyncio.ensure_future(house.run())
    try:
        yield house
    finally:
        while not running.done():  # as in run_together
            running.cancel()
            await asyncio.wait({running}, timeout=GOODBYE_S * 2)
        assert running.cancelled() or running.result() is None


class Refuser:
    """A broker that answers each connection with the code *code* of MQTT 3.1.1, or with noise."""

    def __init__(self, code: int | None) -> None:
        self._code = code
        self.connections: list[bytes] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        noise = b"HTTP/1.1 400 Bad Request\r\n\r\n"
        with closing(writer):
            self.connections.append(await reader.read(1000))
            writer.write(noise if self._code is None else bytes((0x20, 2, 0, self._code)))
            with suppress(OSError):
                await writer.drain()


@asynccontextmanager
async def refuser(code: int | None) -> AsyncIterator[tuple[Refuser, MqttConfig]]:
    """Yield a refusing broker, and the settings of a table at it."""
    broker = Refuser(code)
    server = await asyncio.start_server(broker.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield broker, MqttConfig(on=True, broker="127.0.0.1", port=port, user="ann")
    finally:
        server.close()
        await asyncio.sleep(0.05)  # for the connections that are just made


def environment(password: str) -> Mapping[str, str]:
    """Return an environment with the password."""
    return {PASSWORD: password}
