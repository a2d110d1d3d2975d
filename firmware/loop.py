"""The loop: the one thread that owns the table, and the only place that waits.

Room: firmware. It moves events from the parts to the table and what the table shows to the parts.

A turn of the loop looks at every reader and control once, lets the table take what happened,
and then draws: what is shown was committed before. A part that fails is a state: the loop tells
the table, goes on with the others, and tries to bring the part back.
"""

import logging
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from PIL import Image

from firmware import lamps as lamp_patterns
from firmware.announcer import Announcer
from firmware.earcons import Earcon
from firmware.events import Event, PartBack, PartLost
from firmware.presence import Presence
from firmware.table import Table
from firmware.view import Notice, TableView
from hardware.errors import HardwareFault
from hardware.ports import Buzzer, Clock, Controls, Display, Lamps, TagReader

log = logging.getLogger(__name__)

TURN_S = 0.010  # one turn of the loop begins at least this long after the one before
RETRY_S = 0.5  # between two tries to bring a lost part back
KEPT = 500  # refusals the loop remembers

Draw = Callable[[TableView, tuple[int, int]], Image.Image]


class _Restartable(Protocol):
    def restart(self) -> None: ...


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
class _Health:
    """Whether one part works, and when to try it again."""

    part: str
    kind: str
    retry_s: float | None = None  # none while it works

    @property
    def is_lost(self) -> bool:
        return self.retry_s is not None

    def failed(self, fault: HardwareFault, now_s: float) -> list[Event]:
        """Note a failure; it is told, and logged, once."""
        news: list[Event] = [] if self.is_lost else [PartLost(self.part, self.kind)]
        if news:
            log.warning("%s: %s", self.part, fault)
        self.retry_s = now_s + RETRY_S
        return news

    def tried(self, part: _Restartable, now_s: float) -> list[Event]:
        """Try to bring a lost part back when it is time to."""
        if self.retry_s is None or now_s < self.retry_s:
            return []
        try:
            part.restart()
        except HardwareFault as fault:
            return self.failed(fault, now_s)
        self.retry_s = None
        log.warning("%s: back", self.part)
        return [PartBack(self.part)]


@dataclass
class Loop:
    """Feeds one table; see the module's text."""

    table: Table
    parts: Parts
    clock: Clock
    announcer: Announcer
    draw: Draw
    refusals: deque[Notice] = field(default_factory=lambda: deque(maxlen=KEPT))

    def __post_init__(self) -> None:
        self._presence = {spot: Presence(spot) for spot in self.parts.readers}
        self._reader_health = {
            spot: _Health(f"reader {spot}", "reader") for spot in self.parts.readers
        }
        self._display_health = _Health("display", "display")
        self._earcon = Earcon()
        self._shown: TableView | None = None
        self._lit: dict[str, float] = {}
        self._tone: float | None = None
        self._is_stopping = False

    def begin(self) -> None:
        """Show and say how things stand, once, before the first turn."""
        self.announcer.announce(self.table.wake(), self.clock.now())
        self._show()

    def run(self) -> None:
        """Turn until told to stop."""
        self.begin()
        while not self._is_stopping:
            began_s = self.clock.now()
            self.turn()
            self.clock.sleep(TURN_S - (self.clock.now() - began_s))

    def stop(self) -> None:
        """End ``run()`` after the turn that is on; may be called from a signal handler."""
        self._is_stopping = True

    def turn(self) -> None:
        """Look at everything once, let the table take it, and show."""
        for spot, reader in self.parts.readers.items():
            self.receive(self._watch(spot, reader))
        self.receive(list(self.parts.controls.poll()))
        if self.parts.display is not None:
            back = self._display_health.tried(self.parts.display, self.clock.now())
            self._shown = None if back else self._shown
            self.receive(back)
        self._show()

    @property
    def view(self) -> TableView:
        """What the table shows now."""
        return self.table.view(self.clock.now())

    def _watch(self, spot: str, reader: TagReader) -> list[Event]:
        health = self._reader_health[spot]
        news = health.tried(reader, self.clock.now())
        if health.is_lost:
            return news
        try:
            sighting = reader.poll()
        except HardwareFault as fault:
            return [*news, *health.failed(fault, self.clock.now())]
        return [*news, *self._presence[spot].see(sighting, self.clock.now())]

    def receive(self, events: list[Event]) -> None:
        """Let the table take *events*, one after the other, and tell what it answers."""
        for event in events:
            for answer in self.table.receive(event, self.clock.now()):
                if answer.notice is not None and answer.notice.code:
                    self.refusals.append(answer.notice)
                if answer.flash is not None:
                    self._earcon.begin(answer.flash, answer.at_s)
                self._show()
                self.announcer.announce(answer.say, answer.at_s)

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
        if view != self._shown:
            self._shown = view
            self._draw(view)

    def _draw(self, view: TableView) -> None:
        display = self.parts.display
        if display is None or self._display_health.is_lost:
            return
        try:
            display.show(self.draw(view, display.size))
        except HardwareFault as fault:
            self.receive(self._display_health.failed(fault, self.clock.now()))
