"""Tests of the thread that waits for edges, with pipes in place of the kernel's lines.

The pins themselves are tested on emulated device nodes: ``tests.sim.nodes.test_libraries``.
"""

import os
import struct
import time
from collections.abc import Iterator
from contextlib import chdir, closing, suppress
from functools import partial
from tempfile import TemporaryDirectory

import pytest

# lgpio makes a pipe in the current folder when it is imported, and all workers import it at once.
with TemporaryDirectory() as own_folder, chdir(own_folder):
    edges = pytest.importorskip("hardware.drivers.edges", exc_type=ImportError)

RISING, FALLING = 1, 2
LIMIT_S = 20.0


@pytest.fixture
def lines() -> Iterator[list[tuple[int, int]]]:
    """Two pipes: the ends that are read as lines, and the kernel's ends."""
    pipes = [os.pipe() for _ in range(2)]
    yield pipes
    for handle in (handle for pipe in pipes for handle in pipe):
        with suppress(OSError):  # the watcher has closed the lines
            os.close(handle)


def event(at_ns: int, kind: int) -> bytes:
    return struct.pack("<QI", at_ns, kind).ljust(48, b"\0")


def test_edges_of_two_lines_are_reported_in_the_order_of_their_times(
    lines: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel has a queue for each line, but an encoder is two of them."""
    monkeypatch.setattr(edges, "GATHER_S", 0.5)  # time enough to add the second line
    os.write(lines[0][1], event(1, FALLING) + event(3, RISING))
    os.write(lines[1][1], event(2, FALLING) + event(4, RISING))
    seen: list[tuple[str, int, int]] = []

    def note(name: str, level: int, at_ns: int) -> None:
        seen.append((name, level, at_ns))

    with closing(edges.EdgeWatcher()) as watcher:
        watcher.watch(lines[0][0], partial(note, "a"))
        watcher.watch(lines[1][0], partial(note, "b"))
        until_s = time.monotonic() + LIMIT_S
        while len(seen) < 4 and time.monotonic() < until_s:
            time.sleep(0.01)
    assert seen == [("a", 0, 1), ("b", 0, 2), ("a", 1, 3), ("b", 1, 4)]


def test_a_line_is_closed_when_it_is_forgotten(lines: list[tuple[int, int]]) -> None:
    line = lines[0][0]
    with closing(edges.EdgeWatcher()) as watcher:
        watcher.watch(line, lambda level, at_ns: None)
        watcher.forget(line)
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(line)
        watcher.forget(line)  # safe twice
