"""A short run of the speech soak, ``python -m tests.hardware.soak_speech``."""

import shutil
from io import StringIO

import pytest

from engines.common.contract import Message
from firmware.voice.words import languages
from hardware.sound import Sound, silence, tone
from tests.effort import long_unless
from tests.hardware.soak_speech import (
    LONGEST_S,
    NAMES,
    catalogues,
    lines,
    phonemes,
    run,
    sample,
    wrong_numbers,
    wrong_with,
)

EVERY = 4
needs_espeak = pytest.mark.skipif(
    not shutil.which("espeak-ng"), reason="espeak-ng is not installed"
)


@pytest.mark.long
@needs_espeak
def test_some_lines_of_each_catalogue_are_fair_sounds() -> None:
    out = StringIO()
    assert run(every=EVERY, jobs=2, out=out) == 0, out.getvalue()
    assert len(out.getvalue().splitlines()) == len(languages())


@needs_espeak
@pytest.mark.parametrize(
    "language", long_unless(("en", "hu").__contains__, ["en", "fr", "de", "it", "es", "hu"])
)
def test_numbers_are_read_as_the_voice_reads_the_numeral(language: str) -> None:
    assert list(wrong_numbers(language)) == []


@needs_espeak
def test_numerals_are_read_in_the_language() -> None:
    """The expected phonemes, which other tests compare with, differ between languages."""
    assert phonemes("en", "21", "7") == ["tw'Enti w'0n", "s'Ev@n"]
    assert len({tuple(phonemes(language, "21")) for language in ("en", "fr", "it", "es")}) == 4


@pytest.mark.parametrize("language", long_unless(("en", "hu").__contains__, languages()))
def test_every_fact_of_every_catalogue_has_a_sample(language: str) -> None:
    said = lines(language)
    assert len(said) > 500
    assert not [spoken for spoken in said if "{" in spoken.text]


def test_a_fact_that_nobody_knows_is_asked_for() -> None:
    words = next(catalogues("en"))
    with pytest.raises(LookupError, match=r"What is \{wieght\}\?"):
        sample(words, "wieght")


def test_samples_are_what_people_hear() -> None:
    turns = {words.tell(Message("turn", {"seat": 1}), NAMES) for words in catalogues("en")}
    assert {spoken.text for spoken in lines("en")} >= {text for text in turns if "Ben" in text}


@pytest.mark.parametrize(
    ("sound", "wrong"),
    [
        (tone(440.0, 0.5), ""),
        (tone(440.0, 0.5, level=1.0), ""),
        (tone(440.0, 0.05), "it is empty"),
        (silence(0.5), "it is empty"),
        (tone(440.0, LONGEST_S + 0.1), "it takes 6.1 s"),
        (Sound(tone(440.0, 0.5).samples + b"\xff\x7f" * 3), "it is clipped"),
        (Sound(tone(440.0, 0.5).samples + b"\x00\x80" * 3), "it is clipped"),
        (Sound(tone(440.0, 0.5).samples + b"\x7f\xff" * 3 + b"\x7f\x00"), ""),
    ],
)
def test_what_is_wrong_with_a_sound_is_reported(sound: Sound, wrong: str) -> None:
    assert wrong_with(sound) == wrong
