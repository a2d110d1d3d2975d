"""The doctor's check of the companion: a real one, each thing that can be wrong, and its remedy."""

import asyncio
import json
import socket
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Thread
from unittest.mock import patch

import pytest

from firmware.companion import server as companion_server
from firmware.config.companion_config import CompanionConfig
from firmware.doctor.companion import look_at_companion
from firmware.doctor.computer import Computer
from firmware.doctor.findings import Finding, Verdict
from tests.firmware.companion.table import QuietTable, serving, until
from tests.ports import free_port
from tests.sim.web import aside

WELL = {
    "tapmat": "0.1.0",
    "table": True,
    "name": "tapmat-2.local",
    "address": "192.168.1.7",
    "viewers": 3,
    "pages": 1,
}
STOPPED = replace(Computer(), run=lambda _: "inactive")


def findings(answer: str | None, *, is_active: bool = True, port: int = 8738) -> list[Finding]:
    """Return the findings about a companion at *port* that gives *answer*."""
    computer = replace(
        Computer(),
        ask_web=lambda asked, path: answer if (asked, path) == (port, "/about") else None,
        run=lambda _: "active" if is_active else "inactive",
    )
    return list(look_at_companion(computer, CompanionConfig(on=True, port=port)))


def about(**changes: object) -> str:
    return json.dumps(WELL | changes)


@contextmanager
def program_that_says(answer: bytes) -> Iterator[int]:
    """Yield the port of a program that gives *answer* to one connection."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(answer)

        thread = Thread(target=serve)
        thread.start()
        yield listening.getsockname()[1]
        thread.join()


def test_one_that_is_off_is_said_to_be_off_and_not_asked() -> None:
    def never(_port: int, _path: str) -> str | None:
        raise AssertionError("it is off")

    (found,) = look_at_companion(replace(Computer(), ask_web=never), CompanionConfig())
    assert (found.verdict, found.found, found.remedy) == (Verdict.OK, "off in table.toml", "")


def test_one_in_order_is_called_so_with_its_name_address_and_viewers() -> None:
    (found,) = findings(about())
    assert found.verdict is Verdict.OK
    assert found.found == (
        "tapmat 0.1.0 answers at tapmat-2.local:8738 (192.168.1.7) and is connected to the table; "
        "viewers: 3, open pages: 1"
    )


@pytest.mark.parametrize(
    ("answer", "is_active", "verdict", "text", "remedy"),
    [
        (None, True, Verdict.FAIL, "although the table runs", "journalctl -u tapmat-companion"),
        (None, False, Verdict.SKIP, "not checked", "Start the table"),
        ("", True, Verdict.FAIL, "another program is using its port, 8738", "port = 8739"),
        ("<html>", True, Verdict.FAIL, "another program", "ss -tlnp sport = :8738"),
        ("[" * 100_000, True, Verdict.FAIL, "another program", "port = 8739"),
        ("{}", True, Verdict.FAIL, "another program", "port = 8739"),
        (about(table=False), True, Verdict.WARN, "not connected to the table", "start tapmat"),
        (about(address="", name=""), True, Verdict.WARN, "no network", "nmtui"),
        (about(name=""), True, Verdict.WARN, "only the address 192.168.1.7", "QR code"),
    ],
)
def test_each_thing_that_is_wrong_has_a_remedy(
    answer: str | None, is_active: bool, verdict: Verdict, text: str, remedy: str
) -> None:
    (found,) = findings(answer, is_active=is_active)
    assert found.verdict is verdict
    assert text in found.found
    assert remedy in found.remedy


@pytest.mark.parametrize("answer", [b"SSH-2.0-OpenSSH\r\n", b"", b"HTTP/1.1 404 No\r\n\r\nno"])
def test_a_real_program_at_its_port_is_another_one(answer: bytes) -> None:
    with program_that_says(answer) as port:
        (found,) = look_at_companion(STOPPED, CompanionConfig(on=True, port=port))
    assert (found.verdict, "another program" in found.found) == (Verdict.FAIL, True)


def test_a_port_at_which_nobody_listens_is_silent() -> None:
    (found,) = look_at_companion(STOPPED, CompanionConfig(on=True, port=free_port()))
    assert found.verdict is Verdict.SKIP


@pytest.mark.skipif(sys.platform == "win32", reason="Python there has no Unix sockets")
def test_a_real_companion_tells_only_this_computer_about_itself(tmp_path: Path) -> None:
    async def look() -> None:
        with closing(QuietTable(tmp_path)):
            async with serving(tmp_path) as phone:
                await until(lambda: phone.server._link.state)
                config = CompanionConfig(on=True, port=phone.port)
                (found,) = await asyncio.to_thread(lambda: list(look_at_companion(STOPPED, config)))
                assert (found.verdict, "no network" in found.found) == (Verdict.WARN, True)
                with patch.object(companion_server, "LOOPBACK", ()):
                    assert await phone.status("/about") == 403

    aside.run(look())
