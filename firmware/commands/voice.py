"""``tapmat voice``: test the table's voice, and list what to record for a clip pack.

A clip pack is a folder of recordings that the table plays in place of synthesized speech.
"""

import logging
import sys
from collections.abc import Iterator
from contextlib import closing
from typing import TextIO

from engines.common.contract import Message
from firmware.boxes.games import game_named, game_names
from firmware.common.errors import TapmatError, did_you_mean, word_list
from firmware.config.table_config import TableConfig
from firmware.runtime.wiring import open_computer_voice
from firmware.voice.words import TABLE_PACKAGE, languages, words_of
from hardware.clips import SUFFIX, clip_name

NUMBERS = range(101)  # the voice prepares the same numbers
SAY_LIMIT_S = 60.0


class UnknownLanguage(TapmatError):
    """The requested language is not one that the table speaks."""


def check_language(language: str) -> str:
    """Return *language* unchanged if the table speaks it.

    Raises:
        UnknownLanguage: the table has no words in *language*.
    """
    if language not in languages():
        hint = did_you_mean(language, languages()) or "Choose one of them."
        known = word_list(languages())
        raise UnknownLanguage(
            f'The table does not speak "{language}". Its languages are: {known}. {hint}'
        )
    return language


def recordable_sentences(config: TableConfig, language: str) -> Iterator[str]:
    """Yield each sentence in *language* that can be recorded in advance.

    These are the numbers, the sentences without variable parts, and those in which only a player's
    name varies.
    """
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
    """Print one line for each sentence that can be recorded: the clip's file name and the words."""
    lines: dict[str, str] = {}
    for text in recordable_sentences(config, language):
        lines.setdefault(clip_name(text), text)
    for name, text in lines.items():
        if name:
            print(f"{language}/{name}{SUFFIX}\t{text}", file=out or sys.stdout)
    return 0


def run_say(config: TableConfig, text: str, language: str) -> int:
    """Say *text* in the table's voice.

    Returns:
        The exit code: 0, or 1 if speech failed. In that case, the reason is printed.
    """
    logging.disable(logging.WARNING)  # the reason is printed below, once
    try:
        with closing(open_computer_voice(config)) as voice:
            voice.say(text, language)
            trouble = voice.trouble(SAY_LIMIT_S)
    finally:
        logging.disable(logging.NOTSET)
    if trouble:
        print(trouble, file=sys.stderr)
    return 1 if trouble else 0
