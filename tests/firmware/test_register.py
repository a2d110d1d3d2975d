"""The tag register: the piece to which each tag is bound."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engines.common.pieces import Piece
from firmware.boxes.register import Registered, TagRegister, is_random_uid
from firmware.common.errors import (
    BadUid,
    PieceTaken,
    RandomUid,
    RegisterError,
    TagRefused,
    TagTaken,
)

SMALL = bytes.fromhex("DEADBEEF")  # 4 bytes, as on a MIFARE Classic
NTAG = bytes.fromhex("04A1B2C3D4E5F6")
TRIPLE = bytes.fromhex("04A1B2C3D4E5F6010203")
RANDOM = bytes.fromhex("08123456")
LAMP, COPY = Piece("lamp", 2), Piece("copy")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tags.sqlite"


@pytest.fixture
def register(file: Path) -> Iterator[TagRegister]:
    with closing(TagRegister(file)) as register:
        yield register


@pytest.mark.parametrize("uid", [SMALL, NTAG, TRIPLE], ids=["4 bytes", "7 bytes", "10 bytes"])
def test_a_bound_tag_names_its_piece(register: TagRegister, uid: bytes) -> None:
    register.bind(uid, "straw", LAMP)
    assert register.piece_of(uid) == Registered("straw", LAMP)
    assert register.uid_of("straw", LAMP) == uid


def test_an_unknown_tag_names_nothing(register: TagRegister) -> None:
    assert register.piece_of(NTAG) is None
    assert register.uid_of("straw", LAMP) is None


def test_bound_tags_are_there_after_a_restart(file: Path) -> None:
    with closing(TagRegister(file)) as first:
        first.bind(NTAG, "straw", LAMP)
    with closing(TagRegister(file)) as second:
        assert second.piece_of(NTAG) == Registered("straw", LAMP)


def test_pieces_are_listed_for_each_game(register: TagRegister) -> None:
    register.bind(NTAG, "straw", LAMP)
    register.bind(SMALL, "straw", COPY)
    register.bind(TRIPLE, "ciao", LAMP)
    assert register.pieces("straw") == {COPY: SMALL, LAMP: NTAG}
    assert register.pieces("ciao") == {LAMP: TRIPLE}
    assert register.pieces("riff-raff") == {}


def test_a_taken_tag_is_refused_with_what_it_sticks_on(register: TagRegister) -> None:
    register.bind(NTAG, "straw", LAMP)
    with pytest.raises(TagTaken) as caught:
        register.bind(NTAG, "straw", COPY)
    assert str(caught.value) == (
        "The tag 04 A1 B2 C3 D4 E5 F6 is already on lamp#2 of straw. "
        "Use a new tag for copy#1 of straw, or unbind the old one."
    )
    assert caught.value.facts == {"game": "straw", "piece": LAMP}


def test_a_taken_piece_is_refused_with_its_tag(register: TagRegister) -> None:
    register.bind(NTAG, "straw", LAMP)
    with pytest.raises(PieceTaken) as caught:
        register.bind(SMALL, "straw", LAMP)
    assert str(caught.value) == (
        "lamp#2 of straw already has the tag 04 A1 B2 C3 D4 E5 F6. "
        "Bind the tag DE AD BE EF to another piece, or unbind the old one."
    )


def test_a_random_uid_is_refused_with_why(register: TagRegister) -> None:
    assert is_random_uid(RANDOM)
    with pytest.raises(RandomUid, match=r"08 12 34 56 is random: it starts with 0x08"):
        register.bind(RANDOM, "straw", LAMP)


@pytest.mark.parametrize("uid", [SMALL, NTAG, b"\x08\x01\x02\x03\x04\x05\x06"])
def test_only_four_bytes_from_08h_are_random(uid: bytes) -> None:
    assert not is_random_uid(uid)


@pytest.mark.parametrize("size", [0, 3, 5, 8, 11])
def test_a_uid_of_another_size_is_refused(register: TagRegister, size: int) -> None:
    with pytest.raises(BadUid, match=rf"has {size} bytes; a UID has 4, 7 or 10"):
        register.bind(bytes(size), "straw", LAMP)


def test_many_tags_are_bound_all_or_none(register: TagRegister) -> None:
    with pytest.raises(TagRefused):
        register.bind_all([(NTAG, Registered("straw", LAMP)), (NTAG, Registered("straw", COPY))])
    assert register.pieces("straw") == {}


# --- boxes ---


def test_a_piece_has_a_tag_in_each_box(register: TagRegister) -> None:
    register.bind(NTAG, "straw", LAMP)
    register.bind(SMALL, "straw", LAMP, box=3)
    assert register.piece_of(SMALL) == Registered("straw", LAMP, 3)
    assert str(register.piece_of(SMALL)) == "lamp#2 of straw, box 3"
    assert (register.pieces("straw"), register.pieces("straw", 3)) == ({LAMP: NTAG}, {LAMP: SMALL})
    assert register.uid_of("straw", LAMP, 3) == SMALL
    assert register.boxes("straw") == (1, 3)
    assert register.boxes("ciao") == ()


def test_a_tag_is_in_one_box_alone(register: TagRegister) -> None:
    register.bind(NTAG, "straw", LAMP)
    with pytest.raises(TagTaken, match=r"is already on lamp#2 of straw"):
        register.bind(NTAG, "straw", LAMP, box=2)


def test_a_box_is_closed_once_somebody_says_so(file: Path) -> None:
    with closing(TagRegister(file)) as register:
        assert not register.is_closed("straw", 1)
        register.close_box("straw", 1)
        register.close_box("straw", 1)
        assert (register.is_closed("straw", 1), register.is_closed("straw", 2)) == (True, False)
    with closing(TagRegister(file)) as again:
        assert again.is_closed("straw", 1)


# --- changing bindings ---


def test_tags_change_what_they_stick_on_all_at_once(register: TagRegister) -> None:
    """Two tags on each other's cards are exchanged in one step."""
    register.bind(NTAG, "straw", LAMP)
    register.bind(SMALL, "straw", COPY)
    register.rebind({NTAG: Registered("straw", COPY), SMALL: Registered("straw", LAMP)})
    assert register.pieces("straw") == {COPY: NTAG, LAMP: SMALL}


def test_a_tag_is_given_up_in_the_moment_another_takes_its_place(register: TagRegister) -> None:
    register.bind(NTAG, "straw", LAMP)
    register.rebind({NTAG: None, TRIPLE: Registered("straw", LAMP)})
    assert register.pieces("straw") == {LAMP: TRIPLE}
    with pytest.raises(RandomUid):
        register.rebind({TRIPLE: None, RANDOM: Registered("straw", LAMP)})
    assert register.pieces("straw") == {LAMP: TRIPLE}


def test_a_tag_does_not_take_the_place_of_one_that_is_not_given_up(register: TagRegister) -> None:
    register.bind(NTAG, "straw", LAMP)
    with pytest.raises(PieceTaken):
        register.rebind({TRIPLE: Registered("straw", LAMP)})
    assert register.pieces("straw") == {LAMP: NTAG}


def test_a_box_is_filled_in_place_of_what_it_had(register: TagRegister) -> None:
    register.bind(NTAG, "straw", LAMP)
    register.bind(SMALL, "straw", LAMP, box=2)
    register.close_box("straw", 1)
    register.fill("straw", 1, {COPY: NTAG}, closed=False)
    assert (register.pieces("straw"), register.is_closed("straw", 1)) == ({COPY: NTAG}, False)
    assert register.pieces("straw", 2) == {LAMP: SMALL}
    with pytest.raises(TagTaken, match=r"is already on lamp#2 of straw, box 2"):
        register.fill("straw", 1, {LAMP: TRIPLE, COPY: SMALL}, closed=True)
    assert (register.pieces("straw"), register.is_closed("straw", 1)) == ({COPY: NTAG}, False)


# --- files of other versions ---

OF_VERSION_1 = """
CREATE TABLE tag (
    uid BLOB PRIMARY KEY, game TEXT NOT NULL, kind TEXT NOT NULL, copy INTEGER NOT NULL,
    UNIQUE (game, kind, copy)
) WITHOUT ROWID;
INSERT INTO tag VALUES (x'04A1B2C3D4E5F6', 'straw', 'lamp', 2), (x'DEADBEEF', 'straw', 'copy', 1);
PRAGMA user_version = 1;
"""


@pytest.fixture
def old_file(file: Path) -> Path:
    """A register in the first schema version, which has no boxes."""
    with closing(sqlite3.connect(file)) as old:
        old.executescript(OF_VERSION_1)
    return file


def test_a_register_without_boxes_becomes_one_of_box_1(old_file: Path) -> None:
    for _ in range(2):  # the second start changes nothing
        with closing(TagRegister(old_file)) as register:
            assert register.pieces("straw") == {COPY: SMALL, LAMP: NTAG}
            assert register.piece_of(NTAG) == Registered("straw", LAMP, 1)
            assert not register.is_closed("straw", 1)
    with closing(TagRegister(old_file)) as register:
        register.bind(TRIPLE, "straw", LAMP, box=2)
        assert register.boxes("straw") == (1, 2)


def test_a_register_that_another_program_has_just_made_one_with_boxes_stays_so(
    old_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(TagRegister(old_file)) as register:
        register.bind(TRIPLE, "straw", LAMP, box=2)
    monkeypatch.setattr(
        "firmware.journal.store.version_of", lambda *_: 1
    )  # as read before the other program's upgrade
    with closing(TagRegister(old_file)) as register:
        assert register.boxes("straw") == (1, 2)


def test_a_register_that_cannot_be_made_one_with_boxes_stays_as_it_was(old_file: Path) -> None:
    with closing(sqlite3.connect(old_file)) as odd:
        odd.execute("CREATE TABLE closed_box (something TEXT)")
        odd.commit()
    with pytest.raises(RegisterError):
        TagRegister(old_file)
    with closing(sqlite3.connect(old_file)) as left:
        assert left.execute("PRAGMA user_version").fetchone() == (1,)
        assert left.execute("SELECT count(*) FROM tag WHERE kind = 'lamp'").fetchone() == (1,)


def test_a_register_of_a_newer_version_is_left_alone(file: Path) -> None:
    with closing(sqlite3.connect(file)) as newer:
        newer.execute("PRAGMA user_version = 7")
    before = file.read_bytes()
    with pytest.raises(RegisterError, match=r"has schema version 7; .* up to 2\. Update tapmat"):
        TagRegister(file)
    assert file.read_bytes() == before


def test_a_full_disk_is_told_and_nothing_is_lost(file: Path, register: TagRegister) -> None:
    register.bind(NTAG, "straw", LAMP)
    connection = register._store._connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    many = [
        (n.to_bytes(7, "big"), Registered("straw", Piece("weight-1", n))) for n in range(1, 1000)
    ]
    with pytest.raises(RegisterError, match=r"tags\.sqlite cannot be saved: the disk is full"):
        register.bind_all(many)
    assert register.pieces("straw") == {LAMP: NTAG}
    connection.execute("PRAGMA max_page_count = 100000")
    register.bind_all(many)
    assert len(register.pieces("straw")) == 1000
