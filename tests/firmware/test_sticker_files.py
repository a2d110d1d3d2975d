"""Files of stickers: written in the order of the deck, and checked strictly when read."""

from collections.abc import Callable
from pathlib import Path

import pytest

from engines.common.pieces import Deck, Kind, Piece
from firmware.boxes.box import Box
from firmware.boxes.sticker_files import Stickers, read, stickers_text
from firmware.common.errors import StickersError

KINDS = (Kind("red", 3), Kind("blue-plus3", 1), Kind("joker", 1))
GUESSED = Deck("slap", KINDS, is_verified=False)
COUNTED = Deck("slap", KINDS, is_verified=True)
UIDS = {
    Piece("joker"): bytes.fromhex("04A1B2C3D4E5F6"),
    Piece("red", 2): bytes.fromhex("DEADBEEF"),
    Piece("red"): bytes.fromhex("04A1B2C3D4E5F7"),
}
TEXT = """\
# The stickers of a box: a piece and the UID of its sticker.
game slap
red#1 04 A1 B2 C3 D4 E5 F7
red#2 DE AD BE EF
joker#1 04 A1 B2 C3 D4 E5 F6
"""

Written = Callable[[str], Path]


@pytest.fixture
def file(tmp_path: Path) -> Written:
    """A function that writes a text to a file and returns the file's path."""

    def write(text: str) -> Path:
        (tmp_path / "box.txt").write_text(text, encoding="utf-8")
        return tmp_path / "box.txt"

    return write


def test_a_box_is_written_in_the_order_of_the_deck_one_piece_a_line() -> None:
    assert stickers_text(Box(GUESSED, 1, UIDS)) == TEXT
    assert stickers_text(Box(GUESSED, 2, UIDS, is_closed=True)) == f"{TEXT}closed\n"
    assert stickers_text(Box(GUESSED, 1, {})).splitlines()[1:] == ["game slap"]


@pytest.mark.parametrize("is_closed", [True, False])
def test_what_is_written_is_read_again(file: Written, is_closed: bool) -> None:
    text = stickers_text(Box(GUESSED, 1, UIDS, is_closed))
    assert read(file(text), GUESSED) == Stickers(UIDS, is_closed)


def test_order_comments_blanks_and_small_letters_do_not_matter(file: Written) -> None:
    text = "\n# mine\n\n  game slap\nred#2  deadbeef\n\nred#1 04a1b2c3d4e5f7\n"
    stickers = read(file(text), GUESSED)
    assert stickers.uids == {piece: UIDS[piece] for piece in (Piece("red"), Piece("red", 2))}


WRONG = [  # line 3, the error found, and the advice
    ("rad#1 04 01 02 03", 'has "rad", which is not a kind of slap', 'Did you mean "red"?'),
    ("chess 04 01 02 03", 'begins with "chess"', "Write a piece like: weight-7#2"),
    ("red#0 04 01 02 03", 'begins with "red#0"', "Write a piece like: weight-7#2"),
    ("red#x 04 01 02 03", 'begins with "red#x"', "Write a piece like: weight-7#2"),
    ("king#1 04 01 02 03", 'has "king", which is not a kind of slap', "It can be: red, blue-plus3"),
    (
        "red#1",
        'has the UID "", which is not written as hexadecimal bytes',
        "Write its bytes like: 04 A1",
    ),
    (
        "red#1 04 1 02 03",
        'has the UID "04 1 02 03", which is not written as hex',
        "Write its bytes like",
    ),
    (
        "red#1 04 01 02 0g",
        'has the UID "04 01 02 0g", which is not written as hex',
        "Write its bytes like",
    ),
    ("red#1 04 01 02", "has a UID of 3 bytes; it has 4, 7 or 10", "Write its bytes like"),
    ("red#1 08 01 02 03", "has the UID 08 01 02 03, which is random", "Such a tag changes"),
    (
        "red#2 04 01 02 03",
        "has red#2, but red#1 is missing",
        "Copies are numbered from 1: write",
    ),
    ("closed\nred#1 04 01 02 03", 'is "red#1 04 01 02 03", after "closed"', '"closed" is the last'),
    (
        "red#1 04 01 02 03\nred#1 04 01 02 04",
        "has red#1, but line 3 has it too",
        "Remove one of the two lines",
    ),
    (
        "red#1 04 01 02 03\nred#2 04 01 02 03",
        "has the UID 04 01 02 03, but line 3 has it too",
        "Remove one of the two lines",
    ),
]


@pytest.mark.parametrize(("line", "found", "remedy"), WRONG, ids=[line for line, *_ in WRONG])
def test_a_wrong_line_is_told_with_its_number_and_what_would_be_right(
    file: Written, line: str, found: str, remedy: str
) -> None:
    at = 2 + len(line.splitlines())
    path = file(f"# mine\ngame slap\n{line}\n")
    with pytest.raises(StickersError) as wrong:
        read(path, GUESSED)
    assert str(wrong.value).startswith(f"{path}: line {at} {found}")
    assert f". {remedy}" in str(wrong.value)


def test_a_piece_that_a_counted_deck_does_not_hold_is_refused(file: Written) -> None:
    path = file("game slap\njoker#1 04 01 02 03\njoker#2 04 01 02 04\n")
    assert len(read(path, GUESSED).uids) == 2
    with pytest.raises(
        StickersError, match="line 3 has joker#2, but the deck has only 1 of that kind"
    ):
        read(path, COUNTED)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("red#1 04 01 02 03\n", 'line 1 is "red#1", but the first line must name the game'),
        ("game straw\n", 'line 1 names "straw", but you are enrolling slap. Write: game slap'),
        ("# nothing\n", "does not name its game. Write: game slap"),
    ],
)
def test_a_file_says_first_of_which_game_it_is(file: Written, text: str, found: str) -> None:
    with pytest.raises(StickersError) as wrong:
        read(file(text), GUESSED)
    assert found in str(wrong.value)


def test_a_file_that_cannot_be_read_is_said_so(file: Written, tmp_path: Path) -> None:
    with pytest.raises(StickersError, match=r"nope\.txt does not exist\. Check the path\."):
        read(tmp_path / "nope.txt", GUESSED)
    with pytest.raises(StickersError, match=r"cannot be read \(Is a directory\)"):
        read(tmp_path, GUESSED)
    path = file("game slap\n")
    path.write_bytes(b"game sl\xe4p\n")
    with pytest.raises(StickersError, match=r"byte 7 is not UTF-8\. Save the file with"):
        read(path, GUESSED)
