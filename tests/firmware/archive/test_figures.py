"""``tapmat journal stats``: totals over all recorded games, as text and as a page with graphs."""

import io
import json
import re
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from firmware.archive.charts import Curve, chart
from firmware.archive.describer import Describer
from firmware.archive.figures import MAX_CHARTS, Curves, curves_of, figures_of
from firmware.archive.page import page_of
from firmware.archive.past import histories, history_of, replay
from firmware.boxes.games import games
from firmware.commands.journal import run_stats
from firmware.common.errors import OutputError
from firmware.journal.journal import Journal
from firmware.runtime.controller import JOURNAL, words_for
from tests.firmware.archive.kept import CONFIG, play, play_at_random, scribble
from tests.sim.known_game import GAME

TELLER = Describer(words_for("en"))


def page(folder: Path) -> str:
    return page_of(figures_of(folder), TELLER)


def printed(folder: Path) -> str:
    out = io.StringIO()
    run_stats(CONFIG, folder, None, False, out)
    return out.getvalue()


def curves(folder: Path, number: int) -> Curves:
    return curves_of(replay(history_of(folder, number)))


class Text(HTMLParser):
    """The text of an HTML page, without its tags, and the names of the tags in it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text, self.tags = "", list[str]()
        self.feed(page)

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)


# --- figures -------------------------------------------------------------------------------------


def test_games_wins_and_scores_are_added_up(tmp_path: Path) -> None:
    play(tmp_path)  # Ann wins with 17 points; Ben has none
    play(tmp_path, names=("Ben", "Cem"))  # Ben and Cem sit in Ann's and Ben's seats
    play(tmp_path, acts=4)  # still open
    straw = figures_of(tmp_path).games["straw"]
    final = replay(next(histories(tmp_path))).view.scores
    assert straw.endings == {"over": 2, "open": 1}
    ann, ben, cem = (straw.players[name] for name in ("Ann", "Ben", "Cem"))
    assert (ann.games, ann.won, ann.highest) == (1, 1, final[0])
    assert (ben.games, ben.won, ben.lowest, ben.highest) == (2, 1, min(final), max(final))
    assert ben.average == sum(final) / 2
    assert (cem.games, cem.won) == (1, 0)


def test_who_broke_the_camel_is_counted(tmp_path: Path) -> None:
    play(tmp_path)
    play(tmp_path)
    happened = figures_of(tmp_path).games["straw"].events_by_player
    assert happened["broken"] == {"Ann": 2}  # the 2 takes the weight to 51
    assert happened["straw-broke"] == {"Ann": 2}
    assert "turn" not in happened  # an event of every play, so not worth counting
    text = printed(tmp_path)
    assert "Breaks the camel's back " in text
    assert "Breaks the camel's back with Straw and scores alone " in text
    assert "Has N points " in text
    assert "…" not in text


def test_what_was_taken_back_never_happened(tmp_path: Path) -> None:
    play(tmp_path, acts=21)
    assert figures_of(tmp_path).games["straw"].event_counts["broken"] == {"Ann": 1}
    with closing(Journal(tmp_path / JOURNAL)) as journal:
        journal.undo()
    assert "broken" not in figures_of(tmp_path).games["straw"].event_counts


def test_games_that_cannot_be_read_are_counted_as_such(tmp_path: Path) -> None:
    play(tmp_path, acts=3)
    play(tmp_path, acts=3)
    scribble(tmp_path, "UPDATE entry SET body = '{' WHERE seq = 2")
    assert figures_of(tmp_path).unread == 1
    assert "Not counted: 1 game that cannot be read" in printed(tmp_path)
    assert "Not counted: 1 game that cannot be read" in page(tmp_path)


def test_without_games_there_is_nothing_to_add_up(tmp_path: Path) -> None:
    assert printed(tmp_path) == "No game was played yet.\n"
    assert "No game was played yet." in page(tmp_path)
    out = io.StringIO()
    run_stats(CONFIG, tmp_path, None, True, out)
    assert json.loads(out.getvalue()) == {"games": {}, "unread": 0}


# --- curves --------------------------------------------------------------------------------------


def test_the_weight_is_a_run_for_each_round_up_to_what_broke_the_camel(tmp_path: Path) -> None:
    first, second = curves(tmp_path, play(tmp_path)).runs
    assert first.caption.code == second.caption.code == "on-the-camel"
    weights = [act.shown[1] for act in GAME if act.shown[0] in ("play", "lamp")]
    assert first.values[0] == second.values[0] == 0
    assert first.values[-1] == 51  # above the limit, so it breaks the camel's back
    assert second.values[-1] == 50  # the weight at which Straw may be played
    assert {str(n) for n in (*first.values, *second.values)} <= {"0", "51", *weights}
    assert [event.code for run in (first, second) for event in run.ending] == [
        "broken",
        "straw-broke",
    ]


def test_scores_are_told_after_every_play(tmp_path: Path) -> None:
    found = curves(tmp_path, play(tmp_path))
    assert len(found.scores) == len(found.past.effective_plays) + 1
    assert found.scores[0] == (0, 0)
    assert found.scores[-1] == found.past.view.scores


@pytest.mark.parametrize("game", sorted(games()))
def test_every_game_can_be_drawn(game: str, tmp_path: Path) -> None:
    """The page of a random game has its title and number, and no text lacks words or facts."""
    number = play_at_random(tmp_path, game, seed=5, limit=120)
    text = Text(page(tmp_path)).text
    assert TELLER.title(game) in text
    assert f"Game {number}," in text
    assert not re.search(r"\{\w+\}", text)  # a fact that was not filled in
    assert printed(tmp_path)


# --- the page ------------------------------------------------------------------------------------


def test_names_are_text_and_never_tags(tmp_path: Path) -> None:
    names = ("<script>", "B&C\"'")
    play(tmp_path, names)
    html = page(tmp_path)
    found = Text(html)
    assert "<script" not in html
    assert "script" not in found.tags
    for name in names:
        assert name in found.text
    assert "B&amp;C" in html


def test_the_page_asks_nobody_for_anything(tmp_path: Path) -> None:
    play(tmp_path)
    html = page(tmp_path)
    assert not re.search(r"""(?:src|href|url)\s*[=(]|@import|https?:""", html)
    assert "default-src 'none'" in html


def test_every_picture_has_a_title_and_words(tmp_path: Path) -> None:
    play(tmp_path)
    html = page(tmp_path)
    assert html.count('role="img"') == 2
    assert html.count("<desc>") == 2
    assert "<desc>51: Ann breaks the camel's back. 50: Ann breaks" in html


def test_only_the_last_games_are_drawn(tmp_path: Path) -> None:
    numbers = [play(tmp_path, acts=1) for _ in range(MAX_CHARTS + 2)]
    text = Text(page(tmp_path)).text
    assert [n for n in numbers if f"Game {n}," in text] == numbers[2:]


def test_the_page_is_written_into_a_file(tmp_path: Path) -> None:
    play(tmp_path)
    out, file = io.StringIO(), tmp_path / "games.html"
    assert run_stats(CONFIG, tmp_path, file, False, out) == 0
    assert out.getvalue() == f"The page is in {file}.\n"
    assert file.read_text(encoding="utf-8") == page(tmp_path)
    with pytest.raises(OutputError, match="cannot be written"):
        run_stats(CONFIG, tmp_path, tmp_path / "nowhere" / "games.html", False, out)


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ((0, 51), ["0", "20", "40", "60"]),
        ((0, 0), ["0", "1"]),
        ((-13, 7), ["-15", "-10", "-5", "0", "5", "10"]),
        ((3, 4), ["0", "1", "2", "3", "4"]),
        ((0, 1234), ["0", "500", "1000", "1500"]),
    ],
)
def test_a_scale_has_a_few_round_numbers_and_zero(
    values: tuple[int, ...], scale: list[str]
) -> None:
    svg = chart("", "", [Curve("", 0, values)], 1)
    written = [text.text for text in svg.iter("text") if text.get("text-anchor") == "end"]
    assert written == scale


def test_a_curve_stays_within_its_picture() -> None:
    svg = chart("t", "w", [Curve("c", 2, (5, -7, 900)), Curve("d", 0, (1, 2), 1, True)], 4)
    width, height = map(int, svg.attrib["viewBox"].split()[2:])
    for path in svg.iter("path"):
        points = re.findall(r"[ML]([\d.-]+) ([\d.-]+)", path.attrib["d"])
        assert all(0 <= float(x) <= width and 0 <= float(y) <= height for x, y in points)
    assert "H" in ElementTree.tostring(svg, encoding="unicode")
