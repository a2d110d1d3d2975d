"""``tapmat wiring``, run as people and programs use it."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware.commands import cli
from firmware.commands.wiring import run_wiring
from firmware.config.table_config import DEFAULT_TABLE_TOML, load_config
from firmware.plan.templates import TEMPLATES, template_file
from tests.firmware.plan.tables import NINE, readers, table

BAD_INPUT = 2
NINE_AT_ONCE = '[readers.play]\nspi = "0.0"\n[fields]\nin_turn = false\n' + "".join(
    f'[readers.{spot}]\nspi = "0.1"\nselect_pin = {pin}\n'
    for spot, pin in zip(
        ("hand", "box", *(f"seat-{seat}" for seat in range(1, 7))), range(16, 24), strict=True
    )
)

Ended = tuple[int, str, str]  # exit code, output, errors
Tapmat = Callable[..., Ended]


@pytest.fixture
def wiring(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Tapmat:
    """A function that runs ``tapmat wiring`` with arguments in an empty folder."""

    def run(*words: str | Path) -> Ended:
        monkeypatch.setattr(sys, "argv", ["tapmat", "wiring", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert isinstance(ended.value.code, int)
        return ended.value.code, *capsys.readouterr()

    monkeypatch.chdir(tmp_path)
    return run


def written(text: str) -> Path:
    file = Path("table.toml")
    file.write_text(text, encoding="utf-8")
    return file


# --- output for people ---------------------------------------------------------------------------


def test_every_part_has_its_table_with_pin_header_pin_bcm_and_colour(wiring: Tapmat) -> None:
    code, out, err = wiring("--template", "family")
    assert (code, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    for line in (
        "Reader play: RC522, SPI 0.0",
        "SDA 24 GPIO8 [█] purple chip select",
        "IRQ not connected",
        "3.3V 17 3V3 [█] red",
        "SDA 26 GPIO7 [█] purple chip select",
        "counter-clockwise 13 GPIO27 [█] orange 470 Ω, then the long leg",
        "CLK 29 GPIO5 [█] yellow A",
        "GND 25 GND [█] black each button's other leg",
        "+ 32 GPIO12 [█] grey 1000 Ω, then +",
        "all parts (limit 500) 196 318",
        "dtparam=i2c_arm=on,i2c_arm_baudrate=400000",
    ):
        assert line in lines
    order = [line for line in lines if line.startswith(("Reader", "Display:", "Lamps:", "Buzzer:"))]
    assert [line.partition(":")[0] for line in order[:5]] == [
        "Reader play",
        "Reader hand",
        "Display",
        "Lamps",
        "Buzzer",
    ]
    assert "WARN" not in out


def test_without_a_name_it_is_the_default_table(wiring: Tapmat) -> None:
    code, out, _ = wiring()
    assert code == 0
    assert out == wiring("--table", DEFAULT_TABLE_TOML)[1]
    assert "Lamps: LEDs" in out


def test_too_much_for_the_3v3_pins_is_a_warning_below_the_tables(wiring: Tapmat) -> None:
    code, out, _ = wiring("--table", written(NINE_AT_ONCE))
    assert code == 0
    assert "FAIL  3.3 V" in out
    assert "in_turn = true" in " ".join(out.split())


# --- checking a table ----------------------------------------------------------------------------


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_passes_the_check(wiring: Tapmat, template: str) -> None:
    code, out, err = wiring("--template", template, "--check")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines() if line[:1].strip()] == ["OK", "OK"]


def test_a_table_that_draws_too_much_fails_the_check(wiring: Tapmat) -> None:
    code, out, err = wiring("--table", written(NINE_AT_ONCE), "--check")
    assert (code, err) == (1, "")
    assert "FAIL" in out


def test_a_check_that_only_warns_ends_well() -> None:
    out = io.StringIO()
    assert run_wiring(table(readers(5), in_turn=False), is_check=True, out=out) == 0
    assert "WARN  3.3 V" in out.getvalue()


def test_two_parts_on_one_pin_are_refused_with_a_line_to_copy(wiring: Tapmat) -> None:
    file = written('[readers.play]\nspi = "0.0"\nreset_pin = 25\n[lamps]\nseat-1 = 25\n')
    code, out, err = wiring("--table", file, "--check")
    assert (code, out) == (BAD_INPUT, "")
    assert err == (
        "table.toml: lamps.seat-1 is 25, the same as readers.play.reset_pin; "
        "only one part can use a pin. Write for example: seat-1 = 4\n"
    )


# --- output for programs -------------------------------------------------------------------------


def test_programs_are_told_everything_in_json(wiring: Tapmat) -> None:
    code, out, _ = wiring("--template", "five-readers", "--json")
    told = json.loads(out)
    assert (code, told["verdict"]) == (0, "OK")
    assert Path(told["table"]) == template_file("five-readers")
    assert told["config_txt"][2] == "dtoverlay=spi1-3cs"
    reader = told["parts"][4]
    assert (reader["name"], reader["section"]) == ("Reader seat-4", "readers.seat-4")
    assert reader["connections"][0] == {
        "pin": "SDA",
        "pi_pin": 36,
        "name": "GPIO16",
        "bcm": 16,
        "colour": "purple",
        "note": "chip select",
    }
    assert reader["connections"][4] == {
        "pin": "IRQ",
        "pi_pin": None,
        "name": None,
        "bcm": None,
        "colour": None,
        "note": "not connected",
    }
    assert told["current"]["total"] == {"typical": 179.6, "at_most": 293.8, "limit": 500}
    fields = {"part": "Fields, one at a time", "typical": 60, "at_most": 100}
    assert fields in told["current"]["draws"]
    assert [finding["part"] for finding in told["findings"]] == ["pins", "3.3 V"]


def test_a_check_in_json_ends_with_its_own_exit_code(wiring: Tapmat) -> None:
    code, out, _ = wiring("--table", written(NINE_AT_ONCE), "--check", "--json")
    assert (code, json.loads(out)["verdict"]) == (1, "FAIL")


# --- drawings ------------------------------------------------------------------------------------


def test_a_drawing_is_written(wiring: Tapmat) -> None:
    code, out, _ = wiring("--template", "smallest", "--svg", "a.svg")
    assert (code, out) == (0, "The drawing is in a.svg.\n")
    assert Path("a.svg").read_text(encoding="utf-8").startswith("<svg ")


def test_a_drawing_beside_json_leaves_the_json_alone(wiring: Tapmat) -> None:
    _, out, _ = wiring("--svg", "a.svg", "--json")
    assert json.loads(out)["verdict"] == "OK"
    assert Path("a.svg").is_file()


def test_a_drawing_that_cannot_be_written_is_said_so(wiring: Tapmat) -> None:
    code, out, err = wiring("--svg", Path("nowhere") / "a.file")
    assert (code, out) == (BAD_INPUT, "")
    assert err.startswith(f"{Path('nowhere') / 'a.file'} cannot be written (")
    assert err.endswith("Name a file that you may write.\n")


# --- templates -----------------------------------------------------------------------------------


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_is_written_to_begin_with_and_is_that_table(
    wiring: Tapmat, template: str
) -> None:
    code, out, _ = wiring("--template", template, "--write", "mine.toml")
    assert code == 0
    assert "tapmat wiring --table mine.toml" in out
    assert Path("mine.toml").read_bytes() == template_file(template).read_bytes()
    load_config(Path("mine.toml"))
    shown = wiring("--table", "mine.toml")[1]
    assert shown == wiring("--template", template)[1]


def test_without_a_template_the_default_table_is_written(wiring: Tapmat) -> None:
    assert wiring("--write", "mine.toml")[0] == 0
    assert Path("mine.toml").read_bytes() == DEFAULT_TABLE_TOML.read_bytes()


def test_a_table_that_is_there_is_not_written_over(wiring: Tapmat) -> None:
    file = written("# mine\n")
    code, out, err = wiring("--template", "family", "--write", file)
    assert (code, out) == (BAD_INPUT, "")
    assert err.startswith("table.toml exists already and was not changed. Name another file")
    assert file.read_text(encoding="utf-8") == "# mine\n"


def test_a_template_that_cannot_be_written_is_said_so(wiring: Tapmat) -> None:
    code, _, err = wiring("--write", Path("nowhere") / "table.toml")
    assert code == BAD_INPUT
    assert " cannot be written (" in err


@pytest.mark.parametrize("words", [(), ("--write", "new.toml")])
def test_an_unknown_template_names_the_nearest(wiring: Tapmat, words: tuple[str, ...]) -> None:
    code, out, err = wiring("--template", "Famliy", *words)
    assert (code, out) == (BAD_INPUT, "")
    assert err == (
        'There is no template "Famliy". The templates are: smallest, family, five-readers. '
        'Did you mean "family"?\n'
    )
    assert not Path("new.toml").exists()


def test_a_template_that_is_like_none_lists_them_all(wiring: Tapmat) -> None:
    assert wiring("--template", "xyz")[2].endswith("five-readers. Choose one of them.\n")


@pytest.mark.parametrize("other", [("--template", "family"), ("--write", "new.toml")])
def test_a_table_and_a_template_at_once_are_refused(wiring: Tapmat, other: tuple[str, str]) -> None:
    code, out, err = wiring("--table", written('[readers.play]\nspi = "0.0"\n'), *other)
    assert (code, out) == (BAD_INPUT, "")
    assert "--table cannot be used with --template" in err
    assert not Path("new.toml").exists()


def test_nine_readers_that_the_guide_has_are_printed() -> None:
    out = io.StringIO()
    assert run_wiring(NINE, out=out) == 0
    assert "gpio=16,17,18,19,20,21,22,23=op,dh" in out.getvalue()
