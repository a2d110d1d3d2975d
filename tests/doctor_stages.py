"""Stages of the doctor's faults for every kind of patient, an emulated Pi or a booted machine.

Each function breaks one thing, and mends it at the end. Their names are those of the faults in
``tests.doctor_faults``.
"""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol, TypeVar

from engines.common.contract import Tap
from engines.common.pieces import Piece
from firmware.boxes.decks import load_deck
from firmware.boxes.games import game_named
from firmware.journal.journal import GameStart, Journal
from firmware.runtime.controller import JOURNAL, REGISTER
from tests.part_faults import PART_FAULTS

PAGE = 4096
SPI_NODES = ("/dev/spidev0.0", "/dev/spidev0.1")
DRIVER = "/sys/bus/spi/devices/spi0.0/driver"
# A second reader, which the default table does not have.
HAND = """
[readers.hand]
spi = "0.1"
reset_pin = 15
"""
HOLDS_SPI = """
import os, sys
device = os.open("/dev/spidev0.0", os.O_RDWR)
print("ready", flush=True)
sys.stdin.readline()
"""
HOLDS_PORT = """
import socket, sys
listening = socket.create_server(("127.0.0.1", 8738))
print("ready", flush=True)
sys.stdin.readline()
"""
PLAYS = """
import sys
from pathlib import Path
from firmware.journal.journal import Journal
journal = Journal(Path({folder!r}, {name!r}))
print("ready", flush=True)
sys.stdin.readline()
journal.close()
"""


class Patient(Protocol):
    """A computer with a table whose faults the doctor must find.

    All paths are those of this computer, on which the tests run.
    """

    @property
    def home(self) -> Path:
        """A folder in which files can be put aside."""
        ...

    @property
    def state(self) -> Path:
        """The state folder."""
        ...

    @property
    def state_inside(self) -> str:
        """The path of the state folder as the patient's programs see it."""
        ...

    @property
    def table(self) -> Path:
        """The file ``table.toml``."""
        ...

    @property
    def libraries(self) -> Path:
        """A folder of installed Python libraries."""
        ...

    @property
    def environment(self) -> dict[str, str]:
        """The doctor's environment variables; they can be changed."""
        ...

    def file(self, path: str) -> Path:
        """Return the path, on this computer, of the patient's file *path*."""
        ...

    def broken(self, fault: str) -> AbstractContextManager[None]:
        """Let one of the parts have a *fault* of ``PART_FAULTS`` for a while."""
        ...

    def without(self, *nodes: str) -> AbstractContextManager[None]:
        """Let device files be missing for a while."""
        ...

    def forbidden(self, node: str, group: str) -> AbstractContextManager[None]:
        """For a while, let the user not open a device file, which belongs to *group*."""
        ...

    def programs_gone(self, *names: str) -> AbstractContextManager[None]:
        """Let programs be missing for a while, those that are there."""
        ...

    def programs_added(self, **scripts: str) -> AbstractContextManager[None]:
        """Let there be other programs for a while: shell scripts, by their names."""
        ...

    def other_program(self, code: str) -> AbstractContextManager[object]:
        """Run a Python program for a while; it prints a line when it is ready."""
        ...


P = TypeVar("P")
Stage = Callable[[P], Iterator[None]]
COMMON: dict[str, Stage[Patient]] = {}


def stage_in(stages: dict[str, Stage[P]]) -> Callable[[Stage[P]], Stage[P]]:
    """Return a decorator that adds a stage to *stages* by its name, with - in place of _."""

    def add(does: Stage[P]) -> Stage[P]:
        stages[does.__name__.replace("_", "-")] = does
        return does

    return add


stage = stage_in(COMMON)


@contextmanager
def staged(does: Stage[P], patient: P) -> Iterator[None]:
    """Stage a fault for a while; mend it even if a test fails."""
    acts = does(patient)
    next(acts)
    try:
        yield
    finally:
        next(acts, None)


@contextmanager
def changed(file: Path, text: str | bytes) -> Iterator[None]:
    """Let *file* have other contents for a while."""
    before = file.read_bytes() if file.exists() else None
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    try:
        yield
    finally:
        file.unlink()
        if before is not None:
            file.write_bytes(before)


@contextmanager
def put_aside(path: Path, patient: Patient) -> Iterator[None]:
    """Let a file or a folder of *patient* be elsewhere for a while."""
    kept = patient.home / "put-aside"
    shutil.move(path, kept)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        shutil.move(kept, path)


def part_stage(fault: str) -> Stage[Patient]:
    """Return the stage of a *fault* of ``PART_FAULTS``."""

    def does(patient: Patient) -> Iterator[None]:
        with patient.broken(fault):
            yield

    return does


COMMON.update({fault: part_stage(fault) for fault in PART_FAULTS})


# --- buses and pins ------------------------------------------------------------------------------


@stage
def spi_off(patient: Patient) -> Iterator[None]:
    with patient.without(*SPI_NODES):
        yield


@stage
def i2c_off(patient: Patient) -> Iterator[None]:
    with patient.without("/dev/i2c-1"):
        yield


@stage
def spi_forbidden(patient: Patient) -> Iterator[None]:
    with patient.forbidden("/dev/spidev0.0", "spi"):
        yield


@stage
def i2c_forbidden(patient: Patient) -> Iterator[None]:
    with patient.forbidden("/dev/i2c-1", "i2c"):
        yield


@stage
def chip_select_taken(patient: Patient) -> Iterator[None]:
    link = patient.file(DRIVER)
    own = link.readlink()
    link.unlink()
    link.symlink_to("../../drivers/mcp251x")
    with patient.without("/dev/spidev0.0"):
        yield
    link.unlink()
    link.symlink_to(own)


@stage
def reader_open_elsewhere(patient: Patient) -> Iterator[None]:
    with patient.other_program(HOLDS_SPI):
        yield


@stage
def old_pin_factory(patient: Patient) -> Iterator[None]:
    patient.environment["GPIOZERO_PIN_FACTORY"] = "rpigpio"
    yield
    del patient.environment["GPIOZERO_PIN_FACTORY"]


@stage
def old_pin_library(patient: Patient) -> Iterator[None]:
    with changed(patient.libraries / "RPi/_GPIO.cpython-311-aarch64-linux-gnu.so", ""):
        yield
    (patient.libraries / "RPi").rmdir()


@stage
def update_undone(patient: Patient) -> Iterator[None]:
    text = "The update 0.2.0-a failed (watchdog), so 0.1.0-b runs again.\n  log\n"
    with changed(patient.file("/opt/tapmat/rolled-back"), text):
        yield


# --- stored data ---------------------------------------------------------------------------------


Change = Callable[[Path], None]  # of a file


def record_game(path: Path) -> None:
    """Record an open game in the journal at *path*."""
    with closing(Journal(path)) as journal:
        journal.begin(GameStart("straw", ("Ann", "Ben"), 0, {}, load_deck(game_named("straw"))))
        for _ in range(200):
            journal.note_health({"reader play": {"polls": 1}})
        journal.append(Tap(Piece("weight-7"), "play"))


def with_journal(patient: Patient, *changes: Change) -> Iterator[None]:
    """Let the patient have a journal for a while, a new file after these *changes*.

    It is made in another folder, because SQLite follows the link to a machine's root out of it.
    """
    with TemporaryDirectory() as folder:
        for change in changes:
            change(Path(folder, JOURNAL))
        for file in Path(folder).iterdir():
            shutil.copyfile(file, patient.state / file.name)
    yield
    delete_journal(patient)


def delete_journal(patient: Patient) -> None:
    """Delete the journal, and what SQLite and the doctor wrote beside it."""
    for file in patient.state.glob("journal*"):
        file.unlink()


@stage
def journal_damaged(patient: Patient) -> Iterator[None]:
    def damage(path: Path) -> None:
        whole = path.read_bytes()
        path.write_bytes(whole[: 3 * PAGE] + bytes(PAGE) + whole[4 * PAGE :])

    yield from with_journal(patient, record_game, damage)


@stage
def journal_newer(patient: Patient) -> Iterator[None]:
    def renew(path: Path) -> None:
        with closing(sqlite3.connect(path)) as newer:
            newer.execute("PRAGMA user_version = 99")

    yield from with_journal(patient, record_game, renew)


@stage
def often_degraded(patient: Patient) -> Iterator[None]:
    def note_health(path: Path) -> None:
        with closing(Journal(path)) as journal:
            journal.note_health({"reader play": {"settings-lost": 40, "degraded": 3}})

    yield from with_journal(patient, note_health)


@stage
def tags_damaged(patient: Patient) -> Iterator[None]:
    with changed(patient.state / REGISTER, "no register\n" * 1000):
        yield


@stage
def nothing_enrolled(patient: Patient) -> Iterator[None]:
    with put_aside(patient.state / REGISTER, patient):
        yield


@stage
def card_without_tag(patient: Patient) -> Iterator[None]:
    register = patient.state / REGISTER
    with TemporaryDirectory() as folder:
        copy = Path(shutil.copy(register, folder))
        with closing(sqlite3.connect(copy)) as tags, tags:
            tags.execute("DELETE FROM tag WHERE game = 'straw' AND kind = 'weight-7'")
        fewer = copy.read_bytes()
    with changed(register, fewer):
        yield


@stage
def two_programs(patient: Patient) -> Iterator[None]:
    with patient.other_program(PLAYS.format(folder=patient.state_inside, name=JOURNAL)):
        yield
    delete_journal(patient)


@stage
def state_is_a_file(patient: Patient) -> Iterator[None]:
    with put_aside(patient.state, patient):
        patient.state.touch()
        yield


# --- table.toml ----------------------------------------------------------------------------------


def written(patient: Patient, old: str, new: str) -> Iterator[None]:
    text = patient.table.read_text("utf-8")
    assert old in text
    with changed(patient.table, text.replace(old, new)):
        yield


@stage
def table_syntax(patient: Patient) -> Iterator[None]:
    yield from written(patient, "[display]", "[display")


@stage
def companion_port_taken(patient: Patient) -> Iterator[None]:
    with patient.other_program(HOLDS_PORT):
        yield from written(patient, "on = false\nport = 8738", "on = true\nport = 8738")


@stage
def companion_not_running(patient: Patient) -> Iterator[None]:
    yield from written(patient, "on = false\nport = 8738", "on = true\nport = 8739")


@stage
def table_unknown_key(patient: Patient) -> Iterator[None]:
    yield from written(patient, "reset_pin = 15", "reset_pim = 15")


@stage
def table_missing(patient: Patient) -> Iterator[None]:
    with put_aside(patient.table, patient):
        yield


@stage
def display_address(patient: Patient) -> Iterator[None]:
    yield from written(patient, 'address = "0x3C"', 'address = "0x3D"')


@stage
def slow_tags(patient: Patient) -> Iterator[None]:
    with patient.broken("slow-tags"):
        yield from written(patient, "[display]", "[fields]\nin_turn = true\n\n[display]")


@stage
def wires_too_long_for_4_mhz(patient: Patient) -> Iterator[None]:
    with patient.broken("wires-too-long-for-4-mhz"):
        yield from written(patient, "reset_pin = 25 #", "spi_mhz = 4\nreset_pin = 25 #")


# --- sound ---------------------------------------------------------------------------------------


@stage
def speech_missing(patient: Patient) -> Iterator[None]:
    with patient.programs_gone("espeak-ng"):
        yield


@stage
def player_missing(patient: Patient) -> Iterator[None]:
    with patient.programs_gone("pacat", "pw-cat", "aplay"):
        yield


@stage
def sound_in_use(patient: Patient) -> Iterator[None]:
    busy = "aplay: main:831: audio open error: Device or resource busy"
    script = f"cat > /dev/null\necho '{busy}' >&2\nexit 1\n"
    with patient.programs_gone("pacat", "pw-cat", "aplay"), patient.programs_added(aplay=script):
        yield
