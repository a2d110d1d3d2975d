"""Silence: the voice of a table that has none, or whose words are read elsewhere.

Room: hardware. No driver: there is no chip behind it.
"""


class SilentVoice:
    """Says nothing; a ``hardware.ports.Voice``."""

    def say(self, text: str, language: str) -> None:
        """Say nothing."""

    def close(self) -> None:
        """Nothing to let go of."""
