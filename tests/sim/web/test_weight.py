"""The weight of the page: the bytes that the server sends until a table is shown, on the wire."""

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread

import pytest
from playwright.sync_api import expect

from firmware.companion.page import STATIC as COMPANION_STATIC
from sim.deal import requests
from sim.robots.games import OURS
from sim.web.server import STATIC
from tests.effort import long_unless
from tests.sim.web.browser import PHONE, Opener, Site, watched
from tests.sim.web.test_play import PlayPage, begin

pytestmark = pytest.mark.browser

MOST_BYTES = 100_000  # of files and messages as they are sent, compressed, without the headers
END = b"\r\n\r\n"  # of the headers
PART = 65_536
LONGEST = "hu"  # the language with the longest texts
PATIENCE_S = 30.0


class Wire:
    """A relay between a browser and a site that counts the bytes sent to the browser.

    The headers of an answer are not counted.
    """

    def __init__(self, site: Site) -> None:
        self.site = site
        self.sent = 0
        self.paths: list[str] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listening.getsockname()[1]}/"

    def serve(self) -> None:
        """Accept connections until the relay is closed."""
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = socket.create_connection(("127.0.0.1", self.site.port))
                for way in ((near, far, False), (far, near, True)):
                    Thread(target=self._relay, args=way, daemon=True).start()

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _relay(self, start: socket.socket, end: socket.socket, counts: bool) -> None:
        with suppress(OSError), start, end:
            while part := start.recv(PART):
                if counts:
                    head = part.partition(END)[0] if part.startswith(b"HTTP/1.1 ") else b""
                    self.sent += len(part) - len(head)
                elif part.startswith(b"GET "):
                    self.paths.append(part.split()[1].decode())
                end.sendall(part)


@contextmanager
def wire_to(site: Site) -> Iterator[Wire]:
    """Yield a relay to *site*."""
    wire = Wire(site)
    thread = Thread(target=wire.serve, daemon=True)
    thread.start()
    try:
        yield wire
    finally:
        wire.close()
        thread.join()


@pytest.mark.sample
@pytest.mark.parametrize("game", long_unless(lambda game: game == "straw", OURS))
def test_the_page_is_light_until_it_shows_a_table(open_page: Opener, game: str) -> None:
    begin(open_page.site, game)
    open_page.site.live.do(requests.ChooseLanguage(LONGEST)).result(PATIENCE_S)
    with wire_to(open_page.site) as wire:
        page = open_page.browser.new_page(viewport=PHONE, reduced_motion="reduce")
        wrong = watched(page.context, wire.address)
        play = PlayPage(page, wire.address)
        expect(play.hint).not_to_be_empty()
        expect(page.locator("#hands > *").first).to_be_visible()
        page.wait_for_load_state("networkidle")
        page.context.close()
    assert wrong == []
    assert wire.sent < MOST_BYTES


def test_no_string_of_a_script_has_several_lines() -> None:
    """The server leaves out the spaces at the beginning of lines."""
    scripts = [*STATIC.rglob("*.js"), *COMPANION_STATIC.rglob("*.js")]
    assert scripts
    several = [
        f"{file.name}: {found[0]}"
        for file in scripts
        for found in re.finditer(r"`[^`]*`", file.read_text(encoding="utf-8"))
        if "\n" in found[0]
    ]
    assert several == []


def test_a_style_sheet_is_sent_without_comments(open_page: Opener) -> None:
    page = open_page.blank().page
    answer = page.request.get(f"{open_page.site.address}static/hands.css")
    assert answer.headers["content-type"].startswith("text/css")
    assert "/*" in (STATIC / "hands.css").read_text()
    assert not [line for line in answer.text().split("\n") if line.strip().startswith("/*")]


def test_a_script_is_sent_without_comments_on_the_same_lines(open_page: Opener) -> None:
    page = open_page.blank().page
    address = f"{open_page.site.address}static/dom.js"
    answer = page.request.get(address)
    sent, written = answer.text().split("\n"), (STATIC / "dom.js").read_text().split("\n")
    assert len(sent) == len(written)
    for line, was in zip(sent, map(str.lstrip, written), strict=True):
        assert not line or was == line or was.removeprefix(line).lstrip().startswith("// ")
    assert "@param" not in answer.text()
    again = page.request.get(address, headers={"If-None-Match": answer.headers["etag"]})
    assert again.status == 304
    assert page.request.get(f"{open_page.site.address}static/none.js").status == 404
