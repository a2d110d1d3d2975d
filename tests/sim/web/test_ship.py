"""Tests of the virtual ship: each card is in one place, and cargo is known if possible."""

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.common.contract import (
    Button,
    Choice,
    ChoiceAsk,
    Game,
    Input,
    Number,
    NumberAsk,
    Press,
    PressAsk,
    Seat,
    SeatAsk,
    SeatChoice,
    Setup,
    Tap,
    TapAsk,
)
from engines.common.pieces import Deck, Piece
from engines.riff_raff import GAME
from engines.riff_raff.state import State
from firmware.journal.journal import GameRecord, GameStart
from firmware.show.view import TableView
from sim.deal.layout import Eyes
from sim.deal.layouts.ship import CARGO, ShipDealer, ShipPieces, Spilled, ship_of
from sim.deal.transitions import Transition
from tests.effort import some
from tests.engines.riff_raff_table import DECK, TAGGED, deck_without

RIFF_RAFF: Game[Any] = GAME
NAMES = ("Ann", "Ben", "Cem", "Dora")
COLOURS = ("red", "blue", "green", "yellow")
OK, ACTION = Press(Button.OK), Press(Button.ACTION)
FALL = (ACTION, Number(1), Number(0))
RAT, BOAT = Piece("red-rat"), Piece("red-boat")


class Crew:
    """People who load a virtual ship, in the order of ``COLOURS`` or of the colours in *shows*."""

    def __init__(
        self, players: int = 3, *, is_tagged: bool = False, deck: Deck = DECK, shows: str = ""
    ) -> None:
        start = GameStart(
            "riff-raff", NAMES[:players], players - 1, TAGGED if is_tagged else {}, deck
        )
        self.record = GameRecord(1, start, ())
        self.loads: dict[int, Piece] = {}
        self.spills: dict[int, Spilled] = {}
        self.state: State = GAME.start(Setup(players, Seat(players - 1), deck, start.options))
        self.dealer = ShipDealer(deck, GAME.view(self.state), is_tagged)
        self.give(*(Tap(Piece(f"{colour}-1")) for colour in shows.split()))

    @property
    def ship(self) -> ShipPieces:
        return self.dealer.ship

    @property
    def refolded(self) -> ShipPieces:
        """The positions of all pieces, rebuilt from the journal and the people's choices."""
        return ship_of(RIFF_RAFF, self.record, self.loads, self.spills)

    def give(self, *inputs: Input) -> None:
        for one in inputs:
            before, step = GAME.view(self.state), GAME.step(self.state, one)
            self.state, self.record = step.state, self.record.with_input(one)
            self.dealer.apply(Transition(one, step, before, GAME.view(self.state)), None)

    def load(self, piece: Piece) -> None:
        """Choose *piece* for the player who loads."""
        self.loads[len(self.record.inputs)] = piece
        self.dealer.choose(piece)

    def spill(self, spilled: Spilled) -> None:
        """Show which pieces fall and which are caught."""
        self.spills[len(self.record.inputs)] = spilled
        self.dealer.spill(spilled)

    @property
    def said(self) -> Input | None:
        """The honest answer to the referee's question about cargo, or None."""
        ship, seen = self.ship, self.ship.spilled
        match ship.phase:
            case "look":
                return Choice("yes" if ship.areas[ship.lit or 0] else "no")
            case "load":
                return OK if seen is None else ACTION
            case "fallen" if seen is not None:
                return Number(len(seen.fallen))
            case "caught" if seen is not None:
                return Number(len(seen.caught))
            case "which" if seen is not None:
                return Choice("placed" if seen.caught == (ship.in_hand,) else "other")
            case "which-fell" if seen is not None:
                return Choice("placed" if seen.fallen == (ship.in_hand,) else "other")
        return None

    def reveal(self, *numbers: int) -> None:
        """Reveal a card for each player, Ann first."""
        for colour, number in zip(COLOURS, numbers, strict=False):
            self.give(Tap(Piece(f"{colour}-{number}")))

    def act(self, chance: Random) -> Input:
        """Return a random input that the game asks for."""
        asks = GAME.asks(self.state)
        offered: list[Input] = []
        for ask in asks:
            match ask:
                case TapAsk(kinds=kinds, seats=seats):
                    own = [card for seat in seats for card in self.ship.hands[seat]]
                    able = [p for p in (*own, *self.ship.movable) if p.kind in kinds]
                    offered += [Tap(piece) for piece in able]
                case NumberAsk(low=low, high=high):
                    offered.append(Number(chance.randint(low, high)))
                case ChoiceAsk(names=names):
                    offered += map(Choice, names)
                case SeatAsk(seats=seats):
                    offered += map(SeatChoice, seats)
                case PressAsk(button=button):
                    offered += [Press(button)] * (4 if button is Button.OK else 1)
        return chance.choice(offered)

    def check(self) -> None:
        """Assert that each card is in one hand, and that known cargo fits the referee's counts."""
        ship, counts = self.ship, GAME.view(self.state).counts
        for number, (hand, played) in enumerate(zip(ship.hands, ship.played, strict=True), 1):
            assert len(hand) == counts[f"cards-{number}"]
            assert len({*hand, *played}) == 10
            assert len({DECK.by_name[card.kind].traits["colour"] for card in hand + played}) == 1
        known = Counter(
            p for place in (*ship.stocks, *ship.areas.values(), ship.box) for p in place
        )
        assert max(known.values(), default=1) == 1
        assert CARGO not in {piece.kind for piece in known}
        for number, stock in enumerate(ship.stocks, 1):
            assert len(stock) <= counts[f"stock-{number}"]
        for area, pieces in ship.areas.items():
            assert len(pieces) <= counts[f"area-{area}"]
        assert len(ship.box) <= counts["removed"]
        if ship.is_tagged:
            self.check_tagged(known)

    def check_seen(self, *, is_all_known: bool) -> None:
        """Assert that each known piece is in one place that the referee's answers allow."""
        ship, counts = self.ship, GAME.view(self.state).counts
        counted = [
            *((pieces, counts[f"most-{area}"]) for area, pieces in ship.areas.items()),
            *((stock, counts[f"stock-{number}"]) for number, stock in enumerate(ship.stocks, 1)),
            (ship.box, counts["removed"]),
        ]
        known = [piece for pieces, _ in counted for piece in pieces]
        assert len({*known}) == len(known)
        assert CARGO not in {piece.kind for piece in known}
        assert all(len(pieces) <= most for pieces, most in counted)
        assert sum(map(len, ship.areas.values())) <= counts["ship"]
        if is_all_known:
            assert len(known) == len(ship.stocks) * (16 if len(ship.stocks) == 2 else 8)
            assert all(len(lie) >= counts[f"area-{area}"] for area, lie in ship.areas.items())

    def check_tagged(self, known: Counter[Piece]) -> None:
        """Assert that all cargo is known and agrees with the referee's state."""
        ship, cargo = self.ship, self.state.cargo
        assert known.total() == len(NAMES[: len(ship.stocks)]) * (
            16 if len(ship.stocks) == 2 else 8
        )
        aboard = {piece: area for area, pieces in ship.areas.items() for piece in pieces}
        assert aboard == cargo.on_ship
        assert frozenset(ship.box) == cargo.gone
        for piece, owner in cargo.owners.items():
            assert piece in ship.stocks[owner]


@settings(max_examples=some(60), deadline=None)
@given(players=st.integers(2, 4), seed=st.integers(0, 2**32), is_tagged=st.booleans())
def test_everything_is_in_one_place_and_what_is_known_is_so(
    players: int, seed: int, is_tagged: bool
) -> None:
    """Checked after every input. The journal and the choices must rebuild the same positions."""
    chance = Random(seed)
    crew = Crew(players, is_tagged=is_tagged)
    for _ in range(150):
        if crew.ship.phase == "over":
            break
        if not is_tagged and crew.ship.movable and chance.random() < 0.7:
            crew.load(chance.choice([*crew.ship.movable]))
        crew.give(crew.act(chance))
        crew.check()
    assert crew.refolded == crew.ship


def fall(chance: Random, ship: ShipPieces) -> Spilled:
    """Return a random fall of pieces from the ship and the hand, some of them caught."""
    assert ship.in_hand is not None
    loose = [*(piece for pieces in ship.areas.values() for piece in pieces), ship.in_hand]
    fallen = chance.sample(loose, chance.randint(1, len(loose)))
    return Spilled(tuple(fallen), tuple(chance.sample(fallen, chance.randint(0, len(fallen)))))


@pytest.mark.long
@settings(max_examples=some(200), deadline=None)
@given(players=st.integers(2, 4), seed=st.integers(0, 2**32), is_honest=st.booleans())
def test_what_hands_show_stays_known_as_far_as_the_referee_is_told_the_same(
    players: int, seed: int, is_honest: bool
) -> None:
    """After honest answers all cargo is known.

    After other answers less is known, but nothing impossible.
    """
    chance = Random(seed)
    crew = Crew(players)
    for _ in range(150):
        ship = crew.ship
        if ship.phase == "over":
            break
        if ship.movable:
            crew.load(chance.choice([*ship.movable]))
            if chance.random() < 0.4:
                crew.spill(fall(chance, ship))
        said = crew.said if is_honest or chance.random() < 0.5 else None
        crew.give(said or crew.act(chance))
        crew.check_seen(is_all_known=is_honest)
    assert crew.refolded == crew.ship


# --- single rules ---------------------------------------------------------------------------------


def test_everybody_has_the_cards_and_the_cargo_of_a_colour() -> None:
    crew = Crew(3)
    assert [hand[0].kind for hand in crew.ship.hands] == ["red-1", "blue-1", "green-1"]
    assert [len(hand) for hand in crew.ship.hands] == [10, 10, 10]
    assert [len(stock) for stock in crew.ship.stocks] == [8, 8, 8]
    assert {piece.kind.partition("-")[0] for piece in crew.ship.stocks[1]} == {"blue"}


def test_two_players_have_the_cargo_of_two_colours_each() -> None:
    stocks = Crew(2).ship.stocks
    owned = [sorted({piece.kind.partition("-")[0] for piece in stock}) for stock in stocks]
    assert owned == [["green", "red"], ["blue", "yellow"]]
    assert [len(stock) for stock in stocks] == [16, 16]


def test_who_shows_another_colour_has_that_one() -> None:
    crew = Crew(3, shows="green yellow")
    assert [hand[0].kind for hand in crew.ship.hands] == ["green-1", "yellow-1", "red-1"]
    assert [stock[0].kind for stock in crew.ship.stocks] == [
        "green-boat",
        "yellow-boat",
        "red-boat",
    ]


def test_a_colour_that_lacks_a_card_is_dealt_to_nobody() -> None:
    crew = Crew(3, deck=deck_without("blue-4"))
    assert [hand[0].kind for hand in crew.ship.hands] == ["red-1", "green-1", "yellow-1"]


def test_a_revealed_card_lies_in_front_until_the_next_round() -> None:
    crew = Crew(3, shows="red blue green")
    crew.give(Tap(Piece("blue-7")))
    assert crew.ship.revealed == [None, Piece("blue-7"), None]
    assert Piece("blue-7") not in crew.ship.hands[1]
    crew.give(Tap(Piece("red-3")), Tap(Piece("green-1")), OK, OK, OK)
    assert crew.ship.revealed == [None, None, None]
    assert crew.ship.played[1] == [Piece("blue-7")]


def test_two_players_take_all_cards_back_for_the_second_pass() -> None:
    crew = Crew(2, shows="red blue")
    for number in range(1, 11):
        crew.reveal(number, 11 - number)
        while GAME.view(crew.state).phase != "reveal":
            asks = GAME.asks(crew.state)
            one = next((Choice("one") for ask in asks if isinstance(ask, ChoiceAsk)), OK)
            crew.give(one if PressAsk(Button.OK, "holds") not in asks else OK)
    assert crew.ship.counts["pass"] == 2
    assert [[card.kind for card in hand][::9] for hand in crew.ship.hands] == [
        ["red-1", "red-10"],
        ["blue-1", "blue-10"],
    ]
    assert crew.ship.played == [[], []]


def loading(*numbers: int) -> Crew:
    """Return a crew that has revealed cards with these numbers."""
    crew = Crew(3, shows="red blue green")
    crew.reveal(*numbers)
    return crew


def test_the_piece_that_was_chosen_lies_where_it_was_loaded() -> None:
    crew = loading(9, 3, 2)
    crew.load(RAT)
    assert (crew.ship.in_hand, crew.ship.lit) == (RAT, 9)
    assert RAT not in crew.ship.stock(Seat(0))
    crew.give(OK)
    assert crew.ship.areas[9] == [RAT]
    assert RAT not in crew.ship.stocks[0]


def test_who_chooses_nothing_loads_the_last_piece() -> None:
    crew = loading(9, 3, 2)
    crew.give(OK)
    assert crew.ship.areas[9] == [Piece("red-chest")]


def test_what_comes_back_from_an_empty_ship_is_known() -> None:
    crew = loading(9, 3, 2)
    crew.load(RAT)
    crew.give(*FALL)
    assert RAT in crew.ship.stocks[0]
    assert len(crew.ship.stocks[0]) == 8
    crew.give(*FALL[:2], Number(1))  # the caught piece is taken back
    assert len(crew.ship.stocks[1]) == 8


def test_of_cargo_that_may_have_fallen_nobody_knows_which_it_is() -> None:
    crew = loading(9, 3, 2)
    crew.load(RAT)
    crew.give(OK, *FALL, Choice("other"))
    assert crew.ship.areas[9] == []
    assert len(crew.ship.stocks[1]) == 7
    assert crew.ship.stock(Seat(1))[-1] == Piece(CARGO)
    assert RAT not in [piece for stock in crew.ship.stocks for piece in stock]


def test_a_single_piece_that_fell_and_was_just_placed_leaves_the_ship_as_it_was() -> None:
    crew = loading(9, 3, 2)
    crew.load(RAT)
    crew.give(OK)
    crew.load(Piece("blue-boat"))
    crew.give(*FALL, Choice("placed"))
    assert crew.ship.areas[9] == [RAT]
    assert crew.ship.areas[3] == []
    assert Piece("blue-boat") in crew.ship.stocks[1]


def test_all_cargo_that_was_caught_lies_in_the_box() -> None:
    crew = loading(9, 3, 2)
    crew.load(RAT)
    crew.give(OK)
    crew.load(Piece("blue-boat"))
    crew.give(ACTION, Number(2), Number(2))
    assert {*crew.ship.box} == {RAT, Piece("blue-boat")}


def test_who_takes_the_piece_just_placed_back_leaves_the_ship_as_it_was() -> None:
    crew = loading(9, 3, 2)
    crew.load(RAT)
    crew.give(OK)
    crew.load(Piece("blue-boat"))
    crew.give(ACTION, Number(1), Number(1), Choice("placed"))
    assert crew.ship.areas[9] == [RAT]
    assert Piece("blue-boat") in crew.ship.stocks[1]


def test_what_was_seen_stays_known_where_the_referee_knows_less() -> None:
    """The known cargo stays known even if the piece just placed falls and nobody shows the fall."""
    crew = loading(9, 3, 2)
    barrel = Piece("green-barrel")
    for piece in (RAT, Piece("blue-boat")):
        crew.load(piece)
        crew.give(OK)
    crew.load(barrel)
    crew.spill(Spilled((barrel, Piece("blue-boat")), ()))
    crew.give(ACTION, Number(2), Number(0))
    crew.reveal(4, 2, 1)
    crew.give(ACTION, Number(1), Number(1), Choice("placed"))
    assert (crew.ship.areas[9], crew.ship.areas[3]) == ([RAT], [])
    assert crew.ship.counts["area-9"] == 0
    areas = {
        area["area"]: area
        for area in crew.ship.page_data(Eyes("riff-raff", TableView("load")))["ship"]["areas"]
    }
    assert areas[9] == {"area": 9, "pieces": [f"riff-raff/{RAT}"], "most": 1}
    assert areas[2] == {"area": 2, "pieces": [], "most": 0}


def test_a_tagged_piece_from_another_stock_changes_places() -> None:
    crew = Crew(3, is_tagged=True, shows="red blue green")
    crew.reveal(9, 3, 2)
    crew.give(Tap(Piece("blue-rat")), OK)
    assert crew.ship.areas[9] == [Piece("blue-rat")]
    assert [len(stock) for stock in crew.ship.stocks] == [7, 8, 8]


def test_tagged_cargo_that_fell_is_where_people_tapped_it() -> None:
    crew = Crew(3, is_tagged=True, shows="red blue green")
    crew.reveal(9, 3, 2)
    boat = Piece("blue-boat")
    crew.give(Tap(RAT), OK, Tap(boat), ACTION, Tap(RAT))
    assert [*crew.ship.movable] == [boat]
    crew.give(OK, Tap(boat), OK)
    assert (crew.ship.box, crew.ship.areas[9]) == ([RAT], [])
    assert boat in crew.ship.stocks[1]


def test_a_fall_that_was_none_leaves_the_piece_in_hand() -> None:
    crew = Crew(3, is_tagged=True, shows="red blue green")
    crew.reveal(9, 3, 2)
    crew.give(Tap(RAT), ACTION, OK, OK)
    assert (crew.ship.phase, crew.ship.in_hand) == ("load", RAT)
