"""Draw contact sheets of Play: each game in five states on every screen.

Run ``python -m tests.sim.web.sheets`` or, for some games, ``python -m tests.sim.web.sheets straw``.
"""

import argparse
import base64
import io
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import Page

from sim.robots.games import OURS
from tests.sim.web.browser import browsing
from tests.sim.web.states import STATES, played, showing

SHEETS = Path(__file__).parents[3] / "build" / "sheets"
ROOM = (480, 600)  # pixels on the sheet for each picture: width, height
MARGIN = 8
TITLE_H = 18
PHONE_BELOW = 480  # CSS pixels of a screen's shorter side


class Screen(NamedTuple):
    """A screen: its size in CSS pixels, and its pixels per CSS pixel."""

    width: int
    height: int
    density: float

    def __str__(self) -> str:
        return f"{self.width}x{self.height}@{self.density:g}"


# The last but two is a screen of 1280 x 800 at a zoom of 200 %.
SCREENS = (
    Screen(320, 568, 2),
    Screen(568, 320, 2),
    Screen(390, 844, 3),
    Screen(844, 390, 3),
    Screen(412, 915, 2.625),
    Screen(768, 1024, 2),
    Screen(1024, 768, 1),
    Screen(1280, 800, 1),
    Screen(640, 400, 2),
    Screen(1920, 1080, 1),
    Screen(2560, 1440, 1),
)
SETTLES = """async () => {
  await Promise.all([...document.images].map((image) => image.decode().catch(() => null)));
  for (let n = 0; n < 3; n++) await new Promise(requestAnimationFrame);
}"""


class Screens:
    """A page that gets the size and density of one screen after the other.

    It uses the browser's own protocol, since Playwright fixes the density of a page for ever.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self._devices = page.context.new_cdp_session(page)

    def __iter__(self) -> Iterator[Screen]:
        for screen in SCREENS:
            width, height, density = screen
            size = {"width": width, "height": height, "deviceScaleFactor": density}
            is_phone = min(width, height) < PHONE_BELOW
            self._devices.send("Emulation.setDeviceMetricsOverride", {**size, "mobile": is_phone})
            self.page.evaluate(SETTLES)
            yield screen

    def picture(self) -> Image.Image:
        """Return a screenshot. Playwright's own would be one of another screen."""
        taken = self._devices.send("Page.captureScreenshot", {"format": "png"})
        return Image.open(io.BytesIO(base64.b64decode(taken["data"])))


def draw(game: str, folder: Path) -> Path:
    """Play *game* in *folder*, draw its sheet, and return the path of the PNG file."""
    cell_w, cell_h = ROOM[0] + MARGIN, ROOM[1] + MARGIN + TITLE_H
    size = cell_w * len(SCREENS), cell_h * len(STATES)
    sheet = Image.new("RGB", size, "white")
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(14)
    with browsing() as browser:
        for row, saved in enumerate(played(folder, game)):
            with showing(browser, saved) as page:
                screens = Screens(page)
                for column, screen in enumerate(screens):
                    shot = screens.picture()
                    shot.thumbnail(ROOM)
                    left, top = column * cell_w, row * cell_h
                    pen.text((left, top), f"{game}, {saved.state}, {screen}", "black", font)
                    sheet.paste(shot, (left, top + TITLE_H))
    SHEETS.mkdir(parents=True, exist_ok=True)
    path = SHEETS / f"{game}.png"
    sheet.save(path)
    return path


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the sheets of the games that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m tests.sim.web.sheets")
    parser.add_argument("games", nargs="*", choices=[[], *OURS], help="games (default: all)")
    for game in parser.parse_args(arguments).games or OURS:
        with tempfile.TemporaryDirectory() as folder:
            print(draw(game, Path(folder)))


if __name__ == "__main__":
    main()
