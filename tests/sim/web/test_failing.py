"""Tests of a failing program under the virtual table: it restarts once, then reports and stops."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from aiohttp import ClientSession
from playwright.sync_api import expect

from firmware.common.errors import JournalError
from firmware.config.table_config import load_config
from sim.deal import requests
from sim.web.live import LiveMat, MatStopped
from tests.effort import long_unless
from tests.ports import free_port
from tests.sim.web import aside
from tests.sim.web.browser import Opener, Site

PATIENCE_S = 60  # the timeout for anything that must happen
ADDRESS = re.compile(r"http://[^ /]+")


class Heard:
    """The messages that a mat sends to pages, with their kinds."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Any]] = []
        self.has_stopped = Event()

    def __call__(self, kind: str, news: Any) -> None:
        self.told.append((kind, news))
        if kind == "stopped":
            self.has_stopped.set()

    def of(self, kind: str) -> list[Any]:
        return [news for told, news in self.told if told == kind]


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def live(tmp_path: Path, heard: Heard) -> Iterator[LiveMat]:
    mat = LiveMat(load_config(), tmp_path, heard)
    mat.start().result(PATIENCE_S)
    yield mat
    if mat.failure is None:
        mat.stop()


@pytest.mark.long
@pytest.mark.parametrize("error", [ValueError("x < 0"), JournalError("j", "", "is gone", "Look.")])
def test_a_program_that_fails_once_is_started_again_and_pages_are_informed(
    live: LiveMat, heard: Heard, error: Exception
) -> None:
    live.do(requests.DealCards("straw", 2, is_hot_seat=True)).result(PATIENCE_S)
    live.do(requests.Lay(("straw/weight-7#1",), "play")).result(PATIENCE_S)
    live._call(lambda: live._mat.wait(0.3)).result(PATIENCE_S)
    live._call(lambda: break_here(live, error)).result(PATIENCE_S)
    live.do(requests.TurnEncoder(1)).result(PATIENCE_S)
    (told,) = heard.of("failed")
    assert told.startswith("Something failed, so the table was restarted. ")
    assert ("x < 0" if isinstance(error, ValueError) else "is gone") in told
    live._call(live._publish).result(PATIENCE_S)
    assert live.state["view"]["game"] == "straw"
    assert live.state["view"]["turn"] == 1
    assert live.failure is None


@pytest.mark.parametrize("error", [RuntimeError("again"), SystemExit(7)])
def test_a_program_that_fails_again_soon_has_stopped_and_nothing_waits_for_it(
    live: LiveMat, heard: Heard, error: BaseException
) -> None:
    """Pending calls used to wait for ever, and so did Ctrl-C."""
    live._failed_s = time.monotonic()
    goes_on = Event()
    live._call(lambda: goes_on.wait(PATIENCE_S))
    broken = live._call(lambda: break_here(live, error))
    waiting = [live.do(requests.RockTilt()) for _ in range(9)]
    goes_on.set()
    broken.result(PATIENCE_S)
    assert heard.has_stopped.wait(PATIENCE_S)
    live._thread.join(PATIENCE_S)
    assert live.failure is not None
    assert heard.of("stopped") == [str(live.failure)]
    assert str(live.failure).startswith("The table has stopped. ")
    for done in (*waiting, live.do(requests.RockTilt())):
        with pytest.raises(MatStopped):
            done.result(0)
    with pytest.raises(MatStopped):
        live.stop()


def test_an_act_that_ends_the_program_is_not_waited_for(live: LiveMat, heard: Heard) -> None:
    def leave() -> None:
        raise SystemExit(7)

    with pytest.raises(MatStopped, match="The table has stopped"):
        live._call(leave).result(PATIENCE_S)
    assert heard.has_stopped.wait(PATIENCE_S)
    live.failure = MatStopped("was stopped")


def break_here(live: LiveMat, error: BaseException) -> None:
    def fail() -> None:
        raise error

    live._mat.running.loop.step = fail  # type: ignore[method-assign]


def test_a_mat_that_hangs_is_not_waited_for(live: LiveMat, monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on = Event()
    live._call(lambda: goes_on.wait(PATIENCE_S))
    monkeypatch.setattr("sim.web.live.PATIENCE_S", 0.01)
    with pytest.raises(MatStopped, match="did not answer"):
        live.stop()
    goes_on.set()
    live._thread.join(PATIENCE_S)
    assert not live._thread.is_alive()
    live.failure = MatStopped("was stopped")


def test_an_act_whose_page_is_gone_is_left_out(live: LiveMat) -> None:
    """An answer to a closed page used to end the mat's thread."""
    goes_on = Event()
    live._call(lambda: goes_on.wait(PATIENCE_S))
    gone = live.do(requests.TurnEncoder(1))
    assert gone.cancel()
    goes_on.set()
    live.do(requests.TurnEncoder(1)).result(PATIENCE_S)
    with pytest.raises(CancelledError):
        gone.result()
    assert live.failure is None


# --- the whole program ---


class Process:
    """``tapmat sim`` in a separate process."""

    def __init__(
        self,
        folder: Path,
        *options: str,
        program: str = "from firmware.commands.cli import main; main()",
    ) -> None:
        self.running = subprocess.Popen(
            (
                *(sys.executable, "-c", program, "sim", "--no-open"),
                *("--port", str(free_port()), "--state", str(folder), *options),
            ),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.running.stdout is not None
        found = ADDRESS.search(self.running.stdout.readline())
        assert found is not None, self.running.communicate()
        self.address = found[0]

    def ended(self) -> tuple[int, str]:
        """Wait for the end; return the exit code and the text on standard error."""
        _out, error = self.running.communicate(timeout=PATIENCE_S)
        return self.running.returncode, error


def noise(folder: Path) -> None:
    """Overwrite the journal's files with random bytes while they are in use."""
    for file in folder.glob("journal.sqlite*"):
        with file.open("r+b") as opened:
            opened.write(os.urandom(file.stat().st_size))
            opened.flush()


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="a file in use cannot be written there")
def test_noise_over_the_journal_in_mid_play_leaves_no_zombie(tmp_path: Path) -> None:
    """The page used to get no answer, and Ctrl-C did not end the process."""
    process = Process(tmp_path, "--game", "straw")

    async def play() -> list[dict[str, Any]]:
        origin = process.address
        heard: list[dict[str, Any]] = []
        async with (
            asyncio.timeout(PATIENCE_S),
            ClientSession() as session,
            session.ws_connect(f"{origin}/ws", origin=origin) as page,
        ):
            while not any(m["type"] == "journal" for m in heard):
                heard.append(json.loads(await page.receive_str()))
            noise(tmp_path)
            await page.send_json(
                {"type": "lay", "tags": ["straw/weight-7#1"], "spot": "play", "id": 1}
            )
            while not any(m["type"] == "failed" for m in heard):
                heard.append(json.loads(await page.receive_str()))
            await page.send_json({"type": "turn", "steps": 1, "id": 2})
            while not any(m.get("about") == 2 for m in heard):
                heard.append(json.loads(await page.receive_str()))
        return heard

    heard = aside.run(play())
    (text,) = (m["text"] for m in heard if m["type"] == "failed")
    assert "journal.sqlite is damaged" in text
    assert list(tmp_path.glob("journal-damaged-*.sqlite"))
    process.running.send_signal(signal.SIGINT)
    code, _error = process.ended()
    assert code == 0


BROKEN = """
from firmware.commands.cli import main
from firmware.runtime.loop import Loop
from sim.deal import requests

turn = Loop.step
Loop.step = lambda loop: turn(loop) if loop.table.enrolling_game is None else 1 / 0
main()
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT elsewhere")
def test_what_cannot_be_mended_is_told_to_pages_and_ends_with_an_exit_code(
    tmp_path: Path,
) -> None:
    """The program under test fails whenever stickers are enrolled, and each OK does that."""
    process = Process(tmp_path, "--blank", program=BROKEN)

    async def enrol() -> list[dict[str, Any]]:
        origin = process.address
        heard: list[dict[str, Any]] = []
        async with (
            asyncio.timeout(PATIENCE_S),
            ClientSession() as session,
            session.ws_connect(f"{origin}/ws", origin=origin) as page,
        ):
            for _ in range(2):
                for button in (
                    {"type": "down", "button": "ok", "id": 1},
                    {"type": "up", "button": "ok", "id": 2},
                    {"type": "choose", "value": "stickers", "id": 3},
                    {"type": "choose", "value": "straw", "id": 4},
                ):
                    await page.send_json(button)
            async for message in page:
                heard.append(json.loads(message.data))
        return heard

    heard = aside.run(enrol())
    code, error = process.ended()
    told = [m["text"] for m in heard if m["type"] == "stopped"]
    assert told == [error.splitlines()[-1]]
    assert "ZeroDivisionError" in told[0]
    assert code == 1


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
@pytest.mark.parametrize("times", long_unless((2).__eq__, [1, 2]))
def test_ctrl_c_ends_the_process(tmp_path: Path, times: int) -> None:
    process = Process(tmp_path)
    for _ in range(times):
        process.running.send_signal(signal.SIGINT)
    code, error = process.ended()
    assert "Traceback" not in error
    assert code in (0, 130)


# --- in a browser ---


def test_a_page_says_that_the_table_was_started_again(open_page: Opener, site: Site) -> None:
    """The notice of the restart stays on the page until it is closed."""
    table = open_page()
    table.deal(2)
    site.in_mat(lambda mat: break_here(site.live, ValueError("x < 0")))
    notice = table.page.locator("#notices .notice[data-stays]")
    expect(notice).to_contain_text("the table was restarted")
    expect(table.hand).to_have_count(4)
    notice.get_by_role("button").click()
    expect(notice).to_have_count(0)


def test_a_page_says_that_the_table_has_stopped(open_page: Opener, site: Site) -> None:
    table = open_page()
    table.deal(2)
    site.live._failed_s = time.monotonic()
    site.in_mat(lambda mat: break_here(site.live, ValueError("x < 0")))
    notice = table.page.locator("#notices .notice[data-stays]")
    expect(notice).to_contain_text("The table has stopped. This is an error in tapmat")
    with pytest.raises(MatStopped):
        site.in_mat(lambda mat: None)
