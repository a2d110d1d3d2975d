"""The judge of real bundles, given made-up ones."""

import hashlib
import io
import tarfile
from pathlib import Path

import pytest

from tests.firmware.real_bundle import Pin, lacking, pins_in

CONTENTS = b"a wheel"
SUM = hashlib.sha256(CONTENTS).hexdigest()
PINS = (Pin("mat", "1.0", frozenset((SUM,))), Pin("mat-chips", "2.1", frozenset((SUM,))))
PURE = "mat-1.0-py3-none-any.whl"
OLD, NEW = (
    f"mat_chips-2.1-cp{python}-cp{python}-manylinux_2_17_aarch64.whl" for python in (311, 313)
)


def bundle(folder: Path, *names: str, contents: bytes = CONTENTS) -> Path:
    """Write a bundle with wheels of these *names*, which all have the same *contents*."""
    file = folder / "tapmat.tar"
    with tarfile.open(file, "w") as tar:
        for name in ("README.md", *(f"wheels/{name}" for name in names)):
            member = tarfile.TarInfo(f"tapmat/{name}")
            member.size = len(contents)
            tar.addfile(member, io.BytesIO(contents))
    return file


def test_a_whole_bundle_lacks_nothing(tmp_path: Path) -> None:
    assert list(lacking(bundle(tmp_path, PURE, OLD, NEW), PINS)) == []


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (
            (OLD, NEW),
            ["mat 1.0 has no wheel for Python 3.11", "mat 1.0 has no wheel for Python 3.13"],
        ),
        ((PURE, OLD), ["mat-chips 2.1 has no wheel for Python 3.13"]),
        ((PURE, OLD, NEW.replace("aarch64", "x86_64")), None),
        ((PURE, OLD, NEW.replace("2_17", "2_39")), None),
        ((PURE, OLD, NEW.replace("2.1", "2.2")), None),
        (
            (PURE, OLD, NEW, "more-1-py3-none-any.whl"),
            ["more-1-py3-none-any.whl is not pinned, or fits no Python"],
        ),
    ],
)
def test_a_wheel_that_is_missing_or_fits_no_pi_is_found(
    tmp_path: Path, names: tuple[str, ...], told: list[str] | None
) -> None:
    odd = f"{names[-1]} is not pinned, or fits no Python"
    expected = told or ["mat-chips 2.1 has no wheel for Python 3.13", odd]
    assert list(lacking(bundle(tmp_path, *names), PINS)) == expected


def test_a_wheel_with_another_hash_is_found(tmp_path: Path) -> None:
    found = set(lacking(bundle(tmp_path, PURE, OLD, NEW, contents=b"another"), PINS))
    assert found == {f"{name} does not have a pinned hash" for name in (PURE, OLD, NEW)}


def test_pins_are_read_with_all_their_hashes() -> None:
    text = f"mat==1.0 \\\n    --hash=sha256:{'a' * 64} \\\n    --hash=sha256:{'b' * 64}\n"
    assert pins_in(text) == [Pin("mat", "1.0", frozenset(("a" * 64, "b" * 64)))]
