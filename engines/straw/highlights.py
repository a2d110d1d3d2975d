"""The highlights of a finished game.

May import: the standard library and engines.common.
May be imported by: engines.straw only, and tests.
"""

from typing import Final

from engines.common.highlights import Highlight, number

HIGHLIGHTS: Final = (
    Highlight("highlight.broke", ("broken", "straw-broke")),
    Highlight("highlight.best-hand", ("hand-scored",), number("n"), adds_up=False),
)
