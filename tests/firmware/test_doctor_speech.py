"""The doctor's checks of the programs and files that speech needs."""

from dataclasses import replace
from pathlib import Path

import pytest

from firmware.config.table_config import SpeechConfig, load_config
from firmware.doctor.computer import Computer
from firmware.doctor.examination import Examination
from firmware.doctor.findings import Finding, Verdict
from firmware.doctor.parts import look_at_voice
from firmware.doctor.speech import SHOWN, look_at_cache, look_at_clips
from hardware.silence import SilentVoice
from hardware.sound import tone
from sim.mat.board import EmulatedBoard

CLIP = tone(440.0, 0.1).to_wav()


def clips(folder: Path, **files: bytes) -> Path:
    (folder / "en").mkdir()
    for name, data in files.items():
        (folder / "en" / f"{name}.wav").write_bytes(data)
    return folder


def test_clips_are_counted_by_language(tmp_path: Path) -> None:
    folder = clips(tmp_path, one=CLIP, two=CLIP)
    assert list(look_at_clips(folder)) == [Finding("clips", Verdict.OK, f"2 in en, in {folder}")]


def test_a_clip_pack_without_clips_is_a_warning_with_what_to_record(tmp_path: Path) -> None:
    (finding,) = look_at_clips(tmp_path)
    assert (finding.verdict, finding.found) == (Verdict.WARN, f"there are none in {tmp_path}")
    assert finding.remedy.endswith("tapmat voice lines de")


def test_clips_that_cannot_be_played_are_named_and_of_many_counted(tmp_path: Path) -> None:
    folder = clips(tmp_path, **{f"clip{number}": b"mp3" for number in range(SHOWN + 4)})
    _, *named, more = look_at_clips(folder)
    assert [finding.found.split(" is not a readable WAV file")[0] for finding in named] == [
        str(folder / "en" / f"clip{number}.wav") for number in range(SHOWN)
    ]
    assert all("it must be a WAV file of 16 bits" in finding.remedy for finding in named)
    assert more.found == "4 more cannot be played"


def test_what_is_kept_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.sound").write_bytes(bytes(1_250_000))
    found = f"1 sound, 1.2 MB in {tmp_path}"
    assert look_at_cache(Computer(), tmp_path) == Finding("speech cache", Verdict.OK, found)
    finding = look_at_cache(Computer(), tmp_path / "not" / "yet")
    assert finding.verdict is Verdict.OK


def test_a_folder_that_may_not_be_written_is_a_warning(tmp_path: Path) -> None:
    finding = look_at_cache(Computer(may_use=lambda _: False), tmp_path / "not" / "yet")
    assert finding.verdict is Verdict.WARN
    assert f"sudo chown $USER {tmp_path}" in finding.remedy


@pytest.mark.parametrize("voice", ["", '[voice]\nengine = "silent"\n'])
def test_a_silent_table_says_what_makes_it_silent(tmp_path: Path, voice: str) -> None:
    file = tmp_path / "table.toml"
    file.write_text(f'[readers.play]\nspi = "0.0"\n{voice}', encoding="utf-8")
    finding = look_at_voice(SilentVoice(), load_config(file), is_quick=True)
    assert finding.found == 'silent: table.toml has no [voice], or engine = "silent" in it'


@pytest.mark.parametrize(
    ("voice", "parts"), [("espeak", {"clips", "speech cache"}), ("silent", set())]
)
def test_a_silent_table_has_nothing_looked_at(tmp_path: Path, voice: str, parts: set[str]) -> None:
    speech = SpeechConfig(clips=clips(tmp_path, one=CLIP))
    config = replace(load_config(), voice=voice, speech=speech)
    report = Examination(config, EmulatedBoard, Computer()).run(tmp_path / "state")
    assert {f.part for f in report.findings} & {"clips", "speech cache"} == parts
