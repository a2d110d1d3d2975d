"""The inbox: requests of other programs, which the loop takes at its next pass.

``firmware.runtime.local_socket`` puts them in from its own thread. The loop never waits for that
thread: the inbox is a bounded queue without a lock. The outlet does the same in the other
direction.

A page that wants to join may need the consent of the people at the mat. A phone that wants to play
for a player, or to be the host's, always needs it. The question is on the display, and the next
button that is pressed answers it: OK means yes, any other button means no. The table does not get
that press. A newer question replaces an older one, which is answered with no. The question about a
phone is also answered with no as soon as the display no longer shows it, so that an OK for the game
lets no phone in.

An act of a phone is answered when the table has handled it.

The address at which people can join is not a request but a value, as is whether the table has a
hall: only the newest one is kept, and a full inbox cannot lose it.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from firmware.outlet.stream import ActRequest, JoinQuestion
from firmware.show.view import JoinAddress, Notice
from firmware.table.events import (
    AddressChanged,
    CodeRequested,
    Event,
    HallChanged,
    HallMessage,
    PhoneLetIn,
    PhoneRequested,
)
from hardware.ports import ControlEvent, Pressed, Turned

MOST_WAITING = 20  # requests; further ones are dropped
ASKED_S = 60.0  # the time to press OK at the mat to let a page in
OK = "ok"

log = logging.getLogger(__name__)

Request = CodeRequested | HallMessage | JoinQuestion | ActRequest
# Called with the number, True for yes, and the reason of a refused act, in the loop's thread or in
# that of ``put``. It must not wait.
Answer = Callable[[int, bool, str], None]


class Inbox:
    """The requests that wait for the loop, and the question that a button will answer."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Request, Answer]] = deque()
        self._acts: deque[tuple[int, Answer]] = deque()  # taken, but not settled yet
        self._asked: tuple[JoinQuestion, Answer, float] | None = None  # with the time it ends
        self.address: JoinAddress | None = None  # set by the socket's thread
        self._taken_address: JoinAddress | None = None
        self.has_hall = False  # set by the socket's thread
        self._taken_hall = False
        self._notice: Notice | None = None  # the text of the question on the display

    def put(self, request: Request, answer: Answer) -> None:
        """Add *request*. The result is passed to *answer*.

        If the inbox is full, *request* is dropped; a question or an act is answered with no. Only
        one thread may call this.
        """
        if len(self._waiting) < MOST_WAITING:
            self._waiting.append((request, answer))
        elif isinstance(request, JoinQuestion | ActRequest):
            _send(answer, request.number, is_yes=False)

    def begin(self) -> None:
        """Make the next ``take`` return the address to join at and the hall, for a new table."""
        self._taken_address, self._taken_hall = None, False

    def take(self, now_s: float) -> Sequence[Event]:
        """Return the waiting requests as events for the table.

        If nobody has answered the open question in time, answer it with no.
        """
        if self._asked is not None and now_s >= self._asked[2]:
            self._reply(is_yes=False)
        address, has_hall = self.address, self.has_hall
        is_known = address == self._taken_address and has_hall == self._taken_hall
        if not self._waiting and is_known:
            return ()
        events: list[Event] = []
        if address != self._taken_address:
            self._taken_address = address
            events.append(AddressChanged(address))
        if has_hall != self._taken_hall:
            self._taken_hall = has_hall
            events.append(HallChanged(has_hall))
        for _ in range(len(self._waiting)):
            request, answer = self._waiting.popleft()
            if isinstance(request, JoinQuestion):
                self._reply(is_yes=False)  # to the one before
                self._asked = request, answer, now_s + ASKED_S
                events.append(request.event)
            elif isinstance(request, ActRequest):
                self._acts.append((request.number, answer))
                events.append(request.event)
            else:
                events.append(request)
        return events

    def settle(self, refused: str) -> None:
        """Answer the oldest act that ``take`` has returned and that is not answered yet.

        *refused* is the reason why the table refused the act, or empty.
        """
        number, answer = self._acts.popleft()
        _send(answer, number, not refused, refused)

    def note_question(self, notice: Notice | None) -> None:
        """Remember *notice*, with which the table shows the newest question."""
        self._notice = notice

    def check_question(self, shown: Notice | None) -> None:
        """Answer the open question with no if it is about a phone and is not on the display.

        *shown* is the notice on the display.
        """
        if self._asked is None or shown is self._notice:
            return
        if isinstance(self._asked[0].event, PhoneRequested):
            self._reply(is_yes=False)

    def unanswering(self, events: Sequence[ControlEvent]) -> Sequence[Event]:
        """Return *events* without the press that answers the open question, if there is one."""
        if self._asked is None or not events:
            return events
        return tuple(self._without_answer(events))

    def _without_answer(self, events: Iterable[ControlEvent]) -> Iterable[Event]:
        for event in events:
            asked = None if self._asked is None else self._asked[0].event
            if asked is not None and isinstance(event, Pressed):
                is_yes = event.button == OK
                self._reply(is_yes=is_yes, text="" if is_yes else "refused")
                # Either removes the question from the display.
                if is_yes and isinstance(asked, PhoneRequested):
                    yield PhoneLetIn(asked.player)
                else:
                    yield Turned(0)
            elif not (isinstance(asked, PhoneRequested) and isinstance(event, Turned)):
                yield event  # a turn of the knob is no answer, and must not hide the question

    def _reply(self, *, is_yes: bool, text: str = "") -> None:
        if self._asked is None:
            return
        question, answer, _ = self._asked
        self._asked = None
        _send(answer, question.number, is_yes, text)


def _send(answer: Answer, number: int, is_yes: bool, text: str = "") -> None:
    try:
        answer(number, is_yes, text)
    except Exception:
        log.exception("The answer to a page was not sent.")
