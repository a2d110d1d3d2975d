"""Take the pictures of the virtual table for the README and the manual.

Run it: ``.venv/bin/python -m tests.sim.web.screenshots``. The deal is always the same.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from playwright.sync_api import Browser, ViewportSize, expect

from firmware.boxes.decks import load_deck
from firmware.boxes.games import game_named
from sim.deal.requests import Lift
from sim.deal.transitions import shuffle
from tests.sim.web.browser import (
    PHONE,
    SEED,
    WIDE,
    Mouse,
    Site,
    StrawPlayer,
    TablePage,
    browsing,
)
from tests.sim.web.camargue_people import People, placed
from tests.sim.web.ciao_people import bears, dealt, first

PICTURES = Path(__file__).parents[3] / "docs" / "pictures"
LANDSCAPES = 21  # number of Camargue tiles to place
PICTURES_LOAD_MS = 500
PATIENCE_S = 10
TURNS = 4  # then one more card is placed and stays on the mat
TILES = (  # one line for each turn; the last turn is unfinished
    ("roby#1", "jane#1", "jane#2"),
    ("cramel#1", "cramel#2"),
    ("el-el#1", "el-el#2", "el-el#3"),
    ("helena#1", "gol#1", "bloom#1"),
    ("cramel#3", "cramel#4", "cramel#5"),
    ("helena#1", "helena#2", "roby#2", "ring-box#1", "gol#1"),
)


def play_straw(table: TablePage) -> None:
    """Play into the middle of a round."""
    table.deal(3)
    mouse = Mouse(table)
    player = StrawPlayer(table, mouse)
    for _ in range(TURNS):
        player.turn()
    card = max(table.faces(), key=lambda face: face.number or 0)
    table.until_accepted(lambda: mouse.play(card.tag))


def play_cramel(table: TablePage) -> None:
    """Play into the middle of a turn."""
    places = [str(tile) for tile in shuffle(load_deck(game_named("cramel")), Random(SEED))]
    table.lay_out(3)
    for tiles in TILES:
        if table.page.locator(".place[data-state=open]").count() > 0:
            table.until_accepted(lambda: table.page.click("[data-button=action]"))
        for tile in tiles:
            table.turn_over(places.index(tile) + 1)


GIVING, HANDS = dealt(
    lambda hands: (
        any(bears(card, "give") for card in hands[0])
        and any(card.kind == "obstacle" for card in hands[0])
    )
)


def play_ciao(table: TablePage) -> None:
    """Play until a card was given away, which the giver chooses."""
    table.deal_game("ciao", 3)
    expect(table.hand).to_have_count(7)
    give = first(HANDS[0], "give")
    obstacle = next(card for card in HANDS[0] if card.kind == "obstacle")
    table.until_accepted(lambda: table.card(f"ciao/{give}").dblclick())
    expect(table.lying).to_have_count(0)
    table.until_accepted(lambda: table.page.click("[data-button=ok]"))
    table.page.click(f'[data-give="ciao/{obstacle}"]')


def play_camargue(table: TablePage) -> None:
    """Play until the board has grown, then tap a tile without placing it."""
    table.deal_game("camargue", 3)
    people, mouse = People(SEED), Mouse(table)
    for _ in range(LANDSCAPES):
        piece, place = placed(people)
        tile = table.page.locator(f'#hands button.card[data-tag="camargue/{piece}"]')
        site = table.page.locator(f'.site[data-at="{place}"]')
        table.until_accepted(lambda tile=tile, site=site: mouse.drag(tile, site), times=2)  # type: ignore[misc]
    piece = people.fitting()[0]
    table.until_accepted(lambda: table.card(f"camargue/{piece}").dblclick())
    expect(table.lying).to_have_count(0)


ROUNDS: tuple[tuple[dict[str, int], tuple[str, ...]], ...] = (  # for each round: cards, acts
    ({"red": 9, "blue": 4, "green": 2}, ("red-rat", "ok", "blue-chest", "ok", "green-boat", "ok")),
    ({"red": 6, "blue": 9, "green": 7}, ("=one", "blue-flask", "ok", "green-barrel", "ok")),
    ({}, ("red-plank", "ok")),
    ({"red": 1, "blue": 7, "green": 8}, ("green-crate", "fall", "=1", "=0", "=placed", "=two")),
    ({}, ("blue-sailor", "ok", "blue-boat")),
)


def play_riff_raff(table: TablePage) -> None:
    """Play until cargo has fallen and a player loads the second of two pieces."""
    buttons = {"ok": "[data-ship=ok]", "fall": "[data-ship=action]"}
    table.deal_game("riff-raff", 3, is_hot_seat=False)
    for card in ("red-1", "blue-1", "green-1"):
        table.until_accepted(table.card(f"riff-raff/{card}#1").dblclick)
        expect(table.lying).to_have_count(0)
    for cards, acts in ROUNDS:
        for colour, number in cards.items():
            table.until_accepted(table.card(f"riff-raff/{colour}-{number}#1").dblclick)
            expect(table.lying).to_have_count(0)
        for act in acts:
            if act in buttons:
                table.until_accepted(table.page.locator(buttons[act]).click)
            elif act.startswith("="):
                answer = table.page.locator(f'[data-answer="{act[1:]}"]')
                table.until_accepted(answer.click)
            else:
                table.page.click(f'[data-piece="riff-raff/{act}#1"]')
                expect(table.page.locator("[data-how=in-hand]")).to_be_visible()


def take(browser: Browser, site: Site, viewport: ViewportSize, name: str) -> None:
    """Open a page and save a picture of it as *name*."""
    page = browser.new_page(viewport=viewport, device_scale_factor=1)
    table = TablePage(page).open(site.address)
    page.click("#tab-deal")
    expect(page.locator("#hands [data-turn]")).to_be_visible()
    expect(table.lamp("accepted")).to_have_attribute("data-level", "0")
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement.blur()")
    page.screenshot(path=PICTURES / name, animations="disabled")
    page.close()
    print(PICTURES / name)


def take_play(browser: Browser, site: Site, name: str) -> None:
    """Save a picture of Play, on a wide screen, as *name*."""
    lying = tuple(site.live.state["lying"]["play"])
    site.live.do(Lift(lying, "play")).result(PATIENCE_S)
    page = browser.new_page(viewport=WIDE, device_scale_factor=1, reduced_motion="reduce")
    page.goto(f"{site.address}?view=play")
    expect(page.locator("#banner-hint")).not_to_be_empty()
    expect(page.locator("#hands > *").first).to_be_attached()
    page.wait_for_timeout(PICTURES_LOAD_MS)
    page.screenshot(path=PICTURES / name, animations="disabled")
    page.close()
    print(PICTURES / name)


def show(browser: Browser, play: Callable[[TablePage], None], game: str, seed: int = SEED) -> None:
    """Play *game* with a deck shuffled with *seed*; take pictures of Play and of Lab."""
    name = "virtual-table" if game == "straw" else f"virtual-table-{game}"
    with tempfile.TemporaryDirectory() as folder, Site(Path(folder), seed) as site:
        table = TablePage(browser.new_page(viewport=WIDE)).open(site.address)
        play(table)
        table.page.close()
        take(browser, site, WIDE, f"{name}.png")
        take(browser, site, PHONE, f"{name}-phone.png")
        take_play(browser, site, f"play-{game}.png")


def main() -> None:
    """Take all pictures."""
    with browsing() as browser:
        show(browser, play_straw, "straw")
        show(browser, play_cramel, "cramel")
        show(browser, play_camargue, "camargue")
        show(browser, play_ciao, "ciao", GIVING.seed)
        show(browser, play_riff_raff, "riff-raff")


if __name__ == "__main__":
    main()
