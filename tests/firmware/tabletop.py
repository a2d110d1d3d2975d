"""A table without its parts: events in, answers and view out, journal and register on disk.

Room: tests.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engines.common.contract import Topic
from engines.common.pieces import Piece
from firmware.config import TableConfig, load_config
from firmware.controller import JOURNAL, REGISTER, decks_of, words_for
from firmware.desk import Desk
from firmware.errors import JournalError
from firmware.events import Arrived, Event, Laid
from firmware.games import games
from firmware.journal import Journal
from firmware.register import COMMANDS, TagRegister
from firmware.settings import Settings
from firmware.table import Answer, Table
from firmware.tongue import Tongue
from firmware.view import Notice, TableView
from hardware.ports import Pressed, Turned
from sim.tags import enrol_decks, uid_of

CONFIG: TableConfig = load_config()


def arrived(*uids: bytes, spot: str = "play", was_found: bool = False) -> Arrived:
    """Tags that arrive together on one spot."""
    return Arrived(tuple(Laid(spot, uid) for uid in uids), was_found)


class Tabletop:
    """One table over the state folder *folder*, with the deck of *game*; an act takes a second.

    At one that *is_blank* nobody has enrolled anything.
    """

    def __init__(
        self,
        folder: Path,
        names: tuple[str, ...] = ("Ann", "Ben", "Cem"),
        game: str = "straw",
        *,
        is_blank: bool = False,
    ) -> None:
        self.folder = folder
        self.game = game
        self.names = names
        self.now_s = 100.0
        self.answers: tuple[Answer, ...] = ()
        self._used: dict[str, int] = {}
        if not is_blank:
            enrol_decks(folder, CONFIG)
        self._open()

    def _open(self) -> None:
        self.journal = Journal(self.folder / JOURNAL, mends=True)
        self.register = TagRegister(self.folder / REGISTER, mends=True)
        tongue = Tongue(Settings("en"), words_for, self.journal)
        desk = Desk(games(), decks_of(CONFIG), tongue, self.journal, self.register, self.names)
        self.table = Table(desk)

    def close(self) -> None:
        self.journal.close()
        self.register.close()

    def again(self) -> None:
        """The plug is pulled and put in again."""
        self.close()
        self._open()

    # --- acts ---

    def receive(self, event: Event) -> tuple[Answer, ...]:
        self.now_s += 1.0
        self.answers = self.table.receive(event, self.now_s)
        return self.answers

    def lay(self, *pieces: str, spot: str = "play", was_found: bool = False) -> tuple[Answer, ...]:
        """Lay exactly these pieces (``weight-3#2``) at once."""
        uids = tuple(uid_of(self.game, Piece.parse(piece)) for piece in pieces)
        return self.receive(arrived(*uids, spot=spot, was_found=was_found))

    def tap(self, *kinds: str, spot: str = "play") -> tuple[Answer, ...]:
        """Lay the next copy of each of *kinds*, all at once."""
        return self.lay(*map(self.next_copy, kinds), spot=spot)

    def next_copy(self, kind: str) -> str:
        self._used[kind] = self._used.get(kind, 0) + 1
        return f"{kind}#{self._used[kind]}"

    def card(self, command: str) -> tuple[Answer, ...]:
        """Lay a command card."""
        return self.receive(arrived(uid_of(COMMANDS, Piece(command))))

    def press(self, button: str = "ok") -> tuple[Answer, ...]:
        return self.receive(Pressed(button))

    def turn(self, steps: int) -> tuple[Answer, ...]:
        return self.receive(Turned(steps))

    def choose(self, value: str) -> tuple[Answer, ...]:
        """Turn to *value* in the list that is shown, and press OK."""
        choices = self.view.choices
        assert choices is not None, f"no list is shown: {self.view}"
        self.turn(choices.values.index(value) - choices.cursor)
        return self.press()

    def start(self, *options: tuple[str, str], players: int = 3) -> "Tabletop":
        """Start the game; Ann plays first, and cards begin with their first copies."""
        self.lay(str(decks_of(CONFIG)[self.game].pieces()[0]))
        self.choose("players")
        self.choose(str(players))
        for name, value in options:
            self.choose(name)
            self.choose(value)
        self.choose("start")
        return self

    def play(self, *kinds: str) -> "Tabletop":
        """Tap one card after the other; each must be accepted."""
        for kind in kinds:
            (answer,) = self.tap(kind)
            assert answer.notice is None, answer.notice
        return self

    # --- what it shows ---

    @property
    def view(self) -> TableView:
        return self.table.view(self.now_s)

    @property
    def said(self) -> str:
        """What the last act made the table say, but for what the controls do."""
        lines = [line for answer in self.answers for line in answer.say]
        return " ".join(line.text for line in lines if line.topic is not Topic.HELP)

    @property
    def helped(self) -> str:
        """What the last act made the table say of what the controls do."""
        lines = [line for answer in self.answers for line in answer.say]
        return " ".join(line.text for line in lines if line.topic is Topic.HELP)

    @property
    def refused(self) -> str:
        """The code of the last act's refusal; empty when it was none."""
        return next((a.notice.code for a in self.answers if a.notice is not None), "")

    @property
    def notice(self) -> Notice:
        """What there is to be read now."""
        notice = self.view.notice
        assert notice is not None
        return notice

    @property
    def turn_of(self) -> str:
        """Who is to play."""
        view = self.view
        assert view.turn is not None
        return view.names[view.turn]


def break_disk(monkeypatch: pytest.MonkeyPatch, journal: Journal) -> Callable[[], None]:
    """Let every write to *journal* fail as on a full disk; return what makes room again."""

    def full(*_: Any, **__: Any) -> Any:
        raise JournalError(journal.path, "", "cannot be written: the disk is full", "Make room.")

    with_faults = ("append", "undo", "begin", "end", "note_setting")
    for name in with_faults:
        monkeypatch.setattr(journal, name, full)

    def mend() -> None:
        for name in with_faults:
            monkeypatch.delattr(journal, name)

    return mend
