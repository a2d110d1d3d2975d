"""The speech program espeak-ng, which is small and fast, and speaks every language of the table.

May import: the standard library.
Source: the manual page of espeak-ng 1.51, and tests with it.

The program reads ``[[...]]`` in a text as phonemes. In French, Spanish and Hungarian it does not
speak the minus sign of a number, so -3 would be heard as 3; in these languages the sign is written
out.
"""

import re
import shutil

from hardware.drivers.synthesis import Engine

PROGRAM = "espeak-ng"
NOT_INSTALLED = "espeak-ng is not installed; sudo apt install espeak-ng"
# No pause at the end, because it would delay the next text.
OPTIONS = ("-z", "--stdin", "--stdout")
LIMIT_S = 5.0  # it takes about 20 ms; on a Pi Zero five times that
MINUS = {"es": "menos ", "fr": "moins ", "hu": "mínusz "}
NEGATIVE = re.compile(r"(?<![\w.,])[-\N{MINUS SIGN}](?=\d)")
FULL_STOP = re.compile(r"(?<!\.)\.$")


def input_text(text: str, language: str) -> str:
    """Return *text* in a form that espeak-ng speaks correctly, without the last full stop."""
    text = FULL_STOP.sub("", text.strip()).replace("[[", "[ [")
    return NEGATIVE.sub(MINUS.get(language, "-"), text)


def espeak() -> Engine | None:
    """Return espeak-ng as an engine, or None if it is not installed."""
    program = shutil.which(PROGRAM)
    if program is None:
        return None

    def command(language: str) -> tuple[str, ...]:
        return (program, "-v", language, *OPTIONS)

    return Engine(PROGRAM, command, input_text, LIMIT_S)
