"""Automatic copies, made after each game and after each day with play."""

import errno
import io
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from engines.common.contract import Tap
from engines.common.pieces import Piece
from firmware.archive import automatic
from firmware.archive.automatic import (
    COPIES,
    KEPT,
    Occasion,
    Problem,
    copies_in,
    main,
    make_copy,
    problem_of,
)
from firmware.archive.copier import QUIET_S, Copier, start_copy
from firmware.archive.copies import restore
from firmware.archive.past import histories, local
from firmware.boxes.register import Registered, TagRegister
from firmware.commands import play as play_command
from firmware.commands.journal import run_list_copies, run_restore
from firmware.common.errors import ConfigError, OutputError, StoreError
from firmware.config.table_config import load_config
from firmware.journal.journal import GameRecord, Journal
from firmware.runtime.controller import JOURNAL, REGISTER
from firmware.runtime.loop import Loop
from firmware.table.events import CopyFailed
from sim.mat.board import EmulatedBoard
from sim.mat.mat import Mat
from tests.firmware.archive.kept import BEGAN, CONFIG, bytes_of, play, scribble, start_of
from tests.sim.known_game import GAME

PLAYS = sum(known.kind == "input" for known in GAME)
UID = bytes.fromhex("04a1b2c3d4e5f6")
PLAYED = local(BEGAN.isoformat()).replace(tzinfo=None)  # local date of the game by ``play``
TOMORROW = PLAYED + timedelta(days=1)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state folder with one game and one enrolled sticker."""
    folder = tmp_path / "state"
    folder.mkdir()
    play(folder)
    with closing(TagRegister(folder / REGISTER)) as register:
        register.bind(UID, "straw", Piece("lamp"))
    return folder


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    """An empty folder that stands for a memory stick."""
    folder = tmp_path / "stick"
    folder.mkdir()
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# --- one copy ------------------------------------------------------------------------------------


def test_a_copy_has_the_games_and_the_stickers(state: Path, stick: Path, tmp_path: Path) -> None:
    copy = make_copy(Occasion.GAME, state, stick, TOMORROW)
    assert copy is not None
    new = tmp_path / "new"
    new.mkdir()
    restore(new, copy, TOMORROW)
    assert [game.entries for game in histories(new)] == [game.entries for game in histories(state)]
    with closing(TagRegister(new / REGISTER)) as register:
        assert register.piece_of(UID) == Registered("straw", Piece("lamp"))


def test_a_copy_is_made_while_a_game_is_on(state: Path, stick: Path) -> None:
    with closing(Journal(state / JOURNAL)) as journal:
        journal.begin(start_of())
        assert make_copy(Occasion.GAME, state, stick, TOMORROW) is not None
        journal.end("over")
    (copy,) = copies_in([stick])
    assert copy.contents is not None
    assert copy.contents.games == 2


def test_a_day_has_one_copy_once_it_is_over(state: Path, stick: Path) -> None:
    assert make_copy(Occasion.DAY, state, stick, PLAYED) is None
    assert make_copy(Occasion.DAY, state, stick, TOMORROW) == stick / f"day-{PLAYED:%Y%m%d}.zip"
    assert make_copy(Occasion.DAY, state, stick, TOMORROW) is None
    assert make_copy(Occasion.DAY, state, stick, TOMORROW + timedelta(days=1)) is None


def test_without_a_play_no_day_is_copied(stick: Path, tmp_path: Path) -> None:
    assert make_copy(Occasion.DAY, tmp_path, stick, TOMORROW) is None
    with closing(Journal(tmp_path / JOURNAL)) as journal:
        journal.begin(start_of())
    assert make_copy(Occasion.DAY, tmp_path, stick, TOMORROW) is None


def test_the_newest_copies_are_kept_and_other_files_are_let_alone(state: Path, stick: Path) -> None:
    others = {"holiday.zip", "game-of-thrones.zip", "day-20260101.txt"}
    for other in others:
        (stick / other).write_bytes(b"dear to somebody")
    for number in range(32):
        (stick / f"day-{TOMORROW - timedelta(days=90 - number):%Y%m%d}.zip").write_bytes(b"")
    for number in range(12):
        make_copy(Occasion.GAME, state, stick, TOMORROW + timedelta(minutes=number))
    make_copy(Occasion.DAY, state, stick, TOMORROW)
    assert others <= set(names(stick))
    games = [name for name in names(stick) if name.startswith("game-2")]
    days = [name for name in names(stick) if name.startswith("day-") and name not in others]
    assert (len(games), len(days)) == (KEPT[Occasion.GAME], KEPT[Occasion.DAY]) == (10, 30)
    assert games[-1] == f"game-{TOMORROW + timedelta(minutes=11):%Y%m%d-%H%M%S}.zip"
    assert days[-1] == f"day-{PLAYED:%Y%m%d}.zip"


def test_a_copy_that_was_cut_short_is_no_copy_and_goes_before_the_next(
    state: Path, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(_folder: Path, file: Path) -> None:
        file.write_bytes(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(automatic, "backup", cut)
        with pytest.raises(KeyboardInterrupt):
            make_copy(Occasion.GAME, state, stick, TOMORROW)
    assert len(names(stick)) == 1
    assert not copies_in([stick])
    later = TOMORROW + timedelta(minutes=5)
    make_copy(Occasion.GAME, state, stick, later)
    assert names(stick) == [f"game-{later:%Y%m%d-%H%M%S}.zip"]


def test_a_damaged_journal_makes_no_copy_and_costs_none(state: Path, stick: Path) -> None:
    make_copy(Occasion.GAME, state, stick, TOMORROW)
    before = bytes_of(stick)
    scribble(state, "UPDATE entry SET body = '{}' WHERE kind = 'input'")
    with pytest.raises(StoreError, match="damaged") as wrong:
        make_copy(Occasion.GAME, state, stick, TOMORROW + timedelta(hours=1))
    assert problem_of(wrong.value) is Problem.OTHER
    assert bytes_of(stick) == before


def test_only_the_folder_in_the_state_folder_is_made(state: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as wrong:
        make_copy(Occasion.GAME, state, tmp_path / "stick", TOMORROW)
    assert problem_of(wrong.value) is Problem.MISSING
    assert make_copy(Occasion.GAME, state, state / COPIES, TOMORROW) is not None


def full(_folder: Path, file: Path) -> None:
    """Fail like a backup on a full disk; a test uses it in place of the backup."""
    raise OutputError(file, "", "cannot be written", "Make room.") from OSError(errno.ENOSPC, "")


def test_the_process_says_by_its_exit_code_what_the_problem_is(
    state: Path, stick: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "nice", lambda _by: 0)
    assert main(["game", str(state), str(stick)]) == 0
    assert main(["game", str(state), str(stick / "nowhere")]) == 3
    monkeypatch.setattr(automatic, "backup", full)
    assert main(["game", str(state), str(stick)]) == 4
    assert "No copy of the games was made" in capsys.readouterr().err
    of_sqlite = StoreError(state, "", "", "")
    of_sqlite.__cause__ = sqlite3.OperationalError("database or disk is full")
    of_sqlite.__cause__.sqlite_errorname = "SQLITE_FULL"
    assert problem_of(of_sqlite) is Problem.FULL


# --- when a copy is made -------------------------------------------------------------------------


class Stand:
    """A fake table that is its own fake copying process; tests set its clock and its open game."""

    def __init__(self) -> None:
        self.game: GameRecord | None = None
        self.now = PLAYED
        self.started: list[Occasion] = []
        self.code: int | None = None  # exit code of the copying process; None while it runs
        self.kills = 0
        self.fault: OSError | None = None

    def start(self, occasion: Occasion, _state: Path, _folder: Path) -> "Stand":
        if self.fault is not None:
            raise self.fault
        self.started.append(occasion)
        self.code = None
        return self

    def poll(self) -> int | None:
        return self.code

    def kill(self) -> None:
        self.kills += 1

    def wait(self, timeout: float) -> int:
        return -9


@pytest.fixture
def stand() -> Stand:
    return Stand()


@pytest.fixture
def copier(stand: Stand) -> Copier:
    folder = Path("state")
    return Copier(folder, folder / COPIES, lambda: stand.game, lambda: stand.now, stand.start)


def played_game(number: int) -> GameRecord:
    return GameRecord(number, start_of()).with_input(Tap(Piece("weight-7")))


def test_a_game_that_ended_is_copied_however_it_ended(stand: Stand, copier: Copier) -> None:
    stand.game = played_game(1)
    assert copier.tend(0) == ()
    stand.game = stand.game.with_input(stand.game.inputs[0])
    copier.tend(1)
    assert stand.started == []
    stand.game = None
    copier.tend(2)
    assert stand.started == [Occasion.GAME]
    stand.code = 0
    stand.game = played_game(9)
    copier.tend(3)
    stand.game = played_game(20)  # the game before it was abandoned
    copier.tend(4)
    assert stand.started == [Occasion.GAME, Occasion.GAME]


def test_a_game_in_which_nobody_played_is_not_copied(stand: Stand, copier: Copier) -> None:
    stand.game = GameRecord(1, start_of())
    copier.tend(0)
    stand.game = None
    copier.tend(1)
    assert stand.started == []


def test_the_day_before_is_looked_at_after_the_start_and_at_midnight(
    stand: Stand, copier: Copier
) -> None:
    copier.tend(100)
    copier.tend(100 + QUIET_S - 1)
    assert stand.started == []
    copier.tend(100 + QUIET_S)
    stand.code = 0
    copier.tend(100 + QUIET_S + 1)
    assert stand.started == [Occasion.DAY]
    stand.now = TOMORROW
    copier.tend(100 + QUIET_S + 2)
    assert stand.started == [Occasion.DAY, Occasion.DAY]


def test_one_copy_is_made_at_a_time_and_none_is_forgotten(stand: Stand, copier: Copier) -> None:
    for second, number in enumerate((1, 9, 17)):
        stand.game = played_game(number)
        copier.tend(second)
    copier.tend(QUIET_S)
    assert stand.started == [Occasion.GAME]
    stand.code = 0
    copier.tend(QUIET_S + 1)
    stand.code = 0
    copier.tend(QUIET_S + 2)
    stand.code = 0
    copier.tend(QUIET_S + 3)
    assert stand.started == [Occasion.GAME, Occasion.GAME, Occasion.DAY]


def test_a_problem_is_told_once_and_again_after_it_went_well(stand: Stand, copier: Copier) -> None:
    told = []
    for number, code in enumerate((3, 3, 4, 0, 4, 77)):
        stand.game = played_game(number + 1)
        copier.tend(10 * number)
        stand.game = None
        copier.tend(10 * number + 1)
        assert copier.tend(10 * number + 2) == ()  # the copy is still being made
        stand.code = code
        told.append(copier.tend(10 * number + 3))
    assert told == [(CopyFailed("missing"),), (), (), (), (CopyFailed("full"),), ()]


def test_a_process_that_cannot_be_started_is_a_problem(stand: Stand, copier: Copier) -> None:
    stand.fault = OSError(errno.ENOMEM, "Cannot allocate memory")
    stand.game = played_game(1)
    copier.tend(0)
    stand.game = None
    assert copier.tend(1) == (CopyFailed("other"),)
    assert copier.tend(2) == ()


def test_a_copy_that_is_being_made_ends_with_the_table(stand: Stand, copier: Copier) -> None:
    stand.game = played_game(1)
    copier.tend(0)
    stand.game = None
    copier.tend(1)
    copier.close()
    copier.close()
    assert stand.kills == 1


def test_the_real_process_makes_a_copy(state: Path) -> None:
    process = start_copy(Occasion.GAME, state, state / COPIES)
    assert process.wait(60) == 0
    (copy,) = copies_in([state / COPIES])
    assert copy.contents is not None
    assert (copy.contents.games, copy.contents.stickers) == (1, 1)


# --- at the table --------------------------------------------------------------------------------


@pytest.fixture
def mat(tmp_path: Path) -> Iterator[Mat]:
    with closing(Mat(load_config(), tmp_path / "mat")) as mat:
        mat.power_on()
        yield mat


@pytest.mark.parametrize(
    ("code", "told"),
    [(3, "Is the stick plugged in?"), (4, "disk is full"), (1, "The game goes on")],
)
def test_the_table_tells_that_there_is_no_copy_and_goes_on(
    mat: Mat, stand: Stand, copier: Copier, code: int, told: str
) -> None:
    mat.running.loop.poll_background = copier.tend
    stand.game = played_game(1)
    mat.wait(1.5)
    stand.game = None
    mat.wait(1.5)
    stand.code = code
    mat.wait(1.5)
    assert mat.view.notice is not None
    assert mat.view.notice.happened == "No copy of the games was made."
    assert told in mat.view.notice.do
    mat.wait(10)
    assert mat.view.notice is None


def test_a_real_table_has_copies_made_where_its_file_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owners: list[object] = []
    monkeypatch.setattr(play_command, "open_computer", lambda: EmulatedBoard(load_config()))
    monkeypatch.setattr(Loop, "run", lambda loop: owners.append(loop.poll_background.__self__))
    stick = tmp_path / "stick"
    play_command.run_table(CONFIG, tmp_path)
    play_command.run_table(replace(CONFIG, copies=stick), tmp_path)
    first, second = owners
    assert isinstance(first, Copier)
    assert isinstance(second, Copier)
    assert (first.folder, second.folder) == (tmp_path / COPIES, stick)


def test_the_file_of_the_table_names_a_folder(tmp_path: Path) -> None:
    table = tmp_path / "table.toml"
    reader = '[readers.play]\nspi = "0.0"\n'
    table.write_text(f'{reader}[copies]\nfolder = "stick/tapmat"\n')
    assert load_config(table).copies == tmp_path / "stick" / "tapmat"
    for wrong, found in (
        ("folder = 3", "copies.folder is 3; it must be a folder"),
        ("path = 'x'", "copies.path is not a known key"),
        ("", "copies.folder is missing"),
    ):
        table.write_text(f"{reader}[copies]\n{wrong}\n")
        with pytest.raises(ConfigError, match=found):
            load_config(table)


# --- restoring -----------------------------------------------------------------------------------


def test_restore_without_a_file_lists_what_can_be_restored(state: Path, stick: Path) -> None:
    config = replace(CONFIG, copies=stick)
    out = io.StringIO()
    assert run_list_copies(config, state, out) == 0
    assert f"There is no automatic copy in {stick} or {state / COPIES} yet." in out.getvalue()
    make_copy(Occasion.DAY, state, state / COPIES, TOMORROW)
    make_copy(Occasion.GAME, state, stick, TOMORROW)
    (stick / "game-20260101-120000.zip").write_bytes(b"half")
    before = bytes_of(state)
    out = io.StringIO()
    run_list_copies(config, state, out)
    text = out.getvalue()
    assert f"In {stick}:\n" in text
    assert f"In {state / COPIES}:\n" in text
    assert f": 1 game, {PLAYS} plays, 1 sticker; last play {PLAYED:%Y-%m-%d}" in text
    assert "game-20260101-120000.zip" in text
    assert "it cannot be read" in text
    assert text.endswith(f"  tapmat journal restore game-{TOMORROW:%Y%m%d-%H%M%S}.zip\n")
    assert bytes_of(state) == before


def test_a_copy_is_restored_by_its_name(state: Path, stick: Path) -> None:
    make_copy(Occasion.DAY, state, stick, TOMORROW)
    play(state, acts=3)
    out = io.StringIO()
    name = Path(f"day-{PLAYED:%Y%m%d}.zip")
    assert run_restore(name, replace(CONFIG, copies=stick), state, out) == 0
    assert f"{stick / name} was restored." in out.getvalue()
    assert len(list(histories(state))) == 1
