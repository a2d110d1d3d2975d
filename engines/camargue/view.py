"""What the table shows of a game of Camargue.

Room: engines/camargue.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from collections.abc import Callable
from typing import NamedTuple

from engines.camargue.drawing import grid
from engines.camargue.rules import HELPER_POINTS, does_match, kinds_left, may_copy, winners
from engines.camargue.state import Phase, State
from engines.common.contract import Direction, Message, View, told
from engines.common.grid import Grid

# --- hints ---------------------------------------------------------------------------------------


def hint_of_play(state: State) -> Message:
    """What who is to play may do, and that points may be copied until then."""
    code = "tap-a-tile"
    if state.front is not None:
        code = "put-aside" if state.pile else "put-aside-only"
    if not can_be_copied(state):
        return told(f"{code}.hint")
    assert state.scored is not None, "there are points to copy"
    return told(f"{code}-or-copy.hint", landscape=state.scored.landscape)


def can_be_copied(state: State) -> bool:
    """Whether somebody may copy the points just scored, and a helper for that may be in a hand."""
    _, helpers = kinds_left(state)
    return bool(may_copy(state)) and any(does_match(state, kind) for kind in helpers)


def hint_of_copy(state: State) -> Message:
    """What the helper scores either way."""
    assert state.scored is not None, "there are points to copy"
    return told("copy-or-turn.hint", points=state.scored.points, instead=HELPER_POINTS)


def hint_of_claim(state: State) -> Message:
    """How many tiles are still to be shown."""
    return told("shows.hint", n=state.to_show)


def always(code: str) -> Callable[[State], Message]:
    """The hint *code*, whatever the state."""
    return lambda state: told(code)


HINTS: dict[Phase, Callable[[State], Message]] = {
    Phase.PLAY: hint_of_play,
    Phase.PLACE: always("choose-place.hint"),
    Phase.WHOSE: always("whose-helper"),
    Phase.COPY_OR_TURN: hint_of_copy,
    Phase.CLAIM: hint_of_claim,
    Phase.EMERGENCY: always("take-emergency.hint"),
    Phase.OVER: always("game-over"),
}


# --- the rest ------------------------------------------------------------------------------------


def board_shown(state: State) -> Grid:
    """The map; the tile laid last is lit, as long as none is to be placed."""
    board = state.board
    is_begun = len(board.laid) > 1
    return grid(board, board.last if is_begun and state.phase is not Phase.PLACE else None)


def counts(state: State) -> dict[str, int]:
    """The numbers of tiles the referee keeps: together they are the box.

    Not under the names by which the virtual deck follows a game (decision 0007): that one takes a
    tapped piece out of its hand, and a tile that is only shown goes back.
    """
    hands = {f"hand-{n}": tiles for n, tiles in enumerate(state.hands, start=1)}
    fronts = {f"front-{n}": int(front is not None) for n, front in enumerate(state.fronts, 1)}
    return {
        **hands,
        **fronts,
        "pile": state.pile,
        "board": len(state.board.laid),
        "removed": state.aside,
        "out": state.table.out,
        "emergency": len(state.spare),
    }


class Headline(NamedTuple):
    """The number people look for, what names it, and how it is said."""

    n: int
    caption: Message
    spoken: Message


def headline(state: State) -> Headline:
    """The points of the play just made; of a claim, how much of it is still to come."""
    if state.phase is Phase.CLAIM:
        left = state.to_show
        return Headline(left, told("caption.to-go", n=left), told("spoken.to-go", n=left))
    made = state.made
    caption = told(f"caption.{made.code}", tiles=made.tiles, edges=made.edges)
    return Headline(made.n, caption, told("spoken.points", n=made.n))


def view(state: State) -> View:
    """What to show of *state*: the play just made; at the end, what won."""
    hint, now = HINTS[state.phase](state), headline(state)
    if state.phase is Phase.OVER:
        won_by = winners(state)
        return View(
            headline=str(max(state.scores)),
            caption=told("caption.wins-with" if len(won_by) == 1 else "caption.win-with"),
            phase=state.phase.value,
            hint=hint,
            scores=state.scores,
            winners=won_by,
            counts=counts(state),
            grid=board_shown(state),
        )
    return View(
        headline=str(now.n),
        caption=now.caption,
        phase=state.phase.value,
        hint=hint,
        scores=state.scores,
        turn=state.turn,
        direction=Direction.CLOCKWISE,
        counts=counts(state),
        spoken=now.spoken,
        grid=board_shown(state),
    )
