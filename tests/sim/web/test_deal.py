"""The deck in use: what is remembered of it, what pages see, and what they may name."""

from pathlib import Path
from typing import Any

import pytest

from engines.common.contract import Button, Input, Press, Tap
from engines.common.pieces import Piece
from firmware.decks import load_deck
from firmware.games import game_named
from firmware.journal import GameRecord, GameStart
from sim.mat import CannotDo
from sim.web.deal import VirtualDeck

STOP = Press(Button.ACTION)
DECK = load_deck(game_named("cramel"))
START = GameStart("cramel", ("Ann", "Ben"), 1, {}, DECK)
ROBY, JANE, BLOOM = (Tap(Piece(kind)) for kind in ("roby", "jane", "bloom"))
BLOOMED = (ROBY, STOP, JANE, BLOOM)  # one place is free, and Mrs. Bloom ended the turn


def record(*inputs: Input, number: int = 1) -> GameRecord:
    return GameRecord(number, START, inputs)


def shown(deck: VirtualDeck, *inputs: Input) -> dict[str, Any]:
    deck.follow(record(*inputs))
    seen = deck.shown(None)
    assert seen is not None
    return seen


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "deal.json"


@pytest.fixture
def deck(file: Path) -> VirtualDeck:
    made = VirtualDeck(file)
    made.deal(record(), 1, is_hot_seat=True)
    return made


def test_a_page_sees_backs_open_tiles_and_free_places(deck: VirtualDeck) -> None:
    fresh = shown(deck)
    assert (fresh["game"], fresh["columns"]) == ("cramel", 7)
    assert fresh["places"] == ["down"] * 49
    assert (fresh["past"], fresh["movable"], fresh["won"]) == ([], None, [[], []])
    bloomed = shown(deck, *BLOOMED)
    assert sorted(set(bloomed["places"])) == ["cramel/bloom#1", "cramel/jane#1", "down", "free"]
    assert sorted(bloomed["places"][n - 1] for n in bloomed["past"]) == [
        "cramel/bloom#1",
        "cramel/jane#1",
    ]
    assert bloomed["places"][bloomed["movable"] - 1] == "cramel/bloom#1"
    assert bloomed["won"] == [["cramel/roby#1"], []]


def test_a_tile_is_named_by_its_place_alone(deck: VirtualDeck) -> None:
    seen = shown(deck, ROBY)
    tiles = {deck.named(f"cramel/@{n}") for n, at in enumerate(seen["places"], 1) if at == "down"}
    assert tiles == {("cramel", piece) for piece in DECK.pieces() if piece != ROBY.piece}
    for name in ("cramel/jane#1", "straw/jane#1", "jane", "jane#1"):
        with pytest.raises(CannotDo, match="the tiles are laid out"):
            deck.named(name)
    assert deck.named("straw/weight-7#2") == ("straw", Piece("weight-7", 2))
    assert deck.named("stranger") == (None, "stranger")


@pytest.mark.parametrize(
    "place", ["0", "50", "-1", "x", "", "1.0", "9" * 40, "\N{SUPERSCRIPT TWO}"]
)
def test_a_place_that_is_none_is_refused(deck: VirtualDeck, place: str) -> None:
    shown(deck)
    with pytest.raises(CannotDo, match="no tile lies face down"):
        deck.named(f"cramel/@{place}")


def test_a_place_without_a_tile_face_down_is_refused(deck: VirtualDeck) -> None:
    seen = shown(deck, *BLOOMED)
    for place, at in enumerate(seen["places"], start=1):
        if at != "down":
            with pytest.raises(CannotDo, match="no tile lies face down"):
                deck.named(f"cramel/@{place}")
    with pytest.raises(CannotDo, match="no tile lies face down"):
        deck.named("straw/@1")


def test_without_a_spread_pieces_have_their_names(file: Path) -> None:
    deck = VirtualDeck(file)
    deck.follow(record())
    assert deck.named("cramel/jane#1") == ("cramel", Piece("jane"))
    with pytest.raises(CannotDo, match="no tile lies face down"):
        deck.named("cramel/@1")


def moved(deck: VirtualDeck) -> tuple[int, int]:
    """Put Mrs. Bloom where the Roby was; from which place to which."""
    seen = shown(deck, *BLOOMED)
    start, to = seen["movable"], seen["places"].index("free") + 1
    deck.move(start, to)
    return start, to


def test_a_moved_tile_is_remembered_after_a_restart(deck: VirtualDeck, file: Path) -> None:
    start, to = moved(deck)
    for again in (deck, VirtualDeck(file)):
        seen = shown(again, *BLOOMED)
        assert (seen["places"][to - 1], seen["places"][start - 1]) == ("cramel/bloom#1", "free")
        assert seen["movable"] == to
        later = shown(again, *BLOOMED, Tap(Piece("gol")))
        assert (later["places"][to - 1], later["places"][start - 1]) == ("down", "free")
        assert (later["past"], later["movable"]) == ([], None)


def test_it_may_be_moved_again_until_the_next_tile(deck: VirtualDeck) -> None:
    start, to = moved(deck)
    shown(deck, *BLOOMED)
    deck.move(to, start)
    assert shown(deck, *BLOOMED)["movable"] == start
    shown(deck, *BLOOMED, Tap(Piece("gol")))
    with pytest.raises(CannotDo, match="no tile can be moved"):
        deck.move(start, to)
    shown(deck, *BLOOMED)  # the tile was undone
    deck.move(start, to)
    assert shown(deck, *BLOOMED)["movable"] == to


def test_an_undone_bloom_lies_where_she_lay(deck: VirtualDeck, file: Path) -> None:
    """Also when the very same tile is turned again: to move her then is for the player to say."""
    start, _ = moved(deck)
    assert shown(deck, *BLOOMED[:-1])["places"][start - 1] == "down"
    for again in (deck, VirtualDeck(file)):
        assert shown(again, *BLOOMED)["movable"] == start


@pytest.mark.parametrize("place", [0, 50, 1])
def test_nothing_is_moved_where_it_cannot_lie(deck: VirtualDeck, place: int) -> None:
    start = shown(deck, *BLOOMED)["movable"]
    with pytest.raises(CannotDo, match="no tile can be moved"):
        deck.move(start, place)
    with pytest.raises(CannotDo, match="no tile can be moved"):
        deck.move(place, start)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"game": 1, "seed": 1}',
        '{"game": 1, "seed": 1, "is_hot_seat": 1, "moves": 3}',
    ],
)
def test_a_file_that_cannot_be_read_remembers_nothing(file: Path, text: str) -> None:
    file.write_text(text)
    deck = VirtualDeck(file)
    deck.follow(record())
    assert deck.shown(None) is None


def test_a_deck_remembered_by_an_older_tapmat_was_not_moved(file: Path) -> None:
    file.write_text('{"game": 1, "seed": 1, "is_hot_seat": true}')
    assert shown(VirtualDeck(file))["places"] == ["down"] * 49


def test_another_game_has_no_deck_dealt(deck: VirtualDeck) -> None:
    shown(deck, ROBY)
    deck.follow(record(number=2))
    assert deck.shown(None) is None
    deck.follow(None)
    assert deck.shown(None) is None
