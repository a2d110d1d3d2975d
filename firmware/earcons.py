"""Earcons: the short tones that answer an act, as data and the moment they sound.

Room: firmware. Pure code; the loop writes the tone to the buzzer.
"""

from collections.abc import Mapping

from firmware.view import Cue

SILENCE = 0.0  # in place of a frequency
# (frequency in Hz, seconds). Rising is good, falling is not; and since not everybody hears pitch,
# each has a rhythm of its own: short; short short; short short long; long long.
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
    """Plays one earcon at a time; a new one cuts off the old."""

    def __init__(self) -> None:
        self._ends: list[tuple[float, float]] = []

    def begin(self, cue: Cue, now_s: float) -> None:
        """Start the earcon of *cue* at *now_s*."""
        self._ends = []
        for frequency_hz, seconds in TONES[cue]:
            now_s += seconds
            self._ends.append((now_s, frequency_hz))

    def tone(self, now_s: float) -> float | None:
        """The frequency to sound at *now_s*, in Hz; none for silence."""
        while self._ends and self._ends[0][0] <= now_s:
            del self._ends[0]
        return (self._ends[0][1] or None) if self._ends else None
