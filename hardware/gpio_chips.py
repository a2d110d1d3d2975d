"""Find the GPIO chip of the pin header: which /dev/gpiochipN drives GPIO0 to GPIO27.

May import: the standard library and hardware.errors.
May be imported by: hardware.drivers, firmware, tests.
Source: Linux, Documentation/ABI/testing/gpio-cdev and include/uapi/linux/gpio.h; the device trees
bcm2835-common.dtsi, bcm2711.dtsi and rp1.dtsi of Raspberry Pi's kernel.

N is not fixed: on a Pi 5 the header's chip was number 4, then 0, and is one of 11 to 15 on some
kernels since 6.12.96. The other chips of a Pi 5 control its fan and its power.
"""

import os
import struct
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hardware.errors import JOIN_GROUP, MissingPart

PINS = "GPIO pins"  # the part, in messages
HEADER_COMPATIBLE = ("raspberrypi,rp1-gpio", "brcm,bcm2711-gpio", "brcm,bcm2835-gpio")
HEADER_LABELS = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")  # Pi 5, Pi 4, older models
GET_CHIPINFO = 0x8044B401  # ioctl GPIO_GET_CHIPINFO_IOCTL of linux/gpio.h
CHIPINFO = struct.Struct("32s32sI")  # name, label, number of lines
UPDATE = "Update the system: sudo apt full-upgrade, then reboot and check with: gpiodetect"
LOOK_AGAIN = "Reboot and check with: ls -l /dev/gpiochip*"


@dataclass(frozen=True, slots=True)
class GpioChip:
    """A GPIO chip: the *number* N of /dev/gpiochipN, and its label or its device tree name."""

    number: int
    name: str

    @property
    def node(self) -> str:
        """The path of the device file, without the leading slash."""
        return f"dev/gpiochip{self.number}"


def label_of(node: Path) -> str:
    """Return the kernel's label of the chip with the device file *node*; "" if it has none.

    Raises:
        PermissionError: this user may not open *node*.
    """
    try:
        from fcntl import ioctl  # not on Windows

        chip = os.open(node, os.O_RDWR | os.O_CLOEXEC)
        try:
            info = ioctl(chip, GET_CHIPINFO, bytes(CHIPINFO.size))
        finally:
            os.close(chip)
    except PermissionError:
        raise
    except (OSError, ImportError):
        return ""
    label: bytes = CHIPINFO.unpack(info)[1]
    return label.partition(b"\0")[0].decode("ascii", "replace")


def find_header_chip(root: Path, label_of: Callable[[Path], str] = label_of) -> GpioChip:
    """Return the chip of the pin header.

    The device tree is searched first, because every user may read it. Reading the label of a chip
    needs permission to open the chip.

    Raises:
        MissingPart: the chip or its device file is missing, or this user may not open it.
    """
    # A symbolic link is an old name of another chip: Raspberry Pi OS links gpiochip4 to gpiochip0.
    nodes = _numbers(path for path in _chips_in(root / "dev") if not path.is_symlink())
    devices = root / "sys/bus/gpio/devices"
    for number in _numbers(_chips_in(devices)):
        compatible = _compatible(devices / f"gpiochip{number}")
        named = next((name for name in HEADER_COMPATIBLE if name in compatible), None)
        if named is not None:
            chip = GpioChip(number, named)
            if number not in nodes:
                found = f"/{chip.node}, the chip of the pin header, is not there"
                raise MissingPart(PINS, found, LOOK_AGAIN)
            return chip
    return _by_label(root, nodes, label_of)


def _by_label(root: Path, nodes: list[int], label_of: Callable[[Path], str]) -> GpioChip:
    if not nodes:
        raise MissingPart(PINS, "there is no /dev/gpiochip*", UPDATE)
    for number in nodes:
        try:
            label = label_of(root / f"dev/gpiochip{number}")
        except PermissionError as shut:
            found = f"you may not use /dev/gpiochip{number}"
            raise MissingPart(PINS, found, JOIN_GROUP.format(group="gpio")) from shut
        if label in HEADER_LABELS:
            return GpioChip(number, label)
    listed = ", ".join(f"/dev/gpiochip{number}" for number in nodes)
    found = f"tapmat does not recognize the pin header's chip among these: {listed}"
    raise MissingPart(PINS, found, UPDATE)


def _chips_in(folder: Path) -> Iterable[Path]:
    return folder.glob("gpiochip*")


def _numbers(chips: Iterable[Path]) -> list[int]:
    """Return the numbers N of the paths ``gpiochipN`` in *chips*, in order."""
    names = (chip.name.removeprefix("gpiochip") for chip in chips)
    return sorted(int(name) for name in names if name.isdecimal())


def _compatible(device: Path) -> list[str]:
    """Return the ``compatible`` names of *device* in the device tree; empty if it has none."""
    with suppress(OSError):
        return (device / "of_node/compatible").read_text("ascii", "replace").split("\0")
    return []
