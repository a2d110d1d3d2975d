"""The browser of all tests that open a page, and the check of what servers send to pages."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Playwright

from tests.sim.web.browser import chromium, driving
from tests.sim.web.messages import checked_messages


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test that opens a browser, so that ``-m "not browser"`` leaves it out."""
    for item in items:
        if isinstance(item, pytest.Function) and "browser" in item.fixturenames:
            item.add_marker("browser")


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """The starter of browsers, one in each process.

    Its event loop counts as running in this thread from then on. So a test that needs an event loop
    uses ``tests.sim.web.aside``.
    """
    with driving() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """A headless Chromium, started once in each process; each page gets its own context."""
    with chromium(playwright) as opened:
        yield opened


@pytest.fixture(autouse=True)
def wrong_messages() -> Iterator[list[str]]:
    """The faults in messages that servers sent to pages; the test fails if there are any."""
    with checked_messages() as wrong:
        yield wrong
    assert wrong == []
