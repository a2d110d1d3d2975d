"""``tapmat voice``: listing the lines to record, and speaking one."""

import io
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from firmware.commands.voice import run_lines, run_say
from firmware.config.table_config import load_config
from firmware.runtime.wiring import speech_cache
from hardware.clips import Clips, clip_name
from hardware.sound import tone
from tests.hardware.loudspeaker import Loudspeaker

CONFIG = replace(load_config(), names=("Ann", "Ben"))
CLIP = tone(440.0, 0.1)


def listed(language: str = "en") -> dict[str, str]:
    """Return the texts to record, by the name of the file for each."""
    out = io.StringIO()
    assert run_lines(CONFIG, language, out) == 0
    return dict(line.split("\t") for line in out.getvalue().splitlines())


def test_numbers_come_first_and_then_sentences_with_the_table_s_names() -> None:
    lines = listed()
    assert list(lines.items())[:2] == [("en/0.wav", "0"), ("en/1.wav", "1")]
    assert lines["en/100.wav"] == "100"
    assert lines["en/ben-to-play.wav"] == "Ben to play."
    assert not [text for text in lines.values() if "{" in text]


def test_what_is_listed_is_found_when_it_is_recorded(tmp_path: Path) -> None:
    lines = listed()
    for file in lines:
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(CLIP.to_wav())
    clips = Clips(tmp_path)
    assert all(clips.sound(text, "en") == CLIP for text in lines.values())
    assert len({clip_name(text) for text in lines.values()}) == len(lines)


@pytest.mark.skipif(sys.platform == "win32", reason="the false program is a sh script")
def test_something_is_said_as_the_table_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plays = Loudspeaker(tmp_path, "plays")
    (tmp_path / "clips" / "de").mkdir(parents=True)
    (tmp_path / "clips" / "de" / "21.wav").write_bytes(CLIP.to_wav())
    monkeypatch.setenv("CACHE_DIRECTORY", str(tmp_path / "cache"))
    monkeypatch.setattr("hardware.drivers.speaker.ways", lambda _device: [plays.way])
    config = replace(CONFIG, speech=replace(CONFIG.speech, clips=tmp_path / "clips"))
    monkeypatch.setattr("hardware.drivers.espeak.shutil.which", lambda _name: "/nowhere/espeak-ng")
    assert run_say(config, "21.", "de") == 0
    assert plays.heard() == [CLIP.samples]
    plays.became("echo 'No such device' >&2; exit 1")
    assert run_say(config, "21.", "de") == 1
    message, *others = capsys.readouterr().err.splitlines()
    assert "No such device; look for a sound card" in message
    assert others == []


def test_sounds_are_kept_where_systemd_says_else_with_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CACHE_DIRECTORY", f"{tmp_path / 'a'}:{tmp_path / 'b'}")
    assert speech_cache() == tmp_path / "a" / "speech"
    monkeypatch.delenv("CACHE_DIRECTORY")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if sys.platform == "linux":
        assert speech_cache() == tmp_path / "tapmat" / "speech"
