"""The path of the state folder, for programs that must not open what is in it."""

import os
from pathlib import Path

import platformdirs

VARIABLE = "TAPMAT_STATE"
HALL_CREDENTIAL = "hall.json"  # in the state folder of a table that has joined a hall


def state_path(path: Path | None = None) -> Path:
    """Return *path*, or else ``$TAPMAT_STATE``, or else the user's default folder for tapmat."""
    return path or Path(os.environ.get(VARIABLE) or platformdirs.user_state_path("tapmat"))
