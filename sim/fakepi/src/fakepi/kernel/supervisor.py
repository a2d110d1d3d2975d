"""The thread that answers a program's handed-over calls.

May import: the standard library and this package's modules for files, nodes and calls.
"""

import errno
import logging
import os
import select
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from typing import Protocol

from fakepi.kernel.abi import ProcessorAbi
from fakepi.kernel.descriptors import Descriptors
from fakepi.kernel.files import PiFiles
from fakepi.kernel.memory import Memory
from fakepi.kernel.notify import CONTINUE, Gone, SystemCall, receive
from fakepi.kernel.paths import PathCalls

F_DUPFD, F_DUPFD_CLOEXEC = 0, 1030
MOST_BYTES = 1 << 16  # of a write that are read; no device accepts as many

SIGNAL_S = 0.5  # to wait for a good moment for a signal

log = logging.getLogger(__name__)

Answer = Callable[[SystemCall], object]


class RealTime(Protocol):
    """The time of the emulated chips, which follows the computer's clock."""

    def catch_up(self) -> None:
        """Advance to now, with everything that is due."""
        ...

    @property
    def next_call_s(self) -> float | None:
        """The seconds until a scheduled call is due; None if there is none."""
        ...


class Supervisor:
    """A loop that answers the calls that the kernel reports on *listener*, until the program ends.

    Args:
        listener: the descriptor of the program's seccomp filter; it is closed at the end.
        abi: the calls of this computer's processor.
        files: the Pi's files.
        time: the clock of the emulated chips.
        lock: held while a call is answered, so that people act only between calls.
    """

    def __init__(
        self,
        listener: int,
        abi: ProcessorAbi,
        files: PiFiles,
        time: RealTime,
        lock: AbstractContextManager[object],
    ) -> None:
        self.calls = 0
        self.descriptors = Descriptors(files.all_open)
        self._listener = listener
        self._time = time
        self._lock = lock
        self._memory = Memory()
        self._signal: tuple[int, int] | None = None  # to be sent, and to which process
        self._stop, self._wake = os.pipe()
        paths = PathCalls(abi, files, self.descriptors)
        by_name: Mapping[str, Answer] = {
            **paths.answers,
            "ioctl": self._ioctl,
            "read": self._read,
            "write": self._write,
            "dup": lambda call: self.descriptors.copy(call, None, is_kept=True),
            "dup2": self._dup2,
            "dup3": self._dup3,
            "fcntl": self._fcntl,
        }
        self._answers = {number: by_name[name] for name, number in abi.numbers.items()}

    def run(self) -> None:
        """Answer calls until the program has ended, or ``stop`` is called."""
        poll = self.descriptors.poll
        poll.register(self._listener, select.POLLIN)
        poll.register(self._stop, select.POLLIN)
        try:
            while self._turn_once(poll):
                pass
        finally:
            with self._lock:
                self.descriptors.close()
            for handle in (self._listener, self._stop):
                os.close(handle)

    def send(self, signal: int, process: int, limit_s: float = SIGNAL_S) -> None:
        """Send *signal* to *process* while its main thread waits for an answer.

        The kernel then holds the signal back until the answer is there. At another moment it could
        interrupt a call, which never happens on a Pi (EINTR). If there is no such moment within
        *limit_s*, the signal is sent all the same.
        """
        self._signal = (signal, process)
        until_s = time.monotonic() + limit_s
        while self._signal is not None and time.monotonic() < until_s:
            time.sleep(0.001)
        with self._lock:
            self._send_now()

    def _send_now(self) -> None:
        if self._signal is not None:
            number, process = self._signal
            self._signal = None
            with suppress(ProcessLookupError):
                os.kill(process, number)

    def stop(self) -> None:
        """Make ``run`` return soon. Calls that are still waiting then fail with ENOSYS."""
        os.close(self._wake)

    def _turn_once(self, poll: select.poll) -> bool:
        """Wait for a call or an event of the clock and handle it; return False at the end."""
        wait_s = self._time.next_call_s
        ready = dict(poll.poll(None if wait_s is None else wait_s * 1000 + 1))
        if self._stop in ready:
            return False
        listens = ready.get(self._listener, 0)
        call = receive(self._listener, self._memory) if listens & select.POLLIN else None
        with self._lock:
            self._time.catch_up()
            self._hang_up(poll)
            if call is not None:
                self._answer(call)
        return not listens or bool(listens & select.POLLIN)

    def _hang_up(self, poll: select.poll) -> None:
        """Close the devices that the program has closed, maybe just before its present call.

        The kernel reports the newest call first, even if an older one woke this thread.
        """
        for handle, _event in poll.poll(0):
            if handle not in (self._listener, self._stop):
                self.descriptors.hang_up(handle)

    def _answer(self, call: SystemCall) -> None:
        self.calls += 1
        if self._signal is not None and self._signal[1] == call.thread:
            self._send_now()
        try:
            call.finish(self._answers[call.number](call))
        except Gone:
            pass
        except OSError as error:
            call.finish(-(error.errno or errno.EIO))
        except ValueError as wrong:  # from a chip, as `fakepi.bridge` has it too
            log.error("A chip got what its data sheet does not define: %s", wrong)
            call.finish(-errno.EIO)
        except Exception:
            log.exception("A device could not answer the system call %d", call.number)
            call.finish(-errno.EIO)

    def _ioctl(self, call: SystemCall) -> object:
        node = self.descriptors.node_at(call)
        if node is None:
            return CONTINUE
        return node.ioctl(call, call.arguments[1] & 0xFFFFFFFF, call.arguments[2])

    def _read(self, call: SystemCall) -> object:
        node = self.descriptors.node_at(call)
        if node is None:
            return CONTINUE
        data = node.read(min(call.arguments[2], MOST_BYTES))
        call.write(call.arguments[1], data)
        return len(data)

    def _write(self, call: SystemCall) -> object:
        node = self.descriptors.node_at(call)
        if node is None:
            return CONTINUE
        return node.write(call.read(call.arguments[1], min(call.arguments[2], MOST_BYTES)))

    def _dup2(self, call: SystemCall) -> object:
        old, new = (number & 0xFFFFFFFF for number in call.arguments[:2])
        return CONTINUE if old == new else self.descriptors.copy(call, new, is_kept=True)

    def _dup3(self, call: SystemCall) -> object:
        old, new, flags = (number & 0xFFFFFFFF for number in call.arguments[:3])
        if old == new:
            return CONTINUE
        return self.descriptors.copy(call, new, is_kept=not flags & os.O_CLOEXEC)

    def _fcntl(self, call: SystemCall) -> object:
        request = call.arguments[1] & 0xFFFFFFFF
        if request not in (F_DUPFD, F_DUPFD_CLOEXEC):
            return CONTINUE
        return self.descriptors.copy(call, None, is_kept=request == F_DUPFD)
