"""The ``mfrc522`` library, imported without touching a pin.

Room: hardware/drivers. Its modules say ``import RPi.GPIO`` and ``import spidev`` at the top. The
first does not work on a Pi 5, neither is on a laptop, and a driver that is handed its bus and
pins needs neither. So the library is imported over two empty modules that are gone again
afterwards; whoever calls into them gets an AttributeError, not a pin.
"""

import sys
from types import ModuleType

_NAMES = ("RPi", "RPi.GPIO", "spidev")


def _over_empty_modules() -> dict[str, ModuleType | None]:
    """Put empty modules in the library's way and return what stood there."""
    before = {name: sys.modules.get(name) for name in _NAMES}
    sys.modules.update({name: ModuleType(name) for name in _NAMES})
    sys.modules["RPi"].GPIO = sys.modules["RPi.GPIO"]  # type: ignore[attr-defined]
    return before


def _put_back(before: dict[str, ModuleType | None]) -> None:
    for name, module in before.items():
        if module is None:
            del sys.modules[name]
        else:
            sys.modules[name] = module


_before = _over_empty_modules()
try:
    from mfrc522 import MFRC522 as MFRC522
finally:
    _put_back(_before)
