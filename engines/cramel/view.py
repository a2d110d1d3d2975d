"""The view of Cramel: what the table shows and says about a state.

The view must not help a player to remember tiles (RULES 1.7).

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from engines.common.contract import Direction, Message, ScoreUnit, View, message
from engines.cramel.rules import (
    EndedTurn,
    Phase,
    State,
    TurnEnd,
    decided_by,
    scores,
    stop_wins,
    winners,
)
from engines.cramel.tiles import CRAMEL

NAMED = 2  # greatest number of kinds that a hint can name


def hint(state: State) -> Message:
    """Return the hint about the open tiles. If there are none, it is about the last turn's end."""
    if state.turned:
        return hint_of_turn(state)
    return message("turn-a-tile") if state.before is None else hint_of_end(state, state.before)


def hint_of_turn(state: State) -> Message:
    """Return the hint that names the complete sets or, if there are none, the open tiles."""
    lying, wins = state.open, stop_wins(state)
    if lying[CRAMEL]:
        return message("only-cramels")
    code, tiles = ("sets", wins) if wins.total else ("open", lying)
    if len(tiles.kinds) <= NAMED:
        return message(code, pieces=tiles.pieces)
    return message(f"{code}-many", n=tiles.total, kinds=len(tiles.kinds))


def hint_of_end(state: State, ended: EndedTurn) -> Message:
    """Return the hint that says what people still have to do after the turn that *ended*."""
    if ended.how is TurnEnd.BLOOM and state.may_move_bloom:
        return message("bloom-may-move.hint")
    if ended.how is not TurnEnd.STOP:
        return message(f"{ended.how.value}.hint")
    if not ended.won:
        return message("takes-none.hint", seat=ended.seat)
    return message("takes.hint" if ended.rest else "takes-all.hint", seat=ended.seat, n=ended.won)


def page_hint(state: State) -> Message | None:
    """Return the hint that a page shows, if it differs from ``hint``.

    A page has room for the size of a set, and for whose turn has ended and how.
    """
    ended, lying = state.before, state.open
    if state.turned:
        if len(lying.kinds) > 1 or lying[CRAMEL] or stop_wins(state).total:
            return None
        return message("one-kind", pieces=lying.pieces, size=state.config.set_size(lying.kinds[0]))
    if ended is None or ended.how is TurnEnd.STOP:
        return None
    return message(f"{ended.how.value}-ended", seat=ended.seat, next_seat=state.turn)


def counts(state: State) -> dict[str, int]:
    """Return ``View.counts``: tiles on the table by kind, open tiles, and tiles won by each player.

    ``may-move`` is 1 if the player may move the last tile to a free place, else 0.
    """
    ended = state.before
    may_move = ended is not None and ended.how is TurnEnd.BLOOM and state.may_move_bloom
    on_the_table = {kind: state.left[kind] for kind in state.config.deck.by_name}
    won = {f"won-{n}": tiles.total for n, tiles in enumerate(state.won, start=1)}
    cramels = {f"cramels-{n}": tiles[CRAMEL] for n, tiles in enumerate(state.won, start=1)}
    turned = {"open": len(state.turned), "may-move": int(may_move)}
    return {**on_the_table, **turned, **won, **cramels}


def caption_of_end(state: State) -> Message:
    """Return the caption of the best score at the end."""
    if not state.config.goal:
        return message(f"{decided_by(state).value}.caption")
    missed = state.config.goal - max(scores(state)[: state.config.people])
    return message("caption.goal-missed", n=missed) if missed > 0 else message("winner.caption")


def caption_of_turn(state: State) -> Message:
    """Return the caption: what the player wins by stopping now or, against a goal, turns left."""
    if state.turned:
        return message("if-you-stop", seat=state.turn)
    return message("turns-left.caption" if state.config.goal else "none-open", seat=state.turn)


def view(state: State) -> View:
    """Return what the table shows and says about *state*."""
    if state.phase is Phase.OVER:
        return View(
            headline=str(max(scores(state)[: state.config.people])),
            caption=caption_of_end(state),
            phase=state.phase.value,
            hint=message("game-over"),
            scores=scores(state),
            score_unit=ScoreUnit.TILE,
            winners=winners(state),
            counts=counts(state),
            is_for_children=True,
        )
    is_counting_turns = bool(state.config.goal) and not state.turned
    return View(
        headline=str(state.turns_left if is_counting_turns else stop_wins(state).total),
        caption=caption_of_turn(state),
        spoken=message("turns-left", n=state.turns_left) if is_counting_turns else None,
        phase=state.phase.value,
        hint=hint(state),
        page_hint=page_hint(state),
        scores=scores(state),
        score_unit=ScoreUnit.TILE,
        turn=state.turn,
        direction=Direction.CLOCKWISE,
        counts=counts(state),
        is_for_children=True,
    )
