"""Fixtures for the tests of the page: a running virtual table, and its pages."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.sim.web.browser import SEED, Opener, Site
from tests.sim.web.test_seats import Table


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The empty state folder of a virtual table."""
    (tmp_path / "state").mkdir()
    return tmp_path / "state"


@pytest.fixture
def table(folder: Path) -> Iterator[Table]:
    """A virtual table without pages, whose time passes when the test waits."""
    made = Table(folder)
    yield made
    made.close()


@pytest.fixture
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    """A running virtual table; the test's parameter is the seed of its shuffle."""
    with Site(tmp_path / "state", getattr(request, "param", SEED)) as running:
        yield running


@pytest.fixture
def open_page(browser: Browser, site: Site) -> Iterator[Opener]:
    """An opener of pages; fails at the end if a page reported an error."""
    opener = Opener(browser, site)
    yield opener
    for context in opener.contexts:
        context.close()
    assert opener.wrong == [[] for _ in opener.contexts]
