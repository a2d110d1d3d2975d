"""The feed: turns journal entries, views and spoken lines into events of the outlet.

The main loop calls it. It only compares values and writes to memory, and never raises an error.
"""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from operator import sub
from typing import Any, Protocol, TypeVar

from engines.common.contract import Input, Seat, SeatChoice, Tap, Topic
from firmware.journal.codec import Phone, decode, decode_phone
from firmware.journal.entry import Entry
from firmware.journal.journal import GameRecord
from firmware.outlet.events import (
    GameEnded,
    GameOver,
    GameResumed,
    GameStarted,
    InputPlayed,
    InputUndone,
    LineSpoken,
    OutletEvent,
    PhaseChanged,
    PlayRefused,
    RoundOver,
    ScoreChanged,
    TurnChanged,
    ViewChanged,
)
from firmware.outlet.played import (
    MOST_INPUTS,
    PlayedInput,
    news_in,
    with_owners,
    without_fouls,
)
from firmware.outlet.private import HostState, PlayerState, player_state_of
from firmware.outlet.queue import Outlet
from firmware.outlet.state import (
    Describe,
    FinalScores,
    LatestPlay,
    RecentAct,
    RecentPiece,
    Told,
    kind_of,
    state_of,
)
from firmware.show.view import Notice, TableView
from firmware.table.announcements import ROUND_OVER
from firmware.table.answers import HostAsked, PlayerAsked
from firmware.table.events import PartFailed, PartRecovered
from firmware.voice.announcer import Utterance

log = logging.getLogger(__name__)

NOTHING = TableView("")
MOST_PLAYS = 6
MOST_ACTS = 12
MOST_RESULTS = 2  # sentences about how a round ended
DIGIT = re.compile(r"\d")


class Phones(Protocol):
    """The source of the facts that phones may show. The table implements it."""

    @property
    def changes(self) -> int:
        """A number that grows whenever these facts may have changed."""
        ...

    @property
    def robot_seats(self) -> tuple[Seat, ...]:
        """The seats in which robots or the mat play."""
        ...

    @property
    def goal(self) -> Seat | None:
        """The seat of the goal in a solo game, else None."""
        ...

    def for_screens(self, view: TableView) -> TableView:
        """Return *view* for phones and televisions."""
        ...

    def asks_of(self, player: str) -> PlayerAsked | None:
        """Return what the table asks of *player*; None if the player is not in the game."""
        ...

    def asks_of_host(self) -> HostAsked:
        """Return what the host can do."""
        ...


F = TypeVar("F", bound=Callable[..., None])


def never_raising(put: F) -> F:
    """Return *put* as a function that logs every error of *put* and does not raise it.

    An error in the outlet must not stop the table.
    """

    @wraps(put)
    def guarded(*args: Any, **named: Any) -> None:
        try:
            put(*args, **named)
        except Exception:
            log.exception("An event was not put into the outlet.")

    return guarded  # type: ignore[return-value]


@dataclass
class Feed:
    """The source of all events in *outlet*, and of its state, during one run of the program.

    *describe* returns a sentence about a played piece.
    """

    outlet: Outlet
    describe: Describe = kind_of
    _seen: TableView = NOTHING  # the last view of the game
    _shown: TableView = NOTHING  # the last view, without what disappears by itself
    _is_game_on: bool = field(default=False)
    _game: str = ""  # the name of the game, while one is on
    _names: tuple[str, ...] = ()  # of its players
    _last: PlayedInput | None = None
    _inputs: tuple[PlayedInput, ...] = ()  # the newest ones, in order
    _heard: int = 0  # the number of the last group of lines
    _is_told: bool = field(default=True)  # False until the table has announced the last input
    _results: tuple[str, ...] = ()  # what was said of the results in this round
    _before: tuple[int, ...] | None = ()  # the scores before this round; None if not known
    _is_undoing: bool = field(default=False)  # True until the view after an undo
    _final: FinalScores | None = None  # of the game before, while there is none
    _language: str = ""  # of the sentences about results
    _kept: tuple[TableView, object] | None = None  # what the outlet's state was made of
    _made_of: tuple[object, ...] | None = None  # what the private states were made of

    @never_raising
    def begin(self, record: GameRecord | None, view: TableView) -> None:
        """Put the first events: about *view* and, if not None, about the resumed game *record*."""
        if record is not None:
            start = record.start
            number, game, names = record.number, start.game, start.names
            self.outlet.put(GameResumed(number, game, names, Seat(start.dealer)))
            self._is_game_on, self._game, self._names = True, game, names
            self._before = None
        self._put(self._changes(view))

    @never_raising
    def put_entries(
        self,
        entries: Iterable[Entry],
        notices: Iterable[Notice | None],
        *,
        is_foul: bool = False,
    ) -> None:
        """Put an event for each of *entries*, which are new, and for each refusal in *notices*.

        If *is_foul*, the last input was a foul: the player takes the piece back.
        """
        self._is_told = True
        self._put(event for entry in entries for event in self._of_entry(entry))
        if is_foul and self._inputs:
            self._inputs = (*self._inputs[:-1], self._inputs[-1]._replace(is_foul=True))
            self._last = None
        refusals = (notice for notice in notices if notice is not None and notice.code)
        self._put(PlayRefused(n.code, n.rule, n.happened, n.do) for n in refusals)

    @never_raising
    def put_changes(self, view: TableView) -> None:
        """Put an event for each difference between the previous view and *view*."""
        self._put(self._changes(view))

    @never_raising
    def keep_state(
        self,
        view: TableView,
        language: str,
        advise: Callable[[], str] = lambda: "",
        robots: tuple[Seat, ...] = (),
        goal: Seat | None = None,
    ) -> None:
        """Set the outlet's state to the public part of *view*. Call this after ``put_changes``.

        *language* is the language of the view's texts. *advise* returns what can be played now, as
        far as everybody may know that. *robots* are the seats in which robots or the mat
        play, and *goal* is that of a goal.
        """
        if language != self._language:
            self._results = () if self._language else self._results
            if self._language:
                self._inputs = tuple(each._replace(news=()) for each in self._inputs)
            self._language = language
        now = self._game, self._last, self._inputs, self._results, self._before
        others = language, *now, robots, goal
        if self._kept is not None and self._kept[0] is view and self._kept[1] == others:
            return
        self._kept = view, others
        of_game = self._seen if self._is_game_on and not view.names else view
        advice = advise() if self._game else ""
        told = replace(self._facts(), advice=advice, robots=robots, goal=goal)
        state = state_of(view, of_game, self._game, language, told)
        if state != self.outlet.state:
            self.outlet.state = state

    @never_raising
    def keep_private(self, phones: Phones) -> None:
        """Set ``outlet.private`` to the private states of the players in ``outlet.wanted``.

        *phones* has what each player may know and answer.
        """
        wanted = self.outlet.wanted
        made_of = phones.changes, wanted
        if made_of == self._made_of:
            return
        self._made_of = made_of
        private: dict[str | None, PlayerState | HostState] = {}
        for player in wanted:
            if player is None:
                private[None] = HostState(phones.asks_of_host())
            elif (asked := phones.asks_of(player)) is not None:
                private[player] = player_state_of(player, asked)
        if private != self.outlet.private:
            self.outlet.private = private

    @never_raising
    def put_part(self, event: PartFailed | PartRecovered) -> None:
        """Put *event*, which says that a part failed or works again."""
        self.outlet.put(event)

    @never_raising
    def put_lines(self, changed: Iterable[Utterance]) -> None:
        """Put an event for each line in *changed*, the voice's lines whose fate has changed."""
        changed = tuple(changed)
        said = (u.text for u in changed if u.topic is Topic.RESULT and not self._has_number(u.text))
        self._results = tuple(dict.fromkeys((*self._results, *said)))[-MOST_RESULTS:]
        self._note_news(changed)
        self._put(
            LineSpoken(u.event, u.line, u.at_s, u.language, u.topic, u.text, u.fate, u.why)
            for u in changed
        )

    def _note_news(self, changed: Sequence[Utterance]) -> None:
        """Keep the news in *changed* with the last input, if they are the first lines after it."""
        fresh = [line for line in changed if line.event > self._heard]
        if not fresh:
            return
        self._heard = fresh[-1].event
        if not self._is_told and self._inputs:
            last, seen = self._inputs[-1], self._seen
            has_ended = seen.phase == ROUND_OVER or bool(seen.winners)
            news = tuple(
                line.text
                for line in news_in(fresh, self._names, is_foul=last.is_foul)
                if not (has_ended and self._has_number(line.text))
            )
            self._inputs = (*self._inputs[:-1], last._replace(news=news))
        self._is_told = True

    def _put(self, events: Iterable[OutletEvent]) -> None:
        for event in events:
            self.outlet.put(event)

    def _of_entry(self, entry: Entry) -> Iterator[OutletEvent]:
        match entry.kind:
            case "start":
                self._is_game_on, self._seen = True, NOTHING
                game, names = entry.body["game"], tuple(entry.body["names"])
                self._game, self._names = game, names
                self._last, self._inputs, self._results, self._before = None, (), (), ()
                self._final = None
                dealer, phone = Seat(entry.body["dealer"]), decode_phone(entry.body)
                yield GameStarted(entry.seq, entry.game, game, names, dealer, phone)
            case "input":
                given, phone = decode(entry.body), decode_phone(entry.body)
                played = self._input_of(entry.seq, given, phone)
                self._last = self._last if played.piece is None else played
                self._inputs = (*self._inputs[1 - MOST_INPUTS :], played)
                self._is_told = False
                yield InputPlayed(entry.seq, entry.game, given, phone)
            case "undo":
                self._last, self._inputs = None, self._inputs[:-1]
                self._results, self._is_undoing = (), True
                yield InputUndone(entry.seq, entry.game, decode_phone(entry.body))
            case "end":
                self._final = self._final_scores()
                self._is_game_on, self._game, self._last, self._inputs = False, "", None, ()
                phone = decode_phone(entry.body)
                yield GameEnded(entry.seq, entry.game, entry.body["how"], phone)

    def _input_of(self, entry: int, given: Input, phone: Phone | None) -> PlayedInput:
        """Return the input *given* of *entry* with the seat that made it, if that is known."""
        view, by = self._seen, self._seen.turn
        is_owner = isinstance(given, SeatChoice) and view.asks_owner
        match given:
            case Tap(seat=seat) if seat is not None:
                by = seat
            case SeatChoice(seat) if is_owner:
                by = seat
            case _ if isinstance(phone, int):
                by = Seat(phone)
            case Tap() if by is None and len(view.active) == 1:  # a race that only one can join
                by = view.active[0]
        piece = given.piece if isinstance(given, Tap) else None
        return PlayedInput(entry, by, piece, bool(view.counted), is_owner)

    def _final_scores(self) -> FinalScores | None:
        """Return the scores of the game that ends, or None if it was not shown."""
        seen = self._seen
        if not seen.names:
            return None
        unit = seen.score_unit.value
        return FinalScores(seen.title, seen.names, seen.scores, seen.winners, unit)

    def _text(self, played: PlayedInput) -> str:
        """Return the sentence about a piece; for one of a hand that is counted, its name."""
        if played.piece is None:
            return ""
        seat = None if played.is_counted else played.seat
        worth = self._seen.worth.get(played.piece)
        return self.describe(self._game, self._names, seat, played.piece, worth)

    def _act(self, played: PlayedInput) -> RecentAct:
        """Return *played* in words. What the sentence about the piece says is no news."""
        text = "" if played.is_foul else self._text(played)
        news = tuple(line for line in played.news if line.rstrip(".") not in text)
        return RecentAct(played.entry, played.seat, text, news, played.is_counted)

    def _facts(self) -> Told:
        """Return what the view of the game does not have."""
        worth, inputs = self._seen.worth, with_owners(self._inputs)
        pieces = [
            (laid, laid.piece)
            for laid in without_fouls(inputs)
            if laid.piece is not None and not laid.is_counted
        ]
        plays = tuple(
            RecentPiece(piece.kind, laid.seat, self._text(laid), worth.get(piece))
            for laid, piece in pieces[: -MOST_PLAYS - 1 : -1]
        )
        acts = [act for act in map(self._act, inputs) if act.text or act.news]
        last = self._last
        if last is not None and last.is_counted and not self._seen.counted:
            last = None  # all hands are counted
        latest = last and LatestPlay(last.entry, last.seat, self._text(last))
        scores, before = self._seen.scores, self._before
        if before == ():
            before = (0,) * len(scores) if self._seen.phase == ROUND_OVER else None
        gains = () if before is None else tuple(map(sub, scores, before))
        told = tuple(acts[: -MOST_ACTS - 1 : -1])
        return Told(latest, plays, self._results, gains, final=self._final, acts=told)

    def _has_number(self, text: str) -> bool:
        """Return True if *text* has a number: the scores tell it already. Names may have some."""
        for name in self._names:
            text = text.replace(name, "")
        return DIGIT.search(text) is not None

    def _changes(self, view: TableView) -> Iterator[OutletEvent]:
        if view.phase != self._shown.phase:
            yield PhaseChanged(view.phase)
        if self._is_game_on and view.names:  # otherwise there is no game, or a list covers it
            yield from self._game_changes(view)
        before, self._shown = self._shown, replace(view, notice=None, flash=None, fault="")
        if self._shown != before:
            yield ViewChanged(view.hint, view.asks)

    def _game_changes(self, view: TableView) -> Iterator[OutletEvent]:
        before, self._seen = self._seen, view
        if self._is_undoing and view.phase == ROUND_OVER:
            self._before = None
        elif not self._is_undoing and before.phase == ROUND_OVER != view.phase:
            self._results, self._before = (), before.scores
            self._last, self._inputs = None, tuple(each.ended for each in self._inputs)
        self._is_undoing = False
        if (view.turn, view.active) != (before.turn, before.active):
            yield TurnChanged(view.turn, view.active)
        if view.scores != before.scores:
            yield ScoreChanged(view.scores)
        if view.phase == ROUND_OVER != before.phase:
            yield RoundOver(view.scores)
        if view.winners and not before.winners:
            yield GameOver(view.winners, view.scores)
