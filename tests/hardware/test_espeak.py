"""Speech: beside the table, one thing after the other, and never in anybody's way."""

import logging
import shutil
import stat
import sys
import threading
import time
import wave
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hardware.drivers.espeak import PROGRAM, EspeakVoice, open_voice
from hardware.ports import Voice
from hardware.silence import SilentVoice

GIVE_UP_S = 20.0

needs_sh = pytest.mark.skipif(sys.platform == "win32", reason="the false espeak-ng is a sh script")
needs_espeak = pytest.mark.skipif(not shutil.which(PROGRAM), reason="espeak-ng is not installed")


def until(happened: Callable[[], bool]) -> None:
    """Wait for another thread; how long it takes is nobody's business."""
    end = time.monotonic() + GIVE_UP_S
    while not happened():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.005)


class FalseEspeak:
    """A program in place of espeak-ng that writes down what it was asked to say."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / PROGRAM
        self.said = folder / "said"
        self.gate = folder / "gate"
        self.became("")

    def became(self, script: str) -> None:
        """Speak, then do *script*."""
        self.path.write_text(
            f'#!/bin/sh\nwords=$(cat)\nprintf "%s|%s\\n" "$*" "$words" >> "{self.said}"\n{script}\n'
        )
        self.path.chmod(self.path.stat().st_mode | stat.S_IXUSR)

    def waits_for_the_gate(self) -> None:
        self.became(f'while [ ! -e "{self.gate}" ]; do sleep 0.01; done')

    def lines(self) -> list[str]:
        return self.said.read_text().splitlines() if self.said.exists() else []


@pytest.fixture
def false_espeak(tmp_path: Path) -> FalseEspeak:
    return FalseEspeak(tmp_path)


@pytest.fixture
def voice(false_espeak: FalseEspeak) -> Iterator[EspeakVoice]:
    made = EspeakVoice(str(false_espeak.path))
    yield made
    made.close()


@needs_sh
def test_it_says_what_it_is_told_in_the_language(voice: Voice, false_espeak: FalseEspeak) -> None:
    voice.say("twenty-one on the camel", "en")
    until(lambda: len(false_espeak.lines()) == 1)
    voice.say("árvíztűrő", "hu")
    until(lambda: len(false_espeak.lines()) == 2)
    assert false_espeak.lines() == [
        "-v en --stdin|twenty-one on the camel",
        "-v hu --stdin|árvíztűrő",
    ]


@needs_sh
def test_text_is_never_an_option_or_a_command(voice: Voice, false_espeak: FalseEspeak) -> None:
    text = '-w /tmp/x $(touch y) `z` "Ben"'
    voice.say(text, "en")
    until(lambda: bool(false_espeak.lines()))
    assert false_espeak.lines() == [f"-v en --stdin|{text}"]


@needs_sh
def test_the_newest_replaces_what_waits(voice: Voice, false_espeak: FalseEspeak) -> None:
    """What is being said is finished; of the rest only the last is said."""
    false_espeak.waits_for_the_gate()
    voice.say("one", "en")
    until(lambda: len(false_espeak.lines()) == 1)
    for word in ("two", "three", "four"):
        voice.say(word, "en")
    false_espeak.gate.touch()
    until(lambda: len(false_espeak.lines()) == 2)
    voice.close()
    assert [line.split("|")[1] for line in false_espeak.lines()] == ["one", "four"]


@needs_sh
def test_close_cuts_the_speech_off_and_is_safe_twice(
    voice: EspeakVoice, false_espeak: FalseEspeak
) -> None:
    false_espeak.waits_for_the_gate()
    voice.say("one", "en")
    until(lambda: len(false_espeak.lines()) == 1)
    voice.close()  # would hang if it waited for the end of the speech
    voice.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "voice"]


@needs_sh
def test_a_failure_is_one_warning_and_coming_back_is_told(
    voice: Voice, false_espeak: FalseEspeak, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="hardware.drivers.espeak")
    false_espeak.became("exit 3")
    for times in (1, 2, 3):
        voice.say("hello", "en")
        until(lambda times=times: len(false_espeak.lines()) == times)  # type: ignore[misc]
    until(lambda: bool(caplog.messages))
    false_espeak.became('echo "ALSA lib: a word too many" >&2')
    voice.say("hello", "en")
    until(lambda: len(caplog.messages) == 2)
    assert [(record.levelname, record.message) for record in caplog.records] == [
        (
            "WARNING",
            "no speech: espeak-ng ended with exit code 3; the table plays on in silence",
        ),
        ("INFO", "speech is back"),
    ]


@needs_sh
def test_a_missing_sound_card_is_seen_though_espeak_exits_with_0(
    voice: Voice, false_espeak: FalseEspeak, caplog: pytest.LogCaptureFixture
) -> None:
    false_espeak.became('echo "error: No such file or directory" >&2')
    voice.say("hello", "en")
    until(lambda: bool(caplog.messages))
    assert "No such file or directory" in caplog.messages[0]


@needs_sh
def test_what_keeps_words_from_being_heard_is_told_with_what_to_do(
    voice: Voice, false_espeak: FalseEspeak
) -> None:
    assert voice.trouble(0.0) == ""  # nothing was said yet
    false_espeak.became('echo "error: No such device" >&2')
    voice.say("hello", "en")
    found, _, remedy = voice.trouble(GIVE_UP_S).partition("; ")
    assert found == "error: No such device"
    assert remedy.startswith("look for a sound card with: aplay -l")
    false_espeak.became("")
    voice.say("hello", "en")
    assert voice.trouble(GIVE_UP_S) == ""
    assert len(false_espeak.lines()) == 2  # it waited for the end


@needs_sh
def test_a_speech_that_goes_on_is_not_waited_for_for_ever(
    voice: Voice, false_espeak: FalseEspeak
) -> None:
    false_espeak.waits_for_the_gate()
    voice.say("one", "en")
    assert voice.trouble(0.01).startswith("espeak-ng did not end in 0.01 s; ")


@needs_sh
def test_a_speech_without_end_is_cut_off(
    voice: Voice,
    false_espeak: FalseEspeak,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hardware.drivers.espeak.SPEECH_LIMIT_S", 0.05)
    false_espeak.became("exec sleep 600")
    voice.say("hello", "en")
    until(lambda: bool(caplog.messages))
    assert "no end after" in caplog.messages[0]


def test_a_program_that_went_missing_is_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    voice = EspeakVoice(str(tmp_path / "nothing"))
    voice.say("hello", "en")
    until(lambda: bool(caplog.messages))
    voice.close()
    assert "no speech" in caplog.messages[0]


@needs_sh
def test_it_is_found_on_the_path(
    false_espeak: FalseEspeak, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(false_espeak.path.parent))
    voice = open_voice()
    assert isinstance(voice, EspeakVoice)
    voice.close()


def test_without_it_the_table_is_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    voice: Voice = open_voice()
    assert isinstance(voice, SilentVoice)
    voice.say("hello", "en")
    assert voice.trouble(0.0) == "espeak-ng is not installed; sudo apt install espeak-ng"
    voice.close()
    assert "sudo apt install espeak-ng" in caplog.messages[0]


@needs_espeak
@pytest.mark.parametrize("language", ["en", "fr", "de", "it", "es", "hu"])
def test_the_real_espeak_ng_speaks(tmp_path: Path, language: str) -> None:
    spoken = tmp_path / "spoken.wav"
    program = shutil.which(PROGRAM)
    assert program
    voice = EspeakVoice(program, ("-w", str(spoken)))
    voice.say("21", language)
    until(lambda: voice._speaking is not None and voice._speaking.poll() == 0)
    voice.close()
    with wave.open(str(spoken)) as sound:
        assert sound.getnframes() > 0


@needs_espeak
def test_the_real_espeak_ng_without_that_voice_is_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    program = shutil.which(PROGRAM)
    assert program
    voice = EspeakVoice(program, ("-w", str(tmp_path / "spoken.wav")))
    voice.say("hello", "xxq")
    until(lambda: bool(caplog.messages))
    voice.close()
    assert "voice does not exist" in caplog.messages[0]
