"""The remarks on a finished game.

May import: the standard library and engines.common.
May be imported by: engines.ciao only, and tests.
"""

from typing import Final

from engines.common.remarks import Remark, number

REMARKS: Final = (
    Remark("remark.most-drawn", ("draws",)),
    Remark("remark.dearest-hand", ("hand-scored",), number("n"), adds_up=False),
)
