"""The window of ``fakepi run`` in a real browser: it fits the smallest phone."""

import threading
import tomllib

import pytest
from playwright.sync_api import Browser, expect

from fakepi.circuit import Circuit
from fakepi.clock import VirtualClock
from fakepi.window import BrowserWindow
from fakepi.wiring import read_wiring
from tests.sim.web.test_play import SMALL, SMALLEST_TARGET

pytestmark = pytest.mark.browser

WIRING = """
[spi]
"0.0" = "mfrc522"
"1.0" = { chip = "ws2812", count = 24 }
[i2c]
"1.0x3C" = "ssd1306"
[pins]
17 = { part = "button" }
5 = { part = "encoder", b = 6 }
"""
UID = "04:11:22:33:44:55:66"


def test_every_button_can_be_hit_on_the_smallest_phone(browser: Browser) -> None:
    circuit = Circuit(read_wiring(tomllib.loads(WIRING)), VirtualClock())
    context = browser.new_context(
        viewport={"width": 320, "height": 568}, is_mobile=True, has_touch=True
    )
    page = context.new_page()
    with BrowserWindow(circuit, threading.RLock(), 0) as window:
        page.goto(window.url)
        page.get_by_role("button", name="Lay the tag").tap()
        expect(page.get_by_role("button", name=f"Lift {UID}")).to_be_visible()
        assert circuit.tags("0.0") == [UID]
        assert page.evaluate("innerWidth") == page.evaluate("screen.width")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        assert page.evaluate(SMALL, SMALLEST_TARGET) == []
        context.close()
