"""Functions that run ``fakepi`` as a command, and compile programs for it."""

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from fakepi.__main__ import INCLUDE

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "sim" / "fakepi" / "examples"
COMMAND = (sys.executable, "-m", "fakepi")
STRICT = ("-Wall", "-Wextra", "-Werror")
LIMIT_S = 60.0
# Python programs that wait for Ctrl-C, and what they print and return then.
HANDLES = """
import signal, sys, time
signal.signal(signal.SIGINT, lambda *_: (print("handled"), sys.exit(0)))
print("ready", flush=True)
while True: time.sleep(0.01)
"""
CATCHES = """
import sys, time
try:
    print("ready", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    print("caught")
    sys.exit(7)
"""
DIES = """
import signal, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
print("ready", flush=True)
time.sleep(60)
"""
AT_CTRL_C = [
    (HANDLES, "ready\nhandled\n", 0),
    (CATCHES, "ready\ncaught\n", 7),
    (DIES, "ready\n", 130),
]


def environment(**more: str) -> dict[str, str]:
    """Return the environment in which ``python -m fakepi`` is this project's."""
    path = (str(ROOT / "sim" / "fakepi" / "src"), os.environ.get("PYTHONPATH", ""))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path)), **more}


def fakepi(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run ``fakepi`` with *arguments* to its end."""
    defaults = {"env": environment(), "timeout": LIMIT_S, "capture_output": True, "text": True}
    return subprocess.run((*COMMAND, *map(str, arguments)), check=False, **{**defaults, **options})


def press_ctrl_c(*arguments: str | Path) -> tuple[str, int]:
    """Run ``fakepi`` in a terminal, press Ctrl-C after its line "ready"; return output and code.

    The terminal is a real one of the kernel, so the signal reaches each process in it.
    """
    pty = pytest.importorskip("pty")  # not on Windows
    process, terminal = pty.fork()
    if process == 0:
        os.execve(sys.executable, (*COMMAND, *map(str, arguments)), environment())
    printed, is_pressed = b"", False
    with suppress(OSError), os.fdopen(terminal, "r+b", buffering=0) as screen:
        while read := screen.read(1000):  # an error ends it when the last process has exited
            printed += read
            if not is_pressed and b"ready\r\n" in printed:
                is_pressed = True
                screen.write(b"\x03")
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return printed.decode().replace("\r", "").replace("^C", ""), code


def compiled(source: Path, folder: Path, compiler: str = "cc") -> Path:
    """Compile *source*, which may include ``fakepi.h``; skip the test without a compiler."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}: apt install build-essential")
    program = folder / source.stem
    command = (compiler, *STRICT, f"-I{INCLUDE}", f"-I{EXAMPLES}", "-o", program, source)
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=LIMIT_S)
    assert (done.returncode, done.stderr) == (0, "")
    return program
