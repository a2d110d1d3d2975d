"""Tests of the virtual tiles of Camargue: each is in one place, and the hands match the counts."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.common.contract import (
    Choice,
    ChoiceAsk,
    Input,
    PlaceAsk,
    PlaceChoice,
    Press,
    PressAsk,
    Seat,
    SeatAsk,
    SeatChoice,
    Tap,
    TapAsk,
)
from engines.common.grid import Place
from engines.common.pieces import Deck, Piece
from sim.deal.layouts.board import board_of
from sim.web.grid import refusal_at
from tests.effort import some
from tests.engines.camargue_table import DECK, small_deck
from tests.sim.web.camargue_people import (
    ACTION,
    CAMARGUE,
    People,
    claiming,
    dealt,
    helping,
    others,
)


def somebody(people: People, chance: Random) -> Input:
    """Return a random legal input for tiles the players hold, sometimes a helper or a claim."""
    tiles, offered = people.tiles, list[Input]()
    for ask in CAMARGUE.asks(people.state):
        match ask:
            case TapAsk(kinds=kinds, fouls=fouls, seats=seats):
                for seat in seats:
                    held = (*tiles.hands[seat], *tiles.apart)
                    taps = [p for p in held if p.kind in kinds | fouls and p not in tiles.shown]
                    by = chance.choice([(seat, f"seat-{seat + 1}"), (None, "play")])
                    offered += [Tap(piece, by[1], by[0]) for piece in taps]
            case PlaceAsk(offers=offers):
                offered += [PlaceChoice(offer.place) for offer in offers]
            case ChoiceAsk(names=names):
                offered += map(Choice, names)
            case SeatAsk(seats=seats):
                owner = next(n for n, hand in enumerate(tiles.hands) if tiles.tapped in hand)
                offered += [SeatChoice(seat) for seat in seats if seat == owner]
            case PressAsk(button=button) if chance.random() < 0.2:
                offered.append(Press(button))
    if not offered:
        offered = [ACTION] if people.ask(PressAsk) else [SeatChoice(people.ask(SeatAsk).seats[0])]
    return chance.choice(offered)


# So few tiles that a game can end; each exit of the start tile has another landscape.
FEW = small_deck(
    start=1, emergency=1, forest_nesw=2, grain_ns=1, grain_ew=1, water_nes=2, water_new=2,
    village_ne=1, lavender_sw=1, village_nw=1, lavender_es=1, lavender_esw=2, village_nsw=2,
    helper_forest_water=1, helper_grain_lavender=1, helper_lavender_village=1,
)  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(("deck", "acts"), [(DECK, 25), (FEW, 70)], ids=["box", "few"])
@settings(max_examples=some(10), deadline=None)
@given(players=st.integers(2, 6), seed=st.integers(0, 2**32))
def test_every_tile_is_in_one_place_and_all_are_as_the_referee_counts(
    deck: Deck, acts: int, players: int, seed: int
) -> None:
    people, chance = People(seed, players, deck), Random(seed)
    people.check()
    for _ in range(acts):
        if people.view.is_over:
            return
        people.give(somebody(people, chance))
        people.check()


def test_a_tile_is_in_its_hand_until_it_has_its_place() -> None:
    people = dealt(lambda hands: others(hands[0]))
    before = people.tiles
    piece = people.fitting()[0]
    tapped = people.give(Tap(piece))
    assert (tapped.waiting, tapped.hands) == (piece, before.hands)
    offers = people.ask(PlaceAsk).offers
    assert tapped.points == {offer.place: offer.headline for offer in offers} != {}
    laid = people.give(PlaceChoice(offers[0].place))
    assert (laid.waiting, laid.points, laid.board[-1]) == (None, {}, piece)
    assert laid.hands[0] == [*(p for p in before.hands[0] if p != piece), before.pile[-1]]


def test_an_undone_place_leaves_no_trace() -> None:
    people = dealt(lambda hands: others(hands[0]))
    piece = people.fitting()[0]
    tapped = people.give(Tap(piece))
    people.give(PlaceChoice(people.ask(PlaceAsk).offers[0].place))
    assert board_of(CAMARGUE, people.record.with_undo(), people.seed) == tapped


def test_a_tile_that_is_elsewhere_may_be_tapped_and_hands_mend() -> None:
    """A tile can be in an unexpected hand if the deck is dealt again during a game."""
    people = dealt(lambda hands: others(hands[1]))
    piece = next(p for p in others(people.tiles.hands[1]))
    people.play(piece)
    people.check()


def test_with_four_players_two_tiles_lie_out_unseen() -> None:
    for players, out, pile in ((2, 0, 84), (3, 0, 81), (4, 2, 76), (5, 0, 75), (6, 0, 72)):
        tiles = People(1, players).tiles
        assert (len(tiles.out), len(tiles.pile)) == (out, pile)
        assert [piece.kind for piece in tiles.apart] == ["emergency"] * 5
        assert tiles.board == [Piece("start")]


def test_a_helper_lies_in_front_of_its_player_and_is_put_aside() -> None:
    people, helper, tile = helping()
    people.play(tile)
    assert people.tiles.others(people.turn) == (2,)
    asked = people.give(Tap(helper))
    assert (asked.waiting, asked.points, asked.fronts) == (helper, {}, [None] * 3)
    assert helper in asked.hands[2]
    helped = people.give(SeatChoice(Seat(2)))
    assert helped.fronts == [None, None, helper]
    assert (len(helped.hands[2]), helped.waiting) == (2, None)
    assert helped.others(people.turn) == ()
    people.play(people.fitting()[0])
    aside = people.give(ACTION)
    assert (aside.fronts, aside.aside) == ([None] * 3, [helper])
    assert len(aside.hands[2]) == 3
    people.check()


def test_with_a_wrong_answer_whose_helper_it_is_no_tile_is_lost() -> None:
    people, helper, tile = helping()
    people.play(tile)
    tiles = people.give(Tap(helper), SeatChoice(Seat(1)), Choice("copy"))
    assert tiles.fronts[1] == helper
    assert [len(hand) for hand in tiles.hands] == [3, 3, 2]
    people.give(ACTION)  # the tile drawn in its place goes to the hand that lacks one
    people.check()


def test_tiles_of_a_claim_are_shown_and_stay_in_the_hand() -> None:
    people = claiming()
    hand = people.tiles.hands[0]
    people.give(ACTION)
    first = people.give(Tap(hand[0]))
    assert (first.shown, first.waiting, first.hands[0]) == ([hand[0]], None, hand)
    dropped = people.give(ACTION)
    assert (dropped.shown, dropped.hands[0]) == ([], hand)
    right = people.give(ACTION, *map(Tap, hand))
    assert (right.shown, right.waiting, right.hands[0]) == ([], None, hand)
    emergency = Piece("emergency", 3)
    assert people.give(Tap(emergency)).waiting == emergency
    placed = people.give(PlaceChoice(people.ask(PlaceAsk).offers[0].place))
    assert (placed.board[-1], len(placed.apart), placed.hands[0]) == (emergency, 4, hand)
    people.check()


def test_the_rules_say_why_a_place_will_not_do() -> None:
    people = dealt(lambda hands: others(hands[0]))
    people.give(Tap(people.fitting()[0]))
    refusals = {
        at: type(error).code
        for at in (Place(0, 0), Place(1, 1), Place(9, 9), people.ask(PlaceAsk).offers[0].place)
        if (error := refusal_at(CAMARGUE, people.record, at)) is not None
    }
    assert refusals == {
        Place(0, 0): "occupied",
        Place(1, 1): "touches-nothing",
        Place(9, 9): "touches-nothing",
    }
    assert refusal_at(CAMARGUE, People(1).record, Place(1, 1)) is None  # no tile is waiting
