"""Tests of robots at Camargue: places, helpers out of turn, claims, and hidden tiles."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest

from engines.common.contract import Choice, Input, PlaceChoice, Seat, SeatChoice, Tap, TapAsk
from engines.common.grid import Cell, Place
from engines.common.pieces import Piece
from firmware.show.view import GridView, TableView
from sim.deal import requests
from sim.deal.deck import VirtualDeck
from sim.deal.seats import READS_S, THINKS_S, YIELDS_S
from sim.players.levels import find_style, styles_of
from sim.robots.camargue.adapter import ACTION, COPY, HOUSES, TURN
from sim.robots.contract import RobotAct
from sim.robots.games import OURS
from sim.robots.scene import BoardScene, Placed
from tests.effort import long_unless
from tests.sim.web.camargue_people import (
    CAMARGUE,
    CLOSED,
    NAMES,
    People,
    claiming,
    helping,
    others,
    placed,
)
from tests.sim.web.test_seats import SLACK_S, WHOLE_GAME_S, Table

STYLES = styles_of("camargue")
START = Cell(Place(0, 0), paths="nesw", piece=Piece("start"))
FOREST = Cell(Place(1, 0), paths="ew", piece=Piece("forest-ew"))
HELPER = "helper-forest-water#1"
ANN, BEN, CEM = Seat(0), Seat(1), Seat(2)
MOST_INPUTS = 60

Sit = Callable[[People, dict[int, str]], Table]


@pytest.fixture
def sit(tmp_path: Path) -> Iterator[Sit]:
    """A function that deals given people their Camargue hands, with robots by seat (from 1)."""
    made: list[Table] = []

    def begin(people: People, robots: dict[int, str]) -> Table:
        (tmp_path / "state").mkdir()
        made.append(Table(tmp_path / "state", people.seed))
        made[0].deal("camargue", len(people.record.start.names), robots)
        return made[0]

    yield begin
    for table in made:
        table.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "deal.json"


def tag(piece: Piece) -> str:
    return f"camargue/{piece}"


def lay(table: Table, piece: Piece) -> int:
    """Place *piece* by hand where the cursor starts; return the number of inputs."""
    table.tap(tag(piece))
    choices = table.mat.view.choices
    assert choices is not None
    column, row = map(int, choices.values[choices.cursor].split(","))
    table.ask(requests.ChoosePlace(Place(column, row)))
    return len(table.record.inputs)


def shown(table: Table) -> dict[str, Any]:
    """Return the tiles as pages see them now."""
    table.live._publish()
    return table.deal_shown


def last(table: Table, number: int) -> tuple[Input, ...]:
    """Return the last *number* inputs, without the spots and seats of taps."""
    recent = table.record.inputs[-number:]
    return tuple(Tap(given.piece) if isinstance(given, Tap) else given for given in recent)


# --- whole games ----------------------------------------------------------------------------------


@pytest.mark.long
def test_six_robots_of_all_kinds_play_to_the_end(sit: Sit) -> None:
    with patch.multiple("sim.deal.seats", THINKS_S=0.1, READS_S=0.1, LIES_S=0.3):
        table = sit(People(29, 6), dict(enumerate(islice(cycle(STYLES), 6), start=1)))
        table.until(lambda: bool(table.mat.view.winners), WHOLE_GAME_S)
    assert not list(table.mat.refused)
    assert shown(table)["hands"] == [[]] * 6


def view_of(people: People) -> TableView:
    """Return the table's view for the state of *people*."""
    view = people.view
    taps = (ask for ask in CAMARGUE.asks(people.state) if isinstance(ask, TapAsk))
    return TableView(
        view.phase,
        headline=str(view.headline),
        names=NAMES[: len(view.scores)],
        scores=view.scores,
        turn=view.turn,
        awaited=tuple(sorted({seat for ask in taps for seat in ask.seats})),
        grid=None if view.grid is None else GridView(view.grid),
        counts=view.counts,
    )


def deck_of(people: People, file: Path) -> VirtualDeck:
    deck = VirtualDeck(file)
    deck.deal(people.record, people.seed, is_hot_seat=True)
    return deck


def scenes(people: People, deck: VirtualDeck) -> list[BoardScene]:
    """Return a scene for each player: the part of the game that this player can see."""
    deck.update(people.record)
    known = (deck.scene(seat, view_of(people)) for seat in range(len(people.view.scores)))
    return [scene for scene in known if isinstance(scene, BoardScene)]


def act_of(scene: BoardScene, style: str = "greedy") -> RobotAct | None:
    """Return the act of a robot of this *style* that knows *scene*; None if it waits."""
    robots = OURS["camargue"]
    assert robots.from_scene is not None
    books = robots.from_scene(scene)
    if books is None:
        return None
    played = find_style("camargue", style)
    assert played is not None
    act = played(books, Random(1))
    return act if act.seat == scene.seat else None


@pytest.mark.parametrize(
    ("players", "option"), long_unless(lambda case: case[0] <= 3, enumerate(HOUSES, start=2))
)
def test_the_rules_take_in_every_house_what_robots_do_by_what_they_know(
    players: int, option: str, file: Path
) -> None:
    value, _ = HOUSES[option]
    people = People(players, players, options={option: value})
    deck = deck_of(people, file)
    while len(people.record.inputs) < MOST_INPUTS:
        known = scenes(people, deck)
        acts = [
            act
            for scene in known
            if (act := act_of(scene, STYLES[scene.seat % len(STYLES)])) is not None
        ]
        act = min(acts, key=lambda act: act.seat == people.turn)
        if people.view.phase == "play":
            assert act.seat in view_of(people).awaited or act.given == ACTION
        people.give(Tap(act.given.piece) if isinstance(act.given, Tap) else act.given)
    people.check()


# --- knowledge of robots --------------------------------------------------------------------------


def test_no_other_hand_and_no_pile_is_in_a_scene(file: Path) -> None:
    people = People(4, 4)
    for _ in range(8):
        placed(people)
    tiles = people.tiles
    assert len(tiles.out) == 2
    for scene in scenes(people, deck_of(people, file)):
        hands = (hand for seat, hand in enumerate(tiles.hands) if seat != scene.seat)
        unseen = [str(tile) for place in (tiles.pile, tiles.out, *hands) for tile in place]
        assert not [tile for tile in unseen if tile in known(scene)]
        assert list(scene.hand) == [str(tile) for tile in tiles.hands[scene.seat]]
        assert {cell.piece for cell in scene.board} == set(tiles.board)
        assert (scene.counts["pile"], len(scene.apart)) == (len(tiles.pile), 5)


def known(scene: BoardScene) -> set[str]:
    """Return every piece named in *scene*."""
    board = (str(cell.piece) for cell in scene.board)
    lately = () if scene.placed is None else (scene.placed.piece,)
    around = (*scene.fronts, *scene.apart, *scene.laid, *scene.shown, scene.waiting)
    return {piece for piece in (*scene.hand, *board, *lately, *around) if piece is not None}


def test_everybody_knows_who_placed_the_last_tile_until_the_next_turn_is_over(file: Path) -> None:
    people, helper, tile = helping()
    deck = deck_of(people, file)

    def lately() -> set[Placed | None]:
        return {scene.placed for scene in scenes(people, deck)}

    assert lately() == {None}
    people.play(tile)
    forest = Placed(ANN, str(tile), people.view.scores[ANN])
    assert lately() == {forest}
    people.give(Tap(helper))
    assert {scene.waiting for scene in scenes(people, deck)} == {str(helper)}
    people.give(SeatChoice(CEM))
    assert {scene.fronts for scene in scenes(people, deck)} == {(None, None, str(helper))}
    assert lately() == {forest}
    people.play(next(iter(people.fitting())))
    people.give(ACTION)
    assert lately() == {None}
    assert {scene.laid for scene in scenes(people, deck)} == {(str(helper),)}


def scene_of(phase: str, **what: object) -> BoardScene:
    """Return a scene of Ben, second of three and to move; a start tile and a forest are placed."""
    fresh = BoardScene(
        BEN, 3, phase, "0", turn=BEN, counts={"pile": 70}, scores=(0, 0, 0), board=(START, FOREST),
        fronts=(None, None, None), apart=("emergency#1", "emergency#2"),
    )  # fmt: skip
    return replace(fresh, **what)  # type: ignore[arg-type]


@pytest.mark.parametrize("style", STYLES)
def test_every_fair_style_can_do_without_the_other_hands(style: str) -> None:
    hand = ("forest-ew#2", "water-ns#1", "grain-ns#1")
    act = act_of(scene_of("play", hand=hand), style)
    assert act is not None
    assert isinstance(act.given, Tap)
    act = act_of(scene_of("place", hand=hand, waiting="forest-ew#2"), style)
    assert act is not None
    assert isinstance(act.given, PlaceChoice)


@pytest.mark.parametrize(("points", "use"), [(8, TURN), (24, COPY)])
def test_a_helper_for_either_is_used_for_what_scores_more(points: int, use: Choice) -> None:
    lent = {"hand": (HELPER,), "waiting": HELPER, "placed": Placed(ANN, "forest-ew#1", points)}
    act = act_of(scene_of("copy-or-turn", **lent))
    assert act is not None
    assert act.given == use
    act = act_of(scene_of("whose", **lent))
    assert act is not None
    assert act.given == SeatChoice(BEN)
    assert act_of(scene_of("whose", **{**lent, "hand": ()})) is None  # another player's helper


def test_with_a_helper_in_the_hand_it_drops_a_claim_that_was_made_for_it() -> None:
    act = act_of(scene_of("claim", hand=("water-ns#1", HELPER)))
    assert act is not None
    assert act.given == ACTION


# --- helpers out of turn --------------------------------------------------------------------------


@pytest.mark.long
def test_it_lends_a_helper_out_of_turn_and_puts_it_aside_in_its_own(sit: Sit) -> None:
    people, helper, tile = helping()
    table = sit(people, {3: "greedy"})
    done = lay(table, tile)
    assert shown(table)["others"] == [CEM]
    assert shown(table)["mayShow"] == []  # nobody may see a robot's hand
    assert THINKS_S <= table.until(table.done(done + 1)) < READS_S + SLACK_S
    assert table.mat.view.phase == "whose"
    table.until(table.done(done + 2))
    assert last(table, 2) == (Tap(helper), SeatChoice(CEM))
    assert shown(table)["fronts"] == [None, None, tag(helper)]
    table.wait(2 * YIELDS_S)
    assert table.done(done + 2)()  # the next player is a person
    table.ask(requests.SeatRobot(2, "greedy"))
    table.until(table.done(done + 5))
    assert last(table, 1) == (ACTION,)
    assert shown(table)["laid"] == [tag(helper)]
    assert not list(table.mat.refused)


def test_it_may_keep_its_helper_for_more(sit: Sit) -> None:
    people, _, tile = helping()
    table = sit(people, {3: "saver"})
    done = lay(table, tile)
    table.wait(2 * READS_S)
    assert table.done(done)()


@pytest.mark.long
def test_whose_turn_it_is_leaves_people_the_time_to_lend_a_helper(sit: Sit) -> None:
    people, helper, tile = helping()
    table = sit(people, {2: "greedy"})
    done = lay(table, tile)
    table.wait(YIELDS_S - SLACK_S)
    assert table.done(done)()
    table.tap(tag(helper))
    table.ask(requests.ChooseItem("Cem"))
    assert shown(table)["fronts"] == [None, None, tag(helper)]
    # No other player can lend a helper now.
    assert table.until(table.done(done + 3)) < THINKS_S + SLACK_S
    assert table.mat.view.phase == "place"


@pytest.mark.long
def test_the_only_person_sees_the_own_hand_and_needs_no_button_for_it(sit: Sit) -> None:
    people, helper, tile = helping()
    table = sit(people, {1: "greedy", 2: "greedy"})
    lay(table, tile)  # acts for the robot, before the robot does
    deal = shown(table)
    assert (deal["others"], deal["mayShow"]) == ([CEM], [])
    assert tag(helper) in deal["hands"][CEM]
    assert [deal["hands"][seat] for seat in (ANN, BEN)] == [[None] * 3] * 2


# --- people act for robots ------------------------------------------------------------------------


@pytest.mark.long
def test_a_tile_is_taken_back_before_it_was_placed(sit: Sit) -> None:
    table = sit(People(1), {1: "greedy", 2: "greedy", 3: "greedy"})
    table.until(table.done(1))
    tapped = last(table, 1)
    table.until(lambda: not table.lying)
    table.press("back")
    assert table.done(0)()
    assert table.until(table.done(1)) > YIELDS_S - SLACK_S
    assert last(table, 1) == tapped
    table.until(table.done(2))
    assert isinstance(last(table, 1)[0], PlaceChoice)


def test_a_person_may_place_the_tile_that_it_tapped_and_tap_one_for_it(sit: Sit) -> None:
    table = sit(People(1), {1: "greedy", 2: "greedy"})
    table.until(table.done(1))
    choices = table.mat.view.choices
    assert choices is not None
    table.ask(requests.ChooseItem(choices.values[-1]))
    assert last(table, 1) == (PlaceChoice(Place(*map(int, choices.values[-1].split(",")))),)
    table.until(lambda: not table.lying)
    people = People(1)
    people.give(*table.record.inputs)
    own = people.fitting()[0]
    table.tap(tag(own))
    table.until(table.done(4))  # the robot chooses the place
    assert own in {cell.piece for cell in table.mat.view.grid.board.cells}  # type: ignore[union-attr]


def test_a_tile_of_another_hand_is_left_to_people(sit: Sit) -> None:
    people = People(1)
    table = sit(people, {1: "greedy"})
    table.tap(tag(others(people.tiles.hands[CEM])[0]))
    table.wait(2 * YIELDS_S)
    assert (table.mat.view.phase, len(table.record.inputs)) == ("place", 1)


# --- nothing fits ---------------------------------------------------------------------------------


def closed(table: Table) -> Table:
    """Place tiles by hand until no path is open, so that no tile fits; return *table*."""
    for kind, column, row in CLOSED:
        table.live._person.move("tap", [Piece(kind)], "play", "camargue")
        table.live._person.choose(f"{column},{row}")
    return table


@pytest.mark.long
def test_when_nothing_fits_it_shows_its_hand_and_adds_an_emergency_tile(sit: Sit) -> None:
    people = claiming()
    table = closed(sit(people, {}))
    done = len(table.record.inputs)
    hand = people.tiles.hands[ANN]
    table.ask(requests.SeatRobot(1, "greedy"))
    table.until(table.done(done + 4))
    assert last(table, 4) == (ACTION, *map(Tap, hand))
    assert table.mat.view.phase == "emergency"
    table.until(table.done(done + 6))
    tapped, at = last(table, 2)
    assert (tapped, isinstance(at, PlaceChoice)) == (Tap(Piece("emergency")), True)
    assert len(shown(table)["apart"]) == 4
    table.until(table.done(done + 8))
    assert table.mat.view.turn == BEN
    assert not list(table.mat.refused)


@pytest.mark.long
def test_a_claim_of_a_robot_can_be_taken_back_tile_by_tile(sit: Sit) -> None:
    people = claiming()
    table = closed(sit(people, {}))
    done = len(table.record.inputs)
    table.ask(requests.SeatRobot(1, "greedy"))
    table.until(table.done(done + 2))
    table.press("back")
    assert shown(table)["shown"] == []
    table.until(table.done(done + 4))
    assert last(table, 4) == (ACTION, *map(Tap, people.tiles.hands[ANN]))
