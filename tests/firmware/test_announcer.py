"""The announcer: what is said, and what is kept of it."""

from firmware.announcer import KEPT, Announcer, Utterance
from firmware.speech import lines
from hardware.silence import SilentVoice


class Mouth(SilentVoice):
    """A voice that remembers."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[tuple[str, str]] = []

    def say(self, text: str, language: str) -> None:
        self.said.append((text, language))


def test_sentences_of_one_event_are_said_in_one_breath() -> None:
    voice = Mouth()
    announcer = Announcer(voice, "en")
    announcer.announce(lines("21", "Ben to play."), 1.5)
    assert voice.said == [("21. Ben to play.", "en")]
    assert list(announcer.transcript) == [Utterance(1.5, "en", "21. Ben to play.")]


def test_each_sentence_ends_in_something_the_voice_pauses_at() -> None:
    voice = Mouth()
    Announcer(voice, "fr").announce(lines("A", "", "B?", "C!", "D:"), 0.0)
    assert voice.said == [("A. B? C! D:", "fr")]


def test_a_sentence_begins_with_a_capital() -> None:
    """Words that stand alone or within a sentence read right at its beginning too."""
    voice = Mouth()
    Announcer(voice, "hu").announce(lines("zöld kő", "őr Ágnes", "Vissza:", "a kő"), 0.0)
    assert voice.said == [("Zöld kő. Őr Ágnes. Vissza: a kő.", "hu")]


def test_nothing_to_say_is_silence() -> None:
    voice = Mouth()
    announcer = Announcer(voice, "en")
    announcer.announce((), 0.0)
    announcer.announce(lines(""), 0.0)
    assert not voice.said
    assert not announcer.transcript


def test_the_transcript_reaches_back_only_so_far() -> None:
    announcer = Announcer(Mouth(), "en")
    for number in range(KEPT + 1):
        announcer.announce(lines(str(number)), float(number))
    assert len(announcer.transcript) == KEPT
    assert announcer.transcript[0].text == "1."
