"""The short tones that answer a tap."""

import pytest

from firmware.earcons import TONES, Earcon
from firmware.view import Flash


def test_nothing_sounds_before_something_happens() -> None:
    assert Earcon().tone(0.0) is None


def test_an_accepted_tap_is_one_high_tone() -> None:
    earcon = Earcon()
    earcon.begin(Flash.ACCEPTED, 10.0)
    assert [earcon.tone(at) for at in (10.0, 10.05, 10.06, 11.0)] == [880.0, 880.0, None, None]


def test_a_refused_tap_is_two_low_tones() -> None:
    earcon = Earcon()
    earcon.begin(Flash.REFUSED, 10.0)
    heard = [earcon.tone(at) for at in (10.0, 10.1, 10.13, 10.3, 10.33)]
    assert heard == [330.0, 330.0, 220.0, 220.0, None]


def test_a_new_earcon_cuts_off_the_old() -> None:
    earcon = Earcon()
    earcon.begin(Flash.REFUSED, 10.0)
    earcon.begin(Flash.ACCEPTED, 10.05)
    assert earcon.tone(10.05) == 880.0
    assert earcon.tone(10.2) is None


def test_a_late_look_skips_what_is_over() -> None:
    earcon = Earcon()
    earcon.begin(Flash.REFUSED, 10.0)
    assert earcon.tone(10.2) == 220.0


@pytest.mark.parametrize("flash", Flash)
def test_every_flash_has_its_tones(flash: Flash) -> None:
    assert all(seconds > 0 for _, seconds in TONES[flash])


def test_yes_and_no_differ_in_length_for_those_who_cannot_hear_pitch() -> None:
    yes, no = (sum(seconds for _, seconds in TONES[f]) for f in (Flash.ACCEPTED, Flash.REFUSED))
    assert no >= 2 * yes
