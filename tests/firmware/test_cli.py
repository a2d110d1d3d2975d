"""Bad input to the command line ends in one helpful message, an exit code, and no lost data."""

import io
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import EntryPoints
from pathlib import Path

import pytest

from engines.straw import GAME
from firmware.boxes.decks import load_deck
from firmware.commands import cli, doctor, play, stand_ins
from firmware.config.table_config import DEFAULT_TABLE_TOML, TableConfig, load_config
from firmware.journal.journal import VERSION, GameStart, Journal
from firmware.journal.log_file import LOG, REPORT, read_saved_file
from hardware.drivers.pi import PiBoard
from sim.mat.board import EmulatedBoard

DECK_TOML = Path(__file__).parents[2] / "engines" / "straw" / "deck.toml"
BAD_INPUT, MISSING_PART, STATE = 2, 3, 4


@dataclass(frozen=True, slots=True)
class Ended:
    """The result of a run of ``tapmat``: its exit code and output."""

    code: int
    out: str
    err: str

    @property
    def message(self) -> str:
        """The one line on stderr that says what is wrong."""
        assert self.out == ""
        assert "Traceback" not in self.err
        (line,) = self.err.splitlines()
        return line


Tapmat = Callable[..., Ended]


def can_mount() -> bool:
    """Return True if this user may mount a file system in a separate namespace."""
    if sys.platform != "linux":
        return False
    command = ("unshare", "--mount", "true")
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


@pytest.fixture
def tapmat(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Tapmat:
    """A function that runs ``tapmat`` with arguments, in an empty folder and without any input."""

    def run(*words: str | Path) -> Ended:
        monkeypatch.setattr(sys, "argv", ["tapmat", *map(str, words)])
        monkeypatch.setattr(sys, "stdin", io.StringIO())
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, *capsys.readouterr())

    monkeypatch.chdir(tmp_path)
    return run


def written(name: str, text: str) -> Path:
    """Write *text* to the file *name* in the current folder, and return its path."""
    file = Path(name)
    file.write_text(text, encoding="utf-8")
    return file


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Return the contents of every file in *folder* by path."""
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def begun_game(folder: Path) -> Journal:
    """Return an open journal in *folder*, with a game of Straw begun."""
    folder.mkdir(exist_ok=True)
    journal = Journal(folder / "journal.sqlite")
    journal.begin(GameStart("straw", ("Ann", "Ben"), 1, {}, load_deck(GAME)))
    return journal


# --- table.toml ----------------------------------------------------------------------------------


def test_a_table_that_is_no_toml_names_the_line(tapmat: Tapmat) -> None:
    table = written("table.toml", '[table]\nlanguage = "en"\n[readers.play\nspi = "0.0"\n')
    ended = tapmat("play", "--sim", "--table", table, "--state", "state")
    assert ended.code == BAD_INPUT
    assert ended.message.startswith("table.toml: line 3 is not valid TOML: Expected ']'")
    assert ended.message.endswith("Correct this line: [readers.play")
    assert not Path("state").exists()


def test_an_unknown_key_names_file_key_and_the_line_to_write(tapmat: Tapmat) -> None:
    table = written("table.toml", '[readers.play]\nspi = "0.0"\nrest_pin = 25\n')
    ended = tapmat("rehearse", "x.mat", "--table", table)
    assert ended.code == BAD_INPUT
    assert ended.message == (
        "table.toml: readers.play.rest_pin is not a known key. "
        'Did you mean "reset_pin"? Write: reset_pin = 25'
    )


def test_a_pin_that_a_bus_owns_is_refused_with_a_free_one(tapmat: Tapmat) -> None:
    table = written("table.toml", '[readers.play]\nspi = "0.0"\nreset_pin = 9\n')
    ended = tapmat("play", "--table", table)
    assert ended.code == BAD_INPUT
    assert ended.message.startswith("table.toml: readers.play.reset_pin is 9, which SPI0 uses")
    assert "reset_pin = 4" in ended.message


def test_a_table_that_is_not_there_is_said_so(tapmat: Tapmat) -> None:
    ended = tapmat("pieces", "straw", "--table", "tabel.toml")
    assert ended.code == BAD_INPUT
    assert ended.message == "tabel.toml does not exist. Check the path, or write the file."


# --- decks and games -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", [("pieces", "straw"), ("play", "--sim"), ("play",), ("rehearse", "x.mat")]
)
def test_a_deck_with_a_wrong_count_says_what_it_adds_up_to(
    tapmat: Tapmat, command: tuple[str, ...]
) -> None:
    written("box.toml", DECK_TOML.read_text("utf-8").replace("count = 4", "count = 5", 1))
    table = written("table.toml", '[readers.play]\nspi = "0.0"\n[decks]\nstraw = "box.toml"\n')
    written("x.mat", "game straw\n")
    state = Path("state")
    begun_game(state).close()
    before = bytes_of(state)
    with_state = () if command[0] == "pieces" else ("--state", "state")
    ended = tapmat(*command, "--table", table, *with_state)
    assert ended.code == BAD_INPUT
    assert ended.message == (
        "box.toml: total is 64, but the counts of all kinds add up to 65. Count the box: "
        "if it holds 65, write total = 65; if it holds 64, correct the count that is wrong."
    )
    after = bytes_of(state)
    assert {name: after[name] for name in before} == before


def test_an_unknown_game_names_the_nearest(tapmat: Tapmat) -> None:
    ended = tapmat("pieces", "strow")
    assert ended.code == BAD_INPUT
    assert ended.message.startswith('There is no game "strow". The installed games are: ')
    assert ended.message.endswith('Did you mean "straw"?')


def test_an_unknown_game_to_begin_with_names_the_nearest(tapmat: Tapmat) -> None:
    ended = tapmat("play", "--sim", "--state", "state", "--game", "strow")
    assert ended.code == BAD_INPUT
    assert ended.message.startswith('--game: there is no game "strow" here. Did you mean "straw"?')


# --- rehearsals ----------------------------------------------------------------------------------


def test_a_rehearsal_with_a_typo_names_file_line_and_the_nearest_verb(tapmat: Tapmat) -> None:
    rehearsal = written("x.mat", "game straw\nplayers Ann Ben\nstrat\n")
    ended = tapmat("rehearse", rehearsal)
    assert ended.code == BAD_INPUT
    assert ended.message.startswith('x.mat:3: "strat" is not a verb. Did you mean "start"? It can')


def test_a_rehearsal_that_cannot_be_played_names_the_line(tapmat: Tapmat) -> None:
    rehearsal = written("x.mat", "game straw\nplayers Ann Ben\nstart\nchoose 3\n")
    ended = tapmat("rehearse", rehearsal)
    assert ended.code == BAD_INPUT
    assert ended.message.startswith("x.mat:4: the display shows no list now. It shows: Lay a card")


def test_a_rehearsal_that_is_not_there_is_said_so(tapmat: Tapmat) -> None:
    ended = tapmat("rehearse", "y.mat")
    assert ended.code == BAD_INPUT
    assert ended.message.startswith("y.mat: ")
    assert ended.message.endswith("Give the path of a rehearsal, which is a text file of verbs")


def test_programs_are_told_of_it_in_json(tapmat: Tapmat) -> None:
    ended = tapmat("rehearse", "y.mat", "--json")
    assert (ended.code, ended.err) == (BAD_INPUT, "")
    (report,) = json.loads(ended.out)
    assert (report["file"], report["ok"]) == ("y.mat", False)
    assert report["error"].endswith("Give the path of a rehearsal, which is a text file of verbs")


# --- the state folder ----------------------------------------------------------------------------


@pytest.mark.parametrize("command", [("play", "--sim"), ("play",)], ids=["sim", "real"])
def test_a_journal_of_a_newer_version_is_left_as_it_is(
    tapmat: Tapmat, command: tuple[str, ...]
) -> None:
    state = Path("state")
    begun_game(state).close()
    with closing(sqlite3.connect(state / "journal.sqlite")) as newer:
        newer.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = bytes_of(state)
    ended = tapmat(*command, "--state", state)
    assert ended.code == STATE
    assert ended.message == (
        f"{state / 'journal.sqlite'} has schema version {VERSION + 1}; this tapmat knows versions "
        f"up to {VERSION}. Update tapmat to use it. The file was not changed."
    )
    after = bytes_of(state)
    assert {name: after[name] for name in before} == before


def test_a_journal_that_is_no_database_is_put_aside_as_it_is(tapmat: Tapmat) -> None:
    state = Path("state")
    state.mkdir()
    journal = state / "journal.sqlite"
    journal.write_bytes(b"no journal at all, " * 100)
    before = journal.read_bytes()
    ended = tapmat("play", "--sim", "--state", state)
    assert ended.code == 0
    assert "The journal was damaged. A copy is kept." in ended.out
    (copy,) = state.glob("journal-damaged-*.sqlite")
    assert copy.read_bytes() == before


@pytest.mark.parametrize("folder", ["diary", "diary/state"])
def test_a_file_where_the_state_folder_should_be_is_kept(tapmat: Tapmat, folder: str) -> None:
    diary = written("diary", "dear diary")
    ended = tapmat("play", "--sim", "--state", folder)
    assert ended.code == STATE
    assert ended.message == (
        f"{Path(folder)} cannot be the state folder: diary is not a folder. "
        "Make it a folder you may write to, or name another one in TAPMAT_STATE."
    )
    assert diary.read_text("utf-8") == "dear diary"


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root reads it all")
def test_a_state_folder_that_may_not_be_read_is_said_so(tapmat: Tapmat) -> None:
    state = Path("state")
    state.mkdir(mode=0)
    try:
        ended = tapmat("play", "--sim", "--state", state)
    finally:
        state.chmod(0o700)
    assert ended.code == STATE
    assert ended.message.startswith("state cannot be the state folder: ")


@pytest.mark.skipif(not can_mount(), reason="only root may mount a file system")
@pytest.mark.parametrize("name", ["", "new"])
def test_a_state_folder_on_a_disk_that_can_only_be_read_is_told_as_that(
    tmp_path: Path, name: str
) -> None:
    mount = f"mount -t tmpfs -o ro none {tmp_path}"
    command = f"{sys.executable} -m firmware.commands.cli journal list --state {tmp_path / name}"
    ended = subprocess.run(
        ("unshare", "--mount", "sh", "-c", f"{mount} && {command}"),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "400"},
    )
    assert ended.returncode == STATE
    assert "is on a read-only file system" in ended.stderr
    assert "disk or memory card, and use a new one" in ended.stderr


@pytest.mark.parametrize("command", [("play", "--sim"), ("play",)], ids=["sim", "real"])
def test_a_second_table_on_one_state_folder_is_turned_away(
    tapmat: Tapmat, command: tuple[str, ...]
) -> None:
    """The second one is refused, and the first table can still write its journal."""
    state = Path("state")
    first = begun_game(state)
    try:
        ended = tapmat(*command, "--state", state)
        assert ended.code == STATE
        assert ended.message == (
            "state is in use: another tapmat is using this state folder. "
            "Stop it, or use another state folder (--state)."
        )
        first.end("over")
        assert [entry.kind for entry in first.entries()] == ["start", "end"]
    finally:
        first.close()


# --- the parts -----------------------------------------------------------------------------------


def test_a_computer_without_pins_or_buses_is_told_which_part_and_what_to_do(
    tapmat: Tapmat, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(play, "open_computer", lambda: PiBoard(tmp_path))
    ended = tapmat("play", "--state", "state", "--table", DEFAULT_TABLE_TOML)
    assert ended.code == MISSING_PART
    assert ended.message.startswith(("GPIO pins: ", "SPI: "))
    assert ended.message.endswith(
        "This computer is not a Raspberry Pi; to use emulated parts, add: --sim"
    )


def test_a_missing_bus_is_named_with_its_device(
    tapmat: Tapmat, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(play, "open_computer", lambda: PiBoard(tmp_path))
    table = written("table.toml", '[readers.play]\nspi = "0.1"\n')
    ended = tapmat("play", "--state", "state", "--table", table)
    assert ended.code == MISSING_PART
    assert ended.message.startswith("SPI: /dev/spidev0.1 is not there. ")


def test_a_game_goes_on_after_a_start_that_failed_for_want_of_a_part(
    tapmat: Tapmat, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    state = Path("state")
    begun_game(state).close()
    monkeypatch.setattr(play, "open_computer", lambda: PiBoard(tmp_path))
    assert tapmat("play", "--state", state).code == MISSING_PART
    ended = tapmat("play", "--sim", "--state", state)
    assert ended.code == 0
    assert "said en 'Straw goes on. 0. Lay a card, then draw one.'" in ended.out


# --- the doctor ----------------------------------------------------------------------------------


def test_the_doctor_says_that_an_emulated_table_is_well(tapmat: Tapmat) -> None:
    ended = tapmat("doctor", "--sim", "--state", "state")
    assert (ended.code, ended.err) == (0, "")
    checks, _, _ = ended.out.partition("Counts")
    verdicts = [line.split()[0] for line in checks.splitlines() if line[:1].strip()]
    assert set(verdicts) == {"OK", "SKIP"}
    assert ended.out.splitlines()[-1].startswith("Verdict: OK (")
    assert "MFRC522 version 2.0 (92h)" in ended.out


def test_the_doctor_tells_programs_in_json(tapmat: Tapmat) -> None:
    ended = tapmat("doctor", "--sim", "--state", "state", "--json")
    report = json.loads(ended.out)
    assert (ended.code, report["verdict"]) == (0, "SKIP")
    assert report["counts"]["run"]["reader play"] == {"polls": 200}
    parts = [found["part"] for found in report["findings"]]
    assert parts[:3] == ["table", "computer", "python"]
    assert parts[-2:] == ["speech", "by hand"]
    assert {tuple(found) for found in report["findings"]} == {
        ("part", "verdict", "found", "remedy")
    }


def test_the_emulated_doctor_looks_where_the_emulated_table_plays(
    tapmat: Tapmat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAPMAT_STATE", "state")
    assert tapmat("play", "--sim").code == 0
    report = json.loads(tapmat("doctor", "--sim", "--json").out)
    assert report["counts"]["journal"]["reader play"]["polls"] > 0
    (folder,) = (f for f in report["findings"] if f["part"] == "state folder")
    assert folder["found"] == str(Path("state") / "sim")


def test_the_doctor_leaves_a_table_that_is_running_alone(tapmat: Tapmat) -> None:
    with closing(begun_game(Path("state"))) as running:
        running.note_health({"display": {"lost": 2, "re-init": 2}})
        ended = tapmat("doctor", "--sim", "--state", "state", "--json")
        report = json.loads(ended.out)
        assert (ended.code, report["verdict"]) == (0, "WARN")
        assert report["counts"] == {
            "run": {},
            "journal": {"display": {"lost": 2, "re-init": 2}},
        }
        running.end("over")


def test_the_doctor_on_a_computer_without_the_parts_says_which_is_missing(
    tapmat: Tapmat, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(doctor, "open_computer", lambda: PiBoard(tmp_path))
    ended = tapmat("doctor", "--state", "state", "--json", "--quick")
    assert (ended.code, ended.err) == (MISSING_PART, "")
    failed = [f for f in json.loads(ended.out)["findings"] if f["verdict"] == "FAIL"]
    assert "I2C" in [finding["part"] for finding in failed]
    assert all(finding["remedy"].endswith("add: --sim") for finding in failed)


def test_the_installers_trial_is_well_on_a_fresh_computer(
    tapmat: Tapmat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAPMAT_STATE", "fresh")
    monkeypatch.setenv("PATH", "")
    ended = tapmat("doctor", "--sim", "--quick", "--json")
    assert (ended.code, ended.err) == (0, "")
    report = json.loads(ended.out)
    assert report["verdict"] == "SKIP"
    assert {f["verdict"] for f in report["findings"]} == {"OK", "SKIP"}
    assert report["counts"]["run"]["reader play"] == {"polls": 10}


def dead_reader(board: EmulatedBoard) -> None:
    board.readers["play"].cut(0x00)


def slow_bus(board: EmulatedBoard) -> None:
    board.i2c_bus.clock_hz = 100_000


def busy_pin(board: EmulatedBoard) -> None:
    board.pins.pin(16).is_held = True


@pytest.mark.parametrize(
    ("fault", "part", "verdict", "code"),
    [
        (slow_bus, "display", "WARN", 0),
        (dead_reader, "reader play", "FAIL", 1),
        (busy_pin, "lamp seat-1 on GPIO16", "FAIL", MISSING_PART),
    ],
)
def test_the_doctor_ends_with_what_the_worst_finding_deserves(
    tapmat: Tapmat,
    monkeypatch: pytest.MonkeyPatch,
    fault: Callable[[EmulatedBoard], None],
    part: str,
    verdict: str,
    code: int,
) -> None:
    def broken(config: TableConfig) -> EmulatedBoard:
        board = EmulatedBoard(config)
        fault(board)
        return board

    monkeypatch.setattr(doctor, "stand_in", lambda _group: broken)
    ended = tapmat("doctor", "--sim", "--quick", "--state", "state", "--json")
    assert (ended.code, ended.err) == (code, "")
    findings = json.loads(ended.out)["findings"]
    assert [f["part"] for f in findings if f["verdict"] in ("WARN", "FAIL")] == [part]
    assert [f["verdict"] for f in findings if f["part"] == part][-1] == verdict


def test_nobody_is_asked_without_a_terminal(
    tapmat: Tapmat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "open_computer", lambda: EmulatedBoard(load_config()))
    ended = tapmat("doctor", "--state", "state", "--json")
    findings = json.loads(ended.out)["findings"]
    assert findings[-1]["part"] == "by hand"
    assert findings[-1]["verdict"] == "SKIP"
    assert findings[-1]["found"].startswith("not checked: tags, the display's pattern, lamps")


def test_a_doctor_who_finds_a_fault_ends_with_1(tapmat: Tapmat) -> None:
    Path("state").mkdir()
    written("state/journal.sqlite", "no journal at all, " * 100)
    ended = tapmat("doctor", "--sim", "--state", "state")
    assert (ended.code, ended.err) == (1, "")
    assert "FAIL" in ended.out


def test_the_doctor_too_refuses_a_file_that_is_not_a_table(tapmat: Tapmat) -> None:
    written("table.toml", "[readers.play\n")
    ended = tapmat("doctor", "--table", "table.toml")
    assert ended.code == BAD_INPUT
    assert ended.message.startswith("table.toml: line 1 is not valid TOML")


@pytest.mark.parametrize("command", ["play", "doctor"])
def test_without_the_emulation_installed_sim_is_a_missing_part(
    tapmat: Tapmat, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr(stand_ins, "entry_points", lambda **_: EntryPoints())
    ended = tapmat(command, "--sim", "--state", "state")
    assert ended.code == MISSING_PART
    assert (
        ended.message
        == "--sim: the emulated table is not installed. Install the whole of tapmat: make setup"
    )


# --- as a separate process -----------------------------------------------------------------------


def process(*words: str | Path) -> Ended:
    """Run ``tapmat`` in a separate process."""
    ran = subprocess.run(
        [sys.executable, "-m", "firmware.commands.cli", *map(str, words)],
        capture_output=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return Ended(ran.returncode, ran.stdout, ran.stderr)


def test_a_process_prints_the_deck_for_programs() -> None:
    ended = process("pieces", "straw", "--json")
    assert (ended.code, ended.err) == (0, "")
    deck = json.loads(ended.out)
    assert (deck["game"], deck["total"], deck["verified"]) == ("straw", 64, False)
    counts = {kind["name"]: kind["count"] for kind in deck["kinds"]}
    assert sum(counts.values()) == 64
    assert (counts["weight-7"], counts["straw"]) == (4, 1)
    values = {kind["name"]: kind["value"] for kind in deck["kinds"]}
    assert (values["weight-10"], values["carpet-9"], values["lamp"]) == (10, -9, 0)


def test_a_process_prints_the_deck_for_people() -> None:
    ended = process("pieces", "straw")
    assert (ended.code, ended.err) == (0, "")
    assert "  4 x weight-7            7\n" in ended.out
    assert ended.out.endswith(" 64 pieces (not verified: compare with your box)\n")


def test_a_process_ends_with_one_message_and_its_exit_code(tmp_path: Path) -> None:
    table = tmp_path / "table.toml"
    table.write_text("[readers.play\n", encoding="utf-8")
    ended = process("play", "--sim", "--table", table, "--state", tmp_path / "state")
    assert ended.code == BAD_INPUT
    assert ended.message.startswith(f"{table}: line 1 is not valid TOML: ")


def test_a_process_that_cannot_go_on_in_the_middle_has_played_what_came_before(
    tmp_path: Path,
) -> None:
    rehearsal = tmp_path / "x.mat"
    rehearsal.write_text(
        "game straw\nplayers Ann Ben\nstart\ntap weight-7\nchoose 3\n", encoding="utf-8"
    )
    ended = process("rehearse", rehearsal, "--state", tmp_path / "state")
    assert ended.code == BAD_INPUT
    assert ended.message.startswith(f"{rehearsal}:5: the display shows no list now.")
    with closing(Journal(tmp_path / "state" / "journal.sqlite")) as journal:
        assert [entry.kind for entry in journal.entries()] == ["start", "input"]


# --- the standard streams ------------------------------------------------------------------------

FULL = Path("/dev/full")
with_shell = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full to write to")


def shell(line: str, **variables: str) -> Ended:
    """Run *line* in bash, with these environment *variables*; ``tapmat`` runs this source tree."""
    tapmat = f'tapmat() {{ "{sys.executable}" -m firmware.commands.cli "$@"; }}; set -o pipefail; '
    ran = subprocess.run(
        ["bash", "-c", tapmat + line],
        capture_output=True,
        encoding="latin-1",
        env=os.environ | variables,
        check=False,
    )
    return Ended(ran.returncode, ran.stdout, ran.stderr)


@with_shell
@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "tapmat pieces straw > /dev/full",
            "tapmat cannot print its output: No space left on device.",
        ),
        ("tapmat pieces straw --json > /dev/full", "tapmat cannot print its output: No space left"),
        (
            "tapmat pieces straw >&-",
            "tapmat cannot print its output: the standard output is closed.",
        ),
    ],
)
def test_output_that_goes_nowhere_is_one_message(line: str, message: str) -> None:
    ended = shell(line)
    assert ended.code == 1
    assert ended.message.startswith(message)


@with_shell
def test_a_reader_who_has_read_enough_is_no_fault() -> None:
    ended = shell("tapmat pieces straw --json | true")
    assert (ended.out, ended.err) == ("", "")
    assert shell("tapmat pieces straw | head -1").out.endswith("weight-1            1\n")


@with_shell
def test_a_closed_input_is_an_empty_one(tmp_path: Path) -> None:
    ended = shell(f"tapmat play --sim --state '{tmp_path}' <&-")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.endswith("idle | headline - | turn - | -\n")


@with_shell
def test_a_closed_error_output_loses_the_message_and_keeps_the_code() -> None:
    ended = shell("tapmat pieces strow 2>&-")
    assert (ended.code, ended.out) == (BAD_INPUT, "")


@with_shell
def test_a_terminal_without_a_letter_shows_another(tmp_path: Path) -> None:
    ended = shell(
        f"printf 'tap \\xc5\\x82\\n' | tapmat play --sim --state '{tmp_path}'",
        PYTHONIOENCODING="latin-1",
    )
    assert (ended.code, ended.err) == (0, "")
    assert "no deck has a " in ended.out
    file = tmp_path / "x.mat"
    file.write_text("choose ł\n", encoding="utf-8")
    ended = shell(f"tapmat rehearse '{file}'", PYTHONIOENCODING="latin-1")
    assert ended.code == BAD_INPUT
    assert "Traceback" not in ended.err


def test_why_a_table_does_not_start_is_kept(tapmat: Tapmat, tmp_path: Path) -> None:
    """The reason is saved beside the journal, so it can be read after a power cut."""
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("[readers", encoding="utf-8")
    assert tapmat("play", "--table", wrong, "--state", "state").code == BAD_INPUT
    assert "wrong.toml" in read_saved_file(tmp_path / "state", LOG)
    assert tapmat("doctor", "--table", wrong, "--state", "state").code == BAD_INPUT
    assert "wrong.toml" in read_saved_file(tmp_path / "state", REPORT)


def test_what_the_doctor_found_is_kept(tapmat: Tapmat, tmp_path: Path) -> None:
    told = tapmat("doctor", "--quick", "--state", "state")
    assert read_saved_file(tmp_path / "state", REPORT).endswith(f"\n{told.out.rstrip()}\n")


def test_what_an_emulated_doctor_found_is_not_kept(tapmat: Tapmat, tmp_path: Path) -> None:
    assert tapmat("doctor", "--sim", "--quick", "--state", "state").code == 0
    assert not (tmp_path / "state" / REPORT).exists()
