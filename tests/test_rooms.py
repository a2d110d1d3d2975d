"""Each room's docstring says what the room is for and what it may import."""

import ast
import subprocess
import sys
from email import message_from_bytes
from pathlib import Path
from zipfile import ZipFile

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[1]
PACKAGES = ("engines", "firmware", "hardware", "sim")
FAKEPI = ROOT / "sim" / "fakepi"
LONGEST = 18  # lines of a docstring
LONGEST_OF_PAGE = 250  # lines of a script or style sheet

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


def test_fakepi_has_its_own_small_wheel(tmp_path: Path) -> None:
    wheel = built(FAKEPI, tmp_path)
    names = ZipFile(wheel).namelist()
    assert wheel.name.endswith("-py3-none-any.whl")
    assert {name.split("/")[0] for name in names} == {"fakepi", wheel.name[:12] + ".dist-info"}
    assert "fakepi/py.typed" in names
    modules = sum(name.endswith(".py") for name in names)
    assert f" {modules} modules" in (FAKEPI / "README.md").read_text("utf-8")
    assert wheel.stat().st_size < 300_000


def test_the_description_of_fakepi_s_wheel_has_no_relative_link(tmp_path: Path) -> None:
    """A package index shows it without the repository's files."""
    with ZipFile(built(FAKEPI, tmp_path)) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = message_from_bytes(wheel.read(name))
    assert metadata["Description-Content-Type"] == "text/markdown"
    description = str(metadata.get_payload())
    assert [link for link in links(description) if "://" not in link] == []
    relative = [link.partition("#")[0] for link in links((FAKEPI / "README.md").read_text("utf-8"))]
    assert relative
    for path in relative:
        assert (FAKEPI / path).is_file()
        assert f"(`sim/fakepi/{path}`)" in description


def links(markdown: str) -> list[str]:
    """Return the targets of the links in *markdown*, in its text as a reader sees it."""
    tokens = MarkdownIt().parse(markdown)
    shown = (part for token in tokens for part in token.children or ())
    return [str(part.attrs["href"]) for part in shown if part.type == "link_open"]


def test_all_rooms_are_looked_at() -> None:
    assert {"engines/common", "firmware/table", "sim/mat", "sim/fakepi/src/fakepi"} <= set(ROOMS)


@pytest.mark.parametrize(
    ("page", "count"),
    [("sim/web/static", 6), ("firmware/companion/static", 6), ("firmware/hall/static", 2)],
)
def test_files_of_a_page_are_short(page: str, count: int) -> None:
    files = [f for f in (ROOT / page).rglob("*") if f.suffix in {".js", ".css"}]
    ours = [f for f in files if "vendor" not in f.parts]
    assert len(ours) >= count
    lengths = {f.name: len(f.read_text(encoding="utf-8").splitlines()) for f in ours}
    assert {name: n for name, n in lengths.items() if n > LONGEST_OF_PAGE} == {}
