"""The owner of the present voice settings, and of the words in their language.

People change these settings at the table; the journal stores every change.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace

from firmware.common.errors import JournalError
from firmware.journal.journal import Journal, Setting
from firmware.voice.settings import (
    HINTS,
    LANGUAGE,
    LEVEL,
    LOUDEST,
    REMARKS,
    STRENGTH,
    VOLUME,
    Hints,
    Level,
    Remarks,
    Settings,
    Strength,
)
from firmware.voice.words import Words, languages

log = logging.getLogger(__name__)

WordsFor = Callable[[str], Mapping[str, Words]]


class SettingsStore:
    """The voice settings in force: *initial*, with the changes stored in *journal* applied.

    *words_for* takes a language code and returns the message catalogues in that language, of each
    game (by its name) and of the table.
    """

    def __init__(self, initial: Settings, words_for: WordsFor, journal: Journal) -> None:
        """Read the changes stored in *journal*.

        Raises:
            WordsError: a catalogue cannot be read.
        """
        self._words_for = words_for
        self._journal = journal
        self._current = _load(initial, journal)
        self._use(words_for(self._current.language))

    def _use(self, words: Mapping[str, Words]) -> None:
        self._words = words
        self._child_words = {name: each.for_children() for name, each in words.items()}

    @property
    def current(self) -> Settings:
        """The settings in force."""
        return self._current

    @property
    def words(self) -> Mapping[str, Words]:
        """The message catalogues in the current language: each game's by name, and the table's."""
        return self._words

    @property
    def child_words(self) -> Mapping[str, Words]:
        """The same catalogues for games that small children play."""
        return self._child_words

    def set(self, name: str, value: Setting) -> None:
        """Change the setting *name* to *value*, and store that in the journal.

        Raises:
            JournalError: the change cannot be stored. Nothing changes.
            WordsError: a catalogue of that language cannot be read. Nothing changes.
            ValueError: there is no such setting, or *value* is not valid for it.
        """
        after = _replace(self._current, name, value)
        words = self._words_for(after.language)
        self._journal.note_setting(name, value)
        self._current = after
        self._use(words)


def _load(initial: Settings, journal: Journal) -> Settings:
    """Return *initial* with the changes in *journal*; log and skip those that are not valid."""
    try:
        stored = journal.settings()
    except JournalError as error:
        log.warning("The settings made at the table cannot be read: %s", error)
        return initial
    settings = initial
    for name, value in stored.items():
        try:
            settings = _replace(settings, name, value)
        except ValueError as error:
            log.warning("A setting made at the table is ignored: %s", error)
    return settings


def _replace(settings: Settings, name: str, value: Setting) -> Settings:
    """Return *settings* with *name* set to *value*.

    Raises:
        ValueError: there is no such setting, or *value* is not valid for it.
    """
    if name == LANGUAGE and isinstance(value, str) and value in languages():
        return replace(settings, language=value)
    if name == LEVEL:
        return replace(settings, level=Level(value))
    if name == HINTS:
        return replace(settings, hints=Hints(value))
    if name == STRENGTH:
        return replace(settings, strength=Strength(value))
    if name == REMARKS:
        return replace(settings, remarks=Remarks(value))
    if name == VOLUME and type(value) is int and 0 <= value <= LOUDEST:
        return replace(settings, volume=value)
    raise ValueError(f"{name} cannot be {value!r}")
