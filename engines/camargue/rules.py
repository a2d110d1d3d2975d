"""The rules of Camargue: lay tile to tile, score area times edges, and lend a helper in time.

Room: engines/camargue. One game's rules as values and functions; no chips, no clock, no files.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/camargue/RULES.md, quoted below as "RULES 3.2" and so on.
"""

from collections.abc import Callable
from dataclasses import replace

from engines.camargue.board import START_PLACE, Board, Laid
from engines.camargue.errors import (
    FewerThanThree,
    FitsNowhere,
    HelperInFront,
    HelperInHand,
    NoEmergency,
    NoMatch,
    NoStartTile,
    NoTilesLeft,
    OwnTile,
)
from engines.camargue.house import OPTIONS, HouseRules
from engines.camargue.places import checked, fitting, place_ask, sites
from engines.camargue.state import Made, Phase, Scored, State, Table
from engines.camargue.tiles import EMERGENCY, START, Box
from engines.common.contract import (
    PLAY_SPOT,
    SEAT_SPOTS,
    Ask,
    Button,
    Choice,
    ChoiceAsk,
    Input,
    Message,
    PlaceChoice,
    Press,
    PressAsk,
    Seat,
    SeatAsk,
    SeatChoice,
    Setup,
    Step,
    Tap,
    TapAsk,
    Topic,
    told,
)
from engines.common.errors import (
    AlreadyPlayed,
    CannotStart,
    NotExpectedNow,
    NotYourTurn,
    RulesError,
)
from engines.common.pieces import Piece
from engines.common.setup import check_seats, house_rules
from engines.common.turns import tap_of

SEATS = range(2, 7)  # RULES 2.1
DEAL = 3  # tiles in a hand. RULES 2.3
HELPER_POINTS = 10  # RULES 6.1

ACTION = Press(Button.ACTION)

COPY, TURN = "copy", "turn"  # what a helper of who is to play can be used for. RULES 6.6


# --- beginning -----------------------------------------------------------------------------------


def start(setup: Setup) -> State:
    """Return the state after the start tile is laid, and three tiles are drawn by everybody.

    Raises:
        CannotStart: the deck has too few tiles for so many hands, no start tile, or its file
            says what cannot be (RULES 1.6).
        ValueError: the seats, the dealer, an option or a tile is none that Camargue knows.
    """
    check_seats(setup, SEATS)
    house = house_rules(HouseRules, OPTIONS, setup.options)
    box = Box.of(setup.deck)
    pieces = setup.deck.pieces()
    drawable = frozenset(piece for piece in pieces if piece.kind not in (START, EMERGENCY))
    emergencies = frozenset(piece for piece in pieces if piece.kind == EMERGENCY)
    first = Piece(START)
    if first not in pieces:
        raise NoStartTile
    out = len(drawable) % setup.seats
    pile = len(drawable) - out - DEAL * setup.seats
    if pile < 0:
        raise CannotStart(cards=len(drawable), needed=DEAL * setup.seats)
    table = Table(setup.deck, box, drawable, emergencies, setup.seats, setup.dealer, out, house)
    return State(
        table=table,
        board=Board().with_tile(Laid(START_PLACE, first, box.tiles[START])),
        turn=table.seats_after(setup.dealer)[0],
        hands=(DEAL,) * setup.seats,
        pile=pile,
        scores=(0,) * setup.seats,
        fronts=(None,) * setup.seats,
        played=frozenset({first}),
    )


def opening(state: State) -> tuple[Message, ...]:
    """What to tell when the game begins."""
    table = state.table
    out = (told("left-out", n=table.out),) if table.out else ()
    drawn = told("deals", seat=table.dealer, n=DEAL)
    return (told("lay-start"), *out, drawn, told("turn", Topic.TURN, seat=state.turn))


# --- what the rules accept -----------------------------------------------------------------------


def spots(*seats: Seat) -> tuple[str, ...]:
    """Where a tile of one of *seats* is read: at the play spot or at the seat's own reader."""
    return (PLAY_SPOT, *(SEAT_SPOTS[seat] for seat in seats))


def kinds_left(state: State) -> tuple[frozenset[str], frozenset[str]]:
    """The kinds of landscape tile, and of helper, that can still be in a hand."""
    kinds = frozenset(piece.kind for piece in state.unseen - state.shown)
    helpers = kinds.intersection(state.table.box.helpers)
    return kinds - helpers, helpers


def asks_play(state: State) -> tuple[Ask, ...]:
    """A tile or a helper of who is to play; helpers of others; that nothing fits."""
    landscapes, helpers = kinds_left(state)
    if state.front is not None:
        own, press = frozenset[str](), PressAsk(Button.ACTION, "put-aside")
    else:
        own, press = fitting(state, landscapes) | helpers, PressAsk(Button.ACTION, "nothing-fits")
    asks: list[Ask] = []
    if own:
        asks.append(TapAsk(own, (state.turn,), spots(state.turn)))
    matching = frozenset(kind for kind in helpers if does_match(state, kind))
    others = tuple(seat for seat in may_copy(state) if seat != state.turn)
    if matching and others:
        asks.append(TapAsk(matching, others, spots(*others)))
    return (*asks, press)


def asks_place(state: State) -> tuple[Ask, ...]:
    """A place for the tile that was tapped."""
    return (place_ask(state, waiting(state)),)


def asks_whose(state: State) -> tuple[Ask, ...]:
    """Whose the helper is that was tapped."""
    return (SeatAsk(owners(state, waiting(state))),)


def asks_copy_or_turn(state: State) -> tuple[Ask, ...]:
    """What who is to play uses the helper for; first what scores more."""
    assert state.scored is not None, "there are points to copy"
    is_copy_first = state.scored.points > HELPER_POINTS
    return (ChoiceAsk((COPY, TURN) if is_copy_first else (TURN, COPY)),)


def asks_claim(state: State) -> tuple[Ask, ...]:
    """The next tile of the hand that is shown; or that the claim is dropped."""
    landscapes, _ = kinds_left(state)
    fit, drop = fitting(state, landscapes), PressAsk(Button.ACTION, "drop-claim")
    if not landscapes:
        return (drop,)
    return (TapAsk(landscapes - fit, (state.turn,), spots(state.turn), fouls=fit), drop)


def asks_emergency(state: State) -> tuple[Ask, ...]:
    """An emergency tile."""
    return (TapAsk(frozenset({EMERGENCY}), (state.turn,), spots(state.turn)),)


def asks_over(state: State) -> tuple[Ask, ...]:
    """Nothing any more."""
    return ()


# --- the turn ------------------------------------------------------------------------------------


def step_play(state: State, given: Input) -> Step[State]:
    """Take a tile or a helper; or else that a helper is put aside, or that nothing fits."""
    if given == ACTION:
        return put_aside(state) if state.front is not None else claim(state)
    seat = given.seat if isinstance(given, Tap) else None
    if seat not in (None, *range(state.table.seats)):
        raise NotYourTurn(seat=state.turn)
    everybody = spots(*(Seat(n) for n in range(state.table.seats)))
    asked = state.turn if seat is None else seat
    piece = fresh(state, tap_of(given, asked, everybody, state.table.deck, waits(state)).piece)
    if piece.kind in state.table.box.helpers:
        return helper(state, piece, seat)
    if asked != state.turn:
        raise NotYourTurn(seat=state.turn)
    if state.front is not None:
        raise HelperInFront(seat=state.turn)
    if not fitting(state, (piece.kind,)):
        raise FitsNowhere(piece=piece)
    return Step(to_be_placed(state, piece), (told("where-to", Topic.QUESTION, piece=piece),))


def waits(state: State) -> str:
    """What is waited for, as a fact of refusals."""
    return "put-aside" if state.phase is Phase.PLAY and state.front else state.phase.value


def waiting(state: State) -> Piece:
    """The piece that was tapped last."""
    assert state.waiting is not None, "this phase begins with a piece"
    return state.waiting


def fresh(state: State, piece: Piece) -> Piece:
    """Return *piece* when it can have come from a hand (RULES 1.2, 7.1)."""
    if piece in state.played:
        raise AlreadyPlayed(piece=piece)
    if piece not in state.table.drawable:
        raise NoEmergency
    return piece


def to_be_placed(state: State, piece: Piece) -> State:
    """Wait for a place for *piece*; nobody copies the points of the tile before any more."""
    return replace(state, phase=Phase.PLACE, waiting=piece, scored=None, shown=frozenset())


def step_place(state: State, given: Input) -> Step[State]:
    """Lay the tile that waits; an emergency tile scores nothing (RULES 5.1, 7.7)."""
    if not isinstance(given, PlaceChoice):
        raise NotExpectedNow(waits=waits(state))
    piece = waiting(state)
    site = checked(state, piece, given.place)
    laid = replace(
        state,
        board=state.board.with_tile(Laid(site.place, piece, site.tile)),
        played=state.played | {piece},
        phase=Phase.PLAY,
        waiting=None,
        passes=0,
    )
    if piece.kind == EMERGENCY:
        return Step(laid, (told("goes-on", Topic.TURN, seat=state.turn),))
    made = Made("area", site.points, site.area, site.edges)
    scored = Scored(state.turn, site.tile.landscape, site.points)
    facts = {"tiles": site.area, "edges": site.edges, "n": site.points}
    after = gained(replace(laid, made=made, scored=scored), state.turn, site.points)
    return draw_and_pass_on(after, (told("scores", Topic.TOTAL, **facts),))


def gained(state: State, seat: Seat, points: int) -> State:
    """*state* when *seat* has played a tile for *points*."""
    return replace(
        state,
        hands=changed(state.hands, seat, -1),
        scores=changed(state.scores, seat, points),
    )


def changed(numbers: tuple[int, ...], seat: Seat, by: int) -> tuple[int, ...]:
    """*numbers* with that of *seat* changed."""
    return (*numbers[:seat], numbers[seat] + by, *numbers[seat + 1 :])


def draw_and_pass_on(state: State, events: tuple[Message, ...]) -> Step[State]:
    """Who is to play draws a tile, if there is one, and the turn is over (RULES 3.3, 3.4)."""
    if state.pile:
        hands = changed(state.hands, state.turn, 1)
        state = replace(state, hands=hands, pile=state.pile - 1)
        if not state.pile:
            events = (*events, told("piles-empty"))
    return pass_on(state, events)


def pass_on(state: State, events: tuple[Message, ...]) -> Step[State]:
    """The next player who still has something to do has the turn; or the game is over."""
    if not any(state.hands):
        return finish(state, events)
    after = state.table.seats_after(state.turn)
    turn = next(seat for seat in after if state.hands[seat] or state.fronts[seat])
    state = replace(state, turn=turn, phase=Phase.PLAY, waiting=None)
    return Step(state, (*events, whose_turn(state)))


def whose_turn(state: State) -> Message:
    """Tell who is to play, and that a helper is in the way."""
    if state.front is None:
        return told("turn", Topic.TURN, seat=state.turn)
    return told("aside-and-draw" if state.pile else "aside-only", Topic.QUESTION, seat=state.turn)


# --- helpers -------------------------------------------------------------------------------------


def does_match(state: State, kind: str) -> bool:
    """Whether a helper of *kind* helps with the tile just placed (RULES 6.3)."""
    scored = state.scored
    return scored is not None and scored.landscape in state.table.box.helpers[kind]


def may_copy(state: State) -> tuple[Seat, ...]:
    """Who may copy the points just scored, with the right helper (RULES 6.3)."""
    if state.scored is None:
        return ()
    after = state.table.seats_after(state.scored.seat)
    return tuple(seat for seat in after if cannot_copy(state, seat) is None)


def cannot_copy(state: State, seat: Seat) -> RulesError | None:
    """Why *seat* may not copy the points just scored, whatever it holds; none when it may."""
    scored, hand = state.scored, state.hands[seat]
    if scored is None:
        return NotYourTurn(seat=state.turn)
    if seat == scored.seat:
        return OwnTile(seat=seat)
    if state.fronts[seat] is not None:
        return HelperInFront(seat=seat)
    if not hand:
        return NoTilesLeft(seat=seat)
    if state.house.three_to_copy and hand < DEAL:
        return FewerThanThree(seat=seat, n=hand)
    return None


def uses(state: State, seat: Seat, piece: Piece) -> tuple[str, ...]:
    """What *seat* can use the helper *piece* for.

    Raises:
        RulesError: for nothing; says why.
    """
    if seat == state.turn and state.front is not None:
        raise HelperInFront(seat=seat)
    refusal = cannot_copy(state, seat)
    if refusal is None and not does_match(state, piece.kind):
        assert state.scored is not None, "or nobody could copy anything"
        refusal = NoMatch(piece=piece, landscape=state.scored.landscape)
    own = (TURN,) if seat == state.turn else ()
    if refusal is None:
        return (COPY, *own)
    if own:
        return own
    raise refusal


def owners(state: State, piece: Piece) -> tuple[Seat, ...]:
    """Who can use the helper *piece* now, clockwise from who is to play."""
    own = () if state.front is not None else (state.turn,)
    copying = may_copy(state) if does_match(state, piece.kind) else ()
    return (*own, *(seat for seat in copying if seat not in own))


def helper(state: State, piece: Piece, seat: Seat | None) -> Step[State]:
    """A helper is tapped, by *seat* when that is known; otherwise by who can (RULES 6.6)."""
    able = owners(state, piece) if seat is None else (seat,)
    if len(able) > 1:
        asking = replace(state, phase=Phase.WHOSE, waiting=piece)
        return Step(asking, (told("whose-helper", Topic.QUESTION),))
    likely = (*able, *may_copy(state), state.turn)  # those who are not able, to tell them why
    return use(state, likely[0], piece)


def use(state: State, seat: Seat, piece: Piece) -> Step[State]:
    """*seat* uses the helper *piece* as it can, or is asked for what."""
    first, *others = uses(state, seat, piece)
    if not others:
        return USES[first](state, seat, piece)
    asking = replace(state, phase=Phase.COPY_OR_TURN, waiting=piece)
    return Step(asking, (told("copy-or-turn", Topic.QUESTION, seat=seat),))


def copy(state: State, seat: Seat, piece: Piece) -> Step[State]:
    """*seat* lays *piece* in front and gets the points just scored; no drawing (RULES 6.3)."""
    assert state.scored is not None, "there are points to copy"
    points = state.scored.points
    fronts = (*state.fronts[:seat], piece, *state.fronts[seat + 1 :])
    after = replace(
        gained(state, seat, points),
        fronts=fronts,
        played=state.played | {piece},
        phase=Phase.PLAY,
        waiting=None,
        made=Made("copied", points),
    )
    events = (told("copies", Topic.TOTAL, seat=seat, n=points),)
    if not any(after.hands):
        return finish(after, events)
    return Step(after, (*events, whose_turn(after)) if seat == after.turn else events)


def discard(state: State, seat: Seat, piece: Piece) -> Step[State]:
    """*seat*, who is to play, discards *piece* for ten points and draws (RULES 6.1)."""
    after = replace(
        gained(state, seat, HELPER_POINTS),
        played=state.played | {piece},
        scored=None,
        made=Made("helper", HELPER_POINTS),
        passes=0,
    )
    return draw_and_pass_on(after, (told("discards", Topic.TOTAL, seat=seat, n=HELPER_POINTS),))


USES: dict[str, Callable[[State, Seat, Piece], Step[State]]] = {COPY: copy, TURN: discard}


def step_whose(state: State, given: Input) -> Step[State]:
    """Whose the helper is that was tapped."""
    if not isinstance(given, SeatChoice) or given.seat not in range(state.table.seats):
        raise NotExpectedNow(waits=waits(state))
    return use(state, given.seat, waiting(state))


def step_copy_or_turn(state: State, given: Input) -> Step[State]:
    """What who is to play uses the helper for."""
    if not isinstance(given, Choice) or given.name not in USES:
        raise NotExpectedNow(waits=waits(state))
    return USES[given.name](state, state.turn, waiting(state))


def put_aside(state: State) -> Step[State]:
    """The turn of who has a helper in front: it goes aside, and a tile is drawn (RULES 6.5)."""
    fronts = (*state.fronts[: state.turn], None, *state.fronts[state.turn + 1 :])
    after = replace(state, fronts=fronts, scored=None, made=Made("put-aside"), passes=0)
    return draw_and_pass_on(after, ())


# --- emergencies ---------------------------------------------------------------------------------


def claim(state: State) -> Step[State]:
    """Who is to play says that nothing fits, and shows all tiles (RULES 7.1)."""
    shows = told("shows", Topic.QUESTION, seat=state.turn, n=state.to_show)
    return Step(replace(state, phase=Phase.CLAIM), (shows,))


def step_claim(state: State, given: Input) -> Step[State]:
    """Judge the next tile of the hand that is shown; or the claim is dropped (RULES 7.2)."""
    if given == ACTION:
        back = replace(state, phase=Phase.PLAY, shown=frozenset())
        return Step(back, (whose_turn(back),))
    tap = tap_of(given, state.turn, spots(state.turn), state.table.deck, waits(state))
    piece = fresh(state, tap.piece)
    if piece in state.shown:
        raise AlreadyPlayed(piece=piece)
    if piece.kind in state.table.box.helpers:
        raise HelperInHand(piece=piece)
    if fitting(state, (piece.kind,)):
        return refuted(state, piece)
    shown = state.shown | {piece}
    after = replace(state, shown=shown)
    if after.to_show:
        return Step(after, (told("fits-not", Topic.QUESTION, piece=piece, n=after.to_show),))
    return emergency(replace(state, shown=frozenset()))


def refuted(state: State, piece: Piece) -> Step[State]:
    """*piece* does fit: a place is named, and it must be placed (RULES 7.3)."""
    ask = place_ask(state, piece)
    where = ask.offers[ask.start].place
    across = "right" if where.column > 0 else "left" if where.column else ""
    along = "down" if where.row > 0 else "up" if where.row else ""
    way = "-".join(filter(None, (across, along)))
    fits = told(f"fits-{way}", piece=piece, columns=abs(where.column), rows=abs(where.row))
    events = (fits, told("must-place", Topic.QUESTION, seat=state.turn))
    return Step(to_be_placed(state, piece), events, is_foul=True)


def emergency(state: State) -> Step[State]:
    """Nothing fits indeed: an emergency tile is taken, or the turn is over (RULES 7.5, 7.8)."""
    if state.spare and sites(state, min(state.spare)):
        after = replace(state, phase=Phase.EMERGENCY, made=Made("emergency"))
        return Step(after, (told("take-emergency", Topic.QUESTION, seat=state.turn),))
    passing = (told("no-emergency-tile", Topic.RESULT, seat=state.turn),)
    after = replace(state, scored=None, made=Made("pass"), passes=state.passes + 1)
    if after.passes == sum(hand > 0 for hand in after.hands):
        return finish(after, (*passing, told("stuck", Topic.RESULT)))
    return pass_on(after, passing)


def step_emergency(state: State, given: Input) -> Step[State]:
    """Take an emergency tile."""
    tap = tap_of(given, state.turn, spots(state.turn), state.table.deck, waits(state))
    if tap.piece.kind != EMERGENCY:
        raise NotExpectedNow(waits=waits(state))
    if tap.piece in state.played:
        raise AlreadyPlayed(piece=tap.piece)
    return Step(
        to_be_placed(state, tap.piece), (told("where-to", Topic.QUESTION, piece=tap.piece),)
    )


# --- the end -------------------------------------------------------------------------------------


def finish(state: State, events: tuple[Message, ...]) -> Step[State]:
    """All tiles are played, or nobody can go on: most points win (RULES 8.2, 8.3)."""
    state = replace(state, phase=Phase.OVER, waiting=None, scored=None)
    totals = (told("total", Topic.RESULT, seat=seat, n=n) for seat, n in enumerate(state.scores))
    code = "winner" if len(winners(state)) == 1 else "shared-win"
    wins = (told(code, Topic.RESULT, seat=seat) for seat in winners(state))
    return Step(state, (*events, *totals, *wins))


def winners(state: State) -> tuple[Seat, ...]:
    """Who has the most points."""
    best = max(state.scores)
    return tuple(Seat(n) for n, score in enumerate(state.scores) if score == best)


def step_over(state: State, given: Input) -> Step[State]:
    """Take nothing more."""
    raise NotExpectedNow(waits=waits(state))


# --- the two tables of the phases ----------------------------------------------------------------

ASKS: dict[Phase, Callable[[State], tuple[Ask, ...]]] = {
    Phase.PLAY: asks_play,
    Phase.PLACE: asks_place,
    Phase.WHOSE: asks_whose,
    Phase.COPY_OR_TURN: asks_copy_or_turn,
    Phase.CLAIM: asks_claim,
    Phase.EMERGENCY: asks_emergency,
    Phase.OVER: asks_over,
}

STEPS: dict[Phase, Callable[[State, Input], Step[State]]] = {
    Phase.PLAY: step_play,
    Phase.PLACE: step_place,
    Phase.WHOSE: step_whose,
    Phase.COPY_OR_TURN: step_copy_or_turn,
    Phase.CLAIM: step_claim,
    Phase.EMERGENCY: step_emergency,
    Phase.OVER: step_over,
}


# --- taking back ---------------------------------------------------------------------------------


def put_back(before: State, given: Input) -> tuple[Message, ...]:
    """What people move back by hand when *given*, accepted in *before*, is undone (RULES 1.5)."""
    after = STEPS[before.phase](before, given).state
    moved = []
    if after.pile < before.pile:
        moved.append(told("return-drawn", seat=before.turn))
    match given:
        case Tap(piece):
            moved.append(told("take-back", piece=piece))
        case PlaceChoice():
            moved.append(told("take-up", piece=waiting(before)))
        case Choice() | SeatChoice():
            moved.append(told("choose-again"))
        case _ if before.front is not None:
            moved.append(told("front-again", seat=before.turn, piece=before.front))
    return tuple(moved)
