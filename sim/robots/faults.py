"""Faults that befall the mat while robots play: what must be noticed, and how it is mended.

Room: sim/robots. Each is lines of a rehearsal, so that a run with faults can be had again as one.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from engines.common.contract import PLAY_SPOT, Tap
from firmware.health import FAULTS as KINDS
from firmware.health import RECOVERIES
from sim.robots.referees import AtMat
from sim.robots.seam import TAKEN, Act
from sim.robots.session import Session

LOOK = "wait 0.25"  # between two looks at what the mat shows
SETTLED = "wait 0.5"  # a card that lies there is read by then
LOOKS = 20  # after so many it must have been noticed, or be well again


class Signs(NamedTuple):
    """What can be seen and counted of faults at a mat; the counts are since it was switched on."""

    faults: int
    recoveries: int
    told: str  # which part is lost
    said: int

    @classmethod
    def at(cls, mat: AtMat) -> "Signs":
        """The signs at *mat* now."""
        counts = Counter[str]()
        for health in mat.mat.running.loop.health:
            counts.update(health.counts)
        faults = sum(counts[kind] for kind in KINDS)
        recoveries = sum(counts[remedy] for remedy in RECOVERIES)
        return cls(faults, recoveries, mat.mat.view.fault, len(mat.mat.said))


Sign = Callable[[Signs, Signs], bool]  # before the fault, and now


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that breaks: the lines that *strike* and *mend*; how both must be noticed.

    One *of_air* is there while a piece is laid, which must be read all the same in the end; one
    *of_display* takes a display.
    """

    strike: tuple[str, ...]
    is_noticed: Sign
    mend: tuple[str, ...]
    is_well: Sign
    of_air: bool = False
    of_display: bool = False


def _is_counted(before: Signs, now: Signs) -> bool:
    return now.faults > before.faults


def _is_told(before: Signs, now: Signs) -> bool:
    return bool(now.told) and now.faults > before.faults


def _is_back(before: Signs, now: Signs) -> bool:
    return not now.told and now.recoveries > before.recoveries


def _is_spoken_of(before: Signs, now: Signs) -> bool:
    return now.said > before.said


def _is_whole(before: Signs, now: Signs) -> bool:
    return not now.told


MEND_READER = (f"fault none @ {PLAY_SPOT}",)

FAULTS: Mapping[str, Fault] = {
    "reader-dead": Fault((f"fault reader-dead @ {PLAY_SPOT}",), _is_told, MEND_READER, _is_back),
    "reader-brownout": Fault((f"fault reader-brownout @ {PLAY_SPOT}",), _is_counted, (), _is_back),
    "display-lost": Fault(
        ("fault display-lost @ display",),
        _is_told,
        ("fault none @ display",),
        _is_back,
        of_display=True,
    ),
    "power": Fault(("power cut", "power on"), _is_spoken_of, (), _is_whole),
    "flicker": Fault(
        (f"fault flicker @ {PLAY_SPOT}",), _is_spoken_of, MEND_READER, _is_whole, of_air=True
    ),
    "garbled": Fault(
        (f"fault garbled @ {PLAY_SPOT}",), _is_spoken_of, MEND_READER, _is_whole, of_air=True
    ),
}
"""Every fault by its name."""


def strike(session: Session, mat: AtMat, act: Act) -> bool:
    """Break something by chance, see that it is noticed, mend it, and see that all is well.

    Returns:
        Whether *act* was done meanwhile.

    Raises:
        Difference: nobody noticed, or it is not well again, or the game was touched.
    """
    lays = isinstance(act.given, Tap) and act.given.spot == PLAY_SPOT
    has_display = mat.mat.board.display is not None
    name = session.chance.choice(
        [
            name
            for name, fault in FAULTS.items()
            if (lays or not fault.of_air) and (has_display or not fault.of_display)
        ]
    )
    fault, before = FAULTS[name], Signs.at(mat)
    mat.do(*fault.strike)
    session.counts["faults"] += 1
    session.counts[f"fault {name}"] += 1
    if fault.of_air and isinstance(act.given, Tap):
        mat.lay(act.given)
    session.same(f"{name} is noticed", True, _comes(mat, fault.is_noticed, before))
    session.counts["noticed"] += 1
    mat.do(*fault.mend)
    session.same(f"{name} is mended", True, _comes(mat, fault.is_well, before))
    session.counts["recoveries"] += 1
    if fault.of_air and isinstance(act.given, Tap):
        mat.do(SETTLED)
        session.settle(act, session.books.verdict(act.given) or TAKEN, mat.verdict)
        mat.take_up(act.given.piece)
    else:
        session.compare()
    return fault.of_air


def _comes(mat: AtMat, sign: Sign, before: Signs) -> bool:
    """Whether *sign* is seen within a while."""
    for _ in range(LOOKS):
        if sign(before, Signs.at(mat)):
            return True
        mat.do(LOOK)
    return False
