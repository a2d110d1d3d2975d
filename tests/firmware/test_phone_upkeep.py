"""Stickers and the parts of the table at the host's phone."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engines.common.pieces import Piece
from firmware.boxes.register import COMMANDS, TagRegister
from firmware.common.errors import RegisterError
from firmware.doctor.findings import DoctorReport, Finding, Verdict
from firmware.doctor.printing import as_text
from firmware.journal.log_file import REPORT, SavedCheck, read_check, save_report
from firmware.outlet.stream import ActRequest, BadRequest, read_request
from firmware.runtime.controller import REGISTER
from firmware.runtime.report_watch import ReportWatch
from firmware.table.answers import OpenBox, PartAsked
from firmware.table.events import (
    DoctorReported,
    PartFailed,
    PartRecovered,
    PhoneAct,
    PhoneCommand,
    StickersAct,
    StickersDo,
)
from firmware.table.table import Table
from firmware.voice.settings import LANGUAGE
from firmware.voice.words import languages
from hardware.ports import Rocked, Turned
from tests.firmware.test_enrolling import CRAMEL, Enrolment

GAME = "A game is in progress. End it first, or use the menu at the table."
MENU = "A menu is open at the table. Close it there first."
OPEN = "The stickers are open at the table. Close them first."
LATE = "The table asks for something else by now. Look again."
NOT_NOW = "That is not possible now."


@pytest.fixture
def top(tmp_path: Path) -> Iterator[Enrolment]:
    """A table at which no sticker is enrolled."""
    with closing(Enrolment(tmp_path, game="cramel", is_blank=True)) as made:
        yield made


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Enrolment]:
    """A table at which each card has a sticker."""
    with closing(Enrolment(tmp_path, game="cramel")) as made:
        yield made


def act(top: Enrolment, do: str, value: str, *, step: int | None = None, who: Any = None) -> str:
    """Let the host, or *who*, do *do* at a phone; return the sentence that refuses it."""
    box = top.table.asks_of_host().stickers.box
    if step is None:
        step = 0 if box is None else box.step
    done = StickersAct(StickersDo(do), value, step)
    return top.receive(PhoneAct(who, top.journal.moment, done))[-1].refused


def box(top: Enrolment) -> OpenBox:
    opened = top.table.asks_of_host().stickers.box
    assert opened is not None
    return opened


# --- stickers -------------------------------------------------------------------------------------


def test_the_host_opens_a_box_as_the_menu_at_the_mat_does(top: Enrolment, tmp_path: Path) -> None:
    offered = dict(top.table.asks_of_host().stickers.boxes)
    assert offered["cramel"] == "Cramel: 0/49"
    assert list(offered)[-1] == COMMANDS
    assert act(top, "open", "cramel") == ""
    here, said = top.view, top.said
    other = tmp_path / "other"
    other.mkdir()
    with closing(Enrolment(other, game="cramel", is_blank=True)) as at_mat:
        at_mat.press()
        at_mat.choose("stickers")
        at_mat.choose("cramel")
        assert (at_mat.view, at_mat.said) == (here, said)
    assert top.table.enrolling_game == "cramel"
    shown = top.table.asks_of_host().stickers
    assert (shown.boxes, shown.why_not) == ((), "")
    assert act(top, "open", "straw") == OPEN


def test_the_boxes_are_read_again_only_after_a_change(top: Enrolment) -> None:
    before = top.table.asks_of_host().stickers.boxes
    assert top.table.asks_of_host().stickers.boxes is before
    act(top, "open", "cramel")
    top.stick("gol#1")
    act(top, "press", "leave")
    assert dict(top.table.asks_of_host().stickers.boxes)["cramel"] == "Cramel: 1/49"
    with closing(TagRegister(top.folder / REGISTER)) as other:
        other.bind(b"\x04abcdef", "cramel", Piece("gol", 2))
    assert dict(top.table.asks_of_host().stickers.boxes)["cramel"] == "Cramel: 2/49"
    top.table.context.settings.set(LANGUAGE, "hu")
    assert "Parancskártyák" in dict(top.table.asks_of_host().stickers.boxes)[COMMANDS]


def test_the_command_cards_are_opened_too(top: Enrolment) -> None:
    assert act(top, "open", COMMANDS) == ""
    assert top.table.enrolling_game == COMMANDS


def test_the_phone_shows_which_card_is_next_and_how_many_are_done(top: Enrolment) -> None:
    act(top, "open", "cramel")
    first = box(top)
    assert (first.asked, first.done, first.total) == ("Gol, 1 of 4", 0, 49)
    assert first.progress == "Cramel: 0 of 49 have a sticker."
    top.stick("gol#1")
    after = box(top)
    assert (after.asked, after.done) == ("Gol, 2 of 4", 1)
    assert after.step != first.step


def test_skip_and_back_do_what_the_table_s_buttons_do(top: Enrolment) -> None:
    act(top, "open", "cramel")
    top.stick("gol#1")
    assert dict(box(top).buttons) == {
        "action": "skip",
        "back": "back",
        "ok": "Which card?",
        "leave": "Leave for now",
    }
    assert act(top, "press", "action") == ""
    assert box(top).asked == "Jane, 1 of 4"
    assert act(top, "press", "back") == ""
    assert top.pieces() == {}, "the sticker is still enrolled"
    assert box(top).asked == "Gol, 1 of 4"
    assert act(top, "press", "leave") == ""
    assert top.table.enrolling_game is None
    assert not top.register.is_closed("cramel", 1)


def test_a_press_for_an_older_card_is_refused(top: Enrolment) -> None:
    act(top, "open", "cramel")
    before = box(top).step
    top.stick("gol#1")
    for do, value in (("press", "back"), ("press", "action"), ("choose", "gol")):
        assert act(top, do, value, step=before) == LATE
    assert set(top.pieces()) == {"gol#1"}
    assert box(top).asked == "Gol, 2 of 4"


def test_a_card_is_chosen_from_the_table_s_list(top: Enrolment) -> None:
    act(top, "open", "cramel")
    act(top, "press", "ok")
    opened = box(top)
    assert opened.asked == "Which card?"
    assert tuple(value for value, _ in opened.items) == top.lines
    assert dict(opened.items)["jane"] == "Jane: 0/4"
    assert dict(opened.buttons) == {"back": "back"}
    assert act(top, "press", "action") == NOT_NOW
    assert act(top, "choose", "nothing") == NOT_NOW
    assert act(top, "choose", "jane") == ""
    assert box(top).asked == "Jane, 1 of 4"
    act(top, "press", "ok")
    assert act(top, "choose", "leave") == ""
    assert top.table.enrolling_game is None


def test_a_lost_sticker_is_renewed(full: Enrolment) -> None:
    act(full, "open", "cramel")
    act(full, "press", "action")
    act(full, "choose", "gol")
    copies = box(full)
    assert copies.asked == "Gol: lay those that still work"
    assert "gol#2" in dict(copies.items)
    assert act(full, "choose", "gol#2") == ""
    assert full.asked == "gol#2"


def test_done_closes_a_box_in_which_cards_are_missing(top: Enrolment) -> None:
    act(top, "open", "cramel")
    for _ in CRAMEL.kinds:
        if "action" in dict(box(top).buttons) and box(top).asked != "49 left":
            act(top, "press", "action")
    assert box(top).asked == "49 left"
    assert dict(box(top).buttons)["ok"] == "That is all"
    assert act(top, "press", "ok") == ""
    assert top.register.is_closed("cramel", 1)


def test_a_whole_box_is_done(full: Enrolment) -> None:
    act(full, "open", "cramel")
    assert box(full).asked == "All done"
    assert dict(box(full).buttons)["ok"] == "done"
    assert "leave" not in dict(box(full).buttons)
    act(full, "press", "ok")
    assert full.table.enrolling_game is None


def test_a_tag_of_another_card_may_be_renamed_at_the_phone(full: Enrolment) -> None:
    act(full, "open", "cramel")
    act(full, "press", "action")
    act(full, "choose", "gol")
    act(full, "choose", "gol#2")
    full.tap_card("jane#1")
    assert dict(box(full).buttons)["action"] == "rename"
    uid = full.pieces()["jane#1"]
    assert act(full, "press", "action") == ""
    assert full.pieces()["gol#2"] == uid


def test_no_box_is_opened_during_a_game(full: Enrolment) -> None:
    full.start(players=2)
    shown = full.table.asks_of_host().stickers
    assert (shown.boxes, shown.why_not) == ((), GAME)
    before = full.view
    assert act(full, "open", "cramel") == GAME
    assert full.view == before
    assert full.table.enrolling_game is None


def test_stickers_that_the_menu_of_a_game_has_opened_are_left_at_the_phone(
    full: Enrolment,
) -> None:
    full.start(players=2)
    full.press()
    full.choose("stickers")
    full.choose("cramel")
    assert box(full).asked == "All done"
    assert full.table.asks_of_host().can_end
    assert act(full, "press", "ok") == ""
    assert full.table.asks_of_host().stickers.why_not == GAME
    assert full.view.phase != "enrolling"
    assert full.journal.open_game() is not None


@pytest.mark.parametrize("card", ["ok", "settings"])
def test_no_box_is_opened_while_a_menu_is_open(full: Enrolment, card: str) -> None:
    full.card(card)
    assert full.table.asks_of_host().stickers.why_not == MENU
    assert act(full, "open", "cramel") == MENU
    assert full.table.enrolling_game is None


def test_no_box_is_opened_while_a_game_is_prepared(full: Enrolment) -> None:
    full.lay("gol#1")
    assert full.view.phase == "preparing"
    assert act(full, "open", "cramel") == MENU


def test_the_list_of_boxes_at_the_mat_is_a_menu_too(full: Enrolment) -> None:
    full.press()
    full.choose("stickers")
    assert act(full, "open", "cramel") == OPEN


def test_what_the_table_does_not_offer_is_not_done(top: Enrolment) -> None:
    assert act(top, "open", "chess") == NOT_NOW
    assert act(top, "press", "ok") == LATE, "no box is open"
    act(top, "open", "cramel")
    assert act(top, "press", "left") == NOT_NOW
    assert act(top, "choose", "gol") == NOT_NOW, "no list is open"


def test_a_seat_enrols_nothing(full: Enrolment) -> None:
    full.start(players=2)
    assert act(full, "open", "cramel", who="Ann") != ""
    full.table.enrol("cramel")
    was = box(full)
    assert act(full, "press", "leave", who="Ann") == NOT_NOW
    assert box(full) == was


def test_a_register_that_cannot_be_saved_refuses_at_the_phone(
    full: Enrolment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise RegisterError(full.register.path, "", "cannot be saved: the disk is full", "Room.")

    act(full, "open", "cramel")
    act(full, "press", "action")
    act(full, "choose", "gol")
    act(full, "choose", "gol#2")
    full.tap_card("jane#1")
    monkeypatch.setattr(full.register, "rebind", fails)
    before = full.pieces()
    assert act(full, "press", "action").startswith("This cannot be saved")
    assert full.pieces() == before


def test_the_phone_says_that_the_register_cannot_be_read(
    full: Enrolment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise RegisterError(full.register.path, "", "cannot be read", "Check the card.")

    monkeypatch.setattr(full.register, "pieces", fails)
    assert full.table.asks_of_host().stickers.why_not == "The list of stickers cannot be read."
    assert act(full, "open", "cramel").startswith("The list of stickers cannot be read.")


def test_an_act_with_stickers_is_read_from_its_line() -> None:
    shape: dict[str, Any] = {"stickers": "press", "value": "ok", "step": 7}

    def line(**change: Any) -> bytes:
        act = {"act": shape | change, "id": 9, "player": None, "moment": 0}
        return json.dumps(act).encode()

    wanted = StickersAct(StickersDo.PRESS, "ok", 7)
    assert read_request(line()) == ActRequest(9, PhoneAct(None, 0, wanted))
    piece = read_request(line(stickers="choose", value="gol#2"))
    assert isinstance(piece, ActRequest)
    assert piece.event.act == StickersAct(StickersDo.CHOOSE, "gol#2", 7)
    changes: tuple[dict[str, Any], ...] = (
        *({"stickers": "burn"}, {"stickers": []}, {"value": 1}, {"value": "a b"}, {"value": ""}),
        *({"step": -1}, {"step": True}, {"step": None}, {"more": 1}),
    )
    for wrong in changes:
        with pytest.raises(BadRequest):
            read_request(line(**wrong))


# --- parts ----------------------------------------------------------------------------------------

PARTS = (
    *("reader play", "reader seat-1", "button ok", "button back"),
    *("display", "lamps", "voice", "encoder"),
)
NOW = datetime(2024, 5, 1, 19, 30, tzinfo=UTC)


@pytest.fixture
def parts(full: Enrolment) -> Enrolment:
    """A table that knows its parts and the time."""
    context = replace(full.table.context, parts=(*PARTS, "tilt", "journal"), now=lambda: NOW)
    full.table = Table(context)
    return full


def states(top: Enrolment) -> dict[str, str]:
    return {part.name: part.state for part in top.table.asks_of_host().parts}


def test_a_part_is_only_said_to_work_if_the_program_looks_at_it(parts: Enrolment) -> None:
    assert states(parts) == {
        "reader play": "works",
        "reader seat 1": "works",
        "button OK": "unchecked",
        "button back": "unchecked",
        "display": "works",
        "lamps": "unchecked",
        "voice": "unchecked",
        "knob": "unchecked",
        "tilt switch": "unchecked",
        "journal": "works",
    }
    before = parts.table.changes
    parts.press("back")
    pressed = parts.table.changes
    parts.receive(Rocked())
    assert parts.table.changes > pressed
    parts.receive(Turned(0))  # a button has answered a question
    assert states(parts)["knob"] == "unchecked"
    parts.turn(1)
    assert states(parts)["knob"] == "works"
    assert parts.table.changes > before
    after = states(parts)
    assert (after["button back"], after["tilt switch"]) == ("works", "works")
    assert (after["button OK"], after["lamps"]) == ("unchecked", "unchecked")


def test_a_lost_part_comes_first_with_its_time_and_the_advice_of_the_table(
    parts: Enrolment,
) -> None:
    parts.press("back")
    before = parts.table.changes
    (told,) = parts.receive(PartFailed("reader seat-1", "reader"))
    assert parts.table.changes > before
    assert told.notice is not None
    lost, *others = parts.table.asks_of_host().parts
    assert lost == PartAsked(
        "reader seat-1", "reader seat 1", "lost", "2024-05-01T19:30:00+00:00", told.notice.do
    )
    assert "lost" not in {part.state for part in others}
    assert parts.table.failed_parts == ("reader seat-1",)
    before = parts.table.changes
    parts.receive(PartRecovered("reader seat-1"))
    assert parts.table.changes > before
    assert states(parts)["reader seat 1"] == "works"


def test_the_table_says_that_it_can_be_unplugged_unless_the_journal_does_not_work(
    parts: Enrolment,
) -> None:
    asked = PhoneAct(None, 0, PhoneCommand.SAFE_TO_UNPLUG)
    (told,) = parts.receive(asked)
    assert told.notice is not None
    assert (told.notice.happened, told.notice.do) == (
        *("Everything is saved.", "You can unplug the table."),
    )
    assert [line.text for line in told.say] == [told.notice.happened, told.notice.do]
    assert all(line.is_requested for line in told.say), "it is said at every level"
    parts.receive(PartFailed("journal", "journal"))
    (told,) = parts.receive(asked)
    assert told.refused == "The last plays are not saved yet. Leave the table on."
    parts.receive(PartRecovered("journal"))
    (told,) = parts.receive(asked)
    assert told.refused == ""


def test_lamps_that_failed_are_lost(parts: Enrolment) -> None:
    parts.receive(PartFailed("lamps", "lamps"))
    assert states(parts)["lamps"] == "lost"


@pytest.mark.parametrize("language", languages())
def test_every_part_and_result_has_words(parts: Enrolment, language: str) -> None:
    parts.table.context.settings.set(LANGUAGE, language)
    assert all(name and "part-" not in name for name in states(parts))
    at = NOW.isoformat()
    results = [None, *(SavedCheck(at, verdict, 3) for verdict in ("", "OK", "WARN", "FAIL"))]
    texts = []
    for check in results:
        parts.receive(DoctorReported(check))
        shown = parts.table.asks_of_host().check
        assert shown is not None
        assert shown.at == ("" if check is None else at)
        texts.append(shown.text)
    assert len(set(texts)) == len(texts)
    assert not [text for text in texts if "check." in text]
    assert all("3" in text for text in texts[1:])


# --- the doctor's report --------------------------------------------------------------------------


def report_of(*verdicts: Verdict) -> str:
    return as_text(
        DoctorReport([Finding(f"part {n}", each, "x") for n, each in enumerate(verdicts)])
    )


@pytest.mark.parametrize(
    ("verdicts", "verdict", "skipped"),
    [
        ([Verdict.OK], "OK", 0),
        ([Verdict.OK, Verdict.SKIP, Verdict.SKIP], "OK", 2),
        ([Verdict.WARN, Verdict.SKIP], "WARN", 1),
        ([Verdict.FAIL, Verdict.WARN, Verdict.OK], "FAIL", 0),
        ([Verdict.FAIL] * 11 + [Verdict.WARN] * 12 + [Verdict.SKIP] * 13, "FAIL", 13),
    ],
)
@pytest.mark.parametrize("columns", ["80", "30"])
def test_the_result_is_read_from_the_report_as_the_doctor_saves_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    verdicts: list[Verdict],
    verdict: str,
    skipped: int,
    columns: str,
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    save_report(tmp_path, report_of(*verdicts))
    found = read_check(tmp_path)
    assert found is not None
    assert (found.verdict, found.skipped) == (verdict, skipped)
    assert abs(datetime.fromisoformat(found.at).timestamp() - datetime.now(UTC).timestamp()) < 600


def test_a_report_without_a_result_is_no_ok(tmp_path: Path) -> None:
    assert read_check(tmp_path) is None
    save_report(tmp_path, "table.toml: [readers] is missing")
    found = read_check(tmp_path)
    assert found is not None
    assert found.verdict == ""
    (tmp_path / REPORT).write_text("cut off", "utf-8")
    assert read_check(tmp_path) is None


def test_a_new_report_is_noticed_once(tmp_path: Path) -> None:
    watch = ReportWatch(tmp_path)
    assert watch.poll() == ()
    save_report(tmp_path, report_of(Verdict.OK))
    (event,) = watch.poll()
    assert event.check is not None
    assert event.check.verdict == "OK"
    assert watch.poll() == ()
    save_report(tmp_path, report_of(Verdict.FAIL, Verdict.OK))
    (event,) = watch.poll()
    assert event.check is not None
    assert event.check.verdict == "FAIL"
    (tmp_path / REPORT).unlink()
    assert watch.poll() == (DoctorReported(None),)
    assert watch.poll() == ()
