"""One test for each edge case in RULES 11; tests of its house rules follow it."""

import re

import pytest

from engines.common.contract import Button, Number, OptionValue, Press, PressAsk
from tests.engines.straw_table import CASE, DECK, StrawTable, small_deck

CANNOT_PLAY = PressAsk(Button.ACTION, "cannot-play", is_claim=True)


def test_edge_01_total_exactly_50_holds() -> None:
    """The camel carries 50; a weight of 51 breaks its back."""
    table = StrawTable()
    table.load_50()
    assert table.view.phase == "play"
    table.tap("weight-1")
    assert table.view.phase == "scoring"
    assert table.told == ["weight", "broken", "count-hand"]


def test_edge_02_straw_at_50_breaks_and_scores_alone() -> None:
    """Only the player of Straw scores, with three cards: that player did not draw."""
    table = StrawTable()
    table.load_50()
    assert table.view.turn == 0
    table.tap("straw")
    assert table.told == ["weight", "straw-broke", "count-hand"]
    assert table.fact("weight", "weight") == 50
    assert table.fact("count-hand", "n") == 3
    table.tap("weight-9", "weight-8", "weight-7")
    assert table.view.scores == (24, 0, 0)
    assert table.view.phase == "round-over"


def test_edge_03_straw_below_50_is_refused() -> None:
    """The card may be played later, when the weight is 50."""
    table = StrawTable()
    table.tap("weight-10", "weight-10")
    error = table.refused("straw")
    assert (error.code, error.facts) == ("straw-not-at-50", {"weight": 20})
    assert "straw" not in table.kinds


def test_edge_04_copy_on_empty_camel_is_refused() -> None:
    table = StrawTable()
    assert table.refused("copy").code == "copy-on-empty-camel"
    assert "copy" not in table.kinds
    table.tap("weight-3")
    assert "copy" in table.kinds


def test_edge_05_copy_of_lamp_gets_a_new_weight() -> None:
    """The player of the Copy chooses a weight, as for a Lamp."""
    table = StrawTable()
    table.tap("lamp")
    table.choose(7)
    table.tap("copy")
    assert table.view.phase == "lamp"
    assert table.headline == "7"
    table.choose(2)
    assert table.headline == "9"


def test_edge_06_copy_of_copy_takes_the_effective_card() -> None:
    """A Copy repeats the last card that is not a Copy, however many Copies came after."""
    table = StrawTable()
    table.tap("weight-6", "copy", "copy", "copy")
    assert table.headline == "24"
    table.tap("lamp")
    table.choose(1)
    table.tap("copy")
    table.choose(3)
    table.tap("copy")
    assert table.view.phase == "lamp"


def test_edge_06_house_rule_copy_on_copy_is_refused() -> None:
    table = StrawTable(options={"copy-takes-effective-card": False})
    table.tap("weight-6", "copy")
    assert table.refused("copy").code == "copy-on-copy"
    assert "copy" not in table.kinds
    table.tap("weight-1", "copy")
    assert table.headline == "14"


def test_edge_07_copy_of_reverse_turns_again() -> None:
    """The direction changes twice, and the weight stays."""
    table = StrawTable()
    table.tap("weight-4", "reverse")
    assert not table.is_clockwise()
    assert table.view.turn == 0
    table.tap("copy")
    assert table.is_clockwise()
    assert table.view.turn == 1
    assert table.headline == "4"
    assert table.told == ["weight", "turned"]


def test_edge_07_house_rule_copied_reverse_does_nothing() -> None:
    table = StrawTable(options={"copied-reverse-turns": False})
    table.tap("weight-4", "reverse", "copy")
    assert not table.is_clockwise()
    assert table.told == ["weight"]


def test_edge_08_copy_of_carpet_subtracts_again() -> None:
    table = StrawTable()
    table.tap("weight-10", "carpet-4", "copy")
    assert table.headline == "2"


def test_edge_08_house_rule_copied_carpet_weighs_nothing() -> None:
    table = StrawTable(options={"copied-carpet-subtracts": False})
    table.tap("weight-10", "carpet-4")
    assert table.headline == "6"
    table.tap("copy")
    assert table.headline == "6"


def test_edge_09_copy_of_straw_cannot_arise() -> None:
    """Straw ends the round, and the next round begins with an empty camel."""
    table = StrawTable(2)
    table.load_50()
    table.tap("straw")
    assert table.view.phase == "scoring"
    table.tap("weight-1", "weight-1", "weight-1")
    table.deal()
    assert table.refused("copy").code == "copy-on-empty-camel"


@pytest.mark.parametrize("breaker", ["copy", "lamp"])
def test_edge_10_copier_is_the_breaker(breaker: str) -> None:
    """The player of the Copy or the Lamp breaks the camel's back and does not score."""
    table = StrawTable()
    table.load_50()
    table.tap(breaker)
    if breaker == "lamp":
        table.choose(1)
    assert table.fact("broken", "seat") == 0
    assert table.fact("count-hand", "seat") == 1


def test_edge_10_house_rule_copy_breaks_for_nobody() -> None:
    table = StrawTable(options={"copier-breaks": False})
    table.load_50()
    table.tap("copy")
    assert table.told == ["weight", "broken-by-copy", "count-hand"]
    assert table.state.scoring.waiting == (0, 1, 2)


def test_edge_11_lamp_at_50_breaks_and_odd_weights_are_refused() -> None:
    """At 50 even a Lamp of weight 1 breaks the camel's back."""
    table = StrawTable()
    table.load_50()
    table.tap("lamp")
    for wrong in (0, 11, -1, 2.5):
        error = table.refused(Number(wrong))  # type: ignore[arg-type]
        assert error.code == "lamp-out-of-range"
    table.choose(1)
    assert table.told == ["weight", "broken", "count-hand"]
    assert table.fact("weight", "weight") == 51


def test_edge_12_safe_cards_at_50() -> None:
    """Reverse, a carpet and a Copy of either do not break the camel; a Copy of a weight does."""
    table = StrawTable()
    table.load_50()
    table.tap("reverse", "copy")
    assert table.headline == "50"
    table.tap("carpet-1", "weight-1", "carpet-2", "copy", "weight-4")
    assert table.headline == "50"
    assert table.view.phase == "play"
    assert table.view.hint.code == "lay-at-50"
    assert "straw" in table.kinds
    table.tap("copy")
    assert table.view.phase == "scoring"


def test_edge_13_hand_values_and_negative_scores() -> None:
    """Special cards count 0 and carpets negative; totals may be negative too."""
    table = StrawTable(2)
    table.load_50()
    table.tap("weight-1")
    table.tap("lamp", "copy", "reverse")
    assert table.headline == "0"
    table.tap("straw")
    assert table.view.scores == (0, 0)
    table.deal()
    table.load_50()
    table.tap("weight-1")
    table.tap("carpet-9", "carpet-8", "weight-2", "copy")
    assert table.view.scores == (-15, 0)


def test_edge_13_house_rule_totals_stop_at_zero() -> None:
    table = StrawTable(2, options={"negative-totals": False})
    table.load_50()
    table.tap("weight-1")
    table.tap("carpet-9", "carpet-8", "weight-2", "copy")
    assert table.fact("hand-scored", "n") == -15
    assert table.view.scores == (0, 0)


def test_edge_14_straw_player_with_carpets_scores_below_zero() -> None:
    """Carpets in the hand count negative for the player of Straw too."""
    table = StrawTable()
    table.load_50()
    table.tap("straw", "carpet-1", "carpet-2", "carpet-3")
    assert table.view.scores == (-6, 0, 0)


def test_edge_15_reverse_with_two_and_direction_each_round() -> None:
    """With two players a Reverse does not change who is next; each round begins clockwise."""
    table = StrawTable(2)
    table.tap("reverse")
    assert table.view.turn == 1
    table.tap("weight-1")
    assert table.view.turn == 0
    assert not table.is_clockwise()
    break_and_count(table)
    table.deal()
    assert table.is_clockwise()


def test_edge_15_house_rule_direction_is_kept() -> None:
    table = StrawTable(3, options={"clockwise-each-round": False})
    table.tap("reverse")
    break_and_count(table)
    table.deal()
    assert not table.is_clockwise()
    assert table.view.turn == 1


def test_edge_16_empty_pile_is_played_on_without_drawing() -> None:
    """From then on the hands shrink; the last card drawn is announced."""
    table = StrawTable(2, deck=small_deck(weight_1=9))
    table.tap("weight-1")
    assert table.told == ["weight", "pile-empty"]
    assert table.view.counts["hand-1"] == 4
    assert table.view.hint.code == "lay-without-drawing"
    table.tap("weight-1")
    assert table.view.counts["hand-2"] == 3
    assert table.told == ["weight"]


def test_edge_17_a_hand_that_cannot_be_played() -> None:
    """On an empty camel the player passes; later the player loses the round.

    The button is offered only if a hand that cannot be played is possible.
    """
    table = StrawTable()
    assert CANNOT_PLAY in table.asks
    table.action()
    assert table.told == ["passed"]
    assert table.view.turn == 1
    assert CANNOT_PLAY not in table.asks, "the first player holds four of the six such cards"
    assert table.refused(Press(Button.ACTION)).code == "not-expected-now"
    table.tap("weight-1")
    assert CANNOT_PLAY not in table.asks

    table = last_card_each()
    assert table.asks[1:] == (CANNOT_PLAY,)
    table.action()
    assert table.told == ["stuck", "count-hand"]
    assert table.fact("count-hand", "seat") == 1
    table.tap("weight-1")
    assert table.view.scores == (0, 1)


def test_edge_17_house_rule_passes_after_the_first_card() -> None:
    table = last_card_each(**{"cannot-play": "passes"})
    table.action()
    assert table.told == ["passed"]
    assert table.view.turn == 1
    table.tap("weight-1")
    assert table.view.turn == 0
    table.action()
    assert table.told == ["passed", "unbroken", "count-hand"]


def test_edge_17_house_rule_empty_camel_loses_the_round() -> None:
    table = StrawTable(options={"empty-camel-pass": False})
    table.action()
    assert table.told == ["stuck", "count-hand"]
    assert table.state.scoring.waiting == (1, 2)


def test_edge_17_everybody_passes() -> None:
    """If all players pass on an empty camel, the round ends with the camel unbroken."""
    table = StrawTable(2, deck=small_deck(copy=9, weight_1=1))
    table.action()
    table.action()
    assert table.told == ["passed", "unbroken", "count-hand"]


def test_edge_18_player_without_cards_is_skipped() -> None:
    """The turn goes to the next player with cards, and a player without cards is not asked."""
    table = first_player_without_cards()
    assert table.view.counts["hand-1"] == 0
    assert table.view.turn == 2
    table.tap("weight-1")
    assert table.view.turn == 1
    table.tap("weight-1")
    assert table.view.turn == 2


def test_edge_18_house_rule_round_ends_at_an_empty_hand() -> None:
    table = first_player_without_cards(**{"skip-empty-hands": False})
    table.tap("weight-1", "weight-1")
    assert table.told == ["weight", "unbroken", "count-hand"]
    assert table.state.scoring.waiting == (1, 2)


def test_edge_19_unbroken_camel_has_no_breaker() -> None:
    """All cards of a light deck are played: the camel holds and nobody scores."""
    assert sum(kind.value * kind.count for kind in DECK.kinds) > 50
    table = StrawTable(2, deck=small_deck(weight_1=8))
    table.tap(*["weight-1"] * 8)
    assert table.told[:4] == ["weight", "unbroken", "round-over", "total"]
    assert table.view.scores == (0, 0)


@pytest.mark.parametrize(("is_on", "waiting"), [(True, (0,)), (False, ())])
def test_edge_19_everybody_scores_an_unbroken_camel(is_on: bool, waiting: tuple[int, ...]) -> None:
    """A player with cards left scores them, unless the house rule is off."""
    options: dict[str, OptionValue] = {"cannot-play": "passes", "unbroken-scores": is_on}
    table = last_card_each(**options)
    table.action()
    table.tap("weight-1")
    table.action()
    assert table.state.scoring.waiting == waiting


def test_edge_20_shared_win_after_a_round_for_each_player() -> None:
    """The game has one round for each player; players with equal highest totals win together."""
    table = StrawTable(2)
    break_and_count(table)
    assert not table.view.is_over
    table.deal()
    assert table.view.counts["round"] == table.view.counts["rounds"] == 2
    break_and_count(table)
    assert table.view.scores == (12, 12)
    assert table.view.winners == (0, 1)
    assert table.view.caption.code == "win-with"
    assert table.told[-2:] == ["shared-win", "shared-win"]
    assert table.asks == ()


def test_edge_20_house_rule_another_round_decides() -> None:
    table = StrawTable(2, options={"shared-win": False})
    break_and_count(table)
    table.deal()
    break_and_count(table)
    assert table.told[-2:] == ["tied", "deals-next"]
    assert table.view.phase == "round-over"
    table.deal()
    break_and_count(table)
    assert table.view.scores == (24, 12)
    assert table.view.winners == (0,)


def test_rules_sheet_names_a_test_for_each_edge_case() -> None:
    named = re.findall(r"`(test_edge_\w+)`", CASE.rules)
    assert [int(name.split("_")[2]) for name in named] == list(range(1, 21))
    assert all(name in globals() for name in named)


# --- shortcuts to a situation --------------------------------------------------------------------


def break_and_count(table: StrawTable) -> None:
    """Play 10s and 9s until the camel breaks, then count hands worth 12 points each."""
    while table.view.phase == "play":
        table.tap("weight-10" if table.state.round.weight < 40 else "weight-9")
    while table.view.phase == "scoring":
        table.tap("weight-1", "weight-2", "weight-3", "weight-6")


def last_card_each(**options: OptionValue) -> StrawTable:
    """Return a table of two players with one card each and no pile; either may hold Straw."""
    table = StrawTable(2, deck=small_deck(weight_1=7, straw=1), options=options)
    table.tap(*["weight-1"] * 6)
    assert table.view.turn == 0
    return table


def first_player_without_cards(**options: OptionValue) -> StrawTable:
    """Return a table of three players and no pile, at which the first player has no card left.

    Because of the Reverses the first player had every other turn.
    """
    deck = small_deck(weight_1=9, reverse=3)
    table = StrawTable(3, deck=deck, options=options)
    table.tap("weight-1", "reverse", "weight-1", "reverse", "weight-1", "reverse", "weight-1")
    return table
