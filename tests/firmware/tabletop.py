"""A table without hardware: tests give it events and look at its answers, view and files."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engines.common.contract import Topic
from engines.common.pieces import Piece
from firmware.boxes.games import games
from firmware.boxes.register import COMMANDS, TagRegister
from firmware.common.errors import JournalError
from firmware.config.table_config import TableConfig, load_config
from firmware.journal.journal import Journal
from firmware.journal.kit_choice import KitChoice
from firmware.runtime.controller import JOURNAL, REGISTER, decks_of, words_for
from firmware.show.view import Notice, TableView
from firmware.table.context import TableContext
from firmware.table.events import Event, TagOnSpot, TagsArrived
from firmware.table.table import Feedback, Table
from firmware.voice.settings import Settings
from firmware.voice.settings_store import SettingsStore
from firmware.voice.words import Words
from hardware.ports import Pressed, Turned
from sim.mat.tags import enrol_decks, uid_of

CONFIG: TableConfig = load_config()


def arrived(*uids: bytes, spot: str = "play", was_found: bool = False) -> TagsArrived:
    """Return the event that tags with these *uids* arrived together on *spot*."""
    return TagsArrived(tuple(TagOnSpot(spot, uid) for uid in uids), was_found)


class Tabletop:
    """A table on the state folder *folder*, with all decks enrolled; each event takes a second.

    If *is_blank*, no sticker is enrolled. *spots* are its readers; none are needed for taps.
    """

    def __init__(
        self,
        folder: Path,
        names: tuple[str, ...] = ("Ann", "Ben", "Cem"),
        game: str = "straw",
        *,
        is_blank: bool = False,
        spots: frozenset[str] = frozenset(),
    ) -> None:
        self.folder = folder
        self.spots = spots
        self.game = game
        self.names = names
        self.now_s = 100.0
        self.answers: tuple[Feedback, ...] = ()
        self._used: dict[str, int] = {}
        if not is_blank:
            with closing(TagRegister(folder / REGISTER)) as register:
                enrol_decks(register, CONFIG)
        self._open()

    def _open(self) -> None:
        self.journal = Journal(self.folder / JOURNAL, repairs=True)
        self.register = TagRegister(self.folder / REGISTER, repairs=True)
        store = SettingsStore(Settings("en"), self.words_for, self.journal)
        context = TableContext(
            games(),
            decks_of(CONFIG),
            store,
            self.journal,
            self.register,
            self.names,
            KitChoice.of(self.folder),
            self.spots,
        )
        self.table = Table(context)

    def words_for(self, language: str) -> dict[str, Words]:
        """Return the texts of the table and of each game in *language*."""
        return words_for(language)

    def close(self) -> None:
        self.journal.close()
        self.register.close()

    def again(self) -> None:
        """Restart the table, as after a power cut."""
        self.close()
        self._open()

    # --- what people do ---

    def receive(self, event: Event) -> tuple[Feedback, ...]:
        self.now_s += 1.0
        self.answers = self.table.receive(event, self.now_s)
        return self.answers

    def lay(
        self, *pieces: str, spot: str = "play", was_found: bool = False
    ) -> tuple[Feedback, ...]:
        """Lay these pieces (``weight-3#2``) at the same time; return the table's answers."""
        uids = tuple(uid_of(self.game, Piece.parse(piece)) for piece in pieces)
        return self.receive(arrived(*uids, spot=spot, was_found=was_found))

    def tap(self, *kinds: str, spot: str = "play") -> tuple[Feedback, ...]:
        """Lay an unused copy of each of *kinds* at the same time; return the table's answers."""
        return self.lay(*map(self.next_copy, kinds), spot=spot)

    def next_copy(self, kind: str) -> str:
        self._used[kind] = self._used.get(kind, 0) + 1
        return f"{kind}#{self._used[kind]}"

    def card(self, command: str) -> tuple[Feedback, ...]:
        """Lay the command card *command*; return the table's answers."""
        return self.receive(arrived(uid_of(COMMANDS, Piece(command))))

    def press(self, button: str = "ok") -> tuple[Feedback, ...]:
        return self.receive(Pressed(button))

    def turn(self, steps: int) -> tuple[Feedback, ...]:
        return self.receive(Turned(steps))

    def choose(self, value: str) -> tuple[Feedback, ...]:
        """Turn the knob to *value* in the open list and press OK; return the table's answers."""
        choices = self.view.choices
        assert choices is not None, f"no list is shown: {self.view}"
        self.turn(choices.values.index(value) - choices.cursor)
        return self.press()

    def start(self, *options: tuple[str, str], players: int = 3) -> "Tabletop":
        """Start a game with *options*, pairs of house rule and value; Ann plays first."""
        self.lay(str(decks_of(CONFIG)[self.game].pieces()[0]))
        self.choose("players")
        self.choose(str(players))
        for name, value in options:
            self.choose(name)
            self.choose(value)
        self.choose("start")
        return self

    def play(self, *kinds: str) -> "Tabletop":
        """Tap one card after the other; fail if one is refused."""
        for kind in kinds:
            (answer,) = self.tap(kind)
            assert answer.notice is None, answer.notice
        return self

    # --- what the table shows and says ---

    @property
    def view(self) -> TableView:
        return self.table.view(self.now_s)

    @property
    def said(self) -> str:
        """The table's words about the last event, except help on the controls."""
        lines = [line for answer in self.answers for line in answer.say]
        return " ".join(line.text for line in lines if line.topic is not Topic.HELP)

    @property
    def helped(self) -> str:
        """The help on the controls that the table gave after the last event."""
        lines = [line for answer in self.answers for line in answer.say]
        return " ".join(line.text for line in lines if line.topic is Topic.HELP)

    @property
    def refused(self) -> str:
        """The code of the notice that refused the last event; empty if there was none."""
        return next((a.notice.code for a in self.answers if a.notice is not None), "")

    @property
    def notice(self) -> Notice:
        """The notice on the display."""
        notice = self.view.notice
        assert notice is not None
        return notice

    @property
    def turn_of(self) -> str:
        """The name of the current player."""
        view = self.view
        assert view.turn is not None
        return view.names[view.turn]


def break_disk(monkeypatch: pytest.MonkeyPatch, journal: Journal) -> Callable[[], None]:
    """Make every write to *journal* fail as on a full disk; return a function that ends this."""

    def full(*_: Any, **__: Any) -> Any:
        raise JournalError(journal.path, "", "cannot be written: the disk is full", "Make room.")

    with_faults = ("append", "undo", "begin", "end", "note_setting")
    for name in with_faults:
        monkeypatch.setattr(journal, name, full)

    def mend() -> None:
        for name in with_faults:
            monkeypatch.delattr(journal, name)

    return mend
