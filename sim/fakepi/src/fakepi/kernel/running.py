"""A function that runs a program on an emulated Raspberry Pi to its end.

May import: the standard library and fakepi.
"""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from fakepi.kernel.ctrl_c import leave_ctrl_c_to_the_program
from fakepi.kernel.devices import PiDevices
from fakepi.kernel.exit_codes import exit_code, explain_start
from fakepi.kernel.libraries import borrow_libraries


def run_program(devices: PiDevices, command: list[str]) -> int:
    """Run *command* with *devices*, and the pin libraries of Debian, and return its exit code.

    Raises:
        NodesUnsupported: this computer cannot emulate device nodes.
    """
    with TemporaryDirectory() as folder:
        borrow_libraries(Path(folder, "libraries"))
        path = filter(None, (f"{folder}/libraries", os.environ.get("PYTHONPATH")))
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
        with leave_ctrl_c_to_the_program():
            try:
                program = devices.start(command, env=environment)
            except OSError as failed:
                return explain_start(command[0], failed)
            with program:
                return exit_code(program.wait())
