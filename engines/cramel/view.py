"""What the table shows of a game of Cramel: nothing that helps a memory (RULES 1.7).

Room: engines/cramel.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from engines.common.contract import Direction, Message, View, told
from engines.cramel.rules import End, Ended, Phase, State, how_won, stop_wins, winners
from engines.cramel.tiles import CRAMEL

NAMED = 2  # so many kinds of tile a hint has room to name


def hint(state: State) -> Message:
    """What the turn holds; before its first tile, what is to be done after the last one."""
    if state.turned:
        return hint_of_turn(state)
    return told("turn-a-tile") if state.before is None else hint_of_end(state, state.before)


def hint_of_turn(state: State) -> Message:
    """Which sets are complete, or what lies open as long as none is."""
    lying, wins = state.open, stop_wins(state)
    if lying[CRAMEL]:
        return told("only-cramels")
    code, tiles = ("sets", wins) if wins.total else ("open", lying)
    if len(tiles.kinds) <= NAMED:
        return told(code, pieces=tiles.pieces)
    return told(f"{code}-many", n=tiles.total, kinds=len(tiles.kinds))


def hint_of_end(state: State, ended: Ended) -> Message:
    """What hands still have to do after the turn that *ended*."""
    if ended.how is End.BLOOM and state.may_move_bloom:
        return told("bloom-may-move.hint")
    if ended.how is not End.STOP:
        return told(f"{ended.how.value}.hint")
    if not ended.won:
        return told("takes-none.hint")
    return told("takes.hint" if ended.rest else "takes-all.hint", seat=ended.seat, n=ended.won)


def counts(state: State) -> dict[str, int]:
    """The numbers of tiles the referee keeps: on the table by kind, open, and with each player.

    And whether the tile turned last may be put on a free place.
    """
    ended = state.before
    may_move = ended is not None and ended.how is End.BLOOM and state.may_move_bloom
    on_the_table = {kind: state.left[kind] for kind in state.table.deck.by_name}
    won = {f"won-{n}": tiles.total for n, tiles in enumerate(state.won, start=1)}
    cramels = {f"cramels-{n}": tiles[CRAMEL] for n, tiles in enumerate(state.won, start=1)}
    turned = {"open": len(state.turned), "may-move": int(may_move)}
    return {**on_the_table, **turned, **won, **cramels}


def view(state: State) -> View:
    """What to show of *state*."""
    scores = tuple(tiles.total for tiles in state.won)
    if state.phase is Phase.OVER:
        return View(
            headline=str(max(scores)),
            caption=told(f"{how_won(state).value}.caption"),
            phase=state.phase.value,
            hint=told("game-over"),
            scores=scores,
            winners=winners(state),
            counts=counts(state),
        )
    return View(
        headline=str(stop_wins(state).total),
        caption=told("if-you-stop"),
        phase=state.phase.value,
        hint=hint(state),
        scores=scores,
        turn=state.turn,
        direction=Direction.CLOCKWISE,
        counts=counts(state),
    )
