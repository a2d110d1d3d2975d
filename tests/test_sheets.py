"""Contact sheets return every pixel unchanged, and a changed picture makes a test fail."""

from pathlib import Path

import pytest
from PIL import Image, ImageChops

from tests import sheets
from tests.conftest import Golden


def dotted(size: tuple[int, int], *lit: tuple[int, int]) -> Image.Image:
    picture = Image.new("1", size)
    for at in lit:
        picture.putpixel(at, 1)
    return picture


PICTURES = {
    "corners": dotted((128, 32), (0, 0), (127, 0), (0, 31), (127, 31)),
    "middle": dotted((128, 64), (64, 32), (65, 32)),
    "odd": dotted((61, 49), (60, 48)),
} | {f"more-{n}": dotted((128, 64), (n, n)) for n in range(9)}


@pytest.fixture
def golden(tmp_path: Path) -> Golden:
    """An approved sheet with one picture."""
    sheets.save(tmp_path / "some.png", PICTURES)
    return Golden(tmp_path, None)


def test_every_picture_of_a_sheet_comes_back_as_it_was(golden: Golden) -> None:
    assert sheets.names_on(golden.folder / "some.png") == set(PICTURES)
    for name, picture in PICTURES.items():
        golden.check("some", name, picture)
    assert [file.name for file in golden.folder.iterdir()] == ["some.png"]


@pytest.mark.parametrize(
    "drawn",
    [dotted((128, 64), (64, 32)), dotted((128, 64)), dotted((128, 63), (64, 32), (65, 32))],
    ids=["a pixel less", "nothing", "another size"],
)
def test_a_picture_that_differs_is_refused_and_shown(golden: Golden, drawn: Image.Image) -> None:
    with pytest.raises(pytest.fail.Exception, match="middle differs from some"):
        golden.check("some", "middle", drawn)
    shown = golden.folder / "some.middle.diff.png"
    assert shown.exists()
    golden.check("some", "middle", PICTURES["middle"])
    assert not shown.exists()


def test_the_pixels_that_differ_are_red() -> None:
    shown = sheets.comparison(dotted((2, 1), (0, 0)), dotted((2, 1), (0, 0), (1, 0)))
    red = Image.new("RGB", shown.size, sheets.WRONG)
    is_red = ImageChops.difference(shown, red).convert("L").point(lambda level: level == 0, "1")
    left, top, right, bottom = is_red.getbbox() or (0, 0, 0, 0)
    assert (right - left, bottom - top) == (sheets.SCALE, sheets.SCALE)


@pytest.mark.parametrize("sheet", ["some", "another"])
def test_a_picture_that_nobody_approved_is_refused(golden: Golden, sheet: str) -> None:
    with pytest.raises(AssertionError, match="nobody approved new on"):
        golden.check(sheet, "new", PICTURES["middle"])
