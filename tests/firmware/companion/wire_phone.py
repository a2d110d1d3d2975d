"""A phone written from docs/companion.md with PyNaCl alone, and a recorder of the wire.

It uses none of the companion's own code, so that both must keep to the same form of messages.
"""

import http.client
import json
import socket
import threading
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Self

from nacl.public import Box, PrivateKey, PublicKey

PATIENCE_S = 60.0
PAD = 512


def until(happened: Callable[[], object]) -> None:
    """Wait in real time; raise an error if it never happens."""
    end_s = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < end_s, "it never happens"
        time.sleep(0.01)


class WirePhone:
    """A phone at the companion on *port*, with a thread that reads its stream."""

    def __init__(
        self,
        port: int,
        cookie: str = "",
        own: PrivateKey | None = None,
        address: str = "127.0.0.1",
    ) -> None:
        self.port, self.cookie, self.address = port, cookie, address
        self.own = own or PrivateKey.generate()
        self.box: Box | None = None
        self.session = ""
        self.sent = 0
        self.news: dict[str, Any] = {}  # the newest value of each kind
        self.numbers: list[int] = []
        self.lengths: set[int] = set()
        self.raw: list[bytes] = []  # the bodies of this phone's requests
        self.status = 0
        self._stream: http.client.HTTPConnection | None = None
        self._thread: threading.Thread | None = None

    @property
    def key(self) -> str:
        return b64encode(bytes(self.own.public_key)).decode()

    @property
    def headers(self) -> dict[str, str]:
        origin = f"http://{self.address}:{self.port}"
        return {"Origin": origin} | ({"Cookie": self.cookie} if self.cookie else {})

    def open(self) -> Self:
        self.session = ""
        self._stream = http.client.HTTPConnection(self.address, self.port, timeout=PATIENCE_S)
        key = self.key.replace("+", "%2B").replace("/", "%2F")
        self._stream.request("GET", f"/events?key={key}", headers=self.headers)
        answer = self._stream.getresponse()
        self.status = answer.status
        if answer.status == 200:
            self._thread = threading.Thread(target=self._read, args=(answer,), daemon=True)
            self._thread.start()
            until(lambda: "mine" in self.news and self.session)
        return self

    def close(self) -> None:
        if self._stream is None:
            return
        if self._stream.sock is not None:
            with suppress(OSError):
                self._stream.sock.shutdown(socket.SHUT_RDWR)
        if self._thread is not None:
            self._thread.join(PATIENCE_S)
        self._stream.close()
        self._stream = None

    def _read(self, answer: http.client.HTTPResponse) -> None:
        kind = ""
        with answer, suppress(OSError, http.client.HTTPException):
            for line in answer:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name == "event":
                    kind = value
                elif name == "data":
                    self._take(kind, json.loads(value))

    def _take(self, kind: str, value: Any) -> None:
        if kind == "key":
            self.box, self.session, self.numbers = (
                Box(self.own, PublicKey(b64decode(value))),
                "",
                [],
            )
        elif kind == "sealed":
            assert self.box is not None, "the key comes first"
            self.lengths.add(len(value))
            message = json.loads(self.box.decrypt(b64decode(value)))
            assert message["session"] == (self.session or message["session"])
            self.numbers.append(message["down"])
            self.news[message["kind"]] = message["value"]
            self.session = message["session"]
        else:
            self.news[kind] = value

    @property
    def mine(self) -> Any:
        return self.news.get("mine")

    def seal(self, message: Any) -> str:
        assert self.box is not None, "the stream is open"
        text = json.dumps(message).encode()
        return b64encode(self.box.encrypt(text.ljust(-(-len(text) // PAD) * PAD))).decode()

    def send(self, **request: Any) -> Any:
        """Send a request; return the reply, or the status if it has none."""
        self.sent += 1
        return self.send_again({**request, "session": self.session, "up": self.sent})

    def send_again(self, message: Any) -> Any:
        self.raw.append(json.dumps({"key": self.key, "sealed": self.seal(message)}).encode())
        status, reply = self.post(self.raw[-1])
        if status != 200:
            return status
        assert self.box is not None
        opened = json.loads(self.box.decrypt(b64decode(json.loads(reply)["sealed"])))
        assert (opened["reply"], opened["session"]) == (message["up"], self.session)
        return opened["value"]

    def post(self, body: bytes, path: str = "/act") -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(self.address, self.port, timeout=PATIENCE_S)
        headers = {**self.headers, "Content-Type": "application/json"}
        connection.request("POST", path, body, headers)
        with closing(connection):
            answer = connection.getresponse()
            return answer.status, answer.read()

    def cookie_of(self, body: bytes) -> str:
        """Return the cookie that the companion gives a page that joins with *body*."""
        with closing(http.client.HTTPConnection(self.address, self.port, timeout=PATIENCE_S)) as to:
            to.request("POST", "/join", body, {**self.headers, "Content-Type": "application/json"})
            answer = to.getresponse()
            assert answer.status == 200, answer.read()
            return (answer.getheader("Set-Cookie") or "").partition(";")[0]

    def act(self, act: Any, moment: int | None = None) -> Any:
        if moment is None:
            moment = (self.mine or self.news["host"])["moment"]
        return self.send(do="act", act=act, moment=moment)

    def texts(self) -> list[str]:
        """Return the words on the buttons of this phone."""
        return [text for _, text in (self.mine or {"answers": []})["answers"]]

    def press(self, text: str) -> Any:
        """Press the button with *text*."""
        return self.act(next(given for given, words in self.mine["answers"] if words == text))


@dataclass
class Recorder:
    """Everything that crossed the wire, by a stranger who sees every byte."""

    port: int
    up: bytearray = field(default_factory=bytearray)
    down: bytearray = field(default_factory=bytearray)


@contextmanager
def recorded(port: int) -> Iterator[Recorder]:
    """Yield a recorder between phones and the companion on *port*."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        recorder = Recorder(listening.getsockname()[1])

        def copy(source: socket.socket, sink: socket.socket, into: bytearray) -> None:
            with suppress(OSError):
                while got := source.recv(65536):
                    into.extend(got)
                    sink.sendall(got)
            for end in (source, sink):
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

        def connect(phone: socket.socket) -> None:
            with phone, suppress(OSError), socket.create_connection(("127.0.0.1", port)) as far:
                ends.extend((phone, far))
                back = threading.Thread(target=copy, args=(far, phone, recorder.down))
                back.start()
                copy(phone, far, recorder.up)
                back.join()

        def serve() -> None:
            with suppress(OSError):
                while True:
                    threads.append(threading.Thread(target=connect, args=(listening.accept()[0],)))
                    threads[-1].start()

        ends = [listening]
        threads = [threading.Thread(target=serve)]
        threads[0].start()
        try:
            yield recorder
        finally:
            for end in ends:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
            for thread in threads:
                thread.join(PATIENCE_S)
