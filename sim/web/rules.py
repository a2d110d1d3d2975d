"""The rules card of a game. A page asks for it when somebody opens the card."""

from typing import Any

from engines.common.rules_card import numbers_in, rules_card_of
from firmware.boxes.games import games
from firmware.runtime.controller import words_for


def rules_card(name: str, language: str) -> dict[str, Any] | None:
    """Return the rules card of the game *name* in *language*, or None if it has none.

    ``parts`` are the first page, each with the kinds of pieces to draw beside it. ``rules`` are the
    numbered paragraphs. The texts of special pieces are in the message ``table``.
    """
    card = rules_card_of(games().get(name))
    if card is None:
        return None
    words = words_for(language)[name]
    return {
        "title": words.plain("title"),
        "parts": [
            {
                "title": words.plain(f"rules.{part.name}.title"),
                "text": words.plain(f"rules.{part.name}"),
                "kinds": list(part.kinds),
            }
            for part in card.parts
        ],
        "special": words.plain("rules.special.title"),
        "numbered": words.plain("rules.numbered.title"),
        "rules": [
            {"number": number, "text": words.plain(f"rules.{number}")}
            for number in numbers_in(words.codes)
        ],
    }
