"""Tests of a race in Play: its countdown, and its photo finish. Ciao! has races."""

import re
from importlib.resources import files
from unittest.mock import patch

import pytest
from playwright.sync_api import expect

from engines.common.pieces import Piece
from sim.deal import requests
from sim.deal.seats import COUNTDOWN_S
from sim.players.levels import styles_of
from tests.engines.ciao_table import DECK
from tests.sim.web.browser import Opener, Site
from tests.sim.web.ciao_people import holding
from tests.sim.web.test_play import PlayPage, opened
from tests.sim.web.test_seats_ciao import beats

pytestmark = pytest.mark.browser

NAMES = ("Ann", "Ben", "Cleo")
PATIENCE_S = 30.0
SEEDS = range(200)
ROBOT = styles_of("ciao")[0]
# The cards and buttons that the box of the race covers.
UNDER_RACE = """() => {
  const box = (element) => element.getBoundingClientRect();
  const photo = box(document.querySelector("#race"));
  return [...document.querySelectorAll(".hand, .card, button")]
    .filter((element) => element.checkVisibility())
    .filter((element) => {
      const { left, top, right, bottom } = box(element);
      const isBeside = right <= photo.left || left >= photo.right;
      return !isBeside && bottom > photo.top && top < photo.bottom;
    })
    .map((element) => element.getAttribute("aria-label") || element.className);
}"""


# The frames of the cards in the open hand.
FRAMES = """() => [...document.querySelectorAll('[data-turn] button.card .paper')]
  .map((paper) => getComputedStyle(paper).strokeWidth)"""
# Keeps every prompt of the banner with its buttons.
WATCH_BANNER = """() => {
  window.banners = [];
  const banner = document.querySelector("#banner");
  const part = (id) => document.querySelector(id).innerText;
  const note = () => window.banners.push(part("#banner-hint") + part("#banner-acts"));
  const all = { subtree: true, childList: true, characterData: true };
  new MutationObserver(note).observe(banner, all);
}"""


def is_speed(tag: str) -> bool:
    return DECK.by_name[Piece.parse(tag.partition("/")[2]).kind].traits["special"] == "speed"


def begin_with_speed(site: Site, robots: tuple[str | None, ...]) -> str:
    """Begin a game in which Ann may play a speed card at once, and return the card."""
    for seed in SEEDS:
        with patch("sim.web.live.secrets.randbits", return_value=seed):
            begin = requests.BeginGame("ciao", NAMES, robots, {})
            site.live.do(begin).result(PATIENCE_S)
            site.live.do(requests.CoverHand()).result(PATIENCE_S)
        found = [tag for tag in site.live.state["deal"]["playable"] if is_speed(tag)]
        if found:
            return str(found[0])
    raise AssertionError("Ann never has a speed card at the beginning")


def raced(
    open_page: Opener,
    robots: tuple[str | None, ...],
    screen: tuple[int, int] = (1280, 800),
) -> PlayPage:
    """Return a page on which Ann has just played a speed card."""
    speed = begin_with_speed(open_page.site, robots)
    play = opened(open_page, screen)
    play.card(speed).click()
    expect(play.page.locator("#race")).to_contain_text("Race!")
    return play


def played(open_page: Opener) -> int:
    """Return the number of the last play."""
    return int(open_page.site.live.state["view"]["played"]["n"])


def show_hand(play: PlayPage, name: str) -> None:
    play.page.get_by_role("button", name=re.compile(f"Show {name}.s hand")).click()


def test_a_race_has_a_countdown_in_which_no_card_is_played(open_page: Opener) -> None:
    play = raced(open_page, (None, None, None))
    show_hand(play, "Ben")
    expect(play.hint).to_contain_text("Get ready: the race begins at “Go!”.")
    assert play.page.evaluate(UNDER_RACE) == []
    expect(play.page.locator("[data-turn] button.card").first).to_be_visible()
    assert len({*play.page.evaluate(FRAMES)}) == 1
    before = played(open_page)
    tag = play.playable.get_attribute("data-tag")
    play.playable.click()
    play.playable.press("Enter")
    expect(play.page.locator("#race")).to_contain_text("Go!")
    assert played(open_page) == before
    play.card(tag).click()
    expect(play.newest).to_have_attribute("data-tag", tag or "")


def test_a_player_without_a_rival_gets_no_photo_and_nobody_is_asked_whose_card_it_was(
    open_page: Opener,
) -> None:
    play = raced(open_page, (None, None, None))
    show_hand(play, "Ben")
    expect(play.page.locator("#race")).to_contain_text("Go!")
    play.page.evaluate(WATCH_BANNER)
    play.playable.click()
    finish = play.page.locator("body[data-race=finish]")
    expect(finish).to_be_visible()
    expect(play.page.locator("#race")).to_have_text("Ben wins the race!")
    shown = play.page.evaluate("window.banners")
    assert shown
    assert not [text for text in shown if "Whose" in text]
    expect(finish).to_have_count(0)  # no card is late any more
    expect(play.page.locator("#news [data-result]")).to_contain_text("Ben wins the race!")
    expect(play.hint).not_to_be_empty()
    play.playable.click()
    expect(play.page.locator("#news")).not_to_contain_text("wins the race")  # it is old


def test_after_a_race_only_cards_that_beat_the_top_one_are_lit(open_page: Opener) -> None:
    play = raced(open_page, (None, None, None))
    show_hand(play, "Cleo")
    expect(play.page.locator("#race")).to_contain_text("Go!")
    play.playable.click()
    expect(play.page.locator("body[data-race=finish]")).to_be_visible()
    expect(play.hint).to_contain_text("Ann")  # and Ben's card would be too late
    state = open_page.site.live.state
    top = Piece.parse(state["deal"]["laid"][-1].partition("/")[2])
    hand = [tag for hand in state["deal"]["hands"] for tag in hand if tag]
    lit = {tag for tag in hand if beats(Piece.parse(tag.partition("/")[2]), top)}
    assert hand
    assert set(state["deal"]["playable"]) == lit
    assert set(state["deal"]["costs"]) >= {tag for tag in {*hand} - lit if "obstacle" not in tag}


@pytest.mark.parametrize("screen", [(320, 568), (844, 390), (1280, 800)], ids=str)
def test_robots_wait_for_the_countdown_and_a_late_player_is_in_the_photo(
    open_page: Opener, screen: tuple[int, int]
) -> None:
    """The photo tells who was first, covers no card and no button, and goes away by itself."""
    play = raced(open_page, (None, None, ROBOT), screen)
    began = played(open_page)
    open_page.site.live.do(requests.SeatRobot(1, ROBOT)).result(PATIENCE_S)  # Ben plays alone
    expect(play.page.locator("#race")).to_contain_text("Go!")
    assert played(open_page) == began
    expect(play.page.locator("body[data-race=finish]")).to_be_visible()
    arrivals = play.page.locator(".race-finish li")
    won = played(open_page)
    assert won > began
    play.page.locator('[data-hand="hand-1"] button.card').first.click()
    expect(arrivals).to_have_count(2)
    assert play.page.evaluate(UNDER_RACE) == []
    expect(arrivals.first).to_contain_text(re.compile(r"Cleo \d\.\d\d sec"))
    expect(arrivals.last).to_contain_text(re.compile(r"Ben \+\d\.\d\d sec"))
    assert played(open_page) == won
    expect(arrivals).to_have_count(0)


def test_a_race_that_a_page_opens_in_the_middle_of_has_no_countdown(open_page: Opener) -> None:
    play = raced(open_page, (None, None, None))
    show_hand(play, "Ben")
    play.page.reload()
    expect(play.hint).to_contain_text("Race")
    show_hand(play, "Ben")
    expect(play.page.locator("#race")).to_be_empty()
    tag = play.playable.get_attribute("data-tag")
    play.card(tag).click()
    expect(play.newest).to_have_attribute("data-tag", tag or "")


def test_a_person_among_robots_is_told_what_the_race_means_to_them(open_page: Opener) -> None:
    play = raced(open_page, (None, ROBOT, ROBOT))
    expect(play.page.locator("#race")).to_contain_text("Go!")
    expect(play.hint).to_have_text("The others race now.")
    assert play.buttons == ["Take back"]


def test_the_pages_count_as_long_as_the_robots_wait() -> None:
    source = (files("sim.web") / "static" / "race.js").read_text(encoding="utf-8")
    steps, step_ms = (
        int(re.search(rf"const {name} = (\d+);", source)[1])  # type: ignore[index]
        for name in ("STEPS", "STEP_MS")
    )
    assert steps * step_ms == COUNTDOWN_S * 1000


def test_people_who_race_at_one_page_first_look_at_their_hands(
    open_page: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    racing, _, speed = holding("speed")
    monkeypatch.setattr("sim.web.live.secrets.randbits", lambda bits: racing.seed)
    begins = requests.BeginGame("ciao", NAMES, (None,) * 3, {}, hands_over=True)
    open_page.site.live.do(begins).result(PATIENCE_S)
    play = opened(open_page)
    play.act("Show Ann\u2019s hand").click()
    play.page.locator(f'[data-tag="ciao/{speed}"]').first.click()
    expect(play.hint).to_contain_text("Show your own hand, and play if you can.")
    nobody = play.act("Nobody can")
    expect(nobody).to_have_class("act quiet")
    play.page.get_by_role("button", name="Show Ben\u2019s hand").click()
    expect(play.hand).to_have_count(7)
    expect(play.page.get_by_role("button", name="Show Cleo\u2019s hand")).to_be_visible()


def test_who_gives_a_card_away_at_a_shared_page_shows_the_hand_and_it_is_covered_again(
    open_page: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    giving, _, give = holding("give")
    monkeypatch.setattr("sim.web.live.secrets.randbits", lambda bits: giving.seed)
    begins = requests.BeginGame("ciao", NAMES, (None,) * 3, {}, hands_over=True)
    open_page.site.live.do(begins).result(PATIENCE_S)
    play = opened(open_page)
    play.act("Show Ann\u2019s hand").click()
    play.page.locator(f'[data-tag="ciao/{give}"]').first.click()
    play.act("Ben").click()
    choices = play.page.locator(".choice")
    expect(choices).to_have_count(6)
    other = opened(open_page)
    expect(other.hint).to_have_text("Pass the screen to Ann.")
    expect(other.page.locator(".choice, #hands [data-hand^=hand] button.card")).to_have_count(0)
    choices.first.click()
    expect(choices).to_have_count(0)
    expect(play.hint).to_contain_text("say thank you aloud")
    expect(play.hand).to_have_count(0)
