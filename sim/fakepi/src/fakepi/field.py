"""The RF field of one antenna: its tags, and collisions and noise between them and the reader.

May import: the standard library and fakepi.
Source: ISO/IEC 14443-3, 6.2.3.3 and 6.4.2: answers start together, and where a 1 meets a 0 both
halves of the bit are modulated.

`fakepi.physics` decides how soon tags wake and how strong they answer. Simplified: parity bits of
simultaneous answers do not collide. If an anticollision frame splits a byte, the parity of that
byte is not checked. The reader does not receive an answer that is much weaker than another.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import NamedTuple

from fakepi.clock import VirtualClock
from fakepi.iso14443 import Frame
from fakepi.physics import HonestPhysics, Physics
from fakepi.picc import Picc, PiccAnswer

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
    """Noise that flips each bit on the air, including parity bits, with the probability *rate*."""

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


@dataclass(slots=True)
class _Place:
    """A tag's place in one field.

    *coupling* is the part of the field that reaches the tag, from 0 to 1.
    """

    loss: Loss
    strength: float
    coupling: float = 1.0
    is_powered: bool = False


class RfField:
    """The RF field of one antenna, and the tags in it.

    Three attributes cause faults. ``miss`` returns True if the antenna misses an answer of a tag.
    ``noise`` returns the bits of an answer that arrive flipped, and ``command_noise`` the bits of
    the reader's frame that a tag receives flipped, each as a mask. Bits of the mask beyond the
    length of the frame flip the parity bits of its whole bytes.

    Args:
        clock: the clock on which tags wake up.
        physics: how tags behave; by default, `HonestPhysics` with its default seed.
    """

    def __init__(self, clock: VirtualClock, physics: Physics | None = None) -> None:
        self._clock = clock
        self._physics = physics or HonestPhysics()
        self._places: dict[Picc, _Place] = {}
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
        return tuple(self._places)

    def enter(self, picc: Picc, loss: Loss = _never, *, strength: float = 1.0) -> None:
        """Bring *picc* into the field, on top of the tags that are there.

        A tag may be in the fields of two antennas. Both power the tag, and it receives frames from
        both readers. *loss* is called for each answer and returns True if this antenna misses it.
        *strength*, above 0 and at most 1, says how well the tag couples to the bare antenna.
        `coupling_at()` returns it for a distance.

        Raises:
            ValueError: the tag is in this field already, or the strength is out of range.
        """
        if picc in self._places:
            raise ValueError(f"{picc} is in this field already")
        if not 0 < strength <= 1:
            raise ValueError(f"a strength must be above 0 and at most 1, not {strength}")
        self._places[picc] = _Place(loss, strength)
        self._stack_up()

    def leave(self, picc: Picc) -> None:
        """Take *picc* out of the field, so that it loses its state.

        Raises:
            ValueError: the tag is not in this field.
        """
        if picc not in self._places:
            raise ValueError(f"{picc} is not in this field")
        place = self._places.pop(picc)
        self._unpower_tag(picc, place)
        self._stack_up()

    def switch(self, is_on: bool) -> None:
        """Switch the antenna on or off. A tag without a field loses its state."""
        if is_on == self._is_on:
            return
        self._is_on = is_on
        for picc, place in self._places.items():
            if is_on:
                self._power_tag(picc, place)
            else:
                self._unpower_tag(picc, place)

    def exchange(self, frame: Frame, least_coupling: float = 0.0) -> Received | None:
        """Send *frame* to every tag that is awake; return the combined answer, or None.

        The reader does not receive answers of tags whose coupling is below *least_coupling*, or
        answers that are much weaker than another.
        """
        if not self._is_on or not self._places:
            return None
        heard = self._answers(frame, least_coupling)
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

    def lose(self, frame: Frame, why: str) -> None:
        """Do nothing: no tag can receive *frame*, because of *why*. A subclass can record it."""

    def _answers(self, frame: Frame, least_coupling: float) -> list[tuple[PiccAnswer, int]]:
        """Return the answers that reach the reader, each with the bits that arrive flipped."""
        now, misses = self._clock.now_ns, self._physics.misses
        answers = [
            (picc, answer, place.coupling)
            for picc, place in self._places.items()
            if picc.awake_ns <= now
            and (answer := self._ask(picc, frame))
            and not place.loss(picc)
            and not self.miss(picc)
            and place.coupling >= least_coupling
            and not misses(place.coupling)
        ]
        if len(answers) > 1 and self._physics.capture:
            drowned = self._physics.capture * max(coupling for *_, coupling in answers)
            answers = [one for one in answers if one[2] >= drowned]
        return [(answer, self.noise(picc, answer.frame)) for picc, answer, _ in answers]

    def _ask(self, picc: Picc, frame: Frame) -> PiccAnswer | None:
        """Let *picc* receive *frame* with its noise, and return the answer, or None."""
        return picc.hear(self._disturb(picc, frame))

    def _disturb(self, picc: Picc, frame: Frame) -> Frame:
        flips = self.command_noise(picc, frame)
        if not flips:
            return frame
        return frame._replace(
            bits=_flip_bits(frame, flips),
            has_wrong_parity=_breaks_parity(flips, frame.length),
        )

    def _stack_up(self) -> None:
        """Record how much of the field reaches each tag, and power the tags that get enough."""
        for height, (picc, place) in enumerate(self._places.items()):
            place.coupling = self._physics.coupling(place.strength, height)
            if self._is_on:
                self._power_tag(picc, place)

    def _power_tag(self, picc: Picc, place: _Place) -> None:
        if place.is_powered:
            return
        wake_ns = self._physics.wake_ns(picc, place.coupling)
        if wake_ns is not None:
            place.is_powered = True
            picc.add_field(self._clock.now_ns + wake_ns)

    def _unpower_tag(self, picc: Picc, place: _Place) -> None:
        if not place.is_powered:
            return
        place.is_powered = False
        if not picc.remove_field():
            return
        hold_ns = self._physics.hold_ns(picc)
        if not hold_ns:
            picc.power_down()
            return
        fade = partial(_fade, picc, picc.fields_entered)
        self._clock.call_at(self._clock.now_ns + hold_ns, fade)


def _fade(picc: Picc, fields_entered: int) -> None:
    """Power *picc* down, unless it has entered a field since it had entered *fields_entered*."""
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
    """Return the number of bits of the answer's first byte that the reader sends in *frame*.

    It is 0 except for an anticollision frame that ends inside a byte. The tag sends the rest of
    that byte.
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
