"""The table: takes one event at a time, and tells what is to be said and shown.

Room: firmware. It does no input or output of its own but the journal's commit; screens, lamps and
voice are drawn from ``view()`` by the loop.
May import: engines, hardware.ports, firmware.
May be imported by: firmware.loop, firmware.controller, tests.

The table owns which mode it is in, the notice and the light that answer the last act, and which
parts are lost. Everything else belongs to the mode or to the journal.
"""

import logging
import math
from dataclasses import dataclass, replace

from engines.common.contract import Sensor, Tap, Topic
from engines.common.errors import RulesError
from engines.common.pieces import Piece
from firmware import aloud
from firmware.desk import TABLE, Desk
from firmware.errors import JournalError, RegisterError
from firmware.events import Arrived, CodeAsked, Event, Gone, PartBack, PartLost, Unreadable
from firmware.journal import GameRecord
from firmware.lamps import is_lit
from firmware.modes.adjusting import Adjusting
from firmware.modes.enrolling import Enrolling
from firmware.modes.idle import Idle
from firmware.modes.mode import Mode, Outcome, Seen, Tapped, refused
from firmware.modes.playing import CutShort, Playing
from firmware.register import COMMANDS, Registered, is_random_uid
from firmware.settings import Settings
from firmware.speech import Line, asked, lines
from firmware.view import Cue, Flash, Notice, TableView
from hardware.ports import Pressed, Rocked, Turned

NOTHING = TableView("")  # before anything was shown
log = logging.getLogger(__name__)

NOTICE_S = 8.0  # long enough to read two short sentences at arm's length


@dataclass(frozen=True, slots=True)
class Answer:
    """How the table answers one act at *at_s*: what to say, light, read and sound."""

    at_s: float
    say: tuple[Line, ...] = ()
    flash: Flash | None = None
    notice: Notice | None = None
    cue: Cue | None = None


class Table:
    """One table. Its one owner is the loop, which feeds it every event in order of time."""

    def __init__(self, desk: Desk) -> None:
        """Take up the game the journal holds open, if there is one.

        Raises:
            JournalError: this program cannot go on with that game.
        """
        self.desk = desk
        record = desk.journal.open_game()
        self._mode: Mode = Idle(desk) if record is None else _resumed(desk, record)
        self._view, self._race = self._mode.view(), self._mode.race
        # What was mended is to be read until somebody does something.
        self._answer = Answer(math.inf, notice=guidance(desk))
        self._lost: tuple[str, ...] = ()
        self._helped: set[Line] = set()  # what the controls do, as far as it was told already

    def enrol(self, game: str, box: int = 1, piece: Piece | str | None = None) -> None:
        """Enrol a box, whatever else the table would do; what the journal holds stays as it is.

        With a *piece*, its sticker alone; with just its kind, of the one that lost its sticker.

        Raises:
            RegisterError: the register cannot be read.
        """
        mode = Enrolling.of(self.desk, self.desk.box(game, box))
        if piece is not None:
            mode = replace(mode, is_single=True)
            mode = mode.for_kind(piece) if isinstance(piece, str) else mode.for_piece(piece)
        self._take(Outcome(mode), self._answer.at_s)

    @property
    def enrolled(self) -> str | None:
        """The game whose stickers are being enrolled; none while there is something else to do."""
        return self._mode.box.game if isinstance(self._mode, Enrolling) else None

    @property
    def settings(self) -> Settings:
        """How the table speaks now."""
        return self.desk.tongue.settings

    def wake(self) -> tuple[Line, ...]:
        """What to say when the table is switched on."""
        notice = self._answer.notice
        mended = () if notice is None else lines(notice.happened, notice.do, topic=Topic.FAULT)
        if isinstance(self._mode, Playing):
            said = self._mode.welcome_back()
            return (*mended, *said, *aloud.of_list(NOTHING, self._view, said))
        ready = () if isinstance(self._mode, Enrolling) else lines(self.desk.say(TABLE, "ready"))
        return (*mended, *ready, *self._mode.summary())

    def receive(self, event: Event, at_s: float) -> tuple[Answer, ...]:
        """Take one *event* of the moment *at_s* and return the answers to it, in order."""
        match event:
            case Arrived():
                return self._arrived(event, at_s)
            case Gone():
                return ()
            case Unreadable(spot):
                return (self._advise("unreadable", self._mode.unreadable, at_s, spot=spot),)
            case PartLost(part, kind):
                self._lost = (*self._lost, part)
                return (
                    self._advise("part-lost", f"part-lost.{kind}", at_s, part=self._part(part)),
                )
            case PartBack(part):
                self._lost = tuple(lost for lost in self._lost if lost != part)
                back = self.desk.say(TABLE, "part-back", part=self._part(part))
                return (Answer(at_s, lines(back, topic=Topic.FAULT)),)
            case CodeAsked(code):
                shown = self.desk.say(TABLE, "pairing.code", code=code)
                notice = Notice(self.desk.say(TABLE, "pairing"), shown)
                return (self._take(Outcome(self._mode, notice=notice), at_s),)
            case Turned(steps):
                return (self._take(self._mode.turn(steps), at_s),)
            case Pressed(button):
                return (self._take(self._mode.press(button), at_s),)
            case Rocked():
                outcome = self._mode.sense(Sensor.TILT)
                return () if outcome is None else (self._take(outcome, at_s),)

    @property
    def race(self) -> tuple[str, ...]:
        """The spots on which whoever is first counts now; none when nothing is raced for."""
        return self._race

    def view(self, now_s: float) -> TableView:
        """What to show at *now_s*."""
        view = self._view
        age_s = now_s - self._answer.at_s
        if age_s < NOTICE_S and self._answer.notice is not None:
            view = replace(view, notice=self._answer.notice)
        if self._answer.flash is not None and is_lit(self._answer.flash, age_s):
            view = replace(view, flash=self._answer.flash)
        if self._lost:
            lost = ", ".join(map(self._part, self._lost))
            view = replace(view, fault=self.desk.say(TABLE, "part-lost", part=lost))
        return view

    def _take(self, outcome: Outcome, at_s: float) -> Answer:
        before, was = self._view, self._mode
        self._mode = outcome.mode if outcome.mode is not None else Idle(self.desk)
        self._view, self._race = self._mode.view(), self._mode.race
        is_nothing = self._mode is was and not outcome.say  # a card that lay there, for example
        say = () if is_nothing else self._aloud(before, outcome)
        cue = aloud.cue(before, self._view, outcome.flash)
        self._answer = Answer(at_s, say, outcome.flash, outcome.notice, cue)
        return self._answer

    def _aloud(self, before: TableView, outcome: Outcome) -> tuple[Line, ...]:
        """What *outcome* says, and what must be heard of what is open now."""
        view, say = self._view, outcome.say
        if not say and before.choices is not None and view.choices is None:
            say = self._mode.summary()  # a list was closed: this is where people are now
        say = (*say, *aloud.of_list(before, view, say))
        if not say or outcome.refusal is not None:
            return say
        helps = [line for line in aloud.controls(view, self.desk) if line not in self._helped]
        self._helped.update(helps)
        return (*say, *helps)

    def _part(self, part: str) -> str:
        """What a part is called: ``reader seat-6``, ``display``."""
        kind, _, spot = part.partition(" ")
        return self.desk.say(TABLE, f"part-{kind}", spot=spot)

    def _refuse(self, code: str, at_s: float, **facts: str) -> Answer:
        return self._take(refused(self._mode, self.desk.notice(TABLE, code, **facts)), at_s)

    def _advise(self, happened: str, do: str, at_s: float, **facts: str) -> Answer:
        """Say what *happened* by itself and what to *do*; a notice that is being read stays."""
        notice = Notice(self.desk.say(TABLE, happened, **facts), self.desk.say(TABLE, do))
        said = lines(notice.happened, notice.do, topic=Topic.FAULT)
        answer = Answer(at_s, said, notice=notice)
        if self._answer.notice is None or at_s - self._answer.at_s >= NOTICE_S:
            self._answer = answer
        return answer

    def _arrived(self, event: Arrived, at_s: float) -> tuple[Answer, ...]:
        """Sort what arrived: strangers are refused, command cards obeyed, pieces tapped."""
        answers: list[Answer] = []
        seen: list[Seen] = []
        for laid in event.tags:
            try:
                seen.append(Seen(laid.uid, laid.spot, self.desk.register.piece_of(laid.uid)))
            except RegisterError as error:
                log.warning("%s", error)
                answers.append(self._refuse("not-readable", at_s))
        if seen and (outcome := self._mode.arrived(tuple(seen), event.was_found)) is not None:
            return (*answers, self._take(outcome, at_s))
        pieces: list[tuple[Registered, str]] = []
        for tag in seen:
            if tag.enrolled is None:
                code = "random-uid" if is_random_uid(tag.uid) else "unknown-tag"
                answers.append(self._refuse(code, at_s))
            elif tag.enrolled.game != COMMANDS:
                pieces.append((tag.enrolled, tag.spot))
            elif not event.was_found:
                answers.append(self._take(self._command(tag.enrolled.piece), at_s))
        for game in dict.fromkeys(registered.game for registered, _ in pieces):
            of_game = [(registered, spot) for registered, spot in pieces if registered.game == game]
            together = tuple((registered.piece, spot) for registered, spot in of_game)
            tapped = Tapped(game, together, event.was_found, of_game[0][0].box)
            answers.append(self._tapped(tapped, at_s))
        return tuple(answers)

    def _tapped(self, tapped: Tapped, at_s: float) -> Answer:
        if tapped.game not in self.desk.games:
            return self._refuse("game-missing", at_s, game=tapped.game)
        return self._take(self._mode.tap(tapped), at_s)

    def _command(self, card: Piece) -> Outcome:
        """A command card stands in for a control."""
        command, _, number = card.kind.rpartition("-")
        if command == "number":
            return self._mode.number(int(number))
        if command == "seat":
            return self._mode.seat(int(number) - 1)
        if card.kind == "say-again":
            return Outcome(self._mode, self._again())
        if card.kind == "say-everything":
            return Outcome(self._mode, aloud.everything(self._view, self.desk))
        if card.kind == "settings":
            return Adjusting.over(self._mode, self.desk)
        return self._mode.press(card.kind)

    def _again(self) -> tuple[Line, ...]:
        """What matters now: how things stand, and what the controls stand on."""
        summary = self._mode.summary()
        return asked((*summary, *aloud.of_list(NOTHING, self._view, summary)))


def _resumed(desk: Desk, record: GameRecord) -> Mode:
    """Go on with the game of *record*, as far as its rules that are installed allow.

    Raises:
        JournalError: its game is not installed, or the journal cannot be written.
    """
    name = record.start.game
    if name not in desk.games:
        found = f"is of {name}, which is not installed"
        remedy = f"Install {name}, or move the file away to begin anew."
        raise JournalError(desk.journal.path, f"game {record.number}", found, remedy)
    refused = f"game {record.number} cannot go on as it is: the rules of {name} do not allow it"
    try:
        return Playing.resumed(desk, record)
    except CutShort as short:
        desk.journal.cut_back(short.kept, f"{refused} ({short.__cause__})")
        return short.playing
    except (RulesError, ValueError) as wrong:
        desk.journal.cut_back(0, f"{refused} ({wrong})")
        desk.journal.end("abandoned")
        return Idle(desk)


def guidance(desk: Desk) -> Notice | None:
    """What people are told after a start at which the journal or the register was mended."""
    say = desk.say
    if desk.journal.mended is None:
        if desk.register.mended is None:
            return None
        return Notice(say(TABLE, "register-mended"), say(TABLE, "register-mended.do"))
    record = desk.journal.open_game()
    happened = say(TABLE, "journal-mended")
    if record is None:
        return Notice(happened, say(TABLE, "journal-mended.no-game"))
    pieces = [given.piece for given in record.inputs if isinstance(given, Tap)]
    if not pieces:
        return Notice(happened, say(TABLE, "journal-mended.no-card"))
    last_card = say(record.start.game, "journal-mended.last-card", piece=pieces[-1])
    return Notice(happened, last_card)
