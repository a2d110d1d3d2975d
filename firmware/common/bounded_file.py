"""Read files that people write or provide, up to a size limit."""

import errno
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the first screen does not need it
    from importlib.resources.abc import Traversable

MAX_BYTES = 1_000_000


def read_bounded(file: "Path | Traversable") -> bytes:
    """Return the contents of *file*, which may have up to ``MAX_BYTES``.

    Raises:
        OSError: the file cannot be read, or is larger than ``MAX_BYTES``.
    """
    with file.open("rb") as opened:
        data: bytes = opened.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise OSError(errno.EFBIG, "it is larger than 1 MB, so it is not a tapmat file")
    return data
