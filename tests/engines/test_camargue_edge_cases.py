"""One test for each edge case in RULES 11; tests of its house rules follow it."""

import re

import pytest

from engines.common.contract import Button, Choice, Press, Seat, SeatChoice
from engines.common.grid import Place
from engines.common.pieces import Piece
from tests.engines.camargue_table import CASE, HELPER, CamargueTable

# Every path from the start tile leads back to it, so no path is open.
CLOSED = {
    "forest_es": (0, -1), "grain_sw": (1, -1), "village_nw": (1, 0),
    "water_nw": (0, 1), "lavender_ne": (-1, 1), "grain_es": (-1, 0),
}  # fmt: skip
# The same board with one open path: upwards, to 1, -2.
ONE_WAY = {**CLOSED, "grain_nsw": (1, -1)}
del ONE_WAY["grain_sw"]


def placed(seats: int = 3, **options: bool) -> CamargueTable:
    """Return a table at which the first player has just placed a lavender tile for one point."""
    table = CamargueTable(seats, **options)
    table.play("lavender-ew", 1, 0)
    return table


def stuck(seats: int = 3, **options: bool) -> CamargueTable:
    """Return a table at which no tile fits anywhere."""
    return CamargueTable(seats, **options).lay(**CLOSED)


def in_emergency(seats: int = 3, **options: bool) -> CamargueTable:
    """Return a table at which the first player showed three tiles and takes an emergency tile."""
    table = stuck(seats, **options)
    table.action()
    table.tap("forest-ne", "water-nesw", "village-ew")
    return table


# --- points --------------------------------------------------------------------------------------


def test_edge_01_area_of_one_scores_its_edges() -> None:
    """A tile with no neighbour of its own landscape is an area of one: it scores its edges."""
    table = placed()
    assert (table.shown, table.view.scores, table.said) == (
        "1 1 x 1", (1, 0, 0), "1 times 1 is 1. Ben to play.",
    )  # fmt: skip
    table = CamargueTable().lay(lavender_es=(0, -1), grain_nw=(1, 0))
    table.play("forest-sw", 1, -1)
    assert table.shown == "2 1 x 2"


def test_edge_02_other_landscapes_and_the_start_tile_are_edges_not_area() -> None:
    """Start tile, water, grain and forest all count as edges; only the forest adds to the area."""
    table = CamargueTable().lay(grain_es=(1, -1), forest_nw=(2, 0), water_ne=(1, 1))
    table.play("forest-nesw", 1, 0)
    assert table.shown == "8 2 x 4"


def test_edge_02_house_rule_start_tile_does_not_count() -> None:
    """A tile next to the start tile alone scores nothing."""
    table = placed(start_counts=False)
    assert (table.shown, table.view.scores) == ("0 1 x 0", (0, 0, 0))


def test_edge_03_areas_that_are_joined_count_once() -> None:
    """A tile that joins two areas scores them as one; an area it meets at two edges counts once."""
    table = CamargueTable().lay(forest_es=(0, -1), forest_nw=(1, 0))
    table.play("forest-sw", 1, -1)
    assert table.shown == "6 3 x 2"
    ring = {"forest_nesw": (1, 0), "forest_es": (1, -1), "forest_sw": (2, -1)}
    table = CamargueTable().lay(**ring)
    table.play("forest-nw", 2, 0)
    assert table.shown == "8 4 x 2"


# --- legal places --------------------------------------------------------------------------------


def test_edge_04_edges_without_a_path_alone_do_not_connect() -> None:
    """Above a tile whose path runs left to right, no path can be continued."""
    table = placed()
    table.tap("village-ew")
    assert table.refusal_at(1, -1).code == "continues-no-path"
    assert (1, -1) not in table.offers


def test_edge_05_one_edge_that_does_not_match_is_enough_to_refuse() -> None:
    """At 1, -1 a path comes in from the left, but the tile below has no path."""
    corner = {"lavender_es": (0, -1), "forest_ew": (1, 0)}
    table = CamargueTable().lay(**corner)
    table.tap("grain-sw")
    error = table.refusal_at(1, -1)
    assert (error.code, error.facts) == ("cuts-path", {"side": "s"})
    table = CamargueTable().lay(**corner)
    table.tap("grain-ns")
    assert table.refusal_at(1, -1).facts == {"side": "s"}
    assert table.refusal_at(-1, 0).facts == {"side": "e"}
    table = CamargueTable().lay(**corner)
    table.play("grain-ew", 1, -1)
    assert table.shown == "2 1 x 2"


def test_edge_05_house_rule_own_path_may_end() -> None:
    """With the rule off, a new tile's own paths may end; those on the board must be continued."""
    corner = {"lavender_es": (0, -1), "forest_ew": (1, 0)}
    table = CamargueTable(no_dead_ends=False).lay(**corner)
    table.tap("grain-sw")
    assert (1, -1) in table.offers
    table.put(1, -1)
    table.tap("grain-ns")
    assert table.refusal_at(-1, 0).facts == {"side": "e"}
    assert table.refusal_at(1, 1).code == "continues-no-path"


def test_edge_06_corners_do_not_count_and_tiles_are_not_turned() -> None:
    """Tiles that touch only at a corner are not neighbours, and a curve fits one way round only."""
    table = CamargueTable()
    table.tap("forest-ne")
    assert table.refusal_at(1, -1).code == "touches-nothing"
    assert table.refusal_at(5, 5).code == "touches-nothing"
    assert table.refusal_at(0, 0).code == "occupied"
    assert table.offers == {(-1, 0): "1 1 x 1", (0, 1): "1 1 x 1"}
    assert {table.refusal_at(0, -1).code, table.refusal_at(1, 0).code} == {"cuts-path"}


# --- helpers -------------------------------------------------------------------------------------


def test_edge_07_helper_in_the_own_turn_is_ten_points_and_a_tile() -> None:
    """Any helper may be discarded; its player draws a tile, and nobody can copy."""
    table = CamargueTable(3)
    table.tap("helper-grain-water")
    assert table.said == "Ann puts a helper aside: 10 points. Ben to play."
    assert (table.view.scores, table.view.turn, table.shown) == ((10, 0, 0), 1, "10 helper")
    counts = table.counts
    assert (counts["hand-1"], counts["pile"], counts["removed"]) == (3, 80, 1)
    assert not table.helping
    assert table.refused("helper-forest-grain", seat=2).code == "not-your-turn"


def test_edge_08_several_copy_each_with_one_helper() -> None:
    """Copying players score as much as the placing player and draw nothing.

    Nobody copies twice, and nobody copies their own tile.
    """
    table = placed(5)
    assert table.helping == {2, 3, 4}
    assert table.kinds(3) == {
        "helper-forest-lavender", "helper-grain-lavender",
        "helper-lavender-village", "helper-lavender-water",
    }  # fmt: skip
    table.tap("helper-lavender-water", seat=3)
    assert table.said == "Dora copies 1 point with a helper."
    table.tap("helper-forest-lavender", seat=2)
    assert (table.view.scores, table.shown) == ((1, 0, 1, 1, 0), "1 copied")
    assert [table.counts[f"hand-{n}"] for n in range(1, 6)] == [3, 3, 2, 2, 3]
    assert [table.counts[f"front-{n}"] for n in range(1, 6)] == [0, 0, 1, 1, 0]
    assert (table.counts["pile"], table.counts["removed"], table.helping) == (74, 0, {4})
    assert table.refused("helper-grain-lavender", seat=3).code == "helper-in-front"
    assert table.refused("helper-grain-lavender", seat=0).code == "own-tile"
    error = table.refused("helper-grain-water", seat=4)
    assert (error.code, error.facts["landscape"]) == ("no-match", "lavender")


def test_edge_08_one_reader_asks_whose_helper_it_is() -> None:
    """The current player is a choice too; a seat that may not copy is refused."""
    table = placed(4)
    table.tap("helper-lavender-water")
    assert (table.whose, table.hint, table.view.turn) == ((1, 2, 3), "Whose helper is that?", 1)
    assert table.refused(SeatChoice(Seat(0))).code == "own-tile"
    assert table.refused(SeatChoice(Seat(4))).code == "not-expected-now"
    table.choose(3)
    assert (table.view.scores, table.view.turn) == ((1, 0, 0, 1), 1)
    table.tap("helper-grain-lavender")
    assert table.whose == (1, 2)
    assert table.refused(SeatChoice(Seat(3))).code == "helper-in-front"
    table.choose(2)
    table.tap("helper-forest-lavender")
    assert table.view.phase == "copy-or-turn"


def test_edge_08_the_next_player_copies_or_discards() -> None:
    """The choice with more points is offered first; after copying, the turn is to put aside."""
    table = placed(2)
    table.tap("helper-lavender-water")
    assert table.choices == ("turn", "copy")
    assert table.hint == "Copy 1, or use your turn for 10?"
    before = table.state
    table.choose("copy")
    assert table.said == (
        "Ben copies 1 point with a helper. Ben: put the helper aside and draw a tile."
    )
    assert (table.view.scores, table.view.turn, table.label) == ((1, 1), 1, "put aside")
    table.state = before
    table.choose("turn")
    assert (table.view.scores, table.view.turn) == ((1, 10), 0)
    street = {
        "village_es": (0, -1), "village_nsw": (1, 0),
        "village_ns": (1, 1), "village_nsw__2": (1, 2),
    }  # fmt: skip
    for more, points, first in ({}, 10, "turn"), ({"village_nes": (1, 3)}, 12, "copy"):
        table = CamargueTable(2).lay(**street, **more)
        table.play("village-sw", 1, -1)
        table.tap("helper-forest-village")
        assert table.hint == f"Copy {points}, or use your turn for 10?"
        assert table.choices[0] == first


def test_edge_09_window_closes_when_the_next_player_acts() -> None:
    """A tile, a helper or a claim ends the time to copy; dropping the claim restores it."""
    table = placed()
    table.tap("forest-ew", seat=1)
    assert table.refused("helper-lavender-water", seat=2).code == "not-expected-now"
    table.put(2, 0)
    assert table.kinds(0) == {
        "helper-forest-grain", "helper-forest-lavender",
        "helper-forest-village", "helper-forest-water",
    }  # fmt: skip
    table = placed()
    table.tap("helper-forest-grain", seat=1)
    assert not table.helping
    table = placed()
    table.tap("helper-grain-lavender", seat=1)
    table.choose("copy")
    assert table.helping == {2}
    table.action()
    assert (table.helping, table.view.turn) == (set(), 2)
    assert table.refused("helper-lavender-water", seat=1).code == "not-your-turn"
    table = placed()
    table.action()
    assert table.refused("helper-lavender-water", seat=2).code == "not-your-turn"
    table.action()
    assert table.helping == {2}


def test_edge_10_with_a_helper_in_front_the_turn_is_to_put_it_aside() -> None:
    """The player then draws, unless the piles are empty. Playing a tile or a helper is refused."""
    table = placed()
    table.tap("helper-lavender-water", seat=1)
    table.choose("copy")
    assert table.hint == "Helper for lavender? Or aside and draw."
    assert (table.kinds(1), table.refused("forest-ew").code) == (set(), "helper-in-front")
    assert table.refused("helper-grain-water").code == "no-match"
    assert table.refused("helper-grain-water", seat=1).code == "helper-in-front"
    table.action()
    assert table.said == "Ben puts the helper aside and plays no tile. Cem to play."
    assert table.shown == "0 put aside"
    counts = table.counts
    assert (counts["hand-2"], counts["front-2"], counts["removed"]) == (3, 0, 1)
    assert counts["pile"] == 79
    table = placed().hold(3, 3, 3, pile=0)
    table.tap("helper-lavender-water", seat=1)
    table.choose("copy")
    assert table.told[-1] == "aside-only"
    table.action()
    assert (table.counts["hand-2"], table.view.turn) == (2, 2)


def test_edge_11_helper_in_front_decides_not_the_hand() -> None:
    """However few tiles are in the hand: a helper in front is put aside, else a tile is placed."""
    table = CamargueTable(3).hold(2, 2, 1, pile=0)
    table.play("lavender-ew", 1, 0)
    assert (table.counts["hand-1"], table.view.turn, table.label) == (1, 1, "none fits")
    table.tap("helper-lavender-water", seat=2)
    assert (table.counts["hand-3"], table.counts["front-3"]) == (0, 1)
    table.play("lavender-ns", 0, -1)
    assert (table.view.turn, table.label) == (2, "put aside")
    table.action()
    assert (table.view.turn, table.counts["removed"]) == (0, 1)


def test_edge_11_house_rule_three_tiles_to_copy() -> None:
    table = CamargueTable(4, three_to_copy=True).hold(3, 3, 2, 3, pile=0)
    table.play("lavender-ew", 1, 0)
    assert table.helping == {3}
    error = table.refused("helper-lavender-water", seat=2)
    assert (error.code, error.facts) == ("fewer-than-three", {"seat": 2, "n": 2})


def test_edge_12_after_helpers_it_is_the_turn_of_the_placers_left() -> None:
    """Copying does not change whose turn it is."""
    table = placed(4)
    for seat, tile in ((3, "helper-lavender-water"), (2, "helper-grain-lavender")):
        table.tap(tile, seat=seat)
        assert table.view.turn == 1
    table.play("forest-ew", 2, 0)
    assert (table.view.turn, table.label) == (2, "put aside")


# --- emergencies ---------------------------------------------------------------------------------


def test_edge_13_helper_in_the_hand_is_no_emergency() -> None:
    """The claim is refused; after dropping it the player may discard the helper."""
    table = stuck()
    table.action()
    table.tap("forest-ne")
    error = table.refused("helper-grain-water")
    assert error.code == "helper-in-hand"
    table.action()
    assert (table.view.phase, table.told) == ("play", ["turn"])
    table.tap("helper-grain-water")
    assert table.view.scores == (10, 0, 0)


def test_edge_13_helper_of_nobody_known_is_answered_for_the_claimant_and_for_all_others() -> None:
    """On the claimant's own reader the helper is the claimant's; on the shared one, anybody's."""
    table = stuck()
    table.action()
    own, unknown = table.refused("helper-grain-water", seat=0), table.refused("helper-grain-water")
    assert (own.code, own.words) == ("helper-in-hand", "helper-in-hand")
    assert (unknown.code, unknown.words) == ("helper-in-hand", "helper-in-claim")
    assert unknown.facts == {"seat": 0, "piece": Piece("helper-grain-water")}
    assert table.refused("helper-grain-water", seat=1).code == "not-your-turn"


def test_edge_14_wrong_claim_places_that_tile() -> None:
    """The referee names a place; the tile must be placed, it scores, and the player draws."""
    table = CamargueTable(3).lay(**ONE_WAY)
    table.action()
    assert table.hint == "Tap what you hold: 3 tiles to go."
    table.tap("forest-ne")
    assert (table.is_foul, table.said) == (False, "No place for the forest curve. 2 tiles to go.")
    table.tap("forest-ns")
    assert table.is_foul
    assert table.said.startswith("You can place the forest straight: 1 right, 2 up of the start")
    assert table.offers == {(1, -2): "1 1 x 1"}
    assert table.refused("water-ns").code == "not-expected-now"
    assert table.refused(Press(Button.ACTION)).code == "not-expected-now"
    pile = table.counts["pile"]
    table.put(1, -2)
    assert (table.view.scores, table.view.turn) == ((1, 0, 0), 1)
    assert (table.counts["hand-1"], table.counts["pile"]) == (3, pile - 1)
    assert table.helping == {2}


def test_edge_14_tiles_shown_in_a_wrong_claim_are_still_in_the_hand() -> None:
    """The referee accepts such a tile later, when it fits."""
    table = CamargueTable(2).lay(**ONE_WAY)
    table.action()
    table.tap("forest-ne", "water-esw")
    table.put(1, -2)
    assert "forest-ne" in table.kinds(1)


def test_edge_14_right_claim_places_an_emergency_tile_and_then_plays() -> None:
    """The tile adds three open paths, scores nothing, and its blank edge faces a blank edge.

    Then the player takes a normal turn.
    """
    table = in_emergency()
    assert table.said == "Ann is right. Take an emergency tile and tap it."
    table.tap("emergency")
    assert set(table.offers) == {
        (0, -2), (1, -2), (2, -1), (2, 0), (0, 2), (-1, 2), (-2, 1), (-2, 0),
    }  # fmt: skip
    assert (table.offers[2, 0], table.offers[0, 2]) == ("0 blank left", "0 blank top")
    spoken = [offer.spoken for offer in table.place_ask.offers]
    assert {CASE.words.say(each) for each in spoken if each is not None} >= {
        "blank edge left",
        "blank edge top",
    }
    assert table.refusal_at(-1, -1).code == "no-place-for-emergency"
    assert table.refusal_at(3, 0).code == "touches-nothing"
    assert table.refusal_at(0, 0).code == "occupied"
    table.put(2, 0)
    assert (table.view.scores, table.view.turn, table.shown) == ((0, 0, 0), 0, "0 emergency")
    assert (table.counts["hand-1"], table.counts["emergency"]) == (3, 4)
    table.play("forest-ne", 2, 1)
    assert (table.shown, table.view.turn) == ("1 1 x 1", 1)


def test_edge_14_emergency_tile_does_not_touch_a_path() -> None:
    """A place that an open path leads to is not offered, even though a path could be continued."""
    table = CamargueTable().lay(**ONE_WAY)
    table.action()
    table.tap("forest-ne", "water-ne", "village-ew")
    table.tap("emergency")
    assert (1, -2) not in table.offers
    assert table.refusal_at(1, -2).code == "no-place-for-emergency"


def test_edge_14_house_rule_emergency_tile_is_not_turned() -> None:
    """The tile's blank edge is at the top in the deck file, so the tile is placed below another."""
    table = in_emergency(turn_emergency=False)
    table.tap("emergency")
    assert set(table.offers) == {(0, 2), (-1, 2)}


def test_edge_15_nobody_copies_an_emergency_tile() -> None:
    """An emergency tile scores nothing, and the tile placed before can no longer be copied."""
    before = {name: place for name, place in CLOSED.items() if name != "grain_es"}
    table = CamargueTable(3).lay(**before)
    table.play("grain-es", -1, 0)
    assert table.helping == {2}
    table.action()
    table.tap("forest-ne", "water-nesw", "village-ew", "emergency")
    table.put(2, 0)
    assert not table.helping
    assert table.refused("helper-grain-water", seat=2).code == "not-your-turn"
    assert table.refused("helper-grain-water").code == "too-late-to-copy", "it is not Ann's"


def test_edge_15_a_helper_for_an_emergency_tile_hears_that_there_is_nothing_to_copy() -> None:
    """The tile waits for its place, and gives no points once it lies there."""
    table = in_emergency()
    table.tap("emergency")
    for seat in (None, 1):
        error = table.refused("helper-grain-water", seat=seat)
        assert error.facts == {"waits": "place-no-copy", "piece": Piece("emergency")}
    assert table.refused("forest-ns").facts["waits"] == "place"


def test_edge_16_after_an_emergency_tile_every_tile_fits() -> None:
    """An emergency tile has three open paths, and every landscape tile at least two."""
    table = in_emergency()
    table.tap("emergency")
    before = table.state
    for place in table.offers:
        table.state = before
        table.put(*place)
        assert table.kinds(0) == {"forest-ne", "water-nesw", "village-ew"}


def test_edge_16_no_emergency_tile_left_passes_the_turn() -> None:
    """The player neither discards nor draws; when all players have passed, the game is over."""
    table = stuck(2)
    table.mark_played(*table.state.config.emergencies)
    table.action()
    table.tap("forest-ne", "water-nesw", "village-ew")
    assert table.said == "Ann cannot play, and no emergency tile helps. Ben to play."
    assert (table.counts["hand-1"], table.shown) == (3, "0 no tile fits")
    table.action()
    table.tap("forest-ns", "water-ns", "village-ns")
    assert table.told[:2] == ["no-emergency-tile", "stuck"]
    assert table.view.winners == (0, 1)


def test_edge_16_house_rule_emergency_tile_may_have_no_place() -> None:
    """An emergency tile that may not be turned needs a tile above it.

    Here the only such place has an open path.
    """
    only_down = {
        "water_esw": (0, -1), "grain_sw": (1, -1), "village_nw": (1, 0),
        "forest_es": (-1, -1), "lavender_ne": (-1, 0), "forest_ns": (0, 1),
    }  # fmt: skip
    for may_turn, told in (True, ["take-emergency"]), (False, ["no-emergency-tile", "turn"]):
        table = CamargueTable(turn_emergency=may_turn).lay(**only_down)
        table.action()
        table.tap("water-es", "water-sw", "water-ew")
        assert table.told == told


def test_edge_17_holes_that_nothing_fills_are_allowed() -> None:
    """The hole above the start tile has one path into it; every tile has at least two paths."""
    table = CamargueTable().lay(
        lavender_nw=(1, 0),
        village_ns=(1, -1),
        grain_sw=(1, -2),
        water_ne=(0, -2),
        forest_ne=(-1, 0),
    )
    table.play("forest-ns", -1, -1)
    assert table.shown == "2 2 x 1"
    hole = table.state.board.gaps[Place(0, -1)]
    assert (len(hole.beside), hole.open.bit_count()) == (4, 1)
    for kind in sorted(table.kinds(1)):
        if not kind.startswith(HELPER):
            assert (0, -1) not in places_of(table, kind)


def places_of(table: CamargueTable, kind: str) -> set[tuple[int, int]]:
    """Return the places where *kind* fits."""
    before = table.state
    table.tap(kind)
    places = set(table.offers)
    table.state = before
    return places


# --- scores and the end --------------------------------------------------------------------------


@pytest.mark.parametrize(("before", "after"), [(0, 18), (96, 114), (990, 1008), (4995, 5013)])
def test_edge_18_scores_carry_and_go_on_beyond_999(before: int, after: int) -> None:
    """6 x 3 scores 18, on top of any earlier total."""
    table = CamargueTable().score(before, 0).lay(
        village_es=(0, -1), village_nsw=(1, 0), village_nsw__2=(1, 1), village_ns=(1, 2),
        village_new=(0, -2), water_esw=(1, -2),
    )  # fmt: skip
    table.play("village-nesw", 1, -1)
    assert table.shown == "18 6 x 3"
    assert table.said.startswith("6 times 3 is 18.")
    assert table.view.scores[0] == after


def test_edge_18_four_points_are_carried() -> None:
    table = CamargueTable().score(27, 0).lay(forest_es=(0, -1), grain_nw=(1, 0))
    table.play("forest-sw", 1, -1)
    assert (table.shown, table.view.scores) == ("4 2 x 2", (31, 0))


def test_edge_19_play_goes_on_until_all_tiles_are_played() -> None:
    """Once the piles are empty the hands shrink; the last tile played ends the game."""
    table = CamargueTable(2).hold(3, 3, pile=1)
    table.play("lavender-ew", 1, 0)
    assert table.told == ["scores", "piles-empty", "turn"]
    assert (table.counts["hand-1"], table.counts["pile"]) == (3, 0)
    for column in range(2, 8):
        assert table.view.phase == "play"
        table.play(f"{('forest', 'grain', 'village')[column % 3]}-nesw", column, 0)
    assert table.view.phase == "over"
    assert [table.counts[f"hand-{n}"] for n in (1, 2)] == [0, 0]
    assert table.told == ["scores", "total", "total", "winner"]


def test_edge_19_a_player_with_nothing_left_is_passed_over() -> None:
    """A player who has passed may have more tiles left than the others, whose turns are skipped."""
    table = CamargueTable(3).hold(2, 0, 1, pile=0)
    table.play("lavender-ew", 1, 0)
    assert table.view.turn == 2
    assert table.refused("helper-lavender-water", seat=1).code == "no-tiles-left"
    table.play("forest-ew", 2, 0)
    assert table.view.turn == 0
    table.play("village-ew", 3, 0)
    assert table.view.is_over


@pytest.mark.parametrize("seats", range(2, 7))
def test_edge_20_tie_is_shared_and_four_players_leave_two_tiles_out(seats: int) -> None:
    """Four players leave out two of the 90 tiles, so that all have the same number of turns."""
    table = CamargueTable(seats)
    out = 2 if seats == 4 else 0
    assert (table.counts["out"], table.counts["pile"]) == (out, 90 - out - 3 * seats)
    assert (90 - out) % seats == 0
    table.hold(1, *[0] * (seats - 1), pile=0).score(6, *[7] * (seats - 1))
    table.play("lavender-ew", 1, 0)
    assert table.view.winners == tuple(range(seats))
    assert table.shown == "7 win with"
    assert table.told[-seats:] == ["shared-win"] * seats


# --- the hand is known after a right claim -------------------------------------------------------


def after_the_emergency_tile() -> CamargueTable:
    """Return a table at which Ann has shown her hand and placed an emergency tile."""
    table = in_emergency()
    table.tap("emergency")
    table.put(2, 0)
    return table


def test_edge_21_after_a_right_claim_only_the_tiles_shown_are_taken() -> None:
    """Another copy of a shown kind is refused too; the error has the player and the tile count."""
    table = after_the_emergency_tile()
    assert table.kinds(0) == {"forest-ne", "water-nesw", "village-ew"}
    assert table.hint == "Tap one of the tiles you showed."
    for other in ("forest-ns", "water-nesw#2"):
        error = table.refused(other)
        assert (error.code, error.facts) == ("not-in-hand", {"seat": 0, "n": 3})
        assert table.refused(other, seat=0).code == "not-in-hand"
    assert table.refused("forest-ns", seat=1).code == "not-your-turn"
    assert table.refused(Choice("copy")).facts == {"waits": "known-hand"}
    table.play("forest-ne", 2, 1)
    assert (table.view.turn, table.view.scores) == (1, (1, 0, 0))
    assert "forest-ns" in table.kinds(1), "Ben's hand is not known"
    assert table.hint.startswith("Helper for forest?")


def test_edge_21_a_late_helper_is_not_the_claimants() -> None:
    """The helper scores nothing for anybody, and the turn does not pass."""
    table = after_the_emergency_tile()
    for seat in (None, 0):
        error = table.refused("helper-grain-water", seat=seat)
        assert (error.code, error.facts) == ("too-late-to-copy", {"seat": 0})
    assert table.refused("helper-grain-water", seat=1).code == "not-your-turn"
    assert (table.view.turn, table.view.scores) == (0, (0, 0, 0))


def test_edge_21_in_the_emergency_a_late_helper_a_shown_tile_and_others_are_told_apart() -> None:
    """The claimant holds no helper, and none of the tiles that were shown fits yet."""
    table = in_emergency()
    late = table.refused("helper-grain-water")
    assert (late.code, late.facts) == ("too-late-to-copy", {"seat": 0})
    assert table.refused("water-nesw").facts == {"waits": "emergency-first"}
    assert table.refused("water-nesw#2").facts == {"waits": "emergency"}
    assert table.refused("water-nw#1").code == "already-played"
    assert table.refused("helper-grain-water", seat=1).code == "not-your-turn"


def test_edge_21_a_second_claim_shows_the_same_tiles() -> None:
    """If the emergency tile did not help, the hand can only be the same three tiles."""
    table = after_the_emergency_tile()
    table.action()
    assert table.refused("forest-ns").code == "not-in-hand"
    assert table.refused("helper-grain-water").code == "too-late-to-copy"
    table.tap("forest-ne")
    assert table.is_foul, "it fits now"


def test_edge_21_without_an_emergency_tile_the_next_hand_is_not_known() -> None:
    table = stuck(2)
    table.mark_played(*table.state.config.emergencies)
    table.action()
    table.tap("forest-ne", "water-nesw", "village-ew")
    assert table.view.turn == 1
    assert table.refused("forest-ns").code == "fits-nowhere"
    table.tap("helper-grain-water")
    assert table.view.scores == (0, 10)


def test_edge_21_a_wrong_or_dropped_claim_leaves_the_hand_unknown() -> None:
    table = CamargueTable(2).lay(**ONE_WAY)
    table.action()
    table.tap("forest-ne")
    table.action()
    assert "helper-grain-water" in table.kinds(0)
    table.tap("helper-grain-water")
    assert table.view.scores == (10, 0)


# --- the list in the rules sheet -----------------------------------------------------------------


def test_every_edge_case_of_the_rules_sheet_has_its_test() -> None:
    rows = re.findall(r"^\| (\d+) \|.*\| `(test_edge_\d+_\w+)` \|$", CASE.rules, re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 22))
    assert all(name in globals() for _, name in rows)
    assert all(name.startswith(f"test_edge_{int(number):02}_") for number, name in rows)
