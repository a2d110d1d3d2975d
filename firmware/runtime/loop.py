"""The loop: passes events from the parts to the table, and the table's view to the parts.

One thread runs the loop and owns the table. Only the loop waits.

A pass of the loop polls every reader and all controls once, passes the events to the table, and
then shows the result. Everything is committed to the journal before it is shown. The loop
also reports what each event has changed to the outlet, for other programs (``firmware.outlet``).

The loop pauses between passes, except while the order of arrivals matters: when an arrival waits
for the other readers to be polled, and in a race, when several players may play and the first tap
counts. In a race, the loop polls only the readers of the race and draws only a part of each picture
at a time. It reports an arrival as the first only when no tag that wakes up slowly can have come
before it.

If a part fails (``firmware.runtime.health``), the loop repairs it within the pass if possible.
Otherwise it tells the table, goes on with the other parts, and retries the failed one later.
"""

import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from PIL import Image

from firmware.common.errors import Cause, JournalError
from firmware.journal.journal import Journal
from firmware.outlet.feed import Feed, Phones
from firmware.outlet.queue import Outlet
from firmware.outlet.state import Describe, kind_of
from firmware.runtime.health import OFTEN, Health, Ledger, PartState, attempt, poll
from firmware.runtime.inbox import Inbox
from firmware.runtime.presence import Presence
from firmware.show.earcons import Earcon
from firmware.show.lamps import is_first_half, lamp_values
from firmware.show.view import Cue, Flash, Notice, TableView
from firmware.table.events import (
    Event,
    PartFailed,
    PartRecovered,
    PhoneAct,
    PhoneRequested,
)
from firmware.table.table import Feedback
from firmware.voice.announcer import Announcer
from firmware.voice.settings import Settings
from firmware.voice.speech import SpeechLine
from hardware.errors import LampFault
from hardware.ports import (
    Buzzer,
    Clock,
    Controls,
    Display,
    Lamps,
    LampValue,
    Remark,
    Sighting,
    TagReader,
)

log = logging.getLogger(__name__)

PASS_S = 0.010  # a pass begins at least this long after the beginning of the pass before
# The time limit for drawing in one pass of a race. A tap is known to be the first once the other
# reader was polled and found empty after that tap was read. With two readers that takes at most two
# polls (0.8 ms each), one change of the lamps (0.3 ms), one such drawing and one full read (6 ms):
# less than 10 ms. So taps that are 10 ms apart keep their order.
RACE_DRAW_S = 0.002
# With fields in turn, an ordinary poll may miss a tag that wakes up slowly. In a race, that must
# not give another tag the first place. So an arrival there waits for patient polls of the other
# readers; and once in this time, one reader of the race, each in its turn, is polled patiently.
PATIENT_S = 0.05
CHECK_S = 1.0  # time between two checks of the display, the journal and the counts
SLOW_S = 1.0  # an answer that takes as long waits for the disk: nothing else in it can block
KEPT_REFUSALS = 500  # the loop forgets older refusals
PAGE_S = 2.5  # each page is shown for this time, enough to read two or three lines

LAMPS_PART = "lamps"  # reported as a failed part if a strip's driver fails
JOURNAL_PART = "journal"  # reported as a failed part if its file is deleted during play

Draw = Callable[[TableView, tuple[int, int]], Sequence[Image.Image]]  # -> the pages to show in turn
T = TypeVar("T")


class TableLike(Protocol):
    """The part of the table's interface that the loop uses. Tests and measurements pass fakes."""

    @property
    def race(self) -> tuple[str, ...]:
        """The spots on which the first tag wins now; empty if no race is on."""
        ...

    @property
    def settings(self) -> Settings:
        """The voice settings in force."""
        ...

    @property
    def failed_parts(self) -> Sequence[str]:
        """The names of the parts that have failed and do not work again yet."""
        ...

    def wake(self) -> tuple[SpeechLine, ...]:
        """Return the lines to say when the table is switched on."""
        ...

    def receive(self, event: Event, at_s: float) -> tuple[Feedback, ...]:
        """Handle *event*, received at time *at_s*; return the feedback on it, in order."""
        ...

    def view(self, now_s: float) -> TableView:
        """Return the view to show at *now_s*."""
        ...


@dataclass(frozen=True)
class TableParts:
    """The opened parts of one table."""

    readers: Mapping[str, TagReader]  # by spot
    lamps: Lamps
    controls: Controls
    buzzer: Buzzer | None
    display: Display | None
    close: Callable[[], None]  # switches all of them off and closes them


@dataclass
class Loop:
    """The loop of one table: it connects *parts* and *table*, as the module's docstring describes.

    *draw* returns the pictures of a view. Counts of faults and repairs go into *journal*, if it is
    not None. *refusals* has the newest refusals.
    """

    table: TableLike
    parts: TableParts
    clock: Clock
    announcer: Announcer
    draw: Draw
    journal: Journal | None = None
    on_pass: Callable[[float], None] = lambda _now_s: None  # called with the time at each pass
    # Called each second with the time; returns the events of background work, such as copying.
    poll_background: Callable[[float], Sequence[Event]] = lambda _now_s: ()
    # The same for people who have done nothing for too long, and for the mat as a player. The
    # second value is True while the voice speaks.
    poll_waits: Callable[[float, bool], Sequence[Event]] = lambda _now_s, _is_speaking: ()
    # Called each second; returns an event if there is a new report of the doctor.
    poll_report: Callable[[], Sequence[Event]] = lambda: ()
    refusals: deque[Notice] = field(default_factory=lambda: deque(maxlen=KEPT_REFUSALS))
    outlet: Outlet = field(default_factory=Outlet)  # gets every event
    inbox: Inbox = field(default_factory=Inbox)  # the requests of other programs
    describe: Describe = kind_of  # puts the last play into words, for the outlet
    phones: Phones | None = None  # the source of the phones' private states
    advise: Callable[[], str] = lambda: ""  # returns what can be played now, for the outlet

    def __post_init__(self) -> None:
        self._feed = Feed(self.outlet, self.describe)
        self._presence = Presence(tuple(self.parts.readers))
        self._reader_health = {
            spot: Health(f"reader {spot}", has_reset_wire=reader.has_reset_wire)
            for spot, reader in self.parts.readers.items()
        }
        # One picture that was shown proves that a repair has lasted.
        self._display_health = Health("display", settles_after=1)
        self._ledgers = [Ledger(health) for health in self.health]
        self._is_journal_refusing = False
        self._patient_s = 0.0  # time of the next patient poll of a race in which nothing arrives
        self._patient_polls = 0  # number of such polls
        self._remarked: set[tuple[str, str]] = set()
        self._earcon = Earcon()
        self._lit: Mapping[str, LampValue] = {}  # the values that the lamps were set to
        self._lit_view: tuple[TableView, bool] | None = None  # what the lamps show
        self._tone: float | None = None
        self._drawn: TableView | None = None  # the view on the pages
        self._pages: Sequence[Image.Image] = ()
        self._pages_s = 0.0  # time at which the first page was due
        self._page = 0  # index of the page that is due
        self._is_shown = False  # True if the display shows the whole page
        self._has_drawn = False  # True if this pass has drawn
        self._display_check_s = 0.0  # time of the next check of the display
        self._other_checks_s = 0.0  # time of the next check of lamps, remarks, journal and counts
        self._pass_s = 0.0  # time at which the last pass began
        self._is_hurried = False  # True if the next pass must follow without a pause
        self._is_stopping = False

    @property
    def health(self) -> tuple[Health, ...]:
        """The health of each reader, and of the display."""
        display = () if self.parts.display is None else (self._display_health,)
        return (*self._reader_health.values(), *display)

    def begin(self) -> None:
        """Show and say the current state. Call this once, before the first pass."""
        self._feed = Feed(self.outlet, self.describe)
        self.inbox.begin()
        self.outlet.private = {}  # those of an earlier run of the program
        record = None
        if self.journal is not None:
            self.journal.take_new_entries()  # discard the older ones
            record = self.journal.open_game()
        self._feed.begin(record, self.view)
        self._say(self.table.wake(), self.clock.now())
        self._show()

    def run(self) -> None:
        """Call ``begin``, and then ``step`` until ``stop`` is called."""
        self.begin()
        while not self._is_stopping:
            self.step()
            self.clock.sleep(self.pause_s)

    def stop(self) -> None:
        """End ``run()`` after the current pass. May be called from a signal handler."""
        self._is_stopping = True

    @property
    def is_stopping(self) -> bool:
        """True after ``stop`` was called."""
        return self._is_stopping

    def step(self) -> None:
        """Poll all parts once, pass their events to the table, and show the result."""
        self._pass_s = self.clock.now()
        self.on_pass(self._pass_s)
        self._has_drawn = False
        self._poll_readers()
        self.receive(self.inbox.take(self._pass_s))
        self.inbox.check_question(self.view.notice)
        self.receive(self.inbox.unanswering(self.parts.controls.poll()))
        self.announcer.advance(self.clock.now())
        self.publish_spoken()
        self._show()
        if not self._is_hurried and self._pass_s >= self._other_checks_s:
            self._other_checks_s = self._pass_s + CHECK_S
            self._set_lamps(self._lit)  # a strip that has lost its power is dark
            self._log_remarks()
            self._check_journal()
            self.receive(self.poll_background(self._pass_s))
            self.receive(self.poll_report())
            self._write_counts([ledger for ledger in self._ledgers if ledger.is_due(self._pass_s)])
            self.receive(self.poll_waits(self._pass_s, self.announcer.is_busy))

    @property
    def pause_s(self) -> float:
        """Seconds from now until the next pass; zero or less means no pause."""
        return 0.0 if self._is_hurried else self._pass_s + PASS_S - self.clock.now()

    def close(self) -> None:
        """Write the counts that the journal lacks, after the last pass. Safe to call twice."""
        self._write_counts(self._ledgers)

    @property
    def view(self) -> TableView:
        """The view that the table shows now."""
        return self.table.view(self.clock.now())

    # --- from the parts to the table ---

    def _poll_readers(self) -> None:
        """Poll all readers, or in a race only the readers of the race.

        Report arrivals and removals of tags.
        """
        raced = [spot for spot in self.table.race if spot in self.parts.readers]
        if all(self._reader_health[spot].is_offline for spot in raced):
            raced = []  # without a race, players can still end the game with a command card
        patient = self._next_patient(raced)
        watched = [
            spot
            for spot in raced or self.parts.readers
            if self._poll(spot, bool(raced) and (spot == patient or self._presence.is_waiting))
        ]
        self.receive(self._presence.changes(watched))
        # If no reader answers, a pass takes no time, and would repeat too fast without a pause.
        self._is_hurried = bool(watched) and (bool(raced) or self._presence.is_waiting)

    def _poll(self, spot: str, is_patient: bool) -> bool:
        """Poll the reader on *spot*; return True if it answered.

        With *is_patient*, the reader gives tags more time to wake up; see
        ``firmware.runtime.health``.
        """
        health, reader = self._reader_health[spot], self.parts.readers[spot]
        began_s = self.clock.now()
        if not health.is_due(began_s):
            return False

        def use() -> Sighting | None:
            return poll(health, reader, self.clock, is_patient=is_patient)

        sighting = self._report_changes(health, "reader", use)
        if sighting is None:
            return False
        self._presence.see(spot, sighting, began_s, self.clock.now())
        return True

    def _next_patient(self, raced: Sequence[str]) -> str | None:
        """Return the spot in *raced* to poll patiently in this pass; None if it is no spot's turn.

        A patient poll gives tags more time to wake up. The spots take turns.
        """
        if not raced or self._pass_s < self._patient_s:
            return None
        self._patient_s = self._pass_s + PATIENT_S
        self._patient_polls += 1
        return raced[self._patient_polls % len(raced)]

    def receive(self, events: Sequence[Event]) -> None:
        """Pass *events* to the table, one after the other. Say and show the feedback on each."""
        for event in events:
            answers = self._answers(event)
            self._publish(event, answers)
            for answer in answers:
                if answer.notice is not None and answer.notice.code:
                    self.refusals.append(answer.notice)
                if answer.cue is not None:
                    self._earcon.begin(answer.cue, answer.at_s)
                self._say(answer.say, answer.at_s)
                self._show()
                if self.journal is not None and answer.cue is Cue.ROUND_END:
                    self.journal.checkpoint()  # slow, so only after people have had their feedback
            if isinstance(event, PhoneRequested):
                self.inbox.note_question(answers[-1].notice)
            elif isinstance(event, PhoneAct):
                self.inbox.settle(next((a.refused for a in answers if a.refused), ""))

    def _answers(self, event: Event) -> tuple[Feedback, ...]:
        """Return the table's feedback on *event*, and log if that took long."""
        began_s = self.clock.now()
        answers = self.table.receive(event, began_s)
        took_s = self.clock.now() - began_s
        if took_s >= SLOW_S:
            log.warning(
                "Saving took %.1f s. If that happens often, use another memory card", took_s
            )
        return answers

    # --- from the table to the parts and the outlet ---

    def _publish(self, event: Event, answers: Sequence[Feedback]) -> None:
        """Put the changes by *event* into the outlet. *answers* are the table's feedback on it."""
        entries = () if self.journal is None else self.journal.take_new_entries()
        if isinstance(event, PartFailed | PartRecovered):
            self._feed.put_part(event)
        is_foul = any(_is_foul(answer) for answer in answers)
        self._feed.put_entries(entries, [answer.notice for answer in answers], is_foul=is_foul)
        self._feed.put_changes(self.view)

    def publish_spoken(self) -> None:
        """Put into the outlet each line for the voice that is new, or has begun or ended."""
        self._feed.put_lines(self.announcer.take_changes())

    def _say(self, lines: Sequence[SpeechLine], at_s: float) -> None:
        """Say *lines*, which describe an event at *at_s*. Call this before the slow ``_show``."""
        self.announcer.announce(lines, self.table.settings, at_s)
        self.announcer.advance(self.clock.now())
        self.publish_spoken()

    def _show(self) -> None:
        """Update lamps, buzzer and display where the view has changed."""
        now_s = self.clock.now()
        view = self.table.view(now_s)
        language, phones = self.table.settings.language, self.phones
        if phones is None:
            self._feed.keep_state(view, language, self.advise)
        else:
            shown, seats = phones.for_screens(view), (phones.robot_seats, phones.goal)
            self._feed.keep_state(shown, language, self.advise, *seats)
        if self.phones is not None:
            self._feed.keep_private(self.phones)
        self._light(view, now_s)
        tone = self._earcon.tone(now_s)
        if self.parts.buzzer is not None and tone != self._tone:
            self.parts.buzzer.tone(tone)
        self._tone = tone
        if self._presence.is_waiting or (self._has_drawn and self.table.race):
            return  # drawing is slow, and would delay the next poll
        if self.parts.display is not None and self._display_health.is_due(now_s):
            self._use_display(self.parts.display, view, now_s)

    def _light(self, view: TableView, now_s: float) -> None:
        """Set the lamps whose values have changed, all in one call."""
        lit_view = view, is_first_half(now_s)
        if lit_view == self._lit_view:
            return
        values = lamp_values(view, now_s)
        changed = {name: value for name, value in values.items() if self._lit.get(name) != value}
        self._lit, self._lit_view = values, lit_view
        self._set_lamps(changed)

    def _set_lamps(self, values: Mapping[str, LampValue]) -> None:
        """Set lamps to *values*. If they fail, tell the table, and stop using them."""
        if not values or LAMPS_PART in self.table.failed_parts:
            return
        try:
            self.parts.lamps.set(values)
        except LampFault as fault:
            log.warning("%s: %s", LAMPS_PART, fault, exc_info=fault.__cause__)
            self.receive([PartFailed(LAMPS_PART, LAMPS_PART)])

    def _use_display(self, display: Display, view: TableView, now_s: float) -> None:
        """Show the page of *view* that is due at *now_s*, and check the display each second.

        The check is needed because a display that has gone dark still accepts pictures.
        """
        is_check_due = now_s >= self._display_check_s
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
            self._display_check_s = now_s + CHECK_S
        self._report_changes(health, "display", lambda: attempt(health, use, restart, self.clock))

    # --- the health of the parts ---

    def _report_changes(self, health: Health, kind: str, use: Callable[[], T]) -> T:
        """Call *use*, and tell the table if the part that it uses has failed or is back.

        *health* is the part's health, and *kind* the kind of part, such as "reader".

        Returns:
            The result of *use*.
        """
        before = health.state(self.clock.now())
        result = use()
        now_s = self.clock.now()
        after = health.state(now_s)
        if health.is_reportable(now_s) and health.part not in self.table.failed_parts:
            log.warning("%s: %s", health.part, health.fault)
            self.receive([PartFailed(health.part, kind)])
        elif health.part in self.table.failed_parts and not health.is_offline:
            log.warning("%s: back", health.part)
            self.receive([PartRecovered(health.part)])
        elif after is PartState.DEGRADED and before is not after:
            log.warning(
                "%s: repaired %d times within a minute: %s", health.part, OFTEN, health.fault
            )
        return result

    def _log_remarks(self) -> None:
        """Log each remark of a part once. A remark is an oddity that does not stop the part."""
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

    def _check_journal(self) -> None:
        """If the journal's file was deleted or replaced, tell the table, but only once."""
        if self.journal is None or JOURNAL_PART in self.table.failed_parts:
            return
        try:
            self.journal.check_ownership()
        except JournalError as error:
            if error.cause is Cause.LOST:
                log.warning("%s", error)
                self.receive([PartFailed(JOURNAL_PART, JOURNAL_PART)])

    def _write_counts(self, ledgers: Sequence[Ledger]) -> None:
        """Write the unwritten counts of *ledgers* to the journal; after an error, retry later."""
        counts = {ledger.health.part: ledger.unwritten for ledger in ledgers if ledger.unwritten}
        if self.journal is None or not counts:
            return
        for ledger in ledgers:
            ledger.note_attempt(self.clock.now())
        try:
            self.journal.note_health(counts)
        except JournalError as error:
            if not self._is_journal_refusing:
                log.warning("The counts of the parts' faults were not written: %s", error)
            self._is_journal_refusing = True
            return
        self._is_journal_refusing = False
        for ledger in ledgers:
            ledger.note_written(counts.get(ledger.health.part, {}))


def _is_foul(answer: Feedback) -> bool:
    """Return True if *answer* is about an input that the rules accepted but punished."""
    notice = answer.notice
    return answer.flash is Flash.REFUSED and notice is not None and not notice.code
