"""A monkey at the page: random clicks, drags, keys, lists and reloads, in Play and in Lab.

Run ``python -m tests.sim.web.monkey --acts 10000 --seed 1``. It plays all games in turn. It fails
if the page reports an error, if the server logs one or sends a wrong message, or if the table
stops.
"""

import argparse
import logging
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random

from playwright.sync_api import Error, Page, expect

from tests.sim.web.browser import PHONE, WIDE, Opener, Site, browsing
from tests.sim.web.messages import checked_messages

GAMES = ("straw", "ciao", "riff-raff", "cramel", "camargue")
KEYS = (
    *("Tab", "Shift+Tab", "Enter", "Space", "Escape", "Delete", "Shift+Enter", "Control+Space"),
    *("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "o", "b", "a", "m", "?", "/", "7"),
)
QUICK_MS = 400  # for an act; the element may have gone
LAST = 12  # acts that are printed after a failure
# The middles of everything that can be pressed or dragged.
TARGETS = """() =>
  [...document.querySelectorAll("button, label, summary, .site, .bay, [data-hand]")]
  .filter((one) => one.checkVisibility())
  .map((one) => one.getBoundingClientRect())
  .map(({ x, y, width, height }) => [x + width / 2, y + height / 2])
  .filter(([x, y]) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight)"""


class Monkey:
    """Does random acts on *page*; *last* has the latest ones."""

    def __init__(self, page: Page, chance: Random) -> None:
        self.page = page
        self.chance = chance
        self.last: deque[str] = deque(maxlen=LAST)
        self._acts: dict[Callable[[], str], int] = {
            self._click: 60,
            self._press_key: 20,
            self._drag: 12,
            self._click_anywhere: 4,
            self._choose: 3,
            self._reload: 1,
        }

    def begin(self, game: str) -> None:
        """Begin *game* on the start page, from any state of the page."""
        self.page.goto(f"{self.page.url.partition('?')[0]}?view=play")
        expect(
            self.page.locator("body[data-start], #banner-hint:not(:empty)").first
        ).to_be_attached()
        power = self.page.locator("#banner-acts [data-key=power]")
        if power.is_visible():
            power.click()
            expect(power).to_be_hidden()
        if not self.page.locator("body[data-start]").count():
            # The start page may open by itself just now, and then the button is not visible.
            self.page.dispatch_event("#new-game", "click")
        self.page.locator(f'#start-games input[value="{game}"]').check(force=True)
        if self.page.locator("#start-quick").is_visible():  # there are robots
            self.page.locator("#start-quick").check()
        self.page.click("#start-begin")

    def act(self) -> None:
        """Do one random act."""
        (act,) = self.chance.choices([*self._acts], [*self._acts.values()])
        try:
            self.last.append(act())
        except Error as error:  # what it wanted has gone
            self.last.append(f"{act.__name__}: {error.message.splitlines()[0]}")

    def _target(self) -> tuple[float, float]:
        found = self.page.evaluate(TARGETS)
        x, y = self.chance.choice(found) if found else (0, 0)
        return float(x), float(y)

    def _click(self) -> str:
        at = self._target()
        self.page.mouse.click(*at, click_count=self.chance.choice((1, 1, 1, 2)))
        return f"click {at}"

    def _click_anywhere(self) -> str:
        screen = self.page.viewport_size or WIDE
        at = self.chance.uniform(0, screen["width"]), self.chance.uniform(0, screen["height"])
        self.page.mouse.click(*at)
        return f"click {at}"

    def _drag(self) -> str:
        start, end = self._target(), self._target()
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=2)
        if self.chance.random() < 0.1:
            self.page.keyboard.press("Escape")
        self.page.mouse.up()
        return f"drag {start} {end}"

    def _press_key(self) -> str:
        key = self.chance.choice(KEYS)
        self.page.keyboard.press(key)
        return f"key {key}"

    def _choose(self) -> str:
        lists = self.page.locator("select").filter(visible=True)
        if (count := lists.count()) == 0:
            return "no list"
        chosen = lists.nth(self.chance.randrange(count))
        if (options := chosen.locator("option").count()) == 0:  # it has gone
            return "no list"
        chosen.select_option(index=self.chance.randrange(options), timeout=QUICK_MS)
        return "choose in a list"

    def _reload(self) -> str:
        self.page.reload()
        return "reload"


class _Errors(logging.Handler):
    """A collector of the errors that the server logs.

    One is left out: a page was closed while aiohttp compressed a long message to it. aiohttp
    shields that task, so nobody can await its ConnectionError.
    """

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if record.name == "asyncio" and isinstance(error, ConnectionError):
            return
        self.found.append(logging.Formatter().format(record))


@contextmanager
def server_errors() -> Iterator[list[str]]:
    """Yield a list that collects the errors that the server logs."""
    handler = _Errors()
    logging.getLogger().addHandler(handler)
    try:
        yield handler.found
    finally:
        logging.getLogger().removeHandler(handler)


def run(opener: Opener, acts: int, seed: int, games: Sequence[str] = GAMES) -> list[str]:
    """Do *acts* acts, an equal share in each of *games*; return what went wrong.

    Every second game is on a screen of a phone's size.
    """
    chance = Random(seed)
    with server_errors() as logged, checked_messages() as sent:
        for number, game in enumerate(games):
            monkey = Monkey(opener.blank(PHONE if number % 2 else WIDE).page, chance)
            monkey.page.goto(opener.site.address)
            monkey.begin(game)
            for _ in range(acts // len(games)):
                monkey.act()
                failure = opener.site.live.failure
                wrong = [*logged, *sent, *opener.wrong[-1], *([str(failure)] if failure else [])]
                if wrong:
                    return [*wrong, f"{game}: {', '.join(monkey.last)}"]
            monkey.page.context.close()
    return []


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m tests.sim.web.monkey")
    parser.add_argument("--acts", type=int, default=10_000, help="number of acts (default: 10000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of all acts (default: 1)")
    asked = parser.parse_args(arguments)
    with (
        tempfile.TemporaryDirectory() as folder,
        browsing() as browser,
        Site(Path(folder) / "state") as site,
    ):
        wrong = run(Opener(browser, site), asked.acts, asked.seed)
    print("\n".join(wrong) or f"{asked.acts} acts without an error")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
