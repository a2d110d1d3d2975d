"""The doctor's questions to a person, answered by a fake one who works the emulated table."""

import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TextIO

import pytest

from engines.common.pieces import Piece
from fakepi.ntag import Ntag
from firmware.config.table_config import ControlsConfig, ReaderConfig, TableConfig, load_config
from firmware.doctor.computer import Computer
from firmware.doctor.examination import DoctorOptions, Examination
from firmware.doctor.findings import Finding, Verdict
from firmware.doctor.hands import LIMIT_S, pattern
from firmware.doctor.terminal import TerminalOperator, operator_at
from sim.mat.board import EmulatedBoard
from sim.mat.mat import CLOCKWISE
from sim.mat.tags import uid_of
from tests.conftest import Golden

CONFIG = load_config()
COMPUTER = Computer(
    root=Path("nowhere"),
    prefix=Path("venv"),
    run=lambda _: None,
    free_bytes=lambda _: 10**10,
)
PINS = {"ok": 13, "back": 26, "action": 4}
SOON_NS = 100_000_000


class Hands:
    """A fake person, who does on *board* what the doctor asks for, and answers its questions.

    *does* replaces what the person does, by the first words of the request; *says* replaces
    answers to questions, by a word in the question.
    """

    def __init__(
        self,
        does: Mapping[str, Callable[[EmulatedBoard], None]] | None = None,
        says: Mapping[str, bool | None] | None = None,
        *,
        is_impatient: bool = False,
    ) -> None:
        self.board: EmulatedBoard | None = None
        self.heard: list[str] = []
        self.found_before: list[str] = []
        self._deeds = {
            "Lay a tag": lay,
            "Turn the encoder": turn,
            **{f"Press {name}": press(pin) for name, pin in PINS.items()},
            **(does or {}),
        }
        self._says = says or {}
        self._is_impatient = is_impatient

    def begin(self, findings: Sequence[Finding]) -> None:
        self.found_before = [finding.part for finding in findings]

    def tell(self, text: str) -> None:
        self.heard.append(text)
        assert self.board is not None
        board = self.board
        for start, deed in self._deeds.items():
            if text.startswith(start):
                at_ns = board.clock.now_ns + SOON_NS
                board.clock.call_at(at_ns, lambda deed=deed: deed(board))  # type: ignore[misc]

    def confirm(self, question: str) -> bool | None:
        self.heard.append(question)
        for word, answer in self._says.items():
            if word in question:
                return answer
        return True

    def is_done(self) -> bool:
        return self._is_impatient


def lay(board: EmulatedBoard) -> None:
    board.readers["play"].field.enter(Ntag(uid_of("straw", Piece("weight-7"))))


def press(pin: int) -> Callable[[EmulatedBoard], None]:
    return lambda board: board.pins.pin(pin).drive_low()


def turn(board: EmulatedBoard, pins: tuple[int, int] = (5, 6)) -> None:
    for levels in CLOCKWISE:
        for pin, is_high in zip(pins, levels, strict=True):
            (board.pins.pin(pin).drive_high if is_high else board.pins.pin(pin).drive_low)()


def nothing(_: EmulatedBoard) -> None:
    """Do nothing when asked to act."""


def tried(folder: Path, hands: Hands, config: TableConfig = CONFIG) -> list[Finding]:
    """Let *hands* answer the doctor; return the findings of the checks that need a person."""

    def opened(_: object) -> EmulatedBoard:
        hands.board = EmulatedBoard(config)
        return hands.board

    options = DoctorOptions(is_emulated=True, person=hands)
    findings = Examination(config, opened, COMPUTER, options).run(folder).findings
    told = [finding.part for finding in findings]
    last = len(told) - 1 - told[::-1].index("speech")
    first = told.index("speech") + 1
    return findings[first : last + 1]


def of(findings: list[Finding], part: str) -> Finding:
    (finding,) = (finding for finding in findings if finding.part == part)
    return finding


def test_readers_whose_chip_selects_are_swapped_are_reported(tmp_path: Path) -> None:
    """The tag is laid on the spot that is asked for, and the other reader sees it."""
    readers = (*CONFIG.readers, ReaderConfig("hand", 0, 1))
    hands = Hands({"Lay a tag": lay_on_hand})
    findings = tried(tmp_path, hands, replace(CONFIG, readers=readers))
    swapped = of(findings, "reader play")
    assert swapped.verdict is Verdict.WARN
    assert swapped.found == "a tag was laid on it, and the reader hand saw it"
    assert "swap the SPI chip selects" in swapped.remedy


def lay_on_hand(board: EmulatedBoard) -> None:
    board.readers["hand"].field.enter(Ntag(uid_of("straw", Piece("weight-7"))))


def test_everything_is_tried_one_after_the_other(tmp_path: Path) -> None:
    hands = Hands()
    assert [(f.part, f.verdict, f.found) for f in tried(tmp_path, hands)] == [
        ("reader play", Verdict.OK, "a tag with 7 bytes of UID, seen in 100 of 100 polls"),
        ("display", Verdict.OK, "the test pattern is right"),
        ("lamps", Verdict.OK, "each lit up in turn"),
        ("encoder", Verdict.OK, "turned"),
        ("button ok", Verdict.OK, "pressed"),
        ("button back", Verdict.OK, "pressed"),
        ("button action", Verdict.OK, "pressed"),
        ("buzzer", Verdict.OK, "heard"),
        ("speech", Verdict.OK, "heard"),
    ]
    assert hands.found_before[-1] == "speech"
    assert "Did all 10 light up, one at a time, in this order?" in hands.heard


def test_a_person_who_wants_no_questions_skips_all(tmp_path: Path) -> None:
    says = dict.fromkeys(("",), None)
    does = dict.fromkeys(("Lay a tag", "Turn the encoder", *(f"Press {n}" for n in PINS)), nothing)
    findings = tried(tmp_path, Hands(does, says, is_impatient=True))
    assert len(findings) == 9
    assert {(f.verdict, f.found) for f in findings} == {(Verdict.SKIP, "not checked: skipped")}


def test_a_person_who_walks_away_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    does = dict.fromkeys(("Lay a tag", "Turn the encoder", *(f"Press {n}" for n in PINS)), nothing)
    hands = Hands(does)
    findings = tried(tmp_path, hands)
    assert of(findings, "reader play").found == "no tag was seen"
    assert "NTAG213" in of(findings, "reader play").remedy
    assert of(findings, "encoder").remedy == (
        "Connect the encoder's A and B to GPIO5 and GPIO6, and its middle pin (C) to GND"
    )
    assert of(findings, "button back").remedy == "Connect the button between GPIO26 and GND"
    assert hands.board is not None
    assert hands.board.clock.now() < 5 * LIMIT_S + 20


def test_a_tag_that_is_read_badly_is_reported(tmp_path: Path) -> None:
    def badly(board: EmulatedBoard) -> None:
        lay(board)
        chance = Random(1)
        board.readers["play"].field.miss = lambda _: chance.random() < 0.3

    finding = of(tried(tmp_path, Hands({"Lay a tag": badly})), "reader play")
    assert finding.verdict is Verdict.WARN
    assert finding.remedy.startswith("Bring the antenna nearer")


def test_a_reader_that_dies_under_the_tag_fails_and_the_rest_is_tried(tmp_path: Path) -> None:
    def dies(board: EmulatedBoard) -> None:
        board.readers["play"].cut(0x00)

    findings = tried(tmp_path, Hands({"Lay a tag": dies}))
    assert of(findings, "reader play").verdict is Verdict.FAIL
    assert of(findings, "encoder").verdict is Verdict.OK


def test_nobody_is_asked_for_what_is_known_not_to_work(tmp_path: Path) -> None:
    hands = Hands()

    def dead(_: object) -> EmulatedBoard:
        hands.board = EmulatedBoard(CONFIG)
        hands.board.readers["play"].cut(0x00)
        assert hands.board.display is not None
        hands.board.display.present = False
        hands.board.pins.pin(26).is_held = True
        return hands.board

    options = DoctorOptions(is_emulated=True, person=hands)
    Examination(CONFIG, dead, COMPUTER, options).run(tmp_path)
    asked = " ".join(hands.heard)
    assert "Press ok" in asked
    for part in ("Lay a tag", "chequerboard", "Press back"):
        assert part not in asked


def test_a_pattern_that_is_not_seen_says_what_to_set(tmp_path: Path) -> None:
    finding = of(tried(tmp_path, Hands(says={"chequerboard": False})), "display")
    assert finding.verdict is Verdict.WARN
    assert 'chip = "sh1106"' in finding.remedy


def test_of_lamps_that_are_not_right_each_is_asked_for(tmp_path: Path) -> None:
    lit: list[set[int]] = []

    class Looks(Hands):
        def confirm(self, question: str) -> bool | None:
            assert self.board is not None
            if question.startswith("Is "):
                pins = CONFIG.lamps.values()
                lit.append({pin for pin in pins if self.board.pins.pin(pin).state})
            return super().confirm(question)

    findings = tried(tmp_path, Looks(says={"Did all": False, "Is seat-2 lit": False}))
    lamps = [finding for finding in findings if finding.part.startswith("lamp ")]
    assert [f.part for f in lamps if f.verdict is Verdict.WARN] == ["lamp seat-2"]
    assert lamps[1].remedy.startswith("Connect the LED's long leg to GPIO17 over 470 ohm")
    assert lit == [{pin} for pin in CONFIG.lamps.values()]


def test_an_encoder_that_counts_backwards_says_what_to_swap(tmp_path: Path) -> None:
    does = {"Turn the encoder": lambda board: turn(board, (6, 5))}
    finding = of(tried(tmp_path, Hands(does)), "encoder")
    assert (finding.verdict, finding.found) == (
        Verdict.WARN,
        "a counter-clockwise turn was reported instead",
    )
    assert finding.remedy == "Swap the two numbers of encoder under [controls] in table.toml"


def test_a_button_on_anothers_pin_is_reported(tmp_path: Path) -> None:
    finding = of(tried(tmp_path, Hands({"Press ok": press(26)})), "button ok")
    assert (finding.verdict, finding.found) == (Verdict.WARN, "button back was reported instead")
    assert "GPIO13" in finding.remedy


def test_buttons_in_place_of_an_encoder_are_tried(tmp_path: Path) -> None:
    config = replace(CONFIG, controls=ControlsConfig(None, {"left": 5, "right": 6}))
    does = {"Press left": press(5), "Press right": press(5)}
    findings = tried(tmp_path, Hands(does), config)
    assert of(findings, "button left").verdict is Verdict.OK
    assert of(findings, "button right").verdict is Verdict.WARN


def test_what_is_not_heard_says_what_to_do(tmp_path: Path) -> None:
    findings = tried(tmp_path, Hands(says={"beep": False, "hear": False}))
    assert of(findings, "buzzer").remedy == "Use a passive buzzer: + to GPIO12, - to GND"
    assert "alsamixer" in of(findings, "speech").remedy


@pytest.mark.parametrize("size", [(128, 64), (128, 32)])
def test_the_pattern_is_drawn(size: tuple[int, int], golden: Golden) -> None:
    golden.check("patterns", f"{size[0]}x{size[1]}", pattern(size))


# --- at a terminal -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "answer"),
    [("\n", True), ("Y\n", True), ("n\n", False), ("s\n", None), ("?\n", None), ("", None)],
)
def test_a_question_is_answered_with_a_key(typed: str, answer: bool | None) -> None:
    out = io.StringIO()
    assert TerminalOperator(io.StringIO(typed), out).confirm("Did it beep?") is answer
    assert out.getvalue() == "Did it beep? "


def test_what_was_found_is_shown_before_the_first_question() -> None:
    out = io.StringIO()
    person = TerminalOperator(io.StringIO(), out)
    person.begin([Finding("display", Verdict.FAIL, "it is dark", "check its plug")])
    person.tell("Press ok")
    found, _, how, told = out.getvalue().splitlines()
    assert found.split() == ["FAIL", "display", "it", "is", "dark;", "check", "its", "plug"]
    assert "n for no" in how
    assert told == "Press ok"


class Types(io.StringIO):
    """A terminal at which a person types *answer* with *fingers* after reading the question."""

    def __init__(self, fingers: TextIO, answer: str) -> None:
        super().__init__()
        self._fingers, self._answer = fingers, answer

    def flush(self) -> None:
        if self._answer and self.getvalue():
            self._fingers.write(self._answer)
            self._fingers.flush()
            self._answer = ""


@pytest.fixture
def keys() -> Iterator[tuple[io.TextIOWrapper, int]]:
    """A keyboard, and the file descriptor that presses its keys."""
    reading, writing = os.pipe()
    with open(reading, encoding="utf-8") as keyboard:  # noqa: PTH123  # a descriptor, not a path
        yield keyboard, writing
    os.close(writing)


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal there cannot be watched")
def test_enter_ends_the_waiting(keys: tuple[io.TextIOWrapper, int]) -> None:
    keyboard, presses = keys
    person = TerminalOperator(keyboard, io.StringIO())
    assert not person.is_done()
    os.write(presses, b"\n")
    assert person.is_done()
    assert not person.is_done()  # each Enter counts once


@pytest.mark.skipif(sys.platform == "win32", reason="it has no pseudo-terminals")
def test_a_person_at_a_terminal_is_asked_and_old_keys_answer_nothing() -> None:
    master, slave = os.openpty()
    with open(slave, encoding="utf-8") as keyboard, open(master, "w", encoding="utf-8") as fingers:  # noqa: PTH123
        person = operator_at(keyboard, keyboard)
        assert person is not None
        fingers.write("\n\n")
        fingers.flush()
        assert person.is_done()
        person = TerminalOperator(keyboard, out := Types(fingers, "n\n"))
        assert person.confirm("Did it beep?") is False
        assert out.getvalue() == "Did it beep? "


def test_without_a_terminal_there_is_nobody() -> None:
    assert operator_at(io.StringIO(), io.StringIO()) is None
