"""Sealed messages between the companion and a phone, over plain HTTP.

A message is a NaCl box: encrypted and authenticated with a key that follows from the phone's key
pair and the companion's (X25519, XSalsa20, Poly1305; decision 0048). The companion's pair is new
at each start and never stored, so nothing that was recorded before can be opened or sent again.

Each stream of a phone is a *session* with a random name. Every message names its session and has a
number, so a message that was recorded is refused. Messages are padded, because the length of a hand
would tell something about it.
"""

import json
import secrets
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from dataclasses import dataclass, field
from typing import Any

from nacl.exceptions import CryptoError
from nacl.public import Box, PrivateKey, PublicKey

from firmware.common.allowance import Allowance

PAD = 512  # bytes; every message is as long as a multiple of this
KEY_LENGTH = 32  # bytes
ACTS_A_SECOND, SAVED_UP = 3.0, 10.0


class BadSeal(ValueError):
    """A message was not sealed by the phone, for this session, or was sent before."""


@dataclass(eq=False)
class SealedSession:
    """The sealed messages from and to one phone while its stream is open.

    *viewer* is the name under which the phone may look on.
    """

    key: str
    viewer: str
    box: Box
    name: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    allowance: Allowance = field(default_factory=lambda: Allowance(ACTS_A_SECOND, SAVED_UP))
    is_acting: bool = False  # an act waits for the table
    _sent: int = 0
    _got: int = 0

    def seal(self, kind: str, value: Any) -> str:
        """Return the next message to the phone."""
        self._sent += 1
        return self._seal({"down": self._sent, "kind": kind, "value": value})

    def seal_reply(self, number: int, value: Any) -> str:
        """Return the reply to the phone's message with *number*."""
        return self._seal({"reply": number, "value": value})

    def _seal(self, message: dict[str, Any]) -> str:
        text = json.dumps({"session": self.name, **message}).encode("ascii")
        padded = text.ljust(-(-len(text) // PAD) * PAD)
        return b64encode(self.box.encrypt(padded)).decode("ascii")

    def accept(self, message: dict[str, Any]) -> int:
        """Return the number of the phone's *message*, and accept no such number again.

        Raises:
            BadSeal: it is of another session, or was sent before.
        """
        number = message.get("up")
        if message.get("session") != self.name or type(number) is not int or number <= self._got:
            raise BadSeal("This message is not new.")
        self._got = number
        return number


class Sealer:
    """The companion's key pair, which lives as long as the process."""

    def __init__(self) -> None:
        self._own = PrivateKey.generate()
        self.public = b64encode(bytes(self._own.public_key)).decode("ascii")

    def session(self, key: str, viewer: str) -> SealedSession:
        """Return a new session with the phone that has the public *key*, in base64.

        Raises:
            BadSeal: that is no key.
        """
        return SealedSession(key, viewer, self._box(key))

    def _box(self, key: str) -> Box:
        try:
            raw = b64decode(key.encode("ascii"), validate=True)
            if len(raw) != KEY_LENGTH or b64encode(raw).decode("ascii") != key:
                raise BadSeal("This is no key.")
            return Box(self._own, PublicKey(raw))
        except (Base64Error, UnicodeEncodeError, CryptoError, RuntimeError) as wrong:
            raise BadSeal("This is no key.") from wrong


def unseal(sealed: str, box: Box) -> dict[str, Any]:
    """Return the message in *sealed*, which a phone sent.

    Raises:
        BadSeal: it was not sealed with the key of *box*, or is no JSON object.
    """
    try:
        text = box.decrypt(b64decode(sealed.encode("ascii"), validate=True))
        message = json.loads(text)
    except (ValueError, CryptoError, RecursionError) as wrong:  # Base64Error is a ValueError
        raise BadSeal("This is not sealed.") from wrong
    if not isinstance(message, dict):
        raise BadSeal("This is no message.")
    return message
