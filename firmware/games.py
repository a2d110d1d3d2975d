"""The games this table knows: what distributions offer under the entry points ``tapmat.games``.

Room: firmware. Ours and third-party games come the same way. A game that cannot be loaded is one
warning in the log, and the others are played.
"""

import logging
from collections.abc import Mapping
from functools import cache
from gettext import gettext as _
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any

from engines.common.contract import Game
from firmware.errors import UnknownGame, did_you_mean, listed
from firmware.register import COMMANDS

log = logging.getLogger(__name__)

GROUP = "tapmat.games"
OFFERED = ("name", "package", "seats", "options", "start", "opening", "asks", "step", "view")


@cache
def game_names() -> tuple[str, ...]:
    """The names under which games are installed, in order; whether they load is not asked."""
    return tuple(_offers())


@cache
def games() -> Mapping[str, Game[Any]]:
    """Every installed game that can be loaded, by name, in order of names."""
    loaded = ((name, _loaded(offer)) for name, offer in _offers().items())
    return MappingProxyType({name: game for name, game in loaded if game is not None})


def game_named(name: str) -> Game[Any]:
    """Return the game called *name*.

    Raises:
        UnknownGame: there is none; the message names the nearest.
    """
    game = games().get(name)
    if game is None:
        found = _('There is no game "{name}" here; installed are: {games}.')
        hint = did_you_mean(name, games()) or _("Choose one of them.")
        raise UnknownGame(f"{found.format(name=name, games=listed(games()))} {hint}")
    return game


def _offers() -> dict[str, EntryPoint]:
    """The entry points by name; of two with one name, the first found."""
    found: dict[str, EntryPoint] = {}
    for offer in entry_points(group=GROUP):
        if found.setdefault(offer.name, offer).value != offer.value:
            log.warning("Two games are called %s; %s is left out", offer.name, offer.value)
    return dict(sorted(found.items()))


def _loaded(offer: EntryPoint) -> Game[Any] | None:
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
    """What keeps *game* from being the game called *name*; empty when nothing does."""
    lacking = [part for part in (*OFFERED, "put_back") if not hasattr(game, part)]
    if lacking:
        return f"it lacks {listed(lacking)}, which the engine contract asks for"
    called = getattr(game, "name")  # noqa: B009
    if called != name:
        return f'its entry point is called "{name}", but the game calls itself "{called}"'
    if name == COMMANDS:
        return f'the name "{COMMANDS}" is kept for command cards'
    return ""
