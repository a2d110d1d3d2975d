"""Which lamps are lit for what the table shows."""

from dataclasses import replace
from pathlib import Path

import pytest

from engines.common.contract import Direction, Seat
from firmware.config import LAMPS
from firmware.lamps import BLINK_S, DIM, FLASH_S, is_lit, levels
from firmware.view import Flash, TableView
from tests.firmware.tabletop import Tabletop

PLAY = TableView(
    "play", names=("Ann", "Ben", "Cem"), turn=Seat(1), direction=Direction.COUNTER_CLOCKWISE
)


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


def test_whoever_may_lay_a_card_is_lit_while_it_is_nobodys_turn(tmp_path: Path) -> None:
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


def test_whoever_is_awaited_swells_and_sinks_and_whose_turn_it_is_is_steady() -> None:
    race = replace(PLAY, turn=None, awaited=(Seat(0), Seat(2)))
    for at_s, level in ((0.0, 1.0), (BLINK_S, DIM), (2 * BLINK_S, 1.0)):
        shown = levels(race, at_s)
        assert (shown["seat-1"], shown["seat-2"], shown["seat-3"]) == (level, 0.0, level)
        assert levels(PLAY, at_s)["seat-2"] == 1.0


def times_lit(flash: Flash) -> int:
    """How often the lamp of *flash* goes on after one act."""
    lit = [is_lit(flash, n / 100) for n in range(int(FLASH_S * 100) + 50)]
    return sum(now and not before for before, now in zip([False, *lit], lit, strict=False))


def test_accepted_is_lit_once_and_refused_twice_so_nobody_needs_the_colour() -> None:
    assert (times_lit(Flash.ACCEPTED), times_lit(Flash.REFUSED)) == (1, 2)
    assert all(is_lit(Flash.ACCEPTED, n / 100) for n in range(int(FLASH_S * 100)))
