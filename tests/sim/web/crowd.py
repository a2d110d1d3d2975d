"""Measure a table with a crowd: twenty phones, two televisions, and a page that never reads.

``python -m tests.sim.web.crowd`` plays at an emulated mat with a real companion process and real
pages in a browser, and prints:

- the time from the opening of the address to the seat, if the people at the mat answer at once;
- the time from a tap to the last changed byte of the display, on the virtual clock, without and
  with the crowd: the last byte that changes for the whole act, not for the first picture. Both
  must be the same, but for the phase of the poll in which the tap falls;
- the real time of the same tap in the table's process, without and with the crowd;
- the real time from the last changed byte of the display to the change on the last phone;
- after each ``kill -9`` of the companion: the time until each page shows the next play, and
  the seats again. The journal must be the same as that of a table without a companion.

The pages and the table share one computer, so with two processors the pages wait for each other.
``--phones 4`` shows how much that is. It exits with 1 if a limit is not kept.
"""

import argparse
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from unittest.mock import patch

from playwright.sync_api import Browser, Page

from fakepi.ssd1306 import Ssd1306Chip
from sim.bench.meters import PixelWatch
from tests.sim.web.browser import browsing
from tests.sim.web.companion import Evening, evening, until
from tests.sim.web.test_companion import PHONE, TELEVISION, journal, opened
from tests.sim.web.test_companion_phones import sit, stepping

PLAYERS = 4
TELEVISIONS = 2
LATEST_P99_MS = 100.0
LATEST_SEAT_S = 10.0
PHASE_MS = 1.0
LONGEST_POLL_S = 0.02  # a tap falls anywhere into a poll of the readers
SETTLES_S = 0.3  # between two acts, as between two quick players
UNDISTURBED_S = 0.3  # before the pages are asked when they changed, which takes processor time too
# Record what the large number of the page is, and when it changed, in seconds since 1970.
RECORD = """() => {
  window.shown = [];
  const number = document.querySelector("#headline");
  new MutationObserver(() => window.shown.push(
    [number.textContent, (performance.timeOrigin + performance.now()) / 1000]
  )).observe(number, { childList: true, characterData: true, subtree: true });
}"""


class RealWatch(PixelWatch):
    """A `PixelWatch` that notes the real time of the last change too, in seconds since 1970."""

    changed_s = 0.0

    def write(self, data: bytes) -> None:
        """Pass *data* to the chip."""
        before = self.changed_ns
        super().write(data)
        if self.changed_ns != before:
            self.changed_s = time.time()


class Taps:
    """Taps of cards at the mat of *table*, each taken back, with the times that they took."""

    def __init__(self, table: Evening) -> None:
        self._table = table
        board = table.mat.board
        assert isinstance(board.display, Ssd1306Chip)
        self._watch = RealWatch(board.display, board.i2c_bus)
        self._count = 0
        self._chance = Random(1)
        self.virtual_ms: list[float] = []
        self.real_ms: list[float] = []

    def tap(self) -> tuple[str, float]:
        """Tap a card; return the total that is shown now, and when its last byte changed."""
        weight = self._count % 9 + 1
        self._count += 1
        clock = self._table.mat.board.clock
        self._table.mat.wait(self._chance.uniform(0, LONGEST_POLL_S))
        tapped_ns, begun_s = clock.now_ns, time.perf_counter()
        self._table.people.move("lay", [f"weight-{weight}"], "play", "straw")
        self.real_ms.append(1000 * (time.perf_counter() - begun_s))
        self.virtual_ms.append((self._watch.changed_ns - tapped_ns) / 1e6)
        shown_s = self._watch.changed_s
        headline = self._table.mat.view.headline
        assert headline == f"{weight}", f"the display shows {headline!r}"
        return headline, shown_s

    def take_back(self) -> None:
        """Lift the card and take the play back."""
        weight = (self._count - 1) % 9 + 1
        self._table.people.move("lift", [f"weight-{weight}"], "play", "straw")
        self._table.mat.press("back")
        self._table.mat.wait(0.1)
        assert self._table.mat.view.headline == "0", "the play was not taken back"


def is_seated(page: Page, name: str) -> bool:
    """Return True if *page* says that it is *name*'s phone."""
    return name in (page.locator("#you").text_content() or "")


@contextmanager
def that_never_reads(port: int) -> Iterator[None]:
    """Open the stream of the companion, and never read it."""
    with socket.create_connection(("127.0.0.1", port)) as dead:
        dead.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        dead.sendall(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        yield


def changes_s(pages: Sequence[Page], headline: str, since_s: float) -> list[float]:
    """Wait until all *pages* show *headline*; return when each began to, in seconds since 1970."""
    wait = """([text, since]) => new Promise((resolve) => {
      const look = () => {
        const found = window.shown.find(([shown, at]) => shown === text && at >= since);
        if (found) resolve(found[1]); else setTimeout(look, 5);
      };
      look();
    })"""
    return [float(page.evaluate(wait, [headline, since_s])) for page in pages]


def crowd(browser: Browser, table: Evening, phones: int) -> tuple[list[Page], list[Page], float]:
    """Open the pages; return the seats, the others, and the longest time to a seat in seconds."""
    names = list((table.state or {})["names"])
    seats: list[Page] = []
    others: list[Page] = []
    longest_s = 0.0
    for number in range(phones):
        begun_s = time.monotonic()
        page = opened(browser, table, PHONE, "phone")
        if number < len(names):
            sit(table, page, names[number])
            longest_s = max(longest_s, time.monotonic() - begun_s)
        (seats if number < len(names) else others).append(page)
    others += [opened(browser, table, TELEVISION) for _ in range(TELEVISIONS)]
    for page in (*seats, *others):
        stepping(table, partial(page.locator("#headline").text_content), page)
        page.evaluate(RECORD)
    return seats, others, longest_s


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest of *values* that is not below *share* of them."""
    return sorted(values)[max(0, min(len(values) - 1, round(share * len(values)) - 1))]


def kill(table: Evening, taps: Taps, seats: Sequence[Page], pages: Sequence[Page]) -> float:
    """Kill the companion, play, and return the seconds until all pages show the play."""
    begun_s = time.time()
    table.kill()
    headline, _ = taps.tap()
    shown_s = max(changes_s(pages, headline, begun_s))
    taps.take_back()
    names = list((table.state or {})["names"])
    assert all(is_seated(*each) for each in zip(seats, names, strict=False)), "a seat is lost"
    return shown_s - begun_s


def measure(phones: int, acts: int, kills: int) -> bool:
    """Measure and print; return True if every limit is kept."""
    with (
        tempfile.TemporaryDirectory() as folder,
        patch("firmware.commands.beside.LONGEST_AGAIN_S", 0.1),
        browsing() as browser,
        ExitStack() as stack,
    ):
        alone = stack.enter_context(evening(Path(folder) / "alone"))
        alone.child.close()
        alone.people.begin("straw", PLAYERS)
        quiet = Taps(alone)
        for _ in range(acts + kills):
            quiet.tap()
            quiet.take_back()
        table = stack.enter_context(evening(Path(folder) / "crowd"))
        until(lambda: table.state)
        table.people.begin("straw", PLAYERS)
        table.until_shown("0")
        seats, others, seat_s = crowd(browser, table, phones)
        stack.enter_context(that_never_reads(table.port))
        pages, taps, late_ms = [*seats, *others], Taps(table), []
        begun_s = time.time()
        for _ in range(acts):
            time.sleep(SETTLES_S)
            headline, shown_s = taps.tap()
            time.sleep(UNDISTURBED_S)
            late_ms.append(1000 * (max(changes_s(pages, headline, begun_s)) - shown_s))
            taps.take_back()
            changes_s(pages, "0", shown_s)
            begun_s = time.time()
        back_s = [kill(table, taps, seats, pages) for _ in range(kills)]
        same_journal = journal(table.folder) == journal(alone.folder)
    p99_ms = percentile(late_ms, 0.99)
    figures = {
        "from the address to the seat, s at most": seat_s,
        "tap to last pixel, alone, virtual ms median": statistics.median(quiet.virtual_ms),
        "tap to last pixel, crowd, virtual ms median": statistics.median(taps.virtual_ms),
        "tap to last pixel, alone, virtual ms at most": max(quiet.virtual_ms),
        "tap to last pixel, crowd, virtual ms at most": max(taps.virtual_ms),
        "a tap in the table's process, alone, real ms": statistics.median(quiet.real_ms),
        "a tap in the table's process, crowd, real ms": statistics.median(taps.real_ms),
        "last pixel to last phone, ms median": statistics.median(late_ms),
        "last pixel to last phone, ms 99th percentile": p99_ms,
        "killed companion to the last page, s at most": max(back_s, default=0.0),
    }
    for name, figure in figures.items():
        print(f"{name:46} {figure:8.1f}")
    print(f"{phones} phones, {TELEVISIONS} televisions, {acts} acts, {kills} kills")
    print("The journal is the same." if same_journal else "The journal DIFFERS.")
    is_quick = all(
        abs(of(taps.virtual_ms) - of(quiet.virtual_ms)) <= PHASE_MS
        for of in (statistics.median, max)
    )
    return same_journal and is_quick and p99_ms <= LATEST_P99_MS and seat_s <= LATEST_SEAT_S


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure a table with a crowd of phones.")
    parser.add_argument("--phones", type=int, default=20)
    parser.add_argument("--acts", type=int, default=200)
    parser.add_argument("--kills", type=int, default=0)
    asked = parser.parse_args(arguments)
    return 0 if measure(asked.phones, asked.acts, asked.kills) else 1


if __name__ == "__main__":
    sys.exit(main())
