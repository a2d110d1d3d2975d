"""The rules of Straw: pack the camel, do not break its back.

Room: engines/straw. One game's rules as values and functions; no chips, no clock, no files.
May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/straw/RULES.md, quoted below as "RULES 3.2" and so on.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum

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
    told,
)
from engines.common.errors import AlreadyPlayed, CannotStart, NotExpectedNow, RulesError
from engines.common.hands import Counting
from engines.common.pieces import Deck, Piece
from engines.common.setup import check_seats, house_rules
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
CAMEL_LIMIT = 50  # weight the camel still bears; anything above breaks its back. RULES 4.1
HUNDRED = 100  # total that ends a game played to a hundred. RULES 8.1

OK, ACTION = Press(Button.OK), Press(Button.ACTION)


# --- the state: what a mat can know --------------------------------------------------------------


class Phase(Enum):
    """What the table is doing; the value is the code a view shows."""

    PLAY = "play"
    LAMP = "lamp"
    SCORING = "scoring"
    ROUND_OVER = "round-over"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Table:
    """What stays the same from the first deal to the last score."""

    deck: Deck = field(hash=False, repr=False)
    pieces: frozenset[Piece] = field(hash=False, repr=False)
    seats: int
    house: HouseRules

    def seats_after(self, seat: Seat, direction: Direction = Direction.CLOCKWISE) -> list[Seat]:
        """All seats in turn order, *seat* itself last."""
        way = 1 if direction is Direction.CLOCKWISE else -1
        return [Seat((seat + way * n) % self.seats) for n in range(1, self.seats + 1)]


@dataclass(frozen=True, slots=True)
class Round:
    """One round as the mat knows it: cards played and counted, never cards held."""

    turn: Seat
    direction: Direction
    hands: tuple[int, ...]  # cards held, by seat
    pile: int  # cards left to draw
    camel: frozenset[Piece] = frozenset()
    weight: int = 0  # on the camel; may be below zero. RULES 3.4
    top: str | None = None  # kind of the card played last
    effective: str | None = None  # kind of the last card that was no Copy. RULES 5.7
    passed: tuple[Seat, ...] = ()  # who could not play since the last card was played


class End(Enum):
    """How a round ended; the value is the code of the message that tells it."""

    BROKEN = "broken"
    STRAW = "straw-broke"
    COPY = "broken-by-copy"  # with the house rule that this makes nobody the breaker. RULES 4.3
    STUCK = "stuck"
    UNBROKEN = "unbroken"


@dataclass(frozen=True, slots=True)
class Scoring(Counting):
    """The hands laid down at the end of a round, and how it ended."""

    end: End = End.UNBROKEN
    by: Seat | None = None  # who ended it, by breaking the camel's back or being stuck


@dataclass(frozen=True, slots=True)
class State:
    """A game of Straw."""

    table: Table
    number: int  # of the round, from 1
    dealer: Seat
    totals: tuple[int, ...]  # of the rounds that are scored, by seat
    round: Round
    phase: Phase = Phase.PLAY
    lamp: Piece | None = None  # laid, and waiting for its weight
    scoring: Scoring = Scoring()

    @property
    def next_dealer(self) -> Seat:
        """Who deals the next round (RULES 2.1)."""
        return self.table.seats_after(self.dealer)[0]

    def points(self, seat: Seat) -> int:
        """What the cards counted of a hand are worth this round (RULES 7.2)."""
        return self.scoring.points(seat, self.table.deck)


def leaders(state: State) -> tuple[Seat, ...]:
    """The seats with the highest total."""
    best = max(state.totals)
    return tuple(Seat(n) for n, total in enumerate(state.totals) if total == best)


# --- beginning -----------------------------------------------------------------------------------


def start(setup: Setup) -> State:
    """Return the state after the first deal.

    Raises:
        CannotStart: the deck has too few cards to deal to everybody (RULES 1.6, 2.2).
        ValueError: the seats, the dealer, an option or a card is none that Straw knows.
    """
    check_seats(setup, SEATS)
    check_kinds(setup.deck)
    if setup.deck.total < DEAL * setup.seats:
        raise CannotStart(cards=setup.deck.total, needed=DEAL * setup.seats)
    pieces = frozenset(setup.deck.pieces())
    house = house_rules(HouseRules, OPTIONS, setup.options)
    table = Table(setup.deck, pieces, setup.seats, house)
    deal = dealt(table, setup.dealer, Direction.CLOCKWISE)
    return State(table, 1, setup.dealer, (0,) * setup.seats, deal)


def dealt(table: Table, dealer: Seat, direction: Direction) -> Round:
    """Return a new round; the player left of the dealer begins (RULES 2.2, 2.3)."""
    hands = (DEAL,) * table.seats
    pile = table.deck.total - sum(hands)
    return Round(table.seats_after(dealer)[0], direction, hands, pile)


def opening(state: State) -> tuple[Message, ...]:
    """What to tell when the game begins."""
    return (
        told("round-begins", round=state.number),
        told("deals", seat=state.dealer),
        told("turn", Topic.TURN, seat=state.round.turn),
    )


# --- what the rules accept -----------------------------------------------------------------------


def refusal(state: State, kind: str) -> RulesError | None:
    """Why a card of *kind* may not go on the camel now; None when it may."""
    now = state.round
    if kind == STRAW and now.weight != CAMEL_LIMIT:
        return StrawNotAt50(weight=now.weight)
    if kind == COPY and not now.camel:
        return CopyOnEmptyCamel()
    if kind == COPY == now.top and not state.table.house.copy_takes_effective_card:
        return CopyOnCopy()
    return None


def unseen(state: State) -> frozenset[Piece]:
    """The cards that can still be in a hand, as far as the mat has seen."""
    return state.table.pieces.difference(state.round.camel, *state.scoring.shown)


def may_be_stuck(state: State) -> bool:
    """Whether the hand to play can be all cards that the rules refuse now (RULES 4.5, 4.6).

    Those who passed since the last card hold such cards too, so a hand that would need more of
    them than there are is not stuck.
    """
    now = state.round
    refused = sum(1 for piece in unseen(state) if refusal(state, piece.kind))
    return refused - sum(now.hands[seat] for seat in now.passed) >= now.hands[now.turn]


def spots(state: State, seat: Seat) -> tuple[str, ...]:
    """Where a tap of *seat* is read: at the play spot or at the seat's own reader."""
    return state.scoring.spots if state.phase is Phase.SCORING else (PLAY_SPOT, SEAT_SPOTS[seat])


def tap_ask(state: State, seat: Seat, kinds: frozenset[str]) -> TapAsk:
    """Ask *seat* for a card of *kinds*."""
    return TapAsk(kinds, (seat,), spots(state, seat))


def asks_play(state: State) -> tuple[Ask, ...]:
    """A card; and a word from a player who may be stuck."""
    kinds = frozenset(piece.kind for piece in unseen(state))
    playable = frozenset(kind for kind in kinds if not refusal(state, kind))
    card = tap_ask(state, state.round.turn, playable)
    return (card, PressAsk(Button.ACTION, "cannot-play")) if may_be_stuck(state) else (card,)


def asks_lamp(state: State) -> tuple[Ask, ...]:
    """The weight of the Lamp."""
    return (NumberAsk(LAMP_LOW, LAMP_HIGH, LAMP_START),)


def asks_scoring(state: State) -> tuple[Ask, ...]:
    """The next card of the hand being counted, or that there is none."""
    kinds = frozenset(piece.kind for piece in unseen(state))
    return (tap_ask(state, counting(state), kinds), PressAsk(Button.ACTION, "hand-done"))


def asks_round_over(state: State) -> tuple[Ask, ...]:
    """That the cards are dealt."""
    return (PressAsk(Button.OK, "next-round"),)


def asks_over(state: State) -> tuple[Ask, ...]:
    """Nothing any more."""
    return ()


# --- playing -------------------------------------------------------------------------------------


def step_play(state: State, given: Input) -> Step[State]:
    """Take the card of the player to play, or that no card can be played."""
    if given == ACTION and may_be_stuck(state):
        return stuck(state)
    return play(state, tap_for(state, given, state.round.turn))


def tap_for(state: State, given: Input, seat: Seat) -> Tap:
    """Return *given* when it is a tap of *seat* with a card of this deck, laid where it counts."""
    tap = tap_of(given, seat, spots(state, seat), state.table.deck, state.phase.value)
    if tap.piece in state.round.camel:
        raise AlreadyPlayed(piece=tap.piece, place="camel")
    return tap


def play(state: State, tap: Tap) -> Step[State]:
    """Put a card on the camel; a Lamp, played or copied, first waits for its weight."""
    piece, house = tap.piece, state.table.house
    if refused := refusal(state, piece.kind):
        raise refused
    effect = effect_of(state, piece)
    if effect == LAMP:
        waiting = replace(state, phase=Phase.LAMP, lamp=piece)
        return Step(waiting, (told("choose-weight", Topic.QUESTION, low=LAMP_LOW, high=LAMP_HIGH),))
    if piece.kind == COPY and is_carpet(effect) and not house.copied_carpet_subtracts:
        return put_on(state, piece, 0)  # RULES 5.9
    return put_on(state, piece, state.table.deck.by_name[effect].value)


def effect_of(state: State, piece: Piece) -> str:
    """The kind whose effect *piece* has: a Copy has that of the last card that was none."""
    copied = state.round.effective
    return copied if piece.kind == COPY and copied else piece.kind


def step_lamp(state: State, given: Input) -> Step[State]:
    """Take the weight of the Lamp that was laid (RULES 5.4)."""
    assert state.lamp is not None, "this phase begins with a Lamp"
    if not isinstance(given, Number):
        raise NotExpectedNow(waits=state.phase.value)
    if type(given.value) is not int or not LAMP_LOW <= given.value <= LAMP_HIGH:
        raise LampOutOfRange(low=LAMP_LOW, high=LAMP_HIGH)
    return put_on(state, state.lamp, given.value)


def put_on(state: State, piece: Piece, weighs: int) -> Step[State]:
    """Add *piece*, which weighs *weighs*, to the camel, and go on to what follows from it."""
    table, now = state.table, state.round
    weight = now.weight + weighs
    if weight < 0 and table.house.floor_at_zero:
        weight = 0
    effect = effect_of(state, piece)
    reverses = effect == REVERSE and (piece.kind != COPY or table.house.copied_reverse_turns)
    direction = now.direction.turned if reverses else now.direction
    breaks = weight > CAMEL_LIMIT or piece.kind == STRAW  # RULES 4.1, 6.2
    draws = now.pile > 0 and not breaks  # RULES 3.3, 4.2
    hands = now.hands if draws else one_less(now.hands, now.turn)
    turn = None if breaks else next_to_play(table, now.turn, direction, hands)
    laid = Round(
        turn=now.turn if turn is None else turn,
        direction=direction,
        hands=hands,
        pile=now.pile - draws,
        camel=now.camel | {piece},
        weight=weight,
        top=piece.kind,
        effective=effect,
    )
    after = with_round(state, laid)
    events = [told("weight", Topic.TOTAL, weight=weight)]
    if breaks:
        return broken(after, now.turn, piece, events)
    if reverses:
        events.append(told("turned", Topic.DIRECTION, direction=direction.value))
    if draws and not laid.pile:
        events.append(told("pile-empty"))
    if turn is None:
        return unbroken(after, events)
    return Step(after, (*events, told("turn", Topic.TURN, seat=turn)))


def one_less(hands: tuple[int, ...], seat: Seat) -> tuple[int, ...]:
    """*hands* after *seat* laid a card and drew none."""
    return (*hands[:seat], hands[seat] - 1, *hands[seat + 1 :])


def next_to_play(
    table: Table, turn: Seat, direction: Direction, hands: tuple[int, ...]
) -> Seat | None:
    """Who plays after *turn*; None when that ends the round (RULES 3.5, 3.6, 4.4)."""
    for seat in table.seats_after(turn, direction):
        if hands[seat]:
            return seat
        if not table.house.skip_empty_hands:
            return None
    return None


def with_round(state: State, now: Round) -> State:
    """*state* with its round at *now*, in play."""
    return State(state.table, state.number, state.dealer, state.totals, now)


def stuck(state: State) -> Step[State]:
    """A player cannot play: that loses the round or passes the turn (RULES 4.5, 4.6)."""
    now, house = state.round, state.table.house
    if house.cannot_play == "passes" or (house.empty_camel_pass and not now.camel):
        return pass_turn(state)
    return end_round(state, others(state, now.turn), End.STUCK, now.turn, [])


def pass_turn(state: State) -> Step[State]:
    """Go on to the next player; the round is over when nobody can play (RULES 4.4)."""
    now = state.round
    passed = (*now.passed, now.turn)
    turn = next_to_play(state.table, now.turn, now.direction, now.hands)
    events = [told("passed", seat=now.turn)]
    if turn is None or turn in passed:
        return unbroken(with_round(state, replace(now, passed=passed)), events)
    after = with_round(state, replace(now, turn=turn, passed=passed))
    return Step(after, (*events, told("turn", Topic.TURN, seat=turn)))


# --- the end of a round --------------------------------------------------------------------------


def everyone(state: State) -> list[Seat]:
    """All seats in the order their hands are counted: the first to play this round first."""
    return state.table.seats_after(state.dealer)


def others(state: State, loser: Seat) -> list[Seat]:
    """All seats but that of *loser* (RULES 7.1)."""
    return [seat for seat in everyone(state) if seat != loser]


def broken(state: State, breaker: Seat, piece: Piece, events: list[Message]) -> Step[State]:
    """The camel's back is broken by *breaker* with *piece* (RULES 4.2, 4.3, 6.3)."""
    if piece.kind == STRAW:
        return end_round(state, [breaker], End.STRAW, breaker, events)
    if piece.kind == COPY and not state.table.house.copier_breaks:
        return end_round(state, everyone(state), End.COPY, None, events)
    return end_round(state, others(state, breaker), End.BROKEN, breaker, events)


def unbroken(state: State, events: list[Message]) -> Step[State]:
    """Nobody can play any more, and the camel stands (RULES 4.4)."""
    scorers = everyone(state) if state.table.house.unbroken_scores else []
    return end_round(state, scorers, End.UNBROKEN, None, events)


def end_round(
    state: State, scorers: list[Seat], end: End, by: Seat | None, events: list[Message]
) -> Step[State]:
    """Begin to count the hands of *scorers*; a hand without cards needs no counting (RULES 7.3)."""
    waiting = tuple(seat for seat in scorers if state.round.hands[seat])
    scoring = Scoring(waiting, (frozenset[Piece](),) * state.table.seats, end, by)
    state = replace(state, phase=Phase.SCORING, scoring=scoring)
    return next_hand(state, [*events, told_of_end(scoring, end.value)])


def told_of_end(scoring: Scoring, code: str) -> Message:
    """Return the message *code* about how the round ended, with who ended it."""
    by = {} if scoring.by is None else {"seat": scoring.by}
    return told(code, Topic.RESULT, **by)


def counting(state: State) -> Seat:
    """Whose hand is being counted."""
    return state.scoring.seat


def hand_left(state: State) -> int:
    """How many cards of the hand being counted are still to be laid."""
    return state.scoring.left(state.round.hands)


def next_hand(state: State, events: list[Message]) -> Step[State]:
    """Ask for the next hand; after the last, add the round up."""
    if not state.scoring.waiting:
        return add_up(state, events)
    hand = told("count-hand", Topic.QUESTION, seat=counting(state), n=hand_left(state))
    return Step(state, (*events, hand))


def step_scoring(state: State, given: Input) -> Step[State]:
    """Take the next card of the hand being counted, or that there is none (RULES 7.3, 7.4)."""
    seat = counting(state)
    if given == ACTION:
        return close_hand(state, [told("hand-short", seat=seat, n=hand_left(state))])
    piece = tap_for(state, given, seat).piece
    state = replace(state, scoring=state.scoring.with_card(piece))
    if hand_left(state):
        return Step(state, (told("points", Topic.TOTAL, points=state.points(seat)),))
    return close_hand(state, [])


def close_hand(state: State, events: list[Message]) -> Step[State]:
    """The hand being counted is complete."""
    seat = counting(state)
    scored = told("hand-scored", Topic.RESULT, seat=seat, n=state.points(seat))
    return next_hand(replace(state, scoring=state.scoring.closed()), [*events, scored])


def add_up(state: State, events: list[Message]) -> Step[State]:
    """Add the round's points to the totals; then the next deal or the end (RULES 7.6, 8.1)."""
    totals = tuple(total + state.points(Seat(n)) for n, total in enumerate(state.totals))
    if not state.table.house.negative_totals:
        totals = tuple(max(total, 0) for total in totals)
    state = replace(state, phase=Phase.ROUND_OVER, totals=totals)
    events = [*events, told("round-over", Topic.RESULT, round=state.number)]
    events += [told("total", Topic.RESULT, seat=n, n=total) for n, total in enumerate(totals)]
    if not is_last_round(state):
        return Step(state, (*events, told("deals", seat=state.next_dealer)))
    best = leaders(state)
    if len(best) > 1 and not state.table.house.shared_win:  # RULES 8.3
        again = (told("tied", Topic.RESULT), told("deals", seat=state.next_dealer))
        return Step(state, (*events, *again))
    code = "winner" if len(best) == 1 else "shared-win"
    wins = (told(code, Topic.RESULT, seat=seat, n=totals[seat]) for seat in best)
    return Step(replace(state, phase=Phase.OVER), (*events, *wins))


def is_last_round(state: State) -> bool:
    """Whether the game ends with the round that was just scored (RULES 8.1)."""
    if state.table.house.ending == "hundred":
        return max(state.totals) >= HUNDRED
    return state.number >= state.table.seats


def step_round_over(state: State, given: Input) -> Step[State]:
    """Begin the next round when the cards are dealt (RULES 2.1, 2.4)."""
    if given != OK:
        raise NotExpectedNow(waits=state.phase.value)
    again = state.table.house.clockwise_each_round
    direction = Direction.CLOCKWISE if again else state.round.direction
    dealer = state.next_dealer
    deal = dealt(state.table, dealer, direction)
    begun = State(state.table, state.number + 1, dealer, state.totals, deal)
    begins = (told("round-begins", round=begun.number), told("turn", Topic.TURN, seat=deal.turn))
    return Step(begun, begins)


def step_over(state: State, given: Input) -> Step[State]:
    """Take nothing more."""
    raise NotExpectedNow(waits=state.phase.value)


# --- the two tables of the phases ----------------------------------------------------------------

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
    """What people move back by hand when *given*, accepted in *before*, is undone (RULES 1.5)."""
    after = STEPS[before.phase](before, given).state
    seat = before.round.turn
    moved: list[Message] = []
    if before.phase is Phase.LAMP:
        moved.append(told("choose-again", seat=seat))
    elif isinstance(given, Tap) and before.phase is Phase.SCORING:
        moved.append(told("take-up", piece=given.piece, seat=counting(before)))
    elif isinstance(given, Tap):
        moved.append(told("take-back", piece=given.piece, seat=seat))
    if after.round.pile < before.round.pile:
        moved.append(told("return-drawn", seat=seat))
    return tuple(moved)
