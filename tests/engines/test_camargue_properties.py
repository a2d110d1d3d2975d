"""Properties of Camargue that hold in every game."""

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from engines.camargue import GAME
from engines.camargue.places import fitting, sites
from engines.camargue.state import State
from engines.camargue.tiles import letters_of
from engines.common.contract import (
    Button,
    Choice,
    ChoiceAsk,
    Input,
    Number,
    OptionValue,
    PlaceAsk,
    PlaceChoice,
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
from engines.common.grid import Place
from engines.common.pieces import Deck, Piece
from tests.effort import some
from tests.engines.camargue_table import CASE, DECK, HELPER, CamargueTable, small_deck
from tests.engines.contract import check_refusal, values_of

# Curves close paths; with few other tiles there is often no tile that fits.
CURVES = small_deck(
    start=1, emergency=2, forest_ne=9, grain_es=9, village_sw=9, water_nw=9, lavender_ns=4,
    water_ew=4, helper_forest_grain=3, helper_village_water=3,
)  # fmt: skip
OPTIONS = st.fixed_dictionaries({o.name: st.sampled_from(values_of(o)) for o in GAME.options})
DECKS = st.sampled_from([DECK, CURVES])
PIECES = st.builds(
    Piece, st.sampled_from([k.name for k in DECK.kinds]) | st.text(max_size=8), st.integers(-2, 6)
)
SPOTS = st.sampled_from(["play", "hand", "box", "seat-1", "seat-2", "seat-5"])
SEATS = st.none() | st.integers(-1, 6).map(Seat)
PLACES = st.builds(Place, st.integers(-3, 3), st.integers(-3, 3))
ODD: st.SearchStrategy[Input] = (
    st.builds(Tap, PIECES, SPOTS, SEATS)
    | st.integers().map(Number)
    | (st.text(max_size=5) | st.sampled_from(["copy", "turn"])).map(Choice)
    | st.integers(-1, 6).map(lambda n: SeatChoice(Seat(n)))
    | PLACES.map(PlaceChoice)
    | st.sampled_from(Button).map(Press)
)

BESIDE = {"n": (0, -1), "e": (1, 0), "s": (0, 1), "w": (-1, 0)}
ACROSS = {"n": "s", "e": "w", "s": "n", "w": "e"}


def table_of(seats: int, deck: Deck, options: dict[str, OptionValue]) -> CamargueTable:
    """Return a table with this deck and these house rules."""
    table = CamargueTable(seats, deck)
    table.state = GAME.start(Setup(seats, Seat(seats - 1), deck, options))
    return table


def any_input(table: CamargueTable, data: st.DataObject) -> Input:
    """Draw an input that the state accepts, mostly a tile or a place."""
    asks = table.asks
    ask = asks[0] if data.draw(st.integers(0, 9)) < 7 else data.draw(st.sampled_from(asks))
    match ask:
        case TapAsk(kinds=kinds, seats=seats, spots=spots, fouls=fouls):
            is_foul = not kinds or (bool(fouls) and data.draw(st.integers(0, 9)) == 0)
            kind = data.draw(st.sampled_from(sorted(fouls if is_foul else kinds)))
            copies = range(1, table.state.config.deck.by_name[kind].count + 1)
            gone = table.state.played.pieces | table.state.shown
            piece = next(p for p in (Piece(kind, n) for n in copies) if p not in gone)
            return Tap(piece, spots[0], data.draw(st.none() | st.sampled_from(seats)))
        case PlaceAsk(offers=offers):
            return PlaceChoice(data.draw(st.sampled_from(offers)).place)
        case ChoiceAsk(names=names):
            return Choice(data.draw(st.sampled_from(names)))
        case SeatAsk(seats=seats):
            return SeatChoice(data.draw(st.sampled_from(seats)))
        case PressAsk(button=button):
            return Press(button)
    raise AssertionError(f"Camargue asks for {ask}")


# --- the placing rules, checked on the map that players see --------------------------------------


def paths_on(table: CamargueTable) -> dict[tuple[int, int], str]:
    """Return the paths of each tile on the map, as letters of the sides."""
    grid = table.view.grid
    assert grid is not None
    return {(cell.place.column, cell.place.row): cell.paths for cell in grid.cells}


def around(place: tuple[int, int]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield each side of *place* with the place next to it."""
    for side, (right, down) in BESIDE.items():
        yield side, (place[0] + right, place[1] + down)


def may_lie(
    table: CamargueTable, paths: str, place: tuple[int, int], *, is_emergency: bool
) -> bool:
    """Return True if the rules allow a tile with *paths* at *place*."""
    board = paths_on(table)
    beside = [(side, board[at]) for side, at in around(place) if at in board]
    here = {side: side in paths for side, _ in beside}
    there = {side: ACROSS[side] in other for side, other in beside}
    is_free, is_beside = place not in board, len(beside) > 0
    if is_emergency:
        return is_free and [*here.values()] == [*there.values()] == [False]
    cuts_none = all(here[side] for side in there if there[side])
    if table.state.house.no_dead_ends:
        cuts_none = cuts_none and all(there[side] for side in here if here[side])
    continues = any(here[side] and there[side] for side in here)
    return is_free and is_beside and cuts_none and continues


def area_of(table: CamargueTable, landscape: str, place: tuple[int, int]) -> int:
    """Return the size of the area of *landscape* that a tile at *place* would have."""
    grid = table.view.grid
    assert grid is not None
    same = {
        (cell.place.column, cell.place.row)
        for cell in grid.cells
        if cell.piece is not None and cell.piece.kind.startswith(f"{landscape}-")
    }
    reached, seen = [place], {place}
    for at in reached:
        new = {other for _, other in around(at)} & same - seen
        seen |= new
        reached += new
    return len(reached)


def edges_of(table: CamargueTable, place: tuple[int, int]) -> int:
    """Return the number of neighbours of *place* that count for points."""
    board = paths_on(table)
    if not table.state.house.start_counts:
        del board[0, 0]
    return sum(at in board for _, at in around(place))


def all_places(table: CamargueTable) -> list[tuple[int, int]]:
    """Return all places on the map, and those up to two steps outside."""
    board = paths_on(table)
    columns, rows = [at[0] for at in board], [at[1] for at in board]
    return [
        (column, row)
        for column in range(min(columns) - 2, max(columns) + 3)
        for row in range(min(rows) - 2, max(rows) + 3)
    ]


def ways_of(table: CamargueTable, piece: Piece) -> list[str]:
    """Return the paths of *piece*, once for each orientation that the rules allow."""
    tile = table.state.config.box.tiles[piece.kind]
    if piece.kind == "emergency" and table.state.house.turn_emergency:
        return [letters_of(way.paths) for way in tile.turns]
    return [letters_of(tile.paths)]


@settings(max_examples=some(25), deadline=None)
@given(seats=st.integers(2, 6), deck=DECKS, options=OPTIONS, data=st.data())
def test_places_offered_are_those_the_rules_allow_and_score_what_can_be_counted(
    seats: int, deck: Deck, options: dict[str, OptionValue], data: st.DataObject
) -> None:
    """Every place on and around the board is compared, with its area and edges."""
    table = table_of(seats, deck, options)
    for _ in range(70):
        if not table.asks:
            return
        if table.view.phase == "place":
            piece = table.state.waiting
            assert piece is not None
            check_offers(table, piece)
        table.give(any_input(table, data))


def check_offers(table: CamargueTable, piece: Piece) -> None:
    """Check the places offered for *piece*, and their points, against a count on the map."""
    is_emergency = piece.kind == "emergency"
    ways = ways_of(table, piece)
    places = {
        place
        for place in all_places(table)
        if any(may_lie(table, paths, place, is_emergency=is_emergency) for paths in ways)
    }
    assert set(table.offers) == places
    assert table.place_ask.start == len(places) // 2
    if is_emergency:
        return
    landscape = piece.kind.partition("-")[0]
    for place, shown in table.offers.items():
        area, edges = area_of(table, landscape, place), edges_of(table, place)
        assert shown == f"{area * edges} {area} x {edges}"


@settings(max_examples=some(25), deadline=None)
@given(seats=st.integers(2, 6), deck=DECKS, options=OPTIONS, data=st.data())
def test_every_tile_laid_obeys_the_rules_and_says_what_it_scored(
    seats: int, deck: Deck, options: dict[str, OptionValue], data: st.DataObject
) -> None:
    """No open path is cut off, at least one is continued, and the points match the map."""
    table = table_of(seats, deck, options)
    for _ in range(70):
        if not table.asks:
            return
        before, now = table.state, any_input(table, data)
        was = CamargueTable(seats)
        was.state = before
        table.give(now)
        if not isinstance(now, PlaceChoice):
            continue
        place = (now.place.column, now.place.row)
        is_emergency = table.state.board.laid[-1].piece.kind == "emergency"
        assert may_lie(was, paths_on(table)[place], place, is_emergency=is_emergency)
        gained = sum(table.view.scores) - sum(before.scores)
        if is_emergency:
            assert gained == 0
            continue
        landscape = table.state.board.laid[-1].piece.kind.partition("-")[0]
        area, edges = area_of(table, landscape, place), edges_of(table, place)
        assert gained == area * edges
        assert f"{area} times {edges} is {gained}." in table.said


@settings(max_examples=some(30), deadline=None)
@given(
    seats=st.integers(2, 6),
    deck=DECKS,
    options=OPTIONS,
    data=st.data(),
    odd=st.lists(ODD, min_size=20, max_size=50),
)
def test_every_tile_is_somewhere_and_refusals_change_nothing(
    seats: int,
    deck: Deck,
    options: dict[str, OptionValue],
    data: st.DataObject,
    odd: list[Input],
) -> None:
    """Hands, piles, board, helpers and box always add up to the deck; no count is negative."""
    table = table_of(seats, deck, options)
    total = table.state.config.deck.total
    for wild in odd:
        for now in (wild, any_input(table, data) if table.asks else wild):
            before: State = table.state
            kept = (hash(before), repr(before))
            try:
                table.give(now)
            except RulesError as error:
                check_refusal(CASE, error)
                assert table.state is before
            assert (hash(before), repr(before)) == kept
            counts = table.counts
            assert sum(counts.values()) == total
            assert min(counts.values()) >= 0
            assert counts["board"] == len(paths_on(table))


@settings(max_examples=some(30), deadline=None)
@given(seats=st.integers(2, 6), deck=DECKS, options=OPTIONS, data=st.data())
def test_helpers_lie_in_front_of_at_most_one_each_and_never_help_their_own_tile(
    seats: int, deck: Deck, options: dict[str, OptionValue], data: st.DataObject
) -> None:
    """A copying player scores, has a tile less and draws none; the turn does not change."""
    table = table_of(seats, deck, options)
    for _ in range(90):
        if not table.asks:
            return
        before = table.state
        table.give(any_input(table, data))
        after = table.state
        for seat in range(seats):
            if after.fronts[seat] is None or after.fronts[seat] == before.fronts[seat]:
                continue
            assert before.fronts[seat] is None
            assert before.scored is not None
            assert before.scored.seat != seat
            assert after.scores[seat] == before.scores[seat] + before.scored.points
            assert after.hands[seat] == before.hands[seat] - 1
            assert after.pile == before.pile
            assert after.turn == before.turn
            if options["three-to-copy"]:
                assert before.hands[seat] == 3


@settings(max_examples=some(25), deadline=None)
@given(seats=st.integers(2, 6), deck=DECKS, data=st.data())
def test_in_an_emergency_there_is_always_a_place_for_its_tile(
    seats: int, deck: Deck, data: st.DataObject
) -> None:
    """If some kind fits nowhere, an emergency tile fits somewhere.

    This holds with the rule that the emergency tile may be turned (RULES 7.8).
    """
    table = table_of(seats, deck, {})
    kinds = {k.name for k in table.state.config.deck.kinds} - {"start", "emergency"}
    landscapes = {kind for kind in kinds if not kind.startswith(HELPER)}
    for _ in range(90):
        if not table.asks:
            return
        if fitting(table.state, landscapes) != landscapes:
            assert sites(table.state, Piece("emergency"))
        table.give(any_input(table, data))


@settings(max_examples=some(25), deadline=None)
@given(seats=st.integers(2, 6), deck=DECKS, options=OPTIONS, data=st.data())
def test_the_game_ends_with_empty_hands_or_with_nobody_able_to_go_on(
    seats: int, deck: Deck, options: dict[str, OptionValue], data: st.DataObject
) -> None:
    table = table_of(seats, deck, options)
    while table.asks:
        assert sum(table.state.hands) > 0
        table.give(any_input(table, data))
    assert (sum(table.state.hands) == 0) == ("stuck" not in table.told)
    best = max(table.view.scores)
    assert [s for s, n in enumerate(table.view.scores) if n == best] == [*table.view.winners]


@settings(max_examples=some(30), deadline=None)
@given(seats=st.integers(2, 4), deck=DECKS, options=OPTIONS, data=st.data())
def test_a_replay_leads_to_the_same_state_and_every_undo_has_words(
    seats: int, deck: Deck, options: dict[str, OptionValue], data: st.DataObject
) -> None:
    """Every state is rebuilt from its inputs; an undo names each tile that was drawn or tapped."""
    table, journal = table_of(seats, deck, options), list[Input]()
    states = [table.state]
    while table.asks and len(journal) < 60:
        now, before = any_input(table, data), table.state
        table.give(now)
        journal.append(now)
        states.append(table.state)
        back = GAME.put_back(before, now)
        assert all(CASE.words.say(message) for message in back)
        codes = [message.code for message in back]
        assert ("return-drawn" in codes) == (table.state.pile < before.pile)
        assert ("take-back" in codes) == isinstance(now, Tap)
        assert ("take-up" in codes) == isinstance(now, PlaceChoice)
    for length in (len(journal), data.draw(st.integers(0, len(journal)), label="undone to")):
        named = Setup(seats, Seat(seats - 1), table.state.config.deck, options)
        state = GAME.start(named)
        for now in journal[:length]:
            state = GAME.step(state, now).state
        assert state == states[length]
        assert hash(state) == hash(states[length])
