"""The table in the house: its state and its plays go to the broker, and commands come back.

The state waits for the broker as one value, the newest. Plays wait in a short queue; those that the
broker does not take are lost. Neither the table nor its socket ever waits.
"""

import asyncio
import json
import logging
from collections import deque
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Final

from firmware.common.allowance import Allowance
from firmware.common.together import run_together
from firmware.companion.table_link import TableLink
from firmware.config.mqtt_config import MqttConfig
from firmware.mqtt.connection import (
    GOODBYE_S,
    BrokerConnection,
    Heard,
    Publication,
    Subscriber,
)
from firmware.mqtt.device import device_message, platforms_in, with_removals
from firmware.mqtt.house_state import Json, house_state, winners_in
from firmware.mqtt.plays import card_of, play_of, with_player
from firmware.mqtt.requests import SAFE_TO_UNPLUG, act_in
from firmware.mqtt.topics import HOME_ASSISTANT_STATUS, TableTopics

ONLINE, OFFLINE = "online", "offline"
MOST_WAITING: Final = 200  # plays that wait for the broker
COMMANDS_A_SECOND, SAVED_UP = 5.0, 20.0  # the table's socket allows more
SOON_S: Final = 0.5  # the table's own event about a refusal comes within this time, if there is one

log = logging.getLogger(__name__)


class HouseTable:
    """The table with the local socket at *socket_file*, at the broker of *config*."""

    def __init__(self, config: MqttConfig, socket_file: Path) -> None:
        self._topics = TableTopics(config.id)
        self._announces = config.home_assistant
        self._link = TableLink(socket_file, self._hear_table)
        self._link.want([None])
        will = Publication(self._topics.available, OFFLINE, is_retained=True)
        announcing = (HOME_ASSISTANT_STATUS, self._topics.device) if self._announces else ()
        topics = (self._topics.command("+"), *announcing)
        subscriber = Subscriber(topics, self._hear_broker, self._publish_news)
        self.broker = BrokerConnection(config, will, [subscriber])
        self._allowance = Allowance(COMMANDS_A_SECOND, SAVED_UP)
        self._host: Json | None = None
        self._last_winners: list[str] | None = None  # unknown
        self._winners: list[str] = []  # of the game in progress, or the one before
        self._names: list[str] = []
        self._game = ""
        self._refused = ""  # the texts of the last refusal that the table has told
        self._cards: list[dict[str, Any]] = []  # that wait for the state that follows them
        self._plays: deque[Publication] = deque(maxlen=MOST_WAITING)
        self._described: dict[str, str] = {}  # by an earlier start: entities and their platforms
        self._published: dict[str, str] = {}  # what is retained at the broker, by topic
        self._news = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Connect table and broker until this task is cancelled."""
        again_s = GOODBYE_S * 1.5  # the broker is told first
        await run_together(self._link.run(), self.broker.run(), again_s=again_s)

    # --- from the table ---

    def _hear_table(self, kind: str, value: Any) -> None:
        if kind == "event":
            self._hear_event(value)
        elif kind == "state":
            self._hear_state(value)
        elif kind == "private" and value["player"] is None:  # the host's, and no player's
            self._host = value["state"]
        self._news.set()

    def _hear_state(self, public: Json | None) -> None:
        if public is None:  # the table is off
            self._host, self._last_winners = None, None
            return
        self._names, self._game = public["names"], public["game"]
        cards, self._cards = self._cards, []
        for card in cards:
            self._add(self._topics.card, with_player(card, public))
        self._winners = winners_in(public) or self._winners
        if self._last_winners is None:
            self._last_winners = []
            self._start(self._find_last_winners())

    def _hear_event(self, event: Json) -> None:
        if event["event"] == "refused":
            self._refused = f"{event['happened']} {event['do']}".strip()
        if event["event"] == "ended" and event["how"] == "over":
            self._last_winners = self._winners
        if "names" in event:
            self._names, self._game = event["names"], event["game"]
        play, card = play_of(event, self._names), card_of(event, self._game)
        if play is not None:
            self._add(self._topics.play, play)
        if card is not None:
            self._cards.append(card)

    def _add(self, topic: str, value: Json) -> None:
        if self.broker.is_open:
            self._plays.append(Publication(topic, json.dumps(value)))

    async def _find_last_winners(self) -> None:
        """Ask the table for the finished games, the newest first."""
        for game in (await self._link.results()) or ():
            self._last_winners = self._last_winners or [
                name for name, _score, has_won in game["players"] if has_won
            ]
        self._news.set()

    # --- to the broker ---

    async def _publish_news(self) -> None:
        """Publish what is new, from now until the connection ends."""
        self._published.clear()
        while True:
            described = self._described
            for message in self._facts():
                await self._retain(message)
            is_told = self._topics.device in self._published
            if described and is_told and described is self._described:
                self._described = {}  # what was removed is not named any more
                self._news.set()
            while self._plays:
                await self.broker.publish(self._plays.popleft())
            await self._news.wait()
            self._news.clear()

    def _facts(self) -> list[Publication]:
        """Return the messages that the broker should have, in the order in which they are due."""
        public, host = self._link.state, self._host
        if public is None or host is None:
            return [Publication(self._topics.available, OFFLINE, is_retained=True)]
        found = {self._topics.state: json.dumps(house_state(public, host))}
        if winners := winners_in(public) or self._last_winners:
            found[self._topics.last_winner] = ", ".join(winners)
        if self._announces:
            device = device_message(self._topics, public["language"], host)
            device = with_removals(device, self._described)
            found = {self._topics.device: json.dumps(device)} | found
        else:
            found[self._topics.device] = ""  # removes what an earlier start has described
        found[self._topics.available] = ONLINE  # once all of that is true
        return [Publication(topic, text, is_retained=True) for topic, text in found.items()]

    async def _retain(self, message: Publication) -> None:
        """Publish *message*, unless the broker has it already."""
        if self._published.get(message.topic) == message.payload:
            return
        if await self.broker.publish(message):
            self._published[message.topic] = message.payload

    # --- from the broker ---

    def _hear_broker(self, heard: Heard) -> None:
        if heard.topic == self._topics.device:
            if heard.is_retained:  # from an earlier start, perhaps with other parts
                self._described = platforms_in(heard.payload)
                self._news.set()
        elif heard.topic == HOME_ASSISTANT_STATUS:
            if heard.payload == ONLINE.encode():  # it has started, and knows nothing
                self._published.clear()
                self._news.set()
        elif not heard.is_retained:  # an old command must not be done again at each connection
            self._start(self._do(heard.topic.rpartition("/")[2], heard.payload))

    async def _do(self, command: str, payload: bytes) -> None:
        host = self._host
        act = None if host is None else act_in(command, payload, host)
        if host is None or act is None or not self._allowance.take():
            log.debug("The command %s was ignored.", command)
            return
        self._refused = ""
        is_done, why = await self._link.act(act, None, host["moment"])
        if not is_done:
            await asyncio.sleep(SOON_S)
            if self._refused != why:
                refused = {"code": command, "rule": "", "happened": why, "do": ""}
                self._hear_event({"event": "refused", **refused})
        elif command == SAFE_TO_UNPLUG:
            self._hear_event({"event": "saved"})
        self._news.set()

    def _start(self, task: Coroutine[Any, Any, None]) -> None:
        started = asyncio.ensure_future(task)
        self._tasks.add(started)
        started.add_done_callback(self._tasks.discard)
