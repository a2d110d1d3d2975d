"""A game made of plain functions.

May import: the standard library and engines.common.
May be imported by: every game, tests.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from engines.common.advice import Advice
from engines.common.contract import Ask, Input, Message, Option, S, Setup, Step, View
from engines.common.groups import Group
from engines.common.highlights import Highlight
from engines.common.lessons import Lessons
from engines.common.rules_card import RulesCard


@dataclass(frozen=True)
class Rulebook(Generic[S]):
    """A game made of plain functions, one for each method of ``engines.common.contract.Game``."""

    name: str
    package: str
    seats: range
    options: tuple[Option, ...]
    start: Callable[[Setup], S]
    opening: Callable[[S], tuple[Message, ...]]
    asks: Callable[[S], tuple[Ask, ...]]
    step: Callable[[S, Input], Step[S]]
    view: Callable[[S], View]
    put_back: Callable[[S, Input], tuple[Message, ...]]
    layout: str = ""
    rules_card: RulesCard | None = None
    lessons: Lessons | None = None
    groups: tuple[Group, ...] = ()
    highlights: tuple[Highlight, ...] = ()
    advice: Advice | None = None
