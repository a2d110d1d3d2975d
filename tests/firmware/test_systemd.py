"""The table's messages to systemd, received on a real socket."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware.runtime.systemd import SystemdNotifier

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="datagrams of Unix")


class Manager:
    """A fake service manager that receives messages."""

    def __init__(self, path: Path) -> None:
        self.address = str(path)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self.address)
        self._socket.setblocking(False)

    def heard(self) -> list[str]:
        """Return the messages received since the last call."""
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


def watched(manager: Manager, seconds: float) -> SystemdNotifier:
    return SystemdNotifier.from_environment(
        {"NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": str(int(seconds * 1_000_000))}
    )


def test_the_first_turn_says_that_the_table_is_ready(manager: Manager) -> None:
    notifier = watched(manager, 10)
    assert manager.heard() == []
    notifier.notify_alive(100.0)
    assert manager.heard() == ["READY=1", "WATCHDOG=1"]


def test_it_is_told_four_times_within_the_watchdogs_time(manager: Manager) -> None:
    notifier = watched(manager, 10)
    notifier.notify_alive(0.0)
    manager.heard()
    told_at = []
    for turn in range(1, 1001):  # turns of 10 ms: 10 s, the watchdog's time
        notifier.notify_alive(turn / 100)
        told_at += [turn / 100] * len(manager.heard())
    assert told_at == [2.5, 5.0, 7.5, 10.0]


def test_without_a_watchdog_only_ready_is_sent(manager: Manager) -> None:
    notifier = SystemdNotifier.from_environment({"NOTIFY_SOCKET": manager.address})
    for turn in range(1000):
        notifier.notify_alive(float(turn))
    assert manager.heard() == ["READY=1"]


def test_a_watchdog_of_another_process_is_not_fed(manager: Manager) -> None:
    shared = {"NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "1"}
    SystemdNotifier.from_environment(shared).notify_alive(0.0)
    assert manager.heard() == ["READY=1"]


def test_while_the_disk_is_waited_for_the_watchdog_has_a_minute(manager: Manager) -> None:
    notifier = watched(manager, 10)
    with notifier.waiting_for_disk():
        assert manager.heard() == ["WATCHDOG=1\nWATCHDOG_USEC=60000000"]
        with notifier.waiting_for_disk():
            pass
        assert manager.heard() == []
    assert manager.heard() == ["WATCHDOG=1\nWATCHDOG_USEC=10000000"]


def test_a_write_that_fails_restores_the_watchdogs_time(manager: Manager) -> None:
    notifier = watched(manager, 10)
    with pytest.raises(OSError, match="full"), notifier.waiting_for_disk():
        raise OSError("full")
    assert manager.heard()[-1].endswith("WATCHDOG_USEC=10000000")


def test_a_longer_watchdog_is_not_shortened(manager: Manager) -> None:
    with watched(manager, 120).waiting_for_disk():
        assert manager.heard() == ["WATCHDOG=1\nWATCHDOG_USEC=120000000"]


def test_without_a_watchdog_waiting_for_the_disk_is_not_reported(manager: Manager) -> None:
    with SystemdNotifier.from_environment({"NOTIFY_SOCKET": manager.address}).waiting_for_disk():
        pass
    assert manager.heard() == []


def test_an_end_is_reported(manager: Manager) -> None:
    watched(manager, 10).notify_stopping()
    assert manager.heard() == ["STOPPING=1"]


@pytest.mark.parametrize(
    "environment",
    [{}, {"NOTIFY_SOCKET": ""}, {"NOTIFY_SOCKET": "/nowhere/at/all", "WATCHDOG_USEC": "x"}],
)
def test_without_somebody_who_listens_nothing_happens(environment: dict[str, str]) -> None:
    notifier = SystemdNotifier.from_environment(environment)
    notifier.notify_alive(0.0)
    notifier.notify_stopping()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="abstract sockets are Linux's")
def test_an_abstract_socket_is_reached() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind("\0tapmat-test-of-service")
        SystemdNotifier.from_environment({"NOTIFY_SOCKET": "@tapmat-test-of-service"}).notify_alive(
            0.0
        )
        assert listening.recv(100) == b"READY=1"
