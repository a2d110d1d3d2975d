"""The expectations of a rehearsal: the syntax of each, and its check at a mat.

The grammar and the runner both use the list ``EXPECTATIONS``.
Source: docs/rehearsals.md, "Expectations".
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from firmware.voice.announcer import REASONS, Fate, Utterance, audible_texts
from sim.mat.mat import Mat


class Unexpected(Exception):
    """The mat did not meet an expectation.

    *expected* describes the expectation in words, and *shown* what the mat shows instead.
    """

    def __init__(self, expected: str, shown: str) -> None:
        super().__init__(f"expected {expected}, the mat showed {shown}")
        self.expected, self.shown = expected, shown


@dataclass(frozen=True, slots=True)
class Witness:
    """The state that expectations check: the mat now, and its announcements since the last act.

    *said_from* and *refused_from* are the numbers of announcements and of refusals before that act.
    *told_from* has the number of each player's last private line before it.
    """

    mat: Mat
    said_from: int
    refused_from: int
    told_from: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, mat: Mat) -> "Witness":
        """Return a witness of everything that *mat* announces and refuses from now on."""
        told = {player: line.number for player, line in mat.private_lines.items()}
        return cls(mat, len(mat.said), len(mat.refused), told)

    @property
    def said(self) -> tuple[Utterance, ...]:
        """The lines announced since this witness was made."""
        return tuple(islice(self.mat.said, self.said_from, None))


Check = Callable[[Witness, Sequence[str]], None]  # raises Unexpected


@dataclass(frozen=True, slots=True)
class Expectation:
    """One kind of expectation: the *shape* of its values, and the function that checks it.

    The shape has a word for each value, as in ``LAMP on|off``. Three dots at the end of a shape
    mean any number of values.
    """

    shape: str
    check: Check


def _headline(witness: Witness, values: Sequence[str]) -> None:
    _same(values[0], witness.mat.view.headline)


def _turn(witness: Witness, values: Sequence[str]) -> None:
    view = witness.mat.view
    _same(values[0], view.names[view.turn] if view.turn is not None else "nobody")


def _direction(witness: Witness, values: Sequence[str]) -> None:
    direction = witness.mat.view.direction
    _same(values[0], direction.value if direction is not None else "none")


def _phase(witness: Witness, values: Sequence[str]) -> None:
    _same(values[0], witness.mat.view.phase)


def _asks(witness: Witness, values: Sequence[str]) -> None:
    expected, asks = " ".join(values), witness.mat.view.asks
    if _plain(expected) not in map(_plain, asks):
        raise Unexpected(expected, "; ".join(asks) or "nothing asked")


def _refused(witness: Witness, values: Sequence[str]) -> None:
    (expected,) = values
    codes = [notice.code for notice in islice(witness.mat.refused, witness.refused_from, None)]
    if expected not in codes and not (expected == "nothing" and not codes):
        raise Unexpected(expected, ", ".join(codes) or "nothing refused")


def _said(witness: Witness, values: Sequence[str]) -> None:
    language, text = values
    texts = [heard for spoken, heard in audible_texts(witness.said) if spoken == language]
    if not any(_has_words(text, heard) for heard in texts):
        raise Unexpected(f'"{text}" in {language}', " / ".join(texts) or "silence")


def _private(witness: Witness, values: Sequence[str]) -> None:
    player, text = values
    line = witness.mat.private_lines.get(player)
    is_new = line is not None and line.number > witness.told_from.get(player, 0)
    told = line.text if line is not None and is_new else "nothing"
    if not _has_words(text, told):
        raise Unexpected(f'"{text}" for {player} alone', told)


def _dropped(witness: Witness, values: Sequence[str]) -> None:
    why, text = values
    dropped = [line for line in witness.said if line.fate is Fate.DROPPED]
    if not any(line.why == why and _has_words(text, line.text) for line in dropped):
        shown = " / ".join(f"{line.why}: {line.text}" for line in dropped)
        raise Unexpected(f'the line "{text}" dropped: {why}', shown or "no line was dropped")


def _screen(witness: Witness, values: Sequence[str]) -> None:
    if not witness.mat.shows(values[0]):
        raise Unexpected(f'"{values[0]}" on the display', witness.mat.screen_in_words())


def _light(witness: Witness, values: Sequence[str]) -> None:
    lamp, state = values
    _same(f"{lamp} {state}", f"{lamp} {'on' if witness.mat.lamp(lamp) > 0 else 'off'}")


def _score(witness: Witness, values: Sequence[str]) -> None:
    name, score = values
    view = witness.mat.view
    if name not in view.names:
        raise Unexpected(f"a player {name}", ", ".join(view.names) or "no players")
    _same(score, str(view.scores[view.names.index(name)]))


def _winner(witness: Witness, values: Sequence[str]) -> None:
    view = witness.mat.view
    names = " ".join(view.names[seat] for seat in view.winners)
    _same(_plain(" ".join(values)), _plain(names) or "nobody")


def _pieces(witness: Witness, values: Sequence[str]) -> None:
    place, number = values
    counts = witness.mat.view.counts
    if place not in counts:
        raise Unexpected(f"a place {place}", ", ".join(counts) or "no places")
    _same(number, str(counts[place]))


EXPECTATIONS: Mapping[str, Expectation] = {
    "headline": Expectation("TEXT", _headline),
    "turn": Expectation("NAME", _turn),
    "direction": Expectation("clockwise|counter-clockwise|none", _direction),
    "phase": Expectation("CODE", _phase),
    "asks": Expectation("WHAT ...", _asks),
    "refused": Expectation("CODE", _refused),
    "said": Expectation("LANGUAGE TEXT", _said),
    "private": Expectation("NAME TEXT", _private),
    "dropped": Expectation(f"{'|'.join(REASONS)} TEXT", _dropped),
    "screen": Expectation("TEXT", _screen),
    "light": Expectation("LAMP on|off", _light),
    "score": Expectation("NAME NUMBER", _score),
    "winner": Expectation("NAME ...", _winner),
    "pieces": Expectation("PLACE NUMBER", _pieces),
}


def _same(expected: str, shown: str) -> None:
    if expected != shown:
        raise Unexpected(expected, shown)


def _plain(words: str) -> str:
    """Return *words* without commas, because lists may be written with or without them."""
    return " ".join(words.replace(",", " ").split())


def _has_words(text: str, said: str) -> bool:
    """Return True if *said* contains *text* as whole words: "10" is not in "100" or "-10"."""
    return re.search(rf"(?<![\w-]){re.escape(text)}(?!\w)", said) is not None
