"""An emulated voice: says nothing anybody could hear, but takes the time that a real one takes.

Room: sim. It goes by the virtual clock, so how long a line sounds is exact and repeatable.
"""

from hardware.ports import Clock, Voice

# Near enough to espeak-ng 1.51 at its own pace of 175 words a minute.
BREATH_S = 0.3  # around the words
LETTERS_PER_S = 15.0
LETTERS_A_DIGIT = 5  # it is said as a word


def length_s(text: str) -> float:
    """How long *text* sounds."""
    digits = sum(letter.isdigit() for letter in text)
    return BREATH_S + (len(text) - digits + LETTERS_A_DIGIT * digits) / LETTERS_PER_S


class EmulatedVoice:
    """A ``hardware.ports.Voice`` whose lines take time by *clock*."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until_s = 0.0  # when what sounds ends

    def say(self, text: str, language: str) -> None:
        """Begin to say *text*; what sounds is cut off."""
        self._until_s = self._clock.now() + length_s(text)

    def prepare(self, text: str, language: str) -> None:
        """Nothing to prepare."""

    def hush(self) -> None:
        """Fall silent."""
        self._until_s = 0.0

    @property
    def is_speaking(self) -> bool:
        """Whether a line sounds."""
        return self._clock.now() < self._until_s

    def set_volume(self, percent: int) -> None:
        """Nothing to turn down: what is muted does not reach a voice."""

    def trouble(self, within_s: float) -> str:
        """Nothing keeps it from being heard."""
        return ""

    def close(self) -> None:
        """Fall silent."""
        self.hush()


class BreakableVoice:
    """Another *voice*, whose sound device may be gone: then what is to be said is dropped."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self._is_gone = False

    def lose(self, is_gone: bool) -> None:
        """Take the sound device away, or bring it back."""
        if is_gone:
            self._voice.hush()
        self._is_gone = is_gone

    def say(self, text: str, language: str) -> None:
        """Begin to say *text*, if there is a device."""
        if not self._is_gone:
            self._voice.say(text, language)

    def prepare(self, text: str, language: str) -> None:
        """Prepare *text*."""
        self._voice.prepare(text, language)

    def hush(self) -> None:
        """Fall silent."""
        self._voice.hush()

    @property
    def is_speaking(self) -> bool:
        """Whether a line sounds."""
        return self._voice.is_speaking

    def set_volume(self, percent: int) -> None:
        """Speak at *percent* of full loudness."""
        self._voice.set_volume(percent)

    def trouble(self, within_s: float) -> str:
        """What keeps it from being heard."""
        return "the sound device is gone" if self._is_gone else self._voice.trouble(within_s)

    def close(self) -> None:
        """Fall silent."""
        self._voice.close()
