"""Players who know no rules finish games of every kind, because the mat says enough."""

from pathlib import Path

import pytest
from PIL import Image

from engines.common.contract import TapAsk
from firmware.boxes.games import games
from firmware.table.modes.advice import Advice
from tests.effort import long_unless, some
from tests.sim import obedient
from tests.sim.obedient import Order, Tabled, play_one, run
from tests.sim.obedient_words import Advice as Understood
from tests.sim.obedient_words import Print, fits

GAMES = {"camargue": 10}  # games of Camargue are long; of the others twice as many are played
NAMES = sorted(games())


@pytest.mark.parametrize("game", long_unless(("straw", "ciao").__contains__, NAMES))
def test_they_finish_games_without_a_refusal(game: str) -> None:
    results = run(Order(game, range(some(GAMES.get(game, 20)))))
    assert [result.failure for result in results if result.failure] == []
    assert all(result.acts > result.players for result in results)


@pytest.mark.parametrize("game", long_unless("straw".__eq__, NAMES))
def test_they_finish_a_game_at_a_mat_with_chips(game: str) -> None:
    (result,) = run(Order(game, [0], has_chips=True))
    assert result.failure == ""


# --- they can fail --------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(("game", "refused"), [("straw", "straw"), ("ciao", "obstacle")])
def test_a_table_that_names_a_piece_which_it_refuses_is_found_out(
    game: str, refused: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(_advice: Advice, _ask: TapAsk) -> frozenset[str]:
        return frozenset({refused})

    monkeypatch.setattr(Advice, "_fitting", wrong)
    failures = [result.failure for result in run(Order(game, range(5)))]
    assert any(failure.startswith("the mat refuses:") for failure in failures)


def test_a_table_that_names_nothing_leaves_them_helpless(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Advice, "sentences", lambda _advice: ("Lay a card.",))
    monkeypatch.setattr(obedient, "MOST_ACTS", 100)
    table = Tabled(tmp_path)
    assert play_one(table, "straw", 3, 0).failure
    table.close()


def test_without_a_display_they_press_the_wrong_button(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(obedient, "draw", lambda _view, size: Image.new("1", size))
    monkeypatch.setattr(obedient, "MOST_ACTS", 500)
    table = Tabled(tmp_path)
    assert play_one(table, "cramel", 2, 0).failure
    table.close()


# --- what they understand -------------------------------------------------------------------------

RED_ROCK = Print("the red Speed rock")
CURVE = Print("the forest curve", frozenset({"top", "right"}))


@pytest.mark.parametrize(
    ("phrase", "piece"),
    [
        ("any card", RED_ROCK),
        ("any card except an obstacle", RED_ROCK),
        ("any rock", RED_ROCK),
        ("any red rock", RED_ROCK),
        ("the red Speed rock", RED_ROCK),
        ("any +3 paper", Print("the green +3 paper")),
        ("any weight", Print("the 7")),
        ("any weight up to 7", Print("the 7")),
        ("any weight from 7", Print("the 7")),
        ("any carpet", Print("the carpet -3")),
        ("any red number", Print("the red 7")),
        ("any tile", CURVE),
        ("any tile with a path at the top", CURVE),
        ("any tile without a path at the left", CURVE),
        ("any tile with paths at the top and right", CURVE),
        ("any curve from top to right", CURVE),
        ("any helper", Print("the helper for forest and water")),
    ],
)
def test_a_phrase_means_a_piece(phrase: str, piece: Print) -> None:
    assert fits(phrase, piece)


@pytest.mark.parametrize(
    ("phrase", "piece"),
    [
        ("any card except an obstacle", Print("the obstacle")),
        ("any card except an obstacle or a joker or a +3", Print("the yellow +3 paper")),
        ("any green rock", RED_ROCK),
        ("the red rock", RED_ROCK),
        ("any weight", Print("the carpet -7")),
        ("any weight up to 6", Print("the 7")),
        ("any weight from 8", Print("the 7")),
        ("any red number", Print("the red boat")),
        ("any tile", Print("the helper for forest and water")),
        ("any tile without a path at the top", CURVE),
        ("any tile with paths at the top and left", CURVE),
        ("any curve from right to bottom", CURVE),
        ("any branch without a path at the left", CURVE),
    ],
)
def test_a_phrase_does_not_mean_another_piece(phrase: str, piece: Print) -> None:
    assert not fits(phrase, piece)


def test_sentences_say_who_can_play_what_and_what_can_be_pressed() -> None:
    advice = Understood.of(
        (
            "Draw one.",
            "Ben, Cem can play: any rock, the red joker.",
            "Allowed, but would break the camel's back: any weight.",
            "Or press: pass.",
        )
    )
    what = ["any rock", "the red joker"]
    assert [*advice.plays] == [("Ben", what), ("Cem", what)]
    assert [*advice.allowed] == ["any weight"]
    assert [*advice.presses] == ["pass"]
    assert [*advice.others] == ["Draw one."]
