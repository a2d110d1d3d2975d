"""Each room's docstring says what the room is for and what it may import."""

import ast
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("engines", "firmware", "hardware", "sim")
LONGEST = 18  # lines of a docstring

ROOMS = sorted(
    package.relative_to(ROOT).as_posix()
    for package in (
        *(ROOT / name for name in PACKAGES),
        *((ROOT / "engines" / "common"), *(ROOT / "firmware").iterdir(), *(ROOT / "sim").iterdir()),
    )
    if (package / "__init__.py").exists()
)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_it_may_import(room: str) -> None:
    source = (ROOT / room / "__init__.py").read_text(encoding="utf-8")
    text = ast.get_docstring(ast.parse(source)) or ""
    assert "may import" in " ".join(text.split())
    assert len(text.splitlines()) <= LONGEST


def test_a_wheel_tells_type_checkers_that_its_packages_have_types(tmp_path: Path) -> None:
    """Otherwise, mypy reports an error for each import in a driver of another package."""
    pytest.importorskip("hatchling")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(ZipFile(wheel).namelist())


def test_all_rooms_are_looked_at() -> None:
    assert {"engines/common", "firmware/table", "sim/chips", "hardware"} <= set(ROOMS)
