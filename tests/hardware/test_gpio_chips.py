"""Tests that find the GPIO chip behind the pin header, for every Raspberry Pi and kernel."""

import errno
import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hardware.errors import MissingPart
from hardware.gpio_chips import CHIPINFO, GET_CHIPINFO, GpioChip, find_header_chip, label_of
from tests.hardware import gpio_trees as trees
from tests.hardware.gpio_trees import Chips

EVERY = pytest.mark.parametrize(
    ("chips", "number"),
    [
        (trees.PI_3, 0),
        (trees.PI_4, 0),
        (trees.PI_5_FIRST, 4),
        (trees.PI_5, 0),
        (trees.PI_5_FROM_11, 15),
    ],
)


def unasked(node: Path) -> str:
    raise AssertionError(f"{node} was opened for its label")


@EVERY
def test_the_device_tree_names_the_header_s_chip(tmp_path: Path, chips: Chips, number: int) -> None:
    trees.gpio_chips(tmp_path, chips)
    found = find_header_chip(tmp_path, unasked)
    assert found == GpioChip(number, chips[number][0])
    assert (tmp_path / found.node).exists()


@EVERY
def test_without_a_device_tree_its_label_does(tmp_path: Path, chips: Chips, number: int) -> None:
    trees.gpio_chips(tmp_path, chips, has_tree=False)
    found = find_header_chip(tmp_path, partial(trees.label_in, chips))
    assert found == GpioChip(number, chips[number][1])


def test_an_old_name_that_is_a_link_is_not_taken_for_a_chip(tmp_path: Path) -> None:
    """Raspberry Pi OS keeps /dev/gpiochip4 as a link to gpiochip0."""
    trees.gpio_chips(tmp_path, trees.PI_5, has_tree=False)
    (tmp_path / "dev/gpiochip4").symlink_to("gpiochip0")
    assert find_header_chip(tmp_path, partial(trees.label_in, trees.PI_5)).number == 0


def test_a_computer_without_chips_is_reported(tmp_path: Path) -> None:
    with pytest.raises(MissingPart, match=r"there is no /dev/gpiochip\*"):
        find_header_chip(tmp_path, unasked)


def test_a_chip_whose_device_file_is_missing_is_named(tmp_path: Path) -> None:
    trees.gpio_chips(tmp_path, trees.PI_5_FROM_11)
    (tmp_path / "dev/gpiochip15").unlink()
    with pytest.raises(MissingPart, match=r"/dev/gpiochip15, the chip of .*, is not there"):
        find_header_chip(tmp_path, unasked)


def test_other_chips_are_not_taken_for_the_header_s(tmp_path: Path) -> None:
    """Chip 0 is no fallback: on a Pi 5 it may switch the board's own power."""
    chips = {number: chip for number, chip in trees.PI_5_FIRST.items() if number != 4}
    trees.gpio_chips(tmp_path, chips)
    with pytest.raises(MissingPart, match=r"among these: .*/dev/gpiochip0, .*/dev/gpiochip3"):
        find_header_chip(tmp_path, partial(trees.label_in, chips))


def test_a_chip_that_may_not_be_asked_names_the_group(tmp_path: Path) -> None:
    def shut(node: Path) -> str:
        raise PermissionError(errno.EACCES, "Permission denied", str(node))

    trees.gpio_chips(tmp_path, trees.PI_4, has_tree=False)
    with pytest.raises(MissingPart, match=r"may not use /dev/gpiochip0\. .*adduser \$USER gpio"):
        find_header_chip(tmp_path, shut)


def test_the_label_is_the_kernel_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl", reason="the system has no GPIO devices")

    def ioctl(_file: int, request: int, argument: bytes) -> bytes:
        assert (request, len(argument)) == (GET_CHIPINFO, 68)
        return CHIPINFO.pack(b"gpiochip0", b"pinctrl-bcm2711", 58)

    node = tmp_path / "gpiochip0"
    node.touch()
    assert label_of(node) == ""  # a plain file does not answer the kernel's ioctl
    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    assert label_of(node) == "pinctrl-bcm2711"
    assert label_of(tmp_path / "gpiochip1") == ""


def test_a_chip_that_may_not_be_opened_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Any, _flags: int) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr("hardware.gpio_chips.os.open", refuse)
    with pytest.raises(PermissionError):
        label_of(tmp_path / "gpiochip0")
