"""Tests that play every rehearsal in tests/rehearsals through the whole stack."""

import io
import json
import sys
from itertools import groupby
from pathlib import Path

import pytest

from firmware.boxes.games import game_names
from firmware.commands import cli
from firmware.commands.options import EXIT_BAD_INPUT, EXIT_FAILED, EXIT_OK
from firmware.config.table_config import CHIP_SELECTS, SPOTS, load_config, pins_in_use
from sim.mat.mat import Mat
from sim.rehearsal.command import rehearse, run_rehearsals
from sim.rehearsal.expectations import EXPECTATIONS
from sim.rehearsal.grammar import Expect, RehearsalError, parse
from sim.rehearsal.runner import Runner, as_json
from tests.effort import long_unless

RECORDED = Path(__file__).parent.parent / "rehearsals"
REHEARSALS = sorted(RECORDED.rglob("*.mat"))

CONFIG = load_config()
BEGIN = "game straw\nplayers Ann Ben\nstart\n"


def name_of(file: Path) -> str:
    """Return the name of a rehearsal in reports, such as ``straw/lamp``."""
    return file.relative_to(RECORDED).with_suffix("").as_posix()


def is_in_every_run(file: Path) -> bool:
    """Return True for a whole game, and for one in six of the other rehearsals."""
    return file.stem == "whole-game" or REHEARSALS.index(file) % 6 == 5


def written(folder: Path, text: str, name: str = "own.mat") -> Path:
    """Write *text* to the file *name* in *folder* and return its path."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("file", long_unless(is_in_every_run, REHEARSALS), ids=name_of)
def test_the_mat_answers_the_rehearsal_as_stated(file: Path) -> None:
    """The rehearsal acts below the drivers, and all its expectations must hold."""
    report = rehearse(file, CONFIG)
    assert report.failure is None, f"\n{report.failure}"


@pytest.mark.parametrize("game", game_names())
def test_every_game_has_rehearsals(game: str) -> None:
    assert list((RECORDED / game).glob("*.mat")), f"write a rehearsal in {RECORDED / game}"


@pytest.mark.parametrize("file", REHEARSALS, ids=name_of)
def test_a_rehearsal_begins_by_saying_what_it_shows(file: Path) -> None:
    first = file.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# "), "the first line is a comment that says what is shown"


def test_the_rehearsals_together_expect_everything_that_can_be_expected() -> None:
    lines = [line for file in REHEARSALS for line in parse(file.read_text("utf-8"), file.name)]
    used = {line.verb.what for line in lines if isinstance(line.verb, Expect)}
    assert used == set(EXPECTATIONS)


# --- wrong expectations --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected", "shown"),
    [
        ("expect headline 8", "8", "7"),
        ("expect turn Ann", "Ann", "Ben"),
        ("expect direction counter-clockwise", "counter-clockwise", "clockwise"),
        ("expect phase scoring", "scoring", "play"),
        ("expect asks number 1..10", "number 1..10", "tap"),
        ("expect refused already-played", "already-played", "nothing refused"),
        ('expect said en "9"', '"9" in en', "7. Ben to play."),
        ('expect said de "7"', '"7" in de', "silence"),
        ('expect screen "camel back"', '"camel back" on the display', "7 | on the camel"),
        ("expect light seat-1 on", "seat-1 on", "seat-1 off"),
        ("expect score Ann 7", "7", "0"),
        ("expect score Zoe 7", "a player Zoe", "Ann, Ben"),
        ("expect winner Ann", "Ann", "nobody"),
        ("expect pieces camel 2", "2", "1"),
        ("expect pieces saddle 2", "a place saddle", "camel, draw-pile"),
    ],
)
def test_a_wrong_expectation_names_file_line_expected_and_shown(
    tmp_path: Path, line: str, expected: str, shown: str
) -> None:
    file = written(tmp_path, f"{BEGIN}tap weight-7\n{line}\nexpect headline nonsense\n")
    failure = rehearse(file, CONFIG).failure
    assert failure is not None
    assert failure.place == f"{file}:5"
    assert failure.line == line
    assert failure.expected == expected
    assert failure.shown.startswith(shown)


def test_a_number_said_is_not_found_in_a_longer_one(tmp_path: Path) -> None:
    """17 is not found as 1, 7 or -17, and -7 is not found as 7."""
    for line in ('expect said en "1"', 'expect said en "7"', 'expect said en "-17"'):
        file = written(tmp_path, f"{BEGIN}tap weight-10\ntap weight-7\n{line}\n")
        assert rehearse(file, CONFIG).failure is not None, line
    file = written(tmp_path, f'{BEGIN}tap carpet-7\nexpect said en "7"\n')
    assert rehearse(file, CONFIG).failure is not None


def test_what_was_said_and_refused_is_that_of_the_last_act(tmp_path: Path) -> None:
    file = written(tmp_path, f"{BEGIN}tap straw\ntap weight-7\nexpect refused straw-not-at-50\n")
    failure = rehearse(file, CONFIG).failure
    assert failure is not None
    assert failure.shown == "nothing refused"


def test_the_command_exits_with_1_and_tells_where_rehearsal_and_mat_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    good = written(tmp_path, f"{BEGIN}tap weight-7\nexpect headline 7\n", "good.mat")
    wrong = written(tmp_path, f"{BEGIN}tap weight-7\nexpect headline 8\n", "wrong.mat")
    monkeypatch.setattr(sys, "argv", ["tapmat", "rehearse", str(wrong), str(good)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == EXIT_FAILED
    assert capsys.readouterr().out == (
        f"{wrong}: FAILED\n{wrong}:5: expect headline 8\n  expected: 8\n  shown:    7\n{good}: ok\n"
    )


def test_the_command_exits_with_0_when_all_is_as_stated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    good = written(tmp_path, f"{BEGIN}tap weight-7\nexpect headline 7\n", "good.mat")
    monkeypatch.setattr(sys, "argv", ["tapmat", "rehearse", str(good)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == EXIT_OK
    assert capsys.readouterr().out == f"{good}: ok\n"


# --- output for programs -------------------------------------------------------------------------


def test_json_prints_final_view_transcript_and_refusals(tmp_path: Path) -> None:
    text = f"{BEGIN}tap weight-7\ntap straw\ntap reverse\n"
    out = io.StringIO()
    assert run_rehearsals([written(tmp_path, text)], CONFIG, is_json=True, out=out) == EXIT_OK
    (report,) = json.loads(out.getvalue())
    assert report["ok"] is True
    assert report["failure"] is None
    view = report["view"]
    assert view["phase"] == "play"
    assert view["headline"] == "7"
    assert view["turn"] == "Ann"
    assert view["direction"] == "counter-clockwise"
    assert view["scores"] == {"Ann": 0, "Ben": 0}
    assert view["winners"] == []
    assert view["asks"] == ["tap"]
    assert view["pieces"] == {
        "camel": 2, "draw-pile": 54, "hand-1": 4, "hand-2": 4, "round": 1, "rounds": 2,
    }  # fmt: skip
    transcript = report["transcript"]
    events = [list(lines) for _, lines in groupby(transcript, lambda line: line["event"])]
    assert [" ".join(line["text"] for line in lines) for lines in events[-4:]] == [
        "Round 1. Ben deals. Ann to play. OK: menu. Back: undo. Action: can't play.",
        "7. Ben to play.",
        "The camel carries 7. Straw goes on only at 50. Take it back and play another card.",
        "7. Now counter-clockwise. Ann to play.",
    ]
    assert [line["fate"] for line in events[-2]] == ["speaking"]
    assert [line["fate"] for line in events[-1]] == ["waiting", "waiting", "waiting"]
    assert events[-2][0]["topic"] == "refusal"
    moments = [line["at_s"] for line in transcript]
    assert moments == sorted(moments)
    (refusal,) = report["refusals"]
    assert refusal["code"] == "straw-not-at-50"
    assert refusal["rule"] == "RULES 6.1"
    assert refusal["happened"]
    assert refusal["do"]


def test_json_tells_of_a_failure_and_of_a_mat_without_power(tmp_path: Path) -> None:
    wrong = written(tmp_path, f"{BEGIN}expect headline 1\n", "wrong.mat")
    dark = written(tmp_path, f"{BEGIN}power cut\n", "dark.mat")
    out = io.StringIO()
    assert run_rehearsals([wrong, dark], CONFIG, is_json=True, out=out) == EXIT_FAILED
    failed, cut = json.loads(out.getvalue())
    assert failed["ok"] is False
    assert failed["failure"] == {
        "place": f"{wrong}:4", "line": "expect headline 1", "expected": "1", "shown": "0",
    }  # fmt: skip
    assert failed["view"]["phase"] == "play"
    assert cut["ok"] is True
    assert cut["view"] is None


# --- acts that a table does not allow ------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "found", "remedy"),
    [
        ("tap weight-11", "no deck has a weight-11", "To list the pieces, run: tapmat pieces GAME"),
        ("tap weight-7#5", "the deck has no weight-7#5", "It has 4 of this kind"),
        ("lift weight-7", "weight-7 is not on play", "Lay it first"),
        ("tap weight-7, weight-7, weight-7, weight-7, weight-7",
         "weight-7 is named 5 times, but the deck has 4", "Name each card only once"),
        ("lay weight-7, weight-7#2, weight-7#2",
         "weight-7#2 is named 2 times, but there is one", "Name each card only once"),
        ("tap stranger, stranger", "stranger is named 2 times, but there is one", "Name each"),
        ("choose 7", "the display shows no list now", "It shows: Lay a card"),
        ("fault reader-dead @ hand", "this table has no spot hand", "It has: play"),
        ("start", "a game is in progress", "End it first: press ok, then choose end-game"),
        ("game strow", 'there is no game "strow" here', 'Did you mean "straw"? It can be: '),
        ("language tlh", 'there is no language "tlh" here', "It can be: "),
        ("language en", "the language cannot be changed while the mat is on",
         "In a rehearsal, write this line before the start line"),
        ("stickers new", "new stickers are possible only before the mat is switched on",
         "Write this line before all lines that act at the mat"),
        ("stickers new weight-11", "no deck has a weight-11", "To list the pieces, run: tapmat"),
        ("stickers new weight-7#5", "the deck has no weight-7#5", "It has 4 of this kind"),
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_played_names_its_place_and_what_to_do(
    tmp_path: Path, line: str, found: str, remedy: str
) -> None:
    file = written(tmp_path, f"{BEGIN}{line}\n")
    with pytest.raises(RehearsalError) as wrong:
        rehearse(file, CONFIG)
    assert str(wrong.value).startswith(f"{file}:4: {found}. {remedy}")


def test_a_card_is_not_laid_twice_at_once(tmp_path: Path) -> None:
    file = written(tmp_path, f"{BEGIN}lay weight-7#1\nlay weight-7#1\n")
    with pytest.raises(RehearsalError, match=r":5: weight-7#1 is already on play\. Lift it"):
        rehearse(file, CONFIG)


@pytest.mark.parametrize("line", ["tap lamp, weight-7#1", "lift weight-7#1, weight-7#2"])
def test_when_one_card_cannot_be_moved_none_is(tmp_path: Path, line: str) -> None:
    lay, move = parse(f"lay weight-7#1\n{line}\n", "x.mat")
    mat = Mat(CONFIG, tmp_path)
    try:
        runner = Runner(mat)
        runner.do(lay)
        before = mat.tags_on("play")
        with pytest.raises(RehearsalError, match=r"weight-7#[12]"):
            runner.do(move)
        assert mat.tags_on("play") == before
    finally:
        mat.close()


def test_a_certain_copy_and_any_other_are_two_cards(tmp_path: Path) -> None:
    """The named copy is reserved, even if another copy would be taken first."""
    text = f"{BEGIN}tap weight-7, weight-7#1\nexpect headline 14\n"
    assert rehearse(written(tmp_path, text), CONFIG).failure is None
    text = f"{BEGIN}lay weight-7, weight-7#1, weight-7\nlift weight-7, weight-7, weight-7\n"
    assert rehearse(written(tmp_path, text), CONFIG).failure is None


NOT_SET_UP = [  # lines before the start, error found, start of the remedy
    (
        "players McDon Ben",
        '"McDon" cannot be spelt exactly: the table writes "Mcdon"',
        "Write it like that",
    ),
    (
        "players ann Ben",
        '"ann" cannot be spelt exactly: the table writes "Ann"',
        "Write it like that",
    ),
    ("players Ann x_y", '"x_y" cannot be spelt: there is no "_"', "The letters are: ABC"),
    ("players Bartholomew Ben", 'the name "Bartholomew" is too long', "Use up to 10 letters"),
    (
        'players "Ann " Ben',
        '"Ann " cannot be spelt exactly: the table writes "Ann"',
        "Write it like that",
    ),
    ('players " " Ben', "a player's name is blank", "Give every player a name"),
    ("players A B C D E F G", "7 players are named", "straw is for 2 to 6 players"),
    (
        "players Ann Ben\ndealer Cem",
        'the dealer "Cem" is not one of the players',
        "It can be: Ann, Ben",
    ),
    ("option flor-at-zero on", 'straw has no option "flor-at-zero"', 'Did you mean "floor'),
    ("option floor-at-zero x", 'option floor-at-zero cannot be "x"', "It can be: on, off"),
]


@pytest.mark.parametrize(("text", "found", "remedy"), NOT_SET_UP)
def test_what_cannot_be_set_up_is_refused_before_anything_is_touched(
    tmp_path: Path, text: str, found: str, remedy: str
) -> None:
    mat = Mat(CONFIG, tmp_path)
    try:
        with pytest.raises(RehearsalError) as wrong:
            Runner(mat).play(parse(f"game straw\n{text}\nstart\n", "x.mat"))
        assert f": {found}. {remedy}" in str(wrong.value)
        assert mat.view.phase == "idle"
        said = [line.words for line in mat.said]
        assert said == ["tapmat is ready.", "Lay a card of a game, or press OK."]
    finally:
        mat.close()


def test_a_start_the_table_does_not_offer_leaves_its_list_open(tmp_path: Path) -> None:
    """The players are known only once the game's card is tapped, so a wrong dealer fails then."""
    mat = Mat(CONFIG, tmp_path)
    try:
        runner = Runner(mat)
        with pytest.raises(RehearsalError, match="Zoe is not in the list"):
            runner.play(parse("game straw\ndealer Zoe\nstart\n", "x.mat"))
        assert mat.view.choices is not None
        assert mat.view.choices.values[:2] == ("start", "learn")
        assert runner.play(parse("dealer Ann\nstart\nexpect phase play\n", "x.mat")) is None
    finally:
        mat.close()


def test_a_game_is_not_set_up_before_its_cards_are_enrolled(tmp_path: Path) -> None:
    file = written(tmp_path, "stickers new\ngame straw\nplayers Ann Ben\nstart\n")
    with pytest.raises(RehearsalError, match=r":4: the cards of straw are not enrolled\. Enrol "):
        rehearse(file, CONFIG)
    text = "stickers new\ngame straw\npress ok\nchoose straw\ntap weight-1\nstart\n"
    with pytest.raises(
        RehearsalError, match=r":6: the table is enrolling stickers\. Leave that first: "
    ):
        rehearse(written(tmp_path, text), CONFIG)


def test_names_with_every_kind_of_letter_are_spelt(tmp_path: Path) -> None:
    text = (
        'game straw\nplayers "Zoë-Li 2" Groß\nstart\nexpect turn "Zoë-Li 2"\nexpect score Groß 0\n'
    )
    assert rehearse(written(tmp_path, text), CONFIG).failure is None


# --- tables with fewer controls ------------------------------------------------------------------

PARTS = '[readers.play]\nspi = "0.0"\n[display]\nsize = "128x64"\n[table]\nnames = ["Ann", "Ben"]\n'
CONTROLS = {
    "buttons": "[controls]\nleft = 5\nright = 6\nok = 13\nback = 26\naction = 4\n",
    "only-turning": "[controls]\nencoder = [5, 6]\n",
    "only-ok": "[controls]\nok = 13\n",
    "none": "",
}


@pytest.mark.parametrize("controls", CONTROLS.values(), ids=CONTROLS)
def test_a_game_is_set_up_and_played_with_the_controls_a_table_has(
    tmp_path: Path, controls: str
) -> None:
    """Command cards replace missing buttons for lists, spelling, numbers, undo and the menu."""
    table = written(tmp_path, PARTS + controls, "table.toml")
    text = (
        "game straw\nplayers Ann Bo\noption floor-at-zero on\nstart\n"
        "tap lamp\nchoose 4\nexpect headline 4\nexpect turn Bo\npress back\n"
        "expect asks number 1..10\nchoose 3\nexpect headline 3\n"
        "press ok\nchoose end-game\nexpect phase idle\n"
    )
    report = rehearse(written(tmp_path, text), load_config(table))
    assert report.failure is None, str(report.failure)


def test_a_table_with_nothing_to_turn_says_so(tmp_path: Path) -> None:
    table = written(tmp_path, PARTS, "table.toml")
    with pytest.raises(RehearsalError, match=r":1: this table has neither .* Name their pins"):
        rehearse(written(tmp_path, "turn 1\n"), load_config(table))


def test_a_lamp_the_table_lacks_is_said_so(tmp_path: Path) -> None:
    table = written(tmp_path, f"{PARTS}[lamps]\nseat-1 = 16\n", "table.toml")
    file = written(tmp_path, "expect light seat-2 on\n")
    with pytest.raises(RehearsalError, match=r":1: this table has no lamp seat-2\. It has: seat-1"):
        rehearse(file, load_config(table))


# --- several files -------------------------------------------------------------------------------


def test_a_file_that_cannot_be_played_does_not_keep_others_from_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = written(tmp_path, f"{BEGIN}expect headline 1\n", "wrong.mat")
    good = written(tmp_path, f"{BEGIN}expect headline 0\n", "good.mat")
    files = [tmp_path / "nope.mat", wrong, good]
    assert run_rehearsals(files, CONFIG) == EXIT_BAD_INPUT
    printed = capsys.readouterr()
    assert printed.err.startswith(f"{files[0]}: No such file")
    assert printed.out.startswith(f"{wrong}: FAILED\n")
    assert printed.out.endswith(f"{good}: ok\n")
    out = io.StringIO()
    assert run_rehearsals(files, CONFIG, is_json=True, out=out) == EXIT_BAD_INPUT
    missing, failed, fine = json.loads(out.getvalue())
    assert (missing["file"], missing["ok"]) == (str(files[0]), False)
    assert missing["error"].startswith(f"{files[0]}: No such file")
    assert (failed["ok"], fine["ok"], fine["expectations"]) == (False, True, 1)


@pytest.mark.parametrize("text", ["", "# nothing\n", BEGIN])
def test_a_rehearsal_that_expects_nothing_says_so(tmp_path: Path, text: str) -> None:
    report = rehearse(written(tmp_path, text), CONFIG)
    assert report.is_ok
    assert str(report) == f"{tmp_path / 'own.mat'}: ok (expects nothing)"
    assert as_json(report)["expectations"] == 0


def test_a_byte_order_mark_is_no_verb(tmp_path: Path) -> None:
    file = tmp_path / "own.mat"
    file.write_bytes(b"\xef\xbb\xbfgame straw\n")
    assert rehearse(file, CONFIG).is_ok


def test_a_choice_that_is_not_offered_names_those_that_are(tmp_path: Path) -> None:
    file = written(tmp_path, f"{BEGIN}tap lamp\nchoose 11\n")
    with pytest.raises(RehearsalError, match=r":5: 11 is not in the list\. It has: 1, 2, 3, .*10"):
        rehearse(file, CONFIG)


def test_a_start_without_a_game_says_what_to_write(tmp_path: Path) -> None:
    file = written(tmp_path, "players Ann Ben\nstart\n")
    with pytest.raises(RehearsalError, match=r":2: the name of the game is missing\. .*game straw"):
        rehearse(file, CONFIG)


def test_a_rehearsal_gets_a_reader_on_every_spot_there_is(tmp_path: Path) -> None:
    """The spots need more readers than there are chip selects; no pin may be used twice."""
    begin = "game straw\nplayers Ann Ben Cem Dora Emil Fay\nstart\n"
    plays = "".join(f"tap weight-{seat} @ seat-{seat}\n" for seat in range(1, 7))
    others = "".join(
        f"tap weight-7 @ {spot}\nexpect refused not-expected-now\n" for spot in ("hand", "box")
    )
    report = rehearse(written(tmp_path, f"{begin}{plays}{others}expect headline 21\n"), CONFIG)
    assert report.failure is None, str(report.failure)
    config = report.mat.config
    assert {reader.spot for reader in config.readers} == set(SPOTS)
    assert config.fields.in_turn
    pins = [pin for _, pin in pins_in_use(config)]
    assert len(set(pins)) == len(pins)


def test_readers_that_have_every_chip_select_make_room_for_more(tmp_path: Path) -> None:
    """The five readers in the file use every chip select, so one on seat-3 shares that of seat-2.

    Both then need a select pin, a GPIO that tells them apart.
    """
    five = "".join(
        f'[readers.{spot}]\nspi = "{spi}"\n'
        for spot, spi in zip(("play", "hand", "box", "seat-1", "seat-2"), CHIP_SELECTS, strict=True)
    )
    named = '[table]\nnames = ["Ann", "Ben", "Cem"]\n'  # without an encoder, spelling takes long
    table = written(tmp_path, f"{named}{five}[display]\n", "table.toml")
    begin = "game straw\nplayers Ann Ben Cem\nstart\n"
    plays = "".join(f"tap weight-{seat} @ seat-{seat}\n" for seat in range(1, 4))
    file = written(tmp_path, f"{begin}{plays}expect headline 6\n")
    report = rehearse(file, load_config(table))
    assert report.failure is None, str(report.failure)
    sharing = [reader for reader in report.mat.config.readers if reader.spi == CHIP_SELECTS[-1]]
    assert [reader.spot for reader in sharing] == ["seat-2", "seat-3"]
    assert all(reader.select_pin is not None for reader in sharing)


def test_a_file_that_is_no_text_says_at_which_byte(tmp_path: Path) -> None:
    file = tmp_path / "own.mat"
    file.write_bytes(b"game str\xe4w\n")
    with pytest.raises(RehearsalError, match=r"own\.mat: byte 8 is not UTF-8\. Save .* as UTF-8"):
        rehearse(file, CONFIG)


# --- two mats ------------------------------------------------------------------------------------


def test_a_state_folder_keeps_the_game_for_the_next_rehearsal(tmp_path: Path) -> None:
    state = tmp_path / "state"
    first = written(tmp_path, f"{BEGIN}tap weight-7\n", "first.mat")
    then = written(tmp_path, "game straw\nexpect headline 7\nexpect turn Ben\n", "then.mat")
    assert run_rehearsals([first, then], CONFIG, state, out=io.StringIO()) == EXIT_OK


def test_without_a_state_folder_every_rehearsal_has_its_own_mat(tmp_path: Path) -> None:
    first = written(tmp_path, f"{BEGIN}tap weight-7\n", "first.mat")
    then = written(tmp_path, "expect phase idle\n", "then.mat")
    assert run_rehearsals([first, then], CONFIG, out=io.StringIO()) == EXIT_OK


def test_a_mat_without_power_shows_and_does_nothing_until_power_on_is_written(
    tmp_path: Path,
) -> None:
    dark = f"{BEGIN}tap weight-7\nexpect light seat-2 on\npower cut\n"
    file = written(tmp_path, f"{dark}expect light seat-2 off\npower on\nexpect light seat-2 on\n")
    assert rehearse(file, CONFIG).failure is None
    file = written(tmp_path, f"{dark}expect headline 7\n")
    with pytest.raises(RehearsalError, match=r":7: the mat has no power\. Plug it in: power on"):
        rehearse(file, CONFIG)
