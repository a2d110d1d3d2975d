"""Sounds: samples in memory, to and from WAV files.

Room: hardware. Values only; what plays them is a driver.
May import: the standard library.
Source: Multimedia Programming Interface 1.0, "Waveform Audio File Format"; a loudness control that
sounds even goes by the square (audio taper).
"""

import io
import math
import sys
import wave
from array import array
from dataclasses import dataclass
from typing import Self

BYTES = 2  # of a sample; signed, the low byte first
FULL = 32767  # the loudest sample
RATE_HZ = 22050  # espeak-ng's, and that of what is made here
RIGHT = "it must be a WAV file of 16 bits, with one or two channels"


class NoSound(ValueError):
    """These bytes are no sound that can be played here; the text says why."""


@dataclass(frozen=True, slots=True)
class Sound:
    """*samples* of 16 bits, little-endian, *rate_hz* a second for each of *channels* in turn."""

    samples: bytes
    rate_hz: int = RATE_HZ
    channels: int = 1

    @property
    def seconds(self) -> float:
        """How long it takes."""
        return len(self.samples) / (BYTES * self.channels * self.rate_hz)

    def at(self, percent: int) -> bytes:
        """The samples at *percent* of their loudness, from 0 to 100."""
        if percent == 100:
            return self.samples
        share = percent**2 * 65536 // 10000
        return _bytes(array("h", [sample * share >> 16 for sample in _numbers(self.samples)]))

    @classmethod
    def from_wav(cls, data: bytes) -> Self:
        """The sound in a WAV file of 16 bits, mono or stereo.

        The length in its head is not believed: a program that writes into a pipe cannot know it.

        Raises:
            NoSound: it is something else.
        """
        try:
            with wave.open(io.BytesIO(data)) as file:
                width, channels, rate_hz = (
                    file.getsampwidth(),
                    file.getnchannels(),
                    file.getframerate(),
                )
                samples = file.readframes(file.getnframes())
        except (wave.Error, EOFError) as wrong:
            raise NoSound(
                f"is no WAV file that can be read ({str(wrong) or 'it ends early'}); {RIGHT}"
            ) from wrong
        if width != BYTES or channels not in (1, 2) or rate_hz <= 0:
            found = f"has {8 * width} bits, {channels} channels and {rate_hz} samples a second"
            raise NoSound(f"{found}; {RIGHT}")
        if not samples:
            raise NoSound(f"is empty; {RIGHT}")
        return cls(samples, rate_hz, channels)

    def to_wav(self) -> bytes:
        """It as a WAV file."""
        data = io.BytesIO()
        with wave.open(data, "wb") as file:
            file.setparams((self.channels, BYTES, self.rate_hz, 0, "NONE", ""))
            file.writeframes(self.samples)
        return data.getvalue()


def silence(seconds: float) -> Sound:
    """Nothing to hear."""
    return Sound(bytes(BYTES * round(seconds * RATE_HZ)))


def tone(frequency_hz: float, seconds: float, level: float = 0.3) -> Sound:
    """A sine that swells and fades, as one that begins at once clicks."""
    count = round(seconds * RATE_HZ)
    step = 2 * math.pi * frequency_hz / RATE_HZ
    wave_form = (
        FULL * level * math.sin(math.pi * number / count) * math.sin(step * number)
        for number in range(count)
    )
    return Sound(_bytes(array("h", map(round, wave_form))))


def _numbers(samples: bytes) -> "array[int]":
    numbers = array("h", samples)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _bytes(numbers: "array[int]") -> bytes:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()
