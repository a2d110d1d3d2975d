"""The state folder, which contains the journal and the tag register."""

import os
from pathlib import Path

from firmware.common.errors import Cause, StateFolderError
from firmware.common.state_path import VARIABLE, state_path
from firmware.journal.store import disk_cause, error_of_cause


def state_folder(path: Path | None = None) -> Path:
    """Return the state folder, and create it if it does not exist.

    ``firmware.common.state_path`` says where it is.

    Raises:
        StateFolderError: it is not a folder, or cannot be read and written.
    """
    remedy = "Make it a folder you may write to, or name another one in {variable}."
    remedy = remedy.format(variable=VARIABLE)
    folder = state_path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        next(folder.iterdir(), None)  # raises if it may not be read
    except (FileExistsError, NotADirectoryError) as fault:
        in_the_way = next((p for p in (folder, *folder.parents) if p.is_file()), folder)
        found = f"cannot be the state folder: {in_the_way} is not a folder"
        raise StateFolderError(folder, "", found, remedy) from fault
    except OSError as fault:
        _refuse_read_only_disk(folder)
        found = f"cannot be the state folder: {fault.strerror or fault}"
        raise StateFolderError(folder, "", found, remedy) from fault
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        _refuse_read_only_disk(folder)
        found = "cannot be the state folder: you may not write there"
        raise StateFolderError(folder, "", found, remedy)
    return folder


def _refuse_read_only_disk(folder: Path) -> None:
    """Check that the disk that holds *folder* is not read-only.

    On a read-only disk, permissions would not help.

    Raises:
        StateFolderError: the disk is read-only.
    """
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    if disk_cause(nearest / "any") is Cause.READ_ONLY:
        raise error_of_cause(folder, Cause.READ_ONLY, StateFolderError)
