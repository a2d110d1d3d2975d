"""``tapmat journal bundle`` contains what helps with a bug report, and nothing private."""

import io
import json
import tarfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engines.common.pieces import Piece
from firmware.archive.bundle import Mask, bundle_files, write_bundle
from firmware.boxes.register import TagRegister
from firmware.commands.journal import run_bundle
from firmware.common.errors import OutputError
from firmware.config.table_config import DEFAULT_TABLE_TOML
from firmware.journal.journal import Journal
from firmware.journal.log_file import LogFile, save_report
from firmware.runtime.controller import JOURNAL, REGISTER
from tests.firmware.archive.kept import play, scribble
from tests.sim.known_game import GAME

UID = bytes.fromhex("04a1b2c3d4e5f6")
NAMES = ("Zsófi", "A<b>&c")
TABLE = """\
[table]
names = ["Zsófi", "Onkel Willi"] # Zsófi is mine

[mqtt]
host = "broker.example"
password = "hunter2"
"""


def no_doctor() -> dict[str, Any]:
    return {"findings": [{"part": "journal", "found": f"{Path.home()}/state: Zsófi is on"}]}


def files_of(folder: Path, table: str = TABLE, log: str | None = None) -> dict[str, str]:
    (folder / "own.toml").write_text(table, encoding="utf-8")
    return bundle_files(folder, folder / "own.toml", no_doctor, lambda _: log)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    play(tmp_path, NAMES)
    with closing(TagRegister(tmp_path / REGISTER)) as register:
        register.bind(UID, "straw", Piece("lamp"))
        register.bind(bytes.fromhex("11223344"), "straw", Piece("copy"))
    with closing(Journal(tmp_path / JOURNAL)) as journal:
        journal.note_health({"reader play": {"polls": 100}})
    return tmp_path


def test_every_play_is_in_it(state: Path) -> None:
    lines = [json.loads(line) for line in files_of(state)["journal.jsonl"].splitlines()]
    assert [line["kind"] for line in lines] == ["start", *(act.kind for act in GAME), "end"]
    assert lines[0]["body"]["names"] == ["player-1", "player-2"]
    assert lines[0]["body"]["deck"]["game"] == "straw"
    assert lines[1]["body"] == {"tap": "weight-10#1"}


def test_nothing_private_is_in_it(state: Path) -> None:
    log = "Onkel Willi: the tag 04 A1 B2 C3 D4 E5 F6 is 04a1b2c3d4e5f6, 11:22:33:44 at 20260301"
    text = "".join(files_of(state, log=log).values())
    for private in (*NAMES, "Onkel Willi", "hunter2", str(Path.home()), UID.hex(), UID.hex(" ")):
        assert private.casefold() not in text.casefold(), private
    assert "11:22:33:44" not in text
    assert "20260301" in text
    assert "broker.example" in text


def test_a_tag_is_the_same_in_one_bundle_and_in_no_other(state: Path) -> None:
    log = f"the tag {UID.hex(' ').upper()} sticks on lamp#1"
    files, again = files_of(state, log=log), files_of(state, log=log)
    (lamp,) = [tag for tag in json.loads(files["tags.json"]) if tag["piece"] == "lamp#1"]
    assert f"the tag uid:{lamp['uid']} sticks" in files["log.txt"]
    assert lamp["uid"] not in again["tags.json"]
    assert lamp["bytes"] == 7


def test_what_is_of_no_use_alone_is_there_too(state: Path) -> None:
    files = files_of(state)
    assert json.loads(files["health.json"]) == {"reader play": {"polls": 100}}
    assert json.loads(files["versions.json"])["packages"]["gpiozero"]
    assert json.loads(files["table.json"])["table"]["names"] == ["player-1", "player-3"]
    assert json.loads(files["table.json"])["mqtt"]["password"] == "(left out)"
    (finding,) = json.loads(files["doctor.json"])["findings"]
    assert finding["found"] == "~/state: player-1 is on"
    assert "log.txt" not in files  # systemd had no log to give
    assert all(name in files["README.txt"] for name in files if name != "README.txt")


def test_what_cannot_be_read_is_said_in_it(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).write_bytes(b"damaged" * 500)
    (tmp_path / REGISTER).write_bytes(b"damaged" * 500)
    files = files_of(tmp_path, table="[table\n")
    for name in ("journal.jsonl", "tags.json", "health.json", "table.json"):
        assert json.loads(files[name])["error"], name


def test_a_game_of_which_an_entry_is_damaged_is_in_it(state: Path) -> None:
    scribble(state, "UPDATE entry SET body = '{' WHERE seq = 3")
    lines = [json.loads(line) for line in files_of(state)["journal.jsonl"].splitlines()]
    assert "entry 3 is not JSON" in lines[-1]["error"]
    assert len(lines) == len(GAME) + 3


def test_an_empty_state_folder_makes_a_bundle(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    assert files["journal.jsonl"] == ""
    assert json.loads(files["tags.json"]) == []


def test_names_are_hidden_as_whole_words() -> None:
    mask = Mask()
    for name in ("Al", "Alma", "A<b>&c"):
        mask.player(name)
    told = mask.text("Al, Alma, Almanac and A<b>&c: also")
    assert told == "player-1, player-2, Almanac and player-3: also"


def test_the_bundle_is_one_file_and_says_what_is_in_it(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    play(state)
    out = io.StringIO()
    file = tmp_path / "help.tar.gz"
    assert run_bundle(file, DEFAULT_TABLE_TOML, state, out) == 0
    with tarfile.open(file) as tar:
        names = {Path(name).name for name in tar.getnames()}
        doctor = tar.extractfile("tapmat-bundle/doctor.json")
        assert doctor is not None
        findings = json.load(doctor)["findings"]
    assert {"README.txt", "doctor.json", "journal.jsonl", "tags.json", "table.json"} <= names
    assert any(finding["part"] == "journal" for finding in findings)
    assert all(name in out.getvalue() for name in names - {"README.txt"})


def test_a_table_that_cannot_be_used_is_no_reason_to_have_no_bundle(tmp_path: Path) -> None:
    table = tmp_path / "own.toml"
    table.write_text("[readers.play]\nspi = 99\n", encoding="utf-8")
    run_bundle(tmp_path / "help.tar.gz", table, tmp_path, io.StringIO())
    with tarfile.open(tmp_path / "help.tar.gz") as tar:
        doctor = tar.extractfile("tapmat-bundle/doctor.json")
        assert doctor is not None
        assert "readers.play.spi" in json.load(doctor)["error"]


def test_a_bundle_is_never_written_over_a_file(tmp_path: Path) -> None:
    file = tmp_path / "there"
    file.write_text("dear")
    with pytest.raises(OutputError, match="already exists"):
        write_bundle({"a": "b"}, file)
    with pytest.raises(OutputError, match="cannot be written"):
        write_bundle({"a": "b"}, tmp_path / "nowhere" / "file")
    assert file.read_text() == "dear"


def test_the_kept_log_and_report_are_in_it_without_what_is_private(state: Path) -> None:
    """The bundle has the saved log and the doctor's report, without private texts.

    On a Pi, whose system log is in memory, only these two files survive a power cut.
    """
    assert not {"last-log.txt", "last-doctor.txt"} & set(files_of(state))
    with closing(LogFile(state)) as log:
        log.add_lines(f"reader play is silent; Zsófi tapped {UID.hex(' ')}")
    save_report(state, f"FAIL reader play, in {Path.home()}")
    files = files_of(state)
    assert "reader play is silent; player-1 tapped uid:" in files["last-log.txt"]
    assert files["last-doctor.txt"].endswith("FAIL reader play, in ~\n")
    assert "last-log.txt: " in files["README.txt"]
