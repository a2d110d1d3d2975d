"""Joining by the QR code: the secret that proves that a phone is in front of the table's display.

This module does no I/O. The secret is in the fragment of the address in the QR code, so a browser
does not send it when it opens the page; the page itself does. It changes at each start and after
``LIFETIME_S``, so that an old photo of the display is of no use.
"""

import secrets
from collections.abc import Callable
from ipaddress import AddressValueError, IPv4Address
from time import monotonic

LIFETIME_S = 4 * 3600.0
SECRET_BYTES = 16  # 22 characters in base64url
MOST_BYTES = 53  # in a QR code that fits on the display, as in firmware.show.qr


class JoinSecret:
    """The secret in the QR code at present. *clock* returns the time in seconds."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self.renew()

    def renew(self) -> None:
        """Make a new secret. The old one is no longer accepted."""
        self._text = secrets.token_urlsafe(SECRET_BYTES)
        self._until_s = self._clock() + LIFETIME_S

    @property
    def text(self) -> str:
        """The secret. If the old one has expired, this is a new one."""
        if self._clock() >= self._until_s:
            self.renew()
        return self._text

    def check(self, text: str) -> bool:
        """Return True if *text* is the secret.

        The comparison takes the same time for every *text*, so its duration reveals nothing.
        """
        return secrets.compare_digest(text.encode(errors="replace"), self.text.encode())


def join_url(address: str, port: int, secret: str) -> str:
    """Return the URL for the QR code.

    It is empty if *address* is not an IPv4 address, or if the URL is too long for the QR code.
    """
    try:
        url = f"http://{IPv4Address(address)}:{port}/j#{secret}"
    except AddressValueError:
        return ""
    return url if len(url) <= MOST_BYTES else ""
