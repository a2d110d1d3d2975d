"""The hall's process: a worker that stores, and the board with its web server."""

import asyncio
import os
import secrets
import socket
import time
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

from aiohttp import web

from firmware.boxes.games import games
from firmware.common.together import run_together
from firmware.hall.board import HallBoard
from firmware.hall.board_server import BoardServer
from firmware.hall.credentials import claim, forget_old_codes, table_names
from firmware.hall.desk import Desk
from firmware.hall.desk_link import DeskLink
from firmware.hall.settings import HallSettings
from firmware.hall.sqlite_store import SqliteStore
from firmware.hall.store import HallStore
from firmware.hall.table_fold import ShownGame
from firmware.hall.tournament_file import TournamentFile
from firmware.hall.worker import HallWorker
from firmware.runtime.controller import words_for
from firmware.web.serving import IDLE_S, SHUTDOWN_S

TIDY_S = 60.0  # between two looks for old codes
LOOK_S = 2.0  # between two looks for new and revoked tables


def store_of(address: str) -> HallStore:
    """Open the store at *address*, the path of a file or a PostgreSQL address.

    Raises:
        HallStoreError: it cannot be opened.
    """
    if address.startswith("postgresql://"):
        from firmware.hall.postgres_store import PostgresStore

        return PostgresStore(address)
    return SqliteStore(Path(address))


def run_hall(
    settings: HallSettings, sockets: list[socket.socket], *, has_worker: bool, group: str = ""
) -> None:
    """Run until SIGTERM or Ctrl-C: the board at *sockets*, if there are any, and a worker."""
    with suppress(KeyboardInterrupt, web.GracefulExit):
        asyncio.run(_run(settings, sockets, has_worker=has_worker, group=group))


async def _run(
    settings: HallSettings, sockets: list[socket.socket], *, has_worker: bool, group: str
) -> None:
    store = store_of(settings.store)
    name = f"{os.getpid()}-{secrets.token_hex(4)}"  # several may run on one broker
    try:
        acts: list[Coroutine[Any, Any, None]] = []
        if has_worker:
            acts.append(HallWorker(settings.broker, store, f"worker-{name}", group).run())
        if sockets:
            acts.append(_show(settings, store, sockets, f"desk-{name}"))
        await run_together(*acts)
    finally:
        await store.close()


async def _show(
    settings: HallSettings, store: HallStore, sockets: list[socket.socket], name: str
) -> None:
    def send(tables: list[Any]) -> None:
        server.send("tables", tables)

    def take_result(table: str, game: ShownGame) -> None:
        desk.take_result(table, game)

    board = HallBoard(store, games(), words_for(settings.language), send, take_result)
    link = DeskLink(settings.broker, name, board.set_status)
    desk = Desk(
        TournamentFile(settings.folder),
        settings.language,
        board.last_games,
        link.show,
        lambda shape: server.send("tournament", shape),
    )
    server = BoardServer(
        board.tables,
        lambda: desk.shape,
        lambda code: claim(settings.folder, code),
        settings.language,
    )
    runner = web.AppRunner(
        server.app, access_log=None, keepalive_timeout=IDLE_S, shutdown_timeout=SHUTDOWN_S
    )
    await runner.setup()
    try:
        for each in sockets:
            await web.SockSite(runner, each).start()
        follow = _follow_names(settings.folder, board, server)
        await run_together(board.run(), link.run(), desk.run(), follow, _tidy(settings.folder))
    finally:
        await runner.cleanup()


async def _follow_names(folder: Path, board: HallBoard, server: BoardServer) -> None:
    """Show the tables that have a credential."""
    while True:
        if board.set_names(table_names(folder)):
            server.send("all", board.tables())
        await asyncio.sleep(LOOK_S)


async def _tidy(folder: Path) -> None:
    while True:
        forget_old_codes(folder, time.time())
        await asyncio.sleep(TIDY_S)
