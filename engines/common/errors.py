"""What a refusal is, and the refusals every game shares.

Room: engines/common. A refusal carries a stable code, the rule it rests on and the facts of the
moment; the words are looked up in the table's language under ``<code>.happened`` and ``<code>.do``.
"""

from typing import ClassVar

from engines.common.pieces import Piece

Fact = int | str | Piece | tuple[Piece, ...]


class RulesError(Exception):
    """A play the rules refuse: *code* names the reason, *rule* the paragraph of RULES.md.

    *facts* fill the words.
    """

    code: ClassVar[str]
    rule: ClassVar[str]

    def __init__(self, **facts: Fact) -> None:
        super().__init__(f"{self.code} {facts}")
        self.facts = facts


class CannotStart(RulesError):
    """The deck has *cards* pieces, and so many players need *needed*; nothing has begun.

    A game that misses something else says so with a subclass.
    """

    code, rule = "cannot-start", "RULES 1.6"


class NotExpectedNow(RulesError):
    """The game waits for something else; facts of the subclass or caller say what."""

    code, rule = "not-expected-now", "RULES 1.3"


class NotInThisGame(RulesError):
    """The piece belongs to another game, or to no deck this game is played with."""

    code, rule = "not-in-this-game", "RULES 1.2"


class NotYourTurn(RulesError):
    """The piece is known to come from another seat than *seat*, whose turn it is."""

    code, rule = "not-your-turn", "RULES 1.4"


class AlreadyPlayed(RulesError):
    """The very same piece lies on the table already."""

    code, rule = "already-played", "RULES 1.2"
