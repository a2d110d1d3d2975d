"""The doctor of an installed table finds staged faults of a booted system: ``make test-boot``.

All faults are staged one after the other on one machine, and mended again.
"""

import json
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from firmware.boxes.register import TagRegister
from firmware.config.table_config import load_config
from firmware.runtime.controller import REGISTER
from sim.mat.tags import enrol_decks
from tests.boot.conftest import Lab
from tests.boot.machine import BOARD_PATH, STATE, UNITS, Machine
from tests.doctor_faults import BOOTED, ELSEWHERE, StagedFault, mismatches

TABLE, SAFE = UNITS
TABLE_TOML = "/etc/tapmat/table.toml"
UNIT = f"/etc/systemd/system/{TABLE}"
SMALL = "mkdir -p /run/small && mount -t tmpfs -o {size},mode=700 tmpfs /run/small"
COVER = (
    f"cp --archive /{STATE}/. /run/small && chown tapmat: /run/small && "
    f"mount --bind /run/small /{STATE}"
)
UNCOVER = f"umount /{STATE} && umount /run/small"
# A stopped service keeps its old watchdog until its next start.
RESTART = f"systemctl daemon-reload && systemctl restart {TABLE} && systemctl stop {TABLE}"
PROGRAM = "/opt/tapmat/current/lib/python3*/site-packages/firmware/doctor/computer.py"

# How each fault is staged, and mended again: shell scripts that root runs on the machine.
STAGES: Mapping[str, tuple[str, str]] = {
    "service-running": (f"systemctl start {TABLE}", f"systemctl stop {TABLE}"),
    "service-masked": (
        f"mv {UNIT} /root/unit && ln -s /dev/null {UNIT} && systemctl daemon-reload",
        f"rm {UNIT} && mv /root/unit {UNIT} && systemctl daemon-reload",
    ),
    "service-failed": (
        f"cp {TABLE_TOML} /root/kept && echo '[readers' > {TABLE_TOML}; systemctl start {TABLE}; "
        f"cat /root/kept > {TABLE_TOML}; systemctl stop {SAFE}",
        f"systemctl reset-failed {TABLE}",
    ),
    "service-disabled": (f"systemctl disable {TABLE}", f"systemctl enable {TABLE}"),
    "watchdog-off": (
        f"printf '[Service]\\nWatchdogSec=0\\n' > {UNIT}.d/off.conf && {RESTART}",
        f"rm {UNIT}.d/off.conf && {RESTART}",
    ),
    "group-missing": (
        "gpasswd --delete tapmat spi && chown root:spi /dev/spidev0.0 && chmod 660 /dev/spidev0.0",
        "gpasswd --add tapmat spi && chmod 666 /dev/spidev0.0",
    ),
    "disk-full": (
        f"{SMALL.format(size='size=20M')} && {COVER} && "
        f"! head -c 20M /dev/zero > /{STATE}/filler 2> /dev/null",
        UNCOVER,
    ),
    "no-more-files": (
        f"{SMALL.format(size='size=200M,nr_inodes=40')} && {COVER} && "
        f"for n in $(seq 50); do touch /{STATE}/file-$n 2> /dev/null; done; true",
        UNCOVER,
    ),
    "state-read-only": (
        f"mount --bind /{STATE} /{STATE} && mount -o remount,ro,bind /{STATE}",
        f"umount /{STATE}",
    ),
    "root-read-only": (
        "for name in etc opt usr var; do "
        "mount --bind /$name /$name && mount -o remount,ro,bind /$name; done",
        "for name in etc opt usr var; do umount /$name; done",
    ),
    "wrong-owner": (
        f"chown -R root:root /{STATE} && chmod 700 /{STATE}",
        f"chown -R tapmat:tapmat /{STATE}",
    ),
    "clock-behind": (f"touch --date 2040-01-01 {PROGRAM}", f"touch --date 2026-01-01 {PROGRAM}"),
}


def examine(machine: Machine) -> list[Mapping[str, str]]:
    """Return the doctor's findings on *machine*, whose parts are emulated."""
    done = machine.do(f"PYTHONPATH={BOARD_PATH} tapmat doctor --quick --json")
    assert done.said.startswith("{"), done.said
    assert "Traceback" not in done.said
    findings: list[Mapping[str, str]] = json.loads(done.said)["findings"]
    return findings


def put_in_order(machine: Machine, folder: Path) -> None:
    """Stop the table, enrol every card, and let it be silent: the machine has no sound card."""
    machine.run("systemctl", "stop", TABLE)
    with closing(TagRegister(folder / REGISTER)) as tags:
        enrol_decks(tags, load_config())
    machine.path(f"{STATE}/{REGISTER}").write_bytes((folder / REGISTER).read_bytes())
    toml = machine.path(TABLE_TOML[1:])
    toml.write_text(toml.read_text("utf-8").replace('engine = "espeak"', 'engine = "silent"'))
    done = machine.run("chown", "-R", "tapmat:tapmat", f"/{STATE}")
    assert done.code == 0, done.said


def test_every_stage_is_a_fault_of_the_list() -> None:
    assert [fault.name for fault in BOOTED] == list(STAGES)


def test_the_doctor_of_a_booted_table_finds_each_fault(lab: Lab, tmp_path: Path) -> None:
    machine = lab.installed()
    machine.boot()
    machine.wait_until("the table runs", lambda: machine.state() == "active")
    put_in_order(machine, tmp_path)
    healthy = examine(machine)
    skipped = {finding["part"] for finding in healthy if finding["verdict"] != "OK"}
    assert skipped == ELSEWHERE, healthy
    wrong: list[str] = []
    for fault in BOOTED:
        wrong += staged(machine, fault, healthy)
    wrong += [
        f"at the end: {part}"
        for part in Counter(map(key, examine(machine))) - Counter(map(key, healthy))
    ]
    if wrong:
        pytest.fail("\n".join(wrong))


def staged(machine: Machine, fault: StagedFault, healthy: list[Mapping[str, str]]) -> list[str]:
    """Stage *fault* on *machine*, and return what the doctor has wrong about it."""
    breaks, mends = STAGES[fault.name]
    done = machine.do(breaks)
    if fault.name != "service-failed":
        assert done.code == 0, f"{fault.name}: {done.said}"
    try:
        return mismatches(fault, examine(machine), healthy)
    finally:
        done = machine.do(mends)
        assert done.code == 0, f"{fault.name}: {done.said}"


def key(finding: Mapping[str, str]) -> tuple[str, str]:
    return finding["part"], finding["verdict"]
