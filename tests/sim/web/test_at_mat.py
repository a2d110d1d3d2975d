"""Tests of what Play shows to the people at the mat alone: questions and digits about phones."""

from typing import Any

import pytest

from firmware.outlet.stream import JoinQuestion
from firmware.runtime.inbox import Request
from firmware.table.events import CodeRequested, PhoneRequested
from firmware.table.table import NOTICE_S, QUESTION_S
from tests.sim.web.test_seats import Table


def notice_after(table: Table, request: Request) -> Any:
    """Send *request* as the companion does; return the notice that Play shows then."""
    table.live.inbox.put(request, lambda *_: None)
    table.wait(1.0)
    return shown_in(table)


def shown_in(table: Table) -> Any:
    return table.live.state["view"]["notice"]


@pytest.mark.long
@pytest.mark.parametrize("is_game", [False, True])
def test_a_question_about_a_phone_goes_when_its_time_is_over(table: Table, is_game: bool) -> None:
    if is_game:
        table.deal("straw", 2, {})
        table.wait(NOTICE_S)
    notice = notice_after(table, JoinQuestion(1, PhoneRequested("42", None)))
    assert notice["answers"] == ["Let phone 42 be the host", "No"]
    table.wait(QUESTION_S)
    assert shown_in(table) is None


@pytest.mark.long
@pytest.mark.parametrize("is_game", [False, True])
def test_the_digits_for_another_phone_are_shown_for_a_while(table: Table, is_game: bool) -> None:
    if is_game:
        table.deal("straw", 2, {})
        table.wait(NOTICE_S)
    notice = notice_after(table, CodeRequested("928346"))
    assert "928 346" in f"{notice['happened']} {notice['do']}"
    table.wait(NOTICE_S)
    assert shown_in(table) is None
