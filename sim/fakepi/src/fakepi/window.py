"""A page in the browser that shows displays, pins and fields, lays tags and presses buttons.

May import: the standard library and fakepi.
"""

import json
import threading
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from fakepi.circuit import CannotDoThat, Circuit

PAGE = Path(__file__).with_name("window.html")
HOST = "127.0.0.1"
LONGEST = 1000  # bytes of an act


class BrowserWindow:
    """A web server for *circuit* on *port* of this computer. Port 0 chooses a free port.

    *lock* is held while the circuit is read or changed. ``url`` is the address.

    Raises:
        OSError: another program uses the port.
    """

    def __init__(self, circuit: Circuit, lock: AbstractContextManager[object], port: int) -> None:
        self._server = WindowServer(circuit, lock, port)
        self.url = f"http://{self._server.host}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Close the window and its port."""
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> "BrowserWindow":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


class WindowServer(ThreadingHTTPServer):
    """The web server of a `BrowserWindow`; ``host`` is its address and port."""

    daemon_threads = True

    def __init__(self, circuit: Circuit, lock: AbstractContextManager[object], port: int) -> None:
        self.circuit, self.lock = circuit, lock
        super().__init__((HOST, port), _PageRequest)
        self.host = f"{HOST}:{self.server_port}"

    def state(self) -> dict[str, Any]:
        """Return the data that the page shows. Each row of a display is a string of 0 and 1."""
        circuit = self.circuit
        with self.lock:
            return {
                "readers": [
                    {"name": name, "is_on": field.is_on, "tags": circuit.tags(name)}
                    for name, field in circuit.fields.items()
                ],
                "displays": [
                    {"name": name, "rows": ["".join(map(str, row)) for row in chip.visible()]}
                    for name, chip in circuit.displays.items()
                ],
                "strips": [
                    {"name": name, "colours": strip.colours}
                    for name, strip in circuit.strips.items()
                ],
                "buttons": list(circuit.buttons),
                "encoders": list(circuit.encoders),
                "pins": [
                    {"number": pin.number, "level": round(pin.state, 2)}
                    for pin in circuit.pins.pins
                    if pin.owner is not None
                ],
            }

    def act(self, act: dict[str, Any]) -> None:
        """Carry out the page's request *act*. Raises CannotDoThat, KeyError and TypeError."""
        with self.lock:
            match act["act"]:
                case "lay":
                    self.circuit.lay(act["uid"], act["reader"])
                case "lift":
                    self.circuit.lift(act["uid"], act["reader"])
                case "press":
                    self.circuit.press(act["button"], act["is_down"])
                case "turn":
                    self.circuit.turn(act["encoder"], 1 if act["is_clockwise"] else -1)
                case other:
                    problem = f'There is no action "{other}".'
                    raise CannotDoThat(f"{problem} Use lay, lift, press or turn.")


class _PageRequest(BaseHTTPRequestHandler):
    """A handler of one request. It refuses other sites' pages, whose scripts could lay tags."""

    server: WindowServer

    def do_GET(self) -> None:
        """Send the page or the state."""
        if self._is_foreign():
            return
        if self.path == "/":
            self._send(200, PAGE.read_bytes(), "text/html; charset=utf-8")
        elif self.path == "/state":
            self._send(200, json.dumps(self.server.state()).encode(), "application/json")
        else:
            self._send(404, b"Not found")

    def do_POST(self) -> None:
        """Carry out the action that the request's body describes in JSON."""
        if self._is_foreign():
            return
        if self.headers.get("Content-Type") != "application/json":
            self._send(415, b"Send application/json")
            return
        try:
            size = min(int(self.headers.get("Content-Length", 0)), LONGEST)
            self.server.act(json.loads(self.rfile.read(size)))
        except CannotDoThat as wrong:
            self._send(400, str(wrong).encode())
        except (KeyError, TypeError, ValueError) as wrong:
            self._send(400, f"This is not an act: {wrong!r}".encode())
        else:
            self._send(204, b"")

    def _is_foreign(self) -> bool:
        if self.headers.get("Host") == self.server.host:
            return False
        self._send(403, b"Use the address that fakepi run prints")
        return True

    def _send(self, status: int, body: bytes, kind: str = "text/plain; charset=utf-8") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Log nothing: the terminal is the program's."""
