"""What systemd hears of the table, over a real socket."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware.service import Service

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="datagrams of Unix")


class Manager:
    """A service manager that listens."""

    def __init__(self, path: Path) -> None:
        self.address = str(path)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self.address)
        self._socket.setblocking(False)

    def heard(self) -> list[str]:
        """What was told since the last look."""
        messages = []
        while True:
            try:
                messages.append(self._socket.recv(4096).decode())
            except BlockingIOError:
                return messages

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    made = Manager(tmp_path / "notify")
    yield made
    made.close()


def watched(manager: Manager, seconds: float) -> Service:
    return Service.of(
        {"NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": str(int(seconds * 1_000_000))}
    )


def test_the_first_turn_says_that_the_table_is_ready(manager: Manager) -> None:
    service = watched(manager, 10)
    assert manager.heard() == []
    service.alive(100.0)
    assert manager.heard() == ["READY=1", "WATCHDOG=1"]


def test_it_is_told_four_times_within_the_watchdogs_time(manager: Manager) -> None:
    service = watched(manager, 10)
    service.alive(0.0)
    manager.heard()
    told_at = []
    for turn in range(1, 1001):  # of 10 ms: one watchdog's time
        service.alive(turn / 100)
        told_at += [turn / 100] * len(manager.heard())
    assert told_at == [2.5, 5.0, 7.5, 10.0]


def test_without_a_watchdog_only_ready_is_told(manager: Manager) -> None:
    service = Service.of({"NOTIFY_SOCKET": manager.address})
    for turn in range(1000):
        service.alive(float(turn))
    assert manager.heard() == ["READY=1"]


def test_a_watchdog_of_another_process_is_not_fed(manager: Manager) -> None:
    shared = {"NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "1"}
    Service.of(shared).alive(0.0)
    assert manager.heard() == ["READY=1"]


def test_an_end_is_told(manager: Manager) -> None:
    watched(manager, 10).stopping()
    assert manager.heard() == ["STOPPING=1"]


@pytest.mark.parametrize(
    "environment",
    [{}, {"NOTIFY_SOCKET": ""}, {"NOTIFY_SOCKET": "/nowhere/at/all", "WATCHDOG_USEC": "x"}],
)
def test_without_somebody_who_listens_nothing_happens(environment: dict[str, str]) -> None:
    service = Service.of(environment)
    service.alive(0.0)
    service.stopping()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="abstract sockets are Linux's")
def test_an_abstract_socket_is_reached() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind("\0tapmat-test-of-service")
        Service.of({"NOTIFY_SOCKET": "@tapmat-test-of-service"}).alive(0.0)
        assert listening.recv(100) == b"READY=1"
