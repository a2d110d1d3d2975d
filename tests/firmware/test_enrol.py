"""``tapmat enrol``: the table's words in the terminal, and boxes of stickers written to files."""

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engines.common.pieces import Piece
from fakepi.ntag import Ntag
from firmware.boxes.box import Box
from firmware.boxes.decks import COMMAND_CARDS, load_deck
from firmware.boxes.games import game_named
from firmware.boxes.register import Registered, TagRegister
from firmware.commands import enrol
from firmware.commands.enrol import CardsToEnrol, Screen, Typed, enrol_at_table
from firmware.commands.options import EXIT_BAD_INPUT, EXIT_MISSING_PART, EXIT_OK
from firmware.common.errors import TapmatError, UnknownGame, UnknownPiece
from firmware.config.table_config import load_config
from firmware.journal.journal import lock_folder
from firmware.runtime.controller import JOURNAL, REGISTER, Controller, decks_of
from sim.mat.board import EmulatedBoard
from sim.mat.tags import uid_of
from tests.firmware.test_cli import Ended, Tapmat, written
from tests.firmware.test_cli import tapmat as tapmat
from tests.terminal import Terminal

CONFIG = load_config()
CRAMEL = decks_of(CONFIG)["cramel"]
TAP_S = 0.3  # seconds from one card to the next


class Hands:
    """A person who taps cards at the emulated table and types while ``tapmat enrol`` runs."""

    def __init__(self, folder: Path, out: io.StringIO | None = None) -> None:
        self.folder = folder
        self.out = out or io.StringIO()
        self.board = EmulatedBoard(CONFIG)
        self.typing: list[tuple[float, str]] = []
        self._at_s = self.board.clock.now() + 0.5

    def tap(self, *cards: str, game: str = "cramel") -> "Hands":
        """Plan a tap of each of these cards of *game*, one after the other."""
        field, clock = self.board.readers["play"].field, self.board.clock
        for card in cards:
            tag = Ntag(uid_of(game, Piece.parse(card)))
            clock.call_at(round(self._at_s * 1e9), partial(field.enter, tag))
            clock.call_at(round((self._at_s + TAP_S / 2) * 1e9), partial(field.leave, tag))
            self._at_s += TAP_S
        return self

    def type(self, *lines: str) -> "Hands":
        """Plan typed lines, one after the other."""
        for line in lines:
            self.typing.append((self._at_s, line))
            self._at_s += TAP_S
        return self

    def lines(self) -> Iterator[str]:
        """Yield the planned lines that are due; fail if the enrolment has not ended in time."""
        now_s = self.board.clock.now()
        assert now_s < self._at_s + 60, "the enrolment does not end"
        while self.typing and self.typing[0][0] <= now_s:
            yield self.typing.pop(0)[1]

    def enrol(self, wanted: CardsToEnrol) -> Box:
        """Run the command's loop until it ends, and return the box that was enrolled."""
        typed = Typed(io.StringIO())
        typed.lines = self.lines  # type: ignore[method-assign]
        with Controller.open(CONFIG, self.folder, self.board) as controller:
            return enrol_at_table(controller, wanted, Screen(self.out), typed)

    @property
    def shown(self) -> list[str]:
        return self.out.getvalue().splitlines()


def test_cards_are_tapped_until_somebody_types_quit(tmp_path: Path) -> None:
    hands = Hands(tmp_path).tap("gol#1", "gol#2").type("quit")
    box = hands.enrol(CardsToEnrol(CRAMEL))
    assert set(box.stickers) == {Piece("gol"), Piece("gol", 2)}
    assert hands.shown == ["0/49  Gol  1 of 4", "1/49  Gol  2 of 4", "2/49  Gol  3 of 4"]


def test_it_ends_by_itself_when_it_is_left_at_the_table(tmp_path: Path) -> None:
    hands = Hands(tmp_path).tap(*map(str, COMMAND_CARDS.pieces()), "ok", game="commands")
    box = hands.enrol(CardsToEnrol(COMMAND_CARDS))
    assert (box.done, box.is_full) == (24, True)
    assert hands.shown[-1] == "24/24  All done"


def test_a_kind_that_is_typed_is_asked_for_next(tmp_path: Path) -> None:
    hands = Hands(tmp_path).type("roby").tap("roby#5").type("bloom").tap("bloom#3").type("quit")
    assert hands.enrol(CardsToEnrol(CRAMEL)).stickers == {
        Piece("roby"): uid_of("cramel", Piece("roby", 5)),
        Piece("bloom"): uid_of("cramel", Piece("bloom", 3)),
    }


def test_what_is_typed_does_what_the_buttons_do(tmp_path: Path) -> None:
    hands = Hands(tmp_path).tap("gol#1").type("BACK", "skip").tap("jane#1").type("", "quit")
    assert set(hands.enrol(CardsToEnrol(CRAMEL)).stickers) == {Piece("jane")}


def test_a_word_that_is_no_card_names_the_nearest(tmp_path: Path) -> None:
    hands = Hands(tmp_path).type("robby", "quit")
    hands.enrol(CardsToEnrol(CRAMEL))
    assert 'No card is called "robby". Did you mean "roby"?' in hands.shown[-1]


def test_a_kind_is_found_while_another_list_is_open(tmp_path: Path) -> None:
    every_gol = [f"gol#{copy}" for copy in range(1, 5)]
    hands = Hands(tmp_path).tap(*every_gol).type("gol", "jane").tap("jane#1").type("quit")
    assert Piece("jane") in hands.enrol(CardsToEnrol(CRAMEL)).stickers


def test_a_refusal_is_shown_in_the_terminal_too(tmp_path: Path) -> None:
    hands = Hands(tmp_path).tap("gol#1", "gol#2", "gol#1").type("quit")
    hands.enrol(CardsToEnrol(CRAMEL))
    assert hands.shown[-1].endswith("This is Gol already.  Lay the next one.")


def test_a_screen_shows_bar_card_list_and_what_can_be_typed(tmp_path: Path) -> None:
    hands = Hands(tmp_path, Terminal()).tap("gol#1").type("ok", "lost", "quit")
    hands.enrol(CardsToEnrol(CRAMEL))
    pages = hands.out.getvalue().split("\x1b[2J")
    asking = next(page for page in pages if "1/49" in page)
    assert "Cramel" in asking
    assert "━" in asking
    assert "Gol" in asking
    assert "2 of 4" in asking
    assert asking.endswith("> ")
    assert any("Which card?" in page and "Helena: 0/4" in page for page in pages)
    assert "Type a kind" in pages[-1]


def test_one_lost_sticker_is_replaced_and_the_table_left(tmp_path: Path) -> None:
    with closing(TagRegister(tmp_path / REGISTER)) as register:
        register.bind_all(
            (uid_of("cramel", piece), Registered("cramel", piece)) for piece in CRAMEL.pieces()
        )
    hands = Hands(tmp_path).tap("gol#3", game="new")
    box = hands.enrol(CardsToEnrol(CRAMEL, piece=Piece("gol", 3)))
    assert box.stickers[Piece("gol", 3)] == uid_of("new", Piece("gol", 3))
    assert box.done == 49


def test_a_table_that_is_told_to_stop_stops(tmp_path: Path) -> None:
    hands = Hands(tmp_path)
    with Controller.open(CONFIG, tmp_path, hands.board) as controller:
        controller.loop.stop()
        assert (
            enrol_at_table(
                controller, CardsToEnrol(CRAMEL), Screen(hands.out), Typed(io.StringIO())
            ).done
            == 0
        )


def test_lines_are_read_while_the_table_runs() -> None:
    typed, seen = Typed(io.StringIO("gol\nquit\n")), list[str]()
    while len(seen) < 2:
        seen += typed.lines()
    assert seen == ["gol\n", "quit\n"]


# --- what to enrol -------------------------------------------------------------------------------


def test_a_game_or_the_command_cards_a_kind_or_one_piece_of_it_can_be_wanted() -> None:
    assert CardsToEnrol.of(CONFIG, "cramel") == CardsToEnrol(CRAMEL)
    assert CardsToEnrol.of(CONFIG, "commands", 2) == CardsToEnrol(COMMAND_CARDS, 2)
    assert CardsToEnrol.of(CONFIG, "cramel", 1, "gol").piece == "gol"
    assert CardsToEnrol.of(CONFIG, "cramel", 1, "gol#7").piece == Piece("gol", 7), (
        "a guess may be short"
    )


@pytest.mark.parametrize(
    ("game", "piece", "kind", "text"),
    [
        (
            "crammel",
            None,
            UnknownGame,
            'There is no game "crammel". Stickers can be enrolled for: camargue, ciao,',
        ),
        ("command", None, UnknownGame, 'Did you mean "commands"?'),
        ("cramel", "goll", UnknownPiece, 'cramel has no piece "goll". Did you mean "gol"?'),
        ("cramel", "zebra", UnknownPiece, 'cramel has no piece "zebra". It has: gol, jane'),
        (
            "cramel",
            "gol#x",
            UnknownPiece,
            "followed by a whole number from 1. Write for example: weig",
        ),
        (
            "commands",
            "ok#2",
            UnknownPiece,
            "There is no ok#2: the deck of commands has 1 of that kind.",
        ),
    ],
)
def test_what_there_is_not_is_told_with_the_nearest(
    game: str, piece: str | None, kind: type[TapmatError], text: str
) -> None:
    with pytest.raises(kind) as wrong:
        CardsToEnrol.of(CONFIG, game, 1, piece)
    assert text in str(wrong.value)


# --- files ---------------------------------------------------------------------------------------

BOX = "game cramel\ngol#1 04 A1 B2 C3 D4 E5 F6\ngol#2 04 A1 B2 C3 D4 E5 F7\n"
OTHER = "game cramel\ngol#1 04 A1 B2 C3 D4 E5 F6\ngol#2 04 00 00 00 00 00 01\n"


def test_a_box_goes_into_a_file_and_comes_back(tapmat: Tapmat) -> None:
    file = written("box.txt", f"{BOX}closed\n")
    ended = tapmat("enrol", "cramel", "--import", file, "--state", "one")
    assert (ended.code, ended.out) == (EXIT_OK, "cramel: 2 of 49 have a sticker.\n")
    assert tapmat("enrol", "cramel", "--export", "again.txt", "--state", "one").code == EXIT_OK
    text = Path("again.txt").read_text("utf-8")
    assert text.splitlines()[1:] == f"{BOX}closed".splitlines()
    assert tapmat("enrol", "cramel", "--export", "-", "--state", "one").out == text
    assert not list(Path().glob("*.part"))


def test_a_file_may_be_read_into_another_box(tapmat: Tapmat) -> None:
    file = written("box.txt", BOX)
    ended = tapmat("enrol", "cramel", "--box", "2", "--import", file, "--state", "one")
    assert ended.out == "cramel, box 2: 2 of 49 have a sticker.\n"
    assert "gol#1" not in tapmat("enrol", "cramel", "--export", "-", "--state", "one").out
    twice = tapmat("enrol", "cramel", "--import", file, "--state", "one")
    assert twice.message.startswith(
        "box.txt cannot be enrolled. "
        "The tag 04 A1 B2 C3 D4 E5 F6 is already on gol#1 of cramel, box 2"
    )


def test_other_stickers_are_not_given_up_unless_that_is_said(tapmat: Tapmat) -> None:
    written("box.txt", BOX)
    other, fewer = written("other.txt", OTHER), written("fewer.txt", BOX.rpartition("gol#2")[0])
    tapmat("enrol", "cramel", "--import", "box.txt", "--state", "one")
    assert tapmat("enrol", "cramel", "--import", "box.txt", "--state", "one").code == EXIT_OK
    refused = tapmat("enrol", "cramel", "--import", other, "--state", "one")
    assert refused.code == EXIT_BAD_INPUT
    assert refused.message == (
        "other.txt has 04 00 00 00 00 00 01 for gol#2, although 04 A1 B2 C3 D4 E5 F7 is "
        "enrolled for it. Import the file into another box (--box 2), or replace the stickers: "
        "--replace."
    )
    lacking = tapmat("enrol", "cramel", "--import", fewer, "--state", "one")
    assert lacking.message.startswith("fewer.txt has no sticker for gol#2, although 04 A1 B2")
    before = tapmat("enrol", "cramel", "--export", "-", "--state", "one").out
    assert "gol#2 04 A1" in before
    assert tapmat("enrol", "cramel", "--import", other, "--replace", "--state", "one").code == 0
    assert "gol#2 04 00" in tapmat("enrol", "cramel", "--export", "-", "--state", "one").out


def test_a_wrong_line_takes_nothing(tapmat: Tapmat) -> None:
    file = written("box.txt", f"{BOX}gol#3 04 A1 B2\n")
    ended = tapmat("enrol", "cramel", "--import", file, "--state", "one")
    assert ended.code == EXIT_BAD_INPUT
    assert ended.message.startswith("box.txt: line 4 has a UID of 3 bytes; it has 4, 7 or 10.")
    assert "gol" not in tapmat("enrol", "cramel", "--export", "-", "--state", "one").out


def test_nothing_is_read_under_a_table_that_is_running(tapmat: Tapmat) -> None:
    file, state = written("box.txt", BOX), Path("one")
    state.mkdir()
    with closing(lock_folder(state / JOURNAL)):
        ended = tapmat("enrol", "cramel", "--import", file, "--state", state)
    assert ended.code == 4
    assert "another tapmat is using this state folder" in ended.message


def test_a_file_that_cannot_be_written_leaves_what_was_there(tapmat: Tapmat) -> None:
    ended = tapmat("enrol", "cramel", "--export", "nowhere/box.txt", "--state", "one")
    assert ended.code == EXIT_BAD_INPUT
    assert ended.message.startswith("nowhere/box.txt cannot be written (No such file")


def test_a_deck_is_written_once_it_is_known(tapmat: Tapmat) -> None:
    """The owner has only two Gols left: the deck file has two pieces and can be played."""
    file = written("box.txt", f"{BOX}closed\n")
    state = ("--state", "one")
    assert tapmat("enrol", "cramel", "--deck", "-", *state).message == (
        "Only 0 of 49 cards of cramel have a sticker. Enrol the others; or, if the box has no more "
        "cards, skip them and press OK."
    )
    tapmat("enrol", "cramel", "--import", file, *state)
    ended = tapmat("enrol", "cramel", "--deck", "cramel.toml", *state)
    assert ended.out == (
        "cramel.toml has 2 pieces. To play with it, write in table.toml:\n"
        '[decks]\ncramel = "cramel.toml"\n'
    )
    assert ended.err == "The deck of cramel should have 49 pieces: count them again.\n"
    deck = load_deck(game_named("cramel"), Path("cramel.toml"))
    assert (deck.total, deck.by_name["gol"].count, deck.is_verified) == (2, 2, True)


# --- the command ---------------------------------------------------------------------------------


def test_the_emulated_mat_is_enrolled_at_by_typing(tapmat: Tapmat) -> None:
    ended = tapmat("enrol", "cramel", "--sim", "--state", "one")
    assert ended.code == EXIT_OK
    assert "enrolling | headline Gol | turn - | enrolled 0, total 49" in ended.out


def test_without_parts_the_missing_one_is_named(tapmat: Tapmat) -> None:
    ended: Ended = tapmat("enrol", "cramel", "--state", "one")
    assert ended.code == EXIT_MISSING_PART
    assert "Traceback" not in ended.err


def test_a_box_has_a_number_from_1_to_9(tapmat: Tapmat) -> None:
    ended = tapmat("enrol", "cramel", "--box", "10")
    assert ended.code == EXIT_BAD_INPUT
    assert "10 is not in the range 1<=x<=9" in ended.err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--piece", "gol", "--export", "x"), "Give only one of --piece, --export, --import"),
        (("--import", "x", "--deck", "y"), "Give only one of --piece, --export, --import"),
        (("--replace",), "--replace only works with --import."),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    tapmat: Tapmat, words: tuple[str, ...], text: str
) -> None:
    ended = tapmat("enrol", "cramel", "--state", "one", *words)
    assert ended.code == EXIT_BAD_INPUT
    assert text in " ".join(ended.err.split())


def test_the_whole_command_runs_over_this_computers_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands, out = Hands(tmp_path).tap("gol#1"), io.StringIO()
    typed: Callable[[Any], Any] = lambda _: hands  # noqa: E731
    hands.type("quit")
    monkeypatch.setattr(enrol, "open_computer", lambda: hands.board)
    monkeypatch.setattr(enrol, "Typed", typed)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert enrol.run_enrolment(CONFIG, tmp_path, CardsToEnrol(CRAMEL), out) == EXIT_OK
    assert out.getvalue().splitlines()[-1] == "cramel: 1 of 49 have a sticker."
