"""The desk: what every mode of the table works with.

Room: firmware. One value, made at the start and handed to the modes; it holds no game in
progress, and changes in nothing but its tongue.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engines.common.contract import Game, Message, Topic
from engines.common.errors import RulesError
from engines.common.pieces import Deck, Piece
from firmware.boxes import Box
from firmware.decks import COMMAND_CARDS
from firmware.journal import Journal
from firmware.register import BOXES, COMMANDS, TagRegister
from firmware.speech import Line
from firmware.tongue import Tongue
from firmware.view import Notice
from firmware.words import Words

TABLE = ""  # the key of the words that belong to no game


@dataclass(frozen=True)
class Desk:
    """The games with their decks, the table's tongue, the journal and the tag register."""

    games: Mapping[str, Game[Any]]
    decks: Mapping[str, Deck]
    tongue: Tongue
    journal: Journal
    register: TagRegister
    known_names: tuple[str, ...] = ()

    @property
    def words(self) -> Mapping[str, Words]:
        """The words in the language that is spoken now, by game name, and TABLE."""
        return self.tongue.words

    def say(self, game: str, code: str, names: Sequence[str] = (), /, **facts: Any) -> str:
        """The words for *code* at a table of *names*, in *game*'s catalogue or the table's."""
        return self.words[game].say(Message(code, facts), names)

    def tell(self, game: str, code: str, names: Sequence[str] = (), /, **facts: Any) -> str:
        """The words for *code* as they are said aloud; see ``say``."""
        return self.words[game].tell(Message(code, facts), names)

    def line(
        self, game: str, code: str, topic: Topic, names: Sequence[str] = (), /, **facts: Any
    ) -> Line:
        """The words for *code* as they are said aloud, as a line about *topic*; see ``say``."""
        return Line(self.tell(game, code, names, **facts), topic)

    def title(self, game: str) -> str:
        """What *game* is called; the command cards too are called something."""
        if game == COMMANDS:
            return self.say(TABLE, "commands")
        return self.say(game, "title") if game in self.games else game

    def box_title(self, game: str, number: int) -> str:
        """What a box of *game* is called: the first one like the game."""
        title = self.title(game)
        return title if number == 1 else self.say(TABLE, "box-of", title=title, number=number)

    def piece(self, game: str, piece: Piece) -> str:
        """What a piece of *game*, or a command card, is called, so that no other kind is meant.

        Where the words under ``piece.<kind>`` do not tell kinds apart, as they need not in a game,
        those under ``kind.<kind>`` do.
        """
        if game != COMMANDS and game not in self.games:
            return piece.kind
        words = TABLE if game == COMMANDS else game
        apart = f"kind.{piece.kind}"
        return self.say(words, apart if self.words[words].has(apart) else f"piece.{piece.kind}")

    def box(self, game: str, number: int = 1) -> Box:
        """Box *number* of *game*, or of the command cards, as the register has it.

        Raises:
            RegisterError: it cannot be read.
        """
        deck = COMMAND_CARDS if game == COMMANDS else self.decks[game]
        return Box.of(self.register, deck, number)

    def boxes(self, game: str) -> tuple[Box, ...]:
        """Every box of *game* that has a sticker, and an empty one if they are all whole.

        Raises:
            RegisterError: they cannot be read.
        """
        begun = tuple(self.box(game, number) for number in self.register.boxes(game))
        free = (number for number in BOXES if number not in {box.number for box in begun})
        new = next(free, None) if all(box.is_whole for box in begun) else None
        return begun if new is None else (*begun, self.box(game, new))

    def offer(self, game: str) -> str:
        """What is said to offer *game*."""
        return self.tell(game, "offer", title=self.tell(game, "title"))

    def refusal(self, game: str, error: RulesError, names: Sequence[str]) -> Notice:
        """What a refusal by the rules reads like."""
        return self._refusing(game, error.code, names, error.facts, error.rule)

    def notice(self, game: str, code: str, names: Sequence[str] = (), /, **facts: Any) -> Notice:
        """A refusal by the table itself, under ``<code>.happened`` and ``<code>.do``."""
        return self._refusing(game, code, names, facts)

    def _refusing(
        self,
        game: str,
        code: str,
        names: Sequence[str],
        facts: Mapping[str, Any],
        rule: str = "",
    ) -> Notice:
        parts = [Message(f"{code}.{part}", facts) for part in ("happened", "do")]
        happened, do = (self.words[game].say(part, names) for part in parts)
        said = " ".join(self.words[game].tell(part, names) for part in parts)
        return Notice(happened, do, code, rule, "" if said == f"{happened} {do}" else said)
