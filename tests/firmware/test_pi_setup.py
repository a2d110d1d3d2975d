"""Installing on a Pi and removing again, with a folder in place of its file system.

The folder and the effects of commands on it are in ``tests/firmware/stand_in_pi.py``.
"""

import ast
import errno
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from firmware.pi import steps
from firmware.pi.boot import BEGIN, END, Needs, with_block, without_block
from firmware.pi.bundle import make, unpacked_source
from firmware.pi.command import ASK_COMPANION, SOURCE, main
from firmware.pi.computer import OnLine, SetUpFault, TargetComputer, run
from firmware.pi.service import HALL
from firmware.pi.source import ProjectSource
from firmware.pi.steps import TableFile
from firmware.show.names import PLAIN
from firmware.show.text import legible
from tests.firmware import stand_in_pi
from tests.firmware.stand_in_pi import CONFIG, OS, PI, StandIn

ON_SPI1 = '[readers.play]\nspi = "0.0"\n[readers.hand]\nspi = "1.2"\n'
COPY_NAME, KEPT = "config.txt.before-tapmat", "var/lib/tapmat.before"
BLOCK = f"{BEGIN}\n[all]\ndtparam=spi=on\n{END}\n"


@pytest.fixture
def pi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    monkeypatch.setattr("os.geteuid", lambda: 0, raising=False)
    made = StandIn(tmp_path)
    named = property(lambda _: f"release-{made.version}")
    monkeypatch.setattr(ProjectSource, "release_name", named)
    return made


@pytest.fixture
def running(pi: StandIn) -> StandIn:
    """A Pi with a running table and a journal."""
    pi.install()
    pi.reboot()
    pi.put("var/lib/tapmat/journal.sqlite", "old form")
    return pi


# --- the boot file -------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "a=1", "a=1\n", "a=1\n\n[pi4]\nb=2\n", f"a=1\n{BLOCK}c=3\n"])
def test_our_block_can_be_put_in_twice_and_taken_out(text: str) -> None:
    once = with_block(text, ["x=1", "y=2"])
    assert once.endswith(f"{BEGIN}\n[all]\ndtoverlay=\nx=1\ny=2\n{END}\n")
    assert with_block(once, ["x=1", "y=2"]) == once
    assert without_block(once).strip() == without_block(text).strip()


def test_what_is_written_below_our_block_stays() -> None:
    assert without_block(f"a=1\n{BLOCK}c=3\n") == "a=1\nc=3\n"


def test_a_block_without_its_end_takes_nothing_before_it_along() -> None:
    assert without_block(f"a=1\n{BEGIN}\nb=2\n") == "a=1\n"


def test_our_block_ends_its_lines_as_the_file_does() -> None:
    made = with_block("a=1\r\n[pi4]\r\n", ["x=1"])
    assert made.endswith(f"[pi4]\r\n{BEGIN}\r\n[all]\r\ndtoverlay=\r\nx=1\r\n{END}\r\n")
    assert without_block(made) == "a=1\r\n[pi4]\r\n"


ODD = b"# \xe9\xff caf\xc3\xa9\x85 \x0c\x1c\r\ndtparam=audio=on\r\n\x1a\r\n"


def test_the_boot_file_is_kept_byte_for_byte(pi: StandIn) -> None:
    config, copy = (pi.root / "boot/firmware" / n for n in ("config.txt", COPY_NAME))
    config.write_bytes(ODD)
    pi.install()
    assert copy.read_bytes() == ODD
    assert config.read_bytes().startswith(ODD)
    assert config.read_bytes().count(b"\n") == config.read_bytes().count(b"\r\n")
    pi.install("--remove")
    assert config.read_bytes() == ODD


def test_parameters_are_the_boards_also_after_an_overlay(pi: StandIn) -> None:
    """An empty ``dtoverlay=`` ends the part of an earlier overlay; our own overlay comes last."""
    pi.put("boot/firmware/config.txt", "dtoverlay=some-hat\n")
    pi.put("etc/tapmat/table.toml", ON_SPI1 + "[display]\n")
    pi.install()
    lines = pi.text("boot/firmware/config.txt").splitlines()
    assert lines[-6:-1] == [
        "[all]",
        "dtoverlay=",
        "dtparam=spi=on",
        "dtparam=i2c_arm=on,i2c_arm_baudrate=400000",
        "dtoverlay=spi1-3cs",
    ]


# --- installing ----------------------------------------------------------------------------------


def test_a_bare_system_becomes_a_table(pi: StandIn) -> None:
    assert pi.install() == 0
    assert pi.packages == pi.offered
    assert "tapmat:" in pi.text("etc/passwd")
    assert pi.text("etc/tapmat/table.toml") == steps_table()
    assert "dtparam=i2c_arm=on,i2c_arm_baudrate=400000" in pi.text("boot/firmware/config.txt")
    assert pi.text("etc/modules-load.d/tapmat.conf") == "i2c-dev\n"
    assert "Type=notify" in pi.text("etc/systemd/system/tapmat.service")
    assert pi.is_enabled


def test_a_table_whose_buses_are_off_is_enabled_and_starts_with_the_computer(pi: StandIn) -> None:
    assert pi.install() == 0
    assert (pi.is_enabled, pi.is_running) == (True, False)
    assert pi.said[-3:] == [
        "The table cannot start yet: it needs /dev/spidev0.0, /dev/i2c-1.",
        "Restart this computer now: sudo reboot",
        "Then the table starts by itself. If it does not, run: tapmat doctor",
    ]
    pi.reboot()
    assert pi.is_running


def test_a_table_whose_buses_are_on_is_started_at_once(pi: StandIn) -> None:
    pi.install()
    pi.reboot()
    assert pi.upgrade() == 0
    assert pi.is_running
    assert "systemctl start tapmat.service" in pi.commands


@pytest.mark.parametrize("device", ["dev/spidev0.0", "dev/i2c-1"])
def test_the_stand_in_starts_no_table_that_lacks_a_device(pi: StandIn, device: str) -> None:
    pi.install()
    pi.switch_buses_on()
    (pi.root / device).unlink()
    with pytest.raises(SetUpFault):
        pi.run(("systemctl", "start", "tapmat.service"))


def test_a_boot_file_that_is_to_stay_starts_nothing_that_cannot_run(pi: StandIn) -> None:
    pi.answers = {"Change the boot file?": False}
    assert pi.install() == 0
    assert pi.text("boot/firmware/config.txt") == CONFIG
    assert (pi.is_enabled, pi.is_running) == (True, False)
    assert "The boot file was not changed." in pi.said
    assert "Turn SPI and I2C on: sudo raspi-config, Interface Options." in pi.said


def test_without_boot_nothing_is_started_that_cannot_run(pi: StandIn) -> None:
    assert pi.install("--no-boot") == 0
    assert not pi.is_running
    assert "Turn SPI and I2C on: sudo raspi-config, Interface Options." in pi.said


def test_a_reader_on_a_bus_that_is_still_off_waits_for_the_reboot(pi: StandIn) -> None:
    pi.install()
    pi.reboot()
    pi.put("etc/tapmat/table.toml", ON_SPI1)
    assert pi.upgrade() == 0
    assert not pi.is_running
    assert "The table cannot start yet: it needs /dev/spidev1.2." in pi.said
    pi.reboot()
    assert pi.is_running


def test_a_first_start_that_fails_says_why(pi: StandIn) -> None:
    pi.install()
    pi.switch_buses_on()
    (pi.root / "opt/tapmat/current").unlink()  # leaves no release to go back to
    pi.fails["start tapmat.service"] = 1
    assert pi.install() == 1
    assert "Everything is installed, but the table does not start." in pi.said[-1]
    assert "/dev/spidev0.0 is not there; turn SPI on" in pi.said[-1]
    assert "sudo systemctl start tapmat" in pi.said[-1]


WITH_COMPANION = '[readers.play]\nspi = "0.0"\n[companion]\non = true\n'
COMPANION_LINK = "etc/systemd/system/tapmat.service.wants/tapmat-companion.service"


def has_companion(pi: StandIn) -> bool:
    return (pi.root / COMPANION_LINK).is_symlink()


def test_the_companion_is_written_but_starts_only_if_it_is_on(pi: StandIn) -> None:
    pi.install()
    assert "tapmat companion" in pi.text("etc/systemd/system/tapmat-companion.service")
    assert not has_companion(pi)


def test_a_companion_that_is_switched_on_and_off_follows_the_table_file(running: StandIn) -> None:
    running.put("etc/tapmat/table.toml", WITH_COMPANION)
    assert running.install() == 0
    assert has_companion(running)
    assert running.is_running
    assert running.install() == 0
    assert running.said[-1] == "Nothing to do: this version is installed and running."
    running.put("etc/tapmat/table.toml", WITH_COMPANION.replace("true", "false"))
    running.install()
    assert not has_companion(running)


def test_the_connection_to_a_broker_follows_the_table_file(running: StandIn) -> None:
    link = running.root / "etc/systemd/system/tapmat.service.wants/tapmat-mqtt.service"
    for is_on in ("true", "false"):
        running.put("etc/tapmat/table.toml", f'[readers.play]\nspi = "0.0"\n[mqtt]\non = {is_on}\n')
        assert running.install() == 0
        assert link.is_symlink() == (is_on == "true")
        assert not has_companion(running)


def test_the_sender_to_a_hall_is_always_installed(running: StandIn) -> None:
    """Systemd starts it only if the table has joined a hall."""
    assert (running.root / f"etc/systemd/system/tapmat.service.wants/{HALL}").is_symlink()
    running.install("--remove")
    assert not (running.root / f"etc/systemd/system/{HALL}").exists()


@pytest.mark.parametrize("template", [None, '[readers.play]\nspi = "0.0"\n'])
def test_the_first_installation_asks_if_the_companion_should_be_on(
    pi: StandIn, tmp_path: Path, template: str | None
) -> None:
    words: tuple[str, ...] = ()
    if template is not None:
        (tmp_path / "mine.toml").write_text(template, encoding="utf-8")
        words = ("--table", str(tmp_path / "mine.toml"))
    pi.answers[ASK_COMPANION] = True
    assert pi.install(*words) == 0
    assert tomllib.loads(pi.text("etc/tapmat/table.toml"))["companion"]["on"] is True
    assert has_companion(pi)
    pi.answers[ASK_COMPANION] = False
    pi.upgrade()
    assert has_companion(pi), "it asks only once; the file belongs to its user from now on"


def test_an_unusual_section_is_left_to_its_user(pi: StandIn, tmp_path: Path) -> None:
    text = '[readers.play]\nspi = "0.0"\n[companion]\nport = 9000\n'
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    pi.answers[ASK_COMPANION] = True
    assert pi.install("--table", str(tmp_path / "mine.toml")) == 0
    assert pi.text("etc/tapmat/table.toml") == text
    assert not has_companion(pi)
    assert any("Write on = true under [companion]" in line for line in pi.said)


def test_with_yes_the_companion_stays_off(pi: StandIn) -> None:
    pi.answers[ASK_COMPANION] = True
    assert pi.install("--yes") == 0
    assert pi.text("etc/tapmat/table.toml") == steps_table()
    assert not has_companion(pi)


def test_the_companion_goes_with_the_program(running: StandIn) -> None:
    running.put("etc/tapmat/table.toml", WITH_COMPANION)
    running.install()
    running.install("--remove")
    assert not (running.root / "etc/systemd/system/tapmat-companion.service").exists()
    (stopped,) = [line for line in running.commands if line.startswith("systemctl disable --now")]
    assert "tapmat-companion.service" in stopped


def steps_table() -> str:
    return (Path(steps.__file__).parents[1] / "config" / "table.toml").read_text(encoding="utf-8")


def test_a_pi_whose_system_lacks_a_package_is_told_which_system_has_it(pi: StandIn) -> None:
    pi.offered.remove("python3-lgpio")
    assert pi.install() == 1
    wanted = "This system does not offer: python3-lgpio. Use Raspberry Pi OS, which does."
    assert pi.said[-1] == wanted
    assert pi.packages == {"python3-venv"}


def test_off_a_pi_the_pins_package_may_be_missing(pi: StandIn) -> None:
    pi.put("proc/device-tree/model", "")
    pi.offered.remove("python3-lgpio")
    assert pi.install() == 0
    assert pi.packages == pi.offered


def test_the_boot_file_keeps_what_it_said_and_a_copy_is_kept(pi: StandIn) -> None:
    pi.install()
    assert pi.text("boot/firmware/config.txt").startswith(CONFIG)
    assert pi.text("boot/firmware/config.txt.before-tapmat") == CONFIG


def test_what_will_be_changed_in_the_boot_file_is_said_before(pi: StandIn) -> None:
    pi.install()
    (about,) = [line for line in pi.said if "config.txt" in line]
    assert "dtparam=spi=on" in about
    assert "config.txt.before-tapmat" in about


def test_the_owners_table_is_kept(pi: StandIn) -> None:
    pi.put("etc/tapmat/table.toml", ON_SPI1)
    pi.install()
    assert pi.text("etc/tapmat/table.toml") == ON_SPI1


def test_a_table_of_ones_own_is_taken(pi: StandIn, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(ON_SPI1, encoding="utf-8")
    pi.install("--table", str(mine))
    assert pi.text("etc/tapmat/table.toml") == ON_SPI1


def test_a_table_that_is_not_there_changes_nothing(pi: StandIn) -> None:
    before = pi.files()
    assert pi.install("--table", "nowhere.toml") == 1
    assert pi.said[1:] == ["There is no file nowhere.toml. Name your table.toml with --table."]
    assert pi.files() == before


def test_readers_on_spi1_get_its_overlay(pi: StandIn) -> None:
    pi.put("etc/tapmat/table.toml", ON_SPI1)
    pi.install()
    assert "dtoverlay=spi1-3cs\n" in pi.text("boot/firmware/config.txt")


def test_no_means_no(pi: StandIn) -> None:
    pi.says_yes = False
    before = pi.files()
    assert pi.install() == 1
    assert pi.files() == before
    assert pi.said[-1] == "Nothing was changed."


def test_a_dry_run_only_says(pi: StandIn) -> None:
    before = pi.files()
    assert pi.install("--dry-run") == 0
    assert pi.files() == before
    assert any("install python3-lgpio, python3-spidev, espeak-ng" in line for line in pi.said)


def test_the_boot_file_can_be_left_alone(pi: StandIn) -> None:
    assert pi.install("--no-boot") == 0
    assert pi.text("boot/firmware/config.txt") == CONFIG


def test_without_a_boot_file_it_says_what_to_do(pi: StandIn) -> None:
    (pi.root / "boot/firmware/config.txt").unlink()
    assert pi.install() == 1
    assert "./install-pi --no-boot" in pi.said[-1]


BROKEN = '[readers.play]\nspi = "0.0"\nreset_pin = 99\n'


def test_a_broken_table_is_refused_before_anything_is_changed(pi: StandIn, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(BROKEN, encoding="utf-8")
    before = pi.files()
    assert pi.install("--table", str(mine)) == 1
    assert f"{mine}: readers.play.reset_pin is 99" in pi.said[-1]
    assert "Nothing was changed." in pi.said[-1]
    assert pi.files() == before
    assert not any("apt" in line or "pip" in line for line in pi.commands)


def test_a_table_that_was_broken_since_is_refused_before_anything_is_changed(
    running: StandIn,
) -> None:
    running.put("etc/tapmat/table.toml", BROKEN)
    before = running.files()
    assert running.upgrade() == 1
    assert "etc/tapmat/table.toml: readers.play.reset_pin is 99" in running.said[-1]
    assert running.files() == before
    assert running.is_running


def test_a_dry_run_looks_at_the_table(pi: StandIn, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(BROKEN, encoding="utf-8")
    assert pi.install("--dry-run", "--table", str(tmp_path / "mine.toml")) == 1
    assert "readers.play.reset_pin is 99" in pi.said[-1]


def test_a_dry_run_needs_no_root(pi: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    before = pi.files()
    assert pi.install("--dry-run") == 0
    assert pi.files() == before
    assert any("dtparam=spi=on" in line for line in pi.said)


def test_a_table_that_is_not_used_is_said(running: StandIn, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(ON_SPI1, encoding="utf-8")
    kept = running.text("etc/tapmat/table.toml")
    assert running.install("--table", str(mine)) == 0
    assert running.text("etc/tapmat/table.toml") == kept
    (told,) = [line for line in running.said if "table.toml is kept" in line]
    assert told.startswith(f"/etc/tapmat/table.toml is kept, and {mine} is not used.")
    assert f"sudo cp {mine} /etc/tapmat/table.toml" in told


def test_the_table_that_is_there_needs_no_remark(running: StandIn, tmp_path: Path) -> None:
    same = tmp_path / "same.toml"
    same.write_text(running.text("etc/tapmat/table.toml"), encoding="utf-8")
    running.said.clear()
    assert running.install("--table", str(same)) == 0
    assert not any("is kept" in line for line in running.said)


def test_files_that_the_table_names_must_be_where_it_goes(pi: StandIn, tmp_path: Path) -> None:
    """``table.toml`` names files relative to its own folder, and is copied to /etc/tapmat."""
    mine = tmp_path / "mine.toml"
    mine.write_text(ON_SPI1 + '[decks]\nstraw = "decks/straw.toml"\n', encoding="utf-8")
    (tmp_path / "decks").mkdir()
    (tmp_path / "decks/straw.toml").write_text("", encoding="utf-8")
    assert pi.install("--table", str(mine)) == 1
    assert f"sudo cp -r {tmp_path / 'decks'} /etc/tapmat/" in pi.said[-1]
    assert not (pi.root / "etc/tapmat").exists()
    pi.put("etc/tapmat/decks/straw.toml", "")
    assert pi.install("--table", str(mine)) == 0


def test_files_in_a_home_are_refused_as_the_service_cannot_see_them(pi: StandIn) -> None:
    table = TableFile(pi.computer, Path("mine.toml"))
    with pytest.raises(SetUpFault, match="in a folder that the table's service cannot see"):
        table.check(Needs((), (), ("/home/ann/straw.toml",)))


@pytest.mark.parametrize("text", ["", '[table]\nnames = ["Zoë-Ann", "Űrs"]\n'])
def test_a_table_can_be_read_with_the_standard_library_alone(tmp_path: Path, text: str) -> None:
    """Before the installation, a Pi may have neither Pillow nor Babel."""
    mine = tmp_path / "mine.toml"
    (tmp_path / "straw.toml").write_text("", encoding="utf-8")
    mine.write_text(text + ON_SPI1 + '[decks]\nstraw = "straw.toml"\n', encoding="utf-8")
    source = ProjectSource(SOURCE)
    offered = source.needs(TargetComputer(print, bool, run=without_packages), mine)
    assert offered is not None
    assert offered.devices == ("dev/spidev0.0", "dev/spidev1.2")
    assert offered.files == ("straw.toml",)


def test_a_name_in_other_letters_is_read_once_the_fonts_are_there(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('[table]\nnames = ["Яна"]\n' + ON_SPI1, encoding="utf-8")
    source = ProjectSource(SOURCE)
    assert source.needs(TargetComputer(print, bool, run=without_packages), mine) is None
    assert source.needs(TargetComputer(print, bool), mine) is not None


def without_packages(command: Sequence[str], on_line: OnLine | None = None) -> str:
    """Run the Python *command* without installed packages, and return its output."""
    at = command.index(sys.executable)
    return run((*command[: at + 1], "-S", *command[at + 1 :]), on_line)


def test_every_letter_that_can_be_spelt_is_in_the_fonts() -> None:
    """All letters for spelling names are in the fonts, so such names need no further check."""
    assert [letter for letter in PLAIN - {" "} if legible(letter) != letter] == []


OLD = [python for python in map(shutil.which, ("python3.8", "python3.9", "python3.10")) if python]


@pytest.mark.skipif(not OLD, reason="there is no older Python here")
@pytest.mark.parametrize("python", OLD)
def test_an_older_python_is_refused_politely(python: str) -> None:
    works = subprocess.run([python, "-c", ""], capture_output=True, check=False)
    if works.returncode:
        pytest.skip("this Python is switched off")
    done = subprocess.run(
        [python, "-m", "firmware.pi"], cwd=SOURCE, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert re.fullmatch(
        r"This computer has Python 3\.\d+, and tapmat needs Python 3\.11 or later\. "
        r"Write Raspberry Pi OS \(bookworm or trixie, 64-bit\) to its card\.\n",
        done.stderr,
    )


@pytest.mark.parametrize("name", ["__init__", "pi/__init__", "pi/__main__"])
def test_what_runs_before_python_was_looked_at_is_old_python(name: str) -> None:
    text = (SOURCE / "firmware" / f"{name}.py").read_text(encoding="utf-8")
    ast.parse(text, feature_version=(3, 7))


def test_install_pi_stays_in_the_folder_of_its_caller(tmp_path: Path) -> None:
    """The installer finds ``--table mine.toml`` in the caller's folder."""
    shown = subprocess.run(
        [SOURCE / "install-pi", "--help"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "--table" in shown.stdout
    assert "cd " not in (SOURCE / "install-pi").read_text(encoding="utf-8")


def test_a_32_bit_system_is_refused_before_anything_is_changed(pi: StandIn) -> None:
    pi.width = "armhf"
    before = pi.files()
    assert pi.install() == 1
    assert "is not a 64-bit one (it is armhf)" in pi.said[-1]
    assert "Write Raspberry Pi OS (bookworm or trixie, 64-bit) to its card." in pi.said[-1]
    assert pi.files() == before


def test_apt_answers_in_the_language_that_is_read() -> None:
    """In German, apt's output would be taken for "not offered", so it is run in English."""
    told = run((sys.executable, "-c", "import os; print(os.environ['LC_ALL'])"))
    assert told == "C.UTF-8\n"


@pytest.mark.parametrize("release", ["bullseye", "noble"])
def test_another_system_is_refused(pi: StandIn, release: str) -> None:
    pi.put("etc/os-release", OS.format(release))
    assert pi.install() == 1
    assert "Write Raspberry Pi OS (bookworm or trixie" in pi.said[0]


def test_without_root_nothing_is_begun(pi: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert pi.install() == 1
    assert pi.said == ["Only root may change the system. Run: sudo ./install-pi"]
    assert pi.commands == ["dpkg --print-architecture"]


# --- upgrading -----------------------------------------------------------------------------------


def test_a_release_that_fails_its_trial_is_never_used(pi: StandIn) -> None:
    pi.install()
    pi.fails["doctor --sim --quick"] = 1
    assert pi.upgrade() == 1
    assert pi.release == "release-1"
    assert [file.name for file in (pi.root / "opt/tapmat/releases").iterdir()] == ["release-1"]


def test_a_release_that_was_left_half_made_is_made_from_the_start(pi: StandIn) -> None:
    half = pi.root / "opt/tapmat/releases/release-1/bin/python"
    half.parent.mkdir(parents=True)
    half.write_text("", encoding="utf-8")
    assert pi.install() == 0
    assert not half.exists()
    assert (pi.root / "opt/tapmat/releases/release-1/complete").exists()


def runs_as_before(pi: StandIn) -> bool:
    game = pi.text("var/lib/tapmat/journal.sqlite")
    halves = [*pi.root.glob("var/lib/tapmat.*"), *pi.root.glob("opt/tapmat/*.new")]
    return (pi.release, pi.is_running, game, halves) == ("release-1", True, "old form", [])


def test_a_release_that_does_not_start_gives_way_to_the_one_before(running: StandIn) -> None:
    running.fails["start tapmat.service"] = 1
    assert running.upgrade() == 1
    assert runs_as_before(running)
    assert "The new version cannot be used, so the previous one runs again" in running.said[-1]
    assert "/dev/spidev0.0 is not there; turn SPI on" in running.said[-1]


def test_the_state_is_as_it_was_before_a_release_that_rewrote_it(
    running: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = running.run

    def migrating(command: Sequence[str], on_line: OnLine | None = None) -> str:
        if "start" in command and running.release == "release-2":
            running.put("var/lib/tapmat/journal.sqlite", "new form")
            raise SetUpFault("This failed: it crashed.", "Mend that.")
        return run(command, on_line)

    monkeypatch.setattr(running, "run", migrating)
    assert running.upgrade() == 1
    assert runs_as_before(running)


FULL = OSError(errno.ENOSPC, "No space left on device")
STEPS_OF_AN_UPGRADE = (
    "cp --archive",
    "systemctl stop",
    "cp --archive --update",
    "systemctl daemon-reload",
    "systemctl enable",
    "systemctl start",
)


@pytest.mark.parametrize("fault", [FULL, KeyboardInterrupt(), SystemExit(129)], ids=repr)
@pytest.mark.parametrize("step", STEPS_OF_AN_UPGRADE)
def test_the_old_version_runs_again_after_every_failed_upgrade(
    running: StandIn, monkeypatch: pytest.MonkeyPatch, step: str, fault: BaseException
) -> None:
    run, faults = running.run, [fault]

    def stopped(command: Sequence[str], on_line: OnLine | None = None) -> str:
        printed = run(command, on_line)
        if " ".join(command).startswith(step) and faults:
            raise faults.pop()
        return printed

    monkeypatch.setattr(running, "run", stopped)
    try:
        assert running.upgrade() == (130 if isinstance(fault, KeyboardInterrupt) else 1)
    except SystemExit:
        assert isinstance(fault, SystemExit)
    assert faults == []
    assert runs_as_before(running)


@pytest.mark.parametrize("link", ["previous", "current"])
def test_a_disk_that_is_full_at_the_last_moment_leaves_the_old_version(
    running: StandIn, monkeypatch: pytest.MonkeyPatch, link: str
) -> None:
    made, faults = Path.symlink_to, [FULL]

    def symlink_to(self: Path, target: str, target_is_directory: bool = False) -> None:
        if self.name == f"{link}.new" and faults:
            raise faults.pop()
        made(self, target, target_is_directory)

    monkeypatch.setattr(Path, "symlink_to", symlink_to)
    assert running.upgrade() == 1
    assert faults == []
    assert runs_as_before(running)


def test_what_is_played_while_the_state_is_copied_is_in_the_copy(
    running: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table plays on while its state is copied; its last plays are in the copy all the same."""
    running.put("var/lib/tapmat/journal.sqlite-wal", "plays")
    run = running.run

    def playing(command: Sequence[str], on_line: OnLine | None = None) -> str:
        if list(command[:2]) == ["systemctl", "stop"]:
            running.put("var/lib/tapmat/journal.sqlite", "old form, plays")
            (running.root / "var/lib/tapmat/journal.sqlite-wal").unlink()
        return run(command, on_line)

    monkeypatch.setattr(running, "run", playing)
    assert running.upgrade() == 0
    kept = {file.name: file.read_text() for file in (running.root / KEPT).iterdir()}
    assert kept == {"journal.sqlite": "old form, plays"}


@pytest.mark.parametrize("number", [errno.EXDEV, errno.EBUSY])
def test_a_state_that_cannot_be_renamed_is_copied(
    running: StandIn, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Renaming fails if ``/var/lib/tapmat`` is a separate disk or the root is an overlay."""

    def refuse(folder: Path, other: Path) -> None:
        raise OSError(number, os.strerror(number), str(other))

    monkeypatch.setattr("firmware.pi.state._swap", refuse)
    running.upgrade()
    running.put("var/lib/tapmat/journal.sqlite", "new form")
    running.put("var/lib/tapmat/more/file", "of the new version")
    assert running.install("--rollback") == 0
    assert running.text("var/lib/tapmat/journal.sqlite") == "old form"
    assert not (running.root / "var/lib/tapmat/more").exists()
    assert running.text(f"{KEPT}/journal.sqlite") == "new form"
    assert running.text(f"{KEPT}/more/file") == "of the new version"


def test_too_little_room_changes_nothing(running: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=100_000_000))
    before = running.files()
    assert running.upgrade() == 1
    assert "There is too little room for /opt/tapmat, /var/lib/tapmat: 251 MB" in running.said[-1]
    assert "100 MB are free" in running.said[-1]
    assert running.files() == before
    assert running.is_running


def test_an_upgrade_keeps_one_release_to_go_back_to(pi: StandIn) -> None:
    for _ in range(3):
        pi.upgrade()
    kept = {folder.name for folder in (pi.root / "opt/tapmat/releases").iterdir()}
    assert (kept, pi.release) == ({"release-3", "release-4"}, "release-4")


def test_going_back_brings_the_version_before_and_its_state(running: StandIn) -> None:
    running.upgrade()
    running.put("var/lib/tapmat/journal.sqlite", "new form")
    assert running.install("--rollback") == 0
    assert (running.release, running.is_running) == ("release-1", True)
    assert running.text("var/lib/tapmat/journal.sqlite") == "old form"
    assert running.text(f"{KEPT}/journal.sqlite") == "new form"
    assert running.said[-1] == "Done. The table runs release-1."


def test_going_back_twice_is_as_before(running: StandIn) -> None:
    running.upgrade()
    running.put("var/lib/tapmat/journal.sqlite", "new form")
    running.install("--rollback")
    assert running.install("--rollback") == 0
    assert (running.release, running.is_running) == ("release-2", True)
    assert running.text("var/lib/tapmat/journal.sqlite") == "new form"
    assert running.text(f"{KEPT}/journal.sqlite") == "old form"


def test_a_version_before_that_does_not_start_is_not_gone_back_to(running: StandIn) -> None:
    running.upgrade()
    running.put("var/lib/tapmat/journal.sqlite", "new form")
    running.fails["start tapmat.service"] = 1
    assert running.install("--rollback") == 1
    assert (running.release, running.is_running) == ("release-2", True)
    assert running.text("var/lib/tapmat/journal.sqlite") == "new form"
    assert running.install("--rollback") == 0
    assert running.release == "release-1"


def test_without_a_version_before_there_is_nothing_to_go_back_to(running: StandIn) -> None:
    assert running.install("--rollback") == 1
    assert running.said[-1] == "There is no version to go back to. Nothing was changed."
    assert runs_as_before(running)


def test_going_back_can_be_declined(running: StandIn) -> None:
    running.upgrade()
    running.says_yes = False
    assert running.install("--rollback") == 1
    assert running.release == "release-2"


def test_each_version_runs_with_its_own_units(
    running: StandIn, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    unit = "etc/systemd/system/tapmat.service"
    old = running.text(unit)
    other = tmp_path_factory.mktemp("other") / "pi"
    shutil.copytree(PI, other)
    (other / "tapmat.service").write_text("# of another version\n", encoding="utf-8")
    monkeypatch.setattr(stand_in_pi, "PI", other)
    running.upgrade()
    assert running.text(unit) == "# of another version\n"
    running.install("--rollback")
    assert running.text(unit) == old


def test_the_silent_minutes_are_reported(pi: StandIn) -> None:
    run = pi.run

    def talking(command: Sequence[str], on_line: OnLine | None = None) -> str:
        if on_line is not None and "--require-hashes" in command:
            on_line("Collecting pillow==13.0.0 (from -r requirements/run.txt (line 9))")
            on_line("  Downloading pillow-13.0.0.whl (6.5 MB)")
        return run(command, on_line)

    computer = TargetComputer(pi.said.append, pi.answer, pi.root, talking)
    assert main([], computer) == 0
    at = pi.said.index("  - install the packages it needs")
    assert pi.said[at + 1 : at + 3] == ["    pillow==13.0.0", "  - install tapmat"]


def test_lines_are_told_as_they_come() -> None:
    told: list[str] = []
    code = "print('one'); print('two')"
    assert run((sys.executable, "-c", code), told.append) == "one\ntwo\n"
    assert told == ["one", "two"]


# --- without a network ---------------------------------------------------------------------------


@pytest.fixture
def bundle(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bundle of this project, with an empty file in place of its wheels."""

    def fetch(_source: ProjectSource, folder: Path, python: str, machine: str) -> None:
        (folder / f"mat-1-cp{python.replace('.', '')}-manylinux_2_17_{machine}.whl").touch()

    monkeypatch.setattr("firmware.pi.bundle._fetch", fetch)
    file = tmp_path_factory.mktemp("bundles") / "tapmat.tar"
    make(ProjectSource(SOURCE), file, platform.machine())
    return file


def test_a_bundle_is_installed_without_a_network(pi: StandIn, bundle: Path) -> None:
    pi.packages |= pi.offered
    assert pi.install("--bundle", str(bundle)) == 0
    assert not any("apt" in line for line in pi.commands)
    fetching = [line for line in pi.commands if "pip install" in line]
    assert all("--no-index --find-links /var/tmp/" in line for line in fetching)
    assert "--require-hashes" in fetching[0]
    assert "--no-build-isolation" in fetching[1]


def test_a_bundle_is_named_by_its_contents_as_the_project_is(bundle: Path) -> None:
    with unpacked_source(bundle) as unpacked:
        assert unpacked.release_name == ProjectSource(SOURCE).release_name


def test_a_bundle_holds_no_packages_of_the_system(pi: StandIn, bundle: Path) -> None:
    before = pi.files()
    assert pi.install("--bundle", str(bundle)) == 1
    lacking = "python3-lgpio, python3-spidev, espeak-ng, alsa-utils, openssh-client"
    assert f"The system lacks {lacking}." in pi.said[-1]
    assert "sudo apt install python3-lgpio" in pi.said[-1]
    assert pi.files() == before
    assert not any("apt-get" in line for line in pi.commands)


def test_helpers_that_a_bundle_cannot_bring_are_left_out(pi: StandIn, bundle: Path) -> None:
    pi.packages |= {*steps.PACKAGES}
    assert pi.install("--bundle", str(bundle)) == 0
    assert "  left out, since there is no network: gpiod, i2c-tools" in pi.said


def test_the_project_is_another_release_as_soon_as_a_file_of_it_changes(tmp_path: Path) -> None:
    for name in ProjectSource(SOURCE).files():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCE / name, tmp_path / name)
    assert ProjectSource(tmp_path).release_name == ProjectSource(SOURCE).release_name
    with (tmp_path / "engines/straw/words/en.po").open("a") as words:
        words.write("\n")
    assert ProjectSource(tmp_path).release_name != ProjectSource(SOURCE).release_name


@pytest.mark.parametrize("cut", [0, 100, 5000, 1_000_000])
def test_a_bundle_that_is_cut_off_changes_nothing(pi: StandIn, bundle: Path, cut: int) -> None:
    before = pi.files()
    bundle.write_bytes(bundle.read_bytes()[:cut])
    assert pi.install("--bundle", str(bundle)) == 1
    assert f"{bundle} is not a complete bundle of tapmat" in pi.said[-1]
    assert pi.files() == before


def test_a_bundle_with_a_flipped_bit_changes_nothing(pi: StandIn, bundle: Path) -> None:
    data = bytearray(bundle.read_bytes())
    at = data.index(b"MIT License")
    data[at] ^= 1
    bundle.write_bytes(data)
    assert pi.install("--bundle", str(bundle)) == 1
    assert "LICENSE is damaged" in pi.said[-1]


@pytest.mark.parametrize("name", ["tapmat/../../etc/evil", "/etc/evil", "tapmat/more", "evil"])
def test_a_bundle_writes_only_what_its_sums_name(pi: StandIn, bundle: Path, name: str) -> None:
    with tarfile.open(bundle, "a") as tar:
        tar.addfile(tarfile.TarInfo(name))
    assert pi.install("--bundle", str(bundle)) == 1
    assert "is not a complete bundle of tapmat" in pi.said[-1]


def test_a_bundle_for_another_computer_is_refused(
    pi: StandIn, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    assert pi.install("--bundle", str(bundle)) == 1
    assert f"{bundle} is not for this computer, whose processor is riscv64." in pi.said[-1]


def test_a_bundle_that_is_not_there_is_reported(pi: StandIn) -> None:
    assert pi.install("--bundle", "nowhere.tar") == 1
    assert (
        pi.said[-1]
        == "nowhere.tar: No such file or directory. Fix the cause, then run the installer again."
    )


# --- the pins ------------------------------------------------------------------------------------

PIN = re.compile(r"^([a-z0-9-]+)==(\S+)", re.MULTILINE)


@pytest.mark.parametrize("part", ["run", "build", "dev", "docs", "mutants", "image"])
def test_every_pin_has_its_hashes(part: str) -> None:
    """``make pins`` writes the hashes; without them a changed pin would not install."""
    wanted = PIN.findall((SOURCE / f"requirements/{part}.in").read_text(encoding="utf-8"))
    text = (SOURCE / f"requirements/{part}.txt").read_text(encoding="utf-8")
    assert sorted(PIN.findall(text)) == sorted(wanted)
    for pin in re.split(r"\n(?=\S)", text):
        assert "--hash=sha256:" in pin, pin
    assert "://" not in text


def test_what_builds_is_pinned_as_the_project_asks_for_it() -> None:
    asked = tomllib.loads((SOURCE / "pyproject.toml").read_text(encoding="utf-8"))
    build = (SOURCE / "requirements/build.in").read_text(encoding="utf-8").splitlines()
    assert set(asked["build-system"]["requires"]) <= set(build)


def test_the_same_contents_are_not_installed_again(running: StandIn) -> None:
    first = running.files()
    running.said.clear()
    running.commands.clear()
    assert running.install() == 0
    assert running.files() == first
    assert running.said[-1] == "Nothing to do: this version is installed and running."
    assert not any("pip" in line or "apt-get" in line for line in running.commands)
    assert not any("stop" in line or "start" in line for line in running.commands)


def test_a_table_that_was_stopped_is_started_by_installing_it_again(running: StandIn) -> None:
    running.is_running = False
    assert running.install() == 0
    assert runs_as_before(running)


# --- removing ------------------------------------------------------------------------------------


def test_taking_it_out_leaves_what_was_there_and_what_was_played(pi: StandIn) -> None:
    before = pi.files()
    pi.install()
    pi.put("var/lib/tapmat/journal.sqlite", "a game")
    assert pi.install("--remove") == 0
    left = {name: text for name, text in pi.files().items() if before.get(name) != text}
    assert sorted(left) == [
        "boot/firmware/config.txt.before-tapmat",
        "etc/group",
        "etc/tapmat/table.toml",
        "var/lib/tapmat/journal.sqlite",
    ]
    assert not (pi.root / "opt/tapmat").exists()


def test_purging_takes_the_state_too(pi: StandIn) -> None:
    pi.install()
    pi.put("var/lib/tapmat/journal.sqlite", "a game")
    pi.install("--remove", "--purge")
    assert not (pi.root / "var/lib/tapmat").exists()
    assert not (pi.root / "etc/tapmat").exists()


def test_purging_takes_every_copy_too(running: StandIn) -> None:
    before = StandIn(running.root.parent / "bare").files()
    running.upgrade()
    running.install("--remove", "--purge")
    left = {name: text for name, text in running.files().items() if not name.startswith("dev/")}
    assert {name for name in left if left[name] != before.get(name)} == {"etc/group"}


def test_taking_out_what_is_not_there_is_no_fault(pi: StandIn) -> None:
    before = pi.files()
    assert pi.install("--remove") == 0
    assert pi.files() == before


PROGRAM = "/opt/tapmat/current/bin/tapmat"


class Shell:
    """The installed shell command in a test folder, running a fake *program*."""

    def __init__(self, folder: Path, program: str, user: str = "tapmat") -> None:
        self.folder = folder / "shell"
        self.home = self.folder / "home"
        self.home.mkdir(parents=True)
        self.home.chmod(0o700)
        self.put("program", program)
        text = (PI / "tapmat.sh").read_text(encoding="utf-8")
        text = text.replace(PROGRAM, str(self.folder / "program"))
        text = text.replace("--reuid tapmat --regid tapmat", f"--reuid {user} --regid {user}")
        self.put("tapmat", text.replace("= tapmat ]", f"= {user} ]"))

    def put(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")
        (self.folder / name).chmod(0o755)

    def run(self, *words: str, folder: Path | None = None) -> str:
        done = subprocess.run(
            ["/bin/sh", self.folder / "tapmat", *words],
            cwd=folder or self.home,
            env={"PATH": f"{self.folder}:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


AS_TABLE = "setpriv --reuid tapmat --regid tapmat --init-groups"
ITS_TABLE = "--table /etc/tapmat/table.toml"


@pytest.mark.parametrize(
    ("words", "rights", "added"),
    [
        ("doctor", "", ITS_TABLE),
        ("doctor --table my.toml", "dac_read_search", ""),
        ("play", "", ITS_TABLE),
        ("voice say Hello", "", ITS_TABLE),
        ("enrol straw", "dac_override", ITS_TABLE),
        ("journal list", "dac_override", ITS_TABLE),
        ("journal export --output games.csv", "dac_override", ITS_TABLE),
        ("journal backup file", "dac_override", ""),
        ("hall join hall.json", "dac_override", ""),
    ],
)
def test_what_uses_the_table_runs_as_its_user(
    tmp_path: Path, words: str, rights: str, added: str
) -> None:
    shell = Shell(tmp_path, "")
    shell.put("sudo", '#!/bin/sh\necho "$@"\n')
    shell.put("id", "#!/bin/sh\necho 1000\n")
    told = shell.run(*words.split())
    caps = f"--inh-caps +{rights} --ambient-caps +{rights} " if rights else ""
    assert told.startswith(f"{AS_TABLE} {caps}env TAPMAT_STATE=/var/lib/tapmat ")
    assert told.endswith(f"{shell.folder}/program {words} {added}".strip())


@pytest.mark.parametrize(
    ("words", "added"),
    [
        ("wiring --template smallest --write table.toml", ""),
        ("wiring", ITS_TABLE),
        ("wiring --table my.toml --svg wiring.svg", ""),
        ("pieces straw", ITS_TABLE),
        ("doctor --sim --table my.toml", ""),
        ("enrol straw --sim", ""),
        ("sim --game straw", ""),
        ("rehearse mine.mat", ""),
        ("journal --help", ""),
        ("--help", ""),
        ("", ""),
    ],
)
def test_what_does_not_runs_as_the_caller(tmp_path: Path, words: str, added: str) -> None:
    shell = Shell(tmp_path, '#!/bin/sh\necho ran "$@"\n')
    shell.put("sudo", "#!/bin/sh\necho not for this; exit 1\n")
    assert shell.run(*words.split()) == f"ran {words} {added}".strip()


# A program that reads the file of --import and writes the file of --export.
COPIES = """#!/bin/sh
case "$3" in
    --import) cat "$4" ;;
    --export) id -un > "$4" ;;
    --export=*) id -un > "${3#*=}" ;;
esac
"""


@pytest.mark.skipif(
    shutil.which("setpriv") is None or os.geteuid() != 0, reason="only root can become another user"
)
def test_files_in_a_home_are_read_and_written_for_the_caller(tmp_path: Path) -> None:
    """The table's user cannot enter the caller's home; files written there belong to the caller."""
    shell = Shell(tmp_path, COPIES, user="daemon")
    entered = subprocess.run(
        ["setpriv", "--reuid", "daemon", "--clear-groups", "ls", shell.home], check=False
    )
    assert entered.returncode, "that user can enter the home"
    (shell.home / "mine.txt").write_text("my stickers", encoding="utf-8")
    (shell.home / "mine.txt").chmod(0o600)
    assert shell.run("enrol", "straw", "--import", "mine.txt") == "my stickers"
    shell.run("enrol", "straw", "--export", "straw.txt")
    shell.run("enrol", "straw", f"--export={shell.home}/other.txt", folder=tmp_path)
    for name in ("straw.txt", "other.txt"):
        assert (shell.home / name).read_text(encoding="utf-8") == "daemon\n"
        assert (shell.home / name).stat().st_uid == os.getuid()


@pytest.mark.skipif(
    shutil.which("setpriv") is None or os.geteuid() != 0, reason="only root can become another user"
)
def test_the_real_program_reads_what_only_a_right_of_its_lets_it_read(tmp_path: Path) -> None:
    """access(2) ignores that right, so a program that asks it first would refuse the file."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "table.toml").write_text('[readers.play]\nspi = "0.0"\n', encoding="utf-8")
    (home / "table.toml").chmod(0o600)
    rights = "+dac_read_search"
    tapmat = [sys.executable, "-m", "firmware.commands.cli"]
    done = subprocess.run(
        ["setpriv", "--reuid", "daemon", "--regid", "daemon", "--clear-groups",
         "--inh-caps", rights, "--ambient-caps", rights,
         *tapmat, "wiring", "--check", "--table", "table.toml"],
        cwd=home, capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_the_command_is_written_for_everybody_to_run(pi: StandIn) -> None:
    pi.install()
    command = pi.root / "usr/local/bin/tapmat"
    assert command.stat().st_mode & 0o777 == 0o755
    assert command.read_text(encoding="utf-8") == (PI / "tapmat.sh").read_text(encoding="utf-8")


def test_a_boot_partition_that_is_read_only_is_made_writable_for_the_change(
    pi: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of tapmat's image is, so that a pulled plug cannot damage it."""
    look = os.statvfs

    def read_only(path: Path) -> object:
        found = look(path)
        return SimpleNamespace(f_flag=os.ST_RDONLY) if "firmware" in str(path) else found

    monkeypatch.setattr("firmware.pi.computer.os.statvfs", read_only)
    pi.install()
    mounts = [command for command in pi.commands if command.startswith("mount ")]
    assert mounts == [f"mount -o remount,{way} /boot/firmware" for way in ("rw", "ro")]


@pytest.mark.parametrize("folder", ["__pycache__", "node_modules"])
def test_what_tools_leave_in_packages_is_no_source(tmp_path: Path, folder: str) -> None:
    left = tmp_path / "sim" / "web" / folder / "left.txt"
    left.parent.mkdir(parents=True)
    left.touch()
    (tmp_path / "sim" / "web" / "page.txt").touch()
    names = set(ProjectSource(tmp_path).files())
    assert "sim/web/page.txt" in names
    assert not [name for name in names if "left.txt" in name]
