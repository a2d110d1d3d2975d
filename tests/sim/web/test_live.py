"""The mat in real time: what pages ask is done as hands would, however it comes."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest

from firmware.config import load_config
from sim.web import protocol
from sim.web.live import LiveMat

PATIENCE_S = 60  # for what must come; how long it takes is no matter


@pytest.fixture
def live(tmp_path: Path) -> Iterator[LiveMat]:
    mat = LiveMat(load_config(), tmp_path, lambda kind, news: None)
    mat.start()
    yield mat
    mat.stop()


@pytest.fixture
def at_once(live: LiveMat) -> Callable[..., None]:
    """Asks that all wait for the mat before it does the first, as after a pause of the computer."""

    def ask(*asks: protocol.Ask) -> None:
        goes_on = Event()
        live._call(lambda: goes_on.wait(PATIENCE_S))
        done = [live.do(each) for each in asks]
        goes_on.set()
        for each in done:
            each.result()

    return ask


def asked(live: LiveMat) -> str | None:
    """What the display's list asks, if one is open."""
    live._call(live._publish).result()
    choices = live.state["view"]["choices"]
    return None if choices is None else choices["prompt"]


def test_presses_that_come_all_at_once_are_as_many_presses(
    live: LiveMat, at_once: Callable[..., None]
) -> None:
    ok, back = ((protocol.Down(name), protocol.Up(name)) for name in ("ok", "back"))
    prompts = [asked(live)]
    for _ in range(2):
        at_once(*ok)
        prompts.append(asked(live))
    assert len(set(prompts)) == 3
    at_once(*back * 2)
    assert asked(live) == prompts[0]
    at_once(*ok * 2)
    assert asked(live) == prompts[2]
