"""Adjusting: what people may change about how the table speaks, at any time.

Room: firmware/modes. It lies over another mode, which goes on below it: a card that is tapped is
that one's, and closes the list.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from babel import Locale

from engines.common.contract import Sensor, Topic
from firmware.desk import TABLE, Desk
from firmware.errors import JournalError, WordsError
from firmware.journal import Setting
from firmware.modes.mode import Mode, Outcome, Seen, Tapped, refused
from firmware.picker import Picker
from firmware.settings import LANGUAGE, LEVEL, LOUDEST, VOLUME, Level, Settings
from firmware.speech import Line, lines
from firmware.view import Flash, ListView, TableView
from firmware.words import languages

# What can be set, in the order of the list, and what it can be.
DIALS: Mapping[str, Callable[[], tuple[Setting, ...]]] = {
    LANGUAGE: languages,
    LEVEL: lambda: tuple(level.value for level in Level),
    VOLUME: lambda: tuple(range(10, LOUDEST + 1, 10)),
}


@dataclass(frozen=True)
class Adjusting(Mode):
    """The list of settings over the mode *then*; *values* of the one under the cursor are open."""

    desk: Desk
    then: Mode
    dials: Picker[str] = field(default=Picker(tuple(DIALS)))
    values: Picker[Setting] | None = None

    @classmethod
    def over(cls, mode: Mode, desk: Desk) -> Outcome:
        """What comes of asking for the list in *mode*; if it is open there, it begins anew."""
        opened = cls(desk, mode.then if isinstance(mode, Adjusting) else mode)
        return Outcome(opened, opened.summary())

    def arrived(self, tags: tuple[Seen, ...], was_found: bool) -> Outcome | None:
        """Tags are for the mode below; a new sticker, while stickers are enrolled."""
        return self.then.arrived(tags, was_found)

    @property
    def unreadable(self) -> str:
        """What the mode below has to say of it."""
        return self.then.unreadable

    def tap(self, tapped: Tapped) -> Outcome:
        """A card is for the mode below."""
        return self.then.tap(tapped)

    def turn(self, steps: int) -> Outcome:
        """Move through what is open."""
        return self._moved(lambda picker: picker.turned(steps))

    def press(self, button: str) -> Outcome:
        """OK opens or takes; action moves on; back closes, and at last leaves."""
        if button == "action":
            return self._moved(lambda picker: picker.further(1))
        if button == "back":
            return Outcome(self.then if self.values is None else replace(self, values=None))
        if self.values is not None:
            return self._set(self.values.chosen)
        return self._open(self.dials.chosen)

    def number(self, value: int) -> Outcome:
        """The line of the open list with that number."""
        open_list = self.dials if self.values is None else self.values
        if value > len(open_list.items):
            return refused(self, self.desk.notice(TABLE, "no-such-value", value=value))
        if self.values is not None:
            return self._set(self.values.items[value - 1])
        at = self.dials.at(value - 1)
        return replace(self, dials=at)._open(at.chosen)

    def seat(self, seat: int) -> Outcome:
        """Nothing here is a seat."""
        return refused(self, self.desk.notice(TABLE, "no-such-value", value=seat + 1))

    def sense(self, sensor: Sensor) -> Outcome | None:
        """What a sensor sees is for the mode below."""
        return self.then.sense(sensor)

    def summary(self) -> tuple[Line, ...]:
        """What is open."""
        return lines(self.desk.say(TABLE, "menu.settings"), topic=Topic.QUESTION)

    @property
    def race(self) -> tuple[str, ...]:
        """A race goes on."""
        return self.then.race

    def view(self) -> TableView:
        """The list, or the values of a line of it."""
        return TableView(
            phase="settings",
            title=self.desk.say(TABLE, "menu.settings"),
            choices=self._choices(),
            action=self.desk.say(TABLE, "label.next"),
        )

    def _moved(self, move: Callable[[Picker[Any]], Picker[Any]]) -> Outcome:
        if self.values is not None:
            return Outcome(replace(self, values=move(self.values)))
        return Outcome(replace(self, dials=move(self.dials)))

    def _open(self, dial: str) -> Outcome:
        values, now = DIALS[dial](), _now(self.desk.tongue.settings, dial)
        if dial == VOLUME:  # table.toml may have one between the steps
            now = min(values, key=lambda value: abs(int(value) - int(now)))
        return Outcome(replace(self, values=Picker(values).on(now)))

    def _set(self, value: Setting) -> Outcome:
        """Let it hold at once; what is said of it is in the language, and as loud, as was set."""
        try:
            self.desk.tongue.set(self.dials.chosen, value)
        except (JournalError, WordsError):
            return refused(self, self.desk.notice(TABLE, "not-saved"))
        return Outcome(replace(self, values=None), flash=Flash.ACCEPTED)

    def _choices(self) -> ListView:
        say = self.desk.say
        if self.values is not None:
            dial = self.dials.chosen
            words = tuple(self._value(dial, value) for value in self.values.items)
            names = tuple(map(str, self.values.items))
            return ListView(say(TABLE, f"setting.{dial}"), words, self.values.cursor, names)
        settings = self.desk.tongue.settings
        words = tuple(
            say(
                TABLE,
                "field.line",
                label=say(TABLE, f"setting.{dial}"),
                value=self._value(dial, _now(settings, dial)),
            )
            for dial in self.dials.items
        )
        prompt = say(TABLE, "menu.settings")
        return ListView(prompt, words, self.dials.cursor, self.dials.items, asked="")

    def _value(self, dial: str, value: Setting) -> str:
        """A value in words: a language calls itself by its own name."""
        if dial == LANGUAGE:
            name = Locale.parse(str(value)).get_display_name() or str(value)
            return name[0].upper() + name[1:]
        return self.desk.say(TABLE, f"level.{value}") if dial == LEVEL else str(value)


def _now(settings: Settings, dial: str) -> Setting:
    """What *dial* is set to."""
    return {
        LANGUAGE: settings.language,
        LEVEL: settings.level.value,
        VOLUME: settings.volume,
    }[dial]
