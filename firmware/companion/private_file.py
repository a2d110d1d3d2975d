"""JSON files in the companion's own folder, which only its user can read."""

import json
import os
from pathlib import Path
from typing import Any

LONGEST_FILE = 64 * 1024  # bytes


def read_private(file: Path) -> Any:
    """Return the JSON value in *file*.

    Raises:
        OSError: *file* cannot be read; FileNotFoundError if it is missing.
        ValueError: it is damaged or too long.
    """
    with file.open("rb") as opened:
        return json.loads(opened.read(LONGEST_FILE))


def write_private(file: Path, shape: object) -> None:
    """Write *shape* as JSON to *file*, whole or not at all. Create its folder if needed.

    Raises:
        OSError: *file* cannot be written.
    """
    partial = file.with_suffix(".new")
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as opened:
        json.dump(shape, opened)
    partial.replace(file)
