"""The topics, levels and reasons in docs/voice.md agree with the program."""

import re

from engines.common.contract import Topic
from firmware.voice.announcer import PATIENCE_S, PRESSING, REASONS
from firmware.voice.settings import Level
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "voice.md").read_text(encoding="utf-8")
TOPIC = re.compile(r"^\| `([a-z-]+)` \| [^|]+ \| (at once|(\d+) s) \|$", re.MULTILINE)


def test_every_topic_is_there_with_its_time() -> None:
    rows = {Topic(topic): seconds for topic, _, seconds in TOPIC.findall(PAGE)}
    assert set(rows) == set(Topic)
    assert {topic for topic, seconds in rows.items() if not seconds} == PRESSING
    told = {topic: float(seconds) for topic, seconds in rows.items() if seconds}
    assert told == {topic: PATIENCE_S[topic] for topic in set(Topic) - PRESSING}


def test_every_level_and_every_reason_is_named() -> None:
    words = {level.value for level in Level} | set(REASONS)
    assert {word for word in words if f"`{word}`" not in PAGE} == set()
