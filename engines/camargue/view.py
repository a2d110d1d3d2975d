"""The view of Camargue: what the table shows and says about a state.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from engines.camargue.drawing import grid
from engines.camargue.rules import (
    HELPER_POINTS,
    does_match,
    kinds_left,
    may_copy,
    next_player,
    winners,
)
from engines.camargue.state import Phase, State
from engines.camargue.tiles import EMERGENCY
from engines.common.contract import Direction, Message, Seat, View, message
from engines.common.grid import Grid

# --- hints ---------------------------------------------------------------------------------------


def hint_of_play(state: State) -> Message:
    """Return the hint for the current player, which also says if others may copy points first."""
    if not can_be_copied(state):
        return hint_of_turn(state)
    assert state.scored is not None, "there are points to copy"
    return message(f"{code_of_turn(state)}-or-copy.hint", landscape=state.scored.landscape)


def code_of_turn(state: State) -> str:
    """Return the first part of the code of the current player's hint, such as ``tap-a-tile``."""
    if state.front is not None:
        return "put-aside" if state.pile else "put-aside-only"
    return "tap-a-shown-tile" if state.known else "tap-a-tile"


def hint_of_turn(state: State) -> Message:
    """Return the hint that says what the current player may do. It does not mention copying."""
    facts = {} if state.front is None else {"next_seat": next_player(state)}
    return message(f"{code_of_turn(state)}.hint", **facts)


def can_be_copied(state: State) -> bool:
    """Return True if the points just scored can be copied with a helper that is still in a hand."""
    _, helpers = kinds_left(state)
    return bool(may_copy(state)) and any(does_match(state, kind) for kind in helpers)


def hint_of_copy(state: State) -> Message:
    """Return the hint with the points for copying with the helper and for discarding it."""
    assert state.scored is not None, "there are points to copy"
    scored = state.scored
    return message(
        "copy-or-turn.hint", points=scored.points, instead=HELPER_POINTS, seat=scored.seat
    )


def hint_of_claim(state: State) -> Message:
    """Return the hint with the number of tiles still to be shown in the claim."""
    return message("shows.hint", n=state.to_show)


def hint(state: State) -> Message:
    """Return the hint of the phase of *state*."""
    now = HINTS[state.phase]
    return message(now) if isinstance(now, str) else now(state)


def page_hint(state: State) -> Message | None:
    """Return the hint that a page shows, if it differs from ``hint``.

    A page marks the helpers that can copy points, so its hint leaves them out. A tile that waits
    for a place looks there as if it could be turned, so the hint says that it cannot.
    """
    if state.phase is Phase.PLAY:
        return hint_of_turn(state)
    waiting = state.waiting
    is_fixed = state.phase is Phase.PLACE and waiting is not None and waiting.kind != EMERGENCY
    return message("place-unturned") if is_fixed else None


def questions(state: State) -> Mapping[str, Message]:
    """Return ``View.questions``: by kind, what a page asks before the player discards a helper.

    Helpers with which the player can copy points have no such question.
    """
    if state.phase is not Phase.PLAY or state.front is not None:
        return {}
    may_turn_copy = state.turn in may_copy(state)
    _, helpers = kinds_left(state)
    aside = message("aside.question", points=HELPER_POINTS)
    return {
        kind: aside for kind in sorted(helpers) if not (may_turn_copy and does_match(state, kind))
    }


HINTS: dict[Phase, str | Callable[[State], Message]] = {  # by phase: a text, or a function
    Phase.PLAY: hint_of_play,
    Phase.PLACE: "choose-place.hint",
    Phase.WHOSE: "whose-helper",
    Phase.COPY_OR_TURN: hint_of_copy,
    Phase.CLAIM: hint_of_claim,
    Phase.EMERGENCY: "take-emergency.hint",
    Phase.OVER: "game-over",
}


# --- map, counts and headline --------------------------------------------------------------------


def board_grid(state: State) -> Grid:
    """Return the map. The last tile is highlighted unless a tile is waiting for a place."""
    board = state.board
    is_begun = len(board.laid) > 1
    return grid(board, board.last if is_begun and state.phase is not Phase.PLACE else None)


def counts(state: State) -> dict[str, int]:
    """Return ``View.counts``, tiles by place; they add up to the number of tiles in the box."""
    hands = {f"hand-{n}": tiles for n, tiles in enumerate(state.hands, start=1)}
    fronts = {f"front-{n}": int(front is not None) for n, front in enumerate(state.fronts, 1)}
    return {
        **hands,
        **fronts,
        "pile": state.pile,
        "board": len(state.board.laid),
        "removed": state.aside,
        "out": state.config.out,
        "emergency": len(state.spare),
    }


class Headline(NamedTuple):
    """The number that is the headline, with its caption and the text for the voice."""

    n: int
    caption: Message
    spoken: Message


def headline(state: State) -> Headline:
    """Return the points of the last play or, in a claim, the number of tiles still to be shown."""
    if state.phase is Phase.CLAIM:
        left = state.to_show
        return Headline(left, message("caption.to-go", n=left), message("spoken.to-go", n=left))
    made = state.made
    caption = message(f"caption.{made.code}", tiles=made.tiles, edges=made.edges)
    return Headline(made.n, caption, message("spoken.points", n=made.n))


def caption_of_end(state: State, won_by: tuple[Seat, ...]) -> Message:
    """Return the caption of the best score, with which the seats *won_by* have won."""
    missed = state.config.goal - max(state.scores[: state.config.people])
    if missed > 0:
        return message("caption.goal-missed", n=missed)
    return message("caption.wins-with" if len(won_by) == 1 else "caption.win-with")


def view(state: State) -> View:
    """Return what the table shows and says about *state*."""
    now = headline(state)
    if state.phase is Phase.OVER:
        won_by = winners(state)
        return View(
            headline=str(max(state.scores[: state.config.people])),
            caption=caption_of_end(state, won_by),
            phase=state.phase.value,
            hint=hint(state),
            scores=state.scores,
            winners=won_by,
            counts=counts(state),
            grid=board_grid(state),
        )
    return View(
        headline=str(now.n),
        caption=now.caption,
        phase=state.phase.value,
        hint=hint(state),
        page_hint=page_hint(state),
        scores=state.scores,
        turn=state.turn,
        direction=Direction.CLOCKWISE,
        counts=counts(state),
        spoken=now.spoken,
        grid=board_grid(state),
        questions=questions(state),
    )
