"""Tests of the emulated mat in a terminal: drawings, answers and the saved game."""

import io
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import terminal_size
from pathlib import Path

import pytest
from PIL import Image

from firmware.boxes.decks import COMMAND_CARDS
from firmware.commands.enrol import CardsToEnrol
from firmware.common.errors import TapmatError
from firmware.config.table_config import load_config
from sim.mat.mat import Mat
from sim.rehearsal.grammar import VERBS
from sim.rehearsal.terminal import (
    CLEAR,
    ENROL_HINT,
    HINT,
    SHORT_HINT,
    Terminal,
    enrol,
    frame,
    in_braille,
    in_half_blocks,
)
from tests.terminal import Terminal as Console

READY = "said en 'Tapmat is ready. Lay a card of a game, or press OK.'"
BEGINS = "Round 1. Ben deals. Ann to play. OK: menu. Back: undo. Action: can't play."
DEALT = (
    "play | headline 0 | turn Ann | camel 0, draw-pile 56, hand-1 4, hand-2 4, round 1, rounds 2"
)
SEVEN = (
    "play | headline 7 | turn Ben | camel 1, draw-pile 55, hand-1 4, hand-2 4, round 1, rounds 2"
)


def picture(*rows: str) -> Image.Image:
    """Return an image of mode "1" from rows of text, in which ``#`` is a lit pixel."""
    drawn = Image.new("1", (len(rows[0]), len(rows)))
    drawn.putdata([pixel == "#" for row in rows for pixel in row])
    return drawn


@contextmanager
def switched_on(folder: Path, table: Path | None = None) -> Iterator[Mat]:
    """Yield a mat that is switched on, with its state in *folder*."""
    mat = Mat(load_config(table), folder)
    try:
        mat.power_on()
        yield mat
    finally:
        mat.close()


def typed(folder: Path, *lines: str, game: str | None = "straw") -> list[str]:
    """Type *lines* at a terminal that is not interactive, and return the answers without the hint.

    *game* begins first; with None, no game begins.
    """
    out = io.StringIO()
    with switched_on(folder) as mat:
        assert Terminal(mat, [f"{line}\n" for line in lines], out).run(game) == 0
    return [line for line in out.getvalue().splitlines() if f"{line}\n" != SHORT_HINT]


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., str]:
    """A function that types lines at a terminal of a given size and returns its whole output."""

    def run(*lines: str, columns: int = 80, rows: int = 24) -> str:
        fingers = iter(lines)

        def read(prompt: str) -> str:
            assert prompt == "> "
            try:
                return next(fingers)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", read)
        monkeypatch.setattr(
            shutil, "get_terminal_size", lambda *_, **__: terminal_size((columns, rows))
        )
        out = Console()
        with switched_on(tmp_path) as mat:
            assert Terminal(mat, (), out).run("straw") == 0
        return out.getvalue()

    return run


# --- drawings ------------------------------------------------------------------------------------


def test_a_half_block_shows_two_pixels_one_above_the_other() -> None:
    drawn = picture(
        "#.#.",
        "##..",
        "....",
        ".#.#",
    )
    assert in_half_blocks(drawn) == ["█▄▀ ", " ▄ ▄"]


def test_a_braille_character_shows_two_by_four_pixels() -> None:
    drawn = picture(
        "#...##",
        "....##",
        "....##",
        ".#..##",
    )
    assert in_braille(drawn) == ["⢁⠀⣿"]


@pytest.mark.parametrize("dot", range(8))
def test_each_pixel_is_the_braille_dot_at_its_place(dot: int) -> None:
    """Dots 1 to 3 are on the left, 4 to 6 on the right, 7 and 8 below; dot n is bit n - 1."""
    x, y = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))[dot]
    drawn = Image.new("1", (2, 4))
    drawn.putpixel((x, y), 1)
    assert in_braille(drawn) == [chr(0x2800 + (1 << dot))]


def test_a_frame_goes_round_the_drawing() -> None:
    assert frame(["ab", "cd"]) == ["┌──┐", "│ab│", "│cd│", "└──┘"]


SIZES = [(80, 24), (100, 40), (140, 50), (200, 30), (66, 20), (60, 12)]
LINES = ("tap weight-7", "tpa lamp", "tap straw", "help", "pieces", "power cut", "tap lamp")


@pytest.mark.long
@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_everything_fits_on_the_terminal(
    watch: Callable[..., str], columns: int, rows: int
) -> None:
    """No screen is longer or wider than the terminal, including the line of the prompt."""
    shown = watch(*LINES[: None if rows >= 24 else 3], columns=columns, rows=rows)
    for screen in shown.split(CLEAR):
        lines = screen.split("\n")
        assert len(lines) <= rows
        assert max(map(len, lines)) <= columns
        assert all(len(line) <= 78 for line in lines if not line.startswith(("┌", "│", "└")))


@pytest.mark.long
@pytest.mark.parametrize(
    ("columns", "rows", "bar"),
    [(80, 24, 64), (129, 50, 64), (130, 50, 128), (130, 30, 64), (200, 30, 64), (66, 20, 64)],
)
def test_the_display_is_drawn_as_large_as_the_terminal_has_room(
    watch: Callable[..., str], columns: int, rows: int, bar: int
) -> None:
    shown = watch("tap weight-7", columns=columns, rows=rows)
    assert f"┌{'─' * bar}┐" in shown


def test_where_no_display_fits_its_words_are_shown(watch: Callable[..., str]) -> None:
    shown = watch("tap weight-7", columns=60)
    assert "┌" not in shown
    assert "play | headline 7 | turn Ben" in shown


def test_a_usual_terminal_shows_display_lamps_what_was_said_and_a_mistake(
    watch: Callable[..., str],
) -> None:
    shown = watch("tap weight-7", "choose 3").split(CLEAR)[-1].splitlines()
    assert shown[0].startswith("┌")
    assert shown[18].endswith("○ seat-6")
    assert shown[19].startswith("● clockwise")
    assert shown[-3:-1] == ["🔈 Round 1. Ben deals.", "🔈 7. Ben to play."]  # no longer Ann
    assert shown[-1].startswith("line 2: the display shows no list now.")


def test_the_hint_is_shown_once_where_there_is_room(watch: Callable[..., str]) -> None:
    assert HINT not in watch()
    assert SHORT_HINT.strip() in watch()
    assert watch("tap weight-7", columns=100, rows=40).count(HINT.strip()) == 1


@pytest.mark.long
def test_a_table_without_display_is_shown_in_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    table = tmp_path / "table.toml"
    table.write_text('[readers.play]\nspi = "0.0"\n', encoding="utf-8")
    monkeypatch.setattr("builtins.input", lambda prompt: "quit")
    out = Console()
    with switched_on(tmp_path, table) as mat:
        assert Terminal(mat, (), out).run("straw") == 0
    assert "play | headline 0 | turn " in out.getvalue()


# --- a program at the mat ------------------------------------------------------------------------


def test_it_begins_the_game_and_tells_what_to_type(tmp_path: Path) -> None:
    out = io.StringIO()
    with switched_on(tmp_path) as mat:
        Terminal(mat, (), out).run("straw")
    assert SHORT_HINT in out.getvalue()
    assert out.getvalue().endswith(f"{DEALT}\n")
    assert f'said en "{BEGINS}"\n' in out.getvalue()


def test_without_a_game_the_mat_waits(tmp_path: Path) -> None:
    assert typed(tmp_path, game=None) == [READY, "idle | headline - | turn - | -"]


def test_each_verb_is_answered_with_what_was_said_and_one_line_of_status(tmp_path: Path) -> None:
    answers = typed(tmp_path, "tap weight-7", "", "   ", "press back")
    first = answers.index(DEALT)
    assert answers[first + 1 :] == [
        "said en '7. Ben to play.'",
        SEVEN,
        "said en 'Correction: 0. Take the 7 back. Ann, return the card you drew to the pile.'",
        DEALT,
    ]


@pytest.mark.long
@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("tpa weight-7", 'line 1: "tpa" is not a verb. Did you mean "tap"?'),
        (
            "tap weight-70",
            "line 1: no deck has a weight-70. To list the pieces, run: tapmat pieces GAME",
        ),
        ("choose 3", "line 1: the display shows no list now. It shows: Lay a card"),
        ("expect headline 9", "expected 9, the mat showed 0"),
        ("game strow", 'line 1: there is no game "strow" here. Did you mean "straw"?'),
        ("start", "line 1: a game is in progress. End it first: press ok, then choose end-game"),
        ("# a thought", "line 1: the line has no verb. Type a verb; help lists them"),
        ('choose "', 'line 1: a quotation mark is missing. Write " before and after it'),
    ],
)
def test_a_mistake_is_answered_and_the_table_goes_on(
    tmp_path: Path, line: str, answer: str
) -> None:
    answers = typed(tmp_path, line, "tap weight-7")
    assert any(said.startswith(answer) for said in answers)
    assert answers.count(DEALT) == 2
    assert answers[-1] == SEVEN


def test_help_lists_every_verb(tmp_path: Path) -> None:
    answers = " ".join(typed(tmp_path, "help"))
    assert "docs/rehearsals.md" in answers
    for name, verb in VERBS.items():
        assert f"{name} {verb.shape}".strip() in answers


def test_pieces_lists_what_can_be_tapped(tmp_path: Path) -> None:
    answers = typed(tmp_path, "pieces")
    (listed,) = [line for line in answers if line.startswith("weight-1, ")]
    assert listed.split(", ")[9:11] == ["weight-10", "carpet-1"]
    assert {"copy", "lamp", "reverse", "straw"} <= set(listed.split(", "))


def test_quit_leaves_what_follows_undone(tmp_path: Path) -> None:
    answers = typed(tmp_path, "tap weight-7", "quit", "tap weight-8")
    assert answers[-1] == SEVEN


def test_a_mat_without_power_says_so_and_goes_on_when_it_is_back(tmp_path: Path) -> None:
    answers = typed(
        tmp_path, "tap weight-7", "power cut", "press ok", "expect headline 7", "power on"
    )
    assert answers[-5:] == [
        "power off",
        "line 4: the mat has no power. Plug it in: power on",
        "power off",
        "said en 'Straw goes on. 7. Lay a card, then draw one.'",
        SEVEN,
    ]


@pytest.mark.parametrize("line", ["tap lamp", "lay lamp", "turn 1"])
def test_hands_at_a_mat_without_power_are_told_so(tmp_path: Path, line: str) -> None:
    answers = typed(tmp_path, "power cut", line)
    assert answers[-2:] == ["line 2: the mat has no power. Plug it in: power on", "power off"]


def test_the_game_is_kept_from_one_run_to_the_next(tmp_path: Path) -> None:
    assert typed(tmp_path, "tap weight-7", "quit")[-1] == SEVEN
    answers = typed(tmp_path)
    assert answers == ["said en 'Straw goes on. 7. Lay a card, then draw one.'", SEVEN]


def test_an_open_game_is_not_begun_again_under_another_name(tmp_path: Path) -> None:
    typed(tmp_path, "tap weight-7")
    with switched_on(tmp_path) as mat, pytest.raises(TapmatError, match='no game "strow"'):
        Terminal(mat, (), io.StringIO()).run("strow")
    assert typed(tmp_path)[-1] == SEVEN


# --- a person at the mat -------------------------------------------------------------------------


def test_a_person_sees_display_lamps_and_what_was_said(watch: Callable[..., str]) -> None:
    shown = watch("tap weight-7").rpartition(CLEAR)[2]
    assert shown.count("│") == 2 * 64 // 4
    assert "○ seat-1" in shown
    assert "● seat-2" in shown
    assert "● clockwise" in shown
    assert "🔈 7. Ben to play." in shown


def test_a_person_sees_a_dark_mat_when_the_plug_is_out(watch: Callable[..., str]) -> None:
    shown = watch("power cut").rpartition(CLEAR)[2]
    assert "(no power)" in shown
    assert "●" not in shown


def test_a_person_reads_what_was_wrong_below_the_mat(watch: Callable[..., str]) -> None:
    shown = watch("tpa lamp", "quit", "tap weight-7")
    assert 'line 1: "tpa" is not a verb. Did you mean "tap"?' in shown
    assert "7. Ben to play." not in shown


# --- enrolling at the mat ------------------------------------------------------------------------


def test_stickers_are_enrolled_at_a_separate_mat(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "tap ok\npieces\ntap back\nquit\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    wanted = CardsToEnrol(COMMAND_CARDS)
    assert enrol(load_config(), tmp_path, wanted) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[:2] == [
        "said en 'Tapmat is ready.'",
        "said en 'Command cards: 0 of 24 have a sticker. OK.'",
    ]
    assert shown[-1] == "enrolling | headline action | turn - | enrolled 2, total 24"
    assert any(line.startswith("ok, back, action, say-again") for line in shown)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert enrol(load_config(), tmp_path, wanted) == 0
    assert "2 of 24 have a sticker. Action." in capsys.readouterr().out


def test_the_hint_of_an_enrolment_fits_the_terminal() -> None:
    hint = ENROL_HINT.format(piece="rock-green")
    assert all(len(line) <= 78 for line in hint.splitlines())


# --- the mat plays -------------------------------------------------------------------------------

MAT_SITS = ("game straw", 'players "Ann" "Mat"', 'mats "Mat"', 'dealer "Ann"', "start")


def test_the_mat_thinks_without_a_verb_that_waits(tmp_path: Path) -> None:
    dealt = [f"tap {kind}" for kind in ("weight-9", "weight-4", "weight-4", "copy")]
    answers = typed(tmp_path, *MAT_SITS, *dealt, game=None)
    assert "my card" in answers[-2]
    assert answers[-2].endswith("Turn it over on the reader.'")


def test_the_name_of_a_kind_means_the_mats_own_card_when_it_plays_one(tmp_path: Path) -> None:
    dealt = [f"tap weight-4#{n}" for n in (2, 4, 1, 3)]
    answers = typed(tmp_path, *MAT_SITS, *dealt, "tap weight-4", game=None)
    assert answers[-2].startswith("said en '4. Mat: draw a card for me.")


def test_the_name_of_a_kind_means_no_card_of_the_mats_row_when_it_draws(tmp_path: Path) -> None:
    dealt = [f"tap weight-4#{n}" for n in (1, 2)]
    answers = typed(tmp_path, *MAT_SITS, *dealt, "tap weight-4", game=None)
    assert answers[-2].startswith("said en 'Mat: 1 more card")
