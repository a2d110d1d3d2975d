"""One test for each edge case in RULES 10, and tests of the house rules about them."""

import re
from dataclasses import fields, replace

import pytest

from engines.cramel.rules import State
from tests.engines.cramel_table import CASE, HALF, STOP, CramelTable


def test_edge_01_stop_takes_complete_sets_and_leaves_the_rest() -> None:
    """The turn printed in the rules: a Roby, three El-Els, three Janes and two Ring Boxes."""
    table = CramelTable()
    table.tap("roby", "el-el", "jane", "ring-box", "el-el", "jane", "ring-box", "jane", "el-el")
    assert table.headline == "6"
    table.stop()
    assert table.said == (
        "Ann takes 2 Janes, 3 El-Els, Roby. Face down again: Jane, 2 Ring Boxes. Ben to play."
    )
    assert table.view.scores == (6, 0, 0)
    counts = table.counts
    assert (counts["jane"], counts["el-el"], counts["ring-box"], counts["roby"]) == (2, 3, 8, 7)


def test_edge_02_two_sets_of_a_kind_are_both_taken() -> None:
    """Two Janes are a set, so four Janes are two sets."""
    table = CramelTable()
    table.tap("jane", "jane", "jane", "jane")
    assert table.headline == "4"
    table.stop()
    assert table.view.scores == (4, 0, 0)
    assert table.counts["jane"] == 0


def test_edge_02_house_rule_one_set_of_a_kind() -> None:
    """The second set is turned face down again; Cramels have no such limit."""
    table = CramelTable(options={"several-sets": False})
    table.tap("jane", "jane", "jane", "jane", "roby", "roby", "helena", "helena")
    assert table.headline == "5"
    table.stop()
    assert table.said == (
        "Ann takes 2 Janes, 2 Helenas, Roby. Face down again: 2 Janes, Roby. Ben to play."
    )
    table.tap("cramel", "cramel", "cramel")
    assert table.headline == "3"


def test_edge_03_bloom_ends_the_turn_and_may_move_to_a_free_place() -> None:
    """The player wins nothing. Mrs. Bloom may move only if tiles were won before."""
    table = CramelTable()
    table.tap("roby", "bloom")
    assert table.told == ["bloom", "turn"], "nothing was taken yet: she stays"
    assert table.hint == "Mrs. Bloom: all face down."
    assert (table.view.turn, table.headline) == (1, "0")
    assert table.view.scores == (0, 0, 0)
    table.tap("roby")
    table.stop()
    table.tap("bloom")
    assert table.told == ["bloom", "bloom-may-move", "turn"]
    assert table.hint == "All face down. Bloom may move."
    assert table.counts["bloom"] == 3


def test_edge_03_house_rule_bloom_stays() -> None:
    table = CramelTable(options={"bloom-may-move": False})
    table.tap("roby")
    table.stop()
    table.tap("bloom")
    assert table.told == ["bloom", "turn"]
    assert table.hint == "Mrs. Bloom: all face down."


def test_edge_04_cramel_first_may_be_taken_or_risked() -> None:
    table = CramelTable()
    table.tap("cramel")
    assert (table.headline, table.can_stop) == ("1", True)
    assert {"cramel", "roby", "bloom"} <= table.kinds
    table.stop()
    assert table.view.scores == (1, 0, 0)
    assert table.counts["cramels-1"] == 1


def test_edge_05_only_cramels_are_all_taken() -> None:
    table = CramelTable()
    table.tap("cramel", "cramel", "cramel", "cramel")
    assert table.headline == "4"
    table.stop()
    assert table.said == "Ann takes 4 Cramels. Ben to play."
    assert table.counts["cramels-1"] == 4


def test_edge_06_another_kind_after_cramel_ends_the_turn() -> None:
    table = CramelTable()
    table.tap("cramel", "cramel", "roby")
    assert table.said == (
        "Roby. Cramel stays alone: Ann takes nothing. All tiles go face down. Ben to play."
    )
    assert table.view.scores == (0, 0, 0)
    assert (table.counts["cramel"], table.counts["roby"], table.counts["open"]) == (12, 8, 0)


def test_edge_07_cramel_after_another_kind_ends_the_turn() -> None:
    table = CramelTable()
    table.tap("jane", "roby")
    assert table.headline == "1"
    table.tap("cramel")
    assert table.told == ["turned", "mixed", "turn"]
    assert table.view.scores == (0, 0, 0)
    assert (table.view.turn, table.headline) == (1, "0")
    assert table.hint == "No mix with Cramel: all face down."


def test_edge_08_bloom_after_cramels_is_bloom() -> None:
    """The Cramels are not won, and Mrs. Bloom may move."""
    table = CramelTable()
    table.win(0, "roby")
    table.tap("cramel", "cramel", "bloom")
    assert table.told == ["bloom", "bloom-may-move", "turn"]
    assert table.view.scores == (1, 0, 0)
    assert table.counts["cramel"] == 12


def test_edge_09_stop_without_a_set_is_allowed_without_a_tile_not() -> None:
    table = CramelTable()
    assert not table.can_stop
    assert table.refused(STOP).code == "nothing-turned"
    table.tap("helena", "ring-box")
    assert table.can_stop
    table.stop()
    assert table.said == ("Ann takes nothing. Face down again: Helena, Ring Box. Ben to play.")
    assert table.hint == "Nothing taken: all face down."


def test_edge_09_house_rule_nobody_stops_without_a_set() -> None:
    table = CramelTable(options={"stop-without-set": False})
    table.tap("helena", "ring-box")
    assert not table.can_stop
    refused = table.refused(STOP)
    assert (refused.code, refused.facts) == ("no-set-yet", {"n": 2})
    table.tap("helena")
    table.stop()
    assert table.view.scores == (2, 0, 0)
    assert table.refused(STOP).code == "nothing-turned"


def test_edge_10_three_four_and_five_ring_boxes() -> None:
    table = CramelTable()
    table.tap("ring-box", "ring-box", "ring-box")
    assert table.headline == "0"
    table.tap("ring-box")
    assert table.headline == "4"
    assert table.told == ["completes"]
    table.tap("ring-box")
    assert table.headline == "4"
    assert table.told == ["turned"]
    table.stop()
    assert table.said == "Ann takes 4 Ring Boxes. Face down again: Ring Box. Ben to play."
    assert table.counts["ring-box"] == 4


def test_edge_11_empty_places_stay_and_the_referee_knows_none() -> None:
    """A won tile leaves an empty place; the state does not say where."""
    table = CramelTable()
    table.win(0, "jane", "jane")
    assert {field.name for field in fields(State)} == {
        "config", "left", "won", "turn", "turned", "taken", "before", "turns_left",
    }  # fmt: skip
    other = CramelTable()
    other.win(0, "jane#3", "jane#4")
    same = replace(table.state, taken=other.state.taken)
    assert same == other.state, "but for the tags that were won, nothing tells the two apart"
    table.tap("bloom")
    assert "bloom-may-move" in table.told


def test_edge_12_an_open_tile_and_one_of_a_kind_used_up_are_refused() -> None:
    table = CramelTable()
    table.tap("helena#2")
    again = table.refused("helena#2")
    assert (again.code, again.rule) == ("already-played", "RULES 1.2")
    table.tap("helena#1", "helena#3")
    table.stop()
    table.tap("helena#1", "helena#2")  # Ann won two of the three; any two may be tapped
    assert "helena" not in table.kinds
    third = table.refused("helena#3")
    assert (third.code, third.rule) == ("none-left", "RULES 3.3")
    table.stop()
    assert table.counts["helena"] == 0
    assert table.refused("helena#4").code == "already-won", "since all are"


def test_edge_12_a_tile_face_down_again_may_be_turned_again() -> None:
    table = CramelTable()
    table.tap("helena#2", "bloom#1")
    table.tap("helena#2", "bloom#1")
    assert table.told == ["bloom", "turn"]


@pytest.mark.parametrize("gol_set", ["2", "4"])
def test_edge_13_the_game_ends_when_only_blooms_are_left(gol_set: str) -> None:
    """The game ends when the 46 other tiles are won, whether two or four Gols make a set."""
    table = CramelTable(2, options={"gol-set": gol_set})
    table.win(0, *["cramel"] * 7)
    table.win(1, *["cramel"] * 5)
    table.win(0, *["gol"] * 4, *["jane"] * 4, *["helena"] * 4, *["el-el"] * 6)
    table.win(1, *["ring-box"] * 8, *["roby"] * 7)
    assert not table.view.is_over
    assert {kind for kind in table.counts if table.counts[kind]} >= {"roby", "bloom"}
    table.win(0, "roby")
    assert table.view.is_over
    assert table.asks == ()
    assert table.view.scores == (7 + 18 + 1 + 3, 5 + 15)
    assert table.refused("bloom").facts == {"waits": "over"}


def test_edge_14_most_cramels_alone_take_the_blooms() -> None:
    table = CramelTable(2)
    table.win(0, *["cramel"] * 7)
    table.win(1, *["cramel"] * 5)
    table.win(0, *HALF)
    table.win(1, *HALF, *["roby"] * 8)
    assert table.told[:4] == ["takes", "nothing-left", "most-cramels", "total"]
    assert "Ann has the most Cramels and takes the Blooms." in table.said
    assert table.view.scores == (7 + 13 + 3, 5 + 13 + 8)
    assert table.counts["bloom"] == 0


def test_edge_14_nobody_takes_the_blooms_when_several_have_most_cramels() -> None:
    table = CramelTable(3)
    table.win(0, *["cramel"] * 5)
    table.win(1, *["cramel"] * 5)
    table.win(2, "cramel", "cramel")
    table.win(0, *HALF, *["roby"] * 8)
    table.win(1, *HALF)
    assert "cramels-tied" in table.told
    assert table.view.scores == (26, 18, 2)
    assert table.counts["bloom"] == 3


def three_with_equal_tiles() -> CramelTable:
    """Return a finished game in which Ann and Cem have 18 tiles each.

    Ann and Ben have 5 Cramels each, so nobody gets a Bloom.
    """
    table = CramelTable(3)
    table.win(0, *["cramel"] * 5)
    table.win(1, *["cramel"] * 5)
    table.win(2, "cramel", "cramel")
    table.win(0, *HALF)
    table.win(1, *["roby"] * 5)
    table.win(2, *HALF, *["roby"] * 3)
    assert table.view.scores == (18, 10, 18)
    return table


def equal_in_all(seats: int = 2, dealer: int = 1, **options: bool) -> CramelTable:
    """Return a finished game in which the first two seats have 6 Cramels and 23 tiles each."""
    names = {name.replace("_", "-"): value for name, value in options.items()}
    table = CramelTable(seats, dealer=dealer, options={**names})
    for _ in "12":
        for seat in (0, 1):
            table.win(seat, "cramel", "cramel", "cramel")
    table.win(0, *HALF, *["roby"] * 4)
    table.win(1, *HALF, *["roby"] * 4)
    return table


def test_edge_15_more_cramels_break_a_tie_and_then_it_is_shared() -> None:
    table = three_with_equal_tiles()
    assert table.view.winners == (0,)
    assert table.said.endswith("Ann wins with 18 tiles and more Cramels.")
    assert CASE.words.say(table.view.caption) == "more Cramels"
    table = equal_in_all()
    assert table.view.scores == (23, 23)
    assert table.view.winners == (0, 1)
    assert table.told[-2:] == ["shared-win", "shared-win"]


@pytest.mark.parametrize(("dealer", "winner"), [(1, 1), (0, 0)])
def test_edge_15_house_rule_who_began_later_wins(dealer: int, winner: int) -> None:
    """If the last seat laid out, seat 0 began and seat 1 wins; if the first did, seat 0 wins."""
    table = equal_in_all(dealer=dealer, shared_win=False)
    assert table.view.scores == (23, 23)
    assert table.view.winners == (winner,)
    assert table.told[-1] == "winner-by-order"
    assert CASE.words.say(table.view.caption) == "began later"


def test_edge_16_the_blooms_are_awarded_before_tiles_are_compared() -> None:
    """Ann has 22 tiles to Ben's 24, but wins with the three Blooms."""
    table = CramelTable(2)
    table.win(0, *["cramel"] * 7)
    table.win(1, *["cramel"] * 5)
    table.win(0, *HALF, "roby", "roby")
    assert table.view.scores == (22, 5)
    table.win(1, *HALF, *["roby"] * 6)
    assert table.view.scores == (25, 24)
    assert table.view.winners == (0,)
    assert table.said.endswith("Ann has 25 tiles. Ben has 24 tiles. Ann wins with 25 tiles.")


def test_edge_17_a_tile_known_to_be_won_is_refused() -> None:
    """All open Robys were won, so their tags are known to be Ann's; other Robys may be turned."""
    table = CramelTable(2)
    table.tap("roby#1", "roby#2", "jane#1")
    table.stop()
    won = table.refused("roby#1")
    assert (won.code, won.rule) == ("already-won", "RULES 3.3")
    assert CASE.words.fill("already-won.happened", won.facts) == "This tile is won already: Roby."
    table.tap("jane#1", "roby#3")
    assert table.refused("roby#2").code == "already-won"
    assert table.headline == "1"


def test_edge_17_where_some_of_a_kind_stayed_behind_nobody_knows_which() -> None:
    table = CramelTable(2)
    table.tap("jane#1", "jane#2", "jane#3")
    table.stop()
    table.tap("jane#1")
    assert table.counts["open"] == 1


def test_edge_17_a_kind_of_which_all_are_won_says_so() -> None:
    """With all eight Robys won, each is refused as won."""
    table = CramelTable(2)
    table.win(0, *["roby"] * 8)
    for copy in range(1, 9):
        assert table.refused(f"roby#{copy}").code == "already-won"


def test_edge_17_taken_back_a_tile_can_be_turned_again() -> None:
    table = CramelTable(2)
    table.tap("roby#1")
    before = table.state
    table.stop()
    assert table.refused("roby#1").code == "already-won"
    table.state = before
    table.stop()
    assert table.counts["won-1"] == 1


def test_rules_sheet_names_a_test_for_each_edge_case() -> None:
    named = re.findall(r"`(test_edge_\w+)`", CASE.rules)
    assert [int(name.split("_")[2]) for name in named] == list(range(1, 18))
    assert all(name in globals() for name in named)
