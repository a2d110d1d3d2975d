"""A short run of ``soak_polls``, and tests that the soak reports errors."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hardware.drivers.mfrc522_reader import Mfrc522Reader
from hardware.drivers.oled import Oled
from tests.effort import long_unless
from tests.sim.soak_polls import Failed, Session, play_session

POLLS = 2_000


@pytest.mark.parametrize(
    "number",
    long_unless(lambda number: number < 2, range(3)),
    ids=["one-reader", "two-readers", "three-readers"],
)
def test_every_fault_is_noticed_and_mended_and_no_card_is_made_up(number: int) -> None:
    polls = (number + 1) * POLLS  # the same number for each reader
    counts = play_session(seed=1, number=number, polls=polls)
    assert counts["polls"] >= polls
    assert counts["noticed"] > 5
    others = sum(count for name, count in counts.items() if name.startswith("not noticed: "))
    assert counts["noticed"] + others == counts["struck: to be noticed"]
    assert counts["taps accepted"] > 0


@pytest.mark.long
@pytest.mark.parametrize("number", range(3))
def test_with_honest_tags_and_jitter_every_fault_is_noticed_too(number: int) -> None:
    counts = play_session(seed=1, number=number, polls=3 * POLLS, is_honest=True)
    assert counts["noticed"] > 5
    assert counts["tags arrived"] > 10


@pytest.mark.long
def test_a_session_can_be_had_again() -> None:
    assert play_session(seed=2, number=1, polls=POLLS) == play_session(2, 1, POLLS)


@pytest.mark.long
@pytest.mark.parametrize(("part", "check"), [(Mfrc522Reader, "_check"), (Oled, "check")])
def test_a_part_that_is_not_looked_at_is_reported(
    monkeypatch: pytest.MonkeyPatch, part: type, check: str
) -> None:
    monkeypatch.setattr(part, check, lambda self: None)
    with pytest.raises(Failed, match="nobody noticed"):
        play_session(seed=1, number=0, polls=10 * POLLS)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """A session without random cards, presses and faults."""
    made = Session(tmp_path, "1", readers=2)
    yield made
    made.mat.close()


def test_a_card_that_never_lay_there_is_reported(session: Session) -> None:
    with pytest.raises(Failed, match="never lay"):
        session.arrived("play", bytes(7))


def test_a_card_that_comes_twice_is_reported(session: Session) -> None:
    uid = session.lay("play").uid
    session.arrived("play", uid)
    with pytest.raises(Failed, match="again"):
        session.arrived("play", uid)


def test_a_card_on_another_spot_is_reported(session: Session) -> None:
    uid = session.lay("play").uid
    with pytest.raises(Failed, match="never lay"):
        session.arrived("seat-1", uid)


def test_a_card_that_comes_long_after_it_was_lifted_is_reported(session: Session) -> None:
    uid = session.lay("play").uid
    session.lift_all("play")
    session.mat.board.clock.sleep(5.0)
    with pytest.raises(Failed, match="long after"):
        session.arrived("play", uid)


def test_a_card_that_is_not_seen_is_reported(session: Session) -> None:
    session.mat.board.clock.sleep(5.0)
    session.lay("play")
    session.mat.board.clock.sleep(1.0)
    with pytest.raises(Failed, match="unseen"):
        session.lift_all("play")
