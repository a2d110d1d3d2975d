"""The desk: what every mode of the table works with.

Room: firmware. One value, made at the start and handed to the modes; it holds no game in progress.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engines.common.contract import Game, Message
from engines.common.errors import RulesError
from engines.common.pieces import Deck
from firmware.journal import Journal
from firmware.register import TagRegister
from firmware.view import Notice
from firmware.words import Words

TABLE = ""  # the key of the words that belong to no game


@dataclass(frozen=True)
class Desk:
    """The games with their decks and words, the journal and the tag register."""

    games: Mapping[str, Game[Any]]
    decks: Mapping[str, Deck]
    words: Mapping[str, Words]  # by game name, and TABLE
    journal: Journal
    register: TagRegister
    known_names: tuple[str, ...] = ()

    def say(self, game: str, code: str, names: Sequence[str] = (), /, **facts: Any) -> str:
        """The words for *code* at a table of *names*, in *game*'s catalogue or the table's."""
        return self.words[game].say(Message(code, facts), names)

    def offer(self, game: str) -> str:
        """The words that offer *game*."""
        return self.say(game, "offer", title=self.say(game, "title"))

    def refusal(self, game: str, error: RulesError, names: Sequence[str]) -> Notice:
        """What a refusal by the rules reads like."""
        words = self.words[game].refusal(error, names)
        return Notice(words.happened, words.do, code=error.code, rule=words.rule)

    def notice(self, game: str, code: str, names: Sequence[str] = (), /, **facts: Any) -> Notice:
        """A refusal by the table itself, under ``<code>.happened`` and ``<code>.do``."""
        return Notice(
            self.say(game, f"{code}.happened", names, **facts),
            self.say(game, f"{code}.do", names, **facts),
            code=code,
        )
