"""Tests of robots in seats of the virtual table, in the mat's own time."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest

from engines.common.contract import Press, Tap
from engines.common.pieces import Piece
from firmware.config.table_config import TableConfig, load_config
from firmware.journal.journal import GameRecord
from sim.deal import requests
from sim.deal.layout import HandAct
from sim.deal.seats import LESSON_S, LIES_S, THINKS_S, YIELDS_S
from sim.deal.transitions import shuffle
from sim.mat.mat import CannotDo, Mat
from sim.players.levels import LEVELS, choose, styles_of
from sim.robots.cramel.books import BOX
from sim.robots.games import OURS
from sim.robots.scene import HandsScene, SpreadScene
from sim.web.command import CannotSit, run_sim
from sim.web.live import LiveMat
from tests.effort import long_unless
from tests.sim.web.messages import check_news

SEED = 29
SLACK_S = 0.5  # for the loop's passes and the reading of a card
WHOLE_GAME_S = 4000.0


class Table:
    """A virtual table without a thread or a page; its time is the virtual clock's."""

    def __init__(
        self, folder: Path, seed: int = SEED, *, config: TableConfig | None = None
    ) -> None:
        self.live = LiveMat(config or load_config(), folder, check_news)
        self.mat: Mat = self.live._mat
        self.mat.power_on()
        self.live._publish()
        self.seed = seed

    def ask(self, ask: requests.Request) -> None:
        """Handle a request from a page."""
        self.live._handle(ask)
        self.live._publish()

    def deal(self, game: str, players: int, robots: dict[int, str], **how: bool) -> None:
        """Deal *game*, and put *robots* (style by seat, from 1) into their seats."""
        with patch("sim.web.live.secrets.randbits", return_value=self.seed):
            self.ask(requests.DealCards(game, players, how.get("is_hot_seat", True)))
        for seat, style in robots.items():
            self.ask(requests.SeatRobot(seat, style))

    @property
    def now_s(self) -> float:
        return self.mat.board.clock.now()

    @property
    def record(self) -> GameRecord:
        record = self.live._record()
        assert record is not None
        return record

    @property
    def deal_shown(self) -> dict[str, Any]:
        shown: dict[str, Any] = self.live.state["deal"]
        return shown

    @property
    def lying(self) -> list[str]:
        lying: list[str] = self.live.state["lying"]["play"]
        return lying

    def wait(self, seconds: float) -> None:
        until_s = self.now_s + seconds
        while self.now_s < until_s:
            self.live._pass()

    def until(self, happened: Callable[[], bool], within_s: float = 60.0) -> float:
        """Run until *happened* returns True; return the seconds it took."""
        start_s = self.now_s
        while not happened():
            assert self.now_s < start_s + within_s, "it never happens"
            self.live._pass()
        return self.now_s - start_s

    def done(self, inputs: int) -> Callable[[], bool]:
        return lambda: len(self.record.inputs) == inputs

    def tap(self, tag: str) -> None:
        self.ask(requests.Lay((tag,), "play"))
        self.wait(LIES_S)
        self.ask(requests.Lift((tag,), "play"))

    def press(self, button: str) -> None:
        self.mat.press(button)

    def close(self) -> None:
        self.mat.close()


# --- whole games ----------------------------------------------------------------------------------


@pytest.mark.parametrize("game", long_unless(lambda game: game == "straw", filter(styles_of, OURS)))
def test_robots_play_a_whole_game_among_themselves(table: Table, game: str) -> None:
    best = styles_of(game)[0]
    with patch.multiple("sim.deal.seats", THINKS_S=0.1, READS_S=0.1, LIES_S=0.3):
        table.deal(game, 2, {1: best, 2: best})
        table.until(lambda: bool(table.mat.view.winners), WHOLE_GAME_S)
    assert not list(table.mat.refused)


@pytest.fixture
def without_robots() -> Iterator[None]:
    """Robots for Straw that can only play among themselves."""
    with patch.dict(OURS, {"straw": replace(OURS["straw"], from_scene=None)}):
        yield


@pytest.mark.usefixtures("without_robots")
def test_games_that_robots_cannot_sit_at_are_refused_and_said(table: Table) -> None:
    assert styles_of("straw") == ()
    table.deal("straw", 2, {})
    with pytest.raises(CannotDo, match="robots cannot play straw together with people yet"):
        table.ask(requests.SeatRobot(1, "good"))


# --- one turn -------------------------------------------------------------------------------------


def test_it_acts_when_people_could_follow_and_its_card_lies_there(table: Table) -> None:
    table.deal("straw", 3, {1: "careful"})
    assert table.mat.view.turn == 0
    assert THINKS_S <= table.until(lambda: bool(table.lying)) < THINKS_S + SLACK_S
    hand = table.deal_shown["hands"][0]
    table.until(table.done(1))
    assert table.lying == table.deal_shown["laid"] == [f"straw/{_last(table).piece}"]
    assert table.until(lambda: not table.lying) < LIES_S + SLACK_S
    assert hand == [None] * 4  # a robot's hand is not visible
    table.until(lambda: table.mat.view.turn == 1)
    done = len(table.record.inputs)
    table.wait(2 * YIELDS_S)
    assert len(table.record.inputs) == done  # the other players are people


@pytest.mark.parametrize(("is_lesson", "more_s"), [(False, 0.0), (True, LESSON_S)])
def test_it_waits_longer_after_a_lesson(table: Table, is_lesson: bool, more_s: float) -> None:
    table.live._person.start("straw", ("Ann", "Ben"), None, {}, is_lesson=is_lesson)
    table.deal("straw", 2, {1: "careful"})
    waited_s = table.until(lambda: bool(table.lying))  # the game begins with lessons
    assert THINKS_S + more_s - SLACK_S <= waited_s < THINKS_S + more_s + SLACK_S


def _last(table: Table) -> Tap:
    given = table.record.inputs[-1]
    assert isinstance(given, Tap)
    return given


def test_the_only_person_sees_the_own_hand_at_all_times(table: Table) -> None:
    table.deal("straw", 3, {1: "good", 3: "careful"})
    hidden = [all(tag is None for tag in hand) for hand in table.deal_shown["hands"]]
    assert hidden == [True, False, True]
    assert table.deal_shown["robots"] == ["good", None, "careful"]
    table.ask(requests.SeatRobot(1, None))
    assert table.deal_shown["robots"] == [None, None, "careful"]
    table.ask(requests.SeatRobot(2, "good"))
    table.until(table.done(0))
    assert [hand[0] is None for hand in table.deal_shown["hands"]] == [False, True, True]


def test_it_names_a_number_where_the_list_asks_for_one(table: Table) -> None:
    table.deal("straw", 2, {1: "specials first", 2: "specials first"})
    table.until(lambda: table.mat.view.phase == "lamp", WHOLE_GAME_S)
    before = len(table.record.inputs)
    table.until(table.done(before + 1))
    assert not list(table.mat.refused)


# --- people act for robots ------------------------------------------------------------------------


def test_it_waits_while_a_person_has_a_list_open(table: Table) -> None:
    table.deal("straw", 2, {1: "good"})
    table.press("ok")
    table.wait(THINKS_S + YIELDS_S)
    assert table.mat.view.choices is not None
    assert table.record.inputs == ()
    table.press("back")
    table.until(table.done(1))


def test_a_person_may_play_for_it_and_take_that_back(table: Table) -> None:
    table.deal("straw", 2, {1: "good"}, is_hot_seat=False)
    card = next(tag for tag in table.deal_shown["hands"][0] if "weight" in tag)
    table.tap(card)
    table.wait(2 * THINKS_S)
    assert len(table.record.inputs) == 1
    assert not table.lying
    table.press("back")
    table.live._publish()
    assert table.until(table.done(1)) > YIELDS_S - SLACK_S


def test_quick_robots_make_short_pauses_also_after_a_restart(table: Table) -> None:
    table.ask(requests.BeginGame("straw", ("Ann", "Ben"), ("good", None), {}, is_quick=True))
    assert table.until(table.done(1)) < THINKS_S
    assert table.until(lambda: not table.lying) < LIES_S
    table.ask(requests.SetPower(is_on=False))
    table.ask(requests.SetPower(is_on=True))
    table.press("back")
    assert table.until(table.done(1)) < YIELDS_S / 2


def test_a_persons_answer_counts_while_a_robots_finger_is_on_the_button(table: Table) -> None:
    table.deal("straw", 2, {2: "good"})
    table.ask(requests.HoldButton("ok"))
    table.live._seats._ending = requests.ReleaseButton("ok"), table.now_s + 60
    table.tap("straw/lamp#1")
    table.live._handle_from_page(requests.ChooseItem("7"))
    table.wait(SLACK_S)
    assert table.mat.view.headline == "7"


@pytest.mark.long
def test_after_an_undo_a_person_has_time_to_take_back_more(table: Table) -> None:
    table.deal("straw", 2, {2: "good"})
    own = next(tag for tag in table.deal_shown["hands"][0] if "weight" in tag)
    table.tap(own)
    table.until(table.done(2))
    table.until(lambda: not table.lying)
    table.press("back")
    table.wait(YIELDS_S / 2)
    assert table.done(1)()
    table.press("back")
    table.wait(2 * YIELDS_S)
    assert table.done(0)()
    assert table.mat.view.turn == 0
    assert own in table.deal_shown["hands"][0]


@pytest.mark.long
def test_a_robot_that_is_sent_away_does_nothing_more(table: Table) -> None:
    table.deal("straw", 2, {1: "good", 2: "good"})
    table.until(lambda: bool(table.lying))
    table.ask(requests.SeatRobot(1, None))
    table.ask(requests.SeatRobot(2, None))
    table.until(lambda: not table.lying)  # the robot's card does not stay on the mat
    done = len(table.record.inputs)
    table.wait(2 * YIELDS_S)
    assert len(table.record.inputs) == done
    table.ask(requests.SeatRobot(2, "good"))
    table.until(table.done(done + 1))


def test_cards_that_are_put_away_leave_robots_without_a_seat(table: Table) -> None:
    table.deal("straw", 2, {1: "good"})
    table.ask(requests.GatherCards())
    table.wait(2 * THINKS_S)
    assert table.record.inputs == ()
    with pytest.raises(CannotDo, match="nothing is dealt"):
        table.ask(requests.SeatRobot(1, "good"))


@pytest.mark.parametrize(
    ("seat", "style", "why"),
    [(3, "good", "nobody sits at seat 3"), (1, "wise", 'no robot has the level "wise"')],
)
def test_what_cannot_sit_is_refused(table: Table, seat: int, style: str, why: str) -> None:
    table.deal("straw", 2, {})
    with pytest.raises(CannotDo, match=why):
        table.ask(requests.SeatRobot(seat, style))


# --- faults ---------------------------------------------------------------------------------------


def test_the_plug_may_be_pulled_while_its_card_lies_there(table: Table) -> None:
    table.deal("straw", 2, {1: "good", 2: "good"})
    table.until(lambda: bool(table.lying))
    table.ask(requests.SetPower(False))
    table.wait(YIELDS_S)
    assert not table.lying
    table.ask(requests.SetPower(True))
    done = len(table.record.inputs)
    table.until(table.done(done + 2))


@pytest.mark.long
def test_it_goes_on_when_a_lost_reader_is_back(table: Table) -> None:
    table.deal("straw", 2, {1: "good"})
    table.ask(requests.SetFault("reader-dead", "play"))
    table.wait(60)
    assert table.record.inputs == ()
    assert not table.lying
    table.ask(requests.SetFault("none", "play"))
    table.until(table.done(1))


def test_robots_sit_where_they_sat_after_a_restart(folder: Path) -> None:
    first = Table(folder)
    first.deal("straw", 3, {2: "good", 3: "breaker"})
    first.close()
    again = Table(folder)
    assert again.deal_shown["robots"] == [None, "good", "breaker"]
    again.close()


def test_a_robot_nobody_knows_any_more_does_nothing(folder: Path) -> None:
    first = Table(folder)
    first.deal("straw", 2, {1: "good"})
    first.close()
    file = folder / "deal.json"
    kept = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**kept, "robots": [[0, "wise"]]}), encoding="utf-8")
    again = Table(folder)
    again.wait(2 * THINKS_S)
    assert again.record.inputs == ()
    again.close()


def test_one_that_fails_leaves_its_turn_to_people(table: Table) -> None:
    def fails(books: object, chance: Random) -> None:
        raise AssertionError("the books know no such card")

    with patch.dict(LEVELS["straw"], {"good": fails}):
        table.deal("straw", 2, {1: "good"}, is_hot_seat=False)
        table.wait(2 * THINKS_S)
        table.tap(table.deal_shown["hands"][0][0])
    assert len(table.record.inputs) == 1


# --- knowledge of robots --------------------------------------------------------------------------


def test_of_cards_a_scene_has_the_own_hand_alone(table: Table) -> None:
    table.deal("straw", 3, {}, is_hot_seat=False)
    table.tap(next(tag for tag in table.deal_shown["hands"][0] if "weight" in tag))
    table.live._publish()
    scene = table.live._deck.scene(1, table.mat.view)
    assert isinstance(scene, HandsScene)
    assert [f"straw/{card}" for card in scene.hand] == table.deal_shown["hands"][1]
    assert [f"straw/{card}" for card in scene.laid] == table.deal_shown["laid"]
    assert scene.headline == table.mat.view.headline


def test_of_tiles_a_scene_has_places_alone_until_everybody_has_seen_them(table: Table) -> None:
    table.deal("cramel", 2, {})
    table.tap("cramel/@17")
    table.press("action")
    table.live._publish()
    scene = table.live._deck.scene(1, table.mat.view)
    assert isinstance(scene, SpreadScene)
    known = {at for at, tile in enumerate(scene.spread, 1) if tile and not tile.startswith("@")}
    assert known <= {17}
    assert scene.spread[0] == "@1"


def _bloomed(table: Table, robot: int) -> None:
    """Let Ann take a Roby and Ben turn over Mrs. Bloom; *robot*'s seat, from 1, is a robot's."""
    table.deal("cramel", 2, {})
    places = [str(tile) for tile in shuffle(table.record.start.deck, Random(table.seed))]
    table.tap(f"cramel/@{places.index('roby#1') + 1}")
    table.press("action")
    table.ask(requests.SeatRobot(robot, "rememberer"))
    table.tap(f"cramel/@{places.index('bloom#1') + 1}")


def test_a_robot_waits_while_a_person_may_move_mrs_bloom(table: Table) -> None:
    _bloomed(table, 1)
    shown = table.deal_shown
    assert shown["mover"] == 1
    inputs = len(table.record.inputs)
    table.wait(THINKS_S * 4)
    assert len(table.record.inputs) == inputs
    stays = {"from": shown["movable"], "to": shown["movable"]}
    table.ask(HandAct("move", stays))
    assert (table.deal_shown["mover"], table.deal_shown["places"]) == (None, shown["places"])
    table.wait(THINKS_S * 4)
    assert len(table.record.inputs) > inputs


def test_nobody_moves_mrs_bloom_for_a_robot(table: Table) -> None:
    _bloomed(table, 2)
    assert (table.deal_shown["mover"], table.deal_shown["movable"]) == (None, None)


@pytest.mark.parametrize("style", styles_of("cramel"))
def test_every_fair_style_of_cramel_can_do_without_the_faces(style: str) -> None:
    spread = tuple(f"@{n}" for n in range(1, 50))
    counts = {**BOX, "won-1": 0, "won-2": 0, "cramels-1": 0, "cramels-2": 0}
    scene = SpreadScene(0, 2, "play", "0", turn=0, spread=spread, counts=counts)
    act = choose("cramel", scene, style, 1)
    assert act is not None
    assert isinstance(act.given, Tap)
    assert act.given.piece.kind in spread


def test_a_robot_of_straw_says_that_it_can_play_nothing() -> None:
    counts = {"hand-1": 4, "hand-2": 1, "draw-pile": 55, "round": 1}
    hand, laid = ("straw#1",), ("weight-3#1",)
    scene = HandsScene(1, 2, "play", "3", turn=1, hand=hand, laid=laid, counts=counts)
    scene = replace(scene, scores=(0, 0))
    robots = OURS["straw"]
    assert robots.from_scene is not None
    books = robots.from_scene(scene)
    assert books is not None
    act = robots.styles["good"](books, Random(1))
    assert isinstance(act.given, Press)
    lamps = ("weight-9#1", "lamp#1", "copy#1")
    lamp = replace(scene, phase="lamp", headline="45", laid=lamps)
    books = robots.from_scene(lamp)
    assert books is not None
    act = robots.styles["exactly 50"](books, Random(1))
    assert str(act.given) == "Number(value=5)"
    assert Piece("copy") not in act  # it was already laid


# --- tapmat sim --robots --------------------------------------------------------------------------


def test_a_table_begins_with_robots_beside_one_person(folder: Path) -> None:
    live = LiveMat(load_config(), folder, lambda kind, news: None)
    live.start("straw", 2)
    try:
        live._call(live._publish).result()
        best = styles_of("straw")[0]
        assert live.state["deal"]["robots"] == [None, best, best]
    finally:
        live.stop()


@pytest.mark.parametrize(
    ("game", "robots", "why"),
    [
        (None, 1, "the name of the game is missing"),
        ("straw", 6, "straw has room for 5 robots besides a person"),
    ],
)
def test_robots_that_cannot_sit_are_refused_before_anything_is_opened(
    folder: Path, game: str | None, robots: int, why: str
) -> None:
    with pytest.raises(CannotSit, match=why):
        run_sim(load_config(), folder, game=game, opens_browser=False, robots=robots)
    assert not list(folder.iterdir())


@pytest.mark.usefixtures("without_robots")
def test_robots_are_refused_where_none_can_sit(folder: Path) -> None:
    with pytest.raises(CannotSit, match="robots cannot sit with people at straw yet"):
        run_sim(load_config(), folder, game="straw", opens_browser=False, robots=1)
    assert not list(folder.iterdir())
