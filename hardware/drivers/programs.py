"""Programs that run beside the table: how they end, and what they complain of.

Room: hardware. Knows no game.
May import: the standard library.
"""

import subprocess
from contextlib import suppress


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill *process*, and let go of its pipes; what was still in them is lost."""
    process.kill()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    process.wait()


def last_line(complaints: bytes) -> str:
    """The last thing a program has complained of; empty when it has not."""
    lines = complaints.decode(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
