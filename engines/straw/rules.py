"""The rules of Straw: pack the camel, do not break its back.

One game's rules as values and functions; no chips, no clock, no files.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/straw/RULES.md, quoted below as "RULES 3.2" and so on.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from functools import cache, lru_cache

from engines.common.contract import (
    PLAY_SPOT,
    SEAT_SPOTS,
    Ask,
    Button,
    Direction,
    Input,
    Message,
    Number,
    NumberAsk,
    Press,
    PressAsk,
    Seat,
    Setup,
    Step,
    Tap,
    TapAsk,
    Topic,
    message,
)
from engines.common.copies import replace
from engines.common.errors import AlreadyPlayed, CannotStart, NotExpectedNow, RulesError
from engines.common.hands import Counting
from engines.common.pieces import Piece
from engines.common.setup import GameConfig, check_seats, house_rules
from engines.common.solo import goal_of, opening_of, result_of
from engines.common.turns import tap_of
from engines.straw.cards import (
    COPY,
    LAMP,
    LAMP_HIGH,
    LAMP_LOW,
    LAMP_START,
    REVERSE,
    STRAW,
    check_kinds,
    is_carpet,
)
from engines.straw.errors import CopyOnCopy, CopyOnEmptyCamel, LampOutOfRange, StrawNotAt50
from engines.straw.house import OPTIONS, HouseRules

SEATS = range(2, 7)  # RULES 2.1
DEAL = 4  # cards dealt to each player. RULES 2.2
CAMEL_LIMIT = 50  # greatest weight that does not break the camel's back. RULES 4.1
HUNDRED = 100  # total that ends a game played to a hundred. RULES 8.1

OK, ACTION = Press(Button.OK), Press(Button.ACTION)
CANNOT_PLAY = PressAsk(Button.ACTION, "cannot-play", is_claim=True)
LAMP_WEIGHT = NumberAsk(LAMP_LOW, LAMP_HIGH, LAMP_START)


# --- the state -----------------------------------------------------------------------------------


class Phase(StrEnum):
    """The phases of a game. Each value is used as ``View.phase``."""

    PLAY = "play"
    LAMP = "lamp"
    SCORING = "scoring"
    ROUND_OVER = "round-over"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class StrawConfig(GameConfig):
    """The settings of a game, which stay the same until its end."""

    pieces: frozenset[Piece] = field(hash=False, repr=False)
    kinds: frozenset[str] = field(hash=False, repr=False)  # the kinds of the pieces
    house: HouseRules


@dataclass(frozen=True, slots=True)
class Round:
    """One round as the mat knows it: the cards played, and the number of cards in each hand."""

    turn: Seat
    direction: Direction
    hands: tuple[int, ...]  # cards held, by seat
    pile: int  # cards left to draw
    camel: frozenset[Piece] = frozenset()  # cards on the camel
    weight: int = 0  # total weight on the camel; may be negative. RULES 3.4
    top: str | None = None  # kind of the card played last
    effective: str | None = None  # kind of the last card that was not a Copy. RULES 5.7
    passed: tuple[Seat, ...] = ()  # seats that passed since the last card was played
    worth: tuple[tuple[Piece, int], ...] = ()  # the weights of the Lamps and Copies on the camel


class RoundEnd(Enum):
    """The ways a round can end. The value is the code of its announcement."""

    BROKEN = "broken"
    STRAW = "straw-broke"
    COPY = "broken-by-copy"  # a house rule: if a Copy breaks the back, everybody scores. RULES 4.3
    STUCK = "stuck"  # the current player could play no card
    UNBROKEN = "unbroken"  # nobody can play, and the camel's back is not broken. RULES 4.4


@dataclass(frozen=True, slots=True)
class Scoring(Counting):
    """The count of the hands at the end of a round, and how the round ended."""

    end: RoundEnd = RoundEnd.UNBROKEN
    by: Seat | None = None  # the seat that broke the camel's back or could not play


@dataclass(frozen=True, slots=True)
class State:
    """The state of a game of Straw: everything that the mat knows."""

    config: StrawConfig
    number: int  # number of the round, from 1
    dealer: Seat
    totals: tuple[int, ...]  # points of the rounds that are scored, by seat
    round: Round
    hidden: frozenset[str]  # kinds of which a card may still be in a hand or in the draw pile
    phase: Phase = Phase.PLAY
    lamp: Piece | None = None  # a card whose weight must be chosen: a Lamp, or a Copy of one
    scoring: Scoring = Scoring()

    @property
    def next_dealer(self) -> Seat:
        """The seat that deals the next round (RULES 2.1)."""
        return self.config.seats_after(self.dealer)[0]

    def points(self, seat: Seat) -> int:
        """Return the value of *seat*'s cards counted in this round (RULES 7.2)."""
        return self.scoring.points(seat, self.config.deck)


def leaders(state: State) -> tuple[Seat, ...]:
    """Return the seats with the highest total."""
    return state.config.best(state.totals)


# --- beginning -----------------------------------------------------------------------------------


def start(setup: Setup) -> State:
    """Return the state after the first deal.

    Raises:
        CannotStart: the deck has too few cards to deal to everybody (RULES 1.6, 2.2).
        ValueError: Straw does not know this number of seats, dealer, option or card.
    """
    check_seats(setup, SEATS)
    check_kinds(setup.deck)
    if setup.deck.total < DEAL * setup.seats:
        raise CannotStart(cards=setup.deck.total, needed=DEAL * setup.seats)
    pieces = frozenset(setup.deck.pieces())
    house = house_rules(HouseRules, OPTIONS, setup.options)
    kinds = frozenset(piece.kind for piece in pieces)
    goal = goal_of(house.solo, setup.seats)  # RULES 8.4
    config = StrawConfig(setup.deck, setup.seats, pieces, kinds, house, goal=goal)
    deal = new_round(config, setup.dealer, Direction.CLOCKWISE)
    totals = (0,) * config.people + (goal,) * bool(goal)
    return State(config, 1, setup.dealer, totals, deal, config.kinds)


def new_round(config: StrawConfig, dealer: Seat, direction: Direction) -> Round:
    """Return a new round in which the player on the dealer's left begins (RULES 2.2, 2.3)."""
    hands = (DEAL,) * config.people + (0,) * bool(config.goal)
    pile = config.deck.total - sum(hands)
    return Round(config.seats_after(dealer)[0], direction, hands, pile)


def opening(state: State) -> tuple[Message, ...]:
    """Return the messages to announce when the game begins."""
    return (
        *opening_of(state.config.goal),
        message("round-begins", round=state.number),
        message("deals", seat=state.dealer),
        message("turn", Topic.TURN, seat=state.round.turn),
    )


# --- asks ----------------------------------------------------------------------------------------


def barred_kinds(state: State) -> tuple[str, ...]:
    """Return the kinds that may not be played now."""
    now = state.round
    needs_other = now.top == COPY and not state.config.house.copy_takes_effective_card
    copy = (COPY,) if needs_other or not now.camel else ()
    return copy if now.weight == CAMEL_LIMIT else (*copy, STRAW)


def refusal(state: State, kind: str) -> RulesError | None:
    """Return the error for playing a card of *kind* now, or None if it may be played."""
    if kind not in barred_kinds(state):
        return None
    if kind == STRAW:
        return StrawNotAt50(weight=state.round.weight)
    return CopyOnCopy() if state.round.camel else CopyOnEmptyCamel()


def unseen(state: State, kind: str | None = None) -> frozenset[Piece]:
    """Return the cards, or those of *kind*, that do not lie open, so they may be in a hand."""
    config = state.config
    cards = config.pieces if kind is None else config.deck.copies.get(kind, frozenset())
    return cards.difference(state.round.camel, *state.scoring.shown)


def hidden_without(state: State, piece: Piece, *lying_open: frozenset[Piece]) -> frozenset[str]:
    """Return ``State.hidden`` after *piece* was laid. *lying_open* are all cards that lie open."""
    others = state.config.deck.copies[piece.kind].difference(*lying_open)
    return state.hidden if others else state.hidden - {piece.kind}


def may_be_stuck(state: State) -> bool:
    """Return True if it is possible that the current player can play no card (RULES 4.5, 4.6).

    In that case no card of the hand can be played, nor any card of the players who have passed
    since the last card was laid. That is possible only if there are enough unplayable cards for all
    these hands.
    """
    now = state.round
    refused = sum([len(unseen(state, kind)) for kind in barred_kinds(state)])
    return refused - sum([now.hands[seat] for seat in now.passed]) >= now.hands[now.turn]


def spots(state: State, seat: Seat) -> tuple[str, ...]:
    """Return the spots where *seat* may lay a card now."""
    return state.scoring.spots if state.phase is Phase.SCORING else (PLAY_SPOT, SEAT_SPOTS[seat])


@lru_cache(maxsize=1024)
def tap_ask(
    kinds: frozenset[str], without: tuple[str, ...], seat: Seat, at: tuple[str, ...]
) -> TapAsk:
    """Return a request for a card of *kinds*, but not of those in *without*, from *seat*.

    *at* are the spots where the card may be laid.
    """
    return TapAsk(kinds.difference(without), (seat,), at)


def asks_play(state: State) -> tuple[Ask, ...]:
    """Return requests for a card or, from a player who may be stuck, for the action button."""
    turn = state.round.turn
    card = tap_ask(state.hidden, barred_kinds(state), turn, spots(state, turn))
    return (card, CANNOT_PLAY) if may_be_stuck(state) else (card,)


def asks_lamp(state: State) -> tuple[Ask, ...]:
    """Return a request for the weight of the Lamp."""
    return (LAMP_WEIGHT,)


def asks_scoring(state: State) -> tuple[Ask, ...]:
    """Return requests for the next card of the hand being counted, or for the action button.

    The button says that the hand has no more cards.
    """
    card = tap_ask(state.hidden, (), counting(state), state.scoring.spots)
    return (card, hand_done(hand_left(state)))


@cache
def hand_done(unlaid: int) -> PressAsk:
    """Return an offer to press the action button if the hand has no more cards to count."""
    return PressAsk(Button.ACTION, "hand-done", unlaid=unlaid)


def asks_round_over(state: State) -> tuple[Ask, ...]:
    """Return a request to press OK after the players have dealt the cards for the next round."""
    return (PressAsk(Button.OK, "next-round"),)


def asks_over(state: State) -> tuple[Ask, ...]:
    """Return no requests, because a game that is over accepts no input."""
    return ()


# --- playing -------------------------------------------------------------------------------------


def step_play(state: State, given: Input) -> Step[State]:
    """Handle the current player's card, or the action button of a player who cannot play."""
    if given == ACTION and may_be_stuck(state):
        return give_up(state)
    return play(state, tap_for(state, given, state.round.turn))


def tap_for(state: State, given: Input, seat: Seat) -> Tap:
    """Return *given* if it is a tap by *seat* that is allowed now.

    Raises:
        AlreadyPlayed: the card is on the camel.
        RulesError: ``tap_of`` refuses *given*.
    """
    tap = tap_of(given, seat, spots(state, seat), state.config.deck, state.phase)
    if tap.piece in state.round.camel:
        raise AlreadyPlayed(piece=tap.piece, place="camel")
    return tap


def play(state: State, tap: Tap) -> Step[State]:
    """Put the tapped card on the camel. For a Lamp or a Copy of one, ask for its weight first.

    Raises:
        RulesError: the card may not be played now.
    """
    piece = tap.piece
    if refused := refusal(state, piece.kind):
        raise refused
    if effect_of(state, piece.kind) == LAMP:
        waiting = replace(state, phase=Phase.LAMP, lamp=piece)
        return Step(
            waiting, (message("choose-weight", Topic.QUESTION, low=LAMP_LOW, high=LAMP_HIGH),)
        )
    return put_on(state, piece, weight_of(state, piece.kind))


def effect_of(state: State, kind: str) -> str:
    """Return the kind whose effect *kind* has: for a Copy, the last card that was not a Copy."""
    copied = state.round.effective
    return copied if kind == COPY and copied else kind


def weight_of(state: State, kind: str) -> int:
    """Return the weight that a card of *kind* adds; for a Lamp, the smallest weight to choose."""
    effect, house = effect_of(state, kind), state.config.house
    if effect == LAMP:
        return LAMP_LOW
    if kind == COPY and is_carpet(effect) and not house.copied_carpet_subtracts:
        return 0  # RULES 5.9
    return state.config.deck.by_name[effect].value


def loses(state: State, kind: str) -> bool:
    """Return True if a player who plays *kind* now breaks the camel's back and loses the round."""
    is_played = refusal(state, kind) is None
    return is_played and loses_with(state, kind, weight_of(state, kind))


def loses_with(state: State, kind: str, weighs: int) -> bool:
    """Return True if a player loses the round when a card of *kind* adds *weighs* to the load."""
    is_free = kind == STRAW or (kind == COPY and not state.config.house.copier_breaks)
    return not is_free and state.round.weight + weighs > CAMEL_LIMIT


def step_lamp(state: State, given: Input) -> Step[State]:
    """Put the Lamp on the camel with the weight that was chosen (RULES 5.4)."""
    assert state.lamp is not None, "this phase begins with a Lamp"
    if not isinstance(given, Number):
        raise NotExpectedNow(waits=state.phase.value)
    if type(given.value) is not int or not LAMP_LOW <= given.value <= LAMP_HIGH:
        raise LampOutOfRange(low=LAMP_LOW, high=LAMP_HIGH)
    return put_on(state, state.lamp, given.value)


def put_on(state: State, piece: Piece, weighs: int) -> Step[State]:
    """Put *piece* on the camel, with its effects on the turn, the direction and the round's end.

    *weighs* is the weight that it adds to the load; negative for a Flying Carpet.
    """
    config, now = state.config, state.round
    weight = now.weight + weighs
    if weight < 0 and config.house.floor_at_zero:
        weight = 0
    effect = effect_of(state, piece.kind)
    reverses = effect == REVERSE and (piece.kind != COPY or config.house.copied_reverse_turns)
    direction = now.direction.turned if reverses else now.direction
    breaks = weight > CAMEL_LIMIT or piece.kind == STRAW  # RULES 4.1, 6.2
    draws = now.pile > 0 and not breaks  # RULES 3.3, 4.2
    hands = now.hands if draws else one_less(now.hands, now.turn)
    turn = None if breaks else next_to_play(config, now.turn, direction, hands)
    worth = ((piece, weighs),) if piece.kind in (LAMP, COPY) else ()
    laid = Round(
        turn=now.turn if turn is None else turn,
        direction=direction,
        hands=hands,
        pile=now.pile - draws,
        camel=now.camel | {piece},
        weight=weight,
        top=piece.kind,
        effective=effect,
        worth=now.worth + worth,
    )
    after = with_round(state, laid, hidden_without(state, piece, laid.camel))
    events = [message("weight", Topic.TOTAL, weight=weight)]
    if breaks:
        return end_broken(after, now.turn, piece, events)
    if reverses:
        events.append(message("turned", Topic.DIRECTION, direction=direction.value))
    if draws and not laid.pile:
        events.append(message("pile-empty"))
    if turn is None:
        return end_unbroken(after, events)
    return Step(after, (*events, message("turn", Topic.TURN, seat=turn)))


def one_less(hands: tuple[int, ...], seat: Seat) -> tuple[int, ...]:
    """Return *hands* with one card less for *seat*."""
    return (*hands[:seat], hands[seat] - 1, *hands[seat + 1 :])


def next_to_play(
    config: StrawConfig, turn: Seat, direction: Direction, hands: tuple[int, ...]
) -> Seat | None:
    """Return the next player, or None if the round ends here (RULES 3.5, 3.6, 4.4)."""
    for seat in config.seats_after(turn, direction):
        if hands[seat]:
            return seat
        if not config.house.skip_empty_hands:
            return None
    return None


def with_round(state: State, now: Round, hidden: frozenset[str]) -> State:
    """Return *state* in the phase of play, with *now* as its round and *hidden* kinds."""
    return State(state.config, state.number, state.dealer, state.totals, now, hidden)


def give_up(state: State) -> Step[State]:
    """Apply the house rule for a player who cannot play (RULES 4.5, 4.6)."""
    now, house = state.round, state.config.house
    if house.cannot_play == "passes" or (house.empty_camel_pass and not now.camel):
        return pass_turn(state)
    return end_round(state, others(state, now.turn), RoundEnd.STUCK, now.turn, [])


def pass_turn(state: State) -> Step[State]:
    """Go on to the next player; end the round if nobody can play (RULES 4.4)."""
    now = state.round
    passed = (*now.passed, now.turn)
    turn = next_to_play(state.config, now.turn, now.direction, now.hands)
    events = [message("passed", seat=now.turn)]
    if turn is None or turn in passed:
        return end_unbroken(replace(state, round=replace(now, passed=passed)), events)
    after = replace(state, round=replace(now, turn=turn, passed=passed))
    return Step(after, (*events, message("turn", Topic.TURN, seat=turn)))


# --- the end of a round --------------------------------------------------------------------------


def everyone(state: State) -> tuple[Seat, ...]:
    """Return all seats in the order in which hands are counted, the dealer last."""
    return state.config.seats_after(state.dealer)


def others(state: State, loser: Seat) -> tuple[Seat, ...]:
    """Return all seats except *loser* (RULES 7.1)."""
    return tuple(seat for seat in everyone(state) if seat != loser)


def end_broken(state: State, breaker: Seat, piece: Piece, events: list[Message]) -> Step[State]:
    """End the round: *breaker* broke the camel's back with *piece* (RULES 4.2, 4.3, 6.3)."""
    if piece.kind == STRAW:
        return end_round(state, (breaker,), RoundEnd.STRAW, breaker, events)
    if piece.kind == COPY and not state.config.house.copier_breaks:
        return end_round(state, everyone(state), RoundEnd.COPY, None, events)
    return end_round(state, others(state, breaker), RoundEnd.BROKEN, breaker, events)


def end_unbroken(state: State, events: list[Message]) -> Step[State]:
    """End the round: nobody can play, and the camel stands (RULES 4.4)."""
    scorers = everyone(state) if state.config.house.unbroken_scores else ()
    return end_round(state, scorers, RoundEnd.UNBROKEN, None, events)


def end_round(
    state: State,
    scorers: tuple[Seat, ...],
    end: RoundEnd,
    by: Seat | None,
    events: list[Message],
) -> Step[State]:
    """End the round, and begin to count the hands of *scorers*, except empty ones (RULES 7.3).

    *by* is the player who broke the camel's back or could not play; None if nobody did.
    """
    counted = () if state.config.goal else scorers
    waiting = tuple(seat for seat in counted if state.round.hands[seat])
    scoring = Scoring(waiting, (frozenset[Piece](),) * state.config.seats, end, by)
    state = replace(state, phase=Phase.SCORING, scoring=scoring)
    return next_hand(state, [*events, end_message(scoring, end.value)])


def end_message(scoring: Scoring, code: str) -> Message:
    """Return the message *code*. The player who ended the round, if any, is its fact ``seat``."""
    by = {} if scoring.by is None else {"seat": scoring.by}
    return message(code, Topic.RESULT, **by)


def counting(state: State) -> Seat:
    """Return the seat whose hand is being counted."""
    return state.scoring.seat


def hand_left(state: State) -> int:
    """Return the number of cards still to be counted in the hand that is being counted."""
    return state.scoring.left(state.round.hands)


def next_hand(state: State, events: list[Message]) -> Step[State]:
    """Ask for the next hand to be counted. After the last hand, add the points to the totals."""
    if not state.scoring.waiting:
        return add_up(state, events)
    hand = message("count-hand", Topic.QUESTION, seat=counting(state), n=hand_left(state))
    return Step(state, (*events, hand))


def step_scoring(state: State, given: Input) -> Step[State]:
    """Count the next card of a hand, or end the count of that hand at a press of the action button.

    RULES 7.3 and 7.4.
    """
    seat = counting(state)
    if given == ACTION:
        return close_hand(state, [message("hand-short", seat=seat, n=hand_left(state))])
    piece = tap_for(state, given, seat).piece
    shown = state.scoring.shown_with(piece)
    state = state_with(state, shown, hidden_without(state, piece, state.round.camel, *shown))
    if hand_left(state):
        return Step(state, (message("points", Topic.TOTAL, points=state.points(seat)),))
    return close_hand(state, [])


def state_with(state: State, shown: tuple[frozenset[Piece], ...], hidden: frozenset[str]) -> State:
    """Return *state* with the cards *shown* as those counted, and with *hidden* kinds."""
    before = state.scoring
    scoring = Scoring(before.waiting, shown, before.end, before.by)
    return State(
        state.config,
        state.number,
        state.dealer,
        state.totals,
        state.round,
        hidden,
        state.phase,
        None,
        scoring,
    )


def close_hand(state: State, events: list[Message]) -> Step[State]:
    """End the count of the current hand and go on to the next hand."""
    seat = counting(state)
    scored = message("hand-scored", Topic.RESULT, seat=seat, n=state.points(seat))
    return next_hand(replace(state, scoring=state.scoring.after_hand()), [*events, scored])


def add_up(state: State, events: list[Message]) -> Step[State]:
    """Add the round's points to the totals, then end the game or wait for the next deal.

    RULES 7.6, 8.1 and 8.3.
    """
    points = points_of_round(state)
    totals = tuple(total + scored for total, scored in zip(state.totals, points, strict=True))
    if not state.config.house.negative_totals:
        totals = tuple(max(total, 0) for total in totals)
    state = replace(state, phase=Phase.ROUND_OVER, totals=totals)
    if state.config.goal:
        events.append(message("packed", Topic.RESULT, n=load_size(state)))
    events = [*events, message("round-over", Topic.RESULT, round=state.number)]
    people = totals[: state.config.people]
    events += [message("total", Topic.RESULT, seat=n, n=total) for n, total in enumerate(people)]
    if not is_last_round(state):
        return Step(state, (*events, message("deals-next", seat=state.next_dealer)))
    if state.config.goal:
        results = (result_of(state.config.goal, Seat(n), total) for n, total in enumerate(people))
        return Step(replace(state, phase=Phase.OVER), (*events, *results))
    best = leaders(state)
    if len(best) > 1 and not state.config.house.shared_win:  # RULES 8.3
        again = (message("tied", Topic.RESULT), message("deals-next", seat=state.next_dealer))
        return Step(state, (*events, *again))
    code = "winner" if len(best) == 1 else "shared-win"
    wins = (message(code, Topic.RESULT, seat=seat, n=totals[seat]) for seat in best)
    return Step(replace(state, phase=Phase.OVER), (*events, *wins))


def points_of_round(state: State) -> tuple[int, ...]:
    """Return the points of each seat in the round that is over: the hands, or the cards packed."""
    if state.config.goal:  # RULES 8.4
        return (load_size(state),) * state.config.people + (0,)
    return tuple(state.points(Seat(n)) for n in range(state.config.seats))


def load_size(state: State) -> int:
    """Return the number of cards that the camel carries, without the one that broke its back."""
    now = state.round
    return len(now.camel) - (now.weight > CAMEL_LIMIT)


def is_last_round(state: State) -> bool:
    """Return True if the game ends with the round that was just scored (RULES 8.1)."""
    if state.config.house.ending == "hundred" and not state.config.goal:
        return max(state.totals) >= HUNDRED
    return state.number >= state.config.seats


def step_round_over(state: State, given: Input) -> Step[State]:
    """Begin the next round. The players have dealt the cards (RULES 2.1, 2.4)."""
    if given != OK:
        raise NotExpectedNow(waits=state.phase.value)
    again = state.config.house.clockwise_each_round
    direction = Direction.CLOCKWISE if again else state.round.direction
    dealer = state.next_dealer
    deal = new_round(state.config, dealer, direction)
    begun = State(state.config, state.number + 1, dealer, state.totals, deal, state.config.kinds)
    begins = (
        message("round-begins", round=begun.number),
        message("turn", Topic.TURN, seat=deal.turn),
    )
    return Step(begun, begins)


def step_over(state: State, given: Input) -> Step[State]:
    """Refuse every input: the game is over."""
    raise NotExpectedNow(waits=state.phase.value)


# --- asks and steps by phase ---------------------------------------------------------------------

ASKS: dict[Phase, Callable[[State], tuple[Ask, ...]]] = {
    Phase.PLAY: asks_play,
    Phase.LAMP: asks_lamp,
    Phase.SCORING: asks_scoring,
    Phase.ROUND_OVER: asks_round_over,
    Phase.OVER: asks_over,
}

STEPS: dict[Phase, Callable[[State, Input], Step[State]]] = {
    Phase.PLAY: step_play,
    Phase.LAMP: step_lamp,
    Phase.SCORING: step_scoring,
    Phase.ROUND_OVER: step_round_over,
    Phase.OVER: step_over,
}


def put_back(before: State, given: Input) -> tuple[Message, ...]:
    """Return messages that say what people must move back to undo *given* (RULES 1.5).

    *before* is the state in which *given* was accepted.
    """
    after = STEPS[before.phase](before, given).state
    seat = before.round.turn
    moved: list[Message] = []
    if before.phase is Phase.LAMP:
        moved.append(message("choose-again", seat=seat))
    elif isinstance(given, Tap) and before.phase is Phase.SCORING:
        moved.append(message("take-up", piece=given.piece, seat=counting(before)))
    elif isinstance(given, Tap):
        moved.append(message("take-back", piece=given.piece, seat=seat))
    if after.round.pile < before.round.pile:
        moved.append(message("return-drawn", seat=seat))
    return tuple(moved)
