"""Sealed messages between the companion and a phone, over plain HTTP.

A message is a NaCl box: encrypted and authenticated with a key that follows from the phone's key
pair and the companion's (X25519, XSalsa20, Poly1305; decision 0048). The companion's pair is new at
each start and never stored, so messages that were recorded before that cannot be decrypted or sent
again.

Each stream of a phone is a *session* with a random name. Every message names its session and has a
number, so a recorded message that is sent again is refused. Messages are padded, because their
length would reveal the size of a player's hand.
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

PAD = 1024  # bytes; every message is as long as a multiple of this
KEY_LENGTH = 32  # bytes
ACTS_A_SECOND, SAVED_UP = 3.0, 10.0


class BadSeal(ValueError):
    """A message cannot be decrypted, belongs to another session, or was sent before."""


@dataclass(eq=False)
class SealedSession:
    """The encrypted messages to and from one phone while its stream is open.

    *key* is the phone's public key, *viewer* the number of its viewer, and *box* encrypts and
    decrypts. *name* is the random name of the session, and *allowance* limits the rate of the
    phone's messages.
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
        """Return the next message to the phone, encrypted. *kind* says what *value* is."""
        self._sent += 1
        return self._seal({"down": self._sent, "kind": kind, "value": value})

    def seal_reply(self, number: int, value: Any) -> str:
        """Return the encrypted reply *value* to the phone's message with the number *number*."""
        return self._seal({"reply": number, "value": value})

    def _seal(self, message: dict[str, Any]) -> str:
        text = json.dumps({"session": self.name, **message}).encode("ascii")
        padded = text.ljust(-(-len(text) // PAD) * PAD)
        return b64encode(self.box.encrypt(padded)).decode("ascii")

    def accept(self, message: dict[str, Any]) -> int:
        """Return the number of the phone's *message*. The same number is not accepted twice.

        Raises:
            BadSeal: *message* belongs to another session, or was sent before.
        """
        number = message.get("up")
        if message.get("session") != self.name or type(number) is not int or number <= self._got:
            raise BadSeal("This message is not new.")
        self._got = number
        return number


class Sealer:
    """The companion's key pair, which is kept until the process ends."""

    def __init__(self) -> None:
        self._own = PrivateKey.generate()
        self.public = b64encode(bytes(self._own.public_key)).decode("ascii")

    def session(self, key: str, viewer: str) -> SealedSession:
        """Return a new session with the phone that has the public *key*, in base64.

        Raises:
            BadSeal: *key* is not a valid key.
        """
        return SealedSession(key, viewer, self._box(key))

    def _box(self, key: str) -> Box:
        try:
            raw = b64decode(key.encode("ascii"), validate=True)
            if len(raw) != KEY_LENGTH or b64encode(raw).decode("ascii") != key:
                raise BadSeal("This is not a valid key.")
            return Box(self._own, PublicKey(raw))
        except (Base64Error, UnicodeEncodeError, CryptoError, RuntimeError) as wrong:
            raise BadSeal("This is not a valid key.") from wrong


def unseal(sealed: str, box: Box) -> dict[str, Any]:
    """Return the decrypted message in *sealed*, which a phone has sent.

    Raises:
        BadSeal: it was not encrypted for *box*, or is not a JSON object.
    """
    try:
        text = box.decrypt(b64decode(sealed.encode("ascii"), validate=True))
        message = json.loads(text)
    except (ValueError, CryptoError, RecursionError) as wrong:  # Base64Error is a ValueError
        raise BadSeal("The message cannot be decrypted.") from wrong
    if not isinstance(message, dict):
        raise BadSeal("The message is not a JSON object.")
    return message
