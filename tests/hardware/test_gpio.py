"""Tests of the lamps, controls, buzzer and chip wires on gpiozero's mock pins."""

import gc
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from fakepi.clock import VirtualClock
from hardware.drivers.gpio import (
    LEVELS_S,
    GpioBuzzer,
    GpioControls,
    GpioLamps,
    GpioReset,
    GpioSelect,
)
from hardware.drivers.selected_spi import SelectPin
from hardware.errors import MissingPart
from hardware.ports import (
    LAMP_OFF,
    LAMP_ON,
    Buzzer,
    Controls,
    Lamps,
    LampValue,
    Pressed,
    ResetPin,
    Rocked,
    Turned,
)

A, B, OK, BACK, ACTION, LEFT, RIGHT, TILT = 5, 6, 13, 19, 26, 20, 21, 15


@pytest.fixture
def pins() -> Iterator[Any]:
    factory = MockFactory(pin_class=MockPWMPin)
    yield factory
    factory.reset()


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


class Hand:
    """A hand on the controls: drives the mock pins as contacts would and advances the clock."""

    def __init__(self, pins: Any, clock: VirtualClock) -> None:
        self.pins, self.clock = pins, clock

    def level(self, pin: int, is_high: bool) -> None:
        moved = self.pins.pin(pin)
        if is_high:
            moved.drive_high()
        else:
            moved.drive_low()

    def press(self, pin: int, bounces: int = 0) -> None:
        """Press and release the button on *pin*, with *bounces* of 1 ms after each."""
        for is_high in (False, *[True, False] * bounces, True, *[False, True] * bounces):
            self.level(pin, is_high)
            self.clock.sleep(0.001)
        self.clock.sleep(0.1)

    def turn(self, steps: int) -> None:
        """Turn the encoder by *steps*; positive is clockwise, where pin A changes before pin B."""
        first, second = (A, B) if steps > 0 else (B, A)
        for _ in range(abs(steps)):
            for pin, is_high in ((first, False), (second, False), (first, True), (second, True)):
                self.level(pin, is_high)
                self.clock.sleep(0.001)


@pytest.fixture
def hand(pins: Any, clock: VirtualClock) -> Hand:
    return Hand(pins, clock)


@pytest.fixture
def controls(pins: Any, clock: VirtualClock) -> Iterator[GpioControls]:
    made = GpioControls(clock, encoder=(A, B), ok=OK, back=BACK, action=ACTION, pin_factory=pins)
    yield made
    made.close()


# Lamps


def test_a_lamp_is_on_at_any_brightness_and_its_pin_has_no_pulses(pins: Any) -> None:
    lamps: Lamps = GpioLamps({"seat-1": 17, "accepted": 22}, pins)
    assert lamps.names == ("seat-1", "accepted")
    assert (pins.pin(17).state, pins.pin(22).state) == (0, 0)
    lamps.set({"seat-1": LampValue(0.25, (255, 0, 0))})
    lamps.set({"accepted": LAMP_ON})
    assert (pins.pin(17).state, pins.pin(22).state) == (1, 1)
    lamps.set({"seat-1": LAMP_OFF})
    assert (pins.pin(17).state, pins.pin(17).frequency) == (0, None)
    lamps.close()


def test_a_lamp_the_table_does_not_have_is_left_out(pins: Any) -> None:
    lamps = GpioLamps({}, pins)
    lamps.set({"seat-6": LAMP_ON})
    assert lamps.names == ()


def test_close_puts_the_lamps_out_and_is_safe_twice(pins: Any) -> None:
    lamps = GpioLamps({"seat-1": 17}, pins)
    lamps.set({"seat-1": LAMP_ON})
    lamps.close()
    assert (pins.pin(17).state, pins.pin(17).function) == (0, "input")
    lamps.close()
    GpioLamps({"seat-2": 17}, pins).close()  # works because the pin was released


def test_a_pin_in_use_is_a_missing_part_and_frees_the_others(pins: Any) -> None:
    with pytest.raises(MissingPart, match=r"lamp seat-2 on GPIO17: .*in use.* table\.toml"):
        GpioLamps({"seat-1": 17, "seat-2": 17}, pins)
    GpioLamps({"seat-1": 17}, pins).close()


# Controls


def test_nothing_done_is_no_event(controls: Controls) -> None:
    assert controls.poll() == ()


@pytest.mark.parametrize("steps", [1, -1, 5, -3])
def test_detents_add_up(controls: Controls, hand: Hand, steps: int) -> None:
    hand.turn(steps)
    assert controls.poll() == (Turned(steps),)
    assert controls.poll() == ()


def test_there_and_back_again_is_no_turn(controls: Controls, hand: Hand) -> None:
    hand.turn(2)
    hand.turn(-2)
    assert controls.poll() == ()


def test_half_a_detent_is_no_turn(controls: Controls, hand: Hand) -> None:
    hand.level(A, False)
    hand.level(A, True)
    assert controls.poll() == ()


@pytest.mark.parametrize(("pin", "button"), [(OK, "ok"), (BACK, "back"), (ACTION, "action")])
@pytest.mark.parametrize("bounces", [0, 4])
def test_a_press_is_one_event(
    controls: Controls, hand: Hand, pin: int, button: str, bounces: int
) -> None:
    hand.press(pin, bounces)
    assert controls.poll() == (Pressed(button),)
    hand.press(pin, bounces)
    assert controls.poll() == (Pressed(button),)
    assert controls.poll() == ()


def test_a_press_is_told_while_the_button_is_held(controls: Controls, hand: Hand) -> None:
    hand.level(OK, False)
    assert controls.poll() == (Pressed("ok"),)
    hand.clock.sleep(3)
    assert controls.poll() == ()
    hand.level(OK, True)
    assert controls.poll() == ()


def test_events_keep_their_order(controls: Controls, hand: Hand) -> None:
    hand.turn(2)
    hand.press(OK, bounces=2)
    hand.turn(-1)
    hand.press(BACK)
    hand.press(OK)
    assert controls.poll() == (
        Turned(2),
        Pressed("ok"),
        Turned(-1),
        Pressed("back"),
        Pressed("ok"),
    )


def test_a_lost_edge_does_not_lose_the_next_press(controls: Controls, hand: Hand) -> None:
    """Pin libraries drop edges when many arrive at once."""
    pin = hand.pins.pin(OK)
    hand.level(OK, False)
    assert controls.poll() == (Pressed("ok"),)
    hand.clock.sleep(0.1)
    pin._change_state(True)  # the level changes without a callback
    assert controls.poll() == ()
    hand.clock.sleep(0.1)
    pin._change_state(False)
    assert controls.poll() == (Pressed("ok"),)


def test_levels_are_read_now_and_then_and_edges_at_every_poll(
    pins: Any, clock: VirtualClock, hand: Hand
) -> None:
    reads = []

    class CountingPin(MockPWMPin):  # type: ignore[misc]  # gpiozero has no type hints
        def _get_state(self) -> bool:
            reads.append(clock.now())
            return bool(super()._get_state())

    pins.pin(OK, pin_class=CountingPin)
    with closing(GpioControls(clock, ok=OK, pin_factory=pins)) as controls:
        reads.clear()
        for _ in range(100):  # one second at the pace of the loop
            controls.poll()
            clock.sleep(0.01)
        assert 1 / LEVELS_S - 1 <= len(reads) <= 1 / LEVELS_S + 1
        controls.poll()
        reads.clear()
        hand.level(OK, False)
        assert controls.poll() == (Pressed("ok"),)
        pins.pin(OK)._change_state(True)  # the level changes without a callback
        clock.sleep(LEVELS_S)
        controls.poll()
        pins.pin(OK)._change_state(False)
        clock.sleep(LEVELS_S)
        assert controls.poll() == (Pressed("ok"),)


def test_a_button_held_at_the_start_is_no_press(pins: Any, clock: VirtualClock) -> None:
    class StuckPin(MockPWMPin):  # type: ignore[misc]  # gpiozero has no type hints
        def _set_pull(self, value: str) -> None:
            super()._set_pull(value)
            self.drive_low()

    pins.pin(OK, pin_class=StuckPin)
    controls = GpioControls(clock, ok=OK, pin_factory=pins)
    assert controls.poll() == ()
    controls.close()


def test_three_plain_buttons_turn_and_press(pins: Any, clock: VirtualClock, hand: Hand) -> None:
    controls: Controls = GpioControls(clock, left=LEFT, right=RIGHT, ok=OK, pin_factory=pins)
    hand.press(RIGHT)
    hand.press(RIGHT, bounces=3)
    hand.press(OK)
    hand.press(LEFT)
    assert controls.poll() == (Turned(2), Pressed("ok"), Turned(-1))
    controls.close()


def test_a_table_without_controls_does_nothing(clock: VirtualClock, pins: Any) -> None:
    controls = GpioControls(clock, pin_factory=pins)
    assert controls.poll() == ()
    controls.close()


def test_close_frees_the_pins_and_is_safe_twice(
    controls: GpioControls, clock: VirtualClock, hand: Hand
) -> None:
    controls.close()
    controls.close()
    assert controls.poll() == ()
    GpioControls(clock, encoder=(A, B), ok=OK, pin_factory=hand.pins).close()


def test_controls_that_nobody_closed_release_their_pins(pins: Any, clock: VirtualClock) -> None:
    controls = GpioControls(clock, encoder=(A, B), ok=OK, tilt=TILT, pin_factory=pins)
    with pytest.raises(MissingPart):
        GpioControls(clock, ok=OK, pin_factory=pins)
    del controls
    gc.collect()
    GpioControls(clock, encoder=(A, B), ok=OK, tilt=TILT, pin_factory=pins).close()


def test_two_buttons_on_one_pin_are_a_missing_part(clock: VirtualClock, pins: Any) -> None:
    with pytest.raises(MissingPart, match="button back on GPIO13"):
        GpioControls(clock, encoder=(A, B), ok=OK, back=OK, pin_factory=pins)
    GpioControls(clock, encoder=(A, B), ok=OK, pin_factory=pins).close()


def test_an_encoder_on_a_lamp_s_pin_is_a_missing_part(clock: VirtualClock, pins: Any) -> None:
    lamps = GpioLamps({"seat-1": A}, pins)
    with pytest.raises(MissingPart, match="encoder on GPIO5 and GPIO6"):
        GpioControls(clock, encoder=(A, B), pin_factory=pins)
    lamps.close()


# Tilt switch


@pytest.fixture
def tilting(pins: Any, clock: VirtualClock) -> Iterator[GpioControls]:
    made = GpioControls(clock, ok=OK, tilt=TILT, pin_factory=pins)
    yield made
    made.close()


def rock(hand: Hand, edges: int, every_s: float) -> None:
    """Let the ball make and break its contact, *edges* times in all, at intervals of *every_s*."""
    for edge in range(edges):
        hand.level(TILT, is_high=bool(edge % 2))
        hand.clock.sleep(every_s)


def test_a_second_of_chatter_is_one_rocking(tilting: Controls, hand: Hand) -> None:
    """The event is reported at the first edge and not again, however often the caller polls."""
    events = []
    for _ in range(50):
        rock(hand, 2, 0.01)
        events.append(tilting.poll())
    assert events == [(Rocked(),), *[()] * 49]


@pytest.mark.parametrize(("quiet_s", "told"), [(0.999, ()), (1.001, (Rocked(),))])
def test_the_next_rocking_counts_after_a_second_of_quiet(
    tilting: Controls, hand: Hand, quiet_s: float, told: tuple[Rocked, ...]
) -> None:
    rock(hand, 6, 0.005)
    assert tilting.poll() == (Rocked(),)
    hand.clock.sleep(quiet_s - 0.005)  # counted from the last edge
    rock(hand, 1, 0.0)
    assert tilting.poll() == told


def test_a_ball_that_rolls_off_its_contact_rocks_too(tilting: Controls, hand: Hand) -> None:
    hand.level(TILT, False)
    assert tilting.poll() == (Rocked(),)
    hand.clock.sleep(60)
    assert tilting.poll() == ()
    hand.level(TILT, True)
    assert tilting.poll() == (Rocked(),)


def test_rocking_and_presses_keep_their_order(tilting: Controls, hand: Hand) -> None:
    hand.press(OK)
    rock(hand, 4, 0.005)
    hand.press(OK)
    assert tilting.poll() == (Pressed("ok"), Rocked(), Pressed("ok"))


def test_a_lost_edge_of_the_ball_is_made_good_by_its_level(tilting: Controls, hand: Hand) -> None:
    hand.pins.pin(TILT)._change_state(False)  # the level changes without a callback
    assert tilting.poll() == (Rocked(),)


def test_a_tilt_switch_on_a_button_s_pin_is_a_missing_part(clock: VirtualClock, pins: Any) -> None:
    with pytest.raises(MissingPart, match="tilt switch on GPIO13"):
        GpioControls(clock, ok=OK, tilt=OK, pin_factory=pins)
    GpioControls(clock, tilt=OK, pin_factory=pins).close()


# Buzzer


def test_a_tone_sounds_until_told_otherwise(pins: Any) -> None:
    buzzer: Buzzer = GpioBuzzer(18, pins)
    assert pins.pin(18).frequency is None
    buzzer.tone(1000)
    assert (pins.pin(18).frequency, pins.pin(18).state) == (1000, 0.5)
    buzzer.tone(2000.0)
    assert pins.pin(18).frequency == 2000
    buzzer.tone(None)
    assert (pins.pin(18).frequency, pins.pin(18).state) == (None, 0)
    buzzer.close()


@pytest.mark.parametrize(("asked", "heard"), [(20, 110), (20_000, 7040)])
def test_a_tone_out_of_range_is_the_nearest(pins: Any, asked: float, heard: float) -> None:
    buzzer = GpioBuzzer(18, pins)
    buzzer.tone(asked)
    assert pins.pin(18).frequency == pytest.approx(heard)
    buzzer.close()


def test_the_buzzer_falls_silent_on_close_and_closes_twice(pins: Any) -> None:
    buzzer = GpioBuzzer(18, pins)
    buzzer.tone(440)
    buzzer.close()
    assert (pins.pin(18).function, pins.pin(18).state) == ("input", 0)
    buzzer.close()


def test_a_buzzer_on_a_pin_in_use_is_a_missing_part(pins: Any) -> None:
    lamps = GpioLamps({"seat-1": 18}, pins)
    with pytest.raises(MissingPart, match="buzzer on GPIO18"):
        GpioBuzzer(18, pins)
    lamps.close()


# Reset and chip select wires


def test_a_reset_wire_is_high_but_for_its_pulses_and_counts_them(pins: Any) -> None:
    wire: ResetPin = GpioReset(25, pins)
    seen = [(pins.pin(25).state, wire.pulses)]
    for _ in range(2):
        wire.off()
        seen.append((pins.pin(25).state, wire.pulses))
        wire.on()
    seen.append((pins.pin(25).state, wire.pulses))
    assert seen == [(1, 0), (0, 1), (0, 2), (1, 2)]
    wire.close()
    wire.close()
    GpioReset(25, pins).close()  # works because the pin was released


def test_a_select_wire_is_low_while_its_chip_takes_part(pins: Any) -> None:
    select: SelectPin = GpioSelect(22, pins)
    seen = [pins.pin(22).state]
    select.on()
    seen.append(pins.pin(22).state)
    select.off()
    seen.append(pins.pin(22).state)
    assert seen == [1, 0, 1]
    select.close()


@pytest.mark.parametrize(("wire", "part"), [(GpioReset, "reset"), (GpioSelect, "chip select")])
def test_a_wire_on_a_pin_in_use_is_a_missing_part(pins: Any, wire: Any, part: str) -> None:
    lamps = GpioLamps({"seat-1": 22}, pins)
    with pytest.raises(MissingPart, match=f"{part} on GPIO22"):
        wire(22, pins)
    lamps.close()
