"""Runs ``fakepi`` as a command, and compiles programs for it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fakepi.__main__ import INCLUDE

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "sim" / "fakepi" / "examples"
COMMAND = (sys.executable, "-m", "fakepi")
STRICT = ("-Wall", "-Wextra", "-Werror")
LIMIT_S = 60.0


def environment(**more: str) -> dict[str, str]:
    """Return the environment in which ``python -m fakepi`` is this project's."""
    path = (str(ROOT / "sim" / "fakepi" / "src"), os.environ.get("PYTHONPATH", ""))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path)), **more}


def fakepi(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run ``fakepi`` with *arguments* to its end."""
    defaults = {"env": environment(), "timeout": LIMIT_S, "capture_output": True, "text": True}
    return subprocess.run((*COMMAND, *map(str, arguments)), check=False, **{**defaults, **options})


def compiled(source: Path, folder: Path, compiler: str = "cc") -> Path:
    """Compile *source*, which may include ``fakepi.h``; skip the test without a compiler."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}: apt install build-essential")
    program = folder / source.stem
    command = (compiler, *STRICT, f"-I{INCLUDE}", f"-I{EXAMPLES}", "-o", program, source)
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=LIMIT_S)
    assert (done.returncode, done.stderr) == (0, "")
    return program
