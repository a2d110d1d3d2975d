"""The computer the doctor looks at: its files, its programs, and what Python knows of it.

Room: firmware/doctor. Every fact comes through here, so that a folder can stand in for the root of
the file system and a function for the programs.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from firmware.host import Host

RUN_LIMIT_S = 2.0  # no program that is asked takes a tenth of that


def run(command: Sequence[str]) -> str | None:
    """What *command* prints; none when it is not there, fails or hangs."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=RUN_LIMIT_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def may_use(path: Path) -> bool:
    """Whether this user may read and write *path*."""
    return os.access(path, os.R_OK | os.W_OK)


def free_bytes(folder: Path) -> int:
    """How much more *folder* can hold."""
    return shutil.disk_usage(folder).free


def now() -> datetime:
    """The time of day, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Computer(Host):
    """One computer. *root* is where its file system begins."""

    root: Path = Path("/")
    run: Callable[[Sequence[str]], str | None] = run
    may_use: Callable[[Path], bool] = may_use
    free_bytes: Callable[[Path], int] = free_bytes
    now: Callable[[], datetime] = now
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    python: str = ".".join(map(str, sys.version_info[:3]))
    prefix: Path = Path(sys.prefix)
    base_prefix: Path = Path(sys.base_prefix)
    packages: Sequence[Path] = field(default_factory=lambda: tuple(map(Path, sys.path)))
    process: int = field(default_factory=os.getpid)

    def bytes(self, name: str) -> bytes:
        """What the file *name* holds; nothing when it cannot be read."""
        try:
            return self.path(name).read_bytes()
        except OSError:
            return b""

    def text(self, name: str) -> str:
        """What stands in the file *name*; nothing when it cannot be read."""
        return self.bytes(name).decode("utf-8", errors="replace")

    def link(self, name: str) -> str:
        """Where the link *name* leads; nothing when it cannot be read."""
        try:
            return str(self.path(name).readlink())
        except OSError:
            return ""
