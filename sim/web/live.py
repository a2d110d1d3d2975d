"""The emulated mat in real time: a thread that runs it, handles requests and publishes changes.

Only that thread touches the mat. Other threads queue requests and receive plain values. The chips
run on virtual time, and the thread keeps that in step with the wall clock.

If the program fails, it is restarted from its journal, as the service manager of a Pi does. If the
restart fails too, or the program soon fails again, the mat stops: pages receive a message, and
every later call fails.
"""

import logging
import secrets
import time
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, NamedTuple

from engines.common import layouts
from engines.common.contract import PLAY_SPOT, Choice, Input, Number, Press, Seat, Tap
from engines.common.layouts import ROUND, hand
from engines.common.pieces import Piece
from fakepi.picc import Picc
from firmware.boxes.games import games
from firmware.common.errors import FileFault, TapmatError
from firmware.config.table_config import TableConfig
from firmware.journal.journal import GameRecord
from firmware.outlet.events import (
    GameEnded,
    GameResumed,
    GameStarted,
    InputPlayed,
    InputUndone,
    LineSpoken,
    PlayRefused,
)
from firmware.outlet.queue import Outlet
from firmware.runtime.controller import Controller, decks_of
from firmware.runtime.inbox import Inbox
from firmware.show.qr import qr_rows
from firmware.show.view import GridView, JoinAddress, ListView, Notice, TableView, in_groups
from firmware.table.answers import RobotSeats
from firmware.table.context import TABLE
from firmware.table.events import CodeRequested, JoinRequested
from hardware.errors import HardwareFault
from hardware.ports import Turned
from sim.deal import requests
from sim.deal.deck import VirtualDeck, check_fit
from sim.deal.layout import Eyes, HandAct
from sim.deal.layouts import layout_name, layout_of
from sim.deal.seats import Seats
from sim.mat.faults import FAULTS, NONE
from sim.mat.mat import HOLD_S, CannotDo, Mat
from sim.people.person import EmulatedPerson
from sim.players.levels import styles_of
from sim.rehearsal.export import entry_text, rehearsal_text, verb_of
from sim.web.grid import grid_data, picture_of, refusal_at
from sim.web.result import result_data
from sim.web.robot_lists import robot_lists, robot_values

BEHIND_S = 0.5  # a mat that lags further behind the wall clock does not catch up
MOST_ENTRIES = 500  # of transcript and of journal, sent to a page that connects
SOON_S = 60.0  # a program that fails twice within this time is not restarted
USES_CONTROLS = (
    requests.HoldButton,
    requests.ChooseItem,
    requests.ChoosePlace,
    requests.ReportFall,
)
NOT_SAVED = "not-saved"  # the refusal code for a play that could not be saved
PATIENCE_S = 10.0  # how long stop() waits for the mat's answer

log = logging.getLogger(__name__)

Changes = dict[str, Any]
# ("state", changes), ("said", entries), ("journal", entries), ("failed", text), ("stopped", text)
Listener = Callable[[str, Any], None]


NO_PAGE = 0  # the number of no page: pages count from 1


class Traces(NamedTuple):
    """Counts and a notice of the mat. They change if a part of the state may have changed."""

    events: int  # of the outlet
    at_mat: Notice | None  # for people at the mat alone; no event of the outlet reports it
    join: JoinAddress | None  # the companion's address
    bus_bits: int  # on the display's bus
    pin_changes: int  # of lamps, buzzer and all other pins


class MatStopped(TapmatError):
    """The thread that runs the mat has ended, so the mat accepts no more requests."""

    exit_code = 1


class LiveMat:
    """An emulated mat that runs in a separate thread until ``stop()``.

    ``state`` is everything that pages show, and ``shown``: the deal in each page in which a player
    has asked to see their hand, by the page's number. ``said`` and ``journal`` are the last entries
    of the transcript of announcements and of the journal. All are JSON values.

    Args:
        config: the table's configuration.
        folder: the state folder.
        listen: called in the mat's thread with each piece of news (see ``Listener``).
        is_blank: start without enrolled cards.
    """

    def __init__(
        self, config: TableConfig, folder: Path, listen: Listener, *, is_blank: bool = False
    ) -> None:
        self.said: list[Changes] = []
        self.journal: list[Changes] = []
        self.state: Changes = {}
        self.config = config
        self._mat = Mat(config, folder, is_blank=is_blank)
        self._person = EmulatedPerson(self._mat, decks_of(config))
        self._listen = listen
        self._acts: SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = SimpleQueue()
        self._gate = Lock()  # so that no act is queued after the thread has ended
        self._asked: Future[bool] | None = None  # the open question whether a page may join
        self._stopped: MatStopped | None = None  # why the thread has ended
        self.failure: MatStopped | None = None  # the same, unless stop() ended it
        self._failed_s = -SOON_S  # the time of the last failure, by time.monotonic()
        self._thread = Thread(target=self._run, name="mat", daemon=True)
        self._is_stopping = False
        self._cards: dict[Picc, str] = {}  # the pages' name for each sticker on the mat
        self._faults: dict[tuple[str, str], None] = {}
        self._moved_s: dict[str, float] = {}  # the time of each button's last edge
        self._deck = VirtualDeck(folder / "deal.json")
        self._seats = Seats(config, self._deck)
        self._is_touched = True  # people have acted since the last look at the table
        self._looked = Traces(0, None, None, 0, 0)  # at the last look
        self._page = NO_PAGE  # the number of the page whose request is carried out
        self._seq = self._entries = self._outlet_seq = 0  # the last ones published
        self._read_of: Controller | None = None  # the program whose old entries were published
        self._groups: dict[int, dict[int, LineSpoken]] = {}  # lines of the transcript by event
        self._spoken_game: int | None = None  # the number of the game that the next lines are of
        self._is_start = False  # True before the first play of that game
        # These for each event, with the number of the round between them.
        self._group_times: dict[int, tuple[int | None, int, bool]] = {}
        self._names: tuple[str, ...] = ()  # of the players in the last published game
        self._is_again = False  # True if the game before it had the same players
        self._is_dealt_next = False  # True if a phone has started the game, and it is not dealt yet
        self._seated_next: tuple[str, ...] = ()  # who plays in that game, if the phone says so
        self._result_seen: tuple[object, Changes | None] = (None, None)
        self._plays_seen: tuple[object, int] = (None, 0)
        self._grid_seen: tuple[GridView | None, Changes | None] = (None, None)
        self._handlers: Mapping[type, Callable[[Any], Any]] = {
            requests.Lay: self._lay,
            requests.Lift: self._lift,
            requests.HoldButton: self._hold,
            requests.ReleaseButton: lambda request: self._move_finger(
                request.button, self._mat.release
            ),
            requests.TurnEncoder: lambda request: self._mat.turn(request.steps),
            requests.ChoosePlace: self._choose_place,
            requests.RockTilt: lambda request: self._mat.tilt(),
            requests.SetPower: self._power,
            requests.SetFault: self._fault,
            requests.DealCards: self._deal,
            requests.BeginGame: self._begin_game,
            requests.GatherCards: lambda request: self._deck.gather(),
            HandAct: self._deck.do_by_hand,
            requests.ReportFall: self._report_fall,
            requests.ChooseItem: self._choose,
            requests.TakeBack: self._take_back,
            requests.ShowHand: self._show,
            requests.CoverHand: lambda request: self._deck.cover(self._page),
            requests.SeatRobot: self._robot,
            requests.ChooseLanguage: lambda request: self._person.choose_language(request.code),
            requests.Export: self._export,
            requests.Picture: self._picture,
        }

    # --- for other threads ---

    @property
    def outlet(self) -> Outlet:
        """The events and the public state of the table, for any thread to read."""
        return self._mat.outlet

    @property
    def inbox(self) -> Inbox:
        """The requests of other programs to the table."""
        return self._mat.inbox

    def start(self, game: str | None = None, robots: int = 0) -> Future[None]:
        """Switch the mat on; if no game is in progress, start *game* and deal it.

        The game is for two players, or for one person and *robots* robots in the last seats. If
        none of its cards is enrolled yet, enrolling starts instead.

        Returns:
            A future that is done when the mat is ready. It fails with a TapmatError if
            configuration, decks or state folder cannot be used, or there is no such game.
        """
        self._thread.start()
        return self._call(lambda: self._begin(game, robots))

    def stop(self) -> None:
        """Switch the mat off and end its thread.

        Raises:
            MatStopped: the mat had stopped by itself, or does not answer.
        """
        try:
            self._call(self._close).result(PATIENCE_S)
        except TimeoutError:
            found = f"The table did not answer within {PATIENCE_S:.0f} seconds. "
            remedy = "It was not shut down properly and stops when the program ends."
            raise MatStopped(found + remedy) from None
        self._thread.join(PATIENCE_S)

    def do(self, request: requests.Request, page: int = NO_PAGE) -> Future[Any]:
        """Queue *request* of a page, given by its number.

        Returns:
            A future that holds the answer, or the error that prevented it.
        """
        return self._call(
            lambda: None if self._is_answer(request) else self._handle_from_page(request, page)
        )

    def forget(self, page: int) -> None:
        """Forget which hand was face up in a page that has disconnected."""
        self._call(lambda: self._deck.cover(page))

    def ask_people(self, address: str) -> Future[bool]:
        """Ask at the mat whether a page at *address* may join.

        An older question gets the answer no.

        Returns:
            A future that is done when a button is pressed: True for OK, False for any other.
        """
        asked: Future[bool] = Future()

        def ask() -> None:
            if self._asked is not None and not self._asked.done():
                self._asked.set_result(False)
            self._asked = asked
            self._mat.tell(JoinRequested(address))

        self._call(ask)
        return asked

    def show_code(self, code: str) -> None:
        """Show a pairing code on the display."""
        self._call(lambda: self._mat.tell(CodeRequested(code)))

    def _call(self, act: Callable[[], Any]) -> Future[Any]:
        done: Future[Any] = Future()
        with self._gate:
            if self._stopped is None:
                self._acts.put((act, done))
            else:
                done.set_exception(self._stopped)
        return done

    # --- the mat's thread ---

    def _run(self) -> None:
        why = MatStopped("The table was switched off.")
        try:
            while not self._is_stopping:
                try:
                    self._passes()
                except Exception as error:
                    self._start_again(error)
        except BaseException as error:
            self.failure = why = MatStopped(f"The table has stopped. {_describe_error(error)}")
            log.critical("The virtual table has stopped.", exc_info=error)
            self._listen("stopped", str(why))
            with suppress(Exception):
                self._mat.power_cut()  # releases its files
        finally:
            self._refuse_all(why)

    def _refuse_all(self, why: MatStopped) -> None:
        """Fail all queued acts, and all later ones, with *why*."""
        with self._gate:
            self._stopped = why
        with suppress(Empty):
            while True:
                _act, done = self._acts.get_nowait()
                if done.set_running_or_notify_cancel():
                    done.set_exception(why)

    def _start_again(self, error: Exception) -> None:
        """Restart the program after *error*, or raise *error* if it failed recently.

        A restart also repairs a damaged journal.
        """
        now_s = time.monotonic()
        if not self._mat.is_on or now_s - self._failed_s < SOON_S:
            raise error
        self._failed_s = now_s
        log.error("The program has failed and is started again.", exc_info=error)
        self._is_touched = True
        self._mat.power_cut()
        self._mat.power_on()
        self._seq = max((entry.seq for entry in self._mat.running.journal.entries()), default=0)
        found = _describe_error(error)
        if isinstance(error, FileFault):
            found = found.removesuffix(error.remedy)  # usually the advice to restart
        self._listen("failed", f"Something failed, so the table was restarted. {found}".strip())

    def _begin(self, game: str | None, robots: int) -> None:
        self._handle(requests.SetPower(is_on=True))
        self._publish()  # gives the first page a state
        if game is None or self._record() is not None:
            return
        if not self._mat.running.register.boxes(game):
            self._mat.enrol(game)
            return
        self._handle(requests.DealCards(game, max(robots + 1, 2), is_hot_seat=True))
        self._publish()
        for seat in range(2, robots + 2):
            self._handle(requests.SeatRobot(seat, styles_of(game)[0]))

    def _close(self) -> None:
        self._is_stopping = True
        self._mat.close()

    def _passes(self) -> None:
        clock = self._mat.board.clock
        lead_s = clock.now() - time.monotonic()
        while not self._is_stopping:
            self._pass()
            ahead_s = clock.now() - time.monotonic() - lead_s
            if self._act(max(ahead_s, 0.0)) or ahead_s < -BEHIND_S:
                # Requests have advanced the virtual clock; compare the clocks from here on.
                lead_s = clock.now() - time.monotonic()

    def _pass(self) -> None:
        """Run the mat's loop once, publish changes, and let robots play."""
        self._mat.step()
        self._publish()
        self._deal_for_phone()
        self._answer_by_sight()
        self._play_robots()

    def _act(self, wait_s: float) -> bool:
        """Handle one queued act, waiting up to *wait_s* for it; return True if there was one."""
        try:
            act, done = self._acts.get(timeout=wait_s) if wait_s else self._acts.get_nowait()
        except Empty:
            return False
        if not done.set_running_or_notify_cancel():
            return True  # the caller has cancelled it
        try:
            answer = act()
        except Exception as error:  # raised to the caller; the mat runs on
            done.set_exception(error)
        except BaseException as error:  # ends the thread, which its caller must not wait for
            done.set_exception(MatStopped(f"The table has stopped. {_describe_error(error)}"))
            raise
        else:
            done.set_result(answer)
        return True

    def _answer_by_sight(self) -> None:
        """Answer what no person has to: what lies there, which a page shows, or thanks.

        A player who plays with robots alone has said thank you, because nobody could judge it.
        """
        view = self._mat.view if self._mat.is_on else None
        if view is None or view.phase not in (layouts.LOOK, layouts.THANKS):
            return
        if view.turn in self._deck.robots:
            return
        record, given = self._updated_record(), self._deck.sight
        is_decided = self._deck.is_alone and self._deck.is_decided
        if view.phase == layouts.THANKS and view.choices is not None and is_decided:
            given = Choice(view.choices.usual)
        if record is None or given is None:
            return
        try:
            self._give(given, record.start.game, is_rocking=False)
        except CannotDo as error:
            log.info("The table does not take what the page shows: %s", error)

    def _play_robots(self) -> None:
        """Carry out the robots' requests. Log requests that fail; robots may repeat them."""
        is_on = self._mat.is_on
        record, view = (self._record(), self._mat.view) if is_on else (None, None)
        was_acting = self._seats.is_acting
        for request in self._seats.step(self._mat.board.clock.now(), record, view):
            try:
                self._handle(request)
            except (CannotDo, TapmatError, HardwareFault) as error:
                log.info("A robot cannot do that: %s", error)
        if self._seats.is_acting != was_acting:
            self._is_touched = True  # pages show whether people must play for a robot

    def _publish(self) -> None:
        """Tell the listener which state, speech and journal entries are new since the last call."""
        state = self._look()
        if state:
            changes = {key: value for key, value in state.items() if self.state.get(key) != value}
            self.state = {**self.state, **state}
            if changes:
                self._listen("state", changes)
        said, journal = self._news()
        self._tell("said", self.said, said)
        self._tell("journal", self.journal, journal)

    def _tell(self, kind: str, kept: list[Changes], new: list[Changes]) -> None:
        if new:
            by_number = {entry["n"]: entry for entry in (*kept, *new)}
            kept[:] = list(by_number.values())[-MOST_ENTRIES:]
            self._listen(kind, new)

    # --- acts ---

    def _handle(self, request: requests.Request) -> Any:
        """Carry out *request* and return the answer.

        The next ``_publish`` looks at everything, because the outlet does not report people's acts.
        """
        try:
            return self._handlers[type(request)](request)
        finally:
            self._is_touched = True

    def _handle_from_page(self, request: requests.Request, page: int = NO_PAGE) -> Any:
        """Carry out a request of *page*.

        A robot that holds a button releases it first; one whose tile is wanted lifts it.
        """
        if isinstance(request, USES_CONTROLS):
            self._interrupt(self._seats.release())
        if isinstance(request, requests.Lay) and {*request.tags} & {*self._tags_on(request.spot)}:
            self._interrupt(self._seats.interrupt())
        self._page = page
        return self._handle(request)

    def _interrupt(self, end: requests.Request | None) -> None:
        """Carry out *end*, which ends a robot's present action, and wait for its effect.

        None means that there is no such action.
        """
        if end is None:
            return
        with suppress(CannotDo):  # the plug may have been pulled, or the card taken away
            self._handle(end)
        self._mat.wait(HOLD_S)

    def _lay(self, request: requests.Lay) -> None:
        here = self._tags_on(request.spot)
        for tag in request.tags:
            if tag in here:
                raise CannotDo("That card is already on the reader", "Lift it first")
        self._mat.lay([self._picc(tag, request.spot) for tag in request.tags], request.spot)

    def _lift(self, request: requests.Lift) -> None:
        here = self._tags_on(request.spot)
        for tag in request.tags:
            if tag not in here:
                raise CannotDo(f"{tag} is not on {request.spot}", "Lay it first")
        self._mat.lift([here[tag] for tag in request.tags], request.spot)

    def _tags_on(self, spot: str) -> dict[str, Picc]:
        """Return the stickers on *spot* by the names that pages use for them."""
        return {self._cards[picc]: picc for picc in self._mat.tags_on(spot)}

    def _picc(self, card: str, spot: str) -> Picc:
        """Return the sticker that pages call *card*, if it can be laid on *spot*."""
        game, tag = self._deck.piece_of(card)
        deal = self.state.get("deal")
        if deal is not None and game and game == deal["game"] and isinstance(tag, Piece):
            tag = self._person.card_of(game, tag)  # a dealt piece is the card enrolled as it
        picc = self._person.picc(tag, "lay", spot, game)
        self._cards[picc] = card
        return picc

    def _is_answer(self, request: requests.Request) -> bool:
        """Answer the mat's question whether a page may join, if *request* presses a button.

        Return True if it did. Robots' presses do not come here.
        """
        if (
            self._asked is None
            or self._asked.done()
            or not isinstance(request, requests.HoldButton)
        ):
            return False
        self._asked.set_result(request.button == "ok")
        self._mat.tell(Turned(0))  # removes the question from the display
        return True

    def _hold(self, request: requests.HoldButton) -> None:
        self._await_finger(request.button)
        if not self._is_late(request.inputs):
            self._move_finger(request.button, self._mat.hold)

    def _choose(self, request: requests.ChooseItem) -> None:
        if not self._is_late(request.inputs):
            self._person.choose(request.value)

    def _is_late(self, seen: int | None) -> bool:
        """Return True if a page that saw *seen* inputs did not see the present question.

        Two quick taps, or two pages at once, answer only the question that they were shown.
        """
        return seen is not None and seen != _inputs_in(self._record())

    def _move_finger(self, button: str, move: Callable[[str], None]) -> None:
        """Press or release *button*, at least ``HOLD_S`` seconds after its last press or release.

        Clicks can be shorter than that, and several arrive at once after a network delay. The table
        would treat these as one bouncing contact.
        """
        self._await_finger(button)
        move(button)
        self._moved_s[button] = self._mat.board.clock.now()

    def _await_finger(self, button: str) -> None:
        """Wait until ``HOLD_S`` seconds after the last press or release of *button*."""
        now_s = self._mat.board.clock.now()
        self._mat.wait(self._moved_s.get(button, now_s - HOLD_S) + HOLD_S - now_s)

    def _choose_place(self, request: requests.ChoosePlace) -> None:
        """Turn to a place of the map and press OK; raise CannotDo if the rules refuse the place."""
        record, grid = self._record(), self._mat.view.grid
        if (
            record is not None
            and grid is not None
            and grid.places
            and request.at not in grid.places
        ):
            error = refusal_at(games()[record.start.game], record, request.at)
            if error is not None:
                words = self._mat.running.table.context.words[record.start.game]
                why = words.refusal(error, record.start.names)
                raise CannotDo(why.happened.rstrip("."), why.do.rstrip("."), why.rule)
        self._person.choose(str(request.at))

    def _report_fall(self, request: requests.ReportFall) -> None:
        """Tell the referee which pieces fell: rock the ship, and answer each question.

        Raises:
            CannotDo: nothing has fallen, or the table does not accept an answer.
        """
        record = self._updated_record()
        if record is None or self._deck.report is None:
            raise CannotDo("nothing has fallen", "Load a piece first")
        while record is not None and (given := self._deck.report) is not None:
            self._give(given, record.start.game, is_rocking=self._mat.view.phase == layouts.LOAD)
            before, record = record, self._updated_record()
            if record == before:
                raise CannotDo("the table did not accept that", "Look at the mat, then try again")

    def _updated_record(self) -> GameRecord | None:
        record = self._record()
        self._deck.update(record)
        return record

    def _give(self, given: Input, game: str, *, is_rocking: bool) -> None:
        """Give an input as a person at the mat does.

        If *is_rocking* is True, the tilt switch gives it.
        """
        match given:
            case Press() if is_rocking and self.config.tilt_pin is not None:
                self._mat.tilt()
            case Press(button):
                self._person.press(button.value)
            case Tap(piece):
                self._person.move("tap", [self._person.card_of(game, piece)], PLAY_SPOT, game)
            case Number(value):
                self._person.choose(str(value))
            case Choice(name):
                self._person.choose(name)

    def _power(self, request: requests.SetPower) -> None:
        (self._mat.power_on if request.is_on else self._mat.power_cut)()

    def _fault(self, request: requests.SetFault) -> None:
        self._mat.fault(request.name, request.part)
        if request.name == NONE:
            self._faults = {key: None for key in self._faults if key[1] != request.part}
        elif FAULTS[request.name].lasts:
            self._faults[request.name, request.part] = None

    def _deal(self, request: requests.DealCards) -> None:
        """Start the game if none is in progress, and deal it a shuffled deck.

        The pieces of a game without a layout stay in the tray.

        Raises:
            CannotDo: another game is in progress, or this one does not fit its layout.
        """
        if self._record() is None:
            self._person.begin(request.game, request.players)
        record = self._record()
        if record is None or record.start.game != request.game:
            raise CannotDo(
                "another game is in progress",
                "End it at the mat first: press OK, then choose End this game",
            )
        if layout_name(request.game):
            self._deal_deck(record, is_hot_seat=request.is_hot_seat)

    def _begin_game(self, request: requests.BeginGame) -> None:
        """End the game in progress, start another, deal it and seat its robots.

        Raises:
            CannotDo: the table does not offer one of the settings. In that case, nothing has
                changed.
        """
        self._person.check(request.game, request.names, None, request.options)
        if not self._mat.running.register.boxes(request.game):
            found = f"the cards of {games()[request.game].name} are not enrolled"
            raise CannotDo(found, "Enrol them first: press OK, then choose Stickers")
        self._interrupt(self._seats.interrupt())
        self._person.end_game()
        self._person.start(
            request.game, request.names, None, request.options, is_lesson=request.is_lesson
        )
        record = self._record()
        if record is None or not layout_name(request.game):
            return
        self._deal_deck(
            record,
            is_hot_seat=True,
            hands_over=request.hands_over,
            is_quick=request.is_quick,
            robots=request.robots,
        )

    def _deal_deck(
        self,
        record: GameRecord,
        *,
        is_hot_seat: bool,
        hands_over: bool = False,
        is_quick: bool = False,
        keeps_robots: bool = False,
        robots: Sequence[str | None] = (),
    ) -> None:
        """Deal *record*, with a robot of a style in each seat of *robots* that names one."""
        check_fit(record)
        for spot in self._mat.board.readers:  # take cards off the mat, to shuffle them too
            self._mat.lift(self._mat.tags_on(spot), spot)
        seed = secrets.randbits(32)
        self._deck.deal(
            *(record, seed, is_hot_seat, is_quick),
            hands_over=hands_over,
            keeps_robots=keeps_robots,
        )
        self._deck.update(record)
        for seat, style in enumerate(robots):
            if style:
                self._deck.seat(seat, style)

    def _deal_for_phone(self) -> None:
        """Deal the game that the host's phone has started, as if a page had started it.

        Robots sit as the phone says. In a rematch, those of the game before keep their seats.
        """
        is_next, self._is_dealt_next = self._is_dealt_next, False
        seated, self._seated_next = self._seated_next, ()
        record = self._record() if is_next and self._mat.is_on else None
        if record is None or not layout_name(record.start.game):
            return
        self._interrupt(self._seats.interrupt())
        try:
            keeps_robots = self._is_again and not seated
            self._deal_deck(record, is_hot_seat=True, keeps_robots=keeps_robots, robots=seated)
        except CannotDo as error:  # the cards stay in the tray, as after a start at the mat
            log.info("The game of a phone is not dealt: %s", error)
        self._is_touched = True

    def _take_back(self, request: requests.TakeBack) -> None:
        """Press back until the last play by a person, and all robots' plays after it, are undone.

        If a list lies over the game, the first press closes it, and nothing is undone. If the
        person has done something by hand since that play, such as choosing a piece of cargo, only
        that is undone.

        Raises:
            CannotDo: no person has played yet, or the inputs cannot be undone.
        """
        self._interrupt(self._seats.interrupt())
        self._deck.cover_others(self._mat.view)  # who presses is not who has played
        record = self._updated_record()
        if self._deck.take_back_by_hand(self._mat.view.turn):
            return
        own = self._inputs_before_last_play(record)
        if record is None or own is None:
            raise CannotDo("no one has played on this page yet", "Play first")
        for left in range(len(record.inputs), own, -1):
            self._person.press("back")
            now = self._record()
            if now is None or len(now.inputs) != left - 1:
                return

    def _inputs_before_last_play(self, record: GameRecord | None) -> int | None:
        """Return the number of inputs before the play that *take back* would undo, or None."""
        self._deck.update(record)
        if record is None:
            return None
        if self._deck.decided is None:  # without virtual cards, people play in all seats
            return len(record.inputs) - 1 if record.inputs else None
        return self._deck.inputs_before_last_play

    def _show(self, request: requests.ShowHand) -> None:
        self._deck.show(Seat(request.seat - 1), self._mat.view, self._page)

    def _robot(self, request: requests.SeatRobot) -> None:
        self._deck.seat(request.seat - 1, request.style)

    def _export(self, request: requests.Export) -> str:
        journal = self._mat.running.journal
        record = journal.open_game()
        if record is None:
            raise CannotDo("no game is in progress", "Start a game, then export it")
        entries = journal.entries(record.number)
        return rehearsal_text(record.start, entries, self._mat.view, self.config.settings.language)

    def _picture(self, request: requests.Picture) -> str:
        grid = self._mat.view.grid
        if grid is None:
            raise CannotDo("this game has no map", "Start a game that has one")
        return b64encode(picture_of(grid.board)).decode()

    def _record(self) -> GameRecord | None:
        return self._mat.running.journal.open_game()

    # --- the state that pages show ---

    def _look(self) -> Changes:
        """Return the parts of the state that may have changed since the last call, as JSON values.

        After a person's act, these are all parts. Otherwise, the view and the deal may have changed
        after an event of the outlet, and the chips' output after signals on their wires. An LED
        strip changes no pin, so its lamps are read each time.
        """
        board = self._mat.board
        before, self._looked = (
            self._looked,
            Traces(
                self._mat.outlet.last,
                self._told_at_mat(),
                self._join_address(),
                board.i2c_bus.bits,
                board.pin_changes,
            ),
        )
        is_touched, self._is_touched = self._is_touched, False
        state = self._hands_data() if is_touched else {}
        told = self._looked.events, self._looked.at_mat
        if is_touched or told != (before.events, before.at_mat):
            is_on = self._mat.is_on
            state["language"] = self._language()
            state["view"] = self._view() if is_on else None
            state["deal"] = self._deal_data() if is_on else None
            asking = self._deck.asking_pages if is_on else ()
            state["shown"] = {page: self._page_deal(page) for page in sorted(asking)}
        if is_touched or self._looked.join != before.join:
            state["join"] = self._join_data()
        if is_touched or self._looked.bus_bits != before.bus_bits:
            state["oled"] = self._display_data()
        has_pin_changed = is_touched or self._looked.pin_changes != before.pin_changes
        if has_pin_changed or self._mat.config.strip is not None:
            state["lamps"] = {name: self._lamp_data(name) for name in self._mat.config.lamps}
        if has_pin_changed:
            state["tone"] = self._mat.tone
        return state

    def _told_at_mat(self) -> Notice | None:
        """Return the notice for people at the mat alone, if there is one."""
        notice = self._notice_or_join() if self._mat.is_on else None
        return notice if notice is not None and notice.is_at_mat else None

    def _language(self) -> str:
        """Return the table's language, or its last language if the mat is off."""
        if self._mat.is_on:
            return self._mat.running.table.settings.language
        language: str = self.state.get("language", self.config.settings.language)
        return language

    def _hands_data(self) -> Changes:
        """Return the parts of the state that only requests change: power, pieces and faults."""
        return {
            "power": self._mat.is_on,
            "lying": {
                spot: [self._cards[picc] for picc in reader.field.piccs]
                for spot, reader in self._mat.board.readers.items()
            },
            "faults": [{"name": name, "part": part} for name, part in self._faults],
        }

    def _lamp_data(self, name: str) -> Changes:
        """Return the brightness of a lamp, from 0 to 1, and the colour of a lit lamp on a strip.

        The colour is the one at full brightness, as ``#rrggbb``.
        """
        level, colour = self._mat.lamp(name), self._mat.lamp_colour(name)
        if colour is None:
            return {"level": level}
        full = (round(255 * part / max(colour)) for part in colour)
        return {"level": level, "colour": "#" + bytes(full).hex()}

    def _display_data(self) -> Changes | None:
        """Return the display's pixels and settings, or None without a display."""
        chip = self._mat.board.display
        if chip is None:
            return None
        registers = chip.registers
        return {
            "on": chip.is_lit,
            "inverted": registers.is_inverted,
            "contrast": registers.contrast,
            "rows": b64encode(self._mat.pixels.tobytes()).decode(),
        }

    def _join_address(self) -> JoinAddress | None:
        """Return the companion's address; None while the mat is off or there is no companion."""
        return self._mat.running.table.context.companion.address if self._mat.is_on else None

    def _join_data(self) -> Changes | None:
        address = self._join_address()
        if address is None:
            return None
        rows = qr_rows(address.url) if address.url else ()
        return {
            "place": address.place,
            "code": in_groups(address.code),
            "qr": ["".join(map(str, row)) for row in rows],
        }

    def _notice_or_join(self) -> Notice | None:
        """Return the notice, or how to join: before a game, or if the display shows that."""
        view, context = self._mat.view, self._mat.running.table.context
        address = view.join if view.names else context.companion.address
        if view.notice is not None or address is None:
            return view.notice
        facts = {"place": address.place, "code": in_groups(address.code)}
        return Notice(context.text(TABLE, "join.page", **facts), is_at_mat=True)

    def _view(self) -> Changes:
        view, record = self._mat.view, self._record()
        notice = self._notice_or_join()
        game = self._mat.running.table.enrolling_game
        if game is None and record is not None:
            game = record.start.game
        name = game if game in games() else None
        layout = None if name is None else layout_of(name)
        return {
            "game": name,
            "layout": None if layout is None else layout.name,
            "undealt": {} if layout is None else layout.undealt(Eyes(name or "", view)),
            "title": view.title,
            "headline": view.headline,
            "limit": view.limit,
            "caption": view.caption,
            "notice": None if notice is None else self._notice(notice, record),
            "ok": view.ok,
            "action": view.action,
            "isClaim": view.is_claim,
            "isVain": view.is_vain,
            "warnings": dict(view.warnings),
            "questions": dict(view.questions),
            "standsFor": view.stands_for,
            "counted": list(view.counted),
            "held": [view.counts.get(hand(Seat(seat))) for seat in range(len(view.names))],
            "number": None if record is None else record.number,
            "inputs": _inputs_in(record),
            "round": self._round,
            "plays": self._plays_to_undo(record),
            "played": self._last_play(record),
            "phase": view.phase,
            "turn": view.turn,
            "active": list(view.active),
            "isRobotsTurn": self._is_robots_turn(record, view),
            "direction": None if view.direction is None else view.direction.value,
            "names": list(view.names),
            "scores": list(view.scores),
            "scoreUnit": view.score_unit.value,
            "winners": list(view.winners),
            "result": self._result(record, view),
            "grid": self._grid(view.grid),
            "hint": view.hint,
            "page": {
                "headline": view.page_headline or view.headline,
                "caption": view.page_caption or view.caption,
                "hint": view.page_hint or view.hint,
                "action": view.page_action or view.action,
            },
            "asks": list(view.asks),
            "choices": _choices(view.choices),
        }

    def _notice(self, notice: Notice, record: GameRecord | None) -> Changes:
        """Return *notice*, with the tag of the piece that it is about, if that piece was dealt."""
        self._deck.update(record)
        happened, do = notice.page_texts
        is_dealt = record is not None and self._deck.decided is not None
        piece = notice.piece if is_dealt else None
        return {
            "happened": happened,
            "do": do,
            "rule": notice.rule,
            "isRefusal": bool(notice.code),
            "answers": list(notice.answers),
            **({} if piece is None else {"tag": self._deck.tag_of(piece)}),
        }

    def _plays_to_undo(self, record: GameRecord | None) -> int:
        """Return the number of inputs that *take back* would undo."""
        self._deck.update(record)
        seen, known = (record, self._deck.decided), self._plays_seen
        if known[0] != seen:
            own = self._inputs_before_last_play(record)
            number = 0 if own is None or record is None else len(record.inputs) - own
            self._plays_seen = known = seen, number
        return known[1]

    def _is_robots_turn(self, record: GameRecord | None, view: TableView) -> bool:
        """Return True if only robots may act now, and one of them acts or will act."""
        self._deck.update(record)
        if not view.active or not self._deck.robots.keys() >= {*view.active}:
            return False
        return self._seats.will_act(self._mat.board.clock.now(), record, view)

    def _last_play(self, record: GameRecord | None) -> Changes | None:
        """Return the last piece that was played, in words, and the number of its input."""
        play = None if record is None else self._deck.last_tap
        if play is None or record is None:
            return None
        game, names = record.start.game, record.start.names
        code = "played" if play.worth is None else "played-worth"
        text = self._mat.running.table.context.text(
            game, code, names, seat=play.seat, piece=play.piece, worth=play.worth
        )
        language = self._language()
        return {"n": play.number, "seat": play.seat, "text": text, "language": language}

    def _result(self, record: GameRecord | None, view: TableView) -> Changes | None:
        """Return the result of a finished round or game, computed again only when it changes."""
        robots, is_quick = self._deck.robots, self._deck.is_quick
        seen, shown = (record, view.winners, view.phase, robots), self._result_seen
        if shown[0] != seen:
            data = None if record is None else result_data(record, view, robots, is_quick=is_quick)
            self._result_seen = shown = seen, data
        return shown[1]

    def _grid(self, grid: GridView | None) -> Changes | None:
        """Return the game's map, converted again only when it changes."""
        if self._grid_seen[0] is not grid:
            self._grid_seen = grid, None if grid is None else grid_data(grid)
        return self._grid_seen[1]

    def _deal_data(self) -> Changes | None:
        record = self._record()
        self._deck.update(record)
        table = self._mat.running.table
        table.private.dealt_hands = {} if record is None else self._deck.hands
        table.private.fresh = frozenset() if record is None else self._deck.fresh
        table.robots = self._robot_seats(record)
        return self._page_deal()

    def _page_deal(self, page: int | None = None) -> Changes | None:
        """Return the deal as *page* may see it, or as all others may."""
        table = self._mat.running.table
        return self._deck.page_data(
            self._mat.view,
            lambda piece, seat: table.takes(Tap(piece, PLAY_SPOT, seat)),
            lambda piece, seat: table.penalty(Tap(piece, PLAY_SPOT, seat), seat),
            lambda is_drawn: table.bar(is_drawn=is_drawn),
            page,
        )

    def _robot_seats(self, record: GameRecord | None) -> RobotSeats:
        """Return the seats for robots, for the host's phone."""
        dealt = None if self._deck.decided is None else record
        return RobotSeats(
            ()
            if dealt is None
            else robot_lists(
                dealt.start.game, dealt.start.names, self._deck.robots, self._language()
            ),
            self._seat_from_phone,
            lambda: self._count_undone(dealt is not None),
            self._deck.chooser if dealt is not None else None,
            self._deck.choices,
            self._give_from_phone,
            self._deck.robots_before,
            lambda game: robot_values(game, self._language()),
            self._seat_next,
        )

    def _count_undone(self, is_dealt: bool) -> int:
        """Return how many inputs an undo at a phone takes back; robots' too in a dealt game."""
        record = self._record()
        return (
            self._plays_to_undo(record) if is_dealt else len(record.inputs[-1:] if record else ())
        )

    def _give_from_phone(self, piece: Piece) -> str:
        """Give *piece* away for the player who chooses; return why that is refused."""
        try:
            self._deck.give(piece)
        except CannotDo as error:
            return error.in_words
        self._is_touched = True
        return ""

    def _seat_next(self, who: tuple[str, ...]) -> None:
        self._seated_next = who

    def _seat_from_phone(self, seat: Seat, style: str) -> str:
        """Let a robot of *style*, or a person (""), play at *seat*; return why that is refused."""
        try:
            self._handle(requests.SeatRobot(seat + 1, style or None))
        except CannotDo as error:
            return error.in_words
        return ""

    def _news(self) -> tuple[list[Changes], list[Changes]]:
        """Return the new entries of the transcript and of the journal since the last call."""
        journal = self._old_entries()
        batch = self._mat.outlet.read(self._outlet_seq)
        self._outlet_seq = self._mat.outlet.last
        groups: dict[int, Changes] = {}
        for each in batch.events:
            at = each.at.isoformat(timespec="milliseconds")
            match each.event:
                case GameStarted(number=number) | GameResumed(number=number):
                    self._spoken_game = number
                    self._is_start = isinstance(each.event, GameStarted)
                case GameEnded():
                    self._spoken_game = None
                case InputPlayed():
                    self._is_start = False
            match each.event:
                case LineSpoken() as line:
                    groups[line.group] = self._transcribe(line)
                    game, number, is_start = self._group_times.setdefault(
                        line.group, (self._spoken_game, self._round, self._is_start)
                    )
                    groups[line.group] |= {"game": game, "round": number, "is_start": is_start}
                case PlayRefused(code, _, happened):
                    journal.append(self._entry("refused", f"{code}: {happened}", at))
                    if code == NOT_SAVED and self._mat.is_on:
                        self._insist_readable()
                case GameStarted() | InputPlayed() | InputUndone() | GameEnded() as written:
                    if written.entry > self._seq:
                        self._seq = written.entry
                        journal.append(self._entry(*self._in_words(written), at))
        return list(groups.values()), journal

    @property
    def _round(self) -> int:
        """The number of the round in progress, or 0 in a game without rounds."""
        return self._mat.view.counts.get(ROUND, 0) if self._mat.is_on else 0

    def _insist_readable(self) -> None:
        """Read the journal after a failed save.

        If the journal is damaged, this raises an error, which restarts the program.
        """
        for _ in self._mat.running.journal.entries(after=self._seq):
            pass

    def _in_words(
        self, written: GameStarted | InputPlayed | InputUndone | GameEnded
    ) -> tuple[str, str]:
        """Return the kind and the text of the journal entry that *written* reports."""
        match written:
            case GameStarted(game=game, names=names, phone=phone):
                self._is_again = names == self._names
                self._names = names
                self._is_dealt_next = phone is not None
                return "start", f"{game}: {', '.join(names)}"
            case InputPlayed(input=given):
                return "input", verb_of(given, self._names)
            case InputUndone():
                return "undo", "undo"
            case GameEnded(how=how):
                return "end", how

    def _transcribe(self, spoken: LineSpoken) -> Changes:
        """Add *spoken* to its event in the transcript; return all lines of that event so far."""
        group = self._groups.setdefault(spoken.group, {})
        group[spoken.line] = spoken
        if len(self._groups) > MOST_ENTRIES:
            oldest = next(iter(self._groups))
            del self._groups[oldest]
            self._group_times.pop(oldest, None)
        return _event([group[line] for line in sorted(group)])

    def _old_entries(self) -> list[Changes]:
        """Return the journal entries that are older than the program's start.

        They are read only once for each start.
        """
        if not self._mat.is_on or self._mat.controller is self._read_of:
            return []
        self._read_of = self._mat.controller
        new = []
        for entry in self._mat.running.journal.entries(after=self._seq):
            self._seq = entry.seq
            new.append(self._entry(entry.kind, entry_text(entry, self._names), entry.at))
            if entry.kind == "start":
                self._names = tuple(entry.body["names"])
        return new

    def _entry(self, kind: str, text: str, at: str) -> Changes:
        self._entries += 1
        return {"n": self._entries, "at": at, "kind": kind, "text": text}


def _inputs_in(record: GameRecord | None) -> int:
    """Return the number of inputs of the game in progress; 0 without one."""
    return 0 if record is None else len(record.inputs)


def _describe_error(error: BaseException) -> str:
    """Return *error* in words, with its class if it is a bug in tapmat."""
    if isinstance(error, TapmatError | HardwareFault):
        return str(error)
    kind = type(error).__name__
    return f"This is an error in tapmat ({kind}: {error}). Every accepted play is saved."


def _event(lines: Sequence[LineSpoken]) -> Changes:
    """Return the *lines* announced for one event at the table, as JSON values for pages.

    Each line has its ``fate``, its outcome so far: waiting, speaking, said, interrupted or dropped.
    """
    return {
        "n": lines[0].group,
        "at": round(lines[0].at_s, 2),
        "language": lines[0].language,
        "lines": [
            {
                "topic": line.topic.value,
                "text": line.text,
                "fate": line.fate.value,
                "why": line.why,
            }
            for line in lines
        ],
    }


def _choices(choices: ListView | None) -> Changes | None:
    """Return the open list: for each item, its ``choose`` value and its words."""
    if choices is None:
        return None
    items = zip(choices.values, choices.on_page or choices.items, strict=True)
    texts = [list(item) for item in items]
    return {"prompt": choices.prompt, "items": texts, "usual": choices.usual}
