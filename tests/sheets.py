"""Contact sheets: the approved pictures of a test file, several in one PNG, with their names.

A sheet shows each picture at twice its size. The place of each is in the PNG's own text chunk
``cells``, so a sheet needs no second file.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

SCALE = 2
WIDTH = 1400  # width of a sheet in pixels
GAP, LABEL = 12, 14  # pixels around each picture, and the height of its name below it
PAPER, INK, DARK, LIT, WRONG = "white", "#333333", "black", "#b8e8ff", "#ff3030"
CELLS = "cells"


@dataclass(frozen=True, slots=True)
class Cell:
    """The place of a picture on a sheet, in pixels of the sheet."""

    x: int
    y: int
    width: int
    height: int

    def of(self, sheet: Image.Image) -> Image.Image:
        """Return the picture from *sheet*, in mode "1" and at its original size."""
        box = (self.x, self.y, self.x + self.width, self.y + self.height)
        size = (self.width // SCALE, self.height // SCALE)
        enlarged = sheet.crop(box).convert("RGB").getchannel("G")
        return enlarged.resize(size, Image.Resampling.NEAREST).point(lambda level: level > 127, "1")


def save(path: Path, pictures: Mapping[str, Image.Image]) -> None:
    """Write the *pictures*, in mode "1", as the contact sheet *path*, sorted by name."""
    cells, x, y, row = dict[str, Cell](), GAP, GAP, 0
    for name in sorted(pictures):
        width, height = (SCALE * side for side in pictures[name].size)
        if x > GAP and x + width + GAP > WIDTH:
            x, y, row = GAP, y + row + LABEL + GAP, 0
        cells[name] = Cell(x, y, width, height)
        x, row = x + width + GAP, max(row, height)
    sheet = Image.new("RGB", (WIDTH, y + row + LABEL + GAP), PAPER)
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(11)
    for name, cell in cells.items():
        sheet.paste(_enlarged(pictures[name]), (cell.x, cell.y))
        draw.text((cell.x, cell.y + cell.height + 1), name, fill=INK, font=font)
    text = PngInfo()
    places = {name: [cell.x, cell.y, cell.width, cell.height] for name, cell in cells.items()}
    text.add_text(CELLS, json.dumps(places))
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.quantize(16).save(path, pnginfo=text, optimize=True)
    _open.cache_clear()


def names_on(path: Path) -> frozenset[str]:
    """Return the names of the pictures on the sheet *path*; none if there is no such file."""
    return frozenset(_open(path)[1]) if path.exists() else frozenset()


def load(path: Path, name: str) -> Image.Image | None:
    """Return the picture *name* of the sheet *path* in mode "1", or None if it is not there."""
    if not path.exists():
        return None
    sheet, cells = _open(path)
    return cells[name].of(sheet) if name in cells else None


def comparison(before: Image.Image, after: Image.Image) -> Image.Image:
    """Return before, after, and after with the changed pixels in red, side by side."""
    size = (max(before.width, after.width), max(before.height, after.height))
    old, new = (_on_paper(picture, size) for picture in (before, after))
    differs = Image.composite(
        Image.new("RGB", _times(size), WRONG),
        _enlarged(new),
        ImageChops.logical_xor(old, new).resize(_times(size), Image.Resampling.NEAREST),
    )
    width, height = _times(size)
    shown = Image.new("RGB", (3 * width + 4 * GAP, height + 2 * GAP), PAPER)
    for at, picture in enumerate((_enlarged(old), _enlarged(new), differs)):
        shown.paste(picture, (GAP + at * (width + GAP), GAP))
    return shown


@lru_cache(maxsize=8)
def _open(path: Path) -> tuple[Image.Image, dict[str, Cell]]:
    with Image.open(path) as sheet:
        cells = json.loads(sheet.info[CELLS])
        return sheet.convert("RGB"), {name: Cell(*place) for name, place in cells.items()}


def _times(size: tuple[int, int]) -> tuple[int, int]:
    return SCALE * size[0], SCALE * size[1]


def _on_paper(picture: Image.Image, size: tuple[int, int]) -> Image.Image:
    """Return *picture* in the top left corner of a dark picture of *size*."""
    paper = Image.new("1", size)
    paper.paste(picture)
    return paper


def _enlarged(picture: Image.Image) -> Image.Image:
    lit = picture.convert("1").resize(_times(picture.size), Image.Resampling.NEAREST)
    lit_colour, dark = (Image.new("RGB", lit.size, colour) for colour in (LIT, DARK))
    return Image.composite(lit_colour, dark, lit)
