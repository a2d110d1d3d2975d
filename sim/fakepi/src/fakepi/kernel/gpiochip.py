"""The device node of the GPIO chip: ``/dev/gpiochip0``, version 2 of the interface.

May import: the standard library and this package's ``line_flags``, ``nodes``, ``notify`` and
``pins``.
Source: linux/gpio.h and drivers/gpio/gpiolib-cdev.c.
"""

import errno
import struct
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from socket import MSG_DONTWAIT, socket

from fakepi.kernel.line_flags import DRIVES, PULLS, LineFlag, check_flags
from fakepi.kernel.nodes import DescriptorGiver, OpenNode, WithoutStream, refusal
from fakepi.kernel.notify import SystemCall
from fakepi.kernel.pins import Header, LinePin

MAJOR = 254  # the first that the kernel gives away
NAME = b"gpiochip0"

GET_CHIP_INFO, GET_LINE_INFO, GET_LINE = 0x8044B401, 0xC100B405, 0xC250B407
SET_CONFIG, GET_VALUES, SET_VALUES = 0xC110B40D, 0xC010B40E, 0xC010B40F
CHIP_INFO = struct.Struct("<32s32sI")
LINE_INFO = struct.Struct("<32s32sIIQ")  # then attributes, which stay empty
LINE_INFO_SIZE, OFFSET_IN_INFO = 256, 64
REQUEST_SIZE, CONSUMER_AT, CONFIG_AT, LINES_AT, HANDLE_AT = 592, 256, 288, 560, 588
CONFIG = struct.Struct("<QI20x")
ATTRIBUTE = struct.Struct("<I4xQQ")
FLAGS_ATTRIBUTE, VALUES_ATTRIBUTE, DEBOUNCE_ATTRIBUTE = 1, 2, 3
MOST_ATTRIBUTES, MOST_LINES = 10, 64
VALUES = struct.Struct("<QQ")
EVENT = struct.Struct("<QIIII24x")
RISING, FALLING = 1, 2


@dataclass(frozen=True, slots=True)
class LineConfig:
    """The settings of the lines of a request: flags and output values, in the lines' order."""

    flags: tuple[LineFlag, ...]
    values: tuple[bool, ...]

    @classmethod
    def parse(cls, data: bytes, count: int) -> "LineConfig":
        """Return the settings in a ``struct gpio_v2_line_config`` for *count* lines.

        Raises:
            OSError: EINVAL for flags that exclude each other or do not exist.
        """
        common, number = CONFIG.unpack_from(data)
        if number > MOST_ATTRIBUTES:
            raise refusal(errno.EINVAL)
        flags, values = [common] * count, [False] * count
        for at in range(number):
            kind, value, mask = ATTRIBUTE.unpack_from(data, CONFIG.size + at * ATTRIBUTE.size)
            if kind not in (FLAGS_ATTRIBUTE, VALUES_ATTRIBUTE, DEBOUNCE_ATTRIBUTE):
                raise refusal(errno.EINVAL)
            for line in (line for line in range(count) if mask >> line & 1):
                if kind == FLAGS_ATTRIBUTE:
                    flags[line] = value
                elif kind == VALUES_ATTRIBUTE:
                    values[line] = bool(value >> line & 1)
        for each in flags:
            check_flags(each)
        return cls(tuple(map(LineFlag, flags)), tuple(values))


@dataclass(frozen=True)
class GpioChipNode:
    """The device file of the chip with the pins of *header*."""

    number: tuple[int, int]
    header: Header

    def open(self, descriptors: DescriptorGiver) -> OpenNode:
        """Open the chip."""
        return OpenGpioChip(self.header, descriptors)


class OpenGpioChip(WithoutStream):
    """An open GPIO chip. When it is closed, the program keeps the lines that it has requested."""

    def __init__(self, header: Header, descriptors: DescriptorGiver) -> None:
        self._header = header
        self._descriptors = descriptors

    def ioctl(self, call: SystemCall, request: int, argument: int) -> object:
        """Describe the chip or a line, or give lines to the program."""
        if request == GET_CHIP_INFO:
            call.write(argument, CHIP_INFO.pack(NAME, self._header.label, Header.LINES))
        elif request == GET_LINE_INFO:
            (offset,) = struct.unpack("<I", call.read(argument + OFFSET_IN_INFO, 4))
            call.write(argument, self._line_info(offset))
        elif request == GET_LINE:
            self._give_lines(call, argument)
        else:
            raise refusal(errno.ENOTTY)
        return 0

    def _pin(self, offset: int) -> LinePin:
        if offset >= Header.LINES:
            raise refusal(errno.EINVAL)
        return self._header.pin(offset)

    def _line_info(self, offset: int) -> bytes:
        pin = self._pin(offset)
        flags, consumer = LineFlag.INPUT, b""
        if pin.is_held:
            flags, consumer = LineFlag.INPUT | LineFlag.USED, b"another program"
        elif isinstance(pin.owner, OpenLines):
            flags, consumer = pin.owner.flags_of(pin) | LineFlag.USED, pin.owner.consumer
        info = LINE_INFO.pack(b"GPIO%d" % offset, consumer, offset, 0, flags)
        return info.ljust(LINE_INFO_SIZE, b"\0")

    def _give_lines(self, call: SystemCall, argument: int) -> None:
        """Give the lines of a ``struct gpio_v2_line_request`` to the program."""
        request = call.read(argument, REQUEST_SIZE)
        (count,) = struct.unpack_from("<I", request, LINES_AT)
        if not 0 < count <= MOST_LINES:
            raise refusal(errno.EINVAL)
        config = LineConfig.parse(request[CONFIG_AT:LINES_AT], count)
        pins = [self._pin(offset) for offset in struct.unpack_from(f"<{count}I", request)]
        if len(set(pins)) < count or any(pin.is_held or pin.owner for pin in pins):
            raise refusal(errno.EBUSY)
        consumer = request[CONSUMER_AT:CONFIG_AT].partition(b"\0")[0] or b"?"
        lines = OpenLines(pins, consumer, config)
        number, lines.events = self._descriptors.give(call, lines, "anon_inode:gpio-line")
        call.write(argument + HANDLE_AT, struct.pack("<i", number))

    def close(self) -> None:
        """Do nothing: the lines are closed one by one."""


class OpenLines(WithoutStream):
    """Lines that a program has requested together. It reads their edges as ``events``."""

    def __init__(self, pins: Sequence[LinePin], consumer: bytes, config: LineConfig) -> None:
        self.consumer = consumer
        self.events: socket | None = None
        self._pins = pins
        self._config = config
        self._edges = 0
        self._edges_of_line = [0] * len(pins)
        self._configure(config)  # before its edges are watched: pulls may cause some
        self._watchers = [partial(self._report, line) for line in range(len(pins))]
        for pin, watcher in zip(pins, self._watchers, strict=True):
            pin.owner = self
            pin.watchers.append(watcher)

    def flags_of(self, pin: LinePin) -> LineFlag:
        """Return the flags of the line on *pin*."""
        return self._config.flags[self._pins.index(pin)]

    def ioctl(self, call: SystemCall, request: int, argument: int) -> object:
        """Read or set levels, or change the settings."""
        if request == GET_VALUES:
            _bits, mask = VALUES.unpack(call.read(argument, VALUES.size))
            call.write(argument, VALUES.pack(self._levels(self._lines_in(mask)), mask))
        elif request == SET_VALUES:
            bits, mask = VALUES.unpack(call.read(argument, VALUES.size))
            lines = self._lines_in(mask)
            if not all(self._config.flags[line] & LineFlag.OUTPUT for line in lines):
                raise refusal(errno.EPERM)
            for line in lines:
                self._drive(line, bool(bits >> line & 1))
        elif request == SET_CONFIG:
            size = CONFIG.size + MOST_ATTRIBUTES * ATTRIBUTE.size
            self._configure(LineConfig.parse(call.read(argument, size), len(self._pins)))
        else:
            raise refusal(errno.ENOTTY)
        return 0

    def _lines_in(self, mask: int) -> list[int]:
        """Return the indexes of the lines whose bits are set in *mask*.

        Raises:
            OSError: no line of this request has its bit set (EINVAL).
        """
        lines = [line for line in range(len(self._pins)) if mask >> line & 1]
        if not lines:
            raise refusal(errno.EINVAL)
        return lines

    def _is_active_low(self, line: int) -> bool:
        return bool(self._config.flags[line] & LineFlag.ACTIVE_LOW)

    def _levels(self, lines: Sequence[int]) -> int:
        return sum((self._pins[line].level != self._is_active_low(line)) << line for line in lines)

    def _drive(self, line: int, is_active: bool) -> None:
        is_high = is_active != self._is_active_low(line)
        idle = {LineFlag.OPEN_DRAIN: True, LineFlag.OPEN_SOURCE: False}
        is_idle = idle.get(self._config.flags[line] & DRIVES) is is_high
        self._pins[line].output(None if is_idle else is_high)

    def _configure(self, config: LineConfig) -> None:
        self._config = config
        for line, (pin, flags) in enumerate(zip(self._pins, config.flags, strict=True)):
            if flags & PULLS:
                pin.pull({LineFlag.PULL_UP: True, LineFlag.PULL_DOWN: False}.get(flags & PULLS))
            if flags & LineFlag.OUTPUT:
                self._drive(line, config.values[line])
            elif flags & LineFlag.INPUT:
                pin.output(None)

    def _report(self, line: int, level: bool, at_ns: int) -> None:
        """Send the program an edge, if it asked for it and its buffer of edges is not full."""
        flags = self._config.flags[line]
        is_rising = level != self._is_active_low(line)
        if not flags & (LineFlag.EDGE_RISING if is_rising else LineFlag.EDGE_FALLING):
            return
        self._edges += 1
        self._edges_of_line[line] += 1
        if flags & LineFlag.REAL_TIME:
            at_ns = time.time_ns()
        kind = RISING if is_rising else FALLING
        offset, number = self._pins[line].number, self._edges_of_line[line]
        if self.events is not None:
            with suppress(OSError):
                self.events.send(EVENT.pack(at_ns, kind, offset, self._edges, number), MSG_DONTWAIT)

    def close(self) -> None:
        """Release the lines: they are inputs again, with their own pulls."""
        for pin, watcher in zip(self._pins, self._watchers, strict=True):
            if pin.owner is self:
                pin.owner = None
                pin.watchers.remove(watcher)
                pin.pull(None)
                pin.output(None)
