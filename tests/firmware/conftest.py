"""A check of every error about a file that a test of the firmware causes."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware.common.errors import FileFault, StoreError

PLACES = re.compile(r"(entry|game|line) \d+|")  # in a file that SQLite writes


@pytest.fixture(scope="package", autouse=True)
def _errors_are_complete() -> Iterator[None]:
    """Fail the test if an error about a file does not say where, what was found, or what to do."""
    init = FileFault.__init__

    def checked(error: FileFault, file: Any, key: Any, found: Any, remedy: Any) -> None:
        assert isinstance(file, str | Path), f"the file of an error is {file!r}"
        assert isinstance(key, str), f"the place of an error is {key!r}"
        assert not isinstance(error, StoreError) or PLACES.fullmatch(key), key
        assert re.match(r"[a-z]", found), f"it goes on after the name of the file: {found!r}"
        assert re.fullmatch(r"([A-Z].*)?", remedy, re.DOTALL), f"no sentence: {remedy!r}"
        init(error, file, key, found, remedy)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FileFault, "__init__", checked)
        yield
