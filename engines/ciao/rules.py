"""The rules of Ciao!: beat the last card, and be the first to get rid of all of yours.

One game's rules as values and functions; no chips, no clock, no files.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/ciao/RULES.md, quoted below as "RULES 3.2" and so on.
"""

from collections.abc import Callable, Mapping
from functools import cache

from engines.ciao.cards import (
    AGAIN,
    GIVE,
    JOKER,
    PLAIN,
    PLUS3,
    SPECIALS,
    SPEED,
    SWAP,
    SYMBOLS,
    Card,
    Face,
    cards_of,
    fitting,
)
from engines.ciao.errors import LeftOut, NotInTheRace, NotToYourself, OutOfRace, TooLate
from engines.ciao.house import OPTIONS, HouseRules
from engines.ciao.state import CiaoConfig, Note, Phase, RaceResult, Round, State, with_more
from engines.common.contract import (
    PLAY_SPOT,
    SEAT_SPOTS,
    Ask,
    Button,
    Choice,
    ChoiceAsk,
    Direction,
    HandTransfer,
    Input,
    Message,
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
from engines.common.errors import AlreadyPlayed, CannotStart, NotExpectedNow
from engines.common.hands import Counting
from engines.common.pieces import Piece
from engines.common.setup import check_seats, house_rules
from engines.common.turns import tap_of

SEATS = range(2, 7)  # RULES 2.1
DEAL = 7  # cards dealt to each player. RULES 2.2
PENALTY = 3  # cards for a wrong card, and for forgetting to say thanks. RULES 8.1, 8.5
PLUS = 3  # cards that each +3 adds to the debt. RULES 6.6

OK, ACTION = Press(Button.OK), Press(Button.ACTION)

REVERSE = "reverse"  # the alternative to AGAIN that the player of such a card may choose
THANKED, FORGOT = "thanked", "forgot"
MORE, DONE = "hand-more", "hand-done"  # does the hand being counted have more cards?
# The names to choose from when players name a card's special, each with that special.
NAMED = {f"special-{special}": special for special in (PLAIN, *SPECIALS)}


# --- beginning -----------------------------------------------------------------------------------


def start(setup: Setup) -> State:
    """Return the state after the first deal.

    Raises:
        CannotStart: the deck has too few cards to deal to everybody, or its file gives a card a
            special that it cannot have (RULES 1.6, 2.2).
        ValueError: Ciao! does not know this number of seats, dealer, option or card.
    """
    check_seats(setup, SEATS)
    house = house_rules(HouseRules, OPTIONS, setup.options)
    cards = cards_of(setup.deck)
    left_out = frozenset(
        kind
        for kind, card in cards.items()
        if (card.is_obstacle and not house.has_obstacles)
        or (card.special != PLAIN and not house.has_specials)
    )
    pieces = frozenset(piece for piece in setup.deck.pieces() if piece.kind not in left_out)
    if len(pieces) < DEAL * setup.seats:
        raise CannotStart(cards=len(pieces), needed=DEAL * setup.seats)
    config = CiaoConfig(
        deck=setup.deck,
        seats=setup.seats,
        cards=cards,
        pieces=pieces,
        kinds=frozenset(piece.kind for piece in pieces),
        fitting=fitting(cards, with_colours=house.has_colours),
        answering=frozenset(kind for kind, card in cards.items() if may_answer(card, house)),
        left_out=left_out,
        dealer=setup.dealer,
        house=house,
    )
    starter = config.seats_after(setup.dealer)[0]
    deal = new_round(config, starter, Direction.CLOCKWISE)
    return State(config, 1, starter, (0,) * setup.seats, deal)


def may_answer(card: Card, house: HouseRules) -> bool:
    """Return True if *card* may be laid on a +3, as far as its print tells (RULES 5.1, 6.6)."""
    is_unknown = card.may_be_named and house.has_named_specials
    return card.is_joker or card.special == PLUS3 or is_unknown


def new_round(config: CiaoConfig, starter: Seat, direction: Direction) -> Round:
    """Return a new round in which *starter* plays first (RULES 2.2, 2.3)."""
    hands = (DEAL,) * config.seats
    return Round(starter, direction, hands, len(config.pieces) - sum(hands))


def opening(state: State) -> tuple[Message, ...]:
    """Return the messages to announce when the game begins."""
    return (
        message("deals", seat=state.config.dealer, n=DEAL),
        message("begins", Topic.TURN, seat=state.starter),
    )


# --- what the rules accept -----------------------------------------------------------------------


def fault(state: State, seat: Seat, piece: Piece) -> Message | None:
    """Return a message that says why *seat* may not lay *piece* now, or None if *seat* may.

    A card whose special is still unknown may turn out wrong afterwards (RULES 8.2).
    """
    now, card = state.round, state.card(piece)
    if card.is_obstacle:
        return message("wrong-obstacle", seat=seat, piece=piece)
    if card.is_joker:
        return None
    if now.debt and state.special_of(piece) not in (PLUS3, None):
        return message("wrong-answer", seat=seat, piece=piece)
    if now.top is None or piece.kind in fitting_now(state):
        return None
    return message("wrong-card", seat=seat, piece=piece, card=name_of(state, now.top))


def fitting_now(state: State) -> frozenset[str]:
    """Return the kinds that may be laid now, but do not consider the cards owed after +3."""
    must_beat = not state.round.debt or state.house.plus3_must_beat
    return state.config.fitting[state.round.top if must_beat else None]


def name_of(state: State, face: Face) -> str:
    """Return the code of *face*'s name: ``rock-green``, or ``rock`` if colours do not count."""
    return f"{face.symbol}-{face.colour}" if state.house.has_colours else face.symbol


def hidden(state: State) -> frozenset[str]:
    """Return the kinds of which a card does not lie open on the table, so it may be in a hand."""
    lying_open = state.round.discards.union(*state.counting.shown)
    copies = state.config.deck.copies
    laid = {piece.kind for piece in lying_open}
    return state.config.kinds.difference([kind for kind in laid if copies[kind] <= lying_open])


def right_kinds(state: State, kinds: frozenset[str]) -> frozenset[str]:
    """Return those of *kinds*, which are ``hidden``, of which a card may be laid now."""
    right = kinds & fitting_now(state)
    if not state.round.debt:
        return right
    right &= state.config.answering
    wrong = {piece.kind for piece, special in state.named if special != PLUS3}
    return right.difference([kind for kind in right & wrong if not may_answer_with(state, kind)])


def may_answer_with(state: State, kind: str) -> bool:
    """Return True if a hidden card of *kind* is a +3, or may be one: its special is not named."""
    pieces = state.config.deck.copies[kind] - state.round.discards
    return any(state.special_of(piece) in (PLUS3, None) for piece in pieces)


@cache
def spots(*seats: Seat) -> tuple[str, ...]:
    """Return the spots where *seats* may lay a card: the play spot and their own readers."""
    return (PLAY_SPOT, *(SEAT_SPOTS[seat] for seat in seats))


def card_ask(state: State, *seats: Seat, is_race: bool = False) -> TapAsk:
    """Return a request for a card from one of *seats*. A wrong card is a foul.

    If *is_race* is True, the first of them to lay a card wins.
    """
    kinds = hidden(state)
    right = right_kinds(state, kinds)
    return TapAsk(right, seats, spots(*seats), is_race, kinds - right)


def asks_play(state: State) -> tuple[Ask, ...]:
    """Return requests for a card, or for the action button to draw, pass or take cards owed."""
    now = state.round
    card = card_ask(state, now.turn)
    if now.debt:
        return (card, PressAsk(Button.ACTION, "take", {"n": now.debt}))
    label = "draw" if state.can_draw and not now.has_drawn else "pass"
    return (card, PressAsk(Button.ACTION, label))


def asks_symbol(state: State) -> tuple[Ask, ...]:
    """Return a request for the symbol of a joker."""
    return (ChoiceAsk(SYMBOLS),)


def asks_again(state: State) -> tuple[Ask, ...]:
    """Return requests for the choice between again and reverse, or for the next card.

    RULES 6.3.
    """
    choice = ChoiceAsk((AGAIN, REVERSE))
    if state.waiting is not None:
        return (choice,)
    late = () if state.won is None else state.won.others
    by_kind: dict[tuple[Seat, ...], set[str]] = {}
    kinds = hidden(state)
    layers = [
        (after.state.round.turn, right_kinds(after.state, kinds))
        for after in choices_again(state).values()
    ]
    for kind in kinds:
        seats = dict.fromkeys(layer for layer, right in layers if kind in right)
        by_kind.setdefault(tuple(s for s in seats if s not in late), set()).add(kind)
    cards = (
        TapAsk(frozenset(by_kind[seats]), seats, spots(*seats))
        for seats in sorted(by_kind)
        if seats
    )
    return (choice, *cards)


def asks_race(state: State) -> tuple[Ask, ...]:
    """Return requests for a card of any racer, or for the action button if nobody has one."""
    card = card_ask(state, *state.racers, is_race=True)
    return (card, PressAsk(Button.ACTION, "nobody", is_claim=True))


def asks_racer(state: State) -> tuple[Ask, ...]:
    """Return a request for the owner of the card that was laid in the race."""
    return (SeatAsk(state.racers, asks_owner=True),)


def asks_owner(state: State) -> tuple[Ask, ...]:
    """Return a request for the owner of the card that was laid after a draw or after a race."""
    assert state.waiting is not None, "this phase begins with a card"
    return (SeatAsk(owners(state, state.waiting), asks_owner=True),)


def next_player(state: State) -> Seat:
    """Return the player after the current one."""
    return state.config.seats_after(state.round.turn, state.round.direction)[0]


def asks_special(state: State) -> tuple[Ask, ...]:
    """Return a request to name the special on the card that was laid."""
    return (ChoiceAsk(tuple(NAMED), is_seen=True),)


def asks_somebody(state: State) -> tuple[Ask, ...]:
    """Return a request to choose another player, who gets a card or swaps hands."""
    return (SeatAsk(state.config.others(state.round.turn)),)


def asks_thanks(state: State) -> tuple[Ask, ...]:
    """Return the question whether the receiver of a card said thanks or forgot it (RULES 8.5).

    If the next player lays a right card instead, the thanks count as said.
    """
    choice = ChoiceAsk((THANKED, FORGOT), usual=THANKED, is_seen=True)
    if not state.round.hands[state.round.turn]:
        return (choice,)
    seat = next_player(state)
    kinds = card_ask(state, seat).kinds
    return (choice, TapAsk(kinds, (seat,), spots(seat))) if kinds else (choice,)


def counted_ask(state: State) -> TapAsk:
    """Return a request for the next card of the hand being counted."""
    return TapAsk(hidden(state), (state.counting.seat,), state.counting.spots)


def asks_scoring(state: State) -> tuple[Ask, ...]:
    """Return requests for the next card of the hand being counted, or for the action button.

    The button says that the hand has no more cards.
    """
    return (counted_ask(state), PressAsk(Button.ACTION, "hand-done", unlaid=hand_left(state)))


def asks_short(state: State) -> tuple[Ask, ...]:
    """Return the question whether the hand being counted has more cards (RULES 7.6).

    Another card of the hand is also an answer.
    """
    return (ChoiceAsk((MORE, DONE)), counted_ask(state))


def asks_round_over(state: State) -> tuple[Ask, ...]:
    """Return a request to press OK after the players have dealt the cards for the next round."""
    return (PressAsk(Button.OK, "next-round"),)


def asks_over(state: State) -> tuple[Ask, ...]:
    """Return no requests, because a game that is over accepts no input."""
    return ()


# --- the turn ------------------------------------------------------------------------------------


def step_play(state: State, given: Input) -> Step[State]:
    """Handle the current player's card, or the action button."""
    now = state.round
    if given == ACTION:
        return take(state) if now.debt else draw_or_pass(state)
    tap = tap_of(given, now.turn, spots(now.turn), state.config.deck, state.phase)
    piece = check_playable(state, tap.piece)
    if tap.seat is None and len(owners(state, piece)) > 1:
        asked = ask_whose(state, Phase.OWNER, piece)
        return asked._replace(state=replace(asked.state, won=state.won))
    return play(state, now.turn, piece)


def owners(state: State, piece: Piece) -> tuple[Seat, ...]:
    """Return the seats that may have laid *piece* if no reader shows whose it is.

    The current player comes first. After a draw, the next player may have laid the card (RULES
    3.9), and right after a race a late racer (RULES 6.5). But a card that may be the current
    player's and would be right counts as the current player's. A card whose special is still
    unknown need not be right if the current player owes cards.
    """
    turn, holder = state.round.turn, state.round.holder(piece)
    is_unsure = state.round.debt > 0 and state.special_of(piece) is None
    is_right = fault(state, turn, piece) is None and not is_unsure
    if holder == turn or (holder is None and is_right):
        return (turn,)
    if state.round.has_drawn:
        return (turn, next_player(state))
    late = () if state.won is None else state.won.others
    return (turn, *(seat for seat in late if seat != turn))


def ask_whose(state: State, phase: Phase, piece: Piece) -> Step[State]:
    """Enter *phase*, in which the players are asked whose card *piece* is."""
    whose = message("whose-card", Topic.QUESTION)
    return Step(state.at(state.round, phase, waiting=piece), (whose,))


def step_owner(state: State, given: Input) -> Step[State]:
    """Play the waiting card for the player who was chosen as its owner.

    If that player laid it too late for a race, return it instead.

    If the card was laid after a draw and is the next player's, the current player passes first
    (RULES 3.9).
    """
    assert state.waiting is not None, "this phase begins with a card"
    seat, piece = chosen_seat(state, given), state.waiting
    if seat not in owners(state, piece):
        raise NotExpectedNow(waits=state.phase.value)
    if seat == state.round.turn:
        return play(state, seat, piece)
    if state.won is not None:
        return return_late(state, state.won, seat, piece)
    return lay_in_turn(draw_or_pass(state), piece)


def return_late(state: State, won: RaceResult, seat: Seat, piece: Piece) -> Step[State]:
    """Return *piece* to *seat*, who laid it too late for the race, without a penalty (RULES 6.5).

    *won* is the race that has ended. The messages use the texts of the refusal TooLate.
    """
    now = state.round.give_back(piece, seat)
    back = state.at(now, note=Note("takes-back", seat), won=won)
    first = message("too-late.happened", first_seat=won.first)
    return Step(back, (first, message("too-late.do", Topic.QUESTION, seat=now.turn)), is_foul=True)


def check_playable(state: State, piece: Piece) -> Piece:
    """Return *piece* if it can have come from a hand (RULES 1.2, 9.1).

    Raises:
        LeftOut: the variant is played without the card.
        AlreadyPlayed: the card is on the discard pile.
    """
    if piece not in state.config.pieces:
        raise LeftOut(piece=piece)
    if piece in state.round.discards:
        raise AlreadyPlayed(piece=piece, place="discards")
    return piece


def take(state: State) -> Step[State]:
    """Let the current player take the cards owed after +3, and end the turn (RULES 6.6)."""
    draw = state.draw(state.round.turn, state.round.debt)
    now = replace(draw.round, debt=0)
    return next_turn(state, now, draw.messages(), Note.of(draw), is_idle=not draw.n)


def draw_or_pass(state: State) -> Step[State]:
    """Let the current player draw a card. After a draw, or if there is no card, pass the turn.

    RULES 3.2 and 3.4.
    """
    now = state.round
    if now.has_drawn or not state.can_draw:
        passes = (message("passes", seat=now.turn),)
        return next_turn(state, now, passes, is_idle=not now.has_drawn)
    draw = state.draw(now.turn, 1)
    after = replace(draw.round, has_drawn=True)
    return Step(state.at(after, note=Note.of(draw)), draw.messages())


def next_turn(
    state: State,
    now: Round,
    events: tuple[Message, ...],
    note: Note | None = None,
    *,
    is_idle: bool = False,
    is_foul: bool = False,
) -> Step[State]:
    """Begin the next player's turn, or end the round if nobody can play (RULES 3.5, 3.8).

    *now* is the round at the end of this turn. *events* are announced first. *note* says what
    people still have to do. *is_idle* is True if the player neither laid nor drew a card; after one
    idle turn of every player the round is over.
    """
    idle = now.idle + 1 if is_idle else 0
    turn = state.config.seats_after(now.turn, now.direction)[0]
    now = now.with_turn(turn, idle)
    if idle == state.config.seats:
        ended = end_round(state, now, (*events, message("blocked", Topic.RESULT)))
        return ended._replace(is_foul=is_foul)
    return Step(state.at(now, note=note), (*events, whose_turn(now)), is_foul)


def same_turn(
    state: State, now: Round, events: tuple[Message, ...], note: Note | None = None
) -> Step[State]:
    """Give the same player another turn (RULES 6.3).

    *now* is the round at the end of this turn. *events* are announced first. *note* says what
    people still have to do.
    """
    if not state.house.again_must_beat:
        now = replace(now, top=None)
    return Step(state.at(now, note=note), (*events, whose_turn(now)))


def whose_turn(now: Round) -> Message:
    """Return the message that names the current player, and the number of cards owed, if any."""
    if now.debt:
        return message("owes", Topic.QUESTION, seat=now.turn, n=now.debt)
    return message("turn", Topic.TURN, seat=now.turn)


# --- a card --------------------------------------------------------------------------------------


def play(state: State, seat: Seat, piece: Piece) -> Step[State]:
    """Judge *piece*, laid by *seat*: punish a wrong card, put a right one on the discard pile.

    If the special of a right card is unknown, ask the players to name it first (RULES 6.2).
    """
    wrong = fault(state, seat, piece)
    if wrong is not None:
        return punish(state, seat, piece, wrong)
    special = state.special_of(piece) if does_special_count(state, seat) else PLAIN
    if special is None:
        waiting = state.at(state.round, Phase.SPECIAL, waiting=piece, by=seat)
        return Step(waiting, (message("name-special", Topic.QUESTION, seat=seat),))
    return put_down(state, seat, piece, special)


def does_special_count(state: State, seat: Seat) -> bool:
    """Return True if a special laid by *seat* now takes effect (RULES 2.4, 6.5)."""
    now, house = state.round, state.house
    if now.last is None:
        return house.first_card_special
    return seat == now.turn or house.race_winner_special


def punish(state: State, seat: Seat, piece: Piece, wrong: Message) -> Step[State]:
    """Give *piece* back to *seat* and apply the penalty for a wrong card (RULES 8.1, 8.3, 8.4).

    *wrong* is the message that says what was wrong.
    """
    in_race = seat != state.round.turn
    is_free = in_race and not state.house.race_penalty
    before = state.round.give_back(piece, seat)
    draw = state.draw(seat, 0 if is_free else PENALTY + before.debt, before)
    back = (
        draw.messages("penalty", Topic.QUESTION)
        if draw.n
        else (message("takes-back", Topic.QUESTION, seat=seat),)
    )
    note = Note("penalty" if draw.n else "takes-back", seat, draw.n)
    if in_race:
        race = state.at(draw.round, Phase.RACE, note=note)
        is_out = state.house.race_out and not is_free
        after = without_racer(race, seat) if is_out else Step(race, ())
        return Step(after.state, (wrong, *back, *after.events), is_foul=True)
    now = replace(draw.round, debt=0)
    return next_turn(state, now, (wrong, *back), note, is_idle=not draw.n, is_foul=True)


def without_racer(state: State, seat: Seat) -> Step[State]:
    """Take *seat* out of the race, and end the race if nobody is left in it (RULES 8.4)."""
    now = replace(state.round, out_of_race=state.round.out_of_race | {seat})
    after, events = replace(state, round=now), (message("out-of-race", seat=seat),)
    if after.racers:
        return Step(after, events)
    return next_turn(after, now, (*events, message("nobody")), state.note)


def put_down(state: State, seat: Seat, piece: Piece, special: str) -> Step[State]:
    """Put *seat*'s *piece* on the discard pile, as the rules allow, and apply *special*."""
    card, before = state.card(piece), state.round
    effect = JOKER if card.is_joker else special
    now = Round(
        turn=seat,
        direction=before.direction,
        hands=with_more(before.hands, seat, -1),
        pile=before.pile,
        discards=before.discards | {piece},
        last=piece,
        top=card.face,
        debt=before.debt + PLUS if effect == PLUS3 else 0,
        known_holders=before.without(piece),
    )
    laid = () if card.is_joker else (message("card", Topic.TOTAL, card=name_of(state, card.face)),)
    if not now.hands[seat] and is_out_at_once(state.house, effect):
        done = go_out(state, now, seat, laid)
    elif effect in (PLAIN, PLUS3):  # a +3 has an effect on the next player's turn only
        done = next_turn(state, now, laid)
    else:
        done = EFFECTS[effect](state.at(now), laid)
    if state.phase is Phase.PLAY or seat == before.turn:
        return done
    others = tuple(other for other in state.config.others(before.turn) if other != seat)
    return done._replace(state=replace(done.state, won=RaceResult(seat, others)))


def is_out_at_once(house: HouseRules, effect: str) -> bool:
    """Return True if a player whose last card has *effect* wins at once, without that effect.

    RULES 7.1.
    """
    return effect != AGAIN and (effect != SWAP or house.swap_goes_out)


def ask_symbol(state: State, events: tuple[Message, ...]) -> Step[State]:
    """Ask the player who laid a joker for its symbol (RULES 5.1)."""
    return asking(state, Phase.SYMBOL, events, "name-symbol")


def ask_again(state: State, events: tuple[Message, ...]) -> Step[State]:
    """Ask the player for "again" or "reverse" (RULES 6.3)."""
    return asking(state, Phase.AGAIN, events, "again-or-reverse")


def begin_race(state: State, events: tuple[Message, ...]) -> Step[State]:
    """Begin a race of all other players (RULES 6.4)."""
    return asking(state, Phase.RACE, events, "race")


def ask_receiver(state: State, events: tuple[Message, ...]) -> Step[State]:
    """Ask who gets a card; of two players, give it to the other one at once (RULES 6.7, 6.9)."""
    first, *more = state.config.others(state.round.turn)
    return asking(state, Phase.GIVE, events, "to-whom") if more else give(state, first, events)


def ask_partner(state: State, events: tuple[Message, ...]) -> Step[State]:
    """Ask whose hand to swap with; of two players, swap at once (RULES 6.8, 6.9)."""
    first, *more = state.config.others(state.round.turn)
    return asking(state, Phase.SWAP, events, "with-whom") if more else swap(state, first, events)


def asking(state: State, phase: Phase, events: tuple[Message, ...], code: str) -> Step[State]:
    """Enter *phase*, in which the current player answers the question *code*."""
    return Step(
        state.at(state.round, phase),
        (*events, message(code, Topic.QUESTION, seat=state.round.turn)),
    )


EFFECTS: dict[str, Callable[[State, tuple[Message, ...]], Step[State]]] = {
    JOKER: ask_symbol,
    AGAIN: ask_again,
    SPEED: begin_race,
    GIVE: ask_receiver,
    SWAP: ask_partner,
}


# --- answers to specials -------------------------------------------------------------------------


def chosen_name(state: State, given: Input, names: tuple[str, ...]) -> str:
    """Return the chosen name.

    Raises:
        NotExpectedNow: *given* is not the choice of one of *names*.
    """
    if not isinstance(given, Choice) or given.name not in names:
        raise NotExpectedNow(waits=state.phase.value)
    return given.name


def chosen_seat(state: State, given: Input) -> Seat:
    """Return the seat that *given* chooses.

    Raises:
        NotExpectedNow: *given* does not choose a seat at this table.
    """
    if not isinstance(given, SeatChoice) or given.seat not in range(state.config.seats):
        raise NotExpectedNow(waits=state.phase.value)
    return given.seat


def step_symbol(state: State, given: Input) -> Step[State]:
    """Give the joker the chosen symbol. It keeps its own colour (RULES 5.1)."""
    symbol = chosen_name(state, given, SYMBOLS)
    assert state.round.top is not None, "the joker is on top"
    top = Face(symbol, state.round.top.colour)
    card = (message("card", Topic.TOTAL, card=name_of(state, top)),)
    return next_turn(state, replace(state.round, top=top), card)


def step_again(state: State, given: Input) -> Step[State]:
    """Handle the choice between again and reverse, or a card laid before that (RULES 6.3)."""
    waiting = state.waiting
    if isinstance(given, Tap) and waiting is None:
        return card_after_again(state, given)
    choice = chosen_name(state, given, (AGAIN, REVERSE))
    after = reverse(state) if choice == REVERSE else again(state)
    return after if waiting is None else lay_in_turn(after, waiting)


def card_after_again(state: State, given: Tap) -> Step[State]:
    """Handle a card that was laid before again or reverse was chosen (RULES 6.3).

    If only one of the two allows the card, that one counts as chosen. Otherwise, the card waits for
    the choice.
    """
    answers = {
        choice: after
        for choice, (seat, after) in answers_again(state, given.piece).items()
        if given.seat in (None, seat) and given.spot in spots(seat)
    }
    if not answers:
        raise NotExpectedNow(waits=state.phase.value)
    if len(answers) == 1:
        (after,) = answers.values()
        return lay_in_turn(after, given.piece)
    waiting = state.at(state.round, Phase.AGAIN, waiting=given.piece)
    return Step(waiting, (message("again-or-reverse", Topic.QUESTION, seat=state.round.turn),))


def answers_again(state: State, piece: Piece) -> dict[str, tuple[Seat, Step[State]]]:
    """Return the choices, AGAIN or REVERSE, after which *piece* may be laid.

    Each choice comes with the player who would lay the card after it, and with the step that it
    makes.
    """
    return answers_among(choices_again(state), piece) if is_held(state, piece) else {}


def choices_again(state: State) -> dict[str, Step[State]]:
    """Return the steps that AGAIN and REVERSE would make; empty if a card cannot imply the choice.

    It cannot if the current player has no card left: that player must choose, because the choice
    decides who wins.
    """
    now = state.round
    if not now.hands[now.turn]:
        return {}
    choices = {AGAIN: again(state), REVERSE: reverse(state)}
    if choices[REVERSE].state.round.turn == now.turn:
        del choices[REVERSE]  # two players: the same as again
    return choices


def answers_among(
    choices: Mapping[str, Step[State]], piece: Piece
) -> dict[str, tuple[Seat, Step[State]]]:
    """Return those of *choices* after which *piece* may be laid.

    The result has the form of ``answers_again``.
    """
    return {
        choice: (after.state.round.turn, after)
        for choice, after in choices.items()
        if fault(after.state, after.state.round.turn, piece) is None
    }


def is_held(state: State, piece: Piece) -> bool:
    """Return True if *piece* is in play and not on the discard pile, so it can be in a hand."""
    return piece in state.config.pieces and piece not in state.round.discards


def lay_in_turn(answered: Step[State], piece: Piece) -> Step[State]:
    """Lay *piece* in the turn that the step *answered* begins, without announcing that turn."""
    played = play(answered.state, answered.state.round.turn, piece)
    before = tuple(event for event in answered.events if event.topic is not Topic.TURN)
    if played.is_foul:  # announce the foul first and the next player last
        *foul, turn = played.events
        return played._replace(events=(*foul, *before, turn))
    return played._replace(events=(*before, *played.events))


def again(state: State) -> Step[State]:
    """Give the same player another turn. A player without cards draws one first (RULES 6.3).

    If there is no card to draw, that player wins.
    """
    now = state.round
    if now.hands[now.turn]:
        return same_turn(state, now, ())
    draw = state.draw(now.turn, 1)
    if not draw.n:
        return go_out(state, now, now.turn, draw.messages())
    return same_turn(state, draw.round, draw.messages(), Note.of(draw))


def reverse(state: State) -> Step[State]:
    """Reverse the direction of play. A player without cards has won."""
    now = replace(state.round, direction=state.round.direction.turned)
    events: tuple[Message, ...] = (
        message("turned", Topic.DIRECTION, direction=now.direction.value),
    )
    note = None
    if not now.hands[now.turn]:
        draw = state.draw(now.turn, 0 if state.house.reverse_goes_out else 1, now)
        if not draw.n:
            return go_out(state, now, now.turn, events)
        now, events, note = draw.round, (*events, *draw.messages()), Note.of(draw)
    if state.config.seats == 2 and state.house.reverse_of_two:
        return same_turn(state, now, events, note)
    return next_turn(state, now, events, note)


def step_race(state: State, given: Input) -> Step[State]:
    """Handle a card laid in the race, or the end of a race that nobody wins (RULES 6.4, 6.5)."""
    if given == ACTION:
        return next_turn(state, state.round, (message("nobody"),))
    seat = given.seat if isinstance(given, Tap) else None
    if seat is not None:
        check_races(state, seat)
    alone = state.racers[0] if len(state.racers) == 1 else None
    anybody = state.racers[0] if seat is None else seat
    tap = tap_of(given, anybody, spots(*state.racers), state.config.deck, state.phase)
    piece = check_playable(state, tap.piece)
    racer = alone if seat is None else seat
    if racer is None:
        return ask_whose(state, Phase.RACER, piece)
    return play(state, racer, piece)


def step_racer(state: State, given: Input) -> Step[State]:
    """Play the card that was laid in the race for the player who was chosen as its owner."""
    assert state.waiting is not None, "this phase begins with a card"
    seat = chosen_seat(state, given)
    check_races(state, seat)
    return play(state, seat, state.waiting)


def check_races(state: State, seat: Seat) -> None:
    """Check that *seat* may still win the race (RULES 6.4, 8.4).

    Raises:
        OutOfRace: *seat* has laid a wrong card.
        NotInTheRace: *seat* is the player who began the race.
    """
    if seat in state.round.out_of_race:
        raise OutOfRace(seat=seat)
    if seat not in state.racers:
        raise NotInTheRace(seat=state.round.turn)


def step_special(state: State, given: Input) -> Step[State]:
    """Play the waiting card with the special that was named, and remember it (RULES 6.2)."""
    assert state.waiting is not None, "this phase begins with a card"
    assert state.by is not None, "the owner of the card is known in this phase"
    special = NAMED[chosen_name(state, given, tuple(NAMED))]
    named = replace(state, named=state.named | {(state.waiting, special)})
    return play(named, state.by, state.waiting)


def chosen_other(state: State, given: Input) -> Seat:
    """Return the chosen seat, which must be another player's.

    Raises:
        NotExpectedNow: *given* is not the choice of a seat at this table.
        NotToYourself: it is the current player's own seat.
    """
    seat = chosen_seat(state, given)
    if seat == state.round.turn:
        raise NotToYourself(seat=seat)
    return seat


def step_give(state: State, given: Input) -> Step[State]:
    """Give a card to the chosen receiver (RULES 6.7)."""
    return give(state, chosen_other(state, given), ())


def give(state: State, seat: Seat, events: tuple[Message, ...]) -> Step[State]:
    """Give a card to *seat*, who should say thanks. A giver without cards has won."""
    giver = state.round.turn
    now, handed = (
        state.round.with_cards(giver, -1).with_cards(seat, 1),
        (HandTransfer(giver, seat, 1),),
    )
    now = replace(now, known_holders=now.after_gift(giver))
    events = (*events, message("gives", seat=seat, giver_seat=giver))
    if not now.hands[giver]:
        draw = state.draw(giver, 0 if state.house.give_goes_out else 1, now)
        if not draw.n and not state.house.scoring:
            return go_out(state, now, giver, events)._replace(handed=handed)
        now, events = draw.round, (*events, *(draw.messages() if draw.n else ()))
    after = state.at(now, Phase.THANKS, receiver=seat)
    return Step(after, (*events, message("say-thanks", Topic.QUESTION, seat=seat)), handed=handed)


def step_thanks(state: State, given: Input) -> Step[State]:
    """Handle the answer whether thanks were said (RULES 8.5).

    A receiver who forgot draws cards.

    After that, a giver without cards has won (RULES 6.7).
    """
    assert state.receiver is not None, "this phase begins with a card that was given"
    if isinstance(given, Tap) and state.round.hands[state.round.turn]:
        return card_after_gift(state, given)
    now, giver = state.round, state.round.turn
    events: tuple[Message, ...] = ()
    note = None
    if chosen_name(state, given, (THANKED, FORGOT)) == FORGOT:
        draw = state.draw(state.receiver, PENALTY)
        now, note = draw.round, Note.of(draw)
        events = (message("thanks-forgotten", seat=state.receiver), *draw.messages())
    if not now.hands[giver]:
        return go_out(state, now, giver, events)
    return next_turn(state, now, events, note)


def card_after_gift(state: State, given: Tap) -> Step[State]:
    """Play a card of the next player after a gift, as if thanks had been said (RULES 8.5)."""
    seat, after = next_player(state), next_turn(state, state.round, ())
    is_next = given.seat in (None, seat) and given.spot in spots(seat)
    if not is_next or not is_held(state, given.piece):
        raise NotExpectedNow(waits=state.phase.value)
    if fault(after.state, seat, given.piece):
        raise NotExpectedNow(waits=state.phase.value)
    return lay_in_turn(after, given.piece)


def step_swap(state: State, given: Input) -> Step[State]:
    """Swap hands with the chosen player (RULES 6.8)."""
    return swap(state, chosen_other(state, given), ())


def swap(state: State, seat: Seat, events: tuple[Message, ...]) -> Step[State]:
    """Swap the current player's hand with *seat*'s. A player who gets an empty hand has won."""
    now, turn = state.round, state.round.turn
    more = now.hands[seat] - now.hands[turn]
    after = replace(
        now.with_cards(turn, more).with_cards(seat, -more), known_holders=now.after_swap(turn, seat)
    )
    events = (*events, message("swaps", seat=turn, other_seat=seat))
    ways = (HandTransfer(turn, seat, now.hands[turn]), HandTransfer(seat, turn, now.hands[seat]))
    handed = tuple(way for way in ways if way.count)
    if not after.hands[seat]:
        return go_out(state, after, seat, events)._replace(handed=handed)
    note = Note("swaps", turn, other=seat)
    return next_turn(state, after, events, note)._replace(handed=handed)


# --- the end of a round --------------------------------------------------------------------------


def go_out(state: State, now: Round, seat: Seat, events: tuple[Message, ...]) -> Step[State]:
    """End the round after *events*: *seat* has no card left (RULES 7.1).

    *now* is the round at its end.
    """
    return end_round(state, now, (*events, message("out", Topic.RESULT, seat=seat)))


def end_round(state: State, now: Round, events: tuple[Message, ...]) -> Step[State]:
    """Cancel the cards owed in *now*; end the game or begin to count hands (RULES 7.1 to 7.3)."""
    now = replace(now, debt=0)
    if not state.house.scoring:
        return finish(state.at(now, Phase.OVER), events)
    after = state.at(now, Phase.SCORING)
    order = state.config.seats_after(first_out(after))
    waiting = tuple(seat for seat in order if now.hands[seat])
    counting = Counting(waiting, (frozenset[Piece](),) * state.config.seats)
    return next_hand(replace(after, counting=counting), events)


def first_out(state: State) -> Seat:
    """Return the winner of the round, the player with the fewest cards (RULES 7.1, 7.9).

    If several tie, it is the first of them clockwise from the player who began the round.
    """
    fewest = min(state.round.hands)
    order = (state.starter, *state.config.others(state.starter))
    return next(seat for seat in order if state.round.hands[seat] == fewest)


def scores(state: State) -> tuple[int, ...]:
    """Return each seat's points, or its cards in hand in a game without points (RULES 7.2, 7.3)."""
    return state.totals if state.house.scoring else state.round.hands


def best(state: State) -> tuple[Seat, ...]:
    """Return the seats with the lowest score."""
    lowest = min(scores(state))
    return tuple(Seat(n) for n, score in enumerate(scores(state)) if score == lowest)


def finish(state: State, events: tuple[Message, ...]) -> Step[State]:
    """End the game and announce the winner."""
    code = "winner" if len(best(state)) == 1 else "shared-win"
    return Step(state, (*events, *(message(code, Topic.RESULT, seat=seat) for seat in best(state))))


def hand_left(state: State) -> int:
    """Return the number of cards still to be counted in the hand that is being counted."""
    return state.counting.left(state.round.hands)


def next_hand(state: State, events: tuple[Message, ...]) -> Step[State]:
    """Ask for the next hand to be counted. After the last hand, add the points to the totals."""
    if not state.counting.waiting:
        return add_up(state, events)
    hand = message("count-hand", Topic.QUESTION, seat=state.counting.seat, n=hand_left(state))
    return Step(state, (*events, hand))


def step_scoring(state: State, given: Input) -> Step[State]:
    """Count the next card of the hand, or ask if the hand is complete (RULES 7.5, 7.6)."""
    if given == ACTION:
        missing = message("ask-short", Topic.QUESTION, seat=state.counting.seat, n=hand_left(state))
        return Step(replace(state, phase=Phase.SHORT, won=None), (missing,))
    return count_card(state, given)


def step_short(state: State, given: Input) -> Step[State]:
    """Handle the answer whether the hand has more cards, or its next card (RULES 7.6)."""
    counted = replace(state, phase=Phase.SCORING)
    if isinstance(given, Tap):
        return count_card(counted, given)
    if chosen_name(state, given, (MORE, DONE)) == MORE:
        return next_hand(counted, ())
    short = message("hand-short", seat=state.counting.seat, n=hand_left(state))
    return close_hand(counted, (short,))


def count_card(state: State, given: Input) -> Step[State]:
    """Add a card to the hand being counted."""
    counting = state.counting
    seat = counting.seat
    tap = tap_of(given, seat, counting.spots, state.config.deck, state.phase)
    shown = counting.shown_with(check_playable(state, tap.piece))
    state = replace(state, counting=Counting(counting.waiting, shown), won=None)
    if hand_left(state):
        points = state.counting.points(seat, state.config.deck)
        return Step(state, (message("points", Topic.TOTAL, points=points),))
    return close_hand(state, ())


def close_hand(state: State, events: tuple[Message, ...]) -> Step[State]:
    """End the count of the current hand and go on to the next hand."""
    seat = state.counting.seat
    scored = message(
        "hand-scored", Topic.RESULT, seat=seat, n=state.counting.points(seat, state.config.deck)
    )
    return next_hand(replace(state, counting=state.counting.after_hand()), (*events, scored))


def add_up(state: State, events: tuple[Message, ...]) -> Step[State]:
    """Add the round's points to the totals, then end the game or wait for a deal (RULES 7.7)."""
    points = (state.counting.points(Seat(n), state.config.deck) for n in range(state.config.seats))
    totals = tuple(total + more for total, more in zip(state.totals, points, strict=True))
    state = replace(state, phase=Phase.ROUND_OVER, totals=totals)
    events = (*events, message("round-over", Topic.RESULT, round=state.number))
    events += tuple(
        message("total", Topic.RESULT, seat=n, n=total) for n, total in enumerate(totals)
    )
    is_last = state.number >= state.house.rounds
    if is_last and len(best(state)) == 1:
        return finish(replace(state, phase=Phase.OVER), events)
    tied = (message("tied", Topic.RESULT),) if is_last else ()
    return Step(state, (*events, *tied, message("begins", Topic.TURN, seat=first_out(state))))


def step_round_over(state: State, given: Input) -> Step[State]:
    """Begin the next round. The winner of the last one plays first (RULES 7.8)."""
    if given != OK:
        raise NotExpectedNow(waits=state.phase.value)
    starter = first_out(state)
    again = state.house.clockwise_each_round
    direction = Direction.CLOCKWISE if again else state.round.direction
    deal = new_round(state.config, starter, direction)
    begun = State(state.config, state.number + 1, starter, state.totals, deal, named=state.named)
    return Step(
        begun,
        (message("round-begins", round=begun.number), message("turn", Topic.TURN, seat=starter)),
    )


def step_over(state: State, given: Input) -> Step[State]:
    """Refuse every input: the game is over."""
    raise NotExpectedNow(waits=state.phase.value)


# --- asks and steps by phase ---------------------------------------------------------------------

ASKS: dict[Phase, Callable[[State], tuple[Ask, ...]]] = {
    Phase.PLAY: asks_play,
    Phase.SYMBOL: asks_symbol,
    Phase.AGAIN: asks_again,
    Phase.RACE: asks_race,
    Phase.RACER: asks_racer,
    Phase.OWNER: asks_owner,
    Phase.SPECIAL: asks_special,
    Phase.GIVE: asks_somebody,
    Phase.THANKS: asks_thanks,
    Phase.SWAP: asks_somebody,
    Phase.SCORING: asks_scoring,
    Phase.SHORT: asks_short,
    Phase.ROUND_OVER: asks_round_over,
    Phase.OVER: asks_over,
}

STEPS: dict[Phase, Callable[[State, Input], Step[State]]] = {
    Phase.PLAY: step_play,
    Phase.SYMBOL: step_symbol,
    Phase.AGAIN: step_again,
    Phase.RACE: step_race,
    Phase.RACER: step_racer,
    Phase.OWNER: step_owner,
    Phase.SPECIAL: step_special,
    Phase.GIVE: step_give,
    Phase.THANKS: step_thanks,
    Phase.SWAP: step_swap,
    Phase.SCORING: step_scoring,
    Phase.SHORT: step_short,
    Phase.ROUND_OVER: step_round_over,
    Phase.OVER: step_over,
}


def step(state: State, given: Input) -> Step[State]:
    """Return the state after *given*.

    Raises:
        RulesError: the rules refuse *given*.
    """
    if state.won is not None and is_late(state, given):
        raise TooLate(seat=active(state), first_seat=state.won.first)
    return STEPS[state.phase](state, given)


def active(state: State) -> Seat:
    """Return the player who lays the next card, in play or while hands are counted."""
    is_counting = state.phase in (Phase.SCORING, Phase.SHORT)
    return state.counting.seat if is_counting else state.round.turn


def is_late(state: State, given: Input) -> bool:
    """Return True if *given* is a card for a race that another player has just won (RULES 6.5).

    The mat knows who laid the card only if it was tapped on a seat's own reader. A player who may
    lay a card now is not late.
    """
    if state.won is None or not isinstance(given, Tap) or state.phase is Phase.OVER:
        return False
    may_lay = state.racers if state.phase is Phase.RACE else (active(state),)
    return given.seat in state.won.others and given.seat not in may_lay


# --- undo ----------------------------------------------------------------------------------------

MOVED_BACK = {  # events after which people moved cards, and the message that asks to move them back
    "draws": "return-drawn",
    "penalty": "return-drawn",
    "reshuffled": "lay-open",
    "gives": "give-back",
    "swaps": "swap-back",
}


def put_back(before: State, given: Input) -> tuple[Message, ...]:
    """Return messages that say what people must move back to undo *given* (RULES 1.5).

    *before* is the state in which *given* was accepted.
    """
    done = step(before, given)
    back = (event for event in reversed(done.events) if event.code in MOVED_BACK)
    moved = [message(MOVED_BACK[event.code], **event.facts) for event in back]
    if before.phase in (Phase.SCORING, Phase.SHORT) and isinstance(given, Tap):
        moved.append(message("take-up", piece=given.piece, seat=before.counting.seat))
    elif isinstance(given, Tap) and not done.is_foul:
        moved.append(message("take-back", piece=given.piece))
    elif before.waiting is not None and done.is_foul:
        moved.append(message("lay-again", piece=before.waiting))
    elif isinstance(given, Choice | SeatChoice):
        moved.append(message("choose-again"))
    return tuple(moved)
