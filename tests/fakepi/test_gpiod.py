"""Tests of the drop-in ``gpiod``, by short programs and by Blinka's own pins over libgpiod.

The real library judges it in ``tests/fakepi/judges/test_gpiod.py``.
"""

import importlib
import importlib.util
import threading
import time
from datetime import timedelta
from typing import Any

import pytest

from fakepi import FakePi

PATH = "/dev/gpiochip0"
LIBGPIOD_PIN = "adafruit_blinka.microcontroller.generic_linux.libgpiod_pin"


@pytest.fixture
def gpiod(pi: FakePi) -> Any:
    return importlib.import_module("gpiod")


def button(gpiod: Any, **more: Any) -> Any:
    """Return a request of GPIO17 with a pull-up, whose edges are reported."""
    line = gpiod.line
    settings = gpiod.LineSettings(
        direction=line.Direction.INPUT,
        bias=line.Bias.PULL_UP,
        **{"edge_detection": line.Edge.BOTH, **more},
    )
    return gpiod.request_lines(PATH, {17: settings})


def kinds(events: list[Any]) -> list[str]:
    return [event.event_type.name for event in events]


def test_blinka_s_own_pins_over_libgpiod_run(pi: FakePi) -> None:
    if importlib.util.find_spec("adafruit_blinka") is None:
        pytest.skip("adafruit_blinka is not installed")
    pin_class = importlib.import_module(LIBGPIOD_PIN).Pin
    led, pressed = pin_class(17), pin_class((0, 18))
    led.init(led.OUT)
    led.value(1)
    assert pi.pins[17].level == 1
    assert led.value()
    pressed.init(pressed.IN, pressed.PULL_UP)
    assert pi.pins[18].pull == "up"
    assert pressed.value()
    pi.pins[18].press()
    assert not pressed.value()
    with pytest.raises(OSError, match="busy"):
        pin_class(17).init(led.IN)
    led.deinit()
    pin_class(17).init(led.IN)


def test_a_wait_for_an_edge_ends_with_the_edge_or_the_time(pi: FakePi, gpiod: Any) -> None:
    request = button(gpiod)
    pi.clock.call_after(0.5, pi.pins[17].press)
    assert not request.wait_edge_events(0.2)
    assert pi.clock.now() == pytest.approx(0.2)
    assert request.wait_edge_events(timedelta(seconds=1))
    (event,) = request.read_edge_events()
    assert event.event_type is event.Type.FALLING_EDGE
    assert (event.timestamp_ns, event.line_offset) == (500_000_000, 17)
    pi.clock.call_after(0.1, pi.pins[17].release)
    assert kinds(request.read_edge_events()) == ["RISING_EDGE"]
    with pytest.raises(RuntimeError, match=r"read_edge_events\(\) would wait for ever"):
        request.read_edge_events()


def test_only_the_edges_that_were_asked_for_are_reported(pi: FakePi, gpiod: Any) -> None:
    request = button(gpiod, edge_detection=gpiod.line.Edge.RISING, active_low=True)
    pi.pins[17].press()
    pi.pins[17].release()
    assert kinds(request.read_edge_events()) == ["RISING_EDGE"]
    assert not request.wait_edge_events(0)


def test_a_bouncing_press_is_one_edge_with_a_debounce_period(pi: FakePi, gpiod: Any) -> None:
    request = button(gpiod, debounce_period=timedelta(milliseconds=10))
    for _ in range(3):
        pi.pins[17].press()
        pi.clock.advance(0.001)
        pi.pins[17].release()
        pi.clock.advance(0.001)
    pi.pins[17].press()
    assert request.get_value(17) is gpiod.line.Value.ACTIVE
    pi.clock.advance(0.02)
    assert request.get_value(17) is gpiod.line.Value.INACTIVE
    (event,) = request.read_edge_events()
    assert event.timestamp_ns == 16_000_000


def test_the_oldest_edges_are_lost_if_nobody_reads(pi: FakePi, gpiod: Any) -> None:
    request = button(gpiod)
    for _ in range(10):
        pi.pins[17].press()
        pi.pins[17].release()
    assert [each.line_seqno for each in request.read_edge_events(3)] == [5, 6, 7]
    assert len(request.read_edge_events()) == 13


def test_after_a_release_no_edge_is_reported_and_the_line_is_free(pi: FakePi, gpiod: Any) -> None:
    with button(gpiod, debounce_period=timedelta(milliseconds=10)):
        pi.pins[17].press()
    pi.clock.advance(0.02)
    request = button(gpiod)
    assert not request.wait_edge_events(0)


def test_a_thread_of_the_program_waits_really(pi: FakePi, gpiod: Any) -> None:
    """As a program does that reads edges in a separate thread."""
    request, seen = button(gpiod), []
    thread = threading.Thread(target=lambda: seen.extend(request.read_edge_events()))
    thread.start()
    pi.pins[17].press()
    thread.join(10)
    assert kinds(seen) == ["FALLING_EDGE"]
    assert pi.clock.now() == 0


def test_the_time_of_day_stamps_edges_if_asked(pi: FakePi, gpiod: Any) -> None:
    request = button(gpiod, event_clock=gpiod.line.Clock.REALTIME)
    pi.clock.advance(3600)
    before_ns = time.time_ns()
    pi.pins[17].press()
    (event,) = request.read_edge_events()
    assert before_ns <= event.timestamp_ns <= time.time_ns()


def test_settings_that_change_later_do_not_change_a_request(pi: FakePi, gpiod: Any) -> None:
    settings = gpiod.LineSettings(direction=gpiod.line.Direction.OUTPUT)
    request = gpiod.request_lines(PATH, {17: settings})
    settings.direction = gpiod.line.Direction.INPUT
    request.set_value(17, gpiod.line.Value.ACTIVE)
    assert pi.pins[17].level == 1


def test_a_line_that_was_not_requested_is_a_warning_when_settings_change(gpiod: Any) -> None:
    request = button(gpiod)
    with pytest.warns(UserWarning, match="offset '5' was not included"):
        request.reconfigure_lines({5: gpiod.LineSettings()})
    with pytest.warns(UserWarning, match="name 'LED' was not included"):
        request.reconfigure_lines({"LED": gpiod.LineSettings()})


@pytest.mark.parametrize("name", ["gpiod.line", "gpiod.chip", "gpiod.line_request"])
def test_the_modules_of_the_package_can_be_imported(gpiod: Any, name: str) -> None:
    assert importlib.import_module(name) is getattr(gpiod, name.removeprefix("gpiod."))
