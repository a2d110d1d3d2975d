"""Measure how much work the first screen waits for: ``python -m tests.firmware.measure_start``.

It counts the imported modules and the CPU time, which is scarce on a slow Pi, at two moments: when
the first picture is sent, and when the whole command line is loaded.
"""

import json
import subprocess
import sys
from dataclasses import dataclass

# This computer has no display bus, so the first screen is drawn but not sent.
BEFORE = """
import firmware.runtime.splash
drawn = firmware.runtime.splash.show_first_screen
def show(table, board):
    firmware.runtime.splash.first_screen((128, 64))
    drawn(table, board)
    print("first screen", flush=True)
firmware.runtime.splash.show_first_screen = show
"""
MEASURE = """
import json, sys, time
sys.argv = ["tapmat", "--help"]
begun = set(sys.modules)
import firmware.commands.start
from firmware.runtime.splash import first_screen
first_screen((128, 64))
first, first_s = set(sys.modules) - begun, time.process_time()
import firmware.commands.play
print(json.dumps([sorted(first), len(set(sys.modules) - begun), first_s, time.process_time()]))
"""
HEAVY = ("aiohttp", "babel", "gpiozero", "mfrc522", "rich", "sqlite3", "typer")


@dataclass(frozen=True)
class Loaded:
    """The number of imported modules, the heavy ones among them, and the CPU time in seconds."""

    first_screen: int
    ready: int
    heavy: tuple[str, ...]
    first_screen_s: float
    ready_s: float


def measured() -> Loaded:
    """Start ``tapmat --help`` in a new Python and return the measurements."""
    told = subprocess.check_output([sys.executable, "-c", MEASURE], text=True)
    first, ready, first_s, ready_s = json.loads(told)
    heavy = tuple(name for name in HEAVY if name in first)
    return Loaded(len(first), ready, heavy, first_s, ready_s)


if __name__ == "__main__":
    found = measured()
    print(
        f"first screen: {found.first_screen} modules, {found.first_screen_s * 1000:.0f} ms of CPU; "
        f"command line: {found.ready} modules, {found.ready_s * 1000:.0f} ms"
    )
