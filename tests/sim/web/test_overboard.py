"""Tests of cargo that falls by the ship's balance, as people meet it at the virtual table."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engines.common.contract import Choice, Number, Tap
from engines.common.pieces import Piece
from firmware.config.table_config import load_config
from sim.deal import requests
from sim.deal.layout import HandAct
from sim.mat.mat import CannotDo
from tests.effort import long_unless
from tests.sim.web.test_seats import Table
from tests.sim.web.test_seats_riff_raff import (
    ACTION,
    DROPS,
    GAME,
    HOLDS,
    LOSES,
    NAMES,
    OK,
    SAVES,
    loading,
    playing,
    ship_of,
    shown,
    told,
)

RAT, BLUE_RAT, BLUE_BOAT = (f"{GAME}/{kind}#1" for kind in ("red-rat", "blue-rat", "blue-boat"))


@pytest.fixture
def tilting(tmp_path: Path) -> Iterator[Table]:
    """A table with a tilt switch."""
    table = Table(tmp_path / "tilting", config=replace(load_config(), tilt_pin=15))
    yield table
    table.close()


def loaded(table: Table, piece: str) -> None:
    table.ask(HandAct("load", {"piece": piece}))


def holds(table: Table) -> None:
    table.press("ok")
    table.live._publish()


def report(table: Table) -> None:
    table.ask(requests.ReportFall())


def second(table: Table) -> None:
    """Load Ann's rat in area 9; Ben loads next, in area 3."""
    loading(table, "red-9", "blue-3", robots=())
    with playing(HOLDS):
        loaded(table, RAT)
        holds(table)


def laid(table: Table, area: int) -> list[Any]:
    return list(ship_of(table).areas[area])


@pytest.mark.long
@pytest.mark.parametrize(
    ("fall", "answers"),
    [
        (DROPS, [ACTION, Number(2), Number(2)]),
        (LOSES, [ACTION, Number(2), Number(0)]),
        (SAVES, [ACTION, Number(1), Number(1), Choice("other")]),
        (lambda aboard: (aboard[-1:], []), [ACTION, Number(1), Number(0), Choice("placed")]),
        (lambda aboard: (aboard[:1], []), [ACTION, Number(1), Number(0), Choice("other")]),
    ],
)
def test_a_report_tells_the_referee_what_everybody_saw(
    table: Table, fall: Any, answers: list[Any]
) -> None:
    second(table)
    with playing(fall):
        loaded(table, BLUE_RAT)
        assert shown(table)["canReport"] is True
        report(table)
        fallen, caught = fall([Piece("red-rat"), Piece("blue-rat")])
        assert told(table, len(answers)) == answers
        assert (table.mat.view.phase, shown(table)["canReport"]) == ("reveal", False)
        aboard = [piece for area in ship_of(table).areas for piece in laid(table, area)]
        assert {*aboard} == {Piece("red-rat"), Piece("blue-rat")} - {*fallen}
        lost = {str(piece) for piece in fallen if piece not in caught}
        assert {f"{GAME}/{piece}" for piece in lost} <= {*table.deal_shown["stocks"][1]}
    assert not list(table.mat.refused)


@pytest.mark.long
def test_tagged_cargo_is_tapped_for_the_report(table: Table) -> None:
    table.live._person.start(GAME, NAMES[:2], NAMES[0], {"tagged-cargo": "on"})
    loading(table, "red-9", "blue-3", robots=())
    with playing(HOLDS):
        table.tap(RAT)
        holds(table)
    with playing(SAVES):
        table.tap(BLUE_RAT)
        report(table)
    red = Tap(Piece("red-rat"))
    assert [given.piece if isinstance(given, Tap) else given for given in told(table, 4)] == [
        ACTION,
        red.piece,
        OK,
        OK,
    ]
    assert table.mat.view.phase == "reveal"


@pytest.mark.long
@pytest.mark.parametrize(("fall", "answers"), [(DROPS, 3), (SAVES, 4)])
def test_take_back_takes_a_whole_report_back(table: Table, fall: Any, answers: int) -> None:
    second(table)
    with playing(fall):
        loaded(table, BLUE_RAT)
        before, seen = table.record.inputs, shown(table)
        report(table)
        assert len(table.record.inputs) == len(before) + answers
        take_back(table)
        assert (table.record.inputs, shown(table)) == (before, seen)
        report(table)
        assert len(table.record.inputs) == len(before) + answers
        for _ in ("the report", "the piece chosen by hand", "the card"):
            take_back(table)
        assert table.record.inputs == before[:-1]


def test_take_back_undoes_one_answer_of_a_report_that_is_not_complete(table: Table) -> None:
    second(table)
    with playing(DROPS):
        loaded(table, BLUE_RAT)
        before = table.record.inputs
        table.press("action")
        table.ask(requests.ChooseItem("2"))
        take_back(table)
    assert table.record.inputs == (*before, ACTION)


@pytest.mark.long
def test_take_back_undoes_one_answer_if_people_saw_something_else(table: Table) -> None:
    second(table)
    with playing(DROPS):
        loaded(table, BLUE_RAT)
        before = table.record.inputs
        table.press("action")
        for answer in ("1", "0", "placed"):
            table.ask(requests.ChooseItem(answer))
        assert table.mat.view.phase == "reveal"
        take_back(table)
    assert table.record.inputs == (*before, ACTION, Number(1), Number(0))


def take_back(table: Table) -> None:
    table.ask(requests.TakeBack())


def test_a_tilt_switch_is_rocked_by_the_report(tilting: Table) -> None:
    second(tilting)
    tilts: list[None] = []
    rock = tilting.mat.tilt
    tilting.mat.tilt = lambda: tilts.append(rock())  # type: ignore[method-assign]
    with playing(LOSES):
        loaded(tilting, BLUE_RAT)
        report(tilting)
    assert len(tilts) == 1
    assert told(tilting, 3) == [ACTION, Number(2), Number(0)]


def test_nothing_is_reported_while_nothing_has_fallen(table: Table) -> None:
    second(table)
    with playing(HOLDS):
        loaded(table, BLUE_RAT)
        with pytest.raises(CannotDo, match="nothing has fallen"):
            report(table)


def test_a_report_that_the_table_does_not_take_ends(table: Table) -> None:
    second(table)
    table.ask(requests.SetFault("disk-full", "disk"))
    with playing(LOSES):
        loaded(table, BLUE_RAT)
        with pytest.raises(CannotDo, match="did not accept"):
            report(table)


@pytest.mark.long
def test_people_have_the_last_word(table: Table) -> None:
    """A player may say that the cargo stayed, and then it has."""
    second(table)
    with playing(LOSES):
        loaded(table, BLUE_RAT)
        assert shown(table)["fallen"] == [RAT, BLUE_RAT]
        holds(table)
        assert (laid(table, 9), laid(table, 3)) == ([Piece("red-rat")], [Piece("blue-rat")])
        assert shown(table)["fallen"] == []


def test_when_cargo_falls_it_is_too_late_for_another_piece(table: Table) -> None:
    second(table)
    with playing(LOSES):
        loaded(table, BLUE_RAT)
        assert shown(table)["movable"] == []
        with pytest.raises(CannotDo, match="cannot be loaded now"):
            loaded(table, BLUE_BOAT)
        assert shown(table)["inHand"] == BLUE_RAT


def test_a_ship_tilts_to_the_side_where_the_cargo_lies(table: Table) -> None:
    loading(table, "red-4", "blue-1", robots=())
    assert shown(table)["tilt"] == 0
    loaded(table, f"{GAME}/red-chest#1")
    assert shown(table)["tilt"] > 1
    holds(table)
    heavy = shown(table)["tilt"]
    loaded(table, BLUE_RAT)
    assert shown(table)["tilt"] < heavy


@pytest.mark.parametrize(
    ("fallen", "answer"), long_unless((1, "no").__eq__, [(0, "yes"), (1, "no")])
)
def test_nobody_is_asked_what_lies_in_an_area(table: Table, fallen: int, answer: str) -> None:
    """After a fall, the referee's counts leave open if area 9 has a piece. The page shows it."""
    loading(table, "red-9", "blue-8", "green-3", robots=())
    third = f"{GAME}/green-rat#1"
    with playing(lambda aboard: (aboard[fallen : fallen + 1] if len(aboard) == 3 else [], [])):
        for piece, ends in ((RAT, holds), (BLUE_RAT, holds), (third, report)):
            loaded(table, piece)
            ends(table)
        for card in ("red-1", "blue-9", "green-2"):
            table.tap(f"{GAME}/{card}#1")
            table.wait(0.3)
        table.until(lambda: table.mat.view.phase != "look")
        inputs = table.record.inputs
        assert inputs[-1] == Choice(answer)
        assert len(ship_of(table).areas[9]) == (answer == "yes")
        take_back(table)
        assert table.record.inputs == inputs[:-2], "the answer is not a play"


def played(table: Table) -> list[dict[str, Any]]:
    """Load the right side of the ship, and report what falls; return the ship after each piece."""
    ships = []
    for number in (4, 10, 8, 6):
        for colour in ("red", "blue"):
            table.tap(f"{GAME}/{colour}-{number}#1")
            table.wait(0.3)
        while table.mat.view.phase != "reveal":
            view = table.mat.view
            if view.choices is not None:
                value = "one" if "one" in view.choices.values else view.choices.values[0]
                table.ask(requests.ChooseItem(value))
            else:
                loaded(table, shown(table)["movable"][0])
                ships.append(shown(table))
                report(table) if shown(table)["canReport"] else holds(table)
            table.live._publish()
    return ships


@pytest.mark.long
def test_a_game_that_is_resumed_has_the_same_ship(tmp_path: Path) -> None:
    """After a power cut too. The deal's seed and the journal decide everything."""
    first, other = Table(tmp_path / "first"), Table(tmp_path / "other")
    for table in (first, other):
        table.deal(GAME, 2, {})
        for card in ("red-1", "blue-1"):
            table.tap(f"{GAME}/{card}#1")
            table.wait(0.3)
    ships = played(first)
    assert played(other) == ships
    assert any(ship["canReport"] for ship in ships)
    last = shown(first)
    first.ask(requests.SetPower(is_on=False))
    first.ask(requests.SetPower(is_on=True))
    assert shown(first) == last
    first.close()
    again = Table(tmp_path / "first")
    assert shown(again) == last
    again.close()
    other.close()
