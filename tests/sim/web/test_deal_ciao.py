"""Tests of the virtual deck of Ciao!: each card is in one place, and hands match the counts."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.common.contract import (
    Button,
    Choice,
    ChoiceAsk,
    HandTransfer,
    Input,
    OptionValue,
    Press,
    PressAsk,
    Seat,
    SeatAsk,
    SeatChoice,
    Tap,
    TapAsk,
)
from engines.common.pieces import Piece
from sim.deal.layouts.hands import Cards, cards_of
from tests.effort import some
from tests.engines.ciao_table import DECK, plain_deck, small_deck
from tests.engines.contract import values_of
from tests.sim.web.ciao_people import (
    CIAO,
    People,
    bears,
    dealt,
    first,
    holding,
    is_joker,
    without,
)

ACTION, OK = Press(Button.ACTION), Press(Button.OK)
OPTIONS = st.fixed_dictionaries({o.name: st.sampled_from(values_of(o)) for o in CIAO.options})


def somebody(people: People, chance: Random) -> Input:
    """Return a random input: often an honest answer, sometimes a wrong card or a draw."""
    cards, view = people.cards, people.view
    if people.state.waiting is not None and view.phase in ("racer", "owner", "again"):
        piece = people.state.waiting
        layer = Seat(next(n for n, hand in enumerate(people.held) if piece in hand))
        if view.phase != "again":
            return SeatChoice(layer)
        return Choice("again" if layer == people.state.round.turn else "reverse")
    ask: TapAsk | None = people.ask(TapAsk)
    if ask is not None and chance.random() < 0.7:
        seat = chance.choice(ask.seats)
        kinds = ask.kinds if chance.random() < 0.85 else ask.fouls
        if fitting := [piece for piece in cards.hands[seat] if piece.kind in kinds]:
            spot, by = (f"seat-{seat + 1}", seat) if chance.random() < 0.5 else ("play", None)
            return Tap(chance.choice(fitting), spot, by)
    offered: list[Input] = []
    for other in CIAO.asks(people.state):
        match other:
            case PressAsk(button=button):
                offered.append(Press(button))
            case ChoiceAsk(names=names):
                offered += map(Choice, names)
            case SeatAsk(seats=seats):
                offered += map(SeatChoice, seats)
    return chance.choice(offered)


def wished(people: People, given_: Input, chance: Random) -> Piece | None:
    """Return a random card for the giver, if *given_* gives one away; sometimes None."""
    match CIAO.step(people.state, given_).handed:
        case [way] if way.count == 1 and chance.random() < 0.7:
            tapped = given_.piece if isinstance(given_, Tap) else None
            return chance.choice([p for p in people.cards.hands[way.giver] if p != tapped])
    return None


@pytest.mark.long
@settings(max_examples=some(80), deadline=None)
@given(players=st.integers(2, 6), seed=st.integers(0, 2**32), options=OPTIONS)
def test_every_card_is_in_one_place_and_hands_are_as_the_referee_counts(
    players: int, seed: int, options: dict[str, OptionValue]
) -> None:
    """Checked after every input. Journal, seed and choices must rebuild the same positions."""
    chance = Random(seed)
    deck = plain_deck() if options["name-specials"] else DECK
    people = People(seed, players, deck, options)
    people.check()
    for _ in range(120):
        if people.view.is_over:
            break
        given_ = somebody(people, chance)
        people.give(given_, wish=wished(people, given_, chance))
        people.check()
    assert people.refolded == people.cards
    for _ in range(min(len(people.record.inputs), 3)):
        people = people.undone()
    people.check()
    assert people.refolded == people.cards


# --- single rules ---------------------------------------------------------------------------------


def test_seven_cards_each_by_the_seed() -> None:
    people = People(5, 6)
    assert [len(hand) for hand in people.hands] == [7] * 6
    assert len(people.cards.pile) == 108 - 42
    assert People(5, 6).hands == people.hands != People(6, 6).hands


def test_a_wrong_card_goes_back_to_its_place_in_the_hand_it_came_from() -> None:
    people, hands = dealt(lambda hands: Piece("obstacle", 1) in hands[0][:-1])
    top = people.cards.pile[-3:]
    people.give(Tap(Piece("obstacle", 1)))
    assert people.step.is_foul
    assert people.hands == [[*hands[0], *reversed(top)], *hands[1:]]
    assert people.cards.laid == []
    people = people.undone()
    assert people.hands == hands


def test_in_a_race_a_wrong_card_waits_on_the_mat_and_goes_back_to_its_hand() -> None:
    people, hands = dealt(
        lambda hands: any(bears(p, "speed") for p in hands[0]) and Piece("obstacle", 2) in hands[1]
    )
    speed, wrong = first(hands[0], "speed"), Piece("obstacle", 2)
    people.give(Tap(speed), Tap(wrong))
    assert people.hands == [without(hands[0], speed), without(hands[1], wrong), hands[2]]
    assert people.cards.laid == [speed, wrong]
    top = people.cards.pile[-3:]
    people.give(SeatChoice(Seat(1)))
    assert people.step.is_foul
    assert people.hands == [without(hands[0], speed), [*hands[1], *reversed(top)], hands[2]]
    assert people.cards.laid == [speed]


def test_a_card_too_late_for_a_race_waits_on_the_mat_and_goes_back_to_its_hand() -> None:
    """Cem wins Ann's race, and Ben's card comes too late on the shared spot."""
    people, hands = dealt(
        lambda hands: (
            any(bears(p, "speed") for p in hands[0])
            and Piece("obstacle", 2) in hands[1]
            and bool(winning(hands))
        )
    )
    speed, late, fast = first(hands[0], "speed"), Piece("obstacle", 2), winning(hands)[0]
    people.give(Tap(speed), Tap(fast, "seat-3", Seat(2)), Tap(late))
    assert people.cards.laid == [speed, fast, late]
    people.give(SeatChoice(Seat(1)))
    assert people.step.is_foul
    assert people.hands == [without(hands[0], speed), hands[1], without(hands[2], fast)]
    assert people.cards.laid == [speed, fast]
    people.check()
    assert people.refolded == people.cards


def winning(hands: list[list[Piece]]) -> list[Piece]:
    """Return the plain cards in Cem's hand that win the race which Ann's first speed card begins.

    They are of the symbol that beats the card's.
    """
    symbol = DECK.by_name[first(hands[0], "speed").kind].traits["symbol"]
    over = {"rock": "paper", "scissors": "rock", "paper": "scissors"}[str(symbol)]
    traits = {piece: DECK.by_name[piece.kind].traits for piece in hands[2]}
    return [p for p, has in traits.items() if (has["symbol"], has["special"]) == (over, "none")]


def test_a_player_who_is_owed_cards_draws_them_on_anothers_turn() -> None:
    people, hands, plus3 = holding("plus3")
    top = people.cards.pile[-3:]
    people.give(Tap(plus3), ACTION)
    assert people.hands == [without(hands[0], plus3), [*hands[1], *reversed(top)], hands[2]]
    assert people.view.turn == 2


def test_a_player_who_forgets_to_say_thanks_draws_on_the_givers_turn() -> None:
    people, hands, give = holding("give")
    top, last = people.cards.pile[-3:], without(hands[0], give)[-1]
    people.give(Tap(give), SeatChoice(Seat(2)), Choice("forgot"))
    assert people.hands[2] == [*hands[2], last, *reversed(top)]
    assert people.hands[1] == hands[1]


def test_a_given_card_is_the_last_of_the_hand_until_the_giver_chooses() -> None:
    people, hands, give = holding("give")
    left = without(hands[0], give)
    people.give(Tap(give))
    assert people.cards.gift is None
    people.give(SeatChoice(Seat(2)))
    assert people.hands == [left[:-1], hands[1], [*hands[2], left[-1]]]
    gift = people.cards.gift
    assert gift is not None
    assert (gift.giver, gift.receiver, gift.piece) == (0, 2, left[-1])
    assert gift.choices == tuple(left)
    people = people.undone()
    people.give(SeatChoice(Seat(2)), wish=left[0])
    assert people.hands == [left[1:], hands[1], [*hands[2], left[0]]]
    assert people.refolded == people.cards
    people.give(Choice("thanked"))
    assert people.hands[2][-1] == left[0]
    assert people.cards.gift is None  # it now belongs to the receiver


def test_an_impossible_choice_is_ignored() -> None:
    people, hands, give = holding("give")
    left = without(hands[0], give)
    people.give(Tap(give), SeatChoice(Seat(2)))
    number = len(people.record.inputs)
    for wish in (give, hands[1][0], people.cards.pile[0], Piece("lamp")):
        for at in (number - 1, number, number + 1):
            cards = cards_of(CIAO, people.record, people.seed, {at: wish})
            assert cards.hands[2][-1] == left[-1]


def test_an_obstacle_may_be_given_away() -> None:
    people, hands = dealt(
        lambda hands: any(bears(p, "give") for p in hands[0]) and Piece("obstacle", 3) in hands[0]
    )
    people.give(Tap(first(hands[0], "give")))
    people.give(SeatChoice(Seat(1)), wish=Piece("obstacle", 3))
    assert people.hands[1] == [*hands[1], Piece("obstacle", 3)]


def test_between_two_the_gift_comes_with_the_card() -> None:
    people, hands, give = holding("give", players=2)
    left = without(hands[0], give)
    people.give(Tap(give), wish=left[1])
    assert people.hands == [without(left, left[1]), [*hands[1], left[1]]]
    assert people.cards.laid == [give]


def test_hands_are_swapped_also_when_all_counts_stay_the_same() -> None:
    people, hands, swap = holding("swap")
    people.give(ACTION, Tap(swap))
    mine, counts = people.hands[0], people.view.counts
    assert counts["hand-1"] == counts["hand-3"]
    people.give(SeatChoice(Seat(2)))
    assert people.view.counts == counts
    assert people.hands == [hands[2], hands[1], mine]
    people.check()


def test_hands_of_two_sizes_are_swapped_whole() -> None:
    people, hands, swap = holding("swap", players=2)
    people.give(Tap(swap))
    assert people.hands == [hands[1], without(hands[0], swap)]
    assert people.cards.gift is None  # there was no choice


def test_the_discards_but_the_top_card_are_shuffled_to_be_the_pile() -> None:
    deck = small_deck(rock_green=6, paper_green=6, scissors_green=6)
    people, chance = People(4, 2, deck), Random(4)
    while "reshuffled" not in {event.code for event in people.step.events}:
        before = people.refolded
        people.give(somebody(people, chance))
        people.check()
    assert before.pile
    assert people.cards.laid == before.laid[-1:]
    held = {piece for hand in before.hands for piece in hand}
    drawn = [piece for hand in people.hands for piece in hand if piece not in held]
    assert drawn[: len(before.pile)] == before.pile[::-1]  # the old pile is drawn first
    assert {*drawn, *people.cards.pile} == {*before.pile, *before.laid[:-1]}
    assert people.refolded == people.cards
    people = people.undone()
    assert people.cards == before


def test_a_card_that_was_said_to_be_anothers_is_not_lost_and_the_sizes_mend() -> None:
    """In a race Ben's card was laid, but the mat is told that it was Cem's."""
    people, hands = dealt(
        lambda hands: any(bears(p, "speed") for p in hands[0]) and any(map(is_joker, hands[1]))
    )
    joker = next(filter(is_joker, hands[1]))
    people.give(Tap(first(hands[0], "speed")), Tap(joker), SeatChoice(Seat(2)), Choice("rock"))
    assert [len(hand) for hand in people.hands] == [6, 6, 7]  # the referee counts 6, 7, 6
    people.give(ACTION, ACTION, ACTION, ACTION, ACTION, ACTION)
    people.check()


A, B, C, D = (Piece("rock-green", copy) for copy in range(1, 5))


def test_cards_change_hands_all_at_once() -> None:
    cards = Cards([[A, B], [C], [D]], [])
    around = (
        HandTransfer(Seat(0), Seat(1), 1),
        HandTransfer(Seat(1), Seat(2), 1),
        HandTransfer(Seat(2), Seat(0), 1),
    )
    cards.hand_over(around, None)
    assert cards.hands == [[A, D], [B], [C]]
    cards = Cards([[A, B, C], [D], []], [])
    cards.hand_over((HandTransfer(Seat(0), Seat(1), 1), HandTransfer(Seat(0), Seat(2), 1)), None)
    assert cards.hands == [[A], [D, C], [B]]
    cards = Cards([[A, B], []], [])
    cards.hand_over(
        (HandTransfer(Seat(0), Seat(1), 3),), None
    )  # fewer cards than the referee counts
    assert cards.hands == [[], [A, B]]


def test_a_last_card_that_is_given_away_leaves_no_choice() -> None:
    cards = Cards([[A], [B]], [])
    cards.hand_over((HandTransfer(Seat(0), Seat(1), 1),), None)
    assert cards.hands == [[], [B, A]]
    assert cards.gift is None


def test_a_new_round_is_dealt_again_and_the_same_by_the_seed() -> None:
    people = People(3, 2, small_deck(rock_green=20), {"scoring": True, "rounds": 2})
    while people.view.phase != "round-over":
        people.give(somebody(people, Random(1)))
        people.check()
    old = people.hands
    people.give(OK)
    people.check()
    assert [len(hand) for hand in people.hands] == [7, 7]
    assert people.hands != old
    assert people.cards.laid == []
    assert people.refolded == people.cards


def test_what_a_variant_leaves_out_stays_in_the_box() -> None:
    people = People(1, 6, options={"variant": "symbols"})
    people.check()
    cards = people.cards
    kinds = {piece.kind for place in (*cards.hands, cards.pile) for piece in place}
    assert not kinds & people.view.left_out
    assert len(kinds) == 9 + 3
