"""The register stays consistent during any acts of enrolling, and every act can be undone."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.common.pieces import Piece
from firmware.boxes.register import Registered, TagRegister
from firmware.runtime.controller import REGISTER, decks_of
from firmware.table.events import Event, TagOnSpot, TagsArrived
from firmware.table.modes.enrolling import Enrolling
from hardware.ports import Pressed, Turned
from sim.mat.tags import uid_of
from tests.effort import some
from tests.firmware.tabletop import CONFIG, Tabletop, arrived

GAME = "cramel"
DECK = decks_of(CONFIG)[GAME]
AT_FIRST = f"{REGISTER}.at-first"
ENROLLED = [piece for piece in DECK.pieces() if piece.kind not in ("gol", "roby")]
NEW = [uid_of("new", Piece("sticker", number)) for number in range(30)]
OTHERS = [uid_of("cramel, box 2", piece) for piece in DECK.pieces()[:6]]
ODD = [bytes.fromhex("08A1B2C3"), b"\x04\x05"]

uids = st.sampled_from([*NEW, *OTHERS, *ODD, *(uid_of(GAME, piece) for piece in ENROLLED)])
taps = uids.map(arrived)
events: st.SearchStrategy[Event] = st.one_of(
    taps,
    taps,
    st.lists(uids, min_size=2, max_size=3, unique=True).map(
        lambda several: TagsArrived(tuple(TagOnSpot("play", uid) for uid in several))
    ),
    st.integers(-9, 9).map(Turned),
    st.sampled_from(("ok", "action", "action", "back")).map(Pressed),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder with a box that lacks two kinds, and a second box with six stickers."""
    folder = tmp_path_factory.mktemp("enrolling")
    register = TagRegister(folder / REGISTER)
    register.bind_all((uid_of(GAME, piece), Registered(GAME, piece)) for piece in ENROLLED)
    register.bind_all(
        (uid, Registered(GAME, piece, 2)) for uid, piece in zip(OTHERS, DECK.pieces(), strict=False)
    )
    register.close()
    shutil.copy(folder / REGISTER, folder / AT_FIRST)
    return folder


def everything(register: TagRegister) -> dict[Registered, bytes]:
    """Return every sticker that is bound in either box."""
    return {
        Registered(GAME, piece, box): uid
        for box in (1, 2)
        for piece, uid in register.pieces(GAME, box).items()
    }


def assert_sound(top: Tabletop) -> None:
    """Fail if copies of a kind have gaps, a tag is bound twice, or the mode is out of date."""
    bound = everything(top.register)
    assert len(set(bound.values())) == len(bound)
    for on in bound:
        before = Registered(GAME, Piece(on.piece.kind, on.piece.copy - 1), on.box)
        assert on.piece.copy == 1 or before in bound, f"{on} without {before}"
    mode = top.table._mode
    if isinstance(mode, Enrolling):
        assert mode.box == top.table.context.box(GAME)


@settings(max_examples=some(80))
@given(acts=st.lists(events, max_size=40))
def test_the_register_stays_sound_and_every_act_of_a_sitting_can_be_taken_back(
    folder: Path, acts: list[Event]
) -> None:
    shutil.copy(folder / AT_FIRST, folder / REGISTER)
    top = Tabletop(folder, is_blank=True)
    try:
        top.table.enrol(GAME)
        before = everything(top.register)
        for act in acts:
            top.receive(act)
            assert_sound(top)
            if top.table.enrolling_game is None:
                top.table.enrol(GAME)
                before = everything(top.register)
        while isinstance(mode := top.table._mode, Enrolling) and mode.changes:
            top.press("back")
            assert_sound(top)
        assert everything(top.register) == before
    finally:
        top.close()
