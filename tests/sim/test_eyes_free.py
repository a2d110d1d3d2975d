"""Tests that the eyes-free rehearsals use only taps, controls and announcements.

``test_rehearsals`` plays these rehearsals along with all the others.
"""

from itertools import pairwise
from pathlib import Path

import pytest

from firmware.boxes.games import games
from sim.rehearsal.grammar import (
    Expect,
    Move,
    Prepare,
    PressButton,
    RehearsalLine,
    Turn,
    Verb,
    Wait,
    parse,
)
from tests.sim.eyes_free import FOLDER

FILES = sorted(FOLDER.glob("*.mat"))
ENROLMENT = "enrolment"
GIVEN = ("game", "language")  # which cards are available, and the table's first language


def lines(file: Path) -> list[RehearsalLine]:
    return parse(file.read_text(encoding="utf-8"), file.name)


def is_hand(verb: Verb) -> bool:
    """Return True if *verb* is a tap, a press or a turn."""
    return isinstance(verb, PressButton | Turn) or (isinstance(verb, Move) and verb.how == "tap")


def test_every_game_and_enrolment_have_one() -> None:
    assert {file.stem for file in FILES} >= {*games(), ENROLMENT}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_everything_is_a_tap_or_a_control_and_everything_expected_is_said(file: Path) -> None:
    for line in lines(file):
        verb = line.verb
        if isinstance(verb, Expect):
            assert verb.what == "said", line.place
        elif isinstance(verb, Prepare):
            assert verb.what in GIVEN, line.place
        else:
            assert is_hand(verb) or isinstance(verb, Wait) or line.text == "stickers new", line.text


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_after_each_act_something_is_heard(file: Path) -> None:
    """A player who does not look must never have to guess."""
    verbs = [line for line in lines(file) if not isinstance(line.verb, Prepare)]
    for line, after in pairwise(verbs):
        if is_hand(line.verb):
            assert isinstance(after.verb, Expect), f"{line.place}: nothing is expected of it"


@pytest.mark.parametrize("game", games())
def test_a_game_by_ear_is_taken_back_refused_scored_and_won(game: str) -> None:
    text = (FOLDER / f"{game}.mat").read_text(encoding="utf-8")
    for part in ("what is refused", "the scores", "taken back", "how it ended"):
        assert f"\n# {part}" in text
