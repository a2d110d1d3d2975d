"""Signed updates on a bare Debian with a real systemd: accepted, refused, and rolled back.

A bad version reports that it is ready, and crashes a few seconds later.
"""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware.pi.bundle import pack
from firmware.pi.source import ProjectSource
from tests.boot.looks import (
    SAFE,
    TABLE,
    begin_game,
    change,
    goes_on,
    is_safe,
    journal,
    release,
    runs,
)
from tests.boot.machine import SOURCE, STATE, Done, Machine

RETURNED = "The update 0.2.0-"  # in the log of the rollback
ROLLBACK, TIMER = "tapmat-rollback.service", "tapmat-trial.timer"
TRIAL = "opt/tapmat/trial"
BUNDLE, PUBLIC = "root/update.tar", "root/key.pub"
RUNS_S = 6  # seconds that a bad version runs before it crashes
PLAY = "firmware/commands/play.py"
RUN_LOOP = "            controller.loop.run()\n"
CRASH = f'            __import__("threading").Timer({RUNS_S}, os._exit, [1]).start()\n'
MIGRATIONS = "MIGRATIONS = {"
SHORT = """\
[Timer]
OnActiveSec=
OnActiveSec={}s
"""


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """An SSH private key, beside its public key."""
    file = tmp_path / "key"
    make = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ann@laptop", "-f", str(file))
    subprocess.run(make, check=True)
    return file


@pytest.fixture
def trusting(table: Machine, key: Path) -> Machine:
    """A machine with a running table that trusts the key, and with an open game."""
    shutil.copy(key.with_suffix(".pub"), table.path(PUBLIC))
    done = table.do(f"tapmat update --yes --trust /{PUBLIC}")
    assert done.code == 0, done.said
    begin_game(table)
    return table


def update(machine: Machine, key: Path | None, *words: str) -> Done:
    """Make a bundle of the machine's source, and install it there."""
    wheels = sorted(machine.wheels.iterdir())
    pack(ProjectSource(machine.path(SOURCE)), wheels, machine.path(BUNDLE), key)
    return machine.do(" ".join(("tapmat update --yes", *words, f"/{BUNDLE}")))


def renew(machine: Machine) -> None:
    """Change the project's source on *machine* into a newer version that works."""
    change(machine, "pyproject.toml", 'version = "0.1.0"', 'version = "0.2.0"')


def spoil(machine: Machine) -> None:
    """Change the project's source on *machine* into a newer version that crashes while it runs."""
    renew(machine)
    change(machine, PLAY, RUN_LOOP, CRASH + RUN_LOOP)


def shorten_trial(machine: Machine, seconds: int) -> None:
    """Make a trial on *machine* last some *seconds*."""
    folder = machine.path(f"etc/systemd/system/{TIMER}.d")
    folder.mkdir()
    (folder / "short.conf").write_text(SHORT.format(seconds), encoding="utf-8")
    machine.run("systemctl", "daemon-reload")


# --- accepted and refused ------------------------------------------------------------------------


def test_a_signed_update_runs_with_the_game(trusting: Machine, key: Path) -> None:
    before, games = release(trusting), journal(trusting)
    renew(trusting)
    done = update(trusting, key)
    assert done.code == 0, done.said
    assert "update.tar is signed by ann@laptop." in done.said
    assert release(trusting).startswith("0.2.0-")
    trusting.wait_until("the game goes on", lambda: goes_on(trusting))
    assert journal(trusting) == games
    assert trusting.path(TRIAL).exists()
    assert trusting.state(TIMER) == "active"
    status = trusting.do("tapmat update")
    assert f"In use: {release(trusting)} (on trial)" in status.said
    assert f"Previous version: {before}" in status.said
    trusting.reboot()
    trusting.wait_until("the game goes on after a reboot", lambda: goes_on(trusting))
    assert trusting.state(TIMER) == "active"


def unsigned(machine: Machine, _key: Path) -> Done:
    return update(machine, None)


def signed_by_another(machine: Machine, key: Path) -> Done:
    other = key.with_name("eve")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", other], check=True)
    return update(machine, other)


def changed_after(machine: Machine, key: Path) -> Done:
    update_file = machine.path(BUNDLE)
    pack(ProjectSource(machine.path(SOURCE)), sorted(machine.wheels.iterdir()), update_file, key)
    data = update_file.read_bytes()
    update_file.write_bytes(data.replace(b"MIT License", b"MIT Licence", 1))
    return machine.do(f"tapmat update --yes /{BUNDLE}")


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (unsigned, "is not signed, and an update must be"),
        (signed_by_another, "which this table does not trust"),
        (changed_after, "LICENSE is damaged"),
    ],
)
def test_another_update_is_refused_and_changes_nothing(
    trusting: Machine, key: Path, make: Callable[[Machine, Path], Done], told: str
) -> None:
    before, starts = release(trusting), trusting.starts_of(TABLE)
    renew(trusting)
    done = make(trusting, key)
    assert done.code == 1, done.said
    assert told in done.said
    assert release(trusting) == before
    assert [path.name for path in trusting.path("opt/tapmat/releases").iterdir()] == [before]
    assert (goes_on(trusting), trusting.starts_of(TABLE)) == (True, starts)


# --- rolled back ---------------------------------------------------------------------------------


def test_a_version_that_crashes_on_trial_gives_way_by_itself(trusting: Machine, key: Path) -> None:
    """The files of the trial stay, since the version before can use them."""
    before, games = release(trusting), journal(trusting)
    spoil(trusting)
    done = update(trusting, key)
    assert done.code == 0, done.said
    failed = release(trusting)
    trusting.path(f"{STATE}/since").touch()
    trusting.wait_until("the version before runs", lambda: release(trusting) == before)
    trusting.wait_until("the game goes on", lambda: goes_on(trusting))
    assert journal(trusting) == games
    assert trusting.path(f"{STATE}/since").exists()
    assert not trusting.path(TRIAL).exists()
    assert trusting.starts_of(SAFE) == 0
    assert f"The update {failed} failed (exit-code, exited, 1)" in trusting.do("tapmat update").said
    trusting.reboot()
    trusting.wait_until("the game goes on after a reboot", lambda: goes_on(trusting))
    assert release(trusting) == before


def test_files_that_the_version_before_cannot_use_are_put_aside(
    trusting: Machine, key: Path
) -> None:
    before, games = release(trusting), journal(trusting)
    spoil(trusting)
    change(trusting, "firmware/journal/journal.py", "VERSION = 3", "VERSION = 4")
    change(trusting, "firmware/journal/journal.py", MIGRATIONS, MIGRATIONS + "3: (),")
    done = update(trusting, key)
    assert done.code == 0, done.said
    trusting.path(f"{STATE}/since").touch()
    trusting.wait_until("the version before runs", lambda: release(trusting) == before)
    trusting.wait_until("the game goes on", lambda: goes_on(trusting))
    assert journal(trusting) == games
    assert trusting.path(f"{STATE}.before/since").exists()


def test_a_version_before_that_fails_too_ends_in_safe_mode(trusting: Machine, key: Path) -> None:
    before = release(trusting)
    spoil(trusting)
    done = update(trusting, key)
    assert done.code == 0, done.said
    trusting.break_board("crash")
    trusting.wait_until("safe mode says what to do", lambda: is_safe(trusting))
    assert release(trusting) == before
    assert trusting.state(TABLE) == "failed"
    assert trusting.log(ROLLBACK).count(RETURNED) == 1
    assert trusting.starts_of(SAFE) == 1
    trusting.break_board(None)
    trusting.reboot()
    trusting.wait_until("the game goes on", lambda: goes_on(trusting))


def test_a_version_that_has_passed_its_trial_stays(trusting: Machine, key: Path) -> None:
    shorten_trial(trusting, 3)
    spoil(trusting)
    done = update(trusting, key)
    assert done.code == 0, done.said
    failed = release(trusting)
    trusting.wait_until("the trial is over", lambda: not trusting.path(TRIAL).exists())
    trusting.wait_until("safe mode says what to do", lambda: is_safe(trusting))
    assert release(trusting) == failed
    assert RETURNED not in trusting.log(ROLLBACK)


def break_table(machine: Machine) -> None:
    machine.path("etc/tapmat/table.toml").write_text("[readers", encoding="utf-8")
    machine.run("systemctl", "restart", TABLE)


def restart_often(machine: Machine) -> None:
    while machine.run("systemctl", "restart", TABLE).code == 0:
        assert machine.starts_of(TABLE) < 10


@pytest.mark.parametrize("act", [break_table, restart_often])
def test_what_a_person_does_on_trial_is_not_the_fault_of_the_version(
    trusting: Machine, key: Path, act: Callable[[Machine], None]
) -> None:
    renew(trusting)
    done = update(trusting, key)
    assert done.code == 0, done.said
    act(trusting)
    trusting.wait_until("safe mode says what to do", lambda: is_safe(trusting))
    assert "The new version is not at fault" in trusting.log(ROLLBACK)
    assert release(trusting).startswith("0.2.0-")
    assert trusting.path(TRIAL).exists()


def test_a_key_is_trusted_from_the_first_signed_bundle_on(table: Machine, key: Path) -> None:
    """It is installed by hand; then come more starts than the service may have in four minutes."""
    first = release(table)
    renew(table)
    pack(ProjectSource(table.path(SOURCE)), sorted(table.wheels.iterdir()), table.path(BUNDLE), key)
    done = table.install("--bundle", f"/{BUNDLE}")
    assert done.code == 0, done.said
    assert "trust the key of ann@laptop for updates" in done.said
    table.wait_until("the table runs", lambda: runs(table))
    for wanted in (first, release(table)):
        done = table.install("--rollback")
        assert (done.code, release(table)) == (0, wanted), done.said
    change(table, "firmware/__init__.py", '"""The', '"""Newer. The')
    done = update(table, key)
    assert done.code == 0, done.said
    table.wait_until("the table runs", lambda: runs(table))
