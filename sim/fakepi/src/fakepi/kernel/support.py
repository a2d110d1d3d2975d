"""A check that this computer can emulate device nodes. The check runs on any operating system.

May import: the standard library and ``fakepi.kernel.abi``.
"""

import os
import platform
import sys
from pathlib import Path

from fakepi.kernel.abi import ABIS

OLDEST_KERNEL = (5, 14)  # the first that adds a descriptor and answers in one step
PTRACE_SCOPE = Path("/proc/sys/kernel/yama/ptrace_scope")
CHILDREN_ONLY = 1  # the strictest ptrace_scope that allows an ordinary user to answer
USE_MODULES = (
    "Python programs can use fakepi's modules in place of spidev and the other pin libraries, and "
    "C programs can use the bridge (fakepi bridge)"
)


class NodesUnsupported(Exception):
    """This computer cannot emulate device nodes: *found* says why, *remedy* what to do."""

    def __init__(self, found: str, remedy: str) -> None:
        super().__init__(f"{found}. {remedy}.")
        self.found, self.remedy = found, remedy


def check_support() -> None:
    """Check that this computer can emulate device nodes, before any program is started.

    Raises:
        NodesUnsupported: it cannot.
    """
    system, machine, release = platform.system(), platform.machine(), platform.release()
    if system != "Linux":
        raise NodesUnsupported(f"Device nodes need Linux, and this is {system}", USE_MODULES)
    if machine not in ABIS or sys.maxsize < 1 << 32:
        bits = "" if machine not in ABIS else " with a 32-bit Python"
        known = " and ".join(ABIS)
        found = f"Device nodes need a 64-bit system on {known}, and this is {machine}{bits}"
        raise NodesUnsupported(found, USE_MODULES)
    if _version(release) < OLDEST_KERNEL:
        wanted = ".".join(map(str, OLDEST_KERNEL))
        found = f"Device nodes need Linux {wanted} or later, and this is {release}"
        raise NodesUnsupported(found, USE_MODULES)
    if os.geteuid() != 0 and (scope := _ptrace_scope()) > CHILDREN_ONLY:
        found = f"kernel.yama.ptrace_scope is {scope}: no program may read another's memory"
        raise NodesUnsupported(
            found, f"Set it: sudo sysctl kernel.yama.ptrace_scope={CHILDREN_ONLY}"
        )


def _version(release: str) -> tuple[int, ...]:
    """Return the first two numbers of a kernel's *release*, such as "6.12.25+rpt-rpi-v8"."""
    numbers = release.split("-")[0].split("+")[0].split(".")[:2]
    return tuple(int(number) if number.isdecimal() else 0 for number in numbers)


def _ptrace_scope() -> int:
    try:
        return int(PTRACE_SCOPE.read_text())
    except (OSError, ValueError):
        return 0  # a kernel without yama
