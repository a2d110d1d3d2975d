"""The mode that records which sticker is on which card of a box (enrolment).

It uses decks and the tag register, and no game.

The mode asks for a card, a person taps that card, and the mode asks for the next one. The cards
come in the order of the deck, unless the person selects a kind. Each tap is saved at once. The next
card follows from the deck and the register alone, so an interrupted enrolment can go on later. A
sticker is removed from a card only when the card gets a new one, or when the sticker is assigned to
another card. ``back`` undoes the changes since this mode began, one at a time.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engines.common.contract import Topic
from engines.common.pieces import Piece
from firmware.boxes.box import Box
from firmware.boxes.register import COMMANDS, Registered, is_random_uid
from firmware.common.errors import RegisterError, TagRefused
from firmware.journal.codec import Phone
from firmware.show.view import Flash, ListView, Notice, Progress, TableView
from firmware.table.context import TABLE, TableContext
from firmware.table.modes.mode import LookedUpTag, Mode, Outcome, TappedPieces, refuse
from firmware.table.picker import Picker
from firmware.voice.speech import SpeechLine, lines

log = logging.getLogger(__name__)

LEAVE, ONE_MORE = "leave", "one-more"  # the fixed names of list items that are not a card


@dataclass(frozen=True, slots=True)
class StickerChange:
    """A change in the tag register: the sticker *uid* was enrolled for *piece*.

    *before* has the earlier register entry of each tag that changed; None if the tag had none.
    """

    uid: bytes
    piece: Piece
    before: Mapping[bytes, Registered | None]


@dataclass(frozen=True, slots=True)
class LostSticker:
    """The question which card of *kind* gets a new sticker.

    *copies* is the list to choose from, in which None is an additional card that is not in the box
    yet.
    """

    kind: str
    copies: Picker[Piece | None]


@dataclass(frozen=True)
class Enrolling(Mode):
    """The enrolment of the stickers of *box*.

    *target* is the requested card; None if no card is requested. If *target* has a sticker already,
    it gets a new one. *return_to* is the mode to go back to; None means idle. If *is_single* is
    True, the table goes back after one change. *skipped* are kinds to ask for later. *changes* are
    the changes since this mode began, which ``back`` undoes. *kinds* is the list of kinds while it
    is open, with None for the item that leaves this mode. *lost* is the list of copies while it is
    open. *conflict* is the last tag tapped, if it is enrolled for another card. In that case, the
    action button assigns it to *target*.
    """

    context: TableContext
    box: Box
    target: Piece | None = None
    return_to: Mode | None = None
    is_single: bool = False
    skipped: frozenset[str] = frozenset()
    changes: tuple[StickerChange, ...] = ()
    kinds: Picker[str | None] | None = None
    lost: LostSticker | None = None
    conflict: LookedUpTag | None = None

    @classmethod
    def of(cls, context: TableContext, box: Box, return_to: Mode | None = None) -> "Enrolling":
        """Return the enrolment of *box*, starting with the first card that lacks a sticker."""
        return cls(context, box, return_to=return_to)._ask_next(None)

    def for_kind(self, kind: str) -> "Enrolling":
        """Return this mode, asking for a card of *kind*.

        If all cards of *kind* have a sticker, ask which of them gets a new one.
        """
        copies = self.box.copies(kind)
        if self._continues_with(kind) or not copies:
            return self.for_piece(self.box.next_of(kind))
        if len(copies) == 1 and not self.box.can_grow(kind):
            return self.for_piece(copies[0])
        further = (None,) if self.box.can_grow(kind) else ()
        # In a complete box, a lost sticker is likelier than an additional card.
        items = (*copies, *further) if self.box.is_whole else (*further, *copies)
        return replace(self._close_lists(), lost=LostSticker(kind, Picker(items)))

    def for_piece(self, piece: Piece) -> "Enrolling":
        """Return this mode, asking for a new sticker for *piece*.

        If *piece* has no sticker yet, ask for the next copy of its kind that has none, since copies
        without a sticker cannot be told apart.
        """
        target = piece if piece in self.box.stickers else self.box.next_of(piece.kind)
        return replace(self._close_lists(), target=target)

    # --- what people do ---

    def handle_tags(self, tags: tuple[LookedUpTag, ...], was_found: bool) -> Outcome | None:
        """Enrol a new tag for the requested card, or say to which card a known tag belongs.

        Return None for a command card, so that the table runs it.
        """
        if len(tags) == 1 and tags[0].enrolled is not None and self._is_command(tags[0].enrolled):
            return None
        if was_found:
            is_new = any(tag.enrolled is None for tag in tags)
            return self._refuse("lay-again") if is_new else Outcome(self)
        if len(tags) > 1:
            return self._refuse("two-at-once")
        (tag,) = tags
        if tag.enrolled is None:
            return self._handle_new(tag.uid)
        return self._handle_known(tag, tag.enrolled)

    @property
    def unreadable_remedy(self) -> str:
        """The text code of the advice for a sticker that cannot be read.

        It is probably bent or on metal.
        """
        return "enrol.unreadable"

    def tap(self, tapped: TappedPieces) -> Outcome:
        """Do nothing, since ``handle_tags`` has handled the pieces already."""
        return Outcome(self)

    def turn(self, steps: int) -> Outcome:
        """Move the cursor in the open list; if there is none, open the list of kinds first."""
        opened = self if self._is_open else self._open_list()
        return opened._move(lambda picker: picker.move(steps))

    def press(self, button: str) -> Outcome:
        """Choose, open the list or finish (OK), undo (back), or do what the label says (action)."""
        if button == "action":
            return self._action()
        if button == "back":
            return self._back()
        if self.lost is not None:
            return self._choose_copy(self.lost, self.lost.copies.chosen)
        if self.kinds is not None:
            kind = self.kinds.chosen
            return self.leave() if kind is None else self._switch_to(self.for_kind(kind))
        return self._finish() if self.target is None else Outcome(self._open_list())

    @property
    def buttons(self) -> tuple[tuple[str, str], ...]:
        """The buttons that a phone shows, each with its text; ``leave`` is ``self.leave``.

        While a list is open, the phone shows its items in place of OK and the action button.
        """
        back = ("back", self._text("button.back"))
        leave = ("leave", self._text("enrol.leave"))
        if self._is_open:
            return (back,)
        action = ("action", self._action_label())
        if self.target is not None:
            return action, back, ("ok", self._text("enrol.which")), leave
        if self.box.is_whole:
            return action, back, ("ok", self._text("spell.done"))
        return action, back, ("ok", self._text("enrol.that-is-all")), leave

    def choose(self, value: str) -> Outcome | None:
        """Choose the item *value* of the open list; return None if there is no such item."""
        listed = self._choices()
        if listed is None or value not in listed.values:
            return None
        at = listed.values.index(value)
        if self.lost is not None:
            return self._choose_copy(self.lost, self.lost.copies.items[at])
        assert self.kinds is not None, "one of the two lists is open"
        return replace(self, kinds=self.kinds.at(at)).press("ok")

    def number(self, value: int) -> Outcome:
        """Choose copy *value*, if the list of copies is open."""
        if self.lost is not None:
            piece = Piece(self.lost.kind, value)
            if piece in self.lost.copies.items:
                return self._choose_copy(self.lost, piece)
        return self._refuse("no-such-value", value=value)

    def seat(self, seat: int) -> Outcome:
        """Refuse a seat's command card: there is no seat to choose."""
        return self._refuse("no-such-value", value=seat + 1)

    def end_game(self, phone: Phone | None = None) -> Outcome | None:
        """End the game to which this mode would go back; return None if there is none."""
        return None if self.return_to is None else self.return_to.end_game(phone)

    def summary(self) -> tuple[SpeechLine, ...]:
        """Return lines with the number of cards that have a sticker, and the next request."""
        return (*lines(self.progress()), self._question(None))

    # --- stickers ---

    def _is_command(self, enrolled: Registered) -> bool:
        """Return True if *enrolled* is a command card that the table should run now.

        While the command cards themselves are being enrolled, none is run.
        """
        is_busy = self.box.game == COMMANDS and (self.target is not None or self._is_open)
        return enrolled.game == COMMANDS and not is_busy

    @property
    def _piece_for_new(self) -> Piece | None:
        """The card for which a new sticker would be enrolled if one were tapped now, or None.

        While the list of kinds is open, that is a card of the kind under the cursor, so people need
        not press OK first.
        """
        if self.lost is not None:
            return self.box.next_of(self.lost.kind) if self.lost.copies.chosen is None else None
        kind = self.kinds.chosen if self.kinds is not None else None
        if kind is None:
            return self.target
        may_be_more = self.box.can_grow(kind) and not self.box.is_whole
        return self.box.next_of(kind) if self.box.lacks(kind) or may_be_more else None

    def _handle_new(self, uid: bytes) -> Outcome:
        """Handle the tag *uid*, which is not enrolled."""
        if is_random_uid(uid):
            return self._refuse("random-uid")
        if self._piece_for_new is not None:
            return self._bind(uid, self._piece_for_new, {})
        if self.lost is not None:
            return self._refuse("which-copy")
        kind = self.kinds.chosen if self.kinds is not None else None
        if kind is None:
            return self._refuse("nothing-asked")
        return self._refuse("kind-full", piece=self._piece_name(Piece(kind)))

    def _handle_known(self, tag: LookedUpTag, enrolled: Registered) -> Outcome:
        """Handle *tag*, which is enrolled for the piece *enrolled*."""
        is_here = (enrolled.game, enrolled.box) == (self.box.game, self.box.number)
        if is_here and self.lost is not None and enrolled.piece.kind == self.lost.kind:
            return self._rule_out(self.lost, enrolled.piece)
        if self.changes and self.changes[-1].uid == tag.uid:
            return Outcome(replace(self, conflict=None), lines(self._text("enrol.again")))
        code = "tag-taken" if is_here else "tag-elsewhere"
        piece = self.context.piece_name(enrolled.game, enrolled.piece)
        title = self.context.box_title(enrolled.game, enrolled.box)
        happened = self._text(f"{code}.happened", piece=piece, title=title)
        aim = self._piece_for_new
        if aim is None:  # no card is requested, so the person wants to know what this is
            return Outcome(replace(self, conflict=None), lines(happened), notice=Notice(happened))
        if is_here and enrolled.piece.kind == aim.kind:
            notice = Notice(happened, self._text("tag-taken.do"), code)
            return refuse(replace(self, conflict=None), notice)
        may_be = self._text("tag-taken.rename", piece=self._piece_name(aim))
        asking = replace(self._close_lists(), target=aim, conflict=tag)
        return refuse(asking, Notice(happened, may_be, code))

    def _rule_out(self, lost: LostSticker, piece: Piece) -> Outcome:
        """Remove *piece* from the list of copies, because its sticker was tapped.

        If one copy is left, that one has lost its sticker, so ask for it.
        """
        left = tuple(copy for copy in lost.copies.items if copy != piece)
        pieces = [copy for copy in left if copy is not None]
        if len(pieces) == 1:
            return self._switch_to(self.for_piece(pieces[0]))
        on = replace(lost, copies=Picker(left).on(lost.copies.chosen))
        not_that = lines(self._text("enrol.not-that"), topic=Topic.QUESTION)
        return Outcome(replace(self, lost=on), not_that)

    def _bind(self, uid: bytes, piece: Piece, moved: Mapping[bytes, Registered | None]) -> Outcome:
        """Enrol the tag *uid* for *piece* and ask for the next card.

        *moved* are other tags with their new entries, saved in the same transaction.
        """
        sticks = Registered(self.box.game, piece, self.box.number)
        old = self.box.stickers.get(piece)
        after = {**moved, **({} if old is None else {old: None}), uid: sticks}
        register = self.context.register
        try:
            before = {tag: register.piece_of(tag) for tag in after}
            register.rebind(after)
            box = self._reload_box()
        except TagRefused as error:
            return self._refuse(error.code, **error.facts)
        except RegisterError as error:
            return self._refuse_to_save(error)
        done = replace(
            self._close_lists(),
            box=box,
            skipped=self.skipped - {piece.kind},
            changes=(*self.changes, StickerChange(uid, piece, before)),
        )
        if self.is_single:
            return done.leave()
        onward = done._ask_next(piece.kind)
        return Outcome(onward, (onward._question(piece.kind),), Flash.ACCEPTED)

    def _reassign(self, tag: LookedUpTag, piece: Piece) -> Outcome:
        """Move the tag of another piece to *piece*."""
        was = tag.enrolled
        assert was is not None, "only an enrolled tag can be moved to another piece"
        try:
            others = self.context.register.pieces(was.game, was.box)
        except RegisterError as error:
            log.warning("%s", error)
            return self._refuse("not-readable")
        last = max(other for other in others if other.kind == was.piece.kind)
        filling = (
            {} if last == was.piece else {others[last]: was}
        )  # keeps copy numbers without a gap
        return self._bind(tag.uid, piece, filling)

    # --- buttons ---

    def _action(self) -> Outcome:
        if self._is_open:
            return self._move(lambda picker: picker.advance(1))
        if self.target is None and self.box.is_whole:
            return Outcome(self._open_list())
        if self.target is None:
            return self._switch_to(replace(self, skipped=frozenset())._ask_next(None))
        if self.conflict is not None:
            return self._reassign(self.conflict, self.target)
        put_off = replace(self, skipped=self.skipped | {self.target.kind})
        return self._switch_to(put_off._ask_next(self.target.kind))

    def _back(self) -> Outcome:
        """Close the open list. Without one, undo the last change. Without that, leave this mode."""
        if self._is_open or self.conflict is not None:
            return Outcome(self._close_lists())
        if not self.changes:
            return self.leave()
        *earlier, act = self.changes
        try:
            self.context.register.rebind(act.before)
            box = self._reload_box()
        except RegisterError as error:
            return self._refuse_to_save(error)
        before = replace(self, box=box, changes=tuple(earlier), target=act.piece)
        undone = lines(self._text("undone"), topic=Topic.CORRECTION)
        return Outcome(before, (*undone, before._question(None)), Flash.ACCEPTED)

    def _finish(self) -> Outcome:
        """Leave this mode. If cards lack a sticker, first record that they are not in the box."""
        if self.box.is_whole:
            return self.leave()
        try:
            self.context.register.close_box(self.box.game, self.box.number)
        except RegisterError as error:
            return self._refuse_to_save(error)
        return replace(self, box=replace(self.box, is_closed=True)).leave()

    def leave(self) -> Outcome:
        """Leave this mode, and say the progress. The enrolment can go on later."""
        return Outcome(self.return_to, lines(self.progress()), Flash.ACCEPTED)

    def _choose_copy(self, lost: LostSticker, piece: Piece | None) -> Outcome:
        chosen = self.box.next_of(lost.kind) if piece is None else piece
        return self._switch_to(self.for_piece(chosen))

    # --- lists and the next card ---

    @property
    def _is_open(self) -> bool:
        return self.kinds is not None or self.lost is not None

    def _close_lists(self) -> "Enrolling":
        return replace(self, kinds=None, lost=None, conflict=None)

    def _open_list(self) -> "Enrolling":
        kinds: Picker[str | None] = Picker((None, *self.box.kinds), 1)
        if self.target is not None:
            kinds = kinds.on(self.target.kind)
        return replace(self._close_lists(), kinds=kinds)

    def _move(self, move: Callable[[Picker[Any]], Picker[Any]]) -> Outcome:
        if self.lost is not None:
            return Outcome(replace(self, lost=replace(self.lost, copies=move(self.lost.copies))))
        assert self.kinds is not None, "one of the two lists is open"
        return Outcome(replace(self, kinds=move(self.kinds)))

    def _continues_with(self, kind: str) -> bool:
        """Return True if, after a card of *kind*, this mode should ask for another one of it."""
        may_be_more = self.box.is_optional(kind) or not self.box.is_whole
        return self.box.lacks(kind) and may_be_more

    def _ask_next(self, kind: str | None) -> "Enrolling":
        """Return this mode with its next request: another card of *kind* if one lacks a sticker.

        Otherwise it asks for the first card of the deck that lacks a sticker, or for none if the
        box is complete or all kinds that lack a sticker were skipped.
        """
        lacking = () if self.box.is_whole else self.box.lacking
        next_kind = next((other for other in lacking if other not in self.skipped), None)
        if kind is not None and kind not in self.skipped and self._continues_with(kind):
            next_kind = kind
        target = None if next_kind is None else self.box.next_of(next_kind)
        return replace(self._close_lists(), target=target)

    def _reload_box(self) -> Box:
        return Box.of(self.context.register, self.box.deck, self.box.number)

    # --- what is shown and said ---

    def progress(self) -> str:
        """Return a sentence with the number of cards that have a sticker."""
        title = self.context.box_title(self.box.game, self.box.number)
        return self._text("enrol.progress", title=title, done=self.box.done, total=self.box.total)

    def view(self) -> TableView:
        """Return the requested card and the progress, with the list if one is open."""
        left = self.box.total - self.box.done
        common = TableView(
            phase="enrolling",
            title=self.context.box_title(self.box.game, self.box.number),
            choices=self._choices(),
            action=self._action_label(),
            asks=(
                f"sticker {self._piece_for_new}" if self._piece_for_new is not None else "nothing",
            ),
            counts={"enrolled": self.box.done, "total": self.box.total},
            progress=Progress(self.box.done, self.box.total),
            help=self.context.spoken_text(TABLE, "help.enrol"),
        )
        if self.target is None:
            is_all = self.box.is_whole
            headline = self._text("enrol.all") if is_all else self._text("enrol.left", n=left)
            hint = self._text("enrol.all.hint" if is_all else "enrol.left.hint")
            return replace(common, headline=headline, hint=hint)
        asking = replace(common, headline=self._piece_name(self.target))
        copy = self._copy_text(self.target)
        if self.target not in self.box.stickers:
            return replace(asking, caption=copy, hint=self._text("enrol.hint"))
        caption = self._text("enrol.copy-new", copy=copy) if copy else ""
        return replace(asking, caption=caption, hint=self._text("enrol.hint-new"))

    def _choices(self) -> ListView | None:
        if self.lost is not None:
            copies = self.lost.copies
            return ListView(
                self._text("enrol.lost", piece=self._piece_name(Piece(self.lost.kind))),
                tuple(map(self._copy_line, copies.items)),
                copies.cursor,
                tuple(ONE_MORE if copy is None else str(copy) for copy in copies.items),
            )
        if self.kinds is None:
            return None
        values = tuple(LEAVE if kind is None else kind for kind in self.kinds.items)
        lines = tuple(map(self._kind_line, self.kinds.items))
        return ListView(
            self._text("enrol.which"),
            lines,
            self.kinds.cursor,
            values,
            said=self._spoken_kind_line(),
        )

    def _kind_line(self, kind: str | None) -> str:
        if kind is None:
            return self._text("enrol.leave")
        value = f"{self.box.held[kind]}/{self.box.listed_count(kind)}"
        return self._text("field.line", label=self._piece_name(Piece(kind)), value=value)

    def _spoken_kind_line(self) -> str | None:
        """Return the selected line of the list of kinds for the voice; None to say it as shown."""
        kind = None if self.kinds is None else self.kinds.chosen
        if kind is None:
            return None
        held, expected = self.box.held[kind], self.box.listed_count(kind)
        value = self.context.spoken_text(TABLE, "enrol.copy-of", copy=held, count=expected)
        return f"{self._piece_name(Piece(kind))}: {value}"

    def _copy_line(self, copy: Piece | None) -> str:
        if copy is None:
            return self._text("enrol.one-more")
        return self._text("enrol.copy", copy=copy.copy)

    def _action_label(self) -> str:
        if self._is_open:
            return self._text("label.next")
        if self.conflict is not None:
            return self._text("label.rename")
        if self.target is not None:
            return self._text("label.skip")
        return self._text("label.change" if self.box.is_whole else "label.go-on")

    def _question(self, before: str | None) -> SpeechLine:
        """Return the line that requests the next card. *before* is the kind of the last card.

        For another card of the same kind, the line has only the number of the copy, so that the
        voice keeps up with a person who taps a card every second.
        """
        if self.target is None:
            left = self.box.total - self.box.done
            return self._question_line("enrol.all" if self.box.is_whole else "enrol.left", n=left)
        name = self._piece_name(self.target)
        copy = self._copy_text(self.target, self.context.spoken_text)
        whole = self._text("enrol.ask-of", piece=name, copy=copy) if copy else name
        if self.target in self.box.stickers:
            return self._question_line("enrol.ask-new", piece=whole)
        return SpeechLine(copy if copy and self.target.kind == before else whole, Topic.QUESTION)

    def _copy_text(self, piece: Piece, say: Callable[..., str] | None = None) -> str:
        """Return "2 of 4" for copy 2 of a kind with 4 pieces; empty for the only piece of a kind.

        *say* is ``TableContext.text`` by default, or ``TableContext.spoken_text``.
        """
        count = max(self.box.listed_count(piece.kind), piece.copy)
        say = self.context.text if say is None else say
        return say(TABLE, "enrol.copy-of", copy=piece.copy, count=count) if count > 1 else ""

    def _piece_name(self, piece: Piece) -> str:
        return self.context.piece_name(self.box.game, piece)

    def _switch_to(self, asking: "Enrolling") -> Outcome:
        """Return the outcome of a change to *asking*: its request, unless a list is open."""
        return Outcome(asking, () if asking._is_open else (asking._question(None),))

    def _question_line(self, code: str, **facts: Any) -> SpeechLine:
        return self.context.line(TABLE, code, Topic.QUESTION, **facts)

    def _text(self, code: str, **facts: Any) -> str:
        return self.context.text(TABLE, code, **facts)

    def _refuse(self, code: str, **facts: Any) -> Outcome:
        return refuse(replace(self, conflict=None), self.context.notice(TABLE, code, **facts))

    def _refuse_to_save(self, error: RegisterError) -> Outcome:
        log.warning("%s", error)
        return refuse(replace(self, conflict=None), self.context.not_saved_notice(error))
