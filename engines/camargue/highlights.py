"""The highlights of a finished game.

May import: the standard library and engines.common.
May be imported by: engines.camargue only, and tests.
"""

from typing import Final

from engines.common.highlights import Highlight, number

HIGHLIGHTS: Final = (
    Highlight("highlight.best-tile", ("scores",), number("n"), adds_up=False),
    Highlight("highlight.copied", ("copies",), number("n")),
)
