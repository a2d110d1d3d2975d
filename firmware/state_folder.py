"""The state folder: where the journal and the tag register are kept.

Room: firmware.
"""

import os
from gettext import gettext as _
from pathlib import Path

import platformdirs

from firmware.errors import StateFolderError

VARIABLE = "TAPMAT_STATE"


def state_folder(path: Path | None = None) -> Path:
    """Return the folder *path*, else ``$TAPMAT_STATE``, else this user's own; make it if new.

    Raises:
        StateFolderError: it is no folder, or may not be read and written.
    """
    remedy = _("Make it a folder you may write to, or name another one in {variable}.")
    remedy = remedy.format(variable=VARIABLE)
    folder = path or Path(os.environ.get(VARIABLE) or platformdirs.user_state_path("tapmat"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        next(folder.iterdir(), None)  # raises when it may not be read
    except (FileExistsError, NotADirectoryError) as fault:
        in_the_way = next((p for p in (folder, *folder.parents) if p.is_file()), folder)
        found = _("cannot be the state folder: {file} is no folder").format(file=in_the_way)
        raise StateFolderError(folder, "", found, remedy) from fault
    except OSError as fault:
        found = _("cannot be the state folder: {reason}").format(reason=fault.strerror or fault)
        raise StateFolderError(folder, "", found, remedy) from fault
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        found = _("cannot be the state folder: you may not write there")
        raise StateFolderError(folder, "", found, remedy)
    return folder
