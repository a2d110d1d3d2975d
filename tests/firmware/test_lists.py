"""Every list at the table answers the controls and the command cards in the same way."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from firmware.show.view import ListView
from tests.firmware.tabletop import Tabletop


@dataclass(frozen=True, slots=True)
class OpenList:
    """A function that opens a list, and what the display then shows around it.

    *seat* is the code that refuses a seat card. *number* is the code that refuses a number above
    the last line; None if a number card cannot be too high for so long a list.
    """

    phase: str
    title: str
    prompt: str
    open: Callable[[Tabletop], object]
    seat: str
    number: str | None = None


def _choose(*values: str) -> Callable[[Tabletop], None]:
    """Return a function that presses OK and then chooses *values*, one after the other."""

    def open_list(top: Tabletop) -> None:
        top.press()
        for value in values:
            top.choose(value)

    return open_list


def _in_game(*values: str) -> Callable[[Tabletop], None]:
    """Return a function that starts a game, opens its menu and chooses *values* there."""

    def open_list(top: Tabletop) -> None:
        top.start()
        _choose(*values)(top)

    return open_list


def _offer(*values: str) -> Callable[[Tabletop], None]:
    """Return a function that lays a card of Straw and chooses *values* before the game starts."""

    def open_list(top: Tabletop) -> None:
        top.lay("weight-1")
        for value in values:
            top.choose(value)

    return open_list


def _kinds(top: Tabletop) -> None:
    """Open the list of kinds of a box in which every card has a sticker."""
    _choose("stickers", "straw")(top)
    top.press("action")


NONE = "no-such-value"
LISTS: Mapping[str, OpenList] = {
    "games": OpenList("idle", "tapmat", "Which game?", _choose(), "no-game", "no-game"),
    "boxes": OpenList("enrolling", "tapmat", "Whose stickers?", _choose("stickers"), NONE),
    "settings": OpenList("settings", "Settings", "Settings", _choose("settings"), NONE, NONE),
    "levels": OpenList("settings", "Settings", "Speech", _choose("settings", "level"), NONE, NONE),
    "before a game": OpenList("preparing", "Straw", "Straw", _offer(), NONE, NONE),
    "players": OpenList("preparing", "Straw", "Players", _offer("players"), NONE, NONE),
    "kinds": OpenList("enrolling", "Straw", "Which card?", _kinds, NONE),
    "menu": OpenList("play", "Straw", "Menu", _in_game(), "not-expected-now", "not-expected-now"),
    "menu settings": OpenList("settings", "Settings", "Settings", _in_game("settings"), NONE, NONE),
    "menu boxes": OpenList("enrolling", "tapmat", "Whose stickers?", _in_game("stickers"), NONE),
}


@pytest.fixture(params=LISTS.values(), ids=list(LISTS))
def shown(request: pytest.FixtureRequest) -> OpenList:
    opened: OpenList = request.param
    return opened


@pytest.fixture
def top(tmp_path: Path, shown: OpenList) -> Iterator[Tabletop]:
    """A table on which the list is open."""
    table = Tabletop(tmp_path)
    shown.open(table)
    yield table
    table.close()


def choices(top: Tabletop) -> ListView:
    assert top.view.choices is not None
    return top.view.choices


def test_the_display_names_the_list_and_the_action_button(top: Tabletop, shown: OpenList) -> None:
    view = top.view
    assert (view.phase, view.title, choices(top).prompt, view.action) == (
        shown.phase, shown.title, shown.prompt, "next",
    )  # fmt: skip


def test_the_action_button_goes_down_the_list_and_from_its_end_to_the_top(top: Tabletop) -> None:
    last = len(choices(top).items) - 1
    top.turn(-last)
    cursors = []
    for _ in range(last + 1):
        top.press("action")
        cursors.append(choices(top).cursor)
    assert cursors == [*range(1, last + 1), 0]


def test_the_encoder_goes_down_and_up_the_list_and_stops_at_its_ends(top: Tabletop) -> None:
    last = len(choices(top).items) - 1
    cursors = []
    for steps in (-last, 1, 1, -1, last, 1, -last, -1):
        top.turn(steps)
        cursors.append(choices(top).cursor)
    assert cursors == [0, 1, min(2, last), min(2, last) - 1, last, last, 0, 0]


def test_a_seat_card_is_refused_and_the_list_stays(top: Tabletop, shown: OpenList) -> None:
    before = choices(top)
    top.card("seat-6")
    assert top.refused == shown.seat
    assert choices(top) == before
    if shown.seat == NONE:
        assert "6" in top.notice.happened


@pytest.mark.parametrize("shown", [one for one in LISTS.values() if one.number], indirect=True)
def test_a_number_that_the_list_lacks_is_refused_and_the_list_stays(
    top: Tabletop, shown: OpenList
) -> None:
    before = choices(top)
    top.card("number-10")
    assert top.refused == shown.number
    assert choices(top) == before
    if shown.number == NONE:
        assert "10" in top.notice.happened


def test_back_closes_the_list(top: Tabletop) -> None:
    before = choices(top)
    top.press("back")
    assert top.view.choices != before
