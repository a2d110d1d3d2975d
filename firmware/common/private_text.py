"""Text files that only their user can read: each is written whole or not at all."""

import os
from pathlib import Path


def write_text(file: Path, text: str) -> None:
    """Write *text* to *file*, and create its folder if needed. After a power cut, it is whole.

    Raises:
        OSError: *file* cannot be written.
    """
    partial = file.with_name(f"{file.name}.new")
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        opened.write(text)
        opened.flush()
        os.fsync(descriptor)
    partial.replace(file)
