"""The ``adafruit_ssd1306`` library, imported without Blinka.

The library and ``adafruit_bus_device`` import Blinka's ``busio`` and ``digitalio`` for three type
annotations. Blinka then identifies the computer and imports its pin library: ``gpiod`` on a
Raspberry Pi 5, ``RPi.GPIO`` on others. If that is missing, the import fails with a RuntimeError or
a NameError, although a driver that gets its bus from outside needs no pin. So the library is
imported with stand-ins that have only these three types. Two types of circuitpython_typing are
replaced as well, because importing them would delay the first screen.
"""

from types import ModuleType

from hardware.drivers.import_shadow import shadow_modules


class _Unused:
    """A stand-in for types that are used only in annotations."""


_names = ("busio", "digitalio", "circuitpython_typing")
_busio, _digitalio, _typing = map(ModuleType, _names)
_busio.I2C = _busio.SPI = _Unused  # type: ignore[attr-defined]
_digitalio.DigitalInOut = _Unused  # type: ignore[attr-defined]
_typing.ReadableBuffer = _typing.WriteableBuffer = _Unused  # type: ignore[attr-defined]

with shadow_modules(dict(zip(_names, (_busio, _digitalio, _typing), strict=True))):
    import adafruit_ssd1306 as adafruit_ssd1306
