"""Properties of Ciao! that hold in every game."""

from hypothesis import given, settings
from hypothesis import strategies as st

from engines.ciao import GAME
from engines.ciao.cards import COLOURS, SYMBOLS, Face
from engines.ciao.state import State
from engines.common.contract import (
    Button,
    Choice,
    ChoiceAsk,
    Input,
    Number,
    OptionValue,
    Press,
    PressAsk,
    Seat,
    SeatAsk,
    SeatChoice,
    Setup,
    Tap,
    TapAsk,
)
from engines.common.errors import RulesError
from engines.common.pieces import Piece
from tests.effort import some
from tests.engines.ciao_table import CASE, DECK, CiaoTable, plain_deck
from tests.engines.contract import check_refusal, values_of

OPTIONS = st.fixed_dictionaries({o.name: st.sampled_from(values_of(o)) for o in GAME.options})
PIECES = st.builds(
    Piece, st.sampled_from([k.name for k in DECK.kinds]) | st.text(max_size=8), st.integers(-2, 9)
)
SPOTS = st.sampled_from(["play", "hand", "box", "seat-1", "seat-2", "seat-5"])
SEATS = st.none() | st.integers(-1, 6).map(Seat)
ODD: st.SearchStrategy[Input] = (
    st.builds(Tap, PIECES, SPOTS, SEATS)
    | st.integers().map(Number)
    | (st.text(max_size=5) | st.sampled_from(["rock", "again", "reverse", "thanked"])).map(Choice)
    | st.integers(-1, 6).map(lambda n: SeatChoice(Seat(n)))
    | st.sampled_from(Button).map(Press)
)
FACES = st.builds(Face, st.sampled_from(SYMBOLS), st.sampled_from(COLOURS))


def any_input(table: CiaoTable, data: st.DataObject, fouls: int = 1) -> Input:
    """Draw an input that the state accepts; *fouls* times in ten a foul, if one is possible."""
    ask = data.draw(st.sampled_from(table.asks), label="ask")
    match ask:
        case TapAsk(kinds=kinds, seats=seats, spots=spots, fouls=wrong, is_race=is_race):
            is_foul = bool(wrong) and data.draw(st.integers(1, 10), label="foul") <= fouls
            kind = data.draw(st.sampled_from(sorted(wrong if is_foul or not kinds else kinds)))
            seat = data.draw(st.sampled_from(seats), label="by") if is_race else None
            return Tap(table.piece(kind), spots[0], seat)
        case ChoiceAsk(names=names):
            return Choice(data.draw(st.sampled_from(names), label="choice"))
        case SeatAsk(seats=seats):
            return SeatChoice(data.draw(st.sampled_from(seats), label="seat"))
        case PressAsk(button=button):
            return Press(button)
    raise AssertionError(f"Ciao! asks for {ask}")


def table_of(seats: int, options: dict[str, OptionValue]) -> CiaoTable:
    """Return a table with these house rules and a deck that suits them."""
    return CiaoTable(
        seats, deck=plain_deck() if options["name-specials"] else DECK, options=options
    )


@settings(max_examples=some(60), deadline=None)
@given(
    seats=st.integers(2, 6),
    options=OPTIONS,
    data=st.data(),
    odd=st.lists(ODD, min_size=20, max_size=40),
)
def test_every_card_is_somewhere_and_refusals_change_nothing(
    seats: int, options: dict[str, OptionValue], data: st.DataObject, odd: list[Input]
) -> None:
    """Hands, draw pile, discards and box always add up to 108; no count is negative."""
    table = table_of(seats, options)
    for wild in odd:
        for given_now in (wild, any_input(table, data) if table.asks else wild):
            before: State = table.state
            kept = (hash(before), repr(before))
            try:
                table.give(given_now)
            except RulesError as error:
                check_refusal(CASE, error)
                assert table.state is before
            assert (hash(before), repr(before)) == kept
            assert table.all_cards() == DECK.total
            assert min(table.counts.values()) >= 0


@settings(max_examples=some(60), deadline=None)
@given(seats=st.integers(2, 6), options=OPTIONS, data=st.data())
def test_nobody_is_asked_for_a_card_they_cannot_hold(
    seats: int, options: dict[str, OptionValue], data: st.DataObject
) -> None:
    """Each seat asked has cards, and of each kind asked for an unplayed card is in the game."""
    table = table_of(seats, options)
    for _ in range(40):
        for ask in table.asks:
            if not isinstance(ask, TapAsk):
                continue
            assert ask.kinds | ask.fouls
            assert all(table.hands[seat] for seat in ask.seats)
            gone = table.state.round.discards.union(*table.state.counting.shown)
            for kind in ask.kinds | ask.fouls:
                copies = {Piece(kind, n + 1) for n in range(DECK.by_name[kind].count + 9)}
                assert copies & table.state.config.pieces - gone
        if not table.asks:
            return
        table.give(any_input(table, data))


@settings(max_examples=some(60), deadline=None)
@given(seats=st.integers(2, 6), options=OPTIONS, data=st.data())
def test_cards_change_hands_only_as_it_is_reported(
    seats: int, options: dict[str, OptionValue], data: st.DataObject
) -> None:
    """Hands change only by a card played and by the draws, gifts and swaps that events report."""
    table = table_of(seats, options)
    for _ in range(40):
        if not table.asks or table.view.phase in ("scoring", "round-over"):
            return
        before, given_now = table.state, any_input(table, data)
        table.give(given_now)
        hands, pile = list(before.round.hands), before.round.pile
        laid = len(table.state.round.discards - before.round.discards)
        if laid:
            hands[table_turn(before, given_now, table.state)] -= 1
        for event in table.events:
            seat, n = event.facts.get("seat"), event.facts.get("n")
            if event.code == "reshuffled":
                assert isinstance(n, int)
                pile += n
            elif event.code in ("draws", "penalty"):
                assert isinstance(seat, int)
                assert isinstance(n, int)
                hands[seat] += n
                pile -= n
            elif event.code == "gives":
                assert isinstance(seat, int)
                hands[seat] += 1
                hands[int(str(event.facts["giver_seat"]))] -= 1
            elif event.code == "swaps":
                assert isinstance(seat, int)
                other = int(str(event.facts["other_seat"]))
                hands[seat], hands[other] = hands[other], hands[seat]
        assert (tuple(hands), pile) == (table.hands, table.state.round.pile)
        assert bool(table.handed) == bool({"gives", "swaps"}.intersection(table.messages))


def table_turn(before: State, given_now: Input, after: State) -> int:
    """Return the player whose card *given_now* put on the discards."""
    if isinstance(given_now, Tap) and given_now.seat is not None:
        return given_now.seat
    if isinstance(given_now, SeatChoice) and before.phase.value in ("racer", "owner"):
        return given_now.seat
    turn, direction = before.round.turn, after.round.direction
    is_kept = before.config.seats == 2 and before.house.reverse_of_two
    is_turned = direction is not before.round.direction and not is_kept
    if before.phase.value == "thanks" or (before.phase.value == "again" and is_turned):
        return before.config.seats_after(turn, direction)[0]  # a card played instead of an answer
    return turn if before.by is None else before.by


@given(one=FACES, other=FACES)
def test_of_two_cards_one_beats_the_other_unless_they_are_the_same(one: Face, other: Face) -> None:
    beats = [one.beats(other, with_colours=True), other.beats(one, with_colours=True)]
    assert sum(beats) == (one != other)
    symbols = [one.beats(other, with_colours=False), other.beats(one, with_colours=False)]
    assert sum(symbols) == (one.symbol != other.symbol)
    assert one.symbol == other.symbol or beats == symbols


@settings(max_examples=some(40), deadline=None)
@given(seats=st.integers(2, 6), data=st.data())
def test_play_goes_on_until_somebody_has_no_card(seats: int, data: st.DataObject) -> None:
    """Without fouls every game ends: a player has no card left, or nobody can play."""
    table = CiaoTable(seats)
    while table.asks:
        assert all(table.hands) or table.view.phase == "again"
        table.give(any_input(table, data, fouls=0))
    fewest = min(table.hands)
    assert [s for s, cards in enumerate(table.hands) if cards == fewest] == [*table.view.winners]
    assert (fewest == 0) == ("out" in table.messages) == ("blocked" not in table.messages)
    assert fewest or len(table.view.winners) == 1


@settings(max_examples=some(30), deadline=None)
@given(seats=st.integers(2, 4), options=OPTIONS, data=st.data())
def test_a_replay_leads_to_the_same_state_and_every_undo_has_words(
    seats: int, options: dict[str, OptionValue], data: st.DataObject
) -> None:
    """Every state is rebuilt from its inputs; an undo names each draw, gift and swap."""
    table, journal = table_of(seats, options), list[Input]()
    states = [table.state]
    while table.asks and len(journal) < 40:
        given_now = any_input(table, data)
        before = table.state
        table.give(given_now)
        journal.append(given_now)
        states.append(table.state)
        back = [message.code for message in GAME.put_back(before, given_now)]
        assert all(CASE.words.say(message) for message in GAME.put_back(before, given_now))
        told = {event.code for event in table.events}
        assert ("return-drawn" in back) == bool(told & {"draws", "penalty"})
        assert ("give-back" in back) == ("gives" in told)
        assert ("swap-back" in back) == ("swaps" in told)
        assert ("lay-open" in back) == ("reshuffled" in told)
    for length in (len(journal), data.draw(st.integers(0, len(journal)), label="undone to")):
        deck = table.state.config.deck
        state = GAME.start(Setup(seats, Seat(seats - 1), deck, options))
        for given_now in journal[:length]:
            state = GAME.step(state, given_now).state
        assert state == states[length]
        assert hash(state) == hash(states[length])
