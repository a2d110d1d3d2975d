"""The voice of a computer, which plays recordings, synthesized speech or tones.

May import: the standard library, hardware.
May be imported by: hardware.drivers.pi, firmware.runtime.wiring, tests.
"""

import logging
import threading
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from hardware.clips import Clips
from hardware.drivers import espeak, piper
from hardware.drivers.player import NOT_HEARD, Player, ways
from hardware.drivers.sound_cache import SoundCache
from hardware.drivers.synthesis import Synthesis
from hardware.errors import SpeechFault, TooSlow
from hardware.ports import Speech
from hardware.sound import Sound, silence, tone

log = logging.getLogger(__name__)

RETRY_S = 5.0  # time between attempts to use a device that failed
CLOSE_LIMIT_S = 2.0  # a sound driver may keep its program from ending; the exit must not wait
AHEAD = 64  # the most texts that wait to be prepared; then the oldest is dropped
NUMBERS = range(101)  # prepared for each language that is used; most totals are among them
DEVICE = "the sound device"
PROBE = silence(0.05)
TONE = tone(660.0, 0.15)  # for a text without a sound: players look at the display


class SoundSource(Protocol):
    """A source of sounds, such as a clip pack or a synthesis."""

    @property
    def name(self) -> str:
        """The name of the source in messages."""
        ...

    def sound(self, text: str, language: str) -> Sound | None:
        """Return the sound of *text*, or None if this source has no sound for the text.

        Raises:
            SpeechFault: it has a sound, but fails to make it.
        """
        ...

    def prepare(self, text: str, language: str) -> bool:
        """Make the sound of *text*, however long that takes; return True if there is one.

        Raises:
            SpeechFault: it has a sound, but fails to make it.
        """
        ...

    def close(self) -> None:
        """Stop all work and release everything."""
        ...


class Speaker:
    """A ``hardware.ports.Voice`` that says the newest text at once.

    One daemon thread speaks and another prepares. If the sound device fails, texts are dropped, and
    the device is tested with a moment of silence every ``RETRY_S`` seconds. If a source fails, the
    next source is used. Failures and recoveries are logged.

    Args:
        sources: asked in this order. If no source has a sound, a tone is played.
        player: plays the sounds.
        lacks: what this computer lacks for good speech and, after a semicolon, what to do; or "".
    """

    def __init__(self, sources: Sequence[SoundSource], player: Player, lacks: str = "") -> None:
        self._sources, self._player, self._lacks = tuple(sources), player, lacks
        self._changed = threading.Condition()
        self._wanted: tuple[str, str] | None = None
        self._is_busy = False
        self._is_closed = False
        self._volume = 100
        self._problems: dict[str, str] = {}  # by the name of a source, or DEVICE
        self._ahead: deque[tuple[str, str]] = deque(maxlen=AHEAD)
        self._numbers: deque[tuple[str, str]] = deque()  # prepared when ``_ahead`` is empty
        self._languages: set[str] = set()  # their numbers are prepared or queued
        if lacks:
            log.warning("%s", f"no speech: {lacks}")
        self._threads = [
            threading.Thread(target=self._speak_on, name="voice", daemon=True),
            threading.Thread(target=self._prepare_on, name="voice ahead", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def is_speaking(self) -> bool:
        """True while a text is being said or is about to be said."""
        with self._changed:
            return self._has_words

    def say(self, text: str, language: str) -> None:
        """Begin to say *text* at once, and cut off the text before."""
        with self._changed:
            if not self._is_dead:
                self._wanted = (text, language)
                self._player.cut()
            if language not in self._languages:
                self._languages.add(language)
                self._numbers.extend((str(number), language) for number in NUMBERS)
            self._changed.notify_all()

    def prepare(self, text: str, language: str) -> None:
        """Make the sound of *text* in idle time, so that it can be said at once later."""
        with self._changed:
            if (text, language) not in self._ahead:
                self._ahead.append((text, language))
                self._changed.notify_all()

    def hush(self) -> None:
        """Stop speaking at once, even in the middle of a word."""
        with self._changed:
            self._wanted = None
            self._player.cut()

    def set_volume(self, percent: int) -> None:
        """Set the volume of the next texts, from 0 to 100."""
        self._volume = min(max(percent, 0), 100)

    def trouble(self, within_s: float) -> str:
        """Return why speech cannot be heard and, after a semicolon, what to do; "" if it works.

        Waits until everything is said, but no longer than *within_s* seconds.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: not self._has_words, within_s):
                return NOT_HEARD.format(problem=f"the speech did not end within {within_s:g} s")
            problems = (self._lacks, self._problems.get(DEVICE, ""), *self._problems.values())
        return next(filter(None, problems), "")

    def close(self) -> None:
        """Stop speaking at once, and end both threads; safe to call twice."""
        with self._changed:
            self._is_closed = True
            self._wanted = None
            self._player.close()
            self._changed.notify_all()
        for source in self._sources:
            source.close()
        for thread in self._threads:
            thread.join(CLOSE_LIMIT_S)

    @property
    def _has_words(self) -> bool:
        return self._wanted is not None or self._is_busy

    @property
    def _is_dead(self) -> bool:
        return bool(self._problems.get(DEVICE))

    # --- speaking ---

    def _speak_on(self) -> None:
        self._try()
        while not self._is_closed:
            with self._changed:
                self._is_busy = False
                self._changed.notify_all()
            if not (self.is_speaking or self._is_dead):
                self._player.stand_by()
            words, cuts = self._next()
            if words is not None:
                self._speak(*words, cuts)
            elif self._is_dead:
                self._try()
        self._player.forget()

    def _next(self) -> tuple[tuple[str, str] | None, int]:
        """Wait for a text; return the text with its language, and the present ``Player.cuts``.

        Text and language are None if the voice was closed, or if it is time to test a failed sound
        device again.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: self._is_closed or self._wanted, RETRY_S if self._is_dead else None
            )
            words, self._wanted = self._wanted, None
            self._is_busy = words is not None
            return words, self._player.cuts

    def _speak(self, text: str, language: str, cuts: int) -> None:
        sound = self._sound(text, language)
        if cuts == self._player.cuts:
            self._play(sound, self._volume, cuts)

    def _try(self) -> None:
        """Test the sound device with a moment of silence, and record the result."""
        self._play(PROBE, 100, self._player.cuts)

    def _play(self, sound: Sound, percent: int, cuts: int) -> None:
        try:
            self._player.play(sound, percent, cuts)
        except SpeechFault as fault:
            self._report(DEVICE, str(fault))
        else:
            if cuts == self._player.cuts:
                self._report(DEVICE, "")

    def _sound(self, text: str, language: str) -> Sound:
        for source in self._sources:
            try:
                sound = source.sound(text, language)
            except TooSlow:
                self.prepare(text, language)
                continue
            except SpeechFault as fault:
                self._report(source.name, str(fault))
                continue
            if sound is not None:
                self._report(source.name, "")
                return sound
        return TONE

    def _report(self, who: str, problem: str) -> None:
        """Record the *problem* of *who*; "" means that it works.

        Log the beginning and the end of each problem. *who* is the name of a source, or DEVICE.
        """
        with self._changed:
            before = self._problems.get(who, "")
            self._problems[who] = problem
            is_closed = self._is_closed
        if is_closed or bool(before) is bool(problem):
            return
        if not problem:
            text = "speech is back" if who == DEVICE else "speech: {source} is back"
        elif who == DEVICE:
            text = "no speech: {problem}; the table continues without speech"
        else:
            text = "speech: {problem}; another source speaks instead"
        log.warning("%s", text.format(source=who, problem=problem))

    # --- preparing ---

    def _prepare_on(self) -> None:
        while (words := self._next_ahead()) is not None:
            for source in self._sources:
                try:
                    if source.prepare(*words):
                        break
                except SpeechFault:
                    continue  # reported when the text is to be said

    def _next_ahead(self) -> tuple[str, str] | None:
        """Wait for a text to prepare, and return it with its language; None if closed.

        Numbers are prepared only in silence, if no other text is waiting.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: self._is_closed or self._ahead or (self._numbers and not self._has_words)
            )
            if self._is_closed:
                return None
            return self._ahead.pop() if self._ahead else self._numbers.popleft()


def open_speaker(speech: Speech) -> Speaker:
    """Return the voice of this computer with the settings *speech*."""
    cache = None if speech.cache is None else SoundCache(speech.cache)
    lacks = ""
    sources: list[SoundSource] = [] if speech.clips is None else [Clips(speech.clips)]
    if speech.engine == "piper":
        if engine := piper.piper(speech.models):
            sources.append(Synthesis(engine, cache))
        else:
            lacks = piper.NOT_INSTALLED
    if engine := espeak.espeak():
        sources.append(Synthesis(engine, cache))
    else:
        lacks = lacks or espeak.NOT_INSTALLED
    return Speaker(sources, Player(lambda: ways(speech.device)), lacks)
