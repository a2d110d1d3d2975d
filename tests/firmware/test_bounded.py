"""Files that are too large or too deeply nested are refused with a message."""

from pathlib import Path

import pytest

from firmware.boxes.decks import load_deck
from firmware.boxes.games import game_named
from firmware.boxes.sticker_files import read
from firmware.common.bounded_file import MAX_BYTES
from firmware.common.errors import ConfigError, DeckError, StickersError
from firmware.config.table_config import load_config
from sim.deal.deck import DealRecord
from sim.rehearsal.command import rehearse
from sim.rehearsal.grammar import RehearsalError


@pytest.fixture
def large(tmp_path: Path) -> Path:
    file = tmp_path / "large"
    file.write_bytes(b"#" * (MAX_BYTES + 1))
    return file


def test_each_kind_of_file_is_refused_by_its_size(large: Path) -> None:
    straw = game_named("straw")
    with pytest.raises(ConfigError, match="larger than 1 MB"):
        load_config(large)
    with pytest.raises(DeckError, match="larger than 1 MB"):
        load_deck(straw, large)
    with pytest.raises(StickersError, match="larger than 1 MB"):
        read(large, load_deck(straw))
    with pytest.raises(RehearsalError, match="larger than 1 MB"):
        rehearse(large, load_config())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a = " + "[" * 5000, "nested too deeply"),
        ("a = " + "{b = " * 5000, "nested too deeply"),
        (".".join("a" * 50_000) + " = 1", "more than 200 dots"),
        ("[" + ".".join("a" * 50_000) + "]", "more than 200 dots"),
        ("\n".join(f"a.k{n} = 1" for n in range(50_000)), 'unknown|"a"|a '),
    ],
    ids=["arrays", "tables", "a key", "a heading", "many keys"],
)
def test_what_is_nested_or_dotted_beyond_reason_is_reported(
    tmp_path: Path, text: str, told: str
) -> None:
    file = tmp_path / "table.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=told):
        load_config(file)


@pytest.mark.parametrize("how", ["absolute", "above", "link"])
def test_a_rehearsals_deck_stays_beside_it(tmp_path: Path, how: str) -> None:
    beside = tmp_path / "rehearsals"
    beside.mkdir()
    deck = tmp_path / "deck.toml"
    deck.write_text("")
    name = {"absolute": str(deck), "above": "../deck.toml", "link": "link.toml"}[how]
    if how == "link":
        (beside / name).symlink_to(deck)
    file = beside / "story.mat"
    file.write_text(f'game straw\ndeck "{name}"\nplayers Ann Ben\nstart\n')
    with pytest.raises(RehearsalError, match="outside the rehearsal's folder"):
        rehearse(file, load_config())


def test_a_remembered_deal_that_is_nested_too_deep_is_forgotten(tmp_path: Path) -> None:
    file = tmp_path / "deal.json"
    file.write_text("[" * 100_000)
    assert DealRecord.read(file) is None
