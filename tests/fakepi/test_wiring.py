"""Tests of the wiring: what may be written, and what an error says."""

from pathlib import Path
from typing import Any

import pytest

from fakepi.wiring import USUAL, Wired, WiringError, load_wiring, read_wiring


def test_the_usual_wiring_is_a_reader_and_a_display() -> None:
    wiring = read_wiring(USUAL)
    assert wiring.spi == {(0, 0): (Wired("mfrc522", {"reset": 25, "irq": 24}),)}
    assert wiring.i2c == {(1, 0x3C): Wired("ssd1306", {})}


def test_a_file_says_the_same_as_a_mapping(tmp_path: Path) -> None:
    path = tmp_path / "fakepi.toml"
    path.write_text(
        """
        [spi]
        "0.0" = { chip = "mfrc522", reset = 25, irq = 24 }
        [i2c]
        "1.0x3C" = "ssd1306"
        """
    )
    assert load_wiring(path) == read_wiring(USUAL)


def test_a_file_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "fakepi.toml"
    path.write_text("spi = ")
    with pytest.raises(WiringError, match=r"fakepi\.toml is not valid TOML"):
        load_wiring(path)


@pytest.mark.parametrize(
    ("described", "error"),
    [
        ({"spy": {}}, 'unknown key "spy". Did you mean "spi"?'),
        (
            {"spi": {"0": "mfrc522"}},
            'spi.0 is not a bus and a chip select. Write for example: "0.0"',
        ),
        (
            {"spi": {"0.0": "mfrc52"}},
            'spi.0.0 has the unknown chip "mfrc52". Did you mean "mfrc522"?',
        ),
        ({"spi": {"0.0": "ssd1306"}}, 'has the unknown chip "ssd1306"'),
        (
            {"spi": {"0.0": {"chip": "mfrc522", "rest": 25}}},
            'the unknown key "rest". Did you mean "reset"',
        ),
        (
            {"spi": {"0.0": {"chip": "mfrc522", "reset": 28}}},
            "spi.0.0.reset is 28; it must be a GPIO",
        ),
        (
            {"spi": {"0.0": {"chip": "mfrc522", "profile": "x"}}},
            "profile is 'x'; it must be one of",
        ),
        ({"spi": {"0.0": ["mfrc522", "mfrc522"]}}, "has several chips, so each needs a select pin"),
        ({"spi": {"0.1": {"chip": "ws2812", "count": 0}}}, "count is 0; it must be above 0"),
        ({"i2c": {"1.0x7F": "ssd1306"}}, "i2c.1.0x7F is not a bus and an I2C address"),
        ({"i2c": {"1.3C": "ssd1306"}}, "i2c.1.3C is not a bus and an I2C address"),
        (
            {"i2c": {"1.0x3C": {"chip": "ssd1306", "size": "1x1"}}},
            "size is '1x1'; it must be one of",
        ),
        ({"uart": {"0.0": "pn532"}}, "uart.0.0 is not the name of a device file in /dev"),
        ({"uart": {"ttyS0": "mfrc522"}}, 'uart.ttyS0 has the unknown chip "mfrc522"'),
        ({"pins": {"40": "button"}}, "pins.40 is '40'; it must be a GPIO number from 0 to 27"),
        ({"pins": {"5": "encoder"}}, "pins.5 needs the pin of contact B"),
    ],
)
def test_an_error_says_where_what_and_how(described: dict[str, Any], error: str) -> None:
    with pytest.raises(WiringError) as refused:
        read_wiring(described, "fakepi.toml")
    assert str(refused.value).startswith("fakepi.toml")
    assert error in str(refused.value)
