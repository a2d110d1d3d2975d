"""The host's phone enrols stickers that are tapped at the mat, and shows the table's parts."""

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from engines.common.pieces import Piece
from firmware.boxes.register import TagRegister
from firmware.journal.log_file import save_report
from firmware.runtime.controller import REGISTER
from tests.firmware.companion.wire_phone import WirePhone
from tests.sim.web.browser import TablePage, findings
from tests.sim.web.companion import Evening, evening, until
from tests.sim.web.test_companion import PICTURES, is_whole, journal
from tests.sim.web.test_companion_host import hosting, hosts, unfold
from tests.sim.web.test_companion_phones import (  # closed: a fixture for every test
    SMALL,
    at_table,
    closed,
    opened,
    seated,
    stepping,
    wait_for,
)

__all__ = ["closed"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Python there has no Unix sockets")

OPEN = {"stickers": "open", "value": "straw", "step": 0}
REPORT = (
    "OK  reader play\nVerdict: WARN (1 warned, 2 skipped). It works; see the lines marked WARN.\n"
)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Evening]:
    """A table at which no card of Straw has a sticker."""
    with evening(tmp_path / "state") as made:
        until(lambda: made.state)
        with closing(TagRegister(made.folder / REGISTER)) as register:
            register.rebind(dict.fromkeys(register.pieces("straw").values()))
        yield made


def held(table: Evening) -> dict[Piece, bytes]:
    return table.mat.running.register.pieces("straw")


def box_of(table: Evening, host: WirePhone, done: int) -> dict[str, Any]:
    """Return the open box that *host* shows once *done* cards have a sticker."""

    def shown() -> Any:
        box = host.news["host"]["stickers"]["box"]
        return box is not None and box["done"] == done and box["asked"]

    stepping(table, shown)
    box: dict[str, Any] = host.news["host"]["stickers"]["box"]
    return box


def tap(table: Evening, piece: str) -> None:
    table.people.move("tap", [Piece.parse(piece)], "play", "straw")


def press(host: WirePhone, box: dict[str, Any], button: str) -> dict[str, Any]:
    return {"stickers": "press", "value": button, "step": box["step"]}


@pytest.mark.long
def test_stickers_that_are_tapped_at_the_mat_are_enrolled_by_the_host_s_phone(
    table: Evening,
) -> None:
    (host,) = hosts(table, 1)
    guest = opened(table)
    assert guest.act(OPEN, 0) == {"code": "not-yours"}
    assert at_table(table, host.act, OPEN) == {}
    first = box_of(table, host, 0)
    kind = table.mat.view.asks[0].removeprefix("sticker ").partition("#")[0]
    tap(table, f"{kind}#1")
    after = box_of(table, host, 1)
    assert list(held(table)) == [Piece(kind)]
    assert at_table(table, host.act, press(host, first, "back")) == {
        "text": "The table asks for something else by now. Look again."
    }
    assert at_table(table, host.act, press(host, after, "back")) == {}
    again = box_of(table, host, 0)
    assert held(table) == {}
    for wrong in (press(host, again, "left"), {**OPEN, "step": -1}, {**OPEN, "value": "a b"}):
        assert host.act(wrong) == {"code": "late"}
    assert host.act({"stickers": "choose", "value": kind, "step": 0}) == {"code": "late"}
    assert at_table(table, host.act, press(host, again, "leave")) == {}
    stepping(table, lambda: host.news["host"]["stickers"]["boxes"])
    assert journal(table.folder) == []


@pytest.mark.long
def test_the_table_says_why_no_box_is_opened(table: Evening) -> None:
    (host,) = hosts(table, 1)
    table.mat.press("ok")
    assert at_table(table, host.act, OPEN) == {
        "text": "A menu is open at the table. Close it there first."
    }
    table.mat.press("back")
    table.people.begin("cramel", 2)
    assert at_table(table, host.act, OPEN) == {
        "text": "A game is in progress. End it first, or use the menu at the table."
    }


def parts_of(host: WirePhone) -> dict[str, dict[str, Any]]:
    return {part["name"]: part for part in host.news["host"]["parts"]}


@pytest.mark.long
def test_a_reader_without_power_is_lost_at_the_host_s_phone_alone(table: Evening) -> None:
    (host,) = hosts(table, 1)
    guest = opened(table)
    table.people.begin("cramel", 2)
    (ann,) = seated(table, "Ann")
    assert parts_of(host)["reader play"]["state"] == "works"
    assert parts_of(host)["voice"]["state"] == "unchecked"
    assert parts_of(host)["button back"]["state"] == "unchecked"
    table.mat.press("back")
    stepping(table, lambda: parts_of(host)["button back"]["state"] == "works")
    table.mat.fault("reader-unplugged", "play")
    stepping(table, lambda: parts_of(host)["reader play"]["state"] == "lost")
    lost = parts_of(host)["reader play"]
    assert lost["since"].endswith("+00:00")
    assert lost["do"] == "Check its SPI wires and 3.3 V."
    table.mat.fault("none", "play")
    stepping(table, lambda: parts_of(host)["reader play"]["state"] == "works")
    assert host.news["host"]["check"] == {"at": "", "text": "No result is saved."}
    save_report(table.folder, REPORT)
    stepping(table, lambda: host.news["host"]["check"]["at"])
    assert host.news["host"]["check"]["text"].endswith("Not checked: 2.")
    for phone in (guest, ann):
        told = repr(phone.news)
        assert "host" not in phone.news
        assert [
            secret for secret in ("unchecked", "Not checked", "stickers") if secret in told
        ] == []


def test_stickers_and_parts_on_the_phone_s_page(browser: Browser, table: Evening) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    page = hosting(browser, table)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    stickers, parts = page.locator("#stickers"), page.locator("#parts")
    unfold(page, "Stickers")
    unfold(page, "The table's parts")
    stickers.get_by_role("combobox", name="Whose stickers?").select_option("straw")
    stickers.get_by_role("button", name="Enrol").click()
    kinds = table.mat.running.table.context.decks["straw"].kinds
    wait_for(table, page, page.locator("#enrolled"), f": 0 of {sum(k.count for k in kinds)}")
    first, second = (
        table.mat.running.table.context.piece_name("straw", Piece(k.name)) for k in kinds[:2]
    )
    expect(page.locator("#asked")).to_contain_text(first)
    tap(table, f"{kinds[0].name}#1")
    wait_for(table, page, page.locator("#enrolled"), ": 1 of ")
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "1")
    skip = stickers.get_by_role("button", name="skip")
    skip.focus()
    skip.click()
    wait_for(table, page, page.locator("#asked"), second)
    expect(skip).to_be_focused()
    assert findings(TablePage(page)) == []
    assert is_whole(page)
    assert page.evaluate(SMALL) == []
    page.screenshot(path=PICTURES / "host-stickers.png", full_page=True)
    stickers.get_by_role("button", name="Which card?").click()
    wait_for(table, page, page.locator("#asked"), "Which card")
    assert findings(TablePage(page)) == []
    stickers.get_by_role("button", name="Leave for now").click()
    stepping(table, stickers.get_by_role("button", name="Enrol").count, page)
    assert len(held(table)) == 1

    expect(parts.get_by_role("listitem").filter(has_text="reader play: works")).to_have_count(1)
    expect(parts.get_by_role("listitem").filter(has_text="voice: not checked")).to_have_count(1)
    expect(parts).to_contain_text("No result is saved.")
    save_report(table.folder, REPORT)
    table.mat.fault("reader-unplugged", "play")
    wait_for(table, page, parts.locator("li.lost"), "no answer since .*Check its SPI wires")
    wait_for(table, page, parts, "lines marked WARN. Not checked: 2.")
    assert findings(TablePage(page)) == []
    assert is_whole(page)
    page.screenshot(path=PICTURES / "host-parts.png", full_page=True)
    assert wrong == []
    page.context.close()
