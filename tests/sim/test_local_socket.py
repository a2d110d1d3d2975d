"""The local socket at a real table on emulated chips: it tells everything and delays nothing."""

import json
import random
import selectors
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from firmware.config.table_config import load_config
from firmware.outlet.queue import Outlet
from firmware.outlet.stream import LONGEST_LINE
from firmware.runtime.controller import decks_of
from firmware.runtime.inbox import MOST_WAITING
from firmware.runtime.local_socket import MOST_CLIENTS, SAVED_UP, LocalSocket
from firmware.show.text import find_text
from sim.mat.mat import Mat
from sim.people.person import EmulatedPerson
from tests.effort import some

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Python there has no Unix sockets")

CONFIG = load_config()
PATIENCE_S = 20.0
PLAYS = ("weight-3", "weight-7", "weight-10", "reverse", "straw")  # the last one is refused


class Evening:
    """A mat with its local socket, and people who play Straw at it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.mat = Mat(CONFIG, folder)
        self.mat.outlet = Outlet(self._virtual_time)
        self.mat.power_on()
        self.path = folder / "companion.sock"
        self.socket = LocalSocket(self.path, self.mat.outlet, self.mat.inbox).open()
        self.people = EmulatedPerson(self.mat, decks_of(CONFIG))

    def _virtual_time(self) -> datetime:
        return datetime.fromtimestamp(self.mat.board.clock.now(), UTC)

    def play(self) -> list[str]:
        """Play a little; return everything that happened, with the virtual time of each event."""
        self.people.begin("straw", 3)
        for kind in PLAYS:
            self.people.move("tap", [kind], "play", "straw")
            self.mat.wait(0.5)
        self.mat.press("back")
        self.mat.wait(12.0)
        events = [each.to_json() for each in self.mat.outlet.read(0).events]
        lamps = [self.mat.lamp(name) for name in CONFIG.lamps]
        bits = self.mat.board.i2c_bus.bits
        return [*map(json.dumps, events), repr((self.mat.board.clock.now(), lamps, bits))]

    @property
    def last(self) -> int:
        return self.mat.outlet.last

    def close(self) -> None:
        self.socket.close()
        self.mat.close()


class Reader:
    """A program at the socket."""

    def __init__(self, evening: Evening) -> None:
        self.evening = evening
        self.connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.connection.settimeout(PATIENCE_S)
        self.connection.connect(str(evening.path))
        self.file = self.connection.makefile("rb")

    def line(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.file.readline())
        return told

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        while not wanted(line := self.line()):
            pass
        return line

    def send(self, line: bytes) -> None:
        self.connection.sendall(line + b"\n")

    @property
    def is_dropped(self) -> bool:
        """True once the table has disconnected this program; waits for what it still sends."""
        try:
            while self.file.readline():
                pass
        except ConnectionError:
            pass
        return True

    def close(self) -> None:
        self.file.close()
        self.connection.close()


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    with closing(Evening(tmp_path / "state")) as made:
        yield made


@pytest.fixture
def reader(evening: Evening) -> Iterator[Reader]:
    with closing(Reader(evening)) as made:
        yield made


def test_a_reader_gets_the_state_the_events_and_the_state_again(
    evening: Evening, reader: Reader
) -> None:
    assert reader.line()["state"]["phase"] == "idle"
    evening.people.begin("straw", 3)
    evening.people.move("tap", ["weight-7"], "play", "straw")
    reader.until(lambda line: line.get("event", {}).get("event") == "played")
    shown = reader.until(lambda line: (line.get("state") or {}).get("last") is not None)["state"]
    assert (shown["game"], shown["headline"], shown["turn"]) == ("straw", "7", 1)
    assert shown["last"] == {"entry": 2, "seat": 0, "text": "Ann plays the 7."}
    evening.mat.power_cut()
    reader.until(lambda line: line == {"state": None})
    evening.mat.power_on()
    assert reader.until(lambda line: bool(line.get("state")))["state"]["headline"] == "7"


def test_an_undo_takes_the_last_play_from_the_screens(evening: Evening) -> None:
    evening.people.begin("straw", 3)
    evening.people.move("tap", ["weight-7"], "play", "straw")
    assert evening.mat.outlet.state is not None
    assert evening.mat.outlet.state.last is not None
    evening.mat.press("back")
    assert evening.mat.outlet.state.last is None


def test_only_its_owner_may_connect_and_the_file_goes_with_the_table(tmp_path: Path) -> None:
    made = Evening(tmp_path / "state")
    assert made.path.stat().st_mode & 0o777 == 0o600
    made.close()
    assert not made.path.exists()


def test_a_socket_that_a_killed_table_left_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(folder / "companion.sock"))
    with closing(Evening(folder)) as made, closing(Reader(made)) as reader:
        assert reader.line()["state"]["phase"] == "idle"


def test_a_table_without_room_for_the_path_plays_without_a_companion(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(Evening(tmp_path / ("long" * 30))) as made:
        assert "There is no companion" in caplog.text
        assert made.play()


@pytest.mark.long
def test_readers_change_neither_what_happens_nor_when(tmp_path: Path) -> None:
    """With nobody, with twenty, and with one that never reads: byte for byte the same."""
    with closing(Evening(tmp_path / "alone")) as alone:
        expected = alone.play()
    with closing(Evening(tmp_path / "twenty")) as many, ExitStack() as left:
        readers = [left.enter_context(closing(Reader(many))) for _ in range(20)]
        assert many.play() == expected
        for reader in readers:
            reader.until(lambda line: line.get("event", {}).get("event") == "undone")
    with closing(Evening(tmp_path / "dead")) as slow, closing(Reader(slow)):
        assert slow.play() == expected


@pytest.mark.long
def test_a_reader_that_never_reads_is_disconnected_and_others_are_not(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware.runtime.local_socket.MOST_UNSENT", 2000)
    with closing(Reader(evening)) as dead, closing(Reader(evening)) as alive:
        dead.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        evening.people.begin("straw", 3)
        for _ in range(400):  # the kernel buffers about 200 kB for it
            if len(evening.socket._clients) == 1:
                break
            evening.people.move("tap", ["straw"], "play", "straw")
            alive.until(lambda line: line.get("event", {}).get("event") == "refused")
        assert dead.is_dropped
        evening.mat.press("ok")
        assert alive.until(lambda line: "state" in line)


def test_while_nobody_is_connected_the_thread_sleeps_in_the_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float | None] = []
    select = selectors.DefaultSelector.select

    def counted(self: selectors.DefaultSelector, timeout: float | None = None) -> Any:
        if threading.current_thread().name == "local socket":
            waits.append(timeout)
        return select(self, timeout)

    monkeypatch.setattr(selectors.DefaultSelector, "select", counted)
    with closing(Evening(tmp_path / "state")) as alone:
        alone.play()
        assert waits == [None], "one wait, without an end"
        with closing(Reader(alone)) as reader:
            assert reader.line()


def test_too_many_programs_are_turned_away(evening: Evening) -> None:
    with ExitStack() as left:
        first = [left.enter_context(closing(Reader(evening))) for _ in range(MOST_CLIENTS)]
        assert all(reader.line() for reader in first)
        assert left.enter_context(closing(Reader(evening))).is_dropped


def test_a_code_is_shown_at_the_next_turn(evening: Evening, reader: Reader) -> None:
    reader.send(b'{"show": "code", "code": "123456"}')
    while evening.mat.view.notice is None:
        evening.mat.step()
    evening.mat.wait(0.5)
    assert find_text(evening.mat.pixels, "123 456")
    state = evening.mat.outlet.state
    assert state is not None
    assert state.notice is None, "only at the mat"


@pytest.mark.parametrize(("button", "is_yes"), [("ok", True), ("back", False)])
def test_the_people_at_the_mat_answer_with_a_button(
    evening: Evening, reader: Reader, button: str, is_yes: bool
) -> None:
    evening.people.begin("straw", 3)
    evening.people.move("tap", ["weight-7"], "play", "straw")
    reader.send(b'{"ask": "join", "id": 9, "address": "192.0.2.7"}')
    while not any("192.0.2.7" in line.text for line in evening.mat.said) and not (
        evening.mat.view.notice and "192.0.2.7" in evening.mat.view.notice.happened
    ):
        evening.mat.step()
    evening.mat.press(button)
    answer = reader.until(lambda line: "answer" in line)
    why = {} if is_yes else {"text": "refused"}
    assert answer == {"answer": {"id": 9, "yes": is_yes, **why}}
    assert evening.mat.view.headline == "7", "the press undid nothing"
    assert evening.mat.view.notice is None
    evening.mat.press("back")
    assert evening.mat.view.headline == "0", "the next press is the table's again"


def test_a_thousand_malformed_lines_reach_no_table(evening: Evening) -> None:
    chance = random.Random(24)
    good = b'{"ask": "join", "id": 9, "address": "192.0.2.7"}'
    evening.play()
    before = evening.last
    for _ in range(some(1000)):
        line = bytearray(good)
        for _ in range(chance.randint(1, 4)):
            line[chance.randrange(len(line))] = chance.choice(b'\0\xff{}[]"\\,:0e- x')
        line += bytes(chance.randbytes(chance.choice((0, 0, 5, LONGEST_LINE * 40))))
        with closing(Reader(evening)) as reader, ExitStack() as broken:
            broken.callback(lambda: None)
            try:
                reader.send(bytes(line).replace(b"192.0.2", b"x"))
            except OSError:
                continue  # it was disconnected in the middle of a long line
            assert reader.is_dropped
    assert list(evening.mat.inbox.take(0.0)) == []
    assert evening.last == before


def test_more_than_a_busy_table_can_take_is_answered_with_no(
    evening: Evening, reader: Reader
) -> None:
    for first in (0, 100):  # the second time shows that the first has not disconnected
        last = first + MOST_WAITING
        for number in range(first, last + 1):
            reader.send(b'{"ask": "join", "id": %d, "address": "192.0.2.7"}' % number)
        while reader.line() != {"answer": {"id": last, "yes": False}}:
            pass
        assert len(evening.mat.inbox.take(0.0)) == MOST_WAITING


def test_a_flood_of_requests_disconnects(
    evening: Evening, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware.runtime.inbox.MOST_WAITING", 1000)
    with suppress(ConnectionError):  # it may be disconnected before it has sent everything
        for _ in range(int(SAVED_UP) * 2):
            reader.send(b'{"show": "code", "code": "123456"}')
    assert reader.is_dropped
    assert SAVED_UP <= len(evening.mat.inbox.take(0.0)) < SAVED_UP * 2
