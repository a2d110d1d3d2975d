"""The box of a game: what everybody may know of its pieces and rules, as JSON values for pages.

Pages draw the pieces from this, and show the rules card. All texts are in one language.
"""

from collections.abc import Callable
from typing import Any

from engines.common import layouts
from engines.common.contract import Game, Message
from engines.common.pieces import Deck, Kind
from engines.common.rules_card import numbers_in, rules_card_of
from firmware.voice.words import Words

GOAL = "rules.goal"  # the code of the aim of a game, a part of its rules card
PRINTED = "print."  # the prefix of the codes of words on cards, such as ``print.lamp``


def face_of(layout: str, kind: Kind) -> str:
    """Return the name of the drawing in ``faces.js`` for pieces of *kind* in a game of *layout*.

    It is ``card``, or one of the special drawings: ``tile``, ``map-tile``, ``cargo``, ``area``.
    """
    match layout:
        case layouts.SPREAD:
            return "tile"
        case layouts.BOARD:
            return "map-tile"
        case layouts.SHIP:
            return "cargo" if "shape" in kind.traits else "area"
    return "card"


def pieces_data(
    game: Game[Any], deck: Deck, words: Words, face: Callable[[Kind], str] | None = None
) -> dict[str, Any]:
    """Return the title and aim of *game*, and each kind of piece with what is printed on it.

    *face* returns the name of a kind's drawing; if it is None, ``face_of`` does.
    """
    card = rules_card_of(game)
    special = {kind.name: "" if card is None else card.special(kind) for kind in deck.kinds}
    return {
        "title": words.plain("title"),
        "goal": words.plain(GOAL) if GOAL in words.codes else "",
        "does": {
            effect: {
                "title": words.plain(f"does.{effect}.title"),
                "text": words.plain(f"does.{effect}"),
            }
            for effect in special.values()
            if effect
        },
        "printed": {
            code.removeprefix(PRINTED): words.plain(code)
            for code in sorted(words.codes)
            if code.startswith(PRINTED)
        },
        "kinds": [
            {
                "name": kind.name,
                "count": kind.count,
                "value": kind.value,
                "words": words.say(Message(f"piece.{kind.name}")),
                "traits": {trait: str(value) for trait, value in kind.traits.items()},
                "face": face_of(game.layout, kind) if face is None else face(kind),
                "does": special[kind.name],
            }
            for kind in deck.kinds
            if kind.count
        ],
    }


def rules_data(
    game: Game[Any] | None, words: Words, *, is_page: bool = False
) -> dict[str, Any] | None:
    """Return the rules card of *game*, or None if it has none.

    ``parts`` are the first page, each with the kinds of pieces to draw beside it. ``rules`` are the
    numbered paragraphs. The texts of special pieces are in ``pieces_data``. *is_page* chooses the
    texts ``<code>.page`` of the virtual table.
    """
    card = rules_card_of(game)
    if card is None:
        return None
    write = words.write if is_page else words.say
    return {
        "title": words.plain("title"),
        "parts": [
            {
                "title": words.plain(f"rules.{part.name}.title"),
                "text": write(Message(f"rules.{part.name}")),
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


def box_data(game: Game[Any], deck: Deck, words: Words) -> dict[str, Any]:
    """Return the box of *game* with its rules card, which is None if it has none."""
    return {**pieces_data(game, deck, words), "rules": rules_data(game, words)}
