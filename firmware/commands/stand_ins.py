"""The emulated table and parts, which ``sim`` provides as entry points."""

from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from firmware.commands.in_use import refuse_if_in_use
from firmware.commands.options import SIM
from firmware.config.table_config import TableConfig
from firmware.journal.state_folder import state_folder
from hardware.errors import MissingPart


def run_simulated(config: TableConfig, state: Path | None, game: str | None) -> int:
    """Run an emulated table in this terminal; begin *game* if none is in progress.

    Raises:
        FolderInUse: another tapmat is using the state folder.
        MissingPart: no emulated table is installed.
        TapmatError: the configuration or the state folder cannot be used.
    """
    refuse_if_in_use(state or state_folder() / SIM)
    return int(stand_in("tapmat.play")(config, state, game))


def stand_in(group: str) -> Callable[..., Any]:
    """Return the function that ``sim`` offers in the entry-point *group*, such as ``tapmat.play``.

    Raises:
        MissingPart: ``sim`` is not installed.
    """
    for entry in entry_points(group=group, name=SIM):
        offered: Callable[..., Any] = entry.load()
        return offered
    raise MissingPart(
        "--sim", "the emulated table is not installed", "Install the whole of tapmat: make setup"
    )
