"""The command ``tapmat``: run the command line and turn errors into a message and an exit code.

``sim`` and other distributions extend it by entry points, and nothing here names them: commands
in the group ``tapmat.commands`` (each a ``typer.Typer``), an emulated table in ``tapmat.play``,
and emulated parts in ``tapmat.boards``.
"""

import errno
import io
import logging
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from firmware.commands.interface import app
from firmware.commands.options import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_MISSING_PART
from firmware.common.errors import TapmatError
from hardware.errors import MissingPart

OUTPUT_ERRORS = (errno.EPIPE, errno.EBADF, errno.EIO, errno.ENOSPC, errno.EFBIG)


def main() -> None:
    """Run the command line; print one message and exit with its code on any known error."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    try:
        _prepare_streams()
        try:
            app()
        finally:
            sys.stdout.flush()
    except TapmatError as error:
        _end(str(error), error.exit_code)
    except MissingPart as missing:
        _end(str(missing), EXIT_MISSING_PART)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except OSError as error:
        if error.errno not in OUTPUT_ERRORS or error.filename is not None:
            raise  # the error is about a file, not about the standard output
        _drop_output()
        is_broken_pipe = error.errno == errno.EPIPE  # normal: head, for example, reads no further
        text = f"tapmat cannot print its output: {error.strerror}."
        _end("" if is_broken_pipe else text, EXIT_FAILED)


def _prepare_streams() -> None:
    """Replace a closed input or error stream by the null device.

    Also make all streams write ``?`` for letters that they cannot encode.

    Raises:
        OSError: the standard output is closed.
    """
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115  # for good
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # for good
    if sys.stdout is None:
        raise OSError(errno.EBADF, "the standard output is closed")
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _drop_output() -> None:
    """Discard unprinted output, so that Python's flush at exit does not fail."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _end(message: str, code: int) -> NoReturn:
    """Print *message* to the standard error, if that works, and exit with *code*."""
    with suppress(OSError):
        if message:
            print(message, file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
