"""Checks of a machine's table, and changes of the project's source on it."""

from tests.boot.machine import IDLE, SOURCE, UNITS, Machine

TABLE, SAFE = UNITS
CURRENT = "opt/tapmat/current"
SAFE_MODE = "tapmat doctor"  # on the display in safe mode


def runs(machine: Machine) -> bool:
    """Return True if the table runs and shows that it waits for a game."""
    return machine.state(TABLE) == "active" and machine.shows(IDLE)


def is_safe(machine: Machine) -> bool:
    """Return True if safe mode runs and says what to do."""
    return machine.state(SAFE) == "active" and machine.shows(SAFE_MODE)


def release(machine: Machine) -> str:
    """Return the name of the release in use."""
    return machine.path(CURRENT).readlink().name


def change(machine: Machine, file: str, old: str, new: str) -> None:
    """Replace *old* by *new* in a *file* of the project on *machine*."""
    path = machine.path(f"{SOURCE}/{file}")
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
