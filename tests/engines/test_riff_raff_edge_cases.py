"""One test for each edge case in RULES 10, and tests of the house rules about them."""

import re

import pytest

from engines.common.contract import Choice, ChoiceAsk, Number, PressAsk, Seat, SeatChoice
from tests.engines.riff_raff_table import CASE, OK, RiffRaffTable


def test_edge_01_captain_in_office_names_the_new_one_himself_too() -> None:
    """Cem is captain, and he and Ann have both played the 9."""
    table = RiffRaffTable()
    table.reveal(9, 4, 9)
    assert table.said == "Cem: 9. Several played 9. Cem names the captain."
    assert (table.phase, table.view.turn, table.asked) == ("captain", 2, (0, 2))
    assert table.refused(SeatChoice(Seat(1))).code == "cannot-be-chosen"
    table.choose(2)
    assert table.said == "Cem is captain. Cem loads area 9."
    assert table.counts["captain"] == 3


def test_edge_01_house_rule_the_captain_names_somebody_else() -> None:
    """With two tied there is no choice left; with three he chooses between the other two."""
    table = RiffRaffTable(options={"captain-names-himself": False})
    table.reveal(9, 4, 9)
    assert table.told == ["reveals", "captain", "loads"]
    assert (table.counts["captain"], table.view.turn) == (1, 0)
    table = RiffRaffTable(options={"captain-names-himself": False})
    table.reveal(9, 9, 9)
    assert table.asked == (0, 1)
    assert table.refused(SeatChoice(Seat(2))).code == "cannot-be-chosen"
    table.choose(1)
    assert table.asked == (0, 2), "as the others who are tied, he has his place in the order"


def test_edge_02_new_captain_orders_those_who_are_tied() -> None:
    """Ann, Ben and Dora are tied. Ann becomes captain, then orders Ben and Dora."""
    table = RiffRaffTable(4)
    table.reveal(8, 8, 3, 8)
    table.choose(0)
    assert (table.phase, table.view.turn, table.asked) == ("order", 0, (1, 3))
    assert table.said == "Ann is captain. Several played 8. Ann, who comes first?"
    table.choose(3)
    assert table.said == "Dora comes first. Ann loads area 8."
    turns = []
    for _ in range(4):
        turns.append(table.view.turn)
        if table.phase == "announce":
            table.choose("one")
        table.holds()
    assert turns == [0, 3, 1, 2]


def test_edge_02_a_tie_behind_the_captain_is_ordered_by_the_new_one_too() -> None:
    table = RiffRaffTable(4)
    table.reveal(2, 10, 2, 2)
    assert (table.view.turn, table.asked) == (1, (0, 2, 3))
    table.choose(2)
    assert table.asked == (0, 3)
    table.choose(3)
    assert [table.view.turn, *table.state.order] == [1, 2, 3, 0]


def test_edge_03_in_the_first_round_the_oldest_decides() -> None:
    """The player named at set-up is captain for the first round only, even without a tie."""
    table = RiffRaffTable(captain=1)
    table.reveal(7, 2, 7)
    assert (table.view.turn, table.asked) == (1, (0, 2))
    table.choose(2)
    for _ in range(2):
        if table.phase == "announce":
            table.choose("one")
        table.holds()
    table.holds()
    table.reveal(9, 9, 1)
    assert (table.view.turn, table.asked) == (2, (0, 1)), "Cem was captain of the first round"


def test_edge_04_two_pieces_where_one_lay_and_that_is_binding() -> None:
    table = RiffRaffTable().lying(5, 10)
    table.reveal(10, 5, 2)
    assert table.asks == (ChoiceAsk(("one", "two")),)
    assert table.said == "Cem: 2. Ann is captain. Ann loads area 10. One piece or two?"
    assert table.hint == "One piece or two? You can't change that."
    table.choose("two")
    assert table.headline == "10 piece 1 of 2"
    table.holds()
    assert table.said == "It holds. Ann has 6 pieces left. Now the second piece."
    assert (table.headline, table.view.turn) == ("10 piece 2 of 2", 0)
    for late in (Choice("one"), Number(1), Choice("two"), Number(2)):
        assert table.refused(late).facts == {"n": 2}
    table.holds()
    assert table.area(10) == (3, 3)
    table.choose("one")
    assert table.refused(Number(2)).code == "announced"
    table.holds()
    assert (table.view.turn, table.view.scores) == (2, (5, 6, 8))


@pytest.mark.parametrize(
    ("area", "lying", "words"),
    [
        (4, 4, "Only one piece may be loaded: areas 1 to 4 are on deck."),
        (6, 5, "Only one piece may be loaded: no piece was there before."),
    ],
)
def test_edge_05_two_pieces_on_deck_or_on_an_empty_yardarm_are_refused(
    area: int, lying: int, words: str
) -> None:
    table = RiffRaffTable().lying(lying)
    table.reveal(area, 1, 2)
    assert table.phase == "load", "nothing is asked, since there is nothing to choose"
    for two in (Choice("two"), Number(2)):
        error = table.refused(two)
        assert (error.code, error.rule) == ("only-one-piece", "RULES 4.3")
        assert CASE.words.fill("only-one-piece.happened", error.facts) == words
    table.holds()
    assert table.view.turn == 2


def test_edge_06_a_fall_with_the_first_piece_ends_the_turn() -> None:
    table = RiffRaffTable().lying(7)
    table.reveal(7, 2, 1)
    table.choose("two")
    table.falls(1, 0)
    assert table.told == ["takes", "has", "loads"]
    assert (table.view.turn, table.headline) == (1, "2 OK: it holds")
    assert table.view.scores == (7, 8, 8)


def test_edge_07_uncaught_cargo_goes_to_the_player_who_loads() -> None:
    """Four of the six pieces on the ship fall with Ben's own; none is caught, so he takes five."""
    table = RiffRaffTable().lying(1, 2, 3, 4, 1, 2)
    assert table.view.scores == (6, 6, 6)
    table.reveal(1, 9, 2)
    table.falls(5, 0)
    assert table.said == "Ben takes 5 pieces that fell. Ben has 10 pieces. Cem loads area 2."
    assert table.view.scores == (6, 10, 6)
    assert (table.counts["ship"], table.counts["removed"]) == (2, 0)


def test_edge_08_all_caught_pieces_leave_the_game() -> None:
    """With two of two caught, the game does not ask which of them was just placed."""
    table = RiffRaffTable().lying(1, 1, 1)
    table.reveal(1, 2, 3)
    table.falls(2, 2)
    assert (
        table.said
        == "Cem caught 2 pieces: they leave the game. Cem has 6 pieces. Ben loads area 2."
    )
    assert table.view.scores == (7, 7, 6)
    assert (table.counts["ship"], table.counts["removed"]) == (2, 2)


def test_edge_09_only_the_placed_piece_caught_returns() -> None:
    """On an empty ship the caught piece must be the one just placed; otherwise the game asks."""
    table = RiffRaffTable()
    table.reveal(9, 2, 3)
    table.falls(1, 1)
    assert table.said == (
        "Ann takes the piece just placed back. Ann has 8 pieces. Cem loads area 3."
    )
    assert (table.counts["ship"], table.counts["removed"]) == (0, 0)
    table.holds()
    table.falls(1, 1, "placed")
    assert table.told[0] == "placed-returns"
    assert table.view.scores == (8, 8, 7)
    assert (table.area(3), table.area(2)) == ((1, 1), (0, 0)), "nothing else can have fallen"


def test_edge_09_another_piece_caught_leaves_the_game() -> None:
    """If another piece is caught, the piece just placed is known to be still on the ship."""
    table = RiffRaffTable().lying(1)
    table.reveal(9, 2, 3)
    table.falls(1, 1, "other")
    assert (
        table.said == "Ann caught 1 piece: it leaves the game. Ann has 6 pieces. Cem loads area 3."
    )
    assert (table.area(9), table.area(1)) == ((1, 1), (0, 0))
    assert table.counts["removed"] == 1


def test_edge_10_placed_piece_returns_and_the_others_come_with_it() -> None:
    table = RiffRaffTable().lying(1, 1, 2)
    table.reveal(8, 5, 3)
    table.falls(3, 1, "placed")
    assert table.said == (
        "Ann takes the piece just placed back. Ann takes 2 pieces that fell. "
        "Ann has 9 pieces. Ben loads area 5."
    )
    assert table.view.scores == (9, 7, 7)
    assert (table.counts["ship"], table.counts["removed"]) == (1, 0)


def test_edge_10_house_rule_it_leaves_the_game_when_others_fell() -> None:
    """The game asks which piece was caught only if no other piece fell."""
    table = RiffRaffTable(options={"placed-returns": False}).lying(1, 1, 2)
    table.reveal(8, 5, 3)
    table.falls(3, 1)
    assert table.told == ["leave", "takes", "has", "loads"]
    assert table.view.scores == (8, 7, 7)
    table.falls(1, 1, "placed")
    assert table.told[0] == "placed-returns"
    assert table.view.scores == (8, 7, 7)


def test_edge_11_the_first_of_two_pieces_is_cargo_like_any_other() -> None:
    """Ann's first piece fell while she placed the second, and was caught."""
    table = RiffRaffTable().lying(6)
    table.reveal(6, 2, 3)
    table.choose("two")
    table.holds()
    table.falls(1, 1, "other")
    assert (
        table.said == "Ann caught 1 piece: it leaves the game. Ann has 5 pieces. Cem loads area 3."
    )
    assert (table.counts["ship"], table.area(6)) == (2, (2, 2))
    table = RiffRaffTable().lying(6)
    table.reveal(6, 2, 3)
    table.choose("two")
    table.holds()
    table.falls(1, 1, "placed")
    assert table.view.scores == (6, 8, 8), "the second one returns, the first one lies there"


def test_edge_12_nothing_left_at_the_end_of_the_turn_wins_at_once() -> None:
    table = RiffRaffTable().left(5, 1, 1)
    table.reveal(1, 3, 2)
    table.holds()
    assert table.said == (
        "It holds. Ben has 0 pieces left. Ben has nothing left to load, and wins!"
    )
    assert (table.phase, table.view.winners, table.asks) == ("over", (1,), ())
    assert table.headline == "0 pieces left"
    assert table.refused(OK).facts == {"waits": "over"}


def test_edge_12_the_last_piece_but_another_one_lands() -> None:
    table = RiffRaffTable().lying(5).left(1, 2, 2)
    table.reveal(9, 2, 3)
    table.falls(1, 0, "other")
    assert (table.phase, table.view.scores) == ("load", (1, 2, 2))


def test_edge_12_what_fell_was_all_caught() -> None:
    """Both pieces leave the game, so the player has none left and wins."""
    table = RiffRaffTable().lying(5, 5).left(1, 2, 2)
    table.reveal(9, 2, 3)
    table.falls(2, 2)
    assert table.told == ["leave", "has", "all-loaded"]
    assert (table.view.winners, table.view.scores) == ((0,), (0, 2, 2))


def test_edge_12_not_before_both_of_two_pieces_are_loaded() -> None:
    table = RiffRaffTable().lying(5).left(2, 2, 2)
    table.reveal(5, 2, 3)
    table.choose("two")
    table.holds()
    assert table.phase == "load"
    table.holds()
    assert table.view.winners == (0,)


def test_edge_13_with_one_piece_only_one_is_announced() -> None:
    table = RiffRaffTable().lying(8).left(1, 2, 2)
    table.reveal(8, 2, 3)
    assert table.asks[0] == PressAsk(OK.button, "holds")
    error = table.refused(Choice("two"))
    assert (error.code, error.facts["why"]) == ("only-one-piece", "last")


def played(table: RiffRaffTable, rounds: range) -> None:
    """Play these rounds; every piece falls and is taken back, so that no player runs out."""
    for number in rounds:
        seats = len(table.view.scores)
        table.reveal(*[(number + seat - 1) % 10 + 1 for seat in range(seats)])
        while table.phase != "reveal" and not table.view.is_over:
            if table.phase == "look":
                table.choose("yes")
            if table.phase == "announce":
                table.choose("one")
            table.falls(1, 0)
            if table.phase == "which-fell":
                table.choose("placed")


def test_edge_14_after_ten_rounds_the_fewest_pieces_win() -> None:
    """One player wins, or all players with the fewest pieces share the win."""
    table = RiffRaffTable().left(8, 5, 6)
    played(table, range(1, 11))
    assert table.said.endswith(
        "All cards are played. Ann has 8 pieces. Ben has 5 pieces. Cem has 6 pieces. Ben wins."
    )
    assert (table.headline, table.view.winners) == ("5 pieces left", (1,))
    table = RiffRaffTable(4).left(5, 5, 6, 5)
    played(table, range(1, 11))
    assert table.view.winners == (0, 1, 3)
    assert table.said.endswith("Ann shares the win. Ben shares the win. Dora shares the win.")


def test_edge_14_two_players_play_all_cards_twice() -> None:
    table = RiffRaffTable(2)
    assert table.view.scores == (16, 16)
    played(table, range(1, 11))
    assert table.said.endswith(
        "All cards are played. Everybody takes them back for a second pass. "
        "Round 1: reveal a card each."
    )
    counts = table.counts
    assert (counts["pass"], counts["round"], counts["cards-1"], counts["cards-2"]) == (2, 1, 10, 10)
    assert table.headline == "1 of 10, again"
    played(table, range(1, 11))
    assert table.view.is_over
    assert table.view.winners == (0, 1)


def test_edge_15_a_card_is_played_once_in_a_pass() -> None:
    table = RiffRaffTable(2)
    table.tap("red-4")
    again = table.refused("red-4")
    assert (again.code, again.facts["number"]) == ("already-played", 4)
    other = table.refused("red-5")
    assert (other.code, other.facts) == ("one-card-only", {"seat": 0, "number": 4})
    table.tap("blue-5")
    table.holds(2)
    assert "red-4" not in table.kinds
    assert {"red-5", "blue-4"} < table.kinds, "what the other one played makes no difference"
    assert table.refused("red-4").code == "already-played"
    played(table, range(5, 14))
    assert (table.counts["pass"], "red-4" in table.kinds) == (2, True)


def test_edge_16_touching_and_reaching_over_are_peoples_business() -> None:
    """The rules sheet says what to do; the game only asks whether cargo fell."""
    assert "is warned and loads the piece again" in CASE.rules
    table = RiffRaffTable()
    table.reveal(3, 2, 1)
    assert [type(ask) for ask in table.asks] == [PressAsk, PressAsk], "it holds, or cargo fell"
    table.holds()
    assert table.area(3) == (1, 1)


def test_edge_17_every_piece_is_somewhere() -> None:
    """With three players, 24 pieces are in front of them, on the ship or out of the game."""
    table = RiffRaffTable().lying(9, 9, 8, 2)
    table.reveal(3, 2, 1)
    table.falls(1, 0, "other")
    assert table.all_pieces() == 24
    table.falls(2, 2)
    assert (table.all_pieces(), table.counts["removed"]) == (24, 2)
    table.falls(1, 1, "placed")
    assert table.all_pieces() == 24
    table.reveal(4, 3, 2)
    table.falls(3, 1, "other")
    assert (table.all_pieces(), table.counts["removed"]) == (24, 3)
    table.holds()
    assert table.all_pieces() == 24
    assert (RiffRaffTable(2).all_pieces(), RiffRaffTable(4).all_pieces()) == (32, 32)


@pytest.mark.parametrize(("answer", "nine", "three"), [("placed", 1, 0), ("other", 0, 1)])
def test_edge_18_a_single_piece_that_fell_is_asked_for_once(
    answer: str, nine: int, three: int
) -> None:
    """Either way the player takes the piece, and later nothing is asked about area 9."""
    table = RiffRaffTable().lying(9)
    table.reveal(3, 2, 1)
    table.falls(1, 0)
    assert (table.phase, table.said, table.hint) == (
        "which-fell",
        "Which one fell?",
        "Which one fell?",
    )
    assert table.asks == (ChoiceAsk(("placed", "other")),)
    assert table.refused(Number(1)).facts == {"waits": "which-fell"}
    table.choose(answer)
    assert table.told == ["takes", "has", "loads"]
    assert table.view.scores == (7, 8, 8)
    assert table.area(9) == (nine, nine)
    assert table.area(3) == (three, three)
    table.holds(2)
    table.reveal(9, 3, 2)
    assert table.phase == ("announce" if nine else "load"), "it is known what lies there"


@pytest.mark.parametrize(("lying", "fell", "caught"), [((), 1, 0), ((3, 3), 1, 0), ((9, 8), 2, 0)])
def test_edge_18_it_is_not_asked_where_that_tells_nothing(
    lying: tuple[int, ...], fell: int, caught: int
) -> None:
    """The game asks for no piece on an empty ship, or if several pieces fell.

    Nor does it ask if all pieces are in the loaded area.
    """
    table = RiffRaffTable().lying(*lying)
    table.reveal(3, 2, 1)
    table.falls(fell, caught)
    assert (table.phase, table.told) == ("load", ["takes", "has", "loads"])
    assert table.counts["ship"] == len(lying) + 1 - fell


def test_edge_18_taken_back_the_question_is_asked_again() -> None:
    table = RiffRaffTable().lying(9)
    table.reveal(3, 2, 1)
    table.falls(1, 0)
    assert table.put_back(Choice("other")) == "Collect the fallen pieces again."
    assert table.phase == "which-fell"


def test_rules_sheet_names_a_test_for_each_edge_case() -> None:
    named = re.findall(r"`(test_edge_\w+)`", CASE.rules)
    assert [int(name.split("_")[2]) for name in named] == list(range(1, 19))
    assert all(name in globals() for name in named)
