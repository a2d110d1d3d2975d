"""The values, settings and errors of the drop-in for ``gpiod``.

May import: the standard library.
Source: the documentation of libgpiod 2.2 and of its Python bindings.
"""

from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum


class ChipClosedError(Exception):
    """A chip was used after ``close()``."""

    def __init__(self) -> None:
        super().__init__("I/O operation on closed chip")


class RequestReleasedError(Exception):
    """A request was used after ``release()``."""

    def __init__(self) -> None:
        super().__init__("GPIO lines have been released")


class Value(Enum):
    """The value of a line: active is high, or low if the line is active-low."""

    INACTIVE, ACTIVE = 0, 1

    def __bool__(self) -> bool:
        """Return True if the line is active."""
        return self is Value.ACTIVE


# As in libgpiod, their values count from 1.
Direction = Enum("Direction", "AS_IS INPUT OUTPUT")
Edge = Enum("Edge", "NONE RISING FALLING BOTH")
Bias = Enum("Bias", "AS_IS UNKNOWN DISABLED PULL_UP PULL_DOWN")
Drive = Enum("Drive", "PUSH_PULL OPEN_DRAIN OPEN_SOURCE")
Clock = Enum("Clock", "MONOTONIC REALTIME HTE")


@dataclass
class LineSettings:
    """The settings that a program requests for a line."""

    direction: Direction = Direction.AS_IS
    edge_detection: Edge = Edge.NONE
    bias: Bias = Bias.AS_IS
    drive: Drive = Drive.PUSH_PULL
    active_low: bool = False
    debounce_period: timedelta = field(default_factory=timedelta)
    event_clock: Clock = Clock.MONOTONIC
    output_value: Value = Value.INACTIVE


@dataclass(frozen=True)
class ChipInfo:
    """A chip's name, label and number of lines."""

    name: str
    label: str
    num_lines: int


@dataclass(frozen=True)
class LineInfo:
    """The present settings and use of a line."""

    offset: int
    name: str
    used: bool
    consumer: str | None
    direction: Direction
    active_low: bool
    bias: Bias
    drive: Drive
    edge_detection: Edge
    event_clock: Clock
    debounced: bool
    debounce_period: timedelta


@dataclass(frozen=True)
class EdgeEvent:
    """One edge of a line."""

    class Type(Enum):
        """The direction of an edge: rising or falling."""

        RISING_EDGE, FALLING_EDGE = 1, 2

    event_type: Type
    timestamp_ns: int
    line_offset: int
    global_seqno: int
    line_seqno: int
