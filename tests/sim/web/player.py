"""People who play in Play with what the page offers, and with nothing else.

They use the mouse, the keyboard or a finger. A player chooses at random among the offers: lit
cards, places and pieces, and buttons with words. A player knows no rules and never uses Lab.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

from playwright.sync_api import Error, Locator, Page, expect

from firmware.boxes.decks import deck_file, load_deck
from firmware.boxes.games import games
from tests.sim.web.browser import Finger, TablePage, middle

STUCK_S = 25.0  # the longest time without a change at the table
LONGEST_S = 300.0  # a whole game, on a slow computer
MOST_KEYS = 80  # presses to reach anything on the page
PATIENCE_MS = 10_000  # for a target to stand still and uncovered
SHOWS_S = 1.5  # until the page shows the outcome of an act
STEP_MS = 60
CLICKS = 0.7  # the share of acts on cards and pieces that are clicks; the others are drags
ACTS = 0.3  # the share of buttons with words among what is taken, if there is anything else
ARROWS = ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight")

# The script of the offers: for each its kind, its selector and its words.
OFFERS = """() => {
  const shown = (wanted) =>
    [...document.querySelectorAll(wanted)].filter((one) => one.checkVisibility());
  const isMine = shown(".player[data-turn]:not([data-robot])").length > 0;
  const isRobots = !isMine && shown(".player[data-turn]").length > 0;
  const leave = "#banner-acts [data-key=leave]"; // robots wait for it
  const offers = [];
  const offer = (kind, wanted, attribute) => {
    for (const one of shown(wanted)) {
      const value = one.getAttribute(attribute);
      const words = `${value}: ${one.textContent.trim()}`;
      offers.push([kind, `${wanted}[${attribute}="${CSS.escape(value)}"]`, words]);
    }
  };
  const hand = '[data-hand^="hand-"]';
  const lit = "button.card:not([data-idle], [aria-disabled])";
  offer("act", "#banner-acts button:not(.quiet)", "data-key");
  offer("act", leave, "data-key");
  offer("gift", "button[data-give][aria-pressed=false]", "data-give");
  offer("card", `${hand}[data-joins] ${lit}`, "data-tag");
  if (!isRobots) offer("site", "button.site[data-offered]", "data-at");
  if (isMine) {
    offer("card", `${hand}[data-turn] ${lit}`, "data-tag");
    offer("place", ".place[data-state=down]:not([aria-disabled])", "data-tag");
    offer("place", ".place[data-state=past]:not([data-movable])", "data-tag");
    offer("piece", "button.piece", "data-piece");
  }
  if (isMine || shown(leave).length > 0) {
    const isMoving = shown(".place[data-movable][aria-pressed=true]").length > 0;
    offer("place", ".place[data-movable]", "data-tag");
    if (isMoving) offer("place", ".place[data-state=free]", "data-tag");
  }
  return offers;
}"""
# All that changes on the page when anything happens at the table.
SEEN = """() => ["#banner", ".round", "#hands"].map((part) => {
  const shown = document.querySelector(part);
  const pieces = [...shown.querySelectorAll("[data-tag], [data-piece], [data-how]")];
  return shown.innerText + pieces.map(({ dataset }) => Object.values(dataset)).join();
}).join("|")"""
FOCUS = """() => {
  const focused = document.activeElement;
  return focused === document.body ? "" : focused.outerHTML.slice(0, 160);
}"""
# The next key on the way to an element: Tab, or an arrow key within its group.
NEXT_KEY = """(wanted) => {
  const [from, to] = [document.activeElement, document.querySelector(wanted)];
  if (!to) return "gone";
  if (from === to) return "there";
  if (to.type === "radio" && from.type === "radio") return "ArrowRight";
  const group = to.closest("[data-own-keys]");
  const isStop = (one) =>
    one.matches("button.card, button[data-stop]") && one.closest("[data-own-keys]") === group;
  if (!group || to.matches("[data-tab]") || !isStop(to) || !isStop(from)) return "Tab";
  const [here, there] = [from, to].map((one) => one.getBoundingClientRect());
  const x = there.x + there.width / 2 - here.x - here.width / 2;
  const y = there.y + there.height / 2 - here.y - here.height / 2;
  const isUpright = Math.abs(y) > Math.max(here.height, there.height) / 2;
  return isUpright ? (y > 0 ? "ArrowDown" : "ArrowUp") : x > 0 ? "ArrowRight" : "ArrowLeft";
}"""


class Offer(NamedTuple):
    """Something that the page offers: its kind, its selector, and its words."""

    kind: str
    selector: str
    words: str


class Blocked(AssertionError):
    """Nothing can be done on the page, or something that it offers cannot be reached."""


class Way(ABC):
    """A way to use the page, without scripts: mouse, keyboard or finger."""

    def __init__(self, page: Page, chance: Random) -> None:
        self.page = page
        self.chance = chance

    @abstractmethod
    def press(self, selector: str) -> None:
        """Press the first element that *selector* finds."""

    def drag(self, start: Locator, end: Locator) -> None:
        """Drag *start* to *end*."""
        raise NotImplementedError

    def take(self, offer: Offer) -> None:
        """Press what is offered, or drag it to where it may go."""
        taker = self._taker_of(offer)
        if taker is None or self.chance.random() < CLICKS:
            self.press(offer.selector)
        else:
            self.drag(self.page.locator(offer.selector), taker)

    def _taker_of(self, offer: Offer) -> Locator | None:
        """Return where a card or a piece can be dragged, or None."""
        if offer.kind not in ("card", "piece"):
            return None
        wanted = ".bay[data-lit]" if offer.kind == "piece" else '[data-hand="laid"], .ship'
        if self.page.locator(".board").count():
            wanted = "button.site"
        found = self.page.locator(wanted).filter(visible=True).all()
        return self.chance.choice(found) if found else None


class ByMouse(Way):
    """Clicks and drags."""

    def press(self, selector: str) -> None:
        self.page.locator(selector).first.click(timeout=PATIENCE_MS)

    def drag(self, start: Locator, end: Locator) -> None:
        mouse = self.page.mouse
        mouse.move(*middle(start))
        mouse.down()
        mouse.move(*middle(end), steps=3)
        mouse.up()


class ByFinger(Way):
    """Touches and drags."""

    def press(self, selector: str) -> None:
        self.page.locator(selector).first.tap(timeout=PATIENCE_MS)

    def drag(self, start: Locator, end: Locator) -> None:
        Finger(TablePage(self.page)).drag(start, end)


class ByKeyboard(Way):
    """Presses Tab, arrow keys, Enter and Space. *presses* has their number for each act."""

    def __init__(self, page: Page, chance: Random) -> None:
        super().__init__(page, chance)
        self.presses: list[int] = []

    def press(self, selector: str) -> None:
        """Go to an element and press it; stop if it disappears.

        Raises:
            Blocked: no keys lead to it.
        """
        for presses in range(MOST_KEYS):
            key = self.page.evaluate(NEXT_KEY, selector)
            if key == "gone":
                return
            if key == "there":
                self.presses.append(presses)
                is_box = self.page.locator(selector).first.get_attribute("type") in BOXES
                self.page.keyboard.press("Space" if is_box else "Enter")
                return
            is_lost = key in ARROWS and presses > MOST_KEYS / 4  # between gaps
            self.page.keyboard.press(self.chance.choice(ARROWS) if is_lost else key)
        raise Blocked(f"keys do not lead to {selector}, but to {self.page.evaluate(FOCUS)}")

    def take(self, offer: Offer) -> None:
        self.press(offer.selector)


BOXES = ("radio", "checkbox")
WAYS: dict[str, type[Way]] = {"mouse": ByMouse, "keyboard": ByKeyboard, "touch": ByFinger}


class Player:
    """A person in Play on *page*, who takes random offers in one *way*."""

    def __init__(self, page: Page, way: str, seed: int) -> None:
        self.page = page
        self.chance = Random(seed)
        self.way = WAYS[way](page, self.chance)
        self.taken: list[Offer] = []
        self.findings: list[str] = []  # what went wrong, but did not end the game

    def start(self, game: str, players: int) -> None:
        """Begin *game* on the start page, with quick robots in all other seats."""
        self.way.press(f'#start-games input[value="{game}"]')
        self.way.press("#start-quick")
        while (count := int(self.page.locator("#start-count").inner_text())) != players:
            self.way.press("#start-fewer" if count > players else "#start-more")
        self.way.press("#start-begin")
        expect(self.page.locator("body[data-start]")).to_have_count(0)

    def offers(self) -> list[Offer]:
        """Return what the page offers now."""
        return [Offer(*each) for each in self.page.evaluate(OFFERS)]

    @property
    def has_ended(self) -> bool:
        """True if the page shows a winner."""
        return self.page.locator(".player[data-wins]").count() > 0

    def play(self, acts: int | None = None) -> None:
        """Play until the page shows a winner, or at most *acts* acts.

        Raises:
            Blocked: the table does not change any more, or the game does not end.
        """
        start_s = changed_s = time.monotonic()
        seen = None
        while not self.has_ended and (acts is None or len(self.taken) < acts):
            now_s = time.monotonic()
            if (now := self.page.evaluate(SEEN)) != seen:
                seen, changed_s = now, now_s
            if now_s - changed_s > STUCK_S:
                raise Blocked(
                    f"nothing changes: {now}, {self.offers()}, {self.taken[-3:]}, {self.findings}"
                )
            if now_s - start_s > LONGEST_S:
                raise Blocked(f"the game does not end: {now}")
            self._act()

    def _act(self) -> None:
        """Take one offer and wait for its outcome; wait a moment if there is none."""
        offers = self.offers()
        if not offers:
            self.page.wait_for_timeout(STEP_MS)
            return
        acts = [offer for offer in offers if offer.kind == "act"]
        others = [offer for offer in offers if offer.kind != "act"]
        is_act = not others or (acts and self.chance.random() < ACTS)
        offer = self.chance.choice(acts if is_act else others)
        before = self.page.evaluate(SEEN)
        try:
            self.way.take(offer)
        except Error as error:
            if offer in self.offers():
                self.findings.append(f"{offer.words} cannot be reached: {error}")
            return
        self.taken.append(offer)
        self._wait_until(lambda: self.page.evaluate(SEEN) != before)
        # While nothing can be done, for example at a robot's turn, no element may have the focus.
        is_focused = partial(self.page.evaluate, FOCUS)
        if isinstance(self.way, ByKeyboard) and not self._wait_until(is_focused):
            self.findings.append(f"the focus is lost after {offer.words}")

    def _wait_until(self, happened: Callable[[], object]) -> bool:
        """Wait at most ``SHOWS_S``; return False if *happened* has returned no true value."""
        until_s = time.monotonic() + SHOWS_S
        while not happened():
            if time.monotonic() > until_s:
                return False
            self.page.wait_for_timeout(STEP_MS)
        return True


def write_small_box(
    folder: Path, game: str, counts: Mapping[str, int], spread: tuple[int, int] | None
) -> Path:
    """Write a deck file for a box of *game* with few pieces, and return its path.

    *counts* has the number of pieces of each kind whose name begins with the key; the others are
    left out.
    """
    deck = load_deck(games()[game])
    kinds = tuple(
        replace(
            kind, count=next((n for name, n in counts.items() if kind.name.startswith(name)), 0)
        )
        for kind in deck.kinds
    )
    path = folder / f"{game}.toml"
    path.write_text(deck_file(replace(deck, kinds=kinds, spread=spread), "small"), encoding="utf-8")
    return path
