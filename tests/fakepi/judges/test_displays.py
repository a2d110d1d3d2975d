"""Judges of the displays: adafruit_ssd1306, luma.oled and smbus2, unmodified."""

from typing import Any

import pytest

from fakepi.oled import OledChip
from fakepi.sh1106 import Sh1106Chip
from fakepi.ssd1306 import Ssd1306Chip
from tests.fakepi.judges.bench import Bench
from tests.fakepi.judges.verdicts import right, wrong

pytestmark = pytest.mark.filterwarnings("ignore:Image.Image.getdata:DeprecationWarning")
ADAFRUIT, SMBUS2 = "adafruit-circuitpython-ssd1306 2.12.24", "smbus2 0.6.1"
LUMA = "luma.oled 3.16.0"
LIGHT = [0x8D, 0x14, 0xAF]  # charge pump on, panel on


def lit(chip: OledChip) -> set[tuple[int, int]]:
    """Return the lit pixels, as (column, row)."""
    rows = chip.visible()
    return {(x, y) for y, row in enumerate(rows) for x, pixel in enumerate(row) if pixel}


def luma(bench: Bench, kind: str) -> Any:
    """Return luma's device of that *kind* on the bus that smbus2 opens."""
    bench.smbus2()
    serial = bench.driver("luma.core.interface.serial").i2c(port=1, address=0x3C)
    return getattr(bench.driver("luma.oled.device"), kind)(serial)


def draw(bench: Bench, device: Any) -> None:
    """Draw the corners with luma."""
    with bench.driver("luma.core.render").canvas(device) as canvas:
        canvas.point([(0, 0), (127, 63)], fill="white")


@right(ADAFRUIT, "Draws every pixel in its place.")
def test_adafruit_draws(bench: Bench) -> None:
    chip = bench.plug(Ssd1306Chip())
    display = bench.driver("adafruit_ssd1306").SSD1306_I2C(128, 64, bench.i2c)
    display.pixel(0, 0, 1)
    display.pixel(127, 63, 1)
    display.show()
    assert lit(chip) == {(0, 0), (127, 63)}


@right(ADAFRUIT, "Reports an absent display.")
def test_adafruit_misses_an_absent_display(bench: Bench) -> None:
    with pytest.raises(ValueError, match="No I2C device at address: 0x3c"):
        bench.driver("adafruit_ssd1306").SSD1306_I2C(128, 64, bench.i2c)


@wrong(ADAFRUIT, "Lights the panel before it clears the RAM, so that noise flashes.")
def test_adafruit_flashes(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    chip, seen, write = bench.plug(Ssd1306Chip()), list[bool](), bench.i2c.writeto

    def watch(*message: Any, **part: Any) -> None:
        write(*message, **part)
        seen.append(bool(lit(chip)))

    monkeypatch.setattr(bench.i2c, "writeto", watch)
    bench.driver("adafruit_ssd1306").SSD1306_I2C(128, 64, bench.i2c)
    assert any(seen)
    assert not seen[-1]


@wrong(ADAFRUIT, "Leaves a display dark that was unplugged for a moment, without an error.")
def test_adafruit_leaves_a_replugged_display_dark(bench: Bench) -> None:
    chip = bench.plug(Ssd1306Chip())
    display = bench.driver("adafruit_ssd1306").SSD1306_I2C(128, 64, bench.i2c)
    chip.power_cycle()
    display.fill(1)
    display.show()
    assert not lit(chip)


@wrong(ADAFRUIT, "With `page_addressing=True`, shifts a picture by half its width.")
def test_adafruit_shifts_pages(bench: Bench) -> None:
    chip = bench.plug(Ssd1306Chip())
    make = bench.driver("adafruit_ssd1306").SSD1306_I2C
    display = make(128, 64, bench.i2c, page_addressing=True)
    display.pixel(0, 0, 1)
    display.show()
    assert lit(chip) == {(64, 0)}


@wrong(LUMA, "Uses `Image.getdata`, which Pillow 14 (October 2027) will no longer have.")
@right(LUMA, "`ssd1306` draws every pixel in its place, on a chip that ignores `DBh 40h`.")
@right(LUMA, "`ssd1306` clears the RAM before it lights the panel.")
def test_luma_draws_on_an_ssd1306(bench: Bench) -> None:
    chip = bench.plug(Ssd1306Chip(undefined="as-silicon"))
    device = luma(bench, "ssd1306")
    assert chip.is_lit
    assert not lit(chip)
    with pytest.warns(DeprecationWarning, match="getdata"):
        draw(bench, device)
    assert lit(chip) == {(0, 0), (127, 63)}


@wrong(LUMA, "`ssd1306` sends `DBh 40h`, a level that the data sheet does not define.")
def test_luma_sends_an_undefined_level(bench: Bench) -> None:
    bench.plug(Ssd1306Chip())
    with pytest.raises(ValueError, match="command DBh: 40h is not defined"):
        luma(bench, "ssd1306")


@right(LUMA, "`sh1106` draws every pixel in its place, on a chip that ignores unknown commands.")
def test_luma_draws_on_an_sh1106(bench: Bench) -> None:
    chip = bench.plug(Sh1106Chip(undefined="as-silicon"))
    draw(bench, luma(bench, "sh1106"))
    assert lit(chip) == {(0, 0), (127, 63)}


@wrong(LUMA, "`sh1106` sends 20h and 8Dh, which are commands of the SSD1306 only.")
def test_luma_sends_commands_of_another_chip(bench: Bench) -> None:
    bench.plug(Sh1106Chip())
    with pytest.raises(ValueError, match="command 20h is not in the data sheet"):
        luma(bench, "sh1106")


@right(LUMA, "Reports an absent display.")
def test_luma_misses_an_absent_display(bench: Bench) -> None:
    with pytest.raises(Exception, match="I2C device not found on address: 0x3C"):
        luma(bench, "ssd1306")


@wrong(LUMA, "`ssd1306` on an SH1106 (sold as SSD1306) shows nothing but noise and garbage.")
def test_luma_ssd1306_on_an_sh1106(bench: Bench) -> None:
    chip = bench.plug(Sh1106Chip(undefined="as-silicon"))
    draw(bench, luma(bench, "ssd1306"))
    assert lit(chip) != {(0, 0), (127, 63)}
    assert len(lit(chip)) > 1000


@right(SMBUS2, "Reads a byte, writes a byte and a block, and carries plain I2C messages.")
def test_smbus2_talks_to_a_display(bench: Bench) -> None:
    chip, smbus2 = bench.plug(Ssd1306Chip()), bench.smbus2()
    with smbus2.SMBus(1) as bus:
        assert bus.read_byte(0x3C) == 0x40  # the panel is off
        bus.write_i2c_block_data(0x3C, 0x00, LIGHT)
        bus.write_byte_data(0x3C, 0x00, 0xA5)  # all pixels
        bus.i2c_rdwr(answer := smbus2.i2c_msg.read(0x3C, 2))
    assert list(answer) == [0x00, 0x00]
    assert len(lit(chip)) == 128 * 64


@right(SMBUS2, "Reports a chip that does not answer as error 121, and a missing bus as error 2.")
def test_smbus2_reports_silence(bench: Bench) -> None:
    smbus2 = bench.smbus2()
    with pytest.raises(OSError, match="0x3D") as silent:
        smbus2.SMBus(1).read_byte(0x3D)
    assert silent.value.errno == 121
    with pytest.raises(FileNotFoundError, match="i2c-7"):
        smbus2.SMBus(7)
