"""Tests of speech synthesis by other programs: espeak-ng, and piper where it is installed."""

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hardware.drivers import espeak, piper
from hardware.drivers.sound_cache import SoundCache
from hardware.drivers.synthesis import Engine, Synthesis
from hardware.errors import SpeechFault, TooSlow
from hardware.ports import Speech
from hardware.sound import Sound
from tests.hardware.loudspeaker import Program, until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the false programs are sh scripts")
needs_espeak = pytest.mark.skipif(
    not shutil.which(espeak.PROGRAM), reason="espeak-ng is not installed"
)

SOUND = Sound(b"\1\2" * 300)


class Maker(Program):
    """A fake engine that makes the same sound of every text and logs the texts."""

    def __init__(self, folder: Path, name: str = "makes") -> None:
        self.wav = folder / "made.wav"
        self.wav.write_bytes(SOUND.to_wav())
        self.words = folder / "words"
        super().__init__(folder, name, self.makes)

    @property
    def makes(self) -> str:
        return f'cat >> "{self.words}"; echo "|" >> "{self.words}"; cat "{self.wav}"'

    def engine(self, limit_s: float = 10.0) -> Engine:
        def command(language: str) -> tuple[str, ...] | None:
            return (str(self.path), "-v", language) if language != "xx" else None

        return Engine("maker", command, lambda text, _language: text.upper(), limit_s)


@pytest.fixture
def maker(tmp_path: Path) -> Maker:
    return Maker(tmp_path)


@pytest.fixture
def cache(tmp_path: Path) -> SoundCache:
    return SoundCache(tmp_path / "cache")


def test_it_is_made_once_and_then_kept(maker: Maker, cache: SoundCache) -> None:
    source = Synthesis(maker.engine(), cache)
    assert source.sound("hello", "en") == SOUND
    assert source.sound("hello", "en") == SOUND
    assert maker.lines() == ["-v en"]
    assert maker.words.read_text() == "HELLO|\n"


def test_another_language_or_text_is_another_sound(maker: Maker, cache: SoundCache) -> None:
    source = Synthesis(maker.engine(), cache)
    for text, language in (("a", "en"), ("a", "de"), ("b", "en"), ("a", "en")):
        source.sound(text, language)
    assert len(maker.lines()) == 3


def test_without_a_cache_it_is_made_each_time(maker: Maker) -> None:
    source = Synthesis(maker.engine())
    assert source.sound("hello", "en") == SOUND
    assert source.sound("hello", "en") == SOUND
    assert source.prepare("bye", "en")  # nothing is made, since there is no cache
    assert len(maker.lines()) == 2


def test_a_language_it_does_not_speak_is_left_to_others(maker: Maker, cache: SoundCache) -> None:
    source = Synthesis(maker.engine(), cache)
    assert source.sound("hello", "xx") is None
    assert not source.prepare("hello", "xx")
    assert maker.lines() == []


def test_what_is_prepared_is_made_at_the_lowest_priority(maker: Maker, cache: SoundCache) -> None:
    maker.became(f'nice > "{maker.path}.nice"; {maker.makes}')
    source = Synthesis(maker.engine(), cache)
    assert source.prepare("hello", "en")
    assert source.prepare("hello", "en")
    assert source.sound("hello", "en") == SOUND
    assert len(maker.lines()) == 1
    assert Path(f"{maker.path}.nice").read_text().strip() == str(min(19, os.nice(0) + 19))


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("echo 'no such voice' >&2; exit 1", "maker fails: no such voice"),
        ("exit 3", "maker fails: 3"),
        ("echo 'nice: maker: gone' >&2; exit 127", "maker does not start (nice: maker: gone)"),
        ("echo 'Error: nothing' >&2", "the sound from maker is not a readable WAV file"),
    ],
)
def test_a_program_that_fails_is_a_fault_and_nothing_is_kept(
    maker: Maker, cache: SoundCache, script: str, told: str
) -> None:
    maker.became(script)
    source = Synthesis(maker.engine(), cache)
    with pytest.raises(SpeechFault) as fault:
        source.sound("hello", "en")
    assert str(fault.value).startswith(told)
    maker.became(maker.makes)
    assert source.sound("hello", "en") == SOUND


def test_a_program_that_went_missing_is_a_fault(maker: Maker) -> None:
    maker.path.unlink()
    with pytest.raises(SpeechFault, match="maker does not start"):
        Synthesis(maker.engine()).sound("hello", "en")


def test_a_program_that_takes_too_long_is_ended(maker: Maker, cache: SoundCache) -> None:
    maker.became("exec sleep 600")
    source = Synthesis(maker.engine(limit_s=0.05), cache)
    with pytest.raises(TooSlow, match=r"maker takes longer than 0\.05 s"):
        source.sound("hello", "en")


def test_closing_ends_what_is_being_made(maker: Maker) -> None:
    maker.became("exec sleep 600")
    source = Synthesis(maker.engine(limit_s=600.0))
    faults: list[SpeechFault] = []

    def make() -> None:
        try:
            source.sound("hello", "en")
        except SpeechFault as fault:
            faults.append(fault)

    thread = threading.Thread(target=make)
    thread.start()
    until(lambda: bool(maker.lines()))
    source.close()
    thread.join()
    assert len(faults) == 1
    with pytest.raises(SpeechFault, match="closed"):
        source.sound("hello", "en")


# espeak-ng and piper


@pytest.mark.parametrize("language", ["en", "fr", "hu"])
def test_text_is_never_an_option_or_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    maker = Maker(tmp_path, espeak.PROGRAM)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    engine = espeak.espeak()
    assert engine is not None
    text = '-w /tmp/x $(touch y) `z` "Ben" --stdout'
    assert Synthesis(engine).sound(text, language) == SOUND
    assert maker.lines() == [f"-v {language} -z --stdin --stdout"]
    assert maker.words.read_text() == f"{text}|\n"


@pytest.mark.parametrize(
    ("text", "language", "sent"),
    [
        ("21.", "de", "21"),
        ("21", "de", "21"),
        ("Ben ist dran.", "de", "Ben ist dran"),
        ("Wait...", "en", "Wait..."),
        ("-3.", "en", "-3"),
        ("-3.", "fr", "moins 3"),
        ("\N{MINUS SIGN}3 on the camel", "es", "menos 3 on the camel"),
        ("Ann: -12", "hu", "Ann: mínusz 12"),
        ("Top-3", "fr", "Top-3"),
        ("[[h@loU]]", "en", "[ [h@loU]]"),
    ],
)
def test_words_are_spelled_as_espeak_ng_reads_them(text: str, language: str, sent: str) -> None:
    assert espeak.input_text(text, language) == sent


def test_piper_speaks_the_languages_it_has_a_voice_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maker = Maker(tmp_path, piper.PROGRAM)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    engine = piper.piper({"de": Path("/voices/de.onnx")})
    assert engine is not None
    source = Synthesis(engine)
    assert source.sound("Ben\nist dran.", "de") == SOUND
    assert source.sound("Ben to play.", "en") is None
    assert maker.lines() == ["--model /voices/de.onnx --output_file -"]
    assert maker.words.read_text() == "Ben ist dran.|\n"


def test_engines_that_are_not_installed_are_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert espeak.espeak() is None
    assert piper.piper(Speech().models) is None


@needs_espeak
@pytest.mark.parametrize("language", ["en", "fr", "de", "it", "es", "hu"])
def test_the_real_espeak_ng_speaks(language: str) -> None:
    engine = espeak.espeak()
    assert engine is not None
    sound = Synthesis(engine).sound("21", language)
    assert sound is not None
    assert 0.3 < sound.seconds < 2.0
    assert any(sound.samples)


@needs_espeak
def test_the_real_espeak_ng_without_that_voice_is_a_fault() -> None:
    engine = espeak.espeak()
    assert engine is not None
    with pytest.raises(SpeechFault, match="voice does not exist"):
        Synthesis(engine).sound("hello", "xxq")


@needs_espeak
def test_the_real_espeak_ng_reads_no_phonemes_from_a_name() -> None:
    def phonemes(text: str) -> str:
        words = espeak.input_text(text, "en").encode()
        command = ("espeak-ng", "-q", "-x", "-v", "en", "--stdin")
        return subprocess.run(command, input=words, capture_output=True, check=True).stdout.decode()

    assert phonemes("[[h@loU]]") != phonemes("hello")
