"""What the table shows of a game of Riff Raff.

Room: engines/riff_raff.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
"""

from collections.abc import Callable
from typing import NamedTuple

from engines.common.contract import Message, Seat, View, told
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
EXACT = 9  # pieces up to which a tally of three letters says both ends: "0-9"


class Shown(NamedTuple):
    """What differs from phase to phase."""

    headline: str | Message
    caption: Message
    hint: Message
    turn: Seat | None = None
    spoken: Message | None = None
    grid: Grid | None = None


# --- the ship ------------------------------------------------------------------------------------


def grid(state: State) -> Grid:
    """The ship: what lies in each area, as far as it is known; the one to load is lit."""
    lit = state.acting.area
    cells = (
        Cell(place, mark=str(area), tally=tally(state, area), is_lit=area == lit)
        for area, place in PLACES.items()
    )
    return Grid(tuple(cells), PLACES[lit])


def tally(state: State, area: int) -> str:
    """How many pieces lie in *area*: ``2``, ``0-1``, ``3+``; nothing when there is none."""
    least, most = state.ship.least(area), state.ship.most(area)
    if least == most:
        return str(most) if most else ""
    return f"{least}-{most}" if most <= EXACT else f"{least}+"


# --- cards ---------------------------------------------------------------------------------------


def show_colours(state: State) -> Shown:
    """Who is to show a colour."""
    turn = state.colourless[0]
    return Shown(told("headline.colours"), told("of-cards"), told("show-colour.hint"), turn)


def show_reveal(state: State) -> Shown:
    """Which round it is, and how many cards are still to be revealed."""
    last, *more = state.waited_for
    hint = told("reveal-last", seat=last)
    if more:
        hint = told("reveal", n=len(state.waited_for))
    caption = told("of-rounds" if state.passes == 1 else "of-rounds-again", rounds=ROUNDS)
    spoken = told("spoken.round", round=state.number)
    return Shown(str(state.number), caption, hint, None if more else last, spoken)


def show_captain(state: State) -> Shown:
    """The highest card, which several played."""
    hint = told("name-captain", seat=state.captain)
    return Shown(str(max(state.shown)), told("highest-card"), hint, state.captain)


def show_order(state: State) -> Shown:
    """The card that several played."""
    card = state.shown[next_in_order(state)[0]]
    hint = told("who-is-next.hint", seat=state.captain)
    return Shown(str(card), told("tied-cards"), hint, state.captain)


# --- a turn --------------------------------------------------------------------------------------


def shown(state: State, hint: Message, caption: Message) -> Shown:
    """The area to load, with the ship."""
    turn = state.acting
    spoken = told("spoken.area", area=turn.area)
    return Shown(str(turn.area), caption, hint, turn.seat, spoken, grid(state))


def show_look(state: State) -> Shown:
    """The area, in which a piece may lie."""
    return shown(state, told("look", area=state.acting.area), told("area-to-load"))


def show_announce(state: State) -> Shown:
    """The area, for one piece or two."""
    return shown(state, told("announce"), told("area-to-load"))


def loading(hint: str, caption: str) -> Callable[[State], Shown]:
    """The area, with a *caption* that says which piece comes now when there are two."""

    def show(state: State) -> Shown:
        turn = state.acting
        if turn.announced == 1:
            return shown(state, told(hint), told(caption))
        which = told("piece-of", number=turn.loaded + 1, pieces=turn.announced)
        return shown(state, told(hint), which)

    return show


def asking(code: str) -> Callable[[State], Shown]:
    """The area from which cargo fell, and what is asked of it under *code*."""

    def show(state: State) -> Shown:
        return shown(state, told(code, n=state.acting.fell), told("cargo-fell"))

    return show


def show_tap_caught(state: State) -> Shown:
    """How many pieces were tapped as caught."""
    n = len(state.acting.caught)
    return shown(state, told("tap-caught-more" if n else "tap-caught", n=n), told("cargo-fell"))


def show_tap_lost(state: State) -> Shown:
    """How many pieces were tapped that nobody caught."""
    n = len(state.acting.lost)
    return shown(state, told("tap-lost-more" if n else "tap-lost", n=n), told("cargo-fell"))


def show_over(state: State) -> Shown:
    """The fewest pieces anybody has left."""
    fewest = min(state.stocks)
    return Shown(str(fewest), told("pieces-left", n=fewest), told("game-over"))


SHOWN: dict[Phase, Callable[[State], Shown]] = {
    Phase.COLOURS: show_colours,
    Phase.REVEAL: show_reveal,
    Phase.CAPTAIN: show_captain,
    Phase.ORDER: show_order,
    Phase.LOOK: show_look,
    Phase.ANNOUNCE: show_announce,
    Phase.PIECE: loading("tap-piece", "area-to-load"),
    Phase.LOAD: loading("load", "ok-it-holds"),
    Phase.FALLEN: asking("how-many.hint"),
    Phase.CAUGHT: asking("how-many-caught.hint"),
    Phase.WHICH: asking("which-one"),
    Phase.TAP_CAUGHT: show_tap_caught,
    Phase.TAP_LOST: show_tap_lost,
    Phase.OVER: show_over,
}


def counts(state: State) -> dict[str, int]:
    """The numbers the referee keeps: pieces by place, cards in hand, rounds, and the captain.

    In an area lie at least ``area-7`` pieces and at most ``most-7``. Cards in hand are not under
    the name by which the virtual deck deals a game (decision 0007): that one shuffles all pieces,
    and here everybody has all cards of a colour.
    """
    kept = {f"stock-{n}": pieces for n, pieces in enumerate(state.stocks, start=1)}
    kept |= {f"cards-{n}": len(hand) for n, hand in enumerate(state.hands, start=1)}
    kept |= {"ship": state.ship.total, "removed": state.removed}
    kept |= {f"area-{area}": state.ship.least(area) for area in AREAS}
    kept |= {f"most-{area}": state.ship.most(area) for area in AREAS}
    return kept | {"round": state.number, "pass": state.passes, "captain": state.captain + 1}


def view(state: State) -> View:
    """What to show of *state*."""
    now = SHOWN[state.phase](state)
    return View(
        headline=now.headline,
        caption=now.caption,
        phase=state.phase.value,
        hint=now.hint,
        scores=state.stocks,
        turn=now.turn,
        winners=winners(state) if state.phase is Phase.OVER else (),
        counts=counts(state),
        spoken=now.spoken,
        grid=now.grid,
    )
