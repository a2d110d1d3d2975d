"""Earcons: the short tones that answer a tap."""

import pytest

from firmware.show.earcons import SILENCE, TONES, Earcon
from firmware.show.view import Cue


def test_nothing_sounds_before_something_happens() -> None:
    assert Earcon().tone(0.0) is None


def test_an_accepted_tap_is_one_high_tone() -> None:
    earcon = Earcon()
    earcon.begin(Cue.ACCEPTED, 10.0)
    assert [earcon.tone(at) for at in (10.0, 10.05, 10.06, 11.0)] == [880.0, 880.0, None, None]


def test_a_refused_tap_is_two_low_tones() -> None:
    earcon = Earcon()
    earcon.begin(Cue.REFUSED, 10.0)
    heard = [earcon.tone(at) for at in (10.0, 10.17, 10.2, 10.25, 10.47, 10.5)]
    assert heard == [330.0, 330.0, None, 220.0, 220.0, None]


def test_a_new_earcon_cuts_off_the_old() -> None:
    earcon = Earcon()
    earcon.begin(Cue.REFUSED, 10.0)
    earcon.begin(Cue.ACCEPTED, 10.05)
    assert earcon.tone(10.05) == 880.0
    assert earcon.tone(10.2) is None


def test_a_late_look_skips_what_is_over() -> None:
    earcon = Earcon()
    earcon.begin(Cue.REFUSED, 10.0)
    assert earcon.tone(10.3) == 220.0


@pytest.mark.parametrize("cue", Cue)
def test_every_cue_has_its_tones(cue: Cue) -> None:
    assert all(seconds > 0 for _, seconds in TONES[cue])


def rhythm(cue: Cue) -> tuple[str, ...]:
    """Return *cue* as long and short tones, as heard by a person who does not notice pitch."""
    sounding = [seconds for frequency, seconds in TONES[cue] if frequency != SILENCE]
    return tuple("long" if seconds >= 0.15 else "short" for seconds in sounding)


def test_cues_are_told_apart_by_rhythm_alone() -> None:
    assert [rhythm(cue) for cue in Cue] == [
        ("short",), ("short", "short"), ("short", "short", "long"), ("long", "long"),
    ]  # fmt: skip


@pytest.mark.parametrize("cue", Cue)
def test_between_two_tones_there_is_a_gap(cue: Cue) -> None:
    frequencies = [frequency for frequency, _ in TONES[cue]]
    assert all(gap == SILENCE for gap in frequencies[1::2])
    assert SILENCE not in frequencies[::2]
