"""Tests of the script that becomes the program whose device calls are answered."""

import subprocess
import sys

from fakepi.kernel.program import LAUNCHER

# Runs the script with an "installed filter" that notes each import and each opened file: with a
# real one, nobody answers these yet, and the script would wait for ever.
WATCHED = """
import importlib.util, os, socket, sys

spec = importlib.util.spec_from_file_location("launch", sys.argv[1])
launch = importlib.util.module_from_spec(spec)
spec.loader.exec_module(launch)
seen, is_installed = [], False

def hook(event, arguments):
    if is_installed and event in ("import", "open"):
        seen.append((event, arguments[0]))

def install(number, code):
    global is_installed
    is_installed = True
    return os.dup(1)

sys.addaudithook(hook)
launch.install_filter = install
ours, theirs = socket.socketpair()
ours.send(b"go")
launch.os.execvp = lambda *_command: print(seen)
launch.main(theirs.detach(), 0, b"", ["true"])
"""


def test_nothing_is_opened_before_the_listener_is_sent() -> None:
    watched = (sys.executable, "-c", WATCHED, str(LAUNCHER))
    done = subprocess.run(watched, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
