"""The table's configuration: ``table.toml`` as typed values, or an error that helps.

Room: firmware. Every fault names the file, the key, what was found, what would be right and a line
to copy. ``DEFAULT_TABLE_TOML`` is the default table and shows the format.
Source: Raspberry Pi documentation, "GPIO and the 40-pin header": pins of SPI0, SPI1 and I2C1.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from gettext import gettext as _
from pathlib import Path
from typing import Final, Self

from engines.common.contract import PLAY_SPOT, SEAT_SPOTS, Topic
from firmware.errors import ConfigError
from firmware.games import game_names
from firmware.names import NAME_LENGTH, is_name
from firmware.sections import Section, read_toml, to_write, written
from firmware.settings import LOUDEST, Level, Settings
from firmware.words import languages

DEFAULT_TABLE_TOML: Final = Path(__file__).with_name("table.toml")

SPOTS = (PLAY_SPOT, "hand", "box", *SEAT_SPOTS)
LAMPS = (*SEAT_SPOTS, "clockwise", "counter-clockwise", "accepted", "refused")
BUTTONS = ("ok", "back", "action", "left", "right")
CHIPS = ("ssd1306", "sh1106")
SIZES = {"128x64": (128, 64), "128x32": (128, 32)}
ADDRESSES = {"0x3C": 0x3C, "0x3D": 0x3D}
VOICES = ("espeak", "piper", "silent")
LEVELS = tuple(level.value for level in Level)
TOPICS = tuple(topic.value for topic in Topic)

PINS = range(2, 28)  # GPIO0 and GPIO1 read the EEPROM of a HAT
CHIP_SELECTS = ("0.0", "0.1", "1.0", "1.1", "1.2")
SPI_PINS = {0: range(7, 12), 1: range(16, 22)}  # CE1 CE0 MISO MOSI SCLK; CE2-0 MISO MOSI SCLK
I2C_PINS = {1: range(2, 4)}  # SDA SCL
FIELDS_AT_ONCE = 2  # more readers than that have their fields on in turn, unless told otherwise
GUARD_MS = range(1, 11)  # tags need about 1 ms; ISO/IEC 14443-3, 5.1 grants them 5
# The order in which a free pin is suggested: those no bus ever wants, then SPI1's, then the UART's.
SUGGESTED_PINS = (4, 5, 6, 12, 13, *range(22, 28), *range(16, 22), 14, 15)

# A pin to write for each key, as in the default table.
EXAMPLE_PINS = {
    "select_pin": 22, "reset_pin": 25,
    "seat-1": 16, "seat-2": 17, "seat-3": 18, "seat-4": 19, "seat-5": 20, "seat-6": 21,
    "clockwise": 22, "counter-clockwise": 27, "accepted": 23, "refused": 24,
    "ok": 13, "back": 26, "action": 4, "left": 5, "right": 6,
}  # fmt: skip
N_ = str  # marks a text for the catalogues; it is translated where it is used
A_PIN = N_("a BCM GPIO number from 2 to 27")
A_CHIP_SELECT = N_('"0.0" or "0.1", or with the overlay spi1-3cs "1.0" or "1.1" or "1.2"')

KEYS = {  # of each section; a reader's are those of every reader
    "table": ("language", "names"),
    "readers.play": ("spi", "select_pin", "reset_pin"),
    "fields": ("in_turn", "guard_ms"),
    "display": ("chip", "size", "i2c", "address", "rotate"),
    "lamps": LAMPS,
    "controls": ("encoder", *BUTTONS),
    "tilt": ("pin",),
    "buzzer": ("pin",),
    "voice": ("engine", "level", "volume", "silent", "clips", "models", "device"),
}
_USES = Counter(key for keys in KEYS.values() for key in keys)
SECTION_OF = {  # of each key that is at home in no other
    key: section for section, keys in KEYS.items() for key in keys if _USES[key] == 1
}
SECTIONS = (*(section.partition(".")[0] for section in KEYS), "decks")
A_VOICE = '[voice]\nengine = "espeak"'
A_READER = '[readers.play]\nspi = "0.0"'


@dataclass(frozen=True, slots=True)
class ReaderConfig:
    """A reader on *spot*: chip select *device* of SPI *bus*; pins are BCM numbers.

    With a *select_pin*, that pin is wired to the chip in place of the bus's own chip select, which
    then goes nowhere, and which several such readers may name. A *reset_pin* may be shared too.
    """

    spot: str
    bus: int
    device: int
    reset_pin: int | None = None
    select_pin: int | None = None

    @classmethod
    def at(cls, spot: str, spi: str, **pins: int | None) -> Self:
        """The reader on *spot* at *spi* (``0.1``), with its ``reset_pin`` and ``select_pin``."""
        bus, device = map(int, spi.split("."))
        return cls(spot, bus, device, **pins)

    @property
    def spi(self) -> str:
        """Bus and chip select, as ``table.toml`` names them."""
        return f"{self.bus}.{self.device}"


@dataclass(frozen=True, slots=True)
class FieldsConfig:
    """Whether the readers' fields are on *in_turn*, and then *guard_s* before tags are called."""

    in_turn: bool
    guard_s: float


@dataclass(frozen=True, slots=True)
class DisplayConfig:
    """The display: pixels (width, height), I2C bus, 7-bit address, upside down or not, its chip."""

    size: tuple[int, int]
    i2c: int
    address: int
    rotate: bool
    chip: str = "ssd1306"


@dataclass(frozen=True, slots=True)
class ControlsConfig:
    """The controls, as BCM numbers: an *encoder* or two *buttons* ``left`` and ``right``."""

    encoder: tuple[int, int] | None
    buttons: Mapping[str, int]  # by name: ok, back, action, left, right


@dataclass(frozen=True, slots=True)
class SpeechConfig:
    """How the sound of speech is made: a clip pack's folder, piper's voices, and the device."""

    clips: Path | None = None
    models: Mapping[str, Path] = field(default_factory=dict)  # by language
    device: str | None = None


@dataclass(frozen=True, slots=True)
class TableConfig:
    """One table: its parts and their pins. What is None or empty, the table does not have."""

    file: Path
    language: str
    names: tuple[str, ...]
    readers: tuple[ReaderConfig, ...]  # the one on spot "play" first
    fields: FieldsConfig
    display: DisplayConfig | None
    lamps: Mapping[str, int]  # BCM number by the lamp's name
    controls: ControlsConfig | None
    tilt_pin: int | None
    buzzer_pin: int | None
    voice: str
    speech: SpeechConfig = SpeechConfig()
    decks: Mapping[str, Path] = field(default_factory=dict)  # an owner's deck file by game
    level: Level = Level.NORMAL
    volume: int = LOUDEST
    silent: frozenset[Topic] = frozenset()

    @property
    def settings(self) -> Settings:
        """How the table speaks until people change it."""
        return Settings(self.language, self.level, self.volume, self.silent)


def load_config(path: Path | None = None) -> TableConfig:
    """Return the table that *path* describes, or the default table.

    Raises:
        ConfigError: the file cannot be read, or describes no table that could be wired.
    """
    file = DEFAULT_TABLE_TOML if path is None else path
    top = read_toml(file, ConfigError)
    top.only(SECTIONS, '[table]\nlanguage = "en"', SECTION_OF)
    language, names = _table(top)
    readers = _readers(top)
    level, volume, silent = _manner(top)
    config = TableConfig(
        file=file,
        language=language,
        names=names,
        readers=readers,
        fields=_fields(top, readers),
        display=_display(top),
        lamps=_lamps(top),
        controls=_controls(top),
        tilt_pin=_part_pin(top, "tilt", "pin = 15"),
        buzzer_pin=_part_pin(top, "buzzer", "pin = 12"),
        voice=_voice(top),
        speech=_speech(top, file),
        decks=_decks(top, file),
        level=level,
        volume=volume,
        silent=silent,
    )
    _refuse_shared_chip_selects(config)
    _refuse_bus_pins(config)
    _refuse_shared_pins(config)
    return config


def pins_in_use(config: TableConfig) -> Iterator[tuple[str, int]]:
    """Every pin a part is on, with its key in ``table.toml``, in the order of the default file."""
    for reader in config.readers:
        for key, pin in (("select_pin", reader.select_pin), ("reset_pin", reader.reset_pin)):
            if pin is not None:
                yield f"readers.{reader.spot}.{key}", pin
    for lamp, pin in config.lamps.items():
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
    """The pins that the buses in use own, each with the bus's name."""
    owned = {pin: f"SPI{reader.bus}" for reader in config.readers for pin in SPI_PINS[reader.bus]}
    if config.display is not None:
        owned |= dict.fromkeys(I2C_PINS[config.display.i2c], f"I2C{config.display.i2c}")
    return owned


# --- the sections --------------------------------------------------------------------------------


def _table(top: Section) -> tuple[str, tuple[str, ...]]:
    example = 'language = "en"'
    section = top.section("table", f"[table]\n{example}")
    if section is None:
        return "en", ()
    section.only(KEYS["table"], example)
    return section.one_of("language", languages(), example, "en"), _names(section)


def _names(section: Section) -> tuple[str, ...]:
    right = _("a list of different names of 1 to {most} letters that the screen can show")
    example = 'names = ["Ann", "Ben"]'
    return section.texts("names", right.format(most=NAME_LENGTH), example, is_name)


def _readers(top: Section) -> tuple[ReaderConfig, ...]:
    readers = top.section("readers", A_READER)
    if readers is None or "play" not in readers:
        found = _("is missing; every table has the reader that games are played on")
        raise top.fault("readers.play", found, to_write(A_READER))
    readers.only(SPOTS, A_READER, dict.fromkeys(KEYS["readers.play"], "readers.play"))
    spots = sorted(readers.keys(), key=SPOTS.index)
    return tuple(_reader(readers, spot) for spot in spots)


def _reader(readers: Section, spot: str) -> ReaderConfig:
    section = readers.section(spot, f'[readers.{spot}]\nspi = "0.{int(spot != PLAY_SPOT)}"')
    assert section is not None, "only spots that are there are read"
    section.only(KEYS["readers.play"], 'spi = "0.0"')
    if "spi" not in section or section.value("spi") not in CHIP_SELECTS:
        raise section.wrong("spi", _(A_CHIP_SELECT), 'spi = "0.0"')
    spi = section.value("spi")
    pins = {key: _pin(section, key) for key in ("reset_pin", "select_pin")}
    return ReaderConfig.at(spot, spi, **pins)


def _fields(top: Section, readers: tuple[ReaderConfig, ...]) -> FieldsConfig:
    in_turn, guard_ms = len(readers) > FIELDS_AT_ONCE, GUARD_MS[0]
    section = top.section("fields", "[fields]\nin_turn = true")
    if section is not None:
        section.only(KEYS["fields"], "in_turn = true")
        in_turn = section.flag("in_turn", "in_turn = true", default=in_turn)
        if "guard_ms" in section:
            right = _("a whole number of milliseconds from {least} to {most}").format(
                least=GUARD_MS[0], most=GUARD_MS[-1]
            )
            guard_ms = section.integer("guard_ms", right, "guard_ms = 1", GUARD_MS)
    return FieldsConfig(in_turn, guard_ms / 1000)


def _display(top: Section) -> DisplayConfig | None:
    section = top.section("display", '[display]\nsize = "128x64"')
    if section is None:
        return None
    section.only(KEYS["display"], 'size = "128x64"')
    chip = section.one_of("chip", CHIPS, 'chip = "ssd1306"', "ssd1306")
    size = section.one_of("size", tuple(SIZES), 'size = "128x64"', "128x64")
    address = section.one_of("address", tuple(ADDRESSES), 'address = "0x3C"', "0x3C")
    bus = 1
    if "i2c" in section:
        bus = section.integer("i2c", _("1, the I2C bus on pins 2 and 3"), "i2c = 1", range(1, 2))
    rotate = section.flag("rotate", "rotate = false", default=False)
    if (chip, size) == ("sh1106", "128x32"):
        right = _('"ssd1306" with size = "128x32", as modules with an SH1106 have 128x64')
        raise section.wrong("chip", right, 'chip = "ssd1306"')
    return DisplayConfig(SIZES[size], bus, ADDRESSES[address], rotate, chip)


def _lamps(top: Section) -> dict[str, int]:
    section = top.section("lamps", "[lamps]\nseat-1 = 16")
    if section is None:
        return {}
    section.only(KEYS["lamps"], "seat-1 = 16")
    return _pins(section, LAMPS)


def _controls(top: Section) -> ControlsConfig | None:
    section = top.section("controls", "[controls]\nok = 13")
    if section is None:
        return None
    section.only(KEYS["controls"], "ok = 13")
    encoder = _encoder(section) if "encoder" in section else None
    sides = [side for side in ("left", "right") if side in section]
    if encoder and sides:
        found = _("stands beside an encoder, which turns both ways already")
        raise section.fault(sides[0], found, _("Take out either encoder, or left and right."))
    if len(sides) == 1:
        other = "right" if sides == ["left"] else "left"
        right = _("a BCM GPIO number from 2 to 27, since {side} is there").format(side=sides[0])
        raise section.wrong(other, right, f"{other} = {EXAMPLE_PINS[other]}")
    return ControlsConfig(encoder, _pins(section, BUTTONS))


def _encoder(section: Section) -> tuple[int, int]:
    example = "encoder = [5, 6]"
    match section.value("encoder"):
        case [int(a), int(b)] if a == b in PINS:
            found = _("names pin {pin} twice; each of its two wires needs a pin of its own")
            raise section.fault("encoder", found.format(pin=a), to_write(example))
        case [int(a), int(b)] if a in PINS and b in PINS:
            return a, b
        case _:
            right = _("a list of two BCM GPIO numbers from 2 to 27")
            raise section.wrong("encoder", right, example)


def _part_pin(top: Section, part: str, example: str) -> int | None:
    """The pin of a part that has nothing else to say of it."""
    section = top.section(part, f"[{part}]\n{example}")
    if section is None:
        return None
    section.only(KEYS[part], example)
    return section.integer("pin", _(A_PIN), example, PINS)


def _voice(top: Section) -> str:
    section = top.section("voice", A_VOICE)
    if section is None:
        return "silent"
    section.only(KEYS["voice"], 'engine = "espeak"')
    return section.one_of("engine", VOICES, 'engine = "espeak"')


def _speech(top: Section, file: Path) -> SpeechConfig:
    section = top.section("voice", A_VOICE)
    if section is None:
        return SpeechConfig()
    clips = device = None
    if "clips" in section:
        right = _("a folder of recordings, seen from this file's folder")
        clips = file.parent / section.text("clips", right, 'clips = "clips"')
        if not clips.is_dir():
            found = _("is {value}, but there is no folder {folder}").format(
                value=written(section.value("clips")), folder=clips
            )
            raise section.fault("clips", found, _("Make it, or take this line out."))
    if "device" in section:
        example = 'device = "plughw:CARD=Device"'
        device = section.text("device", _("a name that is listed by: aplay -L"), example)
    return SpeechConfig(clips, _models(section, file), device)


def _models(voice: Section, file: Path) -> dict[str, Path]:
    """The voice files of piper, by language."""
    example = 'models = { en = "voices/en_GB-alba-medium.onnx" }'
    section = voice.section("models", example)
    if section is None:
        if voice.value("engine") == "piper":
            raise voice.wrong("models", _("a voice file for each language piper speaks"), example)
        return {}
    section.only(languages(), 'en = "voices/en_GB-alba-medium.onnx"')
    right = _("the path of a piper voice, seen from this file's folder")
    models = {
        language: file.parent
        / section.text(language, right, f'{language} = "voices/{language}.onnx"')
        for language in section.keys()  # noqa: SIM118
    }
    for language, model in models.items():
        if not model.is_file():
            remedy = _("Fetch it (docs/sound.md), or take this line out.")
            raise section.fault(language, _no_file(section.value(language), model), remedy)
    return models


def _manner(top: Section) -> tuple[Level, int, frozenset[Topic]]:
    """How much is said, how loud, and what never."""
    section = top.section("voice", A_VOICE)
    if section is None:
        return Level.NORMAL, LOUDEST, frozenset()
    level = section.one_of("level", LEVELS, 'level = "normal"', Level.NORMAL.value)
    volume = LOUDEST
    if "volume" in section:
        right = _("a whole number from 0 to {most}").format(most=LOUDEST)
        volume = section.integer("volume", right, "volume = 80", range(LOUDEST + 1))
    silent = section.some_of("silent", TOPICS, 'silent = ["turn"]')
    return Level(level), volume, frozenset(map(Topic, silent))


def _decks(top: Section, file: Path) -> dict[str, Path]:
    example = 'straw = "decks/straw.toml"'
    section = top.section("decks", f"[decks]\n{example}")
    if section is None:
        return {}
    section.only(game_names(), example)
    return {game: _deck(section, game, file.parent) for game in section.keys()}  # noqa: SIM118


def _deck(section: Section, game: str, folder: Path) -> Path:
    example = f'{game} = "decks/{game}.toml"'
    right = _("the path of a deck file, seen from this file's folder")
    deck = folder / section.text(game, right, example)
    if not deck.is_file():
        remedy = _("Write the deck there, or name where it is.")
        found = _no_file(section.value(game), deck)
        raise section.fault(game, found, f"{remedy} {to_write(example)}")
    return deck


def _no_file(value: object, file: Path) -> str:
    """What is found where a path leads to no *file*."""
    return _("is {value}, but there is no file {file}").format(value=written(value), file=file)


def _pins(section: Section, names: tuple[str, ...]) -> dict[str, int]:
    """The pins under those of *names* that are there."""
    pins = {name: _pin(section, name) for name in names}
    return {name: pin for name, pin in pins.items() if pin is not None}


def _pin(section: Section, key: str) -> int | None:
    if key not in section:
        return None
    return section.integer(key, _(A_PIN), f"{key} = {EXAMPLE_PINS[key]}", PINS)


# --- what does not go together -------------------------------------------------------------------


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
                _(
                    "is {value}, and so is {other}; each reader needs a chip select of its own, "
                    "or else each a select_pin"
                ).format(value=written(reader.spi), other=f"readers.{other.spot}.spi"),
                to_write(f'spi = "{free}"'),
            )
        key = f"readers.{bare[-1].spot}.select_pin"
        neighbour = other if bare[-1] is reader else reader
        found = _(
            "is missing; it must be a BCM GPIO number from 2 to 27, since {reader} is on {value} "
            "too"
        ).format(reader=f"readers.{neighbour.spot}", value=written(reader.spi))
        raise ConfigError(config.file, key, found, _other_pin(config, key))


def _refuse_bus_pins(config: TableConfig) -> None:
    owned = bus_pins(config)
    for key, pin in pins_in_use(config):
        if pin in owned:
            found = _("is {pin}, which {bus} owns on this table; it must be a free pin")
            told = found.format(pin=pin, bus=owned[pin])
            raise ConfigError(config.file, key, told, _other_pin(config, key, pin))


def _refuse_shared_pins(config: TableConfig) -> None:
    first: dict[int, str] = {}
    for key, pin in pins_in_use(config):
        other = first.setdefault(pin, key)
        if other != key and not (_is_reset(other) and _is_reset(key)):
            found = _("is {pin}, and so is {other}; each pin takes one part")
            told = found.format(pin=pin, other=other)
            raise ConfigError(config.file, key, told, _other_pin(config, key, pin))


def _is_reset(key: str) -> bool:
    """Whether *key* is a reader's reset wire, which other readers may share."""
    return key.endswith(".reset_pin")


def _other_pin(config: TableConfig, key: str, pin: int | None = None) -> str:
    """The line to copy that moves *key* (from *pin*, if it has one) to a free pin."""
    used = {pin for _key, pin in pins_in_use(config)} | set(bus_pins(config))
    free = next((other for other in SUGGESTED_PINS if other not in used), None)
    if free is None:
        return _("No pin is free: leave out a part.")
    value = str(free)
    if key == "controls.encoder" and config.controls is not None and config.controls.encoder:
        a, b = config.controls.encoder
        value = f"[{free}, {b}]" if a == pin else f"[{a}, {free}]"
    return to_write(f"{key.rpartition('.')[2]} = {value}")
