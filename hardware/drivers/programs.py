"""Helpers for child processes: end one, and read its last error message.

May import: the standard library.
"""

import subprocess
from contextlib import suppress


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill *process* and close its pipes. Data in the pipes is lost."""
    process.kill()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    process.wait()


def last_line(complaints: bytes) -> str:
    """Return the last non-empty line of *complaints*, a program's standard error, or ""."""
    lines = complaints.decode(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
