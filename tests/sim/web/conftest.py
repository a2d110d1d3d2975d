"""A browser, a running virtual table and pages of it, for the tests of the page.

Room: tests.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.sim.web.browser import SEED, Opener, Site, browsing


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser without a window."""
    with browsing() as opened:
        yield opened


@pytest.fixture
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    """A virtual table; a test may give the seed that it shuffles with."""
    with Site(tmp_path / "state", getattr(request, "param", SEED)) as running:
        yield running


@pytest.fixture
def open_page(browser: Browser, site: Site) -> Iterator[Opener]:
    """Opens pages of the table; nothing may go wrong in them."""
    opener = Opener(browser, site)
    yield opener
    for context in opener.contexts:
        context.close()
    assert opener.wrong == [[] for _ in opener.contexts]
