"""The systemd units, also checked by systemd itself where it is installed."""

import re
import shutil
import subprocess
from configparser import RawConfigParser
from pathlib import Path

import pytest

import firmware.pi
from firmware.commands.beside import SOCKET_VARIABLE, socket_path
from firmware.common.state_path import HALL_CREDENTIAL
from firmware.pi import releases, service, state, steps

PI = Path(firmware.pi.__file__).parent
UNITS = sorted((*PI.glob("*.service"), *PI.glob("*.timer")))
SERVICES = [unit for unit in UNITS if unit.suffix == ".service"]
# Systemd 252 does not know this key. It says so, goes on, and does not need it: see the unit.
NOT_KNOWN_BEFORE_254 = "Unknown key 'RestartMode' in section [Service], ignoring."
MOST_EXPOSED = 2.5  # limit of the exposure level, from 0 to 10, that systemd computes

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze here"
)


def in_root(unit: Path, root: Path) -> Path:
    """Copy the units and fake programs below *root*, and return the path of *unit* there."""
    folder = root / "etc/systemd/system"
    folder.mkdir(parents=True)
    for each in UNITS:
        shutil.copy(each, folder)
    for target in (
        "basic",
        "multi-user",
        "shutdown",
        "sound",
        "sysinit",
        "timers",
    ):  # of any system
        (folder / f"{target}.target").write_text("[Unit]\n", encoding="utf-8")
    for name in ("opt/tapmat/current/bin/tapmat", "opt/tapmat/previous/bin/python", "usr/bin/rm"):
        program = root / name
        program.parent.mkdir(parents=True)
        program.write_text("#!/bin/sh\n", encoding="utf-8")
        program.chmod(0o755)
    return folder / unit.name


@needs_systemd
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_accepts_the_unit(unit: Path, tmp_path: Path) -> None:
    found = in_root(unit, tmp_path)
    done = subprocess.run(
        ["systemd-analyze", "verify", f"--root={tmp_path}", "--man=no", found.name],
        capture_output=True,
        text=True,
        check=False,
    )
    told = [line for line in done.stderr.splitlines() if "tapmat" in line]
    assert [line for line in told if not line.endswith(NOT_KNOWN_BEFORE_254)] == []


@needs_systemd
@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_the_unit_is_hardened(unit: Path, tmp_path: Path) -> None:
    in_root(unit, tmp_path)
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", f"--root={tmp_path}", unit.name],
        capture_output=True,
        text=True,
        check=False,
    )
    (exposed,) = re.findall(r"exposure level for \S+: ([0-9.]+)", done.stdout)
    assert float(exposed) <= MOST_EXPOSED


def read(name: str) -> RawConfigParser:
    """Return the parsed unit file *name*; of a repeated key, the last value."""
    parser = RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    (file,) = (unit for unit in UNITS if unit.name == name)
    parser.read_string(file.read_text(encoding="utf-8"))
    return parser


def settings(name: str) -> dict[str, list[str]]:
    """Return the values of each key in the section ``[Service]`` of the unit file *name*.

    A key such as ``DeviceAllow=`` has several, and the order of ``SystemCallFilter=`` counts.
    """
    (file,) = (unit for unit in UNITS if unit.name == name)
    section = file.read_text(encoding="utf-8").partition("[Service]\n")[2].partition("\n[")[0]
    values: dict[str, list[str]] = {}
    for line in section.splitlines():
        key, is_setting, value = line.partition("=")
        if is_setting and not line.startswith("#"):
            values.setdefault(key, []).append(value)
    return values


def test_both_units_are_hardened_alike() -> None:
    table, safe = (settings(name) for name in ("tapmat.service", "tapmat-safe.service"))
    own = {"Type", "ExecStart", "Restart", "RestartMode", "RestartSec", "WatchdogSec",
           "RestartPreventExitStatus", "TimeoutStartSec", "TimeoutStopSec",
           "ReadWritePaths"}  # fmt: skip
    assert {k: v for k, v in table.items() if k not in own} == {
        k: v for k, v in safe.items() if k not in own
    }


@pytest.mark.parametrize("name", ["tapmat.service", "tapmat-safe.service"])
def test_the_doctor_may_ask_the_firmware_about_the_power(name: str) -> None:
    """Safe mode writes the doctor's report by itself, and the report has the power history."""
    assert "/dev/vcio rw" in settings(name)["DeviceAllow"]


def test_after_a_few_starts_the_safe_mode_takes_over() -> None:
    unit = read("tapmat.service")["Unit"]
    assert unit["OnFailure"].split()[-1] == "tapmat-safe.service"
    # Starts that time out or are ended by the watchdog are the slowest; all must fall into the
    # interval.
    starts, within_s = int(unit["StartLimitBurst"]), float(unit["StartLimitIntervalSec"])
    service = read("tapmat.service")["Service"]
    longest_s = max(float(service["TimeoutStartSec"]), float(service["WatchdogSec"]))
    once_s = longest_s + float(service["TimeoutStopSec"]) + float(service["RestartSec"])
    assert starts * once_s < within_s


def test_the_table_and_safe_mode_wait_for_the_end_of_each_other() -> None:
    """They share a runtime folder. One order is enough: systemd stops first, then starts."""
    table, safe = (read(f"tapmat{name}.service") for name in ("", "-safe"))
    assert "tapmat-safe.service" in table["Unit"]["After"].split()
    assert "tapmat.service" in safe["Unit"]["Conflicts"].split()
    assert table["Service"]["RuntimeDirectory"] == safe["Service"]["RuntimeDirectory"]


def test_a_failure_before_a_restart_starts_no_safe_mode() -> None:
    assert read("tapmat.service")["Service"]["RestartMode"] == "direct"


def test_nothing_is_run_before_the_table() -> None:
    """A unit before the table's would delay the first screen."""
    assert "ExecStartPre" not in read("tapmat.service")["Service"]


def test_a_version_on_trial_gives_way_before_safe_mode_takes_over() -> None:
    """Both are started at once; safe mode waits until the return has succeeded or failed."""
    started = read("tapmat.service")["Unit"]["OnFailure"].split()
    assert started == ["tapmat-rollback.service", "tapmat-safe.service"]
    assert read("tapmat-safe.service")["Unit"]["After"] == "tapmat-rollback.service"
    assert read("tapmat-rollback.service")["Service"]["Type"] == "oneshot"


def test_the_previous_version_does_the_return() -> None:
    command = read("tapmat-rollback.service")["Service"]["ExecStart"].split()
    assert command[0] == f"/{releases.PREVIOUS}/bin/python"
    assert command[-2:] == ["-m", "firmware.pi.trial"]


def test_a_trial_lasts_ten_minutes_of_a_running_table() -> None:
    timer = read("tapmat-trial.timer")
    assert timer["Timer"]["OnActiveSec"] == "10min"
    assert "tapmat-trial.timer" in read("tapmat.service")["Unit"]["Wants"]
    assert (timer["Unit"]["PartOf"], timer["Unit"]["After"]) == ("tapmat.service",) * 2
    assert "tapmat-trial.timer" in read("tapmat-safe.service")["Unit"]["Conflicts"].split()


def test_a_trial_is_one_file_for_all_units() -> None:
    mark = f"/{releases.TRIAL}"
    for name in ("tapmat-trial.timer", "tapmat-rollback.service"):
        assert read(name)["Unit"]["ConditionPathExists"] == mark
    assert read("tapmat-trial.service")["Service"]["ExecStart"] == f"/usr/bin/rm -f {mark}"


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_the_installer_knows_its_own_units_again(unit: Path) -> None:
    """It removes no unit that somebody else has written."""
    assert service.WRITTEN in unit.read_text(encoding="utf-8").partition("\n")[0]


beside = pytest.mark.parametrize("program", [service.COMPANION, service.MQTT])


@beside
def test_the_table_has_no_network_and_a_program_beside_it_has_no_table(program: str) -> None:
    table, companion = settings("tapmat.service"), settings(program)
    assert table["PrivateNetwork"] == ["yes"]
    assert "PrivateNetwork" not in companion
    assert companion["PrivateDevices"] == ["yes"]
    assert "DeviceAllow" not in companion
    assert "User" not in companion, "the table's user could stop the table"
    assert companion["SupplementaryGroups"] == [steps.USER]
    hidden = companion["InaccessiblePaths"][0].split()
    assert {f"-/{state.STATE}", f"-/{service.CACHE}"} <= set(hidden)
    assert companion["IPAddressDeny"] == ["any"], "nothing outside the house"


@pytest.mark.parametrize("program", [service.COMPANION, service.MQTT, service.HALL])
def test_a_program_connects_where_the_table_listens(program: str) -> None:
    table, companion = settings("tapmat.service"), settings(program)
    runtime = {"RUNTIME_DIRECTORY": f"/run/{table['RuntimeDirectory'][0]}"}
    path = socket_path(runtime, Path("unused"))
    assert f"{SOCKET_VARIABLE}={path}" in companion["Environment"][0].split()


def test_the_sender_to_a_hall_reads_the_games_and_writes_nothing() -> None:
    table, sender = settings("tapmat.service"), settings(service.HALL)
    assert sender["User"] == table["User"]
    assert sender["ProtectSystem"] == ["strict"]
    assert not {"ReadWritePaths", "StateDirectory", "BindPaths", "DeviceAllow"} & {*sender}
    assert sender["IPAddressDeny"] == ["any"], "nothing outside the house"
    credential = f"/{state.STATE}/{HALL_CREDENTIAL}"
    assert read(service.HALL)["Unit"]["ConditionPathExists"] == credential


@pytest.mark.parametrize("program", [service.COMPANION, service.MQTT, service.HALL])
def test_a_program_starts_and_stops_with_the_table_but_does_not_fall_with_it(program: str) -> None:
    unit = read(program)
    assert (unit["Unit"]["PartOf"], unit["Install"]["WantedBy"]) == ("tapmat.service",) * 2
    assert not {"Requires", "BindsTo"} & {*unit["Unit"]}
    assert "companion" not in (PI / "tapmat.service").read_text(encoding="utf-8")
