"""The check of the companion: its pages, its connection to the table, and its name and address."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from firmware.config.companion_config import CompanionConfig
from firmware.doctor.computer import Computer
from firmware.doctor.findings import Finding, Verdict
from firmware.doctor.system import is_service_active

PART = "companion"
ABOUT = "/about"  # what the companion answers here, it answers only on this computer
LOG = "sudo journalctl -u tapmat-companion"
RESTART = "sudo systemctl restart tapmat-companion"
OTHER_PORT = (
    "To find that program's name, run: sudo ss -tlnp sport = :{port}; then end the program, or "
    "give the companion another port in table.toml: port = {other}"
)
START = "Start the table, then check again with: tapmat doctor --quick"
READ_LOG = f"Read its last log lines: {LOG}; then start it again: {RESTART}"
TO_THE_TABLE = (
    "Start the table: sudo systemctl start tapmat. If it runs, read: sudo journalctl -u tapmat"
)
GET_NETWORK = "Connect this computer to your Wi-Fi: sudo nmtui"
TYPE_ADDRESS = (
    "Scan the QR code or type the address. If you want the name, let UDP port 5353 through, and "
    "connect this computer to a router"
)


def look_at_companion(computer: Computer, config: CompanionConfig) -> Iterator[Finding]:
    """Check that the companion answers at its port, and that phones can reach it.

    The companion runs only while the table does. If the table was stopped for other checks, there
    is no companion to check.
    """
    if not config.on:
        yield Finding(PART, Verdict.OK, "off in table.toml")
        return
    answer = computer.ask_web(config.port, ABOUT)
    if answer is None:
        yield _silent(computer, config.port)
        return
    about = _about(answer)
    if about is None:
        found = f"another program is using its port, {config.port}"
        remedy = OTHER_PORT.format(port=config.port, other=config.port + 1)
        yield Finding(PART, Verdict.FAIL, found, remedy)
        return
    yield from _running(about, config.port)


def _silent(computer: Computer, port: int) -> Finding:
    if is_service_active(computer):
        found = f"nothing answers at its port, {port}, although the table runs"
        return Finding(PART, Verdict.FAIL, found, READ_LOG)
    found = f"not checked: nothing answers at its port, {port}, because it runs only with the table"
    return Finding(PART, Verdict.SKIP, found, START)


def _about(answer: str) -> Mapping[str, Any] | None:
    """Return the facts in *answer*, the companion's answer; None if another program answered."""
    try:
        about = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    return about if isinstance(about, dict) and "tapmat" in about else None


def _running(about: Mapping[str, Any], port: int) -> Iterator[Finding]:
    """Yield a finding for each problem of a running companion; one OK finding if there is none.

    *about* has the companion's facts about itself.
    """
    name, address = about.get("name"), about.get("address")
    problems = [
        (not about.get("table"), Verdict.WARN, "it is not connected to the table", TO_THE_TABLE),
        (not address, Verdict.WARN, "phones cannot reach it: there is no network", GET_NETWORK),
        (
            address and not name,
            Verdict.WARN,
            f"it has no name in the network, only the address {address}",
            TYPE_ADDRESS,
        ),
    ]
    found = [Finding(PART, verdict, text, do) for is_so, verdict, text, do in problems if is_so]
    yield from found
    if not found:
        yield Finding(
            PART,
            Verdict.OK,
            f"tapmat {about['tapmat']} answers at {name}:{port} ({address}) and is connected to "
            f"the table; viewers: {about.get('viewers')}, open pages: {about.get('pages')}",
        )
