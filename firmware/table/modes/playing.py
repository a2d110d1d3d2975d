"""The mode in which a game is played. It passes inputs to the engine and commits and undoes them.

It uses only the engine contract, and does not know any particular game.

An input is committed to the journal before its result is shown or said. The journal owns the
inputs; this mode keeps the state before each of them, so that an undo need not replay the game.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from engines.common import highlights
from engines.common.contract import (
    Ask,
    Button,
    Choice,
    ChoiceAsk,
    Game,
    HandTransfer,
    Input,
    Message,
    Number,
    Offer,
    PlaceAsk,
    PlaceChoice,
    Press,
    PressAsk,
    Seat,
    SeatAsk,
    SeatChoice,
    Sensor,
    Setup,
    Step,
    Tap,
    TapAsk,
    Topic,
    View,
    message,
    seat_of_spot,
)
from engines.common.errors import NotExpectedNow, NotInThisGame, RulesError
from engines.common.grid import Cell, Grid, Place
from engines.common.layouts import hand
from engines.common.lessons import Lesson, Lessons, Moment, lessons_of
from engines.common.pieces import Piece
from engines.common.rules_card import rule_of_foul, rules_card_of
from engines.common.solo import goal_seat
from firmware.common.errors import JournalError
from firmware.journal.codec import Phone, RowChange
from firmware.journal.journal import GameRecord, GameStart
from firmware.show.view import Flash, GridView, ListView, Notice, Penalty, TableView
from firmware.table import announcements
from firmware.table.answers import Answer
from firmware.table.company import Company
from firmware.table.context import TABLE, TableContext
from firmware.table.mat_player import Decision
from firmware.table.mat_seats import MatSeats, asks_without
from firmware.table.modes.active_game import ActiveGame
from firmware.table.modes.advice import Advice
from firmware.table.modes.doubt import Doubt
from firmware.table.modes.game_menu import GameMenu
from firmware.table.modes.mat_turn import MatTurn
from firmware.table.modes.mode import Outcome, TappedPieces, refuse
from firmware.table.modes.questions import fixed_words, picker_for
from firmware.table.modes.stack_question import take_stack
from firmware.table.picker import Picker
from firmware.voice.settings import Hints, Level, Remarks
from firmware.voice.speech import SpeechLine, as_requested, lines

OF_ONE_SEAT = {"seat", "n"}  # the facts of a message about a player, and no piece


class CutShort(Exception):
    """The installed rules refuse an input in the journal, so the game cannot continue unchanged.

    *accepted* is the number of inputs before that one, and *playing* is the game after them.
    """

    def __init__(self, playing: "Playing", accepted: int) -> None:
        super().__init__(f"after {accepted} inputs")
        self.playing, self.accepted = playing, accepted


@dataclass(frozen=True)
class Playing(ActiveGame):
    """One game in progress.

    *state* is the state of the game's rules. *earlier_states* are the states before each input that
    was not undone. *picker* is the list of answers to choose from with the controls, or None if the
    game does not ask for such an answer. *handed* are the cards that players gave each other at the
    last input, or its undo. *told* are the codes of the lessons told so far; *lesson* is the lesson
    that the last input brought, if any, and *lesson_piece* the piece that it is about. *row_ends*
    has the numbers of inputs after which whole hands changed, each with the seats. *shown* has the
    indexes of inputs with which a piece was only shown. *decided* is what the mat does in its turn,
    once it has decided that. *company* is the course of the game for the mat's remarks, if it
    plays, and *remarked* are the rounds in which it has made one since the table was switched on.
    *old_row* is a row of the mat that ``back`` puts back, because it was to be laid again.
    """

    context: TableContext
    game: Game[Any]
    start: GameStart
    state: Any
    earlier_states: tuple[Any, ...] = ()
    picker: Picker[Input] | None = None
    handed: tuple[HandTransfer, ...] = ()
    told: frozenset[str] = frozenset()
    lesson: Lesson | None = None
    lesson_piece: Piece | None = None
    row_ends: tuple[tuple[int, tuple[Seat, ...]], ...] = ()
    shown: frozenset[int] = frozenset()
    decided: Decision | None = None
    company: Company | None = None
    remarked: frozenset[int] = frozenset()
    old_row: tuple[RowChange, ...] = ()

    @classmethod
    def begin(cls, context: TableContext, start: GameStart) -> "Playing":
        """Return the game that *start* describes, before its first input.

        Nothing is written to the journal.

        Raises:
            CannotStart: this number of players cannot play the game with this deck.
            ValueError: the rules do not know the number of players, the dealer, an option or a
                kind of the deck.
        """
        game = context.games[start.game]
        setup = Setup(len(start.names), Seat(start.dealer), start.deck, start.options)
        state = game.start(setup)
        is_solo = goal_seat(start.options, len(start.names)) is not None
        has_company = start.mats and not is_solo  # a goal is nobody to talk to
        company = Company.begin(start.mats, game.view(state)) if has_company else None
        return cls(context, game, start, state, company=company).with_new_picker()

    @classmethod
    def resume(cls, context: TableContext, record: GameRecord) -> "Playing":
        """Return the game of *record* after its inputs.

        Raises:
            CutShort: the installed rules refuse an input of the journal.
            RulesError: the installed rules refuse the start.
            ValueError: the start has seats, options or a deck unknown to the installed rules.
        """
        playing = cls.begin(context, record.start)
        for number, given in enumerate(record.inputs):
            try:
                playing, _ = playing.after(given)
            except (RulesError, ValueError) as wrong:
                raise CutShort(playing.with_new_picker(), number) from wrong
        return playing.with_new_picker()

    # --- what people do ---

    def tap(self, tapped: TappedPieces) -> Outcome:
        """Play the pieces. If several arrived at once, find out the order to play them in first."""
        taps = self.fresh_taps(tapped)
        if not taps:
            return Outcome(self)
        if tapped.game != self.game.name:
            return refuse(self, self.other_game_notice(tapped.game))
        if self.start.mats and (outcome := self.mat.take(taps)) is not None:
            return outcome
        if len(taps) == 1:
            return self._ask_if_unwise(taps[0]) or self.apply(taps[0])
        return take_stack(self, taps)

    def what_now(self) -> Outcome:
        """Show and say what can be done now; after the game, show its highlights."""
        if self._game_view.is_over:
            first, *others = (*self._highlights(), self._game_view.hint)
            said = self._spoken_lines((first, *others))
            rest = " ".join(map(self._message_text, others))
            return Outcome(self, as_requested(said), notice=Notice(self._message_text(first), rest))
        if self._for_mat:
            return Outcome(self, as_requested(self.mat.lines()), notice=Notice(self._for_mat))
        if self.context.settings.current.hints is Hints.NONE:
            return Outcome(self)
        return Advice(self).outcome()

    def _ask_if_unwise(self, tap: Tap) -> Outcome | None:
        """Ask before an unwise play, if the settings say so; return None if there is no need."""
        why = self._game_view.warnings.get(tap.piece.kind)
        if why is None or self.context.settings.current.hints is not Hints.CAREFUL:
            return None
        if not self.takes(tap):
            return None
        words = self.text("unwise", piece=tap.piece, why=self._spoken_text(why))
        back = self.text("unwise.back", piece=tap.piece)
        return Doubt.of(self, tap, code="unwise", words=words, back=back)

    def turn(self, steps: int) -> Outcome:
        """Move the cursor in the list of answers; if there is none, answer "What can I do?"."""
        if steps == 0:  # it only removes a question from the display
            return Outcome(self)
        if self.picker is None:
            return self.what_now()
        return self._move(lambda picker: picker.move(steps))

    def press(self, button: str) -> Outcome:
        """Handle a press of *button*.

        OK chooses the answer under the cursor. If there is no list of answers, it ends a finished
        game, does what the game asks of OK, or opens the menu. ``back`` undoes the last input. The
        action button does what the game asks of it, or selects the next place on a map.
        """
        if button == "back":
            return self._undo()
        if button == "action":
            if self._action_moves_on:
                return self._move(lambda picker: picker.advance(1))
            return self._answer_for_mat() or self._doubt() or self.apply(Press(Button.ACTION))
        if self.picker is not None:
            return self.apply(self.picker.chosen)
        if self.start.mats and (outcome := self.mat.give()) is not None:
            return outcome
        if self._game_view.is_over:
            return self.end("over")
        if self._press_ask(Button.OK) is not None and not self._for_mat:
            return self.apply(Press(Button.OK))
        return Outcome(GameMenu.of(self))

    def number(self, value: int) -> Outcome:
        """Choose item *value*, from 1, of a list of choices; otherwise, give the game the number.

        The places of a map have no visible numbers. There, the cursor moves forward by *value*,
        and OK chooses.
        """
        if self._offer is not None:
            return self._move(lambda picker: picker.advance(value))
        items = self.picker.items if self.picker is not None else ()
        if value <= len(items) and isinstance(items[value - 1], Choice):
            return self.apply(items[value - 1])
        return self._answer_for_mat() or self.apply(Number(value))

    def seat(self, seat: int) -> Outcome:
        """Give the seat of a seat card to the game as an answer."""
        answer = SeatChoice(Seat(seat))
        is_asked = any(isinstance(ask, SeatAsk) and seat in ask.seats for ask in self._asks)
        if answer.seat in self.start.mats and not is_asked:
            return refuse(self, self.notice("mat.not-mine", seat=answer.seat))
        return self._answer_for_mat() or self.apply(answer)

    def sense(self, sensor: Sensor) -> Outcome | None:
        """Press the button that *sensor* may press in the game's present state.

        Return None if there is no such button.
        """
        presses = (a for a in self._asks if isinstance(a, PressAsk) and a.sensor is sensor)
        ask = next(presses, None)
        return None if ask is None else self.apply(Press(ask.button))

    # --- what the mat does as a player ---

    @cached_property
    def mat(self) -> MatTurn:
        """The mat's part at this moment, in a game in which it plays."""
        record = self.context.journal.open_game()
        if record is None or record.start != self.start:
            record = GameRecord(0, self.start)  # the game is about to begin
        since = {seat: at for at, seats in self.row_ends for seat in seats}
        asks, named = self._asks, self.named_for_input
        layout = self.game.layout
        seats = MatSeats(record, self._game_view, asks, named, since, self.shown, layout)
        return MatTurn(self, seats)

    def _new_hands(self, after: "Playing") -> tuple[Seat, ...]:
        """Return the mat's seats that have a hand of other pieces in *after*, the next moment.

        That is so after a round, and if hands are swapped.
        """
        if after._game_view.phase == announcements.ROUND_OVER:
            return self.start.mats
        is_swap = len(after.handed) > 1
        return tuple(each.giver for each in after.handed if is_swap)

    @property
    def _is_only_shown(self) -> bool:
        """True if a piece that is tapped now stays in its hand."""
        return any(isinstance(ask, TapAsk) and ask.is_shown for ask in self._asks)

    @cached_property
    def _for_mat(self) -> str:
        """The request to people to do something for the mat; "" if there is none."""
        return self.mat.instruction(self.decided) if self.start.mats else ""

    @property
    def _to_do_for_mat(self) -> str:
        """The request to people to do something for the mat or with its pieces, or ""."""
        return self._for_mat or self._task

    @property
    def _task(self) -> str:
        """The request to do with the mat's pieces what a person would do alone, or ""."""
        return self.mat.task if self.start.mats else ""

    @cached_property
    def thinks(self) -> bool:
        """True if the mat has to decide something, and has not decided yet."""
        is_open = self.start.mats and self.decided is None
        return bool(is_open) and self.mat.is_thinking

    def let_mat_act(self) -> Outcome:
        """Let the mat decide, and do what it has decided."""
        decided = self.mat.decide()
        if decided is None:
            return Outcome(self)
        acting, remark = replace(self, decided=decided).with_new_picker()._with_remark()
        outcome = acting.mat.act(decided)
        return replace(outcome, say=(*remark, *outcome.say))

    def _with_remark(self) -> tuple["Playing", tuple[SpeechLine, ...]]:
        """Return this game, and the mat's remark for the voice, if it makes one now.

        It makes none twice in a round, even if the play before it is undone and played again.
        """
        company = self.company
        remark = None if company is None else company.remark
        is_on = self.context.settings.current.remarks is Remarks.ON
        if company is None or remark is None or not is_on or company.round in self.remarked:
            return self, ()
        remarked = self.remarked | {company.round}
        return replace(self, remarked=remarked), self._spoken_lines((remark,))

    def _answer_for_mat(self) -> Outcome | None:
        """Refuse an answer or a button that is up to the mat; return None if it is not."""
        if not self._for_mat:
            return None
        notice = self.notice("mat.answers", seat=self.mat.awaited)
        return refuse(self, replace(notice, do=self._for_mat))

    def _doubt(self) -> Outcome | None:
        """Ask before the mat's hand counts without all its pieces; return None if it does not."""
        return self.mat.doubt_about_count() if self.start.mats else None

    def after_row_change(self, old_row: tuple[RowChange, ...] | None) -> Outcome:
        """Return the outcome of a change of a row, which is in the journal: say what is next."""
        kept = self.old_row if old_row is None else old_row
        following = replace(self, decided=None, old_row=kept).with_new_picker()
        view = following._game_view
        said = following._mat_lines()
        if not said and view.turn is not None:
            said = lines(self.text("whose-turn", seat=view.turn), topic=Topic.TURN)
        elif not said:
            said = following._hint_lines(view)
        return Outcome(following, said, Flash.ACCEPTED)

    # --- what people do at a phone ---

    def answers(self, seat: Seat) -> tuple[Answer, ...]:
        """Return what the player at *seat* can answer: an item of a list, a place, or a button."""
        named = self.named_for_input
        if self._for_mat or (named and seat not in named):
            return ()
        items = () if self.picker is None else self.picker.items
        return (
            *map(self._answer, items),
            *(
                Answer(
                    Press(ask.button), self._label(ask.button), "", self._sure(ask), ask.is_claim
                )
                for ask in self._asks
                if isinstance(ask, PressAsk)
            ),
        )

    def _sure(self, ask: PressAsk) -> str:
        """Return the question before a press that leaves out expected pieces, or ""."""
        return self.text("phone.unlaid", n=ask.unlaid) if ask.unlaid else ""

    @property
    def question(self) -> str:
        """The question for a place on the map, without the controls that the hint names."""
        hint = self._game_view.page_hint
        return self._text_on_page(hint) if hint is not None and self._offers else ""

    def _answer(self, given: Input) -> Answer:
        """Return the answer *given*, an item of the list, for a phone."""
        offer = self._offers.get(given)
        if offer is None:
            return Answer(given, self._item(given)[0])
        return Answer(given, self._place_in_words(offer), self._headline(self._view_at(offer)))

    def answer(self, given: Input, phone: Phone) -> Outcome | None:
        """Give the answer to the rules; return the outcome."""
        return self.apply(given, phone=phone)

    def take_back(self, phone: Phone) -> Outcome | None:
        """Undo the last input; return the outcome."""
        return self._undo(phone)

    def _move(self, move: Callable[[Picker[Any]], Picker[Any]]) -> Outcome:
        """Move the cursor, if there is a picker."""
        return Outcome(self if self.picker is None else replace(self, picker=move(self.picker)))

    # --- what is shown and said ---

    def opening(self) -> tuple[SpeechLine, ...]:
        """Return the lines to say when the game begins."""
        opening = self._spoken_lines(self.game.opening(self.state))
        lessons = () if self._lessons is None else self._lessons.opening
        opening = self._with_mat_lines(opening)
        return (*opening, *(line for lesson in lessons for line in self._lesson_lines(lesson)))

    def first_notice(self) -> Notice | None:
        """Return the notice with the lessons of the game's beginning, if it is taught."""
        if self._lessons is None:
            return None
        first, *others = (self._lesson_text(each.code) for each in self._lessons.opening)
        # A page deals and draws by itself, and shows the aim of the game.
        return Notice(first, " ".join(others), on_page=("", ""))

    def welcome_back(self) -> tuple[SpeechLine, ...]:
        """Return the lines to say when the game continues after a power cut."""
        view = self._game_view
        title = self.wording.spoken_text(self.game.name, "title")
        resumed = lines(self.text("resumed", title=title))
        if self.start.mats and not self._for_mat and view.turn is not None:
            turn = self.text("whose-turn", seat=view.turn)
            resumed = (*resumed, *lines(turn, topic=Topic.TURN))
        return (*resumed, *self._status_lines(view))

    def view(self) -> TableView:
        """Return the game's view in the table's language, with the list of answers, if any."""
        view, for_mat, on_page = self._current_view, self._for_mat, self._game_view
        waiting = self.mat.waiting if for_mat else None
        to_do = self._to_do_for_mat
        ok = self.mat.ok_label() if for_mat else self._label(Button.OK)
        return TableView(
            phase=view.phase,
            title=self.text("title"),
            headline=self._headline(view),
            caption=self._message_text(view.caption),
            hint=to_do or self._message_text(view.hint),
            # Pages show the points of each place on the map, so no place is selected there.
            page_headline=self._text_on_page(on_page.headline),
            page_caption=self._text_on_page(on_page.caption),
            page_hint=to_do or self._text_on_page(view.page_hint or view.hint),
            names=self.start.names,
            scores=view.scores,
            score_unit=view.score_unit,
            turn=view.turn if waiting is None else waiting,
            awaited=self._awaited,
            direction=view.direction,
            winners=view.winners,
            limit=view.limit,
            choices=self._choices(),
            grid=self._grid(),
            ok=ok,
            action="" if for_mat else self._action(),
            page_action="" if for_mat else self._action_on_page(),
            is_claim=self._is_claim,
            is_vain=self._is_vain,
            warnings={kind: self._text_on_page(text) for kind, text in view.warnings.items()},
            questions={kind: self._text_on_page(text) for kind, text in view.questions.items()},
            stands_for=view.stands_for,
            counted=view.counted,
            worth=view.worth,
            asks=self._asks_in_fixed_words(),
            counts=view.counts,
            spoken=self._spoken_headline(view),
            spoken_hint=to_do or self._spoken_text(view.hint),
            # In this text, OK opens the menu.
            help="" if for_mat and ok else self.context.spoken_text(TABLE, "help.game"),
            is_for_children=view.is_for_children,
            is_for_mat=bool(to_do) and not self.thinks,
            asks_owner=any(isinstance(ask, SeatAsk) and ask.asks_owner for ask in self._asks),
        )

    # --- inputs ---

    @property
    def race(self) -> tuple[str, ...]:
        """The spots of the current race, in which only the first piece counts; else empty.

        It is no race if the mat alone may lay a card.
        """
        ask = None if self._for_mat else self._race_ask
        return () if ask is None else ask.spots

    @property
    def _race_ask(self) -> TapAsk | None:
        """The race that the game asks for; None if there is none."""
        return next((a for a in self._asks if isinstance(a, TapAsk) and a.is_race), None)

    @property
    def _awaited(self) -> tuple[Seat, ...]:
        """The seats that may tap a piece now, in ascending order."""
        seats = {seat for ask in self._asks if isinstance(ask, TapAsk) for seat in ask.seats}
        return tuple(sorted(seats))

    # Cached, since both may be slow for a game with a map, and are read several times an act.

    @cached_property
    def _asks(self) -> tuple[Ask, ...]:
        return asks_without(self.start.mats, self.game.asks(self.state))

    @cached_property
    def _game_view(self) -> View:
        return self.game.view(self.state)

    def after(self, given: Input) -> tuple["Playing", Step[Any]]:
        """Return the game as it is after *given*, and the step: its new state and its messages.

        Nothing is written to the journal.

        Raises:
            RulesError: the rules refuse *given*.
        """
        step = self.game.step(self.state, given)
        earlier = (*self.earlier_states, self.state)
        after = replace(
            self,
            state=step.state,
            earlier_states=earlier,
            picker=None,
            handed=step.handed,
            decided=None,
            old_row=(),
        )
        if self.company is not None:
            company = self.company.follow(self._game_view, after._game_view)
            after = replace(after, company=company)
        if self.start.mats and (seats := self._new_hands(after)):
            after = replace(after, row_ends=(*self.row_ends, (len(earlier), seats)))
        if isinstance(given, Tap) and not step.is_foul and self._is_only_shown:
            after = replace(after, shown=self.shown | {len(self.earlier_states)})
        return after._with_lesson(given, step), step

    # --- lessons ---

    @property
    def _lessons(self) -> Lessons | None:
        """The game's lessons; None if it has none, or if this game is not played to learn it."""
        return lessons_of(self.game) if self.start.is_lesson else None

    def _with_lesson(self, given: Input, step: Step[Any]) -> "Playing":
        """Return this game, which *step* has led to, with the lesson that matters now, if any.

        A foul brings no lesson, because its notice says what was wrong.
        """
        if self._lessons is None:
            return self
        moment = Moment(self.earlier_states[-1], given, self.state, step.events, self._game_view)
        lesson = None if step.is_foul else self._lessons.next(moment, self.told)
        if lesson is None:
            return replace(self, lesson=None, lesson_piece=None)
        told, piece = self.told | {lesson.code}, lesson.about(moment)
        return replace(self, lesson=lesson, lesson_piece=piece, told=told)

    def lesson_notice(self, lesson: Lesson, piece: Piece | None = None) -> Notice:
        """Return the notice that shows *lesson*, which is about *piece*, if about any."""
        return Notice(self._lesson_text(lesson.code), piece=piece)

    def lesson_about(self, piece: Piece) -> str:
        """Return what *piece* does, if the game is taught and this was not told yet; else ""."""
        card, kind = rules_card_of(self.game), self.start.deck.by_name[piece.kind]
        name = "" if card is None or self._lessons is None else card.special(kind)
        code = f"does.{name}"
        return self._lesson_text(code) if name and code not in self.told else ""

    def _lesson_text(self, code: str) -> str:
        """Return the text of the lesson *code*; for a special piece, with its name."""
        text = self.text(code)
        if not code.startswith("does."):
            return text
        return self.text("lesson.special", name=self.text(f"{code}.title"), text=text)

    def _lesson_lines(self, lesson: Lesson) -> tuple[SpeechLine, ...]:
        return lines(self._lesson_text(lesson.code), topic=Topic.LESSON)

    def takes(self, given: Input) -> bool:
        """Return True if the rules would accept *given* now, and not as a foul."""
        try:
            return not self.game.step(self.state, given).is_foul
        except RulesError:
            return False

    def objection(self, given: Tap) -> Message | None:
        """Return why the rules refuse *given* now, or would punish it; None if they do neither."""
        try:
            step = self.game.step(self.state, given)
        except NotExpectedNow:
            return self._game_view.hint
        except RulesError as error:
            return Message(f"{error.words}.happened", error.facts)
        return step.events[0] if step.is_foul else None

    def wants_on(self, spot: str) -> bool:
        """Return True if the game asks for a piece on *spot* now."""
        return any(spot in ask.spots for ask in self._asks if isinstance(ask, TapAsk))

    def penalty(self, given: Tap, seat: Seat) -> Penalty | None:
        """Return the penalty that *seat* would get for *given*; None if it costs no pieces."""
        try:
            step = self.game.step(self.state, given)
        except RulesError:
            return None
        before, after = self._game_view.counts, self.game.view(step.state).counts
        pieces = after.get(hand(seat), 0) - before.get(hand(seat), 0)
        if not step.is_foul or pieces <= 0:
            return None
        wrong = step.events[0]
        return Penalty(pieces, self._text_on_page(wrong), self._foul_rule(wrong))

    def bar(self, *, is_drawn: bool) -> Notice | None:
        """Return the notice that no piece of a hand may be played now; None if one may.

        A page in a browser shows it. *is_drawn* is True for the piece that the player drew last,
        which some games still allow.
        """
        view = self._game_view
        if view.barred_by is None or (view.is_drawn_free and is_drawn):
            return None
        return self.refusal_notice(view.barred_by)

    def with_new_picker(self) -> "Playing":
        """Return this game with a list of answers if it now asks a question that needs a list."""
        return replace(self, picker=None if self._for_mat else picker_for(self._asks))

    def apply(self, given: Input, left: Sequence[Tap] = (), phone: Phone | None = None) -> Outcome:
        """Give the input *given* to the rules, write it to the journal, and return the outcome.

        The outcome is a refusal if the rules refuse *given* or the journal cannot be written.
        *left* are the taps of the same stack that are still to be played after it; the journal
        stores them too, in case of a power cut. *phone* gave the input; it is None for an input at
        the mat.
        """
        try:
            after, step = self.after(given)
        except RulesError as error:
            return self._refuse(error)
        try:
            self.context.journal.append(given, tuple(tap.piece for tap in left), phone)
        except JournalError as error:
            return refuse(self, self.context.not_saved_notice(error))
        following, said = after.with_new_picker(), self._spoken_lines(step.events)
        task = "" if self._task else following._task
        if task or following._for_mat:  # the game asks the mat as if it were a person
            said = tuple(line for line in said if line.topic is not Topic.QUESTION)
        said = (*said, *lines(task, topic=Topic.QUESTION))
        if step.is_foul:
            happened, *then = said
            rule = self._foul_rule(step.events[0])
            first, *others = map(self._text_on_page, step.events)
            notice = Notice(
                happened.text,
                " ".join(line.text for line in then),
                rule=rule,
                on_page=(first, " ".join(others)),
            )
            wrong = replace(happened, topic=Topic.REFUSAL)
            said = following._with_mat_lines((wrong, *then))
            return Outcome(following, said, Flash.REFUSED, notice)
        said = following._with_mat_lines(following._with_details(given, said))
        if following._game_view.is_over:
            # Not on the display, which shows who has won; the knob shows them.
            said = (*said, *following._spoken_lines(following._highlights()))
        if following._is_at_end:
            following, remark = following._with_remark()
            said = (*said, *remark)
        if following.lesson is None:
            return Outcome(following, said, Flash.ACCEPTED)
        said = (*said, *following._lesson_lines(following.lesson))
        notice = following.lesson_notice(following.lesson, following.lesson_piece)
        return Outcome(following, said, Flash.ACCEPTED, notice)

    @property
    def _is_at_end(self) -> bool:
        """True at the end of a round or of the game."""
        return self._game_view.is_over or self._game_view.phase == announcements.ROUND_OVER

    def _mat_lines(self) -> tuple[SpeechLine, ...]:
        """Return what people should do for the mat now, unless the mat only thinks."""
        return () if not self._for_mat or self.thinks else self.mat.lines()

    def _with_mat_lines(self, said: tuple[SpeechLine, ...]) -> tuple[SpeechLine, ...]:
        """Return *said* with the lines for the mat. Whose turn it is follows after its cards."""
        added = self._mat_lines()
        left = tuple(line for line in said if not added or line.topic is not Topic.TURN)
        return (*left, *added)

    def _highlights(self) -> tuple[Message, ...]:
        """Return the highlights of the game, which must be over."""
        record = self.context.journal.open_game()
        assert record is not None, "a game in play is open in the journal"
        return highlights.on(self.game, (*self.earlier_states, self.state), record.inputs)

    def _foul_rule(self, wrong: Message) -> str:
        """Return the rule that a foul with the message *wrong* breaks, as in a refusal, or ""."""
        number = rule_of_foul(self.game, wrong)
        return number and f"RULES {number}"

    def _with_details(self, given: Input, said: tuple[SpeechLine, ...]) -> tuple[SpeechLine, ...]:
        """Return *said* with lines about the card in *given* and the direction of play added.

        Return *said* itself unless the voice's level of detail is FULL.
        """
        if self.context.settings.current.level is not Level.FULL:
            return said
        if isinstance(given, Tap):
            said = (self._line(f"piece.{given.piece.kind}", Topic.CARD), *said)
        direction = self._game_view.direction
        if direction is None or any(line.topic is Topic.DIRECTION for line in said):
            return said
        return (*said, self._line(f"direction.{direction.value}", Topic.DIRECTION))

    # --- undo ---

    def _undo(self, phone: Phone | None = None) -> Outcome:
        """Undo the last input, or the last change of a row of the mat.

        An answer or a button of the mat is undone together with the input before it. *phone* asked
        for it; None means a player at the mat.
        """
        if self.start.mats and (outcome := self.mat.take_back()) is not None:
            return outcome
        record = self.context.journal.open_game()
        inputs = () if record is None else record.inputs
        is_answer = bool(inputs) and not isinstance(inputs[-1], Tap)
        outcome = self._undo_input(phone)
        if is_answer and isinstance(outcome.mode, Playing) and outcome.mode.thinks:
            return outcome.mode._undo(phone)
        return outcome

    def _undo_input(self, phone: Phone | None) -> Outcome:
        if not self.earlier_states:
            return refuse(self, self.notice("nothing-to-undo"))
        record = self.context.journal.open_game()
        assert record is not None, "a game in play is open in the journal"
        try:
            self.context.journal.undo(phone)
        except JournalError as error:
            return refuse(self, self.context.not_saved_notice(error))
        *earlier, state = self.earlier_states
        handed = self.game.step(state, record.inputs[-1]).handed
        before = replace(
            self,
            state=state,
            earlier_states=tuple(earlier),
            row_ends=tuple(end for end in self.row_ends if end[0] <= len(earlier)),
            shown=frozenset(number for number in self.shown if number < len(earlier)),
            decided=None,
            old_row=(),
            company=None if self.company is None else self.company.before,
            handed=handed,
            lesson=None,
            lesson_piece=None,
        )
        before, undone = before.with_new_picker(), record.inputs[-1]
        to_put_back = self._to_put_back(state, undone)
        headline = self._spoken_headline(self.game.view(state))
        into_row = before._put_into_row(undone)
        if into_row and isinstance(undone, Tap):
            named = undone.piece
            to_put_back = tuple(each for each in to_put_back if each.facts.get("piece") != named)
        put_back = " ".join(filter(None, (into_row, *map(self._message_text, to_put_back))))
        notice = Notice(
            *(self.text("undone"), put_back),
            on_page=(before._undone_in_words(undone, to_put_back), ""),
        )
        corrected = self.text("correction", headline=headline)
        spoken = map(self._spoken_text, to_put_back)
        said = lines(corrected, into_row, *spoken, topic=Topic.CORRECTION)
        return Outcome(before, (*said, *before._mat_lines()), Flash.ACCEPTED, notice)

    def _put_into_row(self, undone: Input) -> str:
        """Return where in a mat's row people put the piece back that *undone* had played, or ""."""
        if not self.start.mats or not isinstance(undone, Tap) or self.mat.seats.is_open:
            return ""
        seat = self.mat.seats.holder(undone.piece)
        if seat is None:
            return ""
        number = self.mat.seats.row(seat).index(undone.piece) + 1
        return self.text("mat.put-back", seat=seat, piece=undone.piece, number=number)

    def _to_put_back(self, state: Any, given: Input) -> tuple[Message, ...]:
        """Return the game's messages about what people put back when *given* is undone in *state*.

        What only the mat would do is left out. It chooses again by itself, and what it has drawn
        has left its row before, by an earlier undo.
        """
        messages = self.game.put_back(state, given)
        if not self.start.mats or self.mat.seats.is_open:
            return messages
        return tuple(
            each
            for each in messages
            if each.facts.get("seat") not in self.start.mats or not each.facts.keys() <= OF_ONE_SEAT
        )

    def _undone_in_words(self, given: Input, to_put_back: Sequence[Message]) -> str:
        """Return the sentence for a page that *given* was undone.

        For a button, it is the game's own text about what people would put back, if it has one for
        pages. While several players choose at once, the sentence does not name the piece, which may
        be secret.
        """
        words = self.wording.words[self.start.game]
        moved = [each for each in to_put_back if words.has(f"{each.code}.page")]
        match given:
            case Press() if moved:
                return " ".join(map(self._text_on_page, moved))
            case Tap() if self._current_view.turn is None:
                return self.text("undone")
            case Tap(piece=piece):
                return self.text("undone-piece", piece=piece)
            case PlaceChoice():
                return self.text("undone-place")
        return self.text("undone-answer")

    def summary(self) -> tuple[SpeechLine, ...]:
        """Return the headline and the hint as lines for the voice."""
        return self._status_lines(self._current_view)

    def _status_lines(self, view: View) -> tuple[SpeechLine, ...]:
        """Return the headline and the hint of *view* as lines for the voice."""
        return (*lines(self._spoken_headline(view), topic=Topic.TOTAL), *self._hint_lines(view))

    def _hint_lines(self, view: View) -> tuple[SpeechLine, ...]:
        """Return the hint of *view* for the voice, or what people should do for the mat."""
        said = self._to_do_for_mat or self._spoken_text(view.hint)
        return lines(said, topic=Topic.QUESTION)

    def scores_in_words(self) -> tuple[str, ...]:
        """Return one sentence per player with their score, for the display."""
        return tuple(map(self._message_text, self._score_messages()))

    def spoken_scores(self) -> tuple[SpeechLine, ...]:
        """Return the same for the voice."""
        return self._spoken_lines(self._score_messages())

    def _score_messages(self) -> tuple[Message, ...]:
        scores = enumerate(self._game_view.scores)
        return tuple(
            message("score", Topic.RESULT, seat=Seat(seat), score=score) for seat, score in scores
        )

    def end_game(self, phone: Phone | None = None) -> Outcome:
        """End the game in any state, even during a question."""
        return self.end("over" if self._game_view.is_over else "abandoned", phone)

    def end(self, how: str, phone: Phone | None = None) -> Outcome:
        """Close the game in the journal, for *phone* unless that is None.

        *how* is ``over`` or ``abandoned``. The outcome is a refusal if the journal cannot be
        written.
        """
        try:
            self.context.journal.end(how, phone)
        except JournalError as error:
            return refuse(self, self.context.not_saved_notice(error))
        return Outcome(None, lines(self.text("ended"), topic=Topic.RESULT), Flash.ACCEPTED)

    # --- words ---

    @cached_property
    def wording(self) -> TableContext:
        """The context whose texts suit the players of this game."""
        return self.context.for_players(are_children=self._game_view.is_for_children)

    def text(self, code: str, **facts: Any) -> str:
        """Return the text for *code* from this game's catalogue; see ``TableContext.text``."""
        return self.wording.text(self.game.name, code, self.start.names, **facts)

    def _line(self, code: str, topic: Topic) -> SpeechLine:
        return self.wording.line(self.game.name, code, topic)

    def _message_text(self, message: Message) -> str:
        return self.wording.words[self.game.name].say(message, self.start.names)

    def _text_on_page(self, message: Message | str) -> str:
        """Return *message* as text for a page; if it is a text already, return it unchanged."""
        if isinstance(message, str):
            return message
        return self.wording.words[self.game.name].write(message, self.start.names)

    def _spoken_text(self, message: Message) -> str:
        return self.wording.words[self.game.name].tell(message, self.start.names)

    def _headline(self, view: View) -> str:
        """Return the headline for the display."""
        return (
            view.headline if isinstance(view.headline, str) else self._message_text(view.headline)
        )

    def _spoken_headline(self, view: View) -> str:
        """Return the headline for the voice."""
        spoken = view.headline if view.spoken is None else view.spoken
        if not isinstance(spoken, str):
            return self._spoken_text(spoken)
        words = self.wording.words[self.game.name]
        return words.number(int(spoken)) if spoken.isdecimal() else spoken

    def _spoken_lines(self, messages: Sequence[Message]) -> tuple[SpeechLine, ...]:
        return tuple(SpeechLine(self._spoken_text(message), message.topic) for message in messages)

    def notice(self, code: str, **facts: Any) -> Notice:
        """Return the notice of a refusal; see ``TableContext.notice``."""
        return self.wording.notice(self.game.name, code, self.start.names, **facts)

    def _refuse(self, error: RulesError) -> Outcome:
        return refuse(self, self.refusal_notice(error))

    def refusal_notice(self, error: RulesError) -> Notice:
        """Return the notice for *error*, with which the rules refused an input."""
        if isinstance(error, NotExpectedNow):
            return self._not_now_notice(error)
        return self.wording.rules_notice(self.game.name, error, self.start.names)

    def _not_now_notice(self, error: NotExpectedNow) -> Notice:
        """Return a notice that names the input and the player that the game waits for.

        It names no player if the game waits for any of them. If *error* does not say what the game
        waits for, the notice quotes the game's hint.
        """
        facts: dict[str, Any] = {"waits": self._message_text(self._game_view.hint), **error.facts}
        code = error.code
        match self.named_for_input:
            case ():
                pass
            case (seat,):
                code, facts = f"{code}.to", {"seat": seat, **facts}
            case seats:
                names = ", ".join(self.start.names[seat] for seat in seats)
                code, facts = f"{code}.several", {"names": names, **facts}
        return replace(self.notice(code, **facts), code=error.code, rule=error.rule)

    @property
    def named_for_input(self) -> tuple[Seat, ...]:
        """The seats that the game waits for, or an empty tuple if it waits for any player.

        These are the current player's seat or, as in a race, the seats that may tap a piece.
        Between two rounds, any player may continue.
        """
        view = self._game_view
        if view.phase == announcements.ROUND_OVER:
            return ()
        if view.turn is not None:
            return (view.turn,)
        return self._awaited if len(self._awaited) < len(self.start.names) else ()

    def other_game_notice(self, game: str) -> Notice:
        """Return the notice that a piece belongs to another *game*."""
        notice = self.notice("other-game", game=self.context.title(game))
        return replace(notice, code=NotInThisGame.code, rule=NotInThisGame.rule)

    def _action(self) -> str:
        if self._action_moves_on:
            return self.text("label.next")
        return self._label(Button.ACTION)

    def _label(self, button: Button) -> str:
        """Return what the game offers with *button*, or ""."""
        ask = self._press_ask(button)
        return "" if ask is None else self.text(f"label.{ask.label}", **ask.facts)

    def _action_on_page(self) -> str:
        """Return the meaning of the action button for a page."""
        ask = self._press_ask(Button.ACTION)
        if ask is None:
            return self._action()
        return self._text_on_page(Message(f"label.{ask.label}", ask.facts))

    @property
    def _action_moves_on(self) -> bool:
        """True if the action button selects the next place on a map.

        This is the case while a place is being chosen and the game has no other use for the button.
        """
        return self._offer is not None and self._press_ask(Button.ACTION) is None

    @property
    def _is_claim(self) -> bool:
        ask = self._press_ask(Button.ACTION)
        return ask is not None and ask.is_claim

    @property
    def _is_vain(self) -> bool:
        ask = self._press_ask(Button.ACTION)
        return ask is not None and ask.is_vain

    def _press_ask(self, button: Button) -> PressAsk | None:
        """Return the game's request that lets a player press *button* now, or None."""
        asks = (a for a in self._asks if isinstance(a, PressAsk) and a.button is button)
        return next(asks, None)

    @property
    def _offer(self) -> Offer | None:
        """The offer of the selected place on the game's map; None if no place is being chosen."""
        return None if self.picker is None else self._offers.get(self.picker.chosen)

    @cached_property
    def _offers(self) -> Mapping[Input, Offer]:
        """The offers of all places that can be chosen now, by the answer that chooses the place."""
        asks = (ask for ask in self._asks if isinstance(ask, PlaceAsk))
        return {PlaceChoice(offer.place): offer for ask in asks for offer in ask.offers}

    @property
    def _current_view(self) -> View:
        """The game's view; if a place is selected, with that place's headline and caption."""
        return self._game_view if self._offer is None else self._view_at(self._offer)

    def _view_at(self, offer: Offer) -> View:
        """Return the game's view with the headline and the caption of *offer*."""
        headline, caption, spoken = offer.headline, offer.caption, offer.spoken
        return replace(self._game_view, headline=headline, caption=caption, spoken=spoken)

    def _grid(self) -> GridView | None:
        """Return the game's map, with the places to choose from if it asks for one.

        Return None if the game has no map.
        """
        board, offer = self._game_view.grid, self._offer
        if offer is None or self.picker is None:
            return None if board is None else GridView(board)
        places = (item.place for item in self.picker.items if isinstance(item, PlaceChoice))
        return GridView(board or Grid(()), tuple(places), offer.cell or Cell(offer.place))

    def _choices(self) -> ListView | None:
        if self.picker is not None:
            hint = self._game_view.hint
            prompt, question = self._message_text(hint), self._spoken_text(hint)
            items, values = zip(*map(self._item, self.picker.items), strict=True)
            cursor, offer = self.picker.cursor, self._offer
            place = None if offer is None else self._place_in_words(offer)
            usual = next((a.usual for a in self._asks if isinstance(a, ChoiceAsk)), "")
            return ListView(
                prompt,
                items,
                cursor,
                values,
                asked=question,
                said=place,
                on_page=tuple(map(self._item_on_page, self.picker.items, items)),
                usual=usual,
            )
        return None

    def _item_on_page(self, given: Input, item: str) -> str:
        """Return the text of the answer *given* for a page. *item* is its text elsewhere."""
        if isinstance(given, Choice):
            facts = next((a.facts for a in self._asks if isinstance(a, ChoiceAsk)), {})
            return self._text_on_page(Message(f"choice.{given.name}", facts))
        return item

    def place_text(self, place: Place) -> str:
        """Return an offered *place* on the map in words."""
        return self._place_in_words(self._offers[PlaceChoice(place)])

    def _place_in_words(self, offer: Offer) -> str:
        """Return the place of *offer* for the voice: its position on the map, and its headline."""
        where = self.way_text(offer.place)
        return ": ".join(filter(None, (where, self._spoken_headline(self._view_at(offer)))))

    def way_text(self, place: Place) -> str:
        """Return the position of *place* on the map in words, counted from its start."""
        column, row = place.column, place.row
        across = "right" if column > 0 else "left" if column else ""
        along = "down" if row > 0 else "up" if row else ""
        facts = {"columns": abs(column), "rows": abs(row)}
        return ", ".join(self.text(f"way.{way}", **facts) for way in (across, along) if way)

    def _item(self, given: Input) -> tuple[str, str]:
        """Return two texts for the answer *given*: one for people, and one for programs.

        The second one is the same in every language.
        """
        match given:
            case Number(value):
                return str(value), str(value)
            case Choice(name):
                return self.text(f"choice.{name}"), name
            case SeatChoice(seat):
                return (self.start.names[seat],) * 2
            case PlaceChoice(place):
                return (str(place),) * 2
        raise AssertionError(f"{given!r} cannot be an entry of a list of answers")

    def _asks_in_fixed_words(self) -> tuple[str, ...]:
        return tuple(fixed_words(ask, self.start.names) for ask in self._asks)

    def fresh_taps(self, tapped: TappedPieces) -> tuple[Tap, ...]:
        """Return a tap for each piece in *tapped* that was placed on a reader just now.

        Pieces that were tapped before a restart, and have been on the reader since, are left out.
        """
        return tuple(
            Tap(piece, spot, seat_of_spot(spot))
            for piece, spot in tapped.pieces
            if not self._was_lying(piece, tapped)
        )

    def without_choice(self) -> "Playing":
        """Return this game without its list of answers, as it is shown below another list."""
        return self if self.picker is None else replace(self, picker=None)

    def _was_lying(self, piece: Piece, tapped: TappedPieces) -> bool:
        """Return True if *piece* was found at switch-on and was already tapped in this game."""
        record = self.context.journal.open_game()
        if not tapped.was_found or record is None:
            return False
        taps = (given.piece for given in record.inputs if isinstance(given, Tap))
        return piece in (*taps, record.last_tap, *(card.piece for card in record.row))
