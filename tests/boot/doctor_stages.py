"""Stages of the doctor's faults on a booted machine, as shell scripts that root runs there.

Most faults are staged as on an emulated Pi (``tests.doctor_stages``); here are those of systemd,
the disk and the installed table.
"""

from collections.abc import Iterator, Mapping

from tests.boot.machine import STATE, UNITS
from tests.boot.patient import BootedPatient
from tests.doctor_faults import ON_DEBIAN
from tests.doctor_stages import COMMON, Stage

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

# The scripts that stage each fault, and mend it.
SCRIPTS: Mapping[str, tuple[str, str]] = {
    "service-running": (f"systemctl start {TABLE}", f"systemctl stop {TABLE}"),
    "service-masked": (
        f"mv {UNIT} /root/unit && ln -s /dev/null {UNIT} && systemctl daemon-reload",
        f"rm {UNIT} && mv /root/unit {UNIT} && systemctl daemon-reload",
    ),
    "service-failed": (
        f"cp {TABLE_TOML} /root/kept && echo '[readers' > {TABLE_TOML}; ! systemctl start {TABLE}; "
        f"cat /root/kept > {TABLE_TOML}; systemctl stop {SAFE}",
        f"systemctl reset-failed {TABLE}",
    ),
    "service-disabled": (f"systemctl disable {TABLE}", f"systemctl enable {TABLE}"),
    "watchdog-off": (
        f"printf '[Service]\\nWatchdogSec=0\\n' > {UNIT}.d/off.conf && {RESTART}",
        f"rm {UNIT}.d/off.conf && {RESTART}",
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


def by_scripts(breaks: str, mends: str) -> Stage[BootedPatient]:
    """Return a stage that runs two shell scripts, before and after the examination."""

    def does(patient: BootedPatient) -> Iterator[None]:
        patient.do(breaks)
        yield
        patient.do(mends)

    return does


def with_own_files(does: Stage[BootedPatient]) -> Stage[BootedPatient]:
    """Return a stage that gives what this computer's root has written to the table's user."""

    def does_and_gives(patient: BootedPatient) -> Iterator[None]:
        for _ in does(patient):
            patient.own_state()
            yield
        patient.own_state()

    return does_and_gives


STAGES: Mapping[str, Stage[BootedPatient]] = {
    **{
        fault.name: with_own_files(COMMON[fault.name])
        for fault in ON_DEBIAN
        if fault.name in COMMON
    },
    **{name: by_scripts(*scripts) for name, scripts in SCRIPTS.items()},
}
