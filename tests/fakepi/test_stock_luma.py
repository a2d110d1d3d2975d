"""Tests of the unmodified luma.oled over the emulated displays.

The tests are skipped where that package is not installed. A double of SMBus passes its bytes on.
"""

import importlib
import importlib.util
from typing import Any

import pytest
from PIL import Image, ImageDraw

from fakepi.oled import OledChip, UndefinedByteError
from fakepi.sh1106 import Sh1106Chip
from fakepi.ssd1306 import Ssd1306Chip
from fakepi.ssd1309 import Ssd1309Chip

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("luma") is None, reason="luma.oled is not installed"
    ),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # the library's, from Pillow
]

CHIPS: dict[str, type[OledChip]] = {
    "ssd1306": Ssd1306Chip,
    "sh1106": Sh1106Chip,
    "ssd1309": Ssd1309Chip,
}


class SmbusDouble:
    """An ``SMBus`` with one chip."""

    def __init__(self, chip: OledChip) -> None:
        self._chip = chip

    def write_i2c_block_data(self, address: int, register: int, data: list[int]) -> None:
        assert address == self._chip.address
        self._chip.write(bytes([register, *data]))


def display_on(name: str, chip: OledChip) -> Any:
    serial = importlib.import_module("luma.core.interface.serial")
    devices = importlib.import_module("luma.oled.device")
    display = getattr(devices, name)(serial.i2c(bus=SmbusDouble(chip)))
    display.persist = True  # do not clear the display at the end of the program
    return display


@pytest.mark.parametrize("name", CHIPS)
def test_luma_draws_its_picture_as_on_silicon(name: str) -> None:
    chip = CHIPS[name](undefined="as-silicon")
    display = display_on(name, chip)
    picture = Image.new("1", (128, 64))
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, 20, 9), fill=1)
    draw.line((3, 60, 127, 1), fill=1)
    display.display(picture)
    assert [bytes(map(bool, row)) for row in chip.visible()] == [
        bytes(bool(picture.getpixel((x, y))) for x in range(128)) for y in range(64)
    ]


UNDEFINED = {
    "ssd1306": ["SSD1306: command DBh: 40h is not defined by the data sheet"],
    "sh1106": [f"SH1106: command {code} is not in the data sheet" for code in ("20h", "8Dh")],
    "ssd1309": [
        "SSD1309: command 8Dh is not in the data sheet",
        "SSD1309: command DBh: 40h is not defined by the data sheet",
    ],
}


@pytest.mark.parametrize("name", CHIPS)
def test_the_undefined_bytes_that_luma_sends(name: str) -> None:
    chip = CHIPS[name](undefined="record")
    display_on(name, chip)
    assert chip.undefined_bytes == UNDEFINED[name]


@pytest.mark.parametrize("name", CHIPS)
def test_the_data_sheet_alone_refuses_luma(name: str) -> None:
    with pytest.raises(UndefinedByteError):
        display_on(name, CHIPS[name]())
