"""The address of an MQTT broker, and a connection to it."""

import asyncio
import ssl
from dataclasses import dataclass, field
from hashlib import sha256

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


async def pause(wait_s: float) -> None:
    """Wait before the next attempt to connect.

    If a client is cancelled while its broker is slow, it raises an error of MQTT in place of the
    cancellation. So this first looks whether the current task was cancelled.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
    await asyncio.sleep(wait_s)


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
