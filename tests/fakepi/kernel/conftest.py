"""Fixtures for the tests of device nodes."""

from pathlib import Path

import pytest

from tests.fakepi.kernel.child import Children


@pytest.fixture
def children(tmp_path: Path) -> Children:
    return Children(tmp_path)
