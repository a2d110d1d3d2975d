"""Tests of the rehearsal grammar: every verb, and for every mistake a message with the remedy."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engines.common.pieces import Piece
from sim.mat.faults import PARTS
from sim.rehearsal.expectations import EXPECTATIONS
from sim.rehearsal.grammar import (
    VERBS,
    BreakPart,
    Choose,
    Expect,
    Move,
    NewStickers,
    Power,
    Prepare,
    PressButton,
    RehearsalError,
    RehearsalLine,
    Start,
    Tilt,
    Turn,
    UsePhone,
    Verb,
    Wait,
    parse,
    parse_line,
)

READ: list[tuple[str, Verb]] = [
    ("game straw", Prepare("game", ("straw",))),
    ("players Ann Ben Cem", Prepare("players", ("Ann", "Ben", "Cem"))),
    ("players Ann, Ben", Prepare("players", ("Ann", "Ben"))),
    ('players "Anna Maria" Zoë', Prepare("players", ("Anna Maria", "Zoë"))),
    ("option floor-at-zero on", Prepare("option", ("floor-at-zero", "on"))),
    ("language de", Prepare("language", ("de",))),
    ("level terse", Prepare("level", ("terse",))),
    ("dealer Ben", Prepare("dealer", ("Ben",))),
    ("stickers new", NewStickers()),
    ("stickers new weight-7#2, lamp", NewStickers((Piece("weight-7", 2), "lamp"))),
    ("start", Start()),
    ("tap weight-7", Move("tap", ("weight-7",), "play")),
    ("tap weight-7#2", Move("tap", (Piece("weight-7", 2),), "play")),
    ("tap weight-7#2, lamp @ seat-3", Move("tap", (Piece("weight-7", 2), "lamp"), "seat-3")),
    ("tap copy,lamp,reverse", Move("tap", ("copy", "lamp", "reverse"), "play")),
    ("tap stranger", Move("tap", ("stranger",), "play")),
    ("lay random-uid @ hand", Move("lay", ("random-uid",), "hand")),
    ("lift weight-7", Move("lift", ("weight-7",), "play")),
    ("choose 7", Choose("7")),
    ('choose "Anna Maria"', Choose("Anna Maria")),
    ("choose 2,-1", Choose("2,-1")),
    ("choose -10, 0", Choose("-10,0")),
    ("press back", PressButton("back")),
    ("turn 3", Turn(3)),
    ("turn -3", Turn(-3)),
    ("turn +3", Turn(3)),
    ("tilt", Tilt()),
    ("deck own.toml", Prepare("deck", ("own.toml",))),
    ('names Zoë "A b"', Prepare("names", ("Zoë", "A b"))),
    ('mats Mat "Mat 2"', Prepare("mats", ("Mat", "Mat 2"))),
    ("wait 2", Wait(2.0)),
    ("wait 0.25", Wait(0.25)),
    ("power cut", Power(is_on=False)),
    ("power on", Power(is_on=True)),
    ("fault flicker", BreakPart("flicker", None)),
    ("fault reader-dead @ play", BreakPart("reader-dead", "play")),
    ("fault none @ display", BreakPart("none", "display")),
    ("fault button-stuck @ back", BreakPart("button-stuck", "back")),
    ("expect headline 10", Expect("headline", ("10",))),
    ("expect headline -3", Expect("headline", ("-3",))),
    ("expect turn Ben", Expect("turn", ("Ben",))),
    ("expect direction counter-clockwise", Expect("direction", ("counter-clockwise",))),
    ("expect phase play", Expect("phase", ("play",))),
    ("expect asks number 1..10", Expect("asks", ("number", "1..10"))),
    ("expect asks place 2,-1", Expect("asks", ("place", "2", ",", "-1"))),
    ("expect refused straw-not-at-50", Expect("refused", ("straw-not-at-50",))),
    ('expect said en "10, Ben to play"', Expect("said", ("en", "10, Ben to play"))),
    ('expect dropped terse "Ben to play."', Expect("dropped", ("terse", "Ben to play."))),
    ('expect screen "on the camel"', Expect("screen", ("on the camel",))),
    ("expect light seat-2 on", Expect("light", ("seat-2", "on"))),
    ("expect score Ann -3", Expect("score", ("Ann", "-3"))),
    ("expect winner Ann, Ben", Expect("winner", ("Ann", ",", "Ben"))),
    ("phone Ann what-can-i-play", UsePhone("Ann", "what-can-i-play")),
    ('expect private Ann "The 7."', Expect("private", ("Ann", "The 7."))),
    ("expect pieces camel 3", Expect("pieces", ("camel", "3"))),
]


@pytest.mark.parametrize(("line", "verb"), READ, ids=[line for line, _ in READ])
def test_a_line_reads_as_its_verb(line: str, verb: Verb) -> None:
    assert parse_line(line, "x.mat:1") == verb


def test_every_verb_and_expectation_is_among_those_read() -> None:
    assert {line.split()[0] for line, _ in READ} == set(VERBS)
    assert {verb.what for _, verb in READ if isinstance(verb, Expect)} == set(EXPECTATIONS)


@pytest.mark.parametrize("fault", PARTS)
def test_every_fault_is_read(fault: str) -> None:
    assert parse_line(f"fault {fault}", "x.mat:1") == BreakPart(fault, None)


@pytest.mark.parametrize("line", ["", "   ", "\t", "# a comment", "  # tap weight-7"])
def test_an_empty_line_or_comment_is_nothing_to_do(line: str) -> None:
    assert parse_line(line, "x.mat:1") is None


def test_a_comment_may_follow_a_verb_but_a_copy_is_no_comment() -> None:
    assert parse_line("tap weight-7#2 # the second 7", "x.mat:1") == Move(
        "tap", (Piece("weight-7", 2),), "play"
    )
    assert parse_line('expect said en "take # 1"', "x.mat:1") == Expect("said", ("en", "take # 1"))


def test_a_whole_rehearsal_keeps_the_places_and_texts_of_its_lines() -> None:
    lines = parse("# what it shows\ngame straw\n\n  tap lamp  \n", "games/x.mat")
    assert lines == [
        RehearsalLine("games/x.mat:2", "game straw", Prepare("game", ("straw",))),
        RehearsalLine("games/x.mat:4", "tap lamp", Move("tap", ("lamp",), "play")),
    ]


WRONG = [  # line, error found, start of the remedy
    ("tpa weight-7", '"tpa" is not a verb', 'Did you mean "tap"? It can be: game, players'),
    ("expct headline 3", '"expct" is not a verb', 'Did you mean "expect"?'),
    ("Tap weight-7", '"Tap" is not a verb', 'Did you mean "tap"?'),
    ("xyzzy", '"xyzzy" is not a verb', "It can be: game, players"),
    ("game", '"game" needs a value', "Write: game NAME"),
    ("game straw ciao", '"straw ciao" cannot follow "game"', "Write: game NAME"),
    ("language", '"language" needs a value', "Write: language CODE"),
    ("level", '"level" needs a value', "Write: level terse|normal|full"),
    ("level ters", '"ters" is not a level', 'Did you mean "terse"? It can be: terse, normal, full'),
    (
        "expect dropped tersely 21",
        '"tersely" cannot be expected here',
        'Did you mean "terse"? It can be: superseded, late, terse, normal, silent, muted',
    ),
    ("dealer Ann Ben", '"Ann Ben" cannot follow "dealer"', "Write: dealer NAME"),
    ("option floor-at-zero", '"option" cannot have 1 value', "Write: option NAME VALUE"),
    ("players ,", "a game needs a player", "Write: players NAME ..."),
    ("players Ann Ben Ann", "two players have the same name", "Give every player a different name"),
    ("stickers", '"stickers" needs a value', "Write: stickers new [PIECE, PIECE...]"),
    ("stickers old", '"old" cannot follow "stickers"', "Write: stickers new [PIECE, PIECE...]"),
    ("stickers new lamp,", '"lamp ," is not a list of pieces', "Write: stickers new [PIECE, PIE"),
    ("start now", '"now" cannot follow "start"', "Write: start"),
    ("tap", '"" is not a list of pieces', "Write: tap PIECE[, PIECE...] [@ SPOT]"),
    ("tap lamp copy", '"lamp copy" is not a list of pieces', "Write: tap PIECE[, PIECE...]"),
    ("lay lamp,", '"lamp ," is not a list of pieces', "Write: lay PIECE[, PIECE...]"),
    ("lift , lamp", '", lamp" is not a list of pieces', "Write: lift PIECE[, PIECE...]"),
    ("tap lamp @", '"tap ... @" needs a value', "Write: tap ... @ SPOT"),
    ("tap lamp @ hand box", '"hand box" cannot follow "tap ... @"', "Write: tap ... @ SPOT"),
    ("tap lamp @ seat-x", '"seat-x" is not a spot', 'Did you mean "seat-6"? It can be: play, hand'),
    ("tap lamp @ seat", '"seat" is not a spot', 'Did you mean "seat-6"? It can be: play, hand'),
    ("lay lamp @ foo", '"foo" is not a spot', "It can be: play, hand, box, seat-1"),
    ("lift lamp @ seat-9", '"seat-9" is not a spot', 'Did you mean "seat-6"?'),
    ("tap weight-7#two", '"weight-7#two"', "Write for example: weight-7#2"),
    ("tap weight-7#0", '"weight-7#0"', "Write for example: weight-7#2"),
    ("choose", '"choose" needs a value', "Write: choose VALUE"),
    ("choose 2,", '"2 ," cannot follow "choose"', "Write: choose VALUE"),
    ("choose 2 -1", '"2 -1" cannot follow "choose"', "Write: choose VALUE"),
    ("choose 2,-1,0", '"2 , -1 , 0" cannot follow "choose"', "Write: choose VALUE"),
    ("choose 2,01", '"2 , 01" cannot follow "choose"', "Write: choose VALUE"),
    ("press", '"press" needs a value', "Write: press ok|back|action"),
    ("press bakc", '"bakc" is not a button', 'Did you mean "back"? It can be: ok, back, action'),
    ("turn", '"turn" needs a value', "Write: turn N"),
    ("turn left", '"left" is not a number of steps', "Write a whole number from -999 to 999"),
    ("turn 1.5", '"1.5" is not a number of steps', "Write a whole number from"),
    ("turn 1000", '"1000" is not a number of steps', "Write a whole number from -999 to 999"),
    ("tilt 3", '"3" cannot follow "tilt"', "Write: tilt"),
    ("wait", '"wait" needs a value', "Write: wait SECONDS"),
    ("wait -1", '"-1" is not a number of seconds', "Write a number up to 3600"),
    ("wait soon", '"soon" is not a number of seconds', "Write a number up to 3600"),
    ("wait 3600.5", '"3600.5" is not a number of seconds', "Write a number up to 3600"),
    ("wait 99999", '"99999" is not a number of seconds', "Write a number up to 3600"),
    ('choose "Anna Maria', "a quotation mark is missing", 'Write " before and after it'),
    ("power", '"power" needs a value', "Write: power cut|on"),
    ("power off", 'power cannot be "off"', "It can be: cut, on"),
    ("fault", '"fault" needs a value', "Write: fault NAME [@ PART]"),
    ("fault reader-ded", '"reader-ded" is not a fault', 'Did you mean "reader-dead"?'),
    ("fault flicker @", '"fault ... @" needs a value', "Write: fault ... @ PART"),
    ("fault display-lost @ play", '"fault display-lost" cannot break "play"', "Did you mean"),
    ("fault flicker @ display", '"fault flicker" cannot break "display"', "Did you mean"),
    ("fault none @ lamp", '"fault none" cannot break "lamp"', "It can be: play"),
    ("expect", '"expect" cannot have 0 values', "Write: expect WHAT VALUE"),
    ("expect headline", '"expect" cannot have 1 value', "Write: expect WHAT VALUE"),
    ("expect headlin 3", '"headlin" cannot be expected', 'Did you mean "headline"?'),
    ("expect headline 3 4",
     '"expect headline" cannot have 2 values', "Write: expect headline TEXT"),
    ("expect said hello", '"expect said" cannot have 1 value', "Write: expect said LANGUAGE TEXT"),
    ("expect said en two words",
     '"expect said" cannot have 3 values', "Write: expect said LANGUAGE TEXT"),
    ("expect score Ann", '"expect score" cannot have 1 value', "Write: expect score NAME NUMBER"),
    ("expect light seat-1",
     '"expect light" cannot have 1 value', "Write: expect light LAMP on|off"),
    ("expect pieces camel",
     '"expect pieces" cannot have 1 value', "Write: expect pieces PLACE NUMBER"),
    ("expect light refused blinking", '"blinking" cannot be expected here', "It can be: on, off"),
    ("expect light moon on", '"moon" is not a lamp', "It can be: seat-1, "),
    ("expect direction sideways", '"sideways" cannot be expected here', "It can be: clockwise, "),
    ("expect score Ann x", '"x" is not a number', "Write a whole number, for example: -3"),
    ("expect pieces camel x", '"x" is not a number', "Write a whole number, for example: -3"),
    ("expect pieces camel +3", '"+3" is not a number', "Write a whole number, for example: -3"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "found", "remedy"), WRONG, ids=[line for line, *_ in WRONG])
def test_a_mistake_names_file_and_line_what_was_found_and_what_would_be_right(
    line: str, found: str, remedy: str
) -> None:
    with pytest.raises(RehearsalError) as wrong:
        parse(f"# shows a mistake\ngame straw\n{line}\n", "games/x.mat")
    message = str(wrong.value)
    assert message.startswith(f"games/x.mat:3: {found}")
    assert f". {remedy}" in message
    assert "\n" not in message


def test_a_word_too_long_for_a_message_is_cut() -> None:
    for line in ("x" * 5000, f'choose "{"long " * 1000}" b', f"tap {'y' * 5000}#z"):
        with pytest.raises(RehearsalError) as wrong:
            parse_line(line, "x.mat:1")
        assert "…" in str(wrong.value)
        assert len(str(wrong.value)) < 300


def test_a_wait_may_last_an_hour() -> None:
    assert parse_line("wait 3600", "x.mat:1") == Wait(3600.0)


TOKENS = st.sampled_from(
    [*VERBS, *EXPECTATIONS, *PARTS, "@", ",", '"', "#", "weight-7", "weight-7#2", "x#", "1", "-1"]
)
LINES = st.one_of(st.text(max_size=60), st.lists(TOKENS, max_size=7).map(" ".join))


@given(st.lists(LINES, max_size=4).map("\n".join))
@example('tap "')
@example("tap @ @")
@example("expect said en")
@example("turn ²")
@example("wait ٣")
@example("turn " + "9" * 5000)
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    """Any text either parses, or is refused with a one-line message."""
    refusal = "x.mat:"
    try:
        lines = parse(text, "x.mat")
    except RehearsalError as wrong:
        lines, refusal = [], str(wrong)
    assert refusal.startswith("x.mat:")
    assert all(line.text for line in lines)
