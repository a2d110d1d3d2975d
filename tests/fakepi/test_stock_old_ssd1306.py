"""Tests of the unmodified Adafruit-SSD1306, the old library, whose tables have undefined bytes.

The tests are skipped where that package is not installed. Small doubles replace Adafruit_GPIO.
"""

import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Any

import pytest
from PIL import Image, ImageDraw

from fakepi.oled import UndefinedByteError
from fakepi.ssd1306 import Ssd1306Chip

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("Adafruit_SSD1306") is None,
    reason="Adafruit-SSD1306 is not installed",
)


class I2cDouble:
    """An ``Adafruit_GPIO.I2C`` with one chip, which is its own device."""

    def __init__(self, chip: Ssd1306Chip) -> None:
        self._chip = chip

    def get_i2c_device(self, address: int) -> "I2cDouble":
        assert address == self._chip.address
        return self

    def write8(self, register: int, value: int) -> None:
        self._chip.write(bytes((register, value)))

    def writeList(self, register: int, values: list[int]) -> None:  # noqa: N802
        self._chip.write(bytes((register, *values)))


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Any:
    gpio, spi = ModuleType("Adafruit_GPIO"), ModuleType("Adafruit_GPIO.SPI")
    vars(gpio).update(SPI=spi, get_platform_gpio=object, __path__=[])
    for name, module in (("Adafruit_GPIO", gpio), ("Adafruit_GPIO.SPI", spi)):
        monkeypatch.setitem(sys.modules, name, module)
    imported = importlib.import_module("Adafruit_SSD1306")
    for name in [name for name in sys.modules if name.startswith("Adafruit_SSD1306")]:
        monkeypatch.delitem(sys.modules, name)
    return imported


def begun(library: Any, chip: Ssd1306Chip) -> Any:
    display = library.SSD1306_128_64(rst=None, i2c=I2cDouble(chip))
    display.begin()
    return display


def test_its_picture_is_right_as_on_silicon(library: Any) -> None:
    chip = Ssd1306Chip(undefined="record")
    display = begun(library, chip)
    picture = Image.new("1", (128, 64))
    ImageDraw.Draw(picture).line((3, 60, 127, 1), fill=1)
    display.image(picture)
    display.display()
    assert [bytes(map(bool, row)) for row in chip.visible()] == [
        bytes(bool(picture.getpixel((x, y))) for x in range(128)) for y in range(64)
    ]
    assert chip.undefined_bytes == ["SSD1306: command DBh: 40h is not defined by the data sheet"]


def test_the_data_sheet_alone_refuses_it(library: Any) -> None:
    with pytest.raises(UndefinedByteError, match="DBh: 40h"):
        begun(library, Ssd1306Chip())
