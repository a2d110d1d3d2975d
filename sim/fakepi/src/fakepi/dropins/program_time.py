"""Functions of ``time``, ``threading`` and ``signal`` that let virtual time pass, not real time.

Only the thread that made the functions sleeps on the virtual clock; other threads sleep in real
time. Clocks that a program reads show real time and virtual time together, so they never stand
still. May import: the standard library and fakepi.
"""

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from fakepi.board import PiClock
from fakepi.clock import NS_PER_S

STEP_S = 0.001  # how late a waiting program notices an event
FOREVER_NS = 1 << 62


def time_functions(clock: PiClock) -> dict[str, Callable[..., Any]]:
    """Return replacements for functions of the module ``time``, by name."""
    owner = threading.get_ident()
    sleep_really = time.sleep

    def sleep(seconds: float, /) -> None:
        if threading.get_ident() != owner:
            sleep_really(seconds)
            return
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        clock.sleep(seconds)

    functions: dict[str, Callable[..., Any]] = {"sleep": sleep}
    for name in ("time", "monotonic", "perf_counter"):
        functions[name] = _seconds(getattr(time, name), clock)
        functions[f"{name}_ns"] = _nanoseconds(getattr(time, f"{name}_ns"), clock)
    return functions


def _seconds(real: Callable[[], float], clock: PiClock) -> Callable[[], float]:
    return lambda: real() + clock.now()


def _nanoseconds(real: Callable[[], int], clock: PiClock) -> Callable[[], int]:
    return lambda: real() + clock.now_ns


def event_wait(clock: PiClock) -> Callable[..., bool]:
    """Return a replacement for ``threading.Event.wait``.

    Waits that ``threading`` makes itself, such as that for the start of a thread, stay real.
    """
    owner = threading.get_ident()
    wait_really = threading.Event.wait

    def wait(event: threading.Event, timeout: float | None = None) -> bool:
        is_of_threading = sys._getframe(1).f_globals.get("__name__") == "threading"
        if threading.get_ident() != owner or is_of_threading:
            return wait_really(event, timeout)
        if timeout is None:
            while not wait_really(event, STEP_S):
                clock.advance(STEP_S)
            return True
        end_ns = clock.now_ns + round(timeout * NS_PER_S)
        while not event.is_set() and clock.now_ns < end_ns:
            clock.advance(min(STEP_S, (end_ns - clock.now_ns) / NS_PER_S))
            wait_really(event, 0)
        return event.is_set()

    return wait


def signal_pause(clock: PiClock) -> Callable[[], None]:
    """Return a replacement for ``signal.pause``: it lets time pass until an exception ends it.

    It raises RuntimeError if nothing is scheduled any more.
    """
    waiter = Waiter(clock)

    def pause() -> None:
        waiter.wait(lambda: False, None, "signal.pause()")

    return pause


class Waiter:
    """A wait for something: in virtual time in the thread that made it, in real time in others."""

    def __init__(self, clock: PiClock) -> None:
        self._clock = clock
        self._owner = threading.get_ident()
        self._sleep_really, self._now_really = time.sleep, time.monotonic

    def wait(self, has_come: Callable[[], bool], timeout_s: float | None, name: str) -> bool:
        """Let time pass until *has_come* returns True; return False if *timeout_s* passes first.

        Raises:
            RuntimeError: there is no timeout, and nothing is scheduled that could end the wait.
                *name* is what the program called.
        """
        if threading.get_ident() != self._owner:
            return self._wait_really(has_come, timeout_s)
        clock = self._clock
        end_ns = FOREVER_NS if timeout_s is None else clock.now_ns + round(timeout_s * NS_PER_S)
        while not has_come():
            if clock.now_ns >= end_ns:
                return False
            if timeout_s is None and clock.is_idle and not clock.needs_steps():
                raise RuntimeError(
                    f"{name} would wait for ever: nothing is scheduled. Before the call, write for "
                    "example: fakepi.clock.call_after(0.5, fakepi.pins[17].press)"
                )
            clock.advance(min(STEP_S, (end_ns - clock.now_ns) / NS_PER_S))
        return True

    def _wait_really(self, has_come: Callable[[], bool], timeout_s: float | None) -> bool:
        end_s = float("inf") if timeout_s is None else self._now_really() + timeout_s
        while not has_come():
            if self._now_really() >= end_s:
                return False
            self._sleep_really(STEP_S)
        return True
