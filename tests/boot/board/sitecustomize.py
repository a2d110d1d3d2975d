"""Python imports this at its start, to put the emulated board in place of the Pi's driver.

It imports nothing of the project, so that a unit's program starts as it does on a Pi.
"""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

DRIVER = "hardware.drivers.pi"


class Finder(MetaPathFinder):
    """An import hook that finds the emulated board under the name of the Pi's driver."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the emulated board's module for the driver's name, and None for any other."""
        if fullname != DRIVER:
            return None
        return spec_from_file_location(fullname, Path(__file__).with_name("pi.py"))


sys.meta_path.insert(0, Finder())
