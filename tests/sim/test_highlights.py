"""The highlights of robots' games agree with the robots' books, and a wrong one is found."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from engines.common import highlights
from engines.common.contract import Message
from engines.common.highlights import Highlight, highlights_of, once
from firmware.boxes.games import game_named
from sim.robots.games import OURS
from tests.effort import long_unless, some
from tests.sim.highlights import MARGIN, Series, run

GAMES = {"camargue": 20}  # played at full effort; of the others more, because they are short
TIES = 25  # games of Cramel; in some of them two players lose the same number of turns
ENDS = ("bloom", "mixed")  # messages about such turns


@pytest.mark.parametrize("game", long_unless(("camargue", "straw").__contains__, sorted(OURS)))
def test_highlights_agree_with_the_books(game: str) -> None:
    results = run(Series(game, range(some(GAMES.get(game, 100)))))
    assert [result.difference for result in results if result.difference] == []
    told = {code for result in results for code in result.codes}
    own = {highlight.code for highlight in highlights_of(game_named(game))}
    assert told, "nothing was compared"
    assert told <= own | {MARGIN}


@pytest.mark.long
@pytest.mark.parametrize("game", sorted(OURS))
def test_the_mat_says_what_the_books_tell(game: str) -> None:
    (result,) = run(Series(game, [0], has_chips=True))
    assert result.difference == ""
    assert result.codes


# --- wrong highlights are found -------------------------------------------------------------------


def one_more(told: Message | None) -> Message | None:
    """Return *told* with a larger number."""
    return told and replace(told, facts={**told.facts, "n": int(str(told.facts["n"])) + 1})


def other_seat(told: Message | None) -> Message | None:
    """Return *told* about another player."""
    return told and replace(told, facts={**told.facts, "seat": 1 - int(str(told.facts["seat"]))})


@pytest.mark.parametrize("wrong", [one_more, other_seat])
@pytest.mark.parametrize("has_chips", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_wrong_number_or_player_is_found(
    wrong: Callable[[Message | None], Message | None],
    has_chips: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = highlights._greatest
    monkeypatch.setattr(highlights, "_greatest", lambda *given: wrong(right(*given)))
    (result,) = run(Series("straw", [0], has_chips))
    assert "highlights: the books say" in result.difference


@pytest.mark.long
def test_a_highlight_of_equal_players_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = highlights._greatest

    def told(highlight: Highlight, events: Sequence[Any]) -> Message | None:
        found = right(highlight, events)
        if found or highlight.code != "highlight.bloom":
            return found
        lost = Counter[Any](event.facts["seat"] for _, event in events if event.code in ENDS)
        equal = [Message(highlight.code, {"seat": seat, "n": n}) for seat, n in lost.most_common(1)]
        return equal[0] if equal else None

    monkeypatch.setattr(highlights, "_greatest", told)
    results = run(Series("cramel", range(TIES)))
    assert any("highlight.bloom" in result.difference for result in results)


def test_drawn_cards_that_are_counted_by_draws_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A debt or a penalty is one draw of several cards."""
    draws = Highlight("highlight.most-drawn", ("draws",), once)
    monkeypatch.setattr(highlights, "highlights_of", lambda game: (draws,))
    assert any("most-drawn" in each.difference for each in run(Series("ciao", range(5))))
