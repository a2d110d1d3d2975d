"""What a page must know of the table before anything happens: spots, lamps, decks, faults.

Room: sim/web.
"""

from typing import Any

from engines.common.contract import Message
from engines.common.pieces import Deck
from firmware.config import TableConfig
from firmware.controller import decks_of, words_for
from firmware.decks import COMMAND_CARDS
from firmware.games import games
from firmware.words import Words
from sim.faults import CATALOGUE
from sim.robots.games import styles_of


def table_message(config: TableConfig) -> dict[str, Any]:
    """The message ``table`` for the table of *config*."""
    decks, words = decks_of(config), words_for(config.language)
    controls, display = config.controls, config.display
    return {
        "type": "table",
        "title": "tapmat",
        "language": config.language,
        "spots": [reader.spot for reader in config.readers],
        "lamps": list(config.lamps),
        "buttons": list(controls.buttons) if controls is not None else [],
        "hasEncoder": controls is not None and controls.encoder is not None,
        "hasTilt": config.tilt_pin is not None,
        "display": None
        if display is None
        else {"width": display.size[0], "height": display.size[1]},
        "games": [_game(name, decks[name], words[name]) for name in games()],
        "commands": [{"name": kind.name} for kind in COMMAND_CARDS.kinds],
        "faults": [
            {
                "name": fault.name,
                "title": fault.title,
                "words": fault.words,
                "kind": fault.parts.kind,
                "parts": list(there),
            }
            for fault in CATALOGUE
            if (there := fault.parts.there(config))
        ],
    }


def _game(name: str, deck: Deck, words: Words) -> dict[str, Any]:
    return {
        "name": name,
        "title": words.plain("title"),
        "seats": list(games()[name].seats),
        "robots": list(styles_of(name)),
        "spread": None if deck.spread is None else list(deck.spread),
        "kinds": [
            {
                "name": kind.name,
                "count": kind.count,
                "value": kind.value,
                "words": words.say(Message(f"piece.{kind.name}")),
                "traits": dict(kind.traits),
            }
            for kind in deck.kinds
            if kind.count
        ],
    }
