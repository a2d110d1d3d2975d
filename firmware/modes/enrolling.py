"""Enrolling: the stickers of one box are learnt, card after card, and each tap is on disk at once.

Room: firmware/modes. It knows decks and the tag register, and no game.

It names a card, somebody taps it, and it names the next: in the order of the deck, or all of
whichever kind is turned to. What is left to do follows from deck and register alone, so whoever is
interrupted goes on where it stopped. A sticker is given up only in the moment in which another
takes its place, or in which it is said to be on another card; ``back`` takes each act of this
sitting back.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engines.common.contract import Topic
from engines.common.pieces import Piece
from firmware.boxes import Box
from firmware.desk import TABLE, Desk
from firmware.errors import RegisterError, TagRefused
from firmware.modes.mode import Mode, Outcome, Seen, Tapped, refused
from firmware.picker import Picker
from firmware.register import COMMANDS, Registered, is_random_uid
from firmware.speech import Line, lines
from firmware.view import Flash, ListView, Notice, Progress, TableView

log = logging.getLogger(__name__)

LEAVE, ONE_MORE = "leave", "one-more"  # the fixed names of lines that are no card


@dataclass(frozen=True, slots=True)
class Act:
    """What was done with the sticker *uid* for *piece*, and what its tags stuck on *before*."""

    uid: bytes
    piece: Piece
    before: Mapping[bytes, Registered | None]


@dataclass(frozen=True, slots=True)
class Lost:
    """One of *kind* is to have a new sticker: which of its *copies*? None: a further one."""

    kind: str
    copies: Picker[Piece | None]


@dataclass(frozen=True)
class Enrolling(Mode):
    """A *box* is enrolled. *target* is the card asked for; one with a sticker is to get another.

    *skipped* are the kinds put off, *past* the acts of this sitting. *kinds* is the list of them
    while it is open (None in it: leave), and *lost* what comes of choosing one whose cards all have
    a sticker. *taken* is the sticker tapped last, if it is on another card and could be meant for
    this one. *then* is the mode this goes back to; one that *is_single* does so after one act.
    """

    desk: Desk
    box: Box
    target: Piece | None = None
    then: Mode | None = None
    is_single: bool = False
    skipped: frozenset[str] = frozenset()
    past: tuple[Act, ...] = ()
    kinds: Picker[str | None] | None = None
    lost: Lost | None = None
    taken: Seen | None = None

    @classmethod
    def of(cls, desk: Desk, box: Box, then: Mode | None = None) -> "Enrolling":
        """The enrolment of *box*, where it stopped."""
        return cls(desk, box, then=then)._onward(None)

    def for_kind(self, kind: str) -> "Enrolling":
        """This, asking for a card of *kind*; where each has a sticker, for the one that lost it."""
        copies = self.box.copies(kind)
        if self._goes_on_with(kind) or not copies:
            return self.for_piece(self.box.next_of(kind))
        if len(copies) == 1 and not self.box.can_grow(kind):
            return self.for_piece(copies[0])
        further = (None,) if self.box.can_grow(kind) else ()
        # Of a whole box it is rather a sticker that got lost than a card that turned up.
        items = (*copies, *further) if self.box.is_whole else (*further, *copies)
        return replace(self._closed(), lost=Lost(kind, Picker(items)))

    def for_piece(self, piece: Piece) -> "Enrolling":
        """This, asking for another sticker on *piece*; if it has none, for one on the next copy.

        Cards of a kind that have no sticker yet are all alike.
        """
        target = piece if piece in self.box.stickers else self.box.next_of(piece.kind)
        return replace(self._closed(), target=target)

    # --- what people do ---

    def arrived(self, tags: tuple[Seen, ...], was_found: bool) -> Outcome | None:
        """A new sticker goes on the card that is asked for; one that is known is told."""
        if len(tags) == 1 and tags[0].enrolled is not None and self._commands(tags[0].enrolled):
            return None
        if was_found:
            is_new = any(tag.enrolled is None for tag in tags)
            return self._refused("lay-again") if is_new else Outcome(self)
        if len(tags) > 1:
            return self._refused("two-at-once")
        (tag,) = tags
        return self._stick(tag.uid) if tag.enrolled is None else self._known(tag, tag.enrolled)

    @property
    def unreadable(self) -> str:
        """Most likely a sticker that is bent, or on metal."""
        return "enrol.unreadable"

    def tap(self, tapped: Tapped) -> Outcome:
        """Pieces are taken as they arrive."""
        return Outcome(self)

    def turn(self, steps: int) -> Outcome:
        """Move through what is open; otherwise open the list of kinds, at the one asked for."""
        opened = self if self._is_open else self._with_list()
        return opened._moved(lambda picker: picker.turned(steps))

    def press(self, button: str) -> Outcome:
        """OK chooses, back takes back, action does what its label says."""
        if button == "action":
            return self._action()
        if button == "back":
            return self._back()
        if self.lost is not None:
            return self._chosen_copy(self.lost, self.lost.copies.chosen)
        if self.kinds is not None:
            kind = self.kinds.chosen
            return self._left() if kind is None else self._told(self.for_kind(kind))
        return self._finished() if self.target is None else Outcome(self._with_list())

    def number(self, value: int) -> Outcome:
        """A number card: the copy with that number, where one is to be chosen."""
        if self.lost is not None:
            piece = Piece(self.lost.kind, value)
            if piece in self.lost.copies.items:
                return self._chosen_copy(self.lost, piece)
        return self._refused("no-such-value", value=value)

    def seat(self, seat: int) -> Outcome:
        """Nothing here is a seat."""
        return self._refused("no-such-value", value=seat + 1)

    def summary(self) -> tuple[Line, ...]:
        """How far it is, and what comes next."""
        return (*lines(self.progress()), self._asked(None))

    @property
    def race(self) -> tuple[str, ...]:
        """Nothing is raced for."""
        return ()

    # --- stickers ---

    def _commands(self, enrolled: Registered) -> bool:
        """Whether this is a command card that commands: not while these are enrolled."""
        is_busy = self.box.game == COMMANDS and (self.target is not None or self._is_open)
        return enrolled.game == COMMANDS and not is_busy

    @property
    def _aim(self) -> Piece | None:
        """The card that a new sticker would go on now, if there is one.

        While the list of kinds is open that is one of the kind under the cursor, so who turns to a
        kind need not press OK before the tap.
        """
        if self.lost is not None:
            return self.box.next_of(self.lost.kind) if self.lost.copies.chosen is None else None
        kind = self.kinds.chosen if self.kinds is not None else None
        if kind is None:
            return self.target
        may_be_more = self.box.can_grow(kind) and not self.box.is_whole
        return self.box.next_of(kind) if self.box.lacks(kind) or may_be_more else None

    def _stick(self, uid: bytes) -> Outcome:
        """A sticker that nobody enrolled was tapped."""
        if is_random_uid(uid):
            return self._refused("random-uid")
        if self._aim is not None:
            return self._bound(uid, self._aim, {})
        if self.lost is not None:
            return self._refused("which-copy")
        kind = self.kinds.chosen if self.kinds is not None else None
        if kind is None:
            return self._refused("nothing-asked")
        return self._refused("kind-full", piece=self._piece(Piece(kind)))

    def _known(self, tag: Seen, enrolled: Registered) -> Outcome:
        """A sticker was tapped that is on a piece already."""
        is_here = (enrolled.game, enrolled.box) == (self.box.game, self.box.number)
        if is_here and self.lost is not None and enrolled.piece.kind == self.lost.kind:
            return self._laid_other(self.lost, enrolled.piece)
        if self.past and self.past[-1].uid == tag.uid:
            return Outcome(replace(self, taken=None), lines(self._say("enrol.again")))
        code = "tag-taken" if is_here else "tag-elsewhere"
        piece = self.desk.piece(enrolled.game, enrolled.piece)
        title = self.desk.box_title(enrolled.game, enrolled.box)
        happened = self._say(f"{code}.happened", piece=piece, title=title)
        aim = self._aim
        if aim is None:  # nothing else is awaited: somebody wants to know what it is
            return Outcome(replace(self, taken=None), lines(happened), notice=Notice(happened))
        if is_here and enrolled.piece.kind == aim.kind:
            notice = Notice(happened, self._say("tag-taken.do"), code)
            return refused(replace(self, taken=None), notice)
        may_be = self._say("tag-taken.rename", piece=self._piece(aim))
        asking = replace(self._closed(), target=aim, taken=tag)
        return refused(asking, Notice(happened, may_be, code))

    def _laid_other(self, lost: Lost, piece: Piece) -> Outcome:
        """One of the kind still has its sticker; the last one left is the one that lost it."""
        left = tuple(copy for copy in lost.copies.items if copy != piece)
        pieces = [copy for copy in left if copy is not None]
        if len(pieces) == 1:
            return self._told(self.for_piece(pieces[0]))
        on = replace(lost, copies=Picker(left).on(lost.copies.chosen))
        not_that = lines(self._say("enrol.not-that"), topic=Topic.QUESTION)
        return Outcome(replace(self, lost=on), not_that)

    def _bound(self, uid: bytes, piece: Piece, moved: Mapping[bytes, Registered | None]) -> Outcome:
        """Put the sticker *uid* on *piece*; *moved* are others that change with it."""
        sticks = Registered(self.box.game, piece, self.box.number)
        old = self.box.stickers.get(piece)
        after = {**moved, **({} if old is None else {old: None}), uid: sticks}
        register = self.desk.register
        try:
            before = {tag: register.piece_of(tag) for tag in after}
            register.rebind(after)
            box = self._fresh()
        except TagRefused as error:
            return self._refused(error.code, **error.facts)
        except RegisterError as error:
            log.warning("%s", error)
            return self._refused("not-saved")
        done = replace(
            self._closed(),
            box=box,
            skipped=self.skipped - {piece.kind},
            past=(*self.past, Act(uid, piece, before)),
        )
        if self.is_single:
            return done._left()
        onward = done._onward(piece.kind)
        return Outcome(onward, (onward._asked(piece.kind),), Flash.ACCEPTED)

    def _renamed(self, tag: Seen, piece: Piece) -> Outcome:
        """The sticker of another piece is on this one: it is this one's from now on."""
        was = tag.enrolled
        assert was is not None, "only a sticker that is on something can be renamed"
        try:
            others = self.desk.register.pieces(was.game, was.box)
        except RegisterError as error:
            log.warning("%s", error)
            return self._refused("not-readable")
        last = max(other for other in others if other.kind == was.piece.kind)
        filling = {} if last == was.piece else {others[last]: was}  # no gap among the copies
        return self._bound(tag.uid, piece, filling)

    # --- buttons ---

    def _action(self) -> Outcome:
        if self._is_open:
            return self._moved(lambda picker: picker.further(1))
        if self.target is None and self.box.is_whole:
            return Outcome(self._with_list())
        if self.target is None:
            return self._told(replace(self, skipped=frozenset())._onward(None))
        if self.taken is not None:
            return self._renamed(self.taken, self.target)
        put_off = replace(self, skipped=self.skipped | {self.target.kind})
        return self._told(put_off._onward(self.target.kind))

    def _back(self) -> Outcome:
        """Close what is open, then take the acts of this sitting back; at last, leave."""
        if self._is_open or self.taken is not None:
            return Outcome(self._closed())
        if not self.past:
            return self._left()
        *earlier, act = self.past
        try:
            self.desk.register.rebind(act.before)
            box = self._fresh()
        except RegisterError as error:
            log.warning("%s", error)
            return self._refused("not-saved")
        before = replace(self, box=box, past=tuple(earlier), target=act.piece)
        undone = lines(self._say("undone"), topic=Topic.CORRECTION)
        return Outcome(before, (*undone, before._asked(None)), Flash.ACCEPTED)

    def _finished(self) -> Outcome:
        """Everything has a sticker; or somebody says that what has none is not in the box."""
        if self.box.is_whole:
            return self._left()
        try:
            self.desk.register.close_box(self.box.game, self.box.number)
        except RegisterError as error:
            log.warning("%s", error)
            return self._refused("not-saved")
        return replace(self, box=replace(self.box, is_closed=True))._left()

    def _left(self) -> Outcome:
        return Outcome(self.then, lines(self.progress()), Flash.ACCEPTED)

    def _chosen_copy(self, lost: Lost, piece: Piece | None) -> Outcome:
        return self._told(self.for_piece(self.box.next_of(lost.kind) if piece is None else piece))

    # --- where it stands ---

    @property
    def _is_open(self) -> bool:
        return self.kinds is not None or self.lost is not None

    def _closed(self) -> "Enrolling":
        return replace(self, kinds=None, lost=None, taken=None)

    def _with_list(self) -> "Enrolling":
        kinds: Picker[str | None] = Picker((None, *self.box.kinds), 1)
        if self.target is not None:
            kinds = kinds.on(self.target.kind)
        return replace(self._closed(), kinds=kinds)

    def _moved(self, move: Callable[[Picker[Any]], Picker[Any]]) -> Outcome:
        if self.lost is not None:
            return Outcome(replace(self, lost=replace(self.lost, copies=move(self.lost.copies))))
        assert self.kinds is not None, "only what is open is moved through"
        return Outcome(replace(self, kinds=move(self.kinds)))

    def _goes_on_with(self, kind: str) -> bool:
        """Whether a further card of *kind* is asked for after one of it."""
        may_be_more = self.box.is_optional(kind) or not self.box.is_whole
        return self.box.lacks(kind) and may_be_more

    def _onward(self, kind: str | None) -> "Enrolling":
        """This, asking for what comes next: of *kind* if it lacks one, else the first of the deck.

        Nothing is asked for once the box is whole, or when the rest was put off.
        """
        lacking = () if self.box.is_whole else self.box.lacking
        next_kind = next((other for other in lacking if other not in self.skipped), None)
        if kind is not None and kind not in self.skipped and self._goes_on_with(kind):
            next_kind = kind
        target = None if next_kind is None else self.box.next_of(next_kind)
        return replace(self._closed(), target=target)

    def _fresh(self) -> Box:
        return Box.of(self.desk.register, self.box.deck, self.box.number)

    # --- what is shown and told ---

    def progress(self) -> str:
        """How many cards of the box have a sticker."""
        title = self.desk.box_title(self.box.game, self.box.number)
        return self._say("enrol.progress", title=title, done=self.box.done, total=self.box.total)

    def view(self) -> TableView:
        """The card that is asked for, and how far it is; or what is open."""
        left = self.box.total - self.box.done
        common = TableView(
            phase="enrolling",
            title=self.desk.box_title(self.box.game, self.box.number),
            choices=self._choices(),
            action=self._label(),
            asks=(f"sticker {self._aim}" if self._aim is not None else "nothing",),
            counts={"enrolled": self.box.done, "total": self.box.total},
            progress=Progress(self.box.done, self.box.total),
            help=self.desk.tell(TABLE, "help.enrol"),
        )
        if self.target is None:
            is_all = self.box.is_whole
            headline = self._say("enrol.all") if is_all else self._say("enrol.left", n=left)
            hint = self._say("enrol.all.hint" if is_all else "enrol.left.hint")
            return replace(common, headline=headline, hint=hint)
        asking = replace(common, headline=self._piece(self.target))
        copy = self._copy(self.target)
        if self.target not in self.box.stickers:
            return replace(asking, caption=copy, hint=self._say("enrol.hint"))
        caption = self._say("enrol.copy-new", copy=copy) if copy else ""
        return replace(asking, caption=caption, hint=self._say("enrol.hint-new"))

    def _choices(self) -> ListView | None:
        if self.lost is not None:
            copies = self.lost.copies
            return ListView(
                self._say("enrol.lost", piece=self._piece(Piece(self.lost.kind))),
                tuple(map(self._copy_line, copies.items)),
                copies.cursor,
                tuple(ONE_MORE if copy is None else str(copy) for copy in copies.items),
            )
        if self.kinds is None:
            return None
        values = tuple(LEAVE if kind is None else kind for kind in self.kinds.items)
        lines = tuple(map(self._kind_line, self.kinds.items))
        return ListView(
            self._say("enrol.which"), lines, self.kinds.cursor, values, said=self._kind_said()
        )

    def _kind_line(self, kind: str | None) -> str:
        if kind is None:
            return self._say("enrol.leave")
        value = f"{self.box.held[kind]}/{self.box.expected(kind)}"
        return self._say("field.line", label=self._piece(Piece(kind)), value=value)

    def _kind_said(self) -> str | None:
        """The line under the cursor of the list of kinds, as it is said; None: as it is shown."""
        kind = None if self.kinds is None else self.kinds.chosen
        if kind is None:
            return None
        held, expected = self.box.held[kind], self.box.expected(kind)
        value = self.desk.tell(TABLE, "enrol.copy-of", copy=held, count=expected)
        return f"{self._piece(Piece(kind))}: {value}"

    def _copy_line(self, copy: Piece | None) -> str:
        if copy is None:
            return self._say("enrol.one-more")
        return self._say("enrol.copy", copy=copy.copy)

    def _label(self) -> str:
        if self._is_open:
            return self._say("label.next")
        if self.taken is not None:
            return self._say("label.rename")
        if self.target is not None:
            return self._say("label.skip")
        return self._say("label.change" if self.box.is_whole else "label.go-on")

    def _asked(self, before: str | None) -> Line:
        """What is asked for, as it is said after a card of the kind *before*: no more than is new.

        Whoever taps a card every second hears a number, and a name when the kind changes.
        """
        if self.target is None:
            left = self.box.total - self.box.done
            return self._asks("enrol.all" if self.box.is_whole else "enrol.left", n=left)
        name, copy = self._piece(self.target), self._copy(self.target, self.desk.tell)
        whole = self._say("enrol.ask-of", piece=name, copy=copy) if copy else name
        if self.target in self.box.stickers:
            return self._asks("enrol.ask-new", piece=whole)
        return Line(copy if copy and self.target.kind == before else whole, Topic.QUESTION)

    def _copy(self, piece: Piece, say: Callable[..., str] | None = None) -> str:
        """Which of its kind *piece* is; nothing where there is just one.

        As it is shown, or as *say* has it.
        """
        count = max(self.box.expected(piece.kind), piece.copy)
        say = self.desk.say if say is None else say
        return say(TABLE, "enrol.copy-of", copy=piece.copy, count=count) if count > 1 else ""

    def _piece(self, piece: Piece) -> str:
        return self.desk.piece(self.box.game, piece)

    def _told(self, asking: "Enrolling") -> Outcome:
        """*asking*, which says what it asks for."""
        return Outcome(asking, () if asking._is_open else (asking._asked(None),))

    def _asks(self, code: str, **facts: Any) -> Line:
        return self.desk.line(TABLE, code, Topic.QUESTION, **facts)

    def _say(self, code: str, **facts: Any) -> str:
        return self.desk.say(TABLE, code, **facts)

    def _refused(self, code: str, **facts: Any) -> Outcome:
        return refused(replace(self, taken=None), self.desk.notice(TABLE, code, **facts))
