"""How a test puts a game of its own beside the installed ones.

Room: tests.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint

import pytest

from firmware import games


@contextmanager
def installed(name: str, module: str) -> Iterator[None]:
    """Have the ``GAME`` of *module* installed as *name*, as if its distribution offered it."""

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
