"""Judges of the pins: gpiozero and rpi-lgpio, unmodified, over lgpio."""

import pytest

from tests.fakepi.judges.bench import Bench
from tests.fakepi.judges.verdicts import right, wrong

GPIOZERO, RPI_LGPIO = "gpiozero 2.0.1.post3", "rpi-lgpio 0.6"
BUTTON, LED = 17, 22
BOUNCES = (0, 1, 0, 1, 0)  # a press, 1 ms each
TURN = ((5, 0), (6, 0), (5, 1), (6, 1))  # one detent of a rotary encoder


@right(GPIOZERO, "Pulls a button's pin up and sees a press and a release.")
def test_gpiozero_sees_a_button(bench: Bench) -> None:
    button = bench.driver("gpiozero").Button(BUTTON)
    assert not button.is_pressed
    bench.bounce(BUTTON, 0)
    assert button.is_pressed
    bench.bounce(BUTTON, 1)
    assert not button.is_pressed


@wrong(GPIOZERO, "By default counts each bounce of a button as a press.")
@right(GPIOZERO, "With `bounce_time`, counts a bouncing press once (the kernel debounces).")
@pytest.mark.parametrize(("bounce_time", "presses"), [(None, 3), (0.02, 1)])
def test_gpiozero_and_bounces(bench: Bench, bounce_time: float | None, presses: int) -> None:
    seen: list[int] = []
    button = bench.driver("gpiozero").Button(BUTTON, bounce_time=bounce_time)
    button.when_pressed = lambda: seen.append(1)
    bench.bounce(BUTTON, *BOUNCES)
    assert len(seen) == presses


@wrong(GPIOZERO, "Misses a press that is shorter than `bounce_time`.")
def test_gpiozero_misses_a_short_press(bench: Bench) -> None:
    seen: list[int] = []
    button = bench.driver("gpiozero").Button(BUTTON, bounce_time=0.1)
    button.when_pressed = lambda: seen.append(1)
    bench.bounce(BUTTON, *[0] * 50, 1)  # for 50 ms
    assert seen == []


@right(GPIOZERO, "Counts the steps of a rotary encoder in both directions.")
def test_gpiozero_counts_steps(bench: Bench) -> None:
    encoder = bench.driver("gpiozero").RotaryEncoder(5, 6)
    for number, level in TURN * 3:
        bench.bounce(number, level)
    assert encoder.steps == 3
    for number, level in ((6, 0), (5, 0), (6, 1), (5, 1)):
        bench.bounce(number, level)
    assert encoder.steps == 2


@right(GPIOZERO, "Switches a LED and dims it.")
def test_gpiozero_lights_a_led(bench: Bench) -> None:
    gpiozero, line = bench.driver("gpiozero"), bench.lgpio.lines[LED]
    with gpiozero.LED(LED) as led:
        led.on()
        assert line.level == 1
    with gpiozero.PWMLED(LED) as led:
        led.value = 0.25
        assert line.duty == 25


@right(RPI_LGPIO, "Pulls a pin up, and calls back at a falling edge once with `bouncetime`.")
@wrong(RPI_LGPIO, "`bouncetime` delays the callback by its length, which RPi.GPIO did not.")
def test_rpi_lgpio_calls_back(bench: Bench) -> None:
    gpio, seen, pressed = bench.driver("RPi.GPIO"), [], bench.clock.now
    gpio.setmode(gpio.BCM)
    gpio.setup(BUTTON, gpio.IN, pull_up_down=gpio.PUD_UP)
    gpio.add_event_detect(BUTTON, gpio.FALLING, lambda _: seen.append(pressed()), bouncetime=10)
    assert gpio.input(BUTTON) == 1
    bench.bounce(BUTTON, *BOUNCES)
    assert seen == [pytest.approx(0.014)]  # the last bounce is at 4 ms


@right(RPI_LGPIO, "Drives an output and dims it; `cleanup()` makes it an input again.")
def test_rpi_lgpio_drives(bench: Bench) -> None:
    gpio, line = bench.driver("RPi.GPIO"), bench.lgpio.lines[LED]
    gpio.setmode(gpio.BCM)
    gpio.setup(LED, gpio.OUT, initial=gpio.HIGH)
    assert line.level == 1
    pwm = gpio.PWM(LED, 100)
    pwm.start(40)
    assert line.duty == 40
    pwm.stop()
    gpio.cleanup()
    assert line.level == 0


@right(RPI_LGPIO, "Refuses to drive a pin that was not set up.")
def test_rpi_lgpio_refuses(bench: Bench) -> None:
    gpio = bench.driver("RPi.GPIO")
    gpio.setmode(gpio.BCM)
    with pytest.raises(RuntimeError, match="has not been set up"):
        gpio.output(LED, 1)
