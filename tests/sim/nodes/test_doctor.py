"""Tests of the unmodified ``tapmat doctor`` on an emulated Pi: it finds what is wrong."""

import errno
import json
import os
import pwd
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from firmware.config.table_config import load_config
from tests.sim.nodes.child import LIMIT_S, PiChildren

pytestmark = pytest.mark.real_time

DOCTOR = [sys.executable, "-m", "firmware.commands.start", "doctor", "--json"]
CONFIG = load_config()
PARTS = (
    "computer", "SPI 0.0", "I2C 1", "pins", "reader play", "display", "lamps", "controls", "buzzer",
)  # fmt: skip

Findings = Mapping[str, Mapping[str, str]]


def examine(on_pi: PiChildren) -> Findings:
    """Run the doctor; return the last finding about each part."""
    with on_pi.start(DOCTOR, stderr=subprocess.STDOUT) as program:
        output, _ = program.process.communicate(timeout=LIMIT_S)
    report = json.loads(output)
    failed = any(finding["verdict"] == "FAIL" for finding in report["findings"])
    assert (program.process.returncode == 0) is not failed
    return {finding["part"]: finding for finding in report["findings"]}


def failures(found: Findings) -> set[str]:
    return {part for part, finding in found.items() if finding["verdict"] == "FAIL"}


def test_every_part_is_found_in_order(on_pi: PiChildren) -> None:
    found = examine(on_pi)
    assert {part: found[part]["verdict"] for part in PARTS} == dict.fromkeys(PARTS, "OK")
    assert found["I2C 1"]["found"] == "/dev/i2c-1, set to 400 kHz"
    assert found["pins"]["found"] == "/dev/gpiochip0, brcm,bcm2711-gpio"
    assert found["display"]["found"] == "SSD1306 at 0x3C"


def test_spi_that_is_off_is_found(on_pi: PiChildren) -> None:
    for spi in ("0.0", "0.1"):
        on_pi.files.remove_node(f"/dev/spidev{spi}")
    found = examine(on_pi)
    assert failures(found) == {"SPI"}
    assert found["SPI"]["found"] == "/dev/spidev0.0 is not there"
    assert "sudo raspi-config nonint do_spi 0" in found["SPI"]["remedy"]


@pytest.mark.parametrize(
    ("node", "part", "group"),
    [
        ("/dev/spidev0.0", "SPI 0.0", "spi"),
        ("/dev/i2c-1", "I2C 1", "i2c"),
        ("/dev/gpiochip0", "pins", "gpio"),
    ],
)
def test_a_user_outside_the_group_is_reported(
    on_pi: PiChildren, node: str, part: str, group: str
) -> None:
    on_pi.files.refused[node] = errno.EACCES
    found = examine(on_pi)
    assert part in failures(found)
    assert found[part]["found"] == f"you may not use {node}"
    user = pwd.getpwuid(os.geteuid()).pw_name
    assert f"sudo adduser {user} {group}" in found[part]["remedy"]


def test_an_unplugged_reader_is_found(on_pi: PiChildren) -> None:
    on_pi.pi.readers["play"].plug(False)
    found = examine(on_pi)
    assert failures(found) == {"reader play"}
    assert "the reader chip does not answer" in found["reader play"]["found"]


def test_a_display_at_another_address_is_found(tmp_path: Path) -> None:
    assert CONFIG.display is not None
    elsewhere = replace(CONFIG, display=replace(CONFIG.display, address=0x3D))
    found = examine(PiChildren(tmp_path, elsewhere))
    assert failures(found) == {"display"}
    assert found["display"]["found"] == "the display does not answer at I2C address 0x3C"


HOLDER = """
device = open_node("/dev/spidev0.0")
print("ready", flush=True)
sys.stdin.readline()
"""


def test_a_program_that_has_the_reader_open_is_found(on_pi: PiChildren) -> None:
    with on_pi.start(HOLDER, stdin=subprocess.PIPE) as other:
        assert other.process.stdout is not None
        other.process.stdout.readline()
        found = examine(on_pi)
        assert other.process.stdin is not None
        other.process.stdin.close()
    assert found["other programs"]["verdict"] == "WARN"
    assert f"process {other.process.pid}" in found["other programs"]["found"]
