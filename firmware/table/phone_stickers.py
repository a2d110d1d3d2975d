"""The stickers at the host's phone: the table's own mode for enrolling, without its buttons.

The phone opens a box as the menu at the mat does, and presses the table's buttons. The cards are
tapped at the mat.
"""

from firmware.boxes.register import COMMANDS
from firmware.common.errors import RegisterError
from firmware.table.answers import OpenBox, StickersAsked
from firmware.table.context import TABLE, TableContext
from firmware.table.events import StickersAct, StickersDo
from firmware.table.modes.choosing_box import ChoosingBox, box_line, box_value
from firmware.table.modes.enrolling import Enrolling
from firmware.table.modes.idle import Idle
from firmware.table.modes.mode import Mode, Outcome


class HostStickers:
    """The stickers of the table of *context*, for the host's phone.

    To read all boxes takes milliseconds, so they are read again only after a change.
    """

    def __init__(self, context: TableContext) -> None:
        self._context = context
        self._boxes: tuple[tuple[str, str], ...] = ()
        self._made_of: tuple[object, ...] = ()

    def in_mode(self, mode: Mode, step: int) -> StickersAsked:
        """Return what the host can do with stickers in *mode*, in step number *step*."""
        if isinstance(mode, Enrolling):
            return StickersAsked(box=_open_box(mode, step))
        if why_not := _reason_not_to_open(self._context, mode):
            return StickersAsked(why_not=self._context.text(TABLE, why_not))
        try:
            return StickersAsked(self._current_boxes())
        except RegisterError:
            return StickersAsked(why_not=self._context.text(TABLE, "not-readable.happened"))

    def _current_boxes(self) -> tuple[tuple[str, str], ...]:
        context = self._context
        made_of = context.register.version, context.settings.current.language
        if made_of != self._made_of:
            games = (*context.games, COMMANDS)
            boxes = [box for game in games for box in context.boxes(game)]
            self._boxes = tuple((box_value(box), box_line(context, box)) for box in boxes)
            self._made_of = made_of
        return self._boxes


def reason_against(context: TableContext, mode: Mode, act: StickersAct, step: int) -> str:
    """Return the text code of the reason why *act* is impossible or too late; "" if it is not."""
    if act.do is StickersDo.OPEN:
        return _reason_not_to_open(context, mode)
    return "" if isinstance(mode, Enrolling) and act.step == step else "phone.stickers-late"


def outcome_of(context: TableContext, mode: Mode, act: StickersAct) -> Outcome | None:
    """Return the outcome of *act*; None if there is no such box, button or item."""
    if act.do is StickersDo.OPEN:
        opened = ChoosingBox.open(mode, context)
        return opened.mode.choose(act.value) if isinstance(opened.mode, ChoosingBox) else opened
    if not isinstance(mode, Enrolling):
        return None
    if act.do is StickersDo.CHOOSE:
        return mode.choose(act.value)
    if act.value not in dict(mode.buttons):
        return None
    return mode.leave() if act.value == "leave" else mode.press(act.value)


def _reason_not_to_open(context: TableContext, mode: Mode) -> str:
    if context.journal.open_game() is not None:
        return "phone.stickers-game"
    if isinstance(mode, Enrolling | ChoosingBox):
        return "phone.busy"
    return "" if isinstance(mode, Idle) and mode.choosing is None else "phone.stickers-menu"


def _open_box(mode: Enrolling, step: int) -> OpenBox:
    view, listed = mode.view(), mode.view().choices
    asked = f"{view.headline}, {view.caption}" if view.caption else view.headline
    return OpenBox(
        step,
        asked if listed is None else listed.prompt,
        mode.progress(),
        mode.box.done,
        mode.box.total,
        mode.buttons,
        () if listed is None else tuple(zip(listed.values, listed.items, strict=True)),
    )
