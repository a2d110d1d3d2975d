"""The mat as a player: asks for its cards, says what it plays, and checks the card that comes.

People do the mat's gestures. They lay its cards unseen, one by one, and turn over the card that it
names by its place in the row. It presses buttons and answers questions by itself.

This module uses only the engine contract, and does not know any particular game.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from engines.common.contract import (
    Button,
    Choice,
    Input,
    Number,
    PlaceChoice,
    Press,
    PressAsk,
    Seat,
    SeatChoice,
    Sensor,
    Tap,
    Topic,
)
from engines.common.errors import AlreadyPlayed, NotInThisGame, PutAway, RulesError
from engines.common.layouts import COLOURS, OPEN
from engines.common.pieces import Piece
from firmware.common.errors import JournalError
from firmware.journal.codec import RowChange
from firmware.journal.journal import GameRecord
from firmware.show.view import Flash, Notice
from firmware.table.context import TABLE
from firmware.table.mat_player import Decision, MatKnowledge, ToPeople, choose
from firmware.table.mat_seats import MatSeats
from firmware.table.modes.active_game import ActiveGame
from firmware.table.modes.doubt import Doubt
from firmware.table.modes.mode import Outcome, refuse
from firmware.voice.speech import SpeechLine, lines

NEVER_IN_A_ROW = (AlreadyPlayed, NotInThisGame, PutAway)  # refusals of pieces that are in no hand


@dataclass(frozen=True, slots=True)
class MatTurn:
    """The mat's part in the game *playing* at this moment. *seats* are the mat's."""

    playing: ActiveGame
    seats: MatSeats

    # --- what it decides ---

    def decide(self) -> Decision | None:
        """Return what the mat does now; None if nothing is up to it."""
        seat = self.seats.thinker
        if seat is None:
            return None
        record = self.seats.record
        known = MatKnowledge(
            self.playing.game,
            self.playing.state,
            seat,
            self.seats.row(seat),
            GameRecord(record.number, record.start, record.inputs),
            self.playing.context.settings.current.strength,
            self.seats.last_pieces(seat),
            is_giver=self.seats.giver is not None,
        )
        return choose(known)

    def act(self, decided: Decision) -> Outcome:
        """Do what the mat has *decided*: say which card to turn over, or give the answer itself."""
        if isinstance(decided, Tap | ToPeople):
            return Outcome(self.playing, self.lines())
        answer = self._in_words(decided)
        said = self._text("mat.says", seat=self.seats.mover, answer=answer)
        if answer[-1] in "!?":
            said = said.removesuffix(".")
        outcome = self.playing.apply(decided)
        if outcome.refusal is not None or outcome.mode is None:
            return outcome
        following = outcome.mode.view()
        request = following.hint if following.is_for_mat else ""
        if isinstance(decided, PlaceChoice) and request:
            return outcome  # the request names the place
        # The game says by itself that somebody draws or passes.
        told = (
            () if isinstance(decided, Press) and outcome.say else lines(said, topic=Topic.QUESTION)
        )
        others = (line for line in outcome.say if line.text.rstrip(".") != answer)
        # The display shows what a button has done, and who is next.
        is_shown = isinstance(decided, Press) and not request
        notice = outcome.notice or (None if is_shown else Notice(said, request))
        return Outcome(outcome.mode, (*told, *others), outcome.flash, notice)

    def _in_words(self, decided: Input) -> str:
        """Return the answer *decided* in words."""
        match decided:
            case Number(value):
                return str(value)
            case Choice(name):
                return self._text(f"choice.{name}")
            case SeatChoice(seat):
                return self.playing.start.names[seat]
            case PlaceChoice(place):
                return self.playing.place_text(place)
            case Press(button):
                asks = self.playing.game.asks(self.playing.state)
                ask = next(a for a in asks if isinstance(a, PressAsk) and a.button is button)
                return self._text(f"label.{ask.label}", **ask.facts)
        raise AssertionError(f"{decided!r} is not an answer")

    # --- what it asks for ---

    @property
    def is_thinking(self) -> bool:
        """True while the mat has something to decide."""
        return self.seats.thinker is not None and not self._is_up_to_people

    @property
    def _is_up_to_people(self) -> bool:
        """True if people choose the mat's piece in any case: while it gets a colour."""
        return self.seats.view.phase == COLOURS

    def instruction(self, decided: Decision | None = None) -> str:
        """Return what people should do for the mat now; "" if nothing.

        *decided* is the mat's decision, if it is made.
        """
        missing = next(self.seats.missing(), None)
        if missing is not None:
            return self._ask_for(*missing)
        thinker = self.seats.thinker
        if thinker is None:
            return ""
        if isinstance(decided, ToPeople) or self._is_up_to_people:
            return self._any_piece(thinker)
        if not isinstance(decided, Tap):
            return self._text("mat.thinks", seat=thinker)
        if self.seats.giver is None:
            return self._play_text(thinker, decided.piece)
        number = self.seats.row(thinker).index(decided.piece) + 1
        other = next(each.receiver for each in self.playing.handed if each.giver == thinker)
        return self._text("mat.give", seat=thinker, number=number, other_seat=other)

    def _ask_for(self, seat: Seat, count: int) -> str:
        """Return the request to lay *count* pieces into the row of *seat*."""
        record = self.seats.record
        if not self.seats.row(seat):
            code = "mat.deal"
        elif record.row[-1].at == len(record.inputs):
            code = "mat.more"
        elif any(each.receiver == seat for each in self.playing.handed):
            code = "mat.receive"
        else:
            code = "mat.draw"
        last = record.inputs[-1] if record.inputs else None
        if code == "mat.draw" and isinstance(last, PlaceChoice):
            where = self.playing.way_text(last.place)
            return self._text("mat.draw-placed", seat=seat, where=where)
        return self._text(code, seat=seat, n=count)

    def _any_piece(self, seat: Seat) -> str:
        """Return the request to turn over any piece; "" if the game's own hint says which one.

        It names a kind that people have seen before, if another piece of the kind would help.
        """
        if self.seats.view.phase == COLOURS:
            return self._text("mat.colour", seat=seat)
        count = self.seats.view.counts.get(OPEN)
        if count is None:
            return ""
        taps = [given.piece for given in self.seats.record.inputs if isinstance(given, Tap)]
        lying, seen = taps[len(taps) - count :], set(filter(self._lies_face_down, taps))
        for piece in reversed(lying):
            others = [each for each in seen if each.kind == piece.kind]
            number = sum(each.kind == piece.kind for each in lying)
            if others and self.seats.view.counts.get(piece.kind, 0) > number:
                return self._text("mat.look", seat=seat, piece=piece)
        return self._text("mat.any", seat=seat)

    def _lies_face_down(self, piece: Piece) -> bool:
        """Return True if *piece* can be turned over now: it was not won, and does not lie open."""
        try:
            self.playing.after(Tap(piece))
        except RulesError:
            return False
        return True

    @property
    def waiting(self) -> Seat | None:
        """The mat's seat that waits for a piece, or that one is given away; None if none does."""
        giver = self.seats.giver
        missing = (seat for seat, _count in self.seats.missing())
        return next(missing, None) if giver is None else giver

    @property
    def awaited(self) -> Seat | None:
        """The mat's seat that waits for a piece or has something to decide, or None."""
        return self.seats.thinker if self.waiting is None else self.waiting

    @property
    def task(self) -> str:
        """The request to turn over the mat's hand that is counted, or to load its cargo; or ""."""
        seat, view = self.seats.mover, self.seats.view
        if seat is not None and self.seats.is_counting:
            left = len(self.seats.row(seat))
            return self._text("mat.count", seat=seat, n=left) if left else ""
        is_load = any(
            isinstance(ask, PressAsk) and ask.sensor is Sensor.TILT for ask in self.seats.asks
        )
        is_own = view.turn in self.seats.seats
        return self._text("mat.load", seat=view.turn) if is_load and is_own else ""

    def doubt_about_count(self) -> Outcome | None:
        """Ask before the mat's hand counts without all its pieces; return None if it does not."""
        seat, request = self.seats.mover, self.task
        if seat is None or not request:
            return None
        words = self._text("uncounted", seat=seat, n=len(self.seats.row(seat)))
        end = Press(Button.ACTION)
        return Doubt.of(self.playing, end, code="uncounted", words=words, back=request)

    def lines(self) -> tuple[SpeechLine, ...]:
        """Return the instruction for the voice."""
        decided = self.playing.decided
        return lines(self.instruction(decided), topic=Topic.QUESTION)

    # --- the pieces that come ---

    def take(self, taps: Sequence[Tap]) -> Outcome | None:
        """Handle *taps* of pieces of this game; return None if they are ordinary plays of people.

        A single piece is laid into an incomplete row, or compared with what the mat has decided.
        """
        missing = next(self.seats.missing(), None)
        if len(taps) > 1 and not self.seats.is_counting:
            return self._refuse_and_ask("mat.one-by-one")
        if missing is not None:
            return self._lay(missing[0], taps[0])
        if self.seats.giver is not None:
            return self._refuse_and_ask("mat.gives", seat=self.seats.giver)
        if self.seats.mover is None:
            return self._refuse_own(taps)
        if self.seats.is_counting:
            return self._count_outcome(taps)
        return self._turn_outcome(taps[0])

    def _lay(self, seat: Seat, tap: Tap) -> Outcome:
        """Lay the piece of *tap* at the right end of the row of *seat*. Nothing names it."""
        if self.seats.holder(tap.piece) is not None:
            return self._refuse_and_ask("mat.laid-already")
        if tap.piece == self._last_piece(seat):
            lies = self.playing.context.notice(TABLE, AlreadyPlayed.code)
            return self._asking_again(refuse(self.playing, lies))
        wrong = self._refuse_never_in_hand(tap)
        return wrong or self.change_rows(RowChange(seat, tap.piece, is_laid=True))

    def _refuse_never_in_hand(self, tap: Tap) -> Outcome | None:
        """Refuse a piece that is in no hand, for example a played one; return None if it may be."""
        try:
            self.playing.after(tap)
        except NEVER_IN_A_ROW as error:
            return refuse(self.playing, self.playing.refusal_notice(error))
        except RulesError:
            pass  # the piece cannot be played now, but it can be in a hand
        return None

    def _last_piece(self, seat: Seat) -> Piece | None:
        """Return the piece that was played last, since *seat* was dealt its hand; None if none was.

        During a question, the rules refuse every piece alike, also this one.
        """
        since = self.seats.since.get(seat, 0)
        played = [
            given.piece
            for number, given in enumerate(self.seats.record.inputs)
            if isinstance(given, Tap) and number >= since and number not in self.seats.shown
        ]
        return played[-1] if played else None

    def _refuse_own(self, taps: Sequence[Tap]) -> Outcome | None:
        """Refuse a piece of a mat that somebody else plays; return None if there is none."""
        for tap in taps:
            seat = self.seats.holder(tap.piece)
            if seat is not None and self.seats.is_open:
                return self._refuse("mat.later", seat=seat)
            if seat is not None:
                number = self.seats.row(seat).index(tap.piece) + 1
                return self._refuse("mat.own-card", seat=seat, number=number)
        return None

    def _count_outcome(self, taps: Sequence[Tap]) -> Outcome | None:
        """Refuse a piece that is not in the row that is counted.

        Return None if all are, or were; the rules refuse those that were counted before.
        """
        assert self.seats.mover is not None, "the row of a mat is counted"
        row = self.seats.row(self.seats.mover)
        played = {given.piece for given in self.seats.record.inputs if isinstance(given, Tap)}
        if all(tap.piece in row or tap.piece in played for tap in taps):
            return None
        return self._refuse("mat.not-counted", seat=self.seats.mover)

    def _turn_outcome(self, tap: Tap) -> Outcome | None:
        """Play the piece of *tap* if it is of the kind that the mat has decided to play.

        Return None if people choose the piece, or if it is another player's.
        """
        seat, decided = self.seats.mover, self.playing.decided or self.decide()
        assert seat is not None, "it is the turn of a mat"
        row = self.seats.row(seat)
        is_own = tap.piece in row
        if isinstance(decided, ToPeople) or (not is_own and self.seats.is_others(tap.piece)):
            return self._refuse_own((tap,))
        if not isinstance(decided, Tap):
            return self._refuse("mat.answers", seat=seat)
        if not is_own:
            return self._refuse_foreign(seat, tap)
        if tap.piece.kind == decided.piece.kind:
            return self.playing.apply(replace(tap, seat=seat))
        if self.playing.thinks:  # it has not asked for a card, so none of its cards is named
            return self._refuse_own((tap,))
        facts = {"seat": seat, "piece": tap.piece, "number": row.index(tap.piece) + 1}
        code = "mat.wrong-open" if self.seats.is_open else "mat.wrong-card"
        return self._refuse_and_ask(code, **facts)

    def _refuse_foreign(self, seat: Seat, tap: Tap) -> Outcome:
        """Refuse a piece that is not in the row of *seat*, whose turn it is."""
        if self.playing.thinks:
            return self._refuse("mat.thinking", seat=seat)
        wrong = self._refuse_never_in_hand(tap)
        if wrong is not None:
            return self._asking_again(wrong)
        code = "mat.not-mine-open" if self.seats.is_open else "mat.not-mine"
        return self._refuse_and_ask(code, seat=seat)

    # --- a piece that is given away ---

    def ok_label(self) -> str:
        """Return what OK does for the mat now: people say that they gave its piece away; or ""."""
        return "" if self._gift is None else self._text("mat.given")

    def give(self) -> Outcome | None:
        """Take the piece out of the row that people gave away; None if the mat gives none."""
        gift = self._gift
        return None if gift is None else self.change_rows(gift)

    @property
    def _gift(self) -> RowChange | None:
        seat, decided = self.seats.giver, self.playing.decided
        if seat is None or not isinstance(decided, Tap):
            return None
        return RowChange(seat, decided.piece, is_laid=False)

    # --- the rows ---

    def change_rows(
        self, *changes: RowChange, old_row: tuple[RowChange, ...] | None = None
    ) -> Outcome:
        """Write *changes* to the journal. The outcome says what is missing then.

        *old_row* is a row that ``back`` can put back from now on; None leaves that as it is.
        """
        try:
            self.playing.context.journal.change_rows(changes)
        except JournalError as error:
            return refuse(self.playing, self.playing.context.not_saved_notice(error))
        return self.playing.after_row_change(old_row)

    def seats_with_rows(self) -> tuple[Seat, ...]:
        """Return the mat's seats whose row could be laid again now."""
        has_rows = self.seats.has_rows and not self.seats.is_open
        return tuple(seat for seat in self.seats.seats if has_rows and self.seats.row(seat))

    def read_again(self, seat: Seat) -> Outcome:
        """Forget the row of *seat*, so that people lay it again."""
        row = tuple(RowChange(seat, piece, is_laid=False) for piece in self.seats.row(seat))
        return self.change_rows(*row, old_row=row)

    def take_back(self) -> Outcome | None:
        """Take the piece back that was laid into a row last, or put an old row back.

        Return None if there was an input since.
        """
        record = self.seats.record
        last = record.row[-1] if record.row else None
        if last is None or last.at < len(record.inputs) or last.until is not None:
            return self._restore()
        outcome = self.change_rows(RowChange(last.seat, last.piece, is_laid=False))
        if outcome.refusal is not None:
            return outcome
        undone = self._text("mat.undone", seat=last.seat)
        return Outcome(
            outcome.mode,
            (*lines(undone, topic=Topic.CORRECTION), *outcome.say),
            Flash.ACCEPTED,
            Notice(undone),
        )

    def _restore(self) -> Outcome | None:
        """Put the row back that people wanted to lay again; None if they have laid some of it."""
        old = self.playing.old_row
        if not old or self.seats.row(old[0].seat):
            return None
        return self.change_rows(*(replace(change, is_laid=True) for change in old), old_row=())

    # --- words ---

    def _play_text(self, seat: Seat, piece: Piece) -> str:
        """Return which card of the row of *seat* to turn over, counted from the nearer end."""
        if self.seats.is_open:
            return self._text("mat.open", seat=seat, piece=piece)
        row = self.seats.row(seat)
        left = row.index(piece) + 1
        right = len(row) + 1 - left
        code = "mat.play" if left <= right else "mat.play-right"
        return self._text(code, seat=seat, number=min(left, right))

    def _text(self, code: str, **facts: Any) -> str:
        return self.playing.text(code, **facts)

    def _refuse_and_ask(self, code: str, **facts: Any) -> Outcome:
        """Refuse a piece, and say again which one the mat waits for, unless it still thinks."""
        return self._asking_again(self._refuse(code, **facts))

    def _asking_again(self, wrong: Outcome) -> Outcome:
        """Return the refusal *wrong*, with the mat's request after it, unless it still thinks."""
        asked = () if self.playing.thinks else self.lines()
        return replace(wrong, say=(*wrong.say, *asked))

    def _refuse(self, code: str, **facts: Any) -> Outcome:
        return refuse(self.playing, self.playing.notice(code, **facts))
