"""Each room's docstring says what the room is for and what it may import."""

import ast
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("engines", "firmware", "hardware", "sim")
FAKEPI = ROOT / "sim" / "fakepi"
LONGEST = 18  # lines of a docstring

ROOMS = sorted(
    package.relative_to(ROOT).as_posix()
    for package in (
        *(ROOT / name for name in PACKAGES),
        *((ROOT / "engines" / "common"), *(ROOT / "firmware").iterdir(), *(ROOT / "sim").iterdir()),
        FAKEPI / "src" / "fakepi",
    )
    if (package / "__init__.py").exists()
)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_it_may_import(room: str) -> None:
    source = (ROOT / room / "__init__.py").read_text(encoding="utf-8")
    text = ast.get_docstring(ast.parse(source)) or ""
    assert "may import" in " ".join(text.split())
    assert len(text.splitlines()) <= LONGEST


def built(project: Path, folder: Path) -> Path:
    """Build the wheel of *project* in *folder*, and return its path."""
    pytest.importorskip("hatchling")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=project,
        capture_output=True,
        check=True,
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def test_a_wheel_tells_type_checkers_that_its_packages_have_types(tmp_path: Path) -> None:
    """Otherwise, mypy reports an error for each import in a driver of another package."""
    names = set(ZipFile(built(ROOT, tmp_path)).namelist())
    assert {f"{package}/py.typed" for package in PACKAGES} <= names
    assert not any("fakepi" in name for name in names)


def test_fakepi_has_a_small_wheel_of_its_own(tmp_path: Path) -> None:
    wheel = built(FAKEPI, tmp_path)
    names = ZipFile(wheel).namelist()
    assert wheel.name.endswith("-py3-none-any.whl")
    assert {name.split("/")[0] for name in names} == {"fakepi", wheel.name[:12] + ".dist-info"}
    assert "fakepi/py.typed" in names
    assert wheel.stat().st_size < 300_000


def test_all_rooms_are_looked_at() -> None:
    assert {"engines/common", "firmware/table", "sim/mat", "sim/fakepi/src/fakepi"} <= set(ROOMS)
