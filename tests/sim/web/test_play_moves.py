"""Tests of what moves and sounds in Play: tiles that turn over, and the table's tones."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import WebSocket, expect

from firmware.show.earcons import TONES
from firmware.show.view import Cue
from sim.deal import requests
from tests.sim.web.browser import Opener
from tests.sim.web.test_play import PlayPage, begin, opened

pytestmark = pytest.mark.browser

DOWN = ".place[data-state=down]"
# The duration of each move in a place, in milliseconds.
MOVES = """place => place.getAnimations({ subtree: true })
  .filter((move) => move instanceof CSSAnimation)
  .map((move) => move.effect.getTiming().duration)"""
# Keeps the moves of every place that is turned over, up or down.
WATCH = """() => {
  window.moves = [];
  const note = ({ target }) => window.moves.push([target.dataset.tag, (MOVES)(target)]);
  const isNew = ({ target, oldValue }) => target.dataset.seen !== oldValue;
  new MutationObserver((changes) => changes.filter(isNew).forEach(note))
    .observe(document.querySelector(".spread"),
      { subtree: true, attributeFilter: ["data-seen"], attributeOldValue: true });
}""".replace("MOVES", MOVES)


def turned(play: PlayPage) -> list[tuple[str, list[float]]]:
    return [tuple(each) for each in play.page.evaluate("window.moves")]


@pytest.mark.parametrize("is_reduced", [False, True])
def test_a_tile_is_shown_turning(open_page: Opener, *, is_reduced: bool) -> None:
    begin(open_page.site, "cramel")
    play = opened(open_page)
    expect(play.page.locator(DOWN)).to_have_count(49)
    play.page.emulate_media(reduced_motion="reduce" if is_reduced else "no-preference")
    play.page.evaluate(WATCH)
    tag = play.page.locator(DOWN).first.get_attribute("data-tag")
    play.page.locator(DOWN).first.click()
    expect(play.page.locator(f'.place[data-tag="{tag}"]')).to_have_attribute("data-turned", "")
    (place, durations), *_ = turned(play)
    assert place == tag
    assert durations == ([] if is_reduced else [240])


def test_a_tile_that_is_turned_back_is_shown_turning_too(open_page: Opener) -> None:
    begin(open_page.site, "cramel")
    play = opened(open_page)
    tag = play.page.locator(DOWN).first.get_attribute("data-tag")
    place = play.page.locator(f'.place[data-tag="{tag}"]')
    place.click()
    expect(place).to_have_attribute("data-state", "open")
    play.page.emulate_media(reduced_motion="no-preference")
    play.page.evaluate(WATCH)
    play.act("Take back").click()
    expect(place).to_have_attribute("data-state", "down")
    assert turned(play) == [(tag, [240])]


def test_tiles_that_lie_there_already_do_not_turn(open_page: Opener) -> None:
    begin(open_page.site, "cramel")
    play = opened(open_page)
    expect(play.page.locator(DOWN)).to_have_count(49)
    assert play.page.locator(".place[data-turned]").count() == 0


# --- sounds ---------------------------------------------------------------------------------------


def tones_of(cue: Cue) -> list[float]:
    return [frequency_hz for frequency_hz, _ in TONES[cue] if frequency_hz]


def test_a_play_and_a_refusal_sound_once_each(open_page: Opener) -> None:
    """The page gets the tones of the mat's buzzer, and each sound is heard once."""
    begin(open_page.site, "straw")
    play = opened(open_page)
    tones: list[float] = []

    def note(text: str | bytes) -> None:
        message: dict[str, Any] = json.loads(text)
        if message.get("tone"):
            tones.append(message["tone"])

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", note)

    play.page.on("websocket", listen)
    play.page.reload()
    play.playable.click()
    expect(play.hint).to_contain_text("Ben")
    until(play, lambda: len(tones) >= len(tones_of(Cue.YOUR_TURN)))
    assert tones == tones_of(Cue.YOUR_TURN)
    tones.clear()
    open_page.site.live.do(requests.Lay(("stranger",), "play")).result(30)
    until(play, lambda: len(tones) >= len(tones_of(Cue.REFUSED)))
    play.page.wait_for_timeout(500)
    assert tones == tones_of(Cue.REFUSED)


def until(play: PlayPage, happened: Callable[[], bool]) -> None:
    """Let the page run until *happened* returns True, for five seconds at most."""
    for _ in range(50):
        if happened():
            return
        play.page.wait_for_timeout(100)
