"""All sections and keys of ``table.toml``, for the reference in ``docs/table-toml.md``.

``firmware.config.table_config`` reads the keys. A test checks that both have the same keys and
defaults.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from engines.common.contract import Topic
from firmware.config.companion_config import PORT
from firmware.config.display_config import ADDRESSES, CHIPS, SIZES
from firmware.config.mqtt_config import PLAIN_PORT, TLS_PORT
from firmware.config.table_config import (
    BUTTONS,
    CHIP_SELECTS,
    GAINS_DB,
    GUARD_MS,
    LEVELS,
    SPI_MHZ,
    VOICES,
)
from hardware.chip_names import BUILT_IN

PIN: Final = "pin, 2 to 27"
LAMP: Final = f"{PIN}; or place"


@dataclass(frozen=True, slots=True)
class Key:
    """A key of *section*, with its *type* and *meaning* in words.

    *default* is the default value as TOML. If there is none, *absent* says what happens without the
    key.
    """

    section: str
    name: str
    type: str
    meaning: str
    default: str = ""
    absent: str = ""


def _one_of(names: object) -> str:
    assert isinstance(names, tuple)
    return " or ".join(f'`"{name}"`' for name in names)


SECTIONS: Final[Mapping[str, str]] = {
    "table": "The language and the people.",
    "readers.play": "The reader that games are played on. `[readers.hand]`, `[readers.box]` and "
    "`[readers.seat-1]` to `[readers.seat-6]` have the same keys "
    "([readers and display](readers-and-display.md)).",
    "fields": "When the readers' radio fields are on.",
    "display": "The display ([readers and display](readers-and-display.md)).",
    "lamps": "One lamp at each seat, and four for everybody. "
    "Leave out the lamps that your table does not have. A lamp is an LED on a pin. With *chip*, it "
    "is an LED on a strip, and its value is its place on the strip, counted from 0.",
    "controls": "The rotary encoder and the buttons, each from its pin to ground.",
    "tilt": "A tilt switch ([the tilt switch](tilt-sensor.md)).",
    "buzzer": "A buzzer.",
    "voice": "The voice ([the voice](voice.md), [how the table sounds](sound.md)). Level, volume "
    "and topics can be changed at the table too; such changes replace these values.",
    "copies": "The automatic copies of games and stickers ([the journal](journal.md)).",
    "companion": "Pages for televisions, phones and overlays ([the companion](companion.md)).",
    "mqtt": "The connection to an MQTT broker, for example that of "
    "[Home Assistant](home-assistant.md).",
    "decks": "Deck files that differ from the game's own, one key for each game.",
}

KEYS: Final = (
    Key(
        "table",
        "language",
        'a language, such as `"de"`',
        "The language of the display and the voice.",
        '"en"',
    ),
    Key(
        "table",
        "names",
        "list of strings",
        "The players' names that the table offers, each of up to 10 letters.",
        "[]",
    ),
    Key(
        "readers.play",
        "chip",
        "text",
        "The reader's chip: a built-in one, or one whose driver is installed "
        "([adding a reader](adding-a-reader.md)).",
        f'"{BUILT_IN}"',
    ),
    Key(
        "readers.play",
        "spi",
        _one_of(CHIP_SELECTS),
        "The SPI bus and chip select; 1.0 to 1.2 need the overlay spi1-3cs.",
        absent="required",
    ),
    Key(
        "readers.play",
        "spi_mhz",
        f"{SPI_MHZ[0]} to {SPI_MHZ[-1]}",
        "The SPI clock rate in megahertz. `tapmat doctor` measures which rates this reader's wires "
        "allow ([readers and display](readers-and-display.md#a-faster-spi-clock)).",
        str(SPI_MHZ[0]),
    ),
    Key(
        "readers.play",
        "select_pin",
        PIN,
        "The pin that selects this chip, if it is not wired to the bus's own chip select.",
        absent="the bus's own",
    ),
    Key(
        "readers.play",
        "reset_pin",
        PIN,
        "The pin of the reader's RST; readers may share one.",
        absent="reset by a command",
    ),
    Key(
        "readers.play",
        "gain_db",
        ", ".join(map(str, GAINS_DB)),
        "The gain of the reader's receiver in dB. `tapmat doctor` tries four gains with the cards "
        "that are on the reader ([readers and display](readers-and-display.md#the-gain)).",
        absent="43",
    ),
    Key(
        "fields",
        "in_turn",
        "`true` or `false`",
        "Switch the fields on one at a time.",
        absent="`true` with more than two readers",
    ),
    Key(
        "fields",
        "guard_ms",
        f"{GUARD_MS[0]} to {GUARD_MS[-1]}",
        "Milliseconds between switching a field on and calling the tags in it.",
        "1",
    ),
    Key(
        "display",
        "chip",
        _one_of(CHIPS),
        "The display's chip; most modules of 1.3 inch have an SH1106.",
        '"ssd1306"',
    ),
    Key(
        "display",
        "size",
        _one_of(tuple(SIZES)),
        "The display's width x height in pixels; an SH1106 has 128x64.",
        '"128x64"',
    ),
    Key("display", "i2c", "`1`", "The I2C bus, on pins 2 and 3.", "1"),
    Key("display", "address", _one_of(tuple(ADDRESSES)), "The display's I2C address.", '"0x3C"'),
    Key(
        "display",
        "rotate",
        "`true` or `false`",
        "Turn the picture by 180 degrees, for a display that is mounted upside down.",
        "false",
    ),
    Key(
        "lamps",
        "chip",
        "text",
        "The chip of an LED strip whose driver is installed "
        "([adding an LED strip](adding-an-led-strip.md)).",
        absent="LEDs on pins",
    ),
    Key(
        "lamps",
        "spi",
        _one_of(CHIP_SELECTS),
        "The strip's SPI bus and chip select. The bus must have no reader.",
        absent="required with *chip*",
    ),
    Key(
        "lamps",
        "spi_mhz",
        f"{SPI_MHZ[0]} to {SPI_MHZ[-1]}",
        "The SPI clock rate of the strip in megahertz.",
        absent=str(SPI_MHZ[0]),
    ),
    *(
        Key("lamps", name, LAMP, meaning, absent="no lamp")
        for name, meaning in (
            *((f"seat-{number}", f"The lamp of seat {number}.") for number in range(1, 7)),
            ("clockwise", "Lights while play goes clockwise."),
            ("counter-clockwise", "Lights while play goes counter-clockwise."),
            ("accepted", "Lights when a play is accepted."),
            ("refused", "Lights when a play is refused."),
        )
    ),
    Key(
        "controls",
        "encoder",
        "list of two pins",
        "The encoder's two pins; when it turns clockwise, the first goes low first.",
        absent="no encoder",
    ),
    *(
        Key(
            "controls",
            name,
            PIN,
            f"The button *{name}*{' (the push of the encoder)' if name == 'ok' else ''}.",
            absent="no button",
        )
        for name in BUTTONS[:3]
    ),
    Key(
        "controls",
        "left",
        PIN,
        "The button to turn left, on a table without an encoder. It needs *right* too.",
        absent="no button",
    ),
    Key(
        "controls",
        "right",
        PIN,
        "The button to turn right, on a table without an encoder. It needs *left* too.",
        absent="no button",
    ),
    Key("tilt", "pin", PIN, "The switch's pin.", absent="required"),
    Key("buzzer", "pin", PIN, "The buzzer's pin.", absent="required"),
    Key("voice", "engine", _one_of(VOICES), "The program that speaks.", absent="required"),
    Key("voice", "level", _one_of(LEVELS), "How much the table says.", '"normal"'),
    Key("voice", "volume", "0 to 100", "The loudness in percent.", "100"),
    Key(
        "voice",
        "silent",
        "list of topics",
        "Topics that are never said: " + ", ".join(f"`{topic.value}`" for topic in Topic) + ".",
        "[]",
    ),
    Key(
        "voice",
        "clips",
        "folder",
        "A folder of recordings to play in place of the engine's voice. If the folder is `clips`, "
        "the English recording of 21 is `clips/en/21.wav`.",
        absent="no recordings",
    ),
    Key(
        "voice",
        "models",
        "table of files",
        'With `"piper"`: a voice file for each language.',
        absent="required with piper",
    ),
    Key(
        "voice",
        "device",
        "text",
        "The sound card, as `aplay -L` names it.",
        absent="found automatically",
    ),
    Key(
        "copies",
        "folder",
        "folder",
        "The folder for the copies, for example on a USB stick.",
        absent="the state folder",
    ),
    Key(
        "companion",
        "on",
        "`true` or `false`",
        "Serve the pages. On a Pi, run `install-pi` again after a change.",
        "false",
    ),
    Key("companion", "port", "1024 to 65535", "The port of the pages.", str(PORT)),
    Key(
        "mqtt",
        "on",
        "`true` or `false`",
        "Connect to the broker. On a Pi, run `install-pi` again after a change.",
        "false",
    ),
    Key("mqtt", "broker", "text", "The broker's host name or IP address.", '"localhost"'),
    Key(
        "mqtt",
        "port",
        "1 to 65535",
        "The broker's port.",
        absent=f"{PLAIN_PORT}; {TLS_PORT} with TLS",
    ),
    Key(
        "mqtt",
        "tls",
        "`true` or `false`",
        "Encrypt the connection, and check the broker's certificate.",
        absent="`true` with *ca_file*",
    ),
    Key(
        "mqtt",
        "ca_file",
        "file",
        "The certificates of the authorities that the broker's certificate may be from, as PEM.",
        absent="the system's",
    ),
    Key("mqtt", "user", "text", "The user's name at the broker.", absent="no user"),
    Key(
        "mqtt",
        "password_file",
        "file",
        "A file with the password in its first line. The environment variable "
        "`TAPMAT_MQTT_PASSWORD` replaces it.",
        absent="no password",
    ),
    Key(
        "mqtt",
        "id",
        "text",
        "The table's name in topics: 1 to 32 lower-case letters and digits, with single `-` or `_` "
        "between them. Tables at the same broker need different names.",
        '"tapmat"',
    ),
    Key(
        "mqtt",
        "home_assistant",
        "`true` or `false`",
        "Describe the table to Home Assistant.",
        "true",
    ),
    Key(
        "decks", "straw", "file", "The deck file of a game, here of Straw.", absent="the game's own"
    ),
)
