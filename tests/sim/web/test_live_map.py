"""Tests of a map on the page: the data for pages, and requests for a place or a rocking."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engines.common.grid import Place
from firmware.config.table_config import TableConfig, load_config
from sim.deal import requests
from sim.mat.mat import CannotDo
from sim.web.grid import grid_data
from sim.web.live import LiveMat
from sim.web.table import table_message
from tests.firmware import raft
from tests.firmware.grids import begun, ship, tile

TILTING = replace(load_config(), tilt_pin=15)
MAST = {
    "at": [0, 0],
    "icon": [],
    "mark": "M",
    "tally": "",
    "paths": "nesw",
    "piece": None,
    "lit": False,
}


class Live:
    """A running mat on which Raft has begun for two, and a page's requests to it."""

    def __init__(self, config: TableConfig, folder: Path) -> None:
        self.mat = LiveMat(config, folder, lambda kind, news: None)
        self.mat.start("raft")
        self.publish()

    def publish(self) -> None:
        """Publish the current state to pages."""
        self.mat._call(self.mat._publish).result()

    def do(self, ask: requests.Request) -> None:
        """Handle the request *ask* and publish the new state."""
        self.mat.do(ask).result()
        self.publish()

    def tap(self, piece: str) -> None:
        """Place a piece, wait until the mat has read it, and lift it."""
        self.do(requests.Lay((f"raft/{piece}",), "play"))
        self.mat._call(lambda: self.mat._mat.wait(0.3)).result()
        self.do(requests.Lift((f"raft/{piece}",), "play"))

    @property
    def view(self) -> dict[str, Any]:
        """The game's view as pages receive it."""
        view: dict[str, Any] = self.mat.state["view"]
        return view


@pytest.fixture
def live(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Live]:
    (tmp_path / "state").mkdir()
    with raft.installed():
        made = Live(getattr(request, "param", TILTING), tmp_path / "state")
        yield made
        made.mat.stop()


def test_a_page_is_told_the_map_and_where_something_can_be_put(live: Live) -> None:
    assert live.view["grid"] == {"cells": [MAST], "focus": [0, 0], "cursor": None, "places": []}
    live.tap("plank#1")
    assert live.view["grid"]["places"] == [[0, -1], [-1, 0], [1, 0], [0, 1]]
    assert live.view["grid"]["cursor"] == [1, 0]
    live.do(requests.TurnEncoder(-1))
    assert live.view["grid"]["cursor"] == [-1, 0]


def test_a_place_is_chosen_with_the_encoder(live: Live) -> None:
    live.tap("plank#1")
    live.do(requests.ChoosePlace(Place(0, 1)))
    assert (live.view["phase"], live.view["grid"]["cursor"]) == ("rides", None)
    live.do(requests.HoldButton("ok"))
    live.do(requests.ReleaseButton("ok"))
    mast, plank = live.view["grid"]["cells"]
    assert mast == MAST
    assert (plank["at"], plank["piece"], plank["lit"]) == ([0, 1], "plank#1", True)
    assert plank["icon"] == list(raft.ICONS["plank"])


def test_a_place_that_is_not_offered_cannot_be_chosen(live: Live) -> None:
    with pytest.raises(CannotDo, match="the display shows no list now"):
        live.do(requests.ChoosePlace(Place(0, 1)))
    live.tap("plank#1")
    with pytest.raises(CannotDo, match="3,3 is not in the list"):
        live.do(requests.ChoosePlace(Place(3, 3)))
    assert live.view["phase"] == "where"


def test_a_page_rocks_the_raft(live: Live) -> None:
    live.tap("plank#1")
    live.do(requests.ChoosePlace(Place(0, 1)))
    live.do(requests.RockTilt())
    assert (live.view["phase"], live.view["turn"]) == ("lay", 1)
    assert live.view["grid"]["cells"] == [MAST]


def test_without_a_map_there_is_no_picture_of_it(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    mat = LiveMat(load_config(), tmp_path / "state", lambda kind, news: None)
    mat.start()
    with pytest.raises(CannotDo, match="this game has no map"):
        mat.do(requests.Picture()).result()
    mat.stop()


@pytest.mark.parametrize("live", [load_config()], indirect=True)
def test_a_table_without_a_tilt_switch_says_so(live: Live) -> None:
    assert table_message(TILTING, "en")["hasTilt"] is True
    assert table_message(load_config(), "en")["hasTilt"] is False
    with pytest.raises(CannotDo, match="no tilt switch"):
        live.do(requests.RockTilt())


def test_a_map_is_told_whole() -> None:
    told = grid_data(ship(7, a7="0-1"))
    assert len(told["cells"]) == 10
    assert told["cells"][2] | {"icon": None} == {
        "at": [1, 1], "icon": None, "mark": "7", "tally": "0-1", "paths": "", "piece": None,
        "lit": True,
    }  # fmt: skip
    assert told["focus"] == [1, 1]
    assert grid_data(begun(tile(0, 1, "tree", "n")))["cursor"] == [0, 1]
