"""The description of a table for Home Assistant: one message about the device and its entities.

Source: Home Assistant, "MQTT", device discovery payload.
"""

import json
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any, Final

from engines.common.contract import Message
from firmware.mqtt.house_state import (
    DIRECTIONS,
    PHASES,
    SEATS,
    Json,
    part_key,
    settings_in,
)
from firmware.mqtt.plays import LAID, PLAY_TYPES
from firmware.mqtt.topics import TableTopics
from firmware.voice.words import Words, words_of

PACKAGE: Final = "firmware.mqtt"
BUTTONS: Final = {  # their commands, with icons
    "say-again": "mdi:account-voice",
    "take-back": "mdi:undo",
    "safe-to-unplug": "mdi:power-plug-off",
}
SENSORS: Final[dict[str, dict[str, Any]]] = {
    "game": {"icon": "mdi:cards"},
    "phase": {"icon": "mdi:state-machine", "device_class": "enum", "options": [*PHASES]},
    "headline": {"icon": "mdi:format-title"},
    "turn": {"icon": "mdi:account-arrow-right"},
    "direction": {"icon": "mdi:rotate-right", "device_class": "enum", "options": [*DIRECTIONS]},
}
VOLUME: Final = "volume"

Component = dict[str, Any]


def device_message(topics: TableTopics, language: str, host: Json) -> dict[str, Any]:
    """Return the message about the table with *topics*, with names in *language*.

    *host* is the host's private state, which has the settings and the parts.

    Raises:
        WordsError: a catalogue cannot be read.
    """
    words = words_of(language, PACKAGE)
    release = version("tapmat")
    made = Components(topics, words)
    return {
        "device": {
            "identifiers": [f"tapmat-{topics.id}"],
            "name": topics.id,
            "manufacturer": "tapmat",
            "model": "tapmat",
            "sw_version": release,
        },
        "origin": {"name": "tapmat", "sw_version": release},
        "availability_topic": topics.available,
        "state_topic": topics.state,
        "qos": 1,
        "components": dict(made.all(host)),
    }


def platforms_in(payload: bytes) -> dict[str, str]:
    """Return the platform of each entity in a device message, by key; none if it is unreadable."""
    try:
        components = json.loads(payload)["components"].items()
        return {str(key): str(each["platform"]) for key, each in components}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def with_removals(message: dict[str, Any], before: Mapping[str, str]) -> dict[str, Any]:
    """Return *message* so that it also removes the entities of *before* that it does not have.

    *before* has the platform of each entity that Home Assistant knows, by key.
    """
    removals = {key: {"platform": platform} for key, platform in before.items()}
    return {**message, "components": removals | message["components"]}


class Components:
    """The entities of the table with *topics*, with names from *words*."""

    def __init__(self, topics: TableTopics, words: Words) -> None:
        self._topics, self._words = topics, words

    def all(self, host: Json) -> Iterator[tuple[str, Component]]:
        """Yield each entity with its key, for a table with the settings and parts in *host*."""
        yield from (self._event("play", PLAY_TYPES), self._event("card", (LAID,)))
        for key, extra in SENSORS.items():
            yield self._sensor(key, self._text(key), **extra)
        yield self._last_winner()
        for seat in range(1, SEATS + 1):
            name = self._text("score", number=seat)
            yield self._sensor(f"score_{seat}", name, icon="mdi:counter")
        for part in host["parts"]:
            yield self._part(part)
        for command, icon in BUTTONS.items():
            yield self._button(command, icon)
        for name, setting in settings_in(host).items():
            yield self._volume(setting) if name == VOLUME else self._select(setting)

    def _text(self, key: str, **facts: int) -> str:
        return self._words.say(Message(f"entity.{key.replace('_', '-')}", facts))

    def _component(
        self, platform: str, key: str, name: str, **others: Any
    ) -> tuple[str, Component]:
        prefix = self._topics.id.replace("-", "_").strip("_")
        return key, {
            "platform": platform,
            "unique_id": f"tapmat_{self._topics.id}_{key}",
            "default_entity_id": f"{platform}.{prefix}_{key}",
            "name": name,
            **others,
        }

    def _event(self, key: str, types: tuple[str, ...]) -> tuple[str, Component]:
        topic = f"{self._topics.base}/{key}"
        others = {"state_topic": topic, "event_types": [*types], "icon": "mdi:cards-playing"}
        return self._component("event", key, self._text(key), **others)

    def _last_winner(self) -> tuple[str, Component]:
        key, topic = "last_winner", self._topics.last_winner
        others = {"state_topic": topic, "icon": "mdi:trophy"}
        return self._component("sensor", key, self._text(key), **others)

    def _sensor(self, key: str, name: str, **others: Any) -> tuple[str, Component]:
        attributes = {} if key == "direction" else self._attributes(key)
        return self._component("sensor", key, name, **_value(key), **attributes, **others)

    def _part(self, part: Json) -> tuple[str, Component]:
        key = part_key(part["part"])
        others = {"device_class": "problem", "entity_category": "diagnostic"}
        return self._component(
            "binary_sensor", key, part["name"], **_value(key), **self._attributes(key), **others
        )

    def _button(self, command: str, icon: str) -> tuple[str, Component]:
        key, topic = command.replace("-", "_"), self._topics.command(command)
        return self._component("button", key, self._text(key), command_topic=topic, icon=icon)

    def _select(self, setting: Json) -> tuple[str, Component]:
        options = [value for value, _text in setting["values"]]
        return self._setting("select", setting, options=options)

    def _volume(self, setting: Json) -> tuple[str, Component]:
        values = sorted(int(value) for value, _text in setting["values"])
        least = min(values[0], int(setting["now"]))  # the one in table.toml may be lower
        step = values[1] - values[0]
        others = {"min": least, "max": values[-1], "step": step, "unit_of_measurement": "%"}
        return self._setting("number", setting, **others)

    def _setting(self, platform: str, setting: Json, **others: Any) -> tuple[str, Component]:
        name = setting["name"]
        command = {"command_topic": self._topics.command(name), "entity_category": "config"}
        return self._component(
            platform, name, setting["title"], **_value(name), **command, **others
        )

    def _attributes(self, key: str) -> Component:
        template = f"{{{{ value_json.attributes.{key} | tojson }}}}"
        return {
            "json_attributes_topic": self._topics.state,
            "json_attributes_template": template,
        }


def _value(key: str) -> Component:
    return {"value_template": f"{{{{ value_json.{key} }}}}"}
