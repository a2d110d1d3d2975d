"""The grammar of rehearsals: lines of verbs, read before anything is played.

Room: sim/rehearsal. Values and pure functions; ``sim.rehearsal.runner`` plays them.
Source: docs/rehearsals.md.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from gettext import gettext as _
from gettext import ngettext
from typing import NamedTuple

from engines.common.pieces import Piece
from firmware.config import LAMPS, LEVELS, SPOTS
from firmware.errors import TapmatError, did_you_mean, listed
from firmware.names import NAME_LENGTH, is_name
from firmware.sections import to_write
from sim.faults import PARTS
from sim.rehearsal.expectations import EXPECTATIONS

BUTTONS = ("ok", "back", "action")
TOKEN = re.compile(r'"([^"]*)"|([^\s",]+)|(,)|"')
STEPS = re.compile(r"[+-]?[0-9]{1,3}")
SECONDS = re.compile(r"[0-9]{1,4}(\.[0-9]+)?")
NUMBER = re.compile(r"0|-?[1-9][0-9]*")  # as the mat would write it
PLACE = re.compile(rf"({NUMBER.pattern}),({NUMBER.pattern})")  # on a map: column and row
LONGEST_WAIT_S = 3600
LONGEST_FOUND = 160
LONG_WORD = re.compile(r'(?<=")[^"]{61,}(?=")|[^\s"]{61,}')  # longer than a message has room for


class RehearsalError(TapmatError):
    """A rehearsal that cannot be read: *place* is its file and line."""

    def __init__(self, place: str, found: str, remedy: str) -> None:
        found = LONG_WORD.sub(lambda word: f"{word[0][:59]}…", found)
        if len(found) > LONGEST_FOUND:
            found = f"{found[: LONGEST_FOUND - 1]}…"
        super().__init__(f"{place}: {found}. {remedy}")


class _Wrong(Exception):
    """What is wrong with one line, and what would be right; the reader adds the place."""

    def __init__(self, found: str, remedy: str) -> None:
        super().__init__(found)
        self.found, self.remedy = found, remedy


@dataclass(frozen=True, slots=True)
class Prepare:
    """Something to set before the start: game, deck, dealer, house rule, language, and so on."""

    what: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NewStickers:
    """Put fresh stickers on *tags*; without any, before the start: nobody has enrolled any card."""

    tags: tuple[Piece | str, ...] = ()


@dataclass(frozen=True, slots=True)
class Start:
    """Set the game up at the table's own controls and start it."""


@dataclass(frozen=True, slots=True)
class Move:
    """Move tags: ``tap`` (lay and lift), ``lay`` or ``lift``. *tags* are pieces or strangers."""

    how: str
    tags: tuple[Piece | str, ...]
    spot: str


@dataclass(frozen=True, slots=True)
class Choose:
    """Turn to *value* and press OK."""

    value: str


@dataclass(frozen=True, slots=True)
class PressButton:
    """Press and let go of a button."""

    button: str


@dataclass(frozen=True, slots=True)
class Turn:
    """Turn the encoder; clockwise is above zero."""

    steps: int


@dataclass(frozen=True, slots=True)
class Tilt:
    """Rock what the tilt switch is fixed to, until it has come to rest again."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Let time pass."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Power:
    """Pull the plug, or put it back."""

    is_on: bool


@dataclass(frozen=True, slots=True)
class Fault:
    """Break *part*, or every part of the kind; ``none`` mends."""

    name: str
    part: str | None


@dataclass(frozen=True, slots=True)
class Expect:
    """State what the mat must show."""

    what: str
    values: tuple[str, ...]


Verb = (
    Prepare
    | NewStickers
    | Start
    | Move
    | Choose
    | PressButton
    | Turn
    | Tilt
    | Wait
    | Power
    | Fault
    | Expect
)


@dataclass(frozen=True, slots=True)
class Line:
    """One verb and where it stands."""

    place: str  # file:line
    text: str
    verb: Verb


def parse(text: str, file: str) -> list[Line]:
    """Read a whole rehearsal.

    Raises:
        RehearsalError: a line is none of the grammar; the error names file and line, what was
            found and what would be right.
    """
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        place = f"{file}:{number}"
        verb = parse_line(line, place)
        if verb is not None:
            lines.append(Line(place, line.strip(), verb))
    return lines


def parse_line(line: str, place: str) -> Verb | None:
    """Read one line; none when it is empty or a comment.

    Raises:
        RehearsalError: see ``parse``.
    """
    try:
        words = _words(line)
        return _verb(words) if words else None
    except _Wrong as wrong:
        raise RehearsalError(place, wrong.found, wrong.remedy) from None


def nearest(found: str, known: Sequence[str]) -> str:
    """The end of a message that helps with a name nobody knows."""
    names = _("It can be: {names}").format(names=listed(known))
    return f"{did_you_mean(found, known)} {names}".strip()


def _words(line: str) -> list[str]:
    """The words of a line, quoted ones whole, commas by themselves; up to a word that begins #."""
    words: list[str] = []
    for match in TOKEN.finditer(line):
        quoted, plain, comma = match.groups()
        if plain is not None and plain.startswith("#"):
            break
        if match.group() == '"':
            raise _Wrong(_("a quoted text has no end"), _('Write " before and after it'))
        words.append(comma or plain or quoted or "")
    return words


def _verb(words: Sequence[str]) -> Verb:
    name, rest = words[0], tuple(words[1:])
    if name not in VERBS:
        raise _Wrong(_('"{word}" is not a verb').format(word=name), nearest(name, tuple(VERBS)))
    return VERBS[name].read(name, rest)


def _written(name: str) -> str:
    """How the verb *name* is written."""
    return _to_write(name, VERBS[name].shape)


def _to_write(name: str, shape: str) -> str:
    """What a message ends in: *name* with the *shape* of what stands after it."""
    return _("Write: {line}").format(line=f"{name} {shape}".strip())


def _after(name: str, words: Sequence[str]) -> str:
    """The message that *words* are not what can stand after *name*."""
    found = _('after "{name}" stands {words}')
    return found.format(name=name, words=" ".join(words) or listed(()))


def _one(name: str, words: Sequence[str], shape: str | None = None) -> str:
    """The one word that stands after *name*."""
    if len(words) != 1:
        remedy = _written(name) if shape is None else _to_write(name, shape)
        raise _Wrong(_after(name, words), remedy)
    return words[0]


def _one_of(word: str, found: str, known: Sequence[str], **facts: str) -> str:
    """*word*, which is one of *known*; *found*, filled with *facts*, says that it is none."""
    if word not in known:
        raise _Wrong(found.format(word=word, **facts), nearest(word, known))
    return word


def _at(name: str, words: tuple[str, ...], shape: str) -> tuple[tuple[str, ...], str | None]:
    """What stands before an ``@`` and what stands after it, if there is one."""
    if "@" not in words:
        return words, None
    at = words.index("@")
    return words[:at], _one(f"{name} ... @", words[at + 1 :], shape)


def _counted(name: str, words: Sequence[str]) -> str:
    """The message that after *name* stand too many *words* or too few."""
    count = len(words)
    found = ngettext("{count} word after {name}", "{count} words after {name}", count)
    return found.format(count=count, name=name)


def _prepare(name: str, words: tuple[str, ...]) -> Verb:
    return Prepare(name, (_one(name, words),))


def _level(name: str, words: tuple[str, ...]) -> Verb:
    return Prepare(name, (_one_of(_one(name, words), '"{word}" is not a level', LEVELS),))


def _option(name: str, words: tuple[str, ...]) -> Verb:
    if len(words) != 2:
        raise _Wrong(_counted(name, words), _written(name))
    return Prepare(name, words)


def _players(name: str, words: tuple[str, ...]) -> Verb:
    names = tuple(word for word in words if word != ",")
    if len(names) < 2:
        found = ngettext("{count} player", "{count} players", len(names))
        raise _Wrong(found.format(count=len(names)), _written(name))
    if len(set(names)) < len(names):
        raise _Wrong(_("two players of one name"), _("Give every player another name"))
    return Prepare(name, names)


def _names(name: str, words: tuple[str, ...]) -> Verb:
    names = tuple(word for word in words if word != ",")
    if not names:
        raise _Wrong(f'after "{name}" stands nothing', _written(name))
    for wrong in (word for word in names if not is_name(word)):
        remedy = _("Use 1 to {count} letters that the screen can show").format(count=NAME_LENGTH)
        raise _Wrong(f'"{wrong}" can be no name', remedy)
    return Prepare(name, names)


def _stickers(name: str, words: tuple[str, ...]) -> Verb:
    if words[:1] != ("new",):
        raise _Wrong(_after(name, words[:1]), _written(name))
    return NewStickers(_tags(name, words[1:]) if words[1:] else ())


def _none(name: str, words: tuple[str, ...]) -> None:
    """Nothing may stand after *name*."""
    if words:
        raise _Wrong(_after(name, words), _written(name))


def _start(name: str, words: tuple[str, ...]) -> Verb:
    _none(name, words)
    return Start()


def _move(name: str, words: tuple[str, ...]) -> Verb:
    words, spot = _at(name, words, "SPOT")
    tags = _tags(name, words)
    return Move(name, tags, _one_of(spot or "play", _('"{word}" is not a spot'), SPOTS))


def _tags(name: str, words: tuple[str, ...]) -> tuple[Piece | str, ...]:
    """What is meant by names with commas between them."""
    tags = tuple(word for word in words if word != ",")
    if not tags or list(words[1::2]) != [","] * (len(tags) - 1):
        found = _('"{words}" is no list of pieces').format(words=" ".join(words))
        raise _Wrong(found, _written(name))
    return tuple(map(_tag, tags))


def _tag(word: str) -> Piece | str:
    """A stranger or a kind as it stands, or one certain copy of a kind."""
    if "#" not in word:
        return word
    try:
        return Piece.parse(word)
    except ValueError:
        found = _('"{name}": what follows # must be a whole number from 1').format(name=word)
        raise _Wrong(found, to_write("weight-7#2")) from None


def _choose(name: str, words: tuple[str, ...]) -> Verb:
    place = "".join(words)
    return Choose(place if PLACE.fullmatch(place) else _one(name, words))


def _press(name: str, words: tuple[str, ...]) -> Verb:
    return PressButton(_one_of(_one(name, words), _('"{word}" is not a button'), BUTTONS))


def _turn(name: str, words: tuple[str, ...]) -> Verb:
    steps = _one(name, words)
    if not STEPS.fullmatch(steps):
        remedy = _("Write a whole number from -999 to 999, for example: {line}")
        found = _('"{word}" is no number of steps').format(word=steps)
        raise _Wrong(found, remedy.format(line="turn -3"))
    return Turn(int(steps))


def _tilt(name: str, words: tuple[str, ...]) -> Verb:
    _none(name, words)
    return Tilt()


def _wait(name: str, words: tuple[str, ...]) -> Verb:
    seconds = _one(name, words)
    if not SECONDS.fullmatch(seconds) or float(seconds) > LONGEST_WAIT_S:
        remedy = _("Write a number up to {most}, for example: {line}")
        found = _('"{word}" is no number of seconds').format(word=seconds)
        raise _Wrong(found, remedy.format(most=LONGEST_WAIT_S, line="wait 2.5"))
    return Wait(float(seconds))


def _power(name: str, words: tuple[str, ...]) -> Verb:
    way = _one_of(_one(name, words), _('"{word}" is not a way of power'), ("cut", "on"))
    return Power(way == "on")


def _fault(name: str, words: tuple[str, ...]) -> Verb:
    words, part = _at(name, words, "PART")
    fault = _one_of(_one(name, words), _('"{word}" is not a fault'), tuple(PARTS))
    if part is not None:
        _one_of(part, _('"{word}" is not a part of "fault {fault}"'), PARTS[fault], fault=fault)
    return Fault(fault, part)


def _expect(name: str, words: tuple[str, ...]) -> Verb:
    if len(words) < 2:
        raise _Wrong(_counted(name, words), _written(name))
    what, *values = words
    found = _('"{word}" is not something to expect')
    shape = EXPECTATIONS[_one_of(what, found, tuple(EXPECTATIONS))].shape
    words_of_shape = shape.split()
    if words_of_shape[-1] != "...":
        if len(values) != len(words_of_shape):
            verb = f"{name} {what}"
            raise _Wrong(_counted(verb, values), _to_write(verb, shape))
        for word, wanted in zip(values, words_of_shape, strict=True):
            _fits(word, wanted)
    return Expect(what, tuple(values))


def _fits(word: str, wanted: str) -> None:
    """Refuse a *word* that is not what one word of an expectation's shape stands for."""
    if wanted == "NUMBER" and not NUMBER.fullmatch(word):
        remedy = _("Write a whole number, for example: {line}").format(line="-3")
        raise _Wrong(_('"{word}" is no number').format(word=word), remedy)
    if wanted == "LAMP":
        _one_of(word, _('"{word}" is not a lamp'), LAMPS)
    if "|" in wanted:
        _one_of(word, _('"{word}" is not what can be expected here'), wanted.split("|"))


class VerbShape(NamedTuple):
    """What stands after a verb, for people, and what reads it."""

    shape: str
    read: Callable[[str, tuple[str, ...]], Verb]


_MOVE = VerbShape("PIECE[, PIECE...] [@ SPOT]", _move)
VERBS: Mapping[str, VerbShape] = {
    "game": VerbShape("NAME", _prepare),
    "players": VerbShape("NAME NAME ...", _players),
    "option": VerbShape("NAME VALUE", _option),
    "deck": VerbShape("FILE", _prepare),
    "language": VerbShape("CODE", _prepare),
    "level": VerbShape("|".join(LEVELS), _level),
    "names": VerbShape("NAME ...", _names),
    "dealer": VerbShape("NAME", _prepare),
    "stickers": VerbShape("new [PIECE, PIECE...]", _stickers),
    "start": VerbShape("", _start),
    "tap": _MOVE,
    "lay": _MOVE,
    "lift": _MOVE,
    "choose": VerbShape("VALUE", _choose),
    "press": VerbShape("|".join(BUTTONS), _press),
    "turn": VerbShape("N", _turn),
    "tilt": VerbShape("", _tilt),
    "wait": VerbShape("SECONDS", _wait),
    "power": VerbShape("cut|on", _power),
    "fault": VerbShape("NAME [@ PART]", _fault),
    "expect": VerbShape("WHAT VALUE", _expect),
}
