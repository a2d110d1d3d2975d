"""Ciao! round by round: deal, play, draw pile, scoring, refusals, and undo."""

import pytest

from engines.ciao import GAME
from engines.ciao.cards import SPECIALS, SYMBOLS
from engines.ciao.errors import OddCard
from engines.common.contract import (
    Button,
    Choice,
    ChoiceAsk,
    HandTransfer,
    Input,
    Message,
    Number,
    Press,
    PressAsk,
    ScoreUnit,
    Seat,
    SeatChoice,
    Setup,
    Tap,
    TapAsk,
)
from engines.common.errors import CannotStart
from engines.common.pieces import Deck, Kind, Piece
from tests.engines.ciao_table import CASE, DECK, CiaoTable, plain_deck, small_deck
from tests.engines.contract import check_refusal

OK, ACTION = Press(Button.OK), Press(Button.ACTION)


# --- the deck and the deal -----------------------------------------------------------------------


def test_deck_is_the_box_and_says_that_it_is_not_verified() -> None:
    assert DECK.total == 108
    assert not DECK.is_verified
    by_colour = {"green": (36, 10), "yellow": (30, 20), "red": (30, 30)}
    for colour, (number, points) in by_colour.items():
        cards = [k for k in DECK.kinds if k.traits["colour"] == colour and "joker" not in k.name]
        assert sum(kind.count for kind in cards) == number
        assert {kind.value for kind in cards} == {points}
        for symbol in SYMBOLS:
            assert sum(k.count for k in cards if k.traits["symbol"] == symbol) == number // 3
        assert {kind.traits["special"] for kind in cards if kind.count} == {"none", *SPECIALS}
        joker = DECK.by_name[f"joker-{colour}"]
        assert (joker.count, joker.value) == (3, 50)
    assert (DECK.by_name["obstacle"].count, DECK.by_name["obstacle"].value) == (3, 50)


def test_columns_of_the_deck_say_what_the_names_say() -> None:
    for kind in DECK.kinds:
        symbol, colour, special = (kind.traits[name] for name in ("symbol", "colour", "special"))
        parts = [part for part in (symbol, colour, special) if part != "none"]
        assert kind.name == "-".join(map(str, parts))


@pytest.mark.parametrize("seats", range(2, 7))
def test_each_player_holds_seven_and_the_rest_is_the_pile(seats: int) -> None:
    counts = CiaoTable(seats).counts
    assert [counts[f"hand-{n}"] for n in range(1, seats + 1)] == [7] * seats
    assert counts["draw-pile"] == 108 - 7 * seats
    assert counts["discard"] == counts["left-out"] == counts["owed"] == 0


def test_the_player_left_of_the_dealer_begins() -> None:
    assert CiaoTable(3).view.turn == 0
    assert CiaoTable(3, dealer=0).view.turn == 1


def test_opening_tells_the_deal_and_the_first_player() -> None:
    opening = GAME.opening(CiaoTable(3).state)
    assert opening == (Message("deals", {"seat": 2, "n": 7}), Message("begins", {"seat": 0}))
    assert [CASE.words.say(event) for event in opening] == [
        "Cem deals 7 cards each.",
        "Ann begins.",
    ]


def test_a_deck_with_too_few_cards_to_deal_is_refused() -> None:
    with pytest.raises(CannotStart) as caught:
        GAME.start(Setup(2, Seat(0), small_deck(rock_green=13)))
    assert caught.value.facts == {"cards": 13, "needed": 14}
    check_refusal(CASE, caught.value)
    GAME.start(Setup(2, Seat(0), small_deck(rock_green=14)))


def with_special(name: str, special: str) -> Deck:
    """Return the deck with *special* as the kind's ``special`` in the deck file."""
    traits = {name: {**DECK.by_name[name].traits, "special": special}}
    kinds = (Kind(k.name, k.count, k.value, traits.get(k.name, k.traits)) for k in DECK.kinds)
    return Deck("ciao", tuple(kinds), is_verified=False)


def test_the_deck_file_may_put_a_special_on_cards_named_plain() -> None:
    """An owner's deck file may say that all cards of a plain kind are speed cards."""
    table = CiaoTable(deck=with_special("rock-green", "speed"))
    table.tap("rock-green")
    assert table.view.phase == "race"


@pytest.mark.parametrize(
    ("name", "special"),
    [("rock-green", "sped"), ("joker-red", "speed"), ("obstacle", "give"),
     ("rock-green-speed", "give"), ("rock-green-speed", "none")],
)  # fmt: skip
def test_a_special_no_card_can_bear_is_refused_before_anything_begins(
    name: str, special: str
) -> None:
    with pytest.raises(OddCard) as caught:
        CiaoTable(deck=with_special(name, special))
    assert caught.value.facts == {"piece": Piece(name)}
    check_refusal(CASE, caught.value)


@pytest.mark.parametrize("name", ["camel", "rock", "rock-blue", "rock-green-again-speed", "joker"])
def test_a_deck_with_an_unknown_card_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f'no card "{name}"'):
        CiaoTable(deck=Deck("ciao", (*DECK.kinds, Kind(name, 1)), is_verified=False))


# --- headline, hint and counts -------------------------------------------------------------------


def test_the_headline_is_the_card_to_beat() -> None:
    table = CiaoTable()
    table.tap("scissors-yellow")
    view = table.view
    assert view.headline == Message("headline.scissors")
    assert view.caption == Message("colour.yellow")
    assert view.spoken is not None
    assert CASE.words.say(view.spoken) == "yellow scissors"
    assert table.said == "yellow scissors. Ben to play."


def test_without_scoring_the_score_is_the_hand() -> None:
    table = CiaoTable()
    table.tap("rock-green")
    table.action()
    assert table.view.scores == table.hands == (6, 8, 7)
    assert "rounds" not in table.counts


def test_with_scoring_the_score_is_the_total_and_the_rounds_are_counted() -> None:
    table = CiaoTable(options={"scoring": True})
    table.tap("rock-green")
    assert table.view.scores == (0, 0, 0)
    assert (table.counts["round"], table.counts["rounds"]) == (1, 5)


def test_a_named_joker_stands_for_its_symbol_until_the_next_card() -> None:
    table = CiaoTable()
    table.tap("joker-green")
    assert table.view.stands_for == ""
    table.choose("rock")
    assert (table.view.stands_for, table.top) == ("rock", "ROCK green")
    assert table.view.caption.code == "joker-as"
    table.tap("paper-green")
    assert (table.view.stands_for, table.top) == ("", "PAPER green")


def test_without_colours_the_caption_names_the_joker_too() -> None:
    table = CiaoTable(options={"variant": "symbols"})
    table.tap("joker-green")
    table.choose("rock")
    assert (table.top, table.view.caption.code) == ("ROCK on top", "to-beat-joker")


def test_a_page_refuses_cards_before_a_choice_and_after_a_draw_all_but_the_drawn_one() -> None:
    table = CiaoTable()
    assert table.view.barred_by is None
    table.tap("rock-green-again")
    barred = table.view.barred_by
    assert barred is not None
    assert (barred.code, barred.facts) == ("not-expected-now", {"waits": "again"})
    assert not table.view.is_drawn_free
    table.choose("again")
    assert table.view.barred_by is None
    table.action()
    barred = table.view.barred_by
    assert barred is not None
    assert (barred.code, barred.rule, table.view.is_drawn_free) == ("only-drawn", "RULES 3.4", True)
    table.action()
    assert table.view.barred_by is None


def test_house_rule_any_card_may_be_laid_after_a_draw() -> None:
    table = CiaoTable(options={"only-drawn-card": False})
    table.action()
    assert table.view.barred_by is None


def test_scores_are_cards_or_points() -> None:
    assert CiaoTable().view.score_unit is ScoreUnit.CARD
    assert CiaoTable(options={"scoring": True}).view.score_unit is ScoreUnit.POINT


def test_who_should_say_thanks_has_the_turn_until_it_is_known() -> None:
    table = CiaoTable()
    table.tap("rock-green-give")
    assert table.view.turn == 0
    table.choose(2)
    assert (table.view.turn, table.hint) == (2, "Did Cem say thank you?")
    table.choose("thanked")
    assert table.view.turn == 1


def test_between_two_nobody_is_asked_who() -> None:
    table = CiaoTable(2)
    table.tap("rock-green-give")
    assert (table.messages, table.hands) == (["card", "gives", "say-thanks"], (5, 8))
    table.choose("thanked")
    table.tap("paper-green-swap")
    assert (table.messages, table.hands, table.view.turn) == (["card", "swaps"], (7, 5), 0)


# --- specials named by the players ---------------------------------------------------------------


def named(*cards: str, seats: int = 3) -> CiaoTable:
    """Return a table with a plain deck; *cards* were played and named as having no special."""
    table = CiaoTable(seats, deck=plain_deck(), options={"name-specials": True})
    for card in cards:
        table.tap(card)
        table.choose("special-none")
    return table


def test_who_lays_a_card_says_what_it_bears() -> None:
    table = named()
    table.tap("rock-green#4")
    assert table.messages == ["name-special"]
    assert table.asks == (
        ChoiceAsk(("special-none", *(f"special-{special}" for special in SPECIALS))),
    )
    assert (table.view.turn, table.hands) == (0, (7, 7, 7))
    table.choose("special-plus3")
    assert (table.top, table.view.turn, table.hands) == ("3 cards owed", 1, (6, 7, 7))


def test_what_a_card_bears_is_known_after_it_was_named_once() -> None:
    table = named("rock-green#4").pile(0, "paper-red#1")
    table.action()
    assert "reshuffled" in table.messages
    table.tap("rock-red#4")
    table.choose("special-none")
    table.pile(0, "paper-red#1")
    assert table.state.special_of(Piece("rock-green", 4)) == "none"
    assert table.state.special_of(Piece("rock-green", 5)) is None


def test_jokers_and_wrong_cards_are_not_asked_about() -> None:
    table = named("rock-green")
    table.foul("scissors-red")
    table.tap("joker-red")
    assert table.view.phase == "symbol"


def test_under_a_debt_any_card_may_prove_a_plus3_or_wrong() -> None:
    table = named("rock-green")
    table.tap("rock-yellow")
    table.choose("special-plus3")
    assert table.fouls == {"obstacle"}
    table.tap("scissors-green")
    table.choose("special-none")
    assert table.is_foul
    assert (table.messages, table.hands) == (["wrong-answer", "penalty"], (6, 6, 13))
    table.tap("paper-red")
    table.choose("special-plus3")
    assert table.label == "take 3"
    assert table.refused(Tap(Piece("paper-red"))).code == "already-played"


def test_in_a_race_first_who_and_then_what() -> None:
    table = named()
    table.tap("rock-green")
    table.choose("special-speed")
    table.tap("paper-green")
    table.choose(2)
    assert (table.view.phase, table.view.turn) == ("special", 2)
    table.choose("special-plus3")
    assert (table.view.turn, table.label, table.hands) == (0, "take 3", (6, 7, 6))


def test_a_special_that_would_do_nothing_is_not_asked_for() -> None:
    options = {"name-specials": True, "first-card-special": False, "race-winner-special": False}
    table = CiaoTable(3, deck=plain_deck(), options=dict(options))
    table.tap("rock-green")
    assert (table.view.phase, table.view.turn) == ("play", 1)
    table.tap("paper-green")
    table.choose("special-speed")
    table.race(2, "scissors-green")
    assert (table.view.phase, table.view.turn) == ("play", 0)
    table = CiaoTable(3, deck=plain_deck(), options={"name-specials": True, "variant": "symbols"})
    table.tap("rock-green")
    assert table.view.phase == "play"


# --- the draw pile -------------------------------------------------------------------------------


def test_an_empty_pile_is_made_of_the_discards_but_for_the_top_card() -> None:
    table = CiaoTable()
    table.tap("rock-green#1", "paper-green#1", "scissors-green#1")
    table.pile(0)
    assert table.label == "draw"
    table.action()
    assert table.messages == ["reshuffled", "draws"]
    assert (table.counts["draw-pile"], table.counts["discard"]) == (1, 1)
    assert table.hint == "Reshuffle, draw one. Play it, or pass."
    assert table.page_hint == "play-drawn-card"
    assert table.refused("scissors-green#1").facts["place"] == "discards"
    table.tap("rock-green#1")
    assert table.all_cards() == 108


def test_cards_are_drawn_from_the_old_pile_and_the_new_one() -> None:
    table = CiaoTable()
    table.tap("rock-green#1", "paper-green#1", "scissors-green#1", "rock-green-plus3")
    table.pile(1)
    table.action()
    assert (table.messages, table.fact("draws", "n")) == (["reshuffled", "draws"], 3)
    assert (table.counts["draw-pile"], table.counts["discard"]) == (1, 1)
    assert table.hint == "Reshuffle. Ben draws 3."
    assert table.page_hint == "lay-a-card"


def test_fewer_cards_are_drawn_when_the_piles_are_empty() -> None:
    table = CiaoTable()
    table.tap("rock-green#1", "paper-green-plus3")
    table.pile(0)
    table.action()
    assert (table.fact("draws", "n"), table.label, table.view.turn) == (1, "pass", 0)
    table.foul("rock-green#1")
    assert (table.messages, table.hint) == (["wrong-card", "takes-back"], "Ann: take it back.")
    assert table.page_hint == "lay-or-pass"


def test_who_can_neither_lay_nor_draw_passes_and_all_of_them_end_the_round() -> None:
    table = CiaoTable()
    table.tap("rock-green")
    table.pile(0)
    assert (table.label, table.hint) == ("pass", "Beat that, or pass.")
    table.action(2)
    assert table.view.phase == "play"
    table.action()
    assert table.messages == ["passes", "blocked", "shared-win", "shared-win"]
    assert table.view.winners == (1, 2)
    assert table.top == "7 cards left"


def test_a_wrong_card_for_which_nothing_can_be_drawn_is_no_better_than_a_pass() -> None:
    """The round can end with this card, but the card is still a foul."""
    table = CiaoTable()
    table.tap("rock-green")
    table.pile(0)
    table.action(2)
    table.foul("obstacle")
    assert table.messages[:3] == ["wrong-obstacle", "takes-back", "blocked"]
    assert table.view.is_over


def test_nobody_is_asked_to_draw_when_there_is_nothing_to_draw() -> None:
    table = CiaoTable()
    table.tap("rock-green-plus3")
    table.pile(0)
    table.action()
    assert (table.messages, table.hint) == (["nothing-to-draw"], "Beat that, or pass.")


def test_a_card_between_them_goes_on_with_the_round() -> None:
    table = CiaoTable()
    table.tap("rock-green")
    table.pile(0)
    table.action(2)
    table.tap("rock-red")
    table.action(2)
    assert not table.view.is_over


def test_house_rule_the_discards_stay_where_they_are() -> None:
    table = CiaoTable(options={"empty-pile": "play-on"})
    table.tap("rock-green", "paper-green", "scissors-green")
    table.pile(0)
    assert table.label == "pass"
    table.action()
    assert (table.messages, table.view.turn) == (["passes"], 1)
    assert table.counts["discard"] == 3


def test_a_blocked_round_is_scored_by_everybody() -> None:
    table = CiaoTable(options={"scoring": True, "rounds": 1}).hold(1, 2, 2)
    table.tap("rock-green-again")
    assert table.messages == ["card", "again-or-reverse"]
    table.choose("reverse")
    assert table.messages == ["turned", "out", "count-hand"]
    table = CiaoTable(2, deck=small_deck(obstacle=15), options={"scoring": True, "rounds": 1})
    table.action()
    table.action()
    table.action()
    assert table.messages == ["passes"]
    table.action()
    assert table.messages == ["passes", "blocked", "count-hand"]
    assert table.top == "7 cards left"
    assert table.fact("count-hand", "seat") == 0
    table.tap(*["obstacle"] * 8)
    assert table.view.turn == 1
    table.tap(*["obstacle"] * 7)
    assert (table.view.scores, table.view.winners) == ((400, 350), (1,))


# --- scoring -------------------------------------------------------------------------------------


def scoring() -> CiaoTable:
    """Return a table at which the first player is out and two hands of two cards are counted."""
    table = CiaoTable(options={"scoring": True}).hold(1, 2, 2)
    table.tap("rock-red")
    return table


def test_scoring_asks_for_one_hand_after_the_other() -> None:
    table = scoring()
    ask, done = table.asks
    assert isinstance(ask, TapAsk)
    assert (ask.seats, ask.spots) == ((1,), ("play", "seat-2", "hand"))
    assert not ask.fouls
    assert done == PressAsk(Button.ACTION, "hand-done", unlaid=2)
    assert (table.top, table.view.turn) == ("0 Ann out", 1)
    table.tap("rock-green")
    assert (table.top, table.messages) == ("10 in the hand", ["points"])
    table.tap("obstacle")
    assert table.events[0] == Message("hand-scored", {"seat": 1, "n": 60})
    assert table.view.turn == 2
    table.give(Tap(Piece("rock-yellow"), "hand"))
    table.give(Tap(Piece("rock-yellow", 2), "seat-3", Seat(2)))
    assert table.messages == ["hand-scored", "round-over", "total", "total", "total", "begins"]
    assert (table.view.scores, table.top) == ((0, 60, 40), "0 best total")


def test_a_card_is_not_counted_twice_nor_when_it_lies_on_the_discards() -> None:
    table = scoring()
    assert table.refused("rock-red#1").facts["place"] == "discards"
    table.tap("rock-green#1")
    again = table.refused("rock-green#1")
    assert (again.code, again.facts["place"], again.facts["seat"]) == ("already-played", "hand", 1)
    assert table.refused(Tap(Piece("rock-green", 2), "seat-1", Seat(0))).code == "not-your-turn"


def test_a_hand_that_is_short_ends_with_the_action_button() -> None:
    table = scoring()
    table.tap("rock-green")
    table.action()
    assert table.said == "Ben: 1 card is missing. Is that all?"
    assert (table.view.phase, table.view.turn, table.top) == ("short", 1, "10 in the hand")
    assert table.hint == "1 card is missing. Is that all?"
    assert table.refused(ACTION).facts == {"waits": "short"}
    table.choose("hand-done")
    assert table.messages == ["hand-short", "hand-scored", "count-hand"]
    assert table.events[0] == Message("hand-short", {"seat": 1, "n": 1})
    assert table.view.turn == 2


def test_a_stray_press_does_not_end_a_hand() -> None:
    """The hand continues with the next card, or with the answer that more cards follow."""
    table = scoring()
    table.action()
    assert table.put_back(Tap(Piece("rock-green"))) == ["Ben, take the green rock up again."]
    table.tap("rock-green")
    assert (table.view.phase, table.view.turn) == ("scoring", 1)
    table.action()
    table.choose("hand-more")
    assert (table.messages, table.view.phase, table.view.turn) == (["count-hand"], "scoring", 1)
    table.action()
    table.tap("rock-red#2")
    assert (table.view.turn, table.view.phase) == (2, "scoring")


def test_the_next_round_waits_for_ok() -> None:
    table = scoring()
    for _ in range(2):
        table.action()
        table.choose("hand-done")
    assert table.asks == (PressAsk(Button.OK, "next-round"),)
    assert table.refused("rock-green").facts == {"waits": "round-over"}
    assert table.hint == "Shuffle, deal 7 each, then press OK."
    table.ok()
    assert [event.code for event in table.events] == ["round-begins", "turn"]
    assert (table.top, table.counts["discard"], table.counts["draw-pile"]) == ("ANY card", 0, 87)


# --- refusals ------------------------------------------------------------------------------------


def test_a_card_on_the_discards_is_not_played_again() -> None:
    table = CiaoTable()
    table.tap("rock-green#2")
    again = table.refused("rock-green#2")
    assert (again.code, again.rule) == ("already-played", "RULES 1.2")
    assert again.facts == {"piece": Piece("rock-green", 2), "place": "discards"}
    table.tap("paper-green#2")


def test_a_kind_of_which_all_cards_lie_there_is_not_asked_for() -> None:
    table = CiaoTable()
    table.tap("rock-green-give")
    table.choose(1)
    table.choose("thanked")
    assert "rock-green-give" not in table.kinds | table.fouls
    assert table.refused("rock-green-give#1").code == "already-played"


@pytest.mark.parametrize("card", ["settler", "rock-blue", "rock-green#8", "obstacle#4"])
def test_a_card_of_no_such_deck_is_refused(card: str) -> None:
    assert CiaoTable().refused(Tap(Piece.parse(card))).code == "not-in-this-game"


def test_a_card_from_another_seat_or_spot_is_refused() -> None:
    table = CiaoTable()
    card = Piece("rock-green")
    refused = table.refused(Tap(card, "seat-2", Seat(1)))
    assert (refused.code, refused.facts) == ("not-your-turn", {"seat": 0})
    assert table.refused(Tap(card, "box")).code == "not-expected-now"
    assert table.refused(Tap(card, "hand")).code == "not-expected-now"
    table.give(Tap(card, "seat-1", Seat(0)))
    assert table.top == "ROCK green"


def waiting(phase: str) -> CiaoTable:
    """Return a table that waits for an answer, in *phase*."""
    table = CiaoTable()
    cards = {
        "symbol": "joker-green", "again": "rock-green-again", "racer": "rock-green-speed",
        "give": "rock-green-give", "thanks": "rock-green-give", "swap": "rock-green-swap",
    }  # fmt: skip
    if phase == "special":
        table = CiaoTable(deck=plain_deck(), options={"name-specials": True})
    table.tap(cards.get(phase, "rock-green"))
    if phase == "racer":
        table.tap("paper-green")
    if phase == "owner":
        table.foul("obstacle#1")
        table.action()
        table.tap("obstacle#1")
    if phase == "thanks":
        table.choose(1)
    return table


@pytest.mark.parametrize(
    "phase", ["symbol", "again", "racer", "owner", "give", "thanks", "swap", "special"]
)
@pytest.mark.parametrize(
    "given",
    [Tap(Piece("obstacle")), Number(3), OK, ACTION, Choice("yes"), SeatChoice(Seat(5))],
    ids=str,
)
def test_nothing_but_an_answer_is_taken(phase: str, given: Input) -> None:
    table = waiting(phase)
    assert table.view.phase == phase
    assert table.refused(given).facts == {"waits": phase}


@pytest.mark.parametrize("given", [Number(3), OK, Choice("again"), SeatChoice(Seat(1))])
def test_nothing_but_a_card_or_action_is_taken_in_play(given: Input) -> None:
    table = CiaoTable()
    assert table.refused(given).facts == {"waits": "play"}
    table.tap("rock-green-speed")
    assert table.refused(given).facts == {"waits": "race"}


def test_nothing_is_taken_when_the_game_is_over() -> None:
    table = CiaoTable().hold(1, 4, 4)
    table.tap("rock-green")
    assert (table.view.is_over, table.top, table.view.turn) == (True, "0 cards left", None)
    for given in (ACTION, OK, Tap(Piece("paper-red"))):
        assert table.refused(given).facts == {"waits": "over"}


# --- cards played instead of an answer ----------------------------------------------------------


def lay(card: str) -> Tap:
    """Return a tap of *card* on the shared reader."""
    return Tap(Piece.parse(card))


def tap_at(card: str, seat: int) -> Tap:
    """Return a tap of *card* on the reader of *seat*."""
    return Tap(Piece.parse(card), f"seat-{seat + 1}", Seat(seat))


@pytest.mark.parametrize("phase", ["symbol", "racer", "owner", "give", "swap", "special"])
def test_no_card_answers_what_it_cannot_tell(phase: str) -> None:
    assert waiting(phase).refused("paper-red").facts == {"waits": phase}


@pytest.mark.parametrize("given", [lay("paper-red"), tap_at("paper-red", 1)], ids=str)
def test_a_right_card_of_the_next_player_is_the_thanks(given: Tap) -> None:
    table = waiting("thanks")
    assert table.card_ask.seats == (1,)
    table.give(given)
    assert (table.messages, table.view.turn, table.hands) == (["card"], 2, (5, 7, 7))
    assert table.top == "PAPER red"


def test_a_wrong_card_or_anothers_is_no_thanks() -> None:
    table = waiting("thanks")
    wrong = (lay("scissors-red"), lay("rock-green"), lay("obstacle"), tap_at("paper-red", 0),
             tap_at("paper-red", 2), Tap(Piece("paper-red"), "hand"))  # fmt: skip
    for given in wrong:
        assert table.refused(given).facts == {"waits": "thanks"}


def test_a_special_of_a_card_that_is_the_thanks_works() -> None:
    table = waiting("thanks")
    table.tap("paper-red-plus3")
    assert (table.top, table.view.turn) == ("3 cards owed", 2)


def test_a_card_that_could_be_both_waits_for_again_or_reverse() -> None:
    table = waiting("again")
    table.tap("paper-red")
    assert (table.messages, table.view.phase) == (["again-or-reverse"], "again")
    assert (table.hands, table.asks) == ((6, 7, 7), (ChoiceAsk(("again", "reverse")),))
    assert table.refused("rock-red").facts == {"waits": "again"}
    held = table.state
    table.choose("again")
    assert (table.messages, table.hands, table.view.turn) == (["card"], (5, 7, 7), 1)
    table.state = held
    table.choose("reverse")
    assert (table.messages, table.hands, table.view.turn) == (["turned", "card"], (6, 7, 6), 1)


def test_a_card_of_a_known_player_says_again_or_reverse() -> None:
    table = waiting("again")
    before = table.state
    table.give(tap_at("paper-red", 0))
    assert (table.hands, table.view.turn, table.is_clockwise()) == ((5, 7, 7), 1, True)
    table.state = before
    table.give(tap_at("paper-red", 2))
    assert (table.hands, table.view.turn, table.is_clockwise()) == ((6, 7, 6), 1, False)
    table.state = before
    assert table.refused(tap_at("paper-red", 1)).facts == {"waits": "again"}


def test_a_card_that_is_right_after_again_alone_is_that_answer() -> None:
    table = CiaoTable(options={"again-must-beat": False})
    table.tap("rock-green-again", "scissors-red")
    assert (table.hands, table.view.turn, table.top) == ((5, 7, 7), 1, "SCISSORS red")


def test_between_two_for_whom_reverse_is_another_turn_a_card_needs_no_choice() -> None:
    table = CiaoTable(2, options={"reverse-of-two": True})
    table.tap("rock-green-again", "paper-green")
    assert (table.hands, table.view.turn) == ((5, 7), 1)


def test_without_a_card_left_again_or_reverse_is_always_asked() -> None:
    table = CiaoTable().hold(1, 4, 4)
    table.tap("rock-green-again")
    assert table.asks == (ChoiceAsk(("again", "reverse")),)
    assert table.refused(tap_at("paper-red", 0)).facts == {"waits": "again"}


def test_who_goes_again_without_a_card_is_told_to_draw_one() -> None:
    """The hint says so until the next input, since the voice may be off."""
    table = CiaoTable().hold(1, 4, 4)
    table.tap("rock-green-again")
    table.choose("again")
    assert (table.hands, table.view.turn) == ((1, 4, 4), 0)
    assert table.hint == "Ann draws 1."


def test_the_cards_that_answer_are_asked_for_in_the_order_of_the_seats() -> None:
    """The order does not depend on the iteration order of a set."""
    table = CiaoTable(options={"again-must-beat": False})
    table.tap("rock-green-again")
    assert [ask.seats for ask in table.asks if isinstance(ask, TapAsk)] == [(0,), (0, 2)]


def test_a_late_card_of_a_race_answers_nothing() -> None:
    table = CiaoTable(4)
    table.tap("rock-green-speed")
    table.race(2, "paper-green-again")
    assert table.refused(tap_at("scissors-red", 1)).words == "too-late"
    table.give(tap_at("scissors-red", 2))
    assert table.view.turn == 3


# --- undo ----------------------------------------------------------------------------------------


def test_a_card_is_taken_back() -> None:
    assert CiaoTable().put_back(lay("rock-green")) == ["Take the green rock back."]


def test_cards_drawn_go_back_onto_the_pile() -> None:
    table = CiaoTable()
    assert table.put_back(ACTION) == ["Ann, put the card you drew back."]
    table.tap("rock-green-plus3")
    assert table.put_back(ACTION) == ["Ben, put the 3 cards you drew back."]
    table.action()
    assert table.put_back(lay("obstacle")) == ["Cem, put the 3 cards you drew back."]


def test_a_pass_moves_nothing() -> None:
    table = CiaoTable()
    table.action()
    assert table.put_back(ACTION) == []


def test_shuffled_discards_are_laid_open_again() -> None:
    table = CiaoTable()
    table.tap("rock-green", "paper-green")
    table.pile(0)
    assert table.put_back(ACTION) == [
        "Cem, put the card you drew back.",
        "Turn the draw pile face up: it is the discards again.",
    ]


def test_a_card_that_was_given_goes_back_to_its_giver() -> None:
    table = CiaoTable()
    table.tap("rock-green-give")
    assert table.put_back(SeatChoice(Seat(2))) == ["Cem, give Ann the card back.", "Choose again."]
    table.choose(2)
    assert table.put_back(Choice("thanked")) == ["Choose again."]
    assert table.put_back(Choice("forgot")) == [
        "Cem, put the 3 cards you drew back.",
        "Choose again.",
    ]


def test_between_two_nobody_is_asked_and_cards_change_hands_with_the_card() -> None:
    table = CiaoTable(2)
    table.tap("rock-green-swap")
    assert table.handed == (HandTransfer(Seat(0), Seat(1), 6), HandTransfer(Seat(1), Seat(0), 7))
    other = CiaoTable(2)
    other.tap("paper-green-give")
    assert other.handed == (HandTransfer(Seat(0), Seat(1), 1),)


def test_hands_are_swapped_back() -> None:
    table = CiaoTable()
    table.tap("rock-green-swap")
    assert table.put_back(SeatChoice(Seat(2))) == ["Ann and Cem, swap hands back.", "Choose again."]


def test_between_two_a_card_and_what_it_did_are_put_back_together() -> None:
    table = CiaoTable(2)
    assert table.put_back(lay("rock-green-swap")) == [
        "Ann and Ben, swap hands back.",
        "Take the green Swap rock back.",
    ]
    assert table.put_back(lay("rock-green-give")) == [
        "Ben, give Ann the card back.",
        "Take the green Give rock back.",
    ]


def test_an_answer_is_chosen_again() -> None:
    table = waiting("symbol")
    assert table.put_back(Choice("rock")) == ["Choose again."]
    table = waiting("again")
    assert table.put_back(Choice("reverse")) == ["Choose again."]


def test_a_wrong_card_of_the_race_lies_there_again_until_it_is_known_whose_it_is() -> None:
    table = CiaoTable()
    table.tap("rock-green-speed")
    assert table.put_back(lay("obstacle")) == ["Take the obstacle back."]
    table.give(lay("obstacle"))
    assert table.put_back(SeatChoice(Seat(2))) == [
        "Cem, put the 3 cards you drew back.",
        "Put the obstacle back on the table.",
    ]


def test_a_counted_card_is_taken_up_again() -> None:
    assert scoring().put_back(lay("rock-green")) == ["Ben, take the green rock up again."]
