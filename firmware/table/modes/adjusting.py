"""The mode in which people change the voice settings: language, level of detail, volume.

It can be opened over any other mode. A card that is tapped goes to the mode below and closes
the list.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from babel import Locale

from engines.common.contract import Sensor, Topic
from firmware.common.errors import JournalError, WordsError
from firmware.journal.journal import Setting
from firmware.show.view import Flash, ListView, TableView
from firmware.table.context import TABLE, TableContext
from firmware.table.modes.mode import LookedUpTag, Mode, Outcome, TappedPieces, refuse
from firmware.table.picker import Picker
from firmware.voice.settings import LANGUAGE, LEVEL, LOUDEST, VOLUME, Level, Settings
from firmware.voice.speech import SpeechLine, lines
from firmware.voice.words import languages

# The settings in the order of the list, each with a function that returns its possible values.
SETTINGS: Mapping[str, Callable[[], tuple[Setting, ...]]] = {
    LANGUAGE: languages,
    LEVEL: lambda: tuple(level.value for level in Level),
    VOLUME: lambda: tuple(range(10, LOUDEST + 1, 10)),
}


@dataclass(frozen=True)
class Adjusting(Mode):
    """The list of settings, opened over the mode *return_to*.

    *settings* are their names. *values* is the list of values of the setting under the cursor, or
    None while that list is closed.
    """

    context: TableContext
    return_to: Mode
    settings: Picker[str] = field(default=Picker(tuple(SETTINGS)))
    values: Picker[Setting] | None = None

    @classmethod
    def open(cls, mode: Mode, context: TableContext) -> Outcome:
        """Return the outcome of opening the list over *mode*.

        If *mode* is this list already, the list starts again over the mode below.
        """
        opened = cls(context, mode.return_to if isinstance(mode, Adjusting) else mode)
        return Outcome(opened, opened.summary())

    def handle_tags(self, tags: tuple[LookedUpTag, ...], was_found: bool) -> Outcome | None:
        """Pass the tags to the mode below this list."""
        return self.return_to.handle_tags(tags, was_found)

    @property
    def unreadable_remedy(self) -> str:
        """The text code of the advice that the mode below this list gives."""
        return self.return_to.unreadable_remedy

    def tap(self, tapped: TappedPieces) -> Outcome:
        """Pass the pieces to the mode below this list."""
        return self.return_to.tap(tapped)

    def turn(self, steps: int) -> Outcome:
        """Move the cursor in the open list."""
        return self._move(lambda picker: picker.move(steps))

    def press(self, button: str) -> Outcome:
        """Open a setting or set its value (OK), move the cursor (action), or go back (back)."""
        if button == "action":
            return self._move(lambda picker: picker.advance(1))
        if button == "back":
            return Outcome(self.return_to if self.values is None else replace(self, values=None))
        if self.values is not None:
            return self._set(self.values.chosen)
        return self._open(self.settings.chosen)

    def number(self, value: int) -> Outcome:
        """Choose item *value*, from 1, of the open list: a setting, or a value to set."""
        open_list = self.settings if self.values is None else self.values
        if value > len(open_list.items):
            return refuse(self, self.context.notice(TABLE, "no-such-value", value=value))
        if self.values is not None:
            return self._set(self.values.items[value - 1])
        at = self.settings.at(value - 1)
        return replace(self, settings=at)._open(at.chosen)

    def seat(self, seat: int) -> Outcome:
        """Refuse a seat's command card: this list has no seats."""
        return refuse(self, self.context.notice(TABLE, "no-such-value", value=seat + 1))

    def sense(self, sensor: Sensor) -> Outcome | None:
        """Pass the sensor's signal to the mode below this list."""
        return self.return_to.sense(sensor)

    def summary(self) -> tuple[SpeechLine, ...]:
        """Return the title of the list."""
        return lines(self.context.text(TABLE, "menu.settings"), topic=Topic.QUESTION)

    @property
    def race(self) -> tuple[str, ...]:
        """The spots of the race in the mode below this list; empty if there is none."""
        return self.return_to.race

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

    def _open(self, name: str) -> Outcome:
        values, now = SETTINGS[name](), _now(self.context.settings.current, name)
        if name == VOLUME:  # the volume in table.toml need not be a multiple of 10
            now = min(values, key=lambda value: abs(int(value) - int(now)))
        return Outcome(replace(self, values=Picker(values).on(now)))

    def _set(self, value: Setting) -> Outcome:
        """Store *value* and use it at once, even for the confirmation that is spoken next."""
        try:
            self.context.settings.set(self.settings.chosen, value)
        except (JournalError, WordsError) as error:
            return refuse(self, self.context.not_saved_notice(error))
        return Outcome(replace(self, values=None), flash=Flash.ACCEPTED)

    def _choices(self) -> ListView:
        text = self.context.text
        if self.values is not None:
            name = self.settings.chosen
            words = tuple(self._value(name, value) for value in self.values.items)
            names = tuple(map(str, self.values.items))
            return ListView(text(TABLE, f"setting.{name}"), words, self.values.cursor, names)
        current = self.context.settings.current
        words = tuple(
            text(
                TABLE,
                "field.line",
                label=text(TABLE, f"setting.{name}"),
                value=self._value(name, _now(current, name)),
            )
            for name in self.settings.items
        )
        prompt = text(TABLE, "menu.settings")
        return ListView(prompt, words, self.settings.cursor, self.settings.items, asked="")

    def _value(self, name: str, value: Setting) -> str:
        """Return the text for *value*; for a language, its name in that language."""
        if name == LANGUAGE:
            language = Locale.parse(str(value)).get_display_name() or str(value)
            return language[0].upper() + language[1:]
        return self.context.text(TABLE, f"level.{value}") if name == LEVEL else str(value)


def _now(settings: Settings, name: str) -> Setting:
    """Return the current value of the setting *name*."""
    return {
        LANGUAGE: settings.language,
        LEVEL: settings.level.value,
        VOLUME: settings.volume,
    }[name]
