"""The announcer, which decides what the voice says and when, and records each line's fate.

Lines arrive with the event that they describe. The loop calls ``advance`` with the time. Neither
the announcer nor the voice (``hardware.ports.Voice``) ever makes the loop wait.

The table never says anything out of date. An urgent line interrupts the line being spoken. A
waiting line is dropped if a newer event makes it stale, or if it could not begin in time.
Source: docs/voice.md.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby

from engines.common.contract import Topic
from firmware.voice.settings import Level, Settings
from firmware.voice.speech import SpeechLine
from hardware.ports import Voice

TRANSCRIPT_LINES = 500  # the transcript forgets older lines
HEARD_S = 0.4  # a line cut off after at least this time counts as heard

# The topics that are said at each level.
_TERSE = frozenset(
    {
        Topic.TOTAL,
        Topic.RESULT,
        Topic.QUESTION,
        Topic.REFUSAL,
        Topic.CORRECTION,
        Topic.FAULT,
        Topic.ITEM,
        Topic.LESSON,
    }
)
_NORMAL = _TERSE | {Topic.NEWS, Topic.TURN, Topic.DIRECTION, Topic.HELP}
SAID: Mapping[Level, frozenset[Topic]] = {
    Level.TERSE: _TERSE,
    Level.NORMAL: _NORMAL,
    Level.FULL: _NORMAL | {Topic.CARD},
}

# A line must begin within this time after its event, or after the end of the line before it in the
# same event. No line takes more than six seconds, so a total can wait for any line being spoken.
PATIENCE_S: Mapping[Topic, float] = {
    Topic.TOTAL: 6.0,
    Topic.RESULT: 15.0,
    Topic.QUESTION: 10.0,
    Topic.REFUSAL: 3.0,
    Topic.CORRECTION: 3.0,
    Topic.FAULT: 15.0,
    Topic.ITEM: 2.0,
    Topic.NEWS: 8.0,
    Topic.TURN: 8.0,
    Topic.HELP: 6.0,
    Topic.LESSON: 10.0,
    Topic.CARD: 3.0,
    Topic.DIRECTION: 6.0,
}

# Topics that interrupt the line being spoken.
PRESSING = frozenset({Topic.REFUSAL, Topic.CORRECTION})

# Topics that describe the state of the game, which a newer event changes.
STANDING = frozenset(
    {Topic.TURN, Topic.DIRECTION, Topic.QUESTION, Topic.HELP, Topic.CARD, Topic.ITEM}
)
# For each topic of a new line: the topics of the waiting lines that it makes stale.
STALE: Mapping[Topic, frozenset[Topic]] = {
    **dict.fromkeys(STANDING | {Topic.RESULT}, STANDING),
    Topic.HELP: frozenset({Topic.HELP}),
    Topic.TOTAL: STANDING | {Topic.TOTAL},
    Topic.CORRECTION: frozenset(Topic) - {Topic.FAULT},  # the events before it were undone
    Topic.REFUSAL: frozenset({Topic.REFUSAL}),
    Topic.NEWS: frozenset(),
    Topic.LESSON: frozenset({Topic.LESSON}),
    Topic.FAULT: frozenset(),
}

# The reasons for dropping a line. If the level leaves a line out, the reason is the level's name.
SUPERSEDED, LATE, SILENT, MUTED = "superseded", "late", "silent", "muted"
REASONS = (SUPERSEDED, LATE, Level.TERSE.value, Level.NORMAL.value, SILENT, MUTED)


class Fate(Enum):
    """The fate of a line so far: WAITING and SPEAKING change, the others are final."""

    WAITING = "waiting"
    SPEAKING = "speaking"
    SAID = "said"
    INTERRUPTED = "interrupted"
    DROPPED = "dropped"


@dataclass(eq=False, slots=True)
class Utterance:
    """A line of the transcript and its fate. Only the announcer changes it.

    All lines of an event have the same *event* number and time *at_s*, and are numbered from 0 by
    *line*. The voice gets *words*; *text* is the same with a capital and a full stop, for the
    transcript. The line must begin before *due_s*. If it *is_pressing*, it interrupts the line
    being spoken. *why* is the reason if it was dropped or interrupted. *began_s* and *ended_s* are
    None before the voice has begun or ended it. All times are in seconds on the loop's clock.
    """

    event: int
    line: int
    at_s: float
    language: str
    topic: Topic
    words: str
    text: str
    due_s: float
    is_pressing: bool = False
    fate: Fate = Fate.WAITING
    why: str = ""
    began_s: float | None = None
    ended_s: float | None = None

    @property
    def is_heard(self) -> bool:
        """True unless the line was dropped, or was interrupted too early to be understood."""
        if self.fate is Fate.INTERRUPTED:
            assert self.began_s is not None
            assert self.ended_s is not None
            return self.ended_s - self.began_s >= HEARD_S
        return self.fate is not Fate.DROPPED


class Announcer:
    """A queue of lines that *voice* says one at a time, and a transcript of all lines."""

    def __init__(self, voice: Voice) -> None:
        self.transcript: deque[Utterance] = deque(maxlen=TRANSCRIPT_LINES)
        self._voice = voice
        self._changed: deque[Utterance] = deque(maxlen=TRANSCRIPT_LINES)  # lines with a new fate
        self._queue: deque[Utterance] = deque()  # waiting lines, the next one first
        self._speaking: Utterance | None = None
        self._total: Utterance | None = None  # the newest total since the last correction
        self._now_s = 0.0  # time of the last call of ``advance``

    def announce(self, lines: Sequence[SpeechLine], settings: Settings, at_s: float) -> None:
        """Queue *lines*, which describe one event at *at_s*; ``advance`` makes the voice say them.

        The present *settings* decide which lines are left out. Volume 0 silences the voice.
        """
        self._voice.set_volume(settings.volume)
        if not settings.volume:
            self.hush(MUTED)
        utterances = self._utterances([line for line in lines if line.text], settings, at_s)
        topics = {utterance.topic for utterance in utterances}
        stale = frozenset[Topic]().union(*(STALE[topic] for topic in topics))
        self._drop([waiting for waiting in self._queue if waiting.topic in stale], SUPERSEDED)
        if Topic.CORRECTION in topics:
            self._total = None
        self.transcript.extend(utterances)
        self._changed.extend(utterances)
        fresh = [utterance for utterance in utterances if utterance.fate is Fate.WAITING]
        overdue = [utterance for utterance in fresh if self._is_overdue_total(utterance)]
        for utterance in overdue:
            utterance.is_pressing = True
        for utterance in fresh:
            self._voice.prepare(utterance.words, utterance.language)
        self._total = next((u for u in fresh if u.topic is Topic.TOTAL), self._total)
        fresh.sort(key=lambda u: (u not in overdue, not u.is_pressing))
        pressing = [utterance for utterance in fresh if utterance.is_pressing]
        others = [utterance for utterance in fresh if not utterance.is_pressing]
        older = list(self._queue)
        # Lines that are not pressing go behind the older lines, unless their event has a total:
        # then they go before the older lines.
        behind = [*others, *older] if Topic.TOTAL in topics else [*older, *others]
        self._queue = deque([*pressing, *behind])

    def advance(self, now_s: float) -> None:
        """Advance to time *now_s*: end a finished line, interrupt or drop lines, begin the next."""
        self._now_s = now_s
        if self._speaking is not None and not self._voice.is_speaking:
            self._end(Fate.SAID)
        while self._queue:
            following, speaking = self._queue[0], self._speaking
            is_same_event = speaking is not None and speaking.event == following.event
            if following.due_s < now_s and not is_same_event:
                self._drop([following], LATE)
                continue
            if speaking is not None:
                if not (following.is_pressing and following.event > speaking.event):
                    return
                self._end(Fate.INTERRUPTED, following.topic.value)
            self._begin(self._queue.popleft())

    def hush(self, why: str) -> None:
        """Silence the voice at once and drop all waiting lines, both with the reason *why*."""
        self._voice.hush()
        if self._speaking is not None:
            self._end(Fate.INTERRUPTED, why)
        self._drop(list(self._queue), why)

    @property
    def is_busy(self) -> bool:
        """True while a line is being spoken or waits."""
        return self._speaking is not None or bool(self._queue)

    def take_changes(self) -> tuple[Utterance, ...]:
        """Return the lines that are new or have a new fate since the last call, each once."""
        changed = tuple(dict.fromkeys(self._changed))
        self._changed.clear()
        return changed

    def _utterances(
        self, lines: Sequence[SpeechLine], settings: Settings, at_s: float
    ) -> list[Utterance]:
        """Return *lines* as utterances of one event. Those left out by *settings* are DROPPED."""
        event = self.transcript[-1].event + 1 if self.transcript else 1
        # A player who requests something, or turns to a list item, wants all lines now, in order.
        is_wanted = any(line.is_requested or line.topic is Topic.ITEM for line in lines)
        utterances: list[Utterance] = []
        texts = _punctuate(line.text for line in lines)
        for number, (line, text) in enumerate(zip(lines, texts, strict=True)):
            why = _reason_to_omit(line, settings)
            utterances.append(
                Utterance(
                    event,
                    number,
                    at_s,
                    settings.language,
                    line.topic,
                    line.text,
                    text,
                    at_s + PATIENCE_S[line.topic],
                    is_wanted or line.topic in PRESSING,
                    Fate.DROPPED if why else Fate.WAITING,
                    why,
                )
            )
        return utterances

    def _is_overdue_total(self, fresh: Utterance) -> bool:
        """Return True if *fresh* is a total, and the previous total has not begun to sound."""
        return (
            fresh.topic is Topic.TOTAL and self._total is not None and self._total.began_s is None
        )

    def _begin(self, utterance: Utterance) -> None:
        utterance.fate, utterance.began_s = Fate.SPEAKING, self._now_s
        self._speaking = utterance
        self._changed.append(utterance)
        self._voice.say(utterance.words, utterance.language)
        if not self._voice.is_speaking:  # a silent voice has finished at once
            self._end(Fate.SAID)

    def _end(self, fate: Fate, why: str = "") -> None:
        """Record *fate* for the line being spoken.

        If the line was said to its end, the time limit for the other lines of its event starts now.
        """
        ended, self._speaking = self._speaking, None
        assert ended is not None, "a line is being spoken"
        ended.fate, ended.why, ended.ended_s = fate, why, self._now_s
        self._changed.append(ended)
        for waiting in self._queue:
            if waiting.event == ended.event and fate is Fate.SAID:
                waiting.due_s = self._now_s + PATIENCE_S[waiting.topic]

    def _drop(self, dropped: Iterable[Utterance], why: str) -> None:
        for utterance in dropped:
            self._queue.remove(utterance)
            utterance.fate, utterance.why = Fate.DROPPED, why
            self._changed.append(utterance)


def _reason_to_omit(line: SpeechLine, settings: Settings) -> str:
    """Return the reason why *settings* leave *line* out, one of REASONS; empty if it is said."""
    if not settings.volume:
        return MUTED
    if line.is_requested:
        return ""
    if line.topic in settings.silent:
        return SILENT
    return "" if line.topic in SAID[settings.level] else settings.level.value


def audible_texts(transcript: Iterable[Utterance]) -> Iterator[tuple[str, str]]:
    """Yield the language and the text of each event of *transcript*, without unheard lines."""
    for _, utterances in groupby(transcript, lambda utterance: utterance.event):
        if lines := [utterance for utterance in utterances if utterance.is_heard]:
            yield lines[0].language, " ".join(line.text for line in lines)


def join_sentences(sentences: Iterable[str]) -> str:
    """Return *sentences*, none of them empty, as one text with capitals and full stops."""
    return " ".join(_punctuate(sentences))


def _punctuate(sentences: Iterable[str]) -> Iterator[str]:
    """Yield each sentence with a capital, unless it follows a colon, and with a full stop."""
    is_after_colon = False
    for sentence in sentences:
        text = sentence if is_after_colon else sentence[0].upper() + sentence[1:]
        is_after_colon = text.endswith(":")
        yield text if text[-1] in ".!?:" else f"{text}."
