"""The mode in which people change settings: language, detail, volume, hints, the mat, and the kit.

It can be opened over any other mode. Over a game, the last line of the list ends the game, even
while the game asks a question. The line before it shows where people can join, while a companion is
connected. The mode below handles a card that is tapped, and the list closes. A table that comes as
an image also asks for the language and the kit at its first start.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engines.common.contract import Sensor, Topic
from firmware.common.errors import JournalError, StateFolderError, WordsError
from firmware.journal.journal import Setting
from firmware.show.view import Flash, ListView, Notice, TableView
from firmware.table.answers import SettingList
from firmware.table.context import TABLE, TableContext
from firmware.table.mat_player import has_players
from firmware.table.modes.ending import Ending
from firmware.table.modes.joining import Joining
from firmware.table.modes.mode import LookedUpTag, Mode, Outcome, TappedPieces, refuse
from firmware.table.modes.mode_above import ModeAbove
from firmware.table.picker import Picker
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
    Strength,
)
from firmware.voice.speech import SpeechLine, lines
from firmware.voice.words import language_name, languages

# The settings in the order of the list, each with a function that returns its possible values.
# A setting without values is not offered.
SETTINGS: Mapping[str, Callable[[], tuple[Setting, ...]]] = {
    LANGUAGE: languages,
    LEVEL: lambda: tuple(level.value for level in Level),
    VOLUME: lambda: tuple(range(10, LOUDEST + 1, 10)),
    HINTS: lambda: tuple(hints.value for hints in Hints),
    STRENGTH: lambda: tuple(strength.value for strength in Strength) if has_players() else (),
    REMARKS: lambda: tuple(remarks.value for remarks in Remarks),
}
KIT = "kit"  # the last setting, if people can choose a kit at the table
JOIN = "join"  # the line before the last, if it is open over a game and there is a companion
END_GAME = "end-game"  # the last line of the list, if it is open over a game


@dataclass(frozen=True)
class Adjusting(ModeAbove):
    """The list of settings, opened over the mode *return_to*.

    *settings* are their names; over a game, ``JOIN`` and ``END_GAME`` follow. *values* is the list
    of values of the setting under the cursor, or None while that list is closed. *remaining* are
    the settings to ask for after this one.
    """

    settings: Picker[str]
    values: Picker[Setting] | None = None
    remaining: tuple[str, ...] = ()

    @classmethod
    def open(cls, mode: Mode, context: TableContext) -> Outcome:
        """Return the outcome of opening the list over *mode*.

        If *mode* is this list already, the list starts again over the mode below.
        """
        below = mode.return_to if isinstance(mode, Adjusting) else mode
        names = (*_list_names(), *(() if context.kits is None else (KIT,)))
        if context.journal.open_game() is not None:
            join = () if context.companion.address is None else (JOIN,)
            names = (*names, *join, END_GAME)
        opened = cls(context, below, Picker(names))
        return Outcome(opened, opened.summary())

    def ask(self, *names: str) -> "Adjusting":
        """Open the first setting in *names*. After each answer, the next one is opened."""
        first, *remaining = names
        settings = self.settings.on(first)
        return replace(self, settings=settings, remaining=tuple(remaining))._open()

    def handle_tags(self, tags: tuple[LookedUpTag, ...], was_found: bool) -> Outcome | None:
        """Pass the tags to the mode below this list; return its outcome."""
        return self.return_to.handle_tags(tags, was_found)

    def tap(self, tapped: TappedPieces) -> Outcome:
        """Pass the pieces to the mode below this list; return its outcome."""
        return self.return_to.tap(tapped)

    def turn(self, steps: int) -> Outcome:
        """Move the cursor in the open list."""
        return self._move(lambda picker: picker.move(steps))

    def press(self, button: str) -> Outcome:
        """Choose a line or a value (OK), move the cursor (action), or go back (back)."""
        if button == "action":
            return self._move(lambda picker: picker.advance(1))
        if button == "back":
            return Outcome(self.return_to if self.values is None else replace(self, values=None))
        if self.values is not None:
            return self._set(self.values.chosen)
        return self._choose()

    def number(self, value: int) -> Outcome:
        """Choose item *value*, from 1, of the open list: a setting, or a value to set."""
        open_list = self.settings if self.values is None else self.values
        if value > len(open_list.items):
            return refuse(self, self.context.notice(TABLE, "no-such-value", value=value))
        if self.values is not None:
            return self._set(self.values.items[value - 1])
        return replace(self, settings=self.settings.at(value - 1))._choose()

    def seat(self, seat: int) -> Outcome:
        """Refuse a seat's command card: this list has no seats."""
        return refuse(self, self.context.notice(TABLE, "no-such-value", value=seat + 1))

    def sense(self, sensor: Sensor) -> Outcome | None:
        """Pass the sensor's signal to the mode below this list; return its outcome."""
        return self.return_to.sense(sensor)

    def summary(self) -> tuple[SpeechLine, ...]:
        """Return the title of the open list."""
        return lines(self._choices().prompt, topic=Topic.QUESTION)

    def view(self) -> TableView:
        """Return the list of settings, or of the values of one setting."""
        return TableView(
            phase="settings",
            title=self.context.text(TABLE, "menu.settings"),
            choices=self._choices(),
            action=self.context.text(TABLE, "label.next"),
        )

    def _move(self, move: Callable[[Picker[Any]], Picker[Any]]) -> Outcome:
        if self.values is not None:
            return Outcome(replace(self, values=move(self.values)))
        return Outcome(replace(self, settings=move(self.settings)))

    def _choose(self) -> Outcome:
        """Open the setting under the cursor, show where to join, or ask if the game should end."""
        if self.settings.chosen == JOIN:
            return Joining.open(self.return_to, self.context)
        if self.settings.chosen != END_GAME:
            return Outcome(self._open())
        return Ending.open(self.return_to, self.context)

    def _open(self) -> "Adjusting":
        """Open the list of values of the setting under the cursor."""
        name = self.settings.chosen
        kits = self.context.kits
        values: tuple[Setting, ...] = () if kits is None else kits.offered
        if name in SETTINGS:
            values = SETTINGS[name]()
        now = self._now(name)
        if name == VOLUME:  # the volume in table.toml need not be a multiple of 10
            now = min(values, key=lambda value: abs(int(value) - int(now)))
        return replace(self, values=Picker(values).on(now))

    def _set(self, value: Setting) -> Outcome:
        """Store *value* and use it at once, even for the confirmation that is spoken next."""
        is_other_kit = self.settings.chosen == KIT and value != self._now(KIT)
        try:
            if is_other_kit and self.context.kits is not None:
                self.context.kits.choose(str(value))
            elif self.settings.chosen != KIT:
                self.context.settings.set(self.settings.chosen, value)
        except (JournalError, StateFolderError, WordsError) as error:
            return refuse(self, self.context.not_saved_notice(error))
        if is_other_kit:
            return self._confirm_kit()
        after = replace(self, values=None)
        return Outcome(
            after.ask(*self.remaining) if self.remaining else after, flash=Flash.ACCEPTED
        )

    def _confirm_kit(self) -> Outcome:
        """Say that the table is about to restart. Another program restarts it."""
        happened, do = (
            self.context.text(TABLE, f"kit-chosen.{part}") for part in ("happened", "do")
        )
        said = lines(happened, do, topic=Topic.NEWS)
        return Outcome(self.return_to, said, Flash.ACCEPTED, Notice(happened, do))

    def _now(self, name: str) -> Setting:
        """Return the current value of the setting *name*."""
        if name == KIT:
            return "" if self.context.kits is None else self.context.kits.chosen
        return _value_now(self.context, name)

    def _choices(self) -> ListView:
        text = self.context.text
        if self.values is not None:
            name = self.settings.chosen
            words = tuple(self._value(name, value) for value in self.values.items)
            names = tuple(map(str, self.values.items))
            return ListView(text(TABLE, f"setting.{name}"), words, self.values.cursor, names)
        words = tuple(map(self._line, self.settings.items))
        prompt = text(TABLE, "menu.settings")
        return ListView(prompt, words, self.settings.cursor, self.settings.items, asked="")

    def _line(self, name: str) -> str:
        """Return the text of the list's line *name*: a setting with its value, or another item."""
        text = self.context.text
        if name in (JOIN, END_GAME):
            return text(TABLE, f"menu.{name}")
        label = text(TABLE, f"setting.{name}")
        return text(TABLE, "field.line", label=label, value=self._value(name, self._now(name)))

    def _value(self, name: str, value: Setting) -> str:
        """Return the text for *value*; for a language, its name in that language."""
        return _text_of(self.context, name, value)


def _list_names() -> tuple[str, ...]:
    """Return the names of the settings in the list, without the kit."""
    return tuple(name for name, values in SETTINGS.items() if values())


def _value_now(context: TableContext, name: str) -> Setting:
    settings = context.settings.current
    now: Mapping[str, Setting] = {
        LANGUAGE: settings.language,
        LEVEL: settings.level.value,
        VOLUME: settings.volume,
        HINTS: settings.hints.value,
        STRENGTH: settings.strength.value,
        REMARKS: settings.remarks.value,
    }
    return now[name]


def _text_of(context: TableContext, name: str, value: Setting) -> str:
    if name == LANGUAGE:
        return language_name(str(value))
    if name in (LEVEL, HINTS, STRENGTH, KIT) and value:
        return context.text(TABLE, f"{name}.{value}")
    return context.text(TABLE, str(value)) if name == REMARKS else str(value)


def setting_lists(context: TableContext) -> tuple[SettingList, ...]:
    """Return the settings of this list, without the kit, for the host's phone."""
    return tuple(
        SettingList(
            name,
            context.text(TABLE, f"setting.{name}"),
            str(_value_now(context, name)),
            tuple((str(value), _text_of(context, name, value)) for value in SETTINGS[name]()),
        )
        for name in _list_names()
    )


def choose_setting(mode: Mode, context: TableContext, name: str, value: str) -> Outcome | None:
    """Set *name* to *value*, and stay in *mode*.

    Return None if there is no such setting, or the setting has no such value.
    """
    found = [each for each in SETTINGS[name]() if str(each) == value] if name in SETTINGS else []
    if not found:
        return None
    try:
        context.settings.set(name, found[0])
    except (JournalError, WordsError) as error:
        return refuse(mode, context.not_saved_notice(error))
    return Outcome(mode, flash=Flash.ACCEPTED)
