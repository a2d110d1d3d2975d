"""The companion of an installed table on a booted system, seen from outside: ``make test-boot``.

This computer is the other computer in the network at home; a cable connects it to the machine.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from http import HTTPStatus
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from firmware.companion.phone_book import PhoneBook
from firmware.companion.server import COOKIE
from firmware.companion.viewers import ViewerKeys
from tests.boot.conftest import Lab
from tests.boot.looks import SAFE, TABLE, begin_game, goes_on, journal, runs
from tests.boot.machine import STATE, Done, Machine
from tests.doctor_faults import findings_in
from tests.firmware.companion.wire_phone import WirePhone, until

COMPANION = "tapmat-companion.service"
PORT = 8738
KEPT = "var/lib/private/tapmat-companion"  # its own folder
TABLE_TOML = "etc/tapmat/table.toml"
KILLS = 10
MOST_BYTES = 60_000_000
MOST_EXPOSURE = {COMPANION: 1.5, TABLE: 1.0}  # 10 is the worst
PATIENCE_S = 10.0
EXPOSURE = re.compile(r"Overall exposure level for \S+: ([0-9.]+)")

Record = Callable[[str, object], None]


@pytest.fixture
def shown(lab: Lab) -> Machine:
    """A running machine in a network, with an open game, that was installed with its companion."""
    machine = lab.installed()
    machine.boot()
    machine.wait_until("the table runs", lambda: runs(machine))
    file = machine.path(TABLE_TOML)
    text = file.read_text(encoding="utf-8")
    assert "[companion]\non = false\n" in text
    file.write_text(text.replace("[companion]\non = false", "[companion]\non = true"), "utf-8")
    done = machine.install()
    assert done.code == 0, done.said
    begin_game(machine)
    machine.wait_until("its page is there", lambda: is_served(machine))
    return machine


def is_served(machine: Machine) -> bool:
    """Return True if the companion answers on the machine itself, and knows the table's state."""
    found = about(machine)
    return found.code == 0 and bool(json.loads(found.said)["table"])


def about(machine: Machine) -> Done:
    """Return the companion's answer to a question that only its own computer may ask."""
    fetch = (
        f"import urllib.request as r; print(r.urlopen('http://127.0.0.1:{PORT}/about').read()"
        ".decode())"
    )
    return machine.run("python3", "-c", fetch)


def fetch(address: str, path: str, cookie: str = "") -> tuple[int, str]:
    """Return the status and the text that *path* has for another computer in the network."""
    asked = Request(f"http://{address}:{PORT}{path}", headers={"Cookie": cookie})
    try:
        with urlopen(asked, timeout=PATIENCE_S) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as refused:
        return refused.code, refused.read().decode()


def main_pid(machine: Machine, unit: str) -> int:
    return int(machine.show("MainPID", unit))


def facts_of(machine: Machine, unit: str) -> Mapping[str, str]:
    """Return the kernel's facts about the process of *unit*, as in /proc/PID/status."""
    status = machine.run("cat", f"/proc/{main_pid(machine, unit)}/status").said
    return dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)


def exposure(machine: Machine, unit: str) -> float:
    """Return the exposure of *unit* by ``systemd-analyze security``, from 0 to 10."""
    done = machine.run("systemd-analyze", "security", "--no-pager", unit)
    found = EXPOSURE.search(done.said)
    assert found is not None, done.said
    return float(found[1])


def test_the_companion_runs_in_its_sandbox(shown: Machine, record_property: Record) -> None:
    """It has a user of its own and no capability, and sees neither the games nor the buses."""
    for unit, most in MOST_EXPOSURE.items():
        record_property(f"exposure of {unit}", found := exposure(shown, unit))
        assert found <= most
    pid = main_pid(shown, COMPANION)
    facts, table_facts = (facts_of(shown, unit) for unit in (COMPANION, TABLE))
    assert (facts["NoNewPrivs"], facts["Seccomp"], int(facts["CapEff"], 16)) == ("1", "2", 0)
    assert facts["Uid"].split()[0] not in ("0", table_facts["Uid"].split()[0])
    for hidden in (STATE, "dev/spidev0.0", "dev/i2c-1", "home", "root"):
        looked = shown.run("nsenter", f"--target={pid}", "--mount", "--root", "--setuid=65534",
                           "--setgid=65534", "--", "ls", f"/{hidden}/.")  # fmt: skip
        assert looked.code != 0, f"/{hidden} can be seen: {looked.said}"
    assert shown.path(f"{STATE}/journal.sqlite").exists()
    assert shown.path("dev/spidev0.0").exists()


def test_another_computer_gets_the_board_and_nothing_without_the_code(shown: Machine) -> None:
    address = shown.connect()
    shown.wait_until("its name and address are known", lambda: bool(told(shown)["address"]))
    status, page = fetch(address, "/")
    assert status == HTTPStatus.OK
    assert '"board.turn"' in page.replace("&#34;", '"').replace("&quot;", '"')
    assert fetch(address, "/static/board.js")[0] == HTTPStatus.OK
    for path in ("/state", "/events"):
        assert fetch(address, path)[0] == HTTPStatus.UNAUTHORIZED
    for path in ("/about", "/viewers"):
        assert fetch(address, path)[0] == HTTPStatus.FORBIDDEN


def test_a_friend_on_another_computer_watches_by_the_link(shown: Machine) -> None:
    """The host's phone is known already, as if somebody had pressed OK at the table for it."""
    address = shown.connect()
    host = WirePhone(PORT, address=address)
    shown.run("systemctl", "stop", COMPANION)
    with owned(shown.path(KEPT)) as folder:
        key = ViewerKeys(folder).new_key()
        PhoneBook(folder).make_host(host.key, ViewerKeys(folder).number_of(key))
    shown.run("systemctl", "start", COMPANION)
    shown.wait_until("its page is there", lambda: is_served(shown))
    host.cookie = f"{COOKIE}={key}"
    with closing(host.open()):
        assert host.status == HTTPStatus.OK
        assert host.send(do="share-link") == {}
        until(lambda: host.news.get("watching"))
        place, _, secret = host.news["watching"].partition("/#")
        assert place == f"http://{address}:{PORT}"
        friend = WirePhone(PORT, address=address)
        friend.cookie = friend.cookie_of(json.dumps({"secret": secret}).encode())
        status, state = fetch(address, "/state", friend.cookie)
        assert (status, json.loads(state)["game"]) == (HTTPStatus.OK, "straw")
        act = json.dumps({"key": friend.key, "sealed": "AA"}).encode()
        assert friend.post(act)[0] == HTTPStatus.FORBIDDEN
        assert host.send(do="end-link") == {}
        assert fetch(address, "/state", friend.cookie)[0] == HTTPStatus.UNAUTHORIZED
        assert fetch(address, "/state", host.cookie)[0] == HTTPStatus.OK


@contextmanager
def owned(folder: Path) -> Iterator[Path]:
    """Yield *folder*; then give the files that this computer's root wrote to its owner."""
    yield folder
    owner = folder.stat()
    for file in folder.iterdir():
        os.chown(file, owner.st_uid, owner.st_gid)


def told(machine: Machine) -> dict[str, object]:
    answer: dict[str, object] = json.loads(about(machine).said)
    return answer


def test_the_doctor_sees_the_companion(shown: Machine) -> None:
    shown.connect()
    shown.wait_until("it has a name in the network", lambda: bool(told(shown)["name"]))
    found = finding(shown)
    assert found["verdict"] == "OK", found
    assert f":{PORT}" in found["found"]
    shown.run("systemctl", "stop", COMPANION)
    found = finding(shown)
    assert found["verdict"] == "FAIL", found


def finding(machine: Machine) -> Mapping[str, str]:
    """Return the doctor's only finding about the companion."""
    done = machine.do("tapmat doctor --quick --json")
    (found,) = [each for each in findings_in(done.said, done.code) if each["part"] == "companion"]
    return found


def test_a_killed_companion_comes_back_and_the_table_goes_on(
    shown: Machine, record_property: Record
) -> None:
    table, games = main_pid(shown, TABLE), journal(shown)
    entries = shown.path(f"{STATE}/journal.sqlite").read_bytes()
    for _ in range(KILLS):
        before = main_pid(shown, COMPANION)
        shown.kill("KILL", COMPANION)
        shown.wait_until("another process serves", partial(is_other, shown, before))
    assert int(shown.show("NRestarts", COMPANION)) == KILLS
    assert main_pid(shown, TABLE) == table
    assert goes_on(shown)
    assert journal(shown) == games
    assert shown.path(f"{STATE}/journal.sqlite").read_bytes() == entries
    assert (shown.starts_of(SAFE), shown.show("NRestarts", TABLE)) == (0, "0")


def test_the_companion_needs_little_memory(shown: Machine, record_property: Record) -> None:
    """Measured with a page of another computer, after the board was fetched."""
    with memory_group(shown, COMPANION) as used_bytes:
        address = shown.connect()
        shown.wait_until("its page is there", lambda: is_served(shown))
        shown.wait_until("it has a name in the network", lambda: bool(told(shown)["name"]))
        for path in ("/", "/phone", "/static/board.js", "/state"):
            fetch(address, path)
        resident = 1024 * int(facts_of(shown, COMPANION)["VmRSS"].split()[0])
        record_property("its cgroup, MB", round(used_bytes() / 1e6, 1))
        record_property("resident, with shared files, MB", round(resident / 1e6, 1))
        assert 10_000_000 < used_bytes() < resident < MOST_BYTES


@contextmanager
def memory_group(machine: Machine, unit: str) -> Iterator[Callable[[], int]]:
    """Start *unit* again, and yield a function that returns the bytes that its cgroup uses.

    The kernel of this computer may have its memory controller in version 1 of cgroups, where the
    systemd inside cannot use it. Then *unit* starts in a cgroup of that version, made here.
    """
    if machine.show("MemoryCurrent", unit).isdigit():
        machine.run("systemctl", "restart", unit)
        yield lambda: int(machine.show("MemoryCurrent", unit))
        return
    folder = Path("/sys/fs/cgroup/memory")
    leader, own = str(machine.leader), folder / f"tapmat-boot-{machine.leader}"
    own.mkdir()
    try:
        (own / "cgroup.procs").write_text(leader)  # what it starts from now on is in it too
        machine.run("systemctl", "restart", unit)
        (folder / "cgroup.procs").write_text(leader)
        yield lambda: int((own / "memory.usage_in_bytes").read_text())
    finally:
        machine.power_off()
        own.rmdir()


def is_other(machine: Machine, before: int) -> bool:
    return main_pid(machine, COMPANION) not in (0, before) and is_served(machine)
