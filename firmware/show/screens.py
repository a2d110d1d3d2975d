"""The screens: pictures of a view for the OLED display.

Pure functions from a ``TableView`` to a picture. Another room sends the picture to the display.
May import: the standard library, Pillow, engines.common, firmware.show.view, firmware.show.maps,
firmware.show.qr, firmware.show.text.
May be imported by: firmware, sim, tests.

The most urgent screen is drawn, in this order: a notice, how to join with a phone, an open list,
progress, the winners, the game, and how to begin a game. A failed part is named on the bottom line
of each screen. The main number is 32 pixels high on both sizes of display. A game's map takes the
left half of the high display; a place is chosen on the map, not in a list. The low display shows a
map only while a place is chosen.

A view with texts that do not fit on one screen gets several ``pages``, which alternate. The main
number is at the same position on each. The tests check that no text of any language is cut.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from PIL import Image, ImageDraw, ImageOps

from engines.common.contract import Direction
from firmware.show.maps import neighbourhood
from firmware.show.qr import MODULES, qr_rows
from firmware.show.text import (
    DIGITS,
    LARGE,
    NAME,
    SMALL,
    TEXT,
    TITLE,
    Typeface,
    cells,
    fit_text,
    is_whole,
    legible,
    shorten,
    wrap,
)
from firmware.show.view import ListView, Notice, Progress, TableView, in_groups

SIZES = ((128, 64), (128, 32))  # width x height of the supported displays
GAP = 4  # pixels between neighbouring elements
MARGIN = 2  # columns between an inverted text and the edge of its background
HEADLINE_WIDTH = 4 * DIGITS.width  # maximum width of a headline with a column beside it
NARROW = 8 * SMALL.width  # a narrower column has no room for a sentence
WORD_GAP = 2  # minimum number of columns between a headline that is a word and its caption
MAP_WIDTH = 65  # columns of a high display for a map: four cells of 16, and the last frame
LOW_MAP_WIDTH = 31  # the same for a low display: three cells of 10, and the last frame

QR_WIDTH = 64  # columns and rows of a QR code with its quiet zone, which is as large as fits
QR_SCALE = 2  # pixels per module

CLOCKWISE_ARROW = """\
........#......
........##.....
...########....
..#########....
.####...##.....
.##.....#...##.
##...........##
##...........##
##...........##
##...........##
.##.........##.
.###.......###.
..####...####..
...#########...
.....#####....."""


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle of the screen, in pixels. *right* and *bottom* are exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """The number of pixel columns."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """The number of pixel rows."""
        return self.bottom - self.top


@dataclass(frozen=True, slots=True)
class Canvas:
    """The picture being drawn. *cut* lists the texts that were shortened to fit."""

    picture: Image.Image
    cut: list[str] = field(default_factory=list)

    @property
    def box(self) -> Area:
        """The whole screen."""
        return Area(0, 0, *self.picture.size)

    @property
    def is_low(self) -> bool:
        """True if the display is 32 pixels high, not 64."""
        return self.picture.height < 64

    def line(
        self, text: str, face: Typeface, left: int, top: int, *, is_dark: bool = False
    ) -> None:
        """Write *text* with its top left corner at *left*, *top*.

        If *is_dark* is True, write dark text for a lit background.
        """
        self.picture.paste(0 if is_dark else 1, (left, top), cells(text, face))

    def bar(self, box: Area, face: Typeface, lines: Sequence[str]) -> int:
        """Light *box*, and write *lines* in dark letters on it, from its top.

        Returns:
            The row below the last line.
        """
        if lines:
            edges = (box.left, box.top, box.right - 1, box.bottom - 1)
            ImageDraw.Draw(self.picture).rectangle(edges, fill=1)
        for number, text in enumerate(lines):
            top = box.top + number * face.height
            self.line(text, face, box.left + MARGIN, top, is_dark=True)
        return box.top + len(lines) * face.height

    def lines(
        self, box: Area, face: Typeface, lines: Sequence[str], *, is_centred: bool = False
    ) -> int:
        """Write *lines* from the top of *box*; return the row below the last line."""
        for number, text in enumerate(lines):
            spare = box.width - face.width_of(text)
            left = box.left + (spare // 2 if is_centred else 0)
            self.line(text, face, left, box.top + number * face.height)
        return box.top + len(lines) * face.height

    def text(self, box: Area, text: str, *faces: Typeface) -> int:
        """Write *text* into *box* in the first of *faces* that fits; return the row below it."""
        return self.lines(box, *self.fit_text(text, faces, box))

    def fit_text(
        self, text: str, faces: tuple[Typeface, ...], box: Area, lines: int = 9
    ) -> tuple[Typeface, list[str]]:
        """Return the first of *faces* in which *text* fits into *box*, and the text's lines.

        If none fits, the text is shortened, and added to ``cut``.
        """
        face, broken = fit_text(text, faces, box.width, box.height, lines)
        if not is_whole(text, broken):
            self.cut.append(text)
        return face, broken


def draw(view: TableView, size: tuple[int, int]) -> Image.Image:
    """Draw *view* on a screen of *size*; if it needs several ``pages``, draw the first."""
    return pages(view, size)[0]


def pages(view: TableView, size: tuple[int, int]) -> tuple[Image.Image, ...]:
    """Draw *view* as one page, or as several that alternate.

    Args:
        view: the state of the table, in its language.
        size: width and height of the display in pixels, one of ``SIZES``.

    Returns:
        Pictures of mode "1" and that size; a lit pixel is non-zero.

    Raises:
        ValueError: there is no layout for that size.
    """
    if size not in SIZES:
        known = ", ".join(f"{width} x {height}" for width, height in SIZES)
        raise ValueError(f"no screen of {size[0]} x {size[1]} pixels; there are {known}")
    if _asks_for_mat(view):
        game = replace(view, hint="", is_for_mat=False)
        return (*_request_pages(view, size), *pages(game, size))
    whole = _page(view, size)
    if not whole.cut:
        return (whole.picture,)
    return tuple(_page(part, size).picture for part in _parts(whole, view))


def _asks_for_mat(view: TableView) -> bool:
    """Return True if the display shows what people should do for the mat."""
    is_covered = view.notice is not None or view.join is not None or view.choices is not None
    return view.is_for_mat and not is_covered


def _request_pages(view: TableView, size: tuple[int, int]) -> tuple[Image.Image, ...]:
    """Draw the hint over the whole screen, as large as possible; on several pages if it is long."""
    canvas = Canvas(Image.new("1", size))
    box = _draw_fault(canvas, view, canvas.box)
    face, lines = canvas.fit_text(view.hint, (NAME, TEXT, SMALL), box)
    if canvas.cut:
        return pages(TableView(view.phase, notice=Notice(view.hint), fault=view.fault), size)
    canvas.lines(
        replace(box, top=box.top + (box.height - len(lines) * face.height) // 2), face, lines
    )
    return (canvas.picture,)


def _page(view: TableView, size: tuple[int, int]) -> Canvas:
    canvas = Canvas(Image.new("1", size))
    _layout(canvas, view)(canvas, view)
    return canvas


def _parts(canvas: Canvas, view: TableView) -> tuple[TableView, ...]:
    """Split *view*, which does not fit on *canvas*, into views that fit."""
    layout = _layout(canvas, view)
    if layout is _draw_notice:
        return _notice_parts(canvas, view)
    if layout is _draw_list and view.choices is not None:
        items = replace(view, choices=replace(view.choices, prompt=""))
        return items, TableView(view.phase, hint=view.choices.prompt, fault=view.fault)
    first = replace(view, hint="")
    if layout is _draw_title:
        return first, replace(view, title="")
    if layout is _draw_progress:
        caption = "" if canvas.is_low else view.caption
        return replace(first, caption=caption), replace(view, action="")
    if layout is _draw_game:
        if not canvas.is_low:
            return first, replace(view, caption="")
        captions = [view.caption] if view.caption in canvas.cut else []
        first = replace(first, caption="" if captions else view.caption)
        texts = (*captions, view.hint)
        return first, *(replace(view, turn=None, action="", hint=text) for text in texts)
    return (view,)


def _layout(canvas: Canvas, view: TableView) -> Callable[[Canvas, TableView], None]:
    """Return the function that draws the most urgent part of *view*."""
    if view.notice is not None:
        return _draw_notice
    if view.join is not None:
        return _draw_join
    if view.choices is not None and view.choices.items and not _has_cursor(view):
        return _draw_number if _is_number(view.choices) else _draw_list
    if view.progress is not None:
        return _draw_progress
    if view.winners:
        return _draw_winners
    if _has_cursor(view) or (view.grid is not None and not canvas.is_low):
        return _draw_map
    return _draw_game if view.headline or view.turn is not None else _draw_title


# --- the bottom line -----------------------------------------------------------------------------


def _draw_fault(canvas: Canvas, view: TableView, box: Area) -> Area:
    """Write the names of failed parts, if there are any, at the bottom of *box*.

    They get one line; in a box narrower than the screen, they get two lines of small letters.

    Returns:
        The rest of *box*.
    """
    if not view.fault:
        return box
    is_beside = box.width < canvas.box.width
    faces = (SMALL,) if canvas.is_low or is_beside else (TEXT, SMALL)
    width, count = box.width - 2 * MARGIN, 2 if is_beside else 1
    face, lines = fit_text(view.fault, faces, width, canvas.box.height, count)
    top = box.bottom - len(lines) * face.height
    canvas.bar(replace(box, top=top), face, lines)
    return replace(box, bottom=top)


def _draw_action(canvas: Canvas, view: TableView, box: Area, *, is_small: bool = False) -> Area:
    """Write what the action button does now at the bottom right of *box*.

    If a part has failed, nothing is written. On a low display the letters are small, on up to two
    lines.

    Returns:
        The rest of the bottom line, left of the text.
    """
    if not _has_action(view):
        return replace(box, top=box.bottom - TEXT.height)
    is_small = is_small or canvas.is_low
    faces, tall = ((SMALL,), 2 * SMALL.height) if is_small else ((TEXT, SMALL), TEXT.height)
    face, lines = fit_text(f"▶ {view.action}", faces, box.width - 2 * MARGIN, tall)
    left = box.right - max(map(face.width_of, lines)) - 2 * MARGIN
    room = replace(box, top=box.bottom - len(lines) * face.height)
    canvas.bar(replace(room, left=left), face, lines)
    return replace(room, right=left)


def _has_action(view: TableView) -> bool:
    """Return True if the bottom line says what the action button does now."""
    return bool(view.action) and not view.fault


# --- a notice ------------------------------------------------------------------------------------


def _draw_notice(canvas: Canvas, view: TableView) -> None:
    """Draw what happened, a horizontal line, and what to do."""
    notice = view.notice
    assert notice is not None, "this layout is chosen for a notice"
    box = _draw_fault(canvas, view, canvas.box)
    face = TEXT
    happened, do = _sentences(notice, face, box)
    if not _holds(box, face, happened, do):
        face = SMALL
        happened, do = _sentences(notice, face, box)
    if not _holds(box, face, happened, do):
        happened, do = wrap(f"{notice.happened} {notice.do}", face.columns(box.width)), []
    if not _holds(box, face, happened):
        canvas.cut.append(notice.happened)
    spare = box.height - (len(happened) + len(do)) * face.height
    gap = min(spare, 2 * GAP) if do else 0
    top = canvas.lines(replace(box, top=box.top + (spare - gap) // 2), face, happened)
    if gap >= GAP:
        row = top + gap // 2
        ImageDraw.Draw(canvas.picture).line((box.left, row, box.right - 1, row), fill=1)
    canvas.lines(replace(box, top=top + gap), face, do)


def _sentences(notice: Notice, face: Typeface, box: Area) -> tuple[list[str], list[str]]:
    """Return the lines of what happened and of what to do, broken to the width of *box*."""
    columns = face.columns(box.width)
    return wrap(notice.happened, columns), wrap(notice.do, columns)


def _holds(box: Area, face: Typeface, *texts: Sequence[str]) -> bool:
    """Return True if *box* is high enough for the lines of all *texts*."""
    return sum(map(len, texts)) * face.height <= box.height


def _notice_parts(canvas: Canvas, view: TableView) -> tuple[TableView, ...]:
    """Split the notice of *view*: return a view for each page that the notice needs."""
    notice = view.notice
    assert notice is not None, "this layout is chosen for a notice"
    box = _draw_fault(canvas, view, canvas.box)
    count = box.height // SMALL.height
    parts = (
        " ".join(lines[first : first + count])
        for lines in _sentences(notice, SMALL, box)
        for first in range(0, len(lines), count)
    )
    return tuple(replace(view, notice=replace(notice, happened=part, do="")) for part in parts)


# --- joining with a phone ------------------------------------------------------------------------


def _draw_join(canvas: Canvas, view: TableView) -> None:
    """Draw the QR code of the companion's address; beside it, the address and the code to type.

    A low display is too small for a QR code that a phone can read.
    """
    assert view.join is not None, "this layout is chosen for an address"
    if canvas.is_low or not view.join.url:
        _draw_address(canvas, view, canvas.box)
        return
    canvas.picture.paste(_qr_picture(view.join.url), (0, 0))
    _draw_address(canvas, view, replace(canvas.box, left=QR_WIDTH + WORD_GAP))


def _qr_picture(url: str) -> Image.Image:
    """Draw the QR code of *url*. Light modules are lit, because readers expect dark on light."""
    code = Image.new("1", (MODULES, MODULES))
    code.putdata([not module for row in qr_rows(url) for module in row])
    code = code.resize((MODULES * QR_SCALE, MODULES * QR_SCALE))
    picture = Image.new("1", (QR_WIDTH, QR_WIDTH), 1)
    edge = (QR_WIDTH - code.width) // 2
    picture.paste(code, (edge, edge))
    return picture


def _draw_address(canvas: Canvas, view: TableView, box: Area) -> None:
    """Draw the address to type in *box*, and below it the six digits, as large as possible."""
    assert view.join is not None, "this layout is chosen for an address"
    box = _draw_fault(canvas, view, box)
    code = in_groups(view.join.code)
    faces = [f for f in (TITLE, LARGE, NAME) if f.height + SMALL.height <= box.height]
    face = next((f for f in faces if f.width_of(code) <= box.width), NAME)
    room = replace(box, bottom=box.bottom - face.height)
    small, place = _address_lines(view.join.place, room)
    tall = len(place) * small.height
    gap = (room.height - tall) // 3
    top = canvas.lines(replace(room, top=room.top + gap), small, place, is_centred=True)
    canvas.lines(replace(box, top=top + gap), face, [code], is_centred=True)


def _address_lines(place: str, box: Area) -> tuple[Typeface, list[str]]:
    """Return a typeface for the address *place* and its lines, broken after dots or at the port."""
    for face in (TEXT, SMALL):
        lines = [""]
        for part in place.replace(".", ". ").replace(":", " :").split(" "):
            if lines[-1] and face.width_of(lines[-1] + part) > box.width:
                lines.append("")
            lines[-1] += part
        if len(lines) * face.height <= box.height:
            break
    return face, lines


# --- a list --------------------------------------------------------------------------------------


def _draw_list(canvas: Canvas, view: TableView) -> None:
    """Draw the prompt and the items around the cursor. The item under it is large and inverted."""
    choices = view.choices
    assert choices is not None, "this layout is chosen for a list"
    box = _draw_fault(canvas, view, canvas.box)
    if _has_action(view) and not canvas.is_low:
        box = replace(box, bottom=_draw_action(canvas, view, box).top)
    is_long = len(choices.items) > 1
    width = box.width - 2 * GAP if is_long else box.width
    face, lines = _chosen(choices, width - MARGIN, box.height - SMALL.height)
    tall = len(lines) * face.height
    top = _draw_prompt(canvas, choices, replace(box, bottom=box.bottom - tall))
    items = replace(box, top=top)
    row = replace(items, right=items.left + width)
    for index in _window(choices, (items.height - tall) // TEXT.height):
        if index == _cursor(choices):
            below = canvas.bar(replace(row, bottom=row.top + tall), face, lines)
        else:
            text = _clip(choices.items[index], TEXT.columns(width - MARGIN))
            below = canvas.lines(replace(row, left=row.left + MARGIN), TEXT, [text])
        row = replace(row, top=below)
    if is_long:
        _draw_scrollbar(canvas, replace(items, left=items.right - GAP, bottom=row.top), choices)


def _chosen(choices: ListView, width: int, height: int) -> tuple[Typeface, list[str]]:
    """Return the face and the lines for the item under the cursor, as large as possible."""
    item = choices.items[_cursor(choices)]
    faces = (NAME, TEXT, SMALL) if height >= NAME.height else (TEXT, SMALL)
    face, lines = fit_text(item, faces, width, max(height, TEXT.height), 2)
    if face is NAME and len(lines) > 1:  # large letters only if one line is enough
        face, lines = fit_text(item, (TEXT, SMALL), width, max(height, TEXT.height), 2)
    if " ".join(lines) != legible(item) or not lines:
        lines = [_clip(item, face.columns(width))]
    return face, lines


def _window(choices: ListView, others: int) -> range:
    """Return the indexes of the items to show: the one under the cursor and up to *others* more."""
    shown = min(others + 1, len(choices.items))
    first = max(0, min(_cursor(choices) - shown // 2, len(choices.items) - shown))
    return range(first, first + shown)


def _draw_prompt(canvas: Canvas, choices: ListView, box: Area) -> int:
    """Write the prompt on at most two lines of *box*; return the row below it."""
    return canvas.lines(box, *canvas.fit_text(choices.prompt, (TEXT, SMALL), box, lines=2))


def _draw_scrollbar(canvas: Canvas, box: Area, choices: ListView) -> None:
    """Draw a scrollbar: a thin line, with a block at the cursor's position among the items."""
    pen = ImageDraw.Draw(canvas.picture)
    tall = max(4, box.height // len(choices.items))
    top = box.top + (box.height - tall) * _cursor(choices) // (len(choices.items) - 1)
    pen.line((box.right - 2, box.top, box.right - 2, box.bottom - 1), fill=1)
    pen.rectangle((box.right - 3, top, box.right - 1, top + tall - 1), fill=1)


def _clip(item: str, columns: int) -> str:
    """Return *item* in at most *columns* letters.

    In ``label: value``, only the label is shortened.
    """
    label, colon, value = legible(item).rpartition(": ")
    room = columns - len(colon + value)
    if not colon or room < 3 or len(legible(item)) <= columns:
        return shorten(item, columns)
    return shorten(label, room) + colon + value


def _cursor(choices: ListView) -> int:
    return max(0, min(choices.cursor, len(choices.items) - 1))


# --- a number ------------------------------------------------------------------------------------


def _is_number(choices: ListView) -> bool:
    """Return True if all items are numbers short enough to be shown large."""
    return all(
        _is_figure(item) and DIGITS.width_of(item) <= HEADLINE_WIDTH for item in choices.items
    )


def _draw_number(canvas: Canvas, view: TableView) -> None:
    """Draw the number under the cursor with its arrows, the prompt, and the action."""
    choices = view.choices
    assert choices is not None, "this layout is chosen for a number"
    widest = max(DIGITS.width_of(item) for item in choices.items) + 5 * GAP
    beside = replace(canvas.box, left=widest + GAP)
    if canvas.is_low:
        _draw_arrowed(canvas, choices, replace(canvas.box, right=widest))
        canvas.text(_draw_fault(canvas, view, beside), choices.prompt, TEXT, SMALL)
        return
    box = _draw_fault(canvas, view, canvas.box)
    above = replace(box, bottom=min(2 * TEXT.height, box.bottom - DIGITS.height))
    top = canvas.text(above, choices.prompt, TEXT, SMALL)
    bottom = _draw_action(canvas, view, beside).top if _has_action(view) else box.bottom
    if bottom - top < DIGITS.height:  # then the number is beside the action, not above it
        _draw_arrowed(canvas, choices, Area(0, top, widest, box.bottom))
    else:
        _draw_arrowed(canvas, choices, Area(0, top, box.right, bottom))


def _draw_arrowed(canvas: Canvas, choices: ListView, box: Area) -> None:
    """Draw the number in the middle of *box*, with an arrow on each side that has more numbers."""
    number = choices.items[_cursor(choices)]
    width = DIGITS.width_of(number) - 2  # the last cell ends in two dark columns
    left = box.left + (box.width - width) // 2
    top = box.top + (box.height - DIGITS.height) // 2
    canvas.line(number, DIGITS, left, top)
    pen = ImageDraw.Draw(canvas.picture)
    middle = top + DIGITS.height // 2
    if choices.cursor > 0:
        tip = left - GAP - 5
        pen.polygon(((tip, middle), (tip + 5, middle - 5), (tip + 5, middle + 5)), fill=1)
    if choices.cursor < len(choices.items) - 1:
        tip = left + width + GAP + 4
        pen.polygon(((tip, middle), (tip - 5, middle - 5), (tip - 5, middle + 5)), fill=1)


# --- the game ------------------------------------------------------------------------------------


def _draw_game(canvas: Canvas, view: TableView) -> None:
    """Draw the headline on the left; beside and below it, the turn, the direction and the hint."""
    if view.headline and not _is_figure(view.headline):
        _draw_worded(canvas, view)
        return
    headline = _headline(view.headline)
    left = headline.width + 2 if headline.width else 0
    if canvas.is_low:
        canvas.lines(canvas.box, headline.face, headline.lines)
        _draw_beside(canvas, view, replace(canvas.box, left=left))
        return
    canvas.lines(replace(canvas.box, top=2), headline.face, headline.lines)
    upper = replace(canvas.box, left=left, bottom=3 * TEXT.height)
    _draw_words(canvas, view, upper)
    _draw_turn(canvas, view, replace(canvas.box, top=upper.bottom))
    _draw_fault(canvas, view, canvas.box)
    if not view.fault:
        _draw_scores(canvas, view, _draw_action(canvas, view, canvas.box), lines=1)


def _draw_beside(canvas: Canvas, view: TableView, box: Area) -> None:
    """Draw the column beside the headline of a low display: the turn, then the hint.

    While the action button does something, the caption and the button's text replace the hint.
    """
    below = replace(_draw_fault(canvas, view, box), top=_draw_turn(canvas, view, box))
    if _has_action(view):
        above = replace(below, bottom=_draw_action(canvas, view, below).top)
        if above.height >= SMALL.height:
            canvas.text(above, view.caption, SMALL)
    elif below.height >= SMALL.height:
        canvas.text(below, view.hint or view.caption, TEXT, SMALL)


@dataclass(frozen=True)
class WordHeadline:
    """A headline that is a word, with its caption on the same line and the same baseline.

    *face* is the typeface of the word, and *beside* that of the caption.
    """

    word: str
    face: Typeface
    caption: str
    beside: Typeface

    @property
    def width(self) -> int:
        """The minimum width in pixels."""
        return self.face.width_of(self.word) + WORD_GAP + self.beside.width_of(self.caption)

    @cached_property
    def picture(self) -> Image.Image:
        """A picture of the line, as wide as the screen, without dark rows above and below."""
        left = self.face.width_of(self.word) + WORD_GAP
        left += min(max(0, SIZES[0][0] - self.width), self.face.width // 2)
        line = Image.new("1", (SIZES[0][0], 2 * self.face.height))
        line.paste(1, (0, 0), cells(self.word, self.face))
        line.paste(
            1, (left, _foot(self.face) - _foot(self.beside)), cells(self.caption, self.beside)
        )
        _, top, _, bottom = line.getbbox() or (0, 0, 0, 0)
        return line.crop((0, top, line.width, bottom))


def _draw_worded(canvas: Canvas, view: TableView) -> None:
    """Draw a headline that is a word with its caption on one line, and the rest below it."""
    is_low, has_turn = canvas.is_low, _has_turn(view)
    turn_top = NAME.height if is_low else 3 * TEXT.height
    room = replace(canvas.box, bottom=turn_top)
    if not is_low and not has_turn:  # the hint takes the place of the turn
        room = replace(room, bottom=room.bottom + NAME.height)
    worded = _word_headline(view, room, "" if is_low else view.hint)
    canvas.picture.paste(worded.picture, (0, 0))
    if is_low:
        _draw_below(canvas, view, replace(canvas.box, top=turn_top))
        return
    below = replace(room, top=worded.picture.height)
    face, lines = fit_text(view.hint, (TEXT, SMALL), below.width, below.height)
    spare = below.height - len(lines) * face.height
    canvas.lines(replace(below, top=below.top + spare // 2), face, lines)
    _draw_turn(canvas, view, replace(canvas.box, top=turn_top))
    _draw_fault(canvas, view, canvas.box)
    if not view.fault:
        _draw_scores(canvas, view, _draw_action(canvas, view, canvas.box), lines=1)


def _word_headline(view: TableView, room: Area, hint: str) -> WordHeadline:
    """Return the headline with its caption, as large as *room* allows with *hint* below it."""
    word, caption = legible(view.headline), legible(view.caption)
    sizes = [face for face in (LARGE, NAME, TEXT) if face.height <= room.height]
    pairs = [(face, beside) for face in sizes for beside in sizes if beside.height <= face.height]
    pairs += [(face, SMALL) for face in sizes]  # small letters only if nothing else fits
    lines = [WordHeadline(word, face, caption, beside) for face, beside in pairs]
    for line in lines:
        below = room.height - line.picture.height
        face, broken = fit_text(hint, (TEXT, SMALL), room.width, below)
        is_shown = is_whole(hint, broken) and len(broken) * face.height <= below
        if line.width <= room.width and is_shown:
            return line
    return lines[-1]


def _draw_below(canvas: Canvas, view: TableView, box: Area) -> None:
    """Draw the turn or the hint, and the action, below the headline word of a low display."""
    right = replace(box, left=box.right - 12 * SMALL.width)
    if view.fault:
        _draw_fault(canvas, view, right)
        room = replace(box, right=right.left)
    else:
        room = replace(_draw_action(canvas, view, right), left=box.left, top=box.top)
    if _has_turn(view):
        _draw_turn(canvas, view, room)
    else:
        canvas.text(room, view.hint, TEXT, SMALL)


def _foot(face: Typeface) -> int:
    """Return the row below a capital letter, counted from the top of its cell."""
    lit = cells("H", face).getbbox()
    assert lit is not None, "an H is lit"
    return lit[3]


@dataclass(frozen=True, slots=True)
class FittedHeadline:
    """A headline as large as possible: a number fills 32 rows, a longer text fewer."""

    face: Typeface
    lines: tuple[str, ...]

    @property
    def width(self) -> int:
        """The width in pixels."""
        return max(map(self.face.width_of, self.lines), default=0)


def _headline(text: str, width: int = HEADLINE_WIDTH) -> FittedHeadline:
    if _is_figure(text) and DIGITS.width_of(text) <= width:
        return FittedHeadline(DIGITS, (text,))
    face, lines = fit_text(text, (TITLE, LARGE, NAME, TEXT), width, DIGITS.height)
    return FittedHeadline(face, tuple(lines))


def _draw_words(canvas: Canvas, view: TableView, box: Area) -> None:
    """Draw the caption, and the hint below it."""
    if box.width < NARROW:
        return
    above = replace(box, bottom=box.bottom if not view.hint else TEXT.height)
    below = replace(box, top=canvas.text(above, view.caption, TEXT, SMALL))
    face, lines = canvas.fit_text(view.hint, (TEXT, SMALL), below)
    spare = below.height - len(lines) * face.height
    canvas.lines(replace(below, top=below.top + min(GAP, spare) // 2), face, lines)


def _has_turn(view: TableView) -> bool:
    """Return True if it is the turn of a player with a name."""
    return view.turn is not None and view.turn < len(view.names)


def _draw_turn(canvas: Canvas, view: TableView, box: Area) -> int:
    """Write the direction and the current player's name into *box*; return the row below them."""
    if not _has_turn(view):
        return box.top
    assert view.turn is not None, "it is a player's turn"
    room = replace(box, bottom=box.top + NAME.height)
    name = view.names[view.turn]
    if view.direction is not None:
        arrow = _arrow(view.direction)
        right = replace(room, left=room.left + arrow.width + GAP - 1)
        if SMALL.width_of(name) <= right.width:  # otherwise only the lamps show the direction
            canvas.picture.paste(arrow, (room.left, room.top))
            room = right
    face, lines = canvas.fit_text(name, (NAME, TEXT, SMALL), room, 1)
    canvas.lines(replace(room, top=room.top + (NAME.height - face.height) // 2), face, lines)
    return room.bottom


def _arrow(direction: Direction) -> Image.Image:
    """Draw a ring with an arrowhead, 15 x 15 pixels, turning in *direction*."""
    rows = CLOCKWISE_ARROW.splitlines()
    arrow = Image.new("1", (len(rows[0]), len(rows)))
    arrow.putdata([dot == "#" for row in rows for dot in row])
    return arrow if direction is Direction.CLOCKWISE else ImageOps.mirror(arrow)


def _is_figure(text: str) -> bool:
    """Return True if *text* is a whole number in the digits 0 to 9."""
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit()


# --- a map ---------------------------------------------------------------------------------------


def _has_cursor(view: TableView) -> bool:
    """Return True if the cursor is on a place of the map."""
    return view.grid is not None and view.grid.cursor is not None


def _draw_map(canvas: Canvas, view: TableView) -> None:
    """Draw the map on the left; beside it the headline, the turn and the hint."""
    grid = view.grid
    assert grid is not None, "this layout is chosen for a map"
    figures = DIGITS.width_of(view.headline) if _is_figure(view.headline) else 0
    room = (
        canvas.box.width - WORD_GAP - min(figures, 3 * DIGITS.width)
    )  # a number is always drawn large
    width = LOW_MAP_WIDTH if canvas.is_low else min(MAP_WIDTH, room)
    picture = neighbourhood(grid, width, canvas.box.height)
    left, top = (width - picture.width) // 2, (canvas.box.height - picture.height) // 2
    canvas.picture.paste(picture, (left, top))
    beside = replace(canvas.box, left=width + WORD_GAP)
    # The name needs the room of the arrow; the lamps show the direction.
    view = replace(view, direction=None)
    if canvas.is_low:
        headline = _headline(view.headline, max(2 * DIGITS.width, min(figures, 3 * DIGITS.width)))
        canvas.lines(beside, headline.face, headline.lines)
        column = replace(beside, left=beside.left + headline.width + WORD_GAP // 2)
        _draw_beside(canvas, replace(view, hint=""), column)
    else:
        _draw_column(canvas, view, beside)


def _draw_column(canvas: Canvas, view: TableView, box: Area) -> None:
    """Draw the headline at the top, the failed part or the action below, and the rest between."""
    headline = _headline(view.headline, box.width)
    canvas.lines(box, headline.face, headline.lines)
    room = replace(_draw_fault(canvas, view, box), top=box.top + DIGITS.height)
    if _has_action(view):
        room = replace(room, bottom=_draw_action(canvas, view, room, is_small=True).top)
    name = view.names[view.turn] if view.turn is not None and _has_turn(view) else ""
    face, lines = _beside_map(view, room.width, room.height - (SMALL.height if name else 0))
    tall = len(lines) * face.height
    name_face, names = fit_text(name, (NAME, TEXT, SMALL), room.width, room.height - tall, 1)
    name_top = room.bottom - len(names) * name_face.height
    gap = min(GAP, name_top - room.top - tall) // 2
    canvas.lines(replace(room, top=room.top + gap), face, lines)
    canvas.lines(replace(room, top=name_top), name_face, names)


def _beside_map(view: TableView, width: int, height: int) -> tuple[Typeface, list[str]]:
    """Return the typeface and the lines of the text beside the map: the hint or the caption.

    The caption is used while a place is chosen, or if an action is shown and leaves too little room
    for the hint.
    """
    face, lines = fit_text(view.hint, (TEXT, SMALL), width, height)
    if _has_cursor(view) or (view.action and not (lines and is_whole(view.hint, lines))):
        return fit_text(view.caption, (TEXT, SMALL), width, height, 1)
    return face, lines


# --- scores --------------------------------------------------------------------------------------


def _draw_scores(canvas: Canvas, view: TableView, box: Area, lines: int) -> None:
    """Draw all scores at the bottom of *box* on at most *lines* lines, or nothing if too long."""
    room = replace(box, right=box.right - GAP) if box.right < canvas.box.right else box
    for entries in _score_entries(view):
        for face in (TEXT, SMALL):
            rows = _score_rows(entries, face.columns(room.width))
            if rows and len(rows) <= min(lines, room.height // face.height):
                top = room.bottom - len(rows) * face.height
                canvas.lines(replace(room, top=top), face, rows)
                return


def _score_entries(view: TableView) -> tuple[list[str], ...]:
    """Return four lists of the scores, each with shorter texts than the one before.

    The last has no names.
    """
    names = [legible(name) for name in view.names]
    pairs = list(zip(names, view.scores, strict=False))
    full = [f"{name} {score}" for name, score in pairs]
    brief = [f"{_initials(name, names)} {score}" for name, score in pairs]
    tight = [f"{_initials(name, names)}{score}" for name, score in pairs]
    return full, brief, tight, [str(score) for _, score in pairs]


def _initials(name: str, names: Sequence[str]) -> str:
    """Return the shortest prefix of *name* that no other of *names* starts with."""
    others = [other for other in names if other != name]
    lengths = range(1, len(name))
    apart = (name[:n] for n in lengths if not any(other.startswith(name[:n]) for other in others))
    return next(apart, name)


def _score_rows(entries: Sequence[str], columns: int) -> list[str]:
    """Return *entries* joined into lines of at most *columns* letters; [] if an entry is longer."""
    rows: list[str] = []
    for entry in entries:
        if len(entry) > columns:
            return []
        if rows and len(rows[-1]) + 1 + len(entry) <= columns:
            rows[-1] += f" {entry}"
        else:
            rows.append(entry)
    return rows


# --- progress ------------------------------------------------------------------------------------


def _draw_progress(canvas: Canvas, view: TableView) -> None:
    """Draw the requested piece as large as possible, its copy number, the progress and a bar."""
    progress = view.progress
    assert progress is not None, "this layout is chosen for progress"
    figures = f"{progress.done}/{progress.total}"
    box = canvas.box
    _draw_fault(canvas, view, box)
    last = replace(_draw_action(canvas, view, box), left=box.left)
    if canvas.is_low:
        above = replace(box, bottom=box.bottom - SMALL.height)
        has_bar = canvas.text(above, view.headline, NAME, TEXT, SMALL) <= NAME.height
        if has_bar:
            bar = replace(above, top=NAME.height + 2, bottom=above.bottom - 2)
            _draw_bar(canvas, bar, progress)
        note = view.caption or view.hint
        both = f"{figures} {note}"
        if SMALL.width_of(both) > last.width:  # the bar or the figures must show the progress
            both = note if has_bar else figures
        if not view.fault:
            canvas.text(replace(last, top=above.bottom), both, SMALL)
        return
    bar = replace(box, top=box.bottom - TEXT.height - 7, bottom=box.bottom - TEXT.height - 1)
    _draw_bar(canvas, bar, progress)
    row = replace(box, top=bar.top - TEXT.height - 1, bottom=bar.top - 1)
    row = replace(row, right=row.right - TEXT.width_of(figures))
    canvas.line(figures, TEXT, row.right, row.top)
    canvas.text(row, view.caption, TEXT, SMALL)
    canvas.text(replace(box, bottom=row.top), view.headline, LARGE, NAME, TEXT, SMALL)
    if not view.fault:
        canvas.text(last, view.hint, TEXT, SMALL)


def _draw_bar(canvas: Canvas, box: Area, progress: Progress) -> None:
    """Draw a frame around *box*, filled from the left in proportion to *progress*."""
    pen = ImageDraw.Draw(canvas.picture)
    pen.rectangle((box.left, box.top, box.right - 1, box.bottom - 1), outline=1)
    lit = box.width * min(progress.done, progress.total) // max(progress.total, 1)
    if lit:
        pen.rectangle((box.left, box.top, box.left + lit - 1, box.bottom - 1), fill=1)


# --- the end, and the beginning ------------------------------------------------------------------


def _draw_winners(canvas: Canvas, view: TableView) -> None:
    """Draw the winners, the winning score, and all scores."""
    headline = _headline(view.headline)
    edge = canvas.box.right - headline.width
    canvas.lines(
        replace(canvas.box, left=edge, top=0 if canvas.is_low else 2), headline.face, headline.lines
    )
    beside = Area(0, 0, edge - 2, DIGITS.height if canvas.is_low else 3 * TEXT.height)
    if canvas.is_low:
        beside = _draw_fault(canvas, view, beside)
    else:
        scores = replace(_draw_fault(canvas, view, canvas.box), top=beside.bottom)
        _draw_scores(canvas, view, scores, lines=2)
    winners = " & ".join(view.names[seat] for seat in view.winners if seat < len(view.names))
    room = replace(beside, bottom=min(beside.bottom, LARGE.height))
    below = canvas.text(room, winners, LARGE, NAME, TEXT, SMALL)
    if beside.bottom - below >= SMALL.height:
        canvas.text(replace(beside, top=below), view.caption, TEXT, SMALL)


def _draw_title(canvas: Canvas, view: TableView) -> None:
    """Draw the title, and below it how to begin."""
    box = _draw_fault(canvas, view, canvas.box)
    tall = NAME if canvas.is_low else TITLE
    faces = tuple(face for face in (TITLE, LARGE, NAME, TEXT) if face.height <= tall.height)
    title_face, title = fit_text(view.title, faces, box.width, tall.height)
    room = box.height - len(title) * title_face.height
    lower = replace(box, top=box.bottom - room)
    hint_face, hint = canvas.fit_text(view.hint, (TEXT, SMALL), lower)
    spare = room - len(hint) * hint_face.height
    gap = min(GAP, spare)
    top = box.top + (spare - gap) // 2
    below = canvas.lines(replace(box, top=top), title_face, title, is_centred=True)
    canvas.lines(replace(box, top=below + gap), hint_face, hint, is_centred=True)
