"""``python -m sim.nodes``: runs a program on an emulated Raspberry Pi.

May import: firmware.config, firmware.common, fakepi and this room.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from fakepi.kernel.running import run_program
from fakepi.kernel.support import USE_MODULES, NodesUnsupported
from firmware.common.errors import TapmatError
from firmware.config.table_config import load_config
from hardware.errors import MissingPart
from sim.nodes.emulated_pi import EmulatedPi

UNSUPPORTED = 2  # an exit code
USE_SIM = "Use the emulated table inside the program: tapmat play --sim"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program named on the command line, and return its exit code."""
    options = _options(arguments)
    try:
        config = load_config(options.table)
        with TemporaryDirectory() as folder:
            pi = EmulatedPi(config, Path(folder, "pi"))
            return run_program(pi.devices, options.command)
    except NodesUnsupported as wrong:
        remedy = USE_SIM if wrong.remedy == USE_MODULES else wrong.remedy
        print(f"{wrong.found}. {remedy}.", file=sys.stderr)
    except (TapmatError, MissingPart) as wrong:
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
