"""The choice of what an emulated chip does where its data sheet defines nothing.

``"raise"`` raises an error, ``"as-silicon"`` does what real chips do, and ``"record"`` does the
same and keeps a record.

May import: the standard library and fakepi.
"""

from typing import Literal

Undefined = Literal["raise", "record", "as-silicon"]
