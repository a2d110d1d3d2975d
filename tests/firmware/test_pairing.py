"""Tests of pairing codes: right ones at once, wrong ones ever more slowly, then people decide."""

import pytest

from firmware.show.view import in_groups
from firmware.web import pairing
from firmware.web.pairing import LONGEST_WAIT_S, MOST_WRONG, WITHIN_S, PairingGuard, PairingResult

HOME, OTHER = "192.0.2.7", "192.0.2.8"


class Hand:
    """A clock that the test sets."""

    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Hand:
    return Hand()


@pytest.fixture
def door(clock: Hand) -> PairingGuard:
    return PairingGuard(clock)


def wrong(door: PairingGuard) -> str:
    return "000000" if door.code != "000000" else "000001"


def test_a_right_code_is_let_in_at_once(door: PairingGuard) -> None:
    assert door.check(HOME, door.code) is PairingResult.RIGHT
    assert door.wait_s(HOME) == 0


def test_a_code_may_be_typed_in_the_groups_of_the_display(door: PairingGuard) -> None:
    assert door.check(HOME, f" {in_groups(door.code)} ") is PairingResult.RIGHT


def test_each_wrong_code_doubles_the_wait_of_its_address_alone(
    door: PairingGuard, clock: Hand
) -> None:
    waits = []
    for _ in range(12):
        assert door.check(HOME, wrong(door)) is PairingResult.WRONG
        waits.append(door.wait_s(HOME))
        clock.now_s += waits[-1]
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, LONGEST_WAIT_S, LONGEST_WAIT_S]
    assert door.check(OTHER, door.code) is PairingResult.RIGHT


def test_during_the_wait_not_even_a_right_code_is_looked_at(
    door: PairingGuard, clock: Hand
) -> None:
    """A code sent during the wait is not checked, so guessing without waiting is useless."""
    door.check(HOME, wrong(door))
    assert door.check(HOME, door.code) is PairingResult.TOO_SOON
    assert door.wait_s(HOME) == 1
    clock.now_s += 1
    assert door.check(HOME, door.code) is PairingResult.RIGHT
    door.check(HOME, wrong(door))
    assert door.wait_s(HOME) == 1  # a right code resets the wait


def test_five_wrong_codes_make_a_new_one(door: PairingGuard, clock: Hand) -> None:
    first = door.code
    for n in range(5):
        assert door.code == first
        door.check(f"192.0.2.{n}", "no")
    assert door.code != first


def test_after_twenty_in_an_hour_people_must_agree_until_the_hour_is_over(
    door: PairingGuard, clock: Hand
) -> None:
    for n in range(MOST_WRONG):
        assert not door.is_guarded
        door.check(f"2001:db8::{n:x}", "no")
    assert door.check(HOME, door.code) is PairingResult.ASK
    clock.now_s += WITHIN_S
    assert door.check(HOME, door.code) is PairingResult.RIGHT


def test_the_addresses_that_are_remembered_are_bounded(
    door: PairingGuard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairing, "MOST_ADDRESSES", 3)
    for n in range(9):
        door.check(str(n), "no")
    assert [n for n in range(9) if door.wait_s(str(n))] == [6, 7, 8]


@pytest.mark.parametrize("code", ["", "\ud800", "12345x"])
def test_what_is_no_code_is_wrong(door: PairingGuard, code: str) -> None:
    assert door.check(HOME, code) is PairingResult.WRONG
