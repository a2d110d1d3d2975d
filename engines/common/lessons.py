"""Lessons: the rules that the table teaches while people play, each when it first matters.

A game that teaches has ``lessons``. The text of a lesson is in the game's catalogue: usually a text
of the rules card (``engines.common.rules_card``), or one with a code ``lesson.<name>``. In a game
that is played to learn it, the table tells at most one lesson after a step, and no lesson twice.

May import: the standard library and engines.common.
May be imported by: every game, firmware, sim, tests.
"""

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from engines.common.contract import Input, Message, Tap, View
from engines.common.pieces import Piece, family_of

# Reasons for a paragraph without a lesson that are the same in every game.
MAT = "The referee keeps it; a player cannot get it wrong."
TAKING_BACK = "Taking back is the same in all games: the table's help on the controls says it."


@dataclass(frozen=True, slots=True)
class Moment:
    """A step of a game, for deciding whether a lesson matters now.

    *before* and *state* are the states before and after the step, and *view* is the view of
    *state*. *given* is the input, and *events* are the messages of the step.
    """

    before: Any
    given: Input
    state: Any
    events: tuple[Message, ...]
    view: View


Condition = Callable[[Moment], bool]
About = Callable[[Moment], Piece | None]


@dataclass(frozen=True, slots=True)
class Lesson:
    """The text *code*, which teaches the paragraphs *rules* of RULES.md, and when to tell it.

    The table tells it after a step for which *matters* is true. *about* returns the piece on the
    table that the text is about, or None.
    """

    code: str
    rules: tuple[str, ...]
    matters: Condition = lambda moment: False
    about: About = lambda moment: None


@dataclass(frozen=True)
class Lessons:
    """All lessons of a game.

    *opening* are told one after the other when the game begins. Of *lessons*, the first one that
    matters and was not told yet is told after a step. *untaught* has each paragraph of RULES.md
    that needs no lesson, with the reason.
    """

    opening: tuple[Lesson, ...]
    lessons: tuple[Lesson, ...]
    untaught: Mapping[str, str] = field(default_factory=dict, hash=False)

    def next(self, moment: Moment, told: Set[str]) -> Lesson | None:
        """Return the lesson to tell now, or None. *told* are the codes of those told before."""
        untold = (lesson for lesson in self.lessons if lesson.code not in told)
        return next((lesson for lesson in untold if lesson.matters(moment)), None)


def lessons_of(game: object) -> Lessons | None:
    """Return the lessons of *game*, or None. A game need not have any."""
    lessons = getattr(game, "lessons", None)
    return lessons if isinstance(lessons, Lessons) else None


def piece_of_tap(moment: Moment) -> Piece | None:
    """Return the piece that was tapped in the step, or None."""
    return moment.given.piece if isinstance(moment.given, Tap) else None


# --- conditions ----------------------------------------------------------------------------------


def after(*codes: str) -> Condition:
    """Return a condition that is true after a step with a message of one of *codes*."""
    return lambda moment: any(event.code in codes for event in moment.events)


def after_laying(*families: str) -> Condition:
    """Return a condition that is true after a piece was tapped whose kind is of one of *families*.

    ``engines.common.pieces.family_of`` says what a family is.
    """

    def was_laid(moment: Moment) -> bool:
        piece = piece_of_tap(moment)
        return piece is not None and family_of(piece.kind) in families

    return was_laid


def in_phase(*phases: str) -> Condition:
    """Return a condition that is true while ``View.phase`` is one of *phases*."""
    return lambda moment: moment.view.phase in phases
