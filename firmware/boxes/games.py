"""The installed games, found by their Python entry points in the group ``tapmat.games``.

Third-party games work like our own. If a game cannot be loaded, a warning is logged once, and the
other games can be played.
"""

import logging
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any

from engines.common.contract import Game
from firmware.boxes.register import COMMANDS
from firmware.common.errors import UnknownGame, did_you_mean, word_list

log = logging.getLogger(__name__)

GROUP = "tapmat.games"
OFFERED = ("name", "package", "seats", "options", "start", "opening", "asks", "step", "view")


@cache
def game_names() -> tuple[str, ...]:
    """Return the sorted names of the installed games, including any that cannot be loaded."""
    return tuple(_offers())


@cache
def games() -> Mapping[str, Game[Any]]:
    """Return every installed game that can be loaded, by name, sorted by name."""
    loaded = ((name, _load(offer)) for name, offer in _offers().items())
    return MappingProxyType({name: game for name, game in loaded if game is not None})


def game_named(name: str) -> Game[Any]:
    """Return the game called *name*.

    Raises:
        UnknownGame: no such game is installed; the message suggests a similar name.
    """
    game = games().get(name)
    if game is None:
        found = 'There is no game "{name}". The installed games are: {games}.'
        hint = did_you_mean(name, games()) or "Choose one of them."
        raise UnknownGame(f"{found.format(name=name, games=word_list(games()))} {hint}")
    return game


def _offers() -> dict[str, EntryPoint]:
    """Return the games' entry points by name, sorted.

    If two entry points have the same name, only the first is returned.
    """
    found: dict[str, EntryPoint] = {}
    for offer in entry_points(group=GROUP):
        if found.setdefault(offer.name, offer).value != offer.value:
            log.warning("Two games are called %s; %s is left out", offer.name, offer.value)
    return dict(sorted(found.items()))


def _load(offer: EntryPoint) -> Game[Any] | None:
    try:
        game = offer.load()
    except Exception as fault:
        log.warning(
            "The game %s (%s) cannot be loaded and is left out: %r", offer.name, offer.value, fault
        )
        return None
    wrong = _wrong_with(game, offer.name)
    if wrong:
        log.warning("The game %s (%s) is left out: %s", offer.name, offer.value, wrong)
        return None
    loaded: Game[Any] = game
    return loaded


def _wrong_with(game: object, name: str) -> str:
    """Return the reason why *game* cannot be used under *name*; empty if it can be used."""
    lacking = [part for part in (*OFFERED, "put_back") if not hasattr(game, part)]
    if lacking:
        return f"it lacks {word_list(lacking)}, which the engine contract requires"
    called = getattr(game, "name")  # noqa: B009
    if called != name:
        return f'its entry point is called "{name}", but the game calls itself "{called}"'
    if name == COMMANDS:
        return f'the name "{COMMANDS}" is reserved for command cards'
    return ""
