"""The units of systemd, looked at by systemd itself where it is installed."""

import re
import shutil
import subprocess
from configparser import RawConfigParser
from pathlib import Path

import pytest

import firmware.pi

UNITS = sorted(Path(firmware.pi.__file__).parent.glob("*.service"))
MOST_EXPOSED = 2.5  # of 10, by systemd's own reckoning

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze here"
)


def in_root(unit: Path, root: Path) -> Path:
    """Put every unit, and what they start, where systemd looks for them below *root*."""
    folder = root / "etc/systemd/system"
    folder.mkdir(parents=True)
    for each in UNITS:
        shutil.copy(each, folder)
    for target in ("basic", "multi-user", "shutdown", "sound", "sysinit"):  # of any system
        (folder / f"{target}.target").write_text("[Unit]\n", encoding="utf-8")
    program = root / "opt/tapmat/current/bin/tapmat"
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
    assert told == []


@needs_systemd
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
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
    """One unit; of a key that stands several times, the last."""
    parser = RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    (file,) = (unit for unit in UNITS if unit.name == name)
    parser.read_string(file.read_text(encoding="utf-8"))
    return parser


def test_both_units_are_hardened_alike() -> None:
    table, safe = (
        dict(read(name)["Service"]) for name in ("tapmat.service", "tapmat-safe.service")
    )
    own = {"Type", "ExecStartPre", "ExecStart", "Restart", "RestartSec", "WatchdogSec",
           "RestartPreventExitStatus", "TimeoutStartSec", "TimeoutStopSec"}  # fmt: skip
    assert {k: v for k, v in table.items() if k not in own} == {
        k: v for k, v in safe.items() if k not in own
    }


def test_after_a_few_starts_the_safe_mode_takes_over() -> None:
    unit = read("tapmat.service")["Unit"]
    assert unit["OnFailure"] == "tapmat-safe.service"
    # Three starts, each two seconds after the watchdog's ten at most, fall within the limit's time.
    starts, within_s = int(unit["StartLimitBurst"]), float(unit["StartLimitIntervalSec"])
    service = read("tapmat.service")["Service"]
    once_s = float(service["RestartSec"]) + float(service["WatchdogSec"])
    assert starts * once_s < within_s
