"""The private ear in a browser: a player's phone that reads cards aloud to this player alone."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from engines.common.contract import Seat
from engines.common.pieces import Piece
from firmware.table.events import Event, PhoneAct, PhoneCommand
from firmware.table.table import Feedback, Table
from tests.sim.test_private_ear import config
from tests.sim.web.browser import TablePage, findings
from tests.sim.web.companion import Evening, evening, until
from tests.sim.web.test_companion import PHONE, PICTURES, is_whole
from tests.sim.web.test_companion_phones import SMALL, sit, stepping, wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Python there has no Unix sockets")

# A loudspeaker that remembers what is spoken, and voices to choose from.
LOUDSPEAKER = """(languages) => {
  window.spoken = [];
  const speech = window.speechSynthesis;
  const voices = languages.map((lang) => ({lang, name: lang}));
  const speak = (said) => window.spoken.push([said.lang, said.text]);
  Object.defineProperty(speech, "getVoices", {value: () => voices});
  Object.defineProperty(speech, "speak", {value: speak});
  window.SpeechSynthesisUtterance = function (text) { this.text = text; };
}"""
SEVEN = "The 7. You can play it."
PLAYABLE = "You can play: the 7. 3 more to show: hold them to a reader."
OVERVIEW = "0. Your turn. Hand 4. Hands after you 4."


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Evening]:
    with evening(tmp_path / "state", config=config("hand")) as made:
        until(lambda: made.state)
        made.people.begin("straw", 2)
        yield made


def phone_of(browser: Browser, table: Evening, name: str, languages: list[str]) -> Page:
    """Return the phone of *name*, which has voices for *languages*."""
    page = browser.new_context(viewport=PHONE).new_page()
    page.add_init_script(f"({LOUDSPEAKER})({languages})")
    page.goto(f"{table.address}phone")
    wait_for(table, page, page.locator("#seats"), name)
    sit(table, page, name)
    stepping(table, page.locator("#ear:not([hidden])").count, page)
    return page


def spoken(page: Page) -> list[Any]:
    return list(page.evaluate("window.spoken"))


def told(table: Evening, page: Page, text: str) -> None:
    """Wait until *page* shows *text* to its screen reader."""
    shown = page.locator("#told")
    stepping(table, lambda: shown.text_content() == text, page)


def listen(table: Evening, page: Page) -> None:
    page.get_by_label("Tell my cards to me alone").check()
    told(table, page, "Only you hear what you hold to the hand reader.")


def hold(table: Evening, piece: str) -> None:
    table.people.move("tap", [piece], "hand", "straw")


def test_a_phone_says_a_card_to_its_player_alone(browser: Browser, table: Evening) -> None:
    ann, ben = (phone_of(browser, table, name, ["en-GB"]) for name in ("Ann", "Ben"))
    seated = len(list(table.mat.said))  # a phone's number, said before, may have a 7
    expect(ann.locator("#gestures")).to_be_hidden()
    expect(ann.locator("#listen-for")).to_contain_text("For players who do not see")
    listen(table, ann)
    assert ann.locator("#told + #gestures").count() == 1, "the answer is right above the field"
    hold(table, "weight-7")
    told(table, ann, SEVEN)
    assert spoken(ann) == [], "reading aloud is off until the player wants it"
    ann.get_by_label("Read aloud on this phone").check()
    hold(table, "weight-7")
    stepping(table, lambda: ["en-GB", SEVEN] in spoken(ann)[1:], ann)
    assert ben.locator("#told").text_content() == ""
    assert spoken(ben) == []
    assert not any("7" in line.text for line in list(table.mat.said)[seated:])
    PICTURES.mkdir(parents=True, exist_ok=True)
    ann.screenshot(path=PICTURES / "phone-ear.png", full_page=True)
    assert ann.evaluate(SMALL) == []
    assert is_whole(ann)
    assert findings(TablePage(ann)) == []
    for page in (ann, ben):
        page.context.close()


def test_one_button_without_looking_and_three_for_screen_readers(
    browser: Browser, table: Evening
) -> None:
    ann = phone_of(browser, table, "Ann", ["en-GB"])
    listen(table, ann)
    ann.get_by_label("Read aloud on this phone").check()
    hold(table, "weight-7")
    told(table, ann, SEVEN)
    large = ann.locator("#gestures")
    large.click()
    told(table, ann, PLAYABLE)
    large.dblclick()
    told(table, ann, OVERVIEW)
    before = spoken(ann)
    large.click(delay=800)
    told(table, ann, OVERVIEW)
    stepping(table, lambda: len(spoken(ann)) == len(before) + 1, ann)
    assert spoken(ann)[-1] == ["en-GB", OVERVIEW]
    ann.get_by_role("button", name="What can I play?", exact=True).click()
    told(table, ann, PLAYABLE)
    ann.get_by_role("button", name="Where are we?", exact=True).click()
    told(table, ann, OVERVIEW)
    before = spoken(ann)
    ann.get_by_role("button", name="The last line again", exact=True).click()
    stepping(table, lambda: len(spoken(ann)) == len(before) + 1, ann)
    assert all(line.text not in (PLAYABLE, OVERVIEW, SEVEN) for line in table.mat.said)
    ann.context.close()


def test_a_player_whose_hand_is_known_asks_without_listening(
    browser: Browser, table: Evening
) -> None:
    ann = phone_of(browser, table, "Ann", ["en-GB"])
    asks = ann.get_by_role("button", name="What can I play?", exact=True)
    expect(asks).to_be_hidden()
    table.mat.running.table.private.dealt_hands = {Seat(0): (Piece("weight-7"),)}
    stepping(table, asks.is_visible, ann)
    asks.click()
    stepping(table, lambda: "the 7" in (ann.locator("#told").text_content() or ""), ann)
    expect(ann.locator("#told")).to_be_visible()
    expect(ann.get_by_label("Tell my cards to me alone")).not_to_be_checked()
    table.people.move("tap", ["weight-7"], "play", "straw")
    told(table, ann, "")
    ann.context.close()


def test_without_a_voice_the_phone_says_so_and_shows_the_line(
    browser: Browser, table: Evening
) -> None:
    ann = phone_of(browser, table, "Ann", ["fr-FR"])
    listen(table, ann)
    ann.get_by_label("Read aloud on this phone").check()
    expect(ann.locator("#no-voice")).to_contain_text("no voice for this language")
    hold(table, "weight-7")
    told(table, ann, SEVEN)
    assert spoken(ann) == []
    ann.context.close()


def test_a_phone_listens_again_by_itself_and_says_nothing_twice(
    browser: Browser, table: Evening
) -> None:
    ann = phone_of(browser, table, "Ann", ["en-GB"])
    listen(table, ann)
    ann.get_by_label("Read aloud on this phone").check()
    hold(table, "weight-7")
    told(table, ann, SEVEN)
    ann.reload()
    told(table, ann, SEVEN)
    assert spoken(ann) == [], "that was said before"
    table.mat.power_cut()
    table.mat.power_on()
    told(table, ann, "Only you hear what you hold to the hand reader.")
    hold(table, "weight-7")
    told(table, ann, SEVEN)
    ann.context.close()


def test_a_phone_that_listens_gives_signs_of_life_and_no_other_does(
    browser: Browser, table: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str | None] = []
    of_table = Table.receive

    def receive(at: Table, event: Event, at_s: float) -> tuple[Feedback, ...]:
        if isinstance(event, PhoneAct) and event.act is PhoneCommand.HERE:
            heard.append(event.player)
        return of_table(at, event, at_s)

    monkeypatch.setattr(Table, "receive", receive)
    pages = []
    for name in ("Ann", "Ben"):
        page = browser.new_context(viewport=PHONE).new_page()
        page.clock.install()
        page.goto(f"{table.address}phone")
        wait_for(table, page, page.locator("#seats"), name)
        sit(table, page, name)
        stepping(table, page.locator("#ear:not([hidden])").count, page)
        pages.append(page)
    ann, _ = pages
    ann.get_by_label("Tell my cards to me alone").check()
    stepping(table, lambda: table.mat.running.table.private.hand_reader_of == "Ann", ann)
    for count in (1, 2):
        for page in pages:
            page.clock.run_for(30_000)
        stepping(table, lambda count=count: len(heard) >= count, ann)  # type: ignore[misc]
    assert heard == ["Ann", "Ann"]
    for page in pages:
        page.context.close()


def test_the_host_frees_the_hand_reader_for_another(browser: Browser, table: Evening) -> None:
    ann, ben = (phone_of(browser, table, name, ["en-GB"]) for name in ("Ann", "Ben"))
    sit(table, ben, "Host")
    expect(ben.get_by_role("button", name="Free the hand reader")).to_have_count(0)
    listen(table, ann)
    wait_for(table, ben, ben.locator("#tools"), "Free the hand reader: Ann")
    ben.get_by_role("button", name="Free the hand reader: Ann").click()
    told(table, ann, "The hand reader is free again.")
    assert "The hand reader is free again." in [line.text for line in table.mat.said]
    listen(table, ben)
    assert table.mat.running.table.private.hand_reader_of == "Ben"
    hold(table, "weight-7")
    stepping(table, lambda: (ben.locator("#told").text_content() or "").startswith("The 7."), ben)
    assert ann.locator("#told").text_content() == "The hand reader is free again."
    for page in (ann, ben):
        page.context.close()
