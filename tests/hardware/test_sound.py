"""Tests of sounds as values, and of recorded clips as a source of sounds."""

import io
import logging
import struct
import wave
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.clips import Clips, clip_name
from hardware.sound import NoSound, Sound, silence, tone


def wav(samples: bytes, *, width: int = 2, channels: int = 1, rate_hz: int = 16000) -> bytes:
    data = io.BytesIO()
    with wave.open(data, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate_hz)
        file.writeframes(samples)
    return data.getvalue()


@given(
    samples=st.binary(min_size=4).filter(lambda b: len(b) % 4 == 0),
    channels=st.sampled_from((1, 2)),
)
def test_a_sound_comes_back_from_its_wav_file(samples: bytes, channels: int) -> None:
    sound = Sound(samples, 44100, channels)
    assert Sound.from_wav(sound.to_wav()) == sound


def test_the_length_in_the_head_is_not_believed() -> None:
    """A sound written into a pipe has a header that claims a length of hours."""
    whole = bytearray(wav(b"\1\0\2\0"))
    whole[40:44] = struct.pack("<I", 0x7FFFF000)
    whole[4:8] = struct.pack("<I", 0x7FFFF024)
    assert Sound.from_wav(bytes(whole)) == Sound(b"\1\0\2\0", 16000)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", "is not a readable WAV file (it ends early)"),
        (b"ID3 and so on", "is not a readable WAV file"),
        (wav(b"\0" * 6, width=3), "has 24 bits, 1 channels and 16000 samples a second"),
        (wav(b"\0" * 12, channels=6), "has 16 bits, 6 channels"),
        (wav(b""), "is empty"),
    ],
)
def test_what_is_no_such_sound_says_so(data: bytes, found: str) -> None:
    with pytest.raises(NoSound) as wrong:
        Sound.from_wav(data)
    assert str(wrong.value).startswith(found)
    assert str(wrong.value).endswith("; it must be a WAV file of 16 bits, with one or two channels")


def test_a_sound_knows_its_length() -> None:
    assert Sound(bytes(88200), 22050, 2).seconds == 1.0
    assert silence(0.5).seconds == 0.5


def test_louder_and_softer_goes_by_the_square() -> None:
    loud = Sound(struct.pack("<4h", 32767, -32768, 1000, 0))
    assert loud.at(100) == loud.samples
    assert struct.unpack("<4h", loud.at(50)) == (8191, -8192, 250, 0)
    assert not any(loud.at(0)[:2])


def test_a_tone_swells_and_fades_and_is_not_clipped() -> None:
    numbers = struct.unpack(f"<{22050 // 10}h", tone(440.0, 0.1).samples)
    assert numbers[0] == 0
    assert abs(numbers[-1]) < 100
    assert 9000 < max(numbers) < 10000


# Clips


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("21", "21"),
        ("21.", "21"),
        ("Ben to play.", "ben-to-play"),
        ("  Whose turn is it?  ", "whose-turn-is-it"),
        ("Zurück: őr Ágnes", "zurück-őr-ágnes"),
        ("-3", "minus-3"),
        ("\N{MINUS SIGN}3", "minus-3"),
        ("minus-3", "minus-3"),
        ("+2 for Ann", "plus-2-for-ann"),
        ("weight-7", "weight-7"),
        ("...", ""),
    ],
)
def test_a_clip_is_named_for_what_it_says(text: str, name: str) -> None:
    assert clip_name(text) == name
    assert clip_name(name) == name  # a listed name leads to the same clip


@given(st.text())
def test_a_name_is_a_file_s_name_and_its_own(text: str) -> None:
    name = clip_name(text)
    assert not set(name) & set('/\\:*?"<>|. ')
    assert clip_name(name) == name


def test_a_clip_is_found_however_its_file_is_written(tmp_path: Path) -> None:
    (tmp_path / "hu").mkdir()
    (tmp_path / "hu" / "O\N{COMBINING DOUBLE ACUTE ACCENT}r.WAV").write_bytes(wav(b"\1\0"))
    clips = Clips(tmp_path)
    assert clips.sound("őr!", "hu") == Sound(b"\1\0", 16000)
    assert clips.prepare("őr!", "hu")
    assert clips.sound("őr!", "en") is None
    assert not clips.prepare("őr!", "en")


def test_a_clip_that_cannot_be_played_is_left_out_and_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "21.wav").write_bytes(b"an mp3 in truth")
    clips = Clips(tmp_path)
    with caplog.at_level(logging.WARNING):
        assert clips.sound("21", "en") is None
        assert clips.sound("21", "en") is None
    (message,) = caplog.messages
    assert str(tmp_path / "en" / "21.wav") in message
    assert "it must be a WAV file of 16 bits" in message
    (problem,) = clips.problems("en")
    assert problem in message
