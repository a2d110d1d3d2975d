"""Properties of Riff Raff that hold in every game."""

from hypothesis import given, settings
from hypothesis import strategies as st

from engines.common.contract import (
    Button,
    Choice,
    ChoiceAsk,
    Input,
    Number,
    NumberAsk,
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
from engines.riff_raff import GAME
from engines.riff_raff.ship import AREAS, YARDARMS
from engines.riff_raff.state import State
from tests.effort import some
from tests.engines.contract import check_refusal, values_of
from tests.engines.riff_raff_table import CASE, DECK, RiffRaffTable

OPTIONS = st.fixed_dictionaries({o.name: st.sampled_from(values_of(o)) for o in GAME.options})
KINDS = st.sampled_from([kind.name for kind in DECK.kinds]) | st.text(max_size=8)
SPOTS = st.sampled_from(["play", "hand", "box", "seat-1", "seat-2", "seat-5"])
SEATS = st.none() | st.integers(-1, 6).map(Seat)
NAMES = st.sampled_from(["yes", "no", "one", "two", "placed", "other"]) | st.text(max_size=5)
ODD: st.SearchStrategy[Input] = (
    st.builds(Tap, st.builds(Piece, KINDS, st.integers(-2, 3)), SPOTS, SEATS)
    | st.integers(-2, 40).map(Number)
    | NAMES.map(Choice)
    | st.integers(-1, 6).map(lambda n: SeatChoice(Seat(n)))
    | st.sampled_from(Button).map(Press)
)
PIECES_OF = {2: 32, 3: 24, 4: 32}  # number of pieces by number of seats, RULES 2.2


def any_input(table: RiffRaffTable, data: st.DataObject) -> Input:
    """Draw an input that the state accepts; mostly no piece falls, so that the ship fills."""
    asks = table.asks
    held = Press(Button.OK)
    if table.phase == "load" and data.draw(st.integers(1, 4), label="holds") > 1:
        return held
    ask = data.draw(st.sampled_from(asks), label="ask")
    match ask:
        case TapAsk(kinds=kinds, spots=spots):
            return Tap(Piece(data.draw(st.sampled_from(sorted(kinds)))), spots[0])
        case NumberAsk(low=low, high=high):
            return Number(data.draw(st.integers(low, min(high, low + 2))))
        case ChoiceAsk(names=names):
            return Choice(data.draw(st.sampled_from(names), label="choice"))
        case SeatAsk(seats=seats):
            return SeatChoice(data.draw(st.sampled_from(seats), label="seat"))
        case PressAsk(button=button):
            return Press(button)
    raise AssertionError(f"Riff Raff asks for {ask}")


def table_of(seats: int, options: dict[str, OptionValue]) -> RiffRaffTable:
    """Return a table with these house rules."""
    return RiffRaffTable(seats, options=options)


@settings(max_examples=some(30), deadline=None)
@given(
    seats=st.integers(2, 4),
    options=OPTIONS,
    data=st.data(),
    odd=st.lists(ODD, min_size=20, max_size=60),
)
def test_every_piece_is_somewhere_and_refusals_change_nothing(
    seats: int, options: dict[str, OptionValue], data: st.DataObject, odd: list[Input]
) -> None:
    """Pieces in front, on the ship and out of the game always add up to the number at the start."""
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
            assert table.all_pieces() == PIECES_OF[seats]
            assert min(table.counts.values()) >= 0


@settings(max_examples=some(30), deadline=None)
@given(seats=st.integers(2, 4), options=OPTIONS, data=st.data())
def test_what_is_known_of_the_ship_adds_up(
    seats: int, options: dict[str, OptionValue], data: st.DataObject
) -> None:
    """The total is between the sums of the areas' bounds; with tags, both bounds match the tags."""
    table = table_of(seats, options)
    for _ in range(60):
        if not table.asks:
            return
        table.give(any_input(table, data))
        ship, counts = table.state.ship, table.counts
        assert sum(map(ship.least, AREAS)) <= counts["ship"] <= sum(map(ship.most, AREAS))
        if (grid := table.view.grid) is not None:
            assert all(len(cell.tally) <= 3 and len(cell.mark) <= 2 for cell in grid.cells)
        if options["tagged-cargo"]:
            assert table.phase not in ("look", "fallen", "caught", "which", "which-fell")
            lying = list(table.cargo.on_ship.values())
            assert [ship.least(area) for area in AREAS] == [lying.count(area) for area in AREAS]
            assert [ship.most(area) for area in AREAS] == [lying.count(area) for area in AREAS]
            assert len(table.cargo.gone) == counts["removed"]
            for seat in range(seats):
                known = list(table.cargo.owners.values()).count(Seat(seat))
                assert known <= table.view.scores[seat]


@settings(max_examples=some(30), deadline=None)
@given(seats=st.integers(2, 4), options=OPTIONS, data=st.data())
def test_two_pieces_are_offered_where_a_piece_lies_and_asked_about_where_one_may(
    seats: int, options: dict[str, OptionValue], data: st.DataObject
) -> None:
    table = table_of(seats, options)
    for _ in range(60):
        if not table.asks:
            return
        was_look = table.phase == "look"
        table.give(any_input(table, data))
        turn = table.state.turn
        if "loads" in table.told or was_look:
            assert turn is not None
            may = turn.area in YARDARMS and table.view.scores[turn.seat] > 1
            least, most = table.area(turn.area)
            asked = {(True, True): "announce", (False, True): "look"}.get((least > 0, most > 0))
            assert table.phase == (asked if may and asked else may_load(options))


def may_load(options: dict[str, OptionValue]) -> str:
    """Return the phase in which a piece is loaded under the house rules *options*."""
    return "piece" if options["tagged-cargo"] else "load"


@settings(max_examples=some(30), deadline=None)
@given(seats=st.integers(2, 4), options=OPTIONS, data=st.data())
def test_turns_go_from_the_highest_card_to_the_lowest(
    seats: int, options: dict[str, OptionValue], data: st.DataObject
) -> None:
    """In each finished round each player has one turn, and the captain has the first."""
    table = table_of(seats, options)
    turns: list[tuple[int, int]] = []
    for _ in range(80):
        if not table.asks:
            return
        table.give(any_input(table, data))
        for event in table.events:
            if event.code == "captain":
                assert turns == []
            if event.code == "loads":
                turns.append((int(str(event.facts["area"])), int(str(event.facts["seat"]))))
            if event.code == "round-begins":
                assert sorted(seat for _, seat in turns) == list(range(seats))
                assert [area for area, _ in turns] == sorted([a for a, _ in turns], reverse=True)
                assert turns[0][1] == table.state.captain
                turns = []


@settings(max_examples=some(30), deadline=None)
@given(seats=st.integers(2, 4), options=OPTIONS, data=st.data())
def test_a_replay_leads_to_the_same_state_and_an_undo_to_the_one_before(
    seats: int, options: dict[str, OptionValue], data: st.DataObject
) -> None:
    """Every state is rebuilt from its inputs, and every undo has instructions."""
    table = RiffRaffTable(seats, options=options, with_colours=False)
    journal, states = list[Input](), [table.state]
    while table.asks and len(journal) < 40:
        given_now, before = any_input(table, data), table.state
        table.give(given_now)
        journal.append(given_now)
        states.append(table.state)
        back = GAME.put_back(before, given_now)
        assert back
        assert all(CASE.words.say(message) for message in back)
        shared_out = {"leave", "takes", "placed-returns"} & set(table.told)
        assert ("lay-aside" in [message.code for message in back]) == bool(shared_out)
    for length in (len(journal), data.draw(st.integers(0, len(journal)), label="undone to")):
        state = GAME.start(Setup(seats, Seat(seats - 1), DECK, options))
        for given_now in journal[:length]:
            state = GAME.step(state, given_now).state
        assert state == states[length]
        assert hash(state) == hash(states[length])
