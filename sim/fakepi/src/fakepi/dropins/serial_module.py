"""The drop-in for pyserial's ``serial``: a PN532 at a UART.

May import: the standard library and fakepi.
Source: pyserial 3.5 (documentation).
Missing: flow control, parity and the list of ports; settings other than rate and timeout change
nothing.
"""

import errno
import os
from typing import Any, ClassVar

from fakepi.board import FakePi, TracedUart
from fakepi.dropins.handle import Handle

LONGEST_S = 10.0  # that a read without a timeout waits


class SerialError(OSError):
    """The drop-in for ``serial.SerialException``."""


class SerialPort(Handle):
    """The drop-in for ``serial.Serial``: a port that a program opens, such as ``/dev/serial0``."""

    _pi: ClassVar[FakePi]

    def __init__(
        self,
        port: str | None = None,
        baudrate: int = 9600,
        *_framing: Any,
        timeout: float | None = None,
        **_other: Any,
    ) -> None:
        self.port, self.baudrate, self.timeout = port, baudrate, timeout
        self._opened: TracedUart | None = None
        if port is not None:
            self.open()

    @property
    def is_open(self) -> bool:
        """True while the port is open."""
        return self._opened is not None

    def open(self) -> None:
        """Open the port.

        Raises:
            SerialError: nothing is wired to it.
        """
        try:
            self._opened = self._pi.uart(str(self.port).removeprefix("/dev/"))
        except LookupError as missing:
            text = f"could not open port {self.port}: {os.strerror(errno.ENOENT)}"
            raise SerialError(errno.ENOENT, text) from missing

    def close(self) -> None:
        """Close the port."""
        self._opened = None

    @property
    def in_waiting(self) -> int:
        """The number of bytes that have arrived."""
        return self._uart().in_waiting

    def write(self, data: bytes) -> int:
        """Send *data*, and return the number of bytes sent."""
        return self._uart().write(data)

    def read(self, size: int = 1) -> bytes:
        """Return *size* bytes, or fewer after the timeout.

        Raises:
            RuntimeError: there is no timeout, and the bytes do not come within 10 s.
        """
        uart = self._uart()
        uart.timeout = LONGEST_S if self.timeout is None else self.timeout
        received = uart.read(size) or b""
        if self.timeout is None and len(received) < size:
            raise RuntimeError(f"read({size}) would wait for ever: the chip sent only {received!r}")
        return received

    def reset_input_buffer(self) -> None:
        """Drop the bytes that have arrived."""
        self._uart().reset_input_buffer()

    def flush(self) -> None:
        """Do nothing, because ``write`` has already sent everything."""
        self._uart()

    def _uart(self) -> TracedUart:
        if self._opened is None:
            raise SerialError("Attempting to use a port that is not open")
        self._opened.baud = self.baudrate
        return self._opened
