"""The catalogue of faults: what can break at a mat, below the drivers, and how that is noticed.

Room: sim. The one list: rehearsals, the virtual table's panel, robots and the documents go by it.
A power cut is no fault of a part: see ``sim.mat.Mat.power_cut``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from functools import partial

from firmware.config import BUTTONS, SPOTS, TableConfig
from sim.board import EmulatedBoard
from sim.disk import SLOW_S

FLICKER = 0.3  # the share of a flickering tag's answers that is lost
SLOW_HZ = 10_000  # the least that an I2C bus of a Raspberry Pi is set to
BACK = timedelta(days=-1)
NONE = "none"  # in place of a fault: everything is mended


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts of one *kind*, by all *names* there are; *there* are those that a table has."""

    kind: str
    names: tuple[str, ...]
    there: Callable[[TableConfig], Sequence[str]]


class Noticed(Enum):
    """How the mat takes a fault, in words for people."""

    TOLD = "says which part does not answer, and when it is back"
    COUNTED = "sets the part up again at once, and counts it"
    READ = "says that a card cannot be read, or reads it all the same"
    REFUSED = "refuses what it cannot save, as `not-saved`"
    PRESSED = "takes it for one press, and plays on"
    BORNE = "plays on as ever"


Act = Callable[[EmulatedBoard, str], None]  # does something to a part of the board


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that befalls one of *parts*: how it *strikes* and is *mended*.

    *title* and *words* say for people what it is. One that does not *last* is over at once.
    """

    name: str
    parts: Parts
    title: str
    words: str
    strike: Act
    mend: Act
    noticed: Noticed
    lasts: bool = True


def _controls(config: TableConfig) -> Sequence[str]:
    return () if config.controls is None else tuple(config.controls.buttons)


READER = Parts("spot", SPOTS, lambda config: [reader.spot for reader in config.readers])
DISPLAY = Parts("display", ("display",), lambda config: ["display"] if config.display else [])
BUTTON = Parts("button", BUTTONS, _controls)
SOUND = Parts("sound", ("sound",), lambda config: ["sound"])
DISK = Parts("disk", ("disk",), lambda config: ["disk"])
CLOCK = Parts("clock", ("clock",), lambda config: ["clock"])


def _cut(board: EmulatedBoard, spot: str, *, stuck_at: int | None) -> None:
    board.readers[spot].cut(stuck_at)


def _plug(board: EmulatedBoard, spot: str, *, is_in: bool) -> None:
    board.readers[spot].plug(is_in)


def _brown_out(board: EmulatedBoard, spot: str) -> None:
    board.readers[spot].chip.brown_out()


def _miss(board: EmulatedBoard, spot: str, *, share: float) -> None:
    board.readers[spot].field.miss = lambda picc: board.chance.random() < share


def _noise(board: EmulatedBoard, spot: str, *, bits: int) -> None:
    board.readers[spot].field.noise = lambda picc, frame: bits


def _connect(board: EmulatedBoard, part: str, *, is_there: bool) -> None:
    if board.display is not None:
        board.display.present = is_there


def _clock_bus(board: EmulatedBoard, part: str, *, hz: int | None) -> None:
    board.i2c_bus.clock_hz = hz or board.i2c_hz


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
    """What is over needs no mending."""


CATALOGUE = (
    Fault(
        "reader-dead",
        READER,
        "Broken wire",
        "the reader's MISO wire breaks",
        partial(_cut, stuck_at=0x00),
        partial(_cut, stuck_at=None),
        Noticed.TOLD,
    ),
    Fault(
        "reader-unplugged",
        READER,
        "Unplugged",
        "the reader has no power, and comes back with its reset values",
        partial(_plug, is_in=False),
        partial(_plug, is_in=True),
        Noticed.TOLD,
    ),
    Fault(
        "reader-brownout",
        READER,
        "Brown-out",
        "the reader's registers fall to their reset values",
        _brown_out,
        _nothing,
        Noticed.COUNTED,
        lasts=False,
    ),
    Fault(
        "flicker",
        READER,
        "Flicker",
        "three answers in ten are lost",
        partial(_miss, share=FLICKER),
        partial(_miss, share=0.0),
        Noticed.READ,
    ),
    Fault(
        "garbled",
        READER,
        "Metal",
        "no answer of a sticker arrives whole, as on metal",
        partial(_noise, bits=1),
        partial(_noise, bits=0),
        Noticed.READ,
    ),
    Fault(
        "display-lost",
        DISPLAY,
        "Unplugged",
        "the display does not acknowledge",
        partial(_connect, is_there=False),
        partial(_connect, is_there=True),
        Noticed.TOLD,
    ),
    Fault(
        "slow-i2c",
        DISPLAY,
        "Slow bus",
        "the display's bus runs at 10 kHz",
        partial(_clock_bus, hz=SLOW_HZ),
        partial(_clock_bus, hz=None),
        Noticed.BORNE,
    ),
    Fault(
        "button-bounce",
        BUTTON,
        "Bounces",
        "the button's contact chatters for some milliseconds, pressed or let go",
        partial(_bounce, bounces=True),
        partial(_bounce, bounces=False),
        Noticed.BORNE,
    ),
    Fault(
        "button-stuck",
        BUTTON,
        "Stuck",
        "the button goes down and stays down",
        partial(_stick, is_stuck=True),
        partial(_stick, is_stuck=False),
        Noticed.PRESSED,
    ),
    Fault(
        "sound-gone",
        SOUND,
        "Gone",
        "the sound device plays nothing",
        partial(_silence, is_gone=True),
        partial(_silence, is_gone=False),
        Noticed.BORNE,
    ),
    Fault(
        "disk-full",
        DISK,
        "Full",
        "no room is left for plays and stickers",
        partial(_fill, is_full=True),
        partial(_fill, is_full=False),
        Noticed.REFUSED,
    ),
    Fault(
        "disk-slow",
        DISK,
        "Slow",
        "each play and each sticker takes half a second to be written",
        partial(_slow, commit_s=SLOW_S),
        partial(_slow, commit_s=0.0),
        Noticed.BORNE,
    ),
    Fault(
        "clock-jump",
        CLOCK,
        "Jumps",
        "the time of day jumps back by a day, and forth again when it is mended",
        partial(_jump, by=BACK),
        partial(_jump, by=timedelta()),
        Noticed.BORNE,
    ),
)
"""Every fault, part by part."""

FAULTS: Mapping[str, Fault] = {fault.name: fault for fault in CATALOGUE}
EVERY_PART = tuple(dict.fromkeys(part for fault in CATALOGUE for part in fault.parts.names))
PARTS: Mapping[str, tuple[str, ...]] = {  # what each befalls; NONE mends
    **{fault.name: fault.parts.names for fault in CATALOGUE},
    NONE: EVERY_PART,
}
