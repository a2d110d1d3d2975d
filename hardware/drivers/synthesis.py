"""Speech synthesis: a program turns text into sound, and a cache stores the result.

May import: the standard library, hardware.sound and hardware.errors.

The program gets the text only on its standard input; no shell is involved.
"""

import errno
import os
import shutil
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass

from hardware.drivers.programs import end, last_line
from hardware.drivers.sound_cache import SoundCache
from hardware.errors import SpeechFault, TooSlow
from hardware.sound import NoSound, Sound

AHEAD_LIMIT_S = 60.0  # for a text that is prepared; piper takes seconds on a small computer
NOT_STARTED = 127  # exit code if the program to start does not exist. POSIX, posix_spawn
LOWEST = ("nice", "-n", "19")


@dataclass(frozen=True)
class Engine:
    """A program that reads text and writes a WAV file to its standard output.

    *command* returns its command line for a language, or None if it does not speak the language.
    *input_text* takes a text and its language, and returns what the program must read. *limit_s* is
    the time limit in seconds for a text that players are waiting for.
    """

    name: str
    command: Callable[[str], tuple[str, ...] | None]
    input_text: Callable[[str, str], str]
    limit_s: float


class Synthesis:
    """A source of sounds made by *engine*. *cache* stores them for later use."""

    def __init__(self, engine: Engine, cache: SoundCache | None = None) -> None:
        self.name = engine.name
        self._engine, self._cache = engine, cache
        self._lowest = LOWEST if shutil.which(LOWEST[0]) else ()
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._is_closed = False

    def sound(self, text: str, language: str) -> Sound | None:
        """Return the sound of *text*, or None if the engine does not speak *language*.

        Raises:
            TooSlow: the program takes longer than players should wait. ``prepare()`` gives it more
                time.
            SpeechFault: the program fails.
        """
        command = self._engine.command(language)
        if command is None:
            return None
        words = self._engine.input_text(text, language)
        if self._cache is None:
            return self._synthesize(command, words, self._engine.limit_s)
        key = self._key(command, language, words)
        if (cached := self._cache.get(key)) is not None:
            return cached
        sound = self._synthesize(command, words, self._engine.limit_s)
        self._cache.put(key, sound)
        return sound

    def prepare(self, text: str, language: str) -> bool:
        """Put the sound of *text* into the cache; return False if *language* is not spoken.

        The program runs at the lowest priority.

        Raises:
            SpeechFault: the program fails.
        """
        command = self._engine.command(language)
        if command is None:
            return False
        words = self._engine.input_text(text, language)
        key = self._key(command, language, words)
        if self._cache is not None and not self._cache.has(key):
            self._cache.put(key, self._synthesize((*self._lowest, *command), words, AHEAD_LIMIT_S))
        return True

    def close(self) -> None:
        """Kill the programs that are running."""
        with self._lock:
            self._is_closed = True
            for process in self._running:
                process.kill()

    def _key(self, command: tuple[str, ...], language: str, words: str) -> tuple[str, ...]:
        return (self.name, *command, language, words)

    def _start_fault(self, reason: object) -> SpeechFault:
        found = "{program} does not start ({reason})"
        return SpeechFault(found.format(program=self.name, reason=reason))

    def _synthesize(self, command: tuple[str, ...], words: str, limit_s: float) -> Sound:
        try:
            data, complaints, exit_code = self._run(command, words.encode(), limit_s)
        except OSError as wrong:
            raise self._start_fault(wrong.strerror or wrong) from wrong
        if exit_code == NOT_STARTED:
            raise self._start_fault(last_line(complaints) or os.strerror(errno.ENOENT))
        if exit_code:
            found = "{program} fails: {reason}"
            reason = last_line(complaints) or exit_code
            raise SpeechFault(found.format(program=self.name, reason=reason))
        try:
            return Sound.from_wav(data)
        except NoSound as wrong:
            said = last_line(complaints)
            raise SpeechFault(
                f"the sound from {self.name} {wrong}{f' ({said})' if said else ''}"
            ) from wrong

    def _run(
        self, command: tuple[str, ...], words: bytes, limit_s: float
    ) -> tuple[bytes, bytes, int]:
        pipe = subprocess.PIPE
        with self._lock:
            if self._is_closed:
                raise SpeechFault("the voice is closed")
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
            self._running.add(process)
        try:
            data, complaints = process.communicate(words, limit_s)
        except subprocess.TimeoutExpired as late:
            end(process)
            found = "{program} takes longer than {seconds:g} s"
            raise TooSlow(found.format(program=self.name, seconds=limit_s)) from late
        finally:
            with self._lock:
                self._running.discard(process)
        return data, complaints, process.returncode
