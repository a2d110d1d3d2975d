"""A memory card that stalls in the middle of a commit, watched by systemd's watchdog.

The watchdog is a fake one on the virtual clock, which receives the messages on a real socket.
"""

import logging
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engines.common.pieces import Piece
from fakepi.ntag import Ntag
from firmware.config.table_config import load_config
from firmware.runtime.systemd import DISK_S, SystemdNotifier
from sim.mat.mat import Mat
from sim.mat.tags import uid_of
from sim.rehearsal.grammar import parse
from sim.rehearsal.runner import Runner

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="datagrams of Unix")

WATCHDOG_S = 10.0  # WatchdogSec in tapmat.service
STALL_S = 10.0
LOOK_NS = 100_000_000  # how often the fake watchdog looks


class Watchdog:
    """A fake watchdog on *mat*'s clock: notes when it would have ended the program.

    It understands ``WATCHDOG=1`` and ``WATCHDOG_USEC=``, as systemd does.
    """

    def __init__(self, mat: Mat, path: Path) -> None:
        self.address = str(path)
        self.ended_s: float | None = None
        self.timeouts_s = [WATCHDOG_S]  # each that was in force
        self._mat = mat
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self.address)
        self._socket.setblocking(False)
        self._alive_s = self._now_s()
        self._look()

    def close(self) -> None:
        self._socket.close()

    def _now_s(self) -> float:
        return self._mat.board.clock.now()

    def _look(self) -> None:
        for field in self._fields():
            key, _, value = field.partition("=")
            if key == "WATCHDOG":
                self._alive_s = self._now_s()
            elif key == "WATCHDOG_USEC":
                self.timeouts_s.append(int(value) / 1e6)
        if self._now_s() - self._alive_s > self.timeouts_s[-1] and self.ended_s is None:
            self.ended_s = self._now_s()
        clock = self._mat.board.clock
        clock.call_at(clock.now_ns + LOOK_NS, self._look)

    def _fields(self) -> list[str]:
        fields: list[str] = []
        while self._socket.fileno() >= 0:
            try:
                fields += self._socket.recv(4096).decode().split("\n")
            except BlockingIOError:
                break
        return fields


@pytest.fixture
def mat(tmp_path: Path) -> Iterator[Mat]:
    """A mat on which Straw has begun."""
    made = Mat(load_config(), tmp_path / "state")
    play(made, "game straw\nplayers Ann Ben\nstart\ntap weight-7")
    yield made
    made.close()


@pytest.fixture
def watchdog(mat: Mat, tmp_path: Path) -> Iterator[Watchdog]:
    """A watchdog of the mat's loop, which is not told about the disk yet."""
    with closing(Watchdog(mat, tmp_path / "notify")) as made:
        notifier = notifier_of(made)
        mat.running.loop.on_pass = notifier.notify_alive
        mat.wait(1.0)
        yield made


def notifier_of(watchdog: Watchdog) -> SystemdNotifier:
    usec = str(int(WATCHDOG_S * 1e6))
    environment = {"NOTIFY_SOCKET": watchdog.address, "WATCHDOG_USEC": usec}
    return SystemdNotifier.from_environment(environment)


def tell_of_the_disk(mat: Mat, watchdog: Watchdog) -> None:
    """Connect the notifier as ``tapmat play`` does."""
    notifier = notifier_of(watchdog)
    mat.running.loop.on_pass = notifier.notify_alive
    mat.running.wait_in(notifier.waiting_for_disk)


def play(mat: Mat, lines: str) -> None:
    """Play these rehearsal lines and assert that all their expectations hold."""
    assert Runner(mat).play(parse(lines, "stall")) is None


def test_a_watchdog_that_is_not_told_ends_the_table(mat: Mat, watchdog: Watchdog) -> None:
    mat.board.disk.slow(STALL_S + 1.0)
    play(mat, "tap weight-8")
    assert watchdog.ended_s is not None


@pytest.mark.parametrize("stall_s", [STALL_S, DISK_S - 1.0])
def test_a_stall_in_a_commit_ends_nothing(mat: Mat, watchdog: Watchdog, stall_s: float) -> None:
    tell_of_the_disk(mat, watchdog)
    mat.board.disk.slow(stall_s)
    play(mat, "tap weight-8\nexpect headline 15\nexpect refused nothing")
    mat.board.disk.slow(0.0)
    mat.wait(5.0)
    play(mat, "tap weight-1\nexpect headline 16")
    assert watchdog.ended_s is None
    assert max(watchdog.timeouts_s) == DISK_S
    assert watchdog.timeouts_s[-1] == WATCHDOG_S


def test_a_commit_that_never_ends_is_ended(mat: Mat, watchdog: Watchdog) -> None:
    tell_of_the_disk(mat, watchdog)
    mat.board.disk.slow(DISK_S + 5.0)
    began_s = mat.board.clock.now()
    play(mat, "tap weight-8")
    assert watchdog.ended_s is not None
    assert DISK_S < watchdog.ended_s - began_s < DISK_S + 2.0


@pytest.mark.parametrize("is_after_a_stall", [False, True])
def test_a_loop_that_hangs_elsewhere_is_ended_in_the_usual_time(
    mat: Mat, watchdog: Watchdog, is_after_a_stall: bool
) -> None:
    tell_of_the_disk(mat, watchdog)
    if is_after_a_stall:
        mat.board.disk.slow(STALL_S)
        play(mat, "tap weight-8")
        mat.board.disk.slow(0.0)
    mat.wait(5.0)
    began_s = mat.board.clock.now()
    mat.board.clock.sleep(WATCHDOG_S + 5.0)
    assert watchdog.ended_s is not None
    assert watchdog.ended_s - began_s < WATCHDOG_S + 1.0


def test_a_failed_commit_restores_the_usual_time(mat: Mat, watchdog: Watchdog) -> None:
    tell_of_the_disk(mat, watchdog)
    play(mat, "fault disk-full\ntap weight-8\nexpect refused not-saved\nfault none")
    mat.wait(1.0)
    assert watchdog.timeouts_s[-1] == WATCHDOG_S


def test_during_a_stall_nothing_is_shown_and_what_stays_counts_afterwards(mat: Mat) -> None:
    """Only saved plays are shown, so the display and lamps keep what they showed."""
    mat.wait(5.0)  # until the lamp of the last play is dark
    before, during = mat.pixels.tobytes(), list[tuple[bytes, float]]()
    other = Ntag(uid_of("straw", Piece("weight-1")))

    def look() -> None:
        during.append((mat.pixels.tobytes(), mat.lamp("accepted")))
        mat.board.readers["play"].field.enter(other)

    mat.board.disk.slow(STALL_S)
    mat.board.clock.call_at(mat.board.clock.now_ns + 5_000_000_000, look)
    play(mat, "tap weight-8")
    mat.board.disk.slow(0.0)
    assert during == [(before, 0.0)]
    play(mat, "wait 1\nexpect headline 16\nexpect refused nothing")


def test_a_stall_is_logged(mat: Mat, caplog: pytest.LogCaptureFixture) -> None:
    play(mat, "tap weight-1")
    assert not caplog.records
    mat.board.disk.slow(STALL_S)
    with caplog.at_level(logging.WARNING):
        play(mat, "tap weight-8")
    assert [
        record.getMessage() for record in caplog.records if "Saving" in record.getMessage()
    ] == ["Saving took 10.0 s. If that happens often, use another memory card"]
