"""The fixtures of the judges. Without the drivers (make test-judges), no test is collected."""

from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from tests.fakepi.judges.bench import Bench, install

collect_ignore_glob = [] if find_spec("pirc522") else ["test_*.py"]


@pytest.fixture
def bench(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """The bench, installed below the drivers. A test may set its ``hold_ns`` (indirect)."""
    with install(Bench(hold_ns=getattr(request, "param", 0)), monkeypatch) as installed:
        yield installed
