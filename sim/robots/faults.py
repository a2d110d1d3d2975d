"""Faults that befall the mat while robots play: that each is noticed, mended, and well again.

Room: sim/robots. What can break stands in ``sim.faults``. Each is lines of a rehearsal, so that a
run with faults can be had again as one.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from engines.common.contract import PLAY_SPOT, Tap
from firmware.health import FAULTS as KINDS
from firmware.health import RECOVERIES
from sim.faults import BUTTON, CATALOGUE, NONE, READER, Fault, Noticed
from sim.robots.referees import AtMat
from sim.robots.seam import TAKEN, Act, Verdict
from sim.robots.session import Session

LOOK = "wait 0.25"  # between two looks at what the mat shows
SETTLED = "wait 0.5"  # a card that lies there is read by then
LOOKS = 20  # after so many it must have been noticed, or be well again
POWER = "power"  # the plug is pulled, and put back
NOT_SAVED = Verdict("not-saved")
BACK = "back"  # the button that sticks


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


class Break(NamedTuple):
    """Something that breaks now: the lines that *strike* and *mend*, and the act that was next."""

    name: str
    session: Session
    mat: AtMat
    act: Act
    strike: Sequence[str]
    mend: Sequence[str] = ()

    def see(
        self, is_noticed: Sign, is_well: Sign, meanwhile: Callable[[], None] = lambda: None
    ) -> None:
        """Break it, do something, see that it is noticed, mend it, and see that all is well."""
        before = Signs.at(self.mat)
        self.mat.do(*self.strike)
        meanwhile()
        self._same("noticed", is_noticed, before)
        self.mat.do(*self.mend)
        self._same("mended", is_well, before)

    def _same(self, what: str, sign: Sign, before: Signs) -> None:
        self.session.same(f"{self.name} is {what}", True, _comes(self.mat, sign, before))


# Each plays a fault of its kind through, and tells whether the act was done meanwhile.


def _told(broken: Break) -> bool:
    broken.see(_is_told, _is_back)
    broken.session.compare()
    return False


def _counted(broken: Break) -> bool:
    broken.see(_is_counted, _is_back)
    broken.session.compare()
    return False


def _read(broken: Break) -> bool:
    """The piece of the act lies there meanwhile, and is read in the end."""
    session, mat, given = broken.session, broken.mat, broken.act.given
    assert isinstance(given, Tap), "only a piece can be read"
    broken.see(_is_spoken_of, _is_whole, lambda: mat.lay(given))
    mat.do(SETTLED)
    session.settle(broken.act, session.books.verdict(given) or TAKEN, mat.verdict)
    mat.take_up(given.piece)
    return True


def _refused(broken: Break) -> bool:
    """What the rules would take is not saved, and is to be done again."""
    session, mat = broken.session, broken.mat
    mat.do(*broken.strike)
    session.same("what cannot be saved", NOT_SAVED, mat.give(broken.act.given))
    session.compare()
    mat.do(*broken.mend)
    session.compare()
    return False


def _pressed(broken: Break) -> bool:
    """The back button sticks: that takes back one act, and people play on."""
    session, mat = broken.session, broken.mat
    mat.do(*broken.strike)
    mat.do(LOOK)
    session.took_back(mat.verdict)
    act = session.next_act()
    if isinstance(act.given, Tap):
        session.do(act)
    mat.do(*broken.mend, LOOK)
    session.same("what a button does that comes up", [], mat.refusals)
    session.compare()
    return True


def _borne(broken: Break) -> bool:
    """The act is done as ever."""
    broken.mat.do(*broken.strike)
    broken.session.do(broken.act)
    broken.mat.do(*broken.mend)
    broken.session.compare()
    return True


PLAYED: Mapping[Noticed, Callable[[Break], bool]] = {
    Noticed.TOLD: _told,
    Noticed.COUNTED: _counted,
    Noticed.READ: _read,
    Noticed.REFUSED: _refused,
    Noticed.PRESSED: _pressed,
    Noticed.BORNE: _borne,
}
FAULTS = (*(fault.name for fault in CATALOGUE), POWER)
"""Every fault by its name, the plug with them."""


def strike(session: Session, mat: AtMat, act: Act) -> bool:
    """Break something by chance, see that it is noticed, mend it, and see that all is well.

    Returns:
        Whether *act* was done meanwhile, or is stale.

    Raises:
        Difference: nobody noticed, or it is not well again, or the game was touched.
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
        part = _befallen(fault)
        mend = (f"fault {NONE} @ {part}",) if fault.lasts else ()
        broken = Break(name, session, mat, act, (f"fault {name} @ {part}",), mend)
        is_done = PLAYED[fault.noticed](broken)
    session.counts["noticed"] += 1
    session.counts["recoveries"] += 1
    return is_done


def _befallen(fault: Fault) -> str:
    """The part that a fault befalls while robots play."""
    if fault.parts is READER:
        return PLAY_SPOT
    if fault.noticed is Noticed.PRESSED:
        return BACK
    return "ok" if fault.parts is BUTTON else fault.parts.names[0]


def _fits(fault: Fault, session: Session, mat: AtMat, act: Act) -> bool:
    """Whether there is such a part, and occasion for the fault, when *act* is next."""
    given = act.given
    if _befallen(fault) not in fault.parts.there(mat.mat.config):
        return False
    if fault.noticed is Noticed.READ:
        return isinstance(given, Tap) and given.spot == PLAY_SPOT
    if fault.noticed is Noticed.REFUSED:
        return session.books.verdict(given) == TAKEN
    return True


def _comes(mat: AtMat, sign: Sign, before: Signs) -> bool:
    """Whether *sign* is seen within a while."""
    for _ in range(LOOKS):
        if sign(before, Signs.at(mat)):
            return True
        mat.do(LOOK)
    return False
