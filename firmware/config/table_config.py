"""The table's configuration: ``table.toml`` as typed values, or an error that says what to correct.

Every error names the file and the key, says what was found and what is expected, and gives a line
to copy. ``DEFAULT_TABLE_TOML`` is the default table and shows the format. A *spot* is a place on
the mat with a reader. Pins are BCM numbers: the numbers of the Pi's GPIO lines.
Source: Raspberry Pi documentation, "GPIO and the 40-pin header": pins of SPI0, SPI1 and I2C1.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from engines.common.contract import PLAY_SPOT, SEAT_SPOTS, Topic
from firmware.boxes.games import game_names
from firmware.common.errors import ConfigError
from firmware.common.toml_sections import Section, read_toml, to_write, toml_text
from firmware.config.companion_config import COMPANION_KEYS, CompanionConfig, companion_in
from firmware.config.display_config import DISPLAY_KEYS, DisplayConfig, display_in
from firmware.config.mqtt_config import MQTT_KEYS, MqttConfig, mqtt_in
from firmware.show.names import NAME_LENGTH, is_name
from firmware.voice.settings import LOUDEST, Level, Settings
from firmware.voice.words import languages
from hardware.chip_names import BUILT_IN, reader_chips, strip_chips

DEFAULT_TABLE_TOML: Final = Path(__file__).with_name("table.toml")

SPOTS = (PLAY_SPOT, "hand", "box", *SEAT_SPOTS)
LAMPS = (*SEAT_SPOTS, "clockwise", "counter-clockwise", "accepted", "refused")
STRIP_KEYS = ("chip", "spi", "spi_mhz")  # of [lamps], if they are an LED strip
BUTTONS = ("ok", "back", "action", "left", "right")
VOICES = ("espeak", "piper", "silent")
LEVELS = tuple(level.value for level in Level)
TOPICS = tuple(topic.value for topic in Topic)

PLACES = range(1000)  # on an LED strip
PINS = range(2, 28)  # GPIO0 and GPIO1 are reserved for the EEPROM of a HAT
CHIP_SELECTS = ("0.0", "0.1", "1.0", "1.1", "1.2")
SPI_PINS = {0: range(7, 12), 1: range(16, 22)}  # CE1 CE0 MISO MOSI SCLK; CE2-0 MISO MOSI SCLK
I2C_PINS = {1: range(2, 4)}  # SDA SCL
SPI_MHZ = range(1, 11)  # MFRC522 data sheet, 8.1.2: up to 10 Mbit/s; the lowest suits long wires
GAINS_DB = (18, 23, 33, 38, 43, 48)  # MFRC522 data sheet, 9.3.3.6
FIELDS_AT_ONCE = 2  # with more readers, fields are on in turn, unless table.toml says otherwise
GUARD_MS = range(1, 11)  # tags need about 1 ms; ISO/IEC 14443-3, 5.1 allows them 5
# Free pins are suggested in this order: pins that no bus uses, then SPI1's, then the UART's.
SUGGESTED_PINS = (4, 5, 6, 12, 13, *range(22, 28), *range(16, 22), 14, 15)

# For each key, the pin in the line to copy of an error; the default table's pin if it has the key.
EXAMPLE_PINS = {
    "select_pin": 22, "reset_pin": 25,
    "seat-1": 16, "seat-2": 17, "seat-3": 18, "seat-4": 19, "seat-5": 20, "seat-6": 21,
    "clockwise": 22, "counter-clockwise": 27, "accepted": 23, "refused": 24,
    "ok": 13, "back": 26, "action": 4, "left": 5, "right": 6,
}  # fmt: skip
A_PIN = "a BCM GPIO number from 2 to 27"
A_CLOCK_RATE = f"a whole number of megahertz from {SPI_MHZ[0]} to {SPI_MHZ[-1]}"
A_GAIN = "a gain in dB: 18, 23, 33, 38, 43 or 48"
A_PLACE = f"a place on the LED strip, from 0 to {PLACES[-1]}"
A_CHIP_SELECT = '"0.0" or "0.1", or with the overlay spi1-3cs "1.0" or "1.1" or "1.2"'

KEYS = {  # by section; every reader has the keys of readers.play
    "table": ("language", "names"),
    "readers.play": ("chip", "spi", "spi_mhz", "select_pin", "reset_pin", "gain_db"),
    "fields": ("in_turn", "guard_ms"),
    "display": DISPLAY_KEYS,
    "lamps": (*STRIP_KEYS, *LAMPS),
    "controls": ("encoder", *BUTTONS),
    "tilt": ("pin",),
    "buzzer": ("pin",),
    "voice": ("engine", "level", "volume", "silent", "clips", "models", "device"),
    "copies": ("folder",),
    "companion": COMPANION_KEYS,
    "mqtt": MQTT_KEYS,
}
_USES = Counter(key for keys in KEYS.values() for key in keys)
SECTION_OF = {  # by key, if only one section has it
    key: section for section, keys in KEYS.items() for key in keys if _USES[key] == 1
}
SECTIONS = (*(section.partition(".")[0] for section in KEYS), "decks")
A_LAMP = "[lamps]\nseat-1 = 16"
A_VOICE = '[voice]\nengine = "espeak"'
A_READER = '[readers.play]\nspi = "0.0"'


class _OnSpi:
    """A part on chip select *device* of SPI *bus*, at a clock rate of *spi_mhz*."""

    __slots__ = ()
    bus: int
    device: int
    spi_mhz: int

    @property
    def spi(self) -> str:
        """The bus and chip select as in ``table.toml``, such as ``0.1``."""
        return f"{self.bus}.{self.device}"

    @property
    def spi_hz(self) -> int:
        """The clock rate on this part's wires, in hertz."""
        return self.spi_mhz * 1_000_000


@dataclass(frozen=True, slots=True)
class ReaderConfig(_OnSpi):
    """The reader on *spot*.

    *chip* is the name of its chip, and pins are BCM numbers. The chip is on SPI bus number *bus*,
    with that bus's chip select *device*. If there is a *select_pin*, that pin is wired to the chip
    in place of the bus's own chip select. Several such readers may have the same *bus* and
    *device*, and readers may share a *reset_pin*. *spi_mhz* is the clock rate on this reader's
    wires, in megahertz, and *gain_db* the receiver's gain; None means the driver's default.
    """

    spot: str
    bus: int
    device: int
    reset_pin: int | None = None
    select_pin: int | None = None
    chip: str = BUILT_IN
    spi_mhz: int = SPI_MHZ[0]
    gain_db: int | None = None

    @classmethod
    def at(cls, spot: str, spi: str, **others: Any) -> Self:
        """Return the reader on *spot* at *spi*: bus and chip select, such as ``0.1``.

        *others* are further attributes, such as ``reset_pin``.
        """
        bus, device = map(int, spi.split("."))
        return cls(spot, bus, device, **others)


@dataclass(frozen=True, slots=True)
class StripConfig(_OnSpi):
    """The LED strip with the lamps, on its own SPI bus. *chip* is the name of its chip."""

    chip: str
    bus: int
    device: int
    spi_mhz: int = SPI_MHZ[0]


@dataclass(frozen=True, slots=True)
class FieldsConfig:
    """The readers' radio fields.

    If *in_turn* is True, only one field is on at a time, else all are. After a field was switched
    on, the reader waits *guard_s* seconds before it looks for tags.
    """

    in_turn: bool
    guard_s: float


@dataclass(frozen=True, slots=True)
class ControlsConfig:
    """The pins of the controls, as BCM numbers.

    An *encoder* has two pins; a table without one may have the *buttons* ``left`` and ``right``.
    """

    encoder: tuple[int, int] | None
    buttons: Mapping[str, int]  # by name: ok, back, action, left, right


@dataclass(frozen=True, slots=True)
class SpeechConfig:
    """The sources of speech. *device* is the ALSA name of the sound card.

    *clips* is a folder of recordings, and *models* are the voice files of the program piper.
    """

    clips: Path | None = None
    models: Mapping[str, Path] = field(default_factory=dict)  # by language
    device: str | None = None


@dataclass(frozen=True, slots=True)
class TableConfig:
    """One table: its parts and their pins. A part that is None or empty is not connected.

    *file* is the path of its ``table.toml``, *names* are the players' names to offer, and *voice*
    is the program that speaks.
    """

    file: Path
    settings: Settings  # of the voice, until people change them at the table
    names: tuple[str, ...]
    readers: tuple[ReaderConfig, ...]  # the reader on spot "play" first
    fields: FieldsConfig
    display: DisplayConfig | None
    lamps: Mapping[str, int]  # by the lamp's name: BCM number, or place on the strip
    controls: ControlsConfig | None
    tilt_pin: int | None
    buzzer_pin: int | None
    voice: str
    speech: SpeechConfig = SpeechConfig()
    decks: Mapping[str, Path] = field(default_factory=dict)  # an owner's deck file by game
    copies: Path | None = None  # folder for automatic copies, if not in the state folder
    companion: CompanionConfig = field(default_factory=CompanionConfig)
    mqtt: MqttConfig = field(default_factory=MqttConfig)
    strip: StripConfig | None = None  # None: each lamp is an LED on a pin

    @property
    def on_spi(self) -> tuple[ReaderConfig | StripConfig, ...]:
        """The parts on SPI buses."""
        return self.readers if self.strip is None else (*self.readers, self.strip)


def load_config(path: Path | None = None) -> TableConfig:
    """Return the table that the file *path* describes, or the default table if it is None.

    Raises:
        ConfigError: the file cannot be read, has an error, or describes an impossible wiring.
    """
    file = DEFAULT_TABLE_TOML if path is None else path
    top = read_toml(file, ConfigError)
    top.check_keys(SECTIONS, '[table]\nlanguage = "en"', SECTION_OF)
    language, names = _table(top)
    readers = _readers(top)
    lamps, strip = _lamps(top)
    config = TableConfig(
        file=file,
        settings=_settings(top, language),
        names=names,
        readers=readers,
        fields=_fields(top, readers),
        display=display_in(top),
        lamps=lamps,
        controls=_controls(top),
        tilt_pin=_part_pin(top, "tilt", "pin = 15"),
        buzzer_pin=_part_pin(top, "buzzer", "pin = 12"),
        voice=_voice(top),
        speech=_speech(top, file),
        decks=_decks(top, file),
        copies=_copies(top, file),
        companion=companion_in(top),
        mqtt=mqtt_in(top, file),
        strip=strip,
    )
    _refuse_shared_chip_selects(config)
    _refuse_readers_beside_strip(config)
    _refuse_shared_places(config)
    _refuse_bus_pins(config)
    _refuse_shared_pins(config)
    return config


def pins_in_use(config: TableConfig) -> Iterator[tuple[str, int]]:
    """Yield each pin's key, such as ``lamps.seat-1``, and BCM number, in the order of ``KEYS``."""
    for reader in config.readers:
        for key, pin in (("select_pin", reader.select_pin), ("reset_pin", reader.reset_pin)):
            if pin is not None:
                yield f"readers.{reader.spot}.{key}", pin
    for lamp, pin in config.lamps.items() if config.strip is None else ():
        yield f"lamps.{lamp}", pin
    if config.controls is not None:
        for pin in config.controls.encoder or ():
            yield "controls.encoder", pin
        for button, pin in config.controls.buttons.items():
            yield f"controls.{button}", pin
    if config.tilt_pin is not None:
        yield "tilt.pin", config.tilt_pin
    if config.buzzer_pin is not None:
        yield "buzzer.pin", config.buzzer_pin


def bus_pins(config: TableConfig) -> dict[int, str]:
    """Return the pins of all buses in use, as BCM numbers, each with the bus's name (``SPI0``)."""
    owned = {pin: f"SPI{part.bus}" for part in config.on_spi for pin in SPI_PINS[part.bus]}
    if config.display is not None:
        owned |= dict.fromkeys(I2C_PINS[config.display.i2c], f"I2C{config.display.i2c}")
    return owned


# --- the sections --------------------------------------------------------------------------------


def _table(top: Section) -> tuple[str, tuple[str, ...]]:
    example = 'language = "en"'
    section = top.section("table", f"[table]\n{example}")
    if section is None:
        return "en", ()
    section.check_keys(KEYS["table"], example)
    return section.one_of("language", languages(), example, "en"), _names(section)


def _names(section: Section) -> tuple[str, ...]:
    right = "a list of different names of 1 to {most} letters that the screen can show"
    example = 'names = ["Ann", "Ben"]'
    return section.texts("names", right.format(most=NAME_LENGTH), example, is_name)


def _readers(top: Section) -> tuple[ReaderConfig, ...]:
    readers = top.section("readers", A_READER)
    if readers is None or "play" not in readers:
        found = "is missing; every table needs the reader that games are played on"
        raise top.fault("readers.play", found, to_write(A_READER))
    readers.check_keys(SPOTS, A_READER, dict.fromkeys(KEYS["readers.play"], "readers.play"))
    spots = sorted(readers.keys(), key=SPOTS.index)
    return tuple(_reader(readers, spot) for spot in spots)


def _reader(readers: Section, spot: str) -> ReaderConfig:
    section = readers.section(spot, f'[readers.{spot}]\nspi = "0.{int(spot != PLAY_SPOT)}"')
    assert section is not None, "only spots that are there are read"
    section.check_keys(KEYS["readers.play"], 'spi = "0.0"')
    bus, device, spi_mhz = _spi(section, 'spi = "0.0"')
    return ReaderConfig(
        spot,
        bus,
        device,
        reset_pin=_pin(section, "reset_pin"),
        select_pin=_pin(section, "select_pin"),
        chip=_reader_chip(section),
        spi_mhz=spi_mhz,
        gain_db=_gain(section),
    )


def _spi(section: Section, example: str) -> tuple[int, int, int]:
    """Return the SPI bus, its chip select and the clock rate in megahertz from *section*.

    *example* is a line to copy for error messages.
    """
    if "spi" not in section or section.value("spi") not in CHIP_SELECTS:
        raise section.wrong("spi", A_CHIP_SELECT, example)
    bus, device = map(int, section.value("spi").split("."))
    if "spi_mhz" not in section:
        return bus, device, SPI_MHZ[0]
    return bus, device, section.integer("spi_mhz", A_CLOCK_RATE, "spi_mhz = 1", SPI_MHZ)


def _gain(section: Section) -> int | None:
    """Return the receiver's gain in dB; None if the file leaves it to the driver."""
    if "gain_db" not in section:
        return None
    gain_db = section.integer("gain_db", A_GAIN, "gain_db = 43")
    if gain_db not in GAINS_DB:
        raise section.wrong("gain_db", A_GAIN, "gain_db = 43")
    return gain_db


def _reader_chip(section: Section) -> str:
    """Return the name of the reader's chip.

    Installed drivers are searched for only if the chip is not the built-in one, to save time.
    """
    if "chip" not in section or section.value("chip") == BUILT_IN:
        return BUILT_IN
    return section.one_of("chip", reader_chips(), f'chip = "{BUILT_IN}"')


def _fields(top: Section, readers: tuple[ReaderConfig, ...]) -> FieldsConfig:
    in_turn, guard_ms = len(readers) > FIELDS_AT_ONCE, GUARD_MS[0]
    section = top.section("fields", "[fields]\nin_turn = true")
    if section is not None:
        section.check_keys(KEYS["fields"], "in_turn = true")
        in_turn = section.flag("in_turn", "in_turn = true", default=in_turn)
        if "guard_ms" in section:
            right = f"a whole number of milliseconds from {GUARD_MS[0]} to {GUARD_MS[-1]}"
            guard_ms = section.integer("guard_ms", right, "guard_ms = 1", GUARD_MS)
    return FieldsConfig(in_turn, guard_ms / 1000)


def _lamps(top: Section) -> tuple[dict[str, int], StripConfig | None]:
    """Return two values: the lamps by name, and the LED strip or None.

    Without a strip, each lamp has its pin; on a strip, its place on the strip.
    """
    section = top.section("lamps", A_LAMP)
    if section is None:
        return {}, None
    section.check_keys(KEYS["lamps"], "seat-1 = 16")
    if not any(key in section for key in STRIP_KEYS):
        return _pins(section, LAMPS), None
    names = [name for name in LAMPS if name in section]
    places = {name: section.integer(name, A_PLACE, f"{name} = 0", PLACES) for name in names}
    return places, StripConfig(_strip_chip(section), *_spi(section, 'spi = "1.0"'))


def _strip_chip(section: Section) -> str:
    chips = strip_chips()
    if not chips:
        right = "an LED strip with an installed driver, and there is none"
        hint = "Install its driver; or use LEDs on pins, without chip and spi."
        raise section.wrong("chip", right, "seat-1 = 16", hint)
    return section.one_of("chip", chips, f'chip = "{chips[0]}"')


def _controls(top: Section) -> ControlsConfig | None:
    section = top.section("controls", "[controls]\nok = 13")
    if section is None:
        return None
    section.check_keys(KEYS["controls"], "ok = 13")
    encoder = _encoder(section) if "encoder" in section else None
    sides = [side for side in ("left", "right") if side in section]
    if encoder and sides:
        found = "cannot be combined with an encoder, which turns both ways"
        raise section.fault(sides[0], found, "Remove either encoder, or left and right.")
    if len(sides) == 1:
        other = "right" if sides == ["left"] else "left"
        right = f"a BCM GPIO number from 2 to 27, since {sides[0]} is there"
        raise section.wrong(other, right, f"{other} = {EXAMPLE_PINS[other]}")
    return ControlsConfig(encoder, _pins(section, BUTTONS))


def _encoder(section: Section) -> tuple[int, int]:
    example = "encoder = [5, 6]"
    match section.value("encoder"):
        case [int(a), int(b)] if a == b in PINS:
            found = "names pin {pin} twice; each of its two wires needs its own pin"
            raise section.fault("encoder", found.format(pin=a), to_write(example))
        case [int(a), int(b)] if a in PINS and b in PINS:
            return a, b
        case _:
            right = "a list of two BCM GPIO numbers from 2 to 27"
            raise section.wrong("encoder", right, example)


def _part_pin(top: Section, part: str, example: str) -> int | None:
    """Return the pin in the section [*part*]; None without that section.

    *example* is a line to copy for error messages.

    Raises:
        ConfigError: the section has an error, or a key other than ``pin``.
    """
    section = top.section(part, f"[{part}]\n{example}")
    if section is None:
        return None
    section.check_keys(KEYS[part], example)
    return section.integer("pin", A_PIN, example, PINS)


def _voice(top: Section) -> str:
    section = top.section("voice", A_VOICE)
    if section is None:
        return "silent"
    section.check_keys(KEYS["voice"], 'engine = "espeak"')
    return section.one_of("engine", VOICES, 'engine = "espeak"')


def _speech(top: Section, file: Path) -> SpeechConfig:
    section = top.section("voice", A_VOICE)
    if section is None:
        return SpeechConfig()
    clips = device = None
    if "clips" in section:
        right = "a folder of recordings, relative to this file's folder"
        clips = file.parent / section.text("clips", right, 'clips = "clips"')
        if not clips.is_dir():
            found = "is {value}, but there is no folder {folder}".format(
                value=toml_text(section.value("clips")), folder=clips
            )
            raise section.fault("clips", found, "Create it, or remove this line.")
    if "device" in section:
        example = 'device = "plughw:CARD=Device"'
        device = section.text("device", "a name that is listed by: aplay -L", example)
    return SpeechConfig(clips, _models(section, file), device)


def _models(voice: Section, file: Path) -> dict[str, Path]:
    """Return piper's voice files by language."""
    example = 'models = { en = "voices/en_GB-alba-medium.onnx" }'
    section = voice.section("models", example)
    if section is None:
        if voice.value("engine") == "piper":
            raise voice.wrong("models", "a voice file for each language piper speaks", example)
        return {}
    section.check_keys(languages(), 'en = "voices/en_GB-alba-medium.onnx"')
    right = "the path of a piper voice, relative to this file's folder"
    models = {
        language: file.parent
        / section.text(language, right, f'{language} = "voices/{language}.onnx"')
        for language in section.keys()  # noqa: SIM118
    }
    for language, model in models.items():
        if not model.is_file():
            remedy = "Download it (docs/sound.md), or remove this line."
            raise section.fault(language, _no_file(section.value(language), model), remedy)
    return models


def _settings(top: Section, language: str) -> Settings:
    section = top.section("voice", A_VOICE)
    if section is None:
        return Settings(language)
    level = section.one_of("level", LEVELS, 'level = "normal"', Level.NORMAL.value)
    volume = LOUDEST
    if "volume" in section:
        right = f"a whole number from 0 to {LOUDEST}"
        volume = section.integer("volume", right, "volume = 80", range(LOUDEST + 1))
    silent = section.some_of("silent", TOPICS, 'silent = ["turn"]')
    return Settings(language, Level(level), volume, frozenset(map(Topic, silent)))


def _copies(top: Section, file: Path) -> Path | None:
    """Return the folder for automatic copies; None without a section [copies].

    The folder need not exist: it may be on a USB stick that is not plugged in.
    """
    example = 'folder = "/media/tapmat/copies"'
    section = top.section("copies", f"[copies]\n{example}")
    if section is None:
        return None
    section.check_keys(KEYS["copies"], example)
    return file.parent / section.text("folder", "a folder, relative to this file's folder", example)


def _decks(top: Section, file: Path) -> dict[str, Path]:
    example = 'straw = "decks/straw.toml"'
    section = top.section("decks", f"[decks]\n{example}")
    if section is None:
        return {}
    section.check_keys(game_names(), example)
    return {game: _deck(section, game, file.parent) for game in section.keys()}  # noqa: SIM118


def _deck(section: Section, game: str, folder: Path) -> Path:
    example = f'{game} = "decks/{game}.toml"'
    right = "the path of a deck file, relative to this file's folder"
    deck = folder / section.text(game, right, example)
    if not deck.is_file():
        remedy = "Put the deck file there, or correct the path."
        found = _no_file(section.value(game), deck)
        raise section.fault(game, found, f"{remedy} {to_write(example)}")
    return deck


def _no_file(value: object, file: Path) -> str:
    """Return the error text for the path *value*: the *file* that it names does not exist."""
    return f"is {toml_text(value)}, but there is no file {file}"


def _pins(section: Section, names: tuple[str, ...]) -> dict[str, int]:
    """Return the pins of those keys in *names* that *section* has."""
    pins = {name: _pin(section, name) for name in names}
    return {name: pin for name, pin in pins.items() if pin is not None}


def _pin(section: Section, key: str) -> int | None:
    if key not in section:
        return None
    return section.integer(key, A_PIN, f"{key} = {EXAMPLE_PINS[key]}", PINS)


# --- conflicts between sections ------------------------------------------------------------------


def _refuse_shared_chip_selects(config: TableConfig) -> None:
    used = {reader.spi for reader in config.readers}
    free = next((spi for spi in CHIP_SELECTS if spi not in used), None)
    first: dict[str, ReaderConfig] = {}
    for reader in config.readers:
        other = first.setdefault(reader.spi, reader)
        bare = [sharer for sharer in (other, reader) if sharer.select_pin is None]
        if other is reader or not bare:
            continue
        if len(bare) == 2 and free is not None:
            raise ConfigError(
                config.file,
                f"readers.{reader.spot}.spi",
                (
                    "is {value}, the same as {other}; each reader needs its own chip select, or "
                    "its own select_pin"
                ).format(value=toml_text(reader.spi), other=f"readers.{other.spot}.spi"),
                to_write(f'spi = "{free}"'),
            )
        key = f"readers.{bare[-1].spot}.select_pin"
        neighbour = other if bare[-1] is reader else reader
        found = (
            "is missing; it must be a BCM GPIO number from 2 to 27, since {reader} is on {value} "
            "too"
        ).format(reader=f"readers.{neighbour.spot}", value=toml_text(reader.spi))
        raise ConfigError(config.file, key, found, _other_pin(config, key))


def _refuse_readers_beside_strip(config: TableConfig) -> None:
    """Raise ConfigError if readers are on the strip's bus.

    A strip has no chip select, so it would show the bytes that are sent to the readers.
    """
    strip = config.strip
    used = {reader.bus for reader in config.readers}
    if strip is not None and strip.bus in used:
        found = f'is "{strip.spi}", but SPI{strip.bus} has readers; a strip needs its own bus'
        free = next((bus for bus in SPI_PINS if bus not in used), None)
        remedy = "Move the readers to one bus." if free is None else to_write(f'spi = "{free}.0"')
        raise ConfigError(config.file, "lamps.spi", found, remedy)


def _refuse_shared_places(config: TableConfig) -> None:
    """Raise ConfigError if two lamps have the same place on a strip."""
    lamp_at: dict[int, str] = {}
    for lamp, place in config.lamps.items() if config.strip is not None else ():
        other = lamp_at.setdefault(place, lamp)
        if other != lamp:
            free = next(at for at in PLACES if at not in config.lamps.values())
            found = f"is {place}, the same as lamps.{other}; each lamp needs its own place"
            raise ConfigError(config.file, f"lamps.{lamp}", found, to_write(f"{lamp} = {free}"))


def _refuse_bus_pins(config: TableConfig) -> None:
    owned = bus_pins(config)
    for key, pin in pins_in_use(config):
        if pin in owned:
            found = "is {pin}, which {bus} uses on this table; it must be a free pin"
            message = found.format(pin=pin, bus=owned[pin])
            raise ConfigError(config.file, key, message, _other_pin(config, key, pin))


def _refuse_shared_pins(config: TableConfig) -> None:
    first: dict[int, str] = {}
    for key, pin in pins_in_use(config):
        other = first.setdefault(pin, key)
        if other != key and not (_is_reset(other) and _is_reset(key)):
            found = "is {pin}, the same as {other}; only one part can use a pin"
            message = found.format(pin=pin, other=other)
            raise ConfigError(config.file, key, message, _other_pin(config, key, pin))


def _is_reset(key: str) -> bool:
    """Return True if *key* is a reader's reset wire, which other readers may share."""
    return key.endswith(".reset_pin")


def _other_pin(config: TableConfig, key: str, pin: int | None = None) -> str:
    """Return a remedy for *key*, with a line to copy that has a free pin.

    For the encoder, which has two pins, *pin* is the one to replace.
    """
    used = {pin for _key, pin in pins_in_use(config)} | set(bus_pins(config))
    free = next((other for other in SUGGESTED_PINS if other not in used), None)
    if free is None:
        return "No pin is free: remove a part."
    value = str(free)
    if key == "controls.encoder" and config.controls is not None and config.controls.encoder:
        a, b = config.controls.encoder
        value = f"[{free}, {b}]" if a == pin else f"[{a}, {free}]"
    return to_write(f"{key.rpartition('.')[2]} = {value}")
