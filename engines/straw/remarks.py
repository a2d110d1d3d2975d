"""The remarks on a finished game.

May import: the standard library and engines.common.
May be imported by: engines.straw only, and tests.
"""

from typing import Final

from engines.common.remarks import Remark, number

REMARKS: Final = (
    Remark("remark.broke", ("broken", "straw-broke")),
    Remark("remark.best-hand", ("hand-scored",), number("n"), adds_up=False),
)
