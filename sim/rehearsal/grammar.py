"""The grammar of rehearsals: lines of verbs, read before anything is played.

Room: sim/rehearsal. Values and pure functions; ``sim.rehearsal.runner`` plays them.
Source: docs/rehearsals.md.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engines.common.pieces import Piece
from firmware.errors import TapmatError, did_you_mean
from sim.mat import FAULTS

BUTTONS = ("ok", "back", "action")
EXPECTATIONS = (
    "headline", "turn", "direction", "phase", "asks", "refused", "said", "screen", "light",
    "score", "winner", "pieces",
)  # fmt: skip
TOKEN = re.compile(r'"([^"]*)"|([^\s",]+)|(,)|"')
STEPS = re.compile(r"[+-]?[0-9]{1,3}")
SECONDS = re.compile(r"[0-9]{1,5}(\.[0-9]+)?")  # a day is 86400


class RehearsalError(TapmatError):
    """A rehearsal that cannot be read: *place* is its file and line."""

    def __init__(self, place: str, found: str, remedy: str) -> None:
        super().__init__(f"{place}: {found}. {remedy}")


class _Wrong(Exception):
    """What is wrong with one line, and what would be right; the reader adds the place."""

    def __init__(self, found: str, remedy: str) -> None:
        super().__init__(found)
        self.found, self.remedy = found, remedy


@dataclass(frozen=True, slots=True)
class Prepare:
    """Something to set before the start: game, players, dealer, a house rule, the language."""

    what: str
    values: tuple[str, ...]


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


Verb = Prepare | Start | Move | Choose | PressButton | Turn | Wait | Power | Fault | Expect


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
    return f"{did_you_mean(found, known)} It can be: {', '.join(known)}".strip()


def _words(line: str) -> list[str]:
    """The words of a line, quoted ones whole, commas by themselves; up to a word that begins #."""
    words: list[str] = []
    for match in TOKEN.finditer(line):
        quoted, plain, comma = match.groups()
        if plain is not None and plain.startswith("#"):
            break
        if match.group() == '"':
            raise _Wrong("a quoted text has no end", 'Write " before and after it')
        words.append(comma or plain or quoted or "")
    return words


def _verb(words: Sequence[str]) -> Verb:
    name, rest = words[0], tuple(words[1:])
    reader = VERBS.get(name)
    if reader is None:
        raise _Wrong(f'"{name}" is not a verb', nearest(name, tuple(VERBS)))
    return reader(name, rest)


def _one(name: str, words: Sequence[str], what: str) -> str:
    if len(words) != 1:
        found = " ".join(words) or "nothing"
        raise _Wrong(f'after "{name}" stands {found}', f"Write: {name} {what}")
    return words[0]


def _prepare(name: str, words: tuple[str, ...]) -> Verb:
    shape = {"game": "NAME", "language": "CODE", "dealer": "NAME"}.get(name)
    if shape is not None:
        _one(name, words, shape)
    elif name == "option" and len(words) != 2:
        raise _Wrong(f"{len(words)} words after option", "Write: option NAME VALUE")
    elif name == "players":
        words = tuple(word for word in words if word != ",")
        if len(words) < 2:
            raise _Wrong(f"{len(words)} players", "Write: players NAME NAME ...")
        if len(set(words)) < len(words):
            raise _Wrong("two players of one name", "Give every player another name")
    return Prepare(name, words)


def _start(name: str, words: tuple[str, ...]) -> Verb:
    if words:
        raise _Wrong(f'after "start" stands {" ".join(words)}', "Write: start")
    return Start()


def _move(name: str, words: tuple[str, ...]) -> Verb:
    spot = "play"
    if "@" in words:
        at = words.index("@")
        spot = _one(f"{name} ... @", words[at + 1 :], "SPOT")
        words = words[:at]
    tags = tuple(word for word in words if word != ",")
    if not tags or list(words[1::2]) != [","] * (len(tags) - 1):
        raise _Wrong(
            f'"{" ".join(words)}" is no list of pieces', f"Write: {name} PIECE[, PIECE...] [@ SPOT]"
        )
    return Move(name, tuple(map(_tag, tags)), spot)


def _tag(word: str) -> Piece | str:
    """A stranger or a kind as it stands, or one certain copy of a kind."""
    if "#" not in word:
        return word
    try:
        return Piece.parse(word)
    except ValueError as error:
        raise _Wrong(str(error), "Write for example: weight-7#2") from None


def _choose(name: str, words: tuple[str, ...]) -> Verb:
    return Choose(_one(name, words, "VALUE"))


def _press(name: str, words: tuple[str, ...]) -> Verb:
    button = _one(name, words, "BUTTON")
    if button not in BUTTONS:
        raise _Wrong(f'"{button}" is not a button', nearest(button, BUTTONS))
    return PressButton(button)


def _turn(name: str, words: tuple[str, ...]) -> Verb:
    steps = _one(name, words, "N")
    if not STEPS.fullmatch(steps):
        remedy = "Write a whole number from -999 to 999, for example: turn -3"
        raise _Wrong(f'"{steps}" is no number of steps', remedy)
    return Turn(int(steps))


def _wait(name: str, words: tuple[str, ...]) -> Verb:
    seconds = _one(name, words, "SECONDS")
    if not SECONDS.fullmatch(seconds):
        remedy = "Write a number below 100000, for example: wait 2.5"
        raise _Wrong(f'"{seconds}" is no number of seconds', remedy)
    return Wait(float(seconds))


def _power(name: str, words: tuple[str, ...]) -> Verb:
    way = _one(name, words, "cut|on")
    if way not in ("cut", "on"):
        raise _Wrong(f'"{way}" is not a way of power', nearest(way, ("cut", "on")))
    return Power(way == "on")


def _fault(name: str, words: tuple[str, ...]) -> Verb:
    part = None
    if "@" in words:
        at = words.index("@")
        part = _one("fault ... @", words[at + 1 :], "PART")
        words = words[:at]
    fault = _one(name, words, "NAME [@ PART]")
    if fault not in FAULTS:
        raise _Wrong(f'"{fault}" is not a fault', nearest(fault, FAULTS))
    return Fault(fault, part)


def _expect(name: str, words: tuple[str, ...]) -> Verb:
    if len(words) < 2:
        raise _Wrong(f"{len(words)} words after expect", "Write: expect WHAT VALUE")
    what, *values = words
    if what not in EXPECTATIONS:
        raise _Wrong(f'"{what}" is nothing to expect', nearest(what, EXPECTATIONS))
    shape = EXPECT_SHAPES.get(what)
    if shape is not None and len(values) != len(shape.split()):
        raise _Wrong(f"{len(values)} words after expect {what}", f"Write: expect {what} {shape}")
    return Expect(what, tuple(values))


EXPECT_SHAPES: Mapping[str, str] = {
    "headline": "TEXT",
    "turn": "NAME",
    "direction": "clockwise|counter-clockwise",
    "phase": "CODE",
    "refused": "CODE",
    "said": "LANGUAGE TEXT",
    "screen": "TEXT",
    "light": "LAMP on|off",
    "score": "NAME NUMBER",
    "pieces": "PLACE NUMBER",
}
VERBS: Mapping[str, Callable[[str, tuple[str, ...]], Verb]] = {
    **dict.fromkeys(("game", "players", "option", "language", "dealer"), _prepare),
    "start": _start,
    **dict.fromkeys(("tap", "lay", "lift"), _move),
    "choose": _choose,
    "press": _press,
    "turn": _turn,
    "wait": _wait,
    "power": _power,
    "fault": _fault,
    "expect": _expect,
}
