"""A start on a disk that is too full for it: the table says so, and waits until there is room.

``make test-boot`` does this with a real disk and a damaged journal.
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engines.common.contract import message
from firmware.common.errors import Cause, JournalError, StoreError
from firmware.config.table_config import load_config
from firmware.runtime import full_disk
from firmware.runtime.full_disk import GROWN, RETRY_S, open_with_room
from firmware.runtime.systemd import SystemdNotifier
from firmware.show.screens import SIZES, pages
from firmware.show.text import find_text
from firmware.show.view import Notice, TableView
from firmware.voice.words import languages, words_of
from sim.mat.board import EmulatedBoard
from tests.firmware.test_safe_mode import Heard, shown

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="systemd and its signals")

MB = 1_000_000


class Notified(SystemdNotifier):
    """A notifier that records what it would send."""

    def __init__(self) -> None:
        super().__init__("/nowhere", 10.0)
        self.sent: list[str] = []

    def _send(self, message: str) -> None:
        self.sent.append(message)


class Start:
    """A start of a table that fails with each of *causes*, and then returns "open"."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, *causes: Cause) -> None:
        self.folder = folder
        self.voice = Heard()
        self.config = load_config()
        self.board = EmulatedBoard(self.config, self.voice)
        self.notifier = Notified()
        self.attempts = 0
        self.looks = 0
        self.free: Callable[[int], tuple[int, int]] = lambda looks: (looks * GROWN, 0)
        self._causes = list(causes)
        monkeypatch.setattr(full_disk, "TURN_S", 0.0)
        monkeypatch.setattr(full_disk, "_free", self._look)

    def _look(self, _folder: Path) -> tuple[int, int]:
        self.looks += 1
        return self.free(self.looks)

    def _open(self) -> str:
        self.attempts += 1
        if not self._causes:
            return "open"
        error = JournalError(self.folder, "", "cannot be saved", "Free some space.")
        error.cause = self._causes.pop(0)
        raise error

    def run(self) -> str | None:
        return open_with_room(self._open, self.folder, self.config, self.board, self.notifier)


def test_a_table_with_room_starts_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = Start(tmp_path, monkeypatch)
    assert start.run() == "open"
    assert (start.attempts, start.looks, start.notifier.sent) == (1, 0, [])


@pytest.mark.parametrize(
    ("cause", "text"),
    [(Cause.NO_ROOM, "The disk is full"), (Cause.NO_FILES, "The disk holds")],
)
def test_a_table_without_room_says_so_once_and_starts_when_there_is_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cause: Cause, text: str
) -> None:
    start = Start(tmp_path, monkeypatch, cause, cause)
    assert start.run() == "open"
    assert start.attempts == 3
    assert find_text(shown(start.board), text)
    (said,) = start.voice.said
    assert said.startswith(text)
    # Ready for systemd; each further attempt has the time that the repair of a large file takes.
    assert start.notifier.sent[:2] == ["READY=1", "WATCHDOG=1"]
    assert start.notifier.sent.count("WATCHDOG=1\nWATCHDOG_USEC=60000000") == 2
    assert start.notifier.sent[-1] == "WATCHDOG=1\nWATCHDOG_USEC=10000000"


def test_another_cause_gets_its_own_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = Start(tmp_path, monkeypatch, Cause.NO_ROOM, Cause.NO_FILES)
    start.run()
    assert find_text(shown(start.board), "The disk holds")
    assert len(start.voice.said) == 2


@pytest.mark.parametrize("cause", [cause for cause in Cause if cause not in full_disk.CODES])
def test_every_other_cause_ends_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cause: Cause
) -> None:
    start = Start(tmp_path, monkeypatch, cause)
    with pytest.raises(StoreError):
        start.run()
    assert start.attempts == 1


def test_as_long_as_nothing_changes_no_attempt_is_made_for_ten_minutes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An attempt writes to the memory card."""
    start = Start(tmp_path, monkeypatch, Cause.NO_ROOM)
    attempts = []

    def free(looks: int) -> tuple[int, int]:
        attempts.append(start.attempts)
        start.board.clock.sleep(RETRY_S / 100)
        return GROWN - 1 if looks > 2 else 0, 7

    start.free = free
    assert start.run() == "open"
    assert set(attempts) == {1}
    assert len(attempts) >= 100


def test_a_file_that_was_deleted_is_reason_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = Start(tmp_path, monkeypatch, Cause.NO_FILES)
    start.free = lambda looks: (0, looks // 10)
    assert start.run() == "open"
    assert 10 <= start.looks <= 14


def test_the_room_on_the_real_disk_is_read(tmp_path: Path) -> None:
    room, files = full_disk._free(tmp_path)
    assert room > 0
    assert files >= 0


def test_sigterm_ends_the_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGTERM)
    start = Start(tmp_path, monkeypatch, Cause.NO_ROOM)

    def free(looks: int) -> tuple[int, int]:
        if looks > 2:
            os.kill(os.getpid(), signal.SIGTERM)
        return 0, 0

    start.free = free
    assert start.run() is None
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.parametrize("code", full_disk.CODES.values())
@pytest.mark.parametrize("language", languages())
def test_what_is_shown_fits_on_one_page(language: str, code: str) -> None:
    words = words_of(language)
    happened, do = (words.say(message(f"{code}.{part}")) for part in ("happened", "do"))
    view = TableView(phase=code, notice=Notice(happened, do, code=code))
    for size in SIZES:
        assert len(pages(view, size)) == 1
