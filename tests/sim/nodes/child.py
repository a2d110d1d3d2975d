"""Children of the tests: programs that use device nodes, and the chips behind these."""

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

from firmware.config.table_config import TableConfig
from sim.nodes.clock import FollowingClock
from sim.nodes.emulated_pi import EmulatedPi
from sim.nodes.files import PiFiles
from sim.nodes.libraries import borrow_libraries
from sim.nodes.program import NodesUnsupported, PiProgram

ROOT = Path(__file__).parents[3]
LIMIT_S = 60.0
PREAMBLE = """
import errno, fcntl, json, os, subprocess, sys, threading
from tests.sim.nodes.raw import *
told = {}
"""


class Children:
    """Runs Python code as a program that sees the files of a Pi."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self.clock = FollowingClock()
        self.files = PiFiles(folder / "pi")
        self.turn = threading.RLock()

    @contextmanager
    def start(self, code: str | list[str], **options: Any) -> Iterator[PiProgram]:
        """Start *code*, or a command; it ends with the block."""
        command = code if isinstance(code, list) else [sys.executable, "-c", PREAMBLE + code]
        defaults = {"env": self.environment, "cwd": self.folder}
        options = {**defaults, "stdout": subprocess.PIPE, "text": True, **options}
        try:
            program = PiProgram(command, self.files, self.clock, self.turn, **options)
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


class PiChildren(Children):
    """Runs Python code, with the real pin libraries, as a program on an emulated Raspberry Pi."""

    def __init__(self, folder: Path, config: TableConfig) -> None:
        self.folder = folder
        libraries = folder / "libraries"
        if missing := borrow_libraries(libraries):
            packages = " ".join(f"python3-{name}" for name in missing)
            pytest.skip(f"no {' and no '.join(missing)} for this Python: apt install {packages}")
        self.environment = {
            **os.environ,
            "PYTHONPATH": f"{ROOT}:{libraries}:{os.environ.get('PYTHONPATH', '')}",
            "HOME": str(folder),
            "USER": "ann",  # the doctor must not believe it
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
        self.config = config
        self.pi = EmulatedPi(config, folder / "pi")
        self.clock, self.files, self.turn = self.pi.time, self.pi.files, self.pi.turn
