"""What a computer says of itself, for whoever sets it up and whoever looks after it.

Room: firmware. It imports nothing but the standard library, since a Pi is set up before anything is
installed.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path


class Host(ABC):
    """A computer whose file system begins at *root*, so that a folder can stand in for it."""

    root: Path

    @property
    def model(self) -> str:
        """Its name by its maker; empty when it is no Raspberry Pi and no other named board."""
        return self.text("proc/device-tree/model").strip("\0\n ")

    @property
    def is_pi(self) -> bool:
        """Whether it is a Raspberry Pi."""
        return "Raspberry Pi" in self.model

    @property
    def system(self) -> Mapping[str, str]:
        """The system's own description of itself (os-release)."""
        lines = (line.partition("=") for line in self.text("etc/os-release").splitlines())
        return {key: value.strip('"') for key, _, value in lines}

    def path(self, name: str) -> Path:
        """The file *name*, named from the root without a leading slash."""
        return self.root / name

    @abstractmethod
    def text(self, name: str) -> str:
        """What stands in the file *name*; nothing when it is not there."""
