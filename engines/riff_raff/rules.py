"""The rules of Riff Raff: load the rocking ship, and be the first to have nothing left.

One game's rules as values and functions; no chips, no clock, no files.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/riff_raff/RULES.md, quoted below as "RULES 3.2" and so on.
"""

from collections.abc import Callable
from functools import cache

from engines.common.contract import (
    PLAY_SPOT,
    SEAT_SPOTS,
    Ask,
    Button,
    Choice,
    ChoiceAsk,
    Input,
    Message,
    Number,
    NumberAsk,
    Press,
    PressAsk,
    Seat,
    SeatAsk,
    SeatChoice,
    Sensor,
    Setup,
    Step,
    Tap,
    TapAsk,
    Topic,
    message,
    seat_of_spot,
)
from engines.common.copies import replace
from engines.common.errors import AlreadyPlayed, CannotStart, NotExpectedNow, NotInThisGame
from engines.common.pieces import Piece
from engines.common.setup import check_seats, house_rules
from engines.common.turns import tap_of
from engines.riff_raff.box import CARDS, CARGO, HAND, SHAPES, Card, DeckContents
from engines.riff_raff.errors import (
    AlreadyAboard,
    Announced,
    CannotBeChosen,
    ColourNotWhole,
    ColourTaken,
    HasColour,
    LeftTheGame,
    NobodysColour,
    NotAboard,
    NotSoMany,
    NotYourCard,
    NotYourPiece,
    OneCardOnly,
    OnlyOnePiece,
    TappedAlready,
    TooFewColours,
)
from engines.riff_raff.house import OPTIONS, HouseRules
from engines.riff_raff.ship import YARDARMS, Ship
from engines.riff_raff.state import LoadingTurn, Phase, RiffRaffConfig, State, with_value

SEATS = range(2, 5)  # RULES 2.1
ROUNDS = len(HAND)  # rounds in a pass; in a pass everybody plays each card once. RULES 6.3
BOX_SPOT = "box"  # a spot for pieces that leave the game; not every mat has it

OK, ACTION = Press(Button.OK), Press(Button.ACTION)
YES, NO = "yes", "no"
ONE, TWO = "one", "two"
PLACED, OTHER = "placed", "other"  # the piece just placed, or another one

Events = tuple[Message, ...]


def passes(seats: int) -> int:
    """Return the number of passes in a game of *seats* players (RULES 6.3).

    In a pass, every player plays all ten cards once.
    """
    return 2 if seats == 2 else 1


def stock(seats: int) -> int:
    """Return the number of pieces in front of each of *seats* players at the start (RULES 2.2)."""
    return len(SHAPES) * (2 if seats == 2 else 1)


# --- beginning -----------------------------------------------------------------------------------


def start(setup: Setup) -> State:
    """Return the state at the start, in which nobody has shown a colour yet.

    Raises:
        TooFewColours: the deck has fewer complete colours than players (RULES 1.6).
        CannotStart: there is too little tagged cargo (RULES 1.6).
        ValueError: Riff Raff does not know this number of seats, dealer, option or piece.
    """
    check_seats(setup, SEATS)
    house = house_rules(HouseRules, OPTIONS, setup.options)
    box, seats = DeckContents.of(setup.deck), setup.seats
    if len(box.colours) < seats:
        raise TooFewColours(colours=len(box.colours), needed=seats)
    if house.tagged_cargo and len(box.cargo) < stock(seats) * seats:
        raise CannotStart(cards=len(box.cargo), needed=stock(seats) * seats)
    return State(
        RiffRaffConfig(setup.deck, seats, box, house),
        setup.dealer,
        (stock(seats),) * seats,
        (None,) * seats,
        (HAND,) * seats,
        (0,) * seats,
    )


def opening(state: State) -> Events:
    """Return the messages to announce when the game begins."""
    return (
        message("take-cargo", n=state.stocks[0]),
        message("show-colour", Topic.QUESTION, seat=state.colourless[0]),
    )


# --- asks ----------------------------------------------------------------------------------------


@cache
def spots(*seats: Seat) -> tuple[str, ...]:
    """Return the spots where *seats* may tap a piece: the play spot and their own readers."""
    return (PLAY_SPOT, *(SEAT_SPOTS[seat] for seat in seats))


@cache
def kinds_of(colour: str, numbers: frozenset[int] = HAND) -> frozenset[str]:
    """Return the kinds of the cards of *colour* with these *numbers*."""
    return frozenset(Card(colour, number).kind for number in numbers)


def free_colours(state: State) -> tuple[str, ...]:
    """Return the complete colours that nobody plays with (RULES 2.3)."""
    return tuple(c for c in state.config.box.colours if c not in state.colours)


def asks_colours(state: State) -> tuple[Ask, ...]:
    """Return a request for any card of a free colour."""
    kinds = frozenset[str]().union(*map(kinds_of, free_colours(state)))
    return (TapAsk(kinds, state.colourless, spots(*state.colourless)),)


def asks_reveal(state: State) -> tuple[Ask, ...]:
    """Return a request for a card from each player who has not revealed one, in any order."""
    return tuple(
        TapAsk(kinds_of(colour, state.hands[seat]), (seat,), spots(seat))
        for seat in state.waited_for
        if (colour := state.colours[seat]) is not None
    )


def asks_captain(state: State) -> tuple[Ask, ...]:
    """Return a request for one of the players who can become captain."""
    return (SeatAsk(candidates(state)),)


def asks_order(state: State) -> tuple[Ask, ...]:
    """Return a request for one of the players who are tied for the next turn."""
    return (SeatAsk(next_in_order(state)),)


def asks_look(state: State) -> tuple[Ask, ...]:
    """Return the question whether there is a piece in the area that the player will load."""
    return (ChoiceAsk((YES, NO), is_seen=True),)


def asks_announce(state: State) -> tuple[Ask, ...]:
    """Return a request to announce one piece or two."""
    return (ChoiceAsk((ONE, TWO)),)


def asks_piece(state: State) -> tuple[Ask, ...]:
    """Return a request to tap a piece of cargo that can belong to the current player."""
    seat = state.acting.seat
    kinds = frozenset(piece.kind for piece in in_front_of(state, seat))
    return (TapAsk(kinds, (seat,), spots(seat)),)


def asks_load(state: State) -> tuple[Ask, ...]:
    """Return the question whether the piece holds or cargo fell. A tilt switch can say it fell."""
    fell = PressAsk(Button.ACTION, "fell", sensor=Sensor.TILT, is_seen=True)
    return (PressAsk(Button.OK, "holds", is_seen=True), fell)


def asks_fallen(state: State) -> tuple[Ask, ...]:
    """Return a request for the number of pieces that fell."""
    return (NumberAsk(1, can_fall(state), 1, is_seen=True),)


def asks_caught(state: State) -> tuple[Ask, ...]:
    """Return a request for the number of fallen pieces that were caught."""
    return (NumberAsk(0, state.acting.fell, 0, is_seen=True),)


def asks_which(state: State) -> tuple[Ask, ...]:
    """Return the question whether the caught or fallen piece is the one just placed."""
    return (ChoiceAsk((PLACED, OTHER), is_seen=True),)


def asks_tap_caught(state: State) -> tuple[Ask, ...]:
    """Return requests to tap each caught piece, and to press OK when all are tapped."""
    return (*ask_fallen(state, (PLAY_SPOT, BOX_SPOT)), PressAsk(Button.OK, "done", is_seen=True))


def asks_tap_lost(state: State) -> tuple[Ask, ...]:
    """Return requests to tap each fallen piece that was not caught, and to press OK at the end."""
    return (*ask_fallen(state, spots(state.acting.seat)), PressAsk(Button.OK, "done", is_seen=True))


def ask_fallen(state: State, at: tuple[str, ...]) -> tuple[Ask, ...]:
    """Return a request for one more fallen piece on a spot in *at*, or () if all were tapped."""
    kinds = frozenset(piece.kind for piece in may_have_fallen(state))
    return (TapAsk(kinds, (state.acting.seat,), at),) if kinds else ()


def asks_over(state: State) -> tuple[Ask, ...]:
    """Return no requests, because a game that is over accepts no input."""
    return ()


# --- colours -------------------------------------------------------------------------------------


def card_of(state: State, given: Input) -> tuple[Card, Seat | None]:
    """Return the card that was tapped, and the seat that tapped it; None if the mat cannot tell.

    Raises:
        NotExpectedNow: *given* is not a tap of a card on the play spot or a player's reader.
        NotInThisGame: the deck does not hold the card.
    """
    waits = state.phase.value
    if not isinstance(given, Tap):
        raise NotExpectedNow(waits=waits)
    is_shared = given.spot == PLAY_SPOT
    at = given.seat if is_shared else seat_of_spot(given.spot)
    if at not in state.everyone and not (is_shared and at is None):
        raise NotExpectedNow(waits=waits)
    if not state.config.deck.holds(given.piece):
        raise NotInThisGame(piece=given.piece)
    if given.piece.kind not in CARDS:
        raise NotExpectedNow(waits=waits)
    return CARDS[given.piece.kind], at


def step_colours(state: State, given: Input) -> Step[State]:
    """Give a player the colour of the card that was tapped (RULES 2.3).

    After the last player, begin the first round.
    """
    card, at = card_of(state, given)
    seat = state.colourless[0] if at is None else at
    if (has := state.colours[seat]) is not None:
        raise HasColour(seat=seat, colour=has)
    if (owner := state.owner_of(card.colour)) is not None:
        raise ColourTaken(seat=owner, colour=card.colour)
    if card.colour not in state.config.box.colours:
        raise ColourNotWhole(colour=card.colour)
    state, events = with_colour(state, seat, card.colour)
    if len(state.colourless) == len(free_colours(state)) == 1:  # only one is left
        state, more = with_colour(state, state.colourless[0], free_colours(state)[0])
        events += more
    if state.colourless:
        return Step(
            state, (*events, message("show-colour", Topic.QUESTION, seat=state.colourless[0]))
        )
    return Step(
        replace(state, phase=Phase.REVEAL),
        (*events, message("round-begins", Topic.QUESTION, round=state.number)),
    )


def with_colour(state: State, seat: Seat, colour: str) -> tuple[State, Events]:
    """Return *state* with *colour* given to *seat*, and the messages about it."""
    after = replace(state, colours=with_value(state.colours, seat, colour))
    return after, (message("plays-with", seat=seat, colour=colour),)


# --- cards, captain and order --------------------------------------------------------------------


def step_reveal(state: State, given: Input) -> Step[State]:
    """Handle a revealed card; after the last one, find the captain (RULES 3.2 to 3.4)."""
    card, at = card_of(state, given)
    seat, number = state.owner_of(card.colour), card.number
    if seat is None:
        raise NobodysColour(colour=card.colour)
    if at is not None and at != seat:
        raise NotYourCard(seat=seat, other_seat=at)
    if number not in state.hands[seat]:
        raise AlreadyPlayed(piece=Piece(card.kind), seat=seat, number=number)
    if state.shown[seat]:
        raise OneCardOnly(seat=seat, number=state.shown[seat])
    after = replace(
        state,
        hands=with_value(state.hands, seat, state.hands[seat] - {number}),
        shown=with_value(state.shown, seat, number),
    )
    events = (message("reveals", seat=seat, number=number),)
    return Step(after, events) if after.waited_for else settle_captain(after, events)


def candidates(state: State) -> tuple[Seat, ...]:
    """Return the players who can become captain: those with the highest card (RULES 3.4, 3.5)."""
    tied = state.tied_seats(state.everyone)
    if len(tied) > 1 and not state.house.captain_names_himself:
        return tuple(seat for seat in tied if seat != state.captain)
    return tied


def settle_captain(state: State, events: Events) -> Step[State]:
    """Appoint the captain, or ask the old captain to choose from a tie (RULES 3.4, 3.5)."""
    first, *more = candidates(state)
    if not more:
        return new_captain(state, first, events)
    tie = message("tied", Topic.QUESTION, seat=state.captain, number=state.shown[first])
    return Step(replace(state, phase=Phase.CAPTAIN), (*events, tie))


def step_captain(state: State, given: Input) -> Step[State]:
    """Appoint the captain whom the old captain chose (RULES 3.5)."""
    return new_captain(state, chosen_of(state, given, candidates(state)), ())


def chosen_of(state: State, given: Input, seats: tuple[Seat, ...]) -> Seat:
    """Return the chosen seat.

    Raises:
        NotExpectedNow: *given* is not the choice of a seat at this table.
        CannotBeChosen: the seat is not one of *seats*.
    """
    if not isinstance(given, SeatChoice) or given.seat not in state.everyone:
        raise NotExpectedNow(waits=state.phase.value)
    if given.seat not in seats:
        raise CannotBeChosen(seat=given.seat)
    return given.seat


def new_captain(state: State, seat: Seat, events: Events) -> Step[State]:
    """Make *seat* captain. The captain loads first (RULES 3.6)."""
    after = replace(state, captain=seat, order=(seat,))
    return arrange(after, (*events, message("captain", Topic.TURN, seat=seat)))


def next_in_order(state: State) -> tuple[Seat, ...]:
    """Return the players with the highest card among those who are not in ``State.order`` yet.

    Several players can tie.
    """
    return state.tied_seats(tuple(seat for seat in state.everyone if seat not in state.order))


def arrange(state: State, events: Events) -> Step[State]:
    """Order the players by their cards, the highest first; ask the captain about ties.

    RULES 3.6 and 3.7.
    """
    while len(state.order) < state.config.seats:
        tied = next_in_order(state)
        if len(tied) > 1:
            tie = message(
                "who-is-next", Topic.QUESTION, seat=state.captain, number=state.shown[tied[0]]
            )
            return Step(replace(state, phase=Phase.ORDER), (*events, tie))
        state = replace(state, order=(*state.order, *tied))
    return next_turn(state, events)


def step_order(state: State, given: Input) -> Step[State]:
    """Put the player whom the captain chose next in the order (RULES 3.7)."""
    seat = chosen_of(state, given, next_in_order(state))
    return arrange(
        replace(state, order=(*state.order, seat)), (message("is-next", Topic.TURN, seat=seat),)
    )


# --- a turn: announcing one piece or two ---------------------------------------------------------


def next_turn(state: State, events: Events) -> Step[State]:
    """Begin the next player's turn; ask for one piece or two if both are allowed (RULES 4.2)."""
    seat, *rest = state.order
    turn = LoadingTurn(seat, state.shown[seat])
    after = replace(state, order=tuple(rest), turn=turn)
    events = (*events, message("loads", Topic.TURN, seat=seat, area=turn.area))
    if why_only_one(after) is not None:
        return begin_piece(after, replace(turn, announced=1), events)
    if after.ship.least(turn.area):
        return ask_announcement(after, events)
    return Step(
        replace(after, phase=Phase.LOOK), (*events, message("look", Topic.QUESTION, area=turn.area))
    )


def why_only_one(state: State) -> str | None:
    """Return why the player may load one piece only, or None if two are allowed.

    The reasons are those of ``OnlyOnePiece`` (RULES 4.2, 4.3).
    """
    turn = state.acting
    if turn.area not in YARDARMS:
        return "deck"
    if not state.ship.most(turn.area):
        return "empty"
    return "last" if state.stocks[turn.seat] < 2 else None


def ask_announcement(state: State, events: Events) -> Step[State]:
    """Ask the current player to announce one piece or two (RULES 4.2)."""
    return Step(
        replace(state, phase=Phase.ANNOUNCE), (*events, message("one-or-two", Topic.QUESTION))
    )


def step_look(state: State, given: Input) -> Step[State]:
    """Record the players' answer whether there is a piece in the area to load.

    RULES 4.6.
    """
    turn, is_held = state.acting, chosen_name(state, given, (YES, NO)) == YES
    if is_held:
        return ask_announcement(replace(state, ship=state.ship.held_at(turn.area)), ())
    after = replace(state, ship=state.ship.empty_at(turn.area))
    return begin_piece(after, replace(turn, announced=1), (message("one-piece", seat=turn.seat),))


def chosen_name(state: State, given: Input, names: tuple[str, ...]) -> str:
    """Return the chosen name.

    Raises:
        NotExpectedNow: *given* is not the choice of one of *names*.
    """
    if not isinstance(given, Choice) or given.name not in names:
        raise NotExpectedNow(waits=state.phase.value)
    return given.name


def step_announce(state: State, given: Input) -> Step[State]:
    """Record that the player announced one piece or two, and must load that many (RULES 4.4)."""
    n = 1 if chosen_name(state, given, (ONE, TWO)) == ONE else 2
    turn = replace(state.acting, announced=n)
    return begin_piece(state, turn, (message("announces", seat=turn.seat, n=n),))


def begin_piece(state: State, turn: LoadingTurn, events: Events) -> Step[State]:
    """Ask the player to load a piece, after a tap if it is tagged (RULES 4.1, 7.2)."""
    phase = Phase.PIECE if state.house.tagged_cargo else Phase.LOAD
    return Step(state.at(phase, turn), events)


WANTED = {Choice(ONE): 1, Choice(TWO): 2, Number(1): 1, Number(2): 2}


def refuse_announcement(state: State, given: Input) -> None:
    """Refuse *given* if it is an announcement of one piece or two (RULES 4.3, 4.4).

    Raises:
        OnlyOnePiece: two pieces were never allowed in this turn.
        Announced: the player has already announced a number.
    """
    wanted, turn = WANTED.get(given, 0), state.acting
    if turn.announced == 1 and (why := why_only_one(state)) is not None:
        if wanted == 2:
            raise OnlyOnePiece(why=why, area=turn.area, seat=turn.seat)
    elif wanted:
        raise Announced(n=turn.announced)


# --- a turn: loading -----------------------------------------------------------------------------


def step_load(state: State, given: Input) -> Step[State]:
    """Handle the report that the piece holds, or that cargo fell (RULES 4.5, 5.1)."""
    if given == OK:
        return place_piece(state)
    if given == ACTION:
        is_tagged = state.house.tagged_cargo
        phase, code = (Phase.TAP_CAUGHT, "tap-them") if is_tagged else (Phase.FALLEN, "how-many")
        return Step(
            replace(state, phase=phase), (message("overboard"), message(code, Topic.QUESTION))
        )
    refuse_announcement(state, given)
    raise NotExpectedNow(waits=state.phase.value)


def place_piece(state: State) -> Step[State]:
    """Add the piece to the ship; end the turn after the last announced piece (RULES 4.5)."""
    turn = state.acting
    left = state.stocks[turn.seat] - 1
    cargo = state.cargo if turn.piece is None else state.cargo.after_loading(turn.piece, turn.area)
    after = replace(
        state,
        stocks=with_value(state.stocks, turn.seat, left),
        ship=state.ship.after_loading(turn.area),
        cargo=cargo,
    )
    events = (message("holds", Topic.TOTAL, seat=turn.seat, n=left),)
    if turn.loaded + 1 == turn.announced:
        return end_turn(after, events)
    second = replace(turn, loaded=turn.loaded + 1, piece=None)
    return begin_piece(after, second, (*events, message("second-piece", Topic.QUESTION)))


# --- a turn: cargo falls -------------------------------------------------------------------------


def can_fall(state: State) -> int:
    """Return the greatest number of pieces that can fall, including the one just placed.

    RULES 5.2.
    """
    return state.ship.total + 1


def chosen_number(state: State, given: Input, low: int, high: int) -> int:
    """Return the chosen number.

    Raises:
        NotExpectedNow: *given* is not a number.
        NotSoMany: the number is not between *low* and *high*.
    """
    if not isinstance(given, Number):
        raise NotExpectedNow(waits=state.phase.value)
    if type(given.value) is not int or not low <= given.value <= high:
        raise NotSoMany(low=low, high=high)
    return given.value


def step_fallen(state: State, given: Input) -> Step[State]:
    """Record the number of pieces that fell (RULES 5.2)."""
    n = chosen_number(state, given, 1, can_fall(state))
    after = state.at(Phase.CAUGHT, replace(state.acting, fell=n))
    return Step(after, (message("how-many-caught", Topic.QUESTION, n=n),))


def step_caught(state: State, given: Input) -> Step[State]:
    """Record the number of caught pieces and settle the fall (RULES 5.3 to 5.7).

    If a single piece fell or was caught, and it matters if that is the piece just placed, ask
    first.
    """
    turn = state.acting
    caught = chosen_number(state, given, 0, turn.fell)
    if turn.fell == 1 and not caught and may_come_from_elsewhere(state):
        return Step(
            replace(state, phase=Phase.WHICH_FELL), (message("which-fell", Topic.QUESTION),)
        )
    if caught != 1 or not may_return(state, turn.fell):
        return settle(
            state, turn.fell, caught, state.ship.after_loading(turn.area).after_fall(turn.fell)
        )
    if not state.ship.total:  # nothing else was on the ship
        return settle(state, turn.fell, caught, state.ship, is_returned=True)
    return Step(replace(state, phase=Phase.WHICH), (message("which-one", Topic.QUESTION),))


def may_return(state: State, fell: int) -> bool:
    """Return True if a player who catches only the piece just placed takes it back (RULES 5.5).

    *fell* is the number of fallen pieces: by a house rule, it must be 1 (RULES 5.6).
    """
    return fell == 1 or state.house.placed_returns


def may_come_from_elsewhere(state: State) -> bool:
    """Return True if the only fallen piece may come from an area that is not being loaded.

    RULES 5.7.
    """
    return state.ship.least(state.acting.area) < state.ship.total


def step_which(state: State, given: Input) -> Step[State]:
    """Settle the fall after players said whether the caught piece is the one just placed.

    RULES 5.5.
    """
    turn, others = state.acting, state.acting.fell - 1
    if chosen_name(state, given, (PLACED, OTHER)) == PLACED:
        return settle(state, turn.fell, 1, state.ship.after_fall(others), is_returned=True)
    return settle(state, turn.fell, 1, without_another(state).after_fall(others))


def step_which_fell(state: State, given: Input) -> Step[State]:
    """Settle the fall after players said whether the fallen piece is the one just placed.

    RULES 5.7.
    """
    is_placed = chosen_name(state, given, (PLACED, OTHER)) == PLACED
    return settle(state, 1, 0, state.ship if is_placed else without_another(state))


def without_another(state: State) -> Ship:
    """Return the ship's load if the piece just placed has stayed and one other piece has fallen."""
    return state.ship.after_fall(1).after_loading(state.acting.area)


def settle(
    state: State, fell: int, caught: int, ship: Ship, *, is_returned: bool = False
) -> Step[State]:
    """End the turn after *fell* pieces fell, *caught* of which were caught (RULES 5.3).

    Caught pieces leave the game; the current player gets the others. *ship* is the load after the
    fall. With *is_returned*, the player gets the only caught piece back.
    """
    turn = state.acting
    gone = 0 if is_returned else caught
    stock_then = state.stocks[turn.seat] - 1 + fell - gone
    after = replace(
        state,
        stocks=with_value(state.stocks, turn.seat, stock_then),
        ship=ship,
        removed=state.removed + gone,
    )
    events = []
    if is_returned:
        events.append(message("placed-returns", Topic.RESULT, seat=turn.seat))
    if gone:
        events.append(message("leave", Topic.RESULT, seat=turn.seat, n=gone))
    if fell > caught:
        events.append(message("takes", Topic.RESULT, seat=turn.seat, n=fell - caught))
    return end_turn(after, (*events, message("has", Topic.RESULT, seat=turn.seat, n=stock_then)))


# --- tagged cargo --------------------------------------------------------------------------------


def in_front_of(state: State, seat: Seat) -> frozenset[Piece]:
    """Return the pieces of cargo that can be in front of *seat* (RULES 7.3)."""
    cargo, owners = state.cargo, state.cargo.owners
    known = frozenset(piece for piece, owner in owners.items() if owner == seat)
    if len(known) == state.stocks[seat]:
        return known
    return known | state.config.box.cargo.difference(owners, cargo.on_ship, cargo.gone)


def step_piece(state: State, given: Input) -> Step[State]:
    """Record the piece that the player taps before loading it (RULES 7.2, 7.3)."""
    refuse_announcement(state, given)
    turn = state.acting
    piece = cargo_of(state, given, spots(turn.seat))
    if piece in state.cargo.on_ship:
        raise AlreadyAboard(piece=piece, area=state.cargo.on_ship[piece])
    if piece in state.cargo.gone:
        raise LeftTheGame(piece=piece)
    if piece not in in_front_of(state, turn.seat):
        raise NotYourPiece(piece=piece, seat=turn.seat)
    after = state.at(Phase.LOAD, replace(turn, piece=piece))
    return Step(after, (message("piece", seat=turn.seat, piece=piece),))


def cargo_of(state: State, given: Input, at: tuple[str, ...]) -> Piece:
    """Return the piece of cargo that was tapped.

    Raises:
        RulesError: *given* is not a tap of cargo on one of the spots *at*.
    """
    waits = state.phase.value
    piece = tap_of(given, state.acting.seat, at, state.config.deck, waits).piece
    if piece.kind not in CARGO:
        raise NotExpectedNow(waits=waits)
    return piece


def may_have_fallen(state: State) -> frozenset[Piece]:
    """Return the pieces that may have fallen and were not tapped yet."""
    turn = state.acting
    assert turn.piece is not None, "with tagged cargo the piece was tapped"
    return frozenset(state.cargo.on_ship).union({turn.piece}) - turn.caught - turn.lost


def fallen_piece(state: State, given: Input, at: tuple[str, ...]) -> Piece:
    """Return the fallen piece that was tapped (RULES 7.4).

    Raises:
        TappedAlready: it was tapped before.
        NotAboard: it was not on the ship.
    """
    turn, piece = state.acting, cargo_of(state, given, at)
    if piece in turn.caught | turn.lost:
        raise TappedAlready(piece=piece)
    if piece not in may_have_fallen(state):
        raise NotAboard(piece=piece)
    return piece


def step_tap_caught(state: State, given: Input) -> Step[State]:
    """Record a tapped piece that was caught. After OK, ask for the pieces that were not caught.

    If all pieces that can have fallen were tapped, OK settles the fall (RULES 7.4).
    """
    turn = state.acting
    if given == OK and may_have_fallen(state):
        return Step(
            replace(state, phase=Phase.TAP_LOST), (message("tap-the-others", Topic.QUESTION),)
        )
    if given == OK:
        return settle_pieces(state)
    piece = fallen_piece(state, given, (PLAY_SPOT, BOX_SPOT))
    after = state.at(Phase.TAP_CAUGHT, replace(turn, caught=turn.caught | {piece}))
    return Step(after, (message("caught", piece=piece),))


def step_tap_lost(state: State, given: Input) -> Step[State]:
    """Record a tapped piece that fell and was not caught. After OK, settle the fall (RULES 7.4).

    If no piece was tapped at all, nothing fell, and loading goes on.
    """
    turn = state.acting
    if given == OK:
        if not turn.caught and not turn.lost:
            return Step(replace(state, phase=Phase.LOAD), (message("load-on"),))
        return settle_pieces(state)
    piece = fallen_piece(state, given, spots(turn.seat))
    after = state.at(Phase.TAP_LOST, replace(turn, lost=turn.lost | {piece}))
    return Step(after, (message("lost", piece=piece),))


def settle_pieces(state: State) -> Step[State]:
    """Settle a fall of tagged cargo, after all fallen pieces were tapped (RULES 7.4)."""
    turn, cargo, ship = state.acting, state.cargo, state.ship
    assert turn.piece is not None, "with tagged cargo the piece was tapped"
    fell = turn.caught | turn.lost
    for piece, area in cargo.aboard:
        if piece in fell:
            ship = ship.after_unloading(area)
    if turn.piece not in fell:
        ship, cargo = ship.after_loading(turn.area), cargo.after_loading(turn.piece, turn.area)
    is_returned = turn.caught == {turn.piece} and may_return(state, len(fell))
    gone = frozenset[Piece]() if is_returned else turn.caught
    after = replace(state, cargo=cargo.after_fall(turn.seat, fell - gone, gone))
    return settle(after, len(fell), len(turn.caught), ship, is_returned=is_returned)


# --- the end of a turn, a round and the game -----------------------------------------------------


def end_turn(state: State, events: Events) -> Step[State]:
    """End the turn; end the game if the player has no piece left (RULES 4.7, 6.1)."""
    seat = state.acting.seat
    state = replace(state, turn=None)
    if not state.stocks[seat]:
        return Step(
            replace(state, phase=Phase.OVER),
            (*events, message("all-loaded", Topic.RESULT, seat=seat)),
        )
    return next_turn(state, events) if state.order else end_round(state, events)


def end_round(state: State, events: Events) -> Step[State]:
    """Begin the next round or the second pass, or end the game (RULES 6.2, 6.3)."""
    state = replace(state, shown=(0,) * state.config.seats, phase=Phase.REVEAL)
    if state.number < ROUNDS:
        after = replace(state, number=state.number + 1)
    elif state.passes < passes(state.config.seats):
        hands = (HAND,) * state.config.seats
        after = replace(state, number=1, passes=state.passes + 1, hands=hands)
        events = (*events, message("cards-back"))
    else:
        return finish(replace(state, phase=Phase.OVER), events)
    begins = message("round-begins", Topic.QUESTION, round=after.number)
    return Step(after, (*events, begins))


def winners(state: State) -> tuple[Seat, ...]:
    """Return the players with the fewest pieces left (RULES 6.1, 6.4)."""
    fewest = min(state.stocks)
    return tuple(seat for seat in state.everyone if state.stocks[seat] == fewest)


def finish(state: State, events: Events) -> Step[State]:
    """End the game: all cards are played (RULES 6.4)."""
    best = winners(state)
    totals = (
        message("has", Topic.RESULT, seat=seat, n=state.stocks[seat]) for seat in state.everyone
    )
    code = "winner" if len(best) == 1 else "shared-win"
    wins = (message(code, Topic.RESULT, seat=seat) for seat in best)
    return Step(state, (*events, message("all-played", Topic.RESULT), *totals, *wins))


def step_over(state: State, given: Input) -> Step[State]:
    """Refuse every input: the game is over."""
    raise NotExpectedNow(waits=state.phase.value)


# --- asks and steps by phase ---------------------------------------------------------------------

ASKS: dict[Phase, Callable[[State], tuple[Ask, ...]]] = {
    Phase.COLOURS: asks_colours,
    Phase.REVEAL: asks_reveal,
    Phase.CAPTAIN: asks_captain,
    Phase.ORDER: asks_order,
    Phase.LOOK: asks_look,
    Phase.ANNOUNCE: asks_announce,
    Phase.PIECE: asks_piece,
    Phase.LOAD: asks_load,
    Phase.FALLEN: asks_fallen,
    Phase.CAUGHT: asks_caught,
    Phase.WHICH: asks_which,
    Phase.WHICH_FELL: asks_which,
    Phase.TAP_CAUGHT: asks_tap_caught,
    Phase.TAP_LOST: asks_tap_lost,
    Phase.OVER: asks_over,
}

STEPS: dict[Phase, Callable[[State, Input], Step[State]]] = {
    Phase.COLOURS: step_colours,
    Phase.REVEAL: step_reveal,
    Phase.CAPTAIN: step_captain,
    Phase.ORDER: step_order,
    Phase.LOOK: step_look,
    Phase.ANNOUNCE: step_announce,
    Phase.PIECE: step_piece,
    Phase.LOAD: step_load,
    Phase.FALLEN: step_fallen,
    Phase.CAUGHT: step_caught,
    Phase.WHICH: step_which,
    Phase.WHICH_FELL: step_which_fell,
    Phase.TAP_CAUGHT: step_tap_caught,
    Phase.TAP_LOST: step_tap_lost,
    Phase.OVER: step_over,
}


# --- undo ----------------------------------------------------------------------------------------

MOVED_BACK = {  # an event that people acted on, and the message that reverses it
    "plays-with": "show-again",
    "reveals": "take-up",
    "piece": "take-back",
    "holds": "unload",
    "overboard": "load-on",
    "caught": "untold",
    "tap-the-others": "tap-on",
    "lost": "untold",
    "load-on": "tap-on",
    "placed-returns": "lay-aside",
    "leave": "lay-aside",
    "takes": "lay-aside",
    "cards-back": "cards-out",
}


def put_back(before: State, given: Input) -> tuple[Message, ...]:
    """Return messages that say what people must move back to undo *given* (RULES 1.5).

    *before* is the state in which *given* was accepted.
    """
    step = STEPS[before.phase](before, given)
    moved = [event for event in reversed(step.events) if event.code in MOVED_BACK]
    back = {MOVED_BACK[event.code]: event.facts for event in moved}
    return tuple(message(code, **facts) for code, facts in back.items()) or (
        message("choose-again"),
    )
