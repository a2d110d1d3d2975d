"""Tests of the mat in real time: requests from pages act like hands, even all at once."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest

from firmware.config.table_config import load_config
from sim.deal import requests
from sim.web.live import LiveMat

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
