"""The message that describes the table to a new page: spots, lamps, decks and faults."""

from typing import Any

from engines.common.contract import Amount, Message, Option, Selection, Switch
from engines.common.lessons import lessons_of
from engines.common.pieces import Deck
from engines.common.rules_card import rules_card_of
from firmware.boxes.decks import COMMAND_CARDS
from firmware.boxes.games import games
from firmware.config.table_config import TableConfig
from firmware.outlet.box import pieces_data
from firmware.runtime.controller import decks_of, words_for
from firmware.voice.words import Words, language_name, languages
from sim.deal.layouts import layout_name, layout_of
from sim.mat.faults import CATALOGUE
from sim.people.person import values_of
from sim.players.levels import styles_of
from sim.web.page_words import page_words


def table_message(config: TableConfig, language: str) -> dict[str, Any]:
    """Return the message ``table`` for the table of *config* in *language*, as JSON values."""
    decks, words = decks_of(config), words_for(language)
    controls, display = config.controls, config.display
    return {
        "type": "table",
        "title": "tapmat",
        "language": language,
        "languages": [[code, language_name(code)] for code in languages()],
        "words": page_words(language),
        "names": list(config.names),
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
                "parts": list(installed),
            }
            for fault in CATALOGUE
            if (installed := fault.parts.installed(config))
        ],
    }


def words_message(table: dict[str, Any]) -> dict[str, Any]:
    """Return the part of the message *table* for a page that is not paired yet.

    With it, the page can ask its user for the pairing code, in the table's language.
    """
    return {key: table[key] for key in ("type", "language", "words")}


def _game(name: str, deck: Deck, words: Words) -> dict[str, Any]:
    game, layout = games()[name], layout_of(name)
    card = rules_card_of(game)
    return {
        "name": name,
        **pieces_data(game, deck, words, None if layout is None else layout.face),
        "hasRules": card is not None,
        "hasLessons": lessons_of(game) is not None,
        "seats": list(game.seats),
        "minutes": 0 if card is None else card.minutes,
        "robots": list(styles_of(name)),
        "layout": layout_name(name),
        "options": [
            _option(option, words)
            for option in game.options
            if layout is None or option.name not in layout.needless
        ],
        "hasHands": layout is None or layout.has_hands,
    }


def _option(option: Option, words: Words) -> dict[str, Any]:
    """Return a house rule with its texts. Its values are as rehearsals write them."""
    values = values_of(option)
    match option:
        case Switch():
            default, texts = "on" if option.default else "off", tuple(map(words.plain, values))
        case Amount():
            default, texts = str(option.default), values
        case Selection():
            codes = (f"option.{option.name}.{value}" for value in values)
            default, texts = option.default, tuple(map(words.plain, codes))
    return {
        "name": option.name,
        "title": words.plain(f"option.{option.name}"),
        "help": words.write(Message(f"option.{option.name}.help")),
        "values": list(zip(values, texts, strict=True)),
        "default": default,
    }
