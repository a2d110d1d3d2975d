"""The table: takes one event at a time, and returns what to say and show.

May import: engines, hardware.ports, firmware.
May be imported by: firmware.runtime.loop, firmware.runtime.controller, tests.

The only input and output is in the journal and the tag register. The loop renders ``view()`` on
the display and the lamps, and speaks the lines of each ``Feedback``.

The table owns the current mode, and the feedback to the last act. The
hands, and what players hear alone, belong to ``firmware.table.private_answers``, and the parts to
``firmware.table.parts``. All other state belongs to the mode or to the journal.
"""

import logging
import math
from dataclasses import dataclass, replace
from typing import Any

from engines.common.contract import (
    Button,
    Choice,
    Input,
    PlaceChoice,
    Press,
    ScoreUnit,
    Seat,
    Sensor,
    Tap,
    Topic,
)
from engines.common.errors import RulesError
from engines.common.pieces import Piece
from engines.common.solo import goal_seat
from firmware.boxes.register import COMMANDS, Registered, is_random_uid
from firmware.common.errors import JournalError, RegisterError
from firmware.journal.codec import HOST, Phone
from firmware.journal.journal import GameRecord
from firmware.show.lamps import is_lit
from firmware.show.names import is_name
from firmware.show.view import Cue, Flash, JoinAddress, Notice, Penalty, TableView, in_groups
from firmware.table import announcements
from firmware.table.answers import Answer, GameOffer, HostAsked, PlayerAsked, RobotSeats
from firmware.table.context import TABLE, TableContext, remedy
from firmware.table.events import (
    PRIVATE_COMMANDS,
    AddressChanged,
    CodeRequested,
    CopyFailed,
    DoctorReported,
    Event,
    GameChosen,
    HallChanged,
    HallMessage,
    HintDue,
    JoinRequested,
    MatDue,
    PartFailed,
    PartRecovered,
    PhoneAct,
    PhoneCommand,
    PhoneLetIn,
    PhoneRequested,
    PhoneSilent,
    RobotChosen,
    SettingChosen,
    StickersAct,
    TagRemoved,
    TagsArrived,
    TagUnreadable,
)
from firmware.table.modes.active_game import ActiveGame
from firmware.table.modes.adjusting import KIT, Adjusting, choose_setting, setting_lists
from firmware.table.modes.advice import Advice
from firmware.table.modes.enrolling import Enrolling
from firmware.table.modes.game_overlay import GameOverlay
from firmware.table.modes.idle import Idle
from firmware.table.modes.joining import Joining
from firmware.table.modes.mode import LookedUpTag, Mode, Outcome, TappedPieces, refuse
from firmware.table.modes.mode_above import ModeAbove
from firmware.table.modes.playing import CutShort, Playing
from firmware.table.modes.preparing import Preparing, boxes_of, offers
from firmware.table.parts import KnownParts
from firmware.table.phone_stickers import HostStickers, outcome_of, reason_against
from firmware.table.private_answers import PrivateAnswers
from firmware.voice.settings import LANGUAGE, Hints, Settings
from firmware.voice.speech import SpeechLine, as_requested, lines
from hardware.ports import Pressed, Rocked, Turned

EMPTY_VIEW = TableView("")  # the view before anything was shown
log = logging.getLogger(__name__)

THINKING_S = 30.0  # after this time, a hint may be offered
MAT_THINKS_S = 1.5  # so that people can follow what the mat does
MAT_WAITS_S = 30.0  # the mat waits no longer than this for a voice, which may be stuck
NOTICE_S = 8.0  # long enough to read two short sentences at arm's length
QUESTION_S = 30.0  # the time for people to answer whose hands are full of cards


@dataclass(frozen=True, slots=True)
class Feedback:
    """The table's reaction to one event, for the loop to say and show.

    *say* are lines for the voice, *flash* a short light, *notice* a message on the display, and
    *cue* a tone. *at_s* is the time of the event, in seconds on the loop's clock. *refused* tells
    the phone why its act was refused; empty if it was not.
    """

    at_s: float
    say: tuple[SpeechLine, ...] = ()
    flash: Flash | None = None
    notice: Notice | None = None
    cue: Cue | None = None
    refused: str = ""


class Table:
    """The state machine of one table. The loop owns it, and passes it all events in time order."""

    def __init__(self, context: TableContext) -> None:
        """Resume the unfinished game in the journal, if there is one.

        Raises:
            JournalError: the game is not installed, or the journal cannot be written.
        """
        self.context = context
        record = context.journal.open_game()
        self._mode = _first_mode(context) if record is None else _resume(context, record)
        self._view, self._race = self._mode.view(), self._mode.race
        # At an infinite time, so that the notice stays until the first act.
        self._feedback = Feedback(math.inf, notice=start_notice(context))
        # The last view that was shown, and what it was made of.
        self._shown, self._shown_parts = self._view, (self._view, dict[str, Any]())
        self._parts, self._stickers = KnownParts(context), HostStickers(context)
        self._said_help: set[SpeechLine] = set()  # help that was said already
        # The games for the host's phone, and what they were made of.
        self._offers, self._offers_made_of = tuple[GameOffer, ...](), tuple[Any, ...]()
        self._advice, self._advice_made_of = "", tuple[Any, ...]()  # the same for the advice
        self._robots: RobotSeats | None = None
        # What screens show while somebody must choose on the page: of which view, and who.
        self._screened: tuple[TableView, Seat, TableView] | None = None
        self._changes = 0  # the number of outcomes so far, and of changes of the robots' seats
        self._hinted_at: int | None = None  # the journal's moment of the last offered hint
        self._mat_since_s: float | None = None  # the time of the act after which the mat thinks
        self.private = PrivateAnswers(context)

    def enrol(self, game: str, box: int = 1, piece: Piece | str | None = None) -> None:
        """Change to the mode that enrols the stickers of box number *box* of *game*.

        If *piece* is given, it enrols a new sticker for that piece only. If *piece* is the name of
        a kind, it first asks which piece of that kind has lost its sticker.

        Raises:
            RegisterError: the register cannot be read.
        """
        mode = Enrolling.of(self.context, self.context.box(game, box))
        if piece is not None:
            mode = replace(mode, is_single=True)
            mode = mode.for_kind(piece) if isinstance(piece, str) else mode.for_piece(piece)
        self._apply(Outcome(mode), self._feedback.at_s)

    @property
    def mat_thinks(self) -> bool:
        """True while the mat, which plays, has something to decide, and no list is open."""
        return isinstance(self._mode, Playing) and self._mode.thinks

    @property
    def enrolling_game(self) -> str | None:
        """The game whose stickers are being enrolled, or None."""
        return self._mode.box.game if isinstance(self._mode, Enrolling) else None

    def takes(self, given: Input) -> bool:
        """Return True if the game in progress would accept *given* now, and not as a foul.

        Nothing happens at the table. Without a game in progress, the answer is False.
        """
        return isinstance(self._mode, Playing) and self._mode.takes(given)

    def penalty(self, given: Tap, seat: Seat) -> Penalty | None:
        """Return the penalty that *seat* would get for *given* now; None if it costs no pieces.

        Nothing happens at the table.
        """
        return self._mode.penalty(given, seat) if isinstance(self._mode, Playing) else None

    @property
    def failed_parts(self) -> tuple[str, ...]:
        """The names of the parts that have failed and do not work again yet."""
        return self._parts.failed

    @property
    def changes(self) -> int:
        """A number that grows whenever ``asks_of`` and ``asks_of_host`` may have changed."""
        return self._changes + self.private.changes

    def asks_of(self, player: str) -> PlayerAsked | None:
        """Return what *player* can do at a phone now; None if the player is not in this game."""
        record = self.context.journal.open_game()
        if record is None or player not in record.start.names:
            return None
        seat = Seat(record.start.names.index(player))
        game = game_of(self._mode)
        offered = self._mode.answers(seat) if self.chooser is None else self._gifts(seat)
        possible = (answer for answer in offered if not self._is_refuted(answer, seat))
        answers = tuple(self._with_doubt(answer, seat) for answer in possible)
        has_places = any(isinstance(answer.given, PlaceChoice) for answer in answers)
        grid = game.game.view(game.state).grid if game is not None and has_places else None
        fresh = self.private.fresh_in_hand(seat)
        has_drawn = any(fresh) and record.inputs[-1:] == (Press(Button.ACTION),)
        return PlayerAsked(
            seat,
            self.context.journal.moment,
            seat == self.chooser if self.chooser is not None else seat in self._view.active,
            answers,
            self._count_undone(record) > 0,
            self.private.hand_in_words(record.start.game, seat),
            self.private.is_listening(player),
            self.private.line_of(player),
            self._question(seat) if answers else "",
            () if grid is None else grid.cells,
            self.private.kinds_in_hand(seat),
            None if game is None else self.private.marks(game, seat),
            fresh,
            has_drawn and seat == self._view.turn,
        )

    def _gifts(self, seat: Seat) -> tuple[Answer, ...]:
        """Return the pieces that the player at *seat* can give away now, as answers."""
        record = self.context.journal.open_game()
        if self._robots is None or record is None or seat != self.chooser:
            return ()
        game = record.start.game
        return tuple(
            Answer(Choice(str(piece)), self.context.piece_name(game, piece))
            for piece in self._robots.choices
        )

    def _question(self, seat: Seat) -> str:
        is_giving = self.chooser is not None and seat == self.chooser
        return self.context.text(TABLE, "give-which") if is_giving else self._mode.question

    def _is_refuted(self, answer: Answer, seat: Seat) -> bool:
        """Return True if *answer* claims that nothing fits, and a dealt hand shows that it does."""
        game = game_of(self._mode)
        if game is None or not answer.is_claim or seat not in self.private.dealt_hands:
            return False
        return bool(self.private.playable(game, seat))

    def _count_undone(self, record: GameRecord) -> int:
        """Return how many inputs of *record* an undo at a phone takes back."""
        return len(record.inputs[-1:]) if self._robots is None else self._robots.count_undone()

    def _take_back(self, phone: Phone) -> Outcome | None:
        """Undo the last play; at the virtual table, that of a person and all robots' after it."""
        record = self.context.journal.open_game()
        number = 0 if record is None else self._count_undone(record)
        outcome = self._mode.take_back(phone)
        for _ in range(1, number):
            if outcome is None or outcome.mode is None or outcome.refusal is not None:
                break
            outcome = outcome.mode.take_back(phone)
        return outcome

    def _with_doubt(self, answer: Answer, seat: Seat) -> Answer:
        """Return *answer* with a question if it claims that nothing can be played, and is wrong.

        Only what the table knows of the hand of *seat* counts.
        """
        game = game_of(self._mode)
        fits = () if game is None or not answer.is_claim else self.private.playable(game, seat)
        if game is None or not fits:
            return answer
        return replace(answer, sure=game.text("phone.claim-sure", pieces=fits, label=answer.text))

    def asks_of_host(self) -> HostAsked:
        """Return what the host can do at a phone now, and what the table knows about its parts."""
        return replace(
            self._acts_of_host(),
            stickers=self._stickers.in_mode(self._mode, self._changes),
            parts=self._parts.for_host(),
            check=self._parts.check_in_words(),
        )

    def _acts_of_host(self) -> HostAsked:
        record, moment = self.context.journal.open_game(), self.context.journal.moment
        lists = setting_lists(self.context)
        if record is None and self._mode.can_start:
            is_preparing = isinstance(self._mode, Preparing)
            games = self._current_offers()
            return HostAsked(moment, False, False, lists, games=games, is_preparing=is_preparing)
        if record is None:
            return HostAsked(
                moment, False, False, lists, busy=self.context.text(TABLE, "phone.busy")
            )
        following = self._next_round()
        return HostAsked(
            moment,
            self._count_undone(record) > 0,
            True,
            lists,
            "" if following is None else following.text,
            bool(self._view.winners),
            hand_reader_of=self.private.hand_reader_of or "",
            robots=() if self._robots is None else self._robots.lists,
        )

    def _current_offers(self) -> tuple[GameOffer, ...]:
        """Return the games for the host's phone. They are made again only after a change."""
        context = self.context
        boxes = {game: boxes_of(context, game) for game in context.games}
        made_of = context.journal.moment, context.settings.current.language, boxes, self._robots
        if made_of != self._offers_made_of:
            self._offers, self._offers_made_of = offers(context, boxes, self._robots), made_of
        return self._offers

    def _next_round(self) -> Answer | None:
        """Return the button that begins the next round; None if the game does not wait for it."""
        if self._view.phase != announcements.ROUND_OVER:
            return None
        return next((a for a in self._mode.answers(Seat(0)) if isinstance(a.given, Press)), None)

    @property
    def robots(self) -> RobotSeats | None:
        """The seats for robots; None at a real table. The virtual table sets them."""
        return self._robots

    @robots.setter
    def robots(self, seats: RobotSeats | None) -> None:
        if seats != self._robots:
            self._robots = seats
            self._changes += 1

    @property
    def chooser(self) -> Seat | None:
        """The player who must still choose a piece on the virtual table's page; None if nobody."""
        return None if self._robots is None else self._robots.chooser

    def for_screens(self, view: TableView) -> TableView:
        """Return *view* for phones and televisions, which do not show the virtual table's page.

        While a player chooses a piece to give away, it is still that player's turn, and the piece
        counts as theirs.
        """
        game, chooser = game_of(self._mode), self.chooser
        if chooser is None or game is None:
            return view
        if self._screened is None or self._screened[0] is not view or self._screened[1] != chooser:
            hint = game.text("chooses-gift", seat=chooser)
            held = self.private.dealt_hands
            is_by_hand = view.score_unit is ScoreUnit.CARD and len(held) == len(view.scores)
            scores = tuple(len(held[Seat(n)]) for n in range(len(held))) if is_by_hand else None
            shown = replace(view, hint=hint, turn=chooser, scores=scores or view.scores)
            self._screened = view, chooser, shown
        return self._screened[2]

    @property
    def robot_seats(self) -> tuple[Seat, ...]:
        """The seats in which robots or the mat play."""
        record = self.context.journal.open_game()
        mats = () if record is None else record.start.mats
        return mats if self._robots is None else (*self._robots.taken, *mats)

    @property
    def goal(self) -> Seat | None:
        """The seat of the goal in a solo game (``engines.common.solo``), else None."""
        record = self.context.journal.open_game()
        return None if record is None else goal_seat(record.start.options, len(record.start.names))

    def bar(self, *, is_drawn: bool) -> Notice | None:
        """Return the notice that no piece of a hand may be played now; None if one may.

        A page in a browser shows it. *is_drawn* is True for the piece that the player drew last,
        which some games still allow.
        """
        return self._mode.bar(is_drawn=is_drawn) if isinstance(self._mode, Playing) else None

    @property
    def settings(self) -> Settings:
        """The voice settings in force."""
        return self.context.settings.current

    def wake(self) -> tuple[SpeechLine, ...]:
        """Return the lines to say when the table is switched on."""
        notice = self._feedback.notice
        repaired = () if notice is None else lines(notice.happened, notice.do, topic=Topic.FAULT)
        if isinstance(self._mode, Playing):
            said = self._mode.welcome_back()
            return (*repaired, *said, *announcements.list_lines(EMPTY_VIEW, self._view, said))
        ready = (
            () if isinstance(self._mode, Enrolling) else lines(self.context.text(TABLE, "ready"))
        )
        said = self._mode.summary()
        return (*repaired, *ready, *said, *announcements.list_lines(EMPTY_VIEW, self._view, said))

    def receive(self, event: Event, at_s: float) -> tuple[Feedback, ...]:
        """Handle *event*, which happened at *at_s*, and return the feedback to it, in order.

        *at_s* is in seconds on the loop's clock.
        """
        match event:
            case TagsArrived():
                return self._handle_arrival(event, at_s)
            case TagRemoved():
                return ()
            case TagUnreadable(spot):
                return (self._advise("unreadable", self._mode.unreadable_remedy, at_s, spot=spot),)
            case PartFailed(part, kind):
                self._parts.note_loss(part, kind)
                self._changes += 1
                named = {"part": self._parts.name(part)}
                return (self._advise("part-lost", f"part-lost.{kind}", at_s, **named),)
            case PartRecovered(part):
                self._parts.note_return(part)
                self._changes += 1
                back = self.context.text(TABLE, "part-back", part=self._parts.name(part))
                return (Feedback(at_s, lines(back, topic=Topic.FAULT)),)
            case DoctorReported(check):
                self._parts.check = check
                self._changes += 1
                return ()
            case CopyFailed(problem):
                return (self._advise("copy-failed", f"copy-failed.{problem}", at_s),)
            case AddressChanged(address):
                self._change_address(address)
                return ()
            case HallChanged(is_there):
                self._change_hall(is_there)
                return ()
            case CodeRequested(code) if code == self._code_shown:
                return ()
            case CodeRequested(code):
                shown = self.context.text(TABLE, "pairing.code", code=in_groups(code))
                notice = Notice(self.context.text(TABLE, "pairing"), shown, is_at_mat=True)
                return (self._apply(Outcome(self._mode, notice=notice), at_s),)
            case HallMessage(text):
                return (self._show_message(text, at_s),)
            case JoinRequested(address):
                return (self._ask("joining", at_s, address=address),)
            case PhoneRequested(code, None):
                return (self._ask("phone.host", at_s, code=code),)
            case PhoneRequested(code, player):
                return (self._ask("phone", at_s, code=code, player=player),)
            case PhoneLetIn(player):
                return (self._welcome(player, at_s),)
            case PhoneAct():
                return (self._act(event, at_s),)
            case PhoneSilent(player):
                return self._drop_listener(player, at_s)
            case HintDue():
                self._hinted_at = self.context.journal.moment
                return (self._apply(self._what_now(), at_s),)
            case MatDue():
                mode = self._mode
                return (self._apply(mode.let_mat_act(), at_s),) if isinstance(mode, Playing) else ()
            case Turned(steps):
                self._parts.note_use(event)
                return (self._apply(self._mode.turn(steps), at_s),)
            case Pressed(button):
                self._parts.note_use(event)
                return (self._apply(self._mode.press(button), at_s),)
            case Rocked():
                self._parts.note_use(event)
                self._changes += 1
                outcome = self._mode.sense(Sensor.TILT)
                return () if outcome is None else (self._apply(outcome, at_s),)

    @property
    def race(self) -> tuple[str, ...]:
        """The spots of the current race, in which only the first piece counts; else empty."""
        return self._race

    def view(self, now_s: float) -> TableView:
        """Return the view at *now_s*, in seconds on the loop's clock.

        A notice and a flash are part of it for a short time only.
        """
        added: dict[str, Any] = {}
        age_s = now_s - self._feedback.at_s
        notice = self._feedback.notice
        if notice is not None and age_s < _shown_s(notice):
            added["notice"] = notice
        if self._feedback.flash is not None and is_lit(self._feedback.flash, age_s):
            added["flash"] = self._feedback.flash
        if self._parts.failed:
            added["fault"] = self._fault()
        if self.context.hall.calls:
            added["calls"] = True
        parts = self._view, added
        if parts != self._shown_parts:
            self._shown, self._shown_parts = replace(self._view, **added), parts
        return self._shown

    def advice(self) -> str:
        """Return what everybody may know of what can be played now; "" if that is nothing.

        It takes some milliseconds, so it is empty in a race, and while no companion shows it.
        """
        game, hints = game_of(self._mode), self.settings.hints
        is_wanted = hints is not Hints.NONE and self.context.companion.address is not None
        is_asked = self._view.choices is not None  # a question, and not a piece to play
        if game is None or self._race or not is_wanted or self._view.counted or is_asked:
            return ""
        made_of = game, self.settings.language
        if made_of != self._advice_made_of:
            advice = Advice(game)
            plays = () if advice.is_barred else advice.plays()
            self._advice, self._advice_made_of = " ".join(plays), made_of
        return self._advice

    def _ask(self, question: str, at_s: float, /, **facts: object) -> Feedback:
        """Show the text *question* and say it.

        The next button that is pressed is the answer. It goes to the inbox, not to the table.
        """
        asked, do, yes, no = (
            self.context.text(TABLE, code, **facts)
            for code in (question, "joining.do", f"{question}.yes", "joining.no")
        )
        notice = Notice(asked, do, on_page=(asked, ""), answers=(yes, no), is_at_mat=True)
        said = lines(self.context.spoken_text(TABLE, question, **facts), notice.do)
        return self._apply(Outcome(self._mode, say=said, notice=notice), at_s)

    def _welcome(self, player: str | None, at_s: float) -> Feedback:
        """Say that a phone is *player*'s or the host's now, and close the screen for joining."""
        code = "phone.host.in" if player is None else "phone.in"
        text = self.context.text(TABLE, code, player=player)
        mode = self._mode.return_to if isinstance(self._mode, Joining) else self._mode
        return self._apply(Outcome(mode, lines(text), notice=Notice(text)), at_s)

    def _act(self, event: PhoneAct, at_s: float) -> Feedback:
        """Do what a phone asks for. If that is impossible, tell only the phone why."""
        if event.player is not None:
            self.private.hear_from(event.player, at_s)
        if event.act is PhoneCommand.HERE:
            return Feedback(at_s)
        if event.act is PhoneCommand.SAY_AGAIN:
            return self._apply(Outcome(self._mode, self._lines_again()), at_s)
        if event.act is PhoneCommand.SAFE_TO_UNPLUG:
            return self._say_if_safe(at_s)
        if event.act in PRIVATE_COMMANDS:
            return self._act_privately(event, at_s)
        if isinstance(event.act, RobotChosen):
            return self._seat_robot(event.player, event.act, at_s)
        if isinstance(event.act, SettingChosen):
            name, value = event.act.name, event.act.value
            outcome = choose_setting(self._mode, self.context, name, value)
        elif why := self._reason_against(event):
            return Feedback(at_s, refused=self.context.text(TABLE, why))
        elif self.chooser is not None and isinstance(event.act, Choice):
            return Feedback(at_s, refused=self._give(event.player, event.act))
        else:
            outcome = self._outcome_of(event)
        if outcome is None:
            return Feedback(at_s, refused=self.context.text(TABLE, "phone.not-now"))
        wrong = outcome.refusal
        refused = "" if wrong is None else f"{wrong.happened} {wrong.do}".strip()
        return replace(self._apply(outcome, at_s), refused=refused)

    def _say_if_safe(self, at_s: float) -> Feedback:
        """Say that the table can be unplugged, or refuse that while the journal does not work."""
        text = self.context.text
        if not self._parts.saves:
            return Feedback(at_s, refused=text(TABLE, "unplug.not-saved"))
        notice = Notice(text(TABLE, "unplug.saved"), text(TABLE, "unplug.do"))
        said = as_requested(lines(notice.happened, notice.do))
        return self._apply(Outcome(self._mode, said, notice=notice), at_s)

    def _seat_robot(self, player: str | None, chosen: RobotChosen, at_s: float) -> Feedback:
        """Let a robot or a person play in a seat, as the host (None) has *chosen*."""
        if player is not None or self._robots is None:
            return Feedback(at_s, refused=self.context.text(TABLE, "phone.not-now"))
        return Feedback(at_s, refused=self._robots.choose(chosen.seat, chosen.style))

    def _give(self, player: str | None, given: Choice) -> str:
        """Give the chosen piece away for *player*; return why that is refused, or ""."""
        record, robots = self.context.journal.open_game(), self._robots
        if record is not None and robots is not None and robots.chooser is not None:
            pieces = {str(piece): piece for piece in robots.choices}
            if player == record.start.names[robots.chooser] and given.name in pieces:
                return robots.give(pieces[given.name])
        return self.context.text(TABLE, "phone.not-now")

    def _reason_against(self, event: PhoneAct) -> str:
        """Return the text code of the reason why *event* is too late or wrong; "" if it is not."""
        if isinstance(event.act, StickersAct):
            return reason_against(self.context, self._mode, event.act, self._changes)
        if isinstance(event.act, GameChosen):
            names = event.act.names
            if self.context.journal.open_game() is not None:
                return "phone.started"
            if len(set(names)) != len(names) or not all(map(is_name, names)):
                return "phone.names"
        return "" if event.moment == self.context.journal.moment else "phone.late"

    def _outcome_of(self, event: PhoneAct) -> Outcome | None:
        """Return the outcome of a phone's act on the game; None if the act is not possible now."""
        asked = None if event.player is None else self.asks_of(event.player)
        phone = HOST if asked is None else asked.seat
        if event.player is not None and asked is None:
            return None
        if event.act is PhoneCommand.TAKE_BACK:
            return self._take_back(phone)
        if event.player is None:
            return self._outcome_of_host(event.act)
        allowed = () if asked is None else asked.answers
        given = next((a.given for a in allowed if a.given == event.act), None)
        return None if given is None else self._mode.answer(given, phone)

    def _outcome_of_host(self, act: object) -> Outcome | None:
        match act:
            case PhoneCommand.END_GAME:
                return self._mode.end_game(HOST)
            case PhoneCommand.NEXT_ROUND:
                following = self._next_round()
                return None if following is None else self._mode.answer(following.given, HOST)
            case PhoneCommand.REMATCH if self._view.winners:
                return self._rematch()
            case PhoneCommand.FREE_HAND_READER:
                return self._take_hand_reader()
            case GameChosen():
                return self._start_chosen(act)
            case StickersAct():
                return outcome_of(self.context, self._mode, act)
        return None

    def _start_chosen(self, chosen: GameChosen) -> Outcome | None:
        """Start the game of the host's phone; None if the game or who plays it is impossible."""
        offered = next((each for each in self._current_offers() if each.game == chosen.game), None)
        if offered is None or not _are_seats_of(offered, chosen):
            return None
        outcome = self._mode.start_game(chosen)
        if self._robots is not None and outcome is not None and outcome.refusal is None:
            self._robots.seat_next(chosen.who)
        return outcome

    def _rematch(self) -> Outcome | None:
        """Close the finished game, and start another one like it."""
        record = self.context.journal.open_game()
        ended = self._mode.end_game(HOST)
        if record is None or ended is None or ended.refusal is not None:
            return ended
        return Preparing.start_again(self.context, record.start) or ended

    def _apply(self, outcome: Outcome, at_s: float) -> Feedback:
        before, was = self._view, self._mode
        self._changes += 1
        self._mat_since_s = at_s
        game_before = game_of(was)
        self._mode = outcome.mode if outcome.mode is not None else Idle(self.context)
        self._view, self._race = self._mode.view(), self._mode.race
        self.private.follow(game_before, game_of(self._mode))
        is_nothing = self._mode is was and not (
            outcome.say or outcome.says_everything
        )  # for example, a card found at switch-on
        say = () if is_nothing else self._lines_to_say(before, outcome)
        cue = announcements.cue(before, self._view, outcome.flash)
        self._feedback = Feedback(at_s, say, outcome.flash, outcome.notice, cue)
        return self._feedback

    def _show_message(self, text: str, at_s: float) -> Feedback:
        """Show *text* from the hall until the first act, and whenever the table waits for a game.

        While a game is played, show it for a short time.
        """
        self.context.hall.message = text
        feedback = self._apply(Outcome(self._mode, notice=Notice(text) if text else None), at_s)
        if game_of(self._mode) is None or self._view.winners:
            self._feedback = replace(feedback, at_s=math.inf)
        return feedback

    @property
    def _code_shown(self) -> str | None:
        """The code on the screen for people who join, or None if that screen is not open."""
        shown = self._view.join
        return None if shown is None else shown.code

    def _change_address(self, address: JoinAddress | None) -> None:
        """Show *address* if the screen for joining is open; close the screen if it is None."""
        self.context.companion.address = address
        if isinstance(self._mode, Joining):
            self._mode = self._mode if address is not None else self._mode.return_to
            self._view, self._race = self._mode.view(), self._mode.race

    def _change_hall(self, is_there: bool) -> None:
        """Note that the table is in a hall, or is not any more: then forget all about it."""
        hall = self.context.hall
        hall.is_there = is_there
        if not is_there:
            hall.calls, hall.message = False, ""
            self._view = self._mode.view()

    def _fault(self) -> str:
        """Return a sentence that names the failed parts; empty if all parts work."""
        lost = ", ".join(map(self._parts.name, self._parts.failed))
        return self.context.text(TABLE, "part-lost", part=lost) if lost else ""

    def _lines_to_say(self, before: TableView, outcome: Outcome) -> tuple[SpeechLine, ...]:
        """Return the lines of *outcome* and of the open list, and help that was not said before.

        *before* is the view before the act.
        """
        view, say = self._view, outcome.say
        if outcome.says_everything:
            shown = replace(view, fault=self._fault())
            return (*say, *announcements.full_description(shown, self.context))
        was_covered = before.choices is not None or before.join is not None
        if not say and was_covered and view.choices is None and view.join is None:
            say = self._mode.summary()  # a list was closed, so say what is below it
        say = (*say, *announcements.list_lines(before, view, say))
        if not say or outcome.refusal is not None:
            return say
        helps = [
            line
            for line in announcements.control_help(view, self.context)
            if line not in self._said_help
        ]
        self._said_help.update(helps)
        return (*say, *helps)

    def _refuse(self, code: str, at_s: float, **facts: str) -> Feedback:
        return self._apply(refuse(self._mode, self.context.notice(TABLE, code, **facts)), at_s)

    def _advise(self, happened: str, do: str, at_s: float, **facts: str) -> Feedback:
        """Announce an event that no player caused.

        *happened* says what happened, and *do* what to do; both are text codes. A notice that is
        still on the display is not replaced.
        """
        notice = Notice(self.context.text(TABLE, happened, **facts), self.context.text(TABLE, do))
        said = lines(notice.happened, notice.do, topic=Topic.FAULT)
        feedback = Feedback(at_s, said, notice=notice)
        before = self._feedback.notice
        if before is None or at_s - self._feedback.at_s >= _shown_s(before):
            self._feedback = feedback
        return feedback

    def _handle_arrival(self, event: TagsArrived, at_s: float) -> tuple[Feedback, ...]:
        """Refuse unknown tags, run command cards, and pass pieces to the mode, game by game.

        The mode may handle all tags itself instead, as enrolling does.
        """
        feedback: list[Feedback] = []
        seen: list[LookedUpTag] = []
        for laid in event.tags:
            try:
                seen.append(
                    LookedUpTag(laid.uid, laid.spot, self.context.register.piece_of(laid.uid))
                )
            except RegisterError as error:
                log.warning("%s", error)
                feedback.append(self._refuse("not-readable", at_s))
        if seen and (outcome := self._mode.handle_tags(tuple(seen), event.was_found)) is not None:
            return (*feedback, self._apply(outcome, at_s))
        pieces: list[tuple[Registered, str]] = []
        for tag in seen:
            if tag.enrolled is None:
                code = "random-uid" if is_random_uid(tag.uid) else "unknown-tag"
                feedback.append(self._refuse(code, at_s))
            elif tag.enrolled.game != COMMANDS:
                pieces.append((tag.enrolled, tag.spot))
            elif not event.was_found and self.private.hears_card(
                game_of(self._mode), tag.enrolled.piece, tag.spot
            ):
                feedback.append(Feedback(at_s))
            elif not event.was_found:
                feedback.append(self._apply(self._command(tag.enrolled.piece), at_s))
        for game in dict.fromkeys(registered.game for registered, _ in pieces):
            of_game = [(registered, spot) for registered, spot in pieces if registered.game == game]
            together = tuple((registered.piece, spot) for registered, spot in of_game)
            tapped = TappedPieces(game, together, event.was_found, of_game[0][0].box)
            feedback.append(self._tap(tapped, at_s))
        return tuple(feedback)

    def _tap(self, tapped: TappedPieces, at_s: float) -> Feedback:
        if tapped.game not in self.context.games:
            return self._refuse("game-missing", at_s, game=tapped.game)
        tapped = self.private.pieces_to_play(game_of(self._mode), tapped)
        if not tapped.pieces:
            return Feedback(at_s)
        return self._apply(self._mode.tap(tapped), at_s)

    def _command(self, card: Piece) -> Outcome:
        """Run the command of a command card: a number, a seat, a button, or a request to speak."""
        command, _, number = card.kind.rpartition("-")
        if command == "number":
            return self._mode.number(int(number))
        if command == "seat":
            return self._mode.seat(int(number) - 1)
        if card.kind == "say-again":
            return Outcome(self._mode, self._lines_again())
        if card.kind == "say-everything":
            return Outcome(self._mode, says_everything=True)
        if card.kind == "what-now":
            return self._what_now()
        if card.kind == "settings":
            return Adjusting.open(self._mode, self.context)
        if card.kind == "learn":
            not_now = self.context.notice(TABLE, "no-lesson")
            return self._mode.learn() or refuse(self._mode, not_now)
        return self._mode.press(card.kind)

    def _act_privately(self, event: PhoneAct, at_s: float) -> Feedback:
        """Do one of ``PRIVATE_COMMANDS``. Only the player hears the answer."""
        game, player = game_of(self._mode), event.player
        if game is None or player is None or player not in game.start.names:
            return Feedback(at_s, refused=self.context.text(TABLE, "phone.not-now"))
        return Feedback(at_s, self.private.act(game, player, event.act, at_s))

    def poll_waits(self, now_s: float, is_speaking: bool = False) -> tuple[Event, ...]:
        """Return the events that become due because time passes until *now_s*.

        They are about people who have done nothing for too long, and the mat's own turn, which does
        not begin while the voice *is_speaking*.
        """
        silent = self.private.silent_phone(now_s)
        phones = () if silent is None else (PhoneSilent(silent),)
        hints = (HintDue(),) if self._hint_is_due(now_s) else ()
        return (*phones, *hints, *((MatDue(),) if self._mat_is_due(now_s, is_speaking) else ()))

    def _mat_is_due(self, now_s: float, is_speaking: bool) -> bool:
        """Return True if the mat has to act, and has thought for long enough until *now_s*.

        It first lets the voice tell what was played.
        """
        if not self.mat_thinks:
            return False
        if self._mat_since_s is None:
            self._mat_since_s = now_s
        return now_s - self._mat_since_s >= (MAT_WAITS_S if is_speaking else MAT_THINKS_S)

    def _drop_listener(self, player: str, at_s: float) -> tuple[Feedback, ...]:
        """Let *player*, whose phone is silent, listen no more; say that the hand reader is free."""
        if not self.private.drop_listener(player):
            return ()
        return (Feedback(at_s, lines(self.context.text(TABLE, "ear.free"))),)

    def _take_hand_reader(self) -> Outcome | None:
        """Make the hand reader free for the host; return None if it is free."""
        game = game_of(self._mode)
        said = None if game is None else self.private.take_hand_reader(game)
        return None if said is None else Outcome(self._mode, said)

    def _hint_is_due(self, now_s: float) -> bool:
        """Return True if players think for so long that *now_s* is the time for a hint.

        It is offered once between two acts, if the settings say so, and never in a race.
        """
        if not self.settings.hints.is_offered or self._race:
            return False
        is_new = self._hinted_at != self.context.journal.moment
        is_play = isinstance(self._mode, Playing) and self._view.phase != announcements.ROUND_OVER
        return is_play and is_new and now_s - self._feedback.at_s >= THINKING_S

    def _what_now(self) -> Outcome:
        """Return what can be done in the game; in a list or without hints, the lines again."""
        if isinstance(self._mode, Playing) and self.settings.hints is not Hints.NONE:
            return self._mode.what_now()
        return Outcome(self._mode, self._lines_again())

    def _lines_again(self) -> tuple[SpeechLine, ...]:
        """Return the mode's summary and the selected list item, for the command "say again"."""
        summary = self._mode.summary()
        return as_requested((*summary, *announcements.list_lines(EMPTY_VIEW, self._view, summary)))


def _shown_s(notice: Notice) -> float:
    """Return for how many seconds *notice* is shown."""
    return QUESTION_S if notice.answers else NOTICE_S


def game_of(mode: Mode) -> ActiveGame | None:
    """Return the game in progress: *mode*, or a mode below it; None if there is none."""
    match mode:
        case Playing():
            return mode
        case GameOverlay(playing):
            return playing
        case ModeAbove():
            return game_of(mode.return_to)
    return None


def _are_seats_of(offer: GameOffer, chosen: GameChosen) -> bool:
    """Return True if those who play in the *chosen* game are offered, one for each name."""
    known = {value for value, _ in offer.who}
    return not chosen.who or (len(chosen.who) == len(chosen.names) and known >= {*chosen.who})


def _first_mode(context: TableContext) -> Mode:
    """Return the mode of a table without a game: idle, or the questions of its very first start."""
    idle = Idle(context)
    if context.kits is None or context.kits.chosen:
        return idle
    settings = Adjusting.open(idle, context).mode
    assert isinstance(settings, Adjusting)
    return settings.ask(LANGUAGE, KIT)


def _resume(context: TableContext, record: GameRecord) -> Mode:
    """Return the mode that resumes the game of *record*.

    If the installed rules refuse one of its inputs, that input and all later ones are undone. If
    the rules refuse its start, the game ends and the mode is Idle.

    Raises:
        JournalError: the game is not installed, or the journal cannot be written.
    """
    name = record.start.game
    if name not in context.games:
        found = f"is a game of {name}, which is not installed"
        remedy = f"Install {name}, or move the file away to start again."
        raise JournalError(context.journal.path, f"game {record.number}", found, remedy)
    reason = f"game {record.number} cannot go on unchanged: the rules of {name} refuse it"
    try:
        return Playing.resume(context, record)
    except CutShort as short:
        context.journal.cut_back(short.accepted, f"{reason} ({short.__cause__})")
        return short.playing
    except (RulesError, ValueError) as wrong:
        context.journal.cut_back(0, f"{reason} ({wrong})")
        context.journal.end("abandoned")
        return Idle(context)


def start_notice(context: TableContext) -> Notice | None:
    """Return the notice to show after the program starts, or None if there is nothing to tell.

    The notice is about a disk that cannot be written, a file that was repaired, or pieces of a
    stack that were not played before the power was cut.
    """
    text = context.text
    if context.journal.trouble is not None:
        return Notice(text(TABLE, "disk-trouble"), text(TABLE, remedy(context.journal.trouble)))
    if context.journal.recovery is None:
        if context.register.recovery is None:
            return _unfinished_stack(context)
        return Notice(text(TABLE, "register-mended"), text(TABLE, "register-mended.do"))
    record = context.journal.open_game()
    happened = text(TABLE, "journal-mended")
    if record is None:
        return Notice(happened, text(TABLE, "journal-mended.no-game"))
    pieces = [given.piece for given in record.inputs if isinstance(given, Tap)]
    if not pieces:
        return Notice(happened, text(TABLE, "journal-mended.no-card"))
    last_card = text(record.start.game, "journal-mended.last-card", piece=pieces[-1])
    return Notice(happened, last_card)


def _unfinished_stack(context: TableContext) -> Notice | None:
    """Return a notice that names the pieces of a stack that a power cut left unplayed.

    Return None if there are none.
    """
    record = context.journal.open_game()
    if record is None or not record.left:
        return None
    text, game = context.text, record.start.game
    happened = text(game, "stack-half-told", pieces=record.left)
    return Notice(happened, text(game, "stack-half-told.do"))
