"""Tests of races through the whole stack, from the chips to Slap, a game of reaction.

``tapmat bench`` runs a thousand races in the same way.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random

import pytest

from engines.common.contract import SEAT_SPOTS
from engines.common.pieces import Piece
from fakepi.host import PROFILES, HostProfile
from fakepi.ntag import Ntag
from firmware.config.table_config import load_config
from firmware.runtime.controller import decks_of
from firmware.runtime.loop import PASS_S, RACE_DRAW_S
from sim.mat.mat import Mat
from sim.mat.parts import EXACT, Conditions
from sim.mat.tags import uid_of
from sim.people.person import EmulatedPerson
from sim.people.race import APART_S, Race, Track, with_seats
from tests.effort import long_unless
from tests.engines.contract import check_game
from tests.firmware import slap

TWO = SEAT_SPOTS[:2]
ALL_ON, IN_TURN = False, True
APART_IN_TURN_S = 0.020  # two polls, one slice of a picture, one whole read and a patient poll
ROUNDS = 60


def races(
    spots: tuple[str, ...],
    *,
    in_turn: bool,
    apart_s: float,
    seed: int,
    conditions: Conditions = EXACT,
) -> list[Race]:
    """Run ``ROUNDS`` races between taps on *spots* and return them.

    The taps are *apart_s* seconds apart. With *in_turn*, only one reader's field is on at a time.
    """
    config = with_seats(load_config(), len(spots) + 1, in_turn=in_turn)
    chance = Random(seed)
    with Track(config, spots, conditions) as track:
        return [track.race_once(chance, apart_s) for _ in range(ROUNDS)]


# --- without a game ------------------------------------------------------------------------------


def test_two_taps_ten_milliseconds_apart_are_told_in_their_order() -> None:
    """The display is drawn all the time, because each arrival changes the picture."""
    run = races(TWO, in_turn=ALL_ON, apart_s=APART_S, seed=1)
    assert [race for race in run if not race.is_right] == []
    assert {race.first for race in run} == set(TWO)


def test_fields_in_turn_need_a_little_more_between_two_taps() -> None:
    run = races(TWO, in_turn=IN_TURN, apart_s=APART_IN_TURN_S, seed=2)
    assert [race for race in run if not race.is_right] == []


@pytest.mark.parametrize("in_turn", [ALL_ON, IN_TURN])
@pytest.mark.parametrize(
    "apart_s", long_unless((0.0, APART_S).__contains__, [0.0, 0.001, 0.005, APART_S])
)
def test_a_race_on_three_spots_is_never_told_the_wrong_way_round(
    in_turn: bool, apart_s: float
) -> None:
    """Taps that the readers cannot tell apart have no winner; the people decide."""
    for race in races(SEAT_SPOTS[:3], in_turn=in_turn, apart_s=apart_s, seed=3):
        assert race.is_open or (race.is_right and apart_s > 0), race


def test_taps_at_the_same_moment_are_told_as_one() -> None:
    run = races(TWO, in_turn=ALL_ON, apart_s=0.0, seed=4)
    assert all(race.is_open for race in run)


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
@pytest.mark.parametrize("in_turn", [ALL_ON, IN_TURN])
@pytest.mark.parametrize("apart_s", long_unless(APART_S.__eq__, [0.005, APART_S, 0.03]))
def test_a_race_of_honest_cards_is_never_told_the_wrong_way_round(
    in_turn: bool, apart_s: float, profile: HostProfile
) -> None:
    """With fields in turn, one card in five needs longer to wake up than the guard time."""
    conditions = Conditions.honest(4, profile)
    spots = SEAT_SPOTS[:3]
    for race in races(spots, in_turn=in_turn, apart_s=apart_s, seed=4, conditions=conditions):
        assert race.is_open or race.is_right, race


def test_a_slow_card_loses_no_race_and_a_prompt_one_wins_most() -> None:
    """The table asks only if a slow card was first; it never gives the race to the other one."""
    conditions = Conditions.honest(4, PROFILES[0])
    run = races(TWO, in_turn=IN_TURN, apart_s=0.03, seed=4, conditions=conditions)
    assert all(race.is_open or race.is_right for race in run)
    assert sum(race.is_right for race in run) >= 0.9 * ROUNDS


# --- in a game -----------------------------------------------------------------------------------


def test_slap_keeps_the_engine_contract() -> None:
    check_game(slap.GAME, playouts=3)


class Slapping:
    """A mat on which Slap has begun for two, with one more reader, and hands that play cards."""

    def __init__(self, folder: Path, *, in_turn: bool) -> None:
        self.apart_s = APART_IN_TURN_S if in_turn else APART_S
        self.mat = Mat(with_seats(load_config(), 3, in_turn=in_turn), folder)
        self.mat.power_on()
        self.person = EmulatedPerson(self.mat, decks_of(self.mat.config))
        self.person.begin("slap", 2)
        self.mat.wait(1.0)

    @property
    def now_s(self) -> float:
        return self.mat.board.clock.now()

    @property
    def asks(self) -> tuple[str, ...]:
        return self.mat.view.asks

    @property
    def pause_s(self) -> float:
        """The pause that the loop requests after one more turn, in seconds."""
        loop = self.mat.running.loop
        loop.step()
        return loop.pause_s

    def lay(self, spot: str, piece: str, after_s: float = 0.0) -> None:
        """Place a card on *spot* after *after_s* seconds, in the middle of the mat's work."""
        tag = Ntag(uid_of("slap", Piece.parse(piece)))
        enter = partial(self.mat.board.readers[spot].field.enter, tag)
        self.mat.board.clock.call_at(round((self.now_s + after_s) * 1e9), enter)

    def lift_all(self) -> None:
        """Lift all cards from all spots."""
        for spot in self.mat.board.readers:
            self.mat.lift(self.mat.tags_on(spot), spot)
        self.mat.wait(0.4)

    def work(self, seconds: float) -> dict[str, int]:
        """Return the number of transfers of each reader within *seconds*."""
        readers = self.mat.board.readers.items()
        before = {spot: reader.devices[-1].transfers for spot, reader in readers}
        self.mat.wait(seconds)
        return {spot: reader.devices[-1].transfers - before[spot] for spot, reader in readers}


@pytest.fixture(params=[ALL_ON, IN_TURN], ids=["all-on", "in-turn"])
def slapping(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Slapping]:
    with slap.installed():
        made = Slapping(tmp_path, in_turn=request.param)
        yield made
        made.mat.close()


def test_the_first_player_to_slap_scores(slapping: Slapping) -> None:
    chance = Random(5)
    for number in range(10):
        first, second = chance.sample((0, 1), 2)
        assert slapping.asks == ("race",)
        after_s = chance.uniform(0, 0.05)
        slapping.lay(TWO[first], f"newt#{1 + number % 3}", after_s)
        slapping.lay(TWO[second], f"newt#{4 + number % 3}", after_s + slapping.apart_s)
        slapping.mat.wait(0.2)
        assert slapping.mat.view.scores[first] == 1, number
        assert slapping.mat.refused[-1].code == "not-expected-now"
        assert len(slapping.mat.refused) == number + 1
        slapping.lift_all()
        slapping.person.press("back")


def test_who_was_first_is_asked_for_when_nobody_can_tell(slapping: Slapping) -> None:
    slapping.lay("seat-1", "newt#1", 0.02)
    slapping.lay("seat-2", "newt#2", 0.02)
    slapping.mat.wait(0.2)
    assert slapping.asks == ("order newt, newt",)
    choices = slapping.mat.view.choices
    assert choices is not None
    assert choices.items == slapping.mat.view.names
    assert slapping.mat.view.scores == (0, 0)
    slapping.person.choose("newt#2")
    assert slapping.mat.view.scores == (0, 1)


def test_a_seat_card_tells_too_who_was_first(slapping: Slapping) -> None:
    slapping.lay("seat-1", "newt#1", 0.02)
    slapping.lay("seat-2", "newt#2", 0.02)
    slapping.mat.wait(0.2)
    assert slapping.mat.view.scores == (0, 0)
    slapping.person.move("tap", ["seat-2"], "play", None)
    assert slapping.mat.view.scores == (0, 1)


def test_a_race_watches_its_spots_alone_and_without_a_pause(slapping: Slapping) -> None:
    racing = slapping.work(1.0)
    assert (racing["play"], racing["seat-3"]) == (0, 0)
    assert slapping.pause_s == 0.0
    slapping.lay("seat-1", "newt")
    slapping.mat.wait(0.2)
    slapping.lift_all()
    assert slapping.asks == ("press action next",)
    calm = slapping.work(1.0)
    assert calm["play"] > 0
    assert calm["seat-3"] > 0
    assert racing["seat-1"] > 2 * calm["seat-1"]
    assert 0.0 < slapping.pause_s < PASS_S
    slapping.person.press("action")
    assert slapping.asks == ("race",)
    slapping.mat.wait(0.1)
    assert slapping.work(1.0) == pytest.approx(racing, rel=0.02)


def test_a_card_of_another_spot_waits_until_the_race_is_over(slapping: Slapping) -> None:
    slapping.lay("play", "newt#1")
    slapping.mat.wait(1.0)
    assert not slapping.mat.refused
    slapping.lay("seat-2", "newt#2")
    slapping.mat.wait(0.3)
    assert slapping.mat.view.scores == (0, 1)
    assert [notice.code for notice in slapping.mat.refused] == ["not-expected-now"]


def test_presses_are_taken_during_a_race(slapping: Slapping) -> None:
    slapping.mat.press("ok")
    assert slapping.mat.view.choices is not None
    assert slapping.asks == ("race",)
    slapping.mat.press("back")
    assert slapping.mat.view.choices is None


def test_a_race_draws_in_slices_until_all_of_it_is_shown(slapping: Slapping) -> None:
    bus, mat = slapping.mat.board.i2c_bus, slapping.mat
    mat.wait(0.2)
    mat.hold("ok")  # opens the menu, which is a new picture
    most_s, slices = 0.0, 0
    for _ in range(200):
        bits = bus.bits
        mat.step()
        took_s = (bus.bits - bits) / bus.clock_hz
        most_s = max(most_s, took_s)
        slices += took_s > 0
    assert slices > 1
    assert most_s <= RACE_DRAW_S
    choices = mat.view.choices
    assert choices is not None
    assert all(mat.shows(item) for item in choices.items[:2])
    mat.release("ok")


def test_a_race_goes_on_when_its_readers_are_lost(slapping: Slapping) -> None:
    """With one reader lost, the other still races; with both lost, the loop pauses as usual."""
    mat = slapping.mat
    mat.fault("reader-dead", "seat-1")
    mat.wait(1.0)
    assert slapping.pause_s == 0.0
    mat.fault("reader-dead", "seat-2")
    mat.wait(1.0)
    assert slapping.pause_s > 0.0
    mat.fault("none", None)
    mat.wait(1.0)
    assert slapping.pause_s == 0.0
    slapping.lay("seat-2", "newt")
    mat.wait(0.2)
    assert mat.view.scores == (0, 1)
