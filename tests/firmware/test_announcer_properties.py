"""Nothing out of date is said, for any announcements and any lengths of lines."""

from dataclasses import dataclass
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engines.common.contract import Topic
from firmware.voice.announcer import PATIENCE_S, PRESSING, SAID, Fate, Utterance
from firmware.voice.settings import Level, Settings
from firmware.voice.speech import SpeechLine
from tests.firmware.test_announcer import Speech

ROUNDING_S = 1e-6
OVER = {Fate.SAID, Fate.INTERRUPTED, Fate.DROPPED}
SLOW_PASS_S = 0.05  # longer than the loop's passes, which saves time and changes nothing here
ALL_SAID_S = 60.0  # longer than any line waits

# Topics of one event: an urgent one, or several others with at most one total.
OF_A_PLAY = sorted(set(Topic) - PRESSING, key=lambda topic: topic.value)
topics = st.one_of(
    st.just([Topic.REFUSAL]),
    st.tuples(st.just(Topic.CORRECTION), st.sampled_from(OF_A_PLAY)),
    st.lists(st.sampled_from(OF_A_PLAY), min_size=1, max_size=4, unique=True),
    st.just([Topic.TOTAL, Topic.TURN]),
)


@dataclass(frozen=True)
class Told:
    """An event: the topics and lengths of its lines, and the seconds until the next event."""

    topics: tuple[Topic, ...]
    lengths_s: tuple[float, ...]
    gap_s: float


@st.composite
def events(draw: st.DrawFn) -> Told:
    of = tuple(draw(topics))
    lengths = st.sampled_from((0.0, 0.05, 0.3, 1.0, 2.5, 6.0))
    gap_s = draw(st.sampled_from((0.0, SLOW_PASS_S, 0.2, 0.7, 3.0, 9.0)))
    return Told(of, tuple(draw(lengths) for _ in of), gap_s)


class Watched(Speech):
    """An announcer whose rules are checked after each pass of the loop."""

    pass_s = SLOW_PASS_S

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.lengths: dict[str, float] = {}
        self.voice.lengths_s = self.lengths.__getitem__
        self.begun: list[Utterance] = []
        self.number = 0

    def play(self, told: Told) -> None:
        said = []
        for topic, length_s in zip(told.topics, told.lengths_s, strict=True):
            self.number += 1
            said.append(SpeechLine(f"{self.number}", topic))
            self.lengths[str(self.number)] = length_s
        self.tell(*said)
        self.look()
        urgent = [line for line in self.newest if line.topic in PRESSING]
        assert all(line.began_s == self.clock.now() for line in urgent), "at once"
        self.wait(told.gap_s)

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds / self.pass_s)):
            super().wait(self.pass_s)
            self.look()

    @property
    def newest(self) -> list[Utterance]:
        transcript = self.announcer.transcript
        return [line for line in transcript if line.event == transcript[-1].event]

    def look(self) -> None:
        """Check the rules that must hold at every moment."""
        transcript = self.announcer.transcript
        begun = [line for line in transcript if line.began_s is not None]
        fresh = [line for line in begun if line not in self.begun]
        for line in fresh:
            assert line.began_s is not None
            before = (o.ended_s for o in transcript if o.event == line.event and o is not line)
            since_s = max([line.at_s, *(ended_s for ended_s in before if ended_s is not None)])
            assert line.began_s <= since_s + PATIENCE_S[line.topic] + ROUNDING_S, "late"
        self.begun += sorted(fresh, key=lambda line: self.said.index(line.words))
        assert [line.words for line in self.begun] == self.said, "each begun line once"
        assert len([line for line in transcript if line.fate is Fate.SPEAKING]) <= 1
        assert sum(total.began_s is None for total in self._owed()) <= 1, "a total is two behind"

    def _owed(self) -> list[Utterance]:
        """Return the totals announced after the last one that was begun, or since a correction."""
        owed: list[Utterance] = []
        for line in self.announcer.transcript:
            if line.topic is Topic.CORRECTION or line.began_s is not None:
                owed = [] if line.topic in (Topic.CORRECTION, Topic.TOTAL) else owed
            elif line.topic is Topic.TOTAL:
                owed.append(line)
        return owed


@given(st.lists(events(), max_size=10), st.sampled_from(Level))
def test_nothing_stale_is_ever_said(told: list[Told], level: Level) -> None:
    """No line is late, no total comes after a newer one, and refusals are said at once."""
    speech = Watched(Settings("en", level))
    for event in told:
        speech.play(event)
    speech.wait(ALL_SAID_S)
    totals = [line.event for line in speech.begun if line.topic is Topic.TOTAL]
    assert all(older <= newer for older, newer in pairwise(totals)), "an old total after a newer"
    transcript = speech.announcer.transcript
    assert len(transcript) == sum(len(event.topics) for event in told)
    for line in transcript:
        assert line.fate in OVER
        assert (line.fate is Fate.DROPPED) == (line.began_s is None)
        assert (line.fate is Fate.SAID) == (line.why == "")
        if line.topic not in SAID[level]:
            assert (line.fate, line.why) == (Fate.DROPPED, level.value)
