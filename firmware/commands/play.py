"""``tapmat play`` and ``tapmat safe``: run the table, or show on its display that it failed."""

import logging
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from threading import Event

from firmware.archive.automatic import COPIES
from firmware.archive.copier import Copier
from firmware.archive.pruning import prune_if_too_large
from firmware.archive.recent import find_recent
from firmware.commands.beside import is_service, programs_beside, programs_of, socket_path
from firmware.commands.options import EXIT_OK
from firmware.config.table_config import TableConfig
from firmware.journal.journal import utc_now
from firmware.journal.state_folder import state_folder
from firmware.runtime.controller import Controller, box_of, decks_of
from firmware.runtime.display_wiring import open_computer
from firmware.runtime.full_disk import open_with_room
from firmware.runtime.local_socket import OWNER_ONLY, WITH_GROUP, LocalSocket
from firmware.runtime.safe_mode import examine, failure_in, show_safe_mode
from firmware.runtime.systemd import SystemdNotifier

log = logging.getLogger(__name__)


def run_table(config: TableConfig, state: Path | None) -> int:
    """Run the table on this computer's own parts until it is stopped.

    If it cannot start because a disk is full, it waits until there is room.

    Raises:
        MissingPart: this computer lacks a part.
        TapmatError: the configuration or the state folder cannot be used.
    """
    notifier = SystemdNotifier.from_environment(os.environ)
    folder = state_folder(state)
    prune_if_too_large(folder, utc_now())
    with closing(open_computer()) as board:
        open_table = partial(Controller.open, config, state, board)
        controller = open_with_room(open_table, folder, config, board, notifier)
        if controller is None:
            return EXIT_OK
        with controller:
            signal.signal(signal.SIGTERM, lambda *_: controller.loop.stop())
            controller.loop.on_pass = notifier.notify_alive
            controller.wait_in(notifier.waiting_for_disk)
            copies = config.copies or folder / COPIES
            with ExitStack() as others:
                copier = Copier(folder, copies, controller.journal.open_game)
                others.enter_context(closing(copier))
                if programs_of(config, folder):
                    others.enter_context(_programs(config, folder, controller))
                controller.loop.poll_background = copier.tend
                controller.loop.run()
            notifier.notify_stopping()
    return EXIT_OK


@contextmanager
def _programs(config: TableConfig, folder: Path, controller: Controller) -> Iterator[None]:
    """Run a block with the local socket, and the programs at it unless systemd runs them."""
    is_unit = is_service(os.environ)
    path, mode = socket_path(os.environ, folder), WITH_GROUP if is_unit else OWNER_ONLY
    loop = controller.loop
    find, box = partial(find_recent, folder), partial(box_of, decks_of(config))
    with closing(LocalSocket(path, loop.outlet, loop.inbox, mode, find, box).open()):
        if is_unit:
            yield
            return
        with programs_beside(config, folder):
            yield


def run_safe_mode(table: Path | None) -> int:
    """Show that the table did not start and what to do, while the doctor checks the table.

    The message is on the display of *table*, or of the default table if *table* is unreadable. The
    doctor switches the display off when it ends, so the message is shown again.

    Raises:
        MissingPart: this computer has no such display.
    """
    stopped = Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    if failure := failure_in(os.environ):
        log.warning("%s", failure)
    with closing(open_computer()) as board:
        show_safe_mode(table, board)
        examine(table, stopped)
        show_safe_mode(table, board, is_said=False)
        stopped.wait()
    return EXIT_OK
