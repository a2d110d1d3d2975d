"""A program whose device calls are answered.

May import: the standard library and this package's modules for the filter and its answers.
"""

import errno
import os
import platform
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from fakepi.kernel.abi import ABIS
from fakepi.kernel.files import PiFiles
from fakepi.kernel.filter import END_NUMBER, filter_program
from fakepi.kernel.supervisor import RealTime, Supervisor
from fakepi.kernel.support import NodesUnsupported, check_support

LAUNCHER = Path(__file__).with_name("launch.py")
STOP_S = 5.0  # a program that ends later is killed
ALLOW = (
    "Run it outside the container; or let the container use seccomp, with Docker: "
    "--security-opt seccomp=unconfined"
)


class PiProgram:
    """A running program whose device calls are answered, as a context manager that ends it.

    The thread that starts it must live as long as the program: when that thread ends, even by
    ``kill -9``, the kernel ends the program too.

    Args:
        command: the program and its arguments.
        files: the Pi's files that it sees.
        time: the clock of the emulated chips.
        lock: held while a call is answered, so that people act only between calls.
        options: passed on to ``subprocess.Popen``, such as ``env`` or ``stdout``.

    Raises:
        NodesUnsupported: this computer cannot emulate device nodes.
        OSError: the command cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        files: PiFiles,
        time: RealTime,
        lock: AbstractContextManager[object],
        **options: Any,
    ) -> None:
        check_support()
        abi = ABIS[platform.machine()]
        report, theirs = socket.socketpair()
        with report:
            with theirs:
                launcher = (sys.executable, "-I", "-S", str(LAUNCHER), str(theirs.fileno()))
                code = filter_program(abi).hex()
                self.process = subprocess.Popen(
                    (*launcher, str(abi.seccomp), code, *command),
                    pass_fds=(theirs.fileno(), *options.pop("pass_fds", ())),
                    **options,
                )
            try:
                listener = _listener(report)
                _raise_limit(self.process.pid)
                self.supervisor = Supervisor(listener, abi, files, time, lock)
                self._thread = threading.Thread(target=self.supervisor.run, daemon=True)
                self._thread.start()
                report.send(b"\0")
                _check_start(report, command[0])
            except BaseException:
                self.process.kill()
                self.process.wait()
                raise

    def wait(self, timeout_s: float | None = None) -> int:
        """Wait until the program ends, and return its exit code.

        Raises:
            subprocess.TimeoutExpired: it runs on after *timeout_s*.
        """
        return self.process.wait(timeout_s)

    def send(self, number: int) -> None:
        """Send the program the signal *number*, which does not interrupt its device calls."""
        if self.process.poll() is None:
            self.supervisor.send(number, self.process.pid)

    def stop(self) -> int:
        """End the program with SIGTERM, or SIGKILL if it does not react; return its exit code."""
        self.send(signal.SIGTERM)
        try:
            return self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def close(self) -> None:
        """End the program and the answers. Its children get ENOSYS from then on."""
        self.stop()
        self.supervisor.stop()
        self._thread.join()

    def __enter__(self) -> "PiProgram":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def _listener(report: socket.socket) -> int:
    """Return the descriptor of the filter's listener, which the launcher sends on *report*.

    Raises:
        NodesUnsupported: the kernel refused the filter.
        InterruptedError: a signal, such as Ctrl-C, ended the launcher.
    """
    data, handles, _flags, _address = socket.recv_fds(report, 4, 1)
    if handles:
        return handles[0]
    if not data:
        raise InterruptedError(errno.EINTR, os.strerror(errno.EINTR))
    number = struct.unpack("i", data)[0]
    found = f"The kernel or a container refuses seccomp user notification ({os.strerror(number)})"
    raise NodesUnsupported(found, ALLOW)


def _raise_limit(process: int) -> None:
    """Raise the open-file limit of *process* to the numbers that devices get, if allowed."""
    soft, hard = resource.prlimit(process, resource.RLIMIT_NOFILE)
    if 0 <= soft < END_NUMBER and (hard < 0 or hard >= END_NUMBER):
        resource.prlimit(process, resource.RLIMIT_NOFILE, (END_NUMBER, hard))


def _check_start(report: socket.socket, program: str) -> None:
    """Wait until *program* has been started. Raises OSError if it cannot be."""
    if data := report.recv(4):
        number = struct.unpack("i", data)[0]
        raise OSError(number, os.strerror(number), program)
