"""Preparing: who plays, who deals and by which house rules, with the controls alone.

Room: firmware/modes. One list: start, players, each name, dealer, each house rule. OK opens a
value, turning changes it, OK takes it. The defaults are those of the last game of this kind, so
that the same people play again with one press.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from engines.common.contract import Amount, Game, Option, OptionValue, Sensor, Switch, Topic
from engines.common.errors import CannotStart
from firmware.desk import TABLE, Desk
from firmware.errors import JournalError, RegisterError
from firmware.journal import GameStart
from firmware.modes.mode import Mode, Outcome, Tapped, refused
from firmware.modes.playing import Playing
from firmware.names import LETTERS, NAME_LENGTH
from firmware.picker import Picker
from firmware.speech import Line, lines
from firmware.view import Flash, ListView, Notice, TableView

log = logging.getLogger(__name__)

UNHEARD = {" ": "blank", "-": "hyphen", "'": "apostrophe"}  # letters that a voice says nothing for
DONE, DELETE = "done", "delete"  # among the letters, which are one letter each


class OtherName(Enum):
    """The way out of a list of names; no text, since any text may be somebody's name."""

    SPELL = "spell"


@dataclass(frozen=True, slots=True)
class Field:
    """One line of the list: start, players, the name of a *seat*, dealer, or an *option*."""

    name: str
    seat: int = 0
    option: Option | None = None


@dataclass(frozen=True, slots=True)
class Spelling:
    """A name being spelt, letter by letter."""

    seat: int
    text: str = ""
    letters: Picker[str] = field(default=Picker((DONE, DELETE, *LETTERS), 2))

    @property
    def letter(self) -> str:
        """The letter under the cursor, small where a name has small letters."""
        capital = not self.text or self.text[-1] in " -'"
        return self.letters.chosen if capital else self.letters.chosen.lower()


@dataclass(frozen=True)
class Preparing(Mode):
    """A game is offered. *fields* is the list; *values* or *spelling* is open on its line.

    *box* is that of the card which was laid, or the first of the game.
    """

    desk: Desk
    game: Game[Any]
    names: tuple[str, ...]
    dealer: int
    options: Mapping[str, OptionValue]
    fields: Picker[Field]
    values: Picker[Any] | None = None
    spelling: Spelling | None = None
    box: int = 1

    @classmethod
    def of(cls, desk: Desk, name: str, box: int = 1) -> "Preparing":
        """The offer of game *name*, as it was last played, or as it comes out of the box."""
        game = desk.games[name]
        last = _last_start(desk, name)
        if last is not None and len(last.names) in game.seats:
            names, options = last.names, dict(last.options)
            dealer = (last.dealer + 1) % len(names)
        else:
            names = _filled(desk, (), game.seats[0])
            options, dealer = {}, len(names) - 1
        defaults = {option.name: option.default for option in game.options}
        known = {o.name: options[o.name] for o in game.options if o.accepts(options.get(o.name))}
        return cls(
            desk,
            game,
            names,
            dealer,
            defaults | known,
            Picker(_fields(game, len(names))),
            box=box,
        )

    # --- what people do ---

    def tap(self, tapped: Tapped) -> Outcome:
        """A card of another game offers that one instead; of this one, OK is still to come."""
        if tapped.was_found:
            return Outcome(self)
        if tapped.game != self.game.name:
            offer = Preparing.of(self.desk, tapped.game, tapped.box)
            return Outcome(offer, offer.summary(), Flash.ACCEPTED)
        return refused(self, self._notice("start-first"))

    def turn(self, steps: int) -> Outcome:
        """Move through what is open."""
        return self._moved(lambda picker: picker.turned(steps))

    def press(self, button: str) -> Outcome:
        """OK opens or takes; back closes; action moves on by one."""
        if button == "action":
            return self._moved(lambda picker: picker.further(1))
        if button == "back":
            return self._back()
        if self.spelling is not None:
            return self._spell(self.spelling)
        if self.values is not None:
            return self._take(self.values.chosen)
        return self._open(self.fields.chosen)

    def number(self, value: int) -> Outcome:
        """A number card: the number of players, or the number that is open."""
        if self.values is not None and value in self.values.items and self._asks_number:
            return self._take(value)
        if self.values is None and self.spelling is None and value in self.game.seats:
            return self._with_players(value)._set_by_card("players")
        if self.values is not None and value <= len(self.values.items):
            return self._take(self.values.items[value - 1])
        return refused(self, self._notice("no-such-value", value=value))

    def seat(self, seat: int) -> Outcome:
        """A seat card: who deals."""
        is_free = self.values is None or self.fields.chosen.name == "dealer"
        if seat < len(self.names) and is_free and self.spelling is None:
            return replace(self, dealer=seat, values=None)._set_by_card("dealer")
        return refused(self, self._notice("no-such-value", value=seat + 1))

    def sense(self, sensor: Sensor) -> Outcome | None:
        """Nothing is to be seen before a game is on."""
        return None

    def summary(self) -> tuple[Line, ...]:
        """What is offered, which is what the controls stand on: OK starts."""
        return lines(self.desk.offer(self.game.name), topic=Topic.ITEM)

    @property
    def race(self) -> tuple[str, ...]:
        """Nothing is raced for."""
        return ()

    def view(self) -> TableView:
        """The list, or what is open on it."""
        return TableView(
            phase="preparing",
            title=self._say("title"),
            hint=self._say("prepare.hint"),
            names=self.names,
            choices=self._choices(),
            action=self._say("label.next"),
        )

    # --- opening and taking values ---

    def _set_by_card(self, name: str) -> Outcome:
        """This, in which a command card set the line *name*, wherever the cursor stands."""
        line = next(line for line in self.fields.items if line.name == name)
        return Outcome(self, lines(self._line(line), topic=Topic.ITEM), Flash.ACCEPTED)

    @property
    def _asks_number(self) -> bool:
        """Whether the values that are open are numbers to people too."""
        line = self.fields.chosen
        return line.name == "players" or isinstance(line.option, Amount)

    def _moved(self, move: Callable[[Picker[Any]], Picker[Any]]) -> Outcome:
        """Move the cursor of what is open, the uppermost first."""
        if self.spelling is not None:
            letters = move(self.spelling.letters)
            return Outcome(replace(self, spelling=replace(self.spelling, letters=letters)))
        if self.values is not None:
            return Outcome(replace(self, values=move(self.values)))
        return Outcome(replace(self, fields=move(self.fields)))

    def _open(self, line: Field) -> Outcome:
        match line.name:
            case "start":
                return self._start()
            case "players":
                values: tuple[Any, ...] = tuple(self.game.seats)
                now: Any = len(self.names)
            case "name":
                now = self.names[line.seat]
                values = (*dict.fromkeys((*self.names, *self.desk.known_names)), OtherName.SPELL)
            case "dealer":
                values, now = tuple(range(len(self.names))), self.dealer
            case _:
                values, now = _values(line.option), self.options[_option(line).name]
        return Outcome(replace(self, values=Picker(values).on(now)))

    def _take(self, value: Any) -> Outcome:
        line = self.fields.chosen
        closed = replace(self, values=None)
        match line.name:
            case "players":
                closed = closed._with_players(value)
            case "name" if value is OtherName.SPELL:
                closed = replace(closed, spelling=Spelling(line.seat))
            case "name":
                closed = closed._with_name(line.seat, value)
            case "dealer":
                closed = replace(closed, dealer=value)
            case _:
                closed = replace(closed, options={**self.options, _option(line).name: value})
        return Outcome(closed, flash=Flash.ACCEPTED)

    def _spell(self, spelling: Spelling) -> Outcome:
        if spelling.letters.chosen == DELETE:
            return Outcome(replace(self, spelling=replace(spelling, text=spelling.text[:-1])))
        if spelling.letters.chosen != DONE:
            text = (spelling.text + spelling.letter)[:NAME_LENGTH]
            return Outcome(replace(self, spelling=replace(spelling, text=text)))
        name = spelling.text.strip()
        done = replace(self, spelling=None)
        return Outcome(done._with_name(spelling.seat, name) if name else done, flash=Flash.ACCEPTED)

    def _back(self) -> Outcome:
        if self.spelling is not None or self.values is not None:
            return Outcome(replace(self, values=None, spelling=None))
        return Outcome(None)

    def _start(self) -> Outcome:
        try:
            start = GameStart(
                game=self.game.name,
                names=self.names,
                dealer=self.dealer,
                options=dict(self.options),
                deck=self.desk.box(self.game.name, self.box).in_play,
            )
            playing = Playing.begun(self.desk, start)
            self.desk.journal.begin(start)
        except CannotStart as error:
            return refused(self, self.desk.refusal(self.game.name, error, self.names))
        except JournalError:
            return refused(self, self._notice("not-saved"))
        except RegisterError as error:
            log.warning("%s", error)
            return refused(self, self._notice("not-readable"))
        return Outcome(playing, playing.opening(), Flash.ACCEPTED)

    def _with_players(self, count: int) -> "Preparing":
        names = _filled(self.desk, self.names, count)
        fields = Picker(_fields(self.game, count)).on(self.fields.chosen)
        return replace(self, names=names, dealer=count - 1, fields=fields, values=None)

    def _with_name(self, seat: int, name: str) -> "Preparing":
        """*name* sits at *seat*; if that name sat elsewhere, the two change places."""
        swapped = {name: self.names[seat]}
        names = [swapped.get(old, old) for old in self.names]
        names[seat] = name
        return replace(self, names=tuple(names))

    # --- words ---

    def _say(self, code: str, **facts: Any) -> str:
        return self.desk.say(self.game.name, code, self.names, **facts)

    def _notice(self, code: str, **facts: Any) -> Notice:
        return self.desk.notice(self.game.name, code, self.names, **facts)

    def _choices(self) -> ListView:
        if self.spelling is not None:
            letters = self.spelling.letters
            words = (self._say("spell.done"), self._say("spell.delete"), *LETTERS)
            asked = self.spelling.text or self._say("spell")
            said = words[letters.cursor]
            if said in UNHEARD:
                said = self._say(f"letter.{UNHEARD[said]}")
            prompt = f"{self.spelling.text}_"
            return ListView(prompt, words, letters.cursor, letters.items, asked, said)
        line = self.fields.chosen
        if self.values is not None:
            words = tuple(self._value(line, value) for value in self.values.items)
            names = tuple(self._value_name(line, value) for value in self.values.items)
            named = "" if line.option is None else self._say(f"option.{line.option.name}.help")
            return ListView(self._label(line), words, self.values.cursor, names, help=named)
        lines = tuple(map(self._line, self.fields.items))
        names = tuple(map(_field_name, self.fields.items))
        return ListView(self._say("title"), lines, self.fields.cursor, names, asked="")

    def _line(self, line: Field) -> str:
        match line.name:
            case "start":
                return self._say("field.start")
            case "players":
                value: Any = len(self.names)
            case "name":
                value = self.names[line.seat]
            case "dealer":
                value = self.dealer
            case _:
                value = self.options[_option(line).name]
        return self._say("field.line", label=self._label(line), value=self._value(line, value))

    def _label(self, line: Field) -> str:
        if line.option is not None:
            return self._say(f"option.{line.option.name}")
        return self._say(f"field.{line.name}", number=line.seat + 1)

    def _value_name(self, line: Field, value: Any) -> str:
        """The fixed name of a value."""
        if isinstance(line.option, Switch):
            return "on" if value else "off"
        if value is OtherName.SPELL:
            return OtherName.SPELL.value
        return self.names[value] if line.name == "dealer" else str(value)

    def _value(self, line: Field, value: Any) -> str:
        if line.name == "dealer":
            return self._value_name(line, value)
        if value is OtherName.SPELL:
            return self._say("spell")
        if isinstance(line.option, Switch):
            return self._say("on" if value else "off")
        if line.option is not None and not isinstance(line.option, Amount):
            return self._say(f"option.{line.option.name}.{value}")
        return str(value)


def _field_name(line: Field) -> str:
    """The fixed name of a line: ``players``, ``name-1``, ``floor-at-zero``."""
    if line.option is not None:
        return line.option.name
    return f"name-{line.seat + 1}" if line.name == "name" else line.name


def _option(line: Field) -> Option:
    assert line.option is not None, "only a house rule's line is taken as one"
    return line.option


def _values(option: Option | None) -> tuple[OptionValue, ...]:
    """Every value a house rule can have, in the order the controls turn through them."""
    if isinstance(option, Switch):
        return (False, True)
    if isinstance(option, Amount):
        return tuple(range(option.low, option.high + 1))
    return option.names if option is not None else ()


def _fields(game: Game[Any], players: int) -> tuple[Field, ...]:
    names = (Field("name", seat) for seat in range(players))
    rules = (Field("option", option=option) for option in game.options)
    return (Field("start"), Field("players"), *names, Field("dealer"), *rules)


def _last_start(desk: Desk, game: str) -> GameStart | None:
    """How the last game of this kind began, if that can be read: it is only a convenience."""
    try:
        return desk.journal.last_start(game)
    except JournalError as error:
        log.warning("%s", error)
        return None


def _filled(desk: Desk, names: tuple[str, ...], count: int) -> tuple[str, ...]:
    """*names* cut or filled to *count*: with known names first, then with numbered ones."""
    kept = list(names[:count])
    while len(kept) < count:
        numbers = (len(kept) + 1, *range(1, count + 1))
        numbered = (desk.say(TABLE, "player", number=number) for number in numbers)
        kept.append(next(name for name in (*desk.known_names, *numbered) if name not in kept))
    return tuple(kept)
