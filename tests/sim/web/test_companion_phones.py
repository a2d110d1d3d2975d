"""Phones as seats and host of a table: asked for at the mat, played with, taken back."""

import json
import re
import sys
import threading
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from nacl.exceptions import CryptoError
from playwright.sync_api import Browser, Locator, Page, expect

from engines.common.contract import Tap
from engines.common.pieces import Piece
from firmware.commands.beside import ChildProgram
from firmware.runtime.local_socket import LocalSocket
from firmware.voice.words import languages
from sim.deal import requests
from sim.web.live import LiveMat
from tests.firmware.companion.wire_phone import WirePhone, recorded
from tests.ports import free_port
from tests.sim.web.browser import TablePage, findings, questions_of
from tests.sim.web.companion import (
    CONFIG,
    FAR,
    Evening,
    command,
    evening,
    megabytes,
    state_at,
    until,
)
from tests.sim.web.test_companion import (
    MOST_MEGABYTES,
    PHONE,
    PICTURES,
    TELEVISION,
    is_whole,
    journal,
)
from tests.sim.web.test_companion import opened as page_at

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Python there has no Unix sockets")

MOST_STEPS = 400
SMALL = """[...document.querySelectorAll("button, select")].filter((each) => {
  const {width, height} = each.getBoundingClientRect();
  return each.checkVisibility() && (width < 44 || height < 44 || !each.textContent);
}).map((each) => each.outerHTML)"""
BAR = """document.querySelector("#news").getBoundingClientRect().bottom"""
OPENED: list[WirePhone] = []


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Evening]:
    with evening(tmp_path / "state") as made:
        until(lambda: made.state)
        yield made


def stepping(table: Evening, happened: Callable[[], object], page: Page | None = None) -> None:
    """Step the mat until *happened* returns a true value; let *page* work meanwhile."""

    def step() -> object:
        table.mat.wait(0.02)
        if page is not None:
            page.wait_for_timeout(10)
        return happened()

    until(step)


def is_at(phone: WirePhone, moment: int) -> bool:
    return (phone.mine or {}).get("moment") == moment


def has_state(phone: WirePhone) -> bool:
    return phone.mine is not None


class Later:
    """The result of *call*, which runs in another thread while the mat is stepped."""

    def __init__(self, call: Any, *args: Any, **facts: Any) -> None:
        self.done: list[Any] = []
        self._thread = threading.Thread(target=lambda: self.done.append(call(*args, **facts)))
        self._thread.start()

    def result(self, table: Evening) -> Any:
        """Step the mat until the result is there."""
        while self._thread.is_alive():
            table.mat.wait(0.02)
        assert self.done, "the call has failed"
        return self.done[0]


def at_table(table: Evening, call: Any, *args: Any, **facts: Any) -> Any:
    return Later(call, *args, **facts).result(table)


def shown(table: Evening) -> str:
    notice = table.mat.view.notice
    return "" if notice is None else notice.happened


def confirmed(
    table: Evening, phone: WirePhone, player: str | None, button: str = "ok", **others: Any
) -> Any:
    """Let *phone* ask to be *player*'s, or the host's; press *button* at the mat."""
    phone.news.pop("asked", None)
    asked = {"do": "host"} if player is None else {"do": "sit", "player": player, **others}
    reply = Later(phone.send, **asked)
    stepping(table, lambda: "asked" in phone.news)
    stepping(table, lambda: f"Phone {phone.news['asked']} " in shown(table))
    assert (player or "host") in shown(table)
    table.mat.press(button)
    return reply.result(table)


def follow(table: Evening, *phones: WirePhone) -> None:
    """Wait until the phones show the newest entry of the journal."""
    moment = table.mat.running.journal.moment
    for phone in phones:
        stepping(table, partial(is_at, phone, moment))


def playable(table: Evening) -> Piece | None:
    """Return a card that the rules take now, not laid yet."""
    record = table.mat.running.journal.open_game()
    assert record is not None
    laid = {given.piece for given in record.inputs if isinstance(given, Tap)}
    deck = [piece for piece in record.start.deck.pieces() if piece not in laid]
    ahead = sorted(deck, key=lambda piece: (piece.kind != "lamp", piece.kind))
    fits = (piece for piece in ahead if table.mat.running.table.takes(Tap(piece)))
    return next(fits, None)


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close all phones at the end."""
    yield
    while OPENED:
        OPENED.pop().close()


def opened(table: Evening, **facts: Any) -> WirePhone:
    phone = WirePhone(table.port, **facts)
    OPENED.append(phone)
    return phone.open()


def seated(table: Evening, *players: str) -> list[WirePhone]:
    phones = [opened(table) for _ in players]
    for phone, player in zip(phones, players, strict=True):
        assert confirmed(table, phone, player) == {}
        stepping(table, partial(has_state, phone))
    return phones


@pytest.mark.long
def test_a_whole_round_of_straw_is_played_by_the_asks_at_two_phones(table: Evening) -> None:
    table.people.begin("straw", 2)
    ann, ben = seated(table, "Ann", "Ben")
    pressed: dict[str, list[str]] = {"Ann": [], "Ben": []}
    for _ in range(MOST_STEPS):
        follow(table, ann, ben)
        acting = next((phone for phone in (ann, ben) if phone.texts()), None)
        card = playable(table) if table.mat.view.phase == "play" else None
        if card is not None:
            table.people.move("tap", [card], "play", "straw")
            continue
        assert acting is not None, f"nobody can go on: {table.mat.view}"
        texts = acting.texts()
        text = "7" if "7" in texts else texts[0]
        name = acting.mine["player"]
        assert at_table(table, acting.press, text) == {}
        pressed[name].append(text)
        if text == "next round":
            break
    else:
        pytest.fail("the round never ends")
    assert {"7", "hand done"} <= {text for texts in pressed.values() for text in texts}
    assert not list(table.mat.refused)
    inputs = [body for kind, body in journal(table.folder) if kind == "input"]
    assert {'{"number":7,"phone":0}', '{"number":7,"phone":1}'} & set(inputs)
    for phone in (ann, ben):
        assert phone.numbers == sorted(set(phone.numbers))
    if sys.platform == "linux":
        assert table.child.pid is not None
        assert megabytes(table.child.pid) < MOST_MEGABYTES


@pytest.mark.long
def test_a_phone_is_the_same_seat_after_the_companion_and_the_table_were_killed(
    table: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware.commands.beside.LONGEST_AGAIN_S", 0.1)
    table.people.begin("straw", 2)
    (ann,) = seated(table, "Ann")
    ann.close()
    for _ in range(3):
        table.kill()
    until(table.is_served)
    again = opened(table, own=ann.own)
    stepping(table, lambda: again.mine)
    assert again.news["you"]["player"] == "Ann"
    table.mat.power_cut()
    until(lambda: again.mine is None)
    table.mat.power_on()
    stepping(table, lambda: again.mine)
    table.people.move("tap", ["lamp"], "play", "straw")
    follow(table, again)
    assert at_table(table, again.press, "7") == {}
    assert table.mat.view.headline == "7"
    table.people.end_game()
    stepping(table, lambda: again.mine is None)
    table.people.begin("straw", 3)  # the same names: the seat is kept
    stepping(table, lambda: again.mine)
    assert again.mine["player"] == "Ann"


@pytest.mark.long
def test_only_the_player_who_is_asked_can_answer(table: Evening) -> None:
    table.people.begin("straw", 2)
    ann, ben = seated(table, "Ann", "Ben")
    guest = opened(table)
    table.people.move("tap", ["lamp"], "play", "straw")
    follow(table, ann, ben)
    seven, moment = {"number": 7}, ann.mine["moment"]
    assert (len(ann.texts()), ben.texts(), guest.mine) == (10, [], None)
    assert ben.act(seven) == {"code": "late"}
    assert guest.act(seven, moment) == {"code": "not-yours"}
    assert guest.act("take-back", moment) == {"code": "not-yours"}
    assert ann.act("end-game") == {"code": "not-yours"}
    assert ann.act({"setting": "language", "value": "de"}) == {"code": "not-yours"}
    assert ann.act({"tap": "weight-7#1"}) == {"code": "late"}
    assert ann.act(seven, True) == ann.act(seven, 1 << 40) == {"code": "late"}
    assert at_table(table, ann.act, seven, moment - 1) == {
        "text": "The game has gone on. Look again."
    }
    assert table.mat.view.headline == "0"
    assert not list(table.mat.refused)
    assert at_table(table, ann.act, seven) == {}
    assert table.mat.view.headline == "7"


@pytest.mark.long
def test_if_two_press_at_once_the_table_takes_the_first(table: Evening) -> None:
    table.people.begin("straw", 2)
    ann, ben = seated(table, "Ann", "Ben")
    table.people.move("tap", ["weight-7"], "play", "straw")
    follow(table, ann, ben)
    replies = [Later(phone.act, "take-back") for phone in (ann, ben)]
    told = [reply.result(table) for reply in replies]
    assert sorted(told, key=len) == [{}, {"text": "The game has gone on. Look again."}]
    assert [kind for kind, _ in journal(table.folder)] == ["start", "input", "undo"]
    assert journal(table.folder)[-1][1] in ('{"phone":0}', '{"phone":1}')


def test_a_phone_needs_an_ok_at_the_mat_while_its_number_is_shown(table: Evening) -> None:
    table.people.begin("straw", 2)
    phone = opened(table)
    assert confirmed(table, phone, "Ann", "back") == {"code": "refused"}
    assert phone.send(do="sit", player="Ann") == {"code": "too-soon"}  # so soon
    other = opened(table)
    assert other.send(do="sit", player="Zoe") == {"code": "wrong"}
    you = {"player": "", "isHost": False, "isRemoved": False, "taken": []}
    assert other.news["you"] == you
    assert [kind for kind, _ in journal(table.folder)] == ["start"]


@pytest.mark.long
def test_an_ok_for_the_game_lets_no_phone_in(table: Evening) -> None:
    table.people.begin("straw", 2)
    phone = opened(table)
    reply = Later(phone.send, do="sit", player="Ann")
    stepping(table, lambda: "Phone" in shown(table))
    table.people.move("tap", ["weight-7"], "play", "straw")  # now the display shows the game
    table.mat.press("ok")
    assert table.mat.view.choices is not None, "the game has not got its button"
    assert reply.result(table) == {"code": "unanswered"}
    assert phone.news["you"]["player"] == ""


@pytest.mark.long
def test_another_phone_can_take_the_seat_over(table: Evening) -> None:
    table.people.begin("straw", 2)
    (old,) = seated(table, "Ann")
    moment = old.mine["moment"]
    new = opened(table)
    assert new.send(do="sit", player="Ann") == {"code": "taken"}
    assert confirmed(table, new, "Ann", instead=True) == {}
    stepping(table, partial(has_state, new))
    until(lambda: old.mine is None)
    assert old.news["you"] == {"player": "", "isHost": False, "isRemoved": False, "taken": ["Ann"]}
    assert old.act("take-back", moment) == {"code": "not-yours"}
    assert new.news["you"]["player"] == "Ann"


@pytest.mark.long
def test_the_host_sets_ends_and_takes_phones_back_and_no_more(table: Evening) -> None:
    table.people.begin("straw", 2)
    (ann,) = seated(table, "Ann")
    host = opened(table)
    assert confirmed(table, host, None) == {}
    stepping(table, lambda: host.news.get("host"))
    you = {"player": "", "isHost": True, "isRemoved": False, "taken": ["Ann"]}
    assert host.news["you"] == you
    names = [each["name"] for each in host.news["host"]["settings"]]
    assert names == ["language", "level", "volume", "hints", "strength", "remarks"]
    assert host.act({"number": 7}) == {"code": "not-yours"}
    for wrong in ({"setting": "volume", "value": "0"}, {"setting": "kit", "value": "x"}):
        assert host.act(wrong) == {"code": "late"}
    assert at_table(table, host.act, {"setting": "language", "value": "de"}) == {}
    assert table.mat.running.table.settings.language == "de"
    table.people.move("tap", ["weight-7"], "play", "straw")
    follow_host(table, host)
    assert at_table(table, host.act, "take-back") == {}
    assert journal(table.folder)[-1] == ("undo", '{"phone":"host"}')
    mine = {"key": ann.key, "player": "Ann", "isHost": False}
    until(lambda: mine in host.news["phones"])
    assert ann.send(do="remove", key=host.key) == {"code": "not-yours"}
    moment = ann.mine["moment"]
    assert host.send(do="remove", key=ann.key) == {}
    until(lambda: ann.mine is None)
    assert ann.news["you"] == {"player": "", "isHost": False, "isRemoved": True, "taken": []}
    until(lambda: host.news["you"]["taken"] == [])
    assert not host.news["you"]["isRemoved"]
    assert ann.act("take-back", moment) == {"code": "not-yours"}
    follow_host(table, host)
    assert at_table(table, host.act, "end-game") == {}
    assert journal(table.folder)[-1][0] == "end"
    assert host.send(do="leave") == {}
    until(lambda: not host.news["you"]["isHost"])


def follow_host(table: Evening, host: WirePhone) -> None:
    journal = table.mat.running.journal
    stepping(table, lambda: host.news["host"]["moment"] == journal.moment)


# --- the stranger who records everything ----------------------------------------------------------


@pytest.mark.long
def test_a_recorder_reads_no_act_and_can_send_none_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware.commands.beside.LONGEST_AGAIN_S", 0.1)
    with evening(tmp_path / "state") as table, recorded(table.port) as wire:
        until(lambda: table.state)
        table.people.begin("straw", 2)
        ann = WirePhone(wire.port)
        OPENED.append(ann.open())
        assert confirmed(table, ann, "Ann") == {}
        stepping(table, lambda: ann.mine)
        table.people.move("tap", ["lamp"], "play", "straw")
        follow(table, ann)
        assert at_table(table, ann.press, "7") == {}
        follow(table, ann)
        before = journal(table.folder)

        secrets = ("moment", "answers", "can_take_back", "isHost", '"sit"', '"act"', ann.session)
        everything = bytes(wire.up + wire.down)
        assert ann.key.encode() in everything, "nothing was recorded"
        assert [text for text in secrets if text.encode() in everything] == []
        boxes = re.findall(rb'"sealed": ?"([A-Za-z0-9+/=]+)"', everything)
        assert len(boxes) >= 4
        stranger = WirePhone(table.port)
        OPENED.append(stranger.open())
        assert stranger.box is not None
        for box in boxes:
            with pytest.raises(CryptoError):
                stranger.box.decrypt(b64decode(box))

        # The same bytes again: while the session lasts, after another began, and after a restart.
        requests = list(ann.raw)
        assert [ann.post(body)[0] for body in requests] == [403] * len(requests)
        OPENED.append(WirePhone(table.port, own=ann.own).open())
        assert [stranger.post(body)[0] for body in requests] == [403] * len(requests)
        while OPENED:
            OPENED.pop().close()
        table.kill()
        until(table.is_served)
        OPENED.append(WirePhone(table.port, own=ann.own).open())
        assert [stranger.post(body)[0] for body in requests] == [403] * len(requests)
        table.mat.wait(0.2)
        assert journal(table.folder) == before
        while OPENED:
            OPENED.pop().close()


@pytest.mark.long
def test_a_request_that_is_not_of_this_phone_and_session_is_refused(table: Evening) -> None:
    table.people.begin("straw", 2)
    ann, ben = seated(table, "Ann", "Ben")
    good = {"do": "act", "act": "say-again", "moment": 0}
    unsealed: list[Any] = [
        {**good, "up": 90},  # no session
        {**good, "up": 91, "session": ben.session},
        {**good, "up": 0, "session": ann.session},
        {**good, "up": True, "session": ann.session},
        {**good, "up": "92", "session": ann.session},
        {**good, "session": ann.session},
        [],
        "act",
    ]
    for wrong in unsealed:
        body = {"key": ann.key, "sealed": ann.seal(wrong)}
        assert ann.post(json.dumps(body).encode())[0] == 403, wrong
    of_ben = {"key": ann.key, "sealed": ben.seal({**good, "up": 1, "session": ann.session})}
    assert ann.post(json.dumps(of_ben).encode())[0] == 403
    malformed: list[Any] = [{"key": ann.key}, {"key": 1, "sealed": ""}, [], {**of_ben, "more": 1}]
    for shape in malformed:
        assert ann.post(json.dumps(shape).encode())[0] == 400
    for sealed in ("", "x", "AAAA", "é", "A" * 700):
        assert ann.post(json.dumps({"key": ann.key, "sealed": sealed}).encode())[0] == 403
    unknown: list[dict[str, Any]] = [{"do": "fly"}, {"do": "sit"}, {"do": "act"}, {"do": []}, {}]
    for strange in unknown:
        reply = ann.send(**strange)
        assert reply == {"code": "wrong"}, strange
    assert at_table(table, ann.act, "say-again") == {}


@pytest.mark.long
def test_a_stranger_in_the_same_network_gets_nothing(tmp_path: Path) -> None:
    with evening(tmp_path / "state", FAR) as table:
        until(table.is_served)
        stranger = WirePhone(table.port).open()
        assert stranger.status == 401
        stranger.close()
        body = {"key": stranger.key, "sealed": "AAAA"}
        assert stranger.post(json.dumps(body).encode())[0] == 401


# --- beside the virtual table ---------------------------------------------------------------------


@pytest.mark.long
def test_a_phone_shows_the_hand_that_the_virtual_table_has_dealt(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir()
    port = free_port()
    live = LiveMat(CONFIG, folder, lambda _kind, _news: None)
    with ExitStack() as opening:
        live.start("straw").result()
        opening.callback(live.stop)
        path = folder / "companion.sock"
        opening.enter_context(closing(LocalSocket(path, live.outlet, live.inbox).open()))
        opening.enter_context(closing(ChildProgram(command(folder, port))))
        until(lambda: state_at(f"http://127.0.0.1:{port}/"))
        wire = opening.enter_context(recorded(port))
        phones = [seated_at(live, wire.port, player) for player in ("Ann", "Ben")]
        hands = [phone.mine["hand"] for phone in phones]
        name_of = partial(live._mat.running.table.context.piece_name, "straw")
        known = [tuple(map(name_of, hand)) for hand in live._deck.hands.values()]
        assert hands == [list(hand) for hand in known]
        assert hands[0] != hands[1]
        everything = bytes(wire.up + wire.down)
        assert b"Straw" in everything, "nothing was recorded"
        words = {text for hand in hands for text in (*hand, "hand", "answers")}
        assert [text for text in words if json.dumps(text).encode() in everything] == []
        while OPENED:
            OPENED.pop().close()


def seated_at(live: LiveMat, port: int, player: str | None) -> WirePhone:
    """Return a phone that people at the virtual table have confirmed for *player*, or the host."""
    phone = WirePhone(port).open()
    OPENED.append(phone)
    asked = {"do": "host"} if player is None else {"do": "sit", "player": player}
    reply = Later(phone.send, **asked)
    until(lambda: f"Phone {phone.news.get('asked')} " in notice_of(live))
    live.do(requests.HoldButton("ok")).result()
    live.do(requests.ReleaseButton("ok")).result()
    until(lambda: phone.mine or phone.news.get("host"))
    until(lambda: reply.done == [{}])
    return phone


def notice_of(live: LiveMat) -> str:
    notice = (live.state.get("view") or {}).get("notice")
    return "" if notice is None else str(notice["happened"])


# --- in a browser ---------------------------------------------------------------------------------


def wait_for(table: Evening, page: Page, shown: Locator, text: str | re.Pattern[str]) -> None:
    """Step the mat until *shown* has *text*."""
    stepping(table, shown.count, page)
    stepping(table, lambda: re.search(text, shown.first.text_content() or ""), page)


def sit(table: Evening, page: Page, name: str) -> None:
    page.locator("#seats").get_by_role("button", name=name, exact=True).click()
    wait_for(table, page, page.locator("#said"), "to let phone")
    number = re.findall(r"\d\d", page.locator("#said").text_content() or "")[0]
    wait_for_shown(table, page, f"Phone {number} ")
    table.mat.press("ok")
    wait_for(table, page, page.locator("#you"), f"This phone: .*{name}")


def wait_for_shown(table: Evening, page: Page, text: str) -> None:
    stepping(table, page=page, happened=lambda: text in shown(table))


def test_two_phones_and_a_board_in_browsers(
    browser: Browser, table: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware.commands.beside.LONGEST_AGAIN_S", 0.1)
    PICTURES.mkdir(parents=True, exist_ok=True)
    wrong: list[str] = []
    board = page_at(browser, table, TELEVISION)
    ann, ben = (page_at(browser, table, PHONE, "phone") for _ in "ab")
    for page in (board, ann, ben):
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    table.people.begin("straw", 2)
    wait_for(table, ann, ann.locator("#seats"), "Ann")
    ann.screenshot(path=PICTURES / "phone-guest.png")
    sit(table, ann, "Ann")
    sit(table, ben, "Ben")
    sit(table, ben, "Host")
    table.people.move("tap", ["lamp"], "play", "straw")
    wait_for(table, ann, ann.locator("#answers"), "7")
    expect(ben.locator("#answers button")).to_have_count(0)
    expect(board.locator(":is(button, select, a):visible")).to_have_count(0)
    ann.screenshot(path=PICTURES / "phone-seat.png")
    ben.screenshot(path=PICTURES / "phone-host.png", full_page=True)
    ann.locator("#answers").get_by_role("button", name="7", exact=True).click()
    wait_for(table, board, board.locator("#headline"), "^7$")
    for page in (ann, ben):
        assert is_whole(page)
        assert page.evaluate(SMALL) == []
    table.kill()  # and the phones are the same seats again, as after a reload
    until(table.is_served)
    ann.reload()
    table.people.move("tap", ["weight-1"], "play", "straw")
    table.people.move("tap", ["lamp"], "play", "straw")
    wait_for(table, ann, ann.locator("#answers"), "3")
    ann.locator("#answers").get_by_role("button", name="3", exact=True).click()
    wait_for(table, board, board.locator("#headline"), "^11$")
    wait_for(table, ben, ben.locator("#settings select"), "Deutsch")
    expect(ben.locator("#turn")).to_have_text("Your turn, Ben!")
    expect(ann.locator("#hint")).to_have_text(re.compile("^Ben: "))
    ben.locator("#settings-part summary").click()
    ben.locator("#settings select").first.scroll_into_view_if_needed()
    ben.evaluate("scrollBy(0, 100)")
    at = ben.evaluate("scrollY")
    assert at > 0
    ben.locator("#settings select").first.select_option("de")
    wait_for(table, ben, ben.locator("#you"), "Dieses Handy: Ben, Gastgeber")
    expect(ben.locator("#settings-part")).to_have_attribute("open", "")
    stepping(table, lambda: abs(ben.evaluate("scrollY") - at) < PHONE["height"] / 2, ben)
    assert ben.evaluate("document.documentElement.lang") == "de"
    assert [text for text in wrong if "ERR_" not in text] == []
    for page in (board, ann, ben):
        page.context.close()


def test_a_refusal_is_in_the_bar_and_a_count_without_cards_is_asked_about(
    browser: Browser, table: Evening
) -> None:
    table.people.begin("straw", 2)
    ann = page_at(browser, table, PHONE, "phone")
    wait_for(table, ann, ann.locator("#seats"), "Ann")
    sit(table, ann, "Ann")
    table.people.move("tap", ["stranger"], "play", "straw")
    notice = ann.locator("#notice.refused")
    stepping(table, notice.count, ann)
    expect(notice).to_be_in_viewport(ratio=1)
    assert ann.evaluate(BAR) == PHONE["height"], "it is at the bottom of the screen"
    for kind in ["weight-10"] * 4 + ["weight-9", "weight-2"]:
        table.people.move("tap", [kind], "play", "straw")
    wait_for(table, ann, ann.locator("#answers"), "hand done")
    expect(notice).to_have_count(0)
    done = ann.locator("#answers button.quiet")
    expect(done).to_be_in_viewport(ratio=1)
    asked = questions_of(ann)
    done.click()
    table.mat.wait(0.2)
    assert asked == ["4 cards are not laid yet. Go on without them?"]
    assert table.mat.view.phase == "scoring"
    done.click()
    stepping(table, lambda: table.mat.view.phase != "scoring", ann)
    ann.context.close()


def test_a_phone_is_clean_and_whole_in_every_language(browser: Browser, table: Evening) -> None:
    phone = page_at(browser, table, PHONE, "phone")
    table.people.begin("straw", 2)
    wait_for(table, phone, phone.locator("#seats"), "Ann")
    sit(table, phone, "Ann")
    sit(table, phone, "Host")
    table.people.move("tap", ["lamp"], "play", "straw")
    wait_for(table, phone, phone.locator("#answers"), "7")
    for language in reversed(languages()):
        phone.locator("#settings-part").evaluate("part => (part.open = true)")
        phone.locator("#settings select").first.select_option(language)
        stepping(table, phone.locator(f"html[lang={language}]").count, phone)
        wait_for(table, phone, phone.locator("#answers"), "7")
        assert findings(TablePage(phone)) == [], language
        assert is_whole(phone), language
        phone.screenshot(path=PICTURES / f"phone-{language}.png", full_page=True)
    phone.context.close()


# --- on another computer --------------------------------------------------------------------------


def advice(table: Evening) -> str:
    notice = table.mat.view.notice
    return "" if notice is None else notice.do.replace(" ", "")


def joined(table: Evening) -> str:
    """Return the cookie of a page on another computer that has sent the code on the display."""
    page = WirePhone(table.port)
    answer = Later(page.post, b"{}", "/join")
    stepping(table, lambda: advice(table).isdigit())
    assert answer.result(table)[0] == 200
    code = advice(table)
    return page.cookie_of(json.dumps({"code": code}).encode())


@pytest.mark.long
def test_a_seat_on_another_computer_needs_its_key_and_its_viewer(tmp_path: Path) -> None:
    with evening(tmp_path / "state", FAR) as table:
        until(table.is_served)
        table.people.begin("straw", 2)
        ann, other = (opened(table, cookie=joined(table)) for _ in "ab")
        assert confirmed(table, ann, "Ann") == {}
        stepping(table, partial(has_state, ann))
        thief = opened(table, cookie=ann.cookie)  # the cookie can be recorded, the key cannot
        assert thief.mine is None
        assert thief.act("take-back", 0) == {"code": "not-yours"}
        elsewhere = opened(table, cookie=other.cookie, own=ann.own)
        assert elsewhere.mine is None
        table.kill()
        until(table.is_served)
        ann.close()
        again = opened(table, cookie=ann.cookie, own=ann.own)
        stepping(table, partial(has_state, again))
        while OPENED:
            OPENED.pop().close()
