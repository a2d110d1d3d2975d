"""The page of house rules agrees with the games."""

from firmware.boxes.games import game_named, game_names
from tests.docs.house_rules import FILE, with_tables
from tests.docs.pages import page

PAGE = page("docs/house-rules.md")


def test_the_tables_are_those_of_the_games() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert with_tables(text) == text, "run: python -m tests.docs.house_rules"


def test_every_house_rule_of_every_game_is_there() -> None:
    options = [option.name for name in game_names() for option in game_named(name).options]
    assert options
    assert [name for name in options if f"| `{name}` |" not in PAGE.text] == []
