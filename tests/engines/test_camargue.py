"""Camargue turn by turn: texts and displays, walking through the places, refusals, and undo."""

from dataclasses import replace
from itertools import pairwise

import pytest

from engines.camargue import GAME
from engines.camargue.board import LaidTile
from engines.camargue.drawing import ICONS
from engines.camargue.tiles import LANDSCAPES, SETS, letters_of, opposite, quarter_turn
from engines.common.advice import worth_of_kinds
from engines.common.contract import (
    Button,
    Choice,
    Direction,
    Input,
    Number,
    PlaceChoice,
    Press,
    PressAsk,
    Seat,
    SeatChoice,
    Setup,
    Tap,
    TapAsk,
    message,
)
from engines.common.errors import CannotStart
from engines.common.grid import Place
from engines.common.pieces import Deck, Kind, Piece
from tests.engines.camargue_table import CASE, DECK, HELPER, CamargueTable, small_deck
from tests.engines.contract import check_refusal

ACTION, OK = Press(Button.ACTION), Press(Button.OK)

# Two tiles beside the start tile, each with an open path; both paths lead to 1, -1.
CORNER = {"lavender_es": (0, -1), "grain_nw": (1, 0)}
# Only a tile with a path downwards fits, at 1, -2.
ONE_WAY = {
    "forest_es": (0, -1), "grain_nsw": (1, -1), "village_nw": (1, 0),
    "water_nw": (0, 1), "lavender_ne": (-1, 1), "grain_es": (-1, 0),
}  # fmt: skip


# --- the box -------------------------------------------------------------------------------------


def test_deck_is_the_box_and_says_that_it_is_not_verified() -> None:
    assert DECK.total == 96
    assert not DECK.is_verified
    counts = {kind.name: kind.count for kind in DECK.kinds}
    for landscape in LANDSCAPES:
        paths = {
            name.removeprefix(f"{landscape}-"): count
            for name, count in counts.items()
            if name.startswith(landscape)
        }
        assert paths == {
            **dict.fromkeys(("ne", "es", "sw", "nw", "ns", "ew"), 1),
            **dict.fromkeys(("nes", "new", "nsw", "esw", "nesw"), 2),
        }
        assert sum(counts[kind] for kind in counts if landscape in kind) == 16 + 4
    assert sum(count for name, count in counts.items() if name.startswith(HELPER)) == 10
    assert (counts["start"], counts["emergency"]) == (1, 5)


@pytest.mark.parametrize("seats", range(2, 7))
def test_everybody_draws_three_and_the_rest_is_the_pile(seats: int) -> None:
    table = CamargueTable(seats)
    counts = table.counts
    assert [counts[f"hand-{n + 1}"] for n in range(seats)] == [3] * seats
    assert sum(counts.values()) == DECK.total
    assert (table.view.turn, table.view.direction) == (0, Direction.CLOCKWISE)
    assert f"hand-{seats + 1}" not in counts


def test_opening_tells_what_to_lay_out() -> None:
    said = [CASE.words.say(message) for message in GAME.opening(CamargueTable(4).state)]
    assert said == [
        "Lay the start tile in the middle.",
        "Put 2 tiles into the box unseen.",
        "Everybody draws 3 tiles.",
        "Ann to play.",
    ]
    assert len(GAME.opening(CamargueTable(3).state)) == 3


def test_a_deck_with_too_few_tiles_or_no_start_tile_is_refused() -> None:
    few = small_deck(start=1, forest_ne=1, helper_forest_water=4)
    with pytest.raises(CannotStart) as refusal:
        GAME.start(Setup(2, Seat(0), few))
    assert refusal.value.facts == {"cards": 5, "needed": 6}
    check_refusal(CASE, refusal.value)
    with pytest.raises(CannotStart) as refusal:
        GAME.start(Setup(2, Seat(0), small_deck(start=0, forest_ne=9)))
    assert refusal.value.code == "no-start-tile"
    check_refusal(CASE, refusal.value)
    assert GAME.start(Setup(2, Seat(0), small_deck(start=1, forest_ne=6))).pile == 0


@pytest.mark.parametrize(
    ("name", "traits"),
    [
        ("start", {}),
        ("start", {"landscape": "none"}),
        ("start", {"landscape": "none", "paths": ""}),
        ("start", {"landscape": "none", "paths": "wn"}),
        ("start", {"landscape": "sea", "paths": "nesw"}),
        ("emergency", {"landscape": "none", "paths": "nesw"}),
        ("emergency", {"landscape": "none", "paths": 3}),
    ],
)
def test_what_the_start_and_emergency_tiles_cannot_show_is_refused(
    name: str, traits: dict[str, str | int]
) -> None:
    kinds = tuple(k if k.name != name else replace(k, traits=traits) for k in DECK.kinds)
    with pytest.raises(CannotStart) as refusal:
        GAME.start(Setup(2, Seat(0), Deck("camargue", kinds, is_verified=False)))
    assert (refusal.value.code, refusal.value.facts) == ("odd-tile", {"piece": Piece(name)})
    check_refusal(CASE, refusal.value)


@pytest.mark.parametrize(
    "name",
    ["forest", "sea-ne", "forest-en", "forest-", "forest-nn", "start-ne", "emergency-ne", "helper",
     "helper-forest", "helper-water-forest", "helper-forest-forest", "helper-forest-sea",
     "helper-forest-grain-water"],
)  # fmt: skip
def test_a_deck_with_an_unknown_tile_is_refused(name: str) -> None:
    kinds = (*DECK.kinds, Kind(name, 1))
    with pytest.raises(ValueError, match=f'no tile "{name}"'):
        GAME.start(Setup(2, Seat(0), Deck("camargue", kinds, is_verified=False)))


def test_a_deck_file_may_give_start_and_emergency_tiles_a_landscape() -> None:
    traits = {"start": {"landscape": "forest", "paths": "ne"}}
    kinds = tuple(replace(k, traits=traits.get(k.name, k.traits)) for k in DECK.kinds)
    table = CamargueTable(2, Deck("camargue", kinds, is_verified=False))
    table.tap("forest-ew")
    assert table.offers == {(1, 0): "2 2 x 1"}


def test_sides_turn_clockwise() -> None:
    assert letters_of(quarter_turn(SETS["n"])) == "e"
    assert letters_of(quarter_turn(SETS["nsw"])) == "new"
    assert letters_of(opposite(SETS["ne"])) == "sw"
    assert all(quarter_turn(opposite(quarter_turn(sides))) == sides for sides in SETS.values())


# --- headline, hint and map ----------------------------------------------------------------------


def test_the_headline_is_the_play_just_made() -> None:
    table = CamargueTable().lay(**CORNER)
    assert (table.shown, table.hint) == ("0 points", "Tap a tile or helper.")
    table.tap("lavender-sw")
    assert (table.shown, table.said) == ("0 points", "Where does the lavender curve go?")
    assert table.hint == "Turn to a place, then press OK."
    table.put(1, -1)
    assert (table.shown, table.said) == ("4 2 x 2", "2 times 2 is 4. Ben to play.")
    spoken = table.view.spoken
    assert spoken is not None
    assert CASE.words.say(spoken) == "4 points"


def test_each_place_shows_its_points() -> None:
    table = CamargueTable().lay(**CORNER)
    table.tap("lavender-sw")
    assert table.offers == {(1, -1): "4 2 x 2"}
    offer = table.place_ask.offers[0]
    assert offer.spoken is not None
    assert CASE.words.say(offer.spoken) == "2 times 2 is 4"


def test_each_place_shows_the_tile_as_it_would_lie() -> None:
    table = CamargueTable().lay(**CORNER)
    table.tap("lavender-sw")
    (cell,) = (offer.cell for offer in table.place_ask.offers)
    assert cell is not None
    assert (cell.place, cell.icon, cell.paths) == (Place(1, -1), ICONS["lavender"], "sw")
    table = CamargueTable().lay(**ONE_WAY)
    table.action()
    table.tap("forest-ne", "water-ne", "village-ew", "emergency")
    cells = [offer.cell for offer in table.place_ask.offers]
    paths = {(cell.place.column, cell.place.row): cell.paths for cell in cells if cell is not None}
    assert (paths[2, 0], paths[0, 2], len(paths)) == ("nes", "esw", len(cells))


def test_the_map_is_the_whole_board() -> None:
    table = CamargueTable().lay(**CORNER)
    grid = table.view.grid
    assert grid is not None
    cells = {cell.place: cell for cell in grid.cells}
    assert set(cells) == {Place(0, 0), Place(0, -1), Place(1, 0)}
    start, lavender = cells[Place(0, 0)], cells[Place(0, -1)]
    assert (start.icon, start.mark, start.paths) == ((), "", "nesw")
    assert (lavender.icon, lavender.mark, lavender.paths) == (ICONS["lavender"], "", "es")
    assert lavender.piece == Piece("lavender-es")
    assert grid.focus == Place(1, 0)


def test_nothing_is_lit_before_the_first_tile_and_while_one_is_to_be_placed() -> None:
    table = CamargueTable()
    assert lit(table) == []
    table.tap("forest-ew")
    assert lit(table) == []
    table.put(1, 0)
    assert lit(table) == [Place(1, 0)]
    table.tap("forest-ns")
    assert lit(table) == []


def lit(table: CamargueTable) -> list[Place]:
    """Return the highlighted places of the map."""
    grid = table.view.grid
    assert grid is not None
    return [cell.place for cell in grid.cells if cell.is_lit]


def test_every_landscape_has_its_own_icon() -> None:
    assert set(ICONS) == set(LANDSCAPES)
    assert len(set(ICONS.values())) == len(LANDSCAPES)
    assert all(len(icon) == 5 and {len(row) for row in icon} == {5} for icon in ICONS.values())


def test_a_page_says_that_a_tile_may_not_be_turned_but_an_emergency_tile_may() -> None:
    table = CamargueTable().lay(**CORNER)
    table.tap("lavender-sw")
    assert table.view.page_hint == message("place-unturned")
    table = CamargueTable().lay(**ONE_WAY)
    table.action()
    table.tap("forest-ne", "water-ne", "village-ew", "emergency")
    assert (table.view.phase, table.view.page_hint) == ("place", None)


def test_an_emergency_tile_is_marked_and_lies_as_it_was_turned() -> None:
    table = CamargueTable().lay(**ONE_WAY)
    table.action()
    table.tap("forest-ne", "water-ne", "village-ew", "emergency#3")
    table.put(2, 0)
    grid = table.view.grid
    assert grid is not None
    cell = grid.cells[-1]
    assert (cell.mark, cell.icon, cell.paths) == ("!", (), "nes")
    assert (cell.piece, cell.is_lit) == (Piece("emergency", 3), True)


@pytest.mark.parametrize(
    ("hands", "pile", "hint"),
    [
        ((3, 3, 3), 9, "Helper for lavender? Or tap a tile."),
        ((3, 0, 3), 0, "Helper for lavender? Or tap a tile."),
        ((1, 3, 0), 0, "Helper for lavender? Or tap a tile."),
        ((2, 0, 0), 0, "Tap a tile or helper."),
    ],
)
def test_the_hint_reminds_of_helpers_as_long_as_there_may_be_one(
    hands: tuple[int, ...], pile: int, hint: str
) -> None:
    table = CamargueTable(3).hold(*hands, pile=pile)
    table.play("lavender-ew", 1, 0)
    assert table.hint == hint


def test_the_hint_does_not_ask_for_helpers_that_are_all_played() -> None:
    table = CamargueTable(2)
    for helper in ("forest-lavender", "grain-lavender", "lavender-village", "lavender-water"):
        table.tap(HELPER + helper)
    table.play("lavender-ew", 1, 0)
    assert table.hint == "Tap a tile or helper."
    assert not table.helping


def test_the_hint_of_who_has_a_helper_in_front() -> None:
    table = CamargueTable(3)
    table.play("lavender-ew", 1, 0)
    table.tap("helper-grain-lavender", seat=1)
    table.choose("copy")
    assert table.hint == "Helper for lavender? Or aside and draw."
    table.hold(3, 2, 3, pile=0)
    assert table.hint == "Helper for lavender? Or put yours aside."
    table.tap("helper-lavender-water", seat=2)
    assert table.hint == "Put your helper aside."
    table.hold(3, 2, 2, pile=9)
    assert table.hint == "Put your helper aside and draw one."


# --- walking through the places ------------------------------------------------------------------


def star() -> CamargueTable:
    """Return a table where a crossing, a tile with four paths, fits in eight places.

    The places form a ring around the start tile.
    """
    return CamargueTable().lay(
        forest_nesw=(0, -1), grain_nesw=(1, 0), village_nesw=(0, 1), water_nesw=(-1, 0)
    )


def test_the_walk_goes_clockwise_and_starts_in_its_middle() -> None:
    table = star()
    table.tap("lavender-nesw")
    ring = [(0, -2), (1, -1), (2, 0), (1, 1), (0, 2), (-1, 1), (-2, 0), (-1, -1)]
    places = list(table.offers)
    turn = ring.index(places[0])
    assert places == ring[turn:] + ring[:turn]
    assert table.place_ask.start == 4


def test_the_controls_begin_at_the_best_place() -> None:
    """Of places with equal points, the cursor starts at the one nearest to the last tile placed."""
    table = star()
    table.tap("lavender-nesw")
    assert (table.cursor, table.offers[table.cursor]) == ((-1, -1), "2 1 x 2")
    table = star()
    table.tap("forest-nesw")
    assert table.offers[table.cursor] == "4 2 x 2"
    assert table.cursor == (-1, -1)


def test_house_rule_no_hints_begins_at_the_nearest_place() -> None:
    best = CamargueTable().lay(forest_ns=(0, -1), water_ew=(-1, 0))
    best.tap("forest-nesw")
    assert (best.cursor, best.offers[best.cursor]) == ((0, -2), "2 2 x 1")
    table = CamargueTable(no_hints=True).lay(forest_ns=(0, -1), water_ew=(-1, 0))
    table.tap("forest-nesw")
    assert (table.cursor, table.offers[table.cursor]) == ((-2, 0), "1 1 x 1")
    assert set(table.offers) == set(best.offers)


def test_house_rule_no_hints_gives_no_advice() -> None:
    lay = {"forest_ns": (0, -1), "water_ew": (-1, 0)}
    advised = worth_of_kinds(GAME, CamargueTable().lay(**lay).state)
    assert max(advised.values()) > min(advised.values())
    assert worth_of_kinds(GAME, CamargueTable(no_hints=True).lay(**lay).state) == {}


def test_every_place_is_half_the_list_away_at_most() -> None:
    table = star()
    for kind in ("lavender-nesw", "lavender-ns", "lavender-es", "lavender-nsw"):
        before = table.state
        table.tap(kind)
        ask = table.place_ask
        assert ask.start == len(ask.offers) // 2
        table.state = before


def test_neighbours_on_the_walk_are_near_each_other() -> None:
    """The places are offered in the order of the ring, so neighbours are two steps apart."""
    table = star()
    table.tap("lavender-nesw")
    places = [offer.place for offer in table.place_ask.offers]
    steps = [abs(a.column - b.column) + abs(a.row - b.row) for a, b in pairwise(places)]
    assert steps == [2] * 7


# --- refusals ------------------------------------------------------------------------------------


def test_a_tile_that_fits_nowhere_is_refused_and_not_asked_for() -> None:
    table = CamargueTable().lay(**ONE_WAY)
    assert table.kinds(0) >= {"forest-ns", "water-es"}
    assert not table.kinds(0) & {"forest-ne", "water-ew", "lavender-new"}
    error = table.refused("lavender-new")
    assert (error.code, error.facts) == ("fits-nowhere", {"piece": Piece("lavender-new")})


@pytest.mark.parametrize("tile", ["settler", "forest-ne#2", "emergency#6", "helper-grain-water#2"])
def test_a_tile_of_no_such_deck_is_refused(tile: str) -> None:
    assert CamargueTable().refused(Tap(Piece.parse(tile))).code == "not-in-this-game"


def test_what_was_played_is_not_tapped_again() -> None:
    table = CamargueTable(3)
    assert table.refused("start#1").code == "already-played"
    table.play("lavender-ew", 1, 0)
    assert table.refused("lavender-ew#1").code == "already-played"
    table.tap("helper-lavender-water", seat=2)
    assert table.refused("helper-lavender-water#1").code == "already-played"
    table.tap("helper-grain-water")
    assert table.refused("helper-grain-water#1").code == "already-played"
    table.lay(forest_es=(0, -1))
    assert "forest-es" not in table.kinds(2)


def test_the_second_of_two_equal_tiles_is_another_tile() -> None:
    table = CamargueTable()
    table.play("forest-nesw#2", 1, 0)
    assert "forest-nesw" in table.kinds(1)
    table.tap("forest-nesw#1")
    table.put(2, 0)
    assert table.shown == "2 2 x 1"
    assert "forest-nesw" not in table.kinds(0)


def test_a_tile_shown_in_a_claim_is_not_shown_twice() -> None:
    table = CamargueTable().lay(**ONE_WAY)
    table.action()
    assert "forest-ne" in table.kinds(0)
    table.tap("forest-ne")
    assert "forest-ne" not in table.kinds(0)
    assert table.refused("forest-ne#1").code == "already-played"
    table.action()
    assert "forest-ne" not in table.kinds(0)
    table.action()
    table.tap("forest-ne")


def test_a_tile_that_waits_for_its_place_is_named_also_to_who_wants_to_copy() -> None:
    table = CamargueTable()
    table.tap("forest-ew")
    own, copy = table.refused("water-ew"), table.refused("helper-grain-water", seat=1)
    assert (own.code, copy.code) == ("not-expected-now", "not-expected-now")
    assert own.facts == {"waits": "place", "piece": Piece("forest-ew")}
    assert copy.facts == {"waits": "place-before-copy", "piece": Piece("forest-ew")}


def test_emergency_tiles_are_taken_only_in_an_emergency() -> None:
    table = CamargueTable().lay(**ONE_WAY)
    assert table.refused("emergency").code == "no-emergency"
    table.action()
    assert table.refused("emergency").code == "no-emergency"
    table.tap("forest-ne", "water-ne", "village-ew")
    assert table.refused("forest-ns").code == "not-expected-now"
    assert table.refused("emergency", seat=1).code == "not-your-turn"
    table.tap("emergency#2")
    table.put(2, 0)
    table.play("village-ew", 3, 0)
    table.state = replace(table.state, board=CamargueTable().lay(**ONE_WAY).state.board)
    table.action()
    table.tap("grain-ne", "lavender-ew", "forest-ew")
    assert table.refused("emergency#2").code == "already-played"


def test_a_tile_from_another_seat_or_spot_is_refused() -> None:
    table = CamargueTable(3)
    assert table.refused("forest-ew", seat=1).code == "not-your-turn"
    for tile in (Piece("forest-ew"), Piece("helper-grain-water")):
        assert table.refused(Tap(tile, seat=Seat(5))).code == "not-your-turn"
    assert table.refused(Tap(Piece("forest-ew"), "hand")).code == "not-expected-now"
    assert table.refused(Tap(Piece("forest-ew"), "seat-4")).code == "not-expected-now"
    table.tap("forest-ew", seat=0)
    assert table.view.phase == "place"
    table = CamargueTable(3)
    table.action()
    assert table.refused("forest-ew", seat=1).code == "not-your-turn"


def test_a_helper_that_nobody_could_use_says_why() -> None:
    """Even after the current player has copied: the error is about the players who still could."""
    table = CamargueTable(3)
    table.play("lavender-ew", 1, 0)
    table.tap("helper-grain-lavender", seat=1)
    table.choose("copy")
    assert table.refused("helper-forest-grain").code == "no-match"
    table.tap("helper-lavender-water")
    assert table.said == "Cem copies 1 point with a helper."
    assert table.refused("helper-forest-lavender").code == "helper-in-front"


def test_a_helper_in_front_is_the_reason_even_when_nothing_can_be_copied() -> None:
    """Nothing can be copied after Ben's discard; Cem's refusal still names the helper in front."""
    table = CamargueTable(3)
    table.play("lavender-ew", 1, 0)
    table.tap("helper-lavender-water", seat=2)
    table.tap("helper-forest-grain", seat=1)
    for seat in (None, 2):
        error = table.refused("helper-grain-water", seat)
        assert (error.code, error.facts) == ("helper-in-front", {"seat": 2})
    assert table.refused("helper-grain-water", seat=0).code == "not-your-turn"


@pytest.mark.parametrize("phase", ["place", "whose", "copy-or-turn", "claim", "emergency", "over"])
@pytest.mark.parametrize(
    "given",
    [Number(3), OK, Choice("stop"), SeatChoice(Seat(4)), PlaceChoice(Place(0, 0)),
     Tap(Piece("forest-nesw", 2), "box")],
)  # fmt: skip
def test_nothing_but_what_is_asked_for_is_taken(phase: str, given: Input) -> None:
    table = at_phase(phase)
    assert table.view.phase == phase
    code = "occupied" if (phase, given) == ("place", PlaceChoice(Place(0, 0))) else None
    assert table.refused(given).code == (code or "not-expected-now")


def at_phase(phase: str) -> CamargueTable:
    """Return a table in *phase*."""
    table = CamargueTable(3)
    match phase:
        case "place":
            table.tap("forest-ew")
        case "whose" | "copy-or-turn":
            table.play("lavender-ew", 1, 0)
            table.tap("helper-lavender-water", seat=1 if phase == "copy-or-turn" else None)
        case "claim" | "emergency":
            table.lay(**ONE_WAY).action()
            if phase == "emergency":
                table.tap("forest-ne", "water-ne", "village-ew")
        case "over":
            table.hold(1, 0, 0, pile=0).play("lavender-ew", 1, 0)
    return table


@pytest.mark.parametrize(
    "given", [Number(3), OK, Choice("copy"), SeatChoice(Seat(0)), PlaceChoice(Place(1, 0))]
)
def test_nothing_but_a_tile_or_action_is_taken_in_play(given: Input) -> None:
    assert CamargueTable().refused(given).facts == {"waits": "play"}
    table = CamargueTable()
    table.play("lavender-ew", 1, 0)
    table.tap("helper-grain-lavender")
    table.choose("copy")
    assert table.refused(given).facts == {"waits": "put-aside"}


# --- helpers -------------------------------------------------------------------------------------


def test_seat_readers_and_one_reader_may_be_mixed() -> None:
    table = CamargueTable(4)
    table.play("lavender-ew", 1, 0)
    taps = [ask for ask in table.asks if isinstance(ask, TapAsk)]
    assert [(ask.seats, ask.spots) for ask in taps] == [
        ((1,), ("play", "seat-2")),
        ((2, 3), ("play", "seat-3", "seat-4")),
    ]
    table.tap("helper-grain-lavender", seat=3)
    table.tap("helper-lavender-water")
    assert table.whose == (1, 2)


def test_the_last_helper_may_end_the_game() -> None:
    table = CamargueTable(2).hold(1, 1, pile=0)
    table.play("lavender-ew", 1, 0)
    table.tap("helper-grain-lavender")
    table.choose("copy")
    assert table.told == ["copies", "total", "total", "shared-win", "shared-win"]
    assert (table.view.winners, table.counts["front-2"]) == ((0, 1), 1)


def test_a_player_who_copies_may_place_again_a_turn_later() -> None:
    table = CamargueTable(2)
    table.play("lavender-ew", 1, 0)
    table.tap("helper-grain-lavender")
    table.choose("copy")
    table.action()
    table.play("forest-ew", 2, 0)
    table.tap("helper-forest-water")
    assert table.view.phase == "copy-or-turn"
    assert table.view.hint.facts["seat"] == 0  # whose points are copied
    table.choose("turn")
    assert table.view.scores == (2, 11)


def test_action_says_what_it_does() -> None:
    table = CamargueTable()
    assert table.label == "none fits"
    table.action()
    assert table.label == "go back"
    table.action()
    table.tap("forest-ew")
    assert not any(isinstance(ask, PressAsk) for ask in table.asks)


# --- emergencies ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ((3, 0), "3 right of the start tile"),
        ((-1, 0), "1 left of the start tile"),
        ((0, -2), "2 up from the start tile"),
        ((0, 1), "1 down from the start tile"),
        ((2, 1), "2 right, 1 down of the start tile"),
        ((1, -4), "1 right, 4 up of the start tile"),
        ((-2, 2), "2 left, 2 down of the start tile"),
        ((-1, -2), "1 left, 2 up of the start tile"),
    ],
)
def test_the_place_that_refutes_a_claim_is_named_from_the_start_tile(
    place: tuple[int, int], words: str
) -> None:
    """The board is a road to *place*, and that place is its only gap."""
    table = CamargueTable()
    crossing, target = table.state.config.box.tiles["water-nesw"], Place(*place)
    board = table.state.board
    for at in road_to(target):
        board = board.with_tile(LaidTile(at, Piece("water-nesw"), crossing))
    board = replace(board, gaps={target: board.gaps[target]})
    table.state = replace(table.state, board=board)
    table.action()
    table.tap("forest-nesw")
    assert table.is_foul
    assert table.said == (
        f"You can place the forest crossing: {words}. Ann must place it, there or elsewhere."
    )


def road_to(target: Place) -> list[Place]:
    """Return the places from the start tile to *target*, sideways first, then up or down.

    Both ends are left out.
    """
    right, down = (1 if n > 0 else -1 for n in (target.column, target.row))
    across = [Place(right * n, 0) for n in range(1, abs(target.column) + 1)]
    along = [Place(target.column, down * n) for n in range(1, abs(target.row) + 1)]
    return [*across, *along][:-1]


def test_a_claim_shows_how_many_tiles_are_to_go() -> None:
    table = CamargueTable().lay(**ONE_WAY)
    shown = []
    table.action()
    for tile in ("forest-ne", "water-ne", "village-ew"):
        shown.append(table.shown)
        table.tap(tile)
    assert shown == ["3 tiles to go", "2 tiles to go", "1 tile to go"]
    assert table.shown == "0 emergency"


def test_a_claim_with_fewer_tiles_shows_them_all() -> None:
    table = CamargueTable().lay(**ONE_WAY).hold(1, 2, pile=0)
    table.action()
    assert table.said == "Ann, tap the tile you hold."
    table.tap("forest-ne")
    assert table.told == ["take-emergency"]


def test_a_claim_of_which_no_tile_can_be_true_may_still_be_dropped() -> None:
    """With all landscape tiles played only helpers can be left, so the claim asks for no tile."""
    table = CamargueTable()
    kinds = table.state.config.drawable.items()
    table.mark_played(*(p for kind, some in kinds if not kind.startswith(HELPER) for p in some))
    table.action()
    assert [type(ask) for ask in table.asks] == [PressAsk]


def no_emergency_tile(table: CamargueTable) -> CamargueTable:
    """Mark all emergency tiles as used, and return *table*."""
    table.mark_played(*table.state.config.emergencies)
    return table


def passes(table: CamargueTable, *tiles: str) -> None:
    """Let the current player show *tiles*, none of which fits, and pass."""
    table.action()
    table.tap(*tiles)
    assert table.told[0] == "no-emergency-tile"


def test_play_goes_on_as_long_as_somebody_does_something_between_passes() -> None:
    """The game ends only if all players pass in a row, with no tile or helper played in between."""
    table = no_emergency_tile(CamargueTable(2).lay(**ONE_WAY).hold(1, 3, pile=0))
    passes(table, "forest-ne")
    table.play("water-ns", 1, -2)
    passes(table, "forest-ne")
    assert table.view.turn == 1
    table.play("lavender-ns", 1, -3)
    table.hold(1, 2, pile=0)
    passes(table, "forest-ne")
    table.tap("helper-grain-water")
    passes(table, "forest-ne")
    passes(table, "water-ne")
    assert table.view.is_over


def test_putting_aside_is_no_pass() -> None:
    table = no_emergency_tile(CamargueTable(2).lay(**ONE_WAY).hold(2, 3, pile=0))
    table.play("lavender-ns", 1, -2)
    table.tap("helper-lavender-water")
    table.choose("copy")
    table.action()
    assert table.view.turn == 0
    table = no_emergency_tile(CamargueTable(3).lay(**ONE_WAY).hold(2, 3, 3, pile=0))
    table.play("lavender-ns", 1, -2)
    table.tap("helper-lavender-water", seat=2)
    passes(table, "forest-ne", "water-ne", "village-ew")
    table.action()
    passes(table, "lavender-ew")
    passes(table, "forest-ne", "water-ne", "village-ew")
    assert (table.view.turn, table.view.is_over) == (2, False)
    passes(table, "village-ne", "forest-ew")
    assert table.view.is_over


def test_who_has_no_tiles_need_not_pass_before_all_have() -> None:
    table = no_emergency_tile(CamargueTable(3).lay(**ONE_WAY).hold(1, 0, 1, pile=0))
    passes(table, "forest-ne")
    assert table.view.turn == 2
    passes(table, "water-ne")
    assert table.view.is_over


# --- undo ----------------------------------------------------------------------------------------


def test_a_tapped_tile_is_taken_back() -> None:
    assert CamargueTable().put_back("forest-ew") == ["Take the forest straight back."]


def test_a_placed_tile_is_taken_up_and_the_drawn_one_put_back() -> None:
    table = CamargueTable()
    table.tap("forest-ew")
    place = PlaceChoice(Place(1, 0))
    up = "Take the forest straight up from the board."
    assert table.put_back(place) == ["Ann, put the tile you drew back.", up]
    table.hold(3, 3, pile=0)
    assert table.put_back(place) == [up]


def test_a_discarded_helper_is_taken_back_with_the_drawn_tile() -> None:
    assert CamargueTable().put_back("helper-grain-water") == [
        "Ann, put the tile you drew back.",
        "Take the helper for grain and water back.",
    ]


def test_a_copying_helper_is_taken_back_and_a_turn_of_putting_aside_undone() -> None:
    table = CamargueTable(3)
    table.play("lavender-ew", 1, 0)
    back = "Take the helper for lavender and water back."
    assert table.put_back("helper-lavender-water", seat=2) == [back]
    assert table.put_back("helper-lavender-water") == [back]
    table.tap("helper-lavender-water")
    assert table.put_back(SeatChoice(Seat(2))) == ["Choose again."]
    table.choose(1)
    assert table.put_back(Choice("copy")) == ["Choose again."]
    assert table.put_back(Choice("turn")) == ["Ben, put the tile you drew back.", "Choose again."]
    table.choose("copy")
    assert table.put_back(ACTION) == [
        "Ben, put the tile you drew back.",
        "Ben, lay the helper for lavender and water in front of you again.",
    ]


def test_of_a_claim_only_the_tile_is_taken_back() -> None:
    table = CamargueTable().lay(**ONE_WAY)
    assert table.put_back(ACTION) == []
    table.action()
    assert table.put_back(ACTION) == []
    assert table.put_back("forest-ne") == ["Take the forest curve back."]
    assert table.put_back("forest-ns") == ["Take the forest straight back."]
    table.tap("forest-ne", "water-ne", "village-ew")
    assert table.put_back("emergency") == ["Take the emergency tile back."]
    table.tap("emergency")
    assert table.put_back(PlaceChoice(Place(2, 0))) == [
        "Take the emergency tile up from the board."
    ]


def test_a_helper_is_undone_before_the_tile_it_helped_with() -> None:
    """Step by step: without the helper, then with the tile back in the first player's hand."""
    table = CamargueTable(3)
    table.tap("lavender-ew")
    before = table.state
    table.put(1, 0)
    placed = table.state
    table.tap("helper-lavender-water", seat=2)
    assert table.view.scores == (1, 0, 1)
    table.state = placed
    assert (table.view.scores, table.helping) == ((1, 0, 0), {2})
    table.state = before
    assert (table.view.scores, table.view.turn, table.helping) == ((0, 0, 0), 0, set())
