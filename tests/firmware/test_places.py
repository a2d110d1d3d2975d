"""Choosing places on a map, and a sensor that presses a button, event by event in the game Raft."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engines.common.contract import Button, Input, PlaceChoice, Press, Sensor, Tap
from engines.common.grid import Place
from engines.common.pieces import Piece
from firmware.show.view import Flash, GridView
from firmware.table.modes.game_menu import GameMenu
from firmware.table.modes.playing import Playing
from hardware.ports import Rocked
from tests.firmware import raft
from tests.firmware.tabletop import Tabletop, break_disk

ROUND_THE_MAST = (Place(0, -1), Place(-1, 0), Place(1, 0), Place(0, 1))  # in the order of rows


@pytest.fixture
def top(tmp_path: Path) -> Iterator[Tabletop]:
    """A game of Raft for three players; Ann is the current player."""
    with raft.installed():
        table = Tabletop(tmp_path, game="raft").start()
        yield table
        table.close()


def grid(top: Tabletop) -> GridView:
    assert top.view.grid is not None
    return top.view.grid


def cursor(top: Tabletop) -> Place | None:
    """Return the place under the cursor, or None."""
    cell = grid(top).cursor
    return None if cell is None else cell.place


def inputs(top: Tabletop) -> tuple[Input, ...]:
    """Return the inputs of the open game in the journal."""
    record = top.journal.open_game()
    assert record is not None
    return record.inputs


def lay(top: Tabletop, kind: str, place: str) -> None:
    """Play a piece of *kind* at *place* ("column,row"), and press OK: the raft held."""
    top.play(kind)
    top.choose(place)
    top.press()


# --- places --------------------------------------------------------------------------------------


def test_the_map_is_shown_without_a_cursor_until_a_place_is_asked_for(top: Tabletop) -> None:
    assert [cell.place for cell in grid(top).board.cells] == [raft.MIDDLE]
    assert (grid(top).places, cursor(top)) == ((), None)
    top.play("plank")
    assert grid(top).places == ROUND_THE_MAST
    assert top.view.asks == ("place 0,-1 -1,0 1,0 0,1",)


def test_the_cursor_begins_where_the_game_says_and_turns_to_both_ends(top: Tabletop) -> None:
    top.play("plank")
    assert cursor(top) == ROUND_THE_MAST[2]
    top.turn(1)
    assert cursor(top) == ROUND_THE_MAST[3]
    top.turn(9)
    assert cursor(top) == ROUND_THE_MAST[3]
    top.turn(-9)
    assert cursor(top) == ROUND_THE_MAST[0]


def test_headline_and_caption_are_those_of_the_place_under_the_cursor(top: Tabletop) -> None:
    lay(top, "plank", "0,-1")
    lay(top, "plank", "1,0")
    assert (top.view.headline, top.view.caption) == ("1", "best score")
    top.play("plank")
    shown = {}
    for place in grid(top).places:
        top.turn(-99)
        top.turn(grid(top).places.index(place))
        shown[str(place)] = (top.view.headline, top.view.caption)
    assert shown["1,-1"] == ("2", "beside 2")
    assert shown["0,1"] == ("1", "beside 1")


def test_ok_takes_the_place_and_the_journal_keeps_it(top: Tabletop) -> None:
    top.play("plank")
    top.turn(-1)
    top.press()
    assert inputs(top) == (Tap(Piece("plank")), PlaceChoice(Place(-1, 0)))
    assert (top.view.phase, cursor(top)) == ("rides", None)
    top.again()
    assert top.view.phase == "rides"
    top.press("back")
    assert (top.view.phase, cursor(top)) == ("where", ROUND_THE_MAST[2])


def test_a_list_over_a_map_covers_the_choice_of_a_place(top: Tabletop) -> None:
    before = top.view
    top.play("plank")
    record = top.journal.open_game()
    assert record is not None
    shown = GameMenu.of(Playing.resume(top.table.context, record)).view()
    assert shown.grid == before.grid
    assert shown.caption == before.caption != top.view.caption
    assert shown.choices != top.view.choices


def test_say_again_says_the_place_under_the_cursor(top: Tabletop) -> None:
    top.play("plank")
    top.card("say-again")
    assert top.said == "1 point. Turn to its place, then OK. 1 right: 1 point."


def test_action_moves_on_where_the_game_has_no_use_for_it(top: Tabletop) -> None:
    """A table whose only controls are command cards can reach every place."""
    top.play("plank")
    assert top.view.action == "next"
    seen = []
    for _ in ROUND_THE_MAST:
        top.card("action")
        seen.append(cursor(top))
    assert seen == [*ROUND_THE_MAST[3:], *ROUND_THE_MAST[:3]]


def test_action_is_the_games_where_it_has_a_use_for_it(top: Tabletop) -> None:
    top.play("barrel")
    assert top.view.action == "overboard"
    top.card("action")
    assert (top.said, top.turn_of) == ("It is lost.", "Ben")


@pytest.mark.parametrize("kind", ["plank", "barrel"])
def test_a_number_card_moves_on_by_its_number_and_chooses_nothing(top: Tabletop, kind: str) -> None:
    top.play(kind)
    for number, place in ((1, 3), (3, 2), (10, 0)):
        top.card(f"number-{number}")
        assert cursor(top) == ROUND_THE_MAST[place]
        assert top.refused == ""
    assert inputs(top) == (Tap(Piece(kind)),)
    top.card("ok")
    assert inputs(top)[1:] == (PlaceChoice(ROUND_THE_MAST[0]),)


def test_a_question_of_order_comes_before_the_map(top: Tabletop) -> None:
    top.tap("plank", "barrel")
    assert top.view.asks == ("order plank, barrel",)
    assert cursor(top) is None
    top.choose("barrel#1")
    assert (cursor(top), top.view.action) == (ROUND_THE_MAST[2], "overboard")


def test_a_seat_card_is_no_place(top: Tabletop) -> None:
    top.play("plank")
    top.card("seat-1")
    assert top.refused == "not-expected-now"


# --- a sensor ------------------------------------------------------------------------------------


def riding(top: Tabletop) -> Tabletop:
    """Place Ann's plank, so that the game asks whether the raft held, and return the table."""
    top.play("plank")
    top.press()
    assert top.view.asks == ("tap", "press ok held", "press action rocked")
    return top


def test_rocking_presses_the_button_the_game_gives_it(top: Tabletop) -> None:
    riding(top).receive(Rocked())
    assert inputs(top)[-1] == Press(Button.ACTION)
    assert (top.said, top.view.flash) == ("It is lost.", Flash.ACCEPTED)
    assert (top.view.counts["gone"], top.turn_of) == (1, "Ben")


def test_a_false_alarm_is_taken_back(top: Tabletop) -> None:
    riding(top).receive(Rocked())
    top.press("back")
    assert top.view.phase == "rides"
    top.press()
    assert (top.view.counts, top.turn_of) == ({"lying": 1, "gone": 0}, "Ben")


def test_rocking_that_means_nothing_changes_nothing(top: Tabletop) -> None:
    """If the tilt sensor is not asked for, it does not even end the notice on the display."""
    top.tap("plank")
    top.tap("plank")
    assert top.refused == "not-expected-now"
    before = top.view
    assert before.notice is not None
    assert top.table.receive(Rocked(), top.now_s) == ()
    assert top.view == before


def test_rocking_presses_nothing_while_it_is_not_known_what_was_tapped_first(
    top: Tabletop,
) -> None:
    riding(top).tap("plank", "barrel")
    assert top.view.asks == ("order plank, barrel",)
    assert top.receive(Rocked()) == ()
    top.choose("barrel#1")
    assert (top.view.counts, top.turn_of) == ({"lying": 1, "gone": 0}, "Ben")


def test_rocking_under_the_menu_counts_and_closes_it(
    top: Tabletop, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = riding(top).journal.open_game()
    assert record is not None
    menu = GameMenu.of(Playing.resume(top.table.context, record))
    mend = break_disk(monkeypatch, top.journal)
    refused = menu.sense(Sensor.TILT)
    assert refused is not None
    assert (refused.mode, refused.flash) == (menu, Flash.REFUSED)
    mend()
    accepted = menu.sense(Sensor.TILT)
    assert accepted is not None
    assert isinstance(accepted.mode, Playing)
    assert inputs(top)[-1] == Press(Button.ACTION)
    assert GameMenu.of(accepted.mode).sense(Sensor.TILT) is None


def test_rocking_under_the_settings_counts_and_closes_them(top: Tabletop) -> None:
    riding(top).card("settings")
    top.receive(Rocked())
    assert inputs(top)[-1] == Press(Button.ACTION)
    assert (top.view.phase, top.view.flash) == ("lay", Flash.ACCEPTED)


def test_rocking_means_nothing_before_a_game_is_on(tmp_path: Path) -> None:
    top = Tabletop(tmp_path)
    for _ in range(2):
        assert top.receive(Rocked()) == ()
        top.tap("weight-1")
    assert top.view.phase == "preparing"
    top.close()


def test_rocking_that_cannot_be_saved_does_not_count(
    top: Tabletop, monkeypatch: pytest.MonkeyPatch
) -> None:
    riding(top)
    mend = break_disk(monkeypatch, top.journal)
    top.receive(Rocked())
    assert (top.refused, top.view.phase) == ("not-saved", "rides")
    mend()
    top.receive(Rocked())
    assert (top.refused, top.view.phase) == ("", "lay")
