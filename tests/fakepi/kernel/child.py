"""Children of the tests: programs that use device nodes."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from fakepi.kernel.clock import FollowingClock
from fakepi.kernel.files import PiFiles
from fakepi.kernel.program import PiProgram
from fakepi.kernel.support import NodesUnsupported

ROOT = Path(__file__).parents[3]
PYTHONPATH = os.pathsep.join((str(ROOT), str(ROOT / "sim" / "fakepi" / "src")))
LIMIT_S = 60.0
PREAMBLE = """
import errno, fcntl, json, os, subprocess, sys, threading
from tests.fakepi.kernel.raw import *
told = {}
"""


class Children:
    """Runs Python code as a program that sees the files of a Pi."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "PYTHONPATH": PYTHONPATH}
        self.clock = FollowingClock()
        self.files = PiFiles(folder / "pi")
        self.lock = threading.RLock()

    @contextmanager
    def start(self, code: str | list[str], **options: Any) -> Iterator[PiProgram]:
        """Start *code*, or a command; it ends with the block."""
        command = code if isinstance(code, list) else [sys.executable, "-c", PREAMBLE + code]
        defaults = {"env": self.environment, "cwd": self.folder}
        options = {**defaults, "stdout": subprocess.PIPE, "text": True, **options}
        try:
            program = PiProgram(command, self.files, self.clock, self.lock, **options)
        except NodesUnsupported as unsupported:
            pytest.skip(str(unsupported))
        try:
            with program:
                yield program
        finally:  # also where a test has failed: a file left open would fail the next one too
            for pipe in (program.process.stdin, program.process.stdout):
                if pipe is not None:
                    pipe.close()

    def ask(self, code: str, **options: Any) -> Any:
        """Run *code* to its end, and return the dictionary ``told`` that it fills."""
        with self.start(code + "\nprint(json.dumps(told, default=list))", **options) as program:
            output, _ = program.process.communicate(timeout=LIMIT_S)
            assert program.process.returncode == 0
        return json.loads(output)
