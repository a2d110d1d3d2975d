"""Installing, upgrading, breaking and removing the table on a bare Debian with a real systemd.

The tests look at what systemd says about the units, at files, and at the display.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial

import pytest

from firmware.pi.boot import without_block
from firmware.pi.bundle import pack
from firmware.pi.source import ProjectSource
from firmware.show.text import find_text
from tests.boot.conftest import Lab
from tests.boot.full_disk import SPARE_KB, filled_before, install, small_disk
from tests.boot.looks import (
    CURRENT,
    begin_game,
    change,
    goes_on,
    is_safe,
    journal,
    release,
    runs,
    stickers,
)
from tests.boot.machine import CONFIG, CONFIG_TXT, IDLE, SOURCE, STATE, UNITS, Done, Machine

TABLE, SAFE = UNITS
CANNOT = "cannot be written, because its disk is full."
BUNDLE = "root/update.tar"
TABLE_TOML = "etc/tapmat/table.toml"
STARTED = "ExecMainStartTimestampMonotonic"  # in microseconds
CRASHES = 2  # the kill was the first of three failures
STALLS_THEN_HANGS = """
import os, time
from firmware.runtime.systemd import SystemdNotifier
notifier = SystemdNotifier.from_environment(os.environ)
notifier.notify_alive(0.0)
with notifier.waiting_for_disk():
    time.sleep(9)
print("the disk has written", flush=True)
time.sleep(9)
print("it hung for nothing", flush=True)
"""
SLOW_END = """
[Service]
ExecStop=/usr/bin/sleep 1
"""
HANG_S = 300.0  # seconds for three starts that hang for a minute each, and the time between them


def tells_of_full_disk(machine: Machine) -> bool:
    """Return True if the table runs and shows what to do about its full disk."""
    return machine.state(TABLE) == "active" and machine.shows("Make room")


def renew(machine: Machine) -> None:
    """Change the project's source on *machine* into a newer version that works."""
    change(machine, "firmware/__init__.py", '"""The', '"""Newer. The')


def fill(machine: Machine, folder: str, room_mb: int) -> None:
    """Move *folder* to a full disk of *room_mb* megabytes."""
    script = (
        f"mkdir /run/small && mount -t tmpfs -o size={room_mb}M,mode=755 tmpfs /run/small && "
        f"cp --archive /{folder}/. /run/small && mount --bind /run/small /{folder} && "
        f"{{ head -c {room_mb}M /dev/zero > /{folder}/filler 2>/dev/null || true; }}"
    )
    done = machine.run("sh", "-c", script)
    assert done.code == 0, done.said
    assert machine.run("sh", "-c", f"echo more > /{folder}/more").code != 0  # it is really full


Filled = Callable[[Machine], AbstractContextManager[None]]


def check_refusal(done: Done, told: str) -> None:
    """Check that the installer has failed, says what is full, and what to do."""
    assert done.code == 1, done.said
    assert "Traceback" not in done.said, done.said
    assert told in done.said
    again = "( space( on that disk)?, then run the installer again)?"
    assert re.search(f"ree some{again}[.]", done.said)
    assert re.search(r"(Free space now|There is little free space): .*\d MB on /", done.said)


def in_use(machine: Machine) -> tuple[str, str, set[bytes]]:
    """Return the release in use, its games and its stickers, once the open game goes on."""
    machine.wait_until("the game goes on", lambda: goes_on(machine))
    assert halves(machine) == ""
    return release(machine), journal(machine), stickers(machine)


def halves(machine: Machine) -> str:
    """Return the names of files and folders that a failed installation has left."""
    names = (".*.tapmat", ".tapmat-spare", "tapmat.copying", "incoming", "*.new", "trial")
    wanted = " -o ".join(f"-name '{name}'" for name in names)
    places = "/boot /etc /opt/tapmat /usr/local /var/lib"
    found = machine.run("sh", "-c", f"find {places} {wanted} 2>/dev/null")
    if machine.path("opt/tapmat/previous").is_symlink():
        return found.said.replace("/opt/tapmat/trial\n", "")
    return found.said


def lengthen_files_outside_the_program(machine: Machine) -> None:
    """Make units and command of the project on *machine* longer than those that it replaces."""
    for name, length in (("tapmat-rollback.service", 10), (TABLE, 99_000), ("tapmat.sh", 9_000)):
        file = machine.path(f"{SOURCE}/firmware/pi/{name}")
        lines = f"# {'longer ' * 10}\n" * (length // 70 + 1)
        file.write_text(file.read_text(encoding="utf-8") + lines, encoding="utf-8")


def make_bundle(machine: Machine) -> None:
    """Make a bundle of the project's source on *machine*."""
    wheels = sorted(machine.wheels.iterdir())
    pack(ProjectSource(machine.path(SOURCE)), wheels, machine.path(BUNDLE))


# --- installing ----------------------------------------------------------------------------------


def test_a_first_install_ends_well_although_spi_is_off(lab: Lab) -> None:
    """The installer asks for a reboot, after which the table runs."""
    done = lab.first_install()
    assert done.code == 0, done.said
    assert "sudo reboot" in done.said
    machine = lab.installed()
    assert "\ndtparam=spi=on\n" in machine.path(CONFIG).read_text()
    machine.boot()
    machine.wait_until("the table runs", lambda: runs(machine))
    assert machine.show("NRestarts") == "0"
    assert machine.starts_of(SAFE) == 0


def test_the_first_screen_comes_before_the_table(
    table: Machine, record_property: Callable[[str, object], None]
) -> None:
    """Nothing slow comes before it. Its time is only recorded, since the computer may be busy."""
    first, *_, last = table.read_pictures()
    assert find_text(first, "tapmat")
    assert not find_text(first, IDLE)
    assert find_text(last, IDLE)
    assert (first.info["loaded"], first.info["opened"]) == ("", "")
    assert last.info["loaded"].split() == ["firmware.commands.cli", "firmware.table.table"]
    assert {"journal.lock", "journal.sqlite"} <= set(last.info["opened"].split())
    for name, picture in (("first screen", first), ("table", last)):
        after_ms = int(picture.info["shown_ns"]) / 1e6 - int(table.show(STARTED)) / 1e3
        record_property(f"{name}, ms after the start of its unit", round(after_ms))


def test_the_emulated_board_refuses_what_is_off(lab: Lab) -> None:
    """As on a Pi, a bus that config.txt does not turn on has no device node."""
    machine = lab.installed()
    machine.path(CONFIG).write_text(CONFIG_TXT)
    machine.boot()
    machine.wait_until("the table gives up", lambda: machine.state(TABLE) == "failed")
    assert "/dev/spidev0.0 is not there" in machine.log()


def test_a_second_install_leaves_the_table_running(table: Machine) -> None:
    done = table.install()
    assert done.code == 0, done.said
    table.wait_until("the table runs", lambda: runs(table))
    assert table.starts_of(SAFE) == 0


def test_an_upgrade_runs_the_new_version(table: Machine) -> None:
    before = release(table)
    renew(table)
    done = table.install()
    assert done.code == 0, done.said
    assert release(table) != before
    table.wait_until("the table runs", lambda: runs(table))
    modules = table.path(f"{CURRENT}/lib")
    (module,) = modules.glob("python3*/site-packages/firmware/__init__.py")
    assert "Newer." in module.read_text(encoding="utf-8")


def test_a_version_that_does_not_start_gives_way_to_the_one_before(table: Machine) -> None:
    before = release(table)
    change(
        table,
        "firmware/commands/play.py",
        "    notifier = SystemdNotifier.from_environment(os.environ)\n",
        "    raise KeyError\n",
    )
    done = table.install()
    assert done.code == 1, done.said
    assert "The new version cannot be used, so" in done.said
    assert release(table) == before
    table.wait_until("the table runs", lambda: runs(table))
    table.reboot()
    table.wait_until("the table runs after a reboot", lambda: runs(table))


def test_a_table_that_cannot_be_used_is_refused_before_anything_is_changed(bare: Machine) -> None:
    bare.path(f"{SOURCE}/wrong.toml").write_text("[readers", encoding="utf-8")
    done = bare.install("--table", "wrong.toml")
    assert done.code == 1, done.said
    assert "wrong.toml" in done.said
    assert not bare.path(TABLE_TOML).exists()
    assert bare.show("LoadState") == "not-found"
    assert bare.path(CONFIG).read_text(encoding="utf-8") == CONFIG_TXT


def test_another_table_is_not_taken_in_silence(table: Machine) -> None:
    """The installed table.toml stays, and the installer says so."""
    kept = table.path(TABLE_TOML).read_text(encoding="utf-8")
    other = table.path(f"{SOURCE}/other.toml")
    other.write_text(kept.replace("Ann", "Anna"), encoding="utf-8")
    done = table.install("--table", "other.toml")
    assert done.code == 0, done.said
    assert "other.toml is not used" in done.said
    assert table.path(TABLE_TOML).read_text(encoding="utf-8") == kept
    assert runs(table)


# --- failing -------------------------------------------------------------------------------------


def test_a_table_that_is_killed_comes_back(table: Machine) -> None:
    """A single failure does not start safe mode."""
    table.kill("KILL")
    table.wait_until("it was restarted", lambda: table.show("NRestarts") == "1")
    table.wait_until("the table runs", lambda: runs(table))
    assert table.starts_of(SAFE) == 0


def test_a_table_that_stands_still_is_restarted_by_the_watchdog(table: Machine) -> None:
    table.kill("STOP")
    table.wait_until("it was restarted", lambda: table.show("NRestarts") == "1")
    table.wait_until("the table runs", lambda: runs(table))
    assert "watchdog" in table.log().lower()
    assert table.starts_of(SAFE) == 0


def test_systemd_waits_for_a_disk_that_stalls_and_for_nothing_else(table: Machine) -> None:
    """A unit with a watchdog of 3 s stands still for 9 s twice: for the disk, and for nothing."""
    python = f"/{CURRENT}/bin/python"
    start = ("systemd-run", "--quiet", "--unit=stall", "--description=stall")
    kind = ("--property=Type=notify", "--property=WatchdogSec=3")
    done = table.run(*start, *kind, python, "-c", STALLS_THEN_HANGS)
    assert done.code == 0, done.said
    table.wait_until("it is ended", lambda: table.state("stall.service") == "failed")
    assert table.show("Result", "stall.service") == "watchdog"
    assert "the disk has written" in table.log("stall.service")
    assert "it hung for nothing" not in table.log("stall.service")


def test_a_table_that_crashes_three_times_ends_in_safe_mode(table: Machine) -> None:
    table.break_board("crash")
    table.kill("KILL")
    table.wait_until("safe mode says what to do", lambda: is_safe(table))
    assert table.state(TABLE) == "failed"
    assert table.starts_of(SAFE) == 1
    table.wait_until("the doctor has looked", table.path(f"{STATE}/doctor.txt").exists)
    table.wait_until("safe mode is shown again", lambda: is_safe(table))
    log = table.path(f"{STATE}/log.txt").read_text(encoding="utf-8")
    assert log.count("RuntimeError: the test wants a crash") == CRASHES
    assert "tapmat safe starts" in log
    table.break_board(None)
    assert table.run("systemctl", "reset-failed", TABLE).code == 0
    assert table.run("systemctl", "start", TABLE).code == 0
    table.wait_until("the table runs", lambda: runs(table))
    assert table.state(SAFE) == "inactive"


def test_a_table_that_is_started_in_safe_mode_waits_for_its_end(table: Machine) -> None:
    """Both units have the folder /run/tapmat, and the one that ends deletes it."""
    table.path(f"etc/systemd/system/{SAFE}.d/slow.conf").write_text(SLOW_END)
    table.run("systemctl", "daemon-reload")
    table.run("systemctl", "start", SAFE)
    table.wait_until("safe mode says what to do", lambda: is_safe(table))
    done = table.run("systemctl", "start", TABLE)
    assert done.code == 0, table.log()
    table.wait_until("safe mode has ended", lambda: table.state(SAFE) == "inactive")
    assert table.show("NRestarts") == "0", table.log()
    assert int(table.show("InactiveEnterTimestampMonotonic", SAFE)) <= int(table.show(STARTED))
    assert table.path("run/tapmat").is_dir()
    table.wait_until("the table runs", lambda: runs(table))


def test_a_table_that_hangs_at_each_start_ends_in_safe_mode(lab: Lab) -> None:
    machine = lab.installed()
    machine.break_board("hang")
    machine.boot()
    machine.wait_until("safe mode says what to do", lambda: is_safe(machine), HANG_S)
    assert machine.state(TABLE) == "failed"
    assert machine.starts_of(SAFE) == 1
    assert machine.show("NRestarts") in ("2", "3")  # releases differ in counting the refused start


def test_a_broken_table_toml_ends_in_safe_mode_at_once(table: Machine) -> None:
    table.path(TABLE_TOML).write_text("[readers", encoding="utf-8")
    table.run("systemctl", "restart", TABLE)
    table.wait_until("safe mode says what to do", lambda: is_safe(table))
    assert table.show("NRestarts") == "0"
    assert "table.toml" in table.log()


# --- a full disk ---------------------------------------------------------------------------------


def test_a_first_install_without_room_for_the_program_leaves_none_of_it(bare: Machine) -> None:
    assert bare.run("mkdir", "-p", "/opt").code == 0
    fill(bare, "opt", 8)
    done = bare.install()
    assert done.code == 1, done.said
    assert not bare.path(CURRENT).is_symlink()
    assert bare.state(TABLE) == "inactive"


@pytest.mark.parametrize("folder", ["opt", "var/lib"])
def test_an_upgrade_without_room_leaves_the_table_running(table: Machine, folder: str) -> None:
    before = release(table)
    size, is_well = {"opt": (400, runs), "var/lib": (200, tells_of_full_disk)}[folder]
    table.run("systemctl", "stop", TABLE)  # because its files move to another disk
    fill(table, folder, size)
    table.run("systemctl", "start", TABLE)
    renew(table)
    done = table.install()
    assert done.code == 1, done.said
    assert release(table) == before
    table.wait_until("the table runs", lambda: is_well(table))


# Disks that fill up during a first installation. The number is the kilobytes that are left: for a
# part of Python's environment, of the packages, or for the installer's spare file and one unit.
DURING_A_FIRST_INSTALL: Sequence[tuple[Filled, str]] = [
    (partial(filled_before, command="dpkg-query -W", left_kb=2_000), "MB on /. If that was the"),
    (partial(filled_before, command="dpkg-query -W", left_kb=30_000), "pip install"),
    (partial(filled_before, command="groupadd"), "groupadd"),
    (partial(small_disk, folder="etc/tapmat"), f"/{TABLE_TOML} {CANNOT}"),
    (partial(small_disk, folder="boot/firmware"), f"/{CONFIG}.before-tapmat {CANNOT}"),
    (partial(small_disk, folder="boot/firmware", room_kb=4), f"/{CONFIG} {CANNOT}"),
    (partial(small_disk, folder="etc/systemd/system"), "/etc/systemd/system is full"),
    (partial(small_disk, folder="etc/systemd/system", room_kb=SPARE_KB + 4), f".service {CANNOT}"),
    (partial(small_disk, folder="usr/local/bin"), "/usr/local/bin is full"),
    (
        partial(small_disk, folder="usr/local/bin", room_kb=SPARE_KB),
        f"/usr/local/bin/tapmat {CANNOT}",
    ),
]


def test_a_first_install_whose_disk_fills_up_leaves_nothing_half(bare: Machine) -> None:
    """Each attempt goes on where the one before has ended; the last one has room."""
    config = bare.path(CONFIG)
    for filled, told in DURING_A_FIRST_INSTALL:
        with filled(bare):
            done = install(bare)
            check_refusal(done, told)
        assert halves(bare) == "", told
        assert not bare.path(CURRENT).is_symlink(), told
        assert bare.show("LoadState") == "not-found", told
        assert not bare.path("usr/local/bin/tapmat").exists(), told
        assert without_block(config.read_text(encoding="utf-8")) == CONFIG_TXT, told
    done = bare.install()
    assert done.code == 0, done.said
    bare.reboot()
    bare.wait_until("the table runs", lambda: runs(bare))


DURING_AN_UPGRADE: Sequence[tuple[Filled, str]] = [
    (partial(filled_before, command="dpkg-query -W", left_kb=2_000), "MB on /. If that was the"),
    (partial(filled_before, command="dpkg-query -W", left_kb=30_000), "pip install"),
    (partial(filled_before, command="cp --archive"), f"/{STATE}.copying"),
    (partial(filled_before, command="cp --archive --update"), "so the previous one runs again"),
    (partial(filled_before, command="systemctl daemon-reload"), "so the previous one runs again"),
    (partial(small_disk, folder="etc/systemd/system"), "/etc/systemd/system is full"),
    (partial(small_disk, folder="etc/systemd/system", room_kb=SPARE_KB + 4), f"/{TABLE} {CANNOT}"),
    (partial(small_disk, folder="usr/local/bin"), "/usr/local/bin is full"),
    (
        partial(small_disk, folder="usr/local/bin", room_kb=SPARE_KB),
        f"/usr/local/bin/tapmat {CANNOT}",
    ),
]
DURING_A_ROLLBACK: Sequence[tuple[Filled, str]] = [
    (partial(small_disk, folder="etc/systemd/system"), "/etc/systemd/system is full"),
    (partial(small_disk, folder="etc/systemd/system", room_kb=SPARE_KB), f"service {CANNOT}"),
    (
        partial(small_disk, folder="usr/local/bin", room_kb=SPARE_KB),
        f"/usr/local/bin/tapmat {CANNOT}",
    ),
    (partial(filled_before, command="systemctl stop"), "so the present one runs again"),
]


def test_a_disk_that_fills_up_later_leaves_the_version_in_use(table: Machine) -> None:
    """Upgrade, bundle, rollback and removal on one machine; each succeeds at the end."""
    begin_game(table)
    old = in_use(table)
    renew(table)
    lengthen_files_outside_the_program(table)
    for filled, told in DURING_AN_UPGRADE:
        with filled(table):
            check_refusal(install(table), told)
        assert in_use(table) == old, told
    make_bundle(table)
    with small_disk(table, "var/tmp", 1_000):
        check_refusal(install(table, "--bundle", f"/{BUNDLE}"), "The disk with /var/tmp is full")
    assert in_use(table) == old
    done = table.install("--bundle", f"/{BUNDLE}")
    assert done.code == 0, done.said
    new = in_use(table)
    assert (new[0] != old[0], new[1:]) == (True, old[1:])
    for filled, told in DURING_A_ROLLBACK:
        with filled(table):
            check_refusal(install(table, "--rollback"), told)
        assert in_use(table) == new, told
    table.run("systemctl", "stop", TABLE)
    with small_disk(table, STATE, 64):
        check_refusal(install(table, "--rollback"), "so the present one runs again")
        table.run("systemctl", "stop", TABLE)
    table.run("systemctl", "start", TABLE)
    assert in_use(table) == new
    done = table.install("--rollback")
    assert done.code == 0, done.said
    assert in_use(table) == old
    with small_disk(table, "boot/firmware"), filled_before(table, "systemctl disable"):
        check_refusal(install(table, "--remove"), f"except for its lines in /{CONFIG}. /{CONFIG} ")
    assert not table.path("opt/tapmat").exists()
    assert without_block(table.path(CONFIG).read_text(encoding="utf-8")) == CONFIG_TXT
    done = table.install("--remove")
    assert done.code == 0, done.said
    assert table.path(CONFIG).read_text(encoding="utf-8") == CONFIG_TXT
    assert stickers(table) == old[2]
    assert halves(table) == ""


def test_a_full_disk_does_not_end_the_table(table: Machine) -> None:
    table.run("systemctl", "stop", TABLE)
    fill(table, "var/lib", 200)
    table.run("systemctl", "start", TABLE)
    table.wait_until("it tells of the full disk", lambda: tells_of_full_disk(table))
    table.kill("KILL")
    table.wait_until("it was restarted", lambda: table.show("NRestarts") == "1")
    table.wait_until("it tells of it again", lambda: tells_of_full_disk(table))
    assert table.starts_of(SAFE) == 0


def test_a_damaged_journal_waits_until_there_is_room_to_repair_it(table: Machine) -> None:
    begin_game(table)
    table.run("systemctl", "stop", TABLE)
    file = table.path(f"{STATE}/journal.sqlite")
    head, kind, tail = file.read_bytes().rpartition(b"input")  # of some entry
    damaged = head + kind.upper() + tail
    file.write_bytes(damaged)
    fill(table, "var/lib", 200)
    starts = table.starts_of(TABLE)
    table.run("systemctl", "start", TABLE)
    table.wait_until("it says why it waits", lambda: table.shows("The disk is full."))
    assert (table.state(), table.starts_of(TABLE)) == ("active", starts + 1)
    assert file.read_bytes() == damaged
    table.path("var/lib/filler").unlink()
    table.wait_until("it tells of the damage", lambda: table.shows("The journal was damaged."))
    (copy,) = file.parent.glob("journal-damaged-*.sqlite")
    assert copy.read_bytes() == damaged
    assert (table.starts_of(TABLE), table.starts_of(SAFE)) == (starts + 1, 0)


def test_a_journal_whose_disk_is_replaced_is_reported(table: Machine) -> None:
    """The open file no longer has a name on the disk, so what is written to it would be lost."""
    fill(table, "var/lib", 200)
    table.wait_until("it is reported", lambda: table.shows("The file was deleted"))
    assert table.state(TABLE) == "active"


# --- removing ------------------------------------------------------------------------------------


def test_removing_leaves_the_journal_and_the_table(table: Machine) -> None:
    done = table.install("--remove")
    assert done.code == 0, done.said
    for unit in UNITS:
        assert table.show("LoadState", unit) == "not-found"
    for name in ("opt/tapmat", "usr/local/bin/tapmat", "var/cache/tapmat"):
        assert not table.path(name).exists()
    assert table.path(CONFIG).read_text(encoding="utf-8") == CONFIG_TXT
    assert table.path(f"{STATE}/journal.sqlite").exists()
    assert table.path(TABLE_TOML).exists()
    assert "tapmat" not in table.run("getent", "passwd").said


def test_purging_leaves_nothing(table: Machine) -> None:
    assert table.run("cp", "--archive", f"/{STATE}", f"/{STATE}.before").code == 0  # by upgrades
    done = table.install("--remove", "--purge")
    assert done.code == 0, done.said
    left = table.run(
        "find", "/opt", "/var", "/boot", "/etc", "/usr/local", "-name", "*tapmat*",
        "-not", "-path", "/etc/systemd/system/tapmat*.service.d",  # the test's own drop-in
    )  # fmt: skip
    assert left.said == ""
    assert table.path(CONFIG).read_text(encoding="utf-8") == CONFIG_TXT
    table.reboot()
    assert table.show("LoadState", TABLE) == "not-found"
