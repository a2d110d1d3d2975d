"""The drop-in for ``gpiod``, version 2.

May import: the standard library and fakepi.
Source: the documentation of libgpiod 2.2 and of its Python bindings; linux/gpio.h.
Missing: file descriptors, and the watching of a line's status (``watch_line_info``, ``InfoEvent``).
Simplified: edges carry the virtual time, or with ``Clock.REALTIME`` the time of day.
"""

import errno
import os
import time
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from enum import Enum
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self, TypeAlias

from fakepi.board import FakePi
from fakepi.dropins.edges import Edges
from fakepi.dropins.gpiod_types import (
    Bias,
    ChipClosedError,
    ChipInfo,
    Clock,
    Direction,
    Drive,
    Edge,
    EdgeEvent,
    LineInfo,
    LineSettings,
    RequestReleasedError,
    Value,
)
from fakepi.dropins.program_time import Waiter
from fakepi.gpio import GPIOCHIP_LABEL, GPIOCHIPS, PINS, PiPin, Pull
from fakepi.kernel.line_flags import EDGES, LineFlag, check_flags

VERSION = "2.5.0"
PATHS = tuple(f"/dev/gpiochip{number}" for number in GPIOCHIPS)
EVENTS_PER_LINE = 16  # that the kernel keeps for a program by default
MOST_EVENTS_READ = 64  # by one call, by default


LineId: TypeAlias = int | str
LineConfig: TypeAlias = Mapping[Any, LineSettings | None]  # by a line, or by several

FLAGS: Mapping[Enum, LineFlag] = {
    Direction.INPUT: LineFlag.INPUT,
    Direction.OUTPUT: LineFlag.OUTPUT,
    Bias.DISABLED: LineFlag.NO_PULL,
    Bias.PULL_UP: LineFlag.PULL_UP,
    Bias.PULL_DOWN: LineFlag.PULL_DOWN,
    Drive.OPEN_DRAIN: LineFlag.OPEN_DRAIN,
    Drive.OPEN_SOURCE: LineFlag.OPEN_SOURCE,
    Edge.RISING: LineFlag.EDGE_RISING,
    Edge.FALLING: LineFlag.EDGE_FALLING,
    Clock.HTE: LineFlag.HARDWARE_TIME,
    Edge.BOTH: LineFlag.EDGE_RISING | LineFlag.EDGE_FALLING,
}
PULLS: Mapping[Bias, Pull] = {
    Bias.DISABLED: "off",
    Bias.PULL_UP: "up",
    Bias.PULL_DOWN: "down",
}
KINDS: Mapping[int, type[Exception]] = {
    errno.EINVAL: ValueError,
    errno.EOPNOTSUPP: NotImplementedError,
}
IDLE_LEVELS = {Drive.OPEN_DRAIN: 1, Drive.OPEN_SOURCE: 0}  # at which the pin is not driven


def _refusal(number: int) -> Exception:
    """Return the exception that the bindings raise for the kernel's error *number* (errno)."""
    return KINDS.get(number, OSError)(number, os.strerror(number))


def _flags(settings: LineSettings) -> LineFlag:
    """Return the kernel's flags for *settings*. Edge detection makes the line an input."""
    direction = settings.direction
    if settings.edge_detection is not Edge.NONE:
        direction = Direction.INPUT
    edges, clock = settings.edge_detection, settings.event_clock
    wanted: tuple[Enum, ...] = (direction, settings.bias, settings.drive, edges, clock)
    flags = LineFlag(0)
    for each in wanted:
        flags |= FLAGS.get(each, LineFlag(0))
    return flags


def _check(settings: LineSettings) -> None:
    try:
        check_flags(_flags(settings))
    except OSError as refused:
        raise _refusal(refused.errno or errno.EINVAL) from refused


def _each_line(config: LineConfig) -> Iterator[tuple[LineId, LineSettings | None]]:
    for key, settings in config.items():
        for line in (key,) if isinstance(key, int | str) else key:
            yield line, settings


def _seconds(timeout: timedelta | float | None) -> float | None:
    return timeout.total_seconds() if isinstance(timeout, timedelta) else timeout


class _Line:
    """A line that a program has requested."""

    def __init__(self, request: "LineRequest", pin: PiPin, settings: LineSettings) -> None:
        self.pin = pin
        self.events = 0
        self._request = request
        self._edges: Edges | None = None
        self.configure(settings)

    def configure(self, settings: LineSettings) -> None:
        """Apply *settings*.

        If edges were already being reported, an edge that this change causes is reported too.
        """
        self.settings = replace(settings)  # the program may change its own
        pull = PULLS.get(settings.bias, self.pin.pull)
        flags = _flags(settings)
        if flags & LineFlag.OUTPUT:
            self.pin.pull = pull
            self.set(settings.output_value)
        elif flags & LineFlag.INPUT:
            self.pin.make_input(pull)
        needs_edges = bool(flags & EDGES or settings.debounce_period)
        if needs_edges and self._edges is None:
            self._edges = Edges(self.pin, self._request.pi.clock, self._tell, self._debounce_ns)
        elif not needs_edges:
            self.end()

    def _debounce_ns(self) -> int:
        return self.settings.debounce_period // timedelta(microseconds=1) * 1000

    def end(self) -> None:
        """Stop reporting edges."""
        if self._edges is not None:
            self._edges.end()
        self._edges = None

    def get(self) -> Value:
        level = self.pin.level if self._edges is None else self._edges.level
        return Value(level ^ self.settings.active_low)

    def set(self, value: Value) -> None:
        level = value.value ^ self.settings.active_low
        if IDLE_LEVELS.get(self.settings.drive) == level:
            self.pin.make_input(self.pin.pull)
        else:
            self.pin.make_output(level)

    def _tell(self, level: int) -> None:
        is_rising = level != self.settings.active_low
        wanted = LineFlag.EDGE_RISING if is_rising else LineFlag.EDGE_FALLING
        if _flags(self.settings) & wanted:
            self.events += 1
            kind = EdgeEvent.Type.RISING_EDGE if is_rising else EdgeEvent.Type.FALLING_EDGE
            self._request._add_event(self, kind)


class LineRequest:
    """The lines that a program has requested together. `Chip.request_lines` makes it."""

    def __init__(
        self,
        lines: "_Lines",
        names: Mapping[LineId, int],
        settings: Mapping[int, LineSettings],
        consumer: str,
        most_events: int,
    ) -> None:
        self.pi, self.consumer = lines.pi, consumer
        self._taken, self._waiter = lines.taken, lines.waiter
        self._names = dict(names)
        self._events: deque[EdgeEvent] = deque(maxlen=most_events)  # the oldest are lost
        self._count = 0
        self._is_live = True
        self._lines = {
            offset: _Line(self, self.pi.pins[offset], each) for offset, each in settings.items()
        }
        self._taken.update(dict.fromkeys(self._lines, self))

    def __bool__(self) -> bool:
        """Return True until the lines are released."""
        return self._is_live

    def __enter__(self) -> Self:
        """Return the request itself."""
        self._check_live()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Release the lines."""
        self.release()

    def __repr__(self) -> str:
        return f"<LineRequest offsets={list(self._lines)}>" if self else "<LineRequest RELEASED>"

    def release(self) -> None:
        """Release the lines. They keep direction and level, as the kernel leaves them."""
        if self._is_live:
            self._is_live = False
            for offset, line in self._lines.items():
                line.end()
                del self._taken[offset]

    @property
    def chip_name(self) -> str:
        """The name of the chip."""
        self._check_live()
        return "gpiochip0"

    @property
    def num_lines(self) -> int:
        """The number of lines."""
        return len(self.offsets)

    @property
    def offsets(self) -> list[int]:
        """The offsets of the lines."""
        self._check_live()
        return list(self._lines)

    @property
    def lines(self) -> list[LineId]:
        """The lines, by name or offset, as they were requested."""
        self._check_live()
        return list(self._names)

    # Levels

    def get_value(self, line: LineId) -> Value:
        """Return the value of one line, given by name or offset."""
        return self.get_values([line])[0]

    def get_values(self, lines: Iterable[LineId] | None = None) -> list[Value]:
        """Return the values of *lines*, or of all lines.

        Raises:
            ValueError: a line is not in the request.
        """
        self._check_live()
        self.pi.clock.spend_pin_call()
        return [self._line(line).get() for line in lines or self._names]

    def set_value(self, line: LineId, value: Value) -> None:
        """Set the value of one line, given by name or offset."""
        self.set_values({line: value})

    def set_values(self, values: Mapping[LineId, Value]) -> None:
        """Set the values of lines.

        Raises:
            ValueError: a line is not in the request.
            PermissionError: a line is not an output.
        """
        self._check_live()
        wanted = [(self._line(line), value) for line, value in values.items()]
        if not all(_flags(line.settings) & LineFlag.OUTPUT for line, _ in wanted):
            raise _refusal(errno.EPERM)
        for line, value in wanted:
            line.set(value)
        self.pi.clock.spend_pin_call()

    def reconfigure_lines(self, config: LineConfig) -> None:
        """Change the settings of lines. Lines without settings in *config* get the default ones.

        Raises:
            ValueError: the settings exclude each other.
        """
        self._check_live()
        wanted: dict[int, LineSettings] = {}
        for line, settings in _each_line(config):
            offset = self._names.get(line, line)
            if offset in self._lines:
                wanted[int(offset)] = settings or LineSettings()
            else:
                kind = "name" if isinstance(line, str) else "offset"
                problem = f"Line {kind} '{line}' was not included in original request."
                warnings.warn(problem, stacklevel=2)
        for settings in wanted.values():
            _check(settings)
        for offset, each in self._lines.items():
            each.configure(wanted.get(offset, LineSettings()))

    # Edges

    def wait_edge_events(self, timeout: timedelta | float | None = None) -> bool:
        """Let time pass until there is an edge to read; return False after *timeout* (seconds).

        Raises:
            RuntimeError: there is no timeout, and nothing is scheduled that could cause an edge.
        """
        self._check_live()
        name = "wait_edge_events()"
        return self._waiter.wait(lambda: bool(self._events), _seconds(timeout), name)

    def read_edge_events(self, max_events: int | None = None) -> list[EdgeEvent]:
        """Return the edges since the last call; let time pass until there is one.

        Raises:
            RuntimeError: nothing is scheduled that could cause an edge.
        """
        self._check_live()
        self._waiter.wait(lambda: bool(self._events), None, "read_edge_events()")
        count = min(len(self._events), MOST_EVENTS_READ if max_events is None else max_events)
        return [self._events.popleft() for _ in range(count)]

    def _add_event(self, line: _Line, kind: EdgeEvent.Type) -> None:
        self._count += 1
        is_real = line.settings.event_clock is Clock.REALTIME
        at_ns = time.time_ns() if is_real else self.pi.clock.now_ns
        number = line.pin.number
        self._events.append(EdgeEvent(kind, at_ns, number, self._count, line.events))

    # Lines

    def _line(self, line: LineId) -> _Line:
        offset = self._names.get(line, line)
        if isinstance(offset, str):
            raise ValueError(f"unknown line name: {line}")
        if offset not in self._lines:
            raise _refusal(errno.EINVAL)
        return self._lines[offset]

    def _check_live(self) -> None:
        if not self._is_live:
            raise RequestReleasedError


class _Lines:
    """The lines of a fake Pi, and the request that each of them belongs to."""

    def __init__(self, pi: FakePi) -> None:
        self.pi = pi
        self.taken: dict[int, LineRequest] = {}
        self.waiter = Waiter(pi.clock)

    def info(self, offset: int) -> LineInfo:
        """Return the present settings and use of a line."""
        request, pin = self.taken.get(offset), self.pi.pins[offset]
        settings = LineSettings() if request is None else request._lines[offset].settings
        return LineInfo(
            offset=offset,
            name=f"GPIO{offset}",
            used=request is not None,
            consumer=None if request is None else request.consumer,
            direction=Direction.OUTPUT if pin.is_output else Direction.INPUT,
            active_low=settings.active_low,
            bias=Bias.UNKNOWN if settings.bias is Bias.AS_IS else settings.bias,
            drive=settings.drive,
            edge_detection=settings.edge_detection,
            event_clock=settings.event_clock,
            debounced=bool(settings.debounce_period),
            debounce_period=settings.debounce_period,
        )


class Chip:
    """A ``gpiod.Chip``: the object that a program gets when it opens ``/dev/gpiochip0``."""

    _lines: ClassVar[_Lines]

    def __init__(self, path: str) -> None:
        self._path: str | None = str(path)
        if not is_gpiochip_device(path):
            number = errno.ENOTTY if Path(path).exists() else errno.ENOENT
            raise OSError(number, os.strerror(number))

    def __bool__(self) -> bool:
        """Return True until the chip is closed."""
        return self._path is not None

    def __enter__(self) -> Self:
        """Return the chip itself."""
        self._check_open()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the chip."""
        self.close()

    def __repr__(self) -> str:
        return f'gpiod.Chip("{self._path}")' if self else "<Chip CLOSED>"

    def close(self) -> None:
        """Close the chip. The lines that were requested from it stay usable."""
        self._path = None

    @property
    def path(self) -> str:
        """The path that was opened."""
        return self._check_open()

    def get_info(self) -> ChipInfo:
        """Return the chip's name, label and number of lines."""
        self._check_open()
        return ChipInfo("gpiochip0", GPIOCHIP_LABEL, len(PINS))

    def line_offset_from_id(self, id: LineId) -> int:  # noqa: A002 - the library's name
        """Return the offset of a line, by its name or number.

        Raises:
            OSError: there is no line of that name.
            ValueError: the chip has no such line.
        """
        self._check_open()
        number = id.removeprefix("GPIO") if isinstance(id, str) else str(id)
        if isinstance(id, str) and not number.isdecimal():
            raise _refusal(errno.ENOENT)
        if int(number) not in PINS:
            raise ValueError("line offset of out range")  # the text of libgpiod's bindings
        return int(number)

    def get_line_info(self, line: LineId) -> LineInfo:
        """Return the present settings and use of a line."""
        return self._lines.info(self.line_offset_from_id(line))

    def request_lines(
        self,
        config: LineConfig,
        consumer: str | None = None,
        event_buffer_size: int | None = None,
        output_values: Mapping[LineId, Value] | None = None,
    ) -> LineRequest:
        """Request lines with the settings in *config*.

        Raises:
            ValueError: a line is named twice, or its settings exclude each other.
            OSError: a line is in another request.
        """
        offset_of = self.line_offset_from_id
        values = {offset_of(line): value for line, value in (output_values or {}).items()}
        names: dict[LineId, int] = {}
        wanted: dict[int, LineSettings] = {}
        for line, settings in _each_line(config):
            offset = offset_of(line)
            if offset in wanted:
                problem = f"line must be configured exactly once - offset {offset} repeats"
                raise ValueError(problem)
            names[line] = offset
            wanted[offset] = settings or LineSettings()
            if values:  # then those without one are inactive
                value = values.get(offset, Value.INACTIVE)
                wanted[offset] = replace(wanted[offset], output_value=value)
        if not wanted:
            raise _refusal(errno.EINVAL)
        for settings in wanted.values():
            _check(settings)
        if any(offset in self._lines.taken for offset in wanted):
            raise _refusal(errno.EBUSY)
        most_events = event_buffer_size or EVENTS_PER_LINE * len(wanted)
        return LineRequest(self._lines, names, wanted, consumer or "?", most_events)

    def _check_open(self) -> str:
        if self._path is None:
            raise ChipClosedError
        return self._path


def is_gpiochip_device(path: str) -> bool:
    """Return True if *path* is the device file of the emulated chip."""
    return os.fspath(path) in PATHS


def _request_lines(
    chip: type[Chip],
    path: str,
    config: LineConfig,
    consumer: str | None = None,
    event_buffer_size: int | None = None,
    output_values: Mapping[LineId, Value] | None = None,
) -> LineRequest:
    with chip(path) as opened:
        return opened.request_lines(config, consumer, event_buffer_size, output_values)


def submodules(pi: FakePi) -> dict[str, dict[str, Any]]:
    """Return the contents of the package ``gpiod`` and its modules, by name ("" is the package)."""
    chip = type("Chip", (Chip,), {"_lines": _Lines(pi), "__doc__": Chip.__doc__})
    parts: dict[str, dict[str, Any]] = {
        "chip": {"Chip": chip},
        "chip_info": {"ChipInfo": ChipInfo},
        "edge_event": {"EdgeEvent": EdgeEvent},
        "exception": {
            "ChipClosedError": ChipClosedError,
            "RequestReleasedError": RequestReleasedError,
        },
        "line_info": {"LineInfo": LineInfo},
        "line_request": {"LineRequest": LineRequest},
        "line_settings": {"LineSettings": LineSettings},
    }
    package: dict[str, Any] = {name: each for part in parts.values() for name, each in part.items()}
    package |= {
        "__version__": VERSION,
        "__path__": [],
        "is_gpiochip_device": is_gpiochip_device,
        "request_lines": partial(_request_lines, chip),
    }
    line = {each.__name__: each for each in (Bias, Clock, Direction, Drive, Edge, Value)}
    return {"": package, **parts, "line": line}
