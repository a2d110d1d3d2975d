"""The remarks on a finished game.

May import: the standard library and engines.common.
May be imported by: engines.camargue only, and tests.
"""

from typing import Final

from engines.common.remarks import Remark, number

REMARKS: Final = (
    Remark("remark.best-tile", ("scores",), number("n"), adds_up=False),
    Remark("remark.copied", ("copies",), number("n")),
)
