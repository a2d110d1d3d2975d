"""The remarks on a finished game.

May import: the standard library and engines.common.
May be imported by: engines.cramel only, and tests.
"""

from typing import Final

from engines.common.remarks import Remark, number

REMARKS: Final = (
    Remark("remark.most-tiles", ("takes",), number("pieces"), adds_up=False),
    Remark("remark.bloom", ("bloom", "mixed")),
)
