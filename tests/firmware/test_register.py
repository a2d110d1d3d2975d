"""The tag register: which tag sticks on which piece."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engines.common.pieces import Piece
from firmware.errors import (
    BadUid,
    PieceTaken,
    RandomUid,
    RegisterError,
    TagRefused,
    TagTaken,
)
from firmware.register import Registered, TagRegister, is_random_uid

SMALL = bytes.fromhex("DEADBEEF")  # a MIFARE Classic's 4 bytes
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
    register.bind_all([(NTAG, "straw", LAMP), (SMALL, "straw", COPY), (TRIPLE, "ciao", LAMP)])
    assert register.pieces("straw") == {COPY: SMALL, LAMP: NTAG}
    assert register.pieces("ciao") == {LAMP: TRIPLE}
    assert register.pieces("riff-raff") == {}


def test_an_unbound_tag_can_be_bound_anew(register: TagRegister) -> None:
    register.bind(NTAG, "straw", LAMP)
    assert register.unbind(NTAG)
    assert not register.unbind(NTAG)
    register.bind(NTAG, "straw", COPY)
    assert register.piece_of(NTAG) == Registered("straw", COPY)


def test_a_taken_tag_is_refused_with_what_it_sticks_on(register: TagRegister) -> None:
    register.bind(NTAG, "straw", LAMP)
    with pytest.raises(TagTaken) as caught:
        register.bind(NTAG, "straw", COPY)
    assert str(caught.value) == (
        "The tag 04 A1 B2 C3 D4 E5 F6 sticks on lamp#2 of straw already. "
        "Take a new tag for copy#1 of straw, or unbind this one first."
    )
    assert caught.value.facts == {"game": "straw", "piece": LAMP}


def test_a_taken_piece_is_refused_with_its_tag(register: TagRegister) -> None:
    register.bind(NTAG, "straw", LAMP)
    with pytest.raises(PieceTaken) as caught:
        register.bind(SMALL, "straw", LAMP)
    assert str(caught.value) == (
        "lamp#2 of straw has the tag 04 A1 B2 C3 D4 E5 F6 already. "
        "Bind the tag DE AD BE EF to another piece, or unbind the old one first."
    )


def test_a_random_uid_is_refused_with_why(register: TagRegister) -> None:
    assert is_random_uid(RANDOM)
    with pytest.raises(RandomUid, match=r"08 12 34 56 is random: it starts with 08h"):
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
        register.bind_all([(NTAG, "straw", LAMP), (NTAG, "straw", COPY)])
    assert register.pieces("straw") == {}


def test_a_register_of_a_newer_version_is_left_alone(file: Path) -> None:
    with closing(sqlite3.connect(file)) as newer:
        newer.execute("PRAGMA user_version = 7")
    before = file.read_bytes()
    with pytest.raises(RegisterError, match=r"has schema version 7; .* up to 1\. Update tapmat"):
        TagRegister(file)
    assert file.read_bytes() == before


def test_a_full_disk_is_told_and_nothing_is_lost(file: Path, register: TagRegister) -> None:
    register.bind(NTAG, "straw", LAMP)
    connection = register._store._connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    many = [(n.to_bytes(7, "big"), "straw", Piece("weight-1", n)) for n in range(1, 1000)]
    with pytest.raises(RegisterError, match=r"tags\.sqlite finds no room on the disk"):
        register.bind_all(many)
    assert register.pieces("straw") == {LAMP: NTAG}
    connection.execute("PRAGMA max_page_count = 100000")
    register.bind_all(many)
    assert len(register.pieces("straw")) == 1000
