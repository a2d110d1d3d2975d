"""The section ``[display]`` of ``table.toml``.

It is separate from ``firmware.config.table_config`` because the first screen
(``firmware.runtime.splash``) is shown before that module is imported.
May import: the standard library, firmware.common.toml_sections and firmware.common.errors.
"""

from dataclasses import dataclass

from firmware.common.toml_sections import Section

CHIPS = ("ssd1306", "sh1106")
SIZES = {"128x64": (128, 64), "128x32": (128, 32)}
ADDRESSES = {"0x3C": 0x3C, "0x3D": 0x3D}
DISPLAY_KEYS = ("chip", "size", "i2c", "address", "rotate")


@dataclass(frozen=True, slots=True)
class DisplayConfig:
    """The display: the name of its *chip*, its size, and its address on the I2C bus."""

    size: tuple[int, int]  # width and height in pixels
    i2c: int  # number of the bus
    address: int  # 7 bits
    rotate: bool  # True if it is mounted upside down
    chip: str = "ssd1306"


def display_in(top: Section) -> DisplayConfig | None:
    """Return the display in the section [display] of the file *top*; None without that section.

    Raises:
        FileFault: the section has an error.
    """
    section = top.section("display", '[display]\nsize = "128x64"')
    if section is None:
        return None
    section.check_keys(DISPLAY_KEYS, 'size = "128x64"')
    chip = section.one_of("chip", CHIPS, 'chip = "ssd1306"', "ssd1306")
    size = section.one_of("size", tuple(SIZES), 'size = "128x64"', "128x64")
    address = section.one_of("address", tuple(ADDRESSES), 'address = "0x3C"', "0x3C")
    bus = 1
    if "i2c" in section:
        bus = section.integer("i2c", "1, the I2C bus on pins 2 and 3", "i2c = 1", range(1, 2))
    rotate = section.flag("rotate", "rotate = false", default=False)
    if (chip, size) == ("sh1106", "128x32"):
        right = '"ssd1306" with size = "128x32", as modules with an SH1106 have 128x64'
        raise section.wrong("chip", right, 'chip = "ssd1306"')
    return DisplayConfig(SIZES[size], bus, ADDRESSES[address], rotate, chip)
