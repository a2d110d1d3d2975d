"""The mode in which people set the players, the dealer and the house rules of a game.

It shows one list of *fields*: start, the number of players, each name, the dealer and each house
rule. OK opens a field, the encoder selects a value, and OK sets it. The initial values are those of
the last game, so that the same people can play again with one press.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from engines.common.contract import (
    Amount,
    Game,
    Message,
    Option,
    OptionValue,
    Seat,
    Switch,
    Topic,
)
from engines.common.errors import CannotStart
from engines.common.lessons import lessons_of
from engines.common.solo import OFF, SOLO, goal_seat, goals_of, numbers_of_people
from firmware.common.errors import JournalError, RegisterError
from firmware.journal.codec import HOST, Phone
from firmware.journal.journal import GameStart
from firmware.show.names import LETTERS, NAME_LENGTH, letter_after
from firmware.show.view import Flash, ListView, Notice, TableView
from firmware.table.answers import GameOffer, HouseRule, RobotSeats
from firmware.table.context import TABLE, TableContext
from firmware.table.events import GameChosen
from firmware.table.mat_seats import MAT_NAME, can_sit
from firmware.table.modes.mode import Mode, Outcome, TappedPieces, refuse
from firmware.table.modes.playing import Playing
from firmware.table.picker import Picker
from firmware.voice.speech import SpeechLine, lines

log = logging.getLogger(__name__)

# The characters in players' names that a voice does not pronounce. ``letter.<code>`` is the text
# that it says when the character is selected.
UNHEARD = {" ": "blank", "-": "hyphen", "'": "apostrophe"}
DONE, DELETE = "done", "delete"  # items in the list of letters, where all others have length 1
PERSON, MAT = "", "mat"  # who plays a seat at a real table, as in GameOffer.who


class OtherName(Enum):
    """The items in a list of names that are no names: the mat plays, or people spell a new name.

    It is an enum and not a string, so that a player may have any name.
    """

    MAT = "mat"
    SPELL = "spell"


@dataclass(frozen=True, slots=True)
class SetupField:
    """One line of the list.

    *name* is ``start``, ``learn``, ``players``, ``name``, ``dealer`` or ``option``. The field
    ``learn`` starts the game too, and the table then teaches it.
    The field ``name`` is the name of the player at *seat*. The field ``option`` is the house rule
    *option*.
    """

    name: str
    seat: int = 0
    option: Option | None = None


@dataclass(frozen=True, slots=True)
class Spelling:
    """A new name for the player at *seat*, of which *text* has been entered so far.

    *letters* is the list to choose the next letter from; its first items are "done" and "delete".
    """

    seat: int
    text: str = ""
    letters: Picker[str] = field(default=Picker((DONE, DELETE, *LETTERS), 2))

    @property
    def letter(self) -> str:
        """The letter under the cursor: a capital at the start of a word, otherwise lower case."""
        return letter_after(self.text, self.letters.chosen)


@dataclass(frozen=True)
class Preparing(Mode):
    """The offer of a game with *names* by seat, the seat of the *dealer*, and *options* by name.

    *fields* is the list. *values* or *spelling* is set while a field is being changed. *box* is the
    number of the box to play with: the box of the tapped card, or the game's first box. The mat
    plays for the players in *mats*. One player plays solo, against a goal that takes the next seat.
    """

    context: TableContext
    game: Game[Any]
    names: tuple[str, ...]
    dealer: int
    options: Mapping[str, OptionValue]
    fields: Picker[SetupField]
    values: Picker[Any] | None = None
    spelling: Spelling | None = None
    box: int = 1
    mats: frozenset[str] = frozenset()

    @classmethod
    def of(cls, context: TableContext, name: str, box: int = 1) -> "Preparing":
        """Return the offer of the game *name*, with the players and house rules of its last game.

        The dealer is the next player. If the game was not played before, use default values. *box*
        is the number of the box to play with.
        """
        game = context.games[name]
        last = _last_start(context, name)
        if last is not None and len(last.names) in game.seats:
            names, options = _people_of(last), dict(last.options)
            dealer = (last.dealer + 1) % len(names)
        else:
            names = _fill_names(context, (), game.seats[0])
            options, dealer = {}, len(names) - 1
        defaults = {option.name: option.default for option in game.options}
        known = {o.name: options[o.name] for o in game.options if o.accepts(options.get(o.name))}
        return cls(
            context,
            game,
            names,
            dealer,
            defaults | known,
            Picker(_fields(game, len(names))),
            box=box,
            mats=_mats_of(last),
        )

    def with_players(self, names: tuple[str, ...]) -> "Preparing":
        """Return this offer for the players *names*, if their number fits the game."""
        if names == self.names or len(names) not in self._numbers:
            return self
        return replace(self, names=names)._with_players(len(names))

    # --- what the host does at a phone ---

    @classmethod
    def start_chosen(cls, context: TableContext, chosen: GameChosen) -> Outcome | None:
        """Start the game that is *chosen*, with the game's first box.

        Return None if there is no such game, number of players, dealer, house rule or value, or no
        card of the game has a sticker.
        """
        names, game = chosen.names, context.games.get(chosen.game)
        if game is None or len(names) not in numbers_of_people(game):
            return None
        if chosen.dealer not in range(len(names)):
            return None
        boxes = boxes_of(context, game.name)
        if not boxes:
            return None
        offer = replace(cls.of(context, game.name, boxes[0]), names=names, dealer=chosen.dealer)
        values = offer._values_by_name()
        try:
            changed = {name: values[name][value] for name, value in chosen.rules}
        except KeyError:
            return None
        usual = {option.name: option.default for option in game.options}
        if chosen.who:
            mats = (name for name, who in zip(names, chosen.who, strict=True) if who == MAT)
            offer = replace(offer, mats=frozenset(mats))
        offer = replace(offer, options=usual | changed)
        is_solo = len(names) == 1 or offer._is_solo
        return (offer._with_players(1) if is_solo else offer).start(HOST)

    @classmethod
    def start_again(cls, context: TableContext, before: GameStart) -> Outcome | None:
        """Start a game with the players and house rules of *before*, and the next dealer.

        Return None if no card of the game has a sticker any more.
        """
        boxes = boxes_of(context, before.game)
        if not boxes:
            return None
        same = (box for box in boxes if context.box(before.game, box).in_play == before.deck)
        return cls.of(context, before.game, next(same, boxes[0])).start(HOST)

    @property
    def can_start(self) -> bool:
        """True: no game is in progress. The host's game replaces this offer."""
        return True

    def start_game(self, chosen: GameChosen) -> Outcome | None:
        """Start the host's game instead."""
        return Preparing.start_chosen(self.context, chosen)

    def offer(self) -> GameOffer:
        """Return this offer for the host's phone."""
        names = _fill_names(self.context, self.names, max(self.game.seats))
        return GameOffer(
            self.game.name,
            self._text("title"),
            "",
            self._numbers,
            len(self.names),
            names,
            self.dealer,
            tuple(map(self._rule, self._rule_fields)),
        )

    @property
    def _numbers(self) -> tuple[int, ...]:
        """The numbers of players; one player plays solo."""
        return numbers_of_people(self.game)

    @property
    def _is_solo(self) -> bool:
        """True if the house rules have a goal."""
        return self.options.get(SOLO, OFF) != OFF

    @property
    def _rule_fields(self) -> tuple[SetupField, ...]:
        return tuple(line for line in self.fields.items if line.option is not None)

    def _rule(self, line: SetupField) -> HouseRule:
        option = _option(line)
        help_text = Message(f"option.{option.name}.help")
        return HouseRule(
            name=option.name,
            title=self._label(line),
            now=self._value_name(line, self.options[option.name]),
            values=tuple(
                (self._value_name(line, value), self._value(line, value))
                for value in _values(option)
            ),
            help=self.context.words[self.game.name].write(help_text, self.names),
        )

    def _values_by_name(self) -> dict[str, dict[str, OptionValue]]:
        """Return the values of each house rule by their fixed names."""
        return {
            _option(line).name: {
                self._value_name(line, value): value for value in _values(line.option)
            }
            for line in self._rule_fields
        }

    # --- what people do ---

    def tap(self, tapped: TappedPieces) -> Outcome:
        """Offer the game of the tapped card. If it is this game, refuse: OK must start it first."""
        if tapped.was_found:
            return Outcome(self)
        if tapped.game != self.game.name:
            offer = Preparing.of(self.context, tapped.game, tapped.box)
            return Outcome(offer, offer.summary(), Flash.ACCEPTED)
        return refuse(self, self._notice("start-first"))

    def turn(self, steps: int) -> Outcome:
        """Move the cursor in the open list."""
        return self._move(lambda picker: picker.move(steps))

    def press(self, button: str) -> Outcome:
        """Open a field or set its value (OK), move the cursor (action), or go back (back)."""
        if button == "action":
            return self._move(lambda picker: picker.advance(1))
        if button == "back":
            return self._back()
        if self.spelling is not None:
            return self._choose_letter(self.spelling)
        if self.values is not None:
            return self._set_value(self.values.chosen)
        return self._open_values(self.fields.chosen)

    def number(self, value: int) -> Outcome:
        """Choose *value* if the open field has numbers, else the item with that number.

        Items are counted from 1. If no field is open, set the number of players.
        """
        if self.values is not None and value in self.values.items and self._asks_number:
            return self._set_value(value)
        if self.values is None and self.spelling is None and value in self._numbers:
            return self._with_players(value)._card_outcome("players")
        if self.values is not None and value <= len(self.values.items):
            return self._set_value(self.values.items[value - 1])
        return refuse(self, self._notice("no-such-value", value=value))

    def seat(self, seat: int) -> Outcome:
        """Make *seat* the dealer, unless a field other than the dealer is open."""
        is_free = self.values is None or self.fields.chosen.name == "dealer"
        if seat < len(self.names) and is_free and self.spelling is None:
            return replace(self, dealer=seat, values=None)._card_outcome("dealer")
        return refuse(self, self._notice("no-such-value", value=seat + 1))

    def learn(self) -> Outcome | None:
        """Start the game and teach it; return None if it has no lessons."""
        return None if lessons_of(self.game) is None else self.start(is_lesson=True)

    def summary(self) -> tuple[SpeechLine, ...]:
        """Return the line that offers the game. OK starts it."""
        return lines(self.context.offer_text(self.game.name), topic=Topic.ITEM)

    def view(self) -> TableView:
        """Return the list, or the values or letters of the field that is open."""
        return TableView(
            phase="preparing",
            title=self._text("title"),
            hint=self._text("prepare.hint"),
            names=self.names,
            choices=self._choices(),
            action=self._text("label.next"),
        )

    # --- opening fields and setting values ---

    def _card_outcome(self, name: str) -> Outcome:
        """Return the outcome after a command card has set the field *name*: say the new value."""
        line = next(line for line in self.fields.items if line.name == name)
        return Outcome(self, lines(self._line(line), topic=Topic.ITEM), Flash.ACCEPTED)

    @property
    def _asks_number(self) -> bool:
        """True if the values of the selected field are shown as numbers."""
        line = self.fields.chosen
        return line.name == "players" or isinstance(line.option, Amount)

    def _move(self, move: Callable[[Picker[Any]], Picker[Any]]) -> Outcome:
        """Move the cursor of the innermost open list: the letters, the values or the fields."""
        if self.spelling is not None:
            letters = move(self.spelling.letters)
            return Outcome(replace(self, spelling=replace(self.spelling, letters=letters)))
        if self.values is not None:
            return Outcome(replace(self, values=move(self.values)))
        return Outcome(replace(self, fields=move(self.fields)))

    def _open_values(self, line: SetupField) -> Outcome:
        match line.name:
            case "start":
                return self.start()
            case "learn":
                return self.start(is_lesson=True)
            case "players":
                values: tuple[Any, ...] = self._numbers
                now: Any = len(self.names)
            case "name":
                now = self.names[line.seat]
                names = dict.fromkeys((*self.names, *self.context.known_names))
                values = (*names, *OtherName)
            case "dealer":
                values, now = tuple(range(len(self.names))), self.dealer
            case _:
                values, now = _values(line.option), self.options[_option(line).name]
        return Outcome(replace(self, values=Picker(values).on(now)))

    def _set_value(self, value: Any) -> Outcome:
        line = self.fields.chosen
        closed = replace(self, values=None)
        match line.name:
            case "players":
                closed = closed._with_players(value)
            case "name" if value is OtherName.MAT and not can_sit(self.game):
                title = self.context.title(self.game.name)
                return refuse(closed, self._notice("mat.cannot-sit", title=title))
            case "name" if value is OtherName.MAT:
                closed = closed._with_mat(line.seat)
            case "name" if value is OtherName.SPELL:
                closed = replace(closed, spelling=Spelling(line.seat))
            case "name":
                closed = closed._with_name(line.seat, value)
            case "dealer":
                closed = replace(closed, dealer=value)
            case _:
                name = _option(line).name
                closed = replace(closed, options={**self.options, name: value})
                if name == SOLO:
                    closed = closed._with_solo(is_on=value != OFF)
        return Outcome(closed, flash=Flash.ACCEPTED)

    def _choose_letter(self, spelling: Spelling) -> Outcome:
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

    def start(self, phone: Phone | None = None, *, is_lesson: bool = False) -> Outcome:
        """Start the game, for *phone* unless that is None. If *is_lesson* is True, teach it.

        The outcome is a refusal, with this offer as the mode, if the rules refuse the start, the
        journal cannot be written or the register cannot be read.
        """
        names = self.names
        if self._is_solo:
            names = (*names, next(name for name in self._goal_names if name not in names))
        try:
            start = GameStart(
                game=self.game.name,
                names=names,
                dealer=self.dealer,
                options=dict(self.options),
                deck=self.context.box(self.game.name, self.box).in_play,
                is_lesson=is_lesson,
                mats=tuple(Seat(n) for n, name in enumerate(self.names) if name in self.mats),
            )
            playing = Playing.begin(self.context, start)
            self.context.journal.begin(start, phone)
        except CannotStart as error:
            return refuse(self, self.context.rules_notice(self.game.name, error, self.names))
        except JournalError as error:
            return refuse(self, self.context.not_saved_notice(error))
        except RegisterError as error:
            log.warning("%s", error)
            return refuse(self, self._notice("not-readable"))
        return Outcome(playing, playing.opening(), Flash.ACCEPTED, playing.first_notice())

    @property
    def _goal_names(self) -> tuple[str, str]:
        """The names for the goal's seat; the second one if the player has the first."""
        name = self._text("solo.seat")
        return name, f"{name} 2"

    def _with_solo(self, *, is_on: bool) -> "Preparing":
        """Return this offer for one player, or for the fewest who can play without a goal."""
        if is_on:
            return self._with_players(1)
        return self if len(self.names) > 1 else self._with_players(self.game.seats[0])

    def _with_players(self, count: int) -> "Preparing":
        """Return this offer for *count* players. One plays solo, and more do not."""
        names = _fill_names(self.context, self.names, count)
        fields = Picker(_fields(self.game, count)).on(self.fields.chosen)
        mats, options = self.mats.intersection(names), dict(self.options)
        if self._is_solo and count > 1:
            options[SOLO] = OFF
        elif count == 1 and not self._is_solo:
            options[SOLO] = goals_of(self.game)[0]
        changed = replace(self, names=names, fields=fields, values=None, mats=mats)
        return replace(changed, dealer=count - 1, options=options)

    def _with_name(self, seat: int, name: str) -> "Preparing":
        """Put *name* at *seat*; if that name was at another seat, swap the two names."""
        swapped = {name: self.names[seat]}
        names = [swapped.get(old, old) for old in self.names]
        names[seat] = name
        return replace(self, names=tuple(names), mats=self.mats.intersection(names))

    def _with_mat(self, seat: int) -> "Preparing":
        """Let the mat play at *seat*, with a name that no other player has."""
        if self.names[seat] in self.mats:
            return self
        names = (MAT_NAME, *(f"{MAT_NAME} {number}" for number in range(2, len(self.names) + 1)))
        name = next(name for name in names if name not in self.names)
        return replace(self._with_name(seat, name), mats=self.mats | {name})

    # --- words ---

    def _text(self, code: str, **facts: Any) -> str:
        return self.context.text(self.game.name, code, self.names, **facts)

    def _notice(self, code: str, **facts: Any) -> Notice:
        return self.context.notice(self.game.name, code, self.names, **facts)

    def _choices(self) -> ListView:
        if self.spelling is not None:
            letters = self.spelling.letters
            words = (self._text("spell.done"), self._text("spell.delete"), *LETTERS)
            asked = self.spelling.text or self._text("spell")
            said = words[letters.cursor]
            if said in UNHEARD:
                said = self._text(f"letter.{UNHEARD[said]}")
            prompt = f"{self.spelling.text}_"
            return ListView(prompt, words, letters.cursor, letters.items, asked, said)
        line = self.fields.chosen
        if self.values is not None:
            words = tuple(self._value(line, value) for value in self.values.items)
            names = tuple(self._value_name(line, value) for value in self.values.items)
            named = "" if line.option is None else self._text(f"option.{line.option.name}.help")
            return ListView(self._label(line), words, self.values.cursor, names, help=named)
        lines = tuple(map(self._line, self.fields.items))
        names = tuple(map(_field_name, self.fields.items))
        return ListView(self._text("title"), lines, self.fields.cursor, names, asked="")

    def _line(self, line: SetupField) -> str:
        match line.name:
            case "start" | "learn":
                return self._text(f"field.{line.name}")
            case "players":
                value: Any = len(self.names)
            case "name":
                value = self.names[line.seat]
            case "dealer":
                value = self.dealer
            case _:
                value = self.options[_option(line).name]
        return self._text("field.line", label=self._label(line), value=self._value(line, value))

    def _label(self, line: SetupField) -> str:
        if line.option is not None:
            return self._text(f"option.{line.option.name}")
        return self._text(f"field.{line.name}", number=line.seat + 1)

    def _value_name(self, line: SetupField, value: Any) -> str:
        """Return the fixed name of *value* in the field *line*, the same in every language."""
        if isinstance(line.option, Switch):
            return "on" if value else "off"
        if isinstance(value, OtherName):
            return value.value
        return self.names[value] if line.name == "dealer" else str(value)

    def _value(self, line: SetupField, value: Any) -> str:
        if line.name == "dealer":
            return self._value_name(line, value)
        if isinstance(value, OtherName):
            return self._text("spell" if value is OtherName.SPELL else "mat.seat")
        if isinstance(line.option, Switch):
            return self._text("on" if value else "off")
        if line.option is not None and not isinstance(line.option, Amount):
            return self._text(f"option.{line.option.name}.{value}")
        return str(value)


def _field_name(line: SetupField) -> str:
    """Return the fixed name of the field *line*: ``players``, ``name-1``, ``floor-at-zero``."""
    if line.option is not None:
        return line.option.name
    return f"name-{line.seat + 1}" if line.name == "name" else line.name


def _option(line: SetupField) -> Option:
    assert line.option is not None, "only an option field is passed here"
    return line.option


def _values(option: Option | None) -> tuple[OptionValue, ...]:
    """Return all values of a house rule, in the order of the list."""
    if isinstance(option, Switch):
        return (False, True)
    if isinstance(option, Amount):
        return tuple(range(option.low, option.high + 1))
    return option.names if option is not None else ()


def _fields(game: Game[Any], players: int) -> tuple[SetupField, ...]:
    names = (SetupField("name", seat) for seat in range(players))
    rules = (SetupField("option", option=option) for option in game.options)
    ways = ("start",) if lessons_of(game) is None else ("start", "learn")
    return (*map(SetupField, ways), SetupField("players"), *names, SetupField("dealer"), *rules)


def _people_of(start: GameStart) -> tuple[str, ...]:
    """Return the names of the players in *start*, without the goal's."""
    return start.names[: goal_seat(start.options, len(start.names))]


def boxes_of(context: TableContext, game: str) -> tuple[int, ...]:
    """Return the numbers of the boxes of *game* that have stickers; none if that is unknown."""
    try:
        return context.register.boxes(game)
    except RegisterError as error:
        log.warning("%s", error)
        return ()


def offers(
    context: TableContext, boxes: Mapping[str, tuple[int, ...]], robots: RobotSeats | None
) -> tuple[GameOffer, ...]:
    """Return all games for the host's phone. *boxes* are the boxes of each that have stickers.

    *robots* are the seats of the virtual table; None at a real table.
    """
    last = _last_start(context)
    made = (_offer_of(context, name, boxes[name], last) for name in context.games)
    return tuple(_with_seats(context, offer, last, robots) for offer in made)


def _with_seats(
    context: TableContext, offer: GameOffer, last: GameStart | None, robots: RobotSeats | None
) -> GameOffer:
    """Return *offer* with who can play its seats, and who played them in the game *last*."""
    if robots is not None:
        who, seated = robots.who(offer.game), robots.before
    else:
        person, mat = (context.text(TABLE, code) for code in ("person.seat", "mat.seat"))
        can_mat = can_sit(context.games[offer.game])
        who = ((PERSON, person), (MAT, mat)) if can_mat else ()
        mats = _mats_of(last)
        seated = tuple(MAT if name in mats else PERSON for name in offer.names)
    known = {value for value, _ in who}
    return replace(offer, who=who, seated=tuple(at if at in known else PERSON for at in seated))


def _offer_of(
    context: TableContext, name: str, boxes: tuple[int, ...], last: GameStart | None
) -> GameOffer:
    """Return the game *name* for the host's phone. *last* is the start of the last game."""
    if not boxes:
        return GameOffer(name, context.title(name), context.text(TABLE, "phone.no-stickers"))
    prepared = Preparing.of(context, name, boxes[0])
    if last is None or last.game == name:
        return replace(prepared.offer(), is_last=last is not None)
    return prepared.with_players(_people_of(last)).offer()


def _last_start(context: TableContext, game: str | None = None) -> GameStart | None:
    """Return the last start of *game*, or of any game.

    Return None if it was not played before, or if the journal cannot be read.
    """
    try:
        return context.journal.last_start(game)
    except JournalError as error:
        log.warning("%s", error)
        return None


def _mats_of(last: GameStart | None) -> frozenset[str]:
    """Return the names of the players for whom the mat played in the game *last*."""
    return frozenset() if last is None else frozenset(last.names[seat] for seat in last.mats)


def _fill_names(context: TableContext, names: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Return *names*, cut or filled up to *count*.

    Known names are added first, and then "Player 1" and so on.
    """
    kept = list(names[:count])
    while len(kept) < count:
        numbers = (len(kept) + 1, *range(1, count + 1))
        numbered = (context.text(TABLE, "player", number=number) for number in numbers)
        kept.append(next(name for name in (*context.known_names, *numbered) if name not in kept))
    return tuple(kept)
