"""The address of an MQTT broker, and a connection to it."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from hashlib import sha256
from random import random

import aiomqtt

from firmware.common.errors import TapmatError
from firmware.config.mqtt_config import TLS_PORT

KEEPALIVE_S = 20
CALL_S = 10.0  # the longest wait for an answer of the broker


class BrokerSettingsError(TapmatError):
    """The settings of the broker cannot be used."""


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """A broker at *host* and *port*, and the user that connects.

    *ca* is the certificate of the authority that signed the broker's, as PEM text; "" means those
    that this computer trusts. Without *tls*, password and messages can be read on the way.
    """

    host: str
    port: int = TLS_PORT
    tls: bool = True
    ca: str = field(default="", repr=False)
    user: str = ""
    password: str = field(default="", repr=False)


def client_of(
    address: BrokerAddress, role: str, will: aiomqtt.Will | None = None
) -> aiomqtt.Client:
    """Return a client for one *role* of its user, which connects when it is entered.

    It has no session to keep. A client of the same name ends its connection, so the name has a part
    that only those who know the password can tell.

    Raises:
        BrokerSettingsError: the certificate is none.
    """
    try:
        context = ssl.create_default_context(cadata=address.ca or None) if address.tls else None
    except (ssl.SSLError, ValueError) as fault:
        text = f"The certificate of the broker at {address.host} cannot be used: {fault}"
        raise BrokerSettingsError(text) from fault
    digest = sha256(f"{role} {address.password}".encode()).hexdigest()
    return aiomqtt.Client(
        address.host,
        address.port,
        identifier=f"{address.user}-{role}-{digest[:16]}",
        username=address.user or None,
        password=address.password or None,
        tls_context=context,
        keepalive=KEEPALIVE_S,
        timeout=CALL_S,
        clean_session=True,
        will=will,
    )


async def stay_connected(
    address: BrokerAddress,
    role: str,
    use: Callable[[aiomqtt.Client], Awaitable[None]],
    waits_s: tuple[float, float],
    will: aiomqtt.Will | None = None,
    tell: Callable[[aiomqtt.MqttError], None] = lambda fault: None,
) -> None:
    """Call *use* with each new connection for *role*, until this task is cancelled.

    The broker may come and go: *tell* gets each new error while it is away. The wait
    before the next attempt grows from the first of *waits_s* to the second.
    """
    shortest_s, longest_s = waits_s
    wait_s, told = shortest_s, ""
    while True:
        try:
            async with client_of(address, role, will) as client:
                wait_s, told = shortest_s, ""
                await use(client)
        except aiomqtt.MqttError as fault:
            if str(fault) != told:
                told = str(fault)
                tell(fault)
        await _pause(wait_s * (0.5 + random()))
        wait_s = min(wait_s * 2, longest_s)


async def _pause(wait_s: float) -> None:
    """Wait before the next attempt to connect.

    If a client is cancelled while its broker is slow, it raises an error of MQTT in place of the
    cancellation. So this first looks whether the current task was cancelled.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
    await asyncio.sleep(wait_s)
