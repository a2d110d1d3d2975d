"""Text on a screen of 128 columns: drawing it, wrapping it, and finding it in the pixels.

May import: the standard library and Pillow.
May be imported by: firmware, sim, tests.
Source of the fonts: firmware/show/fonts/README.md.

All fonts have a fixed width, so a text's width follows from its length. ``cells`` draws every text,
and ``find_text`` looks for exactly the pixels that ``cells`` draws.
"""

import gzip
import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

ELLIPSIS = "…"
UNKNOWN = "?"  # replaces letters that the fonts lack, such as an emoji
NO_CHARACTER = "\uffff"  # no font has it, so it shows a font's drawing for a missing letter


@dataclass(frozen=True, slots=True)
class Typeface:
    """A typeface: a font *file* of *size*, with a cell of *width* x *height* pixels per letter.

    The font's letters are enlarged by *scale*, a power of two, with smoothed edges. The first *top*
    rows of the font's own cell are left out.
    """

    file: str
    size: int
    width: int
    height: int
    scale: int = 1
    top: int = 0

    def width_of(self, text: str) -> int:
        """Return the width of *text* in pixels."""
        return len(legible(text)) * self.width

    def columns(self, width: int) -> int:
        """Return the number of letters that fit into *width* pixels."""
        return width // self.width


SMALL = Typeface("5x8.pcf.gz", 8, width=5, height=8)
TEXT = Typeface("ter-u12n_unicode.pcf.gz", 12, width=6, height=12)
NAME = Typeface("ter-u16b_unicode.pcf.gz", 16, width=8, height=16)
LARGE = Typeface("ter-u24b_unicode.pcf.gz", 24, width=12, height=24)
TITLE = Typeface("ter-u32b_unicode.pcf.gz", 32, width=16, height=32)
# Digits 32 pixels high: the digits of TEXT are 8 pixels high, in rows 2 to 9 of their cell.
DIGITS = Typeface("ter-u12n_unicode.pcf.gz", 12, width=22, height=32, scale=4, top=2)
FACES = (SMALL, TEXT, NAME, LARGE, TITLE, DIGITS)


# --- letters into cells --------------------------------------------------------------------------


def legible(text: str) -> str:
    """Return *text* as the fonts can show it: on one line, with ``?`` for missing letters."""
    composed = unicodedata.normalize("NFC", " ".join(text.split()))
    return "".join(map(_legible, composed))


@lru_cache(maxsize=500)
def cells(text: str, face: Typeface) -> Image.Image:
    """Draw *text* on one line, in mode "1". The picture is cached; callers must not change it."""
    letters = legible(text)
    line = Image.new("1", (len(letters) * face.width, face.height))
    for place, letter in enumerate(letters):
        line.paste(_cell(letter, face), (place * face.width, 0))
    return line


@cache
def _legible(letter: str) -> str:
    kind = unicodedata.category(letter)
    if kind in ("Mn", "Me", "Cf"):  # combining marks, and invisible format characters
        return ""
    if kind.startswith("C") or not all(_has(face.file, face.size, letter) for face in FACES):
        return UNKNOWN
    return letter


@cache
def _has(file: str, size: int, letter: str) -> bool:
    """Return True if the font has *letter*."""
    if letter in (" ", UNKNOWN):
        return True
    font = _font(file, size)
    return bytes(font.getmask(letter, "1")) != bytes(font.getmask(NO_CHARACTER, "1"))


@cache
def _font(file: str, size: int) -> ImageFont.FreeTypeFont:
    # Unpacked here: FreeType would unpack it again for almost every letter.
    data = gzip.decompress(files(__package__).joinpath("fonts", file).read_bytes())
    return ImageFont.truetype(BytesIO(data), size, layout_engine=ImageFont.Layout.BASIC)


@cache
def _cell(letter: str, face: Typeface) -> Image.Image:
    cell = Image.new("1", (-(-face.width // face.scale), face.height // face.scale))
    draw = ImageDraw.Draw(cell)
    draw.fontmode = "1"
    draw.text((0, -face.top), letter, font=_font(face.file, face.size), fill=1)
    scale = face.scale
    while scale > 1:
        cell, scale = _double(cell), scale // 2
    return cell.crop((0, 0, face.width, face.height))


def _double(small: Image.Image) -> Image.Image:
    """Return *small* at twice its size, with smoothed diagonal edges.

    A corner of two thin lines, such as the top left of a 5, stays square.
    Source: Scale2x (EPX). Each pixel becomes four. One of the four takes the colour of the two
    neighbours that it touches, if they are equal and the pixel is on an edge.
    """
    width, height = small.size
    pixels = bytearray(4 * width * height)
    rows = ["0" * (width + 2), *(f"0{row}0" for row in _rows(small)), "0" * (width + 2)]

    def at(x: int, y: int) -> bool:
        return rows[y + 1][x + 1] == "1"

    for y in range(height):
        for x in range(width):
            above, below = at(x, y - 1), at(x, y + 1)
            left, right = at(x - 1, y), at(x + 1, y)
            is_edge = above != below and left != right
            if is_edge and at(x, y):  # lit, with two lit neighbours: check the corner between them
                is_edge = at(x + (1 if right else -1), y + (1 if below else -1))
            for down, vertical in enumerate((above, below)):
                for along, horizontal in enumerate((left, right)):
                    is_lit = vertical if is_edge and vertical == horizontal else at(x, y)
                    pixels[2 * width * (2 * y + down) + 2 * x + along] = is_lit
    large = Image.new("1", (2 * width, 2 * height))
    large.putdata(pixels)
    return large


# --- fitting texts -------------------------------------------------------------------------------


def wrap(text: str, columns: int) -> list[str]:
    """Break *text* into lines of at most *columns* letters, between words if possible."""
    return textwrap.wrap(legible(text), max(1, columns), break_on_hyphens=False)


def shorten(text: str, columns: int) -> str:
    """Cut *text* to at most *columns* letters, with an ellipsis at the end.

    Short texts are unchanged.
    """
    letters = legible(text)
    if len(letters) <= columns:
        return letters
    return letters[: max(0, columns - 1)].rstrip() + ELLIPSIS if columns > 0 else ""


def cut(lines: list[str], count: int, columns: int) -> list[str]:
    """Return the first *count* of *lines*; if more follow, the last one ends in an ellipsis."""
    if len(lines) <= count or count < 1:
        return lines[: max(0, count)]
    return [*lines[: count - 1], shorten(f"{lines[count - 1]} {lines[count]}", columns)]


def fit_text(
    text: str, faces: tuple[Typeface, ...], width: int, height: int, lines: int = 9
) -> tuple[Typeface, list[str]]:
    """Break *text* into lines in the first of *faces* in which all of it fits, words unbroken.

    Args:
        text: any text.
        faces: the typefaces to try, the best first.
        width: the number of pixel columns.
        height: the number of pixel rows.
        lines: the maximum number of lines.

    Returns:
        The face and the lines. If no face fits, the last face and the text cut with an ellipsis.
    """
    for face in faces:
        broken = wrap(text, face.columns(width))
        words = legible(text).split()
        is_whole = all(len(word) <= face.columns(width) for word in words)
        if is_whole and len(broken) <= min(lines, height // face.height):
            return face, broken
    face = faces[-1]
    columns, count = face.columns(width), min(lines, height // face.height)
    return face, cut(wrap(text, columns), count, columns)


def is_whole(text: str, lines: Sequence[str]) -> bool:
    """Return True if *lines* contain all of *text*, with its words unbroken."""
    return " ".join(lines) == legible(text)


# --- finding texts -------------------------------------------------------------------------------


def find_text(picture: Image.Image, text: str) -> bool:
    """Return True if *text* is on one line of *picture*, in any typeface, lit or inverted.

    Args:
        picture: mode "1", of any size; a lit pixel is non-zero.
        text: the text to find; it may be a part of a word.
    """
    rows = _rows(picture)
    dark = [row.translate(_INVERTED) for row in rows]
    sought = [_lit(_rows(cells(text.strip(), face))) for face in FACES]
    return any(_holds(side, pattern) for pattern in sought for side in (rows, dark))


def _lit(rows: list[str]) -> list[str]:
    """Return *rows* without the dark ones at the top and bottom, where other texts may be."""
    lit = [number for number, row in enumerate(rows) if "1" in row]
    return rows[lit[0] : lit[-1] + 1] if lit else rows


_INVERTED = str.maketrans("01", "10")
_DIGITS = b"0" + b"1" * 255  # of dark and lit pixels


def _rows(picture: Image.Image) -> list[str]:
    """Return the rows of *picture* as strings with a ``0`` or ``1`` for each pixel."""
    width, height = picture.size
    pixels = picture.convert("L").tobytes().translate(_DIGITS).decode("ascii")
    return [pixels[row * width : (row + 1) * width] for row in range(height)]


def _holds(rows: list[str], pattern: list[str]) -> bool:
    """Return True if *rows* contain *pattern*, which must have a lit pixel to be found."""
    anchor = max(range(len(pattern)), key=lambda row: pattern[row].count("1"))
    if "1" not in pattern[anchor]:
        return False
    return any(
        _is_at(rows, pattern, top, left)
        for top in range(len(rows) - len(pattern) + 1)
        for left in _places(rows[top + anchor], pattern[anchor])
    )


def _places(row: str, part: str) -> list[int]:
    """Return every index at which *part* begins in *row*."""
    places, place = [], row.find(part)
    while place >= 0:
        places.append(place)
        place = row.find(part, place + 1)
    return places


def _is_at(rows: list[str], pattern: list[str], top: int, left: int) -> bool:
    return all(rows[top + down].startswith(part, left) for down, part in enumerate(pattern))
