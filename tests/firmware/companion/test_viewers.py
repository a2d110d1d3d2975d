"""The viewers' keys: kept hashed, over restarts, and never in the way."""

import json
from pathlib import Path

import pytest

from firmware.companion import viewers
from firmware.companion.viewers import NAME, ViewerKeys


def test_a_key_is_known_after_a_restart(tmp_path: Path) -> None:
    key = ViewerKeys(tmp_path / "keys").new_key()
    again = ViewerKeys(tmp_path / "keys")
    assert again.has(key)
    assert not again.has(key + "x")
    assert not again.has("")


def test_the_file_has_no_key_and_is_its_owners(tmp_path: Path) -> None:
    key = ViewerKeys(tmp_path).new_key()
    file = tmp_path / NAME
    assert key not in file.read_text(encoding="ascii")
    assert file.stat().st_mode & 0o777 == 0o600


def test_the_longest_unused_key_makes_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewers, "MOST_VIEWERS", 3)
    keys = ViewerKeys(tmp_path)
    first, second, third = (keys.new_key() for _ in range(3))
    assert keys.has(first)
    fourth = keys.new_key()
    assert [keys.has(key) for key in (first, second, third, fourth)] == [True, False, True, True]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"viewers": 3}', '{"viewers": [1, null]}', "\0"])
def test_a_damaged_file_only_forgets(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_text(text, encoding="ascii")
    keys = ViewerKeys(tmp_path)
    assert keys.has(keys.new_key())
    assert json.loads((tmp_path / NAME).read_text(encoding="ascii"))["v"] == 1


def test_a_folder_that_cannot_be_written_forgets_only_after_the_end(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "keys").write_text("a file in the way", encoding="ascii")
    keys = ViewerKeys(tmp_path / "keys")
    assert keys.has(keys.new_key())
    assert "The list of viewers cannot be saved" in caplog.text


def test_a_viewer_is_removed_by_its_number_and_others_stay(tmp_path: Path) -> None:
    keys = ViewerKeys(tmp_path)
    ann, ben = keys.new_key("Ann"), keys.new_key("Ben")
    assert keys.notes() == {keys.number_of(ann): "Ann", keys.number_of(ben): "Ben"}
    assert keys.remove(keys.number_of(ann))
    assert not keys.remove(keys.number_of(ann))
    again = ViewerKeys(tmp_path)
    assert (again.has(ann), again.has(ben)) == (False, True)
    assert again.notes() == {keys.number_of(ben): "Ben"}


def test_a_file_from_before_there_were_notes_is_read(tmp_path: Path) -> None:
    keys = ViewerKeys(tmp_path)
    key = keys.new_key("Ann")
    found = json.loads((tmp_path / NAME).read_text(encoding="ascii"))
    del found["notes"]
    (tmp_path / NAME).write_text(json.dumps(found), encoding="ascii")
    again = ViewerKeys(tmp_path)
    assert again.has(key)
    assert again.notes() == {again.number_of(key): ""}
