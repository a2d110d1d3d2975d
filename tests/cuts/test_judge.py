"""The judge of the power cuts, which must be able to find a table guilty."""

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from shutil import which
from unittest import mock

import pytest

from firmware.journal.journal import Journal
from firmware.runtime.controller import JOURNAL
from tests.cuts import guest as guests
from tests.cuts.game import Act, Game, Moment, begin_game, draw_game
from tests.cuts.guest import Guest, GuestFailed
from tests.cuts.judge import Guilty, count_acts, mend, recover
from tests.cuts.replay import acts_at
from tests.firmware.lives import rows_in

ROWS = tuple((seq, 1, "input", str(seq)) for seq in range(1, 5))
GAME = Game(
    tuple(Act("ok") for _ in range(3)),
    tuple(Moment((f"early {n}".encode(), f"late {n}".encode()), ROWS[: n + 1]) for n in range(4)),
)


@pytest.mark.parametrize(("shown", "rows"), [(0, 1), (0, 2), (2, 3), (2, 4), (3, 4)])
def test_what_was_shown_and_one_act_more_is_right(shown: int, rows: int) -> None:
    assert count_acts(GAME, shown, ROWS[:rows]) == rows - 1


def test_an_act_that_was_shown_may_not_be_missing() -> None:
    with pytest.raises(Guilty, match="2 acts were shown, 1 are there"):
        count_acts(GAME, 2, ROWS[:2])


def test_two_acts_more_than_were_shown_are_too_many() -> None:
    with pytest.raises(Guilty, match="too many"):
        count_acts(GAME, 1, ROWS)


def test_an_act_may_not_be_there_twice() -> None:
    with pytest.raises(Guilty, match="entries that were not written"):
        count_acts(GAME, 2, (*ROWS[:2], (3, 1, "input", "2")))


def test_the_game_may_not_have_more_acts_than_were_played() -> None:
    with pytest.raises(Guilty, match="the game has fewer"):
        count_acts(GAME, 3, (*ROWS, (5, 1, "input", "5")))


def test_an_act_is_shown_by_its_first_new_picture() -> None:
    pictures = (b"late 0", b"half", b"early 1", b"late 1", b"early 2", b"other")
    assert acts_at(GAME, dict(enumerate(pictures, 1))) == (0, 0, 0, 1, 1, 2, 2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    begin_game(tmp_path)
    return tmp_path


def test_a_whole_journal_is_recovered(folder: Path) -> None:
    assert [kind for _seq, _game, kind, _body in recover(folder)] == ["start"]


def test_a_missing_journal_is_found(folder: Path) -> None:
    (folder / JOURNAL).unlink()
    with pytest.raises(Guilty, match="missing"):
        recover(folder)


def test_an_older_journal_is_found(folder: Path) -> None:
    """As if the last write had been lost, but not its copy in the tail."""
    old = (folder / JOURNAL).read_bytes()
    with closing(Journal(folder / JOURNAL)) as journal:
        journal.note_setting("volume", 3)
    (folder / JOURNAL).write_bytes(old)
    with pytest.raises(Guilty, match="tapmat reports damage"):
        recover(folder)


@pytest.mark.skipif(which("e2fsck") is None, reason="e2fsprogs is not installed")
def test_a_disk_without_a_file_system_is_found(tmp_path: Path) -> None:
    (tmp_path / "disk").write_bytes(bytes(1 << 20))
    with pytest.raises(Guilty, match="cannot mend"):
        mend(tmp_path / "disk")


def test_a_drawn_game_is_what_the_table_stores(tmp_path: Path) -> None:
    game = draw_game(1, 3)
    counts = [count_acts(game, n, game.moments[n].rows) for n in range(4)]
    assert counts == [0, 1, 2, 3]
    begin_game(tmp_path)
    assert count_acts(game, 0, rows_in(tmp_path)) == 0


# --- the guest -----------------------------------------------------------------------------------

# A program in place of the kernel: it speaks as the agent does.
SPEAKS = f"""#!{sys.executable} -S
import os, sys, time
(line,) = (int(word[8:]) for word in sys.argv if word.startswith("ssl0=fd:"))
os.write(line, b"booted\\nstarted\\n1 picture YQ==\\n")
if os.read(line, 100) == b"ok\\n":
    os.write(line, b"2 picture Yg==\\n3 pic")
time.sleep(600)
"""


@pytest.fixture
def speaker(tmp_path: Path) -> Iterator[Path]:
    """A guest's kernel that shows two pictures, the second once the first is confirmed."""
    kernel = tmp_path / "kernel"
    kernel.write_text(SPEAKS, encoding="utf-8")
    kernel.chmod(0o755)
    direct = ("setpriv", "--pdeathsig", "KILL")  # no namespace, which only root can make
    with mock.patch.multiple(guests, KERNEL=str(kernel), DIES_WITH_US=direct):
        yield tmp_path


def test_a_picture_is_confirmed_and_what_left_before_the_cut_counts(speaker: Path) -> None:
    with Guest([], speaker / "log") as guest:
        guest.wait_until("two pictures are shown", lambda: len(guest.pictures) == 2)
        guest.cut()
        assert guest.has_started
        assert guest.pictures == {1: b"a", 2: b"b"}  # the third did not leave it whole
        assert guest.shown == b"b"


def test_a_guest_that_ends_is_no_wait_for_ever(speaker: Path) -> None:
    (speaker / "kernel").write_text("#!/bin/sh\necho panic\n", encoding="utf-8")
    with (
        Guest([], speaker / "log") as guest,
        pytest.raises(GuestFailed, match=r"until it plays: it ended\npanic"),
    ):
        guest.wait_until("it plays", lambda: False)
