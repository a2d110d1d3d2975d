"""The state folder: where the journal and the tag register are kept.

Room: firmware.
"""

import os
from pathlib import Path

import platformdirs

from firmware.errors import StateFolderError

VARIABLE = "TAPMAT_STATE"
REMEDY = f"Make it a folder you may write to, or name another one in {VARIABLE}."


def state_folder(path: Path | None = None) -> Path:
    """Return the folder *path*, else ``$TAPMAT_STATE``, else this user's own; make it if new.

    Raises:
        StateFolderError: it is no folder, or may not be read and written.
    """
    folder = path or Path(os.environ.get(VARIABLE) or platformdirs.user_state_path("tapmat"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        next(folder.iterdir(), None)  # raises when it may not be read
    except (FileExistsError, NotADirectoryError) as fault:
        in_the_way = next((p for p in (folder, *folder.parents) if p.is_file()), folder)
        found = f"cannot be the state folder: {in_the_way} is no folder"
        raise StateFolderError(folder, "", found, REMEDY) from fault
    except OSError as fault:
        found = f"cannot be the state folder: {fault.strerror or fault}"
        raise StateFolderError(folder, "", found, REMEDY) from fault
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        found = "cannot be the state folder: you may not write there"
        raise StateFolderError(folder, "", found, REMEDY)
    return folder
