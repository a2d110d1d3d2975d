"""Earcons: the short tones that answer a tap, as data and the moment they sound.

Room: firmware. Pure code; the loop writes the tone to the buzzer.
"""

from firmware.view import Flash

# (frequency in Hz, seconds): rising is good, falling is not; told apart without pitch by length.
TONES: dict[Flash, tuple[tuple[float, float], ...]] = {
    Flash.ACCEPTED: ((880.0, 0.06),),
    Flash.REFUSED: ((330.0, 0.12), (220.0, 0.20)),
}


class Earcon:
    """Plays one earcon at a time; a new one cuts off the old."""

    def __init__(self) -> None:
        self._ends: list[tuple[float, float]] = []

    def begin(self, flash: Flash, now_s: float) -> None:
        """Start the earcon of *flash* at *now_s*."""
        self._ends = []
        for frequency_hz, seconds in TONES[flash]:
            now_s += seconds
            self._ends.append((now_s, frequency_hz))

    def tone(self, now_s: float) -> float | None:
        """The frequency to sound at *now_s*, in Hz; none for silence."""
        while self._ends and self._ends[0][0] <= now_s:
            del self._ends[0]
        return self._ends[0][1] if self._ends else None
