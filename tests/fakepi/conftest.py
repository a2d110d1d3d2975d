"""Fixtures for the tests of the emulated Raspberry Pi."""

from collections.abc import Iterator

import pytest

from fakepi import FakePi
from fakepi.dropins.install import drop_in


@pytest.fixture
def pi(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakePi]:
    """A fake Pi with its drop-in modules in place."""
    made = FakePi()
    with drop_in(made, monkeypatch):
        yield made
