"""The remarks on a finished game.

May import: the standard library and engines.common.
May be imported by: engines.riff_raff only, and tests.
"""

from typing import Final

from engines.common.remarks import Remark, number

REMARKS: Final = (
    Remark("remark.captain", ("captain",)),
    Remark("remark.largest-fall", ("takes",), number("n"), adds_up=False),
)
