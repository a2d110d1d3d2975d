"""GPIO pins that wait for edges without using the processor.

lgpio looks at its pins every half millisecond, which costs more than a third of the processor time
of an idle table. Here, one thread sleeps until the kernel has an edge. Everything else is done by
gpiozero's pins for lgpio.

May import: the standard library, gpiozero and lgpio.
May be imported by: hardware.drivers.pi, tests.
Source: Linux, include/uapi/linux/gpio.h, version 2 of the interface.
"""

import os
import select
import struct
import time
from collections.abc import Callable
from fcntl import ioctl
from operator import itemgetter
from threading import Lock, Thread
from typing import Any

import lgpio
from gpiozero.pins.lgpio import LGPIOFactory, LGPIOPin

GET_LINE, GET_VALUES = 0xC250B407, 0xC010B40E  # ioctl requests
INPUT, EDGE_RISING, EDGE_FALLING = 1 << 2, 1 << 4, 1 << 5  # enum gpio_v2_line_flag
PULLS = {"up": 1 << 8, "down": 1 << 9, "floating": 1 << 10}
# struct gpio_v2_line_request: the lines, the name of their user, and the settings: flags, and no
# attributes. Then the number of lines, the size of the kernel's buffer, and the descriptor.
LINE_REQUEST = struct.Struct("<64I32sQI260xII20xi")
USER = b"tapmat"
VALUES = struct.Struct("<QQ")  # struct gpio_v2_line_values: levels and mask
EVENT = struct.Struct("<QI36x")  # struct gpio_v2_line_event: time in nanoseconds, and kind
RISING = 1
QUEUED_EVENTS = 256  # of a line, in the kernel; it drops older ones
EVENTS_AT_ONCE = 16
GATHER_S = 0.001  # so that edges of several lines can be sorted: the kernel queues them in threads

Report = Callable[[int, int], None]  # called with the new level and the time in nanoseconds
_Edge = tuple[int, int, Report]  # time in nanoseconds, new level, and the function to call


class EdgeWatcher:
    """A thread that reports the edges of GPIO lines. It starts with the first line.

    A line is given as the file descriptor that the kernel returns for a line request.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._reports: dict[int, Report] = {}  # by the line's descriptor
        self._poll = select.epoll()
        self._stop, self._wake = os.pipe()
        self._poll.register(self._stop, select.EPOLLIN)
        self._thread: Thread | None = None

    def watch(self, line: int, report: Report) -> None:
        """Call *report* on the thread with each edge of *line*: its new level and time in ns."""
        os.set_blocking(line, False)
        with self._lock:
            self._reports[line] = report
            self._poll.register(line, select.EPOLLIN)
        if self._thread is None:
            self._thread = Thread(target=self._run, name="edges", daemon=True)
            self._thread.start()

    def forget(self, line: int) -> None:
        """Stop reporting edges of *line*, and close it. Calling this again does nothing."""
        with self._lock:
            if self._reports.pop(line, None) is not None:
                os.close(line)

    def close(self) -> None:
        """End the thread and close all lines."""
        os.close(self._wake)
        if self._thread is not None:
            self._thread.join()
        for line in tuple(self._reports):
            self.forget(line)
        self._poll.close()
        os.close(self._stop)

    def _run(self) -> None:
        while True:
            ready = self._poll.poll()
            time.sleep(GATHER_S)
            edges: list[_Edge] = []
            while ready:
                for line, _event in ready:
                    if line == self._stop:
                        return
                    edges += self._read(line)
                ready = self._poll.poll(0)
            # Each line has its own queue, but an encoder is two of them.
            for at_ns, level, report in sorted(edges, key=itemgetter(0)):
                report(level, at_ns)

    def _read(self, line: int) -> list[_Edge]:
        with self._lock:  # so that nobody closes the line meanwhile, and its number is not reused
            report = self._reports.get(line)
            if report is None:
                return []
            try:
                events = os.read(line, EVENT.size * EVENTS_AT_ONCE)
            except BlockingIOError:
                return []
        return [(at_ns, int(kind == RISING), report) for at_ns, kind in EVENT.iter_unpack(events)]


class EdgePin(LGPIOPin):  # type: ignore[misc]  # gpiozero has no type hints
    """A pin of ``EdgeFactory``. While its edges are watched, lgpio does not hold its line."""

    _callback: "_WatchedLine | None"  # gpiozero cancels it when nobody wants the edges any more

    def _enable_event_detect(self) -> None:
        flags = INPUT | EDGE_RISING | EDGE_FALLING | PULLS[self.pull]
        lgpio.gpio_free(self.factory._handle, self._number)
        self._callback = _WatchedLine(self.factory, self._number, flags, self._report)

    def close(self) -> None:
        """Release the pin."""
        if self._callback is not None:
            self._callback.cancel()
            self._callback = None
        super().close()

    def _get_state(self) -> Any:
        watched = self._callback
        return super()._get_state() if watched is None else watched.is_high

    def _report(self, level: int, at_ns: int) -> None:
        with self._when_changed_lock:
            if self._when_changed is not None:
                self._call_when_changed(self.factory.chip, self._number, level, at_ns)


class EdgeFactory(LGPIOFactory):  # type: ignore[misc]  # gpiozero has no type hints
    """gpiozero's pin factory for lgpio, on /dev/gpiochip*chip*, with edges from an EdgeWatcher."""

    def __init__(self, chip: int) -> None:
        super().__init__(chip)
        self.pin_class = EdgePin
        self.watcher = EdgeWatcher()

    def close(self) -> None:
        """Release all pins and end the thread; safe to call twice."""
        is_open = self._handle is not None
        super().close()
        if is_open:
            self.watcher.close()


class _WatchedLine:
    """A line of the GPIO *number* whose edges are passed to *report*. It replaces lgpio's callback.

    Raises:
        OSError: the kernel refuses the line.
    """

    def __init__(self, factory: EdgeFactory, number: int, flags: int, report: Report) -> None:
        request = bytearray(LINE_REQUEST.size)
        LINE_REQUEST.pack_into(request, 0, number, *(0,) * 63, USER, flags, 0, 1, QUEUED_EVENTS, 0)
        chip = os.open(f"/dev/gpiochip{factory.chip}", os.O_RDWR | os.O_CLOEXEC)
        try:
            ioctl(chip, GET_LINE, request)
        finally:
            os.close(chip)
        self._handle = LINE_REQUEST.unpack(request)[-1]
        self._watcher = factory.watcher
        self._watcher.watch(self._handle, report)

    @property
    def is_high(self) -> bool:
        """True if the line is high now."""
        levels, _mask = VALUES.unpack(ioctl(self._handle, GET_VALUES, VALUES.pack(0, 1)))
        return bool(levels)

    def cancel(self) -> None:
        """Stop reporting edges, and release the line."""
        self._watcher.forget(self._handle)
