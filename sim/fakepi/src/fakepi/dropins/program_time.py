"""The functions of ``time`` and ``threading`` that let virtual time pass instead of real time.

Only the thread that made them sleeps on the virtual clock; other threads sleep really. Clocks that
a program reads show real time and virtual time together, so they never stand still.
May import: the standard library and fakepi.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

from fakepi.board import PiClock
from fakepi.clock import NS_PER_S

STEP_S = 0.001  # how late a waiting program notices an event


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
        clock.advance(seconds)

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
    """Return a replacement for ``threading.Event.wait``."""
    owner = threading.get_ident()
    wait_really = threading.Event.wait

    def wait(event: threading.Event, timeout: float | None = None) -> bool:
        if threading.get_ident() != owner:
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
