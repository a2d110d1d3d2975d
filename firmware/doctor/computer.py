"""The computer that the doctor checks: its files, its programs and its Python.

The checks ask ``Computer`` for every fact, so tests can replace the file system by a folder
and the programs by a function.
"""

import getpass
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from firmware.common.host import Host

LONGEST_ANSWER = 10_000  # bytes
RUN_LIMIT_S = 2.0  # the programs that the doctor runs take less than a tenth of this


def run(command: Sequence[str]) -> str | None:
    """Return the output of *command*; None if it does not exist, fails or hangs."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=RUN_LIMIT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def ask_web(port: int, path: str) -> str | None:
    """Send a GET request for *path* to *port* of this computer, and return the answer.

    Return "" if the program at that port does not answer as a web server, and None if no program
    listens there.
    """
    connection = HTTPConnection("127.0.0.1", port, timeout=RUN_LIMIT_S)
    try:
        connection.connect()
    except OSError:
        return None
    try:
        connection.request("GET", path)
        return connection.getresponse().read(LONGEST_ANSWER).decode("utf-8", errors="replace")
    except (OSError, HTTPException):
        return ""
    finally:
        connection.close()


def reach(host: str, port: int) -> str:
    """Connect to *port* of *host*, and return why that failed, or ""."""
    try:
        socket.create_connection((host, port), RUN_LIMIT_S).close()
    except (OSError, UnicodeError) as error:
        return str(getattr(error, "strerror", None) or error)
    return ""


def may_use(path: Path) -> bool:
    """Return True if this user may read and write *path*."""
    return os.access(path, os.R_OK | os.W_OK)


def free_bytes(folder: Path) -> int:
    """Return the number of bytes that are free in *folder*."""
    return shutil.disk_usage(folder).free


def free_files(folder: Path) -> int | None:
    """Return the number of files that can be added to *folder*.

    Return None if only free space limits it.
    """
    if sys.platform == "win32":
        return None
    stats = os.statvfs(folder)
    return stats.f_favail if stats.f_files else None


def installation_time() -> datetime:
    """Return the time at which this program's files were written, in UTC."""
    return datetime.fromtimestamp(Path(__file__).stat().st_mtime, UTC)


def user() -> str:
    """Return the name of this process's user, or the text "$USER" if the user has no name."""
    try:
        if sys.platform == "win32":
            return getpass.getuser()
        import pwd

        return pwd.getpwuid(os.geteuid()).pw_name
    except (KeyError, OSError):
        return "$USER"


def now() -> datetime:
    """Return the current date and time, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Computer(Host):
    """A computer whose file system begins at the folder *root*.

    File names given to its methods are relative to *root*. *prefix* and *base_prefix* are the
    values in ``sys``, which are equal outside a venv. *packages* are the folders from which Python
    imports, and *process* is the ID of this process. The functions, such as *run* and *free_bytes*,
    are those of this module, unless a test replaces them.
    """

    root: Path = Path("/")
    run: Callable[[Sequence[str]], str | None] = run
    ask_web: Callable[[int, str], str | None] = ask_web
    reach: Callable[[str, int], str] = reach
    may_use: Callable[[Path], bool] = may_use
    free_bytes: Callable[[Path], int] = free_bytes
    free_files: Callable[[Path], int | None] = free_files
    now: Callable[[], datetime] = now
    installed: Callable[[], datetime] = installation_time
    user: Callable[[], str] = user
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    python: str = ".".join(map(str, sys.version_info[:3]))
    prefix: Path = Path(sys.prefix)
    base_prefix: Path = Path(sys.base_prefix)
    packages: Sequence[Path] = field(default_factory=lambda: tuple(map(Path, sys.path)))
    process: int = field(default_factory=os.getpid)

    def bytes(self, name: str) -> bytes:
        """Return the contents of the file *name*; empty if it cannot be read."""
        try:
            return self.path(name).read_bytes()
        except OSError:
            return b""

    def text(self, name: str) -> str:
        """Return the text of the file *name*; empty if it cannot be read."""
        return self.bytes(name).decode("utf-8", errors="replace")

    def entries(self, name: str) -> Sequence[Path] | None:
        """Return the contents of the folder *name*; empty if there is no such folder.

        Return None if this user may not list it: only a process's own user and root may list the
        files that the process has open.
        """
        try:
            return tuple(self.path(name).iterdir())
        except PermissionError:
            return None
        except OSError:
            return ()

    def link(self, name: str) -> str:
        """Return the target of the symbolic link *name*; empty if it cannot be read."""
        try:
            return str(self.path(name).readlink())
        except OSError:
            return ""
