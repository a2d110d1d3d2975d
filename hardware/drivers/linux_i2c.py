"""An I2C bus of the computer, through Linux's /dev/i2c-N.

May import: the standard library.
May be imported by: hardware.drivers.pi, tests.
Source: the Linux kernel's Documentation/i2c/dev-interface.rst, and linux/i2c-dev.h.

Blinka, Adafruit's own implementation of busio, is not used: it must identify the board before it
opens a bus. Every Pi has these device files.
"""

import errno
import os
import threading

I2C_SLAVE = 0x0703  # ioctl that sets the 7-bit address of reads and writes. linux/i2c-dev.h


class LinuxI2c:
    """One I2C bus with the methods of ``busio.I2C``, as a ``hardware.ports.I2cBus``.

    The kernel sets the bit rate at boot (``i2c_arm_baudrate``); a program cannot change it.

    Args:
        path: the device file, for example "/dev/i2c-1".

    Raises:
        OSError: the device file cannot be opened.
        ImportError: this system is not a Unix.
    """

    def __init__(self, path: str) -> None:
        from fcntl import ioctl  # only on Unix, but this file is imported everywhere

        self._ioctl = ioctl
        self._lock = threading.Lock()
        self._file = os.open(path, os.O_RDWR)
        self._is_open = True

    def try_lock(self) -> bool:
        """Claim the bus; return False if it is claimed already."""
        return self._lock.acquire(blocking=False)

    def unlock(self) -> None:
        """Release the bus."""
        self._lock.release()

    def writeto(
        self,
        address: int,
        buffer: bytes,
        *,
        start: int = 0,
        end: int | None = None,
        stop: bool = True,
    ) -> None:
        """Write ``buffer[start:end]`` to the 7-bit *address* in one transaction.

        Raises:
            OSError: no chip acknowledged.
            ValueError: *stop* is False; i2c-dev ends every write with a stop.
        """
        self._turn_to(address, stop)
        os.write(self._file, bytes(buffer[start:end]))

    def readfrom_into(
        self,
        address: int,
        buffer: bytearray,
        *,
        start: int = 0,
        end: int | None = None,
        stop: bool = True,
    ) -> None:
        """Fill ``buffer[start:end]`` from the 7-bit *address*.

        Raises:
            OSError: no chip acknowledged, or the kernel returned fewer bytes than were asked for.
            ValueError: *stop* is False; i2c-dev ends every read with a stop.
        """
        self._turn_to(address, stop)
        window = memoryview(buffer)[start:end]
        read = os.read(self._file, len(window))
        if len(read) < len(window):
            raise OSError(errno.EIO, f"only {len(read)} of {len(window)} bytes were read")
        window[:] = read

    def _turn_to(self, address: int, stop: bool) -> None:
        if not stop:
            raise ValueError("stop must be True, because i2c-dev ends every transfer with a stop")
        self._ioctl(self._file, I2C_SLAVE, address)

    def close(self) -> None:
        """Close the device file; safe to call twice."""
        if self._is_open:
            os.close(self._file)
        self._is_open = False
