"""A broker for the tests of the hall."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.firmware.hall.servers import Server, mosquitto


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Server]:
    """A mosquitto that everybody may use."""
    with closing(mosquitto(tmp_path)) as server:
        yield server
