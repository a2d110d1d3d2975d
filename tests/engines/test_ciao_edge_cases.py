"""One test for each edge case in RULES 12; tests of its house rules follow it."""

import re

import pytest

from engines.common.contract import (
    Button,
    ChoiceAsk,
    HandTransfer,
    OptionValue,
    PressAsk,
    Seat,
    SeatAsk,
    SeatChoice,
    Tap,
)
from engines.common.pieces import Piece
from tests.engines.ciao_table import CASE, CiaoTable, small_deck

FACES = [f"{symbol}-{colour}" for symbol in ("rock", "paper", "scissors") for colour in
         ("green", "yellow", "red")]  # fmt: skip


def house(**options: OptionValue) -> dict[str, OptionValue]:
    """Return house rules by name: ``house(race_penalty=False)``."""
    return {name.replace("_", "-"): value for name, value in options.items()}


def on(card: str, seats: int = 3, **options: OptionValue) -> CiaoTable:
    """Return a table at which the first player has just played *card*."""
    table = CiaoTable(seats, options=house(**options))
    table.tap(card)
    return table


def last(card: str, *others: int, **options: OptionValue) -> CiaoTable:
    """Return a table at which the first player has just played *card* as the last card in hand.

    *others* are the numbers of cards in the other hands.
    """
    table = CiaoTable(1 + len(others), options=house(**options)).hold(1, *others)
    table.tap(card)
    return table


def right_on(card: str) -> set[str]:
    """Return the plain cards that beat *card*."""
    return set(FACES) & on(card).kinds


# --- what beats what -----------------------------------------------------------------------------


def test_edge_01_colour_does_not_help_a_losing_symbol() -> None:
    """Red paper loses to yellow scissors: red is the strongest colour only among papers."""
    assert "paper-red" not in on("scissors-yellow").kinds
    table = on("scissors-yellow")
    table.foul("paper-red")
    assert table.messages == ["wrong-card", "penalty"]
    assert table.said.startswith("Ben: the red paper can't beat yellow scissors.")


def test_edge_02_symbol_beats_in_any_colour_and_colour_on_the_same_symbol() -> None:
    """Paper of any colour beats any rock; a rock beats only a rock of a weaker colour."""
    papers = {"paper-green", "paper-yellow", "paper-red"}
    assert right_on("rock-red") == papers
    assert right_on("rock-yellow") == {*papers, "rock-red"}
    assert right_on("rock-green") == {*papers, "rock-yellow", "rock-red"}
    assert right_on("paper-red") == {"scissors-green", "scissors-yellow", "scissors-red"}
    assert right_on("scissors-red") == {"rock-green", "rock-yellow", "rock-red"}
    on("rock-red").tap("paper-green")
    for same in FACES:
        on(same).foul(same)


def test_edge_03_joker_on_anything_and_its_symbol_is_named() -> None:
    """A joker beats a joker too. The next card must beat its colour and the named symbol."""
    table = on("joker-red")
    assert table.asks == (ChoiceAsk(("rock", "paper", "scissors")),)
    assert (table.top, table.view.turn) == ("JOKER red", 0)
    table.choose("scissors")
    assert (table.top, table.said) == ("SCISSORS red", "red scissors. Ben to play.")
    assert right_on_table(table) == {"rock-green", "rock-yellow", "rock-red"}
    table.tap("joker-yellow")
    table.choose("paper")
    assert table.top == "PAPER yellow"
    assert right_on_table(table) == {
        "scissors-green", "scissors-yellow", "scissors-red", "paper-red",
    }  # fmt: skip
    table.tap("scissors-green")
    assert table.top == "SCISSORS green"


def right_on_table(table: CiaoTable) -> set[str]:
    """Return the plain cards that may be played now."""
    return set(FACES) & table.kinds


def test_edge_04_obstacle_is_never_played_but_given_and_swapped() -> None:
    """Played on any card or first, it is a foul. The game asks for no card in a gift or a swap."""
    for table in (CiaoTable(), on("rock-green"), on("rock-green-plus3")):
        assert "obstacle" in table.fouls
        seat = table.state.round.turn
        table.foul("obstacle")
        assert table.messages[0] == "wrong-obstacle"
        assert table.view.turn == seat + 1
    table = on("rock-green-give")
    table.choose(1)
    assert table.hands == (5, 8, 7)
    table = on("rock-green-swap")
    table.choose(1)
    assert table.hands == (7, 6, 7)


# --- the turn ------------------------------------------------------------------------------------


def test_edge_05_drawing_is_free_and_then_that_card_or_a_pass() -> None:
    """A player may always draw, and then either play the drawn card or pass."""
    table = on("rock-green")
    assert table.label == "draw"
    table.action()
    assert (table.messages, table.hands, table.view.turn) == (["draws"], (6, 8, 7), 1)
    assert (table.label, table.hint) == ("pass", "Draw one. Play it, or pass.")
    table.action()
    assert (table.messages, table.hands, table.view.turn) == (["passes"], (6, 8, 7), 2)
    table.action()
    table.tap("paper-green")
    assert (table.hands, table.view.turn, table.label) == ((6, 8, 7), 0, "draw")


def test_edge_05_house_rule_any_card_after_drawing() -> None:
    table = on("rock-green", only_drawn_card=False)
    table.action()
    assert table.hint == "Draw one. Play, or pass."


def test_edge_06_wrong_card_is_taken_back_for_three_and_the_turn() -> None:
    """The card stays in the hand and may be played later; the top card does not change."""
    table = on("rock-green")
    table.foul("scissors-red#2")
    assert table.messages == ["wrong-card", "penalty"]
    assert (table.hands, table.view.turn, table.top) == ((6, 10, 7), 2, "ROCK green")
    assert table.counts["draw-pile"] == 108 - 21 - 3
    assert table.counts["discard"] == 1
    assert table.hint == "Ben: take it back, draw 3."
    table.tap("paper-green", "scissors-red#2")
    assert table.view.turn == 1


def test_edge_06_wrong_card_after_drawing_costs_the_same() -> None:
    table = on("rock-green")
    table.action()
    table.foul("rock-green", seat=1)
    assert (table.hands, table.view.turn) == ((6, 11, 7), 2)
    assert table.label == "draw"


# --- again or reverse ----------------------------------------------------------------------------


def test_edge_07_again_without_a_card_draws_one_and_reverse_goes_out() -> None:
    """A card with a choice of again or reverse is the last in the hand.

    Again needs another card, so the player draws one. Reverse needs none, so the player wins.
    """
    table = last("rock-green-again", 4, 4)
    assert table.messages == ["card", "again-or-reverse"]
    table.choose("again")
    assert (table.messages, table.hands, table.view.turn) == (["draws"], (1, 4, 4), 0)
    assert not table.view.is_over
    table = last("rock-green-again", 4, 4)
    table.choose("reverse")
    assert table.messages == ["turned", "out", "winner"]
    assert table.view.winners == (0,)


def test_edge_07_again_without_a_card_to_draw_goes_out() -> None:
    table = CiaoTable(2).hold(1, 107)
    table.tap("rock-green-again")
    table.choose("again")
    assert table.messages == ["nothing-to-draw", "out", "winner"]
    assert table.fact("nothing-to-draw", "seat") == 0


def test_edge_07_house_rule_reverse_draws_one() -> None:
    table = last("rock-green-again", 4, 4, reverse_goes_out=False)
    table.choose("reverse")
    assert table.messages == ["turned", "draws"]
    assert (table.hands, table.view.turn, table.is_clockwise()) == ((1, 4, 4), 2, False)


def test_edge_08_after_again_ones_own_card_is_to_be_beaten() -> None:
    """The player of an Again card must beat that card, or may draw, as in any turn."""
    table = on("rock-green-again")
    table.choose("again")
    assert (table.view.turn, table.top, table.label) == (0, "ROCK green", "draw")
    assert right_on_table(table) == right_on("rock-green")
    table.action()
    table.action()
    assert (table.view.turn, table.hands) == (1, (7, 7, 7))


def test_edge_08_house_rule_any_card_after_again() -> None:
    table = on("rock-green-again", again_must_beat=False)
    table.choose("again")
    assert table.top == "ANY card"
    assert right_on_table(table) == set(FACES)
    assert table.fouls == {"obstacle"}
    table.tap("scissors-green")
    assert (table.top, table.view.turn) == ("SCISSORS green", 1)


# --- the race ------------------------------------------------------------------------------------


def test_edge_09_race_is_won_by_the_first_right_card() -> None:
    """The next turn belongs to the player after the winner, not after the speed card's player."""
    table = on("rock-green-speed", 4)
    ask = table.card_ask
    assert (ask.is_race, ask.seats) == (True, (1, 2, 3))
    assert ask.spots == ("play", "seat-2", "seat-3", "seat-4")
    assert (table.view.turn, table.label) == (None, "nobody can")
    own = Tap(Piece("paper-red"), "seat-1", Seat(0))
    assert table.refused(own).facts == {"seat": 0}
    table.race(3, "paper-red")
    assert (table.top, table.view.turn, table.hands) == ("PAPER red", 0, (6, 7, 7, 6))


def test_edge_09_who_laid_the_card_is_asked_when_the_mat_cannot_tell() -> None:
    table = on("rock-green-speed", 4)
    table.tap("paper-red")
    assert (table.messages, table.asks) == (
        ["whose-card"],
        (SeatAsk((Seat(1), Seat(2), Seat(3)), asks_owner=True),),
    )
    assert table.hands == (6, 7, 7, 7)
    assert table.refused("paper-green").facts == {"waits": "racer"}
    assert table.refused(SeatChoice(Seat(0))).code == "not-in-the-race"
    table.choose(2)
    assert (table.top, table.view.turn, table.hands) == ("PAPER red", 3, (6, 7, 6, 7))


def test_edge_09_nobody_can_and_the_turn_goes_on() -> None:
    table = on("rock-green-speed", 4)
    table.action()
    assert (table.messages, table.view.turn, table.top) == (["nobody"], 1, "ROCK green")


def test_edge_09_wrong_card_in_the_race_costs_three_and_its_player_is_out_of_it() -> None:
    table = on("rock-green-speed", 4)
    table.foul("scissors-red", seat=2)
    assert table.messages == ["wrong-card", "penalty", "out-of-race"]
    assert (table.hands, table.view.phase) == ((6, 7, 10, 7), "race")
    assert (table.card_ask.seats, table.hint) == ((1, 3), "Cem: take it back, draw 3.")
    assert table.card_ask.spots == ("play", "seat-2", "seat-4")
    again = table.refused(Tap(Piece("paper-green"), "seat-3", Seat(2)))
    assert (again.code, again.facts) == ("out-of-race", {"seat": 2})
    table.give(Tap(Piece("paper-green")))
    assert table.asks == (SeatAsk((Seat(1), Seat(3)), asks_owner=True),)
    assert table.refused(SeatChoice(Seat(2))).code == "out-of-race"
    assert table.refused(SeatChoice(Seat(0))).code == "not-in-the-race"
    table.choose(3)
    assert (table.hands, table.view.turn) == ((6, 7, 10, 6), 0)


def test_edge_09_when_all_are_out_of_the_race_the_turn_goes_on() -> None:
    table = on("rock-green-speed", 4)
    table.foul("scissors-red", seat=2)
    table.foul("scissors-red", seat=1)
    table.foul("obstacle")  # only Dora is left in the race
    assert table.messages == ["wrong-obstacle", "penalty", "out-of-race", "nobody"]
    assert (table.view.phase, table.view.turn, table.top) == ("play", 1, "ROCK green")
    assert (table.hands, table.hint) == ((6, 10, 10, 10), "Dora: take it back, draw 3.")
    table.tap("paper-green-speed")
    assert table.card_ask.seats == (2, 3, 0)  # the next race is open to all other players


def test_edge_09_between_two_a_wrong_card_ends_the_race() -> None:
    table = on("rock-green-speed", 2)
    table.foul("scissors-red")
    assert (table.view.phase, table.view.turn, table.hands) == ("play", 1, (6, 10))


def test_edge_09_out_of_the_race_also_when_nothing_can_be_drawn() -> None:
    table = on("rock-green-speed", 3).pile(0)
    table.foul("obstacle", seat=2)
    assert table.messages == ["wrong-obstacle", "takes-back", "out-of-race"]
    assert table.card_ask.seats == (1,)


def test_edge_09_house_rule_wrong_card_does_not_put_out_of_the_race() -> None:
    table = on("rock-green-speed", 4, race_out=False)
    table.foul("scissors-red", seat=2)
    assert table.messages == ["wrong-card", "penalty"]
    table.give(Tap(Piece("obstacle")))
    table.choose(1)
    assert table.is_foul
    assert (table.hands, table.view.phase) == ((6, 10, 10, 7), "race")
    table.race(2, "paper-green")
    assert table.hands == (6, 10, 9, 7)


def test_edge_09_a_card_too_late_hears_who_was_first() -> None:
    table = on("rock-green-speed", 4)
    table.race(3, "paper-yellow")
    for seat in (1, 2):
        late = table.refused(Tap(Piece("paper-red"), f"seat-{seat + 1}", Seat(seat)))
        assert (late.code, late.words) == ("not-your-turn", "too-late")
        assert late.facts == {"seat": 0, "first_seat": 3}
    winner = table.refused(Tap(Piece("scissors-red"), "seat-4", Seat(3)))
    assert winner.words == "not-your-turn"
    table.action()
    after = table.refused(Tap(Piece("paper-red"), "seat-2", Seat(1)))
    assert (after.words, after.facts) == ("not-your-turn", {"seat": 0})


def test_edge_09_too_late_is_a_card_also_while_the_winner_is_asked() -> None:
    table = on("rock-green-speed", 4)
    table.race(2, "joker-red")
    late = table.refused(Tap(Piece("paper-red"), "seat-2", Seat(1)))
    assert late.facts == {"seat": 2, "first_seat": 2}
    unknown = table.refused(Tap(Piece("paper-red")))
    assert (unknown.code, unknown.facts) == ("not-expected-now", {"waits": "symbol"})
    table.choose("rock")
    assert table.refused(Tap(Piece("paper-red"), "seat-2", Seat(1))).words == "not-your-turn"


def test_edge_09_a_card_of_the_next_race_is_not_too_late() -> None:
    table = on("rock-green-speed", 4)
    table.race(2, "paper-green-speed")
    table.race(1, "scissors-green")
    assert (table.view.turn, table.top) == (2, "SCISSORS green")


def won(seats: int = 4, card: str = "paper-yellow", **options: OptionValue) -> CiaoTable:
    """Return a table at which the last of *seats* has just won Ann's race with *card*."""
    table = on("rock-green-speed", seats, **options)
    table.race(seats - 1, card)
    return table


def test_edge_23_wrong_card_right_after_a_race_may_be_a_late_racers() -> None:
    """The late racer takes the card back and draws nothing, and others may be late too."""
    table = won()
    before = table.hands
    table.tap("paper-green#2")
    assert (table.messages, table.view.phase, table.view.turn) == (["whose-card"], "owner", None)
    assert table.asks == (SeatAsk((Seat(0), Seat(1), Seat(2)), asks_owner=True),)
    assert table.refused(SeatChoice(Seat(3))).facts == {"waits": "owner"}
    late = Tap(Piece("rock-red"), "seat-3", Seat(2))
    assert table.refused(late).words == "too-late"
    assert table.put_back(SeatChoice(Seat(1))) == ["Put the green paper back on the table."]
    table.choose(1)
    assert (table.is_foul, table.hands, table.view.turn) == (True, before, 0)
    assert table.said == "Dora was first. Take your card back and wait for Ann."
    assert table.hint == "Ben: take it back."
    table.tap("paper-green#3")
    table.choose(2)
    assert (table.is_foul, table.hands, table.view.turn) == (True, before, 0)
    assert table.refused(late).words == "too-late"


def test_edge_23_wrong_card_right_after_a_race_costs_the_next_player_if_it_is_theirs() -> None:
    table = won()
    table.tap("paper-green")
    table.choose(0)
    assert (table.is_foul, table.messages) == (True, ["wrong-card", "penalty"])
    assert (table.hands, table.view.turn) == ((9, 7, 7, 6), 1)


def test_edge_23_card_against_a_plus3_that_won_a_race_is_asked_about_too() -> None:
    table = won(card="paper-green-plus3")
    table.tap("scissors-green")
    table.choose(2)
    assert (table.hands, table.top, table.label) == ((6, 7, 7, 6), "3 cards owed", "take 3")


def test_edge_23_unnamed_card_against_a_plus3_that_won_a_race_is_asked_about_first() -> None:
    """Its player would name no special, and the next player would draw for a late racer."""
    table = won(card="paper-green-plus3", name_specials=True)
    before = table.hands
    table.tap("scissors-green")
    assert table.messages == ["whose-card"]
    asked = table.state
    table.choose(1)
    assert (table.hands, table.view.turn, table.label) == (before, 0, "take 3")
    table.state = asked
    table.choose(0)
    assert table.view.phase == "special"
    table.choose("special-plus3")
    assert (table.view.turn, table.label) == (1, "take 6")


def test_edge_23_known_card_of_a_late_racer_is_asked_about_even_if_it_is_right() -> None:
    table = on("rock-green-speed", 4)
    table.foul("scissors-red#1", seat=1)
    table.race(3, "paper-yellow")
    table.tap("scissors-red#1")
    table.choose(1)
    assert table.said == "Dora was first. Take your card back and wait for Ann."


def test_edge_23_nothing_is_asked_about_a_card_that_is_the_next_players() -> None:
    """Its reader says so, it is right, or nobody else raced; or something was laid since."""
    table = won()
    after = table.state
    table.foul("paper-green", seat=0)
    table.state = after
    table.tap("scissors-green")
    table.foul("scissors-green")
    won(2).foul("paper-green")
    table = on("rock-green-speed", 3)
    table.race(1, "paper-yellow")
    table.foul("paper-green")  # it is Cem's turn, and nobody else raced


def test_edge_23_late_racers_card_is_known_to_be_in_that_hand() -> None:
    table = won()
    table.tap("paper-green#2")
    table.choose(2)
    table.action()
    assert table.view.turn == 0
    table.tap("paper-green#2")
    assert table.asks == (SeatAsk((Seat(0), Seat(1)), asks_owner=True),), "it is not the card drawn"


def test_edge_09_house_rule_wrong_card_in_the_race_is_only_taken_back() -> None:
    table = on("rock-green-speed", 4, race_penalty=False)
    table.foul("scissors-red", seat=2)
    assert (table.messages, table.hands) == (["wrong-card", "takes-back"], (6, 7, 7, 7))
    assert table.hint == "Cem: take it back."
    table.race(2, "paper-green")
    assert table.view.turn == 3


def test_edge_09_special_on_the_winning_card_works() -> None:
    table = on("rock-green-speed", 4)
    table.race(2, "paper-green-plus3")
    assert (table.view.turn, table.top) == (3, "3 cards owed")
    table = on("rock-green-speed", 4)
    table.race(2, "paper-green-speed")
    assert table.card_ask.seats == (3, 0, 1)
    table = on("rock-green-speed", 4)
    table.race(2, "joker-red")
    assert table.view.turn == 2
    table.choose("rock")
    assert (table.top, table.view.turn) == ("ROCK red", 3)


def test_edge_09_house_rule_special_on_the_winning_card_does_nothing() -> None:
    table = on("rock-green-speed", 4, race_winner_special=False)
    table.race(2, "paper-green-plus3")
    assert (table.view.turn, table.top) == (3, "PAPER green")


def test_edge_09_between_two_the_other_alone_may_lay_a_card() -> None:
    table = on("rock-green-speed", 2)
    assert table.card_ask.seats == (1,)
    table.tap("paper-red")
    assert (table.hands, table.view.turn) == ((6, 6), 0)


# --- +3 ------------------------------------------------------------------------------------------


def test_edge_10_debt_grows_and_a_joker_ends_it() -> None:
    """The debt is 3, 6, then 9 cards; any +3 may be played on any card to answer it."""
    table = on("rock-green-plus3")
    assert (table.top, table.label, table.view.turn) == ("3 cards owed", "take 3", 1)
    jokers = {"joker-green", "joker-yellow", "joker-red"}
    assert table.kinds - jokers == {
        f"{face}-plus3" for face in FACES if face != "rock-green"
    }  # fmt: skip
    table.tap("scissors-green-plus3")
    assert (table.top, table.label, table.view.turn) == ("6 cards owed", "take 6", 2)
    table.tap("scissors-yellow-plus3")
    assert (table.label, table.said) == (
        "take 9",
        "yellow scissors. Ann: a joker, a +3, or take 9.",
    )
    table.tap("joker-green")
    table.choose("paper")
    assert (table.top, table.view.turn, table.label) == ("PAPER green", 1, "draw")
    assert table.counts["owed"] == 0
    assert table.hands == (5, 6, 6)


def test_edge_10_who_does_not_answer_takes_the_debt_and_misses_the_turn() -> None:
    table = on("rock-green-plus3")
    table.tap("paper-red-plus3")
    table.action()
    assert table.fact("draws", "n") == 6
    assert (table.hands, table.view.turn) == ((6, 6, 13), 0)
    assert (table.top, table.hint) == ("PAPER red", "Cem draws 6.")
    assert right_on_table(table) == {"scissors-green", "scissors-yellow", "scissors-red"}


def test_edge_10_house_rule_answer_must_beat() -> None:
    table = on("rock-green-plus3", plus3_must_beat=True)
    assert table.top == "ROCK green"
    assert table.hint == "Owed 3: a joker, or a +3 that beats it."
    assert "paper-green-plus3" in table.kinds
    assert "rock-red-plus3" in table.kinds
    table.foul("scissors-green-plus3")
    assert table.messages == ["wrong-card", "penalty"]
    assert table.hands == (6, 13, 7)


def test_edge_10_nobody_takes_the_cards_of_a_last_plus3() -> None:
    table = last("rock-green-plus3", 4, 4)
    assert (table.messages, table.hands, table.counts["owed"]) == (
        ["card", "out", "winner"], (0, 4, 4), 0,
    )  # fmt: skip


def test_edge_11_ordinary_card_does_not_answer_a_plus3() -> None:
    """The player takes the card back and draws the cards owed and three more."""
    table = on("rock-green-plus3")
    table.tap("paper-green-plus3")
    table.foul("scissors-red")
    assert table.messages == ["wrong-answer", "penalty"]
    assert table.fact("penalty", "n") == 9
    assert (table.hands, table.view.turn, table.top) == ((6, 6, 16), 0, "PAPER green")


# --- give and swap -------------------------------------------------------------------------------


def test_edge_12_given_card_thanks_and_giving_the_last_one() -> None:
    """A receiver who forgets the thanks draws three; a player who gives the last card wins."""
    table = on("rock-green-give", 4)
    assert table.asks == (SeatAsk((Seat(1), Seat(2), Seat(3))),)
    own = table.refused(SeatChoice(Seat(0)))
    assert (own.code, own.facts) == ("not-to-yourself", {"seat": 0})
    table.choose(2)
    assert (table.hands, table.view.turn, table.messages) == (
        (5, 7, 8, 7),
        2,
        ["gives", "say-thanks"],
    )
    assert table.handed == (HandTransfer(Seat(0), Seat(2), 1),)
    thanked = table.state
    table.choose("thanked")
    assert (table.messages, table.hands, table.view.turn) == ([], (5, 7, 8, 7), 1)
    assert not table.handed
    table.state = thanked
    table.choose("forgot")
    assert table.messages == ["thanks-forgotten", "draws"]
    assert (table.hands, table.view.turn) == ((5, 7, 11, 7), 1)
    table = CiaoTable(4).hold(2, 7, 7, 7)
    table.tap("rock-green-give")
    table.choose(3)
    assert (table.messages, table.view.winners) == (["gives", "out", "winner"], (0,))
    assert table.handed == (HandTransfer(Seat(0), Seat(3), 1),)


def test_edge_22_last_card_given_is_thanked_for_where_points_are_counted() -> None:
    """The three cards drawn for forgotten thanks count as points against the receiver."""
    table = CiaoTable(3, options=house(scoring=True)).hold(2, 7, 1)
    table.tap("rock-green-give")
    table.choose(2)
    assert (table.messages, table.view.phase, table.hands) == (
        ["gives", "say-thanks"],
        "thanks",
        (0, 7, 2),
    )
    assert table.handed == (HandTransfer(Seat(0), Seat(2), 1),)
    assert table.asks == (ChoiceAsk(("thanked", "forgot"), usual="thanked"),)
    given = table.state
    table.choose("thanked")
    assert (table.messages, table.hands) == (["out", "count-hand"], (0, 7, 2))
    table.state = given
    table.choose("forgot")
    assert table.messages == ["thanks-forgotten", "draws", "out", "count-hand"]
    assert (table.hands, table.view.phase) == ((0, 7, 5), "scoring")


def test_edge_12_give_as_the_last_card_has_nothing_to_give() -> None:
    assert last("rock-green-give", 4, 4).messages == ["card", "out", "winner"]


def test_edge_12_house_rule_who_gave_the_last_card_draws_one() -> None:
    table = CiaoTable(4, options=house(give_goes_out=False)).hold(2, 7, 7, 7)
    table.tap("rock-green-give")
    table.choose(3)
    assert (table.messages, table.hands) == (["gives", "draws", "say-thanks"], (1, 7, 7, 8))


def test_edge_13_hands_are_swapped_and_a_last_swap_wins() -> None:
    """When a swap card is the last card, there is no hand to swap, and its player wins."""
    table = CiaoTable(4).hold(5, 2, 9, 4)
    table.tap("rock-green-swap")
    assert table.refused(SeatChoice(Seat(0))).code == "not-to-yourself"
    table.choose(2)
    assert (table.hands, table.view.turn) == ((9, 2, 4, 4), 1)
    assert table.handed == (HandTransfer(Seat(0), Seat(2), 4), HandTransfer(Seat(2), Seat(0), 9))
    assert table.hint == "Swap now: Ann and Cem."
    assert last("rock-green-swap", 2, 9).messages == ["card", "out", "winner"]


def test_edge_13_house_rule_a_last_swap_lets_the_other_win() -> None:
    table = last("rock-green-swap", 2, 9, swap_goes_out=False)
    table.choose(2)
    assert (table.messages, table.hands) == (["swaps", "out", "winner"], (9, 2, 0))
    assert table.handed == (HandTransfer(Seat(2), Seat(0), 9),)
    assert table.view.winners == (2,)


def test_edge_14_nobody_goes_out_with_an_obstacle() -> None:
    """Played as the last card it is a foul; a player who gives it away as the last card wins."""
    table = CiaoTable().hold(1, 4, 4)
    table.foul("obstacle")
    assert table.hands == (4, 4, 4)
    table = CiaoTable().hold(2, 4, 4)
    table.tap("rock-green-give")
    table.choose(1)  # gives away the last card, the obstacle
    assert table.view.winners == (0,)


# --- the first card, and reverse -----------------------------------------------------------------


def test_edge_15_first_card_is_any_and_its_special_works() -> None:
    """Any card but an obstacle may be played first."""
    table = CiaoTable()
    assert table.top == "ANY card"
    assert table.fouls == {"obstacle"}
    assert on("rock-green-plus3").top == "3 cards owed"
    assert on("rock-green-speed").view.phase == "race"
    assert on("joker-green").view.phase == "symbol"


def test_edge_15_house_rule_special_of_the_first_card_does_nothing() -> None:
    table = on("rock-green-plus3", first_card_special=False)
    assert (table.top, table.view.turn) == ("ROCK green", 1)
    table.tap("paper-green-plus3")
    assert table.top == "3 cards owed"
    assert on("joker-green", first_card_special=False).view.phase == "symbol"


def test_edge_16_reverse_between_two_changes_nothing() -> None:
    """With or without the reverse, the other player is next."""
    table = on("rock-green-again", 2)
    table.choose("reverse")
    assert (table.view.turn, table.is_clockwise()) == (1, False)
    table = on("rock-green-again", 3)
    table.choose("reverse")
    assert (table.view.turn, table.is_clockwise()) == (2, False)
    table.tap("paper-green")
    assert table.view.turn == 1


def test_edge_16_house_rule_reverse_between_two_is_another_turn() -> None:
    table = on("rock-green-again", 2, reverse_of_two=True)
    table.choose("reverse")
    assert (table.view.turn, table.is_clockwise()) == (0, False)
    table = on("rock-green-again", 3, reverse_of_two=True)
    table.choose("reverse")
    assert table.view.turn == 2


# --- the score -----------------------------------------------------------------------------------


def win_a_round(table: CiaoTable, seat: int, *hands: str) -> None:
    """Let *seat* win the round; the others, from its left, hold and count one of *hands* each."""
    starter = table.state.round.turn
    held = [1 if n == seat else 2 for n in range(table.state.config.seats)]
    table.hold(*held)
    if starter != seat:
        table.action(2)
        held[starter] += 1
        while table.view.turn != seat:
            table.action(2)
    table.hold(*(1 for _ in held))
    table.tap("rock-red")
    assert table.messages[:3] == ["card", "out", "count-hand"]
    table.tap(*hands)


def test_edge_17_scores_five_rounds_and_one_more_for_a_tie() -> None:
    """Cards count 10, 20, 30 or 50 against their holders; the lowest total wins.

    The winner of a round scores nothing and plays first in the next.
    """
    table = CiaoTable(3, options={"scoring": True})
    win_a_round(table, 0, "rock-green", "rock-yellow-swap")
    assert table.view.scores == (0, 10, 20)
    assert (table.view.phase, table.view.turn) == ("round-over", 0)
    table.ok()
    assert (table.view.turn, table.counts["round"], table.hands) == (0, 2, (7, 7, 7))
    win_a_round(table, 1, "joker-green", "obstacle")
    assert table.view.scores == (50, 10, 70)
    table.ok()
    assert table.view.turn == 1
    win_a_round(table, 2, "joker-red", "paper-red")
    assert table.view.scores == (100, 40, 70)
    table.ok()
    win_a_round(table, 2, "rock-green", "rock-red")
    assert table.view.scores == (110, 70, 70)
    table.ok()
    win_a_round(table, 0, "rock-green", "rock-green")
    assert table.view.scores == (110, 80, 80)
    assert table.messages[-2:] == ["tied", "begins"]
    assert not table.view.is_over
    table.ok()
    win_a_round(table, 1, "rock-yellow", "rock-red")
    assert (table.view.scores, table.view.winners) == ((140, 80, 100), (1,))
    assert table.asks == ()


@pytest.mark.parametrize("rounds", [1, 2])
def test_edge_17_house_rule_number_of_rounds(rounds: int) -> None:
    table = CiaoTable(2, options={"scoring": True, "rounds": rounds})
    for number in range(1, rounds + 1):
        win_a_round(table, 0, "rock-green")
        assert table.view.is_over == (number == rounds)
        if number < rounds:
            table.ok()


def test_edge_17_house_rule_direction_is_kept() -> None:
    options: dict[str, OptionValue] = {"scoring": True, "clockwise-each-round": False}
    for keeps in (False, True):
        table = CiaoTable(3, options={**options, "clockwise-each-round": not keeps}).hold(1, 1, 1)
        table.tap("rock-green-again")
        table.choose("reverse")
        table.tap("rock-green", "rock-green")
        table.ok()
        assert table.is_clockwise() != keeps


# --- children ------------------------------------------------------------------------------------


def test_edge_18_three_variants_for_children() -> None:
    """Symbols only, with specials, or with colours; obstacles are left out of all three."""
    table = CiaoTable(options={"variant": "symbols"})
    assert table.counts["left-out"] == 45 + 3
    assert len(table.view.left_out) == 45 + 1
    assert {"obstacle", "rock-red-give"} < table.view.left_out
    assert table.refused("rock-green-speed").code == "left-out"
    assert table.refused("obstacle").code == "left-out"
    table.tap("rock-green")
    assert table.top == "ROCK on top"
    assert right_on_table(table) == {"paper-green", "paper-yellow", "paper-red"}
    table.foul("rock-red")
    assert table.said.startswith("Ben: the red rock can't beat rock.")
    table.tap("joker-red")
    table.choose("scissors")
    assert (table.top, table.said) == ("SCISSORS on top", "scissors. Ann to play.")

    table = CiaoTable(options={"variant": "specials"})
    assert table.counts["left-out"] == 3
    assert table.view.left_out == {"obstacle"}
    table.tap("rock-green-plus3")
    assert table.label == "take 3"
    table.action()
    table.foul("rock-red")

    table = CiaoTable(options={"variant": "colours"})
    assert table.counts["left-out"] == 3
    assert table.refused("obstacle").code == "left-out"
    table.tap("rock-green", "rock-red")
    assert table.top == "ROCK red"


def test_edge_18_children_need_cards_enough() -> None:
    deck = small_deck(rock_green=12, rock_green_speed=20)
    with pytest.raises(Exception, match="cannot-start"):
        CiaoTable(2, deck=deck, options={"variant": "symbols"})
    CiaoTable(2, deck=deck, options={"variant": "specials"})


# --- cards whose owner the mat knows, and forgotten answers --------------------------------------


def drawn_after_a_wrong_card(*, seats: int = 3, **options: OptionValue) -> CiaoTable:
    """Return a table at which the mat knows that Ben holds a red paper, and Ann has just drawn."""
    table = on("scissors-yellow", seats, **options)
    table.foul("paper-red#1")
    while table.view.turn:
        table.action(2)
    table.action()
    return table


def test_edge_19_card_known_to_be_anothers_is_asked_about_after_a_draw() -> None:
    """If the next player owns it, the player who drew has passed and the card is judged."""
    table = drawn_after_a_wrong_card()
    before = table.hands
    table.tap("paper-red#1")
    assert (table.messages, table.view.phase, table.view.turn) == (["whose-card"], "owner", None)
    assert table.asks == (SeatAsk((Seat(0), Seat(1)), asks_owner=True),)
    assert table.refused(SeatChoice(Seat(2))).facts == {"waits": "owner"}
    assert table.put_back(SeatChoice(Seat(1))) == [
        "Ben, put the 3 cards you drew back.",
        "Put the red paper back on the table.",
    ]
    asked = table.state
    table.choose(1)
    assert (table.is_foul, table.messages) == (True, ["wrong-card", "penalty", "passes"])
    assert (table.hands, table.view.turn) == ((before[0], before[1] + 3, before[2]), 2)
    table.state = asked
    table.choose(0)
    assert (table.is_foul, table.messages) == (True, ["wrong-card", "penalty"])
    assert (table.hands, table.view.turn) == ((before[0] + 3, before[1], before[2]), 1)


def test_edge_19_right_card_of_the_next_player_is_played_after_the_pass() -> None:
    table = drawn_after_a_wrong_card()
    table.tap("rock-green")
    while table.view.turn != 0:
        table.action(2)
    before = table.hands
    table.action()
    table.tap("paper-red#1")
    table.choose(1)
    assert table.messages == ["passes", "card"]
    assert (table.top, table.view.turn) == ("PAPER red", 2)
    assert table.hands == (before[0] + 1, before[1] - 1, before[2])


def test_edge_19_wrong_card_of_nobody_known_is_asked_about_after_a_draw() -> None:
    """The drawer may have forgotten to pass, so no cards are drawn before the answer."""
    table = on("rock-green")
    table.action()
    before = table.hands
    table.tap("scissors-red")
    assert (table.messages, table.hands) == (["whose-card"], before)
    assert table.asks == (SeatAsk((Seat(1), Seat(2)), asks_owner=True),)
    asked = table.state
    table.choose(1)
    assert (table.is_foul, table.messages) == (True, ["wrong-card", "penalty"])
    assert (table.hands, table.view.turn) == ((6, 11, 7), 2)
    table.state = asked
    table.choose(2)
    assert (table.is_foul, table.messages) == (True, ["wrong-card", "penalty", "passes"])
    assert (table.hands, table.view.turn) == ((6, 8, 10), 0)


def test_edge_19_nothing_is_asked_where_the_card_is_the_drawers() -> None:
    """A seat's reader or an earlier foul tells whose card it is, or it is right."""
    table = drawn_after_a_wrong_card()
    drawn = table.state
    table.foul("paper-red#1", seat=0)
    table.state = drawn
    table.tap("rock-green")
    assert table.view.turn == 1
    table.state = drawn
    table.action(2)  # Ann passes and Ben draws; the card belongs to Ben
    table.foul("paper-red#1")
    assert (table.messages, table.view.turn) == (["wrong-card", "penalty"], 2)
    table.foul("paper-red#1")  # without a draw before, any card counts as the current player's
    assert table.view.turn == 0


def test_edge_19_gift_hides_a_known_card_and_a_swap_takes_it_along() -> None:
    assert drawn_after_a_wrong_card(seats=4).state.round.holder(Piece("paper-red", 1)) == 1
    table = on("scissors-yellow")
    table.foul("paper-red#1")
    table.action(2)
    table.tap("rock-green-swap")
    table.choose(1)
    assert table.state.round.holder(Piece("paper-red", 1)) == 0
    table.action(4)
    table.tap("paper-green-give")
    table.choose(1, "thanked")
    assert table.state.round.holder(Piece("paper-red", 1)) is None
    table.action()
    table.tap("paper-red#1")
    assert (table.view.phase, table.top) == ("play", "PAPER red")


def test_edge_19_card_that_was_laid_or_dealt_again_is_nobodys() -> None:
    table = on("rock-yellow", 2, scoring=True)
    table.foul("rock-green#1")
    assert table.state.round.holder(Piece("rock-green", 1)) == 1
    table.tap("paper-green", "scissors-green", "rock-green#1")
    assert table.state.round.known_holders == frozenset()
    table.foul("obstacle#1")
    table.hold(7, 1)
    table.action(2)
    table.tap("joker-red")
    assert table.view.phase == "scoring"


def test_edge_20_card_laid_before_the_answer_is_the_answer_or_waits_for_it() -> None:
    """If the next player plays a card, the thanks were said. After again or reverse, it waits."""
    table = on("rock-green-give")
    table.choose(2)
    assert table.view.phase == "thanks"
    table.tap("paper-green")
    assert (table.messages, table.view.turn, table.hands) == (["card"], 2, (5, 6, 8))
    table = on("rock-green-again")
    table.tap("paper-green")
    assert (table.view.phase, table.hands) == ("again", (6, 7, 7))
    table.choose("reverse")
    assert (table.messages, table.hands) == (["turned", "card"], (6, 7, 6))


def test_edge_21_action_asks_before_it_ends_a_hand_of_which_cards_are_missing() -> None:
    """The action button first asks if the hand is complete.

    The player may answer, or continue with the next card of that hand.
    """
    table = last("rock-green", 2, 2, scoring=True)
    table.action()
    assert (table.messages, table.view.phase) == (["ask-short"], "short")
    table.tap("rock-red")
    assert (table.view.phase, table.view.turn, table.top) == ("scoring", 1, "30 in the hand")
    table.action()
    table.choose("hand-done")
    assert table.messages == ["hand-short", "hand-scored", "count-hand"]


def test_rules_sheet_names_a_test_for_each_edge_case() -> None:
    named = re.findall(r"`(test_edge_\w+)`", CASE.rules)
    assert [int(name.split("_")[2]) for name in named] == list(range(1, 24))
    assert all(name in globals() for name in named)


def test_what_action_does_is_always_on_the_button() -> None:
    """The label says draw, take or nobody, as the phase requires."""
    assert on("rock-green").asks[1:] == (PressAsk(Button.ACTION, "draw"),)
    assert on("rock-green-plus3").asks[1:] == (PressAsk(Button.ACTION, "take", {"n": 3}),)
    assert on("rock-green-speed").asks[1:] == (PressAsk(Button.ACTION, "nobody", is_claim=True),)
