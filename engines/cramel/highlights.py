"""The highlights of a finished game.

May import: the standard library and engines.common.
May be imported by: engines.cramel only, and tests.
"""

from typing import Final

from engines.common.highlights import Highlight, number

HIGHLIGHTS: Final = (
    Highlight("highlight.most-tiles", ("takes",), number("pieces"), adds_up=False),
    Highlight("highlight.bloom", ("bloom", "mixed")),
)
