"""The grammar of rehearsals, which parses all lines before any is played.

This module has only values and pure functions; ``sim.rehearsal.runner`` plays the lines.
Source: docs/rehearsals.md.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engines.common.pieces import Piece
from firmware.common.errors import TapmatError, did_you_mean, word_list
from firmware.common.toml_sections import to_write
from firmware.config.table_config import LAMPS, LEVELS, SPOTS
from firmware.show.names import NAME_LENGTH, is_name
from firmware.table.events import PhoneCommand
from sim.mat.faults import PARTS
from sim.rehearsal.expectations import EXPECTATIONS

BUTTONS = ("ok", "back", "action")
OFF = "off"  # in place of an act: the phone is switched off
OF_HOST = (PhoneCommand.END_GAME, PhoneCommand.FREE_HAND_READER, PhoneCommand.SAFE_TO_UNPLUG)
UNSAID = (*OF_HOST, PhoneCommand.HERE)  # a phone that listens gives its signs of life by itself
PHONE_ACTS = (*(act.value for act in PhoneCommand if act not in UNSAID), OFF)
TOKEN = re.compile(r'"([^"]*)"|([^\s",]+)|(,)|"')
STEPS = re.compile(r"[+-]?[0-9]{1,3}")
SECONDS = re.compile(r"[0-9]{1,4}(\.[0-9]+)?")
NUMBER = re.compile(r"0|-?[1-9][0-9]*")  # in the form that the mat writes
PLACE = re.compile(rf"({NUMBER.pattern}),({NUMBER.pattern})")  # on a map: column and row
LONGEST_WAIT_S = 3600
LONGEST_FOUND = 160  # letters of an error message
LONG_WORD = re.compile(r'(?<=")[^"]{61,}(?=")|[^\s"]{61,}')  # too long for a message


class RehearsalError(TapmatError):
    """A rehearsal cannot be played. *place* is the file and line of the error."""

    def __init__(self, place: str, found: str, remedy: str) -> None:
        found = LONG_WORD.sub(lambda word: f"{word[0][:59]}…", found)
        if len(found) > LONGEST_FOUND:
            found = f"{found[: LONGEST_FOUND - 1]}…"
        super().__init__(f"{place}: {found}. {remedy}")


class _Wrong(Exception):
    """An error in one line and its remedy; ``parse_line`` adds the place."""

    def __init__(self, found: str, remedy: str) -> None:
        super().__init__(found)
        self.found, self.remedy = found, remedy


@dataclass(frozen=True, slots=True)
class Prepare:
    """Change a setting before the start, such as game, deck, dealer, house rule or language."""

    what: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NewStickers:
    """Put new stickers, not enrolled yet, on *tags*; without tags, on all cards."""

    tags: tuple[Piece | str, ...] = ()


@dataclass(frozen=True, slots=True)
class Start:
    """Set the game up at the table's menus and start it."""


@dataclass(frozen=True, slots=True)
class Move:
    """Move tags: *how* is ``tap`` (lay and lift), ``lay`` or ``lift``.

    Each of *tags* is a piece (``weight-7#2``), a kind of which any piece will do (``weight-7``), or
    the name of a tag that is on no piece (``stranger``).
    """

    how: str
    tags: tuple[Piece | str, ...]
    spot: str


@dataclass(frozen=True, slots=True)
class Choose:
    """Turn the encoder to *value* in the display's list and press OK."""

    value: str


@dataclass(frozen=True, slots=True)
class PressButton:
    """Press and release a button."""

    button: str


@dataclass(frozen=True, slots=True)
class Turn:
    """Turn the encoder by *steps* detents. Clockwise is positive."""

    steps: int


@dataclass(frozen=True, slots=True)
class Tilt:
    """Rock the tilt switch, and wait until it is at rest."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Let *seconds* of virtual time pass."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Power:
    """Plug the mat in, or pull the plug."""

    is_on: bool


@dataclass(frozen=True, slots=True)
class BreakPart:
    """Break *part*, or every part of the kind, by the fault *name*; ``none`` repairs."""

    name: str
    part: str | None


@dataclass(frozen=True, slots=True)
class Expect:
    """Check the expectation *what*, such as ``turn``, with its *values*, such as a name."""

    what: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UsePhone:
    """Let *player* do *act*, the name of a command, at their own phone."""

    player: str
    act: str


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
    | BreakPart
    | UsePhone
    | Expect
)


@dataclass(frozen=True, slots=True)
class RehearsalLine:
    """One line of a rehearsal: its place, text and verb."""

    place: str  # file:line
    text: str
    verb: Verb


def parse(text: str, file: str) -> list[RehearsalLine]:
    """Parse a whole rehearsal; return its lines without comments and empty lines.

    Raises:
        RehearsalError: a line is wrong; the error names the file and line, the error and the
            remedy.
    """
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        place = f"{file}:{number}"
        verb = parse_line(line, place)
        if verb is not None:
            lines.append(RehearsalLine(place, line.strip(), verb))
    return lines


def parse_line(line: str, place: str) -> Verb | None:
    """Parse one line; return None if it is empty or a comment.

    Raises:
        RehearsalError: see ``parse``.
    """
    try:
        words = _words(line)
        return _verb(words) if words else None
    except _Wrong as wrong:
        raise RehearsalError(place, wrong.found, wrong.remedy) from None


def nearest(found: str, known: Sequence[str]) -> str:
    """Return the remedy for an unknown name: the most similar names, then all *known* ones."""
    names = f"It can be: {word_list(known)}"
    return f"{did_you_mean(found, known)} {names}".strip()


def _words(line: str) -> list[str]:
    """Return the words of *line* up to a comment. Quoted texts and commas are one word each."""
    words: list[str] = []
    for match in TOKEN.finditer(line):
        quoted, plain, comma = match.groups()
        if plain is not None and plain.startswith("#"):
            break
        if match.group() == '"':
            raise _Wrong("a quotation mark is missing", 'Write " before and after it')
        words.append(comma or plain or quoted or "")
    return words


def _verb(words: Sequence[str]) -> Verb:
    name, rest = words[0], tuple(words[1:])
    if name not in VERBS:
        raise _Wrong(f'"{name}" is not a verb', nearest(name, tuple(VERBS)))
    return VERBS[name].read(name, rest)


def _usage(name: str) -> str:
    """Return the remedy that tells people to write the verb *name* with its arguments."""
    return _to_write(name, VERBS[name].shape)


def _to_write(name: str, shape: str) -> str:
    """Return the remedy that tells people to write *name* with arguments of this *shape*."""
    return "Write: {line}".format(line=f"{name} {shape}".strip())


def _after(name: str, words: Sequence[str]) -> str:
    """Return an error message: *words* cannot follow the verb *name*, or the verb needs a value."""
    return f'"{" ".join(words)}" cannot follow "{name}"' if words else f'"{name}" needs a value'


def _one(name: str, words: Sequence[str], shape: str | None = None) -> str:
    """Return the only one of *words*, the arguments of *name*.

    Raise ``_Wrong`` if there is not exactly one. The remedy shows *shape*, or the verb's own shape.
    """
    if len(words) != 1:
        remedy = _usage(name) if shape is None else _to_write(name, shape)
        raise _Wrong(_after(name, words), remedy)
    return words[0]


def _one_of(word: str, found: str, known: Sequence[str], **facts: str) -> str:
    """Return *word*. If it is not one of *known*, raise ``_Wrong`` with the message *found*.

    *found* is a format string for *word* and *facts*.
    """
    if word not in known:
        raise _Wrong(found.format(word=word, **facts), nearest(word, known))
    return word


def _at(name: str, words: tuple[str, ...], shape: str) -> tuple[tuple[str, ...], str | None]:
    """Return the words before an ``@``, and the word after it, or None without an ``@``.

    Raise ``_Wrong`` if not exactly one word follows; its remedy shows *name* with *shape*.
    """
    if "@" not in words:
        return words, None
    at = words.index("@")
    return words[:at], _one(f"{name} ... @", words[at + 1 :], shape)


def _wrong_count(name: str, words: Sequence[str]) -> str:
    """Return the message that *name* has the wrong number of *words*."""
    count = len(words)
    return f'"{name}" cannot have {count} value{"" if count == 1 else "s"}'


def _prepare(name: str, words: tuple[str, ...]) -> Verb:
    return Prepare(name, (_one(name, words),))


def _level(name: str, words: tuple[str, ...]) -> Verb:
    return Prepare(name, (_one_of(_one(name, words), '"{word}" is not a level', LEVELS),))


def _option(name: str, words: tuple[str, ...]) -> Verb:
    if len(words) != 2:
        raise _Wrong(_wrong_count(name, words), _usage(name))
    return Prepare(name, words)


def _players(name: str, words: tuple[str, ...]) -> Verb:
    names = tuple(word for word in words if word != ",")
    if not names:
        raise _Wrong("a game needs a player", _usage(name))
    if len(set(names)) < len(names):
        raise _Wrong("two players have the same name", "Give every player a different name")
    return Prepare(name, names)


def _names(name: str, words: tuple[str, ...]) -> Verb:
    names = tuple(word for word in words if word != ",")
    if not names:
        raise _Wrong(f'"{name}" needs a value', _usage(name))
    for wrong in (word for word in names if not is_name(word)):
        remedy = f"Use 1 to {NAME_LENGTH} letters that the screen can show"
        raise _Wrong(f'"{wrong}" cannot be a name', remedy)
    return Prepare(name, names)


def _stickers(name: str, words: tuple[str, ...]) -> Verb:
    if words[:1] != ("new",):
        raise _Wrong(_after(name, words[:1]), _usage(name))
    return NewStickers(_tags(name, words[1:]) if words[1:] else ())


def _none(name: str, words: tuple[str, ...]) -> None:
    """Raise ``_Wrong`` if any words follow *name*."""
    if words:
        raise _Wrong(_after(name, words), _usage(name))


def _start(name: str, words: tuple[str, ...]) -> Verb:
    _none(name, words)
    return Start()


def _move(name: str, words: tuple[str, ...]) -> Verb:
    words, spot = _at(name, words, "SPOT")
    tags = _tags(name, words)
    return Move(name, tags, _one_of(spot or "play", '"{word}" is not a spot', SPOTS))


def _tags(name: str, words: tuple[str, ...]) -> tuple[Piece | str, ...]:
    """Return the tags in *words*, which are separated by commas."""
    tags = tuple(word for word in words if word != ",")
    if not tags or list(words[1::2]) != [","] * (len(tags) - 1):
        raise _Wrong(f'"{" ".join(words)}" is not a list of pieces', _usage(name))
    return tuple(map(_tag, tags))


def _tag(word: str) -> Piece | str:
    """Return a Piece for a word with a copy number, such as ``weight-7#2``, else the word."""
    if "#" not in word:
        return word
    try:
        return Piece.parse(word)
    except ValueError as wrong:
        raise _Wrong(str(wrong), to_write("weight-7#2")) from None


def _choose(name: str, words: tuple[str, ...]) -> Verb:
    place = "".join(words)
    return Choose(place if PLACE.fullmatch(place) else _one(name, words))


def _press(name: str, words: tuple[str, ...]) -> Verb:
    return PressButton(_one_of(_one(name, words), '"{word}" is not a button', BUTTONS))


def _turn(name: str, words: tuple[str, ...]) -> Verb:
    steps = _one(name, words)
    if not STEPS.fullmatch(steps):
        remedy = "Write a whole number from -999 to 999, for example: turn -3"
        raise _Wrong(f'"{steps}" is not a number of steps', remedy)
    return Turn(int(steps))


def _tilt(name: str, words: tuple[str, ...]) -> Verb:
    _none(name, words)
    return Tilt()


def _wait(name: str, words: tuple[str, ...]) -> Verb:
    seconds = _one(name, words)
    if not SECONDS.fullmatch(seconds) or float(seconds) > LONGEST_WAIT_S:
        remedy = f"Write a number up to {LONGEST_WAIT_S}, for example: wait 2.5"
        raise _Wrong(f'"{seconds}" is not a number of seconds', remedy)
    return Wait(float(seconds))


def _power(name: str, words: tuple[str, ...]) -> Verb:
    way = _one_of(_one(name, words), 'power cannot be "{word}"', ("cut", "on"))
    return Power(way == "on")


def _fault(name: str, words: tuple[str, ...]) -> Verb:
    words, part = _at(name, words, "PART")
    fault = _one_of(_one(name, words), '"{word}" is not a fault', tuple(PARTS))
    if part is not None:
        _one_of(part, '"fault {fault}" cannot break "{word}"', PARTS[fault], fault=fault)
    return BreakPart(fault, part)


def _phone(name: str, words: tuple[str, ...]) -> Verb:
    if len(words) != 2:
        raise _Wrong(_wrong_count(name, words), _usage(name))
    player, act = words
    return UsePhone(player, _one_of(act, '"{word}" is not an act of a phone', PHONE_ACTS))


def _expect(name: str, words: tuple[str, ...]) -> Verb:
    if len(words) < 2:
        raise _Wrong(_wrong_count(name, words), _usage(name))
    what, *values = words
    found = '"{word}" cannot be expected'
    shape = EXPECTATIONS[_one_of(what, found, tuple(EXPECTATIONS))].shape
    words_of_shape = shape.split()
    if words_of_shape[-1] != "...":
        if len(values) != len(words_of_shape):
            verb = f"{name} {what}"
            raise _Wrong(_wrong_count(verb, values), _to_write(verb, shape))
        for word, wanted in zip(values, words_of_shape, strict=True):
            _check_word(word, wanted)
    return Expect(what, tuple(values))


def _check_word(word: str, wanted: str) -> None:
    """Raise ``_Wrong`` if *word* does not match *wanted*, a word of an expectation's shape."""
    if wanted == "NUMBER" and not NUMBER.fullmatch(word):
        raise _Wrong(f'"{word}" is not a number', "Write a whole number, for example: -3")
    if wanted == "LAMP":
        _one_of(word, '"{word}" is not a lamp', LAMPS)
    if "|" in wanted:
        _one_of(word, '"{word}" cannot be expected here', wanted.split("|"))


class VerbShape(NamedTuple):
    """The form in which people write the arguments of a verb, and the function that parses them."""

    shape: str
    read: Callable[[str, tuple[str, ...]], Verb]


_MOVE = VerbShape("PIECE[, PIECE...] [@ SPOT]", _move)
VERBS: Mapping[str, VerbShape] = {
    "game": VerbShape("NAME", _prepare),
    "players": VerbShape("NAME ...", _players),
    "mats": VerbShape("NAME ...", _names),
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
    "phone": VerbShape(f"NAME {'|'.join(PHONE_ACTS)}", _phone),
    "expect": VerbShape("WHAT VALUE", _expect),
}
