"""The connection to the broker. It is made again whenever it ends, after a growing pause.

Each kind of fault is logged once, until the broker has been there again for some time.
"""

import asyncio
import logging
import os
import random
import socket
import ssl
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import aiomqtt
from paho.mqtt.reasoncodes import ReasonCode

from firmware.common.together import run_together
from firmware.config.mqtt_config import PASSWORD, MqttConfig

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0  # between two attempts; each is twice the one before
STEADY_S = 10.0  # a connection of this age ends the growth of the pauses
ANSWER_S = 10.0  # for the broker to answer
GOODBYE_S = 2.0  # for the last message
KEEPALIVE_S = 30
LONGEST_PASSWORD = 1000  # characters
MOST_HEARD = 1000  # messages that wait to be handled
# The codes of MQTT 3.1.1, section 3.2.2.3, in the numbers that paho gives them.
REFUSED: Final[Mapping[int, str]] = {
    133: "It does not accept the name of this table. Change [mqtt] id.",
    134: "It does not know this user or password. Correct [mqtt] user and the password.",
    135: "It does not let this user in. Correct [mqtt] user and the password.",
    136: "It says that it is not available.",
}
HAS_ENDED = (
    "The broker has stopped, or another table has the same [mqtt] id: then change one of them."
)
CHECK_PORT = "Check [mqtt] broker and port, and that the broker runs."
CHECK_TLS = "Check [mqtt] port and tls."

log = logging.getLogger(__name__)
_quiet = logging.getLogger(f"{__name__}.paho")  # what paho logs has no place in the table's log
_quiet.propagate = False
_quiet.addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class Publication:
    """A message to publish. The broker keeps one that *is_retained* for later clients."""

    topic: str
    payload: str
    is_retained: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """A message from the broker. One that *is_retained* was published before the connection."""

    topic: str
    payload: bytes
    is_retained: bool


@dataclass(frozen=True, slots=True)
class Subscriber:
    """A part of this program that uses the connection.

    *hear* is called with each message at one of *topics*, which may have wildcards. It must not
    wait. *serve* is run for each connection, and cancelled when the connection ends.
    """

    topics: tuple[str, ...]
    hear: Callable[["Heard"], None]
    serve: Callable[[], Coroutine[None, None, None]]


class CannotConnect(Exception):
    """The broker cannot be used. *kind* is a fixed name, and *why* a sentence without secrets."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(why)
        self.kind, self.why = kind, why


class BrokerConnection:
    """The connection to the broker of *config*, for all *subscribers*.

    The broker publishes *will* if the connection breaks. This class publishes it before it ends the
    connection. The password is looked for in *environment* first.
    """

    def __init__(
        self,
        config: MqttConfig,
        will: Publication,
        subscribers: Sequence[Subscriber],
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._config, self._will, self._subscribers = config, will, subscribers
        self._environment = environment
        self._client: aiomqtt.Client | None = None
        self._logged: set[str] = set()  # kinds of faults, since the broker was there for some time
        self._opened_s: float | None = None  # on the event loop's clock

    @property
    def is_open(self) -> bool:
        """True while messages can be published."""
        return self._client is not None

    async def run(self) -> None:
        """Keep the connection until this task is cancelled."""
        pause_s, clock = FIRST_PAUSE_S, asyncio.get_running_loop()
        while True:
            self._opened_s = None
            try:
                await self._use()
            except CannotConnect as fault:
                if self._opened_s is not None and clock.time() - self._opened_s > STEADY_S:
                    pause_s = FIRST_PAUSE_S
                    self._logged.clear()
                self._log_once(fault)
            await _pause(pause_s)
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)

    async def publish(self, message: Publication, qos: int = 1) -> bool:
        """Publish *message*; return False if the broker is away, or does not confirm it in time."""
        client = self._client
        if client is None:
            return False
        try:
            await client.publish(message.topic, message.payload, qos, retain=message.is_retained)
        except aiomqtt.MqttError as fault:
            log.debug("Not published at %s: %s", message.topic, fault)
            return False
        return True

    async def _use(self) -> None:
        """Connect, and pass on what is heard until the connection ends.

        Raises:
            CannotConnect: it could not be made, or has ended.
        """
        client = self._new_client()
        try:
            async with client:
                await self._talk(client)
        except aiomqtt.MqttError as fault:
            raise self._reason(fault) from fault

    async def _talk(self, client: aiomqtt.Client) -> None:
        """Pass on what is heard, and let the subscribers publish, until the connection ends.

        Raises:
            MqttError: it has ended.
        """
        for topic in {topic for each in self._subscribers for topic in each.topics}:
            await client.subscribe(topic, qos=1)
        self._client, self._opened_s = client, asyncio.get_running_loop().time()
        log.info("Connected to the broker %s.", self._where)
        serving = (each.serve() for each in self._subscribers)
        try:
            await run_together(self._listen(client), *serving, goodbye=self._say_goodbye)
        finally:
            self._client = None

    async def _say_goodbye(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(GOODBYE_S):
                await self.publish(self._will)

    async def _listen(self, client: aiomqtt.Client) -> None:
        async for message in client.messages:
            self._pass_on(message)

    def _pass_on(self, message: aiomqtt.Message) -> None:
        payload = message.payload if isinstance(message.payload, bytes) else b""
        heard = Heard(str(message.topic), payload, message.retain)
        for each in self._subscribers:
            if any(message.topic.matches(topic) for topic in each.topics):
                each.hear(heard)

    def _new_client(self) -> aiomqtt.Client:
        config = self._config
        return aiomqtt.Client(
            config.broker,
            config.port,
            username=config.user or None,
            password=self._password(),
            identifier=f"tapmat-{config.id}",
            will=aiomqtt.Will(self._will.topic, self._will.payload, 1, self._will.is_retained),
            tls_context=self._tls() if config.tls else None,
            timeout=ANSWER_S,
            keepalive=KEEPALIVE_S,
            max_queued_incoming_messages=MOST_HEARD,
            logger=_quiet,
        )

    def _password(self) -> str | None:
        """Return the password; None if there is none. It is read again for each connection."""
        if PASSWORD in self._environment:
            return self._environment[PASSWORD]
        file = self._config.password_file
        if file is None:
            return None
        try:
            with file.open(encoding="utf-8") as text:
                return text.readline(LONGEST_PASSWORD).rstrip("\r\n")
        except UnicodeDecodeError:
            raise CannotConnect("password file", f"{file} is not UTF-8.") from None
        except OSError as fault:
            why = f"{file} cannot be read: {fault.strerror or fault}."
            raise CannotConnect("password file", why) from fault

    def _tls(self) -> ssl.SSLContext:
        try:
            return ssl.create_default_context(cafile=self._config.ca_file)
        except (OSError, ssl.SSLError) as fault:
            why = f"{self._config.ca_file} has no certificates that can be used."
            raise CannotConnect("certificates", why) from fault

    def _reason(self, fault: aiomqtt.MqttError) -> CannotConnect:
        if isinstance(fault, aiomqtt.MqttCodeError):
            value = fault.rc.value if isinstance(fault.rc, ReasonCode) else fault.rc
            if isinstance(value, int) and value in REFUSED:
                return CannotConnect(f"refused {value}", REFUSED[value])
        match fault.__context__ or fault.__cause__:
            case ssl.SSLCertVerificationError() as wrong:
                why = f"Its certificate is not accepted: {wrong.verify_message.rstrip('.')}."
                return CannotConnect("certificate", f"{why} Check [mqtt] broker and ca_file.")
            case ssl.SSLError():
                return CannotConnect("tls", f"It does not speak TLS here. {CHECK_TLS}")
            case ConnectionResetError() if self._config.tls:  # mosquitto's answer to TLS
                return CannotConnect("tls", f"It seems not to speak TLS here. {CHECK_TLS}")
            case socket.gaierror():
                return CannotConnect("name", "Nobody knows this name. Check [mqtt] broker.")
            case TimeoutError():
                return CannotConnect("away", f"It does not answer. {CHECK_PORT} {CHECK_TLS}")
            case OSError() as wrong:
                return CannotConnect("away", f"{wrong.strerror or wrong}. {CHECK_PORT}")
        return CannotConnect("away", f"The connection has ended. {HAS_ENDED}")

    def _log_once(self, fault: CannotConnect) -> None:
        """Log *fault*, unless one of its kind was logged since the broker was there."""
        level = logging.DEBUG if fault.kind in self._logged else logging.WARNING
        self._logged.add(fault.kind)
        text = "No connection to the broker %s. %s Trying again."
        log.log(level, text, self._where, fault.why)

    @property
    def _where(self) -> str:
        return f"{self._config.broker}:{self._config.port}"


async def _pause(most_s: float) -> None:
    """Wait for half of *most_s* or longer: many tables must not come back at the same moment."""
    await asyncio.sleep(most_s * random.uniform(0.5, 1.0))
