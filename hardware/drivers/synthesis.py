"""Words made into sound by a program beside the table, and kept for the next time.

Room: hardware. Knows no game.
May import: the standard library, hardware.sound and hardware.errors.

Words reach the program on its standard input and no other way, and no shell sees them.
"""

import errno
import os
import shutil
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass
from gettext import gettext as _

from hardware.drivers.programs import end, last_line
from hardware.drivers.sound_cache import SoundCache
from hardware.errors import SpeechFault, TooSlow
from hardware.sound import NoSound, Sound

AHEAD_LIMIT_S = 60.0  # for what is not wanted yet; a small computer's piper takes some seconds
NOT_STARTED = 127  # so ends what was to start a program that is not there. POSIX, posix_spawn
LOWEST = ("nice", "-n", "19")


@dataclass(frozen=True)
class Engine:
    """A program that reads words and writes a WAV file to its standard output.

    *command* is how it is called for a language; none when it does not speak that. *spelled* is
    how words in a language are written for it. *limit_s* is how long words may take that somebody
    is waiting for.
    """

    name: str
    command: Callable[[str], tuple[str, ...] | None]
    spelled: Callable[[str, str], str]
    limit_s: float


class Synthesis:
    """Sounds made by *engine*, out of *cache* where they were made before."""

    def __init__(self, engine: Engine, cache: SoundCache | None = None) -> None:
        self.name = engine.name
        self._engine, self._cache = engine, cache
        self._lowest = LOWEST if shutil.which(LOWEST[0]) else ()
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._is_closed = False

    def sound(self, text: str, language: str) -> Sound | None:
        """*text* in *language* as a sound; none when the engine does not speak that.

        Raises:
            TooSlow: it takes longer than somebody would wait; it can still be made ahead.
            SpeechFault: the program fails.
        """
        command = self._engine.command(language)
        if command is None:
            return None
        words = self._engine.spelled(text, language)
        if self._cache is None:
            return self._made(command, words, self._engine.limit_s)
        key = self._key(command, language, words)
        if (kept := self._cache.get(key)) is not None:
            return kept
        made = self._made(command, words, self._engine.limit_s)
        self._cache.put(key, made)
        return made

    def prepare(self, text: str, language: str) -> bool:
        """Put *text* into the cache, made at the lowest priority; whether the engine speaks that.

        Raises:
            SpeechFault: the program fails.
        """
        command = self._engine.command(language)
        if command is None:
            return False
        words = self._engine.spelled(text, language)
        key = self._key(command, language, words)
        if self._cache is not None and not self._cache.has(key):
            self._cache.put(key, self._made((*self._lowest, *command), words, AHEAD_LIMIT_S))
        return True

    def close(self) -> None:
        """End what is being made."""
        with self._lock:
            self._is_closed = True
            for process in self._running:
                process.kill()

    def _key(self, command: tuple[str, ...], language: str, words: str) -> tuple[str, ...]:
        return (self.name, *command, language, words)

    def _not_started(self, reason: object) -> SpeechFault:
        found = _("{program} does not start ({reason})")
        return SpeechFault(found.format(program=self.name, reason=reason))

    def _made(self, command: tuple[str, ...], words: str, limit_s: float) -> Sound:
        try:
            data, complaints, exit_code = self._run(command, words.encode(), limit_s)
        except OSError as wrong:
            raise self._not_started(wrong.strerror or wrong) from wrong
        if exit_code == NOT_STARTED:
            raise self._not_started(last_line(complaints) or os.strerror(errno.ENOENT))
        if exit_code:
            found = _("{program} fails: {reason}")
            reason = last_line(complaints) or exit_code
            raise SpeechFault(found.format(program=self.name, reason=reason))
        try:
            return Sound.from_wav(data)
        except NoSound as wrong:
            said = last_line(complaints)
            raise SpeechFault(
                f"what {self.name} makes {wrong}{f' ({said})' if said else ''}"
            ) from wrong

    def _run(
        self, command: tuple[str, ...], words: bytes, limit_s: float
    ) -> tuple[bytes, bytes, int]:
        pipe = subprocess.PIPE
        with self._lock:
            if self._is_closed:
                raise SpeechFault(_("the voice is closed"))
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
            self._running.add(process)
        try:
            data, complaints = process.communicate(words, limit_s)
        except subprocess.TimeoutExpired as late:
            end(process)
            found = _("{program} takes longer than {seconds:g} s")
            raise TooSlow(found.format(program=self.name, seconds=limit_s)) from late
        finally:
            with self._lock:
                self._running.discard(process)
        return data, complaints, process.returncode
