"""The layouts: one module for each way to arrange pieces on a table, chosen by name.

Ours are listed here. Other distributions add theirs under the entry points ``tapmat.layouts``.
"""

import logging
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType

from engines.common.contract import View
from engines.common.pieces import Deck
from firmware.boxes.games import games
from firmware.common.errors import word_list
from sim.deal.layout import Layout
from sim.deal.layouts import board, hands, ship, spread

log = logging.getLogger(__name__)

GROUP = "tapmat.layouts"
OURS = {module.LAYOUT.name: module.LAYOUT for module in (hands, spread, board, ship)}


@cache
def layouts() -> Mapping[str, Layout]:
    """Return every layout by name. Our layouts replace others of the same name."""
    found = {offer.name: layout for offer in _offers() if (layout := _load(offer)) is not None}
    return MappingProxyType({**found, **OURS})


def layout_name(game: str) -> str:
    """Return the name of *game*'s layout; "" if the game is not installed or has no layout."""
    return str(getattr(games().get(game), "layout", ""))


def layout_of(game: str) -> Layout | None:
    """Return the layout of *game*, or None if the layout is not installed."""
    return layouts().get(layout_name(game))


def misfit_of(game: str, deck: Deck, first: View) -> str:
    """Return the reason why *game* cannot be dealt, in words for people, or "" if it can."""
    name = layout_name(game)
    layout = layouts().get(name)
    if not name:
        return f"{game} names no layout, so its pieces stay in the tray"
    if layout is None:
        known = word_list(sorted(layouts()))
        return f'{game} has the layout "{name}", which is not installed (installed: {known})'
    misfit = layout.misfit(deck, first)
    return misfit and f'{game} does not fit the layout "{name}": {misfit}'


def _offers() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=GROUP))


def _load(offer: EntryPoint) -> Layout | None:
    try:
        layout = offer.load()
    except Exception as fault:
        log.warning("The layout %s (%s) cannot be loaded: %r", offer.name, offer.value, fault)
        return None
    if not isinstance(layout, Layout) or getattr(layout, "name", None) != offer.name:
        log.warning("%s (%s) is not a layout of that name", offer.name, offer.value)
        return None
    return layout
