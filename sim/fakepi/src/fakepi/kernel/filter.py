"""The seccomp filter: which calls of a program are handed over, and which run at full speed.

May import: the standard library and ``fakepi.kernel.abi``.
Source: seccomp(2) and linux/bpf_common.h, for classic BPF.
"""

import struct

from fakepi.kernel.abi import DESCRIPTOR_CALLS, PATH_CALLS, ProcessorAbi

# Device nodes get numbers in this range, so that plain reads and writes of other files run at full
# speed. Programs rarely open this many files, and the default limit is 1,024.
FIRST_NUMBER, END_NUMBER = 900, 1000
# The kind of an ioctl, its bits 8 to 15: i2c-dev, spidev (linux/spi/spidev.h), GPIO (linux/gpio.h).
IOCTL_KINDS = (0x07, ord("k"), 0xB4)

# Classic BPF: load a word, jump if equal, jump if not below, shift, mask, return.
LOAD, IF_EQUAL, IF_FROM, SHIFT, MASK, RETURN = 0x20, 0x15, 0x35, 0x74, 0x54, 0x06
NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT = 0, 4, 16  # in struct seccomp_data
ALLOW, HAND_OVER = (RETURN, 0, 0, 0x7FFF0000), (RETURN, 0, 0, 0x7FC00000)

Code = list[tuple[int, int, int, int]]  # instructions: operation, skip if true, if false, operand


def filter_program(abi: ProcessorAbi) -> bytes:
    """Return BPF code that hands over calls that may concern a device, and lets all others run."""
    code: Code = [
        (LOAD, 0, 0, ARCHITECTURE_AT),
        (IF_EQUAL, 1, 0, abi.audit),  # a 32-bit program has other numbers
        ALLOW,
        (LOAD, 0, 0, NUMBER_AT),
    ]
    for name, number in abi.numbers.items():
        if name in PATH_CALLS:
            code += _if_number(number, [HAND_OVER])
        elif name in DESCRIPTOR_CALLS:
            code += _if_number(number, _if_device())
        else:
            code += _if_number(number, _if_device_ioctl())
    return b"".join(struct.pack("<HBBI", *step) for step in [*code, ALLOW])


def _if_number(number: int, then: Code) -> Code:
    return [(IF_EQUAL, 0, len(then), number), *then]


def _if_device() -> Code:
    """Return code that hands a call over if its first argument is a device's descriptor."""
    first = (LOAD, 0, 0, ARGUMENTS_AT)
    return [first, (IF_FROM, 0, 1, FIRST_NUMBER), (IF_FROM, 0, 1, END_NUMBER), ALLOW, HAND_OVER]


def _if_device_ioctl() -> Code:
    """Return code that hands an ioctl over if its request is of a kind that devices have."""
    kinds = [(IF_EQUAL, len(IOCTL_KINDS) - at, 0, kind) for at, kind in enumerate(IOCTL_KINDS)]
    return [
        (LOAD, 0, 0, ARGUMENTS_AT + 8),
        (SHIFT, 0, 0, 8),
        (MASK, 0, 0, 0xFF),
        *kinds,
        ALLOW,
        HAND_OVER,
    ]
