"""The voice of a computer: recordings, else a synthesis, else a tone; never in the table's way.

Room: hardware. Knows no game.
May import: the standard library, hardware.
May be imported by: hardware.drivers.pi, firmware.wiring, tests.
"""

import logging
import threading
from collections import deque
from collections.abc import Sequence
from gettext import gettext as _
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

RETRY_S = 5.0  # how often a device that does not play is tried again
CLOSE_LIMIT_S = 2.0  # a sound driver that does not let its program die must not hold up the exit
AHEAD = 64  # so much waits to be prepared; of more, the oldest is dropped
NUMBERS = range(101)  # what totals mostly are; prepared for each language that is spoken
DEVICE = "the sound device"
TRIED = silence(0.05)
TONE = tone(660.0, 0.15)  # somebody was told something, and can look at the display


class Source(Protocol):
    """Where sounds come from."""

    @property
    def name(self) -> str:
        """What it is called in messages."""
        ...

    def sound(self, text: str, language: str) -> Sound | None:
        """*text* in *language*; none when this source does not have it.

        Raises:
            SpeechFault: it should, but cannot.
        """
        ...

    def prepare(self, text: str, language: str) -> bool:
        """Get *text* ready, however long that takes; whether this source has it.

        Raises:
            SpeechFault: it should, but cannot.
        """
        ...

    def close(self) -> None:
        """End whatever it is doing."""
        ...


class Speaker:
    """Says things aloud, the newest at once; a ``hardware.ports.Voice``.

    One daemon thread speaks and another prepares. A device that fails is logged once, tried every
    ``RETRY_S`` seconds with a moment of silence, and logged once more when it is back; meanwhile
    what is to be said is dropped. So is a source that fails, and the next one speaks instead.

    Args:
        sources: asked in this order; where none has a sound, a tone is heard.
        player: plays them.
        lacks: what this computer lacks to speak as it should, and behind a semicolon what to do.
    """

    def __init__(self, sources: Sequence[Source], player: Player, lacks: str = "") -> None:
        self._sources, self._player, self._lacks = tuple(sources), player, lacks
        self._changed = threading.Condition()
        self._wanted: tuple[str, str] | None = None
        self._is_busy = False
        self._is_closed = False
        self._volume = 100
        self._problems: dict[str, str] = {}  # by what has it: the device, or a source
        self._ahead: deque[tuple[str, str]] = deque(maxlen=AHEAD)
        self._numbers: deque[tuple[str, str]] = deque()  # for when nothing else is to be prepared
        self._languages: set[str] = set()  # whose numbers are prepared, or will be
        if lacks:
            log.warning("%s", _("no speech: {problem}").format(problem=lacks))
        self._threads = [
            threading.Thread(target=self._speak_on, name="voice", daemon=True),
            threading.Thread(target=self._prepare_on, name="voice ahead", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def is_speaking(self) -> bool:
        """Whether something is sounding, or about to."""
        with self._changed:
            return self._has_words

    def say(self, text: str, language: str) -> None:
        """Begin to say *text* at once; what is sounding is cut off."""
        with self._changed:
            if not self._is_dead:
                self._wanted = (text, language)
                self._player.cut()
            if language not in self._languages:
                self._languages.add(language)
                self._numbers.extend((str(number), language) for number in NUMBERS)
            self._changed.notify_all()

    def prepare(self, text: str, language: str) -> None:
        """Have *text* ready ahead, when there is nothing better to do."""
        with self._changed:
            if (text, language) not in self._ahead:
                self._ahead.append((text, language))
                self._changed.notify_all()

    def hush(self) -> None:
        """Fall silent, in the middle of a word if need be."""
        with self._changed:
            self._wanted = None
            self._player.cut()

    def set_volume(self, percent: int) -> None:
        """Say what comes from now on at *percent* of full loudness, from 0 to 100."""
        self._volume = min(max(percent, 0), 100)

    def trouble(self, within_s: float) -> str:
        """What keeps words from being heard as they should, and what to do; else nothing."""
        with self._changed:
            if not self._changed.wait_for(lambda: not self._has_words, within_s):
                return _(NOT_HEARD).format(
                    problem=_("the words did not end in {seconds:g} s").format(seconds=within_s)
                )
            problems = (self._lacks, self._problems.get(DEVICE, ""), *self._problems.values())
        return next(filter(None, problems), "")

    def close(self) -> None:
        """Fall silent, in the middle of a word if need be; safe twice."""
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
        """Wait for words; none when the voice is closed, or a dead device is to be tried."""
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
        """See whether the device plays, with a moment of silence."""
        self._play(TRIED, 100, self._player.cuts)

    def _play(self, sound: Sound, percent: int, cuts: int) -> None:
        try:
            self._player.play(sound, percent, cuts)
        except SpeechFault as fault:
            self._tell(DEVICE, str(fault))
        else:
            if cuts == self._player.cuts:
                self._tell(DEVICE, "")

    def _sound(self, text: str, language: str) -> Sound:
        for source in self._sources:
            try:
                sound = source.sound(text, language)
            except TooSlow:
                self.prepare(text, language)
                continue
            except SpeechFault as fault:
                self._tell(source.name, str(fault))
                continue
            if sound is not None:
                self._tell(source.name, "")
                return sound
        return TONE

    def _tell(self, who: str, problem: str) -> None:
        """Log what has become of *who*, once when it fails and once when it is well again."""
        with self._changed:
            before = self._problems.get(who, "")
            self._problems[who] = problem
            is_closed = self._is_closed
        if is_closed or bool(before) is bool(problem):
            return
        if not problem:
            told = _("speech is back") if who == DEVICE else _("speech: {source} is back")
        elif who == DEVICE:
            told = _("no speech: {problem}; the table plays on in silence")
        else:
            told = _("speech: {problem}; it is said another way")
        log.warning("%s", told.format(source=who, problem=problem))

    # --- preparing ---

    def _prepare_on(self) -> None:
        while (words := self._next_ahead()) is not None:
            for source in self._sources:
                try:
                    if source.prepare(*words):
                        break
                except SpeechFault:
                    continue  # it is told when somebody is to hear it

    def _next_ahead(self) -> tuple[str, str] | None:
        """Wait for something to prepare, numbers while nobody speaks; none when it is closed."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._is_closed or self._ahead or (self._numbers and not self._has_words)
            )
            if self._is_closed:
                return None
            return self._ahead.pop() if self._ahead else self._numbers.popleft()


def open_speaker(speech: Speech) -> Speaker:
    """The voice of this computer, as *speech* wants it."""
    cache = None if speech.cache is None else SoundCache(speech.cache)
    lacks = ""
    sources: list[Source] = [] if speech.clips is None else [Clips(speech.clips)]
    if speech.engine == "piper":
        if engine := piper.piper(speech.models):
            sources.append(Synthesis(engine, cache))
        else:
            lacks = _(piper.NOT_INSTALLED)
    if engine := espeak.espeak():
        sources.append(Synthesis(engine, cache))
    else:
        lacks = lacks or _(espeak.NOT_INSTALLED)
    return Speaker(sources, Player(lambda: ways(speech.device)), lacks)
