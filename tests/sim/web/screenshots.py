"""Takes the pictures of the virtual table for the README and the manual.

Room: tests. Run it: ``.venv/bin/python -m tests.sim.web.screenshots``. The deal is always the same.
"""

import tempfile
from pathlib import Path

from playwright.sync_api import Browser, ViewportSize, expect

from tests.sim.web.browser import PHONE, WIDE, Mouse, Site, StrawPlayer, TablePage, browsing

PICTURES = Path(__file__).parents[3] / "docs" / "pictures"
SEED = 29
TURNS = 4  # then one more card is laid, and left lying


def play(browser: Browser, site: Site) -> None:
    """Play into the middle of a round."""
    table = TablePage(browser.new_page(viewport=WIDE)).open(site.address)
    table.deal(3)
    mouse = Mouse(table)
    player = StrawPlayer(table, mouse)
    for _ in range(TURNS):
        player.turn()
    card = max(table.faces(), key=lambda face: face.number or 0)
    table.until_accepted(lambda: mouse.play(card.tag))
    table.page.close()


def take(browser: Browser, site: Site, viewport: ViewportSize, name: str) -> None:
    """Take the picture *name* of a page that is opened now."""
    page = browser.new_page(viewport=viewport, device_scale_factor=1)
    table = TablePage(page).open(site.address)
    page.click("#tab-deal")
    expect(table.hand).to_have_count(4)
    expect(table.lamp("accepted")).to_have_attribute("data-level", "0")
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement.blur()")
    page.screenshot(path=PICTURES / name, animations="disabled")
    page.close()


def main() -> None:
    """Take both pictures."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Site(Path(folder), SEED) as site,
        browsing() as on,
    ):
        play(on, site)
        take(on, site, WIDE, "virtual-table.png")
        take(on, site, PHONE, "virtual-table-phone.png")
    for name in ("virtual-table.png", "virtual-table-phone.png"):
        print(PICTURES / name)


if __name__ == "__main__":
    main()
