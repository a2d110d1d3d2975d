"""The table at a real broker: what is retained, what is not, and which commands come back."""

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engines.common.contract import Number, Seat, Tap
from engines.common.pieces import Piece
from firmware.mqtt import connection
from firmware.mqtt.house import SOON_S
from firmware.outlet.events import GameOver, InputPlayed, InputUndone, PlayRefused, TurnChanged
from firmware.outlet.private import HostState
from firmware.outlet.state import FinalScores, LatestPlay
from firmware.table.events import PhoneAct, PhoneCommand, SettingChosen
from tests.firmware.companion.table import IDLE, STRAW, QuietTable
from tests.firmware.mqtt.broker import (
    HOST,
    Mosquitto,
    Onlooker,
    connected,
    mosquitto,
    needs_mosquitto,
    onlooker,
    quiet_table,
    until,
)

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="Python there has no Unix sockets"),
    needs_mosquitto,
]
AVAILABLE, STATE, DEVICE = (
    *("tapmat/tapmat/available", "tapmat/tapmat/state"),
    "homeassistant/device/tapmat/config",
)
WINNER = "tapmat/tapmat/last_winner"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[QuietTable]:
    with closing(quiet_table(tmp_path)) as made:
        yield made


@pytest.fixture
def broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mosquitto]:
    monkeypatch.setattr(connection, "FIRST_PAUSE_S", 0.05)
    monkeypatch.setattr(connection, "LONGEST_PAUSE_S", 0.1)
    with mosquitto(tmp_path) as made:
        yield made


def state_in(looker: Onlooker) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(looker.last(STATE) or "{}")
    return found


def plays_in(looker: Onlooker, kind: str = "play") -> list[dict[str, Any]]:
    return [json.loads(text) for topic, text in looker.heard if topic == f"tapmat/tapmat/{kind}"]


def test_the_state_is_retained_and_the_device_described(
    table: QuietTable, broker: Mosquitto
) -> None:
    async def run() -> None:
        async with connected(table, broker.config()):
            async with onlooker(broker.port) as looker:
                await until(lambda: looker.last(AVAILABLE) == "online")
            async with onlooker(broker.port) as late:
                await until(lambda: len(late.retained) == 3)
                assert set(late.retained) == {AVAILABLE, STATE, DEVICE}
                state = state_in(late)
        assert (state["game"], state["turn"], state["headline"]) == ("Straw", "Ben", "21")
        assert (state["score_1"], state["score_2"], state["score_3"]) == (3, 0, None)
        assert (state["phase"], state["direction"]) == ("playing", "clockwise")
        assert (state["language"], state["level"], state["volume"]) == ("en", "normal", "70")
        assert (state["part_display"], state["part_reader_seat_1"]) == ("OFF", "ON")
        assert state["part_lamps"] is None, "nobody knows if the lamps work"
        assert state["attributes"]["turn"] == {"seat": 2, "active": [2]}

    asyncio.run(run())


def test_plays_are_published_once_and_not_retained(table: QuietTable, broker: Mosquitto) -> None:
    async def run() -> None:
        async with connected(table, broker.config()), onlooker(broker.port) as looker:
            await until(lambda: looker.last(AVAILABLE) == "online")
            table.outlet.put(InputPlayed(12, 1, Tap(Piece("weight-7", 2))))
            table.outlet.put(TurnChanged(Seat(0), (Seat(0),)))
            table.outlet.state = replace(STRAW, last=LatestPlay(12, Seat(1), "Ben plays the 7."))
            table.outlet.put(InputPlayed(13, 1, Number(3)))
            table.outlet.put(PlayRefused("not-yet", "4.1", "You can't.", "Wait."))
            table.outlet.put(InputUndone(14, 1))
            table.outlet.put(GameOver((Seat(0),), (4, 1)))
            await until(lambda: len(plays_in(looker)) == 6 and plays_in(looker, "card"))
            async with onlooker(broker.port) as late:
                await until(lambda: len(late.retained) == 3)
        kinds = [each["event_type"] for each in plays_in(looker)]
        assert kinds == ["played", "turn", "played", "refused", "undone", "game_over"]
        assert plays_in(looker)[1]["player"] == "Ann"
        assert plays_in(looker)[5] == {
            "event_type": "game_over",
            "winners": ["Ann"],
            "seats": [1],
            "scores": [4, 1],
        }
        (card,) = plays_in(looker, "card")
        assert card == {
            "event_type": "laid",
            "entry": 12,
            "game": "straw",
            "kind": "weight-7",
            "seat": 2,
            "player": "Ben",
            "text": "Ben plays the 7.",
        }

    asyncio.run(run())


def test_the_last_winner_stays_when_the_next_game_has_begun(
    table: QuietTable, broker: Mosquitto
) -> None:
    async def run() -> None:
        final = FinalScores("Straw", ("Ann", "Ben"), (9, 1), (Seat(0),), "point")
        table.outlet.state = replace(IDLE, final=final)
        async with connected(table, broker.config()), onlooker(broker.port) as looker:
            await until(lambda: looker.last(WINNER) == "Ann")
            table.outlet.state = STRAW
            await until(lambda: state_in(looker).get("game") == "Straw")
        async with connected(table, broker.config()), onlooker(broker.port) as looker:
            await until(lambda: looker.last(AVAILABLE) == "online")
            assert looker.retained[WINNER] == "Ann", "the broker knows it still"

    asyncio.run(run())


@pytest.mark.parametrize(
    ("command", "payload", "act"),
    [
        ("say-again", "PRESS", PhoneCommand.SAY_AGAIN),
        ("take-back", "PRESS", PhoneCommand.TAKE_BACK),
        ("safe-to-unplug", "PRESS", PhoneCommand.SAFE_TO_UNPLUG),
        ("language", "de", SettingChosen("language", "de")),
        ("level", "terse", SettingChosen("level", "terse")),
        ("volume", "34.0", SettingChosen("volume", "30")),
        ("volume", "0", SettingChosen("volume", "10")),
    ],
)
def test_a_command_becomes_an_act_of_the_host(
    table: QuietTable, broker: Mosquitto, command: str, payload: str, act: object
) -> None:
    async def run() -> None:
        async with connected(table, broker.config()), onlooker(broker.port) as looker:
            await until(lambda: looker.last(AVAILABLE) == "online")
            await looker.press(command, payload)
            await until(table.take)
        assert table.requests == [PhoneAct(None, HOST.moment, act)]  # type: ignore[arg-type]

    asyncio.run(run())


def test_what_is_no_command_reaches_no_table(table: QuietTable, broker: Mosquitto) -> None:
    async def run() -> None:
        async with onlooker(broker.port) as looker:
            await looker.press("take-back", retain=True)
            async with connected(table, broker.config()):
                await until(lambda: looker.last(AVAILABLE) == "online")
                for command, payload in (
                    *(("end-game", "PRESS"), ("hints", "none"), ("language", "xx")),
                    *(("volume", "loud"), ("volume", "nan"), ("level", "x" * 10_000)),
                    ("language", "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")),
                ):
                    await looker.press(command, payload)
                await looker.press("say-again")
                await until(table.take)
                await asyncio.sleep(0.1)
        (only,) = table.take()
        assert only == PhoneAct(None, HOST.moment, PhoneCommand.SAY_AGAIN)

    asyncio.run(run())


def test_a_flood_of_commands_does_not_cost_the_connection(
    table: QuietTable, broker: Mosquitto
) -> None:
    async def run() -> None:
        async with connected(table, broker.config()), onlooker(broker.port) as looker:
            await until(lambda: looker.last(AVAILABLE) == "online")
            for _ in range(200):
                await looker.client.publish("tapmat/tapmat/do/say-again", "PRESS", 0)
            await until(table.take)
            await looker.press("nothing")
            await asyncio.sleep(0.2)
            assert 0 < len(table.take()) < 40
            assert looker.last(AVAILABLE) == "online"

    asyncio.run(run())


def test_a_table_that_is_off_is_not_available(table: QuietTable, broker: Mosquitto) -> None:
    async def run() -> None:
        async with connected(table, broker.config()), onlooker(broker.port) as looker:
            await until(lambda: looker.last(AVAILABLE) == "online")
            table.outlet.state = None
            await until(lambda: looker.last(AVAILABLE) == "offline")
            table.outlet.state = STRAW
            table.outlet.private = {None: HostState(replace(HOST, moment=8))}
            await until(lambda: looker.last(AVAILABLE) == "online")
        async with onlooker(broker.port) as late:
            await until(lambda: late.retained.get(AVAILABLE) == "offline")

    asyncio.run(run())


def test_a_broker_that_was_killed_and_has_forgotten_everything_gets_it_again(
    table: QuietTable, broker: Mosquitto
) -> None:
    async def run() -> None:
        async with connected(table, broker.config()):
            async with onlooker(broker.port) as looker:
                await until(lambda: looker.last(AVAILABLE) == "online")
            broker.kill()
            table.outlet.state = replace(STRAW, headline="33")
            broker.start()
            async with onlooker(broker.port) as looker:
                await until(lambda: looker.last(AVAILABLE) == "online")
                assert state_in(looker)["headline"] == "33"
                assert looker.last(DEVICE)

    asyncio.run(run())


def test_the_device_is_described_again_when_home_assistant_has_started(
    table: QuietTable, broker: Mosquitto
) -> None:
    async def run() -> None:
        async with connected(table, broker.config()), onlooker(broker.port) as looker:
            await until(lambda: looker.last(AVAILABLE) == "online")
            looker.heard.clear()
            await looker.client.publish("homeassistant/status", "online", 1)
            await until(lambda: {AVAILABLE, STATE, DEVICE} <= {topic for topic, _ in looker.heard})
            again = [topic for topic, _ in looker.heard if topic != "homeassistant/status"]
        assert again[:3] == [DEVICE, STATE, AVAILABLE], "entities first, then what they show"

    asyncio.run(run())


def test_a_part_that_the_table_no_longer_has_is_removed(
    table: QuietTable, broker: Mosquitto
) -> None:
    async def run() -> None:
        async with onlooker(broker.port) as looker:
            old = {"components": {"part_tilt": {"platform": "binary_sensor", "name": "tilt"}}}
            await looker.client.publish(DEVICE, json.dumps(old), 1, retain=True)
            async with connected(table, broker.config()):
                await until(lambda: described(looker, lambda found: "part_tilt" in found)[1:])
                await until(lambda: "part_tilt" not in (looker.last(DEVICE) or "part_tilt"))
        _, removing, *_ = described(looker, lambda found: "part_tilt" in found)
        assert removing["part_tilt"] == {"platform": "binary_sensor"}
        assert "part_display" in removing

    asyncio.run(run())


def described(
    looker: Onlooker, is_wanted: Callable[[dict[str, Any]], object]
) -> list[dict[str, Any]]:
    """Return the entities of each message about the device that is wanted."""
    found = [json.loads(text)["components"] for topic, text in looker.heard if topic == DEVICE]
    return [each for each in found if is_wanted(each)]


@pytest.mark.parametrize("payload", ["", "[]", '{"components": [1]}', '{"components": {"a": 1}}'])
def test_a_message_about_the_device_that_is_no_such_message_is_replaced(
    table: QuietTable, broker: Mosquitto, payload: str
) -> None:
    async def run() -> None:
        async with onlooker(broker.port) as looker:
            await looker.client.publish(DEVICE, payload or "x", 1, retain=True)
            async with connected(table, broker.config()):
                await until(lambda: "part_display" in (looker.last(DEVICE) or ""))

    asyncio.run(run())


def test_a_table_without_home_assistant_describes_nothing(
    table: QuietTable, broker: Mosquitto
) -> None:
    async def run() -> None:
        config = broker.config(home_assistant=False, id="table-7")
        async with connected(table, config), onlooker(broker.port) as looker:
            await until(lambda: looker.last("tapmat/table-7/available") == "online")
        told = {topic for topic, text in (*looker.retained.items(), *looker.heard) if text}
        assert {topic.split("/")[0] for topic in told} == {"tapmat"}


def test_home_assistant_forgets_a_table_that_it_shall_not_show_any_more(
    table: QuietTable, broker: Mosquitto
) -> None:
    async def run() -> None:
        async with connected(table, broker.config()), onlooker(broker.port) as looker:
            await until(lambda: looker.last(AVAILABLE) == "online")
        config = broker.config(home_assistant=False)
        async with connected(table, config), onlooker(broker.port) as looker:
            await until(lambda: looker.last(AVAILABLE) == "online")
        async with onlooker(broker.port) as late:
            await until(lambda: AVAILABLE in late.retained)
            assert DEVICE not in late.retained

    asyncio.run(run())


def test_a_refused_command_is_told_as_a_refusal(table: QuietTable, broker: Mosquitto) -> None:
    async def run() -> None:
        async with connected(table, broker.config()), onlooker(broker.port) as looker:
            await until(lambda: looker.last(AVAILABLE) == "online")
            await looker.press("take-back")
            await until(table.take)
            table.inbox.settle("The game has gone on.")
            await until(lambda: plays_in(looker))
        assert plays_in(looker) == [
            {
                "event_type": "refused",
                "code": "take-back",
                "rule": "",
                "happened": "The game has gone on.",
                "do": "",
            }
        ]

    asyncio.run(run())


def test_a_refusal_that_the_table_tells_itself_is_published_once(
    table: QuietTable, broker: Mosquitto
) -> None:
    async def run() -> None:
        async with connected(table, broker.config()), onlooker(broker.port) as looker:
            await until(lambda: looker.last(AVAILABLE) == "online")
            await looker.press("take-back")
            await until(table.take)
            table.inbox.settle("Nothing to undo. Play first.")
            table.outlet.put(PlayRefused("nothing-to-undo", "", "Nothing to undo.", "Play first."))
            await until(lambda: plays_in(looker))
            await asyncio.sleep(SOON_S * 1.5)
        assert [each["code"] for each in plays_in(looker)] == ["nothing-to-undo"]

    asyncio.run(run())


def test_the_answer_yes_to_safe_to_unplug_is_published(
    table: QuietTable, broker: Mosquitto
) -> None:
    async def run() -> None:
        async with connected(table, broker.config()), onlooker(broker.port) as looker:
            await until(lambda: looker.last(AVAILABLE) == "online")
            for answer in ("Not now.", ""):
                table.requests.clear()
                await looker.press("safe-to-unplug")
                await until(table.take)
                table.inbox.settle(answer)
                await asyncio.sleep(SOON_S * 1.5)
            await until(lambda: len(plays_in(looker)) == 2)
        assert [each["event_type"] for each in plays_in(looker)] == ["refused", "saved"]

    asyncio.run(run())
