"""The strip driver built in docs/adding-an-led-strip.md shows a game in colours."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engines.common.pieces import Piece
from fakepi.ntag import Ntag
from firmware.common.errors import ConfigError
from firmware.config.table_config import LAMPS, load_config
from firmware.doctor.findings import DoctorReport, Verdict
from firmware.doctor.hands import COLOUR_S, COLOURS, try_by_hand
from firmware.doctor.parts import look_at_lamps, look_at_parts
from firmware.pi.needs import needs_of
from firmware.runtime.wiring import open_parts, strip_driver
from hardware.errors import MissingPart
from hardware.modules import LampDriver
from hardware.ports import LAMP_ON
from hardware.silence import SilentVoice
from sim.mat.board import EmulatedBoard
from sim.mat.mat import Mat
from sim.mat.tags import uid_of
from sim.nodes.table_file import write_table
from tests.docs.installed import installed, run_commands
from tests.docs.pages import page
from tests.firmware.test_doctor_hands import Hands

PAGE = page("docs/adding-an-led-strip.md")
DARK, WHITE = (0, 0, 0), (255, 255, 255)
RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)
READER = '[readers.play]\nspi = "0.0"\n'


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The page's table file, with the package of the page installed."""
    with installed(PAGE, tmp_path_factory.mktemp("glow1"), "glow1") as folder:
        yield folder / "glow-table.toml"


class Bench:
    """A mat with the page's table, started by the production wiring."""

    def __init__(self, table: Path, folder: Path) -> None:
        self.mat = Mat(load_config(table), folder)
        self.mat.power_on()

    def lamp(self, name: str) -> tuple[int, int, int]:
        assert self.mat.board.strip is not None
        return self.mat.board.strip.colour(self.mat.config.lamps[name])

    def lit(self) -> set[str]:
        return {name for name in LAMPS if self.lamp(name) != DARK}

    def tap(self, piece: str) -> None:
        card = Ntag(uid_of("straw", Piece.parse(piece)))
        self.mat.lay([card], "play")
        self.mat.wait(0.2)
        self.mat.lift([card], "play")
        self.mat.wait(0.2)


def test_it_shows_turn_direction_and_answers_in_colour(table: Path, tmp_path: Path) -> None:
    bench = Bench(table, tmp_path)
    driver = strip_driver(bench.mat.config.strip)  # type: ignore[arg-type]
    assert driver.open.__module__ == "glow1.driver"
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
    assert bench.mat.lamp("clockwise") > 0
    assert bench.mat.lamp("accepted") == 0

    bench.tap("weight-3#1")
    assert bench.lamp("accepted") == GREEN
    assert bench.lamp(f"seat-{turn + 1}") == DARK, "the turn has passed"
    bench.mat.wait(2.0)
    bench.tap("weight-3#1")
    assert bench.lamp("refused") == RED, "it was played already"
    assert bench.lamp("accepted") == DARK

    bench.mat.close()
    assert bench.lit() == set()


def test_lamps_that_change_together_are_one_transfer_that_a_race_has_time_for(table: Path) -> None:
    config = load_config(table)
    board = EmulatedBoard(config)
    lamps = open_parts(config, board).lamps
    began_s = board.clock.now()
    lamps.set(dict.fromkeys(LAMPS, LAMP_ON))
    took_ms = 1000 * (board.clock.now() - began_s)
    assert took_ms < 0.3
    assert f"= 94 | 0.87 ms | {took_ms:.2f} ms" in PAGE.text
    assert board.strip is not None
    assert {board.strip.colour(place) for place in config.lamps.values()} == {WHITE}


@pytest.mark.long
def test_the_commands_of_the_page_run(table: Path) -> None:
    printed = run_commands(PAGE, table.parent)
    assert table.parent.name in PAGE.text
    assert printed.keys() == {"doctor", "wiring", "rehearse"}
    assert "opened glow1 on SPI 1.0" in printed["doctor"]
    assert "Lamps: Glow1 strip, SPI 1.0" in printed["wiring"]
    lines = [" ".join(line.split()) for line in printed["wiring"].splitlines()]
    assert "5V from its own supply, not from the Pi" in lines


def test_a_place_that_stays_dark_has_a_remedy_for_strips(table: Path) -> None:
    config = load_config(table)
    person, board = Hands(says={"Did all": False, "Is seat-2 lit": False}), EmulatedBoard(config)
    person.board = board
    parts = open_parts(replace(config, readers=(), display=None, controls=None), board)
    bare = replace(config, controls=None, voice="silent")
    found = list(try_by_hand(person, bare, parts, SilentVoice(), board.clock))
    (dark,) = (finding for finding in found if finding.verdict is Verdict.WARN)
    assert (dark.part, dark.found) == ("lamp seat-2", "not lit")
    assert dark.remedy.startswith("Check the strip's data wires and its supply;")


def test_the_doctor_shows_red_green_and_blue_and_finds_bytes_in_another_order(table: Path) -> None:
    config = replace(load_config(table), readers=(), display=None, controls=None)
    board = EmulatedBoard(config)
    seen: list[set[tuple[int, int, int]]] = []

    def look() -> None:
        assert board.strip is not None
        seen.append({board.strip.colour(place) for place in config.lamps.values()})

    def watch(_board: EmulatedBoard) -> None:
        for number in range(len(COLOURS)):
            board.clock.call_at(board.clock.now_ns + round(number * COLOUR_S * 1e9), look)

    order = "red, then green, then blue"
    person = Hands({f"All lamps light up {order}": watch}, {f"Were they {order}?": False})
    person.board = board
    parts = open_parts(config, board)
    (wrong,) = (
        finding
        for finding in try_by_hand(person, config, parts, SilentVoice(), board.clock)
        if finding.verdict is Verdict.WARN
    )
    assert (wrong.part, wrong.found) == ("colours", f"the lamps were not {order}")
    assert "correct its order of red, green and blue" in wrong.remedy
    assert seen == [{RED}, {GREEN}, {BLUE}]


@pytest.mark.parametrize("broken", ["__init__", "set"])
def test_a_driver_that_raises_is_a_lost_part_and_the_game_goes_on(
    table: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    broken: str,
) -> None:
    def fail(*_arguments: object) -> None:
        raise ValueError("brightness 2 is too high;\nsee the data sheet")

    config = load_config(table)
    strip = strip_driver(config.strip)  # type: ignore[arg-type]
    monkeypatch.setattr(strip.open, broken, fail)
    monkeypatch.setattr(strip.open, "close", fail)
    bench = Bench(table, tmp_path)
    bench.tap("weight-3#1")
    bench.mat.wait(5.0)
    assert bench.mat.view.phase == "preparing"
    assert bench.mat.running.table.failed_parts == ("lamps",)
    bench.mat.close()
    found = "the driver glow1 failed: ValueError: brightness 2 is too high, see the data sheet"
    told = [record for record in caplog.records if found in record.message]
    assert len(told) == (2 if broken == "set" else 1), "a driver that was made is closed, too"
    assert all(record.exc_info for record in told)

    board = EmulatedBoard(config)
    report = DoctorReport()
    bare = replace(config, readers=(), display=None)
    parts = open_parts(bare, board)
    seen = look_at_parts(report, bare, parts, board.clock, is_quick=True, patterns=0)
    failed = next(finding for finding in report.findings if finding.part == "lamps")
    assert (failed.verdict, failed.found) == (Verdict.FAIL, found)
    assert failed.remedy == "install a corrected driver, or remove [lamps] from table.toml"
    assert not seen.lamps.names, "nobody is asked about them"
    parts.close()


def test_its_bus_is_one_that_the_table_uses(table: Path) -> None:
    needs = needs_of(load_config(table))
    assert "dev/spidev1.0" in needs.devices
    assert "dtoverlay=spi1-3cs" in needs.boot_lines


def test_a_table_keeps_its_strip_when_it_is_written(table: Path, tmp_path: Path) -> None:
    config = load_config(table)
    written = write_table(config, tmp_path / "table.toml")
    assert (written.strip, written.lamps) == (config.strip, config.lamps)


def test_a_strip_without_lamps_is_not_opened(table: Path) -> None:
    config = replace(load_config(table), lamps={})
    parts = open_parts(config, EmulatedBoard(config))
    assert parts.lamps.names == ()
    assert not list(look_at_lamps(parts.lamps, config))
    parts.close()


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (
            'chip = "glow2"\nspi = "1.0"',
            'lamps.chip is "glow2"; it must be "glow1". Did you mean "glow1"? '
            'Write for example: chip = "glow1"',
        ),
        (
            'chip = "glow1"',
            'lamps.spi is missing; it must be "0.0" or "0.1", or with the overlay spi1-3cs "1.0" '
            'or "1.1" or "1.2". Write for example: spi = "1.0"',
        ),
        (
            'chip = "glow1"\nspi = "0.1"',
            'lamps.spi is "0.1", but SPI0 has readers; a strip needs its own bus. '
            'Write for example: spi = "1.0"',
        ),
        (
            'chip = "glow1"\nspi = "1.0"\nseat-1 = -1',
            "lamps.seat-1 is -1; it must be a place on the LED strip, from 0 to 999. "
            "Write for example: seat-1 = 0",
        ),
        (
            'chip = "glow1"\nspi = "1.0"\nseat-1 = 0\nseat-2 = 2\nseat-3 = 0',
            "lamps.seat-3 is 0, the same as lamps.seat-1; each lamp needs its own place. "
            "Write for example: seat-3 = 1",
        ),
        (
            'spi = "1.0"\nseat-1 = 16',
            'lamps.chip is missing; it must be "glow1". Write for example: chip = "glow1"',
        ),
    ],
)
def test_a_wrong_strip_is_refused(table: Path, tmp_path: Path, text: str, wrong: str) -> None:
    file = tmp_path / "table.toml"
    file.write_text(f"{READER}[lamps]\n{text}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        load_config(file)
    assert str(refused.value) == f"{file}: {wrong}"


def test_without_a_driver_the_table_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardware.chip_names.LAMPS", "tapmat.no-such-group")
    file = tmp_path / "table.toml"
    file.write_text(f'{READER}[lamps]\nchip = "apa102"\nspi = "1.0"\n', encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        load_config(file)
    assert str(refused.value) == (
        f'{file}: lamps.chip is "apa102"; it must be an LED strip with an installed driver, and '
        "there is none. Install its driver; or use LEDs on pins, without chip and spi. "
        "Write for example: seat-1 = 16"
    )


def test_a_strip_without_an_emulation_is_a_missing_part(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sim.mat.parts.LAMPS", "tapmat.no-such-group")
    with pytest.raises(MissingPart, match=r"no emulation of the chip .glow1. is installed"):
        EmulatedBoard(load_config(table))


def test_an_emulation_that_needs_an_argument_is_a_missing_part(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def needs_length(_self: object, length: int) -> None:
        assert length

    monkeypatch.setattr("glow1.emulation.Glow1.__init__", needs_length)
    with pytest.raises(MissingPart) as missing:
        EmulatedBoard(load_config(table))
    assert str(missing.value).startswith(
        "lamps: the emulation glow1.emulation:Glow1 cannot be made (TypeError("
    )
    assert missing.value.remedy == "Correct it; the arguments of its constructor are: none"


def test_the_page_is_complete() -> None:
    files = {fence.file for fence in PAGE.fences if fence.file}
    assert files == {"glow1/driver.py", "glow1/emulation.py", "pyproject.toml", "glow-table.toml"}
    assert f"`{LampDriver.__name__}`" in PAGE.text
