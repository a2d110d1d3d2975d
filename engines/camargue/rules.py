"""The rules of Camargue: lay tile to tile, score area times edges, and lend a helper in time.

One game's rules as values and functions; no chips, no clock, no files.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/camargue/RULES.md, quoted below as "RULES 3.2" and so on.
"""

from collections.abc import Callable
from functools import cache

from engines.camargue.board import START_PLACE, LaidTile, TileBoard
from engines.camargue.errors import (
    FewerThanThree,
    FitsNowhere,
    HelperInClaim,
    HelperInFront,
    HelperInHand,
    NoEmergency,
    NoMatch,
    NoStartTile,
    NoTilesLeft,
    NotInHand,
    OwnTile,
    TooLateToCopy,
)
from engines.camargue.house import OPTIONS, HouseRules
from engines.camargue.places import fitting, legal_site, place_ask, sites
from engines.camargue.state import (
    CamargueConfig,
    CopyablePlay,
    LastPlay,
    Phase,
    PlayedPieces,
    State,
)
from engines.camargue.tiles import EMERGENCY, START, Prints
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
    message,
)
from engines.common.copies import replace
from engines.common.errors import (
    AlreadyPlayed,
    CannotStart,
    NotExpectedNow,
    NotYourTurn,
    RulesError,
)
from engines.common.pieces import Piece
from engines.common.setup import check_seats, house_rules
from engines.common.solo import goal_of, opening_of, result_of
from engines.common.turns import tap_of

SEATS = range(2, 7)  # RULES 2.1
DEAL = 3  # tiles that each player draws at the start. RULES 2.3
HELPER_POINTS = 10  # RULES 6.1

ACTION = Press(Button.ACTION)

COPY, TURN = "copy", "turn"  # uses of a helper: copy points, or discard it as one's turn. RULES 6.6


# --- beginning -----------------------------------------------------------------------------------


def start(setup: Setup) -> State:
    """Return the state in which the start tile is laid and each player has drawn three tiles.

    Raises:
        CannotStart: the deck has too few tiles for this number of players, no start tile, or a
            tile with an impossible print (RULES 1.6).
        ValueError: Camargue does not know this number of seats, dealer, option or tile.
    """
    check_seats(setup, SEATS)
    house = house_rules(HouseRules, OPTIONS, setup.options)
    box = Prints.of(setup.deck)
    pieces = setup.deck.pieces()
    kinds = {kind.name for kind in setup.deck.kinds}.difference((START, EMERGENCY))
    drawable = {
        kind: frozenset(piece for piece in pieces if piece.kind == kind) for kind in sorted(kinds)
    }
    total = sum(map(len, drawable.values()))
    emergencies = frozenset(piece for piece in pieces if piece.kind == EMERGENCY)
    first = Piece(START)
    if first not in pieces:
        raise NoStartTile
    goal = goal_of(house.solo, setup.seats)  # RULES 8.5
    people = setup.seats - bool(goal)
    out = total % people
    pile = total - out - DEAL * people
    if pile < 0:
        raise CannotStart(cards=total, needed=DEAL * people)
    config = CamargueConfig(
        setup.deck, setup.seats, box, drawable, emergencies, setup.dealer, out, house, goal=goal
    )
    return State(
        config=config,
        board=TileBoard(house.no_dead_ends).with_tile(
            LaidTile(START_PLACE, first, box.tiles[START])
        ),
        turn=config.seats_after(setup.dealer)[0],
        hands=(DEAL,) * people + (0,) * bool(goal),
        pile=pile,
        scores=(0,) * people + (goal,) * bool(goal),
        fronts=(None,) * setup.seats,
        played=PlayedPieces(
            frozenset({first}), frozenset(drawable.keys() & box.tiles), frozenset(box.helpers)
        ),
    )


def opening(state: State) -> tuple[Message, ...]:
    """Return the messages to announce when the game begins."""
    config = state.config
    out = (message("left-out", n=config.out),) if config.out else ()
    drawn = message("deals", seat=config.dealer, n=DEAL)
    turn = message("turn", Topic.TURN, seat=state.turn)
    return (*opening_of(config.goal), message("lay-start"), *out, drawn, turn)


# --- asks ----------------------------------------------------------------------------------------


@cache
def spots(*seats: Seat) -> tuple[str, ...]:
    """Return the spots where *seats* may tap a tile: the play spot and their own readers."""
    return (PLAY_SPOT, *(SEAT_SPOTS[seat] for seat in seats))


def kinds_left(state: State) -> tuple[frozenset[str], frozenset[str]]:
    """Return the kinds of landscape tile and the kinds of helper that may still be in a hand."""
    landscapes, helpers = state.played.landscapes, state.played.helpers
    if state.known:
        kinds = frozenset([piece.kind for piece in state.known - state.shown])
        return kinds & landscapes, kinds & helpers
    if not state.shown:
        return landscapes, helpers
    gone, drawable = state.played.pieces | state.shown, state.config.drawable
    kinds = frozenset([p.kind for p in state.shown if drawable[p.kind] <= gone])
    return landscapes - kinds, helpers - kinds


def asks_play(state: State) -> tuple[Ask, ...]:
    """Return the requests for what players may do now.

    The current player may tap a tile or a helper; other players may tap a helper to copy points.
    The action button puts the helper in front of the current player aside. If there is none, the
    button claims that no tile fits.
    """
    landscapes, helpers = kinds_left(state)
    if state.front is not None:
        own, press = frozenset[str](), PressAsk(Button.ACTION, "put-aside")
    else:
        own = fitting(state, landscapes) | helpers
        press = PressAsk(Button.ACTION, "nothing-fits", is_claim=True)
    asks: list[Ask] = []
    if own:
        asks.append(TapAsk(own, (state.turn,), spots(state.turn)))
    others = tuple(seat for seat in may_copy(state) if seat != state.turn)
    matching = frozenset([kind for kind in helpers if does_match(state, kind)] if others else ())
    if matching:
        asks.append(TapAsk(matching, others, spots(*others)))
    return (*asks, press)


def asks_place(state: State) -> tuple[Ask, ...]:
    """Return a request for a place for the tile that was tapped."""
    return (place_ask(state, waiting(state)),)


def asks_whose(state: State) -> tuple[Ask, ...]:
    """Return a request for the owner of the helper that was tapped."""
    return (SeatAsk(owners(state, waiting(state)), asks_owner=True),)


def asks_copy_or_turn(state: State) -> tuple[Ask, ...]:
    """Return the question whether the current player copies points with the helper or discards it.

    The use with the higher score comes first.
    """
    assert state.scored is not None, "there are points to copy"
    is_copy_first = state.scored.points > HELPER_POINTS
    facts = {"points": state.scored.points, "instead": HELPER_POINTS}
    return (ChoiceAsk((COPY, TURN) if is_copy_first else (TURN, COPY), facts=facts),)


def asks_claim(state: State) -> tuple[Ask, ...]:
    """Return requests for the next tile that the player shows to prove that no tile fits.

    The player can withdraw the claim with the action button instead. A tile that fits is a foul.
    """
    landscapes, _ = kinds_left(state)
    fit, drop = fitting(state, landscapes), PressAsk(Button.ACTION, "drop-claim")
    if not landscapes:
        return (drop,)
    shown = TapAsk(landscapes - fit, (state.turn,), spots(state.turn), fouls=fit, is_shown=True)
    return (shown, drop)


def asks_emergency(state: State) -> tuple[Ask, ...]:
    """Return a request for an emergency tile."""
    return (TapAsk(frozenset({EMERGENCY}), (state.turn,), spots(state.turn)),)


def asks_over(state: State) -> tuple[Ask, ...]:
    """Return no requests, because a game that is over accepts no input."""
    return ()


# --- the turn ------------------------------------------------------------------------------------


def step_play(state: State, given: Input) -> Step[State]:
    """Handle a tile, a helper, or the action button (put a helper aside, or claim)."""
    if given == ACTION:
        return put_aside(state) if state.front is not None else claim(state)
    seat = given.seat if isinstance(given, Tap) else None
    if seat not in (None, *range(state.config.seats)):
        raise NotYourTurn(seat=state.turn)
    everybody = spots(*(Seat(n) for n in range(state.config.seats)))
    asked = state.turn if seat is None else seat
    tap = tap_of(given, asked, everybody, state.config.deck, waits(state))
    piece = check_unplayed(state, tap.piece)
    if piece.kind in state.config.box.helpers:
        return helper(state, piece, seat)
    if asked != state.turn:
        raise NotYourTurn(seat=state.turn)
    if state.front is not None:
        raise HelperInFront(seat=state.turn)
    check_known(state, piece)
    if not fitting(state, (piece.kind,)):
        raise FitsNowhere(piece=piece)
    return Step(ask_for_place(state, piece), (message("where-to", Topic.QUESTION, piece=piece),))


def waits(state: State) -> str:
    """Return the code of the input that the game waits for.

    A refusal shows the text ``waits.<code>``.
    """
    if state.phase is Phase.PLAY and state.front:
        return "put-aside"
    if state.phase is Phase.PLAY and state.known:
        return "known-hand"
    return state.phase


def waiting(state: State) -> Piece:
    """Return the tapped piece that waits for an answer, such as its place or its owner."""
    assert state.waiting is not None, "this phase begins with a piece"
    return state.waiting


def check_unplayed(state: State, piece: Piece) -> Piece:
    """Return *piece* if it can have come from a hand (RULES 1.2, 7.1).

    Raises:
        AlreadyPlayed: it was played before.
        NoEmergency: it is an emergency tile.
    """
    if piece in state.played.pieces:
        raise AlreadyPlayed(piece=piece)
    if piece not in state.config.drawable.get(piece.kind, ()):
        raise NoEmergency
    return piece


def check_known(state: State, piece: Piece) -> None:
    """Check that *piece* is in the current player's hand, if the hand is known (RULES 7.9).

    Raises:
        NotInHand: it is a landscape tile, and not in the hand.
        TooLateToCopy: it is a helper. A known hand has no helper, so this one is another player's.
    """
    if not state.known or piece in state.known:
        return
    if piece.kind in state.config.box.helpers:
        raise TooLateToCopy(seat=state.turn)
    raise NotInHand(seat=state.turn, n=len(state.known))


def ask_for_place(state: State, piece: Piece) -> State:
    """Return the state that waits for a place for *piece*. Copying points is no longer possible."""
    return replace(state, phase=Phase.PLACE, waiting=piece, scored=None, shown=frozenset())


def step_place(state: State, given: Input) -> Step[State]:
    """Lay the waiting tile at the chosen place and score it (RULES 5.1, 7.7)."""
    piece = waiting(state)
    if not isinstance(given, PlaceChoice):
        raise NotExpectedNow(waits=waits_for_place(state, given), piece=piece)
    site = legal_site(state, piece, given.place)
    seat, played = state.turn, state.played.with_piece(piece, state.config)
    board = state.board.with_tile(LaidTile(site.place, piece, site.tile))
    if piece.kind == EMERGENCY:
        laid = replace(state, board=board, played=played, phase=Phase.PLAY, waiting=None, passes=0)
        return Step(laid, (message("goes-on", Topic.TURN, seat=seat),))
    after = replace(
        state,
        board=board,
        played=played,
        phase=Phase.PLAY,
        waiting=None,
        passes=0,
        hands=with_change(state.hands, seat, -1),
        scores=with_change(state.scores, seat, site.points),
        made=LastPlay("area", site.points, site.area, site.edges),
        scored=CopyablePlay(seat, site.tile.landscape, site.points),
    )
    facts = {"tiles": site.area, "edges": site.edges, "n": site.points}
    return draw_and_pass_on(after, (message("scores", Topic.TOTAL, **facts),))


def waits_for_place(state: State, given: Input) -> str:
    """Return the code of what the game waits for, when *given* is not a place for the tile.

    Players tap a helper to copy points. For a helper, the code stands for a text that says that the
    tile must be placed first, or that an emergency tile scores no points (RULES 6.3).
    """
    if not isinstance(given, Tap) or given.piece.kind not in state.config.box.helpers:
        return "place"
    is_emergency = waiting(state).kind == EMERGENCY
    return "place-no-copy" if is_emergency else "place-before-copy"


def with_points(state: State, seat: Seat, points: int) -> State:
    """Return *state* with one tile less in *seat*'s hand, and *points* added to *seat*'s score."""
    return replace(
        state,
        hands=with_change(state.hands, seat, -1),
        scores=with_change(state.scores, seat, points),
    )


def with_change(numbers: tuple[int, ...], seat: Seat, by: int) -> tuple[int, ...]:
    """Return *numbers*, one for each seat, with *by* added to *seat*'s number."""
    return (*numbers[:seat], numbers[seat] + by, *numbers[seat + 1 :])


def draw_and_pass_on(state: State, events: tuple[Message, ...]) -> Step[State]:
    """Let the current player draw a tile, if there is one, and end the turn (RULES 3.3, 3.4)."""
    if state.pile:
        hands = with_change(state.hands, state.turn, 1)
        state = replace(state, hands=hands, pile=state.pile - 1)
        if not state.pile:
            events = (*events, message("piles-empty"))
    return pass_on(state, events)


def pass_on(state: State, events: tuple[Message, ...]) -> Step[State]:
    """Begin the turn of the next player who can act; end the game if nobody has a tile in hand.

    Only a player with a tile in hand or a helper in front can act.
    """
    if not any(state.hands):
        return finish(state, events)
    turn = next_player(state)
    state = replace(state, turn=turn, phase=Phase.PLAY, waiting=None, known=frozenset())
    return Step(state, (*events, whose_turn(state)))


def next_player(state: State) -> Seat:
    """Return the next player who can act: with a tile in hand, or a helper in front."""
    after = state.config.seats_after(state.turn)
    return next(seat for seat in after if state.hands[seat] or state.fronts[seat])


def whose_turn(state: State) -> Message:
    """Return the message that names the current player, and says if a helper must be put aside."""
    if state.front is None:
        return message("turn", Topic.TURN, seat=state.turn)
    return message(
        "aside-and-draw" if state.pile else "aside-only", Topic.QUESTION, seat=state.turn
    )


# --- helpers -------------------------------------------------------------------------------------


def does_match(state: State, kind: str) -> bool:
    """Return True if a helper of *kind* shows the landscape of the tile just placed (RULES 6.3)."""
    scored = state.scored
    return scored is not None and scored.landscape in state.config.box.helpers[kind]


def may_copy(state: State) -> tuple[Seat, ...]:
    """Return the seats that may copy the points just scored, if they hold a matching helper.

    RULES 6.3.
    """
    if state.scored is None:
        return ()
    after = state.config.seats_after(state.scored.seat)
    return tuple(seat for seat in after if cannot_copy(state, seat) is None)


def cannot_copy(state: State, seat: Seat) -> RulesError | None:
    """Return the reason why *seat* may not copy the points just scored, or None if it may.

    The check does not depend on the helper.
    """
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
    """Return the uses that *seat* has for the helper *piece* now.

    COPY is to copy points with it, and TURN is to discard it.

    Raises:
        RulesError: *seat* cannot use it.
    """
    if seat == state.turn and state.front is not None:
        raise HelperInFront(seat=seat)
    if seat == state.turn:
        check_known(state, piece)
    refusal = cannot_copy(state, seat)
    if refusal is None and not does_match(state, piece.kind):
        assert state.scored is not None, "without points there would be a refusal"
        refusal = NoMatch(piece=piece, landscape=state.scored.landscape)
    own = (TURN,) if seat == state.turn else ()
    if refusal is None:
        return (COPY, *own)
    if own:
        return own
    raise refusal


def owners(state: State, piece: Piece) -> tuple[Seat, ...]:
    """Return the seats that can use the helper *piece* now, from the current player clockwise."""
    own = () if state.front is not None or state.known else (state.turn,)
    copying = may_copy(state) if does_match(state, piece.kind) else ()
    return (*own, *(seat for seat in copying if seat not in own))


def helper(state: State, piece: Piece, seat: Seat | None) -> Step[State]:
    """Use the helper *piece* for *seat*, the owner if the mat can tell, or ask whose it is.

    If *seat* is None and only one player can use the helper, that player is the owner. If several
    can, the players are asked (RULES 6.6).
    """
    able = owners(state, piece) if seat is None else (seat,)
    if len(able) > 1:
        asking = replace(state, phase=Phase.WHOSE, waiting=piece)
        return Step(asking, (message("whose-helper", Topic.QUESTION),))
    likely = (*able, *may_copy(state), state.turn)  # if nobody can use it, ``use`` refuses it
    return use(state, likely[0], piece)


def use(state: State, seat: Seat, piece: Piece) -> Step[State]:
    """Use *seat*'s helper *piece*.

    If the player may either copy points with it or discard it, ask the player first.
    """
    first, *others = uses(state, seat, piece)
    if not others:
        return USES[first](state, seat, piece)
    asking = replace(state, phase=Phase.COPY_OR_TURN, waiting=piece)
    return Step(asking, (message("copy-or-turn", Topic.QUESTION, seat=seat),))


def copy(state: State, seat: Seat, piece: Piece) -> Step[State]:
    """Lay *piece* in front of *seat*, who copies the points but draws no tile (RULES 6.3)."""
    assert state.scored is not None, "there are points to copy"
    points = state.scored.points
    fronts = (*state.fronts[:seat], piece, *state.fronts[seat + 1 :])
    after = replace(
        with_points(state, seat, points),
        fronts=fronts,
        played=state.played.with_piece(piece, state.config),
        phase=Phase.PLAY,
        waiting=None,
        made=LastPlay("copied", points),
    )
    events = (message("copies", Topic.TOTAL, seat=seat, n=points),)
    if not any(after.hands):
        return finish(after, events)
    return Step(after, (*events, whose_turn(after)) if seat == after.turn else events)


def discard(state: State, seat: Seat, piece: Piece) -> Step[State]:
    """Discard the current player's helper *piece* for ten points, and draw a tile (RULES 6.1)."""
    after = replace(
        with_points(state, seat, HELPER_POINTS),
        played=state.played.with_piece(piece, state.config),
        scored=None,
        made=LastPlay("helper", HELPER_POINTS),
        passes=0,
    )
    return draw_and_pass_on(after, (message("discards", Topic.TOTAL, seat=seat, n=HELPER_POINTS),))


USES: dict[str, Callable[[State, Seat, Piece], Step[State]]] = {COPY: copy, TURN: discard}


def step_whose(state: State, given: Input) -> Step[State]:
    """Use the waiting helper for the player who was chosen as its owner."""
    if not isinstance(given, SeatChoice) or given.seat not in range(state.config.seats):
        raise NotExpectedNow(waits=waits(state))
    return use(state, given.seat, waiting(state))


def step_copy_or_turn(state: State, given: Input) -> Step[State]:
    """Use the waiting helper in the way that the current player chose."""
    if not isinstance(given, Choice) or given.name not in USES:
        raise NotExpectedNow(waits=waits(state))
    return USES[given.name](state, state.turn, waiting(state))


def put_aside(state: State) -> Step[State]:
    """Put the helper in front of the current player aside, and draw a tile (RULES 6.5)."""
    fronts = (*state.fronts[: state.turn], None, *state.fronts[state.turn + 1 :])
    after = replace(state, fronts=fronts, scored=None, made=LastPlay("put-aside"), passes=0)
    return draw_and_pass_on(after, (message("puts-aside", seat=state.turn),))


# --- emergencies ---------------------------------------------------------------------------------


def claim(state: State) -> Step[State]:
    """Begin a claim that nothing fits: the player shows the whole hand (RULES 7.1)."""
    shows = message("shows", Topic.QUESTION, seat=state.turn, n=state.to_show)
    return Step(replace(state, phase=Phase.CLAIM), (shows,))


def step_claim(state: State, given: Input) -> Step[State]:
    """Judge the next tile that the player shows, or drop the claim (RULES 7.2).

    A tile that fits refutes the claim. After the last tile the claim is confirmed.
    """
    if given == ACTION:
        back = replace(state, phase=Phase.PLAY, shown=frozenset())
        return Step(back, (whose_turn(back),))
    tap = tap_of(given, state.turn, spots(state.turn), state.config.deck, waits(state))
    piece = check_unplayed(state, tap.piece)
    if piece in state.shown:
        raise AlreadyPlayed(piece=piece)
    check_known(state, piece)
    if piece.kind in state.config.box.helpers:
        if tap.seat is None:
            raise HelperInClaim(seat=state.turn, piece=piece)
        raise HelperInHand(piece=piece)
    if fitting(state, (piece.kind,)):
        return refute(state, piece)
    after = replace(state, shown=state.shown | {piece})
    if after.to_show:
        return Step(after, (message("fits-not", Topic.QUESTION, piece=piece, n=after.to_show),))
    return emergency(replace(after, shown=frozenset(), known=after.shown))


def refute(state: State, piece: Piece) -> Step[State]:
    """Refute the claim, since *piece* fits: name a place for it, and ask the player to lay it.

    RULES 7.3.
    """
    ask = place_ask(state, piece)
    where = ask.offers[ask.start].place
    across = "right" if where.column > 0 else "left" if where.column else ""
    along = "down" if where.row > 0 else "up" if where.row else ""
    way = "-".join(filter(None, (across, along)))
    fits = message(f"fits-{way}", piece=piece, columns=abs(where.column), rows=abs(where.row))
    events = (fits, message("must-place", Topic.QUESTION, seat=state.turn))
    return Step(ask_for_place(state, piece), events, is_foul=True)


def emergency(state: State) -> Step[State]:
    """Confirm the claim: ask for an emergency tile.

    If there is none left, or no place for it, end the turn (RULES 7.5, 7.8).
    """
    if state.spare and sites(state, min(state.spare)):
        after = replace(state, phase=Phase.EMERGENCY, made=LastPlay("emergency"))
        return Step(after, (message("take-emergency", Topic.QUESTION, seat=state.turn),))
    passing = (message("no-emergency-tile", Topic.RESULT, seat=state.turn),)
    after = replace(state, scored=None, made=LastPlay("pass"), passes=state.passes + 1)
    if after.passes == sum(hand > 0 for hand in after.hands):
        return finish(after, (*passing, message("stuck", Topic.RESULT)))
    return pass_on(after, passing)


def step_emergency(state: State, given: Input) -> Step[State]:
    """Ask for a place for the emergency tile that was tapped.

    The claimant's hand is known, and holds no helper (RULES 7.9).
    """
    tap = tap_of(given, state.turn, spots(state.turn), state.config.deck, waits(state))
    if tap.piece in state.played.pieces:
        raise AlreadyPlayed(piece=tap.piece)
    if tap.piece.kind in state.config.box.helpers:
        raise TooLateToCopy(seat=state.turn)
    if tap.piece.kind != EMERGENCY:
        raise NotExpectedNow(waits="emergency-first" if tap.piece in state.known else waits(state))
    return Step(
        ask_for_place(state, tap.piece), (message("where-to", Topic.QUESTION, piece=tap.piece),)
    )


# --- the end -------------------------------------------------------------------------------------


def finish(state: State, events: tuple[Message, ...]) -> Step[State]:
    """End the game: all tiles are played, or nobody can go on (RULES 8.2, 8.3)."""
    state = replace(state, phase=Phase.OVER, waiting=None, scored=None)
    goal, scores = state.config.goal, state.scores[: state.config.people]
    totals = (message("total", Topic.RESULT, seat=seat, n=n) for seat, n in enumerate(scores))
    if goal:
        results = (result_of(goal, Seat(seat), n) for seat, n in enumerate(scores))
        return Step(state, (*events, *totals, *results))
    code = "winner" if len(winners(state)) == 1 else "shared-win"
    wins = (message(code, Topic.RESULT, seat=seat) for seat in winners(state))
    return Step(state, (*events, *totals, *wins))


def winners(state: State) -> tuple[Seat, ...]:
    """Return the seats with the most points (RULES 8.3, 8.5)."""
    return state.config.best(state.scores)


def step_over(state: State, given: Input) -> Step[State]:
    """Refuse every input: the game is over."""
    raise NotExpectedNow(waits=waits(state))


# --- asks and steps by phase ---------------------------------------------------------------------

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


# --- undo ----------------------------------------------------------------------------------------


def put_back(before: State, given: Input) -> tuple[Message, ...]:
    """Return messages that say what people must move back to undo *given* (RULES 1.5).

    *before* is the state in which *given* was accepted.
    """
    after = STEPS[before.phase](before, given).state
    moved = []
    if after.pile < before.pile:
        moved.append(message("return-drawn", seat=before.turn))
    match given:
        case Tap(piece):
            moved.append(message("take-back", piece=piece))
        case PlaceChoice():
            moved.append(message("take-up", piece=waiting(before)))
        case Choice() | SeatChoice():
            moved.append(message("choose-again"))
        case _ if before.front is not None:
            moved.append(message("front-again", seat=before.turn, piece=before.front))
    return tuple(moved)
