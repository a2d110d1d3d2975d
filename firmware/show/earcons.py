"""Earcons: short sequences of tones after a player's action, with their timing.

The code is pure; the loop sends the current tone to the buzzer.
"""

from collections.abc import Mapping

from firmware.show.view import Cue

SILENCE = 0.0  # in place of a frequency
# (frequency in Hz, seconds). Rising tones mean accepted, falling ones refused. Some people do not
# hear pitch well, so the rhythms differ too: short; short short; short short long; long long.
TONES: Mapping[Cue, tuple[tuple[float, float], ...]] = {
    Cue.ACCEPTED: ((880.0, 0.06),),
    Cue.YOUR_TURN: ((880.0, 0.06), (SILENCE, 0.06), (1175.0, 0.06)),
    Cue.ROUND_END: (
        *((660.0, 0.06), (SILENCE, 0.06)),
        *((880.0, 0.06), (SILENCE, 0.06)),
        (1320.0, 0.30),
    ),
    Cue.REFUSED: ((330.0, 0.18), (SILENCE, 0.06), (220.0, 0.24)),
}


class Earcon:
    """The earcon being played, if there is one; a new one interrupts it."""

    def __init__(self) -> None:
        self._ends: list[tuple[float, float]] = []  # (end time, frequency) of each tone left

    def begin(self, cue: Cue, now_s: float) -> None:
        """Start the earcon of *cue* at *now_s*."""
        self._ends = []
        for frequency_hz, seconds in TONES[cue]:
            now_s += seconds
            self._ends.append((now_s, frequency_hz))

    def tone(self, now_s: float) -> float | None:
        """Return the frequency to play at *now_s*, in Hz; None for silence."""
        while self._ends and self._ends[0][0] <= now_s:
            del self._ends[0]
        return (self._ends[0][1] or None) if self._ends else None
