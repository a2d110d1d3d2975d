"""The inbox: requests of other programs, which the loop takes at its next pass.

``firmware.runtime.local_socket`` puts them in from its own thread. The loop never waits for that
thread: the inbox is a bounded queue without a lock. The outlet is the same in the other direction.

A page that wants to join may need the consent of the people at the mat. The question is on the
display, and the next button that is pressed answers it: OK lets the page in, any other refuses it.
The table does not receive that press. A new question replaces an older one.

The address at which people can join is not a request but a value: only the newest one is kept, and
a full inbox cannot lose it.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from firmware.outlet.stream import JoinQuestion
from firmware.show.view import JoinAddress
from firmware.table.events import AddressChanged, CodeRequested, Event
from hardware.ports import ControlEvent, Pressed, Turned

MOST_WAITING = 20  # requests; further ones are dropped
ASKED_S = 60.0  # the time to press OK at the mat to let a page in
OK = "ok"

log = logging.getLogger(__name__)

Answer = Callable[[int, bool], None]  # called in the loop's thread; must not wait


class Inbox:
    """The requests that wait for the loop, and the question that waits for a button."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[CodeRequested | JoinQuestion, Answer]] = deque()
        self._asked: tuple[JoinQuestion, Answer, float] | None = None  # with the time it ends
        self.address: JoinAddress | None = None  # set by the socket's thread
        self._taken_address: JoinAddress | None = None

    def put(self, request: CodeRequested | JoinQuestion, answer: Answer) -> bool:
        """Add *request*, whose result goes to *answer*; return False if the inbox is full.

        Only one thread may call this.
        """
        if len(self._waiting) >= MOST_WAITING:
            return False
        self._waiting.append((request, answer))
        return True

    def begin(self) -> None:
        """Return the address again at the next ``take``: a new table does not know it."""
        self._taken_address = None

    def take(self, now_s: float) -> Sequence[Event]:
        """Return the events for the table. Refuse a question that nobody has answered in time."""
        if self._asked is not None and now_s >= self._asked[2]:
            self._reply(is_yes=False)
        address = self.address
        if not self._waiting and address == self._taken_address:
            return ()
        events: list[Event] = []
        if address != self._taken_address:
            self._taken_address = address
            events.append(AddressChanged(address))
        for _ in range(len(self._waiting)):
            request, answer = self._waiting.popleft()
            if isinstance(request, JoinQuestion):
                self._reply(is_yes=False)  # to the one before
                self._asked = request, answer, now_s + ASKED_S
                events.append(request.event)
            else:
                events.append(request)
        return events

    def unanswering(self, events: Sequence[ControlEvent]) -> Sequence[ControlEvent]:
        """Return *events* without the press that answers the open question, if there is one."""
        if self._asked is None or not events:
            return events
        return tuple(self._without_answer(events))

    def _without_answer(self, events: Iterable[ControlEvent]) -> Iterable[ControlEvent]:
        for event in events:
            if self._asked is not None and isinstance(event, Pressed):
                self._reply(is_yes=event.button == OK)
                yield Turned(0)  # removes the question from the display
            else:
                yield event

    def _reply(self, *, is_yes: bool) -> None:
        if self._asked is None:
            return
        question, answer, _ = self._asked
        self._asked = None
        try:
            answer(question.number, is_yes)
        except Exception:
            log.exception("The answer to a page was not sent.")
