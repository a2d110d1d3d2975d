"""Tests that each game provides the counts its layout needs, and that missing counts are named."""

import re
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from engines.common import layouts as names
from engines.common.contract import Game, Seat, Setup, Tap, TapAsk, View
from engines.common.pieces import Kind
from firmware.boxes.decks import load_deck
from firmware.boxes.games import games
from firmware.journal.journal import GameRecord, GameStart
from sim.deal.layouts import OURS, layout_name, layouts, misfit_of
from sim.deal.layouts.hands import Cards
from sim.web.server import DRAWINGS
from tests.firmware.installing import installed
from tests.sim.deal.heap import GAME as HEAP
from tests.sim.deal.installing import installed_layout

FACES = DRAWINGS / "faces.js"
DEALT = [name for name in games() if layout_name(name)]


def first_view(game: Game[Any], players: int) -> View:
    return game.view(game.start(Setup(players, Seat(0), load_deck(game), {})))


@pytest.mark.parametrize("name", DEALT)
def test_every_game_keeps_the_counts_of_its_layout(name: str) -> None:
    game = games()[name]
    for players in game.seats:
        assert misfit_of(name, load_deck(game), first_view(game, players)) == ""


@pytest.mark.parametrize("name", DEALT)
def test_a_count_that_is_missing_is_named(name: str) -> None:
    game = games()[name]
    view, deck = first_view(game, min(game.seats)), load_deck(game)
    told = []
    for count in view.counts:
        fewer = {place: n for place, n in view.counts.items() if place != count}
        misfit = misfit_of(name, deck, replace(view, counts=fewer))
        if misfit:
            assert misfit == (
                f'{name} does not fit the layout "{layout_name(name)}": '
                f"its view has no counts for {count}"
            )
            told.append(count)
    assert told, "a layout follows a game by its counts"


def test_our_layouts_are_the_ones_that_games_can_name() -> None:
    assert set(OURS) == {names.HANDS, names.SPREAD, names.BOARD, names.SHIP}


@pytest.mark.parametrize("name", DEALT)
def test_the_page_has_every_drawing_that_a_layout_names(name: str) -> None:
    layout = layouts()[layout_name(name)]
    drawn = {"card", *re.findall(r'case "([a-z-]+)":', FACES.read_text("utf-8"))}
    assert {layout.face(kind) for kind in load_deck(games()[name]).kinds} <= drawn


def test_cargo_and_cards_of_a_ship_are_drawn_differently() -> None:
    ship = OURS[names.SHIP]
    assert ship.face(Kind("red-rat", 1, traits={"shape": "rat", "colour": "red"})) == "cargo"
    assert ship.face(Kind("red-7", 1, 7, {"colour": "red"})) == "area"


def test_a_game_without_a_layout_and_one_with_an_unknown_one_are_told_apart() -> None:
    with installed("heap", "tests.sim.deal.heap"), installed("fan", "tests.sim.deal.fan"):
        deck, view = load_deck(HEAP), first_view(HEAP, 2)
        assert misfit_of("heap", deck, view) == ""
        assert misfit_of("raft", deck, view) == (
            "raft names no layout, so its pieces stay in the tray"
        )
        assert misfit_of("fan", deck, view) == (
            'fan has the layout "fan", which is not installed '
            "(installed: board, hands, ship, spread)"
        )
        with installed_layout("fan", "tests.sim.deal.fan"):
            assert misfit_of("fan", deck, view) == ""
            assert "laid" in misfit_of("fan", deck, replace(view, counts={}))


@pytest.mark.parametrize("module", ["tests.sim.deal.nowhere", "tests.sim.deal.heap"])
def test_a_layout_that_cannot_be_loaded_is_left_out(
    module: str, caplog: pytest.LogCaptureFixture
) -> None:
    with installed_layout("fan", module):
        assert set(layouts()) == set(OURS)
    assert "fan" in caplog.text


def test_a_box_without_cargo_has_no_ship() -> None:
    game = games()["riff-raff"]
    deck, view = load_deck(game), first_view(game, 2)
    bare = replace(deck, kinds=tuple(Kind(k.name, k.count, k.value) for k in deck.kinds))
    assert "its deck has no cargo" in misfit_of("riff-raff", bare, view)
    cramel = games()["cramel"]
    unfilled = replace(load_deck(cramel), spread=None)
    assert "its deck has no spread" in misfit_of("cramel", unfilled, first_view(cramel, 2))


@pytest.mark.parametrize("seed", range(3))
def test_no_card_is_lost_or_doubled_in_a_game_that_nobody_knows(seed: int) -> None:
    deck = load_deck(HEAP)
    record = GameRecord(1, GameStart("heap", ("Ann", "Ben"), 0, {}, deck))
    chance = Random(seed)
    state = HEAP.start(Setup(2, Seat(0), deck, {}))
    while not state.winners:
        lying = OURS["hands"].arrange(HEAP, record, seed, {})
        assert isinstance(lying, Cards)
        everywhere = [piece for place in (*lying.hands, lying.pile, lying.laid) for piece in place]
        assert sorted(everywhere) == sorted(deck.pieces())
        assert [len(hand) for hand in lying.hands] == list(state.hands)
        assert isinstance(HEAP.asks(state)[0], TapAsk)
        tap = Tap(chance.choice(lying.hands[state.turn]))
        state, record = HEAP.step(state, tap).state, record.with_input(tap)
