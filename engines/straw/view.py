"""The view of Straw: what the table shows and says about a state.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from engines.common.contract import Message, Seat, View, message
from engines.straw.cards import COPY, LAMP_HIGH, LAMP_LOW
from engines.straw.rules import (
    CAMEL_LIMIT,
    DEAL,
    Phase,
    State,
    counting,
    end_message,
    hand_left,
    leaders,
    loses,
    loses_with,
)


class PhaseView(NamedTuple):
    """The parts of a view that depend on the phase. *headline* is the number to show.

    *limit* is the most that the camel carries, if the headline is the weight on it. *page_hint* is
    ``View.page_hint``.
    """

    headline: int
    caption: Message
    hint: Message
    turn: Seat | None
    limit: int | None = None
    page_hint: Message | None = None


def show_play(state: State) -> PhaseView:
    """Return a view of the weight on the camel, and a hint for the next card."""
    now = state.round
    if now.weight == CAMEL_LIMIT:
        hint = message("lay-at-50", limit=CAMEL_LIMIT)
    else:
        hint = message("lay-a-card" if now.pile else "lay-without-drawing")
    return PhaseView(
        now.weight, message("on-the-camel", limit=CAMEL_LIMIT), hint, now.turn, CAMEL_LIMIT
    )


def show_lamp(state: State) -> PhaseView:
    """Return a view of the load before the Lamp, with a hint to choose the Lamp's weight."""
    assert state.lamp is not None, "this phase begins with a Lamp or a Copy of one"
    code = "choose-copied-weight" if state.lamp.kind == COPY else "choose-lamp-weight"
    hint = message(code, low=LAMP_LOW, high=LAMP_HIGH)
    return PhaseView(
        state.round.weight,
        message("on-the-camel", limit=CAMEL_LIMIT),
        hint,
        state.round.turn,
        CAMEL_LIMIT,
    )


def show_scoring(state: State) -> PhaseView:
    """Return a view of the round's end or, once a card is counted, of the hand's points."""
    seat, scoring = counting(state), state.scoring
    points, left = state.points(seat), hand_left(state)
    hint = message("lay-your-hand", n=left)
    by = {} if scoring.by is None else {"by_seat": scoring.by}
    on_page = message(f"{scoring.end.value}.counted", seat=seat, points=points, **by)
    if not any(scoring.shown):
        caption = end_message(scoring, f"{scoring.end.value}.caption")
        return PhaseView(state.round.weight, caption, hint, seat, CAMEL_LIMIT, on_page)
    return PhaseView(points, message("in-the-hand"), hint, seat, page_hint=on_page)


def show_round_over(state: State) -> PhaseView:
    """Return a view of the highest total, with a hint for the next dealer to deal."""
    hint, (seat, *others) = message("deal-next", cards=DEAL), leaders(state)
    caption = message("best-total") if others else message("leads", seat=seat)
    rounds, on_page = counts(state).get("rounds"), None
    if rounds is not None and others:
        on_page = message("between-rounds", round=state.number, rounds=rounds)
    elif rounds is not None:
        on_page = message("between-rounds-leads", seat=seat, round=state.number, rounds=rounds)
    best = max(state.totals[: state.config.people])  # without the goal of a solo game
    return PhaseView(best, caption, hint, state.next_dealer, page_hint=on_page)


def show_over(state: State) -> PhaseView:
    """Return a view of the winning total."""
    best, goal = max(state.totals[: state.config.people]), state.config.goal
    caption = message("wins-with" if len(leaders(state)) == 1 else "win-with")
    if best < goal:
        caption = message("caption.goal-missed", n=goal - best)
    return PhaseView(best, caption, message("game-over"), None)


SHOWN: dict[Phase, Callable[[State], PhaseView]] = {
    Phase.PLAY: show_play,
    Phase.LAMP: show_lamp,
    Phase.SCORING: show_scoring,
    Phase.ROUND_OVER: show_round_over,
    Phase.OVER: show_over,
}


def counts(state: State) -> dict[str, int]:
    """Return ``View.counts``: cards by place, the round, and the number of rounds if fixed."""
    now = state.round
    hands = {f"hand-{n}": cards for n, cards in enumerate(now.hands, start=1)}
    kept = {"camel": len(now.camel), "draw-pile": now.pile, **hands, "round": state.number}
    if state.config.house.ending == "rounds":
        kept["rounds"] = max(state.number, state.config.seats)
    return kept


def warnings(state: State) -> Mapping[str, Message]:
    """Return ``View.warnings``: the cards or Lamp's weights that would break the camel's back."""
    bad: Iterable[str] = ()
    if state.phase is Phase.PLAY:
        bad = (kind for kind in state.config.deck.by_name if loses(state, kind))
    elif state.lamp is not None:
        kind, weights = state.lamp.kind, range(LAMP_LOW, LAMP_HIGH + 1)
        bad = (str(weighs) for weighs in weights if loses_with(state, kind, weighs))
    return {each: message("would-break") for each in bad}


def view(state: State) -> View:
    """Return what the table shows and says about *state*."""
    shown = SHOWN[state.phase](state)
    is_played = state.phase in (Phase.PLAY, Phase.LAMP)
    is_counted = state.phase in (Phase.SCORING, Phase.ROUND_OVER, Phase.OVER)
    return View(
        headline=str(shown.headline),
        caption=shown.caption,
        phase=state.phase.value,
        hint=shown.hint,
        page_hint=shown.page_hint,
        scores=state.totals,
        turn=shown.turn,
        direction=state.round.direction if is_played else None,
        winners=leaders(state) if state.phase is Phase.OVER else (),
        limit=shown.limit,
        counts=counts(state),
        warnings=warnings(state),
        worth=dict(state.round.worth),
        counted=state.scoring.points_so_far(state.config.deck) if is_counted else (),
    )
