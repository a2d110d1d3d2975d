"""Calling the hall for help, from the menu; people can do so while the table is in a hall."""

from engines.common.contract import Topic
from firmware.show.view import Notice
from firmware.table.context import TABLE, TableContext
from firmware.table.modes.mode import Mode, Outcome
from firmware.voice.speech import as_requested

CALLS = ("call", "no-call")  # items of menus: to call, and to take the call back


def call_item(context: TableContext) -> str | None:
    """Return the one of ``CALLS`` that a menu offers now; None without a hall."""
    if not context.hall.is_there:
        return None
    return CALLS[context.hall.calls]


def call_or_not(mode: Mode, context: TableContext) -> Outcome:
    """Call the hall for help in *mode*, or take the call back if there is one."""
    context.hall.calls = not context.hall.calls
    code = "hall.called" if context.hall.calls else "hall.not-called"
    notice = Notice(context.text(TABLE, code))
    return Outcome(mode, as_requested((context.line(TABLE, code, Topic.NEWS),)), notice=notice)
