"""The spoken form of the view, for players who cannot see the display or do not look at it.

These pure functions turn views into speech lines, just like ``firmware.show.screens`` turns them
into pictures. Each mode says what happened. In every mode, this module says which list item is
selected.
"""

from collections.abc import Sequence

from engines.common.contract import Topic
from firmware.show.view import Cue, Flash, JoinAddress, ListView, TableView
from firmware.table.context import TABLE, TableContext
from firmware.voice.speech import SpeechLine, as_requested, lines

ROUND_OVER = "round-over"  # the phase of every game that waits between two rounds


def list_lines(
    before: TableView, after: TableView, said: Sequence[SpeechLine]
) -> tuple[SpeechLine, ...]:
    """Return what to say about the list in *after*, in addition to the lines already *said*.

    When a list opens, these are its question, the selected item and the item's help. When a player
    moves the cursor, it is the selected item, even if the cursor cannot move at an end of the list.
    *before* is the view before the player's act. A question or an item that is already in *said* is
    left out. After a refusal, return nothing.
    """
    was, now = before.choices, after.choices
    topics = {line.topic for line in said}
    if now is None or not now.items or topics & {Topic.ITEM, Topic.REFUSAL}:
        return ()
    if was is not None and was.values == now.values:
        has_moved = was.cursor != now.cursor or question_text(was) == question_text(now)
        return (item_line(now),) if has_moved else lines(question_text(now), topic=Topic.ITEM)
    prompt = () if Topic.QUESTION in topics else lines(question_text(now), topic=Topic.QUESTION)
    return (*prompt, item_line(now), *lines(now.help, topic=Topic.HELP))


def item_line(choices: ListView) -> SpeechLine:
    """Return the line that says the item under the cursor."""
    text = choices.items[choices.cursor] if choices.said is None else choices.said
    return SpeechLine(text, Topic.ITEM)


def question_text(choices: ListView) -> str:
    """Return the question that a list asks, for the voice."""
    return choices.prompt if choices.asked is None else choices.asked


def join_text(address: JoinAddress, context: TableContext) -> str:
    """Return the sentence that says how to join at *address*, for the voice."""
    digits = " ".join(address.code)
    return context.spoken_text(TABLE, "join", place=address.place, code=digits)


def control_help(view: TableView, context: TableContext) -> tuple[SpeechLine, ...]:
    """Return lines that say what the encoder and the buttons do now."""
    is_list = view.choices is not None and view.grid is None
    named = (
        ""
        if not view.action or is_list
        else context.spoken_text(TABLE, "help.action", label=view.action)
    )
    general = context.spoken_text(TABLE, "help.list") if view.choices is not None else view.help
    return lines(general, named, topic=Topic.HELP)


def full_description(view: TableView, context: TableContext) -> tuple[SpeechLine, ...]:
    """Return lines that say everything that the display and the lamps show.

    A player has asked for these lines, so they are said even if the settings leave their topics
    out.
    """
    choices = view.choices
    context = context.for_players(are_children=view.is_for_children)
    turn = view.turn if view.turn is not None and view.turn < len(view.names) else None
    direction = view.direction
    scores = zip(view.names, view.scores, strict=False)
    return as_requested(
        (
            *lines(view.title, view.spoken or view.headline, view.caption),
            *lines(
                ""
                if turn is None
                else context.spoken_text(TABLE, "whose-turn", seat=view.names[turn])
            ),
            *lines(
                ""
                if direction is None
                else context.spoken_text(TABLE, f"direction.{direction.value}")
            ),
            *lines(view.spoken_hint or view.hint),
            *(() if choices is None else (*lines(question_text(choices)), item_line(choices))),
            *(() if view.join is None else lines(join_text(view.join, context))),
            *control_help(view, context),
            *lines(
                *(
                    context.spoken_text(TABLE, "score", seat=name, score=score)
                    for name, score in scores
                )
            ),
            *lines(view.fault),
        )
    )


def cue(before: TableView, after: TableView, flash: Flash | None) -> Cue | None:
    """Return the tone for an act that changed the view from *before* to *after*, or None.

    *flash* says if the act was accepted or refused; if it is None, there is no tone.
    """
    if flash is not Flash.ACCEPTED:
        return None if flash is None else Cue.REFUSED
    has_ended = after.winners and not before.winners
    if has_ended or (after.phase == ROUND_OVER and before.phase != ROUND_OVER):
        return Cue.ROUND_END
    has_passed = after.turn is not None and before.turn is not None and after.turn != before.turn
    return Cue.YOUR_TURN if has_passed else Cue.ACCEPTED
