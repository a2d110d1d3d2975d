"""Makes the chips that a wiring names, with their options.

May import: the standard library and fakepi.
"""

from collections.abc import Mapping
from random import Random

from fakepi.clock import VirtualClock
from fakepi.field import RfField
from fakepi.mfrc522 import Mfrc522
from fakepi.mfrc522_profiles import MFRC522_PROFILES
from fakepi.oled import GLASS_128X32, GLASS_128X64, OledChip
from fakepi.sh1106 import Sh1106Chip
from fakepi.ssd1306 import Ssd1306Chip
from fakepi.ssd1309 import Ssd1309Chip
from fakepi.wiring import Wired
from fakepi.ws2812 import Ws2812Strip

STRIP_LEDS = 8  # by default
DISPLAY_CHIPS: Mapping[str, type[OledChip]] = {
    "sh1106": Sh1106Chip,
    "ssd1306": Ssd1306Chip,
    "ssd1309": Ssd1309Chip,
}
GLASSES = {"128x64": GLASS_128X64, "128x32": GLASS_128X32}


def mfrc522_of(part: Wired, clock: VirtualClock, field: RfField, chance: Random) -> Mfrc522:
    """Return the reader chip *part* with its antenna in *field*."""
    profile = MFRC522_PROFILES[part.options.get("profile", "nxp-92")]
    collpos = part.options.get("collpos", "frame")
    chip: Mfrc522 = profile.chip(clock, field, collpos=collpos, chance=chance)
    return chip


def display_of(part: Wired, address: int) -> OledChip:
    """Return the display *part* at the I2C *address*."""
    glass = GLASSES[part.options.get("size", "128x64")]
    undefined = part.options.get("undefined", "record")
    return DISPLAY_CHIPS[part.chip](glass, address, undefined=undefined)


def strip_of(part: Wired, clock: VirtualClock) -> Ws2812Strip:
    """Return the LED strip *part*."""
    options = {"undefined": "record", "count": STRIP_LEDS, **part.options}
    return Ws2812Strip(clock, options.pop("count"), **options)
