"""Fixtures for the tests of device nodes."""

from pathlib import Path

import pytest

from firmware.config.table_config import load_config
from tests.sim.nodes.child import Children, PiChildren


@pytest.fixture
def children(tmp_path: Path) -> Children:
    return Children(tmp_path)


@pytest.fixture
def on_pi(tmp_path: Path) -> PiChildren:
    return PiChildren(tmp_path, load_config())
