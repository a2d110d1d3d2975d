"""The controller: opens everything that one table needs, and closes it again.

``firmware.runtime.loop`` runs the table.
"""

from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from engines.common.pieces import Deck
from firmware.boxes.decks import load_deck
from firmware.boxes.games import games
from firmware.boxes.register import TagRegister
from firmware.config.table_config import TableConfig
from firmware.journal.journal import Journal, utc_now
from firmware.journal.kit_choice import KitChoice
from firmware.journal.state_folder import state_folder
from firmware.journal.store import Wait
from firmware.outlet.box import box_data
from firmware.outlet.queue import Outlet
from firmware.runtime.loop import Loop, TableParts
from firmware.runtime.report_watch import ReportWatch
from firmware.runtime.wiring import SILENT, open_parts, open_voice
from firmware.show import screens
from firmware.table.context import TABLE, TableContext
from firmware.table.table import Table
from firmware.voice.announcer import Announcer
from firmware.voice.settings_store import SettingsStore
from firmware.voice.words import Words, words_of
from hardware.ports import Board, Voice

JOURNAL, REGISTER = "journal.sqlite", "tags.sqlite"


def decks_of(config: TableConfig) -> dict[str, Deck]:
    """Return the deck of each game by name. *config* may name an owner's deck file.

    Raises:
        DeckError: a deck file cannot be used.
    """
    return {name: load_deck(game, config.decks.get(name)) for name, game in games().items()}


def box_of(decks: Mapping[str, Deck], name: str, language: str) -> dict[str, Any] | None:
    """Return the box of the game *name* with its texts in *language*; None without such a game.

    *decks* are the decks by game.
    """
    if name not in decks:
        return None
    game = games()[name]
    return box_data(game, decks[name], words_of(language, game.package))


def words_for(language: str) -> dict[str, Words]:
    """Return the texts in *language* of each game by name, and the table's own under ``TABLE``.

    Raises:
        WordsError: a catalogue cannot be read.
    """
    words = {name: words_of(language, game.package) for name, game in games().items()}
    return words | {TABLE: words_of(language)}


def part_names(config: TableConfig) -> tuple[str, ...]:
    """Return the names of the parts of *config*, as ``firmware.table.parts`` has them."""
    controls = config.controls
    buttons = () if controls is None else tuple(controls.buttons)
    others = {
        "display": config.display is not None,
        "lamps": bool(config.lamps),
        "buzzer": config.buzzer_pin is not None,
        "voice": config.voice != SILENT,
        "encoder": controls is not None and controls.encoder is not None,
        "tilt": config.tilt_pin is not None,
        "journal": True,
    }
    return (
        *(f"reader {reader.spot}" for reader in config.readers),
        *(f"button {name}" for name in ("ok", "back", "action") if name in buttons),
        *(name for name, is_there in others.items() if is_there),
    )


@dataclass
class Controller:
    """A table with all its parts and files open."""

    loop: Loop
    table: Table
    journal: Journal
    register: TagRegister
    parts: TableParts
    voice: Voice

    @classmethod
    def open(
        cls,
        config: TableConfig,
        folder: Path | None,
        board: Board,
        now: Callable[[], datetime] = utc_now,
    ) -> Self:
        """Open the parts of *config* on *board*, and the files in the state folder *folder*.

        If an error is raised, everything is closed again. *now* returns the date and time in UTC.

        Raises:
            TapmatError: a deck, the words or the state folder cannot be used.
            MissingPart: *board* lacks a part that *config* names.
        """
        folder = state_folder(folder)
        decks = decks_of(config)
        with ExitStack() as opened:
            journal = opened.enter_context(closing(Journal(folder / JOURNAL, now, repairs=True)))
            register = opened.enter_context(closing(TagRegister(folder / REGISTER, repairs=True)))
            store = SettingsStore(config.settings, words_for, journal)
            context = TableContext(
                *(games(), decks, store, journal, register, config.names, KitChoice.of(folder)),
                spots=frozenset(reader.spot for reader in config.readers),
                parts=part_names(config),
                now=now,
            )
            table = Table(context)
            parts = opened.enter_context(closing(open_parts(config, board)))
            voice = open_voice(config, board)
            announcer = Announcer(voice)
            outlet = Outlet(now)
            loop = Loop(
                *(table, parts, board.clock, announcer, screens.pages, journal),
                outlet=outlet,
                describe=context.describe_play,
                advise=table.advice,
                phones=table,
                poll_waits=table.poll_waits,
                poll_report=ReportWatch(folder).poll,
            )
            opened.pop_all()
        return cls(loop, table, journal, register, parts, voice)

    def wait_in(self, waiting_for_disk: Wait) -> None:
        """Run each later write inside the context manager that *waiting_for_disk* returns."""
        self.journal.wait_in(waiting_for_disk)
        self.register.wait_in(waiting_for_disk)

    def close(self) -> None:
        """Switch all parts off, and close them and the files."""
        with ExitStack() as closing_all:
            closing_all.callback(self.abandon)
            closing_all.callback(self.loop.close)
            # The voice first: a program of speech that is being started has copies of the pins'
            # descriptors for a moment, and the kernel refuses to give such a pin to anyone.
            closing_all.callback(self.parts.close)
            closing_all.callback(self.voice.close)

    def abandon(self) -> None:
        """Close only the files, and leave the parts as they are. Emulated power cuts use this."""
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
