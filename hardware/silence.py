"""The voice of a table without sound, or of one whose words are read from a screen.

No driver: it uses no chip.
"""


class SilentVoice:
    """A ``hardware.ports.Voice`` that says nothing.

    Args:
        why: the text that ``trouble()`` returns; empty if silence is intended.
    """

    def __init__(self, why: str = "") -> None:
        self._why = why

    @property
    def is_speaking(self) -> bool:
        """Always False."""
        return False

    def say(self, text: str, language: str) -> None:
        """Do nothing."""

    def prepare(self, text: str, language: str) -> None:
        """Do nothing."""

    def hush(self) -> None:
        """Do nothing."""

    def set_volume(self, percent: int) -> None:
        """Do nothing."""

    def trouble(self, within_s: float) -> str:
        """Return the reason given to the constructor."""
        return self._why

    def close(self) -> None:
        """Do nothing: there is nothing to release."""
