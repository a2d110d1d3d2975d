"""The view of Riff Raff: what the table shows and says about a state.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from engines.common.contract import Message, ScoreUnit, Seat, View, message
from engines.common.grid import Cell, Grid, Place
from engines.riff_raff.rules import ROUNDS, next_in_order, winners
from engines.riff_raff.ship import AREAS
from engines.riff_raff.state import Phase, State

# The ship from the side: three yardarms, the highest on top, and the deck. RULES 2.4
LAYOUT = ((None, 9, 10, None), (None, 7, 8, None), (None, 5, 6, None), (1, 2, 3, 4))
PLACES = {
    area: Place(column, row)
    for row, areas in enumerate(LAYOUT)
    for column, area in enumerate(areas)
    if area is not None
}
EXACT = 9  # greatest upper bound that fits a tally of three characters: "0-9"


class PhaseView(NamedTuple):
    """The parts of a view that depend on the phase."""

    headline: str | Message
    caption: Message
    hint: Message
    turn: Seat | None = None
    spoken: Message | None = None
    grid: Grid | None = None


# --- the ship ------------------------------------------------------------------------------------


def grid(state: State) -> Grid:
    """Return the map of the ship, with the area to load highlighted."""
    lit = state.acting.area
    cells = (
        Cell(place, mark=str(area), tally=tally(state, area), is_lit=area == lit)
        for area, place in PLACES.items()
    )
    return Grid(tuple(cells), PLACES[lit])


def tally(state: State, area: int) -> str:
    """Return the number of pieces in *area* as text: ``2``, ``0-1``, ``3+``, or "" for none."""
    least, most = state.ship.least(area), state.ship.most(area)
    if least == most:
        return str(most) if most else ""
    return f"{least}-{most}" if most <= EXACT else f"{least}+"


# --- cards ---------------------------------------------------------------------------------------


def show_colours(state: State) -> PhaseView:
    """Return a view with a hint that a player still has to show a colour."""
    turn = state.colourless[0]
    return PhaseView(
        message("headline.colours"), message("of-cards"), message("show-colour.hint"), turn
    )


def show_reveal(state: State) -> PhaseView:
    """Return a view of the number of the round, and the number of cards still to be revealed."""
    last, *more = state.waited_for
    hint = message("reveal-last", seat=last)
    if more:
        hint = message("reveal", n=len(state.waited_for))
    caption = message("of-rounds" if state.passes == 1 else "of-rounds-again", rounds=ROUNDS)
    spoken = message("spoken.round", round=state.number)
    return PhaseView(str(state.number), caption, hint, None if more else last, spoken)


def show_captain(state: State) -> PhaseView:
    """Return a view of the highest card, which several players revealed."""
    hint = message("name-captain", seat=state.captain, number=max(state.shown))
    return PhaseView(str(max(state.shown)), message("highest-card"), hint, state.captain)


def show_order(state: State) -> PhaseView:
    """Return a view of the card that the tied players revealed."""
    card = state.shown[next_in_order(state)[0]]
    hint = message("who-is-next.hint", seat=state.captain, number=card)
    return PhaseView(str(card), message("tied-cards"), hint, state.captain)


# --- a turn --------------------------------------------------------------------------------------


def area_view(state: State, hint: Message, caption: Message) -> PhaseView:
    """Return a view of the area to load and the map of the ship, with *hint* and *caption*."""
    turn = state.acting
    spoken = message("spoken.area", area=turn.area)
    return PhaseView(str(turn.area), caption, hint, turn.seat, spoken, grid(state))


def show_look(state: State) -> PhaseView:
    """Return a view that asks if there is a piece in the area to load."""
    return area_view(state, message("look", area=state.acting.area), message("area-to-load"))


def show_announce(state: State) -> PhaseView:
    """Return a view of the area that one piece or two can be loaded into."""
    return area_view(state, message("announce"), message("area-to-load"))


def show_loading(state: State, hint: str, caption: str) -> PhaseView:
    """Return a view of the area to load. *hint* and *caption* are codes of texts.

    If two pieces were announced, the caption is the number of the piece instead.
    """
    turn = state.acting
    if turn.announced == 1:
        return area_view(state, message(hint), message(caption))
    which = message("piece-of", number=turn.loaded + 1, pieces=turn.announced)
    return area_view(state, message(hint), which)


def show_fall(state: State, code: str) -> PhaseView:
    """Return a view of the area. The hint is the question *code* about the fall."""
    return area_view(state, message(code, n=state.acting.fell), message("cargo-fell"))


def show_tap_caught(state: State) -> PhaseView:
    """Return a view of the area. The hint has the number of pieces tapped as caught."""
    n = len(state.acting.caught)
    return area_view(
        state, message("tap-caught-more" if n else "tap-caught", n=n), message("cargo-fell")
    )


def show_tap_lost(state: State) -> PhaseView:
    """Return a view of the area. The hint has the number of pieces tapped as not caught."""
    n = len(state.acting.lost)
    return area_view(
        state, message("tap-lost-more" if n else "tap-lost", n=n), message("cargo-fell")
    )


def show_over(state: State) -> PhaseView:
    """Return a view of the number of pieces that the winner has left."""
    fewest = min(state.stocks)
    return PhaseView(str(fewest), message("pieces-left", n=fewest), message("game-over"))


SHOWN: dict[Phase, Callable[[State], PhaseView]] = {
    Phase.COLOURS: show_colours,
    Phase.REVEAL: show_reveal,
    Phase.CAPTAIN: show_captain,
    Phase.ORDER: show_order,
    Phase.LOOK: show_look,
    Phase.ANNOUNCE: show_announce,
    Phase.PIECE: partial(show_loading, hint="tap-piece", caption="area-to-load"),
    Phase.LOAD: partial(show_loading, hint="load", caption="ok-it-holds"),
    Phase.FALLEN: partial(show_fall, code="how-many.hint"),
    Phase.CAUGHT: partial(show_fall, code="how-many-caught.hint"),
    Phase.WHICH: partial(show_fall, code="which-one"),
    Phase.WHICH_FELL: partial(show_fall, code="which-fell"),
    Phase.TAP_CAUGHT: show_tap_caught,
    Phase.TAP_LOST: show_tap_lost,
    Phase.OVER: show_over,
}


def counts(state: State) -> dict[str, int]:
    """Return ``View.counts``: pieces and cards by place, the round, the pass and the captain.

    Area 7 holds at least ``area-7`` pieces and at most ``most-7``. Cards in hand are not counted
    under ``hand-1``: the virtual table would deal them from a shuffled pile (decision 0007).
    """
    kept = {f"stock-{n}": pieces for n, pieces in enumerate(state.stocks, start=1)}
    kept |= {f"cards-{n}": len(hand) for n, hand in enumerate(state.hands, start=1)}
    kept |= {"ship": state.ship.total, "removed": state.removed}
    kept |= {f"area-{area}": state.ship.least(area) for area in AREAS}
    kept |= {f"most-{area}": state.ship.most(area) for area in AREAS}
    return kept | {"round": state.number, "pass": state.passes, "captain": state.captain + 1}


def view(state: State) -> View:
    """Return what the table shows and says about *state*."""
    now = SHOWN[state.phase](state)
    return View(
        headline=now.headline,
        caption=now.caption,
        phase=state.phase.value,
        hint=now.hint,
        scores=state.stocks,
        score_unit=ScoreUnit.PIECE,
        lowest_wins=True,
        turn=now.turn,
        winners=winners(state) if state.phase is Phase.OVER else (),
        counts=counts(state),
        spoken=now.spoken,
        grid=now.grid,
        colours=tuple(colour or "" for colour in state.colours),
    )
