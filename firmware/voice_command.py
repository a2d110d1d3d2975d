"""``tapmat voice``: what can be recorded for a clip pack, and how something sounds.

Room: firmware.
"""

import sys
from collections.abc import Iterator
from contextlib import closing
from typing import TextIO

from engines.common.contract import Message
from firmware.config import TableConfig
from firmware.games import game_named, game_names
from firmware.wiring import open_computer_voice
from firmware.words import TABLE_PACKAGE, words_of
from hardware.clips import SUFFIX, clip_name

NUMBERS = range(101)  # as the voice prepares them
SAID_WITHIN_S = 60.0


def recordable(config: TableConfig, language: str) -> Iterator[str]:
    """Each sentence whose words are known beforehand: numbers, names, and those without facts."""
    yield from map(str, NUMBERS)
    packages = (TABLE_PACKAGE, *(game_named(name).package for name in game_names()))
    for package in packages:
        words = words_of(language, package)
        for code in sorted(words.codes):
            facts = words.facts(code)
            if facts <= {"seat"}:
                for seat in range(len(config.names) if facts else 1):
                    yield words.tell(Message(code, {"seat": seat}), config.names)


def run_lines(config: TableConfig, language: str, out: TextIO | None = None) -> int:
    """Print the file's name and the words of each sentence that can be recorded, a line each."""
    lines: dict[str, str] = {}
    for text in recordable(config, language):
        lines.setdefault(clip_name(text), text)
    for name, text in lines.items():
        if name:
            print(f"{language}/{name}{SUFFIX}\t{text}", file=out or sys.stdout)
    return 0


def run_say(config: TableConfig, text: str, language: str) -> int:
    """Say *text* as the table would; 1 when nothing is heard, and why."""
    with closing(open_computer_voice(config)) as voice:
        voice.say(text, language)
        trouble = voice.trouble(SAID_WITHIN_S)
    if trouble:
        print(trouble, file=sys.stderr)
    return 1 if trouble else 0
