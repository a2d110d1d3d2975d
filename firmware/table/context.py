"""The context: the objects that all modes of the table share.

It is made once, at the start, and passed from mode to mode. It does not contain the game in
progress.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from engines.common.contract import Game, Message, Seat, Topic
from engines.common.errors import RulesError
from engines.common.pieces import Deck, Piece
from firmware.boxes.box import Box
from firmware.boxes.decks import COMMAND_CARDS
from firmware.boxes.register import BOXES, COMMANDS, TagRegister
from firmware.common.errors import Cause, StoreError, TapmatError
from firmware.journal.journal import Journal, utc_now
from firmware.journal.kit_choice import KitChoice
from firmware.show.view import JoinAddress, Notice
from firmware.voice.settings_store import SettingsStore
from firmware.voice.speech import SpeechLine
from firmware.voice.words import Words

TABLE = ""  # stands for a game's name where the table's own catalogue is meant

REMEDIES = {Cause.NO_ROOM: "not-saved.do", Cause.OTHER: "not-readable.do"}


def remedy(error: TapmatError) -> str:
    """Return the text code of the advice to give people after *error*.

    *error* is a failure to read or write a file.
    """
    cause = error.cause if isinstance(error, StoreError) else Cause.OTHER
    return REMEDIES.get(cause, f"not-saved.{cause.value}")


@dataclass
class Companion:
    """The *address* at which people can join; None if no companion is connected.

    Only the table changes it.
    """

    address: JoinAddress | None = None


@dataclass
class HallLink:
    """The table's connection to a hall, if *is_there*. *calls* is True while people call for help.

    *message* is what the hall wants on the display, or empty. Only the table changes it.
    """

    is_there: bool = False
    calls: bool = False
    message: str = ""


@dataclass(frozen=True)
class TableContext:
    """The objects that all modes share. *games* and *decks* are by the game's name.

    *known_names* are the names of players in ``table.toml``. *kits* are the kits to choose from at
    the table; None if people cannot choose there. *spots* are those with a reader. *parts* are the
    names of the table's parts (``firmware.table.parts``), and *now* returns the time in UTC. If
    *is_for_children* is True, all texts are those for small children.
    """

    games: Mapping[str, Game[Any]]
    decks: Mapping[str, Deck]
    settings: SettingsStore
    journal: Journal
    register: TagRegister
    known_names: tuple[str, ...] = ()
    kits: KitChoice | None = None
    spots: frozenset[str] = frozenset()
    companion: Companion = field(default_factory=Companion)
    hall: HallLink = field(default_factory=HallLink)
    parts: tuple[str, ...] = ()
    now: Callable[[], datetime] = utc_now
    is_for_children: bool = False

    def for_players(self, *, are_children: bool) -> "TableContext":
        """Return this context with texts for the players of a game."""
        return replace(self, is_for_children=True) if are_children else self

    @property
    def words(self) -> Mapping[str, Words]:
        """The text catalogues in the current language, by game. TABLE is the key of the table's."""
        return self.settings.child_words if self.is_for_children else self.settings.words

    def text(self, game: str, code: str, names: Sequence[str] = (), /, **facts: Any) -> str:
        """Return the text for *code* from the catalogue of *game*, as the display shows it.

        *names* are the players' names by seat, and *facts* the values to insert.
        """
        return self.words[game].say(Message(code, facts), names)

    def spoken_text(self, game: str, code: str, /, **facts: Any) -> str:
        """Return the text for *code* as the voice says it. No fact may be a seat."""
        return self.words[game].tell(Message(code, facts))

    def line(self, game: str, code: str, topic: Topic, /, **facts: Any) -> SpeechLine:
        """Return the text for *code*, which names no player, as a speech line about *topic*."""
        return SpeechLine(self.spoken_text(game, code, **facts), topic)

    def title(self, game: str) -> str:
        """Return the title of *game*, or of the command cards.

        Return *game* itself if no such game is installed.
        """
        if game == COMMANDS:
            return self.text(TABLE, "commands")
        return self.text(game, "title") if game in self.games else game

    def box_title(self, game: str, number: int) -> str:
        """Return the title of box *number* of *game*. Box 1 has the title of the game."""
        title = self.title(game)
        return title if number == 1 else self.text(TABLE, "box-of", title=title, number=number)

    def piece_name(self, game: str, piece: Piece) -> str:
        """Return a name for the kind of *piece* that no other kind in *game* has.

        That is the text ``kind.<kind>`` if there is one, and otherwise ``piece.<kind>``. During
        play, where names need not be unique, several kinds may have the same text ``piece.<kind>``.
        Such kinds have texts ``kind.<kind>`` too.
        """
        if game != COMMANDS and game not in self.games:
            return piece.kind
        words = TABLE if game == COMMANDS else game
        unique = f"kind.{piece.kind}"
        return self.text(words, unique if self.words[words].has(unique) else f"piece.{piece.kind}")

    def describe_play(
        self, game: str, names: Sequence[str], seat: Seat | None, piece: Piece, worth: int | None
    ) -> str:
        """Return the sentence that *seat* has played *piece*; if seat is None, the piece's name.

        *names* are the players' names by seat. *worth* is the value of the piece, if none is
        printed on it.
        """
        if game not in self.games:
            return piece.kind
        if seat is None:
            return self.text(game, f"piece.{piece.kind}")
        code = "played" if worth is None else "played-worth"
        return self.text(game, code, names, seat=seat, piece=piece, worth=worth)

    def box(self, game: str, number: int = 1) -> Box:
        """Read box *number* of *game*, or of the command cards, from the tag register.

        Raises:
            RegisterError: the register cannot be read.
        """
        deck = COMMAND_CARDS if game == COMMANDS else self.decks[game]
        return Box.of(self.register, deck, number)

    def boxes(self, game: str) -> tuple[Box, ...]:
        """Return the boxes of *game* that can be enrolled, in order.

        These are the boxes with stickers and, if all of them are complete, a new empty one.

        Raises:
            RegisterError: the register cannot be read.
        """
        begun = tuple(self.box(game, number) for number in self.register.boxes(game))
        free = (number for number in BOXES if number not in {box.number for box in begun})
        new = next(free, None) if all(box.is_whole for box in begun) else None
        return begun if new is None else (*begun, self.box(game, new))

    def offer_text(self, game: str) -> str:
        """Return the sentence with which the voice offers to play *game*."""
        return self.spoken_text(game, "offer", title=self.spoken_text(game, "title"))

    def rules_notice(self, game: str, error: RulesError, names: Sequence[str]) -> Notice:
        """Return the notice for *error*, with which the rules of *game* refused a play."""
        refusing = self._notice(game, error.words, names, error.facts, error.rule)
        return replace(refusing, code=error.code)

    def notice(self, game: str, code: str, names: Sequence[str] = (), /, **facts: Any) -> Notice:
        """Return the notice of a refusal, from the texts ``<code>.happened`` and ``<code>.do``."""
        return self._notice(game, code, names, facts)

    def not_saved_notice(self, error: TapmatError) -> Notice:
        """Return the notice that an act was not saved because of *error*, and what to do."""
        happened, do = (self.text(TABLE, code) for code in ("not-saved.happened", remedy(error)))
        return Notice(happened, do, "not-saved")

    def _notice(
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
        on_page = tuple(self.words[game].write(part, names) for part in parts)
        return Notice(
            happened,
            do,
            code,
            rule,
            "" if said == f"{happened} {do}" else said,
            () if on_page == (happened, do) else on_page,
        )
