"""Facts about the computer, read from its files.

This module imports only the standard library, since the installer uses it before any packages are
installed.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path

ROLLED_BACK = "opt/tapmat/rolled-back"  # why the last update was undone; missing if it was not


class Host(ABC):
    """A computer whose file system begins at *root*; in tests, *root* is an ordinary folder."""

    root: Path

    @property
    def model(self) -> str:
        """The board's model name, such as "Raspberry Pi 4 Model B"; empty if unknown."""
        return self.text("proc/device-tree/model").strip("\0\n ")

    @property
    def is_pi(self) -> bool:
        """True if the computer is a Raspberry Pi."""
        return "Raspberry Pi" in self.model

    @property
    def system(self) -> Mapping[str, str]:
        """The fields of ``/etc/os-release``, such as PRETTY_NAME."""
        lines = (line.partition("=") for line in self.text("etc/os-release").splitlines())
        return {key: value.strip('"') for key, _, value in lines}

    def path(self, name: str) -> Path:
        """Return the path of the file *name*, relative to the root, such as "etc/passwd"."""
        return self.root / name

    @abstractmethod
    def text(self, name: str) -> str:
        """Return the text of the file *name*, relative to the root; empty if it is missing."""
