"""Letters for a screen of 128 columns: cells, wrapping, and finding a text among the pixels again.

Room: firmware.
May import: the standard library and Pillow.
May be imported by: firmware, sim, tests.
Source of the fonts: firmware/fonts/README.md.

All fonts have cells of one width, so a text is as wide as it has letters. The one function that
lays letters into cells (``cells``) serves drawing and finding alike; that is why ``find_text``
needs no tolerance.
"""

import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

ELLIPSIS = "…"
UNKNOWN = "?"  # stands for what the fonts lack, such as an emoji
NO_CHARACTER = "\uffff"  # no font has it, so it shows what a font draws for a missing letter


@dataclass(frozen=True, slots=True)
class Face:
    """One look of letters: a font file of *size*, and the cell each letter fills on the screen.

    *scale* (1 or a power of two) enlarges smoothly; *top* rows of the font's cell are left out
    above the letter.
    """

    file: str
    size: int
    width: int
    height: int
    scale: int = 1
    top: int = 0

    def width_of(self, text: str) -> int:
        """How many columns *text* takes."""
        return len(legible(text)) * self.width

    def columns(self, width: int) -> int:
        """How many letters fit into *width* columns of pixels."""
        return width // self.width


SMALL = Face("5x8.pcf.gz", 8, width=5, height=8)
TEXT = Face("ter-u12n_unicode.pcf.gz", 12, width=6, height=12)
NAME = Face("ter-u16b_unicode.pcf.gz", 16, width=8, height=16)
LARGE = Face("ter-u24b_unicode.pcf.gz", 24, width=12, height=24)
TITLE = Face("ter-u32b_unicode.pcf.gz", 32, width=16, height=32)
# Digits of 32 lit rows: those of TEXT have 8, in rows 2 to 9 of their cell.
DIGITS = Face("ter-u12n_unicode.pcf.gz", 12, width=22, height=32, scale=4, top=2)
FACES = (SMALL, TEXT, NAME, LARGE, TITLE, DIGITS)


# --- letters into cells --------------------------------------------------------------------------


def legible(text: str) -> str:
    """*text* as the fonts can show it: one line, composed letters, ``?`` for what they lack."""
    composed = unicodedata.normalize("NFC", " ".join(text.split()))
    return "".join(map(_legible, composed))


@lru_cache(maxsize=500)
def cells(text: str, face: Face) -> Image.Image:
    """*text* in one line, a cell a letter; a picture of mode "1" that callers must not change."""
    letters = legible(text)
    line = Image.new("1", (len(letters) * face.width, face.height))
    for place, letter in enumerate(letters):
        line.paste(_cell(letter, face), (place * face.width, 0))
    return line


@cache
def _legible(letter: str) -> str:
    kind = unicodedata.category(letter)
    if kind in ("Mn", "Me", "Cf"):  # marks on, and joints between, other letters
        return ""
    if kind.startswith("C") or not all(_has(face.file, face.size, letter) for face in FACES):
        return UNKNOWN
    return letter


@cache
def _has(file: str, size: int, letter: str) -> bool:
    """Whether the font shows *letter* as anything else than a missing one."""
    if letter in (" ", UNKNOWN):
        return True
    font = _font(file, size)
    return bytes(font.getmask(letter, "1")) != bytes(font.getmask(NO_CHARACTER, "1"))


@cache
def _font(file: str, size: int) -> ImageFont.FreeTypeFont:
    data = files("firmware").joinpath("fonts", file).read_bytes()
    return ImageFont.truetype(BytesIO(data), size, layout_engine=ImageFont.Layout.BASIC)


@cache
def _cell(letter: str, face: Face) -> Image.Image:
    cell = Image.new("1", (-(-face.width // face.scale), face.height // face.scale))
    draw = ImageDraw.Draw(cell)
    draw.fontmode = "1"
    draw.text((0, -face.top), letter, font=_font(face.file, face.size), fill=1)
    scale = face.scale
    while scale > 1:
        cell, scale = _doubled(cell), scale // 2
    return cell.crop((0, 0, face.width, face.height))


def _doubled(small: Image.Image) -> Image.Image:
    """*small* at twice its size, with slanting edges smoothed.

    Where two thin lines meet, as at the left top of a 5, the corner stays square.
    Source: Scale2x (EPX): a quarter of a pixel takes the colour of the two neighbours it touches
    when these agree and the picture has an edge there.
    """
    width, height = small.size
    large = Image.new("1", (2 * width, 2 * height))

    def at(x: int, y: int) -> bool:
        return 0 <= x < width and 0 <= y < height and bool(small.getpixel((x, y)))

    for y in range(height):
        for x in range(width):
            above, below = at(x, y - 1), at(x, y + 1)
            left, right = at(x - 1, y), at(x + 1, y)
            is_edge = above != below and left != right
            if is_edge and at(x, y):  # lit, with two lit neighbours: is what lies between them?
                is_edge = at(x + (1 if right else -1), y + (1 if below else -1))
            for down, vertical in enumerate((above, below)):
                for along, horizontal in enumerate((left, right)):
                    is_lit = vertical if is_edge and vertical == horizontal else at(x, y)
                    large.putpixel((2 * x + along, 2 * y + down), int(is_lit))
    return large


# --- texts into a room ---------------------------------------------------------------------------


def wrapped(text: str, columns: int) -> list[str]:
    """*text* in lines of at most *columns* letters, broken between words where that is possible."""
    return textwrap.wrap(legible(text), max(1, columns), break_on_hyphens=False)


def shortened(text: str, columns: int) -> str:
    """*text* in at most *columns* letters; what is cut ends in an ellipsis."""
    letters = legible(text)
    if len(letters) <= columns:
        return letters
    return letters[: max(0, columns - 1)].rstrip() + ELLIPSIS if columns > 0 else ""


def cut(lines: list[str], count: int, columns: int) -> list[str]:
    """The first *count* of *lines*; when others follow, an ellipsis says so."""
    if len(lines) <= count or count < 1:
        return lines[: max(0, count)]
    return [*lines[: count - 1], shortened(f"{lines[count - 1]} {lines[count]}", columns)]


def fitted(
    text: str, faces: tuple[Face, ...], width: int, height: int, lines: int = 9
) -> tuple[Face, list[str]]:
    """Set *text* in the first of *faces* in which all of it fits, words unbroken.

    Args:
        text: any text.
        faces: the looks to try, the best first.
        width: columns of pixels there are.
        height: rows of pixels there are.
        lines: how many lines there may be at most.

    Returns:
        The face and the lines. When nothing fits, the last face and as much as it can hold,
        cut with an ellipsis.
    """
    for face in faces:
        broken = wrapped(text, face.columns(width))
        words = legible(text).split()
        is_whole = all(len(word) <= face.columns(width) for word in words)
        if is_whole and len(broken) <= min(lines, height // face.height):
            return face, broken
    face = faces[-1]
    columns, count = face.columns(width), min(lines, height // face.height)
    return face, cut(wrapped(text, columns), count, columns)


def is_whole(text: str, lines: Sequence[str]) -> bool:
    """Whether *lines* are all of *text*, with its words unbroken."""
    return " ".join(lines) == legible(text)


# --- pixels back into texts ----------------------------------------------------------------------


def find_text(picture: Image.Image, text: str) -> bool:
    """Whether *text* stands on one line of *picture*, in any of the faces, lit or dark.

    Args:
        picture: mode "1", of any size; a lit pixel is non-zero.
        text: what a screen may have drawn; a part of a word is found too.
    """
    rows = _rows(picture)
    dark = [row.translate(_INVERTED) for row in rows]
    sought = [_lit(_rows(cells(text.strip(), face))) for face in FACES]
    return any(_holds(side, pattern) for pattern in sought for side in (rows, dark))


def _lit(rows: list[str]) -> list[str]:
    """*rows* without the dark ones above and below, where something else may stand."""
    lit = [number for number, row in enumerate(rows) if "1" in row]
    return rows[lit[0] : lit[-1] + 1] if lit else rows


_INVERTED = str.maketrans("01", "10")


def _rows(picture: Image.Image) -> list[str]:
    """The rows of *picture*, a ``0`` or ``1`` a pixel."""
    width, height = picture.size
    pixels = "".join("1" if lit else "0" for lit in picture.convert("L").tobytes())
    return [pixels[row * width : (row + 1) * width] for row in range(height)]


def _holds(rows: list[str], pattern: list[str]) -> bool:
    """Whether *pattern* is a part of *rows*; a pattern without a lit pixel is in none."""
    anchor = max(range(len(pattern)), key=lambda row: pattern[row].count("1"))
    if "1" not in pattern[anchor]:
        return False
    return any(
        _stands_at(rows, pattern, top, left)
        for top in range(len(rows) - len(pattern) + 1)
        for left in _places(rows[top + anchor], pattern[anchor])
    )


def _places(row: str, part: str) -> list[int]:
    """Every place where *part* begins in *row*."""
    places, place = [], row.find(part)
    while place >= 0:
        places.append(place)
        place = row.find(part, place + 1)
    return places


def _stands_at(rows: list[str], pattern: list[str], top: int, left: int) -> bool:
    return all(rows[top + down].startswith(part, left) for down, part in enumerate(pattern))
