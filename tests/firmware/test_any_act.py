"""The table answers anything people do, and the journal always holds the same game as the table."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.common.contract import (
    SEAT_SPOTS,
    Button,
    Choice,
    Number,
    PlaceChoice,
    Press,
    Seat,
    SeatChoice,
    seat_of_spot,
)
from engines.common.grid import Place
from engines.common.pieces import Piece
from firmware.boxes.decks import COMMAND_CARDS
from firmware.config.table_config import BUTTONS, SPOTS
from firmware.runtime.controller import REGISTER, decks_of
from firmware.show.view import JoinAddress
from firmware.table.events import (
    AddressChanged,
    CodeRequested,
    Event,
    PartFailed,
    PartRecovered,
    PhoneAct,
    PhoneCommand,
    PhoneLetIn,
    PhoneRequested,
    PhoneSilent,
    RobotChosen,
    SettingChosen,
    TagOnSpot,
    TagRemoved,
    TagsArrived,
    TagUnreadable,
)
from firmware.table.modes.choosing_box import ChoosingBox
from firmware.table.modes.enrolling import Enrolling
from firmware.table.modes.game_overlay import GameOverlay
from firmware.table.modes.idle import Idle
from firmware.table.modes.mode import Mode
from firmware.table.modes.mode_above import ModeAbove
from firmware.table.modes.playing import Playing
from hardware.ports import Pressed, Rocked, Turned
from sim.mat.tags import stranger_uid, uid_of
from tests.firmware.tabletop import CONFIG, Tabletop, arrived

ENROLLED = f"{REGISTER}.at-first"
STRAW = decks_of(CONFIG)["straw"]
CARDS = [uid_of("straw", piece) for piece in STRAW.pieces()]
COMMANDS = [uid_of("commands", piece) for piece in COMMAND_CARDS.pieces()]
OK = uid_of("commands", Piece("ok"))
STRANGERS = [
    stranger_uid(),
    bytes.fromhex("08A1B2C3"),  # a random UID, as telephones have
    b"",
    b"\x04spare!",  # bound by ``folder`` to a copy that the deck does not have
    b"\x04chess!",  # bound by ``folder`` to a piece of a game that is not installed
]

NOW = -1  # stands for the last entry of the journal

tags = st.sampled_from(CARDS) | st.sampled_from(COMMANDS) | st.sampled_from(STRANGERS)
events = st.one_of(
    st.builds(
        TagsArrived,
        st.lists(
            st.builds(TagOnSpot, st.sampled_from(SPOTS), tags),
            min_size=1,
            max_size=5,
            unique_by=lambda laid: laid.uid,
        ).map(tuple),
        st.booleans(),
    ),
    st.builds(TagUnreadable, st.sampled_from(SPOTS)),
    st.sampled_from(CARDS).map(arrived),
    st.sampled_from((*COMMANDS, OK)).map(arrived),
    st.builds(TagRemoved, st.sampled_from(SPOTS), tags),
    st.integers(-80, 80).map(Turned),
    st.sampled_from(BUTTONS[:3]).map(Pressed),
    st.just(PartFailed("reader play", "reader")),
    st.just(PartRecovered("reader play")),
    st.just(CodeRequested("1234")),
    st.sampled_from((JoinAddress("", "123456", "tapmat.local:8738"), None)).map(AddressChanged),
    st.sampled_from(["Ann", None]).map(PhoneLetIn),
    st.builds(PhoneRequested, st.just("42"), st.sampled_from(["Ann", "Zoe", None])),
    st.builds(
        PhoneAct,
        st.sampled_from(["Ann", "Ben", "Cem", "Zoe", None]),
        st.sampled_from([NOW, 1]),
        st.sampled_from(
            [
                *(Number(n) for n in (0, 1, 7, 50)),
                *map(Press, Button),
                *(Choice("yes"), SeatChoice(Seat(1)), PlaceChoice(Place(0, 0))),
                *PhoneCommand,
                *(SettingChosen("level", each) for each in ("full", "terse", "loud")),
                SettingChosen("kit", "x"),
                RobotChosen(Seat(1), "good"),
            ]
        ),
    ),
    st.sampled_from(["Ann", "Zoe"]).map(PhoneSilent),
    st.just(Rocked()),
)


@pytest.mark.parametrize(
    "spot", ["", "play", "seat", "seat-", "seat-0", "seat-7", "seat-x", "seat-01"]
)
def test_a_spot_that_is_no_seats_is_nobodys(spot: str) -> None:
    assert seat_of_spot(spot) is None


def test_each_seat_has_its_own_spot() -> None:
    assert [seat_of_spot(spot) for spot in SEAT_SPOTS] == [Seat(n) for n in range(6)]
    assert set(SEAT_SPOTS) < set(SPOTS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder with enrolled decks; ``ENROLLED`` is a copy of its register."""
    folder = tmp_path_factory.mktemp("any-act")
    top = Tabletop(folder)
    top.register.bind(STRANGERS[-1], "chess", Piece("king"))
    top.register.bind(STRANGERS[-2], "straw", Piece("weight-3", 9))
    top.close()
    shutil.copy(folder / REGISTER, folder / ENROLLED)
    return folder


@settings(deadline=None, max_examples=60)
@given(acts=st.lists(events, max_size=60), is_playing=st.booleans())
def test_nothing_that_people_do_is_raised_and_the_journal_tells_the_same(
    folder: Path, acts: list[Event], is_playing: bool
) -> None:
    shutil.copy(folder / ENROLLED, folder / REGISTER)
    top = Tabletop(folder)
    try:
        if top.journal.open_game() is not None:
            top.journal.end("abandoned")
            top.again()
        if is_playing:
            top.start()
        for act in acts:
            match act:
                case PhoneAct(player, moment, what) if moment == NOW:
                    top.receive(PhoneAct(player, top.journal.moment, what))
                case _:
                    top.receive(act)
            assert_is_what_the_journal_tells(top)
        before = under(top.table._mode)
        top.again()
        assert top.view.headline == before.view().headline or not before.view().headline
    finally:
        top.close()


def assert_is_what_the_journal_tells(top: Tabletop) -> None:
    mode, record = under(top.table._mode), top.journal.open_game()
    assert isinstance(mode, Playing) == (record is not None)
    if isinstance(mode, Playing) and record is not None:
        assert Playing.resume(mode.context, record).state == mode.state


def under(mode: Mode) -> Mode:
    """Return the mode that is left when every list and dialogue over it has been closed."""
    while isinstance(mode, ChoosingBox | Enrolling | GameOverlay | ModeAbove):
        if isinstance(mode, GameOverlay):
            mode = mode.playing
        else:
            mode = Idle(mode.context) if mode.return_to is None else mode.return_to
    return mode
