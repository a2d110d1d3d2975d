"""The host's phone starts games, goes on to the next round, and plays again."""

import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from engines.common.contract import Seat, Tap
from firmware.boxes.register import TagRegister
from firmware.commands.beside import ChildProgram
from firmware.commands.journal_export import WantedResults, run_export_results
from firmware.commands.options import ResultFormat
from firmware.companion.page import STATIC
from firmware.outlet.stream import ActRequest
from firmware.runtime.controller import REGISTER, box_of, decks_of
from firmware.runtime.local_socket import LocalSocket
from firmware.table.events import PhoneAct, RobotChosen
from firmware.table.table import QUESTION_S
from firmware.voice.words import languages
from sim.deal import requests
from sim.mat.mat import CannotDo
from sim.players.levels import styles_of
from sim.robots.games import OURS
from sim.web.live import LiveMat
from sim.web.robot_lists import robot_lists, styles_in_english
from tests.firmware.archive.kept import play
from tests.firmware.companion.wire_phone import WirePhone, recorded
from tests.ports import free_port
from tests.sim.web.browser import TablePage, findings, questions_of
from tests.sim.web.companion import (
    CONFIG,
    SCANNED,
    Evening,
    command,
    evening,
    state_at,
    until,
)
from tests.sim.web.test_companion import PHONE, PICTURES, TELEVISION, is_whole, journal
from tests.sim.web.test_companion import opened as page_at
from tests.sim.web.test_companion_phones import (  # closed: a fixture for every test
    OPENED,
    SMALL,
    Later,
    at_table,
    closed,
    confirmed,
    follow_host,
    notice_of,
    opened,
    seated,
    seated_at,
    sit,
    stepping,
    wait_for,
)

__all__ = ["closed"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Python there has no Unix sockets")

STARTED = {"text": "Another game has been started already."}
GAME = {"start": "straw", "names": ["Zoe", "Uli"], "dealer": 1, "rules": {"floor-at-zero": "on"}}
FILES = (
    ("bgsplay", "File for the app BG Stats"),
    ("csv", "Spreadsheet (CSV)"),
    ("json", "Data (JSON)"),
)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Evening]:
    with evening(tmp_path / "state") as made:
        until(lambda: made.state)
        yield made


def hosts(table: Evening, count: int) -> list[WirePhone]:
    phones = [opened(table) for _ in range(count)]
    for phone in phones:
        assert confirmed(table, phone, None) == {}
        stepping(table, partial(phone.news.get, "host"))
    return phones


@pytest.mark.long
def test_of_two_hosts_who_start_at_once_the_later_one_is_refused(table: Evening) -> None:
    one, other = hosts(table, 2)
    games = (GAME, {**GAME, "names": ["Ann", "Ben"]})
    moment = one.news["host"]["moment"]
    replies = [
        Later(phone.act, game, moment) for phone, game in zip((one, other), games, strict=True)
    ]
    told = [reply.result(table) for reply in replies]
    begun, refused = sorted(told, key=len)
    assert begun == {}
    assert refused in (STARTED, {"code": "late"})  # the table's refusal, or that of the companion
    ((kind, body),) = journal(table.folder)
    assert kind == "start"
    assert '"phone":"host"' in body
    assert ('"Zoe"' in body) == (told[0] == {})


@pytest.mark.long
def test_only_a_host_starts_a_game_and_only_one_that_is_offered(table: Evening) -> None:
    (host,) = hosts(table, 1)
    guest = opened(table)
    assert guest.act(GAME, 0) == {"code": "not-yours"}
    assert host.act({**GAME, "start": "chess"}) == {"code": "late"}
    assert host.act("next-round") == host.act("rematch") == {"code": "late"}
    wrong = {**GAME, "names": ["Zoe", "Zoe"]}
    assert at_table(table, host.act, wrong) == {
        "text": "Each player needs a different name, of 1 to 10 letters."
    }
    assert journal(table.folder) == []
    assert at_table(table, host.act, GAME) == {}
    follow_host(table, host)
    assert host.news["host"]["games"] == []
    assert host.act(GAME) == {"code": "late"}
    until(lambda: (table.state or {}).get("names") == ["Zoe", "Uli"])
    (zoe,) = seated(table, "Zoe")
    assert zoe.act(GAME) == {"code": "not-yours"}


def test_a_game_whose_cards_have_no_stickers_is_not_started(tmp_path: Path) -> None:
    with evening(tmp_path / "state") as table:
        until(lambda: table.state)
        with closing(TagRegister(table.folder / REGISTER)) as register:
            register.rebind(dict.fromkeys(register.pieces("straw").values()))
        (host,) = hosts(table, 1)
        (straw,) = [each for each in host.news["host"]["games"] if each["game"] == "straw"]
        assert straw["why_not"].startswith("No card of this game has a sticker yet.")
        assert host.act(GAME) == {"code": "late"}
        assert journal(table.folder) == []


FORMS = {
    "csv": ResultFormat.CSV,
    "json": ResultFormat.JSON,
    "bgsplay": ResultFormat.BGSTATS,
}


def files_of(folder: Path, number: int, to: Path) -> dict[str, bytes]:
    """Return the files that ``tapmat journal export`` writes for game *number*, by kind."""
    for kind, form in FORMS.items():
        wanted = WantedResults((number,), form=form)
        run_export_results(wanted, to / f"game.{kind}", CONFIG, folder, StringIO(), StringIO())
    return {kind: (to / f"game.{kind}").read_bytes() for kind in FORMS}


@pytest.mark.long
def test_only_the_host_gets_the_results_and_they_are_the_files_of_the_export(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "state"
    folder.mkdir()
    number = play(folder)
    exported = files_of(folder, number, tmp_path)
    with evening(folder) as table, recorded(table.port) as wire:
        until(lambda: table.state)
        guest, host = (WirePhone(wire.port).open() for _ in "ab")
        assert confirmed(table, host, None) == {}
        assert guest.send(do="results") == {"code": "not-yours"}
        table.people.begin("straw", 2)
        (ann,) = seated(table, "Ann")
        assert ann.send(do="results") == {"code": "not-yours"}
        reply = Later(host.send, do="results")
        stepping(table, table.socket._finding.locked)
        assert at_table(table, host.act, "say-again") == {}, "an act waits for the results"
        (result,) = reply.result(table)["results"]
        for phone in (guest, host):
            phone.close()
        assert result["players"] == [["Ann", 17, True], ["Ben", 13, False]]
        assert {kind: result[kind].encode() for kind in FORMS} == exported
        assert result["link"].startswith("https://app.bgstatsapp.com/createPlay.html?data=")
        everything = bytes(wire.up + wire.down)
        secrets = ("bgstatsapp", "bgsplay", '"results"', "seatOrder")
        assert [text for text in secrets if text.encode() in everything] == []


# --- beside the virtual table ---------------------------------------------------------------------


@contextmanager
def virtual_table(folder: Path) -> Iterator[tuple[LiveMat, int]]:
    """Yield a virtual table, and the port of its companion."""
    folder.mkdir()
    port = free_port()
    live = LiveMat(CONFIG, folder, lambda _kind, _news: None)
    with ExitStack() as opening:
        live.start().result()
        opening.callback(live.stop)
        path = folder / "companion.sock"
        box = partial(box_of, decks_of(CONFIG))
        served = LocalSocket(path, live.outlet, live.inbox, find_box=box)
        opening.enter_context(closing(served.open()))
        opening.enter_context(closing(ChildProgram(command(folder, port))))
        until(lambda: state_at(f"http://127.0.0.1:{port}/"))
        yield live, port
        while OPENED:
            OPENED.pop().close()


def deal_of(live: LiveMat) -> dict[str, Any]:
    return live.state.get("deal") or {}


@pytest.mark.long
def test_at_the_virtual_table_the_host_s_game_is_dealt(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    with virtual_table(folder) as (live, port):
        host = seated_at(live, port, None)
        assert host.act(GAME) == {}
        zoe = seated_at(live, port, "Zoe")
        until(lambda: zoe.mine["hand"])
        assert len(zoe.mine["hand"]) == 4
        assert deal_of(live)["robots"] == [None, None]
        assert [body for kind, body in journal(folder) if kind == "start"] == [
            body for _, body in journal(folder) if '"Zoe","Uli"' in body
        ]
        assert host.send(do="results") == {"code": "lost"}, "this table does not tell results"


@pytest.mark.long
def test_the_host_s_phone_seats_robots_which_play_and_stand_up_again(tmp_path: Path) -> None:
    with virtual_table(tmp_path / "state") as (live, port):
        host = seated_at(live, port, None)
        assert host.news["host"]["robots"] == []
        assert host.act({"robot": "good", "seat": 1}) == {"code": "late"}
        assert host.act(GAME) == {}
        until(lambda: host.news["host"]["robots"])
        zoe, uli = host.news["host"]["robots"]
        assert (zoe["name"], zoe["title"], uli["title"], uli["now"]) == ("0", "Zoe", "Uli", "")
        assert [style for style, _ in uli["values"]] == ["", *styles_of("straw")]
        assert ["good", "robot: good"] in uli["values"]
        for wrong in ({"robot": "x", "seat": 1}, {"robot": "good", "seat": 2}):
            assert host.act(wrong) == {"code": "late"}
        seat = seated_at(live, port, "Zoe")
        assert seat.act({"robot": "good", "seat": 1}) == {"code": "not-yours"}
        for at in (0, 1):
            assert host.act({"robot": "good", "seat": at}) == {}
        until(lambda: deal_of(live).get("robots") == ["good", "good"])
        until(lambda: [each["now"] for each in host.news["host"]["robots"]] == ["good", "good"])
        until(lambda: '"tap"' in "".join(body for _, body in journal(tmp_path / "state")))
        assert host.act({"robot": "", "seat": 0}) == {}
        until(lambda: deal_of(live)["robots"] == [None, "good"])

        moment = host.news["host"]["moment"]
        for act in ("end-game", GAME):  # the same players: the robot keeps its seat
            until(lambda act=act: host.act(act) == {})  # type: ignore[misc]
        until(lambda: host.news["host"]["moment"] > moment and deal_of(live).get("robots"))
        until(lambda: deal_of(live).get("robots") == [None, "good"])
        moment = host.news["host"]["moment"]
        for act in ("end-game", {**GAME, "start": "cramel", "rules": {}}):  # in another game too
            until(lambda act=act: host.act(act) == {})  # type: ignore[misc]
        until(
            lambda: host.news["host"]["moment"] > moment and deal_of(live).get("game") == "cramel"
        )
        until(lambda: deal_of(live).get("robots") == [None, "good"])
        until(lambda: host.act("end-game") == {})
        until(lambda: host.act({**GAME, "names": ["Zoe", "Ida"]}) == {})
        until(lambda: deal_of(live).get("robots") == [None, None])


@pytest.mark.long
def test_the_host_s_phone_starts_a_game_with_robots(tmp_path: Path) -> None:
    with virtual_table(tmp_path / "state") as (live, port):
        host = seated_at(live, port, None)
        straw = next(each for each in host.news["host"]["games"] if each["game"] == "straw")
        assert [who for who, _ in straw["who"]] == ["", *styles_of("straw")]
        assert host.act({**GAME, "who": ["", "mat"]}) == {"text": "That is not possible now."}
        assert host.act({**GAME, "who": ["", "easy"]}) == {}
        until(lambda: deal_of(live).get("robots") == [None, "easy"])
        until(lambda: host.act("end-game") == {})
        until(lambda: host.news["host"]["games"])
        straw = next(each for each in host.news["host"]["games"] if each["game"] == "straw")
        assert straw["seated"] == ["", "easy"]
        until(lambda: host.act({**GAME, "who": ["", ""]}) == {})
        until(lambda: deal_of(live).get("robots") == [None, None])


def test_a_robot_is_refused_at_a_phone_as_on_the_page(tmp_path: Path) -> None:
    live = LiveMat(CONFIG, tmp_path, lambda _kind, _news: None)
    live.start("straw").result()
    answers: list[tuple[int, bool, str]] = []
    try:
        for chosen in (RobotChosen(Seat(1), "x"), RobotChosen(Seat(4), "good")):
            page = live.do(requests.SeatRobot(chosen.seat + 1, chosen.style))
            with pytest.raises(CannotDo) as refused:
                page.result()
            act = ActRequest(1, PhoneAct(None, 0, chosen))
            live.inbox.put(act, lambda *answer: answers.append(answer))
            until(lambda: answers)
            assert answers.pop() == (1, False, refused.value.in_words)
        live.do(requests.GatherCards()).result()
        live.inbox.put(act, lambda *answer: answers.append(answer))
        until(lambda: answers)
        assert answers.pop() == (1, False, "Nothing is dealt. Deal first, then seat robots.")
    finally:
        live.stop()


@pytest.mark.long
def test_a_real_table_offers_no_robots(table: Evening) -> None:
    (host,) = hosts(table, 1)
    table.people.begin("straw", 2)
    follow_host(table, host)
    assert host.news["host"]["robots"] == []
    assert host.act({"robot": "good", "seat": 1}) == {"code": "late"}
    act = PhoneAct(None, table.mat.running.journal.moment, RobotChosen(Seat(1), "good"))
    (feedback,) = table.mat.running.table.receive(act, table.mat.board.clock.now())
    assert feedback.refused == "That is not possible now."


@pytest.mark.parametrize("language", languages())
def test_every_level_of_a_robot_has_words_on_the_phone(language: str) -> None:
    for game in OURS:
        (seat,) = robot_lists(game, ["Ann"], {0: styles_of(game)[0]}, language)
        texts = [text for _, text in seat.values]
        assert len(set(texts)) == len(texts)
        assert seat.now == styles_of(game)[0]
        for style, text in seat.values[1:]:
            english = styles_in_english()[style]
            assert (text == f"robot: {english}") == (language == "en")


# Changes lists one after the other, without waiting for an answer.
QUICK_CHANGES = """for (const list of document.querySelectorAll("#robots select")) {
    list.value = "good";
    list.dispatchEvent(new Event("change", { bubbles: true }));
}"""


def test_the_host_chooses_who_plays_on_the_phone_s_page(browser: Browser, tmp_path: Path) -> None:
    with virtual_table(tmp_path / "state") as (live, port):
        page = browser.new_context(viewport=PHONE).new_page()
        page.goto(f"http://127.0.0.1:{port}/phone")
        page.locator("#seats").get_by_role("button", name="Host").click()
        expect(page.locator("#said")).to_contain_text("to let phone")
        until(lambda: "Phone" in notice_of(live))
        live.do(requests.HoldButton("ok")).result()
        live.do(requests.ReleaseButton("ok")).result()
        expect(page.locator("#start")).to_be_visible()
        expect(page.locator("#robots-part")).to_be_hidden()
        live.do(requests.DealCards("straw", 2, is_hot_seat=True)).result()
        unfold(page, "Who plays")
        page.get_by_role("combobox", name="Ben").select_option("good")
        until(lambda: deal_of(live)["robots"] == [None, "good"])
        assert findings(TablePage(page)) == []
        assert is_whole(page)
        page.screenshot(path=PICTURES / "host-robots.png", full_page=True)
        expect(page.locator("#scores small")).to_have_text(["robot"])
        expect(page.locator("#seats-title")).to_have_text("Use this phone to play")
        expect(page.locator("#seats button")).to_have_text(["Ann"])
        page.get_by_role("combobox", name="Ben").select_option("")
        until(lambda: deal_of(live)["robots"] == [None, None])
        page.evaluate(QUICK_CHANGES)
        until(lambda: deal_of(live)["robots"] == ["good", "good"])
        page.context.close()


def test_a_phone_draws_its_hand_and_opens_the_rules(browser: Browser, tmp_path: Path) -> None:
    with virtual_table(tmp_path / "state") as (live, port):
        live.do(requests.DealCards("straw", 2, is_hot_seat=True)).result()
        page = browser.new_context(viewport=PHONE).new_page()
        page.goto(f"http://127.0.0.1:{port}/phone")
        page.locator("#seats").get_by_role("button", name="Ann").click()
        expect(page.locator("#said")).to_have_text(
            re.compile(r"let phone \d\d in .* 1?\d s left\.")
        )
        assert f"const ASKED_S = {QUESTION_S:g};" in (STATIC / "phone.js").read_text("utf-8")
        until(lambda: "Phone" in notice_of(live))
        live.do(requests.HoldButton("ok")).result()
        live.do(requests.ReleaseButton("ok")).result()
        cards = page.locator("#hand li")
        expect(cards.locator("svg.face")).to_have_count(4)
        hand = [piece.kind for piece in live._deck.hands[Seat(0)]]
        looks = [f"look-{kind.partition('-')[0]}" for kind in hand]
        for number, look in enumerate(looks):
            expect(cards.nth(number).locator(f".{look}")).to_have_count(1)
        assert "" not in cards.all_text_contents(), "a screen reader reads their names"
        expect(page.locator("#turn")).to_have_text("Your turn, Ann!")
        expect(page.locator("#scores .own")).to_have_text("Ann0")
        # The Copy cannot be laid before another card.
        page.locator("#hand li:not([title*=Copy])").first.click()
        expect(page.locator("#said")).to_contain_text("Lay the card itself at the table.")
        expect(page.locator("#hand li.fits")).to_have_count(0)
        page.get_by_role("button", name="What can I play?").click()
        takes = live._mat.running.table.takes
        fits = [takes(Tap(piece)) for piece in live._deck.hands[Seat(0)]]
        classes = [re.compile("fits" if each else "^drawn$") for each in fits]
        expect(cards).to_have_class(classes)
        page.get_by_role("button", name="Rules").scroll_into_view_if_needed()
        page.get_by_role("button", name="Rules").click()
        expect(page.locator("#rules-text")).to_contain_text("Do not be the one who breaks")
        expect(page.locator("#rules-text .look-lamp").first).to_be_visible()
        assert findings(TablePage(page)) == []
        assert is_whole(page)
        page.screenshot(path=PICTURES / "phone-rules.png")
        page.get_by_role("button", name="Close").click()
        expect(page.locator("#rules")).to_be_hidden()
        expect(page.locator("#title")).to_be_in_viewport(ratio=1)
        page.screenshot(path=PICTURES / "phone-hand.png")
        page.context.close()


# --- in a browser ---------------------------------------------------------------------------------


def hosting(browser: Browser, table: Evening) -> Page:
    return host_of(table, page_at(browser, table, PHONE, "phone"))


def unfold(page: Page, title: str) -> None:
    """Open the part of the host's page with this *title*; all but the first are closed."""
    page.locator("#hosting > details > summary").get_by_text(title, exact=True).click()


def host_of(table: Evening, page: Page) -> Page:
    wait_for(table, page, page.locator("#seats"), "Host")
    sit(table, page, "Host")
    stepping(table, page.locator("#start:visible").count, page)
    return page


def test_a_game_is_chosen_named_and_started_on_a_phone(browser: Browser, table: Evening) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    page = hosting(browser, table)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.get_by_role("combobox", name="Game", exact=True).select_option("straw")
    players = page.get_by_role("combobox", name="Players", exact=True)
    players.focus()
    players.select_option("3")
    expect(players).to_be_focused()
    page.get_by_label("Name 1").fill("Zoe")
    page.get_by_label("Name 2").fill("Uli")
    page.get_by_label("Name 3").fill("  Ida ")
    page.get_by_role("combobox", name="Dealer", exact=True).select_option(label="Uli")
    page.get_by_text("House rules").click()
    page.locator("#start details input[type=checkbox]").first.wait_for()
    page.screenshot(path=PICTURES / "host-start.png", full_page=True)
    assert is_whole(page)
    assert page.evaluate(SMALL) == []
    floor = page.locator("#start input[aria-describedby='rule-floor-at-zero']")
    floor.check()
    # What others do meanwhile does not touch what was typed.
    table.mat.press("ok")
    table.mat.wait(0.1)
    expect(page.get_by_label("Name 1")).to_have_value("Zoe")
    expect(floor).to_be_checked()
    page.get_by_role("button", name="Start", exact=True).click()
    wait_for(table, page, page.locator("#title"), "Straw")
    expect(page.locator("#start")).to_be_hidden()
    ((kind, body),) = journal(table.folder)
    assert kind == "start"
    assert '"names":["Zoe","Uli","Ida"],"dealer":1' in body
    assert '"floor-at-zero":true' in body
    page.screenshot(path=PICTURES / "host-playing.png", full_page=True)
    assert wrong == []
    page.context.close()


def test_the_page_asks_before_it_replaces_a_choice_at_the_table(
    browser: Browser, table: Evening
) -> None:
    page = hosting(browser, table)
    table.mat.press("ok")
    table.mat.press("ok")
    stepping(table, lambda: table.mat.view.phase == "preparing", page)
    asked = questions_of(page)
    page.wait_for_timeout(300)
    page.get_by_role("button", name="Start", exact=True).click()
    table.mat.wait(0.3)
    assert len(asked) == 1
    assert journal(table.folder) == []
    page.get_by_role("button", name="Start", exact=True).click()
    wait_for(table, page, page.locator("#start-part[hidden]"), "")
    assert len(asked) == 2
    assert [kind for kind, _ in journal(table.folder)] == ["start"]
    page.context.close()


def test_the_form_is_clean_and_whole_in_every_language(browser: Browser, table: Evening) -> None:
    page = hosting(browser, table)
    unfold(page, "The table's settings")
    for language in reversed(languages()):
        page.locator("#settings-part").evaluate("part => (part.open = true)")  # the page is new
        page.locator("#settings select").first.select_option(language)
        stepping(table, page.locator(f"html[lang={language}]").count, page)
        stepping(table, page.locator("#start:visible").count, page)
        page.locator("#start select").first.select_option("ciao")
        page.locator("#start summary").click()
        page.locator("details").evaluate_all("parts => parts.forEach((part) => (part.open = true))")
        assert findings(TablePage(page)) == [], language
        assert is_whole(page), language
        assert page.evaluate(SMALL) == [], language
        page.screenshot(path=PICTURES / f"host-{language}.png", full_page=True)
    page.context.close()


def test_the_results_are_saved_as_files(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir()
    number = play(folder, ("Zoë", "Ben"))
    exported = files_of(folder, number, tmp_path)
    with evening(folder) as table:
        until(lambda: table.state)
        page = hosting(browser, table)
        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        page.route("**/act", hold)
        with page.expect_request("**/act"):
            unfold(page, "Finished games")
        expect(page.locator("#results")).to_have_text("Reading the results …")
        held.pop().continue_()
        page.unroute("**/act")
        wait_for(table, page, page.locator("#results article"), "★ Zoë 17, Ben 13")
        saved = {}
        for kind, text in FILES:
            with page.expect_download() as waiting:
                page.get_by_role("link", name=text).click()
            assert waiting.value.suggested_filename == f"tapmat-{number}.{kind}"
            saved[kind] = Path(waiting.value.path()).read_bytes()
        assert saved == exported
        assert findings(TablePage(page)) == []
        assert is_whole(page)
        page.screenshot(path=PICTURES / "host-results.png", full_page=True)
        asked = questions_of(page)
        page.get_by_role("button", name="Not my phone any more").click()
        assert [text.startswith("Give up this phone's role?") for text in asked] == [True]
        expect(page.locator("#you")).to_contain_text("This phone: ")
        page.get_by_role("button", name="Not my phone any more").click()
        stepping(table, page.locator("#hosting[hidden]").count, page)
        assert page.locator("#results article").count() == 0
        page.context.close()


def test_friends_watch_by_a_link_until_the_host_takes_it_back(
    browser: Browser, tmp_path: Path
) -> None:
    """Every page counts as one on another computer."""
    with evening(tmp_path / "state", SCANNED) as table:
        until(lambda: table.mat.inbox.address)
        assert table.mat.inbox.address is not None
        page = browser.new_context(viewport=PHONE).new_page()
        page.goto(table.mat.inbox.address.url)
        host_of(table, page)
        unfold(page, "Friends who watch")
        page.get_by_role("button", name="Make a link for watching").click()
        link = page.locator("#hosting a")
        stepping(table, link.count, page)
        url = link.get_attribute("href")
        assert url is not None
        assert url == link.text_content()
        assert findings(TablePage(page)) == []
        assert is_whole(page)
        assert page.evaluate(SMALL) == []
        page.screenshot(path=PICTURES / "host-link.png", full_page=True)
        friend = browser.new_context(viewport=TELEVISION).new_page()
        asked: list[str] = []
        friend.on("request", lambda request: asked.append(request.url))
        friend.goto(url)
        expect(friend.locator("#table")).to_be_visible()
        assert friend.url == table.address, "the secret is gone from the address"
        assert not [address for address in asked if url.rpartition("#")[2] in address]
        table.people.begin("straw", 2)
        wait_for(table, friend, friend.locator("#title"), "Straw")
        expect(friend.locator("#mine")).to_be_hidden()
        friend.goto(f"{table.address}phone")
        expect(friend.locator("#join")).to_be_visible()  # a page that watches is no phone yet
        expect(friend.locator("#table")).to_be_hidden()
        friend.go_back()
        expect(friend.locator("#table")).to_be_visible()
        page.get_by_role("button", name="Take the link back").click()
        stepping(table, friend.locator("#join:visible").count, friend)
        expect(friend.locator("#join label")).to_have_text(
            "Enter the six digits on the table's display."
        )
        expect(page.get_by_role("button", name="Make a link for watching")).to_be_visible()
        for each in (page, friend):
            each.context.close()
