"""Fixtures of the tests of recorded games."""

import time
from collections.abc import Iterator

import pytest


@pytest.fixture
def in_budapest(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run the test in the time zone of Budapest."""
    monkeypatch.setenv("TZ", "Europe/Budapest")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()
