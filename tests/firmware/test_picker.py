"""A picker: a list with a cursor that stops at both ends."""

import pytest

from firmware.table.picker import Picker

COLOURS = Picker(("red", "green", "blue"))


@pytest.mark.parametrize(
    ("steps", "chosen"), [(0, "red"), (1, "green"), (2, "blue"), (9, "blue"), (-1, "red")]
)
def test_turning_stops_at_both_ends(steps: int, chosen: str) -> None:
    assert COLOURS.move(steps).chosen == chosen


def test_turning_back_is_felt_at_once_after_turning_past_the_end() -> None:
    assert COLOURS.move(9).move(-1).chosen == "green"


def test_a_button_that_only_moves_on_comes_back_to_the_first() -> None:
    chosen, picker = [], COLOURS
    for _ in range(4):
        chosen.append(picker.chosen)
        picker = picker.advance(1)
    assert chosen == ["red", "green", "blue", "red"]


def test_what_moves_on_by_several_goes_round_the_end() -> None:
    assert [COLOURS.advance(steps).chosen for steps in (2, 4, 10)] == ["blue", "green", "green"]


def test_the_cursor_goes_to_a_named_item_or_stays() -> None:
    assert COLOURS.on("blue").chosen == "blue"
    assert COLOURS.move(1).on("pink").chosen == "green"


def test_turning_makes_a_new_picker() -> None:
    assert COLOURS.move(1) != COLOURS
    assert COLOURS.chosen == "red"
