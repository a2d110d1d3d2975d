"""The person at the terminal, who tries the parts by hand."""

import select
import sys
from collections.abc import Sequence
from typing import TextIO

from rich.console import Console
from rich.text import Text

from firmware.doctor.findings import Finding
from firmware.doctor.printing import print_findings

YES = ("", "y", "yes")
NO = ("n", "no")


class TerminalOperator:
    """An ``Operator`` (``firmware.doctor.hands``) who reads *out* and types into *keys*."""

    def __init__(self, keys: TextIO, out: TextIO) -> None:
        self._keys = keys
        self._out = out

    def begin(self, findings: Sequence[Finding]) -> None:
        """Print the *findings* so far and how to answer the questions that follow."""
        print_findings(findings, self._out)
        intro = "Now the checks by hand. Answer with Enter for yes, n for no, s to skip."
        self._print(f"\n{intro}\n")

    def tell(self, text: str) -> None:
        """Print *text* as one line."""
        self._print(f"{text}\n")

    def confirm(self, question: str) -> bool | None:
        """Ask *question* and wait for a line.

        Return True for Enter, "y" or "yes", False for "n" or "no", and None for any other line or
        the end of the input.
        """
        while self._keys.isatty() and self.is_done():
            pass  # discard what was typed before the question
        self._print(f"{question} ")
        line = self._keys.readline()
        if not line:
            return None
        word = line.strip().casefold()
        if word in YES:
            return True
        return False if word in NO else None

    def is_done(self) -> bool:
        """Return True if Enter was pressed; on Windows, always return False."""
        if sys.platform == "win32" or not select.select([self._keys], [], [], 0.0)[0]:
            return False
        self._keys.readline()
        return True

    def _print(self, text: str) -> None:
        Console(file=self._out, highlight=False).print(Text(text), end="")
        self._out.flush()


def operator_at(keys: TextIO, out: TextIO) -> TerminalOperator | None:
    """Return an operator at *keys* and *out*; None unless both are terminals."""
    return TerminalOperator(keys, out) if keys.isatty() and out.isatty() else None
