"""Tests that a strip of colour lamps can show a whole game when only its driver knows about it.

Driver and chip imitate an APA102 LED strip on SPI: four zero bytes, then for each lamp the bits
111, five bits of brightness, and one byte each for blue, green and red.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from engines.common.pieces import Piece
from firmware.config.table_config import LAMPS, load_config
from hardware.ports import LAMP_OFF, LampValue, SpiBus
from hardware.ports import Lamps as LampsPort
from sim.chips.clock import VirtualClock
from sim.chips.ntag import Ntag
from sim.chips.spi import SpiChip, SpiDevice
from sim.mat.mat import Mat
from sim.mat.tags import uid_of

Rgb = tuple[int, int, int]
DARK, GREEN, RED, WHITE = (0, 0, 0), (0, 255, 0), (255, 0, 0), (255, 255, 255)


class StripLamps:
    """A ``hardware.ports.Lamps`` on an LED strip, with the lamps in the order of *names*."""

    def __init__(self, spi: SpiBus, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._spi = spi
        self._values = dict.fromkeys(names, LAMP_OFF)

    def set(self, name: str, value: LampValue) -> None:
        if name in self._values:
            self._values[name] = value
            self._write()

    def close(self) -> None:
        self._values = dict.fromkeys(self.names, LAMP_OFF)
        self._write()
        self._spi.close()

    def _write(self) -> None:
        frame = [0] * 4
        for value in self._values.values():
            red, green, blue = value.colour or WHITE
            frame += [0xE0 | round(31 * value.brightness), blue, green, red]
        self._spi.xfer2(frame)


class Strip(SpiChip):
    """The emulated strip, which returns the visible colour of each lamp."""

    def __init__(self) -> None:
        self._frame: list[int] = []

    def select(self) -> None:
        self._frame = []

    def shift_out(self) -> int:
        return 0

    def shift_in(self, value: int) -> None:
        self._frame.append(value)

    def seen(self, place: int) -> Rgb:
        assert self._frame[:4] == [0] * 4
        head, blue, green, red = self._frame[4 + 4 * place : 8 + 4 * place]
        assert head & 0xE0 == 0xE0
        share = (head & 0x1F) / 31
        return round(red * share), round(green * share), round(blue * share)


class Bench:
    """A mat whose lamps are a colour strip instead of single LEDs."""

    def __init__(self, folder: Path) -> None:
        self.mat = Mat(replace(load_config(), lamps={}), folder)
        self.strip = Strip()
        self.mat.power_on()
        lamps: LampsPort = StripLamps(SpiDevice(self.strip, VirtualClock()), LAMPS)
        loop = self.mat.running.loop
        loop.parts = replace(loop.parts, lamps=lamps)
        self.lamps = lamps

    def lamp(self, name: str) -> Rgb:
        return self.strip.seen(LAMPS.index(name))

    def tap(self, piece: str) -> None:
        card = Ntag(uid_of("straw", Piece.parse(piece)))
        self.mat.lay([card], "play")
        self.mat.wait(0.2)
        self.mat.lift([card], "play")
        self.mat.wait(0.2)

    def lit(self) -> set[str]:
        return {name for name in LAMPS if self.lamp(name) != DARK}


def test_a_strip_shows_turn_direction_and_answers_in_colour(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.tap("weight-3#1")
    bench.mat.wait(2.0)
    choices = bench.mat.view.choices
    assert choices is not None
    bench.mat.turn(choices.values.index("start") - choices.cursor)
    bench.mat.press("ok")
    bench.mat.wait(2.0)
    assert bench.mat.view.phase == "play"
    turn = bench.mat.view.turn
    assert turn is not None
    assert bench.lamp(f"seat-{turn + 1}") == WHITE
    assert bench.lit() == {f"seat-{turn + 1}", "clockwise"}

    bench.tap("weight-3#1")
    assert bench.lamp("accepted") == GREEN
    assert bench.lamp(f"seat-{turn + 1}") == DARK, "the turn has passed"
    bench.mat.wait(2.0)
    bench.tap("weight-3#1")
    assert bench.lamp("refused") == RED, "it was played already"
    assert bench.lamp("accepted") == DARK

    bench.lamps.close()
    assert bench.lit() == set()
    bench.mat.close()
