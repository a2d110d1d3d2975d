"""JSON files in the companion's own folder, which only its user can read."""

import json
from pathlib import Path
from typing import Any

from firmware.common.private_text import write_text

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
    write_text(file, json.dumps(shape))
