"""The emulated Pi of the board tests. One boot serves all tests, in the file's order.

``.ci/test-board`` names the folder with the files to boot in ``TAPMAT_BOARD``. Without it, no test
is collected.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.board.emulator import BootFiles, Pi3

FOLDER = Path(os.environ.get("TAPMAT_BOARD", ""))

collect_ignore_glob = [] if "TAPMAT_BOARD" in os.environ else ["test_*.py"]


@pytest.fixture(scope="session")
def pi() -> Iterator[Pi3]:
    """An emulated Pi that has booted. There is nothing on its buses yet."""
    files = BootFiles(FOLDER / "vmlinuz", FOLDER / "initrd", FOLDER / "tree")
    made = Pi3([str(FOLDER / "qemu")], files, FOLDER)
    try:
        made.power_on()
        yield made
    finally:
        made.close()


@pytest.fixture(scope="session")
def plugged(pi: Pi3) -> Pi3:
    """The emulated Pi with the parts of the default table."""
    pi.ask("plug", table="/usr/lib/python3/dist-packages/firmware/config/table.toml")
    return pi
