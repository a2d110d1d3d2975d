"""The announcer: hands sentences to the voice, and keeps what people would have heard.

Room: firmware. It never waits: the voice drops what comes too late (hardware.ports.Voice).
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from firmware.speech import Line
from hardware.ports import Voice

KEPT = 500  # utterances a transcript reaches back


@dataclass(frozen=True, slots=True)
class Utterance:
    """What was said at *at_s*, in *language*."""

    at_s: float
    language: str
    text: str


class Announcer:
    """Says what the table wants said, one utterance an event."""

    def __init__(self, voice: Voice, language: str) -> None:
        self.language = language
        self.transcript: deque[Utterance] = deque(maxlen=KEPT)
        self._voice = voice

    def announce(self, lines: Sequence[Line], at_s: float) -> None:
        """Say *lines* in one breath; nothing when there are none."""
        said: list[str] = []
        for sentence in (line.text for line in lines if line.text):
            goes_on = bool(said) and said[-1].endswith(":")
            said.append(_ended(sentence if goes_on else _begun(sentence)))
        if text := " ".join(said):
            self.transcript.append(Utterance(at_s, self.language, text))
            self._voice.say(text, self.language)


def _ended(sentence: str) -> str:
    """*sentence* with an end the voice pauses at."""
    return sentence if sentence[-1] in ".!?:" else f"{sentence}."


def _begun(sentence: str) -> str:
    """*sentence* with a capital at its beginning."""
    return sentence[0].upper() + sentence[1:]
