"""Cramel turn by turn: texts, refusals, the end of the game, and undo."""

import pytest

from engines.common.contract import (
    Button,
    Choice,
    Direction,
    Input,
    Message,
    Number,
    Press,
    PressAsk,
    Seat,
    SeatChoice,
    Setup,
    Tap,
    TapAsk,
)
from engines.common.errors import CannotStart
from engines.common.pieces import Deck, Kind, Piece
from engines.cramel import GAME
from engines.cramel.tiles import KINDS, TileCounts
from tests.engines.contract import check_refusal
from tests.engines.cramel_table import CASE, DECK, HALF, STOP, CramelTable, small_deck

OK = Press(Button.OK)


# --- laying out the tiles ------------------------------------------------------------------------


def test_deck_is_the_box_and_says_that_it_is_not_verified() -> None:
    assert DECK.total == 49
    assert not DECK.is_verified
    assert {kind.name: kind.count for kind in DECK.kinds} == {
        "gol": 4, "jane": 4, "helena": 4, "el-el": 6, "ring-box": 8, "roby": 8, "bloom": 3,
        "cramel": 12,
    }  # fmt: skip
    assert {kind.name: kind.value for kind in DECK.kinds if kind.value} == {
        "jane": 2, "helena": 2, "el-el": 3, "ring-box": 4, "roby": 1, "cramel": 1,
    }  # fmt: skip
    assert tuple(DECK.by_name) == KINDS


def test_every_kind_divides_into_sets() -> None:
    """The table can always be cleared, whether two or four Gols make a set."""
    for kind in DECK.kinds:
        sizes = (2, 4) if kind.name == "gol" else (kind.value or kind.count,)
        assert all(kind.count % size == 0 for size in sizes)


def test_opening_tells_to_lay_out_and_who_begins() -> None:
    table = CramelTable(4)
    assert GAME.opening(table.state) == (
        Message("lay-out", {"n": 49}),
        Message("turn", {"seat": 0}),
    )
    assert table.hint == "Turn a tile over and tap it."
    assert (table.headline, table.view.direction) == ("0", Direction.CLOCKWISE)


@pytest.mark.parametrize("seats", range(2, 6))
def test_the_player_left_of_the_one_who_laid_out_begins_and_it_goes_clockwise(seats: int) -> None:
    table = CramelTable(seats, dealer=0)
    for turn in range(1, 2 * seats):
        assert table.view.turn == turn % seats
        table.tap("bloom")


def test_at_the_start_all_tiles_are_on_the_table() -> None:
    counts = CramelTable(2).counts
    assert [counts[kind] for kind in KINDS] == [4, 4, 4, 6, 8, 8, 3, 12]
    assert (counts["open"], counts["won-1"], counts["cramels-2"]) == (0, 0, 0)
    assert "won-3" not in counts


# --- a turn --------------------------------------------------------------------------------------


def test_each_tile_is_named_with_what_it_completes() -> None:
    table = CramelTable()
    said = []
    for tile in ("helena", "roby", "helena", "roby", "helena", "el-el"):
        table.tap(tile)
        said.append(table.said)
    assert said == [
        "Helena.",
        "Roby: 1 to win.",
        "Helena completes a set: 3 to win.",
        "Roby: 4 to win.",
        "Helena.",
        "El-El.",
    ]
    assert (table.view.turn, table.headline, table.counts["open"]) == (0, "4", 6)
    assert CASE.words.say(table.view.caption) == "if you stop"


def test_the_hint_says_what_lies_open_and_then_which_sets_are_complete() -> None:
    table = CramelTable()
    hints = []
    for tile in ("jane", "ring-box", "ring-box", "el-el", "jane", "roby", "roby", "helena"):
        table.tap(tile)
        hints.append(table.hint)
    assert hints == [
        "Open: Jane.",
        "Open: Jane, Ring Box.",
        "Open: Jane, 2 Ring Boxes.",
        "4 tiles open, no set yet.",
        "Sets: 2 Janes.",
        "Sets: 2 Janes, Roby.",
        "Sets: 2 Janes, 2 Robys.",
        "Sets: 2 Janes, 2 Robys.",
    ]
    table.tap("helena")
    assert table.hint == "Sets of 3 kinds, 6 tiles."


def test_cramels_alone_may_be_taken_or_more_of_them_turned() -> None:
    table = CramelTable()
    table.tap("cramel", "cramel")
    assert table.said == "Cramel: 2 to win."
    assert table.hint == "Stop now, or turn only Cramels."


def test_after_a_stop_the_screen_says_who_takes_how_many_until_the_next_tile() -> None:
    table = CramelTable()
    table.tap("roby", "jane")
    table.stop()
    assert table.hint == "Ann takes 1, the rest face down."
    assert (table.view.turn, table.headline) == (1, "0")
    table.tap("roby", "roby")
    table.stop()
    assert table.hint == "Ben takes them all: 2."
    table.tap("roby")
    table.stop()
    assert table.hint == "Cem takes the tile."
    table.tap("jane")
    assert table.hint == "Open: Jane."


def test_nothing_of_an_earlier_turn_stays_but_counts_that_everybody_knows() -> None:
    """Two turns that turn over different tiles but win the same lead to the same state."""
    one, other = CramelTable(), CramelTable()
    one.win(0, "helena", "ring-box", "ring-box", "roby")
    other.win(0, "jane", "el-el", "roby", "gol")
    assert one.state == other.state
    one.tap("jane")
    one.stop()
    other.tap("bloom")
    assert one.state != other.state, "hands still have to do something else"
    one.tap("gol")
    other.tap("gol")
    assert one.state == other.state, "with the next tile the turn before is forgotten"
    one.tap("helena", "el-el", "bloom#1")
    other.tap("roby", "gol", "gol", "bloom#3")
    assert one.state == other.state


def test_the_tile_is_asked_of_the_seat_to_play_on_the_play_spot_or_its_own() -> None:
    table = CramelTable()
    assert table.asks == (TapAsk(frozenset(KINDS), (Seat(0),), ("play", "seat-1")),)
    table.give(Tap(Piece("roby"), "seat-1", Seat(0)))
    assert table.can_stop
    table.stop()
    table.give(Tap(Piece("roby", 2), "seat-2", Seat(1)))


def test_a_kind_that_is_used_up_is_not_asked_for() -> None:
    table = CramelTable()
    table.tap("gol", "gol", "gol", "gol")
    assert "gol" not in table.kinds
    table.tap("bloom")
    assert "gol" in table.kinds, "face down again"
    table.win(1, "gol", "gol", "gol", "gol")
    assert "gol" not in table.kinds


def test_gol_in_fours() -> None:
    """The house rule, not the deck file, sets the size of a set of Gols."""
    table = CramelTable(options={"gol-set": "4"})
    table.tap("gol", "gol", "gol")
    assert (table.headline, table.hint) == ("0", "Open: 3 Gols.")
    table.tap("gol")
    assert (table.headline, table.said) == ("4", "Gol completes a set: 4 to win.")
    table = CramelTable()
    table.tap("gol", "gol", "gol")
    assert (table.headline, table.hint) == ("2", "Sets: 2 Gols.")


# --- the end -------------------------------------------------------------------------------------


def played_to_the_end() -> CramelTable:
    """Return a finished game that Ann won with 29 tiles, three of them Blooms."""
    table = CramelTable(2)
    table.win(0, *["cramel"] * 7)
    table.win(1, *["cramel"] * 5)
    table.win(0, *HALF, *["roby"] * 6)
    table.win(1, *HALF, "roby", "roby")
    return table


def test_the_end_awards_the_blooms_counts_and_names_the_winner() -> None:
    table = played_to_the_end()
    assert table.said == (
        "Ben takes 2 Gols, 2 Janes, 2 Helenas, 3 El-Els, 4 Ring Boxes, 2 Robys. "
        "There is nothing left to win. Ann has the most Cramels and takes the Blooms. "
        "Ann has 29 tiles. Ben has 20 tiles. Ann wins with 29 tiles."
    )
    view = table.view
    assert (view.phase, view.headline, view.turn, view.direction) == ("over", "29", None, None)
    assert (view.scores, view.winners) == ((29, 20), (0,))
    assert CASE.words.say(view.caption) == "wins with"
    assert table.all_tiles() == 49


def test_a_box_that_lacks_a_tile_ends_when_no_set_can_be_completed() -> None:
    """One El-El and the Blooms are left; with no Bloom in the box nobody is given any."""
    deck = small_deck(gol=0, jane=0, helena=0, ring_box=0, roby=1, el_el=4, cramel=0)
    table = CramelTable(2, deck=deck)
    table.win(0, "el-el", "el-el", "el-el")
    assert not table.view.is_over
    table.win(1, "roby")
    assert table.view.is_over
    assert table.told == ["takes", "nothing-left", "cramels-tied", "total", "total", "winner"]
    assert (table.counts["el-el"], table.counts["bloom"]) == (1, 3)
    alone = CramelTable(2, deck=small_deck(**dict.fromkeys(KINDS_BUT_CRAMEL, 0)))
    alone.win(0, *["cramel"] * 12)
    assert alone.told == ["takes", "nothing-left", "total", "total", "winner"]
    assert alone.view.scores == (12, 0)


KINDS_BUT_CRAMEL = tuple(kind.replace("-", "_") for kind in KINDS if kind != "cramel")


def test_when_all_tiles_lie_open_stopping_is_all_there_is() -> None:
    table = CramelTable(2, deck=small_deck(**dict.fromkeys(KINDS_BUT_CRAMEL, 0)))
    table.tap(*["cramel"] * 12)
    assert table.asks == (PressAsk(Button.ACTION, "stop", {"n": 12}),)


def test_a_stop_that_wins_nothing_is_in_vain() -> None:
    table = CramelTable(2)
    table.tap("jane")
    alone, pair = [PressAsk(Button.ACTION, "stop", {"n": n}, is_vain=not n) for n in (0, 2)]
    assert alone in table.asks
    table.tap("jane")
    assert pair in table.asks


# --- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("tile", ["settler", "gol#5", "bloom#4"])
def test_a_tile_of_no_such_deck_is_refused(tile: str) -> None:
    assert CramelTable().refused(Tap(Piece.parse(tile))).code == "not-in-this-game"


@pytest.mark.parametrize("copy", [0, -1])
def test_a_copy_no_deck_counts_is_refused(copy: int) -> None:
    assert CramelTable().refused(Tap(Piece("gol", copy))).code == "not-in-this-game"


@pytest.mark.parametrize("given", [Number(3), OK, Choice("yes"), SeatChoice(Seat(0))])
def test_nothing_but_a_tile_or_stop_is_taken(given: Input) -> None:
    table = CramelTable()
    assert table.refused(given).facts == {"waits": "play"}
    table.tap("jane")
    assert table.refused(given).code == "not-expected-now"


def test_a_tile_from_another_seat_is_refused() -> None:
    table = CramelTable()
    refused = table.refused(Tap(Piece("jane"), "seat-2", Seat(1)))
    assert (refused.code, refused.facts) == ("not-your-turn", {"seat": 0})


@pytest.mark.parametrize("spot", ["box", "hand", "seat-2"])
def test_a_tile_on_another_spot_is_refused(spot: str) -> None:
    assert CramelTable().refused(Tap(Piece("jane"), spot)).code == "not-expected-now"


def test_refusals_say_what_to_do() -> None:
    table = CramelTable()
    words = CASE.words
    stop = table.refused(STOP)
    assert (
        words.fill("nothing-turned.happened", stop.facts) == "Ann has not turned a tile over yet."
    )
    table.tap("helena#1", "helena#2")
    again = table.refused("helena#1")
    assert (
        words.fill("already-played.happened", again.facts)
        == "This tile is face up already: Helena."
    )
    table.stop()
    table.win(1, "helena#3", "helena#4")
    gone = table.refused("helena#1")
    assert words.fill("already-won.happened", gone.facts) == "This tile is won already: Helena."


def test_a_deck_with_nothing_to_win_is_refused() -> None:
    none = {kind.replace("-", "_"): 0 for kind in KINDS}
    with pytest.raises(CannotStart) as caught:
        GAME.start(Setup(2, Seat(0), small_deck(**none | {"bloom": 3, "el_el": 2})))
    assert caught.value.code == "nothing-to-win"
    check_refusal(CASE, caught.value)
    GAME.start(Setup(2, Seat(0), small_deck(**none | {"el_el": 3})))


def test_a_deck_cramel_cannot_use_is_refused() -> None:
    strange = Deck("cramel", (*DECK.kinds, Kind("camel", 1)), is_verified=False)
    with pytest.raises(ValueError, match='no tile "camel"'):
        GAME.start(Setup(2, Seat(0), strange))


def test_a_deck_may_leave_kinds_out() -> None:
    deck = Deck("cramel", DECK.kinds[5:], is_verified=False)
    table = CramelTable(2, deck=deck)
    assert table.kinds == {"roby", "bloom", "cramel"}
    assert table.refused("gol").code == "not-in-this-game"


# --- undo ----------------------------------------------------------------------------------------


def put_back(table: CramelTable, given: Input) -> str:
    """Return the instructions for undoing *given*, in words."""
    return " ".join(CASE.words.say(m) for m in GAME.put_back(table.state, given))


def test_a_tile_is_turned_down_again() -> None:
    table = CramelTable()
    table.tap("roby")
    assert put_back(table, Tap(Piece("jane"))) == "Turn Jane face down."


def test_a_lost_turn_is_opened_again() -> None:
    table = CramelTable()
    assert put_back(table, Tap(Piece("bloom"))) == "Turn Mrs. Bloom face down."
    table.tap("roby", "jane", "jane")
    assert put_back(table, Tap(Piece("bloom"))) == (
        "Turn Mrs. Bloom face down. Face up again: 2 Janes, Roby."
    )
    assert put_back(table, Tap(Piece("cramel"))) == (
        "Turn Cramel face down. Face up again: 2 Janes, Roby."
    )
    table.stop()
    assert put_back(table, Tap(Piece("bloom"))) == (
        "Turn Mrs. Bloom face down. If Mrs. Bloom was moved, put her back."
    )
    assert put_back(table, Tap(Piece("jane", 3))) == "Turn Jane face down."


def test_a_collection_is_put_back_face_up() -> None:
    table = CramelTable()
    table.tap("roby", "jane", "jane", "jane")
    assert put_back(table, STOP) == (
        "Ann, put 2 Janes, Roby back in place, face up. Face up again: Jane."
    )
    table.stop()
    table.tap("helena")
    assert put_back(table, STOP) == "Face up again: Helena."


def test_the_last_collection_is_put_back_with_the_blooms() -> None:
    before = CramelTable(2)
    before.win(0, *["cramel"] * 7)
    before.win(1, *["cramel"] * 5)
    before.win(0, *HALF, *["roby"] * 6)
    before.tap(*HALF, "roby", "roby")
    assert put_back(before, STOP).startswith("Ann, put 3 Blooms back. Ben, put 2 Gols, 2 Janes, ")


# --- numbers of tiles ----------------------------------------------------------------------------


def test_tiles_add_up_and_name_their_kinds() -> None:
    some = TileCounts.of(["roby", "roby", "jane"])
    assert (some["roby"], some["jane"], some["gol"], some.total) == (2, 1, 0, 3)
    assert some.kinds == ("jane", "roby")
    assert (some + some - some) == some
    assert some.pieces == (Piece("jane"), Piece("roby"), Piece("roby"))
    assert TileCounts().total == 0
