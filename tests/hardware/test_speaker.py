"""Tests of the whole voice: the newest text at once, from the best source, without blocking."""

import logging
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardware.drivers import speaker as speaker_module
from hardware.drivers.player import Player
from hardware.drivers.speaker import NUMBERS, TONE, SoundSource, Speaker, open_speaker
from hardware.errors import SpeechFault, TooSlow
from hardware.ports import Speech
from hardware.sound import Sound
from tests.hardware.loudspeaker import GIVE_UP_S, Loudspeaker, until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the false programs are sh scripts")


def sound_of(text: str) -> Sound:
    """Return a sound that encodes *text*, so that ``heard`` can decode it."""
    return Sound(text.encode("utf-16-le") * 50)


class FalseSource:
    """A source that has a sound for every text, except those in ``lacks``."""

    def __init__(self, name: str = "false") -> None:
        self.name = name
        self.fault: SpeechFault | None = None
        self.lacks: set[str] = set()
        self.prepared: list[tuple[str, str]] = []
        self.is_closed = False

    def sound(self, text: str, language: str) -> Sound | None:
        if self.fault:
            raise self.fault
        return None if text in self.lacks else sound_of(text)

    def prepare(self, text: str, language: str) -> bool:
        self.prepared.append((text, language))
        return text not in self.lacks

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def plays(tmp_path: Path) -> Loudspeaker:
    return Loudspeaker(tmp_path)


@pytest.fixture
def source() -> FalseSource:
    return FalseSource()


@pytest.fixture
def voice(plays: Loudspeaker, source: FalseSource) -> Iterator[Speaker]:
    made = Speaker([source], Player(lambda: [plays.way]))
    until(lambda: len(plays.lines()) >= 2)  # the player was tried, and the next process stands by
    yield made
    made.close()


def heard(plays: Loudspeaker) -> list[str]:
    """Return the texts that were played to their end."""
    return [data[: len(data) // 50].decode("utf-16-le") for data in plays.heard()]


def said(voice: Speaker, *texts: str) -> None:
    """Say each of *texts* to its end, and wait until the next player process stands by."""
    for text in texts:
        voice.say(text, "en")
        until(lambda: not voice.is_speaking)
        until(lambda: voice._is_dead or voice._player._standby is not None)


def test_it_says_the_text_given(voice: Speaker, plays: Loudspeaker) -> None:
    said(voice, "one", "two")
    assert heard(plays) == ["one", "two"]
    assert voice.trouble(0.0) == ""


def test_the_newest_cuts_off_what_sounds(voice: Speaker, plays: Loudspeaker) -> None:
    plays.became(f"{plays.waits}; {plays.plays}")
    said(voice, "one")  # played by the process that stood by before the script changed
    voice.say("two", "en")
    until(lambda: voice._player._sounding is not None)
    for text in ("three", "four", "five"):
        voice.say(text, "en")
        assert voice.is_speaking
    plays.gate.touch()
    until(lambda: not voice.is_speaking)
    assert heard(plays) == ["one", "five"]


def test_hushing_ends_what_sounds_and_the_next_is_said(voice: Speaker, plays: Loudspeaker) -> None:
    plays.became(f"{plays.waits}; {plays.plays}")
    said(voice, "one")  # played by the process that stood by before the script changed
    voice.say("two", "en")
    until(lambda: voice._player._sounding is not None)
    voice.hush()
    until(lambda: not voice.is_speaking)
    plays.gate.touch()
    said(voice, "three")
    assert heard(plays) == ["one", "three"]


def test_it_has_the_volume_given(voice: Speaker, plays: Loudspeaker) -> None:
    voice.set_volume(50)
    said(voice, "one")
    voice.set_volume(1000)
    said(voice, "two")
    assert plays.heard() == [sound_of("one").at(50), sound_of("two").samples]


def test_nothing_it_is_told_makes_the_caller_wait(plays: Loudspeaker) -> None:
    """The source blocks on a gate that this thread opens only after all its calls."""
    gate = threading.Event()

    class Slow(FalseSource):
        def sound(self, text: str, language: str) -> Sound | None:
            assert gate.wait(GIVE_UP_S)
            return super().sound(text, language)

        def prepare(self, text: str, language: str) -> bool:
            assert gate.wait(GIVE_UP_S)
            return super().prepare(text, language)

    slow = Slow()
    voice = Speaker([slow], Player(lambda: [plays.way]))
    for text in ("one", "two", "three"):
        voice.say(text, "en")
        voice.prepare(text, "en")
        voice.hush()
        voice.set_volume(50)
    voice.say("four", "en")
    assert voice.is_speaking
    voice.set_volume(100)
    gate.set()
    until(lambda: not voice.is_speaking)
    voice.close()
    assert heard(plays) == ["four"]


# --- sources -------------------------------------------------------------------------------------


def with_sources(plays: Loudspeaker, *sources: SoundSource) -> Speaker:
    return Speaker(sources, Player(lambda: [plays.way]))


def test_a_clip_comes_before_a_synthesis_and_both_before_a_tone(plays: Loudspeaker) -> None:
    clips, synthesis = FalseSource("clips"), FalseSource("synthesis")
    clips.lacks = {"two", "three"}
    synthesis.lacks = {"three"}
    voice = with_sources(plays, clips, synthesis)
    said(voice, "one", "two", "three")
    voice.close()
    assert plays.heard() == [sound_of("one").samples, sound_of("two").samples, TONE.samples]
    assert clips.is_closed
    assert synthesis.is_closed


def test_a_source_that_fails_is_told_once_and_once_when_it_is_back(
    plays: Loudspeaker, caplog: pytest.LogCaptureFixture
) -> None:
    piper, espeak = FalseSource("piper"), FalseSource("espeak-ng")
    voice = with_sources(plays, piper, espeak)
    piper.fault = SpeechFault("piper fails: no such voice")
    said(voice, "one", "two")
    assert voice.trouble(GIVE_UP_S) == "piper fails: no such voice"
    piper.fault = None
    said(voice, "three", "four")
    assert voice.trouble(GIVE_UP_S) == ""
    voice.close()
    assert caplog.messages == [
        "speech: piper fails: no such voice; another source speaks instead",
        "speech: piper is back",
    ]
    assert heard(plays) == ["one", "two", "three", "four"]


def test_what_takes_too_long_is_said_another_way_and_prepared_for_the_next_time(
    plays: Loudspeaker, caplog: pytest.LogCaptureFixture
) -> None:
    piper, espeak = FalseSource("piper"), FalseSource("espeak-ng")
    piper.fault = TooSlow("piper takes longer than 1.5 s")
    voice = with_sources(plays, piper, espeak)
    said(voice, "one")
    until(lambda: ("one", "en") in piper.prepared)
    voice.close()
    assert heard(plays) == ["one"]
    assert caplog.messages == []
    assert ("one", "en") not in espeak.prepared  # preparing it is left to piper


def test_without_any_source_a_tone_is_heard(plays: Loudspeaker) -> None:
    voice = with_sources(plays)
    said(voice, "one")
    voice.close()
    assert plays.heard() == [TONE.samples]


# --- preparing -----------------------------------------------------------------------------------


def test_numbers_are_prepared_in_each_language_that_is_spoken(
    voice: Speaker, source: FalseSource
) -> None:
    said(voice, "one")
    voice.say("eins", "de")
    until(lambda: len(source.prepared) == 2 * len(NUMBERS))
    for language in ("en", "de"):
        assert [text for text, spoken in source.prepared if spoken == language] == [
            str(number) for number in range(101)
        ]


def test_what_is_asked_for_is_prepared_before_the_numbers_the_newest_first(
    plays: Loudspeaker,
) -> None:
    gate, waits = threading.Event(), threading.Event()

    class Gated(FalseSource):
        def prepare(self, text: str, language: str) -> bool:
            waits.set()
            assert gate.wait(GIVE_UP_S)
            return super().prepare(text, language)

    source = Gated()
    voice = with_sources(plays, source)
    voice.prepare("first", "en")
    assert waits.wait(GIVE_UP_S)
    for text in ("a", "b", "a", "c"):
        voice.prepare(text, "en")
    said(voice, "one")
    gate.set()
    until(lambda: len(source.prepared) == 4 + len(NUMBERS))
    voice.close()
    assert [text for text, _ in source.prepared[:5]] == ["first", "c", "b", "a", "0"]


# --- devices that fail ---------------------------------------------------------------------------


def test_a_dead_device_is_one_warning_and_is_found_again_by_itself(
    plays: Loudspeaker,
    source: FalseSource,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(speaker_module, "RETRY_S", 0.02)
    plays.became("echo 'No such device' >&2; exit 1")
    voice = with_sources(plays, source)
    until(lambda: len(plays.lines()) > 3)  # it keeps trying
    said(voice, "nobody hears this")
    assert voice.trouble(0.0).startswith(f"{plays.path}: No such device; look for a sound card")
    plays.became(plays.plays)
    until(lambda: not voice.trouble(GIVE_UP_S))
    said(voice, "one")
    voice.close()
    assert heard(plays) == ["one"]
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING"]
    assert caplog.messages[0].startswith(f"no speech: {plays.path}: No such device; look for")
    assert caplog.messages[0].endswith("; the table continues without speech")
    assert caplog.messages[1] == "speech is back"


def test_a_device_that_dies_while_it_is_used_is_noticed(
    voice: Speaker, plays: Loudspeaker, caplog: pytest.LogCaptureFixture
) -> None:
    said(voice, "one")
    plays.became("cat > /dev/null; echo 'Input/output error' >&2; exit 1")
    said(voice, "two", "three", "four")
    assert "Input/output error" in voice.trouble(GIVE_UP_S)
    assert len(caplog.messages) == 1
    assert "three" not in heard(plays)


def test_what_does_not_end_in_time_is_reported(voice: Speaker, plays: Loudspeaker) -> None:
    plays.became(plays.waits)
    said(voice, "one")  # played by the process that stood by before the script changed
    voice.say("two", "en")
    assert voice.trouble(0.01).startswith(
        "the speech did not end within 0.01 s; look for a sound card"
    )


def test_closing_cuts_the_speech_off_and_is_safe_twice(voice: Speaker, plays: Loudspeaker) -> None:
    said(voice, "one")
    until(lambda: len(plays.lines()) >= 3)  # the process that stands by has read its script
    plays.became("exec sleep 600")
    said(voice, "two")  # played by the process that stood by before the script changed
    voice.say("three", "en")
    voice.close()  # would hang if it waited for the end of the speech
    voice.close()
    voice.say("four", "en")
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("voice")]


# --- the voice of this computer ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("engine", "lacks"),
    [
        ("espeak", "espeak-ng is not installed; sudo apt install espeak-ng"),
        ("piper", "piper is not installed, so espeak-ng speaks; install it as docs/sound.md says"),
    ],
)
def test_an_engine_that_is_not_installed_is_a_warning(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    engine: str,
    lacks: str,
) -> None:
    plays = Loudspeaker(tmp_path, "aplay")
    monkeypatch.setattr("hardware.drivers.speaker.ways", lambda _device: [plays.way])
    monkeypatch.setattr("shutil.which", lambda _program: None)
    voice = open_speaker(Speech(engine))
    said(voice, "one")
    assert plays.heard() == [TONE.samples]
    assert voice.trouble(0.0).startswith(lacks)
    voice.close()
    assert [message for message in caplog.messages if lacks in message] == caplog.messages[:1]
