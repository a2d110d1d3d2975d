"""A table, a broker, Home Assistant and the connection between them, which all can be restarted."""

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

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
LIGHTS = "[light.seat_1, light.seat_2, light.seat_3, light.seat_4]"
AUTOMATIONS = f"""\
- id: turn
  alias: A light follows the turn
  use_blueprint:
    path: tapmat/light_follows_turn.yaml
    input: {{turn: sensor.tapmat_turn, lights: {LIGHTS}}}
- id: quiet
  alias: Quiet hours
  use_blueprint:
    path: tapmat/quiet_hours.yaml
    input: {{volume: number.tapmat_volume, begins: "00:00:00", ends: "23:59:59"}}
- id: winner
  alias: The winner's light
  use_blueprint:
    path: tapmat/winners_light.yaml
    input: {{play: event.tapmat_play, lights: {LIGHTS}, seconds: 2}}
- id: help
  alias: A part needs help
  use_blueprint:
    path: tapmat/part_needs_help.yaml
    input:
      parts: [binary_sensor.tapmat_part_reader_play, binary_sensor.tapmat_part_display]
      minutes: 0
      act:
        - action: input_text.set_value
          target: {{entity_id: input_text.told}}
          data: {{value: "{{{{ text }}}}"}}
"""


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
