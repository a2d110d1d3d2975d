"""Download a real bundle and check its wheels: ``python -m tests.firmware.real_bundle``.

Pytest replaces the download. This program makes the bundle for a Pi, and judges it without pip: for
each pinned package and each Python version there must be a wheel that runs on both Debian releases,
and whose SHA-256 is one of the pinned hashes. It exits with 69 if the package index cannot be
reached.
"""

import hashlib
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import canonicalize_name, parse_wheel_filename

from firmware.pi.bundle import PYTHONS, make
from firmware.pi.command import SOURCE
from firmware.pi.computer import SetUpFault
from firmware.pi.source import PINS, WHEELS, ProjectSource

EX_UNAVAILABLE = 69  # sysexits.h
GLIBC = 36  # of Bookworm, the older release: glibc 2.36
PLATFORMS = (
    *(f"manylinux_2_{minor}_aarch64" for minor in range(GLIBC, 16, -1)),
    "manylinux2014_aarch64",
    "linux_aarch64",
)
PIN = re.compile(r"^([a-z0-9-]+)==(\S+)((?: \\\n +--hash=sha256:[0-9a-f]{64})+)", re.MULTILINE)


class Pin(NamedTuple):
    """A pinned package: its name, its version, and the SHA-256 of every file of that version."""

    name: str
    version: str
    hashes: frozenset[str]


def pins_in(text: str) -> list[Pin]:
    """Return the pins in *text*, the contents of a file in ``requirements/``."""
    found = PIN.findall(text)
    return [
        Pin(name, version, frozenset(re.findall(r"\w{64}", sums))) for name, version, sums in found
    ]


def tags_of(python: str) -> frozenset[Tag]:
    """Return the tags of wheels that *python*, such as "3.11", can use on a Pi."""
    version = [int(number) for number in python.split(".")]
    interpreter = f"cp{python.replace('.', '')}"
    return frozenset(
        (
            *cpython_tags(version, platforms=PLATFORMS),
            *compatible_tags(version, interpreter, PLATFORMS),
        )
    )


def lacking(bundle: Path, pins: Sequence[Pin]) -> Iterator[str]:
    """Yield what is wrong with the wheels in the file *bundle*; nothing if all *pins* are there."""
    with tarfile.open(bundle) as tar:
        wheels = {}
        for member in tar.getmembers():
            if member.name.split("/")[1] == WHEELS and (wheel := tar.extractfile(member)):
                wheels[Path(member.name).name] = hashlib.sha256(wheel.read()).hexdigest()
    used = set()
    for python in PYTHONS:
        tags = tags_of(python)
        for pin in pins:
            fitting = {
                file
                for file in wheels
                for name, version, _build, has in [parse_wheel_filename(file)]
                if (name, str(version)) == (canonicalize_name(pin.name), pin.version)
                and not tags.isdisjoint(has)
            }
            used |= fitting
            if not fitting:
                yield f"{pin.name} {pin.version} has no wheel for Python {python}"
            for file in fitting:
                if wheels[file] not in pin.hashes:
                    yield f"{file} does not have a pinned hash"
    yield from (f"{file} is not pinned, or fits no Python" for file in wheels.keys() - used)


def reaches_index() -> bool:
    """Return True if pip can download a pinned package for this Python."""
    first = pins_in((SOURCE / PINS[0]).read_text(encoding="utf-8"))[0]
    with TemporaryDirectory() as folder:
        pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-cache-dir", "--no-deps")
        done = subprocess.run(
            [*pip, "--dest", folder, f"{first.name}=={first.version}"],
            capture_output=True,
            check=False,
        )
    return done.returncode == 0


def main() -> int:
    """Make a bundle and check it; return the exit code."""
    pins = [pin for name in PINS for pin in pins_in((SOURCE / name).read_text(encoding="utf-8"))]
    with TemporaryDirectory() as folder:
        bundle = Path(folder, "tapmat.tar")
        try:
            make(ProjectSource(SOURCE), bundle)
        except SetUpFault as fault:
            print(fault)
            return 1 if reaches_index() else EX_UNAVAILABLE
        wrong = list(lacking(bundle, pins))
    print(*wrong, sep="\n", end="\n" * bool(wrong))
    print(f"A bundle for a Pi: {len(pins)} packages for Python {' and '.join(PYTHONS)}.")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
