"""The tongue: in which language the table speaks, how much and how loud, and its words for it.

Room: firmware. A table has one, which owns what people set; the journal keeps that.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace

from firmware.errors import JournalError
from firmware.journal import Journal, Setting
from firmware.settings import LANGUAGE, LEVEL, LOUDEST, VOLUME, Level, Settings
from firmware.words import Words, languages

log = logging.getLogger(__name__)

WordsFor = Callable[[str], Mapping[str, Words]]


class Tongue:
    """What *journal* has of people's settings, beginning as *begins*, and the words they call for.

    *words_for* gives the words in a language: of every game by its name, and of the table.
    """

    def __init__(self, begins: Settings, words_for: WordsFor, journal: Journal) -> None:
        """Take up what was set.

        Raises:
            WordsError: a catalogue cannot be read.
        """
        self._words_for = words_for
        self._journal = journal
        self._settings = _kept(begins, journal)
        self._words = words_for(self._settings.language)

    @property
    def settings(self) -> Settings:
        """What holds now."""
        return self._settings

    @property
    def words(self) -> Mapping[str, Words]:
        """The words in the language that holds now, by game."""
        return self._words

    def set(self, name: str, value: Setting) -> None:
        """Let the setting *name* be *value* from now on, also after a power cut.

        Raises:
            JournalError: it cannot be kept; then all stays as it is.
            WordsError: a catalogue of that language cannot be read; likewise.
            ValueError: there is no such setting, or it cannot be that.
        """
        after = _with(self._settings, name, value)
        words = self._words_for(after.language)
        self._journal.note_setting(name, value)
        self._settings, self._words = after, words


def _kept(begins: Settings, journal: Journal) -> Settings:
    """*begins* with what *journal* has of settings, as far as this version knows these."""
    try:
        kept = journal.settings()
    except JournalError as error:
        log.warning("What was set at the table is not known any more: %s", error)
        return begins
    settings = begins
    for name, value in kept.items():
        try:
            settings = _with(settings, name, value)
        except ValueError as error:
            log.warning("What was set at the table is left out: %s", error)
    return settings


def _with(settings: Settings, name: str, value: Setting) -> Settings:
    """*settings* with *name* set to *value*.

    Raises:
        ValueError: there is no such setting, or it cannot be that.
    """
    if name == LANGUAGE and isinstance(value, str) and value in languages():
        return replace(settings, language=value)
    if name == LEVEL:
        return replace(settings, level=Level(value))
    if name == VOLUME and type(value) is int and 0 <= value <= LOUDEST:
        return replace(settings, volume=value)
    raise ValueError(f"{name} cannot be {value!r}")
