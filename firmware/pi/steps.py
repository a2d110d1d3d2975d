"""The steps from a bare system to a running table, in order; each can be seen, done and undone.

Room: firmware/pi. A step first says what it would change; when that is nothing, it is done already,
which makes setting up twice the same as once.

On disk: ``/opt/tapmat/releases/<name>`` holds one installed program each, ``/opt/tapmat/current``
names the one in use; ``/etc/tapmat/table.toml`` is the owner's; ``/var/lib/tapmat`` is the state,
and ``/var/cache/tapmat`` holds what can be made anew.
"""

import os
import shutil
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from gettext import gettext as _
from pathlib import Path
from typing import Protocol

from firmware.pi.boot import with_block, without_block
from firmware.pi.computer import Computer, SetUpFault

# What a venv from pip cannot bring on a Pi without a compiler; and what remedies name.
PACKAGES = ("python3-venv", "python3-lgpio", "python3-spidev", "espeak-ng", "alsa-utils")
TOOLS = ("gpiod", "i2c-tools")

CONFIG, COPY = "boot/firmware/config.txt", "boot/firmware/config.txt.before-tapmat"
MODULES = "etc/modules-load.d/tapmat.conf"  # i2c-dev is not loaded by the boot file alone
TABLE = "etc/tapmat/table.toml"
COMMAND, SCRIPT = "usr/local/bin/tapmat", Path(__file__).with_name("tapmat.sh")
UNITS = ("tapmat.service", "tapmat-safe.service")
UNIT_FOLDER = "etc/systemd/system"
HOME = "opt/tapmat"
CURRENT, RELEASES = f"{HOME}/current", f"{HOME}/releases"
STATE, KEPT_STATE = "var/lib/tapmat", "var/lib/tapmat.before"
CACHE = "var/cache/tapmat"  # systemd makes it, as the service wants it
USER, GROUPS = "tapmat", ("gpio", "spi", "i2c", "audio")


class Step(Protocol):
    """One step."""

    def changes(self) -> tuple[str, ...]:
        """What doing it would change, in words; nothing when all is as it should be."""
        ...

    def do(self) -> None:
        """Do it; SetUpFault when that cannot be."""
        ...

    def undo(self) -> None:
        """Take back what it did, as far as it was done."""
        ...


@dataclass(frozen=True)
class Packages:
    """The system's packages that the program, and whoever looks after it, needs."""

    computer: Computer

    def changes(self) -> tuple[str, ...]:
        """Which packages are missing."""
        missing = self._missing()
        return (_("install {packages}").format(packages=", ".join(missing)),) if missing else ()

    def do(self) -> None:
        """Install what is missing.

        Off a Pi a system may not offer a package for its pins; there is nothing on them either.

        Raises:
            SetUpFault: a Pi's system does not offer one of them.
        """
        self.computer.run(("apt-get", "update", "-q"))
        missing = self._missing()
        offered = [package for package in missing if self._is_offered(package)]
        if left := [package for package in missing if package not in offered]:
            found = _("This system offers no package {packages}.").format(packages=", ".join(left))
            if self.computer.is_pi:
                raise SetUpFault(found, _("Use Raspberry Pi OS, which has it."))
            needed = _("A table needs it on a Pi.")
            self.computer.say(f"  {found} {needed}")
        self.computer.run(("apt-get", "install", "-y", "-q", "--no-install-recommends", *offered))

    def undo(self) -> None:
        """Leave them: others may use them by now."""

    def _is_offered(self, package: str) -> bool:
        told = self.computer.run(("apt-cache", "policy", package))
        return "Candidate:" in told and "Candidate: (none)" not in told

    def _missing(self) -> list[str]:
        shown = self.computer.run(("dpkg-query", "-W", "-f", "${Package} ${Status}\n"))
        there = {line.split()[0] for line in shown.splitlines() if line.endswith(" installed")}
        return [package for package in (*PACKAGES, *TOOLS) if package not in there]


@dataclass(frozen=True)
class User:
    """The table's own user, who may use buses, pins and sound, and nothing else."""

    computer: Computer

    def changes(self) -> tuple[str, ...]:
        """Whether there is such a user, in all groups."""
        lacking = self._lacking()
        if not self._is_there():
            told = _("make the user {user}, in the groups {groups}")
            return (told.format(user=USER, groups=", ".join(GROUPS)),)
        told = _("put the user {user} into the groups {groups}")
        return (told.format(user=USER, groups=", ".join(lacking)),) if lacking else ()

    def do(self) -> None:
        """Make the user, and the groups where they do not exist yet."""
        for group in GROUPS:
            self.computer.run(("groupadd", "--system", "--force", group))
        if not self._is_there():
            shell = "/usr/sbin/nologin"
            self.computer.run(
                ("useradd", "--system", "--home-dir", f"/{STATE}", "--shell", shell, USER)
            )
        self.computer.run(("usermod", "--append", "--groups", ",".join(GROUPS), USER))

    def undo(self) -> None:
        """Take the user away; the state stays."""
        if self._is_there():
            self.computer.run(("userdel", USER))

    def _is_there(self) -> bool:
        return any(
            line.startswith(f"{USER}:") for line in self.computer.text("etc/passwd").splitlines()
        )

    def _lacking(self) -> list[str]:
        groups = (line.split(":") for line in self.computer.text("etc/group").splitlines())
        members = {fields[0]: fields[3].split(",") for fields in groups if len(fields) > 3}
        return [group for group in GROUPS if USER not in members.get(group, ())]


@dataclass(frozen=True)
class Program:
    """The program in a venv of its own that sees the system's packages; a new one every time.

    It is tried before it is used: ``tapmat doctor --sim --quick`` runs the whole stack over
    emulated chips.
    """

    computer: Computer
    source: Path  # of the project, with pyproject.toml and requirements/
    name: str = field(default_factory=lambda: datetime.now(UTC).strftime("%Y%m%d-%H%M%S"))

    @property
    def folder(self) -> Path:
        """Where this release is."""
        return self.computer.path(RELEASES) / self.name

    def changes(self) -> tuple[str, ...]:
        """It is always installed anew."""
        folder = f"/{RELEASES}/{self.name}"
        return (_("install this version of tapmat as {folder}").format(folder=folder),)

    def do(self) -> None:
        """Install and try it; what cannot be used is taken away again."""
        python = self.folder / "bin" / "python"
        install = (python, "-m", "pip", "install", "--quiet", "--no-deps")
        pins = self.source / "requirements" / "run.txt"
        commands = (
            ("python3", "-m", "venv", "--system-site-packages", self.folder),
            (*install, "--only-binary", ":all:", "-r", pins),
            (*install, self.source),
            (self.folder / "bin" / "tapmat", "doctor", "--sim", "--quick"),
        )
        try:
            for command in commands:
                self.computer.run([str(word) for word in command])
        except SetUpFault:
            self._drop()
            raise

    def undo(self) -> None:
        """Take every release away."""
        shutil.rmtree(self.computer.path(HOME), ignore_errors=True)

    def _drop(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(frozen=True)
class Command:
    """The command ``tapmat`` for whoever looks after the table: as its user, on its state."""

    computer: Computer

    def changes(self) -> tuple[str, ...]:
        """Whether it is there as it should be."""
        is_there = self.computer.text(COMMAND) == self._text
        return () if is_there else (_("write the command {file}").format(file=f"/{COMMAND}"),)

    def do(self) -> None:
        """Write it, for everybody to run."""
        self.computer.write(COMMAND, self._text)
        self.computer.path(COMMAND).chmod(0o755)

    def undo(self) -> None:
        """Take it away."""
        self.computer.remove(COMMAND)

    @property
    def _text(self) -> str:
        return SCRIPT.read_text(encoding="utf-8")


@dataclass(frozen=True)
class Table:
    """The owner's table.toml, from *template* where there is none; one that is there is kept."""

    computer: Computer
    template: Path

    def changes(self) -> tuple[str, ...]:
        """Whether it is there."""
        is_there = self.computer.path(TABLE).exists()
        told = _("write {file}, like {template}")
        return () if is_there else (told.format(file=f"/{TABLE}", template=self.template),)

    def do(self) -> None:
        """Write it."""
        self.computer.write(TABLE, self.template.read_text(encoding="utf-8"))

    def undo(self) -> None:
        """Leave it: it is the owner's."""


@dataclass(frozen=True)
class Boot:
    """The buses, in the boot file; they are on after the next start of the computer.

    What the file must say follows from table.toml, which the new *program* reads.
    """

    computer: Computer
    program: Program

    def changes(self) -> tuple[str, ...]:
        """Which lines are missing, and where."""
        if not self.computer.path(CONFIG).exists():
            raise SetUpFault(
                _("There is no {file}, in which buses are turned on.").format(file=f"/{CONFIG}"),
                _("Where this is no Raspberry Pi, run: ./install-pi --no-boot"),
            )
        changes = []
        if self.computer.text(CONFIG) != self._wanted:
            lines = "".join(f"\n      {line}" for line in self._lines)
            told = _("end {file} with (a copy is kept in {copy}):{lines}")
            changes.append(told.format(file=f"/{CONFIG}", copy=Path(COPY).name, lines=lines))
        if "i2c-dev" not in self.computer.text(MODULES):
            told = _("load the module i2c-dev at every start ({file})")
            changes.append(told.format(file=f"/{MODULES}"))
        return tuple(changes)

    def do(self) -> None:
        """Keep a copy, then write."""
        text = self.computer.text(CONFIG)
        if text != self._wanted:
            if not self.computer.path(COPY).exists():
                self.computer.write(COPY, text)
            self.computer.write(CONFIG, self._wanted)
        self.computer.write(MODULES, "i2c-dev\n")

    def undo(self) -> None:
        """Take our lines out; what was written beside them since stays."""
        self.computer.remove(MODULES)
        text = self.computer.text(CONFIG)
        if without_block(text) != text:
            self.computer.write(CONFIG, without_block(text))

    @cached_property
    def _lines(self) -> tuple[str, ...]:
        python = self.program.folder / "bin" / "python"
        table = str(self.computer.path(TABLE))
        printed = self.computer.run((str(python), "-m", "firmware.pi.boot_lines", table))
        return tuple(printed.split())

    @property
    def _wanted(self) -> str:
        return with_block(self.computer.text(CONFIG), self._lines)


@dataclass(frozen=True)
class Service:
    """The service: started with the computer and watched.

    A new release that does not start gives way to the one before.
    """

    computer: Computer
    program: Program

    def changes(self) -> tuple[str, ...]:
        """What becomes of the service."""
        return (_("start tapmat with the computer, and now"),)

    def do(self) -> None:
        """Switch to the new release; when it does not start, switch back.

        Raises:
            SetUpFault: it does not start; the release before runs again, on the state it left.
        """
        for unit in UNITS:
            self.computer.write(f"{UNIT_FOLDER}/{unit}", SCRIPT.with_name(unit).read_text("utf-8"))
        before = self._current()
        self._systemctl("daemon-reload")
        self._systemctl("stop", *UNITS)
        self._keep_state()
        self._use(self.program.folder)
        self._systemctl("enable", UNITS[0])
        try:
            self._systemctl("start", UNITS[0])
        except SetUpFault as fault:
            if before is None:
                raise
            self._systemctl("stop", *UNITS)
            self._restore_state()
            self._use(before)
            self._systemctl("reset-failed", *UNITS)
            self._systemctl("start", UNITS[0])
            raise SetUpFault(
                _("The new version does not start, so the one before runs again.\n{fault}").format(
                    fault=fault
                ),
                _("Read why: journalctl -u tapmat"),
            ) from fault
        self._forget_all_but(self.program.folder, before)

    def undo(self) -> None:
        """Stop it, and take its files away."""
        if any(self.computer.path(f"{UNIT_FOLDER}/{unit}").exists() for unit in UNITS):
            self._systemctl("disable", "--now", *UNITS)
        for unit in UNITS:
            self.computer.remove(f"{UNIT_FOLDER}/{unit}")
        shutil.rmtree(self.computer.path(CACHE), ignore_errors=True)
        self._systemctl("daemon-reload")

    def _systemctl(self, *words: str) -> None:
        if self.computer.runs_systemd:
            self.computer.run(("systemctl", *words))

    def _current(self) -> Path | None:
        current = self.computer.path(CURRENT)
        return current.resolve() if current.exists() else None

    def _use(self, release: Path) -> None:
        """Name *release* as the one in use, in one move."""
        current = self.computer.path(CURRENT)
        new = current.with_name("current.new")
        new.unlink(missing_ok=True)
        new.symlink_to(os.path.relpath(release, current.parent))
        new.replace(current)

    def _keep_state(self) -> None:
        """Copy the state, which a newer version may write in a newer form."""
        state, kept = self.computer.path(STATE), self.computer.path(KEPT_STATE)
        shutil.rmtree(kept, ignore_errors=True)
        if state.exists():
            self._copy(state, kept)

    def _restore_state(self) -> None:
        state, kept = self.computer.path(STATE), self.computer.path(KEPT_STATE)
        if kept.exists():
            shutil.rmtree(state)
            self._copy(kept, state)

    def _copy(self, folder: Path, to: Path) -> None:
        """Copy *folder* with owners and modes, all of it or (when the disk is full) nothing."""
        self.computer.run(("cp", "--archive", str(folder), str(to)))

    def _forget_all_but(self, *releases: Path | None) -> None:
        for release in self.computer.path(RELEASES).iterdir():
            if release not in releases:
                shutil.rmtree(release, ignore_errors=True)
