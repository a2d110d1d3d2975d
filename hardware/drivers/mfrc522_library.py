"""The ``mfrc522`` library, imported without touching a pin.

Its modules import ``RPi.GPIO`` and ``spidev``. ``RPi.GPIO`` does not work on a Pi 5, and a laptop
has neither module. A driver that gets its bus and pins from outside needs neither, so the library
is imported with empty modules in place of both. Code that uses the library's pins gets an
AttributeError.
"""

from types import ModuleType

from hardware.drivers.import_shadow import shadow_modules

_rpi, _gpio, _spidev = (ModuleType(name) for name in ("RPi", "RPi.GPIO", "spidev"))
_rpi.GPIO = _gpio  # type: ignore[attr-defined]

with shadow_modules({"RPi": _rpi, "RPi.GPIO": _gpio, "spidev": _spidev}):
    from mfrc522 import MFRC522 as MFRC522
