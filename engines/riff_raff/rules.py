"""The rules of Riff Raff: load the rocking ship, and be the first to have nothing left.

Room: engines/riff_raff. One game's rules as values and functions; no chips, no clock, no files.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/riff_raff/RULES.md, quoted below as "RULES 3.2" and so on.
"""

from collections.abc import Callable
from dataclasses import replace

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
    seat_of_spot,
    told,
)
from engines.common.errors import AlreadyPlayed, CannotStart, NotExpectedNow, NotInThisGame
from engines.common.pieces import Piece
from engines.common.setup import check_seats, house_rules
from engines.common.turns import tap_of
from engines.riff_raff.box import CARDS, CARGO, HAND, SHAPES, Box, Card
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
from engines.riff_raff.state import Phase, State, Table, Turn, changed

SEATS = range(2, 5)  # RULES 2.1
ROUNDS = len(HAND)  # in a pass: one for each card. RULES 6.3
BOX_SPOT = "box"  # where a mat with a reader for it takes what leaves the game

OK, ACTION = Press(Button.OK), Press(Button.ACTION)
YES, NO = "yes", "no"
ONE, TWO = "one", "two"
PLACED, OTHER = "placed", "other"  # which piece was caught

Events = tuple[Message, ...]


def passes(seats: int) -> int:
    """How often so many people play all their cards (RULES 6.3)."""
    return 2 if seats == 2 else 1


def stock(seats: int) -> int:
    """How many pieces each of so many people begins with (RULES 2.2)."""
    return len(SHAPES) * (2 if seats == 2 else 1)


# --- beginning -----------------------------------------------------------------------------------


def start(setup: Setup) -> State:
    """Return the state before anybody has shown a colour.

    Raises:
        TooFewColours: the deck has not enough whole sets of cards (RULES 1.6).
        CannotStart: the cargo is tagged, and there is too little of it (RULES 1.6).
        ValueError: the seats, the dealer, an option or a piece is none that Riff Raff knows.
    """
    check_seats(setup, SEATS)
    house = house_rules(HouseRules, OPTIONS, setup.options)
    box, seats = Box.of(setup.deck), setup.seats
    if len(box.colours) < seats:
        raise TooFewColours(colours=len(box.colours), needed=seats)
    if house.tagged_cargo and len(box.cargo) < stock(seats) * seats:
        raise CannotStart(cards=len(box.cargo), needed=stock(seats) * seats)
    return State(
        Table(setup.deck, box, seats, house),
        setup.dealer,
        (stock(seats),) * seats,
        (None,) * seats,
        (HAND,) * seats,
        (0,) * seats,
    )


def opening(state: State) -> Events:
    """What to tell when the game begins."""
    return (
        told("take-cargo", n=state.stocks[0]),
        told("show-colour", Topic.QUESTION, seat=state.colourless[0]),
    )


# --- what the rules accept -----------------------------------------------------------------------


def spots(*seats: Seat) -> tuple[str, ...]:
    """Where a piece of one of *seats* is read: at the play spot or at the seat's own reader."""
    return (PLAY_SPOT, *(SEAT_SPOTS[seat] for seat in seats))


def kinds_of(colour: str, numbers: frozenset[int] = HAND) -> frozenset[str]:
    """The cards of *colour* with these *numbers*."""
    return frozenset(Card(colour, number).kind for number in numbers)


def free_colours(state: State) -> tuple[str, ...]:
    """The colours that somebody can still choose (RULES 2.3)."""
    return tuple(c for c in state.table.box.colours if c not in state.colours)


def asks_colours(state: State) -> tuple[Ask, ...]:
    """Any card of a colour that nobody has."""
    kinds = frozenset[str]().union(*map(kinds_of, free_colours(state)))
    return (TapAsk(kinds, state.colourless, spots(*state.colourless)),)


def asks_reveal(state: State) -> tuple[Ask, ...]:
    """A card of everybody who has not revealed one, in any order."""
    return tuple(
        TapAsk(kinds_of(colour, state.hands[seat]), (seat,), spots(seat))
        for seat in state.waited_for
        if (colour := state.colours[seat]) is not None
    )


def asks_captain(state: State) -> tuple[Ask, ...]:
    """One of those who can become captain."""
    return (SeatAsk(candidates(state)),)


def asks_order(state: State) -> tuple[Ask, ...]:
    """One of those who are tied for the next turn."""
    return (SeatAsk(next_in_order(state)),)


def asks_look(state: State) -> tuple[Ask, ...]:
    """Whether a piece lies in the area."""
    return (ChoiceAsk((YES, NO)),)


def asks_announce(state: State) -> tuple[Ask, ...]:
    """One piece or two."""
    return (ChoiceAsk((ONE, TWO)),)


def asks_piece(state: State) -> tuple[Ask, ...]:
    """A piece that can lie in front of whoever loads."""
    seat = state.acting.seat
    kinds = frozenset(piece.kind for piece in in_front_of(state, seat))
    return (TapAsk(kinds, (seat,), spots(seat)),)


def asks_load(state: State) -> tuple[Ask, ...]:
    """That it holds, or that cargo fell; the rocking ship may say the latter for itself."""
    return (PressAsk(Button.OK, "holds"), PressAsk(Button.ACTION, "fell", sensor=Sensor.TILT))


def asks_fallen(state: State) -> tuple[Ask, ...]:
    """How many pieces fell."""
    return (NumberAsk(1, can_fall(state), 1),)


def asks_caught(state: State) -> tuple[Ask, ...]:
    """How many of these were caught."""
    return (NumberAsk(0, state.acting.fell, 0),)


def asks_which(state: State) -> tuple[Ask, ...]:
    """Whether the one that was caught is the one just placed."""
    return (ChoiceAsk((PLACED, OTHER)),)


def asks_tap_caught(state: State) -> tuple[Ask, ...]:
    """A piece that was caught, or that these are all."""
    return (*untold(state, (PLAY_SPOT, BOX_SPOT)), PressAsk(Button.OK, "done"))


def asks_tap_lost(state: State) -> tuple[Ask, ...]:
    """A piece that was not caught, or that these are all."""
    return (*untold(state, spots(state.acting.seat)), PressAsk(Button.OK, "done"))


def untold(state: State, at: tuple[str, ...]) -> tuple[Ask, ...]:
    """A piece that may have fallen and was not tapped, as long as there is one."""
    kinds = frozenset(piece.kind for piece in still_up(state))
    return (TapAsk(kinds, (state.acting.seat,), at),) if kinds else ()


def asks_over(state: State) -> tuple[Ask, ...]:
    """Nothing any more."""
    return ()


# --- who plays with which colour -----------------------------------------------------------------


def card_of(state: State, given: Input) -> tuple[Card, Seat | None]:
    """Return the card that was tapped, and the seat at whose reader, if it was at one."""
    waits = state.phase.value
    if not isinstance(given, Tap):
        raise NotExpectedNow(waits=waits)
    is_shared = given.spot == PLAY_SPOT
    at = given.seat if is_shared else seat_of_spot(given.spot)
    if at not in state.everyone and not (is_shared and at is None):
        raise NotExpectedNow(waits=waits)
    if not state.table.deck.holds(given.piece):
        raise NotInThisGame(piece=given.piece)
    if given.piece.kind not in CARDS:
        raise NotExpectedNow(waits=waits)
    return CARDS[given.piece.kind], at


def step_colours(state: State, given: Input) -> Step[State]:
    """Take the card that shows somebody's colour (RULES 2.3)."""
    card, at = card_of(state, given)
    seat = state.colourless[0] if at is None else at
    if (has := state.colours[seat]) is not None:
        raise HasColour(seat=seat, colour=has)
    if (owner := state.owner_of(card.colour)) is not None:
        raise ColourTaken(seat=owner, colour=card.colour)
    if card.colour not in state.table.box.colours:
        raise ColourNotWhole(colour=card.colour)
    state, events = with_colour(state, seat, card.colour)
    if len(state.colourless) == len(free_colours(state)) == 1:  # what is left, is clear
        state, more = with_colour(state, state.colourless[0], free_colours(state)[0])
        events += more
    if state.colourless:
        return Step(state, (*events, told("show-colour", Topic.QUESTION, seat=state.colourless[0])))
    return Step(
        replace(state, phase=Phase.REVEAL), (*events, told("round-begins", round=state.number))
    )


def with_colour(state: State, seat: Seat, colour: str) -> tuple[State, Events]:
    """*seat* plays with *colour*."""
    after = replace(state, colours=changed(state.colours, seat, colour))
    return after, (told("plays-with", seat=seat, colour=colour),)


# --- cards, captain and order --------------------------------------------------------------------


def step_reveal(state: State, given: Input) -> Step[State]:
    """Take a card of anybody who has not revealed one; the last one decides (RULES 3.2 to 3.4)."""
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
        hands=changed(state.hands, seat, state.hands[seat] - {number}),
        shown=changed(state.shown, seat, number),
    )
    events = (told("reveals", seat=seat, number=number),)
    return Step(after, events) if after.waited_for else all_revealed(after, events)


def candidates(state: State) -> tuple[Seat, ...]:
    """Who can become captain: whoever revealed the highest card (RULES 3.4, 3.5)."""
    tied = state.tied(state.everyone)
    if len(tied) > 1 and not state.house.captain_names_himself:
        return tuple(seat for seat in tied if seat != state.captain)
    return tied


def all_revealed(state: State, events: Events) -> Step[State]:
    """Find the captain, or let the captain in office name the new one (RULES 3.4, 3.5)."""
    first, *more = candidates(state)
    if not more:
        return new_captain(state, first, events)
    tie = told("tied", Topic.QUESTION, seat=state.captain, number=state.shown[first])
    return Step(replace(state, phase=Phase.CAPTAIN), (*events, tie))


def step_captain(state: State, given: Input) -> Step[State]:
    """The captain in office names the new one (RULES 3.5)."""
    return new_captain(state, one_of(state, given, candidates(state)), ())


def one_of(state: State, given: Input, seats: tuple[Seat, ...]) -> Seat:
    """Return the one of *seats* that was chosen."""
    if not isinstance(given, SeatChoice) or given.seat not in state.everyone:
        raise NotExpectedNow(waits=state.phase.value)
    if given.seat not in seats:
        raise CannotBeChosen(seat=given.seat)
    return given.seat


def new_captain(state: State, seat: Seat, events: Events) -> Step[State]:
    """*seat* is captain and loads first; then comes whoever has the next card (RULES 3.6)."""
    after = replace(state, captain=seat, order=(seat,))
    return arrange(after, (*events, told("captain", Topic.TURN, seat=seat)))


def next_in_order(state: State) -> tuple[Seat, ...]:
    """Who has the highest card of those who are not in the order yet."""
    return state.tied(tuple(seat for seat in state.everyone if seat not in state.order))


def arrange(state: State, events: Events) -> Step[State]:
    """Put everybody in order, as far as that is clear, and begin when all are (RULES 3.6, 3.7)."""
    while len(state.order) < state.table.seats:
        tied = next_in_order(state)
        if len(tied) > 1:
            tie = told(
                "who-is-next", Topic.QUESTION, seat=state.captain, number=state.shown[tied[0]]
            )
            return Step(replace(state, phase=Phase.ORDER), (*events, tie))
        state = replace(state, order=(*state.order, *tied))
    return next_turn(state, events)


def step_order(state: State, given: Input) -> Step[State]:
    """The new captain says who of those tied comes first (RULES 3.7)."""
    seat = one_of(state, given, next_in_order(state))
    return arrange(
        replace(state, order=(*state.order, seat)), (told("is-next", Topic.TURN, seat=seat),)
    )


# --- a turn: one piece or two --------------------------------------------------------------------


def next_turn(state: State, events: Events) -> Step[State]:
    """The next in order loads; two pieces may be announced where the rules allow it (RULES 4.2)."""
    seat, *rest = state.order
    turn = Turn(seat, state.shown[seat])
    after = replace(state, order=tuple(rest), turn=turn)
    events = (*events, told("loads", Topic.TURN, seat=seat, area=turn.area))
    if why_only_one(after) is not None:
        return begin_piece(after, replace(turn, announced=1), events)
    if after.ship.least(turn.area):
        return ask_announcement(after, events)
    return Step(
        replace(after, phase=Phase.LOOK), (*events, told("look", Topic.QUESTION, area=turn.area))
    )


def why_only_one(state: State) -> str | None:
    """Why two pieces cannot be loaded now; none when they can, or may (RULES 4.2, 4.3)."""
    turn = state.acting
    if turn.area not in YARDARMS:
        return "deck"
    if not state.ship.most(turn.area):
        return "empty"
    return "last" if state.stocks[turn.seat] < 2 else None


def ask_announcement(state: State, events: Events) -> Step[State]:
    """Whoever loads may choose (RULES 4.2)."""
    return Step(replace(state, phase=Phase.ANNOUNCE), (*events, told("one-or-two", Topic.QUESTION)))


def step_look(state: State, given: Input) -> Step[State]:
    """Somebody looked whether a piece lies there; that is remembered (RULES 4.6)."""
    turn, is_held = state.acting, chosen(state, given, (YES, NO)) == YES
    if is_held:
        return ask_announcement(replace(state, ship=state.ship.held_at(turn.area)), ())
    after = replace(state, ship=state.ship.empty_at(turn.area))
    return begin_piece(after, replace(turn, announced=1), (told("one-piece"),))


def chosen(state: State, given: Input, names: tuple[str, ...]) -> str:
    """Return the one of *names* that was chosen."""
    if not isinstance(given, Choice) or given.name not in names:
        raise NotExpectedNow(waits=state.phase.value)
    return given.name


def step_announce(state: State, given: Input) -> Step[State]:
    """One piece or two: that is binding (RULES 4.4)."""
    n = 1 if chosen(state, given, (ONE, TWO)) == ONE else 2
    turn = replace(state.acting, announced=n)
    return begin_piece(state, turn, (told("announces", seat=turn.seat, n=n),))


def begin_piece(state: State, turn: Turn, events: Events) -> Step[State]:
    """Wait for a piece to be loaded; with tagged cargo it is tapped before (RULES 4.1, 7.2)."""
    phase = Phase.PIECE if state.house.tagged_cargo else Phase.LOAD
    return Step(state.at(phase, turn), events)


WANTED = {Choice(ONE): 1, Choice(TWO): 2, Number(1): 1, Number(2): 2}


def refuse_announcement(state: State, given: Input) -> None:
    """Refuse to announce anything when it is too late, or was never possible (RULES 4.3, 4.4)."""
    wanted, turn = WANTED.get(given, 0), state.acting
    if turn.announced == 1 and (why := why_only_one(state)) is not None:
        if wanted == 2:
            raise OnlyOnePiece(why=why, area=turn.area, seat=turn.seat)
    elif wanted:
        raise Announced(n=turn.announced)


# --- a turn: loading -----------------------------------------------------------------------------


def step_load(state: State, given: Input) -> Step[State]:
    """It holds, or cargo fell (RULES 4.5, 5.1)."""
    if given == OK:
        return holds(state)
    if given == ACTION:
        is_tagged = state.house.tagged_cargo
        phase, code = (Phase.TAP_CAUGHT, "tap-them") if is_tagged else (Phase.FALLEN, "how-many")
        return Step(replace(state, phase=phase), (told("overboard"), told(code, Topic.QUESTION)))
    refuse_announcement(state, given)
    raise NotExpectedNow(waits=state.phase.value)


def holds(state: State) -> Step[State]:
    """The piece lies on the ship; after the last one announced the turn is over (RULES 4.5)."""
    turn = state.acting
    left = state.stocks[turn.seat] - 1
    cargo = state.cargo if turn.piece is None else state.cargo.loaded(turn.piece, turn.area)
    after = replace(
        state,
        stocks=changed(state.stocks, turn.seat, left),
        ship=state.ship.loaded(turn.area),
        cargo=cargo,
    )
    events = (told("holds", Topic.TOTAL, seat=turn.seat, n=left),)
    if turn.loaded + 1 == turn.announced:
        return end_turn(after, events)
    second = replace(turn, loaded=turn.loaded + 1, piece=None)
    return begin_piece(after, second, (*events, told("second-piece", Topic.QUESTION)))


# --- a turn: cargo falls -------------------------------------------------------------------------


def can_fall(state: State) -> int:
    """How many pieces can fall: all on the ship, and the one just placed (RULES 5.2)."""
    return state.ship.total + 1


def number_of(state: State, given: Input, low: int, high: int) -> int:
    """Return the number that was chosen, from *low* to *high*."""
    if not isinstance(given, Number):
        raise NotExpectedNow(waits=state.phase.value)
    if type(given.value) is not int or not low <= given.value <= high:
        raise NotSoMany(low=low, high=high)
    return given.value


def step_fallen(state: State, given: Input) -> Step[State]:
    """How many fell (RULES 5.2)."""
    n = number_of(state, given, 1, can_fall(state))
    after = state.at(Phase.CAUGHT, replace(state.acting, fell=n))
    return Step(after, (told("how-many-caught", Topic.QUESTION, n=n),))


def step_caught(state: State, given: Input) -> Step[State]:
    """How many of them were caught; of a single one it matters which it is (RULES 5.3 to 5.6)."""
    turn = state.acting
    caught = number_of(state, given, 0, turn.fell)
    if caught != 1 or not may_return(state, turn.fell):
        return settle(state, turn.fell, caught, state.ship.loaded(turn.area).fallen(turn.fell))
    if not state.ship.total:  # nothing else was there to fall
        return settle(state, turn.fell, caught, state.ship, is_returned=True)
    return Step(replace(state, phase=Phase.WHICH), (told("which-one", Topic.QUESTION),))


def may_return(state: State, fell: int) -> bool:
    """Whether the piece just placed goes back when it alone was caught (RULES 5.5, 5.6)."""
    return fell == 1 or state.house.placed_returns


def step_which(state: State, given: Input) -> Step[State]:
    """Whether the one that was caught is the one just placed (RULES 5.5)."""
    turn, ship, others = state.acting, state.ship, state.acting.fell - 1
    if chosen(state, given, (PLACED, OTHER)) == PLACED:
        return settle(state, turn.fell, 1, ship.fallen(others), is_returned=True)
    left = ship.fallen(1).loaded(turn.area).fallen(others)
    return settle(state, turn.fell, 1, left)


def settle(
    state: State, fell: int, caught: int, ship: Ship, *, is_returned: bool = False
) -> Step[State]:
    """Of what fell, the caught pieces leave the game, the others go to whoever loaded (RULES 5.3).

    *ship* is what is left on it. When the piece just placed is *returned*, nothing leaves the game.
    """
    turn = state.acting
    gone = 0 if is_returned else caught
    stock_then = state.stocks[turn.seat] - 1 + fell - gone
    after = replace(
        state,
        stocks=changed(state.stocks, turn.seat, stock_then),
        ship=ship,
        removed=state.removed + gone,
    )
    events = []
    if is_returned:
        events.append(told("placed-returns", Topic.RESULT, seat=turn.seat))
    if gone:
        events.append(told("leave", Topic.RESULT, n=gone))
    if fell > caught:
        events.append(told("takes", Topic.RESULT, seat=turn.seat, n=fell - caught))
    return end_turn(after, (*events, told("has", Topic.RESULT, seat=turn.seat, n=stock_then)))


# --- tagged cargo --------------------------------------------------------------------------------


def in_front_of(state: State, seat: Seat) -> frozenset[Piece]:
    """The pieces that can lie in front of *seat* (RULES 7.3)."""
    cargo, owners = state.cargo, state.cargo.owners
    known = frozenset(piece for piece, owner in owners.items() if owner == seat)
    if len(known) == state.stocks[seat]:
        return known
    return known | state.table.box.cargo.difference(owners, cargo.on_ship, cargo.gone)


def step_piece(state: State, given: Input) -> Step[State]:
    """Take the piece that is to be loaded (RULES 7.2, 7.3)."""
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
    return Step(after, (told("piece", seat=turn.seat, piece=piece),))


def cargo_of(state: State, given: Input, at: tuple[str, ...]) -> Piece:
    """Return the wooden piece that was tapped on one of the spots *at*."""
    waits = state.phase.value
    piece = tap_of(given, state.acting.seat, at, state.table.deck, waits).piece
    if piece.kind not in CARGO:
        raise NotExpectedNow(waits=waits)
    return piece


def still_up(state: State) -> frozenset[Piece]:
    """What may have fallen and was not tapped: the ship's cargo, and the piece just placed."""
    turn = state.acting
    assert turn.piece is not None, "with tagged cargo the piece was tapped"
    return frozenset(state.cargo.on_ship).union({turn.piece}) - turn.caught - turn.lost


def fallen_piece(state: State, given: Input, at: tuple[str, ...]) -> Piece:
    """Return the piece that was tapped, which can have fallen (RULES 7.4)."""
    turn, piece = state.acting, cargo_of(state, given, at)
    if piece in turn.caught | turn.lost:
        raise TappedAlready(piece=piece)
    if piece not in still_up(state):
        raise NotAboard(piece=piece)
    return piece


def step_tap_caught(state: State, given: Input) -> Step[State]:
    """Take a piece that was caught, or that these were all (RULES 7.4)."""
    turn = state.acting
    if given == OK and still_up(state):
        return Step(replace(state, phase=Phase.TAP_LOST), (told("tap-the-others", Topic.QUESTION),))
    if given == OK:
        return settle_pieces(state)
    piece = fallen_piece(state, given, (PLAY_SPOT, BOX_SPOT))
    after = state.at(Phase.TAP_CAUGHT, replace(turn, caught=turn.caught | {piece}))
    return Step(after, (told("caught", piece=piece),))


def step_tap_lost(state: State, given: Input) -> Step[State]:
    """Take a piece that was not caught, or that these were all (RULES 7.4)."""
    turn = state.acting
    if given == OK:
        if not turn.caught and not turn.lost:
            return Step(replace(state, phase=Phase.LOAD), (told("load-on"),))
        return settle_pieces(state)
    piece = fallen_piece(state, given, spots(turn.seat))
    after = state.at(Phase.TAP_LOST, replace(turn, lost=turn.lost | {piece}))
    return Step(after, (told("lost", piece=piece),))


def settle_pieces(state: State) -> Step[State]:
    """All pieces that fell are known: what follows is as with untagged cargo (RULES 7.4)."""
    turn, cargo, ship = state.acting, state.cargo, state.ship
    assert turn.piece is not None, "with tagged cargo the piece was tapped"
    fell = turn.caught | turn.lost
    for piece, area in cargo.aboard:
        if piece in fell:
            ship = ship.unloaded(area)
    if turn.piece not in fell:
        ship, cargo = ship.loaded(turn.area), cargo.loaded(turn.piece, turn.area)
    is_returned = turn.caught == {turn.piece} and may_return(state, len(fell))
    gone = frozenset[Piece]() if is_returned else turn.caught
    after = replace(state, cargo=cargo.fallen(turn.seat, fell - gone, gone))
    return settle(after, len(fell), len(turn.caught), ship, is_returned=is_returned)


# --- the end of a turn, a round and the game -----------------------------------------------------


def end_turn(state: State, events: Events) -> Step[State]:
    """Whoever has nothing left has won, at once; else the next loads (RULES 4.7, 6.1)."""
    seat = state.acting.seat
    state = replace(state, turn=None)
    if not state.stocks[seat]:
        return Step(
            replace(state, phase=Phase.OVER), (*events, told("all-loaded", Topic.RESULT, seat=seat))
        )
    return next_turn(state, events) if state.order else end_round(state, events)


def end_round(state: State, events: Events) -> Step[State]:
    """Go on to the next round, or the second pass, or the end (RULES 6.2, 6.3)."""
    state = replace(state, shown=(0,) * state.table.seats, phase=Phase.REVEAL)
    if state.number < ROUNDS:
        after = replace(state, number=state.number + 1)
    elif state.passes < passes(state.table.seats):
        hands = (HAND,) * state.table.seats
        after = replace(state, number=1, passes=state.passes + 1, hands=hands)
        events = (*events, told("cards-back"))
    else:
        return finish(replace(state, phase=Phase.OVER), events)
    return Step(after, (*events, told("round-begins", round=after.number)))


def winners(state: State) -> tuple[Seat, ...]:
    """Who has the fewest pieces left (RULES 6.1, 6.4)."""
    fewest = min(state.stocks)
    return tuple(seat for seat in state.everyone if state.stocks[seat] == fewest)


def finish(state: State, events: Events) -> Step[State]:
    """All cards are played: compare (RULES 6.4)."""
    best = winners(state)
    totals = (told("has", Topic.RESULT, seat=seat, n=state.stocks[seat]) for seat in state.everyone)
    code = "winner" if len(best) == 1 else "shared-win"
    wins = (told(code, Topic.RESULT, seat=seat) for seat in best)
    return Step(state, (*events, told("all-played", Topic.RESULT), *totals, *wins))


def step_over(state: State, given: Input) -> Step[State]:
    """Take nothing more."""
    raise NotExpectedNow(waits=state.phase.value)


# --- the two tables of the phases ----------------------------------------------------------------

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
    Phase.TAP_CAUGHT: step_tap_caught,
    Phase.TAP_LOST: step_tap_lost,
    Phase.OVER: step_over,
}


# --- taking back ---------------------------------------------------------------------------------

MOVED_BACK = {  # what an event moved by hand, or had people say, and what takes it back
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
    """What people move back by hand when *given*, accepted in *before*, is undone (RULES 1.5)."""
    step = STEPS[before.phase](before, given)
    moved = [event for event in reversed(step.events) if event.code in MOVED_BACK]
    back = {MOVED_BACK[event.code]: event.facts for event in moved}
    return tuple(told(code, **facts) for code, facts in back.items()) or (told("choose-again"),)
