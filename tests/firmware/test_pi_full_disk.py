"""Disks that fill up while the installer runs, on the fake Pi of ``stand_in_pi``.

``make test-boot`` lets real disks fill up.
"""

import errno
import os
import platform
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from firmware.pi.bundle import pack
from firmware.pi.command import SOURCE
from firmware.pi.computer import (
    SPARE,
    CommandFault,
    DiskFull,
    OnLine,
    SetUpFault,
    TargetComputer,
    fault_of,
    run,
)
from firmware.pi.source import ProjectSource
from tests.firmware import stand_in_pi
from tests.firmware.stand_in_pi import CONFIG, PI, StandIn

UNIT_FOLDER, COMMAND = "etc/systemd/system", "usr/local/bin/tapmat"
STATE, KEPT = "var/lib/tapmat", "var/lib/tapmat.before"
FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
Fill = Callable[[Callable[[Path], bool]], None]


@pytest.fixture
def pi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    monkeypatch.setattr("os.geteuid", lambda: 0, raising=False)
    made = StandIn(tmp_path / "pi")
    named = property(lambda _: f"release-{made.version}")
    monkeypatch.setattr(ProjectSource, "release_name", named)
    made.packages |= made.offered
    return made


@pytest.fixture
def running(pi: StandIn) -> StandIn:
    """A Pi with a running table and a journal."""
    pi.install()
    pi.reboot()
    pi.put(f"{STATE}/journal.sqlite", "old")
    pi.said.clear()
    return pi


@pytest.fixture
def fill(monkeypatch: pytest.MonkeyPatch) -> Fill:
    """Return a function that makes the disk full for the files that its argument accepts."""
    sync = os.fsync

    def start(is_full: Callable[[Path], bool]) -> None:
        def refuse(handle: int) -> None:
            if is_full(Path(f"/proc/self/fd/{handle}").readlink()):
                raise FULL
            sync(handle)

        monkeypatch.setattr("os.fsync", refuse)

    return start


def halves(pi: StandIn) -> list[Path]:
    """Return the files and folders that a failed installation has left."""
    names = (".*.tapmat", SPARE, "tapmat.copying", "incoming", "*.new")
    return [left for name in names for left in pi.root.rglob(name)]


def newer_units(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the next version have other units and another command, in a new *folder*."""
    folder.mkdir()
    for file in (*PI.glob("*.service"), *PI.glob("*.timer"), *PI.glob("*.sh"), *PI.glob("*.py")):
        text = file.read_text(encoding="utf-8")
        (folder / file.name).write_text(f"{text}# newer\n", encoding="utf-8")
    monkeypatch.setattr(stand_in_pi, "PI", folder)


# --- messages ------------------------------------------------------------------------------------


def test_a_file_that_finds_no_room_is_named_and_stays_as_it_is(pi: StandIn, fill: Fill) -> None:
    pi.put("etc/some", "old")
    fill(lambda file: file.name == ".some.tapmat")
    told = "^/etc/some cannot be written, because its disk is full. Free some space on that disk, "
    with pytest.raises(DiskFull, match=told):
        pi.computer.write("etc/some", "new")
    assert pi.text("etc/some") == "old"
    assert halves(pi) == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_what_the_system_says_of_a_full_disk_gets_a_remedy(number: int) -> None:
    named = fault_of(OSError(number, "no room", "/etc/some"))
    assert isinstance(named, DiskFull)
    assert str(named).startswith("/etc/some cannot be written, because its disk is full. Free")
    assert str(fault_of(OSError(number, "no room"))).startswith("A disk is full. Free some space")


def test_a_command_that_names_the_full_disk_is_told_by_that_line() -> None:
    print_it = "print('cp: /a: No space left on device'); print('more'); raise SystemExit(1)"
    with pytest.raises(DiskFull) as told:
        run((sys.executable, "-c", print_it))
    assert str(told.value).startswith(f"A disk is full, so this command failed: {sys.executable}")
    assert "\n  cp: /a: No space left on device\n Free some space" in str(told.value)
    assert "more" not in str(told.value).partition("\n  ")[2]


def test_a_full_disk_is_told_with_the_room_on_each_disk(pi: StandIn, fill: Fill) -> None:
    fill(lambda file: SPARE in file.name)
    assert pi.install() == 1
    assert pi.said[-2].startswith("The disk with /opt/tapmat is full. Free some space on that disk")
    free = pi.said[-1].removeprefix("Free space now: ").removesuffix(".")
    assert free == pi.computer.free_space()
    assert free.endswith(" MB on /")


@pytest.mark.parametrize(("free_mb", "is_told"), [(19, True), (21, False)])
def test_a_command_that_fails_beside_little_room_has_that_told(
    pi: StandIn, monkeypatch: pytest.MonkeyPatch, free_mb: int, is_told: bool
) -> None:
    """Python's venv does not print why it fails."""

    def failing(command: Sequence[str], on_line: OnLine | None = None) -> str:
        if "venv" in command:
            room = SimpleNamespace(free=free_mb * 1_000_000)
            monkeypatch.setattr("shutil.disk_usage", lambda _: room)
            raise CommandFault("This failed: venv", "Fix that.")
        return pi.run(command, on_line)

    computer = TargetComputer(pi.said.append, pi.answer, pi.root, failing)
    with monkeypatch.context() as patch:
        patch.setattr(StandIn, "computer", computer)
        assert pi.install() == 1
    hint = f"There is little free space: {free_mb} MB on /. If that was the cause, free some."
    assert (pi.said[-1] == hint) is is_told
    assert "This failed: venv Fix that." in pi.said


# --- a first installation ------------------------------------------------------------------------

FIRST_FILES = [COMMAND, *(f"{UNIT_FOLDER}/{unit.name}" for unit in sorted(PI.glob("*.service")))]


@pytest.mark.parametrize("name", FIRST_FILES)
def test_a_first_installation_that_finds_no_room_leaves_no_unit_and_can_be_repeated(
    pi: StandIn, fill: Fill, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with monkeypatch.context():
        fill(lambda file: file == pi.root / Path(name).with_name(f".{Path(name).name}.tapmat"))
        assert pi.install() == 1
        assert f"/{name} cannot be written, because its disk is full." in pi.said[-2]
        assert [*(pi.root / UNIT_FOLDER).iterdir(), *(pi.root / "usr/local/bin").iterdir()] == []
        assert not (pi.root / "opt/tapmat/current").is_symlink()
        assert halves(pi) == []
        fill(lambda _file: False)
    assert pi.install() == 0
    pi.reboot()
    assert pi.is_running


def test_a_running_table_that_is_installed_again_without_room_goes_on(
    running: StandIn, fill: Fill
) -> None:
    running.put(COMMAND, "changed by somebody")
    fill(lambda file: "usr/local" in str(file) and SPARE not in file.name)
    assert running.install() == 1
    assert (running.release, running.is_running) == ("release-1", True)
    assert halves(running) == []


# --- upgrades ------------------------------------------------------------------------------------


def test_there_is_room_to_return_though_the_disk_has_filled_up(
    running: StandIn, fill: Fill, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing can be written any more, from the new version's start until the spare is freed."""
    before = running.files()
    newer_units(tmp_path / "newer", monkeypatch)

    def is_full(_file: Path) -> bool:
        spares = [*running.root.rglob(SPARE)]
        return bool(spares) and (running.root / "opt/tapmat/current").resolve().name == "release-2"

    start = running.systemctl

    def starting(verb: str, units: Sequence[str]) -> None:
        start(verb, units)
        if verb == "start" and running.release == "release-2":
            fill(is_full)

    monkeypatch.setattr(running, "systemctl", starting)
    assert running.upgrade() == 1
    assert running.said[-2].startswith(
        "The new version cannot be used, so the previous one runs again. /opt/tapmat/trial cannot"
        " be written, because its disk is full. Free some space on that disk, then run the"
        " installer again"
    )
    assert running.said[-1].startswith("Free space now: ")
    assert running.files() == before
    assert (running.release, running.is_running) == ("release-1", True)
    assert halves(running) == []


def test_a_version_that_was_never_started_leaves_the_state_alone(
    running: StandIn, fill: Fill, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To bring the copy back could take room, where the state is a separate disk."""
    before = running.files()
    newer_units(tmp_path / "newer", monkeypatch)
    fill(lambda file: file.name == ".tapmat.tapmat")
    monkeypatch.setattr("firmware.pi.state._swap", lambda *_: pytest.fail("the state was swapped"))
    assert running.upgrade() == 1
    assert running.files() == before
    assert (running.release, running.is_running) == ("release-1", True)


@pytest.mark.parametrize("failing", ["tapmat.copying", "incoming"])
def test_a_state_on_a_disk_of_its_own_that_cannot_be_copied_stays_with_its_copy(
    running: StandIn, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    running.upgrade()
    running.put(f"{STATE}/journal.sqlite", "new")
    running.put(f"{STATE}/more/file", "of the new version")
    before = running.files()

    def refuse(_folder: Path, other: Path) -> None:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), str(other))

    real = running.run

    def full(command: Sequence[str], on_line: OnLine | None = None) -> str:
        if command[0] == "cp" and str(command[-1]).endswith(failing):
            real(command, on_line)
            (Path(command[-1]) / "journal.sqlite").unlink()
            raise SetUpFault("This failed: cp", "Free some space.")
        return real(command, on_line)

    monkeypatch.setattr("firmware.pi.state._swap", refuse)
    monkeypatch.setattr(running, "run", full)
    assert running.install("--rollback") == 1
    assert running.files() == before
    assert (running.release, running.is_running) == ("release-2", True)
    monkeypatch.setattr(running, "run", real)
    assert running.install("--rollback") == 0
    assert running.text(f"{STATE}/journal.sqlite") == "old"
    assert running.text(f"{KEPT}/journal.sqlite") == "new"


# --- a bundle, and removal -----------------------------------------------------------------------


def test_a_bundle_that_finds_no_room_to_be_unpacked_changes_nothing(
    pi: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel, file = tmp_path / f"mat_{platform.machine()}.whl", tmp_path / "tapmat.tar"
    wheel.touch()
    pack(ProjectSource(SOURCE), [wheel], file)
    before = pi.files()

    def full(*_: object) -> None:
        raise FULL

    monkeypatch.setattr(Path, "write_bytes", full)
    assert pi.install("--bundle", str(file)) == 1
    assert pi.said[-2] == (
        f"The disk with /var/tmp is full, and {file} cannot be unpacked there. Nothing was changed."
        " Free some space on that disk, then run the installer again."
    )
    assert pi.files() == before


def test_a_boot_file_without_room_is_the_only_thing_that_a_removal_leaves(
    running: StandIn, fill: Fill
) -> None:
    fill(lambda file: file.name == ".config.txt.tapmat")
    assert running.install("--remove", "--purge") == 1
    assert running.said[-2].startswith(
        "tapmat is removed, except for its lines in /boot/firmware/config.txt. /boot/firmware/"
        "config.txt cannot be written, because its disk is full."
    )
    assert not (running.root / "opt/tapmat").exists()
    assert not (running.root / STATE).exists()
    assert running.text("boot/firmware/config.txt").startswith(CONFIG)
    fill(lambda _file: False)
    assert running.install("--remove", "--purge") == 0
    assert running.text("boot/firmware/config.txt") == CONFIG
    assert not (running.root / "boot/firmware/config.txt.before-tapmat").exists()
