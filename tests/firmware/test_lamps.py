"""The lamps that are lit for each view of the table."""

from dataclasses import replace
from pathlib import Path

import pytest

from engines.common.contract import Direction, Seat
from firmware.config.table_config import LAMPS
from firmware.show.lamps import BLINK_S, FLASH_S, is_lit, lamp_values
from firmware.show.view import Flash, TableView
from hardware.ports import LAMP_OFF
from tests.firmware.tabletop import Tabletop

PLAY = TableView(
    "play", names=("Ann", "Ben", "Cem"), turn=Seat(1), direction=Direction.COUNTER_CLOCKWISE
)


def levels(view: TableView, now_s: float) -> dict[str, float]:
    return {name: value.brightness for name, value in lamp_values(view, now_s).items()}


def lit(view: TableView, now_s: float = 0.0) -> set[str]:
    return {name for name, level in levels(view, now_s).items() if level}


def test_every_lamp_a_table_can_have_gets_a_level() -> None:
    assert set(levels(TableView("idle"), 0.0)) == set(LAMPS)


def test_an_idle_table_is_dark() -> None:
    assert lit(TableView("idle")) == set()


def test_the_seat_to_play_and_the_direction_are_lit() -> None:
    assert lit(PLAY) == {"seat-2", "counter-clockwise"}


def test_in_a_race_everybody_who_races_is_lit() -> None:
    race = replace(PLAY, turn=None, awaited=(Seat(0), Seat(2), Seat(5)))
    assert lit(race) == {"seat-1", "seat-3", "seat-6", "counter-clockwise"}


def test_players_who_may_lay_a_card_are_lit_while_it_is_nobodys_turn(tmp_path: Path) -> None:
    table = Tabletop(tmp_path, game="riff-raff").start().play("red-1", "blue-1", "green-1")
    assert lit(table.view) - {"accepted"} == {"seat-1", "seat-2", "seat-3"}
    table.lay("blue-7#1")
    assert lit(table.view) - {"accepted"} == {"seat-1", "seat-3"}
    table.close()


@pytest.mark.parametrize("flash", Flash)
def test_the_answer_to_a_tap_is_lit(flash: Flash) -> None:
    assert lit(replace(PLAY, flash=flash)) - lit(PLAY) == {flash.value}


def test_winners_blink_together_and_no_turn_is_lit() -> None:
    over = TableView("over", turn=Seat(1), winners=(Seat(0), Seat(5)))
    assert lit(over) == {"seat-1", "seat-6"}
    assert lit(over, BLINK_S) == set()
    assert lit(over, 2 * BLINK_S) == {"seat-1", "seat-6"}


def test_lamps_of_players_who_may_play_do_not_blink() -> None:
    race = replace(PLAY, turn=None, awaited=(Seat(0), Seat(2)))
    for at_s in (0.0, BLINK_S):
        assert lit(race, at_s) == {"seat-1", "seat-3", "counter-clockwise"}
        assert lit(PLAY, at_s) == {"seat-2", "counter-clockwise"}


@pytest.mark.parametrize("now_s", [0.0, BLINK_S])
@pytest.mark.parametrize("view", [PLAY, replace(PLAY, winners=(Seat(0),))])
def test_lamps_are_on_or_off(view: TableView, now_s: float) -> None:
    """A lamp on a pin has no other level."""
    assert set(levels(view, now_s).values()) <= {0.0, 1.0}


def times_lit(flash: Flash) -> int:
    """Return how many times the lamp of *flash* goes on after one event."""
    lit = [is_lit(flash, n / 100) for n in range(int(FLASH_S * 100) + 50)]
    return sum(now and not before for before, now in zip([False, *lit], lit, strict=False))


def test_the_colours_of_lamps_that_have_one() -> None:
    shown = lamp_values(replace(PLAY, flash=Flash.REFUSED), 0.0)
    assert shown["refused"].colour == (255, 0, 0)
    assert shown["seat-2"].colour == (255, 255, 255)
    assert shown["seat-1"] == shown["accepted"] == LAMP_OFF
    assert lamp_values(replace(PLAY, flash=Flash.ACCEPTED), 0.0)["accepted"].colour == (0, 255, 0)


@pytest.mark.parametrize("view", [PLAY, replace(PLAY, flash=Flash.REFUSED)])
def test_nothing_rests_on_colour(view: TableView) -> None:
    """Lamps can be told apart without seeing colours: by place or brightness."""
    shown = lamp_values(view, 0.0)
    seats = {shown[f"seat-{seat + 1}"] for seat in range(6)}
    assert len(seats) == len({value.brightness for value in seats})


def test_accepted_is_lit_once_and_refused_twice_so_nobody_needs_the_colour() -> None:
    assert (times_lit(Flash.ACCEPTED), times_lit(Flash.REFUSED)) == (1, 2)
    assert all(is_lit(Flash.ACCEPTED, n / 100) for n in range(int(FLASH_S * 100)))
