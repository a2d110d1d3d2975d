"""The parts of a table and their wires: the header pin, the colour and a note for each pin.

``PARTS`` has one function for each kind of part; to add a kind, add a function. Ground and 3.3 V
pins are assigned last, when all parts that need them are known. Each part gets the nearest of these
pins. Parts share a pin only if there are too few. The drivers of readers and LED strips say which
pins and current their modules have.

Sources: Adafruit, "Monochrome OLED Breakouts", power requirements, and the readme of
Adafruit-1.3inch-128x64-Mono-OLED-PCB.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import cycle
from statistics import fmean
from typing import Final

from firmware.config.table_config import ReaderConfig, StripConfig, TableConfig
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
from firmware.runtime.wiring import reader_driver, strip_driver
from hardware.modules import NO_CURRENT, Current, PinRole, SpiModule

RED, BLACK = "red", "black"  # only 3.3 V wires are red, and only ground wires are black
SELECT, SCK, MOSI, MISO, RESET = "purple", "orange", "green", "brown", "white"
I2C_SDA, I2C_SCL = "blue", "yellow"  # the colours of Qwiic and STEMMA QT cables
LOOSE = ("yellow", "green", "blue", "purple", "grey", "white", "brown", "orange")

RAIL_V = 3.3
LED_OHM = 470
LED_V, LED_LEAST_V = 2.0, 1.6  # voltage across a lit LED: typical; a red one at a low current
PIEZO_OHM = 1_000
PULL_UP_OHM = 10_000  # on encoder boards, one for each pin

ACROSS = 3  # the distance between the header's two columns, in rows


def _through(ohm: float, volts: float) -> float:
    """Return the current in mA through a resistor of *ohm* at *volts*."""
    return 1000 * volts / ohm


# Typical is the average that Adafruit measured on its own boards; with every pixel lit, twice that
# is assumed. For the SSD1306, 128 segments of 100 uA, times 3 for the charge pump, need as much.
DISPLAYS: Final = {"ssd1306": Current(20, 40), "sh1106": Current(40, 80)}
LED: Final = Current(_through(LED_OHM, RAIL_V - LED_V), _through(LED_OHM, RAIL_V - LED_LEAST_V))
ENCODER: Final = Current(0, 3 * _through(PULL_UP_OHM, RAIL_V))
PIEZO: Final = Current(1, _through(PIEZO_OHM, RAIL_V))


class Symbol(Enum):
    """The component in each wire of a part that is made of loose components."""

    LED = "LED"  # with a resistor
    BUTTON = "button"
    PIEZO = "piezo"  # with a resistor


@dataclass(frozen=True, slots=True)
class Connection:
    """One pin of a part, with its name on the board.

    A wire connects it to the header pin *to*; None if the pin stays free.
    """

    pin: str
    to: HeaderPin | None = None
    colour: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the table, or several similar parts, such as lamps, with one ground wire.

    *short* is a shorter name, *kind* the type to buy, *section* its section of ``table.toml``, and
    *notes* are sentences for the person who wires it. *current* is drawn from the 3.3 V pins, or
    through GPIO pins if it *is_fed_by_pins*; a reader's *field* draws more. A part with a *symbol*
    has that component in each of its wires; a part without one is a board. *connections* are its
    pins, each with its wire.
    """

    name: str
    short: str
    kind: str
    section: str
    notes: tuple[str, ...]
    current: Current = NO_CURRENT
    field: Current = NO_CURRENT
    is_fed_by_pins: bool = False
    symbol: Symbol | None = None
    connections: tuple[Connection, ...] = ()

    @property
    def signals(self) -> tuple[HeaderPin, ...]:
        """The header pins of the part's wires, without 3.3 V and ground."""
        return tuple(wire.to for wire in self.connections if wire.to and wire.to.rail is None)


@dataclass(frozen=True, slots=True)
class Pin:
    """One pin of a part before rail pins are assigned.

    *to* is a BCM number or a rail; None if the pin stays free. *colour* is the wire's.
    """

    name: str
    to: int | str | None = None
    colour: str = ""
    note: str = ""


Draft = tuple[Part, Sequence[Pin]]  # a part without its connections, and its pins


def ground(name: str = GROUND, note: str = "") -> Pin:
    """Return a pin that is wired to ground."""
    return Pin(name, GROUND, BLACK, note)


def power(name: str, note: str = "") -> Pin:
    """Return a pin that is wired to 3.3 V."""
    return Pin(name, POWER, RED, note)


# --- the kinds of parts --------------------------------------------------------------------------


def _readers(config: TableConfig) -> Iterator[Draft]:
    for reader in config.readers:
        driver = reader_driver(reader)
        part = _spi_part(
            f"Reader {reader.spot}", reader.spot, f"readers.{reader.spot}", driver.module, reader
        )
        pins = _spi_pins(reader)
        if reader.select_pin is not None:
            note = f"chip select; GPIO{pins[PinRole.SELECT].to} stays free"
            pins[PinRole.SELECT] = Pin("", reader.select_pin, SELECT, note)
        if reader.reset_pin is not None:
            pins[PinRole.RESET] = Pin("", reader.reset_pin, RESET)
        yield replace(part, field=driver.field), _module_pins(driver.module, pins)


def _spi_part(
    name: str, short: str, section: str, module: SpiModule, config: ReaderConfig | StripConfig
) -> Part:
    """Return the part *name*, whose *module* is on the SPI bus of *config*."""
    kind = f"{module.name}, SPI {config.spi}"
    return Part(name, short, kind, section, (module.note,), module.current)


def _spi_pins(part: ReaderConfig | StripConfig) -> dict[PinRole, Pin]:
    """Return the pin for each wire of an SPI module, by the wire's role.

    The module uses its bus's own chip select, and has no reset wire.
    """
    bus = SPI[part.bus]
    return {
        PinRole.SELECT: Pin("", bus.selects[part.device], SELECT, "chip select"),
        PinRole.SCK: Pin("", bus.sck, SCK),
        PinRole.MOSI: Pin("", bus.mosi, MOSI),
        PinRole.MISO: Pin("", bus.miso, MISO),
        PinRole.RESET: power("", "to 3.3 V: the chip is off while {name} is low"),
        PinRole.POWER: power(""),
        PinRole.OWN_SUPPLY: Pin("", note="from its own supply, not from the Pi"),
        PinRole.GROUND: ground(),
        PinRole.FREE: Pin("", note="not connected"),
    }


def _module_pins(module: SpiModule, pins: Mapping[PinRole, Pin]) -> tuple[Pin, ...]:
    """Return *pins* in the order of *module*'s pins, with the names that are printed on it."""
    return tuple(
        replace(pins[role], name=name, note=pins[role].note.format(name=name))
        for name, role in module.pins
    )


def _display(config: TableConfig) -> Iterator[Draft]:
    if config.display is not None:
        part = Part(
            name="Display",
            short="display",
            kind=f"{config.display.chip.upper()}, 0x{config.display.address:X}",
            section="display",
            notes=("The order of the pins differs between displays: go by their names.",),
            current=DISPLAYS[config.display.chip],
        )
        yield part, (ground(), power("VCC"), Pin("SCL", SCL, I2C_SCL), Pin("SDA", SDA, I2C_SDA))


def _lamps(config: TableConfig) -> Iterator[Draft]:
    if config.lamps and config.strip is not None:
        module = strip_driver(config.strip).module
        part = _spi_part("Lamps", "lamps", "lamps", module, config.strip)
        yield part, _module_pins(module, _spi_pins(config.strip))
    elif config.lamps:
        part = Part(
            name="Lamps",
            short="lamp",
            kind=f"LEDs, {LED_OHM} Ω each",
            section="lamps",
            notes=(
                f"Each LED has a resistor of {LED_OHM} Ω between the pin and its long leg, which "
                f"limits the current to about {LED.typical_ma:.0f} mA; without it, LED and pin may "
                "fail. Blue, white and some green LEDs need 3 V: give these 100 Ω.",
            ),
            current=LED.times(len(config.lamps)),
            is_fed_by_pins=True,
            symbol=Symbol.LED,
        )
        resistor = f"{LED_OHM} Ω, then the long leg"
        yield part, (*_loose(config.lamps, LOOSE, resistor), ground(note="all short legs"))


def _encoder(config: TableConfig) -> Iterator[Draft]:
    """Yield the encoder. Its push button is the button ``ok``."""
    if config.controls is not None and config.controls.encoder is not None:
        part = Part(
            name="Encoder",
            short="encoder",
            kind="KY-040, or bare",
            section="controls",
            notes=(
                "An encoder board needs 3.3 V, never 5 V: its resistors would pull the Pi's pins "
                "up to 5 V. A bare encoder has no +; the middle one of its three legs goes to GND, "
                "and so does one of its push button's two. If it turns the wrong way, swap CLK "
                "and DT.",
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
                Pin("SW", note="not connected")
                if push is None
                else Pin("SW", push, LOOSE[2], "ok"),
                power("+"),
                ground(),
            ),
        )


def _buttons(config: TableConfig) -> Iterator[Draft]:
    if config.controls is None:
        return
    buttons = dict(config.controls.buttons)
    if config.controls.encoder is not None:
        buttons.pop("ok", None)  # the encoder has it
    if buttons:
        part = Part(
            name="Buttons",
            short="button",
            kind="from pin to GND",
            section="controls",
            notes=(
                "A button needs no resistor: the Pi pulls its pin up, and a press connects it to "
                "GND.",
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
                "The buzzer is a passive piezo disc; its resistor limits the current at each edge. "
                "A magnetic one (its coil measures 16 or 42 Ω) needs more current than a pin "
                "can supply: switch it with a transistor. An active one plays only its own tone.",
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
    """Yield a part's pin for each name and BCM number in *pins*, with *note* as its note.

    The wires get the *colours* in turn.
    """
    for (name, pin), colour in zip(pins.items(), cycle(colours), strict=False):
        yield Pin(name, pin, colour, note)


# In the order of the default table.toml.
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
    """Return every part of the table with its wires, in the order of the default table.toml."""
    drafts = [draft for parts in PARTS for draft in parts(config)]
    rails = {rail: _assign_pins(rail, drafts) for rail in (POWER, GROUND)}
    return tuple(
        _connect(part, pins, {rail: rails[rail].get(part.name) for rail in rails})
        for part, pins in drafts
    )


def shared_pins(parts: Sequence[Part]) -> dict[HeaderPin, int]:
    """Return the number of wires of each header pin that has several."""
    ends = Counter(wire.to for part in parts for wire in part.connections if wire.to)
    return {pin: ends[pin] for pin in HEADER if ends[pin] > 1}


def _assign_pins(rail: str, drafts: Sequence[Draft]) -> dict[str, HeaderPin]:
    """Return the header pin of *rail* for each part that needs one, by the part's name.

    The shortest distances are assigned first. If there are enough pins, each part gets its own;
    otherwise, the parts share the pins evenly.
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
    """Return the distance of *pin* from the middle of *signals*, in rows."""
    row, odd = fmean(other.row for other in signals), fmean(other.is_odd for other in signals)
    return abs(pin.row - row) + ACROSS * abs(pin.is_odd - odd)


def _connect(part: Part, pins: Sequence[Pin], rails: Mapping[str, HeaderPin | None]) -> Part:
    """Return *part* with its connections. *rails* are its header pins for 3.3 V and ground."""
    connections = (
        Connection(pin.name, _header_pin(pin, rails), pin.colour, pin.note) for pin in pins
    )
    return replace(part, connections=tuple(connections))


def _header_pin(pin: Pin, rails: Mapping[str, HeaderPin | None]) -> HeaderPin | None:
    """Return the header pin for *pin*; None if it stays free."""
    if isinstance(pin.to, str):
        return rails[pin.to]
    return None if pin.to is None else GPIO[pin.to]
