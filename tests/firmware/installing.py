"""Registration of a test's own game beside the installed ones."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint

import pytest

from firmware.boxes import games


@contextmanager
def installed(name: str, module: str) -> Iterator[None]:
    """Register the ``GAME`` of *module* as *name* for the block, as an entry point would."""

    def forget() -> None:
        games.games.cache_clear()
        games.game_names.cache_clear()

    offers = games._offers() | {name: EntryPoint(name, f"{module}:GAME", games.GROUP)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(games, "_offers", lambda: offers)
        forget()
        try:
            yield
        finally:
            forget()
