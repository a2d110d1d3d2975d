"""What the table shows of a game of Straw.

Room: engines/straw.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from collections.abc import Callable
from typing import NamedTuple

from engines.common.contract import Message, Seat, View, told
from engines.straw.cards import LAMP_HIGH, LAMP_LOW
from engines.straw.rules import (
    CAMEL_LIMIT,
    DEAL,
    Phase,
    State,
    counting,
    hand_left,
    leaders,
    told_of_end,
)


class Shown(NamedTuple):
    """What differs from phase to phase."""

    headline: int
    caption: Message
    hint: Message
    turn: Seat | None


def show_play(state: State) -> Shown:
    """The weight, and what a player should know before the next card."""
    now = state.round
    if now.weight == CAMEL_LIMIT:
        hint = told("lay-at-50", limit=CAMEL_LIMIT)
    else:
        hint = told("lay-a-card" if now.pile else "lay-without-drawing")
    return Shown(now.weight, told("on-the-camel"), hint, now.turn)


def show_lamp(state: State) -> Shown:
    """The weight before the Lamp, until its own is chosen."""
    hint = told("choose-lamp-weight", low=LAMP_LOW, high=LAMP_HIGH)
    return Shown(state.round.weight, told("on-the-camel"), hint, state.round.turn)


def show_scoring(state: State) -> Shown:
    """What ended the round, until the first card is counted; then the points of the hand."""
    seat, scoring = counting(state), state.scoring
    hint = told("lay-your-hand", n=hand_left(state))
    if not any(scoring.shown):
        caption = told_of_end(scoring, f"{scoring.end.value}.caption")
        return Shown(state.round.weight, caption, hint, seat)
    return Shown(state.points(seat), told("in-the-hand"), hint, seat)


def show_round_over(state: State) -> Shown:
    """The best total, while the next dealer deals."""
    hint = told("deal-next", cards=DEAL)
    return Shown(max(state.totals), told("best-total"), hint, state.next_dealer)


def show_over(state: State) -> Shown:
    """The total that won."""
    caption = "wins-with" if len(leaders(state)) == 1 else "win-with"
    return Shown(max(state.totals), told(caption), told("game-over"), None)


SHOWN: dict[Phase, Callable[[State], Shown]] = {
    Phase.PLAY: show_play,
    Phase.LAMP: show_lamp,
    Phase.SCORING: show_scoring,
    Phase.ROUND_OVER: show_round_over,
    Phase.OVER: show_over,
}


def counts(state: State) -> dict[str, int]:
    """The numbers of cards the referee keeps, and of rounds when they are settled."""
    now = state.round
    hands = {f"hand-{n}": cards for n, cards in enumerate(now.hands, start=1)}
    kept = {"camel": len(now.camel), "draw-pile": now.pile, **hands, "round": state.number}
    if state.table.house.ending == "rounds":
        kept["rounds"] = max(state.number, state.table.seats)
    return kept


def view(state: State) -> View:
    """What to show of *state*."""
    shown = SHOWN[state.phase](state)
    is_played = state.phase in (Phase.PLAY, Phase.LAMP)
    return View(
        headline=str(shown.headline),
        caption=shown.caption,
        phase=state.phase.value,
        hint=shown.hint,
        scores=state.totals,
        turn=shown.turn,
        direction=state.round.direction if is_played else None,
        winners=leaders(state) if state.phase is Phase.OVER else (),
        counts=counts(state),
    )
