"""The local socket: gives the outlet to other programs on this computer, such as the companion.

A separate thread serves a Unix socket. A program that connects gets the public state, and then the
lines of ``firmware.outlet.stream``. The thread reads only the outlet, whose values never change,
and writes only to the inbox. So no program can delay the table. A program that reads too slowly,
never reads or sends invalid lines is disconnected.

While nobody is connected, the thread sleeps in the kernel.
"""

import json
import logging
import os
import selectors
import socket
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from firmware.common.allowance import Allowance
from firmware.outlet.private import HostState, PlayerState
from firmware.outlet.queue import Outlet
from firmware.outlet.stream import (
    LONGEST_LINE,
    BadRequest,
    BoxRequest,
    HallOffer,
    ResultsRequest,
    Stream,
    Wanted,
    answer_line,
    box_line,
    private_line,
    read_request,
    results_line,
)
from firmware.runtime.inbox import Inbox
from firmware.show.qr import qr_rows
from firmware.show.view import JoinAddress

OWNER_ONLY, WITH_GROUP = 0o600, 0o660
POLL_S = 0.02  # between two looks into the outlet while somebody is connected
MOST_CLIENTS = 32
MOST_UNSENT = 256 * 1024  # bytes; a client with more to read is disconnected
REQUESTS_A_SECOND, SAVED_UP = 20.0, 60.0  # that one client may send
LONGEST_PATH = 100  # bytes; the kernel allows about 108

FindBox = Callable[[str, str], dict[str, Any] | None]  # the box of a game in a language
FindResults = Callable[[str], bytes]  # returns the newest results in a language as JSON; may wait

log = logging.getLogger(__name__)


@dataclass(eq=False)
class LocalClient:
    """One connected program.

    *unsent* are the bytes to send, *partial* the bytes of an incomplete line, and *allowance*
    limits the rate of its requests.
    """

    connection: socket.socket
    unsent: bytearray = field(default_factory=bytearray)
    partial: bytearray = field(default_factory=bytearray)
    answers: deque[bytes] = field(default_factory=deque)  # filled by other threads
    wanted: frozenset[str | None] = frozenset()  # the players whose private states it gets
    sent: dict[str | None, PlayerState | HostState] = field(default_factory=dict)
    allowance: Allowance = field(default_factory=lambda: Allowance(REQUESTS_A_SECOND, SAVED_UP))

    def answer(self, number: int, is_yes: bool, text: str = "") -> None:
        """Queue the answer to the client's question or act *number*; see ``answer_line``."""
        self.answers.append(answer_line(number, is_yes=is_yes, text=text))

    def private_lines(self, states: Mapping[str | None, PlayerState | HostState]) -> bytes:
        """Return a line for each of *states* that the client wants and has not been sent yet.

        *states* are the private states by player; None stands for the host.
        """
        lines = []
        for player in self.wanted | self.sent.keys():
            new = states.get(player) if player in self.wanted else None
            if new is None and player in self.sent:
                del self.sent[player]
            elif new is None or self.sent.get(player) == new:
                continue
            else:
                self.sent[player] = new
            lines.append(private_line(player, new))
        return b"".join(lines)


class LocalSocket:
    """The server of the Unix socket at *path*, in a thread, from ``open`` until ``close``.

    *find_results* waits for another process, so it runs in another thread, one at a time.
    *find_box* returns the box of a game in a language (``firmware.outlet.box``), or None.
    """

    def __init__(
        self,
        path: Path,
        outlet: Outlet,
        inbox: Inbox,
        mode: int = OWNER_ONLY,
        find_results: FindResults | None = None,
        find_box: FindBox = lambda _game, _language: None,
    ) -> None:
        self._path, self._mode = path, mode
        self._find_results, self._finding = find_results, threading.Lock()
        self._find_box = find_box
        self._outlet, self._inbox = outlet, inbox
        self._stream = Stream(outlet)
        self._clients: set[LocalClient] = set()
        self._selector = selectors.DefaultSelector()
        self._wake, self._woken = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name="local socket", daemon=True)
        self._is_stopping = False
        self._offering: LocalClient | None = None  # whose address is in the inbox
        self._halls: set[LocalClient] = set()  # those that are connected to a hall
        self._listening: socket.socket | None = None

    def open(self) -> Self:
        """Listen and start the thread.

        If that fails, only log why, because the table works without a socket. Only this table has
        the state folder locked, so a socket that is already there was left by a table that has
        ended. It is replaced.
        """
        try:
            self._listening = self._listen()
        except OSError as fault:
            log.warning("There is no companion: %s: %s", self._path, fault.strerror or fault)
            return self
        self._woken.setblocking(False)
        self._selector.register(self._listening, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._thread.start()
        return self

    def close(self) -> None:
        """Disconnect everybody, end the thread and remove the socket. Safe to call twice."""
        if self._is_stopping:
            return
        self._is_stopping = True
        if self._listening is not None:
            self._wake.send(b"\0")
            self._thread.join()
            self._listening.close()
            with suppress(OSError):
                self._path.unlink()
        self._selector.close()
        self._wake.close()
        self._woken.close()

    def _listen(self) -> socket.socket:
        if not hasattr(socket, "AF_UNIX"):
            raise OSError("this system has no Unix sockets in Python")
        if len(os.fsencode(self._path)) > LONGEST_PATH:
            raise OSError(f"the path is longer than {LONGEST_PATH} bytes")
        with suppress(FileNotFoundError):
            self._path.unlink()
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            before = os.umask(0o177)  # nobody else may connect, not even before chmod
            try:
                listening.bind(os.fspath(self._path))
            finally:
                os.umask(before)
            self._path.chmod(self._mode)
            listening.listen()
            listening.setblocking(False)
        except OSError:
            listening.close()
            raise
        return listening

    # --- the thread ---

    def _run(self) -> None:
        try:
            while not self._is_stopping:
                ready = self._selector.select(POLL_S if self._clients else None)
                for key, _ in ready:
                    self._serve(key)
                if self._clients:
                    self._send_news()
        except Exception:  # the table plays on
            log.exception("The companion's socket has failed.")
        finally:
            for client in list(self._clients):
                self._drop(client)

    def _serve(self, key: selectors.SelectorKey) -> None:
        if isinstance(key.data, LocalClient):
            self._read(key.data)
        elif key.fileobj is self._listening:
            self._accept()
        else:
            with suppress(BlockingIOError):
                self._woken.recv(64)

    def _accept(self) -> None:
        assert self._listening is not None, "the thread runs only while it listens"
        try:
            connection, _ = self._listening.accept()
        except OSError:  # it has left already, or too many files are open
            return
        if len(self._clients) >= MOST_CLIENTS:
            connection.close()
            return
        connection.setblocking(False)
        if not self._clients:
            self._stream = Stream(self._outlet)  # nobody has missed what happened before
        client = LocalClient(connection)
        self._clients.add(client)
        self._selector.register(connection, selectors.EVENT_READ, client)
        client.unsent += self._stream.state_line

    def _send_news(self) -> None:
        lines = self._stream.new_lines()
        private = {} if self._outlet.state is None else self._outlet.private
        for client in list(self._clients):
            client.unsent += lines
            client.unsent += client.private_lines(private)
            while client.answers:
                client.unsent += client.answers.popleft()
            self._write(client)

    def _write(self, client: LocalClient) -> None:
        if not client.unsent:
            return
        try:
            del client.unsent[: client.connection.send(client.unsent)]
        except BlockingIOError:
            pass
        except OSError:
            self._drop(client)
            return
        if len(client.unsent) > MOST_UNSENT:
            log.info("A program at the companion's socket reads too slowly.")
            self._drop(client)

    def _read(self, client: LocalClient) -> None:
        try:
            got = client.connection.recv(4096)
        except BlockingIOError:
            return
        except OSError:
            got = b""
        client.partial += got
        *lines, rest = client.partial.split(b"\n")
        client.partial = bytearray(rest)
        is_fine = bool(got) and len(rest) <= LONGEST_LINE
        if not (is_fine and all(self._take(client, bytes(line)) for line in lines)):
            self._drop(client)

    def _take(self, client: LocalClient, line: bytes) -> bool:
        """Handle the request in *line*; return False if the client must be disconnected."""
        try:
            request = read_request(line)
        except BadRequest as bad:
            log.info("A program at the companion's socket sent an invalid line. %s", bad)
            return False
        if not client.allowance.take():
            return False
        if isinstance(request, JoinAddress):
            self._offer(client, request)
            return True
        if isinstance(request, HallOffer):
            self._halls.add(client)
            self._inbox.has_hall = True
            return True
        if isinstance(request, Wanted):
            client.wanted = request.players
            self._update_wanted()
            return True
        if isinstance(request, ResultsRequest):
            self._begin_to_find(request.number, client)
            return True
        if isinstance(request, BoxRequest):
            self._tell_box(request, client)
            return True
        self._inbox.put(request, client.answer)
        return True

    def _tell_box(self, request: BoxRequest, client: LocalClient) -> None:
        state = self._outlet.state
        box = None if state is None else self._find_box(request.game, state.language)
        if box is None:
            client.answer(request.number, is_yes=False)
        else:
            client.answers.append(box_line(request.number, box))

    def _begin_to_find(self, number: int, client: LocalClient) -> None:
        state = self._outlet.state
        if self._find_results is None or state is None or not self._finding.acquire(blocking=False):
            client.answer(number, is_yes=False)
            return
        others = self._find_results, state.language, number, client
        threading.Thread(target=self._find, args=others, name="results", daemon=True).start()

    def _find(self, find: FindResults, language: str, number: int, client: LocalClient) -> None:
        try:
            client.answers.append(results_line(number, json.loads(find(language))))
        except (OSError, ValueError, subprocess.SubprocessError) as fault:
            log.warning("The results cannot be read: %s", fault)
            client.answer(number, is_yes=False)
        finally:
            self._finding.release()

    def _offer(self, client: LocalClient, address: JoinAddress) -> None:
        """Put *address* into the inbox. It stays valid while *client* is connected.

        The QR code is computed here, because that would delay the loop.
        """
        if address.url:
            qr_rows(address.url)
        self._inbox.address, self._offering = address, client

    def _update_wanted(self) -> None:
        self._outlet.wanted = frozenset().union(*(client.wanted for client in self._clients))

    def _drop(self, client: LocalClient) -> None:
        if client in self._clients:
            self._clients.discard(client)
            if client is self._offering:
                self._inbox.address = self._offering = None
            self._halls.discard(client)
            self._inbox.has_hall = bool(self._halls)
            self._selector.unregister(client.connection)
            client.connection.close()
            self._update_wanted()
