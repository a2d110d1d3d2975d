"""Play sounds through the first of PulseAudio, PipeWire and ALSA that works.

May import: the standard library and hardware.sound.
Source: the manual pages of pacat 16, pw-cat 1.2 and aplay 1.2; docs/decisions/0013-sound.md says
why programs are used and not a library.

Each sound is played by its own program, which gets the samples through a pipe and exits when the
sound ends. To cut a sound off, the program is killed. Starting a program takes a while. So the next
program is started as soon as the last one has ended, and opens the sound card and waits for
samples.
"""

import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hardware.drivers.programs import end, last_line
from hardware.errors import SpeechFault
from hardware.sound import RATE_HZ, Sound

LATE_S = 1.0  # after this time a sound that failed is not played another way
GRACE_S = 3.0  # a program that ends this much later than its sound counts as hung
CARDS = Path("/proc/asound/cards")
NO_PROGRAM = "no program that plays sounds is installed; sudo apt install alsa-utils"
NOT_HEARD = (
    "{problem}; look for a sound card with: aplay -l, and join its group: sudo adduser $USER audio"
)
BUSY = "busy"  # in ALSA's words for a sound card that another program has open
IN_USE = "{problem}; stop the program that uses the sound card: sudo fuser -v /dev/snd/*"


@dataclass(frozen=True, slots=True)
class Way:
    """A way to play sounds, by a program that gets samples on its standard input.

    In *options*, ``{rate}`` and ``{channels}`` are replaced.
    """

    program: str
    options: tuple[str, ...]

    def command(self, rate_hz: int, channels: int) -> tuple[str, ...]:
        """Return the command line for sounds of this rate and number of channels."""
        options = (option.format(rate=rate_hz, channels=channels) for option in self.options)
        return (self.program, *options)


LATENCY_MS = 50
APLAY = ("--quiet", "--file-type=raw", "--format=S16_LE", "--rate={rate}", "--channels={channels}")
# The sound servers come first: a server that runs owns the sound cards. PulseAudio's program comes
# before PipeWire's, because a PipeWire for video only accepts sounds and never plays them.
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
    """Return the ways to play on this computer, best first.

    If *device* (the ALSA name of a sound card) is given, only ALSA on this card is used. Without
    it, ALSA's default is the first card. On a Raspberry Pi this card belongs to a screen and is
    often mute, so all other cards follow.
    """
    devices = [device] if device else ["default", *(f"plughw:CARD={card}" for card in _cards())]
    alsa = tuple(Way("aplay", (*APLAY, f"--device={name}", "-")) for name in devices)
    return tuple(way for way in (*(() if device else SERVERS), *alsa) if shutil.which(way.program))


def _cards() -> list[str]:
    """Return the short names of the sound cards: "Device" for `` 1 [Device ]: USB-Audio - ...``."""
    try:
        lines = CARDS.read_text(errors="replace").splitlines()
    except OSError:
        return []
    return [line.partition("[")[2].partition("]")[0].strip() for line in lines if "]:" in line]


@dataclass(frozen=True, slots=True)
class _Standby:
    """A running player program that waits for the samples of the next sound.

    It can only play sounds of this rate and number of channels.
    """

    way: Way
    rate_hz: int
    channels: int
    process: subprocess.Popen[bytes]


class Player:
    """A player of one sound at a time.

    Only one thread may call ``play``, ``stand_by`` and ``forget``. Any thread may call ``cut`` and
    ``close``.

    Args:
        find_ways: returns the ways to play that exist now, best first.
    """

    def __init__(self, find_ways: Callable[[], Sequence[Way]] = ways) -> None:
        self._find_ways = find_ways
        self._lock = threading.Lock()
        self._cuts = 0
        self._sounding: subprocess.Popen[bytes] | None = None
        self._standby: _Standby | None = None
        self._works: Way | None = None  # the way that played last
        self._hangs: Way | None = None  # the way that hung; it is tried last
        self._is_closed = False

    @property
    def cuts(self) -> int:
        """The number of cuts so far.

        Read this number before a sound is made, and pass it to ``play``. Then a cut between the two
        also stops the sound.
        """
        return self._cuts

    def cut(self) -> None:
        """Cut off the current sound, and all sounds that are ready or being made.

        Return at once.
        """
        with self._lock:
            self._cuts += 1
            if self._sounding is not None:
                self._sounding.kill()

    def play(self, sound: Sound, percent: int, cuts: int) -> None:
        """Play *sound* at a volume of *percent* to its end, or until a ``cut``.

        Nothing is played if there was a ``cut`` since *cuts* was read.

        Raises:
            SpeechFault: no way to play works. The text says why and, after a semicolon, what to do.
        """
        samples = sound.at(percent)
        problem = ""
        began_s = time.monotonic()
        for way in self._in_order():
            try:
                process = self._program_for(way, sound.rate_hz, sound.channels)
            except OSError as wrong:
                problem = f"{way.program} does not start ({wrong.strerror or wrong})"
                continue
            self._standby = _Standby(way, sound.rate_hz, sound.channels, process)
            problem = self._feed(self._standby, samples, sound.seconds + GRACE_S, cuts)
            if cuts != self._cuts:
                return
            if not problem:
                self._works, self._hangs = way, None
                return
            if time.monotonic() - began_s > LATE_S:
                break
        self._works = None
        if not problem:
            raise SpeechFault(NO_PROGRAM)
        raise SpeechFault((IN_USE if BUSY in problem else NOT_HEARD).format(problem=problem))

    def stand_by(self, rate_hz: int = RATE_HZ, channels: int = 1) -> None:
        """Start a program for the next sound, if a way to play is known to work."""
        if self._works is not None and self._standby is None and not self._is_closed:
            try:
                process = self._start(self._works, rate_hz, channels)
            except OSError:
                return  # reported when there is something to play
            self._standby = _Standby(self._works, rate_hz, channels, process)

    def close(self) -> None:
        """Cut off the current sound; safe to call twice."""
        self._is_closed = True
        self.cut()

    def forget(self) -> None:
        """End the program that waits for the next sound. Call this from the thread that plays."""
        standby, self._standby = self._standby, None
        if standby is not None:
            end(standby.process)

    def _in_order(self) -> Iterator[Way]:
        """Yield the ways to try.

        A way that worked the last time comes first; one that hung comes last.
        """
        if self._works is not None:
            yield self._works
        found = [way for way in self._find_ways() if way != self._works]
        yield from sorted(found, key=lambda way: way == self._hangs)

    def _program_for(self, way: Way, rate_hz: int, channels: int) -> subprocess.Popen[bytes]:
        """Return a running program for sounds of this rate and channels: on standby, or new."""
        standby = self._standby
        if standby and (way, rate_hz, channels) == (standby.way, standby.rate_hz, standby.channels):
            self._standby = None
            if standby.process.poll() is None:
                return standby.process
            end(standby.process)
        self.forget()  # a sound card may accept one program at a time
        return self._start(way, rate_hz, channels)

    def _start(self, way: Way, rate_hz: int, channels: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            way.command(rate_hz, channels),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def _feed(self, standby: _Standby, samples: bytes, limit_s: float, cuts: int) -> str:
        """Let the program on standby play *samples*; return a description of the failure, or ""."""
        way, process = standby.way, standby.process
        with self._lock:
            if cuts != self._cuts:
                return ""  # it stays on standby for the next sound
            self._sounding = process
        self._standby = None
        try:
            _output, complaints = process.communicate(samples, limit_s)
        except subprocess.TimeoutExpired:
            end(process)
            self._works, self._hangs = None, way
            return f"{way.program} did not end within {limit_s:.0f} s"
        finally:
            with self._lock:
                self._sounding = None
        if process.returncode == 0:
            return ""
        ended = f"it ended with exit code {process.returncode}"
        return f"{way.program}: {last_line(complaints) or ended}"
