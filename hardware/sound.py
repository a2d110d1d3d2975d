"""Sounds: 16-bit samples in memory, read from and written to WAV files.

Values only; a driver plays them.
May import: the standard library.
Source: Multimedia Programming Interface 1.0, "Waveform Audio File Format". The volume follows the
square of its percentage (audio taper), which the ear hears as even steps.
"""

import io
import math
import sys
import wave
from array import array
from dataclasses import dataclass
from typing import Self

BYTES = 2  # per sample; signed, little-endian
FULL = 32767  # the largest sample value
RATE_HZ = 22050  # the sample rate of espeak-ng and of the sounds made here
RIGHT = "it must be a WAV file of 16 bits, with one or two channels"


class NoSound(ValueError):
    """The bytes are not a playable sound. The message says why, without the name of the file."""


@dataclass(frozen=True, slots=True)
class Sound:
    """A sound: 16-bit little-endian *samples*, with the channels interleaved.

    *rate_hz* is the number of samples per second in each channel.
    """

    samples: bytes
    rate_hz: int = RATE_HZ
    channels: int = 1

    @property
    def seconds(self) -> float:
        """The duration in seconds."""
        return len(self.samples) / (BYTES * self.channels * self.rate_hz)

    def at(self, percent: int) -> bytes:
        """Return the samples at a volume of *percent*, from 0 to 100."""
        if percent == 100:
            return self.samples
        share = percent**2 * 65536 // 10000
        return _bytes(array("h", [sample * share >> 16 for sample in _numbers(self.samples)]))

    @classmethod
    def from_wav(cls, data: bytes) -> Self:
        """Return the sound in a 16-bit WAV file, mono or stereo.

        A wrong length in the header is accepted: a program that writes to a pipe cannot know it.

        Raises:
            NoSound: *data* is not such a file.
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
                f"is not a readable WAV file ({str(wrong) or 'it ends early'}); {RIGHT}"
            ) from wrong
        if width != BYTES or channels not in (1, 2) or rate_hz <= 0:
            found = f"has {8 * width} bits, {channels} channels and {rate_hz} samples a second"
            raise NoSound(f"{found}; {RIGHT}")
        if not samples:
            raise NoSound(f"is empty; {RIGHT}")
        return cls(samples, rate_hz, channels)

    def to_wav(self) -> bytes:
        """Return the sound as the bytes of a WAV file."""
        data = io.BytesIO()
        with wave.open(data, "wb") as file:
            file.setparams((self.channels, BYTES, self.rate_hz, 0, "NONE", ""))
            file.writeframes(self.samples)
        return data.getvalue()


def silence(seconds: float) -> Sound:
    """Return a Sound of silence that lasts *seconds*."""
    return Sound(bytes(BYTES * round(seconds * RATE_HZ)))


def tone(frequency_hz: float, seconds: float, level: float = 0.3) -> Sound:
    """Return a sine tone that lasts *seconds*. It fades in and out, because an abrupt start clicks.

    *level* is its amplitude, from 0 to 1.
    """
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
