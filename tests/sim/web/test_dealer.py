"""Tests that the virtual deck follows the journal: each card is in exactly one place."""

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.common.contract import (
    Button,
    Game,
    Input,
    Number,
    NumberAsk,
    Press,
    PressAsk,
    Seat,
    Setup,
    Tap,
    TapAsk,
)
from engines.common.pieces import Piece
from engines.cramel import GAME as CRAMEL_GAME
from engines.straw import GAME
from firmware.boxes.decks import load_deck
from firmware.journal.journal import GameRecord, GameStart
from sim.deal.layouts.hands import Cards, cards_of
from sim.deal.layouts.spread import Tiles, tiles_of
from tests.effort import some

DECK = load_deck(GAME)
STRAW: Game[Any] = GAME
TILES = load_deck(CRAMEL_GAME)
CRAMEL: Game[Any] = CRAMEL_GAME
STOP = Press(Button.ACTION)


def record(*inputs: Input, players: int = 3) -> GameRecord:
    names = ("Ann", "Ben", "Cem", "Dora", "Emil", "Fay")[:players]
    return GameRecord(1, GameStart("straw", names, players - 1, {}, DECK), inputs)


def everywhere(cards: Cards) -> Counter[object]:
    return Counter(p for place in (*cards.hands, cards.pile, cards.laid) for p in place)


def played(players: int, seed: int, plays: int) -> tuple[GameRecord, Any]:
    """Play *plays* times the first accepted input; return the record and the state."""
    so_far = record(players=players)
    start = so_far.start
    state = STRAW.start(Setup(players, Seat(start.dealer), DECK, {}))
    for _ in range(plays):
        for given_ in choices(state, cards_of(STRAW, so_far, seed)):
            state = STRAW.step(state, given_).state
            so_far = so_far.with_input(given_)
            break
    return so_far, state


def choices(state: Any, cards: Cards) -> list[Input]:
    for ask in STRAW.asks(state):
        match ask:
            case NumberAsk(low, _, _):
                return [Number(low)]
            case TapAsk(kinds, seats, _):
                hand = cards.hands[seats[0]]
                return [Tap(piece) for piece in hand if piece.kind in kinds]
            case PressAsk(button, _):
                return [Press(button)]
    return []


def test_everybody_gets_as_many_cards_as_the_referee_counts() -> None:
    cards = cards_of(STRAW, record(), seed=1)
    assert [len(hand) for hand in cards.hands] == [4, 4, 4]
    assert len(cards.pile) == 52


def test_a_tapped_card_leaves_the_hand_and_one_is_drawn_for_it() -> None:
    before = cards_of(STRAW, record(), seed=1)
    piece = next(p for p in before.hands[0] if p.kind.startswith("weight"))
    after = cards_of(STRAW, record(Tap(piece)), seed=1)
    assert piece not in after.hands[0]
    assert after.hands[0][-1] == before.pile[-1]
    assert after.laid == [piece]


def test_an_undone_play_leaves_no_trace() -> None:
    """The cards are computed from the journal, so an undone input has no effect."""
    before = cards_of(STRAW, record(), seed=5)
    after = cards_of(STRAW, record(), seed=5)
    assert (before.hands, before.pile) == (after.hands, after.pile)


def test_a_card_from_the_tray_may_be_tapped_too() -> None:
    cards = cards_of(STRAW, record(), seed=1)
    piece = next(p for p in cards.pile if p.kind == "weight-2")
    after = cards_of(STRAW, record(Tap(piece)), seed=1)
    assert piece not in after.pile
    assert after.laid == [piece]


@pytest.mark.parametrize("players", range(2, 7))
@settings(max_examples=some(20))
@given(seed=st.integers(0, 2**32), plays=st.integers(0, 40))
def test_no_card_is_lost_or_doubled_and_hands_are_as_the_referee_counts(
    players: int, seed: int, plays: int
) -> None:
    so_far, state = played(players, seed, plays)
    cards = cards_of(STRAW, so_far, seed)
    assert everywhere(cards) == Counter(DECK.pieces())
    view = STRAW.view(state)
    if view.phase in ("play", "lamp"):
        laid = 1 if view.phase == "lamp" else 0  # the Lamp is laid, but not counted yet
        held = sum(len(hand) for hand in cards.hands)
        assert held + laid == sum(view.counts[f"hand-{n + 1}"] for n in range(players))
        assert len(cards.pile) == view.counts["draw-pile"]


# --- a spread -------------------------------------------------------------------------------------


def tiles_record(*inputs: Input, players: int = 2) -> GameRecord:
    """Return a game of Cramel in which the first seat begins."""
    names = ("Ann", "Ben", "Cem", "Dora", "Emil")[:players]
    return GameRecord(1, GameStart("cramel", names, players - 1, {}, TILES), inputs)


def taps(text: str) -> list[Input]:
    """Return taps of the tiles named in *text*; a full stop ends the turn."""
    return [STOP if word == "." else Tap(Piece.parse(word)) for word in text.split()]


def spread(text: str, moves: dict[int, int] | None = None, seed: int = 1) -> Tiles:
    """Return the tiles after the inputs of *text*; *moves* has Bloom's new place by input count."""
    return tiles_of(CRAMEL, tiles_record(*taps(text)), seed, moves or {})


def place_of(piece: str) -> int:
    return spread("").places.index(Piece.parse(piece))


def seen(tiles: Tiles) -> dict[int, str]:
    """Return the visible tiles by place."""
    return {n: str(tile) for n in range(len(tiles.places)) if (tile := tiles.at(n))}


def test_the_whole_deck_is_laid_out_face_down_as_the_seed_has_it() -> None:
    tiles = spread("")
    assert len(tiles.places) == 49
    assert Counter(tiles.places) == Counter(TILES.pieces())
    assert [tiles.hidden(n) for n in range(49)] == tiles.places
    assert tiles.hidden(-1) is tiles.hidden(49) is None
    assert spread("").places == tiles.places != spread("", seed=2).places


def test_a_tapped_tile_lies_open_in_its_place() -> None:
    tiles = spread("jane#1 roby#3")
    assert seen(tiles) == {place_of("jane#1"): "jane#1", place_of("roby#3"): "roby#3"}
    assert tiles.hidden(place_of("jane#1")) is None
    assert tiles.past == []


def test_what_the_referee_counts_off_is_won_and_the_rest_is_shown_until_the_next_tile() -> None:
    tiles = spread("jane#3 helena#1 jane#1 jane#2 .")
    assert tiles.won == [[Piece("jane", 3), Piece("jane", 1)], []]
    assert [n for n, tile in enumerate(tiles.places) if tile is None] == sorted(
        place_of(f"jane#{n}") for n in (1, 3)
    )
    assert tiles.past == [Piece("helena", 1), Piece("jane", 2)]
    assert len(seen(tiles)) == 2
    after = spread("jane#3 helena#1 jane#1 jane#2 . gol#1")
    assert seen(after) == {place_of("gol#1"): "gol#1"}
    assert after.won == tiles.won


def test_everybody_sees_the_tile_that_ends_a_turn() -> None:
    for end in ("bloom#2", "cramel#1"):
        tiles = spread(f"roby#1 {end}")
        assert tiles.past == [Piece("roby", 1), Piece.parse(end)]
        assert tiles.won == [[], []]
        assert tiles.movable is None  # no place is free yet


def test_an_undone_tile_or_stop_leaves_no_trace() -> None:
    """The tiles are computed from the journal, so an undone input has no effect."""
    for text in ("jane#1 jane#2 .", "roby#1 . cramel#2", "roby#1 . roby#2 bloom#1"):
        longer = tiles_record(*taps(text))
        before = tiles_of(CRAMEL, longer.with_undo(), 1, {})
        assert before == spread(" ".join(text.split()[:-1]))
    assert seen(spread("jane#1 jane#2")).keys() == {place_of("jane#1"), place_of("jane#2")}


BLOOM = "roby#1 . jane#1 bloom#2"  # after four inputs she may be moved to the Roby's place


def test_bloom_is_put_on_a_free_place_and_stays_there() -> None:
    free, home = place_of("roby#1"), place_of("bloom#2")
    assert spread(BLOOM).movable == home
    moved = spread(BLOOM, {4: free})
    assert (moved.places[free], moved.places[home], moved.movable) == (
        Piece("bloom", 2),
        None,
        free,
    )
    assert moved.at(free) == Piece("bloom", 2)
    later = spread(f"{BLOOM} gol#1", {4: free})
    assert later.hidden(free) == Piece("bloom", 2)
    assert later.movable is None


@pytest.mark.parametrize(
    "moves", [{4: 49}, {4: -1}, {3: 0}, {5: 0}, {4: place_of("jane#2")}, {1: place_of("roby#1")}]
)
def test_an_impossible_move_is_ignored(moves: dict[int, int]) -> None:
    assert spread(BLOOM, moves) == spread(BLOOM)


def test_only_bloom_may_be_moved() -> None:
    assert spread("roby#1 . jane#1 cramel#1").movable is None
    assert spread("roby#1 . jane#1 .").movable is None


def test_the_blooms_go_to_the_player_with_most_cramels_at_the_end() -> None:
    kinds = ("cramel", "gol", "jane", "helena", "el-el", "ring-box", "roby")
    pieces = [f"{piece}" for piece in TILES.pieces()]
    turns = [" ".join(p for p in pieces if p.startswith(f"{kind}#")) for kind in kinds]
    tiles = spread(" . ".join([*turns, ""]))
    assert tiles.places == [None] * 49
    assert Counter(tile.kind for tile in tiles.won[0]) == Counter(
        {"cramel": 12, "jane": 4, "el-el": 6, "roby": 8, "bloom": 3}
    )
    assert Counter(tile.kind for tile in tiles.won[1]) == Counter(
        {"gol": 4, "helena": 4, "ring-box": 8}
    )


@pytest.mark.parametrize("players", [2, 5])
@settings(max_examples=some(15))
@given(seed=st.integers(0, 2**32), turns=st.lists(st.integers(1, 5), max_size=30))
def test_no_tile_is_lost_and_the_spread_is_as_the_referee_counts(
    players: int, seed: int, turns: list[int]
) -> None:
    chance = Random(seed)
    so_far = tiles_record(players=players)
    state = CRAMEL.start(Setup(players, Seat(players - 1), TILES, {}))
    for tiles_in_turn in turns:
        for given_ in (*[None] * tiles_in_turn, STOP):
            tiles = tiles_of(CRAMEL, so_far, seed, {})
            check(tiles, CRAMEL.view(state).counts)
            down = [tile for n in range(49) if (tile := tiles.hidden(n))]
            if CRAMEL.view(state).is_over or (given_ is None and not down):
                return
            if given_ is STOP and not tiles.open:
                continue  # the last tile ended the turn
            now = given_ or Tap(chance.choice(down))
            state = CRAMEL.step(state, now).state
            so_far = so_far.with_input(now)


def check(tiles: Tiles, counts: Any) -> None:
    on_the_table = [tile for tile in tiles.places if tile]
    assert Counter((*on_the_table, *(t for won in tiles.won for t in won))) == Counter(
        TILES.pieces()
    )
    kinds = Counter(tile.kind for tile in on_the_table)
    assert all(kinds[kind] == counts[kind] for kind in TILES.by_name)
    assert [len(won) for won in tiles.won] == [
        counts[f"won-{n}"] for n in range(1, len(tiles.won) + 1)
    ]
    assert len(tiles.open) == counts["open"]
