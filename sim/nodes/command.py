"""``python -m sim.nodes``: runs a program on an emulated Raspberry Pi.

May import: firmware.config, firmware.common and this room.
"""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from firmware.common.errors import TapmatError
from firmware.config.table_config import load_config
from hardware.errors import MissingPart
from sim.nodes.emulated_pi import EmulatedPi
from sim.nodes.libraries import borrow_libraries
from sim.nodes.program import NodesUnsupported

UNSUPPORTED, NOT_FOUND, NOT_RUNNABLE = 2, 127, 126  # exit codes; the last two as in shells
KILLED = 128  # the exit code of a program that a signal ended is this plus the signal's number


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program named on the command line, and return its exit code."""
    options = _options(arguments)
    try:
        config = load_config(options.table)
        with TemporaryDirectory() as folder:
            pi = EmulatedPi(config, Path(folder, "pi"))
            return _run(pi, options.command, Path(folder, "libraries"))
    except (TapmatError, MissingPart, NodesUnsupported) as wrong:
        print(wrong, file=sys.stderr)
        return UNSUPPORTED


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m sim.nodes",
        description="Run a program on an emulated Raspberry Pi, behind real device nodes.",
    )
    parser.add_argument("--table", type=Path, help="the table's configuration file")
    parser.add_argument("command", nargs="+", help="the program and its arguments, after --")
    return parser.parse_args(arguments)


def _run(pi: EmulatedPi, command: list[str], libraries: Path) -> int:
    for missing in borrow_libraries(libraries):
        note = f"Python programs will not find {missing}; sudo apt install python3-{missing}"
        print(note, file=sys.stderr)
    path = filter(None, (str(libraries), os.environ.get("PYTHONPATH")))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    try:
        program = pi.start(command, env=environment)
    except OSError as failed:
        print(f"{command[0]} cannot be started: {failed.strerror}", file=sys.stderr)
        return NOT_FOUND if isinstance(failed, FileNotFoundError) else NOT_RUNNABLE
    # Ctrl-C reaches the program from the terminal; here it must not end the answers first.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with program:
        code = program.wait()
    return code if code >= 0 else KILLED - code
