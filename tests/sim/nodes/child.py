"""Children of the tests: programs on an emulated Raspberry Pi with the parts of a table."""

import os
from pathlib import Path

import pytest

from fakepi.kernel.libraries import borrow_libraries
from firmware.config.table_config import TableConfig
from sim.nodes.emulated_pi import EmulatedPi
from tests.fakepi.kernel.child import LIMIT_S, PYTHONPATH, ROOT, Children

__all__ = ["LIMIT_S", "ROOT", "PiChildren"]


class PiChildren(Children):
    """Runs Python code, with the real pin libraries, as a program on an emulated Raspberry Pi."""

    def __init__(self, folder: Path, config: TableConfig) -> None:
        self.folder = folder
        libraries = folder / "libraries"
        if missing := borrow_libraries(libraries):
            packages = " ".join(f"python3-{name}" for name in missing)
            pytest.skip(f"no {' and no '.join(missing)} for this Python: apt install {packages}")
        self.environment = {
            **os.environ,
            "PYTHONPATH": f"{PYTHONPATH}:{libraries}:{os.environ.get('PYTHONPATH', '')}",
            "HOME": str(folder),
            "USER": "ann",  # the doctor must not believe it
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
        self.config = config
        self.pi = EmulatedPi(config, folder / "pi")
        self.clock, self.files, self.lock = self.pi.time, self.pi.files, self.pi.lock
