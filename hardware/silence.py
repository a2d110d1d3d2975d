"""Silence: the voice of a table that has none, or whose words are read elsewhere.

Room: hardware. No driver: there is no chip behind it.
"""


class SilentVoice:
    """Says nothing; a ``hardware.ports.Voice``.

    Args:
        why: what keeps it silent, if it should not be.
    """

    def __init__(self, why: str = "") -> None:
        self._why = why

    @property
    def is_speaking(self) -> bool:
        """It never is."""
        return False

    def say(self, text: str, language: str) -> None:
        """Say nothing."""

    def prepare(self, text: str, language: str) -> None:
        """Prepare nothing."""

    def hush(self) -> None:
        """Stay silent."""

    def set_volume(self, percent: int) -> None:
        """Stay silent, however loud."""

    def trouble(self, within_s: float) -> str:
        """Why it is silent."""
        return self._why

    def close(self) -> None:
        """Nothing to let go of."""
