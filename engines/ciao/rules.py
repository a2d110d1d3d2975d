"""The rules of Ciao!: beat the last card, and be the first to get rid of all of yours.

Room: engines/ciao. One game's rules as values and functions; no chips, no clock, no files.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/ciao/RULES.md, quoted below as "RULES 3.2" and so on.
"""

from collections.abc import Callable
from dataclasses import replace

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
    Face,
    cards_of,
)
from engines.ciao.errors import LeftOut, NotInTheRace, NotToYourself
from engines.ciao.house import OPTIONS, HouseRules
from engines.ciao.state import Note, Phase, Round, State, Table
from engines.common.contract import (
    PLAY_SPOT,
    SEAT_SPOTS,
    Ask,
    Button,
    Choice,
    ChoiceAsk,
    Direction,
    Handed,
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
    told,
)
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

REVERSE = "reverse"  # what an AGAIN card does when it is not "again"
THANKED, FORGOT = "thanked", "forgot"
NAMED = {f"special-{special}": special for special in (PLAIN, *SPECIALS)}  # by choice


# --- beginning -----------------------------------------------------------------------------------


def start(setup: Setup) -> State:
    """Return the state after the first deal.

    Raises:
        CannotStart: the deck has too few cards to deal to everybody, or its file puts a special
            on a card that cannot bear one (RULES 1.6, 2.2).
        ValueError: the seats, the dealer, an option or a card is none that Ciao! knows.
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
    table = Table(setup.deck, cards, pieces, left_out, setup.seats, setup.dealer, house)
    starter = table.seats_after(setup.dealer)[0]
    deal = dealt(table, starter, Direction.CLOCKWISE)
    return State(table, 1, starter, (0,) * setup.seats, deal)


def dealt(table: Table, starter: Seat, direction: Direction) -> Round:
    """Return a new round; *starter* begins (RULES 2.2, 2.3)."""
    hands = (DEAL,) * table.seats
    return Round(starter, direction, hands, len(table.pieces) - sum(hands))


def opening(state: State) -> tuple[Message, ...]:
    """What to tell when the game begins."""
    return (
        told("deals", seat=state.table.dealer, n=DEAL),
        told("begins", Topic.TURN, seat=state.starter),
    )


# --- what the rules accept -----------------------------------------------------------------------


def fault(state: State, seat: Seat, piece: Piece) -> Message | None:
    """What would be wrong with *piece*, laid by *seat* now; none when it is right.

    A card whose special is still to be named may prove wrong afterwards (RULES 8.2).
    """
    now, card = state.round, state.card(piece)
    if card.is_obstacle:
        return told("wrong-obstacle", seat=seat, piece=piece)
    if card.is_joker:
        return None
    if now.debt and state.special_of(piece) not in (PLUS3, None):
        return told("wrong-answer", seat=seat, piece=piece)
    must_beat = not now.debt or state.house.plus3_must_beat
    if now.top is None or not must_beat or beats(state, card.face, now.top):
        return None
    return told("wrong-card", seat=seat, piece=piece, card=name_of(state, now.top))


def beats(state: State, face: Face, other: Face) -> bool:
    """Whether *face* is stronger than *other* at this table (RULES 4.1)."""
    return face.beats(other, with_colours=state.house.has_colours)


def name_of(state: State, face: Face) -> str:
    """The name of *face* in the catalogue: ``rock-green``; ``rock`` where colours are nothing."""
    return f"{face.symbol}-{face.colour}" if state.house.has_colours else face.symbol


def unseen(state: State) -> frozenset[Piece]:
    """The cards that can still be in a hand, as far as the mat has seen."""
    return state.table.pieces.difference(state.round.discards, *state.counting.shown)


def spots(*seats: Seat) -> tuple[str, ...]:
    """Where a card of one of *seats* is read: at the play spot or at the seat's own reader."""
    return (PLAY_SPOT, *(SEAT_SPOTS[seat] for seat in seats))


def card_ask(state: State, *seats: Seat, is_race: bool = False) -> TapAsk:
    """Ask *seats* for a card that can still be in a hand."""
    pieces = unseen(state)
    right = frozenset(piece.kind for piece in pieces if not fault(state, seats[0], piece))
    wrong = frozenset(piece.kind for piece in pieces) - right
    return TapAsk(right, seats, spots(*seats), is_race, wrong)


def asks_play(state: State) -> tuple[Ask, ...]:
    """A card, or that none is laid: what action does follows from the debt and the pile."""
    now = state.round
    card = card_ask(state, now.turn)
    if now.debt:
        return (card, PressAsk(Button.ACTION, "take", {"n": now.debt}))
    label = "draw" if state.can_draw and not now.has_drawn else "pass"
    return (card, PressAsk(Button.ACTION, label))


def asks_symbol(state: State) -> tuple[Ask, ...]:
    """The symbol of a joker."""
    return (ChoiceAsk(SYMBOLS),)


def asks_again(state: State) -> tuple[Ask, ...]:
    """Once more, or the other way round."""
    return (ChoiceAsk((AGAIN, REVERSE)),)


def asks_race(state: State) -> tuple[Ask, ...]:
    """A card of anybody but whose card began the race; or that nobody has one."""
    card = card_ask(state, *state.racers, is_race=True)
    return (card, PressAsk(Button.ACTION, "nobody"))


def asks_racer(state: State) -> tuple[Ask, ...]:
    """Whose the card is that was laid in the race."""
    return (SeatAsk(state.racers),)


def asks_special(state: State) -> tuple[Ask, ...]:
    """What the card bears that was laid."""
    return (ChoiceAsk(tuple(NAMED)),)


def asks_somebody(state: State) -> tuple[Ask, ...]:
    """Somebody else, for a card or for a hand."""
    return (SeatAsk(state.table.others(state.round.turn)),)


def asks_thanks(state: State) -> tuple[Ask, ...]:
    """Whether the receiver said thanks."""
    return (ChoiceAsk((THANKED, FORGOT)),)


def asks_scoring(state: State) -> tuple[Ask, ...]:
    """The next card of the hand being counted, or that there is none."""
    kinds = frozenset(piece.kind for piece in unseen(state))
    counting = state.counting
    card = TapAsk(kinds, (counting.seat,), counting.spots)
    return (card, PressAsk(Button.ACTION, "hand-done"))


def asks_round_over(state: State) -> tuple[Ask, ...]:
    """That the cards are dealt."""
    return (PressAsk(Button.OK, "next-round"),)


def asks_over(state: State) -> tuple[Ask, ...]:
    """Nothing any more."""
    return ()


# --- the turn ------------------------------------------------------------------------------------


def step_play(state: State, given: Input) -> Step[State]:
    """Take the card of the player to play, or that none is laid."""
    now = state.round
    if given == ACTION:
        return take(state) if now.debt else draw_or_pass(state)
    tap = tap_of(given, now.turn, spots(now.turn), state.table.deck, state.phase.value)
    return play(state, now.turn, in_the_game(state, tap.piece))


def in_the_game(state: State, piece: Piece) -> Piece:
    """Return *piece* when it can have come from a hand (RULES 1.2, 9.1)."""
    if piece not in state.table.pieces:
        raise LeftOut(piece=piece)
    if piece in state.round.discards:
        raise AlreadyPlayed(piece=piece, place="discards")
    return piece


def take(state: State) -> Step[State]:
    """The player to play takes what is owed, and misses the turn (RULES 6.6)."""
    draw = state.draw(state.round.turn, state.round.debt)
    now = replace(draw.round, debt=0)
    return next_turn(state, now, draw.told(), Note.of(draw), is_idle=not draw.n)


def draw_or_pass(state: State) -> Step[State]:
    """The player to play draws a card; then, or when there is none, passes (RULES 3.2, 3.4)."""
    now = state.round
    if now.has_drawn or not state.can_draw:
        passes = (told("passes", seat=now.turn),)
        return next_turn(state, now, passes, is_idle=not now.has_drawn)
    draw = state.draw(now.turn, 1)
    after = replace(draw.round, has_drawn=True)
    return Step(state.at(after, note=Note.of(draw)), draw.told())


def next_turn(
    state: State,
    now: Round,
    events: tuple[Message, ...],
    note: Note | None = None,
    *,
    is_idle: bool = False,
    is_foul: bool = False,
) -> Step[State]:
    """Go on to the next player; the round is over when nobody does anything (RULES 3.5, 3.8)."""
    idle = now.idle + 1 if is_idle else 0
    turn = state.table.seats_after(now.turn, now.direction)[0]
    now = replace(now, turn=turn, has_drawn=False, idle=idle)
    if idle == state.table.seats:
        ended = end_round(state, now, (*events, told("blocked", Topic.RESULT)))
        return replace(ended, is_foul=is_foul)
    return Step(state.at(now, note=note), (*events, whose_turn(now)), is_foul)


def same_turn(
    state: State, now: Round, events: tuple[Message, ...], note: Note | None = None
) -> Step[State]:
    """The same player plays once more (RULES 6.3)."""
    if not state.house.again_must_beat:
        now = replace(now, top=None)
    return Step(state.at(now, note=note), (*events, whose_turn(now)))


def whose_turn(now: Round) -> Message:
    """Tell who is to play, and what is owed."""
    if now.debt:
        return told("owes", Topic.QUESTION, seat=now.turn, n=now.debt)
    return told("turn", Topic.TURN, seat=now.turn)


# --- a card --------------------------------------------------------------------------------------


def play(state: State, seat: Seat, piece: Piece) -> Step[State]:
    """*seat* lays *piece*: a foul, a card whose special must be named, or one that counts."""
    wrong = fault(state, seat, piece)
    if wrong is not None:
        return foul(state, seat, wrong)
    special = state.special_of(piece) if does_special_count(state, seat) else PLAIN
    if special is None:
        waiting = state.at(state.round, Phase.SPECIAL, waiting=piece, by=seat)
        return Step(waiting, (told("name-special", Topic.QUESTION, seat=seat),))
    return put_down(state, seat, piece, special)


def does_special_count(state: State, seat: Seat) -> bool:
    """Whether a special that *seat* lays now comes to work (RULES 2.4, 6.5)."""
    now, house = state.round, state.house
    if now.last is None:
        return house.first_card_special
    return seat == now.turn or house.race_winner_special


def foul(state: State, seat: Seat, wrong: Message) -> Step[State]:
    """A wrong card goes back to the hand of *seat*, at the price of RULES 8.1, 8.3 and 8.4."""
    in_race = seat != state.round.turn
    price = PENALTY + state.round.debt
    if in_race and not state.house.race_penalty:
        price = 0
    draw = state.draw(seat, price)
    back = (
        draw.told("penalty", Topic.QUESTION)
        if draw.n
        else (told("takes-back", Topic.QUESTION, seat=seat),)
    )
    note = Note("penalty" if draw.n else "takes-back", seat, draw.n)
    if in_race:
        return Step(state.at(draw.round, Phase.RACE, note=note), (wrong, *back), is_foul=True)
    now = replace(draw.round, debt=0)
    return next_turn(state, now, (wrong, *back), note, is_idle=not draw.n, is_foul=True)


def put_down(state: State, seat: Seat, piece: Piece, special: str) -> Step[State]:
    """*piece*, which is right, goes on the discards; then what it bears comes to work."""
    card, before = state.card(piece), state.round
    effect = JOKER if card.is_joker else special
    now = replace(
        before.moved(seat, -1),
        turn=seat,
        discards=before.discards | {piece},
        last=piece,
        top=card.face,
        debt=before.debt + PLUS if effect == PLUS3 else 0,
        has_drawn=False,
        idle=0,
    )
    after = state.at(now)
    laid = () if card.is_joker else (told("card", Topic.TOTAL, card=name_of(state, card.face)),)
    if not now.hands[seat] and is_out_at_once(state.house, effect):
        return out(after, now, seat, laid)
    return EFFECTS[effect](after, laid)


def is_out_at_once(house: HouseRules, effect: str) -> bool:
    """Whether a last card with this *effect* ends the round before it works (RULES 7.1)."""
    return effect != AGAIN and (effect != SWAP or house.swap_goes_out)


def no_effect(state: State, events: tuple[Message, ...]) -> Step[State]:
    """A plain card, or a +3, of which the next player is told: the turn goes on."""
    return next_turn(state, state.round, events)


def ask_symbol(state: State, events: tuple[Message, ...]) -> Step[State]:
    """A joker: its player names the symbol (RULES 5.1)."""
    return asking(state, Phase.SYMBOL, events, "name-symbol")


def ask_again(state: State, events: tuple[Message, ...]) -> Step[State]:
    """Once more, or the other way round (RULES 6.3)."""
    return asking(state, Phase.AGAIN, events, "again-or-reverse")


def begin_race(state: State, events: tuple[Message, ...]) -> Step[State]:
    """Everybody else races (RULES 6.4)."""
    return asking(state, Phase.RACE, events, "race")


def ask_receiver(state: State, events: tuple[Message, ...]) -> Step[State]:
    """A card is given away; between two it is clear to whom (RULES 6.7)."""
    first, *more = state.table.others(state.round.turn)
    return asking(state, Phase.GIVE, events, "to-whom") if more else give(state, first, events)


def ask_partner(state: State, events: tuple[Message, ...]) -> Step[State]:
    """Hands are swapped; between two it is clear with whom (RULES 6.8)."""
    first, *more = state.table.others(state.round.turn)
    return asking(state, Phase.SWAP, events, "with-whom") if more else swap(state, first, events)


def asking(state: State, phase: Phase, events: tuple[Message, ...], code: str) -> Step[State]:
    """Wait for what *phase* asks of the player whose turn it is; *code* tells of it."""
    return Step(
        state.at(state.round, phase), (*events, told(code, Topic.QUESTION, seat=state.round.turn))
    )


EFFECTS: dict[str, Callable[[State, tuple[Message, ...]], Step[State]]] = {
    PLAIN: no_effect,
    PLUS3: no_effect,
    JOKER: ask_symbol,
    AGAIN: ask_again,
    SPEED: begin_race,
    GIVE: ask_receiver,
    SWAP: ask_partner,
}


# --- what specials ask ---------------------------------------------------------------------------


def chosen(state: State, given: Input, names: tuple[str, ...]) -> str:
    """Return the one of *names* that was chosen."""
    if not isinstance(given, Choice) or given.name not in names:
        raise NotExpectedNow(waits=state.phase.value)
    return given.name


def somebody(state: State, given: Input) -> Seat:
    """Return the seat that was chosen, which is on this table."""
    if not isinstance(given, SeatChoice) or given.seat not in range(state.table.seats):
        raise NotExpectedNow(waits=state.phase.value)
    return given.seat


def step_symbol(state: State, given: Input) -> Step[State]:
    """The symbol of the joker is named; its colour is the joker's own (RULES 5.1)."""
    symbol = chosen(state, given, SYMBOLS)
    assert state.round.top is not None, "the joker lies on top"
    top = Face(symbol, state.round.top.colour)
    card = (told("card", Topic.TOTAL, card=name_of(state, top)),)
    return next_turn(state, replace(state.round, top=top), card)


def step_again(state: State, given: Input) -> Step[State]:
    """Once more, or the other way round (RULES 6.3)."""
    is_reverse = chosen(state, given, (AGAIN, REVERSE)) == REVERSE
    return reverse(state) if is_reverse else again(state)


def again(state: State) -> Step[State]:
    """The same player once more; without a card only after drawing one."""
    now = state.round
    if now.hands[now.turn]:
        return same_turn(state, now, ())
    draw = state.draw(now.turn, 1)
    if not draw.n:
        return out(state, now, now.turn, draw.told())
    return same_turn(state, draw.round, draw.told(), Note.of(draw))


def reverse(state: State) -> Step[State]:
    """The other way round; without a card the player has won."""
    now = replace(state.round, direction=state.round.direction.turned)
    events: tuple[Message, ...] = (told("turned", Topic.DIRECTION, direction=now.direction.value),)
    note = None
    if not now.hands[now.turn]:
        draw = state.draw(now.turn, 0 if state.house.reverse_goes_out else 1, now)
        if not draw.n:
            return out(state, now, now.turn, events)
        now, events, note = draw.round, (*events, *draw.told()), Note.of(draw)
    if state.table.seats == 2 and state.house.reverse_of_two:
        return same_turn(state, now, events, note)
    return next_turn(state, now, events, note)


def step_race(state: State, given: Input) -> Step[State]:
    """Take a card of the race, or that nobody has one (RULES 6.4, 6.5)."""
    if given == ACTION:
        return next_turn(state, state.round, (told("nobody"),))
    seat = given.seat if isinstance(given, Tap) else None
    if seat is not None and seat not in state.racers:
        raise NotInTheRace(seat=state.round.turn)
    alone = state.racers[0] if len(state.racers) == 1 else None
    anybody = state.racers[0] if seat is None else seat
    tap = tap_of(given, anybody, spots(*state.racers), state.table.deck, state.phase.value)
    piece = in_the_game(state, tap.piece)
    racer = alone if seat is None else seat
    if racer is None:
        return Step(
            state.at(state.round, Phase.RACER, waiting=piece), (told("whose-card", Topic.QUESTION),)
        )
    return play(state, racer, piece)


def step_racer(state: State, given: Input) -> Step[State]:
    """Whose the card is that was laid in the race."""
    assert state.waiting is not None, "this phase begins with a card"
    seat = somebody(state, given)
    if seat not in state.racers:
        raise NotInTheRace(seat=state.round.turn)
    return play(state, seat, state.waiting)


def step_special(state: State, given: Input) -> Step[State]:
    """What the card bears is named, and known from now on (RULES 6.2)."""
    assert state.waiting is not None, "this phase begins with a card"
    assert state.by is not None, "and whose it is was known"
    special = NAMED[chosen(state, given, tuple(NAMED))]
    named = replace(state, named=state.named | {(state.waiting, special)})
    return play(named, state.by, state.waiting)


def another(state: State, given: Input) -> Seat:
    """Return the seat that was chosen, which is not that of the player whose turn it is."""
    seat = somebody(state, given)
    if seat == state.round.turn:
        raise NotToYourself(seat=seat)
    return seat


def step_give(state: State, given: Input) -> Step[State]:
    """To whom a card is given (RULES 6.7)."""
    return give(state, another(state, given), ())


def give(state: State, seat: Seat, events: tuple[Message, ...]) -> Step[State]:
    """A card goes to *seat*, who should say thanks; whoever gave the last one has won."""
    giver = state.round.turn
    now, handed = state.round.moved(giver, -1).moved(seat, 1), (Handed(giver, seat, 1),)
    events = (*events, told("gives", seat=seat, giver_seat=giver))
    if not now.hands[giver]:
        draw = state.draw(giver, 0 if state.house.give_goes_out else 1, now)
        if not draw.n:
            return replace(out(state, now, giver, events), handed=handed)
        now, events = draw.round, (*events, *draw.told())
    after = state.at(now, Phase.THANKS, receiver=seat)
    return Step(after, (*events, told("say-thanks", Topic.QUESTION, seat=seat)), handed=handed)


def step_thanks(state: State, given: Input) -> Step[State]:
    """Whether the receiver said thanks; forgetting it costs cards (RULES 8.5)."""
    assert state.receiver is not None, "this phase begins with a card that was given"
    if chosen(state, given, (THANKED, FORGOT)) == THANKED:
        return next_turn(state, state.round, ())
    draw = state.draw(state.receiver, PENALTY)
    forgot = told("thanks-forgotten", seat=state.receiver)
    return next_turn(state, draw.round, (forgot, *draw.told()), Note.of(draw))


def step_swap(state: State, given: Input) -> Step[State]:
    """With whom hands are swapped (RULES 6.8)."""
    return swap(state, another(state, given), ())


def swap(state: State, seat: Seat, events: tuple[Message, ...]) -> Step[State]:
    """Hands change places; whoever gets an empty one has won."""
    now, turn = state.round, state.round.turn
    more = now.hands[seat] - now.hands[turn]
    after = now.moved(turn, more).moved(seat, -more)
    events = (*events, told("swaps", seat=turn, other_seat=seat))
    ways = (Handed(turn, seat, now.hands[turn]), Handed(seat, turn, now.hands[seat]))
    handed = tuple(way for way in ways if way.count)
    if not after.hands[seat]:
        return replace(out(state, after, seat, events), handed=handed)
    note = Note("swaps", turn, other=seat)
    return replace(next_turn(state, after, events, note), handed=handed)


# --- the end of a round --------------------------------------------------------------------------


def out(state: State, now: Round, seat: Seat, events: tuple[Message, ...]) -> Step[State]:
    """*seat* holds no card any more: that is the end of the round (RULES 7.1)."""
    return end_round(state, now, (*events, told("out", Topic.RESULT, seat=seat)))


def end_round(state: State, now: Round, events: tuple[Message, ...]) -> Step[State]:
    """The game is over, or the hands are counted; nothing is owed any more (RULES 7.1 to 7.3)."""
    now = replace(now, debt=0)
    if not state.house.scoring:
        return finish(state.at(now, Phase.OVER), events)
    after = state.at(now, Phase.SCORING)
    order = state.table.seats_after(first_out(after))
    waiting = tuple(seat for seat in order if now.hands[seat])
    counting = Counting(waiting, (frozenset[Piece](),) * state.table.seats)
    return next_hand(replace(after, counting=counting), events)


def first_out(state: State) -> Seat:
    """Who won the round: with no card left, or else with the fewest (RULES 7.1, 7.9)."""
    fewest = min(state.round.hands)
    order = (state.starter, *state.table.others(state.starter))
    return next(seat for seat in order if state.round.hands[seat] == fewest)


def scores(state: State) -> tuple[int, ...]:
    """What everybody has: points, or cards in hand when these are not counted (RULES 7.2, 7.3)."""
    return state.totals if state.house.scoring else state.round.hands


def best(state: State) -> tuple[Seat, ...]:
    """Who has the least of these."""
    lowest = min(scores(state))
    return tuple(Seat(n) for n, score in enumerate(scores(state)) if score == lowest)


def finish(state: State, events: tuple[Message, ...]) -> Step[State]:
    """Tell who has won the game."""
    code = "winner" if len(best(state)) == 1 else "shared-win"
    return Step(state, (*events, *(told(code, Topic.RESULT, seat=seat) for seat in best(state))))


def hand_left(state: State) -> int:
    """How many cards of the hand being counted are still to be laid."""
    return state.counting.left(state.round.hands)


def next_hand(state: State, events: tuple[Message, ...]) -> Step[State]:
    """Ask for the next hand; after the last, add the round up."""
    if not state.counting.waiting:
        return add_up(state, events)
    hand = told("count-hand", Topic.QUESTION, seat=state.counting.seat, n=hand_left(state))
    return Step(state, (*events, hand))


def step_scoring(state: State, given: Input) -> Step[State]:
    """Take the next card of the hand being counted, or that there is none (RULES 7.5, 7.6)."""
    counting = state.counting
    seat = counting.seat
    if given == ACTION:
        return close_hand(state, (told("hand-short", seat=seat, n=hand_left(state)),))
    tap = tap_of(given, seat, counting.spots, state.table.deck, state.phase.value)
    state = replace(state, counting=counting.with_card(in_the_game(state, tap.piece)))
    if hand_left(state):
        points = state.counting.points(seat, state.table.deck)
        return Step(state, (told("points", Topic.TOTAL, points=points),))
    return close_hand(state, ())


def close_hand(state: State, events: tuple[Message, ...]) -> Step[State]:
    """The hand being counted is complete."""
    seat = state.counting.seat
    scored = told(
        "hand-scored", Topic.RESULT, seat=seat, n=state.counting.points(seat, state.table.deck)
    )
    return next_hand(replace(state, counting=state.counting.closed()), (*events, scored))


def add_up(state: State, events: tuple[Message, ...]) -> Step[State]:
    """Add the round's points to the totals; then the next deal or the end (RULES 7.7)."""
    points = (state.counting.points(Seat(n), state.table.deck) for n in range(state.table.seats))
    totals = tuple(total + more for total, more in zip(state.totals, points, strict=True))
    state = replace(state, phase=Phase.ROUND_OVER, totals=totals)
    events = (*events, told("round-over", Topic.RESULT, round=state.number))
    events += tuple(told("total", Topic.RESULT, seat=n, n=total) for n, total in enumerate(totals))
    is_last = state.number >= state.house.rounds
    if is_last and len(best(state)) == 1:
        return finish(replace(state, phase=Phase.OVER), events)
    tied = (told("tied", Topic.RESULT),) if is_last else ()
    return Step(state, (*events, *tied, told("begins", Topic.TURN, seat=first_out(state))))


def step_round_over(state: State, given: Input) -> Step[State]:
    """Begin the next round when the cards are dealt; the winner begins it (RULES 7.8)."""
    if given != OK:
        raise NotExpectedNow(waits=state.phase.value)
    starter = first_out(state)
    again = state.house.clockwise_each_round
    direction = Direction.CLOCKWISE if again else state.round.direction
    deal = dealt(state.table, starter, direction)
    begun = State(state.table, state.number + 1, starter, state.totals, deal, named=state.named)
    return Step(
        begun, (told("round-begins", round=begun.number), told("turn", Topic.TURN, seat=starter))
    )


def step_over(state: State, given: Input) -> Step[State]:
    """Take nothing more."""
    raise NotExpectedNow(waits=state.phase.value)


# --- the two tables of the phases ----------------------------------------------------------------

ASKS: dict[Phase, Callable[[State], tuple[Ask, ...]]] = {
    Phase.PLAY: asks_play,
    Phase.SYMBOL: asks_symbol,
    Phase.AGAIN: asks_again,
    Phase.RACE: asks_race,
    Phase.RACER: asks_racer,
    Phase.SPECIAL: asks_special,
    Phase.GIVE: asks_somebody,
    Phase.THANKS: asks_thanks,
    Phase.SWAP: asks_somebody,
    Phase.SCORING: asks_scoring,
    Phase.ROUND_OVER: asks_round_over,
    Phase.OVER: asks_over,
}

STEPS: dict[Phase, Callable[[State, Input], Step[State]]] = {
    Phase.PLAY: step_play,
    Phase.SYMBOL: step_symbol,
    Phase.AGAIN: step_again,
    Phase.RACE: step_race,
    Phase.RACER: step_racer,
    Phase.SPECIAL: step_special,
    Phase.GIVE: step_give,
    Phase.THANKS: step_thanks,
    Phase.SWAP: step_swap,
    Phase.SCORING: step_scoring,
    Phase.ROUND_OVER: step_round_over,
    Phase.OVER: step_over,
}


# --- taking back ---------------------------------------------------------------------------------

MOVED_BACK = {  # what an event moved by hand, and what moves it back
    "draws": "return-drawn",
    "penalty": "return-drawn",
    "reshuffled": "lay-open",
    "gives": "give-back",
    "swaps": "swap-back",
}


def put_back(before: State, given: Input) -> tuple[Message, ...]:
    """What people move back by hand when *given*, accepted in *before*, is undone (RULES 1.5)."""
    step = STEPS[before.phase](before, given)
    back = (event for event in reversed(step.events) if event.code in MOVED_BACK)
    moved = [told(MOVED_BACK[event.code], **event.facts) for event in back]
    if before.phase is Phase.SCORING and isinstance(given, Tap):
        moved.append(told("take-up", piece=given.piece, seat=before.counting.seat))
    elif isinstance(given, Tap) and not step.is_foul:
        moved.append(told("take-back", piece=given.piece))
    elif before.waiting is not None and step.is_foul:
        moved.append(told("lay-again", piece=before.waiting))
    elif isinstance(given, Choice | SeatChoice):
        moved.append(told("choose-again"))
    return tuple(moved)
