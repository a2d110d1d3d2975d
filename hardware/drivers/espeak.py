"""espeak-ng: small, quick, and it knows every language of the table.

Room: hardware. Knows no game.
May import: the standard library.
Source: the manual page of espeak-ng 1.51, and trying it.

It reads ``[[...]]`` as phonemes, whoever has written that. In French, Spanish and Hungarian it does
not read the minus sign of a number at all, so a total of -3 would be told as 3; there it is written
out.
"""

import re
import shutil

from hardware.drivers.synthesis import Engine

PROGRAM = "espeak-ng"
N_ = str  # marks a text for the catalogues; it is translated where it is used
NOT_INSTALLED = N_("espeak-ng is not installed; sudo apt install espeak-ng")
# No pause at the end, which would only keep the next words waiting.
OPTIONS = ("-z", "--stdin", "--stdout")
LIMIT_S = 5.0  # it takes some 20 ms; a Pi Zero five times that
MINUS = {"es": "menos ", "fr": "moins ", "hu": "mínusz "}
NEGATIVE = re.compile(r"(?<![\w.,])[-\N{MINUS SIGN}](?=\d)")
FULL_STOP = re.compile(r"(?<!\.)\.$")


def spelled(text: str, language: str) -> str:
    """*text* as espeak-ng is to read it, without the full stop at its end, which nobody hears."""
    text = FULL_STOP.sub("", text.strip()).replace("[[", "[ [")
    return NEGATIVE.sub(MINUS.get(language, "-"), text)


def espeak() -> Engine | None:
    """espeak-ng as it is installed here; none when it is not."""
    program = shutil.which(PROGRAM)
    if program is None:
        return None
    return Engine(PROGRAM, lambda language: (program, "-v", language, *OPTIONS), spelled, LIMIT_S)
