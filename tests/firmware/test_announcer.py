"""The announcer: which lines are said, when, in which order, and which are cut off or dropped."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from engines.common.contract import Topic
from fakepi.clock import VirtualClock
from firmware.runtime.loop import PASS_S
from firmware.voice.announcer import (
    HEARD_S,
    PATIENCE_S,
    PRESSING,
    SAID,
    STALE,
    TRANSCRIPT_LINES,
    Announcer,
    Fate,
    Utterance,
    audible_texts,
)
from firmware.voice.settings import Level, Settings
from firmware.voice.speech import SpeechLine, as_requested, lines
from hardware.silence import SilentVoice

NORMAL = Settings("en")
FULL = Settings("en", Level.FULL)
LINE_S = 1.0  # seconds that the fake voice needs for a line


class Mouth(SilentVoice):
    """A fake voice that records its lines; ``lengths_s`` gives the seconds that a text takes."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__()
        self._clock = clock
        self._until_s = 0.0
        self.lengths_s: Callable[[str], float] = lambda text: LINE_S
        self.said: list[tuple[str, str]] = []
        self.prepared: list[tuple[str, str]] = []
        self.volumes: list[int] = []

    def say(self, text: str, language: str) -> None:
        self.said.append((text, language))
        self._until_s = self._clock.now() + self.lengths_s(text)

    def prepare(self, text: str, language: str) -> None:
        self.prepared.append((text, language))

    def hush(self) -> None:
        self._until_s = 0.0

    @property
    def is_speaking(self) -> bool:
        return self._clock.now() < self._until_s

    def set_volume(self, percent: int) -> None:
        self.volumes.append(percent)


class Speech:
    """An announcer with a fake voice, and a virtual clock that calls it as the loop does."""

    pass_s = PASS_S

    def __init__(self, settings: Settings = NORMAL) -> None:
        self.clock = VirtualClock()
        self.voice = Mouth(self.clock)
        self.settings = settings
        self.announcer = Announcer(self.voice)

    def tell(self, *said: SpeechLine, wait_s: float = 0.0) -> None:
        """Announce the lines of an event, then let *wait_s* seconds pass."""
        self.announcer.announce(said, self.settings, self.clock.now())
        self.announcer.advance(self.clock.now())
        self.wait(wait_s)

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds / self.pass_s)):
            self.clock.sleep(self.pass_s)
            self.announcer.advance(self.clock.now())

    @property
    def said(self) -> list[str]:
        """The lines that the voice began to speak."""
        return [text for text, _ in self.voice.said]

    @property
    def fates(self) -> list[tuple[str, Fate, str]]:
        return [(line.words, line.fate, line.why) for line in self.announcer.transcript]

    def line(self, words: str) -> Utterance:
        return next(line for line in self.announcer.transcript if line.words == words)


def total(number: int) -> SpeechLine:
    return SpeechLine(str(number), Topic.TOTAL)


def turn(name: str) -> SpeechLine:
    return SpeechLine(f"{name} to play.", Topic.TURN)


REFUSED = SpeechLine("Straw goes on only at 50. Take it back.", Topic.REFUSAL)
CORRECTED = SpeechLine("Correction: 14. Take the 7 back.", Topic.CORRECTION)
NEWS = SpeechLine("The draw pile is empty.", Topic.NEWS)
WON = SpeechLine("Ann wins.", Topic.RESULT)
LOST = SpeechLine("No answer: display.", Topic.FAULT)
ASKS = SpeechLine("How heavy is the Lamp?", Topic.QUESTION)
CARD = SpeechLine("The 7.", Topic.CARD)
WAY = SpeechLine("Counter-clockwise.", Topic.DIRECTION)
ITEM = SpeechLine("Ben", Topic.ITEM)
HELP = SpeechLine("Turn to choose.", Topic.HELP)


# --- the order of lines ---------------------------------------------------------------------------


def test_the_lines_of_an_event_are_said_one_after_the_other() -> None:
    speech = Speech()
    speech.tell(total(21), turn("Ben"))
    assert speech.said == ["21"]
    speech.wait(LINE_S)
    assert speech.said == ["21", "Ben to play."]
    assert speech.fates == [("21", Fate.SAID, ""), ("Ben to play.", Fate.SPEAKING, "")]
    speech.wait(LINE_S)
    assert [line.fate for line in speech.announcer.transcript] == [Fate.SAID] * 2


def test_every_line_is_kept_with_its_event_its_moments_and_its_language() -> None:
    speech = Speech(replace(NORMAL, language="hu"))
    speech.wait(1.5)
    speech.tell(total(21), turn("Ben"), wait_s=3.0)
    speech.tell(total(28))
    first, second, third = speech.announcer.transcript
    assert [line.event for line in (first, second, third)] == [1, 1, 2]
    assert (first.topic, first.language, first.text) == (Topic.TOTAL, "hu", "21.")
    assert first.at_s == first.began_s == pytest.approx(1.5)
    assert first.ended_s == second.began_s == pytest.approx(1.5 + LINE_S)
    assert (third.fate, third.ended_s) == (Fate.SPEAKING, None)


def test_the_voice_gets_the_words_and_the_transcript_sentences() -> None:
    """A spoken number has no full stop: some languages would read it as an ordinal."""
    speech = Speech()
    for said in ("21", "zöld kő", "Vissza:", "a kő", "B?"):
        speech.tell(SpeechLine(said), wait_s=LINE_S)
    assert speech.said == ["21", "zöld kő", "Vissza:", "a kő", "B?"]
    speech.tell(*lines("zöld kő", "Vissza:", "a kő", "B?"))
    assert list(audible_texts(speech.announcer.transcript))[-1] == (
        "en",
        "Zöld kő. Vissza: a kő. B?",
    )


def test_nothing_to_say_is_silence() -> None:
    speech = Speech()
    speech.tell()
    speech.tell(SpeechLine(""))
    assert not speech.said
    assert not speech.announcer.transcript


def test_a_voice_that_makes_no_sound_is_done_at_once() -> None:
    announcer = Announcer(SilentVoice())
    announcer.announce((total(21), turn("Ben"), NEWS), NORMAL, 0.0)
    announcer.advance(0.0)
    assert [line.fate for line in announcer.transcript] == [Fate.SAID] * 3


def test_every_line_is_prepared_before_it_is_its_turn() -> None:
    speech = Speech()
    speech.tell(total(21), turn("Ben"), CARD)
    assert speech.voice.prepared == [("21", "en"), ("Ben to play.", "en")]


def test_the_transcript_reaches_back_only_so_far() -> None:
    announcer = Announcer(SilentVoice())
    for number in range(TRANSCRIPT_LINES + 1):
        announcer.announce([SpeechLine(str(number))], NORMAL, float(number))
    assert len(announcer.transcript) == TRANSCRIPT_LINES
    assert announcer.transcript[0].text == "1."


# --- lines that cut off others --------------------------------------------------------------------


@pytest.mark.parametrize("urgent", [REFUSED, CORRECTED, ITEM, *as_requested([WON])])
@pytest.mark.parametrize("sounding", [total(21), NEWS, WON, REFUSED, ITEM, ASKS])
def test_what_must_be_heard_now_cuts_off_what_sounds(
    urgent: SpeechLine, sounding: SpeechLine
) -> None:
    speech = Speech()
    speech.tell(sounding, wait_s=0.5)
    speech.tell(urgent)
    assert speech.said == [sounding.text, urgent.text]
    assert speech.fates[0] == (sounding.text, Fate.INTERRUPTED, urgent.topic.value)
    assert speech.announcer.transcript[-1].began_s == pytest.approx(0.5)


@pytest.mark.parametrize("patient", [total(21), NEWS, WON, LOST, ASKS, turn("Ben"), HELP])
def test_anything_else_waits_until_a_line_is_over(patient: SpeechLine) -> None:
    speech = Speech()
    speech.tell(NEWS, wait_s=0.5)
    speech.tell(patient)
    assert speech.said == [NEWS.text]
    speech.wait(0.5)
    assert speech.said == [NEWS.text, patient.text]


def test_a_refusal_comes_before_what_waits_and_that_is_said_after_it() -> None:
    speech = Speech()
    speech.tell(NEWS, WON, wait_s=0.5)
    speech.tell(REFUSED, wait_s=5.0)
    assert speech.said == [NEWS.text, REFUSED.text, WON.text]


def test_what_was_taken_back_is_not_told_any_more() -> None:
    """A correction drops the lines of the undone play, but not the message about a failed part."""
    speech = Speech()
    speech.tell(total(21), NEWS, WON, turn("Ben"), LOST, wait_s=0.5)
    speech.tell(CORRECTED, wait_s=5.0)
    assert speech.said == ["21", CORRECTED.text, LOST.text]
    assert speech.fates[1:4] == [
        (line, Fate.DROPPED, "superseded") for line in (NEWS.text, WON.text, "Ben to play.")
    ]


def test_what_somebody_turns_to_is_heard_whole_and_gives_way_to_the_next() -> None:
    speech = Speech()
    speech.tell(SpeechLine("Who deals?", Topic.QUESTION), SpeechLine("Ann", Topic.ITEM), HELP)
    speech.wait(1.5)
    speech.tell(ITEM, wait_s=0.3)
    speech.tell(SpeechLine("Cem", Topic.ITEM), wait_s=2.0)
    assert speech.said == ["Who deals?", "Ann", "Ben", "Cem"]
    assert speech.line("Turn to choose.").why == "superseded"


def test_what_is_asked_for_is_said_in_its_order_before_older_things() -> None:
    speech = Speech()
    speech.tell(NEWS, WON, wait_s=0.2)
    speech.tell(*as_requested([total(21), turn("Ben"), HELP]), wait_s=5.0)
    assert speech.said == [NEWS.text, "21", "Ben to play.", HELP.text, WON.text]


# --- totals ---------------------------------------------------------------------------------------


def test_a_newer_total_takes_the_place_of_one_that_waits() -> None:
    speech = Speech()
    speech.tell(total(7), wait_s=0.2)
    speech.tell(total(14), wait_s=0.1)
    speech.tell(total(21))
    assert speech.line("14").why == "superseded"


def test_a_total_that_sounds_may_end_while_it_is_one_behind() -> None:
    speech = Speech()
    speech.tell(total(7), wait_s=0.5)
    speech.tell(total(14), wait_s=0.4)
    assert speech.said == ["7"]
    speech.wait(0.2)
    assert speech.said == ["7", "14"]


def test_a_total_that_is_two_behind_is_cut_off() -> None:
    speech = Speech()
    for number in (7, 14, 21):
        speech.tell(total(number), wait_s=0.2)
    assert speech.said == ["7", "21"]
    assert speech.fates[0] == ("7", Fate.INTERRUPTED, "total")


@pytest.mark.parametrize("sounding", [NEWS, WON, REFUSED, turn("Ben"), ITEM])
def test_a_line_is_cut_off_when_a_total_would_be_two_behind(sounding: SpeechLine) -> None:
    speech = Speech()
    speech.tell(sounding, wait_s=0.2)
    speech.tell(total(7), wait_s=0.2)
    assert speech.said == [sounding.text]
    speech.tell(total(14))
    assert speech.said == [sounding.text, "14"]


def test_a_total_is_not_kept_waiting_by_what_happened_before() -> None:
    """A new total is said before older lines that still wait, here who won the last round."""
    speech = Speech()
    speech.tell(NEWS, WON, wait_s=0.2)
    speech.tell(total(7), turn("Ben"), wait_s=5.0)
    assert speech.said == [NEWS.text, "7", "Ben to play.", WON.text]


def test_after_a_correction_totals_are_counted_from_the_start() -> None:
    """The voice skips the total of the undone play, and says the corrected one."""
    speech = Speech()
    speech.tell(total(14), wait_s=0.2)
    speech.tell(total(21), wait_s=0.2)
    speech.tell(CORRECTED, wait_s=0.2)
    speech.tell(total(20), wait_s=0.2)
    assert speech.said == ["14", CORRECTED.text]
    speech.wait(LINE_S)
    assert speech.said[-1] == "20"


# --- lines that are out of date or too late -------------------------------------------------------


@pytest.mark.parametrize("waiting", [turn("Ben"), ASKS, HELP, CARD, WAY])
@pytest.mark.parametrize("newer", [total(28), turn("Cem"), ASKS, WON, WAY])
def test_how_things_stood_is_not_said_once_they_stand_otherwise(
    waiting: SpeechLine, newer: SpeechLine
) -> None:
    speech = Speech(FULL)
    speech.tell(NEWS, waiting, wait_s=0.2)
    speech.tell(newer)
    assert speech.announcer.transcript[1].why == "superseded"


@pytest.mark.parametrize("newer", [NEWS, LOST, REFUSED])
def test_what_changes_nothing_about_the_game_leaves_it_waiting(newer: SpeechLine) -> None:
    speech = Speech()
    speech.tell(total(21), turn("Ben"), wait_s=0.2)
    speech.tell(newer, wait_s=5.0)
    assert speech.line("Ben to play.").fate is Fate.SAID


@pytest.mark.parametrize("topic", Topic)
def test_nothing_is_begun_after_its_time(topic: Topic) -> None:
    """A line is said if it waits 0.05 s less than its *topic* allows, dropped if 0.05 s more."""
    for too_long, fate in ((-0.05, Fate.SPEAKING), (0.05, Fate.DROPPED)):
        speech = Speech(FULL)
        speech.voice.lengths_s = lambda text, t=too_long: PATIENCE_S[topic] + t  # type: ignore[misc]
        speech.tell(LOST)
        late = SpeechLine("late", topic)
        speech.announcer.announce([late], speech.settings, 0.0)
        if topic in PRESSING or topic is Topic.ITEM:
            return  # lines of these topics begin at once
        speech.wait(PATIENCE_S[topic] + 0.1)
        assert speech.line("late").fate is fate
        assert speech.line("late").why == ("late" if fate is Fate.DROPPED else "")


def test_a_long_event_is_said_to_its_end() -> None:
    """All lines of one event are said, although the last one waits longer than a line may."""
    speech = Speech()
    speech.voice.lengths_s = lambda text: 6.0
    speech.tell(
        *(SpeechLine(f"{name} takes 4 tiles.", Topic.RESULT) for name in ("Ann", "Ben", "Cem"))
    )
    speech.tell(*lines("One.", "Two.", "Three.", "Four."), wait_s=60.0)
    assert speech.said[:3] == ["Ann takes 4 tiles.", "Ben takes 4 tiles.", "Cem takes 4 tiles."]
    assert speech.line("One.").why == "late"


# --- levels, switches, volume, language -----------------------------------------------------------


@pytest.mark.parametrize(
    ("level", "said"),
    [
        (Level.TERSE, ["21"]),
        (Level.NORMAL, ["21", "Counter-clockwise.", "Ben to play."]),
        (Level.FULL, ["The 7.", "21", "Counter-clockwise.", "Ben to play."]),
    ],
)
def test_the_level_says_how_much_is_said(level: Level, said: list[str]) -> None:
    speech = Speech(Settings("en", level))
    speech.tell(CARD, total(21), WAY, turn("Ben"), wait_s=5.0)
    assert speech.said == said
    dropped = {line.why for line in speech.announcer.transcript if line.fate is Fate.DROPPED}
    assert dropped == ({level.value} if len(said) < 4 else set())


def test_each_level_says_what_the_one_before_says_and_more() -> None:
    assert SAID[Level.TERSE] < SAID[Level.NORMAL] < SAID[Level.FULL] == set(Topic)


@pytest.mark.parametrize("table", [PATIENCE_S, STALE])
def test_every_topic_has_its_rules(table: Mapping[Topic, object]) -> None:
    assert set(table) == set(Topic)


def test_a_topic_that_is_switched_off_is_not_said() -> None:
    speech = Speech(replace(NORMAL, silent=frozenset({Topic.TURN})))
    speech.tell(total(21), turn("Ben"), wait_s=5.0)
    assert speech.fates == [("21", Fate.SAID, ""), ("Ben to play.", Fate.DROPPED, "silent")]


def test_what_somebody_asks_for_is_said_at_any_level() -> None:
    silent = frozenset({Topic.TURN})
    speech = Speech(Settings("en", Level.TERSE, silent=silent))
    speech.tell(*as_requested([total(21), WAY, turn("Ben")]), wait_s=5.0)
    assert speech.said == ["21", "Counter-clockwise.", "Ben to play."]


def test_a_line_that_is_left_out_still_tells_that_things_stand_otherwise() -> None:
    speech = Speech(Settings("en", Level.TERSE))
    speech.tell(WON, ASKS, wait_s=0.2)
    speech.tell(turn("Ben"))
    assert speech.line(ASKS.text).why == "superseded"


def test_the_volume_is_the_voices() -> None:
    speech = Speech(replace(NORMAL, volume=70))
    speech.tell(total(21))
    speech.settings = replace(NORMAL, volume=40)
    speech.tell(total(28))
    assert speech.voice.volumes == [70, 40]


def test_a_table_that_is_muted_falls_silent_at_once() -> None:
    speech = Speech()
    speech.tell(total(21), turn("Ben"), wait_s=0.2)
    speech.settings = replace(NORMAL, volume=0)
    speech.tell()
    assert not speech.voice.is_speaking
    speech.tell(*as_requested([total(28)]), wait_s=5.0)
    assert speech.fates == [
        ("21", Fate.INTERRUPTED, "muted"),
        ("Ben to play.", Fate.DROPPED, "muted"),
        ("28", Fate.DROPPED, "muted"),
    ]


def test_a_line_is_said_in_the_language_it_was_written_in() -> None:
    speech = Speech()
    speech.tell(total(21), turn("Ben"))
    speech.settings = replace(NORMAL, language="de")
    speech.tell(SpeechLine("Anna ist dran.", Topic.NEWS), wait_s=5.0)
    assert speech.voice.said == [("21", "en"), ("Ben to play.", "en"), ("Anna ist dran.", "de")]


# --- the transcript -------------------------------------------------------------------------------


@pytest.mark.parametrize(("sounded_s", "is_heard"), [(HEARD_S + 0.1, True), (0.1, False)])
def test_what_was_cut_off_within_its_first_moment_nobody_heard(
    sounded_s: float, is_heard: bool
) -> None:
    speech = Speech()
    speech.tell(total(21), turn("Ben"), wait_s=sounded_s)
    speech.tell(CORRECTED)
    assert speech.line("21").is_heard is is_heard
    assert not speech.line("Ben to play.").is_heard
    texts = [text for _, text in audible_texts(speech.announcer.transcript)]
    assert texts == (["21."] if is_heard else []) + [CORRECTED.text]
