"""Robots in seats of the virtual table: they send the same requests as a page.

Robots do not touch the mat. They choose an act from the journal, the table's view and the places of
the pieces. When any of these changes, they choose again. So undo, power cuts and people who act for
a robot need no separate code.
"""

import logging
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from engines.common import layouts
from engines.common.contract import (
    PLAY_SPOT,
    SEAT_SPOTS,
    Choice,
    Input,
    Number,
    PlaceChoice,
    Press,
    SeatChoice,
    Tap,
)
from firmware.boxes.decks import COMMAND_CARDS
from firmware.config.table_config import TableConfig
from firmware.journal.journal import GameRecord
from firmware.show.view import TableView
from firmware.table.announcements import ROUND_OVER
from sim.deal import requests
from sim.deal.deck import DealRecord, VirtualDeck
from sim.deal.layout import COUNTING, TOGETHER
from sim.players.levels import find_style
from sim.robots.contract import Give, RobotAct
from sim.robots.games import robots_of

THINKS_S = 1.5  # before an act: time for people to see and hear the act before it
READS_S = 4.0  # before a button press, which may clear the display
COUNTDOWN_S = 2.1  # at the beginning of a race, which pages count down (static/race.js)
YIELDS_S = 6.0  # lets people go first: to undo more, to join in, or to win a race
LESSON_S = 4.0  # longer, after a lesson in a game that is played to learn it: time to read it
LIES_S = 0.8  # how long a tapped piece stays on the spot
HAND_S = 3.0  # before a hand is counted: time to read what has happened, and the last hand's points
COUNTS_S = 0.5  # before the next piece of that hand: nobody has to react to it
SHOWS_S = 0.25  # how long that piece stays on the spot
TOGETHER_S = 0.2  # before a card that all players show: the robots' cards come almost together
QUICK = 0.2  # the share of these times for robots that play quickly
PRESSES_S = 0.2  # how long a button stays down
TRIES_S = 5.0  # until an act without effect is tried again, as when a reader has failed
TRIES = 3  # after that many, people must play for the robot, unless something changes

log = logging.getLogger(__name__)


class TimedRequest(NamedTuple):
    """A request, and the request that ends it after *lasts_s* seconds, if one is needed."""

    begin: requests.Request
    end: requests.Request | None = None
    lasts_s: float = 0.0


class Intention(NamedTuple):
    """A robot's next act, *doing*, which is due in *pause_s* seconds if nothing changes.

    If *is_last*, the acts of other robots come first.
    """

    is_last: bool
    pause_s: float
    doing: TimedRequest


class Situation(NamedTuple):
    """Everything a robot's decision depends on. Robots decide again when it changes."""

    record: GameRecord
    decided: DealRecord | None  # the robots' seats, and the acts by hand
    phase: str
    values: tuple[str, ...]  # of the open list
    fault: str

    def is_before(self, other: "Situation") -> bool:
        """Return True if this is the game of *other* with fewer inputs, that is, after an undo."""
        mine, theirs = self.record, other.record
        return mine.number == theirs.number and len(mine.inputs) < len(theirs.inputs)

    def differs_by_hand(self, other: "Situation") -> bool:
        """Return True if only acts differ that the mat cannot sense, such as a chosen gift."""
        return self != other == self._replace(decided=other.decided)


class Seats:
    """The robots at the table of *config*, in the seats that *deck* gives them."""

    def __init__(self, config: TableConfig, deck: VirtualDeck) -> None:
        self._spots = {reader.spot for reader in config.readers}
        self._buttons = () if config.controls is None else tuple(config.controls.buttons)
        self._deck = deck
        self._situation: Situation | None = None
        self._racers: frozenset[int] = frozenset()  # the seats in the race in progress
        self._doing: TimedRequest | None = None  # the next request
        self._due_s = 0.0
        self._tries = 0
        self._ending: tuple[requests.Request, float] | None = None  # ends the last one, and when

    def step(
        self, now_s: float, record: GameRecord | None, view: TableView | None
    ) -> Iterator[requests.Request]:
        """Yield the robots' requests that are due at *now_s*.

        *record* is the game in progress and *view* the table's current view. *record* is None if no
        game is in progress; both are None if the mat is off.
        """
        if self._ending is not None:
            end, until_s = self._ending
            if now_s < until_s:
                return
            self._ending = None
            yield end
        self._look(now_s, record, view)
        if self._doing is None or now_s < self._due_s:
            return
        if self._tries == TRIES:
            self._doing = None  # people must play for this robot
            return
        self._tries += 1
        self._due_s = now_s + TRIES_S
        if self._doing.end is not None:
            lasts_s = max(self._doing.lasts_s * self._pace, PRESSES_S)
            self._ending = self._doing.end, now_s + lasts_s
        yield self._doing.begin

    def will_act(self, now_s: float, record: GameRecord | None, view: TableView | None) -> bool:
        """Return True if a robot acts now, or will act if nothing changes.

        If not, only people can play on. The arguments are those of ``step``.
        """
        if self._ending is None:
            self._look(now_s, record, view)
        return self.is_acting

    @property
    def is_acting(self) -> bool:
        """True if a robot acted or planned its next act at the last call of ``step``."""
        return self._ending is not None or self._doing is not None

    def interrupt(self) -> requests.Request | None:
        """Return the request that ends a robot's present action; None if no robot acts.

        The request lifts the piece that a robot has laid, or releases the button that it holds. The
        caller must carry it out, because it is returned only once.
        """
        end = None if self._ending is None else self._ending[0]
        self._ending = None
        return end

    def release(self) -> requests.Request | None:
        """Return the request that releases the button that a robot holds; None if it holds none.

        The caller must carry it out, because it is returned only once.
        """
        end = None if self._ending is None else self._ending[0]
        if not isinstance(end, requests.ReleaseButton):
            return None
        self._ending = None
        return end

    @property
    def _pace(self) -> float:
        """The factor by which robots multiply their usual times."""
        return QUICK if self._deck.is_quick else 1

    def _look(self, now_s: float, record: GameRecord | None, view: TableView | None) -> None:
        """Choose the next act again if the situation has changed."""
        before, self._situation = self._situation, None
        if record is not None and view is not None:
            values = () if view.choices is None else view.choices.values
            decided = self._deck.decided
            self._situation = Situation(record, decided, view.phase, values, view.fault)
        if self._situation == before:
            return
        planned_s = None if self._doing is None else self._due_s
        self._tries, self._doing = 0, None
        if record is None or view is None or self._situation is None:
            return
        countdown_s = self._countdown_s(view)
        intention = min(self._intentions(record, view), key=lambda each: each[:2], default=None)
        if intention is None:
            return
        is_undone = before is not None and self._situation.is_before(before)
        self._doing = intention.doing
        pause_s = YIELDS_S if is_undone else intention.pause_s
        is_hurried = not self._racers - {*self._deck.robots}  # people need time to win a race
        # Tiles stay face up for a while before they are turned down, so that people see them.
        is_seen = view.counts.get(layouts.OPEN) == 0
        pace = self._pace if is_hurried and not is_seen else 1
        is_taught = record.start.is_lesson and view.notice is not None
        lesson_s = LESSON_S if is_taught else 0.0
        self._due_s = now_s + countdown_s + pause_s * pace + lesson_s
        if planned_s is not None and before is not None and self._situation.differs_by_hand(before):
            # Robots act in the end, even if a person keeps choosing another card.
            self._due_s = min(self._due_s, planned_s)

    def _countdown_s(self, view: TableView) -> float:
        """Return how many seconds the pages count down before players may lay a card."""
        if view.turn is None and view.choices is not None:
            return 0.0  # a question about a card belongs to the race
        before = self._racers
        is_race = view.turn is None and "race" in view.asks
        self._racers = frozenset(view.active) if is_race else frozenset()
        return 0.0 if len(self._racers) < 2 or self._racers <= before else COUNTDOWN_S

    def _intentions(self, record: GameRecord, view: TableView) -> Iterator[Intention]:
        """Yield the act that each robot would do now; nothing if the table waits for people.

        The robot whose turn it is comes last, because after its act the others cannot act. All wait
        while a person chooses which card to give away. If a robot raises an error, people must play
        its turn.
        """
        robots = robots_of(record.start.game)
        if robots is None or robots.from_scene is None or view.winners:
            return
        if view.phase == ROUND_OVER and len(self._deck.robots) < len(view.names):
            return  # people read the result, and begin the next round
        for seat, name in self._deck.robots.items():
            scene, style = self._deck.scene(seat, view), find_style(record.start.game, name)
            if scene is None or style is None:
                continue
            chance = Random(f"{self._deck.seed} {len(record.inputs)} {seat}")
            try:
                books = robots.from_scene(scene)
                act = None if books is None else style(books, chance)
            except Exception:  # robots know the printed rules; a table may be in any state
                log.exception("The robot in seat %s failed to choose an act.", seat + 1)
                continue
            if act is None or act.seat == view.turn != seat:
                continue
            if not self._deck.is_decided and act.by_hand is None:
                continue
            if act.by_hand or _is_accepted(act.given, view):
                is_last = seat == view.turn and not act.by_hand
                pause_s = self._pause_s(seat, act, view, chance)
                doing = self._request_for(act, view.names)
                if view.phase in (COUNTING, *TOGETHER) and doing.lasts_s == LIES_S:
                    doing = doing._replace(lasts_s=SHOWS_S)
                yield Intention(is_last, pause_s, doing)

    def _pause_s(self, seat: int, act: RobotAct, view: TableView, chance: Random) -> float:
        """Return how many seconds the robot in *seat* waits before *act*.

        The pause lets people follow the game, and go first if they may act too. In a race it is
        random, so that each robot can win.
        """
        if act.by_hand is not None:
            return 0.0 if isinstance(act.by_hand, Give) else THINKS_S
        if isinstance(act.given, SeatChoice) and view.turn is None:
            return 0.0  # whose card it was: nobody has to think about that
        match act.given:
            case Tap() if view.phase in TOGETHER:
                return TOGETHER_S
            case Tap() if view.phase == COUNTING:
                is_begun = view.counted and view.counted[seat] is not None
                return COUNTS_S if is_begun else HAND_S
            case Tap() if seat != view.turn:
                return chance.uniform(THINKS_S, READS_S)
            case Tap() | Press() if self._may_others_act(seat, view):
                return YIELDS_S
            case Press():
                return READS_S
        return THINKS_S

    def _may_others_act(self, seat: int, view: TableView) -> bool:
        """Return True if others may act before *seat*: in a race, or if people can join in."""
        return view.turn is None or bool({*view.awaited} - {seat, *self._deck.robots})

    def _request_for(self, act: RobotAct, names: Sequence[str]) -> TimedRequest:
        """Return the requests by which a page does *act*, in a game of the players *names*."""
        if act.by_hand is not None:
            return TimedRequest(self._deck.hand_act_for(act.by_hand))
        match act.given:
            case Tap(piece, _, seat):
                own = PLAY_SPOT if seat is None else SEAT_SPOTS[seat]
                return _tap(self._deck.tag_of(piece), own if own in self._spots else PLAY_SPOT)
            case Press(button) if button.value in self._buttons:
                name = button.value
                return TimedRequest(
                    requests.HoldButton(name), requests.ReleaseButton(name), PRESSES_S
                )
            case Press(button):
                return _tap(f"{COMMAND_CARDS.game}/{button.value}", PLAY_SPOT)
            case PlaceChoice(place):
                return TimedRequest(requests.ChoosePlace(place))
            case given:
                return TimedRequest(requests.ChooseItem(_value(given, names)))


def _tap(tag: str, spot: str) -> TimedRequest:
    return TimedRequest(requests.Lay((tag,), spot), requests.Lift((tag,), spot), LIES_S)


def _is_accepted(given: Input, view: TableView) -> bool:
    """Return True if the table can accept *given* now.

    While a list is open on the display, the table accepts only the items of the list; otherwise it
    accepts taps and presses.
    """
    values = () if view.choices is None else view.choices.values
    if isinstance(given, Tap | Press):
        return not values
    return _value(given, view.names) in values


def _value(given: Input, names: Sequence[str]) -> str:
    """Return the value of *given* in the controls' list, in a game of the players *names*."""
    match given:
        case Number(value):
            return str(value)
        case Choice(name):
            return name
        case SeatChoice(seat):
            return names[seat]
        case PlaceChoice(place):
            return str(place)
    raise ValueError(f"{given} is not the choice of a value in a list")
