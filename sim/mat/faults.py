"""The catalogue of faults of an emulated mat, and the program's reaction to each.

Rehearsals, the virtual table's panel, robots and the documents all use this list. A power cut is
not a fault of a part: see ``sim.mat.mat.Mat.power_cut``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from functools import partial
from math import inf

from firmware.config.table_config import BUTTONS, SPOTS, TableConfig
from sim.mat.board import EmulatedBoard
from sim.mat.disk import SLOW_S

FLICKER = 0.3  # the probability that a flickering tag's answer is lost
SLOW_START_NS = 20_000_000  # a slow crystal's start-up time; the data sheet states no limit
LONG_WIRES_HZ = 2_000_000  # the highest SPI clock rate that long wires carry unharmed
SLOW_HZ = 10_000  # the lowest rate used for a Raspberry Pi's I2C bus
BACK = timedelta(days=-1)
NONE = "none"  # in place of a fault's name: repair everything


@dataclass(frozen=True, slots=True)
class PartKind:
    """A kind of part, with all possible names.

    *installed* returns the names of the parts that a table has.
    """

    kind: str
    names: tuple[str, ...]
    installed: Callable[[TableConfig], Sequence[str]]


class Reaction(Enum):
    """The ways in which the program must react to a fault. The documents show the texts."""

    TOLD = "says which part does not answer, and when it works again"
    COUNTED = "sets the part up again at once, and counts the failure"
    WOKEN = "resets the part after half a minute without a tag, and plays on"
    READ = "says that a card cannot be read, or still reads it"
    REFUSED = "refuses what it cannot save, as `not-saved`"
    PRESSED = "treats it as one press, and plays on"
    BORNE = "plays on as before"


Effect = Callable[[EmulatedBoard, str], None]  # changes the named part of the board


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that can break one of *parts*. *strike* breaks the part, *repair* repairs it.

    *title* and *words* describe it to people. *noticed* is the reaction that the program must show.
    A fault that *lasts* stays until it is repaired.
    """

    name: str
    parts: PartKind
    title: str
    words: str
    strike: Effect
    repair: Effect
    noticed: Reaction
    lasts: bool = True


def _controls(config: TableConfig) -> Sequence[str]:
    return () if config.controls is None else tuple(config.controls.buttons)


READER = PartKind("spot", SPOTS, lambda config: [reader.spot for reader in config.readers])
DISPLAY = PartKind("display", ("display",), lambda config: ["display"] if config.display else [])
BUTTON = PartKind("button", BUTTONS, _controls)
SOUND = PartKind("sound", ("sound",), lambda config: ["sound"])
DISK = PartKind("disk", ("disk",), lambda config: ["disk"])
CLOCK = PartKind("clock", ("clock",), lambda config: ["clock"])


def _cut(board: EmulatedBoard, spot: str, *, stuck_at: int | None) -> None:
    board.readers[spot].cut(stuck_at)


def _plug(board: EmulatedBoard, spot: str, *, is_in: bool) -> None:
    board.readers[spot].plug(is_in)


def _lengthen(board: EmulatedBoard, spot: str, *, clean_hz: float) -> None:
    board.readers[spot].wires.clean_hz = clean_hz


def _brown_out(board: EmulatedBoard, spot: str) -> None:
    board.readers[spot].chip.brown_out()


def _heat(board: EmulatedBoard, spot: str, *, is_hot: bool) -> None:
    board.readers[spot].chip.overheat(is_hot)


def _deafen(board: EmulatedBoard, spot: str, *, is_deaf: bool) -> None:
    board.readers[spot].chip.deafen(is_deaf)


def _start_slowly(board: EmulatedBoard, spot: str) -> None:
    board.readers[spot].chip.slow_crystal(SLOW_START_NS)
    board.readers[spot].chip.brown_out()


def _start_quickly(board: EmulatedBoard, spot: str) -> None:
    board.readers[spot].chip.slow_crystal(0)


def _miss(board: EmulatedBoard, spot: str, *, share: float) -> None:
    board.readers[spot].field.miss = lambda picc: board.chance.random() < share


def _noise(board: EmulatedBoard, spot: str, *, bits: int) -> None:
    board.readers[spot].field.noise = lambda picc, frame: bits


def _connect(board: EmulatedBoard, part: str, *, is_connected: bool) -> None:
    if board.display is not None:
        board.display.present = is_connected


def _clock_bus(board: EmulatedBoard, part: str, *, hz: int | None) -> None:
    board.i2c_bus.clock_hz = hz or board.i2c_hz


def _hold_sda(board: EmulatedBoard, part: str, *, clocks: float) -> None:
    board.i2c_bus.hold_sda(clocks)


def _bounce(board: EmulatedBoard, button: str, *, bounces: bool) -> None:
    board.buttons[button].bounces = bounces


def _stick(board: EmulatedBoard, button: str, *, is_stuck: bool) -> None:
    board.buttons[button].stick(is_stuck)


def _silence(board: EmulatedBoard, part: str, *, is_gone: bool) -> None:
    board.sound.lose(is_gone)


def _fill(board: EmulatedBoard, part: str, *, is_full: bool) -> None:
    board.disk.fill(is_full)


def _slow(board: EmulatedBoard, part: str, *, commit_s: float) -> None:
    board.disk.slow(commit_s)


def _jump(board: EmulatedBoard, part: str, *, by: timedelta) -> None:
    board.jump = by


def _nothing(board: EmulatedBoard, part: str) -> None:
    """Do nothing, because a fault that does not last needs no repair."""


CATALOGUE = (
    Fault(
        "reader-dead",
        READER,
        "Broken wire",
        "the reader's MISO wire breaks",
        partial(_cut, stuck_at=0x00),
        partial(_cut, stuck_at=None),
        Reaction.TOLD,
    ),
    Fault(
        "reader-unplugged",
        READER,
        "Unplugged",
        "the reader has no power, and starts with its reset values when plugged in",
        partial(_plug, is_in=False),
        partial(_plug, is_in=True),
        Reaction.TOLD,
    ),
    Fault(
        "reader-brownout",
        READER,
        "Brown-out",
        "the reader's registers fall to their reset values",
        _brown_out,
        _nothing,
        Reaction.COUNTED,
        lasts=False,
    ),
    Fault(
        "reader-hot",
        READER,
        "Too hot",
        "the reader's chip overheats and switches its antenna off",
        partial(_heat, is_hot=True),
        partial(_heat, is_hot=False),
        Reaction.TOLD,
    ),
    Fault(
        "reader-deaf",
        READER,
        "Receives nothing",
        "the reader's chip keeps its settings but receives nothing until it is reset",
        partial(_deafen, is_deaf=True),
        partial(_deafen, is_deaf=False),
        Reaction.WOKEN,
    ),
    Fault(
        "reader-slow-start",
        READER,
        "Slow start",
        "the reader's supply dips, and its crystal takes 20 ms to start again",
        _start_slowly,
        _start_quickly,
        Reaction.COUNTED,
    ),
    Fault(
        "long-wires",
        READER,
        "Long wires",
        "the reader's wires are so long that bytes are damaged above 2 MHz",
        partial(_lengthen, clean_hz=LONG_WIRES_HZ),
        partial(_lengthen, clean_hz=inf),
        Reaction.BORNE,
    ),
    Fault(
        "flicker",
        READER,
        "Flicker",
        "three in ten of a sticker's answers are lost",
        partial(_miss, share=FLICKER),
        partial(_miss, share=0.0),
        Reaction.READ,
    ),
    Fault(
        "garbled",
        READER,
        "Metal",
        "every answer of a sticker is damaged, as on metal",
        partial(_noise, bits=1),
        partial(_noise, bits=0),
        Reaction.READ,
    ),
    Fault(
        "display-lost",
        DISPLAY,
        "Unplugged",
        "the display does not acknowledge",
        partial(_connect, is_connected=False),
        partial(_connect, is_connected=True),
        Reaction.TOLD,
    ),
    Fault(
        "slow-i2c",
        DISPLAY,
        "Slow bus",
        "the display's bus runs at 10 kHz",
        partial(_clock_bus, hz=SLOW_HZ),
        partial(_clock_bus, hz=None),
        Reaction.BORNE,
    ),
    Fault(
        "sda-low",
        DISPLAY,
        "SDA low",
        "the data wire of the display's bus touches GND",
        partial(_hold_sda, clocks=inf),
        partial(_hold_sda, clocks=0),
        Reaction.TOLD,
    ),
    Fault(
        "button-bounce",
        BUTTON,
        "Bounces",
        "the button's contact bounces for 5 ms when it is pressed or released",
        partial(_bounce, bounces=True),
        partial(_bounce, bounces=False),
        Reaction.BORNE,
    ),
    Fault(
        "button-stuck",
        BUTTON,
        "Stuck",
        "the button goes down and stays down",
        partial(_stick, is_stuck=True),
        partial(_stick, is_stuck=False),
        Reaction.PRESSED,
    ),
    Fault(
        "sound-gone",
        SOUND,
        "No sound",
        "the sound device plays nothing",
        partial(_silence, is_gone=True),
        partial(_silence, is_gone=False),
        Reaction.BORNE,
    ),
    Fault(
        "disk-full",
        DISK,
        "Full",
        "the disk has no space left for plays and stickers",
        partial(_fill, is_full=True),
        partial(_fill, is_full=False),
        Reaction.REFUSED,
    ),
    Fault(
        "disk-slow",
        DISK,
        "Slow",
        "saving a play or a sticker takes half a second",
        partial(_slow, commit_s=SLOW_S),
        partial(_slow, commit_s=0.0),
        Reaction.BORNE,
    ),
    Fault(
        "clock-jump",
        CLOCK,
        "Jumps",
        "the time of day jumps back by a day, and forward again when it is repaired",
        partial(_jump, by=BACK),
        partial(_jump, by=timedelta()),
        Reaction.BORNE,
    ),
)

FAULTS: Mapping[str, Fault] = {fault.name: fault for fault in CATALOGUE}
EVERY_PART = tuple(dict.fromkeys(part for fault in CATALOGUE for part in fault.parts.names))
PARTS: Mapping[str, tuple[str, ...]] = {  # the parts that each fault can break
    **{fault.name: fault.parts.names for fault in CATALOGUE},
    NONE: EVERY_PART,
}
