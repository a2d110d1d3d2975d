"""Speech through espeak-ng, beside the table and never in its way.

Room: hardware. Knows no game.
May import: the standard library.
May be imported by: hardware.drivers.pi, firmware.wiring, sim, tests.
Source: the manual page of espeak-ng 1.51.
"""

import logging
import shutil
import subprocess
import threading
from collections.abc import Sequence

from hardware.silence import SilentVoice

log = logging.getLogger(__name__)

PROGRAM = "espeak-ng"
SPEECH_LIMIT_S = 30.0  # a sound card that hangs; no announcement is a quarter as long
NOT_INSTALLED = f"{PROGRAM} is not installed; sudo apt install {PROGRAM}"
NOT_HEARD = (
    "{problem}; look for a sound card with: aplay -l, and join its group: sudo adduser $USER audio"
)
CLOSE_LIMIT_S = 2.0  # a sound driver that does not let its program die must not hold up the exit


class EspeakVoice:
    """Says things with espeak-ng, one after the other; a ``hardware.ports.Voice``.

    One daemon thread speaks. What is being said is finished; of what came meanwhile only the newest
    is said after it. A failure is logged once, and once more when speech works again.

    Args:
        program: path of espeak-ng.
        options: more of its options, for example ``("-s", "150")`` for its speed in words a minute.
    """

    def __init__(self, program: str, options: Sequence[str] = ()) -> None:
        self._command = (program, *options)
        self._changed = threading.Condition()
        self._waiting: tuple[str, str] | None = None
        self._speaking: subprocess.Popen[str] | None = None
        self._is_speaking = False
        self._is_closed = False
        self._problem: str | None = None  # of what was said last
        self._thread = threading.Thread(target=self._speak_on, name="voice", daemon=True)
        self._thread.start()

    def say(self, text: str, language: str) -> None:
        """Begin to say *text* soon, and drop what was still waiting to be said.

        Args:
            text: what to say; it reaches espeak-ng as plain text, whatever it holds.
            language: an espeak-ng voice, for example "en" or "de".
        """
        with self._changed:
            self._waiting = (text, language)
            self._changed.notify_all()

    def trouble(self, within_s: float) -> str:
        """What kept the last words from being heard, as espeak-ng tells it, and what to do."""
        with self._changed:
            is_over = self._changed.wait_for(lambda: not self._has_words, within_s)
        problem = self._problem if is_over else f"{PROGRAM} did not end in {within_s:g} s"
        return NOT_HEARD.format(problem=problem) if problem else ""

    def close(self) -> None:
        """Fall silent, in the middle of a word if need be; safe twice."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
            if self._speaking:
                self._speaking.kill()
        self._thread.join(CLOSE_LIMIT_S)

    def _speak_on(self) -> None:
        while (words := self._next()) is not None:
            problem = self._speak(*words)
            with self._changed:
                if not self._is_closed:
                    self._report(problem)
                self._is_speaking = False
                self._changed.notify_all()

    def _next(self) -> tuple[str, str] | None:
        """Wait for something to say; None when the voice is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or self._waiting)
            words, self._waiting = self._waiting, None
            self._is_speaking = words is not None
            return None if self._is_closed else words

    def _speak(self, text: str, language: str) -> str | None:
        """Speak and wait for the end; what went wrong, or None."""
        try:
            with self._changed:
                if self._is_closed:
                    return None
                self._speaking = subprocess.Popen(
                    [*self._command, "-v", language, "--stdin"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    encoding="utf-8",
                    errors="replace",
                )
            with self._speaking as speaking:
                try:
                    _, complaints = speaking.communicate(text, timeout=SPEECH_LIMIT_S)
                except subprocess.TimeoutExpired:
                    speaking.kill()
                    return f"no end after {SPEECH_LIMIT_S:.0f} s"
        except OSError as failed:
            return str(failed)
        return _problem(speaking.returncode, complaints)

    def _report(self, problem: str | None) -> None:
        if problem and not self._problem:
            log.warning("no speech: %s; the table plays on in silence", problem)
        elif self._problem and not problem:
            log.info("speech is back")
        self._problem = problem

    @property
    def _has_words(self) -> bool:
        return self._waiting is not None or self._is_speaking


def _problem(exit_code: int, complaints: str) -> str | None:
    """What espeak-ng's end says. Without a sound card it exits with 0 and writes an error line."""
    lines = [line for line in complaints.splitlines() if line.lower().startswith("error")]
    if lines:
        return lines[-1]
    return f"{PROGRAM} ended with exit code {exit_code}" if exit_code else None


def open_voice() -> EspeakVoice | SilentVoice:
    """This machine's voice: espeak-ng when it is installed, else a silent one and a warning."""
    program = shutil.which(PROGRAM)
    if program is None:
        log.warning("no speech: %s", NOT_INSTALLED)
        return SilentVoice(NOT_INSTALLED)
    return EspeakVoice(program)
