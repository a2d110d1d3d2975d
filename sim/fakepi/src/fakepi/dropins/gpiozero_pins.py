"""A pin factory for gpiozero: gpiozero's factory for lgpio, which uses the drop-in ``lgpio``.

Import it only while the drop-ins are in place. gpiozero finds it under the name "fakepi".
May import: the standard library, fakepi and gpiozero.
"""

from typing import Any

import lgpio
from gpiozero.pins.lgpio import LGPIOFactory

PI_4B = 0xC03111  # the revision code of a Raspberry Pi 4B with 4 GB


class FakePiFactory(LGPIOFactory):  # type: ignore[misc]  # gpiozero has no type hints
    """The pins of the fake Pi that is in place now."""

    def ticks(self) -> Any:
        """Return the seconds on the virtual clock."""
        return lgpio.pi.clock.now()

    def _get_revision(self) -> int:
        return PI_4B
