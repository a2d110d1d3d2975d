"""``tapmat journal list``, ``show`` and ``verify``."""

import io
import json
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from engines.common.contract import Tap
from engines.common.pieces import Piece
from firmware.archive.copies import backup
from firmware.archive.past import ARCHIVE, histories, history_of, replay
from firmware.boxes.register import TagRegister
from firmware.commands import cli, options
from firmware.commands.journal import run_list, run_show, run_stats, run_verify
from firmware.common.errors import JournalError, StoreError, UnknownNumber
from firmware.journal.journal import Journal
from firmware.runtime.controller import JOURNAL, REGISTER
from tests.firmware.archive.kept import CONFIG, bytes_of, play, scribble, start_of
from tests.sim.known_game import GAME

pytestmark = pytest.mark.usefixtures("in_budapest")


def listed(folder: Path, count: int | None = 20) -> str:
    out = io.StringIO()
    assert run_list(CONFIG, folder, count, False, out) == options.EXIT_OK
    return out.getvalue()


def listed_json(folder: Path) -> list[dict[str, object]]:
    out = io.StringIO()
    run_list(CONFIG, folder, None, True, out)
    shape: list[dict[str, object]] = json.loads(out.getvalue())
    return shape


def shown(folder: Path, number: int) -> str:
    out = io.StringIO()
    assert run_show(number, CONFIG, folder, False, out) == options.EXIT_OK
    return out.getvalue()


def verified(folder: Path) -> tuple[int, str]:
    out = io.StringIO()
    code = run_verify(folder, out)
    return code, " ".join(out.getvalue().split())


# --- list ----------------------------------------------------------------------------------------


def test_an_empty_journal_is_no_fault(tmp_path: Path) -> None:
    assert listed(tmp_path) == "No game was played yet.\n"
    assert listed_json(tmp_path) == []
    assert verified(tmp_path)[0] == options.EXIT_OK
    assert not (tmp_path / JOURNAL).exists()
    with pytest.raises(UnknownNumber, match="There is no game 1: no game was played yet"):
        shown(tmp_path, 1)


def test_the_list_tells_who_played_when_and_who_won(tmp_path: Path) -> None:
    play(tmp_path)
    (line,) = [line for line in listed(tmp_path).splitlines() if "Straw" in line]
    # The plays that count: all acts except undone ones and the undos. Local time is UTC + 1 h in
    # March.
    undone = sum(act.kind == "undo" for act in GAME)
    assert "2026-03-01 19:30" in line
    assert [word for word in line.split() if word not in ("2026-03-01", "19:30")] == [
        "1", "Straw", "Ann,", "Ben", str(len(GAME) - 2 * undone), "over", "Ann",
    ]  # fmt: skip


def test_only_the_last_games_are_listed(tmp_path: Path) -> None:
    numbers = [play(tmp_path, acts=2) for _ in range(3)]
    last = listed(tmp_path, count=2)
    assert [n for n in numbers if f" {n}   Straw" in last] == numbers[1:]
    assert [line["ended"] for line in listed_json(tmp_path)] == ["abandoned", "abandoned", "open"]


def test_a_table_may_be_playing_meanwhile(tmp_path: Path) -> None:
    number = play(tmp_path, acts=3)
    with closing(Journal(tmp_path / JOURNAL)) as journal:
        before = bytes_of(tmp_path)
        assert "open" in listed(tmp_path)
        assert "the Lamp" in shown(tmp_path, number)
        assert verified(tmp_path)[0] == options.EXIT_OK
        assert bytes_of(tmp_path) == before
        journal.undo()
        assert "(taken back)" in shown(tmp_path, number)


def test_names_stand_as_they_are(tmp_path: Path) -> None:
    number = play(tmp_path, names=("A<b>&", "[red]B"))
    assert "A<b>&, [red]B" in listed(tmp_path)
    assert "Players: A<b>&, [red]B; [red]B dealt." in shown(tmp_path, number)


# --- show ----------------------------------------------------------------------------------------


def test_every_play_is_shown_with_who_what_and_total(tmp_path: Path) -> None:
    number = play(tmp_path)
    out = io.StringIO()
    run_show(number, CONFIG, tmp_path, True, out)
    shape = json.loads(out.getvalue())
    plays = [act for act in GAME if act.kind == "input"]
    assert len(shape["plays"]) == len(plays)
    assert [p["total"] for p in shape["plays"]] == [act.shown[1] for act in plays]
    assert shape["plays"][0] == {
        "at": "2026-03-01T18:30:01.000+00:00", "who": "Ann", "what": "the 10", "total": "10",
        "said": "10. Ben to play.", "undone": False,
    }  # fmt: skip
    assert shape["plays"][3]["what"] == "7"  # the Lamp counts as a 7
    assert sum(p["undone"] for p in shape["plays"]) == len(GAME) - len(plays)
    assert (shape["ended"], shape["winners"]) == ("over", ["Ann"])
    text = shown(tmp_path, number)
    assert text.count("(taken back)") == len(GAME) - len(plays)
    assert "next round" in text
    assert text.endswith("The game is over, won by Ann.\n")


def test_the_nearest_number_is_named(tmp_path: Path) -> None:
    first, second = play(tmp_path, acts=5), play(tmp_path, acts=5)
    with pytest.raises(UnknownNumber, match=f"The nearest is {second};"):
        shown(tmp_path, second + 100)
    with pytest.raises(UnknownNumber, match=f"The nearest is {first};"):
        shown(tmp_path, first + 1)


# --- verify --------------------------------------------------------------------------------------


def test_verify_plays_every_game_again(tmp_path: Path) -> None:
    play(tmp_path)
    play(tmp_path, acts=4)
    with closing(TagRegister(tmp_path / REGISTER)):
        pass
    code, text = verified(tmp_path)
    assert code == options.EXIT_OK
    assert f"2 can be played again, {sum(a.kind == 'input' for a in GAME) + 4} plays" in text
    assert "(1 open, 1 over)" in text


def test_verify_names_each_game_that_the_rules_refuse(tmp_path: Path) -> None:
    with closing(Journal(tmp_path / JOURNAL)) as journal:
        number = journal.begin(start_of()).number
        journal.append(Tap(Piece("straw")))  # illegal: Straw needs a weight of 50
        journal.begin(start_of())
    code, text = verified(tmp_path)
    assert code == options.EXIT_FAILED
    assert f"game {number} entry {number + 1} is refused by the installed rules of straw" in text
    assert "install the version of straw with which it was played" in text
    assert "1 can be played again" in text
    assert "cannot be read: tapmat journal verify says why." in listed(tmp_path)
    with pytest.raises(JournalError, match="is refused by the installed rules of straw"):
        replay(history_of(tmp_path, number))


def test_a_game_that_is_not_installed_can_be_listed(tmp_path: Path) -> None:
    number = play(tmp_path, acts=1)
    history = history_of(tmp_path, number)
    with pytest.raises(JournalError, match="is a game of straw, which is not installed"):
        replay(history, {})


DAMAGES = {
    "no JSON": "UPDATE entry SET body = '{' WHERE seq = 2",
    "no object": "UPDATE entry SET body = '7' WHERE seq = 2",
    "no input": """UPDATE entry SET body = '{"dance":1}' WHERE seq = 2""",
    "no number": "UPDATE entry SET body = x'00ff' WHERE seq = 2",
    "no kind": "UPDATE entry SET kind = 'dance' WHERE seq = 2",
    "no start": "DELETE FROM entry WHERE seq = 1",
    "no players": """UPDATE entry SET body = '{"game":"straw"}' WHERE seq = 1""",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_game_is_named_and_the_others_are_read(damage: str, tmp_path: Path) -> None:
    play(tmp_path, acts=4)
    good = play(tmp_path, acts=4)
    scribble(tmp_path, DAMAGES[damage])
    code, text = verified(tmp_path)
    assert code == options.EXIT_FAILED
    assert "FAIL" in text
    assert f" {good}   Straw" in listed(tmp_path)
    assert "cannot be read: tapmat journal verify says why." in listed(tmp_path)
    assert "The game is open." in shown(tmp_path, good)


@pytest.mark.parametrize("name", [JOURNAL, REGISTER, ARCHIVE])
def test_a_file_that_is_damaged_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"no SQLite file, but long enough to be taken for one" * 40)
    code, text = verified(tmp_path)
    assert code == options.EXIT_FAILED
    assert name in text
    assert "damaged" in text


def test_a_damaged_archive_comes_with_a_remedy_that_helps(tmp_path: Path) -> None:
    """The table cannot repair an archive. Once it is moved away, the journal can be read again."""
    archive = tmp_path / ARCHIVE
    archive.write_bytes(b"no SQLite file, but long enough to be taken for one" * 40)
    _code, text = verified(tmp_path)
    assert "Move it to another folder" in " ".join(text.split())
    for look in (lambda: list(histories(tmp_path)), lambda: backup(tmp_path, tmp_path / "b.zip")):
        with pytest.raises(StoreError, match="Move it to another folder"):
            look()
    archive.unlink()
    assert list(histories(tmp_path)) == []


def test_an_unknown_number_is_told_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play(tmp_path, acts=1)
    monkeypatch.setattr(sys, "argv", ["tapmat", "journal", "show", "7", "--state", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == options.EXIT_BAD_INPUT
    assert capsys.readouterr().err == (
        "There is no game 7. The nearest is 1; tapmat journal list shows them all.\n"
    )


@pytest.mark.parametrize(("name", "command"), [("list", run_list), ("stats", run_stats)])
def test_games_of_the_virtual_table_are_told_where_there_are_no_others(
    tmp_path: Path, name: str, command: Callable[..., int]
) -> None:
    state = tmp_path / "my state"
    emulated = state / options.SIM
    emulated.mkdir(parents=True)
    play(emulated)
    out = io.StringIO()
    assert command(CONFIG, state, None, False, out) == options.EXIT_OK
    assert out.getvalue() == (
        "No game was played on the mat yet, but the virtual table has 1 game.\nTo see them:\n"
        f"  tapmat journal {name} --state '{emulated}'\n"
    )
