"""The screens: what the OLED shows of a view, as a picture.

Room: firmware. Pure functions from a ``TableView`` to a picture; sending it is another room's work.
May import: the standard library, Pillow, engines.common, firmware.view, firmware.maps,
firmware.screen_text.
May be imported by: firmware, sim, tests.

What must be read first wins: a notice; then a list that is open; then how far something is; then
the end of the game; then the game; and without a game, how to begin. A lost part takes the bottom
line of any of them. The one number that people look for is 32 lit rows high, on both sizes of
display. A game's map has the left half of the high display, and a place chosen on it stands there
instead of in a list; the low one has room for a map only while a place is chosen.

What has no room on one screen is shown by turns, on ``pages``; the big number keeps its place on
each. The tests hold the words of every language to that: none of them is cut.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from PIL import Image, ImageDraw, ImageOps

from engines.common.contract import Direction
from firmware.maps import neighbourhood
from firmware.screen_text import (
    DIGITS,
    LARGE,
    NAME,
    SMALL,
    TEXT,
    TITLE,
    Face,
    cells,
    fitted,
    is_whole,
    legible,
    shortened,
    wrapped,
)
from firmware.view import ListView, Notice, Progress, TableView

SIZES = ((128, 64), (128, 32))  # width x height of the displays there are layouts for
GAP = 4  # columns between things side by side
MARGIN = 2  # columns between an inverted text and the edge of its ground
HEADLINE_WIDTH = 4 * DIGITS.width  # as much as a headline may take from what stands beside it
NARROW = 8 * SMALL.width  # a column below this holds no sentence
WORD_GAP = 2  # columns at least between a headline that is a word and its caption
MAP_WIDTH = 65  # columns of a high display for a map: four cells of 16, and the last frame
LOW_MAP_WIDTH = 31  # of a low one: three of 10

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
class Box:
    """A part of the screen, in pixels; *right* and *bottom* are the first that lie outside."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """Columns of pixels."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Rows of pixels."""
        return self.bottom - self.top


@dataclass(frozen=True, slots=True)
class Canvas:
    """The picture that is being drawn, and the texts of which a part had to be *cut*."""

    picture: Image.Image
    cut: list[str] = field(default_factory=list)

    @property
    def box(self) -> Box:
        """The whole screen."""
        return Box(0, 0, *self.picture.size)

    @property
    def is_low(self) -> bool:
        """Whether there is only half the height of the default display."""
        return self.picture.height < 64

    def line(self, text: str, face: Face, left: int, top: int, *, is_dark: bool = False) -> None:
        """Write *text* from *left*, *top* on; *is_dark* writes on a lit ground."""
        self.picture.paste(0 if is_dark else 1, (left, top), cells(text, face))

    def bar(self, box: Box, face: Face, lines: Sequence[str]) -> int:
        """Light *box* and write *lines* dark from its top on; return the row below the last."""
        if lines:
            edges = (box.left, box.top, box.right - 1, box.bottom - 1)
            ImageDraw.Draw(self.picture).rectangle(edges, fill=1)
        for number, text in enumerate(lines):
            top = box.top + number * face.height
            self.line(text, face, box.left + MARGIN, top, is_dark=True)
        return box.top + len(lines) * face.height

    def lines(self, box: Box, face: Face, lines: Sequence[str], *, is_centred: bool = False) -> int:
        """Write *lines* from the top of *box* on and return the row below them."""
        for number, text in enumerate(lines):
            spare = box.width - face.width_of(text)
            left = box.left + (spare // 2 if is_centred else 0)
            self.line(text, face, left, box.top + number * face.height)
        return box.top + len(lines) * face.height

    def text(self, box: Box, text: str, *faces: Face) -> int:
        """Write *text* into *box*, in the first of *faces* that holds it; return the row below."""
        return self.lines(box, *self.fitted(text, faces, box))

    def fitted(
        self, text: str, faces: tuple[Face, ...], box: Box, lines: int = 9
    ) -> tuple[Face, list[str]]:
        """Set *text* in the first of *faces* in which *box* holds it; note it if none does."""
        face, broken = fitted(text, faces, box.width, box.height, lines)
        if not is_whole(text, broken):
            self.cut.append(text)
        return face, broken


def draw(view: TableView, size: tuple[int, int]) -> Image.Image:
    """Draw *view* as the display shows it, the first page if there are several; see ``pages``."""
    return pages(view, size)[0]


def pages(view: TableView, size: tuple[int, int]) -> tuple[Image.Image, ...]:
    """Draw *view* as the display shows it: one page, or several that are shown by turns.

    Args:
        view: what the table shows, in the table's language.
        size: width and height of the display in pixels, one of ``SIZES``.

    Returns:
        Pictures of mode "1" and that size; a lit pixel is non-zero.

    Raises:
        ValueError: there is no layout for that size.
    """
    if size not in SIZES:
        known = ", ".join(f"{width} x {height}" for width, height in SIZES)
        raise ValueError(f"no screen of {size[0]} x {size[1]} pixels; there are {known}")
    whole = _page(view, size)
    if not whole.cut:
        return (whole.picture,)
    return tuple(_page(part, size).picture for part in _parts(whole, view))


def _page(view: TableView, size: tuple[int, int]) -> Canvas:
    canvas = Canvas(Image.new("1", size))
    _layout(canvas, view)(canvas, view)
    return canvas


def _parts(canvas: Canvas, view: TableView) -> tuple[TableView, ...]:
    """*view*, of which *canvas* cannot hold all at once, in parts that it can."""
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
        told = (*captions, view.hint)
        return first, *(replace(view, turn=None, action="", hint=text) for text in told)
    return (view,)


def _layout(canvas: Canvas, view: TableView) -> Callable[[Canvas, TableView], None]:
    """Which screen shows what must be read first."""
    if view.notice is not None:
        return _draw_notice
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


def _draw_fault(canvas: Canvas, view: TableView, box: Box) -> Box:
    """Write the lost part, if there is one, to the bottom of *box*; return what remains of it.

    It gets one line, and a second, both small, when it stands beside something.
    """
    if not view.fault:
        return box
    is_beside = box.width < canvas.box.width
    faces = (SMALL,) if canvas.is_low or is_beside else (TEXT, SMALL)
    width, count = box.width - 2 * MARGIN, 2 if is_beside else 1
    face, lines = fitted(view.fault, faces, width, canvas.box.height, count)
    top = box.bottom - len(lines) * face.height
    canvas.bar(replace(box, top=top), face, lines)
    return replace(box, bottom=top)


def _draw_action(canvas: Canvas, view: TableView, box: Box, *, is_small: bool = False) -> Box:
    """Write what ``action`` does now to the right bottom of *box*; return the room left of it.

    A lost part has that place before it. On a low display it is small, and may need two lines.
    """
    if not _has_action(view):
        return replace(box, top=box.bottom - TEXT.height)
    is_small = is_small or canvas.is_low
    faces, tall = ((SMALL,), 2 * SMALL.height) if is_small else ((TEXT, SMALL), TEXT.height)
    face, lines = fitted(f"▶ {view.action}", faces, box.width - 2 * MARGIN, tall)
    left = box.right - max(map(face.width_of, lines)) - 2 * MARGIN
    room = replace(box, top=box.bottom - len(lines) * face.height)
    canvas.bar(replace(room, left=left), face, lines)
    return replace(room, right=left)


def _has_action(view: TableView) -> bool:
    """Whether the bottom line says what ``action`` does."""
    return bool(view.action) and not view.fault


# --- a notice ------------------------------------------------------------------------------------


def _draw_notice(canvas: Canvas, view: TableView) -> None:
    """What happened, a rule, and what to do."""
    notice = view.notice
    assert notice is not None, "this layout is chosen for a notice"
    box = _draw_fault(canvas, view, canvas.box)
    face = TEXT
    happened, do = _sentences(notice, face, box)
    if not _holds(box, face, happened, do):
        face = SMALL
        happened, do = _sentences(notice, face, box)
    if not _holds(box, face, happened, do):
        happened, do = wrapped(f"{notice.happened} {notice.do}", face.columns(box.width)), []
    if not _holds(box, face, happened):
        canvas.cut.append(notice.happened)
    spare = box.height - (len(happened) + len(do)) * face.height
    gap = min(spare, 2 * GAP) if do else 0
    top = canvas.lines(replace(box, top=box.top + (spare - gap) // 2), face, happened)
    if gap >= GAP:
        row = top + gap // 2
        ImageDraw.Draw(canvas.picture).line((box.left, row, box.right - 1, row), fill=1)
    canvas.lines(replace(box, top=top + gap), face, do)


def _sentences(notice: Notice, face: Face, box: Box) -> tuple[list[str], list[str]]:
    """What happened and what to do, in lines as wide as *box*."""
    columns = face.columns(box.width)
    return wrapped(notice.happened, columns), wrapped(notice.do, columns)


def _holds(box: Box, face: Face, *texts: Sequence[str]) -> bool:
    """Whether *box* is high enough for the lines of all *texts*."""
    return sum(map(len, texts)) * face.height <= box.height


def _notice_parts(canvas: Canvas, view: TableView) -> tuple[TableView, ...]:
    """What happened first, and then what to do; what is too long for a page goes on on another."""
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


# --- a list --------------------------------------------------------------------------------------


def _draw_list(canvas: Canvas, view: TableView) -> None:
    """The prompt, and the items round the cursor; the one under it large and inverted."""
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
            text = _clipped(choices.items[index], TEXT.columns(width - MARGIN))
            below = canvas.lines(replace(row, left=row.left + MARGIN), TEXT, [text])
        row = replace(row, top=below)
    if is_long:
        _draw_scrollbar(canvas, replace(items, left=items.right - GAP, bottom=row.top), choices)


def _chosen(choices: ListView, width: int, height: int) -> tuple[Face, list[str]]:
    """The item under the cursor as large as *width* and *height* allow."""
    item = choices.items[_cursor(choices)]
    faces = (NAME, TEXT, SMALL) if height >= NAME.height else (TEXT, SMALL)
    face, lines = fitted(item, faces, width, max(height, TEXT.height), 2)
    if face is NAME and len(lines) > 1:  # large letters in one line, or smaller ones in two
        face, lines = fitted(item, (TEXT, SMALL), width, max(height, TEXT.height), 2)
    if " ".join(lines) != legible(item) or not lines:
        lines = [_clipped(item, face.columns(width))]
    return face, lines


def _window(choices: ListView, others: int) -> range:
    """Which items are shown when there is room for *others* beside the one under the cursor."""
    shown = min(others + 1, len(choices.items))
    first = max(0, min(_cursor(choices) - shown // 2, len(choices.items) - shown))
    return range(first, first + shown)


def _draw_prompt(canvas: Canvas, choices: ListView, box: Box) -> int:
    """Write the prompt into at most two lines of *box* and return the row below it."""
    return canvas.lines(box, *canvas.fitted(choices.prompt, (TEXT, SMALL), box, lines=2))


def _draw_scrollbar(canvas: Canvas, box: Box, choices: ListView) -> None:
    """A thin line, and on it a block where the cursor stands among the items."""
    pen = ImageDraw.Draw(canvas.picture)
    tall = max(4, box.height // len(choices.items))
    top = box.top + (box.height - tall) * _cursor(choices) // (len(choices.items) - 1)
    pen.line((box.right - 2, box.top, box.right - 2, box.bottom - 1), fill=1)
    pen.rectangle((box.right - 3, top, box.right - 1, top + tall - 1), fill=1)


def _clipped(item: str, columns: int) -> str:
    """*item* in *columns* letters; of ``label: value`` the value is kept, and the label cut."""
    label, colon, value = legible(item).rpartition(": ")
    room = columns - len(colon + value)
    if not colon or room < 3 or len(legible(item)) <= columns:
        return shortened(item, columns)
    return shortened(label, room) + colon + value


def _cursor(choices: ListView) -> int:
    return max(0, min(choices.cursor, len(choices.items) - 1))


# --- a number ------------------------------------------------------------------------------------


def _is_number(choices: ListView) -> bool:
    """Whether numbers are chosen from, each short enough to be shown large."""
    return all(
        _is_figure(item) and DIGITS.width_of(item) <= HEADLINE_WIDTH for item in choices.items
    )


def _draw_number(canvas: Canvas, view: TableView) -> None:
    """The number under the cursor, an arrow on each side where there are more, and the prompt."""
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
    if bottom - top < DIGITS.height:  # the action stands beside the number, not below it
        _draw_arrowed(canvas, choices, Box(0, top, widest, box.bottom))
    else:
        _draw_arrowed(canvas, choices, Box(0, top, box.right, bottom))


def _draw_arrowed(canvas: Canvas, choices: ListView, box: Box) -> None:
    """The number in the middle of *box*, between arrows to where there are others."""
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
    """The headline at the left; whose turn, which way and what to do beside and below it."""
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


def _draw_beside(canvas: Canvas, view: TableView, box: Box) -> None:
    """The column beside the headline of a low display: the turn, then what is most useful.

    That is the hint, or, where a button has a meaning now, the caption and that meaning.
    """
    below = replace(_draw_fault(canvas, view, box), top=_draw_turn(canvas, view, box))
    if _has_action(view):
        above = replace(below, bottom=_draw_action(canvas, view, below).top)
        if above.height >= SMALL.height:
            canvas.text(above, view.caption, SMALL)
    elif below.height >= SMALL.height:
        canvas.text(below, view.hint or view.caption, TEXT, SMALL)


@dataclass(frozen=True)
class Worded:
    """A headline that is a word, and its caption on the same line, both standing on one foot."""

    word: str
    face: Face
    caption: str
    beside: Face

    @property
    def width(self) -> int:
        """How many columns it takes at least."""
        return self.face.width_of(self.word) + WORD_GAP + self.beside.width_of(self.caption)

    @cached_property
    def picture(self) -> Image.Image:
        """The line as wide as the screen, without the dark rows above and below it."""
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
    """A headline that is a word, with its caption on one line; everything else below it."""
    is_low, has_turn = canvas.is_low, _has_turn(view)
    turn_top = NAME.height if is_low else 3 * TEXT.height
    room = replace(canvas.box, bottom=turn_top)
    if not is_low and not has_turn:  # what to do has the place of whose turn it is
        room = replace(room, bottom=room.bottom + NAME.height)
    worded = _worded(view, room, "" if is_low else view.hint)
    canvas.picture.paste(worded.picture, (0, 0))
    if is_low:
        _draw_below(canvas, view, replace(canvas.box, top=turn_top))
        return
    below = replace(room, top=worded.picture.height)
    face, lines = fitted(view.hint, (TEXT, SMALL), below.width, below.height)
    spare = below.height - len(lines) * face.height
    canvas.lines(replace(below, top=below.top + spare // 2), face, lines)
    _draw_turn(canvas, view, replace(canvas.box, top=turn_top))
    _draw_fault(canvas, view, canvas.box)
    if not view.fault:
        _draw_scores(canvas, view, _draw_action(canvas, view, canvas.box), lines=1)


def _worded(view: TableView, room: Box, hint: str) -> Worded:
    """The headline and its caption, as large as *room* allows when *hint* stands below them."""
    word, caption = legible(view.headline), legible(view.caption)
    sizes = [face for face in (LARGE, NAME, TEXT) if face.height <= room.height]
    pairs = [(face, beside) for face in sizes for beside in sizes if beside.height <= face.height]
    pairs += [(face, SMALL) for face in sizes]  # small letters only when nothing else fits
    lines = [Worded(word, face, caption, beside) for face, beside in pairs]
    for line in lines:
        below = room.height - line.picture.height
        face, broken = fitted(hint, (TEXT, SMALL), room.width, below)
        is_shown = is_whole(hint, broken) and len(broken) * face.height <= below
        if line.width <= room.width and is_shown:
            return line
    return lines[-1]


def _draw_below(canvas: Canvas, view: TableView, box: Box) -> None:
    """What stands below the word on a low display: whose turn, or what to do; and the action."""
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


def _foot(face: Face) -> int:
    """The row below a capital letter."""
    lit = cells("H", face).getbbox()
    assert lit is not None, "an H is lit"
    return lit[3]


@dataclass(frozen=True, slots=True)
class Headline:
    """A headline set as large as it can be: 32 rows a number, less what is long."""

    face: Face
    lines: tuple[str, ...]

    @property
    def width(self) -> int:
        """How many columns it takes."""
        return max(map(self.face.width_of, self.lines), default=0)


def _headline(text: str, width: int = HEADLINE_WIDTH) -> Headline:
    if _is_figure(text) and DIGITS.width_of(text) <= width:
        return Headline(DIGITS, (text,))
    face, lines = fitted(text, (TITLE, LARGE, NAME, TEXT), width, DIGITS.height)
    return Headline(face, tuple(lines))


def _draw_words(canvas: Canvas, view: TableView, box: Box) -> None:
    """The caption, and what to do below it."""
    if box.width < NARROW:
        return
    above = replace(box, bottom=box.bottom if not view.hint else TEXT.height)
    below = replace(box, top=canvas.text(above, view.caption, TEXT, SMALL))
    face, lines = canvas.fitted(view.hint, (TEXT, SMALL), below)
    spare = below.height - len(lines) * face.height
    canvas.lines(replace(below, top=below.top + min(GAP, spare) // 2), face, lines)


def _has_turn(view: TableView) -> bool:
    """Whether it is the turn of somebody with a name."""
    return view.turn is not None and view.turn < len(view.names)


def _draw_turn(canvas: Canvas, view: TableView, box: Box) -> int:
    """Write which way the turn goes and whose it is into *box*; return the row below."""
    if not _has_turn(view):
        return box.top
    assert view.turn is not None, "this turn is somebody's"
    room = replace(box, bottom=box.top + NAME.height)
    name = view.names[view.turn]
    if view.direction is not None:
        arrow = _arrow(view.direction)
        right = replace(room, left=room.left + arrow.width + GAP - 1)
        if SMALL.width_of(name) <= right.width:  # otherwise the lamps alone tell the direction
            canvas.picture.paste(arrow, (room.left, room.top))
            room = right
    face, lines = canvas.fitted(name, (NAME, TEXT, SMALL), room, 1)
    canvas.lines(replace(room, top=room.top + (NAME.height - face.height) // 2), face, lines)
    return room.bottom


def _arrow(direction: Direction) -> Image.Image:
    """A ring with a head, 15 x 15 pixels, turning in *direction*."""
    rows = CLOCKWISE_ARROW.splitlines()
    arrow = Image.new("1", (len(rows[0]), len(rows)))
    arrow.putdata([dot == "#" for row in rows for dot in row])
    return arrow if direction is Direction.CLOCKWISE else ImageOps.mirror(arrow)


def _is_figure(text: str) -> bool:
    """Whether *text* is a whole number in our digits."""
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit()


# --- a map ---------------------------------------------------------------------------------------


def _has_cursor(view: TableView) -> bool:
    """Whether a place of the map is chosen."""
    return view.grid is not None and view.grid.cursor is not None


def _draw_map(canvas: Canvas, view: TableView) -> None:
    """The map at the left; beside it the headline, whose turn, and what is most useful."""
    grid = view.grid
    assert grid is not None, "this layout is chosen for a map"
    figures = DIGITS.width_of(view.headline) if _is_figure(view.headline) else 0
    room = canvas.box.width - WORD_GAP - min(figures, 3 * DIGITS.width)  # a number is never small
    width = LOW_MAP_WIDTH if canvas.is_low else min(MAP_WIDTH, room)
    picture = neighbourhood(grid, width, canvas.box.height)
    left, top = (width - picture.width) // 2, (canvas.box.height - picture.height) // 2
    canvas.picture.paste(picture, (left, top))
    beside = replace(canvas.box, left=width + WORD_GAP)
    # A name needs the room of the arrow; the lamps tell the direction.
    view = replace(view, direction=None)
    if canvas.is_low:
        headline = _headline(view.headline, max(2 * DIGITS.width, min(figures, 3 * DIGITS.width)))
        canvas.lines(beside, headline.face, headline.lines)
        column = replace(beside, left=beside.left + headline.width + WORD_GAP // 2)
        _draw_beside(canvas, replace(view, hint=""), column)
    else:
        _draw_column(canvas, view, beside)


def _draw_column(canvas: Canvas, view: TableView, box: Box) -> None:
    """The headline on top; at the bottom what is lost or ``action`` does; the rest between them."""
    headline = _headline(view.headline, box.width)
    canvas.lines(box, headline.face, headline.lines)
    room = replace(_draw_fault(canvas, view, box), top=box.top + DIGITS.height)
    if _has_action(view):
        room = replace(room, bottom=_draw_action(canvas, view, room, is_small=True).top)
    name = view.names[view.turn] if view.turn is not None and _has_turn(view) else ""
    face, lines = _beside_map(view, room.width, room.height - (SMALL.height if name else 0))
    tall = len(lines) * face.height
    name_face, names = fitted(name, (NAME, TEXT, SMALL), room.width, room.height - tall, 1)
    name_top = room.bottom - len(names) * name_face.height
    gap = min(GAP, name_top - room.top - tall) // 2
    canvas.lines(replace(room, top=room.top + gap), face, lines)
    canvas.lines(replace(room, top=name_top), name_face, names)


def _beside_map(view: TableView, width: int, height: int) -> tuple[Face, list[str]]:
    """What to do; where a place is chosen, or an action leaves no room for that, the caption."""
    face, lines = fitted(view.hint, (TEXT, SMALL), width, height)
    if _has_cursor(view) or (view.action and not (lines and is_whole(view.hint, lines))):
        return fitted(view.caption, (TEXT, SMALL), width, height, 1)
    return face, lines


# --- scores --------------------------------------------------------------------------------------


def _draw_scores(canvas: Canvas, view: TableView, box: Box, lines: int) -> None:
    """Everybody's score in at most *lines* lines of *box*, or nothing when they do not fit."""
    room = replace(box, right=box.right - GAP) if box.right < canvas.box.right else box
    for entries in _score_entries(view):
        for face in (TEXT, SMALL):
            rows = _score_rows(entries, face.columns(room.width))
            if rows and len(rows) <= min(lines, room.height // face.height):
                top = room.bottom - len(rows) * face.height
                canvas.lines(replace(room, top=top), face, rows)
                return


def _score_entries(view: TableView) -> tuple[list[str], ...]:
    """The scores with names, with as much of the names as tells them apart, and alone."""
    names = [legible(name) for name in view.names]
    pairs = list(zip(names, view.scores, strict=False))
    full = [f"{name} {score}" for name, score in pairs]
    brief = [f"{_initials(name, names)} {score}" for name, score in pairs]
    tight = [f"{_initials(name, names)}{score}" for name, score in pairs]
    return full, brief, tight, [str(score) for _, score in pairs]


def _initials(name: str, names: Sequence[str]) -> str:
    """The shortest beginning of *name* that no other of *names* has."""
    others = [other for other in names if other != name]
    lengths = range(1, len(name))
    apart = (name[:n] for n in lengths if not any(other.startswith(name[:n]) for other in others))
    return next(apart, name)


def _score_rows(entries: Sequence[str], columns: int) -> list[str]:
    """*entries* in lines of *columns* letters, none broken; nothing when one is too wide."""
    rows: list[str] = []
    for entry in entries:
        if len(entry) > columns:
            return []
        if rows and len(rows[-1]) + 1 + len(entry) <= columns:
            rows[-1] += f" {entry}"
        else:
            rows.append(entry)
    return rows


# --- how far something is ------------------------------------------------------------------------


def _draw_progress(canvas: Canvas, view: TableView) -> None:
    """What is asked for, as large as it can be; which of its kind; how far it is, and a bar."""
    progress = view.progress
    assert progress is not None, "this layout is chosen for something that goes on"
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
        if SMALL.width_of(both) > last.width:  # there has to be one sign of how far it is
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


def _draw_bar(canvas: Canvas, box: Box, progress: Progress) -> None:
    """A frame round *box*, lit from the left as far as *progress* is."""
    pen = ImageDraw.Draw(canvas.picture)
    pen.rectangle((box.left, box.top, box.right - 1, box.bottom - 1), outline=1)
    lit = box.width * min(progress.done, progress.total) // max(progress.total, 1)
    if lit:
        pen.rectangle((box.left, box.top, box.left + lit - 1, box.bottom - 1), fill=1)


# --- the end, and the beginning ------------------------------------------------------------------


def _draw_winners(canvas: Canvas, view: TableView) -> None:
    """Who won, with what, and how everybody did."""
    headline = _headline(view.headline)
    edge = canvas.box.right - headline.width
    canvas.lines(
        replace(canvas.box, left=edge, top=0 if canvas.is_low else 2), headline.face, headline.lines
    )
    beside = Box(0, 0, edge - 2, DIGITS.height if canvas.is_low else 3 * TEXT.height)
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
    """What this is, and how to begin."""
    box = _draw_fault(canvas, view, canvas.box)
    tall = NAME if canvas.is_low else TITLE
    faces = tuple(face for face in (TITLE, LARGE, NAME, TEXT) if face.height <= tall.height)
    title_face, title = fitted(view.title, faces, box.width, tall.height)
    room = box.height - len(title) * title_face.height
    lower = replace(box, top=box.bottom - room)
    hint_face, hint = canvas.fitted(view.hint, (TEXT, SMALL), lower)
    spare = room - len(hint) * hint_face.height
    gap = min(GAP, spare)
    top = box.top + (spare - gap) // 2
    below = canvas.lines(replace(box, top=top), title_face, title, is_centred=True)
    canvas.lines(replace(box, top=below + gap), hint_face, hint, is_centred=True)
