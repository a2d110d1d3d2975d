"""Refusals: their base class, and those that every game shares.

A refusal carries a stable code, the number of its rule and the facts that fill its texts. The texts
are in the catalogue of the table's language: ``<words>.happened`` and ``<words>.do``, which says
what to do now. *words* is the code, unless a subclass has better texts for the same code.
"""

from typing import ClassVar

from engines.common.pieces import Piece

Fact = int | str | Piece | tuple[Piece, ...]


class RulesError(Exception):
    """An input that the rules refuse.

    *code* names the reason, *rule* the paragraph of RULES.md. *facts* fill the texts.
    """

    code: ClassVar[str]
    rule: ClassVar[str]
    own_words: ClassVar[str] = ""  # the code of its texts, if they are not under *code*

    def __init__(self, **facts: Fact) -> None:
        super().__init__(f"{self.code} {facts}")
        self.facts = facts

    @property
    def words(self) -> str:
        """The code of the refusal's texts in the catalogue."""
        return self.own_words or self.code


class CannotStart(RulesError):
    """The deck has only *cards* pieces, but this number of players needs *needed*.

    A game whose deck lacks anything else raises a subclass.
    """

    code, rule = "cannot-start", "RULES 1.6"


class NotExpectedNow(RulesError):
    """The game waits for another input. The text ``waits.<waits>`` names it."""

    code, rule = "not-expected-now", "RULES 1.3"


class NotInThisGame(RulesError):
    """The deck in play does not hold the piece."""

    code, rule = "not-in-this-game", "RULES 1.2"


class NotYourTurn(RulesError):
    """It is *seat*'s turn, but the piece comes from another seat."""

    code, rule = "not-your-turn", "RULES 1.4"


class PutAway(RulesError):
    """This piece has left play for good.

    Each game has a subclass with its own texts.
    """


class AlreadyPlayed(RulesError):
    """This piece is already on the table."""

    code, rule = "already-played", "RULES 1.2"
