"""Playing sounds, through whichever of PipeWire, PulseAudio and ALSA answers.

Room: hardware. Knows no game.
May import: the standard library and hardware.sound.
Source: the manual pages of pacat 16, pw-cat 1.2 and aplay 1.2; docs/decisions/0013-sound.md says
why these programs play, and no library does.

Each sound is played by a program of its own that gets its samples through a pipe and ends with the
sound: to cut a sound off, the program is killed. As starting one takes a while, the next one is
started as soon as the last has ended, and waits with the sound card open for its samples.
"""

import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path

from hardware.drivers.programs import end, last_line
from hardware.errors import SpeechFault
from hardware.sound import RATE_HZ, Sound

LATE_S = 1.0  # a sound whose way fails later than that is not played another way
GRACE_S = 3.0  # how much longer than its sound a program may take before its device counts as dead
CARDS = Path("/proc/asound/cards")
N_ = str  # marks a text for the catalogues; it is translated where it is used
NO_PROGRAM = N_("there is no program that plays sounds; sudo apt install alsa-utils")
NOT_HEARD = N_(
    "{problem}; look for a sound card with: aplay -l, and join its group: sudo adduser $USER audio"
)


@dataclass(frozen=True, slots=True)
class Way:
    """A *program* and its *options*, in which rate and channels are still to be filled."""

    program: str
    options: tuple[str, ...]

    def command(self, rate_hz: int, channels: int) -> tuple[str, ...]:
        """How to call it for sounds like that."""
        filled = (option.format(rate=rate_hz, channels=channels) for option in self.options)
        return (self.program, *filled)


LATENCY_MS = 50
APLAY = ("--quiet", "--file-type=raw", "--format=S16_LE", "--rate={rate}", "--channels={channels}")
# The sound servers first: where one runs, the cards are its own. PulseAudio's program before
# PipeWire's, as a PipeWire that only carries pictures takes sounds too, and never plays them.
SERVERS = (
    Way(
        "pacat",
        ("--raw", "--format=s16le", "--rate={rate}", "--channels={channels}",
         f"--latency-msec={LATENCY_MS}", "--client-name=tapmat"),
    ),
    Way(
        "pw-cat",
        ("--playback", "--raw", "--format=s16", "--rate={rate}", "--channels={channels}",
         f"--latency={LATENCY_MS}ms", "-"),
    ),
)  # fmt: skip


def ways(device: str | None = None) -> tuple[Way, ...]:
    """Every way to play on this computer, the best first; with a *device*, ALSA's to that alone.

    ALSA's own choice is the first card, which on a Raspberry Pi is a screen's and often mute, so
    the other cards follow.
    """
    devices = [device] if device else ["default", *(f"plughw:CARD={card}" for card in _cards())]
    alsa = tuple(Way("aplay", (*APLAY, f"--device={name}", "-")) for name in devices)
    return tuple(way for way in (*(() if device else SERVERS), *alsa) if shutil.which(way.program))


def _cards() -> list[str]:
    """The short names of the sound cards, as in `` 1 [Device         ]: USB-Audio - ...``."""
    try:
        lines = CARDS.read_text(errors="replace").splitlines()
    except OSError:
        return []
    return [line.partition("[")[2].partition("]")[0].strip() for line in lines if "]:" in line]


@dataclass(frozen=True, slots=True)
class _Standby:
    """A *process* that was started for sounds of this shape and waits for its samples."""

    way: Way
    rate_hz: int
    channels: int
    process: subprocess.Popen[bytes]


class Player:
    """Plays one sound at a time. ``play`` is for one thread; ``cut`` and ``close`` are for any.

    Args:
        find_ways: looks for the ways to play there are now, the best first.
    """

    def __init__(self, find_ways: Callable[[], Sequence[Way]] = ways) -> None:
        self._find_ways = find_ways
        self._lock = threading.Lock()
        self._cuts = 0
        self._sounding: subprocess.Popen[bytes] | None = None
        self._standby: _Standby | None = None
        self._works: Way | None = None  # the way that played last
        self._hangs: Way | None = None  # the way that never ended, to be tried last
        self._is_closed = False

    @property
    def cuts(self) -> int:
        """How often sounds were cut off; ``play`` wants it from before the sound was made."""
        return self._cuts

    def cut(self) -> None:
        """Cut off what sounds, and what was to be played from before; returns at once."""
        with self._lock:
            self._cuts += 1
            if self._sounding is not None:
                self._sounding.kill()

    def play(self, sound: Sound, percent: int, cuts: int) -> None:
        """Play *sound* at *percent* to its end, unless it is cut off or was since *cuts*.

        Raises:
            SpeechFault: no way of playing works; the text says what to do, behind a semicolon.
        """
        samples = sound.at(percent)
        problem = ""
        began_s = time.monotonic()
        for way in self._in_order():
            try:
                process = self._opened(way, sound.rate_hz, sound.channels)
            except OSError as wrong:
                problem = _("{program} does not start ({reason})").format(
                    program=way.program, reason=wrong.strerror or wrong
                )
                continue
            self._standby = _Standby(way, sound.rate_hz, sound.channels, process)
            problem = self._fed(self._standby, samples, sound.seconds + GRACE_S, cuts)
            if cuts != self._cuts:
                return
            if not problem:
                self._works, self._hangs = way, None
                return
            if time.monotonic() - began_s > LATE_S:
                break
        self._works = None
        raise SpeechFault(_(NOT_HEARD).format(problem=problem) if problem else _(NO_PROGRAM))

    def stand_by(self, rate_hz: int = RATE_HZ, channels: int = 1) -> None:
        """Have a program ready for the next sound, if one is known that works."""
        if self._works is not None and self._standby is None and not self._is_closed:
            try:
                process = self._started(self._works, rate_hz, channels)
            except OSError:
                return  # it is told when there is something to play
            self._standby = _Standby(self._works, rate_hz, channels, process)

    def close(self) -> None:
        """Fall silent; what sounds is cut off. Safe twice."""
        self._is_closed = True
        self.cut()

    def forget(self) -> None:
        """End the program that stands by; for the thread that plays."""
        standby, self._standby = self._standby, None
        if standby is not None:
            end(standby.process)

    def _in_order(self) -> Iterator[Way]:
        """The ways to try: the one that worked last, then the others, and last one that hangs."""
        if self._works is not None:
            yield self._works
        found = [way for way in self._find_ways() if way != self._works]
        yield from sorted(found, key=lambda way: way == self._hangs)

    def _opened(self, way: Way, rate_hz: int, channels: int) -> subprocess.Popen[bytes]:
        """A program that waits for samples like that: the one that stands by, or a new one."""
        standby = self._standby
        if standby and (way, rate_hz, channels) == (standby.way, standby.rate_hz, standby.channels):
            self._standby = None
            if standby.process.poll() is None:
                return standby.process
            end(standby.process)
        self.forget()  # a card may take just one program at a time
        return self._started(way, rate_hz, channels)

    def _started(self, way: Way, rate_hz: int, channels: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            way.command(rate_hz, channels),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def _fed(self, standby: _Standby, samples: bytes, limit_s: float, cuts: int) -> str:
        """Let the program that stands by play *samples*; what went wrong, or nothing."""
        way, process = standby.way, standby.process
        with self._lock:
            if cuts != self._cuts:
                return ""  # it stands by for what comes instead
            self._sounding = process
        self._standby = None
        try:
            _output, complaints = process.communicate(samples, limit_s)
        except subprocess.TimeoutExpired:
            end(process)
            self._works, self._hangs = None, way
            return _("{program} did not end within {seconds:.0f} s").format(
                program=way.program, seconds=limit_s
            )
        finally:
            with self._lock:
                self._sounding = None
        if process.returncode == 0:
            return ""
        ended = _("it ended with exit code {code}").format(code=process.returncode)
        return f"{way.program}: {last_line(complaints) or ended}"
