"""Straw round by round: deal, play, scoring, the end of the game, refusals, and undo."""

import pytest

from engines.common.contract import (
    Button,
    Choice,
    Message,
    Number,
    NumberAsk,
    Press,
    PressAsk,
    Seat,
    Setup,
    Tap,
    TapAsk,
)
from engines.common.errors import CannotStart
from engines.common.pieces import Piece
from engines.straw import GAME
from engines.straw.cards import SPECIAL
from tests.engines.contract import check_refusal
from tests.engines.straw_table import CASE, DECK, StrawTable, small_deck

OK, ACTION = Press(Button.OK), Press(Button.ACTION)


# --- deal and turn -------------------------------------------------------------------------------


def test_deck_is_the_box_and_says_that_it_is_not_verified() -> None:
    assert DECK.total == 64
    assert not DECK.is_verified
    values = {kind.name: kind.value for kind in DECK.kinds}
    assert [values[f"weight-{n}"] for n in range(1, 11)] == list(range(1, 11))
    assert [values[f"carpet-{n}"] for n in range(1, 10)] == [-n for n in range(1, 10)]
    assert all(values[kind] == 0 for kind in SPECIAL)


@pytest.mark.parametrize("seats", range(2, 7))
def test_each_player_holds_four_and_the_rest_is_the_pile(seats: int) -> None:
    counts = StrawTable(seats).view.counts
    assert [counts[f"hand-{n}"] for n in range(1, seats + 1)] == [4] * seats
    assert counts["draw-pile"] == 64 - 4 * seats


def test_the_player_left_of_the_dealer_begins() -> None:
    assert StrawTable(3).view.turn == 0
    assert StrawTable(3, dealer=0).view.turn == 1


def test_opening_tells_round_dealer_and_first_player() -> None:
    opening = GAME.opening(StrawTable(3).state)
    assert opening == (
        Message("round-begins", {"round": 1}),
        Message("deals", {"seat": 2}),
        Message("turn", {"seat": 0}),
    )


def test_a_play_tells_the_weight_first_then_who_is_next() -> None:
    table = StrawTable()
    table.tap("weight-10")
    assert table.events == (Message("weight", {"weight": 10}), Message("turn", {"seat": 1}))
    assert [CASE.words.say(event) for event in table.events] == ["10", "Ben to play."]


def test_a_play_draws_a_card() -> None:
    table = StrawTable()
    table.tap("weight-10")
    counts = table.view.counts
    assert (counts["camel"], counts["hand-1"], counts["draw-pile"]) == (1, 4, 51)


def test_a_carpet_may_bring_the_load_below_zero() -> None:
    table = StrawTable()
    table.tap("weight-2", "carpet-9")
    assert table.headline == "-7"
    table.tap("weight-8")
    assert table.headline == "1"


def test_floor_at_zero_stops_the_load_at_zero() -> None:
    table = StrawTable(options={"floor-at-zero": True})
    table.tap("weight-2", "carpet-9")
    assert table.headline == "0"
    table.tap("weight-8")
    assert table.headline == "8"


def test_reverse_sends_the_turn_back() -> None:
    table = StrawTable()
    table.tap("weight-1", "weight-1", "reverse")
    assert table.view.turn == 1
    assert not table.is_clockwise()
    assert table.fact("turned", "direction") == "counter-clockwise"
    table.tap("weight-1")
    assert table.view.turn == 0


def test_a_lamp_waits_for_its_weight() -> None:
    table = StrawTable()
    table.tap("weight-4", "lamp")
    assert table.told == ["choose-weight"]
    assert table.asks == (NumberAsk(1, 10, 5),)
    assert (table.headline, table.view.phase, table.view.turn) == ("4", "lamp", 1)
    assert table.view.counts["camel"] == 1
    table.choose(7)
    assert (table.headline, table.view.phase, table.view.turn) == ("11", "play", 2)
    assert table.view.counts["camel"] == 2


def test_played_lamps_and_copies_have_their_weights() -> None:
    table = StrawTable()
    table.tap("lamp")
    assert table.view.worth == {}
    table.give(Number(9))
    table.tap("carpet-3", "copy#1", "reverse", "copy#2")
    lamp, carpet, turn = Piece("lamp"), Piece("copy"), Piece("copy", 2)
    assert table.view.worth == {lamp: 9, carpet: -3, turn: 0}
    table.tap("copy#3")
    assert table.view.worth[Piece("copy", 3)] == 0


def test_a_lamp_may_be_the_first_card() -> None:
    table = StrawTable()
    table.tap("lamp")
    table.choose(10)
    assert table.headline == "10"


# --- scoring and the end -------------------------------------------------------------------------


def broken_table(seats: int = 3) -> StrawTable:
    """Return a table at which the first player broke the camel's back."""
    table = StrawTable(seats)
    table.load_50()
    while table.view.turn != 0:
        table.tap("reverse" if seats == 4 else "carpet-1", "weight-1")
    table.tap("weight-8")
    return table


def test_scoring_asks_for_one_hand_after_the_other() -> None:
    table = broken_table()
    ask, done = table.asks
    assert isinstance(ask, TapAsk)
    assert ask.seats == (1,)
    assert ask.spots == ("play", "seat-2", "hand")
    assert done == PressAsk(Button.ACTION, "hand-done", unlaid=4)
    assert table.view.turn == 1
    table.tap("weight-7", "weight-6")
    assert (table.headline, table.told) == ("13", ["points"])
    assert table.view.hint == Message("lay-your-hand", {"n": 2})
    ended = {"seat": 1, "points": 13, "by_seat": 0}
    assert table.view.page_hint == Message("broken.counted", ended)
    table.tap("copy", "carpet-3")
    assert table.told == ["hand-scored", "count-hand"]
    assert table.events[0] == Message("hand-scored", {"seat": 1, "n": 10})
    assert table.view.turn == 2
    table.tap("weight-1", "weight-2", "weight-3", "weight-4")
    assert table.view.scores == (0, 10, 10)
    assert table.told == ["hand-scored", "round-over", "total", "total", "total", "deals-next"]
    assert table.fact("deals-next", "seat") == 0


def test_the_deal_moves_on_and_the_next_round_waits_for_ok() -> None:
    table = broken_table()
    table.tap("weight-1", "weight-2", "weight-3", "weight-4")
    table.tap("weight-1", "weight-2", "weight-3", "weight-4")
    assert (table.view.phase, table.view.turn, table.headline) == ("round-over", 0, "10")
    assert table.asks == (PressAsk(Button.OK, "next-round"),)
    assert table.refused("weight-9").facts == {"waits": "round-over"}
    table.deal()
    assert [event.code for event in table.events] == ["round-begins", "turn"]
    assert (table.view.turn, table.headline, table.view.counts["round"]) == (1, "0", 2)
    table.tap("weight-1#1")
    assert table.headline == "1"


def test_a_counted_card_is_not_counted_twice() -> None:
    table = broken_table()
    assert table.refused("weight-10#1").facts["place"] == "camel"
    table.tap("weight-9#1")
    again = table.refused("weight-9#1")
    assert (again.code, again.facts["place"], again.facts["seat"]) == ("already-played", "hand", 1)
    table.tap("weight-9#2", "weight-9#3", "weight-9#4")
    assert table.view.turn == 2
    assert table.refused("weight-9#4").facts["seat"] == 1


def test_a_hand_that_is_short_ends_with_the_action_button() -> None:
    """A player who forgot to draw has a card less, so a press on the button ends the hand."""
    table = broken_table()
    table.tap("weight-9", "weight-9", "weight-9")
    table.action()
    assert table.told == ["hand-short", "hand-scored", "count-hand"]
    assert table.events[0] == Message("hand-short", {"seat": 1, "n": 1})
    assert table.events[1] == Message("hand-scored", {"seat": 1, "n": 27})


def test_the_highest_total_wins_after_a_round_for_each() -> None:
    table = StrawTable(2)
    table.load_50()
    table.tap("straw", "weight-9", "weight-8", "weight-7")
    table.deal()
    table.load_50()
    table.tap("straw", "weight-1", "weight-2", "weight-3")
    assert table.events[-1] == Message("winner", {"seat": 0, "n": 24})
    view = table.view
    assert (view.is_over, view.winners, view.headline, view.turn) == (True, (0,), "24", None)
    assert table.refused(OK).facts == {"waits": "over"}


def test_ending_at_a_hundred_plays_on_until_then() -> None:
    table = StrawTable(2, options={"ending": "hundred"})
    rounds = 0
    while not table.view.is_over:
        if rounds:
            table.deal()
        table.load_50()
        table.tap("straw", "weight-9", "weight-9", "weight-7")
        rounds += 1
        assert "rounds" not in table.view.counts
    assert rounds == 7
    assert table.view.scores == (100, 75)
    assert table.view.winners == (0,)


# --- refusals ------------------------------------------------------------------------------------


def test_a_card_on_the_camel_is_not_played_again() -> None:
    table = StrawTable()
    table.tap("weight-7#2")
    again = table.refused("weight-7#2")
    assert (again.code, again.rule) == ("already-played", "RULES 1.2")
    assert again.facts == {"piece": Piece("weight-7", 2), "place": "camel"}
    table.tap("weight-7#1")
    assert table.headline == "14"


@pytest.mark.parametrize("card", ["settler", "weight-11", "weight-7#5", "straw#2"])
def test_a_card_of_no_such_deck_is_refused(card: str) -> None:
    assert StrawTable().refused(Tap(Piece.parse(card))).code == "not-in-this-game"


def test_a_tap_while_the_lamp_waits_is_refused() -> None:
    table = StrawTable()
    table.tap("lamp")
    refused = table.refused("weight-3")
    assert (refused.code, refused.facts) == ("not-expected-now", {"waits": "lamp"})
    assert table.refused(Tap(Piece("lamp"))).code == "not-expected-now"


@pytest.mark.parametrize("given", [Number(3), OK, ACTION])
def test_nothing_but_a_card_is_taken_in_play(given: Number | Press) -> None:
    table = StrawTable()
    table.tap("weight-1")
    assert table.refused(given).facts == {"waits": "play"}


def test_a_choice_is_never_taken() -> None:
    with pytest.raises(Exception, match="not-expected-now"):
        GAME.step(StrawTable().state, Choice("yes"))


def test_a_card_from_another_seat_is_refused() -> None:
    table = StrawTable()
    card = Piece("weight-3")
    refused = table.refused(Tap(card, "seat-2", Seat(1)))
    assert (refused.code, refused.facts) == ("not-your-turn", {"seat": 0})
    table.give(Tap(card, "seat-1", Seat(0)))
    assert table.headline == "3"


def test_a_card_on_another_spot_is_refused() -> None:
    table = StrawTable()
    assert table.refused(Tap(Piece("weight-3"), "box")).code == "not-expected-now"
    assert table.refused(Tap(Piece("weight-3"), "hand")).code == "not-expected-now"


def test_a_hand_may_be_laid_on_a_separate_reader() -> None:
    table = broken_table()
    table.give(Tap(Piece("weight-9"), "hand"))
    table.give(Tap(Piece("weight-9", 2), "seat-2", Seat(1)))
    assert table.headline == "18"
    assert table.refused(Tap(Piece("weight-9", 3), "seat-3", Seat(2))).code == "not-your-turn"


def test_a_deck_with_too_few_cards_to_deal_is_refused() -> None:
    with pytest.raises(CannotStart) as caught:
        GAME.start(Setup(2, Seat(0), small_deck(weight_1=7)))
    assert caught.value.facts == {"cards": 7, "needed": 8}
    check_refusal(CASE, caught.value)
    GAME.start(Setup(2, Seat(0), small_deck(weight_1=8)))


def test_who_ended_the_round_is_shown_until_the_first_card_is_counted() -> None:
    table = broken_table()
    assert table.view.caption == Message("broken.caption", {"seat": 0})
    table.tap("weight-9")
    assert table.view.caption == Message("in-the-hand")


def test_a_deck_straw_cannot_use_is_refused() -> None:
    strange = small_deck(weight_1=20)
    camel = type(strange)("straw", (*strange.kinds, DECK.kinds[0].__class__("camel", 1)), False)
    with pytest.raises(ValueError, match='no card "camel"'):
        GAME.start(Setup(2, Seat(0), camel))


# --- undo ----------------------------------------------------------------------------------------


def test_a_play_is_put_back_with_the_card_drawn_for_it() -> None:
    state = StrawTable().state
    back = GAME.put_back(state, Tap(Piece("weight-7", 2)))
    assert back == (
        Message("take-back", {"piece": Piece("weight-7", 2), "seat": 0}),
        Message("return-drawn", {"seat": 0}),
    )


def test_the_breaking_card_is_put_back_alone() -> None:
    table = StrawTable()
    table.load_50()
    back = GAME.put_back(table.state, Tap(Piece("weight-1")))
    assert [message.code for message in back] == ["take-back"]


def test_a_lamp_is_put_back_in_two_steps() -> None:
    table = StrawTable()
    before = table.state
    lamp = Tap(Piece("lamp"))
    assert [message.code for message in GAME.put_back(before, lamp)] == ["take-back"]
    table.give(lamp)
    chosen = GAME.put_back(table.state, Number(3))
    assert [message.code for message in chosen] == ["choose-again", "return-drawn"]


def test_a_counted_card_is_taken_up_again() -> None:
    back = GAME.put_back(broken_table().state, Tap(Piece("copy")))
    assert back == (Message("take-up", {"piece": Piece("copy"), "seat": 1}),)


def test_a_button_moves_nothing() -> None:
    assert GAME.put_back(StrawTable().state, ACTION) == ()
