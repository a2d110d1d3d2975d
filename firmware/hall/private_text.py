"""Files that only their user can read: each is written whole or not at all."""

from pathlib import Path

from firmware.common.errors import TapmatError
from firmware.common.private_text import write_text


class SecretFileError(TapmatError):
    """A file with a secret cannot be read or written."""


def write_secret(file: Path, text: str) -> None:
    """Write *text* to *file*, and create its folder if needed. After a power cut, it is whole.

    Raises:
        SecretFileError: it cannot be written.
    """
    try:
        write_text(file, text)
    except OSError as fault:
        raise SecretFileError(f"{file}: cannot be written: {fault.strerror or fault}.") from fault


def read_secret(file: Path) -> str:
    """Return the text in *file*, without spaces around it.

    Raises:
        SecretFileError: it cannot be read.
    """
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as fault:
        raise SecretFileError(f"{file}: cannot be read: {fault}.") from fault
