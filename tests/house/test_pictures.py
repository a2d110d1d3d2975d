"""The pictures of docs/home-assistant.md, taken of Home Assistant's own pages.

They are written into ``pictures`` beside the system; copy them to ``docs/pictures``.
"""

import json
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.house.home_assistant import ROOT
from tests.house.house import House
from tests.sim.web.browser import browser_path, browsing

PICTURES = ROOT.parent / "pictures"
NARROW: ViewportSize = {"width": 860, "height": 900}
FORMS = {
    "turn": "light-follows-turn",
    "quiet": "quiet-hours",
    "winner": "winners-light",
    "help": "part-needs-help",
}

pytestmark = pytest.mark.skipif(browser_path() is None, reason="there is no Chromium")


@pytest.fixture(scope="module")
def page(house: House) -> Iterator[Page]:
    """A page of Home Assistant, as its first user sees it."""
    home = house.home
    address = f"http://127.0.0.1:{home.port}"
    expires = int((time.time() + home.tokens["expires_in"]) * 1000)
    own = {"hassUrl": address, "clientId": f"{address}/", "expires": expires}
    tokens = json.dumps({**home.tokens, **own})
    PICTURES.mkdir(exist_ok=True)
    with browsing() as browser:
        made = browser.new_context(viewport=NARROW).new_page()
        made.add_init_script(f"localStorage.setItem('hassTokens', {json.dumps(tokens)})")
        made.goto(address)
        yield made


def test_the_page_about_the_table(house: House, page: Page) -> None:
    page.set_viewport_size({"width": 1100, "height": 1000})
    device = house.home.render("{{ device_id('sensor.tapmat_game') }}")
    page.goto(f"http://127.0.0.1:{house.home.port}/config/devices/device/{device}")
    expect(page.get_by_text("Number on the display")).to_be_visible()
    expect(page.get_by_text("reader play")).to_be_visible()
    page.wait_for_timeout(1500)
    page.screenshot(path=PICTURES / "home-assistant-device.png")
    page.set_viewport_size(NARROW)


@pytest.mark.parametrize("automation", FORMS)
def test_the_form_of_a_blueprint(house: House, page: Page, automation: str) -> None:
    page.goto(f"http://127.0.0.1:{house.home.port}/config/automation/edit/{automation}")
    expect(page.get_by_role("heading", name="Blueprint")).to_be_visible()
    page.wait_for_timeout(1500)
    page.screenshot(path=PICTURES / f"home-assistant-{FORMS[automation]}.png")
