"""The behaviours of an emulated chip in cases that its data sheet does not define.

``"raise"`` raises an error, ``"as-silicon"`` does what real chips do, and ``"record"`` does the
same and also records the case.

May import: the standard library and fakepi.
"""

from typing import Literal

Undefined = Literal["raise", "record", "as-silicon"]
