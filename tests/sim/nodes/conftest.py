"""Fixtures for the tests of an emulated Raspberry Pi."""

from pathlib import Path

import pytest

from firmware.config.table_config import load_config
from tests.sim.nodes.child import PiChildren


@pytest.fixture
def on_pi(tmp_path: Path) -> PiChildren:
    return PiChildren(tmp_path, load_config())
