"""The base class for a device that a program opens, such as a bus or a port.

May import: the standard library.
"""

from types import TracebackType
from typing import Self


class Handle:
    """An opened device, which closes itself at the end of a ``with`` block."""

    __slots__ = ()

    def __enter__(self) -> Self:
        """Return the handle itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the handle."""
        self.close()

    def close(self) -> None:
        """Close the device. Safe to call twice."""
        raise NotImplementedError
