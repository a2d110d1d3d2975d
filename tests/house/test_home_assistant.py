"""All entities appear at Home Assistant, show what the table shows, and survive every restart."""

import json
from functools import partial
from itertools import permutations
from typing import Any

import pytest
from paho.mqtt.publish import single

from firmware.mqtt.plays import play_of
from sim.mat.mat import Mat
from tests.house.home_assistant import BLUEPRINTS, until
from tests.house.house import House

PARTS = {"sensor": 12, "event": 2, "button": 3, "select": 2, "number": 1}  # without the parts


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
    advice = house.home.states()[name]["attributes"]["do"]
    assert advice
    house.until(lambda: house.home.state("input_text.told") == f"tapmat reader play: {advice}")
    house.mat.fault("none", "play")
    house.until(lambda: house.home.state(name) == "off")


def test_a_part_that_the_table_no_longer_has_disappears(house: House) -> None:
    start, stop = house.parts["connection"]
    stop()
    lamp = {
        "platform": "binary_sensor",
        "unique_id": "tapmat_tapmat_part_lamp",
        "default_entity_id": "binary_sensor.tapmat_part_lamp",
        "name": "lamp",
    }
    device = {
        "device": {"identifiers": ["tapmat-tapmat"]},
        "origin": {"name": "tapmat"},
        "state_topic": "tapmat/tapmat/state",
        "components": {"part_lamp": lamp},
    }
    topic, port = "homeassistant/device/tapmat/config", house.broker.port
    single(topic, json.dumps(device), 1, retain=True, hostname="127.0.0.1", port=port)
    until(lambda: house.home.state("binary_sensor.tapmat_part_lamp"))
    start()
    house.until(lambda: house.home.state("binary_sensor.tapmat_part_lamp") is None)
    house.until_right("without the lamp")


def lights_on(house: House) -> list[int]:
    found = house.home.states()
    return [seat for seat in range(1, 5) if found[f"light.seat_{seat}"]["state"] == "on"]


def test_all_blueprints_are_valid_and_in_use(house: House) -> None:
    names = ("a_light_follows_the_turn", "quiet_hours", "the_winner_s_light", "a_part_needs_help")
    assert {house.home.state(f"automation.{name}") for name in names} == {"on"}
    assert len(list(BLUEPRINTS.glob("*.yaml"))) == len(names)
    assert house.home.complaints == []


def test_a_light_follows_the_turn(house: House) -> None:
    house.people.move("tap", ["weight-7"], "play", "straw")
    house.until(lambda: lights_on(house) == [2])
    house.home.do("button.press", entity_id="button.tapmat_take_back")
    house.until(lambda: lights_on(house) == [1])
    house.until_right("after it was taken back")


def test_the_table_is_quiet_in_the_quiet_hours(house: House) -> None:
    house.home.do("automation.trigger", entity_id="automation.quiet_hours", skip_condition=False)
    house.until(lambda: house.home.state("number.tapmat_volume") == "20")
    house.until_right("quiet")


def test_the_winners_light_shines(house: House) -> None:
    event = {"v": 1, "seq": 1, "at": "", "event": "game-over", "winners": [2], "scores": [1, 2, 9]}
    play = json.dumps(play_of(event, ("Ann", "Ben", "Cem")))
    single("tapmat/tapmat/play", play, 1, hostname="127.0.0.1", port=house.broker.port)
    house.until(lambda: 3 in lights_on(house))
    house.until(lambda: 3 not in lights_on(house))
    assert house.home.complaints == []


@pytest.mark.parametrize(
    "order", list(permutations(("table", "broker", "home", "connection"))), ids="-".join
)
def test_everything_is_right_again_after_each_order_of_starts(
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
    said = [line for line in house.said if "Connected to the broker 127.0.0.1" not in line]
    assert len(said) < len(house.said), "it also says that it is connected"
    assert all("No connection to the broker 127.0.0.1" in line for line in said)
    house.start_connection()
    house.until_right("again")
