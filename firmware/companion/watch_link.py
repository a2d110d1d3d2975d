"""The watch link: an address with which others in the network watch without the six digits.

The host makes it and takes it back. Its page is a board: it can ask for nothing. The link is kept
in memory only, so it also ends with the companion.
"""

import secrets
from collections.abc import Callable

from firmware.companion.joining import SECRET_BYTES


class WatchLink:
    """The only watch link, while there is one.

    Args:
        address: returns this computer's address and port in the network, or "" without a network.
        end_pages: disconnects the pages that the link has opened.
    """

    def __init__(self, address: Callable[[], str], end_pages: Callable[[], None]) -> None:
        self._address, self._end_pages = address, end_pages
        self._secret = ""

    @property
    def url(self) -> str:
        """The link. It is empty if there is none, or if there is no network."""
        address = self._address() if self._secret else ""
        return f"http://{address}/#{self._secret}" if address else ""

    @property
    def is_open(self) -> bool:
        """True while there is a link, even without a network."""
        return bool(self._secret)

    def make(self) -> bool:
        """Make a link unless there is one; return False if there is no network."""
        if not self._address():
            return False
        self._secret = self._secret or secrets.token_urlsafe(SECRET_BYTES)
        return True

    def take_back(self) -> None:
        """End the link, and disconnect its pages."""
        self._secret = ""
        self._end_pages()

    def has(self, secret: str) -> bool:
        """Return True if *secret* is the link's. Its page also has it as its key.

        The comparison takes the same time for every *secret*.
        """
        given = secret.encode(errors="replace")
        return bool(self._secret) and secrets.compare_digest(given, self._secret.encode())
