"""A booted machine with an installed table that is in order, as a patient for the doctor."""

import shlex
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from firmware.boxes.register import TagRegister
from firmware.config.table_config import load_config
from firmware.runtime.controller import REGISTER
from sim.mat.tags import enrol_decks
from tests.boot.looks import CURRENT
from tests.boot.machine import BOARD_PATH, PI, STATE, UNITS, Machine
from tests.doctor_faults import Findings, findings_in
from tests.doctor_stages import HAND, delete_journal

PROGRAMS = ("usr/local/bin", "usr/bin")
PLAYER = "cat > /dev/null\n"  # a stand-in for pacat: the machine has no sound card
AS_USER = ("setpriv", "--reuid=tapmat", "--regid=tapmat", "--init-groups")
NODE_MODE = 0o666


class BootedPatient:
    """An installed table on a running *machine*; a ``tests.doctor_stages.Patient``.

    Its service is stopped, every card has a sticker, two readers are wired, and it can speak. An
    empty *folder* is for files that are made on this computer.
    """

    def __init__(self, machine: Machine, folder: Path) -> None:
        self.machine = machine
        self.environment = {"PYTHONPATH": BOARD_PATH}
        self.table = machine.path("etc/tapmat/table.toml")
        self.state, self.state_inside = machine.path(STATE), f"/{STATE}"
        self.libraries = machine.path("usr/lib/python3/dist-packages")
        self.home = machine.path("root")
        self.do(f"systemctl stop {UNITS[0]}")
        with closing(TagRegister(folder / REGISTER)) as tags:
            enrol_decks(tags, load_config())
        (self.state / REGISTER).write_bytes((folder / REGISTER).read_bytes())
        table = self.table.read_text("utf-8") + HAND
        self.table.write_text(table, encoding="utf-8")
        machine.wire(table)
        self._add_program("pacat", PLAYER)
        delete_journal(self)
        self.own_state()

    def do(self, script: str) -> None:
        """Run a shell *script* as root on the machine; it must succeed."""
        done = self.machine.do(script)
        assert done.code == 0, done.said

    def own_state(self) -> None:
        """Give all files in the state folder to the table's user, after this computer's root."""
        self.do(f"chown -R tapmat:tapmat /{STATE} && chmod 700 /{STATE}")

    def findings(self, *arguments: str) -> Findings:
        """Run ``tapmat doctor --json`` with *arguments*, and return its findings."""
        given = " ".join(f"{name}={shlex.quote(text)}" for name, text in self.environment.items())
        done = self.machine.do(" ".join((given, "tapmat doctor --json", *arguments)))
        return findings_in(done.said, done.code)

    # --- what stages change ---

    def file(self, path: str) -> Path:
        """Return the path, on this computer, of the machine's file *path*."""
        inside = path.removeprefix("/")
        return self.machine.path(f"{PI}/{inside}" if path.startswith("/sys/") else inside)

    @contextmanager
    def broken(self, fault: str) -> Iterator[None]:
        """Let one of the parts have a *fault* of ``PART_FAULTS`` for a while."""
        self.machine.break_board(fault)
        try:
            yield
        finally:
            self.machine.break_board(None)

    @contextmanager
    def without(self, *nodes: str) -> Iterator[None]:
        """Let device files be missing for a while."""
        for node in nodes:
            self.file(node).unlink()
        try:
            yield
        finally:
            for node in nodes:
                self.file(node).touch()
                self.file(node).chmod(NODE_MODE)

    @contextmanager
    def forbidden(self, node: str, group: str) -> Iterator[None]:
        """For a while, let the table's user not be in the *group* of a device file."""
        self.do(f"gpasswd --delete tapmat {group} && chown root:{group} {node} && chmod 660 {node}")
        try:
            yield
        finally:
            self.do(f"gpasswd --add tapmat {group} && chmod {NODE_MODE:o} {node}")

    @contextmanager
    def programs_gone(self, *names: str) -> Iterator[None]:
        """Let programs be missing for a while, those that are there."""
        files = [self.machine.path(f"{folder}/{name}") for folder in PROGRAMS for name in names]
        gone = [file for file in files if file.exists()]
        for file in gone:
            file.rename(file.with_suffix(".gone"))
        try:
            yield
        finally:
            for file in gone:
                file.with_suffix(".gone").rename(file)

    @contextmanager
    def programs_added(self, **scripts: str) -> Iterator[None]:
        """Let there be other programs for a while: shell scripts, by their names."""
        files = [self._add_program(name, script) for name, script in scripts.items()]
        try:
            yield
        finally:
            for file in files:
                file.unlink()

    def _add_program(self, name: str, script: str) -> Path:
        file = self.machine.path(f"usr/local/bin/{name}")
        file.write_text(f"#!/bin/sh\n{script}", encoding="utf-8")
        file.chmod(0o755)
        return file

    @contextmanager
    def other_program(self, code: str) -> Iterator[None]:
        """Run a Python program as the table's user; it prints a line when it is ready."""
        command = self.machine.inside(*AS_USER, f"/{CURRENT}/bin/python", "-c", code)
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
            assert program.stdout is not None
            assert program.stdin is not None
            assert program.stdout.readline()
            try:
                yield
            finally:
                program.stdin.close()
