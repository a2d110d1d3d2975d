"""The highlights of a finished game.

May import: the standard library and engines.common.
May be imported by: engines.ciao only, and tests.
"""

from typing import Final

from engines.common.highlights import Highlight, number

HIGHLIGHTS: Final = (
    Highlight("highlight.most-drawn", ("draws", "penalty"), number("n")),
    Highlight("highlight.dearest-hand", ("hand-scored",), number("n"), adds_up=False),
)
