"""Tests of robots at Riff Raff: cards, loading, and cargo that falls visibly."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest

from engines.common.contract import Button, Choice, Number, Press, Seat, SeatChoice, Tap
from engines.common.pieces import Piece
from sim.deal import requests
from sim.deal.layout import HandAct
from sim.deal.layouts.ship import ShipPieces
from sim.deal.seats import READS_S, YIELDS_S
from sim.mat.mat import CannotDo
from sim.players.levels import find_style, styles_of
from sim.robots.contract import Load, RobotAct, Spill
from sim.robots.games import OURS
from sim.robots.riff_raff.balance import Stowed, Sway
from sim.robots.scene import ShipScene
from tests.effort import long_unless
from tests.sim.web.test_seats import SLACK_S, WHOLE_GAME_S, Table

GAME = "riff-raff"
NAMES = ("Ann", "Ben", "Cem", "Dora")
SHOWN_S = 1.5  # in which all robots show their cards
OK, ACTION = Press(Button.OK), Press(Button.ACTION)
HOUSES = {
    "as printed": {},
    "tagged": {"tagged-cargo": "on"},
    "others": {"captain-names-himself": "off", "placed-returns": "off"},
}
Fall = Callable[[list[Piece]], tuple[list[Piece], list[Piece]]]  # what falls, and what is caught

HOLDS: Fall = lambda aboard: ([], [])  # noqa: E731
DROPS: Fall = lambda aboard: (aboard, aboard)  # noqa: E731  # all falls and is caught
SAVES: Fall = lambda aboard: (aboard[:-1], aboard[:-1])  # noqa: E731  # all but the piece in hand
LOSES: Fall = lambda aboard: (aboard, [])  # noqa: E731


def playing(fall: Fall) -> Any:
    """Patch the ship's balance: cargo falls as *fall* says, the piece in hand last."""

    def place(load: Sequence[Stowed], placed: Stowed, seed: int, number: int) -> Sway:
        fallen, caught = fall([stowed.piece for stowed in (*load, placed)])
        return Sway(9.0, 3.0, tuple(fallen), (1,) * len(fallen), tuple(caught))

    return patch("sim.deal.layouts.ship.place", place)


def quickly() -> Any:
    """Patch the robots to act without long pauses."""
    return patch.multiple("sim.deal.seats", THINKS_S=0.1, READS_S=0.1, LIES_S=0.3)


def ship_of(table: Table) -> ShipPieces:
    laid = table.live._deck._lying
    assert isinstance(laid, ShipPieces)
    return laid


def shown(table: Table) -> dict[str, Any]:
    """Return the ship as pages see it."""
    ship: dict[str, Any] = table.deal_shown["ship"]
    return ship


def scene_of(table: Table, seat: int) -> ShipScene:
    table.live._publish()
    scene = table.live._deck.scene(seat, table.mat.view)
    assert isinstance(scene, ShipScene)
    return scene


def loading(table: Table, *cards: str, robots: tuple[int, ...] = (1,)) -> None:
    """Reveal these cards by hand, then put robots into *robots* (seats from 1)."""
    table.deal(GAME, len(cards), {})
    for card in (*cards, *cards):  # the first tap of a card shows its colour
        table.tap(f"{GAME}/{card}#1")
        table.wait(0.3)
    for seat in robots:
        table.ask(requests.SeatRobot(seat, "careful"))


def told(table: Table, count: int) -> list[Any]:
    """Return the last *count* inputs."""
    return list(table.record.inputs[-count:])


def choose(table: Table, value: str) -> None:
    table.ask(requests.ChooseItem(value))
    table.wait(0.3)


# --- whole games ----------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(
    ("seed", "players", "house"),
    [(4, 3, "others"), (1, 4, "as printed"), (2, 3, "tagged"), (3, 4, "tagged")],
)
def test_robots_play_to_the_winner_and_say_what_was_seen(
    tmp_path: Path, seed: int, players: int, house: str
) -> None:
    """All cargo on the ship is known, and its areas are within the referee's bounds."""
    table = Table(tmp_path, seed)
    table.live._person.start(GAME, NAMES[:players], NAMES[0], HOUSES[house])
    styles = styles_of(GAME)
    with quickly():
        table.deal(GAME, players, {n + 1: styles[(seed + n) % len(styles)] for n in range(players)})
        table.until(lambda: bool(table.mat.view.winners), WHOLE_GAME_S)
    assert not list(table.mat.refused)
    ship = ship_of(table)
    assert sum(map(len, ship.areas.values())) == ship.counts["ship"]
    for area, pieces in ship.areas.items():
        assert ship.counts[f"area-{area}"] <= len(pieces) <= ship.counts[f"most-{area}"]
    assert len(ship.box) == ship.counts["removed"]
    table.close()


# --- cards ----------------------------------------------------------------------------------------


def test_it_shows_the_colour_of_the_hand_it_was_dealt(table: Table) -> None:
    table.deal(GAME, 3, {1: "careful", 2: "careful"})
    stocks = table.deal_shown["stocks"]
    table.until(table.done(2))
    given = [tap.piece.kind for tap in table.record.inputs if isinstance(tap, Tap)]
    assert [kind.partition("-")[0] for kind in given] == ["red", "blue"]
    assert table.deal_shown["stocks"] == stocks


def test_all_robots_show_their_colours_soon_after_the_last_person(table: Table) -> None:
    table.deal(GAME, 4, {2: "careful", 3: "careful", 4: "careful"})
    table.tap(f"{GAME}/red-1#1")
    assert table.until(table.done(3)) < SHOWN_S  # the last colour is known then


@pytest.mark.long
def test_robots_reveal_after_people_who_would_see_their_cards(table: Table) -> None:
    table.deal(GAME, 3, {})
    for card in ("red-1", "blue-1", "green-1"):
        table.tap(f"{GAME}/{card}#1")
    table.ask(requests.SeatRobot(2, "careful"))
    table.ask(requests.SeatRobot(3, "careful"))
    assert table.mat.view.turn is None
    table.wait(2 * YIELDS_S)
    assert len(table.record.inputs) == 3
    table.tap(f"{GAME}/red-9#1")
    assert table.until(table.done(6)) < SHOWN_S
    assert {str(tap.piece).partition("-")[0] for tap in told(table, 2)} == {"blue", "green"}


@pytest.mark.parametrize("style", long_unless(styles_of(GAME)[0].__eq__, styles_of(GAME)))
def test_no_robot_goes_by_a_card_that_was_revealed_before(table: Table, style: str) -> None:
    """The robot's books treat every player's card as face down, even if it was revealed already."""
    table.deal(GAME, 2, {})
    for card in ("red-1", "blue-1", "red-9"):
        table.tap(f"{GAME}/{card}#1")
    table.ask(requests.SeatRobot(2, style))
    scene = scene_of(table, 1)
    assert scene.phase == "reveal"
    hand = [f"blue-{number}#1" for number in range(1, 11)]
    assert [*scene.hand] == hand
    early = replace(scene, active=(0, 1), people=(), done=scene.done[:2])
    assert acted(early, style).given == acted(scene, style).given


def test_nobody_else_has_ones_hand_in_a_scene(table: Table) -> None:
    table.deal(GAME, 3, {})
    scene = scene_of(table, 1)
    assert {card.partition("-")[0] for card in scene.hand} == {"blue"}
    assert not any(
        f"'{colour}-{n}#" in str(scene) for colour in ("red", "green") for n in range(11)
    )


# --- single acts ----------------------------------------------------------------------------------


def acted(scene: ShipScene, style: str = "careful") -> RobotAct:
    """Return the act of a robot of this *style* that sees *scene*."""
    robots = OURS[GAME]
    assert robots.from_scene is not None
    books = robots.from_scene(scene)
    assert books is not None
    played = find_style(GAME, style)
    assert played is not None
    return played(books, Random(1))


def sees(phase: str, **what: Any) -> ShipScene:
    """Return a scene in *phase* in which Ben loads area 7; *what* sets other parts of it."""
    scene = ShipScene(1, 3, phase, "7", turn=1, active=(1,), names=NAMES[:3], hand=("blue-2#1",))
    return replace(scene, stock=("blue-rat#1", "cargo#1"), **what)


@pytest.mark.parametrize("phase", ["captain", "order"])
def test_the_captain_names_one_of_those_who_are_tied(phase: str) -> None:
    given = {acted(sees(phase, choices=("Ann", "Cem")), style).given for style in styles_of(GAME)}
    assert given <= {SeatChoice(Seat(0)), SeatChoice(Seat(2))}


def test_whether_something_lies_there_is_what_is_seen() -> None:
    assert acted(sees("look", areas={7: (), 8: ("red-rat#1",)})).given == Choice("no")
    assert acted(sees("look", areas={7: ("red-rat#1",)})).given == Choice("yes")


def test_what_nobody_knows_any_more_can_be_loaded() -> None:
    bundle = replace(sees("load"), stock=("cargo#1",))
    assert acted(bundle).by_hand == Load(Piece("cargo", 1))
    assert acted(replace(bundle, held="cargo#1")).by_hand in (None, Spill((Piece("cargo", 1),), ()))


@pytest.mark.parametrize(
    "phase", ["fallen", "caught", "which", "which-fell", "tap-caught", "tap-lost"]
)
def test_of_what_was_not_seen_to_fall_a_robot_says_nothing(phase: str) -> None:
    from_scene = OURS[GAME].from_scene
    assert from_scene is not None
    assert from_scene(sees(phase)) is None
    assert from_scene(sees(phase, fallen=("red-rat#1",), caught=("red-rat#1",))) is not None


def test_at_a_phase_of_which_it_never_heard_it_does_nothing() -> None:
    from_scene = OURS[GAME].from_scene
    assert from_scene is not None
    assert from_scene(sees("becalmed")) is None
    assert from_scene(replace(sees("load"), seat=0)) is None  # Ben is the one who loads


# --- cargo ----------------------------------------------------------------------------------------


def test_a_piece_is_seen_in_hand_before_it_holds(table: Table) -> None:
    with playing(HOLDS):
        loading(table, "red-9", "blue-3")
        assert shown(table)["inHand"] is None
        table.until(lambda: shown(table)["inHand"] is not None)
        piece = shown(table)["inHand"]
        assert table.until(table.done(5)) > READS_S - SLACK_S
        assert told(table, 1) == [OK]
        table.live._publish()
        assert [area["pieces"] for area in shown(table)["areas"] if area["area"] == 9] == [[piece]]


@pytest.mark.long
def test_what_falls_is_seen_before_it_is_reported_and_is_what_is_reported(table: Table) -> None:
    with playing(SAVES):
        loading(table, "red-9", "blue-3", robots=())
        table.ask(HandAct("load", {"piece": f"{GAME}/red-rat#1"}))
        table.press("ok")
        table.ask(requests.SeatRobot(2, "careful"))
        table.until(lambda: bool(shown(table)["fallen"]))
        assert len(table.record.inputs) == 5  # the referee was not told yet
        assert shown(table)["fallen"] == shown(table)["caught"] == [f"{GAME}/red-rat#1"]
        piece = shown(table)["inHand"]
        table.until(table.done(9))
        table.live._publish()
    assert told(table, 4) == [ACTION, Number(1), Number(1), Choice("other")]
    assert table.deal_shown["box"] == [f"{GAME}/red-rat#1"]
    assert next(a for a in shown(table)["areas"] if a["area"] == 3)["pieces"] == [piece]
    assert [area["most"] for area in shown(table)["areas"]].count(0) == 9  # all saw the fall
    assert not shown(table)["fallen"]


@pytest.mark.long
def test_a_piece_that_falls_alone_and_is_not_caught_comes_back(table: Table) -> None:
    with playing(LOSES):
        loading(table, "red-9", "blue-3")
        stock = table.deal_shown["stocks"][0]
        table.until(table.done(7))
    assert told(table, 3) == [ACTION, Number(1), Number(0)]
    table.live._publish()
    assert sorted(table.deal_shown["stocks"][0]) == sorted(stock)


@pytest.mark.long
def test_tagged_cargo_is_tapped_as_it_was_seen_to_fall(table: Table) -> None:
    table.live._person.start(GAME, NAMES[:2], NAMES[0], HOUSES["tagged"])
    with playing(LOSES):
        loading(table, "red-9", "blue-3")
        table.until(table.done(9))
    *_, piece, action, none_saved, lost, all_lost = table.record.inputs
    assert isinstance(piece, Tap)
    assert isinstance(lost, Tap)
    assert lost.piece == piece.piece
    assert [action, none_saved, all_lost] == [ACTION, OK, OK]


def test_what_falls_can_only_be_what_lies_there_or_is_in_hand(table: Table) -> None:
    loading(table, "red-9", "blue-3", robots=())
    rat, boat = f"{GAME}/red-rat#1", f"{GAME}/red-boat#1"
    with pytest.raises(CannotDo, match="cannot fall now"):
        table.ask(HandAct("spill", {"fallen": (rat,), "caught": ()}))  # no piece is in hand
    table.ask(HandAct("load", {"piece": rat}))
    for fallen, caught in (((), ()), ((boat,), ()), ((), (rat,)), ((rat,), (boat,))):
        with pytest.raises(CannotDo, match="cannot fall now"):
            table.ask(HandAct("spill", {"fallen": fallen, "caught": caught}))
    for stranger in ("straw/weight-7#1", "stranger"):
        with pytest.raises(CannotDo, match="not a piece of this game"):
            table.ask(HandAct("spill", {"fallen": (stranger,), "caught": ()}))
    assert shown(table)["fallen"] == []
    table.ask(HandAct("spill", {"fallen": (rat,), "caught": (rat,)}))
    assert shown(table)["caught"] == [rat]
    table.ask(HandAct("load", {"piece": boat}))  # another piece is loaded instead
    assert shown(table)["fallen"] == []


# --- people act for robots ------------------------------------------------------------------------


@pytest.mark.long
def test_a_person_may_load_for_it(table: Table) -> None:
    with playing(DROPS):
        loading(table, "red-9", "blue-3")
        table.ask(HandAct("load", {"piece": f"{GAME}/red-boat#1"}))
        table.press("ok")
        table.wait(2 * YIELDS_S)
    assert told(table, 1) == [OK]
    assert table.mat.view.turn == 1
    assert ship_of(table).areas[9] == [Piece("red-boat")]


@pytest.mark.long
def test_the_person_who_lets_a_robots_cargo_fall_says_what_fell(table: Table) -> None:
    with playing(HOLDS):
        loading(table, "red-9", "blue-3")
        table.press("action")
        table.wait(2 * YIELDS_S)
        assert told(table, 1) == [ACTION]
        choose(table, "1")
        choose(table, "0")
    assert table.mat.view.turn == 1
    assert not list(table.mat.refused)


@pytest.mark.long
def test_who_tells_otherwise_than_was_seen_tells_the_rest_too(table: Table) -> None:
    with playing(DROPS):
        loading(table, "red-9", "blue-3", robots=())
        table.ask(HandAct("load", {"piece": f"{GAME}/red-rat#1"}))
        table.press("ok")
        table.ask(requests.SeatRobot(2, "careful"))
        table.until(table.done(6))
        assert told(table, 1) == [ACTION]
        assert len(shown(table)["fallen"]) == 2
        choose(table, "1")
        assert shown(table)["fallen"] == []
        table.wait(2 * YIELDS_S)
        assert told(table, 1) == [Number(1)]
        choose(table, "0")
        choose(table, "other")
    assert ship_of(table).areas[9] == []  # it is unknown which piece fell
    assert len(ship_of(table).areas[3]) == 1
    assert ship_of(table).counts["ship"] == 1


@pytest.mark.long
def test_undo_in_the_middle_of_a_fall(table: Table) -> None:
    with playing(LOSES):
        loading(table, "red-9", "blue-3")
        table.until(table.done(6))  # the number fallen was reported, the number caught was not
        seen = shown(table)["fallen"]
        table.press("back")
        table.wait(YIELDS_S / 2)
        assert told(table, 1) == [ACTION]
        assert shown(table)["fallen"] == seen
        table.press("back")
        table.press("back")
        table.live._publish()
        assert (table.mat.view.phase, shown(table)["fallen"]) == ("reveal", [])
        assert scene_of(table, 0).held is None
        table.tap(f"{GAME}/blue-3#1")
        table.until(table.done(7))
    assert told(table, 2) == [Number(1), Number(0)]
    assert not list(table.mat.refused)


@pytest.mark.long
def test_what_fell_is_known_after_a_restart(tmp_path: Path) -> None:
    first = Table(tmp_path)
    with playing(DROPS):
        loading(first, "red-9", "blue-3")
        first.until(first.done(5))
        assert told(first, 1) == [ACTION]
        seen = shown(first)["fallen"]
        first.close()
        again = Table(tmp_path)
        assert shown(again)["fallen"] == shown(again)["caught"] == seen
        again.until(again.done(7))
        again.close()
    assert json.loads((tmp_path / "deal.json").read_text(encoding="utf-8"))["decisions"]
