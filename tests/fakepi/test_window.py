"""Tests of the window of ``fakepi run``, by its requests."""

import json
import shlex
import subprocess
import threading
import tomllib
from collections.abc import Iterator
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from fakepi.circuit import Circuit
from fakepi.clock import VirtualClock
from fakepi.window import BrowserWindow
from fakepi.wiring import read_wiring
from tests.fakepi.programs import COMMAND, EXAMPLES, LIMIT_S, ROOT, compiled, environment, fakepi

UID = "04:11:22:33:44:55:66"
WIRING = '[spi]\n"0.0" = "mfrc522"\n[i2c]\n"1.0x3C" = "ssd1306"\n[pins]\n17 = { part = "button" }'
LAY = {"act": "lay", "uid": UID, "reader": "0.0"}


@pytest.fixture
def circuit() -> Circuit:
    return Circuit(read_wiring(tomllib.loads(WIRING)), VirtualClock())


@pytest.fixture
def url(circuit: Circuit) -> Iterator[str]:
    with BrowserWindow(circuit, threading.RLock(), 0) as window:
        yield window.url


def ask(url: str, path: str, act: Any = None, **headers: str) -> tuple[int, str]:
    """Return status and body of one request; *act* makes it a POST."""
    client = HTTPConnection(urlsplit(url).netloc, timeout=LIMIT_S)
    if act is None:
        client.request("GET", path, headers=headers)
    else:
        sent = {"Content-Type": "application/json", **headers}
        client.request("POST", path, json.dumps(act), sent)
    answer = client.getresponse()
    status, body = answer.status, answer.read().decode()
    client.close()
    return status, body


def state(url: str) -> Any:
    status, body = ask(url, "/state")
    assert status == 200
    return json.loads(body)


def test_it_lays_and_lifts_tags(url: str, circuit: Circuit) -> None:
    assert ask(url, "/act", LAY)[0] == 204
    assert circuit.tags("0.0") == [UID]
    assert state(url)["readers"] == [{"name": "0.0", "is_on": False, "tags": [UID]}]
    assert ask(url, "/act", {**LAY, "act": "lift"})[0] == 204
    assert circuit.tags("0.0") == []


def test_it_shows_the_display(url: str, circuit: Circuit) -> None:
    dark = {"name": "1.0x3C", "rows": ["0" * 128] * 64}
    assert state(url)["displays"] == [dark]
    circuit.displays["1.0x3C"].write(bytes((0x00, 0x8D, 0x14, 0xA5, 0xAF)))  # all pixels on
    assert state(url)["displays"] == [{**dark, "rows": ["1" * 128] * 64}]


def test_it_presses_buttons(url: str, circuit: Circuit) -> None:
    assert state(url)["buttons"] == [17]
    circuit.pins.pin(17).pull(True)
    for is_down in (True, False):
        assert ask(url, "/act", {"act": "press", "button": 17, "is_down": is_down})[0] == 204
        assert circuit.pins.pin(17).level is not is_down


def test_it_shows_the_pins_that_a_program_uses(url: str, circuit: Circuit) -> None:
    assert state(url)["pins"] == []
    pin = circuit.pins.pin(18)
    pin.owner = object()
    pin.output(True)
    assert state(url)["pins"] == [{"number": 18, "level": 1.0}]


def test_it_turns_encoders_and_shows_strips() -> None:
    wiring = (
        '[spi]\n"0.0" = { chip = "ws2812", count = 2 }\n[pins]\n5 = { part = "encoder", b = 6 }'
    )
    circuit = Circuit(read_wiring(tomllib.loads(wiring)), VirtualClock())
    edges: list[tuple[int, float]] = []
    for number in (5, 6):
        circuit.pins.pin(number).pull(True)
        circuit.pins.pin(number).wires.append(partial(_note, edges, number))
    with BrowserWindow(circuit, threading.RLock(), 0) as window:
        assert state(window.url)["strips"] == [{"name": "0.0", "colours": [[0, 0, 0]] * 2}]
        # Each bit is three bits at 2.4 MHz: 110 for a 1, 100 for a 0.
        bits = "".join("110" if 0x00FF00FF0000 >> at & 1 else "100" for at in reversed(range(48)))
        circuit.open_spi("0.0", 2_400_000).xfer2(list(int(bits, 2).to_bytes(18)) + [0] * 90)
        assert state(window.url)["strips"][0]["colours"] == [[255, 0, 0], [0, 255, 0]]
        assert state(window.url)["encoders"] == [5]
        for is_clockwise, first in ((True, 5), (False, 6)):
            edges.clear()
            act = {"act": "turn", "encoder": 5, "is_clockwise": is_clockwise}
            assert ask(window.url, "/act", act)[0] == 204
            circuit.clock.sleep(1)
            assert edges[0] == (first, 0.0)
        assert ask(window.url, "/act", {**act, "encoder": 6})[0] == 400


def _note(edges: list[tuple[int, float]], number: int, level: float) -> None:
    edges.append((number, level))


@pytest.mark.long
@pytest.mark.parametrize(
    ("act", "says"),
    [
        ({**LAY, "uid": "04:1"}, "is not the UID of a tag"),
        ({**LAY, "act": "steal"}, 'There is no action "steal"'),
        ({"act": "lay"}, "This is not an act: KeyError"),
        ([], "This is not an act: TypeError"),
    ],
)
def test_mistakes_are_reported(url: str, circuit: Circuit, act: Any, says: str) -> None:
    status, body = ask(url, "/act", act)
    assert status == 400
    assert says in body
    assert circuit.tags("0.0") == []


def test_pages_of_other_sites_are_refused(url: str, circuit: Circuit) -> None:
    assert ask(url, "/state", Host="evil.example")[0] == 403
    assert ask(url, "/act", LAY, Host="evil.example")[0] == 403
    assert ask(url, "/act", LAY, **{"Content-Type": "text/plain"})[0] == 415
    assert circuit.tags("0.0") == []
    assert ask(url, "/")[0] == 200
    assert ask(url, "/other")[0] == 404


@pytest.mark.long
def test_a_tag_laid_in_the_window_reaches_the_program(tmp_path: Path) -> None:
    if (refused := fakepi("run", "--", "true")).returncode == 2:
        pytest.skip(refused.stderr)
    program = compiled(EXAMPLES / "spidev_uid.c", tmp_path)
    command = (*COMMAND, "run", "--window", "0", "--", "sh", "-c", f"{program}; read l; {program}")
    process = subprocess.Popen(
        command,
        env=environment(),
        cwd=tmp_path,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        url = process.stderr.readline().removeprefix("Display and tags: ").strip()
        assert process.stdout.readline() == "RC522 version 92\n"
        assert process.stdout.readline() == "no tag\n"
        assert ask(url, "/act", LAY)[0] == 204
        assert state(url)["readers"] == [{"name": "0.0", "is_on": True, "tags": [UID]}]
        process.stdin.write("\n")
        process.stdin.close()
        assert process.stdout.readlines() == ["RC522 version 92\n", f"{UID}\n"]


def test_the_commands_of_the_page_lay_and_lift_a_tag(url: str, circuit: Circuit) -> None:
    page = (ROOT / "sim/fakepi/docs/run.md").read_text("utf-8")
    commands = [shlex.split(line) for line in page.splitlines() if line.startswith("curl ")]
    assert len(commands) == 2
    for command, tags in zip(commands, ([UID], []), strict=True):
        name, value = command[command.index("-H") + 1].split(": ")
        act = json.loads(command[command.index("-d") + 1])
        assert command[-1] == "http://127.0.0.1:8080/act"
        assert ask(url, "/act", act, **{name: value}) == (204, "")
        assert circuit.tags("0.0") == tags
