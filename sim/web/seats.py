"""Robots in seats of the virtual table: what each asks of it, as a page would, and when.

Room: sim/web. It touches no mat. All it goes by is the journal, what the table shows, and where the
virtual deck has every piece; so undo, a power cut and people who act for a robot need nothing of
their own: whatever has changed, it thinks anew.
"""

import logging
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

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
from firmware.config import TableConfig
from firmware.decks import COMMAND_CARDS
from firmware.journal import GameRecord
from firmware.view import TableView
from sim.robots.games import ROBOTS
from sim.robots.seam import Act, ByHand, Give, Load, Robot, Spill
from sim.web import protocol
from sim.web.deal import Dealt, VirtualDeck

THINKS_S = 1.5  # before it acts: long enough to see and hear what was done before
READS_S = 4.0  # before it presses a button, which may take what is shown away
CHOOSES_S = 10.0  # while somebody can say which card was given away
YIELDS_S = 6.0  # so that others can be first: to take back more, to join in, or to lay in a race
LIES_S = 0.8  # so long a piece lies
PRESSES_S = 0.2  # so long a button is down
TRIES_S = 5.0  # after what led to nothing, as when a reader is lost
TRIES = 3  # then it waits until something has changed

log = logging.getLogger(__name__)


class Doing(NamedTuple):
    """How something is done: what is asked first, and after *lasts_s* what ends it, if anything."""

    begin: protocol.Ask
    end: protocol.Ask | None = None
    lasts_s: float = 0.0


class Plan(NamedTuple):
    """What a robot would do, if nothing changes for so long; what *is_last* lets others first."""

    is_last: bool
    pause_s: float
    doing: Doing


class Situation(NamedTuple):
    """All that makes a robot think anew when it changes."""

    record: GameRecord
    decided: Dealt | None  # who sits where, and what was done by hand
    phase: str
    values: tuple[str, ...]  # of the list that is open
    fault: str

    def is_before(self, other: "Situation") -> bool:
        """Whether it is the same game with something taken back."""
        mine, theirs = self.record, other.record
        return mine.number == theirs.number and len(mine.inputs) < len(theirs.inputs)


class Seats:
    """The robots that sit at the table of *config*, where *deck* is dealt."""

    def __init__(self, config: TableConfig, deck: VirtualDeck) -> None:
        self._spots = {reader.spot for reader in config.readers}
        self._buttons = () if config.controls is None else tuple(config.controls.buttons)
        self._deck = deck
        self._situation: Situation | None = None
        self._doing: Doing | None = None  # what comes next
        self._due_s = 0.0
        self._tries = 0
        self._ending: tuple[protocol.Ask, float] | None = None  # what was begun, and until when

    def step(
        self, now_s: float, record: GameRecord | None, view: TableView | None
    ) -> Iterator[protocol.Ask]:
        """What they ask for at *now_s*: the game is *record*, the table shows *view*.

        Both are none while nothing is on.
        """
        if self._ending is not None:
            end, until_s = self._ending
            if now_s < until_s:
                return
            self._ending = None
            yield end
        self._look(now_s, record, view)
        if self._doing is None or now_s < self._due_s or self._tries == TRIES:
            return
        self._tries += 1
        self._due_s = now_s + TRIES_S
        if self._doing.end is not None:
            self._ending = self._doing.end, now_s + self._doing.lasts_s
        yield self._doing.begin

    def _look(self, now_s: float, record: GameRecord | None, view: TableView | None) -> None:
        """Think anew if anything has changed."""
        before, self._situation = self._situation, None
        if record is not None and view is not None:
            values = () if view.choices is None else view.choices.values
            decided = self._deck.decided
            self._situation = Situation(record, decided, view.phase, values, view.fault)
        if self._situation == before:
            return
        self._tries, self._doing = 0, None
        if record is None or view is None or self._situation is None:
            return
        plan = min(self._plans(record, view), key=lambda plan: plan[:2], default=None)
        if plan is None:
            return
        is_undone = before is not None and self._situation.is_before(before)
        self._doing = plan.doing
        self._due_s = now_s + (YIELDS_S if is_undone else plan.pause_s)

    def _plans(self, record: GameRecord, view: TableView) -> Iterator[Plan]:
        """What each robot would do now; nothing where people are waited for.

        Whose turn it is comes last, since the others may act only until then. One that fails
        leaves its turn to people.
        """
        robots = ROBOTS.get(record.start.game)
        if robots is None or robots.seated is None or view.winners:
            return
        for seat, name in self._deck.robots.items():
            scene, style = self._deck.scene(seat, view), robots.styles.get(name)
            if scene is None or style is None:
                continue
            chance = Random(f"{self._deck.seed} {len(record.inputs)} {seat}")
            try:
                books = robots.seated(scene)
                act = None if books is None else Robot(seat, style).act(books, chance)
            except Exception:  # it follows no rule but the printed ones; a table may be anywhere
                log.exception("The robot of seat %s does not know what to do.", seat + 1)
                continue
            if act is None or act.seat == view.turn != seat:
                continue
            if act.by_hand or _can_be_given(act.given, view):
                is_last = seat == view.turn and not act.by_hand
                pause_s = self._pause_s(seat, act, view, chance)
                yield Plan(is_last, pause_s, self._done_by(act, view.names))

    def _pause_s(self, seat: int, act: Act, view: TableView, chance: Random) -> float:
        """How long others have the time to follow; in a race that is drawn, so that all can win.

        Where it is somebody's turn, people who may join in have it too. Which card was given away
        can only be said before anything else is done.
        """
        if act.by_hand is not None:
            return 0.0 if isinstance(act.by_hand, Give) else THINKS_S
        if self._deck.untold is not None:
            return CHOOSES_S
        match act.given:
            case Tap() if seat != view.turn:
                return chance.uniform(THINKS_S, READS_S)
            case Tap() | Press() if self._may_others(seat, view):
                return YIELDS_S
            case Press():
                return READS_S
        return THINKS_S

    def _may_others(self, seat: int, view: TableView) -> bool:
        """Whether others than *seat* may be first: in a race, or people who can join in."""
        return view.turn is None or bool({*view.awaited} - {seat, *self._deck.robots})

    def _handled(self, by_hand: ByHand) -> Doing:
        """How a page does what hands do; when that is seen, the robot thinks anew."""
        match by_hand:
            case Give(piece):
                return Doing(protocol.Give(self._deck.tag_of(piece)))
            case Load(piece):
                return Doing(protocol.Load(self._deck.tag_of(piece)))
            case Spill(fallen, caught):
                tags = (tuple(map(self._deck.tag_of, pieces)) for pieces in (fallen, caught))
                return Doing(protocol.Spill(*tags))

    def _done_by(self, act: Act, names: Sequence[str]) -> Doing:
        """How a page does *act*, at a table of *names*."""
        if act.by_hand is not None:
            return self._handled(act.by_hand)
        match act.given:
            case Tap(piece, _, seat):
                own = PLAY_SPOT if seat is None else SEAT_SPOTS[seat]
                return _tap(self._deck.tag_of(piece), own if own in self._spots else PLAY_SPOT)
            case Press(button) if button.value in self._buttons:
                name = button.value
                return Doing(protocol.Down(name), protocol.Up(name), PRESSES_S)
            case Press(button):
                return _tap(f"{COMMAND_CARDS.game}/{button.value}", PLAY_SPOT)
            case PlaceChoice(place):
                return Doing(protocol.ChoosePlace(place))
            case given:
                return Doing(protocol.Choose(_value(given, names)))


def _tap(tag: str, spot: str) -> Doing:
    return Doing(protocol.Lay((tag,), spot), protocol.Lift((tag,), spot), LIES_S)


def _can_be_given(given: Input, view: TableView) -> bool:
    """Whether the open list, if one is open, is what *given* answers, and no one else's."""
    values = () if view.choices is None else view.choices.values
    if isinstance(given, Tap | Press):
        return not values
    return _value(given, view.names) in values


def _value(given: Input, names: Sequence[str]) -> str:
    """What the controls' list calls *given*, at a table of *names*."""
    match given:
        case Number(value):
            return str(value)
        case Choice(name):
            return name
        case SeatChoice(seat):
            return names[seat]
        case PlaceChoice(place):
            return str(place)
    raise ValueError(f"a list has no {given}")
