"""The flags of a GPIO line, and which of them the kernel refuses.

May import: the standard library.
Source: linux/gpio.h and drivers/gpio/gpiolib-cdev.c.
"""

import errno
import os
from enum import IntFlag


class LineFlag(IntFlag):
    """The flags of a line: ``enum gpio_v2_line_flag``."""

    USED = 1 << 0
    ACTIVE_LOW = 1 << 1
    INPUT = 1 << 2
    OUTPUT = 1 << 3
    EDGE_RISING = 1 << 4
    EDGE_FALLING = 1 << 5
    OPEN_DRAIN = 1 << 6
    OPEN_SOURCE = 1 << 7
    PULL_UP = 1 << 8
    PULL_DOWN = 1 << 9
    NO_PULL = 1 << 10
    REAL_TIME = 1 << 11  # events carry the time of day
    HARDWARE_TIME = 1 << 12  # events carry the time of a hardware engine, which a Pi lacks


EDGES = LineFlag.EDGE_RISING | LineFlag.EDGE_FALLING
DRIVES = LineFlag.OPEN_DRAIN | LineFlag.OPEN_SOURCE
PULLS = LineFlag.PULL_UP | LineFlag.PULL_DOWN | LineFlag.NO_PULL
DIRECTIONS = LineFlag.INPUT | LineFlag.OUTPUT
SETTABLE = int(sum(LineFlag)) & ~int(LineFlag.USED)


def check_flags(flags: int) -> None:
    """Check flags as ``gpio_v2_line_flags_validate`` does.

    Raises:
        OSError: EINVAL or EOPNOTSUPP if the kernel would refuse them.
    """
    if flags & LineFlag.HARDWARE_TIME:
        raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))
    is_input, is_output = bool(flags & LineFlag.INPUT), bool(flags & LineFlag.OUTPUT)
    is_wrong = (
        flags & ~SETTABLE
        or (is_input and is_output)
        or (flags & EDGES and not is_input)
        or (flags & DRIVES and not is_output)
        or flags & DRIVES == DRIVES
        or (flags & PULLS and not (is_input or is_output))
        or (flags & PULLS).bit_count() > 1
    )
    if is_wrong:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
