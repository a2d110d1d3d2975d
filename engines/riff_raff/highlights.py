"""The highlights of a finished game.

May import: the standard library and engines.common.
May be imported by: engines.riff_raff only, and tests.
"""

from typing import Final

from engines.common.highlights import Highlight, number

HIGHLIGHTS: Final = (
    Highlight("highlight.captain", ("captain",)),
    Highlight("highlight.largest-fall", ("takes",), number("n"), adds_up=False),
)
