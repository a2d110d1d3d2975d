"""Tests of the sound cache: its failures are harmless, and its sounds are correct."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.drivers.sound_cache import SoundCache
from hardware.sound import Sound, silence

SOUND = Sound(b"\1\2" * 500)
KEY = ("espeak-ng", "en", "21")


def only_file(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def test_what_was_put_is_got_by_another_as_well(tmp_path: Path) -> None:
    cache = SoundCache(tmp_path / "new" / "folder")
    assert not cache.has(KEY)
    assert cache.get(KEY) is None
    cache.put(KEY, SOUND)
    assert cache.has(KEY)
    assert SoundCache(tmp_path / "new" / "folder").get(KEY) == SOUND


@given(first=st.lists(st.text(), min_size=1), second=st.lists(st.text(), min_size=1))
def test_each_key_has_its_own_file(first: list[str], second: list[str]) -> None:
    cache = SoundCache(Path("nowhere"))
    no_nul = "\0" not in "".join(first + second)
    if no_nul:
        assert (cache._file(first) == cache._file(second)) == (first == second)


@given(at=st.integers(0), bit=st.integers(0, 7), cut=st.booleans())
def test_a_damaged_file_is_not_played_but_taken_away(
    tmp_path_factory: pytest.TempPathFactory, at: int, bit: int, cut: bool
) -> None:
    cache = SoundCache(tmp_path_factory.mktemp("cache"))
    cache.put(KEY, SOUND)
    file = cache._file(KEY)
    data = bytearray(file.read_bytes())
    at %= len(data)
    data[at] ^= 1 << bit
    file.write_bytes(data[:at] if cut else data)
    assert cache.get(KEY) is None
    assert not cache.has(KEY)
    cache.put(KEY, SOUND)
    assert cache.get(KEY) == SOUND


def test_no_half_written_file_is_left_when_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    cache = SoundCache(tmp_path)

    def full(_self: Path, _to: Path) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        for number in range(3):
            cache.put(("a", str(number)), SOUND)
    assert list(tmp_path.iterdir()) == []
    assert len(caplog.messages) == 1
    assert "No space left on device" in caplog.messages[0]
    cache.put(KEY, SOUND)  # there is room again
    assert cache.get(KEY) == SOUND


def test_a_folder_that_cannot_be_made_keeps_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    cache = SoundCache(tmp_path / "file" / "cache")
    cache.put(KEY, SOUND)
    cache.put(KEY, SOUND)
    assert cache.get(KEY) is None
    assert len(caplog.messages) == 1


def test_the_oldest_goes_when_there_is_too_much(tmp_path: Path) -> None:
    size = len(SOUND.to_wav()) + 4
    cache = SoundCache(tmp_path, limit_bytes=10 * size)
    long_ago = time.time() - 1e6
    for number in range(10):
        cache.put(("n", str(number)), SOUND)
        os.utime(cache._file(("n", str(number))), (long_ago + number, long_ago + number))
    assert cache.get(("n", "0")) == SOUND  # reading it makes it the newest
    cache.put(("n", "10"), SOUND)
    left = [number for number in range(11) if cache.has(("n", str(number)))]
    assert left == [0, 3, 4, 5, 6, 7, 8, 9, 10]
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) == 9 * size


def test_what_an_earlier_run_left_counts_too(tmp_path: Path) -> None:
    size = len(SOUND.to_wav()) + 4
    for number in range(20):
        SoundCache(tmp_path).put(("n", str(number)), SOUND)
    SoundCache(tmp_path, limit_bytes=10 * size).put(KEY, silence(0.001))
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 9 * size
