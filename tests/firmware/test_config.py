"""The configuration: the values it gives, and the message for each mistake in ``table.toml``."""

import re
import tomllib
from pathlib import Path

import pytest

from engines.common.contract import Topic
from firmware.common.errors import ConfigError
from firmware.config.table_config import (
    DEFAULT_TABLE_TOML,
    LAMPS,
    FieldsConfig,
    SpeechConfig,
    bus_pins,
    load_config,
    pins_in_use,
)
from firmware.voice.settings import Level, Settings

SMALLEST = '[readers.play]\nspi = "0.0"\n'


def config_file(folder: Path, text: str) -> Path:
    file = folder / "table.toml"
    file.write_text(text, encoding="utf-8")
    return file


def fault(folder: Path, text: str) -> str:
    """Return the error message about *text* in a file, without the file's name."""
    file = config_file(folder, text)
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    assert caught.value.exit_code == 2
    assert str(caught.value).startswith(str(file))
    return str(caught.value).removeprefix(str(file)).removeprefix(": ").strip()


def test_default_table_is_the_whole_kit() -> None:
    config = load_config()
    assert config.file == DEFAULT_TABLE_TOML
    assert (config.settings.language, config.voice, config.decks) == ("en", "espeak", {})
    (reader,) = config.readers
    assert (reader.spot, reader.bus, reader.device) == ("play", 0, 0)
    assert config.display is not None
    assert (config.display.size, config.display.address) == ((128, 64), 0x3C)
    assert config.display.chip == "ssd1306"
    assert config.fields == FieldsConfig(in_turn=False, guard_s=0.001)
    assert len(config.lamps) == 10
    assert config.controls is not None
    assert config.controls.encoder is not None
    assert set(config.controls.buttons) == {"ok", "back", "action"}


def test_only_the_seats_lamps_of_the_default_table_are_in_the_way_of_spi1() -> None:
    spi1 = {key for key, pin in pins_in_use(load_config()) if 16 <= pin <= 21}
    assert spi1 == {f"lamps.seat-{n}" for n in range(1, 7)}


def test_default_table_leaves_the_serial_console_alone() -> None:
    assert not {pin for _, pin in pins_in_use(load_config())} & {14, 15}


def test_smallest_table_has_a_reader_and_nothing_else(tmp_path: Path) -> None:
    config = load_config(config_file(tmp_path, SMALLEST))
    assert config.readers[0].reset_pin is None
    assert (config.display, config.controls, config.buzzer_pin) == (None, None, None)
    assert (config.lamps, config.names, config.voice) == ({}, (), "silent")
    assert config.settings == Settings("en", Level.NORMAL, 100, frozenset())
    assert config.tilt_pin is None


def test_how_the_table_speaks_stands_under_voice(tmp_path: Path) -> None:
    text = '[voice]\nengine = "espeak"\nlevel = "terse"\nvolume = 0\nsilent = ["turn", "help"]\n'
    settings = load_config(config_file(tmp_path, SMALLEST + text)).settings
    assert settings == Settings("en", Level.TERSE, 0, frozenset({Topic.TURN, Topic.HELP}))


def test_readers_come_with_play_first(tmp_path: Path) -> None:
    text = '[readers.seat-2]\nspi = "1.2"\n[readers.hand]\nspi = "0.1"\n' + SMALLEST
    config = load_config(config_file(tmp_path, text))
    assert [reader.spot for reader in config.readers] == ["play", "hand", "seat-2"]
    assert set(bus_pins(config).values()) == {"SPI0", "SPI1"}


def readers(*parts: str) -> str:
    """Return sections of readers on ``play``, ``hand``, ``box`` and seats, each with its keys."""
    spots = ("play", "hand", "box", *(f"seat-{seat}" for seat in range(1, 7)))
    return "".join(f"[readers.{spot}]\n{part}\n" for spot, part in zip(spots, parts, strict=False))


def test_nine_readers_do_with_one_chip_select_of_the_bus_and_one_reset_wire(tmp_path: Path) -> None:
    pins = (4, 5, 6, 12, 13, 14, 15, 22, 23)
    text = readers(*(f'spi = "0.1"\nselect_pin = {pin}\nreset_pin = 25' for pin in pins))
    config = load_config(config_file(tmp_path, text))
    assert [reader.select_pin for reader in config.readers] == list(pins)
    assert {reader.spi for reader in config.readers} == {"0.1"}
    assert {reader.reset_pin for reader in config.readers} == {25}
    used = dict(pins_in_use(config))
    assert [used[f"readers.{reader.spot}.select_pin"] for reader in config.readers] == list(pins)


@pytest.mark.parametrize(("count", "in_turn"), [(1, False), (2, False), (3, True), (5, True)])
def test_fields_are_on_in_turn_with_more_than_two_readers(
    tmp_path: Path, count: int, in_turn: bool
) -> None:
    parts = [f'spi = "{spi}"' for spi in ("0.0", "0.1", "1.0", "1.1", "1.2")[:count]]
    text = readers(*parts)
    assert load_config(config_file(tmp_path, text)).fields == FieldsConfig(in_turn, 0.001)
    told = f"[fields]\nin_turn = {str(not in_turn).lower()}\nguard_ms = 5\n{text}"
    assert load_config(config_file(tmp_path, told)).fields == FieldsConfig(not in_turn, 0.005)


@pytest.mark.parametrize("spi_mhz", [1, 10])
def test_each_reader_has_its_own_clock_rate(tmp_path: Path, spi_mhz: int) -> None:
    text = f'{SMALLEST}spi_mhz = {spi_mhz}\n[readers.hand]\nspi = "0.1"\n'
    play, hand = load_config(config_file(tmp_path, text)).readers
    assert (play.spi_mhz, play.spi_hz) == (spi_mhz, spi_mhz * 1_000_000)
    assert hand.spi_hz == 1_000_000


@pytest.mark.parametrize("gain_db", [18, 48])
def test_each_reader_has_its_own_gain(tmp_path: Path, gain_db: int) -> None:
    text = f'{SMALLEST}gain_db = {gain_db}\n[readers.hand]\nspi = "0.1"\n'
    play, hand = load_config(config_file(tmp_path, text)).readers
    assert (play.gain_db, hand.gain_db) == (gain_db, None)


@pytest.mark.parametrize("guard_ms", [1, 10])
def test_a_guard_time_alone_leaves_the_fields_as_they_would_be(
    tmp_path: Path, guard_ms: int
) -> None:
    text = f"{SMALLEST}[fields]\nguard_ms = {guard_ms}\n"
    fields = load_config(config_file(tmp_path, text)).fields
    assert fields == FieldsConfig(in_turn=False, guard_s=guard_ms / 1000)


def test_a_tilt_switch_is_on_a_pin(tmp_path: Path) -> None:
    config = load_config(config_file(tmp_path, f"{SMALLEST}[tilt]\npin = 15\n"))
    assert config.tilt_pin == 15
    assert dict(pins_in_use(config)) == {"tilt.pin": 15}


def test_a_display_may_have_an_sh1106(tmp_path: Path) -> None:
    display = load_config(config_file(tmp_path, f'{SMALLEST}[display]\nchip = "sh1106"\n')).display
    assert display is not None
    assert (display.chip, display.size) == ("sh1106", (128, 64))


def test_what_the_default_file_shows_in_comments_can_be_used(tmp_path: Path) -> None:
    """All but the section on decks, whose example file does not exist."""
    text = DEFAULT_TABLE_TOML.read_text(encoding="utf-8").partition("# Decks")[0]
    shown = re.sub(r"^# (?=\[|\w+ = )", "", text, flags=re.MULTILINE)
    (tmp_path / "clips").mkdir()
    (tmp_path / "voices").mkdir()
    (tmp_path / "voices" / "en_GB-alba-medium.onnx").touch()
    config = load_config(config_file(tmp_path, shown))
    assert [reader.spot for reader in config.readers] == ["play", "seat-1"]
    assert config.readers[1].select_pin is not None
    assert config.readers[1].reset_pin == config.readers[0].reset_pin
    assert config.fields == FieldsConfig(in_turn=True, guard_s=0.001)
    assert config.tilt_pin == 15


DOCS = Path(__file__).parent.parent.parent / "docs"
GUIDES = ("readers-and-display.md", "tilt-sensor.md")
TABLES = [
    table
    for guide in GUIDES
    for table in re.findall(r"```toml\n(.*?)```", (DOCS / guide).read_text("utf-8"), re.DOTALL)
]


@pytest.mark.parametrize("text", TABLES)
def test_the_tables_in_the_guides_can_be_used(tmp_path: Path, text: str) -> None:
    assert load_config(config_file(tmp_path, text)).readers


def test_spi1_pins_are_free_while_no_reader_is_on_it(tmp_path: Path) -> None:
    config = load_config(config_file(tmp_path, SMALLEST + "[lamps]\nseat-1 = 18\n"))
    assert config.lamps == {"seat-1": 18}


def test_two_buttons_do_for_an_encoder(tmp_path: Path) -> None:
    text = SMALLEST + "[controls]\nleft = 5\nright = 6\nok = 13\n"
    controls = load_config(config_file(tmp_path, text)).controls
    assert controls is not None
    assert controls.encoder is None
    assert controls.buttons == {"ok": 13, "left": 5, "right": 6}


def test_an_owners_deck_is_found_beside_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "decks").mkdir()
    (tmp_path / "decks" / "straw.toml").touch()
    text = SMALLEST + '[decks]\nstraw = "decks/straw.toml"\n'
    config = load_config(config_file(tmp_path, text))
    assert config.decks == {"straw": tmp_path / "decks" / "straw.toml"}


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    assert load_config(config_file(tmp_path, "\ufeff" + SMALLEST)).readers


SOME_NAMES = (
    "it must be a list of different names of 1 to 10 letters that the screen can show. "
    'Write for example: names = ["Ann", "Ben"]'
)
A_RATE = "it must be a whole number of megahertz from 1 to 10. Write for example: spi_mhz = 1"
A_GAIN = "it must be a gain in dB: 18, 23, 33, 38, 43 or 48. Write for example: gain_db = 43"
A_GUARD = "it must be a whole number of milliseconds from 1 to 10. Write for example: guard_ms = 1"
A_PIN = "it must be a BCM GPIO number from 2 to 27. Write for example: "
A_CHIP_SELECT = (
    'it must be "0.0" or "0.1", or with the overlay spi1-3cs "1.0" or "1.1" or "1.2". '
    'Write for example: spi = "0.0"'
)
FAULTS = {
    "unknown section": (
        SMALLEST + "[lamp]\nseat-1 = 16\n",
        'lamp is not a known key. Did you mean "lamps"? Write: [lamps]',
    ),
    "unknown section like no other": (
        SMALLEST + "[zzz]\n",
        "zzz is not a known key. Known keys: table, readers, fields, display, lamps, "
        "controls, tilt, buzzer, voice, copies, companion, mqtt, decks. Write for example:\n"
        '[table]\nlanguage = "en"',
    ),
    "unknown key": (
        SMALLEST + "reset-pin = 25\n",
        "readers.play.reset-pin is not a known key. "
        'Did you mean "reset_pin"? Write: reset_pin = 25',
    ),
    "unknown spot": (
        SMALLEST + '[readers.hands]\nspi = "0.1"\n',
        'readers.hands is not a known key. Did you mean "hand"? Write: [readers.hand]',
    ),
    "unknown lamp": (
        SMALLEST + "[lamps]\nseat-7 = 16\n",
        'lamps.seat-7 is not a known key. Did you mean "seat-6"? Write: seat-6 = 16',
    ),
    "no play reader": (
        '[readers.hand]\nspi = "0.0"\n',
        "readers.play is missing; every table needs the reader that games are played on. "
        'Write for example:\n[readers.play]\nspi = "0.0"',
    ),
    "no reader at all": (
        "",
        "readers.play is missing; every table needs the reader that games are played on. "
        'Write for example:\n[readers.play]\nspi = "0.0"',
    ),
    "reader is no section": (
        'readers.play = "0.0"\n',
        'readers.play is "0.0"; it must be a section. '
        'Write for example:\n[readers.play]\nspi = "0.0"',
    ),
    "no chip select": (
        "[readers.play]\nreset_pin = 25\n",
        f"readers.play.spi is missing; {A_CHIP_SELECT}",
    ),
    "no such chip select": (
        '[readers.play]\nspi = "0.2"\n',
        f'readers.play.spi is "0.2"; {A_CHIP_SELECT}',
    ),
    "chip select that the overlay does not provide": (
        SMALLEST + '[readers.seat-1]\nspi = "1.3"\n',
        f'readers.seat-1.spi is "1.3"; {A_CHIP_SELECT}',
    ),
    "chip select as a number": (
        "[readers.play]\nspi = 0.0\n",
        f"readers.play.spi is 0.0; {A_CHIP_SELECT}",
    ),
    "one chip select twice": (
        SMALLEST + '[readers.hand]\nspi = "0.0"\n',
        'readers.hand.spi is "0.0", the same as readers.play.spi; '
        "each reader needs its own chip select, or its own select_pin. "
        'Write for example: spi = "0.1"',
    ),
    "one chip select twice, one of them with a pin": (
        readers('spi = "0.0"', 'spi = "0.1"\nselect_pin = 4', 'spi = "0.1"'),
        "readers.box.select_pin is missing; it must be a BCM GPIO number from 2 to 27, "
        'since readers.hand is on "0.1" too. Write for example: select_pin = 5',
    ),
    "one chip select twice, the other of them with a pin": (
        readers('spi = "0.0"', 'spi = "0.0"\nselect_pin = 22'),
        "readers.play.select_pin is missing; it must be a BCM GPIO number from 2 to 27, "
        'since readers.hand is on "0.0" too. Write for example: select_pin = 4',
    ),
    "one chip select twice when none is free": (
        readers(*(f'spi = "{spi}"' for spi in ("0.0", "0.1", "1.0", "1.1", "1.2", "1.2"))),
        "readers.seat-3.select_pin is missing; it must be a BCM GPIO number from 2 to 27, "
        'since readers.seat-2 is on "1.2" too. Write for example: select_pin = 4',
    ),
    "one select pin twice": (
        readers('spi = "0.1"\nselect_pin = 4', 'spi = "0.1"\nselect_pin = 4'),
        "readers.hand.select_pin is 4, the same as readers.play.select_pin; "
        "only one part can use a pin. Write for example: select_pin = 5",
    ),
    "select pin of a bus": (
        readers('spi = "0.0"', 'spi = "0.1"\nselect_pin = 7'),
        "readers.hand.select_pin is 7, which SPI0 uses on this table; it must be a free pin. "
        "Write for example: select_pin = 4",
    ),
    "select pin of the wrong type": (
        readers('spi = "0.1"\nselect_pin = "22"'),
        f'readers.play.select_pin is "22"; {A_PIN}select_pin = 22',
    ),
    "reset wire shared with a lamp": (
        readers('spi = "0.0"\nreset_pin = 25', 'spi = "0.1"\nreset_pin = 25')
        + "[lamps]\naccepted = 25\n",
        "lamps.accepted is 25, the same as readers.play.reset_pin; only one part can use a pin. "
        "Write for example: accepted = 4",
    ),
    "reset wire shared with a chip select": (
        readers('spi = "0.0"\nreset_pin = 25', 'spi = "0.1"\nselect_pin = 25'),
        "readers.hand.select_pin is 25, the same as readers.play.reset_pin; "
        "only one part can use a pin. Write for example: select_pin = 4",
    ),
    "a stopped clock": (
        SMALLEST + "spi_mhz = 0\n",
        f"readers.play.spi_mhz is 0; {A_RATE}",
    ),
    "a clock above the chip's limit": (
        SMALLEST + "spi_mhz = 11\n",
        f"readers.play.spi_mhz is 11; {A_RATE}",
    ),
    "a clock rate in hertz": (
        SMALLEST + "spi_mhz = 4_000_000\n",
        f"readers.play.spi_mhz is 4000000; {A_RATE}",
    ),
    "half a megahertz": (
        SMALLEST + "spi_mhz = 0.5\n",
        f"readers.play.spi_mhz is 0.5; {A_RATE}",
    ),
    "a gain that the chip does not have": (
        SMALLEST + "gain_db = 40\n",
        f"readers.play.gain_db is 40; {A_GAIN}",
    ),
    "a gain with its unit": (
        SMALLEST + 'gain_db = "43 dB"\n',
        f'readers.play.gain_db is "43 dB"; {A_GAIN}',
    ),
    "fields in turn by name": (
        SMALLEST + '[fields]\nin_turn = "yes"\n',
        'fields.in_turn is "yes"; it must be true or false. Write for example: in_turn = true',
    ),
    "no guard time": (
        SMALLEST + "[fields]\nguard_ms = 0\n",
        f"fields.guard_ms is 0; {A_GUARD}",
    ),
    "guard time of a fraction": (
        SMALLEST + "[fields]\nguard_ms = 1.5\n",
        f"fields.guard_ms is 1.5; {A_GUARD}",
    ),
    "unknown key of the fields": (
        SMALLEST + "[fields]\nguard = 1\n",
        'fields.guard is not a known key. Did you mean "guard_ms"? Write: guard_ms = 1',
    ),
    "fields' key outside its section": (
        "in_turn = true\n" + SMALLEST,
        "in_turn belongs under [fields]. Move it there:\n[fields]\nin_turn = true",
    ),
    "unknown chip": (
        SMALLEST + '[display]\nchip = "ssd1309"\n',
        'display.chip is "ssd1309"; it must be "ssd1306" or "sh1106". '
        'Did you mean "ssd1306"? Write for example: chip = "ssd1306"',
    ),
    "chip in capitals": (
        SMALLEST + '[display]\nchip = "SH1106"\n',
        'display.chip is "SH1106"; it must be "ssd1306" or "sh1106". '
        'Did you mean "sh1106"? Write for example: chip = "sh1106"',
    ),
    "the other chip in capitals": (
        SMALLEST + '[display]\nchip = "SSD1306"\n',
        'display.chip is "SSD1306"; it must be "ssd1306" or "sh1106". '
        'Did you mean "ssd1306"? Write for example: chip = "ssd1306"',
    ),
    "SH1106 of another size": (
        SMALLEST + '[display]\nchip = "sh1106"\nsize = "128x32"\n',
        'display.chip is "sh1106"; it must be "ssd1306" with size = "128x32", as modules with an '
        'SH1106 have 128x64. Write for example: chip = "ssd1306"',
    ),
    "pin of the wrong type": (
        SMALLEST + 'reset_pin = "25"\n',
        f'readers.play.reset_pin is "25"; {A_PIN}reset_pin = 25',
    ),
    "pin that is a switch": (
        SMALLEST + "[buzzer]\npin = true\n",
        f"buzzer.pin is true; {A_PIN}pin = 12",
    ),
    "pin out of range": (
        SMALLEST + "[lamps]\nrefused = 99\n",
        f"lamps.refused is 99; {A_PIN}refused = 24",
    ),
    "pin of the HAT's EEPROM": (
        SMALLEST + "[controls]\nback = 1\n",
        f"controls.back is 1; {A_PIN}back = 26",
    ),
    "tilt switch without a pin": (
        SMALLEST + "[tilt]\n",
        f"tilt.pin is missing; {A_PIN}pin = 15",
    ),
    "tilt switch on a pin of the HAT's EEPROM": (
        SMALLEST + "[tilt]\npin = 0\n",
        f"tilt.pin is 0; {A_PIN}pin = 15",
    ),
    "tilt switch on a pin by name": (
        SMALLEST + '[tilt]\npin = "GPIO15"\n',
        f'tilt.pin is "GPIO15"; {A_PIN}pin = 15',
    ),
    "tilt switch that is no section": (
        "tilt = 15\n" + SMALLEST,
        "tilt is 15; it must be a section. Write for example:\n[tilt]\npin = 15",
    ),
    "unknown key of the tilt switch": (
        SMALLEST + "[tilt]\npins = 15\n",
        'tilt.pins is not a known key. Did you mean "pin"? Write: pin = 15',
    ),
    "unknown section like tilt": (
        SMALLEST + "[tlit]\npin = 15\n",
        'tlit is not a known key. Did you mean "tilt"? Write: [tilt]',
    ),
    "tilt switch on a lamp's pin": (
        SMALLEST + "[tilt]\npin = 15\n[lamps]\naccepted = 15\n",
        "tilt.pin is 15, the same as lamps.accepted; only one part can use a pin. "
        "Write for example: pin = 4",
    ),
    "tilt switch on a pin of SPI0": (
        SMALLEST + "[tilt]\npin = 8\n",
        "tilt.pin is 8, which SPI0 uses on this table; it must be a free pin. "
        "Write for example: pin = 4",
    ),
    "pin that may be of several parts": (
        "pin = 15\n" + SMALLEST,
        "pin is not a known key. Known keys: table, readers, fields, display, lamps, "
        "controls, tilt, buzzer, voice, copies, companion, mqtt, decks. Write for example:\n"
        '[table]\nlanguage = "en"',
    ),
    "buzzer without a pin": (
        SMALLEST + "[buzzer]\n",
        f"buzzer.pin is missing; {A_PIN}pin = 12",
    ),
    "two parts on one pin": (
        SMALLEST + "reset_pin = 25\n[lamps]\nseat-1 = 25\n",
        "lamps.seat-1 is 25, the same as readers.play.reset_pin; only one part can use a pin. "
        "Write for example: seat-1 = 4",
    ),
    "encoder on one pin": (
        SMALLEST + "[controls]\nencoder = [5, 5]\n",
        "controls.encoder names pin 5 twice; each of its two wires needs its own pin. "
        "Write for example: encoder = [5, 6]",
    ),
    "pin of SPI0": (
        SMALLEST + "[buzzer]\npin = 10\n",
        "buzzer.pin is 10, which SPI0 uses on this table; it must be a free pin. "
        "Write for example: pin = 4",
    ),
    "pin of SPI1, which a reader is on": (
        SMALLEST + '[readers.hand]\nspi = "1.0"\n[controls]\nencoder = [17, 4]\n',
        "controls.encoder is 17, which SPI1 uses on this table; it must be a free pin. "
        "Write for example: encoder = [5, 4]",
    ),
    "pin of I2C1": (
        SMALLEST + "[display]\n[lamps]\naccepted = 3\n",
        "lamps.accepted is 3, which I2C1 uses on this table; it must be a free pin. "
        "Write for example: accepted = 4",
    ),
    "encoder with one pin": (
        SMALLEST + "[controls]\nencoder = [5]\n",
        "controls.encoder is [5]; it must be a list of two BCM GPIO numbers from 2 to 27. "
        "Write for example: encoder = [5, 6]",
    ),
    "encoder and buttons": (
        SMALLEST + "[controls]\nencoder = [5, 6]\nleft = 12\n",
        "controls.left cannot be combined with an encoder, which turns both ways. "
        "Remove either encoder, or left and right.",
    ),
    "left without right": (
        SMALLEST + "[controls]\nleft = 5\n",
        "controls.right is missing; it must be a BCM GPIO number from 2 to 27, "
        "since left is there. Write for example: right = 6",
    ),
    "display of another size": (
        SMALLEST + '[display]\nsize = "128x65"\n',
        'display.size is "128x65"; it must be "128x64" or "128x32". '
        'Did you mean "128x64"? Write for example: size = "128x64"',
    ),
    "bad address": (
        SMALLEST + '[display]\naddress = "0x78"\n',
        'display.address is "0x78"; it must be "0x3C" or "0x3D". '
        'Write for example: address = "0x3C"',
    ),
    "address in small letters": (
        SMALLEST + '[display]\naddress = "0x3d"\n',
        'display.address is "0x3d"; it must be "0x3C" or "0x3D". '
        'Did you mean "0x3D"? Write for example: address = "0x3D"',
    ),
    "the other address in small letters": (
        SMALLEST + '[display]\naddress = "0x3c"\n',
        'display.address is "0x3c"; it must be "0x3C" or "0x3D". '
        'Did you mean "0x3C"? Write for example: address = "0x3C"',
    ),
    "address as a number": (
        SMALLEST + "[display]\naddress = 0x3C\n",
        'display.address is 60; it must be "0x3C" or "0x3D". Write for example: address = "0x3C"',
    ),
    "another I2C bus": (
        SMALLEST + "[display]\ni2c = 0\n",
        "display.i2c is 0; it must be 1, the I2C bus on pins 2 and 3. Write for example: i2c = 1",
    ),
    "rotated by degrees": (
        SMALLEST + "[display]\nrotate = 180\n",
        "display.rotate is 180; it must be true or false. Write for example: rotate = false",
    ),
    "unknown level": (
        SMALLEST + '[voice]\nengine = "espeak"\nlevel = "ters"\n',
        'voice.level is "ters"; it must be "terse" or "normal" or "full". '
        'Did you mean "terse"? Write for example: level = "terse"',
    ),
    "volume over 100": (
        SMALLEST + '[voice]\nengine = "espeak"\nvolume = 101\n',
        "voice.volume is 101; it must be a whole number from 0 to 100. "
        "Write for example: volume = 80",
    ),
    "volume as a switch": (
        SMALLEST + '[voice]\nengine = "espeak"\nvolume = true\n',
        "voice.volume is true; it must be a whole number from 0 to 100. "
        "Write for example: volume = 80",
    ),
    "unknown topic": (
        SMALLEST + '[voice]\nengine = "espeak"\nsilent = ["total", "turns"]\n',
        'voice.silent is ["total", "turns"]; it must be a list of some of "news", "total", "turn", '
        '"direction", "result", "question", "card", "item", "help", "lesson", "refusal", '
        '"correction", "fault". "turns" is not one of them. Did you mean "turn"? '
        'Write for example: silent = ["total", "turn"]',
    ),
    "no list of topics": (
        SMALLEST + '[voice]\nengine = "espeak"\nsilent = "turn"\n',
        'voice.silent is "turn"; it must be a list of some of "news", "total", "turn", '
        '"direction", "result", "question", "card", "item", "help", "lesson", "refusal", '
        '"correction", "fault". Write for example: silent = ["turn"]',
    ),
    "unknown voice": (
        SMALLEST + '[voice]\nengine = "espeek"\n',
        'voice.engine is "espeek"; it must be "espeak" or "piper" or "silent". '
        'Did you mean "espeak"? Write for example: engine = "espeak"',
    ),
    "one name twice": (
        SMALLEST + '[table]\nnames = ["Ann", "Ann"]\n',
        f'table.names is ["Ann", "Ann"]; {SOME_NAMES}',
    ),
    "one name twice, written in two ways": (
        SMALLEST + '[table]\nnames = ["Zoé", "Zoe\\u0301"]\n',
        f'table.names is ["Zoé", "Zoe\u0301"]; {SOME_NAMES}',
    ),
    "blank name": (
        SMALLEST + '[table]\nnames = ["Ann", " "]\n',
        f'table.names is ["Ann", " "]; {SOME_NAMES}',
    ),
    "name that is no text": (
        SMALLEST + '[table]\nnames = ["Ann", 7]\n',
        f'table.names is ["Ann", 7]; {SOME_NAMES}',
    ),
    "name of two lines": (
        SMALLEST + '[table]\nnames = ["A\\nB"]\n',
        rf'table.names is ["A\nB"]; {SOME_NAMES}',
    ),
    "name with a blank at its end": (
        SMALLEST + '[table]\nnames = ["Ann "]\n',
        f'table.names is ["Ann "]; {SOME_NAMES}',
    ),
    "name of 11 letters": (
        SMALLEST + '[table]\nnames = ["Bartholomew"]\n',
        f'table.names is ["Bartholomew"]; {SOME_NAMES}',
    ),
    "name in letters that no font has": (
        SMALLEST + '[table]\nnames = ["🐪"]\n',
        f'table.names is ["🐪"]; {SOME_NAMES}',
    ),
    "key outside its section": (
        'names = ["Ann", "Ben"]\n' + SMALLEST,
        'names belongs under [table]. Move it there:\n[table]\nnames = ["Ann", "Ben"]',
    ),
    "lamp outside its section": (
        "seat-1 = 16\n" + SMALLEST,
        "seat-1 belongs under [lamps]. Move it there:\n[lamps]\nseat-1 = 16",
    ),
    "reader without a spot": (
        '[readers]\nspi = "0.0"\n' + SMALLEST,
        'readers.spi belongs under [readers.play]. Move it there:\n[readers.play]\nspi = "0.0"',
    ),
    "readers in double brackets": (
        '[[readers]]\nspi = "0.0"\n',
        "readers is a list of sections, in double brackets; it must be a section. "
        'Write for example:\n[readers.play]\nspi = "0.0"',
    ),
    "lamps in double brackets": (
        SMALLEST + "[[lamps]]\nseat-1 = 16\n",
        "lamps is a list of sections, in double brackets; it must be a section. "
        "Write for example:\n[lamps]\nseat-1 = 16",
    ),
    "deck of an unknown game": (
        SMALLEST + '[decks]\nstrow = "straw.toml"\n',
        'decks.strow is not a known key. Did you mean "straw"? Write: straw = "straw.toml"',
    ),
    "not TOML": (
        SMALLEST + "reset_pin 25\n",
        "line 3 is not valid TOML: Expected '=' after a key in a key/value pair. "
        "Correct this line: reset_pin 25",
    ),
    "not TOML at the end": (
        SMALLEST + 'reset_pin = "25',
        "line 3 is not valid TOML: Unterminated string (at end of document). "
        'Correct this line: reset_pin = "25',
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_says_where_what_and_what_to_write(name: str, tmp_path: Path) -> None:
    text, message = FAULTS[name]
    assert fault(tmp_path, text) == message


@pytest.mark.parametrize("name", FAULTS)
def test_what_a_message_gives_to_copy_is_toml(name: str, tmp_path: Path) -> None:
    _, is_there, lines = fault(tmp_path, FAULTS[name][0]).partition("Write for example:")
    tomllib.loads(lines.strip() if is_there else "")


def test_a_name_is_kept_in_composed_letters(tmp_path: Path) -> None:
    config = load_config(config_file(tmp_path, SMALLEST + '[table]\nnames = ["Zoe\\u0301"]\n'))
    assert config.names == ("Zoé",)


def test_an_unknown_language_is_told_with_those_there_are(tmp_path: Path) -> None:
    message = fault(tmp_path, SMALLEST + '[table]\nlanguage = "xx"\n')
    assert message.startswith('table.language is "xx"; it must be ')
    assert '"en"' in message


def test_a_missing_deck_is_told_with_the_path_that_was_tried(tmp_path: Path) -> None:
    message = fault(tmp_path, SMALLEST + '[decks]\nstraw = "d/straw.toml"\n')
    assert message == (
        f'decks.straw is "d/straw.toml", but there is no file {tmp_path / "d" / "straw.toml"}. '
        "Put the deck file there, or correct the path. "
        'Write for example: straw = "decks/straw.toml"'
    )


def test_when_no_pin_is_free_a_part_must_go(tmp_path: Path) -> None:
    pins = iter([4, 5, 6, 12, 13, 14, 15, 22, 23, 24, 25, 26, 27])  # all pins not on SPI0 or SPI1
    lamps = "".join(f"{name} = {next(pins)}\n" for name in LAMPS)
    controls = f"encoder = [{next(pins)}, {next(pins)}]\nok = {next(pins)}\n"
    parts = f"[lamps]\n{lamps}[controls]\n{controls}[buzzer]\npin = 4\n"
    assert fault(tmp_path, f'{SMALLEST}[readers.hand]\nspi = "1.0"\n{parts}') == (
        "buzzer.pin is 4, the same as lamps.seat-1; only one part can use a pin. "
        "No pin is free: remove a part."
    )


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "nowhere.toml"
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    assert str(caught.value) == f"{file} does not exist. Check the path, or write the file."


def test_a_file_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot be read \(.+\)\. Name a file that you may read"):
        load_config(tmp_path)  # a folder instead of a file


def test_a_file_that_is_not_utf8_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_bytes(SMALLEST.encode() + '[table]\nnames = ["Zo\xeb"]\n'.encode("latin-1"))
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    assert str(caught.value) == (
        f"{file}: line 4 contains the byte EBh, which is not UTF-8. "
        "Save the file with the encoding UTF-8."
    )


# --- the sound of speech -------------------------------------------------------------------------


def test_speech_may_have_clips_models_and_a_device(tmp_path: Path) -> None:
    (tmp_path / "clips").mkdir()
    (tmp_path / "en.onnx").touch()
    voice = '[voice]\nengine = "piper"\nclips = "clips"\ndevice = "hw:1"\nmodels.en = "en.onnx"\n'
    config = load_config(config_file(tmp_path, SMALLEST + voice))
    assert config.voice == "piper"
    assert config.speech == SpeechConfig(tmp_path / "clips", {"en": tmp_path / "en.onnx"}, "hw:1")


def test_speech_has_none_of_that_by_itself() -> None:
    assert load_config().speech == SpeechConfig()


@pytest.mark.parametrize(
    ("voice", "starts", "ends"),
    [
        ('clips = "none"', 'voice.clips is "none", but there is no folder ', "remove this line."),
        ("clips = 3", "voice.clips is 3; it must be a folder of recordings", 'clips = "clips"'),
        ('device = ""', 'voice.device is ""; it must be a name that is listed by: aplay -L', '"'),
        ('models.en = "no"', 'voice.models.en is "no", but there is no file ', "remove this line."),
        ('models.xx = "no"', "voice.models.xx is not a known key", '.onnx"'),
        ("models = 3", "voice.models is 3; it must be a section", "}"),
    ],
)
def test_what_is_wrong_with_the_sound_of_speech_is_reported(
    tmp_path: Path, voice: str, starts: str, ends: str
) -> None:
    told = fault(tmp_path, f'{SMALLEST}[voice]\nengine = "espeak"\n{voice}\n')
    assert told.startswith(starts)
    assert told.endswith(ends)


def test_piper_needs_voices(tmp_path: Path) -> None:
    told = fault(tmp_path, f'{SMALLEST}[voice]\nengine = "piper"\n')
    assert told.startswith("voice.models is missing; it must be a voice file for each language")
