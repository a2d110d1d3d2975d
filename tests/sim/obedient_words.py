"""The mat's sentences and the print of pieces, as understood by a player who knows no rules.

Only words are known here: colours, symbols, numbers, "any", "up to". No game is.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

CAN: Final = re.compile(r"^(?P<who>.+?) can (?:play|tap|turn over): (?P<what>.+)\.$")
INSTEAD: Final = re.compile(r"^Or press: (?P<what>.+)\.$")
ALLOWED: Final = re.compile(r"^Allowed, but .+: (?P<what>.+)\.$")
AT: Final = re.compile(r"^(?P<what>.+?) (?P<has>with|without) a path at the (?P<side>\w+)$")
BOTH: Final = re.compile(r"^(?P<what>.+) with paths at the (?P<one>\w+) and (?P<other>\w+)$")
BETWEEN: Final = re.compile(r"^(?P<what>.+) from (?P<one>[a-z]+) to (?P<other>[a-z]+)$")
UP_TO: Final = re.compile(r"^(?P<what>.+) up to (?P<n>\d+)$")
FROM: Final = re.compile(r"^(?P<what>.+) from (?P<n>\d+)$")
EXCEPT: Final = re.compile(r"^(?P<what>.+) except (?:an?|the) (?P<which>.+)$")
SIDES: Final = ("top", "right", "bottom", "left")


@dataclass(frozen=True, slots=True)
class Print:
    """The print on a piece: its name, and the *edges* of a tile to which paths lead."""

    name: str
    edges: frozenset[str] = frozenset()

    @property
    def words(self) -> Sequence[str]:
        """The words of the name."""
        return self.name.split()

    @property
    def number(self) -> int | None:
        """The number printed alone on the piece; None if there is a word or none."""
        last = self.words[-1]
        return int(last) if last.isdigit() else None


def fits(phrase: str, seen: Print) -> bool:
    """Return True if the piece *seen* is what *phrase* means, such as "any weight up to 4"."""
    if not phrase.startswith("any "):
        return phrase == seen.name
    if found := EXCEPT.match(phrase):
        others = re.split(" or an? ", found["which"])
        return fits(found["what"], seen) and not any(other in seen.name for other in others)
    for pattern, sign in ((UP_TO, -1), (FROM, 1)):
        if found := pattern.match(phrase):
            number = seen.number
            is_within = number is not None and sign * (number - int(found["n"])) >= 0
            return is_within and fits(found["what"], seen)
    if found := AT.match(phrase):
        return fits(found["what"], seen) and (found["has"] == "with") == (
            found["side"] in seen.edges
        )
    if found := BOTH.match(phrase):
        return fits(found["what"], seen) and {found["one"], found["other"]} <= seen.edges
    if found := BETWEEN.match(phrase):
        return fits(found["what"], seen) and {found["one"], found["other"]} == seen.edges
    return all(_has(seen, word) for word in phrase.split()[1:])


def _has(seen: Print, word: str) -> bool:
    match word:
        case "card":
            return True
        case "tile":
            return "helper" not in seen.words
        case "weight":
            return len(seen.words) == 2 and seen.number is not None
        case "number":
            return seen.number is not None
        case "piece":
            return seen.number is None
    return word in seen.words


@dataclass(frozen=True, slots=True)
class Advice:
    """The mat's answer to a turn of the knob, as the player understands it.

    *plays* are pairs of the player who can play ("You" for all) and the phrases for the pieces.
    *allowed* are phrases for pieces that are allowed too, but bad. *presses* are the words of what
    can be pressed. *others* are the other sentences.
    """

    plays: Sequence[tuple[str, Sequence[str]]]
    allowed: Sequence[str]
    presses: Sequence[str]
    others: Sequence[str]

    @classmethod
    def of(cls, sentences: Sequence[str]) -> Self:
        """Return what *sentences* say."""
        plays, allowed = list[tuple[str, Sequence[str]]](), list[str]()
        presses, others = list[str](), list[str]()
        for sentence in sentences:
            if found := CAN.match(sentence):
                plays += ((who, found["what"].split(", ")) for who in found["who"].split(", "))
            elif found := ALLOWED.match(sentence):
                allowed += found["what"].split(", ")
            elif found := INSTEAD.match(sentence):
                presses += found["what"].split(", ")
            else:
                others.append(sentence)
        return cls(plays, allowed, presses, others)

    @property
    def is_about_play(self) -> bool:
        """True if the mat said what to do, and not the item of a list."""
        return bool(self.plays or self.presses)
