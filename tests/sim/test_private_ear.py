"""The private ear at the emulated mat: how soon a line leaves the table, and to whom."""

import socket
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from firmware.config.table_config import SPOTS, TableConfig, load_config
from firmware.outlet.stream import Stream
from firmware.runtime.controller import decks_of
from firmware.runtime.local_socket import LocalClient
from firmware.table.events import PhoneCommand
from firmware.table.private_ear import LineKind, PrivateEars
from firmware.table.table import Feedback, Table
from firmware.voice.speech import lines
from sim.mat.mat import CannotDo, Mat
from sim.people.person import EmulatedPerson
from sim.rehearsal.command import with_parts
from sim.rehearsal.grammar import Expect, Move, PressButton, RehearsalLine, UsePhone, parse
from tests.effort import long_unless
from tests.sim.private_hand import FITS, FOLDER, GAMES

SOON_S = 0.3  # from a tag on the reader until its line leaves the table
SHOWN = ("weight-7", "straw", "copy", "lamp", "reverse", "carpet-3")
PLAYERS = ("Ann", "Ben", "Cem")


def config(*spots: str) -> TableConfig:
    """Return a table that also has readers on *spots*."""
    moves = [RehearsalLine("", "", Move("tap", ("stranger",), spot)) for spot in spots]
    return with_parts(load_config(), moves)


@dataclass
class Evening:
    """A game of Straw at which Ann listens, and every byte that leaves the table for each role."""

    mat: Mat
    people: EmulatedPerson
    told: dict[str | None, bytes] = field(default_factory=dict)  # None: everybody

    @classmethod
    def begin(cls, folder: Path, *spots: str) -> "Evening":
        mat = Mat(config(*spots), folder)
        clock = mat.board.clock
        mat.outlet._now = lambda: datetime.fromtimestamp(clock.now(), UTC)
        mat.power_on()
        made = cls(mat, EmulatedPerson(mat, decks_of(mat.config)))
        made.people.start("straw", PLAYERS, "Cem", {})
        mat.use_phone("Ann", PhoneCommand.LISTEN)
        return made

    def close(self) -> None:
        self.mat.close()

    def until_told(self, number: int) -> float:
        """Step until Ann has line *number*; return the virtual seconds that it took."""
        began_s = self.mat.board.clock.now()
        while (line := self.mat.private_lines.get("Ann")) is None or line.number < number:
            assert self.mat.board.clock.now() < began_s + 5.0, "no line leaves the table"
            self.mat.step()
        return self.mat.board.clock.now() - began_s


@pytest.mark.parametrize("spot", long_unless("hand".__eq__, ["hand", "seat-1"]))
@pytest.mark.parametrize("spots", [("hand", "seat-1"), tuple(SPOTS)], ids=["few", "all"])
def test_a_card_is_named_within_300_ms(tmp_path: Path, spot: str, spots: tuple[str, ...]) -> None:
    with closing(Evening.begin(tmp_path, *spots)) as evening:
        first = evening.mat.private_lines["Ann"].number + 1
        evening.people.move("tap", ["weight-1"], "play", "straw")  # now it is Ben's turn
        for number, kind in enumerate(SHOWN, first):
            picc = evening.people.picc(kind, "lay", spot, "straw")
            evening.mat.lay([picc], spot)
            assert evening.until_told(number) <= SOON_S, kind
            assert evening.mat.private_lines["Ann"].kind is LineKind.CARDS
            evening.mat.wait(0.1)
            evening.mat.lift([picc], spot)
            evening.mat.wait(0.5)


def test_an_answer_leaves_the_table_at_its_next_pass(tmp_path: Path) -> None:
    with closing(Evening.begin(tmp_path, "hand")) as evening:
        for act in (PhoneCommand.WHAT_CAN_I_PLAY, PhoneCommand.WHERE_ARE_WE):
            began_s = evening.mat.board.clock.now()
            before = evening.mat.private_lines["Ann"].number
            evening.mat.use_phone("Ann", act)
            assert evening.mat.private_lines["Ann"].number == before + 1
            assert evening.mat.board.clock.now() - began_s <= SOON_S


def test_a_restarted_table_has_forgotten_who_listens(tmp_path: Path) -> None:
    with closing(Evening.begin(tmp_path, "hand")) as evening:
        evening.mat.power_cut()
        evening.mat.power_on()
        assert evening.mat.private_lines == {}
        evening.people.move("tap", ["weight-7"], "hand", "straw")
        assert evening.mat.refused[-1].code == "not-expected-now"
        evening.mat.use_phone("Ann", PhoneCommand.LISTEN)
        evening.people.move("tap", ["weight-7"], "hand", "straw")
        assert evening.mat.private_lines["Ann"].text.startswith("The 7.")


def test_without_a_game_a_phone_cannot_listen(tmp_path: Path) -> None:
    mat = Mat(config("hand"), tmp_path)
    with closing(mat):
        mat.power_on()
        with pytest.raises(CannotDo, match="not possible now"):
            mat.use_phone("Ann", PhoneCommand.LISTEN)


# --- to whom --------------------------------------------------------------------------------------


def told_of(folder: Path, kinds: tuple[str, ...]) -> dict[str | None, bytes]:
    """Return all bytes for everybody (``""``), for each player and the host (None).

    Ann holds cards of *kinds* to the hand reader, and asks what she can play.
    """
    folder.mkdir()
    with closing(Evening.begin(folder, "hand")) as evening, socket.socket() as unused:
        mat = evening.mat
        mat.outlet.wanted = frozenset({*PLAYERS, None})
        stream = Stream(mat.outlet)
        phones = {role: LocalClient(unused, wanted=frozenset({role})) for role in (*PLAYERS, None)}
        told: dict[str | None, bytes] = dict.fromkeys(("", *phones), b"")

        def collect() -> None:
            told[""] += stream.new_lines()
            for role, phone in phones.items():
                told[role] += phone.private_lines(mat.outlet.private)

        for kind in kinds:
            picc = evening.people.picc(kind, "lay", "hand", "straw")
            for move in (mat.lay, mat.lift):
                move([picc], "hand")
                for _ in range(60):
                    mat.step()
                    collect()
        for act in (PhoneCommand.WHAT_CAN_I_PLAY, PhoneCommand.WHERE_ARE_WE):
            mat.use_phone("Ann", act)
            collect()
        return told


ONE, OTHER = ("weight-7", "straw"), ("lamp", "weight-2")


def test_what_ann_holds_leaves_the_table_for_ann_alone(tmp_path: Path) -> None:
    one, other = (told_of(tmp_path / kinds[0], kinds) for kinds in (ONE, OTHER))
    assert one["Ann"].count(b'"kind":"cards"') == 2
    assert one["Ann"].count(b'"kind":"playable"') == 1
    assert one["Ann"] != other["Ann"]
    assert {role for role in one if one[role] != other[role]} == {"Ann"}


def a_line_for_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    tell = PrivateEars.tell

    def to_all(ears: PrivateEars, _player: str, *line: Any) -> None:
        for each in PLAYERS:
            tell(ears, each, *line)

    monkeypatch.setattr(PrivateEars, "tell", to_all)


def a_card_that_is_said_aloud(monkeypatch: pytest.MonkeyPatch) -> None:
    tap = Table._tap

    def aloud(table: Table, *args: Any) -> Feedback:
        feedback = tap(table, *args)
        line = table.private.line_of("Ann")
        return replace(feedback, say=lines("" if line is None else line.text))

    monkeypatch.setattr(Table, "_tap", aloud)


@pytest.mark.long
@pytest.mark.parametrize(
    ("leak", "hears"),
    [(a_line_for_everybody, "Ben"), (a_card_that_is_said_aloud, "")],
    ids=["line", "voice"],
)
def test_a_leak_would_be_found(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    leak: Callable[[pytest.MonkeyPatch], None],
    hears: str,
) -> None:
    leak(monkeypatch)
    one, other = (told_of(tmp_path / kinds[0], kinds) for kinds in (ONE, OTHER))
    assert one[hears] != other[hears]


# --- the rehearsals -------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_is_played_with_no_question_to_anybody(game: str) -> None:
    """Ann lays only cards that her phone has named since her last card, and asks nobody."""
    file = FOLDER / f"{game}.mat"
    written = parse(file.read_text(encoding="utf-8"), file.name)
    last = written[-1].verb
    assert isinstance(last, Expect)
    assert last.what == "winner"
    asked, laid, heard = 0, 0, ""
    for line, after in pairwise(written):
        match line.verb:
            case UsePhone() | Move(spot="hand") if isinstance(after.verb, Expect):
                assert after.verb.what == "private", line.place
                text = after.verb.values[1]
                if isinstance(line.verb, UsePhone) and text.startswith(FITS):
                    asked, heard = asked + 1, text
            case Move(spot="seat-1"):
                assert heard, f"{line.place}: Ann did not ask"
                laid, heard = laid + 1, ""
            case Move(spot=spot):
                assert spot == "seat-2", line.place
            case PressButton(button):
                assert button in ("action", "ok"), line.place
    assert laid == asked >= 5
