"""The doctor's checks of the computer, on a folder in place of the file system's root."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from firmware.boxes.register import TagRegister
from firmware.config.table_config import load_config
from firmware.doctor.buses import look_at_buses, look_for_other_users
from firmware.doctor.computer import Computer, run
from firmware.doctor.examination import DoctorOptions, Examination
from firmware.doctor.findings import Finding, Verdict
from firmware.doctor.system import (
    look_at_clock,
    look_at_computer,
    look_at_conflicts,
    look_at_disk,
    look_at_power,
    look_at_service,
    look_at_sound,
    look_at_updates,
)
from firmware.journal.state_folder import state_folder
from firmware.runtime.controller import REGISTER
from hardware.drivers.pi import PiBoard
from hardware.ports import Board
from sim.mat.board import EmulatedBoard
from sim.mat.tags import enrol_decks
from tests.hardware.gpio_trees import PI_4, PI_5_FROM_11, gpio_chips

CONFIG = load_config()


def written(root: Path, name: str, text: str | bytes = "") -> Path:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


@pytest.fixture
def pi(tmp_path: Path) -> Computer:
    """A Raspberry Pi on which every check succeeds."""
    root = tmp_path / "root"
    written(root, "proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.5\0")
    written(
        root,
        "etc/os-release",
        'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_CODENAME=bookworm\n',
    )
    written(root, "proc/asound/cards", " 0 [Headphones     ]: bcm2835 - bcm2835 Headphones\n")
    for node in ("spidev0.0", "i2c-1"):
        written(root, f"dev/{node}")
    gpio_chips(root, PI_4)
    written(
        root,
        "sys/bus/i2c/devices/i2c-1/of_node/clock-frequency",
        (400_000).to_bytes(4, "big"),
    )
    system_packages = root / "usr/lib/python3/dist-packages"
    for module in ("lgpio", "spidev"):
        written(system_packages, f"{module}.py")
    written(root, "proc/1/cmdline", "/sbin/init")
    (root / "proc/1/fd").mkdir()
    return Computer(
        root=root,
        run=says("throttled=0x0"),
        may_use=lambda _: True,
        free_bytes=lambda _: 10**10,
        now=lambda: datetime(2026, 11, 1, 20, 15, tzinfo=UTC),
        installed=lambda: datetime(2026, 10, 1, tzinfo=UTC),
        user=lambda: "ann",
        environment={},
        python="3.11.2",
        prefix=root / "opt/tapmat",
        base_prefix=root / "usr",
        packages=(root / "opt/tapmat/lib", system_packages),
        process=4,
    )


class says:  # noqa: N801  # reads well in the tests
    """A fake for running commands: vcgencmd prints *text*, timedatectl *clock*; None: it fails."""

    def __init__(self, text: str | None, clock: str | None = "yes") -> None:
        self.text = text
        self.clock = clock

    def __call__(self, command: Sequence[str]) -> str | None:
        return {"vcgencmd": self.text, "timedatectl": self.clock}.get(command[0])


class secretive(Computer):  # noqa: N801  # reads well in the tests
    """A computer where this user may not look into process 7, which belongs to another user."""

    def entries(self, name: str) -> Sequence[Path] | None:
        return None if name == "proc/7/fd" else super().entries(name)


def only(findings: Iterator[Finding]) -> Finding:
    (finding,) = findings
    return finding


# --- model, system, Python -----------------------------------------------------------------------


def test_a_pi_that_is_well_is_told_so(pi: Computer) -> None:
    assert list(look_at_computer(pi)) == [
        Finding(
            "computer",
            Verdict.OK,
            "Raspberry Pi 4 Model B Rev 1.5, Debian GNU/Linux 12 (bookworm)",
        ),
        Finding("python", Verdict.OK, f"3.11.2 in {pi.prefix}"),
    ]


def test_another_system_on_a_pi_is_a_warning(pi: Computer) -> None:
    written(pi.root, "etc/os-release", 'PRETTY_NAME="Other 1"\nVERSION_CODENAME=bullseye\n')
    finding = next(look_at_computer(pi))
    assert finding.verdict is Verdict.WARN
    assert finding.remedy == "Write Raspberry Pi OS (bookworm or trixie) to its memory card"


def test_any_system_on_another_computer_is_no_fault(pi: Computer) -> None:
    written(pi.root, "proc/device-tree/model", "Some Board")
    written(pi.root, "etc/os-release", 'PRETTY_NAME="Other 1"\n')
    assert next(look_at_computer(pi)) == Finding("computer", Verdict.OK, "Some Board, Other 1")


def test_a_computer_that_says_nothing_of_itself_is_no_fault(pi: Computer) -> None:
    bare = replace(pi, root=pi.root / "nowhere")
    assert next(look_at_computer(bare)) == Finding("computer", Verdict.OK, "not a Raspberry Pi")


def test_python_outside_a_venv_is_a_warning(pi: Computer) -> None:
    _, finding = look_at_computer(replace(pi, prefix=pi.base_prefix))
    assert (finding.verdict, finding.remedy) == (Verdict.WARN, "Run: make setup")


def test_a_venv_that_sees_lgpio_and_not_spidev_is_not_well(pi: Computer) -> None:
    (pi.packages[1] / "spidev.py").unlink()
    _, finding = look_at_computer(pi)
    assert (finding.verdict, finding.found) == (
        Verdict.FAIL,
        f"3.11.2 in {pi.prefix} has no spidev",
    )


def test_a_venv_on_a_pi_that_does_not_see_lgpio_fails_with_the_commands(pi: Computer) -> None:
    _, finding = look_at_computer(replace(pi, packages=pi.packages[:1]))
    assert finding.verdict is Verdict.FAIL
    assert "sudo apt install python3-lgpio" in finding.remedy
    assert f"rm -r {pi.prefix}, then make setup" in finding.remedy


# --- the service ---------------------------------------------------------------------------------

FACTS = "LoadState=loaded\nActiveState=inactive\nUnitFileState=enabled\nResult=success\n"


@pytest.mark.parametrize(
    ("shown", "verdict", "found"),
    [
        (f"{FACTS}WatchdogUSec=10s", Verdict.OK, "it starts when the Pi does; watchdog: 10s"),
        ("LoadState=masked\nActiveState=inactive", Verdict.FAIL, "it is masked"),
        (FACTS.replace("inactive", "failed"), Verdict.WARN, "its last run failed (success)"),
        (FACTS.replace("enabled", "disabled"), Verdict.WARN, "it does not start"),
        (f"{FACTS}WatchdogUSec=0", Verdict.WARN, "a table that hangs is not restarted"),
        (f"{FACTS}WatchdogUSec=infinity", Verdict.WARN, "a table that hangs"),
    ],
)
def test_a_service_is_told_with_what_is_wrong(
    pi: Computer, shown: str, verdict: Verdict, found: str
) -> None:
    finding = only(look_at_service(replace(pi, run=lambda _: shown)))
    assert finding.verdict is verdict
    assert finding.found.startswith(found)
    assert bool(finding.remedy) is (verdict is not Verdict.OK)


@pytest.mark.parametrize("shown", [None, "", "LoadState=not-found\nActiveState=inactive"])
def test_a_computer_without_the_service_is_not_asked_for_it(
    pi: Computer, shown: str | None
) -> None:
    assert list(look_at_service(replace(pi, run=lambda _: shown))) == []


# --- power ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bits", "verdict", "found", "command"),
    [
        ("0x0", Verdict.OK, "always high enough", ""),
        ("0x50005", Verdict.FAIL, "5 V supply is too low right now", "vcgencmd get_throttled"),
        ("0x50000", Verdict.WARN, "5 V supply was too low at least once", "vcgencmd get_throttled"),
        ("0xe0008", Verdict.WARN, "too hot right now", "vcgencmd measure_temp"),
        ("0x80000", Verdict.WARN, "was too hot at least once", "vcgencmd measure_temp"),
        ("0x40000", Verdict.WARN, "was slowed down at least once", "vcgencmd measure_temp"),
        ("0x20000", Verdict.WARN, "was capped at least once", "vcgencmd measure_temp"),
        ("0x50005\nsecond line", Verdict.FAIL, "5 V supply is too low right now", "get_throttled"),
    ],
)
def test_a_brown_out_of_the_computer_is_told_with_what_to_do(
    pi: Computer, bits: str, verdict: Verdict, found: str, command: str
) -> None:
    finding = only(look_at_power(replace(pi, run=says(f"throttled={bits}"))))
    assert finding.verdict is verdict
    assert found in finding.found
    assert finding.remedy.endswith(command)
    assert bool(finding.remedy) == bool(command)


def alarmed(pi: Computer, alarm: str) -> None:
    """Write *alarm* as the state of the kernel's low-voltage alarm, which has no memory."""
    written(pi.root, "sys/class/hwmon/hwmon0/name", "cpu_thermal\n")
    written(pi.root, "sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    written(pi.root, "sys/class/hwmon/hwmon1/in0_lcrit_alarm", alarm)


def test_where_vcgencmd_does_not_tell_the_kernel_tells_of_now_alone(pi: Computer) -> None:
    alarmed(pi, "0\n")
    finding = only(look_at_power(replace(pi, run=says(None))))
    assert finding == Finding(
        "power",
        Verdict.SKIP,
        "not checked: the Pi's 5 V supply and heat since it was switched on, because vcgencmd does "
        "not answer; right now the 5 V supply is high enough",
        "Check with: sudo vcgencmd get_throttled",
    )


def test_a_supply_that_the_kernel_calls_too_low_fails(pi: Computer) -> None:
    alarmed(pi, "1\n")
    now, history = look_at_power(replace(pi, run=says(None)))
    assert (now.verdict, now.found) == (Verdict.FAIL, "the Pi's 5 V supply is too low right now")
    assert history.verdict is Verdict.SKIP
    assert "high enough" not in history.found


@pytest.mark.parametrize(
    "told",
    [
        None,
        "",
        "Can't open device file: /dev/vcio\nTry creating a device file with: sudo mknod /dev/vcio",
        "throttled=\nerror=1",
    ],
)
def test_a_power_that_nobody_tells_is_not_called_well(pi: Computer, told: str | None) -> None:
    finding = only(look_at_power(replace(pi, run=says(told))))
    assert finding.verdict is Verdict.SKIP
    assert finding.found.startswith("not checked: ")
    assert "enough" not in finding.found


def test_a_user_who_may_not_ask_the_firmware_is_told_the_group(pi: Computer) -> None:
    written(pi.root, "dev/vcio")
    shut = replace(pi, run=says(None), may_use=lambda path: path.name != "vcio")
    finding = only(look_at_power(shut))
    assert finding.verdict is Verdict.SKIP
    assert "sudo adduser $USER video" in finding.remedy


def test_another_computer_is_not_asked_for_its_power(pi: Computer) -> None:
    written(pi.root, "proc/device-tree/model", "Some Board")
    assert list(look_at_power(replace(pi, run=says("throttled=0x1")))) == []


# --- clock, sound --------------------------------------------------------------------------------


def test_a_clock_that_was_never_set_is_a_warning(pi: Computer) -> None:
    assert only(look_at_clock(pi)) == Finding(
        "clock", Verdict.OK, "2026-11-01 20:15 UTC, set by the network"
    )
    finding = only(look_at_clock(replace(pi, now=lambda: datetime(1970, 1, 1, tzinfo=UTC))))
    assert finding.verdict is Verdict.WARN
    assert "timedatectl" in finding.remedy


@pytest.mark.parametrize(
    ("asked", "why"), [("no", "nothing has set it"), (None, "timedatectl does not report")]
)
def test_a_clock_that_only_looks_right_is_not_called_well(
    pi: Computer, asked: str | None, why: str
) -> None:
    """A Pi without a battery-backed clock goes on from the time at which it was switched off."""
    finding = only(look_at_clock(replace(pi, run=says(None, asked))))
    assert finding.verdict is Verdict.SKIP
    assert why in finding.found
    assert finding.remedy.startswith("Compare it with a watch.")


@pytest.mark.parametrize(("off_s", "verdict"), [(60, Verdict.OK), (86_400, Verdict.SKIP)])
def test_a_clock_of_the_computer_s_own_vouches_only_if_it_agrees(
    pi: Computer, off_s: int, verdict: Verdict
) -> None:
    """The clock of a Pi 5 without a battery starts in 1970."""
    written(pi.root, "sys/class/rtc/rtc0/since_epoch", f"{int(pi.now().timestamp()) - off_s}\n")
    assert only(look_at_clock(replace(pi, run=says(None, "no")))).verdict is verdict


def test_a_disk_that_holds_no_more_files_fails_though_it_has_room(pi: Computer) -> None:
    assert only(look_at_disk(pi, pi.root)).verdict is Verdict.OK
    unlimited = replace(pi, free_files=lambda _: None)
    assert only(look_at_disk(unlimited, pi.root)).verdict is Verdict.OK
    finding = only(look_at_disk(replace(pi, free_files=lambda _: 0), pi.root))
    assert finding.verdict is Verdict.FAIL
    assert "no more files can be created" in finding.found
    assert "--inodes" in finding.remedy


@pytest.mark.parametrize("cards", ["--- no soundcards ---\n", ""])
def test_a_computer_without_a_sound_card_is_a_warning(pi: Computer, cards: str) -> None:
    assert only(look_at_sound(pi)) == Finding("sound card", Verdict.OK, "bcm2835 Headphones")
    written(pi.root, "proc/asound/cards", cards)
    finding = only(look_at_sound(pi))
    assert finding.verdict is Verdict.WARN
    assert "dtparam=audio=on" in finding.remedy


@pytest.mark.parametrize(
    ("status", "verdict"), [("connected\n", Verdict.SKIP), ("disconnected\n", Verdict.WARN)]
)
def test_hdmi_alone_is_not_called_well(pi: Computer, status: str, verdict: Verdict) -> None:
    hdmi = " 0 [vc4hdmi0       ]: vc4-hdmi - vc4-hdmi-0\n"
    written(pi.root, "proc/asound/cards", hdmi)
    written(pi.root, "sys/class/drm/card1-HDMI-A-1/status", status)
    assert only(look_at_sound(pi)).verdict is verdict
    written(pi.root, "proc/asound/cards", f"{hdmi} 1 [Device         ]: USB-Audio - USB Audio\n")
    assert only(look_at_sound(pi)).verdict is Verdict.OK


def test_a_clock_before_the_installation_is_a_warning(pi: Computer) -> None:
    late = replace(pi, installed=lambda: datetime(2027, 1, 1, tzinfo=UTC))
    finding = only(look_at_clock(late))
    assert finding.verdict is Verdict.WARN
    assert "installed at 2027-01-01" in finding.found


# --- buses ---------------------------------------------------------------------------------------


def test_buses_that_are_on_are_told_with_their_speed(pi: Computer) -> None:
    assert list(look_at_buses(pi, CONFIG)) == [
        Finding("SPI 0.0", Verdict.OK, "/dev/spidev0.0, 1 MHz"),
        Finding("I2C 1", Verdict.OK, "/dev/i2c-1, set to 400 kHz"),
        Finding("pins", Verdict.OK, "/dev/gpiochip0, brcm,bcm2711-gpio"),
    ]


def test_a_chip_select_of_several_readers_is_told_with_each_rate(pi: Computer) -> None:
    first = replace(CONFIG.readers[0], spi_mhz=4)
    config = replace(CONFIG, readers=(first, replace(first, spot="hand", spi_mhz=1)))
    told = next(iter(look_at_buses(pi, config)))
    assert told == Finding("SPI 0.0", Verdict.OK, "/dev/spidev0.0, 1 and 4 MHz")


@pytest.mark.parametrize(
    ("node", "part", "group"),
    [("spidev0.0", "SPI 0.0", "spi"), ("i2c-1", "I2C 1", "i2c"), ("gpiochip0", "pins", "gpio")],
)
def test_a_device_of_a_group_one_is_not_in_fails_with_the_command(
    pi: Computer, node: str, part: str, group: str
) -> None:
    shut = replace(pi, may_use=lambda path: path.name != node)
    (finding,) = (f for f in look_at_buses(shut, CONFIG) if f.verdict is not Verdict.OK)
    assert finding == Finding(
        part,
        Verdict.FAIL,
        f"you may not use /dev/{node}",
        f"Join its group: sudo adduser $USER {group}, then log in again or reboot",
    )


def test_the_pins_are_those_of_the_header_s_chip(pi: Computer) -> None:
    """On a Pi 5 whose chips are numbered 11 to 15, only the header's chip is checked."""
    (pi.root / "dev/gpiochip0").unlink()
    shutil.rmtree(pi.root / "sys/bus/gpio")
    gpio_chips(pi.root, PI_5_FROM_11)
    pins = [f for f in look_at_buses(pi, CONFIG) if f.part == "pins"]
    assert pins == [Finding("pins", Verdict.OK, "/dev/gpiochip15, raspberrypi,rp1-gpio")]

    shut = replace(pi, may_use=lambda path: path.name == "gpiochip11")
    (found,) = (f for f in look_at_buses(shut, CONFIG) if f.part == "pins")
    assert (found.verdict, found.found) == (Verdict.FAIL, "you may not use /dev/gpiochip15")


def test_a_header_without_a_chip_fails_and_does_not_vanish(pi: Computer) -> None:
    (pi.root / "dev/gpiochip0").unlink()
    (found,) = (f for f in look_at_buses(pi, CONFIG) if f.part == "pins")
    assert (found.verdict, found.found) == (
        Verdict.FAIL,
        "/dev/gpiochip0, the chip of the pin header, is not there",
    )


def test_a_laptop_is_not_asked_for_a_header(pi: Computer) -> None:
    written(pi.root, "proc/device-tree/model", "Some Board")
    assert [f.part for f in look_at_buses(pi, CONFIG)] == ["SPI 0.0", "I2C 1"]


def test_a_chip_select_that_another_overlay_took_fails(pi: Computer, tmp_path: Path) -> None:
    (pi.root / "dev/spidev0.0").unlink()
    driver = pi.root / "sys/bus/spi/devices/spi0.0/driver"
    driver.parent.mkdir(parents=True)
    driver.symlink_to("../../../../bus/spi/drivers/mcp251x")
    board = PiBoard(pi.root)
    report = Examination(CONFIG, lambda _: board, pi).run(tmp_path / "state")
    (finding,) = (each for each in report.findings if each.part == "SPI")
    assert finding.found == "the driver mcp251x uses chip select 0.0"
    assert "dtoverlay line" in finding.remedy


# --- conflicts -----------------------------------------------------------------------------------


def test_no_conflict_is_told_too(pi: Computer) -> None:
    assert only(look_at_conflicts(pi)).verdict is Verdict.OK


def test_the_old_pin_library_is_a_warning_with_how_to_take_it_out(pi: Computer) -> None:
    for folder in pi.packages:
        written(folder, "RPi/_GPIO.cpython-311-aarch64-linux-gnu.so")
    own, systems = look_at_conflicts(pi)
    assert (own.verdict, systems.verdict) == (Verdict.WARN, Verdict.WARN)
    assert own.remedy == f"Remove it: {pi.prefix}/bin/pip uninstall RPi.GPIO"
    assert systems.remedy == "Remove it: sudo apt remove python3-rpi.gpio"


def test_the_shim_over_lgpio_is_no_conflict(pi: Computer) -> None:
    written(pi.packages[0], "RPi/GPIO/__init__.py")
    assert only(look_at_conflicts(pi)).verdict is Verdict.OK


def test_another_pin_factory_is_a_warning(pi: Computer) -> None:
    environment = {"GPIOZERO_PIN_FACTORY": "rpigpio"}
    finding = only(look_at_conflicts(replace(pi, environment=environment)))
    assert finding.verdict is Verdict.WARN
    assert "unset GPIOZERO_PIN_FACTORY" in finding.remedy


def test_a_program_that_has_a_readers_bus_open_is_named(pi: Computer) -> None:
    for process, name, device in (
        (7, "other", "spidev0.0"),
        (8, "else", "null"),
        (4, "us", "spidev0.0"),
    ):
        written(pi.root, f"proc/{process}/comm", f"{name}\n")
        handle = pi.root / f"proc/{process}/fd/3"
        handle.parent.mkdir()
        handle.symlink_to(f"/dev/{device}")
    finding = only(look_for_other_users(pi, CONFIG))
    assert finding.verdict is Verdict.WARN
    assert finding.found.startswith("other (process 7) has /dev/spidev0.0 open")
    assert finding.remedy == "Stop it: sudo kill 7"


def test_that_no_program_has_it_open_is_said_only_when_all_were_seen(pi: Computer) -> None:
    assert only(look_for_other_users(pi, CONFIG)) == Finding(
        "other programs", Verdict.OK, "no other program has /dev/spidev0.0 open"
    )


def test_programs_of_other_users_are_not_called_harmless_unseen(pi: Computer) -> None:
    hidden = secretive(**vars(pi))
    written(pi.root, "proc/7/cmdline", "/usr/bin/other")
    (pi.root / "proc/7/fd").mkdir()
    assert only(look_for_other_users(hidden, CONFIG)) == Finding(
        "other programs",
        Verdict.SKIP,
        "not checked: programs of other users (1) may have /dev/spidev0.0 open, but only root can "
        "see that",
        "Check with: sudo fuser -v /dev/spidev0.0",
    )
    written(pi.root, "proc/7/cmdline", "")  # a kernel thread has no command line
    assert only(look_for_other_users(hidden, CONFIG)).verdict is Verdict.OK


def test_processes_that_are_not_even_listed_are_not_called_harmless(pi: Computer) -> None:
    """The service itself cannot see other users' processes: its unit has ProtectProc=invisible."""
    shutil.rmtree(pi.root / "proc/1")
    finding = only(look_for_other_users(pi, CONFIG))
    assert finding.verdict is Verdict.SKIP
    assert "not checked: programs of other users" in finding.found


# --- all of it -----------------------------------------------------------------------------------


def test_a_pi_with_nothing_wrong_is_well(pi: Computer, tmp_path: Path) -> None:
    state = state_folder(tmp_path / "state")
    with closing(TagRegister(state / REGISTER)) as register:
        enrol_decks(register, CONFIG)
    report = Examination(CONFIG, EmulatedBoard, pi, DoctorOptions(is_quick=True)).run(state)
    assert [f.part for f in report.findings if f.verdict is not Verdict.OK] == ["speech"]
    assert report.verdict is Verdict.SKIP  # skipped, since with --quick nothing is spoken
    parts = [finding.part for finding in report.findings]
    for part in ("power", "conflicts", "SPI 0.0", "I2C 1", "pins", "sound card", "reader play"):
        assert part in parts


def test_the_parts_of_a_running_service_are_not_touched(pi: Computer, tmp_path: Path) -> None:
    def untouchable(_: object) -> Board:
        raise AssertionError("the parts were touched")

    active = replace(pi, run=lambda command: "active" if command[0] == "systemctl" else None)
    report = Examination(CONFIG, untouchable, active).run(tmp_path / "state")
    finding = report.findings[-1]
    assert (finding.part, finding.verdict) == ("service", Verdict.WARN)
    assert "sudo systemctl stop tapmat" in finding.remedy


def test_programs_that_fail_or_are_not_there_tell_nothing() -> None:
    assert run(("tapmat-no-such-program",)) is None


def test_an_update_that_was_undone_is_reported(pi: Computer) -> None:
    assert list(look_at_updates(pi)) == []
    written(
        pi.root, "opt/tapmat/rolled-back", "The update 0.2.0-a failed, so 0.1.0-b runs.\n  log\n"
    )
    (finding,) = look_at_updates(pi)
    assert finding.verdict is Verdict.WARN
    assert finding.found == "The update 0.2.0-a failed, so 0.1.0-b runs"
    assert "sudo cat /var/lib/tapmat/log.txt" in finding.remedy
