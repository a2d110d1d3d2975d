"""A block in which Ctrl-C is left to the program that a command runs.

May import: the standard library.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def leave_ctrl_c_to_the_program() -> Iterator[None]:
    """In this block, Ctrl-C does nothing here, so that the program is answered until it ends.

    The terminal sends SIGINT to the program too. Unlike an ignored signal, a handler that does
    nothing is not inherited: the program begins with SIGINT as this command found it.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda _number, _frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
