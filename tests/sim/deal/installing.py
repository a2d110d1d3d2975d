"""A helper that installs an additional layout for a test."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint

import pytest

from sim.deal import layouts


@contextmanager
def installed_layout(name: str, module: str) -> Iterator[None]:
    """Install the ``LAYOUT`` of *module* as *name*, as if a distribution offered it."""
    offers = (EntryPoint(name, f"{module}:LAYOUT", layouts.GROUP),)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layouts, "_offers", lambda: offers)
        layouts.layouts.cache_clear()
        try:
            yield
        finally:
            layouts.layouts.cache_clear()
