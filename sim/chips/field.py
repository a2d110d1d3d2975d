"""The field of one antenna: who is in it, and what the air does to frames on both ways.

Room: sim/chips. Between the reader chip and the tags.
May import: the standard library and sim.chips.
Source: ISO/IEC 14443-3, 6.2.3.3 and 6.4.2: answers start together, and where a 1 meets a 0 both
halves of the bit are modulated.

Simplified: no tag drowns another; parity bits of answers that meet do not collide; the parity of
a byte that a bit oriented anticollision frame splits is worth nothing, so noise in it goes through.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from random import Random

from sim.chips.clock import VirtualClock
from sim.chips.iso14443 import Frame
from sim.chips.picc import Picc

POWER_UP_NS = 1_000_000  # what tags need in practice; 14443-3 (5.1) grants them 5 ms

Loss = Callable[[Picc], bool]
Noise = Callable[[Picc, Frame], int]


@dataclass(frozen=True, slots=True)
class Received:
    """What the antenna gets back: all answers at once.

    *bits* reads 1 wherever any tag sent a 1; *collisions* marks the bits where another sent a 0.
    """

    bits: int
    length: int
    delay_fc: int
    collisions: int = 0
    has_wrong_parity: bool = False


def _never(picc: Picc) -> bool:
    return False


def _silence(picc: Picc, frame: Frame) -> int:
    return 0


class BitErrors:
    """Noise: each bit on the air, parity bits too, arrives flipped with a probability of *rate*."""

    def __init__(self, chance: Random, rate: float) -> None:
        if not 0 < rate < 1:
            raise ValueError(f"the rate must be above 0 and below 1, not {rate}")
        self._chance = chance
        self._log_of_right = math.log1p(-rate)
        self._right_bits = self._drawn()

    def __call__(self, picc: Picc, frame: Frame) -> int:
        """The bits of *frame* to flip; see `Field`."""
        bits = frame.length + frame.length // 8
        flips = 0
        while self._right_bits < bits:
            flips |= 1 << self._right_bits
            self._right_bits += 1 + self._drawn()
        self._right_bits -= bits
        return flips

    def _drawn(self) -> int:
        """How many bits go well before the next that does not (a geometric distribution)."""
        return int(math.log(1 - self._chance.random()) / self._log_of_right)


class Field:
    """What lies over one antenna.

    Three faults may be set. *miss* says whether a tag's answer is lost on its way (the tag believes
    it has answered). *noise* says which bits of an answer arrive flipped, and *command_noise* which
    bits of the reader's frame one tag hears flipped; bits from the frame's length on flip the
    parity bits of its whole bytes.

    Args:
        clock: the time tags take to wake.
        power_up_ns: how long they take.
        power_down_ns: how long they live on what they have stored when the field goes. They may
            lose everything at once or keep it for 5 ms (14443-3, 5.1: the field has to be off for
            so long to reset them for certain).
    """

    def __init__(
        self, clock: VirtualClock, *, power_up_ns: int = POWER_UP_NS, power_down_ns: int = 0
    ) -> None:
        self._clock = clock
        self._power_up_ns = power_up_ns
        self._power_down_ns = power_down_ns
        self._losses: dict[Picc, Loss] = {}
        self._is_on = False
        self.miss: Loss = _never
        self.noise: Noise = _silence
        self.command_noise: Noise = _silence

    @property
    def is_on(self) -> bool:
        """Whether the antenna radiates."""
        return self._is_on

    @property
    def piccs(self) -> tuple[Picc, ...]:
        """The tags in the field, in the order they came."""
        return tuple(self._losses)

    def enter(self, picc: Picc, loss: Loss = _never) -> None:
        """Bring *picc* into the field.

        A tag may be in the fields of two antennas: it is fed by either and hears both readers.
        *loss* says of each answer whether this antenna, being the farther one, misses it.
        """
        if picc in self._losses:
            raise ValueError(f"{picc} is in this field already")
        self._losses[picc] = loss
        if self._is_on:
            self._feed(picc)

    def leave(self, picc: Picc) -> None:
        """Take *picc* away; it forgets its state."""
        if picc not in self._losses:
            raise ValueError(f"{picc} is not in this field")
        del self._losses[picc]
        if self._is_on:
            self._starve(picc)

    def switch(self, is_on: bool) -> None:
        """Switch the antenna; a tag without field forgets its state."""
        if is_on == self._is_on:
            return
        self._is_on = is_on
        for picc in self._losses:
            if is_on:
                self._feed(picc)
            else:
                self._starve(picc)

    def exchange(self, frame: Frame) -> Received | None:
        """Let every tag that is awake hear *frame* and return what comes back together."""
        if not self._is_on or not self._losses:
            return None
        now = self._clock.now_ns
        heard = [
            (answer, self.noise(picc, answer.frame))
            for picc, loss in self._losses.items()
            if picc.awake_ns <= now
            and (answer := picc.hear(self._as_heard(picc, frame)))
            and not loss(picc)
            and not self.miss(picc)
        ]
        if not heard:
            return None
        if len(heard) == 1:
            answer, flips = heard[0]
            sent = answer.frame
            return Received(
                _flipped(sent, flips),
                sent.length,
                answer.delay_fc,
                has_wrong_parity=_breaks_parity(flips, sent.length, _split(frame)),
            )
        return Received(
            bits=(ones := _any(_flipped(answer.frame, flips) for answer, flips in heard)),
            length=max(answer.frame.length for answer, _ in heard),
            delay_fc=min(answer.delay_fc for answer, _ in heard),
            collisions=ones & _any(_zeros(answer.frame, flips) for answer, flips in heard),
        )

    def _as_heard(self, picc: Picc, frame: Frame) -> Frame:
        flips = self.command_noise(picc, frame)
        if not flips:
            return frame
        return replace(
            frame,
            bits=_flipped(frame, flips),
            has_wrong_parity=_breaks_parity(flips, frame.length),
        )

    def _feed(self, picc: Picc) -> None:
        picc.feed(self._clock.now_ns + self._power_up_ns)

    def _starve(self, picc: Picc) -> None:
        if not picc.starve():
            return
        if not self._power_down_ns:
            picc.power_down()
            return
        fade = partial(_fade, picc, picc.feedings)
        self._clock.call_at(self._clock.now_ns + self._power_down_ns, fade)


def _fade(picc: Picc, feedings: int) -> None:
    """What the tag had stored is used up, unless it was fed again meanwhile."""
    if picc.feedings == feedings:
        picc.power_down()


def _any(values: Iterable[int]) -> int:
    total = 0
    for value in values:
        total |= value
    return total


def _flipped(frame: Frame, flips: int) -> int:
    return frame.bits ^ flips & (1 << frame.length) - 1


def _zeros(frame: Frame, flips: int) -> int:
    return ~_flipped(frame, flips) & (1 << frame.length) - 1


def _split(frame: Frame) -> int:
    """How many bits of the answer's first byte the reader has sent itself."""
    return frame.length % 8 if frame.length > 16 else 0


def _breaks_parity(flips: int, length: int, split: int = 0) -> bool:
    """Whether *flips* turns an odd number of bits in some whole byte, its parity bit counted."""
    start = 8 - split if split else 0
    data, parity = flips >> start, flips >> length
    return any(
        ((data >> 8 * byte & 0xFF).bit_count() + (parity >> byte & 1)) % 2
        for byte in range((length - start) // 8)
    )
