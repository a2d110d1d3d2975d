"""Tests of the GPIO pins: who drives a level, and who hears of it."""

import pytest

from fakepi.gpio import BCM_OF_BOARD, HeaderPin, Pins, ShortCircuitError


def test_after_power_on_the_first_nine_pins_are_pulled_up() -> None:
    assert [pin.level for pin in Pins()] == [1] * 9 + [0] * 19


def test_a_pin_that_is_not_on_the_header_is_refused() -> None:
    with pytest.raises(KeyError, match="no GPIO28"):
        Pins()[28]


def test_each_gpio_of_the_header_has_one_contact() -> None:
    assert sorted(BCM_OF_BOARD.values()) == list(range(28))


def test_a_button_wins_over_the_pull_up() -> None:
    pin = HeaderPin(17)
    pin.make_input("up")
    levels: list[int] = []
    pin.watch(levels.append)
    pin.press()
    pin.release()
    assert levels == [0, 1]


def test_an_ended_watch_hears_no_more() -> None:
    pin = HeaderPin(17)
    levels: list[int] = []
    end = pin.watch(levels.append)
    end()
    end()
    pin.drive(1)
    assert levels == []


def test_a_floating_pin_keeps_its_level() -> None:
    pin = HeaderPin(17)
    pin.make_input("up")
    pin.make_input("off")
    assert pin.level == 1


def test_a_soldered_pull_up_is_stronger_than_the_pull_down_of_the_pi() -> None:
    pin = HeaderPin(17)
    pin.make_input("down")
    pin.pull_up()
    assert pin.level == 1
    pin.make_output(0)
    assert pin.level == 0


def test_an_output_against_a_pressed_button_is_a_short_circuit() -> None:
    pin = HeaderPin(17)
    pin.press()
    pin.make_output(0)
    with pytest.raises(ShortCircuitError, match="GPIO17 is an output and drives high"):
        pin.write(1)


def test_pulses_have_a_frequency_and_a_duty() -> None:
    pin = HeaderPin(18)
    pin.make_output(0)
    pin.set_pwm(50, 0.075)
    assert (pin.pwm, pin.value, pin.level) == ((50, 0.075), 0.075, 0)
    pin.write(1)
    assert (pin.pwm, pin.value) == (None, 1.0)
