"""The field of one antenna: who is in it, and what the air does to their answers.

Room: sim/chips. Between the reader chip and the tags.
May import: the standard library and sim.chips.
Source: ISO/IEC 14443-3, 6.2.3.3 and 6.4.2: answers start together, and where a 1 meets a 0 both
halves of the bit are modulated. Signal strength is not modelled: no tag drowns another.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sim.chips.clock import VirtualClock
from sim.chips.iso14443 import Frame
from sim.chips.picc import Picc

POWER_UP_NS = 1_000_000  # what tags need in practice; 14443-3 (5.1) grants them 5 ms


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


class Field:
    """What lies over one antenna.

    Two faults may be set: *miss* says whether a tag's answer is lost on its way (the tag believes
    it has answered), *noise* which bits of an answer arrive flipped.
    """

    def __init__(self, clock: VirtualClock, *, power_up_ns: int = POWER_UP_NS) -> None:
        self._clock = clock
        self._power_up_ns = power_up_ns
        self._ready_ns: dict[Picc, int] = {}
        self._is_on = False
        self.miss: Callable[[Picc], bool] = _never
        self.noise: Callable[[Picc, Frame], int] = _silence

    @property
    def is_on(self) -> bool:
        """Whether the antenna radiates."""
        return self._is_on

    @property
    def piccs(self) -> tuple[Picc, ...]:
        """The tags in the field, in the order they came."""
        return tuple(self._ready_ns)

    def enter(self, picc: Picc) -> None:
        """Bring *picc* into the field."""
        if picc in self._ready_ns:
            raise ValueError(f"{picc} is in this field already")
        self._ready_ns[picc] = self._clock.now_ns + self._power_up_ns
        if self._is_on:
            picc.power_up()

    def leave(self, picc: Picc) -> None:
        """Take *picc* away; it forgets its state."""
        if picc not in self._ready_ns:
            raise ValueError(f"{picc} is not in this field")
        del self._ready_ns[picc]
        picc.power_down()

    def switch(self, is_on: bool) -> None:
        """Switch the antenna; a tag without field forgets its state."""
        if is_on == self._is_on:
            return
        self._is_on = is_on
        for picc in self._ready_ns:
            if is_on:
                self._ready_ns[picc] = self._clock.now_ns + self._power_up_ns
                picc.power_up()
            else:
                picc.power_down()

    def exchange(self, frame: Frame) -> Received | None:
        """Let every tag that is awake hear *frame* and return what comes back together."""
        if not self._is_on or not self._ready_ns:
            return None
        now = self._clock.now_ns
        heard = [
            (answer, self.noise(picc, answer.frame))
            for picc, ready_ns in self._ready_ns.items()
            if ready_ns <= now and (answer := picc.hear(frame)) and not self.miss(picc)
        ]
        if not heard:
            return None
        if len(heard) == 1:
            answer, flips = heard[0]
            sent = answer.frame
            return Received(
                sent.bits ^ flips,
                sent.length,
                answer.delay_fc,
                has_wrong_parity=_breaks_parity(flips, sent.length),
            )
        return Received(
            bits=(ones := _any(answer.frame.bits ^ flips for answer, flips in heard)),
            length=max(answer.frame.length for answer, _ in heard),
            delay_fc=min(answer.delay_fc for answer, _ in heard),
            collisions=ones & _any(_zeros(answer.frame, flips) for answer, flips in heard),
        )


def _any(values: Iterable[int]) -> int:
    total = 0
    for value in values:
        total |= value
    return total


def _zeros(frame: Frame, flips: int) -> int:
    return ~(frame.bits ^ flips) & (1 << frame.length) - 1


def _breaks_parity(flips: int, length: int) -> bool:
    """Whether *flips* turns an odd number of bits in some whole byte."""
    return any(byte.bit_count() % 2 for byte in flips.to_bytes((length + 7) // 8, "little"))
