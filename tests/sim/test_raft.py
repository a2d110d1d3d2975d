"""Tests of map places and of the ball switch, from the pins up, in the game Raft."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engines.common.contract import Button, Input, PlaceChoice, Press
from engines.common.grid import Place
from firmware.config.table_config import TableConfig, load_config, pins_in_use
from firmware.show.screens import draw
from sim.mat.mat import CannotDo, Mat
from sim.rehearsal.command import rehearse, with_parts
from sim.rehearsal.export import rehearsal_text
from sim.rehearsal.grammar import parse
from sim.rehearsal.runner import Runner
from tests.effort import long_unless
from tests.firmware import raft

CONFIG = load_config()
BEGIN = "game raft\nplayers Ann Ben\nstart\n"
RIDING = f"{BEGIN}tap plank\nchoose 1,0\nexpect phase rides\n"
FALLEN = "expect phase lay\nexpect pieces gone 1\nexpect turn Ben\n"
PARTS = '[readers.play]\nspi = "0.0"\n[display]\n[table]\nnames = ["Ann", "Ben"]\n'


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    with raft.installed():
        yield


def failure(folder: Path, text: str, config: TableConfig = CONFIG) -> str:
    """Return the first difference between mat and rehearsal *text*, or an empty string."""
    file = folder / "own.mat"
    file.write_text(text, encoding="utf-8")
    return str(rehearse(file, config).failure or "")


def inputs(mat: Mat) -> tuple[Input, ...]:
    """Return the inputs in the journal of *mat*."""
    record = mat.running.journal.open_game()
    assert record is not None
    return record.inputs


# --- places --------------------------------------------------------------------------------------


def test_places_are_chosen_with_the_encoder(tmp_path: Path) -> None:
    story = f"""{BEGIN}
        tap plank
        expect asks place 0,-1 -1,0 1,0 0,1
        expect headline 1
        choose 0,-1
        expect asks press action rocked
        press ok
        expect score Ann 1
        tap plank
        expect asks place 0,-2 -1,-1 1,-1 -1,0 1,0 0,1
        choose 1,-1
        press ok
        tap plank
        turn -9
        expect headline 1
        turn 5
        expect headline 2
        press ok
        power cut
        power on
        expect phase rides
        press ok
        expect score Ann 3
    """
    assert failure(tmp_path, story) == ""


TABLES = {
    "encoder": "[controls]\nencoder = [5, 6]\nok = 13\n",
    "left and right": "[controls]\nleft = 5\nright = 6\n",
    "action": "[controls]\nok = 13\naction = 4\n",
    "command cards alone": "",
}


@pytest.mark.parametrize("controls", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("kind", long_unless("plank".__eq__, ["plank", "barrel"]))
def test_every_table_reaches_every_place(tmp_path: Path, controls: str, kind: str) -> None:
    """For a barrel, action belongs to the game, so number cards move the cursor instead."""
    table = tmp_path / "table.toml"
    table.write_text(PARTS + controls, encoding="utf-8")
    places = ("0,1", "-1,0", "0,-1", "1,0")
    lines = "".join(
        f"tap {kind}\nchoose {place}\nexpect phase rides\npress back\npress back\n"
        for place in places
    )
    story = f"{BEGIN}{lines}tap {kind}\nchoose 0,1\npress ok\nexpect pieces lying 1\n"
    assert failure(tmp_path, story, load_config(table)) == ""


@pytest.mark.long
def test_a_place_further_than_one_number_card_can_say_is_reached_with_two(tmp_path: Path) -> None:
    """The cursor starts on the 8th of 14 places; the 7th is 13 steps ahead, round the end."""
    table = tmp_path / "table.toml"
    table.write_text(PARTS, encoding="utf-8")
    mat = Mat(load_config(table), tmp_path)
    lines = "".join(f"tap plank\nchoose {n},0\npress ok\n" for n in (1, 2, 3, 4, 5))
    assert Runner(mat).play(parse(f"{BEGIN}{lines}tap barrel\n", "x.mat")) is None
    assert mat.view.grid is not None
    assert len(mat.view.grid.places) == 14
    assert mat.view.action == "overboard"
    assert Runner(mat).play(parse("choose -1,0\n", "x.mat")) is None
    assert inputs(mat)[-1] == PlaceChoice(Place(-1, 0))
    mat.close()


def test_a_place_that_is_not_offered_is_told_with_those_that_are(tmp_path: Path) -> None:
    mat = Mat(CONFIG, tmp_path)
    runner = Runner(mat)
    assert runner.play(parse(f"{BEGIN}tap plank\n", "x.mat")) is None
    with pytest.raises(CannotDo) as wrong:
        runner.person.choose("3,3")
    assert wrong.value.found == "3,3 is not in the list"
    assert wrong.value.remedy == "It has: 0,-1, -1,0, 1,0, 0,1"
    mat.close()


def test_the_display_shows_the_map_and_the_cursor_on_it(tmp_path: Path) -> None:
    mat = Mat(CONFIG, tmp_path)
    runner = Runner(mat)
    assert runner.play(parse(f"{BEGIN}tap plank\nwait 10\n", "x.mat")) is None
    pictures = set()
    for turn in ("turn -9\n", "turn 1\n", "turn 1\n", "turn 1\n"):
        assert runner.play(parse(f"{turn}wait 0.2\n", "x.mat")) is None
        assert mat.pixels.tobytes() == draw(mat.view, (128, 64)).tobytes()
        pictures.add(mat.pixels.tobytes())
    assert len(pictures) == 4
    mat.close()


def test_an_exported_game_chooses_the_same_places(tmp_path: Path) -> None:
    story = f"{RIDING}press ok\ntap barrel\nchoose 1,-1\ntilt\npress back\npress ok\n"
    lines = parse(story, "x.mat")
    mats = [Mat(with_parts(CONFIG, lines), tmp_path / name) for name in ("first", "second")]
    assert Runner(mats[0]).play(lines) is None
    journal = mats[0].running.journal
    record = journal.open_game()
    assert record is not None
    text = rehearsal_text(record.start, list(journal.entries(record.number)), mats[0].view)
    assert "choose 1,-1" in text.splitlines()
    assert "press action" in text.splitlines()
    assert Runner(mats[1]).play(parse(text, "exported")) is None
    assert inputs(mats[1]) == inputs(mats[0])
    for mat in mats:
        mat.close()


# --- the ball switch -----------------------------------------------------------------------------


def test_a_rehearsal_that_rocks_the_raft_gets_a_switch_for_it(tmp_path: Path) -> None:
    assert failure(tmp_path, f'{RIDING}tilt\nexpect said en "It is lost."\n{FALLEN}') == ""
    config = with_parts(CONFIG, parse("tilt\n", "x.mat"))
    pins = [pin for _, pin in pins_in_use(config)]
    assert config.tilt_pin in pins
    assert len(set(pins)) == len(pins)
    assert with_parts(CONFIG, parse("turn 1\n", "x.mat")).tilt_pin is None


def test_two_rockings_are_two_and_a_false_alarm_is_taken_back(tmp_path: Path) -> None:
    story = f"{RIDING}tilt\npress back\nexpect phase rides\ntilt\n{FALLEN}"
    assert failure(tmp_path, story) == ""


def test_rocking_counts_only_while_the_game_asks_for_it(tmp_path: Path) -> None:
    story = f"""
        tilt
        {BEGIN}
        tilt
        expect phase lay
        expect pieces gone 0
        tap plank
        tilt
        expect phase where
        expect refused nothing
    """
    assert failure(tmp_path, story) == ""


@pytest.fixture
def riding(tmp_path: Path) -> Iterator[Mat]:
    """A mat with a ball switch on GPIO15, in the phase in which the raft rides."""
    mat = Mat(replace(CONFIG, tilt_pin=15), tmp_path)
    assert Runner(mat).play(parse(RIDING, "x.mat")) is None
    yield mat
    mat.close()


def test_the_journal_holds_a_press_and_replays_without_a_switch(
    riding: Mat, tmp_path: Path
) -> None:
    riding.tilt()
    assert inputs(riding)[-1] == Press(Button.ACTION)
    riding.close()
    again = Mat(CONFIG, tmp_path)
    again.power_on()
    assert (again.view.phase, again.view.counts["gone"]) == ("lay", 1)
    again.close()


def test_one_edge_at_the_pin_is_enough_and_is_taken_within_a_turn_of_the_loop(
    riding: Mat,
) -> None:
    riding.board.pins.pin(15).drive_low()
    riding.wait(0.02)
    assert riding.view.phase == "lay"


def test_a_raft_that_goes_on_rocking_is_told_once(riding: Mat) -> None:
    """Later edges of the same rocking press nothing, even if the game waits for a rocking again."""
    pin = riding.board.pins.pin(15)
    for edge in range(300):
        (pin.drive_high if edge % 2 else pin.drive_low)()
        riding.wait(0.01)
        if edge == 10:
            assert riding.view.phase == "lay"
            riding.press("back")
    assert riding.view.phase == "rides"
    riding.wait(1.1)
    pin.drive_low()
    riding.wait(0.02)
    assert riding.view.phase == "lay"


def test_a_ball_that_rests_on_its_contact_at_the_start_is_no_rocking(riding: Mat) -> None:
    riding.power_cut()
    riding.board.power_on()
    riding.was_cut = False  # the board is already on, and the ball did not move
    riding.board.pins.pin(15).drive_low()
    riding.power_on()
    riding.wait(0.5)
    assert riding.view.phase == "rides"


def test_a_mat_without_a_switch_or_power_says_so(riding: Mat, tmp_path: Path) -> None:
    riding.power_cut()
    with pytest.raises(CannotDo, match="no power"):
        riding.tilt()
    without = Mat(CONFIG, tmp_path / "without")
    without.power_on()
    with pytest.raises(CannotDo, match="no tilt switch") as wrong:
        without.tilt()
    assert wrong.value.remedy == "Name its pin in table.toml: [tilt]"
    without.close()
