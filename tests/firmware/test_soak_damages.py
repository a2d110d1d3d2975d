"""A small run of ``soak_kills``, and tests that it and ``soak_damages`` would notice losses.

Both judge processes by what they show and leave; here they judge made-up results of bad processes.
"""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tests.firmware.damages import KINDS, WAL, Case
from tests.firmware.lives import JOURNAL, Moment, Played, Rows
from tests.firmware.soak_damages import Failed, Start, judge
from tests.firmware.soak_kills import Failed as KillFailed
from tests.firmware.soak_kills import judge as judge_kill

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")

ROWS: Rows = tuple((n, 1, "input" if n > 1 else "start", f'{{"{n}":0}}') for n in range(1, 5))
SHOWN = "play | headline {} | turn Ann | round {}"
MOMENTS = tuple(
    Moment(SHOWN.format(n, n // 2), ROWS[: n + 1], {JOURNAL: b"file", WAL: b"log"})
    for n in range(4)
)
PLAY = Played("straw", ("tap a", "tap b", "tap c"), MOMENTS)
FILES = {JOURNAL: b"file", WAL: b"log?"}
FINE = Start(MOMENTS[3].shown, "Straw goes on.", ROWS, None, "")
TOLD = replace(FINE, said="The journal was damaged. A copy is kept.")
OF_LOG = next(kind for kind in KINDS if kind.loses == "log" and not kind.may_refuse)
OF_NOTHING = next(kind for kind in KINDS if kind.loses == "nothing" and not kind.may_refuse)
OF_PEOPLE = next(kind for kind in KINDS if kind.may_refuse)


@pytest.fixture
def case(tmp_path: Path) -> Case:
    """A folder after a start on damaged files, with a copy of the damaged log."""
    (tmp_path / JOURNAL).write_bytes(b"file")
    (tmp_path / "journal-damaged.sqlite-wal").write_bytes(b"log?")
    return Case(tmp_path, PLAY, 3, PLAY, Random(1))


@pytest.mark.long
def test_a_little_of_the_kills() -> None:
    # In a separate process: only a process without threads may fork.
    command = "-m tests.firmware.soak_kills --kills 6"
    run = subprocess.run(
        [sys.executable, *command.split()], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert "6 kills\n" in run.stdout


def test_there_are_more_than_thirty_kinds_of_damage_of_different_names() -> None:
    assert len({kind.name for kind in KINDS}) == len(KINDS) >= 30


def test_what_is_whole_or_told_with_a_copy_passes(case: Case) -> None:
    assert judge(OF_LOG, case, FILES, FINE, "") == "whole"
    assert judge(OF_LOG, case, FILES, TOLD, "") == "whole, told"
    assert judge(OF_LOG, case, FILES, replace(TOLD, rows=ROWS[:3]), "") == "fewer, told, a copy"


@pytest.mark.parametrize(
    ("start", "failure"),
    [
        (replace(FINE, rows=ROWS[:3]), "LOST"),
        (replace(FINE, rows=()), "LOST"),
        (replace(FINE, said="The list of stickers was damaged.", rows=ROWS[:3]), "LOST"),
        (replace(TOLD, rows=ROWS[:2]), "MORE THAN A ROUND"),
        (replace(TOLD, rows=(*ROWS, (5, 1, "input", "{}"))), "INVENTED"),
        (replace(TOLD, rows=(*ROWS[:3], (4, 1, "input", "{}"))), "INVENTED"),
        (replace(FINE, errors="Traceback (most recent call last):"), "CRASH"),
        (Start(None, "", (), 0, "bye"), "CRASH"),
        (Start(None, "", (), 4, ""), "CRASH"),
        (Start(None, "", (), 4, "It is damaged."), "REFUSED"),
    ],
)
def test_what_must_not_be_fails(case: Case, start: Start, failure: str) -> None:
    with pytest.raises(Failed, match=rf"^{failure}: "):
        judge(OF_LOG, case, FILES, start, "here")


def test_what_is_told_without_a_copy_fails(case: Case) -> None:
    (case.folder / "journal-damaged.sqlite-wal").write_bytes(b"log!")
    with pytest.raises(Failed, match=rf"^NO COPY: .*{WAL}"):
        judge(OF_LOG, case, FILES, replace(TOLD, rows=ROWS[:3]), "here")


def test_a_loss_that_is_told_fails_where_nothing_was_damaged(case: Case) -> None:
    with pytest.raises(Failed, match=r"^LOST: "):
        judge(OF_NOTHING, case, FILES, replace(TOLD, rows=ROWS[:3]), "here")


def test_a_refusal_passes_only_if_a_person_has_to_decide_and_nothing_was_touched(
    case: Case,
) -> None:
    refused = Start(None, "", (), 4, "journal.sqlite is a folder. Move it away.")
    (case.folder / "journal-damaged.sqlite-wal").rename(case.log)
    assert judge(OF_PEOPLE, case, FILES, refused, "") == "refused"
    case.log.write_bytes(b"log!")
    with pytest.raises(Failed, match=r"^REFUSED: .*touched"):
        judge(OF_PEOPLE, case, FILES, refused, "here")


@pytest.mark.parametrize(
    ("shown", "rows", "failure"),
    [
        (1, ROWS[:2], None),
        (2, ROWS[:2], None),
        (2, ROWS[:3], None),  # the act in progress
        (3, ROWS[:2], "2 acts were shown, 1 are there"),
        (1, ROWS[:4], "too many"),
        (2, (*ROWS[:3], ROWS[2]), "entries that were not written"),
        (1, (), "all of it is lost"),
    ],
)
def test_after_a_kill_just_what_was_shown_is_there_and_the_act_in_flight(
    shown: int, rows: Rows, failure: str | None
) -> None:
    lines = [moment.shown for moment in MOMENTS[:shown]]
    if failure is None:
        assert judge_kill(PLAY, None, lines, rows, "") == len(rows) - 1
        return
    with pytest.raises(KillFailed, match=failure):
        judge_kill(PLAY, None, lines, rows, "here")


def test_after_a_kill_the_next_process_shows_what_the_one_before_did() -> None:
    with pytest.raises(KillFailed, match="shown"):
        judge_kill(PLAY, 2, [MOMENTS[1].shown], ROWS[:3], "here")
