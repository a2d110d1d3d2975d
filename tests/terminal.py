"""A stand-in for a terminal."""

import io


class Terminal(io.StringIO):
    """A text stream that says it is a terminal, and keeps everything written to it."""

    def isatty(self) -> bool:
        """Return True, as for a terminal."""
        return True
