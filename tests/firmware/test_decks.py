"""Decks and games: the pieces of each deck, and the messages about mistakes in a deck file."""

import logging
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from engines.common.contract import Game
from engines.common.pieces import Kind
from firmware.boxes import decks
from firmware.boxes import games as games_module
from firmware.boxes.decks import COMMAND_CARDS, load_deck
from firmware.boxes.games import game_named, game_names, games
from firmware.common.errors import DeckError, UnknownGame

LAMP = '[[kind]]\nname = "lamp"\ncount = 5\n'


def deck_file(folder: Path, text: str) -> Path:
    file = folder / "deck.toml"
    file.write_text(text, encoding="utf-8")
    return file


def head(total: object = 5, game: str = "straw") -> str:
    return f'game = "{game}"\ntotal = {total}\nverified = true\n'


def fault(folder: Path, text: str) -> str:
    file = deck_file(folder, text)
    with pytest.raises(DeckError) as caught:
        load_deck(game_named("straw"), file)
    return str(caught.value).removeprefix(f"{file}: ")


@pytest.mark.parametrize("name", game_names())
def test_every_game_brings_a_deck_that_loads(name: str) -> None:
    deck = load_deck(game_named(name))
    assert deck.game == name
    assert len(set(deck.pieces())) == deck.total > 0


@pytest.mark.parametrize("name", game_names())
def test_a_deck_that_is_written_as_its_owners_loads_as_it_was(tmp_path: Path, name: str) -> None:
    game = game_named(name)
    own = load_deck(game)
    file = deck_file(tmp_path, decks.deck_file(own, 'counted by "us"'))
    assert load_deck(game, file) == own


def test_an_owners_deck_takes_the_place_of_the_games_own(tmp_path: Path) -> None:
    deck = load_deck(game_named("straw"), deck_file(tmp_path, head() + LAMP + 'picture = "oil"\n'))
    assert (deck.total, deck.is_verified) == (5, True)
    assert deck.by_name["lamp"].traits["picture"] == "oil"


def test_a_column_left_out_by_the_owner_is_as_in_the_games_deck(tmp_path: Path) -> None:
    own = load_deck(game_named("straw"))
    text = head(2) + '[[kind]]\nname = "carpet-9"\ncount = 2\n'
    deck = load_deck(game_named("straw"), deck_file(tmp_path, text))
    assert deck.by_name["carpet-9"].value == own.by_name["carpet-9"].value == -9


def test_a_kind_left_out_by_the_owner_has_no_pieces(tmp_path: Path) -> None:
    deck = load_deck(game_named("straw"), deck_file(tmp_path, head() + LAMP))
    assert deck.by_name["copy"] == Kind("copy", 0)
    assert {piece.kind for piece in deck.pieces()} == {"lamp"}


def test_a_box_says_how_it_is_laid_out(tmp_path: Path) -> None:
    assert load_deck(game_named("straw")).spread is None
    laid_out = load_deck(
        game_named("straw"), deck_file(tmp_path, "spread = [1, 5]\n" + head() + LAMP)
    )
    assert laid_out.spread == (1, 5)


@pytest.mark.parametrize(("count", "spread"), [(49, (7, 7)), (48, None)])
def test_an_owners_box_is_laid_out_as_the_games_own_if_it_fills_the_spread(
    tmp_path: Path, count: int, spread: tuple[int, int] | None
) -> None:
    text = head(count, "cramel") + f'[[kind]]\nname = "roby"\ncount = {count}\n'
    assert load_deck(game_named("cramel"), deck_file(tmp_path, text)).spread == spread


FAULTS = {
    "wrong sum": (
        head(64) + LAMP,
        "total is 64, but the counts of all kinds add up to 5. Count the box: if it holds 5, "
        "write total = 5; if it holds 64, correct the count that is wrong.",
    ),
    "total of the wrong type": (
        head('"5"') + LAMP,
        'total is "5"; it must be the number of pieces in the box. Write for example: total = 64',
    ),
    "no total": (
        'game = "straw"\nverified = true\n' + LAMP,
        "total is missing; it must be the number of pieces in the box. "
        "Write for example: total = 64",
    ),
    "count of the wrong type": (
        head() + LAMP.replace("5", "5.0"),
        "kind[1].count is 5.0; it must be a whole number from 0 to 9999. "
        "Write for example: count = 4",
    ),
    "count below zero": (
        head() + LAMP.replace("5", "-5"),
        "kind[1].count is -5; it must be a whole number from 0 to 9999. "
        "Write for example: count = 4",
    ),
    "count beyond any box": (
        head(10**9) + LAMP.replace("5", "1000000000"),
        "kind[1].count is 1000000000; it must be a whole number from 0 to 9999. "
        "Write for example: count = 4",
    ),
    "a different value from the printed one": (
        head() + LAMP.replace("lamp", "weight-7") + "value = 70\n",
        "kind[1].value is 70, but 7 is printed on each weight-7. Leave it out, or write: value = 7",
    ),
    "value of the wrong type": (
        head() + LAMP + 'value = "7"\n',
        'kind[1].value is "7"; it must be a whole number. Write for example: value = 0',
    ),
    "misspelt count": (
        head() + LAMP.replace("count", "cuont"),
        "kind[1].cuont is not a column, and count is missing. "
        'Did you mean "count"? Write for example: count = 4',
    ),
    "a kind twice": (
        head(10) + LAMP + LAMP,
        'kind lists "lamp" 2 times. Merge them into one, with the sum of their counts.',
    ),
    "unknown kind": (
        head() + LAMP.replace("lamp", "lamb"),
        'kind[1].name is "lamb", which is not a kind of this game. Did you mean "lamp"?',
    ),
    "name that cannot be written": (
        head() + LAMP.replace("lamp", "Oil Lamp#1"),
        'kind[1].name is "Oil Lamp#1"; it must be a name in small letters, digits and hyphens. '
        'Write for example: name = "lamp"',
    ),
    "trait that is no text": (
        head() + LAMP + "is_red = true\n",
        "kind[1].is_red is true; it must be a string or a whole number. "
        'Write for example: is_red = "red"',
    ),
    "unknown key": (
        'notes = "mine"\n' + head() + LAMP,
        'notes is not a known key. Did you mean "note"? Write: note = "mine"',
    ),
    "wrong game": (
        head(game="ciao") + LAMP,
        'game is "ciao"; it must be "straw". Write for example: game = "straw"',
    ),
    "spread of the wrong type": (
        "spread = 5\n" + head() + LAMP,
        "spread is 5; it must be rows and columns, two whole numbers from 1. "
        "Write for example: spread = [7, 7]",
    ),
    "spread of one number": (
        "spread = [5]\n" + head() + LAMP,
        "spread is [5]; it must be rows and columns, two whole numbers from 1. "
        "Write for example: spread = [7, 7]",
    ),
    "spread below zero": (
        "spread = [-1, -5]\n" + head() + LAMP,
        "spread is [-1, -5]; it must be rows and columns, two whole numbers from 1. "
        "Write for example: spread = [7, 7]",
    ),
    "spread that is not filled": (
        "spread = [2, 3]\n" + head() + LAMP,
        "spread has 6 places, but the counts of all kinds add up to 5. "
        "Write rows and columns with 5 places, or leave out the spread.",
    ),
    "no kinds": (
        head(),
        "kind is missing; it must be a list of sections [[kind]]. "
        'Write for example:\n[[kind]]\nname = "lamp"\ncount = 5',
    ),
    "not TOML": (
        head() + "[[kind]\n",
        "line 4 is not valid TOML: Expected ']]' at the end of an array declaration. "
        "Correct this line: [[kind]",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_says_where_what_and_what_to_write(name: str, tmp_path: Path) -> None:
    text, message = FAULTS[name]
    assert fault(tmp_path, text) == message


def test_command_cards_are_a_deck() -> None:
    names = {kind.name for kind in COMMAND_CARDS.kinds}
    assert COMMAND_CARDS.game == "commands"
    assert {"ok", "back", "action", "what-now", "say-again", "number-10", "seat-6"} <= names
    assert COMMAND_CARDS.total == 24


# --- games ---------------------------------------------------------------------------------------


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EntryPoint]]:
    """The list of entry points in the installed metadata; a test may change it."""
    offers = [EntryPoint("straw", "engines.straw:GAME", games_module.GROUP)]
    monkeypatch.setattr(games_module, "entry_points", lambda group: offers)
    games.cache_clear()
    game_names.cache_clear()
    yield offers
    games.cache_clear()
    game_names.cache_clear()


def test_games_come_from_entry_points() -> None:
    straw: Game[object] = games()["straw"]
    assert straw.name == "straw"
    assert list(games()) == sorted(games())


@pytest.mark.parametrize(
    ("name", "value", "warning"),
    [
        ("broken", "engines.nowhere:GAME", "cannot be loaded and is left out: ModuleNotFoundError"),
        ("broken", "engines.straw:Nothing", "cannot be loaded and is left out: AttributeError"),
        ("broken", "engines.common.pieces:Piece", "lacks name, package, seats, options, start"),
        ("chaff", "engines.straw:GAME", 'called "chaff", but the game calls itself "straw"'),
        ("straw", "engines.straw:OTHER", "Two games are called straw"),
    ],
)
def test_a_broken_game_is_a_warning_and_the_others_are_there(
    name: str,
    value: str,
    warning: str,
    offered: list[EntryPoint],
    caplog: pytest.LogCaptureFixture,
) -> None:
    offered.append(EntryPoint(name, value, games_module.GROUP))
    with caplog.at_level(logging.WARNING):
        assert list(games()) == ["straw"]
    assert warning in caplog.text


def test_an_unknown_game_is_told_with_the_nearest() -> None:
    with pytest.raises(UnknownGame) as caught:
        game_named("strow")
    assert str(caught.value).startswith('There is no game "strow". The installed games are: ')
    assert str(caught.value).endswith('Did you mean "straw"?')
