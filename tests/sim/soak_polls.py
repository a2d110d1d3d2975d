"""Break the parts of a running mat at random and check that every fault is noticed.

Run it: ``.venv/bin/python -m tests.sim.soak_polls --polls 1000000 --seed 1``.

The whole program plays Straw on an emulated mat of one to three readers. Cards are placed and
lifted, and buttons are pressed. At random moments, also in the middle of a transfer, chips lose
their power or a setting, wires break and are repaired, the air is noisy, and the display is
unplugged and plugged in again. The soak checks at every moment:

- A tag reported on a spot is there, and is reported at most once each time it is placed.
- A card placed while everything works is reported.
- A fault that lasts for a whole poll is counted once, under its kind; nothing else is counted.
- Every part works again after the last fault, and each recovery is counted.

With ``--honest``, tags differ in how fast they wake, how long they hold out and how loud they are,
and the computer has the jitter of a Pi; see ``fakepi.physics`` and ``fakepi.host``.

A run consists of sessions, and a session that fails can be repeated on its own.
"""

import argparse
import logging
import sys
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from fakepi.clock import NS_PER_S
from fakepi.field import BitErrors
from fakepi.host import PROFILES
from fakepi.mfrc522 import REGISTER_NAMES, Mfrc522, Reg
from fakepi.mifare_classic import MifareClassic1K
from fakepi.ntag import Ntag
from fakepi.picc import Picc
from firmware.config.display_config import CHIPS
from firmware.config.table_config import FieldsConfig, ReaderConfig, TableConfig, load_config
from firmware.runtime.controller import decks_of
from firmware.runtime.health import FAULTS, POLLS, RECOVERIES
from firmware.runtime.loop import CHECK_S, TableLike
from firmware.show import screens
from firmware.show.view import Flash, TableView
from firmware.table.events import Event, TagsArrived
from firmware.table.table import Feedback
from firmware.voice.settings import Settings
from firmware.voice.speech import SpeechLine
from hardware.ports import Pressed, Turned
from sim.mat.mat import Mat
from sim.mat.parts import EXACT, Conditions, EmulatedReader
from sim.mat.tags import stranger_uid, uid_of
from sim.people.person import EmulatedPerson

SESSION_POLLS = 20_000
SPOTS = ("play", "seat-1", "seat-2")
TOLD_S = 1.0  # the longest delay of an arrival report: other readers are polled first
MOVED_TOLD_S = 6.0  # the same for a tag that just moved, and must be missed on its old spot first
UNDISTURBED_S = 0.4  # a card that stays this long while all parts work must have been reported
RECOVERED_S = 1.5  # this long after a fault, the mat behaves as if there had been none
DARK_S = CHECK_S + 1.0  # limit for noticing a dark display; readers may delay a pass of the loop
PEACE_S = 4.0  # time without new faults at the end of a session

# A wrong value for each register that the reader needs to hear tags.
# MFRC522 data sheet, 9.3; only bits that the chip can store differ.
STRAY_VALUES = {
    Reg.T_MODE: 0x00,
    Reg.T_PRESCALER: 0x00,
    Reg.T_RELOAD_H: 0x7F,
    Reg.T_RELOAD_L: 0x00,
    Reg.TX_ASK: 0x00,
    Reg.TX_CONTROL: 0x80,
    Reg.MODE: 0x3F,
    Reg.RF_CFG: 0x00,
}


class Failed(AssertionError):
    """A check of the soak failed."""


def insist(is_so: bool, otherwise: str) -> None:
    """Raise ``Failed`` with the message *otherwise* unless *is_so*."""
    if not is_so:
        raise Failed(otherwise)


@dataclass
class Lay:
    """A tag that is or was on a spot, and the number of times it was reported since."""

    picc: Picc
    laid_s: float
    is_undisturbed: bool  # everything worked when it was placed
    is_moved: bool  # it was on some spot just before
    lifted_s: float | None = None
    arrivals: int = 0


class Witness:
    """A ``loop.TableLike`` between loop and table that checks each reported arrival."""

    def __init__(self, table: TableLike, session: "Session") -> None:
        self._table, self._session = table, session

    @property
    def race(self) -> tuple[str, ...]:
        """The spots on which the first tag wins now, as the wrapped table says."""
        return self._table.race

    @property
    def settings(self) -> Settings:
        """The wrapped table's voice settings."""
        return self._table.settings

    @property
    def failed_parts(self) -> Sequence[str]:
        """The wrapped table's failed parts."""
        return self._table.failed_parts

    def wake(self) -> tuple[SpeechLine, ...]:
        """Return the wrapped table's opening announcements."""
        return self._table.wake()

    def view(self, now_s: float) -> TableView:
        """Return the wrapped table's view."""
        return self._table.view(now_s)

    def receive(self, event: Event, at_s: float) -> tuple[Feedback, ...]:
        """Check *event*, pass it to the table, and count the table's answers."""
        answers = self._table.receive(event, at_s)
        if isinstance(event, TagsArrived):
            for laid in event.tags:
                self._session.arrived(laid.spot, laid.uid)
            for answer in answers:
                self._session.counts[_answer(answer)] += 1
        return answers


def _answer(answer: Feedback) -> str:
    match answer.flash:
        case Flash.ACCEPTED:
            return "taps accepted"
        case Flash.REFUSED:
            return "taps refused"
        case None:
            return "taps asked about"


class Session:
    """One mat with *readers* readers, whose cards, presses and faults are drawn from *seed*."""

    def __init__(
        self, folder: Path, seed: str, readers: int, conditions: Conditions = EXACT
    ) -> None:
        self.chance = Random(seed)
        self.counts: Counter[str] = Counter()
        self.is_over = False
        self.at_next_lay: Callable[[], None] = _nothing
        self.mat = Mat(_config(readers, self.chance), folder, conditions=conditions)
        self.mat.power_on()
        self._clock = self.mat.board.clock
        EmulatedPerson(self.mat, decks_of(self.mat.config)).begin("straw", 3)
        self.mat.wait(1.0)
        self._loop = self.mat.running.loop
        self._loop.table = Witness(self._loop.table, self)
        self.health = {health.part: health for health in self._loop.health}
        self.spots = tuple(self.mat.board.readers)
        self._lays: dict[str, deque[Lay]] = {spot: deque(maxlen=20) for spot in self.spots}
        self._tags = _tags(self.mat.config)
        self._troubled_s = self.now_s
        self._press_s = self.now_s
        self.troubles: list[Trouble] = [ReaderTrouble(self, spot) for spot in self.spots]
        self.troubles.append(DisplayTrouble(self))

    # --- time ---

    @property
    def now_s(self) -> float:
        """The mat's time in seconds."""
        return self._clock.now()

    def after(self, least_s: float, most_s: float, act: Callable[[], None]) -> None:
        """Call *act* at a random time, *least_s* to *most_s* seconds from now.

        The mat may be in the middle of other work then.
        """
        later_ns = round(self.chance.uniform(least_s, most_s) * NS_PER_S)
        self._clock.call_at(self._clock.now_ns + later_ns, act)

    def run(self, polls: int) -> Counter[str]:
        """Run for *polls* polls and then for a while without new faults.

        Returns:
            How often each thing happened, such as "tags laid" or a kind of fault.

        Raises:
            Failed: a check failed.
        """
        for spot in self.spots:
            Hand(self, spot).begin()
        for trouble in self.troubles:
            trouble.begin()
        while self._polls < polls:
            self._step()
            if self.now_s >= self._press_s:
                self._press()
        self.is_over = True
        until_s = self.now_s + PEACE_S
        while self.now_s < until_s or any(trouble.is_on for trouble in self.troubles):
            self._step()
        self._check_that_all_is_well()
        self.counts["polls"] = self._polls
        for part, health in self.health.items():
            kind, _, _ = part.partition(" ")
            for name, count in health.counts.items():
                if name != POLLS:
                    self.counts[f"{kind}: {name}"] += count
        return self.counts

    def _step(self) -> None:
        self.mat.step()
        for trouble in self.troubles:
            trouble.look()
        if any(trouble.is_on or not trouble.works for trouble in self.troubles):
            self._troubled_s = self.now_s

    def _press(self) -> None:
        """Press a button, mostly OK, or turn the encoder."""
        self._press_s = self.now_s + self.chance.uniform(0.5, 3.0)
        event: Event = Pressed(self.chance.choice(("ok", "ok", "ok", "back", "action")))
        self.mat.tell(Turned(1) if self.chance.random() < 0.2 else event)

    @property
    def _polls(self) -> int:
        return sum(health.counts[POLLS] for health in self.health.values())

    # --- cards ---

    @property
    def is_well(self) -> bool:
        """Return True if every part has worked for longer than ``RECOVERED_S``."""
        return self.now_s - self._troubled_s > RECOVERED_S

    def lay(self, spot: str) -> Picc:
        """Place a random unused tag on *spot* and return it.

        It may have been lifted just before, from this spot or another one.
        """
        lying = {lay.picc for lays in self._lays.values() for lay in lays if lay.lifted_s is None}
        picc = self.chance.choice([tag for tag in self._tags if tag not in lying])
        lately = [
            lay
            for lays in self._lays.values()
            for lay in lays
            if lay.picc is picc and (lay.lifted_s or 0.0) > self.now_s - RECOVERED_S
        ]
        self._lays[spot].append(Lay(picc, self.now_s, self.is_well, bool(lately)))
        self.mat.board.readers[spot].field.enter(picc)
        self.counts["tags laid"] += 1
        at_next_lay, self.at_next_lay = self.at_next_lay, _nothing
        at_next_lay()
        return picc

    def lift_all(self, spot: str) -> None:
        """Lift all tags from *spot*."""
        for lay in self._lays[spot]:
            if lay.lifted_s is None:
                lay.lifted_s = self.now_s
                self.mat.board.readers[spot].field.leave(lay.picc)
                self._check_arrived(spot, lay)

    def arrived(self, spot: str, uid: bytes) -> None:
        """Check the loop's report that *uid* arrived on *spot*, and count it."""
        self.counts["tags arrived"] += 1
        here = [lay for lay in self._lays[spot] if lay.picc.uid == uid]
        insist(bool(here), f"{uid.hex()} arrived on {spot}, where it never lay")
        lay = here[-1]
        told_s = MOVED_TOLD_S if lay.is_moved else TOLD_S
        is_there = lay.lifted_s is None or self.now_s - lay.lifted_s < told_s
        insist(is_there, f"{uid.hex()} arrived on {spot} long after it was lifted: {lay}")
        lay.arrivals += 1
        insist(lay.arrivals == 1, f"{uid.hex()} arrived on {spot} again: {lay}")

    def _check_arrived(self, spot: str, lay: Lay) -> None:
        lasted_s = self.now_s - lay.laid_s
        is_well = lay.is_undisturbed and self.is_well and not lay.is_moved
        if is_well and lasted_s > UNDISTURBED_S:
            self.counts["tags laid while all was well"] += 1
            insist(lay.arrivals == 1, f"{lay.picc} lay on {spot} for {lasted_s:.2f} s unseen")

    # --- the end ---

    def _check_that_all_is_well(self) -> None:
        for health in self.health.values():
            insist(not health.is_offline and health.remedy is None, f"{health.part} is not back")
        for trouble in self.troubles:
            trouble.check_end()
        view = self._loop.view
        shown = self.mat.pixels
        meant = (page.tobytes() for page in screens.pages(view, shown.size))
        insist(shown.tobytes() in meant, f"the display does not show {view}")


class Hand:
    """A person who places one or more cards on one spot and lifts them, again and again."""

    def __init__(self, session: Session, spot: str) -> None:
        self._session, self._spot = session, spot

    def begin(self) -> None:
        """Place the next cards after a while."""
        self._session.after(0.02, 1.0, self._lay)

    def _lay(self) -> None:
        session = self._session
        if session.is_over:
            return
        for _ in range(session.chance.choice((1, 1, 1, 1, 2, 3))):
            session.lay(self._spot)
        session.after(0.02, 1.5, self._lift)

    def _lift(self) -> None:
        self._session.lift_all(self._spot)
        self.begin()


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to break a part and repair it again.

    *kinds* are the fault kinds under which it may be counted; they are empty for noise on the air,
    which only makes sightings garbled. If *lasts* is set, the part stays broken until it is set up
    again.
    """

    name: str
    kinds: frozenset[str]
    strike: Callable[[], None]
    mend: Callable[[], None]
    lasts: bool = False


class Trouble(ABC):
    """A source of random faults for one part, one at a time, which checks that each is noticed.

    A fault is *open* from the moment it strikes until it is counted, or need not be counted any
    more. *patience* is the longest time an open fault may wait, in units of ``moment``.
    """

    def __init__(self, session: Session, part: str, patience: float) -> None:
        self.session = session
        self.health = session.health[part]
        self.is_on = False
        self._patience = patience
        self._fault: Fault | None = None
        self._is_open = False
        self._counted: Counter[str] = Counter()  # known faults by kind
        self._struck_at = self._ended_at = 0.0

    @property
    def works(self) -> bool:
        """Return True if the program regards the part as working."""
        return self.health.remedy is None and not self.health.is_offline

    @property
    def is_to_be_renewed(self) -> bool:
        """Return True if the part will be set up before its next use, even without a fault."""
        return False

    @property
    @abstractmethod
    def moment(self) -> float:
        """The time by which the patience for an open fault is measured."""

    @property
    @abstractmethod
    def faults(self) -> Sequence[Fault]:
        """The faults that can strike this part."""

    def begin(self) -> None:
        """Schedule the next fault, sometimes before the part has recovered from the last one."""
        if self.session.chance.random() < 0.2:
            self.session.after(0.001, 0.2, self.strike)
        else:
            self.session.after(0.5, 6.0, self.strike)

    def strike(self) -> None:
        """Break the part in a random way, and repair it after a while."""
        if self.session.is_over:
            return
        self.look()
        self._close("another one came before anything met it")
        fault = self._fault = self.session.chance.choice(self.faults)
        self._is_open = self.works and bool(fault.kinds) and not self.is_to_be_renewed
        self._struck_at = self.moment
        self.is_on = True
        fault.strike()
        self.session.counts[f"struck: {fault.name}"] += 1
        self.session.counts["struck: to be noticed"] += self._is_open
        lasts_s = 10 ** self.session.chance.uniform(-4, 0.3)
        self.session.after(lasts_s, lasts_s, partial(self._end, fault))

    def _end(self, fault: Fault) -> None:
        self.look()
        fault.mend()
        self.is_on = False
        self._ended_at = self.moment
        if not fault.lasts:
            self._close("over before anything met it")
        self.begin()

    def _close(self, why: str) -> None:
        """Stop waiting for the open fault to be noticed, and count *why*."""
        if self._is_open:
            self._is_open = False
            self.session.counts[f"not noticed: {why}"] += 1

    def look(self) -> None:
        """Check that an open fault is noticed in time, and that nothing else was counted."""
        health, fault = self.health, self._fault
        said = f"{health.part}, {fault.name if fault else 'no fault'}, {dict(health.counts)}"
        counted = Counter({kind: health.counts[kind] for kind in FAULTS})
        fresh, self._counted = counted - self._counted, counted
        mended = sum(health.counts[recovery] for recovery in RECOVERIES)
        insist(counted.total() == mended + (health.remedy is not None), said)
        insist(fresh.total() <= 1, f"counted more than once: {said}")
        waited = self.moment - (self._struck_at if self._is_open else self._ended_at)
        if not fresh:
            insist(not self._is_open or waited <= self._patience, f"nobody noticed: {said}")
            return
        is_due = self._is_open or self.is_on or waited <= self._patience
        insist(fault is not None and is_due, f"counted without a fault: {said}")
        if self._is_open and fault is not None:
            insist(set(fresh) <= fault.kinds, f"counted under another kind: {said}")
            self.session.counts["noticed"] += 1
            self._is_open = False

    def check_end(self) -> None:
        """Check at the end of a session that no fault is left unnoticed."""
        self.look()
        insist(not self._is_open, f"{self.health.part}: {self._fault} was never noticed")


class ReaderTrouble(Trouble):
    """The faults of a reader: its chip, its MISO wire and the noise on the air.

    A poll may be running when a fault strikes; the next poll must notice the fault.
    """

    def __init__(self, session: Session, spot: str) -> None:
        super().__init__(session, f"reader {spot}", patience=1)
        self._reader: EmulatedReader = session.mat.board.readers[spot]
        self._pulsed_at = -1.0
        if self._reader.reset_pin is not None:
            session.mat.board.pins.pin(self._reader.reset_pin).wires.append(self._pulsed)
        self._faults = tuple(self._all_faults(session.mat.config.fields.in_turn))

    @property
    def moment(self) -> float:
        """The number of successful polls."""
        return self.health.counts[POLLS]

    @property
    def faults(self) -> Sequence[Fault]:
        """The faults of this reader."""
        return self._faults

    def _all_faults(self, in_turn: bool) -> Iterator[Fault]:
        chip, cut = self._reader.chip, self._reader.cut
        assert isinstance(chip, Mfrc522), "the default table has no other chip"
        # A fault in the middle of an exchange may also be "stuck", one in a transfer "silent".
        lost = frozenset({"settings-lost", "stuck"})
        gone = lost | {"silent"}
        yield Fault(
            "reader dead", gone, partial(chip.power, False), partial(chip.power, True), lasts=True
        )
        yield Fault("brown-out", gone, chip.brown_out, _nothing, lasts=True)
        for register, value in STRAY_VALUES.items():
            if register != Reg.TX_CONTROL or not in_turn:  # in turn, each poll writes it
                write = partial(chip.write, register, value)
                yield Fault(
                    f"{REGISTER_NAMES[register]} changed", lost, write, _nothing, lasts=True
                )
        for value in (0x00, 0xFF):
            yield Fault(f"MISO at {value:02X}h", gone, partial(cut, value), partial(cut, None))
        for name, rate in (("noisy air", 0.01), ("very noisy air", 0.08)):
            yield Fault(name, frozenset(), partial(self._noise, rate), self._silence)
        yield Fault("missed answers", frozenset(), self._miss, self._silence)

    @property
    def is_to_be_renewed(self) -> bool:
        """Return True if the reader's reset wire was pulsed since its last poll."""
        return self._pulsed_at == self.moment

    def _pulsed(self, level: float) -> None:
        """Note a reset pulse (perhaps for another reader), which repairs the chip silently."""
        if level:
            self.look()
            self._ended_at = self._pulsed_at = self.moment
            self._close("mended by a reset pulse")

    def _noise(self, rate: float) -> None:
        field = self._reader.field
        field.noise = field.command_noise = BitErrors(self.session.chance, rate)

    def _miss(self) -> None:
        self._reader.field.miss = lambda picc: self.session.chance.random() < 0.15

    def _silence(self) -> None:
        field = self._reader.field
        field.noise = field.command_noise = lambda picc, frame: 0
        field.miss = lambda picc: False


class DisplayTrouble(Trouble):
    """The faults of the display: its plug, its supply and its SDA wire.

    The program checks the display about once a second. Half of the faults strike soon after a card
    is placed, when a picture is probably being sent.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session, "display", patience=DARK_S)
        chip = session.mat.board.display
        assert chip is not None, "the default table has a display"
        self._chip, self._bus = chip, session.mat.board.i2c_bus

    def begin(self) -> None:
        """Schedule the next fault after a while, or soon after the next card is placed."""
        if self.session.chance.random() < 0.5:
            super().begin()
        else:
            self.session.at_next_lay = partial(self.session.after, 0.005, 0.035, self.strike)

    def strike(self) -> None:
        """Break the display, and count the faults that strike in the middle of a write."""
        if self._bus.try_lock():
            self._bus.unlock()
        else:
            self.session.counts["struck: in the middle of a write to the display"] += 1
        super().strike()

    @property
    def moment(self) -> float:
        """The mat's time in seconds."""
        return self.session.now_s

    @property
    def faults(self) -> Sequence[Fault]:
        """The display is unplugged for a while, loses power for a moment, or has a loose wire."""
        dark = frozenset({"dark"})
        lost = frozenset({"lost"})
        return (
            Fault("display unplugged", dark | lost, self._pull, self._plug_in, lasts=True),
            Fault("display's supply dips", dark, self._chip.power_cycle, _nothing, lasts=True),
            Fault("display's wire is loose", lost, self._pull, self._join),
        )

    def _pull(self) -> None:
        self._chip.present = False

    def _join(self) -> None:
        self._chip.present = True

    def _plug_in(self) -> None:
        self._chip.power_cycle()
        self._join()


def _nothing() -> None:
    """Do nothing."""


def _config(readers: int, chance: Random) -> TableConfig:
    """Return the configuration of a table with *readers* readers.

    Its fields, reset wires and display chip are random.
    """
    places = ((0, 0), (0, 1), (1, 0))
    pins = chance.choice(((25, 14, 15), (25, 25, 25), (None, 14, None), (None, None, None)))
    table = load_config()
    assert table.display is not None, "the default table has a display"
    return replace(
        table,
        readers=tuple(
            ReaderConfig(spot, bus, device, pin)
            for spot, (bus, device), pin in zip(SPOTS, places, pins, strict=True)
        )[:readers],
        fields=FieldsConfig(chance.random() < 0.5, 0.001),
        display=replace(table.display, chip=chance.choice(CHIPS)),
        lamps={name: pin for name, pin in table.lamps.items() if pin not in range(16, 22)},
        voice="silent",
    )


def _tags(config: TableConfig) -> Sequence[Picc]:
    """Return Straw's cards, an unknown sticker and a MIFARE Classic."""
    straw = decks_of(config)["straw"]
    cards = [Ntag(uid_of(straw.game, piece)) for piece in straw.pieces()]
    classic = MifareClassic1K(bytes.fromhex("A1B2C3D4"))
    return (*cards, Ntag(stranger_uid()), classic)


# --- the run -------------------------------------------------------------------------------------


def play_session(seed: int, number: int, polls: int, *, is_honest: bool = False) -> Counter[str]:
    """Play session *number* of the run with this *seed*, for *polls* polls.

    Returns:
        How often each thing happened, as ``Session.run`` counts it.

    Raises:
        Failed: a check failed.
    """
    with TemporaryDirectory() as folder:
        name, conditions = f"{seed}-{number}", EXACT
        if is_honest:
            conditions = Conditions.honest(name, PROFILES[number % len(PROFILES)])
        session = Session(Path(folder), name, 1 + number % len(SPOTS), conditions)
        try:
            return session.run(polls)
        finally:
            session.mat.close()


def main() -> int:
    """Run the sessions, print how often each thing happened, and return 1 if a session failed."""
    parser = argparse.ArgumentParser(description="Break everything below the drivers at random.")
    parser.add_argument("--polls", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--session", type=int, help="play this one alone")
    parser.add_argument("--honest", action="store_true", help="tags and computers as they are")
    given = parser.parse_args()
    logging.disable()
    play = partial(play_session, is_honest=given.honest)
    if given.session is not None:
        play(given.seed, given.session, SESSION_POLLS)  # shows the whole traceback
        return 0
    counts: Counter[str] = Counter()
    has_failed = False
    began_s = time.monotonic()
    with ProcessPoolExecutor(given.jobs) as pool:
        played = {
            number: pool.submit(play, given.seed, number, SESSION_POLLS)
            for number in range(-(-given.polls // SESSION_POLLS))
        }
        for number, session in played.items():
            error = session.exception()
            if error is None:
                counts += session.result()
                continue
            has_failed = True
            again = f"python -m tests.sim.soak_polls --seed {given.seed} --session {number}"
            print(f"{type(error).__name__}: {error}\nAgain: {again}", file=sys.stderr, flush=True)
    took_s = time.monotonic() - began_s
    for name, count in sorted(counts.items()):
        print(f"{count:12,} {name}")
    print(f"{counts['polls'] / took_s:12,.0f} polls a second")
    return int(has_failed)


if __name__ == "__main__":
    raise SystemExit(main())
