"""The rehearsals by ear: nothing is looked at, and nothing is set up beforehand.

That they hold is shown by ``test_rehearsals``, which plays every rehearsal.
"""

from itertools import pairwise
from pathlib import Path

import pytest

from firmware.games import games
from sim.rehearsal.grammar import Expect, Line, Move, Prepare, PressButton, Turn, Verb, Wait, parse
from tests.sim.eyes_free import FOLDER

FILES = sorted(FOLDER.glob("*.mat"))
ENROLMENT = "enrolment"
GIVEN = ("game", "language")  # whose cards lie at hand, and what the table is delivered with


def lines(file: Path) -> list[Line]:
    return parse(file.read_text(encoding="utf-8"), file.name)


def is_hand(verb: Verb) -> bool:
    """Whether *verb* is a tap, or something done with the controls."""
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
    """Whoever does not look must never have to guess."""
    verbs = [line for line in lines(file) if not isinstance(line.verb, Prepare)]
    for line, after in pairwise(verbs):
        if is_hand(line.verb):
            assert isinstance(after.verb, Expect), f"{line.place}: nothing is expected of it"


@pytest.mark.parametrize("game", games())
def test_a_game_by_ear_is_taken_back_refused_scored_and_won(game: str) -> None:
    text = (FOLDER / f"{game}.mat").read_text(encoding="utf-8")
    for part in ("what is refused", "the scores", "taken back", "how it ended"):
        assert f"\n# {part}" in text
