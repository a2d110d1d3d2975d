"""The controller: one table from its configuration, its state folder and the computer it runs on.

Room: firmware. It puts together what the other modules are; ``firmware.loop`` runs it.
"""

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from engines.common.pieces import Deck
from firmware import screens
from firmware.announcer import Announcer
from firmware.config import TableConfig
from firmware.decks import load_deck
from firmware.desk import TABLE, Desk
from firmware.games import games
from firmware.journal import Journal, utc_now
from firmware.loop import Loop, Parts
from firmware.register import TagRegister
from firmware.state_folder import state_folder
from firmware.table import Table
from firmware.tongue import Tongue
from firmware.wiring import open_parts, open_voice
from firmware.words import Words, words_of
from hardware.ports import Board, Voice

JOURNAL, REGISTER = "journal.sqlite", "tags.sqlite"


def decks_of(config: TableConfig) -> dict[str, Deck]:
    """Every game's deck, as the owner of *config* has it.

    Raises:
        DeckError: a deck file cannot be used.
    """
    return {name: load_deck(game, config.decks.get(name)) for name, game in games().items()}


def words_for(language: str) -> dict[str, Words]:
    """The words of every game, and the table's own, in *language*.

    Raises:
        WordsError: a catalogue cannot be read.
    """
    words = {name: words_of(language, game.package) for name, game in games().items()}
    return words | {TABLE: words_of(language)}


@dataclass
class Controller:
    """A table that is ready to run."""

    loop: Loop
    table: Table
    journal: Journal
    register: TagRegister
    parts: Parts
    voice: Voice

    @classmethod
    def open(
        cls,
        config: TableConfig,
        folder: Path | None,
        board: Board,
        now: Callable[[], datetime] = utc_now,
    ) -> Self:
        """Open everything, or nothing; *now* tells the time of day.

        Raises:
            TapmatError: configuration, decks, words or the state folder cannot be used.
            MissingPart: *board* lacks a part that *config* names.
        """
        folder = state_folder(folder)
        decks = decks_of(config)
        with ExitStack() as opened:
            journal = opened.enter_context(closing(Journal(folder / JOURNAL, now, mends=True)))
            register = opened.enter_context(closing(TagRegister(folder / REGISTER, mends=True)))
            tongue = Tongue(config.settings, words_for, journal)
            desk = Desk(games(), decks, tongue, journal, register, config.names)
            table = Table(desk)
            parts = opened.enter_context(closing(open_parts(config, board)))
            voice = open_voice(config, board)
            announcer = Announcer(voice, tongue.settings)
            loop = Loop(table, parts, board.clock, announcer, screens.pages, journal)
            opened.pop_all()
        return cls(loop, table, journal, register, parts, voice)

    def close(self) -> None:
        """Switch everything off and let go of it."""
        with ExitStack() as closing_all:
            closing_all.callback(self.abandon)
            closing_all.callback(self.loop.close)
            closing_all.callback(self.voice.close)
            closing_all.callback(self.parts.close)

    def abandon(self) -> None:
        """Let go of the files alone, as a process that is no more."""
        self.journal.close()
        self.register.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
