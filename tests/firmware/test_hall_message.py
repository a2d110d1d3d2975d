"""A hall's message on the table's display, such as who sits here, and calls for its help."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from firmware.hall.messages import BadHallMessage, seat_message_of, seat_message_text
from firmware.outlet.stream import LONGEST_MESSAGE, BadRequest, HallOffer, read_request
from firmware.table.events import HallChanged, HallMessage
from firmware.table.table import NOTICE_S
from tests.firmware.tabletop import Tabletop
from tests.firmware.test_phone_starts import finish

TEXT = "Round 2: Ann - Ben"


@pytest.fixture
def top(tmp_path: Path) -> Iterator[Tabletop]:
    with closing(Tabletop(tmp_path)) as made:
        yield made


def shown(top: Tabletop) -> str | None:
    return None if top.view.notice is None else top.view.notice.happened


def test_it_is_shown_until_somebody_does_something(top: Tabletop) -> None:
    top.receive(HallMessage(TEXT))
    top.now_s += 100 * NOTICE_S
    assert shown(top) == TEXT
    top.press()
    assert shown(top) is None
    top.press("back")
    assert top.view.hint == TEXT, "it stays while the table waits for a game"


def test_the_hall_takes_it_away(top: Tabletop) -> None:
    top.receive(HallMessage(TEXT))
    top.receive(HallMessage(""))
    assert shown(top) is None
    assert top.view.hint == "Lay a card of a game, or press OK."


def test_after_a_game_it_is_shown_until_somebody_does_something(top: Tabletop) -> None:
    finish(top.start())
    top.receive(HallMessage(TEXT))
    top.now_s += 100 * NOTICE_S
    assert shown(top) == TEXT


def test_during_a_game_it_is_shown_for_a_short_time(top: Tabletop) -> None:
    top.start().play("weight-3")
    top.receive(HallMessage(TEXT))
    assert shown(top) == TEXT
    top.now_s += NOTICE_S
    assert shown(top) is None


def test_the_socket_takes_short_texts_alone() -> None:
    assert read_request(b'{"show":"message","text":"Round 2"}') == HallMessage("Round 2")
    for text in ("x" * (LONGEST_MESSAGE + 1), "a\\u0007"):
        with pytest.raises(BadRequest):
            read_request(f'{{"show":"message","text":"{text}"}}'.encode())
        with pytest.raises(BadHallMessage):
            seat_message_of(f'{{"v":1,"text":"{text}"}}'.encode())
    assert seat_message_of(seat_message_text(TEXT).encode()) == TEXT
    assert seat_message_of(b"") == ""


def choose(top: Tabletop, item: str) -> None:
    """Open the menu and choose *item*."""
    top.press()
    assert top.view.choices is not None
    for _ in range(top.view.choices.values.index(item)):
        top.turn(1)
    top.press()


def items(top: Tabletop) -> tuple[str, ...]:
    """Return the items of the menu."""
    top.press()
    assert top.view.choices is not None
    found = top.view.choices.values
    top.press("back")
    return tuple(map(str, found))


@pytest.mark.parametrize("is_game", [False, True])
def test_people_call_the_hall_for_help_and_take_it_back(top: Tabletop, is_game: bool) -> None:
    if is_game:
        top.start().play("weight-3")
    assert not {"call", "no-call"} & {*items(top)}, "there is no hall"
    top.receive(HallChanged(is_there=True))
    choose(top, "call")
    assert shown(top) == "The hall knows that you need help."
    assert top.view.calls
    choose(top, "no-call")
    assert shown(top) == "The hall knows that you need no more help."
    assert not top.view.calls
    choose(top, "call")
    top.receive(HallMessage(TEXT))
    top.receive(HallChanged(is_there=False))
    assert not top.view.calls
    assert top.view.hint != TEXT
    assert not {"call", "no-call"} & {*items(top)}


def test_the_socket_takes_the_offer_of_a_hall() -> None:
    assert read_request(b'{"offer":"hall"}') == HallOffer()
    with pytest.raises(BadRequest):
        read_request(b'{"offer":"hall","more":1}')
