"""Tests of the page in a browser: rounds by mouse, keyboard and finger, undo, errors, display."""

import json
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from aiohttp import web
from PIL import Image, ImageChops
from playwright.sync_api import Browser, expect

from firmware.boxes.decks import load_deck
from firmware.boxes.games import game_named
from firmware.show.text import find_text
from firmware.show.view import in_groups
from sim.deal.transitions import shuffle
from sim.mat.mat import Mat
from tests.sim.web.browser import (
    NO_BROWSER,
    PHONE,
    SEED,
    Finger,
    Keyboard,
    Mouse,
    Opener,
    Site,
    StrawPlayer,
    TablePage,
    browser_path,
    findings,
    middle,
    reach,
)

if browser_path() is None:
    pytest.skip(NO_BROWSER, allow_module_level=True)


# --- whole rounds ---------------------------------------------------------------------------------


def test_a_round_of_straw_is_played_by_dragging_cards(open_page: Opener) -> None:
    table = open_page()
    table.deal(2)
    player = StrawPlayer(table, Mouse(table))
    player.until_broken()
    assert {face.family for face in player.plays} >= {"weight", "lamp", "reverse"}
    worth = player.score()
    assert table.phase() == "round-over"
    assert table.scores() == worth
    for name, points in worth.items():
        assert f"{name} {points}" in table.display()
        assert find_text(lit_pixels(table.oled()), f"{name} {points}")


def test_a_round_of_straw_is_played_by_keyboard_alone(open_page: Opener) -> None:
    table = open_page.blank()
    table.page.add_init_script(
        """window.pointers = [];
        for (const kind of ["pointerdown", "mousedown", "mousemove", "wheel", "touchstart"])
          addEventListener(kind, () => window.pointers.push(kind), { capture: true });"""
    )
    table.open(open_page.site.address)
    table.page.evaluate("window.pointers.length = 0")  # Chromium's own, while the page is built
    keys = Keyboard(table)
    keys.press("Tab")  # skips the table's controls
    keys.press("Enter")
    keys.walk("Tab", "[role=tab]")
    keys.walk("ArrowRight", "#tab-deal")
    keys.walk("Tab", "#deal-game")
    keys.press("s")  # selects the game that begins with S
    keys.walk("Tab", "#deal-players")
    keys.press("2")
    keys.walk("Tab", "#deal")
    keys.press("Enter")
    expect(table.hand).to_have_count(4)
    player = StrawPlayer(table, keys)
    player.until_broken()
    assert table.scores() == {"Ann": 0, "Ben": 0}
    worth = player.score()
    assert table.phase() == "round-over"
    assert table.scores() == worth
    assert table.page.evaluate("window.pointers") == []


# --- tiles ----------------------------------------------------------------------------------------

# Of each stack, true if its count lies within its own room, where no edge cuts it.
COUNTS_INSIDE = """stacks => stacks.map((stack) => {
  const [room, count] = [stack, stack.querySelector(".stack-count")]
    .map((element) => element.getBoundingClientRect());
  return count.left >= room.left && count.right <= room.right && count.bottom <= room.bottom;
})"""
PLACES = {  # tile to place; the pages do not know this
    str(tile): place
    for place, tile in enumerate(shuffle(load_deck(game_named("cramel")), Random(SEED)), start=1)
}
ACTION, BACK = "[data-button=action]", "[data-button=back]"


def turn(table: TablePage, *tiles: str) -> None:
    """Turn tiles over by mouse, and press action if the turn is not over."""
    for tile in tiles:
        table.turn_over(PLACES[tile])
    if table.page.locator(".place[data-state=open]").count() > 0:
        table.until_accepted(lambda: table.page.click(ACTION))


def where(place: int, what: str) -> str:
    return f"Row {(place - 1) // 7 + 1}, column {(place - 1) % 7 + 1}: {what}"


def place_words(table: TablePage, tile: str) -> str:
    """Return the label of *tile*'s place without its row and column."""
    label = table.place(PLACES[tile]).get_attribute("aria-label") or ""
    assert label.startswith(where(PLACES[tile], "")), label
    return label.partition(": ")[2]


def test_cramel_is_laid_out_and_played_by_mouse(open_page: Opener) -> None:
    table = open_page()
    table.lay_out(2)
    down = [where(place, "face down") for place in range(1, 50)]
    assert table.labels() == down
    backs = table.places.evaluate_all("all => new Set(all.map(one => one.innerHTML)).size")
    assert backs == 1
    assert table.turn_over(PLACES["jane#1"]) == ["Jane. Action: stop."]
    assert table.turn_over(PLACES["roby#1"]) == ["Roby: 1 to win."]
    assert table.turn_over(PLACES["jane#2"]) == ["Jane completes a set: 3 to win."]
    assert place_words(table, "jane#1") == "Jane, open"
    table.place(PLACES["jane#1"]).click(force=True)  # an open tile cannot be turned over
    assert table.turn_over(PLACES["helena#1"]) == ["Helena."]
    table.until_accepted(lambda: table.page.click(ACTION))
    assert table.scores() == {"Ann": 3, "Ben": 0}
    assert place_words(table, "jane#1") == place_words(table, "jane#2") == "empty"
    assert place_words(table, "helena#1") == "Helena, to be turned down"
    stacks = table.page.locator('[data-hand="won-0"] .stack')
    words = stacks.evaluate_all("all => all.map(one => one.ariaLabel)")
    assert sorted(words) == ["Jane: 2", "Roby: 1"]
    several = table.page.locator('[data-hand="won-0"] .stack[data-several]')
    assert several.evaluate_all(COUNTS_INSIDE) == [True]
    expect(table.page.locator("#hands [data-turn] h3")).to_have_text("Ben: 0 tiles, to play")
    table.turn_over(PLACES["gol#1"])
    assert place_words(table, "helena#1") == "face down"
    assert table.turn_over(PLACES["cramel#1"])[-1].endswith("Ann to play.")
    assert place_words(table, "gol#1") == "Gol, to be turned down"
    assert place_words(table, "cramel#1") == "Cramel, to be turned down"
    expect(table.journal("refused")).to_have_count(0)


def test_tiles_turned_over_are_undone_and_a_reloaded_page_shows_them(open_page: Opener) -> None:
    table = open_page()
    table.lay_out(2)
    fresh = table.labels()
    table.turn_over(PLACES["roby#1"])
    table.turn_over(PLACES["gol#1"])
    before = table.labels()
    table.until_accepted(lambda: table.page.click(ACTION))
    after = table.labels()
    assert table.scores() == {"Ann": 1, "Ben": 0}
    table.page.click(BACK)
    expect(table.place(PLACES["roby#1"])).to_have_attribute("data-state", "open")
    assert table.labels() == before
    assert table.scores() == {"Ann": 0, "Ben": 0}
    table.page.click(ACTION)
    expect(table.place(PLACES["roby#1"])).to_have_attribute("data-state", "free")
    table.page.reload()
    expect(table.connection).to_have_text("connected")
    expect(table.places).to_have_count(49)
    assert table.labels() == after
    for _ in range(3):
        undone = table.journal("undo").count()
        table.page.click(BACK)
        expect(table.journal("undo")).to_have_count(undone + 1)
    expect(table.place(PLACES["roby#1"])).to_have_attribute("data-state", "down")
    assert table.labels() == fresh
    assert table.turn_over(PLACES["roby#1"]) == ["Roby: 1 to win."]


def test_cramel_is_played_by_keyboard_alone(open_page: Opener) -> None:
    """One place is in the tab order; arrow keys move the focus; Enter or Space turns a tile."""
    table = open_page()
    keys = Keyboard(table)
    keys.press("Tab")
    keys.press("Enter")
    keys.walk("Tab", "[role=tab]")
    keys.walk("ArrowRight", "#tab-deal")
    keys.walk("Tab", "#deal-game")
    table.page.keyboard.type("cr")  # Camargue and Ciao! also begin with C
    keys.walk("Tab", "#deal-players")
    keys.press("2")
    keys.walk("Tab", "#deal")
    keys.press("Enter")
    expect(table.places).to_have_count(49)
    keys.walk("Tab", ".place")
    for tile, key in (("jane#1", "Enter"), ("jane#2", " "), ("roby#1", "Enter")):
        go(keys, PLACES[tile])
        table.turn_over(PLACES[tile], lambda key=key: keys.press(key))  # type: ignore[misc]
        assert focused(table) == where(PLACES[tile], f"{tile[:4].capitalize()}, open")
    table.until_accepted(lambda: keys.press("a"))
    assert table.scores() == {"Ann": 3, "Ben": 0}
    go(keys, PLACES["bloom#1"])
    table.turn_over(PLACES["bloom#1"], lambda: keys.press("Enter"))
    name = "Mrs. Bloom, to be turned down; may go to an empty place"
    assert focused(table) == where(PLACES["bloom#1"], name)
    keys.press("Enter")
    expect(table.place(PLACES["bloom#1"])).to_have_attribute("aria-pressed", "true")
    keys.press("Escape")
    expect(table.place(PLACES["bloom#1"])).to_have_attribute("aria-pressed", "false")
    keys.press("Enter")
    go(keys, PLACES["roby#1"])
    assert focused(table) == where(PLACES["roby#1"], "empty, put the tile here")
    keys.press("Enter")
    expect(table.place(PLACES["roby#1"])).to_have_attribute("data-state", "past")
    assert focused(table) == where(PLACES["roby#1"], name)
    assert place_words(table, "bloom#1") == "empty"
    keys.press("Tab")
    expect(table.page.locator(".place:focus")).to_have_count(0)
    keys.press("Shift+Tab")
    assert focused(table) == where(PLACES["roby#1"], name)


def focused(table: TablePage) -> str:
    return str(table.page.evaluate("document.activeElement.ariaLabel"))


def go(keys: Keyboard, place: int) -> None:
    """Move the focus from the focused place to *place* with the arrow keys."""
    now = int(keys.table.page.evaluate("document.activeElement.dataset.tag.split('@')[1]"))
    (row, column), (to_row, to_column) = divmod(now - 1, 7), divmod(place - 1, 7)
    for _ in range(abs(to_row - row)):
        keys.press("ArrowDown" if to_row > row else "ArrowUp")
    for _ in range(abs(to_column - column)):
        keys.press("ArrowRight" if to_column > column else "ArrowLeft")
    assert keys.table.page.evaluate("document.activeElement.dataset.tag") == f"cramel/@{place}"


def test_bloom_is_dragged_to_a_free_place_and_no_undo_or_restart_loses_her(
    open_page: Opener,
) -> None:
    table = open_page()
    table.lay_out(2)
    turn(table, "roby#1", "roby#2")
    turn(table, "jane#1", "bloom#1")
    home, free, other = (PLACES[tile] for tile in ("bloom#1", "roby#1", "roby#2"))
    mouse = Mouse(table)
    mouse.drag(table.place(home), table.place(PLACES["gol#1"]))  # not a free place
    mouse.drag(table.place(PLACES["jane#1"]), table.place(free))  # not Bloom
    mouse.drag(table.place(home), table.place(free))
    expect(table.place(free)).to_have_attribute("data-movable", "")
    expect(table.place(home)).to_have_attribute("data-state", "free")
    mouse.drag(table.place(free), table.place(other))
    expect(table.place(other)).to_have_attribute("data-movable", "")
    labels = table.labels()
    with open_page.server_stopped():
        expect(table.connection).to_have_text("no connection")
    expect(table.place(other)).to_have_attribute("data-movable", "")
    assert table.labels() == labels
    table.turn_over(PLACES["gol#1"])
    assert place_words(table, "roby#2") == "face down"
    assert table.turn_over(other)[-1].startswith("Mrs. Bloom!")
    for _ in range(3):
        undone = table.journal("undo").count()
        table.page.click(BACK)
        expect(table.journal("undo")).to_have_count(undone + 1)
    expect(table.place(home)).to_have_attribute("data-state", "down")
    assert place_words(table, "roby#2") == "empty"


def test_a_phone_shows_the_whole_spread_and_a_finger_turns_tiles(open_page: Opener) -> None:
    table = open_page(PHONE, is_phone=True)
    table.page.tap("#tab-deal")
    table.page.select_option("#deal-game", "cramel")
    table.page.select_option("#deal-players", "5")
    table.page.tap("#deal")
    expect(table.places).to_have_count(49)
    for place in (1, 7, 43, 49):
        expect(table.place(place)).to_be_in_viewport(ratio=1)
    for control in ("ok", "back", "action"):
        expect(table.page.locator(f"[data-button={control}]")).to_be_in_viewport(ratio=1)
    expect(table.page.locator("#oled")).to_be_in_viewport(ratio=1)
    reach(table, "spread")
    table.turn_over(PLACES["roby#1"], table.place(PLACES["roby#1"]).tap)
    table.until_accepted(table.page.locator(ACTION).tap)
    table.turn_over(PLACES["bloom#1"], table.place(PLACES["bloom#1"]).tap)
    finger = Finger(table)
    finger.drag(table.place(PLACES["bloom#1"]), table.place(PLACES["roby#1"]))
    expect(table.place(PLACES["roby#1"])).to_have_attribute("data-movable", "")
    table.place(PLACES["roby#1"]).tap()
    table.place(PLACES["bloom#1"]).tap()
    expect(table.place(PLACES["bloom#1"])).to_have_attribute("data-movable", "")


DARK_GLASS = (6, 10, 18)  # the colour in static/oled.js


def lit_pixels(shown: Image.Image) -> Image.Image:
    """Return a mask of the pixels whose colour is not that of dark glass."""
    glass = Image.new("RGB", shown.size, DARK_GLASS)
    return (
        ImageChops.difference(shown, glass).convert("L").point(lambda level: 255 * (level > 0), "1")
    )


# --- on a phone -----------------------------------------------------------------------------------

PANELS = ("cards", "deal", "journal", "trouble", "help")


def test_on_a_phone_everything_is_within_reach_of_a_finger(open_page: Opener) -> None:
    """Nothing scrolls sideways, and every control can be hit and has at least 44 by 44 pixels."""
    table = open_page(PHONE, is_phone=True)
    table.page.select_option("#deal-game", "straw", force=True)  # shows the hot-seat control
    seen: set[str] = set()
    for is_dealt in (False, True):
        if is_dealt:
            table.deal(2)
        for panel in PANELS:
            table.page.tap(f"#tab-{panel}")
            expect(table.page.locator(f"#panel-{panel}")).to_be_visible()
            seen |= reach(table, panel)
    assert seen >= {"OK", "back", "action", "speech", "buzzer", "power", "filter", "deal", "undeal"}
    assert seen >= {"export", "shortcuts", "hot-seat", "Turn clockwise", "Turn counter-clockwise"}


def test_a_finger_taps_and_drags_cards(open_page: Opener) -> None:
    table = open_page(PHONE, is_phone=True)
    table.page.tap("#tab-deal")
    table.page.select_option("#deal-game", "straw")
    table.page.select_option("#deal-players", "2")
    table.page.tap("#deal")
    expect(table.hand).to_have_count(4)
    finger = Finger(table)
    player = StrawPlayer(table, finger)
    player.turn()
    player.turn()
    card = max(table.faces(), key=lambda face: face.number or 0)
    said = table.until_accepted(lambda: finger.drag(table.card(card.tag), table.spot))
    assert said[-1].startswith(f"{player.weight + (card.number or 0)}. ")
    expect(table.lying).to_have_count(1)
    finger.drag(table.lying, table.page.locator("#oled"))
    expect(table.lying).to_have_count(0)
    twice = max(table.faces(), key=lambda face: face.number or 0)

    def tap_twice() -> None:
        table.card(twice.tag).tap()
        table.card(twice.tag).tap()

    table.until_accepted(tap_twice)


@pytest.mark.parametrize("is_dragged", [False, True])
def test_a_card_that_another_page_plays_meanwhile_is_not_in_hand_any_more(
    open_page: Opener, is_dragged: bool
) -> None:
    table, other = open_page(), open_page()
    table.deal(2)
    other.page.click("#tab-deal")
    mouse, ghost, tag = table.page.mouse, table.page.locator(".ghost"), table.faces()[0].tag
    mouse.move(*middle(table.card(tag)))
    mouse.down()
    if is_dragged:
        mouse.move(*middle(table.page.locator("#said-title")), steps=4)
    expect(ghost).to_have_count(1 if is_dragged else 0)
    table.until_accepted(lambda: Mouse(other).play(tag))
    expect(table.page.locator(f'[data-hand^=hand] [data-tag="{tag}"]')).to_have_count(0)
    mouse.move(*middle(table.spot), steps=4)
    expect(ghost).to_have_count(0)
    mouse.up()
    table.until_accepted(lambda: Mouse(table).play(table.faces()[0].tag))
    assert table.journal("refused").count() == 0


def test_the_encoder_turns_by_wheel_ring_arrows_and_keys(open_page: Opener) -> None:
    """For each way to turn, the page sends the number of detents, positive for clockwise."""
    table = open_page.blank()
    with table.page.expect_websocket() as opened:
        table.open(open_page.site.address)
    page, socket = table.page, opened.value
    x, y = middle(page.locator(".knob"))

    def turned(act: Callable[[], None]) -> int:
        with socket.expect_event("framesent", lambda text: '"turn"' in text) as frame:
            act()
        return int(json.loads(frame.value)["steps"])

    def drag_round() -> None:
        page.mouse.move(x + 38, y)
        page.mouse.down()
        page.mouse.move(x, y + 38)  # a quarter turn
        page.mouse.up()

    page.mouse.move(x, y)
    assert turned(lambda: page.mouse.wheel(0, 100)) == 1
    assert turned(lambda: page.mouse.wheel(0, -100)) == -1
    assert turned(drag_round) == 6
    assert turned(lambda: page.click("[aria-label='Turn counter-clockwise']")) == -1
    assert turned(lambda: page.keyboard.press("ArrowRight")) == 1
    page.evaluate("document.activeElement.blur()")
    assert turned(lambda: page.keyboard.press("ArrowLeft")) == -1


# --- undo, refusals, power ------------------------------------------------------------------------


def test_back_takes_a_play_back(open_page: Opener) -> None:
    table = open_page()
    table.deal(2)
    mouse = Mouse(table)
    hand = table.faces()
    card = next(face for face in hand if face.tag.startswith("straw/weight-10#"))
    assert announced_by(table, lambda: mouse.play(card.tag)) == "10. Ben to play."
    mouse.clear()
    table.page.click("[data-button=back]")
    expect(table.journal("undo")).to_have_count(1)
    expect(table.page.locator("[data-turn] h3")).to_have_text("Ann: 4 cards, to play")
    assert table.faces() == hand
    other = next(face for face in hand if face.tag.startswith("straw/weight-6#"))
    assert announced_by(table, lambda: mouse.play(other.tag)) == "6. Ben to play."


def announced_by(table: TablePage, act: Callable[[], None]) -> str:
    """Return the line said last after *act*."""
    return table.until_accepted(act)[-1]


def test_straw_below_50_is_refused_with_lamp_and_words(open_page: Opener) -> None:
    table = open_page()
    table.deal(2)
    table.page.click("#undeal")  # puts every card into the tray
    table.page.click("#tab-cards")
    table.page.fill("#filter", "straw")
    mouse = Mouse(table)
    mouse.play("straw/straw#1")
    expect(table.lamp("refused")).not_to_have_attribute("data-level", "0")
    expect(table.lamp("refused")).to_have_attribute("aria-label", "Lamp refused: lit")
    expect(table.journal("refused")).to_have_count(1)
    assert any("Straw goes on only at 50." in line for line in table.said())
    expect(table.journal("input")).to_have_count(0)
    expect(table.lamp("refused")).to_have_attribute("data-level", "0")
    assert table.turn() == "Ann"
    mouse.clear()


def test_after_a_pulled_plug_the_game_goes_on_with_the_same_weight(open_page: Opener) -> None:
    table = open_page()
    table.deal(2)
    player = StrawPlayer(table, Mouse(table))
    for _ in range(3):
        player.turn()
    hand, name = table.faces(), table.turn()
    table.page.click("#power")
    expect(table.page.locator("#dark")).to_be_visible()
    expect(table.page.locator(".lamp:not([data-level='0'])")).to_have_count(0)
    assert lit_pixels(table.oled()).getbbox() is None
    table.page.click("#power")
    expect(table.page.locator("#dark")).to_be_hidden()
    expect(table.hand).to_have_count(4)
    assert (table.faces(), table.turn()) == (hand, name)
    assert find_text(lit_pixels(table.oled()), str(player.weight))
    player.turn()


def test_who_presses_without_power_is_told_once(open_page: Opener) -> None:
    table = open_page()
    table.page.click("#power")
    expect(table.page.locator("#dark")).to_be_visible()
    notices = table.page.locator(".notice")
    table.page.keyboard.press("o")
    expect(notices.locator("p")).to_have_text(["The mat has no power. Plug it in: power on."])
    notices.evaluate("notice => notice.setAttribute('data-first', '')")
    table.page.keyboard.press("o")
    expect(table.page.locator(".notice[data-first]")).to_have_count(0)
    expect(notices).to_have_count(1)


def test_several_cards_rest_on_a_spot_and_are_lifted_together(open_page: Opener) -> None:
    table = open_page()
    table.deal(2)
    mouse = Mouse(table)
    for count in (1, 2, 3):
        card = max(table.faces(), key=lambda face: face.number or 0)
        table.until_accepted(partial(mouse.play, card.tag))
        expect(table.lying).to_have_count(count)
    table.page.click("[data-spot=play] [data-lift-all]")
    expect(table.lying).to_have_count(0)
    expect(table.journal("input")).to_have_count(3)
    expect(table.journal("refused")).to_have_count(0)


def test_what_was_said_and_accepted_last_is_always_in_sight(open_page: Opener) -> None:
    table = open_page()
    table.deal(2)
    player = StrawPlayer(table, Mouse(table))
    for _ in range(5):
        player.turn()
    table.page.set_viewport_size(PHONE)
    expect(table.page.locator("#transcript-lines li").last).to_be_in_viewport(ratio=0.9)
    table.page.click("#tab-journal")
    expect(table.journal("input").last).to_be_in_viewport(ratio=0.9)


# --- several pages --------------------------------------------------------------------------------


def test_pages_stay_in_step_and_a_later_one_catches_up(open_page: Opener) -> None:
    first, second = open_page(), open_page(PHONE, is_phone=True)
    first.deal(2)
    for table in (first, second):
        table.page.click("#tab-deal")
    expect(second.hand).to_have_count(4)
    ann, ben = Mouse(first), Finger(second)
    card = next(face for face in first.faces() if face.number == 10)
    first.until_accepted(lambda: ann.play(card.tag))
    expect(second.lying).to_have_count(1)
    expect(second.journal("input")).to_have_count(1)
    answer = next(face for face in second.faces() if face.number == 9)
    second.until_accepted(lambda: ben.play(answer.tag))
    expect(first.journal("input")).to_have_count(2)
    expect(first.page.locator("#transcript-lines li").last).to_have_text("19. Ann to play.")
    expect(second.lying).to_have_count(1)
    third = open_page()
    for table in (first, second, third):
        expect(table.lamp("accepted")).to_have_attribute("data-level", "0")
        expect(table.lying).to_have_count(1)
    assert shown(first) == shown(second) == shown(third)


def shown(table: TablePage) -> dict[str, Any]:
    """Return the part of the table's state that a page shows."""
    lamps = table.page.locator("[data-lamp]")
    return {
        "oled": table.oled().tobytes(),
        "lamps": lamps.evaluate_all("all => all.map(one => one.ariaLabel)"),
        "said": table.said(),
        "lying": table.lying.evaluate_all("cards => cards.map(card => card.dataset.tag)"),
        "hand": [face.tag for face in table.faces()],
        "scores": table.scores(),
        "display": table.display(),
        "journal": table.page.locator("#journal li").all_text_contents(),
    }


def test_a_reloaded_page_shows_what_it_showed(open_page: Opener) -> None:
    table = open_page()
    table.deal(2)
    StrawPlayer(table, Mouse(table)).turn()
    expect(table.lamp("accepted")).to_have_attribute("data-level", "0")
    before = shown(table)
    table.page.reload()
    expect(table.connection).to_have_text("connected")
    expect(table.hand).to_have_count(4)
    assert shown(table) == before


def test_a_page_says_when_the_server_is_gone_and_comes_back_with_it(open_page: Opener) -> None:
    table = open_page()
    table.deal(2)
    player = StrawPlayer(table, Mouse(table))
    player.turn()
    hand = table.faces()
    with open_page.server_stopped():
        expect(table.connection).to_have_text("no connection")
        Mouse(table).play(hand[0].tag)
        expect(table.page.locator(".notice p")).to_have_text(
            "No connection to the table. Try again when it is back."
        )
    expect(table.hand).to_have_count(4)
    assert table.faces() == hand
    expect(table.journal("input")).to_have_count(len(player.plays) + 1)
    expect(table.page.locator("#transcript-lines li")).to_contain_text(["Straw goes on."])
    player.turn()


def test_a_page_on_another_computer_asks_for_the_code_of_the_display(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web.Request, "remote", "192.0.2.7")
    with Site(tmp_path / "open", host="0.0.0.0") as site:
        table = Opener(browser, site).blank()
        table.page.goto(f"{site.address}?view=lab")
        expect(table.page.locator("#pairing")).to_be_visible()
        assert find_text(site.in_mat(visible), in_groups(site.server.guard.code))
        assert findings(table) == []
        table.page.fill("#code", "no")
        table.page.keyboard.press("Enter")
        expect(table.page.locator("#pairing-error")).to_contain_text("not the code")
        table.page.fill("#code", in_groups(site.server.guard.code))
        table.page.keyboard.press("Enter")
        expect(table.page.locator("#pairing")).to_be_hidden()
        expect(table.spot).to_be_visible()
        table.page.context.close()


# --- the display ----------------------------------------------------------------------------------


def command(mat: Mat, *data: int) -> None:
    """Send command bytes to the display's chip, as its driver does."""
    bus, chip = mat.board.i2c_bus, mat.board.display
    assert chip is not None
    assert bus.try_lock()
    bus.writeto(chip.address, bytes([0x00, *data]))
    bus.unlock()


def visible(mat: Mat) -> Image.Image:
    """Return the lit pixels of the emulated chip."""
    return mat.pixels


def test_the_canvas_shows_exactly_the_pixels_of_the_chip(site: Site, open_page: Opener) -> None:
    table = open_page()
    table.deal(2)
    StrawPlayer(table, Mouse(table)).turn()
    canvas = table.page.locator("#oled")

    plain = table.oled()
    assert_same(lit_pixels(plain), site.in_mat(visible))
    assert len(plain.getcolors() or ()) == 2
    assert_drawn_in_squares(table, plain)

    site.in_mat(lambda mat: command(mat, 0xA7))
    expect(canvas).to_have_attribute("data-inverted", "true")
    inverted = table.oled()
    assert_same(lit_pixels(inverted), site.in_mat(visible))
    assert_same(
        lit_pixels(inverted), ImageChops.invert(lit_pixels(plain).convert("L")).convert("1")
    )

    site.in_mat(lambda mat: command(mat, 0xA6, 0x81, 0x00))
    expect(canvas).to_have_attribute("data-contrast", "0")
    dimmed = table.oled()
    assert_same(lit_pixels(dimmed), lit_pixels(plain))
    assert brightest(dimmed) < brightest(plain)

    site.in_mat(switch_off)
    expect(canvas).to_have_attribute("data-on", "false")
    assert lit_pixels(table.oled()).getbbox() is None
    site.in_mat(lambda mat: mat.fault("none", "display"))
    expect(canvas).to_have_attribute("data-on", "true")


def switch_off(mat: Mat) -> None:
    """Switch the display off and disconnect it, so that the loop cannot switch it on again."""
    command(mat, 0xAE)
    mat.fault("display-lost", None)


def assert_same(one: Image.Image, other: Image.Image) -> None:
    assert one.size == other.size
    assert ImageChops.logical_xor(one, other).getbbox() is None


def brightest(shown: Image.Image) -> int:
    lightness = shown.convert("L").getextrema()
    return int(lightness[1])  # type: ignore[arg-type]  # a single band has one (min, max) pair


def assert_drawn_in_squares(table: TablePage, canvas: Image.Image) -> None:
    """Assert that each pixel of *canvas* is drawn as a square of one size and one colour."""
    drawn = table.page.locator("#oled")
    style = drawn.evaluate(
        """canvas => { const box = getComputedStyle(canvas);
        return [box.width, box.paddingLeft, box.borderLeftWidth].map(parseFloat); }"""
    )
    width, rim = style[0], style[1] + style[2]
    scale, rest = divmod(width, canvas.width)
    assert scale > 1
    assert rest == 0
    with Image.open(BytesIO(drawn.screenshot())) as picture:
        size = int(canvas.width * scale), int(canvas.height * scale)
        inside = picture.convert("RGB").crop(
            (int(rim), int(rim), int(rim) + size[0], int(rim) + size[1])
        )
    enlarged = canvas.resize(size, Image.Resampling.NEAREST)
    assert ImageChops.difference(inside, enlarged).getbbox() is None


# --- accessibility --------------------------------------------------------------------------------


def test_no_panel_shuts_anybody_out(open_page: Opener) -> None:
    """axe-core finds no serious problem."""
    table = open_page()
    assert findings(table) == []
    table.deal(3)
    mouse = Mouse(table)
    card = max(table.faces(), key=lambda face: face.number or 0)
    table.until_accepted(lambda: mouse.play(card.tag))
    for panel in PANELS:
        table.page.click(f"#tab-{panel}")
        if panel == "journal":
            table.page.click("#export")
            expect(table.page.locator("#rehearsal")).to_be_visible()
        if panel == "trouble":
            table.page.click("[data-fault=flicker][data-part=play]")
            expect(table.page.locator("[data-fault=flicker]")).to_have_attribute(
                "aria-checked", "true"
            )
        assert findings(table) == [], panel
    table.page.click("#power")
    expect(table.page.locator("#dark")).to_be_visible()
    assert findings(table) == []
    table.page.set_viewport_size(PHONE)
    assert findings(table) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_poor_contrast_is_found_in_either_scheme(scheme: str, open_page: Opener) -> None:
    table = open_page()
    poor = "button { color: #777 !important; background: #888 !important; }"
    rule = f"@media (prefers-color-scheme: {scheme}) {{ {poor} }}"
    table.page.evaluate("rule => document.styleSheets[0].insertRule(rule)", rule)
    assert all(found.startswith("color-contrast") for found in findings(table))
    assert findings(table) != []


def test_a_spread_shuts_nobody_out(open_page: Opener) -> None:
    """The spread has open, past, free and movable places, on a wide screen and on a phone."""
    table = open_page()
    table.lay_out(3)
    assert findings(table) == []
    turn(table, "roby#1", "jane#1", "jane#2")
    table.turn_over(PLACES["helena#1"])
    assert findings(table) == []
    table.turn_over(PLACES["bloom#1"])
    table.place(PLACES["bloom#1"]).click()
    assert findings(table) == []
    table.page.set_viewport_size(PHONE)
    assert findings(table) == []
    table.page.click("#undeal")
    table.page.click("#tab-cards")
    assert findings(table) == []
