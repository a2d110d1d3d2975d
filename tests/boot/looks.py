"""Checks of a machine's table, its games, and changes of the project's source on it."""

import os
import shutil
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from firmware.boxes.register import TagRegister
from firmware.config.table_config import load_config
from firmware.runtime.controller import REGISTER
from sim.mat.tags import enrol_decks
from tests.boot.machine import IDLE, SOURCE, STATE, UNITS, Machine
from tests.firmware.archive.kept import play

TABLE, SAFE = UNITS
CURRENT = "opt/tapmat/current"
SAFE_MODE = "tapmat doctor"  # on the display in safe mode
GAME = "Ann"  # on the display while the game goes on
PLAYS = 6


def runs(machine: Machine) -> bool:
    """Return True if the table runs and shows that it waits for a game."""
    return machine.state(TABLE) == "active" and machine.shows(IDLE)


def begin_game(machine: Machine) -> None:
    """Give the table on *machine* an open game and the stickers of every deck, and start it."""
    machine.run("systemctl", "stop", TABLE)
    state = machine.path(STATE)
    for old in (*state.glob("journal*"), *state.glob("tags*")):
        old.unlink()
    with TemporaryDirectory() as folder:
        play(Path(folder), acts=PLAYS)
        with closing(TagRegister(Path(folder, REGISTER))) as tags:
            enrol_decks(tags, load_config())
        shutil.copytree(folder, state, dirs_exist_ok=True, copy_function=shutil.copyfile)
    owner = state.stat()
    state.chmod(0o700)
    for file in state.iterdir():
        os.chown(file, owner.st_uid, owner.st_gid)
    machine.run("systemctl", "start", TABLE)
    machine.wait_until("the game goes on", lambda: goes_on(machine))


def goes_on(machine: Machine) -> bool:
    """Return True if the table runs and shows the open game."""
    return machine.state(TABLE) == "active" and machine.shows(GAME)


def journal(machine: Machine) -> str:
    """Return what ``tapmat journal list`` prints on *machine*."""
    done = machine.do("tapmat journal list")
    assert done.code == 0, done.said
    return done.said


def stickers(machine: Machine) -> set[bytes]:
    """Return the UIDs of all stickers that the table on *machine* knows."""
    with TemporaryDirectory() as folder:
        for file in machine.path(STATE).glob(f"{REGISTER}*"):
            shutil.copyfile(file, Path(folder, file.name))
        with closing(TagRegister(Path(folder, REGISTER))) as tags:
            return tags.uids()


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
