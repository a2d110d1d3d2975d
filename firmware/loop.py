"""The loop: the one thread that owns the table, and the only place that waits.

Room: firmware. It moves events from the parts to the table and what the table shows to the parts.

A turn of the loop looks at every reader and control once, lets the table take what happened,
and then draws: what is shown was committed before. Between two turns it pauses, but not while it
matters who came first: as long as something that arrived waits for the other readers to be looked
at, and in a race, in which it looks at nothing but the readers raced on and draws in slices.

A part that fails is a state (``firmware.health``): the loop mends it within the turn where that
can be done, and otherwise tells the table, goes on with the others, and tries to bring it back.
"""

import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from PIL import Image

from firmware import lamps as lamp_patterns
from firmware.announcer import Announcer
from firmware.earcons import Earcon
from firmware.errors import JournalError
from firmware.events import Event, PartBack, PartLost
from firmware.health import OFTEN, Health, Ledger, State, attempt, poll
from firmware.journal import Journal
from firmware.presence import Presence
from firmware.settings import Settings
from firmware.speech import Line
from firmware.table import Answer
from firmware.view import Notice, TableView
from hardware.ports import Buzzer, Clock, Controls, Display, Lamps, Remark, TagReader

log = logging.getLogger(__name__)

TURN_S = 0.010  # one turn of the loop begins at least this long after the one before
# The most that a turn draws in a race. Who tapped first is known once the other reader was found
# empty after the first tap was read. With two readers that is two polls (0.8 ms each), one such
# drawing and a whole read (6 ms) later at the latest: less than the 10 ms that are told apart.
RACE_DRAW_S = 0.002
CHECK_S = 1.0  # how often the display is asked how it is, and counts are looked through
KEPT = 500  # refusals the loop remembers
PAGE_S = 2.5  # how long a page is shown before the next: two or three lines are read in that time

Draw = Callable[[TableView, tuple[int, int]], Sequence[Image.Image]]  # pages shown by turns
T = TypeVar("T")


class Taker(Protocol):
    """What takes events and has a view; ``firmware.table.Table``, or a measurement's stand-in."""

    @property
    def race(self) -> tuple[str, ...]:
        """The spots on which whoever is first counts now; none when nothing is raced for."""
        ...

    @property
    def settings(self) -> Settings:
        """How the table speaks now."""
        ...

    def wake(self) -> tuple[Line, ...]:
        """What to say when the table is switched on."""
        ...

    def receive(self, event: Event, at_s: float) -> tuple[Answer, ...]:
        """Take one *event* of the moment *at_s* and return the answers to it, in order."""
        ...

    def view(self, now_s: float) -> TableView:
        """What to show at *now_s*."""
        ...


@dataclass(frozen=True)
class Parts:
    """The parts of one table, as the wiring opened them; a part it does not have is left out."""

    readers: Mapping[str, TagReader]  # by spot
    lamps: Lamps
    controls: Controls
    buzzer: Buzzer | None
    display: Display | None
    close: Callable[[], None]  # lets go of them all


@dataclass
class Loop:
    """Feeds one table; see the module's text.

    What it counts of its parts goes into the *journal*, if there is one.
    """

    table: Taker
    parts: Parts
    clock: Clock
    announcer: Announcer
    draw: Draw
    journal: Journal | None = None
    alive: Callable[[float], None] = lambda _now_s: None  # told at each turn, for a watchdog
    refusals: deque[Notice] = field(default_factory=lambda: deque(maxlen=KEPT))

    def __post_init__(self) -> None:
        self._presence = Presence(tuple(self.parts.readers))
        self._reader_health = {
            spot: Health(f"reader {spot}", has_reset_wire=reader.has_reset_wire)
            for spot, reader in self.parts.readers.items()
        }
        # Each drawing that goes well shows that the display is mended.
        self._display_health = Health("display", settles_after=1)
        self._ledgers = [Ledger(health) for health in self.health]
        self._lost: set[str] = set()  # parts people were told of
        self._is_journal_refusing = False
        self._remarked: set[tuple[str, str]] = set()
        self._earcon = Earcon()
        self._lit: dict[str, float] = {}
        self._tone: float | None = None
        self._drawn: TableView | None = None  # what was drawn last
        self._pages: Sequence[Image.Image] = ()
        self._pages_s = 0.0  # when the first of them was due
        self._page = 0  # which of them is due
        self._is_shown = False  # whether all of that one is on the display
        self._has_drawn = False  # in this turn
        self._check_s = 0.0  # when the display is to be asked how it is
        self._look_s = 0.0  # when remarks and counts are to be looked through
        self._turn_s = 0.0  # when the last turn began
        self._is_hurried = False  # whether the next turn is to follow it at once
        self._is_stopping = False

    @property
    def health(self) -> tuple[Health, ...]:
        """The health of every part that has one."""
        display = () if self.parts.display is None else (self._display_health,)
        return (*self._reader_health.values(), *display)

    def begin(self) -> None:
        """Show and say how things stand, once, before the first turn."""
        self._say(self.table.wake(), self.clock.now())
        self._show()

    def run(self) -> None:
        """Turn until told to stop."""
        self.begin()
        while not self._is_stopping:
            self.turn()
            self.clock.sleep(self.pause_s)

    def stop(self) -> None:
        """End ``run()`` after the turn that is on; may be called from a signal handler."""
        self._is_stopping = True

    @property
    def is_stopping(self) -> bool:
        """Whether it was told to stop."""
        return self._is_stopping

    def turn(self) -> None:
        """Look at everything once, let the table take it, and show."""
        self._turn_s = self.clock.now()
        self.alive(self._turn_s)
        self._has_drawn = False
        self._look_at_readers()
        self.receive(self.parts.controls.poll())
        self.announcer.turn(self.clock.now())
        self._show()
        if not self._is_hurried and self._turn_s >= self._look_s:
            self._look_s = self._turn_s + CHECK_S
            self._log_remarks()
            self._note_health([ledger for ledger in self._ledgers if ledger.is_due(self._turn_s)])

    @property
    def pause_s(self) -> float:
        """How long to wait from now until the next turn; not at all if this is below zero."""
        return 0.0 if self._is_hurried else self._turn_s + TURN_S - self.clock.now()

    def close(self) -> None:
        """Leave the journal every count it lacks; the loop turns no more. Safe twice."""
        self._note_health(self._ledgers)

    @property
    def view(self) -> TableView:
        """What the table shows now."""
        return self.table.view(self.clock.now())

    # --- in ---

    def _look_at_readers(self) -> None:
        """Poll the readers that matter now, and let the table take what came and went."""
        raced = [spot for spot in self.table.race if spot in self.parts.readers]
        if all(self._reader_health[spot].is_offline for spot in raced):
            raced = []  # whoever cannot race may want to end the game with a command card
        watched = [spot for spot in raced or self.parts.readers if self._poll(spot)]
        self.receive(self._presence.changes(watched))
        # Without a reader that answers, turns take no time, and there is nothing to hurry for.
        self._is_hurried = bool(watched) and (bool(raced) or self._presence.is_waiting)

    def _poll(self, spot: str) -> bool:
        """Poll one reader; whether it could be done."""
        health, reader = self._reader_health[spot], self.parts.readers[spot]
        began_s = self.clock.now()
        if not health.is_due(began_s):
            return False
        sighting = self._telling(health, "reader", lambda: poll(health, reader, self.clock))
        if sighting is None:
            return False
        self._presence.see(spot, sighting, began_s, self.clock.now())
        return True

    def receive(self, events: Sequence[Event]) -> None:
        """Let the table take *events*, one after the other, and tell what it answers."""
        for event in events:
            for answer in self.table.receive(event, self.clock.now()):
                if answer.notice is not None and answer.notice.code:
                    self.refusals.append(answer.notice)
                if answer.cue is not None:
                    self._earcon.begin(answer.cue, answer.at_s)
                self._say(answer.say, answer.at_s)
                self._show()

    # --- out ---

    def _say(self, lines: Sequence[Line], at_s: float) -> None:
        """Say *lines* of an event at *at_s*, before anything is drawn, which is slow."""
        if self.table.settings != self.announcer.settings:
            self.announcer.settings = self.table.settings
        self.announcer.announce(lines, at_s)
        self.announcer.turn(self.clock.now())

    def _show(self) -> None:
        """Write what differs from what the parts show."""
        now_s = self.clock.now()
        view = self.table.view(now_s)
        for name, level in lamp_patterns.levels(view, now_s).items():
            if self._lit.get(name) != level:
                self._lit[name] = level
                self.parts.lamps.light(name, level)
        tone = self._earcon.tone(now_s)
        if self.parts.buzzer is not None and tone != self._tone:
            self.parts.buzzer.tone(tone)
        self._tone = tone
        if self._presence.is_waiting or (self._has_drawn and self.table.race):
            return  # drawing is slow, and would keep waiting who waits
        if self.parts.display is not None and self._display_health.is_due(now_s):
            self._use_display(self.parts.display, view, now_s)

    def _use_display(self, display: Display, view: TableView, now_s: float) -> None:
        """Draw *view* where it is not shown yet, and ask the display now and then how it is.

        A display that is dark takes pictures all the same, so they do not stand in for asking.
        """
        is_check_due = now_s >= self._check_s
        if self._drawn != view:
            self._drawn, self._pages = view, self.draw(view, display.size)
            self._pages_s, self._page, self._is_shown = now_s, 0, False
        page = int((now_s - self._pages_s) / PAGE_S) % len(self._pages)
        if page != self._page:
            self._page, self._is_shown = page, False
        if self._is_shown and not is_check_due:
            return
        picture = self._pages[page]

        def restart(_by_wire: bool) -> None:
            self._is_shown = False
            display.restart()

        def use() -> bool:
            if is_check_due:
                display.check()
            if not self._is_shown:
                self._has_drawn = True
                within_s = RACE_DRAW_S if self.table.race else None
                self._is_shown = display.show(picture, within_s)
            return True

        health = self._display_health
        if is_check_due:
            self._check_s = now_s + CHECK_S
        self._telling(health, "display", lambda: attempt(health, use, restart, self.clock))

    # --- how the parts do ---

    def _telling(self, health: Health, kind: str, use: Callable[[], T]) -> T:
        """Have a part used, and tell the table when it is lost for good, or back."""
        before = health.state(self.clock.now())
        given = use()
        now_s = self.clock.now()
        after = health.state(now_s)
        if health.is_lost(now_s) and health.part not in self._lost:
            self._lost.add(health.part)
            log.warning("%s: %s", health.part, health.fault)
            self.receive([PartLost(health.part, kind)])
        elif health.part in self._lost and not health.is_offline:
            self._lost.remove(health.part)
            log.warning("%s: back", health.part)
            self.receive([PartBack(health.part)])
        elif after is State.DEGRADED and before is not after:
            log.warning("%s: mended %d times within a minute: %s", health.part, OFTEN, health.fault)
        return given

    def _log_remarks(self) -> None:
        """Log what is odd about parts that work, each thing once."""
        parts: dict[str, Sequence[Remark]] = {
            self._reader_health[spot].part: reader.remarks
            for spot, reader in self.parts.readers.items()
        }
        if self.parts.display is not None:
            parts[self._display_health.part] = self.parts.display.remarks
        for part, remarks in parts.items():
            for remark in remarks:
                if (part, remark.code) not in self._remarked:
                    self._remarked.add((part, remark.code))
                    log.warning("%s: %s", part, remark.text)

    def _note_health(self, ledgers: Sequence[Ledger]) -> None:
        """Write what the journal lacks of *ledgers*; where that fails, it is tried again later."""
        fresh = {ledger.health.part: ledger.fresh for ledger in ledgers if ledger.fresh}
        if self.journal is None or not fresh:
            return
        for ledger in ledgers:
            ledger.tried(self.clock.now())
        try:
            self.journal.note_health(fresh)
        except JournalError as error:
            if not self._is_journal_refusing:
                log.warning("What was counted of the parts is not written down: %s", error)
            self._is_journal_refusing = True
            return
        self._is_journal_refusing = False
        for ledger in ledgers:
            ledger.noted(fresh.get(ledger.health.part, {}))
