"""Make a bundle, to install tapmat on a Pi without a network: ``python -m firmware.pi.bundle``.

A bundle is a tar file with the files of the program, the wheels of all pinned packages in
``wheels/``, and the SHA-256 of each file in ``SHA256SUMS``. It also contains ``install-pi``. A
signed bundle has a signature of ``SHA256SUMS`` in ``SHA256SUMS.sig``, and the signer's public key
in ``signer.pub``.
"""

import argparse
import hashlib
import io
import platform
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from firmware.pi.computer import FREE_SPACE, MB, NO_ROOM, DiskFull, SetUpFault
from firmware.pi.keys import PublicKey, sign
from firmware.pi.source import PINS, SIGNER, WHEELS, ProjectSource

SUMS, SIGNATURE = "SHA256SUMS", "SHA256SUMS.sig"
PYTHONS = ("3.11", "3.13")  # the Python versions of Bookworm and Trixie
# Platform tags of wheels that run on both Debian releases, whose glibc is 2.36 or later.
TAGS = ("manylinux_2_17", "manylinux2014", "manylinux_2_28", "manylinux_2_34")
MACHINE = "aarch64"
UNPACKED = "var/tmp"  # a bundle is unpacked below this folder


# Raises SetUpFault if the signature, its second argument, cannot be trusted; None: there is none.
CheckSignature = Callable[[bytes, bytes | None], object]


def make(
    source: ProjectSource, file: Path, machine: str = MACHINE, key: Path | None = None
) -> None:
    """Write a bundle of *source* for the processor *machine*, such as "aarch64", to *file*.

    *key* is the file with the SSH private key for the signature; the public key is beside it. None
    leaves the bundle unsigned.

    Raises:
        SetUpFault: a wheel cannot be downloaded, or its hash differs from the pinned one; or *key*
            cannot be used.
    """
    with TemporaryDirectory() as folder:
        for python in PYTHONS:
            _fetch(source, Path(folder), python, machine)
        pack(source, sorted(Path(folder).iterdir()), file, key)


def pack(
    source: ProjectSource, wheels: Sequence[Path], file: Path, key: Path | None = None
) -> None:
    """Write a bundle of *source* with the files *wheels* to *file*, signed with *key* if given.

    Raises:
        SetUpFault: *key* cannot be used.
    """
    named = [
        *((name, source.folder / name) for name in source.files()),
        *((f"{WHEELS}/{wheel.name}", wheel) for wheel in wheels),
    ]
    if key is not None:
        named.append((SIGNER, _public_file(key)))
    sums = "".join(f"{_sum(path.read_bytes())}  {name}\n" for name, path in named).encode()
    signature = None if key is None else sign(sums, key)
    file.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(file, "w") as tar:
        for name, path in named:
            tar.add(path, f"{file.stem}/{name}", filter=_without_owner)
        _add(tar, f"{file.stem}/{SUMS}", sums)
        if signature is not None:
            _add(tar, f"{file.stem}/{SIGNATURE}", signature)


def _public_file(key: Path) -> Path:
    """Return the file of the public key that belongs to the private *key*.

    Raises:
        SetUpFault: it is missing, or is not a public key.
    """
    file = key if key.suffix == ".pub" else key.with_name(f"{key.name}.pub")
    if not file.is_file():
        raise SetUpFault(
            f"There is no {file}, the public key beside {key}.",
            f"Write it: ssh-keygen -y -f {key} > {file}",
        )
    PublicKey.parse(file.read_text(encoding="utf-8"), file)
    return file


def _add(tar: tarfile.TarFile, name: str, contents: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(contents)
    tar.addfile(member, io.BytesIO(contents))


@contextmanager
def unpacked_source(file: Path, check: CheckSignature | None = None) -> Iterator[ProjectSource]:
    """Unpack the bundle *file* into a temporary folder; yield the project in it.

    *check* is called with ``SHA256SUMS`` and its signature before anything is unpacked.

    Raises:
        SetUpFault: *file* is not a bundle, is damaged, or is for another processor; or *check*
            raised it.
        DiskFull: there is no room to unpack it.
    """
    with TemporaryDirectory(dir=f"/{UNPACKED}") as folder:
        try:
            _unpack(file, Path(folder), check)
        except (tarfile.TarError, EOFError, KeyError, ValueError) as wrong:
            found = f"{file} is not a complete bundle of tapmat ({wrong})."
            raise SetUpFault(found, "Copy it again, or make it again with: make bundle") from wrong
        except OSError as fault:
            if fault.errno not in NO_ROOM:
                raise
            found = f"The disk with /{UNPACKED} is full, and {file} cannot be unpacked there."
            raise DiskFull(found, f"Nothing was changed. {FREE_SPACE}") from fault
        source = ProjectSource(Path(folder))
        _check_machine(file, source)
        yield source


def _check_machine(file: Path, source: ProjectSource) -> None:
    """Raise SetUpFault if the bundle *file* has no wheel for this computer."""
    machine = platform.machine()
    if not any((source.folder / WHEELS).glob(f"*_{machine}.whl")):
        raise SetUpFault(
            f"{file} is not for this computer, whose processor is {machine}.",
            f"Make one for it: python -m firmware.pi.bundle --machine {machine}",
        )


def _unpack(file: Path, folder: Path, check: CheckSignature | None) -> None:
    """Unpack the bundle *file* into *folder*; check the signature, each file's name and its hash.

    All files are read into memory before they are checked and written, so a change to *file* in
    between has no effect.

    Raises:
        ValueError: a name or a hash is wrong, or a file is missing.
        SetUpFault: *check* raised it; nothing was unpacked.
    """
    with tarfile.open(file, "r:") as tar:
        members = {_inside(member.name): member for member in tar.getmembers()}
        listed = _contents(tar, members.pop(SUMS))
        signature = members.pop(SIGNATURE, None)
        if check is not None:
            check(listed, None if signature is None else _contents(tar, signature))
        lines = listed.decode().splitlines()
        sums = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
        if sums.keys() != members.keys():
            raise ValueError(f"its files differ from the list in {SUMS}")
        for name, member in members.items():
            contents = _contents(tar, member)
            if _sum(contents) != sums[name]:
                raise ValueError(f"{name} is damaged")
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(contents)


def _inside(name: str) -> str:
    """Return the path *name* without its first folder, which all files of a bundle have in common.

    Raises:
        ValueError: *name* has no such folder, or points outside it.
    """
    parts = PurePosixPath(name).parts
    if len(parts) < 2 or ".." in parts or parts[0] == "/":
        raise ValueError(f"{name} is not a valid file name")
    return "/".join(parts[1:])


def _contents(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    # A sparse file of a few bytes could fill the memory.
    file = tar.extractfile(member) if member.isreg() and not member.issparse() else None
    if file is None:
        raise ValueError(f"{member.name} is not a file")
    return file.read()


def _sum(contents: bytes) -> str:
    return hashlib.sha256(contents).hexdigest()


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = 0
    return member


def _fetch(source: ProjectSource, folder: Path, python: str, machine: str) -> None:
    """Download the wheels of all pinned packages into *folder*.

    They are for the version *python* of Python and the processor *machine*.
    """
    pins = (word for name in PINS for word in ("-r", str(source.folder / name)))
    platforms = (word for tag in TAGS for word in ("--platform", f"{tag}_{machine}"))
    command = (
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--no-deps", "--only-binary", ":all:", "--require-hashes"),
        *("--implementation", "cp", "--python-version", python),
        *platforms,
        *pins,
        *("--dest", str(folder)),
    )
    if subprocess.run(command, check=False).returncode:
        raise SetUpFault(
            "The wheels cannot be downloaded.", "Fix what pip reports, then try again."
        )


def main(words: Sequence[str] | None = None) -> int:
    """Make a bundle of this project. *words* are the command line's arguments."""
    parser = argparse.ArgumentParser(prog="python -m firmware.pi.bundle", description=__doc__)
    add: Callable[..., object] = parser.add_argument
    add(
        "--machine",
        choices=("aarch64", "x86_64"),
        default=MACHINE,
        help="the processor (a Pi: aarch64)",
    )
    add("--sign", metavar="KEY", type=Path, help="sign it with this SSH private key")
    add("file", type=Path, nargs="?", help="default: dist/tapmat-VERSION-MACHINE.tar")
    given = parser.parse_args(words)
    source = ProjectSource(Path(__file__).parents[2])
    file = given.file or source.folder / "dist" / f"tapmat-{source.version}-{given.machine}.tar"
    try:
        make(source, file, given.machine, given.sign)
    except SetUpFault as fault:
        print(fault)
        return 1
    print(f"{file}, {file.stat().st_size // MB} MB. On the Pi:")
    update = f"sudo tapmat update {file.name}"
    print(f"sudo ./install-pi --bundle {file.name}" if given.sign is None else update)
    return 0


if __name__ == "__main__":
    sys.exit(main())
