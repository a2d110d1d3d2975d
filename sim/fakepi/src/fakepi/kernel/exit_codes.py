"""The exit codes of commands that run a program. They are the same as in a shell.

May import: the standard library.
"""

import sys

NOT_RUNNABLE, NOT_FOUND = 126, 127
KILLED = 128  # for a program that a signal ended: this plus the signal's number


def explain_start(program: str, failed: OSError) -> int:
    """Print why *program* could not be started, and return the exit code."""
    print(f"{program} cannot be started: {failed.strerror}", file=sys.stderr)
    return NOT_FOUND if isinstance(failed, FileNotFoundError) else NOT_RUNNABLE


def exit_code(code: int) -> int:
    """Return a shell's exit code for *code*, a return code that is negative after a signal."""
    return code if code >= 0 else KILLED - code
