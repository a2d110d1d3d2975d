"""The steps of the installation. Each can list its changes, make them and undo them.

A step that is done already has no changes, so the installer can be run again at any time.

On disk: ``/opt/tapmat`` contains the program (``firmware.pi.releases``), ``/etc/tapmat/table.toml``
belongs to the user, ``/var/lib/tapmat`` is the state folder, and ``/var/cache/tapmat`` has files
that the program can create again.
"""

import os
import shutil
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from firmware.common.errors import word_list
from firmware.pi.boot import Needs, with_block, without_block
from firmware.pi.computer import SetUpFault, TargetComputer
from firmware.pi.keys import ALLOWED_SIGNERS, PublicKey, TrustedKeys
from firmware.pi.releases import COMPLETE, HOME, RELEASES, Releases
from firmware.pi.source import FAKEPI, PINS, ProjectSource
from firmware.pi.state import STATE

# Packages that pip cannot install on a Pi without a compiler; openssh-client checks updates.
PACKAGES = (
    *("python3-venv", "python3-lgpio", "python3-spidev"),
    *("espeak-ng", "alsa-utils", "openssh-client"),
)
TOOLS = ("gpiod", "i2c-tools")  # help to find faults

BOOT = "boot/firmware"
CONFIG, COPY = f"{BOOT}/config.txt", f"{BOOT}/config.txt.before-tapmat"
MODULES = "etc/modules-load.d/tapmat.conf"  # the boot file does not load i2c-dev
TABLE = "etc/tapmat/table.toml"
OFF, ON = "[companion]\non = false\n", "[companion]\non = true\n"  # in that file
USER, GROUPS = "tapmat", ("gpio", "spi", "i2c", "audio", "video")
CLOSED = ("home", "root")  # folders that systemd hides from the service


class SetUpStep(Protocol):
    """One step of the installation."""

    def changes(self) -> tuple[str, ...]:
        """Return the changes that the step would make, in words; empty if it is done already."""
        ...

    def do(self) -> None:
        """Make the changes.

        Raises:
            SetUpFault: a change cannot be made.
        """
        ...

    def undo(self) -> None:
        """Undo the changes of the step."""
        ...


@dataclass(frozen=True)
class Packages:
    """The system packages that the program needs, and tools that help to find faults."""

    computer: TargetComputer

    def changes(self) -> tuple[str, ...]:
        """Return the change "install <packages>"; none if all packages are installed."""
        missing = self._missing()
        return (f"install {', '.join(missing)}",) if missing else ()

    def do(self) -> None:
        """Install the missing packages.

        A computer other than a Pi may not offer the packages for pins, and does not need them.

        Raises:
            SetUpFault: a Pi's system does not offer one of the packages.
        """
        self.computer.run(("apt-get", "update", "-q"))
        missing = self._missing()
        offered = [package for package in missing if self._is_offered(package)]
        if left := [package for package in missing if package not in offered]:
            found = f"This system does not offer: {', '.join(left)}."
            if self.computer.is_pi:
                raise SetUpFault(found, "Use Raspberry Pi OS, which does.")
            self.computer.say(f"  {found} Only a table on a Pi needs it.")
        install = ("apt-get", "install", "-y", "-q", "--no-install-recommends", *offered)
        self.computer.run(install, self._print_package)

    def check_offline(self) -> None:
        """Check that the system packages that every table needs are installed. A bundle has none.

        Raises:
            SetUpFault: on a Pi, one of them is missing.
        """
        missing = self._missing()
        needed = [package for package in missing if package in PACKAGES]
        if needed and self.computer.is_pi:
            raise SetUpFault(
                f"The system lacks {word_list(needed)}. A bundle cannot contain system packages.",
                f"Connect this computer once and run: sudo apt install {' '.join(missing)}",
            )
        if missing:
            self.computer.say(f"  left out, since there is no network: {word_list(missing)}")

    def undo(self) -> None:
        """Do nothing: other programs may use the packages by now."""

    def _print_package(self, line: str) -> None:
        if line.startswith("Setting up "):  # "Setting up gpiod (1.6.3-1+b3) ..."
            self.computer.say(f"    {line.split()[2]}")

    def _is_offered(self, package: str) -> bool:
        policy = self.computer.run(("apt-cache", "policy", package))
        return "Candidate:" in policy and "Candidate: (none)" not in policy

    def _missing(self) -> list[str]:
        shown = self.computer.run(("dpkg-query", "-W", "-f", "${Package} ${Status}\n"))
        there = {line.split()[0] for line in shown.splitlines() if line.endswith(" installed")}
        return [package for package in (*PACKAGES, *TOOLS) if package not in there]


@dataclass(frozen=True)
class User:
    """The system user for the service, with access to buses, pins and sound only."""

    computer: TargetComputer

    def changes(self) -> tuple[str, ...]:
        """Return the change to the user or its groups in words; none if there is nothing to do."""
        missing = self._missing_groups()
        if not self._exists():
            return (f"create the user {USER}, in the groups {', '.join(GROUPS)}",)
        return (f"add the user {USER} to the groups {', '.join(missing)}",) if missing else ()

    def do(self) -> None:
        """Create the user, if missing, and add it to the groups; create missing groups."""
        for group in GROUPS:
            self.computer.run(("groupadd", "--system", "--force", group))
        if not self._exists():
            shell = "/usr/sbin/nologin"
            self.computer.run(
                ("useradd", "--system", "--home-dir", f"/{STATE}", "--shell", shell, USER)
            )
        self.computer.run(("usermod", "--append", "--groups", ",".join(GROUPS), USER))

    def undo(self) -> None:
        """Delete the user. Its state folder stays."""
        if self._exists():
            self.computer.run(("userdel", USER))

    def _exists(self) -> bool:
        return any(
            line.startswith(f"{USER}:") for line in self.computer.text("etc/passwd").splitlines()
        )

    def _missing_groups(self) -> list[str]:
        groups = (line.split(":") for line in self.computer.text("etc/group").splitlines())
        members = {fields[0]: fields[3].split(",") for fields in groups if len(fields) > 3}
        return [group for group in GROUPS if USER not in members.get(group, ())]


@dataclass(frozen=True)
class Program:
    """The program in its own venv, which can also import the system's Python packages.

    The name of a release includes a hash of its files, so the same files are installed only once.
    Each release is tested before its first use: ``tapmat doctor --sim --quick`` runs the whole
    program on emulated chips.
    """

    computer: TargetComputer
    source: ProjectSource

    @cached_property
    def folder(self) -> Path:
        """The folder of the release made from ``source``."""
        return Releases(self.computer).folder(self.source.release_name)

    @property
    def python(self) -> Path:
        """The Python interpreter of the release."""
        return self.folder / "bin" / "python"

    def changes(self) -> tuple[str, ...]:
        """Return the change "install this version" in words; empty if it is installed already."""
        folder = f"/{RELEASES}/{self.source.release_name}"
        is_there = (self.folder / COMPLETE).exists()
        return () if is_there else (f"install this version of tapmat as {folder}",)

    def do(self) -> None:
        """Install the release and test it; delete it if that fails.

        Raises:
            SetUpFault: a command failed.
        """
        trial, wheels = self.folder / "trial", self.source.wheels
        offline = () if wheels is None else ("--no-index", "--find-links", wheels)
        install = (self.python, "-m", "pip", "install", "--no-cache-dir", "--no-deps", *offline)
        pinned = ("--only-binary", ":all:", "--require-hashes")
        pins = (word for file in PINS for word in ("-r", self.source.folder / file))
        projects = (self.source.folder / FAKEPI, self.source.folder)
        tapmat = (self.folder / "bin" / "tapmat", "doctor", "--sim", "--quick", "--state", trial)
        venv = (sys.executable, "-m", "venv", "--system-site-packages", self.folder)
        commands = {
            "create a Python environment": venv,
            "install the packages it needs": (*install, *pinned, *pins),
            "install tapmat": (*install, "--no-build-isolation", "--quiet", *projects),
            "test it with emulated parts": tapmat,
        }
        self._delete()  # an incomplete release
        try:
            for title, command in commands.items():
                self.computer.say(f"  - {title}")
                self.computer.run([str(word) for word in command], self._print_package)
            shutil.rmtree(trial, ignore_errors=True)
            os.sync()  # all files must be on disk before the mark
            self.computer.write(f"{RELEASES}/{self.folder.name}/{COMPLETE}", "")
        except BaseException:
            self._delete()
            raise

    def undo(self) -> None:
        """Delete every release."""
        shutil.rmtree(self.computer.path(HOME), ignore_errors=True)

    def _print_package(self, line: str) -> None:
        """Print the name of the package if *line* is pip's message about one."""
        if line.startswith(("Collecting ", "Processing ")):
            self.computer.say(f"    {Path(line.split()[1]).name}")

    def _delete(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(frozen=True)
class TableFile:
    """The user's ``/etc/tapmat/table.toml``; if it does not exist, *template* is copied there."""

    computer: TargetComputer
    template: Path

    @property
    def file(self) -> Path:
        """The file that describes the table: the one in ``/etc``, or else the template."""
        return self.computer.path(TABLE) if self._exists else self.template

    def check(self, needs: Needs) -> None:
        """Check that the service will find the files named in ``table.toml``.

        Raises:
            SetUpFault: a file is missing, or in a folder that the service cannot see.
        """
        folder = self.computer.path(TABLE).parent
        for name in needs.files:
            if Path(name).parts[1:2] and Path(name).parts[1] in CLOSED and Path(name).is_absolute():
                raise SetUpFault(
                    f"{self.file} names {name}, in a folder that the table's service cannot see.",
                    f"Copy it to /{Path(TABLE).parent} and change the name in the file.",
                )
            if not (folder / name).exists():
                raise SetUpFault(
                    f"{self.file} names {name}, which is not in /{Path(TABLE).parent} yet.",
                    f"Copy it there first: sudo mkdir -p /{Path(TABLE).parent}; "
                    f"sudo cp -r {self.file.parent / Path(name).parts[0]} /{Path(TABLE).parent}/",
                )

    def remark(self) -> str:
        """Return a remark if the template differs from the existing file; empty if not."""
        if not self._exists or self.template.read_bytes() == self.computer.contents(TABLE):
            return ""
        return (
            f"/{TABLE} is kept, and {self.template} is not used. To use it, run: "
            f"sudo cp {self.template} /{TABLE}, then run the installer again."
        )

    def changes(self) -> tuple[str, ...]:
        """Return the change "write table.toml" in words; none if the file exists already."""
        return () if self._exists else (f"write /{TABLE}, a copy of {self.template}",)

    def do(self) -> None:
        """Copy the template to ``/etc/tapmat/table.toml``."""
        self.computer.write(TABLE, self.template.read_bytes())

    def switch_companion_on(self) -> bool:
        """Switch the companion on in the file that was written; return False if it is edited."""
        text = self.computer.text(TABLE)
        if "[companion]" not in text:
            text += f"\n{ON}"
        elif OFF in text:
            text = text.replace(OFF, ON)
        else:
            return False
        self.computer.write(TABLE, text.encode())
        return True

    def undo(self) -> None:
        """Do nothing: the file belongs to the user."""

    @property
    def _exists(self) -> bool:
        return self.computer.path(TABLE).exists()


@dataclass(frozen=True)
class FirstKey:
    """The signer's key of the first installed bundle.

    The table trusts this key for updates, because the user trusted it by running the installer of
    that bundle.
    """

    computer: TargetComputer
    key: PublicKey | None

    def changes(self) -> tuple[str, ...]:
        """Return the change "trust the key" in words; none if a key is trusted already."""
        if self.key is None or self._trusted.names:
            return ()
        return (
            f"trust the key of {self.key.name} for updates (/{ALLOWED_SIGNERS}):"
            f"\n      {self.key.fingerprint}",
        )

    def do(self) -> None:
        """Trust the key."""
        assert self.key is not None, "without a key there is nothing to do"
        self._trusted.trust(self.key)

    def undo(self) -> None:
        """Do nothing: the trusted keys belong to the user, like ``table.toml``."""

    @property
    def _trusted(self) -> TrustedKeys:
        return TrustedKeys(self.computer)


@dataclass(frozen=True)
class BootFile:
    """The lines in the boot file that turn on the buses at the computer's next start."""

    computer: TargetComputer
    needs: Needs

    @property
    def is_ours(self) -> bool:
        """True if an installer has changed the boot file."""
        return without_block(self._text) != self._text

    def changes(self) -> tuple[str, ...]:
        """Return the changes to the boot file and to the list of modules, in words.

        Raises:
            SetUpFault: there is no boot file.
        """
        if not self.computer.path(CONFIG).exists():
            raise SetUpFault(
                f"There is no /{CONFIG}, which turns the buses on.",
                "If this is not a Raspberry Pi, run: ./install-pi --no-boot",
            )
        changes = []
        if self._text != self._wanted:
            lines = "".join(f"\n      {line}" for line in self.needs.boot_lines)
            copy = Path(COPY).name
            changes.append(f"add these lines to /{CONFIG} (a copy is kept in {copy}):{lines}")
        if "i2c-dev" not in self.computer.text(MODULES):
            changes.append(f"load the module i2c-dev at every start (/{MODULES})")
        return tuple(changes)

    def do(self) -> None:
        """Save a copy of the boot file, then write the lines."""
        if self._text != self._wanted:
            with self.computer.writable(BOOT):
                if not self.computer.path(COPY).exists():
                    self.computer.write(COPY, self.computer.contents(CONFIG))
                self._write(self._wanted)
        self.computer.write(MODULES, "i2c-dev\n")

    def undo(self) -> None:
        """Remove tapmat's lines. Lines that were added by others stay."""
        self.computer.remove(MODULES)
        if self.is_ours:
            with self.computer.writable(BOOT):
                self._write(without_block(self._text))

    @property
    def _text(self) -> str:
        """The boot file's text. Latin-1 can decode any bytes, and encodes them unchanged."""
        return self.computer.contents(CONFIG).decode("latin-1")

    def _write(self, text: str) -> None:
        self.computer.write(CONFIG, text.encode("latin-1"))

    @property
    def _wanted(self) -> str:
        return with_block(self._text, self.needs.boot_lines)
