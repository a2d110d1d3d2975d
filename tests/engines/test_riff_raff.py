"""Riff Raff step by step: set-up, cards, loading, falls, tagged cargo, refusals and undo."""

import textwrap
from dataclasses import replace

import pytest

from engines.common.contract import (
    Button,
    Choice,
    ChoiceAsk,
    Input,
    Message,
    Number,
    NumberAsk,
    OptionValue,
    Press,
    PressAsk,
    Seat,
    SeatChoice,
    Sensor,
    Setup,
    Tap,
    TapAsk,
)
from engines.common.errors import CannotStart
from engines.common.grid import Place
from engines.common.pieces import Deck, Kind, Piece
from engines.riff_raff import GAME
from engines.riff_raff.box import CARDS, CARGO, COLOURS, SHAPES
from engines.riff_raff.errors import TooFewColours
from tests.engines.contract import HINT_LINES, LINE, check_refusal
from tests.engines.riff_raff_table import (
    ACTION,
    CASE,
    DECK,
    OK,
    TAGGED,
    RiffRaffTable,
    deck_with,
    deck_without,
)

# --- the box and the set-up ----------------------------------------------------------------------


def test_deck_is_the_box_and_says_that_it_is_not_verified() -> None:
    assert (DECK.total, DECK.is_verified) == (72, False)
    assert set(DECK.by_name) == set(CARDS) | CARGO
    assert {kind.count for kind in DECK.kinds} == {1}
    assert len(CARGO) == len(COLOURS) * len(SHAPES) == 32


def test_columns_of_the_deck_say_what_the_names_say() -> None:
    for kind in DECK.kinds:
        what = kind.value or kind.traits["shape"]
        assert kind.name == f"{kind.traits['colour']}-{what}"


def test_a_deck_with_an_unknown_piece_is_refused() -> None:
    with pytest.raises(ValueError, match='no piece "red-11"'):
        RiffRaffTable(deck=deck_with(Kind("red-11", 1)), with_colours=False)


@pytest.mark.parametrize(("seats", "pieces"), [(2, 16), (3, 8), (4, 8)])
def test_everybody_begins_with_eight_pieces_and_of_two_each_with_sixteen(
    seats: int, pieces: int
) -> None:
    table = RiffRaffTable(seats)
    assert table.view.scores == (pieces,) * seats
    assert [table.counts[f"cards-{n}"] for n in range(1, seats + 1)] == [10] * seats
    opening = GAME.opening(RiffRaffTable(seats, with_colours=False).state)
    assert [CASE.words.say(event) for event in opening] == [
        f"Everybody takes the cards of one colour and {pieces} pieces.",
        "Ann, show one of your cards.",
    ]


NO_GREEN_10 = tuple(kind for kind in DECK.kinds if kind.name != "green-10")


@pytest.mark.parametrize("deck", [deck_without("green-10"), replace(DECK, kinds=NO_GREEN_10)])
def test_a_colour_that_lacks_a_card_is_played_by_nobody(deck: Deck) -> None:
    table = RiffRaffTable(3, deck=deck, with_colours=False)
    assert "green-1" not in table.kinds
    assert table.refused("green-1").facts == {"colour": "green"}
    with pytest.raises(TooFewColours) as caught:
        GAME.start(Setup(4, Seat(0), deck, {}))
    assert caught.value.facts == {"colours": 3, "needed": 4}
    check_refusal(CASE, caught.value)


@pytest.mark.parametrize(("seats", "needed"), [(2, 32), (4, 32)])
def test_tagged_cargo_must_be_enough_and_untagged_need_not_be_there(
    seats: int, needed: int
) -> None:
    deck = deck_without("red-rat")
    GAME.start(Setup(seats, Seat(0), deck, {}))
    GAME.start(Setup(3, Seat(0), deck, TAGGED))
    with pytest.raises(CannotStart) as caught:
        GAME.start(Setup(seats, Seat(0), deck, TAGGED))
    assert caught.value.facts == {"cards": 31, "needed": needed}
    check_refusal(CASE, caught.value)


# --- colours -------------------------------------------------------------------------------------


def test_each_player_shows_a_colour_in_turn() -> None:
    table = RiffRaffTable(3, with_colours=False)
    assert (table.phase, table.view.turn, table.headline) == ("colours", 0, "COLOURS of cards")
    assert list(table.asks) == [
        TapAsk(
            frozenset(CARDS), (Seat(0), Seat(1), Seat(2)), ("play", "seat-1", "seat-2", "seat-3")
        ),
    ]
    table.tap("green-7")
    assert table.said == "Ann plays green. Ben, show one of your cards."
    assert (table.view.turn, "green-1" in table.kinds) == (1, False)
    assert table.refused("green-1").facts == {"seat": 0, "colour": "green"}
    table.tap("red-1", "yellow-10")
    assert table.said == "Cem plays yellow. Round 1: reveal a card each."
    assert table.state.colours == ("green", "red", "yellow")
    assert table.counts["cards-1"] == 10, "showing a card is not playing it"


def test_on_a_seats_own_reader_it_may_come_at_any_time() -> None:
    table = RiffRaffTable(3, with_colours=False)
    table.give(Tap(Piece("blue-3"), "seat-3", Seat(2)))
    assert table.said == "Cem plays blue. Ann, show one of your cards."
    again = table.refused(Tap(Piece("red-3"), "seat-3", Seat(2)))
    assert (again.code, again.facts) == ("has-colour", {"seat": 2, "colour": "blue"})
    table.tap("red-1", spot="seat-2")
    table.tap("yellow-1")
    assert table.state.colours == ("yellow", "red", "blue")


def test_of_four_players_the_last_colour_is_clear() -> None:
    table = RiffRaffTable(4, with_colours=False)
    table.tap("yellow-1", "red-1", "green-1")
    assert table.said == "Cem plays green. Dora plays blue. Round 1: reveal a card each."
    assert table.phase == "reveal"


# --- cards ---------------------------------------------------------------------------------------


def test_cards_are_revealed_in_any_order_and_the_last_one_decides() -> None:
    table = RiffRaffTable()
    assert (table.headline, table.view.turn) == ("1 of 10 rounds", None)
    assert table.hint == "Tap your cards: 3 to come."
    table.tap("green-4")
    assert (table.said, table.view.turn) == ("Cem: 4.", None)
    table.tap("red-9")
    assert (table.hint, table.view.turn) == ("Ben: reveal a card and tap it.", 1)
    table.tap("blue-6")
    assert table.said == "Ben: 6. Ann is captain. Ann loads area 9."
    assert [table.view.turn, *table.state.order] == [0, 1, 2]
    assert table.counts["cards-1"] == 9


def test_a_card_is_read_on_play_or_at_its_own_seat() -> None:
    table = RiffRaffTable()
    assert table.asks[1] == TapAsk(
        frozenset(f"blue-{n}" for n in range(1, 11)), (Seat(1),), ("play", "seat-2")
    )
    table.give(Tap(Piece("blue-4"), "seat-2", Seat(1)))
    elsewhere = table.refused(Tap(Piece("red-4"), "seat-2", Seat(1)))
    assert (elsewhere.code, elsewhere.facts) == ("not-your-card", {"seat": 0, "other_seat": 1})
    assert table.refused(Tap(Piece("red-4"), "play", Seat(2))).code == "not-your-card"
    table.give(Tap(Piece("red-4"), "play", Seat(0)))


@pytest.mark.parametrize("spot", ["hand", "box", "seat-4"])
def test_a_card_on_another_spot_is_refused(spot: str) -> None:
    assert RiffRaffTable().refused(Tap(Piece("red-1"), spot)).code == "not-expected-now"


def test_a_colour_nobody_plays_is_refused() -> None:
    table = RiffRaffTable(2)
    assert table.refused("yellow-3").facts == {"colour": "yellow"}


@pytest.mark.parametrize("piece", ["red-11", "settler", "red-1#2", "red-rat#2"])
def test_what_is_in_no_deck_is_refused(piece: str) -> None:
    refused = RiffRaffTable().refused(piece)
    assert (refused.code, refused.facts) == ("not-in-this-game", {"piece": Piece.parse(piece)})


def test_cargo_is_no_card() -> None:
    assert RiffRaffTable().refused("red-rat").facts == {"waits": "reveal"}
    assert RiffRaffTable(with_colours=False).refused("red-rat").facts == {"waits": "colours"}


def test_two_copies_of_a_card_are_one_card() -> None:
    """A deck file may count a card twice; after one copy is played, the other is refused."""
    kinds = [replace(k, count=2) if k.name == "red-7" else k for k in DECK.kinds]
    table = RiffRaffTable(2, deck=replace(DECK, kinds=tuple(kinds)))
    table.tap("red-7#1")
    assert table.refused("red-7#2").code == "already-played"


@pytest.mark.parametrize(
    "given", [Number(3), OK, ACTION, Choice("yes"), SeatChoice(Seat(0)), Choice("two")]
)
def test_nothing_but_a_card_is_taken_before_all_are_revealed(given: Input) -> None:
    table = RiffRaffTable()
    assert table.refused(given).facts == {"waits": "reveal"}
    table.reveal(1, 1)
    assert table.refused(given).facts == {"waits": "reveal"}


@pytest.mark.parametrize("given", [Number(1), SeatChoice(Seat(7)), SeatChoice(Seat(-1)), OK])
def test_a_tie_is_broken_by_naming_a_seat(given: Input) -> None:
    table = RiffRaffTable()
    table.reveal(5, 5, 5)
    assert table.refused(given).facts == {"waits": "captain"}
    table.choose(0)
    assert table.refused(given).facts == {"waits": "order"}
    assert table.refused(SeatChoice(Seat(0))).code == "cannot-be-chosen"


def test_the_captain_stays_in_office_until_the_next_cards() -> None:
    """Ann becomes captain in round 1, so she breaks the tie of round 2."""
    table = RiffRaffTable()
    table.round(9, 5, 2)
    assert table.said == "It holds. Cem has 7 pieces left. Round 2: reveal a card each."
    assert table.counts["captain"] == 1
    table.reveal(1, 8, 8)
    assert (table.phase, table.view.turn, table.headline) == ("captain", 0, "8 highest card")
    assert table.hint == "Ann names the new captain."
    table.choose(2)
    assert table.counts["captain"] == 3
    assert [table.view.turn, *table.state.order] == [2, 1, 0]


def test_the_tied_card_is_shown_while_the_captain_orders() -> None:
    table = RiffRaffTable(4)
    table.reveal(9, 4, 4, 1)
    assert (table.headline, table.hint) == ("4 tied cards", "Ann: who comes first?")
    assert table.view.grid is None


# --- loading -------------------------------------------------------------------------------------


def test_while_loading_the_headline_is_the_area_and_the_ship_is_shown() -> None:
    table = RiffRaffTable().lying(9, 9, 2)
    table.reveal(4, 6, 2)
    assert (table.headline, table.hint) == ("6 OK: it holds", "Load it. OK when it holds.")
    view = table.view
    assert view.spoken is not None
    assert CASE.words.say(view.spoken) == "Area 6"
    assert view.grid is not None
    assert view.grid.focus == Place(2, 2)
    assert {cell.mark: (cell.place.column, cell.place.row) for cell in view.grid.cells} == {
        "9": (1, 0), "10": (2, 0), "7": (1, 1), "8": (2, 1), "5": (1, 2), "6": (2, 2),
        "1": (0, 3), "2": (1, 3), "3": (2, 3), "4": (3, 3),
    }  # fmt: skip
    assert [cell.mark for cell in view.grid.cells if cell.is_lit] == ["6"]
    assert {mark: tally for mark, tally in table.tallies().items() if tally} == {"9": "2", "2": "1"}


def test_a_tally_says_both_ends_of_what_is_known() -> None:
    table = RiffRaffTable().lying(9, 9, *[2] * 11)
    table.reveal(4, 6, 1)
    table.falls(2, 0)
    assert {mark: tally for mark, tally in table.tallies().items() if tally} == {
        "9": "0-2", "2": "9+", "6": "0-1",
    }  # fmt: skip


def test_ok_says_that_it_holds_and_action_or_a_tilt_that_cargo_fell() -> None:
    table = RiffRaffTable()
    table.reveal(4, 6, 2)
    assert list(table.asks) == [
        PressAsk(Button.OK, "holds"),
        PressAsk(Button.ACTION, "fell", sensor=Sensor.TILT),
    ]
    is_seen = [ask.is_seen for ask in table.asks if isinstance(ask, PressAsk)]
    assert is_seen == [True, True], "only people see the ship"
    table.give(ACTION)
    assert table.said == "Cargo overboard! How many fell?"
    assert list(table.asks) == [NumberAsk(1, 1, 1)]
    assert not table.can_tilt, "a ship that goes on rocking says nothing new"


def test_nothing_is_asked_of_a_yardarm_that_is_known() -> None:
    """A yardarm is known to hold a piece after one was loaded, and to be empty if none was."""
    table = RiffRaffTable()
    table.round(10, 9, 8)
    table.reveal(6, 10, 9)
    assert table.phase == "announce", "area 10 holds Ann's piece"
    table.choose("one")
    table.holds()
    assert (table.phase, table.view.turn) == ("announce", 2)
    table.choose("one")
    table.holds()
    assert (table.phase, table.headline) == ("load", "6 OK: it holds")


def fallen_from_7_or_8() -> RiffRaffTable:
    """Return a table after one of three pieces fell: the area, 6, 7 or 8, is not known."""
    table = RiffRaffTable().lying(7, 8, 6)
    table.reveal(3, 1, 2)
    table.falls(1, 0, "other")
    assert (table.area(7), table.area(8), table.area(3)) == ((0, 1), (0, 1), (1, 1))
    table.holds(2)
    return table


def test_where_it_cannot_know_the_referee_asks_whether_a_piece_lies_there() -> None:
    table = fallen_from_7_or_8()
    table.reveal(7, 4, 8)
    assert table.said == "Cem: 8. Cem is captain. Cem loads area 8. Is there a piece in area 8?"
    assert (table.phase, table.hint) == ("look", "Is there a piece in area 8?")
    assert list(table.asks) == [ChoiceAsk(("yes", "no"))]
    assert table.refused(Choice("one")).facts == {"waits": "look"}
    table.choose("no")
    assert table.said == "Cem loads one piece."
    assert table.refused(Choice("two")).facts["why"] == "empty"
    assert table.area(7) == (1, 1), "so that one lies there still"
    table.holds()
    assert (table.phase, table.view.turn) == ("announce", 0)


def test_the_answer_is_remembered() -> None:
    table = fallen_from_7_or_8()
    table.reveal(7, 4, 8)
    table.choose("yes")
    assert (table.phase, table.area(8)) == ("announce", (1, 1))
    table.choose("two")
    table.falls(1, 1, "placed")
    assert table.area(8) == (1, 1), "what was just placed fell, and nothing else"
    assert (table.phase, table.view.turn) == ("look", 0), "area 7 was never told of"


def test_neither_cargo_on_deck_nor_a_player_with_one_piece_left_matters() -> None:
    table = fallen_from_7_or_8().left(1, 2, 2)
    table.reveal(7, 3, 1)
    assert (table.phase, table.view.turn) == ("load", 0)
    table = fallen_from_7_or_8()
    table.reveal(1, 3, 4)
    assert table.phase == "load"


def test_after_the_end_of_a_pass_the_ship_stays_as_it_is() -> None:
    table = RiffRaffTable(2)
    for number in range(1, 11):
        table.round(number, number % 10 + 1)
    assert (table.counts["pass"], table.counts["cards-1"]) == (2, 10)
    assert (table.counts["ship"], table.view.scores) == (20, (6, 6))


# --- falls ---------------------------------------------------------------------------------------


def test_how_many_fell_is_at_most_what_lay_there_with_the_piece_just_placed() -> None:
    table = RiffRaffTable().lying(1, 2, 9)
    table.reveal(9, 2, 3)
    table.choose("two")
    table.holds()
    table.give(ACTION)
    assert list(table.asks) == [NumberAsk(1, 5, 1)]
    assert table.hint == "How many fell? None: press Back."
    for wrong in (0, 6, -1):
        assert table.refused(Number(wrong)).facts == {"low": 1, "high": 5}
    assert table.refused(OK).facts == {"waits": "fallen"}
    table.give(Number(5))
    assert (table.hint, table.headline) == ("How many of 5 were caught?", "9 cargo fell")
    assert list(table.asks) == [NumberAsk(0, 5, 0)]
    assert table.refused(Number(6)).facts == {"low": 0, "high": 5}
    assert table.refused(ACTION).facts == {"waits": "caught"}
    table.give(Number(1))
    assert (table.phase, table.hint) == ("which", "Which one was caught?")
    assert list(table.asks) == [ChoiceAsk(("placed", "other"))]
    assert table.refused(Number(1)).facts == {"waits": "which"}
    table.choose("other")
    assert (table.counts["ship"], table.view.scores) == (0, (9, 7, 7))


def test_one_that_fell_is_asked_for_as_one() -> None:
    table = RiffRaffTable()
    table.reveal(9, 2, 3)
    table.give(ACTION)
    table.give(Number(1))
    assert (table.said, table.hint) == ("It was 1 piece. Was it caught?", "1 fell. Caught: 0 or 1?")


def test_a_piece_still_in_hand_counts_as_fallen_and_not_caught() -> None:
    """Ann knocks a piece off before placing hers: both count as fallen, and one as caught."""
    table = RiffRaffTable().lying(5)
    table.reveal(9, 2, 3)
    table.falls(2, 1, "other")
    assert table.view.scores == (7, 8, 8)
    assert (table.counts["ship"], table.counts["removed"]) == (0, 1)


# --- tagged cargo --------------------------------------------------------------------------------


def tagged(seats: int = 3, **options: OptionValue) -> RiffRaffTable:
    """Return a table whose cargo pieces have tags, so that they are told apart."""
    return RiffRaffTable(seats, options=TAGGED | options)


def test_a_tagged_piece_is_tapped_before_it_is_loaded() -> None:
    table = tagged()
    table.reveal(9, 2, 3)
    assert (table.phase, table.hint) == ("piece", "Tap the piece that you load.")
    assert list(table.asks) == [TapAsk(CARGO, (Seat(0),), ("play", "seat-1"))]
    assert not table.can_tilt
    table.tap("blue-rat")
    assert table.said == "Ann loads the blue rat."
    assert (table.phase, table.headline, table.can_tilt) == ("load", "9 OK: it holds", True)
    table.holds()
    assert (table.cargo.on_ship, table.area(9)) == ({Piece("blue-rat"): 9}, (1, 1))
    assert (table.phase, table.view.turn, "blue-rat" in table.kinds) == ("piece", 2, False)
    assert table.refused("blue-rat").facts == {"piece": Piece("blue-rat"), "area": 9}
    assert table.refused("red-4").facts == {"waits": "piece"}
    assert table.refused(Tap(Piece("red-rat"), "play", Seat(0))).facts == {"seat": 2}
    assert table.refused(OK).facts == {"waits": "piece"}
    assert table.refused("red-rat#2").code == "not-in-this-game"


def test_two_tagged_pieces_are_tapped_one_after_the_other() -> None:
    table = tagged().lies_in(7, "red-boat")
    table.reveal(7, 2, 3)
    table.choose("two")
    assert (table.phase, table.headline) == ("piece", "7 piece 1 of 2")
    assert table.refused(Choice("one")).code == "announced"
    table.load("red-rat")
    assert (table.phase, table.headline) == ("piece", "7 piece 2 of 2")
    assert table.hint == "Tap the piece that you load."
    assert table.state.acting.piece is None, "nothing is in hand"
    table.load("red-crate")
    assert (table.view.turn, table.area(7)) == (2, (3, 3))
    refusal = table.refused(Choice("two"))
    assert (refusal.code, refusal.facts["area"]) == ("only-one-piece", 3)


def test_of_tagged_cargo_nothing_is_asked() -> None:
    """The tags name the fallen pieces, so each area is known after a fall."""
    table = tagged().lies_in(7, "red-boat", "red-rat").lies_in(8, "red-crate")
    table.reveal(8, 2, 3)
    table.choose("one")
    table.tap("red-sailor")
    table.give(ACTION)
    assert table.said == "Cargo overboard! Tap what was caught."
    assert (table.phase, table.headline) == ("tap-caught", "8 cargo fell")
    assert table.hint == "Tap what was caught, then OK."
    assert list(table.asks) == [
        TapAsk(
            frozenset({"red-boat", "red-rat", "red-crate", "red-sailor"}),
            (Seat(0),),
            ("play", "box"),
        ),
        PressAsk(Button.OK, "done"),
    ]
    table.tap("red-boat")
    table.tap("red-crate", spot="box")
    assert (table.said, table.hint) == ("Caught: the red crate.", "2 caught. Tap more, or OK.")
    table.give(OK)
    assert (table.said, table.phase) == ("Now what was not caught.", "tap-lost")
    table.tap("red-rat")
    assert (table.said, table.hint) == (
        "Not caught: the red rat.",
        "1 not caught. Tap more, or OK.",
    )
    table.give(OK)
    assert table.said == (
        "Ann caught 2 pieces: they leave the game. Ann takes 1 piece that fell. Ann has 5 pieces. "
        "Cem loads area 3."
    )
    assert (table.area(7), table.area(8)) == ((0, 0), (1, 1))
    assert table.cargo.on_ship == {Piece("red-sailor"): 8}
    assert table.cargo.gone == {Piece("red-boat"), Piece("red-crate")}
    assert table.all_pieces() == 24


def test_what_may_be_tapped_after_a_fall() -> None:
    table = tagged().lies_in(7, "red-boat")
    table.reveal(1, 2, 8)
    table.tap("green-rat")
    table.give(ACTION)
    assert table.refused("red-rat").code == "not-aboard"
    assert table.refused("red-1").facts == {"waits": "tap-caught"}
    assert table.refused(Tap(Piece("red-boat"), "seat-3", Seat(2))).code == "not-expected-now"
    assert table.refused(Number(1)).facts == {"waits": "tap-caught"}
    table.give(OK)
    assert list(table.asks) == [
        TapAsk(frozenset({"red-boat", "green-rat"}), (Seat(2),), ("play", "seat-3")),
        PressAsk(Button.OK, "done"),
    ]
    assert table.hint == "Tap what was not caught, then OK."
    table.tap("red-boat", spot="seat-3")
    assert table.refused("red-boat").code == "tapped-already"
    assert table.refused(Tap(Piece("green-rat"), "box")).code == "not-expected-now"
    table.give(OK)
    assert (table.view.scores, table.cargo.on_ship) == ((7, 8, 8), {Piece("green-rat"): 8})


def test_when_no_piece_was_tapped_nothing_fell_and_loading_goes_on() -> None:
    table = tagged().lies_in(7, "red-boat")
    table.reveal(1, 2, 8)
    table.tap("green-rat")
    before = table.state
    table.give(ACTION)
    table.give(OK)
    assert table.put_back(OK) == "Go on tapping what fell."
    table.give(OK)
    assert (table.said, table.state) == ("Nothing fell: go on loading.", before)


def test_when_all_there_was_was_caught_nothing_more_is_asked() -> None:
    table = tagged().lies_in(7, "red-boat")
    table.reveal(1, 2, 8)
    table.tap("green-rat")
    table.give(ACTION)
    table.tap("green-rat", "red-boat")
    assert list(table.asks) == [PressAsk(Button.OK, "done")]
    table.give(OK)
    assert table.told == ["leave", "has", "loads"]
    assert (table.view.scores, table.counts["removed"]) == ((7, 8, 7), 2)
    assert table.cargo.gone == {Piece("green-rat"), Piece("red-boat")}


def test_the_tags_say_whether_it_was_the_piece_just_placed() -> None:
    """The piece just placed returns to the player if it alone is caught.

    Otherwise all caught pieces leave the game.
    """
    for caught, lost, gone in (
        (("green-rat",), (), set()),
        (("green-rat",), ("red-boat",), set()),
        (("red-boat",), (), {"red-boat"}),
        (("red-boat",), ("green-rat",), {"red-boat"}),
        (("red-boat", "green-rat"), (), {"red-boat", "green-rat"}),
    ):
        table = tagged().lies_in(7, "red-boat", "red-crate")
        table.reveal(1, 2, 8)
        table.tap("green-rat")
        table.tagged_fall(caught, lost)
        assert {piece.kind for piece in table.cargo.gone} == gone
        fell = {*caught, *lost}
        assert table.view.scores[2] == 7 + len(fell - gone)
        assert table.counts["ship"] == 3 - len(fell)
        owned = {piece.kind for piece, seat in table.cargo.owners.items() if seat == 2}
        assert owned == fell - gone
        assert table.all_pieces() == 24


def test_house_rule_of_the_placed_piece_with_tags() -> None:
    table = tagged(**{"placed-returns": False}).lies_in(7, "red-boat")
    table.reveal(1, 2, 8)
    table.tap("green-rat")
    table.tagged_fall(("green-rat",), ("red-boat",))
    assert table.cargo.gone == {Piece("green-rat")}


def test_a_piece_must_possibly_be_in_front_of_the_player_who_loads_it() -> None:
    """A piece is refused if it is known to be another player's or to have left the game."""
    table = tagged().lies_in(7, "red-boat", "red-rat")
    table.reveal(1, 2, 8)
    table.tap("green-rat")
    table.tagged_fall(("red-rat",), ("red-boat",))
    assert table.refused("red-boat").facts == {"piece": Piece("red-boat"), "seat": 1}
    gone = table.refused("red-rat")
    assert (gone.code, gone.facts) == ("left-the-game", {"piece": Piece("red-rat")})
    assert {"red-boat", "red-rat", "green-rat"}.isdisjoint(table.kinds)
    table.load("yellow-chest")
    table.load("blue-chest")
    table.reveal(2, 3, 9)
    assert {"red-boat", "red-plank"} < table.kinds
    table.load("red-boat")
    assert table.cargo.owners == {}


def test_a_player_with_known_pieces_only_loads_one_of_these() -> None:
    table = tagged().lies_in(7, "red-boat", "red-rat").left(3, 3, 1)
    table.reveal(1, 2, 8)
    table.tap("green-rat")
    table.tagged_fall((), ("green-rat", "red-boat"))
    table.load("blue-rat")
    table.load("red-chest")
    table.reveal(2, 3, 9)
    assert table.kinds == {"green-rat", "red-boat"}
    assert table.refused("blue-boat").code == "not-your-piece"


def test_a_win_with_tagged_cargo() -> None:
    table = tagged().left(1, 2, 2)
    table.reveal(9, 2, 3)
    table.load("red-rat")
    assert table.view.winners == (0,)


# --- undo ----------------------------------------------------------------------------------------


def test_taking_back_a_card() -> None:
    table = RiffRaffTable(4, with_colours=False)
    red = Tap(Piece("red-1"))
    assert table.put_back(red) == "Ann, show a card once more."
    table.tap("red-1", "blue-1")
    assert table.put_back(Tap(Piece("green-1"))) == "Cem, show a card once more."
    table.tap("green-1")
    assert table.put_back(Tap(Piece("blue-7"))) == "Ben, take your 7 up again."
    table.reveal(7, 7, 3)
    assert table.put_back(Tap(Piece("yellow-7"))) == "Dora, take your 7 up again."


def test_taking_back_what_was_said() -> None:
    table = fallen_from_7_or_8()
    table.reveal(7, 8, 8)
    assert table.put_back(SeatChoice(Seat(1))) == "Choose again."
    table.choose(1)
    assert table.put_back(Choice("yes")) == "Choose again."
    table.choose("yes")
    assert table.put_back(Choice("two")) == "Choose again."
    table.choose("two")
    assert table.put_back(OK) == "Ben, take the piece off the ship again."
    assert table.put_back(ACTION) == "Nothing fell: go on loading."
    table.give(ACTION)
    assert table.put_back(Number(2)) == "Choose again."
    table.give(Number(2))
    assert table.put_back(Number(0)) == "Collect the fallen pieces again."
    assert table.put_back(Number(1)) == "Choose again."
    table.give(Number(1))
    assert table.put_back(Choice("placed")) == "Collect the fallen pieces again."
    assert table.put_back(Choice("other")) == "Collect the fallen pieces again."


def test_taking_back_the_end_of_a_pass() -> None:
    """The instructions say to lay out the played cards again."""
    table = RiffRaffTable(2)
    table.state = replace(table.state, number=10)
    table.reveal(4, 5)
    table.holds()
    back = "Lay all played cards out again."
    assert table.put_back(OK) == f"{back} Ann, take the piece off the ship again."
    table.give(ACTION)
    table.give(Number(2))
    assert table.put_back(Number(0)) == f"{back} Collect the fallen pieces again."


def test_taking_back_a_tagged_piece() -> None:
    table = tagged().lies_in(7, "red-boat")
    table.reveal(1, 2, 8)
    rat, boat = Tap(Piece("green-rat")), Tap(Piece("red-boat"))
    assert table.put_back(rat) == "Cem, take the green rat back."
    table.give(rat)
    table.give(ACTION)
    assert table.put_back(boat) == "Not counted: the red boat."
    assert table.put_back(OK) == "Go on tapping what fell."
    table.give(OK)
    assert table.put_back(boat) == "Not counted: the red boat."
    table.give(boat)
    assert table.put_back(OK) == "Collect the fallen pieces again."


# --- words ---------------------------------------------------------------------------------------

LONG = "Wilhelmina"  # the longest name allowed


@pytest.mark.parametrize(
    ("code", "facts"),
    [
        ("show-colour.hint", {}),
        ("reveal", {"n": 4}),
        ("reveal-last", {"seat": 0}),
        ("name-captain", {"seat": 0}),
        ("who-is-next.hint", {"seat": 0}),
        ("look", {"area": 10}),
        ("announce", {}),
        ("tap-piece", {}),
        ("load", {}),
        ("how-many.hint", {}),
        ("how-many-caught.hint", {"n": 1}),
        ("how-many-caught.hint", {"n": 33}),
        ("which-one", {}),
        ("which-fell", {}),
        ("tap-caught", {"n": 0}),
        ("tap-caught-more", {"n": 33}),
        ("tap-lost", {"n": 0}),
        ("tap-lost-more", {"n": 33}),
    ],
)
def test_hints_fit_two_lines_with_the_longest_facts(code: str, facts: dict[str, int]) -> None:
    text = CASE.words.say(Message(code, facts)).replace("Ann", LONG)
    assert len(textwrap.wrap(text, LINE)) <= HINT_LINES, text


def test_a_press_that_means_nothing_now_is_refused() -> None:
    table = RiffRaffTable(with_colours=False)
    for button in Button:
        assert table.refused(Press(button)).facts == {"waits": "colours"}
