"""Starting on a full disk: the table shows the problem, and waits until there is room.

An ordinary start needs no room, but the first start, an update of a file's format and the repair of
a damaged file do. Meanwhile no game is open, so no play can be lost.
"""

import logging
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from typing import TypeVar

from firmware.common.errors import Cause, StoreError
from firmware.config.table_config import TableConfig
from firmware.runtime.safe_mode import show_failure
from firmware.runtime.systemd import SystemdNotifier
from hardware.ports import Board

log = logging.getLogger(__name__)

CODES = {Cause.NO_ROOM: "no-room", Cause.NO_FILES: "no-files"}  # of the texts
TURN_S = 0.5
GROWN = 64 * 1024  # bytes of new room after which another attempt is worth it
RETRY_S = 600.0  # longest time between two attempts, each of which may write to the card

T = TypeVar("T")


def open_with_room(
    open_table: Callable[[], T],
    folder: Path,
    config: TableConfig,
    board: Board,
    notifier: SystemdNotifier,
) -> T | None:
    """Return the result of *open_table*, a function that opens the table.

    If a disk is too full for that, show it on the display, and try again when there is more room.
    *folder* is the state folder, and *notifier* reports to systemd during the wait. Return None if
    SIGTERM ends the wait.

    Raises:
        StoreError: *open_table* raised it, for another reason.
    """
    stopped, shown = Event(), None
    while not stopped.is_set():
        try:
            if shown is None:
                return open_table()
            with notifier.waiting_for_disk():
                return open_table()
        except StoreError as error:
            if error.cause not in CODES:
                raise
            log.warning("%s", error)
            if error.cause is not shown:
                shown = error.cause
                show_failure(config, board, CODES[shown])
        before = signal.signal(signal.SIGTERM, lambda *_: stopped.set())
        _wait_for_room((folder, Path(tempfile.gettempdir())), board, notifier, stopped)
        signal.signal(signal.SIGTERM, before)
    return None


def _wait_for_room(
    folders: Sequence[Path], board: Board, notifier: SystemdNotifier, stopped: Event
) -> None:
    """Wait up to ``RETRY_S`` until a disk that holds one of *folders* has more room than now.

    Also return if *stopped* is set. Meanwhile, *notifier* reports to systemd that the table is
    alive.
    """
    before = [_free(folder) for folder in folders]
    until_s = board.clock.now() + RETRY_S
    while not stopped.wait(TURN_S) and board.clock.now() < until_s:
        notifier.notify_alive(board.clock.now())
        for (room, inodes), folder in zip(before, folders, strict=True):
            now = _free(folder)
            if now[0] >= room + GROWN or now[1] > inodes:
                return


def _free(folder: Path) -> tuple[int, int]:
    """Return the free bytes and the free inodes of the disk that holds *folder*."""
    if hasattr(os, "statvfs"):
        disk = os.statvfs(folder)
        return disk.f_bavail * disk.f_frsize, disk.f_favail
    return shutil.disk_usage(folder).free, 0
