"""The pin header of the plan agrees with the Pi's documentation and with gpiozero's data."""

import pytest
from gpiozero.pins import data

from firmware.config.table_config import I2C_PINS, SPI_PINS
from firmware.plan.header import GPIO, HEADER, ROWS, SCL, SDA, SPI, HeaderPin, pins_on

# As printed by pinout.xyz and the Pi's documentation: a line for each row, pin 1 at the top left.
PRINTED = """
    3V3     1  2  5V
    GPIO2   3  4  5V
    GPIO3   5  6  GND
    GPIO4   7  8  GPIO14
    GND     9 10  GPIO15
    GPIO17 11 12  GPIO18
    GPIO27 13 14  GND
    GPIO22 15 16  GPIO23
    3V3    17 18  GPIO24
    GPIO10 19 20  GND
    GPIO9  21 22  GPIO25
    GPIO11 23 24  GPIO8
    GND    25 26  GPIO7
    GPIO0  27 28  GPIO1
    GPIO5  29 30  GND
    GPIO6  31 32  GPIO12
    GPIO13 33 34  GND
    GPIO19 35 36  GPIO16
    GPIO26 37 38  GPIO20
    GND    39 40  GPIO21
"""


def test_every_pin_is_where_the_documentation_prints_it() -> None:
    rows = [line.split() for line in PRINTED.strip().splitlines()]
    assert len(rows) == ROWS
    for row, (left, odd, even, right) in enumerate(rows):
        for name, number in ((left, odd), (right, even)):
            pin = HEADER[int(number) - 1]
            assert (pin.name, pin.number, pin.row) == (name, int(number), row)
        assert HEADER[int(odd) - 1].is_odd
        assert not HEADER[int(even) - 1].is_odd


@pytest.mark.parametrize("header", [data.PLUS_J8, data.PI4_J8, data.PI5_J8], ids=["B+", "4", "5"])
def test_every_pin_is_what_gpiozero_knows_it_as(
    header: tuple[int, int, dict[int, dict[str, str]]],
) -> None:
    rows, columns, pins = header
    assert len(HEADER) == rows * columns
    for number, names in pins.items():
        assert HEADER[number - 1].name == names.get("gpio", names.get(""))


def test_there_are_two_pins_of_3v3_and_eight_of_ground() -> None:
    assert [pin.number for pin in pins_on("3V3")] == [1, 17]
    assert [pin.number for pin in pins_on("5V")] == [2, 4]
    assert [pin.number for pin in pins_on("GND")] == [6, 9, 14, 20, 25, 30, 34, 39]
    assert sorted(GPIO) == list(range(28))


def test_the_buses_have_the_pins_that_the_configuration_keeps_for_them() -> None:
    for bus, pins in SPI.items():
        assert {pins.sck, pins.mosi, pins.miso, *pins.selects} == set(SPI_PINS[bus])
    assert {SDA, SCL} == set(I2C_PINS[1])


def test_spi0_and_i2c1_have_the_pins_that_gpiozero_knows() -> None:
    def name(bcm: int) -> str:
        return GPIO[bcm].name

    known = data.SPI_HARDWARE_PINS[0]
    ours = SPI[0]
    assert (name(ours.sck), name(ours.mosi), name(ours.miso)) == (
        known["clock"],
        known["mosi"],
        known["miso"],
    )
    assert tuple(map(name, ours.selects)) == known["select"]
    functions = {pin["gpio"]: pin.get("i2c") for pin in data.PLUS_J8[2].values() if "gpio" in pin}
    assert (functions[name(SDA)], functions[name(SCL)]) == ("I2C1 SDA", "I2C1 SCL")


def test_spi1_is_on_the_pins_of_the_overlay() -> None:
    """According to the overlays' README, spi1-3cs has CE0 to CE2 on GPIO18, 17 and 16."""
    assert SPI[1].selects == (18, 17, 16)
    assert (SPI[1].miso, SPI[1].mosi, SPI[1].sck) == (19, 20, 21)


def test_a_pin_is_one_thing() -> None:
    assert all((pin.rail is None) != (pin.bcm is None) for pin in HEADER)
    assert HEADER[10] == HeaderPin(11, None, 17)
