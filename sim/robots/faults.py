"""Faults of the mat while robots play: the mat must notice each one and recover from it.

The faults are those of ``sim.mat.faults``. Each one is played as lines of a rehearsal, so a whole
game with faults can be replayed as a rehearsal.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from engines.common.contract import PLAY_SPOT, Tap
from firmware.runtime.health import FAULTS as KINDS
from firmware.runtime.health import RECOVERIES
from sim.mat.faults import BUTTON, CATALOGUE, NONE, READER, Fault, Reaction
from sim.robots.contract import TAKEN, RobotAct, Ruling
from sim.robots.referees import AtMat
from sim.robots.session import Session

LOOK = "wait 0.25"  # seconds between two checks of what the mat shows
SETTLED = "wait 0.5"  # enough for a card on a reader to be read
WOKEN = "wait 31"  # a reader that finds no tag is reset sooner
LOOKS = 20  # the most checks before a fault or a repair must have been noticed
POWER = "power"  # the fault in which the mat loses its power and gets it back
NOT_SAVED = Ruling("not-saved")
BACK = "back"  # the button that sticks


class Signs(NamedTuple):
    """The signs of faults at a mat: counts since the mat was switched on, and its present display.

    *faults* and *recoveries* are sums of the counts that the mat's program keeps for its parts.
    """

    faults: int
    recoveries: int
    broken: str  # the broken part that the display names; empty if there is none
    said: int  # the number of announcements

    @classmethod
    def at(cls, mat: AtMat) -> "Signs":
        """Return the present signs of faults at *mat*."""
        counts = Counter[str]()
        for health in mat.mat.running.loop.health:
            counts.update(health.counts)
        faults = sum(counts[kind] for kind in KINDS)
        recoveries = sum(counts[remedy] for remedy in RECOVERIES)
        return cls(faults, recoveries, mat.mat.view.fault, len(mat.mat.said))


Sign = Callable[[Signs, Signs], bool]  # compares the signs before the fault with those now


def _is_counted(before: Signs, now: Signs) -> bool:
    return now.faults > before.faults


def _is_told(before: Signs, now: Signs) -> bool:
    return bool(now.broken) and now.faults > before.faults


def _is_back(before: Signs, now: Signs) -> bool:
    return not now.broken and now.recoveries > before.recoveries


def _is_spoken_of(before: Signs, now: Signs) -> bool:
    return now.said > before.said


def _is_whole(before: Signs, now: Signs) -> bool:
    return not now.broken


class Break(NamedTuple):
    """A fault to cause now, and the game in which it happens.

    Args:
        name: the name of the fault.
        session: the game that is being played.
        mat: the mat that has the fault.
        act: the next act of the game.
        strike: the rehearsal lines that cause the fault.
        mend: the rehearsal lines that end it.
    """

    name: str
    session: Session
    mat: AtMat
    act: RobotAct
    strike: Sequence[str]
    mend: Sequence[str] = ()

    def see(
        self, is_noticed: Sign, is_well: Sign, meanwhile: Callable[[], None] = lambda: None
    ) -> None:
        """Cause the fault, call *meanwhile*, and end the fault; check that the mat notices both.

        Raises:
            Difference: *is_noticed* stays False after the fault, or *is_well* after its end.
        """
        before = Signs.at(self.mat)
        self.mat.do(*self.strike)
        meanwhile()
        self._same("noticed", is_noticed, before)
        self.mat.do(*self.mend)
        self._same("mended", is_well, before)

    def _same(self, what: str, sign: Sign, before: Signs) -> None:
        self.session.same(f"{self.name} is {what}", True, _comes(self.mat, sign, before))


# Each of the next five functions causes a fault, ends it, and checks one kind of reaction. It
# returns True if the next act was done during the fault or can no longer be done, else False.


def _wait_for(is_noticed: Sign, broken: Break) -> bool:
    """Check that the mat notices the fault and recovers.

    Return False, because the robot's act was not done.
    """
    broken.see(is_noticed, _is_back)
    broken.session.compare()
    return False


def _lay_meanwhile(broken: Break) -> bool:
    """Lay the act's piece during the fault, check that it is read in the end, and return True."""
    session, mat, given = broken.session, broken.mat, broken.act.given
    assert isinstance(given, Tap), "only a piece can be read"
    broken.see(_is_spoken_of, _is_whole, lambda: mat.lay(given))
    mat.do(SETTLED)
    session.settle(broken.act, session.books.ruling(given) or TAKEN, mat.ruling)
    mat.take_up(given.piece)
    return True


def _give_unsaved(broken: Break) -> bool:
    """Check that the act is refused while the mat cannot save it.

    Return False, because the act was not done.
    """
    session, mat = broken.session, broken.mat
    mat.do(*broken.strike)
    session.same("what cannot be saved", NOT_SAVED, mat.give(broken.act.given))
    session.compare()
    mat.do(*broken.mend)
    session.compare()
    return False


def _stick(broken: Break) -> bool:
    """Check that a back button that stays pressed undoes only one act.

    Return True, because the next act is different after the undo, so the planned act cannot be
    done.
    """
    session, mat = broken.session, broken.mat
    mat.do(*broken.strike)
    mat.do(LOOK)
    session.check_undo(mat.ruling)
    act = session.next_act()
    if isinstance(act.given, Tap):
        session.do(act)
    mat.do(*broken.mend, LOOK)
    session.same("refusals when the button comes up", [], mat.refusals)
    session.compare()
    return True


def _play_on(broken: Break, *wait: str) -> bool:
    """Do the act during the fault, after the rehearsal lines *wait*, and return True."""
    broken.mat.do(*broken.strike, *wait)
    broken.session.do(broken.act)
    broken.mat.do(*broken.mend)
    broken.session.compare()
    return True


PLAYED: Mapping[Reaction, Callable[[Break], bool]] = {
    Reaction.TOLD: partial(_wait_for, _is_told),
    Reaction.COUNTED: partial(_wait_for, _is_counted),
    Reaction.WOKEN: lambda broken: _play_on(broken, WOKEN),
    Reaction.READ: _lay_meanwhile,
    Reaction.REFUSED: _give_unsaved,
    Reaction.PRESSED: _stick,
    Reaction.BORNE: _play_on,
}
FAULTS = (*(fault.name for fault in CATALOGUE), POWER)
"""The names of all faults, with the power cut."""


def strike(session: Session, mat: AtMat, act: RobotAct) -> bool:
    """Cause a random fault, end it, and check how the mat reacts. *act* is the next act.

    Returns:
        True if *act* was done during the fault, or can no longer be done.

    Raises:
        Difference: the mat did not notice the fault or did not recover, or the game has changed.
    """
    can_strike = [fault for fault in CATALOGUE if _fits(fault, session, mat, act)]
    fault = session.chance.choice([None, *can_strike])
    name = POWER if fault is None else fault.name
    session.counts["faults"] += 1
    session.counts[f"fault {name}"] += 1
    if fault is None:
        Break(POWER, session, mat, act, ("power cut", "power on")).see(_is_spoken_of, _is_whole)
        session.compare()
        is_done = False
    else:
        part = _part_of(fault)
        mend = (f"fault {NONE} @ {part}",) if fault.lasts else ()
        broken = Break(name, session, mat, act, (f"fault {name} @ {part}",), mend)
        is_done = PLAYED[fault.noticed](broken)
    session.counts["noticed"] += 1
    session.counts["recoveries"] += 1
    return is_done


def _part_of(fault: Fault) -> str:
    """Return the name of the one part that robots break with this fault."""
    if fault.parts is READER:
        return PLAY_SPOT
    if fault.noticed is Reaction.PRESSED:
        return BACK
    return "ok" if fault.parts is BUTTON else fault.parts.names[0]


def _fits(fault: Fault, session: Session, mat: AtMat, act: RobotAct) -> bool:
    """Return True if the mat has the part, and *act*, the next act, can show its reaction."""
    given = act.given
    if _part_of(fault) not in fault.parts.installed(mat.mat.config):
        return False
    if fault.noticed is Reaction.READ:
        return isinstance(given, Tap) and given.spot == PLAY_SPOT
    if fault.noticed is Reaction.REFUSED:
        return session.books.ruling(given) == TAKEN
    return True


def _comes(mat: AtMat, sign: Sign, before: Signs) -> bool:
    """Return True as soon as *sign* is seen, or False after ``LOOKS`` checks without it.

    *before* has the signs before the fault.
    """
    for _ in range(LOOKS):
        if sign(before, Signs.at(mat)):
            return True
        mat.do(LOOK)
    return False
