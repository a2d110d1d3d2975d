"""Aloud: what the table shows, as it is said to somebody who does not look.

Room: firmware. Pure functions from views to lines, as ``firmware.screens`` are to pictures.
Modes say what happened; what the controls stand on is said here, for every list alike.
"""

from collections.abc import Sequence

from engines.common.contract import Topic
from firmware.desk import TABLE, Desk
from firmware.speech import Line, asked, lines
from firmware.view import Cue, Flash, ListView, TableView

ROUND_OVER = "round-over"  # the phase of every game that waits between two rounds


def of_list(before: TableView, after: TableView, said: Sequence[Line]) -> tuple[Line, ...]:
    """What is to be said of the list in *after*, when the act itself *said* that much.

    A list that opens says what is asked, the item under the cursor and what that is about; one
    that is turned says the item, also at its ends, where nothing moves. An act that told the item,
    or asked, in its own words needs none of it twice.
    """
    was, now = before.choices, after.choices
    topics = {line.topic for line in said}
    if now is None or not now.items or topics & {Topic.ITEM, Topic.REFUSAL}:
        return ()
    if was is not None and was.values == now.values:
        has_moved = was.cursor != now.cursor or question(was) == question(now)
        return (item(now),) if has_moved else lines(question(now), topic=Topic.ITEM)
    prompt = () if Topic.QUESTION in topics else lines(question(now), topic=Topic.QUESTION)
    return (*prompt, item(now), *lines(now.help, topic=Topic.HELP))


def item(choices: ListView) -> Line:
    """What the cursor stands on."""
    text = choices.items[choices.cursor] if choices.said is None else choices.said
    return Line(text, Topic.ITEM)


def question(choices: ListView) -> str:
    """What is asked in a list."""
    return choices.prompt if choices.asked is None else choices.asked


def controls(view: TableView, desk: Desk) -> tuple[Line, ...]:
    """What the controls do now."""
    is_list = view.choices is not None and view.grid is None
    named = "" if not view.action or is_list else _said(desk, "help.action", label=view.action)
    general = _said(desk, "help.list") if view.choices is not None else view.help
    return lines(general, named, topic=Topic.HELP)


def everything(view: TableView, desk: Desk) -> tuple[Line, ...]:
    """All that stands on the screen and the lamps, for somebody who asked."""
    choices = view.choices
    turn = view.turn if view.turn is not None and view.turn < len(view.names) else None
    direction = view.direction
    scores = zip(view.names, view.scores, strict=False)
    return asked(
        (
            *lines(view.title, view.spoken or view.headline, view.caption),
            *lines("" if turn is None else _said(desk, "whose-turn", seat=view.names[turn])),
            *lines("" if direction is None else _said(desk, f"direction.{direction.value}")),
            *lines(view.hint),
            *(() if choices is None else (*lines(question(choices)), item(choices))),
            *controls(view, desk),
            *lines(*(_said(desk, "score", seat=name, score=score) for name, score in scores)),
            *lines(view.fault),
        )
    )


def cue(before: TableView, after: TableView, flash: Flash | None) -> Cue | None:
    """The tone that answers an act which was lit as *flash*."""
    if flash is not Flash.ACCEPTED:
        return None if flash is None else Cue.REFUSED
    has_ended = after.winners and not before.winners
    if has_ended or (after.phase == ROUND_OVER and before.phase != ROUND_OVER):
        return Cue.ROUND_END
    has_passed = after.turn is not None and before.turn is not None and after.turn != before.turn
    return Cue.YOUR_TURN if has_passed else Cue.ACCEPTED


def _said(desk: Desk, code: str, **facts: object) -> str:
    return desk.line(TABLE, code, Topic.HELP, **facts).text
