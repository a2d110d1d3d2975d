"""Whoever sits at the terminal.

Room: firmware/doctor.
"""

import select
import sys
from collections.abc import Sequence
from gettext import gettext as _
from typing import TextIO

from rich.console import Console
from rich.text import Text

from firmware.doctor.findings import Finding
from firmware.doctor.printing import print_findings

YES = ("", "y", "yes")  # beside those of the language
NO = ("n", "no")


class AtTerminal:
    """Somebody who reads *out* and types into *keys*; a ``firmware.doctor.hands.Person``."""

    def __init__(self, keys: TextIO, out: TextIO) -> None:
        self._keys = keys
        self._out = out

    def begin(self, findings: Sequence[Finding]) -> None:
        """Print what was found without them."""
        print_findings(findings, self._out)
        now = _("Now by hand. Answer with Enter for yes, n for no, s to skip.")
        self._print(f"\n{now}\n")

    def tell(self, text: str) -> None:
        """Print it at once."""
        self._print(f"{text}\n")

    def confirm(self, question: str) -> bool | None:
        """Enter or a yes, a no; everything else skips, and so does the end of the input."""
        while self._keys.isatty() and self.is_done():
            pass  # what was typed before answers nothing
        self._print(f"{question} ")
        line = self._keys.readline()
        if not line:
            return None
        word = line.strip().casefold()
        if word in (*YES, *_("y yes").split()):
            return True
        return False if word in (*NO, *_("n no").split()) else None

    def is_done(self) -> bool:
        """Whether Enter was pressed; where a terminal cannot be watched, time alone ends it."""
        if sys.platform == "win32" or not select.select([self._keys], [], [], 0.0)[0]:
            return False
        self._keys.readline()
        return True

    def _print(self, text: str) -> None:
        Console(file=self._out, highlight=False).print(Text(text), end="")
        self._out.flush()


def person_at(keys: TextIO, out: TextIO) -> AtTerminal | None:
    """Whoever sits there, if both are a terminal."""
    return AtTerminal(keys, out) if keys.isatty() and out.isatty() else None
