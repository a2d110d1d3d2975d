"""All entities appear at Home Assistant, show what the table shows, and survive every restart."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from firmware.archive.recent import find_recent
from firmware.config.table_config import load_config
from firmware.runtime.controller import decks_of
from firmware.runtime.local_socket import LocalSocket
from sim.mat.mat import Mat
from sim.people.person import EmulatedPerson
from tests.firmware.archive.kept import play
from tests.firmware.mqtt.broker import Mosquitto
from tests.house.home_assistant import HomeAssistant, until

READER = '[readers.play]\nspi = "0.0"\n[display]\n[voice]\nengine = "silent"\n'
SEATS = range(1, 7)
PARTS = {"sensor": 12, "event": 2, "button": 3, "select": 2, "number": 1}  # without the parts


class House:
    """A table, a broker, Home Assistant and the connection between them."""

    def __init__(self, folder: Path, home: HomeAssistant) -> None:
        self.home, self.broker = home, Mosquitto(folder)
        self._folder, self._table = folder / "state", folder / "table.toml"
        self._folder.mkdir()
        play(self._folder)  # Ann wins
        self._table.write_text(
            f'{READER}[mqtt]\non = true\nbroker = "127.0.0.1"\nport = {self.broker.port}\n', "utf-8"
        )
        config = load_config(self._table)
        self.mat = Mat(config, self._folder)
        self.people = EmulatedPerson(self.mat, decks_of(config))
        self._socket: LocalSocket | None = None
        self._connection: subprocess.Popen[bytes] | None = None
        self.said: list[str] = []  # by the connection
        self.parts: dict[str, tuple[Callable[[], None], Callable[[], None]]] = {
            "table": (self.start_table, self._stop_table),
            "broker": (self.broker.start, self.broker.kill),
            "home": (home.start, home.stop),
            "connection": (self.start_connection, self._stop_connection),
        }

    def start_table(self) -> None:
        self.mat.power_on()
        self._socket = LocalSocket(
            *(self._folder / "companion.sock", self.mat.outlet, self.mat.inbox),
            find_results=partial(find_recent, self._folder),
        ).open()

    def _stop_table(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self.mat.power_cut()
            self._socket = None

    def start_connection(self) -> None:
        options = ("--table", str(self._table), "--state", str(self._folder))
        self._connection = subprocess.Popen(
            [sys.executable, "-m", "firmware.commands.cli", "mqtt", *options],
            stderr=subprocess.PIPE,
        )

    def _stop_connection(self) -> None:
        if self._connection is not None:
            self._connection.kill()
            _, said = self._connection.communicate()
            self.said += said.decode().splitlines()
            self._connection = None

    def until(self, happened: Callable[[], object], what: str = "it") -> None:
        """Let the table work until *happened* returns a true value."""

        def step() -> object:
            self.mat.wait(0.1)
            return happened()

        until(step, what)

    def expected(self) -> dict[str, str]:
        """Return what the table shows, by entity."""
        state, settings = self.mat.outlet.state, self.mat.running.table.context.settings.current
        assert state is not None
        scores = {f"score_{n}": "unknown" for n in SEATS}
        scores |= {f"score_{n}": str(points) for n, points in enumerate(state.scores, 1)}
        direction = "unknown" if state.direction is None else state.direction
        shown = {
            "game": state.title,
            "phase": "playing",
            "headline": state.headline,
            "turn": state.names[state.active[0]],
            "direction": direction,
            "last_winner": "Ann",
            **scores,
        }
        return {
            **{f"sensor.tapmat_{name}": value for name, value in shown.items()},
            "select.tapmat_language": settings.language,
            "select.tapmat_level": settings.level.value,
            "number.tapmat_volume": str(settings.volume),
            "binary_sensor.tapmat_part_display": "off",
            "binary_sensor.tapmat_part_reader_play": "off",
        }

    def differences(self) -> dict[str, tuple[str, str | None]]:
        """Return what Home Assistant shows differently: the right state, and the one shown."""
        shown, expected = self.home.states(), self.expected()
        found = {name: shown[name]["state"] if name in shown else None for name in expected}
        return {
            name: (expected[name], found[name])
            for name in expected
            if expected[name] != found[name]
        }

    def is_right(self) -> bool:
        """Return True if Home Assistant shows what the table shows."""
        try:
            return not self.differences()
        except OSError:
            return False

    def until_right(self, why: str) -> None:
        """Wait until Home Assistant shows what the table shows, and complains about nothing."""
        try:
            self.until(self.is_right)
        except AssertionError:
            pytest.fail(f"{why}: {self.differences()}")
        assert self.home.complaints == [], why

    def restart(self, order: tuple[str, ...]) -> None:
        """Stop everything, and start it in *order*."""
        for part in self.parts.values():
            part[1]()
        for name in order:
            self.parts[name][0]()

    def close(self) -> None:
        for part in self.parts.values():
            part[1]()
        self.mat.close()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("house")
    with closing(House(folder, HomeAssistant("judged"))) as made:
        made.start_table()
        made.people.begin("straw", 2)
        made.start_connection()
        made.home.start()
        made.home.set_up(made.broker.port)
        made.until_right("at the beginning")
        yield made


def entities(house: House) -> dict[str, dict[str, Any]]:
    found = house.home.states()
    return {
        name: each for name, each in found.items() if name.partition(".")[2].startswith("tapmat_")
    }


def test_all_entities_appear_with_their_names(house: House) -> None:
    found = entities(house)
    kinds = [name.partition(".")[0] for name in found]
    assert {kind: kinds.count(kind) for kind in PARTS} == PARTS
    parts = [name for name in found if name.startswith("binary_sensor.")]
    assert len(parts) == len(house.mat.running.table.context.parts)
    names = [each["attributes"]["friendly_name"] for each in found.values()]
    assert "tapmat Score of seat 1" in names
    assert len(set(names)) == len(names)
    assert house.home.complaints == []


def test_a_card_is_an_event_and_can_be_taken_back(house: House) -> None:
    house.people.move("tap", ["weight-7"], "play", "straw")
    house.until_right("after a card")
    card = house.home.states()["event.tapmat_card"]["attributes"]
    assert (card["kind"], card["player"], card["event_type"]) == ("weight-7", "Ann", "laid")
    assert card["text"] == "Ann plays the 7."
    house.home.do("button.press", entity_id="button.tapmat_take_back")
    house.until(lambda: house.home.state("sensor.tapmat_turn") == "Ann")
    house.until_right("after it was taken back")
    attributes = house.home.states()["event.tapmat_play"]["attributes"]
    assert attributes["event_type"] in ("undone", "turn")


def test_the_settings_can_be_changed(house: House) -> None:
    for entity, action, value in (
        ("number.tapmat_volume", "number.set_value", {"value": 30}),
        ("select.tapmat_level", "select.select_option", {"option": "terse"}),
        ("select.tapmat_language", "select.select_option", {"option": "de"}),
    ):
        house.home.do(action, entity_id=entity, **value)
        (wanted,) = value.values()
        house.until(partial(lambda name, to: house.home.state(name) == to, entity, str(wanted)))
    house.until_right("in German")
    assert house.mat.running.table.context.settings.current.language == "de"
    names = [each["attributes"]["friendly_name"] for each in entities(house).values()]
    assert "tapmat Punkte an Platz 1" in names
    house.home.do("select.select_option", entity_id="select.tapmat_language", option="en")
    house.until(lambda: house.home.state("select.tapmat_language") == "en")
    house.until_right("in English again")


def notice_at(mat: Mat) -> str:
    """Return what the table asks for now on its display, or an empty text."""
    state = mat.outlet.state
    return "" if state is None or state.notice is None else state.notice.do


def test_the_table_says_that_it_can_be_unplugged(house: House) -> None:
    house.home.do("button.press", entity_id="button.tapmat_safe_to_unplug")
    house.until(lambda: notice_at(house.mat) == "You can unplug the table.")


def test_a_part_that_fails_is_a_problem_with_advice(house: House) -> None:
    house.mat.fault("reader-unplugged", "play")
    name = "binary_sensor.tapmat_part_reader_play"
    house.until(lambda: house.home.state(name) == "on")
    attributes = house.home.states()[name]["attributes"]
    assert attributes["do"]
    house.mat.fault("none", "play")
    house.until(lambda: house.home.state(name) == "off")


@pytest.mark.parametrize(
    "order", list(permutations(("table", "broker", "home", "connection"))), ids="-".join
)
def test_everything_is_right_again_in_whatever_order_it_starts(
    house: House, order: tuple[str, ...]
) -> None:
    house.restart(order)
    house.until_right("after the start")
    house.people.move("tap", ["weight-7"], "play", "straw")
    house.until_right("after a card")
    house.home.do("button.press", entity_id="button.tapmat_take_back")
    house.until(lambda: house.home.state("sensor.tapmat_turn") == "Ann")
    house.until_right("after it was taken back")


@pytest.mark.parametrize("name", ["table", "broker", "connection"])
def test_a_part_that_is_gone_makes_all_entities_unavailable(house: House, name: str) -> None:
    start, stop = house.parts[name]
    stop()
    until(lambda: house.home.state("sensor.tapmat_game") == "unavailable")
    start()
    house.until_right("when it is back")


def test_the_connection_warned_once_for_each_outage(house: House) -> None:
    house.parts["connection"][1]()
    assert all("No connection to the broker 127.0.0.1" in line for line in house.said)
    house.start_connection()
    house.until_right("again")
