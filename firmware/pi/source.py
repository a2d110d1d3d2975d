"""The project's source folder: the files to install, and the name of the release."""

import hashlib
import json
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from firmware.pi.boot import Needs
from firmware.pi.computer import SetUpFault, TargetComputer
from firmware.pi.keys import PublicKey

FAKEPI = "sim/fakepi"  # the project of the emulated chips
PACKAGES = ("engines", "firmware", "hardware", "sim")
NO_SOURCE = frozenset(("__pycache__", "node_modules"))  # folders that tools create in packages
PINS = ("requirements/run.txt", "requirements/build.txt")
FILES = ("LICENSE", "README.md", "install-pi", "pyproject.toml", *PINS)
WHEELS, SIGNER = "wheels", "signer.pub"  # in a bundle: the packages, and the key it is signed with


@dataclass(frozen=True)
class ProjectSource:
    """The project in *folder*, which has ``pyproject.toml`` and ``requirements/``."""

    folder: Path

    @property
    def wheels(self) -> Path | None:
        """The bundle's folder of packages to install.

        Without a bundle it is None, and pip downloads them.
        """
        folder = self.folder / WHEELS
        return folder if folder.is_dir() else None

    @property
    def signer(self) -> PublicKey | None:
        """The key that a signed bundle was signed with; None if there is none.

        Raises:
            SetUpFault: the file with the key is damaged.
        """
        file = self.folder / SIGNER
        return PublicKey.parse(file.read_text("utf-8"), file) if file.is_file() else None

    @property
    def version(self) -> str:
        """The version in ``pyproject.toml``."""
        return str(self._project["version"])

    def files(self) -> Iterator[str]:
        """Yield the files of a release, relative to the folder, always in the same order."""
        yield from FILES
        for package in PACKAGES:
            for file in sorted((self.folder / package).rglob("*")):
                if file.is_file() and NO_SOURCE.isdisjoint(file.parts):
                    yield file.relative_to(self.folder).as_posix()

    @cached_property
    def release_name(self) -> str:
        """The name of the release: the version, and a hash of the files and of Python's version."""
        contents = hashlib.sha256("{}.{}".format(*sys.version_info[:2]).encode())
        for name in self.files():
            file = hashlib.sha256((self.folder / name).read_bytes()).hexdigest()
            contents.update(f"\n{file} {name}".encode())
        return f"{self.version}-{contents.hexdigest()[:12]}"

    def needs(self, computer: TargetComputer, table: Path) -> Needs | None:
        """Return what the file *table* requires. Nothing needs to be installed yet.

        Returns None if the file cannot be read without a library that is not installed.

        Raises:
            SetUpFault: the table cannot be used.
        """
        with TemporaryDirectory() as folder:
            self._offer_games(Path(folder))
            path = f"PYTHONPATH={self.folder}:{folder}"
            return read_needs(computer, ("env", path, sys.executable, "-B"), table)

    def _offer_games(self, folder: Path) -> None:
        """Write tapmat's entry points to *folder*, so that Python finds the games there."""
        about = folder / "tapmat-0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Name: tapmat\nVersion: 0\n", encoding="utf-8")
        groups = self._project["entry-points"].items()
        lines = (
            line
            for group, offers in groups
            for line in (f"[{group}]", *(f"{name} = {value}" for name, value in offers.items()))
        )
        (about / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")

    @cached_property
    def _project(self) -> dict[str, Any]:
        text = (self.folder / "pyproject.toml").read_text(encoding="utf-8")
        project: dict[str, Any] = tomllib.loads(text)["project"]
        return project


def read_needs(computer: TargetComputer, python: tuple[str, ...], table: Path) -> Needs | None:
    """Return the requirements of the file *table*, read by ``firmware.pi.needs``.

    *python* is the command that runs Python. Return None if that Python lacks a library that is
    needed to read the table.

    Raises:
        SetUpFault: the table cannot be used.
    """
    # -P: a folder called "firmware" in the caller's own folder must not be taken for ours.
    printed = computer.run((*python, "-P", "-m", "firmware.pi.needs", str(table)))
    answer = json.loads(printed.splitlines()[-1])
    if "refused" in answer:
        raise SetUpFault(answer["refused"], "Nothing was changed. Fix it, then try again.")
    if "lacking" in answer:
        return None
    lines, devices, files = (tuple(answer[key]) for key in ("boot_lines", "devices", "files"))
    programs = (answer.get(f"has_{name}", False) for name in ("companion", "mqtt"))  # older: none
    return Needs(lines, devices, files, *programs)
