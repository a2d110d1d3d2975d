"""The announcer: decides which line is said when, and keeps what became of each.

Room: firmware. Lines come in with the events they tell of; a turn of the loop brings the time. It
never waits, and the voice it hands lines to does not either (``hardware.ports.Voice``).

Nothing that is said is stale. What must be heard now cuts off what sounds; what a newer event has
overtaken is dropped, and so is what could not begin in time: nothing is read late.
Source: docs/voice.md.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby

from engines.common.contract import Topic
from firmware.settings import Level, Settings
from firmware.speech import Line
from hardware.ports import Voice

KEPT = 500  # lines a transcript reaches back
HEARD_S = 0.4  # a line that sounded for so long was understood, or asked about

# What is said at each level: what is said at the one before, and more.
_TERSE = frozenset(
    {
        Topic.TOTAL,
        Topic.RESULT,
        Topic.QUESTION,
        Topic.REFUSAL,
        Topic.CORRECTION,
        Topic.FAULT,
        Topic.ITEM,
    }
)
_NORMAL = _TERSE | {Topic.NEWS, Topic.TURN, Topic.DIRECTION, Topic.HELP}
SAID: Mapping[Level, frozenset[Topic]] = {
    Level.TERSE: _TERSE,
    Level.NORMAL: _NORMAL,
    Level.FULL: _NORMAL | {Topic.CARD},
}

# How long after its event a line may begin, or after the line before it in the same event. No line
# is longer than six seconds, so a total outlasts whatever sounds when it comes.
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
    Topic.CARD: 3.0,
    Topic.DIRECTION: 6.0,
}

# What cuts off whatever sounds.
PRESSING = frozenset({Topic.REFUSAL, Topic.CORRECTION})

# Which waiting lines are stale as soon as a newer event tells of a topic: how things stood before.
STANDING = frozenset(
    {Topic.TURN, Topic.DIRECTION, Topic.QUESTION, Topic.HELP, Topic.CARD, Topic.ITEM}
)
STALE: Mapping[Topic, frozenset[Topic]] = {
    **dict.fromkeys(STANDING | {Topic.RESULT}, STANDING),
    Topic.HELP: frozenset({Topic.HELP}),
    Topic.TOTAL: STANDING | {Topic.TOTAL},
    Topic.CORRECTION: frozenset(Topic) - {Topic.FAULT},  # what was undone did not happen
    Topic.REFUSAL: frozenset({Topic.REFUSAL}),
    Topic.NEWS: frozenset(),
    Topic.FAULT: frozenset(),
}

# Why a line was dropped; the name of the level, where that leaves it out.
SUPERSEDED, LATE, SILENT, MUTED = "superseded", "late", "silent", "muted"
REASONS = (SUPERSEDED, LATE, Level.TERSE.value, Level.NORMAL.value, SILENT, MUTED)


class Fate(Enum):
    """What became of a line; of one that waits or sounds it is not decided yet."""

    WAITING = "waiting"
    SPEAKING = "speaking"
    SAID = "said"
    INTERRUPTED = "interrupted"
    DROPPED = "dropped"


@dataclass(eq=False, slots=True)
class Utterance:
    """One line of the transcript, and what became of it; the announcer alone changes it.

    Lines of one *event* have its number and its moment *at_s*. *words* is what the voice is handed,
    *text* how it reads among the others. It was dropped, or cut off, because of *why*. It may begin
    until *due_s*.
    """

    event: int
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
        """Whether somebody hears it, as things stand: it sounds, did so for a moment, or waits."""
        if self.fate is Fate.INTERRUPTED:
            assert self.began_s is not None
            assert self.ended_s is not None
            return self.ended_s - self.began_s >= HEARD_S
        return self.fate is not Fate.DROPPED


class Announcer:
    """Hands *voice* one line after the other, as *settings* and the lines' topics have it."""

    def __init__(self, voice: Voice, settings: Settings) -> None:
        self.transcript: deque[Utterance] = deque(maxlen=KEPT)
        self._voice = voice
        self._settings = settings
        self._queue: deque[Utterance] = deque()  # what waits, in the order it is to be said
        self._speaking: Utterance | None = None
        self._total: Utterance | None = None  # the newest total, since anything was taken back
        self._now_s = 0.0  # of the last turn
        voice.set_volume(settings.volume)

    @property
    def settings(self) -> Settings:
        """How the table speaks now."""
        return self._settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        if settings.volume != self._settings.volume:
            self._voice.set_volume(settings.volume)
        self._settings = settings
        if not settings.volume:
            self.hush(MUTED)

    def announce(self, lines: Sequence[Line], at_s: float) -> None:
        """Have *lines* said, which tell of one event at *at_s*; ``turn`` begins them."""
        uttered = self._uttered([line for line in lines if line.text], at_s)
        topics = {utterance.topic for utterance in uttered}
        stale = frozenset[Topic]().union(*(STALE[topic] for topic in topics))
        self._drop([waiting for waiting in self._queue if waiting.topic in stale], SUPERSEDED)
        if Topic.CORRECTION in topics:
            self._total = None
        self.transcript.extend(uttered)
        fresh = [utterance for utterance in uttered if utterance.fate is Fate.WAITING]
        owed = [utterance for utterance in fresh if self._is_behind(utterance)]
        for utterance in owed:
            utterance.is_pressing = True
        for utterance in fresh:
            self._voice.prepare(utterance.words, utterance.language)
        self._total = next((u for u in fresh if u.topic is Topic.TOTAL), self._total)
        fresh.sort(key=lambda u: (u not in owed, not u.is_pressing))
        pressing = [utterance for utterance in fresh if utterance.is_pressing]
        others = [utterance for utterance in fresh if not utterance.is_pressing]
        older = list(self._queue)
        # What else an event tells does not come between people and its total.
        behind = [*others, *older] if Topic.TOTAL in topics else [*older, *others]
        self._queue = deque([*pressing, *behind])

    def turn(self, now_s: float) -> None:
        """Go on: see what has been said, cut off what must give way, begin what is next."""
        self._now_s = now_s
        if self._speaking is not None and not self._voice.is_speaking:
            self._end(Fate.SAID)
        while self._queue:
            following, speaking = self._queue[0], self._speaking
            is_going_on = speaking is not None and speaking.event == following.event
            if following.due_s < now_s and not is_going_on:
                self._drop([following], LATE)
                continue
            if speaking is not None:
                if not (following.is_pressing and following.event > speaking.event):
                    return
                self._end(Fate.INTERRUPTED, following.topic.value)
            self._begin(self._queue.popleft())

    def hush(self, why: str) -> None:
        """Fall silent at once, because of *why*, and forget what waits."""
        self._voice.hush()
        if self._speaking is not None:
            self._end(Fate.INTERRUPTED, why)
        self._drop(list(self._queue), why)

    def _uttered(self, lines: Sequence[Line], at_s: float) -> list[Utterance]:
        """*lines* as one event of the transcript; those the table leaves out are dropped."""
        event = self.transcript[-1].event + 1 if self.transcript else 1
        # What people asked for, or turned to, is wanted now and in its order.
        is_wanted = any(line.is_asked or line.topic is Topic.ITEM for line in lines)
        uttered: list[Utterance] = []
        for line, text in zip(lines, _read(line.text for line in lines), strict=True):
            why = self._left_out(line)
            uttered.append(
                Utterance(
                    event,
                    at_s,
                    self._settings.language,
                    line.topic,
                    line.text,
                    text,
                    at_s + PATIENCE_S[line.topic],
                    is_wanted or line.topic in PRESSING,
                    Fate.DROPPED if why else Fate.WAITING,
                    why,
                )
            )
        return uttered

    def _left_out(self, line: Line) -> str:
        """Why *line* is not to be said at all; nothing if it is."""
        settings = self._settings
        if not settings.volume:
            return MUTED
        if line.is_asked:
            return ""
        if line.topic in settings.silent:
            return SILENT
        return "" if line.topic in SAID[settings.level] else settings.level.value

    def _is_behind(self, fresh: Utterance) -> bool:
        """Whether *fresh* is a total, and nobody has heard the one before it either."""
        return (
            fresh.topic is Topic.TOTAL and self._total is not None and self._total.began_s is None
        )

    def _begin(self, utterance: Utterance) -> None:
        utterance.fate, utterance.began_s = Fate.SPEAKING, self._now_s
        self._speaking = utterance
        self._voice.say(utterance.words, utterance.language)
        if not self._voice.is_speaking:  # a voice that makes no sound is done at once
            self._end(Fate.SAID)

    def _end(self, fate: Fate, why: str = "") -> None:
        """What sounds has ended, or has to; what follows it in its event waits from now on."""
        ended, self._speaking = self._speaking, None
        assert ended is not None, "something sounds"
        ended.fate, ended.why, ended.ended_s = fate, why, self._now_s
        for waiting in self._queue:
            if waiting.event == ended.event and fate is Fate.SAID:
                waiting.due_s = self._now_s + PATIENCE_S[waiting.topic]

    def _drop(self, dropped: Iterable[Utterance], why: str) -> None:
        for utterance in dropped:
            self._queue.remove(utterance)
            utterance.fate, utterance.why = Fate.DROPPED, why


def heard(transcript: Iterable[Utterance]) -> Iterator[tuple[str, str]]:
    """What is heard of each event of *transcript*, as its language and one text."""
    for _, uttered in groupby(transcript, lambda utterance: utterance.event):
        if lines := [utterance for utterance in uttered if utterance.is_heard]:
            yield lines[0].language, " ".join(line.text for line in lines)


def in_one_breath(sentences: Iterable[str]) -> str:
    """*sentences* as one text, with capitals and stops."""
    return " ".join(_read(sentences))


def _read(sentences: Iterable[str]) -> Iterator[str]:
    """*sentences*, none of them empty, as each is read among the others."""
    goes_on = False
    for sentence in sentences:
        text = _ended(sentence if goes_on else _begun(sentence))
        goes_on = text.endswith(":")
        yield text


def _ended(sentence: str) -> str:
    """*sentence* with an end, as it is read among others."""
    return sentence if sentence[-1] in ".!?:" else f"{sentence}."


def _begun(sentence: str) -> str:
    """*sentence* with a capital at its beginning."""
    return sentence[0].upper() + sentence[1:]
