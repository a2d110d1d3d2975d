"""The entry point of ``tapmat``: shows a service's first screen, then runs the command line.

It imports as little as possible before the first screen is shown and Ctrl-C is handled.
"""

import _thread
import os
import signal
import sys
import threading
import time
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130  # the exit code after Ctrl-C, as in shells
RETRY_S = 0.001


def main() -> None:
    """Show the first screen if this is a service, and run the command line.

    Ctrl-C ends the program at any moment without a traceback. Before and after the command, when
    nothing is open, the program exits at once. While the command runs, KeyboardInterrupt is raised,
    so that the command can close everything.
    """
    has_keys = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # or Ctrl-C is ignored
    if has_keys:
        signal.signal(signal.SIGINT, _leave)
    from firmware.commands.first_screen import table_to_show

    table = table_to_show(sys.argv[1:], os.environ)
    if table is not None:
        from firmware.runtime.splash import show_on_this_computer

        show_on_this_computer(table)
    from firmware.commands.cli import main as run_command_line

    sys.unraisablehook = _interrupt_again
    try:
        if has_keys:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run_command_line()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    finally:
        if has_keys:
            signal.signal(signal.SIGINT, _leave)


def _leave(_number: int, _frame: object) -> NoReturn:
    """Exit at once, without any clean-up."""
    os._exit(INTERRUPTED)


def _interrupt_again(unraisable: "sys.UnraisableHookArgs") -> None:
    """Raise KeyboardInterrupt again soon if Python ignored it, for example in a destructor.

    Python calls this with each exception that it ignores.
    """
    if unraisable.exc_type is KeyboardInterrupt:
        threading.Thread(target=_interrupt, daemon=True).start()
    else:
        sys.__unraisablehook__(unraisable)


def _interrupt() -> None:
    """Interrupt the main thread after it has left ``_interrupt_again``, even if it is blocked.

    Python would ignore an interrupt inside that function too.
    """
    main_thread = threading.main_thread().ident or 0
    while _is_in_hook(sys._current_frames().get(main_thread)):
        time.sleep(RETRY_S)
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:
        signal.pthread_kill(main_thread, signal.SIGINT)


def _is_in_hook(frame: FrameType | None) -> bool:
    """Return True if *frame* was called from ``_interrupt_again``."""
    while frame is not None:
        if frame.f_code is _interrupt_again.__code__:
            return True
        frame = frame.f_back
    return False


if __name__ == "__main__":
    main()
