"""The museum's room about LED strips."""

import importlib

import pytest

from fakepi import FakePi
from fakepi.dropins.install import drop_in

LEDS = 200
RED, BLUE, DARK = (255, 0, 0), (0, 0, 255), (0, 0, 0)
RED_BITS = f"{0:08b}{255:08b}{0:08b}"  # green, red, blue


@pytest.mark.parametrize(
    ("hz", "pulses", "colours"),
    [
        # 24 bytes for an LED: 4,096 bytes end in LED 171, and LED 1 gets the rest of its bits.
        (6_400_000, {"0": "11000000", "1": "11111000"}, [BLUE] * 29 + [RED] * 141 + [DARK] * 30),
        # 9 bytes for an LED
        (2_400_000, {"0": "100", "1": "110"}, [RED] * LEDS),
    ],
)
def test_end_of_a_long_strip_dark(
    hz: int,
    pulses: dict[str, str],
    colours: list[tuple[int, int, int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pi = FakePi({"spi": {"0.0": {"chip": "ws2812", "count": LEDS}}})
    bits = "".join(pulses[bit] for bit in RED_BITS * LEDS)
    with drop_in(pi, monkeypatch):
        spi = importlib.import_module("spidev").SpiDev(0, 0)
        spi.max_speed_hz = hz
        spi.writebytes2(int(bits, 2).to_bytes(len(bits) // 8))
    pi.clock.advance(0.001)
    assert list(pi.strips["0.0"].colours) == colours
