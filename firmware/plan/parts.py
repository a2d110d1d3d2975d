"""The parts of a table, pin by pin: where each goes, in which colour, and what belongs in between.

Room: firmware. ``PARTS`` has one entry a kind of part; a new kind needs a function there and
nothing else. Ground and 3.3 V are given out last, when it is known how many parts want them: each
part has a pin of its own as long as there are enough, and the nearest one.
Sources: NXP, MFRC522 data sheet rev. 3.9, quoted below as "DS"; Adafruit, "Monochrome OLED
Breakouts", power requirements, and the readme of Adafruit-1.3inch-128x64-Mono-OLED-PCB.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import cycle
from statistics import fmean
from typing import Final

from firmware.config import ReaderConfig, TableConfig
from firmware.plan.header import (
    GPIO,
    GROUND,
    HEADER,
    POWER,
    SCL,
    SDA,
    SPI,
    HeaderPin,
    pins_on,
)

RED, BLACK = "red", "black"  # what 3.3 V and ground have everywhere, and nothing else
SELECT, SCK, MOSI, MISO, RESET = "purple", "orange", "green", "brown", "white"
I2C_SDA, I2C_SCL = "blue", "yellow"  # as the plugs of Qwiic and STEMMA QT have them
LOOSE = ("yellow", "green", "blue", "purple", "grey", "white", "brown", "orange")

RAIL_V = 3.3
LED_OHM = 470
LED_V, LED_LEAST_V = 2.0, 1.6  # across a lit LED: typically; a red one at little current
PIEZO_OHM = 1_000
PULL_UP_OHM = 10_000  # on encoder boards, one a pin

ACROSS = 3  # how many rows' way it is from one of the header's two columns to the other


@dataclass(frozen=True, slots=True)
class Current:
    """What a part draws from 3.3 V, in mA."""

    typical_ma: float = 0.0
    at_most_ma: float = 0.0

    def times(self, count: int) -> "Current":
        """What *count* of them draw."""
        return Current(count * self.typical_ma, count * self.at_most_ma)

    def __add__(self, other: "Current") -> "Current":
        return Current(self.typical_ma + other.typical_ma, self.at_most_ma + other.at_most_ma)


def _through(ohm: float, volts: float) -> float:
    return 1000 * volts / ohm


CHIP: Final = Current(13.5, 19)  # an MFRC522: its digital and its analogue supply. DS table 1
FIELD: Final = Current(60, 100)  # its antenna. DS table 1
# What Adafruit has of its own boards on average; twice that with every pixel lit. For the SSD1306
# that is also what 128 segments of 100 uA can take through a charge pump that triples.
DISPLAYS: Final = {"ssd1306": Current(20, 40), "sh1106": Current(40, 80)}
LED: Final = Current(_through(LED_OHM, RAIL_V - LED_V), _through(LED_OHM, RAIL_V - LED_LEAST_V))
ENCODER: Final = Current(0, 3 * _through(PULL_UP_OHM, RAIL_V))
PIEZO: Final = Current(1, _through(PIEZO_OHM, RAIL_V))


class Symbol(Enum):
    """What stands in each wire of a part that is no board but a few loose pieces."""

    LED = "LED"  # behind its resistor
    BUTTON = "button"
    PIEZO = "piezo"  # behind its resistor


@dataclass(frozen=True, slots=True)
class Connection:
    """One pin of a part, as its board prints it, and the wire from there *to* the Pi's header.

    A pin that stays free has no wire.
    """

    pin: str
    to: HeaderPin | None = None
    colour: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the table, or several alike that share their ground.

    *short* is its name where there is little room, *kind* what to buy, *section* where
    ``table.toml`` has it, and *notes* what there is to know about it. Its *current* comes straight
    from 3.3 V, or through GPIO pins. A part with a *symbol* has one in each of its wires; one
    without is a board.
    """

    name: str
    short: str
    kind: str
    section: str
    notes: tuple[str, ...]
    current: Current = Current()
    is_fed_by_pins: bool = False
    symbol: Symbol | None = None
    connections: tuple[Connection, ...] = ()

    @property
    def signals(self) -> tuple[HeaderPin, ...]:
        """The header's pins that are its own, or its bus's: all but 3.3 V and ground."""
        return tuple(wire.to for wire in self.connections if wire.to and wire.to.rail is None)


@dataclass(frozen=True, slots=True)
class Pin:
    """One pin of a part before ground and 3.3 V are given out: *to* a BCM number or a rail."""

    name: str
    to: int | str | None = None
    colour: str = ""
    note: str = ""


Draft = tuple[Part, Sequence[Pin]]  # a part without connections, and what these are to be


def ground(name: str = GROUND, note: str = "") -> Pin:
    """A pin that goes to ground."""
    return Pin(name, GROUND, BLACK, note)


def power(name: str, note: str = "") -> Pin:
    """A pin that goes to 3.3 V."""
    return Pin(name, POWER, RED, note)


# --- the kinds of parts --------------------------------------------------------------------------


def _readers(config: TableConfig) -> Iterator[Draft]:
    for reader in config.readers:
        part = Part(
            name=f"Reader {reader.spot}",
            short=reader.spot,
            kind=f"RC522, SPI {reader.spi}",
            section=f"readers.{reader.spot}",
            notes=("An RC522 takes 3.3 V, never 5 V: its chip bears 3.6 V.",),
            current=CHIP,
        )
        yield part, tuple(_of_reader(reader))


def _of_reader(reader: ReaderConfig) -> Iterator[Pin]:
    """Its pins, in the order in which the board has them."""
    bus = SPI[reader.bus]
    select = bus.selects[reader.device]
    if reader.select_pin is None:
        yield Pin("SDA", select, SELECT, "chip select")
    else:
        note = f"chip select, in place of GPIO{select}, which stays free"
        yield Pin("SDA", reader.select_pin, SELECT, note)
    yield Pin("SCK", bus.sck, SCK)
    yield Pin("MOSI", bus.mosi, MOSI)
    yield Pin("MISO", bus.miso, MISO)
    yield Pin("IRQ", note="stays free")
    yield ground()
    if reader.reset_pin is None:
        yield power("RST", "as 3.3V: the chip is off while it is low")
    else:
        yield Pin("RST", reader.reset_pin, RESET)
    yield power("3.3V")


def _display(config: TableConfig) -> Iterator[Draft]:
    if config.display is not None:
        part = Part(
            name="Display",
            short="display",
            kind=f"{config.display.chip.upper()}, 0x{config.display.address:X}",
            section="display",
            notes=("Displays differ in the order of their pins: go by the names.",),
            current=DISPLAYS[config.display.chip],
        )
        yield part, (ground(), power("VCC"), Pin("SCL", SCL, I2C_SCL), Pin("SDA", SDA, I2C_SDA))


def _lamps(config: TableConfig) -> Iterator[Draft]:
    if config.lamps:
        part = Part(
            name="Lamps",
            short="lamp",
            kind=f"LEDs, {LED_OHM} Ω each",
            section="lamps",
            notes=(
                f"Each LED has a resistor of {LED_OHM} Ω between the pin and its long leg, which "
                f"holds it to some {LED.typical_ma:.0f} mA; without one, LED and pin take what "
                "they can, and fail. Blue, white and some green LEDs need 3 V themselves: 100 Ω "
                "does for these.",
            ),
            current=LED.times(len(config.lamps)),
            is_fed_by_pins=True,
            symbol=Symbol.LED,
        )
        resistor = f"{LED_OHM} Ω, then the long leg"
        yield part, (*_loose(config.lamps, LOOSE, resistor), ground(note="all short legs"))


def _encoder(config: TableConfig) -> Iterator[Draft]:
    """With its push, which is what ``ok`` is on a table that has an encoder."""
    if config.controls is not None and config.controls.encoder is not None:
        part = Part(
            name="Encoder",
            short="encoder",
            kind="KY-040, or bare",
            section="controls",
            notes=(
                "An encoder's board takes 3.3 V, never 5 V: its resistors would pull the Pi's pins "
                "up to 5 V. A bare encoder has no +; the middle one of its three legs is GND, and "
                "so is one of its push's two. If it turns the wrong way, swap CLK and DT.",
            ),
            current=ENCODER,
        )
        a, b = config.controls.encoder
        push = config.controls.buttons.get("ok")
        yield (
            part,
            (
                Pin("CLK", a, LOOSE[0], "A"),
                Pin("DT", b, LOOSE[1], "B"),
                Pin("SW", note="stays free") if push is None else Pin("SW", push, LOOSE[2], "ok"),
                power("+"),
                ground(),
            ),
        )


def _buttons(config: TableConfig) -> Iterator[Draft]:
    if config.controls is None:
        return
    buttons = dict(config.controls.buttons)
    if config.controls.encoder is not None:
        buttons.pop("ok", None)  # its push
    if buttons:
        part = Part(
            name="Buttons",
            short="button",
            kind="from pin to GND",
            section="controls",
            notes=(
                "A button needs no resistor: the Pi pulls its pin up, a press connects it to GND.",
            ),
            symbol=Symbol.BUTTON,
        )
        yield part, (*_loose(buttons, LOOSE[3:]), ground(note="each button's other leg"))


def _buzzer(config: TableConfig) -> Iterator[Draft]:
    if config.buzzer_pin is not None:
        part = Part(
            name="Buzzer",
            short="buzzer",
            kind="passive piezo disc",
            section="buzzer",
            notes=(
                "The buzzer is a passive piezo disc; its resistor bounds the current at each edge. "
                "A magnetic one (its coil measures some 16 or 42 Ω) asks for more than a pin "
                "bears: switch that with a transistor. An active one beeps by itself, in one tone.",
            ),
            current=PIEZO,
            is_fed_by_pins=True,
            symbol=Symbol.PIEZO,
        )
        yield part, (Pin("+", config.buzzer_pin, LOOSE[4], f"{PIEZO_OHM} Ω, then +"), ground("-"))


def _tilt(config: TableConfig) -> Iterator[Draft]:
    if config.tilt_pin is not None:
        part = Part(
            name="Tilt switch",
            short="tilt",
            kind="ball switch",
            section="tilt",
            notes=("A ball switch needs no resistor: the Pi pulls its pin up.",),
            symbol=Symbol.BUTTON,
        )
        yield part, (Pin("tilt", config.tilt_pin, LOOSE[6]), ground(note="its other leg"))


def _loose(pins: Mapping[str, int], colours: Sequence[str], note: str = "") -> Iterator[Pin]:
    """A wire of its own colour for each of *pins*, as long as there are colours."""
    for (name, pin), colour in zip(pins.items(), cycle(colours), strict=False):
        yield Pin(name, pin, colour, note)


# In the order in which they are listed, which is the default file's.
PARTS: Final[tuple[Callable[[TableConfig], Iterator[Draft]], ...]] = (
    _readers,
    _display,
    _lamps,
    _encoder,
    _buttons,
    _buzzer,
    _tilt,
)


# --- ground and 3.3 V ----------------------------------------------------------------------------


def parts_of(config: TableConfig) -> tuple[Part, ...]:
    """Every part of the table, in the order of the default file."""
    drafts = [draft for parts in PARTS for draft in parts(config)]
    rails = {rail: _given_out(rail, drafts) for rail in (POWER, GROUND)}
    return tuple(
        _wired(part, pins, {rail: rails[rail].get(part.name) for rail in rails})
        for part, pins in drafts
    )


def shared(parts: Sequence[Part]) -> dict[HeaderPin, int]:
    """The header's pins that several wires go to, and how many."""
    ends = Counter(wire.to for part in parts for wire in part.connections if wire.to)
    return {pin: ends[pin] for pin in HEADER if ends[pin] > 1}


def _given_out(rail: str, drafts: Sequence[Draft]) -> dict[str, HeaderPin]:
    """A pin of *rail* for each part that wants one, by its name: whoever is nearest comes first.

    No pin serves two parts while another serves none.
    """
    wanting = {
        part.name: [GPIO[pin.to] for pin in pins if isinstance(pin.to, int)]
        for part, pins in drafts
        if any(pin.to == rail for pin in pins)
    }
    free = pins_on(rail)
    room = -(-len(wanting) // len(free))
    pairs = sorted(
        (_distance(pin, signals), place, pin.number, name, pin)
        for place, (name, signals) in enumerate(wanting.items())
        for pin in free
    )
    given: dict[str, HeaderPin] = {}
    taken: Counter[HeaderPin] = Counter()
    for *_, name, pin in pairs:
        if name not in given and taken[pin] < room:
            given[name] = pin
            taken[pin] += 1
    return given


def _distance(pin: HeaderPin, signals: Sequence[HeaderPin]) -> float:
    """How far *pin* is from *signals*, in rows."""
    row, odd = fmean(other.row for other in signals), fmean(other.is_odd for other in signals)
    return abs(pin.row - row) + ACROSS * abs(pin.is_odd - odd)


def _wired(part: Part, pins: Sequence[Pin], rails: Mapping[str, HeaderPin | None]) -> Part:
    """*part* with its connections; *rails* are the pins it was given."""
    connections = (
        Connection(pin.name, _header_pin(pin, rails), pin.colour, pin.note) for pin in pins
    )
    return replace(part, connections=tuple(connections))


def _header_pin(pin: Pin, rails: Mapping[str, HeaderPin | None]) -> HeaderPin | None:
    if isinstance(pin.to, str):
        return rails[pin.to]
    return None if pin.to is None else GPIO[pin.to]
