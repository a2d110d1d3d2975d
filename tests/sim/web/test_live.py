"""Tests of the mat in real time: requests from pages act like hands, even all at once."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any
from unittest.mock import patch

import pytest

from firmware.config.table_config import load_config
from firmware.show.lamps import FLASH_S
from sim.deal import requests
from sim.web.live import LiveMat
from tests.docs.installed import installed
from tests.docs.pages import page
from tests.sim.web.test_seats import SLACK_S, Table

PATIENCE_S = 60  # the timeout for anything that must happen


@pytest.fixture
def live(tmp_path: Path) -> Iterator[LiveMat]:
    mat = LiveMat(load_config(), tmp_path, lambda kind, news: None)
    mat.start()
    yield mat
    mat.stop()


@pytest.fixture
def at_once(live: LiveMat) -> Callable[..., None]:
    """A function that queues requests before the mat handles the first, as after a pause."""

    def ask(*asks: requests.Request) -> None:
        goes_on = Event()
        live._call(lambda: goes_on.wait(PATIENCE_S))
        done = [live.do(each) for each in asks]
        goes_on.set()
        for each in done:
            each.result()

    return ask


def asked(live: LiveMat) -> str | None:
    """Return the prompt of the display's open list, or None."""
    live._call(live._publish).result()
    choices = live.state["view"]["choices"]
    return None if choices is None else choices["prompt"]


def test_presses_that_come_all_at_once_are_as_many_presses(
    live: LiveMat, at_once: Callable[..., None]
) -> None:
    ok, back = (
        (requests.HoldButton(name), requests.ReleaseButton(name)) for name in ("ok", "back")
    )
    prompts = [asked(live)]
    for _ in range(2):
        at_once(*ok)
        prompts.append(asked(live))
    assert len(set(prompts)) == 3
    at_once(*back * 2)
    assert asked(live) == prompts[0]
    at_once(*ok * 2)
    assert asked(live) == prompts[2]


@pytest.mark.parametrize(("is_compared", "presses"), [(True, 1), (False, 2)])
def test_a_second_quick_press_does_not_answer_the_next_question(
    table: Table, is_compared: bool, presses: int
) -> None:
    table.deal("straw", 3, {})
    while table.mat.view.phase == "play":  # until the camel's back breaks; then hands are counted
        table.tap(next(tag for tag in table.deal_shown["playable"] if "weight" in tag))
        table.wait(SLACK_S)
    seen = len(table.record.inputs)
    assert table.live.state["view"]["inputs"] == seen
    for _ in range(2):  # the first ends the count of a hand, the second that of the next hand
        table.ask(requests.HoldButton("action", seen if is_compared else None))
        table.ask(requests.ReleaseButton("action"))
    table.wait(SLACK_S)
    assert len(table.record.inputs) == seen + presses


@pytest.mark.parametrize(("seen", "chosen"), [(0, 0), (1, 1)])
def test_a_choice_answers_only_the_question_that_its_page_has_seen(
    table: Table, seen: int, chosen: int
) -> None:
    table.deal("straw", 2, {2: "good"})
    table.tap("straw/lamp#1")
    table.ask(requests.ChooseItem("7", seen))
    table.wait(SLACK_S)
    assert len(table.record.inputs) == 1 + chosen


def test_the_first_page_sees_a_mat_that_is_on(tmp_path: Path) -> None:
    heard: list[tuple[str, Any]] = []
    mat = LiveMat(load_config(), tmp_path, lambda kind, news: heard.append((kind, news)))
    mat._pass()  # the thread may run the loop before it has switched the mat on
    mat.start("straw").result()
    state = mat.state
    mat.stop()
    assert (state["power"], state["view"]["game"], state["deal"]["game"]) == (
        True,
        "straw",
        "straw",
    )
    sent = {key: value for kind, news in heard if kind == "state" for key, value in news.items()}
    assert sent == {key: value for key, value in mat.state.items() if key in sent}


@pytest.mark.long
def test_pages_miss_nothing_of_a_game(table: Table) -> None:
    """In each turn, pages have the same state as if all of it had been built again."""
    table.deal("straw", 2, {2: "good"})
    acts: list[Callable[[], object]] = [
        lambda: table.ask(requests.HoldButton("ok")),
        lambda: table.ask(requests.ReleaseButton("ok")),
        lambda: table.ask(requests.TurnEncoder(1)),
        lambda: table.press("back"),
        lambda: table.tap(next(tag for tag in table.deal_shown["hands"][0] if "weight" in tag)),
        lambda: table.tap("commands/back#1"),
        lambda: table.ask(requests.SetFault("reader-dead", "play")),
        lambda: table.ask(requests.SetFault("none", "play")),
        lambda: table.ask(requests.SetPower(is_on=False)),
        lambda: table.ask(requests.SetPower(is_on=True)),
        lambda: table.ask(requests.GatherCards()),
    ]
    for act in acts:
        act()
        for _ in range(150):
            table.live._pass()
            table.live._publish()
            table.live._is_touched = True
            assert table.live._look() == table.live.state


def test_pages_see_the_lamps_of_a_strip_change_in_colour(tmp_path: Path) -> None:
    """A transfer to a strip changes no pin of the computer."""
    (tmp_path / "state").mkdir()
    with installed(page("docs/adding-an-led-strip.md"), tmp_path, "glow1") as folder:
        config = load_config(folder / "glow-table.toml")
        table = Table(tmp_path / "state", config=config)
        table.deal("straw", 2, {})
        table.wait(2 * FLASH_S)
        assert table.live.state["lamps"]["seat-1"] == {"level": 1.0, "colour": "#ffffff"}
        assert table.live.state["lamps"]["clockwise"] == {"level": 1.0, "colour": "#0050ff"}
        table.tap(next(tag for tag in table.deal_shown["hands"][0] if "weight" in tag))
        assert table.live.state["lamps"]["accepted"] == {"level": 1.0, "colour": "#00ff00"}
        assert table.live.state["lamps"]["seat-1"] == {"level": 0.0}
        table.wait(FLASH_S)
        assert table.live.state["lamps"]["accepted"] == {"level": 0.0}
        strip = table.mat.board.strip
        assert strip is not None
        with patch.object(strip, "colour", return_value=(10, 20, 0)):
            table.wait(0.1)
        half = {"level": pytest.approx(20 / 255), "colour": "#80ff00"}
        assert table.live.state["lamps"]["accepted"] == half
        table.close()


def test_nothing_is_built_for_pages_while_nothing_happens(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.deal("straw", 2, {})
    table.wait(10.0)
    built: list[str] = []
    for part in ("_view", "_deal_data", "_hands_data", "_display_data"):
        monkeypatch.setattr(table.live, part, partial(built.append, part))
    monkeypatch.setattr(table.live, "_listen", lambda kind, _news: built.append(kind))
    table.wait(0.5)
    assert built == []
