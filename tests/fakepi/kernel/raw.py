"""Device calls in their raw form, for programs that run as children of the tests.

It imports only the standard library, and has its own copy of the numbers in the kernel's headers:
the code under test cannot lend it a wrong one.
"""

import ctypes
import errno
import fcntl
import os
import struct
from collections.abc import Callable, Sequence

SPI_IOC_WR_MODE, SPI_IOC_RD_MODE = 0x40016B01, 0x80016B01
SPI_IOC_WR_LSB_FIRST, SPI_IOC_RD_LSB_FIRST = 0x40016B02, 0x80016B02
SPI_IOC_WR_BITS_PER_WORD, SPI_IOC_RD_BITS_PER_WORD = 0x40016B03, 0x80016B03
SPI_IOC_WR_MAX_SPEED_HZ, SPI_IOC_RD_MAX_SPEED_HZ = 0x40046B04, 0x80046B04
SPI_IOC_WR_MODE32, SPI_IOC_RD_MODE32 = 0x40046B05, 0x80046B05
I2C_SLAVE, I2C_FUNCS, I2C_RDWR, I2C_SMBUS = 0x0703, 0x0705, 0x0707, 0x0720
READ_VERSION = bytes([0x80 | 0x37 << 1, 0])  # MFRC522 data sheet, table 8 and 8.1.2.3
TRANSFER = "<QQIIHBBBBBB"


def open_node(path: str) -> int:
    """Open a device to read and write."""
    return os.open(path, os.O_RDWR | os.O_CLOEXEC)


def error_of(act: Callable[[], object]) -> str:
    """Return the name of the error that *act* raises, or "" if it succeeds."""
    try:
        act()
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    return ""


def transfer(device: int, *sent: bytes, deselects: bool = False, bits: int = 8) -> list[bytes]:
    """Carry out one message with a transfer for each of *sent*; return what was received."""
    buffers = [
        (
            ctypes.create_string_buffer(data, len(data)),
            ctypes.create_string_buffer(max(len(data), 1)),
        )
        for data in sent
    ]
    message = bytearray(
        b"".join(
            struct.pack(
                TRANSFER, ctypes.addressof(out), ctypes.addressof(back), len(data), 0, 0, bits,
                deselects, 0, 0, 0, 0,
            )
            for data, (out, back) in zip(sent, buffers, strict=True)
        )
    )  # fmt: skip
    request = 1 << 30 | len(message) << 16 | ord("k") << 8
    moved = fcntl.ioctl(device, request, message, True)
    assert moved == sum(map(len, sent))
    return [back.raw[: len(data)] for data, (_out, back) in zip(sent, buffers, strict=True)]


def setting(device: int, request: int, size: int) -> int:
    """Return a setting of a spidev."""
    value = bytearray(size)
    fcntl.ioctl(device, request, value, True)
    return int.from_bytes(value, "little")


def change(device: int, request: int, size: int, value: int) -> None:
    """Change a setting of a spidev."""
    fcntl.ioctl(device, request, value.to_bytes(size, "little"))


def messages(bus: int, *parts: tuple[int, bytes | int]) -> list[bytes]:
    """Carry out one I2C_RDWR: each part has an address, and bytes to write or a count to read."""
    buffers = []
    table = b""
    for address, what in parts:
        is_read = isinstance(what, int)
        size = what if isinstance(what, int) else len(what)
        data = bytes(size) if isinstance(what, int) else what
        buffer = ctypes.create_string_buffer(data, max(size, 1))
        buffers.append((is_read, size, buffer))
        table += struct.pack("<HHHxxQ", address, int(is_read), size, ctypes.addressof(buffer))
    kept = ctypes.create_string_buffer(table, len(table))
    argument = struct.pack("<QIxxxx", ctypes.addressof(kept), len(parts))
    fcntl.ioctl(bus, I2C_RDWR, argument)
    return [buffer.raw[:size] for is_read, size, buffer in buffers if is_read]


def smbus(bus: int, kind: int, command: int, data: Sequence[int], *, is_read: bool) -> bytes:
    """Carry out one I2C_SMBUS transaction, and return its data."""
    buffer = ctypes.create_string_buffer(bytes(data), 34)
    argument = struct.pack("<BBxxIQ", int(is_read), command, kind, ctypes.addressof(buffer))
    fcntl.ioctl(bus, I2C_SMBUS, argument)
    return buffer.raw


# --- GPIO, linux/gpio.h ---

ACTIVE_LOW, INPUT, OUTPUT, RISING, FALLING = 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5
PULL_UP, PULL_DOWN = 1 << 8, 1 << 9


def chip_info(chip: int) -> tuple[str, str, int]:
    """Return name, label and number of lines of a GPIO chip."""
    name, label, lines = struct.unpack("32s32sI", fcntl.ioctl(chip, 0x8044B401, bytes(68)))
    return _text(name), _text(label), lines


def line_info(chip: int, offset: int) -> tuple[str, str, int, int]:
    """Return name, consumer, offset and flags of a line."""
    asked = bytes(64) + struct.pack("<I", offset) + bytes(188)
    info = fcntl.ioctl(chip, 0xC100B405, asked)
    name, consumer, found, _attributes, flags = struct.unpack_from("<32s32sIIQ", info)
    return _text(name), _text(consumer), found, flags


def request_lines(
    chip: int, offsets: Sequence[int], flags: int, *, values: int = 0, consumer: bytes = b""
) -> int:
    """Request lines of a chip, with the first *values* of outputs; return their descriptor."""
    request = bytearray(struct.pack("<64I", *offsets, *[0] * (64 - len(offsets))))
    request += consumer.ljust(32, b"\0") + _config(flags, values)
    request += struct.pack("<II20xi", len(offsets), 0, 0)
    assert len(request) == 592
    fcntl.ioctl(chip, 0xC250B407, request, True)
    lines: int = struct.unpack_from("<i", request, 588)[0]
    return lines


def _config(flags: int, values: int) -> bytes:
    has_values = bool(flags & OUTPUT)
    attribute = struct.pack("<I4xQQ", 2, values, (1 << 64) - 1) if has_values else b""
    return (struct.pack("<QI20x", flags, int(has_values)) + attribute).ljust(272, b"\0")


def set_config(lines: int, values: int, flags: int) -> None:
    """Change the flags of requested lines."""
    fcntl.ioctl(lines, 0xC110B40D, _config(flags, values))


def get_values(lines: int, mask: int) -> int:
    """Return the levels of requested lines, one bit each."""
    bits: int = struct.unpack("<QQ", fcntl.ioctl(lines, 0xC010B40E, struct.pack("<QQ", 0, mask)))[0]
    return bits


def set_values(lines: int, bits: int, mask: int) -> None:
    """Set the levels of requested lines."""
    fcntl.ioctl(lines, 0xC010B40F, struct.pack("<QQ", bits, mask))


def read_event(lines: int) -> tuple[int, ...]:
    """Return time, kind, offset and both numbers of the next edge."""
    data = os.read(lines, 48 * 16)
    assert len(data) == 48
    return struct.unpack("<QIIII24x", data)


def _text(data: bytes) -> str:
    return data.partition(b"\0")[0].decode()
