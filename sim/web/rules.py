"""The rules card of a game. A page asks for it when somebody opens the card."""

from typing import Any

from firmware.boxes.games import games
from firmware.outlet.box import rules_data
from firmware.runtime.controller import words_for


def rules_card(name: str, language: str) -> dict[str, Any] | None:
    """Return the rules card of the game *name* in *language*, or None if it has none."""
    game = games().get(name)
    return None if game is None else rules_data(game, words_for(language)[name], is_page=True)
