"""An emulated voice, silent but as slow as a real one.

It uses the virtual clock, so the duration of a line (a text that is said) is exact and repeatable.
"""

from hardware.ports import Clock, Voice

# These match espeak-ng 1.51 at its default speed of 175 words a minute well enough.
BREATH_S = 0.3  # silence before and after the words
LETTERS_PER_S = 15.0
LETTERS_A_DIGIT = 5  # a digit is said as a word


def length_s(text: str) -> float:
    """Return how many seconds it takes to say *text*."""
    digits = sum(letter.isdigit() for letter in text)
    return BREATH_S + (len(text) - digits + LETTERS_A_DIGIT * digits) / LETTERS_PER_S


class EmulatedVoice:
    """A silent ``hardware.ports.Voice`` whose lines take time on *clock*."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until_s = 0.0  # the end of the current line

    def say(self, text: str, language: str) -> None:
        """Start to say *text*, and cut off the line before."""
        self._until_s = self._clock.now() + length_s(text)

    def prepare(self, text: str, language: str) -> None:
        """Do nothing: this voice needs no preparation."""

    def hush(self) -> None:
        """Stop speaking."""
        self._until_s = 0.0

    @property
    def is_speaking(self) -> bool:
        """Return True while a line sounds."""
        return self._clock.now() < self._until_s

    def set_volume(self, percent: int) -> None:
        """Do nothing: this voice is silent."""

    def trouble(self, within_s: float) -> str:
        """Return "": this voice never fails."""
        return ""

    def close(self) -> None:
        """Stop speaking."""
        self.hush()


class BreakableVoice:
    """A wrapper of *voice* whose sound device can fail. While it fails, lines are dropped."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self._is_gone = False

    def lose(self, is_gone: bool) -> None:
        """Make the sound device fail, or repair it."""
        if is_gone:
            self._voice.hush()
        self._is_gone = is_gone

    def say(self, text: str, language: str) -> None:
        """Start to say *text*, if the device works."""
        if not self._is_gone:
            self._voice.say(text, language)

    def prepare(self, text: str, language: str) -> None:
        """Make the sound of *text* in idle time, so that it can be said at once later."""
        self._voice.prepare(text, language)

    def hush(self) -> None:
        """Stop speaking."""
        self._voice.hush()

    @property
    def is_speaking(self) -> bool:
        """Return True while a line sounds."""
        return self._voice.is_speaking

    def set_volume(self, percent: int) -> None:
        """Set the volume to *percent* of the maximum."""
        self._voice.set_volume(percent)

    def trouble(self, within_s: float) -> str:
        """Return the reason why the voice cannot be heard, or "".

        Wait at most *within_s* seconds until everything is said.
        """
        return "the sound device is gone" if self._is_gone else self._voice.trouble(within_s)

    def close(self) -> None:
        """Stop speaking."""
        self._voice.close()
