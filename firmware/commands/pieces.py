"""``tapmat pieces``: list the pieces of a game's deck, or all games."""

import json
import sys
from typing import TextIO

from firmware.boxes.decks import load_deck
from firmware.boxes.games import game_named, games
from firmware.commands.options import EXIT_OK
from firmware.config.table_config import TableConfig


def run_pieces(name: str, config: TableConfig, as_json: bool, out: TextIO | None = None) -> int:
    """Print the deck of game *name*.

    Raises:
        UnknownGame: no such game is installed.
        DeckError: the game's deck file cannot be used.
    """
    out = out or sys.stdout
    game = game_named(name)
    deck = load_deck(game, config.decks.get(game.name))
    kinds = [{"name": k.name, "count": k.count, "value": k.value} for k in deck.kinds]
    if as_json:
        shape = {
            "game": deck.game,
            "total": deck.total,
            "verified": deck.is_verified,
            "kinds": kinds,
        }
        print(json.dumps(shape), file=out)
        return EXIT_OK
    width = max(16, *(len(kind.name) for kind in deck.kinds))
    for kind in deck.kinds:
        print(f"{kind.count:3} x {kind.name:<{width}} {kind.value:4}", file=out)
    doubt = "" if deck.is_verified else " (not verified: compare with your box)"
    print(f"{deck.total:3} {'piece' if deck.total == 1 else 'pieces'}{doubt}", file=out)
    return EXIT_OK


def run_games(config: TableConfig, as_json: bool, out: TextIO | None = None) -> int:
    """Print the installed games, each with its numbers of pieces and players.

    Raises:
        DeckError: a deck file cannot be used.
    """
    out = out or sys.stdout
    rows = [
        (name, load_deck(game, config.decks.get(name)).total, game.seats)
        for name, game in games().items()
    ]
    if as_json:
        shape = [
            {"game": name, "total": total, "players": [min(seats), max(seats)]}
            for name, total, seats in rows
        ]
        print(json.dumps(shape), file=out)
        return EXIT_OK
    width = max(len(name) for name, *_ in rows)
    for name, total, seats in rows:
        people = f"{min(seats)} to {max(seats)} players"
        print(f"{name:<{width}}  {total:3} pieces, {people}", file=out)
    print("To list the pieces of a game: tapmat pieces GAME", file=out)
    return EXIT_OK
