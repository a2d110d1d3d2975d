"""Tests of the virtual deck: what it stores, what it shows to pages, and what pages may ask."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engines.common.contract import Button, Choice, Input, Press, Seat, SeatChoice, Tap
from engines.common.pieces import Piece
from firmware.boxes.decks import load_deck
from firmware.boxes.games import game_named
from firmware.journal.journal import GameRecord, GameStart
from firmware.show.view import TableView
from sim.deal.deck import VirtualDeck
from sim.deal.layout import HandAct
from sim.mat.mat import CannotDo
from tests.engines.riff_raff_table import DECK as RIFF_RAFF_DECK
from tests.sim.web.camargue_people import People, helping
from tests.sim.web.ciao_people import holding, without

PAGE, OTHER = 1, 2  # the numbers of two pages
STOP = ACTION = Press(Button.ACTION)
DECK = load_deck(game_named("cramel"))
VIEW = TableView("play")
START = GameStart("cramel", ("Ann", "Ben"), 1, {}, DECK)
ROBY, JANE, BLOOM = (Tap(Piece(kind)) for kind in ("roby", "jane", "bloom"))
BLOOMED = (ROBY, STOP, JANE, BLOOM)  # leaves one place free; Mrs. Bloom ends the turn


def moving(start: int, to: int) -> HandAct:
    return HandAct("move", {"from": start, "to": to})


def giving(card: str) -> HandAct:
    return HandAct("give", {"card": card})


def loading(piece: str) -> HandAct:
    return HandAct("load", {"piece": piece})


def record(*inputs: Input, number: int = 1) -> GameRecord:
    return GameRecord(number, START, inputs)


def shown(deck: VirtualDeck, *inputs: Input) -> dict[str, Any]:
    deck.update(record(*inputs))
    seen = deck.page_data(VIEW)
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
    tiles = {
        deck.piece_of(f"cramel/@{n}") for n, at in enumerate(seen["places"], 1) if at == "down"
    }
    assert tiles == {("cramel", piece) for piece in DECK.pieces() if piece != ROBY.piece}
    for name in ("cramel/jane#1", "straw/jane#1", "jane", "jane#1"):
        with pytest.raises(CannotDo, match="the tiles are face down"):
            deck.piece_of(name)
    assert deck.piece_of("straw/weight-7#2") == ("straw", Piece("weight-7", 2))
    assert deck.piece_of("stranger") == (None, "stranger")


@pytest.mark.parametrize(
    "place", ["0", "50", "-1", "x", "", "1.0", "9" * 40, "\N{SUPERSCRIPT TWO}"]
)
def test_a_place_that_does_not_exist_is_refused(deck: VirtualDeck, place: str) -> None:
    shown(deck)
    with pytest.raises(CannotDo, match="no tile is face down"):
        deck.piece_of(f"cramel/@{place}")


def test_a_place_without_a_tile_face_down_is_refused(deck: VirtualDeck) -> None:
    seen = shown(deck, *BLOOMED[:-1])
    for place, at in enumerate(seen["places"], start=1):
        if at != "down":
            with pytest.raises(CannotDo, match="no tile is face down"):
                deck.piece_of(f"cramel/@{place}")
    with pytest.raises(CannotDo, match="no tile is face down"):
        deck.piece_of("straw/@1")


def test_without_a_spread_pieces_have_their_names(file: Path) -> None:
    deck = VirtualDeck(file)
    deck.update(record())
    assert deck.piece_of("cramel/jane#1") == ("cramel", Piece("jane"))
    with pytest.raises(CannotDo, match="no tile is face down"):
        deck.piece_of("cramel/@1")


def moved(deck: VirtualDeck) -> tuple[int, int]:
    """Move Mrs. Bloom to the place of the Roby; return the old and the new place."""
    seen = shown(deck, *BLOOMED)
    start, to = seen["movable"], seen["places"].index("free") + 1
    deck.do_by_hand(moving(start, to))
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
    deck.do_by_hand(moving(to, start))
    assert shown(deck, *BLOOMED)["movable"] == start
    shown(deck, *BLOOMED, Tap(Piece("gol")))
    with pytest.raises(CannotDo, match="that tile cannot be moved"):
        deck.do_by_hand(moving(start, to))
    shown(deck, *BLOOMED)  # undoes the tile
    deck.do_by_hand(moving(start, to))
    assert shown(deck, *BLOOMED)["movable"] == to


def test_an_undone_bloom_lies_where_she_lay(deck: VirtualDeck, file: Path) -> None:
    """If the same tile is turned over again, the player decides again whether to move her."""
    start, _ = moved(deck)
    assert shown(deck, *BLOOMED[:-1])["places"][start - 1] == "down"
    for again in (deck, VirtualDeck(file)):
        assert shown(again, *BLOOMED)["movable"] == start


@pytest.mark.parametrize("place", [0, 50, 1])
def test_nothing_is_moved_where_it_cannot_lie(deck: VirtualDeck, place: int) -> None:
    start = shown(deck, *BLOOMED)["movable"]
    with pytest.raises(CannotDo, match="that tile cannot be moved"):
        deck.do_by_hand(moving(start, place))
    with pytest.raises(CannotDo, match="that tile cannot be moved"):
        deck.do_by_hand(moving(place, start))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"game": 1, "seed": 1}',
        '{"game": 1, "seed": 1, "is_hot_seat": 1, "moves": 3}',
        '{"game": 1, "seed": 1, "is_hot_seat": 1, "gifts": [[1, "rock#x"]]}',
        '{"game": 1, "seed": 1, "is_hot_seat": 1, "gifts": [1]}',
        '{"game": 1, "seed": 1, "is_hot_seat": 1, "loads": [[1, "red-rat#0"]]}',
        '{"game": 1, "seed": 1, "is_hot_seat": 1, "spills": [[1, ["red-rat#0"], []]]}',
    ],
)
def test_a_file_that_cannot_be_read_remembers_nothing(file: Path, text: str) -> None:
    file.write_text(text)
    deck = VirtualDeck(file)
    deck.update(record())
    assert deck.page_data(VIEW) is None


def test_a_deck_remembered_by_an_older_tapmat_was_not_moved(file: Path) -> None:
    file.write_text('{"game": 1, "seed": 1, "is_hot_seat": true}')
    assert shown(VirtualDeck(file))["places"] == ["down"] * 49


def test_what_an_older_tapmat_remembered_of_a_moved_tile_is_read(
    deck: VirtualDeck, file: Path
) -> None:
    start, to = moved(deck)
    head = '{"game": 1, "seed": 1, "is_hot_seat": true'
    file.write_text(f'{head}, "moves": [[{len(BLOOMED)}, {to - 1}]]}}')
    assert shown(VirtualDeck(file), *BLOOMED)["movable"] == to
    assert shown(VirtualDeck(file), *BLOOMED)["places"][start - 1] == "free"


def test_another_game_has_no_deck_dealt(deck: VirtualDeck) -> None:
    shown(deck, ROBY)
    deck.update(record(number=2))
    assert deck.page_data(VIEW) is None
    deck.update(None)
    assert deck.page_data(VIEW) is None


# --- hands ----------------------------------------------------------------------------------------

GIVING, HANDS, GIFT = holding("give")
LEFT = without(HANDS[0], GIFT)
GIVEN = (Tap(GIFT), SeatChoice(Seat(1)))
HAND = len(HANDS[0])


def ciao(*inputs: Input) -> GameRecord:
    return replace(GIVING.record, inputs=inputs)


def playing(turn: int | None, *awaited: int, winners: tuple[int, ...] = ()) -> TableView:
    seat = None if turn is None else Seat(turn)
    return TableView(
        "play", turn=seat, awaited=tuple(map(Seat, awaited)), winners=tuple(map(Seat, winners))
    )


def dealt_deck(file: Path, is_hot_seat: bool = True) -> VirtualDeck:
    deck = VirtualDeck(file)
    deck.deal(ciao(), GIVING.seed, is_hot_seat)
    deck.update(ciao())
    return deck


def hands_shown(deck: VirtualDeck, view: TableView, page: int | None = PAGE) -> list[int]:
    """Return the seats whose hands are face up in *page*; assert that no other's card is named."""
    seen = deck.page_data(view, page=page)
    assert seen is not None
    face_up = [seat for seat, hand in enumerate(seen["hands"]) if None not in hand]
    for seat, hand in enumerate(GIVING.hands):
        if seat not in face_up:
            assert seen["hands"][seat] == [None] * HAND
            assert not any(f'"ciao/{card}"' in json.dumps(seen) for card in hand)
    return face_up


def test_in_hot_seat_only_the_current_players_hand_is_face_up(file: Path) -> None:
    deck = dealt_deck(file)
    assert [hands_shown(deck, playing(seat)) for seat in range(3)] == [[0], [1], [2]]
    assert hands_shown(deck, playing(None)) == []  # the current player is not known
    assert hands_shown(deck, playing(None, winners=(1,))) == [0, 1, 2]
    assert hands_shown(dealt_deck(file, is_hot_seat=False), playing(None, 1, 2)) == [0, 1, 2]


def test_in_a_race_each_looks_at_the_own_hand_alone_until_something_happens(file: Path) -> None:
    deck, race = dealt_deck(file), playing(None, 1, 2)
    assert hands_shown(deck, race) == []
    seen = deck.page_data(race)
    assert seen is not None
    assert seen["mayShow"] == [1, 2]
    for seat in (1, 2):
        deck.show(Seat(seat), race, PAGE)
        assert hands_shown(deck, race) == [seat]
        assert hands_shown(deck, race, None) == []
    deck.update(ciao())
    assert hands_shown(deck, race) == [2]  # nothing has happened
    deck.cover(OTHER)
    assert hands_shown(deck, race) == [2]
    deck.cover(PAGE)
    assert hands_shown(deck, race) == []
    deck.show(Seat(1), race, PAGE)
    deck.update(ciao(ACTION))
    deck.update(ciao())
    assert hands_shown(deck, race) == []
    with pytest.raises(CannotDo, match="cannot be shown"):
        deck.show(Seat(0), race, PAGE)


def test_a_hand_is_face_up_in_the_page_alone_in_which_its_player_has_asked(file: Path) -> None:
    deck, race = dealt_deck(file), playing(None, 1, 2)
    deck.show(Seat(1), race, PAGE)
    deck.show(Seat(2), race, OTHER)
    assert deck.asking_pages == {PAGE, OTHER}
    assert [hands_shown(deck, race, page) for page in (PAGE, OTHER, None)] == [[1], [2], []]
    deck.show(Seat(1), race, OTHER)  # its player goes to the other page
    assert [hands_shown(deck, race, page) for page in (PAGE, OTHER, None)] == [[], [1], []]


def test_people_who_pass_the_page_on_each_ask_to_see_their_hand(file: Path) -> None:
    deck = VirtualDeck(file)
    deck.deal(ciao(), GIVING.seed, is_hot_seat=True, hands_over=True)
    deck = VirtualDeck(file)  # as after a restart
    deck.update(ciao())
    for seat in (Seat(0), Seat(1), Seat(0)):
        view = playing(seat)
        assert hands_shown(deck, view) == hands_shown(deck, view, None) == []
        seen = deck.page_data(view)
        assert seen is not None
        assert seen["mayShow"] == [seat]
        deck.show(seat, view, PAGE)
        assert hands_shown(deck, view) == [seat]
        deck.update(ciao(ACTION))
        deck.update(ciao())
        assert hands_shown(deck, view) == [seat], "it is still the same player's turn"
        assert hands_shown(deck, view, None) == [], "another page shows no hand"
        deck.cover(PAGE)
        assert hands_shown(deck, view) == []
        deck.show(seat, view, PAGE)
        with pytest.raises(CannotDo, match="cannot be shown"):
            deck.show(Seat(2), view, PAGE)
        deck.update(ciao(ACTION))
        deck.update(ciao())
    assert hands_shown(deck, playing(Seat(0))) == [0]
    next_round = replace(playing(Seat(0)), counts={"round": 2})
    assert hands_shown(deck, next_round) == [], "new hands begin face down"
    for phase in ("scoring", "round-over"):
        assert hands_shown(deck, replace(next_round, phase=phase)) == [0], "no hand is secret"
    deck.seat(0, "careful")
    deck.seat(1, "careful")
    deck.update(ciao())
    assert hands_shown(deck, playing(Seat(2))) == [2], "one person among robots need not ask"


def test_a_giver_to_whom_the_page_is_passed_alone_sees_the_cards_to_choose_from(
    file: Path,
) -> None:
    deck = VirtualDeck(file)
    deck.deal(ciao(), GIVING.seed, is_hot_seat=True, hands_over=True)
    deck.update(ciao(*GIVEN))
    view = playing(1)  # the mat asks the receiver for thanks
    for page in (PAGE, None):
        assert hands_in(deck, view, page) == []
    asked = deck.page_data(view)
    assert asked is not None
    assert asked["mayShow"] == [0]
    deck.show(Seat(0), view, PAGE)
    assert hands_in(deck, view, PAGE) == [0]
    seen, elsewhere = deck.page_data(view, page=PAGE), deck.page_data(view)
    assert seen is not None
    assert elsewhere is not None
    assert seen["gift"]["choices"] == [f"ciao/{card}" for card in LEFT]
    assert elsewhere["gift"] == {
        "giver": 0,
        "receiver": 1,
        "card": None,
        "isChosen": False,
        "choices": [],
    }
    deck.do_by_hand(giving(f"ciao/{LEFT[2]}"))
    deck.update(ciao(*GIVEN))
    for page in (PAGE, None):
        assert hands_in(deck, view, page) == []
        assert not any(
            f"ciao/{card}" in json.dumps(deck.page_data(view, page=page)) for card in LEFT
        )


def hands_in(deck: VirtualDeck, view: TableView, page: int | None) -> list[int]:
    """Return the seats whose hands are face up in *page*."""
    seen = deck.page_data(view, page=page)
    assert seen is not None
    return [seat for seat, hand in enumerate(seen["hands"]) if hand and None not in hand]


def test_all_hands_but_the_current_players_are_covered_at_once(file: Path) -> None:
    deck, race = dealt_deck(file), playing(None, 1, 2)
    deck.show(Seat(1), race, PAGE)
    deck.show(Seat(2), race, OTHER)
    deck.cover_others(race)
    assert [hands_shown(deck, race, page) for page in (PAGE, OTHER)] == [[], []]
    deck = VirtualDeck(file)
    deck.deal(ciao(), GIVING.seed, is_hot_seat=True, hands_over=True)
    deck.update(ciao())
    deck.show(Seat(0), playing(0), PAGE)
    deck.cover_others(playing(0))
    deck.update(ciao(ACTION))
    deck.update(ciao())
    assert hands_shown(deck, playing(0), PAGE) == [0], "the own tile, taken back for another one"
    deck.cover_others(playing(1))
    assert hands_shown(deck, playing(0), PAGE) == [], "the next player has the page"


def test_nobody_shows_a_hand_where_one_is_to_play_or_all_lie_open(file: Path) -> None:
    for is_hot_seat, view in ((True, playing(0)), (True, playing(None, 1)), (False, VIEW)):
        deck = dealt_deck(file, is_hot_seat)
        seen = deck.page_data(view)
        assert seen is not None
        assert seen["mayShow"] == []
        with pytest.raises(CannotDo, match="cannot be shown"):
            deck.show(Seat(1), view, PAGE)
    assert hands_shown(dealt_deck(file), playing(None, 1)) == [1]  # the only player in the race


def board_deck(file: Path, people: People, is_hot_seat: bool = True) -> VirtualDeck:
    """Return a Camargue deck in the state that *people* have reached."""
    deck = VirtualDeck(file)
    deck.deal(people.record, people.seed, is_hot_seat)
    deck.update(people.record)
    return deck


def test_who_may_lend_a_helper_shows_the_own_hand_instead_of_the_open_one(file: Path) -> None:
    people, helper, tile = helping()
    people.play(tile)
    deck, view = board_deck(file, people), playing(1)

    def face_up() -> list[int]:
        shown = deck.page_data(view, page=PAGE)
        assert shown is not None
        return [seat for seat, hand in enumerate(shown["hands"]) if None not in hand]

    shown = deck.page_data(view)
    assert shown is not None
    assert (shown["mayShow"], shown["others"], face_up()) == ([2], [2], [1])
    assert f"camargue/{helper}" not in json.dumps(shown)
    deck.show(Seat(2), view, PAGE)
    assert face_up() == [2]
    for seat in (0, 1):
        with pytest.raises(CannotDo, match="cannot be shown"):
            deck.show(Seat(seat), view, PAGE)
    deck.cover(PAGE)
    assert face_up() == [1]
    deck.show(Seat(2), view, PAGE)
    people.give(Tap(helper))
    deck.update(people.record)
    assert face_up() == [1]
    open_deck = board_deck(file, people, is_hot_seat=False).page_data(view)
    assert open_deck is not None
    assert open_deck["mayShow"] == []
    assert all(None not in hand for hand in open_deck["hands"])


def gift_of(deck: VirtualDeck, *inputs: Input) -> Any:
    deck.update(ciao(*inputs))
    seen = deck.page_data(playing(1))
    assert seen is not None
    return seen["gift"]


def test_the_giver_chooses_the_card_and_sees_the_own_hand_alone(file: Path) -> None:
    deck = dealt_deck(file)
    assert gift_of(deck, GIVEN[0]) is None
    assert gift_of(deck, *GIVEN) == {
        "giver": 0,
        "receiver": 1,
        "card": f"ciao/{LEFT[-1]}",
        "isChosen": False,
        "choices": [f"ciao/{card}" for card in LEFT],
    }
    seen = deck.page_data(playing(1))  # the mat asks the receiver for thanks
    assert seen is not None
    # The gift has not left its giver yet.
    assert seen["hands"] == [[f"ciao/{card}" for card in LEFT], [None] * 7, [None] * 7]
    deck.do_by_hand(giving(f"ciao/{LEFT[2]}"))
    for again in (deck, VirtualDeck(file)):
        assert gift_of(again, *GIVEN)["card"] == f"ciao/{LEFT[2]}"
    deck.do_by_hand(giving(f"ciao/{LEFT[0]}"))
    assert gift_of(deck, *GIVEN)["card"] == f"ciao/{LEFT[0]}"


def test_a_gift_is_chosen_until_the_game_goes_on_and_forgotten_when_it_is_undone(
    file: Path,
) -> None:
    deck = dealt_deck(file)
    gift_of(deck, *GIVEN)
    deck.do_by_hand(giving(f"ciao/{LEFT[0]}"))
    thanked = (*GIVEN, Choice("thanked"))
    assert gift_of(deck, *thanked) is None
    with pytest.raises(CannotDo, match="cannot be given away"):
        deck.do_by_hand(giving(f"ciao/{LEFT[1]}"))
    seen = deck.page_data(playing(1))
    assert seen is not None
    assert seen["hands"][1][-1] == f"ciao/{LEFT[0]}"
    assert gift_of(deck, *GIVEN)["card"] == f"ciao/{LEFT[0]}"  # the thanks were undone
    assert gift_of(deck, GIVEN[0]) is None
    for again in (deck, VirtualDeck(file)):
        assert gift_of(again, *GIVEN)["card"] == f"ciao/{LEFT[-1]}"


@pytest.mark.parametrize(
    "card",
    [
        f"ciao/{GIFT}",  # already laid
        f"ciao/{HANDS[1][0]}",
        f"straw/{LEFT[0]}",
        str(LEFT[0]),
        "ciao/obstacle#x",
        "ciao/@1",
        "stranger",
    ],
)
def test_no_card_but_one_of_the_givers_hand_can_be_given(file: Path, card: str) -> None:
    deck = dealt_deck(file)
    gift_of(deck, *GIVEN)
    with pytest.raises(CannotDo):
        deck.do_by_hand(giving(card))
    assert gift_of(deck, *GIVEN)["card"] == f"ciao/{LEFT[-1]}"


def test_without_a_gift_nothing_is_given(deck: VirtualDeck, file: Path) -> None:
    shown(deck)
    for other in (deck, dealt_deck(file), VirtualDeck(file)):
        with pytest.raises(CannotDo):
            other.do_by_hand(giving(f"ciao/{LEFT[0]}"))


# --- cargo without tags ---------------------------------------------------------------------------

COLOURS = tuple(Tap(Piece(f"{colour}-1")) for colour in ("red", "blue", "green"))
REVEALED: tuple[Input, ...] = (
    *COLOURS,
    *(Tap(Piece(card)) for card in ("red-9", "blue-3", "green-2")),
)
HOLDS: tuple[Input, ...] = (*REVEALED, Press(Button.OK))


def cargo(*inputs: Input, **options: bool) -> GameRecord:
    start = GameStart("riff-raff", ("Ann", "Ben", "Cem"), 2, options, RIFF_RAFF_DECK)
    return GameRecord(1, start, inputs)


def loading_deck(file: Path, **options: bool) -> VirtualDeck:
    """Return a Riff Raff deck at the moment when Ann loads area 9."""
    deck = VirtualDeck(file)
    deck.deal(cargo(**options), 0, is_hot_seat=True)
    deck.update(cargo(*REVEALED, **options))
    return deck


def area_of(deck: VirtualDeck, *inputs: Input) -> tuple[str | None, list[str]]:
    """Return the piece in hand after *inputs*, and the pieces in area 9."""
    deck.update(cargo(*inputs))
    seen = deck.page_data(playing(0))
    assert seen is not None
    ship = seen["ship"]
    return ship["inHand"], next(a["pieces"] for a in ship["areas"] if a["area"] == 9)


def test_the_piece_that_was_taken_is_remembered_after_a_restart(file: Path) -> None:
    deck = loading_deck(file)
    deck.do_by_hand(loading("riff-raff/red-boat#1"))
    deck.do_by_hand(loading("riff-raff/red-rat#1"))
    for again in (deck, VirtualDeck(file)):
        assert area_of(again, *REVEALED) == ("riff-raff/red-rat#1", [])
        assert area_of(again, *HOLDS) == (None, ["riff-raff/red-rat#1"])


def test_it_is_forgotten_when_the_card_before_is_undone(file: Path) -> None:
    deck = loading_deck(file)
    deck.do_by_hand(loading("riff-raff/red-rat#1"))
    area_of(deck, *REVEALED[:-1])
    for again in (deck, VirtualDeck(file)):
        assert area_of(again, *REVEALED) == (None, [])
        assert area_of(again, *HOLDS) == (None, ["riff-raff/red-chest#1"])


@pytest.mark.parametrize(
    "piece",
    [
        "riff-raff/blue-rat#1",
        "riff-raff/red-9#1",
        "riff-raff/cargo#1",
        "straw/red-rat#1",
        "red-rat#1",
        "riff-raff/red-rat#x",
        "stranger",
    ],
)
def test_only_a_piece_of_the_player_who_loads_can_be_taken(file: Path, piece: str) -> None:
    deck = loading_deck(file)
    with pytest.raises(CannotDo):
        deck.do_by_hand(loading(piece))
    assert area_of(deck, *REVEALED) == (None, [])


def test_a_piece_with_a_tag_is_tapped_instead(file: Path, deck: VirtualDeck) -> None:
    shown(deck)
    others = {"nothing is dealt": VirtualDeck(file), "not an act of this layout": deck}
    tagged = loading_deck(file, **{"tagged-cargo": True})
    for found, other in {**others, "cannot be loaded now": tagged}.items():
        with pytest.raises(CannotDo, match=found):
            other.do_by_hand(loading("riff-raff/red-rat#1"))
