"""The controller: one table from its configuration, its state folder and the computer it runs on.

Room: firmware. It puts together what the other modules are; ``firmware.loop`` runs it.
"""

from dataclasses import dataclass
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
from firmware.journal import Journal
from firmware.loop import Loop, Parts
from firmware.register import TagRegister
from firmware.state_folder import state_folder
from firmware.table import Table
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
    journal: Journal
    register: TagRegister
    parts: Parts
    voice: Voice

    @classmethod
    def open(cls, config: TableConfig, folder: Path | None, board: Board) -> Self:
        """Open everything, or nothing.

        Raises:
            TapmatError: configuration, decks, words or the state folder cannot be used.
            MissingPart: *board* lacks a part that *config* names.
        """
        folder = state_folder(folder)
        decks = decks_of(config)
        journal = Journal(folder / JOURNAL)
        try:
            register = TagRegister(folder / REGISTER)
            parts = open_parts(config, board)
        except BaseException:
            journal.close()
            raise
        voice = open_voice(config, board)
        desk = Desk(games(), decks, words_for(config.language), journal, register, config.names)
        announcer = Announcer(voice, config.language)
        loop = Loop(Table(desk), parts, board.clock, announcer, screens.draw)
        return cls(loop, journal, register, parts, voice)

    def close(self) -> None:
        """Switch everything off and let go of it."""
        self.parts.close()
        self.voice.close()
        self.abandon()

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
