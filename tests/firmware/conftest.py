"""A check of every error about a file that a test of the firmware causes."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware.common.errors import FileFault, StoreError

PLACES = re.compile(r"((entry|game) \d+)?")  # in a file that SQLite writes
FOUND, REMEDY = re.compile(r"([a-z].*)?", re.DOTALL), re.compile(r"([A-Z].*)?", re.DOTALL)


@pytest.fixture(scope="package", autouse=True)
def _errors_are_complete() -> Iterator[None]:
    """Fail the test if an error about a file does not say where, what was found, or what to do."""
    init = FileFault.__init__

    def checked(error: FileFault, file: Any, key: Any, found: Any, remedy: Any) -> None:
        assert isinstance(file, str | Path), f"the file of an error is {file!r}"
        assert all(isinstance(text, str) for text in (key, found, remedy)), (key, found, remedy)
        if isinstance(error, StoreError):
            assert PLACES.fullmatch(key), f"no place in a file: {key!r}"
            assert FOUND.fullmatch(found), f"it follows the name of the file: {found!r}"
            assert REMEDY.fullmatch(remedy), f"no sentence: {remedy!r}"
        init(error, file, key, found, remedy)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FileFault, "__init__", checked)
        yield
