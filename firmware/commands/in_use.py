"""The check that no other tapmat uses the state folder, before any slow import."""

from pathlib import Path

from firmware.journal.journal import lock_folder
from firmware.journal.state_folder import state_folder

JOURNAL = "journal.sqlite"  # as in firmware.runtime.controller, which is slow to load


def refuse_if_in_use(folder: Path | None) -> None:
    """Raise an error if another tapmat is using the state folder *folder*.

    The folder is not locked afterwards: the table locks it when it opens.

    Raises:
        FolderInUse: another tapmat is using the folder.
        JournalError, StateFolderError: the folder cannot be used.
    """
    lock_folder(state_folder(folder) / JOURNAL).close()
