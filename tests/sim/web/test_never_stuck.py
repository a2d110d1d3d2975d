"""Tests that a game never stands still: a robot acts, or the page offers something to people."""

from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from engines.common.contract import Choice
from firmware.table.announcements import ROUND_OVER
from sim.deal import requests
from sim.deal.layout import HandAct
from sim.mat.mat import CannotDo
from sim.players.levels import LEVELS, styles_of
from sim.robots.games import OURS
from tests.effort import long_unless
from tests.sim.web.browser import Opener, Site
from tests.sim.web.ciao_people import dealt
from tests.sim.web.test_play import PlayPage, opened
from tests.sim.web.test_seats import Table
from tests.sim.web.test_seats_ciao import holds

QUICKLY: dict[str, Any] = {"THINKS_S": 0.1, "READS_S": 0.1, "LIES_S": 0.3, "YIELDS_S": 0.2}
MOST_ACTS = 150
WITHIN_S = 20.0  # robots act again after a failure


# --- any state of any game ------------------------------------------------------------------------


def is_offered(view: Mapping[str, Any], deal: Mapping[str, Any]) -> bool:
    """Return True if the page offers something to people in this state, besides *take back*."""
    people = [seat for seat, robot in enumerate(deal["robots"]) if robot is None]
    is_mine = any(seat in (*view["active"], *deal.get("others", ())) for seat in people)
    ship = deal.get("ship") or {"movable": [], "canReport": False}
    is_asked = deal.get("mover") is not None  # whether a tile moves or stays
    buttons = view["choices"] or view["ok"] or view["action"] or ship["canReport"] or is_asked
    return bool(buttons) or (is_mine and any(ask.startswith("tap") for ask in view["asks"]))


def act_for(table: Table, seat: int, chance: Random) -> bool:
    """Let the person in *seat* do what a robot would do there; return False if that is nothing."""
    view, robots = table.mat.view, OURS[table.deal_shown["game"]]
    scene = table.live._deck.scene(seat, view)
    assert robots.from_scene is not None
    books = robots.from_scene(scene)
    act = None if books is None else robots.styles[chance.choice(robots.fair)](books, chance)
    if act is None or act.seat != seat:
        return False
    doing = table.live._seats._request_for(act, view.names)
    table.live._handle_from_page(doing.begin)  # a robot's tile may still lie there
    table.wait(0.4)
    if doing.end is not None:
        table.ask(doing.end)
    return True


def act_as_offered(table: Table, chance: Random) -> None:
    """Let people use a button, or play a piece, that the page offers."""
    view, deal = table.live.state["view"], table.deal_shown
    if deal.get("mover") is not None:
        table.ask(HandAct("move", {"from": deal["movable"], "to": deal["movable"]}))
    elif view["choices"]:
        table.ask(requests.ChooseItem(chance.choice(view["choices"]["items"])[0]))
    elif view["ok"] or view["action"]:
        table.press("ok" if view["ok"] else "action")
    else:
        table.tap(chance.choice(deal["playable"]))


def situation(table: Table) -> object:
    """Return what changes when anybody acts, or when robots give up."""
    table.live._publish()
    is_robots_turn = table.live.state["view"]["isRobotsTurn"]
    is_acting = table.live._seats.is_acting
    return table.record.inputs, table.live._deck.decided, is_robots_turn, is_acting


def until_changed(table: Table, before: object) -> None:
    table.until(lambda: situation(table) != before, WITHIN_S)


@pytest.mark.parametrize(
    ("game", "players", "people", "seed", "options"),
    long_unless(
        lambda case: case[0] == "straw",
        [
            ("ciao", 3, {1}, 8, {"scoring": "on", "rounds": "2", "name-specials": "on"}),
            ("ciao", 4, {0, 3}, 3, {}),
            ("straw", 3, {2}, 2, {}),
            ("cramel", 3, {0}, 3, {}),
            ("camargue", 3, {1}, 4, {}),
            ("riff-raff", 4, {0, 2}, 5, {}),
            ("riff-raff", 3, {1}, 6, {"tagged-cargo": "on"}),
        ],
    ),
)
def test_in_every_state_a_robot_acts_or_people_can(
    table: Table, game: str, players: int, people: set[int], seed: int, options: dict[str, str]
) -> None:
    table.seed, chance, styles = seed, Random(seed), styles_of(game)
    table.live._person.start(game, tuple(table.live.config.names[:players]), None, options)
    robots = {n + 1: styles[n % len(styles)] for n in range(players) if n not in people}
    with patch.multiple("sim.deal.seats", **QUICKLY):
        table.deal(game, players, robots, is_hot_seat=False)
        for _ in range(MOST_ACTS):
            before, view = situation(table), table.live.state["view"]
            if view["winners"]:
                return
            is_race = view["turn"] is None and chance.random() < 0.5
            if view["isRobotsTurn"] or (is_race and table.live._seats.is_acting):
                until_changed(table, before)
                continue
            assert is_offered(view, table.deal_shown), f"nobody can act: {view}"
            seats = chance.sample(sorted(people), len(people))
            if not any(act_for(table, seat, chance) for seat in seats):
                act_as_offered(table, chance)
            table.wait(0.4)
            if chance.random() < 0.05:
                take_back(table)


def take_back(table: Table) -> None:
    try:
        table.live._handle_from_page(requests.TakeBack())
    except CannotDo:  # no person has played yet
        return


# --- robots that fail -----------------------------------------------------------------------------


def fails(books: object, chance: Random) -> None:
    raise AssertionError("the books know no such card")


def test_people_answer_for_a_robot_that_fails(table: Table) -> None:
    """Ann gives Ben a card, and he should say thanks."""
    people, hands = dealt(lambda hands: holds(hands[0], "give"))
    table.seed = people.seed
    with patch.dict(OURS["ciao"].styles, {"careful": fails}):
        table.deal("ciao", 3, {2: "careful"}, is_hot_seat=False)
        give = next(piece for piece in hands[0] if holds([piece], "give"))
        table.tap(f"ciao/{give}")
        table.ask(requests.ChooseItem("Ben"))
        table.wait(1)
        view = table.live.state["view"]
        assert (view["phase"], view["active"]) == ("thanks", [1])
        assert not view["isRobotsTurn"]
        table.ask(requests.ChooseItem("thanked"))
    assert table.record.inputs[-1] == Choice("thanked")


@pytest.mark.long
def test_people_play_for_a_robot_whose_acts_have_no_effect(table: Table) -> None:
    table.deal("straw", 2, {1: "good"})
    assert table.live.state["view"]["isRobotsTurn"]
    table.ask(requests.SetFault("reader-dead", "play"))
    table.wait(60)
    assert not table.live.state["view"]["isRobotsTurn"]
    table.ask(requests.SetFault("none", "play"))
    table.wait(0.5)
    assert table.live.state["view"]["isRobotsTurn"]
    table.until(table.done(1))


# --- the page -------------------------------------------------------------------------------------

AGAIN_MS = 600  # after that, an impatient person clicks again


class SlowNetwork:
    """The network of *page*: while ``is_slow``, it keeps what the server sends."""

    def __init__(self, page: Page) -> None:
        self.is_slow = False
        self._page: WebSocketRoute | None = None
        self._kept: list[str | bytes] = []
        page.route_web_socket("**/ws", self._connect)

    def deliver(self) -> None:
        """Be quick again, and deliver what was kept."""
        self.is_slow = False
        for message in self._kept:
            self._send(message)
        self._kept.clear()

    def _connect(self, route: WebSocketRoute) -> None:
        self._page = route
        route.connect_to_server().on_message(self._receive)

    def _receive(self, message: str | bytes) -> None:
        if self.is_slow:
            self._kept.append(message)
        else:
            self._send(message)

    def _send(self, message: str | bytes) -> None:
        assert self._page is not None, "the page has connected"
        self._page.send(message)


@pytest.mark.browser
@pytest.mark.parametrize("is_slow", [False, True])
def test_people_begin_the_next_round_if_a_robot_is_the_next_dealer(
    browser: Browser, folder: Path, is_slow: bool
) -> None:
    """Somebody who clicks again, because the network is slow, does not answer in the new round."""
    table = Table(folder)
    with patch.multiple("sim.deal.seats", **QUICKLY):
        table.deal("straw", 2, {1: "good", 2: "good"})
        table.until(lambda: table.mat.view.phase == ROUND_OVER, 300)
    turn = table.mat.view.turn
    assert turn is not None
    table.ask(requests.SeatRobot(2 - turn, None))
    table.close()
    with Site(folder) as site:
        opener = Opener(browser, site)
        blank = opener.blank()
        network = SlowNetwork(blank.page)
        play = PlayPage(blank.page, site.address)
        expect(play.act("Next round")).to_be_visible()
        network.is_slow = is_slow
        play.act("Next round").click()
        if is_slow:
            play.page.wait_for_timeout(AGAIN_MS)
            play.act("Next round").click()
            play.page.wait_for_timeout(AGAIN_MS)
            network.deliver()
        expect(play.page.locator("body[data-result]")).to_have_count(0)
        expect(play.playable).to_be_visible()
        expect(play.act("End this game")).to_have_count(0)
        opener.contexts[0].close()
    assert opener.wrong == [[]]


@pytest.mark.browser
def test_people_answer_on_the_page_for_a_robot_that_fails(open_page: Opener) -> None:
    with patch.dict(LEVELS["straw"], {"good": fails}):
        site = open_page.site
        ask = requests.BeginGame("straw", ("Ann", "Ben"), ("good", None), {})
        site.live.do(ask).result(30)
        play = opened(open_page)
        expect(play.hint).to_contain_text("Ann")
        expect(play.act("Can't play")).to_be_visible()
