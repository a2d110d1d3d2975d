"""Rehearsals in the documents are played, and tables in the documents can be used."""

from pathlib import Path

import pytest

from firmware.boxes.decks import COMMAND_CARDS, load_deck
from firmware.boxes.games import game_named, game_names
from firmware.config.table_config import load_config
from sim.rehearsal.command import rehearse
from tests.docs.pages import MANUAL, ROOT, Fence, page

TESTED_ELSEWHERE = (
    "docs/adding-a-game.md",
    "docs/adding-a-reader.md",
    "docs/adding-an-led-strip.md",
)  # by test_adding_*.py
SHOWN = [(p.name, fence) for p in MANUAL if p.name not in TESTED_ELSEWHERE for fence in p.fences]
REHEARSALS = [(name, fence) for name, fence in SHOWN if fence.is_rehearsal]
CARD = "docs/image.md"  # shows a tapmat.toml; tests/firmware/test_card.py reads it
TOMLS = [(name, fence) for name, fence in SHOWN if fence.language == "toml" and name != CARD]


def written(folder: Path, fence: Fence, name: str) -> Path:
    """Write what *fence* shows to the file *name*, and return its path."""
    file = folder / name
    file.write_text(fence.text, encoding="utf-8")
    return file


SMALLEST = '[readers.play]\nspi = "0.0"\n\n'
VOICES = ("en_GB-alba-medium.onnx", "de_DE-thorsten-medium.onnx")  # voices of Piper


@pytest.mark.parametrize(("name", "fence"), REHEARSALS, ids=[name for name, _ in REHEARSALS])
def test_the_mat_answers_as_the_page_says(tmp_path: Path, name: str, fence: Fence) -> None:
    report = rehearse(written(tmp_path, fence, "shown.mat"), load_config())
    assert report.failure is None, f"{name}: {report.failure}"


def test_pages_with_games_show_rehearsals() -> None:
    assert {"docs/rehearsals.md", "docs/first-game.md"} <= {name for name, _ in REHEARSALS}


@pytest.mark.parametrize(("name", "fence"), TOMLS, ids=[name for name, _ in TOMLS])
def test_a_file_the_page_shows_can_be_used(tmp_path: Path, name: str, fence: Fence) -> None:
    """Each table loads, beside the deck, clips and voices that its page tells the owner to make.

    What a page adds to a table is added to the smallest one.
    """
    (tmp_path / "decks").mkdir()
    deck = tmp_path / "decks" / "straw.toml"
    deck.write_bytes((ROOT / "engines" / "straw" / "deck.toml").read_bytes())
    (tmp_path / "clips").mkdir()
    (tmp_path / "voices").mkdir()
    for voice in VOICES:
        (tmp_path / "voices" / voice).touch()
    table = written(tmp_path, fence, "shown.toml")
    if "[readers." not in fence.text:
        table.write_text(SMALLEST + fence.text, encoding="utf-8")
    config = load_config(table)
    assert config.readers
    for game, owners in config.decks.items():
        assert load_deck(game_named(game), owners).total > 0


@pytest.mark.parametrize("name", game_names())
def test_the_number_of_stickers_is_that_of_the_deck(name: str) -> None:
    game = game_named(name)
    folder = game.package.rpartition(".")[2]
    row = f"(../engines/{folder}/RULES.md) | {load_deck(game).total} |"
    assert row in page("docs/stickers.md").text, f"docs/stickers.md lacks a row with {row}"


def test_the_number_of_command_cards_is_that_of_their_deck() -> None:
    assert f"| {COMMAND_CARDS.total} |" in page("docs/stickers.md").text
