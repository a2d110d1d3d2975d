"""The report that a maker sends: it has the facts, and no personal data."""

import platform
from dataclasses import replace
from pathlib import Path

import pytest

from firmware.config.table_config import load_config
from firmware.doctor.computer import Computer
from firmware.doctor.examination import DoctorOptions, Examination
from firmware.doctor.findings import DoctorReport, Finding, Verdict
from firmware.doctor.report import _without_secrets, report_text
from sim.mat.board import EmulatedBoard
from tests.firmware.test_cli import Tapmat, tapmat
from tests.firmware.test_doctor_hands import Hands

__all__ = ["tapmat"]  # the fixture

PERSON, HOST, WIFI = "zacharias", "zacharias-pi", "zachnet"
NAMES = ("Zacharias", "Leonore", "Ben", "Cem", "Dora", "Emil")
UID = "04 46 CF 54 04 F7 FA"  # of the tag that ``Hands`` lays
BOOT = f"""# written for {PERSON}
dtparam=spi=on # by {PERSON}
dtparam=i2c_arm=on,i2c_arm_baudrate=400000
hostname={HOST}
wifi_ssid={WIFI}
[pi4]
core_freq=500
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / f"{PERSON} the maker"
    folder.mkdir()
    return folder


@pytest.fixture
def pi(tmp_path: Path, home: Path) -> Computer:
    root = tmp_path / "root"
    files = {
        "proc/device-tree/model": b"Raspberry Pi 4 Model B Rev 1.5\0",
        "proc/device-tree/system/linux,revision": (0xC03115).to_bytes(4),
        "etc/os-release": b'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
        "etc/hostname": HOST.encode(),
        "boot/firmware/config.txt": BOOT.encode(),
        "proc/modules": b"spidev 28672 0 - Live\nspi_bcm2835 28672 0 - Live\nzram 1 0 - Live\n",
        "sys/bus/i2c/devices/i2c-1/of_node/clock-frequency": (400_000).to_bytes(4),
        "dev/spidev0.0": b"",
    }
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return Computer(
        root=root,
        run=lambda _: None,
        user=lambda: PERSON,
        environment={"HOME": str(home), "USER": PERSON, "HOSTNAME": HOST},
        prefix=home / "tapmat/.venv",
    )


def examined(home: Path, pi: Computer) -> tuple[DoctorReport, str]:
    """Return what the doctor finds at a personal table with a person's help, and its report."""
    config = replace(load_config(), names=NAMES, file=home / "table of Leonore.toml")
    hands = Hands()

    def opened(_: object) -> EmulatedBoard:
        hands.board = EmulatedBoard(config)
        return hands.board

    options = DoctorOptions(is_emulated=True, person=hands)
    state = home / "games of Leonore"
    report = Examination(config, opened, pi, options).run(state)
    report.findings.append(Finding("clips", Verdict.WARN, f"{home}/clips/Leonore.wav is empty"))
    assert any(UID in line for line in hands.heard)  # the person heard it
    return report, report_text(report, config, pi, state)


def test_a_report_has_no_personal_data(home: Path, pi: Computer) -> None:
    report, text = examined(home, pi)
    for private in (*NAMES, PERSON, HOST, WIFI, "maker", "games of", UID, UID.replace(" ", "")):
        assert private.lower() not in text.lower(), private
    for private in (PERSON, "Leonore"):
        assert private in str(report.findings)  # the doctor's own words have them


def test_a_report_has_the_facts(home: Path, pi: Computer) -> None:
    _, text = examined(home, pi)
    lines = text.splitlines()
    for line in (
        "board: Raspberry Pi 4 Model B Rev 1.5",
        "revision: c03115",
        "system: Debian GNU/Linux 12 (bookworm)",
        f"kernel: {platform.release()} {platform.machine()}",
        "dtparam=spi=on",
        "dtparam=i2c_arm=on,i2c_arm_baudrate=400000",
        "[pi4]",
        "core_freq=500",
        "modules: spi_bcm2835 spidev",
        "I2C clock: 400000 Hz",
        "reader play: mfrc522, SPI 0.0, 1 MHz, reset pin: 25, select pin: None",
        "OK   reader play: MFRC522 version 2.0 (92h), gain 43 dB, self test passed",
        "OK   reader play: a tag with 7 bytes of UID, seen in 100 of 100 polls",
        "OK   journal: none yet",
        "OK   state folder: <path>",
        "WARN clips: left out",
    ):
        assert line in lines, line
    assert any(line.startswith("/dev/spidev0.0: mode 6") for line in lines)
    assert any(line.startswith("reader play: polls ") for line in lines)
    assert "tracker" in lines[-2] or "http" in lines[-2]


def test_paths_of_the_system_stay(home: Path, pi: Computer) -> None:
    found = "/dev/spidev0.0 and /var/lib/tapmat/x and /srv/games, 3.3 V/5 V; /usrs/ann"
    report = DoctorReport([Finding("part", Verdict.FAIL, found)])
    text = report_text(report, load_config(), pi, None)
    wanted = "/dev/spidev0.0 and /var/lib/tapmat/x and <path>, 3.3 V/5 V; <path>"
    assert f"FAIL part: {wanted}" in text


# --- the command ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("named", "written"), [((), "state/report.txt"), (("my.txt",), "my.txt")])
def test_a_report_is_printed_and_written(
    tapmat: Tapmat, named: tuple[str, ...], written: str
) -> None:
    ended = tapmat("doctor", "--sim", "--quick", "--state", "state", "--report", *named)
    assert ended.code == 0
    text, _, place = ended.out.rstrip("\n").rpartition("\n")
    assert text.rstrip("\n") + "\n" == Path(written).read_text(encoding="utf-8")
    assert place == f"Written to {written}"


def test_a_report_that_cannot_be_written_was_printed(tapmat: Tapmat) -> None:
    ended = tapmat("doctor", "--sim", "--quick", "--state", "state", "--report", "no/such.txt")
    assert ended.code == 2
    assert ended.out.startswith("tapmat report")
    assert ended.err == (
        "no/such.txt cannot be written (No such file or directory). Name a file that you may "
        "write, or copy the report from the terminal.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(("x.txt",), "add --report"), (("--report", "--json"), "leave out --json")],
)
def test_options_that_do_not_fit_together_are_refused(
    tapmat: Tapmat, arguments: tuple[str, ...], says: str
) -> None:
    ended = tapmat("doctor", "--sim", *arguments)
    assert ended.code == 2
    assert says in " ".join(ended.err.split())


def test_addresses_and_names_in_the_network_are_left_out() -> None:
    found = "tapmat 0.1.0 answers at tapmat-2.local:8738 (192.168.1.7)"
    assert _without_secrets(found, ()) == "tapmat 0.1.0 answers at <address>:8738 (<address>)"
