"""The computer to install on: its properties, its files, and the commands that change it.

All installation steps make their changes through this module, so tests can use a folder as the root
of the file system and record the commands.
"""

import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn, Protocol

from firmware.common.errors import either, word_list
from firmware.common.host import Host

if sys.platform != "win32":  # where tests may run
    import fcntl

RELEASES = ("bookworm", "trixie")  # Raspberry Pi OS and Debian, with Python 3.11 and 3.13
WIDE = ("arm64", "amd64")  # dpkg's names; there are no wheels for 32-bit systems
SYSTEMD = Path("run/systemd/system")  # exists if systemd runs this computer
MB = 1_000_000
# apt prints English, since its output is parsed, and never asks a question.
ENVIRONMENT = {"LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
# SIGHUP is sent when a connection is lost. Windows, where tests may run, does not have it.
KILL_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
)

# Folders that the installer writes to; each may be on a separate disk.
PLACES = ("", "boot/firmware", "etc", "opt/tapmat", "tmp", "usr/local/bin", "var/lib/tapmat",
          "var/tmp")  # fmt: skip
LITTLE = 20 * MB  # with less free space, a command that fails may have failed for lack of it
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
FULL = os.strerror(errno.ENOSPC)  # commands print this
FREE_SPACE = "Free some space on that disk, then run the installer again."
SPARE, SPARE_BYTES = ".tapmat-spare", 256 * 1024  # enough to write all units again

OnLine = Callable[[str], None]
OnSignal = Callable[[int, FrameType | None], object] | signal.Handlers


class SetUpFault(Exception):
    """The installation cannot continue. The message says what was found and what to do."""

    def __init__(self, found: str, remedy: str) -> None:
        super().__init__(f"{found} {remedy}")


class CommandFault(SetUpFault):
    """A command failed. Only its output shows the reason."""


class DiskFull(SetUpFault):
    """A file cannot be written, because its disk is full."""


def fault_of(fault: OSError) -> SetUpFault:
    """Return a SetUpFault that explains *fault*, an error of the operating system, to the user."""
    if fault.errno in NO_ROOM:
        where = f"{fault.filename} cannot be written, because its" if fault.filename else "A"
        return DiskFull(f"{where} disk is full.", FREE_SPACE)
    where = f"{fault.filename}: " if fault.filename else ""
    return SetUpFault(f"{where}{fault.strerror}.", "Fix the cause, then run the installer again.")


class RunCommand(Protocol):
    """The type of the function that runs a command. Tests pass a fake one."""

    def __call__(self, command: Sequence[str], on_line: OnLine | None = None) -> str:
        """Run *command* and return its output; call *on_line* with each line as it is printed."""
        ...


def run(command: Sequence[str], on_line: OnLine | None = None) -> str:
    """Run *command* and return its output; call *on_line* with each line as it is printed.

    Raises:
        SetUpFault: the command does not exist.
        CommandFault: it failed; with the last lines of its output.
        DiskFull: it failed because a disk is full; with the line that says so.
    """
    lines = []
    try:
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=os.environ | ENVIRONMENT,
        ) as running:
            assert running.stdout is not None, "it is a pipe"
            for line in running.stdout:
                lines.append(line)
                if on_line is not None:
                    on_line(line.rstrip("\n"))
    except OSError as fault:
        found = f"{command[0]} cannot be run: {fault.strerror}."
        raise SetUpFault(found, "Check that this computer runs Raspberry Pi OS.") from fault
    if running.returncode:
        if full := next((line for line in lines if FULL in line), ""):
            found = (
                f"A disk is full, so this command failed: {' '.join(command)}\n  {full.strip()}\n"
            )
            raise DiskFull(found, FREE_SPACE)
        last = "".join(f"\n  {line.rstrip()}" for line in lines[-12:])
        found = f"This command failed: {' '.join(command)}{last}\n"
        raise CommandFault(found, "Fix the cause, then run the installer again.")
    return "".join(lines)


def hand_over(command: Sequence[str]) -> int:
    """Run *command* at this terminal, in the root folder, and return its exit code.

    The command itself receives Ctrl-C and the signal of a lost connection. This process waits until
    the command has cleaned up.
    """
    with subprocess.Popen(command, cwd="/") as running:

        def pass_on(number: int, _frame: FrameType | None) -> None:
            if number == signal.SIGTERM:
                running.send_signal(number)

        with _handling(pass_on, signal.SIGINT, *KILL_SIGNALS):
            code = running.wait()
    return 128 - code if code < 0 else code


@contextmanager
def raising_on_kill() -> Iterator[None]:
    """Run a block in which SIGTERM and SIGHUP raise SystemExit, so that the steps can be undone."""

    def end(number: int, _frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    with _handling(end, *KILL_SIGNALS):
        yield


@contextmanager
def ignoring_signals() -> Iterator[None]:
    """Run a block in which SIGINT (Ctrl-C), SIGTERM and SIGHUP are ignored."""
    with _handling(signal.SIG_IGN, signal.SIGINT, *KILL_SIGNALS):
        yield


@contextmanager
def _handling(handler: OnSignal, *numbers: int) -> Iterator[None]:
    """Run a block in which *handler* handles the signals *numbers*."""
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


@dataclass(frozen=True)
class TargetComputer(Host):
    """The computer to install on. *root* is the root of its file system.

    *say* prints a line for the user. *ask* asks a yes-or-no question and returns True for yes.
    """

    say: Callable[[str], None]
    ask: Callable[[str], bool]
    root: Path = Path("/")
    run: RunCommand = run
    hand_over: Callable[[Sequence[str]], int] = hand_over

    # --- properties ---

    @property
    def runs_systemd(self) -> bool:
        """True if the computer was booted with systemd, so that services can be started."""
        return (self.root / SYSTEMD).exists()

    def check(self) -> None:
        """Check that tapmat can be installed on this system.

        Raises:
            SetUpFault: the system is not a supported release, or is not a 64-bit one.
        """
        release = self.system.get("VERSION_CODENAME", "")
        wanted = f"Write Raspberry Pi OS ({either(RELEASES)}, 64-bit) to its card."
        if release not in RELEASES:
            name = self.system.get("PRETTY_NAME", "an unknown system")
            raise SetUpFault(f"This computer runs {name}.", wanted)
        if (width := self.run(("dpkg", "--print-architecture")).strip()) not in WIDE:
            found = f"The system of this computer is not a 64-bit one (it is {width})."
            raise SetUpFault(found, f"{wanted} A Pi 3, a Zero 2 W and every later one can run it.")

    def check_root(self, command: str = "./install-pi") -> None:
        """Check that this process may change the system.

        *command* is the command that the user has run.

        Raises:
            SetUpFault: the user is not root.
        """
        if os.geteuid() != 0:
            raise SetUpFault("Only root may change the system.", f"Run: sudo {command}")

    @contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Run a block in which no other installer changes the folder *name*.

        Raises:
            SetUpFault: another installer is running.
        """
        handle = os.open(self._nearest(name), os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as held:
            raise SetUpFault(
                "Another installer is running on this computer.",
                "Nothing was changed. Wait until it has finished, then try again.",
            ) from held
        else:
            yield
        finally:
            os.close(handle)

    @contextmanager
    def writable(self, folder: str) -> Iterator[None]:
        """Run a block that writes to *folder*, even if its file system is mounted read-only."""
        if not os.statvfs(self.path(folder)).f_flag & os.ST_RDONLY:
            yield
            return
        self.run(("mount", "-o", "remount,rw", f"/{folder}"))
        try:
            yield
        finally:
            self.run(("mount", "-o", "remount,ro", f"/{folder}"))

    def check_room(self, wanted: Mapping[str, int]) -> None:
        """Check that the disks have room for *wanted*, the bytes needed in each folder.

        Folders are relative to the root.

        Raises:
            SetUpFault: a file system has too little room.
        """
        disks: dict[int, list[str]] = {}
        for name in wanted:
            disks.setdefault(self._nearest(name).stat().st_dev, []).append(name)
        for names in disks.values():
            needed = sum(wanted[name] for name in names)
            free = shutil.disk_usage(self._nearest(names[0])).free
            if free < needed:
                folders = word_list(f"/{name}" for name in names)
                raise SetUpFault(
                    f"There is too little room for {folders}: {-(-needed // MB)} MB are needed, "
                    f"{free // MB} MB are free.",
                    "Nothing was changed. Free some space, then run the installer again.",
                )

    @contextmanager
    def spare_room(self, *names: str) -> Iterator[Callable[[], None]]:
        """Run a block while a file reserves some room in each folder in *names*.

        Yield the function that frees this room. If a disk becomes full during a change, the room is
        used to undo the change.

        Raises:
            DiskFull: a disk has no such room.
        """

        def free() -> None:
            for name in names:
                self.remove(f"{name}/{SPARE}")

        try:
            for name in names:
                try:
                    self.write(f"{name}/{SPARE}", bytes(SPARE_BYTES))
                except DiskFull as full:
                    raise DiskFull(f"The disk with /{name} is full.", FREE_SPACE) from full
            yield free
        finally:
            free()

    def free_space(self, limit: int | None = None) -> str:
        """Return the free space of each disk that the installer writes to, in words.

        With a *limit*, in bytes, only disks with less free space are named, so the text may be
        empty.
        """
        disks: dict[Path, int] = {}
        for name in PLACES:
            place = self._nearest(name)
            while place != self.root and place.parent.stat().st_dev == place.stat().st_dev:
                place = place.parent
            disks[place] = shutil.disk_usage(place).free
        shortages = (
            f"{free // MB} MB on /{'' if place == self.root else place.relative_to(self.root)}"
            for place, free in disks.items()
            if limit is None or free < limit
        )
        return ", ".join(shortages)

    def _nearest(self, name: str) -> Path:
        """Return the folder *name*, or its nearest parent that exists."""
        folder = self.path(name)
        return next(place for place in (folder, *folder.parents) if place.exists())

    # --- files ---

    def text(self, name: str) -> str:
        """Return the text of the file *name*; empty if it is missing."""
        return self.contents(name).decode("utf-8", "replace")

    def contents(self, name: str) -> bytes:
        """Return the contents of the file *name*; empty if it is missing."""
        try:
            return self.path(name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return b""

    def write(self, name: str, contents: str | bytes) -> None:
        """Write the file *name*, keeping its mode. A power cut leaves the old or new contents.

        Raises:
            DiskFull: there is no room for the new contents; the old ones are unchanged.
        """
        file = self.path(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        half = file.with_name(f".{file.name}.tapmat")
        try:
            with half.open("wb") as opened:
                opened.write(contents if isinstance(contents, bytes) else contents.encode())
                opened.flush()
                os.fsync(opened.fileno())
            with suppress(FileNotFoundError):
                half.chmod(file.stat().st_mode)
            half.replace(file)
        except BaseException as fault:
            half.unlink(missing_ok=True)
            if isinstance(fault, OSError) and fault.errno in NO_ROOM:
                found = f"/{name} cannot be written, because its disk is full."
                raise DiskFull(found, FREE_SPACE) from fault
            raise
        self._sync(file.parent)

    def remove(self, name: str) -> None:
        """Delete the file *name*, if it exists."""
        self.path(name).unlink(missing_ok=True)

    def _sync(self, folder: Path) -> None:
        """Sync the names in *folder* to disk. Call this after a file in *folder* was renamed."""
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
