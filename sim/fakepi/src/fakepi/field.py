"""The RF field of one antenna: its tags, and collisions and noise between them and the reader.

May import: the standard library and fakepi.
Source: ISO/IEC 14443-3, 6.2.3.3 and 6.4.2: answers start together, and where a 1 meets a 0 both
halves of the bit are modulated.

Simplified: no tag is louder than another. Parity bits of simultaneous answers do not collide. The
parity of a byte that a bit oriented anticollision frame splits is not checked.
"""

import math
from collections.abc import Callable, Iterable
from functools import partial
from random import Random
from typing import NamedTuple

from fakepi.clock import VirtualClock
from fakepi.iso14443 import Frame
from fakepi.picc import Picc

POWER_UP_NS = 1_000_000  # typical; 14443-3 (5.1) allows tags 5 ms

Loss = Callable[[Picc], bool]
Noise = Callable[[Picc, Frame], int]


class Received(NamedTuple):
    """The simultaneous answers of all tags, as the antenna receives them.

    A bit of *bits* is 1 if any tag sent a 1. A bit of *collisions* is 1 if one tag sent a 1 and
    another a 0. *length* is in bits, *delay_fc* in carrier periods from the reader's last bit to
    the first bit of the answer. *has_wrong_parity* is True if noise made a parity check fail.
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
    """Noise that flips each bit on the air, parity bits too, with the probability *rate*."""

    def __init__(self, chance: Random, rate: float) -> None:
        if not 0 < rate < 1:
            raise ValueError(f"the rate must be above 0 and below 1, not {rate}")
        self._chance = chance
        self._log_of_right = math.log1p(-rate)
        self._right_bits = self._draw_gap()

    def __call__(self, picc: Picc, frame: Frame) -> int:
        """Return a mask of the bits of *frame* to flip; see `RfField`."""
        bits = frame.length + frame.length // 8
        flips = 0
        while self._right_bits < bits:
            flips |= 1 << self._right_bits
            self._right_bits += 1 + self._draw_gap()
        self._right_bits -= bits
        return flips

    def _draw_gap(self) -> int:
        """Return the number of right bits before the next wrong one (geometric distribution)."""
        return int(math.log(1 - self._chance.random()) / self._log_of_right)


class RfField:
    """The RF field of one antenna, and the tags in it.

    Three attributes cause faults. ``miss`` returns True if the antenna misses an answer of a tag.
    ``noise`` returns the bits of an answer that arrive flipped, and ``command_noise`` the bits of
    the reader's frame that a tag receives flipped, each as a mask. Mask bits from the length of the
    frame on flip the parity bits of its whole bytes.

    Args:
        clock: the clock on which tags wake up.
        power_up_ns: the time a tag takes to wake up.
        power_down_ns: the time a tag keeps its state without a field: from 0 to 5 ms. Only a field
            that is off for 5 ms is certain to reset every tag (14443-3, 5.1).
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
        """True if the antenna radiates."""
        return self._is_on

    @property
    def piccs(self) -> tuple[Picc, ...]:
        """The tags in the field, in the order in which they entered."""
        return tuple(self._losses)

    def enter(self, picc: Picc, loss: Loss = _never) -> None:
        """Bring *picc* into the field.

        A tag may be in the fields of two antennas: either powers it, and it hears both readers.
        *loss* is called for each answer and returns True if this antenna misses it.

        Raises:
            ValueError: the tag is in this field already.
        """
        if picc in self._losses:
            raise ValueError(f"{picc} is in this field already")
        self._losses[picc] = loss
        if self._is_on:
            self._power_tag(picc)

    def leave(self, picc: Picc) -> None:
        """Take *picc* out of the field, so that it loses its state.

        Raises:
            ValueError: the tag is not in this field.
        """
        if picc not in self._losses:
            raise ValueError(f"{picc} is not in this field")
        del self._losses[picc]
        if self._is_on:
            self._unpower_tag(picc)

    def switch(self, is_on: bool) -> None:
        """Switch the antenna on or off; a tag without a field loses its state."""
        if is_on == self._is_on:
            return
        self._is_on = is_on
        for picc in self._losses:
            if is_on:
                self._power_tag(picc)
            else:
                self._unpower_tag(picc)

    def exchange(self, frame: Frame) -> Received | None:
        """Send *frame* to every tag that is awake; return the combined answer, or None."""
        if not self._is_on or not self._losses:
            return None
        now = self._clock.now_ns
        heard = [
            (answer, self.noise(picc, answer.frame))
            for picc, loss in self._losses.items()
            if picc.awake_ns <= now
            and (answer := picc.hear(self._disturb(picc, frame)))
            and not loss(picc)
            and not self.miss(picc)
        ]
        if not heard:
            return None
        if len(heard) == 1:
            answer, flips = heard[0]
            sent = answer.frame
            return Received(
                _flip_bits(sent, flips),
                sent.length,
                answer.delay_fc,
                has_wrong_parity=bool(flips) and _breaks_parity(flips, sent.length, _split(frame)),
            )
        return Received(
            bits=(ones := _any(_flip_bits(answer.frame, flips) for answer, flips in heard)),
            length=max(answer.frame.length for answer, _ in heard),
            delay_fc=min(answer.delay_fc for answer, _ in heard),
            collisions=ones & _any(_zeros(answer.frame, flips) for answer, flips in heard),
        )

    def _disturb(self, picc: Picc, frame: Frame) -> Frame:
        flips = self.command_noise(picc, frame)
        if not flips:
            return frame
        return frame._replace(
            bits=_flip_bits(frame, flips),
            has_wrong_parity=_breaks_parity(flips, frame.length),
        )

    def _power_tag(self, picc: Picc) -> None:
        picc.add_field(self._clock.now_ns + self._power_up_ns)

    def _unpower_tag(self, picc: Picc) -> None:
        if not picc.remove_field():
            return
        if not self._power_down_ns:
            picc.power_down()
            return
        fade = partial(_fade, picc, picc.fields_entered)
        self._clock.call_at(self._clock.now_ns + self._power_down_ns, fade)


def _fade(picc: Picc, fields_entered: int) -> None:
    """Power the tag down, unless a field has powered it again meanwhile."""
    if picc.fields_entered == fields_entered:
        picc.power_down()


def _any(values: Iterable[int]) -> int:
    total = 0
    for value in values:
        total |= value
    return total


def _flip_bits(frame: Frame, flips: int) -> int:
    return frame.bits ^ flips & (1 << frame.length) - 1


def _zeros(frame: Frame, flips: int) -> int:
    return ~_flip_bits(frame, flips) & (1 << frame.length) - 1


def _split(frame: Frame) -> int:
    """Return how many bits of the answer's first byte the reader's *frame* already contains.

    It is 0 except for an anticollision frame that ends inside a byte; the tag sends the rest of it.
    """
    return frame.length % 8 if frame.length > 16 else 0


def _breaks_parity(flips: int, length: int, split: int = 0) -> bool:
    """Return True if the flipped bits make the parity of a whole byte wrong.

    *flips* is a mask as in `RfField`, for a frame of *length* bits. A byte of which the reader has
    sent the first *split* bits is not checked.
    """
    start = 8 - split if split else 0
    data, parity = flips >> start, flips >> length
    return any(
        ((data >> 8 * byte & 0xFF).bit_count() + (parity >> byte & 1)) % 2
        for byte in range((length - start) // 8)
    )
