"""Tests of the seccomp filter, in an interpreter of classic BPF."""

import struct

import pytest

from fakepi.kernel.abi import ABIS
from fakepi.kernel.filter import filter_program

ALLOW, NOTIFY = 0x7FFF0000, 0x7FC00000  # linux/seccomp.h
X86_64, I386, AARCH64, ARM = 0xC000003E, 0x40000003, 0xC00000B7, 0x40000028  # linux/audit.h
TCGETS, SPI_IOC_MESSAGE, I2C_SLAVE, GPIO_V2_GET_LINE = 0x5401, 0x40206B00, 0x0703, 0xC250B407


def decide(machine: str, arch: int, number: int, *arguments: int) -> int:
    """Return the decision of the filter for *machine* about one system call."""
    padded = (*arguments, *[0] * (6 - len(arguments)))
    data = struct.pack("<iIQ6Q", number, arch, 0, *padded)
    steps = list(struct.iter_unpack("<HBBI", filter_program(ABIS[machine])))
    at = register = 0
    operation: int
    operand: int
    while True:
        operation, if_true, if_false, operand = steps[at]
        at += 1
        match operation:
            case 0x20:
                (register,) = struct.unpack_from("<I", data, operand)
            case 0x15:
                at += if_true if register == operand else if_false
            case 0x35:
                at += if_true if register >= operand else if_false
            case 0x74:
                register >>= operand
            case 0x54:
                register &= operand
            case 0x06:
                return operand
            case _:
                raise AssertionError(f"unknown operation {operation:#x}")


# From strace's tables: openat, read, write, ioctl, fcntl and getpid of both processors.
NUMBERS = {"x86_64": (257, 0, 1, 16, 72, 39), "aarch64": (56, 63, 64, 29, 25, 172)}
ARCHES = {"x86_64": (X86_64, I386), "aarch64": (AARCH64, ARM)}


@pytest.mark.parametrize("machine", ABIS)
def test_calls_that_may_concern_a_device_are_handed_over(machine: str) -> None:
    own, _ = ARCHES[machine]
    openat, read, write, ioctl, fcntl, getpid = NUMBERS[machine]
    assert decide(machine, own, openat) == NOTIFY
    assert decide(machine, own, getpid) == ALLOW
    for call in (read, write, fcntl):
        decisions = [decide(machine, own, call, handle) for handle in (3, 899, 900, 999, 1000)]
        assert decisions == [ALLOW, ALLOW, NOTIFY, NOTIFY, ALLOW]
    for request in (SPI_IOC_MESSAGE, I2C_SLAVE, GPIO_V2_GET_LINE):
        assert decide(machine, own, ioctl, 3, request) == NOTIFY
    assert decide(machine, own, ioctl, 3, TCGETS) == ALLOW


@pytest.mark.parametrize("machine", ABIS)
def test_programs_for_another_processor_run_untouched(machine: str) -> None:
    """The numbers of a 32-bit program mean other calls."""
    _, other = ARCHES[machine]
    for number in NUMBERS[machine]:
        assert decide(machine, other, number, 950, SPI_IOC_MESSAGE) == ALLOW
