"""Emulated chips behind a socket, for programs of microcontrollers that are compiled for a PC.

May import: the standard library and fakepi. ``c/fakepi.h`` is the other end.

Each connection gets its own circuit, with a virtual clock that starts at 0: transfers, waits
and frames on the air take no real time. A request is a byte for the operation, two bytes *a* and
*b*, a zero, and the 32-bit number *n*, little endian; some are followed by *n* bytes. The answer
is a byte, 0 or an error number, and after a 0 the result::

    T  transfer n bytes on SPI bus a, chip select b       n bytes received
    H  clock SPI bus a, chip select b at n hertz
    W  write n bytes to I2C bus a, address b
    I  read n bytes from I2C bus a, address b             n bytes
    M  make pin a an input (b = 0), an output (1), or an input with pull-up (2)
    S  set pin a to level b
    R  read pin a                                         one byte, 0 or 1
    U  tell the time                                      8 bytes, microseconds
    D  wait n microseconds
"""

import errno
import struct
import sys
from collections.abc import Callable, Mapping
from socketserver import BaseServer, StreamRequestHandler, ThreadingMixIn
from typing import NamedTuple

from fakepi.circuit import Circuit
from fakepi.clock import VirtualClock
from fakepi.i2c import I2cBus
from fakepi.kernel.pins import Header, LinePin
from fakepi.spi import SpiDevice

REQUEST = struct.Struct("<cBBxI")
WITH_DATA = (b"T", b"W")
LONGEST = 4096  # bytes of a transfer
SPI_HZ = 4_000_000  # as Arduino's libraries for the RC522 set it
# Each call takes this much of the chips' time, about as long as digitalWrite() on an Arduino Uno.
# So a program that only looks at the clock sees it advance.
CALL_NS = 4_000
NS_PER_US = 1_000


class Request(NamedTuple):
    """A request. The module's docstring explains its parts."""

    operation: bytes
    a: int
    b: int
    n: int
    data: bytes


class BridgedBoard:
    """A microcontroller board with *circuit* around it. It carries out requests."""

    def __init__(self, circuit: Circuit) -> None:
        self._circuit = circuit
        self._spi: dict[str, SpiDevice] = {}
        self._levels: dict[int, bool] = {}
        self._operations: Mapping[bytes, Callable[[Request], bytes]] = {
            b"T": self._transfer,
            b"H": self._set_rate,
            b"W": self._write,
            b"I": self._read,
            b"M": self._set_mode,
            b"S": self._set_pin,
            b"R": self._read_pin,
            b"U": lambda request: struct.pack("<Q", circuit.clock.now_ns // NS_PER_US),
            b"D": self._wait,
        }

    def carry_out(self, request: Request) -> bytes:
        """Carry out *request*; return the answer."""
        self._circuit.clock.advance_ns(CALL_NS)
        operation = self._operations.get(request.operation)
        if operation is None:
            return bytes([errno.EINVAL])
        try:
            return b"\0" + operation(request)
        except KeyError:
            return bytes([errno.ENODEV])  # nothing is wired there
        except OSError as refused:
            return bytes([refused.errno or errno.EIO])
        except ValueError as wrong:  # a chip got a byte that its data sheet does not define
            print(f"fakepi bridge: {wrong}", file=sys.stderr)
            return bytes([errno.EIO])

    def _device(self, request: Request) -> SpiDevice:
        spi = f"{request.a}.{request.b}"
        if spi not in self._spi:
            self._spi[spi] = self._circuit.open_spi(spi, SPI_HZ, overhead_ns=0)
        return self._spi[spi]

    def _transfer(self, request: Request) -> bytes:
        return bytes(self._device(request).xfer2(list(request.data)))

    def _set_rate(self, request: Request) -> bytes:
        self._device(request).max_speed_hz = request.n
        return b""

    def _bus(self, request: Request) -> I2cBus:
        bus = self._circuit.i2c[request.a]
        bus.try_lock()
        return bus

    def _write(self, request: Request) -> bytes:
        self._bus(request).writeto(request.b, request.data)
        return b""

    def _read(self, request: Request) -> bytes:
        data = bytearray(request.n)
        self._bus(request).readfrom_into(request.b, data)
        return bytes(data)

    def _pin(self, number: int) -> LinePin:
        if number >= Header.LINES:
            raise OSError(errno.EINVAL, f"there is no pin {number}")
        return self._circuit.pins.pin(number)

    def _set_mode(self, request: Request) -> bytes:
        pin = self._pin(request.a)
        if request.b == 1:
            pin.output(self._levels.get(request.a, False))
        else:
            pin.pull(True if request.b == 2 else None)
            pin.output(None)
        return b""

    def _read_pin(self, request: Request) -> bytes:
        self._circuit.update_interrupts()
        return bytes([self._pin(request.a).level])

    def _set_pin(self, request: Request) -> bytes:
        self._levels[request.a] = bool(request.b)
        self._pin(request.a).output(bool(request.b))
        return b""

    def _wait(self, request: Request) -> bytes:
        self._circuit.clock.advance_ns(request.n * NS_PER_US)
        return b""


class _Connection(StreamRequestHandler):
    """A handler that answers the requests on one connection, until its program closes it."""

    def handle(self) -> None:
        """Answer the requests of one program until it closes the connection."""
        assert isinstance(self.server, BridgeServer)
        board = BridgedBoard(self.server.make_circuit(VirtualClock()))
        read, write = self.rfile.read, self.wfile.write
        while len(header := read(REQUEST.size)) == REQUEST.size:
            operation, a, b, n = REQUEST.unpack(header)
            if n > LONGEST and operation in b"TWI":
                write(bytes([errno.EMSGSIZE]))
                return
            data = read(n) if operation in WITH_DATA else b""
            write(board.carry_out(Request(operation, a, b, n, data)))


try:
    from socketserver import UnixStreamServer as _StreamServer
except ImportError:  # Windows
    _StreamServer = BaseServer  # type: ignore[assignment,misc]
HAS_SOCKETS = _StreamServer is not BaseServer
NO_SOCKETS = "The bridge needs Unix sockets, which Python does not have on this system. Use WSL."


class BridgeServer(ThreadingMixIn, _StreamServer):
    """The bridge on the socket *path*. Each connection gets a new circuit.

    Args:
        path: the socket's file, which is created.
        make_circuit: returns a circuit with its tags, on a clock.

    Raises:
        OSError: the socket cannot be made, for example because the file exists.
    """

    daemon_threads = True

    def __init__(self, path: str, make_circuit: Callable[[VirtualClock], Circuit]) -> None:
        self.make_circuit = make_circuit
        super().__init__(path, _Connection)
