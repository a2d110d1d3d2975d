"""The rules card: a short version of a game's rules, for people who learn or look up the game.

Its texts are in the game's catalogue, with these codes:

- ``rules.<part>`` is a part of the first page, such as ``rules.goal``; ``rules.<part>.title`` is
  its heading, for which the table has the common ones.
- ``rules.<number>`` is a paragraph of RULES.md in short, such as ``rules.4.1``. Every number that
  a refusal or a foul names has one.
- ``does.<name>`` is the effect of special pieces, and ``does.<name>.title`` their name.

May import: the standard library and engines.common.
May be imported by: every game, firmware, sim, tests.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from engines.common.contract import Message
from engines.common.pieces import Kind

COMMON_PARTS = ("goal", "start", "turn", "end", "score")  # parts whose headings the table has
COMMON_NUMBERS = ("1.3", "1.4", "1.6")  # paragraphs whose texts the table has for all games
NUMBERED = re.compile(r"rules\.(\d+)\.(\d+)")  # the code of a paragraph


@dataclass(frozen=True, slots=True)
class CardPart:
    """A part of the first page: the text ``rules.<name>``, beside pictures of the *kinds*."""

    name: str
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True)
class RulesCard:
    """The rules card of a game.

    *parts* are the first page, in order. *special* returns the name of the text ``does.<name>`` of
    a kind of piece, or "" if the kind does nothing special. *fouls* has the number of the rule that
    each foul breaks, by the code of the message about the foul. *minutes* is the usual length of a
    game; 0 if it is unknown.
    """

    parts: tuple[CardPart, ...]
    special: Callable[[Kind], str] = lambda kind: ""
    fouls: Mapping[str, str] = field(default_factory=dict, hash=False)
    minutes: int = 0


def rules_card_of(game: object) -> RulesCard | None:
    """Return the rules card of *game*, or None. A game need not have one."""
    card = getattr(game, "rules_card", None)
    return card if isinstance(card, RulesCard) else None


def rule_of_foul(game: object, foul: Message) -> str:
    """Return the number of the rule that a foul of *game* with the message *foul* breaks, or ""."""
    card = rules_card_of(game)
    return "" if card is None else card.fouls.get(foul.code, "")


def numbers_in(codes: Iterable[str]) -> list[str]:
    """Return the sorted numbers of the paragraphs of RULES.md that have a text among *codes*.

    The code ``rules.4.1`` gives ``4.1``; other codes are left out.
    """
    found = (NUMBERED.fullmatch(code) for code in codes)
    numbers = sorted((int(match[1]), int(match[2])) for match in found if match)
    return [f"{section}.{paragraph}" for section, paragraph in numbers]
