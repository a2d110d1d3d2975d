"""The commands of ``tapmat hall``, without a broker."""

import asyncio
import csv
import io
import re
from pathlib import Path

import pytest

from firmware.commands.hall import (
    run_add_table,
    run_export,
    run_revoke,
    run_stats,
    run_tables,
)
from firmware.commands.hall import run_setup as setup
from firmware.commands.hall_table import CannotJoin, run_join, run_leave, run_send
from firmware.commands.hall_tournament import PlayersError, run_next, run_result, run_show
from firmware.commands.hall_tournament import run_start as start_tournament
from firmware.common.errors import ConfigError, OutputError, TapmatError
from firmware.common.state_path import HALL_CREDENTIAL
from firmware.hall.broker_files import BadHost
from firmware.hall.credentials import claim
from firmware.hall.journal_rows import JournalRows
from firmware.hall.messages import EntryBatch, OutboxName
from firmware.hall.settings import NoHallError, load_hall
from firmware.hall.sqlite_store import SqliteStore
from firmware.hall.tournament import TournamentError
from tests.firmware.archive.kept import play


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a hall."""
    place = tmp_path / "hall"
    assert setup(place, "192.0.2.7", None, True, io.StringIO()) == 0
    return place


def store_games(folder: Path, state: Path, table: str, branch: int = 0) -> None:
    """Store the journal in *state* as *table*'s."""

    async def run() -> None:
        store = SqliteStore(folder / "hall.sqlite")
        rows = JournalRows(state)
        name = OutboxName(table, rows.name() or "", branch)
        await store.save([EntryBatch(name, 0, tuple(rows.after(0, 10**6)))], 1.0)
        await store.close()

    asyncio.run(run())


def test_a_hall_is_set_up_once(folder: Path) -> None:
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    assert setup(folder, "192.0.2.8", 99, True, io.StringIO()) == 0
    assert {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()} == before
    settings = load_hall(folder)
    assert (settings.broker.host, settings.broker.port, settings.broker.user) == (
        *("192.0.2.7", 1883, "hall"),
    )


def test_settings_that_are_wrong_are_explained(folder: Path, tmp_path: Path) -> None:
    file = folder / "hall.toml"
    for wrong, why in (
        ("[store]", "broker is missing"),
        ('[broker]\nhost = "a"\nport = 0', "port from 1 to 65535"),
        ('[broker]\nhost = "a"\n[board]\nlanguage = "xx"', "language"),
        ('[broker]\nhost = "a"\n[bord]', "bord"),
    ):
        file.write_text(wrong, encoding="utf-8")
        with pytest.raises(ConfigError, match=why):
            load_hall(folder)
    with pytest.raises(NoHallError, match="tapmat hall setup"):
        load_hall(tmp_path)


def test_tables_are_added_listed_and_revoked(folder: Path) -> None:
    for name in ("window", "door"):
        out = io.StringIO()
        assert run_add_table(folder, name, out) == 0
        assert "tapmat hall join http://" in out.getvalue()
    out = io.StringIO()
    run_tables(folder, out)
    assert out.getvalue() == "door\nwindow\n"
    run_revoke(folder, "door", io.StringIO())
    out = io.StringIO()
    run_tables(folder, out)
    assert out.getvalue() == "window\n"
    assert "door" not in (folder / "mosquitto.passwd").read_text("utf-8")
    assert "door" not in (folder / "nats-users.conf").read_text("utf-8")


def test_a_table_joins_by_a_file_and_leaves(folder: Path, tmp_path: Path) -> None:
    out, state = io.StringIO(), tmp_path / "state"
    run_add_table(folder, "window", out)
    code = out.getvalue().partition("/join/")[2].split()[0]
    file = tmp_path / "hall.json"
    file.write_text(claim(folder, code) or "", encoding="utf-8")
    out = io.StringIO()
    assert run_join(str(file), state, out) == 0
    assert "table window of the hall at 192.0.2.7" in out.getvalue()
    assert (state / HALL_CREDENTIAL).stat().st_mode & 0o077 == 0
    assert run_leave(state, io.StringIO()) == 0
    assert run_leave(state, io.StringIO()) == 1
    assert not (state / HALL_CREDENTIAL).exists()
    for wrong, why in (
        ("http://127.0.0.1:9/join/abc", "does not answer at http://127.0.0.1:9/join/abc"),
        ("127.0.0.1:9/join/abc", "does not answer at http://127.0.0.1:9/join/abc"),
        ("http://127.0.0.1:9/", "neither an address .* nor a file"),
    ):
        with pytest.raises(CannotJoin, match=why):
            run_join(wrong, state)
    with pytest.raises(CannotJoin, match="tapmat hall join ADDRESS"):
        run_send(state, is_child=False)


@pytest.mark.parametrize("host", ["999.1.1.1", "http://127.0.0.1", "not a host!", ""])
def test_what_is_no_host_is_refused_and_leaves_nothing(tmp_path: Path, host: str) -> None:
    with pytest.raises(BadHost, match="no host name or IP address"):
        setup(tmp_path / "hall", host, None, False, io.StringIO())
    assert not (tmp_path / "hall").exists()


def test_results_of_all_tables_are_exported_once(folder: Path, tmp_path: Path) -> None:
    for table in ("one", "two"):
        state = tmp_path / table
        state.mkdir()
        play(state)
        store_games(folder, state, table)
    store_games(folder, state, "two", branch=1)
    out = io.StringIO()
    run_export(folder, Path("-"), out)
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert [(row["table"], row["name"]) for row in rows] == [
        *(("one", "Ann"), ("one", "Ben"), ("two", "Ann"), ("two", "Ben")),
    ]
    out = io.StringIO()
    run_stats(folder, False, out)
    assert "Straw: 2 over" in out.getvalue()
    file = tmp_path / "games.csv"
    assert run_export(folder, file) == 0
    assert len(file.read_text("utf-8-sig").splitlines()) == 5
    with pytest.raises(OutputError):
        run_export(folder, file)


def test_a_tournament_has_names_as_the_tables_write_them(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_add_table(folder, "window", io.StringIO())
    players = tmp_path / "players.txt"
    for names, why in (
        ("Ann\nSøren", "there is no 'ø'"),
        ("Ann\nAnn-Marie O'Neil", "more than 10 letters"),
        ("Ann\nB\x07n", "there is no"),
        ("ann\nAnn", "twice"),
    ):
        players.write_text(names, encoding="utf-8")
        with pytest.raises(TapmatError, match=why):
            start_tournament(folder, "Cup", "straw", players, "swiss", 0)
    players.write_bytes("Jörg".encode("latin-1"))
    with pytest.raises(PlayersError, match="Save it as UTF-8"):
        start_tournament(folder, "Cup", "straw", players, "swiss", 0)
    players.write_text("ann-marie\nJÖRG", encoding="utf-8")
    assert start_tournament(folder, "Cup", "straw", players, "swiss", 0) == 0
    assert "Ann-Marie - Jörg" in capsys.readouterr().out


def test_a_tournament_is_held_by_hand(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    players = tmp_path / "players.txt"
    players.write_text("Ann\n\nBen\nCem\n", encoding="utf-8")
    run_add_table(folder, "window", io.StringIO())
    with pytest.raises(TournamentError, match="There is no tournament"):
        run_show(folder)
    with pytest.raises(TournamentError, match="3 rounds at most"):
        start_tournament(folder, "Cup", "straw", players, "swiss", 9)
    assert start_tournament(folder, "Cup", "straw", players, "round-robin", 0) == 0
    assert "Cup: round 1 of 3" in capsys.readouterr().out
    with pytest.raises(TournamentError, match="is not over"):
        start_tournament(folder, "Cup 2", "straw", players, "swiss", 0)
    with pytest.raises(TournamentError, match="no result yet: "):
        run_next(folder)
    for pair in (("Ben", "Cem"), ("Ann", "Cem"), ("Ann", "Ben")):
        for names in (pair, pair[::-1]):
            try:
                run_result(folder, names, is_draw=False)
            except TournamentError:
                continue
        if pair != ("Ann", "Ben"):
            run_next(folder)
    out = io.StringIO()
    run_show(folder, True, out)
    assert out.getvalue().splitlines()[0] == "place,name,points,opponents_points,games"
    out = io.StringIO()
    run_show(folder, out=out)
    assert re.search(r"(Ann - Ben: Ann has won|Ben - Ann: Ben has won)", out.getvalue())
    with pytest.raises(PlayersError):
        start_tournament(folder, "Cup", "straw", tmp_path / "missing", "swiss", 0)
