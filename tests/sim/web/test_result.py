"""The result of a round and of a game: its data, and what Play shows."""

import re
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest
from playwright.sync_api import Browser, expect

from firmware.config.table_config import TableConfig, load_config
from firmware.table.announcements import ROUND_OVER
from sim.deal import requests
from sim.deal.seats import HAND_S, LIES_S, THINKS_S
from sim.players.levels import styles_of
from sim.robots.games import OURS
from tests.effort import long_unless
from tests.sim.web.browser import MINUS, Opener, Site, TablePage, findings
from tests.sim.web.player import write_small_box
from tests.sim.web.test_play import PlayPage, begin, opened
from tests.sim.web.test_play_languages import insist_in_every_language
from tests.sim.web.test_seats import WHOLE_GAME_S, Table

NAMES = ("Ann", "Ben")
CHART_TEXT, CHART_HEIGHT = 14, 220  # the sizes of a name and of a chart, in the chart's units
PHONES = [(390, 844), (320, 568), (844, 390)]
IN_SIGHT = """element => {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
}"""

STROKES = """lines => lines.map((line) => {
  const { stroke, strokeDasharray } = getComputedStyle(line);
  return [stroke, strokeDasharray];
})"""


class Colour(NamedTuple):
    """The parts of a colour in sRGB, all on one scale."""

    r: float
    g: float
    b: float


def in_haste() -> AbstractContextManager[object]:
    """Return a context in which robots hardly pause."""
    return patch.multiple("sim.deal.seats", THINKS_S=0.1, READS_S=0.1, LIES_S=0.3)


def begin_for(table: Table, game: str, robots: tuple[str | None, str | None]) -> None:
    with patch("sim.web.live.secrets.randbits", return_value=table.seed):
        table.ask(requests.BeginGame(game, NAMES, robots, {}))


def result(table: Table) -> dict[str, Any] | None:
    shown: dict[str, Any] | None = table.live.state["view"]["result"]
    return shown


def is_over(table: Table) -> bool:
    return bool(table.mat.view.winners)


@pytest.mark.parametrize("game", long_unless(lambda game: game == "straw", OURS))
def test_a_finished_game_has_its_points_and_settings(table: Table, game: str) -> None:
    best = styles_of(game)[0]
    begin_for(table, game, (best, best))
    assert result(table) is None
    with in_haste():
        table.until(lambda: is_over(table), WHOLE_GAME_S)
    table.wait(0.1)
    found = result(table)
    assert found is not None
    assert found["scores"][-1] == list(table.mat.view.scores)
    again = found["again"]
    assert (again["names"], again["robots"]) == (list(NAMES), [best, best])
    table.ask(requests.BeginGame(game, NAMES, (best, best), again["options"]))
    assert result(table) is None
    assert table.record.inputs == ()


@pytest.mark.long
def test_between_rounds_robots_wait_for_the_people_who_read_the_result(table: Table) -> None:
    best = styles_of("straw")[0]
    begin_for(table, "straw", (best, best))
    with in_haste():
        table.until(lambda: table.mat.view.phase == ROUND_OVER, WHOLE_GAME_S)
        table.ask(requests.SeatRobot(1, None))
        table.wait(30)
        assert table.mat.view.phase == ROUND_OVER
        found = result(table)
        assert found is not None
        assert found["hasRounds"]
        assert found["scores"] == [list(table.mat.view.scores)]
        table.ask(requests.SeatRobot(1, best))
        table.until(lambda: table.mat.view.phase != ROUND_OVER)
    assert result(table) is None


# --- the page ------------------------------------------------------------------------------------

# Notes if the result covers the table as soon as the page knows the points.
WATCH_RESULT = """() => new MutationObserver((_, watch) => {
  window.covered = document.body.hasAttribute("data-result");
  watch.disconnect();
}).observe(document.querySelector("#result-points"), { childList: true })"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state folder of a table with a finished game of Straw between two robots."""
    folder = tmp_path_factory.mktemp("finished") / "state"
    folder.mkdir()
    table = Table(folder)
    best = styles_of("straw")[0]
    begin_for(table, "straw", (best, best))
    with in_haste():
        table.until(lambda: is_over(table), WHOLE_GAME_S)
    table.close()
    return folder


def test_the_winner_the_rounds_and_a_chart_are_shown_and_it_is_played_again(
    browser: Browser, finished: Path
) -> None:
    with Site(finished) as site:
        open_page = Opener(browser, site)
        play = opened(open_page)
        shown = play.page.locator("#result")
        view = site.live.state["view"]
        winners = ", ".join(view["names"][seat] for seat in view["winners"])
        expect(shown.get_by_role("heading")).to_contain_text(winners)
        expect(shown.locator("tbody tr")).to_have_count(len(view["result"]["scores"]))
        points = shown.locator("tbody tr").last.locator("td")
        assert [text.split()[0] for text in points.all_inner_texts()] == [
            str(points).replace("-", MINUS) for points in view["scores"]
        ]
        expect(shown.locator(".chart polyline")).to_have_count(len(NAMES))
        assert findings(TablePage(play.page)) == []
        insist_in_every_language(site, play.page)
        for width, height in PHONES:
            play.page.set_viewport_size({"width": width, "height": height})
            for seen in (shown, shown.locator("#play-again")):
                assert seen.evaluate(IN_SIGHT), (width, height)
            assert play.page.evaluate("document.documentElement.scrollWidth") <= width
        play.page.click("#play-again")
        expect(shown).to_be_hidden()
        expect(play.page.locator(".player-name")).to_have_text(list(NAMES))
        assert open_page.wrong == [[]]


def test_what_happened_last_is_told_in_the_banner(open_page: Opener) -> None:
    begin(open_page.site, "ciao")
    play = opened(open_page)
    play.playable.click()
    expect(play.page.locator("#news")).not_to_be_empty()


@pytest.mark.parametrize("language", ["en", "de", "hu"])
def test_who_has_won_is_told_once(open_page: Opener, language: str) -> None:
    """The title tells it; neither the lines below it nor the banner do."""
    site = open_page.site
    site.live.do(requests.ChooseLanguage(language)).result(30)
    play = opened(open_page)
    names, robots = ("Ann", "Ben", "Cleo"), (styles_of("ciao")[0],) * 3
    with in_haste():
        site.live.do(requests.BeginGame("ciao", names, robots, {}, is_quick=True)).result(30)
        expect(play.page.locator("body[data-result]")).to_be_attached(timeout=WHOLE_GAME_S * 1000)
    winner = names[site.live.state["view"]["winners"][0]]
    title = play.page.locator("#result-title")
    expect(title).to_contain_text(winner)
    wins = title.inner_text().strip("\N{BLACK STAR} !")
    told = play.page.locator("#result-told")
    expect(told).to_contain_text(winner)  # has no cards left
    expect(told).not_to_contain_text(wins)
    for part in ("#news", "#banner-figure", "#banner-caption"):
        expect(play.page.locator(part)).to_be_hidden()


@pytest.fixture
def counted(folder: Path) -> Path:
    """The state folder of a table where Ann's hand is counted next; Ben is a robot."""
    table = Table(folder)
    best = styles_of("straw")[0]
    with in_haste():
        for table.seed in range(20):
            begin_for(table, "straw", (best, best))
            table.until(lambda: table.mat.view.phase == "scoring", WHOLE_GAME_S)
            if table.mat.view.turn == 0:
                break
    table.ask(requests.SeatRobot(1, None))
    assert table.mat.view.turn == 0
    table.close()
    return folder


def test_one_click_counts_ones_hand_and_the_result_tells_how_the_round_ended(
    browser: Browser, counted: Path
) -> None:
    with Site(counted) as site:
        play = opened(Opener(browser, site))
        play.page.evaluate(WATCH_RESULT)
        play.act("Count the hand").click()
        expect(play.page.locator("#result-points tbody tr")).to_have_count(1)
        assert play.page.evaluate("window.covered") is False  # the last play is seen first
        expect(play.page.locator("#result")).to_be_visible()
        expect(play.page.locator("#result-told li").first).not_to_be_empty()
        insist_in_every_language(site, play.page)


def test_the_result_begins_with_the_play_that_ended_the_round(open_page: Opener) -> None:
    robots = ("good", "good")
    begin_quickly = requests.BeginGame("straw", NAMES, robots, {}, is_quick=True)
    open_page.site.live.do(begin_quickly).result(30)
    play = opened(open_page)
    told = play.page.locator("#result-told li")
    points = play.page.locator("#result-points tbody tr")
    expect(points).not_to_have_count(0, timeout=90_000)
    expect(told.first).to_contain_text(re.compile("camel|loses the round"))
    assert not [line for line in told.all_text_contents() if re.search(r"\d", line)]


# Notes what the banner and the table show whenever the banner changes.
WATCH_COUNTING = """() => {
  const shown = (wanted) => document.querySelector(wanted);
  window.counting = [];
  new MutationObserver(() => window.counting.push([
    shown("#banner-hint").textContent,
    shown("#gauge").checkVisibility() && shown("#gauge").hasAttribute("data-over"),
    shown("#hands [data-hand=laid] h3").textContent,
  ])).observe(shown("#banner"), { childList: true, subtree: true, characterData: true });
}"""


def test_the_broken_camel_is_seen_while_the_hands_of_robots_are_counted(
    browser: Browser, tmp_path: Path
) -> None:
    """With cards of 8 only, the seventh breaks the camel's back, and it is Ann's."""
    with box_of(tmp_path, "straw", {"weight-8": 30}) as site:
        play = begun_with_robots(Opener(browser, site), "straw")
        load_camel(play)
        play.page.evaluate(WATCH_COUNTING)
        break_camel(play)
        expect(play.page.locator("#result")).to_be_visible()
        noted = play.page.evaluate("window.counting")
    counted = [(seen, title) for hint, seen, title in noted if "is counted" in hint]
    assert counted
    assert all(seen for seen, _ in counted)
    assert "Ben: 1 card = 8 points" in [title for _, title in counted]
    assert not any("points" in title and "thinking" in hint for hint, _, title in noted)


def box_of(folder: Path, game: str, counts: dict[str, int]) -> Site:
    """Return a table with a box of *game* that has only some kinds."""
    spread = (4, 4) if game == "cramel" else None
    decks = {game: write_small_box(folder, game, counts, spread)}
    return Site(folder / "state", config=replace(load_config(), decks=decks))


def begun_with_robots(open_page: Opener, game: str) -> PlayPage:
    """Begin *game* for Ann and two robots; return a page that shows it."""
    robots = (None, "good", "good")
    asked = requests.BeginGame(game, (*NAMES, "Cleo"), robots, {}, is_quick=True)
    open_page.site.live.do(asked).result(30)
    return opened(open_page)


def break_camel(play: PlayPage) -> None:
    """Play a card of 8 on 48. All cards of the hand are as heavy."""
    expect(play.hint).to_contain_text("Every card would break the camel's back.")
    play.playable.click()
    expect(play.hint).to_have_text("The 8 would break the camel's back. Play it anyway?")
    play.act("Play it anyway").click()


def load_camel(play: PlayPage) -> None:
    """Play cards of 8 until the camel carries 48 and it is Ann's turn."""
    for weight in (24, 48):
        play.playable.click()
        expect(play.page.locator("#banner-figure")).to_have_text(str(weight))
        expect(play.page.locator(".player[data-turn] .player-name")).to_have_text("Ann")


def test_the_result_says_once_what_ended_this_round(browser: Browser, tmp_path: Path) -> None:
    """Neither what was taken back nor the round before is in it, also on a new page."""
    with box_of(tmp_path, "straw", {"weight-8": 30}) as site:
        play = begun_with_robots(Opener(browser, site), "straw")
        told = play.page.locator("#result-told li")
        load_camel(play)
        break_camel(play)
        expect(told).to_have_text(["Ann breaks the camel's back.", "Ann deals next."])
        play.act("Take back").click()
        expect(play.hint).to_have_text("All hands were shown. Take it back anyway?")
        play.act("Leave it").click()
        expect(play.act("Next round")).to_be_visible()
        play.act("Take back").click()
        play.act("Take back").click()
        expect(play.page.locator("#result")).to_be_hidden()
        play.page.reload()
        break_camel(play)
        expect(told).to_have_text(["Ann breaks the camel's back.", "Ann deals next."])
        play.act("Next round").click()
        expect(play.page.locator("#result")).to_be_hidden()
        for weight in (16, 40):  # it stays until Ann plays
            expect(play.page.locator("#banner-figure")).to_have_text(str(weight))
            play.playable.click()
        play.act("Count the hand").click()
        expect(told).to_have_text(["Ben breaks the camel's back.", "Ben deals next."])
        play.page.reload()
        expect(told).to_have_text(["Ben breaks the camel's back.", "Ben deals next."])


def test_the_result_of_a_game_has_only_its_last_results(browser: Browser, tmp_path: Path) -> None:
    """In Cramel, every set that is won is a result."""
    with in_haste(), box_of(tmp_path, "cramel", {"roby": 16}) as site:
        play = opened(Opener(browser, site))
        robots = (styles_of("cramel")[0],) * 2
        site.live.do(requests.BeginGame("cramel", NAMES, robots, {}, is_quick=True)).result(30)
        expect(play.page.locator("#result")).to_be_visible(timeout=90_000)
        told = play.page.locator("#result-told li").all_inner_texts()
    assert told[0] == "There is nothing left to win."
    assert len(told) == 2


# The places of the names at the ends of a chart's lines, in a drawing of 220 units.
ENDS = """async (scores) => {
  const { pointsOf } = await import("/static/chart.js");
  const result = { hasRounds: false, scores, colours: ["", "", ""] };
  const [chart] = pointsOf(["Ann", "Ben", "Cem"], [], result);
  return [...chart.querySelectorAll("text[class]:not([class=''])")].map(({ attributes }) =>
    Number(attributes.y.value));
}"""


def test_no_name_in_the_chart_is_cut(open_page: Opener) -> None:
    """Names that would cover each other at the bottom do not push out the one at the top."""
    ends = opened(open_page).page.evaluate(ENDS, [[0, 0, 0], [0, 23, 0]])
    assert len(ends) == len({*ends}) == 3
    assert min(ends) > CHART_TEXT
    assert max(ends) < CHART_HEIGHT


@pytest.mark.long
def test_a_robots_hand_is_counted_slowly_enough_to_follow(table: Table) -> None:
    """Time to read what broke the camel's back, and then each hand's points before the next."""
    best = styles_of("straw")[0]
    table.ask(requests.BeginGame("straw", (*NAMES, "Cleo"), (best, best, best), {}))
    with in_haste():
        table.until(lambda: table.mat.view.phase == "scoring", WHOLE_GAME_S)
    first = table.mat.view.turn
    assert table.until(lambda: any(n is not None for n in table.mat.view.counted)) > HAND_S
    took_s = table.until(lambda: table.mat.view.turn != first)
    assert took_s < 3 * (THINKS_S + LIES_S)  # less than three cards in play
    done = table.mat.view.counted
    assert table.until(lambda: table.mat.view.counted != done) > HAND_S


def played_out(folder: Path, game: str, config: TableConfig) -> None:
    """Let two robots play *game* to its end."""
    folder.mkdir()
    table = Table(folder, config=config)
    best = styles_of(game)[0]
    begin_for(table, game, (best, best))
    with in_haste():
        table.until(lambda: is_over(table), WHOLE_GAME_S)
    table.close()


def test_players_who_share_the_win_are_named(browser: Browser, tmp_path: Path) -> None:
    """With these cards nobody can break the camel's back, so nobody scores."""
    box = write_small_box(tmp_path, "straw", {"weight-2": 8}, None)
    config = replace(load_config(), decks={"straw": box})
    played_out(tmp_path / "state", "straw", config)
    with Site(tmp_path / "state", config=config) as site:
        shown = opened(Opener(browser, site)).page.locator("#result")
        expect(shown.get_by_role("heading")).to_have_text("★ Ann and Ben share the win!")


def test_lines_have_the_players_own_colours_and_their_own_dashes(
    browser: Browser, tmp_path: Path
) -> None:
    played_out(tmp_path / "state", "riff-raff", load_config())
    with Site(tmp_path / "state") as site:
        lines = opened(Opener(browser, site)).page.locator("#result .chart polyline")
        expect(lines).to_have_count(2)
        colours, dashes = zip(*lines.evaluate_all(STROKES), strict=True)
    [red, blue] = [Colour(*map(float, re.findall(r"[.\d]+", colour)[:3])) for colour in colours]
    assert red.r > 2 * red.b
    assert blue.b > 2 * blue.r
    assert len(set(dashes)) == 2
