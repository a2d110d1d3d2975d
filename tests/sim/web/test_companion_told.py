"""The acts that phones and televisions tell: everything that has happened, and nothing old."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from engines.common.contract import Seat, Tap
from engines.common.pieces import Piece
from firmware.show.view import JoinAddress
from firmware.table.events import AddressChanged
from sim.deal import requests
from sim.web.live import LiveMat
from tests.sim.web.companion import Evening, evening, until
from tests.sim.web.test_companion import PHONE, PICTURES, TELEVISION, is_whole
from tests.sim.web.test_companion import opened as page_at
from tests.sim.web.test_companion_host import virtual_table
from tests.sim.web.test_companion_phones import notice_of, sit, stepping, wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Python there has no Unix sockets")

PLAIN = {f"{kind}-{number}" for kind in ("weight", "carpet") for number in range(1, 11)} | {
    "reverse"
}
SWAP = ("Ben plays the green Swap paper.", "Ben and Ann swap hands.", "Cem plays the red scissors.")


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Evening]:
    PICTURES.mkdir(parents=True, exist_ok=True)
    with evening(tmp_path / "state") as made:
        until(lambda: made.state)
        yield made


def phone_of(browser: Browser, table: Evening, name: str) -> Page:
    page = page_at(browser, table, PHONE, "phone")
    wait_for(table, page, page.locator("#seats"), name)
    sit(table, page, name)
    return page


def lines(page: Page) -> list[str]:
    """Return the lines about the last acts, the oldest first."""
    return page.locator("#last p").all_text_contents()[::-1]


def test_a_phone_tells_everything_since_its_players_last_turn(
    browser: Browser, table: Evening
) -> None:
    board = page_at(browser, table, TELEVISION)
    table.people.begin("ciao", 3)
    ann, ben = (phone_of(browser, table, name) for name in ("Ann", "Ben"))
    for kind in ("rock-green", "paper-green-swap"):
        table.people.move("tap", [kind], "play", "ciao")
    table.people.choose("Ann")
    table.people.move("tap", ["scissors-red"], "play", "ciao")
    wait_for(table, ann, ann.locator("#turn"), "Your turn, Ann!")
    assert lines(ann) == ["Ann plays the green rock.", *SWAP]
    expect(ann.locator("#last b")).to_have_text(["Ben and Ann swap hands."])
    for page in (ann, board):
        newest = page.locator("#last p", has_text="Cem plays")
        expect(newest).to_be_in_viewport(ratio=1)
        expect(page.locator("#last b")).to_be_in_viewport(ratio=1)
        assert is_whole(page)
    wait_for(table, ben, ben.locator("#turn"), "To play: Ann")
    assert lines(ben) == [SWAP[1], SWAP[2]], "with what he did himself"
    board.screenshot(path=PICTURES / "told-television.png")
    ann.screenshot(path=PICTURES / "told-phone.png")
    table.mat.press("action")  # Ann draws
    wait_for(table, ann, ann.locator("#last p").first, "Ann draws a card")
    assert lines(ann) == ["Ann plays the green rock.", *SWAP, "Ann draws a card."]
    stepping(table, lambda: lines(board)[-1:] == ["Ann draws a card."], board)
    for page in (board, ann, ben):
        page.context.close()


def test_a_counted_card_and_what_is_asked_have_a_name_on_the_television(
    browser: Browser, table: Evening
) -> None:
    board = page_at(browser, table, TELEVISION)
    table.people.begin("straw", 2)
    ann = phone_of(browser, table, "Ann")
    for kind in ["weight-10"] * 4 + ["weight-9", "weight-8"]:
        table.people.move("tap", [kind], "play", "straw")
    expect(board.locator("#turn")).to_have_text("Ben breaks the camel's back.")
    expect(board.locator("#ask")).to_have_text("Ann: Lay your hand, 4 cards to go.")
    table.people.move("tap", ["weight-3"], "play", "straw")
    expect(board.locator("#last p").first).to_have_text("Ann counts: the 3")
    stepping(table, lambda: "the 3" in "".join(lines(ann)), ann)
    expect(ann.get_by_role("button", name="What can I play?")).to_have_count(0)
    board.screenshot(path=PICTURES / "told-counting.png")
    for page in (board, ann):
        page.context.close()


def test_the_board_says_that_a_game_has_ended(browser: Browser, table: Evening) -> None:
    board = page_at(browser, table, TELEVISION)
    table.people.begin("straw", 2)
    expect(board.locator("#turn")).to_have_text("To play: Ann")
    table.people.end_game()
    expect(board.locator("#turn")).to_have_text("The game has ended.")
    expect(board.locator("#ask")).to_contain_text(
        "Start a game at the table or on the host's phone."
    )
    board.screenshot(path=PICTURES / "told-ended.png")
    board.context.close()


def test_a_question_is_not_mixed_with_a_list_of_cards(browser: Browser, table: Evening) -> None:
    board = page_at(browser, table, TELEVISION)
    table.mat.tell(AddressChanged(JoinAddress("", "123456", "tapmat.local:8738")))
    table.people.begin("ciao", 3)
    table.people.move("tap", ["rock-green"], "play", "ciao")
    expect(board.locator("#ask")).to_contain_text("Ben can play: any")
    table.people.move("tap", ["paper-green-again"], "play", "ciao")
    expect(board.locator("#ask")).to_have_text("Ben: again, or reverse?")
    board.context.close()


def test_the_tools_stay_where_they_are_and_say_what_they_did(
    browser: Browser, table: Evening
) -> None:
    table.people.begin("straw", 2)
    ann = phone_of(browser, table, "Ann")
    wait_for(table, ann, ann.locator("#tools"), "Take back")
    back, again = (ann.get_by_role("button", name=name) for name in ("Take back", "Say again"))
    expect(back).to_be_disabled()
    left = "each => each.getBoundingClientRect().left"
    at = again.evaluate(left)
    again.click()
    wait_for(table, ann, ann.locator("#said"), "The table says it again.")
    table.people.move("tap", ["weight-7"], "play", "straw")
    stepping(table, back.is_enabled, ann)
    expect(ann.locator("#said")).to_be_hidden()
    assert again.evaluate(left) == at
    ann.context.close()


# --- at the virtual table -------------------------------------------------------------------------


def sit_at(live: LiveMat, page: Page, name: str) -> None:
    """Let *page* be the phone of *name*, as people at the virtual table confirm."""
    page.locator("#seats").get_by_role("button", name=name, exact=True).click()
    until(lambda: "Phone" in notice_of(live))
    live.do(requests.HoldButton("ok")).result()
    live.do(requests.ReleaseButton("ok")).result()
    expect(page.locator("#you")).to_contain_text(name)


def begin(live: LiveMat, game: str, robot: str) -> None:
    """Start *game* with a person, Ann, and two robots."""
    robots = (None, robot, robot)
    live.do(requests.BeginGame(game, ("Ann", "Ben", "Cem"), robots, {}, is_quick=True)).result()


def lay(live: LiveMat, piece: Piece) -> None:
    """Let Ann lay *piece* of her hand, and lift it."""
    tag = f"{live.state['view']['game']}/{piece}"
    live.do(requests.Lay((tag,), "play")).result()
    until(lambda: Tap(piece) in record_of(live))
    live.do(requests.Lift((tag,), "play")).result()


def record_of(live: LiveMat) -> tuple[object, ...]:
    record = live._record()
    return () if record is None else record.inputs


def fitting(live: LiveMat) -> Piece:
    """Return a card of Ann's hand that can be laid, and brings no question."""
    takes = live._mat.running.table.takes
    hand = live._deck.hands[Seat(0)]
    return next(piece for piece in hand if piece.kind in PLAIN and takes(Tap(piece)))


def test_a_phone_takes_back_its_own_play_with_those_of_robots_after_it(
    browser: Browser, tmp_path: Path
) -> None:
    with virtual_table(tmp_path / "state") as (live, port):
        begin(live, "straw", "good")
        page = browser.new_context(viewport=PHONE).new_page()
        page.goto(f"http://127.0.0.1:{port}/phone")
        sit_at(live, page, "Ann")
        expect(page.locator("#turn")).to_have_text("Your turn, Ann!")
        back = page.get_by_role("button", name="Take back")
        expect(back).to_be_disabled()
        hand = page.locator("#hand li").all_text_contents()
        page.locator("#hand li:not([title*=Copy])").first.click()
        expect(page.locator("#said")).to_contain_text("Lay the card itself at the table.")
        lay(live, fitting(live))
        until(lambda: len(record_of(live)) >= 2 and live.state["view"]["turn"] == 0)
        expect(page.locator("#turn")).to_have_text("Your turn, Ann!")
        expect(page.locator("#said")).to_be_hidden()
        assert lines(page)[0].startswith("Ann "), "it begins with what she did"
        assert re.match("(Ben|Cem) ", lines(page)[1])
        back.click()
        until(lambda: record_of(live) == ())
        expect(page.locator("#hand li")).to_have_text(hand)
        expect(back).to_be_disabled()
        page.context.close()


def test_a_drawn_card_is_marked_and_draw_is_not_the_usual_answer(
    browser: Browser, tmp_path: Path
) -> None:
    with virtual_table(tmp_path / "state") as (live, port):
        live.do(requests.DealCards("ciao", 2, is_hot_seat=True)).result()
        page = browser.new_context(viewport=PHONE).new_page()
        page.goto(f"http://127.0.0.1:{port}/phone")
        sit_at(live, page, "Ann")
        draw = page.locator("#answers").get_by_role("button", name="draw")
        expect(draw).to_have_class("quiet")
        expect(page.locator("#hand b")).to_have_count(0)
        draw.click()
        expect(page.locator("#hand b")).to_have_text(["new"])
        expect(page.locator("#hint")).to_have_text(
            re.compile("^(You have drawn|The card you drew)")
        )
        fits = page.locator("#hand li:is(.fits, .warned)").count()
        has_drawn = (page.locator("#hint").text_content() or "").startswith("You have")
        assert has_drawn == (fits > 0)
        barred = page.locator(
            "#hand li:not(.fits, .warned)"
        ).first  # after a draw, an older card is
        barred.click()
        expect(page.locator("#said")).to_contain_text("It cannot be played now.")
        page.screenshot(path=PICTURES / "told-drawn.png")
        assert is_whole(page)
        page.context.close()
