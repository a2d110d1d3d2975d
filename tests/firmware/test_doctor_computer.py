"""The doctor on the computer itself: a folder in place of the root of its file system."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from firmware.config import load_config
from firmware.doctor.buses import look_at_buses, users_of
from firmware.doctor.computer import Computer, run
from firmware.doctor.examination import Examination, Manner
from firmware.doctor.findings import Finding, Verdict
from firmware.doctor.system import (
    look_at_clock,
    look_at_computer,
    look_at_conflicts,
    look_at_power,
    look_at_sound,
)
from hardware.ports import Board
from sim.board import EmulatedBoard

CONFIG = load_config()


def written(root: Path, name: str, text: str | bytes = "") -> Path:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


@pytest.fixture
def pi(tmp_path: Path) -> Computer:
    """A Raspberry Pi on which all is well."""
    root = tmp_path / "root"
    written(root, "proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.5\0")
    written(
        root,
        "etc/os-release",
        'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_CODENAME=bookworm\n',
    )
    written(root, "proc/asound/cards", " 0 [Headphones     ]: bcm2835 - bcm2835 Headphones\n")
    for node in ("spidev0.0", "i2c-1", "gpiochip0"):
        written(root, f"dev/{node}")
    written(
        root,
        "sys/class/i2c-adapter/i2c-1/of_node/clock-frequency",
        (400_000).to_bytes(4, "big"),
    )
    system_packages = root / "usr/lib/python3/dist-packages"
    written(system_packages, "lgpio.py")
    return Computer(
        root=root,
        run=says("throttled=0x0"),
        may_use=lambda _: True,
        free_bytes=lambda _: 10**10,
        now=lambda: datetime(2026, 11, 1, 20, 15, tzinfo=UTC),
        environment={"USER": "ann"},
        python="3.11.2",
        prefix=root / "opt/tapmat",
        base_prefix=root / "usr",
        packages=(root / "opt/tapmat/lib", system_packages),
        process=4,
    )


class says:  # noqa: N801  # reads as a word in the tests
    """A computer whose every program prints *text*; none fails."""

    def __init__(self, text: str | None) -> None:
        self.text = text

    def __call__(self, command: Sequence[str]) -> str | None:
        return self.text if command[0] == "vcgencmd" else None


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
    assert finding.remedy == "Write Raspberry Pi OS (bookworm or trixie) to its card"


def test_any_system_on_another_computer_is_no_fault(pi: Computer) -> None:
    written(pi.root, "proc/device-tree/model", "Some Board")
    written(pi.root, "etc/os-release", 'PRETTY_NAME="Other 1"\n')
    assert next(look_at_computer(pi)) == Finding("computer", Verdict.OK, "Some Board, Other 1")


def test_a_computer_that_says_nothing_of_itself_is_no_fault(pi: Computer) -> None:
    bare = replace(pi, root=pi.root / "nowhere")
    assert next(look_at_computer(bare)) == Finding("computer", Verdict.OK, "no Raspberry Pi")


def test_python_outside_a_venv_is_a_warning(pi: Computer) -> None:
    _, finding = look_at_computer(replace(pi, prefix=pi.base_prefix))
    assert (finding.verdict, finding.remedy) == (Verdict.WARN, "Run: make setup")


def test_a_venv_on_a_pi_that_does_not_see_lgpio_fails_with_the_commands(pi: Computer) -> None:
    _, finding = look_at_computer(replace(pi, packages=pi.packages[:1]))
    assert finding.verdict is Verdict.FAIL
    assert "sudo apt install python3-lgpio" in finding.remedy
    assert f"rm -r {pi.prefix}, then make setup" in finding.remedy


# --- power ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bits", "verdict", "found", "command"),
    [
        ("0x0", Verdict.OK, "always high enough", ""),
        ("0x50005", Verdict.FAIL, "5 V is too low just now", "vcgencmd get_throttled"),
        ("0x50000", Verdict.WARN, "5 V was too low since", "vcgencmd get_throttled"),
        ("0xe0008", Verdict.WARN, "too hot just now", "vcgencmd measure_temp"),
        ("0x80000", Verdict.WARN, "was too hot since", "vcgencmd measure_temp"),
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


@pytest.mark.parametrize(("alarm", "verdict"), [("1\n", Verdict.FAIL), ("0\n", Verdict.OK)])
def test_where_vcgencmd_does_not_tell_the_kernel_does(
    pi: Computer, alarm: str, verdict: Verdict
) -> None:
    written(pi.root, "sys/class/hwmon/hwmon0/name", "cpu_thermal\n")
    written(pi.root, "sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    written(pi.root, "sys/class/hwmon/hwmon1/in0_lcrit_alarm", alarm)
    assert only(look_at_power(replace(pi, run=says(None)))).verdict is verdict


def test_a_power_that_nobody_tells_is_no_fault(pi: Computer) -> None:
    finding = only(look_at_power(replace(pi, run=says(None))))
    assert finding.verdict is Verdict.OK
    assert finding.found.startswith("not known")


def test_another_computer_is_not_asked_for_its_power(pi: Computer) -> None:
    written(pi.root, "proc/device-tree/model", "Some Board")
    assert list(look_at_power(replace(pi, run=says("throttled=0x1")))) == []


# --- clock, sound --------------------------------------------------------------------------------


def test_a_clock_that_was_never_set_is_a_warning(pi: Computer) -> None:
    assert only(look_at_clock(pi)) == Finding("clock", Verdict.OK, "2026-11-01 20:15 UTC")
    finding = only(look_at_clock(replace(pi, now=lambda: datetime(1970, 1, 1, tzinfo=UTC))))
    assert finding.verdict is Verdict.WARN
    assert "timedatectl" in finding.remedy


@pytest.mark.parametrize("cards", ["--- no soundcards ---\n", ""])
def test_a_computer_without_a_sound_card_is_a_warning(pi: Computer, cards: str) -> None:
    assert only(look_at_sound(pi)) == Finding("sound card", Verdict.OK, "bcm2835 Headphones")
    written(pi.root, "proc/asound/cards", cards)
    finding = only(look_at_sound(pi))
    assert finding.verdict is Verdict.WARN
    assert "dtparam=audio=on" in finding.remedy


# --- buses ---------------------------------------------------------------------------------------


def test_buses_that_are_on_are_told_with_their_speed(pi: Computer) -> None:
    assert list(look_at_buses(pi, CONFIG)) == [
        Finding("SPI 0.0", Verdict.OK, "/dev/spidev0.0, 1 MHz"),
        Finding("I2C 1", Verdict.OK, "/dev/i2c-1, set to 400 kHz"),
        Finding("pins", Verdict.OK, "/dev/gpiochip0"),
    ]


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
        f"Join its group: sudo adduser ann {group}, then log in again",
    )


def test_a_chip_select_that_another_overlay_took_fails(pi: Computer) -> None:
    (pi.root / "dev/spidev0.0").unlink()
    driver = pi.root / "sys/bus/spi/devices/spi0.0/driver"
    driver.parent.mkdir(parents=True)
    driver.symlink_to("../../../../bus/spi/drivers/mcp251x")
    finding = next(look_at_buses(pi, CONFIG))
    assert (finding.verdict, finding.found) == (Verdict.FAIL, "the driver mcp251x has it")
    assert "dtoverlay line" in finding.remedy


# --- conflicts -----------------------------------------------------------------------------------


def test_no_conflict_is_told_too(pi: Computer) -> None:
    assert only(look_at_conflicts(pi)).verdict is Verdict.OK


def test_the_old_pin_library_is_a_warning_with_how_to_take_it_out(pi: Computer) -> None:
    for folder in pi.packages:
        written(folder, "RPi/_GPIO.cpython-311-aarch64-linux-gnu.so")
    own, systems = look_at_conflicts(pi)
    assert (own.verdict, systems.verdict) == (Verdict.WARN, Verdict.WARN)
    assert own.remedy == f"Take it out: {pi.prefix}/bin/pip uninstall RPi.GPIO"
    assert systems.remedy == "Take it out: sudo apt remove python3-rpi.gpio"


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
    finding = only(users_of(pi, CONFIG))
    assert finding.verdict is Verdict.WARN
    assert finding.found.startswith("other (process 7) has /dev/spidev0.0 open")
    assert finding.remedy == "End it: sudo kill 7"


# --- all of it -----------------------------------------------------------------------------------


def test_a_pi_with_nothing_wrong_is_well(pi: Computer, tmp_path: Path) -> None:
    report = Examination(CONFIG, EmulatedBoard, pi, Manner(is_quick=True)).of(tmp_path / "state")
    assert [f for f in report.findings if f.verdict is not Verdict.OK] == []
    parts = [finding.part for finding in report.findings]
    for part in ("power", "conflicts", "SPI 0.0", "I2C 1", "pins", "sound card", "reader play"):
        assert part in parts


def test_the_parts_of_a_running_service_are_not_touched(pi: Computer, tmp_path: Path) -> None:
    def untouchable(_: object) -> Board:
        raise AssertionError("the parts were touched")

    active = replace(pi, run=lambda command: "active" if command[0] == "systemctl" else None)
    report = Examination(CONFIG, untouchable, active).of(tmp_path / "state")
    finding = report.findings[-1]
    assert (finding.part, finding.verdict) == ("service", Verdict.WARN)
    assert "sudo systemctl stop tapmat" in finding.remedy


def test_programs_that_fail_or_are_not_there_tell_nothing() -> None:
    assert run(("tapmat-no-such-program",)) is None
