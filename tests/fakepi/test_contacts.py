"""Tests of contacts that bounce, and of the unmodified gpiozero on them."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from gpiozero import Button, RotaryEncoder
from gpiozero.pins.mock import MockFactory
from hypothesis import given
from hypothesis import strategies as st

from fakepi.clock import VirtualClock
from fakepi.contacts import DETENT_NS, BouncyContact, BouncyEncoder

SEEDS = st.integers(0, 10_000)


class Trace:
    """The levels of a wire over time, pulled up at the start."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self.edges: list[tuple[int, int]] = []
        self.level = 1

    def __call__(self, level: float) -> None:
        self.level = int(level)
        self.edges.append((self._clock.now_ns, self.level))

    def falls(self) -> int:
        return sum(level == 0 for _, level in self.edges)


@given(SEEDS)
def test_a_press_bounces_and_ends_low(seed: int) -> None:
    clock = VirtualClock()
    wire = Trace(clock)
    button = BouncyContact(clock, wire, Random(seed))
    button.press()
    assert wire.edges == [(0, 0)]
    clock.advance_ns(5_000_000)
    assert [level for _, level in wire.edges] == [0, 1] * (len(wire.edges) // 2) + [0]
    assert wire.edges == sorted(wire.edges, key=lambda edge: edge[0])
    settled = len(wire.edges)
    clock.advance_ns(1_000_000_000)
    assert len(wire.edges) == settled
    button.press()
    assert len(wire.edges) == settled
    button.release()
    clock.advance_ns(5_000_000)
    assert wire.level == 1


def test_the_same_seed_bounces_the_same_and_another_differently() -> None:
    def edges(seed: int) -> list[tuple[int, int]]:
        clock = VirtualClock()
        wire = Trace(clock)
        button = BouncyContact(clock, wire, Random(seed))
        for move in (button.press, button.release):
            move()
            clock.advance_ns(5_000_000)
        return wire.edges

    assert edges(1) == edges(1) != edges(2)


def test_a_contact_may_be_clean() -> None:
    clock = VirtualClock()
    wire = Trace(clock)
    button = BouncyContact(clock, wire, Random(1), bounce_ns=0)
    button.press()
    clock.advance_ns(10_000_000)
    assert wire.edges == [(0, 0)]


@given(SEEDS, st.integers(1, 5_000_000))
def test_a_release_ends_the_bounces_of_the_press(seed: int, held_ns: int) -> None:
    clock = VirtualClock()
    wire = Trace(clock)
    button = BouncyContact(clock, wire, Random(seed))
    button.press()
    clock.advance_ns(held_ns)
    button.release()
    clock.advance_ns(5_000_000)
    assert wire.level == 1


class Turned:
    """An encoder with traces of both wires."""

    def __init__(self, seed: int, **kind: Any) -> None:
        self.clock = VirtualClock()
        self.a, self.b = Trace(self.clock), Trace(self.clock)
        self.encoder = BouncyEncoder(self.clock, self.a, self.b, Random(seed), **kind)

    def turn(self, detents: int) -> None:
        self.clock.advance_ns(self.encoder.turn(detents) - self.clock.now_ns + 3_000_000)


def test_clockwise_a_leads_and_the_other_way_b() -> None:
    for detents, first in ((1, "a"), (-1, "b")):
        turned = Turned(1, bounce_ns=0)
        turned.turn(detents)
        leader = turned.a if first == "a" else turned.b
        other = turned.b if first == "a" else turned.a
        assert [level for _, level in leader.edges] == [0, 1]
        assert leader.edges[0] < other.edges[0] < leader.edges[1] < other.edges[1]


def test_turns_follow_each_other_in_time() -> None:
    turned = Turned(1)
    assert turned.encoder.turn(2) == 2 * DETENT_NS
    assert turned.encoder.turn(-1) == 3 * DETENT_NS


def test_half_a_pulse_a_detent() -> None:
    turned = Turned(1, bounce_ns=0, steps_per_detent=2)
    turned.turn(1)
    assert (turned.a.level, turned.b.level) == (0, 0)
    turned.turn(1)
    assert (turned.a.level, turned.b.level) == (1, 1)


def naive_count(turned: Turned) -> int:
    """Count as many sketches do: at each fall of A, up if B is high and down if it is low."""
    events = sorted(
        [(at, 0, level) for at, level in turned.a.edges]
        + [(at, 1, level) for at, level in turned.b.edges]
    )
    count, level_b = 0, 1
    for _, line, level in events:
        if line:
            level_b = level
        elif not level:
            count += 1 if level_b else -1
    return count


def test_a_naive_counter_is_right_on_clean_contacts_and_wrong_on_bouncing_ones() -> None:
    clean, bouncing = Turned(1, bounce_ns=0), Turned(1)
    for turned in (clean, bouncing):
        turned.turn(10)
        turned.turn(-3)
    assert naive_count(clean) == 7
    assert naive_count(bouncing) != 7


# gpiozero


@pytest.fixture
def pins() -> Iterator[MockFactory]:
    factory = MockFactory()
    yield factory
    factory.close()


def wire_to(factory: Any, number: int) -> Callable[[float], None]:
    pin = factory.pin(number)
    return lambda level: pin.drive_high() if level else pin.drive_low()


def test_a_stock_button_counts_each_bounce(pins: Any) -> None:
    """The mock pins of gpiozero do not debounce, so each fall is a press."""
    clock = VirtualClock()
    presses = []
    button = Button(17, pin_factory=pins)
    button.when_pressed = lambda: presses.append(clock.now_ns)
    contact = BouncyContact(clock, wire_to(pins, 17), Random(1))
    contact.press()
    clock.advance_ns(5_000_000)
    assert button.is_pressed
    assert len(presses) > 1
    contact.release()
    clock.advance_ns(5_000_000)
    assert not button.is_pressed
    button.close()


@pytest.mark.parametrize("seed", range(5))
def test_a_stock_encoder_counts_right_through_the_bounces(pins: Any, seed: int) -> None:
    clock = VirtualClock()
    knob = RotaryEncoder(20, 21, max_steps=0, pin_factory=pins)
    encoder = BouncyEncoder(clock, wire_to(pins, 20), wire_to(pins, 21), Random(seed))
    clock.advance_ns(encoder.turn(10))
    assert knob.steps == 10
    clock.advance_ns(encoder.turn(-13) - clock.now_ns + 3_000_000)
    assert knob.steps == -3
    knob.close()
